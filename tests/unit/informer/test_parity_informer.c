/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What client-go's tests say of a shared informer: docs/parity.md has the list. Handlers that come and go are
 * in test_parity_handlers.c.
 */
#include "informer_support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "informer/informer.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "threads.h"

static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};
static const kin_test_failure_of denied = {
    .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden", .message = "you may not"};

/* The watch breaks, and everything is listed anew. The list, which has not been answered. */
static kin_test_pull *break_watch(kin_test_stage *stage, kin_test_pull *watch)
{
    size_t n = kin_test_source_count(stage->source);

    kin_test_pull_error_event(watch, &expired);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    kin_test_advance(stage, 2);
    return kin_test_source_await(stage->source, n);
}

/* --- indexes --- */

static int by_version(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)arg;
    if (kin_str_equal(kin_object_name(object), kin_str_of("bad")))
        return kin_error_set(err, KIN_ETYPE, "this one cannot be indexed");
    return kin_index_values_add(values, kin_object_resource_version(object), err);
}

static void assert_indexed(kin_test_stage *stage, const char *index, const char *value, size_t n)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_by_index(kin_informer_store(stage->informer), &list, kin_str_of(index),
                                   kin_str_of(value), NULL),
                0);
    assert_int_equal(list.len, n);
    kin_object_list_done(&list);
}

static void indexes(kin_test_stage *stage)
{
    kin_index before = KIN_INDEX_INIT("before", by_version);
    kin_index after = KIN_INDEX_INIT("after", by_version);
    kin_test_pull *watch;

    assert_code(kin_informer_add_index(stage->informer, &before, NULL), 0);
    assert_code(kin_informer_add_index(stage->informer, &before, NULL), KIN_EINVAL);
    watch = kin_test_start(stage, "5", "a:1 b:1 c:2");
    kin_test_await_version(stage, "5");
    assert_indexed(stage, "before", "1", 2);
    assert_code(kin_informer_add_index(stage->informer, &after, NULL), 0);
    assert_indexed(stage, "after", "1", 2);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_await_version(stage, "6");
    assert_indexed(stage, "before", "1", 1);
    assert_indexed(stage, "after", "6", 1);
}

static void indexes_come_before_and_after_the_start(void **context)
{
    (void)context;
    kin_test_with_each_queue(indexes);
}

static void index_fails(kin_test_stage *stage)
{
    kin_index index = KIN_INDEX_INIT("version", by_version);
    kin_store_stats stats = KIN_STORE_STATS_INIT;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_add_index(stage->informer, &index, NULL), 0);
    kin_test_start(stage, "5", "a:1 bad:1 c:1");
    kin_test_latch_wait(&stage->handler.calls, 3);
    assert_int_equal(kin_store_len(kin_informer_store(stage->informer)), 3);
    assert_indexed(stage, "version", "1", 2);
    assert_code(kin_store_get_stats(kin_informer_store(stage->informer), &stats, NULL), 0);
    assert_int_equal(stats.index_errors, 1);
}

static void an_object_that_cannot_be_indexed_is_stored_and_told(void **context)
{
    (void)context;
    kin_test_with_each_queue(index_fails);
}

/* --- resyncs --- */

struct resyncer {
    kin_test_handler handler;
    kin_handler_options options;
};

static struct resyncer *add_resyncer(kin_test_stage *stage, int64_t resync_ms)
{
    struct resyncer *resyncer = calloc(1, sizeof(*resyncer));

    assert_non_null(resyncer);
    kin_test_handler_init(&resyncer->handler);
    resyncer->options = (kin_handler_options)KIN_HANDLER_OPTIONS_INIT;
    resyncer->options.resync_ms = resync_ms;
    assert_code(kin_informer_add_handler(stage->informer, NULL, kin_test_handle, &resyncer->handler,
                                         &resyncer->options, NULL),
                0);
    return resyncer;
}

/* The informer is gone: nobody calls it any more. */
static void free_resyncer(struct resyncer *resyncer)
{
    kin_test_handler_done(&resyncer->handler);
    free(resyncer);
}

static void each_handler_resyncs_on_its_own_period(void **context)
{
    kin_test_stage *stage = kin_test_stage_new();
    struct resyncer *two;
    struct resyncer *three;
    struct resyncer *never;
    kin_test_pull *watch;

    (void)context;
    stage->options.resync_ms = 1000;
    kin_test_stage_make(stage);
    kin_test_add_handler(stage, NULL);
    two = add_resyncer(stage, 2000);
    three = add_resyncer(stage, 3000);
    never = add_resyncer(stage, -1);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&stage->handler.calls, 1);
    /* The first handler is told each time: then the next time is set. */
    for (unsigned second = 1; second <= 6; second++) {
        kin_test_advance(stage, 1);
        kin_test_latch_wait(&stage->handler.calls, 1 + second);
    }
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&stage->handler, 8,
                         "+a1! ~a1>1= ~a1>1= ~a1>1= ~a1>1= ~a1>1= ~a1>1= ~a1>6 ");
    kin_test_assert_told(&two->handler, 5, "+a1! ~a1>1= ~a1>1= ~a1>1= ~a1>6 ");
    kin_test_assert_told(&three->handler, 4, "+a1! ~a1>1= ~a1>1= ~a1>6 ");
    kin_test_assert_told(&never->handler, 2, "+a1! ~a1>6 ");
    kin_test_stage_free(stage);
    free_resyncer(two);
    free_resyncer(three);
    free_resyncer(never);
}

