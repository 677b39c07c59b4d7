/* SPDX-License-Identifier: Apache-2.0 */
/* A command that has no memory left says so, tidies up, and ends. */
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cli/base/exit_status.h"
#include "cli/base/text.h"
#include "kin_test.h"

static void tidy_up(void)
{
    (void)!write(STDERR_FILENO, "tidied up\n", 10);
}

static int resize(void *arg)
{
    (void)arg;
    return memory_resize(NULL, SIZE_MAX / 4, 2) != NULL;
}

/* More bytes than can be counted. */
static int overflow(void *arg)
{
    (void)arg;
    return memory_zeroed(SIZE_MAX / 2, 3) != NULL;
}

static int grow(void *arg)
{
    struct text t = TEXT_INIT;

    (void)arg;
    text_add_n(&t, 'x', SIZE_MAX / 4);
    return 0;
}

static int with_something_to_tidy_up(void *arg)
{
    int (*fn)(void *) = *(int (**)(void *))arg;

    memory_at_end = tidy_up;
    return fn(NULL);
}

static void expect_end(int (*fn)(void *))
{
    kin_test_child child;

    kin_test_run_child(&child, fn, NULL);
    assert_int_equal(child.exit_code, EXIT_FAILED);
    assert_non_null(strstr(child.output, "kinform: out of memory\n"));
    assert_null(strstr(child.output, "tidied up"));
    kin_test_run_child(&child, with_something_to_tidy_up, &fn);
    assert_int_equal(child.exit_code, EXIT_FAILED);
    assert_non_null(strstr(child.output, "tidied up\nkinform: out of memory\n"));
}

static void without_memory_it_tidies_up_and_ends(void **state)
{
    (void)state;
    expect_end(resize);
    expect_end(overflow);
    expect_end(grow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_it_tidies_up_and_ends),
    };

    return cmocka_run_group_tests_name("cli memory", tests, NULL, NULL);
}
