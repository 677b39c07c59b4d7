/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and watches in protobuf give the same objects and errors at every cut.
 */
#include "stream_support.h"

#include "alloc.h"
#include "object/protobuf.h"
#include "object/stream_reader.h"
#include "oom.h"
#include "protobuf_support.h"

/* A list of ConfigMaps: `words` are the fields of its message. */
static void make_list(kin__buf *out, const char *kind, const char *words)
{
    kin_test_pb_body_of(out, "v1", kind, words);
}

/* Append an event whose object has these fields. */
static void add_event(kin__buf *out, const char *type, const char *kind, const char *words)
{
    kin_test_pb_append_event(out, type, "v1", kind, words);
}

static void check(bool is_watch, const kin_decode_options *options, const kin__buf *bytes,
                  const char *expected)
{
    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    struct reader r;

    if (options)
        all = *options;
    all.encoding = KIN_ENCODING_PROTOBUF;
    reader_init(&r, is_watch, &all);
    check_all_cuts(&r, kin_str_make(bytes->data, bytes->len), expected);
    reader_done(&r);
}

static void check_list(const kin_decode_options *options, const char *kind, const char *words,
                       const char *expected)
{
    kin__buf bytes;

    make_list(&bytes, kind, words);
    check(false, options, &bytes, expected);
    kin__buf_done(&bytes);
}

#define HEAD "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":"

static void lists(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    check_list(NULL, "ConfigMapList", "1{ 2:7 3:more 4=5 } 2{ 1{ 1:a } } 2{ } 2{ 2{ 1:k 2:v } }",
               "{\"metadata\":{\"name\":\"a\"}}\n{}\n{\"data\":{\"k\":\"v\"}}\n" HEAD
               "{\"resourceVersion\":\"7\",\"continue\":\"more\",\"remainingItemCount\":5}}");
    check_list(NULL, "ConfigMapList", "1{ 2:7 }", HEAD "{\"resourceVersion\":\"7\"}}");
    check_list(NULL, "ConfigMapList", "", HEAD "{}}");
    /* The metadata comes last, and in pieces. */
    check_list(NULL, "ConfigMapList", "2{ } 1{ 2:7 } 1{ 3:c }",
               "{}\n" HEAD "{\"resourceVersion\":\"7\",\"continue\":\"c\"}}");
    options.api_version = "v1";
    options.kind = "ConfigMap";
    check_list(&options, "ConfigMapList", "2{ 4=1 }",
               "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"immutable\":true}\n" HEAD "{}}");
}

/* Something else than a list is the head. */
static void a_status_instead(void **state)
{
    (void)state;
    check_list(NULL, "Status", "2:Failure 3:no 4:Expired 6=410",
               "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
               "\"message\":\"no\",\"reason\":\"Expired\",\"code\":410}");
}

static void projected(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    kin__buf events;

    (void)state;
    assert_code(
        kin_projection_drop(&projection, kin_str_of(".metadata.managedFields,.data.a"), NULL), 0);
    options.projection = projection;
    /* What is dropped is not looked at. */
    check_list(&options, "ConfigMapList",
               "2{ 1{ 1:n 17{ 9=1 } } 2{ 1:a 2:x } 2{ 1:b 2:y } } 2{ 2{ 1:a 2:x } }",
               "{\"metadata\":{\"name\":\"n\"},\"data\":{\"b\":\"y\"}}\n{\"data\":{}}\n" HEAD
               "{}}");
    kin__buf_init(&events, KIN_TEST_PROTOBUF_MAX);
    add_event(&events, "ADDED", "ConfigMap", "2{ 1:a 2:x }");
    add_event(&events, "BOOKMARK", "ConfigMap", "2{ 1:a 2:x }");
    check(true, &options, &events,
          "ADDED {\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"data\":{}}\n"
          "BOOKMARK {\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"data\":{\"a\":\"x\"}}\nend");
    kin__buf_done(&events);
    kin_projection_unref(projection);
}

static void kept(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;

    (void)state;
    assert_code(kin_projection_keep(
                    &projection,
                    kin_str_of(".metadata.name,.data.b,.spec.containers[*].image,.spec.volumes"),
                    NULL),
                0);
    options.projection = projection;
    check_list(&options, "ConfigMapList", "2{ 1{ 1:n 2:g 3:ns } 2{ 1:a 2:x } 2{ 1:b 2:y } 4=1 }",
               "{\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\"},\"data\":{\"b\":\"y\"}}\n" HEAD
               "{}}");
    check_list(&options, "PodList",
               "2{ 1{ 1:n 8{ 1=5 } } 2{ 1{ 1:v 2{ 1{ 1:/x } } } 2{ 1:c 2:i 5:w } 3:Always } }",
               "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"volumes\":[{\"name\":\"v\",\"hostPath\":"
               "{\"path\":\"/x\"}}],\"containers\":[{\"image\":\"i\"}]}}\n"
               "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{}}");
    kin_projection_unref(projection);
}

