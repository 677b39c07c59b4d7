/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/wakeup.h"
#include "child.h"
#include "latch.h"
#include "oom.h"

/* A rank of its own, below all that the library takes inside a wait. */
#define TEST_RANK ((enum kin__lock_rank)1)

static kin_clock *fake_clock(void)
{
    kin_clock *clock = NULL;

    assert_code(kin_clock_new_fake(&clock, 1000, NULL), 0);
    return clock;
}

static void the_system_clock_follows_the_kernel(void **state)
{
    kin_clock *clock = kin_clock_system();
    struct timespec before;
    struct timespec after;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &before);
    int64_t now = kin_clock_now(clock);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(now >= (int64_t)before.tv_sec * KIN__SECOND + before.tv_nsec);
    assert_true(now <= (int64_t)after.tv_sec * KIN__SECOND + after.tv_nsec);
    clock_gettime(CLOCK_REALTIME, &before);
    now = kin_clock_unix_now(clock);
    assert_true(now >= (int64_t)before.tv_sec * KIN__SECOND + before.tv_nsec);
    assert_ptr_equal(kin_clock_ref(clock), clock);
    kin_clock_unref(clock);
    kin_clock_unref(NULL);
}

static void the_system_clock_can_not_be_moved(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_clock_advance(kin_clock_system(), 1, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "fake"));
    assert_code(kin_clock_set_unix(kin_clock_system(), 1, NULL), KIN_EINVAL);
    assert_code(kin_clock_await_waiters(kin_clock_system(), 1, 0, NULL), KIN_EINVAL);
    assert_code(kin_clock_advance(NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_clock_new_fake(NULL, 0, NULL), KIN_EINVAL);
}

static void a_fake_clock_stands_still_until_moved(void **state)
{
    kin_clock *clock = fake_clock();
    int64_t start = kin_clock_now(clock);

    (void)state;
    assert_true(start > 0);
    assert_int_equal(kin_clock_now(clock), start);
    assert_int_equal(kin_clock_unix_now(clock), 1000);
    assert_code(kin_clock_advance(clock, 5, NULL), 0);
    assert_int_equal(kin_clock_now(clock), start + 5);
    assert_int_equal(kin_clock_unix_now(clock), 1005);
    assert_code(kin_clock_set_unix(clock, -7, NULL), 0);
    assert_int_equal(kin_clock_now(clock), start + 5);
    assert_int_equal(kin_clock_unix_now(clock), -7);
    kin_clock_unref(clock);
}

static void time_does_not_go_back_or_over_its_end(void **state)
{
    kin_clock *clock = fake_clock();
    int64_t start = kin_clock_now(clock);

    (void)state;
    assert_code(kin_clock_advance(clock, -1, NULL), KIN_EINVAL);
    assert_code(kin_clock_advance(clock, INT64_MAX, NULL), KIN_EINVAL);
    assert_int_equal(kin_clock_now(clock), start);
    assert_code(kin_clock_set_unix(clock, INT64_MAX - 1, NULL), 0);
    assert_code(kin_clock_advance(clock, 2, NULL), KIN_EINVAL);
    assert_code(kin_clock_advance(clock, 1, NULL), 0);
    kin_clock_unref(clock);
}

