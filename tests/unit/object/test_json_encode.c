/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON from documents: the exact text in both styles, escapes, parts of documents, and errors.
 */
#include "kin_test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/json.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

#define ROUNDS 15

static const kin_object *decode(const char *text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(text), NULL, &err) != 0)
        fail_msg("%s: %s", text, err.message);
    return object;
}

static void assert_written(const kin_object *object, enum kin_json_style style,
                           const char *expected)
{
    char *text = NULL;
    size_t len = 0;

    assert_code(kin_object_to_json(&text, &len, object, style, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
    kin_free(text);
    /* The length need not be asked for. */
    assert_code(kin_object_to_json(&text, NULL, object, style, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
}

static void documents_are_written_in_both_styles(void **state)
{
    static const struct {
        const char *text;
        const char *compact;
        const char *pretty;
    } cases[] = {
        {" { } ", "{}", "{}"},
        {"{\"a\": 1}", "{\"a\":1}", "{\n    \"a\": 1\n}"},
        {"{\"a\":{},\"b\":[]}", "{\"a\":{},\"b\":[]}", "{\n    \"a\": {},\n    \"b\": []\n}"},
        {"{\"a\":[1,[2,{\"c\":null}],true],\"b\":{\"d\":false}}",
         "{\"a\":[1,[2,{\"c\":null}],true],\"b\":{\"d\":false}}",
         "{\n    \"a\": [\n        1,\n        [\n            2,\n            {\n"
         "                \"c\": null\n            }\n        ],\n        true\n    ],\n"
         "    \"b\": {\n        \"d\": false\n    }\n}"},
        {"{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}", "{\n    \"b\": 1,\n    \"a\": 2\n}"},
    };

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = decode(cases[i].text);

            assert_written(object, KIN_JSON_COMPACT, cases[i].compact);
            assert_written(object, KIN_JSON_PRETTY, cases[i].pretty);
            kin_object_unref(object);
        }
    }
}

/* Nothing about a number changes, nothing is lost. */
static void numbers_are_written_as_they_were(void **state)
{
    static const char text[] =
        "{\"n\":[0,-0,1,31,32,-1,1.0,1.50,1e3,1E+3,1e-07,0.1,-0.0,9223372036854775807,"
        "-9223372036854775808,9223372036854775808,123456789012345678901234567890123456789,"
        "1e400,1e-400,0e0]}";
    const kin_object *object = decode(text);

    (void)state;
    assert_written(object, KIN_JSON_COMPACT, text);
    kin_object_unref(object);
}

/* Deeper than the run of blanks that the writer has at hand. */
static void deep_documents_are_indented(void **state)
{
    ref_text text = {NULL, 0, 0};
    ref_text expected = {NULL, 0, 0};

    (void)state;
    ref_append_str(&text, "{\"a\":");
    ref_append_str(&expected, "{\n    \"a\": ");
    for (unsigned i = 0; i < 100; i++) {
        ref_append_str(&text, "[");
        ref_append_str(&expected, "[\n");
        for (unsigned n = 0; n < i + 2; n++)
            ref_append_str(&expected, "    ");
    }
    ref_append_str(&text, "0");
    ref_append_str(&expected, "0");
    for (unsigned i = 100; i > 0; i--) {
        ref_append_str(&text, "]");
        ref_append_str(&expected, "\n");
        for (unsigned n = 0; n < i; n++)
            ref_append_str(&expected, "    ");
        ref_append_str(&expected, "]");
    }
    ref_append_str(&text, "}");
    ref_append_str(&expected, "\n}");
    const kin_object *object = decode(text.data);
    assert_written(object, KIN_JSON_PRETTY, expected.data);
    assert_written(object, KIN_JSON_COMPACT, text.data);
    kin_object_unref(object);
    free(text.data);
    free(expected.data);
}

static void assert_string_written(kin_str text, const char *expected)
{
    kin__buf buf;
    char *written;

    kin__buf_init(&buf, 100000);
    kin__json_write_string(&buf, text);
    assert_code(kin__buf_take(&buf, &written, NULL), 0);
    assert_string_equal(written, expected);
    kin_free(written);
}

static void strings_are_escaped_where_they_must_be(void **state)
{
    (void)state;
    assert_string_written(kin_str_make(NULL, 0), "\"\"");
    assert_string_written(kin_str_of("plain text"), "\"plain text\"");
    assert_string_written(kin_str_of("\"\\/"), "\"\\\"\\\\/\"");
    assert_string_written(kin_str_of("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    assert_string_written(kin_str_make("\0\1\x1f\x7f", 4), "\"\\u0000\\u0001\\u001f\x7f\"");
    assert_string_written(kin_str_of("<>&'"), "\"<>&'\"");
    /* What is beyond ASCII stands for itself, between whatever. */
    assert_string_written(kin_str_of("\xc3\xa9\n\xe2\x82\xac\"\xf0\x9f\x98\x80x"),
                          "\"\xc3\xa9\\n\xe2\x82\xac\\\"\xf0\x9f\x98\x80x\"");
    assert_string_written(kin_str_of("\xe2\x80\xa8"), "\"\xe2\x80\xa8\"");
}

/* Every byte at every place of a long string: the writer looks at many bytes at once. */
static void every_byte_is_written_right_at_every_place(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 0x80; c++) {
        for (size_t at = 0; at < 40; at++) {
            char text[40];
            char expected[64];
            char escape[8] = {(char)c, 0};
            const char *letter = c ? strchr("\bb\ff\nn\rr\tt", (int)c) : NULL;

            memset(text, 'x', sizeof(text));
            text[at] = (char)c;
            if (c == '"' || c == '\\')
                snprintf(escape, sizeof(escape), "\\%c", c);
            else if (c < 0x20 && letter)
                snprintf(escape, sizeof(escape), "\\%c", letter[1]);
            else if (c < 0x20)
                snprintf(escape, sizeof(escape), "\\u%04x", c);
            snprintf(expected, sizeof(expected), "\"%.*s%s%.*s\"", (int)at, text, escape,
                     (int)(39 - at), text + at + 1);
            assert_string_written(kin_str_make(text, sizeof(text)), expected);
        }
    }
}

/* Keys need escapes as values do; learnt or not. */
static void keys_are_escaped(void **state)
{
    static const char text[] =
        "{\"a\\\"b\":1,\"\\\\\":2,\"\\n\":3,\"\\u0000\":4,\"\xc3\xa9\":5,\"\":6,\"<\":7}";

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *object = decode(text);

        assert_written(object, KIN_JSON_COMPACT, text);
        kin_object_unref(object);
    }
}

static void parts_are_written_alone(void **state)
{
    static const struct {
        const char *key;
        const char *text;
    } parts[] = {
        {"null", "null"},
        {"true", "true"},
        {"integer", "-12"},
        {"number", "1.50"},
        {"string", "\"a\\nb\""},
        {"uuid", "\"0a0b0c0d-1111-2222-3333-444444444444\""},
        {"array", "[1,{\"a\":[]}]"},
        {"map", "{\"b\":{\"c\":\"10.0.0.1\"}}"},
        {"empty", "{}"},
    };
    ref_text text = {NULL, 0, 0};

    (void)state;
    for (size_t i = 0; i < kin__array_len(parts); i++) {
        ref_append_str(&text, i ? ",\"" : "{\"");
        ref_append_str(&text, parts[i].key);
        ref_append_str(&text, "\":");
        ref_append_str(&text, parts[i].text);
    }
    ref_append_str(&text, "}");
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *object = decode(text.data);

        for (size_t i = 0; i < kin__array_len(parts); i++) {
            kin_value value = kin_value_get(kin_object_root(object), kin_str_of(parts[i].key));
            char *written;
            size_t len;

            assert_code(kin_value_to_json(&written, &len, value, KIN_JSON_COMPACT, NULL), 0);
            assert_string_equal(written, parts[i].text);
            assert_int_equal(len, strlen(parts[i].text));
            kin_free(written);
        }
        kin_object_unref(object);
    }
    free(text.data);
}

