/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities. The tables were made with apimachinery's resource package, except where the
 * header says that we differ. Random ones are checked against 128-bit integers.
 */
#include "kin_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "kinform/quantity.h"
#include "rng.h"

static int parse(kin_quantity *ret, const char *text, kin_error *err)
{
    /* Exactly as much memory as the text has bytes, so that ASan sees a read behind it. */
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    int code = kin_quantity_parse(ret, kin_str_make(copy, len), err);
    free(copy);
    return code;
}

static kin_quantity quantity(const char *text)
{
    kin_error err = KIN_ERROR_INIT;
    kin_quantity q;

    if (parse(&q, text, &err) != 0)
        fail_msg("\"%s\": %s", text, err.message);
    return q;
}

static void assert_text(kin_quantity q, const char *expected)
{
    char text[KIN_QUANTITY_TEXT_SIZE];

    assert_int_equal(kin_quantity_format(text, sizeof(text), q), strlen(expected));
    assert_string_equal(text, expected);
}

/* --- reading and writing --- */

static void quantities_are_written_in_canonical_form(void **state)
{
    enum {
        SI = KIN_QUANTITY_DECIMAL_SI,
        BI = KIN_QUANTITY_BINARY_SI,
        EX = KIN_QUANTITY_DECIMAL_EXPONENT
    };
    static const struct {
        const char *text;
        const char *canonical;
        int notation;
    } rows[] = {
        {"0", "0", SI},
        {"-0", "0", SI},
        {"0.000", "0", SI},
        {"0Ki", "0", BI},
        {"0Pi", "0", BI},
        {"0e7", "0", EX},
        {"0e-10", "0", EX},
        {"0e99999999999", "0", EX},
        {"1", "1", SI},
        {"+1", "1", SI},
        {"-1", "-1", SI},
        {"00012", "12", SI},
        {"100m", "100m", SI},
        {"0.1", "100m", SI},
        {".5", "500m", SI},
        {"-.5", "-500m", SI},
        {"5.", "5", SI},
        {"1.500", "1500m", SI},
        {"1000m", "1", SI},
        {"1000", "1k", SI},
        {"10000", "10k", SI},
        {"12345", "12345", SI},
        {"1n", "1n", SI},
        {"1000n", "1u", SI},
        {"1u", "1u", SI},
        {"1500u", "1500u", SI},
        {"12k", "12k", SI},
        {"1.2M", "1200k", SI},
        {"1G", "1G", SI},
        {"1000G", "1T", SI},
        {"3T", "3T", SI},
        {"7P", "7P", SI},
        {"2E", "2E", SI},
        {"100E", "100E", SI},
        {"1e3", "1e3", EX},
        {"1E3", "1e3", EX},
        {"1.e3", "1e3", EX},
        {"12e6", "12e6", EX},
        {"1e5", "100e3", EX},
        {"1e-3", "1e-3", EX},
        {"1e-2", "10e-3", EX},
        {"1e-1", "100e-3", EX},
        {"1e+09", "1e9", EX},
        {"5e0", "5", EX},
        {"1e1000", "10e999", EX},
        {"1e2147483647", "10e2147483646", EX},
        {"1Ki", "1Ki", BI},
        {"1023Ki", "1023Ki", BI},
        {"1024Ki", "1Mi", BI},
        {"1Mi", "1Mi", BI},
        {"1Gi", "1Gi", BI},
        {"1Ti", "1Ti", BI},
        {"1Pi", "1Pi", BI},
        {"7Ei", "7Ei", BI},
        {"0.5Ki", "512", BI},
        {"1.5Gi", "1536Mi", BI},
        {"-5.Ki", "-5Ki", BI},
        {"1.1Ki", "1126400m", BI},
        {"1000.5Ki", "1024512", BI},
        {"0.0001Ki", "102400u", SI},
        {"-0.0001Ki", "-102400u", SI},
        {"1.000000000000001Pi", "1125899906842625125899907n", BI},
        /* Rounded up to 1n, away from zero. */
        {"0.0000000001", "1n", SI},
        {"-0.0000000001", "-1n", SI},
        {"1.0000000001", "1000000001n", SI},
        {"-1.00000000010000", "-1000000001n", SI},
        {"0.9999999999", "1", SI},
        {"0.1n", "1n", SI},
        {"1e-1000000000", "1e-9", EX},
        {"-1e-99999999999", "-1e-9", EX},
        {"1e-9223372036854775808", "1e-9", EX},
        {"0.0000000001Ki", "103n", SI},
        {"0.00000000000000000000000000001Ki", "1n", SI},
        /* The largest value with a binary suffix. */
        {"8Ei", "9223372036854775807", BI},
        {"8192Pi", "9223372036854775807", BI},
        {"8191Pi", "8191Pi", BI},
        {"-9999Ei", "-9223372036854775807", BI},
        {"99999999999999999999999999999999999999999999999999Ki", "9223372036854775807", BI},
        {"7.9999999999999999999999Ei", "9223372036854775807", BI},
        {"9007199254740991.9990234375Ki", "9223372036854775807", BI},
        /* More than an int64 holds. */
        {"9223372036854775808", "9223372036854775808", SI},
        {"12345678901234567890", "12345678901234567890", SI},
        {"123456789012345678901234567890.123", "123456789012345678901234567890123m", SI},
        {"99999999999999999999999999999.999999999", "99999999999999999999999999999999999999n", SI},
        {"99999999999999999999999999999999999999e9", "99999999999999999999999999999999999999e9",
         EX},
        /* Where there is no suffix so large. */
        {"1000E", "1e21", SI},
        {"1000000000000000000000", "1e21", SI},
        {"1234567000E", "1234567e21", SI},
        /* Without digits. */
        {"-", "0", SI},
        {"+", "0", SI},
        {".", "0", SI},
        {"k", "0", SI},
        {"-.k", "0", SI},
        {"e5", "0", EX},
        {"Ti", "0", BI},
        {"E", "0", SI},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_quantity q = quantity(rows[i].text);
        char text[KIN_QUANTITY_TEXT_SIZE];

        kin_quantity_format(text, sizeof(text), q);
        if (strcmp(text, rows[i].canonical) != 0)
            fail_msg("%s is written %s, not %s", rows[i].text, text, rows[i].canonical);
        if (q.notation != rows[i].notation)
            fail_msg("%s has the notation %d", rows[i].text, q.notation);
        assert_int_equal(kin_quantity_compare(quantity(text), q), 0);
    }
}

