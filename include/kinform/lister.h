/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Listers: the objects of a store by label selector and namespace, and one by its name.
 *
 * What client-go has as ListAll, ListAllByNamespace and GenericLister. Each call sees one version of
 * the store. Namespaces are looked up in the index KIN_NAMESPACE_INDEX (kin_namespace_index()); a store
 * that has no index of that name is gone through as a whole, which it logs the first time.
 *
 * @code
 * kin_lister *pods = NULL;
 * const kin_object *pod = NULL;
 * if (kin_lister_new(&pods, store, "pods", &err) < 0 ||
 *     kin_lister_get(pods, &pod, kin_str_of("default"), kin_str_of("web-0"), &err) < 0)
 *     puts(err.message); // pods "web-0" not found
 * @endcode
 */
#ifndef KINFORM_LISTER_H
#define KINFORM_LISTER_H

#include <kinform/selector.h>
#include <kinform/store.h>

KIN_BEGIN_DECLS

/**
 * The objects that a selector matches, in no particular order: client-go's ListAll.
 *
 * A selector without requirements looks at no label; one that matches nothing looks at no object.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @param selector  BORROWED for the call; NULL matches everything.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_list_all(kin_store *store, kin_object_list *ret, const kin_label_selector *selector,
                         kin_error *err);

/**
 * Those of one namespace: client-go's ListAllByNamespace.
 *
 * @param store       BORROWED for the call.
 * @param[out] ret    OWNED; release with kin_object_list_done().
 * @param namespace_  BORROWED for the call; empty for all namespaces.
 * @param selector    BORROWED for the call; NULL matches everything.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_list_all_by_namespace(kin_store *store, kin_object_list *ret, kin_str namespace_,
                                      const kin_label_selector *selector, kin_error *err);

/**
 * Visit the objects that a selector matches, as kin_store_each() does.
 *
 * @param store     BORROWED for the call.
 * @param selector  BORROWED for the call; NULL matches everything.
 * @param visit     called for each; BORROWED for the call.
 * @param arg       BORROWED for the call.
 * @return 0, what the visitor returned, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_visit_all(kin_store *store, const kin_label_selector *selector, kin_visit_fn *visit,
                          void *arg, kin_error *err);

/**
 * Visit those of one namespace.
 *
 * @param store       BORROWED for the call.
 * @param namespace_  BORROWED for the call; empty for all namespaces.
 * @param selector    BORROWED for the call; NULL matches everything.
 * @param visit       called for each; BORROWED for the call.
 * @param arg         BORROWED for the call.
 * @return 0, what the visitor returned, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_visit_all_by_namespace(kin_store *store, kin_str namespace_,
                                       const kin_label_selector *selector, kin_visit_fn *visit,
                                       void *arg, kin_error *err);

/** The objects of one resource: client-go's GenericLister. One owner, any number of threads. */
typedef struct kin_lister kin_lister;

/**
 * Make a lister.
 *
 * @param[out] ret  OWNED; release with kin_lister_free().
 * @param store     SHARED: a reference is taken. Its keys are those of kin_object_key().
 * @param resource  as errors name it: "pods", or with its group "deployments.apps". COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_lister_new(kin_lister **ret, kin_store *store, const char *resource,
                           kin_error *err);

/**
 * Free a lister; nobody may be using it.
 *
 * @param lister  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_lister_free(kin_lister *lister);

/**
 * The objects of a namespace that a selector matches: GenericNamespaceLister's List.
 *
 * @param[out] ret    OWNED; release with kin_object_list_done().
 * @param namespace_  BORROWED for the call; empty for all namespaces.
 * @param selector    BORROWED for the call; NULL matches everything.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_lister_list(kin_lister *lister, kin_object_list *ret, kin_str namespace_,
                            const kin_label_selector *selector, kin_error *err);

/**
 * Visit them.
 *
 * @param namespace_  BORROWED for the call; empty for all namespaces.
 * @param selector    BORROWED for the call; NULL matches everything.
 * @param visit       called for each; BORROWED for the call.
 * @param arg         BORROWED for the call.
 * @return 0, what the visitor returned, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_lister_each(kin_lister *lister, kin_str namespace_,
                            const kin_label_selector *selector, kin_visit_fn *visit, void *arg,
                            kin_error *err);

/**
 * Find an object by its name: GenericNamespaceLister's Get.
 *
 * @param[out] ret    SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param namespace_  BORROWED for the call; empty for an object of the whole cluster.
 * @param name        BORROWED for the call.
 * @return 0, KIN_EINVAL (`lister` is NULL), KIN_ENOMEM, KIN_EFORKED,
 *         KIN_ENOTFOUND: the error is the one that an API server would give, with status 404, the reason
 *         "NotFound" and the message `pods "web-0" not found`.
 * @thread any
 */
KIN_API int kin_lister_get(kin_lister *lister, const kin_object **ret, kin_str namespace_,
                           kin_str name, kin_error *err);

/**
 * The objects that an index has under a value: kin_store_by_index().
 *
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @param index     its name. BORROWED for the call.
 * @param value     BORROWED for the call.
 * @return 0 (also if there are none), KIN_EINVAL, KIN_ENOTFOUND (no such index), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_lister_by_index(kin_lister *lister, kin_object_list *ret, kin_str index,
                                kin_str value, kin_error *err);

/**
 * The store that it looks into.
 *
 * @param lister  BORROWED for the call; may be NULL.
 * @return BORROWED while the lister lives; NULL of no lister.
 * @thread any
 */
KIN_API kin_store *kin_lister_store(const kin_lister *lister);

KIN_END_DECLS

#endif
