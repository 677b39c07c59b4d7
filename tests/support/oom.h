/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory, everywhere: run a scenario once for each allocation it makes, and fail
 * that one. Then again, and fail that one and all behind it.
 *
 * Whatever fails, the scenario must return (not crash), return 0 or KIN_ENOMEM, fill in
 * the error if it failed, and leave no allocation behind.
 */
#ifndef KIN_TEST_OOM_H
#define KIN_TEST_OOM_H

#include "kinform/error.h"

/* Builds something up, uses it, takes it down. May be run any number of times. */
typedef int kin_test_scenario(void *arg, kin_error *err);

/* cmocka's fail() if the scenario breaks a rule above. kin_test_alloc_install() was called. */
void kin_test_fail_each_allocation(kin_test_scenario *scenario, void *arg);

/* The same for tests of the frame: NULL, or what is wrong, in `text`. */
const char *kin_test_find_oom_defect(kin_test_scenario *scenario, void *arg, char *text,
                                     size_t size);

#endif
