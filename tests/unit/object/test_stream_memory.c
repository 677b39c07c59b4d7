/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming decoders: what they hold while a text goes through them, without memory, and that
 * small pieces do not make them slow.
 */
#include "stream_support.h"

#include <malloc.h>

#include "alloc.h"
#include "object/stream_reader.h"
#include "oom.h"

struct sweep {
    bool is_watch;
    kin_str text;
    size_t piece;
    kin_decode_options options;
};

static int count_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(unsigned *)arg;
    return 0;
}

static int count_event(enum kin_watch_type type, const kin_object *object, void *arg,
                       kin_error *err)
{
    (void)type;
    return count_item(object, arg, err);
}

static int sweep_list(const struct sweep *s, kin_error *err)
{
    const kin_object *object = NULL;
    kin_list_decoder *decoder;
    unsigned n = 0;
    int code = kin_list_decoder_new(&decoder, &s->options, count_item, &n, NULL, err);

    if (code < 0)
        return code;
    for (size_t at = 0; code == 0 && at < s->text.len; at += s->piece) {
        size_t len = s->text.len - at < s->piece ? s->text.len - at : s->piece;

        code = kin_list_decoder_feed(decoder, kin_str_make(s->text.data + at, len), err);
    }
    if (code == 0)
        code = kin_list_decoder_finish(decoder, &object, err);
    assert_true((code == 0) == (object != NULL));
    if (code == 0)
        assert_int_equal(n, 3);
    kin_object_unref(object);
    kin_list_decoder_free(decoder);
    return code;
}

static int sweep_watch(const struct sweep *s, kin_error *err)
{
    kin_watch_decoder *decoder;
    unsigned n = 0;
    int code = kin_watch_decoder_new(&decoder, &s->options, count_event, &n, NULL, err);

    if (code < 0)
        return code;
    for (size_t at = 0; code == 0 && at < s->text.len; at += s->piece) {
        size_t len = s->text.len - at < s->piece ? s->text.len - at : s->piece;

        code = kin_watch_decoder_feed(decoder, kin_str_make(s->text.data + at, len), err);
    }
    if (code == 0)
        code = kin_watch_decoder_finish(decoder, err);
    if (code == 0)
        assert_int_equal(n, 3);
    kin_watch_decoder_free(decoder);
    return code;
}

static int sweep(void *arg, kin_error *err)
{
    const struct sweep *s = arg;

    return s->is_watch ? sweep_watch(s, err) : sweep_list(s, err);
}

static void every_allocation_may_fail(void **state)
{
    static const char list[] =
        "{\"kind\":\"PodList\",\"\\u0061\":1,\"items\":[{\"a\":1,\"drop\":[1]},{\"b\":\"\\n\"},"
        "{\"metadata\":{\"name\":\"x\"}}],\"metadata\":{\"continue\":\"c\"}}";
    static const char watch[] =
        "{\"type\":\"ADDED\",\"object\":{\"a\":1,\"drop\":[1]}}"
        "{\"object\":{\"b\":\"\\n\"},\"x\":\"y\",\"type\":\"MODIFIED\"}"
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"name\":\"x\"}}}";
    static const size_t pieces[] = {1000, 40, 7};
    const kin_projection *projection;

    (void)state;
    assert_code(kin_projection_drop(&projection, kin_str_of("drop"), NULL), 0);
    for (int is_watch = 0; is_watch <= 1; is_watch++) {
        for (size_t i = 0; i < kin__array_len(pieces); i++) {
            struct sweep s = {is_watch, kin_str_of(is_watch ? watch : list), pieces[i],
                              KIN_DECODE_OPTIONS_INIT};

            s.options.projection = projection;
            s.options.kind = "Pod";
            kin_test_fail_each_allocation(sweep, &s);
        }
    }
    kin_projection_unref(projection);
}

