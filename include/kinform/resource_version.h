/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Resource versions: which of two states of a resource is the newer one.
 *
 * A resource version is a positive integer in decimal digits, of any length. Comparing two makes
 * sense only if they are of the same resource of the same cluster.
 */
#ifndef KINFORM_RESOURCE_VERSION_H
#define KINFORM_RESOURCE_VERSION_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/**
 * Whether a text is a resource version that can be compared.
 *
 * Refused are: "" and everything that begins with '0', also "0" itself, which is no version but
 * asks a server for any (`err->offset` 0); and all that holds anything but digits, signs and
 * spaces included (`err->offset` is the first such byte).
 *
 * @return 0, KIN_EPARSE.
 * @thread any
 */
KIN_API int kin_resource_version_validate(kin_str version, kin_error *err);

/**
 * Compare two resource versions: apimachinery's CompareResourceVersion().
 *
 * @param[out] ret  -1 if `a` is the older one, 0 if they are the same, 1 if `a` is the newer one.
 * @return 0, KIN_EINVAL (`ret` is NULL),
 *         KIN_EPARSE: kin_resource_version_validate() refuses one of them, and `err->offset` is a
 *         byte of that one. The message tells which; if both are wrong, `a`.
 * @thread any
 */
KIN_API int kin_resource_version_compare(int *ret, kin_str a, kin_str b, kin_error *err);

KIN_END_DECLS

#endif
