/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heaps: order, keys, waiting and closing. An item's version is its priority: the lowest comes first.
 */
#include "kin_test.h"
#include "kinform/heap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "child.h"
#include "item.h"
#include "oom.h"

#define POPPERS 4

static bool by_version(const kin_object *a, const kin_object *b, void *arg)
{
    if (arg)
        ++*(unsigned *)arg;
    return kin_test_item_version(a) < kin_test_item_version(b);
}

static kin_heap *heap_with(kin_clock *clock)
{
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    kin_heap *heap = NULL;

    options.less = by_version;
    options.clock = clock;
    assert_code(kin_heap_new(&heap, &options, NULL), 0);
    return heap;
}

static void add(kin_heap *heap, const char *key, unsigned version)
{
    const kin_object *item = kin_test_item(key, version, NULL);

    assert_code(kin_heap_add(heap, item, NULL), 0);
    kin_object_unref(item);
}

static void assert_pops(kin_heap *heap, const char *key, unsigned version)
{
    const kin_object *item = NULL;

    assert_code(kin_heap_pop(heap, &item, 0, NULL), 0);
    assert_string_equal(kin_object_key(item), key);
    assert_int_equal(kin_test_item_version(item), version);
    kin_object_unref(item);
}

static void assert_empty(kin_heap *heap)
{
    const kin_object *item = NULL;

    assert_int_equal(kin_heap_len(heap), 0);
    assert_code(kin_heap_pop(heap, &item, 0, NULL), KIN_ETIMEOUT);
    assert_null(item);
}

/* --- order --- */

static void what_is_least_comes_first(void **state)
{
    kin_heap *heap = heap_with(NULL);

    (void)state;
    add(heap, "five", 5);
    add(heap, "one", 1);
    add(heap, "four", 4);
    add(heap, "two", 2);
    add(heap, "three", 3);
    assert_int_equal(kin_heap_len(heap), 5);
    assert_pops(heap, "one", 1);
    assert_pops(heap, "two", 2);
    assert_pops(heap, "three", 3);
    assert_pops(heap, "four", 4);
    assert_pops(heap, "five", 5);
    assert_empty(heap);
    kin_heap_free(heap);
}

static void a_known_key_moves_to_where_it_belongs(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *late = kin_test_item("a", 9, NULL);

    (void)state;
    add(heap, "a", 1);
    add(heap, "b", 2);
    add(heap, "c", 3);
    assert_code(kin_heap_update(heap, late, NULL), 0); /* back */
    add(heap, "c", 0);                                 /* and forth */
    assert_int_equal(kin_heap_len(heap), 3);
    assert_pops(heap, "c", 0);
    assert_pops(heap, "b", 2);
    assert_pops(heap, "a", 9);
    assert_empty(heap);
    kin_object_unref(late);
    kin_heap_free(heap);
}

static void equals_come_out_in_the_order_of_their_keys(void **state)
{
    kin_heap *heap = heap_with(NULL);
    char key[16];

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add(heap, key, 7);
    }
    /* A new state keeps the turn, wherever it was meanwhile. */
    add(heap, "key-0", 9);
    add(heap, "key-50", 1);
    add(heap, "key-0", 7);
    add(heap, "key-50", 7);
    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        assert_pops(heap, key, 7);
    }
    /* Who leaves and comes back is last. */
    add(heap, "x", 7);
    add(heap, "y", 7);
    assert_code(kin_heap_delete_key(heap, kin_str_of("x"), NULL), 0);
    add(heap, "x", 7);
    assert_pops(heap, "y", 7);
    assert_pops(heap, "x", 7);
    kin_heap_free(heap);
}

static void it_takes_few_comparisons(void **state)
{
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    kin_heap *heap = NULL;
    unsigned comparisons = 0;
    char key[16];

    (void)state;
    options.less = by_version;
    options.less_arg = &comparisons;
    assert_code(kin_heap_new(&heap, &options, NULL), 0);
    for (unsigned i = 0; i < 4096; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add(heap, key, (i * 2654435761u) >> 8);
    }
    for (unsigned i = 0; i < 64; i++) {
        comparisons = 0;
        snprintf(key, sizeof(key), "key-%u", i * 64);
        add(heap, key, i % 2 ? 0 : UINT32_MAX / 2);
        assert_true(comparisons <= 2 * 12 + 2);
        comparisons = 0;
        snprintf(key, sizeof(key), "key-%u", i * 64 + 1);
        assert_code(kin_heap_delete_key(heap, kin_str_of(key), NULL), 0);
        assert_true(comparisons <= 2 * 12 + 2);
    }
    kin_heap_free(heap);
}

