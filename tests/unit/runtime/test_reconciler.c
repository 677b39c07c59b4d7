/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reconcilers: from events to keys, from keys to calls, and what becomes of what they return.
 */
#include "reconciler_support.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"

/* --- from informers to calls --- */

static void what_is_there_and_what_comes_is_reconciled(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, false, "a:1");
    kin_reconciler_status status;

    (void)state;
    kin_test_assert_reconciled(test, 1, "default/a ");
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_assert_reconciled(test, 2, "default/a default/b ");
    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "a:7");
    kin_test_assert_reconciled(test, 3, "default/a default/b default/a ");
    kin_test_pull_event(test->watch, KIN_WATCH_DELETED, "b:8");
    kin_test_assert_reconciled(test, 4, "default/a default/b default/a default/b ");
    kin_test_until(kin_test_reconciler_status(test).done == 4);
    status = kin_test_reconciler_status(test);
    assert_int_equal(status.state, KIN_RECONCILER_RUNNING);
    assert_int_equal(status.n_workers, 1);
    assert_int_equal(status.n_active, 0);
    assert_int_equal(status.failed + status.requeued + status.requeued_after, 0);
    kin_test_reconciler_free(test);
}

static int look_at_the_key(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                           kin_error *err)
{
    kin_namespaced_name name = kin_reconcile_name(call);

    (void)test;
    (void)n;
    (void)err;
    assert_int_equal(name.namespace_.len, strlen("default"));
    assert_memory_equal(name.namespace_.data, "default", name.namespace_.len);
    assert_memory_equal(name.name.data, "a", name.name.len);
    assert_false(kin_reconcile_is_stopping(call));
    return 0;
}

static void a_call_knows_its_key(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, look_at_the_key, false, "a:1");

    (void)state;
    kin_test_assert_reconciled(test, 1, "default/a ");
    kin_test_reconciler_free(test);
}

static bool was_reconciled_again(kin_test_reconciler *test, const char *before, const char *key)
{
    pthread_mutex_lock(&test->lock);
    bool was = strstr(test->text + strlen(before), key) != NULL;
    pthread_mutex_unlock(&test->lock);
    return was;
}

/* The deletion was not seen: the object was merely missing in a later list. */
static void a_tombstone_is_a_key_like_others(void **state)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, false, "a:1 b:2");

    (void)state;
    kin_test_latch_wait(&test->calls, 2);
    kin_test_pull_fail(test->watch, &expired, true);
    kin_test_advance_until(test->stage, KIN__SECOND,
                           kin_test_source_count(test->stage->source) > 2);
    kin_test_pull_list(kin_test_source_await(test->stage->source, 2), "9", "a:1");
    /* What is still there may come again, too. */
    kin_test_until(was_reconciled_again(test, "default/a default/b ", "default/b "));
    kin_test_reconciler_free(test);
}

/* What came with the first list waits while something has changed. */
static void changes_go_first(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, true, "a:1");
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;
    kin_work_add low = KIN_WORK_ADD_INIT;

    (void)state;
    kin_test_latch_wait(&test->entered, 1);
    low.priority = KIN_WORK_LOW;
    kin_work_queue_add_with(kin_reconciler_queue(test->reconciler), kin_str_of("low"), &low, NULL);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_until(kin_test_reconciler_status(test).n_queued == 2);
    kin_work_queue_get_stats(kin_reconciler_queue(test->reconciler), &stats, NULL);
    assert_int_equal(stats.n_low, 1);
    for (int i = 0; i < 3; i++)
        kin_test_latch_raise(&test->may_return);
    kin_test_assert_reconciled(test, 3, "default/a default/b low ");
    kin_test_reconciler_free(test);
}

static void initial_objects_and_resyncs_can_wait(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;

    (void)state;
    test->is_held = true;
    kin_test_reconciler_make(test, kin_keys_of_object);
    kin_test_reconciler_start(test, "a:1 b:2 c:3");
    kin_test_latch_wait(&test->entered, 1);
    kin_work_queue_get_stats(kin_reconciler_queue(test->reconciler), &stats, NULL);
    assert_int_equal(stats.n_queued, 2);
    assert_int_equal(stats.n_low, 2);
    for (int i = 0; i < 3; i++)
        kin_test_latch_raise(&test->may_return);
    kin_test_latch_wait(&test->calls, 3);
    kin_test_reconciler_free(test);
}

