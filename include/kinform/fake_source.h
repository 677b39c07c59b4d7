/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A fake source for tests: client-go's FakeControllerSource.
 *
 * A test inserts objects; informers, reflectors and controllers over the source list and watch them. It needs no
 * client, no server and no HTTP. The source assigns resource versions and keeps the history of changes, so that a watch can resume
 * from any version. Lists and watches can be made to fail, stall or expire. The embedded API server
 * (kinform/apiserver.h) is the choice for tests of everything below: requests, connections, encodings.
 *
 * @code
 * kin_fake_source *pods = NULL;
 * kin_informer *informer = NULL;
 * const kin_object *stored = NULL;
 *
 * if (kin_fake_source_new(&pods, NULL, &err) < 0 ||
 *     kin_informer_new_from(&informer, kin_fake_source_list_watch(pods), NULL, &err) < 0 ||
 *     kin_informer_start(informer, &err) < 0 ||
 *     kin_fake_source_add(pods, &stored, pod, &err) < 0 ||
 *     kin_informer_wait_object(informer, stored, 10000, &err) < 0)
 *     report(&err);
 * kin_object_unref(stored);
 * kin_informer_free(informer);
 * kin_fake_source_free(pods);
 * @endcode
 *
 * All callbacks of a source run on one thread of its own, one at a time, with no lock held. A function below never calls back
 * itself. A watch receives changes in the order in which they were inserted. The objects and the order of a list are fixed when the list
 * is begun: by key.
 */
#ifndef KINFORM_FAKE_SOURCE_H
#define KINFORM_FAKE_SOURCE_H

#include <kinform/list_watch.h>

KIN_BEGIN_DECLS

/** A source of objects that a test inserts. One owner; any number of threads may use it. */
typedef struct kin_fake_source kin_fake_source;

/** How a source is to be. Start with KIN_FAKE_SOURCE_OPTIONS_INIT. */
typedef struct kin_fake_source_options {
    size_t size;             /**< sizeof(kin_fake_source_options); set by the INIT macro */
    uint64_t first_version;  /**< version while it is empty; 0: 1. The first change is the next */
    bool streaming_lists;    /**< reflectors ask for streaming lists first */
    const char *api_version; /**< of bookmarks; COPIED; NULL: as the first object inserted */
    const char *kind;        /**< of bookmarks; COPIED; NULL: as the first object inserted */
} kin_fake_source_options;

/* clang-format off */
/** The defaults. */
#define KIN_FAKE_SOURCE_OPTIONS_INIT {sizeof(kin_fake_source_options), 0, false, NULL, NULL}
/* clang-format on */

/**
 * Make an empty source. Its thread starts with the first list or watch.
 *
 * @param[out] ret  OWNED; release with kin_fake_source_free().
 * @param options   COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_fake_source_new(kin_fake_source **ret, const kin_fake_source_options *options,
                                kin_error *err);

/**
 * End all lists and watches with KIN_ECLOSED, wait for their last callbacks, and release the source. Informers may outlive
 * it: their next lists and watches fail with KIN_ECLOSED. Called by one of its callbacks, it does not wait.
 *
 * @param source  CONSUMED; may be NULL. Does nothing in a forked child.
 * @thread any, no other call on it at the same time    @blocks until callbacks have returned
 */
KIN_API void kin_fake_source_free(kin_fake_source *source);

/**
 * The source as informers and reflectors take it: kin_informer_new_from(), kin_reflector_new(), kin_controller_new(),
 * kin_retry_watch_new().
 *
 * @return BORROWED until the source is freed; kin_list_watch_ref() keeps it. NULL if `source` is NULL.
 * @thread any
 */
KIN_API kin_list_watch *kin_fake_source_list_watch(kin_fake_source *source);

/* --- objects --- */

/**
 * Insert an object, or replace the one with its key, and send ADDED to open watches: Add of client-go's source.
 *
 * As in client-go, the source does not check whether the key is new. Its version, in `metadata.resourceVersion`, is the next one.
 *
 * @param[out] ret  SHARED: the object with its version, for kin_informer_wait_object(); release with
 *                  kin_object_unref(). May be NULL.
 * @param object    a document with a name; BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, or no name), KIN_ETYPE (not a document), KIN_EFORKED, KIN_ENOMEM and others as
 *         kin_editor_finish(). On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_fake_source_add(kin_fake_source *source, const kin_object **ret,
                                const kin_object *object, kin_error *err);

/**
 * Insert an object, or replace the one with its key, and send MODIFIED to open watches: Modify of client-go's source.
 *
 * @param[out] ret  SHARED: as in kin_fake_source_add(). May be NULL.
 * @param object    a document with a name; BORROWED for the call.
 * @return 0, KIN_EINVAL and others as kin_fake_source_add().
 * @thread any
 */
