/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that drives the simulator. The sink is the thread's, but for moments at which it
 * is known to wait on the clock.
 */
#include "apiserver/simulator/simulator_thread.h"

#include <stdatomic.h>

#include "kinform/path.h"
#include "simulator_support.h"

struct fixture {
    kin_clock *clock;
    kin_test_memory_sink sink;
    kin__simulator_thread *thread;
    atomic_int failing;
};

static int before(void *arg, enum kin__simulated kind, const kin_object *object)
{
    struct fixture *f = arg;

    (void)kind;
    (void)object;
    return atomic_load(&f->failing) ? KIN_ESERVER : 0;
}

static void begin(struct fixture *f, unsigned churn, kin_logger *logger)
{
    kin__simulator_options o = {
        .seed = 1, .nodes = 4, .deployments = 5, .pods = 25, .churn = churn};

    assert_code(kin_clock_new_fake(&f->clock, CLUSTER_BEGIN, NULL), 0);
    kin_test_memory_sink_init(&f->sink, f->clock);
    atomic_init(&f->failing, 0);
    f->sink.before = before;
    f->sink.arg = f;
    o.sink = &f->sink.base;
    o.clock = f->clock;
    assert_code(kin__simulator_thread_start(&f->thread, &o, logger, NULL), 0);
    assert_code(kin__simulator_thread_await_populated(f->thread, KIN_TEST_TIMEOUT_MS), 0);
    assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void end(struct fixture *f)
{
    kin__simulator_thread_stop(f->thread, NULL);
    kin_test_memory_sink_done(&f->sink);
    kin_clock_unref(f->clock);
}

/* Time goes by in small steps; after each the thread waits again. */
static void pass(struct fixture *f, int64_t ms)
{
    for (int64_t i = 0; i < ms; i += 50) {
        assert_code(kin_clock_advance(f->clock, 50000000, NULL), 0);
        assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    }
}

static void test_it_goes_with_the_clock(void **state)
{
    struct fixture f;
    kin__simulator_stats stats;

    (void)state;
    begin(&f, 100, NULL);
    kin__simulator_thread_get_stats(f.thread, &stats);
    assert_int_equal(stats.pods, 25);
    uint64_t writes = stats.writes;
    pass(&f, 10000);
    kin__simulator_thread_get_stats(f.thread, &stats);
    assert_in_range(stats.writes - writes, 300, 1500);
    end(&f);
}

static void test_churn_is_changed(void **state)
{
    struct fixture f;
    kin__simulator_stats stats;

    (void)state;
    begin(&f, 0, NULL);
    pass(&f, 1000);
    kin__simulator_thread_get_stats(f.thread, &stats);
    uint64_t writes = stats.writes;
    kin__simulator_thread_set_churn(f.thread, 200);
    pass(&f, 10000);
    kin__simulator_thread_get_stats(f.thread, &stats);
    assert_true(stats.writes - writes > 500);
    end(&f);
}

static void test_notice(void **state)
{
    struct fixture f;
    kin__simulator_stats stats;

    (void)state;
    begin(&f, 0, NULL);
    pass(&f, 1000);
    assert_true(kin_test_sink_set_json(&f.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.replicas", "0"));
    const kin_object *d = kin_test_sink_find(&f.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
    assert_non_null(d);
    kin__simulator_thread_notice(f.thread, KIN__SIMULATED_DEPLOYMENT, kin_str_of("default"),
                                 kin_str_of("web"));
    /* More than there is room for: some are forgotten. */
    for (int i = 0; i < 1000; i++)
        kin__simulator_thread_notice(f.thread, KIN__SIMULATED_POD, kin_str_of("default"),
                                     kin_str_of("none"));
    pass(&f, 5000);
    kin__simulator_thread_get_stats(f.thread, &stats);
    assert_true(stats.pods < 25);
    end(&f);
}

static void count_log(const kin_log_record *record, void *arg)
{
    atomic_int *n = arg;

    if (strcmp(record->component, "simulator") == 0)
        atomic_fetch_add(n, 1);
}

static void test_failures_are_logged_now_and_then(void **state)
{
    struct fixture f;
    kin_logger *logger = NULL;
    kin__simulator_stats stats;
    atomic_int logged;

    (void)state;
    atomic_init(&logged, 0);
    assert_code(kin_logger_new(&logger, KIN_LOG_WARN, count_log, &logged, NULL, NULL), 0);
    begin(&f, 50, logger);
    atomic_store(&f.failing, 1);
    pass(&f, 15000);
    atomic_store(&f.failing, 0);
    pass(&f, 5000);
    kin__simulator_thread_get_stats(f.thread, &stats);
    assert_true(stats.failures > 10);
    assert_in_range(atomic_load(&logged), 1, 3);
    end(&f);
    kin_logger_unref(logger);
}

static void test_stop_at_once(void **state)
{
    kin_test_memory_sink sink;
    kin__simulator_thread *thread = NULL;
    kin__simulator_options o = {.nodes = 50, .pods = 2000, .deployments = 50, .churn = 1000};
    kin__simulator_stats last = {0};

    (void)state;
    kin_test_memory_sink_init(&sink, kin_clock_system());
    assert_code(kin__simulator_thread_start(&thread, &o, NULL, NULL), KIN_EINVAL);
    o.clock = kin_clock_system();
    assert_code(kin__simulator_thread_start(&thread, &o, NULL, NULL), KIN_EINVAL);
    o.sink = &sink.base;
    assert_code(kin__simulator_thread_start(&thread, &o, NULL, NULL), 0);
    assert_code(kin__simulator_thread_await_populated(thread, 0), KIN_ETIMEOUT);
    kin__simulator_thread_stop(thread, &last);
    assert_true(last.writes > 0); /* a step was made, whenever the stop came */
    kin__simulator_thread_stop(NULL, NULL);
    kin_test_memory_sink_done(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_goes_with_the_clock),
        cmocka_unit_test(test_churn_is_changed),
        cmocka_unit_test(test_notice),
        cmocka_unit_test(test_failures_are_logged_now_and_then),
        cmocka_unit_test(test_stop_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
