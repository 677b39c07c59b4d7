/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers that begin with a file: what is in it, when it is used and when not, and what handlers are
 * told. Over a source that does what the test says, with both queues.
 */
#include "informer_support.h"
#include "kin_test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "folder.h"
#include "kinform/snapshot.h"
#include "oom.h"

static char folder[] = "/tmp/kin-warm-XXXXXX";
static char path[64];

static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
static const kin_test_failure_of broken = {
    .code = KIN_ESERVER, .http_status = 503, .reason = "ServiceUnavailable", .message = "later"};

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

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* --- with each queue, twice: an informer that saves, and one that begins with that --- */

typedef void saved_fn(kin_test_stage *stage);

/* Lists "a:1 b:2" at 5, is told a:6, and saves. `change` may change the options of both. */
static void save_one(kin_informer_options *options)
{
    kin_test_stage *stage;
    kin_test_pull *watch;

    stage = kin_test_stage_with(options);
    watch = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_await_version(stage, "6");
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_stage_free(stage);
}

static void with_each_queue(saved_fn *test)
{
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;

        options.queue = (kin_informer_queue)queue;
        save_one(&options);
        options.snapshot_path = path;
        stage = kin_test_stage_with(&options);
        test(stage);
        kin_test_stage_free(stage);
        unlink(path);
    }
}

/* The first thing that it asks for is a watch from where it was. */
static kin_test_pull *start_warm(kin_test_stage *stage, const char *version)
{
    kin_test_pull *watch;

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    watch = kin_test_source_await(stage->source, 0);
    assert_false(watch->is_list);
    assert_string_equal(watch->version, version);
    return watch;
}

/* The watch was agreed to: it stands if nothing is said for a second. */
static void let_stand(kin_test_stage *stage, kin_test_pull *watch)
{
    assert_code(kin_test_pull_begun(watch), 0);
    assert_false(kin_informer_has_synced(stage->informer));
    assert_code(kin_clock_advance(stage->clock, KIN__SECOND, NULL), 0);
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
}

/* --- what a file has --- */

static void a_file_says_what_it_is_of(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_snapshot *snapshot = NULL;

    (void)state;
    options.snapshot_identity = "a cluster";
    save_one(&options);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);

    assert_string_equal(info->cluster, "a cluster");
    assert_string_equal(info->resource, "pods");
    assert_string_equal(info->projection, "whole");
    assert_string_equal(info->resource_version, "6");
    assert_int_equal(info->objects, 2);
    assert_int_equal(info->n_namespaces, 0);
    kin_snapshot_free(snapshot);
}

/* Nothing is synced, so nothing is worth a file. */
static void too_early(kin_test_stage *stage)
{
    kin_test_pull *list;

    assert_code(kin_informer_save(stage->informer, path, NULL), KIN_EBUSY);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list = kin_test_source_await(stage->source, 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), KIN_EBUSY);
    assert_int_equal(access(path, F_OK), -1);
    kin_test_pull_list(list, "5", "a:1");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_informer_save(stage->informer, folder, NULL), KIN_ESYSTEM);
    assert_code(kin_informer_save(NULL, path, NULL), KIN_EINVAL);
    assert_code(kin_informer_save(stage->informer, NULL, NULL), KIN_EINVAL);
    assert_code(kin_informer_load(stage->informer, path, NULL), KIN_EBUSY);
    unlink(path);
}

static void what_is_not_synced_is_not_saved(void **state)
{
    (void)state;
    kin_test_with_each_queue(too_early);
}

