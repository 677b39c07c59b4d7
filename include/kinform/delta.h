/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Deltas: what queues hand from the one who watches to the one who keeps a store up to date.
 *
 * A delta is a change of one object, or of all (REPLACED_ALL, SYNC_ALL) or none (BOOKMARK). Deltas of
 * one key that came together are handed over together, oldest first.
 */
#ifndef KINFORM_DELTA_H
#define KINFORM_DELTA_H

#include <kinform/object_list.h>

KIN_BEGIN_DECLS

/** What happened: client-go's DeltaType. */
typedef enum kin_delta_type {
    KIN_DELTA_ADDED = 1,        /**< the object is new */
    KIN_DELTA_UPDATED = 2,      /**< the object has a new state */
    KIN_DELTA_DELETED = 3,      /**< the object's last state, or a tombstone */
    KIN_DELTA_REPLACED = 4,     /**< the object is in a new list */
    KIN_DELTA_SYNC = 5,         /**< the object is known and comes again, or is in a new list */
    KIN_DELTA_REPLACED_ALL = 6, /**< a whole new list: kin_delta_list() */
    KIN_DELTA_SYNC_ALL = 7,     /**< all that is known shall come again */
    KIN_DELTA_BOOKMARK = 8      /**< nothing changed up to kin_delta_resource_version() */
} kin_delta_type;

/**
 * The name of a type, as client-go prints it: "Added".
 *
 * @return BORROWED for ever; "?" for an unknown one.
 * @thread any
 */
KIN_API const char *kin_delta_type_name(kin_delta_type type);

/** One change. Its layout never changes: arrays of it are passed. */
typedef struct kin_delta {
    kin_delta_type type;
    const kin_object *object; /**< BORROWED; of the last three types something that only the
                                   functions below can read */
} kin_delta;

/** Changes of one key, oldest first. Its layout never changes. */
typedef struct kin_deltas {
    const kin_delta *items; /**< BORROWED */
    size_t len;             /**< how many */
    kin_str key;            /**< of the object, BORROWED; empty if it concerns all */
} kin_deltas;

/**
 * The first change.
 *
 * @param deltas  BORROWED for the call.
 * @return BORROWED as the deltas are; NULL if there is none.
 * @thread any
 */
KIN_API const kin_delta *kin_deltas_oldest(const kin_deltas *deltas);

/**
 * The last change.
 *
 * @param deltas  BORROWED for the call.
 * @return BORROWED as the deltas are; NULL if there is none.
 * @thread any
 */
KIN_API const kin_delta *kin_deltas_newest(const kin_deltas *deltas);

/**
 * Whether the last change is a deletion.
 *
 * @param deltas  BORROWED for the call.
 * @thread any
 */
KIN_API bool kin_deltas_is_deleted(const kin_deltas *deltas);

/**
 * The objects of a whole list.
 *
 * @param delta       BORROWED for the call; of the type KIN_DELTA_REPLACED_ALL.
 * @param[out] ret    BORROWED as the delta's object is.
 * @param[out] ret_n  how many.
 * @return 0, KIN_EINVAL (NULL), KIN_ETYPE (a delta of another type).
 * @thread any
 */
KIN_API int kin_delta_list(const kin_delta *delta, const kin_object *const **ret, size_t *ret_n,
                           kin_error *err);

/**
 * Whether a whole list has gaps, so that what it lacks is not to be deleted:
 * kin_replace_keep_missing().
 *
 * @param delta  BORROWED for the call.
 * @return false for a delta of another type than KIN_DELTA_REPLACED_ALL.
 * @thread any
 */
KIN_API bool kin_delta_list_keeps_missing(const kin_delta *delta);

/**
 * The resource version of a whole list or a bookmark, or of the object.
 *
 * @param delta  BORROWED for the call.
 * @return BORROWED as the delta's object is; empty if there is none.
 * @thread any
 */
KIN_API kin_str kin_delta_resource_version(const kin_delta *delta);

/** Deltas with references of their own. OWNED by its holder. Its layout never changes. */
typedef struct kin_delta_copy {
    kin_delta *items; /**< OWNED, and a reference to each object */
    size_t len;
} kin_delta_copy;

/* clang-format off */
/** No deltas. */
#define KIN_DELTA_COPY_INIT {NULL, 0}
/* clang-format on */

/**
 * Give the references and the array back. It is empty afterwards.
 *
 * @param copy  may be NULL or empty.
 * @thread any
 */
KIN_API void kin_delta_copy_done(kin_delta_copy *copy);

/**
 * Takes deltas out of a queue and does something with them: client-go's PopProcessFunc.
 *
 * While it runs the key is in flight: no other call gets it, and what comes for it meanwhile waits.
 * So what it has done has to be known before it returns, to known objects too
 * (kinform/known_objects.h).
 *
 * It may use the queue, but not free it. If it pops without a timeout, it can wait for a key that
 * only it can set free: its own. An ordered FIFO refuses with KIN_EBUSY what needs the turn that it
 * has: popping, and where there are known objects replacing and resyncing.
 *
 * @param deltas           BORROWED during the call.
 * @param is_initial_list  whether they are part of the first list.
 * @return 0; KIN_EREQUEUE: the deltas go back into the queue, before newer ones of the key; any other
 *         code is what the pop returns, and the deltas are gone.
 * @thread the one that pops; no lock is held
 */
typedef int kin_process_fn(const kin_deltas *deltas, bool is_initial_list, void *arg,
                           kin_error *err);

/**
 * The same for many keys at once, each in flight, with the same limits.
 *
 * @param deltas           BORROWED during the call; `n` of them, one per key.
 * @param is_initial_list  whether all of them are part of the first list; else none is.
 * @return 0, KIN_EREQUEUE and others as kin_process_fn(), for all of them.
 * @thread the one that pops; no lock is held
 */
typedef int kin_process_batch_fn(const kin_deltas *deltas, size_t n, bool is_initial_list,
                                 void *arg, kin_error *err);

KIN_END_DECLS

#endif
