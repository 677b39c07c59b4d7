/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was skipped is missing: the reflector lists again, later and later, until it is not.
 */
#include "reflector_support.h"

#include <errno.h>
#include <sched.h>

#include "base/clock.h"

#define MINUTE_MS INT64_C(60000)
#define NO_TYPE ((enum kin_watch_type)0)

static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
static const kin_test_failure_of refused = {.code = KIN_ECONNECT, .os_error = ECONNREFUSED};
static const kin_test_failure_of denied = {
    .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden"};

/* Until so many gaps are known, and a list is due in so long; 0: none is. */
static void await_due(kin_test_scene *scene, uint64_t gaps, int64_t expected_ms)
{
    int64_t begun = kin_clock_now(kin_clock_system());
    int64_t expected = 0;
    kin_reflector_status status;

    if (expected_ms != 0)
        expected = kin_clock_now(scene->clock) + expected_ms * KIN__MILLISECOND;
    while ((status = kin_test_status(scene)).gaps != gaps || status.next_relist != expected) {
        if (kin_clock_now(kin_clock_system()) - begun > KIN_TEST_TIMEOUT_MS * KIN__MILLISECOND)
            fail_msg(
                "%d gaps, a list in %lld ms", (int)status.gaps,
                (long long)((status.next_relist - kin_clock_now(scene->clock)) / KIN__MILLISECOND));
        sched_yield();
    }
}

/* The list that is due comes at its time, and not before. Returns it. */
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

/* A list with one object that cannot be read; the watch behind it. */
static kin_test_pull *list_with_gap(kin_test_scene *scene, kin_test_pull *list, const char *pod,
                                    const char *key, const char *version)
{
    assert_true(list->is_list);
    assert_code(kin_test_pull_item(list, pod), 0);
    assert_code(kin_test_pull_bad(list, NO_TYPE, key), 0);
    kin_test_pull_list_done(list, version, NULL);
    return kin_test_await_watch(scene, list->index + 1, version);
}

static void a_list_with_a_gap_is_followed_by_another(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;
    kin_test_pull *list;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2 c:3");
    watch = kin_test_await_watch(&scene, 1, "10");
    await_due(&scene, 0, 0);
    kin_test_pull_error_event(watch, &expired);
    kin_test_pass_delay(&scene, 800);
    watch = list_with_gap(&scene, kin_test_await(&scene, 2), "a:11", "", "20");
    kin_test_expect_store(&scene, "a:11 b:2 c:3");
    await_due(&scene, 1, MINUTE_MS);
    assert_true(kin_test_status(&scene).keeps_missing);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "c:21"), 0);
    list = pass_to_relist(&scene, watch);
    /* Not older than what was seen; and nobody is told of an error. */
    assert_true(list->is_list);
    assert_string_equal(list->version, "21");
    assert_int_equal(kin_test_errors(&scene), 0);
    assert_int_equal(kin_test_status(&scene).relists, 2);
    kin_test_pull_list(list, "30", "a:11 c:21 d:25");
    watch = kin_test_await_watch(&scene, list->index + 1, "30");
    kin_test_expect_store(&scene, "a:11 c:21 d:25");
    await_due(&scene, 0, 0);
    assert_false(kin_test_status(&scene).keeps_missing);
    kin_test_advance_ms(&scene, 500 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(watch));
    assert_int_equal(kin_test_source_count(scene.source), 6);
    kin_test_scene_done(&scene);
}

static void delays_grow_until_a_list_has_no_gap(void **state)
{
    static const int64_t minutes[] = {1, 2, 4, 8, 16, 32, 60, 60};
    kin_test_scene scene;
    kin_test_pull *list;
    kin_test_pull *watch;

    (void)state;
    kin_test_scene_begin(&scene, false);
    list = kin_test_await(&scene, 0);
    for (size_t i = 0; i < sizeof(minutes) / sizeof(minutes[0]); i++) {
        char version[8];

        snprintf(version, sizeof(version), "%zu", 10 + i);
        watch = list_with_gap(&scene, list, "a:1", "default/b", version);
        await_due(&scene, 1, minutes[i] * MINUTE_MS);
        list = pass_to_relist(&scene, watch);
    }
    kin_test_pull_list(list, "30", "a:1 b:2");
    watch = kin_test_await_watch(&scene, list->index + 1, "30");
    await_due(&scene, 0, 0);
    assert_code(kin_test_pull_bad(watch, KIN_WATCH_MODIFIED, ""), 0);
    await_due(&scene, 1, MINUTE_MS);
    kin_test_scene_done(&scene);
}

