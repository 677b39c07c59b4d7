/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Factories: one informer per resource, shared by all parts of a program that ask for it.
 * client-go's SharedInformerFactory.
 *
 * @code
 * kin_factory *factory = NULL;
 * kin_informer *pods = NULL;
 * kin_lister *nodes = NULL;
 *
 * if (kin_factory_new(&factory, client, NULL, &err) < 0 ||
 *     kin_factory_informer(factory, &pods, "pods", &err) < 0 ||
 *     kin_factory_lister(factory, &nodes, "nodes", &err) < 0 ||
 *     kin_informer_add_handler(pods, NULL, changed, NULL, NULL, &err) < 0 ||
 *     kin_factory_start(factory, &err) < 0 ||
 *     kin_factory_wait_for_sync(factory, 30000, &err) < 0)
 *     fprintf(stderr, "%s\n", err.message); // 1 of 2 have not synced: nodes (waiting: …
 * ...
 * kin_lister_free(nodes);
 * kin_factory_free(factory);
 * @endcode
 *
 * Which names mean the same resource is for the server to say, and it is not asked for that: a
 * factory that waited for it could not be set up while there is no connection. So these share an
 * informer:
 *
 * | names                                               | are one                                  |
 * |-----------------------------------------------------|------------------------------------------|
 * | the same text                                       | always                                   |
 * | names of the core group: "po", "pods", "Pod", "svc" | always, if the factory has a client      |
 * | "deploy", "deployments", "deployments.v1.apps"      | once the client knows what there is      |
 *
 * A client knows that after the first kin_client_resolve(), of any name, and when an informer of it
 * has begun to list. Two informers that were made before stay two, which costs memory and is
 * correct all the same. Different versions of a resource are different resources.
 */
#ifndef KINFORM_FACTORY_H
#define KINFORM_FACTORY_H

#include <kinform/informer.h>
#include <kinform/metadata.h>

KIN_BEGIN_DECLS

/** A factory. One owner, any number of threads. */
typedef struct kin_factory kin_factory;

/**
 * Changes how one informer is to be, before it is made: namespaces, selectors, content, page size
 * or anything else. client-go's TweakListOptionsFunc, for more than that.
 *
 * @param resource  as it was asked for. BORROWED during the call.
 * @param options   what all have, with this one's resync and name; BORROWED during the call. What
 *                  it is made to point to must last until the function that asks for the informer
 *                  returns.
 * @return 0, or a negative code, KIN_EINVAL for instance: there will be no such informer, and
 *         whoever asks gets the error.
 * @thread the one that asks for the informer; no lock is held
 */
typedef int kin_factory_tweak_fn(const char *resource, kin_informer_options *options, void *arg,
                                 kin_error *err);

/**
 * Makes an informer in the caller's own way. client-go's NewInformerFunc.
 *
 * @param[out] ret  a new informer; CONSUMED by the factory.
 * @param client    the factory's, or NULL. BORROWED while the informer lives.
 * @param resource  as it was asked for. BORROWED during the call.
 * @param options   what kin_informer_new() would be given; BORROWED during the call. A constructor
 *                  that calls kin_informer_new_from() takes from it what fits its source.
 * @return 0, or a negative code, KIN_ENOMEM for instance, which whoever asks gets.
 * @thread the one that asks for the informer; no lock is held. It may ask the factory for others
 */
typedef int kin_factory_construct_fn(kin_informer **ret, kin_client *client, const char *resource,
                                     const kin_informer_options *options, void *arg,
                                     kin_error *err);

/** How a factory is to be. Begin with KIN_FACTORY_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_factory_options {
    size_t size;      /**< set by KIN_FACTORY_OPTIONS_INIT */
    const char *name; /**< its informers are called "NAME/RESOURCE" in logs; NULL: "RESOURCE" */
    /**
     * How all informers are to be: resync, namespaces, selectors, transform, clock, logger …; `name`
     * and `snapshot_path`, which `tweak` may set, must be NULL. COPIED, what its `arg`s point to is
     * BORROWED while the factory lives. NULL: the defaults.
     */
    const kin_informer_options *informers;
    bool index_owners;           /**< all have the index KIN_OWNER_INDEX: kin_list_children() */
    kin_factory_tweak_fn *tweak; /**< asked for each; may be NULL */
    void *tweak_arg;             /**< handed to it; BORROWED while the factory lives */
} kin_factory_options;

