/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacing all that a store has: in stages, at once, tried again, given up.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "cache/store.h"
#include "kinform/json.h"
#include "kinform/replace.h"
#include "kinform/store.h"
#include "store_support.h"

static kin_replace *begin(kin_store *store)
{
    kin_replace *replace = NULL;

    assert_code(kin_store_replace_begin(store, &replace, NULL), 0);
    return replace;
}

static void add(kin_replace *replace, const char *key, unsigned version, const char *tags)
{
    const kin_object *item = kin_test_item(key, version, tags);

    assert_code(kin_replace_add(replace, item, NULL), 0);
    kin_object_unref(item);
}

static void commit(kin_replace *replace, const char *version)
{
    assert_code(kin_replace_commit(replace, kin_str_of(version), NULL), 0);
}

static kin_store *filled_store(void)
{
    kin_store *store = test_store_new();

    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "y");
    test_put(store, "c", 3, "x,y");
    return store;
}

static const char filled[] = "3 at 3: a@1(x) b@2(y) c@3(x,y) | tag: x=a,c y=b,c";

static void what_the_list_has_not_is_deleted(void **state)
{
    size_t live = kin_test_items_live();
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);

    (void)state;
    add(replace, "b", 4, "y,z");
    add(replace, "d", 5, "x");
    assert_store(store, filled);
    commit(replace, "list-9");
    assert_store(store, "2 at list-9: b@4(y,z) d@5(x) | tag: x=d y=b z=b");
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live() - live, 2);
    /* By nothing. */
    commit(begin(store), "list-10");
    assert_store(store, "0 at list-10: | tag:");
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

static void of_two_with_one_key_the_later_wins(void **state)
{
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);

    (void)state;
    add(replace, "a", 4, "x");
    add(replace, "n", 5, "z");
    add(replace, "a", 6, "y");
    add(replace, "n", 7, "x");
    add(replace, "a", 8, "z");
    commit(replace, "l");
    assert_store(store, "2 at l: a@8(z) n@7(x) | tag: x=n z=a");
    assert_int_equal(test_old_states(store), 0);
    kin_store_unref(store);
}

static void an_aborted_one_changes_nothing(void **state)
{
    size_t live = kin_test_items_live();
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);

    (void)state;
    add(replace, "a", 4, "new");
    add(replace, "d", 5, "x");
    kin_replace_abort(replace);
    kin_replace_abort(begin(store));
    kin_replace_abort(NULL);
    assert_store(store, filled);
    assert_int_equal(kin_test_items_live() - live, 3);
    kin_store_unref(store);
}

static void several_may_be_under_way(void **state)
{
    kin_store *store = filled_store();
    kin_replace *one = begin(store);
    kin_replace *two = begin(store);
    kin_replace *three = begin(store);

    (void)state;
    add(one, "a", 10, "one");
    add(two, "a", 20, "two");
    add(three, "b", 30, "one,two");
    add(one, "e", 11, "one");
    commit(two, "2");
    assert_store(store, "1 at 2: a@20(two) | tag: two=a");
    test_put(store, "z", 40, "one");
    commit(one, "1");
    assert_store(store, "2 at 1: a@10(one) e@11(one) | tag: one=a,e");
    kin_replace_abort(three);
    assert_store(store, "2 at 1: a@10(one) e@11(one) | tag: one=a,e");
    kin_store_unref(store);
}

/* What was put between staging and commit is as old as what was there before. */
static void writes_in_between_are_replaced_too(void **state)
{
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);
    kin_view *view = NULL;

    (void)state;
    add(replace, "a", 4, "x");
    test_put(store, "a", 5, "y");
    test_put(store, "n", 6, "z");
    assert_code(kin_store_delete_key(store, kin_str_of("c"), NULL), 0);
    assert_code(kin_view_new(&view, store, NULL), 0);
    commit(replace, "l");
    assert_store(store, "1 at l: a@4(x) | tag: x=a");
    assert_view(view, "3 at 6: a@5(y) b@2(y) n@6(z) | tag: y=a,b z=n");
    kin_view_free(view);
    kin_store_unref(store);
}

static void a_long_list_into_an_empty_store(void **state)
{
    enum { N = 3000 };
    kin_store *store = test_store_new();
    kin_replace *replace = begin(store);
    size_t live = kin_test_items_live();

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < N; i++) {
            char key[16];

            snprintf(key, sizeof(key), "k-%u", i + round * N / 2);
            add(replace, key, i, i % 7 ? "x" : "y");
        }
        assert_int_equal(kin_store_len(store), round ? N : 0);
        commit(replace, "l");
        assert_int_equal(kin_store_len(store), N);
        replace = begin(store);
    }
    kin_replace_abort(replace);
    /* What was replaced goes with the next writes, a part each. */
    for (unsigned i = 0; i < 20; i++)
        assert_code(kin_store_bookmark(store, kin_str_of("m"), NULL), 0);
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live() - live, N);
    kin_store_unref(store);
}

