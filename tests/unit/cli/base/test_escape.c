/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes of control and hidden characters. */
#include "cli/base/escape.h"

#include <string.h>

#include "base/utf8.h"
#include "kin_test.h"

static void take(struct text *actual, const char *expected)
{
    assert_string_equal(text_string(actual), expected);
    text_done(actual);
}

static void what_moves_a_terminal_is_escaped(void **state)
{
    static const char given[] = "a\n\t\x1b[2J\x7f\xc2\x9b\xffz\0.";
    struct text t = TEXT_INIT;

    (void)state;
    add_escaped(&t, kin_str_make(given, sizeof(given) - 1));
    take(&t, "a\\n\\t\\x1b[2J\\x7f\\x9b?z\\x00.");
    add_escaped(&t,
                kin_str_of("\xe0\x80\x9b\xed\xa0\x80\xf4\x90\x80\x80")); /* no characters at all */
    take(&t, "??????????");
}

static void hidden_characters_are_escaped(void **state)
{
    static const struct {
        const char *given, *escaped, *json;
    } cases[] = {
        {"admin\u202enimda\u202c", "admin\\u202enimda\\u202c", "admin\\u202enimda\\u202c"},
        {"a\u200bb\u200cc\u200dd", "a\\u200bb\\u200cc\\u200dd", "a\\u200bb\\u200cc\\u200dd"},
        {"\u061c\u200e\u200f\u202a\u2066\u2069\u202c",
         "\\u061c\\u200e\\u200f\\u202a\\u2066\\u2069\\u202c",
         "\\u061c\\u200e\\u200f\\u202a\\u2066\\u2069\\u202c"},
        {"\u2060\ufeff\u2028\u2029", "\\u2060\\ufeff\\u2028\\u2029",
         "\\u2060\\ufeff\\u2028\\u2029"},
        {"\U000e0041", "\\U000e0041", "\\udb40\\udc41"},
        {"Köln 日本 🙂 שלום", "Köln 日本 🙂 שלום", "Köln 日本 🙂 שלום"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_str given = kin_str_of(cases[i].given);
        struct text t = TEXT_INIT;

        add_escaped(&t, given);
        take(&t, cases[i].escaped);
        add_escaped_lines(&t, given);
        take(&t, cases[i].escaped);
        add_json_escaped(&t, given, true);
        take(&t, cases[i].json);
        add_json_escaped(&t, given, false);
        take(&t, cases[i].given);
    }
}

static void control_characters_in_json_are_always_escaped(void **state)
{
    struct text t = TEXT_INIT;

    (void)state;
    add_json_escaped(&t, kin_str_of("\"\x7f\xc2\x9b\",\n\"é\""), false);
    take(&t, "\"\\u007f\\u009b\",\n\"é\"");
}

static size_t encode(char *out, long c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00 >> len) | c);
    return len;
}

/* The command cannot include the library's internal headers, so there are two tables. */
static void the_library_hides_the_same_characters(void **state)
{
    size_t n = 0;

    (void)state;
    for (long c = 0; c <= 0x10ffff; c++) {
        char bytes[4];
        size_t parsed = 0;

        if (c >= 0xd800 && c < 0xe000)
            continue;
        size_t len = encode(bytes, c);
        assert_int_equal(kin__utf8_char_len(bytes, len), len);
        assert_int_equal(text_char(kin_str_make(bytes, len), &parsed), c);
        assert_int_equal(parsed, len);
        if (char_is_hidden(c) != kin__utf8_is_hidden(bytes, len))
            fail_msg("U+%04lx: %d for the command", c, char_is_hidden(c));
        n += char_is_hidden(c);
    }
    assert_int_equal(n, 4174 + 5); /* Unicode has 4,174 default ignorable characters */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moves_a_terminal_is_escaped),
        cmocka_unit_test(hidden_characters_are_escaped),
        cmocka_unit_test(control_characters_in_json_are_always_escaped),
        cmocka_unit_test(the_library_hides_the_same_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