/* clang-format off */
/** The defaults: `kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;` */
#define KIN_FACTORY_OPTIONS_INIT {sizeof(kin_factory_options), NULL, NULL, false, NULL, NULL}
/* clang-format on */

/* --- life --- */

/**
 * Make a factory. It has no informers yet.
 *
 * @param[out] ret  OWNED; release with kin_factory_free().
 * @param client    BORROWED until the factory is freed; NULL: all informers come from constructors.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_EPARSE and KIN_ELIMIT (of the label selector), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_factory_new(kin_factory **ret, kin_client *client,
                            const kin_factory_options *options, kin_error *err);

/**
 * Shut it down, and free it and its informers as kin_informer_free() does.
 *
 * @param factory  CONSUMED if 0 is returned; may be NULL.
 * @return 0; KIN_EBUSY (called by a handler or another callback of one of its informers, or by one of its own
 *         constructors; it is logged, too), KIN_EFORKED: it is as it was.
 * @thread any, no other call on it or its informers at the same time    @blocks while handlers run
 */
KIN_API int kin_factory_free(kin_factory *factory);

/**
 * Let one resource have another resync period than the others. client-go's WithCustomResyncConfig.
 *
 * @param resource   as one asks for it; other names of it count as above. COPIED.
 * @param resync_ms  0: never.
 * @return 0, KIN_EINVAL, KIN_EBUSY (its informer was made already), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_factory_set_resync(kin_factory *factory, const char *resource, int64_t resync_ms,
                                   kin_error *err);

/* --- informers --- */

/**
 * The informer of a resource: the one that there is, or a new one, which runs from the next
 * kin_factory_start() on. The server is not asked for anything.
 *
 * @param[out] ret  BORROWED while the factory lives, or until whoever has removed it frees it. It may be
 *                  stopped and started on its own; it must not be freed. May be NULL: there shall be one.
 * @param resource  as kubectl takes it. COPIED.
 * @return 0; KIN_EINVAL, KIN_ENOMEM and others as kin_informer_new(), or what the tweak function
 *         says; KIN_EBUSY (from the constructor of this very informer); KIN_EFORKED.
 * @thread any    @blocks while another thread makes the same one
 */
KIN_API int kin_factory_informer(kin_factory *factory, kin_informer **ret, const char *resource,
                                 kin_error *err);

/**
 * The same, made by a constructor if there is none yet: client-go's InformerFor. The first
 * constructor wins; it is called once, unless it fails. Threads that ask meanwhile wait for it.
 *
 * @param[out] ret   BORROWED as above; may be NULL.
 * @param resource   a resource, or any word if `construct` needs none. COPIED.
 * @param construct  BORROWED for the call.
 * @param arg        handed to it. BORROWED for the call.
 * @return as kin_factory_informer(), or what the constructor says; KIN_EBUSY: two constructors wait
 *         for each other.
 * @thread any    @blocks while another thread makes the same one
 */
KIN_API int kin_factory_informer_for(kin_factory *factory, kin_informer **ret, const char *resource,
                                     kin_factory_construct_fn *construct, void *arg,
                                     kin_error *err);

/**
 * A lister of a resource, whose informer is made if there is none yet.
 *
 * @param[out] ret  OWNED; release with kin_lister_free(), before or after the factory.
 * @param resource  as kubectl takes it. COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM and others as kin_factory_informer().
 * @thread any    @blocks while another thread makes the same informer
 */
KIN_API int kin_factory_lister(kin_factory *factory, kin_lister **ret, const char *resource,
                               kin_error *err);

/**
 * Forget the informer of a resource. Whoever asks for it later gets a new one; it is stopped, as
 * kin_informer_stop() does, and kin_factory_owner() and the waits for all do not look at it any more. Listers,
 * stores and registrations that were had of it stay, with what the store had.
 *
 * @param[out] ret  OWNED; release with kin_informer_free(), before the client, when all who have asked the
 *                  factory for it are done with it. It may be started again: it is an informer as any other.
 *                  NULL: the factory keeps it until it is freed itself, so that those who have it need not
 *                  know.
 * @param resource  as one asks for it; other names of it count as above. BORROWED for the call.
 * @return 0; KIN_ENOTFOUND: there is none; KIN_EBUSY: with `ret`, from a handler or another callback of it, from
 *         one of its workers, or from what a start calls; or from its own constructor; KIN_EINVAL, KIN_EFORKED,
 *         KIN_ENOMEM.
 * @thread any    @blocks while another thread makes it; with `ret` also while one is in a call on the factory
 *         that starts it or waits for it, which ends soon, since it is stopped
 */
