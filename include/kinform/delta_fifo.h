/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * DeltaFIFO: a queue of keys, each with all that happened to it since it was last taken.
 *
 * Several changes of one object are handed over together, in one go; a key keeps its place in the
 * line. A list that replaces everything makes deletions of what it has not; deletions that nobody
 * has seen come as tombstones. client-go's DeltaFIFO, with all it ever had; where this one differs,
 * docs/client-go.md says why.
 *
 * Nothing of the user's runs under the queue's lock. A key that was taken stays *in flight* until
 * its processing returns: nobody else gets it, and whoever deletes, replaces, resyncs or looks treats
 * it as queued.
 *
 * @code
 * static int apply(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
 * {
 *     const kin_delta *newest = kin_deltas_newest(deltas);
 *
 *     return kin_deltas_is_deleted(deltas) ? kin_store_delete(arg, newest->object, err)
 *                                          : kin_store_update(arg, newest->object, err);
 * }
 * ...
 * while (kin_delta_fifo_pop(fifo, apply, store, -1, &err) != KIN_ECLOSED)
 *     ;
 * @endcode
 */
#ifndef KINFORM_DELTA_FIFO_H
#define KINFORM_DELTA_FIFO_H

#include <kinform/clock.h>
#include <kinform/delta.h>
#include <kinform/known_objects.h>

KIN_BEGIN_DECLS

/** A queue. One owner, who frees it when nobody uses it any more. */
typedef struct kin_delta_fifo kin_delta_fifo;

/** How a queue is to be. COPIED. */
typedef struct kin_delta_fifo_options {
    size_t size;        /**< sizeof(kin_delta_fifo_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "delta-fifo" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_clock *clock;   /**< SHARED; NULL: the system's */
    kin_key_fn *key;    /**< NULL: kin_object_key() */
    void *key_arg;      /**< handed to `key`; BORROWED while the queue lives */
    kin_transform_fn
        *transform;      /**< run on what comes in, once, but not on tombstones; may be NULL */
    void *transform_arg; /**< handed to `transform`; BORROWED while the queue lives */
    const kin_known_objects *known; /**< what the consumer has; NULL: unknown */
    bool emit_replaced;             /**< objects of a list come as REPLACED, else as SYNC */
    int64_t slow_ms; /**< a processing that takes longer while more than ten keys wait
                                         is logged; 0: 100, -1: never */
    /** 0: each key keeps all its deltas. Else: while the queue has this many deltas more than keys, each
     *  delta that comes is merged into the last one of its key: two changes become the later, a change and
     *  its deletion the deletion. A deletion and an addition after it stay two. */
    size_t max_surplus;
} kin_delta_fifo_options;

/* clang-format off */
/** The default options. */
#define KIN_DELTA_FIFO_OPTIONS_INIT \
    {sizeof(kin_delta_fifo_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0, 0}
/* clang-format on */

/**
 * Make an empty queue.
 *
 * @param[out] ret  OWNED; release with kin_delta_fifo_free().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_delta_fifo_new(kin_delta_fifo **ret, const kin_delta_fifo_options *options,
                               kin_error *err);

/**
 * Free a queue with all that is in it. Nobody may be in one of its functions.
 *
 * @param fifo  may be NULL.
 * @thread any
 */
KIN_API void kin_delta_fifo_free(kin_delta_fifo *fifo);

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
KIN_API int kin_delta_fifo_add(kin_delta_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Queue that an object was updated.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_delta_fifo_add().
 * @thread any
 */
KIN_API int kin_delta_fifo_update(kin_delta_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Queue that an object was deleted. If the key is neither queued nor in flight nor known, nothing
 * is queued. Of two deletions in a row the one that tells more stays. If a deletion of the key is in
 * flight, the second one is kept until the processing of the first returns: it is queued if that fails,
 * merged with the first if that is requeued, and dropped if it succeeds.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken. The last state, or a tombstone.
 * @return 0, KIN_EINVAL and others as kin_delta_fifo_add().
 * @thread any
 */
KIN_API int kin_delta_fifo_delete(kin_delta_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Queue many changes with one turn of the lock, in their order: ADDED, UPDATED or DELETED. What is
 * wrong with one of them fails all.
 *
 * @param fifo    BORROWED for the call.
 * @param deltas  SHARED: a reference to each object is taken.
 * @return 0, KIN_EINVAL and others as kin_delta_fifo_add(); KIN_EINVAL also for other types. On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_delta_fifo_add_batch(kin_delta_fifo *fifo, const kin_delta *deltas, size_t n,
                                     kin_error *err);

/**
 * Queue deltas again that were taken, if nothing is queued or in flight for their key: client-go's
 * AddIfNotPresent.
 *
 * @param fifo    BORROWED for the call.
 * @param deltas  COPIED, and a reference to each object is taken. All of one key; not transformed again.
 * @return 0 (also if there was something), KIN_EINVAL (NULL, no deltas, deltas of different keys),
 *         KIN_ELIMIT (the key is too long), KIN_ENOMEM, KIN_EFORKED, or the code of the key
 *         function.
 * @thread any
 */
KIN_API int kin_delta_fifo_add_if_not_present(kin_delta_fifo *fifo, const kin_deltas *deltas,
                                              kin_error *err);

/**
 * Begin to replace everything: each object of the list is queued as REPLACED (or SYNC), then a
 * deletion, as a tombstone, of each key that is queued, in flight or known and not in the list,
 * unless its last change is a deletion that is queued or has succeeded. Atomic: nobody sees a part of it. The first one says what
 * the first list is. The commit fails with the code of the known objects too, and with KIN_EBUSY if
 * it is they who call it.
 *
 * @param fifo      BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_delta_fifo_replace_begin(kin_delta_fifo *fifo, kin_replace **ret, kin_error *err);

/**
 * Replace everything at once: begin, add, commit.
 *
 * @param fifo              BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  not used; as in kin_store_replace(). COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM and others as kin_replace_add() and kin_replace_commit(); then
 *         nothing has changed.
 * @thread any    @blocks while another replacement or resync looks at known objects
 */
KIN_API int kin_delta_fifo_replace(kin_delta_fifo *fifo, const kin_object *const *objects, size_t n,
                                   kin_str resource_version, kin_error *err);

/**
 * Queue all known objects that are neither queued nor in flight, as SYNC.
 *
 * @param fifo  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED, KIN_EBUSY (the queue's known objects call), or the
 *         code of the known objects; then nothing has changed.
 * @thread any    @blocks while another replacement or resync looks at known objects
 */
KIN_API int kin_delta_fifo_resync(kin_delta_fifo *fifo, kin_error *err);

/* --- taking out --- */

/**
 * Wait for a key and process its deltas.
 *
 * @param fifo        BORROWED for the call.
 * @param process     BORROWED for the call.
 * @param arg         BORROWED for the call; handed to `process`.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (closed, and nothing is left), KIN_EINVAL (NULL), KIN_EFORKED, or
 *         the code of `process`; if that was KIN_EREQUEUE, the code in the error it filled in, or 0.
 * @thread any, several at once    @blocks up to timeout_ms, and while `process` runs
 */
KIN_API int kin_delta_fifo_pop(kin_delta_fifo *fifo, kin_process_fn *process, void *arg,
                               int64_t timeout_ms, kin_error *err);

/**
 * Wait for a key, take as many more as there are, and process all of them with one call. Objects of
 * the first list and others don't come together.
 *
 * @param fifo        BORROWED for the call.
 * @param process     BORROWED for the call.
 * @param arg         BORROWED for the call; handed to `process`.
 * @param max         take no more keys than this; 0: 1000.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ENOMEM (nothing was taken), and others as kin_delta_fifo_pop().
 * @thread any, several at once    @blocks up to timeout_ms, and while `process` runs
 */
KIN_API int kin_delta_fifo_pop_batch(kin_delta_fifo *fifo, kin_process_batch_fn *process, void *arg,
                                     size_t max, int64_t timeout_ms, kin_error *err);

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
KIN_API int kin_delta_fifo_key_of(kin_delta_fifo *fifo, kin_str *ret, const kin_object *object,
                                  kin_error *err);

/**
 * The key of deltas: of the newest of them.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  BORROWED while the newest object lives.
 * @param deltas    BORROWED for the call.
 * @return 0, KIN_EINVAL (also if there are none) and others as kin_delta_fifo_key_of().
 * @thread any
 */
KIN_API int kin_delta_fifo_key_of_deltas(kin_delta_fifo *fifo, kin_str *ret,
                                         const kin_deltas *deltas, kin_error *err);

/**
 * The deltas of a key, those in flight included.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_delta_copy_done().
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_delta_fifo_get_by_key(kin_delta_fifo *fifo, kin_delta_copy *ret, kin_str key,
                                      kin_error *err);

/**
 * The deltas of the key that an object has, those in flight included.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_delta_copy_done().
 * @param object    BORROWED for the call.
 * @return 0, KIN_ENOTFOUND and others as kin_delta_fifo_get_by_key() and kin_delta_fifo_key_of().
 * @thread any
 */
KIN_API int kin_delta_fifo_get(kin_delta_fifo *fifo, kin_delta_copy *ret, const kin_object *object,
                               kin_error *err);

/**
 * The newest object of each key that is in flight or queued, in this order.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_delta_fifo_list(kin_delta_fifo *fifo, kin_object_list *ret, kin_error *err);

/**
 * The keys that are in flight, then those that are queued, in the order of the line.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_delta_fifo_list_keys(kin_delta_fifo *fifo, kin_string_list *ret, kin_error *err);

/**
 * The number of keys that wait.
 *
 * @param fifo  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_delta_fifo_len(kin_delta_fifo *fifo);

/**
 * Whether all of the first list was processed; or whether something was put in before any list.
 *
 * @param fifo  BORROWED for the call; NULL has not.
 * @thread any
 */
KIN_API bool kin_delta_fifo_has_synced(kin_delta_fifo *fifo);

/**
 * Wait until it has: until the processing of the last of the first list has returned.
 *
 * @param fifo        BORROWED for the call.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (the queue was closed before, and has not), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_delta_fifo_wait_synced(kin_delta_fifo *fifo, int64_t timeout_ms, kin_error *err);

/**
 * Close: whoever waits is woken. What is queued can still be taken, and more be put in.
 *
 * @param fifo  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_delta_fifo_close(kin_delta_fifo *fifo);

/**
 * Whether it was closed.
 *
 * @param fifo  BORROWED for the call; NULL is.
 * @thread any
 */
KIN_API bool kin_delta_fifo_is_closed(kin_delta_fifo *fifo);

KIN_END_DECLS

#endif
