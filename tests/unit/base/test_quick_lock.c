/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One at a time, nobody sleeps on, and the checks that mutexes have. Events: set before, while and
 * never; deadlines in real time and with a fake clock.
 */
#include "kin_test.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/quick_lock.h"
#include "base/thread.h"
#include "child.h"

#define LOW ((enum kin__lock_rank)10)
#define HIGH ((enum kin__lock_rank)20)

enum { THREADS = 4, ROUNDS = KIN_TEST_SANITIZED ? 20000 : 200000, TURNS = 2000 };

/* --- lock --- */

struct counter {
    kin__quick_lock lock;
    unsigned long value; /* (lock) */
};

static void count_up(void *arg)
{
    struct counter *c = arg;

    for (int i = 0; i < ROUNDS; i++) {
        kin__quick_lock_take(&c->lock);
        c->value++;
        kin__quick_lock_give(&c->lock);
    }
}

static void one_thread_at_a_time(void **state)
{
    struct counter c = {.value = 0};
    kin__thread threads[THREADS] = {KIN__THREAD_INIT};

    (void)state;
    kin__quick_lock_init(&c.lock, LOW);
    for (int i = 0; i < THREADS; i++)
        assert_code(kin__thread_start(&threads[i], "kin-count", count_up, &c, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_code(kin__thread_join(&threads[i], NULL), 0);
    assert_int_equal(c.value, THREADS * (unsigned long)ROUNDS);
    assert_int_equal(atomic_load(&c.lock.state), 0);
}

struct sleeper {
    struct counter counter;
    atomic_bool got_it;
};

static void take_and_tell(void *arg)
{
    struct sleeper *s = arg;

    kin__quick_lock_take(&s->counter.lock);
    atomic_store(&s->got_it, true);
    kin__quick_lock_give(&s->counter.lock);
}

/* The state says when the other one has given up looking. */
static void who_sleeps_is_woken(void **state)
{
    struct sleeper s = {.counter = {.value = 0}};
    kin__thread thread = KIN__THREAD_INIT;

    (void)state;
    kin__quick_lock_init(&s.counter.lock, LOW);
    kin__quick_lock_take(&s.counter.lock);
    assert_code(kin__thread_start(&thread, "kin-sleeps", take_and_tell, &s, NULL), 0);
    while (atomic_load(&s.counter.lock.state) != 2)
        ;
    assert_false(atomic_load(&s.got_it));
    kin__quick_lock_give(&s.counter.lock);
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_true(atomic_load(&s.got_it));
}

#if KIN_DEBUG_CHECKS
static int take_against_the_order(void *arg) KIN_NO_TSA
{
    kin__mutex high;
    kin__quick_lock low;

    (void)arg;
    kin__mutex_init(&high, HIGH);
    kin__quick_lock_init(&low, LOW);
    kin__mutex_lock(&high);
    kin__quick_lock_take(&low);
    return 0;
}

static int give_what_one_has_not(void *arg) KIN_NO_TSA
{
    kin__quick_lock lock;

    (void)arg;
    kin__quick_lock_init(&lock, LOW);
    kin__quick_lock_give(&lock);
    return 0;
}

static int call_out_under_it(void *arg) KIN_NO_TSA
{
    kin__quick_lock lock;

    (void)arg;
    kin__quick_lock_init(&lock, LOW);
    kin__quick_lock_take(&lock);
    kin__assert_no_locks();
    return 0;
}

static void misuse_ends_the_process(void **state)
{
    static const struct {
        int (*violate)(void *arg);
        const char *said;
    } cases[] = {
        {take_against_the_order, "lock of rank 10 taken while holding rank 20"},
        {give_what_one_has_not, "lock of rank 10 released by a thread that has it not"},
        {call_out_under_it, "a callback is about to run under a lock of rank 10"},
    };
    kin_test_child child;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_run_child(&child, cases[i].violate, NULL);
        if (!strstr(child.output, cases[i].said))
            fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].said, child.output);
        assert_int_equal(child.signal, SIGABRT);
    }
}
#endif

/* --- event --- */

static void what_has_happened_is_not_waited_for(void **state)
{
    kin__event event;

    (void)state;
    kin__event_init(&event);
    assert_false(kin__event_look(&event, 3));
    assert_false(kin__event_set(&event)); /* nobody sleeps */
    kin__event_wait_until(&event, kin_clock_system(), INT64_MAX);
}

/* Two threads, each of which waits for the other's event. */
struct turns {
    kin__event mine[TURNS];
    kin__event yours[TURNS];
};

static void set(kin__event *event)
{
    if (kin__event_set(event))
        kin__event_wake(event);
}

static void wait_for(kin__event *event)
{
    while (atomic_load(&event->state) != 1)
        kin__event_wait_until(event, kin_clock_system(), INT64_MAX);
}

static void answer(void *arg)
{
    struct turns *turns = arg;

    for (int i = 0; i < TURNS; i++) {
        wait_for(&turns->mine[i]);
        set(&turns->yours[i]);
    }
}

static void no_wake_up_is_lost(void **state)
{
    static struct turns turns;
    kin__thread thread = KIN__THREAD_INIT;

    (void)state;
    for (int i = 0; i < TURNS; i++) {
        kin__event_init(&turns.mine[i]);
        kin__event_init(&turns.yours[i]);
    }
    assert_code(kin__thread_start(&thread, "kin-turns", answer, &turns, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        set(&turns.mine[i]);
        wait_for(&turns.yours[i]);
    }
    assert_code(kin__thread_join(&thread, NULL), 0);
}

static void a_deadline_ends_the_wait(void **state)
{
    kin_clock *clock = kin_clock_system();
    int64_t deadline = kin_clock_now(clock) + KIN__MILLISECOND;
    kin__event event;

    (void)state;
    kin__event_init(&event);
    while (kin_clock_now(clock) < deadline)
        kin__event_wait_until(&event, clock, deadline);
    kin__event_wait_until(&event, clock, deadline); /* and one that has passed does not begin */
    assert_int_not_equal(atomic_load(&event.state), 1);
}

static void advance(void *arg)
{
    kin_clock *clock = arg;

    if (kin_clock_await_waiters(clock, 1, KIN_TEST_TIMEOUT_MS, NULL) == 0)
        (void)kin_clock_advance(clock, KIN__SECOND, NULL);
}

static void a_fake_clock_ends_the_wait(void **state)
{
    kin__thread thread = KIN__THREAD_INIT;
    kin_clock *clock;
    kin__event event;

    (void)state;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    int64_t deadline = kin_clock_now(clock) + KIN__SECOND;
    kin__event_init(&event);
    assert_code(kin__thread_start(&thread, "kin-clock", advance, clock, NULL), 0);
    while (kin_clock_now(clock) < deadline)
        kin__event_wait_until(&event, clock, deadline);
    kin__event_wait_until(&event, clock, deadline);
    assert_code(kin__thread_join(&thread, NULL), 0);
    kin_clock_unref(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_at_a_time),
        cmocka_unit_test(who_sleeps_is_woken),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(misuse_ends_the_process),
#endif
        cmocka_unit_test(what_has_happened_is_not_waited_for),
        cmocka_unit_test(no_wake_up_is_lost),
        cmocka_unit_test(a_deadline_ends_the_wait),
        cmocka_unit_test(a_fake_clock_ends_the_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
