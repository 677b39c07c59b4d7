/* SPDX-License-Identifier: Apache-2.0 */
#include "store_support.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cache/store.h"
#include "kin_test.h"

/* --- texts --- */

struct text {
    char *data;
    size_t len;
    size_t cap;
};

static void append(struct text *text, const char *bytes, size_t len)
{
    if (text->len + len + 1 > text->cap) {
        text->cap = 2 * (text->len + len + 1);
        text->data = realloc(text->data, text->cap);
        assert_non_null(text->data);
    }
    memcpy(text->data + text->len, bytes, len);
    text->len += len;
    text->data[text->len] = '\0';
}

static void append_text(struct text *text, const char *more)
{
    append(text, more, strlen(more));
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(((const kin_str *)a)->data, ((const kin_str *)b)->data);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

static void sort_strings(kin_string_list *list)
{
    if (list->len)
        qsort(list->items, list->len, sizeof(list->items[0]), by_bytes);
}

static void sort_objects(kin_object_list *list)
{
    if (list->len)
        qsort(list->items, list->len, sizeof(list->items[0]), by_key);
}

static void append_item(struct text *text, const kin_object *item)
{
    char version[16];

    snprintf(version, sizeof(version), "@%u(", kin_test_item_version(item));
    append_text(text, " ");
    append_text(text, kin_object_key(item));
    append_text(text, version);
    append_text(text, kin_test_item_tags(item));
    append_text(text, ")");
}

static void append_head(struct text *text, size_t len, const char *resource_version)
{
    char head[KIN_RESOURCE_VERSION_BYTES_MAX + 32];

    snprintf(head, sizeof(head), "%zu at %s:", len, resource_version);
    append_text(text, head);
}

/* " x=a,b", and nothing if there are none. */
static void append_value(struct text *text, const char *value, const kin_object_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        append_text(text, i ? "," : " ");
        if (i == 0) {
            append_text(text, value);
            append_text(text, "=");
        }
        append_text(text, kin_object_key(list->items[i]));
    }
}

/* --- stores --- */

kin_store *test_store_new(void)
{
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_store *store = NULL;

    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_add_index(store, &by_tag, NULL), 0);
    return store;
}

kin_store *test_eager_store(void)
{
    kin_store *store = test_store_new();

    store->patience = 0;
    store->splice_min = 0;
    store->splice_at = 0;
    store->splice_at = 0;
    return store;
}

kin_view *test_open_view(kin_store *store)
{
    kin_view *view = NULL;

    assert_code(kin_view_new(&view, store, NULL), 0);
    return view;
}

void test_put_numbered(kin_store *store, unsigned i, unsigned version, const char *tags)
{
    char key[24];

    snprintf(key, sizeof(key), "ns-%u/item-%u", i % 3, i);
    test_put(store, key, version, tags);
}

void test_delete_key(kin_store *store, const char *key)
{
    assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
}

void test_put(kin_store *store, const char *key, unsigned version, const char *tags)
{
    const kin_object *item = kin_test_item(key, version, tags);

    assert_code(kin_store_add(store, item, NULL), 0);
    kin_object_unref(item);
}

/* Objects that are listed are those that are got, and their keys those that are listed. */
static void describe_objects(struct text *text, kin_store *store)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;

    assert_code(kin_store_list(store, &list, NULL), 0);
    assert_code(kin_store_list_keys(store, &keys, NULL), 0);
    assert_int_equal(list.len, keys.len);
    assert_int_equal(list.len, kin_store_len(store));
    sort_objects(&list);
    sort_strings(&keys);
    for (size_t i = 0; i < list.len; i++) {
        const kin_object *got = NULL;

        assert_string_equal(kin_object_key(list.items[i]), keys.items[i].data);
        assert_code(kin_store_get(store, &got, keys.items[i], NULL), 0);
        assert_ptr_equal(got, list.items[i]);
        kin_object_unref(got);
        append_item(text, list.items[i]);
    }
    kin_object_list_done(&list);
    kin_string_list_done(&keys);
}

static void describe_value(struct text *text, kin_store *store, kin_str index, kin_str value)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;

    assert_code(kin_store_by_index(store, &list, index, value, NULL), 0);
    assert_code(kin_store_index_keys(store, &keys, index, value, NULL), 0);
    assert_int_equal(list.len, keys.len);
    sort_objects(&list);
    for (size_t i = 0; i < list.len; i++)
        assert_string_equal(kin_object_key(list.items[i]), keys.items[i].data);
    append_value(text, value.data, &list);
    kin_object_list_done(&list);
    kin_string_list_done(&keys);
}

