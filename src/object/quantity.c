/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource quantities.
 *
 *     value = sign * digits * 10^scale        0 <= digits < 10^38
 *
 * digits is 0 (then scale is 0 too) or not divisible by 10, and scale is -9 or more: one value
 * has one form, and all functions go by the value. The original keeps two representations,
 * an int64 with a scale and a decimal of any length, and some of its answers tell which one it
 * has; those are left out on purpose (kinform/quantity.h lists them).
 *
 * Why 38 digits are enough. Nothing is finer than 1n. What has a binary suffix is capped at
 * 2^63 - 1, so that it has at most 28 digits, and 10^10 of them can be added up. Decimal
 * quantities are not capped, but numbers like 1e1000 have few digits and a large scale.
 * That leaves numbers with more than 38 digits that are not zero, which no cluster has: they
 * are refused, never rounded. In exchange a quantity is a value of 24 bytes that nobody frees,
 * and reading one of any length takes linear time (the original multiplies out 1e-1000000000).
 *
 * 10^38 is less than 2^127, so that two of them can be added in 128 bits without a carry.
 */
#include "kinform/quantity.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "object/number.h"

__extension__ typedef unsigned __int128 uint128;

#define DIGITS_MAX 38
#define SCALE_MIN (-9)
/* Exponents farther than this from 0 are not told apart: they are out of range. */
#define EXPONENT_FAR (INT64_C(1) << 40)

/* The form above, not necessarily without zeros at the end. */
struct amount {
    uint128 digits;
    int64_t scale;
    bool negative;
};

struct suffix {
    kin_str text;
    int base;
    int exponent;
};

/* Each list begins at its lowest exponent and goes up in steps of 3 and of 10. */
static const struct suffix decimal_suffixes[] = {
    {KIN__STR("n"), 10, -9}, {KIN__STR("u"), 10, -6}, {KIN__STR("m"), 10, -3},
    {KIN__STR(""), 10, 0},   {KIN__STR("k"), 10, 3},  {KIN__STR("M"), 10, 6},
    {KIN__STR("G"), 10, 9},  {KIN__STR("T"), 10, 12}, {KIN__STR("P"), 10, 15},
    {KIN__STR("E"), 10, 18},
};
static const struct suffix binary_suffixes[] = {
    {KIN__STR("Ki"), 2, 10}, {KIN__STR("Mi"), 2, 20}, {KIN__STR("Gi"), 2, 30},
    {KIN__STR("Ti"), 2, 40}, {KIN__STR("Pi"), 2, 50}, {KIN__STR("Ei"), 2, 60},
};

/* --- amounts --- */

static uint128 power_of_ten(unsigned n)
{
    static const uint64_t powers[] = {
        UINT64_C(1),
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };

    kin__assert(n <= DIGITS_MAX);
    return n < 20 ? powers[n] : (uint128)powers[19] * powers[n - 19];
}

/* How many digits a number has; 0 has none. */
static unsigned count_digits(uint128 digits)
{
    unsigned n = 0;

    while (n <= DIGITS_MAX && digits >= power_of_ten(n))
        n++;
    return n;
}

static struct amount load(kin_quantity q)
{
    struct amount a = {(uint128)q.high << 64 | q.low, q.scale, q.negative != 0};

    return a;
}

static void strip_zeros(struct amount *a)
{
    /* Dividing 128 bits is slow, and most numbers are short. */
    while (a->digits > UINT64_MAX && a->digits % 10 == 0) {
        a->digits /= 10;
        a->scale++;
    }
    if (a->digits > UINT64_MAX)
        return;
    uint64_t digits = (uint64_t)a->digits;
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        a->scale++;
    }
    a->digits = digits;
}

static int store(kin_quantity *ret, struct amount a, uint8_t notation, kin_error *err)
{
    strip_zeros(&a);
    if (a.digits == 0) {
        a.scale = 0;
        a.negative = false;
    }
    if (a.digits >= power_of_ten(DIGITS_MAX))
        return kin_error_set(err, KIN_ERANGE, "the quantity has more than %d digits", DIGITS_MAX);
    if (a.scale > INT32_MAX)
        return kin_error_set(err, KIN_ERANGE, "the quantity's exponent is out of range");
    ret->low = (uint64_t)a.digits;
    ret->high = (uint64_t)(a.digits >> 64);
    ret->scale = (int32_t)a.scale;
    ret->negative = a.negative;
    ret->notation = notation;
    memset(ret->zero, 0, sizeof(ret->zero));
    return 0;
}

