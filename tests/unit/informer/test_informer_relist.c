/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers that list from time to time: the events that handlers receive, the times, and failures. Over a scripted
 * source, with both queues.
 */
#include "informer_support.h"
#include "kin_test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "folder.h"
#include "kinform/snapshot.h"

#define HOUR_NS (3600 * KIN__SECOND)

static const kin_test_failure_of broken = {
    .code = KIN_ESERVER, .http_status = 503, .reason = "ServiceUnavailable", .message = "later"};

static char folder[] = "/tmp/kin-relist-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/pods", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return kin_test_folder_remove(folder);
}

static int64_t left_of(kin_test_stage *stage)
{
    int64_t due = kin_test_informer_status(stage).next_relist_unix_ns;

    return due == 0 ? INT64_MAX : due - kin_clock_unix_now(stage->clock);
}

/* Until a list is due, between these times from now. */
static void await_due(kin_test_stage *stage, int64_t min, int64_t max)
{
    int64_t begun = kin_clock_now(kin_clock_system());
    int64_t left = left_of(stage);

    while (left < min || left > max) {
        if (kin_clock_now(kin_clock_system()) - begun > KIN_TEST_TIMEOUT_MS * KIN__MILLISECOND)
            fail_msg("a list in %lld ns", (long long)left);
        sched_yield();
        left = left_of(stage);
    }
}

/* The list that is due begins at its time, of the most recent state; the watch is closed. */
static kin_test_pull *pass_to_relist(kin_test_stage *stage, kin_test_pull *watch)
{
    size_t n = kin_test_source_count(stage->source);
    kin_test_pull *list;

    assert_code(kin_clock_advance(stage->clock, left_of(stage), NULL), 0);
    kin_test_pull_await_cancel(watch);
    kin_test_pull_close(watch);
    list = kin_test_source_await(stage->source, n);
    assert_true(list->is_list);
    assert_string_equal(list->version, "");
    return list;
}

static void with_period(int64_t relist_ms, kin_test_stage_fn *test)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.relist_ms = relist_ms;
    kin_test_with_each_queue_and(&options, test);
}

static const kin_object *colored(const char *color)
{
    char json[256];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"default\","
             "\"name\":\"c\",\"resourceVersion\":\"3\",\"labels\":{\"color\":\"%s\"}}}",
             color);
    return kin_test_json(json);
}

static void put_colored(kin_test_pull *list, const char *color)
{
    const kin_object *object = colored(color);

    assert_code(kin_test_pull_item_object(list, object), 0);
    kin_object_unref(object);
}

/*
 * The server was restored from a backup and has counted on: "b" is another one, "d" is gone, and "c" has a version that
 * it had before, with another content.
 */
static void differs(kin_test_stage *stage)
{
    kin_test_pull *pull;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    pull = kin_test_source_await(stage->source, 0);
    put_colored(pull, "red");
    kin_test_pull_list(pull, "5", "a:1 b:2 d:4");
    pull = kin_test_source_await(stage->source, 1);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_latch_wait(&stage->handler.calls, 4);
    await_due(stage, 54 * KIN__SECOND, 60 * KIN__SECOND);

    pull = pass_to_relist(stage, pull);
    /* Until it is complete everything is as it was. */
    assert_true(kin_informer_has_synced(stage->informer));
    kin_test_stage_has(stage, "a:1 b:2 c:3 d:4");
    put_colored(pull, "blue");
    kin_test_pull_list(pull, "9", "a:1 b:7 e:8");
    pull = kin_test_source_await(stage->source, pull->index + 1);
    assert_string_equal(pull->version, "9");
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:1 b:7 c:3 e:8");
    assert_true(kin_informer_has_synced(stage->informer));
    kin_test_latch_wait(&stage->handler.calls, 8);
    assert_true(kin_test_was_told(&stage->handler, "~b2>7 "));
    assert_true(kin_test_was_told(&stage->handler, "~c3>3 "));
    assert_true(kin_test_was_told(&stage->handler, "-d4? "));
    assert_true(kin_test_was_told(&stage->handler, "+e8 "));

    /* Once more, and nothing differs: handlers hear of the next change only. */
    await_due(stage, 54 * KIN__SECOND, 60 * KIN__SECOND);
    pull = pass_to_relist(stage, pull);
    put_colored(pull, "blue");
    kin_test_pull_list(pull, "10", "a:1 b:7 e:8");
    pull = kin_test_source_await(stage->source, pull->index + 1);
    kin_test_pull_event(pull, KIN_WATCH_MODIFIED, "a:11");
    kin_test_await_version(stage, "11");
    kin_test_latch_wait(&stage->handler.calls, 9);
    assert_true(kin_test_was_told(&stage->handler, "~a1>11 "));
    assert_false(kin_test_was_told(&stage->handler, "="));
    assert_int_equal(kin_test_informer_status(stage).lists, 3);
}

