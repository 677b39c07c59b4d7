/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What client-go's tests say of handlers that come and go: docs/parity.md has the list.
 */
#include "informer_support.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"

static kin_test_handler *new_handler(void)
{
    kin_test_handler *handler = calloc(1, sizeof(*handler));

    assert_non_null(handler);
    kin_test_handler_init(handler);
    return handler;
}

static void free_handler(kin_test_handler *handler)
{
    kin_test_handler_done(handler);
    free(handler);
}

static kin_registration *add(kin_test_stage *stage, kin_test_handler *handler)
{
    kin_registration *registration = NULL;

    assert_code(kin_informer_add_handler(stage->informer, &registration, kin_test_handle, handler,
                                         NULL, NULL),
                0);
    return registration;
}

static void free_informer(kin_test_stage *stage)
{
    kin_informer_free(stage->informer);
    stage->informer = NULL;
}

/* --- removing --- */

static void removes(kin_test_stage *stage)
{
    kin_test_handler *other = new_handler();
    kin_registration *registration = add(stage, other);
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&other->calls, 1);
    kin_test_latch_wait(&stage->handler.calls, 1);
    kin_informer_remove_handler(stage->informer, registration);
    /* Once more, and nothing at all. */
    kin_informer_remove_handler(stage->informer, registration);
    assert_code(kin_informer_remove_handler_wait(stage->informer, registration, NULL), 0);
    kin_informer_remove_handler(stage->informer, NULL);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&stage->handler, 2, "+a1! ~a1>6 ");
    kin_test_assert_told(other, 1, "+a1! ");
    kin_registration_unref(registration);
    free_informer(stage);
    free_handler(other);
}

static void a_handler_is_removed_by_its_registration(void **context)
{
    (void)context;
    kin_test_with_each_queue(removes);
}

static void foreign(kin_test_stage *stage)
{
    kin_test_stage *other = kin_test_stage_new();
    kin_test_pull *watch;

    kin_test_stage_make(other);
    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&stage->handler.calls, 1);
    kin_informer_remove_handler(other->informer, stage->registration);
    assert_code(kin_informer_remove_handler_wait(other->informer, stage->registration, NULL),
                KIN_EINVAL);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_assert_told(&stage->handler, 2, "+a1! ~a1>6 ");
    kin_test_stage_free(other);
}

static void another_informers_registration_means_nothing(void **context)
{
    (void)context;
    kin_test_with_each_queue(foreign);
}

static void count_call(const kin_event *event, void *arg)
{
    (void)event;
    kin_test_latch_raise(arg);
}

static void twice(kin_test_stage *stage)
{
    kin_registration *registrations[2] = {NULL, NULL};
    kin_test_latch calls;
    kin_test_pull *watch;

    kin_test_latch_init(&calls);
    for (int i = 0; i < 2; i++)
        assert_code(kin_informer_add_handler(stage->informer, &registrations[i], count_call, &calls,
                                             NULL, NULL),
                    0);
    assert_ptr_not_equal(registrations[0], registrations[1]);
    watch = kin_test_start(stage, "5", "");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:6");
    kin_test_latch_wait(&calls, 2);
    assert_code(kin_informer_remove_handler_wait(stage->informer, registrations[1], NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:7");
    kin_test_latch_wait(&calls, 3);
    assert_code(kin_informer_remove_handler_wait(stage->informer, registrations[0], NULL), 0);
    assert_int_equal(calls.count, 3);
    kin_registration_unref(registrations[0]);
    kin_registration_unref(registrations[1]);
    kin_test_latch_done(&calls);
}

static void one_function_can_be_two_handlers(void **context)
{
    (void)context;
    kin_test_with_each_queue(twice);
}

/* It is held up in its first call, and other events wait. */
static kin_test_pull *hold_up(kin_test_stage *stage)
{
    kin_test_pull *watch;

    stage->handler.is_held = true;
    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_latch_wait(&stage->handler.entered, 1);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:7");
    kin_test_await_version(stage, "7");
    return watch;
}

static void removes_while_active(kin_test_stage *stage)
{
    kin_test_pull *watch = hold_up(stage);

    /* Returns, although the handler is being called. */
    kin_informer_remove_handler(stage->informer, stage->registration);
    assert_false(kin_registration_has_synced(stage->registration));
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), KIN_ECLOSED);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:8");
    kin_test_await_version(stage, "8");
    kin_test_latch_raise(&stage->handler.may_return);
    kin_test_latch_raise(&stage->handler.may_return);
    assert_code(kin_informer_remove_handler_wait(stage->informer, stage->registration, NULL), 0);
    kin_test_assert_told(&stage->handler, 1, "+a1! ");
}

