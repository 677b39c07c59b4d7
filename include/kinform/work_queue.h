/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Work queues: keys that want to be worked on, between those who notice and those who do it.
 *
 * client-go's workqueue, its three kinds in one type. A key is in the queue at most once, however
 * often it is added, and no two workers ever have the same key. Who adds a key while it is being
 * worked on gets it worked on once more afterwards. Keys can be added for later, and after failures
 * as late as a rate limiter says. What is not used costs nothing: there is no thread, and no time
 * is read.
 *
 * Two priorities: changes go before what can wait, such as initial lists and resyncs, and what can
 * wait still gets its turn.
 *
 * @code
 * static void *worker(void *arg)
 * {
 *     kin_work_queue *queue = arg;
 *     kin_work_item *item = NULL;
 *
 *     while (kin_work_queue_next(queue, &item, -1, NULL) == 0) {
 *         kin_str key = kin_work_item_key(item);
 *
 *         if (reconcile(key))
 *             kin_work_queue_forget(queue, key);
 *         else
 *             kin_work_queue_add_rate_limited(queue, key, NULL);
 *     }
 *     return NULL;
 * }
 * @endcode
 */
#ifndef KINFORM_WORK_QUEUE_H
#define KINFORM_WORK_QUEUE_H

#include <kinform/key.h>
#include <kinform/log.h>
#include <kinform/rate_limiter.h>

KIN_BEGIN_DECLS

/** The longest key. */
#define KIN_WORK_KEY_BYTES_MAX 65535

/** A work queue. One owner, who frees it when nobody uses it any more. */
typedef struct kin_work_queue kin_work_queue;

/** A key that somebody works on: from kin_work_queue_get() until kin_work_queue_done(). */
typedef struct kin_work_item kin_work_item;

/** What goes first. */
typedef enum kin_work_priority {
    KIN_WORK_HIGH = 0, /**< the default: something has changed */
    KIN_WORK_LOW = 1,  /**< it can wait: initial lists, resyncs */
} kin_work_priority;

/**
 * What a queue tells of itself, under client-go's names; each may be NULL. COPIED.
 *
 * The functions are called by whoever uses the queue, when the lock is released again. So they can
 * be called by several at once, and changes add up to the truth but may come in another order. They
 * may use the queue.
 */
typedef struct kin_work_queue_metrics {
    size_t size; /**< set by the INIT macro */
    /** Gauge: the number of keys that want to be worked on has changed by so many. */
    void (*depth)(int change, void *arg);
    /** Counter: a key was added that was not there. */
    void (*adds_total)(void *arg);
    /** Histogram: how long a key had to wait for a worker. */
    void (*queue_duration_seconds)(double seconds, void *arg);
    /** Histogram: how long a worker had a key. */
    void (*work_duration_seconds)(double seconds, void *arg);
    /** Gauge: how long all keys that are being worked on have been, together. */
    void (*unfinished_work_seconds)(double seconds, void *arg);
    /** Gauge: how long the one of them has been that began first. */
    void (*longest_running_processor_seconds)(double seconds, void *arg);
    /** Counter: a key was added for later, or through the rate limiter. */
    void (*retries_total)(void *arg);
} kin_work_queue_metrics;

