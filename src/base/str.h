/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String views: comparing, cutting, parsing. The type and its constructors are public
 * (kinform/common.h). Nothing here allocates, and nothing depends on the locale.
 */
#ifndef KIN_BASE_STR_H
#define KIN_BASE_STR_H

#include "kinform/common.h"

/* clang-format off */
/* A view of a literal, usable in constants. */
#define KIN__STR(literal) {"" literal, sizeof(literal) - 1}
/* clang-format on */

static inline bool kin__is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Order by bytes, a prefix before the longer: <0, 0, >0. */
int kin__str_compare(kin_str a, kin_str b);
bool kin__str_starts_with(kin_str s, kin_str prefix);
bool kin__str_ends_with(kin_str s, kin_str suffix);
/* Index of the first `c`, or s.len. */
size_t kin__str_find(kin_str s, char c);
/* Without spaces, tabs and line ends at both ends. */
kin_str kin__str_trim(kin_str s);

/*
 * Cut at the first `separator`: *ret_head is what stands before it, *rest what is
 * behind it. Without a separator all is head and the rest has data NULL. False when
 * *rest has data NULL to begin with, so that a loop sees each part once, empty ones too.
 */
bool kin__str_cut(kin_str *rest, char separator, kin_str *ret_head);

/*
 * Parse a whole decimal number: an optional '-' (signed only), digits, nothing else.
 * 0, KIN_EPARSE (not a number), KIN_ELIMIT (does not fit). Untouched on failure.
 */
int kin__str_to_i64(int64_t *ret, kin_str s);
int kin__str_to_u64(uint64_t *ret, kin_str s);

#endif
