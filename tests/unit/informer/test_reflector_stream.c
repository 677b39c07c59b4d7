/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaming lists: what is asked for, when they are complete, and what if they never are.
 */
#include <string.h>

#include "base/clock.h"
#include "reflector_support.h"

static const kin_test_failure_of unsupported = {
    .code = KIN_EREFUSED, .http_status = 422, .reason = "Invalid"};
static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

/* As src/informer/reflector_watch.c has it. */
enum { HELD_MAX = 100000 };

/* The first stream that is asked for. */
static kin_test_pull *begin(kin_test_scene *scene)
{
    kin_test_scene_begin(scene, true);
    return kin_test_await_stream(scene, 0, "");
}

/* The watch at `index` has expired, and the delay behind that passes. */
static void expire_watch(kin_test_scene *scene, size_t index, const char *version, int64_t delay_ms)
{
    kin_test_pull_error_event(kin_test_await_watch(scene, index, version), &expired);
    kin_test_pass_delay(scene, delay_ms);
}

/* So many events of one object, each of which is taken. */
static void hold(kin_test_pull *op, const kin_object *pod)
{
    for (unsigned i = 0; i < HELD_MAX; i++) {
        if (kin_test_pull_event_object(op, KIN_WATCH_MODIFIED, pod) != 0)
            fail_msg("event %u was refused", i);
    }
}

static void a_stream_is_list_and_watch(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    assert_true(op->watch_timeout_ms >= 300000);
    kin_test_await_state(&scene, KIN_REFLECTOR_STREAMING);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:3");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    kin_test_expect_version(&scene, "");
    kin_test_expect_store(&scene, "");
    /* One that is not the end. */
    kin_test_pull_bookmark(op, "4", false);
    kin_test_expect_store(&scene, "");
    kin_test_expect_version(&scene, "");
    kin_test_pull_bookmark(op, "5", true);
    kin_test_expect_store(&scene, "a:3 b:2");
    kin_test_expect_version(&scene, "5");
    kin_test_await_state(&scene, KIN_REFLECTOR_WATCHING);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "c:6");
    kin_test_pull_event(op, KIN_WATCH_DELETED, "a:7");
    kin_test_expect_store(&scene, "b:2 c:6");
    kin_test_expect_version(&scene, "7");
    assert_int_equal(kin_test_source_count(scene.source), 1);

    kin_reflector_status status = kin_test_status(&scene);

    assert_int_equal(status.lists, 1);
    assert_int_equal(status.streams, 1);
    assert_int_equal(status.watches, 1);
    /* The stream is a watch now, and ends as one. */
    kin_test_pull_close(op);
    op = kin_test_await_watch(&scene, 1, "7");
    kin_test_pull_error_event(op, &expired);
    kin_test_pass_delay(&scene, 800);
    kin_test_await_stream(&scene, 2, "7");
    kin_test_scene_done(&scene);
}

/* The annotation counts with the value "true" only. */
static void the_end_has_to_be_true(void **state)
{
    const kin_object *no = kin_test_json(
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"4\","
        "\"annotations\":{\"k8s.io/initial-events-end\":\"false\"}}}");
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    assert_code(kin_test_pull_event_object(op, KIN_WATCH_BOOKMARK, no), 0);
    kin_object_unref(no);
    assert_int_equal(kin_test_status(&scene).lists, 0);
    kin_test_pull_bookmark(op, "5", true);
    assert_int_equal(kin_test_status(&scene).lists, 1);
    kin_test_scene_done(&scene);
}

/* Changes before the end are part of what the end stands for. */
static void changes_before_the_end_count(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "c:3");
    kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:4");
    kin_test_pull_event(op, KIN_WATCH_DELETED, "b:5");
    kin_test_pull_event(op, KIN_WATCH_DELETED, "c:6");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "c:7");
    kin_test_expect_store(&scene, "");
    kin_test_pull_bookmark(op, "8", true);
    kin_test_expect_store(&scene, "a:4 c:7");
    kin_test_expect_version(&scene, "8");
    pthread_mutex_lock(&scene.lock);
    assert_string_equal(scene.bookmark, "8");
    pthread_mutex_unlock(&scene.lock);
    kin_test_scene_done(&scene);
}

