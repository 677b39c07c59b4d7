/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading ahead: what comes out of a list is the same with workers as without, whatever they read,
 * whether they come too late, and whether they begin where no item does.
 *
 * There is one worker. A callback waits until all that was posted has run, so that what is read
 * ahead is there; or the worker is kept busy, so that it is not.
 */
#include "stream_support.h"

#include <inttypes.h>

#include "alloc.h"
#include "base/workers.h"
#include "kinform/metadata.h"
#include "latch.h"
#include "object/ahead.h"
#include "object/json.h"
#include "object/stream_reader.h"
#include "oom.h"

enum { ITEMS = 60, ITEM_BYTES = 2048 };

static kin__workers *workers;

/* --- the worker --- */

struct errand {
    kin__task task;
    kin__strand strand;
    kin_test_latch begun;
    kin_test_latch may_end;
};

static void run_errand(kin__task *task, bool dropped)
{
    struct errand *errand = kin__container_of(task, struct errand, task);

    (void)dropped;
    kin_test_latch_raise(&errand->begun);
    kin_test_latch_wait(&errand->may_end, 1);
}

static void errand_post(struct errand *errand)
{
    kin__list_init(&errand->task.link);
    errand->task.run = run_errand;
    kin__strand_init(&errand->strand, workers);
    kin_test_latch_init(&errand->begun);
    kin_test_latch_init(&errand->may_end);
    assert_code(kin__strand_post(&errand->strand, &errand->task), 0);
}

static void errand_end(struct errand *errand)
{
    kin_test_latch_raise(&errand->may_end);
    kin__strand_done(&errand->strand);
    kin_test_latch_done(&errand->begun);
    kin_test_latch_done(&errand->may_end);
}

/* All that was posted before has run. */
static void wait_for_worker(void)
{
    struct errand errand;

    errand_post(&errand);
    kin_test_latch_wait(&errand.begun, 1);
    errand_end(&errand);
}

/* --- texts --- */

/* An item of some length. `nested` stands in it, as an array. */
static void append_item(kin__buf *text, unsigned i, const char *nested, size_t bytes)
{
    kin__buf_appendf(text,
                     "{\"metadata\":{\"name\":\"pod-%u\",\"namespace\":\"n%u\"},\"list\":[%s],"
                     "\"text\":\"",
                     i, i % 7, nested);
    while (bytes-- > 0)
        kin__buf_append_char(text, (char)('a' + (i + bytes) % 26));
    kin__buf_appendf(text, "\"}");
}

static void begin_list(kin__buf *text)
{
    kin__buf_init(text, SIZE_MAX - 1);
    kin__buf_appendf(text, "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},"
                           "\"items\":[");
}

static void end_list(kin__buf *text)
{
    kin__buf_appendf(text, "],\"more\":{\"a\":[1]}}");
    assert_int_equal(text->failed, 0);
}

static void make_list(kin__buf *text, const char *nested)
{
    begin_list(text);
    for (unsigned i = 0; i < ITEMS; i++) {
        kin__buf_appendf(text, "%s", i ? "," : "");
        append_item(text, i, nested, ITEM_BYTES + (i * 37) % 500);
    }
    end_list(text);
}

/* --- readers --- */

/* What the reader does, and waits for the worker before. */
static int on_item_late(const kin_object *object, void *arg, kin_error *err)
{
    wait_for_worker();
    return take_object(arg, "", object, err);
}

static int on_event_late(enum kin_watch_type type, const kin_object *object, void *arg,
                         kin_error *err)
{
    wait_for_worker();
    return on_event(type, object, arg, err);
}

static void reader_with(struct reader *r, kin_list_item_fn *fn, const kin_decode_options *options)
{
    memset(r, 0, sizeof(*r));
    kin__buf_init(&r->transcript, SIZE_MAX - 1);
    assert_code(kin_list_decoder_new(&r->list, options, fn, r, NULL, NULL), 0);
    assert_code(kin__list_decoder_read_ahead(r->list, workers, NULL), 0);
}

