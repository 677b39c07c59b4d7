/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of time as kubectl writes them: 45s, 7m30s, 3h12m, 12d. */
#ifndef KIN_CLI_PRINT_AGE_H
#define KIN_CLI_PRINT_AGE_H

#include "cli/base/text.h"
#include "kinform/value.h"

void add_duration(struct text *out, int64_t seconds);
/* How long ago a timestamp is; "<unknown>" if it is none. */
void add_age(struct text *out, kin_value timestamp, int64_t now_unix_s);

#endif
