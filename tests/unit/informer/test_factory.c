/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories over constructors, whose informers have sources that do what the test says: what informers are
 * made with, and the life of all together. tests/integration/apiserver has the same with a client.
 */
#include "factory_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "child.h"
#include "kinform/owner.h"
#include "latch.h"
#include "oom.h"

/* --- options --- */

static int tweak(const char *resource, kin_informer_options *options, void *arg, kin_error *err)
{
    (void)arg;
    if (strcmp(resource, "secrets") == 0)
        return kin_error_set(err, KIN_EDENIED, "secrets are not for us");
    if (strcmp(resource, "pods") == 0) {
        options->label_selector = "app=web";
        options->page_size = 7;
    }
    return 0;
}

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)err;
    atomic_fetch_add((atomic_uint *)arg, 1);
    *ret = kin_object_ref(object);
    return 0;
}

static void informers_are_made_as_the_options_say(void **context)
{
    static const char *namespaces[] = {"one", "two"};
    char identity[] = "cluster-a";
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = NULL;
    atomic_uint n_transformed = 0;
    kin_test_factory f;

    (void)context;
    informers.resync_ms = 30000;
    informers.namespaces = namespaces;
    informers.n_namespaces = 2;
    informers.field_selector = "spec.nodeName=n";
    informers.snapshot_identity = identity;
    informers.transform = transform;
    informers.transform_arg = &n_transformed;
    options.informers = &informers;
    options.name = "web";
    options.tweak = tweak;
    kin_test_factory_init_with(&f, &options);
    assert_code(kin_factory_set_resync(f.factory, "nodes", 5000, NULL), 0);
    assert_code(kin_factory_set_resync(f.factory, "nodes", 7000, NULL), 0);
    namespaces[0] = NULL;
    identity[0] = '\0';

    kin_test_ask(&f, "pods");
    assert_string_equal(f.seen_name, "web/pods");
    assert_int_equal(f.seen.resync_ms, 30000);
    assert_int_equal(f.seen.n_namespaces, 2);
    assert_string_equal(f.seen.field_selector, "spec.nodeName=n");
    assert_string_equal(f.seen.snapshot_identity, "cluster-a");
    assert_string_equal(f.seen.label_selector, "app=web");
    assert_int_equal(f.seen.page_size, 7);
    assert_ptr_equal(f.seen.clock, f.clock);
    kin_test_ask(&f, "nodes");
    assert_int_equal(f.seen.resync_ms, 7000);
    assert_null(f.seen.label_selector);
    assert_string_equal(f.seen.namespaces[0], "one");
    assert_code(kin_factory_set_resync(f.factory, "nodes", 5000, &err), KIN_EBUSY);
    assert_code(
        kin_factory_informer_for(f.factory, &informer, "secrets", kin_test_construct, &f, &err),
        KIN_EDENIED);
    assert_string_equal(err.message, "secrets are not for us");
    assert_int_equal(f.n_made, 2);
    namespaces[0] = "one";

    /* And with a transformer for all. */
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_sync_source(&f, 0, "5", "a:1 b:2");
    kin_test_sync_source(&f, 1, "5", "c:1");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);
    assert_int_equal(n_transformed, 3);
    kin_test_factory_done(&f);
}

/* --- life --- */

static void start_starts_what_was_not_started(void **context)
{
    kin_test_factory f;
    kin_informer *pods;
    kin_error err = KIN_ERROR_INIT;
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;

    (void)context;
    kin_test_factory_init(&f);
    pods = kin_test_ask(&f, "pods");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, &err), KIN_EINVAL);
    assert_string_equal(err.message, "the factory was not started");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_sync_source(&f, 0, "5", "a:1");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);

    /* One that was asked for later is not waited for, and starts with the next start. */
    kin_test_ask(&f, "nodes");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);
    assert_code(kin_factory_sync_results(f.factory, &results, NULL), 0);
    assert_int_equal(results.len, 2);
    assert_true(results.items[0]->is_started && results.items[0]->is_synced);
    assert_ptr_equal(results.items[0]->informer, pods);
    assert_string_equal(results.items[1]->resource, "nodes");
    assert_false(results.items[1]->is_started || results.items[1]->is_synced);
    assert_int_equal(results.items[1]->error.code, 0);
    kin_sync_results_done(&results);
    assert_int_equal(kin_test_source_count(f.sources[1]), 0);

    /* One that somebody has stopped stays so; one that somebody has started is no failure. */
    kin_informer_stop(pods);
    assert_code(kin_informer_wait_stopped(pods, -1, NULL), 0);
    assert_code(kin_informer_start(kin_test_ask(&f, "secrets"), NULL), 0);
    assert_code(kin_factory_start(f.factory, &err), 0);
    kin_test_sync_source(&f, 1, "5", "b:1");
    kin_test_sync_source(&f, 2, "5", "c:1");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);
    assert_int_equal(kin_test_source_count(f.sources[0]), 2);
    kin_test_factory_done(&f);
}

