/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rate limiters: what each says, one inside the other, a caller's own, wrong arguments.
 */
#include "kin_test.h"
#include "kinform/rate_limiter.h"

#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "child.h"
#include "oom.h"

static int64_t when(kin_rate_limiter *limiter, const char *key)
{
    int64_t ns = -1;

    assert_code(kin_rate_limiter_when(limiter, kin_str_of(key), &ns, NULL), 0);
    return ns;
}

static uint64_t requeues(kin_rate_limiter *limiter, const char *key)
{
    return kin_rate_limiter_n_requeues(limiter, kin_str_of(key));
}

static void forget(kin_rate_limiter *limiter, const char *key)
{
    kin_rate_limiter_forget(limiter, kin_str_of(key));
}

static kin_rate_limiter *exponential(int64_t base, int64_t max)
{
    kin_rate_limiter *limiter = NULL;

    assert_code(kin_rate_limiter_new_exponential(&limiter, base, max, NULL), 0);
    return limiter;
}

static void delays_double_up_to_a_limit(void **state)
{
    static const int64_t expected[] = {1, 2, 4, 8, 16, 32, 64, 100, 100, 100};
    kin_rate_limiter *limiter = exponential(KIN__MILLISECOND, 100 * KIN__MILLISECOND);

    (void)state;
    for (size_t i = 0; i < kin__array_len(expected); i++)
        assert_int_equal(when(limiter, "one"), expected[i] * KIN__MILLISECOND);
    assert_int_equal(requeues(limiter, "one"), 10);
    assert_int_equal(when(limiter, "two"), KIN__MILLISECOND);
    assert_int_equal(when(limiter, "two"), 2 * KIN__MILLISECOND);
    assert_int_equal(requeues(limiter, "two"), 2);
    forget(limiter, "one");
    assert_int_equal(requeues(limiter, "one"), 0);
    assert_int_equal(requeues(limiter, "two"), 2);
    assert_int_equal(when(limiter, "one"), KIN__MILLISECOND);
    forget(limiter, "never came");
    kin_rate_limiter_unref(limiter);
}

static void delays_do_not_overflow(void **state)
{
    kin_rate_limiter *limiter = exponential(KIN__MILLISECOND, 1000 * KIN__SECOND);
    kin_rate_limiter *largest = exponential(3, INT64_MAX);
    kin_rate_limiter *beyond = exponential(100, 7);
    kin_rate_limiter *none = exponential(0, 7);

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        when(limiter, "a");
    assert_int_equal(when(limiter, "a"), 32 * KIN__MILLISECOND);
    for (unsigned i = 0; i < 1000; i++)
        when(limiter, "b");
    assert_int_equal(when(limiter, "b"), 1000 * KIN__SECOND);
    for (unsigned i = 0; i < 62; i++)
        assert_int_equal(when(largest, "c"), INT64_C(3) << i);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(when(largest, "c"), INT64_MAX);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(when(beyond, "d"), 7);
        assert_int_equal(when(none, "d"), 0);
    }
    kin_rate_limiter_unref(limiter);
    kin_rate_limiter_unref(largest);
    kin_rate_limiter_unref(beyond);
    kin_rate_limiter_unref(none);
}

static void some_fast_ones_then_slow_ones(void **state)
{
    static const int64_t expected[] = {5, 5, 5, 10, 10, 10};
    kin_rate_limiter *limiter = NULL;

    (void)state;
    assert_code(kin_rate_limiter_new_fast_slow(&limiter, 5, 10, 3, NULL), 0);
    for (size_t i = 0; i < kin__array_len(expected); i++)
        assert_int_equal(when(limiter, "one"), expected[i]);
    assert_int_equal(requeues(limiter, "one"), 6);
    assert_int_equal(when(limiter, "two"), 5);
    forget(limiter, "one");
    assert_int_equal(when(limiter, "one"), 5);
    assert_int_equal(requeues(limiter, "one"), 1);
    kin_rate_limiter_unref(limiter);
}

