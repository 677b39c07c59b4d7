/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controllers: a reflector with its queue, and a process function on a process loop.
 *
 * A turn takes some keys out, until the queue is empty, its share is used up, or somebody stops it; a
 * process function that is slow is never followed by another call for it. After a KIN_EREQUEUE nothing is
 * processed for a while, whoever wakes it: what waits is behind it, or would fail likewise.
 */
#include "informer/controller.h"

#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/process.h"
#include "informer/process_loop.h"
#include "informer/reflector.h"
#include "informer/reflector_queue.h"

enum {
    PER_BATCH = 1000,
    PER_TURN = 100, /* calls of the process function */
    RETRY_MS = 100,
};

struct kin_controller {
    kin__fork_guard guard;
    char *name;                          /* const */
    kin_logger *logger;                  /* const; SHARED */
    kin__shared_workers *shared_workers; /* const; SHARED */
    kin_controller_options options;      /* const; without `reflector` */
    int64_t retry_after;                 /* const; nanoseconds */
    bool is_made;                        /* const: `arg` is ours */
    kin__reflector_queue in;
    kin__process_loop loop;

    int64_t retry_at; /* (strand) nothing is processed before; INT64_MIN: at any time */

    kin__mutex lock; /* rank INFORMER */
    kin__cond changed;
    kin_controller_status status; /* (lock) its counts and its error */
};

static kin_controller *controller_of(kin__process_loop *loop)
{
    return kin__container_of(loop, kin_controller, loop);
}

/* --- processing --- */

static int call_user(const kin_controller *controller, const kin_deltas *deltas, size_t n,
                     bool is_initial_list, kin_error *err)
{
    const kin_controller_options *options = &controller->options;
    int code = 0;

    kin__assert_no_locks();
    if (options->process_batch)
        return options->process_batch(deltas, n, is_initial_list, options->arg, err);
    for (size_t i = 0; code == 0 && i < n; i++)
        code = options->process(&deltas[i], is_initial_list, options->arg, err);
    return code;
}

static int process(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                   kin_error *err)
{
    kin_controller *controller = arg;
    int code = call_user(controller, deltas, n, is_initial_list, err);

    if (code > 0)
        code = kin_error_set(err, KIN_EINVAL, "the process function returned %d", code);
    if (code < 0 && code != KIN_EREQUEUE && controller->options.retry_on_error) {
        kin__said(err, code);
        code = KIN_EREQUEUE;
    }
    return kin__reflector_queue_processed(&controller->in, n, code);
}

static void note_error_locked(kin_controller *controller, const kin_error *why)
    KIN_REQUIRES(controller->lock)
{
    controller->status.last_error = *why;
    controller->status.last_error_unix_ns = kin_clock_unix_now(controller->loop.clock);
}

/* What the process function returned. Who sees that it has synced sees this, too. */
static void count(kin_controller *controller, kin_error *err)
{
    const kin__reflector_queue_call *call = &controller->in.call;
    kin_controller_status *status = &controller->status;
    uint64_t *counter = call->result == 0              ? &status->processed
                        : call->result == KIN_EREQUEUE ? &status->requeued
                                                       : &status->failed;

    if (call->result < 0)
        kin__said(err, err->code < 0 ? err->code : call->result);
    kin__mutex_lock(&controller->lock);
    *counter += call->n_keys;
    if (call->result < 0)
        note_error_locked(controller, err);
    kin__mutex_unlock(&controller->lock);
}

static void postpone(kin_controller *controller)
{
    if (controller->retry_after < 0)
        return;
    controller->retry_at = kin__clock_deadline(controller->loop.clock, controller->retry_after);
    kin__process_loop_wake_at(&controller->loop, controller->retry_at);
}

/* Whether to go on at once. */
static int fail(kin_controller *controller, const kin__reflector_queue_call *call, kin_error *err)
{
    bool comes_again = call->result == KIN_EREQUEUE;

    kin__log(controller->logger, KIN_LOG_WARN, "controller",
             comes_again ? "a change is to be processed again" : "a change could not be processed",
             KIN__LOG_S("controller", controller->name), KIN__LOG_U("keys", call->n_keys),
             KIN__LOG_S("error", err->message));
    if (comes_again)
        postpone(controller);
    return comes_again ? controller->retry_after < 0
                       : kin__reflector_queue_len(&controller->in) > 0;
}

