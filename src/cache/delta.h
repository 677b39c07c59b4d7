/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of deltas that concern more than one object, or none. Their key is empty.
 */
#ifndef KIN_CACHE_DELTA_H
#define KIN_CACHE_DELTA_H

#include "kinform/delta.h"

/*
 * Of a REPLACED_ALL. CONSUMES the array, which is of kin__malloc() and may be NULL if `n` is 0, and the
 * references in it. `keeps`: what it lacks stays. 0 or KIN_ENOMEM.
 */
int kin__delta_list_new(const kin_object **ret, const kin_object **items, size_t n,
                        kin_str resource_version, bool keeps, kin_error *err);

/* Of a BOOKMARK. 0 or KIN_ENOMEM. */
int kin__delta_bookmark_new(const kin_object **ret, kin_str resource_version, kin_error *err);

/* Of a SYNC_ALL. 0 or KIN_ENOMEM. */
int kin__delta_sync_all_new(const kin_object **ret, kin_error *err);

#endif