static void replacements_refuse_what_is_wrong(void **state)
{
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);
    const kin_object *item = kin_test_item("", 1, NULL);
    const kin_object *nameless = NULL;
    const kin_object *tombstone = NULL;
    char long_version[KIN_RESOURCE_VERSION_BYTES_MAX + 2];
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset(long_version, 'v', sizeof(long_version));
    assert_code(kin_replace_add(NULL, item, &err), KIN_EINVAL);
    assert_string_equal(err.message, "replace is NULL");
    assert_code(kin_replace_add(replace, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "object is NULL");
    assert_code(kin_replace_add(replace, item, NULL), KIN_EINVAL);
    assert_code(kin_object_from_json(&nameless, kin_str_of("{\"metadata\":{}}"), NULL, NULL), 0);
    assert_code(kin_replace_add(replace, nameless, NULL), KIN_EINVAL);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a"), NULL, NULL), 0);
    assert_code(kin_replace_add(replace, tombstone, &err), KIN_EINVAL);
    assert_string_equal(err.message, "a list has no tombstones");
    assert_code(kin_replace_commit(NULL, kin_str_of("1"), &err), KIN_EINVAL);
    assert_string_equal(err.message, "replace is NULL");
    /* What is right stays, and it can be committed after all that. */
    add(replace, "n", 7, "x");
    assert_code(
        kin_replace_commit(replace, kin_str_make(long_version, sizeof(long_version) - 1), NULL),
        KIN_ELIMIT);
    assert_store(store, filled);
    commit(replace, "l");
    assert_store(store, "1 at l: n@7(x) | tag: x=n");
    kin_object_unref(item);
    kin_object_unref(nameless);
    kin_object_unref(tombstone);
    kin_store_unref(store);
}

static void all_at_once(void **state)
{
    size_t live = kin_test_items_live();
    kin_store *store = filled_store();
    const kin_object *items[3] = {kin_test_item("n", 7, "x"), kin_test_item("a", 8, "y"), NULL};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_store_replace(store, NULL, 2, kin_str_of("l"), &err), KIN_EINVAL);
    assert_string_equal(err.message, "objects is NULL");
    assert_code(kin_store_replace(store, items, 3, kin_str_of("l"), NULL), KIN_EINVAL);
    assert_store(store, filled);
    assert_code(kin_store_replace(store, items, 2, kin_str_of("l"), NULL), 0);
    assert_store(store, "2 at l: a@8(y) n@7(x) | tag: x=n y=a");
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    kin_store_unref(store);
    assert_int_equal(kin_test_items_live(), live);
}

/* --- indexes that are added in between --- */

static void an_index_may_come_before_the_commit(void **state)
{
    kin_index second = KIN_INDEX_INIT("second", kin_test_by_tag);
    kin_index third = KIN_INDEX_INIT("third", kin_test_by_tag);
    kin_store *store = filled_store();
    kin_replace *replace = begin(store);
    kin_replace *empty = begin(store);

    (void)state;
    add(replace, "a", 4, "y");
    assert_code(kin_store_add_index(store, &second, NULL), 0);
    add(replace, "d", 5, "x");
    assert_code(kin_store_add_index(store, &third, NULL), 0);
    commit(replace, "l");
    assert_store(store, "2 at l: a@4(y) d@5(x) | tag: x=d y=a | second: x=d y=a | third: x=d y=a");
    commit(empty, "m");
    assert_store(store, "0 at m: | tag: | second: | third:");
    kin_store_unref(store);
}

/* A transformer runs once, though the records are staged again. */
static int count_runs(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)err;
    ++*(unsigned *)arg;
    *ret = kin_test_item(kin_object_key(object), kin_test_item_version(object) + 1,
                         kin_test_item_tags(object));
    return 0;
}

static void transformers_run_once(void **state)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_store *store = NULL;
    kin_replace *replace;
    unsigned runs = 0;

    (void)state;
    options.transform = count_runs;
    options.transform_arg = &runs;
    assert_code(kin_store_new(&store, &options, NULL), 0);
    replace = begin(store);
    add(replace, "a", 1, "x");
    add(replace, "b", 2, "x");
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    commit(replace, "l");
    assert_store(store, "2 at l: a@2(x) b@3(x) | tag: x=a,b");
    assert_int_equal(runs, 2);
    kin_store_unref(store);
}

/* --- without memory --- */

/* The allocation after which the commit fails; it is tried again without failures. */
static void commit_again(kin_store *store, kin_replace *replace, size_t n,
                         enum kin_test_alloc_mode mode, const char *before, bool *ret_failed)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    kin_test_alloc_arm(n, mode);
    code = kin_replace_commit(replace, kin_str_of("l"), &err);
    *ret_failed = kin_test_alloc_disarm();
    if (code == 0)
        return;
    assert_true(*ret_failed);
    assert_code(code, KIN_ENOMEM);
    assert_int_equal(err.code, KIN_ENOMEM);
    assert_store(store, before);
    commit(replace, "l");
}

static void fill_replacement(kin_replace *replace)
{
    /* Enough new keys for a new table, enough of a value for new places. */
    for (unsigned i = 0; i < 12; i++) {
        char key[8];

        snprintf(key, sizeof(key), "n%u", i);
        add(replace, key, i, "x");
    }
    add(replace, "a", 20, "y");
    add(replace, "a", 21, "z,w");
}

