/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys in flight: what others do to a DeltaFIFO while somebody processes. No lock is held then, so
 * the other operation is done by the processing itself, at exactly the moment that is to be tested.
 */
#include "delta_fifo_support.h"

/* --- what happens meanwhile --- */

static void delete_a(queue *q)
{
    queue_delete(q, "a:2");
}

static void replace_without_a(queue *q)
{
    queue_replace(q, "b:9");
}

static void replace_with_a(queue *q)
{
    queue_replace(q, "a:9");
}

static void pop_one(queue *q)
{
    assert_string_not_equal(queue_pop(q), "KIN_ETIMEOUT");
}

/* --- in flight --- */

static void a_deletion_meanwhile_is_not_lost(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        queue q;

        queue_init(&q, known ? QUEUE_KNOWN : 0);
        queue_add(&q, "a:1");
        assert_string_equal(queue_pop_during(&q, delete_a), "a Added=1");
        assert_int_equal(queue_known(&q, "a"), 1);
        assert_string_equal(queue_pop(&q), "a Deleted=2");
        assert_int_equal(queue_known(&q, "a"), 0);
        queue_done(&q);
    }
}

static void a_second_deletion_meanwhile_is_one_too_many(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_delete(&q, "~a:1");
    assert_string_equal(queue_pop_during(&q, delete_a), "a Deleted=~1");
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
}

static void delete_a_again_as_tombstone(queue *q)
{
    queue_delete(q, "~a:3");
}

static void delete_a_twice(queue *q)
{
    queue_delete(q, "~a:3");
    queue_delete(q, "a:4");
    queue_delete(q, "a:5");
}

static void delete_a_and_add_it(queue *q)
{
    queue_delete(q, "a:3");
    queue_add(q, "a:4");
    queue_delete(q, "a:5");
}

static void replace_with_nothing(queue *q)
{
    queue_replace(q, "");
}

static void delete_a_and_look(queue *q)
{
    queue_delete(q, "a:3");
    /* It is hidden until the deletion in flight has landed. */
    assert_string_equal(queue_get(q, "a"), "Deleted=2");
    assert_int_equal(kin_delta_fifo_len(q->fifo), 0);
    assert_string_equal(queue_pop(q), "KIN_ETIMEOUT");
}

/* The one in flight may fail, be requeued or succeed, and nobody knows which when the second one comes. */
static void a_second_deletion_waits_for_the_end_of_the_first(void **state)
{
    static const struct {
        const char *first;
        void (*meanwhile)(queue *q);
        const char *failed, *requeued, *succeeded;
    } cases[] = {
        {"a:2", delete_a, "a Deleted=2", "a Deleted=2", "KIN_ETIMEOUT"},
        {"a:2", delete_a_and_look, "a Deleted=3", "a Deleted=2", "KIN_ETIMEOUT"},
        {"a:2", delete_a_again_as_tombstone, "a Deleted=~3", "a Deleted=2", "KIN_ETIMEOUT"},
        {"~a:2", delete_a_again_as_tombstone, "a Deleted=~3", "a Deleted=~3", "KIN_ETIMEOUT"},
        {"~a:2", delete_a_twice, "a Deleted=4", "a Deleted=4", "KIN_ETIMEOUT"},
        {"a:2", delete_a_and_add_it, "a Deleted=3 Added=4 Deleted=5",
         "a Deleted=2 Added=4 Deleted=5", "a Added=4 Deleted=5"},
        {"~a:2", delete_a_and_add_it, "a Deleted=3 Added=4 Deleted=5",
         "a Deleted=3 Added=4 Deleted=5", "a Added=4 Deleted=5"},
        {"a:2", replace_with_nothing, "a Deleted=~2", "a Deleted=2", "KIN_ETIMEOUT"},
        {"~a:2", replace_with_nothing, "a Deleted=~2", "a Deleted=~2", "KIN_ETIMEOUT"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct {
            int code;
            const char *expected;
        } ends[] = {{KIN_ERANGE, cases[i].failed},
                    {KIN_EREQUEUE, cases[i].requeued},
                    {0, cases[i].succeeded}};

        for (unsigned end = 0; end < 3; end++) {
            queue q;

            queue_init(&q, QUEUE_KNOWN);
            queue_know(&q, "a:1");
            queue_delete(&q, cases[i].first);
            q.result = ends[end].code;
            (void)queue_pop_during(&q, cases[i].meanwhile);
            q.result = 0;
            assert_string_equal(queue_pop(&q), ends[end].expected);
            assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
            assert_int_equal(queue_known(&q, "a"), 0);
            queue_done(&q);
        }
    }
}

static void delete_again_behind_many(queue *q)
{
    for (unsigned i = 0; i < 3; i++)
        queue_delete(q, "a:9");
    queue_update(q, "a:10");
    queue_update(q, "a:11");
    queue_update(q, "a:12");
}

/* The deltas in flight and those that wait lie in the entry itself, or in memory of their own. */
static void a_second_deletion_comes_first_when_the_first_fails(void **state)
{
    (void)state;
    for (unsigned before = 0; before <= 3; before++) {
        queue q;

        queue_init(&q, QUEUE_KNOWN);
        queue_know(&q, "a:1");
        for (unsigned i = 0; i < before; i++)
            queue_update(&q, "a:2");
        queue_delete(&q, "a:3");
        q.result = KIN_ERANGE;
        (void)queue_pop_during(&q, delete_again_behind_many);
        q.result = 0;
        assert_string_equal(queue_pop(&q), "a Deleted=9 Updated=10 Updated=11 Updated=12");
        assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
        queue_done(&q);
    }
}

static void a_list_meanwhile_makes_a_tombstone(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        queue q;

        queue_init(&q, QUEUE_REPLACED | (known ? QUEUE_KNOWN : 0));
        queue_add(&q, "a:1");
        queue_update(&q, "a:2");
        assert_string_equal(queue_pop_during(&q, replace_without_a), "a Added=1 Updated=2");
        assert_string_equal(queue_pop(&q), "b Replaced=9");
        assert_string_equal(queue_pop(&q), "a Deleted=~2");
        assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
        assert_int_equal(queue_known(&q, "a"), 0);
        queue_done(&q);
    }
}

