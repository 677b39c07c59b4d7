/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Trying again after a conflict.
 *
 * An update names the version it is made of. If somebody else was quicker the server answers with a
 * conflict, KIN_ECONFLICT, and the way on is to read the object again, change that, and update.
 *
 * @code
 * static int scale_up(void *arg, kin_error *err)
 * {
 *     ... get, change, update; return the code of the first that fails ...
 * }
 *
 * code = kin_retry_on_conflict(scale_up, &mine, NULL, &err);
 * @endcode
 */
#ifndef KINFORM_RETRY_H
#define KINFORM_RETRY_H

#include <kinform/clock.h>

KIN_BEGIN_DECLS

/**
 * One attempt: reads, changes and writes.
 *
 * @param err  BORROWED for the call; filled in on failure. Empty at the begin of each attempt.
 * @return 0, KIN_ECONFLICT (to be called again), or another code, which is passed on.
 * @thread the one that called kin_retry_on_conflict(), with no lock held
 */
typedef int kin_retry_fn(void *arg, kin_error *err);

/** How often, and how long to wait between. Start with KIN_RETRY_OPTIONS_INIT; zero is the default. */
typedef struct kin_retry_options {
    size_t size;      /**< sizeof(kin_retry_options); set by KIN_RETRY_OPTIONS_INIT */
    int attempts;     /**< in all; 0: 5 */
    int64_t delay_ms; /**< before the second attempt; 0: 10 */
    double factor;    /**< each later delay is so many times the one before; 0: 1 */
    double jitter;    /**< up to so much of a delay is added at random; 0: 0.1, negative: none */
    int64_t max_delay_ms; /**< delays do not grow beyond it; 0: an hour */
    kin_clock *clock;     /**< BORROWED for the call; NULL: the system's */
} kin_retry_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_RETRY_OPTIONS_INIT {sizeof(kin_retry_options), 0, 0, 0, 0, 0, NULL}
/* clang-format on */

/**
 * Call a function until it does not fail with a conflict, or was called often enough.
 *
 * @param fn       called at least once.
 * @param arg      BORROWED for the call; handed to `fn`.
 * @param options  BORROWED for the call; NULL for the defaults.
 * @return what `fn` returned last, with its error; KIN_EINVAL (NULL, or options out of range).
 * @thread any    @blocks as long as `fn` does, and between attempts
 */
KIN_API int kin_retry_on_conflict(kin_retry_fn *fn, void *arg, const kin_retry_options *options,
                                  kin_error *err);

KIN_END_DECLS

#endif
