/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes of stores: what is found by them, index functions that fail, indexes that are added to a
 * store in use.
 */
#include "kin_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/thread.h"
#include "kinform/json.h"
#include "kinform/store.h"
#include "latch.h"
#include "store_support.h"

static const kin_str TAG = {"tag", 3};

static uint64_t index_errors(kin_store *store)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;

    assert_code(kin_store_get_stats(store, &stats, NULL), 0);
    return stats.index_errors;
}

/* --- finding --- */

/* client-go's TestMultiIndexKeys. */
static void objects_are_found_by_all_their_values(void **state)
{
    kin_store *store = test_store_new();

    (void)state;
    test_put(store, "one", 1, "ernie,bert");
    test_put(store, "two", 2, "bert,oscar");
    test_put(store, "tre", 3, "ernie,elmo");
    assert_tag(store, "ernie", "one tre");
    assert_tag(store, "bert", "one two");
    assert_tag(store, "elmo", "tre");
    assert_tag(store, "oscar", "two");
    assert_tag(store, "elmo1", "");
    test_delete_key(store, "two");
    assert_tag(store, "bert", "one");
    assert_tag(store, "oscar", "");
    test_put(store, "one", 4, "elmo,bert");
    assert_tag(store, "ernie", "tre");
    assert_tag(store, "elmo", "one tre");
    test_put(store, "one", 5, NULL);
    assert_tag(store, "elmo", "tre");
    assert_store(store, "2 at 5: one@5() tre@3(ernie,elmo) | tag: elmo=tre ernie=tre");
    kin_store_unref(store);
}

/* client-go's TestGetIndexFuncValues. */
static void values_are_listed_once(void **state)
{
    kin_store *store = test_store_new();
    kin_string_list values = KIN_STRING_LIST_INIT;

    (void)state;
    assert_code(kin_store_index_values(store, &values, TAG, NULL), 0);
    assert_int_equal(values.len, 0);
    test_put(store, "one", 1, "foo");
    test_put(store, "two", 2, "foo");
    test_put(store, "tre", 3, "bar");
    assert_code(kin_store_index_values(store, &values, TAG, NULL), 0);
    assert_int_equal(values.len, 2);
    kin_string_list_done(&values);
    test_delete_key(store, "tre");
    assert_code(kin_store_index_values(store, &values, TAG, NULL), 0);
    assert_int_equal(values.len, 1);
    assert_string_equal(values.items[0].data, "foo");
    kin_string_list_done(&values);
    /* An index that is not there has none. */
    assert_code(kin_store_index_values(store, &values, kin_str_of("none"), NULL), 0);
    assert_int_equal(values.len, 0);
    kin_store_unref(store);
}