/* --- keys --- */

static void many_are_put_in_at_once(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *items[] = {kin_test_item("a", 4, NULL), kin_test_item("b", 3, NULL),
                                 kin_test_item("a", 5, NULL), kin_test_item("c", 2, NULL)};

    (void)state;
    add(heap, "b", 9);
    assert_code(kin_heap_bulk_add(heap, items, kin__array_len(items), NULL), 0);
    assert_int_equal(kin_heap_len(heap), 3);
    assert_pops(heap, "c", 2);
    assert_pops(heap, "b", 3);
    assert_pops(heap, "a", 5);
    assert_code(kin_heap_bulk_add(heap, NULL, 0, NULL), 0);
    assert_empty(heap);
    for (unsigned i = 0; i < kin__array_len(items); i++)
        kin_object_unref(items[i]);
    kin_heap_free(heap);
    assert_int_equal(kin_test_items_live(), 0);
}

static void one_that_is_wrong_keeps_all_others_out(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *items[] = {kin_test_item("a", 1, NULL), kin_test_item("", 2, NULL)};
    const kin_object *holed[] = {items[0], NULL};

    (void)state;
    add(heap, "a", 7);
    assert_code(kin_heap_bulk_add(heap, items, 2, NULL), KIN_EINVAL);
    assert_code(kin_heap_bulk_add(heap, holed, 2, NULL), KIN_EINVAL);
    assert_pops(heap, "a", 7);
    assert_empty(heap);
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    kin_heap_free(heap);
}

static void what_is_there_stays_if_only_absent_ones_are_added(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *other = kin_test_item("a", 1, NULL);
    const kin_object *new_one = kin_test_item("b", 2, NULL);

    (void)state;
    add(heap, "a", 7);
    assert_code(kin_heap_add_if_not_present(heap, other, NULL), 0);
    assert_code(kin_heap_add_if_not_present(heap, new_one, NULL), 0);
    assert_pops(heap, "b", 2);
    assert_pops(heap, "a", 7);
    kin_object_unref(other);
    kin_object_unref(new_one);
    kin_heap_free(heap);
}

static void any_place_can_be_deleted(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *head = kin_test_item("key-0", 1000, NULL);
    const kin_object *name = NULL;
    char key[16];

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add(heap, key, i);
    }
    assert_code(kin_heap_delete(heap, head, NULL), 0); /* whatever its state */
    assert_code(kin_explicit_key_new(&name, kin_str_of("key-19"), NULL), 0);
    assert_code(kin_heap_delete(heap, name, NULL), 0); /* the last */
    kin_object_unref(name);
    assert_code(kin_tombstone_new(&name, kin_str_of("key-7"), NULL, NULL), 0);
    assert_code(kin_heap_delete(heap, name, NULL), 0);
    assert_code(kin_heap_delete(heap, name, NULL), KIN_ENOTFOUND);
    kin_object_unref(name);
    assert_code(kin_heap_delete_key(heap, kin_str_of("key-8"), NULL), 0);
    assert_code(kin_heap_delete_key(heap, kin_str_of("key-8"), NULL), KIN_ENOTFOUND);
    assert_code(kin_heap_delete_key(heap, kin_str_make(NULL, 0), NULL), KIN_ENOTFOUND);
    for (unsigned i = 1; i < 19; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        if (i != 7 && i != 8)
            assert_pops(heap, key, i);
    }
    assert_empty(heap);
    kin_object_unref(head);
    kin_heap_free(heap);
}

