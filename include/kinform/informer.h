/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Informers: a correct, indexed, always fresh copy of a resource, and events for whoever wants them.
 * client-go's SharedIndexInformer.
 *
 * An informer lists and watches, keeps a store, and tells its handlers what has changed, whatever the
 * network and the server do. All of it is shared: any number of handlers and readers.
 *
 * @code
 * static void changed(const kin_event *event, void *arg)
 * {
 *     printf("%s %s\n", kin_event_type_name(event->type), kin_object_key(event->object));
 * }
 * ...
 * if (kin_client_new(&client, NULL, &err) < 0 ||
 *     kin_informer_new(&pods, client, "pods", NULL, &err) < 0 ||
 *     kin_informer_add_handler(pods, NULL, changed, NULL, NULL, &err) < 0 ||
 *     kin_informer_run(pods, &err) < 0)
 *     fprintf(stderr, "%s\n", err.message);
 * kin_informer_free(pods);
 * kin_client_free(client);
 * @endcode
 *
 * | state    | meaning                                                                          |
 * |----------|----------------------------------------------------------------------------------|
 * | new      | nothing was asked for; handlers, indexes and namespaces may be set               |
 * | running  | from kin_informer_start() on                                                      |
 * | stopping | from kin_informer_stop() on: what was received is still applied and told         |
 * | stopped  | the store stays as it is, and is read; kin_informer_start() goes on from there   |
 */
#ifndef KINFORM_INFORMER_H
#define KINFORM_INFORMER_H

#include <kinform/handler.h>
#include <kinform/list_watch.h>
#include <kinform/lister.h>
#include <kinform/reflector.h>

KIN_BEGIN_DECLS

/** An informer. One owner, any number of threads. */
typedef struct kin_informer kin_informer;

/** A handler of an informer. SHARED. */
typedef struct kin_registration kin_registration;

/** In which order changes are applied. */
typedef enum kin_informer_queue {
    /** All changes of one object together; the default. Its memory is bounded: changes of one object merge. */
    KIN_QUEUE_DELTA_FIFO = 0,
    /** Each change in the order in which it came. It merges nothing, so it grows while an index function blocks. */
    KIN_QUEUE_ORDERED = 1
} kin_informer_queue;

/** How much of each object is kept. */
typedef enum kin_informer_content {
    KIN_CONTENT_WHOLE = 0,    /**< all of it, or what `decode` leaves */
    KIN_CONTENT_METADATA = 1, /**< asks for PartialObjectMetadata */
    KIN_CONTENT_KEYS = 2      /**< nothing but name, namespace, uid and version */
} kin_informer_content;

/** What has become of an informer. */
typedef enum kin_informer_state {
    KIN_INFORMER_NEW = 0,      /**< it was never started */
    KIN_INFORMER_LISTING = 1,  /**< asks for all objects */
    KIN_INFORMER_WATCHING = 2, /**< is up to date as far as it knows */
    /** Something failed, and it waits before it tries again, or until the server agrees to another watch */
    KIN_INFORMER_WAITING = 3,
    KIN_INFORMER_STOPPING = 4,  /**< applies what it has received */
    KIN_INFORMER_STOPPED = 5,   /**< has nothing more to do */
    KIN_INFORMER_CONNECTING = 6 /**< has asked for a watch, and the server has not agreed yet */
} kin_informer_state;

/**
 * The name of a state: "watching".
 *
 * @return BORROWED for ever; "?" for an unknown one.
 * @thread any
 */
KIN_API const char *kin_informer_state_name(kin_informer_state state);

/**
 * How an informer fares. Of several namespaces the worst state, and the sums; those of namespaces and selectors
 * that it does not look at any more are in them, so that none of `events` to `skipped` ever goes down, nor `fallbacks`.
 */
