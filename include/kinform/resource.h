/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Resources: what an API server has, as it is asked for: group, version and the plural that stands
 * in paths.
 *
 * A resource comes from discovery (kin_client_resolve()), which knows short names and custom ones,
 * or is spelled out with kin_resource_new(), which asks nobody.
 */
#ifndef KINFORM_RESOURCE_H
#define KINFORM_RESOURCE_H

#include <stdbool.h>

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** One kind of objects of a server. Const, SHARED. */
typedef struct kin_resource kin_resource;

/** A resource spelled out. All is COPIED. Start with KIN_RESOURCE_SPEC_INIT. */
typedef struct kin_resource_spec {
    size_t size;          /**< sizeof(kin_resource_spec); set by KIN_RESOURCE_SPEC_INIT */
    const char *group;    /**< "apps"; NULL or "" for the core group */
    const char *version;  /**< "v1" */
    const char *resource; /**< the plural in paths: "deployments" */
    const char *kind;     /**< "Deployment"; may be NULL where nobody asks for it */
    bool cluster_wide;    /**< its objects are in no namespace */
} kin_resource_spec;

/* clang-format off */
/** An empty kin_resource_spec. */
#define KIN_RESOURCE_SPEC_INIT {sizeof(kin_resource_spec), NULL, NULL, NULL, NULL, false}
/* clang-format on */

/**
 * Make a resource without asking a server.
 *
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_resource_unref().
 * @param spec      COPIED.
 * @return 0, KIN_EINVAL (NULL, no version or resource, or a part that cannot stand in a path),
 *         KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_resource_new(kin_resource **ret, const kin_resource_spec *spec, kin_error *err);

/**
 * One reference more.
 *
 * @param resource  SHARED; may be NULL.
 * @return SHARED, `resource`.
 * @thread any
 */
KIN_API kin_resource *kin_resource_ref(kin_resource *resource);

/**
 * One reference less; the last one frees it.
 *
 * @param resource  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_resource_unref(kin_resource *resource);

/**
 * The group: "apps", "" for the core group.
 *
 * @param resource  BORROWED for the call.
 * @return BORROWED until the resource is gone.
 * @thread any
 */
KIN_API const char *kin_resource_group(const kin_resource *resource);

/**
 * The version: "v1".
 *
 * @param resource  BORROWED for the call.
 * @return BORROWED until the resource is gone.
 * @thread any
 */
KIN_API const char *kin_resource_version(const kin_resource *resource);

/**
 * The plural in paths: "deployments".
 *
 * @param resource  BORROWED for the call.
 * @return BORROWED until the resource is gone.
 * @thread any
 */
KIN_API const char *kin_resource_name(const kin_resource *resource);

/**
 * The kind of its objects: "Deployment"; "" if nobody said.
 *
 * @param resource  BORROWED for the call.
 * @return BORROWED until the resource is gone.
 * @thread any
 */
KIN_API const char *kin_resource_kind(const kin_resource *resource);

/**
 * The apiVersion of its objects: "apps/v1", "v1".
 *
 * @param resource  BORROWED for the call.
 * @return BORROWED until the resource is gone.
 * @thread any
 */
KIN_API const char *kin_resource_api_version(const kin_resource *resource);

/**
 * Whether its objects are in namespaces.
 *
 * @param resource  BORROWED for the call.
 * @return whether they are.
 * @thread any
 */
KIN_API bool kin_resource_is_namespaced(const kin_resource *resource);

/**
 * Whether the server offers a verb for it ("watch"). Of a resource that was spelled out nothing is
 * known, and the answer is yes.
 *
 * @param resource  BORROWED for the call.
 * @param verb      COPIED.
 * @return whether it does.
 * @thread any
 */
KIN_API bool kin_resource_has_verb(const kin_resource *resource, const char *verb);

KIN_END_DECLS

#endif
