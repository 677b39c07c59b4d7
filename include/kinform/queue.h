/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Queues, as controllers see them: what a reflector fills and a controller empties. client-go's Queue.
 *
 * The queues of this library are had by the functions below. One of the caller's own is a table of
 * functions:
 *
 * @code
 * static int fill(kin_reflector_store *ret, void *arg)
 * {
 *     ret->add = my_add;
 *     ...
 *     ret->arg = arg;
 *     return 0;
 * }
 * ...
 * kin_queue queue = KIN_QUEUE_INIT;
 *
 * queue.reflector_store = fill;
 * queue.pop_batch = my_pop_batch;
 * ...
 * queue.arg = my_queue;
 * @endcode
 */
#ifndef KINFORM_QUEUE_H
#define KINFORM_QUEUE_H

#include <kinform/reflector.h>

KIN_BEGIN_DECLS

/**
 * A queue: functions, and what they are handed. Start with KIN_QUEUE_INIT. All functions but the last are mandatory,
 * and are called with no lock held. Those that put in, as kin_reflector_store says, and `pop_batch` run
 * beside each other; `has_synced`, `len` and `close` may be called by any thread at any time.
 */
typedef struct kin_queue {
    size_t size; /**< sizeof(kin_queue); set by KIN_QUEUE_INIT */
    /**
     * How it is filled: sets the functions of *ret, which begins as KIN_REFLECTOR_STORE_INIT, and their
     * `arg`, but no `arg_free`: they are used for as long as the queue is. Called once. 0, or a code.
     */
    int (*reflector_store)(kin_reflector_store *ret, void *arg);
    /**
     * Take out up to `max` keys, 0 for any number, waiting for the first of them as long as `timeout_ms`
     * says, and process them with one call: as kin_delta_fifo_pop_batch(). With KIN_EREQUEUE they stay.
     * Controllers have a `timeout_ms` of 0, and one consumer at a time. 0, KIN_ETIMEOUT, KIN_ECLOSED, what
     * the process function returned, or a failure before it was called: then nothing was taken. If it is
     * KIN_ETIMEOUT and something waits, somebody has the queue for itself: it is asked again when the
     * reflector's list or resync is in, or, if it is another's, 100 ms later.
     */
    int (*pop_batch)(kin_process_batch_fn *process, void *process_arg, size_t max,
                     int64_t timeout_ms, void *arg, kin_error *err);
    bool (*has_synced)(void *arg); /**< whether all of the first list was processed */
    size_t (*len)(void *arg);      /**< how many keys wait */
    void (*close)(void *arg);      /**< nobody will come for more: wake those who wait */
    void
        *arg; /**< handed to all; CONSUMED if `arg_free` is given, else BORROWED while it is used */
    void (*arg_free)(void *arg); /**< releases `arg` after the last call; may be NULL */
    /**
     * Optional: run `wake` from now on whenever something was put in, by whichever producer. With NULL: no longer,
     * and it does not run any more when this returns. A controller sets it when it is made and takes it back when
     * it is freed, so that it notices what others than its source put in. `wake` returns at once, calls nothing
     * back, and may be run under a lock of the queue. A queue without this function is not noticed:
     * its producers call kin_controller_wake().
     */
    void (*set_wake)(void (*wake)(void *wake_arg), void *wake_arg, void *arg);
} kin_queue;

/* clang-format off */
/** No functions. */
#define KIN_QUEUE_INIT {sizeof(kin_queue), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * A DeltaFIFO as a queue.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED while the queue is used; with an `arg_free` that frees it, it is the queue's.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_delta_fifo_queue(kin_queue *ret, kin_delta_fifo *fifo);

/**
 * An ordered FIFO as a queue.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED while the queue is used; with an `arg_free` that frees it, it is the queue's.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_ordered_fifo_queue(kin_queue *ret, kin_ordered_fifo *fifo);

/**
 * A FIFO as a queue: each object comes alone, as one KIN_DELTA_UPDATED, whatever happened to it. What is
 * deleted does not come.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED while the queue is used; with an `arg_free` that frees it, it is the queue's.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_fifo_queue(kin_queue *ret, kin_fifo *fifo);

KIN_END_DECLS

#endif
