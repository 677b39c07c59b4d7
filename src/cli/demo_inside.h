/* SPDX-License-Identifier: Apache-2.0 */
/* Between demo.c, which runs, and demo_informers.c, which has the informers and their figures. */
#ifndef KIN_CLI_DEMO_INSIDE_H
#define KIN_CLI_DEMO_INSIDE_H

#include "cli/demo_figures.h"
#include "cli/watch_event.h"
#include "kinform/factory.h"

enum { DEMO_CHANGES = 128, DEMO_LATENCIES = 4096 };

/* A change that was told. What it looks like is found out when it is shown. */
struct demo_event {
    int64_t unix_s;
    size_t kind;
    kin_event_type type;
    const kin_object *object;     /* SHARED */
    const kin_object *old_object; /* SHARED; NULL: none */
};

struct demo_informer {
    struct demo_informers *all;
    size_t index;
    kin_informer *informer; /* BORROWED from the factory */
    kin_registration *registration;
    kin_resource *resource;
    struct rate rate;
    uint64_t first_events; /* of the first list, if that came by a watch: they are no changes */
    int64_t lags[2];       /* the longest of this second, and of the one before */
    int64_t max_lag_ns;
    size_t depths
        [2]; /* the same of what was queued, looked at before it is told: behind that there is nothing */
    uint64_t bytes; /* of an object on the average */
    kin_informer_status status;
};

/* One thread: handlers run in its loop. */
struct demo_informers {
    kin_client *client;
    kin_factory *factory;
    int changed_fd; /* a state has changed */
    struct demo_informer items[DEMO_KINDS];
    int64_t started_ns;
    int64_t sync_ns; /* -1: not all are synced */
    size_t synced_objects;
    int64_t second_ns;    /* when the lags' second began */
    int64_t next_look_ns; /* when objects are measured again */
    bool is_paused;
    size_t unseen;
    int64_t lost_ns;    /* when the server was lost; 0: it was not, or that is long ago */
    int64_t back_ns;    /* when all watched again; 0: not yet */
    bool was_restarted; /* by us */
    bool has_waited;    /* since then: an informer did notice */
    struct text note;   /* of that, for the user; empty: none */
    struct demo_event events[DEMO_CHANGES]; /* a ring: n_events % DEMO_CHANGES is the next */
    size_t n_events;
    int64_t latencies[DEMO_LATENCIES]; /* a ring, too */
    size_t n_latencies;
    int64_t max_latency_ns;
    struct watch_view view; /* how changes look */
    struct demo_change changes[DEMO_CHANGES];
    struct text texts[DEMO_CHANGES][2]; /* head and details of `changes` */
};

/* There are none yet. It stays where it is: handlers know its address. */
void demo_informers_init(struct demo_informers *all);
/* Make and start them. 0, or a code with a line for the user. */
int demo_informers_start(struct demo_informers *all, const char *kubeconfig, kin_error *err);
void demo_informers_done(struct demo_informers *all);

/* Run handlers for what waits. */
void demo_informers_dispatch(struct demo_informers *all);
bool demo_informers_have_synced(const struct demo_informers *all);
/* To be called some times per second: rates and lags are of the last of them. */
void demo_informers_sample(struct demo_informers *all, int64_t now_ns);
/* The server was restarted just now: what follows from it is noted. */
void demo_informers_restarted(struct demo_informers *all, int64_t now_ns);
/* Changes are not shown from now on, but counted; or again. */
void demo_informers_pause(struct demo_informers *all, bool is_paused);

/* What there is to show, with the newest `n_changes`. Texts are BORROWED until the next call. */
void demo_informers_get(struct demo_informers *all, struct demo_figures *f, size_t n_changes,
                        int64_t now_ns);
/* For the summary: the size of objects, and what they would be as JSON. */
void demo_informers_measure(struct demo_informers *all, struct demo_figures *f);

#endif