static void what_waits_for_a_handler_goes_with_it(void **context)
{
    (void)context;
    kin_test_with_each_queue(removes_while_active);
}

struct remover {
    kin_test_stage *stage;
    atomic_bool has_returned;
    pthread_t thread;
};

static void *remove_and_wait(void *arg)
{
    struct remover *remover = arg;
    int code = kin_informer_remove_handler_wait(remover->stage->informer,
                                                remover->stage->registration, NULL);

    atomic_store(&remover->has_returned, true);
    return code == 0 ? NULL : arg;
}

static void waits_for_call(kin_test_stage *stage)
{
    struct remover remover = {.stage = stage};
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;
    void *wrong;

    hold_up(stage);
    assert_int_equal(pthread_create(&remover.thread, NULL, remove_and_wait, &remover), 0);
    /* The call is under way, so it has not returned, whether it has begun or not. */
    assert_code(kin_registration_get_status(stage->registration, &status, NULL), 0);
    assert_false(atomic_load(&remover.has_returned));
    kin_test_latch_raise(&stage->handler.may_return);
    kin_test_latch_raise(&stage->handler.may_return);
    kin_test_latch_raise(&stage->handler.may_return);
    kin_test_latch_raise(&stage->handler.may_return);
    assert_int_equal(pthread_join(remover.thread, &wrong), 0);
    assert_null(wrong);
    /* Nobody calls it any more, so it can be read without the lock. */
    assert_true(stage->handler.len > 0);
}

static void one_can_wait_for_the_last_call(void **context)
{
    (void)context;
    kin_test_with_each_queue(waits_for_call);
}

struct own_removal {
    kin_test_stage *stage;
    kin_test_latch registered;
    atomic_int code;
};

static void remove_self(void *arg)
{
    struct own_removal *own = arg;

    kin_test_latch_wait(&own->registered, 1);
    atomic_store(&own->code, kin_informer_remove_handler_wait(own->stage->informer,
                                                              own->stage->registration, NULL));
}

static void removes_itself(kin_test_stage *stage)
{
    struct own_removal own = {.stage = stage};

    kin_test_latch_init(&own.registered);
    stage->handler.during = remove_self;
    stage->handler.during_arg = &own;
    kin_test_add_handler(stage, NULL);
    kin_test_latch_raise(&own.registered);
    kin_test_start(stage, "5", "a:1 b:2");
    kin_test_latch_wait(&stage->handler.calls, 1);
    assert_int_equal(atomic_load(&own.code), KIN_EBUSY);
    assert_code(kin_informer_remove_handler_wait(stage->informer, stage->registration, NULL), 0);
    kin_test_assert_told(&stage->handler, 1, "+a1! ");
    kin_test_latch_done(&own.registered);
}

static void a_handler_removes_itself_and_does_not_wait(void **context)
{
    (void)context;
    kin_test_with_each_queue(removes_itself);
}

/* Never started, added after the start, added before it: each time its argument is released, once. */
static void whenever_it_came_a_handler_can_go(void **context)
{
    (void)context;
    for (int life = 0; life < 3; life++) {
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        kin_test_stage *stage = kin_test_stage_new();

        options.arg_free = kin_test_handler_freed;
        kin_test_stage_make(stage);
        if (life == 2)
            kin_test_add_handler(stage, &options);
        if (life > 0) {
            kin_test_start(stage, "5", "a:1");
            kin_test_await_version(stage, "5");
        }
        if (life < 2)
            kin_test_add_handler(stage, &options);
        if (life > 0)
            kin_test_latch_wait(&stage->handler.calls, 1);
        assert_code(kin_informer_remove_handler_wait(stage->informer, stage->registration, NULL),
                    0);
        kin_test_latch_wait(&stage->handler.freed, 1);
        free_informer(stage);
        assert_int_equal(stage->handler.freed.count, 1);
        kin_test_stage_free(stage);
    }
}

/* --- an informer that was stopped --- */

