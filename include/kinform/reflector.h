/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reflectors: a store or queue that follows a source of objects, whatever the network and the server do.
 *
 * A reflector lists, replaces what the store has, and then watches; it goes on from where it was when a
 * watch ends, lists again when the server has forgotten that version, and waits longer and longer while
 * nothing works. client-go's Reflector, with its reactions; docs/client-go.md has the differences.
 *
 * It has no thread. What it does runs on the workers of the source's client, or, for other sources, on
 * two threads of its own; objects are put into the store by the thread that calls back for them.
 *
 * @code
 * kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
 * kin_reflector *reflector = NULL;
 *
 * kin_store_reflector_store(&into, store);
 * if (kin_reflector_new(&reflector, source, &into, NULL, &err) < 0 ||
 *     kin_reflector_run(reflector, &err) < 0) // until kin_reflector_stop()
 *     return report(&err);
 * @endcode
 */
#ifndef KINFORM_REFLECTOR_H
#define KINFORM_REFLECTOR_H

#include <kinform/delta_fifo.h>
#include <kinform/expiring_store.h>
#include <kinform/fifo.h>
#include <kinform/list_watch.h>
#include <kinform/ordered_fifo.h>
#include <kinform/store.h>
#include <kinform/undelta_store.h>

KIN_BEGIN_DECLS

/** Keeps a store as a source is. */
typedef struct kin_reflector kin_reflector;

/**
 * What a reflector feeds: client-go's ReflectorStore. Start with KIN_REFLECTOR_STORE_INIT, and let one of
 * the functions below fill it in, or give functions of your own. They are called with no lock held, from
 * different threads, and never two that change objects at once; `resync` may run beside the others. A
 * function that fails says why in `err`, which is never NULL.
 */
typedef struct kin_reflector_store {
    size_t size; /**< sizeof(kin_reflector_store); set by the INIT macro */
    int (*add)(const kin_object *object, void *arg, kin_error *err);     /**< it is there now */
    int (*update)(const kin_object *object, void *arg, kin_error *err);  /**< it has changed */
    int (*delete_)(const kin_object *object, void *arg, kin_error *err); /**< it is gone */
    /** A list begins. *ret is the reflector's to commit or abort. */
    int (*replace_begin)(kin_replace **ret, void *arg, kin_error *err);
    int (*resync)(void *arg, kin_error *err); /**< tell again what there is */
    /** All is up to date at a version: a bookmark, or a watch behind it stands; may be NULL. */
    int (*bookmark)(kin_str resource_version, void *arg, kin_error *err);
    void
        *arg; /**< handed to all; CONSUMED if `arg_free` is given, else BORROWED until it is gone */
    void (*arg_free)(void *arg); /**< releases `arg` after the last call; may be NULL */
} kin_reflector_store;

