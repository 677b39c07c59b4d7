/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views, and visits, which are views for the time of a call: that they show one version whatever is
 * written meanwhile, and what they keep in memory for it.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cache/store.h"
#include "child.h"
#include "kinform/view.h"
#include "store_support.h"

static size_t count_view(kin_view *view)
{
    size_t n = 0;

    while (kin_view_next(view, NULL, NULL))
        n++;
    return n;
}

/* --- what a view shows --- */

static void a_view_shows_what_was_there(void **state)
{
    kin_store *store = test_store_new();
    kin_view *empty = test_open_view(store);
    kin_view *view;

    (void)state;
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "x,y");
    view = test_open_view(store);
    test_put(store, "a", 3, "y");
    test_delete_key(store, "b");
    test_put(store, "c", 4, "z");
    assert_code(kin_store_bookmark(store, kin_str_of("5"), NULL), 0);
    assert_view(empty, "0 at : | tag:");
    assert_view(view, "2 at 2: a@1(x) b@2(x,y) | tag: x=a,b y=b");
    assert_store(store, "2 at 5: a@3(y) c@4(z) | tag: y=a z=c");
    assert_code(kin_view_get(view, NULL, kin_str_of("c"), NULL), KIN_ENOTFOUND);
    assert_code(kin_view_get(empty, NULL, kin_str_of("a"), NULL), KIN_ENOTFOUND);
    kin_view_free(empty);
    kin_view_free(view);
    kin_store_unref(store);
}

static void a_view_is_gone_through_in_the_same_order(void **state)
{
    enum { N = 40 };
    kin_store *store = test_store_new();
    const kin_object *first[N];
    const kin_object *object;
    kin_view *view;
    kin_str key;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        test_put_numbered(store, i, i, NULL);
    view = test_open_view(store);
    for (unsigned i = 0; i < N; i++) {
        assert_true(kin_view_next(view, &key, &first[i]));
        assert_true(kin_str_equal(key, kin_str_of(kin_object_key(first[i]))));
    }
    assert_false(kin_view_next(view, &key, &object));
    for (unsigned i = 0; i < N; i++) {
        test_put_numbered(store, N + i, 1, NULL);
        assert_true(kin_view_next(view, NULL, &object));
        assert_ptr_equal(object, first[i]);
        if (i == N / 2 && kin_store_len(store) < 2 * N) {
            kin_view_rewind(view);
            assert_true(kin_view_next(view, NULL, &object));
            assert_ptr_equal(object, first[0]);
            kin_view_rewind(view);
            for (unsigned k = 0; k <= i; k++)
                assert_true(kin_view_next(view, NULL, NULL));
        }
    }
    assert_false(kin_view_next(view, NULL, NULL));
    kin_view_free(view);
    kin_store_unref(store);
}

static void a_view_stays_while_the_table_grows(void **state)
{
    enum { N = 5000 };
    kin_store *store = test_store_new();
    kin_view *one;
    kin_view *some;
    char *before;

    (void)state;
    test_put(store, "only", 1, "x");
    one = test_open_view(store);
    for (unsigned i = 0; i < 100; i++)
        test_put_numbered(store, i, 2, "y");
    some = test_open_view(store);
    before = test_describe_view(some);
    for (unsigned i = 0; i < N; i++) {
        test_put_numbered(store, i, 3, "z");
        if (i % 1000 == 0)
            assert_view(one, "1 at 1: only@1(x) | tag: x=only");
    }
    test_delete_key(store, "only");
    assert_view(one, "1 at 1: only@1(x) | tag: x=only");
    assert_view(some, before);
    assert_int_equal(kin_store_len(store), N);
    free(before);
    kin_view_free(one);
    assert_int_equal(count_view(some), 101);
    kin_view_free(some);
    /* The tables that were kept for them are gone, and everything is there. */
    test_put_numbered(store, 0, 4, NULL);
    assert_null(store->old_tables);
    assert_int_equal(kin_store_len(store), N);
    kin_store_unref(store);
}

static void a_view_stays_when_all_is_deleted(void **state)
{
    enum { N = 1000 };
    kin_store *store = test_store_new();
    size_t live = kin_test_items_live();
    kin_view *view;
    char *before;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        test_put_numbered(store, i, i, i % 2 ? "x" : "y,z");
    view = test_open_view(store);
    before = test_describe_view(view);
    for (unsigned i = 0; i < N; i += 2) {
        char key[24];

        snprintf(key, sizeof(key), "ns-%u/item-%u", i % 3, i);
        test_delete_key(store, key);
    }
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("list"), NULL), 0);
    assert_store(store, "0 at list: | tag:");
    assert_view(view, before);
    assert_int_equal(test_old_states(store), N);
    kin_view_free(view);
    free(before);
    while (test_old_states(store) > 0)
        assert_code(kin_store_bookmark(store, kin_str_of("later"), NULL), 0);
    assert_int_equal(kin_test_items_live(), live);
    kin_store_unref(store);
}