static void the_name_and_namespace_are_written_from_the_key(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"namespace\":\"s\\n\",\"name\":\"n\\\"\"},\"x\":\"s\\n\"}";
    const kin_object *object = decode(text);

    (void)state;
    assert_written(object, KIN_JSON_COMPACT, text);
    kin_object_unref(object);
}

static void what_is_no_document_is_refused(void **state)
{
    const kin_value none = {NULL, NULL};
    const kin_object *key = NULL;
    const kin_object *object = decode("{}");
    char *text = (char *)(uintptr_t)8;
    size_t len = 77;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a"), NULL), 0);
    assert_code(kin_object_to_json(&text, &len, key, KIN_JSON_COMPACT, &err), KIN_ETYPE);
    assert_int_equal(err.code, KIN_ETYPE);
    assert_code(kin_value_to_json(&text, &len, none, KIN_JSON_COMPACT, &err), KIN_EINVAL);
    assert_code(kin_object_to_json(&text, &len, object, (enum kin_json_style)2, &err), KIN_EINVAL);
    assert_code(
        kin_value_to_json(&text, &len, kin_object_root(object), (enum kin_json_style) - 1, NULL),
        KIN_EINVAL);
    assert_ptr_equal(text, (void *)8);
    assert_int_equal(len, 77);
    kin_object_unref(key);
    kin_object_unref(object);
}

