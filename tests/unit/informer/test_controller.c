/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controllers: what comes in is processed, with each of the library's queues; failures, retries, resyncs, and
 * what a controller says of itself.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "controller_support.h"

static kin_test_control *begin(kin_test_queue queue)
{
    kin_test_control *control = malloc(sizeof(*control));

    kin_test_control_init(control, queue);
    return control;
}

static void end(kin_test_control *control)
{
    kin_test_control_done(control);
    free(control);
}

/* --- what comes in --- */

static void everything_is_processed(void **context)
{
    static const char *const expected[] = {
        "aR1!@0 bR2!@0 aU6@0 bD7@0 cA8@0 ",
        "aR1!@0 bR2!@0 aU6@0 bD7@0 cA8@0 ",
        "aU1!@0 bU2!@0 aU6@0 cU8@0 ",
    };

    (void)context;
    for (kin_test_queue queue = 0; queue < KIN_TEST_QUEUES; queue++) {
        kin_test_control *control = begin(queue);
        bool tells_deletions = queue != KIN_TEST_FIFO;
        kin_test_pull *watch;
        char version[32];

        kin_test_control_make(control);
        assert_false(kin_controller_has_synced(control->controller));
        assert_int_equal(kin_controller_last_version(control->controller, version, 32), 0);
        watch = kin_test_control_start(control, "5", "a:1 b:2");
        assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
        assert_true(kin_controller_has_synced(control->controller));
        assert_int_equal(kin_controller_last_version(control->controller, version, 32), 1);
        assert_string_equal(version, "5");
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
        kin_test_latch_wait(&control->calls, 3);
        kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
        if (tells_deletions)
            kin_test_latch_wait(&control->calls, 4);
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:8");
        kin_test_expect_text(control, tells_deletions ? 5 : 4, expected[queue]);
        kin_controller_last_version(control->controller, version, 32);
        assert_string_equal(version, "8");
        end(control);
    }
}

/* client-go's Example: what is seen is deleted, until there is nothing. */
static void it_may_delete_what_it_sees(void **context)
{
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
    kin_test_pull *watch;

    (void)context;
    kin_test_control_make(control);
    watch = kin_test_control_start(control, "5", "a:1 b:2 c:3");
    for (unsigned i = 0; i < 3; i++) {
        const char *const pods[] = {"a:6", "b:7", "c:8"};

        kin_test_latch_wait(&control->calls, i + 1);
        kin_test_pull_event(watch, KIN_WATCH_DELETED, pods[i]);
    }
    kin_test_latch_wait(&control->calls, 6);
    assert_int_equal(kin_store_len(control->store), 0);
    assert_true(kin_controller_has_synced(control->controller));
    end(control);
}

static void many_keys_come_at_once(void **context)
{
    (void)context;
    for (size_t max = 0; max <= 2; max += 2) {
        kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);

        control->options.process = NULL;
        control->options.process_batch = kin_test_process_batch;
        control->options.max_batch = max;
        kin_test_control_make(control);
        kin_test_control_start(control, "5", "a:1 b:2 c:3");
        assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
        kin_test_expect_text(control, max ? 2 : 1, "aR1!@0 bR2!@0 cR3!@0 ");
        end(control);
    }
}

/* --- what is put in by others than the source --- */

static int put_from_outside(kin_test_control *control, kin_test_queue queue, const char *pod)
{
    const kin_object *object = kin_test_pod(pod);
    int code = queue == KIN_TEST_DELTA_FIFO ? kin_delta_fifo_add(control->deltas, object, NULL)
               : queue == KIN_TEST_ORDERED_FIFO
                   ? kin_ordered_fifo_add(control->ordered, object, NULL)
                   : kin_fifo_add(control->fifo, object, NULL);

    kin_object_unref(object);
    return code;
}

static void a_queue_filled_from_outside_wakes_it(void **context)
{
    static const char *const expected[] = {"aR1!@0 xA9@0 ", "aR1!@0 xA9@0 ", "aU1!@0 xU9@0 "};

    (void)context;
    for (kin_test_queue queue = 0; queue < KIN_TEST_QUEUES; queue++) {
        kin_test_control *control = begin(queue);

        kin_test_control_make(control);
        kin_controller_wake(control->controller); /* it does not run: nothing happens */
        kin_test_control_start(control, "5", "a:1");
        assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
        assert_code(put_from_outside(control, queue, "x:9"), 0);
        kin_test_expect_text(control, 2, expected[queue]);
        end(control);
    }
}

