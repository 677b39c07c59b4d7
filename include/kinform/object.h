/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Objects: what flows through stores, queues and handlers.
 *
 * An object is immutable and reference-counted. Nobody changes one that others may see:
 * whoever wants another state makes another object. So there are no copies to be made, any
 * number of threads may read one, and `const` is meant.
 *
 * Most objects are documents: any Kubernetes object, read from JSON (kinform/json.h) or YAML,
 * in one compact block. kinform/value.h reads what is in them. Programs may also bring structs
 * of their own: put a kin_object first and give it a class.
 *
 * @code
 * struct backend {
 *     kin_object base;
 *     char key[64];
 *     int port;
 * };
 * static kin_str backend_key(const kin_object *o)
 * {
 *     return kin_str_of(((const struct backend *)o)->key);
 * }
 * static void backend_destroy(kin_object *o)
 * {
 *     free(o);
 * }
 * static const kin_object_class backend_class = {
 *     .size = sizeof(kin_object_class),
 *     .name = "backend",
 *     .key = backend_key,
 *     .destroy = backend_destroy,
 * };
 * @endcode
 */
#ifndef KINFORM_OBJECT_H
#define KINFORM_OBJECT_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** An object. The struct is public only to be put first into a caller's own. */
typedef struct kin_object kin_object;

/**
 * What the library has to know of a kind of object. Const data that lives as long as its objects.
 *
 * The functions are called from any thread, must be quick, must not block, take no lock that is held
 * while the library is called, and give the same answer for the object's whole life. What they return is BORROWED while the object lives.
 */
typedef struct kin_object_class {
    size_t size;      /**< sizeof(kin_object_class) */
    const char *name; /**< for logs: "backend" */
    /** The key, unique in a store; its bytes are followed by a zero byte. Mandatory. */
    kin_str (*key)(const kin_object *object);
    /** The namespace; NULL: what stands before the key's '/'. */
    kin_str (*get_namespace)(const kin_object *object);
    /** The name; NULL: what stands behind the key's '/'. */
    kin_str (*get_name)(const kin_object *object);
    /** The resource version; NULL: it has none. */
    kin_str (*resource_version)(const kin_object *object);
    /** Look up a label; false if there is none. NULL: it has none. */
    bool (*label)(const kin_object *object, kin_str key, kin_str *ret_value);
    /** Release the object; the last reference is gone. Mandatory. */
    void (*destroy)(kin_object *object);
    /**
     * A hash of all that must not change in the object's life, for kinform/mutation_detector.h; NULL:
     * key and resource version. Classes whose `size` ends before it have none.
     */
    uint64_t (*hash)(const kin_object *object);
    /**
     * What kin_object_kind(), kin_object_api_version(), kin_object_uid(), kin_object_annotation() and
     * kin_object_continue_token() return for objects of the class (kinform/metadata.h); each may be NULL: the object
     * lacks it. Reflectors check kind and apiVersion, end a streaming list at the bookmark with the annotation
     * "k8s.io/initial-events-end", and fetch the next page of a list that has a continue token. Mutation caches compare
     * uids. Classes whose `size` ends before a function do not have it.
     */
    kin_str (*kind)(const kin_object *object);
    kin_str (*api_version)(const kin_object *object); /**< "apps/v1" */
    kin_str (*uid)(const kin_object *object);         /**< metadata.uid */
    /** Look up an annotation; false if the object lacks it. */
    bool (*annotation)(const kin_object *object, kin_str key, kin_str *ret_value);
    kin_str (*continue_token)(const kin_object *object); /**< metadata.continue of a list */
} kin_object_class;

/** To be put first into a caller's struct, and set up with kin_object_init(). */
struct kin_object {
    const kin_object_class *object_class; /**< set by kin_object_init(); BORROWED */
    uint32_t refs;                        /**< private */
    uint32_t flags;                       /**< private */
};

/**
 * Make a caller's own struct an object, with one reference, the caller's.
 *
 * @param object        OWNED by its first reference: the first member of the caller's struct.
 * @param object_class  BORROWED as long as any object of it lives.
 * @return 0, KIN_EINVAL (NULL, or a mandatory function is missing).
 * @thread any, before others know the object
 */
