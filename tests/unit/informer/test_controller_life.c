/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting, stopping and freeing controllers: from outside, from their own callbacks, at each of their calls, and
 * without memory.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "controller_support.h"
#include "life_support.h"
#include "oom.h"

static kin_test_control *begin(void)
{
    kin_test_control *control = malloc(sizeof(*control));

    kin_test_control_init(control, KIN_TEST_DELTA_FIFO);
    return control;
}

static void end(kin_test_control *control)
{
    kin_test_control_done(control);
    free(control);
}

/* --- starting --- */

/* Somebody runs its reflector already: it is tried again after a moment, and not all the time. */
static void a_start_that_fails_is_tried_later(void **context)
{
    kin_test_control *control = begin();
    kin_controller_status status;
    kin_reflector *reflector;

    (void)context;
    kin_test_control_make(control);
    reflector = kin_controller_reflector(control->controller);
    assert_code(kin_reflector_start(reflector, NULL), 0);
    assert_code(kin_controller_start(control->controller, NULL), 0);
    while ((status = kin_test_control_status(control)).errors == 0)
        sched_yield();
    assert_int_equal(status.last_error.code, KIN_EBUSY);
    /* What the reflector tells of itself wakes it, too; but it has time enough for thousands of tries. */
    for (int i = 0; i < 20000; i++)
        sched_yield();
    assert_true(kin_test_control_status(control).errors <= 3);
    for (uint64_t n = 1; kin_test_control_status(control).errors < 6; n++) {
        assert_code(kin_clock_advance(control->clock, 100 * KIN__MILLISECOND, NULL), 0);
        assert_true(kin_test_control_status(control).errors <= n + 3);
        sched_yield();
    }
    /* From then on it is its own. Its end is not waited for: the next try may come first. */
    kin_reflector_stop(reflector);
    while (kin_test_source_count(control->source) < 2) {
        assert_code(kin_clock_advance(control->clock, 100 * KIN__MILLISECOND, NULL), 0);
        sched_yield();
    }
    kin_test_pull_list(kin_test_source_await(control->source, 1), "5", "a:1");
    kin_test_latch_wait(&control->calls, 1);
    end(control);
}

/* --- stopping --- */

/* The source never ends what was cancelled: the network is not waited for. */
static void what_waits_stays_when_it_is_stopped(void **context)
{
    kin_test_control *control = begin();
    kin_controller_status status;
    char version[16];

    (void)context;
    control->is_held = true;
    kin_test_control_make(control);
    assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    assert_int_equal(kin_test_control_status(control).state, KIN_CONTROLLER_NEW);
    kin_test_control_start(control, "5", "a:1 b:2 c:3");
    assert_code(kin_controller_start(control->controller, NULL), KIN_EBUSY);
    kin_test_latch_wait(&control->entered, 1);
    kin_controller_stop(control->controller);
    kin_controller_stop(control->controller);
    assert_code(kin_controller_start(control->controller, NULL), KIN_EBUSY);
    assert_code(kin_controller_wait_stopped(control->controller, 0, NULL), KIN_ETIMEOUT);
    assert_int_equal(kin_test_control_status(control).state, KIN_CONTROLLER_STOPPING);
    kin_test_latch_raise(&control->may_return);
    assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    kin_test_expect_text(control, 1, "aR1!@0 ");
    status = kin_test_control_status(control);
    assert_int_equal(status.state, KIN_CONTROLLER_STOPPED);
    assert_int_equal(status.queued, 2);
    assert_false(status.is_synced);
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), KIN_ECLOSED);
    kin_controller_last_version(control->controller, version, sizeof(version));
    assert_string_equal(version, "5");
    /* It goes on where it was: with what waits, and a list that is not older. */
    kin_test_latch_raise(&control->may_return);
    kin_test_latch_raise(&control->may_return);
    assert_code(kin_controller_start(control->controller, NULL), 0);
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
    kin_test_expect_text(control, 3, "aR1!@0 bR2!@0 cR3!@0 ");
    assert_string_equal(kin_test_source_await(control->source, 2)->version, "5");
    assert_int_equal(kin_test_control_status(control).state, KIN_CONTROLLER_RUNNING);
    end(control);
}

