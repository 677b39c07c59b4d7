/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for an object that was written: while more comes all the time, for one that is gone, and at a server whose
 * versions have gone back.
 */
#include "informer_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"

static int wait_for(kin_test_stage *stage, const char *pod, int64_t timeout_ms)
{
    const kin_object *object = kin_test_pod(pod);
    int code = kin_informer_wait_object(stage->informer, object, timeout_ms, NULL);

    kin_object_unref(object);
    return code;
}

/* --- a source that never goes quiet --- */

enum {
    OBJECT_AT = 5,                /* the event that brings what is waited for */
    EVENTS_MAX = 5 * 1000 * 1000, /* so that a wait that starves ends, too */
};

/* Each batch that is applied is followed by another event, which is queued before the informer looks whether more waits. */
struct load {
    kin_test_pull *watch;
    unsigned n; /* of the informer's strand */
    kin_test_latch
        begun; /* the thread that began it has left the watch: one calls back at a time */
    atomic_bool must_end;
    atomic_bool has_ended;
    kin_test_latch ended;
};

static void feed_more(const char *name, double seconds, void *arg)
{
    struct load *load = arg;
    char pod[32];

    (void)name;
    (void)seconds;
    if (!load->watch || atomic_load(&load->has_ended))
        return;
    if (atomic_load(&load->must_end) || load->n == EVENTS_MAX) {
        atomic_store(&load->has_ended, true);
        kin_test_latch_raise(&load->ended);
        return;
    }
    kin_test_latch_wait(&load->begun, 1);
    load->n++;
    snprintf(pod, sizeof(pod), "%s:%u",
             load->n == OBJECT_AT ? "wanted"
             : load->n % 2        ? "b"
                                  : "c",
             100 + load->n);
    kin_test_pull_event(load->watch, KIN_WATCH_ADDED, pod);
}

static void is_not_starved(kin_informer_queue queue, bool by_version)
{
    kin_informer_metrics metrics = KIN_INFORMER_METRICS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct load load = {.watch = NULL};
    kin_test_pull *watch;
    kin_test_stage *stage;

    kin_test_latch_init(&load.begun);
    kin_test_latch_init(&load.ended);
    metrics.processing_latency_seconds = feed_more;
    options.queue = queue;
    options.metrics = &metrics;
    options.metrics_arg = &load;
    stage = kin_test_stage_with(&options);
    watch = kin_test_start(stage, "100", "a:1");
    kin_test_await_version(stage, "100");
    load.watch = watch;
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:100");
    kin_test_latch_raise(&load.begun);
    if (by_version)
        assert_code(kin_informer_wait_version(stage->informer, "105", -1, NULL), 0);
    else
        assert_code(wait_for(stage, "wanted:105", -1), 0);
    assert_code(kin_store_get(kin_informer_store(stage->informer), NULL,
                              kin_str_of("default/wanted"), NULL),
                0);
    assert_false(atomic_load(&load.has_ended));
    atomic_store(&load.must_end, true);
    kin_test_latch_wait(&load.ended, 1);
    kin_test_stop_at(stage, watch);
    kin_test_stage_free(stage);
    kin_test_latch_done(&load.begun);
    kin_test_latch_done(&load.ended);
}

static void a_busy_source_starves_nobody(void **context)
{
    (void)context;
    for (int by_version = 0; by_version < 2; by_version++) {
        is_not_starved(KIN_QUEUE_DELTA_FIFO, by_version);
        is_not_starved(KIN_QUEUE_ORDERED, by_version);
    }
}

/* --- a server that was restored --- */

struct waiter {
    kin_test_stage *stage;
    const char *pod;
    atomic_int code;
};

static void *run_waiter(void *arg)
{
    struct waiter *waiter = arg;

    atomic_store(&waiter->code, wait_for(waiter->stage, waiter->pod, -1));
    return NULL;
}

static void *run_waiter_for_an_hour(void *arg)
{
    struct waiter *waiter = arg;

    atomic_store(&waiter->code, wait_for(waiter->stage, waiter->pod, 3600000));
    return NULL;
}

