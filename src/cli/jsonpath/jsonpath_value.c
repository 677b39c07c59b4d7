/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that templates find: what is in them, how they are printed, and which is less.
 *
 * A List of many objects is no document: its items are the documents that there are, so that nothing
 * is copied. JSONPATH_LIST and JSONPATH_ITEMS stand for it, and `struct children` hides the difference.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath/jsonpath_inside.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/quantity.h"

static struct jsonpath_value of_value(kin_value value, const struct jsonpath_data *data)
{
    return (struct jsonpath_value){JSONPATH_VALUE, value, {NULL, 0}, 0, data};
}

struct jsonpath_value jsonpath_of_type(enum jsonpath_type type, const struct jsonpath_data *data)
{
    return (struct jsonpath_value){type, {NULL, NULL}, {NULL, 0}, 0, data};
}

struct jsonpath_value jsonpath_root(const struct jsonpath_data *data)
{
    return data->object ? of_value(kin_object_root(data->object), data)
                        : jsonpath_of_type(JSONPATH_LIST, data);
}

void jsonpath_values_add(struct jsonpath_values *values, struct jsonpath_value value)
{
    if (values->len == values->cap) {
        values->cap = values->cap ? values->cap * 2 : 8;
        values->items = memory_resize(values->items, values->cap, sizeof(*values->items));
    }
    values->items[values->len++] = value;
}

void jsonpath_values_done(struct jsonpath_values *values)
{
    free(values->items);
    *values = (struct jsonpath_values)JSONPATH_VALUES_INIT;
}

bool jsonpath_is_array(const struct jsonpath_value *v)
{
    return v->type == JSONPATH_ITEMS ||
           (v->type == JSONPATH_VALUE && kin_value_type(v->value) == KIN_ARRAY);
}

bool jsonpath_is_nothing(const struct jsonpath_value *v)
{
    return v->type == JSONPATH_VALUE && kin_value_type(v->value) <= KIN_NULL;
}

/* The metadata of a List is a version that is empty. */
static bool metadata_member(struct jsonpath_value *ret, const struct jsonpath_value *of,
                            kin_str name)
{
    *ret = jsonpath_of_type(JSONPATH_TEXT, of->data);
    return kin_str_equal(name, kin_str_of("resourceVersion"));
}

static bool list_member(struct jsonpath_value *ret, const struct jsonpath_value *list, kin_str name)
{
    *ret = jsonpath_of_type(JSONPATH_TEXT, list->data);
    if (kin_str_equal(name, kin_str_of("items")))
        ret->type = JSONPATH_ITEMS;
    else if (kin_str_equal(name, kin_str_of("kind")))
        ret->text = kin_str_of("List");
    else if (kin_str_equal(name, kin_str_of("apiVersion")))
        ret->text = kin_str_of("v1");
    else if (kin_str_equal(name, kin_str_of("metadata")))
        ret->type = JSONPATH_METADATA;
    else
        return false;
    return true;
}

bool jsonpath_member(struct jsonpath_value *ret, const struct jsonpath_value *v, kin_str name)
{
    if (v->type == JSONPATH_LIST)
        return list_member(ret, v, name);
    if (v->type == JSONPATH_METADATA)
        return metadata_member(ret, v, name);
    if (v->type != JSONPATH_VALUE)
        return false;
    *ret = of_value(kin_value_get(v->value, name), v->data);
    return kin_value_type(ret->value) != KIN_NONE;
}

void children_init(struct children *c, struct jsonpath_value of)
{
    c->of = of;
    c->next = 0;
    if (of.type == JSONPATH_VALUE)
        kin_iter_init(&c->it, of.value);
}

bool children_next(struct children *c, struct jsonpath_value *ret)
{
    static const char *const names[] = {"apiVersion", "items", "kind", "metadata"};

    switch (c->of.type) {
    case JSONPATH_VALUE:
        if (!kin_iter_next(&c->it))
            return false;
        *ret = of_value(c->it.value, c->of.data);
        return true;
    case JSONPATH_LIST:
        return c->next < 4 && list_member(ret, &c->of, kin_str_of(names[c->next++]));
    case JSONPATH_METADATA:
        return c->next++ == 0 && metadata_member(ret, &c->of, kin_str_of("resourceVersion"));
    case JSONPATH_ITEMS:
        if (c->next >= c->of.data->n_items)
            return false;
        *ret = of_value(kin_object_root(c->of.data->items[c->next++]), c->of.data);
        return true;
    default:
        return false;
    }
}

size_t jsonpath_count(const struct jsonpath_value *array)
{
    return array->type == JSONPATH_ITEMS ? array->data->n_items : kin_value_len(array->value);
}