static void watcher_with(struct reader *r, const kin_decode_options *options)
{
    memset(r, 0, sizeof(*r));
    kin__buf_init(&r->transcript, SIZE_MAX - 1);
    assert_code(kin_watch_decoder_new(&r->watch, options, on_event_late, r, NULL, NULL), 0);
    assert_code(kin__watch_decoder_read_ahead(r->watch, workers, NULL), 0);
}

/* Pieces that are large enough, cut anywhere. */
static const char *transcript_in_pieces(struct reader *r, kin_str text, size_t piece)
{
    size_t cuts[64];
    size_t n = 0;

    /* The first one has an item, so that it is known how they begin. */
    for (size_t at = 6000; at < text.len && n < kin__array_len(cuts); at += piece)
        cuts[n++] = at;
    return transcript_cut(r, text, cuts, n);
}

/* Both kinds of decoders begin with it. */
static kin__stream *stream_of(const struct reader *r)
{
    return r->watch ? (kin__stream *)r->watch : (kin__stream *)r->list;
}

static uint64_t count_ahead(const struct reader *r)
{
    return stream_of(r)->n_ahead;
}

/* How many objects were read ahead. */
static uint64_t assert_same_of(bool is_watch, kin_str text, const kin_decode_options *options)
{
    static const size_t pieces[] = {50000, 61000, 100003};
    struct reader plain;
    struct reader ahead;

    reader_init(&plain, is_watch, options);
    if (is_watch)
        watcher_with(&ahead, options);
    else
        reader_with(&ahead, on_item_late, options);
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        const char *want = transcript_in_pieces(&plain, text, pieces[i]);

        assert_string_equal(transcript_in_pieces(&ahead, text, pieces[i]), want);
    }
    uint64_t n = count_ahead(&ahead);

    reader_done(&plain);
    reader_done(&ahead);
    return n;
}

static uint64_t assert_same(kin_str text, const kin_decode_options *options)
{
    return assert_same_of(false, text, options);
}

/* --- the worker alone --- */

/* Behind an object: a comma and the next one. */
static const char *next_in_list(const char *p, const char *end, bool is_first,
                                enum kin_watch_type *ret_type)
{
    *ret_type = (enum kin_watch_type)0;
    while (!is_first && p < end && (*p == ' ' || *p == ','))
        p++;
    return p < end && *p == '{' ? p : NULL;
}

static void read_all(kin__ahead *ahead, const char *text, kin__ahead_result *ret)
{
    assert_true(kin__ahead_begin(ahead, kin_str_of(text)));
    wait_for_worker();
    kin__ahead_end(ahead, ret);
}

static void reads_objects_as_far_as_they_are_there(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        size_t len;
    } cases[] = {
        {"{\"a\":1},{\"b\":2} , {\"c\":3}]", 3, 25},
        {"{\"a\":1},{\"b\":", 1, 7},
        {"{\"a\":1},", 1, 7},
        {"{\"a\":1},{\"b\":}", 1, 7},
        {"{\"a\":1},[1]", 1, 7},
        {"[1],{\"b\":2}", 0, 0},
        {"{", 0, 0},
        /* Shorter than the one before it: it may go on behind the text. */
        {"{\"a\":100},{\"b\":2}", 1, 9},
    };
    kin_decoder *like;
    kin__ahead *ahead;

    (void)state;
    assert_code(kin_decoder_new(&like, NULL, NULL), 0);
    assert_code(kin__ahead_new(&ahead, workers, like, next_in_list, NULL), 0);
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__ahead_result result;

        read_all(ahead, cases[i].text, &result);
        assert_int_equal(result.n, cases[i].n);
        assert_int_equal(result.len, cases[i].len);
        for (size_t j = 0; j < result.n; j++)
            kin_object_unref(result.objects[j].object);
    }
    kin__ahead_free(ahead);
    kin_decoder_free(like);
}

