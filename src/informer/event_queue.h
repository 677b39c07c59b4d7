/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for a handler: events in their order, merged by key beyond a limit. Passive: no lock, no
 * callback.
 *
 * | waits  | comes  | becomes                                                               |
 * |--------|--------|-----------------------------------------------------------------------|
 * | add    | update | an add of the new state                                               |
 * | add    | delete | nothing: the handler never gets to know of the object                 |
 * | update | update | an update from the first old state to the last new one                |
 * | update | delete | a delete                                                              |
 * | delete | add    | both                                                                  |
 *
 * An event that is merged stays in its place, so that no object falls behind others for changing
 * often. At most two events of a key wait beyond the limit: its deletion, and what follows that.
 */
#ifndef KIN_INFORMER_EVENT_QUEUE_H
#define KIN_INFORMER_EVENT_QUEUE_H

#include "base/list.h"
#include "base/map.h"
#include "kinform/handler.h"

/* An event that comes in. All BORROWED; references are taken. */
typedef struct kin__notice {
    kin_event_type type;
    bool is_initial;
    bool is_sync;
    kin_str key; /* of the object, which lives as long */
    const kin_object *object;
    const kin_object *old_object; /* of an update */
} kin__notice;

/* An event that waits. */
typedef struct kin__queued_event {
    kin__list link;
    kin__map_node node;           /* by key, if `is_indexed`; its key is the object's always */
    const kin_object *object;     /* SHARED */
    const kin_object *old_object; /* SHARED, or NULL */
    int64_t since;                /* when it came */
    uint8_t type;                 /* kin_event_type */
    bool is_initial;
    bool is_sync;
    bool is_indexed;
} kin__queued_event;

typedef struct kin__event_queue {
    kin__list events; /* oldest first */
    size_t len;
    size_t limit;
    bool is_merging;  /* `newest` has the newest event of each key */
    bool is_reserved; /* what was reserved stays */
    kin__map newest;  /* kin__queued_event */
    kin__list spare;  /* events to be used next; the rest of the blocks */
    size_t n_spare;
    struct kin__event_block *blocks;
    size_t n_blocks;
    uint64_t n_merged;
    uint64_t n_vanished;
    size_t n_initial_vanished; /* of these: initial ones, since kin__event_queue_put() was called */
} kin__event_queue;

void kin__event_queue_init(kin__event_queue *queue, size_t limit);
/* With all that waits. No lock is held: objects may be destroyed. */
void kin__event_queue_done(kin__event_queue *queue);

/* So many notices can be put until kin__event_queue_unreserve(). 0, KIN_ENOMEM. */
int kin__event_queue_reserve(kin__event_queue *queue, size_t n);
void kin__event_queue_unreserve(kin__event_queue *queue);

/*
 * Put notices in, for which there is room. Objects that merging makes superfluous go into `garbage`,
 * which has room for 2 * n: to be released without the lock. How many these are.
 */
size_t kin__event_queue_put(kin__event_queue *queue, const kin__notice *notices, size_t n,
                            int64_t now, const kin_object **garbage);

/* Take out up to `max` of the oldest, into a list. How many. */
size_t kin__event_queue_take(kin__event_queue *queue, size_t max, kin__list *ret);
/* Those that were taken, in a list, have been told, and their objects released. */
void kin__event_queue_give_back(kin__event_queue *queue, kin__list *taken, size_t n);

/* When the oldest came; INT64_MAX: there is none. */
int64_t kin__event_queue_oldest(const kin__event_queue *queue);

#endif
