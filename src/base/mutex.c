/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutex wrapper and its run-time checks.
 *
 * A debug build keeps, per thread, the locks it holds in the order taken. As ranks
 * must rise, the last one has the highest rank and only it needs comparing. Releasing
 * in another order is legal, so an unlock searches. The record is thread-local and
 * needs no synchronization.
 */
#include "base/mutex.h"

#include <errno.h>
#include <time.h>

#include "base/assert.h"
#include "base/clock.h"

#if KIN_DEBUG_CHECKS

/* Deeper nesting than there are ranks is impossible. */
#define MAX_HELD 32

static _Thread_local struct {
    struct {
        const void *lock;
        enum kin__lock_rank rank;
    } at[MAX_HELD];
    unsigned count;
} held;

static bool is_held(const void *lock)
{
    for (unsigned i = 0; i < held.count; i++) {
        if (held.at[i].lock == lock)
            return true;
    }
    return false;
}

void kin__lock_check(const void *lock, enum kin__lock_rank rank)
{
    if (is_held(lock))
        kin__panic(__FILE__, __LINE__, "lock of rank %d taken twice by one thread", rank);
    if (held.count > 0 && held.at[held.count - 1].rank >= rank)
        kin__panic(__FILE__, __LINE__, "lock of rank %d taken while holding rank %d", rank,
                   held.at[held.count - 1].rank);
    if (held.count == MAX_HELD)
        kin__panic(__FILE__, __LINE__, "more than %d locks held", MAX_HELD);
}

void kin__lock_taken(const void *lock, enum kin__lock_rank rank)
{
    held.at[held.count].lock = lock;
    held.at[held.count++].rank = rank;
}

void kin__lock_given(const void *lock, enum kin__lock_rank rank)
{
    if (!is_held(lock))
        kin__panic(__FILE__, __LINE__, "lock of rank %d released by a thread that has it not",
                   rank);
    unsigned at = held.count;
    while (held.at[--at].lock != lock)
        ;
    held.count--;
    for (; at < held.count; at++)
        held.at[at] = held.at[at + 1];
}

static void check_lock(const kin__mutex *mutex)
{
    kin__lock_check(mutex, mutex->rank);
}

static void note_locked(const kin__mutex *mutex)
{
    kin__lock_taken(mutex, mutex->rank);
}

static void note_unlocked(const kin__mutex *mutex)
{
    kin__lock_given(mutex, mutex->rank);
}

void kin__mutex_assert_held(const kin__mutex *mutex) KIN_NO_TSA
{
    if (!is_held(mutex))
        kin__panic(__FILE__, __LINE__, "lock of rank %d is not held here", mutex->rank);
}

void kin__assert_no_locks(void)
{
    if (held.count > 0)
        kin__panic(__FILE__, __LINE__, "a callback is about to run under a lock of rank %d",
                   held.at[held.count - 1].rank);
}

#else

static void check_lock(const kin__mutex *mutex)
{
    (void)mutex;
}

static void note_locked(const kin__mutex *mutex)
{
    (void)mutex;
}

static void note_unlocked(const kin__mutex *mutex)
{
    (void)mutex;
}

#endif

/* The pthread calls below fail only on misuse, which is ours alone to avoid. */
static void must(int os_error, const char *what)
{
    if (os_error != 0)
        kin__panic(__FILE__, __LINE__, "%s failed with %d", what, os_error);
}

void kin__mutex_init(kin__mutex *mutex, enum kin__lock_rank rank)
{
    pthread_mutexattr_t attributes;

#if KIN_DEBUG_CHECKS
    mutex->rank = rank;
#else
    (void)rank;
#endif
    must(pthread_mutexattr_init(&attributes), "pthread_mutexattr_init");
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    /* What we do under a lock is shorter than going to sleep: look again for a while first. */
    must(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP),
         "pthread_mutexattr_settype");
#endif
    must(pthread_mutex_init(&mutex->mutex, &attributes), "pthread_mutex_init");
    pthread_mutexattr_destroy(&attributes);
}

void kin__mutex_done(kin__mutex *mutex)
{
#if KIN_DEBUG_CHECKS
    if (is_held(mutex))
        kin__panic(__FILE__, __LINE__, "lock of rank %d destroyed while held", mutex->rank);
#endif
    must(pthread_mutex_destroy(&mutex->mutex), "pthread_mutex_destroy");
}

