/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers over a source that does what the test says: lists, changes, handlers that come and go, stops,
 * and what others wait for. Each test runs with both queues.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "listener_support.h"
#include "source.h"

struct fixture {
    kin_clock *clock;
    kin_test_source *source;
    kin_informer *informer;
    kin_test_handler handler;
    kin_registration *registration;
    kin_test_latch changes; /* the informer has said that its state has changed */
};

static void on_changed(kin_informer *informer, void *arg)
{
    struct fixture *f = arg;

    (void)informer;
    kin_test_latch_raise(&f->changes);
}

static void begin_with(struct fixture *f, kin_informer_options *options)
{
    memset(f, 0, sizeof(*f));
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    f->source = kin_test_source_new(false);
    kin_test_latch_init(&f->changes);
    options->changed = on_changed;
    options->changed_arg = f;
    options->clock = f->clock;
    options->name = "pods";
    options->seed = 1;
    assert_code(
        kin_informer_new_from(&f->informer, kin_test_source_list_watch(f->source), options, NULL),
        0);
    kin_test_handler_init(&f->handler);
}

static void add_handler(struct fixture *f)
{
    assert_code(kin_informer_add_handler(f->informer, &f->registration, kin_test_handle,
                                         &f->handler, NULL, NULL),
                0);
}

static void end(struct fixture *f)
{
    kin_registration_unref(f->registration);
    kin_informer_stop(f->informer);
    for (size_t i = 0; i < kin_test_source_count(f->source); i++)
        kin_test_pull_close(kin_test_source_await(f->source, i));
    kin_informer_free(f->informer);
    kin_test_source_free(f->source);
    kin_test_handler_done(&f->handler);
    kin_test_latch_done(&f->changes);
    kin_clock_unref(f->clock);
}

typedef void test_fn(struct fixture *f);

static void with_each_queue(test_fn *test)
{
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        struct fixture *f = malloc(sizeof(*f));

        options.queue = (kin_informer_queue)queue;
        begin_with(f, &options);
        test(f);
        end(f);
        free(f);
    }
}

/* The first list is there, and the watch behind it has begun. */
static kin_test_pull *start(struct fixture *f, const char *version, const char *pods)
{
    assert_code(kin_informer_start(f->informer, NULL), 0);
    kin_test_pull_list(kin_test_source_await(f->source, 0), version, pods);
    return kin_test_source_await(f->source, 1);
}

/* --- tests --- */