static void an_object_is_found_by_its_key(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *other_state = kin_test_item("a", 99, NULL);
    const kin_object *stranger = kin_test_item("z", 1, NULL);
    const kin_object *found = NULL;

    (void)state;
    add(heap, "a", 7);
    add(heap, "b", 8);
    assert_code(kin_heap_get_by_key(heap, &found, kin_str_of("a"), NULL), 0);
    assert_int_equal(kin_test_item_version(found), 7);
    kin_object_unref(found);
    found = NULL;
    assert_code(kin_heap_get(heap, &found, other_state, NULL), 0);
    assert_int_equal(kin_test_item_version(found), 7);
    kin_object_unref(found);
    found = NULL;
    assert_code(kin_heap_get_by_key(heap, NULL, kin_str_of("b"), NULL), 0);
    assert_code(kin_heap_get_by_key(heap, &found, kin_str_of("z"), NULL), KIN_ENOTFOUND);
    assert_code(kin_heap_get(heap, &found, stranger, NULL), KIN_ENOTFOUND);
    assert_null(found);
    kin_object_unref(other_state);
    kin_object_unref(stranger);
    kin_heap_free(heap);
}

static void everything_is_listed(void **state)
{
    kin_heap *heap = heap_with(NULL);
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    unsigned versions = 0;
    unsigned letters = 0;

    (void)state;
    assert_code(kin_heap_list(heap, &objects, NULL), 0);
    assert_code(kin_heap_list_keys(heap, &keys, NULL), 0);
    assert_int_equal(objects.len + keys.len, 0);
    add(heap, "a", 1);
    add(heap, "b", 2);
    add(heap, "c", 4);
    assert_code(kin_heap_list(heap, &objects, NULL), 0);
    assert_code(kin_heap_list_keys(heap, &keys, NULL), 0);
    assert_int_equal(objects.len, 3);
    assert_int_equal(keys.len, 3);
    for (size_t i = 0; i < 3; i++) {
        versions |= kin_test_item_version(objects.items[i]);
        letters |= 1u << (keys.items[i].data[0] - 'a');
    }
    assert_int_equal(versions, 7);
    assert_int_equal(letters, 7);
    kin_heap_free(heap); /* the lists stay */
    assert_int_equal(kin_test_items_live(), 3);
    kin_object_list_done(&objects);
    kin_string_list_done(&keys);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- wrong arguments --- */

static int bad_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    return kin_error_set(err, *(int *)arg, "no key");
}

