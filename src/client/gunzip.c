/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zlib's inflate with its memory from our allocator. A body may be several gzip members in a row, as
 * the format allows; bytes behind them that begin no member are an error.
 */
#include "client/gunzip.h"

#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "base/compiler.h"
#include "base/memory.h"

/* 32 KiB of history, and 16: a gzip header, nothing else. */
#define WINDOW_BITS (15 + 16)

struct kin__gunzip {
    z_stream stream;
    uint64_t in, out; /* of all members */
    bool at_start;    /* of a member: nothing of it was seen */
    bool any_ended;   /* at least one member is complete */
};

/* zlib's history is a part of the body, which may hold secrets: wiped, so its size is noted. */
struct piece {
    size_t size; /* all of it */
    max_align_t data[];
};

static void *allocate(void *opaque, unsigned n, unsigned size)
{
    size_t bytes = (size_t)n * size + sizeof(struct piece);
    struct piece *piece = kin__calloc(1, bytes);

    (void)opaque;
    if (!piece)
        return NULL;
    piece->size = bytes;
    return piece->data;
}

static void release(void *opaque, void *ptr)
{
    struct piece *piece = (struct piece *)((char *)ptr - offsetof(struct piece, data));

    (void)opaque;
    kin__free_wiped(piece, piece->size);
}

kin__gunzip *kin__gunzip_new(void)
{
    kin__gunzip *gunzip = kin__calloc(1, sizeof(*gunzip));

    if (!gunzip)
        return NULL;
    gunzip->stream.zalloc = allocate;
    gunzip->stream.zfree = release;
    gunzip->at_start = true;
    if (inflateInit2(&gunzip->stream, WINDOW_BITS) != Z_OK) {
        kin__free(gunzip);
        return NULL;
    }
    return gunzip;
}

void kin__gunzip_free(kin__gunzip *gunzip)
{
    if (!gunzip)
        return;
    inflateEnd(&gunzip->stream);
    kin__free(gunzip);
}

void kin__gunzip_give(kin__gunzip *gunzip, kin_str input)
{
    gunzip->stream.next_in = kin__unconst(input.data);
    gunzip->stream.avail_in = (unsigned)input.len;
}

/* One step. */
static int step(kin__gunzip *gunzip)
{
    z_stream *stream = &gunzip->stream;

    if (gunzip->at_start) {
        if (stream->avail_in == 0)
            return 0;
        if (inflateReset(stream) != Z_OK)
            return KIN_EPROTOCOL;
        gunzip->at_start = false;
    }
    switch (inflate(stream, Z_NO_FLUSH)) {
    case Z_STREAM_END:
        gunzip->at_start = true;
        gunzip->any_ended = true;
        return 0;
    case Z_OK:
    case Z_BUF_ERROR: /* nothing to do with what there is: the caller sees that, too */
        return 0;
    case Z_MEM_ERROR:
        return KIN_ENOMEM;
    default:
        return KIN_EPROTOCOL;
    }
}

int kin__gunzip_take(kin__gunzip *gunzip, char *out, size_t size, size_t *ret_len)
{
    z_stream *stream = &gunzip->stream;
    unsigned before;

    stream->next_out = (unsigned char *)out;
    stream->avail_out = (unsigned)size;
    /* Even without input there may be output left inside. */
    do {
        unsigned in = stream->avail_in;
        before = stream->avail_out;
        int code = step(gunzip);

        if (code < 0)
            return code;
        gunzip->in += in - stream->avail_in;
        gunzip->out += before - stream->avail_out;
        if (in == stream->avail_in && before == stream->avail_out)
            break;
    } while (stream->avail_out > 0);
    *ret_len = size - stream->avail_out;
    return 0;
}

uint64_t kin__gunzip_total_in(const kin__gunzip *gunzip)
{
    return gunzip->in;
}

uint64_t kin__gunzip_total_out(const kin__gunzip *gunzip)
{
    return gunzip->out;
}

bool kin__gunzip_is_complete(const kin__gunzip *gunzip)
{
    return gunzip->at_start && gunzip->any_ended;
}