KIN_API int kin_factory_remove(kin_factory *factory, kin_informer **ret, const char *resource,
                               kin_error *err);

/**
 * The owner of an object, from the informer of its kind. Nothing is asked for: the factory has such
 * an informer, or it is not found.
 *
 * @param[out] ret   SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param object     BORROWED for the call.
 * @param reference  which owner, of this object. NULL: its controller. BORROWED for the call.
 * @return 0; KIN_ENOTFOUND: it has no controller, there is no informer of that kind, or the
 *         informer has not got it (yet, or any more); KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_factory_owner(kin_factory *factory, const kin_object **ret,
                              const kin_object *object, const kin_owner_reference *reference,
                              kin_error *err);

/* --- running --- */

/**
 * Start all informers that the factory has not started yet, as kin_informer_start(). To be called again
 * after more have been asked for; one that somebody has stopped since is not started again.
 *
 * @return 0; KIN_ECLOSED (it was shut down: nothing is started), KIN_EFORKED; KIN_ENOMEM,
 *         KIN_ESYSTEM and others as kin_informer_start(): the first failure, and the others were
 *         started all the same. KIN_EBUSY: another thread loads a snapshot into one; it is not
 *         started, and the next call tries again.
 * @thread any    @blocks while snapshots are read
 */
KIN_API int kin_factory_start(kin_factory *factory, kin_error *err);

/**
 * Wait until all informers that were started have synced. Says nothing about handlers:
 * kin_registration_wait_synced().
 *
 * Informers are waited for in the order in which they were asked for. If kin_informer_wait_synced() of one ends
 * early, because it fails with 401, 403 or a TLS error, this wait ends, too. `wait_while_refused` of the informers'
 * options turns that off.
 *
 * @param timeout_ms  for all together, by the factory's clock; -1 waits for ever, 0 looks once.
 * @return 0; KIN_ETIMEOUT, KIN_EDENIED or KIN_ETLS: the message names those that have not synced, and why, and the
 *         error has the HTTP status and reason of the first of them that was refused, else of the first; KIN_ECLOSED: likewise, and all of these were
 *         stopped; KIN_EINVAL (also if kin_factory_start() was never called), KIN_EBUSY (from a
 *         callback of an informer), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_factory_wait_for_sync(kin_factory *factory, int64_t timeout_ms, kin_error *err);

/** What has become of one informer. */
typedef struct kin_sync_result {
    size_t size;            /**< sizeof(kin_sync_result) as the library knows it */
    char *resource;         /**< as it was asked for first; BORROWED while the list lives */
    kin_informer *informer; /**< BORROWED as kin_factory_informer() has it */
    bool is_started;        /**< by the factory */
    bool is_synced;         /**< its store has all of the first list */
    kin_error error;        /**< why it has not synced; code 0: it has, or nothing has failed */
} kin_sync_result;

/** Results, in the order in which the informers were asked for. OWNED. Its layout never changes. */
typedef struct kin_sync_results {
    kin_sync_result **items; /**< OWNED, with what they point to */
    size_t len;
} kin_sync_results;

/* clang-format off */
/** No results. */
#define KIN_SYNC_RESULTS_INIT {NULL, 0}
/* clang-format on */

/**
 * What has become of each informer, now: after kin_factory_wait_for_sync(), or at any time.
 *
 * @param[out] ret  OWNED; release with kin_sync_results_done().
 * @return 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_factory_sync_results(kin_factory *factory, kin_sync_results *ret, kin_error *err);

/**
 * Give results back. The list is empty afterwards.
 *
 * @param results  may be NULL or empty.
 * @thread any
 */
KIN_API void kin_sync_results_done(kin_sync_results *results);

/**
 * Stop all informers, and wait until they are stopped and their handlers have been told of all that was
 * received. Nothing is started afterwards; stores stay, and are read. Handlers of event loops are not waited
 * for: the loop may be what waits here. Nor are those that were removed.
 *
 * @param timeout_ms  for all together, by the factory's clock; -1 waits for ever.
 * @return 0 (also if it was shut down before), KIN_ETIMEOUT (they will stop all the same, and handlers
 *         are told until kin_factory_free()), KIN_EBUSY (from a handler or another callback of an
 *         informer: they are stopped, but not waited for), KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_factory_shutdown(kin_factory *factory, int64_t timeout_ms, kin_error *err);

KIN_END_DECLS

#endif