static void at_the_end(kin_test_stage *stage)
{
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");
    kin_snapshot *snapshot = NULL;

    kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:8");
    kin_test_pull_bookmark(watch, "9", false);
    kin_informer_stop(stage->informer);
    kin_test_pull_await_cancel(watch);
    kin_test_pull_close(watch);
    assert_code(kin_informer_wait_stopped(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    assert_string_equal(kin_snapshot_get_info(snapshot)->resource_version, "9");
    assert_int_equal(kin_snapshot_get_info(snapshot)->objects, 2);
    kin_snapshot_free(snapshot);
    unlink(path);
}

static void it_is_saved_when_it_was_stopped(void **state)
{
    (void)state;
    kin_test_with_each_queue(at_the_end);
}

static void expect_saved(kin_test_stage *stage, const char *version, uint64_t objects)
{
    kin_snapshot *snapshot = NULL;

    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    assert_string_equal(kin_snapshot_get_info(snapshot)->resource_version, version);
    assert_int_equal(kin_snapshot_get_info(snapshot)->objects, objects);
    kin_snapshot_free(snapshot);
}

/*
 * A list without a version: the watch behind it begins anywhere, and first tells what there is, in any
 * order, so that none of these versions is one to go on from.
 */
static void anywhere(kin_test_stage *stage)
{
    kin_test_pull *watch = kin_test_start(stage, "", "a:1");

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:9");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:4");
    kin_test_latch_wait(&stage->handler.calls, 3);
    assert_code(kin_informer_wait_version(stage->informer, "4", 0, NULL), KIN_ETIMEOUT);
    expect_saved(stage, "", 3);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:10");
    kin_test_await_version(stage, "10");
    expect_saved(stage, "10", 3);
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "d:11");
    kin_test_await_version(stage, "11");
    expect_saved(stage, "11", 4);
}

static void a_version_counts_when_all_before_it_has_come(void **state)
{
    (void)state;
    kin_test_with_each_queue(anywhere);
}

struct held {
    kin_test_latch entered;
    kin_test_latch may_return;
    int code;
    kin_informer *informer;
};

static void *save_beside(void *arg)
{
    struct held *held = arg;

    held->code = kin_informer_save(held->informer, path, NULL);
    return NULL;
}

static void hold_strand(kin_informer *informer, void *arg)
{
    struct held *held = arg;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state != KIN_INFORMER_WATCHING || !status.is_synced)
        return;
    kin_test_latch_raise(&held->entered);
    kin_test_latch_wait(&held->may_return, 1);
}

/*
 * While the strand is held up more changes come in than it applies at once. What is saved then has all of
 * them, and the version of the last: never one without the other.
 */
static void objects_and_version_belong_together(void **state)
{
    (void)state;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        struct held held = {.code = -1};
        kin_snapshot *snapshot = NULL;
        kin_test_pull *watch;
        pthread_t saver;
        char pod[32];

        kin_test_latch_init(&held.entered);
        kin_test_latch_init(&held.may_return);
        options.queue = (kin_informer_queue)queue;
        options.changed = hold_strand;
        options.changed_arg = &held;
        stage = kin_test_stage_with(&options);
        held.informer = stage->informer;
        watch = kin_test_start(stage, "5", "a:1");
        kin_test_latch_wait(&held.entered, 1);
        for (int i = 0; i < 2500; i++) {
            snprintf(pod, sizeof(pod), "b%d:%d", i, 6 + i);
            kin_test_pull_event(watch, KIN_WATCH_ADDED, pod);
        }
        pthread_create(&saver, NULL, save_beside, &held);
        kin_test_latch_raise(&held.may_return);
        pthread_join(saver, NULL);
        assert_code(held.code, 0);
        assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
        assert_string_equal(kin_snapshot_get_info(snapshot)->resource_version, "2505");
        assert_int_equal(kin_snapshot_get_info(snapshot)->objects, 2501);
        kin_snapshot_free(snapshot);
        kin_test_stage_free(stage);
        kin_test_latch_done(&held.entered);
        kin_test_latch_done(&held.may_return);
    }
}

static void save_here(kin_informer *informer, void *arg)
{
    struct held *held = arg;

    if (!kin_informer_has_synced(informer))
        return;
    held->code = kin_informer_save(informer, path, NULL);
    kin_test_latch_raise(&held->entered);
}

