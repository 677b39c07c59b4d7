/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of keys, as FIFO and DeltaFIFO have it: who waits, who is in flight, who was in the first
 * list. What a key carries is the queue's.
 *
 * An entry is in the map while its key waits or is in flight. It waits in line, is taken, is in
 * flight, and finishes; more may come for it meanwhile, and then it is in line a second time while
 * in flight. When its turn comes before it has finished it is *blocked*: it steps aside, and others
 * are taken. Once it finishes it is before all who have not had their turn; of several the one
 * whose turn came first.
 *
 * A *scan* is a look at known objects, with no lock held, whose result is compared with the line
 * afterwards. From its begin to its end no entry leaves the map: those that finish *linger*. So a
 * key that is not in the map when its known object is looked at had nothing going on since the scan
 * began, and the known object is its newest state.
 *
 * Functions that end in _locked need the lock, which belongs to the line; those that wait give it up
 * meanwhile.
 */
#ifndef KIN_CACHE_LINE_H
#define KIN_CACHE_LINE_H

#include "base/list.h"
#include "base/map.h"
#include "base/mutex.h"
#include "base/process.h"
#include "kinform/error.h"
#include "kinform/object_list.h"

enum {
    KIN__LINE_WAITING = 1, /* in line or blocked */
    KIN__LINE_BLOCKED = 2, /* its turn came while it was in flight, which it may still be */
    KIN__LINE_IN_FLIGHT = 4,
    KIN__LINE_LINGERING = 8, /* finished during a scan */
    KIN__LINE_INITIAL = 16,  /* in flight as one of the first list */
    KIN__LINE_COUNTED = 32,  /* blocked as one of the first list: initial_waiting is without it */
};

/*
 * Keys that an empty queue keeps room for. A first list of a million objects does not cost its table for ever,
 * and what a watch brings at a time needs no new one.
 */
enum { KIN__LINE_KEEP = 16384 };

typedef struct kin__line_entry {
    kin__map_node node; /* the key's bytes are those of an object that the entry holds */
    kin__list link;     /* in line, or blocked */
    kin__list aside;    /* in flight, or lingering */
    unsigned flags;
} kin__line_entry;

typedef struct kin__line {
    kin__fork_guard guard;
    kin__mutex lock;     /* rank QUEUE */
    kin_clock *clock;    /* SHARED; const */
    kin__cond changed;   /* somebody waits in line, or it was closed */
    kin__cond settled;   /* synced, closed, or a scan has ended */
    unsigned n_sleeping; /* (lock) threads that wait for `changed` */
    void (*wake)(
        void *);         /* (lock) run when something was put in; takes WORKERS only; may be NULL */
    void *wake_arg;      /* (lock) */
    kin__map entries;    /* (lock) */
    kin__list waiting;   /* (lock) those who have not had their turn */
    kin__list blocked;   /* (lock) those who have; they come before */
    size_t n_ready;      /* (lock) of the blocked: not in flight any more */
    kin__list in_flight; /* (lock) */
    kin__list lingering; /* (lock) */
    size_t n_waiting;    /* (lock) blocked ones included */
    bool scanning;       /* (lock) */
    pthread_t scanner;   /* (lock) who does */
    bool closed;         /* (lock) */
    bool populated;      /* (lock) something was put in, or the first list is there */
    size_t initial_waiting; /* (lock) of the first list: so many are first in `waiting` */
    size_t initial_left;    /* (lock) of the first list: not finished yet */
} kin__line;

/* 0, or what a fork guard says; then there is nothing to be done. */
int kin__line_init(kin__line *line, kin_clock *clock, kin_error *err);
/* The entries are the caller's. In a forked child locks are not touched. */
void kin__line_done(kin__line *line);

/* What a queue checks first: 0, KIN_EINVAL (the queue, and so its line, is NULL), KIN_EFORKED. */
int kin__line_check(const kin__line *line, kin_error *err);

static inline kin__line_entry *kin__line_entry_of(kin__map_node *node)
{
    return node ? kin__container_of(node, kin__line_entry, node) : NULL;
}

/* Whether the key of an entry, which may be NULL, waits or is in flight. */
static inline bool kin__line_entry_is_queued(const kin__line_entry *entry)
{
    return entry && entry->flags & (KIN__LINE_WAITING | KIN__LINE_IN_FLIGHT);
}

kin__line_entry *kin__line_find_locked(const kin__line *line, kin_str key, uint32_t hash)
    KIN_REQUIRES(line->lock);

/* Put a new entry into the map, not into the line. 0 or KIN_ENOMEM. */
int kin__line_add_locked(kin__line *line, kin__line_entry *entry, kin_str key, uint32_t hash)
    KIN_REQUIRES(line->lock);

