/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <string.h>

#include "base/process.h"
#include "base/thread.h"
#include "child.h"
#include "latch.h"

static int check_in_child(void *arg)
{
    kin_error err = KIN_ERROR_INIT;
    kin__fork_guard own;

    if (kin__fork_guard_check(arg, &err) != KIN_EFORKED || err.code != KIN_EFORKED)
        return 1;
    if (!(err.flags & KIN_ERROR_FATAL) || !strstr(err.message, "fork"))
        return 2;
    /* What the child makes itself is its own, and its children notice again. */
    if (kin__fork_guard_init(&own, &err) < 0 || kin__fork_guard_check(&own, &err) < 0)
        return 3;
    return 0;
}

static void a_guard_holds_in_its_own_process_only(void **state)
{
    kin__fork_guard guard;
    kin_test_child child;

    (void)state;
    assert_code(kin__fork_guard_init(&guard, NULL), 0);
    assert_code(kin__fork_guard_check(&guard, NULL), 0);
    kin_test_run_child(&child, check_in_child, &guard);
    assert_int_equal(child.exit_code, 0);
    assert_code(kin__fork_guard_check(&guard, NULL), 0);
}

static int grandchild(void *arg)
{
    return kin__fork_guard_check(arg, NULL) == KIN_EFORKED ? 0 : 1;
}

static int fork_again(void *arg)
{
    kin__fork_guard own;
    kin_test_child child;

    kin__fork_guard_init(&own, NULL);
    kin_test_run_child(&child, grandchild, arg); /* the first process's guard */
    if (child.exit_code != 0)
        return 1;
    kin_test_run_child(&child, grandchild, &own);
    return child.exit_code;
}

static void grandchildren_notice_too(void **state)
{
    kin__fork_guard guard;
    kin_test_child child;

    (void)state;
    assert_code(kin__fork_guard_init(&guard, NULL), 0);
    kin_test_run_child(&child, fork_again, &guard);
    assert_int_equal(child.exit_code, 0);
}

struct worker {
    kin__thread thread;
    kin_test_latch started;
    kin_test_latch stop;
};

static void work(void *arg)
{
    struct worker *w = arg;

    kin_test_latch_raise(&w->started);
    kin_test_latch_wait(&w->stop, 1);
}

static int join_in_child(void *arg)
{
    struct worker *w = arg;
    kin_error err = KIN_ERROR_INIT;

    return kin__thread_join(&w->thread, &err) == KIN_EFORKED && err.code == KIN_EFORKED ? 0 : 1;
}

static void joining_a_thread_of_the_parent_does_not_hang(void **state)
{
    struct worker w = {.thread = KIN__THREAD_INIT};
    kin_test_child child;

    (void)state;
    kin_test_latch_init(&w.started);
    kin_test_latch_init(&w.stop);
    assert_code(kin__thread_start(&w.thread, "kin-worker", work, &w, NULL), 0);
    kin_test_latch_wait(&w.started, 1);
    kin_test_run_child(&child, join_in_child, &w);
    assert_int_equal(child.exit_code, 0);
    kin_test_latch_raise(&w.stop);
    assert_code(kin__thread_join(&w.thread, NULL), 0);
    kin_test_latch_done(&w.started);
    kin_test_latch_done(&w.stop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guard_holds_in_its_own_process_only),
        cmocka_unit_test(grandchildren_notice_too),
        cmocka_unit_test(joining_a_thread_of_the_parent_does_not_hang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
