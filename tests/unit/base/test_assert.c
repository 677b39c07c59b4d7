/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <signal.h>
#include <string.h>

#include "base/assert.h"
#include "child.h"

static int panic_shortly(void *arg)
{
    (void)arg;
    kin__panic("file.c", 12, "%d is %s", 7, "wrong");
}

static int panic_at_length(void *arg)
{
    char text[2000];

    (void)arg;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    kin__panic("file.c", 12, "%s", text);
}

static void a_panic_says_where_and_why_and_aborts(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, panic_shortly, NULL);
    assert_int_equal(child.signal, SIGABRT);
    assert_string_equal(child.output, "kinform: file.c:12: 7 is wrong\n");
}

static void a_long_reason_is_cut_and_still_a_line(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, panic_at_length, NULL);
    assert_int_equal(child.signal, SIGABRT);
    assert_int_equal(strlen(child.output), 512);
    assert_int_equal(child.output[510], 'x');
    assert_int_equal(child.output[511], '\n');
}

static int evaluated;

static int assert_something(void *arg)
{
    kin__assert(++evaluated == *(int *)arg);
    return 0;
}

/* In a release build the condition is not even looked at. */
static void an_assertion_costs_nothing_where_checks_are_off(void **state)
{
    int expected = 1;
    int wrong = 2;
    kin_test_child child;

    (void)state;
    evaluated = 0;
    assert_int_equal(assert_something(&expected), 0);
    assert_int_equal(evaluated, KIN_DEBUG_CHECKS);
    evaluated = 0;
    kin_test_run_child(&child, assert_something, &wrong);
    assert_int_equal(child.signal, KIN_DEBUG_CHECKS ? SIGABRT : 0);
    assert_int_equal(strstr(child.output, "assertion failed: ++evaluated == ") != NULL,
                     KIN_DEBUG_CHECKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panic_says_where_and_why_and_aborts),
        cmocka_unit_test(a_long_reason_is_cut_and_still_a_line),
        cmocka_unit_test(an_assertion_costs_nothing_where_checks_are_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