static void a_worker_does_not_save(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;
    struct held held = {.code = -1};

    (void)state;
    kin_test_latch_init(&held.entered);
    options.changed = save_here;
    options.changed_arg = &held;
    stage = kin_test_stage_with(&options);
    kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&held.entered, 1);
    kin_test_stage_free(stage);
    assert_code(held.code, KIN_EBUSY);
    kin_test_latch_done(&held.entered);
}

/* --- beginning with it --- */

static void goes_on(kin_test_stage *stage)
{
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = start_warm(stage, "6");
    /* It can be read at once. */
    kin_test_stage_has(stage, "a:6 b:2");
    assert_true(kin_test_informer_status(stage).is_warm);
    assert_int_equal(kin_test_informer_status(stage).snapshot_unix_ns,
                     kin_clock_unix_now(stage->clock));
    kin_test_latch_wait(&stage->handler.calls, 2);
    assert_non_null(strstr(stage->handler.text, "+a6! "));
    assert_non_null(strstr(stage->handler.text, "+b2! "));
    /* But nobody knows yet whether it still counts. */
    assert_false(kin_informer_has_synced(stage->informer));
    assert_false(kin_registration_has_synced(stage->registration));
    let_stand(stage, watch);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:8");
    kin_test_await_version(stage, "8");
    kin_test_stage_has(stage, "a:6 c:8");
    kin_test_latch_wait(&stage->handler.calls, 4);
    assert_non_null(strstr(stage->handler.text, "-b7 +c8 "));
    assert_int_equal(kin_test_source_count(stage->source), 1);
    assert_int_equal(kin_test_informer_status(stage).lists, 0);
}

static void it_goes_on_without_a_list(void **state)
{
    (void)state;
    with_each_queue(goes_on);
}

static void source_says_less(kin_test_stage *stage)
{
    kin_test_pull *watch = start_warm(stage, "6");

    kin_test_pull_bookmark(watch, "9", false);
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:6 b:2");
}

static void source_says_nothing_but_changes(kin_test_stage *stage)
{
    kin_test_pull *watch = start_warm(stage, "6");

    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:9");
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:9 b:2");
}

/* A source that does not say that a watch stands says so with what comes by it. */
static void what_comes_by_a_watch_makes_it_synced(void **state)
{
    (void)state;
    with_each_queue(source_says_less);
    with_each_queue(source_says_nothing_but_changes);
}

/* It waits after a failure. The delay passes; returns the next request. */
static kin_test_pull *pass_delay(kin_test_stage *stage)
{
    assert_int_equal(kin_test_informer_status(stage).state, KIN_INFORMER_WAITING);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    return kin_test_source_await(stage->source, 1);
}

