/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a simulation: a list of actions, made from a seed before anything runs.
 *
 * Actions are data, so that a failing simulation can be repeated with fewer of them.
 */
#ifndef KIN_SIMULATION_PLAN_H
#define KIN_SIMULATION_PLAN_H

#include "scheduler.h"

enum {
    SIM_KEYS = 10,
    SIM_HANDLERS = 4,
    SIM_ACTIONS = 512,
    SIM_REPLICAS = 3,
    SIM_SCOPES = 128,
};
/* Values of the objects' label: that of an object is its version modulo this. */
enum { SIM_COLORS = 3 };

/* Who acts. Each has a thread, and acts in the order of the plan. */
typedef enum sim_actor {
    SIM_SERVER,   /* writes of other clients, and everything that goes wrong with the server */
    SIM_USER,     /* the program that uses the informer */
    SIM_OTHER,    /* another thread of that program */
    SIM_WAITER,   /* one that waits for the informer to be synced */
    SIM_PRODUCER, /* one that fills a queue of its own */
    SIM_RESYNCER, /* one that resyncs it */
    SIM_ACTORS,
} sim_actor;

/* X(name, weight, actor, text) */
#define SIM_ACTION_LIST(X)                                                                         \
    X(PUT, 60, SIM_SERVER, "writes object %u")                                                     \
    X(DELETE, 15, SIM_SERVER, "deletes object %u")                                                 \
    X(BOOKMARK, 8, SIM_SERVER, "sends bookmarks")                                                  \
    X(END, 4, SIM_SERVER, "ends the watches")                                                      \
    X(CUT, 6, SIM_SERVER, "cuts all connections")                                                  \
    X(GONE, 6, SIM_SERVER, "ends the watches with 410")                                            \
    X(ERROR, 3, SIM_SERVER, "ends the watches with 500")                                           \
    X(FAIL, 8, SIM_SERVER, "fails the next request: %u")                                           \
    X(COMPACT, 10, SIM_SERVER, "forgets its history")                                              \
    X(LAG, 6, SIM_SERVER, "replica %u falls behind")                                               \
    X(CATCH_UP, 6, SIM_SERVER, "replica %u catches up")                                            \
    X(STALL, 5, SIM_SERVER, "stops sending for a while")                                           \
    X(RESTART, 2, SIM_SERVER, "restarts")                                                          \
    X(REPEAT, 4, SIM_SERVER, "sends the last event of each watch again")                           \
    X(DROP, 2, SIM_SERVER, "leaves out an event of each watch")                                    \
    X(RESTORE, 3, SIM_SERVER, "returns to a backup")                                               \
    X(NO_MEMORY, 4, SIM_SERVER, "leaves little memory to the program")                             \
    X(JOIN, 6, SIM_USER, "adds handler %u")                                                        \
    X(LEAVE, 5, SIM_USER, "removes handler %u")                                                    \
    X(LEAVE_WAIT, 5, SIM_USER, "removes handler %u and waits")                                     \
    X(STOP, 5, SIM_USER, "stops and starts the informer")                                          \
    X(READ, 12, SIM_OTHER, "reads a view")                                                         \
    X(WRITE, 12, SIM_OTHER, "writes object %u and waits for it")                                   \
    X(SAVE, 8, SIM_OTHER, "saves a snapshot")                                                      \
    X(DIE, 6, SIM_OTHER, "dies")                                                                   \
    X(SCOPE, 12, SIM_WAITER, "looks at %s")                                                        \
    X(STATUS, 16, SIM_WAITER, "reads the status")                                                  \
    X(SYNC, 8, SIM_WAITER, "waits until handler %u is synced")                                     \
    X(SYNC_ALL, 4, SIM_WAITER, "waits until the informer is synced")                               \
    X(QUEUE_RESYNC, 10, SIM_RESYNCER, "resyncs the DeltaFIFO")                                     \
    X(QUEUE_PUT, 10, SIM_PRODUCER, "puts object %u into the DeltaFIFO")                            \
    X(QUEUE_DELETE, 10, SIM_PRODUCER, "deletes object %u in the DeltaFIFO")                        \
    X(WORK, 10, SIM_PRODUCER, "adds key %u to the work queue")                                     \
    X(WORK_LATER, 6, SIM_PRODUCER, "adds key %u to the work queue for later")

