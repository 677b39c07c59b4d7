/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as decimal text.
 *
 * All functions but the scanner look at a number in one normal form, without copying it:
 *
 *     value = sign * 0.d1 d2 ... dn * 10^(point + exponent)
 *
 * where d1 and dn are not 0, `point` comes from where the decimal point stands among the
 * digits, and `exponent` is what is written behind the 'e'. Two numbers are equal when
 * sign, digits and the sum point + exponent are, and of two positive ones the greater sum
 * wins before the digits are looked at.
 *
 * The exponent can have any number of digits, so the sum is not always a machine word.
 * Three ways around that, each exact:
 * - comparing needs only the difference of two exponents, which is made digit by digit
 *   from the front and cannot come back towards 0 once it is 2 or more away from it;
 * - hashing takes the sum modulo a number that depends on the seed;
 * - converting clamps, because an exponent of 19 digits is far outside of every range,
 *   whatever text of a size that fits in memory stands before it.
 *
 * Reading and writing doubles rests on strtod() and printf("%e"), which glibc and musl
 * round correctly. Both see digits and an exponent only, no decimal point: that is the one
 * part of a number that the locale changes.
 *
 * Left out on purpose: a fast path for doubles beyond the one that is exact by itself.
 * Kubernetes objects hold few doubles.
 */
#include "object/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/str.h"

/* Longer than any text: an address space has at most 57 bits. */
#define TEXT_MAX (INT64_C(1) << 57)
/* Farther away than two texts can move the decimal point. */
#define FAR (INT64_C(1) << 59)
/* Exponents of up to so many digits are exact, others are clamped to ±CLAMPED. */
#define EXPONENT_DIGITS 18
#define CLAMPED (INT64_C(1) << 61)

/* The normal form; pointers are into the text. Zero has no digits and first == NULL. */
struct number {
    bool negative;
    bool exponent_negative;
    const char *first; /* d1 */
    const char *last;  /* dn; a decimal point may stand between them */
    size_t n_digits;   /* n */
    int64_t point;
    const char *exponent; /* its digits, without sign and leading zeros */
    size_t exponent_len;
};

/* --- grammar --- */

static size_t skip_digits(const char *text, size_t len, size_t at)
{
    while (at < len && kin__is_digit(text[at]))
        at++;
    return at;
}

static bool has_digit(const char *text, size_t len, size_t at)
{
    return at < len && kin__is_digit(text[at]);
}

/* Where the number that begins at 0 ends, or where it breaks off: *ret_good tells. */
static size_t scan_prefix(const char *text, size_t len, bool *ret_good, bool *ret_is_integer)
{
    size_t at = len > 0 && text[0] == '-';

    *ret_good = false;
    *ret_is_integer = true;
    if (!has_digit(text, len, at))
        return at;
    /* No zeros in front: behind a 0 at the start there is no digit. */
    at = text[at] == '0' ? at + 1 : skip_digits(text, len, at);
    if (at < len && text[at] == '.') {
        *ret_is_integer = false;
        if (!has_digit(text, len, ++at))
            return at;
        at = skip_digits(text, len, at);
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        *ret_is_integer = false;
        at++;
        if (at < len && (text[at] == '+' || text[at] == '-'))
            at++;
        if (!has_digit(text, len, at))
            return at;
        at = skip_digits(text, len, at);
    }
    *ret_good = true;
    return at;
}

bool kin__number_scan(const char *text, size_t len, size_t *ret_bad_offset, bool *ret_is_integer)
{
    bool good;
    bool is_integer;
    size_t end = scan_prefix(text, len, &good, &is_integer);

    if (!good || end < len) {
        if (ret_bad_offset)
            *ret_bad_offset = end;
        return false;
    }
    if (ret_is_integer)
        *ret_is_integer = is_integer;
    return true;
}

/* --- the normal form --- */

static void read_exponent(struct number *n, const char *at, const char *end)
{
    if (at < end && (*at == '+' || *at == '-'))
        n->exponent_negative = *at++ == '-';
    while (at < end && *at == '0')
        at++;
    n->exponent = at;
    n->exponent_len = (size_t)(end - at);
}

