/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder: what it takes, what it refuses and where, and that documents are what the text says
 * however often it was read: from the second time on values are shared, from the third on keys are
 * learnt, from the twelfth on strings are words, and none of it may be seen.
 */
#include "decode_support.h"

#include <dirent.h>
#include <jansson.h>

#include "alloc.h"
#include "base/compiler.h"
#include "object/json.h"
#include "object/json_scan.h"
#include "random_document.h"
#include "reference.h"

/* --- what is refused, where and why --- */

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

/* --- files of tests/data --- */

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

/* --- random documents --- */

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

/* --- finding the ends of texts --- */

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
        cmocka_unit_test(random_documents_are_what_their_text_says),
        cmocka_unit_test(damaged_documents_are_judged_as_the_packaged_parser_does),
        cmocka_unit_test(documents_live_on_without_their_decoder),
        cmocka_unit_test(plain_text_ends_at_the_first_special_byte),
        cmocka_unit_test(equal_bytes_are_equal),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