static int ignore(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    (void)deltas;
    (void)is_initial_list;
    (void)arg;
    (void)err;
    return 0;
}

struct producer {
    kin_test_control *control;
    kin_test_queue queue;
    kin_test_latch begun;
    atomic_bool is_over;
};

static void *produce(void *arg)
{
    struct producer *producer = arg;

    while (!atomic_load(&producer->is_over)) {
        /* The controller closes its queue when it is freed. */
        (void)put_from_outside(producer->control, producer->queue, "x:9");
        kin_test_latch_raise(&producer->begun);
    }
    return NULL;
}

/* The controller goes while another thread fills the queue, which outlives it. */
static void it_is_freed_while_others_fill_its_queue(void **context)
{
    (void)context;
    for (kin_test_queue queue = 0; queue < KIN_TEST_QUEUES; queue++) {
        struct producer producer = {.control = begin(queue), .queue = queue};
        pthread_t thread;

        producer.control->options.process = ignore;
        kin_test_latch_init(&producer.begun);
        kin_test_control_make(producer.control);
        kin_test_control_start(producer.control, "5", "a:1");
        assert_int_equal(pthread_create(&thread, NULL, produce, &producer), 0);
        kin_test_latch_wait(&producer.begun, 1);
        kin_controller_free(producer.control->controller);
        producer.control->controller = NULL;
        atomic_store(&producer.is_over, true);
        assert_int_equal(pthread_join(thread, NULL), 0);
        kin_test_latch_done(&producer.begun);
        end(producer.control);
    }
}

/* --- failures --- */

static void what_is_requeued_comes_again_later(void **context)
{
    static const char *const expected[] = {
        "aR1!@0 bR2!@100 aR1@100 ",  /* behind the others */
        "aR1!@0 aR1!@100 bR2!@100 ", /* in its place */
    };

    (void)context;
    for (kin_test_queue queue = 0; queue <= KIN_TEST_ORDERED_FIFO; queue++) {
        kin_test_control *control = begin(queue);
        kin_controller_status status;
        kin_test_pull *watch;

        control->codes[0] = KIN_EREQUEUE;
        kin_test_control_make(control);
        watch = kin_test_control_start(control, "5", "a:1 b:2");
        kin_test_latch_wait(&control->calls, 1);
        assert_false(kin_controller_has_synced(control->controller));
        /* Whoever wakes it meanwhile. */
        kin_test_pull_bookmark(watch, "6", false);
        kin_controller_wake(control->controller);
        kin_test_control_advance(control, 100);
        kin_test_expect_text(control, 3, expected[queue]);
        assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
        status = kin_test_control_status(control);
        assert_int_equal(status.requeued, 1);
        assert_int_equal(status.processed, 2);
        assert_int_equal(status.failed, 0);
        assert_int_equal(status.last_error.code, KIN_EREQUEUE);
        end(control);
    }
}

static void it_need_not_wait_before_it_tries_again(void **context)
{
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);

    (void)context;
    for (size_t i = 0; i < 3; i++)
        control->codes[i] = KIN_EREQUEUE;
    control->options.retry_ms = -1;
    kin_test_control_make(control);
    kin_test_control_start(control, "5", "a:1");
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
    kin_test_expect_text(control, 4, "aR1!@0 aR1@0 aR1@0 aR1@0 ");
    end(control);
}

static void what_fails_is_given_up(void **context)
{
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
    kin_controller_status status;

    (void)context;
    control->codes[0] = KIN_ECONFLICT;
    control->codes[1] = KIN_ETIMEOUT; /* what a queue says that is empty */
    kin_test_control_make(control);
    kin_test_control_start(control, "5", "a:1 b:2 c:3");
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
    kin_test_expect_text(control, 3, "aR1!@0 bR2!@0 cR3!@0 ");
    status = kin_test_control_status(control);
    assert_int_equal(status.failed, 2);
    assert_int_equal(status.processed, 1);
    assert_int_equal(status.requeued, 0);
    assert_int_equal(status.last_error.code, KIN_ETIMEOUT);
    assert_string_equal(status.last_error.message, "it does not work");
    assert_true(status.is_synced);
    assert_int_equal(status.queued, 0);
    end(control);
}

