/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer is asked for that its reflectors do, and what it tells in numbers.
 */
#include "informer_support.h"

#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "kinform/metadata.h"
#include "oom.h"

static const kin_test_failure_of broken = {
    .code = KIN_ESERVER, .http_status = 503, .reason = "ServiceUnavailable", .message = "later"};
static const kin_test_failure_of internal = {
    .code = KIN_ESERVER, .http_status = 500, .reason = "InternalError", .message = "oops"};

static kin_test_stage *stage_with(const kin_reflector_options *reflector)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.reflector = reflector;
    return kin_test_stage_with(&options);
}

/* --- what reflectors do --- */

static void delays_and_timeouts_can_be_set(void **state)
{
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_test_pull *list;

    (void)state;
    reflector.list_timeout_ms = 4321;
    reflector.backoff_initial_ms = 10000;
    reflector.backoff_max_ms = 40000;
    reflector.backoff_factor = 4;
    reflector.backoff_jitter = -1;
    stage = stage_with(&reflector);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list = kin_test_source_await(stage->source, 0);
    assert_int_equal(list->progress_timeout_ms, 4321);
    for (size_t i = 0; i < 2; i++) {
        kin_test_pull_fail(kin_test_source_await(stage->source, i), &broken, false);
        assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        kin_test_await_informer(stage, KIN_INFORMER_WAITING);
        kin_test_advance(stage, i == 0 ? 9 : 39);
        assert_int_equal(kin_test_source_count(stage->source), i + 1);
        kin_test_advance(stage, 1);
        kin_test_source_await(stage->source, i + 1);
        kin_test_await_informer(stage, KIN_INFORMER_LISTING);
    }
    kin_test_stage_free(stage);
}

static void internal_errors_can_be_met_with_another_watch(void **state)
{
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_test_pull *watch;

    (void)state;
    reflector.internal_error_retry_ms = 10000;
    stage = stage_with(&reflector);
    kin_test_pull_error_event(kin_test_start(stage, "10", "a:1"), &internal);
    watch = kin_test_source_await(stage->source, 2); /* at once: the clock stands */
    assert_false(watch->is_list);
    assert_string_equal(watch->version, "10");
    kin_test_stage_free(stage);
}

static void streaming_lists_can_be_insisted_on(void **state)
{
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    reflector.streaming_lists = KIN_STREAMING_LISTS_ALWAYS;
    options.reflector = &reflector;
    for (int i = 0; i < 2; i++) {
        kin_test_stage *stage;

        options.no_streaming_list = i == 1;
        stage = kin_test_stage_with(&options);
        assert_code(kin_informer_start(stage->informer, NULL), 0);
        assert_true(kin_test_source_await(stage->source, 0)->streams == (i == 0));
        kin_test_stage_free(stage);
    }
}

static void a_source_of_the_callers_own_has_a_kind(void **state)
{
    char kind[] = "Pod";
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    const kin_object *node =
        kin_test_json("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"x\","
                      "\"resourceVersion\":\"11\"}}");
    kin_test_stage *stage;
    kin_test_pull *watch;

    (void)state;
    reflector.api_version = "v1";
    reflector.kind = kind;
    stage = stage_with(&reflector);
    kind[0] = 'X';
    watch = kin_test_start(stage, "10", "a:1");
    assert_code(kin_test_pull_event_object(watch, KIN_WATCH_ADDED, node), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:12"), 0);
    kin_test_await_version(stage, "12");
    kin_test_stage_has(stage, "a:1 b:12");
    assert_int_equal(kin_test_informer_status(stage).skipped, 1);
    kin_object_unref(node);
    kin_test_stage_free(stage);
}

/* --- what is refused --- */

static void some_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    (void)reflector;
    (void)failure;
    (void)arg;
}

static void some_status(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    (void)reflector;
    (void)status;
    (void)arg;
}

static bool some_resync(void *arg)
{
    (void)arg;
    return true;
}

static void some_free(void *arg)
{
    (void)arg;
}

static void assert_refused(const kin_reflector_options *reflector, const char *word)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_source *source = kin_test_source_new(false);
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;

    options.reflector = reflector;
    assert_code(
        kin_informer_new_from(&informer, kin_test_source_list_watch(source), &options, &err),
        KIN_EINVAL);
    assert_null(informer);
    assert_non_null(strstr(err.message, word));
    kin_test_source_free(source);
}

/* Who sets one of these would wait for it in vain. */
static void what_is_the_informers_own_is_refused(void **state)
{
    static const kin_reflector_metrics no_size = {.size = 0};
    const kin_reflector_options init = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_options o;
    int here = 0;

    (void)state;
#define REFUSED(member, value) (o = init, o.member = (value), assert_refused(&o, #member))
    REFUSED(name, "pods");
    REFUSED(logger, (kin_logger *)(void *)&here);
    REFUSED(clock, (kin_clock *)(void *)&here);
    REFUSED(seed, 1);
    REFUSED(resource_version, "1");
    REFUSED(page_size, 1);
    REFUSED(min_watch_timeout_ms, 1);
    REFUSED(resync_ms, 1);
    REFUSED(should_resync, some_resync);
    REFUSED(error, some_error);
    REFUSED(status, some_status);
    REFUSED(arg, &here);
    REFUSED(arg_free, some_free);
    REFUSED(gap_relist_ms, 1);
    REFUSED(gap_relist_max_ms, 1);
    REFUSED(relist_ms, 1);
    REFUSED(metrics_arg_free, some_free);
    /* And what makes no sense, when it is made and not when it is started. */
    REFUSED(backoff_initial_ms, -1);
    REFUSED(list_timeout_ms, -2);
    o = init;
    o.metrics = &no_size;
    assert_refused(&o, "KIN_REFLECTOR_METRICS_INIT");
    o = init;
    o.size = 0;
    assert_refused(&o, "KIN_REFLECTOR_OPTIONS_INIT");
}

