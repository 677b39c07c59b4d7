/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XXH64 over bytes that come in pieces. The manifest's hash is a published one so that it can be
 * checked with other tools (xxhsum -H1); the library's copy is not used because the generator is
 * to build with nothing but libc.
 */
#ifndef KIN_BENCH_PODS_HASH_H
#define KIN_BENCH_PODS_HASH_H

#include <stddef.h>
#include <stdint.h>

struct kin__xxh64 {
    uint64_t lane[4];
    uint64_t total;
    unsigned char tail[32];
    size_t tail_len;
};

void kin__xxh64_init(struct kin__xxh64 *h);
void kin__xxh64_update(struct kin__xxh64 *h, const void *data, size_t size);
/* The hash of all bytes so far; h stays usable. */
uint64_t kin__xxh64_digest(const struct kin__xxh64 *h);

#endif
