/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quickest level: it halves the bytes of a list and more, and the next ones cost twice the time
 * for a few percent.
 */
#include "apiserver/http/gzip_source.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/str.h"

#define INPUT_SIZE ((size_t)32 * 1024)
#define WINDOW_BITS_GZIP (15 + 16)

struct gzip_source {
    kin__source source;
    kin__source *inner;
    z_stream zlib;
    bool at_end;   /* of the inner one */
    bool finished; /* the trailer was written */
    char input[INPUT_SIZE];
};

static struct gzip_source *of(kin__source *source)
{
    return kin__container_of(source, struct gzip_source, source);
}

static void forward_wake(void *arg)
{
    struct gzip_source *gzip = arg;

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

/* More to compress, or the end. Anything but DATA is passed on. */
static enum kin__source_result refill(struct gzip_source *gzip)
{
    size_t len = 0;
    enum kin__source_result result =
        gzip->inner->read(gzip->inner, gzip->input, sizeof(gzip->input), &len);

    if (result == KIN__SOURCE_DATA) {
        gzip->zlib.next_in = (unsigned char *)gzip->input;
        gzip->zlib.avail_in = (unsigned)len;
    } else if (result == KIN__SOURCE_END) {
        gzip->at_end = true;
        result = KIN__SOURCE_DATA;
    }
    return result;
}

static enum kin__source_result read_gzip(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct gzip_source *gzip = of(source);
    enum kin__source_result result = KIN__SOURCE_DATA;
    unsigned room = size > UINT_MAX ? UINT_MAX : (unsigned)size;

    if (gzip->finished)
        return KIN__SOURCE_END;
    gzip->zlib.next_out = (unsigned char *)buf;
    gzip->zlib.avail_out = room;
    while (gzip->zlib.avail_out > 0 && !gzip->finished) {
        if (gzip->zlib.avail_in == 0 && !gzip->at_end) {
            result = refill(gzip);
            if (result != KIN__SOURCE_DATA)
                break;
        }
        int code = deflate(&gzip->zlib, gzip->at_end ? Z_FINISH : Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return KIN__SOURCE_ABORT;
        gzip->finished = code == Z_STREAM_END;
    }
    *ret_len = room - gzip->zlib.avail_out;
    /* What there is goes first; the inner one is asked again next time. */
    return *ret_len > 0 && result != KIN__SOURCE_ABORT ? KIN__SOURCE_DATA : result;
}

static void close_gzip(kin__source *source)
{
    struct gzip_source *gzip = of(source);

    gzip->inner->close(gzip->inner);
    (void)deflateEnd(&gzip->zlib);
    kin__free(gzip);
}

int kin__gzip_source_new(kin__source **ret, kin__source *inner)
{
    struct gzip_source *gzip = kin__malloc(sizeof(*gzip));

    if (!gzip)
        return KIN_ENOMEM;
    memset(gzip, 0, offsetof(struct gzip_source, input));
    gzip->zlib.zalloc = allocate;
    gzip->zlib.zfree = release;
    if (deflateInit2(&gzip->zlib, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        kin__free(gzip);
        return KIN_ENOMEM;
    }
    gzip->source.read = read_gzip;
    gzip->source.close = close_gzip;
    gzip->inner = inner;
    inner->wake = forward_wake;
    inner->wake_arg = gzip;
    *ret = &gzip->source;
    return 0;
}

static bool has_weight(kin_str part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (part.data[i] >= '1' && part.data[i] <= '9')
            return true;
    }
    return false;
}

/* Of "gzip;q=0.5" whether the weight is not zero. */
static bool is_wanted(kin_str parameters)
{
    kin_str part;

    while (kin__str_cut(&parameters, ';', &part)) {
        part = kin__str_trim(part);
        if (kin__str_starts_with(part, kin_str_of("q=0")))
            return has_weight(part);
    }
    return true;
}

bool kin__accepts_gzip(kin_str accept_encoding)
{
    kin_str coding;

    while (kin__str_cut(&accept_encoding, ',', &coding)) {
        kin_str name;

        if (kin__str_cut(&coding, ';', &name) &&
            kin_str_equal(kin__str_trim(name), kin_str_of("gzip")))
            return is_wanted(coding);
    }
    return false;
}