static void a_commit_can_be_tried_again(void **state)
{
    size_t live = kin_test_items_live();

    (void)state;
    for (int mode = KIN_TEST_FAIL_ONE; mode <= KIN_TEST_FAIL_REST; mode++) {
        bool failed = true;

        for (size_t n = 1; failed; n++) {
            kin_store *store = filled_store();
            kin_replace *replace = begin(store);
            kin_view *view = NULL;

            assert_code(kin_view_new(&view, store, NULL), 0);
            fill_replacement(replace);
            commit_again(store, replace, n, (enum kin_test_alloc_mode)mode, filled, &failed);
            assert_int_equal(kin_store_len(store), 13);
            assert_tag(store, "x", "n0 n1 n10 n11 n2 n3 n4 n5 n6 n7 n8 n9");
            assert_tag(store, "y", "");
            assert_tag(store, "w", "a");
            assert_view(view, filled);
            kin_view_free(view);
            kin_store_unref(store);
        }
    }
    assert_int_equal(kin_test_items_live(), live);
}

/* The index comes when some objects are staged: all are staged again, which can fail half-way. */
static void stage_again(unsigned staged_before)
{
    static const char *const keys[] = {"a", "b", "c"};
    static const char *const tags[] = {"x", "y", "z"};
    kin_index second = KIN_INDEX_INIT("second", kin_test_by_tag);
    bool failed = true;

    for (size_t n = 1; failed; n++) {
        kin_store *store = test_store_new();
        kin_replace *replace = begin(store);

        for (unsigned i = 0; i <= 3; i++) {
            if (i == staged_before)
                assert_code(kin_store_add_index(store, &second, NULL), 0);
            if (i < 3)
                add(replace, keys[i], i + 1, tags[i]);
        }
        commit_again(store, replace, n, KIN_TEST_FAIL_ONE, "0 at : | tag: | second:", &failed);
        assert_store(store,
                     "3 at l: a@1(x) b@2(y) c@3(z) | tag: x=a y=b z=c | second: x=a y=b z=c");
        kin_store_unref(store);
    }
}

static void staging_again_can_be_tried_again(void **state)
{
    size_t live = kin_test_items_live();

    (void)state;
    for (unsigned staged_before = 1; staged_before <= 3; staged_before++)
        stage_again(staged_before);
    assert_int_equal(kin_test_items_live(), live);
}

/* Or given up: nothing is lost and nothing is left. */
static void a_failed_commit_can_be_aborted(void **state)
{
    size_t live = kin_test_items_live();
    size_t allocations = kin_test_alloc_live();
    bool failed = true;

    (void)state;
    for (size_t n = 1; failed; n++) {
        kin_store *store = filled_store();
        kin_replace *replace = begin(store);

        fill_replacement(replace);
        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        failed = kin_replace_commit(replace, kin_str_of("l"), NULL) < 0;
        kin_test_alloc_disarm();
        if (failed) {
            /* More may be put aside, too. */
            add(replace, "late", 9, "x");
            kin_replace_abort(replace);
            assert_store(store, filled);
        }
        kin_store_unref(store);
        assert_int_equal(kin_test_items_live(), live);
        assert_int_equal(kin_test_alloc_live(), allocations);
    }
}

/* What fails while it is put aside is not there; the rest is. */
static void without_memory_what_was_put_aside_stays(void **state)
{
    const kin_object *item = kin_test_item("b", 2, "y,v1,v2,v3,v4,v5,v6,v7,v8,v9");
    int code = -1;

    (void)state;
    for (size_t n = 1; code < 0; n++) {
        kin_store *store = test_store_new();
        kin_replace *replace = begin(store);

        add(replace, "a", 1, "x");
        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        code = kin_replace_add(replace, item, NULL);
        kin_test_alloc_disarm();
        assert_true(code == 0 || code == KIN_ENOMEM);
        commit(replace, "l");
        if (code < 0)
            assert_store(store, "1 at l: a@1(x) | tag: x=a");
        else
            assert_int_equal(kin_store_len(store), 2);
        kin_store_unref(store);
    }
    kin_object_unref(item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_list_has_not_is_deleted),
        cmocka_unit_test(of_two_with_one_key_the_later_wins),
        cmocka_unit_test(an_aborted_one_changes_nothing),
        cmocka_unit_test(several_may_be_under_way),
        cmocka_unit_test(writes_in_between_are_replaced_too),
        cmocka_unit_test(a_long_list_into_an_empty_store),
        cmocka_unit_test(replacements_refuse_what_is_wrong),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(an_index_may_come_before_the_commit),
        cmocka_unit_test(transformers_run_once),
        cmocka_unit_test(a_commit_can_be_tried_again),
        cmocka_unit_test(staging_again_can_be_tried_again),
        cmocka_unit_test(a_failed_commit_can_be_aborted),
        cmocka_unit_test(without_memory_what_was_put_aside_stays),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
