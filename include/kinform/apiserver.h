/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * An API server inside your process, for tests, demos and small setups.
 *
 * It speaks the Kubernetes API over HTTP/1.1, plain or with TLS, on a port of its own, and can be
 * told to misbehave as a real one does once a year. Any number may run beside each other.
 *
 * ```
 * kin_apiserver *server = NULL;
 *
 * if (kin_apiserver_new(&server, NULL, &err) == 0 && kin_apiserver_start(server, &err) == 0)
 *     printf("%s\n", kin_apiserver_url(server));
 * kin_apiserver_free(server);
 * ```
 *
 * A library of its own (libkinform-apiserver), whose promise of stability is weaker than that of the
 * first: minor releases may change it.
 */
#ifndef KINFORM_APISERVER_H
#define KINFORM_APISERVER_H

#include <kinform/clock.h>
#include <kinform/log.h>

KIN_BEGIN_DECLS

/** An API server. OWNED. */
typedef struct kin_apiserver kin_apiserver;

/** Somebody who may use the server. All is COPIED. */
typedef struct kin_apiserver_token {
    const char *token; /**< what is sent as `Authorization: Bearer TOKEN` */
    const char *user;  /**< the name in the log of requests and in refusals; NULL: "admin" */
    bool read_only;    /**< only get, list and watch */
} kin_apiserver_token;

/** What a server is like. Begin with KIN_APISERVER_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_apiserver_options {
    size_t size;         /**< set by KIN_APISERVER_OPTIONS_INIT */
    const char *address; /**< an IP address to listen on; NULL: 127.0.0.1 */
    uint16_t port;       /**< 0: a free one */

    bool tls;              /**< a certificate of its own, unless files are given */
    const char *cert_file; /**< PEM, the chain; with `key_file` and `tls` */
    const char *key_file;  /**< PEM */
    const char *ca_file;   /**< PEM, what clients shall trust; NULL: `cert_file` */

    const kin_apiserver_token *tokens; /**< who may use it; without any: everybody */
    size_t n_tokens;                   /**< how many tokens there are */
    /**
     * Serve everybody also where `address` is not a loopback address and there are no tokens. Without
     * it such a server does not start.
     */
    bool allow_anonymous;

    unsigned threads;                     /**< that serve; 0: as many as cores, 4 at most */
    unsigned max_connections;             /**< 0: 10,000 */
    unsigned max_connections_per_address; /**< 0: no limit of its own */
    size_t max_header_bytes;              /**< of a request; 0: 32 KiB, at most 16 MiB */
    size_t max_body_bytes;                /**< of a request; 0: 3 MiB, at most 1 GiB */
    int64_t header_timeout_ms;            /**< for the head of a request to arrive; 0: 32,000 */
    int64_t body_timeout_ms;              /**< for its body; 0: 60,000 */
    int64_t idle_timeout_ms;              /**< between requests; 0: 90,000 */
    int64_t send_timeout_ms; /**< for a client that reads nothing; 0: 300,000; whole seconds */
    int64_t stop_timeout_ms; /**< for answers that are under way at the end; 0: 1,000 */

    const char *storage_path; /**< a SQLite file that keeps all; NULL: memory only */
    bool full_sync;           /**< each write survives a power cut, too */
    size_t window_changes;    /**< changes per kind that watches can begin at; 0: 10,000 */
    size_t window_bytes;      /**< memory for what these supersede; 0: 64 MiB */
    int64_t bookmark_ms;      /**< how often watches get bookmarks; 0: 60,000 */
    int64_t watch_timeout_ms; /**< of watches that do not say; 0: 1,800,000 */

    size_t log_requests; /**< how many requests are remembered; 0: 1,024 */
    bool control;        /**< serve /_kinform/, by which clients may inject faults */
    uint64_t seed;       /**< of all that is random; 0: another one each time */
    kin_clock *clock;    /**< SHARED; NULL: the system's */
    kin_logger *logger;  /**< SHARED; NULL: the default logger */
    /**
     * The resource version that an empty server begins with; 0: 1, at most 2^62. Whoever followed another
     * server at the same address, with less, is told that this is expired, and lists: the time will do.
     */
    uint64_t first_version;
    /**
     * Host names under which clients reach the server, separated by commas; NULL: none. A request
     * whose Host header has another name than these or localhost is refused with 403, since a web
     * page can bind its own name to the server's address. A certificate of its own has them, too. IP
     * addresses, patterns and empty names are refused with KIN_EINVAL: addresses that the server listens
     * on need no entry.
     */
    const char *host_names;
    /**
     * Compress watches for clients that accept gzip: one gzip member for all events that are sent
     * together. Kubernetes 1.37 does so, of streaming lists alone. Long answers that are not watches
     * are always compressed.
     */
    bool gzip_watches;
} kin_apiserver_options;