/* Before the start the most eager sets the pace; later one gets what there is. */
static void the_most_eager_sets_the_pace(void **context)
{
    kin_test_stage *stage = kin_test_stage_new();
    struct resyncer *eager;
    struct resyncer *late;
    kin_test_pull *watch;

    (void)context;
    stage->options.resync_ms = 12000;
    kin_test_stage_make(stage);
    kin_test_add_handler(stage, NULL);
    eager = add_resyncer(stage, 3000);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&eager->handler.calls, 1);
    late = add_resyncer(stage, 1);
    kin_test_latch_wait(&late->handler.calls, 1);
    for (unsigned i = 1; i <= 4; i++) {
        kin_test_advance(stage, 3);
        kin_test_latch_wait(&eager->handler.calls, 1 + i);
        kin_test_latch_wait(&late->handler.calls, 1 + i);
    }
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&stage->handler, 3, "+a1! ~a1>1= ~a1>6 ");
    kin_test_assert_told(&eager->handler, 6, "+a1! ~a1>1= ~a1>1= ~a1>1= ~a1>1= ~a1>6 ");
    kin_test_assert_told(&late->handler, 6, "+a1! ~a1>1= ~a1>1= ~a1>1= ~a1>1= ~a1>6 ");
    kin_test_stage_free(stage);
    free_resyncer(eager);
    free_resyncer(late);
}

static void count_warnings(const kin_log_record *record, void *arg)
{
    if (record->level == KIN_LOG_WARN && strstr(record->message, "asks for resyncs"))
        atomic_fetch_add((atomic_int *)arg, 1);
}

static void nobody_resyncs_where_the_informer_does_not(void **context)
{
    kin_test_stage *stage = kin_test_stage_new();
    struct resyncer *eager;
    atomic_int warnings = 0;
    kin_logger *logger = NULL;

    (void)context;
    assert_code(kin_logger_new(&logger, KIN_LOG_WARN, count_warnings, &warnings, NULL, NULL), 0);
    stage->options.logger = logger;
    kin_test_stage_make(stage);
    kin_test_add_handler(stage, NULL);
    assert_int_equal(atomic_load(&warnings), 0);
    eager = add_resyncer(stage, 2000);
    assert_int_equal(atomic_load(&warnings), 1);
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&eager->handler.calls, 1);
    kin_test_advance(stage, 100);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&eager->handler, 2, "+a1! ~a1>6 ");
    kin_test_stage_free(stage);
    free_resyncer(eager);
    kin_logger_unref(logger);
}

/* --- relists --- */

static void disrupted(kin_test_stage *stage)
{
    struct resyncer *never = add_resyncer(stage, -1);
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1 b:2 c:3");
    kin_test_latch_wait(&stage->handler.calls, 3);
    kin_test_latch_wait(&never->handler.calls, 3);
    /* From now on it is known who is syncing. */
    kin_test_advance(stage, 10);
    kin_test_latch_wait(&stage->handler.calls, 6);
    kin_test_pull_list(break_watch(stage, watch), "9", "b:7 c:3 d:8");
    kin_test_await_version(stage, "9");
    kin_test_latch_wait(&never->handler.calls, 6);
    assert_true(kin_test_was_told(&never->handler, "-a1? "));
    assert_true(kin_test_was_told(&never->handler, "~b2>7 "));
    assert_true(kin_test_was_told(&never->handler, "+d8 "));
    assert_false(kin_test_was_told(&never->handler, "="));
    /* The other one gets what has not changed, too: c, here and at the resync. */
    kin_test_latch_wait(&stage->handler.calls, 10);
    assert_true(kin_test_was_told(&stage->handler, "-a1? "));
    assert_true(kin_test_was_told(&stage->handler, "~b2>7 "));
    assert_true(kin_test_was_told(&stage->handler, "+d8 "));
    assert_non_null(strstr(strstr(stage->handler.text, "~c3>3= ") + 1, "~c3>3= "));
    /* Afterwards the freed one is told nothing: the informer goes first. */
    kin_informer_free(stage->informer);
    stage->informer = NULL;
    free_resyncer(never);
}

static void a_relist_tells_what_differs(void **context)
{
    (void)context;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_test_stage *stage = kin_test_stage_new();

        stage->options.resync_ms = 10000;
        stage->options.queue = (kin_informer_queue)queue;
        kin_test_stage_make(stage);
        disrupted(stage);
        kin_test_stage_free(stage);
    }
}

static void relisted(kin_test_stage *stage)
{
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_latch_wait(&stage->handler.calls, 2);
    kin_test_pull_list(break_watch(stage, watch), "9", "a:1 b:2");
    kin_test_assert_told(&stage->handler, 4, "+a1! +b2! ~a1>1= ~b2>2= ");
}

