/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XXH64 as its specification describes it: four lanes over stripes of 32 bytes, merged at the end.
 * Words are read as little endian whatever the machine is.
 */
#include "hash.h"

#include "pods.h"

#include <string.h>

#define P1 UINT64_C(0x9e3779b185ebca87)
#define P2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define P3 UINT64_C(0x165667b19e3779f9)
#define P4 UINT64_C(0x85ebca77c2b2ae63)
#define P5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t rotl(uint64_t v, unsigned n)
{
    return (v << n) | (v >> (64 - n));
}

static uint64_t read64(const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static uint64_t read32(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

static uint64_t step(uint64_t lane, uint64_t word)
{
    return rotl(lane + word * P2, 31) * P1;
}

static void stripes(uint64_t lane[4], const unsigned char *p, size_t count)
{
    uint64_t a = lane[0];
    uint64_t b = lane[1];
    uint64_t c = lane[2];
    uint64_t d = lane[3];

    for (; count > 0; count--, p += 32) {
        a = step(a, read64(p));
        b = step(b, read64(p + 8));
        c = step(c, read64(p + 16));
        d = step(d, read64(p + 24));
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
}

void kin__xxh64_init(struct kin__xxh64 *h)
{
    memset(h, 0, sizeof(*h));
    h->lane[0] = P1 + P2;
    h->lane[1] = P2;
    h->lane[2] = 0;
    h->lane[3] = UINT64_C(0) - P1;
}

void kin__xxh64_update(struct kin__xxh64 *h, const void *data, size_t size)
{
    const unsigned char *p = data;

    h->total += size;
    if (h->tail_len > 0) {
        size_t n = sizeof(h->tail) - h->tail_len;

        if (n > size)
            n = size;
        if (n > 0)
            memcpy(h->tail + h->tail_len, p, n);
        h->tail_len += n;
        p += n;
        size -= n;
        if (h->tail_len < sizeof(h->tail))
            return;
        stripes(h->lane, h->tail, 1);
        h->tail_len = 0;
    }
    stripes(h->lane, p, size / 32);
    p += size / 32 * 32;
    size %= 32;
    if (size > 0)
        memcpy(h->tail, p, size);
    h->tail_len = size;
}

uint64_t kin__xxh64_digest(const struct kin__xxh64 *h)
{
    const unsigned char *p = h->tail;
    size_t left = h->tail_len;
    uint64_t v;

    if (h->total >= 32) {
        v = rotl(h->lane[0], 1) + rotl(h->lane[1], 7) + rotl(h->lane[2], 12) + rotl(h->lane[3], 18);
        for (int i = 0; i < 4; i++)
            v = (v ^ step(0, h->lane[i])) * P1 + P4;
    } else {
        v = P5;
    }
    v += h->total;
    for (; left >= 8; left -= 8, p += 8)
        v = rotl(v ^ step(0, read64(p)), 27) * P1 + P4;
    for (; left >= 4; left -= 4, p += 4)
        v = rotl(v ^ (read32(p) * P1), 23) * P2 + P3;
    for (; left > 0; left--, p++)
        v = rotl(v ^ (*p * P5), 11) * P1;
    v = (v ^ (v >> 33)) * P2;
    v = (v ^ (v >> 29)) * P3;
    return v ^ (v >> 32);
}

uint64_t kin_bench_hash(const void *data, size_t size)
{
    struct kin__xxh64 h;

    kin__xxh64_init(&h);
    kin__xxh64_update(&h, data, size);
    return kin__xxh64_digest(&h);
}
