/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the modes of kin-bench-cache share: the arguments, the objects and the orders in which they
 * are used, and how work is repeated and timed. bench/peers/client-go has the same in indexer.go,
 * deltafifo.go and passes.go; a change here wants one there.
 */
#ifndef KIN_BENCH_CACHE_H
#define KIN_BENCH_CACHE_H

#include <stdatomic.h>

#include <kinform/delta_fifo.h>

#include "load.h"
#include "measure.h"

#define KIN_BENCH_MAX_READERS 64
/* The name of the index of nodes; that of namespaces is the library's. */
#define KIN_BENCH_NODE_INDEX "nodeName"
/*
 * How many orders the updates cycle through. With one order only, the records that an update makes
 * would lie in memory in the order of the next pass, and all passes but the first would be
 * flattered.
 */
#define KIN_BENCH_UPDATE_ORDERS 4
/* How many gets pass between two looks at the stop flag, so that the look costs nothing. */
#define KIN_BENCH_CHECK_EVERY 64

/* What the command line asks for. */
struct kin_bench_arguments {
    const char *file; /* NULL: slim objects */
    size_t n;         /* objects; 0: all of the file */
    double min_time;  /* seconds to be timed at least */
    unsigned readers;
    size_t batch;      /* 0: the mode's own */
    const char *index; /* to read by */
    size_t adds;       /* in one pass */
    size_t hot_keys;
};

/* The modes. Each adds its measures to the report. */
typedef void kin_bench_mode_fn(const struct kin_bench_arguments *args,
                               struct kin_bench_report *report);
kin_bench_mode_fn kin_bench_store_add;
kin_bench_mode_fn kin_bench_store_update;
kin_bench_mode_fn kin_bench_store_delete;
kin_bench_mode_fn kin_bench_store_replace;
kin_bench_mode_fn kin_bench_store_get;
kin_bench_mode_fn kin_bench_store_view_get;
kin_bench_mode_fn kin_bench_store_list;
kin_bench_mode_fn kin_bench_store_view_list;
kin_bench_mode_fn kin_bench_store_by_index;
kin_bench_mode_fn kin_bench_writer_while_get;
kin_bench_mode_fn kin_bench_writer_while_list;
kin_bench_mode_fn kin_bench_store_memory;
kin_bench_mode_fn kin_bench_fifo_add_pop;
kin_bench_mode_fn kin_bench_fifo_add_popbatch;
kin_bench_mode_fn kin_bench_fifo_batch_batch;
kin_bench_mode_fn kin_bench_fifo_hot;
kin_bench_mode_fn kin_bench_fifo_lockstep;
kin_bench_mode_fn kin_bench_fifo_add;
kin_bench_mode_fn kin_bench_fifo_pop;
kin_bench_mode_fn kin_bench_fifo_replace;
kin_bench_mode_fn kin_bench_fifo_replace_empty;
kin_bench_mode_fn kin_bench_fifo_resync;

/* --- passes.c --- */

/*
 * Repeat `set_up` (not timed) and `pass` (timed) until `min_time` has been timed, after a first
 * pass for warming up. `pass` returns the number of its operations; this, that of the timed ones.
 */
uint64_t kin_bench_timed_passes(double min_time, void (*set_up)(void *arg),
                                uint64_t (*pass)(void *arg), void *arg,
                                struct kin_bench_usage *used);

/* A thread that counts its operations until it is told to stop. */
struct kin_bench_worker {
    void (*work)(struct kin_bench_worker *worker, const atomic_bool *stop);
    void *arg;
    unsigned number;  /* among its like, from 0 */
    uint64_t ops;     /* set once, at the end of the work */
    uint64_t objects; /* likewise: that it got */
};

/* Run workers, each in a thread of its own, for the time given. */
void kin_bench_timed_workers(double seconds, struct kin_bench_worker *workers, size_t n,
                             struct kin_bench_usage *used);

static inline bool kin_bench_stopped(const atomic_bool *stop)
{
    return atomic_load_explicit(stop, memory_order_relaxed);
}

/* Add `n` operations per second of wall time. */
void kin_bench_report_rate(struct kin_bench_report *report, const char *name, uint64_t n,
                           const struct kin_bench_usage *used);
/* Add `wall`, `cpu` and `ops`. */
void kin_bench_report_ops(struct kin_bench_report *report, uint64_t ops,
                          const struct kin_bench_usage *used);

/* --- set.c --- */

/* Objects, and orders to use them in. All arrays have `n` items. */
struct kin_bench_set {
    size_t n;
    const kin_object **older; /* in the order in which they were made, as from a list */
    /* What follows is there after kin_bench_set_load_all() only. */
    const kin_object **newer;                            /* the same keys */
    const kin_object **updates[KIN_BENCH_UPDATE_ORDERS]; /* newer and older in turn */
    size_t next;                                         /* of the updates */
    kin_str *keys;   /* in random order, copies with memory of their own */
    char *key_bytes; /* the copies, in the order of the objects */
};

/* The older objects alone. */
void kin_bench_set_load(struct kin_bench_set *set, const struct kin_bench_arguments *args);
void kin_bench_set_load_all(struct kin_bench_set *set, const struct kin_bench_arguments *args);
/* The objects of the next pass. */
const kin_object **kin_bench_set_next_updates(struct kin_bench_set *set);
void kin_bench_set_done(struct kin_bench_set *set);

/* --- fifo.c --- */

/* A queue with the objects that go through it, and what its process functions have counted. */
struct kin_bench_fifo {
    const struct kin_bench_arguments *args;
    struct kin_bench_set set;
    size_t n_objects; /* those of the set that are used, the first */
    kin_store *known; /* what the consumer is said to have */
    kin_delta_fifo *queue;
    uint64_t deltas;
    uint64_t calls;
};

/* Objects, and an empty store of known ones. */
void kin_bench_fifo_begin(struct kin_bench_fifo *b, const struct kin_bench_arguments *args);
void kin_bench_fifo_end(struct kin_bench_fifo *b);
/* Begin a pass: a new queue with the options that informers use. The argument is the bench. */
void kin_bench_fifo_set_up(void *bench);
/* Process functions: they count what they are given. The argument is the bench. */
kin_process_fn kin_bench_fifo_count;
kin_process_batch_fn kin_bench_fifo_count_batch;

/* --- store.c --- */

/* A store with two indexes, and the objects to put into it. */
struct kin_bench_store {
    const struct kin_bench_arguments *args;
    struct kin_bench_set set;
    kin_store *store;
    const kin_object **objects; /* of the pass under way */
};

/* A new store: no index, that of namespaces, or that of nodes as well. */
kin_store *kin_bench_store_new(unsigned indexes);
/* Add objects one by one. */
void kin_bench_store_fill(kin_store *store, const kin_object **objects, size_t n);
/* What is quick and wrong is no figure: the store must have these objects and no others. */
void kin_bench_store_check(kin_store *store, const kin_object **objects, size_t n);
/* Objects, and a store filled in the order in which they were made. */
void kin_bench_store_begin(struct kin_bench_store *b, const struct kin_bench_arguments *args);
void kin_bench_store_end(struct kin_bench_store *b);

#endif