typedef struct kin_informer_status {
    size_t size;              /**< sizeof(kin_informer_status); set by KIN_INFORMER_STATUS_INIT */
    kin_informer_state state; /**< what it does */
    int64_t since_unix_ns;    /**< since when */
    bool is_synced;           /**< kin_informer_has_synced() */
    /**
     * Trying again will not help: denied, no such resource, a certificate, a selector that the server
     * does not understand. It goes on trying.
     */
    bool is_failing_for_good;
    kin_error last_error;       /**< why it waits, or why it did last; code 0: nothing has failed */
    int64_t last_error_unix_ns; /**< when; the same until there is another one */
    int64_t last_event_unix_ns; /**< when the last change or bookmark came; 0: never */
    size_t objects;             /**< in the store */
    size_t queued;              /**< keys that were received and not applied */
    uint64_t events;            /**< changes that were received by watches */
    uint64_t bookmarks;         /**< likewise */
    uint64_t lists;             /**< that were complete, streaming lists included */
    uint64_t watches;           /**< that were begun, streaming lists included */
    uint64_t skipped;           /**< objects that could not be decoded or stored */
    char resource_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1]; /**< received; "" of several */
    uint64_t altered; /**< objects that somebody has written to, if that is looked for */
    /** It began with a snapshot. Until it is synced, what the store has may be as old as that. */
    bool is_warm;
    int64_t snapshot_unix_ns; /**< when that snapshot was written; 0: there was none */
    /**
     * Objects that were skipped and not put right since, by an event of the same object or by a list: the
     * store may lack them, or have an old state. One whose key could not be read counts each time.
     */
    uint64_t gaps;
    /** A list deleted nothing, since it had gaps: what is gone may be left. */
    bool keeps_missing;
    int64_t next_relist_unix_ns; /**< when it lists for these two or by `relist_ms`; 0: never */
    /** Objects that the lists under way have brought so far: they are in the store when all have come. */
    uint64_t listed;
    /** Streaming lists that were followed by a list at once. That the server has none is no failure. */
    uint64_t fallbacks;
    /** When the server was last known to be alive, of the most silent of its watches; 0: never */
    int64_t last_heard_unix_ns;
    /** The server of a silent list or watch does not answer a probe. It fails soon unless something comes. */
    bool in_doubt;
    /** Encoding of the last answers; JSON if that of any namespace is JSON; default: no answer yet */
    kin_encoding encoding;
    /**
     * When the list began that the store is based on: of several namespaces the oldest, after a warm start that of the
     * snapshot until another one has come; 0: none
     */
    int64_t last_list_unix_ns;
    /** Lists and watches for which protobuf could not be used, so that JSON is asked for: `encoding` of
        kin_client_options */
    uint64_t json_fallbacks;
} kin_informer_status;

/* clang-format off */
/** To be filled in by kin_informer_get_status(). */
#define KIN_INFORMER_STATUS_INIT                                                                   \
    {sizeof(kin_informer_status), KIN_INFORMER_NEW, 0, false, false, KIN_ERROR_INIT, 0, 0, 0, 0,   \
     0, 0, 0, 0, 0, {0}, 0, false, 0, 0, false, 0, 0, 0, 0, false, KIN_ENCODING_DEFAULT, 0, 0}
/* clang-format on */

/**
 * Is told that an informer's state, or what it failed with, has changed, or that it is synced. Quick
 * changes are told as one; ask kin_informer_get_status() for what it is now. While this runs nothing is
 * applied to the store.
 *
 * @param informer  BORROWED during the call.
 * @thread a worker; one at a time per informer; no lock is held. It may use the informer, but not free
 *         it; to wait for it gives KIN_EBUSY
 */
typedef void kin_informer_changed_fn(kin_informer *informer, void *arg);

/**
 * Called for each failure of a list or watch, at each attempt: see kin_reflector_error_fn, which says what is not a
 * failure. Such a failure is `last_error` of the status, too. The informer retries by itself. `is_watch_error` of the
 * failure is set where client-go calls its WatchErrorHandler.
 *
 * @param informer  BORROWED during the call.
 * @param failure   BORROWED during the call.
 * @thread a worker; several at once if the informer watches several namespaces; no lock is held. It may use the
 *         informer, and stop it, but not free it
 */
typedef void kin_informer_error_fn(kin_informer *informer, const kin_failure *failure, void *arg);

/**
 * What an informer tells of itself, under client-go's names (`informer_queued_items` and so on, of which
 * `name`, that of the informer, is the label); each may be NULL. COPIED. What its reflectors tell is
 * kin_reflector_metrics.
 *
 * They are called as kin_informer_changed_fn is: by a worker, one at a time per informer, with no lock held, and
 * nothing is applied meanwhile. `name` is BORROWED during the call.
 */
