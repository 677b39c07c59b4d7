/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store keeps for its readers, and when it gives it back: states for views, whatever somebody
 * in the middle of a step may have, places and tables that change.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cache/store.h"
#include "kinform/view.h"
#include "store_support.h"

/* --- what views keep --- */

/* One key is updated for ever, others from time to time, while views are held. */
static void check_bound(unsigned n_views, unsigned n_keys, unsigned updates)
{
    kin_store *store = test_store_new();
    kin_view **views = calloc(n_views, sizeof(*views));
    size_t bound = 2 * n_views * n_keys + 2 * (size_t)store->splice_min;
    size_t live = kin_test_items_live();

    assert_non_null(views);
    for (unsigned v = 0; v < n_views; v++) {
        for (unsigned i = 0; i < n_keys; i++)
            test_put_numbered(store, i, v, i % 2 ? "x" : "y");
        views[v] = test_open_view(store);
    }
    for (unsigned i = 0; i < updates; i++) {
        test_put_numbered(store, i % 100 ? 0 : i / 100 % n_keys, i, i % 3 ? "x" : "y,z");
        if (i % 1000 == 999) {
            /* Also when the views are used meanwhile. */
            assert_code(
                kin_view_get(views[i / 1000 % n_views], NULL, kin_str_of("ns-0/item-0"), NULL), 0);
            assert_true(test_old_states(store) <= bound);
            assert_true(kin_test_items_live() - live <= 2 * bound);
        }
    }
    for (unsigned v = 0; v < n_views; v++) {
        const kin_object *object;

        while (kin_view_next(views[v], NULL, &object))
            assert_int_equal(kin_test_item_version(object), v);
        kin_view_free(views[v]);
    }
    free(views);
    kin_store_unref(store);
}

static void a_view_keeps_one_state_per_key(void **state)
{
    (void)state;
    check_bound(1, 1, 100000);
    check_bound(1, 50, 100000);
}

static void several_views_keep_one_state_each(void **state)
{
    (void)state;
    check_bound(3, 20, 50000);
    /* More than are told apart at once. */
    check_bound(40, 10, 50000);
}

/* Each view has its own version. They are freed in two orders, and leave no memory. */
static void many_views_leave_nothing(void **state)
{
    enum { VIEWS = 3000, KEYS = 10 };
    static kin_view *views[VIEWS];
    kin_store *store = test_store_new();
    size_t before;

    (void)state;
    for (unsigned i = 0; i < KEYS; i++)
        test_put_numbered(store, i, 0, "x");
    before = kin_test_alloc_live();
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned v = 0; v < VIEWS; v++) {
            test_put_numbered(store, v % KEYS, v + 1, "x");
            views[v] = test_open_view(store);
        }
        for (unsigned v = 0; v < VIEWS; v++)
            kin_view_free(views[round ? VIEWS - 1 - v : v * 7 % VIEWS]);
        test_put_numbered(store, 0, VIEWS + 1, "x");
        assert_int_equal(test_old_states(store), 0);
        assert_true(kin_test_alloc_live() <= before);
    }
    kin_store_unref(store);
}

/* The same for a key that is deleted and made again. */
static void a_key_that_comes_and_goes_is_not_kept(void **state)
{
    kin_store *store = test_store_new();
    kin_view *first;
    kin_view *gap;

    (void)state;
    test_put(store, "a", 1, "x");
    first = test_open_view(store);
    test_delete_key(store, "a");
    gap = test_open_view(store);
    for (unsigned i = 0; i < 20000; i++) {
        test_put(store, "a", i, i % 2 ? "x" : "y");
        test_delete_key(store, "a");
        assert_true(test_old_states(store) < 600);
    }
    assert_view(first, "1 at 1: a@1(x) | tag: x=a");
    assert_view(gap, "0 at 1: | tag:");
    kin_view_free(first);
    test_put(store, "a", 7, "z");
    assert_view(gap, "0 at 1: | tag:");
    kin_view_free(gap);
    for (unsigned i = 0; i < 5; i++)
        test_put(store, "b", i, "z");
    assert_true(test_old_states(store) <= 1);
    assert_store(store, "2 at 4: a@7(z) b@4(z) | tag: z=a,b");
    kin_store_unref(store);
}

