/* SPDX-License-Identifier: Apache-2.0 */
#include "fifo_support.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "item.h"
#include "kin_test.h"

static struct trace *trace_new(void **state)
{
    struct trace *trace = calloc(1, sizeof(*trace));

    assert_non_null(trace);
    *state = trace;
    return trace;
}

int fifo_setup(void **state)
{
    assert_code(kin_fifo_new(&trace_new(state)->fifo, NULL, NULL), 0);
    return 0;
}

int ordered_fifo_setup(void **state)
{
    assert_code(kin_ordered_fifo_new(&trace_new(state)->ordered, NULL, NULL), 0);
    return 0;
}

int trace_teardown(void **state)
{
    struct trace *trace = *state;

    kin_fifo_free(trace->fifo);
    kin_ordered_fifo_free(trace->ordered);
    free(trace);
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

void trace_reset(struct trace *trace)
{
    trace->len = 0;
    trace->text[0] = '\0';
    trace->n = 0;
}

static void put(struct trace *trace, const char *text)
{
    size_t len = strlen(text);

    assert_true(trace->len + len < sizeof(trace->text));
    memcpy(trace->text + trace->len, text, len + 1);
    trace->len += len;
}

/* A key, which need not be the object's own. */
static void put_key(struct trace *trace, kin_str key)
{
    char text[256];

    snprintf(text, sizeof(text), " %" KIN_STR_FMT, KIN_STR_ARG(key));
    put(trace, text);
}

static int begin(struct trace *trace, kin_error *err)
{
    trace->n++;
    if (trace->during)
        trace->during(trace);
    if (trace->said)
        kin_error_set(err, trace->said, "as the test said");
    return trace->result;
}

static void part(struct trace *trace)
{
    if (trace->len > 0 && trace->text[trace->len - 1] != '{')
        put(trace, ", ");
}

int note_object(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    struct trace *trace = arg;

    part(trace);
    put(trace, kin_object_key(object));
    put(trace, " ");
    put(trace, kin_object_resource_version(object).data);
    if (is_initial_list)
        put(trace, "*");
    return begin(trace, err);
}

static void note_list(struct trace *trace, const kin_delta *delta)
{
    const kin_object *const *items = NULL;
    size_t n = 0;

    put(trace, " ");
    put(trace, kin_delta_resource_version(delta).data);
    assert_code(kin_delta_list(delta, &items, &n, NULL), 0);
    put(trace, " [");
    for (size_t i = 0; i < n; i++) {
        put(trace, i ? ", " : "");
        put(trace, kin_object_key(items[i]));
        put(trace, " ");
        put(trace, kin_object_resource_version(items[i]).data);
    }
    put(trace, "]");
}

static void note_delta(struct trace *trace, const kin_deltas *deltas, bool is_initial_list)
{
    const kin_delta *delta = kin_deltas_newest(deltas);
    const kin_object *last = NULL;

    part(trace);
    assert_int_equal(deltas->len, 1);
    put(trace, kin_delta_type_name(delta->type));
    assert_true(delta->type < KIN_DELTA_REPLACED_ALL || deltas->key.len == 0);
    if (delta->type == KIN_DELTA_REPLACED_ALL) {
        note_list(trace, delta);
    } else if (delta->type == KIN_DELTA_BOOKMARK) {
        put(trace, " ");
        put(trace, kin_delta_resource_version(delta).data);
    } else if (kin_object_is_tombstone(delta->object, &last)) {
        put_key(trace, deltas->key);
        put(trace, " (");
        put(trace, last ? kin_object_resource_version(last).data : "-");
        put(trace, ")");
    } else if (delta->type != KIN_DELTA_SYNC_ALL) {
        put_key(trace, deltas->key);
        put(trace, " ");
        put(trace, kin_object_resource_version(delta->object).data);
    }
    if (is_initial_list)
        put(trace, "*");
}

int note_deltas(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    note_delta(arg, deltas, is_initial_list);
    return begin(arg, err);
}

int note_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg, kin_error *err)
{
    struct trace *trace = arg;

    part(trace);
    put(trace, "{");
    for (size_t i = 0; i < n; i++)
        note_delta(trace, &deltas[i], is_initial_list);
    put(trace, "}");
    return begin(trace, err);
}

const char *drain_fifo(struct trace *trace)
{
    trace_reset(trace);
    while (kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL) == 0)
        ;
    return trace->text;
}

const char *drain_ordered(struct trace *trace)
{
    trace_reset(trace);
    while (kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, NULL) == 0)
        ;
    return trace->text;
}

