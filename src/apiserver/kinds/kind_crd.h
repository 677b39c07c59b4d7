/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of CustomResourceDefinitions.
 */
#ifndef KIN_APISERVER_KINDS_KIND_CRD_H
#define KIN_APISERVER_KINDS_KIND_CRD_H

#include "apiserver/kinds/failure.h"
#include "apiserver/kinds/kind.h"

/*
 * The kind that a CustomResourceDefinition describes, its names those that are asked for. What the
 * real server's validation refuses is refused (422 with causes), but schemas are kept and not
 * looked into. The metadata is not judged beyond its name: kin__validate_create() does that. `crd`
 * BORROWED; *ret is SHARED.
 */
bool kin__kind_from_crd(const kin__kind **ret, const kin_object *crd, kin__failure *failure);
/*
 * The same for a change of one: also what must not change. `is_established`: `old` is served, so
 * its scope and kind stay as they are.
 */
bool kin__kind_from_changed_crd(const kin__kind **ret, const kin_object *crd, const kin_object *old,
                                bool is_established, kin__failure *failure);

/* Of kin__kind_unref(): the last reference is gone. */
void kin__kind_crd_free(kin__kind *kind);

#endif
