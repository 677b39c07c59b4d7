/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system's clock and the fake one.
 *
 * Threads: any. A fake clock has one lock that guards its waiters and the writing of its
 * time, which is read without it (also in a forked child). The lock ranks last, so a
 * waiter may register under its own lock. Notifying takes the waiter's lock, which ranks
 * lower, so it happens with the clock's lock dropped, and `busy` keeps the waiter's memory
 * alive meanwhile. kin_clock_advance() notifies waiters in the order of their deadlines,
 * those with the same deadline in the order in which they came.
 */
#include "base/clock.h"

#include <limits.h>
#include <stdatomic.h>
#include <time.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"

#define FAKE_START (3600 * KIN__SECOND)

struct kin_clock {
    bool fake; /* const after new; nothing below exists for the system's clock */
    kin__ref ref;
    kin__fork_guard guard;    /* const after new */
    kin__mutex lock;          /* rank KIN__RANK_CLOCK */
    kin__cond changed;        /* (lock) a waiter came, or a notify returned */
    kin__list waiters;        /* (lock) */
    _Atomic int64_t now;      /* written under lock, read by anybody */
    _Atomic int64_t unix_now; /* the same */
};

static kin_clock system_clock = {.fake = false};

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t); /* can't fail for these two clocks */
    return (int64_t)t.tv_sec * KIN__SECOND + t.tv_nsec;
}

kin_clock *kin_clock_system(void)
{
    return &system_clock;
}

int kin_clock_new_fake(kin_clock **ret, int64_t unix_ns, kin_error *err)
{
    if (!ret)
        return kin_error_set(err, KIN_EINVAL, "no place for the clock");

    kin_clock *clock = kin__malloc(sizeof(*clock));
    if (!clock)
        return kin__error_no_memory(err);
    int code = kin__fork_guard_init(&clock->guard, err);
    if (code < 0) {
        kin__free(clock);
        return code;
    }
    clock->fake = true;
    kin__ref_init(&clock->ref);
    kin__mutex_init(&clock->lock, KIN__RANK_CLOCK);
    kin__cond_init(&clock->changed);
    kin__list_init(&clock->waiters);
    atomic_init(&clock->now, FAKE_START);
    atomic_init(&clock->unix_now, unix_ns);
    *ret = clock;
    return 0;
}

kin_clock *kin_clock_ref(kin_clock *clock)
{
    if (clock && clock->fake)
        kin__ref_get(&clock->ref);
    return clock;
}

void kin_clock_unref(kin_clock *clock)
{
    if (!clock || !clock->fake || !kin__ref_put(&clock->ref))
        return;
    if (kin__fork_guard_check(&clock->guard, NULL) == 0) {
        kin__assert(kin__list_is_empty(&clock->waiters));
        kin__cond_done(&clock->changed);
        kin__mutex_done(&clock->lock);
    }
    kin__free(clock);
}

bool kin__clock_is_fake(const kin_clock *clock)
{
    return clock->fake;
}

int64_t kin_clock_now(kin_clock *clock)
{
    return clock && clock->fake ? atomic_load(&clock->now) : read_clock(CLOCK_MONOTONIC);
}

int64_t kin_clock_unix_now(kin_clock *clock)
{
    return clock && clock->fake ? atomic_load(&clock->unix_now) : read_clock(CLOCK_REALTIME);
}

static int check_fake(const kin_clock *clock, kin_error *err)
{
    if (!clock || !clock->fake)
        return kin_error_set(err, KIN_EINVAL, "only a fake clock can be moved");
    return kin__fork_guard_check(&clock->guard, err);
}

/* The waiter that is due first and was not notified yet, or NULL. */
static kin__clock_waiter *next_due_locked(kin_clock *clock) KIN_REQUIRES(clock->lock)
{
    kin__clock_waiter *first = NULL;

    kin__list_for_each(&clock->waiters, node) {
        kin__clock_waiter *waiter = kin__list_entry(node, kin__clock_waiter, link);

        if (waiter->notified || waiter->deadline > clock->now)
            continue;
        if (!first || waiter->deadline < first->deadline)
            first = waiter;
    }
    return first;
}