/* client-go's TestIndex. */
static void objects_are_found_by_an_object(void **state)
{
    kin_store *store = test_store_new();
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    const kin_object *like = kin_test_item("like", 0, "c");
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    test_put(store, "a", 1, "b");
    test_put(store, "c", 2, "b");
    test_put(store, "e", 3, "f,b");
    test_put(store, "g", 4, "f,h");
    assert_code(kin_store_index(store, &list, TAG, like, NULL), 0);
    assert_int_equal(list.len, 0);
    kin_object_unref(like);
    like = kin_test_item("like", 0, "b");
    assert_code(kin_store_index(store, &list, TAG, like, NULL), 0);
    assert_int_equal(list.len, 3);
    kin_object_list_done(&list);
    kin_object_unref(like);
    /* One that shares two values comes once. */
    like = kin_test_item("like", 0, "f,b,none,h");
    assert_code(kin_store_index(store, &list, TAG, like, NULL), 0);
    assert_int_equal(list.len, 4);
    kin_object_list_done(&list);
    kin_object_unref(like);
    like = kin_test_item("like", 0, NULL);
    assert_code(kin_store_index(store, &list, TAG, like, NULL), 0);
    assert_int_equal(list.len, 0);
    assert_code(kin_store_index(store, &list, kin_str_of("none"), like, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "there is no index none");
    assert_code(kin_store_index(store, &list, TAG, NULL, NULL), KIN_EINVAL);
    kin_object_unref(like);
    /* What the index function says is passed on. */
    like = kin_test_item("like", 0, "a,!");
    assert_code(kin_store_index(store, &list, TAG, like, &err), KIN_ETYPE);
    assert_string_equal(err.message, "a bad tag");
    assert_int_equal(index_errors(store), 0);
    kin_object_unref(like);
    kin_store_unref(store);
}

/* client-go's TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex. */
static void a_value_without_objects_is_gone(void **state)
{
    kin_store *store = test_store_new();
    size_t before;

    (void)state;
    /* Once through, so that tables are there. */
    test_put(store, "k", 1, "value");
    test_delete_key(store, "k");
    test_delete_key(store, "k");
    before = kin_test_alloc_live();
    for (unsigned i = 0; i < 1000; i++) {
        char tags[16];

        snprintf(tags, sizeof(tags), "value-%u", i);
        test_put(store, "k", i, tags);
        assert_tag(store, tags, "k");
        test_delete_key(store, "k");
        assert_tag(store, tags, "");
    }
    test_delete_key(store, "k");
    assert_store(store, "0 at 999: | tag:");
    /* No empty value is left in memory either; a table may have grown. */
    assert_true(kin_test_alloc_live() <= before + 2);
    kin_store_unref(store);
}

/* client-go's TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex. */
static void others_stay_under_a_value(void **state)
{
    kin_store *store = test_store_new();

    (void)state;
    test_put(store, "keep", 1, "v");
    test_put(store, "del", 2, "v");
    test_delete_key(store, "del");
    assert_tag(store, "v", "keep");
    kin_store_unref(store);
}

/* client-go's TestThreadSafeStoreIndexingFunctionsWithMultipleValues. */
static void updates_move_between_values(void **state)
{
    static const char *const tags[] = {"foo", "foo,bar", "bar",     "foo,bar,baz",
                                       "baz", "",        "bar,foo", "baz,foo"};
    kin_store *store = test_store_new();

    (void)state;
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < 8; i++)
            for (unsigned k = 0; k < 8; k++) {
                test_put(store, "one", 1, tags[i]);
                test_put(store, "two", 2, tags[k]);
                assert_tag(store, "foo",
                           strstr(tags[i], "foo")   ? strstr(tags[k], "foo") ? "one two" : "one"
                           : strstr(tags[k], "foo") ? "two"
                                                    : "");
                assert_tag(store, "baz",
                           strstr(tags[i], "baz")   ? strstr(tags[k], "baz") ? "one two" : "one"
                           : strstr(tags[k], "baz") ? "two"
                                                    : "");
            }
    kin_store_unref(store);
}

static void keys_are_sorted_by_bytes(void **state)
{
    static const char *const keys[] = {"b", "a/b", "a-b", "a", "B", "ab", "\xc3\xa4", "a.b"};
    kin_store *store = test_store_new();

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        test_put(store, keys[i], i, "x");
    assert_tag(store, "x", "B a a-b a.b a/b ab b \xc3\xa4");
    kin_store_unref(store);
}

