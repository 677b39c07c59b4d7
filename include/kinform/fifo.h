/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * FIFO: a queue of objects, of each key the newest.
 *
 * For whoever wants to see each object once, in its newest state, and does not want to see what was
 * deleted meanwhile. A key keeps its place in the line, whatever comes for it. client-go's FIFO,
 * with all it ever had; where this one differs, docs/client-go.md says why. Who needs every change
 * takes kinform/delta_fifo.h or kinform/ordered_fifo.h.
 *
 * Nothing of the user's runs under the queue's lock. An object that was taken stays *in flight* until
 * its processing returns: nobody else gets its key, and whoever looks treats it as queued, unless it
 * was deleted or replaced meanwhile.
 *
 * @code
 * static int apply(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
 * {
 *     return reconcile(arg, kin_object_key(object)) ? 0 : KIN_EREQUEUE;
 * }
 * ...
 * while (kin_fifo_pop(fifo, apply, world, -1, &err) != KIN_ECLOSED)
 *     ;
 * @endcode
 */
#ifndef KINFORM_FIFO_H
#define KINFORM_FIFO_H

#include <kinform/clock.h>
#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A queue. One owner, who frees it when nobody uses it any more. */
typedef struct kin_fifo kin_fifo;

/** How a queue is to be. COPIED. */
typedef struct kin_fifo_options {
    size_t size;        /**< sizeof(kin_fifo_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "fifo" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_clock *clock;   /**< SHARED; NULL: the system's */
    kin_key_fn *key;    /**< NULL: kin_object_key() */
    void *key_arg;      /**< handed to `key`; BORROWED while the queue lives */
    int64_t slow_ms;    /**< a processing that takes longer while more than ten keys wait
                             is logged; 0: 100, -1: never */
} kin_fifo_options;

/* clang-format off */
/** The default options. */
#define KIN_FIFO_OPTIONS_INIT {sizeof(kin_fifo_options), NULL, NULL, NULL, NULL, NULL, 0}
/* clang-format on */

/**
 * Takes an object out of a queue and does something with it: client-go's PopProcessFunc.
 *
 * While it runs the key is in flight: no other call gets it, and what comes for it meanwhile waits.
 * It may use the queue, but not free it; if it pops without a timeout, it can wait for its own key.
 *
 * @param object           BORROWED during the call.
 * @param is_initial_list  whether it is part of the first list.
 * @return 0; KIN_EREQUEUE: the object goes back to the end of the line, unless a newer one came or it
 *         was deleted meanwhile; any other code is what the pop returns, and the object is gone.
 * @thread the one that pops; no lock is held
 */
typedef int kin_process_object_fn(const kin_object *object, bool is_initial_list, void *arg,
                                  kin_error *err);

/**
 * Make an empty queue.
 *
 * @param[out] ret  OWNED; release with kin_fifo_free().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_fifo_new(kin_fifo **ret, const kin_fifo_options *options, kin_error *err);

/**
 * Free a queue with all that is in it. Nobody may be in one of its functions.
 *
 * @param fifo  may be NULL.
 * @thread any
 */
KIN_API void kin_fifo_free(kin_fifo *fifo);

/* --- putting in --- */

/**
 * Queue an object. If its key waits already, the object takes its place.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_ENOMEM,
 *         KIN_EFORKED, or the code of the key function. On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_fifo_add(kin_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * The same as kin_fifo_add(), for those who say what they mean.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_fifo_add().
 * @thread any
 */
KIN_API int kin_fifo_update(kin_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Take an object out without processing it. Its place in the line stays: whoever pops skips it, and
 * a newer object of the key that comes before that takes it. What is in flight is not called back, but
 * it is not queued again. Never fails for lack of memory.
 *
 * @param fifo    BORROWED for the call.
 * @param object  BORROWED for the call: the object, another state of it, a tombstone or an explicit
 *                key.
 * @return 0 (also if it was not there), KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too
 *         long), KIN_EFORKED, or the code of the key function.
 * @thread any
 */
KIN_API int kin_fifo_delete(kin_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Queue an object if its key is neither queued nor in flight: client-go's AddIfNotPresent.
 *
 * @param fifo    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0 (also if there was something), KIN_EINVAL and others as kin_fifo_add().
 * @thread any
 */
KIN_API int kin_fifo_add_if_not_present(kin_fifo *fifo, const kin_object *object, kin_error *err);

/**
 * Begin to replace everything: the objects of the list are queued in their order, of those with the
 * same key the last in the place of the first; all else is dropped. Atomic: nobody sees a part of it.
 * The first one says what the first list is.
 *
 * @param fifo      BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_fifo_replace_begin(kin_fifo *fifo, kin_replace **ret, kin_error *err);

/**
 * Replace everything at once: begin, add, commit.
 *
 * @param fifo              BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  not used; as in kin_store_replace(). COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM and others as kin_replace_add() and kin_replace_commit(); then
 *         nothing has changed.
 * @thread any
 */
KIN_API int kin_fifo_replace(kin_fifo *fifo, const kin_object *const *objects, size_t n,
                             kin_str resource_version, kin_error *err);

/**
 * See to it that every object is in the line. It always is: nothing happens.
 *
 * @param fifo  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_fifo_resync(kin_fifo *fifo, kin_error *err);

/* --- taking out --- */

/**
 * Wait for an object and process it.
 *
 * @param fifo        BORROWED for the call.
 * @param process     BORROWED for the call.
 * @param arg         BORROWED for the call; handed to `process`.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (closed, and nothing is left), KIN_EINVAL (NULL), KIN_EFORKED, or
 *         the code of `process`; if that was KIN_EREQUEUE, the code in the error it filled in, or 0.
 * @thread any, several at once    @blocks up to timeout_ms, and while `process` runs
 */
KIN_API int kin_fifo_pop(kin_fifo *fifo, kin_process_object_fn *process, void *arg,
                         int64_t timeout_ms, kin_error *err);

/* --- looking --- */

/**
 * The newest object of a key, one in flight included.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only to know whether it is
 *                  there.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_fifo_get_by_key(kin_fifo *fifo, const kin_object **ret, kin_str key,
                                kin_error *err);

/**
 * The newest object of the key that an object has, one in flight included.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL.
 * @param object    BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (it is too long), KIN_EFORKED,
 *         or the code of the key function.
 * @thread any
 */
KIN_API int kin_fifo_get(kin_fifo *fifo, const kin_object **ret, const kin_object *object,
                         kin_error *err);

/**
 * The newest object of each key that is in flight, then of those that are queued, in the order of
 * the line.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_fifo_list(kin_fifo *fifo, kin_object_list *ret, kin_error *err);

/**
 * The keys of these objects, in the same order.
 *
 * @param fifo      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_fifo_list_keys(kin_fifo *fifo, kin_string_list *ret, kin_error *err);

/**
 * The number of objects that wait.
 *
 * @param fifo  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_fifo_len(kin_fifo *fifo);

/**
 * Whether all of the first list was processed, or skipped because it was deleted or replaced; or
 * whether something was put in or deleted before any list.
 *
 * @param fifo  BORROWED for the call; NULL has not.
 * @thread any
 */
KIN_API bool kin_fifo_has_synced(kin_fifo *fifo);

/**
 * Wait until it has: until the processing of the last of the first list has returned.
 *
 * @param fifo        BORROWED for the call.
 * @param timeout_ms  -1 waits for ever, 0 polls; by the queue's clock.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (the queue was closed before, and has not), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_fifo_wait_synced(kin_fifo *fifo, int64_t timeout_ms, kin_error *err);

/**
 * Close: whoever waits is woken. What is queued can still be taken, and more be put in.
 *
 * @param fifo  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_fifo_close(kin_fifo *fifo);

/**
 * Whether it was closed.
 *
 * @param fifo  BORROWED for the call; NULL is.
 * @thread any
 */
KIN_API bool kin_fifo_is_closed(kin_fifo *fifo);

KIN_END_DECLS

#endif
