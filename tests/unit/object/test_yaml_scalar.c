/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plain scalars mean. What the tables say was compared with the answers of sigs.k8s.io/yaml,
 * but for numbers that are too large for it.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "object/yaml.h"
#include "rng.h"

/* In a block of exactly its size, so that ASan sees reads beyond it. */
static char *bare(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

/* A short word for what a scalar is, and its value if it is a number. */
static void describe(char *out, size_t size, const char *text)
{
    size_t len = strlen(text);
    char *copy = bare(text, len);
    kin_str view = kin_str_make(copy, len);
    kin__yaml_plain plain = kin__yaml_resolve(view);

    switch (plain.kind) {
    case KIN__YAML_STRING:
        snprintf(out, size, "string");
        break;
    case KIN__YAML_NULL:
        snprintf(out, size, "null");
        break;
    case KIN__YAML_FALSE:
        snprintf(out, size, "false");
        break;
    case KIN__YAML_TRUE:
        snprintf(out, size, "true");
        break;
    case KIN__YAML_INFINITE:
        snprintf(out, size, "infinite");
        break;
    case KIN__YAML_INTEGER:
        snprintf(out, size, "%s%llu", plain.negative ? "-" : "",
                 (unsigned long long)plain.magnitude);
        break;
    case KIN__YAML_DECIMAL: {
        char *digits = malloc(len + 1);

        assert_non_null(digits);
        size_t digits_len = kin__yaml_decimal(digits, view);
        assert_in_range(digits_len, 1, len + 1);
        snprintf(out, size, "%.*s%s", (int)digits_len, digits, plain.is_whole ? "" : " float");
        free(digits);
        break;
    }
    }
    free(copy);
}

struct meaning {
    const char *text;
    const char *means;
};

static void assert_meanings(const struct meaning *meanings, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char found[128];
        char with_text[256];
        char expected[256];

        describe(found, sizeof(found), meanings[i].text);
        snprintf(with_text, sizeof(with_text), "%s: %s", meanings[i].text, found);
        snprintf(expected, sizeof(expected), "%s: %s", meanings[i].text, meanings[i].means);
        assert_string_equal(with_text, expected);
    }
}

static void words_are_values_in_three_cases_only(void **state)
{
    static const struct meaning meanings[] = {
        {"", "null"},          {"~", "null"},         {"null", "null"},      {"Null", "null"},
        {"NULL", "null"},      {"nULL", "string"},    {"nullx", "string"},   {"~~", "string"},
        {"true", "true"},      {"True", "true"},      {"TRUE", "true"},      {"tRUE", "string"},
        {"yes", "true"},       {"Yes", "true"},       {"YES", "true"},       {"y", "true"},
        {"Y", "true"},         {"on", "true"},        {"On", "true"},        {"ON", "true"},
        {"false", "false"},    {"False", "false"},    {"FALSE", "false"},    {"no", "false"},
        {"No", "false"},       {"NO", "false"},       {"n", "false"},        {"N", "false"},
        {"off", "false"},      {"Off", "false"},      {"OFF", "false"},      {"oFF", "string"},
        {".inf", "infinite"},  {".Inf", "infinite"},  {".INF", "infinite"},  {"+.inf", "infinite"},
        {"+.Inf", "infinite"}, {"+.INF", "infinite"}, {"-.inf", "infinite"}, {"-.Inf", "infinite"},
        {"-.INF", "infinite"}, {".nan", "infinite"},  {".NaN", "infinite"},  {".NAN", "infinite"},
        {".iNF", "string"},    {"+.nan", "string"},   {"inf", "string"},     {"<<", "string"},
        {"=", "string"},       {"yess", "string"},    {"trues", "string"},   {" true", "string"},
    };

    (void)state;
    assert_meanings(meanings, kin__array_len(meanings));
}