static int make_one(void *arg, kin_error *err)
{
    kin_test_source *source = arg;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    int code;

    reflector.api_version = "v1";
    reflector.kind = "Pod";
    options.reflector = &reflector;
    code = kin_informer_new_from(&informer, kin_test_source_list_watch(source), &options, err);
    kin_informer_free(informer);
    return code;
}

static void memory_may_run_out(void **state)
{
    kin_test_source *source = kin_test_source_new(false);

    (void)state;
    kin_test_fail_each_allocation(make_one, source);
    kin_test_source_free(source);
}

/* --- what is told --- */

struct metrics {
    pthread_mutex_t lock;
    unsigned lists;    /* (lock) */
    double queued[64]; /* (lock) */
    unsigned n_queued;
    unsigned n_batches; /* (lock) */
    double seconds;     /* (lock) of the last */
    double version;     /* (lock) */
    kin_clock *clock;
};

static struct metrics *enter(const char *name, void *arg)
{
    struct metrics *m = arg;

    assert_string_equal(name, "pods");
    pthread_mutex_lock(&m->lock);
    return m;
}

static void on_list(const char *name, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->lists++;
    pthread_mutex_unlock(&m->lock);
}

static void on_queued(const char *name, double items, void *arg)
{
    struct metrics *m = enter(name, arg);

    if (m->n_queued < 64)
        m->queued[m->n_queued++] = items;
    pthread_mutex_unlock(&m->lock);
}

static void on_batch(const char *name, double seconds, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->n_batches++;
    m->seconds = seconds;
    pthread_mutex_unlock(&m->lock);
}

static void on_version(const char *name, double version, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->version = version;
    pthread_mutex_unlock(&m->lock);
}

/* It takes two seconds to look at an object. */
static int slow_index(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    kin_clock *clock = arg;

    (void)object;
    (void)values;
    return kin_clock_advance(clock, 2 * KIN__SECOND, err);
}

#define assert_value(actual, expected) assert_true((actual) == (double)(expected))

static void metrics_are_told(kin_informer_queue queue)
{
    kin_reflector_metrics reflector_metrics = KIN_REFLECTOR_METRICS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_metrics metrics = KIN_INFORMER_METRICS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT("slow", slow_index);
    struct metrics m = {.lists = 0};
    kin_test_stage *stage;
    kin_test_pull *watch;

    pthread_mutex_init(&m.lock, NULL);
    reflector_metrics.lists_total = on_list;
    reflector.metrics = &reflector_metrics;
    reflector.metrics_arg = &m;
    metrics.queued_items = on_queued;
    metrics.processing_latency_seconds = on_batch;
    metrics.store_resource_version = on_version;
    options.reflector = &reflector;
    options.metrics = &metrics;
    options.metrics_arg = &m;
    options.queue = queue;
    stage = kin_test_stage_with(&options);
    index.arg = stage->clock;
    assert_code(kin_informer_add_index(stage->informer, &index, NULL), 0);
    watch = kin_test_start(stage, "10", "a:1 b:2");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:12"), 0);
    kin_test_await_version(stage, "12");
    assert_code(kin_test_pull_bookmark(watch, "20", false), 0);
    kin_test_await_version(stage, "20");
    kin_test_stop_at(stage, watch); /* the turn in which all this was told is over */
    pthread_mutex_lock(&m.lock);
    assert_int_equal(m.lists, 1);
    assert_value(m.version, 20);
    assert_true(m.n_batches >= 2);
    assert_true(m.seconds >= 2);
    /* Something waited, and nothing does. */
    assert_true(m.n_queued >= 2);
    assert_true(m.queued[0] > 0);
    assert_value(m.queued[m.n_queued - 1], 0);
    for (unsigned i = 1; i < m.n_queued; i++)
        assert_true(m.queued[i] != m.queued[i - 1]);
    pthread_mutex_unlock(&m.lock);
    kin_test_stage_free(stage);
    pthread_mutex_destroy(&m.lock);
}

static void metrics_are_those_of_client_go(void **state)
{
    (void)state;
    metrics_are_told(KIN_QUEUE_DELTA_FIFO);
    metrics_are_told(KIN_QUEUE_ORDERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_and_timeouts_can_be_set),
        cmocka_unit_test(internal_errors_can_be_met_with_another_watch),
        cmocka_unit_test(streaming_lists_can_be_insisted_on),
        cmocka_unit_test(a_source_of_the_callers_own_has_a_kind),
        cmocka_unit_test(what_is_the_informers_own_is_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(metrics_are_those_of_client_go),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
