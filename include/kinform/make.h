/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Templates: objects from a readable text with placeholders, as printf() has them.
 *
 * @code
 * const kin_object *cm = NULL;
 *
 * if (kin_object_make(&cm, &err,
 *                     "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s-config, namespace: %s},"
 *                     " data: {size: '%d'}}",
 *                     name, namespace_, size) < 0)
 *     report(&err);
 * @endcode
 *
 * A template is YAML, in flow style as above or in block style, so JSON is a template too. The
 * compiler checks its conversions against the arguments, as it does for printf(). The arguments are
 * inserted after the YAML was parsed. An argument is one value or part of one string, with any
 * content; do not quote or escape it.
 *
 * | conversion                     | argument                  | value                            |
 * |--------------------------------|---------------------------|----------------------------------|
 * | `%s`                           | `const char *`            | string                           |
 * | `%.*s`, `"%" KIN_STR_FMT`      | KIN_STR_ARG(kin_str)      | string, up to a zero byte if any |
 * | `%d`, `%i`, `%u`               | `int`, `unsigned`         | integer                          |
 * | the same with h l ll j z t     | as for printf()           | integer                          |
 * | `%hhd`, `%hhi`, `%hhu`         | `bool`                    | true or false                    |
 * | `%g`, `%f`, `%e`               | `double`                  | number, in the fewest digits     |
 * | `%pV`                          | KIN_VALUE_ARG(kin_value)  | the value, whole                 |
 * | `%pO`                          | KIN_OBJECT_ARG(object)    | the document, whole              |
 * | `%%`                           | none                      | a percent sign                   |
 *
 * Strings are UTF-8 and not NULL. The digits of a double give the same double again; infinity and NaN
 * are errors. A value that is KIN_NONE leaves out its member or item.
 *
 * Anything else is an error: flags, widths, precisions of numbers, other conversions.
 *
 * **A conversion that is a whole plain scalar has the type of its argument**: `%s` is a string, also
 * if it reads "true" or "5", and `replicas: %d` is an integer. **A conversion in quotes, in a block
 * scalar, beside other text or in a key is text**: `name: %s-config`, `"%d"`, `cpu: %um`, `%s: x`.
 * As text, a value is a string, a number or a boolean.
 *
 * Everything else is as kin_object_from_yaml() has it, anchors and tags included. A conversion in a
 * comment takes its argument and is ignored. The characters U+E000 to U+F8FF, which have no meaning
 * in Unicode, cannot be in a format; they can be in arguments.
 */
#ifndef KINFORM_MAKE_H
#define KINFORM_MAKE_H

#include <stdarg.h>

#include <kinform/editor.h>

KIN_BEGIN_DECLS

/** Conversions of one format; more is KIN_ELIMIT. */
#define KIN_MAKE_MAX_CONVERSIONS 1000

#ifdef __cplusplus
/** The argument of `%pV`: a kin_value, which may be what a function returned. */
#define KIN_VALUE_ARG(value) static_cast<const void *>(&static_cast<const kin_value &>(value))
#else
/* The other branch, which is never taken, makes another type an error. */
#define KIN_VALUE_ARG(value)                                                                       \
    ((const void *)(const kin_value[1]){1 ? (value) : kin_object_root(NULL)})
#endif

/** The argument of `%pO`: a pointer to an object that is a document, or to a tombstone of one. */
#define KIN_OBJECT_ARG(object) ((const void *)(1 ? (object) : (const kin_object *)NULL))

/**
 * Make an object from a template.
 *
 * @param[out] ret  SHARED; release with kin_object_unref(). Untouched on failure.
 * @param err       may be NULL. `offset` is the byte of the format; the message names the
 *                  conversion, or line and column.
 * @param format    the template; BORROWED for the call. Its root is a map.
 * @param ...       the arguments of its conversions, all COPIED.
 * @return 0, KIN_EINVAL (NULL, a conversion that is not in the table above, an argument that is not as the
 *         table says), KIN_EPARSE (the template is not YAML or its root not a map; a key is there
 *         twice, also by an argument), KIN_ETYPE (a map, an array or nothing as text), KIN_ELIMIT
 *         (too large, too deep, too many conversions), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_object_make(const kin_object **ret, kin_error *err, const char *format, ...)
    KIN_PRINTF(3, 4);

/**
 * kin_object_make() with the arguments as a va_list.
 *
 * @param[out] ret  SHARED; release with kin_object_unref(). Untouched on failure.
 * @param err       may be NULL; as for kin_object_make().
 * @param format    BORROWED for the call.
 * @param ap        COPIED: it is as before afterwards.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ETYPE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM, as for
 *         kin_object_make().
 * @thread any
 */
KIN_API int kin_object_vmake(const kin_object **ret, kin_error *err, const char *format, va_list ap)
    KIN_PRINTF(3, 0);

/**
 * Set the value of a template: a map, an array or a scalar. At the root it is a map and replaces
 * everything.
 *
 * @code
 * kin_editor_make(ed, "status.conditions", &err, "[{type: Ready, status: %s, reason: %s}]",
 *                 ready ? "True" : "False", reason);
 * @endcode
 *
 * @param ed      BORROWED for the call.
 * @param path    terminated; BORROWED for the call.
 * @param err     may be NULL; `offset` is the byte of the format, or of a malformed path.
 * @param format  the template; BORROWED for the call.
 * @param ...     the arguments of its conversions, all COPIED.
 * @return 0, KIN_EINVAL (also if the template is just `%pV`, and the value KIN_NONE), KIN_EPARSE,
 *         KIN_ETYPE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM, as for kin_object_make() and, for the path,
 *         for kin_editor_set_value(); KIN_ERANGE (an index beyond the length).
 * @thread one at a time per editor
 */
KIN_API int kin_editor_make(kin_editor *ed, const char *path, kin_error *err, const char *format,
                            ...) KIN_PRINTF(4, 5);

/**
 * kin_editor_make() with the arguments as a va_list.
 *
 * @param ed      BORROWED for the call.
 * @param path    terminated; BORROWED for the call.
 * @param err     may be NULL; as for kin_editor_make().
 * @param format  BORROWED for the call.
 * @param ap      COPIED: it is as before afterwards.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ETYPE, KIN_ERANGE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM, as
 *         for kin_editor_make().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_vmake(kin_editor *ed, const char *path, kin_error *err, const char *format,
                             va_list ap) KIN_PRINTF(4, 0);

KIN_END_DECLS

#endif