static void integers_have_bases(void **state)
{
    static const struct meaning meanings[] = {
        {"0", "0"},
        {"-0", "-0"},
        {"+0", "0"},
        {"12", "12"},
        {"-12", "-12"},
        {"+12", "12"},
        {"00", "0"},
        {"017", "15"},
        {"-017", "-15"},
        {"08", "8 float"},
        {"-089", "-89 float"},
        {"0o17", "15"},
        {"0O17", "15"},
        {"0o8", "string"},
        {"0x1F", "31"},
        {"0X1f", "31"},
        {"-0x1f", "-31"},
        {"+0x1f", "31"},
        {"0x", "string"},
        {"0xg", "string"},
        {"0b101", "5"},
        {"0B101", "5"},
        {"-0b101", "-5"},
        {"0b102", "string"},
        {"0b", "string"},
        {"0b_", "string"},
        {"0b-101", "-5"},
        {"0b+101", "5"},
        {"0B-101", "string"},
        {"-0b-101", "string"},
        {"0x-1", "string"},
        {"-", "string"},
        {"+", "string"},
        {"--1", "string"},
        {"1a", "string"},
        {"0x7fffffffffffffff", "9223372036854775807"},
        {"0xffffffffffffffff", "18446744073709551615"},
        {"0x10000000000000000", "string"},
        {"-0x8000000000000000", "-9223372036854775808"},
        {"-0x8000000000000001", "string"},
        {"+0x7fffffffffffffff", "9223372036854775807"},
        {"+0x8000000000000000", "string"},
        {"01777777777777777777777", "18446744073709551615"},
        {"02000000000000000000000", "2000000000000000000000 float"},
        {"18446744073709551616", "18446744073709551616"},
        {"-123456789012345678901234567890", "-123456789012345678901234567890"},
    };

    (void)state;
    assert_meanings(meanings, kin__array_len(meanings));
}

static void underscores_do_not_count(void **state)
{
    static const struct meaning meanings[] = {
        {"1_000", "1000"},
        {"1__", "1"},
        {"-_1", "-1"},
        {"_1", "string"},
        {"0x_1_F_", "31"},
        {"0_8", "8 float"},
        {"0_", "0"},
        {"1_0.5_0", "10.50 float"},
        {"12e3_0", "12e30 float"},
        {"+_", "string"},
        {".5_0", "0.50 float"},
        {".5_", "string"},
        {"._5", "string"},
        {".5__0", "string"},
    };

    (void)state;
    assert_meanings(meanings, kin__array_len(meanings));
}

static void decimals_become_numbers_of_json(void **state)
{
    static const struct meaning meanings[] = {
        {"1.5", "1.5 float"},   {"+1.5", "1.5 float"},    {"-1.50", "-1.50 float"},
        {".5", "0.5 float"},    {"-.5", "-0.5 float"},    {"+.5", "0.5 float"},
        {"1.", "1 float"},      {"1.e5", "1e5 float"},    {"007.5", "7.5 float"},
        {"00.5", "0.5 float"},  {"1e5", "1e5 float"},     {"1E+05", "1E+05 float"},
        {"1e-5", "1e-5 float"}, {"1e999", "1e999 float"}, {"0e0", "0e0 float"},
        {"-0.0", "-0.0 float"}, {".5e1", "0.5e1 float"},  {".", "string"},
        {"..", "string"},       {".e5", "string"},        {"1e", "string"},
        {"1e+", "string"},      {"1.5.2", "string"},      {"1.2e3.4", "string"},
        {"-.", "string"},       {"0x1p4", "string"},      {"1 ", "string"},
        {"1.25.3", "string"},   {"1:30", "string"},       {"2001-01-01", "string"},
    };

    (void)state;
    assert_meanings(meanings, kin__array_len(meanings));
}

static void times_are_known_by_their_form(void **state)
{
    static const char *const times[] = {
        "2001-01-01",
        "2001-1-1",
        "2001-99-99",
        "2001-12-14T21:59:43Z",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14 21:59:43.10 -5",
        "2001-12-14 21:59:43",
        "2001-12-14\t21:59:43.",
        "2001-12-14T1:2:3+0530",
    };
    static const char *const others[] = {
        "",
        "2001",
        "2001-01",
        "201-01-01",
        "20011-01-01",
        "2001-001-01",
        "2001-01-001",
        "2001-01-01x",
        "2001-01-01T",
        "2001-01-01T10",
        "2001-01-01T10:00",
        "2001-01-01T10:00:00X",
        "2001-01-01T10:00:00ZZ",
        "2001-01-01T10:00:00+",
        "2001-01-01T10:00:00+1:2",
        "2001-01-01T10:00:00+01:000",
        "-2001-01-01",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(times); i++)
        assert_true(kin__yaml_is_time(kin_str_of(times[i])));
    for (size_t i = 0; i < kin__array_len(others); i++)
        assert_false(kin__yaml_is_time(kin_str_of(others[i])));
}

