/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors: what is asked for, what reaches the store, and life.
 */
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "child.h"
#include "informer/reflector.h"
#include "reflector_support.h"

static void lists_and_then_watches(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await_list(&scene, 0, "0");
    assert_int_equal(op->limit, 500);
    assert_string_equal(op->token, "");
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_LISTING);
    kin_test_expect_store(&scene, "");
    kin_test_pull_list(op, "10", "a:1 b:2");
    op = kin_test_await_watch(&scene, 1, "10");
    kin_test_expect_store(&scene, "a:1 b:2");
    kin_test_expect_version(&scene, "10");
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "c:11"), 0);
    assert_code(kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12"), 0);
    assert_code(kin_test_pull_event(op, KIN_WATCH_DELETED, "b:13"), 0);
    kin_test_expect_store(&scene, "a:12 c:11");
    kin_test_expect_version(&scene, "13");
    assert_code(kin_test_pull_bookmark(op, "20", false), 0);
    kin_test_expect_version(&scene, "20");
    assert_string_equal(scene.bookmark, "20");

    kin_reflector_status status = kin_test_status(&scene);

    assert_int_equal(status.state, KIN_REFLECTOR_WATCHING);
    assert_int_equal(status.lists, 1);
    assert_int_equal(status.watches, 1);
    assert_int_equal(status.events, 3);
    assert_int_equal(status.bookmarks, 1);
    assert_int_equal(status.relists, 0);
    assert_int_equal(status.last_error.code, 0);
    assert_string_equal(status.resource_version, "20");
    kin_test_scene_done(&scene);
}

/* Minutes are random in [min, 2 min), and another time for each watch. */
static void watches_last_a_while_by_chance(void **state)
{
    static const struct {
        int64_t option;
        int64_t min;
    } cases[] = {{0, 300000}, {1000, 300000}, {600000, 600000}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_scene scene;
        int64_t seen = 0;

        kin_test_scene_init(&scene, false);
        scene.options.min_watch_timeout_ms = cases[i].option;
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        kin_test_pull_list(kin_test_await(&scene, 0), "1", "");
        for (size_t n = 1; n < 20; n++) {
            kin_test_pull *op = kin_test_await_watch(&scene, n, "1");

            assert_true(op->watch_timeout_ms >= cases[i].min);
            assert_true(op->watch_timeout_ms < 2 * cases[i].min);
            assert_true(op->watch_timeout_ms != seen);
            seen = op->watch_timeout_ms;
            kin_test_advance_ms(&scene, 1000);
            kin_test_pull_close(op);
        }
        assert_int_equal(kin_test_status(&scene).lists, 1);
        kin_test_scene_done(&scene);
    }
}

/* --- pages --- */

static void a_list_comes_in_pages(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await_list(&scene, 0, "0");
    kin_test_pull_item(op, "a:1");
    kin_test_pull_list_done(op, "10", "t1");
    op = kin_test_await_list(&scene, 1, "");
    assert_string_equal(op->token, "t1");
    assert_int_equal(op->limit, 500);
    assert_int_equal(kin_test_status(&scene).listed, 1);
    kin_test_pull_item(op, "b:2");
    kin_test_pull_list_done(op, "11", "t2");
    op = kin_test_await_list(&scene, 2, "");
    assert_string_equal(op->token, "t2");
    kin_test_expect_store(&scene, "");
    assert_int_equal(kin_test_status(&scene).listed, 2);
    kin_test_pull_list_done(op, "12", NULL);
    /* The version is the first page's: the others may be of later ones. */
    op = kin_test_await_watch(&scene, 3, "10");
    kin_test_expect_store(&scene, "a:1 b:2");
    assert_int_equal(kin_test_status(&scene).listed, 0);
    /* The server has no cache to spare: relists keep their pages. */
    kin_test_pull_error_event(
        op, &(kin_test_failure_of){.code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"});
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 4, "10");
    assert_int_equal(op->limit, 500);
    assert_string_equal(op->match, "NotOlderThan");
    kin_test_scene_done(&scene);
}

/* A list at a version is read from the server's cache, which knows no pages. */
static void a_relist_has_no_pages(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1");
    kin_test_pull_close(kin_test_await_watch(&scene, 1, "10"));
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 2, "10");
    assert_int_equal(op->limit, 0);
    assert_string_equal(op->match, "");
    kin_test_scene_done(&scene);
}

static void an_explicit_page_size_counts_always(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.page_size = 4;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await_list(&scene, 0, "0");
    assert_int_equal(op->limit, 4);
    assert_string_equal(op->match, "");
    kin_test_pull_list(op, "10", "");
    kin_test_pull_close(kin_test_await_watch(&scene, 1, "10"));
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 2, "10");
    assert_int_equal(op->limit, 4);
    /* Or a server gives the very version that was too old for the watch. */
    assert_string_equal(op->match, "NotOlderThan");
    kin_test_pull_item(op, "a:1");
    kin_test_pull_list_done(op, "20", "t1");
    op = kin_test_await_list(&scene, 3, "");
    assert_string_equal(op->match, "");
    kin_test_scene_done(&scene);
}

