/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text. Texts live in exactly as much memory as they have bytes, so that ASan
 * sees a function that looks for a terminator. Random ones are made from a known value in
 * several spellings, so that what is expected does not come from the code under test.
 */
#include "kin_test.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "folder.h"
#include "object/number.h"
#include "rng.h"

/* A copy without terminator; free() it. */
static char *bare(const char *text)
{
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

/* --- the functions on terminated texts --- */

static bool to_int64(const char *text, int64_t *ret)
{
    char *copy = bare(text);
    bool good = kin__number_to_int64(copy, strlen(text), ret);

    free(copy);
    return good;
}

static double to_double(const char *text, bool *ret_overflow)
{
    char *copy = bare(text);
    double value = kin__number_to_double(copy, strlen(text), ret_overflow);

    free(copy);
    return value;
}

static int compare(const char *a, const char *b)
{
    char *copy_a = bare(a);
    char *copy_b = bare(b);
    int order = kin__number_compare(copy_a, strlen(a), copy_b, strlen(b));

    free(copy_a);
    free(copy_b);
    return order;
}

static uint64_t hash(const char *text)
{
    char *copy = bare(text);
    uint64_t value = kin__number_hash(42, copy, strlen(text));

    free(copy);
    return value;
}

static uint64_t bits_of(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

/* The sign of a zero counts too. */
static void assert_same_double(double actual, double expected, const char *what)
{
    if (bits_of(actual) != bits_of(expected))
        fail_msg("%.60s: %a instead of %a", what, actual, expected);
}

/* --- grammar --- */

static void numbers_of_json_are_accepted(void **state)
{
    static const struct {
        const char *text;
        bool is_integer;
    } rows[] = {
        {"0", true},        {"-0", true},      {"7", true},        {"-10", true},
        {"1234567", true},  {"0.0", false},    {"-0.5", false},    {"10.250", false},
        {"0e0", false},     {"1E5", false},    {"1e+05", false},   {"1E-5", false},
        {"-1.5e10", false}, {"0.1E+9", false}, {"9e99999", false}, {"90071992547409931234", true},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char *copy = bare(rows[i].text);
        size_t len = strlen(rows[i].text);
        size_t offset = 99;
        bool is_integer = !rows[i].is_integer;

        if (!kin__number_scan(copy, len, &offset, &is_integer))
            fail_msg("%s is refused", rows[i].text);
        assert_int_equal(offset, 99);
        assert_int_equal(is_integer, rows[i].is_integer);
        assert_true(kin__number_scan(copy, len, NULL, NULL));
        free(copy);
    }
}

static void other_texts_are_refused_where_they_go_wrong(void **state)
{
    static const struct {
        const char *text;
        size_t offset;
    } rows[] = {
        {"", 0},      {"-", 1},     {"+1", 0},   {".5", 0},    {"01", 1},       {"-01", 2},
        {"00", 1},    {"1.", 2},    {"1.e5", 2}, {"1e", 2},    {"1e+", 3},      {"1E-x", 3},
        {"1e5.5", 3}, {"1 ", 1},    {" 1", 0},   {"0x10", 1},  {"Infinity", 0}, {"NaN", 0},
        {"--1", 1},   {"1.2.3", 3}, {"1,5", 1},  {"1e1e1", 3}, {"-a", 1},       {"12a", 2},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char *copy = bare(rows[i].text);
        size_t len = strlen(rows[i].text);
        size_t offset = 99;
        bool is_integer = true;

        if (kin__number_scan(copy, len, &offset, &is_integer))
            fail_msg("%s is accepted", rows[i].text);
        assert_int_equal(offset, rows[i].offset);
        assert_true(is_integer);
        assert_false(kin__number_scan(copy, len, NULL, NULL));
        free(copy);
    }
    assert_false(kin__number_scan(NULL, 0, NULL, NULL));
    assert_false(kin__number_scan("1\0", 2, NULL, NULL));
}

/* --- int64_t --- */

static void integers_are_read_in_every_spelling(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"0.000", 0},
        {"0e99999999999999999999", 0},
        {"-0.0e-99999999999999999999", 0},
        {"42", 42},
        {"-42", -42},
        {"1e3", 1000},
        {"10.00", 10},
        {"1.5e1", 15},
        {"-12.34500E+3", -12345},
        {"1000e-3", 1},
        {"0.001e3", 1},
        {"0.00000000000000000000000000012e29", 12},
        {"120000000000000000000000000000e-28", 12},
        {"1e00000000000000000000000000001", 10},
        {"999999999999999999", 999999999999999999},
        {"1000000000000000000", 1000000000000000000},
        {"-1000000000000000000", -1000000000000000000},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775807.000", INT64_MAX},
        {"922337203685477580.7e1", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-92233720368547758080e-1", INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        int64_t value = 99;

        if (!to_int64(rows[i].text, &value) || value != rows[i].value)
            fail_msg("%s: %lld", rows[i].text, (long long)value);
    }
}

static void what_is_no_integer_of_64_bits_is_refused(void **state)
{
    static const char *const rows[] = {
        "0.5",
        "1e-1",
        "-12.5",
        "1e-99999999999999999999",
        "10.001e2",
        "9223372036854775808",
        "-9223372036854775809",
        "9223372036854775807.5",
        "9999999999999999999",
        "18446744073709551616",
        "18446744073709551617",
        "1e19",
        "1e99999999999999999999",
        "100000000000000000000000000000000000001",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        int64_t value = 99;

        if (to_int64(rows[i], &value))
            fail_msg("%s: %lld", rows[i], (long long)value);
        assert_int_equal(value, 99);
    }
    int64_t value = 99;
    assert_false(kin__number_to_int64("", 0, &value));
    assert_int_equal(value, 99);
}

/* --- doubles --- */

static void doubles_are_read_to_the_nearest(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {"-0e5", -0.0},
        {"0.1", 0.1},
        {"-12.5", -12.5},
        {"123456789012345", 123456789012345.0},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"8.5e-23", 8.5e-23},
        {"123456789012345e22", 123456789012345e22},
        {"123456789012345e-22", 123456789012345e-22},
        {"1234567890123456e23", 1234567890123456e23},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000000000000001", 9007199254740994.0},
        {"9007199254740995", 9007199254740996.0},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"2.4703282292062327e-324", 0.0},
        {"2.4703282292062328e-324", 4.9406564584124654e-324},
        {"-1e-400", -0.0},
        {"1e-99999999999999999999", 0.0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158079e308", DBL_MAX},
        {"0.00000017976931348623157e315", DBL_MAX},
        {"17976931348623157000000e286", DBL_MAX},
        {"100000000000000000000000000000000000000000e-41", 1.0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        bool overflow = true;

        assert_same_double(to_double(rows[i].text, &overflow), rows[i].value, rows[i].text);
        assert_false(overflow);
        assert_same_double(to_double(rows[i].text, NULL), rows[i].value, rows[i].text);
    }
}

