/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Continue tokens, and JSON that is indented as it comes by.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "apiserver/protocol/continue_token.h"
#include "apiserver/protocol/indent.h"
#include "base/compiler.h"

static void round_trips(void **unused)
{
    static const char *const keys[] = {"a",       "ns/name", "name-253", "\xc3\xa4",
                                       "a\"b\\c", "ab",      "abc"};
    static const int64_t versions[] = {1, -1, INT64_MAX};

    (void)unused;
    for (size_t i = 0; i < kin__array_len(keys); i++) {
        for (size_t j = 0; j < kin__array_len(versions); j++) {
            kin__continue from;
            kin__failure failure;
            kin__buf token;

            kin__buf_init(&token, KIN__CONTINUE_MAX);
            kin__continue_write(&token, versions[j], kin_str_of(keys[i]));
            assert_int_equal(token.failed, 0);
            assert_true(kin__continue_read(&from, kin__buf_str(&token), &failure));
            assert_int_equal(from.version, versions[j]);
            assert_string_equal(from.after.data, keys[i]);
            kin__continue_done(&from);
            kin__buf_done(&token);
        }
    }
    assert_int_equal(kin_test_alloc_live(), 0);
}

/* As a real server has made it. */
static void recorded(void **unused)
{
    static const char token[] =
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzIxLCJzdGFydCI6InIxXHUwMDAwIn0";
    kin__continue from;
    kin__failure failure;
    kin__buf written;

    (void)unused;
    assert_true(kin__continue_read(&from, kin_str_of(token), &failure));
    assert_int_equal(from.version, 321);
    assert_string_equal(from.after.data, "r1");
    kin__buf_init(&written, KIN__CONTINUE_MAX);
    kin__continue_write(&written, 321, kin_str_of("r1"));
    assert_string_equal(written.data, token);
    kin__buf_done(&written);
    kin__continue_done(&from);
}

static void refused(void **unused)
{
    static char token[KIN__CONTINUE_MAX + 2];
    kin__continue from;
    kin__failure failure;

    (void)unused;
    for (size_t i = 0; i <= KIN__CONTINUE_MAX; i++)
        token[i] = 'A';
    assert_false(kin__continue_read(&from, kin_str_of(token), &failure));
    assert_int_equal(failure.status, 400);
    kin__continue_done(&from);
    /* A letter too many, and a zero byte too many: {…,"rv":9,"start":"a\u0000b\u0000"} */
    assert_false(kin__continue_read(
        &from, kin_str_of("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OSwic3RhcnQiOiJhYVx1MDAwMCJ9A"),
        &failure));
    assert_non_null(strstr(failure.message, "illegal base64 data at input byte 64"));
    kin__continue_done(&from);
    assert_false(kin__continue_read(
        &from,
        kin_str_of("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OSwic3RhcnQiOiJhXHUwMDAwYlx1MDAwMCJ9"),
        &failure));
    assert_int_equal(failure.status, 400);
    kin__continue_done(&from);
}

static void indenting(void **unused)
{
    static const char compact[] = "{\"a\":{},\"b\":[],\"c\":[1,{\"d\":\"x,{\\\"}\"}],\"e\":null}";
    static const char pretty[] =
        "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    1,\n    {\n      \"d\": "
        "\"x,{\\\"}\"\n    }\n  ],\n  \"e\": null\n}";
    kin_str text = kin_str_of(compact);

    (void)unused;
    for (size_t piece = 1; piece <= text.len; piece++) {
        kin__indent indent = {.depth = 0};
        kin__buf out;

        kin__buf_init(&out, 4096);
        for (size_t at = 0; at < text.len; at += piece)
            kin__indent_append(
                &indent, &out,
                kin_str_make(text.data + at, piece < text.len - at ? piece : text.len - at));
        assert_string_equal(out.data, pretty);
        kin__buf_done(&out);
    }
}

/* The indented text, without its white space, is the text; *ret_len is its length with it. */
static void assert_indents(kin_str text, size_t *ret_len)
{
    kin__indent indent = {.depth = 0};
    kin__buf out;
    size_t at = 0;

    kin__buf_init(&out, SIZE_MAX - 1);
    kin__indent_append(&indent, &out, text);
    assert_int_equal(out.failed, 0);
    for (size_t i = 0; i < out.len; i++) {
        if (out.data[i] == ' ' || out.data[i] == '\n')
            continue;
        assert_true(at < text.len);
        assert_int_equal(out.data[i], text.data[at]);
        at++;
    }
    assert_int_equal(at, text.len);
    *ret_len = out.len;
    kin__buf_done(&out);
}

static void indenting_is_bounded(void **unused)
{
    kin__buf text;
    size_t len = 0;

    (void)unused;
    kin__buf_init(&text, SIZE_MAX - 1);
    for (unsigned i = 0; i < 500; i++)
        kin__buf_append_char(&text, '[');
    for (unsigned i = 0; i < 100000; i++)
        kin__buf_append(&text, kin_str_of("1,"));
    kin__buf_append_char(&text, '1');
    for (unsigned i = 0; i < 500; i++)
        kin__buf_append_char(&text, ']');
    assert_indents(kin__buf_str(&text), &len);
    assert_true(len <= text.len + kin__indent_max(text.len));
    assert_true(len > 8 * text.len);
    kin__buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(recorded),
        cmocka_unit_test(refused),
        cmocka_unit_test(indenting),
        cmocka_unit_test(indenting_is_bounded),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
