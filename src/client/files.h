/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that settings name.
 */
#ifndef KIN_CLIENT_FILES_H
#define KIN_CLIENT_FILES_H

#include "client/secret.h"
#include "kinform/error.h"

/*
 * Read a whole file, a pipe too, of at most `limit` bytes; all copies but the result are wiped.
 * 0, KIN_ENOTFOUND (it does not exist), KIN_ELIMIT, KIN_ESYSTEM, KIN_ENOMEM. The message names it.
 */
int kin__file_read(kin__secret *ret, const char *path, size_t limit, kin_error *err);

/* errno of opening it for reading, or 0. */
int kin__file_check(const char *path);

/*
 * A path that stands in a file, as it is meant: relative to the file's folder, and absolute. OWNED.
 * 0, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__file_resolve(char **ret, const char *file, const char *path, kin_error *err);

#endif
