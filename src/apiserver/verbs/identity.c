/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SplitMix64: the state only counts, so that one atomic addition is all that threads share.
 */
#include "apiserver/verbs/identity.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"

void kin__random_init(kin__random *random, uint64_t seed)
{
    static _Atomic uint64_t n_inits;

    /* Two servers of a process differ, also if the second takes the place of the first. */
    if (seed == 0) {
        uint64_t n = atomic_fetch_add_explicit(&n_inits, 1, memory_order_relaxed);

        seed = kin__hash(kin__hash_seed(), &n, sizeof(n));
    }
    atomic_init(&random->state, seed);
}

uint64_t kin__random_next(kin__random *random)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = atomic_fetch_add_explicit(&random->state, step, memory_order_relaxed) + step;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void kin__uid_make(kin__random *random, char *ret)
{
    uint64_t high = kin__random_next(random);
    uint64_t low = kin__random_next(random);

    snprintf(ret, KIN__UID_SIZE, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16) & 0xffff, (unsigned)high & 0xfff,
             ((unsigned)(low >> 48) & 0x3fff) | 0x8000,
             (unsigned long long)(low & UINT64_C(0xffffffffffff)));
}

void kin__name_generate(kin__random *random, kin_str prefix, char *ret)
{
    /* Without vowels, so that no words come about. */
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    const size_t max = KIN__GENERATED_NAME_SIZE - 1 - 5;
    size_t len = prefix.len > max ? kin__utf8_cut(prefix.data, max) : prefix.len;

    if (len > 0)
        memcpy(ret, prefix.data, len);
    for (size_t i = 0; i < 5; i++)
        ret[len++] = letters[kin__random_next(random) % (sizeof(letters) - 1)];
    ret[len] = '\0';
}