static void beyond_the_largest_double_is_infinity(void **state)
{
    static const char *const rows[] = {
        "1.7976931348623159e308", "1e309", "1e400", "1e99999999999999999999",
        "179769313486231590e291",
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        bool overflow = false;

        assert_same_double(to_double(rows[i], &overflow), HUGE_VAL, rows[i]);
        assert_true(overflow);
        snprintf(text, sizeof(text), "-%s", rows[i]);
        overflow = false;
        assert_same_double(to_double(text, &overflow), -HUGE_VAL, text);
        assert_true(overflow);
    }
}

/* The next larger one, for d > 0. */
static double next_double(double d)
{
    uint64_t bits = bits_of(d) + 1;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

/* The exact text of the number halfway between a double and the next one. */
static void print_halfway(char *text, size_t size, double d)
{
    /* Half of a unit in the last place is a bit more than a double has, not a long double. */
    long double half = (long double)d + ((long double)next_double(d) - d) / 2;

    snprintf(text, size, "%.1200Lf", half);
}

static void every_digit_of_a_long_text_counts(void **state)
{
    static const double rows[] = {1.0, 0.1, 1e-5, 123456.789, DBL_MIN, 3e-200};
    static char text[3000];

    (void)state;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG)
        skip();
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        double above = next_double(rows[i]);

        print_halfway(text, sizeof(text), rows[i]);
        /* A tie goes to the even one, unless some digit, however late, is not 0. */
        assert_same_double(to_double(text, NULL), bits_of(rows[i]) % 2 ? above : rows[i], text);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%01000d", 1);
        assert_same_double(to_double(text, NULL), above, text);
    }
}

