/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of a list.
 *
 * The file is mapped, not read: its bytes are then no part of the heap, and can be taken out of the
 * process before its memory is looked at. Where the items of a JSON list are is found by a scan that
 * only counts brackets. It is not part of any measured time, and judges nothing: the decoder does.
 */
#include "items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What begins an object in a watch; bench/peers/client-go/decode.go has the same. */
#define TYPED_HEAD "{\"kind\":\"Pod\",\"apiVersion\":\"v1\","

/* Behind the string that begins here; `end` if it does not end. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && at + 1 < end)
            at++;
    }
    return end;
}

/* Behind the map or array that begins here; `end` if it does not end. */
static const char *skip_nested(const char *at, const char *end)
{
    size_t depth = 0;

    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        else if (*at == '}' || *at == ']')
            depth--;
        at++;
        if (depth == 0)
            break;
    }
    return at;
}

/* To the next of these characters, or the end. */
static const char *skip_to(const char *at, const char *end, const char *any)
{
    while (at < end && (*at == '\0' || !strchr(any, *at)))
        at++;
    return at;
}

/* The array of items: behind its '['. NULL if the list has none. */
static const char *find_items(const char *at, const char *end)
{
    static const char name[] = "\"items\"";

    at = skip_to(at, end, "{");
    if (at == end)
        return NULL;
    for (at = skip_to(at, end, "\""); at < end; at = skip_to(at, end, "\"")) {
        const char *behind = skip_string(at, end);
        bool found =
            (size_t)(behind - at) == sizeof(name) - 1 && memcmp(at, name, sizeof(name) - 1) == 0;

        at = skip_to(behind, end, "{[\",}");
        if (at < end && found && *at == '[')
            return at + 1;
        if (at < end && (*at == '{' || *at == '['))
            at = skip_nested(at, end);
        else if (at < end && *at == '"')
            at = skip_string(at, end);
    }
    return NULL;
}

/* The next item, or an empty view behind the last one. */
static kin_str next_item(const char *at, const char *end)
{
    at = skip_to(at, end, "{]");
    if (at == end || *at == ']')
        return kin_str_make(at, 0);
    return kin_str_make(at, (size_t)(skip_nested(at, end) - at));
}

static void cut_json(struct kin_bench_items *items, const char *name)
{
    const char *end = items->file + items->file_size;
    const char *first = find_items(items->file, end);

    items->n = 0;
    for (const char *at = first; at;) {
        kin_str text = next_item(at, end);

        items->n += text.len > 0;
        at = text.len > 0 ? text.data + text.len : NULL;
    }
    if (items->n == 0)
        kin_bench_die("%s: not a list, or an empty one", name);
    items->texts = kin_bench_alloc(items->n, sizeof(*items->texts));
    for (size_t i = 0; i < items->n; i++) {
        items->texts[i] = next_item(first, end);
        items->bytes += items->texts[i].len;
        first = items->texts[i].data + items->texts[i].len;
    }
}

static void cut_protobuf(struct kin_bench_items *items, const char *name)
{
    kin_str file = kin_str_make(items->file, items->file_size);

    items->encoding = KIN_ENCODING_PROTOBUF;
    items->n = kin_bench__protobuf_items(file, NULL);
    if (items->n == 0)
        kin_bench_die("%s: not a list in protobuf, or an empty one", name);
    items->texts = kin_bench_alloc(items->n, sizeof(*items->texts));
    (void)kin_bench__protobuf_items(file, items->texts);
    for (size_t i = 0; i < items->n; i++)
        items->bytes += items->texts[i].len;
}

static void map_file(struct kin_bench_items *items, const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        kin_bench_die("%s: %s", name, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        kin_bench_die("%s: not a file, or an empty one", name);
    items->file_size = (size_t)st.st_size;
    items->file = mmap(NULL, items->file_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (items->file == MAP_FAILED)
        kin_bench_die("%s: %s", name, strerror(errno));
    (void)close(fd);
}

void kin_bench_items_load(struct kin_bench_items *items, const char *file)
{
    memset(items, 0, sizeof(*items));
    map_file(items, file);
    items->encoding = KIN_ENCODING_JSON;
    if (kin_bench__is_protobuf(kin_str_make(items->file, items->file_size)))
        cut_protobuf(items, file);
    else
        cut_json(items, file);
}

static size_t json_typed_max(kin_str item)
{
    return sizeof(TYPED_HEAD) - 1 + item.len - 1;
}

static size_t json_type(char *out, kin_str item)
{
    const size_t head = sizeof(TYPED_HEAD) - 1;

    memcpy(out, TYPED_HEAD, head);
    memcpy(out + head, item.data + 1, item.len - 1);
    return head + item.len - 1;
}

void kin_bench_items_type(struct kin_bench_items *items, const size_t *order)
{
    bool is_protobuf = items->encoding == KIN_ENCODING_PROTOBUF;
    size_t (*typed_max)(kin_str) = is_protobuf ? kin_bench__protobuf_typed_max : json_typed_max;
    size_t (*type)(char *, kin_str) = is_protobuf ? kin_bench__protobuf_type : json_type;
    size_t room = 0;

    for (size_t i = 0; i < items->n; i++)
        room += typed_max(items->texts[i]);
    char *typed = kin_bench_alloc(room, 1);
    kin_str *texts = kin_bench_alloc(items->n, sizeof(*texts));
    char *at = typed;

    for (size_t i = 0; i < items->n; i++) {
        texts[i] = kin_str_make(at, type(at, items->texts[order ? order[i] : i]));
        at += texts[i].len;
    }
    free(items->texts);
    items->texts = texts;
    items->typed = typed;
    items->bytes = (size_t)(at - typed);
}

void kin_bench_items_forget_pages(const struct kin_bench_items *items)
{
    if (madvise(items->file, items->file_size, MADV_DONTNEED) < 0)
        kin_bench_die("madvise: %s", strerror(errno));
}

void kin_bench_items_done(struct kin_bench_items *items)
{
    (void)munmap(items->file, items->file_size);
    free(items->texts);
    free(items->typed);
}