/* The `at`-th operation of the n-th source. */
static void deny(kin_test_factory *f, size_t n, size_t at)
{
    static const kin_test_failure_of denied = {.code = KIN_EDENIED,
                                               .http_status = 403,
                                               .reason = "Forbidden",
                                               .message = "secrets is forbidden"};

    kin_test_pull_fail(kin_test_source_await(f->sources[n], at), &denied, false);
}

struct waiting {
    kin_factory *factory;
    int64_t timeout_ms;
    kin_error err;
    int code;
};

static void *wait_in_thread(void *arg)
{
    struct waiting *waiting = arg;

    waiting->code = kin_factory_wait_for_sync(waiting->factory, waiting->timeout_ms, &waiting->err);
    return NULL;
}

static void who_waits_is_told_which_have_not_synced(void **context)
{
    struct waiting waiting = {NULL, 10000, KIN_ERROR_INIT, 0};
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;
    kin_informer *pods;
    pthread_t thread;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    kin_test_ask(&f, "nodes");
    kin_test_ask(&f, "secrets");
    pods = kin_test_ask(&f, "pods");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    deny(&f, 1, 0);
    kin_test_sync_source(&f, 2, "5", "a:1");
    assert_code(kin_informer_wait_synced(pods, -1, NULL), 0);
    kin_test_source_await(f.sources[0], 0);
    /* The one that was denied waits to try again. */
    assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    waiting.factory = f.factory;
    assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &waiting), 0);
    assert_code(kin_clock_await_waiters(f.clock, 2, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(f.clock, 10 * KIN__SECOND, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(waiting.code, KIN_ETIMEOUT);
    assert_non_null(
        strstr(waiting.err.message, "2 of 3 have not synced: nodes (listing), secrets ("));
    assert_non_null(strstr(waiting.err.message, ": secrets is forbidden)"));

    assert_code(kin_factory_sync_results(f.factory, &results, NULL), 0);
    assert_int_equal(results.len, 3);
    assert_false(results.items[0]->is_synced);
    assert_int_equal(results.items[0]->error.code, 0);
    assert_string_equal(results.items[1]->resource, "secrets");
    assert_int_equal(results.items[1]->error.code, KIN_EDENIED);
    assert_int_equal(results.items[1]->error.http_status, 403);
    assert_string_equal(results.items[1]->error.reason, "Forbidden");
    assert_true(results.items[2]->is_synced);
    kin_sync_results_done(&results);

    /* What it says is of now. */
    kin_test_sync_source(&f, 0, "5", "a:1");
    kin_informer_stop(kin_test_ask(&f, "secrets"));
    kin_error_clear(&waiting.err);
    assert_code(kin_factory_wait_for_sync(f.factory, -1, &waiting.err), KIN_ECLOSED);
    assert_string_equal(waiting.err.message,
                        "1 of 3 have not synced: secrets (stopped: secrets is forbidden)");
    assert_int_equal(waiting.err.http_status, 403);
    assert_string_equal(waiting.err.reason, "Forbidden");
    kin_test_factory_done(&f);
}

/* An informer that is refused twice ends the wait for all; the error is that of this informer. */
static void a_refusal_ends_the_wait(void **context)
{
    kin_error err = KIN_ERROR_INIT;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    kin_test_ask(&f, "secrets");
    kin_test_ask(&f, "nodes");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    deny(&f, 0, 0);
    assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_factory_wait_for_sync(f.factory, 0, &err), KIN_ETIMEOUT);
    assert_code(kin_clock_advance(f.clock, 10 * KIN__SECOND, NULL), 0);
    deny(&f, 0, 1);
    assert_code(kin_factory_wait_for_sync(f.factory, -1, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "2 of 2 have not synced: secrets ("));
    assert_non_null(strstr(err.message, ": secrets is forbidden), nodes (listing)"));
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.reason, "Forbidden");
    kin_test_factory_done(&f);
}

