/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/process_loop.h"

#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"

#define RETRY_AFTER (100 * KIN__MILLISECOND)

/* --- turns --- */

static void turn_to_locked(kin__process_loop *loop, kin__life life) KIN_REQUIRES(*loop->lock)
{
    loop->life = life;
    if (loop->loop_class->turned)
        loop->loop_class->turned(loop);
    kin__cond_broadcast(loop->changed);
}

static void close_locked(kin__process_loop *loop) KIN_REQUIRES(*loop->lock)
{
    loop->is_closed = true;
    turn_to_locked(loop, KIN__LIFE_STOPPED);
}

void kin__process_loop_close(kin__process_loop *loop)
{
    kin__mutex_lock(loop->lock);
    close_locked(loop);
    kin__mutex_unlock(loop->lock);
}

/* 0 (also if there is one on its way, or it was never started), KIN_ECLOSED. */
static int post(kin__process_loop *loop)
{
    int code;

    if (loop->is_running && KIN_DEFECT(missed_wake_up))
        return 0;
    if (!atomic_load_explicit(&loop->can_post, memory_order_acquire) ||
        atomic_exchange_explicit(&loop->is_posted, true, memory_order_acq_rel))
        return 0;
    code = kin__strand_post(&loop->strand, &loop->task);
    if (code < 0)
        atomic_store_explicit(&loop->is_posted, false, memory_order_release);
    return code;
}

void kin__process_loop_wake(kin__process_loop *loop)
{
    if (post(loop) < 0)
        kin__process_loop_close(loop);
}

void kin__process_loop_nudge(kin__process_loop *loop)
{
    (void)post(loop);
}

/* Nothing of it runs, or will. */
static bool is_idle_locked(kin__process_loop *loop) KIN_REQUIRES(*loop->lock)
{
    return !loop->is_running && !atomic_load_explicit(&loop->is_posted, memory_order_acquire);
}

/* It was freed where nobody could wait, and the caller is the last to use it. */
static bool is_left_to_us_locked(kin__process_loop *loop) KIN_REQUIRES(*loop->lock)
{
    return loop->is_freed && loop->life == KIN__LIFE_STOPPED && !loop->has_source &&
           is_idle_locked(loop);
}

void kin__process_loop_source_begins(kin__process_loop *loop)
{
    kin__mutex_lock(loop->lock);
    loop->has_source = true;
    kin__mutex_unlock(loop->lock);
}

void kin__process_loop_source_failed(kin__process_loop *loop)
{
    kin__mutex_lock(loop->lock);
    loop->has_source = false;
    kin__mutex_unlock(loop->lock);
}

void kin__process_loop_source_ended(kin__process_loop *loop)
{
    bool is_ours;

    /* With the lock: a turn that comes of it must not end before this does. */
    kin__mutex_lock(loop->lock);
    loop->has_source = false;
    if (post(loop) < 0)
        close_locked(loop);
    is_ours = is_left_to_us_locked(loop);
    kin__mutex_unlock(loop->lock);
    if (is_ours)
        loop->loop_class->destroy(loop);
}

void kin__process_loop_wake_at(kin__process_loop *loop, int64_t deadline)
{
    if (kin__alarm_set(&loop->retry, deadline) < 0)
        kin__process_loop_close(loop);
}

kin__life kin__process_loop_life(kin__process_loop *loop)
{
    kin__life life;

    kin__mutex_lock(loop->lock);
    life = loop->life;
    kin__mutex_unlock(loop->lock);
    return life;
}

void kin__process_loop_retry(kin__process_loop *loop, const kin_error *why)
{
    const char *component = loop->loop_class->component;

    kin__log(loop->logger, KIN_LOG_WARN, component, "what has come in has to wait",
             KIN__LOG_S(component, loop->name), KIN__LOG_S("error", why->message));
    kin__process_loop_wake_at(loop, kin__clock_deadline(loop->clock, RETRY_AFTER));
}

static void finish_stop(kin__process_loop *loop)
{
    kin__alarm_cancel(&loop->retry);
    kin__mutex_lock(loop->lock);
    turn_to_locked(loop, KIN__LIFE_STOPPED);
    kin__mutex_unlock(loop->lock);
}