typedef struct kin_informer_metrics {
    size_t size; /**< set by the INIT macro */
    /** Gauge: keys that were received and not applied, whenever that has changed when the informer looks. */
    void (*queued_items)(const char *name, double items, void *arg);
    /** Histogram: how long it took to apply a batch to the store and to put it before the handlers. */
    void (*processing_latency_seconds)(const char *name, double seconds, void *arg);
    /** Gauge: the version that the store has seen, if it is a number; its last 15 digits, which a double can
        hold. Not of several namespaces, each of which has its own. */
    void (*store_resource_version)(const char *name, double version, void *arg);
} kin_informer_metrics;

/* clang-format off */
/** No metrics yet. */
#define KIN_INFORMER_METRICS_INIT {sizeof(kin_informer_metrics), NULL, NULL, NULL}
/* clang-format on */

/** How an informer is to be. Begin with KIN_INFORMER_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_informer_options {
    size_t size;      /**< set by KIN_INFORMER_OPTIONS_INIT */
    const char *name; /**< in logs and errors; NULL: the resource's */

    const char *const *namespaces; /**< NULL: all */
    size_t n_namespaces;           /**< how many */
    const char *label_selector;    /**< NULL: all */
    const char *field_selector;    /**< NULL: all */

    kin_informer_content content;     /**< how much of each object is kept */
    const kin_decode_options *decode; /**< limits and projection; NULL: the defaults */
    kin_transform_fn
        *transform;           /**< run once on what comes in; an object that it rejects is skipped
                                      and counted in `gaps`; may be NULL */
    void *transform_arg;      /**< handed to it; BORROWED while the informer lives */
    kin_key_fn *key;          /**< NULL: kin_object_key() */
    void *key_arg;            /**< handed to it; BORROWED while the informer lives */
    kin_informer_queue queue; /**< in which order changes are applied */

    int64_t resync_ms;            /**< all objects come again so often; 0: never */
    int64_t page_size;            /**< of lists; 0: by client-go's rules, 500 or none */
    int64_t min_watch_timeout_ms; /**< watches last that long at least; 0: five minutes */
    bool no_streaming_list;       /**< plain lists, in protobuf as well */

    kin_informer_changed_fn *changed; /**< may be NULL */
    void *changed_arg;                /**< handed to it; BORROWED while the informer lives */

    uint64_t seed;      /**< of all that is random; 0: another one each time */
    kin_clock *clock;   /**< SHARED; NULL: the client's, or the system's */
    kin_logger *logger; /**< SHARED; NULL: the default logger */

    /**
     * Look every second, while it runs, whether somebody has written to an object that came within the
     * last two minutes: kin_mutation_detector. A debugging aid that costs. Also if
     * kin_mutation_detector_wanted(). What is found is logged and counted in the status.
     */
    bool detect_mutations;

    /** The first start begins with kin_informer_load() of this file; NULL: it lists */
    const char *snapshot_path;
    /**
     * What a snapshot must have been saved with, besides what can be compared: a name for the cluster, the
     * version of the transformer. NULL: the server's URL.
     */
    const char *snapshot_identity;
    /** A snapshot is not loaded if its last list, `list_unix_ns`, is older than this; 0: 24 h, -1: any age */
    int64_t snapshot_max_age_ms;

    /**
     * After objects were skipped it lists again, first after so long, then after twice as long each time, and
     * up to as long again by chance, until nothing is missing: `gaps` of the status. 0: 1 min, -1: never
     */
    int64_t gap_relist_ms;
    int64_t gap_relist_max_ms; /**< longest of these, without what chance adds; 0: 1 h */

    /**
     * What its reflectors do besides: `list_timeout_ms`, `internal_error_retry_ms`, `streaming_lists` (unless
     * `no_streaming_list`), all of `backoff_…`, and `metrics`, with a `metrics_arg` that is BORROWED while the
     * informer lives; of a source of the caller's own also `api_version` and `kind`. Nothing else may be set:
     * that is the informer's. A reflector has the informer's name, and "NAME/NAMESPACE" if that is one of
     * several. COPIED; NULL: the defaults.
     */
    const kin_reflector_options *reflector;

    const kin_informer_metrics *metrics; /**< COPIED; NULL: none */
    void *metrics_arg;                   /**< handed to them; BORROWED while the informer lives */

    /**
     * Keep waiting for the sync while the server denies access (401, 403) or TLS fails. By default, waits return
     * after two such failures in a row: kin_informer_wait_synced(). The informer retries in both cases.
     */
    bool wait_while_refused;

    kin_encoding encoding; /**< default as the client's */

    kin_informer_error_fn *error; /**< NULL: those with `is_watch_error` are logged */
    void *error_arg;              /**< handed to it; BORROWED while the informer lives */

    /**
     * List again when the last list began this long ago, less up to a tenth by chance; the list of a snapshot counts. It
     * is a list of the most recent state, without a resource version. Handlers receive only differences: objects that are
     * the same are not reported. It finds what no watch reports, for example after the server was restored from a backup.
     * If it fails, the store stays, the watch is resumed, and the list is retried with the delays of `gap_relist_ms`.
     * Set it lower than `snapshot_max_age_ms`: otherwise the snapshot of a program that has run for longer is not loaded.
     * 0: 12 h with `snapshot_path` or after kin_informer_load(), else never, as client-go; -1: never
     */
    int64_t relist_ms;
} kin_informer_options;

