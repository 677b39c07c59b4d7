/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compact JSON made readable, as it comes by: for clients that ask for ?pretty=true.
 *
 * Deep texts of tiny values would become hundreds of times as long. Once there is as much white space
 * as kin__indent_max() allows, line ends are left out until the text has caught up.
 */
#ifndef KIN_APISERVER_PROTOCOL_INDENT_H
#define KIN_APISERVER_PROTOCOL_INDENT_H

#include "base/buf.h"

/* All zero at the beginning of a text. */
typedef struct kin__indent {
    unsigned depth;
    bool is_in_string;
    bool is_escaped;
    bool is_open;    /* a map or array has just begun */
    size_t n_spaces; /* bytes of white space so far */
    size_t n_text;   /* bytes of the compact text so far */
} kin__indent;

/* White space for a compact text of this length, at most. */
static inline size_t kin__indent_max(size_t len)
{
    return ((size_t)64 << 10) + 8 * len;
}

/* Append a piece of well-formed JSON, of which the next piece may begin anywhere. */
void kin__indent_append(kin__indent *indent, kin__buf *out, kin_str compact);

#endif
