/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers that are functions, not sequences: each purpose (domain) and id has a stream of
 * its own, so that adding a draw to one place changes nothing elsewhere. SplitMix64 underneath.
 */
#ifndef KIN_BENCH_PODS_RNG_H
#define KIN_BENCH_PODS_RNG_H

#include <stdint.h>

struct kin_bench__rng {
    uint64_t state;
};

static inline uint64_t kin_bench__mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t kin_bench__hash3(uint64_t seed, uint64_t domain, uint64_t id)
{
    uint64_t h = kin_bench__mix64(seed + UINT64_C(0x9e3779b97f4a7c15));

    h = kin_bench__mix64(h ^ (domain * UINT64_C(0xd1342543de82ef95)));
    return kin_bench__mix64(h ^ (id + UINT64_C(0x9e3779b97f4a7c15)));
}

static inline void kin_bench__rng_init(struct kin_bench__rng *rng, uint64_t seed, uint64_t domain,
                                       uint64_t id)
{
    rng->state = kin_bench__hash3(seed, domain, id);
}

static inline uint64_t kin_bench__rng_next(struct kin_bench__rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return kin_bench__mix64(rng->state);
}

/* 0 … n - 1. The bias of multiply-and-shift is below 2^-20 for every n used here. */
static inline uint32_t kin_bench__rng_below(struct kin_bench__rng *rng, uint32_t n)
{
    return (uint32_t)(((kin_bench__rng_next(rng) >> 32) * n) >> 32);
}

/*
 * The i-th element of a random permutation of 0 … n - 1, without a table: a four-round Feistel
 * network over the next power of four, walked until the value falls into the range.
 */
static inline uint64_t kin_bench__permute(uint64_t key, uint64_t n, uint64_t i)
{
    unsigned half = 1;
    uint64_t mask;

    while (half < 32 && (UINT64_C(1) << (2 * half)) < n)
        half++;
    mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half;
        uint64_t right = i & mask;

        for (unsigned round = 0; round < 4; round++) {
            uint64_t next =
                left ^
                (kin_bench__mix64(key + round * UINT64_C(0x9e3779b97f4a7c15) + (right << 20)) &
                 mask);
            left = right;
            right = next;
        }
        i = (left << half) | right;
    } while (i >= n);
    return i;
}

#endif