static void without_resyncs_a_relist_tells_all_again_and_says_so(void **context)
{
    (void)context;
    kin_test_with_each_queue(relisted);
}

static const kin_object *pod_with_uid(const char *version, const char *uid)
{
    char json[512];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":"
             "\"default\",\"resourceVersion\":\"%s\",\"uid\":\"%s\"}}",
             version, uid);
    return kin_test_json(json);
}

static void list_with_uid(kin_test_pull *list, const char *version, const char *uid)
{
    const kin_object *pod = pod_with_uid(version, uid);

    assert_code(kin_test_pull_item_object(list, pod), 0);
    kin_object_unref(pod);
    kin_test_pull_list_done(list, version, NULL);
}

static void made_anew(kin_test_stage *stage)
{
    const kin_object *pod = NULL;
    kin_scratch scratch;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list_with_uid(kin_test_source_await(stage->source, 0), "5", "first");
    list_with_uid(break_watch(stage, kin_test_source_await(stage->source, 1)), "9", "second");
    /* As a handler sees it there was one object, that has changed. */
    kin_test_assert_told(&stage->handler, 2, "+a5! ~a5>9 ");
    assert_code(
        kin_store_get(kin_informer_store(stage->informer), &pod, kin_str_of("default/a"), NULL), 0);
    assert_true(kin_str_equal(kin_object_uid(pod, &scratch), kin_str_of("second")));
    kin_object_unref(pod);
}

static void made_anew_in_a_gap_is_an_update(void **context)
{
    (void)context;
    kin_test_with_each_queue(made_anew);
}

/* --- failures --- */

/* A selector that the server does not understand stays so; what it does not do today may come. */
static void refused(kin_test_stage *stage)
{
    static const struct {
        int http_status;
        bool is_for_good;
    } cases[] = {{400, true}, {422, true}, {405, false}, {413, false}};

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_test_failure_of failure = {
            .code = KIN_EREFUSED, .http_status = cases[i].http_status, .message = "not this"};

        kin_test_pull_fail(kin_test_source_await(stage->source, i), &failure, false);
        kin_test_await_informer(stage, KIN_INFORMER_WAITING);
        assert_int_equal(kin_test_informer_status(stage).last_error.http_status,
                         cases[i].http_status);
        assert_int_equal(kin_test_informer_status(stage).is_failing_for_good, cases[i].is_for_good);
        kin_test_advance(stage, 60);
    }
}

static void a_request_that_is_wrong_fails_for_good(void **context)
{
    (void)context;
    kin_test_with_each_queue(refused);
}

static void failing(kin_test_stage *stage)
{
    kin_error err = KIN_ERROR_INIT;
    kin_informer_status status;

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(stage->source, 0), &denied, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    status = kin_test_informer_status(stage);
    assert_int_equal(status.last_error.code, KIN_EDENIED);
    assert_int_equal(status.last_error.http_status, 403);
    assert_non_null(strstr(status.last_error.message, "you may not"));
    assert_true(status.is_failing_for_good);
    assert_int_equal(status.lists, 0);
    /* It goes on trying, and forgives. */
    kin_test_advance(stage, 2);
    kin_test_pull_list(kin_test_source_await(stage->source, 1), "5", "a:1");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    kin_test_await_informer(stage, KIN_INFORMER_WATCHING);
    status = kin_test_informer_status(stage);
    assert_false(status.is_failing_for_good);
    assert_int_equal(status.last_error.code, KIN_EDENIED);
    assert_int_equal(status.objects, 1);
    assert_int_equal(status.lists, 1);
    /* What is over says nothing about the next list. */
    kin_test_stop_at(stage, kin_test_source_await(stage->source, 2));
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_await_informer(stage, KIN_INFORMER_LISTING);
    kin_test_source_await(stage->source, 3);
    assert_false(kin_test_informer_status(stage).is_failing_for_good);
    kin_test_pull_fail(kin_test_source_await(stage->source, 3), &denied, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    assert_true(kin_test_informer_status(stage).is_failing_for_good);
    /* Who waits for a version is told why it does not come, too. */
    assert_code(kin_informer_wait_version(stage->informer, "6", 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "pods have not seen version 6 in time: waiting after an "
                                        "error: "));
    assert_non_null(strstr(err.message, "you may not"));
    assert_int_equal(err.http_status, 403);
}

static void failures_are_told(void **context)
{
    (void)context;
    kin_test_with_each_queue(failing);
}

struct failures {
    kin_error last;
    int free_code;
    kin_test_latch called;
};

static void note_failure(kin_informer *informer, const kin_failure *failure, void *arg)
{
    struct failures *failures = arg;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(informer, &status, NULL), 0);
    assert_string_equal(status.last_error.message, failure->err->message);
    failures->last = *failure->err;
    failures->free_code = kin_informer_free(informer);
    kin_test_latch_raise(&failures->called);
}

