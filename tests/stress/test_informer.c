/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One informer in a storm: threads that start and stop it, add handlers and remove them, waiting and not
 * waiting and from handlers too, dispatch, read statuses and wait for this and that, while its world
 * changes and time goes on. Bounded by steps. When all is quiet, the store and each handler that has
 * stayed have what the world has; every handler was told only what can be, and was given back once.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "rng.h"
#include "world.h"

enum {
    N_ROUNDS = 4,
    N_STEPS = KIN_TEST_SANITIZED ? 1200 : 4000,
    N_SLOTS = 4,
    N_STAYING = 6,
    MAX_HANDLERS = 8192,
};

struct storm;

struct handler {
    kin_test_mirror mirror;
    kin_registration *registration; /* set before it is first called */
    struct storm *storm;
    kin_test_rng rng; /* the handler's */
    atomic_bool is_removed;
    atomic_bool is_added;
    bool stays; /* const */
};

struct storm {
    kin_clock *clock;
    kin_logger *logger;
    kin_test_world *world;
    kin_informer *informer;
    struct handler *_Atomic handlers[MAX_HANDLERS];
    atomic_size_t n_handlers;
    atomic_uint n_changes; /* of the state, told */
    atomic_bool over;
};

struct thread {
    kin__thread thread;
    struct storm *storm;
    kin_test_rng rng;
};

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static void on_changed(kin_informer *informer, void *arg)
{
    struct storm *storm = arg;

    atomic_fetch_add(&storm->n_changes, 1);
    /* Refused, since it would wait for itself. */
    if (kin_informer_wait_synced(informer, -1, NULL) != KIN_EBUSY)
        atomic_fetch_add(&storm->n_changes, 1u << 30);
}

/* --- handlers --- */

static void remove_it(struct handler *handler)
{
    atomic_store(&handler->is_removed, true);
    kin_informer_remove_handler(handler->storm->informer, handler->registration);
}

static struct handler *add(struct storm *storm, kin_test_rng *rng, bool stays);

/* From inside a call: itself is removed, or another one is added. */
static void meddle(void *arg)
{
    struct handler *handler = arg;
    struct storm *storm = handler->storm;

    if (atomic_load(&storm->over))
        return;
    switch (kin_test_below(&handler->rng, 200) + (handler->stays ? 2 : 0)) {
    case 0:
        remove_it(handler);
        break;
    case 1:
        atomic_store(&handler->is_removed, true);
        if (kin_informer_remove_handler_wait(storm->informer, handler->registration, NULL) !=
            KIN_EBUSY)
            snprintf(handler->mirror.wrong, sizeof(handler->mirror.wrong), "it waited for itself");
        break;
    case 2:
        if (atomic_load(&storm->n_handlers) < MAX_HANDLERS / 4)
            add(storm, &handler->rng, false);
        break;
    case 3:
        kin_informer_stop(storm->informer);
        break;
    default:
        break;
    }
}

static struct handler *add(struct storm *storm, kin_test_rng *rng, bool stays)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    struct handler *handler = calloc(1, sizeof(*handler));
    size_t at;

    kin_test_mirror_init(&handler->mirror);
    handler->storm = storm;
    handler->stays = stays;
    handler->rng.state = kin_test_random(rng);
    handler->mirror.during = meddle;
    handler->mirror.during_arg = handler;
    options.delivery = (kin_delivery)kin_test_below(rng, 3);
    options.arg_free = kin_test_mirror_freed;
    options.max_queued = 1 + kin_test_below(rng, 50);
    options.resync_ms = kin_test_below(rng, 2) ? -1 : 0;
    if (kin_test_below(rng, 3) == 0) {
        handler->mirror.modulus = 2 + (unsigned)kin_test_below(rng, 3);
        options.filter = kin_test_mirror_filter;
        options.filter_arg = &handler->mirror;
    }
    at = atomic_fetch_add(&storm->n_handlers, 1);
    assert_true(at < MAX_HANDLERS);
    atomic_store(&storm->handlers[at], handler);
    assert_code(kin_informer_add_handler(storm->informer, &handler->registration,
                                         kin_test_mirror_handle, &handler->mirror, &options, NULL),
                0);
    atomic_store(&handler->is_added, true);
    return handler;
}

