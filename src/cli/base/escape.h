/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from other sides, made harmless for a terminal. Control characters can command it. Hidden characters, such as
 * zero-width spaces and overrides of the text direction, make one text look like another.
 */
#ifndef KIN_CLI_BASE_ESCAPE_H
#define KIN_CLI_BASE_ESCAPE_H

#include "cli/base/text.h"

/* The first character of a text that is not empty, and its length. -1 and one byte if it is not UTF-8. */
long text_char(kin_str s, size_t *ret_len);
/* Whether it is invisible, reorders text, or ends a line although it is not a control character. */
bool char_is_hidden(long c);

/* With control and hidden characters as \n, \t, \x1b, \u202e and \U000e0001. */
void add_escaped(struct text *out, kin_str s);
/* The same, but line ends and tabs stay. */
void add_escaped_lines(struct text *out, kin_str s);
/*
 * A document with DEL and U+0080 to U+009f as \u007f, which is the same value to every program. `with_hidden`: hidden
 * characters as well.
 */
void add_json_escaped(struct text *out, kin_str json, bool with_hidden);

#endif