static void follows(struct fixture *f)
{
    const kin_object *pod = NULL;
    kin_test_pull *watch;

    add_handler(f);
    assert_false(kin_informer_has_synced(f->informer));
    watch = start(f, "5", "a:1 b:2");
    assert_code(kin_informer_wait_synced(f->informer, -1, NULL), 0);
    assert_code(kin_registration_wait_synced(f->registration, -1, NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:8");
    assert_code(kin_informer_wait_version(f->informer, "8", -1, NULL), 0);
    assert_int_equal(kin_store_len(kin_informer_store(f->informer)), 2);
    assert_code(kin_store_get(kin_informer_store(f->informer), &pod, kin_str_of("default/a"), NULL),
                0);
    assert_true(kin_str_equal(kin_object_resource_version(pod), kin_str_of("6")));
    kin_object_unref(pod);
    kin_test_assert_told(&f->handler, 5, "+a1! +b2! ~a1>6 -b7 +c8 ");
}

static void it_follows_its_source(void **context)
{
    (void)context;
    with_each_queue(follows);
}

static void expect_store_version(struct fixture *f, const char *expected)
{
    char version[32];

    kin_store_resource_version(kin_informer_store(f->informer), version, sizeof(version));
    assert_string_equal(version, expected);
}

static void tells_store(struct fixture *f)
{
    kin_test_pull *watch = start(f, "5", "b:2 a:1");

    assert_code(kin_informer_wait_version(f->informer, "5", -1, NULL), 0);
    expect_store_version(f, "5");
    kin_test_pull_bookmark(watch, "7", false);
    assert_code(kin_informer_wait_version(f->informer, "7", -1, NULL), 0);
    expect_store_version(f, "7");
}

/* Not only that of the object that was written last. */
static void the_store_has_the_versions_of_lists_and_bookmarks(void **context)
{
    (void)context;
    with_each_queue(tells_store);
}

static void late(struct fixture *f)
{
    kin_test_pull *watch = start(f, "5", "a:1");

    assert_code(kin_informer_wait_synced(f->informer, -1, NULL), 0);
    add_handler(f);
    assert_code(kin_registration_wait_synced(f->registration, -1, NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&f->handler, 2, "+a1! ~a1>6 ");
}

static void a_late_handler_is_told_what_there_is(void **context)
{
    (void)context;
    with_each_queue(late);
}

static void removed(struct fixture *f)
{
    kin_test_pull *watch;

    add_handler(f);
    watch = start(f, "5", "a:1");
    kin_test_latch_wait(&f->handler.calls, 1);
    assert_code(kin_informer_remove_handler_wait(f->informer, f->registration, NULL), 0);
    kin_informer_remove_handler(f->informer, f->registration);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    assert_code(kin_informer_wait_version(f->informer, "6", -1, NULL), 0);
    kin_test_assert_told(&f->handler, 1, "+a1! ");
}

static void a_handler_that_was_removed_is_told_nothing(void **context)
{
    (void)context;
    with_each_queue(removed);
}

static void restarted(struct fixture *f)
{
    kin_test_pull *watch;
    kin_test_pull *list;

    add_handler(f);
    watch = start(f, "5", "a:1 b:2");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_informer_stop(f->informer);
    kin_test_pull_await_cancel(watch);
    kin_test_pull_close(watch);
    assert_code(kin_informer_wait_stopped(f->informer, -1, NULL), 0);
    /* What it has stays, and what was received is in it. */
    assert_int_equal(kin_store_len(kin_informer_store(f->informer)), 2);
    assert_true(kin_informer_has_synced(f->informer));
    assert_code(kin_informer_start(f->informer, NULL), 0);
    assert_code(kin_informer_start(f->informer, NULL), KIN_EBUSY);
    list = kin_test_source_await(f->source, 2);
    assert_true(list->is_list);
    assert_string_equal(list->version, "6");
    kin_test_pull_list(list, "9", "a:6 c:8");
    assert_code(kin_informer_wait_version(f->informer, "9", -1, NULL), 0);
    kin_test_latch_wait(&f->handler.calls, 6);
    assert_non_null(strstr(f->handler.text, "-b2? "));
    assert_non_null(strstr(f->handler.text, "+c8 "));
}

static void it_can_be_stopped_and_started_again(void **context)
{
    (void)context;
    with_each_queue(restarted);
}

static void fails(struct fixture *f)
{
    static const kin_test_failure_of denied = {.code = KIN_EDENIED,
                                               .http_status = 403,
                                               .reason = "Forbidden",
                                               .message = "pods is forbidden"};
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err = KIN_ERROR_INIT;
    unsigned n = 0;

    assert_code(kin_informer_wait_synced(f->informer, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "pods have not synced: new");
    assert_code(kin_informer_start(f->informer, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(f->source, 0), &denied, false);
    while (status.state != KIN_INFORMER_WAITING) {
        kin_test_latch_wait(&f->changes, ++n);
        assert_code(kin_informer_get_status(f->informer, &status, NULL), 0);
    }
    assert_code(kin_informer_wait_synced(f->informer, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "pods is forbidden"));
    assert_int_equal(err.http_status, 403);
    assert_true(status.is_failing_for_good);
    assert_false(status.is_synced);
    kin_informer_stop(f->informer);
    assert_code(kin_informer_wait_synced(f->informer, -1, NULL), KIN_ECLOSED);
}

static void who_waits_is_told_why(void **context)
{
    (void)context;
    with_each_queue(fails);
}

static void resyncs(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options never = KIN_HANDLER_OPTIONS_INIT;
    struct fixture *f = malloc(sizeof(*f));
    kin_test_handler other;

    (void)context;
    options.resync_ms = 10000;
    begin_with(f, &options);
    kin_test_handler_init(&other);
    add_handler(f);
    never.resync_ms = -1;
    assert_code(kin_informer_add_handler(f->informer, NULL, kin_test_handle, &other, &never, NULL),
                0);
    kin_test_pull_event(start(f, "5", "a:1"), KIN_WATCH_MODIFIED, "a:6");
    kin_test_latch_wait(&f->handler.calls, 2);
    kin_test_latch_wait(&other.calls, 2);
    assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(f->clock, 10 * KIN__SECOND, NULL), 0);
    kin_test_assert_told(&f->handler, 3, "+a1! ~a1>6 ~a6>6= ");
    kin_informer_free(f->informer);
    f->informer = NULL;
    kin_test_assert_told(&other, 2, "+a1! ~a1>6 ");
    kin_test_handler_done(&other);
    kin_registration_unref(f->registration);
    kin_test_source_free(f->source);
    kin_test_handler_done(&f->handler);
    kin_test_latch_done(&f->changes);
    kin_clock_unref(f->clock);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_its_source),
        cmocka_unit_test(the_store_has_the_versions_of_lists_and_bookmarks),
        cmocka_unit_test(a_late_handler_is_told_what_there_is),
        cmocka_unit_test(a_handler_that_was_removed_is_told_nothing),
        cmocka_unit_test(it_can_be_stopped_and_started_again),
        cmocka_unit_test(who_waits_is_told_why),
        cmocka_unit_test(resyncs),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
