/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, which waits for the next deadline or for something to be put in. It runs one thing at
 * a time with the lock released; `running` tells whoever cancels that he has to wait.
 */
#include "apiserver/verbs/schedule.h"

#include "base/error.h"

void kin__due_init(kin__due *due, void (*fn)(kin__due *due))
{
    due->fn = fn;
    kin__timer_init(&due->timer);
    kin__list_init(&due->link);
}

/* What is due comes first: work that is done in steps is always ready for the next one. */
static kin__due *next_locked(kin__schedule *schedule) KIN_REQUIRES(schedule->lock)
{
    kin__timer *timer = kin__timers_pop(&schedule->timers, kin_clock_now(schedule->clock));
    kin__list *link;

    if (timer)
        return kin__container_of(timer, kin__due, timer);
    link = kin__list_pop_front(&schedule->ready);
    return link ? kin__list_entry(link, kin__due, link) : NULL;
}

static void schedule_run(void *arg)
{
    kin__schedule *schedule = arg;

    kin__mutex_lock(&schedule->lock);
    while (!schedule->is_stopping) {
        kin__due *due = next_locked(schedule);

        if (!due) {
            kin__cond_wait_until(&schedule->changed, &schedule->lock, schedule->clock,
                                 kin__timers_next(&schedule->timers));
            continue;
        }
        schedule->running = due;
        kin__mutex_unlock(&schedule->lock);
        due->fn(due);
        kin__mutex_lock(&schedule->lock);
        schedule->running = NULL;
        kin__cond_broadcast(&schedule->changed);
    }
    kin__mutex_unlock(&schedule->lock);
}

int kin__schedule_start(kin__schedule *schedule, kin_clock *clock, kin_error *err)
{
    int code;

    kin__mutex_init(&schedule->lock, KIN__RANK_API_TIMERS);
    kin__cond_init(&schedule->changed);
    kin__timers_init(&schedule->timers);
    kin__list_init(&schedule->ready);
    schedule->running = NULL;
    schedule->is_stopping = false;
    schedule->clock = clock;
    schedule->thread = KIN__THREAD_INIT;
    code = kin__thread_start(&schedule->thread, "kin-api", schedule_run, schedule, err);
    if (code < 0)
        kin__schedule_done(schedule);
    return code;
}

void kin__schedule_stop(kin__schedule *schedule)
{
    kin__mutex_lock(&schedule->lock);
    schedule->is_stopping = true;
    kin__cond_broadcast(&schedule->changed);
    kin__mutex_unlock(&schedule->lock);
    kin__thread_join(&schedule->thread, NULL);
}

void kin__schedule_done(kin__schedule *schedule)
{
    kin__timers_done(&schedule->timers);
    kin__cond_done(&schedule->changed);
    kin__mutex_done(&schedule->lock);
}

int kin__schedule_at(kin__schedule *schedule, kin__due *due, int64_t deadline)
{
    int code;

    kin__mutex_lock(&schedule->lock);
    code = kin__timers_set(&schedule->timers, &due->timer, deadline);
    if (code == 0 && kin__timers_next(&schedule->timers) == deadline)
        kin__cond_broadcast(&schedule->changed);
    kin__mutex_unlock(&schedule->lock);
    return code;
}

void kin__schedule_now(kin__schedule *schedule, kin__due *due)
{
    kin__mutex_lock(&schedule->lock);
    if (kin__list_is_empty(&due->link)) {
        kin__list_push_back(&schedule->ready, &due->link);
        kin__cond_broadcast(&schedule->changed);
    }
    kin__mutex_unlock(&schedule->lock);
}

void kin__schedule_cancel(kin__schedule *schedule, kin__due *due)
{
    bool is_over = false;

    kin__mutex_lock(&schedule->lock);
    while (!is_over) {
        /* Also behind the wait: what was running may have set it again. */
        kin__timers_cancel(&schedule->timers, &due->timer);
        kin__list_remove(&due->link);
        is_over = schedule->running != due || kin__thread_is_current(&schedule->thread);
        if (!is_over)
            kin__cond_wait(&schedule->changed, &schedule->lock);
    }
    kin__mutex_unlock(&schedule->lock);
}