static void a_bucket_is_for_all_keys_together(void **state)
{
    kin_rate_limiter *limiter = NULL;
    kin_clock *clock = NULL;

    (void)state;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    assert_code(kin_rate_limiter_new_bucket(&limiter, 10, 2, clock, NULL), 0);
    assert_int_equal(when(limiter, "a"), 0);
    assert_int_equal(when(limiter, "b"), 0);
    assert_int_equal(when(limiter, "c"), KIN__SECOND / 10);
    forget(limiter, "c"); /* the token stays spent */
    assert_int_equal(when(limiter, "c"), KIN__SECOND / 5);
    assert_int_equal(requeues(limiter, "c"), 0);
    assert_code(kin_clock_advance(clock, KIN__SECOND, NULL), 0);
    assert_int_equal(when(limiter, "d"), 0);
    kin_rate_limiter_unref(limiter);
    kin_clock_unref(clock);
}

static void the_longest_of_several_counts(void **state)
{
    kin_rate_limiter *both[2] = {NULL, exponential(1, 1000)};
    kin_rate_limiter *limiter = NULL;
    kin_rate_limiter *none = NULL;

    (void)state;
    assert_code(kin_rate_limiter_new_fast_slow(&both[0], 5, 3000, 3, NULL), 0);
    assert_code(kin_rate_limiter_new_max_of(&limiter, both, 2, NULL), 0);
    assert_int_equal(when(limiter, "one"), 5);
    assert_int_equal(when(limiter, "one"), 5);
    assert_int_equal(when(limiter, "one"), 5);
    assert_int_equal(when(limiter, "one"), 3000);
    assert_int_equal(requeues(limiter, "one"), 4);
    when(both[1], "one"); /* they are the same, also when asked alone */
    assert_int_equal(requeues(limiter, "one"), 5);
    forget(limiter, "one");
    assert_int_equal(requeues(both[0], "one") + requeues(both[1], "one"), 0);
    kin_rate_limiter_unref(both[0]);
    kin_rate_limiter_unref(both[1]);
    assert_int_equal(when(limiter, "two"), 5); /* it has references of its own */
    kin_rate_limiter_unref(limiter);

    assert_code(kin_rate_limiter_new_max_of(&none, NULL, 0, NULL), 0);
    assert_int_equal(when(none, "one"), 0);
    assert_int_equal(requeues(none, "one"), 0);
    kin_rate_limiter_unref(none);
}

static void a_wait_can_be_limited(void **state)
{
    kin_rate_limiter *inner = exponential(1, INT64_MAX);
    kin_rate_limiter *limiter = NULL;

    (void)state;
    assert_code(kin_rate_limiter_new_max_wait(&limiter, inner, 3, NULL), 0);
    kin_rate_limiter_unref(inner);
    assert_int_equal(when(limiter, "one"), 1);
    assert_int_equal(when(limiter, "one"), 2);
    assert_int_equal(when(limiter, "one"), 3);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(when(limiter, "one"), 3);
    assert_int_equal(requeues(limiter, "one"), 103);
    forget(limiter, "one");
    assert_int_equal(when(limiter, "one"), 1);
    kin_rate_limiter_unref(limiter);
}

static void the_defaults_are_those_of_client_go(void **state)
{
    kin_rate_limiter *controller = NULL;
    kin_rate_limiter *item = NULL;
    kin_clock *clock = NULL;

    (void)state;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    assert_code(kin_rate_limiter_new_default(&controller, clock, NULL), 0);
    assert_code(kin_rate_limiter_new_default_per_item(&item, NULL), 0);
    for (unsigned i = 0; i < 100; i++) {
        char key[8];

        snprintf(key, sizeof(key), "%u", i);
        assert_int_equal(when(controller, key), 5 * KIN__MILLISECOND);
    }
    assert_int_equal(when(controller, "late"), KIN__SECOND / 10);
    assert_int_equal(when(item, "a"), KIN__MILLISECOND);
    for (unsigned i = 0; i < 40; i++)
        when(item, "a");
    assert_int_equal(when(item, "a"), 1000 * KIN__SECOND);
    kin_rate_limiter_unref(controller);
    kin_rate_limiter_unref(item);
    kin_clock_unref(clock);
}

/* --- a caller's own --- */

struct own {
    unsigned n_when;
    unsigned n_forget;
    unsigned n_free;
    int code;
};