/* clang-format off */
/** No functions. */
#define KIN_REFLECTOR_STORE_INIT                                                                   \
    {sizeof(kin_reflector_store), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Feed a store.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param store     BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_store_reflector_store(kin_reflector_store *ret, kin_store *store);

/**
 * Feed a DeltaFIFO, as informers do.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_delta_fifo_reflector_store(kin_reflector_store *ret, kin_delta_fifo *fifo);

/**
 * Feed an ordered FIFO.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_ordered_fifo_reflector_store(kin_reflector_store *ret, kin_ordered_fifo *fifo);

/**
 * Feed a FIFO.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param fifo      BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_fifo_reflector_store(kin_reflector_store *ret, kin_fifo *fifo);

/**
 * Feed a store whose objects expire.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param store     BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_expiring_store_reflector_store(kin_reflector_store *ret, kin_expiring_store *store);

/**
 * Feed an undelta store.
 *
 * @param[out] ret  filled in; its `size` is set.
 * @param store     BORROWED until the reflector is gone.
 * @return 0, KIN_EINVAL (NULL, or no size).
 * @thread any
 */
KIN_API int kin_undelta_store_reflector_store(kin_reflector_store *ret, kin_undelta_store *store);

/** What a reflector is doing. */
typedef enum kin_reflector_state {
    KIN_REFLECTOR_IDLE = 0,      /**< it was never started */
    KIN_REFLECTOR_LISTING = 1,   /**< a list is on its way */
    KIN_REFLECTOR_STREAMING = 2, /**< a streaming list is on its way */
    KIN_REFLECTOR_WATCHING = 3,  /**< the source has agreed to a watch; it follows changes */
    /** Something failed, and it waits until it tries again, or until the source agrees to a watch */
    KIN_REFLECTOR_BACKING_OFF = 4,
    KIN_REFLECTOR_STOPPED = 5,   /**< it has ended */
    KIN_REFLECTOR_CONNECTING = 6 /**< it has asked for a watch, and the source has not agreed yet */
} kin_reflector_state;

/**
 * The name of a state: "watching". "?" for what is none.
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_reflector_state_name(kin_reflector_state state);

/**
 * How a reflector is. Times are monotonic, of its clock, in nanoseconds; 0 where there was none. Start
 * with KIN_REFLECTOR_STATUS_INIT.
 */
typedef struct kin_reflector_status {
    size_t size;               /**< sizeof(kin_reflector_status); set by the INIT macro */
    kin_reflector_state state; /**< what it is doing */
    int64_t since;             /**< since when */
    int64_t backoff_until;     /**< when it tries again, if it backs off */
    char resource_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1]; /**< up to which it has seen all */
    kin_error last_error;    /**< of the last failure, `code` 0 if there was none; it stays */
    int64_t last_error_time; /**< when that was */
    int64_t last_list;       /**< when a list was last complete, streaming lists included */
    int64_t last_event;      /**< when a change last came */
    int64_t last_bookmark;   /**< when a bookmark last came */
    uint64_t lists;          /**< that were complete, streaming lists included */
    uint64_t streams;        /**< of these, streaming lists */
    uint64_t relists;   /**< lists that were begun after a failure, for gaps, or by `relist_ms` */
    uint64_t watches;   /**< that were begun, streaming lists included */
    uint64_t events;    /**< changes that came */
    uint64_t bookmarks; /**< that came */
    uint64_t skipped;   /**< objects that could not be used */
    uint64_t store_errors; /**< changes and lists that the store refused */
    uint64_t retries;      /**< how often it has backed off */
    uint64_t resyncs;      /**< how often it has told the store to resync */
    /**
     * Objects that were skipped and not put right since: the store may lack them, or have an old state. One
     * whose key could not be read counts each time it comes, until the next list.
     */
    uint64_t gaps;
    bool
        keeps_missing; /**< the last list deleted nothing, for its gaps: what is gone may be left */
    int64_t next_relist; /**< when it lists for these two or by `relist_ms`; 0: never */
    uint64_t listed;     /**< objects that the list under way has brought so far; 0: none is */
    /**
     * Streaming lists that were followed by a list at once. One that the server refuses, as those do that have
     * none, is no failure, and not in `last_error`: if more is refused, the list fails as well.
     */
    uint64_t fallbacks;
    /**
     * Consecutive failures whose cause was the credentials, the permissions (401, 403) or TLS. Zero after any other
     * failure, and after a list or a watch has succeeded.
     */
    uint64_t refusals;
    /** When its source was last known to be alive: an event, bytes, or the answer to a probe; 0: never */
    int64_t last_heard;
    /** The server does not answer a probe; the list or watch fails soon unless something comes */
    bool in_doubt;
    kin_encoding
        encoding; /**< of the last answer; default: no answer yet, or the source is not a client's */
    /** Lists and watches for which protobuf could not be used: see `encoding` of kin_client_options */
    uint64_t json_fallbacks;
} kin_reflector_status;

/* clang-format off */
/** A status to be filled in. */
#define KIN_REFLECTOR_STATUS_INIT                                                                  \
    {sizeof(kin_reflector_status), KIN_REFLECTOR_IDLE, 0, 0, {0}, KIN_ERROR_INIT, 0, 0, 0, 0, 0,   \
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0, 0, false, KIN_ENCODING_DEFAULT, 0}
/* clang-format on */