/* clang-format off */
/** No metrics yet. */
#define KIN_WORK_QUEUE_METRICS_INIT \
    {sizeof(kin_work_queue_metrics), NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/** How a queue is to be. COPIED. */
typedef struct kin_work_queue_options {
    size_t size;               /**< sizeof(kin_work_queue_options); set by the INIT macro */
    const char *name;          /**< for logs; NULL: "work-queue" */
    kin_logger *logger;        /**< SHARED; NULL: the default logger */
    kin_clock *clock;          /**< SHARED; NULL: the system's */
    kin_rate_limiter *limiter; /**< SHARED; NULL: kin_rate_limiter_new_default() */
    unsigned low_every;        /**< of so many handed out while one of low priority waits, one
                                    is; 0: 8, 1: those of low priority go first */
    bool timing; /**< take times for kin_work_queue_get_stats() also without metrics */
    const kin_work_queue_metrics *metrics; /**< NULL: none */
    void *metrics_arg; /**< handed to them; CONSUMED if `metrics_arg_free` is given */
    void (*metrics_arg_free)(void *arg); /**< run once, when the queue is freed; may be NULL */
} kin_work_queue_options;

/* clang-format off */
/** The default options. */
#define KIN_WORK_QUEUE_OPTIONS_INIT \
    {sizeof(kin_work_queue_options), NULL, NULL, NULL, NULL, 0, false, NULL, NULL, NULL}
/* clang-format on */

/** How a key is to be added: kin_work_queue_add_with(). */
typedef struct kin_work_add {
    size_t size;                /**< sizeof(kin_work_add); set by the INIT macro */
    kin_work_priority priority; /**< of two, the higher one counts */
    bool rate_limited;          /**< the rate limiter says when; then `after_ns` must be 0 */
    int64_t after_ns;           /**< so much later; 0 or less: now */
} kin_work_add;

/* clang-format off */
/** Now, and of high priority. */
#define KIN_WORK_ADD_INIT {sizeof(kin_work_add), KIN_WORK_HIGH, false, 0}
/* clang-format on */

/**
 * Make an empty queue.
 *
 * @param[out] ret  OWNED; release with kin_work_queue_free().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_work_queue_new(kin_work_queue **ret, const kin_work_queue_options *options,
                               kin_error *err);

/**
 * Free a queue with all that is in it. Nobody may be in one of its functions; items that were not
 * done are gone, too.
 *
 * @param queue  may be NULL.
 * @thread any
 */
KIN_API void kin_work_queue_free(kin_work_queue *queue);

/* --- adding --- */

/**
 * A key wants to be worked on. Nothing happens if it waits already; while it is being worked on, it
 * is noted and comes back when that is done.
 *
 * Of a key that is being worked on, this never fails for lack of memory: what cannot be added for
 * later can still be added now.
 *
 * @param queue  BORROWED for the call.
 * @param key    COPIED; 1 to KIN_WORK_KEY_BYTES_MAX bytes.
 * @return 0, KIN_ECLOSED (the queue is shutting down: the key is not taken), KIN_EINVAL (NULL, an
 *         empty key), KIN_ELIMIT (the key is too long), KIN_ENOMEM, KIN_EFORKED. On failure nothing
 *         has changed.
 * @thread any
 */
KIN_API int kin_work_queue_add(kin_work_queue *queue, kin_str key, kin_error *err);

/**
 * Add a key later: client-go's AddAfter. Of several times for one key the earliest counts. A key
 * that waits for its time can be added and worked on meanwhile; its time comes all the same.
 *
 * The time is exact: who waits in kin_work_queue_get() is woken when it has come. There is no
 * thread.
 *
 * @param queue     BORROWED for the call.
 * @param key       COPIED.
 * @param after_ns  0 or less: now.
 * @return 0, KIN_ECLOSED and others as kin_work_queue_add().
 * @thread any
 */
KIN_API int kin_work_queue_add_after(kin_work_queue *queue, kin_str key, int64_t after_ns,
                                     kin_error *err);

/**
 * Add a key as late as the rate limiter says: client-go's AddRateLimited.
 *
 * @param queue  BORROWED for the call.
 * @param key    COPIED.
 * @return 0, KIN_ECLOSED and others as kin_work_queue_add(), or what a limiter of the caller's own
 *         returned. If the limiter was asked before it failed, it has counted.
 * @thread any; a limiter of the caller's own is called without a lock
 */
KIN_API int kin_work_queue_add_rate_limited(kin_work_queue *queue, kin_str key, kin_error *err);

/**
 * Add a key in one of these ways, and with a priority. A key that waits with low priority and is
 * added with high goes to the end of those with high; the other way round nothing happens.
 *
 * @param queue  BORROWED for the call.
 * @param key    COPIED.
 * @param how    BORROWED for the call; NULL: as kin_work_queue_add().
 * @return 0, KIN_ECLOSED, KIN_EINVAL and others as kin_work_queue_add_rate_limited().
 * @thread any
 */
KIN_API int kin_work_queue_add_with(kin_work_queue *queue, kin_str key, const kin_work_add *how,
                                    kin_error *err);

/**
 * The same for a key in its two parts. It is the same key as "namespace/name", or "name".
 *
 * @param queue  BORROWED for the call.
 * @param name   COPIED; there is no slash in either part, and the name is not empty.
 * @param how    BORROWED for the call; NULL: as kin_work_queue_add().
 * @return 0, KIN_ECLOSED, KIN_EINVAL and others as kin_work_queue_add_rate_limited().
 * @thread any
 */
KIN_API int kin_work_queue_add_name(kin_work_queue *queue, kin_namespaced_name name,
                                    const kin_work_add *how, kin_error *err);

/**
 * All is well with a key, or nobody will try it again: the rate limiter forgets it. It has no
 * effect on what is in the queue.
 *
 * @param queue  BORROWED for the call; may be NULL.
 * @param key    BORROWED for the call.
 * @thread any
 */
KIN_API void kin_work_queue_forget(kin_work_queue *queue, kin_str key);

/**
 * How often a key went through the rate limiter since it was last forgotten: client-go's
 * NumRequeues.
 *
 * @param queue  BORROWED for the call; NULL has none.
 * @param key    BORROWED for the call.
 * @thread any
 */
KIN_API uint64_t kin_work_queue_n_requeues(kin_work_queue *queue, kin_str key);

/* --- working --- */

/**
 * Wait for a key and begin to work on it: nobody else gets it until kin_work_queue_done().
 *
 * After a shutdown, what is queued is still handed out.
 *
 * @param queue       BORROWED for the call.
 * @param[out] ret    BORROWED until kin_work_queue_done(), which is mandatory.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (shutting down, and nothing is queued), KIN_EINVAL (NULL),
 *         KIN_EFORKED.
 * @thread any, several at once    @blocks up to timeout_ms
 */
KIN_API int kin_work_queue_get(kin_work_queue *queue, kin_work_item **ret, int64_t timeout_ms,
                               kin_error *err);

/**
 * Wait for a key, then take it and as many more as there are, up to `max`.
 *
 * @param queue       BORROWED for the call.
 * @param[out] ret    each BORROWED until it is done; room for `max`.
 * @param[out] ret_n  how many, 1 or more.
 * @param max         1 or more.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED, KIN_EINVAL and others as kin_work_queue_get().
 * @thread any, several at once    @blocks up to timeout_ms
 */
KIN_API int kin_work_queue_get_batch(kin_work_queue *queue, kin_work_item **ret, size_t *ret_n,
                                     size_t max, int64_t timeout_ms, kin_error *err);

/**
 * The work on a key is done, well or not. If it was added meanwhile, it waits again. Never fails.
 *
 * @param queue  BORROWED for the call.
 * @param item   CONSUMED: once for each that was got. May be NULL.
 * @thread any, not only the one that got it
 */
KIN_API void kin_work_queue_done(kin_work_queue *queue, kin_work_item *item);

/**
 * The same for several at once.
 *
 * @param queue  BORROWED for the call.
 * @param items  each CONSUMED; the array is BORROWED for the call. May be NULL if `n` is 0.
 * @thread any
 */
KIN_API void kin_work_queue_done_batch(kin_work_queue *queue, kin_work_item *const *items,
                                       size_t n);

/**
 * A worker's loop in one call: the work on an item is done, and the next is waited for.
 *
 * @param queue         BORROWED for the call.
 * @param[in,out] item  NULL at first. What it has is CONSUMED, whatever is returned; then it has
 *                      the next, BORROWED until the next call or kin_work_queue_done(), or NULL on
 *                      failure.
 * @param timeout_ms    -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (shutting down, and nothing is queued), KIN_EINVAL (NULL),
 *         KIN_EFORKED.
 * @thread any, several at once    @blocks up to timeout_ms
 */
KIN_API int kin_work_queue_next(kin_work_queue *queue, kin_work_item **item, int64_t timeout_ms,
                                kin_error *err);

/**
 * The key of an item.
 *
 * @param item  BORROWED for the call.
 * @return BORROWED until the item is done; terminated.
 * @thread any
 */
KIN_API kin_str kin_work_item_key(const kin_work_item *item);

/**
 * The key of an item in its two parts. A key with more than one slash is all name.
 *
 * @param item  BORROWED for the call.
 * @return BORROWED until the item is done.
 * @thread any
 */
KIN_API kin_namespaced_name kin_work_item_name(const kin_work_item *item);

/**
 * The priority with which an item was handed out: for whoever adds it again with the same.
 *
 * @param item  BORROWED for the call.
 * @thread any
 */
KIN_API kin_work_priority kin_work_item_priority(const kin_work_item *item);

/**
 * A descriptor for poll(): readable while a kin_work_queue_get() would not wait, that is while a
 * key is queued, or its time has come, or the queue is shutting down. For event loops; who waits
 * otherwise needs none. Do not read from it and do not close it.
 *
 * @param queue     BORROWED for the call.
 * @param[out] ret  BORROWED until the queue is freed; close-on-exec.
 * @return 0, KIN_EINVAL (NULL), KIN_ESYSTEM (out of descriptors), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_work_queue_fd(kin_work_queue *queue, int *ret, kin_error *err);

/* --- the end --- */

/**
 * Shut down: from now on nothing is taken, and who waits is woken. What is queued is still handed
 * out, then kin_work_queue_get() says KIN_ECLOSED. Keys whose time has not come are dropped: it is
 * logged how many, and kin_work_queue_visit_dropped() tells which.
 *
 * Does not wait for workers, and whoever does so in kin_work_queue_shut_down_with_drain() is let
 * go.
 *
 * @param queue  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_work_queue_shut_down(kin_work_queue *queue);

/**
 * Shut down, and wait until all work is done, that of keys which are still queued included. There
 * have to be workers, who call kin_work_queue_done() for each item; a worker that has one must not
 * call this.
 *
 * @param queue       BORROWED for the call.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECANCELED (kin_work_queue_shut_down() was called meanwhile),
 *         KIN_EINVAL (NULL), KIN_EFORKED. Whatever it is, the queue is shutting down.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_work_queue_shut_down_with_drain(kin_work_queue *queue, int64_t timeout_ms,
                                                kin_error *err);

/**
 * Whether it was shut down.
 *
 * @param queue  BORROWED for the call; NULL is.
 * @thread any
 */
KIN_API bool kin_work_queue_is_shutting_down(kin_work_queue *queue);

/**
 * Is told a key that was dropped.
 *
 * @param key      BORROWED during the call; terminated.
 * @param left_ns  how long it would have had to wait when the queue was shut down.
 * @return true to go on.
 * @thread the one that visits; no lock is held
 */
typedef bool kin_work_dropped_fn(kin_str key, int64_t left_ns, void *arg);

/**
 * The keys whose time had not come when the queue was shut down, the earliest first.
 *
 * @param queue  BORROWED for the call.
 * @param visit  BORROWED for the call.
 * @param arg    BORROWED for the call; handed to `visit`.
 * @return 0, KIN_EINVAL (NULL; the queue was not shut down), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_work_queue_visit_dropped(kin_work_queue *queue, kin_work_dropped_fn *visit,
                                         void *arg, kin_error *err);

/* --- looking --- */

/**
 * The number of keys that are queued: not those that are being worked on, and not those whose time
 * has not come.
 *
 * @param queue  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_work_queue_len(kin_work_queue *queue);

/** How a queue is at a moment. Begin with KIN_WORK_QUEUE_STATS_INIT. */
typedef struct kin_work_queue_stats {
    size_t size;      /**< sizeof(kin_work_queue_stats); set by the INIT macro */
    size_t n_queued;  /**< kin_work_queue_len() */
    size_t n_low;     /**< of them, those of low priority */
    size_t n_again;   /**< being worked on, and to be queued again then */
    size_t n_working; /**< being worked on */
    size_t n_delayed; /**< their time has not come; after a shutdown, those that were dropped */
    uint64_t adds;    /**< as adds_total */
    uint64_t retries; /**< as retries_total */
    uint64_t refused; /**< added after the shutdown */
    int64_t unfinished_ns; /**< as unfinished_work_seconds; 0 without `timing` or metrics */
    int64_t longest_ns;    /**< as longest_running_processor_seconds; likewise */
} kin_work_queue_stats;

/* clang-format off */
/** Nothing yet. */
#define KIN_WORK_QUEUE_STATS_INIT {sizeof(kin_work_queue_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/**
 * How a queue is.
 *
 * @param queue     BORROWED for the call.
 * @param[out] ret  begun with KIN_WORK_QUEUE_STATS_INIT.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_work_queue_get_stats(kin_work_queue *queue, kin_work_queue_stats *ret,
                                     kin_error *err);

/**
 * Have the metrics of unfinished work brought up to date: before they are read, or every now and
 * then. All others are, always. client-go does so twice a second, by a thread; so does a reconciler for its
 * queue. Nothing happens after the shutdown.
 *
 * @param queue  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_work_queue_update_metrics(kin_work_queue *queue);

KIN_END_DECLS

#endif