void kin__mutex_lock(kin__mutex *mutex) KIN_NO_TSA
{
    check_lock(mutex);
    must(pthread_mutex_lock(&mutex->mutex), "pthread_mutex_lock");
    note_locked(mutex);
}

bool kin__mutex_try_lock(kin__mutex *mutex) KIN_NO_TSA
{
    int os_error;

    check_lock(mutex);
    os_error = pthread_mutex_trylock(&mutex->mutex);
    if (os_error == EBUSY)
        return false;
    must(os_error, "pthread_mutex_trylock");
    note_locked(mutex);
    return true;
}

void kin__mutex_unlock(kin__mutex *mutex) KIN_NO_TSA
{
    note_unlocked(mutex);
    must(pthread_mutex_unlock(&mutex->mutex), "pthread_mutex_unlock");
}

void kin__cond_init(kin__cond *cond)
{
    pthread_condattr_t attr;

    must(pthread_condattr_init(&attr), "pthread_condattr_init");
    must(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC), "pthread_condattr_setclock");
    must(pthread_cond_init(&cond->cond, &attr), "pthread_cond_init");
    must(pthread_condattr_destroy(&attr), "pthread_condattr_destroy");
}

void kin__cond_done(kin__cond *cond)
{
    must(pthread_cond_destroy(&cond->cond), "pthread_cond_destroy");
}

void kin__cond_signal(kin__cond *cond)
{
    must(pthread_cond_signal(&cond->cond), "pthread_cond_signal");
}

void kin__cond_broadcast(kin__cond *cond)
{
    must(pthread_cond_broadcast(&cond->cond), "pthread_cond_broadcast");
}

void kin__cond_wait(kin__cond *cond, kin__mutex *mutex)
{
    note_unlocked(mutex);
    check_lock(mutex); /* it is taken again, and must not rank below what is held meanwhile */
    must(pthread_cond_wait(&cond->cond, &mutex->mutex), "pthread_cond_wait");
    note_locked(mutex);
}

/* The system's clock: the kernel does the waiting. */
static void wait_real(kin__cond *cond, kin__mutex *mutex, int64_t deadline)
{
    struct timespec at = {
        .tv_sec = (time_t)(deadline / KIN__SECOND),
        .tv_nsec = (long)(deadline % KIN__SECOND),
    };

    note_unlocked(mutex);
    check_lock(mutex);
    int os_error = pthread_cond_timedwait(&cond->cond, &mutex->mutex, &at);
    note_locked(mutex);
    if (os_error != ETIMEDOUT)
        must(os_error, "pthread_cond_timedwait");
}

struct cond_waiter {
    kin__clock_waiter waiter;
    kin__cond *cond;
    kin__mutex *mutex;
};

/*
 * Runs in the thread that moves a fake clock. Taking the mutex excludes the stretch in
 * which the waiter has registered but does not wait yet.
 */
static void wake_cond(kin__clock_waiter *waiter)
{
    struct cond_waiter *w = kin__container_of(waiter, struct cond_waiter, waiter);

    kin__mutex_lock(w->mutex);
    kin__cond_broadcast(w->cond);
    kin__mutex_unlock(w->mutex);
}

/* A fake clock: whoever moves it wakes us. */
static void wait_fake(kin__cond *cond, kin__mutex *mutex, kin_clock *clock, int64_t deadline)
    KIN_REQUIRES(*mutex)
{
    struct cond_waiter w = {
        .waiter = {.deadline = deadline, .notify = wake_cond}, .cond = cond, .mutex = mutex};

    if (!kin__clock_wait_begin(clock, &w.waiter))
        return; /* due already */
    kin__cond_wait(cond, mutex);
    if (!kin__clock_wait_try_end(clock, &w.waiter)) {
        /* wake_cond() is under way and wants our mutex. */
        kin__mutex_unlock(mutex);
        kin__clock_wait_end(clock, &w.waiter);
        kin__mutex_lock(mutex);
    }
}

bool kin__cond_wait_until(kin__cond *cond, kin__mutex *mutex, kin_clock *clock, int64_t deadline)
{
    if (deadline == INT64_MAX) {
        kin__cond_wait(cond, mutex);
        return true;
    }
    if (kin_clock_now(clock) >= deadline)
        return false;
    if (kin__clock_is_fake(clock))
        wait_fake(cond, mutex, clock, deadline);
    else
        wait_real(cond, mutex, deadline);
    return kin_clock_now(clock) < deadline;
}
