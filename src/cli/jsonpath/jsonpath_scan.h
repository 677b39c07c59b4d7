/* SPDX-License-Identifier: Apache-2.0 */
/* The words of templates: names, numbers, texts. What they come to is added to a list of steps. */
#ifndef KIN_CLI_JSONPATH_JSONPATH_SCAN_H
#define KIN_CLI_JSONPATH_JSONPATH_SCAN_H

#include "cli/jsonpath/jsonpath_inside.h"

struct scan {
    struct jsonpath *path;
    kin_str text;
    size_t at;
    size_t base; /* where the text begins in the template */
    kin_error *err;
};

/* KIN_EPARSE, and where. */
int scan_bad(const struct scan *s, const char *what);
/* Memory that lives as long as the template, all zero. */
void *scan_block(struct jsonpath *path, size_t size);
kin_str scan_keep(struct jsonpath *path, kin_str s);
struct step *scan_add_step(struct scan *s, struct step_list *list, enum step_type type);

/* The next byte; -1 at the end. */
int scan_peek(const struct scan *s);
bool scan_begins_with(const struct scan *s, const char *prefix);
bool scan_is_word(int c);
/* Ends names. */
bool scan_is_terminator(int c);

/* Behind the dot. Without a name it is the value itself. */
void scan_field(struct scan *s, struct step_list *list);
/* What stands in quotes in brackets: names with dots between them. */
void scan_quoted_fields(struct scan *s, struct step_list *list, kin_str text);
int scan_number(struct scan *s, struct step_list *list);
int scan_string(struct scan *s, struct step_list *list);

#endif
