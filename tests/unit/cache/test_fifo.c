/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFO: what comes out, in which order, and when it has synced. test_fifo_flight.c looks at what
 * happens while something is in flight, test_fifo_errors.c at what goes wrong.
 */
#include "kin_test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "fifo_support.h"
#include "item.h"
#include "latch.h"

/* --- what comes out --- */

enum { AMOUNT = 500 };

struct producer {
    kin__thread thread;
    kin_fifo *fifo;
    char letter;
};

static void produce(void *arg)
{
    struct producer *p = arg;

    for (unsigned i = 0; i < AMOUNT; i++) {
        char key[16];

        snprintf(key, sizeof(key), "%c%u", p->letter, i);
        assert_code(fifo_add(p->fifo, key, i + 1), 0);
    }
}

static int note_order(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    unsigned *last = arg;
    unsigned version = kin_test_item_version(object);
    unsigned which = kin_object_key(object)[0] == 'b';

    (void)is_initial_list;
    if (version <= last[which])
        return kin_error_set(err, KIN_ETYPE, "%u after %u", version, last[which]);
    last[which] = version;
    return 0;
}

/* TestFIFO_basic */
static void the_order_of_each_producer_is_kept(void **state)
{
    struct trace *trace = *state;
    struct producer producers[2] = {{KIN__THREAD_INIT, trace->fifo, 'a'},
                                    {KIN__THREAD_INIT, trace->fifo, 'b'}};
    unsigned last[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++)
        assert_code(
            kin__thread_start(&producers[i].thread, "kin-producer", produce, &producers[i], NULL),
            0);
    for (unsigned i = 0; i < 2 * AMOUNT; i++)
        assert_code(kin_fifo_pop(trace->fifo, note_order, last, KIN_TEST_TIMEOUT_MS, NULL), 0);
    for (unsigned i = 0; i < 2; i++)
        kin__thread_join(&producers[i].thread, NULL);
    assert_int_equal(last[0], AMOUNT);
    assert_int_equal(last[1], AMOUNT);
}

/* TestFIFO_addUpdate */
static void the_newest_object_of_a_key_comes_once(void **state)
{
    struct trace *trace = *state;
    const kin_object *update = kin_test_item("foo", 15, NULL);

    fifo_add(trace->fifo, "foo", 10);
    assert_code(kin_fifo_update(trace->fifo, update, NULL), 0);
    assert_fifo_objects(trace->fifo, "foo 15");
    assert_fifo_keys(trace->fifo, "foo");
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
    assert_string_equal(drain_fifo(trace), "foo 15");
    assert_code(kin_fifo_get(trace->fifo, NULL, update, NULL), KIN_ENOTFOUND);
    assert_int_equal(kin_fifo_len(trace->fifo), 0);
    kin_object_unref(update);
    assert_int_equal(kin_test_items_live(), 0);
}

/* TestFIFO_addReplace */
static void a_replacement_takes_the_place_of_what_was_added(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "foo", 10);
    assert_code(fifo_replace(trace->fifo, "foo 15"), 0);
    assert_string_equal(drain_fifo(trace), "foo 15");
    assert_code(kin_fifo_get_by_key(trace->fifo, NULL, kin_str_of("foo"), NULL), KIN_ENOTFOUND);
}

/* TestFIFO_detectLineJumpers */
static void nobody_jumps_the_line(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "foo", 10);
    fifo_add(trace->fifo, "bar", 1);
    fifo_add(trace->fifo, "foo", 11);
    fifo_add(trace->fifo, "foo", 13);
    fifo_add(trace->fifo, "zab", 30);
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    assert_string_equal(trace->text, "foo 13");
    fifo_add(trace->fifo, "foo", 14);
    assert_string_equal(drain_fifo(trace), "bar 1, zab 30, foo 14");
}

static void what_was_deleted_is_skipped(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    fifo_add(trace->fifo, "c", 3);
    assert_code(fifo_delete(trace->fifo, "b"), 0);
    assert_code(fifo_delete(trace->fifo, "b"), 0);
    assert_code(fifo_delete(trace->fifo, "unknown"), 0);
    assert_fifo_keys(trace->fifo, "a, c");
    assert_int_equal(kin_fifo_len(trace->fifo), 2);
    assert_code(kin_fifo_get_by_key(trace->fifo, NULL, kin_str_of("b"), NULL), KIN_ENOTFOUND);
    assert_string_equal(drain_fifo(trace), "a 1, c 3");
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_fifo_len(trace->fifo), 0);
    fifo_add(trace->fifo, "b", 4);
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
}

