/* SPDX-License-Identifier: Apache-2.0 */
#include "controller_support.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* --- processing --- */

static void note_key(kin_test_control *control, const kin_deltas *deltas, bool is_initial_list)
{
    static const char letters[] = "?AUDRS";
    const char *slash = memchr(deltas->key.data, '/', deltas->key.len);
    const char *name = slash ? slash + 1 : deltas->key.data;
    char line[256];
    size_t len = (size_t)snprintf(line, sizeof(line), "%.*s",
                                  (int)(deltas->key.len - (size_t)(name - deltas->key.data)), name);

    for (size_t i = 0; i < deltas->len; i++) {
        const kin_delta *delta = &deltas->items[i];
        kin_str version = kin_delta_resource_version(delta);

        len += (size_t)snprintf(line + len, sizeof(line) - len, "%c%.*s%s", letters[delta->type],
                                (int)version.len, version.data,
                                kin_object_is_tombstone(delta->object, NULL) ? "?" : "");
    }
    snprintf(line + len, sizeof(line) - len, "%s@%lld ", is_initial_list ? "!" : "",
             (long long)((kin_clock_now(control->clock) - control->start) / KIN__MILLISECOND));
    pthread_mutex_lock(&control->lock);
    control->len += (size_t)snprintf(control->text + control->len,
                                     sizeof(control->text) - control->len, "%s", line);
    assert_true(control->len < sizeof(control->text));
    pthread_mutex_unlock(&control->lock);
}

/* What was processed is known before the process function returns. */
static void know(kin_test_control *control, const kin_deltas *deltas)
{
    if (kin_deltas_is_deleted(deltas))
        kin_store_delete_key(control->store, deltas->key, NULL);
    else
        assert_code(kin_store_update(control->store, kin_deltas_newest(deltas)->object, NULL), 0);
}

int kin_test_process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                           kin_error *err)
{
    kin_test_control *control = arg;
    unsigned call;
    int code;

    pthread_mutex_lock(&control->lock);
    call = (unsigned)++control->n_calls;
    code = call <= KIN_TEST_MAX_CALLS ? control->codes[call - 1] : 0;
    pthread_mutex_unlock(&control->lock);
    kin_test_latch_raise(&control->entered);
    if (control->is_held)
        kin_test_latch_wait(&control->may_return, call);
    for (size_t i = 0; i < n; i++) {
        note_key(control, &deltas[i], is_initial_list);
        if (code == 0)
            know(control, &deltas[i]);
    }
    if (control->during)
        control->during(control);
    if (code < 0 && code != KIN_EREQUEUE && !control->says_nothing)
        kin_error_set(err, code, "it does not work");
    kin_test_latch_raise(&control->calls);
    return code;
}

int kin_test_process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    return kin_test_process_batch(deltas, 1, is_initial_list, arg, err);
}

static void freed(void *arg)
{
    kin_test_latch_raise(&((kin_test_control *)arg)->freed);
}

/* --- life --- */

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static void make_queue(kin_test_control *control, kin_test_queue queue)
{
    kin_known_objects known = kin_store_known_objects(control->store);
    kin_delta_fifo_options deltas = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_ordered_fifo_options ordered = KIN_ORDERED_FIFO_OPTIONS_INIT;

    if (queue == KIN_TEST_DELTA_FIFO) {
        deltas.known = &known;
        deltas.emit_replaced = true;
        deltas.clock = control->clock;
        assert_code(kin_delta_fifo_new(&control->deltas, &deltas, NULL), 0);
        assert_code(kin_delta_fifo_queue(&control->queue, control->deltas), 0);
    } else if (queue == KIN_TEST_ORDERED_FIFO) {
        ordered.known = &known;
        ordered.clock = control->clock;
        assert_code(kin_ordered_fifo_new(&control->ordered, &ordered, NULL), 0);
        assert_code(kin_ordered_fifo_queue(&control->queue, control->ordered), 0);
    } else {
        assert_code(kin_fifo_new(&control->fifo, NULL, NULL), 0);
        assert_code(kin_fifo_queue(&control->queue, control->fifo), 0);
    }
}

void kin_test_control_init(kin_test_control *control, kin_test_queue queue)
{
    memset(control, 0, sizeof(*control));
    pthread_mutex_init(&control->lock, NULL);
    kin_test_latch_init(&control->calls);
    kin_test_latch_init(&control->entered);
    kin_test_latch_init(&control->may_return);
    kin_test_latch_init(&control->freed);
    assert_code(kin_clock_new_fake(&control->clock, 0, NULL), 0);
    control->start = kin_clock_now(control->clock);
    assert_code(kin_logger_new(&control->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    assert_code(kin_store_new(&control->store, NULL, NULL), 0);
    control->source = kin_test_source_new(false);
    control->queue = (kin_queue)KIN_QUEUE_INIT;
    make_queue(control, queue);
    control->reflector = (kin_reflector_options)KIN_REFLECTOR_OPTIONS_INIT;
    control->reflector.name = "pods";
    control->reflector.clock = control->clock;
    control->reflector.logger = control->logger;
    control->reflector.seed = 1;
    control->reflector.backoff_jitter = -1;
    control->options = (kin_controller_options)KIN_CONTROLLER_OPTIONS_INIT;
    control->options.process = kin_test_process;
    control->options.arg = control;
    control->options.arg_free = freed;
    control->options.reflector = &control->reflector;
}

void kin_test_control_make(kin_test_control *control)
{
    assert_code(kin_controller_new(&control->controller,
                                   kin_test_source_list_watch(control->source), &control->queue,
                                   &control->options, NULL),
                0);
}

void kin_test_control_done(kin_test_control *control)
{
    kin_controller_free(control->controller);
    kin_test_latch_wait(&control->freed, 1);
    kin_test_source_free(control->source);
    kin_delta_fifo_free(control->deltas);
    kin_ordered_fifo_free(control->ordered);
    kin_fifo_free(control->fifo);
    kin_store_unref(control->store);
    kin_logger_unref(control->logger);
    kin_clock_unref(control->clock);
    kin_test_latch_done(&control->freed);
    kin_test_latch_done(&control->may_return);
    kin_test_latch_done(&control->entered);
    kin_test_latch_done(&control->calls);
    pthread_mutex_destroy(&control->lock);
}

kin_test_pull *kin_test_control_start(kin_test_control *control, const char *version,
                                      const char *pods)
{
    size_t n = kin_test_source_count(control->source);

    assert_code(kin_controller_start(control->controller, NULL), 0);
    kin_test_pull_list(kin_test_source_await(control->source, n), version, pods);
    return kin_test_source_await(control->source, n + 1);
}

void kin_test_expect_text(kin_test_control *control, unsigned n_calls, const char *expected)
{
    kin_test_latch_wait(&control->calls, n_calls);
    pthread_mutex_lock(&control->lock);
    assert_string_equal(control->text, expected);
    assert_int_equal(control->n_calls, n_calls);
    pthread_mutex_unlock(&control->lock);
}

kin_controller_status kin_test_control_status(kin_test_control *control)
{
    kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;

    assert_code(kin_controller_get_status(control->controller, &status, NULL), 0);
    return status;
}

void kin_test_control_advance(kin_test_control *control, int64_t ms)
{
    assert_code(kin_clock_await_waiters(control->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(control->clock, ms * KIN__MILLISECOND, NULL), 0);
}
