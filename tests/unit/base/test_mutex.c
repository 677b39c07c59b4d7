/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting with deadlines is tested in test_clock.c; here are exclusion and, in builds
 * that have them, the checks: each violation must end the process and say why.
 */
#include "kin_test.h"

#include <signal.h>
#include <string.h>

#include "base/mutex.h"
#include "base/thread.h"
#include "child.h"
#include "latch.h"

#define LOW ((enum kin__lock_rank)10)
#define HIGH ((enum kin__lock_rank)20)

static void locks_in_rank_order_are_fine_in_any_release_order(void **state)
{
    kin__mutex low;
    kin__mutex high;

    (void)state;
    kin__mutex_init(&low, LOW);
    kin__mutex_init(&high, HIGH);
    kin__mutex_lock(&low);
    kin__mutex_lock(&high);
    kin__mutex_assert_held(&low);
    kin__mutex_assert_held(&high);
    kin__mutex_unlock(&high);
    kin__mutex_unlock(&low);
    kin__mutex_lock(&low);
    kin__mutex_lock(&high);
    kin__mutex_unlock(&low); /* the first one first */
    kin__mutex_assert_held(&high);
    kin__mutex_unlock(&high);
    kin__assert_no_locks();
    kin__mutex_lock(&high);
    kin__mutex_unlock(&high);
    kin__mutex_lock(&low);
    kin__mutex_unlock(&low);
    kin__mutex_done(&high);
    kin__mutex_done(&low);
}

static void a_static_mutex_needs_no_initialization(void **state)
{
    static kin__mutex mutex = KIN__MUTEX_INITIALIZER(LOW);

    (void)state;
    kin__mutex_lock(&mutex);
    kin__mutex_unlock(&mutex);
}

struct counter {
    kin__mutex lock;
    kin__cond changed;
    unsigned long value; /* (lock) */
};

#define ROUNDS 20000

static void count_up(void *arg)
{
    struct counter *c = arg;

    for (int i = 0; i < ROUNDS; i++) {
        kin__mutex_lock(&c->lock);
        c->value++;
        kin__mutex_unlock(&c->lock);
    }
}

static void one_thread_at_a_time(void **state)
{
    struct counter c = {.value = 0};
    kin__thread threads[4] = {KIN__THREAD_INIT};

    (void)state;
    kin__mutex_init(&c.lock, LOW);
    for (int i = 0; i < 4; i++)
        assert_code(kin__thread_start(&threads[i], "kin-count", count_up, &c, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_code(kin__thread_join(&threads[i], NULL), 0);
    assert_int_equal(c.value, 4 * ROUNDS);
    kin__mutex_done(&c.lock);
}

static void take_turns(void *arg)
{
    struct counter *c = arg;

    kin__mutex_lock(&c->lock);
    while (c->value < 1000) {
        if (c->value % 2 == 0)
            kin__cond_wait(&c->changed, &c->lock);
        else {
            c->value++;
            kin__cond_signal(&c->changed);
        }
    }
    kin__mutex_unlock(&c->lock);
}

static void a_condition_hands_over(void **state)
{
    struct counter c = {.value = 0};
    kin__thread thread = KIN__THREAD_INIT;

    (void)state;
    kin__mutex_init(&c.lock, LOW);
    kin__cond_init(&c.changed);
    assert_code(kin__thread_start(&thread, "kin-turns", take_turns, &c, NULL), 0);
    kin__mutex_lock(&c.lock);
    while (c.value < 1000) {
        if (c.value % 2 == 1) {
            kin__cond_wait(&c.changed, &c.lock);
        } else {
            c.value++;
            kin__cond_broadcast(&c.changed);
        }
    }
    kin__cond_broadcast(&c.changed);
    kin__mutex_unlock(&c.lock);
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_int_equal(c.value, 1000);
    kin__cond_done(&c.changed);
    kin__mutex_done(&c.lock);
}

#if KIN_DEBUG_CHECKS

/*
 * The violations. clang's analysis sees them coming, which is its job; these functions
 * do on purpose what it forbids.
 */
static int take_out_of_order(void *arg) KIN_NO_TSA
{
    kin__mutex low;
    kin__mutex high;

    (void)arg;
    kin__mutex_init(&low, LOW);
    kin__mutex_init(&high, HIGH);
    kin__mutex_lock(&high);
    kin__mutex_lock(&low);
    return 0;
}

static int take_equal_ranks(void *arg) KIN_NO_TSA
{
    kin__mutex one;
    kin__mutex two;

    (void)arg;
    kin__mutex_init(&one, LOW);
    kin__mutex_init(&two, LOW);
    kin__mutex_lock(&one);
    kin__mutex_lock(&two);
    return 0;
}

static int take_twice(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__mutex_lock(&mutex);
    kin__mutex_lock(&mutex);
    return 0;
}

static int release_without_holding(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__mutex_unlock(&mutex);
    return 0;
}

static int destroy_while_held(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__mutex_lock(&mutex);
    kin__mutex_done(&mutex);
    return 0;
}

static int claim_to_hold(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__mutex_assert_held(&mutex);
    return 0;
}

static int call_back_under_a_lock(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__mutex_lock(&mutex);
    kin__assert_no_locks();
    return 0;
}

static int wait_without_holding(void *arg) KIN_NO_TSA
{
    kin__mutex mutex;
    kin__cond cond;

    (void)arg;
    kin__mutex_init(&mutex, LOW);
    kin__cond_init(&cond);
    kin__cond_wait(&cond, &mutex);
    return 0;
}

/* When the wait ends the low one is taken again, while the high one is held. */
static int wait_under_another_lock(void *arg) KIN_NO_TSA
{
    kin__mutex low;
    kin__mutex high;
    kin__cond cond;

    (void)arg;
    kin__mutex_init(&low, LOW);
    kin__mutex_init(&high, HIGH);
    kin__cond_init(&cond);
    kin__mutex_lock(&low);
    kin__mutex_lock(&high);
    kin__cond_wait_until(&cond, &low, kin_clock_system(), INT64_MAX - 1);
    return 0;
}

static void each_violation_ends_the_process_and_says_why(void **state)
{
    static const struct {
        int (*violate)(void *arg);
        const char *said;
    } cases[] = {
        {take_out_of_order, "lock of rank 10 taken while holding rank 20"},
        {take_equal_ranks, "lock of rank 10 taken while holding rank 10"},
        {take_twice, "lock of rank 10 taken twice by one thread"},
        {release_without_holding, "lock of rank 10 released by a thread that has it not"},
        {destroy_while_held, "lock of rank 10 destroyed while held"},
        {claim_to_hold, "lock of rank 10 is not held here"},
        {call_back_under_a_lock, "a callback is about to run under a lock of rank 10"},
        {wait_under_another_lock, "lock of rank 10 taken while holding rank 20"},
        {wait_without_holding, "lock of rank 10 released by a thread that has it not"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_in_rank_order_are_fine_in_any_release_order),
        cmocka_unit_test(a_static_mutex_needs_no_initialization),
        cmocka_unit_test(one_thread_at_a_time),
        cmocka_unit_test(a_condition_hands_over),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(each_violation_ends_the_process_and_says_why),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
