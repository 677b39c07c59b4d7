/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that tests make for themselves.
 */
#ifndef KIN_TEST_FOLDER_H
#define KIN_TEST_FOLDER_H

/* Remove a folder with all that is in it; 0 or -1. */
int kin_test_folder_remove(const char *path);

#endif
