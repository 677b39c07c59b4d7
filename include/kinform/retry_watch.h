/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A watch that goes on: client-go's RetryWatcher.
 *
 * A server ends every watch after some minutes, and connections break. A retry watch begins again
 * behind the last version it has seen, so that every change is told, each once, in order, or it ends and
 * says why. It knows nothing of what was there before its first version, and keeps no cache: for that
 * there are informers.
 */
#ifndef KINFORM_RETRY_WATCH_H
#define KINFORM_RETRY_WATCH_H

#include <kinform/list_watch.h>

KIN_BEGIN_DECLS

/** A watch that goes on. */
typedef struct kin_retry_watch kin_retry_watch;

/** How it goes on. Start with KIN_RETRY_WATCH_OPTIONS_INIT; zero is the default. */
typedef struct kin_retry_watch_options {
    size_t size;              /**< sizeof(kin_retry_watch_options); set by the INIT macro */
    kin_clock *clock;         /**< SHARED; NULL: the system's */
    kin_logger *logger;       /**< SHARED; NULL: the default one */
    int64_t min_delay_ms;     /**< from one beginning to the next at least; 0: 1 s. A server's
                                   Retry-After counts up to 30 s */
    int64_t watch_timeout_ms; /**< of each single watch; 0: 5 to 10 minutes, another one each time;
                                   -1: the server decides. A silent one is found by it */
} kin_retry_watch_options;

/* clang-format off */
/** The defaults. */
#define KIN_RETRY_WATCH_OPTIONS_INIT {sizeof(kin_retry_watch_options), NULL, NULL, 0, 0}
/* clang-format on */

/**
 * Make a retry watch. Nothing is asked for yet.
 *
 * @param[out] ret          OWNED; release with kin_retry_watch_free().
 * @param source            SHARED: a reference is taken.
 * @param resource_version  what is told comes behind it; COPIED. Of a list, usually. Not empty, and not
 *                          "0", which is any version.
 * @param options           COPIED; NULL for the defaults.
 * @return 0, KIN_EINVAL (NULL, or a version from which nothing can be resumed), KIN_ELIMIT (it is too
 *         long), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_retry_watch_new(kin_retry_watch **ret, kin_list_watch *source,
                                const char *resource_version,
                                const kin_retry_watch_options *options, kin_error *err);

/**
 * Release a retry watch.
 *
 * @param watch  CONSUMED; may be NULL. Not while it runs.
 * @thread any
 */
KIN_API void kin_retry_watch_free(kin_retry_watch *watch);

/**
 * Watch until it is stopped or cannot go on. Bookmarks are asked for and move the version, but are not
 * told.
 *
 * @param watch  BORROWED for the call. Once at a time; it can be run again, and goes on where it was.
 * @param event  receives the changes; not from this thread but from the source's.
 * @param arg    handed to `event`; BORROWED for the call.
 * @return never 0: KIN_ECANCELED (it was stopped), KIN_EEXPIRED (the version is too old: list again),
 *         KIN_EDENIED, KIN_EPROTOCOL (an object without a version), what `event` returned, another code
 *         that trying again cannot help against, KIN_EBUSY (it runs already), KIN_EINVAL (NULL).
 * @thread any    @blocks until it has ended
 */
KIN_API int kin_retry_watch_run(kin_retry_watch *watch, kin_watch_event_fn *event, void *arg,
                                kin_error *err);

/**
 * Stop it: kin_retry_watch_run() returns KIN_ECANCELED soon, and at once when it is called later.
 *
 * @param watch  BORROWED for the call; may be NULL.
 * @thread any, its own callback included
 */
KIN_API void kin_retry_watch_stop(kin_retry_watch *watch);

/**
 * The version of the last change or bookmark.
 *
 * @param watch     BORROWED for the call.
 * @param[out] buf  terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version.
 * @thread any
 */
KIN_API size_t kin_retry_watch_resource_version(kin_retry_watch *watch, char *buf, size_t size);

KIN_END_DECLS

#endif
