/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Controllers: a reflector that fills a queue, and a process function that empties it. client-go's
 * Controller, and its plain, unshared informer.
 *
 * Who wants a cache and events takes an informer (kinform/informer.h), which has a controller's work in it.
 * A controller is for who has a queue, or something to do with changes, of their own.
 *
 * @code
 * static int process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
 * {
 *     return sweep(arg, kin_deltas_newest(deltas)->object) ? 0 : KIN_EREQUEUE;
 * }
 * ...
 * kin_queue queue = KIN_QUEUE_INIT;
 * kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
 *
 * options.process = process;
 * options.arg = broom;
 * kin_delta_fifo_queue(&queue, fifo);
 * if (kin_controller_new(&controller, source, &queue, &options, &err) < 0 ||
 *     kin_controller_run(controller, &err) < 0) // until kin_controller_stop()
 *     return report(&err);
 * @endcode
 *
 * It has no thread. The process function runs on the workers of the source's client, or, for other
 * sources, on one of two threads of its own, beside what is received: one call at a time.
 */
#ifndef KINFORM_CONTROLLER_H
#define KINFORM_CONTROLLER_H

#include <kinform/handler.h>
#include <kinform/informer.h>
#include <kinform/queue.h>

KIN_BEGIN_DECLS

/** Takes what a source has through a queue. One owner, any number of threads. */
typedef struct kin_controller kin_controller;

/** What has become of a controller. */
typedef enum kin_controller_state {
    KIN_CONTROLLER_NEW = 0,      /**< it was never started */
    KIN_CONTROLLER_RUNNING = 1,  /**< from kin_controller_start() on */
    KIN_CONTROLLER_STOPPING = 2, /**< from kin_controller_stop() on, until nothing runs any more */
    KIN_CONTROLLER_STOPPED = 3   /**< it can be started again */
} kin_controller_state;

/** How a controller fares. What its reflector does, kin_reflector_get_status() says. */
typedef struct kin_controller_status {
    size_t size; /**< sizeof(kin_controller_status); set by KIN_CONTROLLER_STATUS_INIT */
    kin_controller_state state;
    bool is_synced;     /**< all of the first list was processed */
    size_t queued;      /**< keys that wait */
    uint64_t processed; /**< keys that were processed */
    uint64_t requeued;  /**< keys that were to be processed again, each time */
    uint64_t failed;    /**< keys whose processing failed, and that were given up */
    uint64_t errors; /**< how often nothing could be taken out of the queue, for want of memory */
    kin_error last_error;       /**< of the process function or the queue; code 0: none; it stays */
    int64_t last_error_unix_ns; /**< when that was */
} kin_controller_status;

/* clang-format off */
/** To be filled in by kin_controller_get_status(). */
#define KIN_CONTROLLER_STATUS_INIT                                                                 \
    {sizeof(kin_controller_status), KIN_CONTROLLER_NEW, false, 0, 0, 0, 0, 0, KIN_ERROR_INIT, 0}
/* clang-format on */

/** How a controller is to be: client-go's Config. Begin with KIN_CONTROLLER_OPTIONS_INIT. COPIED. */
typedef struct kin_controller_options {
    size_t size;             /**< set by KIN_CONTROLLER_OPTIONS_INIT */
    kin_process_fn *process; /**< for one key at a time; this or the next is mandatory, not both */
    kin_process_batch_fn *process_batch; /**< for up to `max_batch` keys at a time */
    void
        *arg; /**< handed to the process function; CONSUMED if `arg_free` is given, else BORROWED */
    void (*arg_free)(void *arg); /**< releases `arg` after the last call; may be NULL */
    size_t max_batch;            /**< 0: 1,000 */
    /**
     * Whatever the process function fails with counts as KIN_EREQUEUE: what it could not process comes
     * again. Else it is logged, counted and given up. client-go had this until 1.32.
     */
    bool retry_on_error;
    int64_t retry_ms; /**< how long it waits after a KIN_EREQUEUE; 0: 100, -1: not at all */
    /**
     * What the reflector does, and who is told of it: name, logger, clock, seed, page size, timeouts,
     * full resyncs, the error function. COPIED, and its `arg` is CONSUMED if it has an `arg_free`. The
     * name, the logger and the clock are the controller's, too. NULL: the defaults.
     */
    const kin_reflector_options *reflector;
    /** Keep waiting for the sync while the server denies access or TLS fails: kin_controller_wait_synced(). */
    bool wait_while_refused;
} kin_controller_options;

