/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder: what it takes, what it refuses and where, its limits, and that documents are what
 * the text says however often it was read: from the second time on values are shared, from the
 * third on keys are learnt, from the twelfth on strings are words, and none of it may be seen.
 */
#include "kin_test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/json.h"
#include "object/json_scan.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

#define ROUNDS 15 /* past the last threshold at which something is kept in another way */

static kin_str bytes(const char *text, size_t len)
{
    return kin_str_make(text, len);
}

static const kin_object *decode(kin_decoder *decoder, kin_str text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = decoder ? kin_decoder_decode(decoder, &object, text, &err)
                       : kin_object_from_json(&object, text, NULL, &err);

    if (code != 0)
        fail_msg("%s at %llu: %s, in %.200s", kin_error_name(code), (unsigned long long)err.offset,
                 err.message, text.data);
    return object;
}

static kin_decoder *new_decoder(const kin_decode_options *options)
{
    kin_decoder *decoder = NULL;

    assert_code(kin_decoder_new(&decoder, options, NULL), 0);
    return decoder;
}

static void assert_pool_is_empty(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
    assert_int_equal(stats.bytes, 0);
}

static void assert_encodes_as(const kin_object *object, const char *expected)
{
    char *text;

    assert_code(kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
}

/* ---- what is refused, where and why ---- */

struct bad {
    const char *text;
    size_t len; /* 0: up to the terminator */
    uint64_t offset;
    const char *reason;
};

/* The text ends in the middle. */
static const struct bad cut_short[] = {
    {"", 0, 0, "unexpected end"},
    {" \n\t\r", 0, 4, "unexpected end"},
    {"{", 0, 1, "unexpected end"},
    {"{ ", 0, 2, "unexpected end"},
    {"{\"", 0, 2, "unexpected end"},
    {"{\"a", 0, 3, "unexpected end"},
    {"{\"a\"", 0, 4, "unexpected end"},
    {"{\"a\" ", 0, 5, "unexpected end"},
    {"{\"a\":", 0, 5, "unexpected end"},
    {"{\"a\":  ", 0, 7, "unexpected end"},
    {"{\"a\":1", 0, 6, "unexpected end"},
    {"{\"a\":-", 0, 6, "unexpected end"},
    {"{\"a\":1.", 0, 7, "unexpected end"},
    {"{\"a\":1e", 0, 7, "unexpected end"},
    {"{\"a\":1e+", 0, 8, "unexpected end"},
    {"{\"a\":1,", 0, 7, "unexpected end"},
    {"{\"a\":1, ", 0, 8, "unexpected end"},
    {"{\"a\":t", 0, 6, "unexpected end"},
    {"{\"a\":tru", 0, 8, "unexpected end"},
    {"{\"a\":fals", 0, 9, "unexpected end"},
    {"{\"a\":nul", 0, 8, "unexpected end"},
    {"{\"a\":[", 0, 6, "unexpected end"},
    {"{\"a\":[1", 0, 7, "unexpected end"},
    {"{\"a\":[1,", 0, 8, "unexpected end"},
    {"{\"a\":[]", 0, 7, "unexpected end"},
    {"{\"a\":{}", 0, 7, "unexpected end"},
    {"{\"a\":\"b", 0, 7, "unexpected end"},
    {"{\"a\":\"b\\", 0, 8, "unexpected end"},
    {"{\"a\":\"b\\n", 0, 9, "unexpected end"},
    {"{\"a\":\"b\\u", 0, 9, "unexpected end"},
    {"{\"a\":\"b\\u00", 0, 11, "unexpected end"},
    {"{\"a\":\"b\\ud83d", 0, 13, "unexpected end"},
    {"{\"a\":\"b\\ud83d\\", 0, 14, "unexpected end"},
    {"{\"a\":\"b\\ud83d\\ude0", 0, 18, "unexpected end"},
    {"{\"a\":\"\xc3\xa9", 0, 8, "unexpected end"},
};

static const struct bad malformed[] = {
    /* structure */
    {"x", 0, 0, "not a value"},
    {" x", 0, 1, "not a value"},
    {"}", 0, 0, "not a value"},
    {"{x", 0, 1, "expected a key"},
    {"{1:2}", 0, 1, "expected a key"},
    {"{'a':1}", 0, 1, "expected a key"},
    {"{,}", 0, 1, "expected a key"},
    {"{\"a\":1,}", 0, 7, "expected a key"},
    {"{\"a\":1,,\"b\":2}", 0, 7, "expected a key"},
    {"{\"a\"}", 0, 4, "expected ':'"},
    {"{\"a\" 1}", 0, 5, "expected ':'"},
    {"{\"a\",1}", 0, 4, "expected ':'"},
    {"{\"a\"::1}", 0, 5, "not a value"},
    {"{\"a\":}", 0, 5, "not a value"},
    {"{\"a\":,}", 0, 5, "not a value"},
    {"{\"a\":1 2}", 0, 7, "expected ',' or '}'"},
    {"{\"a\":1]", 0, 6, "expected ',' or '}'"},
    {"{\"a\":\"b\" \"c\":1}", 0, 9, "expected ',' or '}'"},
    {"{\"a\":[1}", 0, 7, "expected ',' or ']'"},
    {"{\"a\":[1 2]}", 0, 8, "expected ',' or ']'"},
    {"{\"a\":[1:2]}", 0, 7, "expected ',' or ']'"},
    {"{\"a\":[,1]}", 0, 6, "not a value"},
    {"{\"a\":[1,]}", 0, 8, "not a value"},
    {"{\"a\":[}", 0, 6, "not a value"},
    {"{]", 0, 1, "expected a key"},
    {"{\"a\":1}}", 0, 7, "text behind the object"},
    {"{} {}", 0, 3, "text behind the object"},
    {"{},", 0, 2, "text behind the object"},
    {"{}\0", 3, 2, "text behind the object"},
    {"{}\f", 0, 2, "text behind the object"},
    {"\xef\xbb\xbf{}", 0, 0, "not a value"},
    {"{\v}", 0, 1, "expected a key"},
    {"{/**/}", 0, 1, "expected a key"},
    {"{\"a\":1}//", 0, 7, "text behind the object"},
    /* literals */
    {"{\"a\":True}", 0, 5, "not a value"},
    {"{\"a\":tRue}", 0, 5, "not a value"},
    {"{\"a\":tru}", 0, 5, "not a value"},
    {"{\"a\":truee}", 0, 9, "expected ',' or '}'"},
    {"{\"a\":nulL}", 0, 5, "not a value"},
    {"{\"a\":fals\0}", 11, 5, "not a value"},
    {"{\"a\":NaN}", 0, 5, "not a value"},
    {"{\"a\":Infinity}", 0, 5, "not a value"},
    {"{\"a\":nx", 0, 5, "not a value"},
    /* numbers: the byte that cannot follow */
    {"{\"a\":01}", 0, 6, "not a number"},
    {"{\"a\":00}", 0, 6, "not a number"},
    {"{\"a\":-01}", 0, 7, "not a number"},
    {"{\"a\":-}", 0, 6, "not a number"},
    {"{\"a\":--1}", 0, 6, "not a number"},
    {"{\"a\":+1}", 0, 5, "not a value"},
    {"{\"a\":.5}", 0, 5, "not a value"},
    {"{\"a\":1.}", 0, 7, "not a number"},
    {"{\"a\":1.e5}", 0, 7, "not a number"},
    {"{\"a\":1e}", 0, 7, "not a number"},
    {"{\"a\":1e+}", 0, 8, "not a number"},
    {"{\"a\":1e5.5}", 0, 8, "not a number"},
    {"{\"a\":1.2.3}", 0, 8, "not a number"},
    {"{\"a\":1-2}", 0, 6, "not a number"},
    {"{\"a\":1+}", 0, 6, "not a number"},
    {"{\"a\":0x10}", 0, 6, "expected ',' or '}'"},
    {"{\"a\":1_000}", 0, 6, "expected ',' or '}'"},
    {"{\"a\":1f}", 0, 6, "expected ',' or '}'"},
    /* strings */
    {"{\"a\":\"\n\"}", 0, 6, "control character in a string"},
    {"{\"a\":\"b\x01\"}", 0, 7, "control character in a string"},
    {"{\"a\":\"\0\"}", 9, 6, "control character in a string"},
    {"{\"a\tb\":1}", 0, 3, "control character in a string"},
    {"{\"a\":\"0123456789abcdef0123456789abcdef\x1f\"}", 0, 38, "control character in a string"},
    {"{\"a\":\"\\n\n\"}", 0, 8, "control character in a string"},
    {"{\"a\":\"\xc3\xa9\n\"}", 0, 8, "control character in a string"},
    {"{\"a\":\"\\x\"}", 0, 6, "unknown escape"},
    {"{\"a\":\"b\\'\"}", 0, 7, "unknown escape"},
    {"{\"a\":\"\\U0041\"}", 0, 6, "unknown escape"},
    {"{\"a\":\"\\\0\"}", 10, 6, "unknown escape"},
    {"{\"a\\q\":1}", 0, 3, "unknown escape"},
    {"{\"a\":\"\\u12g4\"}", 0, 6, "\\u without four hex digits"},
    {"{\"a\":\"\\u-123\"}", 0, 6, "\\u without four hex digits"},
    {"{\"a\":\"\\u 123\"}", 0, 6, "\\u without four hex digits"},
    {"{\"a\":\"\\u\"    }", 0, 6, "\\u without four hex digits"},
    {"{\"a\":\"\\ude00\"}", 0, 6, "second half of a surrogate pair alone"},
    {"{\"a\":\"\\udc00\\ud800\"}", 0, 6, "second half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83d\"}     ", 0, 6, "first half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83d\"}", 0, 6, "first half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83dxxxxxx\"}", 0, 6, "first half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83d\\ud83d\"}", 0, 6, "first half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83d\\u0041\"}", 0, 6, "first half of a surrogate pair alone"},
    {"{\"a\":\"\\ud83d\\n      \"}", 0, 6, "first half of a surrogate pair alone"},
    {"{\"\\udfff\":1}", 0, 2, "second half of a surrogate pair alone"},
    /* UTF-8 */
    {"{\"a\":\"\xff\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xc0\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xc1\xbf\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xc3\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xe0\x80\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xe2\x82\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xed\xa0\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xed\xbf\xbf\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xf0\x80\x80\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xf4\x90\x80\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"\xf5\x80\x80\x80\"}", 0, 6, "not UTF-8"},
    {"{\"a\":\"ab\xc3\xa9\xff\"}", 0, 10, "not UTF-8"},
    {"{\"a\":\"\\n\xff\"}", 0, 8, "not UTF-8"},
    {"{\"\xff\":1}", 0, 2, "not UTF-8"},
    {"{\xc3\xa9}", 0, 1, "expected a key"},
    /* another root */
    {"[]", 0, 0, "not an object"},
    {"[{}]", 0, 0, "not an object"},
    {"null", 0, 0, "not an object"},
    {"true", 0, 0, "not an object"},
    {"12 ", 0, 0, "not an object"},
    {"\"{}\"", 0, 0, "not an object"},
};

static void assert_refused(kin_decoder *decoder, const struct bad *bad)
{
    size_t len = bad->len ? bad->len : strlen(bad->text);
    /* Exactly as large as the text: whoever reads behind it is caught. */
    char *copy = malloc(len + (len == 0));
    const kin_object *object = (const kin_object *)(uintptr_t)8;
    kin_error err = KIN_ERROR_INIT;
    char message[128];

    assert_non_null(copy);
    memcpy(copy, bad->text, len);

    int code = kin_decoder_decode(decoder, &object, bytes(copy, len), &err);

    snprintf(message, sizeof(message), "%s at byte %llu", bad->reason,
             (unsigned long long)bad->offset);
    if (code != KIN_EPARSE || err.offset != bad->offset || strcmp(err.message, message) != 0)
        fail_msg("%s: %s at %llu: %s", bad->text, kin_error_name(code),
                 (unsigned long long)err.offset, err.message);
    assert_int_equal(err.code, KIN_EPARSE);
    assert_ptr_equal(object, (const void *)8);
    /* The error may be NULL. */
    assert_code(kin_decoder_decode(decoder, &object, bytes(copy, len), NULL), KIN_EPARSE);
    free(copy);
}

static void malformed_text_is_refused_with_place_and_reason(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    for (size_t i = 0; i < kin__array_len(cut_short); i++)
        assert_refused(decoder, &cut_short[i]);
    for (size_t i = 0; i < kin__array_len(malformed); i++)
        assert_refused(decoder, &malformed[i]);

    /* The decoder is as good as new. */
    const kin_object *object = decode(decoder, kin_str_of("{\"metadata\":{\"name\":\"n\"}}"));

    assert_string_equal(kin_object_key(object), "n");
    kin_object_unref(object);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

static void no_text_is_an_unexpected_end(void **state)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_object_from_json(&object, kin_str_make(NULL, 0), NULL, &err), KIN_EPARSE);
    assert_int_equal(err.offset, 0);
    assert_null(object);
}