static void what_no_worker_has_begun_is_taken_back(void **state)
{
    kin__ahead_result result;
    struct errand busy;
    kin_decoder *like;
    kin__ahead *ahead;

    (void)state;
    assert_code(kin_decoder_new(&like, NULL, NULL), 0);
    assert_code(kin__ahead_new(&ahead, workers, like, next_in_list, NULL), 0);
    errand_post(&busy);
    kin_test_latch_wait(&busy.begun, 1);
    assert_true(kin__ahead_begin(ahead, kin_str_of("{\"a\":1}")));
    kin__ahead_end(ahead, &result);
    assert_int_equal(result.n, 0);
    /* It is posted still. */
    assert_false(kin__ahead_begin(ahead, kin_str_of("{\"a\":1}")));
    errand_end(&busy);
    wait_for_worker();
    read_all(ahead, "{\"a\":1}", &result);
    assert_int_equal(result.n, 1);
    kin_object_unref(result.objects[0].object);

    /* Freed while it is posted: the worker gives the memory back. */
    errand_post(&busy);
    kin_test_latch_wait(&busy.begun, 1);
    assert_true(kin__ahead_begin(ahead, kin_str_of("{\"a\":1}")));
    kin__ahead_end(ahead, &result);
    kin__ahead_free(ahead);
    kin_decoder_free(like);
    errand_end(&busy);
    wait_for_worker();
}

static void reads_as_the_other_decoder_does(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin__ahead_result result;
    kin_scratch scratch;
    kin_decoder *like;
    kin__ahead *ahead;

    (void)state;
    options.max_depth = 2;
    options.max_bytes = 20;
    options.kind = "Pod";
    options.api_version = "v1";
    assert_code(kin_decoder_new(&like, &options, NULL), 0);
    assert_code(kin__ahead_new(&ahead, workers, like, next_in_list, NULL), 0);
    read_all(ahead, "{\"a\":{}},{\"a\":{\"b\":{}}}", &result);
    assert_int_equal(result.n, 1);
    assert_true(
        kin_str_equal(kin_object_kind(result.objects[0].object, &scratch), kin_str_of("Pod")));
    assert_true(kin_str_equal(kin_object_api_version(result.objects[0].object, &scratch),
                              kin_str_of("v1")));
    kin_object_unref(result.objects[0].object);
    read_all(ahead, "{\"a\":\"0123456789abcdef\"}", &result);
    assert_int_equal(result.n, 0);
    kin__ahead_free(ahead);
    kin_decoder_free(like);
}

/* --- lists --- */

static void lists_are_the_same(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin__buf text;

    (void)state;
    make_list(&text, "1,2,{\"a\":null}");
    /* Nearly half of three times all. */
    assert_in_range(assert_same(kin__buf_str(&text), NULL), ITEMS, 3 * ITEMS / 2);
    options.kind = "Pod";
    options.api_version = "v1";
    assert_same(kin__buf_str(&text), &options);
    /* Cut off anywhere, it is malformed at the same place. */
    for (size_t cut = 1; cut < 20000; cut += 1999)
        assert_same(kin_str_make(text.data, text.len - cut), NULL);
    kin__buf_done(&text);
}

/* What looks like the beginning of an item is in all of them. */
static void guesses_may_be_wrong(void **state)
{
    kin__buf nested;
    kin__buf text;

    (void)state;
    kin__buf_init(&nested, SIZE_MAX - 1);
    kin__buf_appendf(&nested, "{\"metadata\":{}}");
    for (unsigned i = 0; i < 40; i++)
        kin__buf_appendf(&nested, ",{\"metadata\":{\"name\":\"inner-%u\"}}", i);
    make_list(&text, nested.data);
    assert_in_range(assert_same(kin__buf_str(&text), NULL), 0, ITEMS / 2);
    kin__buf_done(&text);
    kin__buf_done(&nested);
}

static void bad_items_are_found_at_the_same_place(void **state)
{
    static const char *const wrong[] = {"1,,2", "\"\\q\"", "{\"a\"}", "\"\x01\"", "]"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(wrong); i++) {
        for (unsigned at = 20; at < ITEMS; at += 13) {
            kin__buf text;

            begin_list(&text);
            for (unsigned j = 0; j < ITEMS; j++) {
                kin__buf_appendf(&text, "%s", j ? "," : "");
                append_item(&text, j, j == at ? wrong[i] : "", ITEM_BYTES);
            }
            end_list(&text);
            assert_same(kin__buf_str(&text), NULL);
            kin__buf_done(&text);
        }
    }
}

