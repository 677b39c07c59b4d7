/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Character boundaries in UTF-8. Table 3-7 of the Unicode standard, spelled out:
 * only the second byte's range depends on the first.
 */
#include "base/utf8.h"

#include <stdint.h>

static int is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t kin__utf8_char_len(const char *p, size_t n)
{
    const unsigned char *s = (const unsigned char *)p;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t len;

    if (n == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        len = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        len = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        len = 4;
    else
        return 0;
    if (s[0] == 0xe0)
        low = 0xa0; /* shorter forms exist below */
    else if (s[0] == 0xed)
        high = 0x9f; /* surrogates above */
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f; /* U+10FFFF is the last */
    if (n < len || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if (!is_continuation(s[i]))
            return 0;
    }
    return len;
}

bool kin__utf8_is_hidden(const char *p, size_t len)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0xad, 0xad},       {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},
        {0x17b4, 0x17b5},   {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
        {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff},
    };
    uint32_t c = len > 1 ? (unsigned char)p[0] & (0x7fU >> len) : (unsigned char)p[0];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3f);
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && c >= hidden[i].first; i++) {
        if (c <= hidden[i].last)
            return true;
    }
    return false;
}

size_t kin__utf8_valid_len(const char *p, size_t n)
{
    size_t at = 0;

    while (at < n) {
        size_t len = (unsigned char)p[at] < 0x80 ? 1 : kin__utf8_char_len(p + at, n - at);

        if (len == 0)
            break;
        at += len;
    }
    return at;
}

bool kin__utf8_check(const char *p, size_t n)
{
    return kin__utf8_valid_len(p, n) == n;
}

size_t kin__utf8_cut(const char *p, size_t n)
{
    size_t start = n;

    /* A character has at most three continuation bytes, so its start is near. */
    while (start > 0 && n - start < 4) {
        start--;
        if (!is_continuation((unsigned char)p[start]))
            return kin__utf8_char_len(p + start, n - start) == n - start ? n : start;
    }
    return n; /* not UTF-8 here; there is no boundary to keep */
}