int kin_clock_advance(kin_clock *clock, int64_t ns, kin_error *err)
{
    kin__clock_waiter *due;
    int code = check_fake(clock, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&clock->lock);
    if (ns < 0 || ns > INT64_MAX - 1 - clock->now ||
        (clock->unix_now > 0 && ns > INT64_MAX - clock->unix_now)) {
        kin__mutex_unlock(&clock->lock);
        return kin_error_set(err, KIN_EINVAL, "can't advance by %lld ns", (long long)ns);
    }
    clock->now += ns;
    clock->unix_now += ns;
    while ((due = next_due_locked(clock)) != NULL) {
        due->notified = true;
        due->busy = true;
        kin__mutex_unlock(&clock->lock);
        due->notify(due);
        kin__mutex_lock(&clock->lock);
        due->busy = false;
        kin__cond_broadcast(&clock->changed);
    }
    kin__mutex_unlock(&clock->lock);
    return 0;
}

int kin_clock_set_unix(kin_clock *clock, int64_t unix_ns, kin_error *err)
{
    int code = check_fake(clock, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&clock->lock);
    clock->unix_now = unix_ns;
    kin__mutex_unlock(&clock->lock);
    return 0;
}

/* Those whose time has come are on their way out and don't count. */
static size_t count_waiting_locked(kin_clock *clock) KIN_REQUIRES(clock->lock)
{
    size_t count = 0;

    kin__list_for_each(&clock->waiters, node) {
        if (kin__list_entry(node, kin__clock_waiter, link)->deadline > clock->now)
            count++;
    }
    return count;
}

int kin_clock_await_waiters(kin_clock *clock, size_t count, int64_t timeout_ms, kin_error *err)
{
    int code = check_fake(clock, err);

    if (code < 0)
        return code;

    int64_t deadline = kin__clock_deadline_ms(kin_clock_system(), timeout_ms);
    size_t waiting;
    bool in_time = true;

    kin__mutex_lock(&clock->lock);
    while ((waiting = count_waiting_locked(clock)) < count && in_time)
        in_time = kin__cond_wait_until(&clock->changed, &clock->lock, kin_clock_system(), deadline);
    kin__mutex_unlock(&clock->lock);
    if (waiting < count)
        return kin_error_set(err, KIN_ETIMEOUT, "%zu of %zu waiters came within %lld ms", waiting,
                             count, (long long)timeout_ms);
    return 0;
}

int64_t kin__clock_deadline(kin_clock *clock, int64_t ns)
{
    int64_t deadline;

    if (ns < 0 || __builtin_add_overflow(kin_clock_now(clock), ns, &deadline))
        return INT64_MAX;
    return deadline;
}

int64_t kin__clock_deadline_ms(kin_clock *clock, int64_t timeout_ms)
{
    int64_t ns;

    if (timeout_ms < 0 || __builtin_mul_overflow(timeout_ms, KIN__MILLISECOND, &ns))
        return INT64_MAX;
    return kin__clock_deadline(clock, ns);
}

bool kin__clock_wait_begin(kin_clock *clock, kin__clock_waiter *waiter)
{
    kin__assert(clock->fake && kin__fork_guard_check(&clock->guard, NULL) == 0);
    kin__mutex_lock(&clock->lock);
    bool waits = waiter->deadline > clock->now;
    if (waits) {
        waiter->notified = false;
        waiter->busy = false;
        kin__list_push_back(&clock->waiters, &waiter->link);
        kin__cond_broadcast(&clock->changed);
    }
    kin__mutex_unlock(&clock->lock);
    return waits;
}

bool kin__clock_wait_try_end(kin_clock *clock, kin__clock_waiter *waiter)
{
    kin__mutex_lock(&clock->lock);
    bool ended = !waiter->busy;
    if (ended)
        kin__list_remove(&waiter->link);
    kin__mutex_unlock(&clock->lock);
    return ended;
}

void kin__clock_wait_end(kin_clock *clock, kin__clock_waiter *waiter)
{
    kin__mutex_lock(&clock->lock);
    while (waiter->busy)
        kin__cond_wait(&clock->changed, &clock->lock);
    kin__list_remove(&waiter->link);
    kin__mutex_unlock(&clock->lock);
}

int kin__clock_poll_ms(kin_clock *clock, int64_t deadline)
{
    if (deadline == INT64_MAX)
        return -1;

    int64_t left = deadline - kin_clock_now(clock);
    if (left <= 0)
        return 0;
    if (clock->fake)
        return -1;
    int64_t ms = left / KIN__MILLISECOND + (left % KIN__MILLISECOND != 0);
    return ms > INT_MAX ? INT_MAX : (int)ms;
}