static void other_texts_are_refused_where_they_go_wrong(void **state)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } rows[] = {
        {"", 0},
        {" 1", 0},
        {"1 ", 1},
        {"aoeu", 0},
        {"1.1.M", 3},
        {"1+1.0M", 3},
        {"--1", 1},
        {"+-1", 1},
        {"1,5", 1},
        {"0x10", 1},
        {"1Kb", 2},
        {"1KB", 2},
        {"1e5.5", 3},
        {"1e5k", 3},
        {"1i", 1},
        {"1K", 1},
        {"1mi", 1},
        {"0.1ni", 3},
        {"1m5", 1},
        {"1k5", 1},
        {"1e", 1},
        {"1e+", 1},
        {"1E-", 1},
        {"1ee5", 1},
        {"1Kii", 1},
        {"1+5", 1},
        {"-3.01i", 5},
        {"-3.01e-", 5},
        {"1e--5", 3},
        {"1KiKi", 1},
        {"Pi", 0},
        {"-Ei", 1},
        {".Pi", 0},
        {"e-10", 0},
        {"-.e-10", 1},
        {"1\xc2\xb5", 1},
        {"1e9223372036854775808", 1},
        {"1e-9223372036854775809", 1},
        {"1e99999999999999999999999", 1},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_quantity q;

        memset(&q, 42, sizeof(q));
        kin_quantity before = q;
        if (parse(&q, rows[i].text, &err) != KIN_EPARSE)
            fail_msg("\"%s\" is accepted", rows[i].text);
        if (err.offset != rows[i].offset)
            fail_msg("\"%s\": offset %llu", rows[i].text, (unsigned long long)err.offset);
        assert_int_equal(err.code, KIN_EPARSE);
        assert_string_not_equal(err.message, "");
        assert_memory_equal(&q, &before, sizeof(q));
        assert_code(parse(&q, rows[i].text, NULL), KIN_EPARSE);
    }
}