/* To the end of the line, if it does not wait there yet, and wake somebody. */
void kin__line_enter_locked(kin__line *line, kin__line_entry *entry) KIN_REQUIRES(line->lock);

/* Out of the line. One of the first list leaves its part of initial_waiting there. */
void kin__line_leave_locked(kin__line *line, kin__line_entry *entry) KIN_REQUIRES(line->lock);

/* Out of the map: it neither waits nor is in flight nor lingers. */
void kin__line_remove_locked(kin__line *line, kin__line_entry *entry) KIN_REQUIRES(line->lock);

/*
 * Visit those that are in flight, then those that wait, in the order of the line, and each once.
 * What is not 0 ends it, and is the result.
 */
typedef int kin__line_visit_fn(kin__line_entry *entry, void *arg);
int kin__line_each_locked(const kin__line *line, kin__line_visit_fn *visit, void *arg)
    KIN_REQUIRES(line->lock);
/*
 * What `collect` takes of these, by way of kin__collect_object() or kin__collect_string(): its `arg` is the
 * collector. 0, KIN_EINVAL (line or ret is NULL), KIN_ENOMEM, KIN_EFORKED.
 */
int kin__line_list_objects(kin__line *line, kin_object_list *ret, kin__line_visit_fn *collect,
                           kin_error *err);
int kin__line_list_strings(kin__line *line, kin_string_list *ret, kin__line_visit_fn *collect,
                           kin_error *err);

/* When a wait that begins now is over; INT64_MAX: never. */
int64_t kin__line_deadline(const kin__line *line, int64_t timeout_ms);

/* Wait until somebody can be taken. 0, KIN_ETIMEOUT, KIN_ECLOSED (and nobody waits). */
int kin__line_wait_locked(kin__line *line, int64_t deadline) KIN_REQUIRES(line->lock);

/* From now on `wake` runs whenever something is put in; NULL: no longer, and it does not run when this returns. */
void kin__line_set_wake(kin__line *line, void (*wake)(void *), void *arg);
/* Tell the consumer that does not wait in the line. */
void kin__line_tell_locked(kin__line *line) KIN_REQUIRES(line->lock);
/* Wake somebody: who waited and was woken does not take after all. */
void kin__line_wake_locked(kin__line *line) KIN_REQUIRES(line->lock);

/* Take the first who is not in flight, of the blocked if there is one; NULL if there is none. */
kin__line_entry *kin__line_take_locked(kin__line *line) KIN_REQUIRES(line->lock);

/* An entry that was taken is done with. It stays in the map; the caller decides what becomes of it. */
void kin__line_finish_locked(kin__line *line, kin__line_entry *entry) KIN_REQUIRES(line->lock);

/* So many more are part of the first list, before those that are. */
void kin__line_add_initial_locked(kin__line *line, size_t n) KIN_REQUIRES(line->lock);

/* So many of the first list, at most all that were not taken yet, need not be taken any more. */
void kin__line_skip_initial_locked(kin__line *line, size_t n) KIN_REQUIRES(line->lock);

static inline bool kin__line_has_synced_locked(const kin__line *line) KIN_REQUIRES(line->lock)
{
    return line->populated && line->initial_left == 0;
}

/* Whether who is taken next is part of the first list; before there is one everybody is. */
bool kin__line_is_initial_locked(kin__line *line) KIN_REQUIRES(line->lock);

/* Something was put in: if that was before any list, there is nothing to wait for. */
void kin__line_populate_locked(kin__line *line) KIN_REQUIRES(line->lock);
/* A list was put in, of so many; only the first counts. */
void kin__line_populate_list_locked(kin__line *line, size_t n) KIN_REQUIRES(line->lock);

/* --- what queues offer as it is: these check, and take the lock --- */

size_t kin__line_len(kin__line *line);
bool kin__line_has_synced(kin__line *line);
/* 0, KIN_ETIMEOUT, KIN_ECLOSED, KIN_EINVAL, KIN_EFORKED. */
int kin__line_wait_synced(kin__line *line, int64_t timeout_ms, kin_error *err);
void kin__line_close(kin__line *line);
bool kin__line_is_closed(kin__line *line);

/* --- scans --- */

/* Begin a scan, when no other is under way. 0, KIN_EBUSY: this thread is in the middle of one. */
int kin__line_begin_scan_locked(kin__line *line, kin_error *err) KIN_REQUIRES(line->lock);
/* End it. The lingering are the caller's to take from the list, and to remove unless they wait again. */
void kin__line_end_scan_locked(kin__line *line) KIN_REQUIRES(line->lock);

#endif