static void long_reasons_leave_room_for_all_names(void **context)
{
    static char reason[400];
    const kin_test_failure_of failure = {
        .code = KIN_ESERVER, .http_status = 500, .message = reason};
    kin_error err = KIN_ERROR_INIT;
    kin_test_factory f;

    (void)context;
    memset(reason, 'x', sizeof(reason) - 1);
    kin_test_factory_init(&f);
    kin_test_ask(&f, "nodes");
    kin_test_ask(&f, "secrets");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(f.sources[0], 0), &failure, false);
    kin_test_pull_fail(kin_test_source_await(f.sources[1], 0), &failure, false);
    assert_code(kin_clock_await_waiters(f.clock, 2, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_factory_wait_for_sync(f.factory, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "nodes ("));
    assert_non_null(strstr(err.message, "secrets ("));
    assert_int_equal(err.message[strlen(err.message) - 1], ')');
    kin_test_factory_done(&f);
}

static void shutdown_stops_all_for_good(void **context)
{
    kin_test_factory f;
    kin_informer *pods;
    kin_error err = KIN_ERROR_INIT;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    (void)context;
    kin_test_factory_init(&f);
    pods = kin_test_ask(&f, "pods");
    kin_test_ask(&f, "nodes");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_pull_event(kin_test_sync_source(&f, 0, "5", "a:1"), KIN_WATCH_ADDED, "b:6");
    assert_code(kin_factory_shutdown(f.factory, -1, NULL), 0);
    assert_code(kin_informer_get_status(pods, &status, NULL), 0);
    assert_int_equal(status.state, KIN_INFORMER_STOPPED);
    /* What was received is there. */
    assert_int_equal(kin_store_len(kin_informer_store(pods)), 2);
    assert_code(kin_factory_shutdown(f.factory, 0, NULL), 0);

    kin_test_ask(&f, "secrets");
    assert_code(kin_factory_start(f.factory, &err), KIN_ECLOSED);
    assert_string_equal(err.message, "the factory was shut down");
    assert_int_equal(kin_test_source_count(f.sources[2]), 0);
    assert_code(kin_factory_wait_for_sync(f.factory, -1, &err), KIN_ECLOSED);
    assert_string_equal(err.message,
                        "1 of 2 have not synced: nodes (stopped: it was stopped before)");
    kin_test_factory_done(&f);
}

/* A transformer that does not return holds its informer up. */
struct gate {
    kin_test_latch inside;
    kin_test_latch open;
};

static int pass_gate(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    struct gate *gate = arg;

    (void)err;
    kin_test_latch_raise(&gate->inside);
    kin_test_latch_wait(&gate->open, 1);
    *ret = kin_object_ref(object);
    return 0;
}

static void *put_pod(void *arg)
{
    kin_test_pull_event(arg, KIN_WATCH_ADDED, "b:6");
    return NULL;
}

