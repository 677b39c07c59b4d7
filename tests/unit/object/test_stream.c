/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming decoders. What comes out of a text is written down as a transcript, a line per
 * object and one for the end; the transcript must be the same wherever the text is cut.
 */
#include "kin_test.h"

#include <malloc.h>
#include <stdlib.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "kinform/memory.h"
#include "kinform/stream.h"
#include "object/json.h"
#include "object/stream_reader.h"
#include "oom.h"
#include "rng.h"

/* Sanitizers bring an allocator of their own, which does not say how much is in use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

/* --- transcripts --- */

/* A decoder of one of the two kinds, and what came out of it. */
struct reader {
    kin_list_decoder *list;
    kin_watch_decoder *watch;
    kin__buf transcript;
    bool is_silent; /* objects are not written down */
    unsigned n_objects;
    unsigned fail_at; /* this object, from 1, makes the callback fail */
    int fail_code;
    bool fails_silently;
};

static void write_json(kin__buf *out, const kin_object *object)
{
    char *json;
    size_t len;

    assert_code(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, NULL), 0);
    kin__buf_append(out, kin_str_make(json, len));
    kin_free(json);
}

static int take_object(struct reader *r, const char *type, const kin_object *object, kin_error *err)
{
    r->n_objects++;
    if (r->n_objects == r->fail_at && r->fails_silently)
        return r->fail_code;
    if (r->n_objects == r->fail_at)
        return kin_error_set(err, r->fail_code, "object %u is not wanted", r->n_objects);
    if (r->is_silent)
        return 0;
    kin__buf_appendf(&r->transcript, "%s", type);
    write_json(&r->transcript, object);
    kin__buf_append_char(&r->transcript, '\n');
    return 0;
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    return take_object(arg, "", object, err);
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    char text[32];

    snprintf(text, sizeof(text), "%s ", kin_watch_type_name(type));
    return take_object(arg, text, object, err);
}

static void reader_init(struct reader *r, bool is_watch, const kin_decode_options *options)
{
    memset(r, 0, sizeof(*r));
    kin__buf_init(&r->transcript, SIZE_MAX - 1);
    if (is_watch)
        assert_code(kin_watch_decoder_new(&r->watch, options, on_event, r, NULL, NULL), 0);
    else
        assert_code(kin_list_decoder_new(&r->list, options, on_item, r, NULL, NULL), 0);
}

static void reader_done(struct reader *r)
{
    kin_list_decoder_free(r->list);
    kin_watch_decoder_free(r->watch);
    kin__buf_done(&r->transcript);
}

static void reader_reset(struct reader *r)
{
    kin__buf_reset(&r->transcript);
    r->n_objects = 0;
    if (r->watch)
        assert_code(kin_watch_decoder_reset(r->watch, NULL), 0);
    else
        assert_code(kin_list_decoder_reset(r->list, NULL), 0);
}

/* From a block of the exact size, so that sanitizers see reads beyond it. */
static int reader_feed(struct reader *r, const char *data, size_t len, kin_error *err)
{
    char *block = malloc(len + (len == 0));

    assert_non_null(block);
    memcpy(block, data, len);

    kin_str bytes = kin_str_make(block, len);
    int code = r->watch ? kin_watch_decoder_feed(r->watch, bytes, err)
                        : kin_list_decoder_feed(r->list, bytes, err);

    free(block);
    return code;
}

/* The last line: the list itself, "end", or what went wrong. */
static void reader_finish(struct reader *r, int code, kin_error *err)
{
    const kin_object *list = NULL;

    if (code == 0 && r->watch)
        code = kin_watch_decoder_finish(r->watch, err);
    else if (code == 0)
        code = kin_list_decoder_finish(r->list, &list, err);
    if (code < 0) {
        assert_int_equal(code, err->code);
        assert_null(list);
        kin__buf_appendf(&r->transcript, "%s: %s", kin_error_name(code), err->message);
    } else if (list) {
        write_json(&r->transcript, list);
    } else {
        kin__buf_appendf(&r->transcript, "end");
    }
    kin_object_unref(list);
}

