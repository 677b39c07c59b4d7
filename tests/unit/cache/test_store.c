/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores: put, get, delete, list, resource versions, what is refused, forks. Indexes,
 * replacements, transactions and views have tests of their own.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "child.h"
#include "kinform/json.h"
#include "kinform/store.h"
#include "store_support.h"

static kin_store *new_store(const kin_store_options *options)
{
    kin_store *store = NULL;

    assert_code(kin_store_new(&store, options, NULL), 0);
    return store;
}

static const kin_object *from_json(const char *json)
{
    const kin_object *object = NULL;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    return object;
}

static void assert_version(kin_store *store, const char *expected)
{
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    assert_int_equal(kin_store_resource_version(store, version, sizeof(version)), strlen(expected));
    assert_string_equal(version, expected);
}

/* --- the contract of a store --- */

static void what_is_put_is_found(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *item = kin_test_item("ns/a", 1, NULL);
    const kin_object *got = NULL;

    (void)state;
    assert_code(kin_store_get(store, &got, kin_str_of("ns/a"), NULL), KIN_ENOTFOUND);
    assert_null(got);
    assert_code(kin_store_add(store, item, NULL), 0);
    assert_code(kin_store_get(store, &got, kin_str_of("ns/a"), NULL), 0);
    assert_ptr_equal(got, item);
    kin_object_unref(got);
    assert_code(kin_store_get(store, NULL, kin_str_of("ns/a"), NULL), 0);
    got = NULL;
    assert_code(kin_store_get_object(store, &got, item, NULL), 0);
    assert_ptr_equal(got, item);
    kin_object_unref(got);
    assert_code(kin_store_get_object(store, NULL, item, NULL), 0);
    kin_object_unref(item);
    /* Adding is putting, and so is updating. */
    test_put(store, "ns/a", 2, NULL);
    item = kin_test_item("ns/b", 3, NULL);
    assert_code(kin_store_update(store, item, NULL), 0);
    kin_object_unref(item);
    assert_store(store, "2 at 3: ns/a@2() ns/b@3() | tag:");
    kin_store_unref(store);
}

static void what_is_deleted_is_gone(void **state)
{
    kin_store *store = test_store_new();
    size_t live = kin_test_items_live();
    const kin_object *other = kin_test_item("a", 9, NULL);

    (void)state;
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "x");
    test_put(store, "c", 3, "x");
    assert_code(kin_store_delete(store, other, NULL), 0);
    assert_code(kin_store_delete_key(store, kin_str_of("b"), NULL), 0);
    assert_store(store, "1 at 9: c@3(x) | tag: x=c");
    assert_code(kin_store_get(store, NULL, kin_str_of("a"), NULL), KIN_ENOTFOUND);
    /* Once more, and one that never was there: nothing happens. */
    assert_code(kin_store_delete_key(store, kin_str_of("b"), NULL), 0);
    assert_code(kin_store_delete_key(store, kin_str_of("never"), NULL), 0);
    assert_store(store, "1 at 9: c@3(x) | tag: x=c");
    kin_object_unref(other);
    /* It can come back. */
    test_put(store, "a", 10, "x");
    assert_store(store, "2 at 10: a@10(x) c@3(x) | tag: x=a,c");
    /* With nobody looking, nothing old is kept. */
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live() - live, 2);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

/* client-go's TestCache, with documents. */
static void the_contract_of_stores_with_documents(void **state)
{
    static const char *const texts[] = {
        "{\"metadata\":{\"name\":\"foo\",\"namespace\":\"n\",\"resourceVersion\":\"1\"},\"v\":\"bar\"}",
        "{\"metadata\":{\"name\":\"foo\",\"namespace\":\"n\",\"resourceVersion\":\"2\"},\"v\":\"baz\"}",
        "{\"metadata\":{\"name\":\"bar\",\"resourceVersion\":\"3\"}}",
    };
    kin_store *store = new_store(NULL);
    const kin_object *objects[3];
    const kin_object *got = NULL;
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        objects[i] = from_json(texts[i]);
    assert_code(kin_store_add(store, objects[0], NULL), 0);
    assert_code(kin_store_update(store, objects[1], NULL), 0);
    assert_code(kin_store_add(store, objects[2], NULL), 0);
    assert_int_equal(kin_store_len(store), 2);
    assert_code(kin_store_get(store, &got, kin_str_of("n/foo"), NULL), 0);
    assert_ptr_equal(got, objects[1]);
    kin_object_unref(got);
    assert_code(kin_store_list_keys(store, &keys, NULL), 0);
    assert_int_equal(keys.len, 2);
    kin_string_list_done(&keys);
    assert_version(store, "3");
    /* By another state of it. */
    assert_code(kin_store_delete(store, objects[0], NULL), 0);
    assert_code(kin_store_get(store, NULL, kin_str_of("n/foo"), NULL), KIN_ENOTFOUND);
    assert_int_equal(kin_store_len(store), 1);
    assert_code(kin_store_resync(store, NULL), 0);
    assert_int_equal(kin_store_len(store), 1);
    for (unsigned i = 0; i < 3; i++)
        kin_object_unref(objects[i]);
    kin_store_unref(store);
}

