/* SPDX-License-Identifier: Apache-2.0 */
/* What a template is once it is parsed: between jsonpath_parse.c and jsonpath_eval.c. */
#ifndef KIN_CLI_JSONPATH_JSONPATH_INSIDE_H
#define KIN_CLI_JSONPATH_JSONPATH_INSIDE_H

#include "cli/jsonpath/jsonpath.h"

enum step_type {
    STEP_FIELD,     /* text: a member */
    STEP_WILDCARD,  /* all members or items */
    STEP_RECURSIVE, /* the value and all that is in it */
    STEP_SLICE,     /* items from, to, step */
    STEP_UNION,     /* lists: what each finds */
    STEP_FILTER,    /* lists: left and right side; items for which it holds */
    STEP_TEXT,      /* text */
    STEP_NUMBER,    /* text, number */
    STEP_BOOL,      /* number */
};

enum filter_operator {
    FILTER_EXISTS,
    FILTER_EQUAL,
    FILTER_NOT_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
};

struct step_list {
    struct step *first;
    struct step *last;
};

struct slice_bound {
    long value;
    bool is_known;
};

struct step {
    struct step *next;
    enum step_type type;
    kin_str text;
    double number;
    struct slice_bound bounds[3];
    bool is_index; /* of a slice: one item was meant */
    enum filter_operator op;
    struct step_list *lists;
    size_t n_lists;
};

enum node_type { NODE_TEXT, NODE_ACTION, NODE_RANGE, NODE_END };

struct node {
    enum node_type type;
    kin_str text;
    struct step_list steps;
    size_t match; /* of a range its end, of an end its range */
};

/* All that its nodes point to is in blocks that are freed together. */
struct jsonpath_block {
    struct jsonpath_block *next;
    _Alignas(max_align_t) char bytes[];
};

struct jsonpath {
    struct node *nodes;
    size_t len;
    struct jsonpath_block *blocks;
    bool escapes; /* values are written for a terminal */
};

/* Goes through members or items. */
struct children {
    struct jsonpath_value of;
    kin_iter it;
    size_t next;
};

void children_init(struct children *c, struct jsonpath_value of);
bool children_next(struct children *c, struct jsonpath_value *ret);

struct jsonpath_value jsonpath_of_type(enum jsonpath_type type, const struct jsonpath_data *data);
/* What a template begins with. */
struct jsonpath_value jsonpath_root(const struct jsonpath_data *data);
void jsonpath_values_add(struct jsonpath_values *values, struct jsonpath_value value);
/* false: there is none. */
bool jsonpath_member(struct jsonpath_value *ret, const struct jsonpath_value *v, kin_str name);
bool jsonpath_is_array(const struct jsonpath_value *v);
/* It is not there, or null. */
bool jsonpath_is_nothing(const struct jsonpath_value *v);
/* The items of an array. */
size_t jsonpath_count(const struct jsonpath_value *array);

#endif
