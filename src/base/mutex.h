/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes with a rank, and condition variables on monotonic time.
 *
 * Where KIN_DEBUG_CHECKS is on, taking a lock out of rank order, unlocking what another
 * thread holds, destroying a held lock and running a callback under a lock each end the
 * process with both locks' ranks. In a release build this is a bare pthread mutex.
 * Under clang the annotations prove at compile time what they can.
 */
#ifndef KIN_BASE_MUTEX_H
#define KIN_BASE_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/lock_rank.h"
#include "kinform/clock.h"

typedef struct KIN_CAPABILITY("mutex") kin__mutex {
    pthread_mutex_t mutex;
#if KIN_DEBUG_CHECKS
    enum kin__lock_rank rank; /* const after init */
#endif
} kin__mutex;

typedef struct kin__cond {
    pthread_cond_t cond;
} kin__cond;

/* For a lock with static storage that is needed before anybody could initialize it. */
/* clang-format off */
#if KIN_DEBUG_CHECKS
#define KIN__MUTEX_INITIALIZER(rank_) {PTHREAD_MUTEX_INITIALIZER, (rank_)}
#else
#define KIN__MUTEX_INITIALIZER(rank_) {PTHREAD_MUTEX_INITIALIZER}
#endif
/* clang-format on */

void kin__mutex_init(kin__mutex *mutex, enum kin__lock_rank rank);
void kin__mutex_done(kin__mutex *mutex);
void kin__mutex_lock(kin__mutex *mutex) KIN_ACQUIRE(*mutex);
/* Whether it was free and is held now. */
bool kin__mutex_try_lock(kin__mutex *mutex) KIN_TRY_ACQUIRE(true, *mutex);
void kin__mutex_unlock(kin__mutex *mutex) KIN_RELEASE(*mutex);

#if KIN_DEBUG_CHECKS
/* For other kinds of locks: before one is taken, when it was, and before it is released. */
void kin__lock_check(const void *lock, enum kin__lock_rank rank);
void kin__lock_taken(const void *lock, enum kin__lock_rank rank);
void kin__lock_given(const void *lock, enum kin__lock_rank rank);
/* Tell the reader, the analysis and a debug build that this thread holds the lock. */
void kin__mutex_assert_held(const kin__mutex *mutex) KIN_ASSERT_HELD(*mutex);
/* Before a user's callback runs: this thread holds no lock of ours. */
void kin__assert_no_locks(void);
#else
static inline void kin__mutex_assert_held(const kin__mutex *mutex) KIN_ASSERT_HELD(*mutex)
{
    (void)mutex;
}

static inline void kin__assert_no_locks(void)
{
}
#endif

void kin__cond_init(kin__cond *cond);
void kin__cond_done(kin__cond *cond);
void kin__cond_signal(kin__cond *cond);
void kin__cond_broadcast(kin__cond *cond);
/* As pthread_cond_wait(): may wake for no reason. */
void kin__cond_wait(kin__cond *cond, kin__mutex *mutex) KIN_REQUIRES(*mutex);
/*
 * The same until `deadline`, in the time of kin_clock_now(clock); INT64_MAX is never.
 * False once the deadline has passed, whether signalled or not.
 */
bool kin__cond_wait_until(kin__cond *cond, kin__mutex *mutex, kin_clock *clock, int64_t deadline)
    KIN_REQUIRES(*mutex);

#endif