static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

/* The second page is of a version that is gone: all at once, and nothing of the first is left. */
static void a_page_that_has_expired_leads_to_a_full_list(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await_list(&scene, 0, "0");
    kin_test_pull_item(op, "gone:1");
    kin_test_pull_list_done(op, "10", "t1");
    kin_test_pull_fail(kin_test_await_list(&scene, 1, ""), &expired, false);
    op = kin_test_await_list(&scene, 2, "0");
    assert_int_equal(op->limit, 0);
    assert_string_equal(op->token, "");
    kin_test_pull_list(op, "20", "a:1");
    kin_test_await_watch(&scene, 3, "20");
    kin_test_expect_store(&scene, "a:1");
    assert_int_equal(kin_test_errors(&scene), 0);
    kin_test_scene_done(&scene);
}

static void a_page_that_leads_to_itself_is_an_error(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list_done(kin_test_await(&scene, 0), "10", "t1");
    kin_test_pull_list_done(kin_test_await(&scene, 1), "10", "t1");
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_EPROTOCOL);
    assert_int_equal(kin_test_errors(&scene), 1);
    kin_test_scene_done(&scene);
}

/* A list that fails on its second page changes nothing. */
static void a_list_that_fails_changes_nothing(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2");
    kin_test_pull_close(kin_test_await(&scene, 1));
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 2, "10");
    kin_test_pull_item(op, "c:3");
    kin_test_pull_list_done(op, "20", "t1");
    op = kin_test_await(&scene, 3);
    kin_test_pull_item(op, "d:4");
    kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_EDENIED, .http_status = 403}, false);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_status(&scene).listed, 0);
    kin_test_expect_store(&scene, "a:1 b:2");
    kin_test_expect_version(&scene, "10");
    kin_test_scene_done(&scene);
}

static const kin_test_failure_of busy = {
    .code = KIN_ESERVER, .http_status = 429, .retry_after_ms = 3600 * 1000};

/* A list whose second page is refused goes on with that page. */
static void a_page_that_fails_is_asked_for_again(void **state)
{
    static const kin_test_failure_of lost = {.code = KIN_ECONNECT};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await_list(&scene, 0, "0");
    kin_test_pull_item(op, "a:1");
    kin_test_pull_list_done(op, "10", "t1");
    kin_test_pull_fail(kin_test_await_list(&scene, 1, ""), &busy, false);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_status(&scene).last_error.http_status, 429);
    assert_int_equal(kin_test_status(&scene).listed, 1);
    assert_int_equal(kin_test_errors(&scene), 1);
    kin_test_pass_delay(&scene, 30000);
    op = kin_test_await_list(&scene, 2, "");
    assert_string_equal(op->token, "t1");
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_LISTING);
    /* The connection is lost in the midst of it: its objects come again, and count once. */
    kin_test_pull_item(op, "b:2");
    assert_int_equal(kin_test_status(&scene).listed, 2);
    kin_test_pull_fail(op, &lost, true);
    kin_test_pass_delay(&scene, 1600);
    op = kin_test_await_list(&scene, 3, "");
    assert_string_equal(op->token, "t1");
    assert_int_equal(kin_test_status(&scene).listed, 1);
    kin_test_pull_item(op, "b:2");
    kin_test_pull_item(op, "c:3");
    kin_test_pull_list_done(op, "10", NULL);
    kin_test_await_watch(&scene, 4, "10");
    kin_test_expect_store(&scene, "a:1 b:2 c:3");
    assert_int_equal(kin_test_status(&scene).lists, 1);
    assert_int_equal(kin_test_status(&scene).relists, 0);
    kin_test_scene_done(&scene);
}