/* clang-format off */
/** The defaults: `kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;` */
#define KIN_INFORMER_OPTIONS_INIT                                                                  \
    {sizeof(kin_informer_options), NULL, NULL, 0, NULL, NULL, KIN_CONTENT_WHOLE, NULL, NULL, NULL, \
     NULL, NULL, KIN_QUEUE_DELTA_FIFO, 0, 0, 0, false, NULL, NULL, 0, NULL, NULL, false, \
     NULL, NULL, 0, 0, 0, NULL, NULL, NULL, false, KIN_ENCODING_DEFAULT, NULL, NULL, 0}
/* clang-format on */

/* --- life --- */

/**
 * Make an informer of a resource. The server is not asked for anything yet.
 *
 * @param[out] ret  OWNED; release with kin_informer_free().
 * @param client    BORROWED until the informer is freed.
 * @param resource  as kubectl takes it: "pods", "po", "deployments.apps". COPIED. What the server has
 *                  not, yet, is looked for again and again.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_EPARSE and KIN_ELIMIT (of the label selector: as kin_label_selector_parse()),
 *         KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_new(kin_informer **ret, kin_client *client, const char *resource,
                             const kin_informer_options *options, kin_error *err);

/**
 * Make an informer of a source of the caller's own.
 *
 * @param[out] ret  OWNED; release with kin_informer_free().
 * @param source    SHARED: a reference is taken.
 * @param options   COPIED; NULL for the defaults. Namespaces, selectors, `content`, `encoding` and `decode`
 *                  are options of the source and must not be set here: KIN_EINVAL.
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_new_from(kin_informer **ret, kin_list_watch *source,
                                  const kin_informer_options *options, kin_error *err);

/**
 * Stop it, drop what waits for handlers, wait for calls of them that are under way, and release it.
 *
 * One of its own handlers or callbacks (filters, transformers, index functions, `changed`, `arg_free` …) cannot
 * free it, since the end waits for them: KIN_EBUSY is returned and logged, and the informer runs on. Such a
 * callback calls kin_informer_stop(), and another thread frees it. Handlers of other informers may free it, also
 * on a worker: another thread does its work meanwhile.
 *
 * In a forked child it does nothing: the memory stays, since what other threads were at is half done.
 *
 * @param informer  CONSUMED if 0 is returned; may be NULL.
 * @return 0; KIN_EBUSY (called by one of its own callbacks), KIN_EFORKED: it is as it was.
 * @thread any, no other call on it at the same time    @blocks while handlers run
 */
KIN_API int kin_informer_free(kin_informer *informer);

/**
 * Begin, or go on after a stop. Returns at once, or, the first time, when the snapshot of the options was
 * read; what fails later is in the status.
 *
 * @return 0, KIN_EBUSY (it runs, is still stopping, or another thread loads a snapshot), KIN_ECLOSED (the
 *         client is gone), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any    @blocks while a snapshot is read
 */
KIN_API int kin_informer_start(kin_informer *informer, kin_error *err);

/**
 * Stop: nothing more is asked of the server. What was received is still applied and told, and the
 * store stays. Returns at once. Nothing to do if it does not run.
 *
 * @param informer  BORROWED for the call; may be NULL.
 * @thread any, its handlers included
 */
KIN_API void kin_informer_stop(kin_informer *informer);

/**
 * Wait until it is stopped and all that was received is in the store.
 *
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0 (also if it was never started), KIN_ETIMEOUT, KIN_EBUSY (it would have to wait in one of
 *         its workers: from a callback, or a handler of KIN_DELIVER_POOL), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_informer_wait_stopped(kin_informer *informer, int64_t timeout_ms, kin_error *err);

/**
 * Start, and wait until somebody stops it.
 *
 * @return 0, KIN_EBUSY, KIN_ECLOSED and others as kin_informer_start() and kin_informer_wait_stopped().
 * @thread any    @blocks until it is stopped
 */
