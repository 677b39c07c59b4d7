/* SPDX-License-Identifier: Apache-2.0 */
/*
 * White space is put in where it means nothing: two spaces for each level, as the real server does.
 */
#include "apiserver/protocol/indent.h"

static void new_line(kin__indent *indent, kin__buf *out)
{
    size_t len = 1 + 2 * (size_t)indent->depth;

    if (indent->n_spaces + len > kin__indent_max(indent->n_text))
        return;
    indent->n_spaces += len;
    kin__buf_append_char(out, '\n');
    for (unsigned i = 0; i < indent->depth; i++)
        kin__buf_append(out, kin_str_of("  "));
}

static void in_string(kin__indent *indent, char c)
{
    if (indent->is_escaped)
        indent->is_escaped = false;
    else if (c == '\\')
        indent->is_escaped = true;
    else if (c == '"')
        indent->is_in_string = false;
}

static void close_one(kin__indent *indent, kin__buf *out)
{
    if (indent->depth > 0)
        indent->depth--;
    if (!indent->is_open)
        new_line(indent, out);
    indent->is_open = false;
}

static void append_char(kin__indent *indent, kin__buf *out, char c)
{
    if (indent->is_in_string) {
        in_string(indent, c);
        kin__buf_append_char(out, c);
        return;
    }
    if (c == '}' || c == ']') {
        close_one(indent, out);
    } else if (indent->is_open) {
        new_line(indent, out);
        indent->is_open = false;
    }
    kin__buf_append_char(out, c);
    if (c == '{' || c == '[') {
        indent->depth++;
        indent->is_open = true;
    } else if (c == ',') {
        new_line(indent, out);
    } else if (c == ':') {
        kin__buf_append_char(out, ' ');
    } else if (c == '"') {
        indent->is_in_string = true;
    }
}

void kin__indent_append(kin__indent *indent, kin__buf *out, kin_str compact)
{
    for (size_t i = 0; i < compact.len; i++) {
        indent->n_text++;
        append_char(indent, out, compact.data[i]);
    }
}
