/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop around epoll. Events carry a slot and its generation, not a pointer: between epoll_wait()
 * and the lock the one who watched may have gone, and somebody else may have the slot.
 */
#include "apiserver/http/pulse.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/wakeup.h"

#define EVENTS_PER_TURN 64
/* Slots that are none. */
#define EVENT_WAKEUP UINT64_MAX
#define EVENT_LISTENER (UINT64_MAX - 1)

struct slot {
    kin__hangup *hangup; /* NULL: free */
    uint32_t generation;
    uint32_t next_free; /* counted from 1 */
};

struct kin__pulse {
    kin__fork_guard guard;
    kin_clock *clock;
    int epoll;
    kin__wakeup wakeup;
    kin__thread thread;
    void (*ready)(void *arg); /* const while started */
    void *arg;
    kin__mutex lock;
    bool stopping;        /* (lock) */
    int64_t sleeps_until; /* (lock) the deadline that the thread waits for */
    kin__timers timers;   /* (lock) */
    struct slot *slots;   /* (lock) */
    size_t n_slots;       /* (lock) */
    size_t cap_slots;     /* (lock) */
    uint32_t free_slot;   /* (lock) counted from 1 */
};

static int open_epoll(kin__pulse *pulse, kin_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = EVENT_WAKEUP};

    pulse->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (pulse->epoll < 0)
        return kin__error_system(err, errno, "epoll_create1");
    if (epoll_ctl(pulse->epoll, EPOLL_CTL_ADD, pulse->wakeup.fd, &event) == 0)
        return 0;
    int code = kin__error_system(err, errno, "epoll_ctl");
    close(pulse->epoll);
    return code;
}

int kin__pulse_new(kin__pulse **ret, kin_clock *clock, kin_error *err)
{
    kin__pulse *pulse = kin__calloc(1, sizeof(*pulse));

    if (!pulse)
        return kin__error_no_memory(err);
    pulse->thread = KIN__THREAD_INIT;
    int code = kin__fork_guard_init(&pulse->guard, err);
    if (code == 0)
        code = kin__wakeup_init(&pulse->wakeup, err);
    if (code < 0) {
        kin__free(pulse);
        return code;
    }
    code = open_epoll(pulse, err);
    if (code < 0) {
        kin__wakeup_done(&pulse->wakeup);
        kin__free(pulse);
        return code;
    }
    kin__mutex_init(&pulse->lock, KIN__RANK_API_PULSE);
    kin__timers_init(&pulse->timers);
    pulse->clock = kin_clock_ref(clock);
    *ret = pulse;
    return 0;
}

void kin__pulse_free(kin__pulse *pulse)
{
    if (!pulse)
        return;
    close(pulse->epoll);
    kin__wakeup_done(&pulse->wakeup);
    kin__timers_done(&pulse->timers);
    kin__free(pulse->slots);
    if (kin__fork_guard_check(&pulse->guard, NULL) == 0)
        kin__mutex_done(&pulse->lock);
    kin_clock_unref(pulse->clock);
    kin__free(pulse);
}

static void fire_timers(kin__pulse *pulse)
{
    kin__timer *timer = NULL;
    int64_t now = kin_clock_now(pulse->clock);

    kin__mutex_lock(&pulse->lock);
    while ((timer = kin__timers_pop(&pulse->timers, now))) {
        kin__pulse_timer *due = kin__container_of(timer, kin__pulse_timer, timer);

        due->fire(due);
    }
    kin__mutex_unlock(&pulse->lock);
}

static void fire_hangup(kin__pulse *pulse, uint64_t data)
{
    uint32_t slot = (uint32_t)data;

    kin__mutex_lock(&pulse->lock);
    if (slot < pulse->n_slots && pulse->slots[slot].generation == (uint32_t)(data >> 32) &&
        pulse->slots[slot].hangup)
        pulse->slots[slot].hangup->fire(pulse->slots[slot].hangup);
    kin__mutex_unlock(&pulse->lock);
}

static void run_event(kin__pulse *pulse, uint64_t data)
{
    if (data == EVENT_LISTENER)
        pulse->ready(pulse->arg);
    else if (data != EVENT_WAKEUP)
        fire_hangup(pulse, data);
}

struct clock_waiter {
    kin__clock_waiter waiter;
    kin__wakeup *wakeup;
};

static void wake_by_clock(kin__clock_waiter *waiter)
{
    kin__wakeup_signal(kin__container_of(waiter, struct clock_waiter, waiter)->wakeup);
}

static int wait_for_events(kin__pulse *pulse, struct epoll_event *events, int64_t deadline)
{
    struct clock_waiter waiter = {.waiter = {.deadline = deadline, .notify = wake_by_clock},
                                  .wakeup = &pulse->wakeup};
    bool registered = false;
    int ms = kin__clock_poll_ms(pulse->clock, deadline);

    if (deadline != INT64_MAX && kin__clock_is_fake(pulse->clock)) {
        registered = kin__clock_wait_begin(pulse->clock, &waiter.waiter);
        if (!registered)
            ms = 0;
    }
    int n = epoll_wait(pulse->epoll, events, EVENTS_PER_TURN, ms);
    if (registered)
        kin__clock_wait_end(pulse->clock, &waiter.waiter);
    return n;
}

