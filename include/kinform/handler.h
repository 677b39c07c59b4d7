/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Handlers: who is told what has changed in an informer's cache, and how.
 *
 * An informer tells each handler on its own, one event at a time, those of one object in their order,
 * after the cache has them. A handler that is slow delays nobody else, and memory stays bounded: what
 * waits for it beyond `max_queued` is merged, so that it misses states in between but never the last one,
 * and no deletion of an object that it was told of.
 */
#ifndef KINFORM_HANDLER_H
#define KINFORM_HANDLER_H

#include <kinform/object.h>

KIN_BEGIN_DECLS

/** What has happened to an object. */
typedef enum kin_event_type {
    KIN_EVENT_ADD = 1,    /**< the object is new to the handler */
    KIN_EVENT_UPDATE = 2, /**< the object has another state; or comes again, see `is_sync` */
    KIN_EVENT_DELETE = 3  /**< the object is gone */
} kin_event_type;

/**
 * The name of a type: "add".
 *
 * @return BORROWED for ever; "?" for an unknown one.
 * @thread any
 */
KIN_API const char *kin_event_type_name(kin_event_type type);

/** An event. All is BORROWED during the call; kin_object_ref() keeps an object. */
typedef struct kin_event {
    size_t size;         /**< sizeof(kin_event) as the library knows it */
    kin_event_type type; /**< what has happened */
    /**
     * The object as it is now; of a deletion its last state, or a tombstone (kin_object_is_tombstone())
     * if the deletion itself was not seen.
     */
    const kin_object *object;
    const kin_object
        *old_object; /**< of an update: the state that the handler was told of before */
    /**
     * Of an add: from the state with which the handler began: the first list, or what the store had when it
     * was added. Not what namespaces or selectors bring that are set once the informer has synced.
     */
    bool is_initial;
    bool is_sync; /**< of an update: nothing has changed, it merely comes again */
} kin_event;

/**
 * Is told of an event.
 *
 * @param event  BORROWED during the call.
 * @thread as the handler's `delivery` says; never two at once for one handler; no lock is held, any
 *         function may be called that does not say otherwise
 */
typedef void kin_event_fn(const kin_event *event, void *arg);

/**
 * Which objects a handler cares for: client-go's FilteringResourceEventHandler. An object that enters
 * the selection is added, one that leaves it is deleted.
 *
 * @param object  BORROWED during the call; never a tombstone but what is in it.
 * @return true if it is wanted; the same answer for the same object each time.
 * @thread the one that runs the handler; no lock is held
 */
typedef bool kin_filter_fn(const kin_object *object, void *arg);

/** Where a handler runs. */
typedef enum kin_delivery {
    KIN_DELIVER_THREAD = 0, /**< in a thread of its own: it may block */
    KIN_DELIVER_POOL = 1,   /**< in the informer's workers: it must not block for long */
    KIN_DELIVER_LOOP = 2    /**< in the program's own event loop: kin_informer_dispatch() */
} kin_delivery;

/** How a handler is told. Begin with KIN_HANDLER_OPTIONS_INIT; zero is the default. COPIED. */
typedef struct kin_handler_options {
    size_t size;           /**< set by KIN_HANDLER_OPTIONS_INIT */
    const char *name;      /**< in logs and statuses; NULL: "handler" */
    kin_delivery delivery; /**< where it runs */
    kin_filter_fn *filter; /**< which objects; NULL: all */
    void *filter_arg;      /**< handed to `filter`; BORROWED while the handler is there */
    int64_t resync_ms;     /**< all objects come again so often; 0: the informer's, -1: never */
    size_t max_queued;     /**< so many events wait before they are merged; 0: 10,000 */
    int64_t slow_ms;       /**< a call that takes longer is logged; 0: 1,000, -1: never */
    /** Releases the handler's `arg` after the last call; the `arg` is then CONSUMED. May be NULL. */
    void (*arg_free)(void *arg);
} kin_handler_options;

/* clang-format off */
/** The defaults: `kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;` */
#define KIN_HANDLER_OPTIONS_INIT                                                                   \
    {sizeof(kin_handler_options), NULL, KIN_DELIVER_THREAD, NULL, NULL, 0, 0, 0, NULL}
/* clang-format on */

/** How a handler fares. */
typedef struct kin_handler_status {
    size_t size;        /**< sizeof(kin_handler_status); set by KIN_HANDLER_STATUS_INIT */
    size_t queued;      /**< events that wait */
    int64_t lag_ns;     /**< how long the oldest of them has waited */
    int64_t running_ns; /**< how long the call has taken that is under way; 0: none */
    uint64_t delivered; /**< calls that have returned */
    uint64_t merged;    /**< events that went into another that waited */
    uint64_t vanished;  /**< additions that were never told, since the deletion came first */
    uint64_t slow;      /**< calls that took longer than `slow_ms` */
    bool is_synced;     /**< all objects of the beginning were told */
} kin_handler_status;

/* clang-format off */
/** To be filled in by kin_registration_get_status(). */
#define KIN_HANDLER_STATUS_INIT {sizeof(kin_handler_status), 0, 0, 0, 0, 0, 0, 0, false}
/* clang-format on */

KIN_END_DECLS

#endif
