/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects under keys that the writer gives: lookups, the lifetime of the keys, errors.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/mutation_cache.h"
#include "kinform/store.h"
#include "kinform/view.h"
#include "store_support.h"

static int put(kin_store *store, const char *key, const char *name, unsigned version,
               const char *tags, kin_error *err)
{
    const kin_object *item = kin_test_item(name, version, tags);
    int code = kin_store_put(store, kin_str_of(key), item, err);

    kin_object_unref(item);
    return code;
}

/* Version 0: the key is not there. */
static void assert_has(kin_store *store, const char *key, unsigned version)
{
    const kin_object *found = NULL;

    assert_code(kin_store_get(store, &found, kin_str_of(key), NULL), version ? 0 : KIN_ENOTFOUND);
    if (version)
        assert_int_equal(kin_test_item_version(found), version);
    kin_object_unref(found);
}

struct visited {
    size_t len;
    char text[64];
};

static int add_key(kin_str key, const kin_object *object, void *arg)
{
    struct visited *visited = arg;

    (void)object;
    visited->len +=
        (size_t)snprintf(visited->text + visited->len, sizeof(visited->text) - visited->len,
                         "%" KIN_STR_FMT " ", KIN_STR_ARG(key));
    return 0;
}

/* One key, by every way that shows keys. */
static void assert_only_key(kin_store *store, const char *key)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;
    struct visited visited = {0, ""};
    char expected[64];

    snprintf(expected, sizeof(expected), "%s ", key);
    assert_code(kin_store_list_keys(store, &keys, NULL), 0);
    assert_int_equal(keys.len, 1);
    assert_string_equal(keys.items[0].data, key);
    kin_string_list_done(&keys);
    assert_code(kin_store_each(store, add_key, &visited, NULL), 0);
    assert_string_equal(visited.text, expected);
}

static void the_given_key_counts(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *item = kin_test_item("a", 1, "x");
    char version[8];

    (void)state;
    assert_code(kin_store_put(store, kin_str_of("k"), item, NULL), 0);
    assert_has(store, "k", 1);
    assert_has(store, "a", 0);
    assert_code(kin_store_get_object(store, NULL, item, NULL), KIN_ENOTFOUND);
    assert_only_key(store, "k");
    assert_tag(store, "x", "k");
    kin_store_resource_version(store, version, sizeof(version));
    assert_string_equal(version, "1");
    /* The same key again is an update. */
    assert_code(put(store, "k", "b", 2, "x,y", NULL), 0);
    assert_has(store, "k", 2);
    assert_only_key(store, "k");
    assert_tag(store, "x", "k");
    assert_tag(store, "y", "k");
    /* A computed key is another one, */
    assert_code(kin_store_add(store, item, NULL), 0);
    assert_tag(store, "x", "a k");
    assert_code(kin_store_delete(store, item, NULL), 0);
    assert_only_key(store, "k");
    /* or the same. */
    test_put(store, "k", 3, "y");
    assert_has(store, "k", 3);
    assert_tag(store, "x", "");
    assert_code(put(store, "k", "a", 4, "z", NULL), 0);
    assert_only_key(store, "k");
    assert_tag(store, "y", "");
    assert_tag(store, "z", "k");
    assert_code(kin_store_delete_key(store, kin_str_of("k"), NULL), 0);
    assert_store(store, "0 at 4: | tag:");
    kin_object_unref(item);
    kin_store_unref(store);
}

static void a_list_replaces_it(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *items[2] = {kin_test_item("a", 5, "x"), kin_test_item("j", 6, NULL)};

    (void)state;
    assert_code(put(store, "k", "a", 1, "x", NULL), 0);
    assert_code(put(store, "j", "a", 1, "x", NULL), 0);
    assert_code(kin_store_replace(store, items, 2, kin_str_of("7"), NULL), 0);
    assert_store(store, "2 at 7: a@5(x) j@6() | tag: x=a");
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    kin_store_unref(store);
}

static int failing_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    return kin_error_set(err, KIN_ETYPE, "no key for this one");
}

static int rename_item(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    *ret = kin_test_item("other", kin_test_item_version(object) + 100, NULL);
    return 0;
}

/* The key function is not called; the transformer is, and does not change the key. */
static void functions_do_not_change_the_key(void **state)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_store *store = NULL;

    (void)state;
    options.key = failing_key;
    options.transform = rename_item;
    assert_code(kin_store_new(&store, &options, NULL), 0);
    assert_code(put(store, "k", "a", 1, NULL, NULL), 0);
    assert_has(store, "k", 101);
    assert_only_key(store, "k");
    kin_store_unref(store);
}

static void tombstones_are_put_under_it_too(void **state)
{
    const kin_object *tombstone = NULL;
    const kin_object *found = NULL;
    kin_store *store = NULL;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("gone"), NULL, NULL), 0);
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_put(store, kin_str_of("k"), tombstone, NULL), 0);
    assert_code(kin_store_get(store, &found, kin_str_of("k"), NULL), 0);
    assert_ptr_equal(found, tombstone);
    assert_only_key(store, "k");
    kin_object_unref(found);
    kin_object_unref(tombstone);
    kin_store_unref(store);
}

