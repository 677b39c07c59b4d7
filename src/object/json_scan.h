/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the end of plain text in JSON strings, sixteen bytes at a time where the machine can.
 *
 * Never reads beyond `end`: the text is the other side's, and nothing is promised behind it.
 */
#ifndef KIN_OBJECT_JSON_SCAN_H
#define KIN_OBJECT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(KIN__SCAN_PORTABLE)
#include <emmintrin.h>
#endif

/*
 * Whether a byte stands for itself in a string: ASCII, no control character, no quote, no
 * backslash.
 */
static inline bool kin__json_is_plain(char c)
{
    return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

/* The first byte from `p` on that is not plain, or `end`. */
static inline const char *kin__json_scan_plain(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(KIN__SCAN_PORTABLE)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);

    for (; end - p >= 16; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Signed: bytes beyond ASCII are negative and so below the space, too. */
        __m128i special = _mm_or_si128(
            _mm_cmplt_epi8(bytes, space),
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
        int mask = _mm_movemask_epi8(special);

        if (mask != 0)
            return p + __builtin_ctz((unsigned)mask);
    }
#else
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = UINT64_C(0x8080808080808080);

    for (; end - p >= 8; p += 8) {
        uint64_t bytes;

        memcpy(&bytes, p, 8);

        uint64_t quote = bytes ^ (ones * '"');
        uint64_t backslash = bytes ^ (ones * '\\');
        /*
         * High bit of some byte: it is beyond ASCII, below the space, or became zero. Exact as a
         * whole.
         */
        uint64_t special = bytes | (bytes - ones * 0x20) | (quote - ones) | (backslash - ones);

        if ((special & highs) != 0)
            break;
    }
#endif
    while (p < end && kin__json_is_plain(*p))
        p++;
    return p;
}

/*
 * Behind the map or array that begins at `p`, found by its brackets alone; NULL if it does not end
 * before `end`. Says nothing about what is in it.
 */
const char *kin__json_skip_container(const char *p, const char *end);

/* Whether n bytes at two places, readable both, are the same. For short n; no call. */
static inline bool kin__same_bytes(const char *a, const char *b, size_t n)
{
    uint64_t a8;
    uint64_t b8;
    uint32_t a4;
    uint32_t b4;

    if (n >= 8) {
        for (; n > 8; n -= 8, a += 8, b += 8) {
            memcpy(&a8, a, 8);
            memcpy(&b8, b, 8);
            if (a8 != b8)
                return false;
            if (n < 16) {
                a -= 16 - n;
                b -= 16 - n;
                n = 16;
            }
        }
        memcpy(&a8, a, 8);
        memcpy(&b8, b, 8);
        return a8 == b8;
    }
    if (n >= 4) {
        memcpy(&a4, a, 4);
        memcpy(&b4, b, 4);
        if (a4 != b4)
            return false;
        memcpy(&a4, a + n - 4, 4);
        memcpy(&b4, b + n - 4, 4);
        return a4 == b4;
    }
    while (n > 0 && *a == *b) {
        a++;
        b++;
        n--;
    }
    return n == 0;
}

#endif
