/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An embedded API server with objects of several kinds in several namespaces, somebody who changes them,
 * and informers that follow them with four handlers each. Nothing here fails a test by itself: what is
 * wrong is said in words, so that a program can use it, too.
 */
#ifndef KIN_TEST_CLUSTER_H
#define KIN_TEST_CLUSTER_H

#include <stdatomic.h>

#include "kinform/apiserver.h"
#include "kinform/client.h"
#include "kinform/informer.h"
#include "replay.h"

/* The last one has no namespaces. */
enum { KIN_TEST_KINDS = 5, KIN_TEST_HANDLERS = 4, KIN_TEST_WORDS = 1024 };

typedef struct kin_test_cluster {
    kin_apiserver *server;
    char folder[64];
    char kubeconfig[128];
    kin_client *writer;
    kin_resource *kinds[KIN_TEST_KINDS];
    atomic_bool is_there[KIN_TEST_KINDS][KIN_TEST_SLOTS]; /* as far as the writers know */
    atomic_ulong n;                                       /* the number of the last write */
    atomic_ulong version; /* the largest that a write was answered with */
    int n_kinds;          /* that are used, the first ones; all, unless a test says otherwise */
    uint64_t mark;        /* the last one */
    uint64_t mark_versions[KIN_TEST_KINDS][KIN_TEST_NAMESPACES];
} kin_test_cluster;

const char *kin_test_kind_name(int kind);
bool kin_test_kind_is_namespaced(int kind);

/* Aborts if it cannot. `options` are changed. */
void kin_test_cluster_open(kin_test_cluster *cluster, kin_apiserver_options *options);
void kin_test_cluster_close(kin_test_cluster *cluster);
/* Another client. `clock` may be NULL: the system's; `idle_ms` is in its time. */
kin_client *kin_test_cluster_client(const kin_test_cluster *cluster, kin_clock *clock,
                                    int64_t idle_ms);

/* One write. A code: it may or may not have been done. Any thread. */
int kin_test_cluster_put(kin_test_cluster *cluster, int kind, int slot, bool is_odd);
int kin_test_cluster_delete(kin_test_cluster *cluster, int kind, int slot);
/* A mark in each namespace of each kind. False: the server does not answer. */
bool kin_test_cluster_mark(kin_test_cluster *cluster);
/* What there is, by other means. */
bool kin_test_cluster_truth(const kin_test_cluster *cluster, kin_test_world ret[KIN_TEST_KINDS],
                            char words[KIN_TEST_WORDS]);

/* What an informer is of. */
typedef struct kin_test_view {
    int kind;
    bool odd_only;       /* by a selector */
    unsigned namespaces; /* bit 0 is "a"; all three: without namespaces */
    kin_informer_content content;
    kin_informer_queue queue;
    bool no_streaming_list;
    int64_t page_size;
    int64_t resync_ms;
} kin_test_view;

/* Handlers: a thread, the pool, the loop, and a slow thread whose events are merged. */
typedef struct kin_test_follower {
    kin_test_view view;
    kin_informer *informer;
    kin_registration *registrations[KIN_TEST_HANDLERS];
    kin_test_replay replays[KIN_TEST_HANDLERS];
    uint64_t n_merged; /* of handlers that were replaced, as the others */
    uint64_t n_vanished;
    uint64_t n_told;
    kin_informer_status sums; /* when it was last looked at */
    unsigned n_untold;        /* states that handlers were not told: see kin_test_replay_adopt() */
} kin_test_follower;

/* `clock` may be NULL: the client's. Aborts if it cannot. */
void kin_test_follower_open(kin_test_follower *follower, const kin_test_view *view,
                            kin_client *client, kin_clock *clock, uint64_t seed);
void kin_test_follower_close(kin_test_follower *follower);
/* Put another handler in the place of one. */
void kin_test_follower_replace(kin_test_follower *follower, int handler, bool may_go_back);
/* Look at other things from now on, of those that the view has as namespaces or as a selector. */
void kin_test_follower_look_elsewhere(kin_test_follower *follower, unsigned namespaces,
                                      bool odd_only);
void kin_test_follower_may_go_back(kin_test_follower *follower, bool may);
/* Until all handlers have come to the last mark. */
bool kin_test_follower_await(kin_test_follower *follower, const kin_test_cluster *cluster,
                             int64_t timeout_ms, char words[KIN_TEST_WORDS]);
/* Whether cache and handlers have what there is, and nothing was wrong on the way. */
bool kin_test_follower_check(kin_test_follower *follower,
                             const kin_test_world truth[KIN_TEST_KINDS],
                             char words[KIN_TEST_WORDS]);

/* Look at its sums. Aborts if one has gone down. */
void kin_test_follower_sum(kin_test_follower *follower);

/* A mark, and until all have come to it. quiet.c */
bool kin_test_mark_all(kin_test_cluster *cluster, kin_test_follower *followers, size_t n,
                       int64_t timeout_ms, char words[KIN_TEST_WORDS]);
/*
 * The faults are over: until all have what there is; false: somebody has not. `lies`: they may have been
 * lied to, and have to list first. From then on versions must not go back.
 */
bool kin_test_quieten(kin_test_cluster *cluster, kin_test_follower *followers, size_t n, bool lies,
                      int64_t timeout_ms, char words[KIN_TEST_WORDS]);

/* One thread that dispatches for many. */
typedef struct kin_test_loop {
    pthread_t thread;
    kin_test_follower *followers; /* BORROWED */
    size_t n;
    int wakeup;
    atomic_bool is_over;
} kin_test_loop;

void kin_test_loop_start(kin_test_loop *loop, kin_test_follower *followers, size_t n);
void kin_test_loop_stop(kin_test_loop *loop);

#endif
