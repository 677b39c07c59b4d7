/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file The metadata of a document, by name: quicker than a path, and with the types they have.
 *
 * Name, namespace, resource version and labels are in kinform/object.h, since objects of any class
 * can have them. Missing fields of a document are KIN_ENOTFOUND, or empty. For objects of another class, kind,
 * apiVersion, uid, annotation and continue token come from the functions of the class; the rest is KIN_ENOTFOUND, or
 * empty. A tombstone answers with its last known state.
 */
#ifndef KINFORM_METADATA_H
#define KINFORM_METADATA_H

#include <kinform/value.h>

KIN_BEGIN_DECLS

/**
 * The group and version: "apps/v1". Empty if there is none.
 *
 * @param object   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @return BORROWED while the object lives and the scratch is not used again.
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_object_api_version(const kin_object *object, kin_scratch *scratch);

/**
 * The kind: "Deployment". Empty if there is none.
 *
 * @param object   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @return BORROWED while the object lives and the scratch is not used again.
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_object_kind(const kin_object *object, kin_scratch *scratch);

/**
 * metadata.uid. Empty if there is none.
 *
 * @param object   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @return BORROWED while the object lives and the scratch is not used again.
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_object_uid(const kin_object *object, kin_scratch *scratch);

/**
 * metadata.continue of a list: the token of its next page. Empty for the last page.
 *
 * @param list     BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @return BORROWED while the list lives and the scratch is not used again.
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_object_continue_token(const kin_object *list, kin_scratch *scratch);

/**
 * metadata.generateName. Empty if there is none.
 *
 * @param object   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @return BORROWED while the object lives and the scratch is not used again.
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_object_generate_name(const kin_object *object, kin_scratch *scratch);

/**
 * metadata.generation: how often the desired state was changed.
 *
 * @param object  BORROWED for the call.
 * @return 0 if there is none.
 * @thread any
 */
KIN_API int64_t kin_object_generation(const kin_object *object);

/**
 * metadata.creationTimestamp.
 *
 * @param[out] ret  untouched on failure.
 * @param object    BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a string: null, for instance),
 *         KIN_EPARSE (not a timestamp).
 * @thread any
 */
KIN_API int kin_object_creation_timestamp(kin_time *ret, const kin_object *object);

/**
 * metadata.deletionTimestamp: set once the object is to be deleted and waits for its finalizers.
 *
 * @param[out] ret  untouched on failure; may be NULL.
 * @param object    BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (not being deleted), KIN_ETYPE, KIN_EPARSE.
 * @thread any
 */
KIN_API int kin_object_deletion_timestamp(kin_time *ret, const kin_object *object);

/**
 * metadata.labels, to iterate over. One label: kin_object_label().
 *
 * @param object  BORROWED while the value is used.
 * @thread any
 */
KIN_API kin_value kin_object_labels(const kin_object *object);

/**
 * metadata.annotations, to iterate over.
 *
 * @param object  BORROWED while the value is used.
 * @thread any
 */
KIN_API kin_value kin_object_annotations(const kin_object *object);

/**
 * The value of an annotation.
 *
 * @param[out] ret  BORROWED while the object lives and the scratch is not used again.
 * @param object    BORROWED while the result is used.
 * @param scratch   BORROWED as for kin_value_string().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a string).
 * @thread any, one at a time per scratch
 */
KIN_API int kin_object_annotation(kin_str *ret, const kin_object *object, kin_str key,
                                  kin_scratch *scratch);

/**
 * metadata.finalizers, to iterate over.
 *
 * @param object  BORROWED while the value is used.
 * @thread any
 */
KIN_API kin_value kin_object_finalizers(const kin_object *object);

/**
 * Whether a finalizer is set.
 *
 * @param object  BORROWED for the call.
 * @thread any
 */
KIN_API bool kin_object_has_finalizer(const kin_object *object, kin_str name);

/**
 * metadata.ownerReferences, to iterate over; see kin_owner_reference_get().
 *
 * @param object  BORROWED while the value is used.
 * @thread any
 */
KIN_API kin_value kin_object_owner_references(const kin_object *object);

/**
 * An item of metadata.ownerReferences. What is not there is empty or false. Do not copy the struct:
 * some of its strings are in itself.
 */
typedef struct kin_owner_reference {
    kin_str api_version;       /**< BORROWED while the object and this struct live */
    kin_str kind;              /**< the same */
    kin_str name;              /**< the same */
    kin_str uid;               /**< the same */
    bool controller;           /**< the owner manages the object */
    bool block_owner_deletion; /**< a foreground deletion of the owner waits for the object */
    kin_scratch scratch[4];    /**< private */
} kin_owner_reference;

/**
 * Read an item of kin_object_owner_references().
 *
 * @param[out] ret  the caller's; its strings are BORROWED while the object lives, some are in the
 *                  struct itself.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (KIN_NONE), KIN_ETYPE (not a map).
 * @thread any
 */
KIN_API int kin_owner_reference_get(kin_owner_reference *ret, kin_value reference);

/**
 * The owner whose `controller` is true: client-go's GetControllerOf().
 *
 * @param[out] ret  as for kin_owner_reference_get(); untouched on failure.
 * @param object    BORROWED while the result is used.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (none).
 * @thread any
 */
KIN_API int kin_object_controller(kin_owner_reference *ret, const kin_object *object);

KIN_END_DECLS

#endif