/* Every prefix of a valid text is refused where it ends, or where a cut character begins. */
static void a_text_cut_anywhere_is_refused_at_its_end(void **state)
{
    static const char text[] =
        " {\"a\" : [ true , false,null,-12.5e+10,\"\\u00e9\\ud83d\\ude00\\n\xf0\x9f\x98\x80x\" ],"
        "\"metadata\":{\"name\":\"n\",\"labels\":{}}}";
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        char *copy = malloc(len + 1);
        const kin_object *object;
        kin_error err = KIN_ERROR_INIT;
        size_t used = 0;
        bool incomplete = false;

        assert_non_null(copy);
        memcpy(copy, text, len);
        char *exact = realloc(copy, len ? len : 1);
        assert_non_null(exact);
        assert_code(kin_decoder_decode(decoder, &object, bytes(exact, len), &err), KIN_EPARSE);
        assert_true(err.offset <= len && err.offset + 4 > len);
        assert_code(kin__decoder_decode_prefix(decoder, &object, bytes(exact, len), 1000, &used,
                                               &incomplete, &err),
                    KIN_EPARSE);
        assert_true(incomplete);
        assert_true(err.offset <= 1000 + len && err.offset + 4 > 1000 + len);
        free(exact);
    }
    kin_decoder_free(decoder);
}

