/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reflector with the queue that it fills, of an informer or a controller. The reflector puts objects into the queue
 * and calls the functions of the first group below. These wake the process loop, which empties the queue.
 */
#ifndef KIN_INFORMER_REFLECTOR_QUEUE_H
#define KIN_INFORMER_REFLECTOR_QUEUE_H

#include <stdatomic.h>

#include "base/mutex.h"
#include "informer/process_loop.h"
#include "informer/queue.h"

typedef char kin__version_text[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

/* Whose it is. */
typedef struct kin__reflector_queue_owner {
    kin__process_loop *loop; /* whose lock, clock and workers are used */
    bool ends_loop;   /* the reflector is a source of the loop, which may go when it has ended */
    kin_store *store; /* is given the version up to which all was taken out; NULL: none is */
    /* Keys leave the queue in the order in which they came. Else all is applied only when it is empty. */
    bool is_in_order;
} kin__reflector_queue_owner;

/* What the last pop has done. */
typedef struct kin__reflector_queue_call {
    bool was_made;        /* the process function was called */
    int result;           /* what it returned */
    size_t n_keys;        /* how many it was given */
    unsigned n_unclaimed; /* as it was before the pop */
} kin__reflector_queue_call;

/*
 * A state of the queue that is being taken out: everything that had been received when the mark was set. A queue that
 * never gets empty is applied from mark to mark.
 */
typedef struct kin__reflector_queue_mark {
    bool is_set;
    size_t n_left;       /* keys that are in the queue since then, or more */
    uint64_t n_received; /* those of its owner, when it was set; so the next two */
    kin__version_text version;
    uint64_t gaps;
    int64_t list_unix_ns;
} kin__reflector_queue_mark;

typedef struct kin__reflector_queue kin__reflector_queue;

struct kin__reflector_queue {
    kin__reflector_queue_owner owner; /* const */
    kin_reflector *reflector;         /* const */
    kin_queue queue;                  /* const */
    void *arg;                        /* const: of the reflector's options */
    void (*arg_free)(void *arg);      /* const: the same */
    bool is_made;                     /* const: `arg`s are ours */
    bool is_started;                  /* (strand) */
    bool is_stopping;                 /* (strand) stop was called, and it may not have ended */
    bool must_empty;                /* (strand) something went back that may be of the first list */
    kin__reflector_queue_call call; /* (strand) */
    atomic_uint n_claimed;          /* lists and resyncs that were put in, or are being */
    atomic_uint n_unclaimed;        /* of these: the former */
    bool is_warm;      /* const: it goes on from a version, up to which all was there */
    bool is_synced;    /* (lock) */
    bool stands;       /* (lock) a bookmark has come */
    int64_t agreed_at; /* (lock) when a watch was agreed to; INT64_MAX: none is */
    bool counts;       /* (lock) an object's version says that all versions up to it have come */
    kin__version_text received;     /* (lock) all up to it is in the queue; "": nothing yet */
    kin__version_text applied;      /* (lock) all up to it was taken out; "": nothing yet */
    uint64_t n_received;            /* (lock) versions that have come */
    uint64_t n_applied;             /* (lock) the same, when `applied` had come */
    kin__reflector_queue_mark mark; /* (strand) */
    uint64_t n_refused;             /* (lock) the owner's: objects that its store has refused */
    uint64_t gaps_received; /* (lock) kin__reflector_queue_gaps_locked() when the last list began */
    uint64_t gaps_applied;  /* (lock) the same, of the last list that was taken out */
    bool verifies;          /* (lock) the last list was to find differences only */
    int64_t list_received;  /* (lock) when the last list began, ns since 1970; 0: none has come */
    int64_t list_applied;   /* (lock) the same, of the last list that was taken out */
    /* Of the list that is under way; as reflector->replace. */
    uint64_t list_gaps; /* those before it; it brings what is missing of them */
    int64_t list_begun; /* ns since 1970 */
    bool list_verifies;
};

/* --- what the reflector calls; no lock held --- */

/* An event of a watch is in the queue. */
void kin__reflector_queue_took_event(kin__reflector_queue *in, enum kin_watch_type type,
                                     const kin_object *object);
/* All up to a version has come; `is_agreement`: a watch from there was agreed to, and nothing has come. */
void kin__reflector_queue_took_bookmark(kin__reflector_queue *in, kin_str version,
                                        bool is_agreement);
/* A list begins. (stepper) */
void kin__reflector_queue_begin_list(kin__reflector_queue *in);
/* As kin_replace_commit(), for the list that was begun. */
int kin__reflector_queue_commit_list(kin__reflector_queue *in, kin_replace *list, kin_str version,
                                     kin_error *err);
/* Its state is another: before others see it, and after. */
void kin__reflector_queue_note_state(kin__reflector_queue *in, kin_reflector_state state);
void kin__reflector_queue_has_state(kin__reflector_queue *in, kin_reflector_state state);

/* --- what the owner calls --- */

/*
 * `queue` and `options` are COPIED; their `arg`s are CONSUMED if they have an `arg_free`. The status function of the
 * options is called before the loop is woken. To be released with kin__reflector_queue_done() also after a failure.
 * 0, KIN_EINVAL, KIN_ENOMEM …
 */
int kin__reflector_queue_init(kin__reflector_queue *in, const kin__reflector_queue_owner *owner,
                              const kin_queue *queue, kin_list_watch *source,
                              const kin_reflector_options *options, kin_error *err);
/* The reflector has ended, or the caller is on none of its workers. One that is all zero is fine. */
void kin__reflector_queue_done(kin__reflector_queue *in);

/*
 * (strand) One that is stopping ends first, and wakes the loop then. 0 (also if it was started),
 * KIN_EBUSY …
 */
int kin__reflector_queue_start(kin__reflector_queue *in, kin_error *err);
/* (strand) Let it end; again and again, until it has. */
bool kin__reflector_queue_stop(kin__reflector_queue *in);

/*
 * (strand) Pop up to `max` keys and process them. kin__reflector_queue_popped() follows. Returns the queue's code; `call`
 * says more.
 */
int kin__reflector_queue_pop(kin__reflector_queue *in, kin_process_batch_fn *fn, void *arg,
                             size_t max, kin_error *err);
/* The last act of a process function, which was called with `n` keys and returns `code`. Returns `code`. */
int kin__reflector_queue_processed(kin__reflector_queue *in, size_t n, int code);
/*
 * (strand) Note how far it is, for others to see. `code` is that of the pop. Whether there is more; 0: nothing, 1: more,
 * or `code`. An empty or closed queue is not a failure.
 */
int kin__reflector_queue_popped(kin__reflector_queue *in, int code);

/* Put something in that the reflector did not bring. 0 or the queue's code. */
int kin__reflector_queue_delete(kin__reflector_queue *in, const kin_object *object, kin_error *err);
int kin__reflector_queue_resync(kin__reflector_queue *in, kin_error *err);

/*
 * With the owner's lock: KIN_EDENIED or KIN_ETLS if it has not synced, and the source has refused it twice in a row;
 * `ret`, which may be NULL, is the last of these errors. Else 0.
 */
int kin__reflector_queue_refusal_locked(const kin__reflector_queue *in, kin_error *ret);

size_t kin__reflector_queue_len(const kin__reflector_queue *in);
/*
 * With the owner's lock: how much has come so far that was skipped or refused. If it is more than
 * `gaps_applied`, something that the source has may be missing or out of date, until the next list.
 */
uint64_t kin__reflector_queue_gaps_locked(const kin__reflector_queue *in);
/*
 * Whether all of the first list was taken out, as the strand has last found. What the queue says is not
 * all: to a DeltaFIFO what went back into it has been processed.
 */
bool kin__reflector_queue_has_synced(kin__reflector_queue *in);

#endif