static void what_any_reader_takes_for_something_else_is_no_plain_string(void **state)
{
    static const char *const others[] = {
        "",        "true", "y",    "~",          "12",   "1_000",     "0x1F",
        "1.5",     ".inf", "<<",   "=",          "1:30", "+1_0:2:59", "20:30.15",
        "1:2:3._", ".5_",  "-1:5", "2001-01-01", ".5__", "1e9",       "0b-11",
    };
    static const char *const strings[] = {
        "a",    "yess",   "1.2.3", "8080:80", "1:60", "1:",   "1:2:",   ":1",  "1:2x",
        "._5",  "1:2.3x", "v1",    "-",       "+",    "0xg",  "_1",     "==",  "<",
        "1::2", "<<<",    "-a:5",  "1:123",   ".5a",  "a:30", "_:1:30", "0o8", "20010101T",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(others); i++) {
        if (kin__yaml_stays_string(kin_str_of(others[i])))
            fail_msg("`%s` would not stay a string", others[i]);
    }
    for (size_t i = 0; i < kin__array_len(strings); i++) {
        if (!kin__yaml_stays_string(kin_str_of(strings[i])))
            fail_msg("`%s` would stay a string", strings[i]);
    }
}

static void base64_is_decoded(void **state)
{
    static const struct meaning cases[] = {
        {"", ""},
        {"aA==", "h"},
        {"aGk=", "hi"},
        {"aGkh", "hi!"},
        {"aGkhIQ==", "hi!!"},
        {"aG\nkh\r\n", "hi!"},
        {"Pj4+Pz8/", ">>>???"},
    };
    static const char *const bad[] = {
        "a", "aGk", "aGk=====", "aGkh====", "a===", "aG=k", "=", "aG k", "aGk-", "aA=", "aA===",
    };
    char out[32];

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        size_t len = kin__yaml_base64(out, kin_str_of(cases[i].text));

        assert_int_equal(len, strlen(cases[i].means));
        assert_memory_equal(out, cases[i].means, len);
    }
    for (size_t i = 0; i < kin__array_len(bad); i++)
        assert_int_equal(kin__yaml_base64(out, kin_str_of(bad[i])), SIZE_MAX);
}

static void base64_of_anything_comes_back(void **state)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    kin_test_rng rng = {64};

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        unsigned char data[48] = {0};
        char text[65];
        size_t len = kin_test_below(&rng, 47);
        size_t text_len = 0;

        for (size_t i = 0; i < len; i++)
            data[i] = (unsigned char)kin_test_random(&rng);
        for (size_t i = 0; i < len; i += 3) {
            unsigned bits = (unsigned)data[i] << 16 | (unsigned)data[i + 1] << 8 | data[i + 2];

            for (unsigned d = 0; d < 4; d++)
                text[text_len++] = digits[bits >> (18 - 6 * d) & 63];
            for (size_t end = i + 3; end > len; end--)
                text[text_len - (i + 3 - end) - 1] = '=';
        }
        char *view = bare(text, text_len);
        char *out = bare(text, text_len);
        assert_int_equal(kin__yaml_base64(out, kin_str_make(view, text_len)), len);
        assert_memory_equal(out, data, len);
        free(view);
        free(out);
    }
}

static void float_keys_are_what_go_makes_of_them(void **state)
{
    static const struct {
        double number;
        const char *key;
    } cases[] = {
        {1.1, "1.1"},
        {0.0, "0"},
        {-0.0, "-0"},
        {100.0, "100"},
        {123456.0, "123456"},
        {1234567.0, "1.234567e+06"},
        {1e20, "1e+20"},
        {1e-4, "0.0001"},
        {1e-5, "1e-05"},
        {0.1, "0.1"},
        {16777217.0, "1.6777216e+07"},
        {-2.5, "-2.5"},
        {3.4028234663852886e38, "3.4028235e+38"},
        {3.40282350e38, "3.4028235e+38"},
        {-3.40282350e38, "-3.4028235e+38"},
        {1e39, ".inf"},
        {-1e39, "-.inf"},
        {1e-46, "0"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char key[KIN__YAML_FLOAT_KEY_SIZE];
        size_t len = kin__yaml_float_key(key, sizeof(key), cases[i].number);

        assert_string_equal(key, cases[i].key);
        assert_int_equal(len, strlen(key));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_values_in_three_cases_only),
        cmocka_unit_test(integers_have_bases),
        cmocka_unit_test(underscores_do_not_count),
        cmocka_unit_test(decimals_become_numbers_of_json),
        cmocka_unit_test(times_are_known_by_their_form),
        cmocka_unit_test(what_any_reader_takes_for_something_else_is_no_plain_string),
        cmocka_unit_test(base64_is_decoded),
        cmocka_unit_test(base64_of_anything_comes_back),
        cmocka_unit_test(float_keys_are_what_go_makes_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
