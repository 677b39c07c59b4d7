/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small, plain model of an API server, and a source of objects on top of it.
 *
 * The model is one list of changes. The state in a version is what the changes up to it leave. Replicas have seen a part
 * of the list. Compacted changes can no longer be watched.
 *
 * Threads of the "network" carry answers, one message at a time. Nothing here yields between two looks at the model,
 * so that it needs no lock.
 */
#ifndef KIN_SIMULATION_SERVER_H
#define KIN_SIMULATION_SERVER_H

#include "history.h"
#include "kinform/list_watch.h"
#include "rng.h"

enum { SIM_CHANGES = 4096, SIM_NETWORK = 2 };

typedef struct sim_change {
    uint64_t version;
    uint8_t key;
    bool is_deletion;
} sim_change;

/* In memory that outlives the process of the informer. */
typedef struct sim_server {
    uint64_t version; /* the last one */
    uint64_t compacted;
    size_t n_changes;
    sim_change changes[SIM_CHANGES];
    size_t seen[SIM_REPLICAS]; /* changes; SIZE_MAX: all */
    kin_test_rng rng;
    /* Until it is quiet: */
    unsigned failing; /* ways in which the next requests fail, as a stack of hexadecimal digits */
    int64_t stalled_until;
    uint64_t memory_fails_until; /* a step */
} sim_server;

/* The world of one simulation: shared memory. */
typedef struct sim_world {
    sim_plan plan;
    sim_server server;
    sim_history history;
    sim_verdict verdict;
    uint64_t steps; /* of all lives */
    int64_t simulated_ns;
    /* For the next life of the process: */
    unsigned life;
    bool has_died;
    bool has_ended; /* all actions */
    int64_t now;
    unsigned next_action[SIM_ACTORS];
    unsigned n_handlers;
    unsigned n_views;
    unsigned scope;
    char snapshot[64]; /* a path */
} sim_world;

void sim_record_add(sim_world *world, sim_what what, unsigned handler, unsigned key,
                    uint64_t version, uint64_t old, unsigned flags);

/* The version of an object after the first `n` changes; 0: it is not there. */
uint64_t sim_server_get(const sim_server *server, unsigned key, size_t n);

/* --- the process that has the source --- */

/* The threads of the network. */
void sim_network_start(sim_world *world);
/* All operations must have ended. Also frees all sources. */
void sim_network_stop(void);
/* A source of the objects in a scope that has one namespace or all of them: one reference. */
kin_list_watch *sim_source_new(unsigned scope);
/* One that never answers. */
kin_list_watch *sim_source_silent(void);
/* A client. Its sources are those of this network. */
kin_client *sim_client(void);

/* Counts what the network sends; SIZE_MAX: something is on its way. */
size_t sim_network_sent(void);
/* A write, its version. */
uint64_t sim_server_put(sim_world *world, unsigned key);
/* An action of the server. */
void sim_server_act(sim_world *world, const sim_action *action);
/* Whether the next allocation fails. */
bool sim_server_lacks_memory(sim_world *world);
/* End all faults. */
void sim_server_heal(sim_world *world);

/* The object of a key in a version, one reference; NULL: no memory. */
const kin_object *sim_object(unsigned key, uint64_t version);
/* A key function that needs no name. */
int sim_object_id(const kin_object *object, kin_str *ret, void *arg, kin_error *err);
/* Its number and version; SIM_NONE and 0 for other objects. */
unsigned sim_key_of(const kin_object *object);
uint64_t sim_version_of(const kin_object *object);

#endif
