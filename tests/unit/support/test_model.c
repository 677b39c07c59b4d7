/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame for random operations must find a planted defect, make it small, and find
 * nothing where nothing is wrong.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

struct counter {
    int real;
    int expected;
    int twos; /* how many "add two" ran */
};

static void *counter_new(uint64_t seed)
{
    (void)seed;
    return calloc(1, sizeof(struct counter));
}

static const char *add_one(void *state, kin_test_rng *rng)
{
    struct counter *c = state;

    (void)rng;
    c->real += 1;
    c->expected += 1;
    return NULL;
}

/* The defect: the third time, two is one. */
static const char *add_two_wrongly(void *state, kin_test_rng *rng)
{
    struct counter *c = state;

    (void)rng;
    c->real += ++c->twos == 3 ? 1 : 2;
    c->expected += 2;
    return NULL;
}

static const char *add_random(void *state, kin_test_rng *rng)
{
    struct counter *c = state;
    int n = (int)kin_test_below(rng, 100);

    c->real += n;
    c->expected += n;
    return NULL;
}

static const char *compare(void *state)
{
    struct counter *c = state;

    return c->real == c->expected ? NULL : "the sums differ";
}

static void a_defect_is_found_and_made_small(void **state)
{
    static const kin_test_op ops[] = {
        {"add one", 10, add_one}, {"add two", 1, add_two_wrongly}, {"add random", 5, add_random}};
    const kin_test_model model = {ops, 3, counter_new, free, compare};
    kin_test_failure failure;

    (void)state;
    assert_int_equal(kin_test_find_failure(&failure, &model, 1000, 7), 1);
    assert_string_equal(failure.what, "the sums differ");
    assert_int_equal(failure.n_steps, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(failure.steps[i].op->name, "add two");
    free(failure.steps);
}

static void nothing_is_found_where_nothing_is_wrong(void **state)
{
    static const kin_test_op ops[] = {{"add one", 1, add_one}, {"add random", 1, add_random}};
    const kin_test_model model = {ops, 2, counter_new, free, compare};
    kin_test_failure failure;

    (void)state;
    assert_int_equal(kin_test_find_failure(&failure, &model, 1000, 7), 0);
}

static const char *refuse(void *state, kin_test_rng *rng)
{
    (void)state;
    return kin_test_below(rng, 50) == 0 ? "refused" : NULL;
}

static void a_seed_always_gives_the_same(void **state)
{
    static const kin_test_op ops[] = {{"add one", 1, add_one}, {"refuse", 1, refuse}};
    const kin_test_model model = {ops, 2, counter_new, free, NULL};
    kin_test_failure first;
    kin_test_failure second;

    (void)state;
    assert_int_equal(kin_test_find_failure(&first, &model, 2000, 3), 1);
    assert_int_equal(kin_test_find_failure(&second, &model, 2000, 3), 1);
    assert_int_equal(first.n_steps, 1); /* an operation that fails by its own seed stands alone */
    assert_int_equal(second.n_steps, 1);
    assert_int_equal(first.steps[0].seed, second.steps[0].seed);
    free(first.steps);
    free(second.steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_defect_is_found_and_made_small),
        cmocka_unit_test(nothing_is_found_where_nothing_is_wrong),
        cmocka_unit_test(a_seed_always_gives_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
