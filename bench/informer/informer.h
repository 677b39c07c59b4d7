/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of kin-bench-informer. Nothing here can fail and return: a run that fails has no
 * figures.
 */
#ifndef KIN_BENCH_INFORMER_H
#define KIN_BENCH_INFORMER_H

#include <kinform/informer.h>

#include "dial.h"
#include "load.h"

/* What is measured, as the arguments say. */
struct kin_bench_run {
    struct kin_bench_server server;
    bool streams;          /* the first objects come by a watch */
    bool is_ordered;       /* through the ordered FIFO */
    kin_delivery delivery; /* where handlers run */
    bool rest;             /* sync: the memory at rest, too */
    size_t events;         /* flood, latency: how many to take */
    size_t warmup;         /* latency: of these, so many at the beginning do not count */
    size_t rate;           /* latency: what the server sends per second; 0: unknown */
    size_t kinds;          /* idle: how many to watch */
    size_t window_ms;      /* idle: how long the CPU time is measured */
};

/*
 * An informer of a resource that the server is not asked about: the replay server has no discovery.
 * `group` may be "". What fails ends the run: a sync that had to be tried again is no measurement.
 */
kin_informer *kin_bench_informer_new(const struct kin_bench_run *run, kin_client *client,
                                     const char *group, const char *resource, const char *kind);
/* More events than wait at any time: each is told, not the last state of some. */
#define KIN_BENCH_NEVER_MERGE SIZE_MAX
/* OWNED: one reference. `max_queued` 0: the default. */
kin_registration *kin_bench_add_handler(const struct kin_bench_run *run, kin_informer *informer,
                                        kin_event_fn *fn, void *arg, size_t max_queued);
void kin_bench_start(kin_informer *informer);
/* Until the store has the first objects, and the handler was told of them. */
void kin_bench_wait_synced(kin_informer *informer, kin_registration *handler);
/* It has done what it says it does: one list or stream, one watch, nothing left out. */
void kin_bench_check_requests(const struct kin_bench_run *run, kin_informer *informer);
/* The server's answers are in the encoding that was asked for. */
void kin_bench_check_encoding(const struct kin_bench_run *run, kin_informer *informer);
/* Stop, and wait for it. The store stays. */
void kin_bench_stop(kin_informer *informer);

/* Pods with two indexes, as the peer has them, and one handler. */
struct kin_bench_pods {
    kin_client *client;
    kin_informer *informer;
    kin_registration *handler;
};

void kin_bench_pods_open(struct kin_bench_pods *pods, const struct kin_bench_run *run,
                         kin_event_fn *fn, void *arg, size_t max_queued);
void kin_bench_pods_close(struct kin_bench_pods *pods);

/* Counts events, and lets one thread wait for the last that is wanted. */
struct kin_bench_counter {
    size_t wanted;
    size_t seen; /* the handler's */
};

/* The number of this event, from 1; 0: it is over. Of the handler. */
size_t kin_bench_counter_next(struct kin_bench_counter *counter);
/* All have come. Of the handler. */
void kin_bench_counter_finish(void);
/* Until all have come. A stream that brings nothing for half a minute ends the run. */
void kin_bench_counter_wait(kin_registration *handler);

/* Processor time, memory and the rest of what every mode reports. */
void kin_bench_report_common(struct kin_bench_report *report, const struct kin_bench_run *run,
                             const struct kin_bench_usage *usage);

void kin_bench_sync(const struct kin_bench_run *run);
void kin_bench_flood(const struct kin_bench_run *run);
void kin_bench_latency(const struct kin_bench_run *run);
void kin_bench_idle(const struct kin_bench_run *run);

#endif
