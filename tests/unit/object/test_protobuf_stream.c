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

/* Something else than a list is the head. Unknown fields do not matter: a Status reports a failure. */
static void a_status_instead(void **state)
{
    (void)state;
    check_list(NULL, "Status", "2:Failure 3:no 4:Expired 6=410",
               "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
               "\"message\":\"no\",\"reason\":\"Expired\",\"code\":410}");
    check_list(NULL, "Status", "2:Failure 6=410 99:x",
               "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}");

    kin__buf bytes;
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    kin__buf_append(&bytes, kin_str_make("k8s\0", 4));
    kin_test_pb_append(&bytes, "1{ 1:v1 2:Status 3:x } 2{ 6=410 }");
    check(false, NULL, &bytes, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}");
    kin__buf_done(&bytes);
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
    check_wrong(false, "6b387301", "KIN_EPROTOCOL: the answer is not an object in protobuf");
    check_wrong(false, "7b7d2020", "KIN_EPROTOCOL: the answer is not an object in protobuf");
    check_wrong(false, "6b387300", "KIN_EPARSE: the text ended inside the list at byte 4");
    check_wrong(false, "6b387300ffffffffffffffffffff01", "KIN_EPARSE: proto: integer overflow");
    check_wrong(
        false, "6b3873000801",
        "KIN_EPROTOCOL: the list's envelope has a protobuf field that is newer than this library");
    /* A list that is longer than its envelope. */
    check_wrong(false, "6b3873000a080a0276311202506f",
                "KIN_EPARSE: the text ended inside the list at byte 14");
    check_wrong(true, "00000000", "KIN_EPROTOCOL: an event without a type");
    check_wrong(true, "000000070a054144444544", "KIN_EPROTOCOL: an event without an object");
    check_wrong(true, "000000050a03414243", "KIN_EPROTOCOL: an event of unknown type");
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
        /* The message has to be put in order first. */
        {"ConfigMapList", "2{ 4=1 1{ 1:a } 99=1 }",
         "KIN_EPROTOCOL: the object has a protobuf field that is newer than this library"},
        /* Bytes that are not as the tables say. */
        {"ConfigMapList", "2{ 1{ 1=1 } }",
         "KIN_EPROTOCOL: proto: wrong wireType = 0 for field Name"},
        {"ConfigMapList", "2{ 4=1 1{ 1=1 } }",
         "KIN_EPROTOCOL: proto: wrong wireType = 0 for field Name"},
        {"ConfigMapList", "2{ !0a05 }", "KIN_EPROTOCOL: unexpected EOF"},
        {"ConfigMapList", "1{ 2=1 }",
         "KIN_EPROTOCOL: proto: wrong wireType = 0 for field ResourceVersion"},
        {"Status", "2=1", "KIN_EPROTOCOL: proto: wrong wireType = 0 for field Status"},
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

/* --- what only JSON has --- */

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
              "2{ 1{ 1:a } } 2{ 1{ 1:b 3:ns } 2{ 1:k 2:0123456789012345678901234567890123456789 } "
              "} 2{ 1{ 1:c } 2{ 1:k 2:0123456789012345678901234567890123456789 } } 2{ 1{ 1:d } }");
    reader_init(&r, false, &options);
    assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes),
                   "{\"metadata\":{\"name\":\"a\"}}\nbad 0 ns/b KIN_ELIMIT\n"
                   "bad 0 c KIN_ELIMIT\n{\"metadata\":{\"name\":\"d\"}}\n" HEAD "{}}");
    reader_done(&r);
    kin__buf_done(&bytes);

    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    add_event(&bytes, "MODIFIED", "ConfigMap",
              "1{ 1:b 3:ns } 2{ 1:k 2:0123456789012345678901234567890123456789 }");
    add_event(&bytes, "ADDED", "ConfigMap", "1{ 1:d }");
    reader_init(&r, true, &options);
    assert_code(kin_watch_decoder_on_bad(r.watch, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(&bytes),
                   "bad 2 ns/b KIN_ELIMIT\nADDED " EVENT ",\"metadata\":{\"name\":\"d\"}}\nend");
    reader_done(&r);
    kin__buf_done(&bytes);
}