KIN_API int kin_informer_run(kin_informer *informer, kin_error *err);

/* --- what it knows --- */

/**
 * The store. Its content is the informer's: reading is what it is for.
 *
 * @return BORROWED while the informer lives; kin_store_ref() keeps it longer.
 * @thread any
 */
KIN_API kin_store *kin_informer_store(kin_informer *informer);

/**
 * A lister over the store: lists by selector, namespace and index, and gets by name. It may be used after
 * the informer is gone, and then has what the store had.
 *
 * @param[out] ret  OWNED; release with kin_lister_free().
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_lister(kin_informer *informer, kin_lister **ret, kin_error *err);

/**
 * Add an index to the store, at any time. That of namespaces (KIN_NAMESPACE_INDEX) is there already, unless
 * the source is the caller's own.
 *
 * @param index  COPIED; its `arg` is CONSUMED if it has an `arg_free`.
 * @return 0, KIN_EINVAL, KIN_ENOMEM and others as kin_store_add_index().
 * @thread any
 */
KIN_API int kin_informer_add_index(kin_informer *informer, const kin_index *index, kin_error *err);

/**
 * Whether the store has all of the first list of its namespaces and selectors: after kin_informer_set_namespaces() and
 * kin_informer_set_selectors(), of the new ones. Says nothing about handlers: kin_registration_has_synced().
 *
 * @param informer  BORROWED for the call; NULL has not.
 * @thread any
 */
KIN_API bool kin_informer_has_synced(kin_informer *informer);

/**
 * Wait until it has.
 *
 * The wait also ends after two failures in a row with 401, 403 or a TLS error, because they rarely go away by
 * themselves; `wait_while_refused` of the options turns this off. A 404 is waited out: a custom resource may be
 * installed later. The informer keeps retrying in all cases, and a later call can succeed.
 *
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0; KIN_EDENIED or KIN_ETLS: two such failures in a row; KIN_ETIMEOUT. With these three the message says
 *         what it does and what has failed, and the error has the HTTP status and reason of that. KIN_ECLOSED (it
 *         was stopped before), KIN_EBUSY (it would have to wait in one of its workers), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_informer_wait_synced(kin_informer *informer, int64_t timeout_ms, kin_error *err);

/**
 * Wait until the store has seen a version. Of several namespaces all have to have seen it, and each sees
 * what happens in others, as an informer with selectors does of other objects, with the next bookmark only,
 * a minute later perhaps. Who has the object that was written waits for that: kin_informer_wait_object().
 *
 * @param resource_version  BORROWED for the call.
 * @param timeout_ms        by its clock; -1 waits for ever, 0 looks once.
 * @return 0; KIN_ETIMEOUT: the message says what it does and what has failed; KIN_EPARSE (versions that
 *         cannot be compared), KIN_ECLOSED (it was stopped before), KIN_EBUSY (it would have to wait in one of
 *         its workers), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_informer_wait_version(kin_informer *informer, const char *resource_version,
                                      int64_t timeout_ms, kin_error *err);

/**
 * Wait until the store has seen what a write has returned: read your writes. From then on it has the object in
 * that version or a later one, or knows that it is gone. Of several namespaces only that of the object is
 * waited for. What the selectors leave out is seen with the next bookmark only, a minute later perhaps.
 *
 * An object that is not in the store counts as gone if one of the last 128 deletions was its own, or if something has
 * come by the watch since this was called. A later version alone says nothing: a server that was restored from a backup
 * counts from an earlier version again. If the transformer changes keys, or the object was skipped (`gaps` of the
 * status), that a later version was seen is enough.
 *
 * @param object      as a write has returned it: its namespace and version count. BORROWED for the call.
 * @param timeout_ms  by its clock; -1 waits for ever, 0 looks once.
 * @return 0; KIN_ENOTFOUND (its namespace is not looked at); KIN_ETIMEOUT, KIN_EPARSE, KIN_ECLOSED, KIN_EBUSY,
 *         KIN_EINVAL, KIN_EFORKED as kin_informer_wait_version().
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_informer_wait_object(kin_informer *informer, const kin_object *object,
                                     int64_t timeout_ms, kin_error *err);

/**
 * How it fares.
 *
 * @param[out] ret  filled in; begin with KIN_INFORMER_STATUS_INIT.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_informer_get_status(kin_informer *informer, kin_informer_status *ret,
                                    kin_error *err);

/* --- handlers --- */