static void unknown_indexes_are_told(void **state)
{
    kin_store *store = test_store_new();
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list strings = KIN_STRING_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_str none = kin_str_of("none");

    (void)state;
    assert_code(kin_store_by_index(store, &objects, none, none, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "there is no index none");
    assert_code(kin_store_index_keys(store, &strings, none, none, NULL), KIN_ENOTFOUND);
    /* An unknown value is no error. */
    assert_code(kin_store_by_index(store, &objects, TAG, none, NULL), 0);
    assert_code(kin_store_index_keys(store, &strings, TAG, none, NULL), 0);
    assert_int_equal(objects.len + strings.len, 0);
    assert_code(kin_store_index_names(store, &strings, NULL), 0);
    assert_int_equal(strings.len, 1);
    assert_string_equal(strings.items[0].data, "tag");
    kin_string_list_done(&strings);
    kin_store_unref(store);
}

/* --- one object --- */

static void assert_one(kin_store *store, const char *value, const char *key, size_t n)
{
    const kin_object *found = NULL;
    size_t found_n = 0;

    assert_code(kin_store_get_by_index(store, &found, &found_n, TAG, kin_str_of(value), NULL), 0);
    assert_string_equal(kin_object_key(found), key);
    assert_int_equal(found_n, n);
    kin_object_unref(found);
}

static void one_object_is_found_by_a_value(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *found = NULL;
    size_t n = 99;

    (void)state;
    test_put(store, "web", 1, "10.0.0.7,10.0.0.8");
    test_put(store, "api", 2, "10.0.0.9");
    assert_one(store, "10.0.0.7", "web", 1);
    assert_one(store, "10.0.0.8", "web", 1);
    assert_one(store, "10.0.0.9", "api", 1);
    assert_code(kin_store_get_by_index(store, NULL, NULL, TAG, kin_str_of("10.0.0.7"), NULL), 0);
    /* The address moves. */
    test_put(store, "web", 3, "10.0.0.8");
    test_put(store, "api", 4, "10.0.0.7");
    assert_one(store, "10.0.0.7", "api", 1);
    test_delete_key(store, "api");
    assert_code(kin_store_get_by_index(store, &found, &n, TAG, kin_str_of("10.0.0.7"), NULL),
                KIN_ENOTFOUND);
    assert_null(found);
    assert_int_equal(n, 99);
    kin_store_unref(store);
}

/* However the places of a value were used before. */
static void the_smallest_key_is_found_if_several_have_a_value(void **state)
{
    kin_store *store = test_store_new();

    (void)state;
    test_put(store, "c", 1, "x");
    test_put(store, "ab", 2, "x");
    test_put(store, "b", 3, "x");
    assert_one(store, "x", "ab", 3);
    test_put(store, "a", 4, "x");
    assert_one(store, "x", "a", 4);
    test_delete_key(store, "c");
    test_delete_key(store, "a");
    test_put(store, "aa", 5, "x");
    assert_one(store, "x", "aa", 3);
    test_put(store, "aa", 6, NULL);
    assert_one(store, "x", "ab", 2);
    kin_store_unref(store);
}

/* A miss is usual where this is called, so that a wrong name must differ from it. */
static void a_lookup_in_an_unknown_index_is_an_error(void **state)
{
    kin_store *store = test_store_new();
    const kin_object *found = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str x = kin_str_of("x");

    (void)state;
    assert_code(kin_store_get_by_index(store, &found, NULL, kin_str_of("none"), x, &err),
                KIN_EINVAL);
    assert_string_equal(err.message, "there is no index none");
    assert_code(kin_store_get_by_index(store, &found, NULL, TAG, x, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "nothing has x in index tag");
    assert_code(kin_store_get_by_index(NULL, &found, NULL, TAG, x, NULL), KIN_EINVAL);
    assert_null(found);
    kin_store_unref(store);
}

static void a_lookup_of_one_object_allocates_nothing(void **state)
{
    kin_store *store = test_store_new();
    kin_view *view;

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        test_put_numbered(store, i, i, i % 2 ? "x" : "x,y");
    view = test_open_view(store); /* old states are kept */
    for (unsigned i = 0; i < 100; i++)
        test_put_numbered(store, i, 100 + i, "x");
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (unsigned i = 0; i < 10; i++) {
        const kin_object *found = NULL;
        size_t n = 0;

        assert_code(kin_store_get_by_index(store, &found, &n, TAG, kin_str_of("x"), NULL), 0);
        assert_int_equal(n, 100);
        kin_object_unref(found);
        assert_code(kin_store_get_by_index(store, &found, NULL, TAG, kin_str_of("y"), NULL),
                    KIN_ENOTFOUND);
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    kin_view_free(view);
    kin_store_unref(store);
}

static void namespaces_are_an_index(void **state)
{
    kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_store *store = test_store_new();
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)state;
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    test_put(store, "n/a", 1, NULL);
    test_put(store, "m/a", 2, NULL);
    test_put(store, "cluster", 3, NULL);
    assert_store(store,
                 "3 at 3: cluster@3() m/a@2() n/a@1() | tag: | namespace: =cluster m=m/a n=n/a");
    assert_code(kin_store_index_keys(store, &keys, kin_str_of("namespace"), kin_str_of(""), NULL),
                0);
    assert_int_equal(keys.len, 1);
    kin_string_list_done(&keys);
    /* An empty text may have no address. */
    assert_code(
        kin_store_index_keys(store, &keys, kin_str_of("namespace"), kin_str_make(NULL, 0), NULL),
        0);
    assert_int_equal(keys.len, 1);
    kin_string_list_done(&keys);
    assert_code(kin_namespace_index(NULL, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_index_values_add(NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    kin_store_unref(store);
}

/* --- index functions that fail --- */

struct sink {
    unsigned records;
    char text[512];
};

static void keep_text(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    sink->records++;
    kin_log_format(record, sink->text, sizeof(sink->text));
}

static kin_store *logging_store(struct sink *sink)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_logger *logger = NULL;
    kin_store *store = NULL;

    memset(sink, 0, sizeof(*sink));
    assert_code(kin_logger_new(&logger, KIN_LOG_WARN, keep_text, sink, NULL, NULL), 0);
    options.name = "pods";
    options.logger = logger;
    assert_code(kin_store_new(&store, &options, NULL), 0);
    kin_logger_unref(logger);
    return store;
}

static void add_index(kin_store *store, const char *name, kin_index_fn *fn)
{
    kin_index index = KIN_INDEX_INIT(name, fn);

    assert_code(kin_store_add_index(store, &index, NULL), 0);
}

static void a_failure_leaves_the_object_out_of_the_index(void **state)
{
    struct sink sink;
    kin_store *store = logging_store(&sink);
    const kin_object *item = kin_test_item("a", 3, "x,!,y");
    kin_write write = {KIN_WRITE_PUT, item, 0};

    (void)state;
    add_index(store, "tag", kin_test_by_tag);
    add_index(store, "good", kin_namespace_index);
    add_index(store, "again", kin_test_by_tag);
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "x");
    assert_int_equal(sink.records, 0);
    assert_code(kin_store_update(store, item, NULL), 0);
    /* Not even what it said before it failed. */
    assert_store(store, "2 at 3: a@3(x,!,y) b@2(x) | tag: x=b | good: =a,b | again: x=b");
    assert_int_equal(index_errors(store), 2);
    assert_int_equal(sink.records, 1);
    assert_non_null(strstr(sink.text, "an index function failed"));
    assert_non_null(strstr(sink.text, "store=pods"));
    assert_non_null(strstr(sink.text, "index=tag"));
    assert_non_null(strstr(sink.text, "key=a"));
    assert_non_null(strstr(sink.text, "a bad tag"));
    /* Once per write, however it is written. */
    assert_code(kin_store_write(store, &write, 1, NULL), 0);
    assert_int_equal(sink.records, 2);
    assert_code(kin_store_replace(store, &item, 1, kin_str_of("l"), NULL), 0);
    assert_int_equal(sink.records, 3);
    assert_int_equal(index_errors(store), 6);
    kin_object_unref(item);
    /* It is found again when it can be indexed again. */
    test_put(store, "a", 4, "y");
    assert_store(store, "1 at 4: a@4(y) | tag: y=a | good: =a | again: y=a");
    assert_int_equal(sink.records, 3);
    kin_store_unref(store);
}

/* All are counted, and ten a minute are logged. */
static void failures_do_not_flood_the_log(void **state)
{
    struct sink sink;
    kin_store *store = logging_store(&sink);
    const kin_object *items[1000];

    (void)state;
    add_index(store, "tag", kin_test_by_tag);
    for (unsigned i = 0; i < 1000; i++) {
        char name[16];

        snprintf(name, sizeof(name), "i%u", i);
        items[i] = kin_test_item(name, i, "!");
    }
    assert_code(kin_store_replace(store, items, 1000, kin_str_of("l"), NULL), 0);
    for (unsigned i = 0; i < 1000; i++) {
        assert_code(kin_store_update(store, items[i], NULL), 0);
        kin_object_unref(items[i]);
    }
    assert_int_equal(index_errors(store), 2000);
    /* More than one minute may begin on a machine that is busy. */
    assert_in_range(sink.records, 10, 100);
    kin_store_unref(store);
}

static int positive(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    assert_code(kin_index_values_add(values, kin_str_of("v"), err), 0);
    return 5;
}

/* Has nothing to say but its code. */
static int silent(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)object;
    (void)values;
    (void)arg;
    (void)err;
    return KIN_ERANGE;
}

static int no_memory(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)object;
    (void)values;
    (void)arg;
    return kin_error_set(err, KIN_ENOMEM, "none left");
}

static void odd_answers_are_failures(void **state)
{
    struct sink sink;
    kin_store *store = logging_store(&sink);
    const kin_object *item = kin_test_item("a", 2, NULL);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    add_index(store, "positive", positive);
    test_put(store, "a", 1, NULL);
    assert_store(store, "1 at 1: a@1() | positive:");
    assert_int_equal(index_errors(store), 1);
    assert_non_null(strstr(sink.text, "the index function of positive returned 5"));
    assert_code(kin_store_index(store, &list, kin_str_of("positive"), item, NULL), KIN_EINVAL);
    kin_store_unref(store);

    store = logging_store(&sink);
    add_index(store, "silent", silent);
    test_put(store, "a", 1, NULL);
    assert_non_null(strstr(sink.text, "out of range"));
    kin_store_unref(store);

    /* Without memory the write fails instead. */
    store = logging_store(&sink);
    add_index(store, "memory", no_memory);
    assert_code(kin_store_add(store, item, &err), KIN_ENOMEM);
    assert_int_equal(err.code, KIN_ENOMEM);
    assert_store(store, "0 at : | memory:");
    assert_int_equal(sink.records, 0);
    kin_store_unref(store);
    kin_object_unref(item);
}

/* --- limits --- */

/* As many values as the item's version says; whether a refusal is passed on is for `arg` to say. */
static int many(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    char value[16];

    for (unsigned i = 0; i < kin_test_item_version(object); i++) {
        int code;

        snprintf(value, sizeof(value), "%u", i);
        code = kin_index_values_add(values, kin_str_of(value), err);
        if (code < 0 && !arg)
            return code;
    }
    return 0;
}

/* One value, as long as the version says; a refusal is ignored. */
static int one_long(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    unsigned len = kin_test_item_version(object);
    char *value = malloc(len + 1);

    (void)arg;
    assert_non_null(value);
    memset(value, 'v', len + 1);
    (void)kin_index_values_add(values, kin_str_of("first"), err);
    (void)kin_index_values_add(values, kin_str_make(value, len), err);
    free(value);
    return 0;
}

static size_t n_values(kin_store *store, const char *index)
{
    kin_string_list values = KIN_STRING_LIST_INIT;
    size_t n;

    assert_code(kin_store_index_values(store, &values, kin_str_of(index), NULL), 0);
    n = values.len;
    kin_string_list_done(&values);
    return n;
}

static void there_is_a_limit_of_values(void **state)
{
    struct sink sink;
    kin_index ignoring = KIN_INDEX_INIT("ignoring", many);

    (void)state;
    for (int ignore = 0; ignore < 2; ignore++) {
        kin_store *store = logging_store(&sink);

        ignoring.arg = ignore ? &sink : NULL;
        assert_code(kin_store_add_index(store, &ignoring, NULL), 0);
        test_put(store, "a", KIN_INDEX_VALUES_MAX, NULL);
        assert_int_equal(n_values(store, "ignoring"), KIN_INDEX_VALUES_MAX);
        assert_int_equal(index_errors(store), 0);
        test_put(store, "a", KIN_INDEX_VALUES_MAX + 1, NULL);
        assert_int_equal(n_values(store, "ignoring"), 0);
        assert_int_equal(index_errors(store), 1);
        assert_non_null(strstr(sink.text, ignore ? "a value of index ignoring was refused"
                                                 : "more than 4096 values in an index"));
        kin_store_unref(store);
    }
}

static void there_is_a_limit_of_a_values_length(void **state)
{
    struct sink sink;
    kin_store *store = logging_store(&sink);

    (void)state;
    add_index(store, "long", one_long);
    test_put(store, "a", KIN_INDEX_VALUE_BYTES_MAX, NULL);
    assert_int_equal(n_values(store, "long"), 2);
    test_put(store, "a", KIN_INDEX_VALUE_BYTES_MAX + 1, NULL);
    assert_int_equal(n_values(store, "long"), 0);
    assert_int_equal(index_errors(store), 1);
    assert_non_null(strstr(sink.text, "a value of index long was refused"));
    /* The empty value is one. */
    test_put(store, "a", 0, NULL);
    assert_int_equal(n_values(store, "long"), 2);
    kin_store_unref(store);
}

/* Many indexes of many values: a record has no room for more than 65535 of all. */
static void there_is_a_limit_of_all_values(void **state)
{
    enum { FULL = 65535 / KIN_INDEX_VALUES_MAX };
    struct sink sink;
    kin_store *store = logging_store(&sink);
    kin_index last = KIN_INDEX_INIT("last", many);
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (unsigned i = 0; i < FULL; i++) {
        char name[8];

        snprintf(name, sizeof(name), "i%u", i);
        add_index(store, name, many);
    }
    test_put(store, "a", KIN_INDEX_VALUES_MAX, NULL);
    assert_int_equal(index_errors(store), 0);
    assert_code(kin_store_add_index(store, &last, &err), KIN_ELIMIT);
    assert_int_equal(n_values(store, "i0"), KIN_INDEX_VALUES_MAX);
    test_delete_key(store, "a");
    assert_code(kin_store_add_index(store, &last, NULL), 0);
    test_put(store, "a", KIN_INDEX_VALUES_MAX, NULL);
    assert_int_equal(index_errors(store), 1);
    assert_int_equal(n_values(store, "last"), 0);
    assert_int_equal(n_values(store, "i14"), KIN_INDEX_VALUES_MAX);
    kin_store_unref(store);
}

static int twice(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    for (unsigned i = 0; i < 2; i++) {
        assert_code(kin_index_values_add(values, kin_str_of("v"), err), 0);
        assert_code(kin_index_values_add(values, kin_str_of(""), err), 0);
    }
    return 0;
}

static void the_same_value_counts_once(void **state)
{
    kin_store *store = test_store_new();

    (void)state;
    add_index(store, "twice", twice);
    test_put(store, "a", 1, "x,x,x");
    test_put(store, "a", 2, "x,x");
    assert_store(store, "1 at 2: a@2(x,x) | tag: x=a | twice: =a v=a");
    kin_store_unref(store);
}

/* --- adding --- */

static void an_index_can_be_added_to_a_filled_store(void **state)
{
    kin_store *store = test_store_new();
    kin_index indexes[2] = {KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index),
                            KIN_INDEX_INIT("twice", twice)};

    (void)state;
    assert_code(kin_store_add_indexes(store, indexes, 0, NULL), 0);
    assert_code(kin_store_add_indexes(store, NULL, 0, NULL), 0);
    test_put(store, "n/a", 1, "x");
    test_put(store, "n/b", 2, "y");
    test_put(store, "gone", 3, "y");
    test_delete_key(store, "gone");
    assert_code(kin_store_add_indexes(store, indexes, 2, NULL), 0);
    assert_store(store, "2 at 3: n/a@1(x) n/b@2(y) | tag: x=n/a y=n/b | namespace: n=n/a,n/b | "
                        "twice: =n/a,n/b v=n/a,n/b");
    /* And it follows from there on. */
    test_put(store, "n/a", 4, NULL);
    test_put(store, "m/c", 5, "x");
    test_delete_key(store, "n/b");
    assert_store(store, "2 at 5: m/c@5(x) n/a@4() | tag: x=m/c | namespace: m=m/c n=n/a | twice: "
                        "=m/c,n/a v=m/c,n/a");
    kin_store_unref(store);
}

