/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluating templates. Each step makes a list of values of the list that the step before has made. */
#include <stdlib.h>

#include "cli/base/escape.h"
#include "cli/jsonpath/jsonpath_inside.h"

/* --- steps that stand alone --- */

static void apply_field(const struct step *step, const struct jsonpath_values *in,
                        struct jsonpath_values *out)
{
    for (size_t i = 0; i < in->len; i++) {
        struct jsonpath_value found;

        if (jsonpath_member(&found, &in->items[i], step->text))
            jsonpath_values_add(out, found);
    }
}

static void apply_wildcard(const struct jsonpath_values *in, struct jsonpath_values *out)
{
    for (size_t i = 0; i < in->len; i++) {
        struct children children;
        struct jsonpath_value child;

        children_init(&children, in->items[i]);
        while (children_next(&children, &child))
            jsonpath_values_add(out, child);
    }
}

/* Whether `..` goes through it: what has something in it. Strings count, as kubectl has it. */
static bool is_passed(const struct jsonpath_value *v)
{
    struct children children;
    struct jsonpath_value child;
    kin_scratch scratch;
    kin_str s = v->text;

    if (v->type == JSONPATH_TEXT ||
        (v->type == JSONPATH_VALUE && kin_value_string(&s, v->value, &scratch) == 0))
        return s.len > 0;
    children_init(&children, *v);
    return children_next(&children, &child);
}

/* The value, and all in it that has something in it, from the top down. */
static void descend(struct jsonpath_value from, struct jsonpath_values *out)
{
    struct children *stack = memory_resize(NULL, 1, sizeof(*stack));
    size_t depth = 1;

    if (is_passed(&from))
        jsonpath_values_add(out, from);
    children_init(&stack[0], from);
    while (depth > 0) {
        struct jsonpath_value child;

        if (!children_next(&stack[depth - 1], &child)) {
            depth--;
        } else if (is_passed(&child)) {
            jsonpath_values_add(out, child);
            stack = memory_resize(stack, ++depth, sizeof(*stack));
            children_init(&stack[depth - 1], child);
        }
    }
    free(stack);
}

/* The items of one array, by kubectl's rules. */
static int slice(const struct step *step, const struct jsonpath_value *array,
                 struct jsonpath_values *out, kin_error *err)
{
    long len = (long)jsonpath_count(array);
    long from = step->bounds[0].value + (step->bounds[0].value < 0 ? len : 0);
    long to = step->bounds[1].is_known ? step->bounds[1].value : len;
    long by = step->bounds[2].is_known ? step->bounds[2].value : 1;
    struct children children;
    struct jsonpath_value item;

    to += to < 0 ? len : 0;
    if (step->is_index)
        to = from + 1;
    if (from == to)
        return 0;
    if (from < 0 || from >= len || to < 0 || to > len)
        return kin_error_set(err, KIN_EINVAL, "there is no item %ld in an array of %ld",
                             from < 0 || from >= len ? from : to - 1, len);
    if (from > to)
        return kin_error_set(err, KIN_EINVAL, "the slice begins at %ld and ends before %ld", from,
                             to);
    if (by <= 0)
        return kin_error_set(err, KIN_EINVAL, "the step of a slice is at least 1");
    children_init(&children, *array);
    for (long i = 0; i < to && children_next(&children, &item); i++) {
        if (i >= from && (i - from) % by == 0)
            jsonpath_values_add(out, item);
    }
    return 0;
}

static int apply_slice(const struct step *step, const struct jsonpath_values *in,
                       struct jsonpath_values *out, kin_error *err)
{
    for (size_t i = 0; i < in->len; i++) {
        if (jsonpath_is_nothing(&in->items[i]))
            continue;
        if (!jsonpath_is_array(&in->items[i]))
            return kin_error_set(err, KIN_EINVAL, "there are brackets behind what is no array");
        int code = slice(step, &in->items[i], out, err);
        if (code < 0)
            return code;
    }
    return 0;
}

static void apply_literal(const struct step *step, const struct jsonpath_values *in,
                          struct jsonpath_values *out)
{
    struct jsonpath_value value = jsonpath_of_type(JSONPATH_TEXT, NULL);