static void a_busy_worker_changes_nothing(void **state)
{
    struct reader plain;
    struct reader ahead;
    struct errand busy;
    kin__buf text;

    (void)state;
    make_list(&text, "");
    reader_init(&plain, false, NULL);
    reader_with(&ahead, on_item, NULL);
    errand_post(&busy);
    kin_test_latch_wait(&busy.begun, 1);
    const char *want = transcript_in_pieces(&plain, kin__buf_str(&text), 60000);

    assert_string_equal(transcript_in_pieces(&ahead, kin__buf_str(&text), 60000), want);
    errand_end(&busy);
    reader_done(&plain);
    reader_done(&ahead);
    kin__buf_done(&text);
}

static void a_callback_may_refuse_any_item(void **state)
{
    struct reader r;
    kin__buf text;

    (void)state;
    make_list(&text, "");
    reader_with(&r, on_item_late, NULL);
    r.is_silent = true;
    r.fail_code = KIN_EEXISTS;
    for (r.fail_at = 1; r.fail_at <= ITEMS; r.fail_at++) {
        kin_error err = KIN_ERROR_INIT;
        int code = 0;

        reader_reset(&r);
        code = reader_feed(&r, text.data, 6000, &err);
        if (code == 0)
            code = reader_feed(&r, text.data + 6000, text.len - 6000, &err);
        assert_int_equal(code, KIN_EEXISTS);
        assert_int_equal(r.n_objects, r.fail_at);
    }
    reader_done(&r);
    kin__buf_done(&text);
}

struct freeing {
    kin_list_decoder *decoder;
    unsigned n;
    unsigned at;
};

static int on_item_free(const kin_object *object, void *arg, kin_error *err)
{
    struct freeing *freeing = arg;

    (void)object;
    (void)err;
    wait_for_worker();
    if (++freeing->n == freeing->at)
        kin_list_decoder_free(freeing->decoder);
    return 0;
}

static void a_callback_may_free_the_decoder(void **state)
{
    kin__buf text;

    (void)state;
    make_list(&text, "");
    for (unsigned at = 1; at <= ITEMS; at += 3) {
        struct freeing freeing = {NULL, 0, at};
        kin_list_decoder *decoder;
        int code;

        assert_code(kin_list_decoder_new(&decoder, NULL, on_item_free, &freeing, NULL, NULL), 0);
        assert_code(kin__list_decoder_read_ahead(decoder, workers, NULL), 0);
        freeing.decoder = decoder;
        code = kin_list_decoder_feed(decoder, kin_str_make(text.data, 6000), NULL);
        if (code == 0)
            code = kin_list_decoder_feed(decoder, kin_str_make(text.data + 6000, text.len - 6000),
                                         NULL);
        assert_int_equal(code, KIN_ECLOSED);
        assert_int_equal(freeing.n, at);
    }
    kin__buf_done(&text);
}

/* --- watches --- */

static void append_event(kin__buf *text, const char *type, unsigned i, const char *nested)
{
    kin__buf_appendf(text, "{\"type\":\"%s\",\"object\":", type);
    append_item(text, i, nested, ITEM_BYTES + (i * 37) % 500);
    kin__buf_appendf(text, "}\n");
}

static void make_events(kin__buf *text, unsigned n)
{
    static const char *const words[] = {"ADDED", "MODIFIED", "DELETED", "ADDED", "MODIFIED"};

    for (unsigned i = 0; i < n; i++)
        append_event(text, words[i % kin__array_len(words)], i, "");
}