static void a_new_index_may_fail_for_some(void **state)
{
    struct sink sink;
    kin_store *store = logging_store(&sink);

    (void)state;
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "!");
    test_put(store, "c", 3, "x,!");
    add_index(store, "tag", kin_test_by_tag);
    assert_store(store, "3 at 3: a@1(x) b@2(!) c@3(x,!) | tag: x=a");
    assert_int_equal(index_errors(store), 2);
    assert_int_equal(sink.records, 1);
    assert_non_null(strstr(sink.text, "a new index function failed"));
    assert_non_null(strstr(sink.text, "objects=2"));
    assert_non_null(strstr(sink.text, "a bad tag"));
    kin_store_unref(store);
}

struct freed {
    unsigned times;
};

static void note_free(void *arg)
{
    ((struct freed *)arg)->times++;
}

static void arguments_are_freed_once(void **state)
{
    kin_store *store = test_store_new();
    struct freed freed[3] = {{0}, {0}, {0}};
    kin_index index = KIN_INDEX_INIT("one", kin_namespace_index);

    (void)state;
    index.arg_free = note_free;
    index.arg = &freed[0];
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    index.name = "two";
    index.arg = &freed[1];
    test_put(store, "a", 1, NULL);
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    kin_store_ref(store);
    kin_store_unref(store);
    assert_int_equal(freed[0].times + freed[1].times, 0);
    /* The name is taken: the argument is still the caller's. */
    index.arg = &freed[2];
    assert_code(kin_store_add_index(store, &index, NULL), KIN_EINVAL);
    kin_store_unref(store);
    assert_int_equal(freed[0].times, 1);
    assert_int_equal(freed[1].times, 1);
    assert_int_equal(freed[2].times, 0);
}

