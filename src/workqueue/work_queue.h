/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a work queue.
 *
 * Each key that the queue has to do with has one item: in the map, with up to three independent
 * reasons to be there. It is *dirty*: it wants to be worked on. It is *working*: somebody has it.
 * Its timer is set: it becomes dirty later. Dirty and not working is queued, in the line of its
 * priority; dirty and working waits for the end of the work. An item without a reason goes; its
 * memory is kept for other keys, so that a steady state allocates nothing.
 *
 * Nobody keeps the time but those who wait. One of them, the timekeeper, waits no longer than until
 * the first timer is due; the others wait for keys. Each has an event of its own. One is woken
 * at a time, the last one that fell asleep, the timekeeper only if there is no other; once it runs,
 * it wakes the next if there is more to do. So a flood of keys costs one wake-up and not one for
 * each key, and all workers run when there is work for all. One of those who wait looks for a while
 * before it sleeps: then waking it costs nothing.
 *
 * Threads: any. One lock, rank WORK_QUEUE, under which nothing of the user's runs but the allocator
 * and the clock. Metrics are told, sleepers woken, the limiter asked and lines logged without it:
 * what there is to do is collected in a kin__work_told.
 *
 * Order: within a priority keys come in the order in which they were queued; of those whose time
 * comes at once, in the order of their times. Left out on purpose: a key's place in line does not
 * change when it is added again, except to the line of the higher priority.
 *
 * Most queues are *plain* for all of their time: no metrics, no descriptor, not shut down. What
 * nearly every call does in such a queue is inline, from the check of the arguments to the release
 * of the lock, and leaves out what is only asked for otherwise; all else goes the long way.
 */
#ifndef KIN_WORKQUEUE_WORK_QUEUE_H
#define KIN_WORKQUEUE_WORK_QUEUE_H

#include "base/clock.h"
#include "base/error.h"
#include "base/list.h"
#include "base/map_inline.h"
#include "base/process.h"
#include "base/quick_lock.h"
#include "base/timers.h"
#include "kinform/work_queue.h"

enum {
    KIN__WORK_DIRTY = 1,
    KIN__WORK_WORKING = 2,
};

enum { KIN__WORK_PRIORITIES = 2 };

/* How often one who waits looks before it sleeps: from half a microsecond to ten. */
enum {
    KIN__WORK_LOOKS_MIN = 16,
    KIN__WORK_LOOKS_MAX = 256,
};

enum { KIN__WORK_KEY_ROOM = 104 }; /* for keys without memory of their own, and their end */

struct kin_work_item {
    kin__map_node node; /* its key is below, or has memory of its own; terminated */
    kin__list link;     /* (lock) in a line, among those worked on if the queue is timed, or free;
                           otherwise in nothing, and undefined */
    uint8_t flags;      /* (lock) */
    uint8_t priority;   /* (lock) while it is dirty */
    uint8_t later;      /* (lock) the priority that its timer brings */
    uint8_t handed_out; /* const while it is worked on: the priority with which it came */
    uint8_t place;      /* const: in its block */
    kin__timer timer;   /* (lock) */
    char room[KIN__WORK_KEY_ROOM]; /* const while it is in the map */
    int64_t added_at;              /* (lock) when it became dirty; if the queue is timed */
    int64_t began_at;              /* const while it is worked on; likewise */
    int64_t waited;                /* const while it is worked on; likewise */
};

/* Who waits in a get, or for the end. On the stack of the waiting thread. */
typedef struct kin__work_waiter {
    kin__event event;
    kin__list link; /* (lock) in `idle`; not if it was woken, or keeps the time. Or in `draining` */
    bool woken;     /* (lock) and has not run since */
} kin__work_waiter;

/* What is to be done once the lock is released. */
typedef struct kin__work_told {
    size_t adds;         /* metrics to be told of */
    kin__event *sleeper; /* to be woken; NULL: nobody */
} kin__work_told;

