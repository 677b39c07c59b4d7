/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Clients: requests to a Kubernetes API server.
 *
 * One function per verb waits for the answer; kin_client_start() (kinform/call.h) does the same without
 * waiting, and calls back. Any number of requests may be under way, from any threads. They share
 * connections, one I/O thread and a rate limit.
 *
 * @code
 * kin_client *client = NULL;
 * kin_resource *pods = NULL;
 * const kin_object *pod = NULL;
 *
 * if (kin_client_new(&client, NULL, &err) == 0 &&
 *     kin_client_resolve(client, &pods, "pods", &err) == 0 &&
 *     kin_client_get(client, &pod, pods, "default", "web-0", NULL, &err) == 0)
 *     printf("%s\n", kin_object_key(pod));
 * @endcode
 *
 * ## What a request can end with
 *
 * Besides 0: KIN_EINVAL and KIN_ELIMIT (it makes no sense, and was not sent), what the server said
 * (KIN_ENOTFOUND, KIN_EDENIED, KIN_ECONFLICT, KIN_EEXISTS, KIN_EEXPIRED, KIN_ESERVER, KIN_EREFUSED; see
 * docs/errors.md), what the way to it said (KIN_ECONNECT, KIN_ETLS, KIN_EPROTOCOL), KIN_EPARSE and
 * KIN_ELIMIT (the answer is malformed, or too large), KIN_ETIMEOUT, KIN_ECANCELED (the client was freed, or
 * the call cancelled), KIN_ECLOSED (the client was freed before), KIN_EFORKED, KIN_ENOMEM,
 * KIN_ESYSTEM. `err` has the HTTP status, the reason and the message of the server. What may succeed
 * when it is tried again was tried again already, by the rules of client-go.
 */
#ifndef KINFORM_CLIENT_H
#define KINFORM_CLIENT_H

#include <kinform/clock.h>
#include <kinform/config.h>
#include <kinform/encoding.h>
#include <kinform/json.h>
#include <kinform/log.h>
#include <kinform/object.h>
#include <kinform/resource.h>
#include <kinform/stream.h>

KIN_BEGIN_DECLS

/** Requests to one server, as one user. */
typedef struct kin_client kin_client;

/**
 * Receives a warning of the server, such as that an API is deprecated.
 *
 * @param text  BORROWED during the call.
 * @thread the one that runs the request: the caller's, or a worker's
 */
typedef void kin_warning_fn(kin_str text, void *arg);

/** How a client behaves. Start with KIN_CLIENT_OPTIONS_INIT; zero is the default. */
typedef struct kin_client_options {
    size_t size;            /**< sizeof(kin_client_options); set by KIN_CLIENT_OPTIONS_INIT */
    kin_config *config;     /**< SHARED; NULL: kin_config_load() with its defaults */
    kin_clock *clock;       /**< SHARED; NULL: the system's */
    kin_logger *logger;     /**< SHARED; NULL: the default one */
    const char *user_agent; /**< COPIED; NULL: "PROGRAM/unknown kinform/VERSION" */
    /**
     * Requests per second in the long run; 0: 50, as kubectl, negative: no limit. Watches and discovery
     * do not count. A request that has to wait for more than a second is logged.
     */
    double qps;
    int burst;             /**< at once; 0: 300, with a `qps` of your own 10 */
    int64_t timeout_ms;    /**< of a request that names none; 0: 30 s, -1: never. Not of watches */
    int max_retries;       /**< of one request; 0: 10, negative: none */
    unsigned n_workers;    /**< threads that run callbacks and decode; 0: 2 */
    int64_t watch_idle_ms; /**< a watch without a byte for so long is dead; 0: 90 s more than the
                                 server was asked to let it last, and never if it was not asked;
                                 -1: never */
    kin_warning_fn *warning; /**< NULL: they are logged, each text once */
    void *warning_arg;       /**< handed to it; CONSUMED if the next is given, else BORROWED */
    void (*warning_arg_free)(void *arg); /**< releases `warning_arg` when the client is gone */
    /**
     * A list or watch that has heard nothing for this time, plus up to a quarter by chance, makes the
     * client send a small request (GET /livez) to find out whether the server is alive. Any answer counts.
     * 0: 20 s, -1: never
     */
    int64_t probe_after_ms;
    /**
     * Without an answer to that request within this time, the silent lists and watches fail with KIN_ECONNECT.
     * After a third of it they are in doubt (kin_call_handlers). 0: 15 s
     */
    int64_t probe_timeout_ms;
    int64_t connect_timeout_ms; /**< of a new connection, its TLS handshake included; 0: 30 s */
    /** TCP keepalive: silence before the kernel probes a connection; 0: 15 s */
    int64_t keepalive_idle_ms;
    /** TCP keepalive: time between probes; after three unanswered ones the connection fails; 0: 9 s */
    int64_t keepalive_interval_ms;
    /**
     * A compressed answer may be so many times as large as what was sent, from 32 MiB on; else
     * KIN_ELIMIT. 0: 250, negative: no limit. Lists of Pods have 7 to 9, the same ConfigMap in each
     * namespace up to 100, gzip's maximum is 1,030.
     */
    int max_gzip_ratio;
    /**
     * Bytes of a list, uncompressed. kin_client_list_all(), reflectors and informers count all pages of a list
     * together. A watch with `send_initial_events` has this limit up to the bookmark that ends the initial
     * events, and no total limit after it. More is KIN_ELIMIT. 0: 4 GiB, negative: no limit. 150,000 Pods of
     * 8 KB have 1.2 GB.
     */
    int64_t max_list_bytes;
    /**
     * How objects are asked for that are read or watched, where the request does not say it. Default: protobuf for
     * built-in kinds. The server may answer in JSON all the same. If it refuses protobuf for a resource but not JSON, or
     * has fields in it that this library does not know, the client asks for that resource in JSON from then on and logs
     * it once.
     * Writes are JSON.
     */
    kin_encoding encoding;
} kin_client_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_CLIENT_OPTIONS_INIT                                                                    \
    {sizeof(kin_client_options), NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0,    \
     0, 0, 0, 0, 0, 0, KIN_ENCODING_DEFAULT}
