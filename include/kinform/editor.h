/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Editors: a new document from an old one.
 *
 * Objects never change. An editor takes one, collects changes, and makes another object of it. What
 * was not changed is not copied.
 *
 * @code
 * kin_editor *ed = NULL;
 * const kin_object *pod = NULL;
 *
 * if (kin_editor_new(&ed, old, &err) < 0 ||
 *     kin_editor_set_string(ed, kin_str_of("spec.nodeName"), kin_str_of("worker-7"), &err) < 0 ||
 *     kin_editor_set_label(ed, kin_str_of("app"), kin_str_of("web"), &err) < 0 ||
 *     kin_editor_finish(ed, &pod, &err) < 0)
 *     report(&err);
 * kin_editor_free(ed);
 * @endcode
 *
 * Paths are those of kinform/path.h. Setting a value replaces what is there. Maps that are
 * missing on the way are made, and so is an array if its step is `[0]`; a null on the way counts
 * as missing. An index may be one behind the last item: the value is appended. A call that
 * fails changes nothing.
 *
 * Changes take memory until the object is made: each value that was set, unless it was replaced or
 * removed since, and about 130 bytes for every member or item of the maps and arrays that a path
 * has led through.
 *
 * An editor has one owner and is used by one thread at a time. The object that it began with may
 * be used by others meanwhile.
 */
#ifndef KINFORM_EDITOR_H
#define KINFORM_EDITOR_H

#include <kinform/time.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** An editor. */
typedef struct kin_editor kin_editor;

/**
 * Make an editor.
 *
 * @param[out] ret  OWNED; release with kin_editor_free().
 * @param base      what to begin with; a reference of its own is taken. NULL is the empty map. A
 *                  tombstone stands for its last known state.
 * @return 0, KIN_EINVAL (NULL), KIN_ETYPE (`base` is no document), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_editor_new(kin_editor **ret, const kin_object *base, kin_error *err);

/**
 * Release an editor. Changes that were not finished are forgotten.
 *
 * @param ed  may be NULL.
 * @thread any
 */
KIN_API void kin_editor_free(kin_editor *ed);