static void read_number(struct number *n, const char *text, size_t len)
{
    const char *at = text;
    const char *end = text + len;
    const char *point = NULL;

    kin__assert(len > 0 && len < (size_t)TEXT_MAX);
    memset(n, 0, sizeof(*n));
    if (at < end && *at == '-') {
        n->negative = true;
        at++;
    }
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            point = at;
        } else if (*at != '0') {
            n->last = at;
            if (!n->first)
                n->first = at;
        }
    }
    if (!n->first)
        return; /* a zero, whatever its exponent */
    if (!point)
        point = at;
    n->point = n->first < point ? point - n->first : -(n->first - point - 1);
    n->n_digits = (size_t)(n->last - n->first) + !(n->first < point && point < n->last);
    if (at < end)
        read_exponent(n, at + 1, end);
}

static int sign_of(const struct number *n)
{
    if (!n->first)
        return 0;
    return n->negative ? -1 : 1;
}

/* point + exponent, clamped. */
static int64_t magnitude_of(const struct number *n)
{
    int64_t exponent = 0;

    if (n->exponent_len > EXPONENT_DIGITS) {
        exponent = CLAMPED;
    } else {
        for (size_t i = 0; i < n->exponent_len; i++)
            exponent = exponent * 10 + (n->exponent[i] - '0');
    }
    return n->point + (n->exponent_negative ? -exponent : exponent);
}

/* The digit at *at, which is not the decimal point, and on to the next. */
static char next_digit(const char **at)
{
    if (**at == '.')
        ++*at;
    return *(*at)++;
}

/* Up to `max` digits without the decimal point, from *at on; how many there were. */
static size_t copy_digits(char *to, size_t max, const char **at, const char *last)
{
    size_t n = 0;

    while (n < max && *at <= last)
        to[n++] = next_digit(at);
    return n;
}

/* --- int64_t --- */

static bool fit_int64(bool negative, uint64_t magnitude, int64_t *ret)
{
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    /* Negating as unsigned is defined for INT64_MIN too. */
    *ret = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

/* Up to 18 plain digits, which is what most numbers are: no need to look twice. */
static bool short_integer(const char *text, size_t len, int64_t *ret)
{
    size_t at = text[0] == '-';
    int64_t value = 0;

    if (len - at > 18)
        return false;
    for (size_t i = at; i < len; i++) {
        if (!kin__is_digit(text[i]))
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = at ? -value : value;
    return true;
}

bool kin__number_to_int64(const char *text, size_t len, int64_t *ret)
{
    struct number n;
    uint64_t value = 0;

    if (len == 0)
        return false;
    if (short_integer(text, len, ret))
        return true;
    read_number(&n, text, len);
    if (!n.first) {
        *ret = 0;
        return true;
    }
    int64_t places = magnitude_of(&n);
    /* 19 places always fit in the unsigned word; fewer places than digits are a fraction. */
    if (places > 19 || places < (int64_t)n.n_digits)
        return false;
    const char *at = n.first;
    for (int64_t i = 0; i < places; i++)
        value = value * 10 + (uint64_t)(i < (int64_t)n.n_digits ? next_digit(&at) - '0' : 0);
    return fit_int64(n.negative, value, ret);
}

/* --- reading doubles --- */

/*
 * A number halfway between two doubles has at most 767 digits. Those behind the 768th
 * matter only by not all being 0, for which one digit can stand.
 */
#define DIGITS_THAT_COUNT 768

static double read_digits(const char *digits, size_t n, int64_t exponent)
{
    char text[DIGITS_THAT_COUNT + 32];
    int saved = errno;

    memcpy(text, digits, n);
    snprintf(text + n, sizeof(text) - n, "e%lld", (long long)exponent);
    double value = strtod(text, NULL);
    errno = saved;
    return value;
}

/*
 * Up to 15 digits and powers of ten up to 22 are doubles themselves, and one operation on
 * two exact operands is rounded once. (Not where intermediates have more precision.)
 */
static bool short_double(const struct number *n, int64_t exponent, double *ret)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t value = 0;

    if (FLT_EVAL_METHOD != 0 || n->n_digits > 15 || exponent < -22 || exponent > 22)
        return false;
    for (const char *at = n->first; at <= n->last;)
        value = value * 10 + (next_digit(&at) - '0');
    *ret = exponent < 0 ? (double)value / powers[-exponent] : (double)value * powers[exponent];
    return true;
}

static double read_magnitude(const struct number *n)
{
    char digits[DIGITS_THAT_COUNT + 1];
    const char *at = n->first;
    int64_t magnitude = magnitude_of(n);
    double value;

    /* The largest double is 0.17…e309, half of the smallest 0.24…e-323. */
    if (magnitude > 309)
        return HUGE_VAL;
    if (magnitude < -323)
        return 0;
    if (short_double(n, magnitude - (int64_t)n->n_digits, &value))
        return value;
    size_t len = copy_digits(digits, DIGITS_THAT_COUNT, &at, n->last);
    if (len < n->n_digits)
        digits[len++] = '1';
    return read_digits(digits, len, magnitude - (int64_t)len);
}

double kin__number_to_double(const char *text, size_t len, bool *ret_overflow)
{
    struct number n;

    read_number(&n, text, len);
    double value = n.first ? read_magnitude(&n) : 0;
    if (ret_overflow)
        *ret_overflow = isinf(value);
    return n.negative ? -value : value;
}

/* --- order and hash --- */

static int signed_digit(const struct number *n, size_t width, size_t i)
{
    size_t padding = width - n->exponent_len;

    if (i < padding)
        return 0;
    int digit = n->exponent[i - padding] - '0';
    return n->exponent_negative ? -digit : digit;
}

/* The difference of two exponents, or ±FAR if it is farther than that from 0. */
static int64_t exponent_difference(const struct number *a, const struct number *b)
{
    size_t width = a->exponent_len > b->exponent_len ? a->exponent_len : b->exponent_len;
    int64_t difference = 0;

    for (size_t i = 0; i < width; i++) {
        difference = difference * 10 + signed_digit(a, width, i) - signed_digit(b, width, i);
        /* From here on it only grows: times ten, and the digits take away 18 at most. */
        if (difference > FAR)
            return FAR;
        if (difference < -FAR)
            return -FAR;
    }
    return difference;
}

static int compare_digits(const struct number *a, const struct number *b)
{
    const char *at_a = a->first;
    const char *at_b = b->first;

    while (at_a <= a->last && at_b <= b->last) {
        char digit_a = next_digit(&at_a);
        char digit_b = next_digit(&at_b);

        if (digit_a != digit_b)
            return digit_a < digit_b ? -1 : 1;
    }
    /* The last digit is not 0, so the one that has more of them is greater. */
    return (at_a <= a->last) - (at_b <= b->last);
}

static int compare_magnitudes(const struct number *a, const struct number *b)
{
    int64_t difference = exponent_difference(a, b) + (a->point - b->point);

    if (difference != 0)
        return difference < 0 ? -1 : 1;
    return compare_digits(a, b);
}

int kin__number_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
    struct number na;
    struct number nb;

    read_number(&na, a, a_len);
    read_number(&nb, b, b_len);
    int sign_a = sign_of(&na);
    int sign_b = sign_of(&nb);
    if (sign_a != sign_b)
        return sign_a < sign_b ? -1 : 1;
    if (sign_a == 0)
        return 0;
    return sign_a * compare_magnitudes(&na, &nb);
}