static void a_view_keeps_the_store(void **state)
{
    size_t live = kin_test_items_live();
    kin_store *store = test_store_new();
    kin_view *view;

    (void)state;
    test_put(store, "a", 1, "x");
    view = test_open_view(store);
    test_put(store, "a", 2, "y");
    kin_store_unref(store);
    assert_view(view, "1 at 1: a@1(x) | tag: x=a");
    kin_view_free(view);
    assert_int_equal(kin_test_items_live(), live);
}

static void a_view_has_only_the_indexes_that_were_there(void **state)
{
    kin_index second = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_store *store = test_store_new();
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_view *before;
    kin_view *after;

    (void)state;
    test_put(store, "n/a", 1, "x");
    before = test_open_view(store);
    assert_code(kin_store_add_index(store, &second, NULL), 0);
    after = test_open_view(store);
    assert_code(
        kin_view_by_index(before, &list, kin_str_of(KIN_NAMESPACE_INDEX), kin_str_of("n"), NULL),
        KIN_ENOTFOUND);
    assert_view(before, "1 at 1: n/a@1(x) | tag: x=n/a");
    assert_code(
        kin_view_by_index(after, &list, kin_str_of(KIN_NAMESPACE_INDEX), kin_str_of("n"), NULL), 0);
    assert_int_equal(list.len, 1);
    kin_object_list_done(&list);
    kin_view_free(before);
    kin_view_free(after);
    kin_store_unref(store);
}

/* What was found stays while the view lives, whatever becomes of it in the store. */
static void what_a_view_found_stays(void **state)
{
    kin_index second = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_store *store = test_eager_store();
    const kin_object *got = NULL;
    const kin_object *next = NULL;
    kin_view *view;
    kin_str key;

    (void)state;
    test_put(store, "a", 7, "x");
    view = test_open_view(store);
    assert_code(kin_view_get(view, &got, kin_str_of("a"), NULL), 0);
    assert_true(kin_view_next(view, &key, &next));
    assert_code(kin_store_add_index(store, &second, NULL), 0);
    for (unsigned i = 0; i < 100; i++)
        test_put(store, "a", i, "y");
    test_delete_key(store, "a");
    assert_int_equal(kin_test_item_version(got), 7);
    assert_ptr_equal(got, next);
    assert_true(kin_str_equal(key, kin_str_of("a")));
    kin_view_free(view);
    kin_store_unref(store);
}

/* A key that comes and goes is there in some views and not in others. */
static void gaps_are_shown_as_gaps(void **state)
{
    enum { ROUNDS = 6 };
    kin_store *store = test_eager_store();
    kin_view *there[ROUNDS];
    kin_view *gone[ROUNDS];
    char expected[64];

    (void)state;
    test_put(store, "other", 1, NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        test_put(store, "a", 10 + i, i % 2 ? "x" : "x,y");
        there[i] = test_open_view(store);
        /* States that nobody sees in between. */
        test_put(store, "a", 20, "z");
        test_delete_key(store, "a");
        gone[i] = test_open_view(store);
        test_put(store, "a", 30, "x");
        test_delete_key(store, "a");
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = round; i < ROUNDS; i++) {
            snprintf(expected, sizeof(expected), "2 at %u: a@%u(%s) other@1() | tag: x=a%s", 10 + i,
                     10 + i, i % 2 ? "x" : "x,y", i % 2 ? "" : " y=a");
            assert_view(there[i], expected);
            assert_view(gone[i], "1 at 20: other@1() | tag:");
        }
        /* What is between the others goes. */
        kin_view_free(round % 2 ? there[round] : gone[round]);
        test_put(store, "other", 1, NULL);
        kin_view_free(round % 2 ? gone[round] : there[round]);
        test_put(store, "a", 40, "y");
        test_delete_key(store, "a");
    }
    /* The last deletions go with the next writes. */
    for (unsigned i = 0; i < 3; i++)
        test_put(store, "other", 1, NULL);
    assert_true(test_old_states(store) <= 1);
    kin_store_unref(store);
}