static void tombstones_and_keys_stand_for_objects(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *item = kin_test_item("ns/a", 50, NULL);
    const kin_object *tombstone = NULL;
    const kin_object *key = NULL;
    const kin_object *got = NULL;

    (void)state;
    test_put(store, "ns/a", 1, NULL);
    test_put(store, "ns/b", 2, NULL);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("ns/a"), item, NULL), 0);
    assert_code(kin_explicit_key_new(&key, kin_str_of("ns/b"), NULL), 0);
    assert_code(kin_store_get_object(store, &got, tombstone, NULL), 0);
    assert_int_equal(kin_test_item_version(got), 1);
    kin_object_unref(got);
    assert_code(kin_store_get_object(store, &got, key, NULL), 0);
    assert_int_equal(kin_test_item_version(got), 2);
    kin_object_unref(got);
    /* A tombstone does not know at which version it was deleted, a key has none. */
    assert_code(kin_store_delete(store, tombstone, NULL), 0);
    assert_code(kin_store_delete(store, key, NULL), 0);
    assert_store(store, "0 at 2: | tag:");
    kin_object_unref(tombstone);
    kin_object_unref(key);
    kin_object_unref(item);
    kin_store_unref(store);
}

/* --- resource versions --- */

static void the_last_version_counts(void **state)
{
    kin_store *store = new_store(NULL);
    const kin_object *key = NULL;
    const kin_object *item;

    (void)state;
    assert_version(store, "");
    test_put(store, "a", 7, NULL);
    assert_version(store, "7");
    /* The last, not the highest. */
    test_put(store, "a", 3, NULL);
    assert_version(store, "3");
    item = kin_test_item("a", 8, NULL);
    assert_code(kin_store_delete(store, item, NULL), 0);
    assert_version(store, "8");
    kin_object_unref(item);
    /* What is not there can bring a version too. */
    item = kin_test_item("never", 9, NULL);
    assert_code(kin_store_delete(store, item, NULL), 0);
    assert_version(store, "9");
    kin_object_unref(item);
    assert_code(kin_store_delete_key(store, kin_str_of("a"), NULL), 0);
    assert_version(store, "9");
    assert_code(kin_store_bookmark(store, kin_str_of("opaque-10"), NULL), 0);
    assert_version(store, "opaque-10");
    /* None is no version. */
    assert_code(kin_store_bookmark(store, kin_str_of(""), NULL), 0);
    assert_version(store, "opaque-10");
    assert_code(kin_explicit_key_new(&key, kin_str_of("k"), NULL), 0);
    assert_code(kin_store_add(store, key, NULL), 0);
    assert_version(store, "opaque-10");
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("11"), NULL), 0);
    assert_version(store, "11");
    kin_object_unref(key);
    kin_store_unref(store);
}

