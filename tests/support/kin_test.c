/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <sched.h>
#include <time.h>

void kin_test_assert_code(int actual, int expected, const char *expression, const char *file,
                          int line)
{
    if (actual == expected)
        return;
    print_error("%s gave %d (%s), not %d (%s)\n", expression, actual, kin_error_name(actual),
                expected, kin_error_name(expected));
    _fail(file, line);
}

static int64_t real_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t kin_test_deadline(void)
{
    return real_ns() + (int64_t)KIN_TEST_TIMEOUT_MS * 1000000;
}

bool kin_test_wait_turn(int64_t deadline)
{
    sched_yield();
    return real_ns() < deadline;
}