static void a_clock_lives_as_long_as_it_is_referenced(void **state)
{
    size_t before = kin_test_alloc_live();
    kin_clock *clock = fake_clock();

    (void)state;
    assert_ptr_equal(kin_clock_ref(clock), clock);
    kin_clock_unref(clock);
    assert_int_equal(kin_clock_unix_now(clock), 1000);
    kin_clock_unref(clock);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void deadlines_saturate(void **state)
{
    kin_clock *clock = fake_clock();
    int64_t now = kin_clock_now(clock);

    (void)state;
    assert_int_equal(kin__clock_deadline(clock, 7), now + 7);
    assert_int_equal(kin__clock_deadline(clock, 0), now);
    assert_int_equal(kin__clock_deadline(clock, -1), INT64_MAX);
    assert_int_equal(kin__clock_deadline(clock, INT64_MAX), INT64_MAX);
    assert_int_equal(kin__clock_deadline_ms(clock, 3), now + 3 * KIN__MILLISECOND);
    assert_int_equal(kin__clock_deadline_ms(clock, -1), INT64_MAX);
    assert_int_equal(kin__clock_deadline_ms(clock, INT64_MAX), INT64_MAX);
    kin_clock_unref(clock);
}

static void poll_timeouts_never_end_early(void **state)
{
    kin_clock *fake = fake_clock();
    kin_clock *real = kin_clock_system();
    int64_t now = kin_clock_now(fake);

    (void)state;
    assert_int_equal(kin__clock_poll_ms(fake, INT64_MAX), -1);
    assert_int_equal(kin__clock_poll_ms(fake, now), 0);
    assert_int_equal(kin__clock_poll_ms(fake, now - 1), 0);
    assert_int_equal(kin__clock_poll_ms(fake, now + 1), -1);
    assert_int_equal(kin__clock_poll_ms(real, INT64_MAX), -1);
    assert_int_equal(kin__clock_poll_ms(real, kin_clock_now(real)), 0);
    assert_int_equal(kin__clock_poll_ms(real, INT64_MAX - 1), INT_MAX);
    int ms = kin__clock_poll_ms(real, kin_clock_now(real) + 1000 * KIN__SECOND + 1);
    assert_in_range(ms, 900 * 1000, 1000 * 1000 + 1);
    /* Less than a millisecond is a whole one: 0 would spin. */
    int64_t deadline = kin_clock_now(real) + KIN__MILLISECOND / 2;
    ms = kin__clock_poll_ms(real, deadline);
    if (kin_clock_now(real) < deadline)
        assert_int_equal(ms, 1);
    kin_clock_unref(fake);
}

/* A thread that waits once on a condition with a deadline. */
struct sleeper {
    kin_clock *clock;
    kin__mutex lock;
    kin__cond cond;
    int64_t deadline;
    kin_test_latch waits; /* raised under the lock, just before the wait, which releases that */
    bool signalled;       /* (lock) */
    bool in_time;         /* the result, after join */
    kin_test_latch *ended;
    kin__thread thread;
};

static void sleep_once(void *arg)
{
    struct sleeper *s = arg;
    bool in_time = true;

    kin__mutex_lock(&s->lock);
    while (!s->signalled && in_time) {
        kin_test_latch_raise(&s->waits);
        in_time = kin__cond_wait_until(&s->cond, &s->lock, s->clock, s->deadline);
    }
    s->in_time = in_time;
    kin__mutex_unlock(&s->lock);
    if (s->ended)
        kin_test_latch_raise(s->ended);
}

static void sleeper_start(struct sleeper *s, kin_clock *clock, int64_t deadline,
                          kin_test_latch *ended)
{
    memset(s, 0, sizeof(*s));
    s->clock = clock;
    s->deadline = deadline;
    s->ended = ended;
    kin__mutex_init(&s->lock, TEST_RANK);
    kin__cond_init(&s->cond);
    kin_test_latch_init(&s->waits);
    assert_code(kin__thread_start(&s->thread, "kin-sleeper", sleep_once, s, NULL), 0);
}

/* Signal it, but not before it waits: who has the lock behind that knows. */
static void sleeper_signal(struct sleeper *s)
{
    kin_test_latch_wait(&s->waits, 1);
    kin__mutex_lock(&s->lock);
    s->signalled = true;
    kin__cond_signal(&s->cond);
    kin__mutex_unlock(&s->lock);
}

static void sleeper_join(struct sleeper *s)
{
    assert_code(kin__thread_join(&s->thread, NULL), 0);
    kin_test_latch_done(&s->waits);
    kin__cond_done(&s->cond);
    kin__mutex_done(&s->lock);
}

static void advancing_wakes_those_whose_time_has_come(void **state)
{
    kin_clock *clock = fake_clock();
    int64_t start = kin_clock_now(clock);
    kin_test_latch ended;
    struct sleeper sleepers[3];

    (void)state;
    kin_test_latch_init(&ended);
    for (unsigned i = 0; i < 3; i++)
        sleeper_start(&sleepers[i], clock, start + (i + 1) * KIN__SECOND, &ended);
    assert_code(kin_clock_await_waiters(clock, 3, KIN_TEST_TIMEOUT_MS, NULL), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_code(kin_clock_advance(clock, KIN__SECOND - 1, NULL), 0);
        assert_code(kin_clock_await_waiters(clock, 3 - i, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(clock, 1, NULL), 0);
        kin_test_latch_wait(&ended, i + 1);
        assert_code(kin_clock_await_waiters(clock, 3 - i, 0, NULL), KIN_ETIMEOUT);
    }
    for (unsigned i = 0; i < 3; i++) {
        sleeper_join(&sleepers[i]);
        assert_false(sleepers[i].in_time);
    }
    kin_test_latch_done(&ended);
    kin_clock_unref(clock);
}

static void a_signal_wakes_before_the_deadline(void **state)
{
    kin_clock *clocks[] = {fake_clock(), kin_clock_system()};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct sleeper s;

        sleeper_start(&s, clocks[i], kin__clock_deadline(clocks[i], 3600 * KIN__SECOND), NULL);
        sleeper_signal(&s);
        sleeper_join(&s);
        assert_true(s.in_time);
    }
    kin_clock_unref(clocks[0]);
}

static void a_deadline_in_the_past_does_not_wait(void **state)
{
    kin_clock *clocks[] = {fake_clock(), kin_clock_system()};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct sleeper s;

        sleeper_start(&s, clocks[i], kin_clock_now(clocks[i]), NULL);
        sleeper_join(&s);
        assert_false(s.in_time);
    }
    kin_clock_unref(clocks[0]);
}