struct kin_work_queue {
    /* What every call touches is together: it travels from core to core. */
    kin__quick_lock lock;                  /* rank WORK_QUEUE */
    bool plain;                            /* (lock) not timed, no descriptor, not shut down */
    bool shut_down;                        /* (lock) */
    bool looking;                          /* (lock) one who waits looks, and does not sleep yet */
    size_t n_queued;                       /* (lock) */
    size_t n_low;                          /* (lock) of them */
    kin__list lines[KIN__WORK_PRIORITIES]; /* (lock) queued */
    size_t n_working;                      /* (lock) */
    size_t n_again;                        /* (lock) of them, the dirty ones */
    size_t n_waiting;                      /* (lock) in a get */
    size_t n_woken;               /* (lock) of them, those who were woken and have not run since */
    unsigned looks;               /* (lock) how often one who waits looks before it sleeps */
    unsigned passed_over;         /* (lock) by those of high priority, in a row */
    kin__list idle;               /* (lock) kin__work_waiter; who came last is first */
    kin__work_waiter *timekeeper; /* (lock) */
    uint64_t adds;                /* (lock) */
    kin__map items;               /* (lock) but for its seed, which is const */
    kin_work_item *spare;         /* (lock) the free item that is used next; NULL: none is apart */
    kin__list blocks;             /* (lock) of items, those with a free one */
    size_t n_blocks;              /* (lock) all */
    size_t n_free_blocks;         /* (lock) of them, those whose items are all free */
    size_t most_blocks;           /* (lock) in use at a time since `trim_at` was set */
    int64_t trim_at;              /* (lock) when to see what can go; INT64_MAX: nothing can */
    kin__timers timers;           /* (lock); frozen and in order after the shutdown */

    int fd;                              /* (lock) a timerfd, or -1: nobody asked; then const */
    kin__fork_guard guard;               /* const after new */
    unsigned low_every;                  /* const after new */
    bool timed;                          /* const after new: times are taken */
    bool measured;                       /* const after new: there are metrics */
    kin_clock *clock;                    /* const after new */
    kin_rate_limiter *limiter;           /* const after new */
    kin_logger *logger;                  /* const after new */
    char *name;                          /* const after new */
    kin_work_queue_metrics metrics;      /* const after new */
    void *metrics_arg;                   /* const after new */
    void (*metrics_arg_free)(void *arg); /* const after new */

    kin__list working;        /* (lock) in the order in which they were handed out; if timed */
    uint64_t retries;         /* (lock) */
    uint64_t refused;         /* (lock) */
    int64_t shut_down_at;     /* (lock), const after the shutdown */
    kin__list draining;       /* (lock) kin__work_waiter */
    int64_t fd_at;            /* (lock) for when the descriptor is set */
    kin__clock_waiter waiter; /* of a fake clock, for the descriptor */
    unsigned n_shut_downs;    /* (lock) without drain: releases those who drain */
    bool waiter_begun;        /* (lock) */
};

/* 0, KIN_EINVAL (NULL), KIN_EFORKED. */
static inline int kin__work_queue_check(const kin_work_queue *queue, kin_error *err)
{
    return queue ? kin__fork_guard_check(&queue->guard, err) : kin__error_null(err, "queue");
}

/* Whether that is 0. */
static inline bool kin__work_queue_usable(const kin_work_queue *queue)
{
    return queue && kin__fork_guard_is_right(&queue->guard);
}

/* --- work_queue.c --- */

/* Queue those whose time has come. Wakes nobody. */
void kin__work_move_due_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);
/* After unlocking: wake whoever sleeps, and tell metrics. */
void kin__work_tell_all(kin_work_queue *queue, const kin__work_told *told);

static inline void kin__work_tell(kin_work_queue *queue, const kin__work_told *told)
{
    if (kin__unlikely(told->sleeper || queue->measured))
        kin__work_tell_all(queue, told);
}

/* --- work_queue_items.c --- */

/* The rest of making and of freeing an item. */
kin_work_item *kin__work_item_make_locked(kin_work_queue *queue, kin_str key)
    KIN_REQUIRES(queue->lock);
void kin__work_item_give_locked(kin_work_queue *queue, kin_work_item *item)
    KIN_REQUIRES(queue->lock);
/*
 * Nothing can be handed out, before the shutdown: give back what was not needed for a while, a part
 * of it at a time. True: there is something, and somebody has to come back at `trim_at`, which is new.
 */
bool kin__work_trim_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock);
/* All items, and the map. Nobody uses the queue any more. */
void kin__work_items_done(kin_work_queue *queue);

/* memcpy(), without the call. */
static inline void kin__work_copy(char *to, const char *from, size_t len)
{
    const size_t step = sizeof(uint64_t);

    if (kin__unlikely(len < step)) {
        for (size_t i = 0; i < len; i++)
            to[i] = from[i];
        return;
    }
    uint64_t last = kin__map_word(from + len - step);
    for (size_t i = 0; i + step < len; i += step) {
        uint64_t word = kin__map_word(from + i);

        memcpy(to + i, &word, step);
    }
    memcpy(to + len - step, &last, step);
}