    if (step->type != STEP_TEXT)
        value.type = step->type == STEP_NUMBER ? JSONPATH_NUMBER : JSONPATH_BOOL;
    value.text = step->text;
    value.number = step->number;
    if (step->type == STEP_TEXT) {
        jsonpath_values_add(out, value);
        return;
    }
    for (size_t i = 0; i < in->len; i++)
        jsonpath_values_add(out, value);
}

/* --- lists of steps, in the three layers that the parser has --- */

typedef int apply_fn(const struct step *step, const struct jsonpath_values *in,
                     struct jsonpath_values *out, kin_error *err);

/* What the steps make of `values`, which it replaces. */
static int walk(const struct step_list *steps, apply_fn *apply, struct jsonpath_values *values,
                kin_error *err)
{
    int code = 0;

    for (const struct step *step = steps->first; step && code == 0; step = step->next) {
        struct jsonpath_values next = JSONPATH_VALUES_INIT;

        code = apply(step, values, &next, err);
        jsonpath_values_done(values);
        *values = next;
    }
    return code;
}

static int apply_plain(const struct step *step, const struct jsonpath_values *in,
                       struct jsonpath_values *out, kin_error *err)
{
    switch (step->type) {
    case STEP_FIELD:
        apply_field(step, in, out);
        return 0;
    case STEP_WILDCARD:
        apply_wildcard(in, out);
        return 0;
    case STEP_RECURSIVE:
        for (size_t i = 0; i < in->len; i++)
            descend(in->items[i], out);
        return 0;
    case STEP_SLICE:
        return apply_slice(step, in, out, err);
    default:
        apply_literal(step, in, out);
        return 0;
    }
}

static void copy(struct jsonpath_values *to, const struct jsonpath_values *from)
{
    for (size_t i = 0; i < from->len; i++)
        jsonpath_values_add(to, from->items[i]);
}

static int apply_operand(const struct step *step, const struct jsonpath_values *in,
                         struct jsonpath_values *out, kin_error *err)
{
    int code = 0;

    if (step->type != STEP_UNION)
        return apply_plain(step, in, out, err);
    for (size_t i = 0; i < step->n_lists && code == 0; i++) {
        struct jsonpath_values part = JSONPATH_VALUES_INIT;

        copy(&part, in);
        code = walk(&step->lists[i], apply_plain, &part, err);
        copy(out, &part);
        jsonpath_values_done(&part);
    }
    return code;
}

/* One side of a filter. KIN_ENOTFOUND: there is nothing to compare. */
static int side(struct jsonpath_value *ret, const struct step_list *steps,
                struct jsonpath_value item, kin_error *err)
{
    struct jsonpath_values values = JSONPATH_VALUES_INIT;

    jsonpath_values_add(&values, item);
    int code = walk(steps, apply_operand, &values, err);
    if (code == 0 && values.len > 1)
        code =
            kin_error_set(err, KIN_EINVAL, "a filter can compare one value, not %zu", values.len);
    if (code == 0 && values.len == 0)
        code = KIN_ENOTFOUND;
    if (code == 0)
        *ret = values.items[0];
    jsonpath_values_done(&values);
    return code;
}