static void errno_stays_as_it_was(void **state)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];

    (void)state;
    errno = EDOM;
    to_double("1.7976931348623159e308", NULL);
    to_double("2.4703282292062327e-324", NULL);
    assert_int_not_equal(kin__number_format_double(text, sizeof(text), 5e-324), 0);
    assert_int_equal(errno, EDOM);
}

/* --- order and hash --- */

static void numbers_are_ordered_by_value(void **state)
{
    /* From the smallest on; those on one line are equal. */
    static const char *const rows[][5] = {
        {"-1e99999999999999999999", "-0.1e100000000000000000000", "-10e99999999999999999998"},
        {"-1e99999999999999999998"},
        {"-1e401"},
        {"-1e400", "-0.01e402", "-1000e397"},
        {"-100.1"},
        {"-100", "-1e2", "-100.000", "-0.1E3", "-10000e-2"},
        {"-99.9"},
        {"-1e-400"},
        {"-1e-99999999999999999999"},
        {"0", "-0", "0.00", "0e99999999999999999999", "-0e-1"},
        {"1e-99999999999999999999", "10e-100000000000000000000"},
        {"1e-99999999999999999998"},
        {"1e-9223372036854775809", "0.1e-9223372036854775808"},
        {"1e-9223372036854775808"},
        {"1e-9223372036854775807"},
        {"1e-1"},
        {"0.100000000000000000000000000000000000000000000000000000001"},
        {"0.12", "12e-2", "0.0012e2"},
        {"0.123"},
        {"1", "1.0", "10e-1", "0.1e1", "1e000"},
        {"9007199254740992"},
        {"9007199254740993"},
        {"18446744073709551615"},
        {"18446744073709551616", "1.8446744073709551616e19"},
        {"1e400"},
        {"1e401"},
        {"9e401"},
        {"1e999999999999999999", "0.1e1000000000000000000"},
        {"1e1000000000000000000", "0.01e1000000000000000002"},
        {"1e9223372036854775807"},
        {"1e9223372036854775808", "0.1e9223372036854775809"},
        {"1e18446744073709551616"},
        {"1e18446744073709551617", "100e18446744073709551615"},
        {"1e99999999999999999998"},
        {"1.5e99999999999999999998"},
        {"1e99999999999999999999", "10e99999999999999999998", "1e+0099999999999999999999"},
    };
    size_t n = kin__array_len(rows) * 5;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        const char *a = rows[i / 5][i % 5];

        for (size_t j = 0; a && j < n; j++) {
            const char *b = rows[j / 5][j % 5];
            int expected = (i / 5 > j / 5) - (i / 5 < j / 5);

            if (!b)
                continue;
            if (compare(a, b) != expected)
                fail_msg("%s and %s: %d", a, b, compare(a, b));
            if ((hash(a) == hash(b)) != (expected == 0))
                fail_msg("hashes of %s and %s", a, b);
        }
    }
}

static void the_seed_changes_the_hash(void **state)
{
    (void)state;
    assert_true(kin__number_hash(1, "15", 2) != kin__number_hash(2, "15", 2));
    assert_true(kin__number_hash(1, "0", 1) != kin__number_hash(2, "0", 1));
}

static void long_exponents_hash_alike_with_every_seed(void **state)
{
    static const char *const rows[][2] = {
        {"1e9223372036854775808", "0.1e9223372036854775809"},
        {"1e-99999999999999999999", "10e-100000000000000000000"},
        {"1e100000000000000000", "10e99999999999999999"},
        {"1e-100000000000000000", "0.01e-99999999999999998"},
    };

    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        for (size_t i = 0; i < kin__array_len(rows); i++) {
            const char *a = rows[i][0];
            const char *b = rows[i][1];

            if (kin__number_hash(seed, a, strlen(a)) != kin__number_hash(seed, b, strlen(b)))
                fail_msg("%s and %s with the seed %llu", a, b, (unsigned long long)seed);
        }
    }
}