/* One call of the process function at most. 1: there is more, 0: not now, or a code: of the queue. */
static int take(kin_controller *controller, kin_error *err)
{
    const kin__reflector_queue_call *call = &controller->in.call;
    size_t max = controller->options.process ? 1 : controller->options.max_batch;
    int more;
    int code = kin__reflector_queue_pop(&controller->in, process, controller, max, err);

    /* Before others see how far it is. */
    if (call->was_made)
        count(controller, err);
    more = kin__reflector_queue_popped(&controller->in, code);

    return call->was_made && call->result < 0 ? fail(controller, call, err) : more;
}

static bool is_paused(kin_controller *controller)
{
    return kin_clock_now(controller->loop.clock) < controller->retry_at;
}

static int take_some(kin_controller *controller, kin_error *err)
{
    int more = 1;

    for (unsigned i = 0; i < PER_TURN && more > 0; i++) {
        if (is_paused(controller) || kin__process_loop_life(&controller->loop) != KIN__LIFE_RUNNING)
            return 0;
        kin__error_begin(err);
        more = take(controller, err);
    }
    return more;
}

/* --- the loop --- */

static int begin(kin_controller *controller, kin_error *err)
{
    int code;

    if (controller->in.is_started)
        return 0;
    kin__process_loop_source_begins(&controller->loop);
    code = kin__reflector_queue_start(&controller->in, err);
    /* It is tried again after a moment: nobody is to wake it before. */
    if (code < 0)
        kin__process_loop_source_failed(&controller->loop);
    return code;
}

static int work(kin__process_loop *loop, kin__life life, kin_error *err)
{
    kin_controller *controller = controller_of(loop);
    int code;

    if (life != KIN__LIFE_RUNNING)
        return 0;
    if (controller->in.is_started && kin__reflector_has_ended(controller->in.reflector)) {
        /* Somebody has stopped it, or its client is gone. */
        kin__process_loop_stop(loop);
        return 0;
    }
    code = begin(controller, err);
    if (code == 0)
        code = take_some(controller, err);
    if (code < 0) {
        kin__mutex_lock(&controller->lock);
        controller->status.errors++;
        note_error_locked(controller, err);
        kin__mutex_unlock(&controller->lock);
    }
    return code;
}

static bool stop(kin__process_loop *loop)
{
    kin_controller *controller = controller_of(loop);

    controller->retry_at = INT64_MIN;
    return kin__reflector_queue_stop(&controller->in);
}

/* Who waits until it has synced may look. */
static void after(kin__process_loop *loop, bool has_stopped)
{
    (void)has_stopped;
    kin__mutex_lock(loop->lock);
    kin__cond_broadcast(loop->changed);
    kin__mutex_unlock(loop->lock);
}

static bool runs_here(kin__process_loop *loop)
{
    return kin__reflector_runs_here(controller_of(loop)->in.reflector);
}

static void destroy(kin__process_loop *loop)
{
    kin_controller *controller = controller_of(loop);

    if (controller->is_made)
        controller->in.queue.close(controller->in.queue.arg);
    kin__reflector_queue_done(&controller->in);
    if (controller->is_made && controller->options.arg_free)
        controller->options.arg_free(controller->options.arg);
    kin__process_loop_done(loop);
    kin__cond_done(&controller->changed);
    kin__mutex_done(&controller->lock);
    kin_logger_unref(controller->logger);
    kin__free(controller->name);
    kin__shared_workers_unref(controller->shared_workers);
    kin__free(controller);
}

/* Run by producers, some of them under the lock of the queue. */
static void note_put(void *arg)
{
    if (!KIN_DEFECT(producer_does_not_wake))
        kin__process_loop_nudge(&((kin_controller *)arg)->loop);
}

/* With NULL producers no longer know of the controller. */
static void set_wake(kin_controller *controller, void (*fn)(void *arg))
{
    const kin_queue *queue = &controller->in.queue;

    if (queue->set_wake)
        queue->set_wake(fn, fn ? controller : NULL, queue->arg);
}

/* --- life --- */

static int check_options(const kin_controller_options *options, kin_error *err)
{
    if (!options->process == !options->process_batch)
        return kin_error_set(err, KIN_EINVAL,
                             "a controller has one process function, for one key or for many");
    if (options->retry_ms < -1 || options->retry_ms > INT64_MAX / KIN__MILLISECOND)
        return kin_error_set(err, KIN_EINVAL, "a retry_ms of %lld", (long long)options->retry_ms);
    return 0;
}