/* --- printing --- */

static void add_json(struct text *out, kin_value value)
{
    char *json = NULL;
    size_t len = 0;

    int code = kin_value_to_json(&json, &len, value, KIN_JSON_COMPACT, NULL);
    if (code == KIN_ENOMEM)
        memory_end();
    if (code < 0)
        return;
    text_add(out, kin_str_make(json, len));
    kin_free(json);
}

static void print_items(struct text *out, const struct jsonpath_data *data)
{
    text_add_char(out, '[');
    for (size_t i = 0; i < data->n_items; i++) {
        if (i > 0)
            text_add_char(out, ',');
        add_json(out, kin_object_root(data->items[i]));
    }
    text_add_char(out, ']');
}

void jsonpath_value_print(struct text *out, const struct jsonpath_value *v)
{
    kin_scratch scratch;
    kin_str s;

    switch (v->type) {
    case JSONPATH_VALUE:
        if (kin_value_string(&s, v->value, &scratch) == 0)
            text_add(out, s);
        else
            add_json(out, v->value);
        return;
    case JSONPATH_BOOL:
        text_add_string(out, v->number != 0 ? "true" : "false");
        return;
    case JSONPATH_LIST:
        text_add_string(out, "{\"apiVersion\":\"v1\",\"items\":");
        print_items(out, v->data);
        text_add_string(out, ",\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"\"}}");
        return;
    case JSONPATH_METADATA:
        text_add_string(out, "{\"resourceVersion\":\"\"}");
        return;
    case JSONPATH_ITEMS:
        print_items(out, v->data);
        return;
    default:
        text_add(out, v->text);
        return;
    }
}

/* --- comparing --- */

/* What a value is to a comparison. */
struct operand {
    enum kin_type type; /* KIN_STRING, KIN_NUMBER, KIN_BOOL; KIN_NONE: cannot be compared */
    kin_str text;
    double number;
    bool is_integer; /* `exact` is the number, of which a double may have lost the last digits */
    kin_quantity exact;
    kin_scratch scratch;
};

static void find_integer(struct operand *o, const struct jsonpath_value *v)
{
    struct text digits = TEXT_INIT;

    jsonpath_value_print(&digits, v);
    kin_str text = text_view(&digits);
    size_t sign = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    o->is_integer = text.len > sign &&
                    strspn(text_string(&digits) + sign, "0123456789") == text.len - sign &&
                    kin_quantity_parse(&o->exact, text, NULL) == 0;
    text_done(&digits);
}

static void operand_of_value(struct operand *ret, kin_value value)
{
    bool flag;

    if (kin_value_string(&ret->text, value, &ret->scratch) == 0) {
        ret->type = KIN_STRING;
    } else if (kin_value_bool(&flag, value) == 0) {
        ret->type = KIN_BOOL;
        ret->number = flag;
    } else if (kin_value_double(&ret->number, value) == 0) {
        ret->type = KIN_NUMBER;
    }
}

static void operand_of(struct operand *ret, const struct jsonpath_value *v)
{
    ret->type = KIN_NONE;
    ret->is_integer = false;
    ret->text = v->text;
    ret->number = v->number;
    if (v->type == JSONPATH_VALUE)
        operand_of_value(ret, v->value);
    else if (v->type == JSONPATH_TEXT)
        ret->type = KIN_STRING;
    else if (v->type == JSONPATH_NUMBER)
        ret->type = KIN_NUMBER;
    else if (v->type == JSONPATH_BOOL)
        ret->type = KIN_BOOL;
    if (ret->type == KIN_NUMBER)
        find_integer(ret, v);
}

static int compare_texts(kin_str a, kin_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.data, b.data, len) : 0;

    if (order == 0)
        return (a.len > b.len) - (a.len < b.len);
    return order < 0 ? -1 : 1;
}

int jsonpath_compare(int *ret, const struct jsonpath_value *a, const struct jsonpath_value *b,
                     kin_error *err)
{
    struct operand left;
    struct operand right;

    operand_of(&left, a);
    operand_of(&right, b);
    if (left.type == KIN_NONE || left.type != right.type)
        return kin_error_set(err, KIN_EINVAL, "a %s and a %s cannot be compared",
                             left.type ? kin_type_name(left.type) : "map, array or null",
                             right.type ? kin_type_name(right.type) : "map, array or null");
    if (left.type == KIN_STRING)
        *ret = compare_texts(left.text, right.text);
    else if (left.is_integer && right.is_integer)
        *ret = kin_quantity_compare(left.exact, right.exact);
    else
        *ret = (left.number > right.number) - (left.number < right.number);
    return 0;
}