static void versions_are_cut_for_whoever_has_no_room(void **state)
{
    kin_store *store = test_store_new();
    char longest[KIN_RESOURCE_VERSION_BYTES_MAX + 2];
    char buf[8] = "1234567";
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_int_equal(kin_store_resource_version(NULL, buf, sizeof(buf)), 0);
    assert_string_equal(buf, "");
    assert_int_equal(kin_store_resource_version(store, NULL, 0), 0);
    assert_code(kin_store_bookmark(store, kin_str_of("123456789"), NULL), 0);
    assert_int_equal(kin_store_resource_version(store, NULL, 0), 9);
    assert_int_equal(kin_store_resource_version(store, buf, sizeof(buf)), 9);
    assert_string_equal(buf, "1234567");
    assert_int_equal(kin_store_resource_version(store, buf, 1), 9);
    assert_string_equal(buf, "");
    /* All lengths, growing and shrinking. */
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 1; i <= KIN_RESOURCE_VERSION_BYTES_MAX; i++) {
            size_t len = round ? KIN_RESOURCE_VERSION_BYTES_MAX + 1 - i : i;

            memset(longest, 'a' + (int)(len % 26), sizeof(longest));
            longest[len] = '\0';
            assert_code(kin_store_bookmark(store, kin_str_of(longest), NULL), 0);
            assert_version(store, longest);
        }
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    assert_int_equal(strlen(longest), KIN_RESOURCE_VERSION_BYTES_MAX + 1);
    assert_code(kin_store_bookmark(store, kin_str_of(longest), &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "128 bytes"));
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of(longest), NULL), KIN_ELIMIT);
    assert_version(store, "b");
    kin_store_unref(store);
}

/* An object with a version that is too long is stored; the version is not noted. */
static void an_object_may_have_any_version(void **state)
{
    kin_store *store = new_store(NULL);
    char json[512];
    char longest[KIN_RESOURCE_VERSION_BYTES_MAX + 2];
    const kin_object *object;

    (void)state;
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"%s\"}}",
             longest);
    object = from_json(json);
    assert_code(kin_store_bookmark(store, kin_str_of("1"), NULL), 0);
    assert_code(kin_store_add(store, object, NULL), 0);
    assert_int_equal(kin_store_len(store), 1);
    assert_version(store, "1");
    kin_object_unref(object);
    kin_store_unref(store);
}

/* --- keys --- */

static void objects_without_a_name_are_refused(void **state)
{
    static const char *const nameless[] = {"{}", "{\"metadata\":{}}", "{\"metadata\":null}",
                                           "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"};
    kin_store *store = new_store(NULL);
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++) {
        object = from_json(nameless[i]);
        assert_code(kin_store_add(store, object, &err), KIN_EINVAL);
        assert_string_equal(err.message, "an object without a name has no key");
        assert_code(kin_store_update(store, object, NULL), KIN_EINVAL);
        assert_code(kin_store_delete(store, object, NULL), KIN_EINVAL);
        assert_code(kin_store_get_object(store, NULL, object, NULL), KIN_EINVAL);
        kin_object_unref(object);
    }
    /* A namespace alone is a key, as client-go has it. */
    object = from_json("{\"metadata\":{\"namespace\":\"n\"}}");
    assert_code(kin_store_add(store, object, NULL), 0);
    assert_code(kin_store_get(store, NULL, kin_str_of("n/"), NULL), 0);
    kin_object_unref(object);
    assert_code(kin_store_delete_key(store, kin_str_of(""), NULL), KIN_EINVAL);
    assert_code(kin_store_get(store, NULL, kin_str_of(""), NULL), KIN_ENOTFOUND);
    assert_int_equal(kin_store_len(store), 1);
    kin_store_unref(store);
}

static void keys_have_a_limit(void **state)
{
    kin_store *store = test_store_new();
    char *key = malloc(KIN_KEY_BYTES_MAX + 2);
    const kin_object *item;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_non_null(key);
    memset(key, 'k', KIN_KEY_BYTES_MAX + 1);
    key[KIN_KEY_BYTES_MAX + 1] = '\0';
    item = kin_test_item(key, 1, NULL);
    assert_code(kin_store_add(store, item, &err), KIN_ELIMIT);
    assert_string_equal(err.message, "a key of 65536 bytes; 65535 are the limit");
    assert_code(kin_store_delete(store, item, NULL), KIN_ELIMIT);
    assert_code(kin_store_get_object(store, NULL, item, NULL), KIN_ELIMIT);
    assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), KIN_ELIMIT);
    assert_code(kin_store_get(store, NULL, kin_str_of(key), NULL), KIN_ENOTFOUND);
    assert_code(kin_store_replace(store, &item, 1, kin_str_of("1"), NULL), KIN_ELIMIT);
    kin_object_unref(item);
    key[KIN_KEY_BYTES_MAX] = '\0';
    test_put(store, key, 2, NULL);
    assert_code(kin_store_get(store, NULL, kin_str_of(key), NULL), 0);
    assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
    assert_int_equal(kin_store_len(store), 0);
    free(key);
    kin_store_unref(store);
}

