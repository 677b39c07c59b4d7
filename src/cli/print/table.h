/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of text: columns as wide as their widest cell, by what a terminal shows, with three spaces
 * between. Cells are escaped (cli/base/escape.h).
 */
#ifndef KIN_CLI_PRINT_TABLE_H
#define KIN_CLI_PRINT_TABLE_H

#include "cli/base/text.h"

struct table {
    size_t n_columns;
    struct text cells; /* all of them, each behind the other */
    size_t *ends;      /* OWNED; where each cell ends */
    size_t n_cells;
    size_t cap;
};

void table_init(struct table *t, size_t n_columns);
void table_done(struct table *t);
/* The next cell, from left to right, row by row. */
void table_add(struct table *t, kin_str cell);
/* The rows as lines. `bold_first`: the first is in bold. */
void table_print(const struct table *t, struct text *out, bool bold_first);
/* The same below rows that were printed before: columns are as wide as `widths` has them, which grow as they must. */
void table_print_below(const struct table *t, struct text *out, bool bold_first, size_t *widths);

/* That of a column, with what is between: three spaces, and six in all at least, as kubectl has it. */
size_t column_width(size_t widest);
/* Columns of a terminal that a text takes: 2 for wide characters, 0 for those that combine. */
size_t display_width(kin_str s);
/* As much of it, from the beginning, as so many columns have room for. */
kin_str display_cut(kin_str s, size_t columns);

#endif
