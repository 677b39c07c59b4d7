/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Where objects come from: something that can be listed and then watched.
 *
 * A reflector feeds a cache from one of these. The usual one asks an API server through a client
 * (kin_client_list_watch()). A program can write its own, over a file, a database or another
 * protocol, by putting a kin_list_watch first into a struct and filling in a class.
 *
 * A source that calls back with NULL for an object or with an event type that does not exist gets KIN_EINVAL, and
 * the operation counts as failed however it ends.
 *
 * Nothing here blocks. An operation is begun, calls back as things come, and ends exactly once; it
 * can be cancelled at any moment, and then ends with KIN_ECANCELED.
 */
#ifndef KINFORM_LIST_WATCH_H
#define KINFORM_LIST_WATCH_H

#include <kinform/call.h>

KIN_BEGIN_DECLS

/** A source of objects; see below. */
typedef struct kin_list_watch kin_list_watch;

/**
 * A list or a watch that is under way. The struct is public only to be put first into an
 * implementation's own.
 */
typedef struct kin_operation {
    /**
     * End it: it ends with KIN_ECANCELED unless it has ended already. Returns at once, without calling
     * back itself. Any thread, its own callbacks included.
     */
    void (*cancel)(struct kin_operation *operation);
    /** The caller has done with it; it may still be under way. Any thread. */
    void (*release)(struct kin_operation *operation);
} kin_operation;

/** What a source of objects can do. Const data that lives as long as its sources. */
typedef struct kin_list_watch_class {
    size_t size; /**< sizeof(kin_list_watch_class) */
    /**
     * Begin a list: handlers->item for each object, in any order, then handlers->done with the list
     * without its items, or with why it failed. Of the options count resource_version,
     * resource_version_match, limit, continue_token, progress_timeout_ms and listed_bytes; a source without
     * versions or pages ignores them.
     *
     * On success *ret is the operation, and the handlers' `arg_free` runs once after the last callback.
     * Callbacks may begin before this returns. They come from one thread at a time, with no lock held.
     */
    int (*list)(kin_list_watch *source, kin_operation **ret, const kin_request_options *options,
                const kin_call_handlers *handlers, kin_error *err);
    /**
     * Begin a watch: handlers->begun, if there is one, when it stands, which a source that does not know
     * leaves out; handlers->event for each change behind options->resource_version; then
     * handlers->done: with 0 if it has merely come to its end. Of the options count resource_version,
     * watch_timeout_ms, bookmarks, send_initial_events and resource_version_match. As `list`.
     */
    int (*watch)(kin_list_watch *source, kin_operation **ret, const kin_request_options *options,
                 const kin_call_handlers *handlers, kin_error *err);
    /** The last reference is gone. */
    void (*destroy)(kin_list_watch *source);
    /**
     * Whether a watch with send_initial_events tells first what there is, and ends that with a bookmark
     * that has the annotation "k8s.io/initial-events-end": a streaming list. Of a client's source,
     * whether to ask the server for it.
     */
    bool streaming_lists;
} kin_list_watch_class;

/** A source of objects. SHARED. Put it first into a struct, and call kin_list_watch_init(). */
struct kin_list_watch {
    const kin_list_watch_class *source_class; /**< what it can do */
    uint64_t private_count;                   /**< the library's */
};

/**
 * Make the head of a source, with one reference.
 *
 * @param source        BORROWED until it is destroyed.
 * @param source_class  BORROWED until the source is gone.
 * @return 0, KIN_EINVAL (NULL, or a function is missing).
 * @thread any, one at a time per source
 */
KIN_API int kin_list_watch_init(kin_list_watch *source, const kin_list_watch_class *source_class,
                                kin_error *err);

/**
 * One reference more.
 *
 * @param source  SHARED; may be NULL.
 * @return SHARED, `source`.
 * @thread any
 */
KIN_API kin_list_watch *kin_list_watch_ref(kin_list_watch *source);

/**
 * One reference less; the last one destroys it.
 *
 * @param source  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_list_watch_unref(kin_list_watch *source);

/**
 * Begin a list; see kin_list_watch_class.
 *
 * @param source    BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_operation_release().
 * @param options   BORROWED for the call; NULL for the defaults.
 * @param handlers  COPIED. Its `arg` is CONSUMED if it has an `arg_free`.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, or what else the source says. On failure no callback runs.
 * @thread any
 */
KIN_API int kin_list_watch_list(kin_list_watch *source, kin_operation **ret,
                                const kin_request_options *options,
                                const kin_call_handlers *handlers, kin_error *err);

/**
 * Begin a watch; see kin_list_watch_class.
 *
 * @param source    BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_operation_release().
 * @param options   BORROWED for the call; NULL for the defaults.
 * @param handlers  COPIED. Its `arg` is CONSUMED if it has an `arg_free`.
 * @return 0, KIN_EINVAL, KIN_ENOMEM, or what else the source says. On failure no callback runs.
 * @thread any
 */
KIN_API int kin_list_watch_watch(kin_list_watch *source, kin_operation **ret,
                                 const kin_request_options *options,
                                 const kin_call_handlers *handlers, kin_error *err);

/**
 * End a list or a watch: its `done` is called with KIN_ECANCELED, unless it has ended already. Returns
 * at once.
 *
 * @param operation  BORROWED for the call; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_operation_cancel(kin_operation *operation);

/**
 * Release an operation. It goes on without.
 *
 * @param operation  CONSUMED; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_operation_release(kin_operation *operation);

/** What a client's source lists and watches. Start with KIN_LIST_WATCH_OPTIONS_INIT. */
typedef struct kin_list_watch_options {
    size_t size;                      /**< sizeof(kin_list_watch_options); set by the INIT macro */
    const char *namespace_;           /**< COPIED; NULL for all */
    const char *label_selector;       /**< COPIED; NULL for all */
    const char *field_selector;       /**< COPIED; NULL for all */
    bool metadata_only;               /**< nothing but the objects' metadata */
    const kin_decode_options *decode; /**< limits and projection; COPIED */
    kin_encoding encoding;            /**< default as the client's */
} kin_list_watch_options;

/* clang-format off */
/** All objects, whole. */
#define KIN_LIST_WATCH_OPTIONS_INIT                                                                \
    {sizeof(kin_list_watch_options), NULL, NULL, NULL, false, NULL, KIN_ENCODING_DEFAULT}
/* clang-format on */

/**
 * A source that asks the server of a client. Its callbacks run on the client's workers.
 *
 * An operation that fails is not sent again: the caller decides when to retry, so that it can report the failure.
 * The exception is an operation that was refused for its credentials; it is sent once more with newer ones.
 *
 * @param client    BORROWED for the call; the source keeps what it needs of it. After
 *                  kin_client_free() its operations fail with KIN_ECLOSED.
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_list_watch_unref().
 * @param resource  SHARED: a reference is taken.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (NULL), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_client_list_watch(kin_client *client, kin_list_watch **ret, kin_resource *resource,
                                  const kin_list_watch_options *options, kin_error *err);

/**
 * A source of a resource that is known by its name alone. The server is asked what it means when the
 * first list or watch begins; where it does not know, that ends with KIN_ENOTFOUND, and the next one asks
 * again.
 *
 * @param client    BORROWED for the call; as in kin_client_list_watch().
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_list_watch_unref().
 * @param resource  as kubectl takes it: "pods", "po", "deployments.apps". COPIED.
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (NULL), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_client_list_watch_by_name(kin_client *client, kin_list_watch **ret,
                                          const char *resource,
                                          const kin_list_watch_options *options, kin_error *err);

KIN_END_DECLS

#endif