/* Pieces end at `cuts`, which are ascending. */
static const char *transcript_cut(struct reader *r, kin_str text, const size_t *cuts, size_t n_cuts)
{
    kin_error err = KIN_ERROR_INIT;
    size_t at = 0;
    int code = 0;

    reader_reset(r);
    for (size_t i = 0; code == 0 && i <= n_cuts; i++) {
        size_t end = cuts && i < n_cuts ? cuts[i] : text.len;

        code = reader_feed(r, text.data + at, end - at, &err);
        if (code == 0)
            assert_int_equal(err.code, 0);
        at = end;
    }
    reader_finish(r, code, &err);
    assert_int_equal(r->transcript.failed, 0);
    return r->transcript.data;
}

/* Pieces of `min` to `max` bytes. */
static const char *transcript_random(struct reader *r, kin_str text, kin_test_rng *rng, size_t min,
                                     size_t max)
{
    size_t *cuts = calloc(text.len / min + 1, sizeof(*cuts));
    size_t n = 0;
    size_t at = 0;

    assert_non_null(cuts);
    for (;;) {
        at += min + (size_t)kin_test_below(rng, max - min + 1);
        if (at >= text.len)
            break;
        cuts[n++] = at;
    }

    const char *transcript = transcript_cut(r, text, cuts, n);

    free(cuts);
    return transcript;
}

/* In two pieces everywhere, in three pieces everywhere if it is short, and byte by byte. */
static void check_all_cuts(struct reader *r, kin_str text, const char *expected)
{
    kin_test_rng rng = {1};

    assert_string_equal(transcript_cut(r, text, NULL, 0), expected);
    assert_string_equal(transcript_random(r, text, &rng, 1, 1), expected);
    for (size_t first = 0; first <= text.len; first++) {
        assert_string_equal(transcript_cut(r, text, &first, 1), expected);
        for (size_t second = first + 1; text.len < 48 && second < text.len; second++)
            assert_string_equal(transcript_cut(r, text, (size_t[]){first, second}, 2), expected);
    }
}

struct sample {
    const char *text;
    const char *expected;
    size_t len; /* of the text, if it holds a zero byte */
};

static void check_samples(bool is_watch, const kin_decode_options *options,
                          const struct sample *samples, size_t n)
{
    struct reader r;

    reader_init(&r, is_watch, options);
    for (size_t i = 0; i < n; i++) {
        kin_str text = kin_str_of(samples[i].text);

        if (samples[i].len)
            text.len = samples[i].len;
        check_all_cuts(&r, text, samples[i].expected);
    }
    reader_done(&r);
}

/* --- texts --- */

static void items_come_out_of_lists_wherever_they_are_cut(void **state)
{
    static const struct sample samples[] = {
        {"{}", "{}", 0},
        {" \t\r\n{ } \n", "{}", 0},
        {"{\"items\":[]}", "{}", 0},
        {"{\"items\":null}", "{}", 0},
        {"{\"items\" : [ ] }", "{}", 0},
        {"{\"items\":[{}]}", "{}\n{}", 0},
        {"{\"items\":[{},{}]}", "{}\n{}\n{}", 0},
        {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
         "\"items\":[{\"a\":1},{\"b\":[{}]}]}",
         "{\"a\":1}\n{\"b\":[{}]}\n"
         "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"}}",
         0},
        {"{\"items\":[{\"a\":1}],\"metadata\":{\"continue\":\"x\"},\"kind\":\"L\"}",
         "{\"a\":1}\n{\"metadata\":{\"continue\":\"x\"},\"kind\":\"L\"}", 0},
        {"{\"kind\":\"L\",\"items\":null,\"n\":null}", "{\"kind\":\"L\",\"n\":null}", 0},
        {" { \"n\" : 1.50 , \"items\" : [ { \"a\" : 1 } , { } ] , \"t\" : true } ",
         "{\"a\":1}\n{}\n{\"n\":1.50,\"t\":true}", 0},
        /* Brackets, quotes and commas in strings are text. */
        {"{\"x\":\"},{]\\\"\",\"items\":[{\"a\\\\\":\"}],\\\"\"}]}",
         "{\"a\\\\\":\"}],\\\"\"}\n{\"x\":\"},{]\\\"\"}", 0},
        /* The key can be spelled in other ways, and be found in other places. */
        {"{\"\\u0069t\\u0065ms\":[{\"a\":1}]}", "{\"a\":1}\n{}", 0},
        {"{\"\\u0069\":1,\"metadata\":{\"items\":[1]},\"item\":2,\"itemss\":3,\"Items\":[4]}",
         "{\"i\":1,\"metadata\":{\"items\":[1]},\"item\":2,\"itemss\":3,\"Items\":[4]}", 0},
        /* Of other members the last one counts. */
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}", 0},
        {"{\"items\":[{\"\xc3\xa4\":\"\xf0\x9f\x90\xb3 \\ud83d\\udc33\"}]}",
         "{\"\xc3\xa4\":\"\xf0\x9f\x90\xb3 \xf0\x9f\x90\xb3\"}\n{}", 0},
    };

    (void)state;
    check_samples(false, NULL, samples, kin__array_len(samples));
}