/* clang-format off */
/** The defaults: `kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;` */
#define KIN_APISERVER_OPTIONS_INIT                                                                 \
    {sizeof(kin_apiserver_options), NULL, 0, false, NULL, NULL, NULL, NULL, 0, false, 0, 0, 0, 0,  \
     0, 0, 0, 0, 0, 0, NULL, false, 0, 0, 0, 0, 0, false, 0, NULL, NULL, 0, NULL, false}
/* clang-format on */

/**
 * Make a server. It does not listen yet.
 *
 * @param[out] ret  OWNED; release with kin_apiserver_free().
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (an option, or an address that everybody reaches without tokens and
 *         `allow_anonymous`), KIN_EBUSY (the storage is in use), KIN_EPARSE (the storage or a PEM
 *         file is damaged), KIN_ETLS (no certificate could be made), KIN_ENOTFOUND (a file is not
 *         there), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any    @blocks while files are read
 */
KIN_API int kin_apiserver_new(kin_apiserver **ret, const kin_apiserver_options *options,
                              kin_error *err);

/**
 * Listen and serve, in threads of its own. After kin_apiserver_stop() it may be started again, with
 * the same objects and on the same port, which it keeps until it is freed.
 *
 * @return 0, KIN_EBUSY (it runs), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM (the port is in use).
 * @thread any, one at a time
 */
KIN_API int kin_apiserver_start(kin_apiserver *server, kin_error *err);

/**
 * Stop serving: no new connections, watches end, answers that are under way get `stop_timeout_ms`,
 * then all connections are closed and the threads are joined. Nothing to do if it does not run.
 *
 * @param server  BORROWED; may be NULL.
 * @thread any, one at a time; not from a thread of the server    @blocks up to stop_timeout_ms
 */
KIN_API void kin_apiserver_stop(kin_apiserver *server);

/**
 * Restart it, as if its process had been killed and started again: connections break off wherever they
 * are, watches too, the port is closed for a moment, and requests that were under way may or may not have
 * been done. Objects and their versions stay: those of a file are read from it again. Faults, the log of
 * requests and the metrics stay as well.
 *
 * @param forget  forget the past, too, as the real server's watch cache does: watches that begin at a
 *                version before this moment get 410. Else they go on where they were, as they would
 *                at a second server that has not been restarted.
 * @return 0, KIN_EINVAL (it does not run), KIN_EFORKED, and what kin_apiserver_new() and
 *         kin_apiserver_start() say, after which it does not run.
 * @thread any; not from a thread of the server    @blocks until it listens again
 */
KIN_API int kin_apiserver_restart(kin_apiserver *server, bool forget, kin_error *err);

/**
 * Stop it and release it.
 *
 * @param server  CONSUMED; may be NULL.
 * @thread any, no other call on it at the same time    @blocks as kin_apiserver_stop()
 */
KIN_API void kin_apiserver_free(kin_apiserver *server);

/**
 * Where it listens: "http://127.0.0.1:34567".
 *
 * @return BORROWED until the server is freed; "" before its first start.
 * @thread any, not while it is being started
 */
