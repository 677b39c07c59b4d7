/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink for the simulator, in memory, with what matters of a real API server: uids, versions,
 * generations, conflicts, the status as a subresource, Pods that are deleted with grace, namespaces
 * that have to exist. Others can change what is in it behind the simulator's back.
 */
#ifndef KIN_TEST_MEMORY_SINK_H
#define KIN_TEST_MEMORY_SINK_H

#include "apiserver/simulator/simulator.h"
#include "base/map.h"

struct kin_test_sink_entry {
    kin__map_node node;
    const kin_object *object;
    size_t index; /* in its kind's array */
    char key[];   /* "namespace/name" or "name" */
};

struct kin_test_sink_kind {
    kin__map map;
    struct kin_test_sink_entry **entries; /* in no order; the same for the same writes */
    size_t n, cap;
};

typedef struct kin_test_memory_sink {
    kin__simulator_sink base;
    kin_clock *clock; /* BORROWED */
    struct kin_test_sink_kind kinds[KIN__SIMULATED_KINDS];
    uint64_t version;
    uint64_t uids;
    uint64_t writes;
    /* Called before each write of the simulator; may change the sink. Not 0: the write fails so. */
    int (*before)(void *arg, enum kin__simulated kind, const kin_object *object);
    /* Called after each change: `old` NULL is a creation, `object` NULL a deletion. */
    void (*changed)(void *arg, enum kin__simulated kind, const kin_object *old,
                    const kin_object *object);
    void *arg;
} kin_test_memory_sink;

void kin_test_memory_sink_init(kin_test_memory_sink *sink, kin_clock *clock);
void kin_test_memory_sink_done(kin_test_memory_sink *sink);

/* The newest state, BORROWED until it changes; NULL. `key` as kin_object_key() has it. */
const kin_object *kin_test_sink_find(const kin_test_memory_sink *sink, enum kin__simulated kind,
                                     const char *key);

/* What other people do; failures end the test. False: there is no such object. */
bool kin_test_sink_set_json(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key,
                            const char *path, const char *json);
/* As kubectl delete; a Pod that has a node waits for its kubelet. */
bool kin_test_sink_delete(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key);
/* At once, whatever it is. */
bool kin_test_sink_erase(kin_test_memory_sink *sink, enum kin__simulated kind, const char *key);
void kin_test_sink_create_json(kin_test_memory_sink *sink, enum kin__simulated kind,
                               const char *json);

#endif
