/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text: the grammar against a table-driven recognizer, doubles and integers
 * against the C library, order and hash against each other and against other spellings of
 * the same number.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "object/number.h"

/* Room for a text of fuzz_str(), what is added to it, and a terminator. */
#define TEXT_SIZE 400

/* --- grammar --- */

/* The columns of the table below. */
enum { ZERO, DIGIT, MINUS, PLUS, POINT, EXPONENT, OTHER };

static int column_of(char c)
{
    if (c == '0')
        return ZERO;
    if (c >= '1' && c <= '9')
        return DIGIT;
    if (c == '-')
        return MINUS;
    if (c == '+')
        return PLUS;
    if (c == '.')
        return POINT;
    return c == 'e' || c == 'E' ? EXPONENT : OTHER;
}

/* The state after the whole text, or -1; *ret_read is how many bytes led to a state. */
static int recognize(kin_str s, size_t *ret_read)
{
    static const int next[9][7] = {
        /*           0   1-9  -   +   .   e  other */
        /* 0: start */ {2, 3, 1, -1, -1, -1, -1},
        /* 1: -     */ {2, 3, -1, -1, -1, -1, -1},
        /* 2: 0     */ {-1, -1, -1, -1, 4, 6, -1},
        /* 3: 12    */ {3, 3, -1, -1, 4, 6, -1},
        /* 4: 1.    */ {5, 5, -1, -1, -1, -1, -1},
        /* 5: 1.2   */ {5, 5, -1, -1, -1, 6, -1},
        /* 6: 1e    */ {8, 8, 7, 7, -1, -1, -1},
        /* 7: 1e-   */ {8, 8, -1, -1, -1, -1, -1},
        /* 8: 1e2   */ {8, 8, -1, -1, -1, -1, -1},
    };
    int state = 0;

    for (size_t i = 0; i < s.len; i++) {
        int after = next[state][column_of(s.data[i])];

        if (after < 0) {
            *ret_read = i;
            return -1;
        }
        state = after;
    }
    *ret_read = s.len;
    return state;
}

static bool check_grammar(kin_str s)
{
    size_t read;
    int state = recognize(s, &read);
    bool expected = state == 2 || state == 3 || state == 5 || state == 8;
    size_t offset = 0;
    bool is_integer = false;

    FUZZ_CHECK(kin__number_scan(s.data, s.len, &offset, &is_integer) == expected);
    if (expected)
        FUZZ_CHECK(is_integer == (state == 2 || state == 3));
    else
        FUZZ_CHECK(offset == read);
    return expected;
}

/* --- values --- */

static uint64_t bits_of(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static double check_double(kin_str s)
{
    char text[TEXT_SIZE];
    bool overflow;

    memcpy(text, s.data, s.len);
    text[s.len] = '\0';
    double d = kin__number_to_double(s.data, s.len, &overflow);
    FUZZ_CHECK(bits_of(d) == bits_of(strtod(text, NULL)));
    FUZZ_CHECK(overflow == !!isinf(d));
    return d;
}

static int compare(kin_str a, kin_str b)
{
    return kin__number_compare(a.data, a.len, b.data, b.len);
}

static void check_equal(kin_str a, kin_str b)
{
    int64_t value_a = 0;
    int64_t value_b = 0;
    bool is_a = kin__number_to_int64(a.data, a.len, &value_a);
    bool is_b = kin__number_to_int64(b.data, b.len, &value_b);

    FUZZ_CHECK(compare(a, b) == 0 && compare(b, a) == 0);
    FUZZ_CHECK(kin__number_hash(7, a.data, a.len) == kin__number_hash(7, b.data, b.len));
    FUZZ_CHECK(is_a == is_b && value_a == value_b);
}

static void check_int64(kin_str s)
{
    char text[TEXT_SIZE];
    int64_t value = 42;
    bool is_integer = false;

    if (!kin__number_to_int64(s.data, s.len, &value)) {
        FUZZ_CHECK(value == 42);
        /* Then a plain integer is one that the C library cannot read either. */
        kin__number_scan(s.data, s.len, NULL, &is_integer);
        if (!is_integer)
            return;
        memcpy(text, s.data, s.len);
        text[s.len] = '\0';
        errno = 0;
        strtoll(text, NULL, 10);
        FUZZ_CHECK(errno == ERANGE);
        return;
    }
    snprintf(text, sizeof(text), "%lld", (long long)value);
    FUZZ_CHECK(compare(s, kin_str_of(text)) == 0);
}

/* The same number with the point one place further left and the exponent made up for it. */
static void check_spellings(kin_str s)
{
    char text[TEXT_SIZE];
    size_t exponent = 0;
    bool has_point = memchr(s.data, '.', s.len) != NULL;

    while (exponent < s.len && s.data[exponent] != 'e' && s.data[exponent] != 'E')
        exponent++;
    int n = snprintf(text, sizeof(text), "%.*s%s%.*s", (int)exponent, s.data,
                     has_point ? "000" : ".000", (int)(s.len - exponent), s.data + exponent);
    check_equal(s, kin_str_make(text, (size_t)n));
    if (exponent == s.len && !has_point) {
        n = snprintf(text, sizeof(text), "%.*s000e-3", (int)s.len, s.data);
        /* Zeros behind a 0 are no number. */
        if (kin__number_scan(text, (size_t)n, NULL, NULL))
            check_equal(s, kin_str_make(text, (size_t)n));
    }
}

static void check_order(kin_str a, kin_str b)
{
    int order = compare(a, b);
    double da = check_double(a);
    double db = check_double(b);

    FUZZ_CHECK(compare(b, a) == -order);
    /* Rounding never turns an order round. */
    FUZZ_CHECK(!(da < db) || order < 0);
    FUZZ_CHECK(!(da > db) || order > 0);
    if (order == 0)
        check_equal(a, b);
}

static void check_writing(uint64_t bits)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];
    double d;

    memcpy(&d, &bits, sizeof(d));
    size_t len = kin__number_format_double(text, sizeof(text), d);
    if (!isfinite(d)) {
        FUZZ_CHECK(len == 0);
        return;
    }
    FUZZ_CHECK(len > 0 && len < sizeof(text) && strlen(text) == len);
    FUZZ_CHECK(kin__number_scan(text, len, NULL, NULL));
    FUZZ_CHECK(bits_of(strtod(text, NULL)) == bits);
    FUZZ_CHECK(bits_of(kin__number_to_double(text, len, NULL)) == bits);
}

/* Most bytes are in no number: choose from those that are. */
static kin_str translate(char *text, kin_str s)
{
    static const char letters[] = "00112345678999..eeE+-";

    for (size_t i = 0; i < s.len; i++)
        text[i] = letters[(unsigned char)s.data[i] % (sizeof(letters) - 1)];
    return kin_str_make(text, s.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    char text_a[256];
    char text_b[256];
    bool as_is = fuzz_byte(&in) % 2;
    uint64_t bits = fuzz_number(&in);
    kin_str a = fuzz_str(&in);
    kin_str b = fuzz_str(&in);

    check_writing(bits);
    if (!as_is) {
        a = translate(text_a, a);
        b = translate(text_b, b);
    }
    bool good_a = check_grammar(a);
    bool good_b = check_grammar(b);
    if (good_a) {
        check_int64(a);
        check_spellings(a);
        check_order(a, a);
    }
    if (good_a && good_b)
        check_order(a, b);
    return 0;
}
