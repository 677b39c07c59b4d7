/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and growing strings of the command.
 *
 * A command that has no memory left has nothing better to do than to say so and end: these
 * functions never fail, and their callers have no path for it.
 */
#ifndef KIN_CLI_BASE_TEXT_H
#define KIN_CLI_BASE_TEXT_H

#include <stdarg.h>

#include "kinform/common.h"

/* Called before that end, without any memory to be had; NULL: there is nothing to tidy up. */
extern void (*memory_at_end)(void);
/* There is none left: says so, and ends. For those who are told so by the library. */
_Noreturn void memory_end(void);

/* An array of `n` items of `size` bytes, grown from what it was; NULL: a new one. OWNED, free(). */
void *memory_resize(void *ptr, size_t n, size_t size);
/* `n` items of `size` bytes, all zero. OWNED, free(). */
void *memory_zeroed(size_t n, size_t size);
/* Terminated. OWNED, free(). */
char *memory_copy(kin_str s);

/* A growing string, always terminated once something was added. TEXT_INIT; text_done(). */
struct text {
    char *data; /* NULL: nothing was added yet */
    size_t len;
    size_t cap;
};

/* clang-format off */
#define TEXT_INIT {NULL, 0, 0}
/* clang-format on */

void text_done(struct text *t);
void text_clear(struct text *t);
void text_add(struct text *t, kin_str s);
void text_add_string(struct text *t, const char *s);
void text_add_char(struct text *t, char c);
void text_add_n(struct text *t, char c, size_t n);
/* ASCII letters in lower case. */
void text_add_lower(struct text *t, kin_str s);
void text_format(struct text *t, const char *fmt, ...) KIN_PRINTF(2, 3);
/* What is in it, BORROWED until it changes. */
kin_str text_view(const struct text *t);
/* The same, terminated; "" if nothing was added. */
const char *text_string(const struct text *t);

#endif