/* A key function that does what the item's tags say. */
static int odd_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    const char *tags = kin_test_item_tags(object);

    ++*(unsigned *)arg;
    if (strcmp(tags, "fail") == 0)
        return kin_error_set(err, KIN_ETYPE, "no key for this one");
    if (strcmp(tags, "positive") == 0)
        return 42;
    if (strcmp(tags, "empty") == 0)
        return 0;
    *ret = kin_str_of(tags);
    return 0;
}

static void key_functions_decide(void **state)
{
    unsigned calls = 0;
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    const kin_object *item = kin_test_item("a", 1, "by-tags");
    kin_store *store;

    (void)state;
    options.key = odd_key;
    options.key_arg = &calls;
    store = new_store(&options);
    assert_code(kin_store_add(store, item, NULL), 0);
    assert_true(calls > 0);
    assert_code(kin_store_get(store, NULL, kin_str_of("by-tags"), NULL), 0);
    assert_code(kin_store_get(store, NULL, kin_str_of("a"), NULL), KIN_ENOTFOUND);
    assert_code(kin_store_get_object(store, NULL, item, NULL), 0);
    kin_object_unref(item);

    item = kin_test_item("b", 2, "fail");
    assert_code(kin_store_add(store, item, &err), KIN_ETYPE);
    assert_string_equal(err.message, "no key for this one");
    assert_code(kin_store_delete(store, item, NULL), KIN_ETYPE);
    assert_code(kin_store_get_object(store, NULL, item, NULL), KIN_ETYPE);
    assert_code(kin_store_replace(store, &item, 1, kin_str_of("9"), NULL), KIN_ETYPE);
    kin_object_unref(item);
    item = kin_test_item("b", 2, "positive");
    assert_code(kin_store_add(store, item, &err), KIN_EINVAL);
    assert_string_equal(err.message, "the key function returned 42");
    kin_object_unref(item);
    item = kin_test_item("b", 2, "empty");
    assert_code(kin_store_add(store, item, NULL), KIN_EINVAL);
    kin_object_unref(item);
    assert_int_equal(kin_store_len(store), 1);
    assert_version(store, "1");
    kin_store_unref(store);
}

/* --- transformers --- */

/* Makes another item with the tags "made"; odd ones do what they are tagged with. */
static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    const char *tags = kin_test_item_tags(object);

    if (arg)
        ++*(unsigned *)arg;
    if (strcmp(tags, "fail") == 0)
        return kin_error_set(err, KIN_ERANGE, "not this one");
    if (strcmp(tags, "positive") == 0)
        return 7;
    if (strcmp(tags, "nothing") == 0)
        return 0;
    if (strcmp(tags, "same") == 0)
        *ret = kin_object_ref(object);
    else if (strcmp(tags, "rename") == 0)
        *ret = kin_test_item("other", kin_test_item_version(object), "made");
    else
        *ret = kin_test_item(kin_object_key(object), kin_test_item_version(object) + 100, "made");
    return 0;
}

static void refuse(kin_store *store, const char *tags, int code, const char *message)
{
    const kin_object *item = kin_test_item("refused", 9, tags);
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_store_add(store, item, &err), code);
    assert_string_equal(err.message, message);
    assert_code(kin_store_update(store, item, NULL), code);
    assert_code(kin_store_replace(store, &item, 1, kin_str_of("9"), NULL), code);
    kin_object_unref(item);
}