/* --- threads --- */

static void come_and_go(void *arg)
{
    struct thread *thread = arg;
    struct storm *storm = thread->storm;
    struct handler *slots[N_SLOTS] = {NULL};

    for (unsigned i = 0; i < N_STEPS / 3; i++) {
        size_t at = kin_test_below(&thread->rng, N_SLOTS);
        struct handler *handler = slots[at];

        if (!handler) {
            slots[at] = add(storm, &thread->rng, false);
        } else if (kin_test_below(&thread->rng, 2)) {
            kin_registration_wait_synced(handler->registration,
                                         (int64_t)kin_test_below(&thread->rng, 50), NULL);
        } else if (kin_test_below(&thread->rng, 2)) {
            remove_it(handler);
            slots[at] = NULL;
        } else {
            atomic_store(&handler->is_removed, true);
            kin_informer_remove_handler_wait(storm->informer, handler->registration, NULL);
            if (atomic_load(&handler->mirror.n_freed) != 1)
                fail_msg("a handler was waited for and is there");
            slots[at] = NULL;
        }
        sched_yield();
    }
}

static void start_and_stop(void *arg)
{
    struct thread *thread = arg;
    kin_informer *informer = thread->storm->informer;

    for (unsigned i = 0; i < N_STEPS; i++) {
        switch (kin_test_below(&thread->rng, 5)) {
        case 0:
            kin_informer_stop(informer);
            break;
        case 1:
            kin_informer_wait_stopped(informer, (int64_t)kin_test_below(&thread->rng, 20), NULL);
            break;
        default:
            kin_informer_start(informer, NULL);
        }
        sched_yield();
    }
}

static void change_the_world(void *arg)
{
    struct thread *thread = arg;
    struct storm *storm = thread->storm;

    while (!atomic_load(&storm->over)) {
        unsigned pod = (unsigned)kin_test_below(&thread->rng, KIN_TEST_WORLD_PODS);

        switch (kin_test_below(&thread->rng, 100)) {
        case 0:
            kin_test_world_break(storm->world, kin_test_below(&thread->rng, 2));
            break;
        case 1:
            kin_clock_advance(storm->clock, 2 * KIN__SECOND, NULL);
            break;
        default:
            if (kin_test_below(&thread->rng, 3))
                kin_test_world_put(storm->world, pod);
            else
                kin_test_world_delete(storm->world, pod);
        }
        kin_clock_advance(storm->clock, KIN__MILLISECOND, NULL);
        sched_yield();
    }
}

static void dispatch(void *arg)
{
    struct thread *thread = arg;
    struct storm *storm = thread->storm;

    while (!atomic_load(&storm->over)) {
        kin_informer_dispatch(storm->informer, kin_test_below(&thread->rng, 30), NULL, NULL);
        sched_yield();
    }
}

static void look(void *arg)
{
    struct thread *thread = arg;
    struct storm *storm = thread->storm;

    for (unsigned i = 0; i < N_STEPS; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        kin_object_list list = KIN_OBJECT_LIST_INIT;
        char version[24];

        switch (kin_test_below(&thread->rng, 4)) {
        case 0:
            kin_informer_wait_synced(storm->informer, 5, NULL);
            break;
        case 1:
            kin_test_world_version(storm->world, version);
            kin_informer_wait_version(storm->informer, version, 5, NULL);
            break;
        case 2:
            kin_store_list(kin_informer_store(storm->informer), &list, NULL);
            kin_object_list_done(&list);
            break;
        default:
            kin_informer_get_status(storm->informer, &status, NULL);
        }
        sched_yield();
    }
}

/* --- the end --- */