/*
 * point + exponent, or a number that stands for it. An exponent of up to 17 digits gives the
 * sum itself, which is less than 2^58. Behind longer ones stands the remainder of a division
 * that is nearest to 0, for a divisor that the seed decides: it is the same for equal sums
 * (for small ones the sum again), and nobody can choose sums that share it.
 */
static int64_t magnitude_for_hash(const struct number *n, uint64_t seed)
{
    if (n->exponent_len <= 17)
        return magnitude_of(n);

    /* Odd, from 2^59 to 2^60: ten times a remainder fits in the unsigned word. */
    uint64_t random = kin__hash(seed, "divisor", 7);
    uint64_t odd = random % (UINT64_C(1) << 59) | UINT64_C(1) << 59 | 1;
    uint64_t exponent = 0;
    for (size_t i = 0; i < n->exponent_len; i++)
        exponent = (exponent * 10 + (uint64_t)(n->exponent[i] - '0')) % odd;
    int64_t divisor = (int64_t)odd;
    int64_t sum = (int64_t)exponent;
    sum = ((n->exponent_negative ? -sum : sum) + n->point) % divisor;
    if (sum > divisor / 2)
        return sum - divisor;
    return sum < -(divisor / 2) ? sum + divisor : sum;
}

uint64_t kin__number_hash(uint64_t seed, const char *text, size_t len)
{
    struct number n;
    char digits[64];
    uint64_t hash = seed;
    size_t n_copied;

    read_number(&n, text, len);
    if (!n.first)
        return kin__hash(seed, "0", 1);
    /* In pieces of equal length, so that it does not matter where the point stands. */
    for (const char *at = n.first;
         at <= n.last && (n_copied = copy_digits(digits, sizeof(digits), &at, n.last)) > 0;)
        hash = kin__hash(hash, digits, n_copied);

    int64_t rest[2] = {magnitude_for_hash(&n, seed), n.negative};
    return kin__hash(hash, rest, sizeof(rest));
}