/* Whether the thread goes on; until when it may sleep. */
static bool next_deadline(kin__pulse *pulse, int64_t *ret)
{
    kin__mutex_lock(&pulse->lock);
    bool goes_on = !pulse->stopping;
    pulse->sleeps_until = kin__timers_next(&pulse->timers);
    *ret = pulse->sleeps_until;
    kin__mutex_unlock(&pulse->lock);
    return goes_on;
}

static void pulse_run(void *arg)
{
    kin__pulse *pulse = arg;
    struct epoll_event events[EVENTS_PER_TURN];
    int64_t deadline = 0;

    while (next_deadline(pulse, &deadline)) {
        int n = wait_for_events(pulse, events, deadline);

        kin__wakeup_clear(&pulse->wakeup);
        for (int i = 0; i < n; i++)
            run_event(pulse, events[i].data.u64);
        fire_timers(pulse);
    }
}

int kin__pulse_start(kin__pulse *pulse, void (*ready)(void *arg), void *arg, kin_error *err)
{
    pulse->ready = ready;
    pulse->arg = arg;
    return kin__thread_start(&pulse->thread, "kin-apiserver", pulse_run, pulse, err);
}

void kin__pulse_stop(kin__pulse *pulse)
{
    kin__mutex_lock(&pulse->lock);
    pulse->stopping = true;
    kin__mutex_unlock(&pulse->lock);
    kin__wakeup_signal(&pulse->wakeup);
    (void)kin__thread_join(&pulse->thread, NULL);
}

int kin__pulse_listen(kin__pulse *pulse, int fd, kin_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = EVENT_LISTENER};

    if (epoll_ctl(pulse->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        return kin__error_system(err, errno, "epoll_ctl");
    return 0;
}

void kin__pulse_unlisten(kin__pulse *pulse, int fd)
{
    (void)epoll_ctl(pulse->epoll, EPOLL_CTL_DEL, fd, NULL);
}

int kin__pulse_set(kin__pulse *pulse, kin__pulse_timer *timer, int64_t deadline)
{
    kin__mutex_lock(&pulse->lock);
    int code = kin__timers_set(&pulse->timers, &timer->timer, deadline);
    bool is_first = code == 0 && deadline < pulse->sleeps_until;
    kin__mutex_unlock(&pulse->lock);
    if (is_first)
        kin__wakeup_signal(&pulse->wakeup);
    return code;
}

int kin__pulse_set_ms(kin__pulse *pulse, kin__pulse_timer *timer, int64_t ms)
{
    return kin__pulse_set(pulse, timer, kin__clock_deadline_ms(pulse->clock, ms));
}

void kin__pulse_cancel(kin__pulse *pulse, kin__pulse_timer *timer)
{
    kin__mutex_lock(&pulse->lock);
    kin__timers_cancel(&pulse->timers, &timer->timer);
    kin__mutex_unlock(&pulse->lock);
}

/* A free slot, counted from 1; 0: no memory. */
static uint32_t take_slot_locked(kin__pulse *pulse) KIN_REQUIRES(pulse->lock)
{
    uint32_t slot = pulse->free_slot;

    if (slot) {
        pulse->free_slot = pulse->slots[slot - 1].next_free;
        return slot;
    }
    if (pulse->n_slots == pulse->cap_slots) {
        struct slot *slots =
            kin__grow_array(pulse->slots, &pulse->cap_slots, pulse->n_slots + 1, sizeof(*slots));

        if (!slots)
            return 0;
        pulse->slots = slots;
    }
    pulse->slots[pulse->n_slots] = (struct slot){0};
    return (uint32_t)++pulse->n_slots;
}

static void give_slot_locked(kin__pulse *pulse, uint32_t slot) KIN_REQUIRES(pulse->lock)
{
    pulse->slots[slot - 1].hangup = NULL;
    pulse->slots[slot - 1].generation++;
    pulse->slots[slot - 1].next_free = pulse->free_slot;
    pulse->free_slot = slot;
}

int kin__pulse_watch(kin__pulse *pulse, kin__hangup *hangup, int fd)
{
    /* Edge-triggered: it fires once, and nobody has to take it out before it fires again. */
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET};
    int code = 0;

    kin__mutex_lock(&pulse->lock);
    uint32_t slot = take_slot_locked(pulse);
    if (slot) {
        event.data.u64 = ((uint64_t)pulse->slots[slot - 1].generation << 32) | (slot - 1);
        pulse->slots[slot - 1].hangup = hangup;
        hangup->slot = slot;
        hangup->fd = fd;
        if (epoll_ctl(pulse->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
            give_slot_locked(pulse, slot);
            hangup->slot = 0;
            code = KIN_ESYSTEM;
        }
    } else {
        code = KIN_ENOMEM;
    }
    kin__mutex_unlock(&pulse->lock);
    return code;
}

void kin__pulse_unwatch(kin__pulse *pulse, kin__hangup *hangup)
{
    kin__mutex_lock(&pulse->lock);
    if (hangup->slot) {
        (void)epoll_ctl(pulse->epoll, EPOLL_CTL_DEL, hangup->fd, NULL);
        give_slot_locked(pulse, hangup->slot);
        hangup->slot = 0;
    }
    kin__mutex_unlock(&pulse->lock);
}
