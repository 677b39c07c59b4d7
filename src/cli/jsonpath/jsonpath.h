/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl's templates: text with paths in braces, as of `-o jsonpath=`.
 *
 *     {.items[*].metadata.name}      {.spec.containers[?(@.name=="web")].image}
 *     {range .items[*]}{.metadata.name}{"\t"}{.status.phase}{"\n"}{end}
 *
 * What kubectl takes is taken, and gives the same text, but for this: members come in the document's
 * order and not sorted or at random, JSON is not escaped for HTML, numbers are compared whether they have
 * a fraction or not and printed as they were written, `{.}` is the object itself, and a range without an
 * end goes to the end of the template, once for each item (kubectl goes through it once more with the whole).
 *
 * Parsing does no I/O, and evaluating no more than it finds: neither nests deeper than the three levels
 * that the language has, a filter in an action and a union in a filter.
 */
#ifndef KIN_CLI_JSONPATH_JSONPATH_H
#define KIN_CLI_JSONPATH_JSONPATH_H

#include "cli/base/text.h"
#include "kinform/value.h"

/* Bytes of a template, and actions in it; more is KIN_ELIMIT. */
enum { JSONPATH_MAX_LENGTH = 65536, JSONPATH_MAX_RANGES = 64 };

struct jsonpath;

/* What a template is about: one document, or many as the items of a List. BORROWED. */
struct jsonpath_data {
    const kin_object *object; /* NULL: it is a List */
    const kin_object *const *items;
    size_t n_items;
};

enum jsonpath_type {
    JSONPATH_VALUE,    /* `value` */
    JSONPATH_TEXT,     /* `text`: a string of the template */
    JSONPATH_NUMBER,   /* `text` and `number`: a number of the template */
    JSONPATH_BOOL,     /* `number`: true or false of the template */
    JSONPATH_LIST,     /* the List itself */
    JSONPATH_ITEMS,    /* its items */
    JSONPATH_METADATA, /* its metadata */
};

/* Something that was found. BORROWED while the data and the template live. */
struct jsonpath_value {
    enum jsonpath_type type;
    kin_value value;
    kin_str text;
    double number;
    const struct jsonpath_data *data;
};

struct jsonpath_values {
    struct jsonpath_value *items; /* OWNED, jsonpath_values_done() */
    size_t len;
    size_t cap;
};

/* clang-format off */
#define JSONPATH_VALUES_INIT {NULL, 0, 0}
/* clang-format on */

/* 0, KIN_EPARSE (err->offset is the byte that is wrong), KIN_ELIMIT. OWNED, jsonpath_free(). */
int jsonpath_parse(struct jsonpath **ret, kin_str text, kin_error *err);
/* One path, as columns and conditions have it: `x.y`, `.x.y`, `{x.y}` and `{.x.y}` are the same. */
int jsonpath_parse_relaxed(struct jsonpath **ret, kin_str text, kin_error *err);
void jsonpath_free(struct jsonpath *path);
/*
 * From now on jsonpath_print() writes values for a terminal: what could make it do things is escaped, but for
 * line ends and tabs. The text of the template itself stays as it is: that is the user's own.
 */
void jsonpath_escape_values(struct jsonpath *path);

/*
 * Add what it looks at, as paths of kinform/projection.h, each with a comma before it; nothing where it takes the object
 * as it is. `is_list`: it is of a List of objects. false: it may look at any part.
 */
bool jsonpath_add_paths(const struct jsonpath *path, struct text *out, bool is_list);

/*
 * Whether it finds no more values than the object has. `..` and unions may find the same ones again and again, and with
 * each step more of them: somebody else's template must not have them.
 */
bool jsonpath_is_simple(const struct jsonpath *path);

/* Fill in the template. 0, KIN_EINVAL (an index out of bounds, types that cannot be compared). */
int jsonpath_print(const struct jsonpath *path, struct text *out, const struct jsonpath_data *data,
                   kin_error *err);
/* What the first action finds; nothing is found where something is missing. As jsonpath_print(). */
int jsonpath_find(const struct jsonpath *path, struct jsonpath_values *ret,
                  const struct jsonpath_data *data, kin_error *err);
void jsonpath_values_done(struct jsonpath_values *values);

/* As templates print it: strings as they are, maps and arrays as JSON. */
void jsonpath_value_print(struct text *out, const struct jsonpath_value *value);
/* Order two values of one type: -1, 0, 1. KIN_EINVAL: they cannot be compared. */
int jsonpath_compare(int *ret, const struct jsonpath_value *a, const struct jsonpath_value *b,
                     kin_error *err);

#endif