/* --- writing doubles --- */

#define DOUBLE_DIGITS 17

/* value = 0.d1 … dn * 10^magnitude, the last digit not 0. */
struct digits {
    char digit[DOUBLE_DIGITS + 1];
    size_t len;
    int magnitude;
};

/* The `n` digits nearest to d > 0, without zeros at the end. */
static void round_to(struct digits *ret, double d, int n)
{
    char text[64];
    const char *at = text;

    snprintf(text, sizeof(text), "%.*e", n - 1, d);
    ret->len = 0;
    /* Whatever the locale puts between the digits is not a digit. */
    for (; *at && *at != 'e'; at++) {
        if (kin__is_digit(*at) && ret->len < DOUBLE_DIGITS)
            ret->digit[ret->len++] = *at;
    }
    ret->magnitude = *at ? (int)strtol(at + 1, NULL, 10) + 1 : 0;
    while (ret->len > 1 && ret->digit[ret->len - 1] == '0')
        ret->len--;
}

static bool reads_back(const struct digits *digits, double d)
{
    double value = read_digits(digits->digit, digits->len, digits->magnitude - (int)digits->len);

    return value <= d && value >= d;
}

/*
 * One more in the last of n digits. Only where d is a power of two can this read back when
 * the nearest n digits do not: the doubles below it are closer than those above. False if
 * fewer digits would say the same, which was tried before.
 */
static bool step_up(struct digits *digits, int n)
{
    while (digits->len < (size_t)n)
        digits->digit[digits->len++] = '0';
    if (digits->digit[digits->len - 1] == '9')
        return false;
    digits->digit[digits->len - 1]++;
    return true;
}

static void shortest(struct digits *ret, double d)
{
    /* 15 digits of a normal double are never too long: they give back any shorter text. */
    int from = d < DBL_MIN ? 1 : DBL_DIG;
    int exponent;
    bool power_of_two = frexp(d, &exponent) <= 0.5;

    for (int n = from; n < DOUBLE_DIGITS; n++) {
        round_to(ret, d, n);
        if (reads_back(ret, d))
            return;
        if (power_of_two && step_up(ret, n) && reads_back(ret, d))
            return;
    }
    round_to(ret, d, DOUBLE_DIGITS);
}

/* A text with room for the longest; the layout below needs no more than 26 bytes. */
struct text {
    char data[KIN__NUMBER_DOUBLE_SIZE];
    size_t len;
};

static void put_char(struct text *text, char c)
{
    kin__assert(text->len < sizeof(text->data));
    text->data[text->len++] = c;
}

static void put_exponent(struct text *text, const struct digits *digits)
{
    int exponent = digits->magnitude - 1;
    unsigned rest = (unsigned)(exponent < 0 ? -exponent : exponent);

    put_char(text, digits->digit[0]);
    for (size_t i = 1; i < digits->len; i++) {
        if (i == 1)
            put_char(text, '.');
        put_char(text, digits->digit[i]);
    }
    put_char(text, 'e');
    put_char(text, exponent < 0 ? '-' : '+');
    if (rest >= 100)
        put_char(text, (char)('0' + rest / 100));
    if (rest >= 10)
        put_char(text, (char)('0' + rest / 10 % 10));
    put_char(text, (char)('0' + rest % 10));
}

static void put_plain(struct text *text, const struct digits *digits)
{
    /* From the units, or the first digit if that is higher, to the last digit or the units. */
    int first = digits->magnitude > 0 ? 0 : digits->magnitude - 1;
    int end = digits->magnitude > (int)digits->len ? digits->magnitude : (int)digits->len;

    for (int i = first; i < end; i++) {
        if (i == digits->magnitude)
            put_char(text, '.');
        if (i >= 0 && i < (int)digits->len)
            put_char(text, digits->digit[i]);
        else
            put_char(text, '0');
    }
}

size_t kin__number_format_double(char *buf, size_t size, double d)
{
    struct text text = {{0}, 0};
    struct digits digits = {"0", 1, 1};
    double magnitude = fabs(d);

    if (!isfinite(d))
        return 0;
    if (signbit(d))
        put_char(&text, '-');
    if (magnitude > 0)
        shortest(&digits, magnitude);
    if (digits.magnitude > 21 || digits.magnitude < -5)
        put_exponent(&text, &digits);
    else
        put_plain(&text, &digits);
    if (size > 0) {
        size_t n = text.len < size ? text.len : size - 1;

        memcpy(buf, text.data, n);
        buf[n] = '\0';
    }
    return text.len;
}
