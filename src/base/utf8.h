/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8, as Unicode defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
 */
#ifndef KIN_BASE_UTF8_H
#define KIN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed character at p (1 to 4), or 0 if there is none within n bytes. */
size_t kin__utf8_char_len(const char *p, size_t n);

/*
 * Whether the well-formed character at p is invisible, reorders text, or separates lines although it is not a control
 * character: Unicode's Default_Ignorable_Code_Point, U+2028, U+2029 and U+FFF9 to U+FFFB.
 */
bool kin__utf8_is_hidden(const char *p, size_t len);

/* How many of the n bytes, from the first, are well-formed characters: n if all are. */
size_t kin__utf8_valid_len(const char *p, size_t n);

/* Whether all n bytes are well-formed characters. */
bool kin__utf8_check(const char *p, size_t n);

/* The longest length <= n that does not end inside a character of a well-formed text. */
size_t kin__utf8_cut(const char *p, size_t n);

#endif
