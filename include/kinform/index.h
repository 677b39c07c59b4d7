/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Index functions: what a store finds objects by, besides their keys.
 *
 * An index has a name and a function that says under which values an object is found:
 *
 * @code
 * static int by_node(const kin_object *pod, kin_index_values *values, void *arg, kin_error *err)
 * {
 *     char node[KIN_NAME_BYTES];
 *
 *     if (kin_object_get_string(pod, "spec.nodeName", node, sizeof(node)) < 0)
 *         return 0; // on no node: under no value
 *     return kin_index_values_add(values, kin_str_of(node), err);
 * }
 * @endcode
 */
#ifndef KINFORM_INDEX_H
#define KINFORM_INDEX_H

#include <kinform/object.h>

KIN_BEGIN_DECLS

/** Where an index function puts the values of an object. */
typedef struct kin_index_values kin_index_values;

/**
 * Say that the object is found under a value. The same value twice counts once.
 *
 * @param values  BORROWED for the index function's run.
 * @param value   COPIED; may be empty.
 * @return 0, KIN_EINVAL (`values` is NULL), KIN_ELIMIT (more than KIN_INDEX_VALUES_MAX values, more
 *         than 65,535 in all indexes together, or one longer than KIN_INDEX_VALUE_BYTES_MAX),
 *         KIN_ENOMEM. What is left out of the index
 *         function's own answer is noticed all the same.
 * @thread the one that runs the index function
 */
KIN_API int kin_index_values_add(kin_index_values *values, kin_str value, kin_error *err);

/** An object has at most this many values in one index. */
#define KIN_INDEX_VALUES_MAX 4096
/** A value has at most this many bytes. */
#define KIN_INDEX_VALUE_BYTES_MAX 65536

/**
 * Says under which values an object is found: client-go's IndexFunc.
 *
 * Must give the same answer for the object's whole life. Runs without a lock, and may read any
 * store; of the store that it belongs to it may not write (KIN_EBUSY while an index is added).
 *
 * @param object  BORROWED during the call.
 * @param values  takes the values; BORROWED during the call.
 * @return 0, or a negative code: the object is left out of this index, which the store counts
 *         and logs; it is stored all the same. KIN_ENOMEM makes the write fail instead.
 * @thread any that writes to the store or asks it by an object, several at once
 */
typedef int kin_index_fn(const kin_object *object, kin_index_values *values, void *arg,
                         kin_error *err);

/** An index to be added to a store. */
typedef struct kin_index {
    size_t size;                 /**< sizeof(kin_index); set by KIN_INDEX_INIT */
    const char *name;            /**< unique in the store; COPIED */
    kin_index_fn *fn;            /**< mandatory */
    void *arg;                   /**< handed to `fn`; CONSUMED if `arg_free` is given */
    void (*arg_free)(void *arg); /**< run once, after the last call of `fn`; may be NULL */
} kin_index;

/* clang-format off */
/** An index without an argument: `kin_index by_node = KIN_INDEX_INIT("node", fn);` */
#define KIN_INDEX_INIT(name_, fn_) {sizeof(kin_index), (name_), (fn_), NULL, NULL}
/* clang-format on */

/** The name under which listers look for the index of namespaces. */
#define KIN_NAMESPACE_INDEX "namespace"

/**
 * The index function of namespaces: client-go's MetaNamespaceIndexFunc. An object of the whole
 * cluster is found under "".
 *
 * @param object  BORROWED for the call.
 * @param values  BORROWED for the call.
 * @param arg     BORROWED for the call; not used.
 * @return 0, KIN_EINVAL (NULL), KIN_ELIMIT, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_namespace_index(const kin_object *object, kin_index_values *values, void *arg,
                                kin_error *err);

KIN_END_DECLS

#endif
