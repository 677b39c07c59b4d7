/* SPDX-License-Identifier: Apache-2.0 */
/* Sources over sources: memory, gzip, and how wakes find their way. */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "alloc.h"
#include "apiserver/http/gzip_source.h"
#include "apiserver/http/gzip_watch.h"
#include "apiserver/http/memory_source.h"
#include "base/compiler.h"
#include "oom.h"

/* Says what a script says: 'd' some bytes, 'w' wait, 'a' abort, end at the end. */
struct scripted {
    kin__source source;
    const char *script;
    unsigned closed;
};

static enum kin__source_result read_scripted(kin__source *source, char *buf, size_t size,
                                             size_t *ret_len)
{
    struct scripted *scripted = kin__container_of(source, struct scripted, source);

    switch (*scripted->script) {
    case 'd':
        scripted->script++;
        *ret_len = size < 1000 ? size : 1000;
        memset(buf, 'd', *ret_len);
        return KIN__SOURCE_DATA;
    case 'w':
        scripted->script++;
        return KIN__SOURCE_WAIT;
    case 'a':
        return KIN__SOURCE_ABORT;
    default:
        return KIN__SOURCE_END;
    }
}

static void close_scripted(kin__source *source)
{
    kin__container_of(source, struct scripted, source)->closed++;
}

static struct scripted scripted_of(const char *script)
{
    return (struct scripted){.source = {.read = read_scripted, .close = close_scripted},
                             .script = script};
}

static void count_wake(void *arg)
{
    ++*(unsigned *)arg;
}

static kin__source *with_text(const char *text, kin__source *rest)
{
    kin__source *source = NULL;
    kin__buf buf;

    kin__buf_init(&buf, 1000);
    kin__buf_append(&buf, kin_str_of(text));
    assert_int_equal(kin__memory_source_new(&source, &buf, rest), 0);
    assert_null(buf.data);
    return source;
}

static void test_memory(void **state)
{
    kin__source *source = with_text("hello", NULL);
    char buf[4];
    size_t len = 0;

    (void)state;
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_DATA);
    assert_int_equal(len, 4);
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_DATA);
    assert_int_equal(len, 1);
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_END);
    source->close(source);
}

static void test_memory_before_a_source(void **state)
{
    struct scripted inner = scripted_of("wd");
    kin__source *source = with_text("x", &inner.source);
    unsigned wakes = 0;
    char buf[10];
    size_t len = 0;

    (void)state;
    source->wake = count_wake;
    source->wake_arg = &wakes;
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_DATA);
    assert_int_equal(buf[0], 'x');
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_WAIT);
    inner.source.wake(inner.source.wake_arg);
    assert_int_equal(wakes, 1);
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_DATA);
    assert_int_equal(source->read(source, buf, sizeof(buf), &len), KIN__SOURCE_END);
    source->close(source);
    assert_int_equal(inner.closed, 1);
}

