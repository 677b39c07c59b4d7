/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reconciler's life: the wait for caches, the stop, and calls that take too long.
 */
#include "reconciler_support.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "child.h"

/* --- caches --- */

/* A start in a thread of its own. */
struct start {
    kin_reconciler *reconciler;
    kin_error err;
    int code;
    atomic_bool is_over;
    pthread_t thread;
};

static void *run_start(void *arg)
{
    struct start *start = arg;

    start->code = kin_reconciler_start(start->reconciler, &start->err);
    atomic_store(&start->is_over, true);
    return NULL;
}

static void begin_start(struct start *start, kin_test_reconciler *test)
{
    *start = (struct start){.reconciler = test->reconciler, .err = KIN_ERROR_INIT};
    assert_int_equal(pthread_create(&start->thread, NULL, run_start, start), 0);
    kin_test_until(kin_test_reconciler_status(test).state == KIN_RECONCILER_SYNCING);
}

static int end_start(struct start *start)
{
    assert_int_equal(pthread_join(start->thread, NULL), 0);
    return start->code;
}

static kin_test_reconciler *make(void)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    kin_test_reconciler_make(test, kin_keys_of_object);
    return test;
}

static void nothing_is_reconciled_before_all_caches_are_filled(void **state)
{
    kin_test_reconciler *test = make();
    kin_test_stage *other = kin_test_stage_with(NULL);
    struct start start;

    (void)state;
    assert_code(kin_reconciler_read(test->reconciler, other->informer, NULL), 0);
    begin_start(&start, test);
    kin_test_start(test->stage, "5", "a:1");
    /* It is queued, and yet nobody works on it. */
    kin_test_until(kin_test_reconciler_status(test).n_queued == 1);
    assert_false(atomic_load(&start.is_over));
    kin_test_start(other, "6", "b:1");
    assert_code(end_start(&start), 0);
    assert_code(start.err.code, 0); /* nothing is left of what it said while it waited */
    kin_test_assert_reconciled(test, 1, "default/a ");
    kin_reconciler_free(test->reconciler);
    test->reconciler = NULL;
    kin_test_stage_free(other);
    kin_test_reconciler_free(test);
}

static void a_cache_that_is_not_filled_in_time_says_why(void **state)
{
    static const kin_test_failure_of denied = {
        .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden", .message = "not for you"};
    kin_test_reconciler *test = make();
    struct start start;

    (void)state;
    assert_code(kin_informer_start(test->stage->informer, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(test->stage->source, 0), &denied, false);
    kin_test_await_informer(test->stage, KIN_INFORMER_WAITING);
    begin_start(&start, test);
    kin_test_advance_until(test->stage, KIN__SECOND, atomic_load(&start.is_over));
    assert_code(end_start(&start), KIN_ETIMEOUT);
    assert_non_null(strstr(start.err.message, "pods have not synced"));
    assert_non_null(strstr(start.err.message, "not for you"));
    assert_int_equal(start.err.http_status, 403);
    /* It may be tried again. */
    assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_NEW);
    begin_start(&start, test);
    /* Meanwhile the time has come for another list. */
    kin_test_pull_list(kin_test_source_await(test->stage->source, 1), "5", "a:1");
    assert_code(end_start(&start), 0);
    kin_test_assert_reconciled(test, 1, "default/a ");
    kin_test_reconciler_free(test);
}

static void a_stop_ends_the_wait_for_caches(void **state)
{
    kin_test_reconciler *test = make();
    struct start start;

    (void)state;
    begin_start(&start, test);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(end_start(&start), KIN_ECLOSED);
    assert_string_equal(start.err.message, "\"test\" was stopped");
    assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_STOPPED);
    assert_code(kin_reconciler_start(test->reconciler, NULL), KIN_ECLOSED);
    kin_test_reconciler_free(test);
}

static void an_informer_that_ends_ends_the_wait_for_it(void **state)
{
    kin_test_reconciler *test = make();
    struct start start;

    (void)state;
    assert_code(kin_informer_start(test->stage->informer, NULL), 0);
    begin_start(&start, test);
    kin_test_stop_at(test->stage, kin_test_source_await(test->stage->source, 0));
    assert_code(end_start(&start), KIN_ECLOSED);
    kin_test_reconciler_free(test);
}

static void start_from_here(const kin_event *event, void *arg)
{
    kin_test_reconciler *test = arg;

    (void)event;
    assert_code(kin_reconciler_start(test->reconciler, NULL), KIN_EBUSY);
    kin_test_latch_raise(&test->calls);
}

static void a_handler_does_not_wait_for_its_own_cache(void **state)
{
    kin_test_reconciler *test = make();

    (void)state;
    assert_code(
        kin_informer_add_handler(test->stage->informer, NULL, start_from_here, test, NULL, NULL),
        0);
    kin_test_start(test->stage, "5", "a:1");
    kin_test_latch_wait(&test->calls, 1);
    kin_test_reconciler_free(test);
}

