/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads wait on one fake clock with random deadlines, and two threads move it. Each
 * has a lock and a condition of its own. Half of them are signalled now and then as well;
 * the others are woken by the clock alone, so that for them a lost wake-up is a hang,
 * which the test's deadline ends.
 */
#include "kin_test.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "rng.h"

#define SLEEPERS 8
#define WAITS 2000
#define LOCK_RANK ((enum kin__lock_rank)1)

struct sleeper {
    kin_clock *clock;
    atomic_uint *running;
    kin_test_rng rng;
    kin__mutex lock;
    kin__cond cond;
    kin__thread thread;
};

struct world {
    kin_clock *clock;
    atomic_uint running;
    struct sleeper sleepers[SLEEPERS];
};

static void sleep_often(void *arg)
{
    struct sleeper *s = arg;

    for (int i = 0; i < WAITS; i++) {
        int64_t deadline = kin__clock_deadline(s->clock, (int64_t)kin_test_below(&s->rng, 50));
        bool in_time = true;

        kin__mutex_lock(&s->lock);
        while (in_time)
            in_time = kin__cond_wait_until(&s->cond, &s->lock, s->clock, deadline);
        kin__mutex_unlock(&s->lock);
    }
    atomic_fetch_sub(s->running, 1);
}

static void move(void *arg)
{
    struct world *w = arg;
    kin_test_rng rng = {99};

    while (atomic_load(&w->running) > 0) {
        kin_clock_advance(w->clock, (int64_t)kin_test_below(&rng, 10), NULL);
        if (kin_test_below(&rng, 4) == 0)
            kin__cond_signal(&w->sleepers[kin_test_below(&rng, SLEEPERS / 2) * 2].cond);
    }
}

static void nobody_oversleeps(void **state)
{
    static struct world w;
    kin__thread movers[2] = {KIN__THREAD_INIT, KIN__THREAD_INIT};

    (void)state;
    assert_code(kin_clock_new_fake(&w.clock, 0, NULL), 0);
    atomic_init(&w.running, SLEEPERS);
    for (unsigned i = 0; i < SLEEPERS; i++) {
        struct sleeper *s = &w.sleepers[i];

        s->clock = w.clock;
        s->running = &w.running;
        s->rng.state = i;
        kin__mutex_init(&s->lock, LOCK_RANK);
        kin__cond_init(&s->cond);
    }
    for (unsigned i = 0; i < SLEEPERS; i++)
        assert_code(kin__thread_start(&w.sleepers[i].thread, "kin-sleeper", sleep_often,
                                      &w.sleepers[i], NULL),
                    0);
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_start(&movers[i], "kin-mover", move, &w, NULL), 0);
    for (unsigned i = 0; i < SLEEPERS; i++)
        assert_code(kin__thread_join(&w.sleepers[i].thread, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_join(&movers[i], NULL), 0);
    for (unsigned i = 0; i < SLEEPERS; i++) {
        kin__cond_done(&w.sleepers[i].cond);
        kin__mutex_done(&w.sleepers[i].lock);
    }
    kin_clock_unref(w.clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_oversleeps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