typedef enum sim_do {
#define SIM_ENUM(name, weight, actor, text) SIM_DO_##name,
    SIM_ACTION_LIST(SIM_ENUM)
#undef SIM_ENUM
        SIM_N_DO,
} sim_do;

typedef struct sim_action {
    int64_t after_ns; /* since the actor's action before */
    sim_do what;
    unsigned subject; /* an object, a handler, a replica, a way to fail, a scope */
    unsigned detail;  /* random bits for the action */
} sim_action;

/* Of the informer and of the world, for a whole simulation. */
typedef struct sim_config {
    bool ordered;        /* the ordered FIFO, not DeltaFIFO */
    bool streaming;      /* lists are streamed */
    int64_t page_size;   /* 0: by the library's rules */
    int64_t resync_ms;   /* 0: never */
    int64_t latency_ns;  /* of a message, at most */
    unsigned max_queued; /* of handlers; 0: the default */
    bool rejects;        /* the transformer rejects some versions: sim_is_rejected() */
    bool slow_index;     /* the index function takes some time */
    bool reconciler;     /* the program has one */
    bool controller;     /* takes from the DeltaFIFO, which the program fills */
    bool unversioned;    /* the source knows no versions */
    bool own_key;        /* objects have no name, and the program has a key function */
    bool scopes;         /* the informer is a client's, whose scope the program changes */
    unsigned scope;      /* the first one */
    int64_t
        relist_ms; /* the server may break its contract: a list by this time puts it right; 0: it does not */
    bool snapshot;       /* the program begins with the one that it has saved */
    uint64_t dies_at[2]; /* the steps, in each life, at which the process dies; 0: not */
    bool dies_at_end;    /* once more, after all actions */
} sim_config;

typedef struct sim_plan {
    uint64_t seed;
    sim_schedule schedule;
    sim_config config;
    unsigned n;
    sim_action actions[SIM_ACTIONS];
} sim_plan;

/* The plan of a seed. */
void sim_plan_make(sim_plan *plan, uint64_t seed);

static inline bool sim_is_rejected(const sim_config *config, uint64_t version)
{
    return config->rejects && version % 4 == 1;
}

/*
 * What an informer looks at. Bits 0 and 1: namespaces, neither: all of them; bits 2 to 4: colors, none: all of them;
 * bit 5: namespaces are named in the other order; bit 6: both namespaces.
 */
static inline unsigned sim_scope_namespaces(unsigned scope)
{
    return scope & 64 ? 3 : scope & 3;
}

static inline unsigned sim_scope_colors(unsigned scope)
{
    return scope >> 2 & 7;
}

/* Whether an object is in a scope while it has this version. */
static inline bool sim_scope_has(unsigned scope, unsigned key, uint64_t version)
{
    unsigned namespaces = sim_scope_namespaces(scope);
    unsigned colors = sim_scope_colors(scope);

    return version != 0 && (namespaces == 0 || namespaces >> key % 2 & 1) &&
           (colors == 0 || colors >> version % SIM_COLORS & 1);
}

sim_actor sim_actor_of(sim_do what);
/* Ways in which a request fails: the names of those in server.c. */
enum { SIM_WAYS = 10 };

/* "DeltaFIFO, pages of 3, resyncs" */
void sim_config_text(const sim_config *config, char *ret, unsigned long size);
/* "namespaces 0 and 1, colors 2" */
void sim_scope_text(unsigned scope, char *ret, unsigned long size);
/* "writes object 3" */
void sim_action_text(const sim_action *action, char *ret, unsigned long size);

#endif