/* A view in the gap goes through what the one before it shows, also when that one is freed. */
static void a_state_that_is_gone_through_stays(void **state)
{
    kin_store *store = test_eager_store();
    kin_view *gap;
    kin_view *early;

    (void)state;
    test_put(store, "a", 1, "x");
    early = test_open_view(store);
    test_put(store, "a", 2, "x");
    test_delete_key(store, "a");
    gap = test_open_view(store);
    test_put(store, "a", 3, "x");
    /* The state @2, which nobody shows, is taken out; the gap now leads to @1. */
    test_put(store, "b", 4, "y");
    assert_view(gap, "0 at 2: | tag:");
    kin_view_free(early);
    test_put(store, "b", 5, "y");
    assert_view(gap, "0 at 2: | tag:");
    test_put(store, "a", 6, "x");
    test_put(store, "a", 7, "z");
    assert_view(gap, "0 at 2: | tag:");
    kin_view_free(gap);
    test_put(store, "b", 8, NULL);
    assert_store(store, "2 at 8: a@7(z) b@8() | tag: z=a");
    kin_store_unref(store);
}

/* --- an index is added while views come and go --- */

struct freeing {
    kin_store *store;
    kin_view *view;
};

/* And make sure that what it has kept is looked for, behind the head too. */
static void free_now(kin_store *store, kin_view *view)
{
    store->splice_at = 0;
    kin_view_free(view);
}

static int free_a_view(const kin_object *object, kin_index_values *values, void *arg,
                       kin_error *err)
{
    struct freeing *freeing = arg;

    free_now(freeing->store, freeing->view);
    freeing->view = NULL;
    return kin_test_by_tag(object, values, NULL, err);
}

/* A state between two others is taken out after the newest was copied, before the copy is there. */
static void states_may_go_while_an_index_is_added(void **state)
{
    kin_store *store = test_eager_store();
    kin_view *old;
    kin_view *between;
    struct freeing freeing;
    kin_index index = KIN_INDEX_INIT("other", free_a_view);

    (void)state;
    test_put(store, "a", 1, "x");
    old = test_open_view(store);
    test_put(store, "a", 2, "y");
    between = test_open_view(store);
    test_put(store, "a", 3, "z");
    /* The second key, so that one of the two is copied before the view is freed. */
    test_put(store, "b", 1, "x");
    test_put(store, "b", 2, "y");
    freeing = (struct freeing){store, NULL};
    index.arg = &freeing;
    /* Whichever of the keys comes first: once freed at the first call, once at the second. */
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    freeing.view = between;
    index.name = "third";
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    assert_null(freeing.view);
    for (unsigned i = 0; i < 10; i++)
        test_put(store, "c", i, "z");
    assert_view(old, "1 at 1: a@1(x) | tag: x=a");
    kin_view_free(old);
    test_put(store, "a", 4, "z");
    assert_store(store, "3 at 4: a@4(z) b@2(y) c@9(z) | tag: y=b z=a,c | other: y=b z=a,c | third: "
                        "y=b z=a,c");
    kin_store_unref(store);
}

/* Frees its view in the run for the last object: all others were copied before. */
struct late {
    kin_store *store;
    kin_view *view;
    unsigned calls;
    unsigned at;
};

static int free_a_view_late(const kin_object *object, kin_index_values *values, void *arg,
                            kin_error *err)
{
    struct late *late = arg;

    (void)object;
    if (++late->calls == late->at) {
        free_now(late->store, late->view);
        late->view = NULL;
    }
    return kin_index_values_add(values, kin_str_of("all"), err);
}

static void copies_lead_to_what_is_left(void **state)
{
    enum { N = 20 };
    kin_store *store = test_eager_store();
    struct late late = {store, NULL, 0, N};
    kin_index index = KIN_INDEX_INIT("all", free_a_view_late);
    kin_view *old;
    char *before;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        test_put_numbered(store, i, 1, "x");
    old = test_open_view(store);
    before = test_describe_view(old);
    for (unsigned i = 0; i < N; i++)
        test_put_numbered(store, i, 2, "y");
    late.view = test_open_view(store);
    for (unsigned i = 0; i < N; i++)
        test_put_numbered(store, i, 3, "z");
    index.arg = &late;
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    assert_int_equal(late.calls, N);
    for (unsigned i = 0; i < 10; i++)
        test_put(store, "c", i, "z");
    assert_view(old, before);
    free(before);
    kin_view_free(old);
    kin_store_unref(store);
}

/* --- places that get other numbers --- */

enum { MANY = 1000, LEFT = 100 };

/* A sparse value: most of its objects are gone, and all places are kept for a view. */
static kin_view *fill_sparsely(kin_store *store)
{
    kin_view *view;
    char key[24];

    for (unsigned i = 0; i < MANY; i++)
        test_put_numbered(store, i, i, "x");
    view = test_open_view(store);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(key, sizeof(key), "ns-%u/item-%u", i % 3, i);
        if (i % (MANY / LEFT))
            test_delete_key(store, key);
    }
    return view;
}

struct moving {
    kin_view *view; /* of before the deletions */
    bool seen[MANY];
    unsigned n;
};