/* --- what a call comes to --- */

static int fail_twice(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)test;
    assert_int_equal(kin_reconcile_n_requeues(call), n - 1);
    return n <= 2 ? kin_error_set(err, KIN_ECONFLICT, "somebody else was faster") : 0;
}

/* 10 s, then 20 s. */
static void what_has_failed_is_tried_later_and_later(void **state)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_work_queue_options queue = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_test_reconciler *test;
    kin_reconciler_status status;

    (void)state;
    assert_code(kin_rate_limiter_new_exponential(&queue.limiter, 10 * KIN__SECOND,
                                                 1000 * KIN__SECOND, NULL),
                0);
    options.queue = &queue;
    test = kin_test_reconciler_with(&options, fail_twice, false, "a:1");
    kin_rate_limiter_unref(queue.limiter);
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    assert_int_equal(
        kin_work_queue_n_requeues(kin_reconciler_queue(test->reconciler), kin_str_of("default/a")),
        1);
    kin_test_advance(test->stage, 9);
    assert_int_equal(kin_test_reconciler_status(test).n_delayed, 1);
    kin_test_advance(test->stage, 1);
    kin_test_latch_wait(&test->calls, 2);
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    kin_test_advance(test->stage, 19);
    assert_int_equal(kin_test_reconciler_status(test).n_delayed, 1);
    kin_test_advance(test->stage, 1);
    kin_test_assert_reconciled(test, 3, "default/a default/a default/a ");
    assert_int_equal(test->times[1] - test->times[0], 10 * KIN__SECOND);
    assert_int_equal(test->times[2] - test->times[1], 20 * KIN__SECOND);
    kin_test_until(kin_test_reconciler_status(test).done == 1);
    status = kin_test_reconciler_status(test);
    assert_int_equal(status.failed, 2);
    assert_int_equal(status.retries, 2);
    /* All is well, so it is forgotten. */
    kin_test_until(kin_work_queue_n_requeues(kin_reconciler_queue(test->reconciler),
                                             kin_str_of("default/a")) == 0);
    assert_true(kin_test_stage_logged(test->stage, "key=default/a", "somebody else was faster"));
    kin_test_reconciler_free(test);
}

static int ask_for_later(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)test;
    (void)err;
    if (n == 1)
        kin_reconcile_requeue(call);
    if (n == 2) {
        assert_int_equal(kin_reconcile_n_requeues(call), 1);
        kin_reconcile_requeue(call);
        kin_reconcile_requeue_after(call, 30 * KIN__SECOND);
    }
    return 0;
}

static void a_call_can_ask_for_another(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, ask_for_later, false, "a:1");
    kin_reconciler_status status;

    (void)state;
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    kin_test_advance(test->stage, 1);
    kin_test_until(kin_test_reconciler_status(test).requeued_after == 1 &&
                   kin_test_reconciler_status(test).n_delayed == 1);
    /* A time that was asked for is no failure. */
    assert_int_equal(
        kin_work_queue_n_requeues(kin_reconciler_queue(test->reconciler), kin_str_of("default/a")),
        0);
    kin_test_advance(test->stage, 29);
    assert_int_equal(kin_test_reconciler_status(test).n_delayed, 1);
    kin_test_advance(test->stage, 1);
    kin_test_latch_wait(&test->calls, 3);
    assert_int_equal(test->times[2] - test->times[1], 30 * KIN__SECOND);
    kin_test_until(kin_test_reconciler_status(test).done == 1);
    status = kin_test_reconciler_status(test);
    assert_int_equal(status.requeued, 1);
    assert_int_equal(status.failed, 0);
    kin_test_reconciler_free(test);
}

/* A failure with what it asked for is a failure. */
static int fail_and_ask(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)test;
    (void)err;
    kin_reconcile_requeue_after(call, 1000 * KIN__SECOND);
    return n == 1 ? KIN_ESERVER : 0;
}

static void a_failure_goes_before_what_was_asked_for(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, fail_and_ask, false, "a:1");

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    assert_code(kin_clock_advance(test->stage->clock, KIN__SECOND - 1, NULL), 0);
    kin_test_latch_wait(&test->calls, 2);
    assert_int_equal(kin_test_reconciler_status(test).failed, 1);
    kin_test_reconciler_free(test);
}