static void views_refuse_what_is_wrong(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_store *store = test_store_new();
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_view *view = NULL;

    (void)state;
    assert_code(kin_view_new(&view, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "store is NULL");
    assert_code(kin_view_new(NULL, store, NULL), KIN_EINVAL);
    assert_null(view);
    kin_view_free(NULL);
    assert_int_equal(kin_view_len(NULL), 0);
    assert_string_equal(kin_view_resource_version(NULL), "");
    assert_code(kin_view_get(NULL, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_false(kin_view_next(NULL, NULL, NULL));
    kin_view_rewind(NULL);
    assert_code(kin_view_by_index(NULL, &list, kin_str_of("tag"), kin_str_of("x"), NULL),
                KIN_EINVAL);
    view = test_open_view(store);
    assert_code(kin_view_by_index(view, NULL, kin_str_of("tag"), kin_str_of("x"), NULL),
                KIN_EINVAL);
    assert_code(kin_view_by_index(view, &list, kin_str_of("none"), kin_str_of("x"), &err),
                KIN_ENOTFOUND);
    assert_string_equal(err.message, "there is no index none");
    assert_code(kin_view_by_index(view, &list, kin_str_of("tag"), kin_str_of("x"), NULL), 0);
    assert_null(list.items);
    kin_view_free(view);
    kin_store_unref(store);
}

/* --- visits --- */

struct visit {
    kin_store *store;
    unsigned seen;
    unsigned sum;
    int (*also)(struct visit *visit);
};

static int visitor(kin_str key, const kin_object *object, void *arg)
{
    struct visit *visit = arg;

    assert_true(kin_str_equal(key, kin_str_of(kin_object_key(object))));
    visit->seen++;
    visit->sum += kin_test_item_version(object);
    return visit->also ? visit->also(visit) : 0;
}

enum { VISITED = 300, SUM = VISITED * (VISITED - 1) / 2 };

/* More than a batch, half of them with the tag x. */
static void fill(kin_store *store)
{
    for (unsigned i = 0; i < VISITED; i++)
        test_put_numbered(store, i, i, i % 2 ? "y" : "x");
}

static void visit_both_ways(int (*also)(struct visit *visit))
{
    for (int by_index = 0; by_index < 2; by_index++) {
        struct visit visit = {test_eager_store(), 0, 0, also};

        fill(visit.store);
        if (by_index)
            assert_code(kin_store_each_by_index(visit.store, kin_str_of("tag"), kin_str_of("x"),
                                                visitor, &visit, NULL),
                        0);
        else
            assert_code(kin_store_each(visit.store, visitor, &visit, NULL), 0);
        assert_int_equal(visit.seen, by_index ? VISITED / 2 : VISITED);
        assert_int_equal(visit.sum, by_index ? SUM / 2 - VISITED / 4 : SUM);
        kin_store_unref(visit.store);
    }
}

static void a_visit_sees_all_of_one_version(void **state)
{
    (void)state;
    visit_both_ways(NULL);
}

/* Each visit changes all that comes behind it, and all that came before. */
static int change_everything(struct visit *visit)
{
    unsigned i = visit->seen * 7 % VISITED;
    char key[24];

    test_put_numbered(visit->store, i, 100000, i % 3 ? "x,z" : NULL);
    test_put_numbered(visit->store, VISITED + visit->seen, 100000, "x");
    i = visit->seen * 11 % VISITED;
    snprintf(key, sizeof(key), "ns-%u/item-%u", i % 3, i);
    test_delete_key(visit->store, key);
    return 0;
}

static void a_visitor_may_write(void **state)
{
    (void)state;
    visit_both_ways(change_everything);
}

static int replace_everything(struct visit *visit)
{
    const kin_object *item = kin_test_item("new", visit->seen, "x");

    if (visit->seen % 20 == 1)
        assert_code(kin_store_replace(visit->store, &item, 1, kin_str_of("1"), NULL), 0);
    kin_object_unref(item);
    return 0;
}

static void a_visitor_may_replace_all(void **state)
{
    (void)state;
    visit_both_ways(replace_everything);
}

/* All records are replaced by copies while some of them are still to be visited. */
static int add_an_index(struct visit *visit)
{
    char name[16];
    kin_index index = KIN_INDEX_INIT(name, kin_namespace_index);

    snprintf(name, sizeof(name), "index-%u", visit->seen);
    if (visit->seen % 50 == 1)
        assert_code(kin_store_add_index(visit->store, &index, NULL), 0);
    return 0;
}

static void a_visitor_may_add_an_index(void **state)
{
    (void)state;
    visit_both_ways(add_an_index);
}

static int visit_inside(struct visit *visit)
{
    struct visit inner = {visit->store, 0, 0, NULL};

    if (visit->seen % 100)
        return 0;
    assert_code(kin_store_each(visit->store, visitor, &inner, NULL), 0);
    assert_int_equal(inner.seen, VISITED);
    return 0;
}

static void a_visitor_may_visit(void **state)
{
    (void)state;
    visit_both_ways(visit_inside);
}

static int end_at_ten(struct visit *visit)
{
    return visit->seen == 10 ? 4711 : 0;
}

static void a_visitor_can_end_the_visit(void **state)
{
    struct visit visit = {test_store_new(), 0, 0, end_at_ten};
    kin_store_stats stats = KIN_STORE_STATS_INIT;

    (void)state;
    fill(visit.store);
    assert_int_equal(kin_store_each(visit.store, visitor, &visit, NULL), 4711);
    assert_int_equal(visit.seen, 10);
    visit.seen = 0;
    assert_int_equal(kin_store_each_by_index(visit.store, kin_str_of("tag"), kin_str_of("y"),
                                             visitor, &visit, NULL),
                     4711);
    assert_int_equal(visit.seen, 10);
    assert_code(kin_store_get_stats(visit.store, &stats, NULL), 0);
    assert_int_equal(stats.views, 0);
    kin_store_unref(visit.store);
}

static void visits_refuse_what_is_wrong(void **state)
{
    kin_store *store = test_store_new();
    struct visit visit = {store, 0, 0, NULL};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_store_each(NULL, visitor, &visit, NULL), KIN_EINVAL);
    assert_code(kin_store_each(store, NULL, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "visit is NULL");
    assert_code(
        kin_store_each_by_index(NULL, kin_str_of("tag"), kin_str_of("x"), visitor, &visit, NULL),
        KIN_EINVAL);
    assert_code(
        kin_store_each_by_index(store, kin_str_of("tag"), kin_str_of("x"), NULL, NULL, NULL),
        KIN_EINVAL);
    assert_code(
        kin_store_each_by_index(store, kin_str_of("none"), kin_str_of("x"), visitor, &visit, NULL),
        KIN_ENOTFOUND);
    assert_code(kin_store_each_by_index(store, kin_str_of("tag"), kin_str_of("none"), visitor,
                                        &visit, NULL),
                0);
    assert_code(kin_store_each(store, visitor, &visit, NULL), 0);
    assert_int_equal(visit.seen, 0);
    kin_store_unref(store);
}

/* --- forks --- */

struct parent {
    kin_store *store;
    kin_view *view;
};

static int ignore(kin_str key, const kin_object *object, void *arg)
{
    (void)key;
    (void)object;
    (void)arg;
    return 0;
}

static int in_child(void *arg)
{
    struct parent *parent = arg;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_view *view = NULL;
    int wrong = 0;

    wrong += kin_view_new(&view, parent->store, NULL) != KIN_EFORKED;
    wrong += kin_view_get(parent->view, NULL, kin_str_of("a"), NULL) != KIN_EFORKED;
    wrong += kin_view_next(parent->view, NULL, NULL);
    wrong += kin_view_by_index(parent->view, &list, kin_str_of("tag"), kin_str_of("x"), NULL) !=
             KIN_EFORKED;
    wrong += kin_store_each(parent->store, ignore, NULL, NULL) != KIN_EFORKED;
    wrong += kin_store_each_by_index(parent->store, kin_str_of("tag"), kin_str_of("x"), ignore,
                                     NULL, NULL) != KIN_EFORKED;
    kin_store_unref(parent->store);
    kin_view_free(parent->view);
    return wrong;
}

static void a_child_can_only_free(void **state)
{
    struct parent parent = {test_store_new(), NULL};
    kin_test_child child;

    (void)state;
    test_put(parent.store, "a", 1, "x");
    parent.view = test_open_view(parent.store);
    test_put(parent.store, "a", 2, "y");
    kin_test_run_child(&child, in_child, &parent);
    assert_int_equal(child.exit_code, 0);
    assert_view(parent.view, "1 at 1: a@1(x) | tag: x=a");
    kin_view_free(parent.view);
    kin_store_unref(parent.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_shows_what_was_there),
        cmocka_unit_test(a_view_is_gone_through_in_the_same_order),
        cmocka_unit_test(a_view_stays_while_the_table_grows),
        cmocka_unit_test(a_view_stays_when_all_is_deleted),
        cmocka_unit_test(a_view_keeps_the_store),
        cmocka_unit_test(a_view_has_only_the_indexes_that_were_there),
        cmocka_unit_test(what_a_view_found_stays),
        cmocka_unit_test(gaps_are_shown_as_gaps),
        cmocka_unit_test(views_refuse_what_is_wrong),
        cmocka_unit_test(a_visit_sees_all_of_one_version),
        cmocka_unit_test(a_visitor_may_write),
        cmocka_unit_test(a_visitor_may_replace_all),
        cmocka_unit_test(a_visitor_may_add_an_index),
        cmocka_unit_test(a_visitor_may_visit),
        cmocka_unit_test(a_visitor_can_end_the_visit),
        cmocka_unit_test(visits_refuse_what_is_wrong),
        cmocka_unit_test(a_child_can_only_free),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
