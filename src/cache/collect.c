/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/collect.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { AHEAD = 16 };

struct kin__collected {
    const char *bytes; /* set before they are sorted */
    size_t offset;
    size_t len;
};

int kin__collector_reserve_objects(kin__collector *collector, size_t n)
{
    const kin_object **objects;

    if (n <= collector->cap || n == 0)
        return 0;
    objects = kin__grow_array(collector->objects, &collector->cap, n, sizeof(*objects));
    if (!objects)
        return KIN_ENOMEM;
    collector->objects = objects;
    return 0;
}

int kin__collect_object(kin__collector *collector, const kin_object *object)
{
    if (collector->n == collector->cap &&
        kin__collector_reserve_objects(collector, collector->n + 1) < 0)
        return KIN_ENOMEM;
    collector->objects[collector->n++] = kin_object_ref(object);
    return 0;
}

int kin__collect_string(kin__collector *collector, kin_str string)
{
    if (collector->n == collector->cap) {
        struct kin__collected *strings = kin__grow_array(collector->strings, &collector->cap,
                                                         collector->n + 1, sizeof(*strings));

        if (!strings)
            return KIN_ENOMEM;
        collector->strings = strings;
    }
    collector->strings[collector->n].offset = collector->bytes.len;
    collector->strings[collector->n++].len = string.len;
    kin__buf_append(&collector->bytes, string);
    kin__buf_append_char(&collector->bytes, '\0');
    return collector->bytes.failed;
}

static void done(kin__collector *collector)
{
    if (collector->objects) {
        kin_object_list objects = {collector->objects, collector->n};

        kin_object_list_done(&objects);
    }
    kin__free(collector->strings);
    kin__buf_done(&collector->bytes);
}

int kin__collector_give_objects(kin__collector *collector, int code, kin_object_list *ret)
{
    /* An empty list has no array, so that it needs no release. */
    if (code < 0 || collector->n == 0) {
        done(collector);
        if (code == 0)
            *ret = (kin_object_list)KIN_OBJECT_LIST_INIT;
        return code;
    }
    *ret = (kin_object_list){collector->objects, collector->n};
    collector->objects = NULL;
    done(collector);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct kin__collected *left = a;
    const struct kin__collected *right = b;
    size_t common = left->len < right->len ? left->len : right->len;
    int order = memcmp(left->bytes + left->offset, right->bytes + right->offset, common);

    return order ? order : (left->len > right->len) - (left->len < right->len);
}

static void sort(kin__collector *collector)
{
    for (size_t i = 0; i < collector->n; i++)
        collector->strings[i].bytes = collector->bytes.data;
    qsort(collector->strings, collector->n, sizeof(collector->strings[0]), compare);
}

int kin__collector_give_strings(kin__collector *collector, int code, bool sorted,
                                kin_string_list *ret, kin_error *err)
{
    size_t space = collector->n * sizeof(kin_str);
    kin_str *items = NULL;
    char *bytes;

    if (code == 0 && collector->n > 0) {
        items = kin__malloc(space + collector->bytes.len);
        if (!items)
            code = kin__error_no_memory(err);
    }
    if (items) {
        if (sorted)
            sort(collector);
        bytes = (char *)(items + collector->n);
        memcpy(bytes, collector->bytes.data, collector->bytes.len);
        for (size_t i = 0; i < collector->n; i++)
            items[i] =
                kin_str_make(bytes + collector->strings[i].offset, collector->strings[i].len);
    }
    if (code == 0)
        *ret = (kin_string_list){items, collector->n};
    done(collector);
    return code;
}

void kin_object_list_done(kin_object_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->len; i++) {
        /* They are all over the memory: ask for some ahead. */
        if (i + AHEAD < list->len)
            __builtin_prefetch(list->items[i + AHEAD], 1);
        kin_object_unref(list->items[i]);
    }
    kin__free(list->items);
    *list = (kin_object_list)KIN_OBJECT_LIST_INIT;
}

void kin_string_list_done(kin_string_list *list)
{
    if (!list)
        return;
    kin__free(list->items);
    *list = (kin_string_list)KIN_STRING_LIST_INIT;
}
