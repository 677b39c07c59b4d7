/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store gives back when most of its objects have gone: its table, and the arrays of its
 * indexes. Readers must not notice.
 */
#include "kin_test.h"

#include "alloc.h"
#include "cache/store.h"
#include "item.h"
#include "kinform/view.h"

enum { MANY = 5000, FEW = 10 };

static kin_store *filled_store(void)
{
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_store *store = NULL;

    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_add_index(store, &by_tag, NULL), 0);
    for (unsigned i = 0; i < MANY; i++) {
        char key[24];
        const kin_object *item;

        snprintf(key, sizeof(key), "item-%u", i);
        item = kin_test_item(key, i, "all");
        assert_code(kin_store_add(store, item, NULL), 0);
        kin_object_unref(item);
    }
    return store;
}

static void delete_most(kin_store *store)
{
    for (unsigned i = FEW; i < MANY; i++) {
        char key[24];

        snprintf(key, sizeof(key), "item-%u", i);
        assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
    }
}

static uint32_t places(kin_store *store)
{
    kin__index_value *value = NULL;

    assert_code(kin__store_find_value(store, kin_str_of("tag"), kin_str_of("all"),
                                      kin__pins_version(&store->pins), &value, NULL),
                0);
    assert_non_null(value);
    return atomic_load(&value->postings)->cap;
}

static uint32_t buckets(kin_store *store)
{
    return kin__read_map_table(&store->records)->n_buckets;
}

static void assert_len(kin_store *store, size_t n)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_list(store, &list, NULL), 0);
    assert_int_equal(list.len, n);
    kin_object_list_done(&list);
    assert_code(kin_store_by_index(store, &list, kin_str_of("tag"), kin_str_of("all"), NULL), 0);
    assert_int_equal(list.len, n);
    kin_object_list_done(&list);
}

static void a_store_that_has_lost_most_is_small_again(void **state)
{
    kin_store *store = filled_store();
    uint32_t n_buckets = buckets(store);

    (void)state;
    assert_true(places(store) >= MANY);
    delete_most(store);
    assert_true(places(store) < 100);
    assert_true(buckets(store) < n_buckets / 8);
    assert_len(store, FEW);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

static void what_moved_can_be_changed_and_deleted(void **state)
{
    kin_store *store = filled_store();

    (void)state;
    delete_most(store);
    for (unsigned i = 0; i < FEW; i++) {
        char key[24];
        const kin_object *item;

        snprintf(key, sizeof(key), "item-%u", i);
        item = kin_test_item(key, MANY + i, i % 2 ? "all" : "other");
        assert_code(kin_store_update(store, item, NULL), 0);
        kin_object_unref(item);
    }
    {
        kin_object_list list = KIN_OBJECT_LIST_INIT;

        assert_code(kin_store_by_index(store, &list, kin_str_of("tag"), kin_str_of("all"), NULL),
                    0);
        assert_int_equal(list.len, FEW / 2);
        for (size_t i = 0; i < list.len; i++)
            assert_true(kin_test_item_version(list.items[i]) >= MANY);
        kin_object_list_done(&list);
    }
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("1"), NULL), 0);
    assert_int_equal(kin_store_len(store), 0);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* No write follows, so that one step has to be enough. */
static void a_list_of_few_leaves_a_small_table(void **state)
{
    const kin_object *items[FEW];
    kin_store *store = filled_store();

    (void)state;
    assert_true(buckets(store) > MANY / 8);
    for (unsigned i = 0; i < FEW; i++) {
        char key[24];

        snprintf(key, sizeof(key), "item-%u", i);
        items[i] = kin_test_item(key, i, "all");
    }
    assert_code(kin_store_replace(store, items, FEW, kin_str_of("2"), NULL), 0);
    kin__store_reclaim_all(store);
    assert_len(store, FEW);
    assert_true(buckets(store) <= 16);
    for (unsigned i = 0; i < FEW; i++)
        kin_object_unref(items[i]);
    kin_store_unref(store);
}