/* Bytes that the process has allocated; 0 if nobody knows. */
static size_t allocated_bytes(void)
{
#if defined(__GLIBC__) && !KIN_TEST_SANITIZED
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

struct flow {
    unsigned items;
    size_t most;
    size_t most_live;
};

static int measure_item(const kin_object *object, void *arg, kin_error *err)
{
    struct flow *flow = arg;

    (void)object;
    (void)err;
    if (flow->items++ % 64 == 0) {
        size_t now = allocated_bytes();

        flow->most = now > flow->most ? now : flow->most;
        flow->most_live =
            kin_test_alloc_live() > flow->most_live ? kin_test_alloc_live() : flow->most_live;
    }
    return 0;
}

static void a_list_of_50_mb_is_never_held(void **state)
{
    enum { PIECE = 16384, N_PIECES = 50 * 1024 * 1024 / PIECE };
    struct flow flow = {0, 0, 0};
    kin_list_decoder *decoder;
    const kin_object *list = NULL;
    kin__buf pending;
    unsigned made = 0;

    (void)state;
    kin__buf_init(&pending, SIZE_MAX - 1);
    assert_code(kin_list_decoder_new(&decoder, NULL, measure_item, &flow, NULL, NULL), 0);

    size_t before = allocated_bytes();
    size_t live_before = kin_test_alloc_live();

    kin__buf_appendf(&pending, "{\"kind\":\"List\",\"items\":[");
    for (unsigned i = 0; i < N_PIECES; i++) {
        while (pending.len < PIECE) {
            kin__buf_appendf(&pending,
                             "%s{\"metadata\":{\"name\":\"pod-%u\",\"namespace\":\"ns-%u\"},"
                             "\"spec\":{\"nodeName\":\"node-%u\",\"text\":\"%0*u\"}}",
                             made > 0 ? "," : "", made, made % 50, made % 700,
                             (int)(100 + made * 37 % 3000), made);
            made++;
        }
        assert_code(kin_list_decoder_feed(decoder, kin_str_make(pending.data, PIECE), NULL), 0);
        memmove(pending.data, pending.data + PIECE, pending.len - PIECE);
        pending.len -= PIECE;
    }
    kin__buf_appendf(&pending, "],\"metadata\":{\"resourceVersion\":\"5\"}}");
    assert_code(kin_list_decoder_feed(decoder, kin__buf_str(&pending), NULL), 0);
    assert_code(kin_list_decoder_finish(decoder, &list, NULL), 0);
    assert_int_equal(flow.items, made);
    kin__buf_done(&pending);
    /* The decoder's own memory and a handful of items; the list has 50 MB. */
    assert_true(flow.most < before + 4 * 1024 * 1024);
    assert_true(flow.most_live < live_before + 20000);
    kin_object_unref(list);
    kin_list_decoder_free(decoder);
}

/* An object, text and all, behind which nothing is kept. */
static void the_text_of_a_large_object_is_given_back(void **state)
{
    const size_t size = 8 * 1024 * 1024;
    char *spaces = malloc(65536);
    struct reader r;

    (void)state;
    assert_non_null(spaces);
    memset(spaces, ' ', 65536);
    reader_init(&r, true, NULL);
    assert_code(reader_feed(&r, "{\"type\":\"ADDED\",\"object\":{", 26, NULL), 0);

    size_t before = allocated_bytes();

    for (size_t fed = 0; fed < size; fed += 65536)
        assert_code(reader_feed(&r, spaces, 65536, NULL), 0);
    assert_true(before == 0 || allocated_bytes() >= before + size);
    assert_int_equal(r.n_objects, 0);
    assert_code(reader_feed(&r, "}}", 2, NULL), 0);
    assert_int_equal(r.n_objects, 1);
    assert_true(allocated_bytes() < before + size / 8);
    reader_done(&r);
    free(spaces);
}

/* Begin a member beside the objects, and feed 8 MB of it. */
static void feed_large_member(struct reader *r, const char *begin, const char *end)
{
    const size_t size = 8 * 1024 * 1024;
    char *text = malloc(65536);

    assert_non_null(text);
    memset(text, 'x', 65536);
    assert_code(reader_feed(r, begin, strlen(begin), NULL), 0);
    for (size_t fed = 0; fed < size; fed += 65536)
        assert_code(reader_feed(r, text, 65536, NULL), 0);
    assert_code(reader_feed(r, end, strlen(end), NULL), 0);
    free(text);
}

/* Looked at from inside too: under sanitizers nobody knows how much is allocated. */
static void the_text_of_a_large_member_is_given_back(void **state)
{
    static const char event[] = "{\"type\":\"ADDED\",\"object\":{}}";
    const size_t large = 8 * 1024 * 1024;
    const kin_object *list = NULL;
    struct reader r;

    (void)state;
    reader_init(&r, true, NULL);
    r.is_silent = true;

    const kin__buf *head = &((const kin__stream *)(const void *)r.watch)->head;

    assert_code(reader_feed(&r, event, sizeof(event) - 1, NULL), 0);
    assert_true(head->cap > 0 && head->cap < 65536); /* a small one is kept */
    feed_large_member(&r, "{\"type\":\"ADDED\",\"object\":{},\"more\":\"", "");
    assert_true(head->cap >= large);
    assert_code(reader_feed(&r, "\"}", 2, NULL), 0);
    assert_int_equal(r.n_objects, 2);
    assert_int_equal(head->cap, 0);
    assert_code(reader_feed(&r, event, sizeof(event) - 1, NULL), 0);
    /* A stream that is broken off. */
    feed_large_member(&r, "{\"more\":\"", "");

    size_t live = kin_test_alloc_live();
    size_t bytes = allocated_bytes();

    reader_reset(&r);
    assert_int_equal(kin_test_alloc_live(), live - 1);
    assert_true(bytes == 0 || allocated_bytes() <= bytes - large);
    reader_done(&r);

    reader_init(&r, false, NULL);
    head = &((const kin__stream *)(const void *)r.list)->head;
    feed_large_member(&r, "{\"more\":\"", "");
    assert_true(head->cap >= large);
    reader_reset(&r);
    assert_int_equal(head->cap, 0);
    feed_large_member(&r, "{\"more\":\"", "\"}");
    assert_code(kin_list_decoder_finish(r.list, &list, NULL), 0);
    kin_object_unref(list);
    assert_int_equal(head->cap, 0);
    reader_done(&r);
}

static void space_between_items_costs_nothing(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    char *spaces = malloc(65536);
    struct reader r;

    (void)state;
    assert_non_null(spaces);
    memset(spaces, '\n', 65536);
    options.max_bytes = 100;
    reader_init(&r, false, &options);
    assert_code(reader_feed(&r, "{\"items\":[", 10, NULL), 0);
    for (unsigned i = 0; i < 100; i++)
        assert_code(reader_feed(&r, spaces, 65536, NULL), 0);
    assert_code(reader_feed(&r, "{}]}", 4, NULL), 0);
    assert_int_equal(r.n_objects, 1);
    reader_done(&r);
    free(spaces);
}

/* These would take minutes if anything were looked at again and again. */
static void feeding_byte_by_byte_takes_linear_time(void **state)
{
    kin_test_rng rng = {3};
    kin__buf text;
    struct reader r;

    (void)state;
    kin__buf_init(&text, SIZE_MAX - 1);
    kin__buf_appendf(&text, "{\"items\":[{\"data\":[0");
    while (text.len < 1000000) {
        kin__buf_append_char(&text, ',');
        random_string(&text, &rng);
    }
    kin__buf_appendf(&text, "]},{}]}");
    reader_init(&r, false, NULL);
    r.is_silent = true;
    assert_string_equal(transcript_random(&r, kin__buf_str(&text), &rng, 1, 1), "{}");
    assert_int_equal(r.n_objects, 2);
    assert_string_equal(transcript_random(&r, kin__buf_str(&text), &rng, 10, 20), "{}");
    assert_int_equal(r.n_objects, 2);

    /* Many members beside the items. */
    kin__buf_reset(&text);
    for (unsigned i = 0; i < 50000; i++)
        kin__buf_appendf(&text, "%s\"m%u\":%u", i > 0 ? "," : "{", i % 40000, i);
    kin__buf_append_char(&text, '}');

    const char *transcript = transcript_random(&r, kin__buf_str(&text), &rng, 1, 100);

    assert_int_equal(strncmp(transcript, "{\"m10000\":10000,", 16), 0);
    reader_done(&r);
    kin__buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_list_of_50_mb_is_never_held),
        cmocka_unit_test(the_text_of_a_large_object_is_given_back),
        cmocka_unit_test(the_text_of_a_large_member_is_given_back),
        cmocka_unit_test(space_between_items_costs_nothing),
        cmocka_unit_test(feeding_byte_by_byte_takes_linear_time),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