KIN_API const char *kin_apiserver_url(const kin_apiserver *server);

/**
 * The port it listens on; 0 before its first start, if none was asked for.
 *
 * @thread any, not while it is being started
 */
KIN_API uint16_t kin_apiserver_port(const kin_apiserver *server);

/**
 * A kubeconfig with which a client gets in: the address, whom to trust, and the first token.
 *
 * @param[out] ret  OWNED, terminated; release with kin_free(). Holds the token.
 * @return 0, KIN_EINVAL (not started yet), KIN_EFORKED, KIN_ENOMEM.
 * @thread any, not while it is being started
 */
KIN_API int kin_apiserver_kubeconfig(const kin_apiserver *server, char **ret, kin_error *err);

/**
 * Write the kubeconfig to a file, readable by its owner alone. A file of that name is replaced as a
 * whole, unless it belongs to another user.
 *
 * @param path  BORROWED for the call.
 * @return 0, KIN_EINVAL (not started yet), KIN_EDENIED (another user's file), KIN_EFORKED,
 *         KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any, not while it is being started    @blocks while it writes
 */
KIN_API int kin_apiserver_write_kubeconfig(const kin_apiserver *server, const char *path,
                                           kin_error *err);

/** What a server does wrong. */
typedef enum kin_fault_type {
    KIN_FAULT_DELAY = 1,  /**< answer after `delay_ms`, else as always */
    KIN_FAULT_STATUS = 2, /**< answer `status`, with `body` or a Status of that code */
    /**
     * Take no connections: `times` of them are reset, and with KIN_FAULT_ALWAYS the port is closed
     * until the rule is removed. `verb` and `path` do not matter.
     */
    KIN_FAULT_REFUSE = 3,
    KIN_FAULT_RESET =
        4, /**< reset the connection behind `bytes` of the body; 0: no answer at all */
    KIN_FAULT_STALL = 5,    /**< send nothing behind `bytes` of the body; 0: no answer at all */
    KIN_FAULT_DRIP = 6,     /**< `bytes` of the body per `interval_ms` */
    KIN_FAULT_TRUNCATE = 7, /**< end the connection in the midst of a chunk, behind `bytes` */
    KIN_FAULT_GARBAGE = 8,  /**< 16 bytes that are no JSON in the place of what is behind `bytes` */
    KIN_FAULT_OVERSIZE = 9, /**< `bytes` (0: 16 MiB) of white space in front of the body */
    /** An ERROR event with a Status of `status` in a watch, which then ends; `skip` counts events. */
    KIN_FAULT_WATCH_ERROR = 10,
    KIN_FAULT_WATCH_DROP = 11,      /**< events of watches are lost */
    KIN_FAULT_WATCH_DUPLICATE = 12, /**< events of watches come twice */
    /** An event of a watch comes behind the next one, or at the end of the watch. */
    KIN_FAULT_WATCH_REORDER = 13,
    KIN_FAULT_WATCH_NO_BOOKMARKS = 14,   /**< bookmarks are lost */
    KIN_FAULT_WATCH_NO_INITIAL_END = 15, /**< the bookmark that ends the initial events is lost */
    KIN_FAULT_WATCH_END = 16,            /**< the watch ends early, as if its time had come */
    /**
     * One object is too large: the first item of a list, the object of a watch's first event, or the
     * one object of another answer has a member "kinformPadding" of `bytes` (0: 16 MiB).
     */
    KIN_FAULT_OVERSIZE_OBJECT = 17,
    KIN_FAULT_WATCH_OVERSIZE = 18 /**< the objects of events have such a member */
} kin_fault_type;

/** As `times` of a rule: until it is removed. */
#define KIN_FAULT_ALWAYS 0xffffffffu

/**
 * A rule: which requests (for faults of watches: which events) meet which fault. Rules are asked in
 * the order in which they were injected, and the first that matches and is not used up applies.
 * Begin with KIN_FAULT_INIT. COPIED.
 */
