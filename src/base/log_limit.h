/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit for warnings that each object of a list can cause. The first lines of a minute are logged; the others are
 * counted, and the next line that is logged reports their number.
 *
 * Any thread, no lock. Threads that race for the beginning of a minute may log a few lines more.
 */
#ifndef KIN_BASE_LOG_LIMIT_H
#define KIN_BASE_LOG_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

enum { KIN__LOG_LIMIT_LINES = 10 };
#define KIN__LOG_LIMIT_NS (60 * KIN__SECOND)

/* Zeroed at first. */
typedef struct kin__log_limit {
    _Atomic int64_t until;   /* the end of this minute */
    _Atomic uint32_t n;      /* warnings in it */
    _Atomic uint64_t hidden; /* that were not logged since the last line */
} kin__log_limit;

/* Whether to log a warning. *ret_hidden: how many were not logged before it. */
static inline bool kin__log_limit_allows(kin__log_limit *limit, int64_t now, uint64_t *ret_hidden)
{
    int64_t until = atomic_load(&limit->until);

    if (now >= until && atomic_compare_exchange_strong(&limit->until, &until,
                                                       now > INT64_MAX - KIN__LOG_LIMIT_NS
                                                           ? INT64_MAX
                                                           : now + KIN__LOG_LIMIT_NS))
        atomic_store(&limit->n, 0);
    if (atomic_load(&limit->n) >= KIN__LOG_LIMIT_LINES ||
        atomic_fetch_add(&limit->n, 1) >= KIN__LOG_LIMIT_LINES) {
        atomic_fetch_add(&limit->hidden, 1);
        return false;
    }
    *ret_hidden = atomic_exchange(&limit->hidden, 0);
    return true;
}

#endif
