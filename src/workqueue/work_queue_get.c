/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: waiting for keys, handing them out, taking them back. work_queue.h has the design.
 *
 * Whoever comes first takes a key: one that was woken for it may find nothing, and waits again. The
 * invariant when the lock is released: if a key is queued and somebody sleeps, somebody was woken
 * who has not run yet. He restores it when he has looked.
 */
#include "workqueue/work_queue.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"

/* --- waiters --- */

static kin__work_waiter *pop_idle_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    kin__list *node = kin__list_pop_front(&queue->idle);

    return node ? kin__list_entry(node, kin__work_waiter, link) : NULL;
}

/*
 * Waiters live on stacks: their events are set while the lock keeps them from leaving. The system
 * call comes afterwards, when whoever wakes from it can have the lock.
 */
static void set_locked(kin__work_waiter *waiter, kin__work_told *told)
{
    if (!kin__event_set(&waiter->event))
        return;
    if (told->sleeper)
        kin__event_wake(&waiter->event);
    else
        told->sleeper = &waiter->event;
}

static void wake_locked(kin_work_queue *queue, kin__work_waiter *waiter, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    if (!waiter || waiter->woken)
        return;
    waiter->woken = true;
    queue->n_woken++;
    set_locked(waiter, told);
}

void kin__work_wake_one_locked(kin_work_queue *queue, kin__work_told *told)
{
    kin__work_waiter *waiter = pop_idle_locked(queue);

    wake_locked(queue, waiter ? waiter : queue->timekeeper, told);
}

void kin__work_give_and_wake(kin_work_queue *queue)
{
    kin__work_told told = {0, NULL};

    kin__work_wake_locked(queue, &told);
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, &told);
}

void kin__work_wake_draining_locked(kin_work_queue *queue, kin__work_told *told)
{
    kin__list_for_each(&queue->draining, node)
        set_locked(kin__list_entry(node, kin__work_waiter, link), told);
}

/* If nobody keeps the time, one of the idle is to. */
void kin__work_new_time_locked(kin_work_queue *queue, kin__work_told *told)
{
    if (!queue->timekeeper)
        queue->timekeeper = pop_idle_locked(queue);
    wake_locked(queue, queue->timekeeper, told);
}

void kin__work_wake_all_locked(kin_work_queue *queue, kin__work_told *told)
{
    kin__work_waiter *waiter;

    while ((waiter = pop_idle_locked(queue)))
        wake_locked(queue, waiter, told);
    wake_locked(queue, queue->timekeeper, told);
}

/* It will look: whoever wakes next has to wake somebody. */
static void runs_locked(kin_work_queue *queue, kin__work_waiter *me) KIN_REQUIRES(queue->lock)
{
    queue->n_woken -= me->woken;
    me->woken = false;
}

/*
 * Look for a while, unless another does. Twice as long the next time if that has spared the sleep,
 * and half as long if not: when keys are rare, or the other side waits for this core, it is in
 * vain.
 */
static bool look_for_event_locked(kin_work_queue *queue, kin__work_waiter *me)
    KIN_REQUIRES(queue->lock)
{
    unsigned looks = queue->looks;

    if (queue->looking)
        return false;
    queue->looking = true;
    kin__quick_lock_give(&queue->lock);
    bool seen = kin__event_look(&me->event, looks);
    kin__quick_lock_take(&queue->lock);
    queue->looking = false;
    if (seen && looks < KIN__WORK_LOOKS_MAX)
        queue->looks = looks * 2;
    else if (!seen && looks > KIN__WORK_LOOKS_MIN)
        queue->looks = looks / 2;
    return seen;
}

/*
 * Until woken, until the deadline, or, for the timekeeper, until the first timer is due, or it is
 * time to give memory back.
 */
