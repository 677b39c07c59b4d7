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
 * kin_object_get_string() and the other typed getters read one field:
 *
 * @code
 * char node[KIN_NAME_BYTES] = "none"; // if the Pod has no node
 * int64_t replicas = 1;
 *
 * kin_object_get_string(pod, "spec.nodeName", node, sizeof(node));
 * kin_object_get_int64(deployment, "spec.replicas", &replicas);
 * @endcode
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

/** Bytes of the longest DNS subdomain, the usual limit of Kubernetes' names, with its terminating zero byte. */
#define KIN_NAME_BYTES 254

/**
 * Copy the string at a path: `char node[64]; kin_object_get_string(pod, "spec.nodeName", node, sizeof(node))`.
 *
 * The getters below read one field into memory of the caller. They allocate nothing, need no scratch, and do not change
 * the result on failure, so it can hold a default before the call. They all read the last known state of a tombstone.
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] buf  the text and a terminating zero byte; nothing else is written. Untouched on failure.
 * @param size      bytes of `buf`. KIN_NAME_BYTES is enough for names, namespaces, label values and uids.
 * @return 0, KIN_EINVAL (NULL, or the text is no path), KIN_ENOTFOUND (nothing is there, or `object` is no document),
 *         KIN_ETYPE (not a string; null is not one), KIN_ELIMIT (does not fit), KIN_ERANGE (has a zero byte inside).
 * @thread any
 */
KIN_API int kin_object_get_string(const kin_object *object, const char *path, char *buf,
                                  size_t size);

/**
 * The number at a path as an integer, by the rules of kin_value_int64().
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL, KIN_ENOTFOUND as kin_object_get_string(), KIN_ETYPE (not a number), KIN_ERANGE (beyond int64,
 *         or has a fraction).
 * @thread any
 */
KIN_API int kin_object_get_int64(const kin_object *object, const char *path, int64_t *ret);

/**
 * The number at a path, rounded to the nearest double.
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL, KIN_ENOTFOUND as kin_object_get_string(), KIN_ETYPE (not a number), KIN_ERANGE (beyond double).
 * @thread any
 */
KIN_API int kin_object_get_double(const kin_object *object, const char *path, double *ret);

/**
 * The boolean at a path.
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL, KIN_ENOTFOUND as kin_object_get_string(), KIN_ETYPE (not a boolean).
 * @thread any
 */
KIN_API int kin_object_get_bool(const kin_object *object, const char *path, bool *ret);

/**
 * The timestamp at a path: a string in RFC 3339.
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL, KIN_ENOTFOUND as kin_object_get_string(), KIN_ETYPE (not a string), KIN_EPARSE (not a
 *         timestamp).
 * @thread any
 */
KIN_API int kin_object_get_time(const kin_object *object, const char *path, kin_time *ret);

/**
 * The resource quantity at a path: a string such as "250m", or a number.
 *
 * @param object    BORROWED for the call.
 * @param path      as for kin_object_find(), not NULL.
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL, KIN_ENOTFOUND as kin_object_get_string(), KIN_ETYPE (neither a string nor a number),
 *         KIN_EPARSE (not a quantity), KIN_ERANGE (more digits than a kin_quantity has).
 * @thread any
 */
KIN_API int kin_object_get_quantity(const kin_object *object, const char *path, kin_quantity *ret);

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