static void describe_indexes(struct text *text, kin_store *store)
{
    kin_string_list names = KIN_STRING_LIST_INIT;

    assert_code(kin_store_index_names(store, &names, NULL), 0);
    for (size_t i = 0; i < names.len; i++) {
        kin_string_list values = KIN_STRING_LIST_INIT;

        append_text(text, " | ");
        append_text(text, names.items[i].data);
        append_text(text, ":");
        assert_code(kin_store_index_values(store, &values, names.items[i], NULL), 0);
        sort_strings(&values);
        for (size_t v = 0; v < values.len; v++)
            describe_value(text, store, names.items[i], values.items[v]);
        kin_string_list_done(&values);
    }
    kin_string_list_done(&names);
}

char *test_describe(kin_store *store)
{
    struct text text = {NULL, 0, 0};
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    kin_store_resource_version(store, version, sizeof(version));
    append_head(&text, kin_store_len(store), version);
    describe_objects(&text, store);
    describe_indexes(&text, store);
    return text.data;
}

char *test_describe_view(kin_view *view)
{
    struct text text = {NULL, 0, 0};
    size_t len = kin_view_len(view);
    const kin_object **items = calloc(len + 1, sizeof(*items));
    kin_object_list list = {items, 0};

    assert_non_null(items);
    append_head(&text, len, kin_view_resource_version(view));
    for (const kin_object *item; kin_view_next(view, NULL, &item);) {
        assert_true(list.len < len);
        items[list.len++] = item;
    }
    assert_int_equal(list.len, len);
    sort_objects(&list);
    for (size_t i = 0; i < len; i++) {
        const kin_object *got = NULL;

        assert_code(kin_view_get(view, &got, kin_str_of(kin_object_key(items[i])), NULL), 0);
        assert_ptr_equal(got, items[i]);
        append_item(&text, items[i]);
    }
    free(items);
    append_text(&text, " | tag:");
    for (char value[2] = "x"; value[0] <= 'z'; value[0]++) {
        kin_object_list found = KIN_OBJECT_LIST_INIT;

        assert_code(kin_view_by_index(view, &found, kin_str_of("tag"), kin_str_of(value), NULL), 0);
        sort_objects(&found);
        append_value(&text, value, &found);
        kin_object_list_done(&found);
    }
    return text.data;
}

static void check(char *text, const char *expected, const char *file, int line)
{
    _assert_string_equal(text, expected, file, line);
    free(text);
}

void test_assert_store(kin_store *store, const char *expected, const char *file, int line)
{
    check(test_describe(store), expected, file, line);
}

void test_assert_view(kin_view *view, const char *expected, const char *file, int line)
{
    check(test_describe_view(view), expected, file, line);
}

void test_assert_tag(kin_store *store, const char *tag, const char *keys, const char *file,
                     int line)
{
    kin_string_list list = KIN_STRING_LIST_INIT;
    struct text text = {NULL, 0, 0};

    append_text(&text, "");
    assert_code(kin_store_index_keys(store, &list, kin_str_of("tag"), kin_str_of(tag), NULL), 0);
    for (size_t i = 0; i < list.len; i++) {
        append_text(&text, i ? " " : "");
        append_text(&text, list.items[i].data);
    }
    kin_string_list_done(&list);
    check(text.data, keys, file, line);
}

size_t test_old_states(kin_store *store)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;

    assert_code(kin_store_get_stats(store, &stats, NULL), 0);
    return stats.old_states;
}

/* --- sweeps --- */

/* Whether the n-th allocation was reached. */
static bool sweep_one(const test_sweep *sweep, size_t n, enum kin_test_alloc_mode mode)
{
    size_t live = kin_test_alloc_live();
    kin_error err = KIN_ERROR_INIT;
    kin_store *store = sweep->setup(sweep->arg);
    char *before = test_describe(store);
    char *after;
    bool reached;
    int code;

    kin_test_alloc_arm(n, mode);
    code = sweep->run(store, sweep->arg, &err);
    reached = kin_test_alloc_disarm();
    after = test_describe(store);
    if (!reached)
        assert_code(code, 0);
    if (code != 0) {
        assert_code(code, KIN_ENOMEM);
        assert_int_equal(err.code, KIN_ENOMEM);
        assert_string_equal(after, before);
    } else {
        assert_string_equal(after, sweep->expected ? sweep->expected : before);
    }
    free(before);
    free(after);
    kin_store_unref(store);
    assert_int_equal(kin_test_alloc_live(), live);
    return reached;
}

size_t test_run_sweep(const test_sweep *sweep)
{
    static const enum kin_test_alloc_mode modes[] = {KIN_TEST_FAIL_ONE, KIN_TEST_FAIL_REST};
    size_t n = 0;

    for (size_t m = 0; m < 2; m++) {
        n = 1;
        while (sweep_one(sweep, n, modes[m]))
            n++;
    }
    return n - 1;
}