static int own_when(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct own *own = arg;

    own->n_when++;
    *ret = (int64_t)key.len;
    return own->code ? kin_error_set(err, own->code, "not today") : 0;
}

static void own_forget(kin_str key, void *arg)
{
    (void)key;
    ((struct own *)arg)->n_forget++;
}

static uint64_t own_n_requeues(kin_str key, void *arg)
{
    (void)key;
    return ((struct own *)arg)->n_when;
}

static void own_free(void *arg)
{
    ((struct own *)arg)->n_free++;
}

static void a_limiter_of_the_callers_own(void **state)
{
    kin_rate_limiter_functions functions = KIN_RATE_LIMITER_FUNCTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct own own = {0, 0, 0, 0};
    kin_rate_limiter *limiter = NULL;
    kin_rate_limiter *max_of = NULL;
    int64_t ns = 17;

    (void)state;
    assert_code(kin_rate_limiter_new(&limiter, &functions, &own, own_free, NULL), KIN_EINVAL);
    assert_int_equal(own.n_free, 0);
    functions.when = own_when;
    assert_code(kin_rate_limiter_new(&limiter, &functions, &own, own_free, NULL), 0);
    assert_int_equal(when(limiter, "four"), 4);
    forget(limiter, "four"); /* it has nothing to forget, and says nothing */
    assert_int_equal(requeues(limiter, "four"), 0);
    own.code = KIN_ESERVER;
    assert_code(kin_rate_limiter_when(limiter, kin_str_of("k"), &ns, &err), KIN_ESERVER);
    assert_string_equal(err.message, "not today");
    assert_int_equal(ns, 17);
    assert_code(kin_rate_limiter_new_max_of(&max_of, &limiter, 1, NULL), 0);
    assert_code(kin_rate_limiter_when(max_of, kin_str_of("k"), &ns, &err), KIN_ESERVER);
    assert_string_equal(err.message, "not today");
    own.code = 1;
    assert_code(kin_rate_limiter_when(limiter, kin_str_of("k"), &ns, NULL), KIN_EINVAL);
    kin_rate_limiter_unref(limiter);
    assert_int_equal(own.n_free, 0);
    kin_rate_limiter_unref(max_of);
    assert_int_equal(own.n_free, 1);

    functions.forget = own_forget;
    functions.n_requeues = own_n_requeues;
    own = (struct own){0, 0, 0, 0};
    assert_code(kin_rate_limiter_new(&limiter, &functions, &own, NULL, NULL), 0);
    when(limiter, "a");
    forget(limiter, "a");
    assert_int_equal(requeues(limiter, "a"), 1);
    assert_int_equal(own.n_forget, 1);
    kin_rate_limiter_unref(kin_rate_limiter_ref(limiter));
    kin_rate_limiter_unref(limiter);
    assert_int_equal(own.n_free, 0);
}

