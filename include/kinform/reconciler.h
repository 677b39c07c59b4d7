/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reconcilers: informers say which keys have something to do with a change, workers make it so.
 *
 * The other half of a controller, over informers and a work queue. client-go leaves it to each
 * program to write (its sample-controller shows how); here it is once.
 *
 *     informers ── which keys? ──▶ work queue ──▶ workers ──▶ your function
 *
 * @code
 * static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
 * {
 *     kin_namespaced_name name = kin_reconcile_name(call);
 *     ... // look at the caches, compare with what should be, write what differs
 *     return code; // negative: it is tried again, later each time
 * }
 * ...
 * if (kin_reconciler_new(&reconciler, reconcile, program, NULL, &err) < 0 ||
 *     kin_reconciler_watch(reconciler, deployments, NULL, NULL, NULL, &err) < 0 ||
 *     kin_reconciler_watch_owned(reconciler, replica_sets, "Deployment.apps", NULL, &err) < 0 ||
 *     kin_factory_start(factory, &err) < 0 ||
 *     kin_reconciler_run(reconciler, &err) < 0)
 *     fprintf(stderr, "%s\n", err.message);
 * kin_reconciler_free(reconciler);
 * @endcode
 *
 * What it sees to:
 *
 * - Nothing is reconciled before the caches are filled. If that takes too long, it is said which and
 *   why.
 * - No two workers ever have the same key. A key that changes while a worker has it comes again.
 * - What has changed goes before what merely comes again: initial lists, resyncs.
 * - A key whose function failed is tried again as late as the queue's rate limiter says.
 * - A key is not looked at again before the caches have seen what was written for it:
 *   kin_reconcile_wrote().
 * - A call that takes too long is reported while it does.
 */
#ifndef KINFORM_RECONCILER_H
#define KINFORM_RECONCILER_H

#include <kinform/informer.h>
#include <kinform/work_queue.h>

KIN_BEGIN_DECLS

/** A reconciler. One owner, any number of threads. */
typedef struct kin_reconciler kin_reconciler;

/** One call of the function. Only within it, and only in its thread. */
typedef struct kin_reconcile kin_reconcile;

/** The keys that an object concerns, as they are collected. */
typedef struct kin_reconcile_keys kin_reconcile_keys;

/**
 * Makes what is as it should be, for one key. It looks into caches, compares, and writes what
 * differs. The object may be gone. Why it is called is not told, and must not matter.
 *
 * @param call  BORROWED during the call.
 * @param arg   BORROWED during the call: what kin_reconciler_new() was given.
 * @param err   empty, never NULL; for the log, if it fails.
 * @return 0: done, or what kin_reconcile_requeue() and kin_reconcile_requeue_after() say. Negative,
 *         such as KIN_ECONFLICT: it is tried again, later each time. Positive, which no function should
 *         return: as if it were KIN_EINVAL.
 * @thread a worker; several at once for different keys, never two for the same; no lock is held. It
 *         may block
 */
typedef int kin_reconcile_fn(kin_reconcile *call, void *arg, kin_error *err);

/**
 * Says which keys an object concerns.
 *
 * @param object  as it is, was before, or was last known to be: that may be a tombstone, whose metadata
 *                are those of the last known state. BORROWED during the call.
 * @param ret     BORROWED during the call: kin_reconcile_keys_add() for each.
 * @return 0, KIN_ENOMEM: it is called again a moment later. Another code: it is logged, and the
 *         object is left out.
 * @thread one of an informer's handlers; no lock is held
 */
typedef int kin_reconcile_keys_fn(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                                  kin_error *err);

/**
 * Is told of a call that takes longer than `deadline_ms`, once, while it does. It must not block: the
 * thread that calls it is also the one that lets keys go on whose writes were seen, reports other calls,
 * and ends the reconciler.
 *
 * @param key         BORROWED during the call; terminated.
 * @param running_ns  how long it has taken.
 * @thread one of the reconciler's; no lock is held
 */