/* The server is away for a while: the same watch again, and nothing is lost. */
static void nobody_there(kin_test_stage *stage)
{
    static const kin_test_failure_of refused = {.code = KIN_ECONNECT, .os_error = 111};
    kin_test_pull *watch;

    kin_test_pull_fail(start_warm(stage, "6"), &refused, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    assert_false(kin_informer_has_synced(stage->informer));
    kin_test_stage_has(stage, "a:6 b:2");
    watch = pass_delay(stage);
    assert_false(watch->is_list);
    assert_string_equal(watch->version, "6");
    let_stand(stage, watch);
}

static void it_waits_for_the_server_with_what_it_has(void **state)
{
    (void)state;
    with_each_queue(nobody_there);
}

/* The version is gone: it lists, and finds what is gone. */
static void too_old(kin_test_stage *stage)
{
    kin_test_pull *list;

    kin_test_add_handler(stage, NULL);
    kin_test_pull_fail(start_warm(stage, "6"), &expired, false);
    list = kin_test_source_await(stage->source, 1); /* at once: the clock stands */
    assert_true(list->is_list);
    assert_false(kin_informer_has_synced(stage->informer));
    kin_test_pull_list(list, "20", "b:2 c:12");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_stage_has(stage, "b:2 c:12");
    assert_non_null(strstr(stage->handler.text, "-a6? "));
    assert_non_null(strstr(stage->handler.text, "+c12"));
    assert_null(strstr(stage->handler.text, "-b"));
}

static void a_version_that_is_gone_is_listed(void **state)
{
    (void)state;
    with_each_queue(too_old);
}

/* The watch is agreed to and found too old in its midst, as servers do: it is not synced before the list. */
static void too_old_later(kin_test_stage *stage)
{
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = start_warm(stage, "6");
    assert_code(kin_test_pull_begun(watch), 0);
    kin_test_pull_error_event(watch, &expired);
    watch = kin_test_source_await(stage->source, 1);
    assert_true(watch->is_list);
    assert_false(kin_informer_has_synced(stage->informer));
    kin_test_pull_list(watch, "20", "a:6");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    kin_test_stage_has(stage, "a:6");
}

static void an_error_within_the_watch_is_listed(void **state)
{
    (void)state;
    with_each_queue(too_old_later);
}

struct early {
    kin_test_latch waits;
    kin_test_latch may_return;
    kin_test_latch is_synced;
    size_t objects; /* when it was synced */
};

static void hold_while_waiting(kin_informer *informer, void *arg)
{
    struct early *early = arg;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state == KIN_INFORMER_WAITING) {
        kin_test_latch_raise(&early->waits);
        kin_test_latch_wait(&early->may_return, 1);
    } else if (status.is_synced && early->objects == 0) {
        early->objects = status.objects;
        kin_test_latch_raise(&early->is_synced);
    }
}

/* The watch behind a list stands, but more of the list waits than is applied at once. */
static void a_list_that_came_instead_is_waited_for(void **state)
{
    (void)state;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        struct early early = {.objects = 0};
        kin_test_pull *pull;
        char pod[32];

        kin_test_latch_init(&early.waits);
        kin_test_latch_init(&early.may_return);
        kin_test_latch_init(&early.is_synced);
        options.queue = (kin_informer_queue)queue;
        save_one(&options);
        options.changed = hold_while_waiting;
        options.changed_arg = &early;
        options.snapshot_path = path;
        stage = kin_test_stage_with(&options);
        kin_test_pull_fail(start_warm(stage, "6"), &broken, false);
        kin_test_latch_wait(&early.waits, 1);
        pull = pass_delay(stage);
        for (int i = 0; i < 2500; i++) {
            snprintf(pod, sizeof(pod), "b%d:%d", i, 7 + i);
            assert_code(kin_test_pull_item(pull, pod), 0);
        }
        kin_test_pull_list_done(pull, "3000", NULL);
        assert_code(kin_test_pull_begun(kin_test_source_await(stage->source, 2)), 0);
        kin_test_latch_raise(&early.may_return);
        kin_test_latch_wait(&early.is_synced, 1);
        assert_int_equal(early.objects, 2500);
        kin_test_stage_free(stage);
        kin_test_latch_done(&early.waits);
        kin_test_latch_done(&early.may_return);
        kin_test_latch_done(&early.is_synced);
    }
}

/* A list that comes later is the one that counts. */
static void listed_since(kin_test_stage *stage)
{
    kin_test_pull *list;
    kin_snapshot *snapshot = NULL;
    int64_t begun;

    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    begun = kin_clock_unix_now(stage->clock);
    kin_test_pull_fail(start_warm(stage, "6"), &expired, false);
    list = kin_test_source_await(stage->source, 1);
    kin_test_pull_list(list, "20", "b:2");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    assert_int_equal(kin_snapshot_get_info(snapshot)->list_unix_ns, begun);
    kin_snapshot_free(snapshot);
}

static void a_later_list_is_the_one_that_is_noted(void **state)
{
    (void)state;
    with_each_queue(listed_since);
}

/* --- files that are not used --- */

