/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores without memory: each allocation of an operation fails in turn, and the store is as it was
 * before. Deleting asks for none. Transactions and replacements are swept in their own tests.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "cache/store.h"
#include "kinform/store.h"
#include "oom.h"
#include "store_support.h"

/* As many as fill a table, so that one more makes a new one; as many of a value as fill its places. */
enum { FULL = 5 };

static kin_store *setup(void *arg)
{
    kin_store *store = test_store_new();

    (void)arg;
    for (unsigned i = 0; i < FULL; i++) {
        char key[8];

        snprintf(key, sizeof(key), "k%u", i);
        test_put(store, key, i, i < 4 ? "x" : "y");
    }
    return store;
}

static int put(kin_store *store, const char *key, const char *tags, kin_error *err)
{
    const kin_object *item = kin_test_item(key, 9, tags);
    int code = kin_store_add(store, item, err);

    kin_object_unref(item);
    return code;
}

static int run_add(kin_store *store, void *arg, kin_error *err)
{
    (void)arg;
    return put(store, "new", "x,z,a-value-that-is-long-enough-to-need-memory", err);
}

static void adding(void **state)
{
    const test_sweep sweep = {
        setup, run_add, NULL,
        "6 at 9: k0@0(x) k1@1(x) k2@2(x) k3@3(x) k4@4(y) "
        "new@9(x,z,a-value-that-is-long-enough-to-need-memory) | tag: "
        "a-value-that-is-long-enough-to-need-memory=new x=k0,k1,k2,k3,new y=k4 z=new"};

    (void)state;
    assert_true(test_run_sweep(&sweep) >= 6);
}