static void wrong_arguments_are_told(void **state)
{
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    kin_heap *heap = heap_with(NULL);
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *nameless = kin_test_item("", 1, NULL);
    const kin_object *found = NULL;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_heap *none = NULL;

    (void)state;
    assert_code(kin_heap_new(NULL, &options, NULL), KIN_EINVAL);
    assert_code(kin_heap_new(&none, NULL, NULL), KIN_EINVAL);
    assert_code(kin_heap_new(&none, &options, NULL), KIN_EINVAL);
    options.less = by_version;
    options.size = 0;
    assert_code(kin_heap_new(&none, &options, NULL), KIN_EINVAL);
    assert_null(none);
    assert_code(kin_heap_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_heap_add(heap, NULL, NULL), KIN_EINVAL);
    assert_code(kin_heap_add(heap, nameless, NULL), KIN_EINVAL);
    assert_code(kin_heap_add_if_not_present(heap, nameless, NULL), KIN_EINVAL);
    assert_code(kin_heap_bulk_add(NULL, &item, 1, NULL), KIN_EINVAL);
    assert_code(kin_heap_bulk_add(heap, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_heap_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_heap_delete(heap, NULL, NULL), KIN_EINVAL);
    assert_code(kin_heap_delete(heap, nameless, NULL), KIN_EINVAL);
    assert_code(kin_heap_delete_key(NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_heap_pop(NULL, &found, 0, NULL), KIN_EINVAL);
    assert_code(kin_heap_pop(heap, NULL, 0, NULL), KIN_EINVAL);
    kin_heap_close(NULL);
    assert_code(kin_heap_get_by_key(NULL, &found, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_heap_get(heap, &found, NULL, NULL), KIN_EINVAL);
    assert_code(kin_heap_get(heap, &found, nameless, NULL), KIN_EINVAL);
    assert_code(kin_heap_list(NULL, &objects, NULL), KIN_EINVAL);
    assert_code(kin_heap_list(heap, NULL, NULL), KIN_EINVAL);
    assert_code(kin_heap_list_keys(NULL, &keys, NULL), KIN_EINVAL);
    assert_code(kin_heap_list_keys(heap, NULL, NULL), KIN_EINVAL);
    assert_int_equal(kin_heap_len(NULL), 0);
    assert_true(kin_heap_is_closed(NULL));
    kin_heap_free(NULL);
    assert_empty(heap);
    kin_object_unref(item);
    kin_object_unref(nameless);
    kin_heap_free(heap);
}

static void what_the_key_function_says_is_the_result(void **state)
{
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *found = NULL;
    kin_heap *heap = NULL;
    int code = KIN_ERANGE;

    (void)state;
    options.less = by_version;
    options.key = bad_key;
    options.key_arg = &code;
    assert_code(kin_heap_new(&heap, &options, NULL), 0);
    assert_code(kin_heap_add(heap, item, NULL), KIN_ERANGE);
    assert_code(kin_heap_bulk_add(heap, &item, 1, NULL), KIN_ERANGE);
    assert_code(kin_heap_add_if_not_present(heap, item, NULL), KIN_ERANGE);
    assert_code(kin_heap_delete(heap, item, NULL), KIN_ERANGE);
    assert_code(kin_heap_get(heap, &found, item, NULL), KIN_ERANGE);
    assert_empty(heap);
    kin_object_unref(item);
    kin_heap_free(heap);
}

static void keys_have_a_limit(void **state)
{
    char *key = calloc(1, KIN_KEY_BYTES_MAX + 2);
    kin_heap *heap = heap_with(NULL);
    const kin_object *item;

    (void)state;
    assert_non_null(key);
    memset(key, 'k', KIN_KEY_BYTES_MAX + 1);
    item = kin_test_item(key, 1, NULL);
    assert_code(kin_heap_add(heap, item, NULL), KIN_ELIMIT);
    assert_code(kin_heap_delete(heap, item, NULL), KIN_ELIMIT);
    assert_code(kin_heap_get(heap, NULL, item, NULL), KIN_ELIMIT);
    kin_object_unref(item);
    key[KIN_KEY_BYTES_MAX] = '\0';
    add(heap, key, 2);
    assert_pops(heap, key, 2);
    kin_heap_free(heap);
    free(key);
}

/* --- closing and waiting --- */

static void a_closed_heap_takes_nothing_and_gives_what_it_has(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *item = kin_test_item("c", 1, NULL);
    const kin_object *popped = NULL;

    (void)state;
    add(heap, "a", 1);
    add(heap, "b", 2);
    assert_false(kin_heap_is_closed(heap));
    kin_heap_close(heap);
    kin_heap_close(heap);
    assert_true(kin_heap_is_closed(heap));
    assert_code(kin_heap_add(heap, item, NULL), KIN_ECLOSED);
    assert_code(kin_heap_update(heap, item, NULL), KIN_ECLOSED);
    assert_code(kin_heap_bulk_add(heap, &item, 1, NULL), KIN_ECLOSED);
    assert_code(kin_heap_add_if_not_present(heap, item, NULL), KIN_ECLOSED);
    assert_int_equal(kin_heap_len(heap), 2);
    assert_code(kin_heap_delete_key(heap, kin_str_of("a"), NULL), 0);
    assert_pops(heap, "b", 2);
    assert_code(kin_heap_pop(heap, &popped, 0, NULL), KIN_ECLOSED);
    assert_code(kin_heap_pop(heap, &popped, -1, NULL), KIN_ECLOSED);
    assert_null(popped);
    kin_object_unref(item);
    kin_heap_free(heap);
}

static void a_closed_heap_refuses_a_key_that_is_there(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    add(heap, "a", 7);
    kin_heap_close(heap);
    assert_code(kin_heap_add_if_not_present(heap, item, NULL), KIN_ECLOSED);
    assert_code(kin_heap_add(heap, item, NULL), KIN_ECLOSED);
    assert_pops(heap, "a", 7);
    kin_object_unref(item);
    kin_heap_free(heap);
}

struct popper {
    kin_heap *heap;
    pthread_t thread;
    int64_t timeout_ms;
    int code;
    const kin_object *popped;
};

static void *pop_one(void *arg)
{
    struct popper *popper = arg;

    popper->code = kin_heap_pop(popper->heap, &popper->popped, popper->timeout_ms, NULL);
    return NULL;
}

/* Threads that wait: a deadline far away makes the clock count them. */
static void start(struct popper *poppers, size_t n, kin_heap *heap, kin_clock *clock,
                  int64_t timeout_ms)
{
    for (size_t i = 0; i < n; i++) {
        poppers[i] = (struct popper){.heap = heap, .timeout_ms = timeout_ms};
        assert_int_equal(pthread_create(&poppers[i].thread, NULL, pop_one, &poppers[i]), 0);
    }
    assert_code(kin_clock_await_waiters(clock, n, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void join(struct popper *poppers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_join(poppers[i].thread, NULL), 0);
}

static kin_clock *fake_clock(void)
{
    kin_clock *clock = NULL;

    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    return clock;
}

static void waiting_ends_by_the_clock(void **state)
{
    kin_clock *clock = fake_clock();
    kin_heap *heap = heap_with(clock);
    struct popper popper;

    (void)state;
    start(&popper, 1, heap, clock, 1000);
    assert_code(kin_clock_advance(clock, INT64_C(999999999), NULL), 0);
    assert_code(kin_clock_await_waiters(clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(clock, 1, NULL), 0);
    join(&popper, 1);
    assert_code(popper.code, KIN_ETIMEOUT);
    assert_null(popper.popped);
    kin_heap_free(heap);
    kin_clock_unref(clock);
}

static void closing_wakes_all_who_wait(void **state)
{
    kin_clock *clock = fake_clock();
    kin_heap *heap = heap_with(clock);
    struct popper poppers[POPPERS];

    (void)state;
    start(poppers, POPPERS, heap, clock, 3600000);
    kin_heap_close(heap);
    join(poppers, POPPERS);
    for (unsigned i = 0; i < POPPERS; i++)
        assert_code(poppers[i].code, KIN_ECLOSED);
    kin_heap_free(heap);
    kin_clock_unref(clock);
}

static void closing_ends_a_wait_for_ever(void **state)
{
    kin_heap *heap = heap_with(NULL);
    struct popper popper = {.heap = heap, .timeout_ms = -1};

    (void)state;
    assert_int_equal(pthread_create(&popper.thread, NULL, pop_one, &popper), 0);
    kin_heap_close(heap);
    join(&popper, 1);
    assert_code(popper.code, KIN_ECLOSED);
    kin_heap_free(heap);
}

static void each_object_wakes_one(void **state)
{
    kin_clock *clock = fake_clock();
    kin_heap *heap = heap_with(clock);
    struct popper poppers[POPPERS];
    unsigned got = 0;

    (void)state;
    start(poppers, POPPERS, heap, clock, 3600000);
    for (unsigned i = 0; i < POPPERS; i++) {
        char key[8];

        snprintf(key, sizeof(key), "k%u", i);
        add(heap, key, 1u << i);
    }
    join(poppers, POPPERS);
    for (unsigned i = 0; i < POPPERS; i++) {
        assert_code(poppers[i].code, 0);
        got |= kin_test_item_version(poppers[i].popped);
        kin_object_unref(poppers[i].popped);
    }
    assert_int_equal(got, (1u << POPPERS) - 1);
    kin_heap_free(heap);
    kin_clock_unref(clock);
}

static void many_at_once_wake_many(void **state)
{
    kin_clock *clock = fake_clock();
    kin_heap *heap = heap_with(clock);
    const kin_object *items[POPPERS];
    struct popper poppers[POPPERS];
    unsigned got = 0;

    (void)state;
    for (unsigned i = 0; i < POPPERS; i++) {
        char key[8];

        snprintf(key, sizeof(key), "k%u", i);
        items[i] = kin_test_item(key, 1u << i, NULL);
    }
    start(poppers, POPPERS, heap, clock, 3600000);
    assert_code(kin_heap_bulk_add(heap, items, POPPERS, NULL), 0);
    join(poppers, POPPERS);
    for (unsigned i = 0; i < POPPERS; i++) {
        assert_code(poppers[i].code, 0);
        got |= kin_test_item_version(poppers[i].popped);
        kin_object_unref(poppers[i].popped);
        kin_object_unref(items[i]);
    }
    assert_int_equal(got, (1u << POPPERS) - 1);
    kin_heap_free(heap);
    kin_clock_unref(clock);
}

/* --- threads: all pops of what two threads put in are sorted --- */

struct adder {
    kin_heap *heap;
    unsigned first;
};

static void *add_many(void *arg)
{
    struct adder *adder = arg;

    for (unsigned i = adder->first; i < 1000; i += 2) {
        char key[16];

        snprintf(key, sizeof(key), "key-%u", i);
        add(adder->heap, key, 1000 - i);
    }
    return NULL;
}

static void what_threads_put_in_comes_out_sorted(void **state)
{
    kin_heap *heap = heap_with(NULL);
    struct adder adders[2] = {{heap, 0}, {heap, 1}};
    pthread_t threads[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (unsigned i = 1000; i-- > 0;) {
        char key[16];

        snprintf(key, sizeof(key), "key-%u", i);
        assert_pops(heap, key, 1000 - i);
    }
    assert_empty(heap);
    kin_heap_free(heap);
}

/* --- the user's code and the lock --- */

static void look_at_heap(void *arg)
{
    kin_heap_len(arg);
}

static void objects_are_destroyed_without_the_lock(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *items[2];

    (void)state;
    add(heap, "a", 1);
    add(heap, "b", 1);
    add(heap, "c", 1);
    items[0] = kin_test_item("b", 2, NULL);
    items[1] = kin_test_item("b", 3, NULL);
    kin_test_items_on_destroy(look_at_heap, heap);
    add(heap, "a", 2);
    assert_code(kin_heap_bulk_add(heap, items, 2, NULL), 0);
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    assert_code(kin_heap_delete_key(heap, kin_str_of("c"), NULL), 0);
    kin_test_items_on_destroy(NULL, NULL);
    kin_heap_free(heap);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- memory --- */

static void known_keys_and_deletions_need_no_memory(void **state)
{
    kin_heap *heap = heap_with(NULL);
    const kin_object *again = kin_test_item("a", 9, NULL);
    const kin_object *popped = NULL;

    (void)state;
    add(heap, "a", 1);
    add(heap, "b", 2);
    add(heap, "c", 3);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_heap_add(heap, again, NULL), 0);
    assert_code(kin_heap_add_if_not_present(heap, again, NULL), 0);
    assert_code(kin_heap_delete_key(heap, kin_str_of("c"), NULL), 0);
    assert_code(kin_heap_pop(heap, &popped, 0, NULL), 0);
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    assert_string_equal(kin_object_key(popped), "b");
    kin_object_unref(popped);
    assert_pops(heap, "a", 9);
    kin_object_unref(again);
    kin_heap_free(heap);
}

/* What failed must have left "a" with 5 and "b" with 6, and nothing else. */
static void assert_untouched(kin_heap *heap)
{
    assert_pops(heap, "a", 5);
    assert_pops(heap, "b", 6);
    assert_int_equal(kin_heap_len(heap), 0);
}

static int fill(kin_heap *heap, const kin_object *const *items, kin_error *err)
{
    int code = kin_heap_add(heap, items[0], err);

    return code < 0 ? code : kin_heap_add(heap, items[1], err);
}

static int list(kin_heap *heap, kin_error *err)
{
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = kin_heap_list(heap, &objects, err);

    if (code == 0)
        code = kin_heap_list_keys(heap, &keys, err);
    kin_object_list_done(&objects);
    kin_string_list_done(&keys);
    return code;
}

static int scenario(void *arg, kin_error *err)
{
    const kin_object *const *items = arg;
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    kin_heap *heap = NULL;
    int code;

    options.less = by_version;
    code = kin_heap_new(&heap, &options, err);
    if (code < 0)
        return code;
    code = fill(heap, items, err);
    if (code == 0) {
        code = list(heap, err);
        if (code == 0)
            code = kin_heap_bulk_add(heap, items + 2, 30, err);
        if (code < 0)
            assert_untouched(heap);
        else
            assert_int_equal(kin_heap_len(heap), 30);
    }
    kin_heap_free(heap);
    return code;
}

static void a_failed_allocation_leaves_the_heap_as_it_was(void **state)
{
    const kin_object *items[32];

    (void)state;
    items[0] = kin_test_item("a", 5, NULL);
    items[1] = kin_test_item("b", 6, NULL);
    for (unsigned i = 2; i < 32; i++) {
        char key[8];

        /* Among them a key that is known, and one that comes twice. */
        snprintf(key, sizeof(key), i == 10 ? "a" : "k%u", i == 20 ? 5 : i);
        items[i] = kin_test_item(key, i, NULL);
    }
    kin_test_fail_each_allocation(scenario, items);
    for (unsigned i = 0; i < 32; i++)
        kin_object_unref(items[i]);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- fork --- */

static int in_child(void *arg)
{
    kin_heap *heap = arg;
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *found = NULL;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int codes[] = {
        kin_heap_add(heap, item, NULL),
        kin_heap_bulk_add(heap, &item, 1, NULL),
        kin_heap_add_if_not_present(heap, item, NULL),
        kin_heap_delete(heap, item, NULL),
        kin_heap_delete_key(heap, kin_str_of("a"), NULL),
        kin_heap_pop(heap, &found, 0, NULL),
        kin_heap_get_by_key(heap, &found, kin_str_of("a"), NULL),
        kin_heap_get(heap, &found, item, NULL),
        kin_heap_list(heap, &objects, NULL),
        kin_heap_list_keys(heap, &keys, NULL),
    };

    for (size_t i = 0; i < kin__array_len(codes); i++)
        if (codes[i] != KIN_EFORKED)
            return (int)i + 1;
    kin_heap_close(heap);
    if (kin_heap_len(heap) != 0 || !kin_heap_is_closed(heap))
        return 100;
    kin_heap_free(heap);
    return 0;
}

static void a_forked_child_only_frees(void **state)
{
    kin_heap *heap = heap_with(NULL);
    kin_test_child child;

    (void)state;
    add(heap, "a", 1);
    kin_test_run_child(&child, in_child, heap);
    assert_int_equal(child.exit_code, 0);
    assert_pops(heap, "a", 1);
    kin_heap_free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_least_comes_first),
        cmocka_unit_test(a_known_key_moves_to_where_it_belongs),
        cmocka_unit_test(equals_come_out_in_the_order_of_their_keys),
        cmocka_unit_test(it_takes_few_comparisons),
        cmocka_unit_test(many_are_put_in_at_once),
        cmocka_unit_test(one_that_is_wrong_keeps_all_others_out),
        cmocka_unit_test(what_is_there_stays_if_only_absent_ones_are_added),
        cmocka_unit_test(any_place_can_be_deleted),
        cmocka_unit_test(an_object_is_found_by_its_key),
        cmocka_unit_test(everything_is_listed),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(what_the_key_function_says_is_the_result),
        cmocka_unit_test(keys_have_a_limit),
        cmocka_unit_test(a_closed_heap_takes_nothing_and_gives_what_it_has),
        cmocka_unit_test(a_closed_heap_refuses_a_key_that_is_there),
        cmocka_unit_test(waiting_ends_by_the_clock),
        cmocka_unit_test(closing_wakes_all_who_wait),
        cmocka_unit_test(closing_ends_a_wait_for_ever),
        cmocka_unit_test(each_object_wakes_one),
        cmocka_unit_test(many_at_once_wake_many),
        cmocka_unit_test(what_threads_put_in_comes_out_sorted),
        cmocka_unit_test(objects_are_destroyed_without_the_lock),
        cmocka_unit_test(known_keys_and_deletions_need_no_memory),
        cmocka_unit_test(a_failed_allocation_leaves_the_heap_as_it_was),
        cmocka_unit_test(a_forked_child_only_frees),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