static void a_list_meanwhile_makes_none_if_a_deletion_is_in_flight(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "a:1");
    queue_delete(&q, "a:2");
    assert_string_equal(queue_pop_during(&q, replace_without_a), "a Deleted=2");
    assert_string_equal(queue_pop(&q), "b Replaced=9");
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
}

static void a_list_meanwhile_that_has_the_key_brings_it_again(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "a:1");
    queue_delete(&q, "a:2");
    assert_string_equal(queue_pop_during(&q, replace_with_a), "a Deleted=2");
    assert_string_equal(queue_pop(&q), "a Replaced=9");
    assert_int_equal(queue_known(&q, "a"), 9);
    queue_done(&q);
}

static void a_resync_meanwhile_leaves_the_key_alone(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1 b:1");
    queue_update(&q, "a:2");
    assert_string_equal(queue_pop_during(&q, queue_resync), "a Updated=2");
    assert_string_equal(queue_pop(&q), "b Sync=1");
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    assert_int_equal(queue_known(&q, "a"), 2);
    queue_done(&q);
}

static void pop_others(queue *q)
{
    queue_update(q, "a:2");
    queue_add(q, "b:1");
    assert_string_equal(queue_pop(q), "b Added=1");
    assert_string_equal(queue_pop(q), "KIN_ETIMEOUT");
    assert_string_equal(queue_pop_batch(q, 5), "KIN_ETIMEOUT");
    queue_add(q, "c:1");
    /* It was the first to wait, so it is before c when it has landed. */
    assert_string_equal(queue_keys(q), "a c");
}

static void nobody_else_gets_the_key(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    assert_string_equal(queue_pop_during(&q, pop_others), "a Added=1");
    assert_string_equal(queue_pop(&q), "a Updated=2");
    assert_string_equal(queue_pop(&q), "c Added=1");
    queue_done(&q);
}

static void look_at_a(queue *q)
{
    assert_string_equal(queue_get(q, "a"), "Added=1 Updated=2");
    assert_string_equal(queue_keys(q), "a b");
    assert_string_equal(queue_list(q), "a:2 b:1");
    assert_int_equal(kin_delta_fifo_len(q->fifo), 1);
    queue_update(q, "a:3");
    assert_string_equal(queue_get(q, "a"), "Added=1 Updated=2 Updated=3");
    assert_string_equal(queue_keys(q), "a b");
    assert_string_equal(queue_list(q), "a:3 b:1");
    assert_int_equal(kin_delta_fifo_len(q->fifo), 2);
}