/* An item that is in no map, with a key and no reason to be there. NULL: no memory. */
static inline kin_work_item *kin__work_item_new_locked(kin_work_queue *queue, kin_str key)
    KIN_REQUIRES(queue->lock)
{
    kin_work_item *item = queue->spare;

    if (kin__unlikely(!item || key.len >= sizeof(item->room)))
        return kin__work_item_make_locked(queue, key);
    queue->spare = NULL;
    kin__work_copy(item->room, key.data, key.len);
    item->room[key.len] = '\0';
    item->node.key = item->room;
    item->flags = 0;
    kin__timer_init(&item->timer);
    return item;
}

/* It is in no map any more. */
static inline void kin__work_item_free_locked(kin_work_queue *queue, kin_work_item *item)
    KIN_REQUIRES(queue->lock)
{
    if (kin__likely(!queue->spare && item->node.key == item->room))
        queue->spare = item;
    else
        kin__work_item_give_locked(queue, item);
}

/* The item of a key, made if need be: then it has no reason to be there yet. NULL: no memory. */
static inline kin_work_item *kin__work_obtain_locked(kin_work_queue *queue, kin_str key,
                                                     uint32_t hash) KIN_REQUIRES(queue->lock)
{
    kin__map *items = &queue->items;
    kin__map_node *node = kin__map_find_inline(items, key, hash);
    kin_work_item *item;

    if (node)
        return kin__container_of(node, kin_work_item, node);
    if (kin__unlikely(items->len >= items->limit) && kin__map_reserve(items, items->len + 1) < 0)
        return NULL;
    item = kin__work_item_new_locked(queue, key);
    if (kin__likely(item))
        kin__map_put_inline(items, &item->node, kin_str_make(item->node.key, key.len), hash);
    return item;
}

/* Give up an item that has no reason to be there, or leave it. */
static inline void kin__work_settle_locked(kin_work_queue *queue, kin_work_item *item)
    KIN_REQUIRES(queue->lock)
{
    if (item->flags || kin__timer_is_set(&item->timer))
        return;
    kin__map_remove_inline(&queue->items, &item->node);
    kin__work_item_free_locked(queue, item);
}

/* Into its line; it is dirty. */
static inline void kin__work_queue_up_locked(kin_work_queue *queue, kin_work_item *item)
    KIN_REQUIRES(queue->lock)
{
    kin__list_push_back(&queue->lines[item->priority], &item->link);
    queue->n_queued++;
    queue->n_low += item->priority == KIN_WORK_LOW;
}

/* --- work_queue_get.c --- */

/* After queueing: see to it that somebody who waits runs, if anybody does. */
static inline void kin__work_wake_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);
void kin__work_wake_one_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);
/* The first timer is another one: somebody has to wait for it. */
void kin__work_new_time_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);
void kin__work_wake_all_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);
/* Those who wait for the end are to look. */
void kin__work_wake_draining_locked(kin_work_queue *queue, kin__work_told *told)
    KIN_REQUIRES(queue->lock);

static inline void kin__work_wake_locked(kin_work_queue *queue, kin__work_told *told)
{
    if (kin__unlikely(queue->n_waiting > 0) && queue->n_woken == 0 && queue->n_queued > 0)
        kin__work_wake_one_locked(queue, told);
}

/* The end of a call in a plain queue: nobody is told, but somebody may have to be woken. */
void kin__work_give_and_wake(kin_work_queue *queue) KIN_RELEASE(queue->lock);

static inline void kin__work_give_plain(kin_work_queue *queue) KIN_RELEASE(queue->lock)
{
    if (kin__unlikely(queue->n_waiting > 0))
        kin__work_give_and_wake(queue);
    else
        kin__quick_lock_give(&queue->lock);
}

/* --- work_queue_fd.c --- */

/* Before unlocking, wherever something has changed: set the descriptor, if there is one. */
static inline void kin__work_fd_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock);
void kin__work_fd_set_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock);
void kin__work_fd_done(kin_work_queue *queue);

static inline void kin__work_fd_locked(kin_work_queue *queue)
{
    if (queue->fd >= 0)
        kin__work_fd_set_locked(queue);
}

#endif