static void stopped(kin_test_stage *stage)
{
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");
    kin_test_pull *list;

    kin_test_await_version(stage, "5");
    kin_test_stop_at(stage, watch);
    /* client-go refuses it; here an informer can go on, and its store can be read until then. */
    kin_test_add_handler(stage, NULL);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_assert_told(&stage->handler, 1, "+a1! ");
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list = kin_test_source_await(stage->source, 2);
    kin_test_pull_list(list, "7", "a:6");
    kin_test_assert_told(&stage->handler, 2, "+a1! ~a1>6 ");
    kin_test_stop_at(stage, kin_test_source_await(stage->source, 3));
    assert_code(kin_informer_remove_handler_wait(stage->informer, stage->registration, NULL), 0);
    kin_informer_remove_handler(stage->informer, stage->registration);
}

static void handlers_come_and_go_when_it_is_stopped(void **context)
{
    (void)context;
    kin_test_with_each_queue(stopped);
}

/* --- adding --- */

static void adds_while_active(kin_test_stage *stage)
{
    kin_test_handler *late = new_handler();
    kin_registration *registration;
    kin_test_pull *watch;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&stage->handler.calls, 1);
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:6");
    kin_test_latch_wait(&stage->handler.calls, 2);
    late->is_held = true;
    registration = add(stage, late);
    kin_test_latch_wait(&late->entered, 1);
    /* It is synced when it has been told of what there was; others do not wait for that. */
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:7");
    kin_test_assert_told(&stage->handler, 3, "+a1! +b6 +c7 ");
    assert_false(kin_registration_has_synced(registration));
    kin_test_latch_raise(&late->may_return);
    kin_test_latch_raise(&late->may_return);
    assert_code(kin_registration_wait_synced(registration, -1, NULL), 0);
    kin_test_latch_raise(&late->may_return);
    kin_test_latch_wait(&late->calls, 3);
    /* What there was, in any order; then what came. */
    assert_non_null(strstr(late->text, "+a1! "));
    assert_non_null(strstr(late->text, "+b6! "));
    assert_string_equal(late->text + strlen("+a1! +b6! "), "+c7 ");
    kin_registration_unref(registration);
    free_informer(stage);
    free_handler(late);
}

static void a_late_handler_holds_nobody_up(void **context)
{
    (void)context;
    kin_test_with_each_queue(adds_while_active);
}

struct adder {
    kin_test_stage *stage;
    kin_test_handler *handler;
    kin_registration *registration;
    kin_test_latch *go;
    pthread_t thread;
};

static void *run_adder(void *arg)
{
    struct adder *adder = arg;

    kin_test_latch_wait(adder->go, 1);
    return kin_informer_add_handler(adder->stage->informer, &adder->registration, kin_test_handle,
                                    adder->handler, NULL, NULL) < 0
               ? arg
               : NULL;
}

/* A handler is added while the informer starts and lists: it is told of each object once. */
static void race(kin_test_stage *stage)
{
    struct adder adder = {.stage = stage, .handler = &stage->handler};
    kin_test_latch go;
    kin_test_pull *watch;
    void *wrong;

    kin_test_latch_init(&go);
    adder.go = &go;
    assert_int_equal(pthread_create(&adder.thread, NULL, run_adder, &adder), 0);
    kin_test_latch_raise(&go);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    assert_int_equal(pthread_join(adder.thread, &wrong), 0);
    assert_null(wrong);
    stage->registration = adder.registration;
    kin_test_await_version(stage, "6");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:7");
    kin_test_await_version(stage, "7");
    kin_test_latch_wait(&stage->handler.calls, 2);
    if (kin_test_was_told(&stage->handler, "+a1! "))
        kin_test_assert_told(&stage->handler, 3, "+a1! ~a1>6 -a7 ");
    else
        kin_test_assert_told(&stage->handler, 2, "+a6! -a7 ");
    kin_test_latch_done(&go);
}

static void a_handler_that_comes_with_the_start_misses_nothing(void **context)
{
    (void)context;
    for (int i = 0; i < 20; i++)
        kin_test_with_each_queue(race);
}

/* --- the program's loop --- */

static bool is_readable(const kin_test_stage *stage, int timeout_ms)
{
    struct pollfd fd = {.fd = kin_informer_fd(stage->informer), .events = POLLIN};

    return poll(&fd, 1, timeout_ms) == 1;
}

