/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/table.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/base/escape.h"

size_t display_width(kin_str s)
{
    size_t width = 0;

    while (s.len > 0) {
        size_t len = 1;
        long c = text_char(s, &len);
        int columns = c < 0 ? 1 : wcwidth((wchar_t)c);

        width += columns < 0 ? 1 : (size_t)columns;
        s = kin_str_make(s.data + len, s.len - len);
    }
    return width;
}

kin_str display_cut(kin_str s, size_t columns)
{
    size_t width = 0;
    size_t at = 0;

    while (at < s.len) {
        size_t len = 1;
        long c = text_char(kin_str_make(s.data + at, s.len - at), &len);
        int own = c < 0 ? 1 : wcwidth((wchar_t)c);

        width += own < 0 ? 1 : (size_t)own;
        if (width > columns)
            break;
        at += len;
    }
    return kin_str_make(s.data, at);
}

void table_init(struct table *t, size_t n_columns)
{
    *t = (struct table){n_columns, TEXT_INIT, NULL, 0, 0};
}

void table_done(struct table *t)
{
    text_done(&t->cells);
    free(t->ends);
    t->ends = NULL;
}

void table_add(struct table *t, kin_str cell)
{
    if (t->n_cells == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 64;
        t->ends = memory_resize(t->ends, t->cap, sizeof(*t->ends));
    }
    add_escaped(&t->cells, cell);
    t->ends[t->n_cells++] = t->cells.len;
}

static kin_str cell_at(const struct table *t, size_t i)
{
    size_t start = i > 0 ? t->ends[i - 1] : 0;

    return kin_str_make(text_string(&t->cells) + start, t->ends[i] - start);
}

size_t column_width(size_t widest)
{
    return widest + 3 > 6 ? widest + 3 : 6;
}

static void print_row(const struct table *t, struct text *out, size_t first, const size_t *widths)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        kin_str cell = cell_at(t, first + c);

        text_add(out, cell);
        if (c + 1 < t->n_columns)
            text_add_n(out, ' ', column_width(widths[c]) - display_width(cell));
    }
}

void table_print(const struct table *t, struct text *out, bool bold_first)
{
    size_t *widths = memory_zeroed(t->n_columns, sizeof(*widths));

    table_print_below(t, out, bold_first, widths);
    free(widths);
}

void table_print_below(const struct table *t, struct text *out, bool bold_first, size_t *widths)
{
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t width = display_width(cell_at(t, i));

        if (width > widths[i % t->n_columns])
            widths[i % t->n_columns] = width;
    }
    for (size_t i = 0; i < t->n_cells; i += t->n_columns) {
        bool bold = bold_first && i == 0;

        if (bold)
            text_add_string(out, "\033[1m");
        print_row(t, out, i, widths);
        text_add_string(out, bold ? "\033[0m\n" : "\n");
    }
}
