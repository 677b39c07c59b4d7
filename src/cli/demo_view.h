/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform demo shows on a terminal, as text: it knows nothing of terminals. */
#ifndef KIN_CLI_DEMO_VIEW_H
#define KIN_CLI_DEMO_VIEW_H

#include "cli/demo_figures.h"

/*
 * A frame: `rows` lines at most, none wider than `columns`, each ended by \n but the last. Columns of the
 * table that find no room are left out, and so is what is least important where there are few rows.
 */
void demo_view_add(struct text *out, const struct demo_figures *f, size_t rows, size_t columns,
                   bool color);

#endif
