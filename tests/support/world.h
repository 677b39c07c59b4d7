/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source that behaves: a small world of pods that changes, is listed and is watched. What a watch misses
 * since its connection broke, it is told when it comes again; what the other side cannot take, for want
 * of memory, ends its operation, as it does with a server.
 *
 * A mirror is a handler that keeps what it was told, and notes what cannot be: an addition of what it has,
 * a deletion of what it has not, an update from another state than the one it was told of.
 */
#ifndef KIN_TEST_WORLD_H
#define KIN_TEST_WORLD_H

#include <pthread.h>
#include <stdatomic.h>

#include "kinform/handler.h"
#include "kinform/store.h"
#include "latch.h"
#include "source.h"

enum { KIN_TEST_WORLD_PODS = 64 };

typedef struct kin_test_world kin_test_world;

kin_test_world *kin_test_world_new(void);
/* Ends all that is under way. */
void kin_test_world_free(kin_test_world *world);
/* BORROWED while the world lives. */
kin_list_watch *kin_test_world_list_watch(kin_test_world *world);

/* Make or change a pod, or delete it. The version. Any thread. */
unsigned kin_test_world_put(kin_test_world *world, unsigned pod);
unsigned kin_test_world_delete(kin_test_world *world, unsigned pod);
/* The same, and watches cannot read it: what it is now has to be listed. */
unsigned kin_test_world_spoil(kin_test_world *world, unsigned pod);
/* The last version, as text. */
void kin_test_world_version(kin_test_world *world, char ret[24]);
/* The watches that are under way end; `expired`: what they missed is not known any more. */
void kin_test_world_break(kin_test_world *world, bool expired);

/* NULL, or how a store differs. Valid until the next call of the thread. */
const char *kin_test_world_differs(kin_test_world *world, kin_store *store);

typedef struct kin_test_mirror {
    pthread_mutex_t lock;
    unsigned versions[KIN_TEST_WORLD_PODS]; /* (lock) 0: it is not there */
    char wrong[256];                        /* (lock) the first thing that cannot be */
    unsigned n_told;                        /* (lock) */
    unsigned n_sync;                        /* (lock) */
    unsigned modulus;          /* const; it has a filter for pods that this divides; 0: none */
    void (*during)(void *arg); /* const; run in each call, may be NULL */
    void *during_arg;
    atomic_uint n_freed; /* by kin_test_mirror_freed() */
} kin_test_mirror;

void kin_test_mirror_init(kin_test_mirror *mirror);
void kin_test_mirror_done(kin_test_mirror *mirror);
/* The kin_event_fn, the kin_filter_fn and the arg_free of it. */
void kin_test_mirror_handle(const kin_event *event, void *mirror);
bool kin_test_mirror_filter(const kin_object *object, void *mirror);
void kin_test_mirror_freed(void *mirror);
/* NULL, or how it differs, or what was wrong. Valid until the next call of the thread. */
const char *kin_test_mirror_differs(kin_test_mirror *mirror, kin_test_world *world);

#endif