static int free_in_visit(kin_str key, const kin_object *object, void *arg)
{
    struct moving *moving = arg;
    unsigned number = kin_test_item_version(object);

    (void)key;
    if (moving->n++ == 10) {
        kin_view_free(moving->view);
        moving->view = NULL;
    }
    assert_false(moving->seen[number]);
    moving->seen[number] = true;
    return 0;
}

static void a_visit_goes_on_when_places_move(void **state)
{
    struct moving moving = {.n = 0};
    kin_store *store = test_store_new();
    kin__index_value *value = NULL;

    (void)state;
    moving.view = fill_sparsely(store);
    assert_code(kin_store_each_by_index(store, kin_str_of("tag"), kin_str_of("x"), free_in_visit,
                                        &moving, NULL),
                0);
    assert_int_equal(moving.n, LEFT);
    /* They did move. */
    assert_code(kin__store_find_value(store, kin_str_of("tag"), kin_str_of("x"),
                                      kin__pins_version(&store->pins), &value, NULL),
                0);
    assert_int_equal(atomic_load(&value->postings)->epoch, 1);
    kin_store_unref(store);
}

/* A copy that was made before must not have the old numbers. */
static void places_stay_while_an_index_is_added(void **state)
{
    kin_store *store = test_store_new();
    struct late late = {store, fill_sparsely(store), 0, LEFT};
    kin_index index = KIN_INDEX_INIT("all", free_a_view_late);

    (void)state;
    index.arg = &late;
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    assert_null(late.view);
    /* With numbers that are wrong, places would not be given back. */
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("1"), NULL), 0);
    assert_store(store, "0 at 1: | tag: | all:");
    test_put(store, "a", 1, "x");
    assert_store(store, "1 at 1: a@1(x) | tag: x=a | all: all=a");
    assert_int_equal(test_old_states(store), 0);
    kin_store_unref(store);
}

/* --- a reader that is in the middle of something --- */

/* As kin_store_get() has it for a moment; here for as long as the test likes. */
struct in_step {
    kin__pin *pin;
    uint64_t version;
    kin__record *record;
};

static struct in_step stop_at(kin_store *store, const char *key)
{
    struct in_step step;
    kin_str text = kin_str_of(key);

    step.pin = kin__pins_acquire(&store->pins, &step.version);
    step.record =
        kin__store_find(store, text, kin__read_map_hash(&store->records, text), step.version);
    assert_non_null(step.record);
    return step;
}

static void go_on(struct in_step step)
{
    kin__pin_release(step.pin);
}

/* The record and the key's bytes are still there, however much is written meanwhile. */
static void a_reader_in_a_step_keeps_what_it_has(void **state)
{
    enum { HOWS = 5 };

    (void)state;
    for (int how = 0; how < HOWS; how++) {
        kin_store *store = test_eager_store();
        kin_index index = KIN_INDEX_INIT("other", kin_test_by_tag);
        struct in_step step;
        size_t live;

        test_put(store, "a", 1, "x");
        test_put(store, "b", 1, "x");
        step = stop_at(store, "a");
        switch (how) {
        case 0:
            test_put(store, "a", 2, "x");
            break;
        case 1:
            test_put(store, "a", 2, "y");
            break;
        case 2:
            test_delete_key(store, "a");
            break;
        case 3:
            assert_code(kin_store_replace(store, NULL, 0, kin_str_of("l"), NULL), 0);
            break;
        default:
            assert_code(kin_store_add_index(store, &index, NULL), 0);
            test_delete_key(store, "a");
            break;
        }
        for (unsigned i = 0; i < 300; i++)
            test_put_numbered(store, i, i, "y");
        assert_int_equal(kin_test_item_version(step.record->object), 1);
        assert_memory_equal(step.record->node.key, "a", 1);
        assert_int_equal(step.record->n_links, 1);
        assert_string_equal(kin__record_values(step.record)[0]->text, "x");
        live = kin_test_items_live();
        go_on(step);
        for (unsigned i = 0; i < 600; i++)
            test_put_numbered(store, i % 300, i, "y");
        assert_true(kin_test_items_live() < live);
        kin_store_unref(store);
    }
}

