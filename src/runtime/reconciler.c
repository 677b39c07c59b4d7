/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reconcilers: their life, and what others see of them. reconciler.h has the design.
 */
#include "runtime/reconciler.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"

enum {
    SYNC_TIMEOUT_MS = 120000,
    DEADLINE_MS = 60000,
    WRITE_TIMEOUT_MS = 10000,
    WORKERS_MAX = 1024
};

/* --- the pulse --- */

uint64_t kin__pulse_now(kin__pulse *pulse)
{
    uint64_t n;

    kin__mutex_lock(&pulse->lock);
    n = pulse->n;
    kin__mutex_unlock(&pulse->lock);
    return n;
}

void kin__pulse_raise(kin__pulse *pulse)
{
    kin__mutex_lock(&pulse->lock);
    pulse->n++;
    kin__cond_broadcast(&pulse->beat);
    kin__mutex_unlock(&pulse->lock);
}

bool kin__pulse_wait(kin__pulse *pulse, uint64_t seen, kin_clock *clock, int64_t deadline)
{
    bool in_time = true;

    kin__mutex_lock(&pulse->lock);
    while (pulse->n == seen && in_time)
        in_time = kin__cond_wait_until(&pulse->beat, &pulse->lock, clock, deadline);
    kin__mutex_unlock(&pulse->lock);
    return in_time;
}

/* --- making --- */

int kin__reconciler_check(const kin_reconciler *reconciler, kin_error *err)
{
    return reconciler ? kin__fork_guard_check(&reconciler->guard, err)
                      : kin__error_null(err, "reconciler");
}

static int make_queue(kin_reconciler *reconciler, const kin_work_queue_options *given,
                      kin_error *err)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    int code =
        kin__options_take(&options, sizeof(options), given, "KIN_WORK_QUEUE_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    options.size = sizeof(options);
    reconciler->is_measured = options.metrics != NULL;
    if (!options.name)
        options.name = reconciler->name;
    if (!options.clock)
        options.clock = reconciler->clock;
    if (!options.logger)
        options.logger = reconciler->logger;
    return kin_work_queue_new(&reconciler->queue, &options, err);
}

/*
 * Milliseconds of an option, where 0 is a default and -1 never, as nanoseconds or -1. More than fit are
 * as many as do.
 */
static int64_t period_of(int64_t ms, int64_t otherwise)
{
    if (ms < 0)
        return -1;
    if (ms == 0)
        ms = otherwise;
    return ms > INT64_MAX / KIN__MILLISECOND ? INT64_MAX : ms * KIN__MILLISECOND;
}

static int check_options(const kin_reconciler_options *options, kin_error *err)
{
    if (options->n_workers > WORKERS_MAX)
        return kin_error_set(err, KIN_EINVAL, "%u workers", options->n_workers);
    if (options->sync_timeout_ms < -1 || options->deadline_ms < -1 ||
        options->write_timeout_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a time that is negative, and not -1");
    return 0;
}

static void destroy(kin_reconciler *reconciler)
{
    kin_work_queue_free(reconciler->queue);
    kin__map_done(&reconciler->gates);
    kin__timers_done(&reconciler->deadlines);
    kin__cond_done(&reconciler->pulse.beat);
    kin__mutex_done(&reconciler->pulse.lock);
    kin__mutex_done(&reconciler->lock);
    kin_logger_unref(reconciler->logger);
    kin_clock_unref(reconciler->clock);
    kin__free(reconciler->name);
    kin__free(reconciler);
}

static kin_reconciler *allocate(kin_reconcile_fn *fn, void *arg,
                                const kin_reconciler_options *options)
{
    size_t n = options->n_workers ? options->n_workers : 1;
    kin_reconciler *reconciler = kin__calloc(1, sizeof(*reconciler) + n * sizeof(kin__worker));

    if (!reconciler)
        return NULL;
    reconciler->fn = fn;
    reconciler->arg = arg;
    reconciler->options = *options;
    reconciler->options.name = NULL;
    reconciler->options.queue = NULL;
    reconciler->clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system());
    reconciler->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    reconciler->sync_timeout_ms =
        options->sync_timeout_ms ? options->sync_timeout_ms : SYNC_TIMEOUT_MS;
    reconciler->deadline = period_of(options->deadline_ms, DEADLINE_MS);
    reconciler->write_timeout = period_of(options->write_timeout_ms, WRITE_TIMEOUT_MS);
    reconciler->next_look = INT64_MAX;
    reconciler->n_workers = n;
    for (size_t i = 0; i < n; i++)
        reconciler->workers[i].reconciler = reconciler;
    kin__list_init(&reconciler->sources);
    kin__list_init(&reconciler->opened);
    kin__map_init(&reconciler->gates, kin__hash_seed());
    kin__timers_init(&reconciler->deadlines);
    kin__mutex_init(&reconciler->lock, KIN__RANK_RECONCILER);
    kin__mutex_init(&reconciler->pulse.lock, KIN__RANK_PULSE);
    kin__cond_init(&reconciler->pulse.beat);
    return reconciler;
}