static void loops(kin_test_stage *stage)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_test_pull *watch;
    size_t n = 9;

    options.delivery = KIN_DELIVER_LOOP;
    kin_test_add_handler(stage, &options);
    assert_false(is_readable(stage, 0));
    watch = kin_test_start(stage, "5", "");
    /* There is nothing to be told; but that this is all is worth a look. */
    assert_true(is_readable(stage, KIN_TEST_TIMEOUT_MS));
    assert_true(kin_registration_has_synced(stage->registration));
    assert_code(kin_informer_dispatch(stage->informer, 0, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_false(is_readable(stage, 0));
    for (unsigned i = 6; i < 9; i++) {
        char pod[8];

        snprintf(pod, sizeof(pod), "a:%u", i);
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, pod);
    }
    kin_test_await_version(stage, "8");
    assert_true(is_readable(stage, KIN_TEST_TIMEOUT_MS));
    kin_test_assert_told(&stage->handler, 0, "");
    assert_code(kin_informer_dispatch(stage->informer, 2, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_true(is_readable(stage, 0));
    assert_code(kin_informer_dispatch(stage->informer, 2, &n, NULL), 0);
    assert_int_equal(n, 1);
    assert_false(is_readable(stage, 0));
    kin_test_assert_told(&stage->handler, 3, "+a6 ~a6>7 ~a7>8 ");
}

static void a_loop_is_woken_for_events_and_when_it_is_synced(void **context)
{
    (void)context;
    kin_test_with_each_queue(loops);
}

/* --- a storm --- */

enum { STORM_ROUNDS = 60, STORM_THREADS = 3 };

struct storm {
    kin_test_stage *stage;
    atomic_bool is_over;
    unsigned seed;
    pthread_t thread;
};

static void add_call(const kin_event *event, void *arg)
{
    (void)event;
    atomic_fetch_add((atomic_uint *)arg, 1);
}

static void *run_storm(void *arg)
{
    static const kin_delivery deliveries[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL,
                                              KIN_DELIVER_LOOP};
    struct storm *storm = arg;
    kin_informer *informer = storm->stage->informer;

    for (unsigned i = 0; i < STORM_ROUNDS; i++) {
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        kin_registration *registration = NULL;
        atomic_uint calls = 0;
        unsigned choice = storm->seed++ % 6;

        options.delivery = deliveries[choice % 3];
        if (kin_informer_add_handler(informer, &registration, add_call, &calls, &options, NULL) < 0)
            return arg;
        if (choice < 2 && kin_registration_wait_synced(registration, -1, NULL) < 0)
            return arg;
        if (choice % 2)
            kin_informer_remove_handler(informer, registration);
        /* `calls` is on the stack: from here on nobody may call. */
        if (kin_informer_remove_handler_wait(informer, registration, NULL) < 0)
            return arg;
        kin_registration_unref(registration);
        if (choice < 2 && atomic_load(&calls) == 0)
            return arg;
    }
    return NULL;
}

static void storms(kin_test_stage *stage)
{
    struct storm storms[STORM_THREADS];
    kin_test_pull *watch;
    char pod[32];
    void *wrong;

    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1");
    kin_test_latch_wait(&stage->handler.calls, 1);
    for (unsigned i = 0; i < STORM_THREADS; i++) {
        storms[i] = (struct storm){.stage = stage, .seed = i};
        assert_int_equal(pthread_create(&storms[i].thread, NULL, run_storm, &storms[i]), 0);
    }
    for (unsigned i = 0; i < 500; i++) {
        snprintf(pod, sizeof(pod), "a:%u", 10 + i);
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, pod);
    }
    for (unsigned i = 0; i < STORM_THREADS; i++) {
        assert_int_equal(pthread_join(storms[i].thread, &wrong), 0);
        assert_null(wrong);
    }
    /* The one that stayed has missed nothing. */
    kin_test_await_version(stage, "509");
    kin_test_latch_wait(&stage->handler.calls, 501);
    assert_non_null(strstr(stage->handler.text, "~a508>509 "));
}

static void handlers_come_and_go_in_a_storm_of_events(void **context)
{
    (void)context;
    kin_test_with_each_queue(storms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_is_removed_by_its_registration),
        cmocka_unit_test(another_informers_registration_means_nothing),
        cmocka_unit_test(one_function_can_be_two_handlers),
        cmocka_unit_test(what_waits_for_a_handler_goes_with_it),
        cmocka_unit_test(one_can_wait_for_the_last_call),
        cmocka_unit_test(a_handler_removes_itself_and_does_not_wait),
        cmocka_unit_test(whenever_it_came_a_handler_can_go),
        cmocka_unit_test(handlers_come_and_go_when_it_is_stopped),
        cmocka_unit_test(a_late_handler_holds_nobody_up),
        cmocka_unit_test(a_handler_that_comes_with_the_start_misses_nothing),
        cmocka_unit_test(a_loop_is_woken_for_events_and_when_it_is_synced),
        cmocka_unit_test(handlers_come_and_go_in_a_storm_of_events),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
