/* SPDX-License-Identifier: Apache-2.0 */
/* Two texts as one, line by line: what is gone, what is new, and some lines around them. */
#ifndef KIN_CLI_UNIFIED_H
#define KIN_CLI_UNIFIED_H

#include "cli/base/text.h"

/* Lines begin with `-`, `+` or a space; parts that are left out are a line of dots. */
void add_unified(struct text *out, kin_str before, kin_str after, bool color);

#endif
