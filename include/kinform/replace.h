/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Replacing all that a store or queue has, in stages.
 *
 * The objects of a list come one by one, as they are decoded, and are put aside. Nobody sees any of
 * them before the commit, which makes all of them visible at once; whatever the store or queue had
 * and the list has not is deleted by it. A list that fails half-way is aborted, and nothing has
 * changed.
 *
 * @code
 * kin_replace *replace = NULL;
 * if (kin_store_replace_begin(store, &replace, &err) < 0)
 *     return report(&err);
 * while ((pod = next(list)))
 *     if (kin_replace_add(replace, pod, &err) < 0)
 *         return give_up(replace, &err); // kin_replace_abort()
 * if (kin_replace_commit(replace, kin_str_of("4711"), &err) < 0)
 *     return give_up(replace, &err);
 * @endcode
 */
#ifndef KINFORM_REPLACE_H
#define KINFORM_REPLACE_H

#include <kinform/object.h>

KIN_BEGIN_DECLS

/** A replacement that was begun and neither committed nor aborted. One owner, one thread at a time. */
typedef struct kin_replace kin_replace;

/**
 * Put an object aside. Of two with the same key, the later wins where keys are unique.
 *
 * Key and index functions, and the transformer, run here.
 *
 * @param replace  BORROWED for the call.
 * @param object   SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, a tombstone, an empty key, the transformer gave nothing),
 *         KIN_ELIMIT (the key is longer than KIN_KEY_BYTES_MAX), KIN_EBUSY (an index
 *         function of the store calls), KIN_ENOMEM, KIN_EFORKED, or the code of the key function or
 *         the transformer. What was put aside before stays.
 * @thread one at a time per replacement
 */
KIN_API int kin_replace_add(kin_replace *replace, const kin_object *object, kin_error *err);

/**
 * The list is known to have gaps: what it lacks may be there all the same. So the commit adds and updates,
 * but deletes nothing. Not to be taken back.
 *
 * @param replace  BORROWED for the call; may be NULL.
 * @thread one at a time per replacement
 */
KIN_API void kin_replace_keep_missing(kin_replace *replace);

/**
 * The list has an object under a key that could not be added: the commit leaves that key as it is. A DeltaFIFO, an ordered
 * FIFO with known objects and an informer can do this for one key, unless their transformer has changed keys. Other
 * replacements keep all that the list lacks, like kin_replace_keep_missing().
 *
 * @param replace  BORROWED for the call.
 * @param key      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ENOMEM, KIN_EFORKED.
 * @thread one at a time per replacement
 */
KIN_API int kin_replace_keep(kin_replace *replace, kin_str key, kin_error *err);

/**
 * Make it visible.
 *
 * @param replace           CONSUMED.
 * @param resource_version  of the list, may be empty; COPIED.
 * @return 0, KIN_EINVAL (`replace` is NULL), KIN_ELIMIT (the version is longer than
 *         KIN_RESOURCE_VERSION_BYTES_MAX), KIN_ENOMEM, KIN_EFORKED, KIN_EBUSY (an index function of the
 *         store calls, or the known objects of a queue, or the process function of an ordered queue
 *         that has such), or the code of the known objects. On failure nothing has changed, and it can
 *         be tried again.
 * @thread one at a time per replacement    @blocks while others write to the store, look at the
 *         known objects of a DeltaFIFO, or have the turn of an ordered FIFO with known objects,
 *         whose process function then runs to its end
 */
KIN_API int kin_replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err);

/**
 * Forget it.
 *
 * @param replace  CONSUMED; may be NULL.
 * @thread one at a time per replacement
 */
KIN_API void kin_replace_abort(kin_replace *replace);

/**
 * How a store or queue of the caller's own is replaced. Start with KIN_REPLACE_FUNCTIONS_INIT; all are
 * mandatory. They are called as the functions above are, which check what they are given.
 */
typedef struct kin_replace_functions {
    size_t size; /**< sizeof(kin_replace_functions); set by the INIT macro */
    /** Put an object aside: SHARED, take a reference. */
    int (*add)(const kin_object *object, void *arg, kin_error *err);
    /**
     * Make it visible; `keeps_missing`: and delete nothing. If it succeeds it is the last call, and `arg` is
     * to be released there; else it may be tried again.
     */
    int (*commit)(kin_str resource_version, bool keeps_missing, void *arg, kin_error *err);
    void (*abort)(void *arg); /**< forget it, and release `arg`: the last call */
} kin_replace_functions;

/* clang-format off */
/** No functions. */
#define KIN_REPLACE_FUNCTIONS_INIT {sizeof(kin_replace_functions), NULL, NULL, NULL}
/* clang-format on */

/**
 * Begin a replacement of a store or queue of the caller's own.
 *
 * @param[out] ret   OWNED; kin_replace_commit() or kin_replace_abort().
 * @param functions  COPIED.
 * @param arg        handed to all; CONSUMED.
 * @return 0, KIN_EINVAL (NULL, or a function is missing), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_replace_new(kin_replace **ret, const kin_replace_functions *functions, void *arg,
                            kin_error *err);

KIN_END_DECLS

#endif