static void a_key_that_comes_again_takes_its_old_place(void **state)
{
    struct trace *trace = *state;
    const kin_object *item = kin_test_item("b", 8, NULL);

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    fifo_add(trace->fifo, "c", 3);
    fifo_delete(trace->fifo, "a");
    fifo_delete(trace->fifo, "b");
    fifo_add(trace->fifo, "a", 9);
    assert_code(kin_fifo_add_if_not_present(trace->fifo, item, NULL), 0);
    kin_object_unref(item);
    assert_int_equal(kin_fifo_len(trace->fifo), 3);
    assert_string_equal(drain_fifo(trace), "a 9, b 8, c 3");
}

static void a_tombstone_and_an_explicit_key_delete(void **state)
{
    struct trace *trace = *state;
    const kin_object *tombstone = NULL;
    const kin_object *key = NULL;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    fifo_add(trace->fifo, "c", 3);
    kin_tombstone_new(&tombstone, kin_str_of("a"), NULL, NULL);
    kin_explicit_key_new(&key, kin_str_of("c"), NULL);
    assert_code(kin_fifo_delete(trace->fifo, tombstone, NULL), 0);
    assert_code(kin_fifo_delete(trace->fifo, key, NULL), 0);
    kin_object_unref(tombstone);
    kin_object_unref(key);
    assert_string_equal(drain_fifo(trace), "b 2");
}

static void add_if_not_present_keeps_what_is_there(void **state)
{
    struct trace *trace = *state;
    const kin_object *newer = kin_test_item("a", 2, NULL);
    const kin_object *other = kin_test_item("b", 3, NULL);

    fifo_add(trace->fifo, "a", 1);
    assert_code(kin_fifo_add_if_not_present(trace->fifo, newer, NULL), 0);
    assert_code(kin_fifo_add_if_not_present(trace->fifo, other, NULL), 0);
    kin_object_unref(newer);
    kin_object_unref(other);
    assert_string_equal(drain_fifo(trace), "a 1, b 3");
}

static void a_list_comes_in_its_order_and_drops_the_rest(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "x", 1);
    fifo_add(trace->fifo, "c", 2);
    fifo_add(trace->fifo, "y", 3);
    fifo_delete(trace->fifo, "y");
    fifo_delete(trace->fifo, "c");
    /* Of two with the same key the last, in the place of the first. */
    assert_code(fifo_replace(trace->fifo, "b 4, c 5, a 6, b 7"), 0);
    assert_fifo_keys(trace->fifo, "b, c, a");
    assert_int_equal(kin_fifo_len(trace->fifo), 3);
    assert_int_equal(kin_test_items_live(), 3);
    assert_code(kin_fifo_resync(trace->fifo, NULL), 0);
    assert_string_equal(drain_fifo(trace), "b 7, c 5, a 6");
    assert_code(fifo_replace(trace->fifo, "a 8"), 0);
    assert_code(fifo_replace(trace->fifo, ""), 0);
    assert_string_equal(drain_fifo(trace), "");
}

static void a_staged_replacement_is_seen_when_it_is_committed(void **state)
{
    struct trace *trace = *state;
    struct items items = items_of("a 1, b 2");
    kin_replace *replace = NULL;

    fifo_add(trace->fifo, "x", 1);
    assert_code(kin_fifo_replace_begin(trace->fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, items.items[0], NULL), 0);
    assert_code(kin_replace_add(replace, items.items[1], NULL), 0);
    assert_fifo_keys(trace->fifo, "x");
    assert_code(kin_replace_commit(replace, kin_str_of("7"), NULL), 0);
    assert_fifo_keys(trace->fifo, "a, b");

    assert_code(kin_fifo_replace_begin(trace->fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, items.items[1], NULL), 0);
    kin_replace_abort(replace);
    items_done(&items);
    assert_string_equal(drain_fifo(trace), "a 1, b 2");
}

/* TestFIFOCache */
static void a_fifo_is_a_store(void **state)
{
    struct trace *trace = *state;
    const kin_object *found = NULL;
    const kin_object *foo = kin_test_item("foo", 1, NULL);

    assert_code(kin_fifo_add(trace->fifo, foo, NULL), 0);
    assert_code(kin_fifo_get(trace->fifo, &found, foo, NULL), 0);
    assert_ptr_equal(found, foo);
    kin_object_unref(found);
    kin_object_unref(foo);
    foo = kin_test_item("foo", 2, NULL);
    assert_code(kin_fifo_update(trace->fifo, foo, NULL), 0);
    assert_code(kin_fifo_get_by_key(trace->fifo, &found, kin_str_of("foo"), NULL), 0);
    assert_ptr_equal(found, foo);
    kin_object_unref(found);
    assert_code(kin_fifo_delete(trace->fifo, foo, NULL), 0);
    assert_code(kin_fifo_get(trace->fifo, &found, foo, NULL), KIN_ENOTFOUND);
    kin_object_unref(foo);
    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "c", 2);
    fifo_add(trace->fifo, "e", 3);
    assert_fifo_objects(trace->fifo, "a 1, c 2, e 3");
    assert_code(fifo_replace(trace->fifo, "foo 4, bar 5"), 0);
    assert_fifo_objects(trace->fifo, "foo 4, bar 5");
}

