/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an empty queue keeps of the room that a long list has needed: little, whatever the list was.
 */
#include "kin_test.h"

#include <stdio.h>

#include "alloc.h"
#include "item.h"
#include "kinform/delta_fifo.h"
#include "kinform/ordered_fifo.h"

enum {
    MANY = 100000,
    FEW = 1000,
    BATCH = 500,
    KEPT = 1024 * 1024, /* bytes at most; a table for so many keys has twice as many */
};

/* A queue of either kind. */
struct queue {
    kin_delta_fifo *delta;
    kin_ordered_fifo *ordered;
};

static int take_all(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                    kin_error *err)
{
    (void)deltas;
    (void)n;
    (void)is_initial_list;
    (void)arg;
    (void)err;
    return 0;
}

static void add(const struct queue *queue, unsigned i)
{
    const kin_object *object;
    char key[32];

    snprintf(key, sizeof(key), "default/pod-%u", i);
    object = kin_test_item(key, 1, NULL);
    assert_code(queue->delta ? kin_delta_fifo_add(queue->delta, object, NULL)
                             : kin_ordered_fifo_add(queue->ordered, object, NULL),
                0);
    kin_object_unref(object);
}

static void fill_and_empty(const struct queue *queue, unsigned n)
{
    int code = 0;

    for (unsigned i = 0; i < n; i++)
        add(queue, i);
    while (code == 0)
        code = queue->delta
                   ? kin_delta_fifo_pop_batch(queue->delta, take_all, NULL, BATCH, 0, NULL)
                   : kin_ordered_fifo_pop_batch(queue->ordered, take_all, NULL, BATCH, 0, NULL);
    assert_code(code, KIN_ETIMEOUT);
}

static void assert_room(const struct queue *queue)
{
    size_t before = kin_test_alloc_bytes();

    fill_and_empty(queue, MANY);
    assert_true(kin_test_alloc_bytes() < before + KEPT);
    /* And it goes on. */
    fill_and_empty(queue, FEW);
    fill_and_empty(queue, MANY);
    assert_true(kin_test_alloc_bytes() < before + KEPT);
}

static void a_delta_fifo_keeps_little(void **state)
{
    struct queue queue = {NULL, NULL};

    (void)state;
    assert_code(kin_delta_fifo_new(&queue.delta, NULL, NULL), 0);
    assert_room(&queue);
    kin_delta_fifo_free(queue.delta);
}

static int has_none(void *arg, kin_str key, kin_error *err)
{
    (void)arg;
    (void)key;
    return kin_error_set(err, KIN_ENOTFOUND, "it knows nothing");
}

static int visit_none(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    (void)arg;
    (void)visit;
    (void)visit_arg;
    (void)err;
    return 0;
}

/* One that is told what is known has a table of keys, too. */
static void an_ordered_fifo_keeps_little(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    struct queue queue = {NULL, NULL};

    (void)state;
    known.has = has_none;
    known.each = visit_none;
    options.known = &known;
    assert_code(kin_ordered_fifo_new(&queue.ordered, &options, NULL), 0);
    assert_room(&queue);
    kin_ordered_fifo_free(queue.ordered);
}

/* What a watch brings at a time needs no new table. */
static void a_small_one_stays(void **state)
{
    struct queue queue = {NULL, NULL};

    (void)state;
    assert_code(kin_delta_fifo_new(&queue.delta, NULL, NULL), 0);
    fill_and_empty(&queue, 2 * FEW);
    size_t kept = kin_test_alloc_bytes();
    fill_and_empty(&queue, 2 * FEW);
    assert_int_equal(kin_test_alloc_bytes(), kept);
    kin_delta_fifo_free(queue.delta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delta_fifo_keeps_little),
        cmocka_unit_test(an_ordered_fifo_keeps_little),
        cmocka_unit_test(a_small_one_stays),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
