/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Requests that nobody waits for: started, and told of when they have ended.
 *
 * @code
 * static void done(const kin_result *result, void *arg)
 * {
 *     if (result->code == 0)
 *         printf("made %s\n", kin_object_key(result->object));
 *     else
 *         fprintf(stderr, "%s\n", result->err->message);
 * }
 * ...
 * kin_request request = KIN_REQUEST_INIT;
 * kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
 *
 * request.verb = KIN_VERB_CREATE;
 * request.resource = pods;
 * request.object = pod;
 * handlers.done = done;
 * kin_client_start(client, NULL, &request, &handlers, &err);
 * @endcode
 */
#ifndef KINFORM_CALL_H
#define KINFORM_CALL_H

#include <kinform/client.h>
#include <kinform/stream.h>

KIN_BEGIN_DECLS

/** A request that is under way, or was. SHARED. */
typedef struct kin_call kin_call;

/** What is asked. Start with KIN_REQUEST_INIT. */
typedef struct kin_request {
    size_t size;            /**< sizeof(kin_request); set by KIN_REQUEST_INIT */
    enum kin_verb verb;     /**< what to do */
    kin_resource *resource; /**< with what; SHARED: a reference is taken */
    const char *namespace_; /**< COPIED; NULL: the object's, or all */
    const char
        *name; /**< get, patch, delete: COPIED. Update, and create of a subresource: NULL, the
                           object's. Others: NULL */
    const kin_object *object;           /**< create, update: a document; BORROWED for the call */
    enum kin_patch_type patch_type;     /**< patch */
    kin_str patch;                      /**< patch: its text; COPIED */
    const kin_request_options *options; /**< BORROWED for the call; NULL for the defaults */
} kin_request;

/* clang-format off */
/** An empty kin_request. */
#define KIN_REQUEST_INIT                                                                           \
    {sizeof(kin_request), KIN_VERB_GET, NULL, NULL, NULL, NULL, KIN_PATCH_MERGE, {NULL, 0}, NULL}
/* clang-format on */

/** How a request has ended. All is BORROWED during the callback. */
typedef struct kin_result {
    size_t size;              /**< sizeof(kin_result) */
    int code;                 /**< 0, or why it failed */
    const kin_error *err;     /**< the details of the failure; empty after a success */
    const kin_object *object; /**< the object; of a list, the list without its items; or NULL */
    const kin_object *status; /**< what the server said of the failure, or NULL */
    bool stood; /**< of a watch: the server had agreed to it, so that a failure came in its midst */
    /** of a list: its uncompressed bytes, with `listed_bytes` of its options. The options of the next page take
        it. A source that does not count bytes leaves 0 */
    uint64_t listed_bytes;
} kin_result;

/**
 * Is told how a request has ended, exactly once, after all other callbacks of it.
 *
 * @param result  BORROWED during the call.
 * @thread a worker of the client; no lock is held, any function may be called
 */
typedef void kin_call_done_fn(const kin_result *result, void *arg);

/**
 * Is told that the server has agreed to a watch, before anything else comes of it. Again, if the request
 * was sent again.
 *
 * @return 0, or a negative code such as KIN_ENOMEM or KIN_ECANCELED, which ends the request;
 *         kin_error_set() in `err`, which is empty and never NULL, says more.
 * @thread as kin_call_done_fn
 */
typedef int kin_call_begun_fn(void *arg, kin_error *err);

/**
 * Receives that the server of a silent list or watch does not answer a probe, or that it is heard again. Without an
 * answer the request fails soon after.
 *
 * @param in_doubt  whether the probe is unanswered.
 * @thread as kin_call_done_fn
 */
typedef void kin_call_doubt_fn(bool in_doubt, void *arg);

/** Who is told. Start with KIN_CALL_HANDLERS_INIT. */
typedef struct kin_call_handlers {
    size_t size;               /**< sizeof(kin_call_handlers); set by KIN_CALL_HANDLERS_INIT */
    kin_list_item_fn *item;    /**< list: each object as it comes; mandatory there */
    kin_watch_event_fn *event; /**< watch: each event as it comes; mandatory there */
    kin_call_done_fn *done;    /**< the end; may be NULL */
    void *arg;                 /**< handed to all; CONSUMED if `arg_free` is given, else BORROWED */
    void (*arg_free)(void *arg); /**< releases `arg` after the last callback; may be NULL */
    kin_bad_object_fn *bad; /**< list, watch: an object that cannot be read, and is skipped if this
                                 returns 0; NULL: it ends the request */
    kin_call_begun_fn *begun; /**< watch: the server has agreed to it; may be NULL */
    kin_call_doubt_fn *doubt; /**< list, watch: whether the server is in doubt; may be NULL */
} kin_call_handlers;

/* clang-format off */
/** No handlers. */
#define KIN_CALL_HANDLERS_INIT                                                                     \
    {sizeof(kin_call_handlers), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Start a request and return at once. Its callbacks run on the client's workers, one at a time; one
 * that blocks holds up this request, and with as many as there are workers all of them.
 *
 * @param client    BORROWED for the call.
 * @param[out] ret  SHARED, the reference is the caller's; release with kin_call_unref(). May be NULL.
 *                  Set before the first callback runs, which may cancel it.
 * @param request   COPIED.
 * @param handlers  COPIED; NULL: nobody is told. Its `arg` is CONSUMED if it has an `arg_free`.
 * @return 0, KIN_EINVAL (a request that makes no sense; the message says why), KIN_ELIMIT,
 *         KIN_ECLOSED, KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM. On failure no callback runs.
 * @thread any
 */
KIN_API int kin_client_start(kin_client *client, kin_call **ret, const kin_request *request,
                             const kin_call_handlers *handlers, kin_error *err);

/**
 * End a request: it fails with KIN_ECANCELED, unless it has ended already. Returns at once; whoever is to
 * be told is told soon.
 *
 * @param call  BORROWED for the call; may be NULL.
 * @thread any, its own callbacks included
 */
KIN_API void kin_call_cancel(kin_call *call);

/**
 * Wait until a request has ended and its last callback has returned.
 *
 * @param call        BORROWED for the call.
 * @param timeout_ms  -1 waits for ever, 0 polls.
 * @return 0 (it has ended, well or not), KIN_ETIMEOUT, KIN_EINVAL (NULL), KIN_EBUSY (from within its
 *         own callback), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_call_wait(kin_call *call, int64_t timeout_ms, kin_error *err);

/**
 * One reference more.
 *
 * @param call  SHARED; may be NULL.
 * @return SHARED, `call`.
 * @thread any
 */
KIN_API kin_call *kin_call_ref(kin_call *call);

/**
 * One reference less. The request goes on without it.
 *
 * @param call  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_call_unref(kin_call *call);

KIN_END_DECLS

#endif