static void a_stop_does_not_wait_for_a_retry(void **context)
{
    kin_test_control *control = begin();

    (void)context;
    control->codes[0] = KIN_EREQUEUE;
    kin_test_control_make(control);
    kin_test_control_start(control, "5", "a:1");
    kin_test_latch_wait(&control->calls, 1);
    kin_controller_stop(control->controller);
    assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    assert_int_equal(kin_test_control_status(control).queued, 1);
    assert_code(kin_controller_start(control->controller, NULL), 0);
    kin_test_expect_text(control, 2, "aR1!@0 aR1@0 ");
    end(control);
}

static void *stop_it(void *arg)
{
    kin_test_control *control = arg;

    kin_test_latch_wait(&control->calls, 1);
    kin_controller_stop(control->controller);
    return NULL;
}

static void it_runs_until_it_is_stopped(void **context)
{
    kin_test_control *control = begin();
    pthread_t thread;
    const kin_object *pod = kin_test_pod("a:1");

    (void)context;
    assert_code(kin_delta_fifo_add(control->deltas, pod, NULL), 0);
    kin_object_unref(pod);
    kin_test_control_make(control);
    assert_int_equal(pthread_create(&thread, NULL, stop_it, control), 0);
    /* It takes out what was there before. */
    assert_code(kin_controller_run(control->controller, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(kin_test_control_status(control).state, KIN_CONTROLLER_STOPPED);
    end(control);
}

static void wait_for_itself(kin_test_control *control)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_controller_wait_stopped(control->controller, -1, &err), KIN_EBUSY);
    assert_code(kin_controller_wait_synced(control->controller, 1, &err), KIN_EBUSY);
    assert_code(kin_controller_run(control->controller, &err), KIN_EBUSY);
    assert_code(kin_controller_wait_stopped(control->controller, 0, &err), KIN_ETIMEOUT);
    kin_controller_stop(control->controller);
}

static void nobody_waits_for_itself(void **context)
{
    kin_test_control *control = begin();

    (void)context;
    control->during = wait_for_itself;
    kin_test_control_make(control);
    assert_code(kin_controller_start(control->controller, NULL), 0);
    kin_test_pull_list(kin_test_source_await(control->source, 0), "5", "a:1 b:2");
    assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    kin_test_expect_text(control, 1, "aR1!@0 ");
    end(control);
}

/* client-go's way to give up: the error function stops it. */
static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    (void)failure;
    (void)arg;
    kin_reflector_stop(reflector);
}

static void who_stops_the_reflector_stops_the_controller(void **context)
{
    kin_test_control *control = begin();

    (void)context;
    control->reflector.error = on_error;
    kin_test_control_make(control);
    for (size_t i = 0; i < 2; i++) {
        assert_code(kin_controller_start(control->controller, NULL), 0);
        kin_test_pull_fail(kin_test_source_await(control->source, i),
                           &(kin_test_failure_of){.code = KIN_EDENIED, .http_status = 403}, false);
        assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    }
    end(control);
}

/* The queue is told that nobody comes any more, but not before. */
static void it_closes_the_queue_in_the_end(void **context)
{
    kin_test_control *control = begin();

    (void)context;
    kin_test_control_make(control);
    kin_test_control_start(control, "5", "a:1");
    kin_controller_stop(control->controller);
    assert_code(kin_controller_wait_stopped(control->controller, -1, NULL), 0);
    assert_false(kin_delta_fifo_is_closed(control->deltas));
    kin_controller_free(control->controller);
    control->controller = NULL;
    assert_true(kin_delta_fifo_is_closed(control->deltas));
    end(control);
}

/* --- a whole life, in which each call can be the one that stops or frees it --- */

enum { MAX_RETRIES = 12 };

struct life {
    kin_test_life base;
    kin_store *store; /* with `informs`: the plain informer's */
    kin_test_source *source;
    kin_controller *controller;
    bool informs;         /* it is a plain informer */
    atomic_uint n_called; /* the process function was */
};

static void called(struct life *life)
{
    kin_test_life_called(&life->base);
}

static void end_life(void *arg, bool frees)
{
    struct life *life = arg;

    if (frees)
        kin_controller_free(life->controller);
    else
        kin_controller_stop(life->controller);
}

/* Answers within the beginning: one list fails, and the second watch stays. */
static int on_begin(kin_test_pull *op, void *arg, kin_error *err)
{
    (void)err;
    called(arg);
    if (op->index == 0) {
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_ESERVER, .http_status = 500},
                           false);
    } else if (op->is_list) {
        kin_test_pull_list(op, "10", "a:1 b:2 c:3");
    } else if (strcmp(op->version, "20") != 0) {
        if (kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:11") == 0 &&
            kin_test_pull_event(op, KIN_WATCH_DELETED, "b:12") == 0)
            kin_test_pull_bookmark(op, "20", false);
        kin_test_pull_close(op);
    }
    return 0;
}