static int run_add_many(kin_store *store, void *arg, kin_error *err)
{
    (void)arg;
    return put(store, "new", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20", err);
}

static void adding_with_many_values(void **state)
{
    const test_sweep sweep = {
        setup, run_add_many, NULL,
        "6 at 9: k0@0(x) k1@1(x) k2@2(x) k3@3(x) k4@4(y) "
        "new@9(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20) | tag: 1=new 10=new 11=new "
        "12=new 13=new 14=new 15=new 16=new 17=new 18=new 19=new 2=new 20=new 3=new 4=new 5=new "
        "6=new 7=new 8=new 9=new x=k0,k1,k2,k3 y=k4"};

    (void)state;
    assert_true(test_run_sweep(&sweep) > 40);
}

static int run_update(kin_store *store, void *arg, kin_error *err)
{
    (void)arg;
    return put(store, "k4", "x,z", err);
}

static void updating_to_other_values(void **state)
{
    const test_sweep sweep = {setup, run_update, NULL,
                              "5 at 9: k0@0(x) k1@1(x) k2@2(x) k3@3(x) k4@9(x,z) | tag: "
                              "x=k0,k1,k2,k3,k4 z=k4"};

    (void)state;
    assert_true(test_run_sweep(&sweep) >= 4);
}

static int run_add_index(kin_store *store, void *arg, kin_error *err)
{
    kin_index indexes[2] = {KIN_INDEX_INIT("one", kin_test_by_tag),
                            KIN_INDEX_INIT("two", kin_namespace_index)};

    (void)arg;
    return kin_store_add_indexes(store, indexes, 2, err);
}

static void adding_indexes(void **state)
{
    const test_sweep sweep = {
        setup, run_add_index, NULL,
        "5 at 4: k0@0(x) k1@1(x) k2@2(x) k3@3(x) k4@4(y) | tag: x=k0,k1,k2,k3 y=k4 | one: "
        "x=k0,k1,k2,k3 y=k4 | two: =k0,k1,k2,k3,k4"};

    (void)state;
    assert_true(test_run_sweep(&sweep) > 15);
}

static void note_free(void *arg)
{
    ++*(unsigned *)arg;
}

/* An index that could not be added leaves its argument to the caller. */
static int scenario_owned(kin_error *err)
{
    unsigned freed = 0;
    kin_index index = KIN_INDEX_INIT("one", kin_namespace_index);
    kin_store *store = NULL;
    int code = kin_store_new(&store, NULL, err);

    index.arg = &freed;
    index.arg_free = note_free;
    if (code == 0)
        code = put(store, "a", NULL, err);
    if (code == 0)
        code = kin_store_add_index(store, &index, err);
    assert_int_equal(freed, 0);
    kin_store_unref(store);
    assert_int_equal(freed, code == 0);
    return code;
}

static void an_argument_stays_the_callers(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    unsigned failures = 0;

    (void)state;
    for (size_t n = 1;; n++) {
        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        if (scenario_owned(&err) == 0)
            break;
        assert_true(kin_test_alloc_disarm());
        failures++;
    }
    kin_test_alloc_disarm();
    assert_true(failures > 5);
}

/* --- reading --- */

static int run_reads(kin_store *store, void *arg, kin_error *err)
{
    kin_str tag = kin_str_of("tag");
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list strings = KIN_STRING_LIST_INIT;
    const kin_object *like = kin_test_item("like", 1, "x,y");
    kin_view *view = NULL;
    int code = 0;

    switch (*(int *)arg) {
    case 0:
        code = kin_store_list(store, &objects, err);
        break;
    case 1:
        code = kin_store_list_keys(store, &strings, err);
        break;
    case 2:
        code = kin_store_by_index(store, &objects, tag, kin_str_of("x"), err);
        break;
    case 3:
        code = kin_store_index_keys(store, &strings, tag, kin_str_of("x"), err);
        break;
    case 4:
        code = kin_store_index_values(store, &strings, tag, err);
        break;
    case 5:
        code = kin_store_index_names(store, &strings, err);
        break;
    case 6:
        code = kin_store_index(store, &objects, tag, like, err);
        break;
    default:
        code = kin_view_new(&view, store, err);
        if (code == 0)
            code = kin_view_by_index(view, &objects, tag, kin_str_of("x"), err);
        break;
    }
    /* Untouched on failure. */
    if (code < 0) {
        assert_null(objects.items);
        assert_null(strings.items);
    } else {
        assert_true(objects.len + strings.len > 0);
    }
    kin_object_list_done(&objects);
    kin_string_list_done(&strings);
    kin_object_unref(like);
    kin_view_free(view);
    return code;
}

static void reading(void **state)
{
    int which;
    const test_sweep sweep = {setup, run_reads, &which, NULL};
    size_t live = kin_test_items_live();

    (void)state;
    for (which = 0; which < 8; which++)
        assert_true(test_run_sweep(&sweep) > 0);
    assert_int_equal(kin_test_items_live(), live);
}

/* More at the same time than there are pins and holds without memory. */
static void reading_when_all_pins_are_taken(void **state)
{
    kin_store *store = setup(NULL);
    kin__pin *pins[KIN__PINS_INLINE];
    kin_view *views[KIN__HOLDS_INLINE];
    kin_view *one_more = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;
    uint64_t version;

    (void)state;
    for (unsigned i = 0; i < KIN__HOLDS_INLINE; i++)
        assert_code(kin_view_new(&views[i], store, NULL), 0);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    assert_code(kin_view_new(&one_more, store, &err), KIN_ENOMEM);
    kin_test_alloc_disarm();
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        pins[i] = kin__pins_acquire(&store->pins, &version);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    /* A list needs memory. Reading, deleting, and views that are there do not. */
    assert_code(kin_store_list(store, &list, NULL), KIN_ENOMEM);
    assert_code(kin_store_get(store, NULL, kin_str_of("k0"), &err), 0);
    assert_code(kin_store_delete_key(store, kin_str_of("k0"), NULL), 0);
    assert_code(kin_store_get(store, NULL, kin_str_of("k0"), &err), KIN_ENOTFOUND);
    assert_code(kin_view_get(views[0], NULL, kin_str_of("k0"), NULL), 0);
    assert_true(kin_view_next(views[1], NULL, NULL));
    kin_test_alloc_disarm();
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        kin__pin_release(pins[i]);
    for (unsigned i = 0; i < KIN__HOLDS_INLINE; i++)
        kin_view_free(views[i]);
    kin_store_unref(store);
}

static int visit(kin_str key, const kin_object *object, void *arg)
{
    (void)key;
    (void)object;
    ++*(unsigned *)arg;
    return 0;
}

/* Visits need no memory. */
static void visiting_allocates_nothing(void **state)
{
    kin_store *store = setup(NULL);
    unsigned seen = 0;

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_store_each(store, visit, &seen, NULL), 0);
    assert_int_equal(seen, 5);
    assert_code(
        kin_store_each_by_index(store, kin_str_of("tag"), kin_str_of("x"), visit, &seen, NULL), 0);
    assert_int_equal(seen, 9);
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    kin_store_unref(store);
}