static void a_taken_name_changes_nothing(void **state)
{
    kin_store *store = test_store_new();
    kin_index clash[3] = {KIN_INDEX_INIT("new", kin_namespace_index),
                          KIN_INDEX_INIT("tag", kin_test_by_tag),
                          KIN_INDEX_INIT("newer", kin_namespace_index)};
    kin_error err = KIN_ERROR_INIT;
    struct freed freed = {0};

    (void)state;
    test_put(store, "a", 1, "x");
    for (unsigned i = 0; i < 3; i++) {
        clash[i].arg = &freed;
        clash[i].arg_free = note_free;
    }
    assert_code(kin_store_add_indexes(store, clash, 3, &err), KIN_EINVAL);
    assert_string_equal(err.message, "there is an index tag already");
    /* Also among themselves. */
    clash[1].name = "newer";
    assert_code(kin_store_add_indexes(store, clash, 3, &err), KIN_EINVAL);
    assert_string_equal(err.message, "there is an index newer already");
    clash[1].name = NULL;
    assert_code(kin_store_add_indexes(store, clash, 3, NULL), KIN_EINVAL);
    clash[1].name = "";
    assert_code(kin_store_add_indexes(store, clash, 3, NULL), KIN_EINVAL);
    clash[1].name = "function";
    clash[1].fn = NULL;
    assert_code(kin_store_add_indexes(store, clash, 3, &err), KIN_EINVAL);
    assert_string_equal(err.message, "an index needs a name and a function");
    assert_code(kin_store_add_indexes(store, NULL, 1, &err), KIN_EINVAL);
    assert_code(kin_store_add_index(store, NULL, &err), KIN_EINVAL);
    assert_int_equal(freed.times, 0);
    assert_store(store, "1 at 1: a@1(x) | tag: x=a");
    kin_store_unref(store);
    assert_int_equal(freed.times, 0);
}

