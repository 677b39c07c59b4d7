/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic reference counts.
 *
 * | operation       | order   | why                                                       |
 * |-----------------|---------|-----------------------------------------------------------|
 * | get             | relaxed | the caller holds a reference: the object is visible to it  |
 * | get_unless_zero | acquire | the object was found through a shared structure            |
 * | put             | release, acquire on the last | all uses happen before the destruction |
 *
 * get_unless_zero is for structures that hold pointers without references and are
 * read while the last reference may be going: it fails once the count was zero.
 * The memory itself must be kept readable by other means (a lock, RCU).
 */
#ifndef KIN_BASE_REF_H
#define KIN_BASE_REF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

typedef struct kin__ref {
    _Atomic uint32_t count;
} kin__ref;

/* A count this high can only come from a leak; long before it could wrap. */
#define KIN__REF_MAX (UINT32_MAX / 2)

static inline void kin__ref_init(kin__ref *ref)
{
    atomic_init(&ref->count, 1);
}

static inline void kin__ref_get(kin__ref *ref)
{
    uint32_t before = atomic_fetch_add_explicit(&ref->count, 1, memory_order_relaxed);

    kin__assert(before > 0 && before < KIN__REF_MAX);
    (void)before;
}

static inline bool kin__ref_get_unless_zero(kin__ref *ref)
{
    uint32_t seen = atomic_load_explicit(&ref->count, memory_order_relaxed);

    do {
        if (seen == 0)
            return false;
        kin__assert(seen < KIN__REF_MAX);
    } while (!atomic_compare_exchange_weak_explicit(&ref->count, &seen, seen + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

/* True for the caller that dropped the last reference and has to destroy the object. */
static inline bool kin__ref_put(kin__ref *ref)
{
    /*
     * acq_rel instead of release plus a fence on the last: as cheap on x86, one
     * instruction on ARM, and ThreadSanitizer understands it.
     */
    uint32_t before = atomic_fetch_sub_explicit(&ref->count, 1, memory_order_acq_rel);

    kin__assert(before > 0 && before <= KIN__REF_MAX);
    return before == 1;
}

#endif
