/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reflector with `relist_ms` lists the most recent state again when its last list is old. If the list fails, the watch
 * is resumed.
 */
#include "reflector_support.h"

#include <sched.h>

#include "base/clock.h"

#define PERIOD_MS INT64_C(100000)
#define MINUTE_MS INT64_C(60000)

static const kin_test_failure_of denied = {
    .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden"};
static const kin_test_failure_of broken = {.code = KIN_ESERVER,
                                           .http_status = 503,
                                           .reason = "ServiceUnavailable",
                                           .retry_after_ms = 1000};

/* A scene with this period. */
static void begin(kin_test_scene *scene, bool streams, int64_t relist_ms, const char *version)
{
    kin_test_scene_init(scene, streams);
    scene->options.relist_ms = relist_ms;
    scene->options.resource_version = version;
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

/* Until a list is due, between these times from now. */
static void await_due(kin_test_scene *scene, int64_t min_ms, int64_t max_ms)
{
    int64_t begun = kin_clock_now(kin_clock_system());
    int64_t left_ms = -1;

    while (left_ms < min_ms || left_ms > max_ms) {
        if (kin_clock_now(kin_clock_system()) - begun > KIN_TEST_TIMEOUT_MS * KIN__MILLISECOND)
            fail_msg("a list in %lld ms", (long long)left_ms);
        left_ms =
            (kin_test_status(scene).next_relist - kin_clock_now(scene->clock)) / KIN__MILLISECOND;
        sched_yield();
    }
}

/* The list that is due comes at its time, and not before. */
static kin_test_pull *pass_to_relist(kin_test_scene *scene, kin_test_pull *watch)
{
    size_t n = kin_test_source_count(scene->source);
    int64_t left = kin_test_status(scene).next_relist - kin_clock_now(scene->clock);

    assert_true(left > 0);
    assert_code(kin_clock_advance(scene->clock, left - 1, NULL), 0);
    assert_int_equal(kin_test_source_count(scene->source), n);
    assert_true(kin_test_pull_is_open(watch));
    assert_code(kin_clock_advance(scene->clock, 1, NULL), 0);
    kin_test_pull_await_cancel(watch);
    kin_test_pull_close(watch);
    return kin_test_await(scene, n);
}

static void an_old_list_is_followed_by_another(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;
    kin_test_pull *list;

    (void)state;
    begin(&scene, false, PERIOD_MS, NULL);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1 b:2");
    watch = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:11"), 0);
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    for (size_t i = 0; i < 3; i++) {
        list = pass_to_relist(&scene, watch);
        /* Neither "0" nor the last one: the most recent state. */
        assert_true(list->is_list);
        assert_string_equal(list->version, "");
        kin_test_expect_store(&scene, i == 0 ? "a:1 b:2 c:11" : "a:1 d:4");
        /* Its version may be an earlier one: the watch follows it. */
        kin_test_pull_list(list, "5", "a:1 d:4");
        watch = kin_test_await_watch(&scene, list->index + 1, "5");
        kin_test_expect_store(&scene, "a:1 d:4");
        await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    }
    assert_int_equal(kin_test_errors(&scene), 0);
    assert_int_equal(kin_test_status(&scene).lists, 4);
    assert_int_equal(kin_test_status(&scene).relists, 3);
    kin_test_scene_done(&scene);
}

/* The time that a list takes is a part of its age. */
static void the_age_counts_from_the_beginning(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, PERIOD_MS, NULL);
    op = kin_test_await(&scene, 0);
    kin_test_advance_ms(&scene, 50000);
    kin_test_pull_list(op, "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    await_due(&scene, PERIOD_MS * 9 / 10 - 50000, PERIOD_MS - 50000);
    kin_test_scene_done(&scene);
}

static void a_streaming_list_is_of_the_most_recent_state(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, true, PERIOD_MS, NULL);
    op = kin_test_await_stream(&scene, 0, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:3");
    kin_test_pull_bookmark(op, "5", true);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:6");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    op = pass_to_relist(&scene, op);
    assert_true(op->streams);
    assert_string_equal(op->version, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:6");
    kin_test_pull_bookmark(op, "7", true);
    kin_test_expect_store(&scene, "b:6");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    assert_int_equal(kin_test_status(&scene).streams, 2);
    /* The server now refuses streaming lists: the list that follows is of the most recent state, too. */
    op = pass_to_relist(&scene, op);
    kin_test_pull_fail(op, &denied, false);
    op = kin_test_await_list(&scene, op->index + 1, "");
    kin_test_pull_list(op, "9", "c:8");
    kin_test_await_watch(&scene, op->index + 1, "9");
    kin_test_expect_store(&scene, "c:8");
    kin_test_scene_done(&scene);
}

static void a_list_that_fails_leaves_store_and_watch(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, PERIOD_MS, NULL);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2");
    op = kin_test_await_watch(&scene, 1, "10");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    for (int64_t minutes = 1; minutes <= 4; minutes *= 2) {
        op = pass_to_relist(&scene, op);
        assert_code(kin_test_pull_item(op, "x:9"), 0);
        kin_test_pull_fail(op, minutes == 2 ? &broken : &denied, false);
        kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
        await_due(&scene, minutes * MINUTE_MS, minutes * MINUTE_MS);
        kin_test_expect_store(&scene, "a:1 b:2");
        kin_test_advance_ms(&scene, 30000);
        op = kin_test_await_watch(&scene, op->index + 1, "10");
    }
    assert_int_equal(kin_test_errors(&scene), 3);
    op = pass_to_relist(&scene, op);
    assert_string_equal(op->version, "");
    kin_test_pull_list(op, "20", "a:1");
    op = kin_test_await_watch(&scene, op->index + 1, "20");
    kin_test_expect_store(&scene, "a:1");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    /* After a success the first delay is the shortest again. */
    op = pass_to_relist(&scene, op);
    kin_test_pull_fail(op, &denied, false);
    await_due(&scene, MINUTE_MS, MINUTE_MS);
    kin_test_scene_done(&scene);
}

static void without_it_no_list_is_due(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    begin(&scene, false, 0, NULL);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    watch = kin_test_await_watch(&scene, 1, "10");
    kin_test_advance_ms(&scene, 5000 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(watch));
    assert_int_equal(kin_test_source_count(scene.source), 2);
    assert_int_equal(kin_test_status(&scene).next_relist, 0);
    kin_test_scene_done(&scene);

    kin_test_scene_init(&scene, false);
    scene.options.relist_ms = -1;
    assert_code(kin_reflector_new(&scene.reflector, kin_test_source_list_watch(scene.source),
                                  &scene.into, &scene.options, &err),
                KIN_EINVAL);
    assert_string_equal(err.message, "relist_ms is -1");
    scene.options.relist_ms = 0;
    kin_test_scene_make(&scene);
    kin_test_scene_done(&scene);
}

/* The time of its list is unknown: the period begins with the reflector. */
static void a_warm_start_lists_later(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, PERIOD_MS, "7");
    op = kin_test_await_watch(&scene, 0, "7");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    op = pass_to_relist(&scene, op);
    assert_true(op->is_list);
    assert_string_equal(op->version, "");
    kin_test_scene_done(&scene);
}

/* A list for gaps is a list, too, and comes first. */
static void gaps_are_listed_for_in_between(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, PERIOD_MS, NULL);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_bad(op, KIN_WATCH_MODIFIED, "default/b"), 0);
    await_due(&scene, MINUTE_MS, MINUTE_MS);
    op = pass_to_relist(&scene, op);
    assert_string_equal(op->version, "10");
    kin_test_pull_list(op, "12", "a:1 b:11");
    op = kin_test_await_watch(&scene, op->index + 1, "12");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    /* A gap that a later event heals leaves the other list due. */
    assert_code(kin_test_pull_bad(op, KIN_WATCH_MODIFIED, "default/b"), 0);
    await_due(&scene, MINUTE_MS, MINUTE_MS);
    assert_code(kin_test_pull_event(op, KIN_WATCH_MODIFIED, "b:13"), 0);
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    op = pass_to_relist(&scene, op);
    assert_string_equal(op->version, "");
    kin_test_scene_done(&scene);
}