static void an_event_of_the_same_object_heals(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2 c:3");
    watch = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_bad(watch, KIN_WATCH_MODIFIED, "default/b"), 0);
    await_due(&scene, 1, MINUTE_MS);
    assert_code(kin_test_pull_bad(watch, KIN_WATCH_MODIFIED, "default/b"), 0);
    assert_code(kin_test_pull_bad(watch, KIN_WATCH_ADDED, "default/c"), 0);
    kin_test_advance_ms(&scene, 20000);
    await_due(&scene, 2, 40000);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:14"), 0);
    await_due(&scene, 2, 40000);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_DELETED, "c:15"), 0);
    await_due(&scene, 1, 40000);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:16"), 0);
    await_due(&scene, 0, 0);
    kin_test_advance_ms(&scene, 10 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(watch));
    assert_int_equal(kin_test_source_count(scene.source), 2);
    /* Nobody knows what heals one without a key but a list. */
    assert_code(kin_test_pull_bad(watch, KIN_WATCH_MODIFIED, ""), 0);
    await_due(&scene, 1, 2 * MINUTE_MS);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:17"), 0);
    assert_int_equal(kin_test_status(&scene).gaps, 1);
    kin_test_scene_done(&scene);
}

/* A store alone cannot keep one object: that others are gone is still to be told. */
static void what_a_list_could_not_delete_is_listed_for(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;

    (void)state;
    kin_test_scene_begin(&scene, false);
    watch = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "default/b", "10");
    await_due(&scene, 1, MINUTE_MS);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:12"), 0);
    await_due(&scene, 0, MINUTE_MS);
    assert_true(kin_test_status(&scene).keeps_missing);
    kin_test_pull_list(pass_to_relist(&scene, watch), "20", "b:12");
    kin_test_expect_store(&scene, "b:12");
    await_due(&scene, 0, 0);
    kin_test_scene_done(&scene);
}

static void a_list_for_another_reason_counts(void **state)
{
    kin_test_scene scene;
    kin_test_pull *watch;

    (void)state;
    kin_test_scene_begin(&scene, false);
    watch = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, MINUTE_MS);
    kin_test_pull_error_event(watch, &expired);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_status(&scene).next_relist, 0);
    kin_test_pass_delay(&scene, 800);
    watch = list_with_gap(&scene, kin_test_await(&scene, 2), "a:1", "", "20");
    await_due(&scene, 1, 2 * MINUTE_MS);
    kin_test_pull_error_event(watch, &expired);
    kin_test_pass_delay(&scene, 1600);
    kin_test_pull_list(kin_test_await(&scene, 4), "30", "a:1 b:2");
    watch = kin_test_await_watch(&scene, 5, "30");
    await_due(&scene, 0, 0);
    kin_test_advance_ms(&scene, 10 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(watch));
    kin_test_scene_done(&scene);
}

/* Nothing was wrong with the watch: it goes on, and the next list is due later. */
static void a_list_for_gaps_that_fails_leaves_the_watch(void **state)
{
    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        const kin_test_failure_of *failure = streams ? &refused : &denied;
        kin_test_scene scene;
        kin_test_pull *op;

        kin_test_scene_begin(&scene, streams);
        op = kin_test_await(&scene, 0);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
            kin_test_pull_bookmark(op, "10", true);
        } else {
            kin_test_pull_list(op, "10", "a:1");
            op = kin_test_await_watch(&scene, 1, "10");
        }
        assert_code(kin_test_pull_bad(op, KIN_WATCH_ADDED, "default/b"), 0);
        assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "c:12"), 0);
        await_due(&scene, 1, MINUTE_MS);
        op = pass_to_relist(&scene, op);
        assert_int_equal(op->streams, streams);
        kin_test_pull_fail(op, failure, false);
        kin_test_pass_delay(&scene, 800);
        op = kin_test_await_watch(&scene, op->index + 1, "12");
        assert_int_equal(kin_test_errors(&scene), 1);
        await_due(&scene, 1, 2 * MINUTE_MS - 800);
        kin_test_expect_store(&scene, "a:1 c:12");
        assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:14"), 0);
        await_due(&scene, 0, 0);
        kin_test_expect_store(&scene, "a:1 b:14 c:12");
        kin_test_scene_done(&scene);
    }
}

