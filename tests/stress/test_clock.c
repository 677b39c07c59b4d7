/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads wait on one fake clock with random deadlines, some are signalled, and two
 * threads move the clock: no wake-up is lost, nobody sleeps past its deadline, nothing
 * deadlocks. A lost wake-up shows as a hang, which the test's deadline ends.
 */
#include "kin_test.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "rng.h"

#define SLEEPERS 8
#define WAITS 2000
#define LOCK_RANK ((enum kin__lock_rank)1)

struct world {
    kin_clock *clock;
    kin__mutex lock;
    kin__cond cond;
    atomic_uint running;
    atomic_ulong early; /* timed out before the deadline: must stay 0 */
};

struct sleeper {
    struct world *world;
    kin_test_rng rng;
    kin__thread thread;
};

static void sleep_often(void *arg)
{
    struct sleeper *s = arg;
    struct world *w = s->world;

    for (int i = 0; i < WAITS; i++) {
        int64_t deadline = kin__clock_deadline(w->clock, (int64_t)kin_test_below(&s->rng, 50));
        bool in_time = true;

        kin__mutex_lock(&w->lock);
        /* Signals on the shared condition are spurious wake-ups here. */
        while (in_time)
            in_time = kin__cond_wait_until(&w->cond, &w->lock, w->clock, deadline);
        kin__mutex_unlock(&w->lock);
        if (kin_clock_now(w->clock) < deadline)
            atomic_fetch_add(&w->early, 1);
    }
    atomic_fetch_sub(&w->running, 1);
}

static void move(void *arg)
{
    struct world *w = arg;
    kin_test_rng rng = {99};

    while (atomic_load(&w->running) > 0) {
        kin_clock_advance(w->clock, (int64_t)kin_test_below(&rng, 10), NULL);
        if (kin_test_below(&rng, 4) == 0)
            kin__cond_signal(&w->cond);
    }
}

static void nobody_oversleeps(void **state)
{
    struct world w;
    struct sleeper sleepers[SLEEPERS];
    kin__thread movers[2] = {KIN__THREAD_INIT, KIN__THREAD_INIT};

    (void)state;
    memset(&w, 0, sizeof(w));
    assert_code(kin_clock_new_fake(&w.clock, 0, NULL), 0);
    kin__mutex_init(&w.lock, LOCK_RANK);
    kin__cond_init(&w.cond);
    atomic_init(&w.running, SLEEPERS);
    for (unsigned i = 0; i < SLEEPERS; i++) {
        memset(&sleepers[i], 0, sizeof(sleepers[i]));
        sleepers[i].world = &w;
        sleepers[i].rng.state = i;
        assert_code(
            kin__thread_start(&sleepers[i].thread, "kin-sleeper", sleep_often, &sleepers[i], NULL),
            0);
    }
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_start(&movers[i], "kin-mover", move, &w, NULL), 0);
    for (unsigned i = 0; i < SLEEPERS; i++)
        assert_code(kin__thread_join(&sleepers[i].thread, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_join(&movers[i], NULL), 0);
    assert_int_equal(atomic_load(&w.early), 0);
    kin__cond_done(&w.cond);
    kin__mutex_done(&w.lock);
    kin_clock_unref(w.clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_oversleeps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
