/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done later: in its order, at its time, and never again once it was cancelled.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/verbs/schedule.h"
#include "base/clock.h"
#include "latch.h"

struct thing {
    kin__due due;
    kin_test_latch entered;
    kin_test_latch leave; /* it waits for that, if it is to */
    bool waits;
    bool sets_itself;
    bool is_ready_again; /* sets itself, too, but as soon as possible */
    atomic_bool has_left;
    unsigned runs; /* of the schedule's thread; read when it is over */
};

static kin_clock *fake_clock;
static kin__schedule schedule;

static int set_up(void **unused)
{
    (void)unused;
    assert_code(kin_clock_new_fake(&fake_clock, 0, NULL), 0);
    assert_code(kin__schedule_start(&schedule, fake_clock, NULL), 0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin__schedule_stop(&schedule);
    kin__schedule_done(&schedule);
    kin_clock_unref(fake_clock);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void run(kin__due *due)
{
    struct thing *thing = kin__container_of(due, struct thing, due);

    thing->runs++;
    kin_test_latch_raise(&thing->entered);
    if (thing->waits)
        kin_test_latch_wait(&thing->leave, 1);
    if (thing->sets_itself)
        assert_code(kin__schedule_at(&schedule, due, kin__clock_deadline(fake_clock, KIN__SECOND)),
                    0);
    if (thing->is_ready_again)
        kin__schedule_now(&schedule, due);
    atomic_store(&thing->has_left, true);
}

static void thing_init(struct thing *thing)
{
    memset(thing, 0, sizeof(*thing));
    kin__due_init(&thing->due, run);
    kin_test_latch_init(&thing->entered);
    kin_test_latch_init(&thing->leave);
}

static void thing_done(struct thing *thing)
{
    kin_test_latch_done(&thing->entered);
    kin_test_latch_done(&thing->leave);
}

static void at_its_time(void **unused)
{
    struct thing soon;
    struct thing late;
    int64_t now = kin_clock_now(fake_clock);

    (void)unused;
    thing_init(&soon);
    thing_init(&late);
    assert_code(kin__schedule_at(&schedule, &late.due, now + 20), 0);
    assert_code(kin__schedule_at(&schedule, &soon.due, now + 10), 0);
    assert_code(kin_clock_await_waiters(fake_clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(fake_clock, 10, NULL), 0);
    kin_test_latch_wait(&soon.entered, 1);
    kin__schedule_cancel(&schedule, &soon.due);
    kin__schedule_cancel(&schedule, &late.due);
    assert_int_equal(soon.runs, 1);
    assert_int_equal(late.runs, 0);
    kin__schedule_now(&schedule, &late.due);
    kin_test_latch_wait(&late.entered, 1);
    kin__schedule_cancel(&schedule, &late.due);
    thing_done(&soon);
    thing_done(&late);
}

/* Something that is always ready again does not keep others from their time. */
static void in_steps(void **unused)
{
    struct thing steps;
    struct thing timer;

    (void)unused;
    thing_init(&steps);
    thing_init(&timer);
    steps.waits = true;
    steps.is_ready_again = true;
    kin__schedule_now(&schedule, &steps.due);
    kin_test_latch_wait(&steps.entered, 1);
    assert_code(kin__schedule_at(&schedule, &timer.due, kin_clock_now(fake_clock)), 0);
    kin_test_latch_raise(&steps.leave);
    kin_test_latch_wait(&timer.entered, 1);
    kin__schedule_cancel(&schedule, &steps.due);
    kin__schedule_cancel(&schedule, &timer.due);
    thing_done(&steps);
    thing_done(&timer);
}

struct cancel {
    struct thing *thing;
    kin_test_latch entered;
    atomic_bool is_back;
    bool has_waited; /* the thing had run to its end by then */
};

static void *cancel(void *arg)
{
    struct cancel *cancel = arg;

    kin_test_latch_raise(&cancel->entered);
    kin__schedule_cancel(&schedule, &cancel->thing->due);
    cancel->has_waited = atomic_load(&cancel->thing->has_left);
    atomic_store(&cancel->is_back, true);
    return NULL;
}

/* It runs, and sets itself again, while it is cancelled. */
static void cancelled_while_it_runs(void **unused)
{
    struct thing thing;
    struct thing other;
    struct cancel canceller = {.thing = &thing};
    pthread_t thread;

    (void)unused;
    thing_init(&thing);
    thing_init(&other);
    kin_test_latch_init(&canceller.entered);
    thing.waits = true;
    thing.sets_itself = true;
    kin__schedule_now(&schedule, &thing.due);
    kin_test_latch_wait(&thing.entered, 1);
    assert_int_equal(pthread_create(&thread, NULL, cancel, &canceller), 0);
    kin_test_latch_wait(&canceller.entered, 1);
    /* Time enough to come back too early, if it would. */
    for (int i = 0; i < 1000 && !atomic_load(&canceller.is_back); i++)
        sched_yield();
    kin_test_latch_raise(&thing.leave);
    pthread_join(thread, NULL);
    assert_true(canceller.has_waited);
    kin_test_latch_done(&canceller.entered);
    assert_false(kin__timer_is_set(&thing.due.timer));
    assert_code(kin_clock_advance(fake_clock, 2 * KIN__SECOND, NULL), 0);
    kin__schedule_now(&schedule, &other.due);
    kin_test_latch_wait(&other.entered, 1);
    kin__schedule_cancel(&schedule, &other.due);
    thing_done(&thing);
    thing_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(at_its_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cancelled_while_it_runs, set_up, tear_down),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