/* --- the end --- */

static kin_test_reconciler *with_one_of_four_held(void)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, true, "a:1 b:2 c:3 d:4");

    kin_test_latch_wait(&test->entered, 1);
    return test;
}

static void release_all(kin_test_reconciler *test, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kin_test_latch_raise(&test->may_return);
}

static void a_stop_can_drop_what_is_queued(void **state)
{
    kin_test_reconciler *test = with_one_of_four_held();
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_advance(test->stage, 3);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DROP);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "default/"));
    assert_non_null(strstr(err.message, "is being reconciled, for 3000 ms"));
    assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_STOPPING);
    release_all(test, 4);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_int_equal(test->n, 1);
    assert_int_equal(kin_test_reconciler_status(test).dropped, 3);
    assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_STOPPED);
    kin_test_reconciler_free(test);
}

static void a_stop_can_finish_what_is_queued(void **state)
{
    kin_test_reconciler *test = with_one_of_four_held();

    (void)state;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    release_all(test, 4);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_int_equal(test->n, 4);
    assert_int_equal(kin_test_reconciler_status(test).done, 4);
    assert_int_equal(kin_test_reconciler_status(test).dropped, 0);
    kin_test_reconciler_free(test);
}

static void who_drains_may_lose_patience(void **state)
{
    kin_test_reconciler *test = with_one_of_four_held();

    (void)state;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DROP);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    release_all(test, 4);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_int_equal(test->n, 1);
    kin_test_reconciler_free(test);
}

/* Nothing comes any more from an informer that goes on. */
static void handlers_are_gone_after_a_stop(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, false, "a:1");
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    kin_test_add_handler(test->stage, NULL);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_await_version(test->stage, "6");
    kin_test_latch_wait(&test->stage->handler.calls, 2);
    kin_work_queue_get_stats(kin_reconciler_queue(test->reconciler), &stats, NULL);
    assert_int_equal(stats.refused, 0);
    kin_test_reconciler_free(test);
}

static int stop_and_wait(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)n;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DROP);
    assert_true(kin_reconcile_is_stopping(call));
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, err), KIN_EBUSY);
    assert_code(kin_reconciler_start(test->reconciler, err), KIN_EBUSY);
    return KIN_ESERVER; /* what cannot be tried again is dropped */
}

static void a_call_may_stop_but_not_wait_for_itself(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    (void)state;
    test->step = stop_and_wait;
    kin_test_reconciler_make(test, kin_keys_of_object);
    kin_test_start(test->stage, "5", "a:1");
    assert_code(kin_reconciler_run(test->reconciler, NULL), 0);
    assert_int_equal(kin_test_reconciler_status(test).failed, 1);
    assert_int_equal(kin_test_reconciler_status(test).dropped, 1);
    kin_test_reconciler_free(test);
}

static void one_that_was_never_started_is_stopped_at_once(void **state)
{
    kin_test_reconciler *test = make();

    (void)state;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_STOPPED);
    kin_test_reconciler_free(test);
}

/* --- calls that take too long --- */

struct overdue {
    kin_test_latch told;
    char key[64];
    int64_t running;
};

static void note_overdue(kin_str key, int64_t running_ns, void *arg)
{
    struct overdue *overdue = arg;

    snprintf(overdue->key, sizeof(overdue->key), "%s", key.data);
    overdue->running = running_ns;
    kin_test_latch_raise(&overdue->told);
}

static void a_call_that_takes_too_long_is_reported_while_it_does(void **state)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    struct overdue overdue = {.key = ""};
    kin_test_reconciler *test;
    kin_reconciler_status status;

    (void)state;
    kin_test_latch_init(&overdue.told);
    options.deadline_ms = 10000;
    options.overdue = note_overdue;
    options.overdue_arg = &overdue;
    test = kin_test_reconciler_with(&options, NULL, true, "a:1");
    kin_test_latch_wait(&test->entered, 1);
    kin_test_advance(test->stage, 9);
    assert_int_equal(kin_test_reconciler_status(test).overdue, 0);
    kin_test_advance(test->stage, 1);
    kin_test_latch_wait(&overdue.told, 1);
    assert_string_equal(overdue.key, "default/a");
    assert_int_equal(overdue.running, 10 * KIN__SECOND);
    kin_test_advance(test->stage, 100); /* said once */
    status = kin_test_reconciler_status(test);
    assert_int_equal(status.overdue, 1);
    assert_int_equal(status.n_active, 1);
    assert_int_equal(status.longest_ns, 110 * KIN__SECOND);
    assert_string_equal(status.longest_key, "default/a");
    /* The next one has its own time. */
    kin_test_latch_raise(&test->may_return);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_latch_wait(&test->entered, 2);
    kin_test_advance(test->stage, 9);
    assert_int_equal(kin_test_reconciler_status(test).overdue, 1);
    kin_test_advance(test->stage, 1);
    kin_test_latch_wait(&overdue.told, 2);
    assert_string_equal(overdue.key, "default/b");
    kin_test_latch_raise(&test->may_return);
    kin_test_latch_wait(&test->calls, 2);
    kin_test_reconciler_free(test);
    kin_test_latch_done(&overdue.told);
}

