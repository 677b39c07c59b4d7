/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What is asked of a Kubernetes API server: verbs, and the details of a request.
 */
#ifndef KINFORM_CLIENT_H
#define KINFORM_CLIENT_H

#include <kinform/config.h>
#include <kinform/json.h>
#include <kinform/object.h>
#include <kinform/resource.h>

KIN_BEGIN_DECLS

/** What is asked of a server. */
enum kin_verb {
    KIN_VERB_GET = 1,              /**< one object */
    KIN_VERB_LIST = 2,             /**< all that match, or a page of them */
    KIN_VERB_WATCH = 3,            /**< changes, until the server or the caller ends it */
    KIN_VERB_CREATE = 4,           /**< a new object */
    KIN_VERB_UPDATE = 5,           /**< another state of one that is there */
    KIN_VERB_PATCH = 6,            /**< a change of one that is there; apply: or a new one */
    KIN_VERB_DELETE = 7,           /**< one object away */
    KIN_VERB_DELETE_COLLECTION = 8 /**< all that match away */
};

/** What a patch is. */
enum kin_patch_type {
    KIN_PATCH_MERGE = 1,     /**< RFC 7386 */
    KIN_PATCH_JSON = 2,      /**< RFC 6902 */
    KIN_PATCH_STRATEGIC = 3, /**< Kubernetes' own, for built-in kinds */
    KIN_PATCH_APPLY = 4      /**< server-side apply; needs a field manager. JSON or YAML */
};

/**
 * The details of a request. Each field says for which verbs it is; others leave it out. All is
 * COPIED. Start with KIN_REQUEST_OPTIONS_INIT.
 */
typedef struct kin_request_options {
    size_t size;             /**< sizeof(kin_request_options); set by KIN_REQUEST_OPTIONS_INIT */
    int64_t timeout_ms;      /**< all: until it is answered; 0: the client's, -1: never */
    const char *subresource; /**< get, update, patch, create, delete: "status", "scale"; NULL: none.
                                  An error for others */

    const char *label_selector;         /**< list, watch, delete collection */
    const char *field_selector;         /**< list, watch, delete collection */
    const char *resource_version;       /**< get, list, watch: NULL for the newest */
    const char *resource_version_match; /**< list, watch: "Exact", "NotOlderThan" */
    int64_t limit;                      /**< list: objects of one page; 0: no pages */
    const char *continue_token;         /**< list: the next page of a list that was begun */
    int64_t watch_timeout_ms; /**< watch: the server ends it after so long; 0: it decides */
    bool bookmarks;           /**< watch: also tell of versions in which nothing happened */
    bool send_initial_events; /**< watch: first what is there, then a bookmark, then changes */
    bool metadata_only;       /**< all that return objects: nothing but their metadata */
    const kin_decode_options *decode; /**< limits and projection of what is returned */

    bool dry_run;                 /**< writes: as if, but nothing is stored */
    const char *field_manager;    /**< writes: who owns the fields; NULL: the user agent */
    const char *field_validation; /**< writes: "Ignore", "Warn", "Strict" */
    bool force;                   /**< apply: take over fields of other managers */

    const char *precondition_uid;     /**< deletes: only if it is this one */
    const char *precondition_version; /**< deletes: only if it is in this version */
    int64_t grace_seconds; /**< deletes: -1 for the kind's own; KIN_REQUEST_OPTIONS_INIT sets it */
    const char *propagation; /**< deletes: "Orphan", "Background", "Foreground" */

    const kin_object **ret_status; /**< all: if it fails with a Status, that; SHARED, release with
                                        kin_object_unref(). NULL: not wanted */
} kin_request_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_REQUEST_OPTIONS_INIT                                                                   \
    {sizeof(kin_request_options), 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, false, false,       \
     false, NULL, false, NULL, NULL, false, NULL, NULL, -1, NULL, NULL}
/* clang-format on */

KIN_END_DECLS

#endif