static void wrong_arguments_are_refused(void **state)
{
    kin_rate_limiter_functions functions = KIN_RATE_LIMITER_FUNCTIONS_INIT;
    kin_rate_limiter *limiter = exponential(1, 2);
    kin_rate_limiter *ret = NULL;
    kin_rate_limiter *holes[2] = {limiter, NULL};
    int64_t ns;

    (void)state;
    functions.when = own_when;
    assert_code(kin_rate_limiter_new(NULL, &functions, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new(&ret, NULL, NULL, NULL, NULL), KIN_EINVAL);
    functions.size = 0;
    assert_code(kin_rate_limiter_new(&ret, &functions, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_exponential(NULL, 1, 2, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_exponential(&ret, -1, 2, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_exponential(&ret, 1, -2, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_fast_slow(&ret, -1, 1, 1, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_bucket(NULL, 1, 1, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_bucket(&ret, 0, 1, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_bucket(&ret, -1, 1, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_bucket(&ret, 1, 0, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_of(NULL, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_of(&ret, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_of(&ret, holes, 2, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_of(&ret, holes, SIZE_MAX / 4, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_wait(NULL, limiter, 1, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_wait(&ret, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_max_wait(&ret, limiter, -1, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_default(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_new_default_per_item(NULL, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_when(NULL, kin_str_of("a"), &ns, NULL), KIN_EINVAL);
    assert_code(kin_rate_limiter_when(limiter, kin_str_of("a"), NULL, NULL), KIN_EINVAL);
    kin_rate_limiter_forget(NULL, kin_str_of("a"));
    assert_int_equal(kin_rate_limiter_n_requeues(NULL, kin_str_of("a")), 0);
    assert_null(kin_rate_limiter_ref(NULL));
    kin_rate_limiter_unref(NULL);
    assert_null(ret);
    kin_rate_limiter_unref(limiter);
}

static void keys_of_any_length_and_bytes(void **state)
{
    kin_rate_limiter *limiter = exponential(1, INT64_MAX);
    char long_key[1000];

    (void)state;
    memset(long_key, 'x', sizeof(long_key));
    for (size_t len = 0; len < sizeof(long_key); len += 37) {
        for (int64_t i = 0; i < 3; i++) {
            int64_t ns = -1;

            assert_code(kin_rate_limiter_when(limiter, kin_str_make(long_key, len), &ns, NULL), 0);
            assert_int_equal(ns, INT64_C(1) << i);
        }
    }
    for (size_t len = 0; len < sizeof(long_key); len += 37)
        kin_rate_limiter_forget(limiter, kin_str_make(long_key, len));
    assert_int_equal(when(limiter, ""), 1);
    kin_rate_limiter_unref(limiter);
}

/* --- memory and forks --- */

static void keys_that_fail_and_recover_cost_no_allocation(void **state)
{
    kin_rate_limiter *limiter = exponential(1, INT64_MAX);
    char key[16];

    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        if (round == 1)
            kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
        for (unsigned i = 0; i < 500; i++) {
            snprintf(key, sizeof(key), "%u-%u", i, round);
            when(limiter, key);
        }
        for (unsigned i = 0; i < 500; i++) {
            snprintf(key, sizeof(key), "%u-%u", i, round);
            forget(limiter, key);
        }
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_rate_limiter_unref(limiter);
}

static int use_all(void *arg, kin_error *err)
{
    kin_rate_limiter *controller = NULL;
    kin_rate_limiter *limiter = NULL;
    char key[200];
    int64_t ns;
    int code;

    (void)arg;
    memset(key, 'k', sizeof(key));
    code = kin_rate_limiter_new_default(&controller, NULL, err);
    if (code == 0)
        code = kin_rate_limiter_new_max_wait(&limiter, controller, 7, err);
    for (size_t i = 1; i < sizeof(key) && code == 0; i++)
        code = kin_rate_limiter_when(limiter, kin_str_make(key, i), &ns, err);
    for (size_t i = 1; i < sizeof(key); i += 2)
        kin_rate_limiter_forget(limiter, kin_str_make(key, i));
    kin_rate_limiter_unref(limiter);
    kin_rate_limiter_unref(controller);
    return code;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use_all, NULL);
}

static int use_in_child(void *arg)
{
    kin_rate_limiter *limiter = arg;
    int64_t ns;
    int code = kin_rate_limiter_when(limiter, kin_str_of("a"), &ns, NULL);

    kin_rate_limiter_forget(limiter, kin_str_of("a"));
    kin_rate_limiter_unref(limiter);
    return code == KIN_EFORKED ? 0 : 1;
}

static void a_forked_child_is_told(void **state)
{
    kin_rate_limiter *limiter = NULL;
    kin_test_child child;

    (void)state;
    assert_code(kin_rate_limiter_new_default(&limiter, NULL, NULL), 0);
    when(limiter, "a");
    kin_test_run_child(&child, use_in_child, limiter);
    assert_int_equal(child.exit_code, 0);
    kin_rate_limiter_unref(limiter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_double_up_to_a_limit),
        cmocka_unit_test(delays_do_not_overflow),
        cmocka_unit_test(some_fast_ones_then_slow_ones),
        cmocka_unit_test(a_bucket_is_for_all_keys_together),
        cmocka_unit_test(the_longest_of_several_counts),
        cmocka_unit_test(a_wait_can_be_limited),
        cmocka_unit_test(the_defaults_are_those_of_client_go),
        cmocka_unit_test(a_limiter_of_the_callers_own),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(keys_of_any_length_and_bytes),
        cmocka_unit_test(keys_that_fail_and_recover_cost_no_allocation),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(a_forked_child_is_told),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