static void never_means_never_and_always_always(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, true);
    scene.options.streaming_lists = KIN_STREAMING_LISTS_NEVER;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await_list(&scene, 0, "0");
    kin_test_scene_done(&scene);

    kin_test_scene_init(&scene, false);
    scene.options.streaming_lists = KIN_STREAMING_LISTS_ALWAYS;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        kin_test_pull_fail(kin_test_await_stream(&scene, 3 * i, i ? "10" : ""), &unsupported,
                           false);
        kin_test_pull_list(kin_test_await(&scene, 3 * i + 1), "10", "a:1");
        expire_watch(&scene, 3 * i + 2, "10", 800 << i);
    }
    kin_test_scene_done(&scene);
}

/* A server that does not know them is not asked for an hour. */
static void what_a_server_does_not_have_is_not_asked_for(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_pull_fail(begin(&scene), &unsupported, false);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "a:1");
    kin_test_await_watch(&scene, 2, "10");
    kin_test_advance_ms(&scene, 3600 * 1000 - 1000);
    expire_watch(&scene, 2, "10", 800);
    kin_test_pull_list(kin_test_await_list(&scene, 3, "10"), "11", "a:1");
    kin_test_await_watch(&scene, 4, "11");
    kin_test_advance_ms(&scene, 1000);
    expire_watch(&scene, 4, "11", 1600);
    kin_test_await_stream(&scene, 5, "11");
    kin_test_scene_done(&scene);
}

/* A failure of another kind is for this round only, as with client-go. */
static void other_failures_are_for_this_round(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_begin(&scene, true);
    kin_test_pull_fail(kin_test_await_stream(&scene, 0, ""),
                       &(kin_test_failure_of){.code = KIN_ESERVER, .http_status = 503}, false);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "a:1");
    expire_watch(&scene, 2, "10", 800);
    kin_test_await_stream(&scene, 3, "10");
    kin_test_scene_done(&scene);
}

/* The end never comes, and nothing else does: after 30 s without an event it is listed. */
static void an_end_that_never_comes_is_not_waited_for(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_advance_ms(&scene, 20000);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    kin_test_advance_ms(&scene, 29999);
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(kin_test_source_count(scene.source), 1);
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_STREAMING);
    kin_test_advance_ms(&scene, 1);
    kin_test_pull_await_cancel(op);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "c:3");
    kin_test_expect_store(&scene, "c:3");
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2"), KIN_ECANCELED);
    assert_int_equal(kin_test_errors(&scene), 0);
    /* Nor is it tried for a while. */
    expire_watch(&scene, 2, "10", 800);
    kin_test_pull_list(kin_test_await_list(&scene, 3, "10"), "11", "");
    kin_test_await_watch(&scene, 4, "11");
    kin_test_advance_ms(&scene, 600 * 1000);
    expire_watch(&scene, 4, "11", 800);
    kin_test_await_stream(&scene, 5, "11");
    kin_test_scene_done(&scene);
}

/* Nor is it if other things come all the time: bookmarks, and changes that follow the initial events. */
static void what_follows_an_end_is_not_waited_for_either(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_advance_ms(&scene, 20000);
    kin_test_pull_bookmark(op, "9", false);
    kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:2");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:3");
    kin_test_advance_ms(&scene, 10000);
    kin_test_pull_await_cancel(op);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "c:3");
    kin_test_expect_store(&scene, "c:3");
    kin_test_scene_done(&scene);
}