static void transformers_change_what_comes_in(void **state)
{
    size_t live = kin_test_items_live();
    unsigned calls = 0;
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    const kin_object *item = kin_test_item("c", 3, "x");
    kin_store *store;

    (void)state;
    options.transform = transform;
    options.transform_arg = &calls;
    store = new_store(&options);
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "same");
    assert_int_equal(calls, 2);
    /* The version is that of what is stored. */
    assert_store(store, "2 at 2: a@101(made) b@2(same)");
    assert_code(kin_store_update(store, item, NULL), 0);
    assert_int_equal(calls, 3);
    assert_version(store, "103");
    /* What is deleted is not transformed. */
    assert_code(kin_store_delete(store, item, NULL), 0);
    assert_int_equal(calls, 3);
    assert_version(store, "3");
    refuse(store, "fail", KIN_ERANGE, "not this one");
    refuse(store, "positive", KIN_EINVAL, "the transformer returned 7");
    refuse(store, "nothing", KIN_EINVAL, "the transformer gave no object");
    assert_store(store, "2 at 3: a@101(made) b@2(same)");
    /* It may change the key; a deletion finds it by either. */
    for (int i = 0; i < 2; i++) {
        const kin_object *renamed = kin_test_item("z", 4, "rename");
        const kin_object *other = kin_test_item("other", 4, "x");

        assert_code(kin_store_add(store, renamed, NULL), 0);
        assert_store(store, "3 at 4: a@101(made) b@2(same) other@4(made)");
        assert_code(kin_store_delete(store, i ? other : renamed, NULL), 0);
        assert_store(store, "2 at 4: a@101(made) b@2(same)");
        kin_object_unref(renamed);
        kin_object_unref(other);
    }
    assert_code(kin_store_replace(store, &item, 1, kin_str_of("list"), NULL), 0);
    assert_store(store, "1 at list: c@103(made)");
    kin_object_unref(item);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

/* --- arguments --- */

