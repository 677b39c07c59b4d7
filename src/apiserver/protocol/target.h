/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request is about, as far as logs, rules for faults and refusals need to know: read from the
 * path as it was sent. It never fails and allocates nothing, so that it can be said of any request,
 * also of one that makes no sense. What the API does is decided by request_info.h alone.
 */
#ifndef KIN_APISERVER_PROTOCOL_TARGET_H
#define KIN_APISERVER_PROTOCOL_TARGET_H

#include <stdbool.h>

#include "kinform/common.h"

/* All are BORROWED from the request, still percent-encoded. */
typedef struct kin__target {
    const char *verb; /* static: "list", "watch", …; of what is no resource the method: "get" */
    bool is_resource;
    bool is_watch_path; /* deprecated: /api/v1/watch/pods */
    kin_str group;      /* "" core */
    kin_str namespace_;
    kin_str resource;
    kin_str name;
    kin_str subresource;
} kin__target;

void kin__target_read(kin__target *ret, kin_str method, kin_str path, kin_str query);

/* Whether a request can have it. */
bool kin__target_has_verb(const char *verb);

/* The value of the first `name` of a query, as sent; false: it is not there. */
bool kin__query_find(kin_str query, kin_str name, kin_str *ret);

/* Whether all of the text matches: `*` is any number of characters, slashes too, `?` is one. */
bool kin__glob_match(kin_str pattern, kin_str text);

#endif