int kin_quantity_make(kin_quantity *ret, int64_t value, int32_t scale,
                      enum kin_quantity_notation notation, kin_error *err)
{
    /* Negating as unsigned is defined for INT64_MIN too. */
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    struct amount a = {magnitude, scale, value < 0};

    if (!ret)
        return kin__error_null(err, "ret");
    if (scale < SCALE_MIN)
        return kin_error_set(err, KIN_EINVAL, "a quantity cannot be finer than 1n");
    if ((unsigned)notation > KIN_QUANTITY_DECIMAL_EXPONENT)
        return kin_error_set(err, KIN_EINVAL, "no such notation of quantities: %d", (int)notation);
    return store(ret, a, (uint8_t)notation, err);
}

/* --- reading --- */

/* What a text consists of. */
struct parts {
    bool negative;
    kin_str whole;    /* digits before the point */
    kin_str fraction; /* digits behind it */
    size_t digits_at; /* where they begin, or should */
    size_t suffix_at;
    kin_str suffix;
    int base; /* what the suffix means: base^exponent */
    int64_t exponent;
    uint8_t notation;
};

static char char_at(kin_str text, size_t at)
{
    if (at >= text.len)
        return '\0';
    return text.data[at];
}

static kin_str take_digits(kin_str text, size_t *at)
{
    size_t start = *at;

    while (char_at(text, *at) >= '0' && char_at(text, *at) <= '9')
        ++*at;
    return kin_str_make(text.data + start, *at - start);
}

static bool is_sign(char c)
{
    return c == '+' || c == '-';
}

static bool is_suffix_letter(char c)
{
    static const kin_str letters = KIN__STR("eEinumkKMGTP");

    return kin__str_find(letters, c) < letters.len;
}

static int split(struct parts *p, kin_str text, kin_error *err)
{
    size_t at = 0;

    if (text.len == 0)
        return kin__error_parse(err, 0, "a quantity is not empty");
    if (is_sign(char_at(text, at)))
        p->negative = text.data[at++] == '-';
    p->digits_at = at;
    p->whole = take_digits(text, &at);
    if (char_at(text, at) == '.') {
        at++;
        p->fraction = take_digits(text, &at);
    }
    p->suffix_at = at;
    while (is_suffix_letter(char_at(text, at)))
        at++;
    if (is_sign(char_at(text, at)))
        at++;
    take_digits(text, &at);
    if (at < text.len)
        return kin__error_parse(err, at, "a character that no quantity has");
    p->suffix = kin_str_make(text.data + p->suffix_at, text.len - p->suffix_at);
    return 0;
}

static bool find_suffix(struct parts *p, const struct suffix *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (kin_str_equal(list[i].text, p->suffix)) {
            p->base = list[i].base;
            p->exponent = list[i].exponent;
            return true;
        }
    }
    return false;
}

/* e or E, a sign, digits; split() has seen that there is at most one sign. */
static bool read_exponent(struct parts *p)
{
    kin_str number = p->suffix;

    if (number.len < 2 || (number.data[0] != 'e' && number.data[0] != 'E'))
        return false;
    size_t skip = number.data[1] == '+' ? 2 : 1;
    if (kin__str_to_i64(&p->exponent, kin_str_make(number.data + skip, number.len - skip)) < 0)
        return false;
    if (p->exponent > EXPONENT_FAR)
        p->exponent = EXPONENT_FAR;
    if (p->exponent < -EXPONENT_FAR)
        p->exponent = -EXPONENT_FAR;
    p->base = 10;
    return true;
}

static int interpret_suffix(struct parts *p, kin_error *err)
{
    if (find_suffix(p, decimal_suffixes, kin__array_len(decimal_suffixes)))
        p->notation = KIN_QUANTITY_DECIMAL_SI;
    else if (find_suffix(p, binary_suffixes, kin__array_len(binary_suffixes)))
        p->notation = KIN_QUANTITY_BINARY_SI;
    else if (read_exponent(p))
        p->notation = KIN_QUANTITY_DECIMAL_EXPONENT;
    else
        return kin__error_parse(err, p->suffix_at, "no such suffix of quantities");
    return 0;
}

/*
 * Whether the original takes a text without digits for 0. It does where it reads the number
 * into an int64, and does not where it foresees that this may be too short.
 */
static bool is_zero_without_digits(const struct parts *p)
{
    return p->base == 2 ? p->exponent <= 40 : p->exponent >= SCALE_MIN;
}