/* `digits` times 10^exponent, with the point and zeros wherever chance puts them. */
static void spell(char *text, size_t size, const char *digits, int64_t exponent, kin_test_rng *rng)
{
    size_t len = strlen(digits);
    size_t point = kin_test_below(rng, len + 1);
    size_t before = kin_test_below(rng, 5); /* zeros behind "0." */
    size_t behind = kin_test_below(rng, 5);
    char zeros[8] = "0000000";

    if (point == 0) {
        long long shown = exponent + (int64_t)(len + before);

        snprintf(text, size, "0.%.*s%s%.*se%lld", (int)before, zeros, digits, (int)behind, zeros,
                 shown);
    } else {
        long long shown = exponent + (int64_t)(len - point);

        snprintf(text, size, "%.*s.%s0%.*sE%+lld", (int)point, digits, digits + point, (int)behind,
                 zeros, shown);
    }
}

static void spellings_of_one_number_are_equal(void **state)
{
    kin_test_rng rng = {1};
    char digits[200];
    char a[300];
    char b[300];

    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t len = 1 + kin_test_below(&rng, round % 10 == 0 ? 150 : 20);
        int64_t exponent = (int64_t)kin_test_below(&rng, 1000) - 500;

        for (size_t i = 0; i < len; i++)
            digits[i] = (char)('0' + kin_test_below(&rng, 10));
        digits[0] = (char)('1' + kin_test_below(&rng, 9));
        digits[len] = '\0';
        spell(a, sizeof(a), digits, exponent, &rng);
        spell(b, sizeof(b), digits, exponent, &rng);
        if (compare(a, b) != 0 || hash(a) != hash(b))
            fail_msg("%s and %s", a, b);
        /* One more in some digit is more. */
        size_t at = kin_test_below(&rng, len);
        if (digits[at] == '9')
            continue;
        digits[at]++;
        spell(b, sizeof(b), digits, exponent, &rng);
        if (compare(a, b) != -1 || compare(b, a) != 1 || hash(a) == hash(b))
            fail_msg("%s and %s", a, b);
    }
}

static void order_agrees_with_that_of_integers(void **state)
{
    kin_test_rng rng = {2};
    char a[32];
    char b[32];

    (void)state;
    for (int round = 0; round < 3000; round++) {
        int64_t x = (int64_t)kin_test_random(&rng) >> kin_test_below(&rng, 63);
        int64_t y = round % 4 ? (int64_t)kin_test_random(&rng) >> kin_test_below(&rng, 63) : x;
        int64_t back;

        snprintf(a, sizeof(a), "%lld", (long long)x);
        snprintf(b, sizeof(b), "%lld.0e0", (long long)y);
        assert_int_equal(compare(a, b), (x > y) - (x < y));
        assert_int_equal(hash(a) == hash(b), x == y);
        assert_true(to_int64(a, &back) && back == x);
        assert_true(to_int64(b, &back) && back == y);
    }
}

/* --- writing doubles --- */