typedef void kin_reconciler_overdue_fn(kin_str key, int64_t running_ns, void *arg);

/** What becomes of keys that wait when a reconciler is stopped. */
typedef enum kin_reconciler_end {
    KIN_RECONCILER_DROP = 0, /**< only calls that are under way are finished */
    KIN_RECONCILER_DRAIN = 1 /**< what is queued is reconciled; not what is to come later */
} kin_reconciler_end;

/** How a reconciler is to be. Begin with KIN_RECONCILER_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_reconciler_options {
    size_t size;        /**< set by KIN_RECONCILER_OPTIONS_INIT */
    const char *name;   /**< in logs, errors and names of threads; NULL: "reconciler" */
    unsigned n_workers; /**< how many calls at once; 0: 1 */
    /** How long kin_reconciler_start() waits for the caches; 0: two minutes, -1: for ever. */
    int64_t sync_timeout_ms;
    /** A call that takes longer is reported; 0: after a minute, -1: never. */
    int64_t deadline_ms;
    kin_reconciler_overdue_fn *overdue; /**< is told then; NULL: it is logged */
    void *overdue_arg;                  /**< handed to it; BORROWED while the reconciler lives */
    /**
     * A key waits no longer than this until the caches have seen what was written for it; 0: 10
     * seconds, -1: it does not wait.
     */
    int64_t write_timeout_ms;
    kin_clock *clock;   /**< SHARED; NULL: the system's */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    /**
     * The queue's: rate limiter, metrics and so on. Name, clock and logger that it does not have are
     * the reconciler's, which also has metrics of unfinished work told twice a second. COPIED; NULL: the
     * defaults. Its `metrics_arg` is CONSUMED if all goes well.
     */
    const kin_work_queue_options *queue;
} kin_reconciler_options;

/* clang-format off */
/** The defaults: `kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;` */
#define KIN_RECONCILER_OPTIONS_INIT                                                                \
    {sizeof(kin_reconciler_options), NULL, 0, 0, 0, NULL, NULL, 0, NULL, NULL, NULL}
/* clang-format on */

/* --- life --- */

/**
 * Make a reconciler. It watches nothing yet, and has no threads.
 *
 * @param[out] ret  OWNED; release with kin_reconciler_free().
 * @param fn        called for each key.
 * @param arg       handed to it; BORROWED while the reconciler lives.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reconciler_new(kin_reconciler **ret, kin_reconcile_fn *fn, void *arg,
                               const kin_reconciler_options *options, kin_error *err);

/**
 * Stop it, drop what waits, wait for calls that are under way, and release it. Before its informers.
 *
 * @param reconciler  CONSUMED if 0 is returned; may be NULL.
 * @return 0; KIN_EBUSY (called by its reconcile function or another of its callbacks; it is logged, too),
 *         KIN_EFORKED: it is as it was.
 * @thread any, no other call on it at the same time    @blocks while calls are under way
 */
KIN_API int kin_reconciler_free(kin_reconciler *reconciler);