static void it_is_seen_as_queued(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    queue_add(&q, "b:1");
    assert_string_equal(queue_pop_during(&q, look_at_a), "a Added=1 Updated=2");
    assert_string_equal(queue_get(&q, "a"), "Updated=3");
    assert_string_equal(queue_keys(&q), "b a");
    queue_done(&q);
}

static void has_not_synced(queue *q)
{
    assert_false(queue_has_synced(q));
    assert_code(kin_delta_fifo_wait_synced(q->fifo, 0, NULL), KIN_ETIMEOUT);
}

static void it_counts_for_the_first_list(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_replace(&q, "a:1 b:2");
    assert_string_equal(queue_pop_during(&q, has_not_synced), "a Sync=1");
    assert_string_equal(queue_pop_during(&q, has_not_synced), "b Sync=2");
    assert_true(q.initial);
    assert_true(queue_has_synced(&q));
    queue_done(&q);
}

/* Before the first list a resync had sent it. */
static void the_first_list_may_come_meanwhile(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "a:1 b:1");
    queue_resync(&q);
    q.during = replace_without_a;
    pop_one(&q); /* a or b: one is deleted, one has two deltas */
    while (!queue_has_synced(&q))
        pop_one(&q);
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    assert_int_equal(queue_known(&q, "a"), 0);
    assert_int_equal(queue_known(&q, "b"), 9);
    queue_done(&q);
}

static void bring_the_first_list(queue *q)
{
    queue_replace(q, "x:2 y:1");
    queue_add(q, "z:1");
    /* It is x's turn, which is in flight: it takes its part of the list with it. */
    assert_string_equal(queue_pop(q), "y Replaced=1");
    assert_true(q->initial);
    assert_string_equal(queue_pop(q), "z Added=1");
    assert_false(q->initial);
    assert_false(queue_has_synced(q));
}

static void one_of_the_first_list_may_be_blocked(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "x:1");
    queue_resync(&q);
    assert_string_equal(queue_pop_during(&q, bring_the_first_list), "x Sync=1");
    queue_add(&q, "w:1");
    assert_false(queue_has_synced(&q));
    /* Those of the first list and others don't come together, blocked or not. */
    assert_string_equal(queue_pop_batch(&q, 9), "x Replaced=2");
    assert_true(q.initial);
    assert_true(queue_has_synced(&q));
    assert_string_equal(queue_pop_batch(&q, 9), "w Added=1");
    assert_false(q.initial);
    queue_done(&q);
}

static void bring_a_first_list_and_pop_nothing(queue *q)
{
    queue_replace(q, "x:2 y:1");
    queue_add(q, "x:3");
    queue_add(q, "z:1");
    q->result = KIN_EREQUEUE;
    assert_string_equal(queue_pop(q), "y Replaced=1");
    q->result = 0;
}

/* Neither its own requeue nor that of another of the list makes it count again. */
static void who_is_blocked_counts_once(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "x:1");
    queue_resync(&q);
    assert_string_equal(queue_pop_during(&q, bring_a_first_list_and_pop_nothing), "x Sync=1");
    assert_string_equal(queue_keys(&q), "x z y");
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "x Replaced=2 Added=3");
    assert_true(q.initial);
    assert_true(queue_has_synced(&q));
    assert_string_equal(queue_pop_batch(&q, 9), "z Added=1 y Replaced=1 x Replaced=2 Added=3");
    assert_false(q.initial);
    queue_done(&q);
}

static void try_to_queue_again(queue *q)
{
    const kin_object *object = queue_object("a:7");
    const kin_delta item = {KIN_DELTA_ADDED, object};
    const kin_deltas deltas = {&item, 1, {NULL, 0}};

    assert_code(kin_delta_fifo_add_if_not_present(q->fifo, &deltas, NULL), 0);
    kin_object_unref(object);
}

static void what_is_queued_again_meanwhile_is_not(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    assert_string_equal(queue_pop_during(&q, try_to_queue_again), "a Added=1");
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
}

/* --- requeueing --- */

static void a_requeue_goes_to_the_end_of_the_line(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_add(&q, "b:1");
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "a Added=1");
    assert_string_equal(queue_keys(&q), "b a");
    assert_string_equal(queue_pop(&q), "b Added=1");
    assert_string_equal(queue_pop(&q), "a Added=1");
    queue_done(&q);
}