static void watches_are_the_same(void **state)
{
    static const char *const between[] = {
        "",
        "  \n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"9\"}}}\n",
        "{\"object\":{\"metadata\":{\"name\":\"last\"}},\"type\":\"ADDED\"}\n",
        "{\"type\":\"ADDED\",\"object\":{\"a\":1},\"more\":2}\n",
        "{\"type\":\"ADDED\", \"object\" : {\"a\":1} }{\"type\":\"DELETED\",\"object\":{}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"a\":}}\n",
        "{\"type\":\"ODD\",\"object\":{\"a\":1}}\n",
        "{\"type\":\"ADDED\",\"object\":[1]}\n",
        "{\"type\":\"ADDED\"}\n",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(between); i++) {
        for (unsigned at = 5; at < ITEMS; at += 9) {
            kin__buf text;

            kin__buf_init(&text, SIZE_MAX - 1);
            make_events(&text, at);
            kin__buf_appendf(&text, "%s", between[i]);
            make_events(&text, ITEMS - at);
            assert_int_equal(text.failed, 0);
            uint64_t n = assert_same_of(true, kin__buf_str(&text), NULL);

            if (i < 2)
                assert_in_range(n, ITEMS, 3 * ITEMS / 2);
            kin__buf_done(&text);
        }
    }
}

/* An object that has lines in it, which no server writes. */
static void lines_may_begin_anywhere(void **state)
{
    kin__buf nested;
    kin__buf text;

    (void)state;
    kin__buf_init(&nested, SIZE_MAX - 1);
    kin__buf_init(&text, SIZE_MAX - 1);
    kin__buf_appendf(&nested, "{\"a\":{}}");
    for (unsigned i = 0; i < 400; i++)
        kin__buf_appendf(&nested, ",{\"a\":{}\n},{\"b\":{\"x\":{}}\n}");
    for (unsigned i = 0; i < 20; i++) {
        append_event(&text, "ADDED", i, nested.data);
        kin__buf_appendf(&text, "{\"type\":\"ADDED\",\"object\":{\"n\":[1,{}\n,"
                                "{\"type\":\"ADDED\",\"object\":{\"n\":2}}\n"
                                ",{\"type\":\"ADDED\",\"object\":{\"n\":3}}\n]}}\n");
    }
    assert_same_of(true, kin__buf_str(&text), NULL);
    kin__buf_done(&text);
    kin__buf_done(&nested);
}

/* The limit is also one of what stands beside the object. */
static void members_may_be_too_long(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    for (options.max_bytes = 14; options.max_bytes < 24; options.max_bytes++) {
        struct reader plain;
        struct reader ahead;
        kin__buf text;

        kin__buf_init(&text, SIZE_MAX - 1);
        for (unsigned i = 0; i < 20; i++)
            kin__buf_appendf(&text, "{\"type\":\"%s\",\"object\":{}}\n",
                             i == 15  ? "DELETED"
                             : i > 12 ? "MODIFIED"
                                      : "ADDED");
        assert_int_equal(text.failed, 0);
        reader_init(&plain, true, &options);
        watcher_with(&ahead, &options);
        stream_of(&ahead)->ahead_min = 1;
        assert_string_equal(transcript_cut(&ahead, kin__buf_str(&text), NULL, 0),
                            transcript_cut(&plain, kin__buf_str(&text), NULL, 0));
        reader_done(&plain);
        reader_done(&ahead);
        kin__buf_done(&text);
    }
}

/* What reading ahead takes is given back, and taken again. */
static void rests_when_nothing_comes(void **state)
{
    struct reader r;
    kin__buf text;
    size_t before;
    size_t busy;

    (void)state;
    kin__buf_init(&text, SIZE_MAX - 1);
    make_events(&text, ITEMS);
    watcher_with(&r, NULL);
    r.is_silent = true;
    before = kin_test_alloc_live();
    for (unsigned round = 0; round < 2; round++) {
        assert_code(reader_feed(&r, text.data, text.len, NULL), 0);
        busy = kin_test_alloc_live();
        assert_true(busy > before);
        assert_code(reader_feed(&r, "\n", 1, NULL), 0);
        assert_int_equal(kin_test_alloc_live(), busy);
        kin__watch_decoder_rest(r.watch);
        assert_true(kin_test_alloc_live() < busy);
        kin__watch_decoder_rest(r.watch);
    }
    assert_int_equal(r.n_objects, 2 * ITEMS);
    reader_done(&r);
    kin__buf_done(&text);
}

