/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with files, and an environment without settings, for tests of configurations.
 */
#ifndef KIN_TEST_CONFIG_SUPPORT_H
#define KIN_TEST_CONFIG_SUPPORT_H

#include <stddef.h>

/* A new, empty folder; nothing in the environment. cmocka's set-up and teardown functions. */
int kin_test_folder_setup(void **state);
int kin_test_folder_teardown(void **state);

/* The absolute path of a name in the folder; BORROWED until eight others were asked for. */
const char *kin_test_path(const char *name);
/* Write a file, its folders made where they are missing; its path as above. */
const char *kin_test_write(const char *name, const char *text);

#endif