/* A view in a step of its own keeps what it goes through, though it does not show it. */
static void a_view_in_a_step_keeps_what_it_goes_through(void **state)
{
    kin_store *store = test_eager_store();
    kin__hold view;
    kin__pin *step;
    uint64_t version;
    uint64_t now;
    kin__record *through;

    (void)state;
    test_put(store, "a", 1, "x");
    step = kin__pins_acquire(&store->pins, &version);
    kin__pins_hold(&store->pins, &view, version, false);
    kin__pin_release(step);
    test_put(store, "a", 2, "x");
    test_put(store, "a", 3, "x");
    /* In the middle: the newest is @3, and the reader has not followed it to @1 yet. */
    step = kin__pins_acquire_held(&store->pins, version);
    through =
        kin__record_of(kin__read_table_get(kin__read_map_table(&store->records), kin_str_of("a"),
                                           kin__read_map_hash(&store->records, kin_str_of("a"))));
    assert_true(through->born > version);
    test_put(store, "a", 4, "y");
    test_put(store, "a", 5, "x");
    for (unsigned i = 0; i < 100; i++)
        test_put_numbered(store, i, i, "x");
    assert_int_equal(kin_test_item_version(through->object), 3);
    through = kin__record_at(through, version);
    if (!through)
        fail_msg("the state that the view shows is gone");
    else
        assert_int_equal(kin_test_item_version(through->object), 1);
    kin__pin_release(step);
    /* Now it can go, as soon as nobody else is in a step. */
    step = kin__pins_acquire(&store->pins, &now);
    test_put(store, "b", 1, NULL);
    kin__pin_release(step);
    test_put(store, "a", 6, NULL);
    test_put(store, "a", 7, NULL);
    assert_true(test_old_states(store) <= 2);
    kin__pins_give_up(&store->pins, &view);
    kin_store_unref(store);
}

/* --- nobody reads any more --- */

enum { CROWD = 2000 };

static kin_store *crowded_store(void)
{
    kin_store *store = test_store_new();

    for (unsigned i = 0; i < CROWD; i++)
        test_put_numbered(store, i, 1, "x");
    return store;
}

static void a_large_transaction_leaves_nothing_behind(void **state)
{
    kin_store *store = crowded_store();
    kin_write *writes = calloc(CROWD, sizeof(*writes));

    (void)state;
    assert_non_null(writes);
    for (unsigned i = 0; i < CROWD; i++) {
        char key[24];

        snprintf(key, sizeof(key), "ns-%u/item-%u", i % 3, i);
        writes[i] = (kin_write){KIN_WRITE_DELETE, kin_test_item(key, 2, NULL), 0};
    }
    assert_code(kin_store_write(store, writes, CROWD, NULL), 0);
    for (unsigned i = 0; i < CROWD; i++)
        kin_object_unref(writes[i].object);
    free(writes);
    assert_int_equal(kin_store_len(store), 0);
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_store_unref(store);
}

/* The reader that held up a replacement's old states takes them out when it has read. */
static void a_list_that_was_in_the_way_takes_out_what_is_left(void **state)
{
    kin_store *store = crowded_store();
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    uint64_t version;
    kin__pin *reader = kin__pins_acquire(&store->pins, &version);

    (void)state;
    assert_code(kin_store_replace(store, NULL, 0, kin_str_of("2"), NULL), 0);
    assert_int_equal(test_old_states(store), CROWD);
    kin__pin_release(reader);
    assert_code(kin_store_list(store, &list, NULL), 0);
    assert_int_equal(list.len, 0);
    kin_object_list_done(&list);
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_store_unref(store);
}

static void *free_view(void *view)
{
    kin_view_free(view);
    return NULL;
}

/* A view that ends while somebody writes tells the writer, who has looked already. */
static void a_view_that_ends_during_a_write_leaves_nothing_behind(void **state)
{
    kin_store *store = test_store_new();
    kin__freed freed = {NULL, NULL};
    kin_view *view;
    pthread_t other;

    (void)state;
    test_put(store, "a", 1, "x");
    view = test_open_view(store);
    test_put(store, "a", 2, "x");
    assert_int_equal(kin_test_items_live(), 2);
    kin__mutex_lock(&store->lock);
    kin__store_reclaim_locked(store, &freed);
    assert_int_equal(pthread_create(&other, NULL, free_view, view), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    kin__store_finish(store);
    assert_null(freed.records);
    assert_int_equal(kin_test_items_live(), 1);
    kin_store_unref(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_keeps_one_state_per_key),
        cmocka_unit_test(several_views_keep_one_state_each),
        cmocka_unit_test(many_views_leave_nothing),
        cmocka_unit_test(a_key_that_comes_and_goes_is_not_kept),
        cmocka_unit_test(a_state_that_is_gone_through_stays),
        cmocka_unit_test(states_may_go_while_an_index_is_added),
        cmocka_unit_test(copies_lead_to_what_is_left),
        cmocka_unit_test(a_visit_goes_on_when_places_move),
        cmocka_unit_test(places_stay_while_an_index_is_added),
        cmocka_unit_test(a_reader_in_a_step_keeps_what_it_has),
        cmocka_unit_test(a_view_in_a_step_keeps_what_it_goes_through),
        cmocka_unit_test(a_large_transaction_leaves_nothing_behind),
        cmocka_unit_test(a_list_that_was_in_the_way_takes_out_what_is_left),
        cmocka_unit_test(a_view_that_ends_during_a_write_leaves_nothing_behind),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
