/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing and cutting of string views, against the C library where it has the same and
 * against plain properties where it has not.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "kinform/error.h"

/* Our grammar: an optional minus (if signed), then digits only. */
static bool is_number(kin_str s, bool is_signed)
{
    size_t i = is_signed && s.len > 0 && s.data[0] == '-';

    if (i == s.len)
        return false;
    for (; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
    }
    return true;
}

static void check_numbers(kin_str s)
{
    char text[300];
    int64_t i64 = 42;
    uint64_t u64 = 42;

    memcpy(text, s.data, s.len);
    text[s.len] = '\0';
    int code = kin__str_to_i64(&i64, s);
    errno = 0;
    long long expected = strtoll(text, NULL, 10);
    if (!is_number(s, true))
        FUZZ_CHECK(code == KIN_EPARSE && i64 == 42);
    else if (errno == ERANGE)
        FUZZ_CHECK(code == KIN_ELIMIT && i64 == 42);
    else
        FUZZ_CHECK(code == 0 && i64 == expected);

    code = kin__str_to_u64(&u64, s);
    errno = 0;
    unsigned long long expected_u = strtoull(text, NULL, 10);
    if (!is_number(s, false))
        FUZZ_CHECK(code == KIN_EPARSE && u64 == 42);
    else if (errno == ERANGE)
        FUZZ_CHECK(code == KIN_ELIMIT && u64 == 42);
    else
        FUZZ_CHECK(code == 0 && u64 == expected_u);
}

/* Joining the parts again gives what was cut. */
static void check_cut(kin_str s, char separator)
{
    kin_str rest = s;
    kin_str part;
    size_t at = 0;
    unsigned parts = 0;

    while (kin__str_cut(&rest, separator, &part)) {
        FUZZ_CHECK(kin__str_find(part, separator) == part.len);
        FUZZ_CHECK(part.data == s.data + at);
        at += part.len + 1;
        parts++;
    }
    FUZZ_CHECK(s.data ? at == s.len + 1 && parts > 0 : parts == 0);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What is cut off is space, and what is left does not begin or end with any. */
static void check_trim(kin_str s)
{
    kin_str t = kin__str_trim(s);
    size_t first = 0;

    while (first < s.len && is_space(s.data[first]))
        first++;
    FUZZ_CHECK((t.len == 0) == (first == s.len));
    if (t.len == 0)
        return;
    FUZZ_CHECK(t.data == s.data + first && t.len <= s.len - first);
    FUZZ_CHECK(!is_space(t.data[t.len - 1]));
    for (size_t i = first + t.len; i < s.len; i++)
        FUZZ_CHECK(is_space(s.data[i]));
}

static void check_order(kin_str a, kin_str b)
{
    int ab = kin__str_compare(a, b);
    int ba = kin__str_compare(b, a);

    FUZZ_CHECK((ab < 0) == (ba > 0) && (ab == 0) == (ba == 0));
    FUZZ_CHECK((ab == 0) == kin_str_equal(a, b));
}

static bool same_bytes(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static void check_ends(kin_str a, kin_str b)
{
    bool fits = a.len >= b.len;

    FUZZ_CHECK(kin__str_starts_with(a, b) == (fits && same_bytes(a.data, b.data, b.len)));
    FUZZ_CHECK(kin__str_ends_with(a, b) ==
               (fits && same_bytes(a.data + (a.len - (fits ? b.len : 0)), b.data, b.len)));
}

/* Cutting a text anywhere leaves whole characters, and as many as fit. */
static void check_utf8(kin_str s)
{
    size_t valid = 0;
    size_t len;

    while (valid < s.len && (len = kin__utf8_char_len(s.data + valid, s.len - valid)) > 0)
        valid += len;
    for (size_t n = 0; n <= valid; n++) {
        size_t at = 0;

        /* The last boundary at or before n. */
        while (at < n && at + kin__utf8_char_len(s.data + at, valid - at) <= n)
            at += kin__utf8_char_len(s.data + at, valid - at);
        FUZZ_CHECK(kin__utf8_cut(s.data, n) == at);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    char separator = (char)fuzz_byte(&in);
    kin_str a = fuzz_str(&in);
    kin_str b = fuzz_str(&in);

    check_numbers(a);
    check_cut(a, separator);
    check_trim(a);
    check_order(a, b);
    check_ends(a, b);
    check_ends(a, kin_str_make(a.data, b.len < a.len ? b.len : a.len));
    check_utf8(a);
    return 0;
}
