/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers: order, edges, memory, and the heap against a plain array.
 */
#include "kin_test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/timers.h"
#include "child.h"
#include "model.h"
#include "oom.h"

#define N 40

static void init_timers(kin__timer *timers, size_t n)
{
    memset(timers, 0xa5, n * sizeof(*timers));
    for (size_t i = 0; i < n; i++)
        kin__timer_init(&timers[i]);
}

static void an_empty_set_is_never_due(void **state)
{
    kin__timers timers;

    (void)state;
    memset(&timers, 0xa5, sizeof(timers));
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    kin__timers_init(&timers);
    assert_true(kin__timers_next(&timers) == INT64_MAX);
    assert_null(kin__timers_pop(&timers, INT64_MAX));
    kin__timers_done(&timers);
    kin__timers_done(&timers);
    assert_int_equal(kin_test_alloc_count(), 0);
}

static void a_timer_knows_whether_it_is_set(void **state)
{
    kin__timers timers;
    kin__timer t[1];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 1);
    assert_false(kin__timer_is_set(&t[0]));
    assert_code(kin__timers_set(&timers, &t[0], 10), 0);
    assert_true(kin__timer_is_set(&t[0]));
    kin__timers_cancel(&timers, &t[0]);
    assert_false(kin__timer_is_set(&t[0]));
    assert_code(kin__timers_set(&timers, &t[0], 10), 0);
    assert_ptr_equal(kin__timers_pop(&timers, 10), &t[0]);
    assert_false(kin__timer_is_set(&t[0]));
    kin__timers_done(&timers);
}

static void a_timer_is_due_at_its_deadline_and_not_before(void **state)
{
    kin__timers timers;
    kin__timer t[1];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 1);
    kin__timers_set(&timers, &t[0], 10);
    assert_true(kin__timers_next(&timers) == 10);
    assert_null(kin__timers_pop(&timers, INT64_MIN));
    assert_null(kin__timers_pop(&timers, 9));
    assert_true(kin__timer_is_set(&t[0]));
    assert_ptr_equal(kin__timers_pop(&timers, 10), &t[0]);
    assert_null(kin__timers_pop(&timers, 10));
    assert_true(kin__timers_next(&timers) == INT64_MAX);
    kin__timers_done(&timers);
}

static void the_ends_of_time_are_deadlines_too(void **state)
{
    kin__timers timers;
    kin__timer t[4];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 4);
    kin__timers_set(&timers, &t[0], INT64_MAX);
    assert_true(kin__timers_next(&timers) == INT64_MAX);
    assert_null(kin__timers_pop(&timers, INT64_MAX - 1));
    kin__timers_set(&timers, &t[1], INT64_MIN);
    kin__timers_set(&timers, &t[2], 0);
    kin__timers_set(&timers, &t[3], -1);
    assert_true(kin__timers_next(&timers) == INT64_MIN);
    assert_ptr_equal(kin__timers_pop(&timers, INT64_MIN), &t[1]);
    assert_null(kin__timers_pop(&timers, INT64_MIN));
    assert_ptr_equal(kin__timers_pop(&timers, 0), &t[3]);
    assert_ptr_equal(kin__timers_pop(&timers, 0), &t[2]);
    assert_ptr_equal(kin__timers_pop(&timers, INT64_MAX), &t[0]);
    kin__timers_done(&timers);
}

static void timers_expire_by_deadline(void **state)
{
    kin__timers timers;
    kin__timer t[N];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, N);
    for (size_t i = 0; i < N; i++) /* 27 and 40 have no common divisor: each deadline once */
        assert_code(kin__timers_set(&timers, &t[i], (int64_t)(i * 27 % N)), 0);
    for (int64_t now = 0; now < N; now++) {
        assert_true(kin__timers_next(&timers) == now);
        kin__timer *popped = kin__timers_pop(&timers, now);
        assert_non_null(popped);
        assert_true(popped->deadline == now);
        assert_null(kin__timers_pop(&timers, now));
    }
    kin__timers_done(&timers);
}

static void equal_deadlines_expire_in_the_order_they_were_set(void **state)
{
    kin__timers timers;
    kin__timer t[N];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, N);
    for (size_t i = 0; i < N; i++)
        kin__timers_set(&timers, &t[i], 5);
    for (size_t i = 0; i < N; i++)
        assert_ptr_equal(kin__timers_pop(&timers, 5), &t[i]);
    kin__timers_done(&timers);
}