static void change_a_three_times(queue *q)
{
    queue_update(q, "a:2");
    queue_update(q, "a:3");
    queue_delete(q, "a:4");
}

static void a_requeue_comes_before_what_is_newer(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_add(&q, "b:1");
    q.result = KIN_EREQUEUE;
    assert_string_equal(queue_pop_during(&q, change_a_three_times), "a Added=1");
    q.result = 0;
    assert_string_equal(queue_keys(&q), "b a");
    assert_string_equal(queue_get(&q, "a"), "Added=1 Updated=2 Updated=3 Deleted=4");
    assert_string_equal(queue_pop(&q), "b Added=1");
    assert_string_equal(queue_pop(&q), "a Added=1 Updated=2 Updated=3 Deleted=4");
    queue_done(&q);
}

/* Two deltas lie in the entry itself, more in memory of their own; both in either place. */
static void a_requeue_of_few_or_many_before_few_or_many(void **state)
{
    (void)state;
    for (unsigned before = 1; before <= 5; before++) {
        for (unsigned later = 0; later <= 5; later++) {
            char expected[256] = "a";
            char text[32];
            queue q;

            queue_init(&q, 0);
            for (unsigned i = 1; i <= before + later; i++) {
                snprintf(text, sizeof(text), "Updated=%u", i);
                queue_text_add(expected, sizeof(expected), text);
            }
            for (unsigned i = 1; i <= before; i++) {
                snprintf(text, sizeof(text), "a:%u", i);
                queue_update(&q, text);
            }
            /* With a flight each: the second one begins where the first one's deltas lie. */
            assert_string_not_equal(queue_pop_with(&q, KIN_EREQUEUE), "KIN_ETIMEOUT");
            for (unsigned i = before + 1; i <= before + later; i++) {
                snprintf(text, sizeof(text), "a:%u", i);
                queue_update(&q, text);
            }
            assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), expected);
            assert_string_equal(queue_pop(&q), expected);
            queue_done(&q);
        }
    }
}

static unsigned n_meanwhile;

static void update_a_often(queue *q)
{
    char text[32];

    for (unsigned i = 0; i < n_meanwhile; i++) {
        snprintf(text, sizeof(text), "a:%u", 100 + i);
        queue_update(q, text);
    }
}

static void a_requeue_of_few_or_many_before_what_came_meanwhile(void **state)
{
    (void)state;
    for (unsigned before = 1; before <= 5; before++) {
        for (n_meanwhile = 0; n_meanwhile <= 5; n_meanwhile++) {
            char expected[256] = "a";
            char text[32];
            queue q;

            queue_init(&q, 0);
            for (unsigned i = 1; i <= before; i++) {
                snprintf(text, sizeof(text), "a:%u", i);
                queue_update(&q, text);
                snprintf(text, sizeof(text), "Updated=%u", i);
                queue_text_add(expected, sizeof(expected), text);
            }
            q.result = KIN_EREQUEUE;
            assert_string_equal(queue_pop_during(&q, update_a_often), expected);
            q.result = 0;
            for (unsigned i = 0; i < n_meanwhile; i++) {
                snprintf(text, sizeof(text), "Updated=%u", 100 + i);
                queue_text_add(expected, sizeof(expected), text);
            }
            assert_string_equal(queue_pop(&q), expected);
            assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
            queue_done(&q);
        }
    }
}

static void block_a(queue *q)
{
    queue_update(q, "a:2");
    /* Its turn comes, and it steps out of the line. */
    assert_string_equal(queue_pop(q), "KIN_ETIMEOUT");
    queue_add(q, "b:1");
}

static void who_was_blocked_is_first_when_it_lands(void **state)
{
    (void)state;
    for (unsigned requeue = 0; requeue < 2; requeue++) {
        queue q;

        queue_init(&q, 0);
        queue_add(&q, "a:1");
        q.result = requeue ? KIN_EREQUEUE : 0;
        assert_string_equal(queue_pop_during(&q, block_a), "a Added=1");
        q.result = 0;
        assert_string_equal(queue_keys(&q), "a b");
        assert_string_equal(queue_pop(&q), requeue ? "a Added=1 Updated=2" : "a Updated=2");
        queue_done(&q);
    }
}

