/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reconciler under threads: a world that changes, watches that break, calls that fail, ask to be called
 * again, and write what the cache sees late or never; others look on, and stop it at any time. Bounded
 * by operations, not by time.
 *
 * No key is worked on by two at once; after quiet each key was reconciled in its last state. A wake-up
 * that is lost shows as a hang.
 */
#include "kin_test.h"
#include "kinform/reconciler.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "rng.h"
#include "world.h"

enum {
    N_WORKERS = 4,
    N_WRITERS = 2,
    N_OPS = KIN_TEST_SANITIZED ? 5000 : 50000,
    N_LIVES = KIN_TEST_SANITIZED ? 30 : 100,
};

struct storm {
    kin_test_world *world;
    kin_informer *informer;
    kin_reconciler *reconciler;
    kin_logger *logger;
    atomic_uint seen[KIN_TEST_WORLD_PODS];
    atomic_bool is_busy[KIN_TEST_WORLD_PODS];
    atomic_uint n_wrong;
    atomic_uint n_calls;
    atomic_bool is_over;
    atomic_bool is_calm; /* calls do nothing but look */
};

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static unsigned number_of(kin_str digits)
{
    uint64_t n = 0;

    kin__str_to_u64(&n, digits);
    return (unsigned)n;
}

/* Something that the cache has, or will have soon, or will never have. */
static int write_something(struct storm *storm, kin_reconcile *call, kin_test_rng *rng,
                           kin_error *err)
{
    char version[24];

    if (kin_test_below(rng, 32) == 0)
        return kin_reconcile_wrote_version(call, storm->informer, kin_str_of("999999999"), err);
    kin_test_world_version(storm->world, version);
    return kin_reconcile_wrote_version(call, storm->informer, kin_str_of(version), err);
}

static int misbehave(struct storm *storm, kin_reconcile *call, unsigned n, kin_error *err)
{
    kin_test_rng rng = {n * 2654435761U + 1};

    if (kin_test_below(&rng, 2) == 0 && write_something(storm, call, &rng, err) < 0)
        atomic_fetch_add(&storm->n_wrong, 1);
    switch (kin_test_below(&rng, 8)) {
    case 0:
        return KIN_ECONFLICT;
    case 1:
        kin_reconcile_requeue(call);
        return 0;
    case 2:
        kin_reconcile_requeue_after(call, (int64_t)kin_test_below(&rng, KIN__MILLISECOND));
        return 0;
    case 3:
        sched_yield();
        return 0;
    default:
        return 0;
    }
}

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    struct storm *storm = arg;
    kin_str name = kin_reconcile_name(call).name;
    unsigned pod = number_of(kin_str_make(name.data + 1, name.len - 1)) % KIN_TEST_WORLD_PODS;
    unsigned n = atomic_fetch_add(&storm->n_calls, 1);
    const kin_object *object = NULL;
    int code;

    if (atomic_exchange(&storm->is_busy[pod], true))
        atomic_fetch_add(&storm->n_wrong, 1);
    kin_store_get(kin_informer_store(storm->informer), &object, kin_reconcile_key(call), NULL);
    atomic_store(&storm->seen[pod], object ? number_of(kin_object_resource_version(object)) : 0);
    kin_object_unref(object);
    code = atomic_load(&storm->is_calm) ? 0 : misbehave(storm, call, n, err);
    atomic_store(&storm->is_busy[pod], false);
    return code;
}

/* --- other threads --- */

struct thread {
    kin__thread thread;
    struct storm *storm;
    kin_test_rng rng;
};

static void change(void *arg)
{
    struct thread *thread = arg;

    for (unsigned i = 0; i < N_OPS; i++) {
        unsigned pod = (unsigned)kin_test_below(&thread->rng, KIN_TEST_WORLD_PODS);

        if (kin_test_below(&thread->rng, 4) == 0)
            kin_test_world_delete(thread->storm->world, pod);
        else
            kin_test_world_put(thread->storm->world, pod);
        if (kin_test_below(&thread->rng, 1000) == 0)
            kin_test_world_break(thread->storm->world, kin_test_below(&thread->rng, 2) == 0);
        if (i % 16 == 0)
            sched_yield();
    }
}

static void look(void *arg)
{
    struct thread *thread = arg;
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;

    while (!atomic_load(&thread->storm->is_over)) {
        kin_reconciler_get_status(thread->storm->reconciler, &status, NULL);
        if (status.n_active > N_WORKERS || status.n_parked > KIN_TEST_WORLD_PODS)
            atomic_fetch_add(&thread->storm->n_wrong, 1);
        sched_yield();
    }
}

static void begin(struct thread *thread, struct storm *storm, kin__thread_fn *fn, unsigned seed)
{
    *thread = (struct thread){KIN__THREAD_INIT, storm, {seed * 7919 + 1}};
    assert_code(kin__thread_start(&thread->thread, "kin-stress", fn, thread, NULL), 0);
}

/* --- a storm --- */