/**
 * Add a handler, at any time, also from a handler. It is told of all that is in the store, as initial
 * additions, and then of what changes; other handlers do not wait for that.
 *
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_registration_unref(), which
 *                  does not remove the handler. May be NULL.
 * @param fn        told of each event.
 * @param arg       handed to it; BORROWED until it was removed, or CONSUMED if the options have an
 *                  `arg_free`. On failure it is still the caller's.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_ECLOSED (from a handler, while the informer is being freed), KIN_EFORKED,
 *         KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_add_handler(kin_informer *informer, kin_registration **ret,
                                     kin_event_fn *fn, void *arg,
                                     const kin_handler_options *options, kin_error *err);

/**
 * How many handlers there are: those that were added and not removed.
 *
 * @param informer  BORROWED for the call; may be NULL.
 * @return 0 also in a forked child.
 * @thread any, its own handlers included
 */
KIN_API size_t kin_informer_count_handlers(kin_informer *informer);

/**
 * Find a handler by the name in its options. If several have the name, the one that was added first.
 *
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_registration_unref(). Untouched on
 *                  failure.
 * @param name      BORROWED for the call; NULL: "handler", the name of those without one.
 * @return 0, KIN_ENOTFOUND (there is none, or it was removed), KIN_EINVAL (NULL), KIN_EFORKED.
 * @thread any, its own handlers included
 */
KIN_API int kin_informer_find_handler(kin_informer *informer, kin_registration **ret,
                                      const char *name, kin_error *err);

/**
 * Remove a handler. A call that is under way goes on; what waits for it is dropped, and it is not called
 * again. Returns at once.
 *
 * @param registration  BORROWED for the call. Of this informer, else nothing happens; twice is once.
 * @thread any, the handler itself included
 */
KIN_API void kin_informer_remove_handler(kin_informer *informer, kin_registration *registration);

/**
 * Remove a handler, and wait until a call that is under way has returned.
 *
 * @param registration  BORROWED for the call.
 * @return 0, KIN_EBUSY (from the handler itself, or, of one with KIN_DELIVER_POOL, it would have to wait in
 *         a worker: it is removed, but not waited for), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks while the handler runs
 */
KIN_API int kin_informer_remove_handler_wait(kin_informer *informer, kin_registration *registration,
                                             kin_error *err);

/**
 * Whether the handler was told of all that was there at its beginning, and of the whole first list.
 *
 * @param registration  BORROWED for the call; NULL was not.
 * @thread any
 */
KIN_API bool kin_registration_has_synced(kin_registration *registration);

/**
 * Wait until it was.
 *
 * @param timeout_ms  by the informer's clock; -1 waits for ever, 0 looks once.
 * @return 0, KIN_ETIMEOUT, KIN_EDENIED and KIN_ETLS (the informer cannot sync: as kin_informer_wait_synced()),
 *         KIN_ECLOSED (it was removed before, or the informer was stopped, or its client freed,
 *         before the first list was there; the message says which), KIN_EBUSY (from the handler itself, or it
 *         would have to wait in one of the informer's workers), KIN_EINVAL, KIN_EFORKED. An informer that was never
 *         started is waited for, since somebody may start it: also if its client is freed meanwhile, which it
 *         gets to know of when it is.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_registration_wait_synced(kin_registration *registration, int64_t timeout_ms,
                                         kin_error *err);

/**
 * How a handler fares.
 *
 * @param[out] ret  filled in; begin with KIN_HANDLER_STATUS_INIT.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_registration_get_status(kin_registration *registration, kin_handler_status *ret,
                                        kin_error *err);

/**
 * One reference more.
 *
 * @param registration  SHARED; may be NULL.
 * @return SHARED, `registration`.
 * @thread any
 */
KIN_API kin_registration *kin_registration_ref(kin_registration *registration);

/**
 * One reference less. The handler stays.
 *
 * @param registration  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_registration_unref(kin_registration *registration);

/* --- the program's event loop --- */