/* A version that has expired is asked for anew, as ever. */
static void a_list_for_gaps_may_ask_for_the_newest(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, MINUTE_MS);
    op = pass_to_relist(&scene, op);
    kin_test_pull_fail(op, &expired, false);
    op = kin_test_await_list(&scene, op->index + 1, "");
    kin_test_pull_list(op, "20", "a:1 b:2");
    kin_test_await_watch(&scene, op->index + 1, "20");
    kin_test_expect_store(&scene, "a:1 b:2");
    await_due(&scene, 0, 0);
    kin_test_scene_done(&scene);
}

/* A server that asks for patience is not asked for a list meanwhile. */
static void while_a_watch_is_waited_for_no_list_comes(void **state)
{
    static const kin_test_failure_of busy = {
        .code = KIN_ESERVER, .http_status = 429, .retry_after_ms = 90 * 1000};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.backoff_max_ms = 100 * 1000;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, MINUTE_MS);
    kin_test_pull_fail(op, &busy, false);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    kin_test_advance_ms(&scene, MINUTE_MS);
    await_due(&scene, 1, 30000);
    kin_test_pass_delay(&scene, 30000);
    (void)kin_test_await_watch(&scene, 2, "10");
    op = kin_test_await_list(&scene, 3, "10");
    kin_test_pull_list(op, "20", "a:1 b:2");
    kin_test_await_watch(&scene, 4, "20");
    await_due(&scene, 0, 0);
    kin_test_scene_done(&scene);
}

/* The watch ends in the moment in which the list is due. */
static void a_list_that_is_due_is_not_forgotten(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.gap_relist_ms = 5000;
    scene.options.resync_ms = 5000;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, 5000);
    scene.blocks = true;
    kin_test_advance_ms(&scene, 4999);
    kin_test_pull_close(op);
    kin_test_advance_ms(&scene, 1);
    for (size_t i = 2; !op->is_list; i++)
        op = kin_test_await(&scene, i);
    assert_string_equal(op->version, "10");
    kin_test_scene_done(&scene);
}

static void times_are_options(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.gap_relist_ms = 3000;
    scene.options.gap_relist_max_ms = 5000;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, 3000);
    op = list_with_gap(&scene, pass_to_relist(&scene, op), "a:1", "", "11");
    await_due(&scene, 1, 5000);
    (void)list_with_gap(&scene, pass_to_relist(&scene, op), "a:1", "", "12");
    await_due(&scene, 1, 5000);
    kin_test_scene_done(&scene);

    kin_test_scene_init(&scene, false);
    scene.options.gap_relist_ms = -1;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    assert_code(kin_test_pull_bad(op, KIN_WATCH_MODIFIED, "default/b"), 0);
    await_due(&scene, 2, 0);
    kin_test_advance_ms(&scene, 5000 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(op));
    assert_int_equal(kin_test_source_count(scene.source), 2);
    kin_test_scene_done(&scene);
}

/* Programs that have skipped the same object do not list together. */
static void chance_adds_up_to_as_long_again(void **state)
{
    int64_t first = 0;
    bool differ = false;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        kin_test_scene scene;
        kin_test_pull *op;
        int64_t due;

        kin_test_scene_init(&scene, false);
        scene.options.backoff_jitter = 0;
        scene.options.seed = seed;
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
        due = kin_test_status(&scene).next_relist - kin_clock_now(scene.clock);
        assert_in_range(due, MINUTE_MS * KIN__MILLISECOND, 2 * MINUTE_MS * KIN__MILLISECOND);
        differ = differ || (seed > 1 && due != first);
        first = due;
        assert_true(kin_test_pull_is_open(op));
        kin_test_scene_done(&scene);
    }
    assert_true(differ);
}