static void what_fails_comes_again_if_asked_for(void **context)
{
    (void)context;
    for (int says_nothing = 0; says_nothing <= 1; says_nothing++) {
        kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
        kin_controller_status status;

        control->codes[0] = KIN_ECONFLICT;
        control->codes[1] = 1; /* no code at all */
        control->says_nothing = says_nothing;
        control->options.retry_on_error = true;
        control->options.retry_ms = 7;
        kin_test_control_make(control);
        kin_test_control_start(control, "5", "a:1");
        kin_test_latch_wait(&control->calls, 1);
        /* It waits to be processed again: not before has the first list been. */
        assert_code(kin_clock_await_waiters(control->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_false(kin_controller_has_synced(control->controller));
        kin_test_control_advance(control, 7);
        kin_test_latch_wait(&control->calls, 2);
        kin_test_control_advance(control, 7);
        kin_test_expect_text(control, 3, "aR1!@0 aR1@7 aR1@14 ");
        status = kin_test_control_status(control);
        assert_int_equal(status.requeued, 2);
        assert_int_equal(status.failed, 0);
        assert_int_equal(status.last_error.code, KIN_EINVAL);
        assert_int_equal(status.last_error_unix_ns,
                         kin_clock_unix_now(control->clock) - 7 * KIN__MILLISECOND);
        end(control);
    }
}

/* --- the reflector's options --- */

static bool is_resyncing;

static bool should_resync(void *arg)
{
    return *(bool *)arg;
}

static void it_resyncs(void **context)
{
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);

    (void)context;
    is_resyncing = true;
    control->reflector.resync_ms = 10000;
    control->reflector.should_resync = should_resync;
    control->reflector.arg = &is_resyncing;
    kin_test_control_make(control);
    kin_test_control_start(control, "5", "a:1");
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), 0);
    kin_test_control_advance(control, 10000);
    kin_test_expect_text(control, 2, "aR1!@0 aS1@10000 ");
    end(control);
}

static kin_test_latch told;

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    assert_string_equal(kin_reflector_name(reflector), "pods");
    assert_int_equal(failure->err->http_status, 403);
    assert_ptr_equal(arg, &told);
    kin_test_latch_raise(&told);
}

static void who_waits_is_told_why(void **context)
{
    static const kin_test_failure_of denied = {.code = KIN_EDENIED,
                                               .http_status = 403,
                                               .reason = "Forbidden",
                                               .message = "pods is forbidden"};
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)context;
    kin_test_latch_init(&told);
    control->reflector.error = on_error;
    control->reflector.arg = &told;
    kin_test_control_make(control);
    assert_code(kin_controller_start(control->controller, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(control->source, 0), &denied, false);
    kin_test_latch_wait(&told, 1);
    assert_code(kin_controller_wait_synced(control->controller, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "pods is forbidden"));
    assert_code(
        kin_reflector_get_status(kin_controller_reflector(control->controller), &status, NULL), 0);
    assert_int_equal(status.last_error.http_status, 403);
    kin_controller_stop(control->controller);
    assert_code(kin_controller_wait_synced(control->controller, -1, NULL), KIN_ECLOSED);
    end(control);
    kin_test_latch_done(&told);
}

/* --- what makes no sense --- */

struct measured {
    atomic_uint lists;
    atomic_uint versions;
    unsigned n_freed;
};

static void count_list(const char *name, void *arg)
{
    assert_string_equal(name, "pods");
    atomic_fetch_add(&((struct measured *)arg)->lists, 1);
}

static void count_version(const char *name, double version, void *arg)
{
    (void)name;
    assert_true(version == 5 || version == 6);
    atomic_fetch_add(&((struct measured *)arg)->versions, 1);
}

static void count_free(void *arg)
{
    ((struct measured *)arg)->n_freed++;
}

