/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of an ordered FIFO: order over growth and shrinking, room that is given back, and memory
 * that is not there.
 */
#include "kin_test.h"

#include "alloc.h"
#include "cache/ring.h"
#include "rng.h"

static void push(kin__ring *ring, uint32_t number)
{
    assert_code(kin__ring_reserve(ring, 1), 0);
    kin__ring_push(ring, (kin__ring_item){NULL, "", NULL, number, 0, 1});
}

static void order_is_kept_over_all_sizes(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};
    kin_test_rng rng = {42};
    uint32_t first = 0;
    uint32_t next = 0;

    (void)state;
    for (unsigned phase = 0; phase < 60; phase++) {
        /* Phases of growth and of drought, so that it shrinks in between. */
        size_t target = phase % 3 == 0 ? 5000 : 5;

        for (unsigned i = 0; i < 3000; i++) {
            if (ring.len < target * 2 && kin_test_below(&rng, 2 * target) >= ring.len)
                for (size_t n = kin_test_below(&rng, 8); n > 0; n--)
                    push(&ring, next++);
            else
                for (size_t n = kin_test_below(&rng, 8); n > 0 && ring.len > 0; n--) {
                    assert_int_equal(kin__ring_at(&ring, 0)->hash, first++);
                    kin__ring_drop(&ring, 1);
                }
        }
        assert_int_equal(ring.len, next - first);
        for (size_t i = 0; i < ring.len; i++)
            assert_int_equal(kin__ring_at(&ring, i)->hash, first + i);
    }
    kin__ring_done(&ring);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void room_that_was_not_needed_for_long_is_given_back(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};
    size_t large;

    (void)state;
    for (uint32_t i = 0; i < 100000; i++)
        push(&ring, i);
    large = ring.cap;
    assert_true(large >= 100000);
    kin__ring_drop(&ring, 100000);
    /* Not at once ... */
    for (uint32_t i = 0; i < 500; i++) {
        push(&ring, i);
        kin__ring_drop(&ring, 1);
    }
    assert_int_equal(ring.cap, large);
    /* ... but after a while. */
    for (uint32_t i = 0; i < 2000; i++) {
        push(&ring, i);
        kin__ring_drop(&ring, 1);
    }
    assert_int_equal(ring.cap, 16);
    kin__ring_done(&ring);
}

static void room_that_is_needed_now_and_then_stays(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};
    size_t large;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        push(&ring, i);
    large = ring.cap;
    kin__ring_drop(&ring, 1000);
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    for (unsigned round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < 200; i++)
            push(&ring, i);
        kin__ring_drop(&ring, 200);
        for (uint32_t i = 0; i < 500; i++) {
            push(&ring, i);
            kin__ring_drop(&ring, 1);
        }
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    assert_int_equal(ring.cap, large);
    kin__ring_done(&ring);
}

static void a_small_ring_stays_as_it_is(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};

    (void)state;
    push(&ring, 0);
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    for (uint32_t i = 1; i < 10000; i++) {
        push(&ring, i);
        kin__ring_drop(&ring, 1);
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    kin__ring_done(&ring);
}

static void without_memory_nothing_changes(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};
    size_t cap;

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin__ring_reserve(&ring, 1), KIN_ENOMEM);
    kin_test_alloc_disarm();
    for (uint32_t i = 0; i < 5000; i++)
        push(&ring, i);
    cap = ring.cap;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin__ring_reserve(&ring, cap), KIN_ENOMEM);
    assert_code(kin__ring_reserve(&ring, SIZE_MAX), KIN_ENOMEM);
    assert_int_equal(ring.len, 5000);
    assert_int_equal(kin__ring_at(&ring, 4999)->hash, 4999);
    /* To shrink needs memory too; to go on does not. */
    for (uint32_t i = 0; i < 4999; i++) {
        assert_int_equal(kin__ring_at(&ring, 0)->hash, i);
        kin__ring_drop(&ring, 1);
    }
    for (uint32_t i = 0; i < 3000; i++) {
        push(&ring, i);
        kin__ring_drop(&ring, 1);
    }
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(ring.cap, cap);
    kin__ring_done(&ring);
}

static void many_are_forgotten_at_once(void **state)
{
    kin__ring ring = {NULL, 0, 0, 0, 0, 0};

    (void)state;
    for (uint32_t round = 0; round < 1000; round++) {
        for (uint32_t i = 0; i < 13; i++)
            push(&ring, round * 13 + i);
        assert_int_equal(kin__ring_at(&ring, 0)->hash, round * 13);
        kin__ring_drop(&ring, 13);
    }
    assert_int_equal(ring.cap, 16);
    kin__ring_done(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept_over_all_sizes),
        cmocka_unit_test(room_that_was_not_needed_for_long_is_given_back),
        cmocka_unit_test(room_that_is_needed_now_and_then_stays),
        cmocka_unit_test(a_small_ring_stays_as_it_is),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(many_are_forgotten_at_once),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