/**
 * Make the object. The editor can be used on: it goes on from that object.
 *
 * @param ed        BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). If nothing was changed it is the object
 *                  that the editor has begun with.
 * @return 0, KIN_EINVAL (NULL), KIN_ELIMIT (too deep, too large), KIN_ENOMEM, KIN_ESYSTEM. On
 *         failure the changes stay.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_finish(kin_editor *ed, const kin_object **ret, kin_error *err);

/**
 * Set a string.
 *
 * @param ed     BORROWED for the call.
 * @param path   BORROWED for the call.
 * @param value  COPIED.
 * @return 0, KIN_EPARSE (not a path; err->offset is the byte that is wrong), KIN_ELIMIT (the path
 *         is too long or has too many steps, or the value is beyond 1 GiB), KIN_ETYPE (a step goes
 *         through a value that is no map, or no array for an index; or the path is the root, which
 *         is a map), KIN_ERANGE (an index beyond the length), KIN_EINVAL (NULL, or the value is not
 *         UTF-8; err->offset is the byte that is wrong), KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_string(kin_editor *ed, kin_str path, kin_str value, kin_error *err);

/**
 * Set an integer.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ELIMIT, KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as for
 *         kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_int64(kin_editor *ed, kin_str path, int64_t value, kin_error *err);

/**
 * Set a number, in the fewest digits that give the same double again.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, infinite or not a number), KIN_EPARSE, KIN_ELIMIT, KIN_ETYPE,
 *         KIN_ERANGE, KIN_ENOMEM, as for kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_double(kin_editor *ed, kin_str path, double value, kin_error *err);

/**
 * Set true or false.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ELIMIT, KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as for
 *         kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_bool(kin_editor *ed, kin_str path, bool value, kin_error *err);

/**
 * Set null. kin_editor_remove() is what makes a value go.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EPARSE, KIN_ELIMIT, KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as for
 *         kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_null(kin_editor *ed, kin_str path, kin_error *err);

/**
 * Set a timestamp, in UTC.
 *
 * @param ed               BORROWED for the call.
 * @param path             BORROWED for the call.
 * @param fraction_digits  0 as metav1.Time has it, 6 as metav1.MicroTime, or 3 or 9.
 * @return 0, KIN_EINVAL (NULL, or what kin_time_format() does not write), KIN_EPARSE, KIN_ELIMIT,
 *         KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as for kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_time(kin_editor *ed, kin_str path, kin_time value,
                                unsigned fraction_digits, kin_error *err);

/**
 * Set a value of any object. At the root it is a map and replaces everything.
 *
 * @param ed     BORROWED for the call.
 * @param path   BORROWED for the call.
 * @param value  COPIED: its object may go afterwards.
 * @return 0, KIN_EINVAL (NULL, or KIN_NONE), KIN_EPARSE, KIN_ELIMIT (also if the value is too
 *         deep), KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as for kin_editor_set_string(); KIN_ESYSTEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_value(kin_editor *ed, kin_str path, kin_value value, kin_error *err);

/**
 * Set what a JSON text says: any value. At the root it is a map and replaces everything.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @param json  COPIED.
 * @return 0, KIN_EINVAL, KIN_EPARSE (path or text malformed: the message says which, err->offset is
 *         the byte in it), KIN_ELIMIT (also for the text), KIN_ETYPE, KIN_ERANGE, KIN_ENOMEM, as
 *         for kin_editor_set_string(); KIN_ESYSTEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_json(kin_editor *ed, kin_str path, kin_str json, kin_error *err);

/**
 * Remove a member of a map, or an item of an array: those behind it move up.
 *
 * @param ed    BORROWED for the call.
 * @param path  BORROWED for the call.
 * @return 0, KIN_ENOTFOUND (nothing is there), KIN_EINVAL (NULL, or the root), KIN_EPARSE,
 *         KIN_ELIMIT, KIN_ENOMEM, as for kin_editor_set_string().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_remove(kin_editor *ed, kin_str path, kin_error *err);

/**
 * Set a label. The API server judges whether key and value are well formed.
 *
 * @param ed     BORROWED for the call.
 * @param key    COPIED.
 * @param value  COPIED.
 * @return 0, KIN_EINVAL (NULL, or not UTF-8; err->offset is the byte that is wrong), KIN_ETYPE
 *         (`metadata` or its labels are no map), KIN_ELIMIT (a key or value of more than 1 GiB),
 *         KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_label(kin_editor *ed, kin_str key, kin_str value, kin_error *err);

/**
 * Remove a label.
 *
 * @param ed   BORROWED for the call.
 * @param key  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_remove_label(kin_editor *ed, kin_str key, kin_error *err);

/**
 * Set an annotation.
 *
 * @param ed     BORROWED for the call.
 * @param key    COPIED.
 * @param value  COPIED.
 * @return 0, KIN_EINVAL, KIN_ETYPE, KIN_ELIMIT, KIN_ENOMEM, as for kin_editor_set_label().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_annotation(kin_editor *ed, kin_str key, kin_str value, kin_error *err);

/**
 * Remove an annotation.
 *
 * @param ed   BORROWED for the call.
 * @param key  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_remove_annotation(kin_editor *ed, kin_str key, kin_error *err);

/**
 * Add a finalizer, unless it is there.
 *
 * @param ed         BORROWED for the call.
 * @param finalizer  COPIED.
 * @return 0 (also if it was there), KIN_EINVAL (NULL, or not UTF-8), KIN_ETYPE (`metadata` is no
 *         map or its finalizers no array), KIN_ELIMIT (more than 1 GiB), KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_add_finalizer(kin_editor *ed, kin_str finalizer, kin_error *err);

/**
 * Remove a finalizer, as often as it is there. The array stays, if need be empty.
 *
 * @param ed         BORROWED for the call.
 * @param finalizer  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_remove_finalizer(kin_editor *ed, kin_str finalizer, kin_error *err);

/**
 * Make an owner the controller of the object: the one owner that manages it. The reference in
 * metadata.ownerReferences has `controller` and `blockOwnerDeletion` true. controller-runtime's
 * SetControllerReference(), but owners are the same if their uids are.
 *
 * A reference with the owner's uid is updated, others stay. If it is there already, nothing changes.
 * The object's namespace must be set before: an owner in a namespace owns objects of the same one
 * only, and an owner of the whole cluster owns any.
 *
 * @param ed     BORROWED for the call.
 * @param owner  with apiVersion, kind, name and uid; BORROWED for the call.
 * @return 0, KIN_EEXISTS (another owner is the controller), KIN_EINVAL (NULL; the owner lacks one of
 *         these, or it is in a namespace and the object in another one or in none), KIN_ETYPE (`metadata`
 *         is not a map or its owner references not an array), KIN_ELIMIT, KIN_ENOMEM.
 * @thread one at a time per editor
 */
KIN_API int kin_editor_set_controller(kin_editor *ed, const kin_object *owner, kin_error *err);

/**
 * Add an owner that does not control the object: the garbage collector deletes the object after its
 * last owner. controller-runtime's SetOwnerReference(), but a reference with the owner's uid keeps its
 * `controller` and `blockOwnerDeletion`.
 *
 * @param ed     BORROWED for the call.
 * @param owner  as for kin_editor_set_controller(); BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_ETYPE, KIN_ELIMIT, KIN_ENOMEM, as for kin_editor_set_controller().
 * @thread one at a time per editor
 */
KIN_API int kin_editor_add_owner(kin_editor *ed, const kin_object *owner, kin_error *err);

KIN_END_DECLS

#endif