static void await_failure(struct failures *failures, unsigned n, int http_status)
{
    kin_test_latch_wait(&failures->called, n);
    assert_int_equal(kin_test_latch_count(&failures->called), n);
    assert_int_equal(failures->last.http_status, http_status);
    assert_code(failures->free_code, KIN_EBUSY);
}

static void reporting_failures(kin_test_stage *stage)
{
    struct failures *failures = stage->options.error_arg;
    unsigned n = kin_test_latch_count(&failures->called);
    kin_test_failure_of failure = {.code = KIN_EREFUSED, .http_status = 400, .message = "bad"};

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    for (unsigned i = 0; i < 3; i++) {
        failure.http_status = (int)(400 + i);
        kin_test_pull_fail(kin_test_source_await(stage->source, i), &failure, false);
        await_failure(failures, n + i + 1, (int)(400 + i));
        kin_test_await_informer(stage, KIN_INFORMER_WAITING);
        kin_test_advance(stage, 60);
    }
    kin_test_pull_list(kin_test_source_await(stage->source, 3), "5", "a:1");
    kin_test_pull_fail(kin_test_source_await(stage->source, 4), &denied, false);
    await_failure(failures, n + 4, 403);
    assert_false(kin_test_stage_logged(stage, "failed to list or watch", ""));
}

static void each_failure_is_reported(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct failures failures;

    (void)context;
    kin_test_latch_init(&failures.called);
    options.error = note_failure;
    options.error_arg = &failures;
    kin_test_with_each_queue_and(&options, reporting_failures);
    kin_test_latch_done(&failures.called);
}

/* --- transforms --- */

struct transformer {
    atomic_int runs;
    atomic_int failures; /* so many that are still to come, for "bad" */
};

/* Another state of the object, without what nobody needs. */
static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    struct transformer *transformer = arg;
    char json[512];

    atomic_fetch_add(&transformer->runs, 1);
    if (kin_str_equal(kin_object_name(object), kin_str_of("bad")) &&
        atomic_fetch_sub(&transformer->failures, 1) > 0)
        return kin_error_set(err, KIN_ETYPE, "this one is not liked");
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%" KIN_STR_FMT
             "\",\"namespace\":\"default\",\"resourceVersion\":\"%" KIN_STR_FMT
             "\",\"labels\":{\"is\":\"new\"}}}",
             KIN_STR_ARG(kin_object_name(object)),
             KIN_STR_ARG(kin_object_resource_version(object)));
    return kin_object_from_json(ret, kin_str_of(json), NULL, err);
}

/* That it was transformed. */
static bool is_new(const kin_object *object, void *arg)
{
    kin_str value;

    (void)arg;
    return kin_object_label(object, kin_str_of("is"), &value) &&
           kin_str_equal(value, kin_str_of("new"));
}

static void transformed(bool streams)
{
    kin_handler_options only_new = KIN_HANDLER_OPTIONS_INIT;
    struct transformer transformer = {0, 0};
    kin_test_stage *stage = kin_test_stage_new();
    kin_test_pull *watch;

    kin_test_source_free(stage->source);
    stage->source = kin_test_source_new(streams);
    stage->options.transform = transform;
    stage->options.transform_arg = &transformer;
    stage->options.resync_ms = 10000;
    kin_test_stage_make(stage);
    only_new.filter = is_new;
    kin_test_add_handler(stage, &only_new);
    if (streams) {
        assert_code(kin_informer_start(stage->informer, NULL), 0);
        watch = kin_test_source_await(stage->source, 0);
        assert_true(watch->streams);
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:1");
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:2");
        kin_test_pull_bookmark(watch, "5", true);
        kin_test_latch_wait(&stage->changes, 1);
    } else {
        watch = kin_test_start(stage, "5", "a:1 b:2");
    }
    kin_test_assert_told(&stage->handler, 2, "+a1! +b2! ");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_latch_wait(&stage->handler.calls, 3);
    kin_test_advance(stage, 10);
    kin_test_latch_wait(&stage->handler.calls, 5);
    /* Each object once; what comes again was transformed already. */
    assert_int_equal(atomic_load(&transformer.runs), 3);
    kin_test_stage_free(stage);
}

static void handlers_see_what_was_transformed_once(void **context)
{
    (void)context;
    transformed(false);
    transformed(true);
}

/* The watch goes on without an object that is rejected, and the object comes with the next list. */
static void a_transform_that_fails_loses_no_change(void **context)
{
    struct transformer transformer = {0, 1};
    kin_test_stage *stage = kin_test_stage_new();
    kin_test_pull *list;

    (void)context;
    stage->options.transform = transform;
    stage->options.transform_arg = &transformer;
    kin_test_stage_make(stage);
    kin_test_add_handler(stage, NULL);
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&stage->handler.calls, 1);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "bad:6"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 1);
    assert_int_equal(kin_test_informer_status(stage).skipped, 1);
    assert_true(kin_test_stage_logged(stage, "an object is skipped", "is not liked"));
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:7"), 0);
    kin_test_assert_told(&stage->handler, 2, "+a1! +b7 ");
    while (kin_test_informer_status(stage).next_relist_unix_ns == 0)
        sched_yield();
    kin_test_advance(stage, 120);
    list = kin_test_source_await(stage->source, 2);
    assert_true(list->is_list);
    kin_test_pull_list(list, "8", "a:1 b:7 bad:6");
    kin_test_latch_wait(&stage->handler.calls, 5);
    kin_test_stage_has(stage, "a:1 b:7 bad:6");
    /* The gap is healed before the next watch begins. */
    kin_test_source_await(stage->source, 3);
    assert_int_equal(kin_test_informer_status(stage).gaps, 0);
    kin_test_stage_free(stage);
}