static int return_five(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)test;
    (void)call;
    (void)err;
    return n == 1 ? 5 : 0;
}

/* Nobody knows what it means, so it is not taken for a success. */
static void a_positive_code_is_a_failure(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, return_five, false, "a:1");

    (void)state;
    kin_test_until(
        kin_test_reconciler_status(test).done + kin_test_reconciler_status(test).failed == 1);
    assert_int_equal(kin_test_reconciler_status(test).failed, 1);
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    assert_true(kin_test_stage_logged(test->stage, "key=default/a", "the function returned 5"));
    kin_test_advance(test->stage, 1);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

static size_t count_again(kin_test_reconciler *test)
{
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;

    kin_work_queue_get_stats(kin_reconciler_queue(test->reconciler), &stats, NULL);
    return stats.n_again;
}

/* What changes while it is being looked at is looked at again. */
static void a_change_during_a_call_brings_another(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, true, "a:1");

    (void)state;
    kin_test_latch_wait(&test->entered, 1);
    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_until(count_again(test) == 1);
    kin_test_latch_raise(&test->may_return);
    kin_test_latch_raise(&test->may_return);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

/* --- metrics --- */

static void note_seconds(double seconds, void *arg)
{
    atomic_store((_Atomic double *)arg, seconds);
}

/* Nobody has to ask for it: the gauges of unfinished work go on while a call does. */
static void unfinished_work_is_told_twice_a_second(void **state)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_work_queue_options queue = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    _Atomic double longest = -1;
    kin_test_reconciler *test;

    (void)state;
    metrics.longest_running_processor_seconds = note_seconds;
    queue.metrics = &metrics;
    queue.metrics_arg = &longest;
    options.queue = &queue;
    test = kin_test_reconciler_with(&options, NULL, true, "a:1");
    kin_test_latch_wait(&test->entered, 1);
    for (int i = 1; i <= 3; i++) {
        assert_code(kin_clock_advance(test->stage->clock, KIN__SECOND / 2, NULL), 0);
        kin_test_until(atomic_load(&longest) == i / 2.0);
    }
    kin_test_latch_raise(&test->may_return);
    kin_test_until(kin_test_reconciler_status(test).done == 1);
    kin_test_advance_until(test->stage, KIN__SECOND / 2, atomic_load(&longest) == 0);
    kin_test_reconciler_free(test);
}

/* --- which keys --- */

static const kin_object *owned(const char *name, const char *version, const char *owner)
{
    char json[1024];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{\"namespace\":"
             "\"default\",\"name\":\"%s\",\"resourceVersion\":\"%s\",\"ownerReferences\":[%s]}}",
             name, version, owner);
    return kin_test_json(json);
}

#define OWNER(group, kind, name, controller)                                                       \
    "{\"apiVersion\":\"" group "v1\",\"kind\":\"" kind "\",\"name\":\"" name                       \
    "\",\"uid\":\"1\",\"controller\":" controller "}"

static void send(kin_test_reconciler *test, enum kin_watch_type type, const kin_object *object)
{
    assert_code(kin_test_pull_event_object(test->watch, type, object), 0);
    kin_object_unref(object);
}

static kin_test_reconciler *with_owners(const char *kind)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    kin_test_reconciler_make(test, NULL);
    assert_code(
        kin_reconciler_watch_owned(test->reconciler, test->stage->informer, kind, NULL, NULL), 0);
    kin_test_reconciler_start(test, "a:1");
    return test;
}

static void an_object_concerns_its_owner(void **state)
{
    kin_test_reconciler *test = with_owners("Deployment.apps");

    (void)state;
    send(test, KIN_WATCH_ADDED, owned("w1", "6", OWNER("apps/", "Deployment", "web", "true")));
    kin_test_assert_reconciled(test, 1, "default/web ");
    /* Others own it, but do not manage it; or are of other kinds. */
    send(test, KIN_WATCH_ADDED, owned("w2", "7", OWNER("apps/", "Deployment", "no", "false")));
    send(test, KIN_WATCH_ADDED, owned("w3", "8", OWNER("apps/", "DaemonSet", "no", "true")));
    send(test, KIN_WATCH_ADDED, owned("w4", "9", OWNER("mine.io/", "Deployment", "no", "true")));
    send(test, KIN_WATCH_ADDED, owned("w5", "10", OWNER("", "Deployment", "no", "true")));
    /* It gets another owner: both want to know. */
    send(test, KIN_WATCH_MODIFIED, owned("w1", "11", OWNER("apps/", "Deployment", "db", "true")));
    kin_test_assert_reconciled(test, 3, "default/web default/db default/web ");
    send(test, KIN_WATCH_DELETED, owned("w1", "12", OWNER("apps/", "Deployment", "db", "true")));
    kin_test_assert_reconciled(test, 4, "default/web default/db default/web default/db ");
    kin_test_reconciler_free(test);
}