/* clang-format on */

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
    const char *field_manager;    /**< writes: who owns the fields; NULL: the user agent.
                                       Apply must have one */
    const char *field_validation; /**< writes: "Ignore", "Warn", "Strict" */
    bool force;                   /**< apply: take over fields of other managers */

    const char *precondition_uid;     /**< deletes: only if it is this one */
    const char *precondition_version; /**< deletes: only if it is in this version */
    int64_t grace_seconds; /**< deletes: -1 for the kind's own; KIN_REQUEST_OPTIONS_INIT sets it */
    const char *propagation; /**< deletes: "Orphan", "Background", "Foreground" */

    const kin_object **ret_status; /**< all: if it fails with a Status, that; SHARED, release with
                                        kin_object_unref(). NULL: not wanted */
    int max_retries; /**< all: how often it is sent again; 0: as the client, negative: never */
    /** list, watch: it fails if no byte comes for this time. 0: for lists never, for watches as
        `watch_idle_ms` of the client says. -1: never */
    int64_t progress_timeout_ms;
    /** list: bytes of the pages before this one, `listed_bytes` of their result. They count for
        `max_list_bytes` of the client */
    uint64_t listed_bytes;
    kin_encoding encoding; /**< get, list, watch: default as the client's */
} kin_request_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_REQUEST_OPTIONS_INIT                                                                   \
    {sizeof(kin_request_options), 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, false, false,       \
     false, NULL, false, NULL, NULL, false, NULL, NULL, -1, NULL, NULL, 0, 0, 0,                     \
     KIN_ENCODING_DEFAULT}
/* clang-format on */

/**
 * Make a client. Nothing is sent yet, and no thread is started.
 *
 * @param[out] ret  OWNED; release with kin_client_free().
 * @param options   COPIED; NULL for the defaults: the configuration that kubectl would use.
 * @return 0, KIN_EINVAL (settings that make no sense, or credentials that would go over a connection
 *         that is not secure), KIN_ENOTFOUND (there is no configuration), KIN_EPARSE, KIN_ELIMIT (a
 *         kubeconfig that is wrong), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_client_new(kin_client **ret, const kin_client_options *options, kin_error *err);

/**
 * Close and release a client. Requests that are under way end with KIN_ECANCELED, and it waits until
 * their last callbacks have returned and its threads have ended; from within such a callback it does
 * not wait.
 *
 * @param client  CONSUMED; may be NULL.
 * @thread any, no other call on it may begin; requests that are waited for in other threads end
 */