static void shutdown_waits_only_so_long(void **context)
{
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct gate gate;
    kin_test_factory f;
    pthread_t thread;

    (void)context;
    kin_test_latch_init(&gate.inside);
    kin_test_latch_init(&gate.open);
    informers.transform = pass_gate;
    informers.transform_arg = &gate;
    options.informers = &informers;
    kin_test_factory_init_with(&f, &options);
    kin_test_ask(&f, "pods");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, put_pod, kin_test_sync_source(&f, 0, "5", "")),
                     0);
    kin_test_latch_wait(&gate.inside, 1);
    assert_code(kin_factory_shutdown(f.factory, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "the informer \"informer\" was not stopped in time");
    kin_test_latch_raise(&gate.open);
    assert_code(kin_factory_shutdown(f.factory, -1, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    kin_test_factory_done(&f);
    kin_test_latch_done(&gate.inside);
    kin_test_latch_done(&gate.open);
}

/* --- listers and indexes --- */

static bool has_index(kin_informer *informer, const char *name)
{
    kin_string_list names = KIN_STRING_LIST_INIT;
    bool found = false;

    assert_code(kin_store_index_names(kin_informer_store(informer), &names, NULL), 0);
    for (size_t i = 0; i < names.len; i++)
        found |= kin_str_equal(names.items[i], kin_str_of(name));
    kin_string_list_done(&names);
    return found;
}

static int construct_indexed(kin_informer **ret, kin_client *client, const char *resource,
                             const kin_informer_options *options, void *arg, kin_error *err)
{
    kin_index by_namespace = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_index by_owner = KIN_INDEX_INIT(KIN_OWNER_INDEX, kin_owner_index);
    int code = kin_test_construct(ret, client, resource, options, arg, err);

    if (code == 0)
        code = kin_informer_add_index(*ret, &by_namespace, err);
    if (code == 0)
        code = kin_informer_add_index(*ret, &by_owner, err);
    return code;
}

static void informers_have_the_indexes_that_listers_want(void **context)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_informer *informer = NULL;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    assert_true(has_index(kin_test_ask(&f, "pods"), KIN_NAMESPACE_INDEX));
    assert_false(has_index(kin_test_ask(&f, "pods"), KIN_OWNER_INDEX));
    kin_test_factory_done(&f);
    options.index_owners = true;
    kin_test_factory_init_with(&f, &options);
    assert_true(has_index(kin_test_ask(&f, "pods"), KIN_NAMESPACE_INDEX));
    assert_true(has_index(kin_test_ask(&f, "pods"), KIN_OWNER_INDEX));
    /* A constructor may have its own. */
    assert_code(
        kin_factory_informer_for(f.factory, &informer, "nodes", construct_indexed, &f, NULL), 0);
    kin_test_factory_done(&f);
}

static void listers_list_and_get(void **context)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_lister *lister = NULL;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    kin_test_ask(&f, "pods");
    assert_code(kin_factory_lister(f.factory, &lister, "pods", NULL), 0);
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_sync_source(&f, 0, "5", "a:1 b:2");
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);
    assert_code(kin_lister_list(lister, &list, kin_str_of("default"), NULL, NULL), 0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    assert_code(kin_lister_by_index(lister, &list, kin_str_of(KIN_NAMESPACE_INDEX),
                                    kin_str_of("default"), NULL),
                0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    assert_code(kin_lister_get(lister, NULL, kin_str_of("default"), kin_str_of("a"), NULL), 0);
    assert_code(kin_lister_get(lister, NULL, kin_str_of("default"), kin_str_of("c"), &err),
                KIN_ENOTFOUND);
    assert_int_equal(err.http_status, 404);
    /* It outlives the factory. */
    kin_test_factory_done(&f);
    assert_code(kin_lister_get(lister, NULL, kin_str_of("default"), kin_str_of("a"), NULL), 0);
    kin_lister_free(lister);
}

/* --- what the reflectors are asked for --- */

struct counts {
    pthread_mutex_t lock;
    unsigned pods;    /* (lock) lists of "web/pods" */
    unsigned nodes;   /* (lock) */
    unsigned others;  /* (lock) */
    unsigned batches; /* (lock) of all */
};

static void count_list(const char *name, void *arg)
{
    struct counts *counts = arg;

    pthread_mutex_lock(&counts->lock);
    if (strcmp(name, "web/pods") == 0)
        counts->pods++;
    else if (strcmp(name, "web/nodes") == 0)
        counts->nodes++;
    else
        counts->others++;
    pthread_mutex_unlock(&counts->lock);
}

static void count_batch(const char *name, double seconds, void *arg)
{
    struct counts *counts = arg;

    (void)name;
    (void)seconds;
    pthread_mutex_lock(&counts->lock);
    counts->batches++;
    pthread_mutex_unlock(&counts->lock);
}

static void all_reflectors_are_as_the_factory_says(void **context)
{
    kin_reflector_metrics reflector_metrics = KIN_REFLECTOR_METRICS_INIT;
    kin_informer_metrics metrics = KIN_INFORMER_METRICS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    struct counts counts = {.pods = 0};
    kin_test_factory f;

    (void)context;
    pthread_mutex_init(&counts.lock, NULL);
    reflector_metrics.lists_total = count_list;
    metrics.processing_latency_seconds = count_batch;
    reflector.list_timeout_ms = 1234;
    reflector.metrics = &reflector_metrics;
    reflector.metrics_arg = &counts;
    informers.reflector = &reflector;
    informers.metrics = &metrics;
    informers.metrics_arg = &counts;
    options.informers = &informers;
    options.name = "web";
    kin_test_factory_init_with(&f, &options);
    /* All of it was copied. */
    memset(&reflector_metrics, 0xff, sizeof(reflector_metrics));
    memset(&reflector, 0xff, sizeof(reflector));
    memset(&metrics, 0xff, sizeof(metrics));
    kin_test_ask(&f, "pods");
    kin_test_ask(&f, "nodes");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kin_test_source_await(f.sources[i], 0)->progress_timeout_ms, 1234);
        kin_test_sync_source(&f, i, "10", "a:1");
    }
    assert_code(kin_factory_wait_for_sync(f.factory, -1, NULL), 0);
    pthread_mutex_lock(&counts.lock);
    assert_int_equal(counts.pods, 1);
    assert_int_equal(counts.nodes, 1);
    assert_int_equal(counts.others, 0);
    assert_int_equal(counts.batches, 2);
    pthread_mutex_unlock(&counts.lock);
    kin_test_factory_done(&f);
    pthread_mutex_destroy(&counts.lock);
}