static void owners_of_any_group_or_kind(void **state)
{
    kin_test_reconciler *test = with_owners("Deployment");

    (void)state;
    send(test, KIN_WATCH_ADDED, owned("w1", "6", OWNER("mine.io/", "Deployment", "web", "true")));
    kin_test_assert_reconciled(test, 1, "default/web ");
    kin_test_reconciler_free(test);
    test = with_owners(NULL);
    send(test, KIN_WATCH_ADDED, owned("w1", "6", OWNER("", "Node", "n1", "true")));
    kin_test_assert_reconciled(test, 1, "default/n1 ");
    kin_test_reconciler_free(test);
}

/* Whose owner has no namespace is said by whoever watches. */
static void owners_of_cluster_scope(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    (void)state;
    kin_test_reconciler_make(test, NULL);
    assert_code(kin_reconciler_watch_owned_by_cluster(test->reconciler, test->stage->informer,
                                                      "Node", NULL, NULL),
                0);
    kin_test_reconciler_start(test, "a:1");
    send(test, KIN_WATCH_ADDED, owned("w1", "6", OWNER("apps/", "Deployment", "no", "true")));
    send(test, KIN_WATCH_ADDED, owned("w2", "7", OWNER("", "Node", "no", "false")));
    send(test, KIN_WATCH_ADDED, owned("w3", "8", OWNER("", "Node", "n1", "true")));
    kin_test_assert_reconciled(test, 1, "n1 ");
    send(test, KIN_WATCH_MODIFIED, owned("w3", "9", OWNER("", "Node", "n2", "true")));
    kin_test_assert_reconciled(test, 3, "n1 n2 n1 ");
    assert_code(kin_keys_of_cluster_controller(NULL, NULL, NULL, NULL), KIN_EINVAL);
    kin_test_reconciler_free(test);
}

/* Two keys of each object, and none of "b", which is wrong. */
static int two_keys(const kin_object *object, kin_reconcile_keys *ret, void *arg, kin_error *err)
{
    int code;

    (void)arg;
    if (strcmp(kin_object_key(object), "default/b") == 0)
        return kin_error_set(err, KIN_ETYPE, "what a b is nobody knows");
    code = kin_reconcile_keys_add(ret, kin_str_of("one"), err);
    return code < 0 ? code : kin_reconcile_keys_add(ret, kin_str_of("two"), err);
}

static void an_object_can_concern_several_keys_or_be_wrong(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    (void)state;
    kin_test_reconciler_make(test, two_keys);
    kin_test_reconciler_start(test, "b:1 a:2");
    kin_test_assert_reconciled(test, 2, "one two ");
    assert_int_equal(kin_test_reconciler_status(test).unmapped, 1);
    assert_true(kin_test_stage_logged(test->stage, "object=default/b", "what a b is nobody knows"));
    kin_test_reconciler_free(test);
}

/* "b", and later one that ends with it behind a zero. */
static int keys_of_any_bytes(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                             kin_error *err)
{
    bool is_first = kin_str_equal(kin_object_resource_version(object), kin_str_of("1"));

    (void)arg;
    return kin_reconcile_keys_add(ret, is_first ? kin_str_of("b") : kin_str_make("a\0b", 3), err);
}

/* What an object concerned before is not taken for a part of what it concerns now. */
static void keys_may_have_any_bytes(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    (void)state;
    kin_test_reconciler_make(test, keys_of_any_bytes);
    kin_test_reconciler_start(test, "a:1");
    kin_test_assert_reconciled(test, 1, "b ");
    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_latch_wait(&test->calls, 2);
    /* All that the event has brought is queued. */
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "c:7");
    kin_test_latch_wait(&test->calls, 3);
    pthread_mutex_lock(&test->lock);
    assert_int_equal(strncmp(test->text, "b a b ", 6), 0); /* as far as it is shown */
    pthread_mutex_unlock(&test->lock);
    kin_test_reconciler_free(test);
}