static void handlers_are_told_of_differences_only(void **state)
{
    (void)state;
    with_period(60000, differs);
}

/* Handlers still receive the updates of a resync between two such lists. */
static void resyncs(kin_test_stage *stage)
{
    kin_test_pull *pull;

    kin_test_add_handler(stage, NULL);
    pull = kin_test_start(stage, "5", "a:1");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    await_due(stage, 54 * KIN__SECOND, 60 * KIN__SECOND);
    pull = pass_to_relist(stage, pull);
    kin_test_pull_list(pull, "9", "a:1");
    (void)kin_test_source_await(stage->source, pull->index + 1);
    kin_test_await_version(stage, "9");
    await_due(stage, 54 * KIN__SECOND, 60 * KIN__SECOND);
    assert_code(kin_clock_advance(stage->clock, 20 * KIN__SECOND, NULL), 0);
    kin_test_assert_told(&stage->handler, 2, "+a1! ~a1>1= ");
}

static void resyncs_are_told_as_before(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    options.relist_ms = 60000;
    options.resync_ms = 70000;
    kin_test_with_each_queue_and(&options, resyncs);
}

/* It is as it was, synced, and tries again later. */
static void fails(kin_test_stage *stage)
{
    kin_test_pull *pull;
    int64_t listed;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_clock_advance(stage->clock, KIN__SECOND, NULL), 0);
    listed = kin_clock_unix_now(stage->clock);
    pull = kin_test_start(stage, "5", "a:1 b:2");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    await_due(stage, 9 * HOUR_NS / 10, HOUR_NS);
    for (int i = 0; i < 3; i++) {
        pull = pass_to_relist(stage, pull);
        assert_code(kin_test_pull_item(pull, "x:7"), 0);
        kin_test_pull_fail(pull, &broken, false);
        /* One minute, then two, then four, and up to as long again by chance. */
        await_due(stage, (60 << i) * KIN__SECOND, (120 << i) * KIN__SECOND);
        assert_true(kin_informer_has_synced(stage->informer));
        assert_code(kin_informer_wait_synced(stage->informer, 0, NULL), 0);
        kin_test_stage_has(stage, "a:1 b:2");
        kin_test_await_informer(stage, KIN_INFORMER_WAITING);
        assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
        pull = kin_test_source_await(stage->source, pull->index + 1);
        assert_false(pull->is_list);
        assert_string_equal(pull->version, "5");
        assert_int_equal(kin_test_informer_status(stage).last_list_unix_ns, listed);
    }
    pull = pass_to_relist(stage, pull);
    listed = kin_clock_unix_now(stage->clock);
    kin_test_pull_list(pull, "9", "a:1");
    kin_test_await_version(stage, "9");
    assert_int_equal(kin_test_informer_status(stage).last_list_unix_ns, listed);
    kin_test_assert_told(&stage->handler, 3, "+a1! +b2! -b2? ");
}

static void a_list_that_fails_changes_nothing(void **state)
{
    (void)state;
    with_period(3600000, fails);
}

/* --- when --- */

static void expect_period(kin_informer_options *options, int64_t hours)
{
    kin_test_stage *stage = kin_test_stage_with(options);
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");

    if (hours > 0) {
        await_due(stage, hours * HOUR_NS * 9 / 10, hours * HOUR_NS);
        kin_test_pull_list(pass_to_relist(stage, watch), "9", "b:2");
        kin_test_await_version(stage, "9");
        kin_test_stage_has(stage, "b:2");
    } else {
        assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
        assert_code(kin_clock_advance(stage->clock, 1000 * HOUR_NS, NULL), 0);
        assert_true(kin_test_pull_is_open(watch));
        assert_int_equal(kin_test_informer_status(stage).next_relist_unix_ns, 0);
    }
    kin_test_stage_free(stage);
}

static void by_default_informers_with_snapshots_list(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    expect_period(&options, 0);
    options.relist_ms = 3600000;
    expect_period(&options, 1);
    /* Also those that have none yet: else what they save would be too old to be loaded. */
    options.relist_ms = 0;
    options.snapshot_path = path;
    expect_period(&options, 12);
    options.relist_ms = 3600000;
    expect_period(&options, 1);
    options.relist_ms = -1;
    expect_period(&options, 0);
}

static void times_that_make_no_sense_are_refused(void **state)
{
    static const int64_t times[] = {-2, INT64_MIN, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < kin__array_len(times); i++) {
        kin_test_stage *stage = kin_test_stage_new();
        kin_error err = KIN_ERROR_INIT;

        stage->options.relist_ms = times[i];
        assert_code(kin_informer_new_from(&stage->informer,
                                          kin_test_source_list_watch(stage->source),
                                          &stage->options, &err),
                    KIN_EINVAL);
        assert_non_null(strstr(err.message, "a relist_ms of"));
        kin_test_stage_free(stage);
    }
}