static void doubles_are_written_in_their_shortest_form(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100.0, "100"},
        {123456.789, "123456.789"},
        {9007199254740992.0, "9007199254740992"},
        {0.000001, "0.000001"},
        {0.00000123, "0.00000123"},
        {-0.0000012345678901234567, "-0.0000012345678901234567"},
        {0.0000001, "1e-7"},
        {1.5e-10, "1.5e-10"},
        {1e20, "100000000000000000000"},
        {123456789e12, "123456789000000000000"},
        {1e21, "1e+21"},
        {1.5e300, "1.5e+300"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {1.5e-323, "1.5e-323"},
        /* The nearest 16 digits of this power of two do not read back, the next ones do. */
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-24, "5.960464477539063e-8"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char text[KIN__NUMBER_DOUBLE_SIZE];

        assert_int_equal(kin__number_format_double(text, sizeof(text), rows[i].value),
                         strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void what_json_cannot_say_is_refused(void **state)
{
    char text[KIN__NUMBER_DOUBLE_SIZE] = "?";

    (void)state;
    assert_int_equal(kin__number_format_double(text, sizeof(text), INFINITY), 0);
    assert_int_equal(kin__number_format_double(text, sizeof(text), -INFINITY), 0);
    assert_int_equal(kin__number_format_double(text, sizeof(text), NAN), 0);
    assert_string_equal(text, "?");
}

static void a_short_buffer_cuts_the_text(void **state)
{
    char text[6] = "?????";

    (void)state;
    assert_int_equal(kin__number_format_double(NULL, 0, 123.25), 6);
    assert_int_equal(kin__number_format_double(text, 1, 123.25), 6);
    assert_string_equal(text, "");
    assert_int_equal(text[1], '?');
    assert_int_equal(kin__number_format_double(text, 6, 123.25), 6);
    assert_string_equal(text, "123.2");
}

static void every_double_reads_back(void **state)
{
    kin_test_rng rng = {3};

    (void)state;
    for (int round = 0; round < 5000; round++) {
        uint64_t bits = kin_test_random(&rng);
        char text[KIN__NUMBER_DOUBLE_SIZE];
        double d;

        if (round % 5 == 0)
            bits &= UINT64_C(0x800fffffffffffff); /* a subnormal one */
        if (round % 7 == 0)
            bits &= UINT64_C(0xfff0000000000000); /* a power of two */
        memcpy(&d, &bits, sizeof(d));
        size_t len = kin__number_format_double(text, sizeof(text), d);
        if (!isfinite(d)) {
            assert_int_equal(len, 0);
            continue;
        }
        assert_true(len > 0 && len < sizeof(text) && kin__number_scan(text, len, NULL, NULL));
        assert_same_double(kin__number_to_double(text, len, NULL), d, text);
        assert_same_double(strtod(text, NULL), d, text);
    }
}

/* --- locale --- */

static char directory[] = "/tmp/kin_test_number.XXXXXX";

/* A locale with a decimal comma, made here because few machines have one. */
static bool set_german(void)
{
    static char target[sizeof(directory) + 16];
    char program[] = "localedef";
    char flag_input[] = "-i";
    char input[] = "de_DE";
    char flag_charmap[] = "-f";
    char charmap[] = "UTF-8";
    char *const argv[] = {program, flag_input, input, flag_charmap, charmap, target, NULL};
    pid_t pid;
    int status;

    assert_non_null(mkdtemp(directory));
    snprintf(target, sizeof(target), "%s/de_DE.UTF-8", directory);
    assert_int_equal(posix_spawnp(&pid, program, NULL, NULL, argv, environ), 0);
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    assert_int_equal(setenv("LOCPATH", directory, 1), 0);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void the_locale_does_not_matter(void **state)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];
    bool german = set_german();

    (void)state;
    kin_test_folder_remove(directory);
    if (!german)
        fail_msg("no locale with a decimal comma; is the package `locales` installed?");
    snprintf(text, sizeof(text), "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* it is in force */
    kin__number_format_double(text, sizeof(text), 1234.5678);
    double few_digits = to_double("1234.5678", NULL);
    double many_digits = to_double("1234.567800000000000000001", NULL);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1234.5678");
    assert_same_double(few_digits, 1234.5678, "few digits");
    assert_same_double(many_digits, 1234.5678, "many digits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_json_are_accepted),
        cmocka_unit_test(other_texts_are_refused_where_they_go_wrong),
        cmocka_unit_test(integers_are_read_in_every_spelling),
        cmocka_unit_test(what_is_no_integer_of_64_bits_is_refused),
        cmocka_unit_test(doubles_are_read_to_the_nearest),
        cmocka_unit_test(beyond_the_largest_double_is_infinity),
        cmocka_unit_test(every_digit_of_a_long_text_counts),
        cmocka_unit_test(errno_stays_as_it_was),
        cmocka_unit_test(numbers_are_ordered_by_value),
        cmocka_unit_test(the_seed_changes_the_hash),
        cmocka_unit_test(long_exponents_hash_alike_with_every_seed),
        cmocka_unit_test(spellings_of_one_number_are_equal),
        cmocka_unit_test(order_agrees_with_that_of_integers),
        cmocka_unit_test(doubles_are_written_in_their_shortest_form),
        cmocka_unit_test(what_json_cannot_say_is_refused),
        cmocka_unit_test(a_short_buffer_cuts_the_text),
        cmocka_unit_test(every_double_reads_back),
        cmocka_unit_test(the_locale_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