/* --- what is refused --- */

static int use_in_child(void *arg)
{
    kin_test_factory *f = arg;
    kin_informer *informer = NULL;
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;
    bool good = kin_factory_informer_for(f->factory, &informer, "pods", kin_test_construct, f,
                                         NULL) == KIN_EFORKED &&
                kin_factory_start(f->factory, NULL) == KIN_EFORKED &&
                kin_factory_wait_for_sync(f->factory, -1, NULL) == KIN_EFORKED &&
                kin_factory_set_resync(f->factory, "pods", 0, NULL) == KIN_EFORKED &&
                kin_factory_sync_results(f->factory, &results, NULL) == KIN_EFORKED &&
                kin_factory_shutdown(f->factory, -1, NULL) == KIN_EFORKED;

    kin_factory_free(f->factory);
    return good ? 0 : 1;
}

static void a_forked_child_is_refused(void **context)
{
    kin_test_child child;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    kin_test_ask(&f, "pods");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_run_child(&child, use_in_child, &f);
    assert_int_equal(child.exit_code, 0);
    kin_test_factory_done(&f);
}

static void assert_refused(const kin_informer_options *informers)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_factory *factory = NULL;

    options.informers = informers;
    assert_code(kin_factory_new(&factory, NULL, &options, NULL), KIN_EINVAL);
    assert_null(factory);
}

static void wrong_options_are_refused(void **context)
{
    static const char *const twice[] = {"one", "one"};
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_metrics metrics = KIN_INFORMER_METRICS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options unset = KIN_FACTORY_OPTIONS_INIT;
    kin_factory *factory = NULL;

    (void)context;
    unset.size = 0;
    assert_code(kin_factory_new(&factory, NULL, &unset, NULL), KIN_EINVAL);
    assert_code(kin_factory_new(NULL, NULL, NULL, NULL), KIN_EINVAL);
    informers.name = "all";
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.snapshot_path = "all.snapshot";
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.resync_ms = -1;
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.namespaces = twice;
    informers.n_namespaces = 2;
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.decode = &decode;
    decode.kind = "Pod";
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.label_selector = "a=b=c";
    unset = (kin_factory_options)KIN_FACTORY_OPTIONS_INIT;
    unset.informers = &informers;
    assert_code(kin_factory_new(&factory, NULL, &unset, NULL), KIN_EPARSE);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.reflector = &reflector;
    reflector.kind = "Pod";
    assert_refused(&informers);
    reflector = (kin_reflector_options)KIN_REFLECTOR_OPTIONS_INIT;
    reflector.page_size = 1;
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.metrics = &metrics;
    metrics.size = 0;
    assert_refused(&informers);
    informers = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    informers.size = 0;
    assert_refused(&informers);
}

