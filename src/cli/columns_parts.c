/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of several kinds are made of. */
#include "cli/columns_inside.h"

#include "cli/jsonpath.h"
#include "kinform/path.h"

kin_value cell_find(kin_value value, const char *path)
{
    kin_value found = {NULL, NULL};

    (void)kin_value_find(&found, value, kin_str_of(path), NULL);
    return found;
}

long long cell_number(const kin_object *object, const char *path, long long otherwise)
{
    int64_t n = otherwise;

    (void)kin_value_int64(&n, kin_object_find(object, path));
    return n;
}

/* false: there is no string, or an empty one. */
bool cell_add_text(struct text *out, kin_value value)
{
    kin_scratch scratch;
    kin_str s;

    if (kin_value_string(&s, value, &scratch) < 0 || s.len == 0)
        return false;
    text_add(out, s);
    return true;
}

void cell_add_value(struct text *out, kin_value value)
{
    const struct jsonpath_value v = {JSONPATH_VALUE, value, {NULL, 0}, 0, NULL};

    if (kin_value_type(value) > KIN_NULL)
        jsonpath_value_print(out, &v);
}

void cell_add_comma(struct text *out, size_t start)
{
    if (out->len > start)
        text_add_char(out, ',');
}

/* "a=b,c=d" */
void cell_add_pairs(struct text *out, kin_value map)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, map);
    while (kin_iter_next(&it)) {
        cell_add_comma(out, start);
        text_add(out, it.key);
        text_add_char(out, '=');
        cell_add_value(out, it.value);
    }
}

/* A member of each item, with commas between. */
void cell_add_members(struct text *out, kin_value array, const char *member)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, array);
    while (kin_iter_next(&it)) {
        cell_add_comma(out, start);
        cell_add_value(out, cell_find(it.value, member));
    }
}

bool cell_equals(kin_value value, const char *text)
{
    kin_scratch scratch;
    kin_str s;

    return kin_value_string(&s, value, &scratch) == 0 && kin_str_equal(s, kin_str_of(text));
}

/* The last of that type. */
kin_value cell_condition(const kin_object *object, const char *type)
{
    kin_value found = {NULL, NULL};
    kin_iter it;

    kin_iter_init(&it, kin_object_find(object, "status.conditions"));
    while (kin_iter_next(&it)) {
        if (cell_equals(cell_find(it.value, "type"), type))
            found = it.value;
    }
    return found;
}

void cell_add_or(struct text *out, kin_value value, const char *otherwise)
{
    size_t start = out->len;

    cell_add_value(out, value);
    if (out->len == start)
        text_add_string(out, otherwise);
}

static void add_expression(struct text *out, kin_value expression)
{
    kin_value op = cell_find(expression, "operator");
    kin_value values = cell_find(expression, "values");
    kin_iter it;

    text_add_string(out, cell_equals(op, "DoesNotExist") ? "!" : "");
    cell_add_value(out, cell_find(expression, "key"));
    if (!cell_equals(op, "In") && !cell_equals(op, "NotIn"))
        return;
    text_add_string(out, cell_equals(op, "In") ? " in (" : " notin (");
    kin_iter_init(&it, values);
    while (kin_iter_next(&it)) {
        text_add_string(out, it.index > 0 ? "," : "");
        cell_add_value(out, it.value);
    }
    text_add_char(out, ')');
}

void cell_add_selector(struct text *out, kin_value selector)
{
    size_t start = out->len;
    kin_iter it;

    cell_add_pairs(out, cell_find(selector, "matchLabels"));
    kin_iter_init(&it, cell_find(selector, "matchExpressions"));
    while (kin_iter_next(&it)) {
        cell_add_comma(out, start);
        add_expression(out, it.value);
    }
}

void cell_add_addresses(struct text *out, kin_value ingress)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, ingress);
    while (kin_iter_next(&it)) {
        cell_add_comma(out, start);
        if (!cell_add_text(out, cell_find(it.value, "ip")))
            (void)cell_add_text(out, cell_find(it.value, "hostname"));
    }
}

struct cell_list cell_list_begin(struct text *out, size_t max)
{
    return (struct cell_list){out, out->len, max, 0};
}

bool cell_list_next(struct cell_list *list)
{
    if (list->n++ >= list->max)
        return false;
    cell_add_comma(list->out, list->start);
    return true;
}

void cell_list_end(const struct cell_list *list)
{
    if (list->n > list->max)
        text_format(list->out, " + %zu more...", list->n - list->max);
}
