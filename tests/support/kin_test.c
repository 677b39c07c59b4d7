/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

void kin_test_assert_code(int actual, int expected, const char *expression, const char *file,
                          int line)
{
    if (actual == expected)
        return;
    print_error("%s gave %d (%s), not %d (%s)\n", expression, actual, kin_error_name(actual),
                expected, kin_error_name(expected));
    _fail(file, line);
}