int kin_reconciler_new(kin_reconciler **ret, kin_reconcile_fn *fn, void *arg,
                       const kin_reconciler_options *options, kin_error *err)
{
    kin_reconciler_options all = KIN_RECONCILER_OPTIONS_INIT;
    kin_reconciler *reconciler;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_RECONCILER_OPTIONS_INIT", err);

    if (code == 0 && (!ret || !fn))
        code = kin__error_null(err, ret ? "fn" : "ret");
    if (code == 0)
        code = check_options(&all, err);
    if (code < 0)
        return code;
    reconciler = allocate(fn, arg, &all);
    if (!reconciler)
        return kin__error_no_memory(err);
    reconciler->name = kin__memdup_str(kin_str_of(all.name ? all.name : "reconciler"));
    code = reconciler->name ? kin__fork_guard_init(&reconciler->guard, err)
                            : kin__error_no_memory(err);
    if (code == 0)
        code = make_queue(reconciler, all.queue, err);
    if (code < 0)
        destroy(reconciler);
    else
        *ret = reconciler;
    return code;
}

/* --- starting --- */

/* What is only read brings no keys. */
static bool watches_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    kin__list_for_each(&reconciler->sources, node) {
        if (kin__list_entry(node, kin__source, link)->registration)
            return true;
    }
    return false;
}

static int begin_start(kin_reconciler *reconciler, kin_error *err)
{
    kin_reconciler_state state;
    bool watches;

    if (kin__reconciler_runs_here(reconciler))
        return kin_error_set(err, KIN_EBUSY, "a callback of \"%s\" would wait for itself",
                             reconciler->name);
    kin__mutex_lock(&reconciler->lock);
    state = reconciler->state;
    watches = watches_locked(reconciler);
    if (state == KIN_RECONCILER_NEW && watches)
        reconciler->state = KIN_RECONCILER_SYNCING;
    kin__mutex_unlock(&reconciler->lock);
    switch (state) {
    case KIN_RECONCILER_NEW:
        return watches ? 0
                       : kin_error_set(err, KIN_EINVAL, "\"%s\" watches nothing", reconciler->name);
    case KIN_RECONCILER_SYNCING:
    case KIN_RECONCILER_RUNNING:
        return kin_error_set(err, KIN_EBUSY, "\"%s\" was started already", reconciler->name);
    case KIN_RECONCILER_STOPPING:
    case KIN_RECONCILER_STOPPED:
        break;
    }
    return kin_error_set(err, KIN_ECLOSED, "\"%s\" was stopped", reconciler->name);
}

static void join_all(kin_reconciler *reconciler)
{
    kin__thread_join(&reconciler->keeper, NULL);
    for (size_t i = 0; i < reconciler->n_workers; i++)
        kin__thread_join(&reconciler->workers[i].thread, NULL);
}

/* None of them does anything yet: if one cannot be had, the others end again. */
static int start_threads(kin_reconciler *reconciler, kin_error *err)
{
    char name[32];
    int code =
        kin__thread_start(&reconciler->keeper, "kin-keeper", kin__reconciler_keep, reconciler, err);

    snprintf(name, sizeof(name), "kin-%s", reconciler->name);
    for (size_t i = 0; code == 0 && i < reconciler->n_workers; i++)
        code = kin__thread_start(&reconciler->workers[i].thread, name, kin__reconciler_work,
                                 &reconciler->workers[i], err);
    if (code == 0)
        return 0;
    kin__mutex_lock(&reconciler->lock);
    reconciler->is_abandoned = true;
    kin__mutex_unlock(&reconciler->lock);
    kin__pulse_raise(&reconciler->pulse);
    join_all(reconciler);
    return code;
}