KIN_API int kin_object_init(kin_object *object, const kin_object_class *object_class,
                            kin_error *err);

/**
 * Take another reference.
 *
 * @param object  may be NULL.
 * @return `object`, SHARED.
 * @thread any that holds a reference or borrows one
 */
KIN_API const kin_object *kin_object_ref(const kin_object *object);

/**
 * Give a reference back. The last one destroys the object, in this thread.
 *
 * @param object  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_object_unref(const kin_object *object);

/**
 * The class of an object.
 *
 * @param object  BORROWED for the call.
 * @return BORROWED while the object lives.
 * @thread any
 */
KIN_API const kin_object_class *kin_object_get_class(const kin_object *object);

/**
 * "namespace/name", or "name" if there is no namespace: what client-go's
 * DeletionHandlingMetaNamespaceKeyFunc says. A tombstone has the key of what was deleted.
 *
 * @param object  BORROWED for the call.
 * @return terminated; "" for a document with neither name nor namespace, "namespace/" if only the
 *         name is missing; a zero byte in a name, which no API server accepts, ends it; BORROWED while the object lives.
 * @thread any
 */
KIN_API const char *kin_object_key(const kin_object *object);

/**
 * The namespace, empty for an object of the whole cluster.
 *
 * @param object  BORROWED for the call.
 * @return BORROWED while the object lives.
 * @thread any
 */
KIN_API kin_str kin_object_namespace(const kin_object *object);

/**
 * The name.
 *
 * @param object  BORROWED for the call.
 * @return BORROWED while the object lives.
 * @thread any
 */
KIN_API kin_str kin_object_name(const kin_object *object);

/**
 * The resource version, empty if there is none. Compare two with kin_resource_version_compare().
 *
 * @param object  BORROWED for the call.
 * @return BORROWED while the object lives.
 * @thread any
 */
KIN_API kin_str kin_object_resource_version(const kin_object *object);

/**
 * The value of a label.
 *
 * @param object          BORROWED for the call.
 * @param[out] ret_value  BORROWED while the object lives; untouched if there is no such label.
 *                        May be NULL.
 * @return whether the object has the label.
 * @thread any
 */
KIN_API bool kin_object_label(const kin_object *object, kin_str key, kin_str *ret_value);

/**
 * A key that stands for an object: client-go's ExplicitKey. Its only property is its key.
 *
 * @param[out] ret  SHARED; release with kin_object_unref().
 * @param key       COPIED.
 * @return 0, KIN_EINVAL (NULL, or a zero byte in the key), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_explicit_key_new(const kin_object **ret, kin_str key, kin_error *err);

/**
 * A tombstone: an object was deleted and its deletion was not seen, so that its final state
 * is unknown. client-go's DeletedFinalStateUnknown.
 *
 * Its key, also if it differs from that of the last known state, is `key`. Namespace and name
 * are those of the key; resource version and labels those of the last known state.
 *
 * @param[out] ret    SHARED; release with kin_object_unref().
 * @param key         COPIED.
 * @param last_known  the last state that was seen, may be NULL; of a tombstone, its own last state.
 *                    SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, or a zero byte in the key), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_tombstone_new(const kin_object **ret, kin_str key, const kin_object *last_known,
                              kin_error *err);

/**
 * Whether an object is a tombstone.
 *
 * @param object          BORROWED for the call.
 * @param[out] ret_last   the last known state or NULL, BORROWED while the tombstone lives;
 *                        untouched if it is none. May be NULL.
 * @thread any
 */
KIN_API bool kin_object_is_tombstone(const kin_object *object, const kin_object **ret_last);

/**
 * The key of an object as client-go's MetaNamespaceKeyFunc has it, which refuses tombstones.
 *
 * @param[out] ret  terminated; BORROWED while the object lives.
 * @param object    BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ETYPE (a tombstone).
 * @thread any
 */
KIN_API int kin_meta_namespace_key(const char **ret, const kin_object *object, kin_error *err);

KIN_END_DECLS

#endif