typedef struct kin_fault {
    size_t size;         /**< set by KIN_FAULT_INIT */
    kin_fault_type type; /**< what goes wrong */
    const char *verb;    /**< "list", "watch", …, "get" of what is no resource; NULL: any */
    const char *path;    /**< of the path, without the query; `*` and `?`; NULL: any */
    uint32_t times;      /**< how often it applies; 0: once; KIN_FAULT_ALWAYS */
    uint32_t skip;       /**< how many that match are spared first */
    double probability;  /**< that it applies to one that matches, seeded; 0: 1 */
    int64_t delay_ms;    /**< before anything else happens; not of connections and watches */
    int64_t interval_ms; /**< of KIN_FAULT_DRIP; 0: 100 */
    uint64_t bytes;      /**< as the type says */
    int status;          /**< of KIN_FAULT_STATUS (0: 500) and KIN_FAULT_WATCH_ERROR (0: 410) */
    int retry_after_s;   /**< a header, and in the Status; 0: none */
    const char *body;    /**< of KIN_FAULT_STATUS, instead of a Status; NULL: none */
} kin_fault;

/* clang-format off */
/** A rule that says nothing yet: `kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STALL);` */
#define KIN_FAULT_INIT(type_) {sizeof(kin_fault), (type_), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, NULL}
/* clang-format on */

/**
 * Add a rule. It holds for requests that arrive from now on, also before the server is started.
 *
 * @param fault        COPIED.
 * @param[out] ret_id  for kin_apiserver_remove_fault(); may be NULL.
 * @return 0, KIN_EINVAL, KIN_ELIMIT (10,000 rules), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_apiserver_inject(kin_apiserver *server, const kin_fault *fault, uint64_t *ret_id,
                                 kin_error *err);

/**
 * Add rules as JSON, as clients send them to a server with `control`: one, `{"type": "Stall"}`, or several,
 * `{"faults": [{"type": "WatchDrop", "skip": 3}, …]}`. docs/apiserver.md has all members.
 *
 * @param rules  BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EPARSE (no JSON), KIN_ELIMIT (10,000 rules), KIN_EFORKED, KIN_ENOMEM,
 *         KIN_ESYSTEM. Of several, those before the one that is wrong stay.
 * @thread any
 */
KIN_API int kin_apiserver_inject_json(kin_apiserver *server, kin_str rules, kin_error *err);

/**
 * Remove a rule. Requests that it has already met are not helped.
 *
 * @param[out] ret_hits  how often it has applied; may be NULL.
 * @return 0, KIN_ENOTFOUND, KIN_EFORKED, KIN_ESYSTEM (the port, closed by KIN_FAULT_REFUSE, is taken
 *         by somebody else).
 * @thread any
 */
KIN_API int kin_apiserver_remove_fault(kin_apiserver *server, uint64_t id, uint64_t *ret_hits,
                                       kin_error *err);

/**
 * Remove all rules.
 *
 * @return 0, KIN_EFORKED, KIN_ESYSTEM: as kin_apiserver_remove_fault().
 * @thread any
 */
KIN_API int kin_apiserver_clear_faults(kin_apiserver *server, kin_error *err);

/**
 * Forget the past now: watches and lists of any version before this moment get 410, open watches too.
 *
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ESYSTEM (there is nothing after a restart that failed).
 * @thread any    @blocks while it is being started or stopped
 */
KIN_API int kin_apiserver_compact(kin_apiserver *server, kin_error *err);

/**
 * Go back in time, as after a backup was restored: all is as it was at `version`, versions count on from
 * there, and open watches end with 410.
 *
 * @return 0, KIN_EEXPIRED (not among what is remembered), KIN_ERANGE (not there yet), KIN_EINVAL,
 *         KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM (the storage could not).
 * @thread any    @blocks until writes that are under way are stored, and while it is being started or
 *         stopped
 */
