/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the library waits on a clock; the public half is kinform/clock.h.
 *
 * With the system's clock the kernel wakes a waiter. With a fake one, the thread that
 * moves the clock does: a waiter registers with a deadline and a way to be notified.
 * Threads use kin__cond_wait_until(). A loop around poll() registers a waiter whose
 * notify writes to its wake-up descriptor, and passes kin__clock_poll_ms() to poll().
 */
#ifndef KIN_BASE_CLOCK_H
#define KIN_BASE_CLOCK_H

#include <stdbool.h>

#include "base/list.h"
#include "kinform/clock.h"

#define KIN__MICROSECOND INT64_C(1000)
#define KIN__MILLISECOND INT64_C(1000000)
#define KIN__SECOND INT64_C(1000000000)

typedef struct kin__clock_waiter {
    int64_t deadline;
    /* Runs in the thread that moves the clock, with no lock held. */
    void (*notify)(struct kin__clock_waiter *waiter);
    /* The clock's own: */
    kin__list link;
    bool notified; /* (clock lock) */
    bool busy;     /* (clock lock) notify is running */
} kin__clock_waiter;

bool kin__clock_is_fake(const kin_clock *clock);

/* now + ns, or INT64_MAX (never) where that is beyond the range of time or ns is negative. */
int64_t kin__clock_deadline(kin_clock *clock, int64_t ns);
/* The same from a public timeout in milliseconds: -1 is never. */
int64_t kin__clock_deadline_ms(kin_clock *clock, int64_t timeout_ms);

/*
 * Register with a fake clock. False if the deadline has passed, and then not registered.
 * A registered waiter must end its wait before its memory goes.
 */
bool kin__clock_wait_begin(kin_clock *clock, kin__clock_waiter *waiter);
/* End the wait, or return false, without blocking, because notify is running. */
bool kin__clock_wait_try_end(kin_clock *clock, kin__clock_waiter *waiter);
/* End the wait; blocks while notify is running, so call it without locks that notify takes. */
void kin__clock_wait_end(kin_clock *clock, kin__clock_waiter *waiter);

/*
 * The timeout for poll() and epoll_wait() until `deadline`, rounded up so that it is not
 * woken early: milliseconds, -1 for never. A fake clock gives 0 or -1: its waiter wakes.
 */
int kin__clock_poll_ms(kin_clock *clock, int64_t deadline);

#endif