static int make_parts(kin_controller *controller, kin_list_watch *source, const kin_queue *queue,
                      const kin_reflector_options *given, kin_store *store, kin_error *err)
{
    static const kin__process_loop_class loop_class = {"controller", stop,    work, after,
                                                       runs_here,    destroy, NULL};
    kin_reflector_options options = *given;
    kin__reflector_queue_owner owner = {
        .loop = &controller->loop, .ends_loop = true, .store = store};
    int code = kin__shared_workers_of(&controller->shared_workers, source, options.clock, err);

    if (code < 0)
        return code;
    controller->name = kin__memdup_str(kin_str_of(options.name ? options.name : "controller"));
    if (!controller->name)
        return kin__error_no_memory(err);
    controller->logger = options.logger ? kin_logger_ref(options.logger) : kin_default_logger();
    options.name = controller->name;
    options.logger = controller->logger;
    controller->loop.loop_class = &loop_class;
    controller->loop.name = controller->name;
    controller->loop.logger = controller->logger;
    controller->loop.shared_workers = controller->shared_workers;
    controller->loop.lock = &controller->lock;
    controller->loop.changed = &controller->changed;
    code = kin__process_loop_init(&controller->loop, err);
    if (code < 0)
        return code;
    return kin__reflector_queue_init(&controller->in, &owner, queue, source, &options, err);
}

static int make(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                const kin_controller_options *options, const kin_reflector_options *reflector,
                kin_store *store, kin_error *err)
{
    kin_controller *controller = kin__calloc(1, sizeof(*controller));
    int64_t retry_ms = options->retry_ms ? options->retry_ms : RETRY_MS;
    int code;

    if (!controller)
        return kin__error_no_memory(err);
    controller->options = *options;
    controller->options.reflector = NULL;
    controller->options.max_batch = options->max_batch ? options->max_batch : PER_BATCH;
    controller->retry_after = retry_ms < 0 ? -1 : retry_ms * KIN__MILLISECOND;
    controller->retry_at = INT64_MIN;
    controller->status = (kin_controller_status)KIN_CONTROLLER_STATUS_INIT;
    kin__error_begin(&controller->status.last_error);
    kin__mutex_init(&controller->lock, KIN__RANK_INFORMER);
    kin__cond_init(&controller->changed);
    code = kin__fork_guard_init(&controller->guard, err);
    if (code == 0)
        code = make_parts(controller, source, queue, reflector, store, err);
    controller->is_made = code == 0;
    if (code < 0) {
        destroy(&controller->loop);
        return code;
    }
    set_wake(controller, note_put);
    *ret = controller;
    return 0;
}

int kin__controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                        const kin_controller_options *options, kin_store *store, kin_error *err)
{
    kin_controller_options all = KIN_CONTROLLER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    int code;

    if (!ret || !source || !queue || !options)
        return kin__error_null(err, !ret      ? "ret"
                                    : !source ? "source"
                                    : !queue  ? "queue"
                                              : "options");
    code = kin__options_take(&all, sizeof(all), options, "KIN_CONTROLLER_OPTIONS_INIT", err);
    if (code == 0)
        code = kin__options_take(&reflector, sizeof(reflector), all.reflector,
                                 "KIN_REFLECTOR_OPTIONS_INIT", err);
    if (code == 0)
        code = check_options(&all, err);
    return code < 0 ? code : make(ret, source, queue, &all, &reflector, store, err);
}

int kin_controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                       const kin_controller_options *options, kin_error *err)
{
    return kin__controller_new(ret, source, queue, options, NULL, err);
}

static int check_controller(const kin_controller *controller, kin_error *err)
{
    return controller ? kin__fork_guard_check(&controller->guard, err)
                      : kin__error_null(err, "controller");
}

void kin_controller_free(kin_controller *controller)
{
    if (check_controller(controller, NULL) < 0)
        return;
    /* First: a wake after the loop's last task would use freed memory. */
    set_wake(controller, NULL);
    kin__process_loop_free(&controller->loop);
}

void kin__controller_set_key(kin_controller *controller, kin_key_fn *key, void *key_arg)
{
    controller->in.reflector->key = key;
    controller->in.reflector->key_arg = key_arg;
}