KIN_API void kin_client_free(kin_client *client);

/**
 * The namespace of the configuration: what a person means who names none.
 *
 * @param client  BORROWED for the call.
 * @return BORROWED until the client is gone; "default" if nothing else is said.
 * @thread any
 */
KIN_API const char *kin_client_namespace(const kin_client *client);

/**
 * The resource that a name means: "pods", "po", "Pod", "deployments.apps", "deployments.v1.apps"; what
 * kubectl would take. What the server has is asked for once and kept; a name that is not in it is
 * looked for again, but not more often than every 5 seconds. One thread asks; others that want to know
 * meanwhile wait for it, and get its answer or its failure.
 *
 * @param client    BORROWED for the call.
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_resource_unref().
 * @param name      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, empty), KIN_ENOTFOUND (no such resource; the message has names that are
 *         near), KIN_EBUSY (from within a function that is told of a warning of that very answer),
 *         and what a request can end with.
 * @thread any    @blocks until the server has answered, the first time
 */
KIN_API int kin_client_resolve(kin_client *client, kin_resource **ret, const char *name,
                               kin_error *err);

/**
 * Is told a resource of a category.
 *
 * @param resource  BORROWED during the call; kin_resource_ref() to keep it.
 * @thread the caller's; no lock is held
 */
typedef void kin_category_fn(kin_resource *resource, void *arg);

/**
 * The resources of a category, as "all", which kubectl takes for a kind: a server says of each resource in
 * which it is, and those of custom resources can be in any. Those that can be listed, each once, in the version
 * that is preferred of those that are in the category, and in the order in which the server lists them. Group versions
 * that could not be read, as of an API service that is down, are left out. What the server has is asked for once
 * and kept, as by kin_client_resolve(), but not asked for again if there is no such category.
 *
 * @param client    BORROWED for the call.
 * @param category  BORROWED for the call.
 * @param fn        is told each resource.
 * @param arg       handed to `fn`; BORROWED for the call; may be NULL.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (no resource is in it), KIN_ENOMEM (none was told),
 *         KIN_EBUSY (as kin_client_resolve()), and what a request can end with.
 * @thread any    @blocks until the server has answered, the first time
 */
KIN_API int kin_client_category(kin_client *client, const char *category, kin_category_fn *fn,
                                void *arg, kin_error *err);

/**
 * Get an object.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    SHARED, the reference is the caller's; release with kin_object_unref(). May be
 *                    NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for a resource without namespaces.
 * @param name        BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_ENOTFOUND, and what a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_get(kin_client *client, const kin_object **ret, kin_resource *resource,
                           const char *namespace_, const char *name,
                           const kin_request_options *options, kin_error *err);

/**
 * List objects: all, or one page if the options have a limit. Each is handed over as soon as it has
 * come; the list is never held. A failure half-way comes after some of them.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    the list without its items, for its resource version and continue token; SHARED,
 *                    the reference is the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for all.
 * @param item        receives the objects, in this thread.
 * @param arg         handed to `item`; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_EEXPIRED (the version or the continue token is too old), what `item` returned, and what
 *         a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_list(kin_client *client, const kin_object **ret, kin_resource *resource,
                            const char *namespace_, kin_list_item_fn *item, void *arg,
                            const kin_request_options *options, kin_error *err);

/**
 * All that was handed over counts no more: the list begins again, as one whole.
 *
 * @return 0, or a negative code such as KIN_ENOMEM, which ends the list; kin_error_set() in `err`, which
 *         is empty and never NULL, says more.
 * @thread the one that lists
 */
typedef int kin_list_restart_fn(void *arg, kin_error *err);