/* A deletion counts, whether or not the transformer likes the last state. */
static void a_rejected_deletion_deletes(kin_test_stage *stage)
{
    struct transformer *transformer = stage->options.transform_arg;
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    atomic_store(&transformer->failures, 0);
    watch = kin_test_start(stage, "5", "a:1 bad:2");
    kin_test_latch_wait(&stage->handler.calls, 2);
    atomic_store(&transformer->failures, 1000);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "bad:6"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 1);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_DELETED, "bad:7"), 0);
    /* What is gone is not missing. */
    assert_int_equal(kin_test_informer_status(stage).gaps, 0);
    kin_test_latch_wait(&stage->handler.calls, 3);
    kin_test_stage_has(stage, "a:1");
    /* Deleted without having been stored. */
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "bad:8"), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_DELETED, "bad:9"), 0);
    /* A later state heals the gap. */
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "bad:10"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 1);
    atomic_store(&transformer->failures, 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "bad:11"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 0);
    kin_test_latch_wait(&stage->handler.calls, 4);
    kin_test_stage_has(stage, "a:1 bad:11");
    assert_int_equal(kin_test_source_count(stage->source), 2);
}

static void rejected_deletions_delete(void **context)
{
    struct transformer transformer = {0, 0};
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)context;
    options.transform = transform;
    options.transform_arg = &transformer;
    kin_test_with_each_queue_and(&options, a_rejected_deletion_deletes);
}

/* Thousands of rejected objects are counted, and leave some lines in the log. */
static void rejections_do_not_flood_the_log(void **context)
{
    struct transformer transformer = {0, 1000000};
    kin_test_stage *stage = kin_test_stage_new();
    kin_test_pull *watch;
    size_t n = 0;

    (void)context;
    stage->options.transform = transform;
    stage->options.transform_arg = &transformer;
    kin_test_stage_make(stage);
    watch = kin_test_start(stage, "5", "a:1 bad:2");
    for (int i = 0; i < 2000; i++)
        assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "bad:6"), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:7"), 0);
    kin_test_await_version(stage, "7");
    assert_int_equal(kin_test_informer_status(stage).skipped, 2001);
    assert_int_equal(kin_test_informer_status(stage).gaps, 1);
    pthread_mutex_lock(&stage->lock);
    for (const char *at = stage->log; (at = strstr(at, "an object is skipped")); at++)
        n++;
    pthread_mutex_unlock(&stage->lock);
    assert_in_range(n, 1, 10);
    kin_test_stage_free(stage);
}

/* Another name for each object. */
static int rename_all(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    char pod[256];

    (void)arg;
    (void)err;
    snprintf(pod, sizeof(pod), "x%" KIN_STR_FMT ":%" KIN_STR_FMT,
             KIN_STR_ARG(kin_object_name(object)),
             KIN_STR_ARG(kin_object_resource_version(object)));
    *ret = kin_test_pod(pod);
    return 0;
}

/* client-go's TestTransformingInformer renames objects: the key is that of the transformed object everywhere. */
static void a_renaming_transformer(kin_test_stage *stage)
{
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_assert_told(&stage->handler, 2, "+xa1! +xb2! ");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:6");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:7");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:8");
    kin_test_latch_wait(&stage->handler.calls, 5);
    kin_test_await_version(stage, "8");
    kin_test_stage_has(stage, "xa:7 xc:6");
    /* A list deletes what it lacks, and nothing else. */
    kin_test_pull_error_event(
        watch, &(kin_test_failure_of){.code = KIN_EEXPIRED, .http_status = 410, .reason = "Gone"});
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    kin_test_advance(stage, 2);
    kin_test_pull_list(kin_test_source_await(stage->source, 2), "20", "a:7 d:9");
    kin_test_await_version(stage, "20");
    kin_test_stage_has(stage, "xa:7 xd:9");
}

static void objects_may_be_renamed(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)context;
    options.transform = rename_all;
    kin_test_with_each_queue_and(&options, a_renaming_transformer);
}

/* --- keys --- */

static int key_of_id(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    return kin_object_label(object, kin_str_of("id"), ret)
               ? 0
               : kin_error_set(err, KIN_EINVAL, "no id");
}

static int put_nameless(kin_test_pull *watch, enum kin_watch_type type, const char *id,
                        const char *version)
{
    char json[512];
    const kin_object *object;
    int code;

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"%s\","
             "\"labels\":{\"id\":\"%s\"}}}",
             version, id);
    object = kin_test_json(json);
    code = kin_test_pull_event_object(watch, type, object);
    kin_object_unref(object);
    return code;
}