static void real_time_runs_out_too(void **state)
{
    struct sleeper s;
    int64_t start = kin_clock_now(kin_clock_system());

    (void)state;
    sleeper_start(&s, kin_clock_system(), start + 2 * KIN__MILLISECOND, NULL);
    sleeper_join(&s);
    assert_false(s.in_time);
    assert_true(kin_clock_now(kin_clock_system()) >= start + 2 * KIN__MILLISECOND);
}

static void no_deadline_waits_for_the_signal(void **state)
{
    kin_clock *clock = fake_clock();
    struct sleeper s;

    (void)state;
    sleeper_start(&s, clock, INT64_MAX, NULL);
    assert_code(kin_clock_advance(clock, 1000 * KIN__SECOND, NULL), 0);
    sleeper_signal(&s);
    sleeper_join(&s);
    assert_true(s.in_time);
    kin_clock_unref(clock);
}

static void waiting_for_waiters_times_out(void **state)
{
    kin_clock *clock = fake_clock();
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_clock_await_waiters(clock, 0, 0, NULL), 0);
    assert_code(kin_clock_await_waiters(clock, 1, 1, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "0 of 1 waiters came within 1 ms");
    kin_clock_unref(clock);
}

/* Loops around poll() are woken through their descriptor. */
struct loop_waiter {
    kin__clock_waiter waiter;
    kin__wakeup wakeup;
    unsigned order;
    unsigned *next_order;
};

static void wake_loop(kin__clock_waiter *waiter)
{
    struct loop_waiter *w = kin__container_of(waiter, struct loop_waiter, waiter);

    w->order = ++*w->next_order;
    kin__wakeup_signal(&w->wakeup);
}

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static void loops_are_notified_in_the_order_of_their_deadlines(void **state)
{
    static const int64_t delays[] = {30, 10, 20, 10};
    static const unsigned expected[] = {4, 1, 3, 2};
    kin_clock *clock = fake_clock();
    struct loop_waiter w[4];
    unsigned order = 0;

    (void)state;
    memset(w, 0, sizeof(w));
    for (unsigned i = 0; i < 4; i++) {
        assert_code(kin__wakeup_init(&w[i].wakeup, NULL), 0);
        w[i].waiter.deadline = kin__clock_deadline(clock, delays[i]);
        w[i].waiter.notify = wake_loop;
        w[i].next_order = &order;
        assert_true(kin__clock_wait_begin(clock, &w[i].waiter));
    }
    assert_code(kin_clock_advance(clock, 9, NULL), 0);
    assert_int_equal(order, 0);
    assert_code(kin_clock_advance(clock, 100, NULL), 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(w[i].order, expected[i]);
        assert_true(is_readable(w[i].wakeup.fd));
    }
    /* Notified once, not again. */
    assert_code(kin_clock_advance(clock, 100, NULL), 0);
    assert_int_equal(order, 4);
    for (unsigned i = 0; i < 4; i++) {
        if (i % 2)
            assert_true(kin__clock_wait_try_end(clock, &w[i].waiter));
        else
            kin__clock_wait_end(clock, &w[i].waiter);
        kin__wakeup_done(&w[i].wakeup);
    }
    w[0].waiter.deadline = kin_clock_now(clock);
    assert_false(kin__clock_wait_begin(clock, &w[0].waiter));
    kin_clock_unref(clock);
}

/* A waiter that leaves while its notify runs has to wait for it. */
struct slow_waiter {
    kin__clock_waiter waiter;
    kin_test_latch entered;
    kin_test_latch leave;
    kin_clock *clock;
};

static void notify_slowly(kin__clock_waiter *waiter)
{
    struct slow_waiter *w = kin__container_of(waiter, struct slow_waiter, waiter);

    kin_test_latch_raise(&w->entered);
    kin_test_latch_wait(&w->leave, 1);
}

static void advance_one(void *arg)
{
    struct slow_waiter *w = arg;

    kin_clock_advance(w->clock, 1, NULL);
}

