/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Field paths: where in a document a value stands.
 *
 * Written as people write them: `spec.containers[0].image`.
 *
 * | text                     | step                                                         |
 * |--------------------------|--------------------------------------------------------------|
 * | `name`                   | the member of that name; a dot stands between steps          |
 * | `app\.kubernetes\.io/name` | in a name, a backslash takes the next character as it is   |
 * | `['app.kubernetes.io/name']` | a name in quotes, single or double, as kubectl has it too  |
 * | `[3]`                    | the item of that index, from 0; decimal, no leading zeros    |
 *
 * The characters that a name without quotes must escape are '.', '[', ']' and the backslash; in
 * quotes they are the quote and the backslash.
 *
 * A dot may stand first. The empty text and "." are the document itself. A name is UTF-8 and not
 * empty; `['']` is the empty name. `*` alone, which stands for any name in projections, is no
 * name here: write `\*`.
 *
 * A path that is used often is compiled once. kin_object_find() takes the text as it is, and
 * allocates nothing.
 *
 * @code
 * kin_path *phase;
 *
 * if (kin_path_parse(&phase, kin_str_of("status.phase"), &err) < 0)
 *     return report(&err); // err.offset is the byte that is wrong
 * for (i = 0; i < n; i++)
 *     look_at(kin_object_get(pods[i], phase));
 * kin_path_free(phase);
 * @endcode
 */
#ifndef KINFORM_PATH_H
#define KINFORM_PATH_H

#include <kinform/memory.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** Bytes of a path's text; more is KIN_ELIMIT. */
#define KIN_PATH_MAX_LENGTH 4096
/** Steps of a path; more is KIN_ELIMIT. No document is deeper. */
#define KIN_PATH_MAX_STEPS 512

/** A compiled path. Never changes, has one owner, and any number of threads may use it. */
typedef struct kin_path kin_path;

/**
 * Compile a path.
 *
 * @param[out] ret  OWNED; release with kin_path_free().
 * @param text      COPIED.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset is the byte that is wrong), KIN_ELIMIT (too
 *         long, too many steps), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_path_parse(kin_path **ret, kin_str text, kin_error *err);

/**
 * Release a path.
 *
 * @param path  may be NULL.
 * @thread any
 */
KIN_API void kin_path_free(kin_path *path);

/**
 * The value at a path below `root`; KIN_NONE if there is none.
 *
 * @param path  BORROWED for the call.
 * @thread any
 */
KIN_API kin_value kin_path_get(const kin_path *path, kin_value root);

/**
 * Write a path in the shortest of its spellings. kin_path_parse() of it gives the same path, so
 * two paths are the same if their texts are.
 *
 * @param[out] ret      OWNED, terminated; release with kin_free().
 * @param[out] ret_len  its length: a name may hold zero bytes. May be NULL.
 * @param path          BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_path_print(char **ret, size_t *ret_len, const kin_path *path, kin_error *err);

/**
 * The value at a path in a document; KIN_NONE if there is none, or `object` is no document.
 *
 * @param object  BORROWED while the value is used.
 * @param path    BORROWED for the call.
 * @thread any
 */
KIN_API kin_value kin_object_get(const kin_object *object, const kin_path *path);

/**
 * The value at a path that is given as text; KIN_NONE if there is none, if `object` is no
 * document, or if the text is no path. Allocates nothing. kin_value_find() tells these apart.
 *
 * @param object  BORROWED while the value is used.
 * @param path    terminated; BORROWED for the call. NULL is the empty path.
 * @thread any
 */
KIN_API kin_value kin_object_find(const kin_object *object, const char *path);

/**
 * The value at a path that is given as text, below another value. Allocates nothing.
 *
 * @param[out] ret  BORROWED while the object of `value` lives; untouched on failure.
 * @param path      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (nothing is there), KIN_EPARSE (the text is no path;
 *         err->offset is the byte that is wrong), KIN_ELIMIT (too long, too many steps).
 * @thread any
 */
KIN_API int kin_value_find(kin_value *ret, kin_value value, kin_str path, kin_error *err);

KIN_END_DECLS

#endif
