/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Patches: JSON merge patch (RFC 7386) and JSON patch (RFC 6902), the two that every
 * Kubernetes resource accepts, applied to documents.
 *
 * A patch is applied whole or not at all: objects never change, and when something fails there
 * is no new one. What a patch does not touch is not copied; if it touches nothing, the result is
 * the object itself. A tombstone stands for its last known state.
 *
 * While a patch is applied, every member or item of the maps and arrays that it leads through
 * takes about 130 bytes. Usually that is little; an array of a million numbers takes 130 MB.
 *
 * @code
 * const kin_object *scaled;
 *
 * if (kin_object_merge_patch(&scaled, deployment, kin_str_of("{\"spec\":{\"replicas\":3}}"),
 *                            &err) < 0)
 *     return report(&err);
 * @endcode
 */
#ifndef KINFORM_PATCH_H
#define KINFORM_PATCH_H

#include <kinform/memory.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** Operations of one JSON patch; more is KIN_ELIMIT. */
#define KIN_JSON_PATCH_MAX_OPERATIONS 10000
/**
 * Items of arrays that all operations of one JSON patch shift, because others are inserted or
 * removed before them; more is KIN_ELIMIT. It takes some tenths of a second.
 */
#define KIN_JSON_PATCH_MAX_SHIFTED 200000000
/**
 * Bytes of text, about, that all `copy` operations of one JSON patch copy; more is KIN_ELIMIT. The
 * document that is made of them can be as much larger.
 */
#define KIN_JSON_PATCH_MAX_COPIED 10485760

/**
 * Apply a merge patch. Members of the patch replace members of the document, maps are merged
 * member by member, null removes, and everything else, arrays included, is replaced as a whole.
 *
 * @param[out] ret  SHARED; release with kin_object_unref(). `object` itself if nothing changed.
 * @param object    BORROWED for the call.
 * @param patch     JSON text; BORROWED for the call.
 * @return 0, KIN_EPARSE (malformed text; err->offset is the byte that is wrong), KIN_EINVAL (NULL,
 *         or the patch is no map, and the result would be none), KIN_ETYPE (`object` is no
 *         document), KIN_ELIMIT (the patch or the result is too deep or too large), KIN_ENOMEM,
 *         KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_object_merge_patch(const kin_object **ret, const kin_object *object, kin_str patch,
                                   kin_error *err);

/**
 * Make the merge patch that leads from one document to another: "{}" if they are equal.
 *
 * Applied to `from` it gives `to`, with one exception that lies in the format: a merge patch cannot
 * set a null. A member of `to` that is null, and is not null in `from` at the same place, will be
 * missing in the result. Nulls inside arrays are not concerned.
 *
 * @param[out] ret      JSON text; OWNED, terminated; release with kin_free().
 * @param[out] ret_len  its length; may be NULL.
 * @param from          BORROWED for the call.
 * @param to            BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ETYPE (one of them is no document), KIN_ELIMIT (a patch of more
 *         than 1 GiB), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_object_make_merge_patch(char **ret, size_t *ret_len, const kin_object *from,
                                        const kin_object *to, kin_error *err);

/**
 * Apply a JSON patch: an array of operations, add, remove, replace, move, copy and test, which
 * are carried out in their order.
 *
 * Pointers are those of RFC 6901: `/spec/containers/0/image`, with `~1` for '/' and `~0` for '~'.
 * `-` is the place behind the last item of an array. Numbers are equal for `test` if their values
 * are, maps in whatever order their members come. Members of an operation that the RFC does not
 * name are ignored. A `test` of a place where nothing is fails with KIN_ENOTFOUND, whatever value
 * it asks for, null included.
 *
 * When an operation fails, err->message names its index in the patch, from 0, and its path.
 *
 * @param[out] ret  SHARED; release with kin_object_unref(). `object` itself if nothing changed.
 * @param object    BORROWED for the call.
 * @param patch     JSON text; BORROWED for the call.
 * @return 0, KIN_EPARSE (malformed text: err->offset is the byte that is wrong; or no patch: not an
 *         array of maps, an unknown op, a member that is missing or no string, a malformed pointer,
 *         a move of a value into itself), KIN_ENOTFOUND (nothing is where the path or `from`
 *         points, or an index is beyond the end), KIN_ETYPE (a pointer leads through a value that
 *         is neither map nor array, or names an item of an array by something that is no index; or
 *         `object` is no document), KIN_EMISMATCH (a test found another value), KIN_EINVAL (NULL,
 *         or the result is no map), KIN_ELIMIT (see the limits above; or the patch or the result is
 *         too deep or too large), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_object_json_patch(const kin_object **ret, const kin_object *object, kin_str patch,
                                  kin_error *err);

KIN_END_DECLS

#endif