static void wrong_arguments_are_refused(void **context)
{
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;
    kin_object_list none = KIN_OBJECT_LIST_INIT;
    const kin_object *pod = kin_test_pod("a:1");
    kin_error err = KIN_ERROR_INIT;
    kin_lister *lister = NULL;
    kin_test_factory f;

    (void)context;
    kin_test_factory_init(&f);
    assert_code(kin_factory_informer(NULL, NULL, "pods", NULL), KIN_EINVAL);
    assert_code(kin_factory_informer(f.factory, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_informer(f.factory, NULL, "", NULL), KIN_EINVAL);
    assert_code(kin_factory_informer_for(f.factory, NULL, "pods", NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_lister(f.factory, NULL, "pods", NULL), KIN_EINVAL);
    assert_code(kin_informer_lister(NULL, &lister, NULL), KIN_EINVAL);
    assert_code(kin_informer_lister(kin_test_ask(&f, "pods"), NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_set_resync(f.factory, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_factory_set_resync(f.factory, "nodes", -1, NULL), KIN_EINVAL);
    assert_code(kin_factory_start(NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_wait_for_sync(f.factory, -2, NULL), KIN_EINVAL);
    assert_code(kin_factory_sync_results(NULL, &results, NULL), KIN_EINVAL);
    assert_code(kin_factory_sync_results(f.factory, NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_shutdown(NULL, -1, NULL), KIN_EINVAL);
    assert_code(kin_factory_shutdown(f.factory, -2, NULL), KIN_EINVAL);
    assert_code(kin_factory_owner(f.factory, NULL, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_owner(f.factory, NULL, pod, NULL, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "\"default/a\" has no controller");
    kin_sync_results_done(NULL);
    kin_sync_results_done(&results);
    kin_object_list_done(&none);
    kin_factory_free(NULL);
    kin_object_unref(pod);
    kin_test_factory_done(&f);
}

/* --- memory --- */

/* Lists are answered at once. */
static int answer(kin_test_pull *pull, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    if (pull->is_list)
        kin_test_pull_list(pull, "5", "a:1 b:2");
    return 0;
}

static int set_up(kin_test_factory *f, kin_lister **ret, kin_error *err)
{
    int code = kin_factory_set_resync(f->factory, "nodes", 0, err);

    if (code == 0)
        code = kin_factory_informer_for(f->factory, NULL, "pods", kin_test_construct, f, err);
    if (code == 0)
        code = kin_factory_informer_for(f->factory, NULL, "nodes", kin_test_construct, f, err);
    if (code == 0)
        code = kin_factory_lister(f->factory, ret, "nodes", err);
    return code < 0 ? code : kin_factory_start(f->factory, err);
}

/* Whether all have synced after so many seconds at most. */
static bool has_synced(kin_test_factory *f, unsigned seconds)
{
    for (unsigned i = 0; i < seconds; i++) {
        if (kin_factory_wait_for_sync(f->factory, 0, NULL) == 0)
            return true;
        kin_clock_advance(f->clock, KIN__SECOND, NULL);
        sched_yield();
    }
    return false;
}

static int use(kin_test_factory *f, kin_error *err)
{
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;
    kin_lister *lister = NULL;
    int code = set_up(f, &lister, err);

    if (code == 0) {
        /* Without memory it may not get far; with memory it recovers. */
        has_synced(f, 1000);
        code = kin_factory_sync_results(f->factory, &results, err);
        kin_test_alloc_disarm();
        while (!has_synced(f, 100))
            continue;
    }
    kin_sync_results_done(&results);
    kin_lister_free(lister);
    return code;
}

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static int whole_life(void *arg, kin_error *err)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    static const char *const namespaces[] = {"one", "two"};
    kin_test_factory f;
    int code;

    memset(&f, 0, sizeof(f));
    for (size_t i = 0; i < KIN_TEST_FACTORY_SOURCES; i++) {
        f.sources[i] = kin_test_source_new(false);
        kin_test_source_on_begin(f.sources[i], answer, NULL);
    }
    informers.logger = arg;
    informers.namespaces = namespaces;
    informers.n_namespaces = 2;
    informers.label_selector = "app";
    informers.snapshot_identity = "cluster-a";
    options.informers = &informers;
    options.name = "web";
    options.index_owners = true;
    code = kin_clock_new_fake(&f.clock, 0, err);
    informers.clock = f.clock;
    if (code == 0)
        code = kin_factory_new(&f.factory, NULL, &options, err);
    if (code == 0)
        code = use(&f, err);
    kin_test_factory_done(&f);
    return code;
}

static void every_allocation_may_fail(void **context)
{
    kin_logger *logger = NULL;

    (void)context;
    assert_code(kin_logger_new(&logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    kin_test_fail_each_allocation(whole_life, logger);
    kin_logger_unref(logger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(informers_are_made_as_the_options_say),
        cmocka_unit_test(start_starts_what_was_not_started),
        cmocka_unit_test(who_waits_is_told_which_have_not_synced),
        cmocka_unit_test(a_refusal_ends_the_wait),
        cmocka_unit_test(long_reasons_leave_room_for_all_names),
        cmocka_unit_test(shutdown_stops_all_for_good),
        cmocka_unit_test(shutdown_waits_only_so_long),
        cmocka_unit_test(informers_have_the_indexes_that_listers_want),
        cmocka_unit_test(listers_list_and_get),
        cmocka_unit_test(all_reflectors_are_as_the_factory_says),
        cmocka_unit_test(a_forked_child_is_refused),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