/* clang-format off */
/** No process function; all else is the default. */
#define KIN_CONTROLLER_OPTIONS_INIT                                                                \
    {sizeof(kin_controller_options), NULL, NULL, NULL, NULL, 0, false, 0, NULL, false}
/* clang-format on */

/* --- life --- */

/**
 * Make a controller. Nothing is asked for yet, and no thread is started.
 *
 * The process function is called with no lock held. It may use the controller, the queue and the source,
 * stop the controller and free it, but not wait for it. What it returns KIN_EREQUEUE for stays in the queue,
 * and comes again after `retry_ms`: of a DeltaFIFO behind other keys, of an ordered FIFO first. Nothing is
 * processed meanwhile. Any other failure gives up what was processed, as client-go does since 1.33. It
 * holds up one worker while it runs.
 *
 * @param[out] ret  OWNED; release with kin_controller_free().
 * @param source    SHARED: a reference is taken.
 * @param queue     COPIED. Its `arg` is CONSUMED if it has an `arg_free`, else BORROWED until the
 *                  controller is freed. Nobody else may pop meanwhile. Others than the source may put something in: the
 *                  controller processes it, if the queue is the library's or has a `set_wake`; else call
 *                  kin_controller_wake(). A queue has one controller.
 * @param options   COPIED; mandatory.
 * @return 0, KIN_EINVAL (NULL, a function is missing, or a setting that makes no sense; the message names
 *         it), KIN_ELIMIT (a version to begin with is too long), KIN_EFORKED, KIN_ENOMEM. On failure nothing
 *         is consumed.
 * @thread any
 */
KIN_API int kin_controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                               const kin_controller_options *options, kin_error *err);

/**
 * Stop it, wait until nothing of it runs, close the queue, and release it. From one of its own callbacks, or
 * another that runs on the same workers, it does not wait: it ends soon, and processes nothing more.
 *
 * @param controller  CONSUMED; may be NULL.
 * @thread any, no other call on it at the same time    @blocks while the process function runs
 */
KIN_API void kin_controller_free(kin_controller *controller);

/**
 * Begin, or go on after a stop: it lists anew, not older than what it has seen. Returns at once.
 *
 * @param controller  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (it runs, or is still stopping), KIN_ECLOSED (the client is gone),
 *         KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_controller_start(kin_controller *controller, kin_error *err);

/**
 * Stop: nothing more is asked of the server, and a call of the process function that is under way is the
 * last. What waits in the queue stays there. Returns at once, and the network is not waited for. Nothing
 * to do if it does not run.
 *
 * @param controller  BORROWED for the call; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_controller_stop(kin_controller *controller);

/**
 * Wait until it is stopped: nothing of it runs any more.
 *
 * @param controller  BORROWED for the call.
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0 (also if it was never started), KIN_ETIMEOUT, KIN_EBUSY (from one of its callbacks, or another
 *         on the same workers), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_controller_wait_stopped(kin_controller *controller, int64_t timeout_ms,
                                        kin_error *err);

/**
 * Start, and wait until somebody stops it.
 *
 * @param controller  BORROWED for the call.
 * @return 0, KIN_EBUSY, KIN_ECLOSED and others as kin_controller_start() and
 *         kin_controller_wait_stopped().
 * @thread any    @blocks until it is stopped
 */
KIN_API int kin_controller_run(kin_controller *controller, kin_error *err);

/**
 * Look into the queue: a producer other than the source has put something in. Only queues of the program's own
 * without a `set_wake` need it.
 *
 * @param controller  BORROWED for the call; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_controller_wake(kin_controller *controller);

/* --- what it tells --- */

/**
 * Whether all of the first list was processed. The status counts it then.
 *
 * @param controller  BORROWED for the call; NULL has not.
 * @thread any
 */
KIN_API bool kin_controller_has_synced(kin_controller *controller);

