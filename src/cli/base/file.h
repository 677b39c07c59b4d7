/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the command reads, and folders that it makes. */
#ifndef KIN_CLI_BASE_FILE_H
#define KIN_CLI_BASE_FILE_H

#include "cli/base/text.h"
#include "kinform/error.h"

/* All of a file, 64 MiB at most. 0, KIN_ENOTFOUND, KIN_ELIMIT, KIN_ESYSTEM. */
int file_read(struct text *out, const char *path, kin_error *err);
/* Whether a file can be made at this path, or be replaced there. 0, KIN_ENOTFOUND, KIN_ESYSTEM. */
int file_check_folder(const char *path, kin_error *err);
/*
 * The path from the root on, with links resolved; its last part need not exist. In a folder that
 * others can write to, such as the shared temporary one, a link may be another user's trap: links
 * that belong neither to us nor to root are refused. 0, KIN_ENOTFOUND, KIN_EINVAL, KIN_ESYSTEM.
 */
int file_resolve(struct text *out, const char *path, kin_error *err);
/* The path from the root on; links stay in it. 0, KIN_ESYSTEM. */
int file_absolute(struct text *out, const char *path, kin_error *err);
/* A new folder that only we can look into, from the root on. OWNED, free(). 0, KIN_ENOTFOUND, KIN_ESYSTEM. */
int file_temporary_folder(char **ret, kin_error *err);

#endif
