/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/objects.h"

#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath/jsonpath.h"
#include "kinform/quantity.h"

void objects_add(struct objects *objects, const kin_object *object)
{
    if (objects->len == objects->cap) {
        objects->cap = objects->cap ? objects->cap * 2 : 16;
        objects->items = memory_resize(objects->items, objects->cap, sizeof(*objects->items));
    }
    objects->items[objects->len++] = kin_object_ref(object);
}

void objects_clear(struct objects *objects)
{
    for (size_t i = 0; i < objects->len; i++)
        kin_object_unref(objects->items[i]);
    objects->len = 0;
}

bool resources_are_same(const kin_resource *a, const kin_resource *b)
{
    return strcmp(kin_resource_name(a), kin_resource_name(b)) == 0 &&
           strcmp(kin_resource_group(a), kin_resource_group(b)) == 0;
}

bool groups_have(const struct groups *groups, const kin_resource *resource)
{
    for (size_t i = 0; i < groups->len; i++) {
        if (resources_are_same(groups->items[i].resource, resource))
            return true;
    }
    return false;
}

struct group *groups_add(struct groups *groups, kin_resource *resource)
{
    struct group *last = groups->len > 0 ? &groups->items[groups->len - 1] : NULL;

    if (last && resources_are_same(last->resource, resource))
        return last;
    groups->items = memory_resize(groups->items, groups->len + 1, sizeof(*groups->items));
    last = &groups->items[groups->len++];
    *last = (struct group){kin_resource_ref(resource), {NULL, 0, 0}, {NULL, 0}, false};
    return last;
}

void groups_done(struct groups *groups)
{
    for (size_t i = 0; i < groups->len; i++) {
        objects_clear(&groups->items[i].objects);
        free(groups->items[i].objects.items);
        crd_columns_done(&groups->items[i].columns);
        kin_resource_unref(groups->items[i].resource);
    }
    free(groups->items);
    *groups = (struct groups){NULL, 0};
}

/* --- orders --- */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

void objects_sort_by_key(struct objects *objects)
{
    if (objects->len > 1)
        qsort(objects->items, objects->len, sizeof(*objects->items), compare_keys);
}

/* What an object is sorted by. */
struct sorted {
    const kin_object *object;
    size_t index;
    char *text; /* NULL: there is nothing */
    bool is_quantity;
    kin_quantity quantity;
};

static int compare_values(const struct sorted *a, const struct sorted *b)
{
    if (!a->text || !b->text)
        return (a->text != NULL) - (b->text != NULL);
    /* One order for all: 999 < 1k, but "1k" < "1x" < "999". */
    if (a->is_quantity != b->is_quantity)
        return b->is_quantity - a->is_quantity;
    if (a->is_quantity)
        return kin_quantity_compare(a->quantity, b->quantity);
    return strcmp(a->text, b->text);
}

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *left = a;
    const struct sorted *right = b;
    int order = compare_values(left, right);

    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static void find_value(struct sorted *s, const struct jsonpath *path)
{
    const struct jsonpath_data data = {s->object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    struct text text = TEXT_INIT;

    if (jsonpath_find(path, &values, &data, NULL) == 0 && values.len > 0) {
        jsonpath_value_print(&text, &values.items[0]);
        s->text = memory_copy(text_view(&text));
        s->is_quantity = kin_quantity_parse(&s->quantity, text_view(&text), NULL) == 0;
    }
    text_done(&text);
    jsonpath_values_done(&values);
}

size_t objects_sort_by_path(struct objects *objects, const struct jsonpath *path)
{
    size_t n_with_value = 0;
    struct sorted *sorted = memory_zeroed(objects->len, sizeof(*sorted));

    for (size_t i = 0; i < objects->len; i++) {
        sorted[i].object = objects->items[i];
        sorted[i].index = i;
        find_value(&sorted[i], path);
        n_with_value += sorted[i].text != NULL;
    }
    if (objects->len > 1)
        qsort(sorted, objects->len, sizeof(*sorted), compare_sorted);
    for (size_t i = 0; i < objects->len; i++) {
        objects->items[i] = sorted[i].object;
        free(sorted[i].text);
    }
    free(sorted);
    return n_with_value;
}
