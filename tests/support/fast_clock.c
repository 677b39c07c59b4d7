/* SPDX-License-Identifier: Apache-2.0 */
#include "fast_clock.h"

#include <stdlib.h>
#include <time.h>

#define TICK_NS 1000000

static int64_t now_ns(struct timespec *at)
{
    clock_gettime(CLOCK_MONOTONIC, at);
    return (int64_t)at->tv_sec * 1000000000 + at->tv_nsec;
}

static void *run(void *arg)
{
    kin_test_fast_clock *fast = arg;
    struct timespec at;
    int64_t before = now_ns(&at);

    pthread_mutex_lock(&fast->lock);
    while (!fast->is_over) {
        at.tv_nsec += TICK_NS;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&fast->ends, &fast->lock, &at);
        pthread_mutex_unlock(&fast->lock);
        int64_t now = now_ns(&at);

        /* A machine that was away for a while is no reason for a jump of an hour. */
        int64_t passed = now - before < 20 * TICK_NS ? now - before : 20 * TICK_NS;

        if (kin_clock_advance(fast->clock, passed * fast->speed, NULL) < 0)
            abort();
        before = now;
        pthread_mutex_lock(&fast->lock);
    }
    pthread_mutex_unlock(&fast->lock);
    return NULL;
}

void kin_test_fast_clock_start(kin_test_fast_clock *fast, unsigned speed)
{
    pthread_condattr_t attr;

    *fast = (kin_test_fast_clock){.speed = speed};
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&fast->lock, NULL);
    pthread_cond_init(&fast->ends, &attr);
    pthread_condattr_destroy(&attr);
    if (kin_clock_new_fake(&fast->clock, 0, NULL) < 0 ||
        pthread_create(&fast->thread, NULL, run, fast) != 0)
        abort();
}

void kin_test_fast_clock_stop(kin_test_fast_clock *fast)
{
    pthread_mutex_lock(&fast->lock);
    bool was_over = fast->is_over;

    fast->is_over = true;
    pthread_cond_broadcast(&fast->ends);
    pthread_mutex_unlock(&fast->lock);
    if (!was_over)
        pthread_join(fast->thread, NULL);
}

void kin_test_fast_clock_done(kin_test_fast_clock *fast)
{
    kin_test_fast_clock_stop(fast);
    kin_clock_unref(fast->clock);
    pthread_cond_destroy(&fast->ends);
    pthread_mutex_destroy(&fast->lock);
}