static void a_stop_ends_it_and_a_start_lists(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = list_with_gap(&scene, kin_test_await(&scene, 0), "a:1", "", "10");
    await_due(&scene, 1, MINUTE_MS);
    /* In the midst of a list for gaps. */
    op = pass_to_relist(&scene, op);
    kin_reflector_stop(scene.reflector);
    kin_test_pull_await_cancel(op);
    kin_test_pull_close(op);
    kin_test_stop(&scene);
    await_due(&scene, 1, 0);
    kin_test_advance_ms(&scene, 100 * MINUTE_MS);
    assert_int_equal(kin_test_source_count(scene.source), 3);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await_list(&scene, 3, "10");
    /* An ordinary one: if it fails, there is no watch to go back to. */
    kin_test_pull_fail(op, &denied, false);
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 4, "10");
    kin_test_pull_list(op, "20", "b:2");
    kin_test_await_watch(&scene, 5, "20");
    kin_test_expect_store(&scene, "b:2");
    await_due(&scene, 0, 0);
    kin_test_scene_done(&scene);
}

/* --- of another kind --- */

static const char stranger[] =
    "{\"apiVersion\":\"v2\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"default\","
    "\"name\":\"b\",\"resourceVersion\":\"19\"}}";

static void begin_expecting(kin_test_scene *scene, bool streams)
{
    kin_test_scene_init(scene, streams);
    scene->options.api_version = "v1";
    scene->options.kind = "Pod";
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

/* Something is there under that key: that the list lacks what was there before says nothing. */
static void an_item_of_another_kind_deletes_nothing(void **state)
{
    const kin_object *object = kin_test_json(stranger);

    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        kin_test_scene scene;
        kin_test_pull *op;

        begin_expecting(&scene, streams);
        op = kin_test_await(&scene, 0);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
            kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
            kin_test_pull_bookmark(op, "10", true);
        } else {
            kin_test_pull_list(op, "10", "a:1 b:2");
            op = kin_test_await_watch(&scene, 1, "10");
        }
        kin_test_expect_store(&scene, "a:1 b:2");
        kin_test_pull_error_event(op, &expired);
        kin_test_pass_delay(&scene, 800);
        op = kin_test_await(&scene, op->index + 1);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "a:11");
            assert_code(kin_test_pull_event_object(op, KIN_WATCH_ADDED, object), 0);
            kin_test_pull_bookmark(op, "20", true);
        } else {
            assert_code(kin_test_pull_item_object(op, object), 0);
            kin_test_pull_list(op, "20", "a:11");
            (void)kin_test_await_watch(&scene, op->index + 1, "20");
        }
        kin_test_expect_store(&scene, "a:11 b:2");
        await_due(&scene, 1, MINUTE_MS);
        assert_int_equal(kin_test_status(&scene).skipped, 1);
        kin_test_scene_done(&scene);
    }
    kin_object_unref(object);
}

/* As client-go has it: it is logged and skipped, and no object of ours is missing for it. */
static void an_event_of_another_kind_is_no_gap(void **state)
{
    const kin_object *object = kin_test_json(stranger);
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin_expecting(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event_object(op, KIN_WATCH_MODIFIED, object), 0);
    assert_int_equal(kin_test_status(&scene).skipped, 1);
    await_due(&scene, 0, 0);
    kin_test_advance_ms(&scene, 500 * MINUTE_MS);
    assert_true(kin_test_pull_is_open(op));
    kin_object_unref(object);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_with_a_gap_is_followed_by_another),
        cmocka_unit_test(delays_grow_until_a_list_has_no_gap),
        cmocka_unit_test(an_event_of_the_same_object_heals),
        cmocka_unit_test(what_a_list_could_not_delete_is_listed_for),
        cmocka_unit_test(a_list_for_another_reason_counts),
        cmocka_unit_test(a_list_for_gaps_that_fails_leaves_the_watch),
        cmocka_unit_test(a_list_for_gaps_may_ask_for_the_newest),
        cmocka_unit_test(while_a_watch_is_waited_for_no_list_comes),
        cmocka_unit_test(a_list_that_is_due_is_not_forgotten),
        cmocka_unit_test(times_are_options),
        cmocka_unit_test(chance_adds_up_to_as_long_again),
        cmocka_unit_test(a_stop_ends_it_and_a_start_lists),
        cmocka_unit_test(an_item_of_another_kind_deletes_nothing),
        cmocka_unit_test(an_event_of_another_kind_is_no_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
