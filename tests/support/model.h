/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations against a plain model.
 *
 * A test gives operations, each of which acts on the real thing and on a model that is
 * obviously right, and a check that compares the two. The frame draws operations from
 * a seed. When one finds a difference, the frame drops operations for as long as the
 * difference stays, and prints what is left: usually a handful of lines.
 *
 * Every operation gets a random generator of its own, so that dropping one does not
 * change what the others do. KIN_TEST_SEED=n runs one seed, KIN_TEST_RUNS=n runs n seeds.
 */
#ifndef KIN_TEST_MODEL_H
#define KIN_TEST_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "rng.h"

/* Both kinds of function return NULL, or what is wrong (BORROWED until the state is freed). */
typedef struct kin_test_op {
    const char *name;
    unsigned weight; /* how often, compared with the others */
    const char *(*run)(void *state, kin_test_rng *rng);
} kin_test_op;

typedef struct kin_test_model {
    const kin_test_op *ops;
    size_t n_ops;
    void *(*state_new)(uint64_t seed);
    void (*state_free)(void *state);
    const char *(*check)(void *state); /* after each operation; may be NULL */
} kin_test_model;

typedef struct kin_test_step {
    const kin_test_op *op;
    uint64_t seed;
} kin_test_step;

/* A difference, made small. Free `steps` with free(). */
typedef struct kin_test_failure {
    uint64_t seed;
    kin_test_step *steps;
    size_t n_steps;
    char what[512];
} kin_test_failure;

/* `runs` seeds of `steps` operations each; prints the failure and calls cmocka's fail(). */
void kin_test_run_model(const kin_test_model *model, size_t steps, unsigned runs);

/* One seed. 1 and a failure, or 0. For tests of the frame itself. */
int kin_test_find_failure(kin_test_failure *ret, const kin_test_model *model, size_t steps,
                          uint64_t seed);

#endif
