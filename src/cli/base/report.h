/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command says besides its output: one line on standard error that says what is wrong and
 * what to do about it, and the exit status that goes with it.
 */
#ifndef KIN_CLI_BASE_REPORT_H
#define KIN_CLI_BASE_REPORT_H

#include <stdio.h>

#include "cli/base/exit_status.h"
#include "kinform/error.h"

/*
 * A line on standard error, which is what all of these write. Texts of servers and files may be in it: what
 * could make a terminal do things is escaped.
 */
void tell(const char *fmt, ...) KIN_PRINTF(1, 2);
/* "kinform: …". Returns `status`. */
int report(int status, const char *fmt, ...) KIN_PRINTF(2, 3);
/* Wrong usage: also says how to ask for help. Returns EXIT_USAGE. */
int report_usage(const char *command, const char *fmt, ...) KIN_PRINTF(2, 3);
/* What the library says, and what to do about it. Returns the status for it. */
int report_error(const kin_error *err);
/* The exit status for a code of the library. */
int exit_status_of(int code);

/* Write all of it to standard output. EXIT_OK, or EXIT_FAILED and a line. */
int output_write(kin_str s);
/* Say that it cannot be, by this errno. EXIT_FAILED. */
int output_failed(int error);
/* What is buffered. EXIT_OK, or EXIT_FAILED and a line; `status` if that is worse. */
int output_end(int status);

/* Whether it is a terminal that understands more than lines, by TERM. */
bool is_screen(FILE *file);
/* "auto", "always", "never" or NULL as of --color: whether to colour what goes to this file. */
bool color_wanted(const char *when, FILE *file);

#endif