/**
 * Let the objects of an informer have keys reconciled. The informer is not started by this. What an
 * object was before and what it is now both count: when an owner changes, both are reconciled.
 *
 * @param informer  BORROWED until the reconciler is freed.
 * @param keys      which keys an object concerns; NULL: the key that it has in the informer's store.
 * @param arg       handed to it; BORROWED while the reconciler lives.
 * @param options   filter, resyncs, name; COPIED; NULL for the defaults. `delivery` must be
 *                  KIN_DELIVER_THREAD and `arg_free` NULL.
 * @return 0, KIN_EINVAL, KIN_EBUSY (it was started), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reconciler_watch(kin_reconciler *reconciler, kin_informer *informer,
                                 kin_reconcile_keys_fn *keys, void *arg,
                                 const kin_handler_options *options, kin_error *err);

/**
 * The same for objects that belong to what is reconciled: kin_keys_of_controller(). For owners that
 * have no namespace there is kin_reconciler_watch_owned_by_cluster().
 *
 * @param informer  BORROWED until the reconciler is freed.
 * @param kind      the owners', with their group: "Deployment.apps", or "Deployment" of any group.
 *                  NULL: any kind. COPIED.
 * @param options   COPIED; NULL for the defaults, as for kin_reconciler_watch().
 * @return 0, KIN_EINVAL, KIN_EBUSY (it was started), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reconciler_watch_owned(kin_reconciler *reconciler, kin_informer *informer,
                                       const char *kind, const kin_handler_options *options,
                                       kin_error *err);

/**
 * The same for objects whose owners are of cluster scope: kin_keys_of_cluster_controller(). A reference to
 * an owner does not say which scope it has, so whoever watches does.
 *
 * @param informer  BORROWED until the reconciler is freed.
 * @param kind      the owners', as for kin_reconciler_watch_owned(). COPIED.
 * @param options   COPIED; NULL for the defaults, as for kin_reconciler_watch().
 * @return 0, KIN_EINVAL, KIN_EBUSY (it was started), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reconciler_watch_owned_by_cluster(kin_reconciler *reconciler,
                                                  kin_informer *informer, const char *kind,
                                                  const kin_handler_options *options,
                                                  kin_error *err);

/**
 * The function reads the cache of an informer whose changes are nothing to it: that cache is waited
 * for, too, and may be named to kin_reconcile_wrote(). A reconciler that only reads has nothing to do,
 * and does not start.
 *
 * @param informer  BORROWED until the reconciler is freed.
 * @return 0, KIN_EINVAL, KIN_EBUSY (it was started), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reconciler_read(kin_reconciler *reconciler, kin_informer *informer, kin_error *err);

/**
 * Wait until the caches are filled and all that was in them is queued, then start the workers.
 *
 * @return 0; KIN_ETIMEOUT, KIN_EDENIED or KIN_ETLS (an informer is refused: as kin_informer_wait_synced()): the
 *         message says which informer has not synced and why, the error has the
 *         HTTP status of that, nothing runs, and it may be tried again; KIN_ECLOSED (it, or an
 *         informer that had not synced, was stopped), KIN_EBUSY (it was started, or from a callback of
 *         an informer), KIN_EINVAL (NULL, or nothing is watched, whatever is read), KIN_EFORKED,
 *         KIN_ENOMEM, KIN_ESYSTEM (no threads).
 * @thread any    @blocks up to `sync_timeout_ms`
 */
KIN_API int kin_reconciler_start(kin_reconciler *reconciler, kin_error *err);

/**
 * Start, and wait until somebody stops it.
 *
 * @return 0, KIN_ETIMEOUT, KIN_EBUSY and others as kin_reconciler_start().
 * @thread any    @blocks until it is stopped
 */
KIN_API int kin_reconciler_run(kin_reconciler *reconciler, kin_error *err);

/**
 * Stop for ever: its handlers are removed from the informers, and workers end with the call that they are
 * in, or when the queue is empty. Keys that were to come later are dropped, and their number is
 * logged. Returns at once. To drain and then drop is possible, the other way round is not.
 *
 * @param reconciler  BORROWED for the call; may be NULL.
 * @thread any, its function included
 */
KIN_API void kin_reconciler_stop(kin_reconciler *reconciler, kin_reconciler_end end);

/**
 * Wait until no call is under way and no worker is left.
 *
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0 (also if it was never started), KIN_ETIMEOUT: the message names a key whose call is
 *         under way; KIN_EBUSY (from one of its callbacks), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_reconciler_wait_stopped(kin_reconciler *reconciler, int64_t timeout_ms,
                                        kin_error *err);

/* --- within the function --- */

/**
 * The key.
 *
 * @param call  BORROWED for the call.
 * @return BORROWED until the function returns; terminated.
 * @thread the function's
 */
KIN_API kin_str kin_reconcile_key(const kin_reconcile *call);

/**
 * The key in its two parts. A key with more than one slash is all name.
 *
 * @param call  BORROWED for the call.
 * @return BORROWED until the function returns.
 * @thread the function's
 */
