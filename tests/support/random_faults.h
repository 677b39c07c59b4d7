/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules by which an embedded API server misbehaves at random, seeded by its own seed: what everything
 * that follows a server has to survive.
 *
 * They are of two sorts. Against honest ones (connections, answers, ends, doubled events) a client must
 * not lose anything. Against lies (events that are lost or swapped, lists of something else or with
 * objects that cannot be read) it cannot do anything, until it has listed again.
 */
#ifndef KIN_TEST_RANDOM_FAULTS_H
#define KIN_TEST_RANDOM_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "kinform/apiserver.h"

enum { KIN_TEST_RULES_MAX = 48 };

typedef struct kin_test_faults {
    kin_apiserver *server;             /* BORROWED */
    uint64_t ids[KIN_TEST_RULES_MAX];  /* 0: not there now */
    uint64_t hits[KIN_TEST_RULES_MAX]; /* of all that were there so far */
} kin_test_faults;

void kin_test_faults_init(kin_test_faults *faults, kin_apiserver *server);
/* `scale`: of what events meet, 1 for one event in eighteen. Requests meet as much as always. */
void kin_test_faults_inject(kin_test_faults *faults, bool with_lies, double scale);
void kin_test_faults_remove(kin_test_faults *faults);
/* How often they have applied in all, bookmarks not counted: there are many. */
uint64_t kin_test_faults_sum(const kin_test_faults *faults);
/* A line for each rule, with its hits. */
void kin_test_faults_print(const kin_test_faults *faults);

/* "WatchEnd", as the server calls it. */
const char *kin_test_fault_name(kin_fault_type type);

#endif