static void arguments_that_make_no_sense(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, NULL, false, "a:1");
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    kin_reconciler *other = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_reconcile_fn *fn = (kin_reconcile_fn *)(uintptr_t)1;

    (void)state;
    assert_code(kin_reconciler_new(NULL, fn, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_reconciler_new(&other, NULL, NULL, NULL, NULL), KIN_EINVAL);
    options.n_workers = 100000;
    assert_code(kin_reconciler_new(&other, fn, NULL, &options, NULL), KIN_EINVAL);
    options.n_workers = 0;
    options.deadline_ms = -2;
    assert_code(kin_reconciler_new(&other, fn, NULL, &options, NULL), KIN_EINVAL);
    options.deadline_ms = 0;
    options.size = 0;
    assert_code(kin_reconciler_new(&other, fn, NULL, &options, NULL), KIN_EINVAL);
    assert_code(kin_reconciler_new(&other, fn, NULL, NULL, NULL), 0);
    assert_code(kin_reconciler_start(other, &err), KIN_EINVAL);
    assert_string_equal(err.message, "\"reconciler\" watches nothing");
    assert_code(kin_reconciler_watch(other, NULL, NULL, NULL, NULL, NULL), KIN_EINVAL);
    handler.delivery = KIN_DELIVER_POOL;
    assert_code(kin_reconciler_watch(other, test->stage->informer, NULL, NULL, &handler, NULL),
                KIN_EINVAL);
    assert_code(kin_reconciler_read(other, NULL, NULL), KIN_EINVAL);
    /* To read is not to watch. */
    assert_code(kin_reconciler_read(other, test->stage->informer, NULL), 0);
    assert_code(kin_reconciler_start(other, &err), KIN_EINVAL);
    assert_code(kin_reconciler_wait_stopped(other, -2, NULL), KIN_EINVAL);
    assert_code(kin_reconciler_wait_stopped(other, -1, NULL), 0);
    kin_reconciler_free(other);
    assert_code(kin_reconciler_start(NULL, NULL), KIN_EINVAL);
    assert_code(kin_reconciler_get_status(test->reconciler, NULL, NULL), KIN_EINVAL);
    assert_null(kin_reconciler_queue(NULL));
    kin_reconciler_stop(NULL, KIN_RECONCILER_DROP);
    kin_reconciler_free(NULL);
    /* It runs. */
    assert_code(kin_reconciler_start(test->reconciler, NULL), KIN_EBUSY);
    assert_code(
        kin_reconciler_watch(test->reconciler, test->stage->informer, NULL, NULL, NULL, NULL),
        KIN_EBUSY);
    assert_code(kin_reconciler_read(test->reconciler, test->stage->informer, NULL), KIN_EBUSY);
    assert_string_equal(kin_reconciler_state_name(KIN_RECONCILER_SYNCING), "syncing");
    assert_string_equal(kin_reconciler_state_name((kin_reconciler_state)9), "?");
    kin_test_reconciler_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_and_what_comes_is_reconciled),
        cmocka_unit_test(a_call_knows_its_key),
        cmocka_unit_test(a_tombstone_is_a_key_like_others),
        cmocka_unit_test(changes_go_first),
        cmocka_unit_test(initial_objects_and_resyncs_can_wait),
        cmocka_unit_test(what_has_failed_is_tried_later_and_later),
        cmocka_unit_test(a_call_can_ask_for_another),
        cmocka_unit_test(a_failure_goes_before_what_was_asked_for),
        cmocka_unit_test(a_positive_code_is_a_failure),
        cmocka_unit_test(a_change_during_a_call_brings_another),
        cmocka_unit_test(unfinished_work_is_told_twice_a_second),
        cmocka_unit_test(an_object_concerns_its_owner),
        cmocka_unit_test(owners_of_any_group_or_kind),
        cmocka_unit_test(owners_of_cluster_scope),
        cmocka_unit_test(an_object_can_concern_several_keys_or_be_wrong),
        cmocka_unit_test(keys_may_have_any_bytes),
        cmocka_unit_test(arguments_that_make_no_sense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
