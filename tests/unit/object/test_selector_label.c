/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and values of labels: what they can be, and which byte is wrong.
 */
#include "selector_support.h"

#include "base/compiler.h"

static void check_key(const char *key, int code, uint64_t offset)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(key, strlen(key));
    int got = kin_label_key_validate(s, &err);

    drop(s);
    if (got != code || err.code != code || err.offset != offset)
        fail_msg("\"%s\" gave %d at %llu: %s", key, got, (unsigned long long)err.offset,
                 err.message);
    if (code < 0)
        assert_non_null(strstr(err.message, "expected "));
}

static void check_value(const char *value, int code, uint64_t offset)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(value, strlen(value));
    int got = kin_label_value_validate(s, &err);

    drop(s);
    if (got != code || err.code != code || err.offset != offset)
        fail_msg("\"%s\" gave %d at %llu: %s", value, got, (unsigned long long)err.offset,
                 err.message);
}

static void keys_are_a_name_with_or_without_prefix(void **state)
{
    static const char *const keys[] = {
        "a",
        "A",
        "0",
        "in",
        "notin",
        "My-Name_1.x",
        "a--b",
        "a__b",
        "a..b",
        X63,
        "example.com/name",
        "a/b",
        "0/0",
        "1.2.3/NAME",
        "a-b.c-d/e",
        "a--b/c",
        X253 "/" X63,
        "kubernetes.io/" X63,
        X64 "/a", /* a part of a prefix has no limit of its own */
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(keys); i++)
        check_key(keys[i], 0, 0);
}

static void what_is_no_key_is_refused_at_its_first_wrong_byte(void **state)
{
    static const struct {
        const char *key;
        uint64_t offset;
    } rows[] = {
        {"", 0},          {"-a", 0},     {".a", 0},     {"_", 0},         {"a-", 1},
        {"ab_", 2},       {"a.", 1},     {"a b", 1},    {"a@b", 1},       {"a=b", 1},
        {"a\xc3\xa4", 1}, {"a\x7f", 1},  {X64, 63},     {X63 "-", 63},    {X63 "@", 63},
        {"x@" X64, 1}, /* before it is too long it is wrong */
        {"/", 0},         {"/a", 0},     {"a/", 2},     {"a/b/c", 3},     {"a//b", 2},
        {"//", 0},        {"a/-", 2},    {"a/b-", 3},   {"A/b", 0},       {"aB/b", 1},
        {"a_b/c", 1},     {"-a/b", 0},   {"a-/b", 1},   {".a/b", 0},      {"a./b", 2},
        {"a..b/c", 2},    {"a.-b/c", 2}, {"a-.b/c", 1}, {X254 "/a", 253}, {"a.b/" X64, 67},
        {"a b/c", 1},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        check_key(rows[i].key, KIN_EPARSE, rows[i].offset);
}

static void values_may_be_empty(void **state)
{
    static const char *const values[] = {"", "a", "Z", "9", "a-b", "a_b", "a.b", "A--..__b", X63};

    (void)state;
    for (size_t i = 0; i < kin__array_len(values); i++)
        check_value(values[i], 0, 0);
}

static void what_is_no_value_is_refused_at_its_first_wrong_byte(void **state)
{
    static const struct {
        const char *value;
        uint64_t offset;
    } rows[] = {
        {"-", 0}, {"-a", 0},  {"a-", 1},  {"_", 0},        {".", 0},  {"a/b", 1},
        {" ", 0}, {"a b", 1}, {"a\n", 1}, {"\xc3\xa4", 0}, {X64, 63}, {"+5", 0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        check_value(rows[i].value, KIN_EPARSE, rows[i].offset);
}

/* Each byte at each of three places. */
static void only_ascii_letters_and_digits_stand_at_the_ends(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool inside = letter || c == '-' || c == '_' || c == '.';

        for (size_t at = 0; at < 3; at++) {
            char text[] = "xxx";
            kin_error err = KIN_ERROR_INIT;
            int code = (at == 1 ? inside : letter) ? 0 : KIN_EPARSE;

            text[at] = (char)c;
            assert_code(kin_label_value_validate(kin_str_make(text, 3), &err), code);
            assert_int_equal(err.offset, code ? at : 0);
            if (c == '/')
                continue;
            assert_code(kin_label_key_validate(kin_str_make(text, 3), NULL), code);
        }
    }
}

static void messages_say_what_was_expected_and_found(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_label_key_validate(kin_str_of("a@b"), &err);
    assert_string_equal(
        err.message, "label key: expected letters, digits, '-', '_' or '.', found '@' at byte 1");
    kin_label_key_validate(kin_str_of("a/"), &err);
    assert_string_equal(err.message, "label key: expected a name, found its end at byte 2");
    kin_label_value_validate(kin_str_make("\0", 1), &err);
    assert_string_equal(
        err.message,
        "label value: expected a letter or digit at the beginning, found byte 0x00 at byte 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_a_name_with_or_without_prefix),
        cmocka_unit_test(what_is_no_key_is_refused_at_its_first_wrong_byte),
        cmocka_unit_test(values_may_be_empty),
        cmocka_unit_test(what_is_no_value_is_refused_at_its_first_wrong_byte),
        cmocka_unit_test(only_ascii_letters_and_digits_stand_at_the_ends),
        cmocka_unit_test(messages_say_what_was_expected_and_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
