/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of its own for each flush, as Kubernetes 1.37 sends streaming lists: a client can inflate all
 * events that have arrived, and no dictionary outlives a flush. zlib's memory is that of the member:
 * while a watch waits it keeps no such memory.
 *
 * The last data of a member are flushed before it ends. Go's reader would give data that come with
 * the end of a member only after the head of the next one.
 */
#include "apiserver/http/gzip_watch.h"

#include <limits.h>
#include <zlib.h>

#include "base/compiler.h"
#include "base/memory.h"

#define INPUT_SIZE ((size_t)4 * 1024)
/* A window of 16 KiB, which holds some events, and a gzip header. */
#define WINDOW_BITS_GZIP (14 + 16)
#define MEM_LEVEL 7

struct gzip_watch {
    kin__source source;
    kin__source *inner;
    z_stream zlib;
    enum kin__source_result next; /* what comes after the member: not DATA */
    bool is_open;                 /* there is a member */
    bool is_closing;              /* all of its bytes were read, */
    bool is_flushed;              /* and written but for the end */
    char input[INPUT_SIZE];
};

static struct gzip_watch *of(kin__source *source)
{
    return kin__container_of(source, struct gzip_watch, source);
}

static void forward_wake(void *arg)
{
    struct gzip_watch *gzip = arg;

    gzip->source.wake(gzip->source.wake_arg);
}

static void *allocate(void *opaque, unsigned n, unsigned size)
{
    (void)opaque;
    return kin__calloc(n, size);
}

static void release(void *opaque, void *ptr)
{
    (void)opaque;
    kin__free(ptr);
}

static void end_member(struct gzip_watch *gzip)
{
    if (gzip->is_open)
        (void)deflateEnd(&gzip->zlib);
    gzip->is_open = false;
    gzip->is_closing = false;
    gzip->is_flushed = false;
}

/* More bytes for the member, which begins with the first of them, or its end. */
static void refill(struct gzip_watch *gzip)
{
    size_t len = 0;
    enum kin__source_result result =
        gzip->inner->read(gzip->inner, gzip->input, sizeof(gzip->input), &len);

    gzip->source.fault = gzip->inner->fault;
    if (result == KIN__SOURCE_DATA && !gzip->is_open) {
        gzip->is_open = deflateInit2(&gzip->zlib, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_GZIP,
                                     MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
        if (!gzip->is_open)
            result = KIN__SOURCE_ABORT;
    }
    if (result == KIN__SOURCE_DATA) {
        gzip->zlib.next_in = (unsigned char *)gzip->input;
        gzip->zlib.avail_in = (unsigned)len;
        return;
    }
    gzip->next = result;
    gzip->is_closing = true;
}

static bool deflate_some(struct gzip_watch *gzip)
{
    int flush = !gzip->is_closing ? Z_NO_FLUSH : !gzip->is_flushed ? Z_SYNC_FLUSH : Z_FINISH;
    int code = deflate(&gzip->zlib, flush);

    if (code == Z_STREAM_END)
        end_member(gzip);
    else if (flush == Z_SYNC_FLUSH)
        gzip->is_flushed = gzip->zlib.avail_out > 0; /* else there is more to flush */
    return code == Z_STREAM_END || code == Z_OK || code == Z_BUF_ERROR;
}

static enum kin__source_result read_gzip(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct gzip_watch *gzip = of(source);
    unsigned room = size > UINT_MAX ? UINT_MAX : (unsigned)size;

    gzip->zlib.next_out = (unsigned char *)buf;
    gzip->zlib.avail_out = room;
    while (gzip->zlib.avail_out > 0) {
        if (!gzip->is_open && gzip->next != KIN__SOURCE_WAIT)
            break;
        if (gzip->zlib.avail_in == 0 && !gzip->is_closing)
            refill(gzip);
        if (!gzip->is_open) {
            gzip->is_closing = false;
            break;
        }
        if (!deflate_some(gzip))
            return KIN__SOURCE_ABORT;
    }
    *ret_len = room - gzip->zlib.avail_out;
    return *ret_len > 0 ? KIN__SOURCE_DATA : gzip->next;
}

static void close_gzip(kin__source *source)
{
    struct gzip_watch *gzip = of(source);

    gzip->inner->close(gzip->inner);
    end_member(gzip);
    kin__free(gzip);
}

int kin__gzip_watch_new(kin__source **ret, kin__source *inner)
{
    struct gzip_watch *gzip = kin__calloc(1, sizeof(*gzip));

    if (!gzip)
        return KIN_ENOMEM;
    gzip->zlib.zalloc = allocate;
    gzip->zlib.zfree = release;
    gzip->next = KIN__SOURCE_WAIT;
    gzip->source.read = read_gzip;
    gzip->source.close = close_gzip;
    gzip->inner = inner;
    inner->wake = forward_wake;
    inner->wake_arg = gzip;
    *ret = &gzip->source;
    return 0;
}