static bool stores(kin_test_stage *stage, const char *key)
{
    return kin_store_get(kin_informer_store(stage->informer), NULL, kin_str_of(key), NULL) == 0;
}

/* Objects need no name where the informer has a key function of its own. */
static void nameless(kin_test_stage *stage)
{
    kin_test_pull *watch = kin_test_start(stage, "5", "");

    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "one", "6"), 0);
    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "two", "7"), 0);
    assert_code(put_nameless(watch, KIN_WATCH_MODIFIED, "two", "8"), 0);
    assert_code(put_nameless(watch, KIN_WATCH_DELETED, "one", "9"), 0);
    kin_test_await_version(stage, "9");
    assert_false(stores(stage, "one"));
    assert_true(stores(stage, "two"));
    assert_int_equal(kin_test_informer_status(stage).skipped, 0);
    /* An object that the function has no key for is a gap, and the watch goes on. */
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:10"), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:11"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 2);
    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "three", "12"), 0);
    kin_test_await_version(stage, "12");
    assert_true(stores(stage, "three"));
}

static void objects_need_no_name_with_a_key_function(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)context;
    options.key = key_of_id;
    kin_test_with_each_queue_and(&options, nameless);
}

/* Fails for the first state of an object. */
static int reject_odd(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)arg;
    if (kin_str_equal(kin_object_resource_version(object), kin_str_of("odd")))
        return kin_error_set(err, KIN_ETYPE, "odd");
    *ret = kin_object_ref(object);
    return 0;
}

/* Two objects without a name are two gaps, and each is healed by its own next state. */
static void gaps_are_counted_by_the_informers_key(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_test_pull *watch;

    (void)context;
    options.key = key_of_id;
    options.transform = reject_odd;
    stage = kin_test_stage_with(&options);
    watch = kin_test_start(stage, "5", "");
    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "one", "odd"), 0);
    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "one", "odd"), 0);
    assert_code(put_nameless(watch, KIN_WATCH_ADDED, "two", "odd"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 2);
    assert_code(put_nameless(watch, KIN_WATCH_MODIFIED, "two", "8"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 1);
    assert_code(put_nameless(watch, KIN_WATCH_DELETED, "one", "odd"), 0);
    assert_int_equal(kin_test_informer_status(stage).gaps, 0);
    kin_test_stage_free(stage);
}

/* --- life --- */

static void lives(kin_test_stage *stage)
{
    kin_test_pull *watch;

    assert_int_equal(kin_test_informer_status(stage).state, KIN_INFORMER_NEW);
    assert_false(kin_informer_has_synced(stage->informer));
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_await_informer(stage, KIN_INFORMER_LISTING);
    assert_false(kin_test_informer_status(stage).is_synced);
    kin_test_pull_list(kin_test_source_await(stage->source, 0), "5", "a:1");
    watch = kin_test_source_await(stage->source, 1);
    kin_test_await_informer(stage, KIN_INFORMER_WATCHING);
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_true(kin_test_informer_status(stage).is_synced);
    assert_string_equal(kin_test_informer_status(stage).resource_version, "5");
    kin_test_stop_at(stage, watch);
    kin_test_await_informer(stage, KIN_INFORMER_STOPPED);
    assert_true(kin_informer_has_synced(stage->informer));
}

static void its_state_is_visible(void **context)
{
    (void)context;
    kin_test_with_each_queue(lives);
}

static void count_stopped(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state == KIN_INFORMER_STOPPED)
        atomic_fetch_add((atomic_uint *)arg, 1);
}

/* Whoever stops it may be slower than the strand, which tells that it has ended. */
static void its_end_is_told_once(void **context)
{
    (void)context;
    for (int i = 0; i < 500; i++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_source *source = kin_test_source_new(false);
        kin_informer *informer = NULL;
        atomic_uint n_stopped = 0;

        options.changed = count_stopped;
        options.changed_arg = &n_stopped;
        assert_code(
            kin_informer_new_from(&informer, kin_test_source_list_watch(source), &options, NULL),
            0);
        assert_code(kin_informer_start(informer, NULL), 0);
        kin_test_pull_list(kin_test_source_await(source, 0), "5", "a:1");
        kin_test_source_await(source, 1);
        kin_informer_stop(informer);
        assert_code(kin_informer_wait_stopped(informer, -1, NULL), 0);
        kin_informer_free(informer); /* behind all that it had to tell */
        assert_int_equal(atomic_load(&n_stopped), 1);
        kin_test_source_free(source);
    }
}

struct starter {
    kin_informer *informer;
    kin_test_latch *go;
    atomic_int *n_started;
    pthread_t thread;
};

static void *run_starter(void *arg)
{
    struct starter *starter = arg;

    kin_test_latch_wait(starter->go, 1);
    int code = kin_informer_start(starter->informer, NULL);
    if (code == 0)
        atomic_fetch_add(starter->n_started, 1);
    return code == 0 || code == KIN_EBUSY ? NULL : arg;
}

