/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lists that functions hand out: of objects, and of strings such as keys.
 *
 * @code
 * kin_object_list pods = KIN_OBJECT_LIST_INIT;
 * if (kin_store_list(store, &pods, &err) < 0)
 *     return report(&err);
 * for (size_t i = 0; i < pods.len; i++)
 *     puts(kin_object_key(pods.items[i]));
 * kin_object_list_done(&pods);
 * @endcode
 */
#ifndef KINFORM_OBJECT_LIST_H
#define KINFORM_OBJECT_LIST_H

#include <kinform/object.h>

KIN_BEGIN_DECLS

/** Objects, a reference to each. OWNED by its holder. Its layout never changes. */
typedef struct kin_object_list {
    const kin_object **items; /**< OWNED, and a reference to each object */
    size_t len;
} kin_object_list;

/** Strings, terminated, in one block. OWNED by its holder. Its layout never changes. */
typedef struct kin_string_list {
    kin_str *items; /**< OWNED, with the bytes behind it; each string is followed by a zero byte */
    size_t len;
} kin_string_list;

/* clang-format off */
/** An empty list of objects. */
#define KIN_OBJECT_LIST_INIT {NULL, 0}
/** An empty list of strings. */
#define KIN_STRING_LIST_INIT {NULL, 0}
/* clang-format on */

/**
 * Give the references and the array back. The list is empty afterwards.
 *
 * @param list  may be NULL or empty.
 * @thread any
 */
KIN_API void kin_object_list_done(kin_object_list *list);

/**
 * Give the strings back. The list is empty afterwards.
 *
 * @param list  may be NULL or empty.
 * @thread any
 */
KIN_API void kin_string_list_done(kin_string_list *list);

KIN_END_DECLS

#endif
