/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated cluster with a sink in memory and a clock that stands still, for tests.
 */
#ifndef KIN_TEST_SIMULATOR_SUPPORT_H
#define KIN_TEST_SIMULATOR_SUPPORT_H

#include "apiserver/simulator/simulator.h"
#include "kin_test.h"
#include "memory_sink.h"

struct cluster {
    kin_clock *clock;
    kin_test_memory_sink sink;
    kin__simulator *sim;
    kin__simulator_options options;
    uint64_t hash;     /* of all changes, in their order */
    char wrong[256];   /* what a change broke; "" */
    uint64_t failures; /* steps that failed */
    int failed;        /* the last one's code */
};

/* 2026-01-15T00:00:00Z */
#define CLUSTER_BEGIN INT64_C(1768435200000000000)

/* `options` without sink and clock. 0, KIN_ENOMEM. */
int cluster_init(struct cluster *c, const kin__simulator_options *options, kin_error *err);
void cluster_done(struct cluster *c);
/* Another simulator over the same sink, as after a restart; the options may have been changed. */
int cluster_restart(struct cluster *c, kin_error *err);
/* Let time go by in steps of 100 ms, and the simulator do what is due. */
void cluster_run(struct cluster *c, int64_t ms);
/* No more churn, and time for all that was begun to end. */
void cluster_calm(struct cluster *c);
/* After cluster_calm(): NULL, or what is wrong (in c->wrong). */
const char *cluster_check(struct cluster *c);

size_t cluster_count(const struct cluster *c, enum kin__simulated kind);
/* The i-th object of a kind, BORROWED until something changes. */
const kin_object *cluster_at(const struct cluster *c, enum kin__simulated kind, size_t i);
int64_t cluster_int(const kin_object *object, const char *path);
/* Whether the string at a path is this one. */
bool cluster_is(const kin_object *object, const char *path, const char *text);
/* Events of a reason. */
size_t cluster_events(const struct cluster *c, const char *reason);

#endif