static void a_prefix_says_where_it_ended(void **state)
{
    static const char text[] = " {\"a\":1} {\"a\":2}]";
    kin_decoder *decoder = new_decoder(NULL);
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    size_t len = 0;
    bool incomplete = true;

    (void)state;
    assert_code(
        kin__decoder_decode_prefix(decoder, &object, kin_str_of(text), 0, &len, &incomplete, &err),
        0);
    assert_int_equal(len, 8);
    assert_false(incomplete);
    assert_encodes_as(object, "{\"a\":1}");
    kin_object_unref(object);
    incomplete = true;
    assert_code(kin__decoder_decode_prefix(decoder, &object, kin_str_of("{\"a\" 1}"), 7, &len,
                                           &incomplete, &err),
                KIN_EPARSE);
    assert_false(incomplete);
    assert_int_equal(err.offset, 7 + 5);
    assert_int_equal(kin__decoder_max_bytes(decoder), KIN_DECODE_MAX_BYTES);
    kin_decoder_free(decoder);
}

/* ---- files of tests/data ---- */

static ref_text read_file(const char *path)
{
    ref_text text = {NULL, 0, 0};
    FILE *file = fopen(path, "rb");
    char part[4096];
    size_t n;

    if (!file)
        fail_msg("cannot open %s", path);
    ref_append(&text, "", 0);
    while (file && (n = fread(part, 1, sizeof(part), file)) > 0)
        ref_append(&text, part, n);
    if (file)
        fclose(file);
    return text;
}

