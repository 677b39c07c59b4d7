/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Owners: the objects of a store that belong to another object, by their metadata.ownerReferences.
 *
 * @code
 * kin_index by_owner = KIN_INDEX_INIT(KIN_OWNER_INDEX, kin_owner_index);
 * kin_object_list pods = KIN_OBJECT_LIST_INIT;
 *
 * kin_informer_add_index(informer, &by_owner, &err);
 * ...
 * if (kin_list_children(kin_informer_store(informer), &pods, replica_set, true, &err) == 0)
 *     printf("%zu pods\n", pods.len);
 * kin_object_list_done(&pods);
 * @endcode
 *
 * Owner and children are mostly in two stores, of two informers. They may be of different times: a
 * child may be there before its owner is, and after.
 */
#ifndef KINFORM_OWNER_H
#define KINFORM_OWNER_H

#include <kinform/store.h>

KIN_BEGIN_DECLS

/** The name under which kin_list_children() looks for the index of owners. */
#define KIN_OWNER_INDEX "owner"

/**
 * The index function of owners: an object is found under the uid of each. What is left of objects
 * that are kept as keys only has no owners.
 *
 * @param object  BORROWED for the call.
 * @param values  BORROWED for the call.
 * @param arg     BORROWED for the call; not used.
 * @return 0, KIN_EINVAL (NULL), KIN_ELIMIT, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_owner_index(const kin_object *object, kin_index_values *values, void *arg,
                            kin_error *err);

/**
 * The objects that belong to an owner, in no particular order. They are looked up in the index
 * KIN_OWNER_INDEX; a store that has none is gone through as a whole, which it logs the first time.
 *
 * @param store            BORROWED for the call.
 * @param[out] ret         OWNED; release with kin_object_list_done().
 * @param owner            BORROWED for the call; from any store, or a tombstone.
 * @param controlled_only  leave those out that it owns, but does not manage.
 * @return 0 (also if there are none), KIN_EINVAL (NULL, or the owner has no uid), KIN_ENOMEM,
 *         KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_list_children(kin_store *store, kin_object_list *ret, const kin_object *owner,
                              bool controlled_only, kin_error *err);

KIN_END_DECLS

#endif