/* After ten failures of the same page the list restarts. */
static void a_page_is_not_asked_for_for_ever(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.backoff_max_ms = 800;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await_list(&scene, 0, "0");
    kin_test_pull_item(op, "gone:1");
    kin_test_pull_list_done(op, "10", "t1");
    for (size_t i = 1; i <= 10; i++) {
        op = kin_test_await_list(&scene, i, "");
        assert_string_equal(op->token, "t1");
        kin_test_pull_fail(op, &busy, false);
        kin_test_pass_delay(&scene, 800);
    }
    op = kin_test_await_list(&scene, 11, "0");
    assert_string_equal(op->token, "");
    kin_test_pull_list(op, "20", "a:1");
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

/* --- sources that break the rules --- */

/* The next operation, after the delay that follows a failure. */
static kin_test_pull *await_retry(kin_test_scene *scene, size_t index)
{
    kin_test_await_state(scene, KIN_REFLECTOR_BACKING_OFF);
    assert_code(kin_test_status(scene).last_error.code, KIN_EINVAL);
    assert_int_equal(kin_test_errors(scene), index);
    kin_test_advance_ms(scene, 60000);
    return kin_test_await(scene, index);
}

static void a_list_with_null_fails(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await(&scene, 0);
    kin_test_pull_item(op, "a:1");
    assert_code(kin_test_pull_item_object(op, NULL), KIN_EINVAL);
    /* The source pays no attention. */
    kin_test_pull_list_done(op, "10", NULL);
    op = await_retry(&scene, 1);
    assert_true(op->is_list);
    kin_test_expect_store(&scene, "");
    assert_code(op->handlers.bad((enum kin_watch_type)0, kin_str_of("default/x"), NULL,
                                 op->handlers.arg, NULL),
                KIN_EINVAL);
    kin_test_pull_list_done(op, "10", NULL);
    op = await_retry(&scene, 2);
    kin_test_pull_end(op, 7, NULL, NULL, false);
    kin_test_pull_list(await_retry(&scene, 3), "10", "a:1");
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

static void an_event_that_does_not_exist_fails_the_watch(void **state)
{
    static const struct {
        int type;
        bool has_object;
    } cases[] = {
        {KIN_WATCH_ADDED, false},    {KIN_WATCH_MODIFIED, false},
        {KIN_WATCH_DELETED, false},  {KIN_WATCH_ERROR, false},
        {KIN_WATCH_BOOKMARK, false}, {0, true},
        {KIN_WATCH_ERROR + 1, true}, {-1, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_scene scene;
        kin_test_pull *op;
        const kin_object *pod = cases[i].has_object ? kin_test_pod("a:11") : NULL;

        kin_test_scene_begin(&scene, false);
        kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
        op = kin_test_await_watch(&scene, 1, "10");
        assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:11"), 0);
        assert_code(kin_test_pull_event_object(op, (enum kin_watch_type)cases[i].type, pod),
                    KIN_EINVAL);
        kin_test_pull_close(op);
        kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
        assert_code(kin_test_status(&scene).last_error.code, KIN_EINVAL);
        kin_test_expect_store(&scene, "a:1 b:11");
        kin_test_expect_version(&scene, "11");
        kin_object_unref(pod);
        kin_test_scene_done(&scene);
    }
}

/* --- objects that cannot be used --- */

static void objects_of_another_kind_are_skipped(void **state)
{
    static const char *const strangers[] = {
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"x\","
        "\"resourceVersion\":\"90\"}}",
        "{\"apiVersion\":\"v2\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\","
        "\"resourceVersion\":\"91\"}}",
        "{\"apiVersion\":\"meta.k8s.io/v1\",\"kind\":\"Table\",\"metadata\":{\"name\":\"x\","
        "\"resourceVersion\":\"92\"}}",
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"93\"}}",
    };
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.api_version = "v1";
    scene.options.kind = "Pod";
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await(&scene, 0);
    for (size_t i = 0; i < 3; i++) {
        const kin_object *object = kin_test_json(strangers[i]);

        assert_code(kin_test_pull_item_object(op, object), 0);
        kin_object_unref(object);
    }
    kin_test_pull_list(op, "10", "a:1");
    op = kin_test_await(&scene, 1);
    kin_test_expect_store(&scene, "a:1");
    for (size_t i = 0; i < 4; i++) {
        const kin_object *object = kin_test_json(strangers[i]);

        assert_code(kin_test_pull_event_object(op, KIN_WATCH_ADDED, object), 0);
        kin_object_unref(object);
    }
    kin_test_expect_version(&scene, "10");
    assert_int_equal(kin_test_status(&scene).skipped, 7);
    assert_int_equal(kin_test_status(&scene).events, 0);
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:94"), 0);
    kin_test_expect_store(&scene, "a:1 b:94");
    kin_test_scene_done(&scene);
}

/* Without an expectation everything is taken but Tables and what has no name. */
static void tables_are_skipped_without_an_expectation(void **state)
{
    const kin_object *table = kin_test_json(
        "{\"apiVersion\":\"meta.k8s.io/v1\",\"kind\":\"Table\",\"metadata\":{\"name\":\"x\"}}");
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event_object(op, KIN_WATCH_ADDED, table), 0);
    kin_object_unref(table);
    assert_int_equal(kin_test_status(&scene).skipped, 1);
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

static void a_table_instead_of_a_list_is_an_error(void **state)
{
    kin_error none = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), 0, &none, NULL, NULL, true, 0};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await(&scene, 0);
    result.object = kin_test_json("{\"apiVersion\":\"meta.k8s.io/v1\",\"kind\":\"Table\","
                                  "\"metadata\":{\"resourceVersion\":\"5\"}}");
    op->handlers.done(&result, op->handlers.arg);
    kin_object_unref(result.object);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_EPROTOCOL);
    assert_int_equal(kin_test_status(&scene).lists, 0);
    kin_test_scene_done(&scene);
}

