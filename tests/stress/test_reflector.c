/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors under storms of starts and stops, while a source calls back from threads of its own, late
 * and in any order of operations. Bounded by operations.
 *
 * What ThreadSanitizer looks at: the store's counters have no lock. That changes come from one thread at a
 * time, that none comes after a wait has returned, and that all memory is given back once.
 */
#include "kin_test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "kinform/reflector.h"
#include "rng.h"
#include "source.h"

enum { N_CALLERS = 3, N_STEPS = 400, N_PULLS = 60, N_ROUNDS = 12, N_SERVERS = 2 };

struct storm {
    kin_clock *clock;
    kin_logger *logger;
    kin_store *store;
    kin_test_source *source;
    kin_reflector *reflector;
    unsigned n_changes;   /* no lock */
    atomic_uint n_inside; /* callers that change the store now */
    atomic_uint n_wrong;
    atomic_bool over;
    atomic_uint n_gone; /* arguments that were given back */
};

struct caller {
    kin__thread thread;
    struct storm *storm;
    uint64_t seed;
};

static void change(struct storm *storm)
{
    if (atomic_fetch_add(&storm->n_inside, 1) != 0)
        atomic_fetch_add(&storm->n_wrong, 1);
    storm->n_changes++;
    if (storm->n_changes % 7 == 0)
        sched_yield();
    atomic_fetch_sub(&storm->n_inside, 1);
}

static int put(const kin_object *object, void *arg, kin_error *err)
{
    struct storm *storm = arg;

    change(storm);
    return kin_store_add(storm->store, object, err);
}

static int take(const kin_object *object, void *arg, kin_error *err)
{
    struct storm *storm = arg;

    change(storm);
    return kin_store_delete(storm->store, object, err);
}

static int begin_replace(kin_replace **ret, void *arg, kin_error *err)
{
    struct storm *storm = arg;

    change(storm);
    return kin_store_replace_begin(storm->store, ret, err);
}

static int resync(void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    return 0;
}

static void gone(void *arg)
{
    atomic_fetch_add(&((struct storm *)arg)->n_gone, 1);
}

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

/* --- the source's threads --- */

static void answer(kin_test_pull *pull, kin_test_rng *rng)
{
    static const kin_test_failure_of failures[] = {
        {.code = KIN_ECONNECT},
        {.code = KIN_ESERVER, .http_status = 429},
        {.code = KIN_EEXPIRED, .http_status = 410},
        {.code = KIN_ESERVER, .http_status = 500},
    };
    const kin_test_failure_of *failure = &failures[kin_test_below(rng, 4)];

    if (pull->is_list) {
        if (kin_test_below(rng, 4) == 0)
            kin_test_pull_fail(pull, failure, false);
        else
            kin_test_pull_list(pull, "10", "a:1 b:2 c:3");
        return;
    }
    if (pull->streams) {
        kin_test_pull_event(pull, KIN_WATCH_ADDED, "a:1");
        if (kin_test_below(rng, 2))
            kin_test_pull_bookmark(pull, "12", true);
    }
    for (uint64_t n = kin_test_below(rng, 20); n > 0; n--)
        kin_test_pull_event(pull, n % 3 ? KIN_WATCH_MODIFIED : KIN_WATCH_DELETED, "d:13");
    if (kin_test_below(rng, 2))
        kin_test_pull_error_event(pull, failure);
    else if (kin_test_below(rng, 2))
        kin_test_pull_close(pull);
    /* Else it stays open, until it is cancelled, and longer. */
}

/* Each operation is one thread's: its callbacks come one at a time. */
static void serve(void *arg)
{
    struct caller *server = arg;
    struct storm *storm = server->storm;
    kin_test_rng rng = {server->seed};
    size_t next = server->seed % N_SERVERS;

    while (!atomic_load(&storm->over)) {
        if (kin_test_source_count(storm->source) <= next) {
            kin_clock_advance(storm->clock, 500 * KIN__MILLISECOND, NULL);
            sched_yield();
            continue;
        }
        answer(kin_test_source_await(storm->source, next), &rng);
        next += N_SERVERS;
    }
}

/* --- callers --- */

static void call(void *arg)
{
    struct caller *caller = arg;
    struct storm *storm = caller->storm;
    kin_test_rng rng = {caller->seed};

    for (unsigned i = 0; i < N_STEPS || kin_test_source_count(storm->source) < N_PULLS; i++) {
        kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
        char version[64];

        switch (kin_test_below(&rng, 6)) {
        case 0:
            kin_reflector_stop(storm->reflector);
            break;
        case 1:
            if (kin_test_below(&rng, 4) == 0) {
                kin_reflector_stop(storm->reflector);
                kin_reflector_wait(storm->reflector, 1000, NULL);
            }
            break;
        case 2:
            kin_reflector_last_version(storm->reflector, version, sizeof(version));
            break;
        case 3:
            kin_reflector_get_status(storm->reflector, &status, NULL);
            break;
        default:
            kin_reflector_start(storm->reflector, NULL);
        }
        sched_yield();
    }
}

static void run_round(uint64_t seed)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    struct storm *storm = calloc(1, sizeof(*storm));
    struct caller callers[N_CALLERS];
    struct caller servers[N_SERVERS];

    assert_code(kin_clock_new_fake(&storm->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&storm->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    assert_code(kin_store_new(&storm->store, NULL, NULL), 0);
    storm->source = kin_test_source_new(seed % 2);
    into.add = put;
    into.update = put;
    into.delete_ = take;
    into.replace_begin = begin_replace;
    into.resync = resync;
    into.arg = storm;
    into.arg_free = gone;
    options.clock = storm->clock;
    options.logger = storm->logger;
    options.resync_ms = 100;
    options.seed = seed;
    assert_code(kin_reflector_new(&storm->reflector, kin_test_source_list_watch(storm->source),
                                  &into, &options, NULL),
                0);
    for (size_t i = 0; i < N_SERVERS; i++) {
        servers[i] = (struct caller){KIN__THREAD_INIT, storm, seed * N_SERVERS + i};
        assert_code(kin__thread_start(&servers[i].thread, "server", serve, &servers[i], NULL), 0);
    }
    for (size_t i = 0; i < N_CALLERS; i++) {
        callers[i] = (struct caller){KIN__THREAD_INIT, storm, seed * 100 + i};
        assert_code(kin__thread_start(&callers[i].thread, "caller", call, &callers[i], NULL), 0);
    }
    for (size_t i = 0; i < N_CALLERS; i++)
        kin__thread_join(&callers[i].thread, NULL);
    kin_reflector_stop(storm->reflector);
    assert_code(kin_reflector_wait(storm->reflector, -1, NULL), 0);

    /* Nothing comes any more, although the source goes on. */
    unsigned before = storm->n_changes;

    for (unsigned i = 0; i < 200; i++)
        sched_yield();
    assert_int_equal(storm->n_changes, before);
    assert_true(before > 0);
    if (seed % 3)
        kin_reflector_start(storm->reflector, NULL);
    kin_reflector_free(storm->reflector);
    atomic_store(&storm->over, true);
    for (size_t i = 0; i < N_SERVERS; i++)
        kin__thread_join(&servers[i].thread, NULL);
    kin_test_source_free(storm->source);
    assert_int_equal(atomic_load(&storm->n_gone), 1);
    assert_int_equal(atomic_load(&storm->n_wrong), 0);
    kin_store_unref(storm->store);
    kin_logger_unref(storm->logger);
    kin_clock_unref(storm->clock);
    free(storm);
}

static void starts_and_stops_in_storms(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= N_ROUNDS; round++)
        run_round(round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_and_stops_in_storms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
