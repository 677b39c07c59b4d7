/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request asks for: path and query read, nothing looked up. Pure; fuzzed.
 */
#ifndef KIN_APISERVER_REQUEST_INFO_H
#define KIN_APISERVER_REQUEST_INFO_H

#include "apiserver/failure.h"

enum kin__verb {
    KIN__VERB_GET, KIN__VERB_LIST, KIN__VERB_WATCH, KIN__VERB_CREATE, KIN__VERB_UPDATE, KIN__VERB_PATCH,
    KIN__VERB_DELETE, KIN__VERB_DELETE_COLLECTION,
    KIN__VERB_OTHER /* of a resource, but no method that resources have: 405 */
};

/* metav1.ListOptions, and of the other options what stands in a query. */
typedef struct kin__query_options {
    kin_str label_selector, field_selector;
    kin_str resource_version;       /* as sent */
    kin_str resource_version_match; /* "", "Exact", "NotOlderThan" */
    kin_str continue_token;
    uint64_t limit;
    int64_t timeout_seconds; /* 0: not set */
    bool watch, allow_bookmarks;
    bool send_initial_events, has_send_initial_events;
    bool dry_run;
    kin_str field_manager, field_validation; /* "", "Ignore", "Warn", "Strict" */
    bool force;
    /* DeleteOptions in the query, as old clients send them */
    kin_str propagation_policy;
    int64_t grace_period_seconds; bool has_grace_period;
    bool pretty;
} kin__query_options;

typedef struct kin__request_info {
    bool is_resource;   /* else: discovery, health, … by `path` */
    enum kin__verb verb;
    kin_str group;      /* "" core */
    kin_str version;
    kin_str namespace_; /* "" none */
    kin_str resource;
    kin_str name;
    kin_str subresource; /* "status"; "" none */
    kin_str path;        /* decoded and without a slash at its end */
    kin__query_options options;
    kin__buf text; /* the decoded strings live here */
} kin__request_info;

/* False: *failure says what is wrong (400, 404). Release with _done in either case. */
bool kin__request_info_read(kin__request_info *ret, const kin__request *request, kin__failure *failure);
void kin__request_info_done(kin__request_info *info);

/* What the Accept header wants of an object or list. */
enum kin__form { KIN__FORM_FULL, KIN__FORM_METADATA, KIN__FORM_TABLE };
enum kin__form_version { KIN__FORM_V1, KIN__FORM_V1BETA1 };
/* False: 406. Table is not served yet: falls through to the next that the client accepts. */
bool kin__accept_read(kin_str accept, enum kin__form *ret, kin__failure *failure);

#endif
