/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process's hash seed. No initialization order: whoever comes first makes it,
 * and of two who come first at once, one wins. 0 stands for "not made yet".
 */
#include "base/hash.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t process_seed;

/* For kernels and sandboxes without getrandom(): hard to guess, not impossible. */
static uint64_t fallback_seed(void)
{
    struct timespec mono;
    struct timespec wall;

    clock_gettime(CLOCK_MONOTONIC, &mono);
    clock_gettime(CLOCK_REALTIME, &wall);
    const uint64_t parts[] = {
        (uint64_t)mono.tv_nsec, (uint64_t)mono.tv_sec, (uint64_t)wall.tv_nsec,
        (uint64_t)wall.tv_sec,  (uint64_t)getpid(),    (uint64_t)(uintptr_t)&mono,
    };
    return kin__hash(0, parts, sizeof(parts));
}

uint64_t kin__hash_seed(void)
{
    uint64_t seed = atomic_load_explicit(&process_seed, memory_order_relaxed);

    if (seed != 0)
        return seed;
    if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
        seed = fallback_seed();
    seed |= 1; /* never 0 */
    uint64_t expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&process_seed, &expected, seed,
                                                 memory_order_relaxed, memory_order_relaxed))
        return expected;
    return seed;
}