/* --- a warm start --- */

/* A file whose list began a second after 1970, and that was written then. */
static void save_one(kin_informer_options *options)
{
    kin_test_stage *stage = kin_test_stage_with(options);

    assert_code(kin_clock_advance(stage->clock, KIN__SECOND, NULL), 0);
    kin_test_start(stage, "5", "a:1 b:2");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_stage_free(stage);
}

/* Start with the file `hours` after it was written. Returns the watch; the informer is synced. */
static kin_test_pull *start_warm(kin_test_stage *stage, int64_t hours)
{
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_clock_advance(stage->clock, KIN__SECOND + hours * HOUR_NS, NULL), 0);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    watch = kin_test_source_await(stage->source, 0);
    assert_false(watch->is_list);
    assert_string_equal(watch->version, "5");
    kin_test_pull_bookmark(watch, "30", false);
    kin_test_await_version(stage, "30");
    assert_true(kin_informer_has_synced(stage->informer));
    assert_int_equal(kin_test_informer_status(stage).last_list_unix_ns, KIN__SECOND);
    return watch;
}

/* What the server lacks is found, and the file that is saved then is based on that. */
static void expect_verified(kin_test_stage *stage, kin_test_pull *watch)
{
    kin_snapshot *snapshot = NULL;
    int64_t listed;

    watch = pass_to_relist(stage, watch);
    listed = kin_clock_unix_now(stage->clock);
    kin_test_pull_list(watch, "31", "a:1");
    kin_test_await_version(stage, "31");
    kin_test_stage_has(stage, "a:1");
    kin_test_latch_wait(&stage->handler.calls, 3);
    assert_true(kin_test_was_told(&stage->handler, "-b2? "));
    assert_false(kin_test_was_told(&stage->handler, "="));
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    assert_int_equal(kin_snapshot_get_info(snapshot)->list_unix_ns, listed);
    assert_int_equal(kin_snapshot_get_info(snapshot)->objects, 1);
    kin_snapshot_free(snapshot);
}

/* `hours`: the age of the file; a list is due between these times after the start. */
static void expect_warm(int64_t relist_ms, int64_t hours, int64_t min, int64_t max)
{
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        kin_test_pull *watch;

        options.queue = (kin_informer_queue)queue;
        options.relist_ms = relist_ms;
        save_one(&options);
        options.snapshot_path = path;
        stage = kin_test_stage_with(&options);
        watch = start_warm(stage, hours);
        if (max == 0) {
            assert_code(kin_clock_advance(stage->clock, 1000 * HOUR_NS, NULL), 0);
            assert_true(kin_test_pull_is_open(watch));
        } else {
            await_due(stage, min, max);
            expect_verified(stage, watch);
        }
        kin_test_stage_free(stage);
        unlink(path);
    }
}

static void the_list_of_a_snapshot_counts(void **state)
{
    (void)state;
    expect_warm(0, 0, 12 * HOUR_NS * 9 / 10, 12 * HOUR_NS);
    expect_warm(0, 5, 12 * HOUR_NS * 9 / 10 - 5 * HOUR_NS, 7 * HOUR_NS);
    expect_warm(6 * 3600000, 5, 0, HOUR_NS);
    /* It is overdue: soon, but not all programs at once. */
    expect_warm(0, 13, 1, 60 * KIN__SECOND);
    expect_warm(-1, 13, 0, 0);
}

/* A clock that was ahead does not put the list off. */
static void a_list_from_the_future_is_one_of_now(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;

    (void)state;
    stage = kin_test_stage_with(&options);
    assert_code(kin_clock_advance(stage->clock, 20 * HOUR_NS, NULL), 0);
    kin_test_start(stage, "5", "a:1");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_stage_free(stage);
    options.snapshot_path = path;
    stage = kin_test_stage_with(&options);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    assert_false(kin_test_source_await(stage->source, 0)->is_list);
    await_due(stage, 12 * HOUR_NS * 9 / 10, 12 * HOUR_NS);
    kin_test_stage_free(stage);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_are_told_of_differences_only),
        cmocka_unit_test(resyncs_are_told_as_before),
        cmocka_unit_test(a_list_that_fails_changes_nothing),
        cmocka_unit_test(by_default_informers_with_snapshots_list),
        cmocka_unit_test(times_that_make_no_sense_are_refused),
        cmocka_unit_test(the_list_of_a_snapshot_counts),
        cmocka_unit_test(a_list_from_the_future_is_one_of_now),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
