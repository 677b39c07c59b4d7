/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Projections: which parts of an object to keep while it is decoded.
 *
 * What is not kept is read, checked and forgotten; it never takes memory. What an object is known
 * by stays in any case: apiVersion, kind, and of its metadata name, namespace, uid and
 * resourceVersion.
 */
#ifndef KINFORM_PROJECTION_H
#define KINFORM_PROJECTION_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** A set of paths. Immutable and shared. */
typedef struct kin_projection kin_projection;

/**
 * Keep only these paths: "metadata,spec.nodeName,status.phase".
 *
 * Paths are separated by commas, without blanks, and written as kinform/path.h has them. A path
 * keeps everything below it. `[*]` stands for every item of an array and `*` for every member of a
 * map; an index is not possible: "spec.containers[*].image". A member that some path names goes by
 * that path alone, not by a `*` beside it. Where a path goes on, a map or array is kept even if
 * nothing in it is, and a scalar is not.
 *
 * @param[out] ret  SHARED; release with kin_projection_unref().
 * @param paths     COPIED.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset says where), KIN_ELIMIT (too many or too
 *         long), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_projection_keep(const kin_projection **ret, kin_str paths, kin_error *err);

/**
 * Keep everything but these paths: "metadata.managedFields".
 *
 * @param[out] ret  SHARED; release with kin_projection_unref().
 * @param paths     COPIED; as for kin_projection_keep().
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset says where), KIN_ELIMIT (too many or too
 *         long), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_projection_drop(const kin_projection **ret, kin_str paths, kin_error *err);

/**
 * Keep apiVersion, kind and metadata: what Kubernetes calls PartialObjectMetadata.
 *
 * @param[out] ret  SHARED; release with kin_projection_unref().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_projection_metadata_only(const kin_projection **ret, kin_error *err);

/**
 * Take another reference.
 *
 * @param projection  may be NULL.
 * @return `projection`, SHARED.
 * @thread any
 */
KIN_API const kin_projection *kin_projection_ref(const kin_projection *projection);

/**
 * Give a reference back.
 *
 * @param projection  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_projection_unref(const kin_projection *projection);

KIN_END_DECLS

#endif