bool kin__controller_is_freed(kin_controller *controller)
{
    bool is_freed;

    kin__mutex_lock(&controller->lock);
    is_freed = controller->loop.is_freed;
    kin__mutex_unlock(&controller->lock);
    return is_freed;
}

int kin_controller_start(kin_controller *controller, kin_error *err)
{
    int code = check_controller(controller, err);

    return code < 0 ? code : kin__process_loop_start(&controller->loop, err);
}

void kin_controller_stop(kin_controller *controller)
{
    if (check_controller(controller, NULL) == 0)
        kin__process_loop_stop(&controller->loop);
}

int kin_controller_wait_stopped(kin_controller *controller, int64_t timeout_ms, kin_error *err)
{
    int code = check_controller(controller, err);

    return code < 0 ? code : kin__process_loop_wait_stopped(&controller->loop, timeout_ms, err);
}

int kin_controller_run(kin_controller *controller, kin_error *err)
{
    int code = check_controller(controller, err);

    if (code == 0 && kin__process_loop_runs_here(&controller->loop))
        code = kin_error_set(err, KIN_EBUSY, "a controller is run by one of its own workers");
    if (code == 0)
        code = kin__process_loop_start(&controller->loop, err);
    return code < 0 ? code : kin__process_loop_wait_stopped(&controller->loop, -1, err);
}

void kin_controller_wake(kin_controller *controller)
{
    if (check_controller(controller, NULL) == 0)
        kin__process_loop_wake(&controller->loop);
}

/* --- what it tells --- */

bool kin_controller_has_synced(kin_controller *controller)
{
    return check_controller(controller, NULL) == 0 &&
           kin__reflector_queue_has_synced(&controller->in);
}

static int is_synced(kin__process_loop *loop, const void *arg)
{
    const kin_controller *controller = controller_of(loop);

    (void)arg;
    if (controller->in.is_synced)
        return 1;
    if (loop->life == KIN__LIFE_STOPPED)
        return KIN_ECLOSED;
    if (controller->options.wait_while_refused || loop->life != KIN__LIFE_RUNNING)
        return 0;
    return kin__reflector_queue_refusal_locked(&controller->in, NULL);
}

int kin_controller_wait_synced(kin_controller *controller, int64_t timeout_ms, kin_error *err)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    int code = check_controller(controller, err);

    if (code < 0)
        return code;
    code = kin__process_loop_wait(&controller->loop, is_synced, NULL, timeout_ms);
    if (code == 0)
        return 0;
    kin_reflector_get_status(controller->in.reflector, &status, NULL);
    kin_error_set(err, code, "%s have not synced: %s, %s", controller->name,
                  kin_reflector_state_name(status.state),
                  status.last_error.code < 0 ? status.last_error.message : kin_error_string(code));
    kin__error_http(err, status.last_error.http_status, kin_str_of(status.last_error.reason));
    return code;
}

size_t kin_controller_last_version(kin_controller *controller, char *buf, size_t size)
{
    return kin_reflector_last_version(controller ? controller->in.reflector : NULL, buf, size);
}

static kin_controller_state state_of(kin__life life)
{
    switch (life) {
    case KIN__LIFE_NEW:
        return KIN_CONTROLLER_NEW;
    case KIN__LIFE_RUNNING:
        return KIN_CONTROLLER_RUNNING;
    case KIN__LIFE_STOPPING:
        return KIN_CONTROLLER_STOPPING;
    case KIN__LIFE_STOPPED:
        break;
    }
    return KIN_CONTROLLER_STOPPED;
}

int kin_controller_get_status(kin_controller *controller, kin_controller_status *ret,
                              kin_error *err)
{
    kin_controller_status status;
    int code = check_controller(controller, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&controller->lock);
    status = controller->status;
    status.state = state_of(controller->loop.life);
    kin__mutex_unlock(&controller->lock);
    status.is_synced = kin__reflector_queue_has_synced(&controller->in);
    status.queued = kin__reflector_queue_len(&controller->in);
    return kin__options_give(ret, &status, sizeof(status), "KIN_CONTROLLER_STATUS_INIT", err);
}

kin_reflector *kin_controller_reflector(kin_controller *controller)
{
    return controller ? controller->in.reflector : NULL;
}
