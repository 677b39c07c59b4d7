/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reconciler's life without memory: each allocation fails once, in turn, and then that one and all
 * behind it for a while. What is called fails cleanly and can be called again; and every object is
 * reconciled in its last state, whatever has failed on the way.
 */
#include "kin_test.h"
#include "kinform/reconciler.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "world.h"

enum { MAX_ALLOCATIONS = 100000, PATIENCE = 20 };

struct life {
    kin_clock *clock;
    kin_logger *logger;
    kin_test_world *world;
    kin_informer *informer;
    kin_reconciler *reconciler;
    atomic_uint
        seen[KIN_TEST_WORLD_PODS]; /* the version that was reconciled last; 0: it was gone */
    atomic_bool is_busy[KIN_TEST_WORLD_PODS];
    atomic_uint n_wrong;
    size_t nth; /* which fails */
    bool failed;
    unsigned patience;
};

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static void give_memory(struct life *life)
{
    life->failed |= kin_test_alloc_disarm();
}

/* Memory comes back a while after it has failed. */
static void be_patient(struct life *life)
{
    if (kin_test_alloc_has_failed() && ++life->patience == PATIENCE)
        give_memory(life);
}

/* Whether a call has to be made again, having failed as it should. */
static bool again(struct life *life, int code, kin_error *err)
{
    if (code == 0)
        return false;
    if (code != KIN_ENOMEM || err->code != KIN_ENOMEM || !err->message[0])
        fail_msg("allocation %zu: %s, \"%s\"", life->nth, kin_error_name(code), err->message);
    give_memory(life);
    if (!life->failed)
        fail_msg("out of memory without a failure");
    *err = (kin_error)KIN_ERROR_INIT;
    return true;
}

static unsigned number_of(kin_str digits)
{
    uint64_t n = 0;

    kin__str_to_u64(&n, digits);
    return (unsigned)n;
}

/* Pods are "p1", "p2" …; the third is always written, so that its gate is used. */
static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    struct life *life = arg;
    kin_str name = kin_reconcile_name(call).name;
    unsigned pod = number_of(kin_str_make(name.data + 1, name.len - 1)) % KIN_TEST_WORLD_PODS;
    const kin_object *object = NULL;
    unsigned version = 0;
    int code;

    if (atomic_exchange(&life->is_busy[pod], true))
        atomic_fetch_add(&life->n_wrong, 1);
    code = kin_store_get(kin_informer_store(life->informer), &object, kin_reconcile_key(call), err);
    if (code == 0) {
        version = number_of(kin_object_resource_version(object));
        code = pod % 3 == 0 ? kin_reconcile_wrote(call, life->informer, object, err) : 0;
    } else if (code == KIN_ENOTFOUND) {
        code = 0;
    }
    kin_object_unref(object);
    if (code == 0)
        atomic_store(&life->seen[pod], version);
    atomic_store(&life->is_busy[pod], false);
    return code;
}

/* --- what it gets to --- */

static const char *look(struct life *life)
{
    static _Thread_local char text[64];

    for (unsigned i = 0; i < KIN_TEST_WORLD_PODS; i++) {
        const kin_object *object = NULL;
        unsigned version = 0;
        char key[32];

        snprintf(key, sizeof(key), "default/p%u", i);
        if (kin_store_get(kin_informer_store(life->informer), &object, kin_str_of(key), NULL) == 0)
            version = number_of(kin_object_resource_version(object));
        kin_object_unref(object);
        if (atomic_load(&life->seen[i]) != version) {
            snprintf(text, sizeof(text), "%s is %u, not %u", key, version,
                     atomic_load(&life->seen[i]));
            return text;
        }
    }
    return NULL;
}

static void let_time_go(struct life *life, int64_t deadline, const char *what)
{
    be_patient(life);
    assert_code(kin_clock_advance(life->clock, 50 * KIN__MILLISECOND, NULL), 0);
    if (!kin_test_wait_turn(deadline))
        fail_msg("allocation %zu: for ever: %s", life->nth, what);
}

static void settle(struct life *life)
{
    const char *found = "a version";
    int64_t deadline = kin_test_deadline();
    char version[24];

    kin_test_world_version(life->world, version);
    while (found) {
        if (kin_informer_wait_version(life->informer, version, 0, NULL) == 0)
            found = look(life);
        if (found)
            let_time_go(life, deadline, found);
    }
}