/**
 * List all objects, page by page, so that neither side has to have all of them ready at once. All pages
 * are of one version. If that is gone before the last page was asked for, `restart` is called and the
 * list is asked for once more without pages. If protobuf turns out to be of no use after objects were handed over, `restart`
 * is called and the list is asked for once more in JSON.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    the list without its items, of the last page; SHARED,
 *                    the reference is the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for all.
 * @param item        receives the objects, in this thread.
 * @param restart     may be NULL: then a version that is gone is KIN_EEXPIRED, and protobuf that cannot be read
 *                    KIN_EPROTOCOL; the next request is for JSON.
 * @param arg         handed to both; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults. A limit of 0 is 500.
 * @return 0, KIN_EEXPIRED, what the callbacks returned, and what a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_list_all(kin_client *client, const kin_object **ret, kin_resource *resource,
                                const char *namespace_, kin_list_item_fn *item,
                                kin_list_restart_fn *restart, void *arg,
                                const kin_request_options *options, kin_error *err);

/**
 * Watch objects, until the server ends it. Bookmarks come as events, if the options ask for them. An
 * error event is not handed over: it is what the watch ends with.
 *
 * @param client      BORROWED for the call.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for all.
 * @param event       receives the events, in this thread; while it runs the server waits.
 * @param arg         handed to `event`; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults. Without a timeout it lasts as long
 *                    as the server likes.
 * @return 0 (the server has ended it), KIN_EEXPIRED (the version is too old), what `event` returned, and
 *         what a request can end with.
 * @thread any    @blocks until it has ended
 */
KIN_API int kin_client_watch(kin_client *client, kin_resource *resource, const char *namespace_,
                             kin_watch_event_fn *event, void *arg,
                             const kin_request_options *options, kin_error *err);

/**
 * Create an object. Of a subresource ("binding", "eviction") the object has the name of what it is of;
 * where it has another or none ("token"), kin_client_start() is told one.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    what the server has made of it, its resource version included; SHARED, the
 *                    reference is the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL: the object's.
 * @param object      a document; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_EEXISTS, and what a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_create(kin_client *client, const kin_object **ret, kin_resource *resource,
                              const char *namespace_, const kin_object *object,
                              const kin_request_options *options, kin_error *err);

/**
 * Replace an object by another state of it. If that has a resource version, only if the server still
 * has the same. For a status or a scale, the options name the subresource.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    what the server has made of it, its resource version included; SHARED, the
 *                    reference is the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL: the object's.
 * @param object      a document, with its name; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_ECONFLICT (somebody else has changed it: see kin_retry_on_conflict()), and what a
 *         request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_update(kin_client *client, const kin_object **ret, kin_resource *resource,
                              const char *namespace_, const kin_object *object,
                              const kin_request_options *options, kin_error *err);

/**
 * Change a part of an object; apply: or make it.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    what has become of it, its resource version included; SHARED, the reference is
 *                    the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for a resource without namespaces.
 * @param name        BORROWED for the call.
 * @param type        what the patch is.
 * @param patch       its text; BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults. Apply needs a field manager.
 * @return 0, KIN_ECONFLICT (another manager owns a field, or its version is another), and what a request
 *         can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_patch(kin_client *client, const kin_object **ret, kin_resource *resource,
                             const char *namespace_, const char *name, enum kin_patch_type type,
                             kin_str patch, const kin_request_options *options, kin_error *err);

/**
 * Delete an object.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    what the server answered: the object, if it takes a while until it is gone, or a
 *                    Status. SHARED, the reference is the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for a resource without namespaces.
 * @param name        BORROWED for the call.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_ENOTFOUND, KIN_ECONFLICT (it is not as the preconditions say), and what a request can
 *         end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_delete(kin_client *client, const kin_object **ret, kin_resource *resource,
                              const char *namespace_, const char *name,
                              const kin_request_options *options, kin_error *err);

/**
 * Delete all objects that match the options' selectors.
 *
 * @param client      BORROWED for the call.
 * @param[out] ret    what the server answered: the list of them, or a Status. SHARED, the reference is
 *                    the caller's. May be NULL.
 * @param resource    BORROWED for the call.
 * @param namespace_  BORROWED for the call; NULL for a resource without namespaces: servers
 *                    delete no collections of all namespaces.
 * @param options     BORROWED for the call; NULL for the defaults.
 * @return 0, KIN_EDENIED, and what else a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_delete_collection(kin_client *client, const kin_object **ret,
                                         kin_resource *resource, const char *namespace_,
                                         const kin_request_options *options, kin_error *err);

/**
 * Get what is under a path as it is: "/version", "/healthz", "/metrics".
 *
 * @param client        BORROWED for the call.
 * @param[out] ret      OWNED, terminated; release with kin_free().
 * @param[out] ret_len  without the terminator; may be NULL.
 * @param target        path and query, encoded; BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, and what else a request can end with.
 * @thread any    @blocks until it is answered
 */
KIN_API int kin_client_get_text(kin_client *client, char **ret, size_t *ret_len, const char *target,
                                kin_error *err);

KIN_END_DECLS

#endif