static void sleep_locked(kin_work_queue *queue, kin__work_waiter *me, int64_t deadline)
    KIN_REQUIRES(queue->lock)
{
    if (!queue->timekeeper)
        queue->timekeeper = me;
    if (queue->timekeeper != me) {
        kin__list_push_front(&queue->idle, &me->link);
    } else {
        int64_t next = kin__timers_next(&queue->timers);

        if (next < deadline)
            deadline = next;
        if (queue->trim_at < deadline)
            deadline = queue->trim_at;
    }
    kin__event_init(&me->event);
    if (!look_for_event_locked(queue, me)) {
        kin__quick_lock_give(&queue->lock);
        kin__event_wait_until(&me->event, queue->clock, deadline);
        kin__quick_lock_take(&queue->lock);
    }
    kin__list_remove(&me->link);
    runs_locked(queue, me);
}

/* Before it sleeps for long. Who keeps the time may be woken meanwhile, which is to no purpose. */
static void tell_locked(kin_work_queue *queue, kin__work_waiter *me, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, told);
    *told = (kin__work_told){0, NULL};
    kin__quick_lock_take(&queue->lock);
    runs_locked(queue, me);
}

/* Whoever kept the time and goes leaves it to another. */
static void leave_locked(kin_work_queue *queue, kin__work_waiter *me, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    queue->n_waiting--;
    if (queue->timekeeper != me)
        return;
    queue->timekeeper = NULL;
    if ((queue->timers.len > 0 || queue->trim_at != INT64_MAX) && !KIN_DEFECT(timekeeper_leaves))
        kin__work_new_time_locked(queue, told);
}

/* Something to hand out, or the reason why not; 1: neither. */
static int look_locked(kin_work_queue *queue, const kin__work_waiter *me, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    kin__work_move_due_locked(queue, told);
    if (queue->n_queued > 0)
        return 0;
    if (queue->shut_down)
        return KIN_ECLOSED;
    if (kin__work_trim_locked(queue) && queue->timekeeper != me)
        kin__work_new_time_locked(queue, told);
    return 1;
}

/* Until something can be handed out. */
KIN_COLD static int wait_locked(kin_work_queue *queue, int64_t timeout_ms, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    kin__work_waiter me = {.woken = false};
    int code = look_locked(queue, &me, told);

    if (code <= 0 || timeout_ms == 0)
        return code > 0 ? KIN_ETIMEOUT : code;
    int64_t deadline = kin__clock_deadline_ms(queue->clock, timeout_ms);
    kin__event_init(&me.event);
    kin__list_init(&me.link);
    queue->n_waiting++;
    while (code > 0) {
        if (told->sleeper || (queue->measured && told->adds > 0))
            tell_locked(queue, &me, told);
        else
            sleep_locked(queue, &me, deadline);
        code = look_locked(queue, &me, told);
        if (code > 0 && deadline != INT64_MAX && kin_clock_now(queue->clock) >= deadline)
            code = KIN_ETIMEOUT;
    }
    leave_locked(queue, &me, told);
    return code;
}

/* --- handing out --- */

/* The next is of low priority if nothing else waits, or if enough others went before it. */
static inline kin__list *next_line_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    if (kin__likely(queue->n_low == 0)) {
        queue->passed_over = 0;
        return &queue->lines[KIN_WORK_HIGH];
    }
    if (queue->n_queued == queue->n_low || queue->passed_over + 1 >= queue->low_every) {
        queue->passed_over = 0;
        return &queue->lines[KIN_WORK_LOW];
    }
    queue->passed_over++;
    return &queue->lines[KIN_WORK_HIGH];
}

static inline kin_work_item *hand_out_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    kin_work_item *item = kin__list_entry(next_line_locked(queue)->next, kin_work_item, link);

    kin__list_remove(&item->link);
    kin__map_prefetch(&queue->items, &item->node);
    queue->n_queued--;
    queue->n_low -= item->priority == KIN_WORK_LOW;
    item->flags = KIN__WORK_WORKING;
    item->handed_out = item->priority;
    queue->n_working++;
    return item;
}

static void note_begin_locked(kin_work_queue *queue, kin_work_item *item, int64_t now)
    KIN_REQUIRES(queue->lock)
{
    item->began_at = now;
    item->waited = now - item->added_at;
    kin__list_push_back(&queue->working, &item->link);
}