/* Calls fn for each file of a folder of tests/data; how many there were. */
static unsigned each_file(const char *folder,
                          void (*fn)(const char *path, const ref_text *text, void *arg), void *arg)
{
    char path[1024];
    unsigned count = 0;
    const struct dirent *entry;

    snprintf(path, sizeof(path), "%s/%s", KIN_TEST_DATA, folder);
    DIR *dir = opendir(path);
    if (!dir)
        fail_msg("cannot open %s", path);
    while (dir && (entry = readdir(dir)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');

        if (!dot || strcmp(dot, ".json") != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", KIN_TEST_DATA, folder, entry->d_name);
        ref_text text = read_file(path);
        fn(path, &text, arg);
        free(text.data);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

/*
 * Parsed by the packaged parser; NULL if it cannot: integers beyond 64 bits, a zero byte in a key.
 */
static json_t *load(const char *text, size_t len, bool *ret_unable)
{
    json_error_t error;
    json_t *json = json_loadb(text, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);

    *ret_unable = false;
    if (!json) {
        enum json_error_code code = json_error_code(&error);

        *ret_unable = code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
                      code == json_error_null_character;
    }
    return json;
}

/* Both texts are the same to the packaged parser; true if it could tell. */
static bool assert_same_json(const char *what, kin_str a, kin_str b)
{
    bool a_unable;
    bool b_unable;
    json_t *a_json = load(a.data, a.len, &a_unable);
    json_t *b_json = load(b.data, b.len, &b_unable);

    if ((!a_json && !a_unable) || (!b_json && !b_unable))
        fail_msg("%s: one of them cannot be parsed: %.300s and %.300s", what, a.data, b.data);
    if (a_json && b_json && !json_equal(a_json, b_json))
        fail_msg("%s: %.300s is not %.300s", what, b.data, a.data);
    json_decref(a_json);
    json_decref(b_json);
    return !a_unable && !b_unable;
}

static void assert_round_trip(const char *what, kin_decoder *decoder, const kin_object *object,
                              const ref_text *text)
{
    static const enum kin_json_style styles[] = {KIN_JSON_COMPACT, KIN_JSON_PRETTY};

    for (size_t i = 0; i < kin__array_len(styles); i++) {
        char *encoded;
        size_t len;

        assert_code(kin_object_to_json(&encoded, &len, object, styles[i], NULL), 0);
        assert_int_equal(strlen(encoded), len);
        assert_same_json(what, bytes(text->data, text->len), bytes(encoded, len));

        const kin_object *again = decode(decoder, bytes(encoded, len));

        assert_true(kin_object_equal(object, again));
        assert_true(kin_object_hash(object) == kin_object_hash(again));
        kin_object_unref(again);
        kin_free(encoded);
    }
}

static void check_valid(const char *path, const ref_text *text, void *arg)
{
    kin_decoder *decoder = arg;
    ref_value *expected = ref_parse(text->data, text->len);
    random_keeper keeper = {{NULL}, 0};

    for (unsigned i = 0; i < 2 * ROUNDS; i++) {
        ref_text renamed = {NULL, 0, 0};

        /* As it is, and then as one of many objects that are alike. */
        if (i < ROUNDS) {
            ref_append(&renamed, text->data, text->len);
        } else {
            random_rename(expected, i);
            ref_print(&renamed, expected);
        }
        const kin_object *object = decode(decoder, bytes(renamed.data, renamed.len));
        const char *problem = ref_check_object(expected, object);

        if (problem)
            fail_msg("%s: %s", path, problem);
        assert_round_trip(path, decoder, object, &renamed);
        random_keep(&keeper, object);
        free(renamed.data);
    }
    random_keep_none(&keeper);
    ref_free(expected);
}

static void valid_files_are_decoded_and_encoded(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    assert_in_range(each_file("json/valid", check_valid, decoder), 50, 10000);
    assert_in_range(each_file("objects", check_valid, decoder), 10, 1000);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

static void check_invalid(const char *path, const ref_text *text, void *arg)
{
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_decoder_decode(arg, &object, bytes(text->data, text->len), &err);

    if (code != KIN_EPARSE || err.offset > text->len || !err.message[0])
        fail_msg("%s: %s at %llu: %s", path, kin_error_name(code), (unsigned long long)err.offset,
                 err.message);
}

static void invalid_files_are_refused(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    assert_in_range(each_file("json/invalid", check_invalid, decoder), 50, 10000);
    kin_decoder_free(decoder);
}

static void check_not_an_object(const char *path, const ref_text *text, void *arg)
{
    const kin_object *object;
    kin_value value;
    kin_error err = KIN_ERROR_INIT;
    ref_value *expected = ref_parse(text->data, text->len);

    assert_code(kin_decoder_decode(arg, &object, bytes(text->data, text->len), &err), KIN_EPARSE);
    assert_memory_equal(err.message, "not an object", 13);
    /* As a value it is as good as any. */
    assert_code(kin__json_read_value(&object, &value, bytes(text->data, text->len), &err), 0);

    const char *problem = ref_check(expected, value);

    if (problem)
        fail_msg("%s: %s", path, problem);
    kin_object_unref(object);
    ref_free(expected);
}

static void other_roots_are_no_objects_but_values(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    assert_in_range(each_file("json/not-an-object", check_not_an_object, decoder), 5, 1000);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

static void values_are_refused_with_their_offset(void **state)
{
    const kin_object *holder = NULL;
    kin_value value;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__json_read_value(&holder, &value, kin_str_of("[1,x]"), &err), KIN_EPARSE);
    assert_int_equal(err.offset, 3);
    assert_code(kin__json_read_value(&holder, &value, kin_str_of("[1] 2"), &err), KIN_EPARSE);
    assert_int_equal(err.offset, 4);
    assert_code(kin__json_read_value(&holder, &value, kin_str_of(" "), &err), KIN_EPARSE);
    assert_int_equal(err.offset, 1);
    assert_null(holder);
    assert_pool_is_empty();
}

/* ---- options and limits ---- */

static void options_are_checked(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.size = 0;
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    options.size = sizeof(options);
    options.max_bytes = (size_t)KIN_DECODE_MAX_BYTES_LIMIT + 1;
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_code(kin_object_from_json(&object, kin_str_of("{}"), &options, &err), KIN_EINVAL);
    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    options.max_depth = KIN_DEPTH_MAX + 1;
    assert_code(kin_decoder_new(&decoder, &options, NULL), KIN_EINVAL);
    assert_null(decoder);
    options.max_depth = KIN_DEPTH_MAX;
    assert_code(kin_decoder_new(&decoder, &options, &err), 0);
    assert_int_equal(kin__decoder_max_bytes(decoder), KIN_DECODE_MAX_BYTES_LIMIT);
    kin_decoder_free(decoder);
    kin_decoder_free(NULL);
}

/* The code of decoding with options, its offset in *ret_offset. */
static int try_decode(const kin_decode_options *options, kin_str text, uint64_t *ret_offset)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_object_from_json(&object, text, options, &err);

    *ret_offset = err.offset;
    if (code != 0)
        assert_int_equal(err.code, code);
    kin_object_unref(object);
    return code;
}

static void max_bytes_bounds_the_object_not_the_space_behind_it(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    uint64_t offset;

    (void)state;
    options.max_bytes = 10;
    assert_code(try_decode(&options, kin_str_of("{\"a\":1234}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":1234}   "), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":12345}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 10);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\xc3\xa9\xc3\xa9\xc3\xa9\"}"), &offset),
                KIN_ELIMIT);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\"}"), &offset), KIN_ELIMIT);
    assert_code(try_decode(&options, kin_str_of("            {}"), &offset), KIN_ELIMIT);
    /* What is wrong before the limit is wrong; what is cut is too long. */
    assert_code(try_decode(&options, kin_str_of("{\"a\" 1, \"b\":1}"), &offset), KIN_EPARSE);
    assert_int_equal(offset, 5);
}

static void strings_and_keys_are_bounded(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    uint64_t offset;

    (void)state;
    options.max_string_bytes = 4;
    assert_code(try_decode(&options, kin_str_of("{\"abcd\":\"efgh\"}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"abcd\":\"efghi\"}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 8);
    assert_code(try_decode(&options, kin_str_of("{\"abcde\":1}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 1);
    /* What counts is what the escapes stand for. */
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\\u0041\\u0041\\n\"}"), &offset),
                0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\\ud83d\\ude00\"}"), &offset),
                KIN_ELIMIT);
    /* Also a key that the decoder has come to expect. */
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_code(kin_decoder_decode(decoder, &object, kin_str_of("{\"metadata\":{}}"), &err),
                    KIN_ELIMIT);
    kin_decoder_free(decoder);
}

/* {"a":[[[…]]]}, of this depth altogether. */
static ref_text nested(unsigned depth, const char *open, const char *innermost, const char *close)
{
    ref_text text = {NULL, 0, 0};

    ref_append_str(&text, "{\"a\":");
    for (unsigned i = 1; i < depth; i++)
        ref_append_str(&text, open);
    ref_append_str(&text, innermost);
    for (unsigned i = 1; i < depth; i++)
        ref_append_str(&text, close);
    ref_append_str(&text, "}");
    return text;
}

static void assert_depth(kin_decoder *decoder, unsigned depth, unsigned limit, const char *open,
                         const char *close)
{
    ref_text text = nested(depth, open, "1", close);
    const kin_object *first = NULL;
    kin_error err = KIN_ERROR_INIT;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *object = NULL;

        assert_code(kin_decoder_decode(decoder, &object, bytes(text.data, text.len), &err),
                    depth > limit ? KIN_ELIMIT : 0);
        if (depth > limit) {
            assert_int_equal(err.offset, 5 + strlen(open) * (limit - 1));
            continue;
        }
        char *encoded;

        assert_code(kin_object_to_json(&encoded, NULL, object, KIN_JSON_COMPACT, NULL), 0);
        assert_string_equal(encoded, text.data);
        kin_free(encoded);
        assert_true(!first || kin_object_equal(first, object));
        assert_true(!first || kin_object_hash(first) == kin_object_hash(object));
        if (!first)
            first = object;
        else
            kin_object_unref(object);
    }
    kin_object_unref(first);
    free(text.data);
}