/* A projection that wants parts of a value keeps it also if it cannot judge the value. */
static void kept_without_a_verdict(void **state)
{
    static const struct {
        const char *words;
        const char *expected;
    } cases[] = {
        {"2{ 2{ 1:{\"a\":1} } 3=5 }",
         "{\"data\":{\"a\":1}}\n{\"kind\":\"ControllerRevisionList\",\"apiVersion\":\"apps/v1\","
         "\"metadata\":{}}"},
        /* In pieces: the last one counts. */
        {"2{ 2{ 1:1 1:{\"a\":2,\"b\":3} } 3=5 }",
         "{\"data\":{\"a\":2}}\n{\"kind\":\"ControllerRevisionList\",\"apiVersion\":\"apps/v1\","
         "\"metadata\":{}}"},
        {"2{ 2{ 1:{\"a\":1} 2=7 } }",
         "KIN_EPROTOCOL: the object has a protobuf field, number 2, that is newer than this library"},
        /* Values without elements are dropped, and the kept parts are empty. */
        {"2{ 2{ 1:7 } }",
         "{}\n{\"kind\":\"ControllerRevisionList\",\"apiVersion\":\"apps/v1\",\"metadata\":{}}"},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;

    (void)state;
    assert_code(kin_projection_keep(&projection, kin_str_of(".data.a"), NULL), 0);
    options.projection = projection;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__buf bytes;

        kin_test_pb_body_of(&bytes, "apps/v1", "ControllerRevisionList", cases[i].words);
        check(false, &options, &bytes, cases[i].expected);
        kin__buf_done(&bytes);
    }
    kin_projection_unref(projection);
}

#define EVENT "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\""

static void watches(void **state)
{
    kin__buf events;

    (void)state;
    kin__buf_init(&events, KIN_TEST_PROTOBUF_MAX);
    check(true, NULL, &events, "end");
    add_event(&events, "ADDED", "ConfigMap", "1{ 1:a 6:1 }");
    add_event(&events, "DELETED", "ConfigMap", "1{ 1:a 6:2 }");
    add_event(&events, "ERROR", "Status", "2:Failure 6=410");
    check(true, NULL, &events,
          "ADDED " EVENT ",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}\n"
          "DELETED " EVENT ",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"2\"}}\n"
          "ERROR {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
          "\"code\":410}\nend");
    kin__buf_done(&events);
}

/* --- what is wrong --- */

static void check_wrong(bool is_watch, const char *hex, const char *expected)
{
    char words[256];
    kin__buf bytes;

    snprintf(words, sizeof(words), "!%s", hex);
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    if (hex[0])
        kin_test_pb_append(&bytes, words);
    check(is_watch, NULL, &bytes, expected);
    kin__buf_done(&bytes);
}

static void malformed(void **state)
{
    (void)state;
    check_wrong(false, "", "KIN_EPARSE: the text ended inside the list at byte 0");
    check_wrong(false, "6b38", "KIN_EPARSE: the text ended inside the list at byte 2");
    check_wrong(false, "6b387301", "KIN_EPARSE: not an object in protobuf at byte 0");
    check_wrong(false, "7b7d2020", "KIN_EPARSE: not an object in protobuf at byte 0");
    check_wrong(false, "6b387300", "KIN_EPARSE: the text ended inside the list at byte 4");
    check_wrong(false, "6b387300ffffffffffffffffffff01", "KIN_EPARSE: proto: integer overflow");
    check_wrong(false, "6b3873000801", "KIN_EPARSE: a malformed envelope at byte 5");
    /* A list that is longer than its envelope. */
    check_wrong(false, "6b3873000a080a0276311202506f",
                "KIN_EPARSE: the text ended inside the list at byte 14");
    check_wrong(true, "00000000", "KIN_EPARSE: an event without a type");
    check_wrong(true, "000000070a054144444544", "KIN_EPARSE: an event without an object");
    check_wrong(true, "000000050a03414243", "KIN_EPARSE: an event of unknown type");
    check_wrong(true, "0000000812", "KIN_EPARSE: the stream ended inside an event at byte 5");
}

