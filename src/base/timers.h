/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of timers, ordered by deadline. Passive: it has no thread and no clock of its
 * own. Its owner asks when the next one is due, waits that long by whatever means it has
 * (kin__cond_wait_until(), poll()), and pops what has expired. Not thread-safe: the
 * owner locks.
 *
 * Timers are members of the caller's structs. Those with equal deadlines expire in the
 * order in which they were set.
 */
#ifndef KIN_BASE_TIMERS_H
#define KIN_BASE_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kin__timer {
    int64_t deadline;
    uint64_t order; /* set later: larger */
    size_t place;   /* in the heap, counted from 1; 0 when not set */
} kin__timer;

typedef struct kin__timers {
    kin__timer **heap;
    size_t len;
    size_t cap;
    uint64_t order;
} kin__timers;

void kin__timers_init(kin__timers *timers);
/* Frees the heap; timers that are still set are forgotten, and may be gone already. */
void kin__timers_done(kin__timers *timers);

static inline void kin__timer_init(kin__timer *timer)
{
    timer->place = 0;
}

static inline bool kin__timer_is_set(const kin__timer *timer)
{
    return timer->place != 0;
}

/* Make room, so that as many can be set without a failure. 0 or KIN_ENOMEM. */
int kin__timers_reserve(kin__timers *timers, size_t n);
/* Give the memory back if none is set, and there is room for more than `keep`. */
void kin__timers_trim(kin__timers *timers, size_t keep);
/* Set or move a timer. 0 or KIN_ENOMEM; moving never fails. */
int kin__timers_set(kin__timers *timers, kin__timer *timer, int64_t deadline);
/* Nothing happens if it is not set. Never fails. */
void kin__timers_cancel(kin__timers *timers, kin__timer *timer);
/* The earliest deadline, INT64_MAX if there is none. */
int64_t kin__timers_next(const kin__timers *timers);
/* Take out the earliest timer if it is due at `now`, else NULL. */
kin__timer *kin__timers_pop(kin__timers *timers, int64_t now);

#endif
