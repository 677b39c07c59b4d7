/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one thread that the server has besides those of libmicrohttpd: it accepts connections, fires
 * timers, and notices clients that hang up while their connection is suspended, when libmicrohttpd
 * does not look at it.
 *
 * Timers and hang-ups fire under the pulse's lock. So what is cancelled does not fire any more once
 * the call has returned, and its memory may go. What they do must be short and take only locks of a
 * higher rank.
 */
#ifndef KIN_APISERVER_HTTP_PULSE_H
#define KIN_APISERVER_HTTP_PULSE_H

#include "base/timers.h"
#include "kinform/clock.h"

typedef struct kin__pulse kin__pulse;

typedef struct kin__pulse_timer {
    kin__timer timer;
    void (*fire)(struct kin__pulse_timer *timer);
} kin__pulse_timer;

typedef struct kin__hangup {
    void (*fire)(struct kin__hangup *hangup);
    uint32_t slot; /* counted from 1; 0: not watched */
    int fd;
} kin__hangup;

/* `clock` SHARED. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__pulse_new(kin__pulse **ret, kin_clock *clock, kin_error *err);
/* It was stopped, or never started. May be NULL. In a forked child it only gives memory back. */
void kin__pulse_free(kin__pulse *pulse);

/* `ready` runs in the pulse's thread, without a lock, when a watched listener has connections. */
int kin__pulse_start(kin__pulse *pulse, void (*ready)(void *arg), void *arg, kin_error *err);
/* Joins the thread. Nothing fires afterwards; cancelling is still allowed. */
void kin__pulse_stop(kin__pulse *pulse);

/* A descriptor that connections arrive at. 0, KIN_ESYSTEM. */
int kin__pulse_listen(kin__pulse *pulse, int fd, kin_error *err);
/* Before it is closed: a forked child may have it open still. */
void kin__pulse_unlisten(kin__pulse *pulse, int fd);

/* Any thread. Set or move a timer to `deadline`, a time of the clock. 0, KIN_ENOMEM. */
int kin__pulse_set(kin__pulse *pulse, kin__pulse_timer *timer, int64_t deadline);
/* The same, `ms` from now. */
int kin__pulse_set_ms(kin__pulse *pulse, kin__pulse_timer *timer, int64_t ms);
void kin__pulse_cancel(kin__pulse *pulse, kin__pulse_timer *timer);

/*
 * Any thread. Fire once when the other side of `fd` has closed or shut down. The descriptor stays
 * open until kin__pulse_unwatch(). 0, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__pulse_watch(kin__pulse *pulse, kin__hangup *hangup, int fd);
/* Nothing happens if it is not watched. */
void kin__pulse_unwatch(kin__pulse *pulse, kin__hangup *hangup);

#endif