KIN_API int kin_fake_source_update(kin_fake_source *source, const kin_object **ret,
                                   const kin_object *object, kin_error *err);

/**
 * Delete an object, and send DELETED with its last state and the next version: Delete of client-go's source.
 *
 * @param[out] ret  SHARED: the object that is sent. May be NULL.
 * @param key       "namespace/name", or "name" of an object of the whole cluster. BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL), KIN_EFORKED, KIN_ENOMEM and others as kin_editor_finish(). On failure
 *         nothing has changed.
 * @thread any
 */
KIN_API int kin_fake_source_delete(kin_fake_source *source, const kin_object **ret, const char *key,
                                   kin_error *err);

/**
 * Lose the events of the next changes: no watch receives them, only the next list shows them. AddDropWatch, ModifyDropWatch
 * and DeleteDropWatch of client-go's source.
 *
 * @param n  how many changes; replaces an earlier number.
 * @thread any
 */
KIN_API void kin_fake_source_lose_events(kin_fake_source *source, size_t n);

/**
 * Send a bookmark with the current version to open watches that asked for bookmarks.
 *
 * @return 0, KIN_EINVAL (NULL), KIN_EFORKED, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_fake_source_bookmark(kin_fake_source *source, kin_error *err);

/**
 * The number of objects.
 *
 * @thread any
 */
KIN_API size_t kin_fake_source_len(kin_fake_source *source);

/**
 * The resource version of the last change; `first_version` before it, 0 if `source` is NULL.
 *
 * @thread any
 */
KIN_API uint64_t kin_fake_source_version(kin_fake_source *source);

/* --- faults --- */

/**
 * Forget the history: the flushed change queue of client-go's ResetWatch. From now on a watch from an older version receives an
 * error event 410 "Expired", and a list at an older version or its next page fails with KIN_EEXPIRED. Open watches go on.
 *
 * @thread any
 */
KIN_API void kin_fake_source_expire(kin_fake_source *source);

/**
 * End all open watches, after they have received all changes up to now.
 *
 * @param why  how: KIN_ECONNECT for a lost connection, for instance, or with `http_status` and `reason` as a server would say it.
 *             COPIED. NULL, or without a code: an ordinary end, as servers end watches after some minutes.
 * @thread any
 */
KIN_API void kin_fake_source_break_watches(kin_fake_source *source, const kin_error *why);

/**
 * Let the next lists fail. A page of a list counts as one, a streaming list as a watch.
 *
 * @param n    how many; SIZE_MAX for all from now on, 0 for none. Replaces what was set before.
 * @param why  with which error; COPIED. NULL, or without a code: KIN_ECONNECT.
 * @thread any
 */
KIN_API void kin_fake_source_fail_lists(kin_fake_source *source, size_t n, const kin_error *why);

/**
 * Let the next watches fail before they begin. Open ones go on.
 *
 * @param n    how many; SIZE_MAX for all from now on, 0 for none. Replaces what was set before.
 * @param why  with which error; COPIED. NULL, or without a code: KIN_ECONNECT.
 * @thread any
 */
KIN_API void kin_fake_source_fail_watches(kin_fake_source *source, size_t n, const kin_error *why);

/**
 * Stall, or go on. A stalled source begins lists and watches, and ends those that are cancelled, but calls back for nothing
 * else. It delivers the rest afterwards.
 *
 * @param stalls  whether it stalls from now on. A callback that is under way is not waited for.
 * @thread any
 */
KIN_API void kin_fake_source_stall(kin_fake_source *source, bool stalls);

/* --- waiting --- */

/**
 * Wait until `n` lists were begun since the source was made. Failed lists and each page count.
 *
 * @param timeout_ms  of real time; -1 waits for ever, 0 polls.
 * @return 0, KIN_ETIMEOUT, KIN_EINVAL (NULL), KIN_EBUSY (called by one of its callbacks), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_fake_source_wait_lists(kin_fake_source *source, size_t n, int64_t timeout_ms,
                                       kin_error *err);

/**
 * Wait until `n` watches were begun since the source was made. Failed watches and streaming lists count.
 *
 * @param timeout_ms  of real time; -1 waits for ever, 0 polls.
 * @return 0, KIN_ETIMEOUT, KIN_EINVAL (NULL), KIN_EBUSY (called by one of its callbacks), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_fake_source_wait_watches(kin_fake_source *source, size_t n, int64_t timeout_ms,
                                         kin_error *err);

KIN_END_DECLS

#endif