/* --- synced --- */

/* TestFIFO_HasSynced */
static void it_has_synced_when_the_first_list_was_processed(void **state)
{
    static const struct {
        const char *steps; /* a: add, d: delete, e: replace by nothing, r: by two, p: pop */
        bool synced;
    } cases[] = {{"", false},   {"a", true},   {"d", true},    {"e", true},    {"r", false},
                 {"rp", false}, {"rpp", true}, {"rpa", false}, {"rppr", true}, {"ar", true}};

    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct trace *trace = *state;

        for (const char *step = cases[i].steps; *step; step++) {
            if (*step == 'a')
                fifo_add(trace->fifo, "z", 1);
            else if (*step == 'd')
                fifo_delete(trace->fifo, "z");
            else if (*step == 'p')
                assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
            else
                assert_code(fifo_replace(trace->fifo, *step == 'e' ? "" : "a 1, b 2"), 0);
        }
        if (kin_fifo_has_synced(trace->fifo) != cases[i].synced)
            fail_msg("after \"%s\"", cases[i].steps);
        assert_code(kin_fifo_wait_synced(trace->fifo, 0, NULL), cases[i].synced ? 0 : KIN_ETIMEOUT);
        trace_teardown(state);
        fifo_setup(state);
    }
}

static void what_is_deleted_of_the_first_list_counts_when_it_is_skipped(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2, c 3"), 0);
    fifo_add(trace->fifo, "d", 4);
    fifo_delete(trace->fifo, "b");
    fifo_delete(trace->fifo, "c");
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    assert_false(kin_fifo_has_synced(trace->fifo));
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    /* Not of the first list: the deleted ones before it were. */
    assert_string_equal(trace->text, "a 1*, d 4");
    assert_true(kin_fifo_has_synced(trace->fifo));
}

static void skipping_the_last_of_the_first_list_is_enough(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1"), 0);
    fifo_delete(trace->fifo, "a");
    assert_false(kin_fifo_has_synced(trace->fifo));
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), KIN_ETIMEOUT);
    assert_true(kin_fifo_has_synced(trace->fifo));
}

static void a_second_list_cannot_leave_the_first_unfinished(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2, c 3"), 0);
    assert_code(fifo_replace(trace->fifo, "x 4"), 0);
    assert_false(kin_fifo_has_synced(trace->fifo));
    assert_string_equal(drain_fifo(trace), "x 4*");
    assert_true(kin_fifo_has_synced(trace->fifo));
    fifo_add(trace->fifo, "y", 5);
    assert_string_equal(drain_fifo(trace), "y 5");
}

static void an_empty_second_list_finishes_the_first(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2, c 3"), 0);
    assert_code(fifo_replace(trace->fifo, ""), 0);
    assert_true(kin_fifo_has_synced(trace->fifo));
}

static void a_longer_second_list_counts_as_the_first_did(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2"), 0);
    assert_code(fifo_replace(trace->fifo, "x 4, y 5, z 6"), 0);
    assert_string_equal(drain_fifo(trace), "x 4*, y 5*, z 6");
}

/* --- waiting and closing --- */

struct waiter {
    kin__thread thread;
    kin_fifo *fifo;
    bool for_sync;
    int code;
};

static void wait_for_it(void *arg)
{
    struct waiter *w = arg;
    struct trace trace = {.len = 0};

    w->code = w->for_sync ? kin_fifo_wait_synced(w->fifo, 1000, NULL)
                          : kin_fifo_pop(w->fifo, note_object, &trace, 1000, NULL);
}

enum { JOBS = 10 };