/**
 * A descriptor that is readable while a handler with KIN_DELIVER_LOOP has something to be told, and once
 * when such a handler is synced without that. For poll(), epoll (level-triggered) and event libraries:
 * examples/loop-*.c.
 *
 * @return BORROWED while the informer lives: not to be read from or closed. Negative: KIN_EINVAL (NULL).
 * @thread any
 */
KIN_API int kin_informer_fd(kin_informer *informer);

/**
 * Tell such handlers, in this thread: some dozens of events each, so that it returns soon. While more waits, the
 * descriptor stays readable.
 *
 * @param max         events at most; 0: any number.
 * @param[out] ret_n  how many; may be NULL.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_informer_dispatch(kin_informer *informer, size_t max, size_t *ret_n,
                                  kin_error *err);

/* --- a file to begin with --- */

/**
 * Save what it has, so that another start can begin with it: kin_informer_load(). Objects, and the
 * versions up to which they are: of one moment in which nothing waits to be applied. If there is no such
 * moment, since more comes all the time, the versions are older than the objects; whoever begins with
 * that is told some changes again, and ends in the same state.
 *
 * The informer goes on meanwhile. The file is written as kin_snapshot_write() does: there is an old or a
 * new one, whole. To save at the end, stop it, wait until it is stopped, and save.
 *
 * @param path  COPIED.
 * @return 0, KIN_EBUSY (it has not synced; another writes the file; or from a worker: `changed`, a handler
 *         with KIN_DELIVER_POOL), KIN_EINVAL (NULL, or the library was built without KIN_SNAPSHOT), KIN_EFORKED,
 *         and others as kin_snapshot_write().
 * @thread any but workers    @blocks while it is written and flushed to the disk
 */
KIN_API int kin_informer_save(kin_informer *informer, const char *path, kin_error *err);

/**
 * Begin with what was saved: fill the store, before the informer is started. What is there can be read at
 * once; handlers get it as initial additions when the informer is started. It then watches from the
 * versions in the file, without a list, so that handlers are told what has changed since. It is synced when
 * these watches stand, for which the server has to be there: something has come by each, or a second has passed
 * since it was agreed to. Or, for what cannot be gone on from, when a list has come: the server has
 * forgotten the version, mostly after minutes. What has gone meanwhile is then told as tombstones.
 *
 * A file that cannot be used changes nothing, and is logged with its path and why; the informer lists.
 * Resource, namespaces, selectors, `content`, projection and `snapshot_identity` must be those that it was
 * saved with. Objects are as the store had them: transformed.
 *
 * @param path  COPIED.
 * @return 0, KIN_ENOTFOUND (there is no such file), KIN_EPARSE (it is damaged, or of a newer format),
 *         KIN_EMISMATCH (it is of something else), KIN_EEXPIRED (its list is older than allowed), KIN_EBUSY (it was
 *         started, or something was loaded before), KIN_EINVAL (NULL, or the library was built without
 *         KIN_SNAPSHOT), KIN_ELIMIT, KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any    @blocks while it is read
 */
KIN_API int kin_informer_load(kin_informer *informer, const char *path, kin_error *err);

/* --- what it looks at --- */

/**
 * Look at other namespaces from now on. Those that stay are not asked for again; objects of those that go
 * are deleted, which handlers are told by tombstones, when one of those that it is to look at has been listed.
 * New ones are listed in their most recent state (no resource version), so that no object goes back in time.
 * kin_informer_wait_synced() waits for the new lists.
 *
 * @param namespaces  COPIED; NULL: all.
 * @param n           how many; not 0, unless `namespaces` is NULL.
 * @return 0, KIN_EINVAL (a source of the caller's own; none, an empty one, or one twice), KIN_EFORKED,
 *         KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_set_namespaces(kin_informer *informer, const char *const *namespaces,
                                        size_t n, kin_error *err);

/**
 * Select by other selectors from now on. What is in the store stays until the new list is there;
 * handlers are told of what differs, of what is not selected any more by tombstones. The new list is of the
 * most recent state, and kin_informer_wait_synced() waits for it, as with kin_informer_set_namespaces().
 *
 * @param label_selector  COPIED; NULL: all.
 * @param field_selector  COPIED; NULL: all.
 * @return 0, KIN_EINVAL (a source of the caller's own), KIN_EPARSE and KIN_ELIMIT (of the label selector: as
 *         kin_label_selector_parse()), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_informer_set_selectors(kin_informer *informer, const char *label_selector,
                                       const char *field_selector, kin_error *err);

KIN_END_DECLS

#endif