static void one_of_many_who_start_it_does(void **context)
{
    kin_test_stage *stage = kin_test_stage_new();
    struct starter starters[4];
    atomic_int n_started = 0;
    kin_test_latch go;
    void *wrong;

    (void)context;
    kin_test_latch_init(&go);
    kin_test_stage_make(stage);
    for (size_t i = 0; i < 4; i++) {
        starters[i] =
            (struct starter){.informer = stage->informer, .go = &go, .n_started = &n_started};
        assert_int_equal(pthread_create(&starters[i].thread, NULL, run_starter, &starters[i]), 0);
    }
    kin_test_latch_raise(&go);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(starters[i].thread, &wrong), 0);
        assert_null(wrong);
    }
    assert_int_equal(atomic_load(&n_started), 1);
    kin_test_pull_list(kin_test_source_await(stage->source, 0), "5", "a:1");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    /* Behind one list there is one watch. */
    kin_test_source_await(stage->source, 1);
    assert_int_equal(kin_test_informer_status(stage).lists, 1);
    kin_test_stage_free(stage);
    kin_test_latch_done(&go);
}

static void live_until(unsigned stages)
{
    kin_test_stage *stage = kin_test_stage_new();
    kin_test_pull *watch = NULL;

    kin_test_stage_make(stage);
    kin_test_add_handler(stage, NULL);
    if (stages > 0)
        watch = kin_test_start(stage, "5", "a:1 b:2");
    if (stages > 1) {
        kin_test_latch_wait(&stage->handler.calls, 2);
        kin_test_stop_at(stage, watch);
    }
    kin_test_stage_free(stage);
}

/* Never started; while it runs; after it was stopped. */
static void no_thread_is_left_behind(void **context)
{
    size_t before = kin_test_count_threads("");

    (void)context;
    for (unsigned stages = 0; stages <= 2; stages++) {
        live_until(stages);
        kin_test_await_threads("", before);
    }
}

/* --- waiting --- */

struct waiter {
    kin_test_stage *stage;
    int64_t timeout_ms;
    kin_error err;
    int code;
    pthread_t thread;
};

static void *wait_synced(void *arg)
{
    struct waiter *waiter = arg;

    waiter->code =
        kin_informer_wait_synced(waiter->stage->informer, waiter->timeout_ms, &waiter->err);
    return NULL;
}

static void begin_wait(struct waiter *waiter, kin_test_stage *stage, int64_t timeout_ms)
{
    *waiter = (struct waiter){.stage = stage, .timeout_ms = timeout_ms, .err = KIN_ERROR_INIT};
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_synced, waiter), 0);
}

static int end_wait(struct waiter *waiter)
{
    assert_int_equal(pthread_join(waiter->thread, NULL), 0);
    return waiter->code;
}