/* An object that cannot be read is not skipped before it was read as JSON. */
static void check_needs_json(bool is_watch, const kin__buf *bytes, const char *expected)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reader r;

    options.encoding = KIN_ENCODING_PROTOBUF;
    reader_init(&r, is_watch, &options);
    if (is_watch)
        assert_code(kin_watch_decoder_on_bad(r.watch, skip_bad, NULL), 0);
    else
        assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    check_all_cuts(&r, kin__buf_str(bytes), expected);
    assert_true(is_watch ? kin__watch_decoder_needs_json(r.watch)
                         : kin__list_decoder_needs_json(r.list));
    reader_reset(&r);
    assert_false(is_watch ? kin__watch_decoder_needs_json(r.watch)
                          : kin__list_decoder_needs_json(r.list));
    reader_done(&r);
}

static void unreadable_items(void **state)
{
    static const struct {
        const char *words;
        const char *expected;
    } cases[] = {
        {"2{ 1{ 1:b } 4:x }", "KIN_EPROTOCOL: proto: wrong wireType = 2 for field Immutable"},
        {"2{ 1{ 1:a } } 2{ 1{ 1:b 8{ 1=253402300800 } } }",
         "{\"metadata\":{\"name\":\"a\"}}\nKIN_EPROTOCOL: a timestamp is not within the years 0 to "
         "9999"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__buf bytes;

        make_list(&bytes, "ConfigMapList", cases[i].words);
        check_needs_json(false, &bytes, cases[i].expected);
        kin__buf_done(&bytes);
    }
}

/* Protobuf limits the values of an object by the length of its bytes, JSON does not. */
static void crowded_items(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reader r;
    kin__buf rules;
    kin__buf list;
    kin__buf bytes;

    (void)state;
    kin__buf_init(&rules, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&list, KIN_TEST_PROTOBUF_MAX);
    for (unsigned i = 0; i < 10000; i++)
        kin_test_pb_append(&rules, "2{ }");
    kin_test_pb_append_message(&list, 2, kin__buf_str(&rules));
    kin_test_pb_body(&bytes, "rbac.authorization.k8s.io/v1", "RoleList", kin__buf_str(&list));
    options.encoding = KIN_ENCODING_PROTOBUF;
    reader_init(&r, false, &options);
    assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    assert_string_equal(transcript_cut(&r, kin__buf_str(&bytes), NULL, 0),
                        "KIN_EPROTOCOL: an object of too many values for its length");
    assert_true(kin__list_decoder_needs_json(r.list));
    reader_done(&r);
    kin__buf_done(&bytes);
    kin__buf_done(&list);
    kin__buf_done(&rules);
}

/* The kind in a message is what the other side sends. */
static void strange_kinds(void **state)
{
    static const struct {
        const char *kind;
        const char *shown;
    } cases[] = {
        {"A\x1b[31m\n\x7fz", "A?[31m??z"},
        {"\xff\xc3\xa4\xc2\x85\xe2\x80\xa8.", "?\xc3\xa4?"
                                              "?."},
        {"0123456789012345678901234567890123456789012345678901234567890123456789",
         "0123456789012345678901234567890123456789012345678901234567890123"},
        {"012345678901234567890123456789012345678901234567890123456789012\xc3\xa4",
         "012345678901234567890123456789012345678901234567890123456789012"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char expected[256];
        kin__buf bytes;

        snprintf(expected, sizeof(expected), "KIN_EPROTOCOL: no protobuf is known of the kind %s",
                 cases[i].shown);
        make_list(&bytes, cases[i].kind, "");
        check_needs_json(false, &bytes, expected);
        kin__buf_reset(&bytes);
        add_event(&bytes, "ADDED", cases[i].kind, "");
        check_needs_json(true, &bytes, expected);
        kin__buf_done(&bytes);
    }
}

static void unusual_envelopes(void **state)
{
    static const struct {
        const char *words; /* after the prefix */
        const char *expected;
    } cases[] = {
        {"1{ 1:v1 2:ConfigMapList } 2{ } 3:gzip",
         "KIN_EPROTOCOL: an envelope whose content is encoded"},
        {"1{ 1:v1 2:ConfigMapList } 2{ } 5:x", "KIN_EPROTOCOL: the list's envelope has a protobuf "
                                               "field that is newer than this library"},
        {"1{ 1:v1 2:ConfigMapList 3:x } 2{ }",
         "KIN_EPROTOCOL: the list's type has a protobuf field that is newer than this library"},
        {"1{ 1:v1 2:ConfigMap 99=1 } 2{ }",
         "KIN_EPROTOCOL: the list's type has a protobuf field that is newer than this library"},
        {"1{ 1=1 2:ConfigMapList } 2{ }",
         "KIN_EPROTOCOL: proto: wrong wireType = 0 for field ApiVersion"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__buf bytes;

        kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
        kin__buf_append(&bytes, kin_str_make("k8s\0", 4));
        kin_test_pb_append(&bytes, cases[i].words);
        check_needs_json(false, &bytes, cases[i].expected);
        kin__buf_done(&bytes);
    }
}

/* Append a frame whose event has these fields. */
static void append_frame(kin__buf *out, const char *words)
{
    kin__buf event;

    kin__buf_init(&event, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append(&event, words);
    for (int shift = 24; shift >= 0; shift -= 8)
        kin__buf_append_char(out, (char)(event.len >> shift));
    kin__buf_append(out, kin__buf_str(&event));
    kin__buf_done(&event);
}

/* The prefix, then an envelope of ConfigMap v1 whose message has a name of one letter. */
#define ENVELOPE(letter)                                                                           \
    "1#6b387300"                                                                                   \
    "0a0f"                                                                                         \
    "0a027631"                                                                                     \
    "1209436f6e6669674d6170"                                                                       \
    "1205"                                                                                         \
    "0a030a01" letter

static void events_in_pieces(void **state)
{
    static const struct {
        const char *words;
        const char *expected;
    } cases[] = {
        {"1:ADDED 2{ " ENVELOPE("61") " }", "ADDED " EVENT ",\"metadata\":{\"name\":\"a\"}}\nend"},
        /* The last one counts. */
        {"1:ADDED 2{ " ENVELOPE("61") " " ENVELOPE("62") " }",
         "ADDED " EVENT ",\"metadata\":{\"name\":\"b\"}}\nend"},
        {"2{ " ENVELOPE("61") " } 1:ADDED 2{ } 1:DELETED",
         "DELETED " EVENT ",\"metadata\":{\"name\":\"a\"}}\nend"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__buf bytes;

        kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
        append_frame(&bytes, cases[i].words);
        check(true, NULL, &bytes, cases[i].expected);
        kin__buf_done(&bytes);
    }
}

static void unreadable_events(void **state)
{
    static const struct {
        const char *words;
        const char *expected;
    } cases[] = {
        {"1=1 2{ " ENVELOPE("61") " }",
         "KIN_EPROTOCOL: an event: wrong wireType = 0 for field number 1"},
        {"1:ADDED 2{ " ENVELOPE("61") " } 2=1",
         "KIN_EPROTOCOL: an event: wrong wireType = 0 for field number 2"},
        {"1:ADDED 2{ " ENVELOPE("61") " 1=1 }",
         "KIN_EPROTOCOL: an event: wrong wireType = 0 for field number 1"},
        {"1:ADDED 2{ " ENVELOPE("61") " } 3:x",
         "KIN_EPROTOCOL: an event has a protobuf field, number 3, that is newer than this library"},
        {"1:ADDED 2{ " ENVELOPE("61") " 2:x }",
         "KIN_EPROTOCOL: an event has a protobuf field, number 2, that is newer than this library"},
        {"1:ADDED 2{ 1:{\"a\":1} }",
         "KIN_EPROTOCOL: provided data does not appear to be a protobuf message, expected prefix "
         "[107 56 115 0]"},
        {"1:ADDED 2{ " ENVELOPE("61") "1a0178 }",
         "KIN_EPROTOCOL: an envelope whose content is encoded"},
        {"1:ADDED 2{ " ENVELOPE("61") "2a0178 }",
         "KIN_EPROTOCOL: an envelope has a protobuf field that is newer than this library"},
        /* In the type: field 3. */
        {"1:ADDED 2{ " ENVELOPE("61") "0a031a0178 }",
         "KIN_EPROTOCOL: an envelope has a protobuf field that is newer than this library"},
        {"1:ADDED 2{ " ENVELOPE("61") "0a0180 }", "KIN_EPROTOCOL: unexpected EOF"},
    };
    kin__buf bytes;

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
        append_frame(&bytes, cases[i].words);
        check_needs_json(true, &bytes, cases[i].expected);
        kin__buf_done(&bytes);
    }
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    add_event(&bytes, "MODIFIED", "ConfigMap", "1{ 1:b 3:ns } 4:x");
    check_needs_json(true, &bytes, "KIN_EPROTOCOL: proto: wrong wireType = 2 for field Immutable");
    kin__buf_done(&bytes);
}

/* The failure of a watch is reported although its Status has a field that is unknown. */
static void a_newer_error_event(void **state)
{
    kin__buf bytes;

    (void)state;
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    add_event(&bytes, "ERROR", "Status", "2:Failure 6=410 99:x");
    check(true, NULL, &bytes,
          "ERROR {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
          "\"code\":410}\nend");
    /* Other objects are still complete or not read. */
    kin__buf_reset(&bytes);
    add_event(&bytes, "ERROR", "Status", "2:Failure 6=410 99:x");
    add_event(&bytes, "ADDED", "ConfigMap", "99:x");
    check_needs_json(true, &bytes,
                     "ERROR {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                     "\"code\":410}\nKIN_EPROTOCOL: the object has a protobuf field, number 99, "
                     "that is newer than this library");
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

/* An item of more than 4 GiB is skipped whole, also where size_t has 32 bits. */
static void enormous_items_are_skipped(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reader r;
    kin__buf bytes;

    (void)state;
    options.encoding = KIN_ENCODING_PROTOBUF;
    options.max_bytes = 100;
    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    kin__buf_append(&bytes, kin_str_make("k8s\0", 4));
    kin_test_pb_append(&bytes, "1{ 1:v1 2:ConfigMapList }");
    /* The list has 2^33 bytes, its first item 2^32 + 5. */
    kin_test_pb_append(&bytes, "!128080808020 !128580808010 1{ 1:b } 2{ 1{ 1:c } }");
    kin__buf_appendf(&bytes, "%01024d", 0);
    reader_init(&r, false, &options);
    assert_code(kin_list_decoder_on_bad(r.list, skip_bad, NULL), 0);
    assert_string_equal(transcript_cut(&r, kin__buf_str(&bytes), NULL, 0),
                        "bad 0 b KIN_ELIMIT\n"
                        "KIN_EPARSE: the text ended inside the list at byte 1073");
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
        cmocka_unit_test(unreadable_items),
        cmocka_unit_test(crowded_items),
        cmocka_unit_test(strange_kinds),
        cmocka_unit_test(unusual_envelopes),
        cmocka_unit_test(events_in_pieces),
        cmocka_unit_test(unreadable_events),
        cmocka_unit_test(a_newer_error_event),
        cmocka_unit_test(long_events_are_skipped),
        cmocka_unit_test(enormous_items_are_skipped),
        cmocka_unit_test(a_long_object_comes_last),
        cmocka_unit_test(keys_that_are_cut),
        cmocka_unit_test(no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