const char *drain_ordered_in_batches(struct trace *trace, size_t max)
{
    trace_reset(trace);
    while (kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, max, 0, NULL) == 0)
        ;
    return trace->text;
}

struct items items_of(const char *text)
{
    struct items items = {{NULL}, 0};

    while (text && *text) {
        char key[64];
        unsigned version = 0;
        int used = 0;

        assert_true(items.n < 16);
        assert_int_equal(sscanf(text, "%63s %u%n", key, &version, &used), 2);
        items.items[items.n++] = kin_test_item(key, version, NULL);
        text += used;
        text += strspn(text, ", ");
    }
    return items;
}

void items_done(struct items *items)
{
    for (size_t i = 0; i < items->n; i++)
        kin_object_unref(items->items[i]);
    items->n = 0;
}

static int known_has(void *arg, kin_str key, kin_error *err)
{
    struct known *known = arg;
    struct items items = items_of(known->text);
    int code = KIN_ENOTFOUND;

    for (size_t i = 0; i < items.n; i++)
        if (kin_str_equal(key, kin_str_of(kin_object_key(items.items[i]))))
            code = 0;
    items_done(&items);
    return code < 0 ? kin_error_set(err, code, "not known") : 0;
}

static int known_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    struct known *known = arg;
    struct items items = items_of(known->text);
    int code = 0;

    known->asked++;
    if (known->before)
        known->before(known);
    for (size_t i = 0; i < items.n && code == 0; i++)
        code = i + 1 == items.n && known->result
                   ? known->result
                   : visit(kin_str_of(kin_object_key(items.items[i])), items.items[i], visit_arg);
    if (code == known->result && code < 0)
        kin_error_set(err, code, "as the test said");
    if (known->after)
        known->after(known);
    items_done(&items);
    return code;
}

kin_known_objects known_objects_of(struct known *known)
{
    return (kin_known_objects){sizeof(kin_known_objects), known_has, known_each, known};
}

int fifo_add(kin_fifo *fifo, const char *key, unsigned version)
{
    const kin_object *item = kin_test_item(key, version, NULL);
    int code = kin_fifo_add(fifo, item, NULL);

    kin_object_unref(item);
    return code;
}

int fifo_delete(kin_fifo *fifo, const char *key)
{
    const kin_object *item = kin_test_item(key, 0, NULL);
    int code = kin_fifo_delete(fifo, item, NULL);

    kin_object_unref(item);
    return code;
}

int fifo_replace(kin_fifo *fifo, const char *text)
{
    struct items items = items_of(text);
    int code = kin_fifo_replace(fifo, items.items, items.n, kin_str_of("1"), NULL);

    items_done(&items);
    return code;
}

int ordered_put(kin_ordered_fifo *fifo, kin_delta_type type, const char *key, unsigned version)
{
    const kin_object *item = kin_test_item(key, version, NULL);
    int code = type == KIN_DELTA_ADDED     ? kin_ordered_fifo_add(fifo, item, NULL)
               : type == KIN_DELTA_UPDATED ? kin_ordered_fifo_update(fifo, item, NULL)
                                           : kin_ordered_fifo_delete(fifo, item, NULL);

    kin_object_unref(item);
    return code;
}

int ordered_replace(kin_ordered_fifo *fifo, const char *text, const char *version)
{
    struct items items = items_of(text);
    int code = kin_ordered_fifo_replace(fifo, items.items, items.n, kin_str_of(version), NULL);

    items_done(&items);
    return code;
}

void assert_fifo_objects(kin_fifo *fifo, const char *expected)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct trace text = {.len = 0};

    assert_code(kin_fifo_list(fifo, &list, NULL), 0);
    for (size_t i = 0; i < list.len; i++) {
        part(&text);
        put(&text, kin_object_key(list.items[i]));
        put(&text, " ");
        put(&text, kin_object_resource_version(list.items[i]).data);
    }
    kin_object_list_done(&list);
    assert_string_equal(text.text, expected);
}

void assert_fifo_keys(kin_fifo *fifo, const char *expected)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct trace text = {.len = 0};

    assert_code(kin_fifo_list_keys(fifo, &keys, NULL), 0);
    assert_code(kin_fifo_list(fifo, &list, NULL), 0);
    assert_int_equal(keys.len, list.len);
    for (size_t i = 0; i < keys.len; i++) {
        part(&text);
        put(&text, keys.items[i].data);
        assert_string_equal(keys.items[i].data, kin_object_key(list.items[i]));
    }
    kin_string_list_done(&keys);
    kin_object_list_done(&list);
    assert_string_equal(text.text, expected);
}
