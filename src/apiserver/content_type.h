/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Content-Type header: what a body is. Pure.
 */
#ifndef KIN_APISERVER_CONTENT_TYPE_H
#define KIN_APISERVER_CONTENT_TYPE_H

#include "apiserver/failure.h"

enum kin__body_form {
    KIN__BODY_JSON,
    KIN__BODY_YAML,
    KIN__BODY_JSON_PATCH,
    KIN__BODY_MERGE_PATCH,
    KIN__BODY_STRATEGIC_PATCH, /* not of custom resources */
    KIN__BODY_APPLY            /* server-side apply, in YAML or JSON */
};

/*
 * What is known is told, also if it is not served yet. Without a header an object is JSON; a patch
 * needs one. Parameters do not count. False: 415, in the real server's words.
 */
bool kin__content_type_read(kin_str content_type, const kin__kind *kind, enum kin__verb verb,
                            enum kin__body_form *ret, kin__failure *failure);

#endif
