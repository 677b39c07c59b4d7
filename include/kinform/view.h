/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Views: one version of a store, held over many calls.
 *
 * A view shows the store as it was when the view was made, however long that takes and whatever is
 * written meanwhile. It blocks nobody. What it costs is memory: states that it shows and that were
 * replaced or deleted since stay until it is freed, one per key at most.
 *
 * @code
 * kin_view *view = NULL;
 * const kin_object *pod;
 * if (kin_view_new(&view, store, &err) < 0)
 *     return report(&err);
 * while (kin_view_next(view, NULL, &pod))
 *     puts(kin_object_key(pod));
 * kin_view_free(view);
 * @endcode
 */
#ifndef KINFORM_VIEW_H
#define KINFORM_VIEW_H

#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A version of a store. One owner, one thread at a time. */
typedef struct kin_view kin_view;

/**
 * Hold the store's current version.
 *
 * @param[out] ret  OWNED; release with kin_view_free().
 * @param store     SHARED: a reference is taken.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_view_new(kin_view **ret, kin_store *store, kin_error *err);

/**
 * Let the version go.
 *
 * @param view  may be NULL.
 * @thread any
 */
KIN_API void kin_view_free(kin_view *view);

/**
 * The number of objects in the view.
 *
 * @param view  BORROWED for the call.
 * @thread one at a time per view
 */
KIN_API size_t kin_view_len(const kin_view *view);

/**
 * The resource version that the store had: of the last write, list or bookmark.
 *
 * @param view  BORROWED for the call.
 * @return terminated; BORROWED while the view lives.
 * @thread one at a time per view
 */
KIN_API const char *kin_view_resource_version(const kin_view *view);

/**
 * Find the object under a key.
 *
 * @param view      BORROWED for the call.
 * @param[out] ret  BORROWED while the view lives. May be NULL: only look.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL, KIN_EFORKED.
 * @thread one at a time per view
 */
KIN_API int kin_view_get(kin_view *view, const kin_object **ret, kin_str key, kin_error *err);

/**
 * The next object, in no particular order but in the same each time the view is gone through.
 *
 * @param view            BORROWED for the call.
 * @param[out] ret_key    BORROWED while the view lives. May be NULL.
 * @param[out] ret        BORROWED while the view lives. May be NULL.
 * @return false at the end; the next call begins anew.
 * @thread one at a time per view
 */
KIN_API bool kin_view_next(kin_view *view, kin_str *ret_key, const kin_object **ret);

/**
 * Begin the going through anew.
 *
 * @param view  BORROWED for the call.
 * @thread one at a time per view
 */
KIN_API void kin_view_rewind(kin_view *view);

/**
 * The objects that an index had under a value. An index that was added after the view was made is
 * not there.
 *
 * @param view      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_ENOTFOUND (there is no such index), KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread one at a time per view
 */
KIN_API int kin_view_by_index(kin_view *view, kin_object_list *ret, kin_str index, kin_str value,
                              kin_error *err);

KIN_END_DECLS

#endif
