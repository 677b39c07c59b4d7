/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of several kinds are made of. */
#include "cli/print/columns_inside.h"

#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath/jsonpath.h"
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

void cell_add_lower(struct text *out, kin_value value)
{
    kin_scratch scratch;
    kin_str s;

    if (kin_value_string(&s, value, &scratch) == 0)
        text_add_lower(out, s);
}

void cell_add_comma(struct text *out, size_t start)
{
    if (out->len > start)
        text_add_char(out, ',');
}

void cell_add_items(struct text *out, kin_value array)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, array);
    while (kin_iter_next(&it)) {
        cell_add_comma(out, start);
        cell_add_value(out, it.value);
    }
}

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

/* --- in order --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cell_set_add(struct cell_set *set, kin_str s)
{
    set->items = memory_resize(set->items, set->len + 1, sizeof(*set->items));
    set->items[set->len++] = memory_copy(s);
    set->is_sorted = false;
}

static void sort(struct cell_set *set)
{
    if (!set->is_sorted && set->len > 0)
        qsort(set->items, set->len, sizeof(*set->items), by_text);
    set->is_sorted = true;
}

bool cell_set_has(struct cell_set *set, kin_str s)
{
    if (set->len == 0)
        return false;
    char *text = memory_copy(s);
    sort(set);
    bool found = bsearch(&text, set->items, set->len, sizeof(*set->items), by_text);
    free(text);
    return found;
}

void cell_set_print(struct cell_set *set, struct text *out)
{
    size_t start = out->len;

    sort(set);
    for (size_t i = 0; i < set->len; i++) {
        if (i > 0 && strcmp(set->items[i], set->items[i - 1]) == 0)
            continue;
        cell_add_comma(out, start);
        text_add_string(out, set->items[i]);
    }
}

void cell_set_done(struct cell_set *set)
{
    for (size_t i = 0; i < set->len; i++)
        free(set->items[i]);
    free(set->items);
    *set = (struct cell_set){NULL, 0, false};
}

/* What a selector asks of a label. */
struct requirement {
    char *key;  /* OWNED */
    char *text; /* OWNED */
    size_t index;
};

struct requirements {
    struct requirement *items; /* OWNED */
    size_t len;
};

static int by_key(const void *a, const void *b)
{
    const struct requirement *left = a;
    const struct requirement *right = b;
    int order = strcmp(left->key, right->key);

    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static void add_requirement(struct requirements *all, kin_str key, struct text *text)
{
    all->items = memory_resize(all->items, all->len + 1, sizeof(*all->items));
    all->items[all->len] =
        (struct requirement){memory_copy(key), memory_copy(text_view(text)), all->len};
    all->len++;
    text_clear(text);
}

static void end_requirements(struct requirements *all, struct text *out)
{
    size_t start = out->len;

    if (all->len > 0)
        qsort(all->items, all->len, sizeof(*all->items), by_key);
    for (size_t i = 0; i < all->len; i++) {
        cell_add_comma(out, start);
        text_add_string(out, all->items[i].text);
        free(all->items[i].key);
        free(all->items[i].text);
    }
    free(all->items);
}

static void add_pairs(struct requirements *all, kin_value map)
{
    struct text text = TEXT_INIT;
    kin_iter it;

    kin_iter_init(&it, map);
    while (kin_iter_next(&it)) {
        text_add(&text, it.key);
        text_add_char(&text, '=');
        cell_add_value(&text, it.value);
        add_requirement(all, it.key, &text);
    }
    text_done(&text);
}

void cell_add_pairs(struct text *out, kin_value map)
{
    struct requirements all = {NULL, 0};

    add_pairs(&all, map);
    end_requirements(&all, out);
}

static void add_values(struct text *out, kin_value values)
{
    struct cell_set set = {NULL, 0, false};
    kin_iter it;

    kin_iter_init(&it, values);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str s;

        if (kin_value_string(&s, it.value, &scratch) == 0)
            cell_set_add(&set, s);
    }
    cell_set_print(&set, out);
    cell_set_done(&set);
}

static void add_expression(struct requirements *all, kin_value expression)
{
    kin_value op = cell_find(expression, "operator");
    struct text text = TEXT_INIT;
    kin_scratch scratch;
    kin_str key = {NULL, 0};

    (void)kin_value_string(&key, cell_find(expression, "key"), &scratch);
    text_add_string(&text, cell_equals(op, "DoesNotExist") ? "!" : "");
    text_add(&text, key);
    if (cell_equals(op, "In") || cell_equals(op, "NotIn")) {
        text_add_string(&text, cell_equals(op, "In") ? " in (" : " notin (");
        add_values(&text, cell_find(expression, "values"));
        text_add_char(&text, ')');
    }
    add_requirement(all, key, &text);
    text_done(&text);
}

void cell_add_selector(struct text *out, kin_value selector)
{
    struct requirements all = {NULL, 0};
    kin_iter it;

    add_pairs(&all, cell_find(selector, "matchLabels"));
    kin_iter_init(&it, cell_find(selector, "matchExpressions"));
    while (kin_iter_next(&it))
        add_expression(&all, it.value);
    end_requirements(&all, out);
}

void cell_add_addresses(struct text *out, kin_value ingress)
{
    struct cell_set set = {NULL, 0, false};
    kin_iter it;

    kin_iter_init(&it, ingress);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str s = {NULL, 0};

        if (kin_value_string(&s, cell_find(it.value, "ip"), &scratch) < 0 || s.len == 0)
            (void)kin_value_string(&s, cell_find(it.value, "hostname"), &scratch);
        if (s.len > 0)
            cell_set_add(&set, s);
    }
    cell_set_print(&set, out);
    cell_set_done(&set);
}

/* --- some of them --- */

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