/** The operation that failed. */
typedef enum kin_failed_operation {
    KIN_FAILED_LIST = 1, /**< a list, or its first page */
    KIN_FAILED_PAGE = 2, /**< a page after the first */
    KIN_FAILED_STREAMING_LIST =
        3,                      /**< a watch that begins with a list, before the end of the list */
    KIN_FAILED_WATCH_BEGIN = 4, /**< a watch that the server has not agreed to */
    KIN_FAILED_WATCH =
        5, /**< an established watch: the connection was lost, the server does not answer a
                               probe, an error event, a change that the store refused */
    KIN_FAILED_RESYNC = 6 /**< the store refused a resync, which ends the watch */
} kin_failed_operation;

/**
 * The name of an operation: "watch".
 *
 * @return BORROWED for ever; "?" for an unknown one.
 * @thread any
 */
KIN_API const char *kin_failed_operation_name(kin_failed_operation operation);

/** One failure of a reflector or informer. All is BORROWED during the callback. */
typedef struct kin_failure {
    size_t size;                    /**< sizeof(kin_failure) */
    kin_failed_operation operation; /**< the operation that failed */
    const kin_error *err;           /**< why */
    /** of an informer that watches several namespaces: the one of the operation; else NULL */
    const char *namespace_;
    /**
     * client-go calls its WatchErrorHandler for such a failure: a list or page that failed, or a watch that
     * could not begin for another reason than a refused connection, 429 or Retry-After.
     */
    bool is_watch_error;
} kin_failure;

/**
 * Called for each failure of a list or watch, at each attempt: whenever `last_error` of the status is set. The
 * reflector retries by itself. The function may stop it if a retry cannot help.
 *
 * These are not failures: a watch that the server ends after its time, objects that were skipped (`skipped` and `gaps`
 * of the status), and the refusal of a streaming list by a server without them. An expired version (KIN_EEXPIRED) is
 * one, although a list follows that puts it right.
 *
 * @param reflector  BORROWED during the call.
 * @param failure    BORROWED during the call.
 * @thread a worker, or one that calls into the reflector when the workers have ended; no lock is held,
 *         any function may be called
 */
typedef void kin_reflector_error_fn(kin_reflector *reflector, const kin_failure *failure,
                                    void *arg);

/**
 * Called when the state or `in_doubt` has changed.
 *
 * @param reflector  BORROWED during the call.
 * @param status     BORROWED during the call.
 * @thread as kin_reflector_error_fn
 */
typedef void kin_reflector_status_fn(kin_reflector *reflector, const kin_reflector_status *status,
                                     void *arg);

/**
 * Whether a resync is due: client-go's ShouldResync.
 *
 * @thread as kin_reflector_error_fn
 */
typedef bool kin_should_resync_fn(void *arg);

/** Whether lists are asked for as the beginning of a watch. */
typedef enum kin_streaming_lists {
    /** In protobuf, and from sources of the program's own that support them, until one fails. In JSON from an API
        server plain lists, which cost it and the client half the CPU time (docs/informer.md). */
    KIN_STREAMING_LISTS_AUTO = 0,
    KIN_STREAMING_LISTS_NEVER = 1, /**< plain lists */
    KIN_STREAMING_LISTS_ALWAYS = 2 /**< tried each time, whatever the source says */
} kin_streaming_lists;

/**
 * What a reflector tells of itself, under client-go's names (`reflector_lists_total` and so on, of which
 * `name`, that of the reflector, is the label); each may be NULL. COPIED.
 *
 * Of one reflector they are called one at a time, of several at once, by the threads that call its other
 * functions, with no lock held. They may use the reflector. `name` is BORROWED during the call.
 */
typedef struct kin_reflector_metrics {
    size_t size; /**< set by the INIT macro */
    /** Counter: a list was begun, streaming lists included. Its pages, and another try of it at another
        version, are no further ones. */
    void (*lists_total)(const char *name, void *arg);
    /** Histogram: how long a list took, from its first request until the store had it. */
    void (*list_duration_seconds)(const char *name, double seconds, void *arg);
    /** Histogram: how many objects it had, with those that were skipped. */
    void (*items_per_list)(const char *name, double items, void *arg);
    /** Counter: a watch was begun, streaming lists included. */
    void (*watches_total)(const char *name, void *arg);
    /** Counter: a watch has ended within a second, by itself and with nothing. */
    void (*short_watches_total)(const char *name, void *arg);
    /** Histogram: how long a watch has lasted that the source had agreed to, from its request on. */
    void (*watch_duration_seconds)(const char *name, double seconds, void *arg);
    /** Histogram: how many events it has brought, with bookmarks and what a streaming list begins with. */
    void (*items_per_watch)(const char *name, double items, void *arg);
    /** Gauge: the version up to which all was handed to the store, if it is a number; its last 15 digits,
        which a double can hold. */
    void (*last_resource_version)(const char *name, double version, void *arg);
    /** Gauge: 1 while the server does not answer a probe, else 0. */
    void (*in_doubt)(const char *name, double in_doubt, void *arg);
} kin_reflector_metrics;