static int write_both(void *arg, kin_error *err)
{
    const kin_object *object = arg;
    char *text;
    int code = kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, err);

    if (code < 0)
        return code;
    kin_free(text);
    code = kin_object_to_json(&text, NULL, object, KIN_JSON_PRETTY, err);
    if (code == 0)
        kin_free(text);
    return code;
}

static void without_memory_nothing_is_written(void **state)
{
    ref_text text = {NULL, 0, 0};

    (void)state;
    ref_append_str(&text, "{\"a\":\"");
    for (unsigned i = 0; i < 3000; i++)
        ref_append_str(&text, "0123456789\\n");
    ref_append_str(&text, "\",\"b\":[1,{\"c\":\"\\u0001\"}]}");
    const kin_object *object = decode(text.data);
    kin_test_fail_each_allocation(write_both, (void *)(uintptr_t)object);
    kin_object_unref(object);
    free(text.data);
}

/* Strict, as the packaged parser has it, and the same value in both styles. */
static void random_documents_are_valid_json(void **state)
{
    unsigned told = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        kin_test_rng rng = {seed + 1000};
        ref_value *document = random_document(&rng, 30);
        ref_text text = random_text(document, &rng, 0);
        const kin_object *object = NULL;
        char *compact;
        char *pretty;
        json_error_t error;

        assert_code(kin_object_from_json(&object, kin_str_make(text.data, text.len), NULL, NULL),
                    0);
        assert_code(kin_object_to_json(&compact, NULL, object, KIN_JSON_COMPACT, NULL), 0);
        assert_code(kin_object_to_json(&pretty, NULL, object, KIN_JSON_PRETTY, NULL), 0);
        json_t *a = json_loads(compact, JSON_ALLOW_NUL, &error);
        json_t *b = json_loads(pretty, JSON_ALLOW_NUL, &error);
        assert_true((a == NULL) == (b == NULL));
        assert_true(!a || json_equal(a, b));
        assert_true(a || json_error_code(&error) == json_error_numeric_overflow ||
                    json_error_code(&error) == json_error_null_byte_in_key);
        told += a != NULL;
        json_decref(a);
        json_decref(b);
        kin_free(compact);
        kin_free(pretty);
        kin_object_unref(object);
        free(text.data);
        ref_free(document);
    }
    assert_in_range(told, 100, 300);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_written_in_both_styles),
        cmocka_unit_test(numbers_are_written_as_they_were),
        cmocka_unit_test(deep_documents_are_indented),
        cmocka_unit_test(strings_are_escaped_where_they_must_be),
        cmocka_unit_test(every_byte_is_written_right_at_every_place),
        cmocka_unit_test(keys_are_escaped),
        cmocka_unit_test(parts_are_written_alone),
        cmocka_unit_test(the_name_and_namespace_are_written_from_the_key),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(without_memory_nothing_is_written),
        cmocka_unit_test(random_documents_are_valid_json),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
