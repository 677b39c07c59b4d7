/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library's sides of the oracles have in common: a line in is a line out, written out before
 * the next is read, so that after a crash the runner can name the line that caused it.
 */
#ifndef KIN_ORACLE_LINES_H
#define KIN_ORACLE_LINES_H

#include <stddef.h>

#include <kinform/value.h>

/* What nobody should have asked, or a failure that is none of the answers; `detail` may be NULL. */
_Noreturn void lines_die(const char *what, const char *detail);

/* Until the input ends. The line is terminated, has no end, and may be written to. */
void lines_serve(void (*answer)(char *line, void *arg), void *arg);

/* The same for lines that are JSON objects. */
void lines_serve_json(void (*answer)(kin_value request));

#endif