/* The stream ends without its end, twice: then it is listed. What had come is forgotten each time. */
static void a_stream_that_ends_without_its_end_is_tried_once_more(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    kin_test_pull_event(op, KIN_WATCH_DELETED, "a:1");
    kin_test_pull_close(op);
    op = kin_test_await_stream(&scene, 1, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    kin_test_pull_close(op);
    kin_test_pull_list(kin_test_await_list(&scene, 2, "0"), "10", "c:3");
    kin_test_expect_store(&scene, "c:3");
    assert_int_equal(kin_test_status(&scene).retries, 0);
    kin_test_scene_done(&scene);
}

static void a_second_stream_can_be_complete(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    kin_test_pull_close(op);
    op = kin_test_await_stream(&scene, 1, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    kin_test_pull_bookmark(op, "10", true);
    kin_test_expect_store(&scene, "b:2");
    kin_test_scene_done(&scene);
}

/* The last version has expired: the newest; and if that has expired, a list. */
static void a_version_that_has_expired_is_not_asked_for_again(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_bookmark(op, "10", true);
    kin_test_pull_error_event(op, &expired);
    kin_test_pass_delay(&scene, 800);
    kin_test_pull_fail(kin_test_await_stream(&scene, 1, "10"), &expired, false);
    kin_test_pull_fail(kin_test_await_stream(&scene, 2, ""), &expired, false);
    kin_test_pull_fail(kin_test_await_list(&scene, 3, ""), &expired, false);
    kin_test_pull_list(kin_test_await_list(&scene, 4, ""), "20", "a:1");
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

/* What cannot be part of the list is held, but not without end: then it is listed. */
static void not_any_number_of_events_is_held(void **state)
{
    const kin_object *pod = kin_test_pod("a:2");
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    hold(op, pod);
    assert_code(kin_test_pull_event_object(op, KIN_WATCH_MODIFIED, pod), KIN_ELIMIT);
    kin_object_unref(pod);
    kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_ELIMIT}, true);
    kin_test_pass_delay(&scene, 800);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "b:3");
    kin_test_expect_store(&scene, "b:3");
    assert_int_equal(kin_test_status(&scene).streams, 0);
    assert_int_equal(kin_test_status(&scene).fallbacks, 0);
    assert_non_null(strstr(kin_test_status(&scene).last_error.message, "does not come to its end"));
    kin_test_scene_done(&scene);
}

/* As many as are allowed, and the end. */
static void as_many_as_are_held_are_put(void **state)
{
    const kin_object *pod = kin_test_pod("a:2");
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    hold(op, pod);
    kin_object_unref(pod);
    assert_code(kin_test_pull_bookmark(op, "10", true), 0);
    kin_test_expect_store(&scene, "a:2");
    assert_int_equal(kin_test_status(&scene).streams, 1);
    kin_test_scene_done(&scene);
}

/* The store does not take it: a list, which may be taken. */
static void a_stream_that_the_store_refuses_is_listed(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    op = begin(&scene);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
    kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:2");
    scene.put_code = KIN_ENOMEM;
    assert_code(kin_test_pull_bookmark(op, "10", true), KIN_ENOMEM);
    scene.put_code = 0;
    kin_test_pull_close(op);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "a:2");
    kin_test_expect_store(&scene, "a:2");
    assert_int_equal(kin_test_status(&scene).streams, 0);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_list_and_watch),
        cmocka_unit_test(the_end_has_to_be_true),
        cmocka_unit_test(changes_before_the_end_count),
        cmocka_unit_test(never_means_never_and_always_always),
        cmocka_unit_test(what_a_server_does_not_have_is_not_asked_for),
        cmocka_unit_test(other_failures_are_for_this_round),
        cmocka_unit_test(an_end_that_never_comes_is_not_waited_for),
        cmocka_unit_test(what_follows_an_end_is_not_waited_for_either),
        cmocka_unit_test(a_stream_that_ends_without_its_end_is_tried_once_more),
        cmocka_unit_test(a_second_stream_can_be_complete),
        cmocka_unit_test(a_version_that_has_expired_is_not_asked_for_again),
        cmocka_unit_test(not_any_number_of_events_is_held),
        cmocka_unit_test(as_many_as_are_held_are_put),
        cmocka_unit_test(a_stream_that_the_store_refuses_is_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