static void test_reading_ahead(void **state)
{
    static const struct {
        const char *script;
        enum kin__source_result result;
        size_t len;
    } cases[] = {{"ddddd", KIN__SOURCE_DATA, 3000},
                 {"dd", KIN__SOURCE_END, 2000},
                 {"dwddd", KIN__SOURCE_WAIT, 1000},
                 {"da", KIN__SOURCE_ABORT, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scripted inner = scripted_of(cases[i].script);
        kin__source *source = NULL;
        kin__buf buf;
        char bytes[8192];
        size_t len = 0;

        kin__buf_init(&buf, 100000);
        assert_int_equal(kin__memory_source_new(&source, &buf, &inner.source), 0);
        assert_int_equal(kin__memory_source_fill(source, 2500), cases[i].result);
        if (cases[i].result == KIN__SOURCE_ABORT) {
            assert_int_equal(source->read(source, bytes, sizeof(bytes), &len), KIN__SOURCE_ABORT);
        } else {
            kin__memory_source_take(source, &buf);
            assert_int_equal(buf.len, cases[i].len);
            kin__buf_done(&buf);
        }
        source->close(source);
    }
}

/* All that a source gives until it ends; how often it made us wait. */
static size_t read_all(kin__source *source, char *buf, size_t size, unsigned *waits)
{
    size_t all = 0;

    for (;;) {
        size_t len = 0;
        size_t room = size - all < 100 ? size - all : 100;

        switch (source->read(source, buf + all, room, &len)) {
        case KIN__SOURCE_DATA:
            assert_in_range(len, 1, room);
            all += len;
            break;
        case KIN__SOURCE_WAIT:
            ++*waits;
            break;
        case KIN__SOURCE_END:
            return all;
        default:
            fail();
        }
    }
}

static void test_gzip(void **state)
{
    struct scripted inner = scripted_of("ddwdddwwd");
    kin__source *source = NULL;
    char packed[10000];
    char text[100000];
    unsigned waits = 0;
    unsigned wakes = 0;
    z_stream zlib = {.next_out = (unsigned char *)text, .avail_out = sizeof(text)};

    (void)state;
    assert_int_equal(kin__gzip_source_new(&source, &inner.source), 0);
    source->wake = count_wake;
    source->wake_arg = &wakes;
    size_t len = read_all(source, packed, sizeof(packed), &waits);
    assert_in_range(waits, 1, 3);
    inner.source.wake(inner.source.wake_arg);
    assert_int_equal(wakes, 1);
    source->close(source);
    assert_int_equal(inner.closed, 1);
    zlib.next_in = (unsigned char *)packed;
    zlib.avail_in = (unsigned)len;
    assert_int_equal(inflateInit2(&zlib, 15 + 16), Z_OK);
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    assert_int_equal(sizeof(text) - zlib.avail_out, 6000);
    inflateEnd(&zlib);
}

/* How many bytes each member has, and all of its data, which are there. */
static size_t count_members(const char *packed, size_t len, size_t *sizes, size_t max)
{
    size_t n = 0;

    while (len > 0) {
        char text[10000];
        z_stream zlib = {.next_in = (unsigned char *)kin__unconst(packed),
                         .avail_in = (unsigned)len,
                         .next_out = (unsigned char *)text,
                         .avail_out = sizeof(text)};

        assert_true(n < max);
        assert_int_equal(inflateInit2(&zlib, 15 + 16), Z_OK);
        assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
        sizes[n++] = sizeof(text) - zlib.avail_out;
        packed += len - zlib.avail_in;
        len = zlib.avail_in;
        inflateEnd(&zlib);
    }
    return n;
}

static void test_gzip_of_a_watch(void **state)
{
    struct scripted inner = scripted_of("wddwdddwwd");
    kin__source *source = NULL;
    char packed[10000];
    size_t sizes[4];
    unsigned waits = 0;
    unsigned wakes = 0;

    (void)state;
    inner.source.fault = 7;
    assert_int_equal(kin__gzip_watch_new(&source, &inner.source), 0);
    source->wake = count_wake;
    source->wake_arg = &wakes;
    size_t len = read_all(source, packed, sizeof(packed), &waits);
    /* The source goes on after a member as long as its reader has room. */
    assert_in_range(waits, 1, 4);
    assert_int_equal(source->fault, 7);
    inner.source.wake(inner.source.wake_arg);
    assert_int_equal(wakes, 1);
    source->close(source);
    assert_int_equal(inner.closed, 1);
    assert_int_equal(count_members(packed, len, sizes, 4), 3);
    assert_int_equal(sizes[0], 2000);
    assert_int_equal(sizes[1], 3000);
    assert_int_equal(sizes[2], 1000);
}

/* Data that have arrived are a whole member before the connection breaks off. */
static void test_gzip_of_a_watch_that_breaks(void **state)
{
    struct scripted inner = scripted_of("da");
    kin__source *source = NULL;
    char packed[1000];
    size_t sizes[1] = {0};
    size_t len = 0;

    (void)state;
    assert_int_equal(kin__gzip_watch_new(&source, &inner.source), 0);
    assert_int_equal(source->read(source, packed, sizeof(packed), &len), KIN__SOURCE_DATA);
    assert_int_equal(count_members(packed, len, sizes, 1), 1);
    assert_int_equal(sizes[0], 1000);
    assert_int_equal(source->read(source, packed, sizeof(packed), &len), KIN__SOURCE_ABORT);
    source->close(source);
}

static void test_gzip_of_what_breaks(void **state)
{
    struct scripted inner = scripted_of("da");
    kin__source *source = NULL;
    char buf[100];
    size_t len = 0;

    (void)state;
    assert_int_equal(kin__gzip_source_new(&source, &inner.source), 0);
    enum kin__source_result result = KIN__SOURCE_DATA;
    for (int i = 0; i < 10 && result == KIN__SOURCE_DATA; i++)
        result = source->read(source, buf, sizeof(buf), &len);
    assert_int_equal(result, KIN__SOURCE_ABORT);
    source->close(source);
}

static void test_accept_encoding(void **state)
{
    static const char *const yes[] = {"gzip", "deflate, gzip", "gzip;q=0.1", "br;q=1, gzip ;q=1",
                                      "gzip; x=y"};
    static const char *const no[] = {"",      "deflate", "gzip;q=0", "gzip; q=0.000",
                                     "xgzip", "identity"};

    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(kin__accepts_gzip(kin_str_of(yes[i])));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(kin__accepts_gzip(kin_str_of(no[i])));
    assert_false(kin__accepts_gzip(kin_str_make(NULL, 0)));
}

static int use_gzip(void *arg, kin_error *err)
{
    struct scripted inner = scripted_of("ddd");
    kin__source *source = NULL;
    char packed[10000];
    unsigned waits = 0;

    (void)arg;
    if (kin__gzip_source_new(&source, &inner.source) < 0)
        return kin_error_set(err, KIN_ENOMEM, "no memory");
    read_all(source, packed, sizeof(packed), &waits);
    source->close(source);
    return 0;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use_gzip, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_before_a_source),
        cmocka_unit_test(test_reading_ahead),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_gzip_of_a_watch),
        cmocka_unit_test(test_gzip_of_a_watch_that_breaks),
        cmocka_unit_test(test_gzip_of_what_breaks),
        cmocka_unit_test(test_accept_encoding),
        cmocka_unit_test(test_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