static void nesting_is_bounded(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    assert_depth(decoder, KIN_DEPTH_MAX, KIN_DEPTH_MAX, "[", "]");
    assert_depth(decoder, KIN_DEPTH_MAX, KIN_DEPTH_MAX, "{\"b\":", "}");
    assert_depth(decoder, KIN_DEPTH_MAX + 1, KIN_DEPTH_MAX, "[", "]");
    assert_depth(decoder, KIN_DEPTH_MAX + 1, KIN_DEPTH_MAX, "{\"b\":", "}");
    assert_depth(decoder, 100000, KIN_DEPTH_MAX, "[", "]");
    kin_decoder_free(decoder);

    options.max_depth = 3;
    decoder = new_decoder(&options);
    assert_depth(decoder, 3, 3, "[", "]");
    assert_depth(decoder, 4, 3, "[", "]");
    kin_decoder_free(decoder);
    options.max_depth = 1;
    decoder = new_decoder(&options);
    assert_depth(decoder, 1, 1, "[", "]");
    assert_depth(decoder, 2, 1, "[", "]");
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* A subtree that is known from elsewhere counts in full where it stands. */
static void what_is_shared_has_its_depth(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);
    ref_text inner = nested(300, "[", "\"a string of some length, to be shared\"", "]");
    ref_text outer = {NULL, 0, 0};
    const kin_object *object = NULL;
    const kin_object *deepest;
    random_keeper keeper = {{NULL}, 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++)
        random_keep(&keeper, decode(decoder, bytes(inner.data, inner.len)));
    /* 212 levels around 300 are 512. */
    for (unsigned levels = 212; levels <= 213; levels++) {
        outer.len = 0;
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&outer, "{\"spec\":");
        ref_append(&outer, inner.data, inner.len);
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&outer, "}");
        for (unsigned i = 0; i < 5; i++) {
            int code = kin_decoder_decode(decoder, &object, bytes(outer.data, outer.len), &err);

            assert_code(code, levels == 212 ? 0 : KIN_ELIMIT);
            if (code == 0) {
                deepest = decode(NULL, bytes(outer.data, outer.len));
                assert_true(kin_object_equal(object, deepest));
                kin_object_unref(deepest);
                kin_object_unref(object);
            }
        }
    }
    free(outer.data);
    free(inner.data);
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

static void type_defaults_are_put_in_front_where_there_are_none(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}"},
        {"{\"a\":1}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"a\":1}"},
        {"{\"kind\":\"Pod\"}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Pod\"}"},
        {"{\"a\":{\"kind\":1},\"apiVersion\":\"v1\"}",
         "{\"kind\":\"Deployment\",\"a\":{\"kind\":1},\"apiVersion\":\"v1\"}"},
        {"{\"kind\":null,\"apiVersion\":\"\"}", "{\"kind\":null,\"apiVersion\":\"\"}"},
        {"{\"a\":{},\"b\":[]}",
         "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"a\":{},\"b\":[]}"},
        {"{\"spec\":{\"kind\":{\"x\":[1]}}}",
         "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"kind\":{\"x\":[1]}}}"},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    char kind[] = "Deployment";
    kin_decoder *decoder;

    (void)state;
    options.api_version = "apps/v1";
    options.kind = kind;
    decoder = new_decoder(&options);
    memset(kind, 'x', sizeof(kind) - 1); /* COPIED */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = decode(decoder, kin_str_of(cases[i].text));

            assert_encodes_as(object, cases[i].expected);
            kin_object_unref(object);
        }
    }
    kin_decoder_free(decoder);
    options.api_version = "";
    options.kind = NULL;
    decoder = new_decoder(&options);
    const kin_object *object = decode(decoder, kin_str_of("{\"a\":1}"));
    assert_encodes_as(object, "{\"a\":1}");
    kin_object_unref(object);
    kin_decoder_free(decoder);
}

/* ---- duplicates ---- */

