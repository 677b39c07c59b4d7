/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Keys: the names under which stores and queues hold objects.
 *
 * A key is "namespace/name", or "name" for an object of the whole cluster, as client-go's
 * MetaNamespaceKeyFunc makes it. kin_object_key() gives an object's; the functions here take keys
 * apart and put them together. Nothing is checked but the number of slashes: which names are legal
 * is for the API server to say.
 */
#ifndef KINFORM_KEY_H
#define KINFORM_KEY_H

#include <kinform/memory.h>

KIN_BEGIN_DECLS

/**
 * A key in its two parts: client-go's ObjectName. Passed by value; its layout never changes. Where
 * a function gives one, its doc says until when the bytes are BORROWED.
 */
typedef struct kin_namespaced_name {
    kin_str namespace_; /**< empty for an object of the whole cluster */
    kin_str name;
} kin_namespaced_name;

/**
 * Take a key apart: client-go's SplitMetaNamespaceKey.
 *
 * Without a slash all of it is the name. Either part may be empty: "" has two empty ones,
 * "/name" no namespace, "namespace/" no name.
 *
 * @param[out] ret_namespace  BORROWED as long as the key's bytes are there. May be NULL.
 * @param[out] ret_name       BORROWED as long as the key's bytes are there. May be NULL.
 * @return 0, KIN_EPARSE: there are two slashes or more; `err->offset` is the second one.
 * @thread any
 */
KIN_API int kin_key_split(kin_str *ret_namespace, kin_str *ret_name, kin_str key, kin_error *err);

/**
 * Put a key together in the caller's memory, as snprintf() would.
 *
 * @param[out] buf  the key, cut to `size - 1` bytes and terminated. May be NULL if `size` is 0.
 * @param size      of `buf`; 0 writes nothing.
 * @return the length of the whole key without its terminator: if it is `size` or more, the key was
 *         cut.
 * @thread any
 */
KIN_API size_t kin_key_format(char *buf, size_t size, kin_str namespace_, kin_str name);

/**
 * Put a key together in memory of its own.
 *
 * @param[out] ret    terminated; OWNED, release with kin_free().
 * @param namespace_  COPIED; empty for an object of the whole cluster.
 * @param name        COPIED.
 * @return 0, KIN_EINVAL (`ret` is NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_key_new(char **ret, kin_str namespace_, kin_str name, kin_error *err);

/**
 * Take a key apart: client-go's ParseObjectName. The same as kin_key_split().
 *
 * @param[out] ret  its bytes are BORROWED as long as the key's are there.
 * @return 0, KIN_EINVAL (`ret` is NULL),
 *         KIN_EPARSE: there are two slashes or more; `err->offset` is the second one.
 * @thread any
 */
KIN_API int kin_namespaced_name_parse(kin_namespaced_name *ret, kin_str key, kin_error *err);

/**
 * Order by namespace, then by name, each by its bytes: -1, 0 or 1.
 *
 * This is not the order of the keys as texts: '-' and '.' come before '/'.
 *
 * @return 0 if `a` and `b` are the same, -1 if `a` comes first, 1 if `b` does.
 * @thread any
 */
KIN_API int kin_namespaced_name_compare(kin_namespaced_name a, kin_namespaced_name b);

/**
 * Whether both parts are the same.
 *
 * @thread any
 */
KIN_API bool kin_namespaced_name_equal(kin_namespaced_name a, kin_namespaced_name b);

KIN_END_DECLS

#endif