/* It lists, and the log says why. `code`: what an explicit load gives. */
static void expect_not_used(kin_informer_options *options, int code, const char *why)
{
    kin_test_stage *stage;
    kin_error err = KIN_ERROR_INIT;
    kin_test_pull *list;

    stage = kin_test_stage_with(options);
    assert_code(kin_informer_load(stage->informer, path, &err), code);
    assert_non_null(strstr(err.message, why));
    if (code != KIN_ENOTFOUND)
        assert_true(kin_test_stage_logged(stage, path, why));
    assert_int_equal(kin_store_len(kin_informer_store(stage->informer)), 0);
    assert_false(kin_test_informer_status(stage).is_warm);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list = kin_test_source_await(stage->source, 0);
    assert_true(list->is_list);
    kin_test_pull_list(list, "20", "c:12");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    kin_test_stage_has(stage, "c:12");
    kin_test_stage_free(stage);
}

static void a_file_of_something_else_is_not_used(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    expect_not_used(&options, KIN_ENOTFOUND, "no such file");
    options.snapshot_identity = "another cluster";
    save_one(&options);
    options.snapshot_identity = "this cluster";
    expect_not_used(&options, KIN_EMISMATCH, "another cluster");
    options.snapshot_identity = NULL;
    expect_not_used(&options, KIN_EMISMATCH, "another cluster");
}

/* The store's own words, for what only a client's informer can have. */
static void write_info(const kin_snapshot_info *info)
{
    kin_store *store = NULL;
    kin_clock *clock = NULL;
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    options.clock = clock;
    assert_code(kin_snapshot_write(path, store, info, &options, NULL), 0);
    kin_store_unref(store);
    kin_clock_unref(clock);
}

static void each_part_of_the_info_counts(void **state)
{
    static const char *const namespaces[] = {"x"};
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_snapshot_info other;
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 2];

    (void)state;
    info.resource = "pods";
    info.projection = "whole";
    info.resource_version = "6";
    other = info;
    other.resource = "nodes";
    write_info(&other);
    expect_not_used(&options, KIN_EMISMATCH, "another resource: \"nodes\" instead of \"pods\"");
    other = info;
    other.projection = "metadata";
    write_info(&other);
    expect_not_used(&options, KIN_EMISMATCH, "another content or projection");
    other = info;
    other.label_selector = "app=web";
    write_info(&other);
    expect_not_used(&options, KIN_EMISMATCH, "another label selector: \"app=web\"");
    other = info;
    other.field_selector = "spec.nodeName=n";
    write_info(&other);
    expect_not_used(&options, KIN_EMISMATCH, "another field selector");
    other = info;
    other.namespaces = namespaces;
    other.n_namespaces = 1;
    write_info(&other);
    expect_not_used(&options, KIN_EMISMATCH, "1 namespaces instead of 0");
    other = info;
    memset(version, '7', sizeof(version));
    version[sizeof(version) - 1] = '\0';
    other.resource_version = version;
    write_info(&other);
    expect_not_used(&options, KIN_EPARSE, "a version of");
}

/* There is no version that a watch could begin with: the objects count, and it lists. */
static void a_file_without_a_version_is_listed(void **state)
{
    static const char *const none[] = {"", "0"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(none); i++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
        kin_test_stage *stage;

        info.resource = "pods";
        info.projection = "whole";
        info.resource_version = none[i];
        write_info(&info);
        options.snapshot_path = path;
        stage = kin_test_stage_with(&options);
        kin_test_start(stage, "20", "a:1");
        assert_true(kin_test_informer_status(stage).is_warm);
        assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
        kin_test_stage_has(stage, "a:1");
        kin_test_stage_free(stage);
    }
}

/* Files of earlier versions do not say when the list was: the time at which they were written counts. */
static void a_file_without_the_time_of_its_list_is_as_old_as_itself(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;

    (void)state;
    info.resource = "pods";
    info.projection = "whole";
    info.resource_version = "6";
    write_info(&info);
    options.snapshot_max_age_ms = 60000;
    for (int late = 0; late < 2; late++) {
        kin_test_stage *stage = kin_test_stage_with(&options);
        /* The file is from 1970. */
        int64_t age = kin_clock_unix_now(stage->clock);

        assert_in_range(age, 0, 60 * KIN__SECOND);
        assert_code(kin_clock_advance(stage->clock, (60 + late) * KIN__SECOND - age, NULL), 0);
        assert_code(kin_informer_load(stage->informer, path, NULL), late ? KIN_EEXPIRED : 0);
        kin_test_stage_free(stage);
    }
}

