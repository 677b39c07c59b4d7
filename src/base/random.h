/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers for delays and timeouts, which must differ from one program to the next and be the
 * same in a test with the same seed (splitmix64). Nothing that anybody must not guess.
 */
#ifndef KIN_BASE_RANDOM_H
#define KIN_BASE_RANDOM_H

#include <stdint.h>

typedef struct kin__random {
    uint64_t state;
} kin__random;

static inline uint64_t kin__random_next(kin__random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 <= result < 1 */
static inline double kin__random_unit(kin__random *random)
{
    return (double)(kin__random_next(random) >> 11) * 0x1p-53;
}

#endif
