/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a reconciler.
 *
 * Handlers of informers put keys into the queue, workers take them out and call the function. All that
 * keeps two workers from one key, and keys from being lost, is the queue's. What is added here:
 *
 * A *gate* is on a key for which something was written: until the caches have seen it, or its time is
 * over. A worker that gets such a key does not wait: it notes in the gate that the key is wanted, and
 * takes the next one. Who opens the gate puts the key back.
 *
 * The *keeper* is one thread that opens gates, reports calls that take too long, and has the metrics of
 * unfinished work told. It looks when a time has come, and when an informer has made progress while
 * there is a gate. The cost of a look depends on the number of gates that the progress concerns, and not
 * on the number of all gates: reconciler_written.c has the indexes.
 *
 * The *pulse* counts what somebody may wait for. Who waits reads it, looks at what he waits for, and
 * waits until it is another. It is raised from within informers, under their lock, so it has a lock of
 * its own, below theirs; while the reconciler's own is above, to look at informers with it.
 *
 * | what    | written by                        | read by                |
 * |---------|-----------------------------------|------------------------|
 * | const   | kin_reconciler_new()              | anyone                 |
 * | (lock)  | anyone, under the lock            | anyone, under the lock |
 * | (start) | whoever adds sources, before a start | anyone after that   |
 */
#ifndef KIN_RUNTIME_RECONCILER_H
#define KIN_RUNTIME_RECONCILER_H

#include <stdatomic.h>

#include "base/map.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/timers.h"
#include "informer/informer.h"
#include "kinform/reconciler.h"

typedef struct kin__pulse {
    kin__mutex lock; /* rank PULSE */
    kin__cond beat;
    uint64_t n; /* (lock) */
} kin__pulse;

/* An informer whose cache is waited for. */
typedef struct kin__source {
    kin__list link; /* (start) */
    kin_reconciler *reconciler;
    kin_informer *informer;         /* BORROWED */
    kin_registration *registration; /* SHARED; NULL: the cache is only read */
    kin_reconcile_keys_fn *keys;
    void *arg;
    char *kind; /* OWNED; of owners; may be NULL */
    kin__progress progress;

    /* Writes of the informer's objects that gates wait for: see reconciler_written.c. */
    kin__map lanes;   /* (reconciler's lock) by version: kin__lane, by namespace */
    kin__list strays; /* (reconciler's lock) in no index: checked on each turn */
    kin__map by_key;  /* (informer's lock) */
    kin__list due;    /* (informer's lock) the store has got these objects: to be checked */
    size_t n_due;     /* (informer's lock) */
} kin__source;

typedef struct kin__worker {
    kin_reconciler *reconciler;
    kin__thread thread;
    kin_work_item *item; /* (lock) whose key the function was called for; NULL: it waits */
    int64_t began;       /* (lock) */
    bool is_reported;    /* (lock) it takes too long, and that was said */
} kin__worker;

typedef struct kin__lane kin__lane;

/* What was written. */
typedef struct kin__written {
    kin__list link; /* of its gate */
    struct kin__gate *gate;
    kin__source *source;
    kin_str version; /* in `text`, as is the next */
    kin_str key;     /* of the object in the informer's store; empty: only the version is known */
    kin_str namespace_; /* of the object */
    kin__lane *lane;    /* NULL: none */
    kin__timer turn;    /* in the lane, whose time is the version */
    kin__list place;    /* a stray, or on its way out of the indexes */
    kin__map_node node; /* (informer's lock) */
    bool is_mapped;     /* (informer's lock) it represents its key in the map */
    kin__list twins;    /* (informer's lock) a ring of those with the same key */
    kin__list due;      /* (informer's lock) */
    char text[];
} kin__written;

typedef struct kin__gate {
    kin__map_node node; /* while it is closed */
    kin__list link;     /* in `opened` */
    kin__list written;  /* what was not seen yet */
    kin__timer timer;   /* while it is closed: when its time is over */
    int64_t retry;      /* in `opened`: when the key is to be put back */
    bool is_wanted;     /* the key was taken out of the queue */
    kin_work_priority priority;
    size_t key_len;
    char key[];
} kin__gate;

struct kin_reconciler {
    kin__fork_guard guard;
    char *name;                     /* const */
    kin_reconcile_fn *fn;           /* const */
    void *arg;                      /* const */
    kin_reconciler_options options; /* const; without name and queue */
    kin_clock *clock;               /* const; SHARED */
    kin_logger *logger;             /* const; SHARED */
    kin_work_queue *queue;          /* const; OWNED */
    int64_t sync_timeout_ms;        /* const; -1: for ever */
    int64_t deadline;               /* const; of a call, ns; -1: none */
    int64_t write_timeout;          /* const; ns; -1: nothing waits */
    bool is_measured;               /* const; the queue has metrics */
    kin__list sources;              /* (start) under the lock until then */

    kin__pulse pulse;
    atomic_bool is_expectant; /* informers' progress matters: there are gates, or a start waits */

