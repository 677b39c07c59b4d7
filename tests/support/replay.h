/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler that replays what it is told, and looks at each event: nothing is added twice or deleted
 * twice, an update says from what, versions of an object do not go back. After quiet it has what the
 * server has.
 *
 * Objects have short names in few namespaces: "a/o-17", or "o-17" where there are none. Marks ("a/s-3")
 * say how far a handler has come. Each write gives an object another number, its annotation "n".
 */
#ifndef KIN_TEST_REPLAY_H
#define KIN_TEST_REPLAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinform/handler.h"
#include "kinform/store.h"

enum {
    KIN_TEST_NAMESPACES = 3, /* "a", "b", "c" */
    KIN_TEST_NAMES = 100,
    KIN_TEST_MARKS = 8,
    KIN_TEST_SLOTS = KIN_TEST_NAMESPACES * (KIN_TEST_NAMES + KIN_TEST_MARKS)
};

typedef struct kin_test_slot {
    uint64_t version; /* 0: there is none */
    uint64_t n;       /* the annotation; 0: it has none, or it is not known */
    bool is_odd;      /* its label "odd" is "1"; of a world that was fetched only */
} kin_test_slot;

typedef struct kin_test_world {
    kin_test_slot slots[KIN_TEST_SLOTS];
} kin_test_world;

/* Of "a/o-17"; negative: no such name. */
int kin_test_slot_of(const char *key);
/* The other way round. */
void kin_test_slot_key(char ret[16], int slot, bool is_namespaced);
int kin_test_slot_namespace(int slot);
/* Marks take turns. */
int kin_test_slot_of_mark(int namespace_, uint64_t mark);

/* What a store has. False: there is something in it that should not be. */
bool kin_test_world_of_store(kin_test_world *ret, kin_store *store);

/* Whether both are the same; failing that, what differs first. `with_n`: numbers count. */
bool kin_test_world_equal(const kin_test_world *truth, const kin_test_world *known, bool with_n,
                          char *ret_text, size_t size);

typedef struct kin_test_replay {
    pthread_mutex_t lock;
    pthread_cond_t told;
    kin_test_world world;             /* (lock) */
    uint64_t highest[KIN_TEST_SLOTS]; /* (lock) the last version that was told of each */
    bool may_go_back;                 /* (lock) the server lies, or goes back in time */
    uint64_t n_events;                /* (lock) */
    uint64_t n_syncs;                 /* (lock) */
    uint64_t n_tombstones;            /* (lock) */
    char failure[256];                /* (lock) the first one; "": none */
    int64_t slow_ns;                  /* const; each call takes so long */
} kin_test_replay;

void kin_test_replay_init(kin_test_replay *replay);
void kin_test_replay_done(kin_test_replay *replay);
/* A kin_event_fn; the argument is a replay. */
void kin_test_replay_event(const kin_event *event, void *replay);
/* Versions may go back from now on, or may not: then they count from what is known now. */
void kin_test_replay_may_go_back(kin_test_replay *replay, bool may);
/* Until a mark has come, in its version in each namespace of the mask (bit 0 is "a"). */
bool kin_test_replay_await(kin_test_replay *replay, uint64_t mark,
                           const uint64_t versions[KIN_TEST_NAMESPACES], unsigned namespaces,
                           int64_t timeout_ms);
/*
 * Of states that have another number than what was told, in the same version, take the number: a server
 * that went back in time has used a version twice, and handlers are not told. How many there were.
 */
unsigned kin_test_replay_adopt(kin_test_replay *replay, const kin_test_world *truth);
/* Copies; whether nothing was wrong so far. */
bool kin_test_replay_look(kin_test_replay *replay, kin_test_world *ret, char *ret_text,
                          size_t size);

#endif