/* Fails once in each of the two ways, and keeps the store as it should be. */
static int process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    struct life *life = arg;
    unsigned n;

    (void)is_initial_list;
    called(life);
    n = atomic_fetch_add(&life->n_called, 1) + 1;
    if (n == 2)
        return KIN_EREQUEUE;
    /* What is known already, so that it need not come again. */
    if (kin_deltas_newest(deltas)->type == KIN_DELTA_SYNC && n > 3)
        return kin_error_set(err, KIN_ECONFLICT, "it does not work");
    if (kin_deltas_is_deleted(deltas)) {
        kin_store_delete_key(life->store, deltas->key, NULL);
        return 0;
    }
    return kin_store_update(life->store, kin_deltas_newest(deltas)->object, err) < 0 ? KIN_EREQUEUE
                                                                                     : 0;
}

static void handle(const kin_event *event, void *arg)
{
    (void)event;
    called(arg);
}

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)err;
    called(arg);
    *ret = kin_object_ref(object);
    return 0;
}

static void on_gone(void *arg)
{
    struct life *life = arg;

    kin_test_life_on_gone(&life->base);
}

static void free_fifo(void *arg)
{
    kin_delta_fifo_free(arg);
}

static int make_informer(struct life *life, const kin_reflector_options *reflector, kin_error *err)
{
    kin_plain_informer_options options = KIN_PLAIN_INFORMER_OPTIONS_INIT;

    options.transform = transform;
    options.transform_arg = life;
    options.arg_free = on_gone;
    options.reflector = reflector;
    return kin_controller_new_informer(&life->controller, &life->store,
                                       kin_test_source_list_watch(life->source), handle, life,
                                       &options, err);
}

static int make_controller(struct life *life, const kin_reflector_options *reflector,
                           kin_error *err)
{
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
    kin_delta_fifo_options deltas = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known;
    kin_delta_fifo *fifo = NULL;
    kin_queue queue = KIN_QUEUE_INIT;
    int code = kin_store_new(&life->store, NULL, err);

    if (code < 0)
        return code;
    known = kin_store_known_objects(life->store);
    deltas.known = &known;
    deltas.emit_replaced = true;
    deltas.transform = transform;
    deltas.transform_arg = life;
    code = kin_delta_fifo_new(&fifo, &deltas, err);
    if (code < 0)
        return code;
    assert_code(kin_delta_fifo_queue(&queue, fifo), 0);
    queue.arg_free = free_fifo;
    options.process = process;
    options.arg = life;
    options.arg_free = on_gone;
    options.reflector = reflector;
    code = kin_controller_new(&life->controller, kin_test_source_list_watch(life->source), &queue,
                              &options, err);
    if (code < 0)
        kin_delta_fifo_free(fifo);
    return code;
}

static int life_make(struct life *life, kin_error *err)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    int code = kin_test_life_make(&life->base, err);

    if (code < 0)
        return code;
    kin_test_life_options(&life->base, &options);
    return life->informs ? make_informer(life, &options, err)
                         : make_controller(life, &options, err);
}

static void life_init(struct life *life, bool informs)
{
    memset(life, 0, sizeof(*life));
    life->informs = informs;
    kin_test_life_init(&life->base, end_life, life);
    life->source = kin_test_source_new(false);
    kin_test_source_on_begin(life->source, on_begin, life);
}

static void life_start(struct life *life, bool informs, size_t at, bool frees)
{
    life_init(life, informs);
    life->base.at = at;
    life->base.frees = frees;
    assert_code(life_make(life, NULL), 0);
    assert_code(kin_controller_start(life->controller, NULL), 0);
}

static void life_done(struct life *life)
{
    if (!kin_test_life_was_freed(&life->base))
        kin_controller_free(life->controller);
    kin_test_life_done(&life->base, life->controller ? 2 : 0);
    kin_test_source_free(life->source);
    kin_store_unref(life->store);
}

static bool is_complete(struct life *life, const kin_reflector_status *reflector)
{
    return strcmp(reflector->resource_version, "20") == 0 && reflector->resyncs > 0 &&
           reflector->state == KIN_REFLECTOR_WATCHING && kin_store_len(life->store) == 2 &&
           kin_controller_has_synced(life->controller);
}