static void items_beyond_the_list(void **state)
{
    kin__buf bytes;

    (void)state;
    make_list(&bytes, "ConfigMapList", "2{ 1{ 1:a } } !1207");
    check(false, NULL, &bytes,
          "{\"metadata\":{\"name\":\"a\"}}\nKIN_EPARSE: a value goes beyond the list at byte 36");
    kin__buf_done(&bytes);
}

/* Fields and kinds that the tables lack: nothing is lost in silence. */
static void newer(void **state)
{
    static const struct {
        const char *kind;
        const char *words;
        const char *expected;
    } cases[] = {
        {"ConfigMapList", "2{ 1{ 1:a } } 2{ 1{ 1:b 99:x } }",
         "{\"metadata\":{\"name\":\"a\"}}\nKIN_EPROTOCOL: \"metadata\" has a protobuf field, number "
         "99, that is newer than this library"},
        {"ConfigMapList", "1{ 99=1 }",
         "KIN_EPROTOCOL: \"metadata\" has a protobuf field, number 99, that is newer than this "
         "library"},
        {"ConfigMapList", "3{ }",
         "KIN_EPROTOCOL: a list has a protobuf field that is newer than this library"},
        {"ThingList", "2{ }", "KIN_EPROTOCOL: no protobuf is known of the kind ThingList"},
        {"Thing", "2{ }", "KIN_EPROTOCOL: no protobuf is known of the kind Thing"},
        {"Status", "99:x",
         "KIN_EPROTOCOL: the object has a protobuf field, number 99, that is newer than this "
         "library"},
        /* The message has to be put in order first. */
        {"ConfigMapList", "2{ 4=1 1{ 1:a } 99=1 }",
         "KIN_EPROTOCOL: the object has a protobuf field that is newer than this library"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
        kin__buf bytes;
        struct reader r;

        check_list(NULL, cases[i].kind, cases[i].words, cases[i].expected);
        make_list(&bytes, cases[i].kind, cases[i].words);
        options.encoding = KIN_ENCODING_PROTOBUF;
        reader_init(&r, false, &options);
        transcript_cut(&r, kin__buf_str(&bytes), NULL, 0);
        assert_true(kin__list_decoder_needs_json(r.list));
        reader_reset(&r);
        assert_false(kin__list_decoder_needs_json(r.list));
        reader_done(&r);
        kin__buf_done(&bytes);
    }
}

static int skip_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                    kin_error *err)
{
    struct reader *r = arg;

    (void)err;
    kin__buf_appendf(&r->transcript, "bad %d %" KIN_STR_FMT " %s\n", (int)type, KIN_STR_ARG(key),
                     kin_error_name(why->code));
    return 0;
}

static void bad_objects_are_skipped(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reader r;
    kin__buf bytes;

    (void)state;
    options.encoding = KIN_ENCODING_PROTOBUF;
    options.max_bytes = 40;
    make_list(&bytes, "ConfigMapList",
              "2{ 1{ 1:a } } 2{ 1{ 1:b 3:ns } 4:x } 2{ 1{ 1:c } 2{ 1:k "
              "2:0123456789012345678901234567890123456789 } } 2{ 1{ 1:d } }");
    reader_init(&r, false, &options);
    assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes),
                   "{\"metadata\":{\"name\":\"a\"}}\nbad 0 ns/b KIN_EPARSE\n"
                   "bad 0 c KIN_ELIMIT\n{\"metadata\":{\"name\":\"d\"}}\n" HEAD "{}}");
    reader_done(&r);
    kin__buf_done(&bytes);

    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    add_event(&bytes, "MODIFIED", "ConfigMap", "1{ 1:b 3:ns } 4:x");
    add_event(&bytes, "ADDED", "ConfigMap", "1{ 1:d }");
    reader_init(&r, true, &options);
    assert_code(kin_watch_decoder_on_bad(r.watch, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes),
                   "bad 2 ns/b KIN_EPARSE\nADDED " EVENT ",\"metadata\":{\"name\":\"d\"}}\nend");
    reader_done(&r);
    kin__buf_done(&bytes);
}

/* An event that is much too long is not collected. */
static void long_events_are_skipped(void **state)
{
    enum { LENGTH = 3000 };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    char words[LENGTH + 64];
    struct reader r;
    kin__buf bytes;

    (void)state;
    options.encoding = KIN_ENCODING_PROTOBUF;
    options.max_bytes = 100;
    memset(words, 'x', sizeof(words));
    memcpy(words, "1{ 1:b } 2{ 1:k 2:", 18);
    memcpy(words + LENGTH, " }", 3);
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    add_event(&bytes, "DELETED", "ConfigMap", words);
    add_event(&bytes, "ADDED", "ConfigMap", "1{ 1:d }");
    reader_init(&r, true, &options);
    assert_code(kin_watch_decoder_on_bad(r.watch, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes),
                   "bad 3 b KIN_ELIMIT\nADDED " EVENT ",\"metadata\":{\"name\":\"d\"}}\nend");
    reader_done(&r);
    kin__buf_done(&bytes);
}

