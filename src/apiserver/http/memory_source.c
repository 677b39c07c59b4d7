/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/http/memory_source.h"

#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

struct memory_source {
    kin__source source;
    kin__buf buf;
    size_t given;
    kin__source *rest;
    bool is_broken;
};

static struct memory_source *of(kin__source *source)
{
    return kin__container_of(source, struct memory_source, source);
}

static void forward_wake(void *arg)
{
    struct memory_source *memory = arg;

    memory->source.wake(memory->source.wake_arg);
}

static enum kin__source_result read_memory(kin__source *source, char *buf, size_t size,
                                           size_t *ret_len)
{
    struct memory_source *memory = of(source);
    size_t left = memory->buf.len - memory->given;

    if (memory->is_broken)
        return KIN__SOURCE_ABORT;
    if (left == 0)
        return memory->rest ? memory->rest->read(memory->rest, buf, size, ret_len)
                            : KIN__SOURCE_END;
    *ret_len = left < size ? left : size;
    memcpy(buf, memory->buf.data + memory->given, *ret_len);
    memory->given += *ret_len;
    return KIN__SOURCE_DATA;
}

static void close_memory(kin__source *source)
{
    struct memory_source *memory = of(source);

    if (memory->rest)
        memory->rest->close(memory->rest);
    kin__buf_done(&memory->buf);
    kin__free(memory);
}

int kin__memory_source_new(kin__source **ret, kin__buf *buf, kin__source *rest)
{
    struct memory_source *memory = kin__calloc(1, sizeof(*memory));

    if (!memory)
        return KIN_ENOMEM;
    memory->source.read = read_memory;
    memory->source.close = close_memory;
    memory->buf = *buf;
    kin__buf_init(buf, memory->buf.limit);
    memory->rest = rest;
    if (rest) {
        rest->wake = forward_wake;
        rest->wake_arg = memory;
    }
    *ret = &memory->source;
    return 0;
}

enum kin__source_result kin__memory_source_fill(kin__source *source, size_t min)
{
    struct memory_source *memory = of(source);
    enum kin__source_result result = KIN__SOURCE_DATA;
    char piece[4096];
    size_t len = 0;

    while (result == KIN__SOURCE_DATA && memory->buf.len <= min) {
        result = memory->rest->read(memory->rest, piece, sizeof(piece), &len);
        if (result == KIN__SOURCE_DATA)
            kin__buf_append(&memory->buf, kin_str_make(piece, len));
        if (memory->buf.failed)
            result = KIN__SOURCE_ABORT;
    }
    memory->is_broken = result == KIN__SOURCE_ABORT;
    return result;
}

void kin__memory_source_take(kin__source *source, kin__buf *ret)
{
    struct memory_source *memory = of(source);

    *ret = memory->buf;
    kin__buf_init(&memory->buf, 0);
}