/* Whether it has stopped. */
static bool take_turn(kin__process_loop *loop, kin__life life)
{
    const kin__process_loop_class *loop_class = loop->loop_class;
    kin_error err;
    int more;

    kin__error_begin(&err);
    /* Looked at first: what came in before the end is worked on below. */
    bool ends = life == KIN__LIFE_STOPPING && loop_class->stop(loop);

    more = loop_class->work(loop, life, &err);
    if (more < 0)
        kin__process_loop_retry(loop, &err);
    else if (more > 0)
        kin__process_loop_wake(loop);
    else if (ends)
        finish_stop(loop);
    return more == 0 && ends;
}

static void loop_run(kin__task *task, bool dropped)
{
    kin__process_loop *loop = kin__container_of(task, kin__process_loop, task);
    kin__life life;
    bool is_ours;

    kin__mutex_lock(loop->lock);
    loop->is_running = true;
    /* Before anything is looked at: who changes something behind that posts it again. */
    atomic_exchange_explicit(&loop->is_posted, false, memory_order_acq_rel);
    if (dropped)
        close_locked(loop);
    life = loop->life;
    kin__mutex_unlock(loop->lock);
    if (!dropped)
        loop->loop_class->after(loop, take_turn(loop, life));
    kin__mutex_lock(loop->lock);
    loop->is_running = false;
    kin__cond_broadcast(loop->changed);
    is_ours = is_left_to_us_locked(loop);
    kin__mutex_unlock(loop->lock);
    if (is_ours)
        loop->loop_class->destroy(loop);
}

static void run_retry(kin__alarm *alarm, bool dropped)
{
    if (!dropped)
        kin__process_loop_wake(kin__container_of(alarm, kin__process_loop, retry));
}

/* --- life --- */

int kin__process_loop_init(kin__process_loop *loop, kin_error *err)
{
    int code;

    loop->clock = kin__shared_workers_clock(loop->shared_workers);
    loop->task.run = loop_run;
    kin__list_init(&loop->task.link);
    kin__strand_init(&loop->strand, kin__shared_workers_pool(loop->shared_workers));
    code = kin__alarm_init(&loop->retry, &loop->strand, run_retry, err);
    if (code < 0)
        kin__strand_done(&loop->strand);
    loop->is_made = code == 0;
    return code;
}

void kin__process_loop_done(kin__process_loop *loop)
{
    if (!loop->is_made)
        return;
    kin__alarm_done(&loop->retry);
    kin__strand_done(&loop->strand);
}

/* To the new life, from one that may lead there. */
static int begin_start(kin__process_loop *loop, kin_error *err)
{
    const char *component = loop->loop_class->component;
    bool is_held;
    int code = 0;

    kin__mutex_lock(loop->lock);
    is_held = loop->is_held;
    if (loop->is_closed)
        code = KIN_ECLOSED;
    else if (is_held || loop->life == KIN__LIFE_RUNNING || loop->life == KIN__LIFE_STOPPING)
        code = KIN_EBUSY;
    else
        turn_to_locked(loop, KIN__LIFE_RUNNING);
    kin__mutex_unlock(loop->lock);
    if (code == KIN_ECLOSED)
        return kin_error_set(err, code, "the client is gone");
    if (code < 0 && is_held)
        return kin_error_set(err, code, "a snapshot of the %s is being loaded", component);
    return code < 0 ? kin_error_set(err, code, "the %s runs, or is being stopped", component) : 0;
}

int kin__process_loop_start(kin__process_loop *loop, kin_error *err)
{
    int code = kin__workers_start(kin__shared_workers_pool(loop->shared_workers), err);

    if (code < 0)
        return code;
    code = begin_start(loop, err);
    if (code < 0)
        return code;
    atomic_store_explicit(&loop->can_post, true, memory_order_release);
    kin__process_loop_wake(loop);
    return 0;
}

bool kin__process_loop_stop(kin__process_loop *loop)
{
    bool stops;

    kin__mutex_lock(loop->lock);
    stops = loop->life == KIN__LIFE_RUNNING;
    if (stops)
        loop->life = KIN__LIFE_STOPPING;
    kin__mutex_unlock(loop->lock);
    if (stops)
        kin__process_loop_wake(loop);
    return stops;
}

bool kin__process_loop_runs_here(kin__process_loop *loop)
{
    return kin__workers_runs_here(kin__shared_workers_pool(loop->shared_workers)) ||
           (loop->loop_class->runs_here && loop->loop_class->runs_here(loop));
}

