/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chaos: many informers with many handlers follow a server in which objects change all the time and which
 * misbehaves all the time. Now and then there is quiet, and all of them must have what the server has.
 *
 * The seed decides which objects are written, which faults there are and with which chance, when the
 * server is restarted, compacted or set back, and which informers are stopped. Which request meets which
 * fault is a matter of threads, too: a failure comes again with its seed mostly, not always.
 */
#ifndef KIN_TEST_CHAOS_H
#define KIN_TEST_CHAOS_H

#include "cluster.h"
#include "fast_clock.h"
#include "random_faults.h"
#include "rng.h"
#include "truth.h"

enum { CHAOS_WRITERS = 2, CHAOS_INFORMERS_MAX = 1000 };

typedef struct chaos_options {
    uint64_t seed;
    uint64_t events; /* that informers receive, at least */
    uint64_t faults; /* at least */
    unsigned informers;
    unsigned seconds; /* 0: until there were enough */
    bool is_verbose;
} chaos_options;

/* What was done to the server or the informers as a whole. */
enum chaos_deed {
    CHAOS_COMPACT,
    CHAOS_RESTART,
    CHAOS_FORGET,
    CHAOS_REWIND,
    CHAOS_STOP_INFORMER,
    CHAOS_REPLACE_HANDLER,
    CHAOS_LOOK_ELSEWHERE,
    CHAOS_DEEDS
};

typedef struct chaos {
    chaos_options options;
    kin_test_cluster cluster;
    kin_test_fast_clock clock;
    kin_client *fast;  /* by that clock, as its informers */
    kin_client *plain; /* by the system's */
    kin_test_follower *followers;
    kin_test_loop loop;
    kin_test_faults faults;
    unsigned phase;
    bool lies;                   /* in this phase the server does */
    unsigned writes;             /* per phase and writer */
    double scale;                /* of the faults that events meet */
    uint64_t deeds[CHAOS_DEEDS]; /* the first writer's, or of who has joined it */
    atomic_ulong n_writes;
    atomic_ulong n_failed_writes;
    unsigned n_phases[2];    /* without lies, with them */
    kin_test_holdings first; /* at the second quiet */
    kin_test_holdings most;  /* since */
    char words[KIN_TEST_WORDS];
} chaos;

void chaos_open(chaos *c);
void chaos_close(chaos *c);

/* Writers, until they have written enough. chaos_write.c */
void chaos_write(chaos *c);

/* Until everybody has what the server has; false: somebody has not. chaos_quiet.c */
bool chaos_quieten(chaos *c);

/* Sums over all informers. */
typedef struct chaos_sums {
    uint64_t events, bookmarks, lists, watches, skipped;
    uint64_t told, merged, vanished, syncs, tombstones, untold;
} chaos_sums;

void chaos_sum(chaos *c, chaos_sums *ret);
uint64_t chaos_count_faults(const chaos *c);

#endif
