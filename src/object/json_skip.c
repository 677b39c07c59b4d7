/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stepping over a map or array, 64 bytes at a time: which bytes are inside strings is computed for
 * all of them at once, and brackets outside are counted. Only the block in which it may end is
 * looked at closely.
 */
#include "object/json_scan.h"

#define BLOCK 64

/* A bit for each byte of a block. */
struct masks {
    uint64_t backslashes;
    uint64_t quotes;
    uint64_t opening; /* brackets, in strings too */
    uint64_t closing;
};

#if defined(__SSE2__) && !defined(KIN__SCAN_PORTABLE)
static uint64_t mask_of(__m128i equal, unsigned part)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(equal) << (16 * part);
}

static struct masks look(const char *p)
{
    /* The two brackets of a kind differ in one bit. */
    const __m128i bracket_bit = _mm_set1_epi8(0x20);
    struct masks m = {0, 0, 0, 0};

    for (unsigned i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * (size_t)i));
        __m128i brackets = _mm_or_si128(bytes, bracket_bit);

        m.backslashes |= mask_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')), i);
        m.quotes |= mask_of(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), i);
        m.opening |= mask_of(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('{')), i);
        m.closing |= mask_of(_mm_cmpeq_epi8(brackets, _mm_set1_epi8('}')), i);
    }
    return m;
}
#else
static struct masks look(const char *p)
{
    struct masks m = {0, 0, 0, 0};

    for (unsigned i = 0; i < BLOCK; i++) {
        uint64_t bit = UINT64_C(1) << i;

        m.backslashes |= p[i] == '\\' ? bit : 0;
        m.quotes |= p[i] == '"' ? bit : 0;
        m.opening |= (p[i] | 0x20) == '{' ? bit : 0;
        m.closing |= (p[i] | 0x20) == '}' ? bit : 0;
    }
    return m;
}
#endif

/*
 * The bytes that a backslash before them escapes; *carry is whether the next block's first one is.
 */
static uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t even = UINT64_C(0x5555555555555555);

    if (backslashes == 0) {
        uint64_t escaped = *carry;

        *carry = 0;
        return escaped;
    }
    /*
     * A run of backslashes escapes every second one of itself, and what follows if its length is
     * odd.
     */
    backslashes &= ~*carry;

    uint64_t follows = backslashes << 1 | *carry;
    uint64_t odd_starts = backslashes & ~even & ~follows;
    uint64_t ends;

    *carry = __builtin_add_overflow(odd_starts, backslashes, &ends);
    return (even ^ (ends << 1)) & follows;
}

/* Bit i is the parity of the bits up to i. */
static uint64_t parity(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Without the instruction, which not every x86-64 has, the compiler would call a function. */
static unsigned count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/*
 * The bit behind which the depth becomes 0; there must be enough closing brackets for it to be
 * possible.
 */
static unsigned find_end(uint64_t opening, uint64_t closing, unsigned depth)
{
    uint64_t brackets = opening | closing;

    while (brackets != 0) {
        unsigned bit = (unsigned)__builtin_ctzll(brackets);

        if (opening >> bit & 1)
            depth++;
        else if (--depth == 0)
            return bit;
        brackets &= brackets - 1;
    }
    return BLOCK;
}

const char *kin__json_skip_container(const char *p, const char *end)
{
    uint64_t in_string = 0; /* all ones or all zeros */
    uint64_t escape = 0;
    unsigned depth = 0;

    while (p < end) {
        size_t left = (size_t)(end - p);
        char padded[BLOCK];
        const char *block = p;

        if (left < BLOCK) {
            memset(padded, ' ', sizeof(padded));
            memcpy(padded, p, left);
            block = padded;
        }
        struct masks m = look(block);
        uint64_t strings = parity(m.quotes & ~escaped_bytes(m.backslashes, &escape)) ^ in_string;

        in_string = 0 - (strings >> 63);
        m.opening &= ~strings;
        m.closing &= ~strings;

        unsigned closings = count_bits(m.closing);

        if (closings >= depth && closings > 0) {
            unsigned bit = find_end(m.opening, m.closing, depth);

            if (bit < BLOCK)
                return p + bit + 1;
        }
        depth += count_bits(m.opening) - closings;
        p += BLOCK;
    }
    return NULL;
}