static bool holds(enum filter_operator op, int order)
{
    switch (op) {
    case FILTER_EQUAL:
        return order == 0;
    case FILTER_NOT_EQUAL:
        return order != 0;
    case FILTER_LESS:
        return order < 0;
    case FILTER_LESS_EQUAL:
        return order <= 0;
    case FILTER_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static int exists(bool *ret, const struct step *step, struct jsonpath_value item)
{
    struct jsonpath_values values = JSONPATH_VALUES_INIT;

    jsonpath_values_add(&values, item);
    int code = walk(&step->lists[0], apply_operand, &values, NULL);
    *ret = code == 0 && values.len > 0;
    jsonpath_values_done(&values);
    return 0;
}

static int passes(bool *ret, const struct step *step, struct jsonpath_value item, kin_error *err)
{
    struct jsonpath_value left;
    struct jsonpath_value right;
    int order = 0;

    if (step->op == FILTER_EXISTS)
        return exists(ret, step, item);
    int code = side(&left, &step->lists[0], item, err);
    if (code == 0)
        code = side(&right, &step->lists[1], item, err);
    if (code == 0)
        code = jsonpath_compare(&order, &left, &right, err);
    *ret = code == 0 && holds(step->op, order);
    return code == KIN_ENOTFOUND ? 0 : code;
}

static int apply_action(const struct step *step, const struct jsonpath_values *in,
                        struct jsonpath_values *out, kin_error *err)
{
    if (step->type != STEP_FILTER)
        return apply_operand(step, in, out, err);
    for (size_t i = 0; i < in->len; i++) {
        struct children children;
        struct jsonpath_value item;

        if (!jsonpath_is_array(&in->items[i]))
            return kin_error_set(err, KIN_EINVAL, "there is a filter behind what is no array");
        children_init(&children, in->items[i]);
        while (children_next(&children, &item)) {
            bool wanted = false;
            int code = passes(&wanted, step, item, err);

            if (code < 0)
                return code;
            if (wanted)
                jsonpath_values_add(out, item);
        }
    }
    return 0;
}

/* --- templates --- */

static int find(const struct node *node, struct jsonpath_values *ret, struct jsonpath_value root,
                kin_error *err)
{
    struct jsonpath_values values = JSONPATH_VALUES_INIT;

    jsonpath_values_add(&values, root);
    int code = walk(&node->steps, apply_action, &values, err);
    if (code < 0)
        jsonpath_values_done(&values);
    else
        *ret = values;
    return code;
}

int jsonpath_find(const struct jsonpath *path, struct jsonpath_values *ret,
                  const struct jsonpath_data *data, kin_error *err)
{
    for (size_t i = 0; i < path->len; i++) {
        if (path->nodes[i].type == NODE_ACTION)
            return find(&path->nodes[i], ret, jsonpath_root(data), err);
    }
    return 0;
}

/* A range that is being gone through. */
struct range {
    struct jsonpath_values values;
    size_t at;
};

struct printing {
    const struct jsonpath *path;
    struct text *out;
    struct range ranges[JSONPATH_MAX_RANGES];
    size_t depth;
    struct jsonpath_value root;
    size_t at; /* the node */
};

static struct jsonpath_value current(const struct printing *p)
{
    const struct range *range = p->depth > 0 ? &p->ranges[p->depth - 1] : NULL;

    return range ? range->values.items[range->at] : p->root;
}

void jsonpath_escape_values(struct jsonpath *path)
{
    path->escapes = true;
}

/* What the template says itself is the user's own. */
static void print_value(const struct printing *p, const struct jsonpath_value *value)
{
    struct text text = TEXT_INIT;

    if (!p->path->escapes || value->type == JSONPATH_TEXT) {
        jsonpath_value_print(p->out, value);
        return;
    }
    jsonpath_value_print(&text, value);
    add_escaped_lines(p->out, text_view(&text));
    text_done(&text);
}

static int print_action(struct printing *p, kin_error *err)
{
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    int code = find(&p->path->nodes[p->at], &values, current(p), err);

    for (size_t i = 0; i < values.len; i++) {
        if (i > 0)
            text_add_char(p->out, ' ');
        print_value(p, &values.items[i]);
    }
    jsonpath_values_done(&values);
    return code;
}

static int begin_range(struct printing *p, kin_error *err)
{
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    int code = find(&p->path->nodes[p->at], &values, current(p), err);

    if (code == 0 && values.len > 0) {
        p->ranges[p->depth++] = (struct range){values, 0};
    } else {
        jsonpath_values_done(&values);
        p->at = p->path->nodes[p->at].match;
    }
    return code;
}

static void end_range(struct printing *p)
{
    struct range *range = &p->ranges[p->depth - 1];

    if (++range->at < range->values.len) {
        p->at = p->path->nodes[p->at].match;
        return;
    }
    jsonpath_values_done(&range->values);
    p->depth--;
}

int jsonpath_print(const struct jsonpath *path, struct text *out, const struct jsonpath_data *data,
                   kin_error *err)
{
    struct printing p = {.path = path, .out = out, .root = jsonpath_root(data)};
    int code = 0;

    for (; p.at < path->len && code == 0; p.at++) {
        switch (path->nodes[p.at].type) {
        case NODE_TEXT:
            text_add(out, path->nodes[p.at].text);
            break;
        case NODE_ACTION:
            code = print_action(&p, err);
            break;
        case NODE_RANGE:
            code = begin_range(&p, err);
            break;
        case NODE_END:
            end_range(&p);
            break;
        }
    }
    while (p.depth > 0)
        jsonpath_values_done(&p.ranges[--p.depth].values);
    return code;
}
