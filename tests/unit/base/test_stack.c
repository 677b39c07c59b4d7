/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing stack.
 */
#include "kin_test.h"

#include "alloc.h"
#include "base/stack.h"

/* Of a size that is no power of two. */
struct item {
    size_t value;
    char more[5];
};

static void push_value(kin__stack *stack, size_t value)
{
    struct item *item = kin__stack_push(stack);

    assert_non_null(item);
    assert_ptr_equal(kin__stack_top(stack), item);
    if (item)
        item->value = value;
}

static void items_come_back_in_the_opposite_order(void **state)
{
    enum { N = 1000 };
    size_t before = kin_test_alloc_live();
    kin__stack stack;

    (void)state;
    kin__stack_init(&stack, sizeof(struct item));
    assert_int_equal(stack.len, 0);
    assert_int_equal(kin_test_alloc_live(), before); /* an empty one costs nothing */
    for (size_t i = 0; i < N; i++) {
        push_value(&stack, i);
        assert_int_equal(stack.len, i + 1);
    }
    for (size_t i = N; i-- > 0;) {
        const struct item *top = kin__stack_top(&stack);
        const struct item *item = kin__stack_pop(&stack);

        assert_ptr_equal(top, item);
        assert_int_equal(item->value, i);
        assert_int_equal(stack.len, i);
    }
    kin__stack_done(&stack);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void without_memory_nothing_changes(void **state)
{
    kin__stack stack;

    (void)state;
    kin__stack_init(&stack, sizeof(struct item));
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_null(kin__stack_push(&stack));
    kin_test_alloc_disarm();
    assert_int_equal(stack.len, 0);
    do
        push_value(&stack, 7 + stack.len);
    while (stack.len < stack.cap);

    size_t len = stack.len;

    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_null(kin__stack_push(&stack));
    kin_test_alloc_disarm();
    assert_int_equal(stack.len, len);
    assert_int_equal(((const struct item *)stack.items)->value, 7);
    kin__stack_done(&stack);
}

static void done_leaves_a_new_stack(void **state)
{
    kin__stack stack;

    (void)state;
    kin__stack_init(&stack, sizeof(size_t));
    kin__stack_done(&stack);
    assert_non_null(kin__stack_push(&stack));
    kin__stack_done(&stack);
    assert_int_equal(stack.len, 0);
    assert_non_null(kin__stack_push(&stack));
    assert_int_equal(stack.len, 1);
    kin__stack_done(&stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_back_in_the_opposite_order),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(done_leaves_a_new_stack),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