static const char *differs(struct storm *storm)
{
    const char *found = kin_test_world_differs(storm->world, kin_informer_store(storm->informer));

    for (size_t i = 0; i < atomic_load(&storm->n_handlers) && !found; i++) {
        struct handler *handler = storm->handlers[i];

        if (!handler || !atomic_load(&handler->is_added))
            return "a handler is being added";
        if (atomic_load(&handler->is_removed))
            continue;
        found = kin_registration_has_synced(handler->registration)
                    ? kin_test_mirror_differs(&handler->mirror, storm->world)
                    : "a handler has not synced";
    }
    return found;
}

static void settle(struct storm *storm)
{
    int64_t deadline = kin_test_deadline();
    const char *found;
    bool in_time;

    do {
        /* A handler may have stopped it. */
        kin_informer_start(storm->informer, NULL);
        kin_informer_dispatch(storm->informer, 0, NULL, NULL);
        kin_clock_advance(storm->clock, 10 * KIN__MILLISECOND, NULL);
        in_time = kin_test_wait_turn(deadline);
        found = differs(storm);
    } while (found && in_time);
    if (found)
        fail_msg("for ever: %s", found);
}

static size_t free_handlers(struct storm *storm)
{
    size_t n_stayed = 0;

    for (size_t i = 0; i < atomic_load(&storm->n_handlers); i++) {
        struct handler *handler = storm->handlers[i];

        if (handler->mirror.wrong[0])
            fail_msg("%s", handler->mirror.wrong);
        assert_int_equal(atomic_load(&handler->mirror.n_freed), 1);
        n_stayed += !atomic_load(&handler->is_removed);
        kin_registration_unref(handler->registration);
        kin_test_mirror_done(&handler->mirror);
        free(handler);
    }
    return n_stayed;
}

static struct storm *storm_new(uint64_t seed)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct storm *storm = calloc(1, sizeof(*storm));

    assert_code(kin_clock_new_fake(&storm->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&storm->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    storm->world = kin_test_world_new();
    options.clock = storm->clock;
    options.logger = storm->logger;
    options.queue = seed % 2 ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    options.resync_ms = 1000;
    options.seed = seed;
    options.changed = on_changed;
    options.changed_arg = storm;
    assert_code(kin_informer_new_from(&storm->informer, kin_test_world_list_watch(storm->world),
                                      &options, NULL),
                0);
    return storm;
}

static void run_round(uint64_t seed)
{
    static kin__thread_fn *const functions[] = {come_and_go, come_and_go,      start_and_stop,
                                                look,        change_the_world, dispatch};
    enum { N = 6, N_BOUNDED = 4 };
    struct storm *storm = storm_new(seed);
    struct thread threads[N];
    size_t n_stayed;

    for (size_t i = 0; i < N_STAYING; i++)
        add(storm, &(kin_test_rng){seed * 1000 + i}, true);
    for (size_t i = 0; i < N; i++) {
        threads[i] = (struct thread){KIN__THREAD_INIT, storm, {seed * 100 + i}};
        assert_code(kin__thread_start(&threads[i].thread, "storm", functions[i], &threads[i], NULL),
                    0);
    }
    for (size_t i = 0; i < N_BOUNDED; i++)
        kin__thread_join(&threads[i].thread, NULL);
    atomic_store(&storm->over, true);
    for (size_t i = N_BOUNDED; i < N; i++)
        kin__thread_join(&threads[i].thread, NULL);
    add(storm, &threads[0].rng, true);
    settle(storm);
    kin_informer_free(storm->informer);
    n_stayed = free_handlers(storm);
    assert_true(n_stayed > N_STAYING);
    print_message("%zu handlers, %zu have stayed\n", atomic_load(&storm->n_handlers), n_stayed);
    assert_in_range(atomic_load(&storm->n_changes), 1, 1u << 30);
    kin_test_world_free(storm->world);
    kin_logger_unref(storm->logger);
    kin_clock_unref(storm->clock);
    free(storm);
}

static void it_stands_a_storm(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= N_ROUNDS; round++) {
        size_t before = kin_test_alloc_live();

        run_round(round);
        assert_int_equal(kin_test_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stands_a_storm),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
