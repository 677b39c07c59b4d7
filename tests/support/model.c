/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kin_test.h"

static const kin_test_op *draw_op(const kin_test_model *model, kin_test_rng *rng)
{
    uint64_t total = 0;

    for (size_t i = 0; i < model->n_ops; i++)
        total += model->ops[i].weight;
    uint64_t at = kin_test_below(rng, total);
    for (size_t i = 0;; i++) {
        if (at < model->ops[i].weight)
            return &model->ops[i];
        at -= model->ops[i].weight;
    }
}

/* Whether the steps fail, and at which one. */
static bool replay(const kin_test_model *model, uint64_t seed, const kin_test_step *steps,
                   size_t n_steps, size_t *ret_failed_at, char *what, size_t what_size)
{
    void *state = model->state_new(seed);
    const char *wrong = NULL;
    kin_test_rng rng;

    for (size_t i = 0; i < n_steps && !wrong; i++) {
        rng.state = steps[i].seed;
        wrong = steps[i].op->run(state, &rng);
        if (!wrong && model->check)
            wrong = model->check(state);
        *ret_failed_at = i;
    }
    if (wrong)
        snprintf(what, what_size, "%s", wrong);
    model->state_free(state);
    return wrong != NULL;
}

/* Drop ever smaller stretches of steps for as long as the failure stays. */
static void shrink(const kin_test_model *model, kin_test_failure *failure)
{
    kin_test_step *trial = malloc((failure->n_steps + 1) * sizeof(*trial));

    for (size_t chunk = failure->n_steps / 2 + 1; chunk > 0; chunk /= 2) {
        for (size_t at = 0; at + chunk <= failure->n_steps;) {
            size_t n = failure->n_steps - chunk;
            size_t failed_at;

            memcpy(trial, failure->steps, at * sizeof(*trial));
            memcpy(trial + at, failure->steps + at + chunk, (n - at) * sizeof(*trial));
            if (replay(model, failure->seed, trial, n, &failed_at, failure->what,
                       sizeof(failure->what))) {
                failure->n_steps = failed_at + 1;
                memcpy(failure->steps, trial, failure->n_steps * sizeof(*trial));
            } else {
                at += chunk;
            }
        }
    }
    free(trial);
}

int kin_test_find_failure(kin_test_failure *ret, const kin_test_model *model, size_t steps,
                          uint64_t seed)
{
    kin_test_rng rng = {seed};

    memset(ret, 0, sizeof(*ret));
    ret->seed = seed;
    ret->steps = malloc((steps + 1) * sizeof(*ret->steps));
    for (size_t i = 0; i < steps; i++) {
        ret->steps[i].op = draw_op(model, &rng);
        ret->steps[i].seed = kin_test_random(&rng);
    }
    size_t failed_at = 0;
    if (!replay(model, seed, ret->steps, steps, &failed_at, ret->what, sizeof(ret->what))) {
        free(ret->steps);
        return 0;
    }
    ret->n_steps = failed_at + 1;
    shrink(model, ret);
    return 1;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

void kin_test_run_model(const kin_test_model *model, size_t steps, unsigned runs)
{
    uint64_t first = env_number("KIN_TEST_SEED", 1);
    uint64_t count = getenv("KIN_TEST_SEED") ? 1 : env_number("KIN_TEST_RUNS", runs);
    kin_test_failure failure;

    for (uint64_t seed = first; seed < first + count; seed++) {
        if (!kin_test_find_failure(&failure, model, steps, seed))
            continue;
        print_error("KIN_TEST_SEED=%llu: %s\nafter these %zu operations:\n",
                    (unsigned long long)seed, failure.what, failure.n_steps);
        for (size_t i = 0; i < failure.n_steps; i++)
            print_error("  %s 0x%llx\n", failure.steps[i].op->name,
                        (unsigned long long)failure.steps[i].seed);
        free(failure.steps);
        fail();
    }
}