static void nothing_works_on_no_store(void **state)
{
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list strings = KIN_STRING_LIST_INIT;
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    kin_index index = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_replace *replace = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str text = kin_str_of("a");

    (void)state;
    assert_code(kin_store_add(NULL, item, &err), KIN_EINVAL);
    assert_string_equal(err.message, "store is NULL");
    assert_code(kin_store_update(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_store_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_store_delete_key(NULL, text, NULL), KIN_EINVAL);
    assert_code(kin_store_bookmark(NULL, text, NULL), KIN_EINVAL);
    assert_code(kin_store_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_write(NULL, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_store_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_store_replace(NULL, &item, 1, text, NULL), KIN_EINVAL);
    assert_code(kin_store_add_index(NULL, &index, NULL), KIN_EINVAL);
    assert_code(kin_store_add_indexes(NULL, &index, 1, NULL), KIN_EINVAL);
    assert_code(kin_store_index_names(NULL, &strings, NULL), KIN_EINVAL);
    assert_code(kin_store_get(NULL, NULL, text, NULL), KIN_EINVAL);
    assert_code(kin_store_get_object(NULL, NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_store_list(NULL, &objects, NULL), KIN_EINVAL);
    assert_code(kin_store_list_keys(NULL, &strings, NULL), KIN_EINVAL);
    assert_code(kin_store_by_index(NULL, &objects, text, text, NULL), KIN_EINVAL);
    assert_code(kin_store_index(NULL, &objects, text, item, NULL), KIN_EINVAL);
    assert_code(kin_store_index_keys(NULL, &strings, text, text, NULL), KIN_EINVAL);
    assert_code(kin_store_index_values(NULL, &strings, text, NULL), KIN_EINVAL);
    assert_code(kin_store_get_stats(NULL, &stats, NULL), KIN_EINVAL);
    assert_int_equal(kin_store_len(NULL), 0);
    assert_null(kin_store_ref(NULL));
    kin_store_unref(NULL);
    assert_null(objects.items);
    assert_null(strings.items);
    assert_null(replace);
    kin_object_unref(item);
}

static void no_room_for_the_answer_is_refused(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_error err = KIN_ERROR_INIT;
    kin_str text = kin_str_of("tag");

    (void)state;
    assert_code(kin_store_new(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_add(store, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "object is NULL");
    assert_code(kin_store_update(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_delete(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_get_object(store, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_replace_begin(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_index_names(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_list(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_list_keys(store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_store_by_index(store, NULL, text, text, NULL), KIN_EINVAL);
    assert_code(kin_store_index(store, NULL, text, item, NULL), KIN_EINVAL);
    assert_code(kin_store_index_keys(store, NULL, text, text, NULL), KIN_EINVAL);
    assert_code(kin_store_index_values(store, NULL, text, NULL), KIN_EINVAL);
    assert_code(kin_store_get_stats(store, NULL, NULL), KIN_EINVAL);
    kin_object_unref(item);
    kin_store_unref(store);
}

/* Headers older and newer than the library's. */
static void options_may_be_of_other_sizes(void **state)
{
    struct {
        kin_store_options options;
        char more[64];
    } newer = {KIN_STORE_OPTIONS_INIT, {0}};
    kin_store_options older = KIN_STORE_OPTIONS_INIT;
    kin_store_options unset = {0};
    kin_store *store = NULL;
    kin_error err = KIN_ERROR_INIT;
    unsigned calls = 0;

    (void)state;
    assert_code(kin_store_new(&store, &unset, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "KIN_STORE_OPTIONS_INIT"));
    assert_null(store);
    memset(newer.more, 0xff, sizeof(newer.more));
    newer.options.size = sizeof(newer);
    newer.options.transform = transform;
    newer.options.transform_arg = &calls;
    store = new_store(&newer.options);
    test_put(store, "a", 1, "x");
    assert_int_equal(calls, 1);
    kin_store_unref(store);
    /* One that ends before the transformer has none, whatever stands there. */
    older.size = offsetof(kin_store_options, transform);
    older.transform = transform;
    store = new_store(&older);
    test_put(store, "a", 1, "nothing");
    assert_store(store, "1 at 1: a@1(nothing)");
    kin_store_unref(store);
}

static void statistics_may_be_of_other_sizes(void **state)
{
    kin_store *store = test_store_new();
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    kin_store_stats older = {0};
    uint64_t version;

    (void)state;
    assert_code(kin_store_get_stats(store, &stats, NULL), 0);
    version = stats.version;
    test_put(store, "a", 1, "!");
    assert_code(kin_store_get_stats(store, &stats, NULL), 0);
    assert_true(stats.version > version);
    assert_int_equal(stats.objects, 1);
    assert_int_equal(stats.views, 0);
    assert_int_equal(stats.old_states, 0);
    assert_int_equal(stats.index_errors, 1);
    assert_code(kin_store_get_stats(store, &older, NULL), KIN_EINVAL);
    older.size = offsetof(kin_store_stats, old_states);
    older.old_states = 77;
    assert_code(kin_store_get_stats(store, &older, NULL), 0);
    assert_int_equal(older.objects, 1);
    assert_int_equal(older.old_states, 77);
    kin_store_unref(store);
}

/* --- lists --- */

static void lists_are_empty_or_owned(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *nothing = NULL;
    kin_object_list objects = {&nothing, 7};
    kin_string_list strings = {NULL, 7};

    (void)state;
    /* Whatever stood there before. */
    assert_code(kin_store_list(store, &objects, NULL), 0);
    assert_null(objects.items);
    assert_int_equal(objects.len, 0);
    assert_code(kin_store_list_keys(store, &strings, NULL), 0);
    assert_null(strings.items);
    assert_int_equal(strings.len, 0);
    kin_object_list_done(&objects);
    kin_string_list_done(&strings);
    kin_object_list_done(NULL);
    kin_string_list_done(NULL);

    test_put(store, "a", 1, NULL);
    test_put(store, "b", 2, NULL);
    assert_code(kin_store_list(store, &objects, NULL), 0);
    assert_code(kin_store_list_keys(store, &strings, NULL), 0);
    /* They outlive the store. */
    kin_store_unref(store);
    assert_int_equal(objects.len, 2);
    assert_int_equal(
        kin_test_item_version(objects.items[0]) + kin_test_item_version(objects.items[1]), 3);
    assert_int_equal(strings.len, 2);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(strings.items[i].data[strings.items[i].len], '\0');
    kin_object_list_done(&objects);
    assert_null(objects.items);
    assert_int_equal(objects.len, 0);
    kin_object_list_done(&objects);
    kin_string_list_done(&strings);
    assert_null(strings.items);
    kin_string_list_done(&strings);
}

static void thousands_come_and_go(void **state)
{
    enum { N = 5000 };
    size_t live = kin_test_items_live();
    kin_store *store = test_store_new();
    char key[24];

    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++) {
            snprintf(key, sizeof(key), "key-%u", i);
            test_put(store, key, i, i % 2 ? "x" : "y");
        }
        assert_int_equal(kin_store_len(store), N);
        for (unsigned i = 0; i < N; i++) {
            snprintf(key, sizeof(key), "key-%u", i);
            assert_code(kin_store_get(store, NULL, kin_str_of(key), NULL), 0);
            if (i % 3)
                assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
        }
        assert_int_equal(kin_store_len(store), (N + 2) / 3);
        assert_int_equal(kin_test_items_live() - live, (N + 2) / 3);
    }
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

static void references_are_counted(void **state)
{
    size_t live = kin_test_items_live();
    kin_store *store = test_store_new();

    (void)state;
    test_put(store, "a", 1, NULL);
    assert_ptr_equal(kin_store_ref(store), store);
    kin_store_unref(store);
    assert_store(store, "1 at 1: a@1() | tag:");
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

/* --- forks --- */

static int codes_in_child(kin_store *store, const kin_object *item, kin_replace *replace)
{
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list strings = KIN_STRING_LIST_INIT;
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    kin_index index = KIN_INDEX_INIT("other", kin_test_by_tag);
    kin_write write = {KIN_WRITE_PUT, item, 0};
    kin_replace *other = NULL;
    kin_str text = kin_str_of("tag");
    const int codes[] = {
        kin_store_add(store, item, NULL),
        kin_store_update(store, item, NULL),
        kin_store_delete(store, item, NULL),
        kin_store_delete_key(store, text, NULL),
        kin_store_bookmark(store, text, NULL),
        kin_store_write(store, &write, 1, NULL),
        write.code,
        kin_store_replace_begin(store, &other, NULL),
        kin_store_replace(store, &item, 1, text, NULL),
        kin_replace_add(replace, item, NULL),
        kin_replace_commit(replace, text, NULL),
        kin_store_add_index(store, &index, NULL),
        kin_store_index_names(store, &strings, NULL),
        kin_store_get(store, NULL, text, NULL),
        kin_store_put(store, text, item, NULL),
        kin_store_get_object(store, NULL, item, NULL),
        kin_store_list(store, &objects, NULL),
        kin_store_list_keys(store, &strings, NULL),
        kin_store_by_index(store, &objects, text, text, NULL),
        kin_store_index(store, &objects, text, item, NULL),
        kin_store_index_keys(store, &strings, text, text, NULL),
        kin_store_index_values(store, &strings, text, NULL),
        kin_store_get_stats(store, &stats, NULL),
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i] != KIN_EFORKED)
            return (int)i + 1;
    return 0;
}

struct parent {
    kin_store *store;
    const kin_object *item;
    kin_replace *replace;
};

static int in_child(void *arg)
{
    struct parent *parent = arg;
    int wrong = codes_in_child(parent->store, parent->item, parent->replace);

    kin_replace_abort(parent->replace);
    kin_store_unref(parent->store);
    kin_object_unref(parent->item);
    return wrong;
}

static void a_child_can_only_free(void **state)
{
    struct parent parent = {test_store_new(), kin_test_item("a", 1, "x"), NULL};
    kin_test_child child;

    (void)state;
    test_put(parent.store, "a", 2, "y");
    assert_code(kin_store_replace_begin(parent.store, &parent.replace, NULL), 0);
    assert_code(kin_replace_add(parent.replace, parent.item, NULL), 0);
    kin_test_run_child(&child, in_child, &parent);
    assert_int_equal(child.exit_code, 0);
    assert_string_equal(child.output, "");
    /* Here everything works as before. */
    assert_code(kin_replace_commit(parent.replace, kin_str_of("3"), NULL), 0);
    assert_store(parent.store, "1 at 3: a@1(x) | tag: x=a");
    kin_object_unref(parent.item);
    kin_store_unref(parent.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_found),
        cmocka_unit_test(what_is_deleted_is_gone),
        cmocka_unit_test(the_contract_of_stores_with_documents),
        cmocka_unit_test(tombstones_and_keys_stand_for_objects),
        cmocka_unit_test(the_last_version_counts),
        cmocka_unit_test(versions_are_cut_for_whoever_has_no_room),
        cmocka_unit_test(an_object_may_have_any_version),
        cmocka_unit_test(objects_without_a_name_are_refused),
        cmocka_unit_test(keys_have_a_limit),
        cmocka_unit_test(key_functions_decide),
        cmocka_unit_test(transformers_change_what_comes_in),
        cmocka_unit_test(nothing_works_on_no_store),
        cmocka_unit_test(no_room_for_the_answer_is_refused),
        cmocka_unit_test(options_may_be_of_other_sizes),
        cmocka_unit_test(statistics_may_be_of_other_sizes),
        cmocka_unit_test(lists_are_empty_or_owned),
        cmocka_unit_test(thousands_come_and_go),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(a_child_can_only_free),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