/* What a view shows lives as long as the view: also if records are copied for a new index. */
static void views_keep_keys(void **state)
{
    kin_index index = KIN_INDEX_INIT("late", kin_test_by_tag);
    kin_store *store = test_eager_store();
    const kin_object *object = NULL;
    kin_view *view;
    kin_str key;

    (void)state;
    assert_code(put(store, "a-key-of-the-writer", "a", 1, "x", NULL), 0);
    view = test_open_view(store);
    assert_true(kin_view_next(view, &key, &object));
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    for (unsigned i = 2; i < 6; i++)
        test_put(store, "other", i, "x");
    assert_true(kin_str_equal(key, kin_str_of("a-key-of-the-writer")));
    assert_code(put(store, "a-key-of-the-writer", "a", 7, "y", NULL), 0);
    assert_code(kin_store_delete_key(store, kin_str_of("a-key-of-the-writer"), NULL), 0);
    for (unsigned i = 8; i < 12; i++)
        test_put(store, "other", i, "x");
    assert_true(kin_str_equal(key, kin_str_of("a-key-of-the-writer")));
    assert_int_equal(kin_test_item_version(object), 1);
    assert_false(kin_view_next(view, &key, &object));
    kin_view_free(view);
    assert_only_key(store, "other");
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

static void new_indexes_have_it(void **state)
{
    kin_index index = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_store *store = NULL;

    (void)state;
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(put(store, "k", "a", 1, "x", NULL), 0);
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    assert_tag(store, "x", "k");
    assert_only_key(store, "k");
    assert_code(put(store, "k", "a", 2, "y", NULL), 0);
    assert_tag(store, "x", "");
    assert_tag(store, "y", "k");
    kin_store_unref(store);
}

static void mutation_caches_find_it_by_index(void **state)
{
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_store *store = test_store_new();
    kin_mutation_cache *cache = NULL;
    const kin_object *newer = kin_test_item("k", 5, "x");

    (void)state;
    assert_code(kin_mutation_cache_new(&cache, store, &options, NULL), 0);
    assert_code(put(store, "k", "a", 1, "x", NULL), 0);
    assert_code(kin_mutation_cache_mutation(cache, newer, NULL), 0);
    assert_code(kin_mutation_cache_by_index(cache, &list, kin_str_of("tag"), kin_str_of("x"), NULL),
                0);
    assert_int_equal(list.len, 1);
    assert_ptr_equal(list.items[0], newer);
    kin_object_list_done(&list);
    kin_object_unref(newer);
    kin_mutation_cache_free(cache);
    kin_store_unref(store);
}

static void bad_keys_are_refused(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *item = kin_test_item("a", 1, NULL);
    char *key = malloc(KIN_KEY_BYTES_MAX + 1);

    (void)state;
    assert_non_null(key);
    memset(key, 'k', KIN_KEY_BYTES_MAX + 1);
    assert_code(kin_store_put(NULL, kin_str_of("k"), item, NULL), KIN_EINVAL);
    assert_code(kin_store_put(store, kin_str_of("k"), NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_put(store, kin_str_make(NULL, 0), item, NULL), KIN_EINVAL);
    assert_code(kin_store_put(store, kin_str_make("a\0b", 3), item, NULL), KIN_EINVAL);
    assert_code(kin_store_put(store, kin_str_make(key, KIN_KEY_BYTES_MAX + 1), item, NULL),
                KIN_ELIMIT);
    assert_store(store, "0 at : | tag:");
    assert_code(kin_store_put(store, kin_str_make(key, KIN_KEY_BYTES_MAX), item, NULL), 0);
    assert_code(kin_store_get(store, NULL, kin_str_make(key, KIN_KEY_BYTES_MAX), NULL), 0);
    kin_object_unref(item);
    free(key);
    kin_store_unref(store);
}

/* --- memory --- */

static kin_store *setup_sweep(void *arg)
{
    kin_store *store = test_store_new();

    (void)arg;
    assert_code(put(store, "k", "k", 1, "x", NULL), 0);
    return store;
}

static int run_update(kin_store *store, void *arg, kin_error *err)
{
    (void)arg;
    return put(store, "k", "k", 2, "y,z", err);
}

static int run_index(kin_store *store, void *arg, kin_error *err)
{
    kin_index index = KIN_INDEX_INIT("late", kin_test_by_tag);

    (void)arg;
    return kin_store_add_index(store, &index, err);
}

static void without_memory_nothing_changes(void **state)
{
    const test_sweep update = {setup_sweep, run_update, NULL, "1 at 2: k@2(y,z) | tag: y=k z=k"};
    const test_sweep add_index = {setup_sweep, run_index, NULL,
                                  "1 at 1: k@1(x) | tag: x=k | late: x=k"};

    (void)state;
    assert_true(test_run_sweep(&update) >= 4);
    assert_true(test_run_sweep(&add_index) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_given_key_counts),
        cmocka_unit_test(a_list_replaces_it),
        cmocka_unit_test(functions_do_not_change_the_key),
        cmocka_unit_test(tombstones_are_put_under_it_too),
        cmocka_unit_test(views_keep_keys),
        cmocka_unit_test(new_indexes_have_it),
        cmocka_unit_test(mutation_caches_find_it_by_index),
        cmocka_unit_test(bad_keys_are_refused),
        cmocka_unit_test(without_memory_nothing_changes),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