/* --- any text --- */

static int on_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                  kin_error *err)
{
    struct reader *r = arg;

    (void)err;
    kin__buf_appendf(&r->transcript, "bad %s %" KIN_STR_FMT ": %" PRIu64 ": %s\n",
                     kin_watch_type_name(type), KIN_STR_ARG(key), why->offset, why->message);
    return 0;
}

/* What looks like an item or event, and is none, among what is one. */
static void random_object(kin__buf *out, kin_test_rng *rng, unsigned i)
{
    static const char *const parts[] = {
        ",\"spec\":{\"b\":1,\"c\":2}",
        ",\"a\":[{},{\"metadata\":{}},{\"metadata\":{\"name\":\"inner\"}}]",
        ",\"l\":[{}\n,{\"type\":\"ADDED\",\"object\":{}}\n,{\"b\":{}\n}\n]",
        ",\"s\":\"},{\\\"metadata\\\":\"",
        ",\"d\":[[[[[[1]]]]]]",
        ",\"b\":[1,,2]",
        ",\"long\":\"0123456789012345678901234567890123456789\"",
    };

    kin__buf_appendf(out, "{\"metadata\":{\"name\":\"p%u\"}", i);
    for (unsigned n = (unsigned)kin_test_below(rng, 5); n >= 3; n--)
        kin__buf_appendf(out, "%s", parts[kin_test_below(rng, kin__array_len(parts))]);
    if (kin_test_below(rng, 2)) {
        kin__buf_appendf(out, ",\"r\":");
        random_string(out, rng);
    }
    kin__buf_append_char(out, '}');
}

static void random_events(kin__buf *out, kin_test_rng *rng)
{
    static const char *const words[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "ODD"};

    for (unsigned i = 0, n = 2 + (unsigned)kin_test_below(rng, 10); i < n; i++) {
        /* The first are the usual ones, and come most often. */
        uint64_t below = kin_test_below(rng, 4) ? 3 : kin__array_len(words);
        const char *word = words[kin_test_below(rng, below)];
        bool is_last = kin_test_below(rng, 10) == 0;

        kin__buf_appendf(out, is_last ? "{\"object\":" : "{\"type\":\"%s\",\"object\":", word);
        random_object(out, rng, i);
        kin__buf_appendf(out, is_last ? ",\"type\":\"%s\"}\n" : "}\n", word);
    }
}

static void random_list(kin__buf *out, kin_test_rng *rng)
{
    kin__buf_appendf(out, "{\"kind\":\"PodList\",\"items\":[");
    for (unsigned i = 0, n = 2 + (unsigned)kin_test_below(rng, 10); i < n; i++) {
        kin__buf_appendf(out, "%s", i == 0 ? "" : kin_test_below(rng, 8) ? "," : " ,\n");
        random_object(out, rng, i);
    }
    kin__buf_appendf(out, "],\"more\":[{\"a\":{}},{\"metadata\":{}}]}");
}

static void random_text(kin__buf *out, kin_test_rng *rng, bool is_watch)
{
    static const char bytes[] = "{}[],:\"\\\n x0";

    kin__buf_reset(out);
    if (is_watch)
        random_events(out, rng);
    else
        random_list(out, rng);
    assert_int_equal(out->failed, 0);
    if (kin_test_below(rng, 3) == 0)
        out->data[kin_test_below(rng, out->len)] = bytes[kin_test_below(rng, sizeof(bytes) - 1)];
    if (kin_test_below(rng, 6) == 0)
        kin__buf_truncate(out, 1 + (size_t)kin_test_below(rng, out->len));
}

static void skip_bad(struct reader *r)
{
    if (r->watch)
        assert_code(kin_watch_decoder_on_bad(r->watch, on_bad, NULL), 0);
    else
        assert_code(kin_list_decoder_on_bad(r->list, on_bad, NULL), 0);
}