KIN_API int kin_apiserver_rewind(kin_apiserver *server, uint64_t version, kin_error *err);

/** How far a request has come. */
typedef enum kin_request_phase {
    KIN_REQUEST_RECEIVED = 0, /**< it is being worked on */
    KIN_REQUEST_ANSWERED = 1, /**< its status is decided; a watch stays here */
    KIN_REQUEST_ENDED = 2     /**< all was sent, or the connection is gone */
} kin_request_phase;

/** A request that the server remembers. All in it is BORROWED during the call that hands it out. */
typedef struct kin_request_record {
    size_t size;             /**< sizeof(kin_request_record) as the library knows it */
    uint64_t id;             /**< counts all requests, from 1 */
    int64_t unix_ns;         /**< when it was received, by the server's clock */
    int64_t duration_ns;     /**< until its end, or until now */
    kin_request_phase phase; /**< how far it has come */
    int status;              /**< of the answer; 0: none was given */
    uint64_t body_bytes;     /**< that were given to be sent */
    uint64_t fault;          /**< the rule that it met; 0: none */
    const char *method;      /**< "GET" */
    const char *verb;        /**< "list" */
    const char *path;        /**< as sent, cut at 2,048 bytes */
    const char *query;       /**< as sent, cut at 2,048 bytes */
    const char *caller;      /**< "system:anonymous", or the user of a token */
} kin_request_record;

/** Which requests. Begin with KIN_REQUEST_FILTER_INIT. All is BORROWED for the call. */
typedef struct kin_request_filter {
    size_t size;             /**< set by KIN_REQUEST_FILTER_INIT */
    const char *verb;        /**< NULL: any */
    const char *path;        /**< `*` and `?`; NULL: any */
    const char *query;       /**< `*` and `?`; NULL: any */
    int status;              /**< 0: any */
    kin_request_phase phase; /**< those that have come at least so far */
    uint64_t after_id;       /**< those with a larger id */
} kin_request_filter;

/* clang-format off */
/** All requests: `kin_request_filter filter = KIN_REQUEST_FILTER_INIT;` */
#define KIN_REQUEST_FILTER_INIT                                                                    \
    {sizeof(kin_request_filter), NULL, NULL, NULL, 0, KIN_REQUEST_RECEIVED, 0}
/* clang-format on */

/**
 * Receives a request of the log.
 *
 * @param record  BORROWED during the call.
 * @return true to see the next one.
 * @thread the caller's of kin_apiserver_requests(); no lock is held
 */
typedef bool kin_request_fn(const kin_request_record *record, void *arg);

/**
 * Show the requests that the server remembers, the oldest first.
 *
 * @param filter  BORROWED for the call; NULL: all.
 * @param fn      called for each.
 * @param arg     handed to `fn`; BORROWED for the call.
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_apiserver_requests(kin_apiserver *server, const kin_request_filter *filter,
                                   kin_request_fn *fn, void *arg, kin_error *err);

/**
 * Wait until at least `n` of the requests that the server remembers match.
 *
 * @param filter      BORROWED for the call; NULL: all.
 * @param timeout_ms  real milliseconds; -1 waits for ever, 0 looks once.
 * @return 0, KIN_ETIMEOUT, KIN_EINVAL (also: so many are never remembered), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_apiserver_wait_for_request(kin_apiserver *server, const kin_request_filter *filter,
                                           size_t n, int64_t timeout_ms, kin_error *err);

/**
 * A cluster that a server pretends to be in front of: see kin_apiserver_simulate(). Begin with
 * KIN_SIMULATION_OPTIONS_INIT; zero is the default. At most a million of each. COPIED.
 */
