/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers that are the same on every machine (splitmix64).
 */
#ifndef KIN_TEST_RNG_H
#define KIN_TEST_RNG_H

#include <stdint.h>

typedef struct kin_test_rng {
    uint64_t state;
} kin_test_rng;

static inline uint64_t kin_test_random(kin_test_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 <= result < n, or 0 if n is 0. */
static inline uint64_t kin_test_below(kin_test_rng *rng, uint64_t n)
{
    return n ? kin_test_random(rng) % n : 0;
}

#endif