/* clang-format off */
/** No metrics yet. */
#define KIN_REFLECTOR_METRICS_INIT                                                                 \
    {sizeof(kin_reflector_metrics), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/** How a reflector behaves. Start with KIN_REFLECTOR_OPTIONS_INIT; zero is the default. */
typedef struct kin_reflector_options {
    size_t size;             /**< sizeof(kin_reflector_options); set by the INIT macro */
    const char *name;        /**< in log lines; COPIED; NULL: "reflector" */
    kin_logger *logger;      /**< SHARED; NULL: the default one */
    kin_clock *clock;        /**< SHARED; NULL: the client's, or the system's */
    uint64_t seed;           /**< of delays and timeouts; 0: another one each time */
    const char *api_version; /**< objects of another one are skipped; COPIED; NULL: any */
    const char *kind;        /**< the same; COPIED; NULL: any */
    /**
     * Begin with a watch behind this version, without a list: the store has that state already. If the source
     * has forgotten it, a list follows at once. Counts for the first start. Not "0", which is any. COPIED; NULL
     * or empty: list.
     */
    const char *resource_version;
    int64_t page_size; /**< of lists; 0: by client-go's rules, 500 or none */
    int64_t
        list_timeout_ms; /**< a page fails if no byte of it comes for this time; 0: 5 min, -1: never */
    int64_t
        min_watch_timeout_ms; /**< how long the server is asked to let a watch last, and up to as
                                       long again by chance; 0 and less than 5 min: 5 min */
    int64_t
        internal_error_retry_ms; /**< after an internal error of the server within a watch that is
                                          resumed at once, for so long; 0: list again */
    kin_streaming_lists streaming_lists; /**< whether a watch begins with the list */
    int64_t resync_ms; /**< how often the store is told to resync while it watches; 0: never */
    kin_should_resync_fn *should_resync; /**< asked before; NULL: always */
    int64_t backoff_initial_ms;          /**< first delay; 0: 800 ms */
    int64_t backoff_max_ms; /**< longest delay, without jitter; also limits a server's Retry-After;
                                 0: 30 s */
    int64_t backoff_reset_ms; /**< without a delay for so long, the next is the first; 0: 2 min */
    double backoff_factor;    /**< of one delay to the next; 0: 2 */
    double backoff_jitter;    /**< up to so much of a delay is added; 0: 1, negative: none */
    kin_reflector_error_fn *error;   /**< NULL: what client-go calls its handler for is logged */
    kin_reflector_status_fn *status; /**< is told of each change of state; may be NULL */
    void *arg; /**< handed to the three functions; CONSUMED if `arg_free` is given, else BORROWED */
    void (*arg_free)(void *arg); /**< releases `arg` after the last call; may be NULL */
    /**
     * After a list or a watch with gaps, objects that were skipped, it lists again: first after so long, then
     * after twice as long each time, with the jitter above, until a list has none. An event of the same
     * object heals a gap, too. 0: 1 min, -1: never
     */
    int64_t gap_relist_ms;
    int64_t gap_relist_max_ms;            /**< longest of these, without jitter; 0: 1 h */
    const kin_reflector_metrics *metrics; /**< COPIED; NULL: none */
    void
        *metrics_arg; /**< handed to them; CONSUMED if `metrics_arg_free` is given, else BORROWED */
    void (*metrics_arg_free)(void *arg); /**< releases it after the last call; may be NULL */
    /**
     * Once the source has sent bookmarks on a watch, a watch without any event or bookmark for this time, less up to a
     * tenth by chance, ends and is resumed. It finds a frozen server whose load balancer answers. API servers send
     * a bookmark each minute. 0: 150 s for sources of a client, else never; -1: never
     */
    int64_t bookmark_timeout_ms;
    /**
     * List again when the last list began this long ago, less up to a tenth by chance. The list is of the most recent
     * state: it has no resource version. It finds differences that no watch reports, as after the server was restored
     * from a backup. If it fails, the watch is resumed, and the list is retried with the delays of `gap_relist_ms`.
     * 0: never, as client-go
     */
    int64_t relist_ms;
} kin_reflector_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_REFLECTOR_OPTIONS_INIT                                                                 \
    {sizeof(kin_reflector_options), NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0,             \
     KIN_STREAMING_LISTS_AUTO, 0, NULL, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL,   \
     NULL, 0, 0}
/* clang-format on */

/**
 * Make a reflector. Nothing is asked for yet, and no thread is started.
 *
 * @param[out] ret  OWNED; release with kin_reflector_free().
 * @param source    SHARED: a reference is taken.
 * @param store     COPIED. Its `arg` is CONSUMED if it has an `arg_free`.
 * @param options   COPIED; NULL for the defaults. Its `arg` is CONSUMED if it has an `arg_free`, and so is its
 *                  `metrics_arg`.
 * @return 0, KIN_EINVAL (NULL, a function of the store is missing, or a setting that makes no sense; the
 *         message names it), KIN_ELIMIT (the version is too long), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_reflector_new(kin_reflector **ret, kin_list_watch *source,
                              const kin_reflector_store *store,
                              const kin_reflector_options *options, kin_error *err);

/**
 * Stop a reflector, wait until it has ended, and release it. From one of its own callbacks, or another
 * that runs on the same workers, it does not wait: it ends soon, calls back no more but for the `arg_free`
 * functions, and the store has to be there until then.
 *
 * @param reflector  CONSUMED; may be NULL.
 * @thread any    @blocks until a call into the store that is under way has returned
 */
KIN_API void kin_reflector_free(kin_reflector *reflector);

/**
 * Begin to follow the source. A reflector that was stopped can be started again: it lists anew, not
 * older than what it has seen.
 *
 * @param reflector  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (it runs, or has not ended yet), KIN_ECLOSED (the client was
 *         freed), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_reflector_start(kin_reflector *reflector, kin_error *err);

/**
 * Let it end, whatever it is doing. Returns at once, and the network is not waited for. Nothing happens
 * if it does not run.
 *
 * @param reflector  BORROWED for the call; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_reflector_stop(kin_reflector *reflector);

/**
 * Wait until it has ended: from then on nothing is put into the store, and none of its functions is
 * called. At once if it does not run.
 *
 * @param reflector   BORROWED for the call.
 * @param timeout_ms  of its clock; -1 waits for ever, 0 polls.
 * @return 0, KIN_EINVAL (NULL), KIN_ETIMEOUT, KIN_EBUSY (from one of its own callbacks, or another that runs on
 *         the same workers), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_reflector_wait(kin_reflector *reflector, int64_t timeout_ms, kin_error *err);

/**
 * Start it, and wait until somebody stops it.
 *
 * @param reflector  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EBUSY (it runs already, or from one of its own callbacks), KIN_ECLOSED,
 *         KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM: as kin_reflector_start().
 * @thread any    @blocks until it has ended
 */
KIN_API int kin_reflector_run(kin_reflector *reflector, kin_error *err);

/**
 * The resource version up to which all was handed to the store: client-go's LastSyncResourceVersion. A
 * queue may not have processed that yet.
 *
 * @param reflector  BORROWED for the call.
 * @param[out] buf   terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version; 0: none yet.
 * @thread any
 */
KIN_API size_t kin_reflector_last_version(kin_reflector *reflector, char *buf, size_t size);

/**
 * How it is.
 *
 * @param reflector  BORROWED for the call.
 * @param[out] ret   filled in; its `size` is set.
 * @return 0, KIN_EINVAL (NULL, or no size), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_reflector_get_status(kin_reflector *reflector, kin_reflector_status *ret,
                                     kin_error *err);

/**
 * Its name.
 *
 * @param reflector  BORROWED while the result is used.
 * @return BORROWED while the reflector lives.
 * @thread any
 */
KIN_API const char *kin_reflector_name(const kin_reflector *reflector);

KIN_END_DECLS

#endif