static void expect_age(int64_t max_age_ms, int64_t age_s, bool is_used)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_error err = KIN_ERROR_INIT;

    options.snapshot_max_age_ms = max_age_ms;
    save_one(&options);
    stage = kin_test_stage_with(&options);
    assert_code(kin_clock_advance(stage->clock, age_s * KIN__SECOND, NULL), 0);
    assert_code(kin_informer_load(stage->informer, path, &err), is_used ? 0 : KIN_EEXPIRED);
    if (!is_used) {
        assert_non_null(strstr(err.message, "s old"));
        assert_true(kin_test_stage_logged(stage, path, "s old"));
    }
    assert_int_equal(kin_test_informer_status(stage).is_warm, is_used);
    kin_test_stage_free(stage);
}

static void an_old_file_is_not_used(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *none = NULL;
    kin_test_source *source = kin_test_source_new(false);

    (void)state;
    expect_age(0, 86400, true);
    expect_age(0, 86401, false);
    expect_age(60000, 60, true);
    expect_age(60000, 61, false);
    expect_age(-1, 100 * 86400, true);
    options.snapshot_max_age_ms = -2;
    assert_code(kin_informer_new_from(&none, kin_test_source_list_watch(source), &options, NULL),
                KIN_EINVAL);
    kin_test_source_free(source);
}

/* By a clock that was ahead, or is behind. */
static void a_file_from_the_future_is_not_used(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;

    (void)state;
    stage = kin_test_stage_with(&options);
    assert_code(kin_clock_advance(stage->clock, 86401 * KIN__SECOND, NULL), 0);
    kin_test_start(stage, "5", "a:1");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_stage_free(stage);
    expect_not_used(&options, KIN_EEXPIRED, "86401 s in the future");
}

/* When the list of the file began, and when it was written: seconds since 1970, where all stages begin. */
static void expect_times(int64_t list_s, int64_t written_s)
{
    kin_snapshot *snapshot = NULL;
    const kin_snapshot_info *info;

    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    info = kin_snapshot_get_info(snapshot);
    assert_int_equal(info->list_unix_ns, list_s * KIN__SECOND);
    assert_int_equal(info->unix_ns, written_s * KIN__SECOND);
    kin_snapshot_free(snapshot);
}

/* Start from the file `s` seconds after 1970; the server has agreed to the watch. */
static kin_test_stage *begin_again(kin_informer_options *options, int64_t s)
{
    kin_test_stage *stage = kin_test_stage_with(options);

    assert_code(kin_clock_advance(stage->clock, s * KIN__SECOND, NULL), 0);
    let_stand(stage, start_warm(stage, "5"));
    return stage;
}

/* A warm start does not list, so saving again does not make the file younger. */
static void the_age_is_that_of_the_last_list(void **state)
{
    (void)state;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        kin_test_pull *list;

        options.queue = (kin_informer_queue)queue;
        options.snapshot_max_age_ms = 60000;
        stage = kin_test_stage_with(&options);
        assert_code(kin_clock_advance(stage->clock, KIN__SECOND, NULL), 0);
        assert_code(kin_informer_start(stage->informer, NULL), 0);
        list = kin_test_source_await(stage->source, 0);
        /* The time of a slow list is that of its beginning: objects that were deleted meanwhile may be in it. */
        assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
        kin_test_pull_list(list, "5", "a:1");
        assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
        assert_code(kin_clock_advance(stage->clock, 20 * KIN__SECOND, NULL), 0);
        assert_code(kin_informer_save(stage->informer, path, NULL), 0);
        expect_times(1, 31);
        kin_test_stage_free(stage);

        options.snapshot_path = path;
        stage = begin_again(&options, 50);
        assert_code(kin_informer_save(stage->informer, path, NULL), 0);
        expect_times(1, 51);
        kin_test_stage_free(stage);

        stage = kin_test_stage_with(&options);
        assert_code(kin_clock_advance(stage->clock, 62 * KIN__SECOND, NULL), 0);
        kin_test_start(stage, "9", "b:8");
        assert_false(kin_test_informer_status(stage).is_warm);
        assert_true(kin_test_stage_logged(stage, path, "its list is 61 s old"));
        assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
        assert_code(kin_informer_save(stage->informer, path, NULL), 0);
        expect_times(62, 62);
        kin_test_stage_free(stage);
        unlink(path);
    }
}

