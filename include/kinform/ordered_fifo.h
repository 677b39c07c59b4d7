/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The ordered FIFO: a queue of changes, handed over one by one in the order in which they came.
 *
 * Nothing is merged: who adds an object three times makes its consumer see it three times. client-go's
 * RealFIFO; where this one differs, docs/client-go.md says why.
 *
 * There are two ways to hand over a list. A queue that is told what its consumer knows
 * (kinform/known_objects.h) spells it out: deletions, as tombstones, of what is queued or known and
 * not in the list, then one REPLACED per object; a resync is one SYNC per known object. A queue that is
 * not told is *atomic*: a list is one REPLACED_ALL, a resync one SYNC_ALL, and what they mean is for
 * the consumer to find out.
 *
 * Nothing of the user's runs under the queue's lock. Order needs one consumer at a time, so pops take
 * *turns*: the next one begins when the processing of the one before has returned. Where there are
 * known objects, replacements and resyncs take turns with them too: while they ask, nothing is
 * processed, and what is known stays as it is.
 *
 * @code
 * static int apply(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
 * {
 *     const kin_delta *delta = kin_deltas_newest(deltas);
 *
 *     return delta->type == KIN_DELTA_DELETED ? kin_store_delete(arg, delta->object, err)
 *                                             : kin_store_update(arg, delta->object, err);
 * }
 * ...
 * while (kin_ordered_fifo_pop(fifo, apply, store, -1, &err) != KIN_ECLOSED)
 *     ;
 * @endcode
 */
#ifndef KINFORM_ORDERED_FIFO_H
#define KINFORM_ORDERED_FIFO_H

#include <kinform/clock.h>
#include <kinform/delta.h>
#include <kinform/known_objects.h>

KIN_BEGIN_DECLS

/** A queue. One owner, who frees it when nobody uses it any more. */
typedef struct kin_ordered_fifo kin_ordered_fifo;

/** How a queue is to be. COPIED. */
typedef struct kin_ordered_fifo_options {
    size_t size;        /**< sizeof(kin_ordered_fifo_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "ordered-fifo" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_clock *clock;   /**< SHARED; NULL: the system's */
    kin_key_fn *key;    /**< NULL: kin_object_key() */
    void *key_arg;      /**< handed to `key`; BORROWED while the queue lives */
    kin_transform_fn
        *transform;      /**< run on what comes in, once, but not on tombstones; may be NULL */
    void *transform_arg; /**< handed to `transform`; BORROWED while the queue lives */
    const kin_known_objects *known; /**< what the consumer has; NULL: the queue is atomic */
    bool emit_bookmarks;            /**< bookmarks are queued; only if the queue is atomic */
    int64_t slow_ms; /**< a processing that takes longer while more than ten changes wait
                                         is logged; 0: 100, -1: never */
} kin_ordered_fifo_options;

/* clang-format off */
/** The default options. */
#define KIN_ORDERED_FIFO_OPTIONS_INIT \
    {sizeof(kin_ordered_fifo_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0}
/* clang-format on */

/**
 * Make an empty queue.
 *
 * @param[out] ret  OWNED; release with kin_ordered_fifo_free().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL (also: bookmarks together with known objects), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_ordered_fifo_new(kin_ordered_fifo **ret, const kin_ordered_fifo_options *options,
                                 kin_error *err);

/**
 * Free a queue with all that is in it. Nobody may be in one of its functions.
 *
 * @param fifo  may be NULL.
 * @thread any
 */
KIN_API void kin_ordered_fifo_free(kin_ordered_fifo *fifo);

/* --- putting in --- */

/**
 * Queue that an object was added.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key, the transformer gave nothing),
 *         KIN_ELIMIT (the key is too long), KIN_ENOMEM, KIN_EFORKED, or the code of the key
 *         function or the transformer. On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_ordered_fifo_add(kin_ordered_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Queue that an object was updated.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_ordered_fifo_add().
 * @thread any
 */
KIN_API int kin_ordered_fifo_update(kin_ordered_fifo *fifo, const kin_object *object,
                                    kin_error *err);

/**
 * Queue that an object was deleted, whether anybody knows of it or not.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken. The last state, or a tombstone.
 * @return 0, KIN_EINVAL and others as kin_ordered_fifo_add().
 * @thread any
 */
KIN_API int kin_ordered_fifo_delete(kin_ordered_fifo *fifo, const kin_object *object,
                                    kin_error *err);

/**
 * Queue many changes with one turn of the lock, in their order: ADDED, UPDATED or DELETED. What is
 * wrong with one of them fails all.
 *
 * @param fifo    BORROWED for the call.
 * @param deltas  SHARED: a reference to each object is taken.
 * @return 0, KIN_EINVAL (also for other types) and others as kin_ordered_fifo_add(). On failure
 *         nothing has changed.
 * @thread any
 */
KIN_API int kin_ordered_fifo_add_batch(kin_ordered_fifo *fifo, const kin_delta *deltas, size_t n,
                                       kin_error *err);

/**
 * Queue that nothing else has changed up to a resource version: a BOOKMARK. Nothing happens unless
 * the queue was told to emit them. It is not what makes a queue synced.
 *
 * @param fifo              BORROWED for the call.
 * @param resource_version  COPIED.
 * @return 0, KIN_EINVAL, KIN_ELIMIT (longer than KIN_RESOURCE_VERSION_BYTES_MAX), KIN_ENOMEM,
 *         KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_ordered_fifo_bookmark(kin_ordered_fifo *fifo, kin_str resource_version,
                                      kin_error *err);

/**
 * Begin to replace everything. Atomic queues get one REPLACED_ALL; others a deletion, as a tombstone,
 * of each key that is queued and not in the list, unless its last change is a deletion, then of each
 * that is known, then each object of the list as REPLACED. Nobody sees a part of it. The first one
 * says what the first list is: all that is queued then.
 *
 * The commit returns KIN_EBUSY if the queue has known objects and the process function or the known
 * objects call it.
 *
 * @param fifo      BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_ordered_fifo_replace_begin(kin_ordered_fifo *fifo, kin_replace **ret,
                                           kin_error *err);

/**
 * Replace everything at once: begin, add, commit.
 *
 * @param fifo              BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  of the list, which a REPLACED_ALL tells; COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EBUSY (with known objects, called by the process function or
 *         by them) and others as kin_replace_add() and kin_replace_commit(), or the code of the known
 *         objects; then nothing has changed.
 * @thread any    @blocks with known objects, while somebody else has the turn
 */
KIN_API int kin_ordered_fifo_replace(kin_ordered_fifo *fifo, const kin_object *const *objects,
                                     size_t n, kin_str resource_version, kin_error *err);

/**
 * Queue all known objects that have nothing queued, as SYNC; if the queue is atomic, one SYNC_ALL.
 *
 * @param fifo  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED, KIN_EBUSY (with known objects, called by the process
 *         function or by them), or the code of the known objects; then nothing has changed.
 * @thread any    @blocks with known objects, while somebody else has the turn
 */
KIN_API int kin_ordered_fifo_resync(kin_ordered_fifo *fifo, kin_error *err);

/* --- taking out --- */

/**
 * Wait for the turn and for a change, and process it: deltas with one item. If `process` returns
 * KIN_EREQUEUE, the change is the next one again.
 *
 * @param fifo        BORROWED for the call.
 * @param process     BORROWED for the call.
 * @param arg         BORROWED for the call; handed to `process`.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (closed, and nothing is left), KIN_EINVAL (NULL), KIN_EFORKED,
 *         KIN_EBUSY (called by the process function, or by known objects while they are asked), or the
 *         code of `process`; if that was KIN_EREQUEUE, the code in the error it filled in, or 0.
 * @thread any, one after the other    @blocks up to timeout_ms, and while `process` runs
 */
KIN_API int kin_ordered_fifo_pop(kin_ordered_fifo *fifo, kin_process_fn *process, void *arg,
                                 int64_t timeout_ms, kin_error *err);

/**
 * Wait for the turn and for a change, take as many more as go together, and process all of them with
 * one call, each as deltas with one item. Those go together whose keys differ; a REPLACED_ALL, a
 * SYNC_ALL and a BOOKMARK come alone; those of the first list and others don't come together. If
 * `process` returns KIN_EREQUEUE, all of them are next again, in the same order.
 *
 * @param fifo        BORROWED for the call.
 * @param process     BORROWED for the call.
 * @param arg         BORROWED for the call; handed to `process`.
 * @param max         take no more changes than this; 0: 1000.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ENOMEM (nothing was taken), and others as kin_ordered_fifo_pop().
 * @thread any, one after the other    @blocks up to timeout_ms, and while `process` runs
 */
KIN_API int kin_ordered_fifo_pop_batch(kin_ordered_fifo *fifo, kin_process_batch_fn *process,
                                       void *arg, size_t max, int64_t timeout_ms, kin_error *err);

/* --- looking --- */

/**
 * The key of an object as the queue sees it; of a tombstone, its own.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  BORROWED while the object lives.
 * @param object    BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (too long), or the code of the key function.
 * @thread any
 */
KIN_API int kin_ordered_fifo_key_of(kin_ordered_fifo *fifo, kin_str *ret, const kin_object *object,
                                    kin_error *err);

/**
 * All changes in their order. Those in flight are included, as in kin_delta_fifo_list(); they come first. Nothing is
 * merged: a key comes as often as it has changes.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_delta_copy_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_ordered_fifo_list(kin_ordered_fifo *fifo, kin_delta_copy *ret, kin_error *err);

/**
 * The keys of all changes, in the order of kin_ordered_fifo_list(). REPLACED_ALL, SYNC_ALL and BOOKMARK, which have no
 * key, are left out.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_ordered_fifo_list_keys(kin_ordered_fifo *fifo, kin_string_list *ret,
                                       kin_error *err);

/**
 * The number of changes that wait; those that are being processed do not.
 *
 * @param fifo  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_ordered_fifo_len(kin_ordered_fifo *fifo);

/**
 * Whether all of the first list was processed; or whether something was put in before any list.
 *
 * @param fifo  BORROWED for the call; NULL has not.
 * @thread any
 */
KIN_API bool kin_ordered_fifo_has_synced(kin_ordered_fifo *fifo);

/**
 * Wait until it has: until the processing of the last of the first list has returned.
 *
 * @param fifo        BORROWED for the call.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (the queue was closed before, and has not), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_ordered_fifo_wait_synced(kin_ordered_fifo *fifo, int64_t timeout_ms,
                                         kin_error *err);

/**
 * Close: whoever waits is woken. What is queued can still be taken, and more be put in.
 *
 * @param fifo  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_ordered_fifo_close(kin_ordered_fifo *fifo);

/**
 * Whether it was closed.
 *
 * @param fifo  BORROWED for the call; NULL is.
 * @thread any
 */
KIN_API bool kin_ordered_fifo_is_closed(kin_ordered_fifo *fifo);

KIN_END_DECLS

#endif
