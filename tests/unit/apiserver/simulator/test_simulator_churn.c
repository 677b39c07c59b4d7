/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's churn: how much of it there is, that it is the same each time, and that all is
 * well when it ends.
 */
#include "kinform/metadata.h"
#include "simulator_support.h"

static const kin__simulator_options busy = {
    .seed = 7, .nodes = 12, .deployments = 15, .pods = 150, .churn = 60};

static void check(struct cluster *c)
{
    if (cluster_check(c))
        fail_msg("%s", c->wrong);
}

static void test_rate(void **state)
{
    static const unsigned rates[] = {20, 300, 2000};
    size_t n = KIN_TEST_SANITIZED ? 2 : 3;
    struct cluster c;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        kin__simulator_options o = busy;
        kin__simulator_stats before, after;

        o.churn = rates[i];
        assert_code(cluster_init(&c, &o, NULL), 0);
        c.sink.changed = NULL; /* quicker */
        cluster_run(&c, 21000);
        kin__simulator_get_stats(c.sim, &before);
        cluster_run(&c, 40000);
        kin__simulator_get_stats(c.sim, &after);
        assert_in_range((after.writes - before.writes) / 40, rates[i] * 8 / 10, rates[i] * 12 / 10);
        assert_int_equal(c.failures, 0);
        cluster_done(&c);
    }
}

static void test_all_is_well_afterwards(void **state)
{
    struct cluster c;
    kin__simulator_options o = busy;

    (void)state;
    for (uint64_t seed = 0; seed < (KIN_TEST_SANITIZED ? 1 : 2); seed++) {
        o.seed = seed;
        assert_code(cluster_init(&c, &o, NULL), 0);
        cluster_run(&c, 300000);
        cluster_calm(&c);
        assert_int_equal(c.failures, 0);
        check(&c);
        cluster_done(&c);
    }
}

/* Everything that a cluster has to show happens. */
static void test_something_of_each(void **state)
{
    static const char *const reasons[] = {"SuccessfulCreate",
                                          "SuccessfulDelete",
                                          "Scheduled",
                                          "Pulling",
                                          "Pulled",
                                          "Created",
                                          "Started",
                                          "Unhealthy",
                                          "BackOff",
                                          "Killing",
                                          "NodeReady",
                                          "NodeNotReady",
                                          "ScalingReplicaSet",
                                          "TaintManagerEviction"};
    struct cluster c;
    int64_t counted = 0;

    (void)state;
    assert_code(cluster_init(&c, &busy, NULL), 0);
    c.sink.changed = NULL;
    cluster_run(&c, 600000);
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (cluster_events(&c, reasons[i]) == 0)
            fail_msg("nothing was told of %s", reasons[i]);
    }
    for (size_t i = 0; i < cluster_count(&c, KIN__SIMULATED_EVENT); i++) {
        int64_t n = cluster_int(cluster_at(&c, KIN__SIMULATED_EVENT, i), "count");

        counted = n > counted ? n : counted;
    }
    assert_true(counted > 1);
    cluster_done(&c);
}

static uint64_t hash_of(uint64_t seed, int64_t step_ms)
{
    struct cluster c;
    kin__simulator_options o = busy;
    kin_clock *still = NULL;

    o.seed = seed;
    assert_code(cluster_init(&c, &o, NULL), 0);
    /* The server's own times are not the simulator's: its clock stands still. */
    assert_code(kin_clock_new_fake(&still, CLUSTER_BEGIN, NULL), 0);
    c.sink.clock = still;
    for (int64_t t = 0; t < (KIN_TEST_SANITIZED ? 20000 : 60000); t += step_ms) {
        assert_code(kin_clock_advance(c.clock, step_ms * 1000000, NULL), 0);
        while (kin__simulator_next(c.sim) <= kin_clock_now(c.clock))
            assert_code(kin__simulator_step(c.sim, kin_clock_now(c.clock), NULL), 0);
    }
    uint64_t hash = c.hash;
    cluster_done(&c);
    kin_clock_unref(still);
    return hash;
}

static void test_same_seed_same_writes(void **state)
{
    uint64_t hash = hash_of(3, 100);

    (void)state;
    assert_true(hash == hash_of(3, 100));
    assert_true(hash == hash_of(3, 20000));
    assert_true(hash == hash_of(3, 10));
    assert_true(hash != hash_of(4, 100));
}

static void test_events_are_bounded(void **state)
{
    kin__simulator_options o = busy;
    struct cluster c;

    (void)state;
    o.events = 40;
    assert_code(cluster_init(&c, &o, NULL), 0);
    for (int i = 0; i < 100; i++) {
        cluster_run(&c, 1000);
        assert_in_range(cluster_count(&c, KIN__SIMULATED_EVENT), 0, 40);
    }
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_EVENT), 40);
    cluster_calm(&c);
    check(&c);
    cluster_done(&c);
}

static void test_events_go_after_an_hour(void **state)
{
    struct cluster c;

    (void)state;
    assert_code(cluster_init(&c, &busy, NULL), 0);
    c.sink.changed = NULL;
    cluster_run(&c, 20000);
    kin__simulator_set_churn(c.sim, 0);
    cluster_run(&c, 600000);
    assert_true(cluster_count(&c, KIN__SIMULATED_EVENT) > 100);
    cluster_run(&c, 3600000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_EVENT), 0);
    check(&c);
    cluster_done(&c);
}

static void test_no_churn_is_made_up_for_after_a_pause(void **state)
{
    struct cluster c;
    kin__simulator_stats before, after;

    (void)state;
    assert_code(cluster_init(&c, &busy, NULL), 0);
    cluster_run(&c, 30000);
    kin__simulator_get_stats(c.sim, &before);
    /* As if the thread had not run for ten minutes. */
    assert_code(kin_clock_advance(c.clock, INT64_C(600000000000), NULL), 0);
    kin__simulator_skip(c.sim, kin_clock_now(c.clock));
    cluster_run(&c, 1000);
    kin__simulator_get_stats(c.sim, &after);
    /* Heartbeats are, and what had begun. */
    assert_in_range(after.writes - before.writes, 700, 3000);
    cluster_calm(&c);
    check(&c);
    cluster_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_all_is_well_afterwards),
        cmocka_unit_test(test_something_of_each),
        cmocka_unit_test(test_same_seed_same_writes),
        cmocka_unit_test(test_events_are_bounded),
        cmocka_unit_test(test_events_go_after_an_hour),
        cmocka_unit_test(test_no_churn_is_made_up_for_after_a_pause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