static void waits(kin_test_stage *stage)
{
    struct waiter short_one;
    struct waiter long_one;

    assert_code(kin_informer_wait_synced(stage->informer, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_informer_wait_synced(stage->informer, -2, NULL), KIN_EINVAL);
    begin_wait(&long_one, stage, -1);
    begin_wait(&short_one, stage, 1500);
    assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_source_await(stage->source, 0);
    kin_test_await_informer(stage, KIN_INFORMER_LISTING);
    assert_code(kin_clock_advance(stage->clock, 1500 * KIN__MILLISECOND, NULL), 0);
    assert_code(end_wait(&short_one), KIN_ETIMEOUT);
    assert_string_equal(short_one.err.message, "pods have not synced: listing");
    kin_test_pull_list(kin_test_source_await(stage->source, 0), "5", "a:1");
    assert_code(end_wait(&long_one), 0);
    assert_code(kin_informer_wait_synced(stage->informer, 0, NULL), 0);
    /* It was there once: that stays. */
    kin_test_stop_at(stage, kin_test_source_await(stage->source, 1));
    assert_code(kin_informer_wait_synced(stage->informer, 0, NULL), 0);
}

static void one_waits_until_it_is_there_or_too_late(void **context)
{
    (void)context;
    kin_test_with_each_queue(waits);
}

static void gives_up(kin_test_stage *stage)
{
    struct waiter waiter;

    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(stage->source, 0), &denied, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    begin_wait(&waiter, stage, -1);
    kin_informer_stop(stage->informer);
    assert_code(end_wait(&waiter), KIN_ECLOSED);
    /* What it was that went wrong, in words and numbers. */
    assert_non_null(strstr(waiter.err.message, "pods have not synced: stopped after an error: "));
    assert_non_null(strstr(waiter.err.message, "you may not"));
    assert_int_equal(waiter.err.http_status, 403);
    assert_string_equal(waiter.err.reason, "Forbidden");
}

static void who_waits_for_what_was_stopped_is_told_why(void **context)
{
    (void)context;
    kin_test_with_each_queue(gives_up);
}

/* As if its reflector had been made a moment ago, as it is when namespaces are added. */
static void forget_version(kin_test_stage *stage)
{
    kin__namespace_reflector *ns =
        kin__list_entry(stage->informer->reflectors.next, kin__namespace_reflector, link);

    kin__mutex_lock(&stage->informer->lock);
    ns->in.received[0] = '\0';
    ns->in.applied[0] = '\0';
    kin__mutex_unlock(&stage->informer->lock);
}

static void versions(kin_test_stage *stage)
{
    kin_error err = KIN_ERROR_INIT;
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");

    kin_test_await_version(stage, "5");
    assert_code(kin_informer_wait_version(stage->informer, "6", 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "pods have not seen version 6 in time: watching");
    assert_code(kin_informer_wait_version(stage->informer, "x", 0, NULL), KIN_EPARSE);
    forget_version(stage);
    assert_code(kin_informer_wait_version(stage->informer, "5", 0, NULL), KIN_ETIMEOUT);
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:7");
    kin_test_await_version(stage, "6");
    /* Not only received: the store has it. */
    assert_int_equal(kin_store_len(kin_informer_store(stage->informer)), 0);
    /* Nothing has changed, but time has passed. */
    kin_test_pull_bookmark(watch, "20", false);
    kin_test_await_version(stage, "20");
    kin_test_stop_at(stage, watch);
    assert_code(kin_informer_wait_version(stage->informer, "20", -1, NULL), 0);
    assert_code(kin_informer_wait_version(stage->informer, "21", -1, NULL), KIN_ECLOSED);
}

static void versions_can_be_waited_for(void **context)
{
    (void)context;
    kin_test_with_each_queue(versions);
}

struct inside {
    kin_test_stage *stage;
    atomic_int codes[4];
    kin_test_latch done;
};

static void wait_inside(kin_informer *informer, struct inside *inside)
{
    atomic_store(&inside->codes[0], kin_informer_wait_stopped(informer, -1, NULL));
    atomic_store(&inside->codes[1], kin_informer_wait_version(informer, "99", 1000, NULL));
    atomic_store(&inside->codes[2], kin_informer_run(informer, NULL));
    /* To look is allowed. */
    atomic_store(&inside->codes[3], kin_informer_wait_version(informer, "99", 0, NULL));
    kin_test_latch_raise(&inside->done);
}

static void handle_and_wait(const kin_event *event, void *arg)
{
    struct inside *inside = arg;

    (void)event;
    wait_inside(inside->stage->informer, inside);
}

static void a_worker_does_not_wait_for_itself(void **context)
{
    kin_handler_options pool = KIN_HANDLER_OPTIONS_INIT;
    struct inside inside = {.stage = kin_test_stage_new()};

    (void)context;
    kin_test_latch_init(&inside.done);
    kin_test_stage_make(inside.stage);
    pool.delivery = KIN_DELIVER_POOL;
    assert_code(kin_informer_add_handler(inside.stage->informer, NULL, handle_and_wait, &inside,
                                         &pool, NULL),
                0);
    kin_test_start(inside.stage, "5", "a:1");
    kin_test_latch_wait(&inside.done, 1);
    assert_int_equal(atomic_load(&inside.codes[0]), KIN_EBUSY);
    assert_int_equal(atomic_load(&inside.codes[1]), KIN_EBUSY);
    assert_int_equal(atomic_load(&inside.codes[2]), KIN_EBUSY);
    assert_int_equal(atomic_load(&inside.codes[3]), KIN_ETIMEOUT);
    kin_test_stage_free(inside.stage);
    kin_test_latch_done(&inside.done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_come_before_and_after_the_start),
        cmocka_unit_test(an_object_that_cannot_be_indexed_is_stored_and_told),
        cmocka_unit_test(each_handler_resyncs_on_its_own_period),
        cmocka_unit_test(the_most_eager_sets_the_pace),
        cmocka_unit_test(nobody_resyncs_where_the_informer_does_not),
        cmocka_unit_test(a_relist_tells_what_differs),
        cmocka_unit_test(without_resyncs_a_relist_tells_all_again_and_says_so),
        cmocka_unit_test(made_anew_in_a_gap_is_an_update),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(each_failure_is_reported),
        cmocka_unit_test(a_request_that_is_wrong_fails_for_good),
        cmocka_unit_test(handlers_see_what_was_transformed_once),
        cmocka_unit_test(a_transform_that_fails_loses_no_change),
        cmocka_unit_test(rejected_deletions_delete),
        cmocka_unit_test(rejections_do_not_flood_the_log),
        cmocka_unit_test(objects_may_be_renamed),
        cmocka_unit_test(objects_need_no_name_with_a_key_function),
        cmocka_unit_test(gaps_are_counted_by_the_informers_key),
        cmocka_unit_test(its_state_is_visible),
        cmocka_unit_test(its_end_is_told_once),
        cmocka_unit_test(one_of_many_who_start_it_does),
        cmocka_unit_test(no_thread_is_left_behind),
        cmocka_unit_test(one_waits_until_it_is_there_or_too_late),
        cmocka_unit_test(who_waits_for_what_was_stopped_is_told_why),
        cmocka_unit_test(versions_can_be_waited_for),
        cmocka_unit_test(a_worker_does_not_wait_for_itself),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