static inline void take_back_locked(kin_work_queue *queue, kin_work_item *item)
    KIN_REQUIRES(queue->lock)
{
    kin__assert(item->flags & KIN__WORK_WORKING);
    queue->n_working--;
    item->flags &= (uint8_t)~KIN__WORK_WORKING;
    if (kin__unlikely(item->flags & KIN__WORK_DIRTY) && !KIN_DEFECT(done_loses_key)) {
        queue->n_again--;
        kin__work_queue_up_locked(queue, item);
        return;
    }
    kin__work_settle_locked(queue, item);
}

/* The same in any queue. */
static void take_back_any_locked(kin_work_queue *queue, kin_work_item *item, kin__work_told *told)
    KIN_REQUIRES(queue->lock)
{
    if (queue->timed)
        kin__list_remove(&item->link);
    take_back_locked(queue, item);
    if (kin__unlikely(!kin__list_is_empty(&queue->draining)) && queue->n_working == 0 &&
        queue->n_queued == 0)
        kin__work_wake_draining_locked(queue, told);
}

static void tell_got(kin_work_queue *queue, kin_work_item *const *items, size_t n)
{
    if (!queue->measured)
        return;
    kin__assert_no_locks();
    for (size_t i = 0; i < n; i++) {
        if (queue->metrics.depth)
            queue->metrics.depth(-1, queue->metrics_arg);
        if (queue->metrics.queue_duration_seconds)
            queue->metrics.queue_duration_seconds((double)items[i]->waited / (double)KIN__SECOND,
                                                  queue->metrics_arg);
    }
}

/* Before they are taken back: then they may be another's. */
static void tell_done(kin_work_queue *queue, kin_work_item *const *items, size_t n)
{
    if (!queue->metrics.work_duration_seconds)
        return;
    kin__assert_no_locks();
    int64_t now = kin_clock_now(queue->clock);
    for (size_t i = 0; i < n; i++)
        queue->metrics.work_duration_seconds(
            (double)(now - items[i]->began_at) / (double)KIN__SECOND, queue->metrics_arg);
}

/* Get up to `max`. The lock is taken, and released here. */
static int get_held(kin_work_queue *queue, kin__work_told *told, kin_work_item **ret, size_t *ret_n,
                    size_t max, int64_t timeout_ms, kin_error *err) KIN_RELEASE(queue->lock)
{
    size_t n = 0;
    int code = 0;

    if (queue->n_queued == 0 || queue->timers.len > 0)
        code = wait_locked(queue, timeout_ms, told);
    if (code == 0) {
        int64_t now = queue->timed ? kin_clock_now(queue->clock) : 0;

        while (n < max && queue->n_queued > 0) {
            ret[n] = hand_out_locked(queue);
            if (queue->timed)
                note_begin_locked(queue, ret[n], now);
            n++;
        }
        kin__work_wake_locked(queue, told);
    }
    kin__work_fd_locked(queue);
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, told);
    if (code < 0)
        return kin_error_set(
            err, code, code == KIN_ECLOSED ? "the queue is shutting down" : "no key came in time");
    tell_got(queue, ret, n);
    *ret_n = n;
    return 0;
}

static int get_one_held(kin_work_queue *queue, kin_work_item **ret, int64_t timeout_ms,
                        kin_error *err) KIN_RELEASE(queue->lock)
{
    kin__work_told told = {0, NULL};
    size_t n;

    return get_held(queue, &told, ret, &n, 1, timeout_ms, err);
}

/* One can be had at once, and nobody has to know. */
static inline bool is_ready_locked(const kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    return kin__likely(queue->plain && queue->n_queued > 0) && queue->timers.len == 0;
}

int kin_work_queue_get(kin_work_queue *queue, kin_work_item **ret, int64_t timeout_ms,
                       kin_error *err)
{
    if (kin__unlikely(!kin__work_queue_usable(queue)))
        return kin__work_queue_check(queue, err);
    if (kin__unlikely(!ret))
        return kin__error_null(err, "ret");
    kin__quick_lock_take(&queue->lock);
    if (!is_ready_locked(queue))
        return get_one_held(queue, ret, timeout_ms, err);
    *ret = hand_out_locked(queue);
    kin__work_give_plain(queue);
    return 0;
}