/* Setting it again, even to the same deadline, is setting it later. */
static void a_moved_timer_queues_behind_its_equals(void **state)
{
    kin__timers timers;
    kin__timer t[3];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 3);
    for (size_t i = 0; i < 3; i++)
        kin__timers_set(&timers, &t[i], 5);
    kin__timers_set(&timers, &t[0], 5);
    assert_ptr_equal(kin__timers_pop(&timers, 5), &t[1]);
    assert_ptr_equal(kin__timers_pop(&timers, 5), &t[2]);
    assert_ptr_equal(kin__timers_pop(&timers, 5), &t[0]);
    assert_null(kin__timers_pop(&timers, 5)); /* it was moved, not doubled */
    kin__timers_done(&timers);
}

static void a_timer_can_be_moved_either_way(void **state)
{
    kin__timers timers;
    kin__timer t[3];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 3);
    for (int i = 0; i < 3; i++)
        kin__timers_set(&timers, &t[i], 10 + i);
    kin__timers_set(&timers, &t[0], 20);
    assert_true(kin__timers_next(&timers) == 11);
    kin__timers_set(&timers, &t[2], 1);
    assert_true(kin__timers_next(&timers) == 1);
    assert_ptr_equal(kin__timers_pop(&timers, 100), &t[2]);
    assert_ptr_equal(kin__timers_pop(&timers, 100), &t[1]);
    assert_ptr_equal(kin__timers_pop(&timers, 100), &t[0]);
    kin__timers_done(&timers);
}

static void cancel_of_a_timer_that_is_not_set_does_nothing(void **state)
{
    kin__timers timers;
    kin__timer t[2];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 2);
    kin__timers_cancel(&timers, &t[0]);
    kin__timers_set(&timers, &t[1], 5);
    kin__timers_cancel(&timers, &t[0]);
    assert_true(kin__timers_next(&timers) == 5);
    kin__timers_cancel(&timers, &t[1]);
    kin__timers_cancel(&timers, &t[1]);
    assert_true(kin__timers_next(&timers) == INT64_MAX);
    kin__timers_done(&timers);
}

/* Each place of a heap of ten, the last one included, which nothing has to fill. */
static void cancel_works_at_every_place(void **state)
{
    (void)state;
    for (size_t victim = 0; victim < 10; victim++) {
        kin__timers timers;
        kin__timer t[10];

        kin__timers_init(&timers);
        init_timers(t, 10);
        for (size_t i = 0; i < 10; i++)
            kin__timers_set(&timers, &t[i], (int64_t)i);
        kin__timers_cancel(&timers, &t[victim]);
        for (size_t i = 0; i < 10; i++) {
            if (i != victim)
                assert_ptr_equal(kin__timers_pop(&timers, 100), &t[i]);
        }
        assert_null(kin__timers_pop(&timers, 100));
        kin__timers_done(&timers);
    }
}

/* The one that fills the gap may belong above it, in another branch of the heap. */
static void filling_a_gap_may_move_a_timer_up(void **state)
{
    /* In this order each timer stays where it is put; 7 fills the gap of 20, below 10. */
    static const int64_t deadlines[] = {1, 10, 2, 20, 11, 5, 3, 21, 22, 12, 13, 7};
    kin__timers timers;
    kin__timer t[kin__array_len(deadlines)];
    int64_t last = INT64_MIN;
    size_t n = 0;

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, kin__array_len(t));
    for (size_t i = 0; i < kin__array_len(t); i++)
        kin__timers_set(&timers, &t[i], deadlines[i]);
    kin__timers_cancel(&timers, &t[3]);
    for (kin__timer *popped; (popped = kin__timers_pop(&timers, 100)) != NULL; n++) {
        assert_true(popped->deadline >= last);
        last = popped->deadline;
    }
    assert_int_equal(n, kin__array_len(t) - 1);
    kin__timers_done(&timers);
}

/* --- memory --- */

static void a_timer_that_can_not_be_set_is_not_set(void **state)
{
    kin__timers timers;
    kin__timer t[N];
    size_t n = 0;

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, N);
    /* Until the heap is full and has to grow. */
    for (;; n++) {
        assert_true(n < N);
        kin_test_alloc_arm(n > 0 ? 1 : 0, KIN_TEST_FAIL_ONE);
        int code = kin__timers_set(&timers, &t[n], (int64_t)n);
        if (kin_test_alloc_disarm()) {
            assert_code(code, KIN_ENOMEM);
            break;
        }
        assert_code(code, 0);
    }
    assert_false(kin__timer_is_set(&t[n]));
    kin__timers_cancel(&timers, &t[n]);
    for (size_t i = 0; i < n; i++)
        assert_ptr_equal(kin__timers_pop(&timers, 100), &t[i]);
    assert_null(kin__timers_pop(&timers, 100));
    kin__timers_done(&timers);
}

