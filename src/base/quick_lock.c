/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slow halves: looking again, and sleeping in the kernel.
 *
 * A futex wakes for no reason at times, and a wake-up that comes too late may reach another word at
 * the same address. Both are harmless: whoever sleeps looks again.
 */
#include "base/quick_lock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* The kernel's numbers: its header is not where every C library looks. */
enum {
    FUTEX_WAKE = 1,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_PRIVATE = 128, /* by threads of one process */
};
#define FUTEX_ANY UINT32_MAX

/* Some microseconds: what it takes to sleep and to be woken. */
enum { LOOKS = 100 };

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

/* On a single core, what is waited for cannot happen while one looks. */
static bool looking_helps(void)
{
    static _Atomic int known; /* 0: not yet; 1: yes; 2: no */
    int now = atomic_load_explicit(&known, memory_order_relaxed);

    if (now == 0) {
        now = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 2;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 1;
}

/* The one whose timespec is ours. */
static long futex_number(void)
{
#ifdef SYS_futex_time64
    if (sizeof(time_t) > sizeof(long))
        return SYS_futex_time64;
#endif
    return SYS_futex;
}

/* While the word is `value`. */
static void futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *deadline)
{
    (void)syscall(futex_number(), word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE, value, deadline, NULL,
                  FUTEX_ANY);
}

static void futex_wake(_Atomic uint32_t *word)
{
    (void)syscall(futex_number(), word, FUTEX_WAKE | FUTEX_PRIVATE, 1, NULL, NULL, 0);
}

/* --- lock --- */

void kin__quick_lock_init(kin__quick_lock *lock, enum kin__lock_rank rank)
{
    atomic_init(&lock->state, 0);
#if KIN_DEBUG_CHECKS
    lock->rank = rank;
#else
    (void)rank;
#endif
}

void kin__quick_lock_wait(kin__quick_lock *lock)
{
    for (int i = looking_helps() ? LOOKS : 0; i > 0; i--) {
        uint32_t state = 0;

        relax();
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_weak_explicit(&lock->state, &state, 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
    }
    /* Whoever had to sleep does not know whether others do, and says that they may. */
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        futex_wait(&lock->state, 2, NULL);
}

void kin__quick_lock_wake(kin__quick_lock *lock)
{
    futex_wake(&lock->state);
}

/* --- event --- */

void kin__event_wake(kin__event *event)
{
    futex_wake(&event->state);
}

/* Until it has happened, or the kernel's clock says `deadline`. */
static void sleep_until(kin__event *event, int64_t deadline)
{
    const struct timespec at = {
        .tv_sec = (time_t)(deadline / KIN__SECOND),
        .tv_nsec = (long)(deadline % KIN__SECOND),
    };
    uint32_t state = 0;

    if (atomic_compare_exchange_strong_explicit(&event->state, &state, 2, memory_order_acquire,
                                                memory_order_acquire) ||
        state == 2)
        futex_wait(&event->state, 2, deadline == INT64_MAX ? NULL : &at);
}

struct event_waiter {
    kin__clock_waiter waiter;
    kin__event *event;
};

static void set_event(kin__clock_waiter *waiter)
{
    kin__event *event = kin__container_of(waiter, struct event_waiter, waiter)->event;

    if (kin__event_set(event))
        kin__event_wake(event);
}

/* A fake clock: whoever moves it lets it happen. */
static void wait_fake(kin__event *event, kin_clock *clock, int64_t deadline)
{
    struct event_waiter w = {.waiter = {.deadline = deadline, .notify = set_event}, .event = event};

    if (!kin__clock_wait_begin(clock, &w.waiter))
        return; /* due already */
    sleep_until(event, INT64_MAX);
    kin__clock_wait_end(clock, &w.waiter);
}

bool kin__event_look(kin__event *event, unsigned times)
{
    if (!looking_helps())
        return false;
    for (unsigned i = 0; i < times; i++) {
        if (atomic_load_explicit(&event->state, memory_order_acquire) == 1)
            return true;
        relax();
    }
    return false;
}

void kin__event_wait_until(kin__event *event, kin_clock *clock, int64_t deadline)
{
    if (deadline != INT64_MAX && kin__clock_is_fake(clock))
        wait_fake(event, clock, deadline);
    else
        sleep_until(event, deadline);
}