/* digits = digits * 10^shift + add, unless that has too many digits. */
static bool append(struct amount *a, int64_t shift, unsigned add)
{
    if (a->digits == 0)
        shift = 0;
    if (shift > DIGITS_MAX || count_digits(a->digits) + (unsigned)shift > DIGITS_MAX)
        return false;
    a->digits = a->digits * power_of_ten((unsigned)shift) + add;
    return true;
}

/*
 * Digits of a decimal number, the first of which stands at 10^*place. Zeros are not
 * appended, but counted by their place when a digit comes behind them.
 */
static bool read_digits(struct amount *a, bool *finer, kin_str digits, int64_t *place)
{
    for (size_t i = 0; i < digits.len; i++, --*place) {
        unsigned digit = (unsigned)(digits.data[i] - '0');

        if (digit == 0)
            continue;
        if (*place < SCALE_MIN) {
            *finer = true;
            return true;
        }
        if (!append(a, a->scale - *place, digit))
            return false;
        a->scale = *place;
    }
    return true;
}

static bool read_decimal(struct amount *a, const struct parts *p)
{
    int64_t place = (int64_t)p->whole.len - 1 + p->exponent;
    bool finer = false;

    if (!read_digits(a, &finer, p->whole, &place) ||
        (!finer && !read_digits(a, &finer, p->fraction, &place)))
        return false;
    if (!finer)
        return true;
    /* One more of the finest unit. */
    if (!append(a, a->scale - SCALE_MIN, 1))
        return false;
    a->scale = SCALE_MIN;
    return true;
}

/*
 * fraction * 2^exponent: multiplied digit by digit from the end, as on paper, what is left
 * over at the point being the integer part. Returns that; *ret_nano is the rest, rounded up.
 */
static uint64_t multiply_fraction(kin_str fraction, unsigned exponent, uint64_t *ret_nano)
{
    const size_t places = -SCALE_MIN;
    uint64_t carry = 0; /* less than 2^60 */
    uint64_t nano = 0;
    bool finer = false;

    for (size_t i = fraction.len; i-- > 0;) {
        uint64_t digit = (uint64_t)(fraction.data[i] - '0');
        uint64_t product = (digit << exponent) + carry;

        if (i >= places)
            finer = finer || product % 10 != 0;
        else
            nano += product % 10 * (uint64_t)power_of_ten((unsigned)(places - 1 - i));
        carry = product / 10;
    }
    *ret_nano = nano + finer;
    return carry;
}

static void read_binary(struct amount *a, const struct parts *p)
{
    const uint128 billion = 1000000000;
    unsigned exponent = (unsigned)p->exponent;
    uint64_t nano;
    uint128 units = 0;

    for (size_t i = 0; i < p->whole.len && units <= INT64_MAX; i++)
        units = units * 10 + (unsigned)(p->whole.data[i] - '0');
    units = units <= INT64_MAX ? units << exponent : units;
    units += multiply_fraction(p->fraction, exponent, &nano);
    if (units >= INT64_MAX) {
        units = INT64_MAX;
        nano = 0;
    }
    a->scale = nano ? SCALE_MIN : 0;
    a->digits = nano ? units * billion + nano : units;
}

int kin_quantity_parse(kin_quantity *ret, kin_str text, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    struct parts p = {0};
    struct amount a = {0, 0, false};
    int code = split(&p, text, err);

    if (code == 0)
        code = interpret_suffix(&p, err);
    if (code < 0)
        return code;
    if (p.whole.len + p.fraction.len == 0 && !is_zero_without_digits(&p))
        return kin__error_parse(err, p.digits_at, "a quantity without digits");
    a.negative = p.negative;
    if (p.base == 2)
        read_binary(&a, &p);
    else if (!read_decimal(&a, &p))
        return kin_error_set(err, KIN_ERANGE, "the quantity has more than %d digits", DIGITS_MAX);
    /* Less than 1, which cannot be written with a binary suffix. */
    if (p.base == 2 && a.scale < 0 && a.digits < power_of_ten(-SCALE_MIN))
        p.notation = KIN_QUANTITY_DECIMAL_SI;
    return store(ret, a, p.notation, err);
}

/* --- writing --- */

struct text {
    char data[KIN_QUANTITY_TEXT_SIZE];
    size_t len;
};

static void put_text(struct text *text, kin_str s)
{
    kin__assert(s.len <= sizeof(text->data) - text->len);
    memcpy(text->data + text->len, s.data, s.len);
    text->len += s.len;
}

