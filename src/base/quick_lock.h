/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for sections of some ten instructions that are entered millions of times a second, and an
 * event to wait for without it.
 *
 * A kin__mutex costs more to take and to release than such a section itself, and a condition puts
 * whoever waits to sleep at once, only to have him wait for the mutex when he was woken. Here both
 * fast paths are inline, one atomic instruction each; who comes too late looks again for about as
 * long as going to sleep would take, where there is more than one core, and sleeps then. Whoever
 * sets an event makes a system call only if somebody sleeps.
 *
 * Ranks are checked as those of mutexes, and the annotations are the same. There is no condition:
 * who waits releases the lock, waits for an event of his own, and takes the lock again.
 */
#ifndef KIN_BASE_QUICK_LOCK_H
#define KIN_BASE_QUICK_LOCK_H

#include <stdatomic.h>

#include "base/mutex.h"

/* --- lock --- */

typedef struct KIN_CAPABILITY("mutex") kin__quick_lock {
    _Atomic uint32_t state; /* 0: free; 1: held; 2: held, and somebody may sleep */
#if KIN_DEBUG_CHECKS
    enum kin__lock_rank rank; /* const after init */
#endif
} kin__quick_lock;

void kin__quick_lock_init(kin__quick_lock *lock, enum kin__lock_rank rank);
/* The rest of taking a lock that is not free, and of releasing one for which somebody sleeps. */
void kin__quick_lock_wait(kin__quick_lock *lock);
void kin__quick_lock_wake(kin__quick_lock *lock);

static inline void kin__quick_lock_take(kin__quick_lock *lock) KIN_ACQUIRE(*lock) KIN_NO_TSA
{
    uint32_t state = 0;

#if KIN_DEBUG_CHECKS
    kin__lock_check(lock, lock->rank);
#endif
    if (kin__unlikely(!atomic_compare_exchange_strong_explicit(
            &lock->state, &state, 1, memory_order_acquire, memory_order_relaxed)))
        kin__quick_lock_wait(lock);
#if KIN_DEBUG_CHECKS
    kin__lock_taken(lock, lock->rank);
#endif
}

static inline void kin__quick_lock_give(kin__quick_lock *lock) KIN_RELEASE(*lock) KIN_NO_TSA
{
#if KIN_DEBUG_CHECKS
    kin__lock_given(lock, lock->rank);
#endif
    if (kin__unlikely(atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2))
        kin__quick_lock_wake(lock);
}

/* --- event --- */

/* Something that happens once. One thread waits for it, any may let it happen. */
typedef struct kin__event {
    _Atomic uint32_t state; /* 0: it has not happened; 1: it has; 2: not, and somebody sleeps */
} kin__event;

static inline void kin__event_init(kin__event *event)
{
    atomic_init(&event->state, 0);
}

/*
 * Let it happen. True: somebody sleeps, and has to be woken with kin__event_wake(). By then the
 * event may be gone already, and so may be its memory: nothing of it is read.
 */
static inline bool kin__event_set(kin__event *event)
{
    return atomic_exchange_explicit(&event->state, 1, memory_order_release) == 2;
}

void kin__event_wake(kin__event *event);

/* Look so many times, some ten nanoseconds each, whether it has happened. Where that can help. */
bool kin__event_look(kin__event *event, unsigned times);
/*
 * Sleep until it has happened, or until `deadline` in the time of the clock; INT64_MAX is never.
 * Without locks. May come back early: look whether what was waited for is so.
 */
void kin__event_wait_until(kin__event *event, kin_clock *clock, int64_t deadline);

#endif