int kin_work_queue_get_batch(kin_work_queue *queue, kin_work_item **ret, size_t *ret_n, size_t max,
                             int64_t timeout_ms, kin_error *err)
{
    kin__work_told told = {0, NULL};
    int code = kin__work_queue_check(queue, err);

    if (code < 0)
        return code;
    if (!ret || !ret_n)
        return kin__error_null(err, ret ? "ret_n" : "ret");
    if (max == 0)
        return kin_error_set(err, KIN_EINVAL, "a batch of none");
    kin__quick_lock_take(&queue->lock);
    return get_held(queue, &told, ret, ret_n, max, timeout_ms, err);
}

/* In a queue that is not plain, or has nothing to hand out at once. */
static int next_long(kin_work_queue *queue, kin_work_item **item, int64_t timeout_ms,
                     kin_error *err)
{
    kin__work_told told = {0, NULL};
    kin_work_item *done = *item;
    kin_work_item *next = NULL;
    size_t n;

    if (done)
        tell_done(queue, &done, 1);
    kin__quick_lock_take(&queue->lock);
    if (done)
        take_back_any_locked(queue, done, &told);
    int code = get_held(queue, &told, &next, &n, 1, timeout_ms, err);
    *item = next;
    return code;
}

int kin_work_queue_next(kin_work_queue *queue, kin_work_item **item, int64_t timeout_ms,
                        kin_error *err)
{
    int code = kin__work_queue_check(queue, err);

    if (!item)
        return kin__error_null(err, "item");
    if (kin__unlikely(code < 0)) {
        *item = NULL;
        return code;
    }
    kin__quick_lock_take(&queue->lock);
    if (!is_ready_locked(queue)) {
        kin__quick_lock_give(&queue->lock);
        return next_long(queue, item, timeout_ms, err);
    }
    if (*item)
        take_back_locked(queue, *item);
    *item = hand_out_locked(queue);
    kin__work_give_plain(queue);
    return 0;
}

void kin_work_queue_done_batch(kin_work_queue *queue, kin_work_item *const *items, size_t n)
{
    kin__work_told told = {0, NULL};

    if (n == 0 || kin__work_queue_check(queue, NULL) < 0)
        return;
    tell_done(queue, items, n);
    kin__quick_lock_take(&queue->lock);
    for (size_t i = 0; i < n; i++)
        take_back_any_locked(queue, items[i], &told);
    kin__work_wake_locked(queue, &told);
    kin__work_fd_locked(queue);
    kin__quick_lock_give(&queue->lock);
    kin__work_tell(queue, &told);
}

KIN_COLD static void done_not_plain(kin_work_queue *queue, kin_work_item *item)
{
    kin_work_queue_done_batch(queue, &item, 1);
}

void kin_work_queue_done(kin_work_queue *queue, kin_work_item *item)
{
    if (kin__unlikely(!item || !kin__work_queue_usable(queue)))
        return;
    kin__quick_lock_take(&queue->lock);
    if (kin__unlikely(!queue->plain)) {
        kin__quick_lock_give(&queue->lock); /* metrics are told before it is taken back */
        done_not_plain(queue, item);
        return;
    }
    take_back_locked(queue, item);
    kin__work_give_plain(queue);
}

/* --- items --- */

kin_str kin_work_item_key(const kin_work_item *item)
{
    return item ? kin_str_make(item->node.key, item->node.key_len) : kin_str_make("", 0);
}

kin_namespaced_name kin_work_item_name(const kin_work_item *item)
{
    kin_namespaced_name all = {{NULL, 0}, kin_work_item_key(item)};
    const char *slash = memchr(all.name.data, '/', all.name.len);
    size_t before = slash ? (size_t)(slash - all.name.data) : 0;

    if (!slash || memchr(slash + 1, '/', all.name.len - before - 1))
        return all;
    all.namespace_ = kin_str_make(all.name.data, before);
    all.name = kin_str_make(slash + 1, all.name.len - before - 1);
    return all;
}

kin_work_priority kin_work_item_priority(const kin_work_item *item)
{
    return item && item->handed_out == KIN_WORK_LOW ? KIN_WORK_LOW : KIN_WORK_HIGH;
}