/* Arrays of programs with other headers. */
static void indexes_may_be_of_other_sizes(void **state)
{
    struct {
        kin_index index;
        char more[40];
    } newer[2];
    struct older {
        size_t size;
        const char *name;
        kin_index_fn *fn;
    } older[2] = {{sizeof(struct older), "o1", kin_test_by_tag},
                  {sizeof(struct older), "o2", kin_namespace_index}};
    kin_index unset = {0, "unset", kin_test_by_tag, NULL, NULL};
    kin_store *store = test_store_new();
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset(newer, 0xff, sizeof(newer));
    newer[0].index = (kin_index){sizeof(newer[0]), "n1", kin_test_by_tag, NULL, NULL};
    newer[1].index = (kin_index){sizeof(newer[0]), "n2", kin_namespace_index, NULL, NULL};
    test_put(store, "n/a", 1, "x");
    assert_code(kin_store_add_indexes(store, &newer[0].index, 2, NULL), 0);
    assert_code(kin_store_add_indexes(store, (const kin_index *)(const void *)older, 2, NULL), 0);
    assert_store(store, "1 at 1: n/a@1(x) | tag: x=n/a | n1: x=n/a | n2: n=n/a | o1: x=n/a | o2: "
                        "n=n/a");
    assert_code(kin_store_add_index(store, &unset, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "KIN_INDEX_INIT"));
    kin_store_unref(store);
}

