/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a reconciler: workers, which take keys and call the function, and the keeper.
 *
 * What a call asks for is put into the queue before its item is given back: the key cannot get lost in
 * between, and for a key that is being worked on the queue has memory.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runtime/reconciler.h"

enum { KEY_ROOM = 512 }; /* bytes for the key of a report; a longer one is cut */

#define METRICS_PERIOD (500 * KIN__MILLISECOND) /* client-go's */

static _Thread_local const kin_reconciler *own;

bool kin__reconciler_runs_here(const kin_reconciler *reconciler)
{
    return own == reconciler;
}

/* Threads wait until all are there. False: they shall end. */
static bool await_go(kin_reconciler *reconciler)
{
    own = reconciler;
    for (;;) {
        uint64_t seen = kin__pulse_now(&reconciler->pulse);

        kin__mutex_lock(&reconciler->lock);
        bool goes = reconciler->is_let_go;
        bool ends = reconciler->is_abandoned;
        kin__mutex_unlock(&reconciler->lock);
        if (goes || ends)
            return goes;
        kin__pulse_wait(&reconciler->pulse, seen, reconciler->clock, INT64_MAX);
    }
}

/* --- a call --- */

kin_str kin_reconcile_key(const kin_reconcile *call)
{
    return call ? call->key : kin_str_make("", 0);
}

kin_namespaced_name kin_reconcile_name(const kin_reconcile *call)
{
    if (!call)
        return (kin_namespaced_name){{"", 0}, {"", 0}};
    return kin_work_item_name(call->item);
}

uint64_t kin_reconcile_n_requeues(const kin_reconcile *call)
{
    return call ? kin_work_queue_n_requeues(call->reconciler->queue, call->key) : 0;
}

bool kin_reconcile_is_stopping(const kin_reconcile *call)
{
    return call && kin__reconciler_is_stopping(call->reconciler);
}

void kin_reconcile_requeue(kin_reconcile *call)
{
    if (call)
        call->is_requeued = true;
}

void kin_reconcile_requeue_after(kin_reconcile *call, int64_t after_ns)
{
    if (!call)
        return;
    call->is_requeued_after = true;
    call->after = after_ns;
}

bool kin__reconciler_look_at_locked(kin_reconciler *reconciler, int64_t deadline)
{
    if (deadline >= reconciler->next_look)
        return false;
    reconciler->next_look = deadline;
    return true;
}

static void begin_call(kin__worker *worker, kin_work_item *item)
{
    kin_reconciler *reconciler = worker->reconciler;
    int64_t now = kin_clock_now(reconciler->clock);
    bool wakes = false;

    kin__mutex_lock(&reconciler->lock);
    worker->item = item;
    worker->began = now;
    worker->is_reported = false;
    /* Mostly the keeper waits for an earlier call already, and is not woken for each. */
    if (reconciler->deadline >= 0)
        wakes = kin__reconciler_look_at_locked(
            reconciler, kin__clock_deadline(reconciler->clock, reconciler->deadline));
    kin__mutex_unlock(&reconciler->lock);
    if (wakes)
        kin__pulse_raise(&reconciler->pulse);
}

static void end_call(kin__worker *worker, const kin_reconcile *call, int code)
{
    kin_reconciler *reconciler = worker->reconciler;

    kin__mutex_lock(&reconciler->lock);
    worker->item = NULL;
    if (code < 0)
        reconciler->failed++;
    else if (call->is_requeued_after)
        reconciler->requeued_after++;
    else if (call->is_requeued)
        reconciler->requeued++;
    else
        reconciler->done++;
    kin__mutex_unlock(&reconciler->lock);
}

/* Later, or now if there is no memory to remember it; that needs none. */
static void add_again(const kin_reconcile *call, const kin_work_add *how)
{
    kin_reconciler *reconciler = call->reconciler;
    int code = kin_work_queue_add_with(reconciler->queue, call->key, how, NULL);

    if (code < 0 && code != KIN_ECLOSED)
        code = kin_work_queue_add(reconciler->queue, call->key, NULL);
    if (code == 0)
        return;
    kin__mutex_lock(&reconciler->lock);
    reconciler->dropped++;
    kin__mutex_unlock(&reconciler->lock);
}

static void report_failure(const kin_reconcile *call, int code, const kin_error *said)
{
    kin_error why;

    kin__error_begin(&why);
    kin__error_pass(&why, code, said);
    kin__log(call->reconciler->logger, KIN_LOG_WARN, "reconciler", "a key is tried again",
             KIN__LOG_S("reconciler", call->reconciler->name), KIN__LOG_V("key", call->key),
             KIN__LOG_U("requeues", kin_reconcile_n_requeues(call)),
             KIN__LOG_S("error", why.message));
}

static void settle(const kin_reconcile *call, int code, const kin_error *said)
{
    kin_work_add how = KIN_WORK_ADD_INIT;

    how.priority = kin_work_item_priority(call->item);
    if (code < 0)
        report_failure(call, code, said);
    if ((code < 0 && !KIN_DEFECT(failure_not_retried)) ||
        (call->is_requeued && !call->is_requeued_after)) {
        how.rate_limited = true;
        add_again(call, &how);
        return;
    }
    kin_work_queue_forget(call->reconciler->queue, call->key);
    if (call->is_requeued_after) {
        how.after_ns = call->after;
        add_again(call, &how);
    }
}