/* An object that is too long, and not longer than the beginning that says whose it is, is the end of the body. */
static void a_long_object_comes_last(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reader r;
    kin__buf bytes;

    (void)state;
    options.encoding = KIN_ENCODING_PROTOBUF;
    options.max_bytes = 30;
    make_list(&bytes, "ConfigMapList", "2{ 1{ 1:b } 2{ 1:k 2:01234567890123456789 } }");
    /* Without the two fields of the envelope after the list. */
    kin__buf_truncate(&bytes, bytes.len - 4);
    reader_init(&r, false, &options);
    assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes), "bad 0 b KIN_ELIMIT\n" HEAD "{}}");
    reader_done(&r);
    kin__buf_done(&bytes);
}

/* The key of an object of which only the beginning is read: none rather than a wrong one. */
static void keys_that_are_cut(void **state)
{
    static const struct {
        unsigned fill;     /* bytes of generateName */
        const char *after; /* in the metadata */
        const char *key;
    } cases[] = {
        {10, "3:ns 5:uid", "ns/b"},
        {10, "5:uid", "b"},
        /* The namespace is beyond what is read, or partly. */
        {1015, "3:ns 5:uid", ""},
        {1009, "3:namespace 5:uid", ""},
        {1010, "3:n 5:uid", "n/b"},
        {1012, "3:n 5:uid", ""},
        {10, "3#ff 5:uid", ""},
        {10, "3#6100 5:uid", ""},
    };
    enum { BEGINNING = 1024 };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
        char words[8192];
        char expected[512];
        char text[BEGINNING + 1];
        struct reader r;
        kin__buf bytes;

        memset(text, 'x', sizeof(text));
        text[cases[i].fill] = '\0';
        /* The labels go beyond the beginning. */
        snprintf(words, sizeof(words), "2{ 1{ 1:b 2:%s %s 11{ 1:%01500d } } } 2{ 1{ 1:d } }", text,
                 cases[i].after, 0);
        snprintf(expected, sizeof(expected),
                 "bad 0 %s KIN_ELIMIT\n{\"metadata\":{\"name\":\"d\"}}\n" HEAD "{}}", cases[i].key);
        options.encoding = KIN_ENCODING_PROTOBUF;
        options.max_bytes = 100;
        make_list(&bytes, "ConfigMapList", words);
        reader_init(&r, false, &options);
        assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
        assert_string_equal(transcript_cut(&r, kin__buf_str(&bytes), NULL, 0), expected);
        reader_done(&r);
        kin__buf_done(&bytes);
    }
}

/* --- no memory --- */

static int read_all(void *arg, kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin__buf *bytes = arg;
    kin_list_decoder *decoder = NULL;
    struct reader r = {.is_silent = true};
    const kin_object *list = NULL;
    int code;

    options.encoding = KIN_ENCODING_PROTOBUF;
    code = kin_list_decoder_new(&decoder, &options, on_item, &r, NULL, err);
    for (size_t i = 0; i < bytes->len && code == 0; i += 7)
        code = kin_list_decoder_feed(
            decoder, kin_str_make(bytes->data + i, bytes->len - i < 7 ? bytes->len - i : 7), err);
    if (code == 0)
        code = kin_list_decoder_finish(decoder, &list, err);
    kin_object_unref(list);
    kin_list_decoder_free(decoder);
    return code;
}

static void no_memory(void **state)
{
    kin__buf bytes;

    (void)state;
    make_list(&bytes, "PodList",
              "1{ 2:7 } 2{ 1{ 1:a 11{ 1:k 2:v } } 2{ 2{ 1:c } } } 2{ 1{ 1:b } }");
    kin_test_fail_each_allocation(read_all, &bytes);
    kin__buf_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(a_status_instead),
        cmocka_unit_test(projected),
        cmocka_unit_test(kept),
        cmocka_unit_test(kept_without_a_verdict),
        cmocka_unit_test(watches),
        cmocka_unit_test(malformed),
        cmocka_unit_test(items_beyond_the_list),
        cmocka_unit_test(newer),
        cmocka_unit_test(bad_objects_are_skipped),
        cmocka_unit_test(long_events_are_skipped),
        cmocka_unit_test(a_long_object_comes_last),
        cmocka_unit_test(keys_that_are_cut),
        cmocka_unit_test(no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
