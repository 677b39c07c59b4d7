/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request asks for: path and query read, nothing looked up. Pure; fuzzed.
 */
#ifndef KIN_APISERVER_PROTOCOL_REQUEST_INFO_H
#define KIN_APISERVER_PROTOCOL_REQUEST_INFO_H

#include "apiserver/kinds/failure.h"
#include "apiserver/kinds/kind.h"
#include "apiserver/protocol/reply.h"
#include "kinform/selector.h"

/* Bytes of a path and of a query, as sent; more is 414. */
#define KIN__PATH_MAX 8192
#define KIN__QUERY_MAX 262144

/* metav1.DeleteOptions. They stand in the body, or in the query if there is no body. */
typedef struct kin__delete_options {
    kin_str propagation_policy; /* "Background", "Foreground", "Orphan" */
    bool has_propagation_policy;
    bool orphan_dependents, has_orphan_dependents; /* what there was before the policy */
    int64_t grace_period_seconds;
    bool has_grace_period;
    bool dry_run;
    kin_str uid;              /* preconditions; "" none */
    kin_str resource_version; /* the same */
} kin__delete_options;

/*
 * metav1.ListOptions, and of the other options what stands in a query. Only what belongs to the
 * verb was read: a limit of a get, for instance, is ignored, whatever it is.
 */
typedef struct kin__query_options {
    /* Of lists, watches and deletions of collections; NULL otherwise. SHARED with the info. */
    const kin_label_selector *labels;
    const kin_field_selector *fields;
    kin_str resource_version; /* as sent; also of a get */
    /*
     * "", "Exact", "NotOlderThan". A watch without it from no version or from "0" has
     * "NotOlderThan" and send_initial_events set, as in the real server.
     */
    kin_str resource_version_match;
    kin_str continue_token;
    uint64_t limit;          /* 0: none */
    int64_t timeout_seconds; /* 0: not set; negative: it is over at once */
    bool watch, allow_bookmarks;
    bool send_initial_events, has_send_initial_events;
    bool dry_run;
    kin_str field_manager, field_validation; /* "", "Ignore", "Warn", "Strict" */
    bool force, has_force;
    kin__delete_options deletion; /* not judged yet: see kin__delete_options_check() */
    bool pretty;                  /* asked for, or the client is one that people use */
} kin__query_options;

typedef struct kin__request_info {
    bool is_resource; /* else: discovery, health, … by `path` */
    /*
     * HEAD: as GET, without the body; resources have none of it, as in the real server:
     * KIN__VERB_OTHER
     */
    bool is_head;
    /* Deprecated: /api/v1/watch/pods. A name in it becomes a selector of fields. */
    bool is_watch_path;
    enum kin__verb verb;
    kin_str group; /* "" core */
    kin_str version;
    kin_str namespace_; /* "" none; also of "namespaces" and its subresources, which have a name */
    kin_str resource;
    kin_str name;
    kin_str subresource; /* "status"; "" none */
    kin_str path;        /* decoded and without a slash at its end; "" is the root */
    kin__query_options options;
    char *text; /* OWNED: the decoded strings live here */
} kin__request_info;

/*
 * False: *failure says what is wrong (400, 404, 405, 414, 422). `request` BORROWED for the call.
 * Release with _done in either case.
 */
bool kin__request_info_read(kin__request_info *ret, const kin__request *request,
                            kin__failure *failure);
void kin__request_info_done(kin__request_info *info);

/*
 * Whether the kind that was found has what the request asks for: a path in a namespace or not, the
 * version, the subresource (404), the verb (405). *ret_version and *ret_subresource (NULL: none)
 * are BORROWED from the kind.
 */
bool kin__request_info_check(const kin__request_info *info, const kin__kind *kind,
                             const kin__kind_version **ret_version,
                             const kin__subresource **ret_subresource, kin__failure *failure);

/*
 * DeleteOptions of a body, in place of those of the query. Strings are BORROWED from `body` and
 * `scratch`, an array of 3. False: 400.
 */
bool kin__delete_options_read(kin__delete_options *ret, const kin_object *body,
                              kin_scratch *scratch, kin__failure *failure);
/* False: 422 with causes. */
bool kin__delete_options_check(const kin__delete_options *options, kin__failure *failure);
/*
 * A version of a query, or of an object that is to be updated; "" is 0. False: what the real server
 * says of malformed ones, which depends on the verb: 400 of lists, 500 of all else.
 */
bool kin__resource_version_read(kin_str text, enum kin__verb verb, uint64_t *ret,
                                kin__failure *failure);
/*
 * Of a patch, whose content type is known only now: `force` is for server-side apply alone, which
 * needs a field manager. False: 422.
 */
bool kin__patch_options_check(const kin__query_options *options, bool is_apply,
                              kin__failure *failure);

#endif