/* Of a controller that was not made nothing is consumed. */
static void metrics_are_the_reflectors(void **context)
{
    kin_reflector_metrics metrics = KIN_REFLECTOR_METRICS_INIT;
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
    struct measured measured = {.n_freed = 0};
    kin_test_pull *watch;
    kin_controller *none = NULL;

    (void)context;
    metrics.lists_total = count_list;
    metrics.last_resource_version = count_version;
    control->reflector.name = "pods";
    control->reflector.metrics = &metrics;
    control->reflector.metrics_arg = &measured;
    control->reflector.metrics_arg_free = count_free;
    control->options.reflector = &control->reflector;
    control->reflector.page_size = -1;
    assert_code(kin_controller_new(&none, kin_test_source_list_watch(control->source),
                                   &control->queue, &control->options, NULL),
                KIN_EINVAL);
    assert_int_equal(measured.n_freed, 0);
    control->reflector.page_size = 0;
    kin_test_control_make(control);
    watch = kin_test_control_start(control, "5", "a:1");
    assert_int_equal(atomic_load(&measured.lists), 1);
    assert_int_equal(atomic_load(&measured.versions), 1);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    assert_int_equal(atomic_load(&measured.versions), 2);
    assert_int_equal(measured.n_freed, 0);
    end(control);
    assert_int_equal(measured.n_freed, 1);
}

static void options_are_checked(void **context)
{
    kin_test_control *control = begin(KIN_TEST_DELTA_FIFO);
    kin_list_watch *source = kin_test_source_list_watch(control->source);
    kin_controller *controller = NULL;
    kin_controller_options options = control->options;
    kin_queue queue = control->queue;
    kin_error err = KIN_ERROR_INIT;

    (void)context;
    assert_code(kin_controller_new(NULL, source, &queue, &options, &err), KIN_EINVAL);
    assert_code(kin_controller_new(&controller, NULL, &queue, &options, &err), KIN_EINVAL);
    assert_code(kin_controller_new(&controller, source, NULL, &options, &err), KIN_EINVAL);
    assert_code(kin_controller_new(&controller, source, &queue, NULL, &err), KIN_EINVAL);
    options.process_batch = kin_test_process_batch;
    assert_code(kin_controller_new(&controller, source, &queue, &options, &err), KIN_EINVAL);
    options.process = NULL;
    options.process_batch = NULL;
    assert_code(kin_controller_new(&controller, source, &queue, &options, &err), KIN_EINVAL);
    options = control->options;
    options.retry_ms = -2;
    assert_code(kin_controller_new(&controller, source, &queue, &options, &err), KIN_EINVAL);
    options.retry_ms = 0;
    queue.len = NULL;
    assert_code(kin_controller_new(&controller, source, &queue, &options, &err), KIN_EINVAL);
    assert_string_equal(err.message, "a function of the queue is missing");
    control->reflector.page_size = -1;
    assert_code(kin_controller_new(&controller, source, &control->queue, &options, &err),
                KIN_EINVAL);
    control->reflector.page_size = 0;
    assert_null(controller);
    assert_code(kin_delta_fifo_queue(&queue, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_queue(NULL, control->deltas), KIN_EINVAL);
    /* Nobody has taken the argument. */
    kin_test_control_make(control);
    assert_code(kin_controller_wait_stopped(control->controller, -2, &err), KIN_EINVAL);
    assert_code(kin_controller_get_status(control->controller, NULL, &err), KIN_EINVAL);
    assert_code(kin_controller_start(NULL, &err), KIN_EINVAL);
    assert_code(kin_controller_run(NULL, &err), KIN_EINVAL);
    assert_code(kin_controller_wait_synced(NULL, 0, &err), KIN_EINVAL);
    assert_false(kin_controller_has_synced(NULL));
    assert_null(kin_controller_reflector(NULL));
    assert_int_equal(kin_controller_last_version(NULL, NULL, 0), 0);
    kin_controller_stop(NULL);
    kin_controller_wake(NULL);
    kin_controller_free(NULL);
    end(control);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_processed),
        cmocka_unit_test(it_may_delete_what_it_sees),
        cmocka_unit_test(many_keys_come_at_once),
        cmocka_unit_test(a_queue_filled_from_outside_wakes_it),
        cmocka_unit_test(it_is_freed_while_others_fill_its_queue),
        cmocka_unit_test(what_is_requeued_comes_again_later),
        cmocka_unit_test(it_need_not_wait_before_it_tries_again),
        cmocka_unit_test(what_fails_is_given_up),
        cmocka_unit_test(what_fails_comes_again_if_asked_for),
        cmocka_unit_test(it_resyncs),
        cmocka_unit_test(who_waits_is_told_why),
        cmocka_unit_test(metrics_are_the_reflectors),
        cmocka_unit_test(options_are_checked),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