static void block_a_and_b(queue *q)
{
    queue_update(q, "a:2");
    queue_update(q, "b:2");
    assert_string_equal(queue_pop(q), "KIN_ETIMEOUT");
    queue_add(q, "c:1");
    queue_update(q, "d:2"); /* it is not its turn yet */
}

/* Several land at once: those whose turn came are in its order, and before those whose did not. */
static void who_was_blocked_keeps_the_order(void **state)
{
    (void)state;
    for (unsigned requeue = 0; requeue < 2; requeue++) {
        queue q;

        queue_init(&q, 0);
        queue_add(&q, "a:1");
        queue_add(&q, "b:1");
        queue_add(&q, "d:1");
        q.during = block_a_and_b;
        q.result = requeue ? KIN_EREQUEUE : 0;
        assert_string_equal(queue_pop_batch(&q, 3), "a Added=1 b Added=1 d Added=1");
        q.result = 0;
        assert_string_equal(queue_keys(&q), "a b c d");
        assert_string_equal(queue_list(&q), "a:2 b:2 c:1 d:2");
        assert_int_equal(kin_delta_fifo_len(q.fifo), 4);
        assert_string_equal(queue_pop(&q), requeue ? "a Added=1 Updated=2" : "a Updated=2");
        assert_string_equal(queue_pop_batch(&q, 9),
                            requeue ? "b Added=1 Updated=2 c Added=1 d Added=1 Updated=2"
                                    : "b Updated=2 c Added=1 d Updated=2");
        assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
        queue_done(&q);
    }
}

static void a_requeue_counts_as_processed(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_replace(&q, "a:1");
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "a Sync=1");
    assert_true(queue_has_synced(&q));
    assert_string_equal(queue_pop(&q), "a Sync=1");
    assert_false(q.initial);
    queue_done(&q);
}

/* As AddIfNotPresent does, of which it is a kind. */
static void a_requeue_before_any_list_makes_it_synced(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_resync(&q);
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "a Sync=1");
    assert_true(queue_has_synced(&q));
    queue_done(&q);
}

static void delete_a_again(queue *q)
{
    queue_delete(q, "a:3");
    queue_add(q, "a:4");
}

/* The deletion in flight and the one that came meanwhile do not meet in the queue. */
static void a_requeued_deletion_stays_one(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_delete(&q, "a:2");
    q.result = KIN_EREQUEUE;
    assert_string_equal(queue_pop_during(&q, delete_a_again), "a Deleted=2");
    q.result = 0;
    assert_string_equal(queue_pop(&q), "a Deleted=2 Added=4");
    queue_done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deletion_meanwhile_is_not_lost),
        cmocka_unit_test(a_second_deletion_meanwhile_is_one_too_many),
        cmocka_unit_test(a_second_deletion_waits_for_the_end_of_the_first),
        cmocka_unit_test(a_second_deletion_comes_first_when_the_first_fails),
        cmocka_unit_test(a_list_meanwhile_makes_a_tombstone),
        cmocka_unit_test(a_list_meanwhile_makes_none_if_a_deletion_is_in_flight),
        cmocka_unit_test(a_list_meanwhile_that_has_the_key_brings_it_again),
        cmocka_unit_test(a_resync_meanwhile_leaves_the_key_alone),
        cmocka_unit_test(nobody_else_gets_the_key),
        cmocka_unit_test(it_is_seen_as_queued),
        cmocka_unit_test(it_counts_for_the_first_list),
        cmocka_unit_test(the_first_list_may_come_meanwhile),
        cmocka_unit_test(one_of_the_first_list_may_be_blocked),
        cmocka_unit_test(who_is_blocked_counts_once),
        cmocka_unit_test(what_is_queued_again_meanwhile_is_not),
        cmocka_unit_test(a_requeue_goes_to_the_end_of_the_line),
        cmocka_unit_test(a_requeue_comes_before_what_is_newer),
        cmocka_unit_test(a_requeue_of_few_or_many_before_few_or_many),
        cmocka_unit_test(a_requeue_of_few_or_many_before_what_came_meanwhile),
        cmocka_unit_test(who_was_blocked_is_first_when_it_lands),
        cmocka_unit_test(who_was_blocked_keeps_the_order),
        cmocka_unit_test(a_requeue_counts_as_processed),
        cmocka_unit_test(a_requeue_before_any_list_makes_it_synced),
        cmocka_unit_test(a_requeued_deletion_stays_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