/* The server is spared while it asks for that. */
static void a_delay_is_waited_for(void **state)
{
    static const kin_test_failure_of busy = {
        .code = KIN_ESERVER, .http_status = 429, .retry_after_ms = 30000};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, 10000, NULL);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    await_due(&scene, 9000, 10000);
    kin_test_pull_fail(op, &busy, false);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    kin_test_advance_ms(&scene, 10000);
    await_due(&scene, 20000, 20000);
    assert_int_equal(kin_test_source_count(scene.source), 2);
    kin_test_advance_ms(&scene, 20000);
    (void)kin_test_await_watch(&scene, 2, "10");
    op = kin_test_await_list(&scene, 3, "");
    kin_test_pull_list(op, "20", "a:1");
    kin_test_await_watch(&scene, 4, "20");
    await_due(&scene, 9000, 10000);
    kin_test_scene_done(&scene);
}

/* In the midst of such a list; the next start lists as any other. */
static void a_stop_ends_it(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin(&scene, false, PERIOD_MS, NULL);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    op = pass_to_relist(&scene, op);
    assert_code(kin_test_pull_item(op, "b:1"), 0);
    kin_reflector_stop(scene.reflector);
    kin_test_pull_await_cancel(op);
    kin_test_pull_close(op);
    assert_code(kin_reflector_wait(scene.reflector, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_expect_store(&scene, "a:1");
    assert_int_equal(kin_test_status(&scene).next_relist, 0);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await(&scene, 3);
    assert_true(op->is_list);
    kin_test_pull_list(op, "20", "b:1");
    kin_test_await_watch(&scene, 4, "20");
    kin_test_expect_store(&scene, "b:1");
    await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
    kin_test_scene_done(&scene);
}

/* Programs that were started together do not list together. */
static void chance_takes_up_to_a_tenth(void **state)
{
    int64_t first = 0;
    bool differ = false;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        kin_test_scene scene;
        int64_t due;

        kin_test_scene_init(&scene, false);
        scene.options.relist_ms = PERIOD_MS;
        scene.options.seed = seed;
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
        kin_test_await_watch(&scene, 1, "10");
        await_due(&scene, PERIOD_MS * 9 / 10, PERIOD_MS);
        due = kin_test_status(&scene).next_relist - kin_clock_now(scene.clock);
        differ = differ || (seed > 1 && due != first);
        first = due;
        kin_test_scene_done(&scene);
    }
    assert_true(differ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_list_is_followed_by_another),
        cmocka_unit_test(the_age_counts_from_the_beginning),
        cmocka_unit_test(a_streaming_list_is_of_the_most_recent_state),
        cmocka_unit_test(a_list_that_fails_leaves_store_and_watch),
        cmocka_unit_test(without_it_no_list_is_due),
        cmocka_unit_test(a_warm_start_lists_later),
        cmocka_unit_test(gaps_are_listed_for_in_between),
        cmocka_unit_test(a_delay_is_waited_for),
        cmocka_unit_test(a_stop_ends_it),
        cmocka_unit_test(chance_takes_up_to_a_tenth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