/**
 * Wait until it was. Two failures in a row with 401, 403 or a TLS error end the wait early, as they do in
 * kin_informer_wait_synced(); the controller keeps retrying.
 *
 * @param controller  BORROWED for the call.
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0, KIN_ETIMEOUT, KIN_EDENIED and KIN_ETLS (two such failures in a row), KIN_ECLOSED (it was stopped before), KIN_EBUSY (from one of its callbacks, or
 *         another on the same workers), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_controller_wait_synced(kin_controller *controller, int64_t timeout_ms,
                                       kin_error *err);

/**
 * The resource version up to which all is in the queue, or was: client-go's LastSyncResourceVersion.
 *
 * @param controller  BORROWED for the call; NULL has none.
 * @param[out] buf    terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version; 0: none yet.
 * @thread any
 */
KIN_API size_t kin_controller_last_version(kin_controller *controller, char *buf, size_t size);

/**
 * How it fares.
 *
 * @param controller  BORROWED for the call.
 * @param[out] ret    filled in; begin with KIN_CONTROLLER_STATUS_INIT.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_controller_get_status(kin_controller *controller, kin_controller_status *ret,
                                      kin_error *err);

/**
 * Its reflector, to be looked at. Who stops it stops the controller.
 *
 * @param controller  BORROWED while the result is used.
 * @return BORROWED while the controller lives: neither to be started nor freed. NULL: no controller.
 * @thread any
 */
KIN_API kin_reflector *kin_controller_reflector(kin_controller *controller);

/* --- plain informers --- */

/** How a plain informer is to be. Begin with KIN_PLAIN_INFORMER_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_plain_informer_options {
    size_t size;                 /**< set by KIN_PLAIN_INFORMER_OPTIONS_INIT */
    kin_key_fn *key;             /**< NULL: kin_object_key() */
    void *key_arg;               /**< handed to it; BORROWED while the store lives */
    kin_transform_fn *transform; /**< run once on what comes in; may be NULL */
    void *transform_arg;         /**< handed to it; BORROWED while the controller lives */
    kin_informer_queue queue;    /**< in which order changes are applied */
    size_t max_batch;            /**< so many keys go into the store at a time; 0: 1,000 */
    void (*arg_free)(void *arg); /**< of the handler's `arg`, as kin_handler_options has it */
    const kin_reflector_options *reflector; /**< as in kin_controller_options */
    bool wait_while_refused;                /**< likewise */
} kin_plain_informer_options;

/* clang-format off */
/** The defaults. */
#define KIN_PLAIN_INFORMER_OPTIONS_INIT                                                            \
    {sizeof(kin_plain_informer_options), NULL, NULL, NULL, NULL, KIN_QUEUE_DELTA_FIFO, 0, NULL,   \
     NULL, false}
/* clang-format on */

/**
 * Make a plain informer: a controller that keeps a store, and one handler that is told what has changed in
 * it. client-go's NewInformerWithOptions. Unlike those of an informer, the handler runs where the store is
 * written: while it is busy, the store waits. What is in a batch is in the store before the handler is
 * told of any of it.
 *
 * @param[out] ret        OWNED; release with kin_controller_free().
 * @param[out] ret_store  SHARED, the reference is the caller's; release with kin_store_unref(). Its content
 *                        is the controller's: reading is what it is for. Indexes may be added to it at
 *                        any time: kin_store_add_indexes(). May be NULL.
 * @param source          SHARED: a reference is taken.
 * @param fn              told of each event, one at a time, in their order, on a worker; it may do what a
 *                        process function may. NULL: nobody is told.
 * @param arg             handed to it; BORROWED until the controller is freed, or CONSUMED if the options
 *                        have an `arg_free`.
 * @param options         COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_ELIMIT, KIN_EFORKED, KIN_ENOMEM as kin_controller_new(). On failure nothing is
 *         consumed.
 * @thread any
 */
KIN_API int kin_controller_new_informer(kin_controller **ret, kin_store **ret_store,
                                        kin_list_watch *source, kin_event_fn *fn, void *arg,
                                        const kin_plain_informer_options *options, kin_error *err);

KIN_END_DECLS

#endif