KIN_API kin_namespaced_name kin_reconcile_name(const kin_reconcile *call);

/**
 * How often this key has failed or was asked for again since it was last done.
 *
 * @param call  BORROWED for the call.
 * @thread the function's
 */
KIN_API uint64_t kin_reconcile_n_requeues(const kin_reconcile *call);

/**
 * Whether the reconciler is being stopped: a function that takes long may want to give up.
 *
 * @param call  BORROWED for the call.
 * @thread the function's
 */
KIN_API bool kin_reconcile_is_stopping(const kin_reconcile *call);

/**
 * If the function returns 0: call it again for this key, as late as the rate limiter says.
 *
 * @param call  BORROWED for the call.
 * @thread the function's
 */
KIN_API void kin_reconcile_requeue(kin_reconcile *call);

/**
 * If the function returns 0: all is well, but call it again for this key after a time. Goes before
 * kin_reconcile_requeue().
 *
 * @param call      BORROWED for the call.
 * @param after_ns  0 or less: at once.
 * @thread the function's
 */
KIN_API void kin_reconcile_requeue_after(kin_reconcile *call, int64_t after_ns);

/**
 * Something was written for this key: read your writes. However the function ends, it is not called
 * for the key again before the informer's cache has that state or a later one, of the object's own
 * namespace if it looks at several. The informer's key function, if it has one, says the object's key. No worker waits meanwhile, other keys go on, and the key itself
 * waits no longer than `write_timeout_ms`.
 *
 * @param informer  one that was watched or read. BORROWED for the call.
 * @param object    what the server has returned; COPIED, as far as it is needed.
 * @return 0, KIN_EINVAL (NULL, not one of the reconciler's informers, no version), KIN_ENOMEM.
 * @thread the function's
 */
KIN_API int kin_reconcile_wrote(kin_reconcile *call, kin_informer *informer,
                                const kin_object *object, kin_error *err);

/**
 * The same of a version alone, which has to be seen in all namespaces that the informer looks at. An
 * informer with selectors gets to see versions of objects that it does
 * not select with the next bookmark only, so that the key may have to wait for `write_timeout_ms`.
 *
 * @param informer          one that was watched or read. BORROWED for the call.
 * @param resource_version  COPIED.
 * @return 0, KIN_EINVAL (NULL, not one of the reconciler's informers), KIN_EPARSE (no version that
 *         can be compared), KIN_ENOMEM.
 * @thread the function's
 */
KIN_API int kin_reconcile_wrote_version(kin_reconcile *call, kin_informer *informer,
                                        kin_str resource_version, kin_error *err);

/* --- which keys --- */

/**
 * The object concerns this key.
 *
 * @param keys  BORROWED for the call.
 * @param key   COPIED; 1 to KIN_WORK_KEY_BYTES_MAX bytes.
 * @return 0 (also if the reconciler is being stopped), KIN_EINVAL, KIN_ELIMIT, KIN_ENOMEM: to be
 *         returned.
 * @thread the one that was asked
 */
KIN_API int kin_reconcile_keys_add(kin_reconcile_keys *keys, kin_str key, kin_error *err);

/**
 * The same for a key in its two parts.
 *
 * @param keys  BORROWED for the call.
 * @param name  COPIED.
 * @return 0 (also if the reconciler is being stopped), KIN_EINVAL, KIN_ELIMIT, KIN_ENOMEM: to be
 *         returned.
 * @thread the one that was asked
 */
KIN_API int kin_reconcile_keys_add_name(kin_reconcile_keys *keys, kin_namespaced_name name,
                                        kin_error *err);