static void of_a_key_that_comes_twice_the_last_counts(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}"},
        {"{\"a\":{\"x\":1},\"a\":{\"y\":2}}", "{\"a\":{\"y\":2}}"},
        {"{\"a\":[1,2],\"a\":null}", "{\"a\":null}"},
        {"{\"\":1,\"\":2}", "{\"\":2}"},
        {"{\"a\":1,\"\\u0061\":2}", "{\"a\":2}"},
        {"{\"metadata\":1,\"metadata\":{},\"metadata\":[{\"a\":1,\"a\":2}]}",
         "{\"metadata\":[{\"a\":2}]}"},
        {"{\"a\":{\"b\":1,\"b\":2,\"c\":{\"d\":1,\"d\":{}}}}",
         "{\"a\":{\"b\":2,\"c\":{\"d\":{}}}}"},
        /* Learnt in the middle of the map: spelled out at first, a number behind. */
        {"{\"neverSeen\":1,\"neverSeen\":2,\"neverSeen\":3,\"neverSeen\":4,\"neverSeen\":5}",
         "{\"neverSeen\":5}"},
    };
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = decode(decoder, kin_str_of(cases[i].text));

            assert_encodes_as(object, cases[i].expected);
            kin_object_unref(object);
        }
    }
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* A map of 100,000 members, then the same again; quadratic time would not end. */
static void a_large_map_with_duplicates_takes_linear_time(void **state)
{
    enum { MEMBERS = 100000 };
    ref_text text = {NULL, 0, 0};
    kin_iter it;
    size_t i = 0;

    (void)state;
    ref_append_char(&text, '{');
    for (unsigned n = 0; n < 2 * MEMBERS; n++) {
        char member[48];

        snprintf(member, sizeof(member), "%s\"key-%u\":%u", n ? "," : "", n % MEMBERS, n);
        ref_append_str(&text, member);
    }
    ref_append_char(&text, '}');

    kin_decoder *decoder = new_decoder(NULL);

    for (unsigned round = 0; round < 3; round++) {
        const kin_object *object = decode(decoder, bytes(text.data, text.len));

        assert_int_equal(kin_value_len(kin_object_root(object)), MEMBERS);
        i = 0;
        for (kin_iter_init(&it, kin_object_root(object)); kin_iter_next(&it); i++) {
            char key[32];
            int64_t value = 0;

            snprintf(key, sizeof(key), "key-%zu", i);
            assert_true(kin_str_equal(it.key, kin_str_of(key)));
            assert_code(kin_value_int64(&value, it.value), 0);
            assert_int_equal(value, MEMBERS + i);
        }
        kin_object_unref(object);
    }
    kin_decoder_free(decoder);
    free(text.data);
    assert_pool_is_empty();
}

/*
 * What is looked through only to find where a map or array ends, beside the reading itself. The
 * linker puts count_skipped() in the place of the function that does it.
 */
const char *count_skipped(const char *p,
                          const char *end) __asm__("__wrap_kin__json_skip_container");
const char *skip_container(const char *p,
                           const char *end) __asm__("__real_kin__json_skip_container");

static size_t skipped_bytes;
static size_t skipped_most; /* in one call */

const char *count_skipped(const char *p, const char *end)
{
    const char *container_end = skip_container(p, end);
    size_t bytes_read = (size_t)((container_end ? container_end : end) - p);

    skipped_bytes += bytes_read;
    if (bytes_read > skipped_most)
        skipped_most = bytes_read;
    return container_end;
}

/* Of a large content inside so many arrays, read by a decoder that knows some texts already. */
static void skip_nested(unsigned levels, size_t *ret_len)
{
    ref_text text = {NULL, 0, 0};
    kin_decoder *decoder = new_decoder(NULL);
    random_keeper keeper = {{NULL}, 0};

    ref_append_str(&text, "{\"a\":");
    for (unsigned i = 0; i < levels; i++)
        ref_append_char(&text, '[');
    for (unsigned i = 0; i < 20000; i++)
        ref_append_str(&text, i ? ",\"some text, and some more\"" : "0");
    for (unsigned i = 0; i < levels; i++)
        ref_append_char(&text, ']');
    ref_append_char(&text, '}');
    /* So that there is something known to be looked for. */
    for (unsigned i = 0; i < ROUNDS; i++)
        random_keep(&keeper,
                    decode(decoder, kin_str_of("{\"b\":[\"a text that is long enough to be known "
                                               "when it comes again\",1,2,3,4]}")));
    skipped_bytes = 0;
    skipped_most = 0;
    kin_object_unref(decode(decoder, bytes(text.data, text.len)));
    *ret_len = text.len;
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    free(text.data);
}

/*
 * Nothing may look through the content once for each level around it. Of a level whose end is far
 * only so much is looked at as could be known.
 */
static void nesting_does_not_multiply_the_work(void **state)
{
    enum { LEVELS = 500, KNOWN_MAX = 65536 };
    size_t len = 0;

    (void)state;
    skip_nested(1, &len);
    assert_in_range(skipped_bytes, 1, KNOWN_MAX); /* that it is counted at all */
    assert_true(len > 8 * KNOWN_MAX);
    skip_nested(LEVELS, &len);
    assert_in_range(skipped_most, KNOWN_MAX, KNOWN_MAX);
    assert_in_range(skipped_bytes, LEVELS, (size_t)LEVELS * KNOWN_MAX);
    assert_pool_is_empty();
}

static void a_config_map_of_a_megabyte_is_read(void **state)
{
    ref_text text = {NULL, 0, 0};
    size_t content = 1024 * 1024;
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    ref_append_str(&text, "{\"metadata\":{\"name\":\"big\"},\"data\":{\"plain\":\"");
    for (size_t i = 0; i < content / 2; i++)
        ref_append_char(&text, (char)('a' + i % 23));
    ref_append_str(&text, "\",\"lines\":\"");
    for (size_t i = 0; i < content / 4; i++)
        ref_append_str(&text, i % 50 ? "\xc3\xa9" : "\\n");
    ref_append_str(&text, "\"}}");

    ref_value *expected = ref_parse(text.data, text.len);

    for (unsigned i = 0; i < 4; i++) {
        const kin_object *object = decode(decoder, bytes(text.data, text.len));
        const char *problem = ref_check_object(expected, object);

        if (problem)
            fail_msg("%.100s", problem);
        kin_object_unref(object);
    }
    ref_free(expected);
    kin_decoder_free(decoder);
    free(text.data);
    assert_pool_is_empty();
}