static void open_storm(struct storm *storm)
{
    kin_informer_options informer = KIN_INFORMER_OPTIONS_INIT;
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_work_queue_options queue = KIN_WORK_QUEUE_OPTIONS_INIT;

    assert_code(kin_logger_new(&storm->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    storm->world = kin_test_world_new();
    informer.logger = options.logger = storm->logger;
    assert_code(kin_informer_new_from(&storm->informer, kin_test_world_list_watch(storm->world),
                                      &informer, NULL),
                0);
    assert_code(kin_rate_limiter_new_exponential(&queue.limiter, KIN__MILLISECOND / 100,
                                                 KIN__MILLISECOND, NULL),
                0);
    options.queue = &queue;
    options.n_workers = N_WORKERS;
    options.write_timeout_ms = 20;
    options.deadline_ms = 1;
    assert_code(kin_reconciler_new(&storm->reconciler, reconcile, storm, &options, NULL), 0);
    kin_rate_limiter_unref(queue.limiter);
    assert_code(kin_reconciler_watch(storm->reconciler, storm->informer, NULL, NULL, NULL, NULL),
                0);
    assert_code(kin_informer_start(storm->informer, NULL), 0);
}

static void close_storm(struct storm *storm)
{
    kin_reconciler_free(storm->reconciler);
    kin_informer_free(storm->informer);
    kin_test_world_free(storm->world);
    kin_logger_unref(storm->logger);
}

static bool is_settled(struct storm *storm)
{
    for (unsigned i = 0; i < KIN_TEST_WORLD_PODS; i++) {
        const kin_object *object = NULL;
        unsigned version = 0;
        char key[32];

        snprintf(key, sizeof(key), "default/p%u", i);
        if (kin_store_get(kin_informer_store(storm->informer), &object, kin_str_of(key), NULL) == 0)
            version = number_of(kin_object_resource_version(object));
        kin_object_unref(object);
        if (atomic_load(&storm->seen[i]) != version)
            return false;
    }
    return true;
}

static void each_key_is_seen_in_its_last_state_by_one_at_a_time(void **state)
{
    struct storm *storm = calloc(1, sizeof(*storm));
    struct thread writers[N_WRITERS];
    struct thread looker;
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;
    char version[24];

    (void)state;
    open_storm(storm);
    assert_code(kin_reconciler_start(storm->reconciler, NULL), 0);
    begin(&looker, storm, look, 99);
    for (unsigned i = 0; i < N_WRITERS; i++)
        begin(&writers[i], storm, change, i);
    for (unsigned i = 0; i < N_WRITERS; i++)
        kin__thread_join(&writers[i].thread, NULL);
    atomic_store(&storm->is_calm, true);
    kin_test_world_version(storm->world, version);
    assert_code(kin_informer_wait_version(storm->informer, version, KIN_TEST_TIMEOUT_MS, NULL), 0);
    while (!is_settled(storm))
        sched_yield();
    atomic_store(&storm->is_over, true);
    kin__thread_join(&looker.thread, NULL);
    kin_reconciler_stop(storm->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(kin_reconciler_wait_stopped(storm->reconciler, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(atomic_load(&storm->n_wrong), 0);
    assert_code(kin_reconciler_get_status(storm->reconciler, &status, NULL), 0);
    assert_int_equal(status.n_active + status.n_queued, 0);
    assert_int_equal(status.done + status.failed + status.requeued + status.requeued_after,
                     atomic_load(&storm->n_calls));
    print_message("%u calls, %llu parked, %llu timeouts, %llu overdue\n",
                  atomic_load(&storm->n_calls), (unsigned long long)status.parked,
                  (unsigned long long)status.write_timeouts, (unsigned long long)status.overdue);
    assert_true(status.parked > 0);
    close_storm(storm);
    free(storm);
}

static void start(void *arg)
{
    struct thread *thread = arg;
    int code = kin_reconciler_start(thread->storm->reconciler, NULL);

    if (code != 0 && code != KIN_ECLOSED)
        atomic_fetch_add(&thread->storm->n_wrong, 1);
}

/* While it waits for caches, starts its threads, or works. */
static void a_stop_may_come_at_any_time(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_LIVES; i++) {
        struct storm *storm = calloc(1, sizeof(*storm));
        kin_test_rng rng = {i + 1};
        struct thread starter;

        open_storm(storm);
        for (unsigned pod = 0; pod < 10; pod++)
            kin_test_world_put(storm->world, pod);
        begin(&starter, storm, start, i);
        for (uint64_t n = kin_test_below(&rng, 200); n > 0; n--)
            sched_yield();
        kin_reconciler_stop(storm->reconciler, i % 2 ? KIN_RECONCILER_DRAIN : KIN_RECONCILER_DROP);
        if (i % 3 == 0)
            assert_code(kin_reconciler_wait_stopped(storm->reconciler, KIN_TEST_TIMEOUT_MS, NULL),
                        0);
        kin__thread_join(&starter.thread, NULL);
        close_storm(storm);
        assert_int_equal(atomic_load(&storm->n_wrong), 0);
        free(storm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_is_seen_in_its_last_state_by_one_at_a_time),
        cmocka_unit_test(a_stop_may_come_at_any_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
