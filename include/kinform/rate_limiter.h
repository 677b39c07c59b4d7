/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Rate limiters: how long a key has to wait before it is tried again.
 *
 * A limiter is asked each time something went wrong with a key, counts that, and says how long to
 * wait. Once all is well it is told to forget the key; who never does so keeps a record of every
 * key that ever failed. These are client-go's limiters under their names; a caller's own is a table
 * of functions. Work queues use them (kinform/work_queue.h), and they can be used alone.
 *
 * @code
 * kin_rate_limiter *limiter = NULL;
 * int64_t ns = 0;
 * if (kin_rate_limiter_new_exponential(&limiter, 5000000, 1000000000000, &err) < 0 ||
 *     kin_rate_limiter_when(limiter, kin_str_of("default/web"), &ns, &err) < 0)
 *     report(&err);
 * @endcode
 */
#ifndef KINFORM_RATE_LIMITER_H
#define KINFORM_RATE_LIMITER_H

#include <kinform/clock.h>

KIN_BEGIN_DECLS

/** A rate limiter. SHARED: several queues may have the same. */
typedef struct kin_rate_limiter kin_rate_limiter;

/**
 * Says how long a key has to wait, and counts that it was asked.
 *
 * @param key       BORROWED during the call; not terminated.
 * @param[out] ret  nanoseconds; 0 or less: not at all.
 * @return 0, KIN_ENOMEM, or any other code: what asked for the time fails with it.
 * @thread any, several at once; no lock is held
 */
typedef int kin_rate_limiter_when_fn(kin_str key, int64_t *ret, void *arg, kin_error *err);

/**
 * Forgets what was counted for a key.
 *
 * @param key  BORROWED during the call; not terminated.
 * @thread any, several at once; no lock is held
 */
typedef void kin_rate_limiter_forget_fn(kin_str key, void *arg);

/**
 * Says how often a key was counted since it was last forgotten.
 *
 * @param key  BORROWED during the call; not terminated.
 * @thread any, several at once; no lock is held
 */
typedef uint64_t kin_rate_limiter_n_requeues_fn(kin_str key, void *arg);

/** A limiter of the caller's own: client-go's interface RateLimiter. COPIED. */
typedef struct kin_rate_limiter_functions {
    size_t size;                                /**< set by the INIT macro */
    kin_rate_limiter_when_fn *when;             /**< mandatory */
    kin_rate_limiter_forget_fn *forget;         /**< NULL: there is nothing to forget */
    kin_rate_limiter_n_requeues_fn *n_requeues; /**< NULL: always 0 */
} kin_rate_limiter_functions;

/* clang-format off */
/** No functions yet. */
#define KIN_RATE_LIMITER_FUNCTIONS_INIT {sizeof(kin_rate_limiter_functions), NULL, NULL, NULL}
/* clang-format on */

/**
 * A limiter of the caller's own.
 *
 * @param[out] ret   SHARED, one reference; release with kin_rate_limiter_unref().
 * @param functions  COPIED.
 * @param arg        handed to the functions; CONSUMED if `arg_free` is given, else BORROWED until
 *                   the last reference is gone.
 * @param arg_free   run once, after the last call; may be NULL.
 * @return 0, KIN_EINVAL (NULL, no `when`), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new(kin_rate_limiter **ret,
                                 const kin_rate_limiter_functions *functions, void *arg,
                                 void (*arg_free)(void *arg), kin_error *err);

/**
 * `base_ns`, and twice as long each time a key comes again, up to `max_ns`: client-go's
 * ItemExponentialFailureRateLimiter.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @return 0, KIN_EINVAL (`ret` is NULL, a time is negative), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_exponential(kin_rate_limiter **ret, int64_t base_ns,
                                             int64_t max_ns, kin_error *err);

/**
 * `fast_ns` for the first `n_fast` times that a key comes, then `slow_ns`: client-go's
 * ItemFastSlowRateLimiter.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @return 0, KIN_EINVAL (`ret` is NULL, a time is negative), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_fast_slow(kin_rate_limiter **ret, int64_t fast_ns, int64_t slow_ns,
                                           uint64_t n_fast, kin_error *err);

/**
 * So many per second for all keys together, after a burst: client-go's BucketRateLimiter. Each time
 * it is asked a token is spent, which forgetting does not bring back.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @param qps       tokens per second, above 0.
 * @param burst     tokens that the full bucket has, 1 or more; it is full at first.
 * @param clock     SHARED; NULL: the system's.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_bucket(kin_rate_limiter **ret, double qps, int burst,
                                        kin_clock *clock, kin_error *err);

/**
 * The longest time and the largest number that any of several limiters says: client-go's
 * MaxOfRateLimiter. All are asked each time, and all forget.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @param limiters  SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param n         how many; without any nobody waits.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_max_of(kin_rate_limiter **ret, kin_rate_limiter *const *limiters,
                                        size_t n, kin_error *err);

/**
 * What another limiter says, but `max_ns` at most: client-go's WithMaxWaitRateLimiter.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @param limiter   SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, `max_ns` is negative), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_max_wait(kin_rate_limiter **ret, kin_rate_limiter *limiter,
                                          int64_t max_ns, kin_error *err);

/**
 * What controllers use: the longer of 5 ms to 1000 s per key, doubling, and 10 per second after 100
 * for all together. client-go's DefaultControllerRateLimiter.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @param clock     SHARED; NULL: the system's.
 * @return 0, KIN_EINVAL (`ret` is NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_default(kin_rate_limiter **ret, kin_clock *clock, kin_error *err);

/**
 * 1 ms to 1000 s per key, doubling: client-go's DefaultItemBasedRateLimiter.
 *
 * @param[out] ret  SHARED, one reference; release with kin_rate_limiter_unref().
 * @return 0, KIN_EINVAL (`ret` is NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_rate_limiter_new_default_per_item(kin_rate_limiter **ret, kin_error *err);

/**
 * Take another reference.
 *
 * @param limiter  may be NULL.
 * @return `limiter`, SHARED.
 * @thread any
 */
KIN_API kin_rate_limiter *kin_rate_limiter_ref(kin_rate_limiter *limiter);

/**
 * Give a reference back; the last one frees the limiter.
 *
 * @param limiter  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_rate_limiter_unref(kin_rate_limiter *limiter);

/**
 * How long a key has to wait; that it was asked for is counted.
 *
 * @param limiter   BORROWED for the call.
 * @param key       COPIED, if it has to be remembered.
 * @param[out] ret  nanoseconds; 0 or less: not at all.
 * @return 0, KIN_EINVAL (NULL), KIN_ELIMIT (a key of 4 GiB), KIN_ENOMEM, KIN_EFORKED, or what a
 *         limiter of the caller's own returned.
 * @thread any
 */
KIN_API int kin_rate_limiter_when(kin_rate_limiter *limiter, kin_str key, int64_t *ret,
                                  kin_error *err);

/**
 * All is well with a key, or nobody will try it again: what was counted is forgotten.
 *
 * @param limiter  BORROWED for the call; may be NULL.
 * @param key      BORROWED for the call.
 * @thread any
 */
KIN_API void kin_rate_limiter_forget(kin_rate_limiter *limiter, kin_str key);

/**
 * How often kin_rate_limiter_when() was asked for a key since it was last forgotten.
 *
 * @param limiter  BORROWED for the call; NULL has counted nothing.
 * @param key      BORROWED for the call.
 * @thread any
 */
KIN_API uint64_t kin_rate_limiter_n_requeues(kin_rate_limiter *limiter, kin_str key);

KIN_END_DECLS

#endif