static void damage(off_t offset, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, offset), len);
    close(fd);
}

static void a_damaged_file_is_not_used(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct stat st;

    (void)state;
    /* Its last byte, after objects were read. */
    save_one(&options);
    assert_int_equal(stat(path, &st), 0);
    damage(st.st_size - 9, "\xff", 1);
    expect_not_used(&options, KIN_EPARSE, "damaged");
    /* The head. */
    save_one(&options);
    damage(0, "no", 2);
    expect_not_used(&options, KIN_EPARSE, path);
    /* Cut off. */
    save_one(&options);
    assert_int_equal(truncate(path, st.st_size / 2), 0);
    expect_not_used(&options, KIN_EPARSE, path);
    assert_int_equal(truncate(path, 0), 0);
    expect_not_used(&options, KIN_EPARSE, path);
}

static void a_file_of_the_future_format_is_not_used(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    save_one(&options);
    damage(8, "\x02", 1);
    expect_not_used(&options, KIN_EPARSE, "format 2");
}

/* --- once --- */

static void it_is_loaded_once(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;

    (void)state;
    save_one(&options);
    stage = kin_test_stage_with(&options);
    assert_code(kin_informer_load(stage->informer, path, NULL), 0);
    kin_test_stage_has(stage, "a:6 b:2");
    assert_code(kin_informer_load(stage->informer, path, NULL), KIN_EBUSY);
    assert_code(kin_informer_load(stage->informer, NULL, NULL), KIN_EINVAL);
    assert_code(kin_informer_load(NULL, path, NULL), KIN_EINVAL);
    start_warm(stage, "6");
    assert_code(kin_informer_load(stage->informer, path, NULL), KIN_EBUSY);
    kin_test_stage_free(stage);
}

/* What it has was changed since it was loaded; after a stop it lists. */
static void again(kin_test_stage *stage)
{
    kin_test_pull *pull = start_warm(stage, "6");

    kin_test_pull_event(pull, KIN_WATCH_DELETED, "a:7");
    kin_test_await_version(stage, "7");
    kin_informer_stop(stage->informer);
    kin_test_pull_await_cancel(pull);
    kin_test_pull_close(pull);
    assert_code(kin_informer_wait_stopped(stage->informer, -1, NULL), 0);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    pull = kin_test_source_await(stage->source, 1);
    assert_true(pull->is_list);
    assert_string_equal(pull->version, "7");
    kin_test_stage_has(stage, "b:2");
}

static void a_second_start_does_not_load(void **state)
{
    (void)state;
    with_each_queue(again);
}

/* --- kill --- */

/* Saves again and again, until it is killed. */
static void save_for_ever(int ready)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_test_pull *watch;
    char pod[32];

    stage = kin_test_stage_with(&options);
    watch = kin_test_start(stage, "5", "a:1 b:2");
    for (unsigned i = 6;; i++) {
        snprintf(pod, sizeof(pod), "a:%u", i);
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, pod);
        snprintf(pod, sizeof(pod), "%u", i);
        if (kin_informer_wait_version(stage->informer, pod, -1, NULL) < 0 ||
            kin_informer_save(stage->informer, path, NULL) < 0 || write(ready, "x", 1) != 1)
            _exit(1);
    }
}