/**
 * Ready-made: the object itself, by kin_object_key(). It does not know the informer: if that has a key function, pass
 * NULL to kin_reconciler_watch() instead.
 *
 * @param object  BORROWED for the call; may be a tombstone.
 * @param ret     BORROWED for the call; gets one key.
 * @param arg     not looked at; may be NULL.
 * @return 0, KIN_EINVAL (an object without a name), KIN_ELIMIT, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_keys_of_object(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                               kin_error *err);

/**
 * Ready-made: the owner of the object whose reference has `controller: true`, in the object's own
 * namespace. An object without such an owner concerns nothing.
 *
 * @param object  BORROWED for the call.
 * @param ret     BORROWED for the call; gets a key, or none.
 * @param arg     a string, the owner's kind: "Deployment.apps", or "Deployment" of any group. NULL: any
 *                kind. BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_ELIMIT, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_keys_of_controller(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                                   kin_error *err);

/**
 * The same for an owner of cluster scope: its key is its name alone, whatever namespace the object is in.
 *
 * @param object  BORROWED for the call.
 * @param ret     BORROWED for the call; gets a key, or none.
 * @param arg     the owner's kind or NULL, as for kin_keys_of_controller(). BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_ELIMIT, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_keys_of_cluster_controller(const kin_object *object, kin_reconcile_keys *ret,
                                           void *arg, kin_error *err);

/* --- looking --- */

/**
 * The queue: to add keys that no informer tells of, to ask how often one was requeued.
 *
 * @return BORROWED while the reconciler lives. It is the reconciler that takes keys out and shuts it
 *         down.
 * @thread any
 */
KIN_API kin_work_queue *kin_reconciler_queue(kin_reconciler *reconciler);

/** What has become of a reconciler. */
typedef enum kin_reconciler_state {
    KIN_RECONCILER_NEW = 0,      /**< it was never started */
    KIN_RECONCILER_SYNCING = 1,  /**< waits for caches */
    KIN_RECONCILER_RUNNING = 2,  /**< has workers */
    KIN_RECONCILER_STOPPING = 3, /**< finishes what is under way, or what is queued */
    KIN_RECONCILER_STOPPED = 4   /**< has nothing more to do */
} kin_reconciler_state;

/**
 * The name of a state: "running".
 *
 * @return BORROWED for ever; "?" for an unknown one.
 * @thread any
 */
KIN_API const char *kin_reconciler_state_name(kin_reconciler_state state);

/** How a reconciler fares. */
typedef struct kin_reconciler_status {
    size_t size;                /**< sizeof(kin_reconciler_status); set by the INIT macro */
    kin_reconciler_state state; /**< what it does */
    size_t n_workers;           /**< how many calls there can be at once */
    size_t n_active;            /**< how many there are */
    size_t n_queued;            /**< keys that wait for a worker: the depth of the queue */
    size_t n_delayed;           /**< keys that are to come later */
    size_t n_parked;            /**< keys that wait until a cache has seen what was written */
    uint64_t done;              /**< calls that have returned 0 and asked for nothing */
    uint64_t requeued;          /**< calls that have asked to be called again */
    uint64_t requeued_after;    /**< calls that have asked to be called again after a time */
    uint64_t failed;            /**< calls that have returned an error */
    uint64_t retries;           /**< keys that were added for later: the queue's retries_total */
    uint64_t overdue;           /**< calls that took longer than `deadline_ms` */
    uint64_t parked;            /**< how often a key had to wait for a cache */
    uint64_t write_timeouts;    /**< writes that no cache has seen in time */
    uint64_t dropped;           /**< keys that were queued or parked and not reconciled any more */
    uint64_t unmapped;          /**< objects whose keys could not be found out */
    int64_t longest_ns;         /**< how long the call has taken that began first; 0: none */
    char longest_key[320];      /**< its key, cut to fit */
} kin_reconciler_status;

/* clang-format off */
/** To be filled in by kin_reconciler_get_status(). */
#define KIN_RECONCILER_STATUS_INIT                                                                 \
    {sizeof(kin_reconciler_status), KIN_RECONCILER_NEW, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
     0, 0, {0}}
/* clang-format on */

/**
 * How it fares.
 *
 * @param[out] ret  filled in; begin with KIN_RECONCILER_STATUS_INIT.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_reconciler_get_status(kin_reconciler *reconciler, kin_reconciler_status *ret,
                                      kin_error *err);

KIN_END_DECLS

#endif