/* --- versions --- */

/* A watch from nowhere begins with what there is, in any order: versions of these do not count. */
static void versions_of_what_was_there_do_not_count(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "", "");
    op = kin_test_await_watch(&scene, 1, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:30");
    kin_test_expect_version(&scene, "");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:20");
    kin_test_expect_version(&scene, "");
    kin_test_pull_bookmark(op, "31", false);
    kin_test_expect_version(&scene, "31");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "c:32");
    kin_test_expect_version(&scene, "32");
    kin_test_expect_store(&scene, "a:30 b:20 c:32");
    kin_test_scene_done(&scene);
}

/* An object without a version says nothing of how far we are. */
static void an_object_without_a_version_leaves_the_last(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "");
    op = kin_test_await(&scene, 1);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a");
    kin_test_expect_version(&scene, "10");
    kin_test_pull_event(op, KIN_WATCH_ADDED, "b:11");
    kin_test_expect_version(&scene, "11");
    kin_test_scene_done(&scene);
}

static void a_warm_start_begins_with_the_watch(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_init(&scene, true);
    scene.options.resource_version = "77";
    kin_test_scene_make(&scene);
    kin_test_expect_version(&scene, "77");
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    op = kin_test_await_watch(&scene, 0, "77");
    /* That it stands says that what the store has still counts. */
    assert_code(kin_test_pull_begun(op), 0);
    pthread_mutex_lock(&scene.lock);
    assert_string_equal(scene.bookmark, "77");
    pthread_mutex_unlock(&scene.lock);
    kin_test_pull_event(op, KIN_WATCH_ADDED, "a:78");
    kin_test_expect_store(&scene, "a:78");
    kin_test_pull_error_event(op, &expired);
    kin_test_pass_delay(&scene, 800);
    kin_test_await_stream(&scene, 1, "78");
    kin_test_scene_done(&scene);
}

/* Once, and without a delay: nothing is wrong with the server. */
static void a_warm_start_that_is_too_old_lists_at_once(void **state)
{
    static const kin_test_failure_of too_large = {.code = KIN_ETIMEOUT,
                                                  .http_status = 504,
                                                  .reason = "Timeout",
                                                  .cause = "ResourceVersionTooLarge"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        kin_test_scene scene;
        kin_test_pull *op;

        kin_test_scene_init(&scene, false);
        scene.options.resource_version = "77";
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        op = kin_test_await_watch(&scene, 0, "77");
        if (i == 0) {
            kin_test_pull_fail(op, &expired, false);
        } else {
            assert_code(kin_test_pull_begun(op), 0);
            kin_test_pull_error_event(op, i == 1 ? &expired : &too_large);
        }
        op = kin_test_await_list(&scene, 1, "77");
        assert_int_equal(kin_test_status(&scene).retries, 0);
        assert_int_equal(kin_test_errors(&scene), 0);
        kin_test_pull_list(op, "100", "a:90");
        kin_test_expect_store(&scene, "a:90");
        /* From here on it is as any other. */
        kin_test_pull_error_event(kin_test_await_watch(&scene, 2, "100"), &expired);
        kin_test_pass_delay(&scene, 800);
        kin_test_await_list(&scene, 3, "100");
        kin_test_scene_done(&scene);
    }
}

/* --- life --- */

static void can_be_started_again(void **state)
{
    static const kin_reflector_state expected[] = {KIN_REFLECTOR_LISTING,  KIN_REFLECTOR_WATCHING,
                                                   KIN_REFLECTOR_STOPPED,  KIN_REFLECTOR_LISTING,
                                                   KIN_REFLECTOR_WATCHING, KIN_REFLECTOR_STOPPED};
    kin_test_scene scene;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_scene_begin(&scene, false);
    assert_code(kin_reflector_start(scene.reflector, &err), KIN_EBUSY);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_pull_event(kin_test_await(&scene, 1), KIN_WATCH_ADDED, "b:11");
    kin_test_stop(&scene);
    kin_test_pull_await_cancel(kin_test_await(&scene, 1));
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await_list(&scene, 2, "11"), "20", "c:20");
    kin_test_await_watch(&scene, 3, "20");
    kin_test_expect_store(&scene, "c:20");
    assert_int_equal(kin_test_status(&scene).relists, 0);
    kin_test_stop(&scene);
    assert_int_equal(scene.n_states, 6);
    assert_memory_equal(scene.states, expected, sizeof(expected));
    kin_test_scene_done(&scene);
}