/* --- index functions that use their store --- */

struct user {
    kin_store *store;
    unsigned calls;
    kin_replace *replace;
};

/* Writes what it must not, and reads what it may. */
static int use_store(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    struct user *user = arg;
    kin_store *store = user->store;
    kin_index index = KIN_INDEX_INIT("inner", kin_test_by_tag);
    kin_write writes[2] = {{KIN_WRITE_PUT, object, 0}, {KIN_WRITE_DELETE, object, 0}};
    kin_error said = KIN_ERROR_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    user->calls++;
    assert_code(kin_store_add(store, object, &said), KIN_EBUSY);
    assert_string_equal(said.message, "an index function writes to its own store");
    assert_code(kin_store_update(store, object, NULL), KIN_EBUSY);
    assert_code(kin_store_delete(store, object, NULL), KIN_EBUSY);
    assert_code(kin_store_delete_key(store, kin_str_of("a"), NULL), KIN_EBUSY);
    assert_code(kin_store_bookmark(store, kin_str_of("9"), NULL), KIN_EBUSY);
    assert_code(kin_store_write(store, writes, 2, NULL), KIN_EBUSY);
    assert_code(writes[0].code, KIN_EBUSY);
    assert_code(writes[1].code, KIN_EBUSY);
    assert_code(kin_store_write(store, &writes[1], 1, NULL), KIN_EBUSY);
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("9"), NULL), KIN_EBUSY);
    assert_code(kin_replace_add(user->replace, object, NULL), KIN_EBUSY);
    assert_code(kin_replace_commit(user->replace, kin_str_of("9"), NULL), KIN_EBUSY);
    assert_code(kin_store_add_index(store, &index, NULL), KIN_EBUSY);
    assert_code(kin_store_get_object(store, NULL, object, NULL), 0);
    assert_code(kin_store_list(store, &list, NULL), 0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    return kin_test_by_tag(object, values, NULL, err);
}

static void a_new_index_function_cannot_write(void **state)
{
    struct user user = {test_store_new(), 0, NULL};
    kin_index index = KIN_INDEX_INIT("user", use_store);
    const kin_object *item = kin_test_item("staged", 5, "s");

    (void)state;
    test_put(user.store, "a", 1, "x");
    test_put(user.store, "b", 2, "y");
    assert_code(kin_store_replace_begin(user.store, &user.replace, NULL), 0);
    assert_code(kin_replace_add(user.replace, item, NULL), 0);
    index.arg = &user;
    assert_code(kin_store_add_index(user.store, &index, NULL), 0);
    assert_int_equal(user.calls, 2);
    assert_store(user.store, "2 at 2: a@1(x) b@2(y) | tag: x=a y=b | user: x=a y=b");
    kin_replace_abort(user.replace);
    kin_object_unref(item);
    kin_store_unref(user.store);
}