static void moving_cancelling_and_popping_need_no_memory(void **state)
{
    kin__timers timers;
    kin__timer t[N];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, N);
    for (size_t i = 0; i < N; i++)
        kin__timers_set(&timers, &t[i], (int64_t)i);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (size_t i = 0; i < N; i++)
        assert_code(kin__timers_set(&timers, &t[i], (int64_t)(N - i)), 0);
    kin__timers_cancel(&timers, &t[3]);
    assert_ptr_equal(kin__timers_pop(&timers, 100), &t[N - 1]);
    kin_test_alloc_disarm();
    assert_int_equal(kin_test_alloc_count(), 0);
    kin__timers_done(&timers);
}

static void done_forgets_timers_that_may_be_gone_already(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__timers timers;
    kin__timer *gone = malloc(sizeof(*gone));
    kin__timer t[1];

    (void)state;
    assert_non_null(gone);
    kin__timers_init(&timers);
    kin__timer_init(gone);
    kin__timers_set(&timers, gone, 5);
    free(gone);
    kin__timers_done(&timers);
    assert_int_equal(kin_test_alloc_live(), before);

    /* And it can be used again. */
    assert_true(kin__timers_next(&timers) == INT64_MAX);
    init_timers(t, 1);
    assert_code(kin__timers_set(&timers, &t[0], 5), 0);
    assert_ptr_equal(kin__timers_pop(&timers, 5), &t[0]);
    kin__timers_done(&timers);
    assert_int_equal(kin_test_alloc_live(), before);
}

static int set_many(void *arg, kin_error *err)
{
    kin__timers timers;
    kin__timer t[N];
    int code = 0;

    (void)arg;
    kin__timers_init(&timers);
    init_timers(t, N);
    for (size_t i = 0; i < N && code == 0; i++)
        code = kin__timers_set(&timers, &t[i], (int64_t)(i % 7));
    while (kin__timers_pop(&timers, 3))
        ;
    kin__timers_done(&timers);
    return code == KIN_ENOMEM ? kin__error_no_memory(err) : code;
}

static void trim_gives_back_what_nobody_uses(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__timers timers;
    kin__timer t[2];

    (void)state;
    kin__timers_init(&timers);
    init_timers(t, 2);
    assert_code(kin__timers_reserve(&timers, N), 0);
    assert_code(kin__timers_set(&timers, &t[0], 10), 0);
    kin__timers_trim(&timers, 0); /* one is set */
    assert_ptr_equal(kin__timers_pop(&timers, 10), &t[0]);
    kin__timers_trim(&timers, timers.cap); /* it is not too much */
    assert_int_equal(kin_test_alloc_live(), before + 1);
    kin__timers_trim(&timers, N - 1);
    assert_int_equal(kin_test_alloc_live(), before);
    assert_code(kin__timers_set(&timers, &t[1], 20), 0);
    assert_ptr_equal(kin__timers_pop(&timers, 20), &t[1]);
    kin__timers_done(&timers);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(set_many, NULL);
}

#if KIN_DEBUG_CHECKS
static int cancel_in_the_wrong_set(void *arg)
{
    kin__timers sets[2];
    kin__timer t[2];

    (void)arg;
    init_timers(t, 2);
    for (int i = 0; i < 2; i++) {
        kin__timers_init(&sets[i]);
        if (kin__timers_set(&sets[i], &t[i], 5) < 0)
            return 1;
    }
    kin__timers_cancel(&sets[0], &t[1]);
    return 0;
}

static void cancelling_in_the_wrong_set_aborts_a_debug_build(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, cancel_in_the_wrong_set, NULL);
    assert_int_equal(child.signal, SIGABRT);
    assert_non_null(strstr(child.output, "== timer"));
}
#endif

/* --- model --- */

struct model_state {
    kin__timers timers;
    kin__timer t[N];
    struct {
        bool set;
        int64_t deadline;
        uint64_t order;
    } model[N];
    uint64_t order;
};

static void *model_new(uint64_t seed)
{
    struct model_state *s = calloc(1, sizeof(*s));

    (void)seed;
    if (s) {
        kin__timers_init(&s->timers);
        init_timers(s->t, N);
    }
    return s;
}

static void model_free(void *state)
{
    struct model_state *s = state;

    kin__timers_done(&s->timers);
    free(s);
}

/* The one that expires first, by looking at all of them; N if none is set. */
static size_t model_first(const struct model_state *s)
{
    size_t first = N;

    for (size_t i = 0; i < N; i++) {
        if (!s->model[i].set)
            continue;
        if (first == N || s->model[i].deadline < s->model[first].deadline ||
            (s->model[i].deadline == s->model[first].deadline &&
             s->model[i].order < s->model[first].order))
            first = i;
    }
    return first;
}