/* What a cancelled operation calls back for, however late, does not count; nor does a second end. */
static void late_callbacks_are_ignored(void **state)
{
    kin_test_scene scene;
    kin_test_pull *list;
    kin_test_pull *watch;

    (void)state;
    kin_test_scene_begin(&scene, false);
    list = kin_test_await(&scene, 0);
    kin_test_pull_item(list, "a:1");
    kin_test_stop(&scene);
    assert_code(kin_test_pull_item(list, "b:2"), KIN_ECANCELED);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await_list(&scene, 1, "0");
    assert_code(kin_test_pull_item(list, "b:2"), KIN_ECANCELED);
    kin_test_pull_list_done(list, "99", NULL);
    assert_int_equal(kin_test_source_count(scene.source), 2);
    kin_test_pull_list(kin_test_await(&scene, 1), "10", "c:3");
    watch = kin_test_await_watch(&scene, 2, "10");
    kin_test_expect_store(&scene, "c:3");
    kin_test_stop(&scene);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "d:4"), KIN_ECANCELED);
    kin_test_expect_store(&scene, "c:3");
    kin_test_expect_version(&scene, "10");
    kin_test_scene_done(&scene);
}

static void a_second_end_is_ignored(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    kin_result result = {sizeof(result), 0, NULL, NULL, NULL, true, 0};

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await(&scene, 1);
    kin_test_advance_ms(&scene, 1000);
    op->handlers.done(&result, op->handlers.arg);
    kin_test_await_watch(&scene, 2, "10");
    kin_test_pull_done_again(op);
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2"), KIN_ECANCELED);
    assert_int_equal(kin_test_source_count(scene.source), 3);
    kin_test_scene_done(&scene);
}

/* All is called back before the operation was handed out. */
static int answer_at_once(kin_test_pull *op, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    if (op->is_list)
        kin_test_pull_list(op, "10", "a:1 b:2");
    else if (op->index == 1)
        kin_test_pull_event(op, KIN_WATCH_ADDED, "c:11");
    return 0;
}

static void callbacks_may_come_before_the_operation(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    kin_test_source_on_begin(scene.source, answer_at_once, NULL);
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await_watch(&scene, 1, "10");
    kin_test_expect_store(&scene, "a:1 b:2 c:11");
    kin_test_stop(&scene);
    kin_test_scene_done(&scene);
}

static int refuse_twice(kin_test_pull *op, void *arg, kin_error *err)
{
    (void)arg;
    return op->index < 2 ? kin_error_set(err, KIN_ECLOSED, "not yet") : 0;
}

static void an_operation_that_cannot_be_begun_is_tried_again(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    kin_test_source_on_begin(scene.source, refuse_twice, NULL);
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pass_delay(&scene, 800);
    kin_test_pass_delay(&scene, 1600);
    kin_test_pull_list(kin_test_await_list(&scene, 2, "0"), "10", "a:1");
    kin_test_expect_store(&scene, "a:1");
    assert_int_equal(kin_test_errors(&scene), 2);
    kin_test_scene_done(&scene);
}

static void waiting_has_a_deadline(void **state)
{
    kin_test_scene scene;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_scene_init(&scene, false);
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_wait(scene.reflector, -1, NULL), 0);
    kin_reflector_stop(scene.reflector);
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_IDLE);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await(&scene, 0);
    assert_code(kin_reflector_wait(scene.reflector, 0, &err), KIN_ETIMEOUT);
    kin_test_scene_done(&scene);
}

static void *run_it(void *arg)
{
    static int code;

    code = kin_reflector_run(((kin_test_scene *)arg)->reflector, NULL);
    return &code;
}

