/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Time that can be injected.
 *
 * Everything in the library that waits, backs off, resyncs or expires asks a
 * `kin_clock`. The default is the system's. A test passes a fake one, moves it by
 * hand, and sees an hour of backoff in a microsecond. (Timers inside the kernel and
 * libcurl are not ours and follow real time.)
 */
#ifndef KINFORM_CLOCK_H
#define KINFORM_CLOCK_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** A source of time. SHARED. */
typedef struct kin_clock kin_clock;

/**
 * The system's clock: CLOCK_MONOTONIC and CLOCK_REALTIME.
 *
 * @return BORROWED for ever; kin_clock_ref() and kin_clock_unref() do nothing to it.
 * @thread any
 */
KIN_API kin_clock *kin_clock_system(void);

/**
 * Make a clock that stands still until kin_clock_advance() moves it.
 *
 * Its monotonic time starts at one hour, so that "some time ago" is never negative.
 *
 * @param[out] ret  SHARED, one reference; release with kin_clock_unref().
 * @param unix_ns   where its wall time starts, nanoseconds since 1970.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_clock_new_fake(kin_clock **ret, int64_t unix_ns, kin_error *err);

/**
 * Take another reference.
 *
 * @return `clock`.
 * @thread any
 */
KIN_API kin_clock *kin_clock_ref(kin_clock *clock);

/**
 * Drop a reference; the last one frees the clock. Nobody may be waiting on it then.
 *
 * @param clock  may be NULL.
 * @thread any
 */
KIN_API void kin_clock_unref(kin_clock *clock);

/**
 * Monotonic time in nanoseconds, since some point in the past. Never goes back.
 *
 * @thread any
 */
KIN_API int64_t kin_clock_now(kin_clock *clock);

/**
 * Wall time in nanoseconds since 1970. Can jump either way.
 *
 * @thread any
 */
KIN_API int64_t kin_clock_unix_now(kin_clock *clock);

/**
 * Move a fake clock forward, both its times, and wake whoever waited for that.
 *
 * Returns when all waiters that are due were notified (by this call, or are being by
 * another that runs at the same time), not when they have acted.
 *
 * @param ns  0 or more.
 * @return 0, KIN_EINVAL (not a fake clock, `ns` negative or beyond the range of time),
 *         KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_clock_advance(kin_clock *clock, int64_t ns, kin_error *err);

/**
 * Set a fake clock's wall time alone, as an administrator or NTP does. Wakes nobody:
 * waiting goes by monotonic time.
 *
 * @return 0, KIN_EINVAL (not a fake clock), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_clock_set_unix(kin_clock *clock, int64_t unix_ns, kin_error *err);

/**
 * Wait, in real time, until at least `count` threads or loops wait on a fake clock
 * with a deadline. What a test calls before kin_clock_advance(), instead of sleeping.
 *
 * A thread that was woken by something else counts until it runs again: after waking
 * one, wait for what it does first.
 *
 * @param timeout_ms  real milliseconds; -1 waits for ever, 0 polls.
 * @return 0, KIN_ETIMEOUT, KIN_EINVAL (not a fake clock), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_clock_await_waiters(kin_clock *clock, size_t count, int64_t timeout_ms,
                                    kin_error *err);

KIN_END_DECLS

#endif