/* Every length around those at which the form changes, long and short. */
static void strings_of_every_length_are_kept(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);
    random_keeper keeper = {{NULL}, 0};

    (void)state;
    for (size_t len = 0; len < 70000; len += len < 300 ? 1 : len / 3) {
        ref_text text = {NULL, 0, 0};

        ref_append_str(&text, "{\"a\":\"");
        for (size_t i = 0; i < len; i++)
            ref_append_char(&text, (char)('a' + (i + len) % 26));
        ref_append_str(&text, "\",\"b\":[\"x\",\"");
        for (size_t i = 0; i < len; i++)
            ref_append_char(&text, (char)('a' + (i + len) % 26));
        ref_append_str(&text, "\"]}");
        for (unsigned round = 0; round < ROUNDS; round++) {
            const kin_object *object = decode(decoder, bytes(text.data, text.len));

            assert_encodes_as(object, text.data);
            random_keep(&keeper, object);
        }
        free(text.data);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* ---- random documents ---- */

static void fail_seed(uint64_t seed, unsigned round, const char *problem, const ref_text *text)
{
    fail_msg("seed %llu, round %u: %s\n%.*s", (unsigned long long)seed, round, problem,
             text->len > 2000 ? 2000 : (int)text->len, text->data);
}

/* All members but the metadata, in which the name is another one, are equal and hash equal. */
static bool are_alike(const kin_object *a, const kin_object *b)
{
    kin_iter it;

    for (kin_iter_init(&it, kin_object_root(a)); kin_iter_next(&it);) {
        kin_value other = kin_value_get(kin_object_root(b), it.key);

        if (!kin_str_equal(it.key, kin_str_of("metadata")) &&
            (!kin_value_equal(it.value, other) ||
             kin_value_hash(it.value) != kin_value_hash(other)))
            return false;
    }
    return kin_value_len(kin_object_root(a)) == kin_value_len(kin_object_root(b));
}

/*
 * The same text many times, and under many names: the first and the last are alike, and what came
 * between.
 */
static void check_random(kin_decoder *decoder, kin_test_rng *rng, uint64_t seed, unsigned *told)
{
    ref_value *expected = random_document(rng, 1 + kin_test_below(rng, 60));
    const kin_object *first = NULL;
    ref_text text = {NULL, 0, 0};
    random_keeper keeper = {{NULL}, 0};

    for (unsigned round = 0; round < ROUNDS; round++) {
        /* Every third time spelled in another way. */
        if (round % 3 == 0 || round > 2) {
            free(text.data);
            if (round > 2)
                random_rename(expected, round);
            text = random_text(expected, rng, round % 3 ? 0 : (unsigned)kin_test_below(rng, 8));
        }
        const kin_object *object = decode(decoder, bytes(text.data, text.len));
        const char *problem = ref_check_object(expected, object);

        if (problem)
            fail_seed(seed, round, problem, &text);
        if (round == 0 || round == ROUNDS - 1) {
            char *encoded;
            size_t len;

            assert_code(kin_object_to_json(&encoded, &len, object, KIN_JSON_COMPACT, NULL), 0);
            *told += assert_same_json("random", bytes(text.data, text.len), bytes(encoded, len));
            kin_free(encoded);
        }
        if (!first)
            first = kin_object_ref(object);
        if (!are_alike(first, object) || (round < 3 && !kin_object_equal(first, object)))
            fail_seed(seed, round, "not equal to the first", &text);
        random_keep(&keeper, object);
    }
    random_keep_none(&keeper);
    kin_object_unref(first);
    free(text.data);
    ref_free(expected);
}

static void random_documents_are_what_their_text_says(void **state)
{
    kin_decoder *decoder = NULL;
    unsigned told = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        kin_test_rng rng = {seed};

        /* A new decoder now and then: what it remembers is its own. */
        if (seed % 50 == 1) {
            kin_decoder_free(decoder);
            decoder = new_decoder(NULL);
        }
        check_random(decoder, &rng, seed, &told);
    }
    kin_decoder_free(decoder);
    assert_in_range(told, 200, 800); /* the packaged parser has seen enough of them */
    assert_pool_is_empty();
}

/* Random damage: read or refused, as the packaged parser does, never both. */
static void damaged_documents_are_judged_as_the_packaged_parser_does(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);
    unsigned refused = 0;
    unsigned taken = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 12);
        ref_text text = random_text(document, &rng, (unsigned)kin_test_below(&rng, 8));
        const kin_object *object = NULL;
        kin_error err = KIN_ERROR_INIT;
        bool unable;

        for (size_t n = 1 + kin_test_below(&rng, 3); n > 0; n--)
            random_damage(&text, &rng);
        json_t *json = load(text.data, text.len, &unable);
        char *exact = malloc(text.len ? text.len : 1);
        assert_non_null(exact);
        memcpy(exact, text.data, text.len);
        int code = kin_decoder_decode(decoder, &object, bytes(exact, text.len), &err);

        if (code != 0 && (code != KIN_EPARSE || err.offset > text.len || !err.message[0]))
            fail_seed(seed, 0, err.message, &text);
        /* The other parser steps over a zero byte behind a number. */
        unable |= code != 0 && memchr(text.data, '\0', text.len);
        if (!unable && (code == 0) != json_is_object(json))
            fail_seed(seed, 0, code ? err.message : "taken, the other parser refuses", &text);
        taken += code == 0;
        refused += code != 0;
        json_decref(json);
        kin_object_unref(object);
        free(exact);
        free(text.data);
        ref_free(document);
    }
    kin_decoder_free(decoder);
    assert_true(taken > 100 && refused > 1000);
    assert_pool_is_empty();
}

/* Many documents at once, freed in any order. */
static void documents_live_on_without_their_decoder(void **state)
{
    enum { DOCUMENTS = 300 };
    static const kin_object *objects[DOCUMENTS];
    static ref_value *expected[DOCUMENTS];
    kin_decoder *decoder = new_decoder(NULL);
    kin_test_rng rng = {7};

    (void)state;
    for (size_t i = 0; i < DOCUMENTS; i++) {
        /* Half of them are alike. */
        expected[i] =
            i % 2 ? ref_copy(expected[kin_test_below(&rng, i)]) : random_document(&rng, 30);
        if (i % 4 == 1)
            random_change(expected[i], &rng);
        ref_text text = random_text(expected[i], &rng, 0);
        objects[i] = decode(decoder, bytes(text.data, text.len));
        free(text.data);
    }
    kin_decoder_free(decoder);
    for (size_t left = DOCUMENTS; left > 0; left--) {
        size_t i = kin_test_below(&rng, left);
        const char *problem = ref_check_object(expected[i], objects[i]);

        if (problem)
            fail_msg("%zu: %s", i, problem);
        ref_free(expected[i]);
        kin_object_unref(objects[i]);
        expected[i] = expected[left - 1];
        objects[i] = objects[left - 1];
    }
    assert_pool_is_empty();
}

/* ---- finding the ends of texts ---- */

static void plain_text_ends_at_the_first_special_byte(void **state)
{
    char text[80];

    (void)state;
    for (size_t len = 0; len <= sizeof(text); len++) {
        for (unsigned c = 0; c < 256; c++) {
            bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
            size_t at = len * 7 % (len + 1);

            memset(text, 'x', sizeof(text));
            if (at < len)
                text[at] = (char)c;
            assert_ptr_equal(kin__json_scan_plain(text, text + len), text + (plain ? len : at));
        }
    }
}