/*
 * Move the clock until all has come and a resync was; or a call ends it, or it has failed too often. False in
 * the last case.
 */
static bool live(struct life *life)
{
    while (!kin_test_life_is_ending(&life->base)) {
        kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;
        kin_reflector_status reflector = KIN_REFLECTOR_STATUS_INIT;

        kin_controller_get_status(life->controller, &status, NULL);
        kin_reflector_get_status(kin_controller_reflector(life->controller), &reflector, NULL);
        if (is_complete(life, &reflector))
            return true;
        if (reflector.retries > MAX_RETRIES || status.requeued + status.errors > MAX_RETRIES)
            return false;
        kin_test_life_pass(&life->base, 50 * KIN__MILLISECOND);
    }
    return true;
}

/* How many calls there were. */
static size_t live_and_stop(size_t at, bool informs)
{
    struct life life;
    size_t n;

    life_start(&life, informs, at, false);
    assert_true(live(&life));
    kin_controller_stop(life.controller);
    assert_code(kin_controller_wait_stopped(life.controller, -1, NULL), 0);
    n = kin_test_life_close(&life.base);
    life_done(&life);
    assert_int_equal(life.base.n_after, 0);
    return n;
}

static void each_call_may_stop_it(void **context)
{
    (void)context;
    for (int informs = 0; informs <= 1; informs++) {
        size_t n = live_and_stop(0, informs);

        assert_true(n > 10); /* about 22; fewer where a slow machine lets several come at once */
        for (size_t i = 1; i <= n; i++)
            live_and_stop(i, informs);
    }
}

/* A resync has calls for ever. */
static void each_call_may_free_it(void **context)
{
    (void)context;
    for (int informs = 0; informs <= 1; informs++) {
        size_t n = live_and_stop(0, informs);

        for (size_t i = 1; i <= n; i++) {
            struct life life;

            life_start(&life, informs, i, true);
            while (!kin_test_life_was_freed(&life.base))
                kin_test_life_pass(&life.base, 50 * KIN__MILLISECOND);
            life_done(&life);
        }
    }
}

/* From another thread, at any moment; then it goes on, and ends as complete. */
static void it_stops_and_goes_on_at_any_moment(void **context)
{
    (void)context;
    for (unsigned round = 0; round < 100; round++) {
        struct life life;

        life_init(&life, round % 2);
        assert_code(life_make(&life, NULL), 0);
        for (unsigned i = 0; i < 3; i++) {
            assert_code(kin_controller_start(life.controller, NULL), 0);
            for (unsigned j = 0; j < round % 10 * i; j++) {
                kin_clock_advance(life.base.clock, 20 * KIN__MILLISECOND, NULL);
                sched_yield(); /* any moment will do: nothing is waited for */
            }
            kin_controller_stop(life.controller);
            assert_code(kin_controller_wait_stopped(life.controller, -1, NULL), 0);
        }
        assert_code(kin_controller_start(life.controller, NULL), 0);
        assert_true(live(&life));
        life_done(&life);
    }
}

/* --- memory --- */

static int whole_life(void *arg, kin_error *err)
{
    struct life life;
    int code;

    life_init(&life, *(const bool *)arg);
    code = life_make(&life, err);
    if (code == 0)
        code = kin_controller_start(life.controller, err);
    if (code == 0 && !live(&life))
        code = kin_error_set(err, KIN_ENOMEM, "it fails over and over");
    life_done(&life);
    return code;
}

static void it_survives_without_memory(void **context)
{
    bool informs = false;

    (void)context;
    kin_test_fail_each_allocation(whole_life, &informs);
    informs = true;
    kin_test_fail_each_allocation(whole_life, &informs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_that_fails_is_tried_later),
        cmocka_unit_test(what_waits_stays_when_it_is_stopped),
        cmocka_unit_test(a_stop_does_not_wait_for_a_retry),
        cmocka_unit_test(it_runs_until_it_is_stopped),
        cmocka_unit_test(nobody_waits_for_itself),
        cmocka_unit_test(who_stops_the_reflector_stops_the_controller),
        cmocka_unit_test(it_closes_the_queue_in_the_end),
        cmocka_unit_test(each_call_may_stop_it),
        cmocka_unit_test(each_call_may_free_it),
        cmocka_unit_test(it_stops_and_goes_on_at_any_moment),
        cmocka_unit_test(it_survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
