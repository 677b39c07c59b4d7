/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal as a screen to draw on: the alternate one, so that what was there comes back, with keys as they
 * are pressed. There is one terminal, so there is no object for it. One thread.
 *
 * Nothing here waits for a terminal that does not read: what it does not take is kept, and
 * terminal_flush() goes on when poll() says so.
 */
#ifndef KIN_CLI_TERMINAL_H
#define KIN_CLI_TERMINAL_H

#include "cli/base/text.h"
#include "kinform/error.h"

/* Standard input and output are one that can be drawn on, and are ours to use. */
bool terminal_is_there(void);

/* 0, KIN_ESYSTEM. Ctrl-C is a key from now on: KEY_END. */
int terminal_enter(kin_error *err);
/* As it was. Nothing to do if it was not entered; safe in a signal handler. */
void terminal_leave(void);

/* For poll(): POLLIN, and POLLOUT if terminal_is_behind(). */
int terminal_fd(void);
void terminal_size(size_t *ret_rows, size_t *ret_columns);

/* Lines with \n between them. What is on the screen already is not written again. */
void terminal_show(kin_str frame, size_t columns);
/* The next frame is written whole: the screen may show anything. */
void terminal_forget(void);
bool terminal_is_behind(void);
/* 0, or KIN_ESYSTEM: it is gone. */
int terminal_flush(void);

enum { KEY_NONE = 0, KEY_END = 3, KEY_GONE = -1 };
/* The next key that was pressed. */
int terminal_key(void);

#endif