static void reconcile(kin__worker *worker, kin_work_item *item)
{
    kin_reconciler *reconciler = worker->reconciler;
    kin_reconcile call = {reconciler, item, kin_work_item_key(item), false, false, 0};
    kin_error said;
    int code;

    kin__error_begin(&said);
    begin_call(worker, item);
    kin__assert_no_locks();
    code = reconciler->fn(&call, reconciler->arg, &said);
    if (code > 0)
        code = kin_error_set(&said, KIN_EINVAL, "the function returned %d", code);
    end_call(worker, &call, code);
    settle(&call, code, &said);
    kin__reconciler_check_gate(reconciler, call.key);
}

/* --- workers --- */

/* What is queued is to be dropped. */
static bool drop(kin_reconciler *reconciler, const kin_work_item *item)
{
    bool drops;

    kin__mutex_lock(&reconciler->lock);
    drops = reconciler->state == KIN_RECONCILER_STOPPING && reconciler->end == KIN_RECONCILER_DROP;
    if (drops) {
        reconciler->dropped++;
        kin__reconciler_unpark_locked(reconciler, kin_work_item_key(item));
    }
    kin__mutex_unlock(&reconciler->lock);
    return drops;
}

void kin__reconciler_work(void *arg)
{
    kin__worker *worker = arg;
    kin_reconciler *reconciler = worker->reconciler;
    kin_work_item *item = NULL;

    if (!await_go(reconciler))
        return;
    while (kin_work_queue_next(reconciler->queue, &item, -1, NULL) == 0) {
        if (!drop(reconciler, item) && kin__reconciler_pass_gate(reconciler, item))
            reconcile(worker, item);
    }
    kin__mutex_lock(&reconciler->lock);
    reconciler->n_threads--;
    kin__mutex_unlock(&reconciler->lock);
    kin__pulse_raise(&reconciler->pulse);
}

/* --- the keeper --- */

struct report {
    char key[KEY_ROOM];
    int64_t running;
};

/* One that takes too long, and of which nothing was said. */
static bool find_overdue(kin_reconciler *reconciler, struct report *ret)
{
    int64_t now = kin_clock_now(reconciler->clock);
    bool found = false;

    kin__mutex_lock(&reconciler->lock);
    for (size_t i = 0; i < reconciler->n_workers && !found; i++) {
        kin__worker *worker = &reconciler->workers[i];

        found = worker->item && !worker->is_reported && now - worker->began >= reconciler->deadline;
        if (!found)
            continue;
        worker->is_reported = true;
        reconciler->overdue++;
        ret->running = now - worker->began;
        snprintf(ret->key, sizeof(ret->key), "%s", kin_work_item_key(worker->item).data);
    }
    kin__mutex_unlock(&reconciler->lock);
    return found;
}

static void report_overdue(kin_reconciler *reconciler)
{
    struct report report;

    while (reconciler->deadline >= 0 && find_overdue(reconciler, &report)) {
        if (reconciler->options.overdue) {
            kin__assert_no_locks();
            reconciler->options.overdue(kin_str_of(report.key), report.running,
                                        reconciler->options.overdue_arg);
            continue;
        }
        kin__log(reconciler->logger, KIN_LOG_WARN, "reconciler",
                 "a key takes longer than it should", KIN__LOG_S("reconciler", reconciler->name),
                 KIN__LOG_S("key", report.key),
                 KIN__LOG_I("running_ms", report.running / KIN__MILLISECOND));
    }
}

/* Metrics that change while nothing happens. The queue tells none any more once it is shut down. */
static void tell_unfinished(kin_reconciler *reconciler)
{
    if (!reconciler->is_measured || kin_clock_now(reconciler->clock) < reconciler->next_update)
        return;
    kin__assert_no_locks();
    kin_work_queue_update_metrics(reconciler->queue);
    reconciler->next_update = kin__clock_deadline(reconciler->clock, METRICS_PERIOD);
}

/* The earliest time at which something has to be done. */
static int64_t next_look_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    int64_t first = kin__reconciler_gates_deadline_locked(reconciler);

    if (reconciler->is_measured && reconciler->state < KIN_RECONCILER_STOPPING &&
        reconciler->next_update < first)
        first = reconciler->next_update;
    for (size_t i = 0; i < reconciler->n_workers && reconciler->deadline >= 0; i++) {
        const kin__worker *worker = &reconciler->workers[i];

        if (worker->item && !worker->is_reported && first - worker->began > reconciler->deadline)
            first = worker->began + reconciler->deadline;
    }
    return first;
}

/* Whether it is over; else *ret is when to look again. */
static bool plan(kin_reconciler *reconciler, int64_t *ret)
{
    bool is_over;

    kin__mutex_lock(&reconciler->lock);
    is_over = reconciler->state == KIN_RECONCILER_STOPPING && reconciler->n_threads == 0;
    *ret = reconciler->next_look = next_look_locked(reconciler);
    kin__mutex_unlock(&reconciler->lock);
    return is_over;
}

void kin__reconciler_keep(void *arg)
{
    kin_reconciler *reconciler = arg;

    if (!await_go(reconciler))
        return;
    for (;;) {
        uint64_t seen = kin__pulse_now(&reconciler->pulse);
        int64_t next;

        tell_unfinished(reconciler);
        report_overdue(reconciler);
        kin__reconciler_open_gates(reconciler);
        if (plan(reconciler, &next))
            break;
        kin__pulse_wait(&reconciler->pulse, seen, reconciler->clock, next);
    }
    kin__reconciler_drop_gates(reconciler);
    kin__mutex_lock(&reconciler->lock);
    reconciler->state = KIN_RECONCILER_STOPPED;
    kin__mutex_unlock(&reconciler->lock);
    kin__pulse_raise(&reconciler->pulse);
}