static void malformed_lists_are_refused_at_the_same_byte_wherever_they_are_cut(void **state)
{
#define ENDED(offset) "KIN_EPARSE: the text ended inside the list at byte " #offset
#define AT(offset, reason) "KIN_EPARSE: " reason " at byte " #offset
    static const struct sample samples[] = {
        {"", ENDED(0), 0},
        {" \n", ENDED(2), 0},
        {"{", ENDED(1), 0},
        {"{\"", ENDED(2), 0},
        {"{\"a", ENDED(3), 0},
        {"{\"items\"", ENDED(8), 0},
        {"{\"items\":", ENDED(9), 0},
        {"{\"items\":nul", ENDED(12), 0},
        {"{\"items\":[", ENDED(10), 0},
        {"{\"items\":[{", ENDED(11), 0},
        {"{\"items\":[{\"a\":[1,", ENDED(18), 0},
        {"{\"items\":[{\"a\":\"\\u00", ENDED(20), 0},
        {"{\"items\":[{\"a\":\"\xc3", ENDED(17), 0},
        {"{\"items\":[{}", "{}\n" ENDED(12), 0},
        {"{\"items\":[{}]", "{}\n" ENDED(13), 0},
        {"{\"a\":tru", ENDED(8), 0},
        {"{\"a\":1", ENDED(6), 0},
        {"[]", AT(0, "expected '{'"), 0},
        {"null", AT(0, "expected '{'"), 0},
        {"\xef\xbb\xbf{}", AT(0, "expected '{'"), 0},
        {"{} {}", AT(3, "text behind the list"), 0},
        {"{\"items\":[]}]", AT(12, "text behind the list"), 0},
        {"{}\0", AT(2, "text behind the list"), 3},
        /* Around the members. */
        {"{,", AT(1, "expected a key"), 0},
        {"{\"a\":1,}", AT(7, "expected a key"), 0},
        {"{1:2}", AT(1, "expected a key"), 0},
        {"{\"items\" []}", AT(9, "expected ':'"), 0},
        {"{\"items\":[] \"a\":1}", AT(12, "expected ',' or '}'"), 0},
        {"{\"items\":[]]", AT(11, "expected ',' or '}'"), 0},
        {"{\"items\":nullx}", AT(13, "expected ',' or '}'"), 0},
        {"{\"items\":nil}", AT(9, "not a value"), 0},
        {"{\"items\":NULL}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":{}}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":1}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":[{\"a\":1}],\"items\":[]}", "{\"a\":1}\n" AT(19, "\"items\" twice"), 0},
        {"{\"items\":null,\"\\u0069tems\":[]}", AT(14, "\"items\" twice"), 0},
        /* Around the items. */
        {"{\"items\":[1]}", AT(10, "expected an object"), 0},
        {"{\"items\":[null]}", AT(10, "expected an object"), 0},
        {"{\"items\":[[]]}", AT(10, "expected an object"), 0},
        {"{\"items\":[,{}]}", AT(10, "expected an object"), 0},
        {"{\"items\":[}", AT(10, "expected an object"), 0},
        {"{\"items\":[{},]}", "{}\n" AT(13, "expected an object"), 0},
        {"{\"items\":[{}{}]}", "{}\n" AT(12, "expected ',' or ']'"), 0},
        {"{\"items\":[{}}", "{}\n" AT(12, "expected ',' or ']'"), 0},
        /* In members. The text goes on, or not. */
        {"{\"a\"}", AT(4, "expected ':'"), 0},
        {"{\"a\",\"b\":1}", AT(4, "expected ':'"), 0},
        {"{\"a\":}", AT(5, "not a value"), 0},
        {"{\"a\":,\"b\":1}", AT(5, "not a value"), 0},
        {"{\"a\":1 2}", AT(7, "expected ',' or '}'"), 0},
        {"{\"a\":1]", AT(6, "expected ',' or '}'"), 0},
        {"{\"a\":[1}]", AT(7, "expected ',' or ']'"), 0},
        {"{\"a\":[1}", AT(7, "expected ',' or ']'"), 0},
        {"{\"a\":01,\"b\":{", AT(6, "not a number"), 0},
        {"{\"a\":1.,\"b\":{", AT(7, "not a number"), 0},
        {"{\"a\":\"\\x\"}", AT(6, "unknown escape"), 0},
        {"{\"a\":\"\\u1\"}", AT(6, "\\u without four hex digits"), 0},
        {"{\"a\":\"\\ud800\\n\"}", AT(6, "first half of a surrogate pair alone"), 0},
        {"{\"a\":\"\xff\"}", AT(6, "not UTF-8"), 0},
        {"{\"a\":\"\n\"}", AT(6, "control character in a string"), 0},
        {"{\"\\u00\":1}", AT(2, "\\u without four hex digits"), 0},
        {"{\"\\ud800\":1}", AT(2, "first half of a surrogate pair alone"), 0},
        {"{\"a\xc3\":1}", AT(3, "not UTF-8"), 0},
        {"{\"k\":1,\"items\":[{}],\"a\":+1}", "{}\n" AT(24, "not a value"), 0},
        /* In items. Brackets that do not match keep the scan from finding the end. */
        {"{\"items\":[{\"a\":}]}", AT(15, "not a value"), 0},
        {"{\"items\":[{\"a\":1]]}", AT(16, "expected ',' or '}'"), 0},
        {"{\"items\":[{\"a\":[}]}", AT(16, "not a value"), 0},
        {"{\"items\":[{\"a\":[},{},{}]}", AT(16, "not a value"), 0},
        {"{\"items\":[{\"a\":1}},{\"b\":2}]}", "{\"a\":1}\n" AT(17, "expected ',' or ']'"), 0},
        {"{\"items\":[{\"a\" \"b\"}]}", AT(15, "expected ':'"), 0},
        {"{\"items\":[{\"a\":\"\n\"},{}]}", AT(16, "control character in a string"), 0},
        {"{\"items\":[{\"a\":\"x},{}]}", ENDED(23), 0},
        {"{\"items\":[{\"a\":\x01\"x},{}]}", AT(15, "not a value"), 0},
        {"{\"items\":[{},{\"a\":\"\\u12\"}]}", "{}\n" AT(19, "\\u without four hex digits"), 0},
        {"{\"items\":[{\"a\":\"\\u12\"}", AT(16, "\\u without four hex digits"), 0},
        {"{\"items\":[{\"a\":\"\\ud800\\n\"}", AT(16, "first half of a surrogate pair alone"), 0},
        {"{\"items\":[{\"a\":\"\\ud800\\u0041\"}]}", AT(16, "first half of a surrogate pair alone"),
         0},
        {"{\"items\":[{\"a\":\"\\udc00\"}]}", AT(16, "second half of a surrogate pair alone"), 0},
        {"{\"items\":[{\"a\":\"\xf0\x9f\x90\"}", AT(16, "not UTF-8"), 0},
        {"{\"items\":[{\"a\":\"\xed\xa0\x80\"}]}", AT(16, "not UTF-8"), 0},
        {"{\"items\":[{\"a\":-}]}", AT(16, "not a number"), 0},
        {"{\"items\":[{\"a\":1e}]}", AT(17, "not a number"), 0},
        {"{\"items\":[{\"a\":nulL}]}", AT(15, "not a value"), 0},
    };
#undef ENDED

    (void)state;
    check_samples(false, NULL, samples, kin__array_len(samples));
}

static void events_come_out_of_watches_wherever_they_are_cut(void **state)
{
    static const struct sample samples[] = {
        {"", "end", 0},
        {" \n ", "end", 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n", "ADDED {\"a\":1}\nend", 0},
        {"{\"type\":\"MODIFIED\",\"object\":{}}{\"type\":\"DELETED\",\"object\":{}}",
         "MODIFIED {}\nDELETED {}\nend", 0},
        {"{\"object\":{\"b\":\"}\"},\"type\":\"BOOKMARK\"}", "BOOKMARK {\"b\":\"}\"}\nend", 0},
        {" { \"type\" : \"ERROR\" , \"object\" : { } } \r\n\t", "ERROR {}\nend", 0},
        {"{\"x\":[{\"type\":1}],\"type\":\"ADDED\",\"y\":null,\"object\":{},\"z\":\"\\n\",\"z\":2}",
         "ADDED {}\nend", 0},
        {"{\"\\u0074ype\":\"\\u0041DDED\",\"\\u006fbject\":{}}", "ADDED {}\nend", 0},
    };

    (void)state;
    check_samples(true, NULL, samples, kin__array_len(samples));
}

static void malformed_watches_are_refused_at_the_same_byte_wherever_they_are_cut(void **state)
{
#define ENDED(offset) "KIN_EPARSE: the stream ended inside an event at byte " #offset
    static const struct sample samples[] = {
        {"{", ENDED(1), 0},
        {"{\"type\":\"ADD", ENDED(12), 0},
        {"{\"type\":\"ADDED\",", ENDED(16), 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":", ENDED(30), 0},
        {"{\"type\":\"ADDED\",\"object\":{}", ENDED(27), 0},
        {"{\"type\":\"ADDED\",\"object\":{}} {", "ADDED {}\n" ENDED(30), 0},
        {"{}", AT(1, "an event without a type"), 0},
        {"{\"type\":\"ADDED\"}", AT(15, "an event without an object"), 0},
        {"{\"object\":{}}", AT(12, "an event without a type"), 0},
        {"{\"type\":\"added\",\"object\":{}}", AT(1, "an event of unknown type \"added\""), 0},
        {"{\"type\":\"\",\"object\":{}}", AT(1, "an event of unknown type \"\""), 0},
        {"{\"type\":null,\"object\":{}}", AT(1, "a type that is no string"), 0},
        {"{\"type\":{\"a\":1},\"object\":{}}", AT(1, "a type that is no string"), 0},
        {"{\"type\":\"ADDED\",\"type\":\"ADDED\"}", AT(16, "\"type\" twice"), 0},
        {"{\"type\":\"ADDED\", \"type\" : \"ADDED\"}", AT(17, "\"type\" twice"), 0},
        {"{\"object\":{},\"object\":{}}", AT(13, "\"object\" twice"), 0},
        {"{\"object\":null}", AT(10, "expected an object"), 0},
        {"{\"object\":[]}", AT(10, "expected an object"), 0},
        {"{\"type\":\"ADDED\"]", AT(15, "expected ',' or '}'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}}x", "ADDED {}\n" AT(28, "expected '{'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}},{}", "ADDED {}\n" AT(28, "expected '{'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}]", AT(27, "expected ',' or '}'"), 0},
        {"{\"x\":01,\"type\":\"ADDED\",\"object\":{}}", AT(6, "not a number"), 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":tru}}", AT(30, "not a value"), 0},
    };
#undef ENDED
#undef AT

    (void)state;
    check_samples(true, NULL, samples, kin__array_len(samples));
}

static void an_unknown_type_is_shown_cut_at_a_character(void **state)
{
    kin__buf text;
    struct reader r;

    (void)state;
    kin__buf_init(&text, 1000);
    kin__buf_appendf(&text, "{\"type\":\"x");
    for (int i = 0; i < 40; i++)
        kin__buf_appendf(&text, "\xc3\xa4");
    kin__buf_appendf(&text, "\",\"object\":{}}");
    reader_init(&r, true, NULL);

    const char *transcript = transcript_cut(&r, kin__buf_str(&text), NULL, 0);

    assert_non_null(strstr(transcript, "unknown type \"x\xc3\xa4"));
    assert_non_null(strstr(transcript, "\xc3\xa4\" at byte 1"));
    assert_int_equal(strlen(transcript), strlen("KIN_EPARSE: an event of unknown type \"") + 63 +
                                             strlen("\" at byte 1"));
    reader_done(&r);
    kin__buf_done(&text);
}

static void types_have_names(void **state)
{
    (void)state;
    assert_string_equal(kin_watch_type_name(KIN_WATCH_ADDED), "ADDED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_MODIFIED), "MODIFIED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_DELETED), "DELETED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_BOOKMARK), "BOOKMARK");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_ERROR), "ERROR");
    assert_string_equal(kin_watch_type_name((enum kin_watch_type)0), "?");
    assert_string_equal(kin_watch_type_name((enum kin_watch_type)6), "?");
}

/* --- real objects, against the decoder of whole texts --- */

static char *read_data(const char *name, size_t *ret_len)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/objects/%s", KIN_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("can not open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_true(size > 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), (size_t)size);
    text[size] = '\0';
    fclose(f);
    *ret_len = (size_t)size;
    return text;
}

static void write_value(kin__buf *out, kin_value value)
{
    char *json;
    size_t len;

    assert_code(kin_value_to_json(&json, &len, value, KIN_JSON_COMPACT, NULL), 0);
    kin__buf_append(out, kin_str_make(json, len));
    kin_free(json);
}

/* The transcript of a list whose text was read as one document. */
static void expect_list(kin__buf *out, kin_str text)
{
    const kin_object *whole;
    const char *comma = "";
    kin_iter it;

    assert_code(kin_object_from_json(&whole, text, NULL, NULL), 0);
    kin_iter_init(&it, kin_value_get(kin_object_root(whole), kin_str_of("items")));
    while (kin_iter_next(&it)) {
        write_value(out, it.value);
        kin__buf_append_char(out, '\n');
    }
    kin__buf_append_char(out, '{');
    for (kin_iter_init(&it, kin_object_root(whole)); kin_iter_next(&it);) {
        if (kin_str_equal(it.key, kin_str_of("items")))
            continue;
        kin__buf_appendf(out, "%s\"%" KIN_STR_FMT "\":", comma, KIN_STR_ARG(it.key));
        write_value(out, it.value);
        comma = ",";
    }
    kin__buf_append_char(out, '}');
    kin_object_unref(whole);
}

/* The same with a line per event. */
static void expect_watch(kin__buf *out, char *lines)
{
    char *rest = NULL;

    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const kin_object *event;
        kin_scratch scratch;
        kin_str type;

        assert_code(kin_object_from_json(&event, kin_str_of(line), NULL, NULL), 0);
        kin_value root = kin_object_root(event);
        assert_code(kin_value_string(&type, kin_value_get(root, kin_str_of("type")), &scratch), 0);
        kin__buf_appendf(out, "%" KIN_STR_FMT " ", KIN_STR_ARG(type));
        write_value(out, kin_value_get(root, kin_str_of("object")));
        kin__buf_append_char(out, '\n');
        kin_object_unref(event);
    }
    kin__buf_appendf(out, "end");
}

static void check_sizes_of_pieces(struct reader *r, kin_str text, const char *expected)
{
    static const struct {
        size_t min;
        size_t max;
        unsigned times;
    } pieces[] = {{1, 1, 1},        {1, 3, 2},         {1, 100, 5},
                  {1000, 3000, 10}, {16384, 16384, 1}, {1, 40000, 20}};
    kin_test_rng rng = {42};

    assert_string_equal(transcript_cut(r, text, NULL, 0), expected);
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        for (unsigned n = 0; n < pieces[i].times; n++)
            assert_string_equal(transcript_random(r, text, &rng, pieces[i].min, pieces[i].max),
                                expected);
    }
}

static void a_list_of_pods_gives_what_the_whole_text_gives(void **state)
{
    size_t len;
    char *text = read_data("pod-list.json", &len);
    struct reader r;
    kin__buf expected;

    (void)state;
    kin__buf_init(&expected, SIZE_MAX - 1);
    expect_list(&expected, kin_str_make(text, len));
    reader_init(&r, false, NULL);
    check_sizes_of_pieces(&r, kin_str_make(text, len), expected.data);
    assert_int_equal(r.n_objects, 5);
    assert_non_null(strstr(expected.data, "\"remainingItemCount\":"));
    reader_done(&r);
    kin__buf_done(&expected);
    free(text);
}

static void a_watch_of_pods_gives_what_its_lines_give(void **state)
{
    size_t len;
    char *text = read_data("watch.jsonl", &len);
    char *lines = strdup(text);
    struct reader r;
    kin__buf expected;

    (void)state;
    assert_non_null(lines);
    kin__buf_init(&expected, SIZE_MAX - 1);
    expect_watch(&expected, lines);
    reader_init(&r, true, NULL);
    check_sizes_of_pieces(&r, kin_str_make(text, len), expected.data);
    assert_int_equal(r.n_objects, 5);
    reader_done(&r);
    kin__buf_done(&expected);
    free(lines);
    free(text);
}

/* Strings with what scans stumble over. */
static void random_string(kin__buf *out, kin_test_rng *rng)
{
    static const char *const parts[] = {"a",   "\\\"", "\\\\",  "}",        "]",
                                        "{",   "[",    ",",     "\\u0022",  "\\ud83d\\udc33",
                                        "\\/", " ",    ":",     "\xc3\xa4", "\xf0\x9f\x90\xb3",
                                        "\\n", "nine", "items", "\\u005c",  "0123456789abcdef"};
    size_t n = (size_t)kin_test_below(rng, 12);

    kin__buf_append_char(out, '"');
    for (size_t i = 0; i < n; i++)
        kin__buf_appendf(out, "%s", parts[kin_test_below(rng, kin__array_len(parts))]);
    kin__buf_append_char(out, '"');
}

static void random_item(kin__buf *out, kin_test_rng *rng, unsigned n)
{
    static const char *const spaces[] = {"", "", " ", "\n  "};
    size_t members = (size_t)kin_test_below(rng, 30);

    kin__buf_appendf(out, "{\"n\":%u", n);
    for (size_t i = 0; i < members; i++) {
        const char *space = spaces[kin_test_below(rng, kin__array_len(spaces))];

        kin__buf_appendf(out, "%s,%s\"m%zu\"%s:%s", space, space, i, space, space);
        switch (kin_test_below(rng, 4)) {
        case 0:
            random_string(out, rng);
            break;
        case 1:
            kin__buf_appendf(out, "[[],{},%u,", n);
            random_string(out, rng);
            kin__buf_appendf(out, "%s]", space);
            break;
        case 2:
            kin__buf_appendf(out, "{%s\"x\":{\"y\":true}}", space);
            break;
        default:
            kin__buf_appendf(out, "-%u.5e-7", n);
            break;
        }
    }
    kin__buf_append_char(out, '}');
}

static void random_lists_give_what_the_whole_text_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        kin_test_rng rng = {seed};
        kin__buf text;
        kin__buf expected;
        struct reader r;

        kin__buf_init(&text, SIZE_MAX - 1);
        kin__buf_init(&expected, SIZE_MAX - 1);
        kin__buf_appendf(&text, "{\"kind\":\"L\",\"before\":");
        random_string(&text, &rng);
        kin__buf_appendf(&text, ",\"items\":[");
        for (unsigned i = 0; i < 60; i++) {
            kin__buf_appendf(&text, i > 0 ? ",\n" : "");
            random_item(&text, &rng, i);
        }
        kin__buf_appendf(&text, "],\"behind\":");
        random_item(&text, &rng, 0);
        kin__buf_appendf(&text, "}");
        expect_list(&expected, kin__buf_str(&text));
        reader_init(&r, false, NULL);
        check_sizes_of_pieces(&r, kin__buf_str(&text), expected.data);
        assert_int_equal(r.n_objects, 60);
        reader_done(&r);
        kin__buf_done(&expected);
        kin__buf_done(&text);
    }
}

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

/* --- memory and time --- */

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
#if defined(__GLIBC__) && !defined(IS_SANITIZED)
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
        cmocka_unit_test(items_come_out_of_lists_wherever_they_are_cut),
        cmocka_unit_test(malformed_lists_are_refused_at_the_same_byte_wherever_they_are_cut),
        cmocka_unit_test(events_come_out_of_watches_wherever_they_are_cut),
        cmocka_unit_test(malformed_watches_are_refused_at_the_same_byte_wherever_they_are_cut),
        cmocka_unit_test(an_unknown_type_is_shown_cut_at_a_character),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(a_list_of_pods_gives_what_the_whole_text_gives),
        cmocka_unit_test(a_watch_of_pods_gives_what_its_lines_give),
        cmocka_unit_test(random_lists_give_what_the_whole_text_gives),
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
        cmocka_unit_test(reset_forgets_what_was_begun),
        cmocka_unit_test(feeding_nothing_does_nothing),
        cmocka_unit_test(callbacks_can_not_use_their_decoder_but_can_free_it),
        cmocka_unit_test(a_kept_object_outlives_its_decoder),
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
