/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of a printer that are tables. */
#ifndef KIN_CLI_PRINT_PRINTER_TABLE_H
#define KIN_CLI_PRINT_PRINTER_TABLE_H

#include "cli/print/printer.h"

/* A table per kind. 0, KIN_ESYSTEM (it was told). */
int print_tables(const struct printer *p, const struct groups *groups);
/*
 * The objects of a group as rows below those that were added before. `widths`: NULL before the first, OWNED, free().
 */
void add_table_rows(const struct printer *p, struct text *out, const struct group *group,
                    bool with_header, size_t **widths);
/* What stands in a column that the user has named; "<none>" where there is nothing. As jsonpath_find(). */
int custom_column_print(const struct custom_column *column, struct text *out,
                        const kin_object *object, kin_error *err);
/* One table of the columns that the user has named. 0, KIN_EINVAL, KIN_ESYSTEM (it was told). */
int print_custom_columns(const struct printer *p, const struct groups *groups, kin_error *err);

#endif
