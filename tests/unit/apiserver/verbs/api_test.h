/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests that have an API each: it is made before the test, gone behind it, and no memory is left.
 */
#ifndef KIN_TEST_API_TEST_H
#define KIN_TEST_API_TEST_H

#include "alloc.h"
#include "api_support.h"

#define HAS kin_test_assert_has
#define HAS_NOT kin_test_assert_has_not

static kin_test_api api;

static inline int kin_test_api_set_up(void **unused)
{
    (void)unused;
    kin_test_api_start(&api, NULL);
    return 0;
}

static inline int kin_test_api_tear_down(void **unused)
{
    (void)unused;
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, kin_test_api_set_up, kin_test_api_tear_down)

#endif