typedef struct kin_simulation_options {
    size_t size;          /**< set by KIN_SIMULATION_OPTIONS_INIT */
    uint64_t seed;        /**< of names and of what happens when; any number, 0 as well */
    unsigned nodes;       /**< 0: 10 */
    unsigned deployments; /**< 0: 12; in 8 namespaces, "default" and "shop" among them */
    unsigned pods; /**< 0: 100; of all these Deployments, in the beginning; about 8 KB each */
    /**
     * Changes per second, of all kinds together: Pods that crash, are replaced or get unready,
     * Deployments that are rolled out or scaled, nodes that fail, and what follows from it. 0: none
     * but heartbeats, one per node in 10 seconds, which there are always.
     */
    unsigned churn;
    unsigned
        events; /**< Events that are kept at most; 0: 5,000. None is kept longer than an hour */
} kin_simulation_options;

/* clang-format off */
/** The defaults: `kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;` */
#define KIN_SIMULATION_OPTIONS_INIT {sizeof(kin_simulation_options), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/**
 * Simulate a cluster, in a thread of its own and by the server's clock: Nodes with heartbeats,
 * Deployments with ReplicaSets and Pods that are scheduled, start, get ready, crash, roll out and
 * scale, Leases and Events. It does what scheduler, controllers and kubelets would do, also with the
 * Deployments that clients make, scale, change and delete, and with Pods and Nodes that they delete.
 * Pods that no ReplicaSet of a Deployment has made are not scheduled.
 *
 * What there is already is taken over, so that it goes on after a restart with the same storage.
 * The same seed gives the same cluster in a server that is empty.
 *
 * @param server   BORROWED; it has been started. kin_apiserver_stop() ends the simulation, too; after
 *                 kin_apiserver_restart() it goes on.
 * @param options  COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (an option, or the server was not started), KIN_EBUSY (there is a simulation
 *         already), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM (no thread).
 * @thread any
 */
KIN_API int kin_apiserver_simulate(kin_apiserver *server, const kin_simulation_options *options,
                                   kin_error *err);

/**
 * End the simulation. What it has made stays as it is. Nothing to do if there is none.
 *
 * @param server  BORROWED; may be NULL.
 * @thread any    @blocks for a write
 */
KIN_API void kin_apiserver_stop_simulation(kin_apiserver *server);

/**
 * Change how many changes there are per second, from now on.
 *
 * @return 0, KIN_EINVAL (no simulation, or more than a million), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_apiserver_set_churn(kin_apiserver *server, unsigned churn, kin_error *err);

/**
 * Wait until all that the simulation begins with is there, and the Pods of the beginning run.
 *
 * @param timeout_ms  real milliseconds; -1 waits for ever, 0 looks once.
 * @return 0, KIN_ETIMEOUT, KIN_EINVAL (no simulation), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_apiserver_wait_for_simulation(kin_apiserver *server, int64_t timeout_ms,
                                              kin_error *err);

/** What a simulation has done so far. Begin with KIN_SIMULATION_STATS_INIT. */
typedef struct kin_simulation_stats {
    size_t size;           /**< set by KIN_SIMULATION_STATS_INIT */
    uint64_t writes;       /**< that succeeded */
    uint64_t conflicts;    /**< writes that were made again, as somebody else had been quicker */
    uint64_t lost;         /**< objects that somebody else has deleted */
    uint64_t failures;     /**< writes that failed otherwise, and are tried again */
    uint64_t nodes;        /**< that are there */
    uint64_t deployments;  /**< the same; those of others included */
    uint64_t replica_sets; /**< the same */
    uint64_t pods;         /**< the same; those included that are about to be made */
    uint64_t events;       /**< the same */
} kin_simulation_stats;

/* clang-format off */
/** Empty statistics. */
#define KIN_SIMULATION_STATS_INIT {sizeof(kin_simulation_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/**
 * Get what the simulation has done since kin_apiserver_simulate(). A restart of the server does not reset the
 * counts.
 *
 * @param[in,out] ret  made with KIN_SIMULATION_STATS_INIT; filled in.
 * @return 0, KIN_EINVAL (no simulation), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_apiserver_simulation_stats(kin_apiserver *server, kin_simulation_stats *ret,
                                           kin_error *err);

KIN_END_DECLS

#endif