/* --- a life --- */

static void make(struct life *life)
{
    kin_informer_options informer = KIN_INFORMER_OPTIONS_INIT;
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    informer.clock = options.clock = life->clock;
    informer.logger = options.logger = life->logger;
    informer.seed = 1;
    options.n_workers = 2;
    options.sync_timeout_ms = -1; /* the clock runs ahead of threads that get no turn */
    while (again(life,
                 kin_informer_new_from(&life->informer, kin_test_world_list_watch(life->world),
                                       &informer, &err),
                 &err)) {
    }
    while (
        again(life, kin_reconciler_new(&life->reconciler, reconcile, life, &options, &err), &err))
        assert_null(life->reconciler);
    while (again(life,
                 kin_reconciler_watch_owned(life->reconciler, life->informer, "Nobody", NULL, &err),
                 &err)) {
    }
    while (again(life,
                 kin_reconciler_watch(life->reconciler, life->informer, NULL, NULL, NULL, &err),
                 &err)) {
    }
    while (again(life, kin_reconciler_read(life->reconciler, life->informer, &err), &err)) {
    }
}

struct start {
    struct life *life;
    kin_error err;
    int code;
    atomic_bool is_over;
};

static void *run_start(void *arg)
{
    struct start *start = arg;

    start->code = kin_reconciler_start(start->life->reconciler, &start->err);
    atomic_store(&start->is_over, true);
    return NULL;
}

/* In another thread: somebody has to move the clock. */
static int start_once(struct life *life, kin_error *err)
{
    struct start start = {.life = life, .err = KIN_ERROR_INIT};
    int64_t deadline = kin_test_deadline();
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run_start, &start), 0);
    for (unsigned i = 0; !atomic_load(&start.is_over); i++) {
        be_patient(life);
        if (i % 64 == 0)
            let_time_go(life, deadline, "a start");
        sched_yield();
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    *err = start.err;
    return start.code;
}

static void live(struct life *life)
{
    kin_error err = KIN_ERROR_INIT;

    make(life);
    while (again(life, kin_informer_start(life->informer, &err), &err)) {
    }
    while (again(life, start_once(life, &err), &err)) {
    }
    settle(life);
    for (unsigned i = 0; i < 8; i++)
        kin_test_world_put(life->world, i + 1);
    kin_test_world_delete(life->world, 2);
    settle(life);
    kin_test_world_put(life->world, 3);
    kin_test_world_put(life->world, 3);
    kin_test_world_break(life->world, true);
    kin_test_world_delete(life->world, 6);
    settle(life);
}

/* Whether so many allocations were made that the one to fail was among them. */
static bool run(size_t nth, enum kin_test_alloc_mode mode)
{
    struct life *life = calloc(1, sizeof(*life));
    size_t before = kin_test_alloc_live();
    bool failed;

    life->nth = nth;
    assert_code(kin_clock_new_fake(&life->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&life->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    life->world = kin_test_world_new();
    kin_test_world_put(life->world, 1);
    kin_test_world_put(life->world, 2);
    kin_test_world_put(life->world, 3);
    kin_test_alloc_arm(nth, mode);
    live(life);
    give_memory(life);
    assert_int_equal(atomic_load(&life->n_wrong), 0);
    /* It ends without memory, and without anybody who moves the clock. */
    kin_test_alloc_arm(life->failed ? 0 : 1, KIN_TEST_FAIL_REST);
    kin_reconciler_free(life->reconciler);
    kin_informer_free(life->informer);
    kin_test_alloc_disarm();
    kin_test_world_free(life->world);
    kin_logger_unref(life->logger);
    kin_clock_unref(life->clock);
    if (kin_test_alloc_live() != before)
        fail_msg("allocation %zu: %zu allocations before, %zu after", nth, before,
                 kin_test_alloc_live());
    failed = life->failed;
    free(life);
    return failed;
}

static void sweep(enum kin_test_alloc_mode mode)
{
    size_t n = 1;

    assert_false(run(0, mode));
    while (run(n, mode)) {
        n++;
        assert_true(n < MAX_ALLOCATIONS);
    }
    print_message("%zu allocations\n", n - 1);
    assert_true(n > 100);
}

static void one_fails(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_ONE);
}

static void all_fail_for_a_while(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_REST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fails),
        cmocka_unit_test(all_fail_for_a_while),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
