/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities: any text is read or refused, what is read is written and read again, and the
 * laws of arithmetic hold.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "kinform/quantity.h"

static bool same(kin_quantity a, kin_quantity b)
{
    return a.low == b.low && a.high == b.high && a.scale == b.scale && a.negative == b.negative;
}

static void check_form(kin_quantity q)
{
    bool is_zero = q.low == 0 && q.high == 0;

    FUZZ_CHECK(q.scale >= -9 && q.negative <= 1 && q.notation <= KIN_QUANTITY_DECIMAL_EXPONENT);
    FUZZ_CHECK(!is_zero || (q.scale == 0 && q.negative == 0));
    FUZZ_CHECK(kin_quantity_sign(q) == (is_zero ? 0 : q.negative ? -1 : 1));
    FUZZ_CHECK(kin_quantity_compare(q, q) == 0);
}

static void check_writing(kin_quantity q)
{
    char text[KIN_QUANTITY_TEXT_SIZE];
    char again[KIN_QUANTITY_TEXT_SIZE];
    kin_quantity back;
    size_t len = kin_quantity_format(text, sizeof(text), q);

    FUZZ_CHECK(len > 0 && len < sizeof(text) && strlen(text) == len);
    FUZZ_CHECK(strchr(text, '.') == NULL);
    FUZZ_CHECK(kin_quantity_parse(&back, kin_str_make(text, len), NULL) == 0);
    /* What has a binary suffix is capped when it is read. */
    if (strchr(text, 'i') != NULL && fabs(kin_quantity_double(q)) >= 9223372036854775807.0)
        return;
    FUZZ_CHECK(same(back, q));
    kin_quantity_format(again, sizeof(again), back);
    FUZZ_CHECK(back.notation != q.notation || strcmp(text, again) == 0);
}

static void check_values(kin_quantity q)
{
    kin_quantity zero = {0, 0, 0, 0, 0, {0, 0}};
    kin_quantity rounded;
    kin_quantity rest;
    int64_t value;
    int64_t exact;
    int64_t milli;
    double d = kin_quantity_double(q);

    FUZZ_CHECK(!(d > 0) || q.negative == 0);
    FUZZ_CHECK(!(d < 0) || q.negative == 1);
    if (kin_quantity_value(&value, q, NULL) < 0) {
        FUZZ_CHECK(fabs(d) >= 9223372036854775807.0);
        FUZZ_CHECK(kin_quantity_int64(&exact, q, NULL) == KIN_ERANGE);
        return;
    }
    /* Rounded away from zero, by less than one. */
    FUZZ_CHECK(kin_quantity_make(&rounded, value, 0, KIN_QUANTITY_DECIMAL_SI, NULL) == 0);
    FUZZ_CHECK(kin_quantity_sub(&rest, rounded, q, NULL) == 0);
    FUZZ_CHECK(kin_quantity_sign(rest) * kin_quantity_sign(q) >= 0);
    FUZZ_CHECK(fabs(kin_quantity_double(rest)) < 1);
    bool is_integer = kin_quantity_compare(rest, zero) == 0;
    FUZZ_CHECK((kin_quantity_int64(&exact, q, NULL) == 0) == is_integer);
    FUZZ_CHECK(!is_integer || exact == value);
    if (kin_quantity_milli_value(&milli, q, NULL) == 0)
        FUZZ_CHECK(milli / 1000 + (milli % 1000 > 0) - (milli % 1000 < 0) == value);
}

static bool check_reading(kin_quantity *ret, kin_str s)
{
    kin_error err = KIN_ERROR_INIT;
    int code = kin_quantity_parse(ret, s, &err);

    if (code < 0) {
        FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ERANGE);
        FUZZ_CHECK(err.code == code && err.offset <= s.len);
        return false;
    }
    FUZZ_CHECK(err.code == 0);
    check_form(*ret);
    check_writing(*ret);
    check_values(*ret);
    return true;
}

static void check_pair(kin_quantity a, kin_quantity b)
{
    int order = kin_quantity_compare(a, b);
    kin_quantity ab;
    kin_quantity ba;
    kin_quantity back;

    FUZZ_CHECK(kin_quantity_compare(b, a) == -order);
    FUZZ_CHECK(kin_quantity_compare(kin_quantity_neg(a), kin_quantity_neg(b)) == -order);
    FUZZ_CHECK((order == 0) == same(a, b));
    int code = kin_quantity_add(&ab, a, b, NULL);
    FUZZ_CHECK(kin_quantity_add(&ba, b, a, NULL) == code);
    if (code == 0) {
        FUZZ_CHECK(same(ab, ba));
        check_form(ab);
        check_writing(ab);
        if (kin_quantity_sub(&back, ab, b, NULL) == 0)
            FUZZ_CHECK(same(back, a));
        FUZZ_CHECK(kin_quantity_compare(ab, a) == kin_quantity_sign(b));
    }
    code = kin_quantity_sub(&ab, a, b, NULL);
    FUZZ_CHECK(kin_quantity_sub(&ba, b, a, NULL) == code);
    if (code == 0) {
        FUZZ_CHECK(same(ab, kin_quantity_neg(ba)));
        FUZZ_CHECK(kin_quantity_sign(ab) == order);
        check_form(ab);
    }
}

/* Most bytes are in no quantity: choose from those that are. */
static kin_str translate(char *text, kin_str s)
{
    static const char letters[] = "00123456789.+-eEinumkKMGTPii";

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
    kin_str a = fuzz_str(&in);
    kin_str b = fuzz_str(&in);
    kin_quantity qa;
    kin_quantity qb;

    if (!as_is) {
        a = translate(text_a, a);
        b = translate(text_b, b);
    }
    bool good_a = check_reading(&qa, a);
    bool good_b = check_reading(&qb, b);
    if (good_a && good_b)
        check_pair(qa, qb);
    return 0;
}
