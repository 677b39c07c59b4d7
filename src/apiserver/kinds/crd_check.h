/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a CustomResourceDefinition is one; and reading it.
 */
#ifndef KIN_APISERVER_KINDS_CRD_CHECK_H
#define KIN_APISERVER_KINDS_CRD_CHECK_H

#include "apiserver/kinds/failure.h"
#include "apiserver/kinds/member_types.h"

/* Whether what is read of one has its types; schemas are not looked into. Else 400. */
bool kin__crd_check_types(const kin__decoding *decoding, const kin_object *crd);

/*
 * Of a new one, or of a change. Adds causes to a failure that was begun. Members of a wrong type
 * count as missing.
 */
void kin__crd_check(const kin_object *crd, kin__failure *failure);
void kin__crd_check_change(const kin_object *crd, const kin_object *old, bool is_established,
                           kin__failure *failure);

/* A member's text; empty if there is none. BORROWED from the object and the scratch. */
kin_str kin__crd_text(kin_value map, const char *name, kin_scratch *scratch);
bool kin__crd_flag(kin_value map, const char *name);
/* spec.names.singular and listKind, also where they are not given: false if they do not fit. */
bool kin__crd_singular(kin_value names, char *ret, size_t size);
bool kin__crd_list_kind(kin_value names, char *ret, size_t size);

#endif