/* --- other threads meanwhile --- */

struct slow {
    kin_store *store;
    kin_test_latch running; /* the index function runs */
    kin_test_latch go_on;
    kin_test_latch written;
    kin__thread adder;
    kin__thread writer;
};

static int slow_index(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    struct slow *slow = arg;

    if (strcmp(kin_object_key(object), "a") == 0) {
        kin_test_latch_raise(&slow->running);
        kin_test_latch_wait(&slow->go_on, 1);
    }
    return kin_test_by_tag(object, values, NULL, err);
}

static void add_slowly(void *arg)
{
    struct slow *slow = arg;
    kin_index index = KIN_INDEX_INIT("slow", slow_index);

    index.arg = slow;
    assert_code(kin_store_add_index(slow->store, &index, NULL), 0);
}

static void write_meanwhile(void *arg)
{
    struct slow *slow = arg;

    test_put(slow->store, "b", 2, "y");
    kin_test_latch_raise(&slow->written);
}

static void writers_wait_for_an_index_and_readers_do_not(void **state)
{
    struct slow slow = {.store = test_store_new()};

    (void)state;
    kin_test_latch_init(&slow.running);
    kin_test_latch_init(&slow.go_on);
    kin_test_latch_init(&slow.written);
    test_put(slow.store, "a", 1, "x");
    assert_code(kin__thread_start(&slow.adder, "adder", add_slowly, &slow, NULL), 0);
    kin_test_latch_wait(&slow.running, 1);
    assert_code(kin__thread_start(&slow.writer, "writer", write_meanwhile, &slow, NULL), 0);
    /* Nobody sees the index yet, and what is there can be read. */
    for (unsigned i = 0; i < 100; i++)
        assert_store(slow.store, "1 at 1: a@1(x) | tag: x=a");
    assert_int_equal(slow.written.count, 0);
    kin_test_latch_raise(&slow.go_on);
    kin_test_latch_wait(&slow.written, 1);
    assert_code(kin__thread_join(&slow.writer, NULL), 0);
    assert_code(kin__thread_join(&slow.adder, NULL), 0);
    assert_store(slow.store, "2 at 2: a@1(x) b@2(y) | tag: x=a y=b | slow: x=a y=b");
    kin_test_latch_done(&slow.running);
    kin_test_latch_done(&slow.go_on);
    kin_test_latch_done(&slow.written);
    kin_store_unref(slow.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_found_by_all_their_values),
        cmocka_unit_test(values_are_listed_once),
        cmocka_unit_test(objects_are_found_by_an_object),
        cmocka_unit_test(a_value_without_objects_is_gone),
        cmocka_unit_test(others_stay_under_a_value),
        cmocka_unit_test(updates_move_between_values),
        cmocka_unit_test(keys_are_sorted_by_bytes),
        cmocka_unit_test(unknown_indexes_are_told),
        cmocka_unit_test(one_object_is_found_by_a_value),
        cmocka_unit_test(the_smallest_key_is_found_if_several_have_a_value),
        cmocka_unit_test(a_lookup_in_an_unknown_index_is_an_error),
        cmocka_unit_test(a_lookup_of_one_object_allocates_nothing),
        cmocka_unit_test(namespaces_are_an_index),
        cmocka_unit_test(a_failure_leaves_the_object_out_of_the_index),
        cmocka_unit_test(failures_do_not_flood_the_log),
        cmocka_unit_test(odd_answers_are_failures),
        cmocka_unit_test(there_is_a_limit_of_values),
        cmocka_unit_test(there_is_a_limit_of_a_values_length),
        cmocka_unit_test(there_is_a_limit_of_all_values),
        cmocka_unit_test(the_same_value_counts_once),
        cmocka_unit_test(an_index_can_be_added_to_a_filled_store),
        cmocka_unit_test(a_new_index_may_fail_for_some),
        cmocka_unit_test(arguments_are_freed_once),
        cmocka_unit_test(a_taken_name_changes_nothing),
        cmocka_unit_test(indexes_may_be_of_other_sizes),
        cmocka_unit_test(a_new_index_function_cannot_write),
        cmocka_unit_test(writers_wait_for_an_index_and_readers_do_not),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