/* Few different ones, so that many are equal; the ends of the range now and then. */
static int64_t random_deadline(kin_test_rng *rng)
{
    switch (kin_test_below(rng, 40)) {
    case 0:
        return INT64_MIN;
    case 1:
        return INT64_MAX;
    default:
        return (int64_t)kin_test_below(rng, 20) - 10;
    }
}

static void model_set(struct model_state *s, size_t i, int64_t deadline)
{
    s->model[i].set = true;
    s->model[i].deadline = deadline;
    s->model[i].order = s->order++;
}

static const char *op_set(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    size_t i = kin_test_below(rng, N);
    int64_t deadline = random_deadline(rng);

    if (kin__timers_set(&s->timers, &s->t[i], deadline) != 0)
        return "set failed";
    model_set(s, i, deadline);
    return NULL;
}

static const char *op_set_without_memory(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    size_t i = kin_test_below(rng, N);
    int64_t deadline = random_deadline(rng);

    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    int code = kin__timers_set(&s->timers, &s->t[i], deadline);
    bool failed = kin_test_alloc_disarm();
    if (failed && s->model[i].set)
        return "moving wanted memory";
    if (code != (failed ? KIN_ENOMEM : 0))
        return "another code";
    if (!failed)
        model_set(s, i, deadline);
    return NULL;
}

static const char *op_cancel(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    size_t i = kin_test_below(rng, N);

    kin__timers_cancel(&s->timers, &s->t[i]);
    s->model[i].set = false;
    return NULL;
}

static const char *op_pop(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    int64_t now = random_deadline(rng);
    size_t first = model_first(s);
    bool is_due = first < N && s->model[first].deadline <= now;

    if (kin__timers_pop(&s->timers, now) != (is_due ? &s->t[first] : NULL))
        return "another timer was popped";
    if (is_due)
        s->model[first].set = false;
    return NULL;
}

static const char *op_pop_all(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;

    (void)rng;
    for (size_t first; (first = model_first(s)) < N;) {
        if (kin__timers_pop(&s->timers, INT64_MAX) != &s->t[first])
            return "another timer was popped";
        s->model[first].set = false;
    }
    return kin__timers_pop(&s->timers, INT64_MAX) ? "one timer too many" : NULL;
}

static const char *model_check(void *state)
{
    struct model_state *s = state;
    size_t first = model_first(s);
    int64_t next = first < N ? s->model[first].deadline : INT64_MAX;

    if (kin__timers_next(&s->timers) != next)
        return "the next deadline differs";
    for (size_t i = 0; i < N; i++) {
        if (kin__timer_is_set(&s->t[i]) != s->model[i].set)
            return "a timer does not know whether it is set";
    }
    return NULL;
}

static void timers_behave_like_a_plain_array(void **state)
{
    static const kin_test_op ops[] = {
        {"set", 60, op_set},        {"set_without_memory", 5, op_set_without_memory},
        {"cancel", 25, op_cancel},  {"pop", 20, op_pop},
        {"pop_all", 1, op_pop_all},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = model_free,
        .check = model_check,
    };

    (void)state;
    kin_test_run_model(&model, 300, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_is_never_due),
        cmocka_unit_test(a_timer_knows_whether_it_is_set),
        cmocka_unit_test(a_timer_is_due_at_its_deadline_and_not_before),
        cmocka_unit_test(the_ends_of_time_are_deadlines_too),
        cmocka_unit_test(timers_expire_by_deadline),
        cmocka_unit_test(equal_deadlines_expire_in_the_order_they_were_set),
        cmocka_unit_test(a_moved_timer_queues_behind_its_equals),
        cmocka_unit_test(a_timer_can_be_moved_either_way),
        cmocka_unit_test(cancel_of_a_timer_that_is_not_set_does_nothing),
        cmocka_unit_test(cancel_works_at_every_place),
        cmocka_unit_test(filling_a_gap_may_move_a_timer_up),
        cmocka_unit_test(a_timer_that_can_not_be_set_is_not_set),
        cmocka_unit_test(moving_cancelling_and_popping_need_no_memory),
        cmocka_unit_test(done_forgets_timers_that_may_be_gone_already),
        cmocka_unit_test(trim_gives_back_what_nobody_uses),
        cmocka_unit_test(every_allocation_may_fail),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(cancelling_in_the_wrong_set_aborts_a_debug_build),
#endif
        cmocka_unit_test(timers_behave_like_a_plain_array),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
