/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on string views. memcmp() and memchr() must not see NULL, even with
 * length 0, hence the guards.
 */
#include "base/str.h"

#include "kinform/error.h"

int kin__str_compare(kin_str a, kin_str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;

    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool kin__str_starts_with(kin_str s, kin_str prefix)
{
    return s.len >= prefix.len && kin_str_equal(kin_str_make(s.data, prefix.len), prefix);
}

bool kin__str_ends_with(kin_str s, kin_str suffix)
{
    if (s.len < suffix.len)
        return false;
    return suffix.len == 0 || memcmp(s.data + (s.len - suffix.len), suffix.data, suffix.len) == 0;
}

size_t kin__str_find(kin_str s, char c)
{
    const char *at = s.len ? memchr(s.data, c, s.len) : NULL;

    return at ? (size_t)(at - s.data) : s.len;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

kin_str kin__str_trim(kin_str s)
{
    while (s.len && is_space(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len && is_space(s.data[s.len - 1]))
        s.len--;
    return s;
}

bool kin__str_cut(kin_str *rest, char separator, kin_str *ret_head)
{
    if (!rest->data)
        return false;

    size_t at = kin__str_find(*rest, separator);
    *ret_head = kin_str_make(rest->data, at);
    if (at == rest->len)
        *rest = kin_str_make(NULL, 0);
    else
        *rest = kin_str_make(rest->data + at + 1, rest->len - at - 1);
    return true;
}

int kin__str_to_u64(uint64_t *ret, kin_str s)
{
    uint64_t value = 0;
    bool fits = true;

    if (s.len == 0)
        return KIN_EPARSE;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.data[i] - '0';

        if (digit > 9)
            return KIN_EPARSE; /* also behind a number that does not fit */
        fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, digit, &value);
    }
    if (!fits)
        return KIN_ELIMIT;
    *ret = value;
    return 0;
}

int kin__str_to_i64(int64_t *ret, kin_str s)
{
    bool negative = s.len > 0 && s.data[0] == '-';
    uint64_t magnitude;
    int code = kin__str_to_u64(&magnitude, negative ? kin_str_make(s.data + 1, s.len - 1) : s);

    if (code < 0)
        return code;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return KIN_ELIMIT;
    /* Negating as unsigned is defined for INT64_MIN too. */
    *ret = (int64_t)(negative ? -magnitude : magnitude);
    return 0;
}