static void runs_until_it_is_stopped(void **state)
{
    kin_test_scene scene;
    pthread_t thread;
    void *code = NULL;

    (void)state;
    kin_test_scene_init(&scene, false);
    kin_test_scene_make(&scene);
    assert_int_equal(pthread_create(&thread, NULL, run_it, &scene), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_reflector_run(scene.reflector, NULL), KIN_EBUSY);
    kin_reflector_stop(scene.reflector);
    assert_int_equal(pthread_join(thread, &code), 0);
    assert_code(*(int *)code, 0);
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

static int use_in_child(void *arg)
{
    kin_test_scene *scene = arg;
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    kin_reflector_stop(scene->reflector);
    if (kin_reflector_start(scene->reflector, NULL) != KIN_EFORKED ||
        kin_reflector_wait(scene->reflector, -1, NULL) != KIN_EFORKED ||
        kin_reflector_get_status(scene->reflector, &status, NULL) != KIN_EFORKED ||
        kin_reflector_last_version(scene->reflector, NULL, 0) != 0)
        return 1;
    kin_reflector_free(scene->reflector);
    return 0;
}

static void is_dead_in_a_forked_child(void **state)
{
    kin_test_scene scene;
    kin_test_child child;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    kin_test_run_child(&child, use_in_child, &scene);
    assert_int_equal(child.exit_code, 0);
    kin_test_scene_done(&scene);
}

/* --- while a change is inside the store --- */

static void *add_one(void *arg)
{
    kin_test_pull_event(arg, KIN_WATCH_ADDED, "slow:11");
    return NULL;
}

/* The operation is cancelled at once; what follows waits for the store, and nothing blocks. */
static void a_resync_that_fails_waits_for_the_store(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    pthread_t thread;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.resync_ms = 1000;
    scene.resync_code = KIN_ESYSTEM;
    scene.blocks = true;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_int_equal(pthread_create(&thread, NULL, add_one, op), 0);
    kin_test_latch_wait(&scene.inside, 1);
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_advance_ms(&scene, 1000);
    kin_test_pull_await_cancel(op);
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_WATCHING);
    kin_test_latch_raise(&scene.let_go);
    assert_int_equal(pthread_join(thread, NULL), 0);
    kin_test_pass_delay(&scene, 800);
    kin_test_await_list(&scene, 2, "11");
    kin_test_expect_store(&scene, "a:1 slow:11");
    kin_test_scene_done(&scene);
}

static void the_end_waits_for_the_store(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    pthread_t thread;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.blocks = true;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_int_equal(pthread_create(&thread, NULL, add_one, op), 0);
    kin_test_latch_wait(&scene.inside, 1);
    kin_reflector_stop(scene.reflector);
    kin_test_pull_await_cancel(op);
    assert_code(kin_reflector_wait(scene.reflector, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_reflector_start(scene.reflector, NULL), KIN_EBUSY);
    kin_test_latch_raise(&scene.let_go);
    assert_code(kin_reflector_wait(scene.reflector, -1, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    kin_test_expect_store(&scene, "a:1 slow:11");
    kin_test_scene_done(&scene);
}

/* The workers are gone: whoever comes next ends it, in its own thread. */
static void ends_without_workers(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        kin_test_scene scene;
        kin_test_pull *op;

        kin_test_scene_begin(&scene, false);
        op = kin_test_await(&scene, 0);
        kin__workers_stop(kin__shared_workers_pool(scene.reflector->shared_workers),
                          KIN__WORKERS_RUN);
        assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_LISTING);
        if (how == 0)
            kin_test_pull_list(op, "10", "a:1");
        else
            kin_reflector_stop(scene.reflector);
        assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_STOPPED);
        assert_code(kin_reflector_wait(scene.reflector, 0, NULL), 0);
        assert_int_equal(kin_test_source_count(scene.source), 1);
        kin_test_scene_done(&scene);
    }
}

/* --- from within --- */

static struct {
    kin_test_scene *scene;
    int waited;
    bool frees;
} inside;

static void stop_from_within(kin_reflector *reflector, const kin_reflector_status *status,
                             void *arg)
{
    (void)arg;
    if (status->state != KIN_REFLECTOR_WATCHING)
        return;
    inside.waited = kin_reflector_wait(reflector, -1, NULL);
    if (inside.frees) {
        kin_reflector_free(reflector);
        return;
    }
    kin_reflector_stop(reflector);
}