static void ending_a_wait_waits_for_a_notification_under_way(void **state)
{
    struct slow_waiter w = {.clock = fake_clock()};
    kin__thread thread = KIN__THREAD_INIT;

    (void)state;
    kin_test_latch_init(&w.entered);
    kin_test_latch_init(&w.leave);
    w.waiter.deadline = kin__clock_deadline(w.clock, 1);
    w.waiter.notify = notify_slowly;
    assert_true(kin__clock_wait_begin(w.clock, &w.waiter));
    assert_code(kin__thread_start(&thread, "kin-advance", advance_one, &w, NULL), 0);
    kin_test_latch_wait(&w.entered, 1);
    assert_false(kin__clock_wait_try_end(w.clock, &w.waiter));
    kin_test_latch_raise(&w.leave);
    kin__clock_wait_end(w.clock, &w.waiter);
    assert_code(kin__thread_join(&thread, NULL), 0);
    kin_test_latch_done(&w.entered);
    kin_test_latch_done(&w.leave);
    kin_clock_unref(w.clock);
}

/* In a child the time of a parent's clock can be read, and the clock freed; nothing else. */
static int use_in_child(void *arg)
{
    kin_clock *clock = arg;
    kin_error err = KIN_ERROR_INIT;

    alarm(KIN_TEST_TIMEOUT_MS / 1000); /* hanging is what this is about */
    if (kin_clock_unix_now(clock) != 1000 || kin_clock_now(clock) <= 0)
        return 1;
    if (kin_clock_advance(clock, 1, &err) != KIN_EFORKED || err.code != KIN_EFORKED)
        return 2;
    if (kin_clock_set_unix(clock, 1, NULL) != KIN_EFORKED ||
        kin_clock_await_waiters(clock, 0, -1, NULL) != KIN_EFORKED)
        return 3;
    size_t before = kin_test_alloc_live();
    kin_clock_unref(clock);
    return kin_test_alloc_live() == before - 1 ? 0 : 4;
}

static void await_a_crowd(void *arg)
{
    /* Sits on the clock's condition and, now and then, its lock, until two waiters came. */
    kin_clock_await_waiters(arg, 2, KIN_TEST_TIMEOUT_MS, NULL);
}

static void a_clock_of_the_parent_does_not_hang_its_child(void **state)
{
    kin_clock *clock = fake_clock();
    kin__thread thread = KIN__THREAD_INIT;
    struct sleeper sleepers[2];
    kin_test_child child;

    (void)state;
    assert_code(kin__thread_start(&thread, "kin-await", await_a_crowd, clock, NULL), 0);
    sleeper_start(&sleepers[0], clock, kin__clock_deadline(clock, 5), NULL);
    assert_code(kin_clock_await_waiters(clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_run_child(&child, use_in_child, clock);
    if (child.exit_code != 0)
        fail_msg("exit code %d, signal %d: %s", child.exit_code, child.signal, child.output);
    sleeper_start(&sleepers[1], clock, kin__clock_deadline(clock, 5), NULL);
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_code(kin_clock_advance(clock, 5, NULL), 0);
    sleeper_join(&sleepers[0]);
    sleeper_join(&sleepers[1]);
    kin_clock_unref(clock);
}

static int make_and_free(void *arg, kin_error *err)
{
    kin_clock *clock;
    int code = kin_clock_new_fake(&clock, 0, err);

    (void)arg;
    if (code == 0)
        kin_clock_unref(clock);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make_and_free, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_system_clock_follows_the_kernel),
        cmocka_unit_test(the_system_clock_can_not_be_moved),
        cmocka_unit_test(a_fake_clock_stands_still_until_moved),
        cmocka_unit_test(time_does_not_go_back_or_over_its_end),
        cmocka_unit_test(a_clock_lives_as_long_as_it_is_referenced),
        cmocka_unit_test(deadlines_saturate),
        cmocka_unit_test(poll_timeouts_never_end_early),
        cmocka_unit_test(advancing_wakes_those_whose_time_has_come),
        cmocka_unit_test(a_signal_wakes_before_the_deadline),
        cmocka_unit_test(a_deadline_in_the_past_does_not_wait),
        cmocka_unit_test(real_time_runs_out_too),
        cmocka_unit_test(no_deadline_waits_for_the_signal),
        cmocka_unit_test(waiting_for_waiters_times_out),
        cmocka_unit_test(loops_are_notified_in_the_order_of_their_deadlines),
        cmocka_unit_test(ending_a_wait_waits_for_a_notification_under_way),
        cmocka_unit_test(a_clock_of_the_parent_does_not_hang_its_child),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