static void check_random(bool is_watch, const kin_decode_options *options, bool skips)
{
    kin_test_rng rng = {7};
    struct reader plain;
    struct reader ahead;
    kin__buf text;

    kin__buf_init(&text, SIZE_MAX - 1);
    reader_init(&plain, is_watch, options);
    if (is_watch)
        watcher_with(&ahead, options);
    else
        reader_with(&ahead, on_item_late, options);
    stream_of(&ahead)->ahead_min = 1;
    if (skips) {
        skip_bad(&plain);
        skip_bad(&ahead);
    }
    for (unsigned i = 0; i < 200; i++) {
        random_text(&text, &rng, is_watch);

        kin_str all = kin__buf_str(&text);
        const char *want = transcript_cut(&plain, all, NULL, 0);

        assert_string_equal(transcript_cut(&ahead, all, NULL, 0), want);
        assert_string_equal(transcript_random(&ahead, all, &rng, 1, all.len), want);
    }
    /* Most that are limited end early. */
    assert_true(count_ahead(&ahead) > 20);
    reader_done(&plain);
    reader_done(&ahead);
    kin__buf_done(&text);
}

/* Whatever the text is, wherever it is cut, and whatever is wanted of it. */
static void any_text_gives_the_same(void **state)
{
    kin_decode_options projected = KIN_DECODE_OPTIONS_INIT;
    kin_decode_options limited = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    assert_code(kin_projection_drop(&projected.projection, kin_str_of("a,spec.b"), NULL), 0);
    projected.kind = "Pod";
    limited.max_bytes = 90;
    limited.max_depth = 5;
    limited.max_string_bytes = 30;
    for (unsigned which = 0; which < 4; which++) {
        check_random(which & 1, NULL, which & 2);
        check_random(which & 1, &projected, which & 2);
        check_random(which & 1, &limited, which & 2);
    }
    kin_projection_unref(projected.projection);
}

/* --- memory --- */

static int read_list(void *arg, kin_error *err)
{
    kin__buf *text = arg;
    kin_list_decoder *decoder;
    struct reader r = {.is_silent = true};
    int code = kin_list_decoder_new(&decoder, NULL, on_item_late, &r, NULL, err);

    if (code < 0)
        return code;
    code = kin__list_decoder_read_ahead(decoder, workers, err);
    if (code == 0)
        code = kin_list_decoder_feed(decoder, kin_str_make(text->data, 6000), err);
    if (code == 0)
        code =
            kin_list_decoder_feed(decoder, kin_str_make(text->data + 6000, text->len - 6000), err);
    if (code == 0)
        code = kin_list_decoder_finish(decoder, NULL, err);
    if (code == 0)
        assert_int_equal(r.n_objects, ITEMS);
    kin_list_decoder_free(decoder);
    wait_for_worker();
    return code;
}

static void memory_may_be_lacking(void **state)
{
    kin__buf text;

    (void)state;
    make_list(&text, "");
    kin_test_fail_each_allocation(read_list, &text);
    kin__buf_done(&text);
}

/* --- the group --- */

static int setup(void **state)
{
    (void)state;
    if (kin__workers_new(&workers, "kin-test", 1, kin_clock_system(), NULL) < 0)
        return -1;
    return kin__workers_start(workers, NULL);
}

static int teardown(void **state)
{
    (void)state;
    kin__workers_free(workers);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_objects_as_far_as_they_are_there),
        cmocka_unit_test(what_no_worker_has_begun_is_taken_back),
        cmocka_unit_test(reads_as_the_other_decoder_does),
        cmocka_unit_test(lists_are_the_same),
        cmocka_unit_test(guesses_may_be_wrong),
        cmocka_unit_test(bad_items_are_found_at_the_same_place),
        cmocka_unit_test(a_busy_worker_changes_nothing),
        cmocka_unit_test(a_callback_may_refuse_any_item),
        cmocka_unit_test(a_callback_may_free_the_decoder),
        cmocka_unit_test(watches_are_the_same),
        cmocka_unit_test(lines_may_begin_anywhere),
        cmocka_unit_test(members_may_be_too_long),
        cmocka_unit_test(rests_when_nothing_comes),
        cmocka_unit_test(any_text_gives_the_same),
        cmocka_unit_test(memory_may_be_lacking),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, setup, teardown);
}