static void restored(kin_test_stage *stage)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};
    struct waiter waiter = {stage, "b:55", 1};
    kin_test_pull *watch = kin_test_start(stage, "100", "a:90");
    pthread_t thread;
    size_t n;

    kin_test_await_version(stage, "100");
    /* It has seen version 100, but not this one. */
    assert_code(wait_for(stage, "b:55", 0), KIN_ETIMEOUT);
    assert_int_equal(pthread_create(&thread, NULL, run_waiter, &waiter), 0);
    n = kin_test_source_count(stage->source);
    kin_test_pull_error_event(watch, &expired);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    kin_test_advance(stage, 60);
    kin_test_pull_list(kin_test_source_await(stage->source, n), "60", "a:40 b:55");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(atomic_load(&waiter.code), 0);
    kin_test_stage_has(stage, "a:40 b:55");
}

static void a_later_version_alone_is_not_enough(void **context)
{
    (void)context;
    kin_test_with_each_queue(restored);
}

/* A restored server can agree to a watch from a version that it no longer has: that says nothing about the object. */
static void agreed(kin_test_stage *stage)
{
    struct waiter waiter = {stage, "b:55", 1};
    kin_test_pull *watch = kin_test_start(stage, "100", "a:90");
    size_t n_waiters = 0;
    pthread_t thread;
    size_t n;

    /* A watch that brings nothing counts as too short, and is followed by a list. */
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:101"), 0);
    kin_test_await_version(stage, "101");
    while (kin_clock_await_waiters(stage->clock, n_waiters + 1, 0, NULL) == 0)
        n_waiters++;
    assert_int_equal(pthread_create(&thread, NULL, run_waiter_for_an_hour, &waiter), 0);
    assert_code(kin_clock_await_waiters(stage->clock, n_waiters + 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    n = kin_test_source_count(stage->source);
    kin_test_pull_close(watch);
    watch = kin_test_source_await(stage->source, n);
    assert_string_equal(watch->version, "101");
    assert_code(kin_test_pull_begun(watch), 0);
    kin_test_await_informer(stage, KIN_INFORMER_WATCHING);
    kin_test_advance(stage, 3600);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(atomic_load(&waiter.code), KIN_ETIMEOUT);
    kin_test_stop_at(stage, watch);
}

static void an_agreed_watch_is_not_enough(void **context)
{
    (void)context;
    kin_test_with_each_queue(agreed);
}

/* --- an object that is not there --- */

static void gone(kin_test_stage *stage)
{
    struct waiter waiter = {stage, "left-out:103", 1};
    kin_test_pull *watch = kin_test_start(stage, "100", "a:90 b:91");
    pthread_t thread;

    /* Its deletion was applied: with the version of the deletion, and any before. */
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:101");
    kin_test_await_version(stage, "101");
    assert_code(wait_for(stage, "a:101", 0), 0);
    assert_code(wait_for(stage, "a:95", 0), 0);
    assert_code(wait_for(stage, "a:102", 0), KIN_ETIMEOUT);
    /* Made again and not deleted since. */
    assert_code(wait_for(stage, "b:92", 0), KIN_ETIMEOUT);
    /* What selectors leave out: the next version that comes says that it was passed. */
    kin_test_pull_bookmark(watch, "104", false);
    kin_test_await_version(stage, "104");
    assert_code(wait_for(stage, "left-out:103", 0), KIN_ETIMEOUT);
    assert_int_equal(pthread_create(&thread, NULL, run_waiter, &waiter), 0);
    /* Whether it waits by now or not: one of these comes behind its begin. */
    for (unsigned i = 0; atomic_load(&waiter.code) != 0 && i < 100000; i++) {
        kin_test_pull_bookmark(watch, "200", false);
        kin_test_await_version(stage, "200");
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(atomic_load(&waiter.code), 0);
    kin_test_stop_at(stage, watch);
}

static void what_is_gone_was_seen(void **context)
{
    (void)context;
    kin_test_with_each_queue(gone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_source_starves_nobody),
        cmocka_unit_test(a_later_version_alone_is_not_enough),
        cmocka_unit_test(an_agreed_watch_is_not_enough),
        cmocka_unit_test(what_is_gone_was_seen),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
