/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: shutting down, and looking. work_queue.h has the design.
 *
 * With the shutdown the timers stand still: nothing is added, and none is due any more. They are
 * put in order, which a heap allows, and are read without the lock from then on.
 */
#include "workqueue/work_queue.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"

static int by_time(const void *a, const void *b)
{
    const kin__timer *x = *(kin__timer *const *)a;
    const kin__timer *y = *(kin__timer *const *)b;

    if (x->deadline != y->deadline)
        return x->deadline < y->deadline ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Whether it was not before. */
static bool close_locked(kin_work_queue *queue, kin__work_told *told) KIN_REQUIRES(queue->lock)
{
    if (queue->shut_down)
        return false;
    kin__work_move_due_locked(queue, told);
    queue->shut_down = true;
    queue->plain = false;
    queue->shut_down_at = kin_clock_now(queue->clock);
    if (queue->timers.len > 0)
        qsort(queue->timers.heap, queue->timers.len, sizeof(kin__timer *), by_time);
    for (size_t i = 0; i < queue->timers.len; i++)
        queue->timers.heap[i]->place = i + 1;
    kin__work_wake_all_locked(queue, told);
    kin__work_fd_locked(queue);
    return true;
}

/* After unlocking. */
static void report(kin_work_queue *queue, const kin__work_told *told, bool closed)
{
    kin__work_tell(queue, told);
    if (closed && queue->timers.len > 0)
        kin__log(queue->logger, KIN_LOG_WARN, "work-queue", "delayed keys are dropped",
                 KIN__LOG_S("queue", queue->name), KIN__LOG_U("keys", queue->timers.len));
}

void kin_work_queue_shut_down(kin_work_queue *queue)
{
    kin__work_told told = {0, NULL};

    if (kin__work_queue_check(queue, NULL) < 0)
        return;
    kin__quick_lock_take(&queue->lock);
    bool closed = close_locked(queue, &told);
    queue->n_shut_downs++;
    kin__work_wake_draining_locked(queue, &told);
    kin__quick_lock_give(&queue->lock);
    report(queue, &told, closed);
}

/* Until woken or the deadline; false: it has passed. */
static bool wait_locked(kin_work_queue *queue, kin__work_waiter *me, int64_t deadline)
    KIN_REQUIRES(queue->lock)
{
    kin__event_init(&me->event);
    kin__quick_lock_give(&queue->lock);
    kin__event_wait_until(&me->event, queue->clock, deadline);
    kin__quick_lock_take(&queue->lock);
    return deadline == INT64_MAX || kin_clock_now(queue->clock) < deadline;
}

/* `before`: how many shutdowns there had been when the drain closed the queue. */
static int drain_locked(kin_work_queue *queue, unsigned before, int64_t deadline)
    KIN_REQUIRES(queue->lock)
{
    kin__work_waiter me;
    bool in_time = true;
    int code = 0;

    kin__list_init(&me.link);
    kin__list_push_back(&queue->draining, &me.link);
    while (code == 0 && queue->n_queued + queue->n_working > 0) {
        if (queue->n_shut_downs != before)
            code = KIN_ECANCELED;
        else if (!in_time)
            code = KIN_ETIMEOUT;
        else
            in_time = wait_locked(queue, &me, deadline);
    }
    kin__list_remove(&me.link);
    return code;
}

int kin_work_queue_shut_down_with_drain(kin_work_queue *queue, int64_t timeout_ms, kin_error *err)
{
    kin__work_told told = {0, NULL};
    int code = kin__work_queue_check(queue, err);

    if (code < 0)
        return code;
    int64_t deadline = kin__clock_deadline_ms(queue->clock, timeout_ms);
    kin__quick_lock_take(&queue->lock);
    bool closed = close_locked(queue, &told);
    /* One that comes while the lock is not held, for the report, is one that ends this. */
    unsigned before = queue->n_shut_downs;
    kin__quick_lock_give(&queue->lock);
    report(queue, &told, closed);
    kin__quick_lock_take(&queue->lock);
    code = drain_locked(queue, before, deadline);
    size_t n_left = queue->n_queued + queue->n_working;
    kin__quick_lock_give(&queue->lock);
    if (code < 0)
        return kin_error_set(err, code, "%zu keys are not done", n_left);
    return 0;
}

bool kin_work_queue_is_shutting_down(kin_work_queue *queue)
{
    if (kin__work_queue_check(queue, NULL) < 0)
        return true;
    kin__quick_lock_take(&queue->lock);
    bool is = queue->shut_down;
    kin__quick_lock_give(&queue->lock);
    return is;
}

int kin_work_queue_visit_dropped(kin_work_queue *queue, kin_work_dropped_fn *visit, void *arg,
                                 kin_error *err)
{
    int code = kin__work_queue_check(queue, err);

    if (code < 0)
        return code;
    if (!visit)
        return kin__error_null(err, "visit");
    if (!kin_work_queue_is_shutting_down(queue))
        return kin_error_set(err, KIN_EINVAL, "the queue was not shut down");
    kin__assert_no_locks();
    for (size_t i = 0; i < queue->timers.len; i++) {
        kin__timer *timer = queue->timers.heap[i];
        const kin_work_item *item = kin__container_of(timer, kin_work_item, timer);

        if (!visit(kin_work_item_key(item), timer->deadline - queue->shut_down_at, arg))
            break;
    }
    return 0;
}

/* --- looking --- */

/* Those whose time has come count as queued, and then somebody has to take them. */
static void catch_up_locked(kin_work_queue *queue, kin__work_told *told) KIN_REQUIRES(queue->lock)
{
    kin__work_move_due_locked(queue, told);
    kin__work_wake_locked(queue, told);
    kin__work_fd_locked(queue);
}

size_t kin_work_queue_len(kin_work_queue *queue)
{
    kin__work_told told = {0, NULL};

    if (kin__work_queue_check(queue, NULL) < 0)
        return 0;
    kin__quick_lock_take(&queue->lock);
    catch_up_locked(queue, &told);
    size_t len = queue->n_queued;
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, &told);
    return len;
}