/* From syncing to running, back to new, or, if it was stopped meanwhile, to the end. */
static int finish_start(kin_reconciler *reconciler, int code, kin_error *err)
{
    bool was_stopped;

    kin__mutex_lock(&reconciler->lock);
    was_stopped = reconciler->state != KIN_RECONCILER_SYNCING;
    reconciler->is_abandoned = false;
    if (code == 0) {
        reconciler->is_let_go = true;
        reconciler->n_threads = reconciler->n_workers;
        if (!was_stopped)
            reconciler->state = KIN_RECONCILER_RUNNING;
    } else {
        reconciler->state = was_stopped ? KIN_RECONCILER_STOPPED : KIN_RECONCILER_NEW;
    }
    kin__mutex_unlock(&reconciler->lock);
    kin__pulse_raise(&reconciler->pulse);
    if (was_stopped && code != KIN_ECLOSED)
        return kin_error_set(err, KIN_ECLOSED, "\"%s\" was stopped", reconciler->name);
    return code;
}

int kin_reconciler_start(kin_reconciler *reconciler, kin_error *err)
{
    int code = kin__reconciler_check(reconciler, err);

    if (code == 0)
        code = begin_start(reconciler, err);
    if (code < 0)
        return code;
    code = kin__reconciler_await_caches(reconciler, err);
    if (code == 0)
        code = start_threads(reconciler, err);
    return finish_start(reconciler, code, err);
}

int kin_reconciler_run(kin_reconciler *reconciler, kin_error *err)
{
    int code = kin_reconciler_start(reconciler, err);

    return code < 0 ? code : kin_reconciler_wait_stopped(reconciler, -1, err);
}

/* --- stopping --- */

bool kin__reconciler_is_stopping(kin_reconciler *reconciler)
{
    bool is_stopping;

    kin__mutex_lock(&reconciler->lock);
    is_stopping = reconciler->state >= KIN_RECONCILER_STOPPING;
    kin__mutex_unlock(&reconciler->lock);
    return is_stopping;
}

void kin_reconciler_stop(kin_reconciler *reconciler, kin_reconciler_end end)
{
    if (kin__reconciler_check(reconciler, NULL) < 0)
        return;
    kin__mutex_lock(&reconciler->lock);
    if (reconciler->state == KIN_RECONCILER_NEW)
        reconciler->state = KIN_RECONCILER_STOPPED;
    else if (reconciler->state < KIN_RECONCILER_STOPPING)
        reconciler->state = KIN_RECONCILER_STOPPING;
    else if (end == KIN_RECONCILER_DRAIN)
        end = reconciler->end; /* what was dropped stays so */
    reconciler->end = end;
    kin__mutex_unlock(&reconciler->lock);
    kin__reconciler_remove_handlers(reconciler);
    kin_work_queue_shut_down(reconciler->queue);
    kin__pulse_raise(&reconciler->pulse);
}

/* A call that is under way, in words: the one that began first. */
static int not_stopped(kin_reconciler *reconciler, kin_error *err)
{
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;

    kin_reconciler_get_status(reconciler, &status, NULL);
    if (status.n_active == 0)
        return kin_error_set(err, KIN_ETIMEOUT, "\"%s\" was not stopped in time: %zu keys wait",
                             reconciler->name, status.n_queued);
    return kin_error_set(
        err, KIN_ETIMEOUT, "\"%s\" was not stopped in time: %s is being reconciled, for %lld ms",
        reconciler->name, status.longest_key, (long long)(status.longest_ns / KIN__MILLISECOND));
}

static bool has_stopped(kin_reconciler *reconciler)
{
    bool has_stopped;

    kin__mutex_lock(&reconciler->lock);
    has_stopped =
        reconciler->state == KIN_RECONCILER_NEW || reconciler->state == KIN_RECONCILER_STOPPED;
    kin__mutex_unlock(&reconciler->lock);
    return has_stopped;
}

