/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator without memory: a step that fails is made again, and in the end nothing is missing.
 */
#include "alloc.h"
#include "oom.h"
#include "simulator_support.h"

static const kin__simulator_options tiny = {
    .seed = 5, .nodes = 2, .deployments = 2, .pods = 3, .churn = 10, .events = 30};

/* The beginning alone, by the rules of oom.h. */
static int begin(void *arg, kin_error *err)
{
    static const kin__simulator_options least = {.nodes = 1, .deployments = 1, .pods = 1};
    struct cluster c;
    int code = cluster_init(&c, &least, err);

    (void)arg;
    if (code < 0)
        return code;
    c.sink.changed = NULL;
    for (int i = 0; i < 200 && code == 0 && !kin__simulator_is_populated(c.sim); i++)
        code = kin__simulator_step(c.sim, kin_clock_now(c.clock), err);
    cluster_done(&c);
    return code;
}

static void test_beginning(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(begin, NULL);
}

/*
 * Some time of churn in which the n-th allocation fails, and with `mode` those behind it for a
 * while. Whether there was one.
 */
static bool try_one(size_t n, enum kin_test_alloc_mode mode)
{
    struct cluster c;
    size_t live = kin_test_alloc_live();

    assert_code(cluster_init(&c, &tiny, NULL), 0);
    c.sink.changed = NULL;
    kin_test_alloc_arm(n, mode);
    cluster_run(&c, 12000);
    bool failed = kin_test_alloc_disarm();
    if (c.failures > 0)
        assert_code(c.failed, KIN_ENOMEM);
    if (failed) {
        kin__simulator_set_churn(c.sim, 0);
        cluster_run(&c, 200000); /* no node fails here, so that is enough */
        if (cluster_check(&c))
            fail_msg("allocation %zu: %s", n, c.wrong);
        /* The replicas that it began with, give or take a third: none was lost. */
        assert_in_range(cluster_count(&c, KIN__SIMULATED_POD), 2, 6);
        assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 2);
        assert_int_equal(cluster_count(&c, KIN__SIMULATED_NODE), 2);
    }
    cluster_done(&c);
    assert_int_equal(kin_test_alloc_live(), live);
    return failed;
}

static void sweep(enum kin_test_alloc_mode mode, size_t stride)
{
    size_t n = 1;

    /* The beginning allocation by allocation, what repeats itself now and then. */
    while (try_one(n, mode))
        n += n < 400 ? 1 + stride / 16 : stride;
    assert_true(n > 2000);
}

static void test_one_allocation_fails(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_ONE, KIN_TEST_SANITIZED ? 709 : 211);
}

static void test_memory_is_short_for_a_while(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_REST, KIN_TEST_SANITIZED ? 1409 : 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_one_allocation_fails),
        cmocka_unit_test(test_memory_is_short_for_a_while),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