static void without_a_function_it_is_logged(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, true, "a:1");

    (void)state;
    kin_test_latch_wait(&test->entered, 1);
    kin_test_advance(test->stage, 60);
    kin_test_until(
        kin_test_reconciler_status(test).overdue == 1 &&
        kin_test_stage_logged(test->stage, "takes longer than it should", "key=default/a"));
    kin_test_latch_raise(&test->may_return);
    kin_test_reconciler_free(test);
}

/* --- freed by its own callbacks --- */

static int free_own(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)call;
    (void)err;
    if (n == 1)
        assert_code(kin_reconciler_free(test->reconciler), KIN_EBUSY);
    return 0;
}

static void a_call_cannot_free_its_reconciler(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, free_own, false, "a:1");

    (void)state;
    kin_test_assert_reconciled(test, 1, "default/a ");
    assert_true(kin_test_stage_logged(test->stage, "not freed", "reconciler="));
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_assert_reconciled(test, 2, "default/a default/b ");
    assert_code(kin_reconciler_free(test->reconciler), 0);
    test->reconciler = NULL;
    kin_test_reconciler_free(test);
}

struct own_keys {
    kin_test_reconciler *test;
    _Atomic int code;
    kin_test_latch tried;
};

static int free_by_keys(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                        kin_error *err)
{
    struct own_keys *own = arg;

    atomic_store(&own->code, kin_reconciler_free(own->test->reconciler));
    kin_test_latch_raise(&own->tried);
    return kin_keys_of_object(object, ret, NULL, err);
}

static void a_function_for_keys_cannot_free_its_reconciler(void **state)
{
    struct own_keys own = {.test = kin_test_reconciler_new()};

    (void)state;
    kin_test_latch_init(&own.tried);
    kin_test_reconciler_make(own.test, NULL);
    assert_code(kin_reconciler_watch(own.test->reconciler, own.test->stage->informer, free_by_keys,
                                     &own, NULL, NULL),
                0);
    kin_test_reconciler_start(own.test, "a:1");
    kin_test_latch_wait(&own.tried, 1);
    assert_code(atomic_load(&own.code), KIN_EBUSY);
    kin_test_assert_reconciled(own.test, 1, "default/a ");
    kin_test_reconciler_free(own.test);
    kin_test_latch_done(&own.tried);
}

/* --- a fork --- */

static int use_in_child(void *arg)
{
    kin_test_reconciler *test = arg;
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;
    kin_reconciler *reconciler = test->reconciler;
    bool told = kin_reconciler_start(reconciler, NULL) == KIN_EFORKED &&
                kin_reconciler_wait_stopped(reconciler, -1, NULL) == KIN_EFORKED &&
                kin_reconciler_get_status(reconciler, &status, NULL) == KIN_EFORKED &&
                kin_reconciler_read(reconciler, test->stage->informer, NULL) == KIN_EFORKED &&
                kin_reconciler_watch(reconciler, test->stage->informer, NULL, NULL, NULL, NULL) ==
                    KIN_EFORKED;

    kin_reconciler_stop(reconciler, KIN_RECONCILER_DROP);
    kin_reconciler_free(reconciler);
    return told ? 0 : 1;
}

static void a_forked_child_has_no_reconciler(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, false, "a:1");
    kin_test_child child;

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    kin_test_run_child(&child, use_in_child, test);
    assert_int_equal(child.exit_code, 0);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_assert_reconciled(test, 2, "default/a default/b ");
    kin_test_reconciler_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_reconciled_before_all_caches_are_filled),
        cmocka_unit_test(a_cache_that_is_not_filled_in_time_says_why),
        cmocka_unit_test(a_stop_ends_the_wait_for_caches),
        cmocka_unit_test(an_informer_that_ends_ends_the_wait_for_it),
        cmocka_unit_test(a_handler_does_not_wait_for_its_own_cache),
        cmocka_unit_test(a_stop_can_drop_what_is_queued),
        cmocka_unit_test(a_stop_can_finish_what_is_queued),
        cmocka_unit_test(who_drains_may_lose_patience),
        cmocka_unit_test(handlers_are_gone_after_a_stop),
        cmocka_unit_test(a_call_may_stop_but_not_wait_for_itself),
        cmocka_unit_test(one_that_was_never_started_is_stopped_at_once),
        cmocka_unit_test(a_call_that_takes_too_long_is_reported_while_it_does),
        cmocka_unit_test(without_a_function_it_is_logged),
        cmocka_unit_test(a_call_cannot_free_its_reconciler),
        cmocka_unit_test(a_function_for_keys_cannot_free_its_reconciler),
        cmocka_unit_test(a_forked_child_has_no_reconciler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