/* --- deleting --- */

/* Puts n objects, holds some views on the way, deletes all with no memory. Tells the allocations. */
static size_t delete_without_memory(unsigned n, unsigned n_views)
{
    kin_store *store = test_store_new();
    kin_view *views[3] = {NULL, NULL, NULL};
    const kin_object *absent = kin_test_item("absent", 77, NULL);
    size_t live = kin_test_items_live();
    char key[16];
    size_t count;

    for (unsigned i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "k%u", i);
        test_put(store, key, i, "x,y");
        test_put(store, key, i, i % 2 ? "x" : "y,z");
        if (i % (n / 3) == n / 6 && i / (n / 3) < n_views)
            assert_code(kin_view_new(&views[i / (n / 3)], store, NULL), 0);
    }
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (unsigned i = 0; i < n; i++) {
        const kin_object *item;

        snprintf(key, sizeof(key), "k%u", i);
        item = kin_test_item(key, i, NULL);
        assert_code(i % 3 ? kin_store_delete_key(store, kin_str_of(key), NULL)
                          : kin_store_delete(store, item, NULL),
                    0);
        kin_object_unref(item);
    }
    assert_code(kin_store_delete(store, absent, NULL), 0);
    assert_code(kin_store_bookmark(store, kin_str_of("78"), NULL), 0);
    for (unsigned v = 0; v < 3; v++)
        kin_view_free(views[v]);
    while (test_old_states(store) > 0)
        assert_code(kin_store_delete_key(store, kin_str_of("absent"), NULL), 0);
    count = kin_test_alloc_count();
    kin_test_alloc_disarm();
    assert_int_equal(kin_test_items_live(), live);
    assert_store(store, "0 at 78: | tag:");
    kin_object_unref(absent);
    kin_store_unref(store);
    return count;
}

/* With nobody looking, and while views hold what is deleted. */
static void deleting_allocates_nothing(void **state)
{
    (void)state;
    for (unsigned n_views = 0; n_views <= 3; n_views++)
        assert_int_equal(delete_without_memory(60, n_views), 0);
}

/* A store that was large asks for smaller tables, and does without them. */
static void deleting_never_fails(void **state)
{
    (void)state;
    for (unsigned n_views = 0; n_views <= 3; n_views++)
        assert_true(delete_without_memory(2000, n_views) > 0);
}

/* --- all together --- */

static int scenario(void *arg, kin_error *err)
{
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);
    const kin_object *items[2] = {kin_test_item("a", 1, "x"), kin_test_item("b", 2, "x,y")};
    kin_write writes[2] = {{KIN_WRITE_PUT, items[1], 0}, {KIN_WRITE_DELETE, items[0], 0}};
    kin_store *store = NULL;
    kin_view *view = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_new(&store, NULL, err);

    (void)arg;
    if (code == 0)
        code = kin_store_add(store, items[0], err);
    if (code == 0)
        code = kin_store_add_index(store, &by_tag, err);
    if (code == 0)
        code = kin_view_new(&view, store, err);
    if (code == 0)
        code = kin_store_write(store, writes, 2, err);
    if (code == 0)
        code = kin_store_replace(store, items, 2, kin_str_of("l"), err);
    if (code == 0)
        code = kin_store_list(store, &list, err);
    kin_object_list_done(&list);
    kin_view_free(view);
    kin_store_unref(store);
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    return code;
}

static void a_whole_life(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding),
        cmocka_unit_test(adding_with_many_values),
        cmocka_unit_test(updating_to_other_values),
        cmocka_unit_test(adding_indexes),
        cmocka_unit_test(an_argument_stays_the_callers),
        cmocka_unit_test(reading),
        cmocka_unit_test(reading_when_all_pins_are_taken),
        cmocka_unit_test(visiting_allocates_nothing),
        cmocka_unit_test(deleting_allocates_nothing),
        cmocka_unit_test(deleting_never_fails),
        cmocka_unit_test(a_whole_life),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