/* Behind all that was posted: from then on nothing of the strand runs. */
struct barrier {
    kin__task task;
    kin__process_loop *loop;
    bool is_passed; /* (lock) */
};

static void run_barrier(kin__task *task, bool dropped)
{
    struct barrier *barrier = kin__container_of(task, struct barrier, task);
    kin__process_loop *loop = barrier->loop;

    (void)dropped;
    kin__mutex_lock(loop->lock);
    barrier->is_passed = true;
    kin__cond_broadcast(loop->changed);
    kin__mutex_unlock(loop->lock);
}

void kin__process_loop_settle(kin__process_loop *loop)
{
    struct barrier barrier = {{{NULL, NULL}, run_barrier}, loop, false};

    if (!atomic_load_explicit(&loop->can_post, memory_order_acquire))
        return;
    kin__alarm_cancel(&loop->retry);
    atomic_store_explicit(&loop->can_post, false, memory_order_release);
    kin__list_init(&barrier.task.link);
    if (kin__strand_post(&loop->strand, &barrier.task) < 0)
        barrier.is_passed = true;
    kin__mutex_lock(loop->lock);
    while (!barrier.is_passed || !is_idle_locked(loop))
        kin__cond_wait(loop->changed, loop->lock);
    kin__mutex_unlock(loop->lock);
}

/* To whoever is the last to use it: mostly a turn that begins behind this. */
static void leave(kin__process_loop *loop)
{
    bool is_ours;

    kin__mutex_lock(loop->lock);
    if (loop->life == KIN__LIFE_RUNNING)
        loop->life = KIN__LIFE_STOPPING;
    loop->is_freed = true;
    if (post(loop) < 0)
        close_locked(loop);
    is_ours = is_left_to_us_locked(loop);
    kin__mutex_unlock(loop->lock);
    if (is_ours)
        loop->loop_class->destroy(loop);
}

void kin__process_loop_free(kin__process_loop *loop)
{
    bool was_started = atomic_load_explicit(&loop->can_post, memory_order_acquire);

    if (was_started && kin__process_loop_runs_here(loop)) {
        leave(loop);
        return;
    }
    kin__process_loop_stop(loop);
    kin__process_loop_wait_stopped(loop, -1, NULL);
    kin__process_loop_settle(loop);
    loop->loop_class->destroy(loop);
}

/* --- waiting --- */

static int wait_until(kin__process_loop *loop, kin__process_loop_condition_fn *is_there,
                      const void *arg, int64_t deadline)
{
    bool in_time = true;
    int found;

    kin__mutex_lock(loop->lock);
    while ((found = is_there(loop, arg)) == 0 && in_time)
        in_time = kin__cond_wait_until(loop->changed, loop->lock, loop->clock, deadline);
    kin__mutex_unlock(loop->lock);
    if (found < 0)
        return found;
    return found ? 0 : KIN_ETIMEOUT;
}

int kin__process_loop_wait(kin__process_loop *loop, kin__process_loop_condition_fn *is_there,
                           const void *arg, int64_t timeout_ms)
{
    if (timeout_ms < -1)
        return KIN_EINVAL;
    if (timeout_ms != 0 && kin__process_loop_runs_here(loop))
        return KIN_EBUSY;
    return wait_until(loop, is_there, arg, kin__clock_deadline_ms(loop->clock, timeout_ms));
}

static int is_stopped(kin__process_loop *loop, const void *arg)
{
    (void)arg;
    return loop->life == KIN__LIFE_NEW || loop->life == KIN__LIFE_STOPPED;
}

void kin__process_loop_await_stopped(kin__process_loop *loop)
{
    wait_until(loop, is_stopped, NULL, kin__clock_deadline_ms(loop->clock, -1));
}

int kin__process_loop_wait_stopped(kin__process_loop *loop, int64_t timeout_ms, kin_error *err)
{
    int code = kin__process_loop_wait(loop, is_stopped, NULL, timeout_ms);

    if (code == KIN_ETIMEOUT)
        return kin_error_set(err, code, "the %s \"%s\" was not stopped in time",
                             loop->loop_class->component, loop->name);
    if (code == KIN_EBUSY)
        return kin_error_set(err, code, "a callback of \"%s\" would wait for itself", loop->name);
    return code < 0 ? kin_error_set(err, code, "a timeout_ms of %lld", (long long)timeout_ms) : 0;
}
