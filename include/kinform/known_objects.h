/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Known objects: what the consumer of a queue has already, as far as the queue can see. From it the
 * queue finds out what a new list has lost, and what to send again on a resync. client-go's
 * KeyListerGetter.
 *
 * What the queue concludes from them is right if they keep three rules; kin_store_known_objects()
 * with a store that the process function writes to keeps them.
 *
 * - What was processed is known, or not known any more, before the process function returns.
 * - `each` shows of each object a state that is no older than the call.
 * - Neither function waits for a thread that replaces or resyncs the same queue, and none of them
 *   does it itself (KIN_EBUSY); of an ordered FIFO, nor for one that pops. Those wait until it is
 *   done.
 */
#ifndef KINFORM_KNOWN_OBJECTS_H
#define KINFORM_KNOWN_OBJECTS_H

#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A way to look at them. The functions are called without a lock, from any thread, several at once. */
typedef struct kin_known_objects {
    size_t size; /**< sizeof(kin_known_objects); set by KIN_KNOWN_OBJECTS_INIT */
    /** Whether a key is known: 0 or KIN_ENOTFOUND; any other code counts as yes. Mandatory. */
    int (*has)(void *arg, kin_str key, kin_error *err);
    /** Visit all, as kin_store_each() does: its result is the visitor's, or a negative code. Mandatory. */
    int (*each)(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err);
    void *arg; /**< handed to both; BORROWED while the queue lives */
} kin_known_objects;

/* clang-format off */
/** Nothing is known. */
#define KIN_KNOWN_OBJECTS_INIT {sizeof(kin_known_objects), NULL, NULL, NULL}
/* clang-format on */

/**
 * What a store has.
 *
 * @param store  BORROWED as long as the result is used.
 * @thread any
 */
KIN_API kin_known_objects kin_store_known_objects(kin_store *store);

KIN_END_DECLS

#endif