static void start_waiters(struct waiter *waiters, kin_fifo *fifo, kin_clock *clock)
{
    for (unsigned i = 0; i < JOBS; i++) {
        waiters[i] = (struct waiter){KIN__THREAD_INIT, fifo, i % 2, 1};
        assert_code(
            kin__thread_start(&waiters[i].thread, "kin-waiter", wait_for_it, &waiters[i], NULL), 0);
    }
    assert_code(kin_clock_await_waiters(clock, JOBS, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void assert_waiters(struct waiter *waiters, int code)
{
    for (unsigned i = 0; i < JOBS; i++) {
        kin__thread_join(&waiters[i].thread, NULL);
        assert_code(waiters[i].code, code);
    }
}

static kin_fifo *fifo_with(kin_clock **clock)
{
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;
    kin_fifo *fifo = NULL;

    assert_code(kin_clock_new_fake(clock, 0, NULL), 0);
    options.clock = *clock;
    assert_code(kin_fifo_new(&fifo, &options, NULL), 0);
    return fifo;
}

/* TestFIFO_PopShouldUnblockWhenClosed */
static void closing_wakes_all_who_wait(void **state)
{
    struct waiter waiters[JOBS];
    kin_clock *clock = NULL;
    kin_fifo *fifo = fifo_with(&clock);

    (void)state;
    assert_false(kin_fifo_is_closed(fifo));
    start_waiters(waiters, fifo, clock);
    kin_fifo_close(fifo);
    kin_fifo_close(fifo);
    assert_true(kin_fifo_is_closed(fifo));
    assert_waiters(waiters, KIN_ECLOSED);
    kin_fifo_free(fifo);
    kin_clock_unref(clock);
}

static void waiting_ends_in_time(void **state)
{
    struct waiter waiters[JOBS];
    kin_clock *clock = NULL;
    kin_fifo *fifo = fifo_with(&clock);

    (void)state;
    start_waiters(waiters, fifo, clock);
    assert_code(kin_clock_advance(clock, INT64_C(1000000000), NULL), 0);
    assert_waiters(waiters, KIN_ETIMEOUT);
    kin_fifo_free(fifo);
    kin_clock_unref(clock);
}

static void a_closed_queue_hands_out_what_it_has(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2, c 3"), 0);
    fifo_delete(trace->fifo, "c");
    kin_fifo_close(trace->fifo);
    assert_code(kin_fifo_wait_synced(trace->fifo, -1, NULL), KIN_ECLOSED);
    fifo_add(trace->fifo, "d", 4);
    for (unsigned i = 0; i < 3; i++)
        assert_code(kin_fifo_pop(trace->fifo, note_object, trace, -1, NULL), 0);
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, -1, NULL), KIN_ECLOSED);
    assert_string_equal(trace->text, "a 1*, b 2*, d 4");
    assert_code(kin_fifo_wait_synced(trace->fifo, -1, NULL), 0);
}

static void many_keys_are_fine(void **state)
{
    struct trace *trace = *state;

    for (unsigned round = 0; round < 3; round++) {
        unsigned last[2] = {0, 0};

        for (unsigned i = 0; i < 5000; i++) {
            char key[16];

            snprintf(key, sizeof(key), "a%u", i);
            assert_code(fifo_add(trace->fifo, key, i + 1), 0);
        }
        assert_int_equal(kin_fifo_len(trace->fifo), 5000);
        for (unsigned i = 0; i < 5000; i++)
            assert_code(kin_fifo_pop(trace->fifo, note_order, last, 0, NULL), 0);
        assert_int_equal(last[0], 5000);
    }
    assert_int_equal(kin_test_items_live(), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fifo_setup, trace_teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_order_of_each_producer_is_kept),
        TEST(the_newest_object_of_a_key_comes_once),
        TEST(a_replacement_takes_the_place_of_what_was_added),
        TEST(nobody_jumps_the_line),
        TEST(what_was_deleted_is_skipped),
        TEST(a_key_that_comes_again_takes_its_old_place),
        TEST(a_tombstone_and_an_explicit_key_delete),
        TEST(add_if_not_present_keeps_what_is_there),
        TEST(a_list_comes_in_its_order_and_drops_the_rest),
        TEST(a_staged_replacement_is_seen_when_it_is_committed),
        TEST(a_fifo_is_a_store),
        TEST(it_has_synced_when_the_first_list_was_processed),
        TEST(what_is_deleted_of_the_first_list_counts_when_it_is_skipped),
        TEST(skipping_the_last_of_the_first_list_is_enough),
        TEST(a_second_list_cannot_leave_the_first_unfinished),
        TEST(an_empty_second_list_finishes_the_first),
        TEST(a_longer_second_list_counts_as_the_first_did),
        TEST(closing_wakes_all_who_wait),
        TEST(waiting_ends_in_time),
        TEST(a_closed_queue_hands_out_what_it_has),
        TEST(many_keys_are_fine),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