static void is_stopped_by_its_own_callback(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.status = stop_from_within;
    kin_test_scene_make(&scene);
    inside.frees = false;
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    assert_code(kin_reflector_wait(scene.reflector, -1, NULL), 0);
    assert_int_equal(inside.waited, KIN_EBUSY);
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

static void raise_end(void *arg)
{
    kin_test_latch_raise(arg);
}

/* Its memory, and what the functions were given, goes when the source has let go of it, too. */
static void is_freed_by_its_own_callback(void **state)
{
    kin_test_scene scene;
    kin_test_latch gone;

    (void)state;
    kin_test_latch_init(&gone);
    kin_test_scene_init(&scene, false);
    scene.options.status = stop_from_within;
    scene.options.should_resync = NULL;
    scene.options.error = NULL;
    scene.options.arg = &gone;
    scene.options.arg_free = raise_end;
    kin_test_scene_make(&scene);
    inside.frees = true;
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    scene.reflector = NULL;
    kin_test_source_free(scene.source);
    kin_test_latch_wait(&gone, 1);
    scene.source = kin_test_source_new(false);
    kin_test_scene_done(&scene);
    kin_test_latch_done(&gone);
}

/* --- arguments --- */

static void wrong_arguments_are_refused(void **state)
{
    kin_reflector_options bad[] = {
        KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT,
        KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT,
        KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT, KIN_REFLECTOR_OPTIONS_INIT};
    kin_reflector_store lacking = KIN_REFLECTOR_STORE_INIT;
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 2] = "";
    kin_list_watch *source;
    kin_reflector *reflector = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    source = kin_test_source_list_watch(scene.source);
    bad[0].size = 0;
    bad[1].page_size = -1;
    bad[2].resync_ms = -1;
    bad[3].backoff_factor = 0.5;
    bad[4].backoff_max_ms = INT64_MAX;
    bad[5].streaming_lists = (kin_streaming_lists)7;
    bad[6].backoff_jitter = __builtin_nan("");
    bad[7].list_timeout_ms = -2;
    bad[8].resource_version = "0";
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_code(kin_reflector_new(&reflector, source, &scene.into, &bad[i], &err), KIN_EINVAL);
        assert_true(err.message[0] != '\0');
    }
    memset(version, '1', sizeof(version) - 1);
    bad[8].resource_version = version;
    assert_code(kin_reflector_new(&reflector, source, &scene.into, &bad[8], &err), KIN_ELIMIT);
    assert_code(kin_reflector_new(&reflector, source, &lacking, NULL, &err), KIN_EINVAL);
    lacking.size = 0;
    assert_code(kin_reflector_new(&reflector, source, &lacking, NULL, &err), KIN_EINVAL);
    assert_code(kin_reflector_new(NULL, source, &scene.into, NULL, &err), KIN_EINVAL);
    assert_code(kin_reflector_new(&reflector, NULL, &scene.into, NULL, &err), KIN_EINVAL);
    assert_code(kin_reflector_new(&reflector, source, NULL, NULL, &err), KIN_EINVAL);
    assert_null(reflector);
    assert_code(kin_reflector_start(NULL, &err), KIN_EINVAL);
    assert_code(kin_reflector_wait(NULL, 0, &err), KIN_EINVAL);
    assert_code(kin_reflector_run(NULL, &err), KIN_EINVAL);
    assert_code(kin_reflector_get_status(NULL, &status, &err), KIN_EINVAL);
    assert_int_equal(kin_reflector_last_version(NULL, NULL, 0), 0);
    kin_reflector_stop(NULL);
    kin_reflector_free(NULL);
    assert_code(kin_reflector_new(&reflector, source, &scene.into, NULL, &err), 0);
    assert_string_equal(kin_reflector_name(reflector), "reflector");
    status.size = 0;
    assert_code(kin_reflector_get_status(reflector, &status, &err), KIN_EINVAL);
    kin_reflector_free(reflector);
    kin_test_scene_done(&scene);
    assert_string_equal(kin_reflector_state_name(KIN_REFLECTOR_BACKING_OFF), "backing off");
    assert_string_equal(kin_reflector_state_name((kin_reflector_state)99), "?");
}

/* --- silence --- */

static void begin_with_bookmarks(kin_test_scene *scene, int64_t timeout_ms)
{
    kin_test_scene_init(scene, false);
    scene->options.bookmark_timeout_ms = timeout_ms;
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
    kin_test_pull_list(kin_test_await_list(scene, 0, "0"), "10", "a:1");
}

static void a_watch_whose_bookmarks_stop_is_resumed(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin_with_bookmarks(&scene, 150000);
    op = kin_test_await_watch(&scene, 1, "10");
    /* Nothing is expected before the first bookmark. */
    kin_test_advance_ms(&scene, 3600 * 1000);
    assert_code(kin_test_pull_bookmark(op, "20", false), 0);
    kin_test_advance_ms(&scene, 134999);
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:21"), 0);
    kin_test_advance_ms(&scene, 134999);
    assert_true(kin_test_pull_is_open(op));
    kin_test_advance_ms(&scene, 15001);
    kin_test_pull_await_cancel(op);
    op = kin_test_await_watch(&scene, 2, "21");
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_ETIMEOUT);
    assert_int_equal(kin_test_status(&scene).relists, 0);
    /* The next one has to bring some, too. */
    kin_test_advance_ms(&scene, 150000);
    kin_test_pull_await_cancel(op);
    kin_test_await_watch(&scene, 3, "21");
    kin_test_scene_done(&scene);
}

static void silence_is_no_failure_where_bookmarks_are_not_expected(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    for (int64_t timeout_ms = -1; timeout_ms <= 0; timeout_ms++) {
        begin_with_bookmarks(&scene, timeout_ms);
        op = kin_test_await_watch(&scene, 1, "10");
        assert_code(kin_test_pull_bookmark(op, "20", false), 0);
        kin_test_advance_ms(&scene, 3600 * 1000);
        assert_code(kin_test_pull_bookmark(op, "21", false), 0);
        assert_true(kin_test_pull_is_open(op));
        kin_test_scene_done(&scene);
    }
}

