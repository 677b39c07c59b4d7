/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole informer's life without memory: each of its allocations fails once, in turn, and then that one
 * and all behind it until memory is there again. What is called fails cleanly and can be called again;
 * what goes on by itself gets to the right state by itself.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "world.h"

enum { MAX_ALLOCATIONS = 100000, PATIENCE = 20, N_HANDLERS = 4 };

struct life {
    kin_clock *clock;
    kin_logger *logger;
    kin_test_world *world;
    kin_informer *informer;
    kin_test_mirror mirrors[N_HANDLERS];
    kin_registration *registrations[N_HANDLERS];
    kin_informer_queue queue;
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

/* --- what it gets to --- */

static const char *look(struct life *life)
{
    const char *found = NULL;

    for (size_t i = 0; i < N_HANDLERS && !found; i++) {
        if (!life->registrations[i])
            continue;
        if (!kin_registration_has_synced(life->registrations[i]))
            found = "a handler is not synced";
        else
            found = kin_test_mirror_differs(&life->mirrors[i], life->world);
    }
    return found;
}

/* Time goes on until all is as it should be. */
static void settle(struct life *life)
{
    const char *found = "nothing";
    int64_t deadline = kin_test_deadline();
    char version[24];

    kin_test_world_version(life->world, version);
    while (found) {
        be_patient(life);
        kin_informer_dispatch(life->informer, 0, NULL, NULL);
        found = kin_informer_wait_version(life->informer, version, 0, NULL) == 0 ? look(life)
                                                                                 : "a version";
        if (found) {
            assert_code(kin_clock_advance(life->clock, 50 * KIN__MILLISECOND, NULL), 0);
            if (!kin_test_wait_turn(deadline))
                fail_msg("allocation %zu: for ever: %s", life->nth, found);
        }
    }
}

static void stop(struct life *life)
{
    int64_t deadline = kin_test_deadline();

    kin_informer_stop(life->informer);
    while (kin_informer_wait_stopped(life->informer, 0, NULL) < 0) {
        be_patient(life);
        assert_code(kin_clock_advance(life->clock, 50 * KIN__MILLISECOND, NULL), 0);
        if (!kin_test_wait_turn(deadline))
            fail_msg("allocation %zu: it does not stop", life->nth);
    }
}

/* --- a life --- */

static int by_first_digit(const kin_object *object, kin_index_values *values, void *arg,
                          kin_error *err)
{
    kin_str name = kin_object_name(object);

    (void)arg;
    return kin_index_values_add(values, kin_str_make(name.data + 1, 1), err);
}

static void make(struct life *life)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    options.name = "pods";
    options.clock = life->clock;
    options.logger = life->logger;
    options.queue = life->queue;
    options.resync_ms = 10000;
    options.gap_relist_ms = 500;
    options.relist_ms = 3000;
    options.seed = 1;
    while (again(life,
                 kin_informer_new_from(&life->informer, kin_test_world_list_watch(life->world),
                                       &options, &err),
                 &err))
        assert_null(life->informer);
}

/* The first list is under way: all additions are of it, also those of a batch that had to be requeued. */
static atomic_bool is_first_list;
static atomic_uint n_late;

static void handle(const kin_event *event, void *mirror)
{
    if (event->type == KIN_EVENT_ADD && !event->is_initial && atomic_load(&is_first_list))
        atomic_fetch_add(&n_late, 1);
    kin_test_mirror_handle(event, mirror);
}

static void add(struct life *life, size_t i, kin_delivery delivery)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    options.delivery = delivery;
    options.arg_free = kin_test_mirror_freed;
    while (again(life,
                 kin_informer_add_handler(life->informer, &life->registrations[i], handle,
                                          &life->mirrors[i], &options, &err),
                 &err))
        assert_null(life->registrations[i]);
}

static void add_index(struct life *life)
{
    kin_index index = KIN_INDEX_INIT("digit", by_first_digit);
    kin_error err = KIN_ERROR_INIT;

    while (again(life, kin_informer_add_index(life->informer, &index, &err), &err)) {
    }
}

static void start(struct life *life)
{
    kin_error err = KIN_ERROR_INIT;

    while (again(life, kin_informer_start(life->informer, &err), &err)) {
    }
}

static void resync(struct life *life)
{
    int64_t deadline = kin_test_deadline();
    unsigned n = 0;

    while (n == 0) {
        be_patient(life);
        assert_code(kin_clock_advance(life->clock, KIN__SECOND, NULL), 0);
        if (!kin_test_wait_turn(deadline))
            fail_msg("allocation %zu: nothing comes again", life->nth);
        pthread_mutex_lock(&life->mirrors[0].lock);
        n = life->mirrors[0].n_sync;
        pthread_mutex_unlock(&life->mirrors[0].lock);
    }
}