static void unfinished_locked(kin_work_queue *queue, kin_work_queue_stats *ret)
    KIN_REQUIRES(queue->lock)
{
    if (!queue->timed || queue->n_working == 0)
        return;
    int64_t now = kin_clock_now(queue->clock);
    kin__list_for_each(&queue->working, node)
        ret->unfinished_ns += now - kin__list_entry(node, kin_work_item, link)->began_at;
    ret->longest_ns = now - kin__list_entry(queue->working.next, kin_work_item, link)->began_at;
}

int kin_work_queue_get_stats(kin_work_queue *queue, kin_work_queue_stats *ret, kin_error *err)
{
    kin_work_queue_stats all = KIN_WORK_QUEUE_STATS_INIT;
    kin__work_told told = {0, NULL};
    int code = kin__work_queue_check(queue, err);

    if (code < 0)
        return code;
    if (!ret)
        return kin__error_null(err, "ret");
    kin__quick_lock_take(&queue->lock);
    catch_up_locked(queue, &told);
    all.n_queued = queue->n_queued;
    all.n_low = queue->n_low;
    all.n_again = queue->n_again;
    all.n_working = queue->n_working;
    all.n_delayed = queue->timers.len;
    all.adds = queue->adds;
    all.retries = queue->retries;
    all.refused = queue->refused;
    unfinished_locked(queue, &all);
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, &told);
    return kin__options_give(ret, &all, sizeof(all), "KIN_WORK_QUEUE_STATS_INIT", err);
}

void kin_work_queue_update_metrics(kin_work_queue *queue)
{
    kin_work_queue_stats now = KIN_WORK_QUEUE_STATS_INIT;

    if (kin__work_queue_check(queue, NULL) < 0 || !queue->measured)
        return;
    kin__quick_lock_take(&queue->lock);
    bool shut_down = queue->shut_down;
    if (!shut_down)
        unfinished_locked(queue, &now);
    kin__quick_lock_give(&queue->lock);
    if (shut_down)
        return;
    if (queue->metrics.unfinished_work_seconds)
        queue->metrics.unfinished_work_seconds((double)now.unfinished_ns / (double)KIN__SECOND,
                                               queue->metrics_arg);
    if (queue->metrics.longest_running_processor_seconds)
        queue->metrics.longest_running_processor_seconds(
            (double)now.longest_ns / (double)KIN__SECOND, queue->metrics_arg);
}
