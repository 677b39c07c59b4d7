/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming decoders: their options and limits, their callbacks, and their life.
 */
#include "stream_support.h"

#include "alloc.h"
#include "base/compiler.h"
#include "object/stream_reader.h"

/* --- options --- */

static void items_get_apiversion_and_kind_and_nothing_else_does(void **state)
{
    static const struct sample lists[] = {
        {"{\"x\":1,\"items\":[{\"a\":1},{\"kind\":\"Other\"}]}",
         "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"a\":1}\n"
         "{\"apiVersion\":\"v1\",\"kind\":\"Other\"}\n{\"x\":1}",
         0},
    };
    static const struct sample watches[] = {
        {"{\"type\":\"ADDED\",\"object\":{\"a\":1}}{\"object\":{},\"type\":\"ERROR\"}",
         "ADDED {\"a\":1}\nERROR {}\nend", 0},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    options.api_version = "v1";
    options.kind = "Pod";
    check_samples(false, &options, lists, 1);
    check_samples(true, &options, watches, 1);
}

static void the_projection_is_for_items_and_changes_only(void **state)
{
#define FULL "{\"kind\":\"P\",\"metadata\":{\"name\":\"n\",\"annotations\":{\"k\":\"v\"}},\"a\":1}"
#define SLIM "{\"kind\":\"P\",\"metadata\":{\"name\":\"n\"},\"a\":1}"
    static const struct sample lists[] = {
        {"{\"metadata\":{\"annotations\":{}},\"items\":[" FULL "," FULL "]}",
         SLIM "\n" SLIM "\n{\"metadata\":{\"annotations\":{}}}", 0},
    };
    static const struct sample watches[] = {
        {"{\"type\":\"ADDED\",\"object\":" FULL "}{\"type\":\"MODIFIED\",\"object\":" FULL "}",
         "ADDED " SLIM "\nMODIFIED " SLIM "\nend", 0},
        {"{\"type\":\"BOOKMARK\",\"object\":" FULL "}{\"type\":\"DELETED\",\"object\":" FULL "}",
         "BOOKMARK " FULL "\nDELETED " SLIM "\nend", 0},
        {"{\"type\":\"ERROR\",\"object\":" FULL "}", "ERROR " FULL "\nend", 0},
        /* The type comes last. */
        {"{\"object\":" FULL ",\"type\":\"ADDED\"}{\"object\":" FULL ",\"type\":\"BOOKMARK\"}",
         "ADDED " SLIM "\nBOOKMARK " FULL "\nend", 0},
        {"{\"object\":" FULL ",\"x\":[1],\"type\":\"ERROR\"}{\"object\":" FULL
         ",\"x\":2,\"type\":\"DELETED\"}",
         "ERROR " FULL "\nDELETED " SLIM "\nend", 0},
        /* What is dropped is checked. */
        {"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"annotations\":{\"a\":01}}}}",
         "KIN_EPARSE: not a number at byte 58", 0},
        {"{\"object\":{\"metadata\":{\"annotations\":{\"a\":01}}},\"type\":\"ADDED\"}",
         "KIN_EPARSE: not a number at byte 43", 0},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection;

    (void)state;
    assert_code(
        kin_projection_drop(&projection, kin_str_of("metadata.annotations,metadata.x"), NULL), 0);
    options.projection = projection;
    check_samples(false, &options, lists, kin__array_len(lists));
    check_samples(true, &options, watches, kin__array_len(watches));
    kin_projection_unref(projection);
#undef FULL
#undef SLIM
}

static void an_item_may_be_as_long_as_the_limit_says(void **state)
{
    static const struct sample samples[] = {
        /* Ten bytes. */
        {"{\"items\":[{\"a\":1234},{\"a\":\"34\"}]}", "{\"a\":1234}\n{\"a\":\"34\"}\n{}", 0},
        {"{\"items\":[{\"a\":12345},{}]}", "KIN_ELIMIT: an object of more than 10 bytes at byte 20",
         0},
        {"{\"items\":[{\"a\":123456", "KIN_ELIMIT: an object of more than 10 bytes at byte 20", 0},
        {"{\"items\":[{\"a\":12345", "KIN_EPARSE: the text ended inside the list at byte 20", 0},
        {"{\"items\":[{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "KIN_ELIMIT: an object of more than 10 bytes at byte 20", 0},
        /* Something is wrong before it is too long. */
        {"{\"items\":[{\"a\":x234567}]}", "KIN_EPARSE: not a value at byte 15", 0},
        {"{\"items\":[{\"a\":1 \"a\"}]}", "KIN_EPARSE: expected ',' or '}' at byte 17", 0},
        {"{\"items\":[{\"a\":\"\xff\"   }]}", "KIN_EPARSE: not UTF-8 at byte 16", 0},
        /* An escape is cut by the limit, or wrong before it. */
        {"{\"items\":[{\"\":\"\\u00e4\"}]}",
         "KIN_ELIMIT: an object of more than 10 bytes at byte 20", 0},
        {"{\"items\":[{\"\":\"\\u0x\"}]}", "KIN_EPARSE: \\u without four hex digits at byte 15", 0},
        {"{\"items\":[{\"\":\"\\u0\"}]}", "KIN_EPARSE: \\u without four hex digits at byte 15", 0},
        /* Space between items is not part of any. */
        {"{\"items\":[                    {}                ,              {\"b\":  2}       ]}",
         "{}\n{\"b\":2}\n{}", 0},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    options.max_bytes = 10;
    check_samples(false, &options, samples, kin__array_len(samples));
}

static void what_stands_beside_the_objects_has_the_same_limit(void **state)
{
    static const struct sample lists[] = {
        {"{\"a\":1234}", "{\"a\":1234}", 0},
        {"{\"a\":1,\"b\":2}", "KIN_ELIMIT: more than 10 bytes beside \"items\" at byte 9", 0},
        {"{\"a\":12345}", "KIN_ELIMIT: more than 10 bytes beside \"items\" at byte 9", 0},
        {"{\"aaaaaaaaaaa", "KIN_ELIMIT: more than 10 bytes beside \"items\" at byte 9", 0},
        {"{\"a\":        1}", "KIN_ELIMIT: more than 10 bytes beside \"items\" at byte 9", 0},
        {"{                  \"a\":1                     ",
         "KIN_ELIMIT: more than 10 bytes beside "
         "\"items\" at byte 27",
         0},
    };
    static const struct sample watches[] = {
        /* Each member for itself. */
        {"{\"type\":\"ADDED\",\"a\":12345678901,\"b\":12345678901,\"object\":{}}", "ADDED {}\nend",
         0},
        {"{\"type\":\"ADDED\",\"a\":123456789012,\"object\":{}}",
         "KIN_ELIMIT: more than 17 bytes beside \"object\" at byte 31", 0},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    options.max_bytes = 10;
    check_samples(false, &options, lists, kin__array_len(lists));
    options.max_bytes = 17;
    check_samples(true, &options, watches, kin__array_len(watches));
    options.max_bytes = 16;
    check_samples(false, &options,
                  &(struct sample){"{\"a\":1,\"items\":[{\"b\":1234}],\"\":2345678}",
                                   "{\"b\":1234}\n"
                                   "KIN_ELIMIT: more than 16 bytes beside \"items\" at byte 36",
                                   0},
                  1);
    /* Not even the smallest breaks anything. */
    options.max_bytes = 1;
    check_samples(false, &options,
                  &(struct sample){"{\"items\":[]}",
                                   "KIN_ELIMIT: more than 1 bytes beside \"items\" at byte 1", 0},
                  1);
}

static void depth_and_strings_have_limits_in_items_and_beside_them(void **state)
{
    static const struct sample samples[] = {
        {"{\"a\":[[]],\"items\":[{\"a\":[[]]}]}", "{\"a\":[[]]}\n{\"a\":[[]]}", 0},
        {"{\"a\":[[[]]],\"items\":[]}", "KIN_ELIMIT: nested too deep at byte 7", 0},
        {"{\"items\":[{\"a\":[[[]]]}]}", "KIN_ELIMIT: nested too deep at byte 17", 0},
        {"{\"items\":[{\"a\":\"12345\"},{\"a\":\"123456\"}]}",
         "{\"a\":\"12345\"}\nKIN_ELIMIT: string too long at byte 29", 0},
        {"{\"a\":\"123456\"}", "KIN_ELIMIT: string too long at byte 5", 0},
        /* Integers fit, also where a piece ends among their digits; {} lets that be tried. */
        {"{\"items\":[{},{\"a\":1234567},{\"a\":1.2345}]}",
         "{}\n{\"a\":1234567}\nKIN_ELIMIT: number too long at byte 32", 0},
        {"{\"items\":[{},{\"a\":1.23456e}]}", "{}\nKIN_EPARSE: not a number at byte 26", 0},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    options.max_depth = 3;
    options.max_string_bytes = 5;
    check_samples(false, &options, samples, kin__array_len(samples));
}

static int refuse_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    (void)err;
    return KIN_EINVAL;
}

static int refuse_event(enum kin_watch_type type, const kin_object *object, void *arg,
                        kin_error *err)
{
    (void)type;
    return refuse_item(object, arg, err);
}

static void count_call(void *arg)
{
    ++*(unsigned *)arg;
}

static void wrong_arguments_are_refused(void **state)
{
    size_t before = kin_test_alloc_live();
    kin_decode_options options[3] = {KIN_DECODE_OPTIONS_INIT, KIN_DECODE_OPTIONS_INIT,
                                     KIN_DECODE_OPTIONS_INIT};
    kin_list_decoder *list = NULL;
    kin_watch_decoder *watch = NULL;
    unsigned freed = 0;

    (void)state;
    options[0].max_bytes = (size_t)KIN_DECODE_MAX_BYTES_LIMIT + 1;
    options[1].max_depth = KIN_DEPTH_MAX + 1;
    options[2].size = 0;
    for (size_t i = 0; i < kin__array_len(options); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_list_decoder_new(&list, &options[i], refuse_item, &freed, count_call, &err),
                    KIN_EINVAL);
        assert_int_equal(err.code, KIN_EINVAL);
        assert_code(
            kin_watch_decoder_new(&watch, &options[i], refuse_event, &freed, count_call, &err),
            KIN_EINVAL);
    }
    assert_code(kin_list_decoder_new(&list, NULL, NULL, &freed, count_call, NULL), KIN_EINVAL);
    assert_code(kin_watch_decoder_new(&watch, NULL, NULL, &freed, count_call, NULL), KIN_EINVAL);
    assert_null(list);
    assert_null(watch);
    assert_int_equal(freed, 0);
    assert_int_equal(kin_test_alloc_live(), before);
    kin_list_decoder_free(NULL);
    kin_watch_decoder_free(NULL);
}

/* --- the life of a decoder --- */

static void a_callback_can_stop_the_decoding(void **state)
{
    const char *texts[] = {"{\"items\":[{},{},{},{}]}",
                           "{\"type\":\"ADDED\",\"object\":{}}{\"type\":\"ADDED\",\"object\":{}}"};

    (void)state;
    for (int is_watch = 0; is_watch <= 1; is_watch++) {
        kin_error err = KIN_ERROR_INIT;
        const char *text = texts[is_watch];
        struct reader r;

        reader_init(&r, is_watch, NULL);
        r.fail_at = 2;
        r.fail_code = KIN_EBUSY;
        assert_code(reader_feed(&r, text, strlen(text), &err), KIN_EBUSY);
        assert_string_equal(err.message, "object 2 is not wanted");
        assert_int_equal(r.n_objects, 2);
        /* From then on it says the same, and calls nobody. */
        assert_code(reader_feed(&r, text, strlen(text), &err), KIN_EBUSY);
        assert_string_equal(err.message, "object 2 is not wanted");
        assert_code(reader_feed(&r, "", 0, NULL), KIN_EBUSY);
        assert_int_equal(r.n_objects, 2);
        if (is_watch)
            assert_code(kin_watch_decoder_finish(r.watch, NULL), KIN_EBUSY);
        else
            assert_code(kin_list_decoder_finish(r.list, NULL, NULL), KIN_EBUSY);

        /* A callback that says nothing does not leave an older message standing. */
        reader_reset(&r);
        r.fails_silently = true;
        assert_code(reader_feed(&r, text, strlen(text), &err), KIN_EBUSY);
        assert_string_equal(err.message, "the callback failed");
        kin_error_set(&err, KIN_ERANGE, "long ago");
        reader_reset(&r);
        r.fail_code = KIN_ERANGE;
        assert_code(reader_feed(&r, text, strlen(text), &err), KIN_ERANGE);
        assert_int_equal(err.code, KIN_ERANGE);
        assert_string_equal(err.message, "the callback failed");
        reader_reset(&r);
        assert_code(reader_feed(&r, text, strlen(text), NULL), KIN_ERANGE);

        /* Positive means nothing. */
        reader_reset(&r);
        r.fail_code = 1;
        assert_code(reader_feed(&r, text, strlen(text), NULL), 0);
        assert_int_equal(r.n_objects, is_watch ? 2 : 4);
        reader_done(&r);
    }
}

/* What it leaves in `err` when it goes on. */
static int complain_and_go_on(const kin_object *object, void *arg, kin_error *err)
{
    unsigned *n = arg;

    (void)object;
    assert_non_null(err);
    assert_int_equal(err->code, 0);
    assert_string_equal(err->message, "");
    kin_error_set(err, KIN_ERANGE, "object %u", ++*n);
    return *n < 3 ? 0 : KIN_ERANGE;
}

static void callbacks_get_an_empty_error_and_callers_see_failures_only(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_list_decoder *decoder;
    unsigned n = 0;

    (void)state;
    kin_error_set(&err, KIN_ETIMEOUT, "of another call");
    assert_code(kin_list_decoder_new(&decoder, NULL, complain_and_go_on, &n, NULL, NULL), 0);
    assert_code(kin_list_decoder_feed(decoder, kin_str_of("{\"items\":[{},{}"), &err), 0);
    assert_string_equal(err.message, "of another call");
    assert_code(kin_list_decoder_feed(decoder, kin_str_of(",{}"), &err), KIN_ERANGE);
    assert_string_equal(err.message, "object 3");
    kin_list_decoder_free(decoder);
}

static void a_failed_decoder_says_the_same_until_it_is_reset(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *list = NULL;
    struct reader r;

    (void)state;
    reader_init(&r, false, NULL);
    assert_code(reader_feed(&r, "{\"items\":[{}x", 13, &err), KIN_EPARSE);
    assert_int_equal(err.offset, 12);
    /* With all that there is to say about it, to whoever asks. */
    kin_error again = KIN_ERROR_INIT;
    kin_error at_end = KIN_ERROR_INIT;
    assert_code(reader_feed(&r, "]}", 2, &again), KIN_EPARSE);
    assert_memory_equal(&again, &err, sizeof(err));
    assert_code(kin_list_decoder_finish(r.list, &list, &at_end), KIN_EPARSE);
    assert_memory_equal(&at_end, &err, sizeof(err));
    assert_null(list);
    reader_reset(&r);
    assert_code(reader_feed(&r, "{\"items\":[{}]}", 14, &err), 0);
    assert_int_equal(r.n_objects, 1);
    assert_code(kin_list_decoder_finish(r.list, &list, &err), 0);
    assert_non_null(list);
    kin_object_unref(list);
    reader_done(&r);
}

static void a_finished_decoder_is_closed_until_it_is_reset(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *list = NULL;
    struct reader r;

    (void)state;
    reader_init(&r, false, NULL);
    assert_code(reader_feed(&r, "{}", 2, &err), 0);
    assert_code(kin_list_decoder_finish(r.list, NULL, &err), 0);
    assert_code(kin_list_decoder_finish(r.list, &list, &err), KIN_ECLOSED);
    assert_int_equal(err.code, KIN_ECLOSED);
    assert_null(list);
    assert_code(reader_feed(&r, " ", 1, &err), KIN_ECLOSED);
    /* The next page: nothing of the one before is left. */
    reader_reset(&r);
    assert_string_equal(transcript_cut(&r, kin_str_of("{\"a\":1}"), NULL, 0), "{\"a\":1}");
    assert_string_equal(transcript_cut(&r, kin_str_of("{\"b\":1}"), NULL, 0), "{\"b\":1}");
    reader_done(&r);

    reader_init(&r, true, NULL);
    assert_code(kin_watch_decoder_finish(r.watch, &err), 0);
    assert_code(kin_watch_decoder_finish(r.watch, &err), KIN_ECLOSED);
    assert_code(reader_feed(&r, " ", 1, &err), KIN_ECLOSED);
    reader_reset(&r);
    assert_code(reader_feed(&r, " ", 1, &err), 0);
    reader_done(&r);
}

/* Whatever comes behind it, which may be for ever: brackets and quotes do not count any more. */
static void what_is_no_json_is_found_out_where_it_stands(void **state)
{
    static const struct {
        const char *text; /* the last byte is wrong */
        const char *message;
    } streams[] = {
        {"{\"type\":\"ADDED\",\"object\":{\"a\":\"b\x01", "control character in a string"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":\"b\n", "control character in a string"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":\xff", "not a value"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":1,\x02", "expected a key"},
        {"{\"type\":\"ADDED\",\"object\":{\"a\x03", "control character in a string"},
        {"{\"ty\x04", "control character in a string"},
        {"{\"type\":\"ADD\x05", "control character in a string"},
        {"{\"type\":\x80", "not a value"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(streams); i++) {
        size_t len = strlen(streams[i].text);
        kin_watch_decoder *decoder = NULL;
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_watch_decoder_new(&decoder, NULL, refuse_event, NULL, NULL, NULL), 0);
        for (size_t at = 0; at + 1 < len; at++)
            assert_code(
                kin_watch_decoder_feed(decoder, kin_str_make(streams[i].text + at, 1), NULL), 0);
        assert_code(
            kin_watch_decoder_feed(decoder, kin_str_make(streams[i].text + len - 1, 1), &err),
            KIN_EPARSE);
        if (!strstr(err.message, streams[i].message))
            fail_msg("%zu: %s", i, err.message);
        kin_watch_decoder_free(decoder);
    }
}

static void reset_forgets_what_was_begun(void **state)
{
    static const char event[] =
        "{\"x\":[1],\"type\":\"ADDED\",\"object\":{\"a\":{\"b\":1}},\"y\":2}";
    static const char list[] = "{\"x\":[1],\"items\":[{\"a\":{\"b\":1}}, {}], \"y\":2}";
    size_t before = kin_test_alloc_live();
    struct reader r;

    (void)state;
    for (size_t n = 0; n < sizeof(event); n++) {
        reader_init(&r, true, NULL);
        assert_code(reader_feed(&r, event, n, NULL), 0);
        assert_string_equal(
            transcript_cut(&r, kin_str_of("{\"object\":{},\"type\":\"ERROR\"}"), NULL, 0),
            "ERROR {}\nend");
        assert_code(kin_watch_decoder_reset(r.watch, NULL), 0);
        assert_code(reader_feed(&r, event, n, NULL), 0);
        reader_done(&r);
    }
    for (size_t n = 0; n < sizeof(list); n++) {
        reader_init(&r, false, NULL);
        assert_code(reader_feed(&r, list, n, NULL), 0);
        assert_string_equal(transcript_cut(&r, kin_str_of("{\"items\":[{}]}"), NULL, 0), "{}\n{}");
        assert_code(kin_list_decoder_reset(r.list, NULL), 0);
        assert_code(reader_feed(&r, list, n, NULL), 0);
        reader_done(&r);
    }
    assert_int_equal(kin_test_alloc_live(), before);
}

static void feeding_nothing_does_nothing(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct reader r;

    (void)state;
    reader_init(&r, false, NULL);
    assert_code(kin_list_decoder_feed(r.list, kin_str_make(NULL, 0), &err), 0);
    assert_code(reader_feed(&r, "{\"items\":[{\"a", 13, &err), 0);
    assert_code(kin_list_decoder_feed(r.list, kin_str_make(NULL, 0), &err), 0);
    assert_code(reader_feed(&r, "\":1}]}", 6, &err), 0);
    assert_int_equal(err.code, 0);
    assert_int_equal(r.n_objects, 1);
    reader_done(&r);
}

/* The other calls, from within the callback. */
struct meddler {
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    bool frees;
    unsigned calls;
    unsigned freed;
};

static int meddle_item(const kin_object *object, void *arg, kin_error *err)
{
    struct meddler *m = arg;
    const kin_object *list = NULL;

    (void)object;
    (void)err;
    m->calls++;
    assert_code(kin_list_decoder_feed(m->list, kin_str_of("]"), NULL), KIN_EBUSY);
    assert_code(kin_list_decoder_finish(m->list, &list, NULL), KIN_EBUSY);
    assert_code(kin_list_decoder_reset(m->list, NULL), KIN_EBUSY);
    assert_null(list);
    if (m->frees)
        kin_list_decoder_free(m->list);
    assert_int_equal(m->freed, 0);
    return 0;
}

static int meddle_event(enum kin_watch_type type, const kin_object *object, void *arg,
                        kin_error *err)
{
    struct meddler *m = arg;

    (void)type;
    (void)object;
    (void)err;
    m->calls++;
    assert_code(kin_watch_decoder_feed(m->watch, kin_str_of("]"), NULL), KIN_EBUSY);
    assert_code(kin_watch_decoder_finish(m->watch, NULL), KIN_EBUSY);
    assert_code(kin_watch_decoder_reset(m->watch, NULL), KIN_EBUSY);
    if (m->frees)
        kin_watch_decoder_free(m->watch);
    assert_int_equal(m->freed, 0);
    return 0;
}

static void count_meddler(void *arg)
{
    ((struct meddler *)arg)->freed++;
}

static void callbacks_can_not_use_their_decoder_but_can_free_it(void **state)
{
    const char *list = "{\"items\":[{},{}]}";
    const char *watch = "{\"type\":\"ADDED\",\"object\":{}}{\"type\":\"ADDED\",\"object\":{}}";
    size_t before = kin_test_alloc_live();

    (void)state;
    for (int frees = 0; frees <= 1; frees++) {
        struct meddler a = {.frees = frees};
        struct meddler b = {.frees = frees};
        kin_error err = KIN_ERROR_INIT;
        int expected = frees ? KIN_ECLOSED : 0;

        assert_code(kin_list_decoder_new(&a.list, NULL, meddle_item, &a, count_meddler, NULL), 0);
        assert_code(kin_list_decoder_feed(a.list, kin_str_of(list), &err), expected);
        assert_int_equal(err.code, expected);
        assert_int_equal(a.calls, frees ? 1 : 2);
        assert_int_equal(a.freed, frees);
        if (!frees)
            kin_list_decoder_free(a.list);
        assert_int_equal(a.freed, 1);

        assert_code(kin_watch_decoder_new(&b.watch, NULL, meddle_event, &b, count_meddler, NULL),
                    0);
        assert_code(kin_watch_decoder_feed(b.watch, kin_str_of(watch), &err), expected);
        assert_int_equal(b.calls, frees ? 1 : 2);
        if (!frees)
            kin_watch_decoder_free(b.watch);
        assert_int_equal(b.freed, 1);
    }
    assert_int_equal(kin_test_alloc_live(), before);
}

static int keep_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    *(const kin_object **)arg = kin_object_ref(object);
    return 0;
}

static void a_kept_object_outlives_its_decoder(void **state)
{
    const char *text = "{\"items\":[{\"metadata\":{\"namespace\":\"team-a\",\"name\":\"web\"}}]}";
    const kin_object *object = NULL;
    kin_list_decoder *decoder;

    (void)state;
    assert_code(kin_list_decoder_new(&decoder, NULL, keep_item, &object, NULL, NULL), 0);
    assert_code(kin_list_decoder_feed(decoder, kin_str_of(text), NULL), 0);
    kin_list_decoder_free(decoder);
    assert_non_null(object);
    assert_string_equal(kin_object_key(object), "team-a/web");
    kin_object_unref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_get_apiversion_and_kind_and_nothing_else_does),
        cmocka_unit_test(the_projection_is_for_items_and_changes_only),
        cmocka_unit_test(an_item_may_be_as_long_as_the_limit_says),
        cmocka_unit_test(what_stands_beside_the_objects_has_the_same_limit),
        cmocka_unit_test(depth_and_strings_have_limits_in_items_and_beside_them),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_callback_can_stop_the_decoding),
        cmocka_unit_test(callbacks_get_an_empty_error_and_callers_see_failures_only),
        cmocka_unit_test(a_failed_decoder_says_the_same_until_it_is_reset),
        cmocka_unit_test(a_finished_decoder_is_closed_until_it_is_reset),
        cmocka_unit_test(what_is_no_json_is_found_out_where_it_stands),
        cmocka_unit_test(reset_forgets_what_was_begun),
        cmocka_unit_test(feeding_nothing_does_nothing),
        cmocka_unit_test(callbacks_can_not_use_their_decoder_but_can_free_it),
        cmocka_unit_test(a_kept_object_outlives_its_decoder),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