static void live(struct life *life)
{
    make(life);
    add(life, 0, KIN_DELIVER_THREAD);
    add(life, 1, KIN_DELIVER_POOL);
    add(life, 2, KIN_DELIVER_LOOP);
    add_index(life);
    atomic_store(&n_late, 0);
    atomic_store(&is_first_list, true);
    start(life);
    settle(life);
    atomic_store(&is_first_list, false);
    if (atomic_load(&n_late) > 0)
        fail_msg("allocation %zu: an addition of the first list is not initial", life->nth);
    kin_test_world_put(life->world, 1);
    kin_test_world_delete(life->world, 2);
    kin_test_world_put(life->world, 10);
    settle(life);
    /* Nobody tells of it again: it is listed. */
    kin_test_world_spoil(life->world, 1);
    kin_test_world_spoil(life->world, 15);
    settle(life);
    kin_test_world_delete(life->world, 15);
    add(life, 3, KIN_DELIVER_THREAD);
    kin_test_world_put(life->world, 11);
    kin_test_world_break(life->world, true);
    kin_test_world_delete(life->world, 10);
    settle(life);
    resync(life);
    kin_informer_remove_handler(life->informer, life->registrations[0]);
    kin_registration_unref(life->registrations[0]);
    life->registrations[0] = NULL;
    kin_test_world_put(life->world, 12);
    stop(life);
    kin_test_world_put(life->world, 13);
    kin_test_world_delete(life->world, 1);
    start(life);
    settle(life);
    kin_test_world_put(life->world, 14);
}

static void compare_index(struct life *life)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_by_index(kin_informer_store(life->informer), &list, kin_str_of("digit"),
                                   kin_str_of("1"), NULL),
                0);
    /* 11, 12 and 13; the last one may not have come. */
    assert_in_range(list.len, 3, 4);
    kin_object_list_done(&list);
}

/* Whether so many allocations were made that the one to fail was among them. */
static bool run(kin_informer_queue queue, size_t nth, enum kin_test_alloc_mode mode)
{
    struct life *life = calloc(1, sizeof(*life));
    size_t before = kin_test_alloc_live();
    bool failed;

    life->nth = nth;
    life->queue = queue;
    assert_code(kin_clock_new_fake(&life->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&life->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    life->world = kin_test_world_new();
    for (size_t i = 0; i < N_HANDLERS; i++)
        kin_test_mirror_init(&life->mirrors[i]);
    kin_test_world_put(life->world, 1);
    kin_test_world_put(life->world, 2);
    kin_test_alloc_arm(nth, mode);
    live(life);
    give_memory(life);
    compare_index(life);
    /* It ends without memory, and without anybody who moves the clock. */
    kin_test_alloc_arm(life->failed ? 0 : 1, KIN_TEST_FAIL_REST);
    for (size_t i = 0; i < N_HANDLERS; i++)
        kin_registration_unref(life->registrations[i]);
    kin_informer_free(life->informer);
    kin_test_alloc_disarm();
    for (size_t i = 0; i < N_HANDLERS; i++) {
        assert_int_equal(atomic_load(&life->mirrors[i].n_freed), 1);
        kin_test_mirror_done(&life->mirrors[i]);
    }
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

/* Every single one, with one queue or the other. */
static void sweep(kin_informer_queue queue, enum kin_test_alloc_mode mode)
{
    size_t n = 1;

    assert_false(run(queue, 0, mode));
    while (run(queue, n, mode)) {
        n++;
        assert_true(n < MAX_ALLOCATIONS);
    }
    print_message("%zu allocations\n", n - 1);
    assert_true(n > 100);
}

static void one_fails_deltas(void **state)
{
    (void)state;
    sweep(KIN_QUEUE_DELTA_FIFO, KIN_TEST_FAIL_ONE);
}

static void one_fails_ordered(void **state)
{
    (void)state;
    sweep(KIN_QUEUE_ORDERED, KIN_TEST_FAIL_ONE);
}

static void all_fail_for_a_while_deltas(void **state)
{
    (void)state;
    sweep(KIN_QUEUE_DELTA_FIFO, KIN_TEST_FAIL_REST);
}

static void all_fail_for_a_while_ordered(void **state)
{
    (void)state;
    sweep(KIN_QUEUE_ORDERED, KIN_TEST_FAIL_REST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fails_deltas),
        cmocka_unit_test(one_fails_ordered),
        cmocka_unit_test(all_fail_for_a_while_deltas),
        cmocka_unit_test(all_fail_for_a_while_ordered),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