static void a_view_shows_all_while_the_store_shrinks(void **state)
{
    kin_store *store = filled_store();
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_view *view = NULL;
    size_t n = 0;

    (void)state;
    assert_code(kin_view_new(&view, store, NULL), 0);
    assert_true(kin_view_next(view, NULL, NULL));
    delete_most(store);
    kin_view_rewind(view);
    while (kin_view_next(view, NULL, NULL))
        n++;
    assert_int_equal(n, MANY);
    assert_code(kin_view_by_index(view, &list, kin_str_of("tag"), kin_str_of("all"), NULL), 0);
    assert_int_equal(list.len, MANY);
    kin_object_list_done(&list);
    kin_view_free(view);
    /* What it has kept has gone with it. */
    assert_int_equal(kin_test_items_live(), FEW);
    assert_true(places(store) < 100);
    assert_len(store, FEW);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

static size_t old_tables(kin_store *store)
{
    size_t n = 0;

    for (kin__read_table *table = store->old_tables; table;
         table = (kin__read_table *)table->garbage.next)
        n++;
    return n;
}

static void put_many(kin_store *store, const char *tag_prefix, unsigned n_tags)
{
    for (unsigned i = FEW; i < MANY; i++) {
        char key[24];
        char tag[24];
        const kin_object *item;

        snprintf(key, sizeof(key), "item-%u", i);
        snprintf(tag, sizeof(tag), "%s%u", tag_prefix, i % n_tags);
        item = kin_test_item(key, i, tag);
        assert_code(kin_store_add(store, item, NULL), 0);
        kin_object_unref(item);
    }
}

/* It is the only one that anybody can have, however often the store grows and shrinks. */
static void a_view_keeps_one_table(void **state)
{
    kin_store *store = filled_store();
    kin_view *view = NULL;
    size_t n = 0;

    (void)state;
    delete_most(store);
    assert_code(kin_view_new(&view, store, NULL), 0);
    for (unsigned round = 0; round < 5; round++) {
        put_many(store, "all", 1);
        delete_most(store);
        assert_in_range(old_tables(store), 0, 2);
    }
    while (kin_view_next(view, NULL, NULL))
        n++;
    assert_int_equal(n, FEW);
    kin_view_free(view);
    assert_len(store, FEW);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* Each value's array, and the table of values, are given back, though all were left at once. */
static void every_value_that_has_lost_most_is_small_again(void **state)
{
    enum { TAGS = 40, KEPT = 40 };
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);
    const kin_object *kept[KEPT];
    kin_store *store = NULL;

    (void)state;
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_add_index(store, &by_tag, NULL), 0);
    put_many(store, "t", TAGS);
    for (unsigned i = 0; i < KEPT; i++) {
        char text[24];

        snprintf(text, sizeof(text), "t%u", i);
        kept[i] = kin_test_item(text, MANY + i, text);
    }
    assert_code(kin_store_replace(store, kept, KEPT, kin_str_of("9"), NULL), 0);
    /* A few values are gone over with each write. */
    for (unsigned i = 0; i < KEPT; i++)
        assert_code(kin_store_update(store, kept[i], NULL), 0);
    for (unsigned i = 0; i < TAGS; i++) {
        kin__index_value *value = NULL;
        char text[24];

        snprintf(text, sizeof(text), "t%u", i);
        assert_code(kin__store_find_value(store, kin_str_of("tag"), kin_str_of(text),
                                          kin__pins_version(&store->pins), &value, NULL),
                    0);
        assert_non_null(value);
        assert_true(atomic_load(&value->postings)->cap < 16);
    }
    for (unsigned i = 0; i < KEPT; i++)
        kin_object_unref(kept[i]);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

static uint32_t buckets_of_values(kin_store *store)
{
    return kin__read_map_table(&kin__store_indexes(store)->items[0]->values)->n_buckets;
}

static void an_index_that_has_lost_most_values_is_small_again(void **state)
{
    kin_store *store = filled_store();
    uint32_t n_buckets;

    (void)state;
    delete_most(store);
    put_many(store, "t", MANY);
    n_buckets = buckets_of_values(store);
    delete_most(store);
    assert_true(buckets_of_values(store) < n_buckets / 8);
    assert_len(store, FEW);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_that_has_lost_most_is_small_again),
        cmocka_unit_test(what_moved_can_be_changed_and_deleted),
        cmocka_unit_test(a_list_of_few_leaves_a_small_table),
        cmocka_unit_test(a_view_shows_all_while_the_store_shrinks),
        cmocka_unit_test(a_view_keeps_one_table),
        cmocka_unit_test(every_value_that_has_lost_most_is_small_again),
        cmocka_unit_test(an_index_that_has_lost_most_values_is_small_again),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