static void put_digits(struct text *text, uint128 digits)
{
    char buf[40];
    size_t at = sizeof(buf);

    for (; digits > UINT64_MAX; digits /= 10)
        buf[--at] = (char)('0' + (int)(digits % 10));
    for (uint64_t rest = (uint64_t)digits; rest != 0; rest /= 10)
        buf[--at] = (char)('0' + (int)(rest % 10));
    put_text(text, kin_str_make(buf + at, sizeof(buf) - at));
}

static void put_decimal(struct text *text, const struct amount *a, bool si)
{
    static const kin_str zeros = KIN__STR("00");
    /* How far it is above a multiple of 3, whatever its sign. */
    int64_t beyond = (a->scale % 3 + 3) % 3;
    int64_t exponent = a->scale - beyond;
    int64_t step = (exponent - SCALE_MIN) / 3;
    char suffix[24];

    put_digits(text, a->digits);
    put_text(text, kin_str_make(zeros.data, (size_t)beyond));
    if (si && step >= 0 && step < (int64_t)kin__array_len(decimal_suffixes)) {
        put_text(text, decimal_suffixes[step].text);
    } else if (exponent != 0) {
        snprintf(suffix, sizeof(suffix), "e%lld", (long long)exponent);
        put_text(text, kin_str_of(suffix));
    }
}

/* Whether it is an integer, not too small and not too large for a binary suffix. */
static bool has_binary_form(const struct amount *a, uint128 *ret)
{
    if (a->scale < 0 || a->scale + count_digits(a->digits) > DIGITS_MAX)
        return false;
    *ret = a->digits * power_of_ten((unsigned)a->scale);
    return *ret >= 1024;
}

static void put_binary(struct text *text, uint128 value)
{
    size_t steps = 0;

    for (; value % 1024 == 0 && steps < kin__array_len(binary_suffixes); steps++)
        value /= 1024;
    put_digits(text, value);
    if (steps > 0)
        put_text(text, binary_suffixes[steps - 1].text);
}

size_t kin_quantity_format(char *buf, size_t size, kin_quantity q)
{
    struct amount a = load(q);
    struct text text = {{0}, 0};
    uint128 integer;

    if (a.negative)
        put_text(&text, kin_str_of("-"));
    if (a.digits == 0)
        put_text(&text, kin_str_of("0"));
    else if (q.notation == KIN_QUANTITY_BINARY_SI && has_binary_form(&a, &integer))
        put_binary(&text, integer);
    else
        put_decimal(&text, &a, q.notation != KIN_QUANTITY_DECIMAL_EXPONENT);
    if (size > 0) {
        size_t n = text.len < size ? text.len : size - 1;

        memcpy(buf, text.data, n);
        buf[n] = '\0';
    }
    return text.len;
}

/* --- comparing and adding --- */

int kin_quantity_sign(kin_quantity q)
{
    if (q.low == 0 && q.high == 0)
        return 0;
    return q.negative ? -1 : 1;
}

static int compare_magnitudes(struct amount a, struct amount b)
{
    int64_t first_a = a.scale + count_digits(a.digits);
    int64_t first_b = b.scale + count_digits(b.digits);

    if (first_a != first_b)
        return first_a < first_b ? -1 : 1;
    /* The first digits are at the same place, so that no product has more than 38. */
    if (a.scale > b.scale)
        a.digits *= power_of_ten((unsigned)(a.scale - b.scale));
    else
        b.digits *= power_of_ten((unsigned)(b.scale - a.scale));
    return (a.digits > b.digits) - (a.digits < b.digits);
}

int kin_quantity_compare(kin_quantity a, kin_quantity b)
{
    int sign_a = kin_quantity_sign(a);
    int sign_b = kin_quantity_sign(b);

    if (sign_a != sign_b)
        return sign_a < sign_b ? -1 : 1;
    if (sign_a == 0)
        return 0;
    return sign_a * compare_magnitudes(load(a), load(b));
}

/*
 * fine + coarse, whose scale is not the smaller one. False if that cannot be stored: beyond
 * twice 10^38 nothing that `fine` may take away brings it back, and the last digit is one of
 * `fine` and not 0.
 */
static bool add_aligned(struct amount *ret, const struct amount *fine, const struct amount *coarse)
{
    const uint128 limit = 2 * power_of_ten(DIGITS_MAX);
    int64_t shift = coarse->scale - fine->scale;

    if (shift > DIGITS_MAX || coarse->digits > limit / power_of_ten((unsigned)shift))
        return false;
    uint128 digits = coarse->digits * power_of_ten((unsigned)shift);
    *ret = *fine;
    if (fine->negative == coarse->negative) {
        ret->digits += digits;
    } else if (fine->digits >= digits) {
        ret->digits -= digits;
    } else {
        ret->digits = digits - fine->digits;
        ret->negative = coarse->negative;
    }
    return true;
}