    kin__mutex lock;            /* rank RECONCILER */
    kin_reconciler_state state; /* (lock) */
    kin_reconciler_end end;     /* (lock) */
    bool is_let_go;             /* (lock) workers may begin */
    bool is_abandoned;          /* (lock) they shall not: some could not be started */
    size_t n_threads;           /* (lock) workers that have not ended */
    int64_t next_look;          /* (lock) the keeper's deadline */
    kin__map gates;             /* (lock) */
    kin__timers deadlines;      /* (lock) of these */
    uint64_t n_checks;          /* (lock) how often a cache was looked at for a write; for tests */
    kin__list opened;           /* (lock) gates whose keys are to be put back */
    uint64_t done;              /* (lock) as all counters of the status that follow */
    uint64_t requeued;
    uint64_t requeued_after;
    uint64_t failed;
    uint64_t overdue;
    uint64_t parked;
    uint64_t write_timeouts;
    uint64_t dropped;
    uint64_t unmapped;

    kin__thread keeper;  /* who starts */
    int64_t next_update; /* the keeper: when metrics are to be told */
    size_t n_workers;    /* const */
    kin__worker workers[];
};

struct kin_reconcile {
    kin_reconciler *reconciler;
    kin_work_item *item;
    kin_str key;
    bool is_requeued;
    bool is_requeued_after;
    int64_t after;
};

#define KIN__RECONCILER_RETRY (100 * KIN__MILLISECOND) /* after which memory is asked for again */

/* --- reconciler.c --- */

/* 0, KIN_EINVAL, KIN_EFORKED. */
int kin__reconciler_check(const kin_reconciler *reconciler, kin_error *err);
bool kin__reconciler_is_stopping(kin_reconciler *reconciler);

uint64_t kin__pulse_now(kin__pulse *pulse);
/* Any thread; with locks of lower ranks. */
void kin__pulse_raise(kin__pulse *pulse);
/* Until it is not `seen`. False once the deadline has passed. */
bool kin__pulse_wait(kin__pulse *pulse, uint64_t seen, kin_clock *clock, int64_t deadline);

/* --- reconciler_source.c --- */

/* The source of an informer, or NULL. */
kin__source *kin__reconciler_source_of(kin_reconciler *reconciler, const kin_informer *informer);
/* Its handlers are told nothing more. */
void kin__reconciler_remove_handlers(kin_reconciler *reconciler);
/* Whether the caller is one of its handlers, or what these call. */
bool kin__reconciler_is_told_here(kin_reconciler *reconciler);
/* The same, and nothing of them runs any more; they are freed. */
void kin__reconciler_free_sources(kin_reconciler *reconciler);
/* Until all caches are filled and their handlers know. 0, KIN_ETIMEOUT, KIN_ECLOSED. */
int kin__reconciler_await_caches(kin_reconciler *reconciler, kin_error *err);

/* --- reconciler_gate.c --- */

/* Whether the key of an item may be worked on; else it is parked, and comes back. */
bool kin__reconciler_pass_gate(kin_reconciler *reconciler, const kin_work_item *item);
/* The function has returned: a gate that has something to wait for stays. */
void kin__reconciler_check_gate(kin_reconciler *reconciler, kin_str key);
/* The key is dropped: it is not to be dropped once more with its gate. */
void kin__reconciler_unpark_locked(kin_reconciler *reconciler, kin_str key)
    KIN_REQUIRES(reconciler->lock);
/* Open what can be opened, and put keys back. Not while it is being stopped. */
void kin__reconciler_open_gates(kin_reconciler *reconciler);
/* The earliest time at which one has to be looked at. */
int64_t kin__reconciler_gates_deadline_locked(kin_reconciler *reconciler)
    KIN_REQUIRES(reconciler->lock);
/* All of them go. */
void kin__reconciler_drop_gates(kin_reconciler *reconciler);

/* --- reconciler_written.c --- */

void kin__source_init_waits(kin__source *source);
/* All writes of the source were taken out of the indexes. */
void kin__source_done_waits(kin__source *source);
/* A batch is in the store. With the informer's lock. */
void kin__source_note_stored(kin__source *source, const kin__notice *notices, size_t n);
/* NULL: no memory. `key` may be empty. To be released with kin__free(), when it has no place. */
kin__written *kin__written_new(kin__source *source, kin_str version, kin_str key,
                               kin_str namespace_);
/* From now on the keeper checks it when something has happened that may end the wait. */
void kin__written_place_locked(kin_reconciler *reconciler, kin__written *written)
    KIN_REQUIRES(reconciler->lock);
/* Nothing happens if it has no place. */
void kin__written_unplace_locked(kin_reconciler *reconciler, kin__written *written)
    KIN_REQUIRES(reconciler->lock);
bool kin__written_is_seen_locked(kin_reconciler *reconciler, const kin__written *written)
    KIN_REQUIRES(reconciler->lock);
/* Append those that were seen to a list, by `place`. They have left the indexes. */
void kin__reconciler_find_seen_locked(kin_reconciler *reconciler, kin__list *ret)
    KIN_REQUIRES(reconciler->lock);

/* --- reconciler_run.c --- */

/* The loops of a worker and of the keeper; `arg`: a kin__worker, the reconciler. */
void kin__reconciler_work(void *arg);
void kin__reconciler_keep(void *arg);
/* Whether the caller is one of them. */
bool kin__reconciler_runs_here(const kin_reconciler *reconciler);
/* The keeper is to look at a time. Whether the pulse has to be raised for that, behind the lock. */
bool kin__reconciler_look_at_locked(kin_reconciler *reconciler, int64_t deadline)
    KIN_REQUIRES(reconciler->lock);

#endif
