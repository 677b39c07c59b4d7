/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing of bytes: XXH3, inlined from the xxhash package's header, seeded.
 *
 * The seed is random per process, so that whoever chooses the keys (names of objects,
 * label values) cannot choose collisions in advance. XXH3 is not a cryptographic
 * hash: the seed must not leave the process, nor must hashes.
 */
#ifndef KIN_BASE_HASH_H
#define KIN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static inline uint64_t kin__hash(uint64_t seed, const void *data, size_t len)
{
    return XXH3_64bits_withSeed(data, len, seed);
}

/* The process's seed: made at the first call, the same ever after. */
uint64_t kin__hash_seed(void);

#endif