static void a_zero_byte_is_refused(void **state)
{
    kin_quantity q;

    (void)state;
    assert_code(kin_quantity_parse(&q, kin_str_make("1\0", 2), NULL), KIN_EPARSE);
    assert_code(kin_quantity_parse(&q, kin_str_make("1k\0", 3), NULL), KIN_EPARSE);
    assert_code(kin_quantity_parse(&q, kin_str_make(NULL, 0), NULL), KIN_EPARSE);
}

static void numbers_beyond_the_limits_are_out_of_range(void **state)
{
    static const char *const rows[] = {
        "100000000000000000000000000000000000001",    /* 39 digits */
        "1000000000000000000000000000000.00000001",   /* 31 and 8 of them */
        "1000000000000000000000000000000.0000000001", /* rounded up to 1n: 40 */
        "1e2147483648",
        "10e2147483647",
        "-1e9223372036854775807",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_quantity q;

        memset(&q, 42, sizeof(q));
        kin_quantity before = q;
        if (parse(&q, rows[i], &err) != KIN_ERANGE)
            fail_msg("\"%s\" is accepted", rows[i]);
        assert_int_equal(err.code, KIN_ERANGE);
        assert_memory_equal(&q, &before, sizeof(q));
        assert_code(parse(&q, rows[i], NULL), KIN_ERANGE);
    }
}

static void zeros_are_no_digits_that_count(void **state)
{
    static char text[3001];

    (void)state;
    /* 10^2998, written out. */
    memset(text, '0', 2999);
    text[0] = '1';
    text[2999] = '\0';
    assert_text(quantity(text), "10e2997");
    /* 10^-2998, rounded up. */
    memset(text, '0', 3000);
    text[1] = '.';
    text[2999] = '1';
    assert_text(quantity(text), "1n");
}

static void a_short_buffer_cuts_the_text(void **state)
{
    char text[5] = "????";
    kin_quantity q = quantity("-1536Mi");

    (void)state;
    assert_int_equal(kin_quantity_format(NULL, 0, q), 7);
    assert_int_equal(kin_quantity_format(text, 1, q), 7);
    assert_string_equal(text, "");
    assert_int_equal(text[1], '?');
    assert_int_equal(kin_quantity_format(text, sizeof(text), q), 7);
    assert_string_equal(text, "-153");
}

static void the_longest_text_fits_its_buffer(void **state)
{
    char text[KIN_QUANTITY_TEXT_SIZE];
    kin_quantity q = quantity("-99999999999999999999999999999999999999e2147483645");

    (void)state;
    assert_int_equal(kin_quantity_format(text, sizeof(text), q), 52);
    assert_string_equal(text, "-9999999999999999999999999999999999999900e2147483643");
    q = quantity("-99999999999999999999999999999999999999e2147483647");
    assert_int_equal(kin_quantity_format(text, sizeof(text), q), 51);
    assert_string_equal(text, "-999999999999999999999999999999999999990e2147483646");
}

/* --- making --- */

static void quantities_are_made_of_integers(void **state)
{
    kin_quantity q;
    kin_quantity zero = {0, 0, 0, 0, 0, {0, 0}};

    (void)state;
    assert_code(kin_quantity_make(&q, 1500, KIN_QUANTITY_MILLI, KIN_QUANTITY_DECIMAL_SI, NULL), 0);
    assert_text(q, "1500m");
    assert_int_equal(kin_quantity_compare(q, quantity("1.5")), 0);
    assert_code(kin_quantity_make(&q, -2048, 0, KIN_QUANTITY_BINARY_SI, NULL), 0);
    assert_text(q, "-2Ki");
    assert_code(kin_quantity_make(&q, 12, KIN_QUANTITY_MEGA, KIN_QUANTITY_DECIMAL_EXPONENT, NULL),
                0);
    assert_text(q, "12e6");
    assert_code(kin_quantity_make(&q, INT64_MIN, KIN_QUANTITY_NANO, KIN_QUANTITY_DECIMAL_SI, NULL),
                0);
    assert_text(q, "-9223372036854775808n");
    assert_code(kin_quantity_make(&q, 0, 17, KIN_QUANTITY_DECIMAL_SI, NULL), 0);
    assert_memory_equal(&q, &zero, sizeof(q));
    assert_text(zero, "0");
}

