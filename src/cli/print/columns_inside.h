/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that know the columns of kinds. */
#ifndef KIN_CLI_PRINT_COLUMNS_INSIDE_H
#define KIN_CLI_PRINT_COLUMNS_INSIDE_H

#include "cli/print/columns.h"
#include "kinform/value.h"

/* A kind's columns: of its group, its plural, and an array of columns. */
/* clang-format off */
#define COLUMNS(group, resource, items) {group, resource, false, NULL, items, sizeof(items) / sizeof((items)[0])}
#define AGE {"AGE", 0, NULL, column_age}
#define CREATED {"CREATED AT", 0, "metadata.creationTimestamp", NULL}
/* clang-format on */

extern const struct columns columns_api[];
extern const size_t n_columns_api;
extern const struct columns columns_network[];
extern const size_t n_columns_network;
extern const struct columns columns_storage[];
extern const size_t n_columns_storage;
extern const struct columns columns_policy[];
extern const size_t n_columns_policy;

/* Since when it is there. */
column_fn column_age;

/* A cell is a line: of what was added since `start`, the first one, with dots where others follow. */
void cell_end(struct text *out, size_t start);

kin_value cell_find(kin_value value, const char *path);
long long cell_number(const kin_object *object, const char *path, long long otherwise);
/* false: there is no string, or an empty one. */
bool cell_add_text(struct text *out, kin_value value);
/* Nothing if there is nothing, or null. */
void cell_add_value(struct text *out, kin_value value);
/* The value, or this. */
void cell_add_or(struct text *out, kin_value value, const char *otherwise);
/* A string in lower case; nothing if there is none. */
void cell_add_lower(struct text *out, kin_value value);
void cell_add_comma(struct text *out, size_t start);
/* "a=b,c=d", in the order of keys */
void cell_add_pairs(struct text *out, kin_value map);
/* Each item, with commas between. */
void cell_add_items(struct text *out, kin_value array);
/* A member of each item, with commas between. */
void cell_add_members(struct text *out, kin_value array, const char *member);
/* A label selector, in the order of keys: "app=web,!canary,tier in (a,b)". */
void cell_add_selector(struct text *out, kin_value selector);
/* ip or hostname of each: status.loadBalancer.ingress. */
void cell_add_addresses(struct text *out, kin_value ingress);
bool cell_equals(kin_value value, const char *text);
/* The last of that type. */
kin_value cell_condition(const kin_object *object, const char *type);

/* Texts that are looked for, or written in their order, each once. Zero is the empty one. */
struct cell_set {
    char **items; /* OWNED, as are they; cell_set_done() */
    size_t len;
    bool is_sorted;
};
void cell_set_add(struct cell_set *set, kin_str s);
bool cell_set_has(struct cell_set *set, kin_str s);
/* All of them, with commas between. */
void cell_set_print(struct cell_set *set, struct text *out);
void cell_set_done(struct cell_set *set);

/* Up to `max` items with commas between, and how many there are more: "a,b + 3 more...". */
struct cell_list {
    struct text *out;
    size_t start;
    size_t max;
    size_t n;
};
struct cell_list cell_list_begin(struct text *out, size_t max);
/* Whether there is room for one more: then the caller adds its text. */
bool cell_list_next(struct cell_list *list);
void cell_list_end(const struct cell_list *list);

#endif
