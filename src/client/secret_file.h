/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that hold secrets.
 */
#ifndef KIN_CLIENT_SECRET_FILE_H
#define KIN_CLIENT_SECRET_FILE_H

#include "client/secret.h"
#include "kinform/error.h"

/* No token, certificate or bundle of CAs is longer. */
#define KIN__SECRET_FILE_MAX ((size_t)1 << 20)

/*
 * Read a file whole. 0, KIN_ELIMIT (longer than KIN__SECRET_FILE_MAX), KIN_ESYSTEM (err->os_error says
 * why), KIN_ENOMEM; the message names the file, and `ret` is untouched. What was read is wiped.
 */
int kin__secret_file_read(kin__secret *ret, const char *path, kin_error *err);

/* The same of a file that is open, with a limit of its own; `path` is for messages. */
int kin__secret_read(kin__secret *ret, int fd, const char *path, size_t limit, kin_error *err);

#endif