static void wrong_arguments_make_nothing(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_quantity q;

    (void)state;
    memset(&q, 42, sizeof(q));
    kin_quantity before = q;
    assert_code(kin_quantity_make(&q, 1, -10, KIN_QUANTITY_DECIMAL_SI, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_code(kin_quantity_make(&q, 1, 0, (enum kin_quantity_notation)3, &err), KIN_EINVAL);
    assert_code(kin_quantity_make(&q, 10, INT32_MAX, KIN_QUANTITY_DECIMAL_SI, &err), KIN_ERANGE);
    assert_int_equal(err.code, KIN_ERANGE);
    assert_memory_equal(&q, &before, sizeof(q));
}

static void equal_values_have_equal_members(void **state)
{
    static const char *const rows[] = {"1.5", "1500m", "+01.500", "1500000u", "0.0015k", "1.50"};
    kin_quantity first = quantity(rows[0]);

    (void)state;
    for (size_t i = 1; i < kin__array_len(rows); i++) {
        kin_quantity q = quantity(rows[i]);

        assert_memory_equal(&q, &first, sizeof(q));
    }
}

/* --- order --- */

static void quantities_are_ordered_by_value(void **state)
{
    /* From the smallest on; those on one line are equal. */
    static const char *const rows[][4] = {
        {"-1e2147483647"},
        {"-1e1000", "-10e999"},
        {"-8Ei", "-9223372036854775807"},
        {"-1Ki", "-1024", "-1.024k", "-1024000m"},
        {"-1k"},
        {"-1n", "-0.0000000000001"},
        {"0", "-0", "0Ki", "0e5"},
        {"1n", "1e-9"},
        {"999m"},
        {"1", "1000m", "1e0", "0.001k"},
        {"1000000001n"},
        {"1k", "1000"},
        {"1Ki", "1024"},
        {"1M"},
        {"1Mi"},
        {"8Ei", "9223372036854775807"},
        {"9223372036854775807000000001n"},
        {"9223372036854775808"},
        {"99999999999999999999999999999999999999n"},
        {"99999999999999999999999999999999999999"},
        {"1e38"},
        {"1e1000"},
        {"1e2147483647"},
    };
    size_t n = kin__array_len(rows) * 4;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        const char *a = rows[i / 4][i % 4];

        for (size_t j = 0; a && j < n; j++) {
            const char *b = rows[j / 4][j % 4];
            int expected = (i / 4 > j / 4) - (i / 4 < j / 4);

            if (b && kin_quantity_compare(quantity(a), quantity(b)) != expected)
                fail_msg("%s and %s", a, b);
        }
    }
}

static void the_sign_is_told(void **state)
{
    (void)state;
    assert_int_equal(kin_quantity_sign(quantity("-1n")), -1);
    assert_int_equal(kin_quantity_sign(quantity("-0Ki")), 0);
    assert_int_equal(kin_quantity_sign(quantity("18446744073709551616")), 1);
}

/* --- arithmetic --- */

static void quantities_are_added_and_subtracted(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        const char *sum;
        const char *difference;
    } rows[] = {
        {"1", "2", "3", "-1"},
        {"100m", "900m", "1", "-800m"},
        {"1", "100m", "1100m", "900m"},
        {"1Gi", "512Mi", "1536Mi", "512Mi"},
        /* The notation of the first, */
        {"1Ki", "1000", "2024", "24"},
        {"1k", "1Ki", "2024", "-24"},
        {"1e3", "1Mi", "1049576", "-1047576"},
        {"2Mi", "2097152", "4Mi", "0"},
        {"1Ki", "0.5", "1024500m", "1023500m"},
        /* unless it is zero. */
        {"0", "1Mi", "1Mi", "-1Mi"},
        {"0Ki", "5e3", "5e3", "-5e3"},
        {"1Mi", "0", "1Mi", "1Mi"},
        {"-5", "5", "0", "-10"},
        {"5", "-7", "-2", "12"},
        {"-7", "5", "-2", "-12"},
        {"8Ei", "8Ei", "18446744073709551614", "0"},
        {"9223372036854775807", "1n", "9223372036854775807000000001n",
         "9223372036854775806999999999n"},
        {"1e28", "1e-9", "10000000000000000000000000000000000001e-9",
         "9999999999999999999999999999999999999e-9"},
        {"1e1000", "2e1000", "30e999", "-10e999"},
        {"100000000000000000000000000000000000000", "1", NULL,
         "99999999999999999999999999999999999999"},
        {"5e37", "5e37", "100e36", "0"},
        /* 39 digits, the last of them 0. */
        {"99999999999999999999999999999999999999", "1", "100e36",
         "99999999999999999999999999999999999998"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_quantity a = quantity(rows[i].a);
        kin_quantity b = quantity(rows[i].b);
        char text[KIN_QUANTITY_TEXT_SIZE];
        kin_quantity q;

        if (!rows[i].sum) {
            assert_code(kin_quantity_add(&q, a, b, NULL), KIN_ERANGE);
        } else {
            assert_code(kin_quantity_add(&q, a, b, NULL), 0);
            kin_quantity_format(text, sizeof(text), q);
            if (strcmp(text, rows[i].sum) != 0)
                fail_msg("%s + %s = %s", rows[i].a, rows[i].b, text);
        }
        assert_code(kin_quantity_sub(&q, a, b, NULL), 0);
        kin_quantity_format(text, sizeof(text), q);
        if (strcmp(text, rows[i].difference) != 0)
            fail_msg("%s - %s = %s", rows[i].a, rows[i].b, text);
    }
}

static void sums_that_need_more_digits_are_out_of_range(void **state)
{
    static const char *const rows[][2] = {
        {"1e30", "1n"},
        {"1e1000", "1"},
        {"1", "-1e1000"},
        {"99999999999999999999999999999999999998", "3"},
        {"99999999999999999999999999999999999999e1", "1"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_quantity q = quantity("42");

        assert_code(kin_quantity_add(&q, quantity(rows[i][0]), quantity(rows[i][1]), &err),
                    KIN_ERANGE);
        assert_int_equal(err.code, KIN_ERANGE);
        assert_text(q, "42");
        err = (kin_error)KIN_ERROR_INIT;
        assert_code(kin_quantity_sub(&q, quantity(rows[i][0]),
                                     kin_quantity_neg(quantity(rows[i][1])), &err),
                    KIN_ERANGE);
        assert_int_equal(err.code, KIN_ERANGE);
        assert_text(q, "42");
    }
}

static void the_result_may_be_an_operand(void **state)
{
    kin_quantity q = quantity("1Ki");

    (void)state;
    assert_code(kin_quantity_add(&q, q, q, NULL), 0);
    assert_text(q, "2Ki");
    assert_code(kin_quantity_sub(&q, q, q, NULL), 0);
    assert_text(q, "0");
}

static void sums_of_binary_quantities_may_be_larger_than_one(void **state)
{
    kin_quantity q = quantity("4Ei");

    (void)state;
    for (int i = 0; i < 8; i++)
        assert_code(kin_quantity_add(&q, q, q, NULL), 0);
    assert_text(q, "1024Ei"); /* 2^70, and there is no larger suffix */
    /* Too long for the binary form: decimal. */
    kin_quantity small = quantity("1000Ki");
    assert_code(kin_quantity_add(&q, small, quantity("1e40"), NULL), 0);
    assert_int_equal(q.notation, KIN_QUANTITY_BINARY_SI);
    assert_text(q, "10000000000000000000000000000000001024k");
}

static void negation_keeps_the_notation(void **state)
{
    (void)state;
    assert_text(kin_quantity_neg(quantity("1Mi")), "-1Mi");
    assert_text(kin_quantity_neg(quantity("-5e3")), "5e3");
    kin_quantity zero = kin_quantity_neg(quantity("0Ki"));
    assert_int_equal(zero.negative, 0);
    assert_int_equal(zero.notation, KIN_QUANTITY_BINARY_SI);
}

/* --- as other types --- */

static void values_are_rounded_up(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
        int64_t milli;
        int64_t mega;
    } rows[] = {
        {"0", 0, 0, 0},
        {"1", 1, 1000, 1},
        {"100m", 1, 100, 1},
        {"1500m", 2, 1500, 1},
        {"-1500m", -2, -1500, -1},
        {"1n", 1, 1, 1},
        {"-1n", -1, -1, -1},
        {"1.0001", 2, 1001, 1},
        {"1Ki", 1024, 1024000, 1},
        {"2000k", 2000000, 2000000000, 2},
        {"2000001", 2000001, 2000001000, 3},
        {"-1.0005Ki", -1025, -1024512, -1},
        {"9223372036854775.807", 9223372036854776, INT64_MAX, 9223372037},
        {"9e15", 9000000000000000, 9000000000000000000, 9000000000},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_quantity q = quantity(rows[i].text);
        int64_t value = 42;
        int64_t milli = 42;
        int64_t mega = 42;

        assert_code(kin_quantity_value(&value, q, NULL), 0);
        assert_code(kin_quantity_milli_value(&milli, q, NULL), 0);
        assert_code(kin_quantity_scaled(&mega, q, KIN_QUANTITY_MEGA, NULL), 0);
        if (value != rows[i].value || milli != rows[i].milli || mega != rows[i].mega)
            fail_msg("%s: %lld %lld %lld", rows[i].text, (long long)value, (long long)milli,
                     (long long)mega);
    }
}

static void any_power_of_ten_is_a_scale(void **state)
{
    int64_t value;

    (void)state;
    assert_code(kin_quantity_scaled(&value, quantity("1e2147483647"), INT32_MAX, NULL), 0);
    assert_int_equal(value, 1);
    assert_code(kin_quantity_scaled(&value, quantity("1n"), INT32_MAX, NULL), 0);
    assert_int_equal(value, 1);
    assert_code(kin_quantity_scaled(&value, quantity("0"), INT32_MIN, NULL), 0);
    assert_int_equal(value, 0);
    assert_code(kin_quantity_scaled(&value, quantity("1"), INT32_MIN, NULL), KIN_ERANGE);
    assert_code(
        kin_quantity_scaled(&value, quantity("99999999999999999999999999999999999999"), 38, NULL),
        0);
    assert_int_equal(value, 1);
    assert_code(kin_quantity_scaled(&value, quantity("-1"), 39, NULL), 0);
    assert_int_equal(value, -1);
}

static void values_that_do_not_fit_are_out_of_range(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    int64_t value = 42;

    (void)state;
    assert_code(kin_quantity_value(&value, quantity("9223372036854775808"), &err), KIN_ERANGE);
    assert_int_equal(err.code, KIN_ERANGE);
    assert_code(kin_quantity_value(&value, quantity("9223372036854775807000000001n"), NULL),
                KIN_ERANGE);
    assert_code(kin_quantity_value(&value, quantity("1e19"), NULL), KIN_ERANGE);
    assert_code(kin_quantity_value(&value, quantity("-9223372036854775809"), NULL), KIN_ERANGE);
    assert_code(kin_quantity_milli_value(&value, quantity("8Ei"), NULL), KIN_ERANGE);
    assert_code(kin_quantity_int64(&value, quantity("1e2147483647"), NULL), KIN_ERANGE);
    assert_int_equal(value, 42);
    assert_code(kin_quantity_value(&value, quantity("-9223372036854775808"), NULL), 0);
    assert_true(value == INT64_MIN);
    assert_code(kin_quantity_value(&value, quantity("8Ei"), NULL), 0);
    assert_true(value == INT64_MAX);
}

static void only_integers_are_exact(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    int64_t value = 42;

    (void)state;
    assert_code(kin_quantity_int64(&value, quantity("1.5"), &err), KIN_ERANGE);
    assert_int_equal(err.code, KIN_ERANGE);
    assert_code(kin_quantity_int64(&value, quantity("1n"), NULL), KIN_ERANGE);
    assert_int_equal(value, 42);
    assert_code(kin_quantity_int64(&value, quantity("1000m"), NULL), 0);
    assert_int_equal(value, 1);
    assert_code(kin_quantity_int64(&value, quantity("-1.5Gi"), NULL), 0);
    assert_int_equal(value, -1610612736);
    assert_code(kin_quantity_int64(&value, quantity("0Ki"), NULL), 0);
    assert_int_equal(value, 0);
}

static void doubles_are_the_nearest(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0", 0},
        {"0.3", 0.3},
        {"300m", 0.3},
        {"-1.5Ki", -1536},
        {"1n", 1e-9},
        {"8Ei", 0x1p63},
        {"1e300", 1e300},
        {"1e1000", HUGE_VAL},
        {"-1e1000", -HUGE_VAL},
        {"12345678901234567890123456789.123456789", 12345678901234567890123456789.123456789},
        {"99999999999999999999999999999999999999e2147483647", HUGE_VAL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        double value = kin_quantity_double(quantity(rows[i].text));

        if (value < rows[i].value || value > rows[i].value)
            fail_msg("%s: %.17g", rows[i].text, value);
    }
}

/* --- random ones, as integers of nano units --- */

__extension__ typedef __int128 wide;

/* A number of up to 2^96 nano units, and how it may be written. */
static wide random_quantity(kin_test_rng *rng, char *text, size_t size)
{
    wide nano = (wide)(kin_test_random(rng) >> kin_test_below(rng, 64)) *
                (uint32_t)(kin_test_random(rng) >> (32 + kin_test_below(rng, 32)));
    wide units = nano / 1000000000;
    bool negative = kin_test_below(rng, 2);

    /* Eighteen digits at a time are printable. */
    snprintf(text, size, "%s%llu%018llu.%09llu", negative ? "-" : "",
             (unsigned long long)(units / 1000000000000000000),
             (unsigned long long)(units % 1000000000000000000),
             (unsigned long long)(nano % 1000000000));
    return negative ? -nano : nano;
}

static wide to_nano(kin_quantity q)
{
    wide nano = ((wide)q.high << 64) + q.low;

    for (int i = -9; i < q.scale; i++)
        nano *= 10;
    return q.negative ? -nano : nano;
}

static void arithmetic_agrees_with_integers(void **state)
{
    kin_test_rng rng = {1};

    (void)state;
    for (int round = 0; round < 5000; round++) {
        char text_a[80];
        char text_b[80];
        char text[KIN_QUANTITY_TEXT_SIZE];
        wide a = random_quantity(&rng, text_a, sizeof(text_a));
        wide b = random_quantity(&rng, text_b, sizeof(text_b));
        kin_quantity qa = quantity(text_a);
        kin_quantity qb = quantity(text_b);
        kin_quantity q;

        if (to_nano(qa) != a || to_nano(qb) != b)
            fail_msg("%s or %s is read wrong", text_a, text_b);
        assert_int_equal(kin_quantity_compare(qa, qb), (a > b) - (a < b));
        assert_code(kin_quantity_add(&q, qa, qb, NULL), 0);
        assert_true(to_nano(q) == a + b);
        assert_code(kin_quantity_sub(&q, qa, qb, NULL), 0);
        assert_true(to_nano(q) == a - b);
        q.notation = (uint8_t)(round % 3);
        kin_quantity_format(text, sizeof(text), q);
        assert_true(to_nano(quantity(text)) == a - b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_written_in_canonical_form),
        cmocka_unit_test(other_texts_are_refused_where_they_go_wrong),
        cmocka_unit_test(a_zero_byte_is_refused),
        cmocka_unit_test(numbers_beyond_the_limits_are_out_of_range),
        cmocka_unit_test(zeros_are_no_digits_that_count),
        cmocka_unit_test(a_short_buffer_cuts_the_text),
        cmocka_unit_test(the_longest_text_fits_its_buffer),
        cmocka_unit_test(quantities_are_made_of_integers),
        cmocka_unit_test(wrong_arguments_make_nothing),
        cmocka_unit_test(equal_values_have_equal_members),
        cmocka_unit_test(quantities_are_ordered_by_value),
        cmocka_unit_test(the_sign_is_told),
        cmocka_unit_test(quantities_are_added_and_subtracted),
        cmocka_unit_test(sums_that_need_more_digits_are_out_of_range),
        cmocka_unit_test(the_result_may_be_an_operand),
        cmocka_unit_test(sums_of_binary_quantities_may_be_larger_than_one),
        cmocka_unit_test(negation_keeps_the_notation),
        cmocka_unit_test(values_are_rounded_up),
        cmocka_unit_test(any_power_of_ten_is_a_scale),
        cmocka_unit_test(values_that_do_not_fit_are_out_of_range),
        cmocka_unit_test(only_integers_are_exact),
        cmocka_unit_test(doubles_are_the_nearest),
        cmocka_unit_test(arithmetic_agrees_with_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
