/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compact JSON made readable, as it comes by: for clients that ask for ?pretty=true.
 */
#ifndef KIN_APISERVER_INDENT_H
#define KIN_APISERVER_INDENT_H

#include "base/buf.h"

/* All zero at the beginning of a text. */
typedef struct kin__indent {
    unsigned depth;
    bool is_in_string;
    bool is_escaped;
    bool is_open; /* a map or array has just begun */
} kin__indent;

/* Append a piece of well-formed JSON, of which the next piece may begin anywhere. */
void kin__indent_append(kin__indent *indent, kin__buf *out, kin_str compact);

#endif