int kin_reconciler_wait_stopped(kin_reconciler *reconciler, int64_t timeout_ms, kin_error *err)
{
    int code = kin__reconciler_check(reconciler, err);
    bool in_time = true;
    int64_t deadline;

    if (code == 0 && timeout_ms < -1)
        code = kin_error_set(err, KIN_EINVAL, "a timeout_ms of %lld", (long long)timeout_ms);
    if (code == 0 && timeout_ms != 0 && kin__reconciler_runs_here(reconciler))
        code = kin_error_set(err, KIN_EBUSY, "a callback of \"%s\" would wait for itself",
                             reconciler->name);
    if (code < 0)
        return code;
    deadline = kin__clock_deadline_ms(reconciler->clock, timeout_ms);
    for (;;) {
        uint64_t seen = kin__pulse_now(&reconciler->pulse);

        if (has_stopped(reconciler))
            return 0;
        if (!in_time)
            return not_stopped(reconciler, err);
        in_time = kin__pulse_wait(&reconciler->pulse, seen, reconciler->clock, deadline);
    }
}

int kin_reconciler_free(kin_reconciler *reconciler)
{
    int code = reconciler ? kin__reconciler_check(reconciler, NULL) : 0;

    if (!reconciler || code < 0)
        return code;
    if (kin__reconciler_runs_here(reconciler) || kin__reconciler_is_told_here(reconciler)) {
        kin__log(reconciler->logger, KIN_LOG_ERROR, "reconciler",
                 "not freed: called by one of its own callbacks; stop it there, and free it "
                 "elsewhere",
                 KIN__LOG_S("reconciler", reconciler->name));
        return KIN_EBUSY;
    }
    kin_reconciler_stop(reconciler, KIN_RECONCILER_DROP);
    join_all(reconciler);
    kin__reconciler_drop_gates(reconciler);
    kin__reconciler_free_sources(reconciler);
    destroy(reconciler);
    return 0;
}

/* --- looking --- */

kin_work_queue *kin_reconciler_queue(kin_reconciler *reconciler)
{
    return reconciler ? reconciler->queue : NULL;
}

const char *kin_reconciler_state_name(kin_reconciler_state state)
{
    static const char *const names[] = {"new", "syncing", "running", "stopping", "stopped"};

    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

/* Calls that are under way. */
static void look_at_workers_locked(kin_reconciler *reconciler, int64_t now,
                                   kin_reconciler_status *ret) KIN_REQUIRES(reconciler->lock)
{
    for (size_t i = 0; i < reconciler->n_workers; i++) {
        const kin__worker *worker = &reconciler->workers[i];

        if (!worker->item)
            continue;
        if (ret->n_active++ == 0 || now - worker->began > ret->longest_ns) {
            ret->longest_ns = now - worker->began;
            snprintf(ret->longest_key, sizeof(ret->longest_key), "%s",
                     kin_work_item_key(worker->item).data);
        }
    }
}

static void look_at_gates_locked(kin_reconciler *reconciler, kin_reconciler_status *ret)
    KIN_REQUIRES(reconciler->lock)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&reconciler->gates, &iter)))
        ret->n_parked += kin__container_of(node, kin__gate, node)->is_wanted;
}

int kin_reconciler_get_status(kin_reconciler *reconciler, kin_reconciler_status *ret,
                              kin_error *err)
{
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;
    kin_work_queue_stats queue = KIN_WORK_QUEUE_STATS_INIT;
    int code = kin__reconciler_check(reconciler, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin_work_queue_get_stats(reconciler->queue, &queue, NULL);
    kin__mutex_lock(&reconciler->lock);
    status.state = reconciler->state;
    status.n_workers = reconciler->n_workers;
    status.n_queued = queue.n_queued;
    status.n_delayed = queue.n_delayed;
    status.retries = queue.retries;
    status.done = reconciler->done;
    status.requeued = reconciler->requeued;
    status.requeued_after = reconciler->requeued_after;
    status.failed = reconciler->failed;
    status.overdue = reconciler->overdue;
    status.parked = reconciler->parked;
    status.write_timeouts = reconciler->write_timeouts;
    status.dropped = reconciler->dropped;
    status.unmapped = reconciler->unmapped;
    look_at_workers_locked(reconciler, kin_clock_now(reconciler->clock), &status);
    look_at_gates_locked(reconciler, &status);
    kin__mutex_unlock(&reconciler->lock);
    return kin__options_give(ret, &status, sizeof(status), "KIN_RECONCILER_STATUS_INIT", err);
}