static int add(kin_quantity *ret, struct amount a, struct amount b, uint8_t notation,
               kin_error *err)
{
    struct amount sum = a.digits == 0 ? b : a;

    if (!ret)
        return kin__error_null(err, "ret");
    if (a.digits != 0 && b.digits != 0) {
        bool good = a.scale < b.scale ? add_aligned(&sum, &a, &b) : add_aligned(&sum, &b, &a);

        if (!good)
            return kin_error_set(err, KIN_ERANGE, "the sum has more than %d digits", DIGITS_MAX);
    }
    return store(ret, sum, notation, err);
}

static uint8_t notation_of_sum(kin_quantity a, kin_quantity b)
{
    return kin_quantity_sign(a) == 0 ? b.notation : a.notation;
}

int kin_quantity_add(kin_quantity *ret, kin_quantity a, kin_quantity b, kin_error *err)
{
    return add(ret, load(a), load(b), notation_of_sum(a, b), err);
}

int kin_quantity_sub(kin_quantity *ret, kin_quantity a, kin_quantity b, kin_error *err)
{
    return add(ret, load(a), load(kin_quantity_neg(b)), notation_of_sum(a, b), err);
}

kin_quantity kin_quantity_neg(kin_quantity q)
{
    q.negative = kin_quantity_sign(q) > 0;
    return q;
}

/* --- as other types --- */

/* |value| / 10^scale, rounded up; *ret_exact tells whether it had to be. */
static bool divide(uint128 *ret, bool *ret_exact, const struct amount *a, int32_t scale)
{
    int64_t shift = a->scale - scale;

    *ret_exact = true;
    *ret = a->digits;
    if (a->digits == 0)
        return true;
    if (shift >= 0) {
        /* An int64 has 19 digits. */
        if (shift + count_digits(a->digits) > 19)
            return false;
        *ret *= power_of_ten((unsigned)shift);
        return true;
    }
    if (-shift > DIGITS_MAX) {
        *ret_exact = false;
        *ret = 1;
        return true;
    }
    uint128 divisor = power_of_ten((unsigned)-shift);
    *ret_exact = a->digits % divisor == 0;
    *ret = a->digits / divisor + !*ret_exact;
    return true;
}

static bool to_int64(int64_t *ret, bool *ret_exact, kin_quantity q, int32_t scale)
{
    struct amount a = load(q);
    uint128 magnitude;

    if (!divide(&magnitude, ret_exact, &a, scale))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + a.negative)
        return false;
    /* Negating as unsigned is defined for INT64_MIN too. */
    *ret = (int64_t)(a.negative ? -(uint64_t)magnitude : (uint64_t)magnitude);
    return true;
}

int kin_quantity_scaled(int64_t *ret, kin_quantity q, int32_t scale, kin_error *err)
{
    bool exact;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!to_int64(ret, &exact, q, scale))
        return kin_error_set(err, KIN_ERANGE, "the quantity does not fit in 64 bits");
    return 0;
}

int kin_quantity_value(int64_t *ret, kin_quantity q, kin_error *err)
{
    return kin_quantity_scaled(ret, q, KIN_QUANTITY_ONE, err);
}

int kin_quantity_milli_value(int64_t *ret, kin_quantity q, kin_error *err)
{
    return kin_quantity_scaled(ret, q, KIN_QUANTITY_MILLI, err);
}

int kin_quantity_int64(int64_t *ret, kin_quantity q, kin_error *err)
{
    int64_t value;
    bool exact;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!to_int64(&value, &exact, q, KIN_QUANTITY_ONE))
        return kin_error_set(err, KIN_ERANGE, "the quantity does not fit in 64 bits");
    if (!exact)
        return kin_error_set(err, KIN_ERANGE, "the quantity is not an integer");
    *ret = value;
    return 0;
}

double kin_quantity_double(kin_quantity q)
{
    struct amount a = load(q);
    struct text text = {{0}, 0};

    if (a.digits == 0)
        return 0;
    if (a.negative)
        put_text(&text, kin_str_of("-"));
    put_digits(&text, a.digits);
    int n = snprintf(text.data + text.len, sizeof(text.data) - text.len, "e%d", (int)a.scale);
    return kin__number_to_double(text.data, text.len + (size_t)n, NULL);
}
