/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_trim() on behalf of caches that have shrunk.
 *
 * The allocator belongs to the process, and so do the switch and the time of the last trim. The time
 * is of the caller's clock. Clocks of one process that differ (fake ones, in tests) can only make a trim
 * come earlier: a last trim in the future does not count.
 *
 * malloc_trim() exists in glibc only. Elsewhere, and with an allocator of the program's own, nothing
 * is ever trimmed.
 */
#include "base/trim.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#define SYSTEM_TRIM malloc_trim
#else
#define SYSTEM_TRIM NULL
#endif

#define TRIM_EVERY (60 * KIN__SECOND)
#define NEVER INT64_MAX

static atomic_bool is_on;
static _Atomic int64_t last = NEVER;
static _Atomic(kin__trim_fn *) trim_fn = SYSTEM_TRIM;

void kin_set_memory_trim(bool on)
{
    atomic_store_explicit(&is_on, on, memory_order_relaxed);
}

void kin__trim_replace(kin__trim_fn *fn)
{
    atomic_store(&trim_fn, fn ? fn : SYSTEM_TRIM);
    atomic_store(&last, NEVER);
}

bool kin__trim_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_relaxed) && kin__memory_is_system() &&
           atomic_load_explicit(&trim_fn, memory_order_relaxed);
}

int64_t kin__trim(int64_t now)
{
    int64_t before = atomic_load(&last);
    kin__trim_fn *fn = atomic_load(&trim_fn);

    do {
        if (before <= now && now - before < TRIM_EVERY)
            return before + TRIM_EVERY;
    } while (!atomic_compare_exchange_weak(&last, &before, now));
    if (fn)
        (void)fn(0);
    return 0;
}

void kin__footprint_add(kin__footprint *footprint, int64_t bytes)
{
    footprint->live += bytes;
    if (footprint->live > footprint->peak)
        footprint->peak = footprint->live;
}

bool kin__footprint_has_dropped(const kin__footprint *footprint)
{
    return footprint->peak - footprint->live >= KIN__TRIM_MIN &&
           footprint->live < footprint->peak / 2;
}

void kin__footprint_settle(kin__footprint *footprint)
{
    footprint->peak = footprint->live;
}