static void equal_bytes_are_equal(void **state)
{
    char a[70];
    char b[70];

    (void)state;
    for (size_t n = 0; n <= 64; n++) {
        for (size_t i = 0; i < sizeof(a); i++)
            a[i] = b[i] = (char)('a' + i % 26);
        b[n] = '!'; /* not looked at */
        assert_true(kin__same_bytes(a, b, n));
        for (size_t i = 0; i < n; i++) {
            b[i] ^= 1;
            assert_false(kin__same_bytes(a, b, n));
            b[i] ^= 1;
        }
    }
}

/* ---- without memory ---- */

struct reading {
    const char *text;
    const kin_decode_options *options;
    unsigned times;
};

/* Reads a text several times with one decoder; what was read is kept until the end. */
static int read_often(void *arg, kin_error *err)
{
    const struct reading *reading = arg;
    const kin_object *objects[ROUNDS] = {NULL};
    kin_decoder *decoder;
    int code = kin_decoder_new(&decoder, reading->options, err);

    if (code < 0)
        return code;
    for (unsigned i = 0; code == 0 && i < reading->times; i++)
        code = kin_decoder_decode(decoder, &objects[i], kin_str_of(reading->text), err);
    kin_decoder_free(decoder);
    for (unsigned i = reading->times; i-- > 0;) {
        if (objects[i])
            assert_true(kin_object_equal(objects[0], objects[i]));
        kin_object_unref(objects[i]);
    }
    assert_pool_is_empty();
    return code;
}

static void without_memory_decoding_fails_and_leaves_nothing(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"n\",\"namespace\":\"team-a\",\"labels\":{\"app\":\"web\","
        "\"id\":\"0a0a0a0a-1111-2222-3333-444444444444\"}},"
        "\"spec\":{\"list\":[{\"a\":\"some text of some length\",\"b\":[1,2,3,4,5,6]},"
        "{\"a\":\"some text of some length\",\"b\":[1,2,3,4,5,6]},"
        "{\"\\u0061\":\"escaped \\n text\",\"b\":[1,2,3,4,5,6],\"b\":{\"c\":{}}}],"
        "\"selector\":{\"matchLabels\":{\"app\":\"web\","
        "\"id\":\"0a0a0a0a-1111-2222-3333-444444444444\"}}}}";
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reading once = {text, NULL, 1};
    struct reading often = {text, NULL, ROUNDS};
    /* Without a name it is another object each time. */
    struct reading shared = {strchr(text, ',') + 1, NULL, ROUNDS};
    struct reading with_options = {text, &options, 3};
    char nameless[sizeof(text)];

    (void)state;
    snprintf(nameless, sizeof(nameless), "{\"metadata\":{%s", shared.text);
    shared.text = nameless;
    kin_test_fail_each_allocation(read_often, &once);
    kin_test_fail_each_allocation(read_often, &often);
    kin_test_fail_each_allocation(read_often, &shared);
    options.api_version = "v1";
    options.kind = "Pod";
    kin_test_fail_each_allocation(read_often, &with_options);
}

static int read_many_values(void *arg, kin_error *err)
{
    const ref_text *text = arg;
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, bytes(text->data, text->len), NULL, err);

    kin_object_unref(object);
    assert_pool_is_empty();
    return code;
}

/* Nodes, the arena and the table of keys grow while it is read. */
static void without_memory_a_growing_document_fails(void **state)
{
    ref_text text = {NULL, 0, 0};

    (void)state;
    ref_append_str(&text, "{\"\\u0061\":[");
    for (unsigned i = 0; i < 3000; i++)
        ref_append_str(&text, i ? ",\"\\u0062 escaped, and long enough\"" : "1");
    ref_append_str(&text, "],\"b\":{");
    for (unsigned i = 0; i < 1000; i++) {
        char member[32];

        snprintf(member, sizeof(member), "%s\"m%u\":null", i ? "," : "", i % 700);
        ref_append_str(&text, member);
    }
    ref_append_str(&text, "}}");
    kin_test_fail_each_allocation(read_many_values, &text);
    free(text.data);
}

static int read_value_text(void *arg, kin_error *err)
{
    const kin_object *holder = NULL;
    kin_value value;
    int code = kin__json_read_value(&holder, &value, kin_str_of(arg), err);

    kin_object_unref(holder);
    return code;
}

static void without_memory_a_value_fails(void **state)
{
    char text[] = "[{\"a\":\"\\u0061\"},2]";

    (void)state;
    kin_test_fail_each_allocation(read_value_text, text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_text_is_refused_with_place_and_reason),
        cmocka_unit_test(no_text_is_an_unexpected_end),
        cmocka_unit_test(a_text_cut_anywhere_is_refused_at_its_end),
        cmocka_unit_test(a_prefix_says_where_it_ended),
        cmocka_unit_test(valid_files_are_decoded_and_encoded),
        cmocka_unit_test(invalid_files_are_refused),
        cmocka_unit_test(other_roots_are_no_objects_but_values),
        cmocka_unit_test(values_are_refused_with_their_offset),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(max_bytes_bounds_the_object_not_the_space_behind_it),
        cmocka_unit_test(strings_and_keys_are_bounded),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(what_is_shared_has_its_depth),
        cmocka_unit_test(type_defaults_are_put_in_front_where_there_are_none),
        cmocka_unit_test(of_a_key_that_comes_twice_the_last_counts),
        cmocka_unit_test(a_large_map_with_duplicates_takes_linear_time),
        cmocka_unit_test(nesting_does_not_multiply_the_work),
        cmocka_unit_test(a_config_map_of_a_megabyte_is_read),
        cmocka_unit_test(strings_of_every_length_are_kept),
        cmocka_unit_test(random_documents_are_what_their_text_says),
        cmocka_unit_test(damaged_documents_are_judged_as_the_packaged_parser_does),
        cmocka_unit_test(documents_live_on_without_their_decoder),
        cmocka_unit_test(plain_text_ends_at_the_first_special_byte),
        cmocka_unit_test(equal_bytes_are_equal),
        cmocka_unit_test(without_memory_decoding_fails_and_leaves_nothing),
        cmocka_unit_test(without_memory_a_growing_document_fails),
        cmocka_unit_test(without_memory_a_value_fails),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