static void a_list_is_limited_by_its_progress(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    op = kin_test_await_list(&scene, 0, "0");
    assert_int_equal(op->timeout_ms, -1);
    assert_int_equal(op->progress_timeout_ms, 300000);
    kin_test_scene_done(&scene);
}

static void await_doubt(kin_test_scene *scene, bool in_doubt)
{
    unsigned n = kin_test_latch_count(&scene->moved);

    while (kin_test_status(scene).in_doubt != in_doubt) {
        kin_test_latch_wait(&scene->moved, n + 1);
        n = kin_test_latch_count(&scene->moved);
    }
}

static void a_doubt_is_reported_until_it_is_over(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    size_t n_states;

    (void)state;
    begin_with_bookmarks(&scene, 0);
    op = kin_test_await_watch(&scene, 1, "10");
    kin_test_await_state(&scene, KIN_REFLECTOR_WATCHING);
    kin_test_advance_ms(&scene, 1000);
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:21"), 0);
    assert_true(kin_test_status(&scene).last_heard == kin_clock_now(scene.clock));
    kin_test_advance_ms(&scene, 30000);
    pthread_mutex_lock(&scene.lock);
    n_states = scene.n_states;
    pthread_mutex_unlock(&scene.lock);
    unsigned moved = kin_test_latch_count(&scene.moved);
    kin_test_pull_doubt(op, true);
    await_doubt(&scene, true);
    kin_test_latch_wait(&scene.moved, moved + 1); /* the status function was called */
    assert_true(kin_test_status(&scene).last_heard < kin_clock_now(scene.clock));
    kin_test_pull_doubt(op, false);
    await_doubt(&scene, false);
    kin_test_latch_wait(&scene.moved, moved + 2);
    pthread_mutex_lock(&scene.lock);
    assert_int_equal(scene.n_states, n_states + 2);
    assert_int_equal(scene.states[n_states], KIN_REFLECTOR_WATCHING);
    pthread_mutex_unlock(&scene.lock);
    /* The end of a watch ends its doubt. */
    kin_test_pull_doubt(op, true);
    await_doubt(&scene, true);
    kin_test_pull_end(op, 0, NULL, NULL, true);
    kin_test_await_watch(&scene, 2, "21");
    await_doubt(&scene, false);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_then_watches),
        cmocka_unit_test(a_watch_whose_bookmarks_stop_is_resumed),
        cmocka_unit_test(silence_is_no_failure_where_bookmarks_are_not_expected),
        cmocka_unit_test(a_list_is_limited_by_its_progress),
        cmocka_unit_test(a_doubt_is_reported_until_it_is_over),
        cmocka_unit_test(watches_last_a_while_by_chance),
        cmocka_unit_test(a_list_comes_in_pages),
        cmocka_unit_test(a_relist_has_no_pages),
        cmocka_unit_test(an_explicit_page_size_counts_always),
        cmocka_unit_test(a_page_that_has_expired_leads_to_a_full_list),
        cmocka_unit_test(a_page_that_leads_to_itself_is_an_error),
        cmocka_unit_test(a_list_that_fails_changes_nothing),
        cmocka_unit_test(a_page_that_fails_is_asked_for_again),
        cmocka_unit_test(a_page_is_not_asked_for_for_ever),
        cmocka_unit_test(a_list_with_null_fails),
        cmocka_unit_test(an_event_that_does_not_exist_fails_the_watch),
        cmocka_unit_test(objects_of_another_kind_are_skipped),
        cmocka_unit_test(tables_are_skipped_without_an_expectation),
        cmocka_unit_test(a_table_instead_of_a_list_is_an_error),
        cmocka_unit_test(versions_of_what_was_there_do_not_count),
        cmocka_unit_test(an_object_without_a_version_leaves_the_last),
        cmocka_unit_test(a_warm_start_begins_with_the_watch),
        cmocka_unit_test(a_warm_start_that_is_too_old_lists_at_once),
        cmocka_unit_test(can_be_started_again),
        cmocka_unit_test(late_callbacks_are_ignored),
        cmocka_unit_test(a_second_end_is_ignored),
        cmocka_unit_test(callbacks_may_come_before_the_operation),
        cmocka_unit_test(an_operation_that_cannot_be_begun_is_tried_again),
        cmocka_unit_test(waiting_has_a_deadline),
        cmocka_unit_test(runs_until_it_is_stopped),
        cmocka_unit_test(is_dead_in_a_forked_child),
        cmocka_unit_test(a_resync_that_fails_waits_for_the_store),
        cmocka_unit_test(the_end_waits_for_the_store),
        cmocka_unit_test(ends_without_workers),
        cmocka_unit_test(is_stopped_by_its_own_callback),
        cmocka_unit_test(is_freed_by_its_own_callback),
        cmocka_unit_test(wrong_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
