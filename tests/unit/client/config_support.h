/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder with files, and an environment without settings, for tests of configurations.
 */
#ifndef KIN_TEST_CONFIG_SUPPORT_H
#define KIN_TEST_CONFIG_SUPPORT_H

#include "kin_test.h"
#include "kinform/config.h"

/* A new, empty folder; nothing in the environment. cmocka's set-up and teardown functions. */
int kin_test_folder_setup(void **state);
int kin_test_folder_teardown(void **state);
#define config_test(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, kin_test_folder_setup, kin_test_folder_teardown)

/* The absolute path of a name in the folder; BORROWED until eight others were asked for. */
const char *kin_test_path(const char *name);
/* Write a file, its folders made where they are missing; its path as above. */
const char *kin_test_write(const char *name, const char *text);

/* kin_config_new() or kin_config_load(). */
typedef int config_fn(kin_config **ret, const kin_config_options *options, kin_error *err);

/* What it makes; kin_config_unref(). */
kin_config *config_made(config_fn *fn, const kin_config_options *options);
/* It refuses: with a code, a message that has this in it, and no secret ("hush"). */
void config_refused(config_fn *fn, const kin_config_options *options, int code,
                    const char *message);

#endif