/* Whatever moment it is killed at, the file is one that was saved: a's version and its own are the same. */
static void a_process_that_is_killed_leaves_a_whole_file(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        int pipes[2];
        char byte;

        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();

        if (child == 0) {
            close(pipes[0]);
            save_for_ever(pipes[1]);
        }
        close(pipes[1]);
        for (int i = 0; i <= round; i++)
            assert_int_equal(read(pipes[0], &byte, 1), 1);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(pipes[0]);
        stage = kin_test_stage_with(&options);
        assert_code(kin_informer_load(stage->informer, path, NULL), 0);
        assert_code(kin_informer_start(stage->informer, NULL), 0);
        const kin_object *pod = NULL;
        kin_test_pull *watch = kin_test_source_await(stage->source, 0);

        assert_code(
            kin_store_get(kin_informer_store(stage->informer), &pod, kin_str_of("default/a"), NULL),
            0);
        assert_true(kin_str_equal(kin_object_resource_version(pod), kin_str_of(watch->version)));
        kin_object_unref(pod);
        kin_test_stage_free(stage);
    }
}

/* --- memory --- */

static int save_scenario(void *arg, kin_error *err)
{
    kin_test_stage *stage = arg;

    return kin_informer_save(stage->informer, path, err);
}

static int load_scenario(void *arg, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage = arg;
    kin_informer *informer = NULL;
    int code;

    options.clock = stage->clock;
    options.logger = stage->logger;
    options.name = "pods";
    code =
        kin_informer_new_from(&informer, kin_test_source_list_watch(stage->source), &options, err);
    if (code == 0) {
        code = kin_informer_load(informer, path, err);
        /* All or nothing. */
        if (kin_store_len(kin_informer_store(informer)) != (code == 0 ? 3 : 0))
            code = kin_error_set(err, KIN_EINVAL, "a part of the file");
    }
    kin_informer_free(informer);
    return code;
}

static void without_memory(kin_test_stage *stage)
{
    /* What the strand keeps for the next batch is there before. */
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1 b:2");

    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:6");
    kin_test_await_version(stage, "6");
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_fail_each_allocation(save_scenario, stage);
    kin_test_fail_each_allocation(load_scenario, stage);
    unlink(path);
}

static void without_memory_nothing_is_half_done(void **state)
{
    (void)state;
    kin_test_with_each_queue(without_memory);
}

#define TEST(name) cmocka_unit_test_teardown(name, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_says_what_it_is_of),
        TEST(what_is_not_synced_is_not_saved),
        TEST(it_is_saved_when_it_was_stopped),
        TEST(a_version_counts_when_all_before_it_has_come),
        TEST(objects_and_version_belong_together),
        TEST(a_worker_does_not_save),
        TEST(it_goes_on_without_a_list),
        TEST(what_comes_by_a_watch_makes_it_synced),
        TEST(it_waits_for_the_server_with_what_it_has),
        TEST(a_version_that_is_gone_is_listed),
        TEST(an_error_within_the_watch_is_listed),
        TEST(a_list_that_came_instead_is_waited_for),
        TEST(a_later_list_is_the_one_that_is_noted),
        TEST(a_file_of_something_else_is_not_used),
        TEST(each_part_of_the_info_counts),
        TEST(a_file_without_a_version_is_listed),
        TEST(an_old_file_is_not_used),
        TEST(a_file_from_the_future_is_not_used),
        TEST(the_age_is_that_of_the_last_list),
        TEST(a_file_without_the_time_of_its_list_is_as_old_as_itself),
        TEST(a_damaged_file_is_not_used),
        TEST(a_file_of_the_future_format_is_not_used),
        TEST(it_is_loaded_once),
        TEST(a_second_start_does_not_load),
        TEST(a_process_that_is_killed_leaves_a_whole_file),
        TEST(without_memory_nothing_is_half_done),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
