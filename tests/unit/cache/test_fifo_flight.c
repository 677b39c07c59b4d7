/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFO while something is in flight. The process function does what another thread might do: no lock
 * is held, so it can.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/thread.h"
#include "fifo_support.h"
#include "item.h"

static kin_clock *the_clock;

static int setup(void **state)
{
    struct trace *trace = calloc(1, sizeof(*trace));
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;

    assert_non_null(trace);
    assert_code(kin_clock_new_fake(&the_clock, 0, NULL), 0);
    options.clock = the_clock;
    assert_code(kin_fifo_new(&trace->fifo, &options, NULL), 0);
    *state = trace;
    return 0;
}

static int teardown(void **state)
{
    struct trace *trace = *state;

    kin_fifo_free(trace->fifo);
    kin_clock_unref(the_clock);
    free(trace);
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

/* Pop once; the process function does `during` and returns `result`. What is left then, as text. */
static const char *pop_and_drain(struct trace *trace, void (*during)(struct trace *trace),
                                 int result)
{
    trace->during = during;
    trace->result = result;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    trace->during = NULL;
    trace->result = 0;
    return drain_fifo(trace);
}

static unsigned version_of(kin_fifo *fifo, const char *key)
{
    const kin_object *object = NULL;
    unsigned version;

    if (kin_fifo_get_by_key(fifo, &object, kin_str_of(key), NULL) < 0)
        return 0;
    version = kin_test_item_version(object);
    kin_object_unref(object);
    return version;
}

/* --- looking --- */

static void look(struct trace *trace)
{
    assert_int_equal(version_of(trace->fifo, "a"), 1);
    assert_fifo_keys(trace->fifo, "a, b");
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
    fifo_add(trace->fifo, "a", 3);
    assert_int_equal(version_of(trace->fifo, "a"), 3);
    assert_fifo_keys(trace->fifo, "a, b");
    assert_int_equal(kin_fifo_len(trace->fifo), 2);
}

static void who_looks_sees_what_is_in_flight(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, look, 0), "b 2, a 3");
    assert_int_equal(version_of(trace->fifo, "a"), 0);
}

static void add_if_not_present(struct trace *trace)
{
    const kin_object *item = kin_test_item("a", 2, NULL);

    assert_code(kin_fifo_add_if_not_present(trace->fifo, item, NULL), 0);
    kin_object_unref(item);
}

static void what_is_in_flight_is_present(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, add_if_not_present, 0), "");
}

static void delete_and_add_if_not_present(struct trace *trace)
{
    fifo_delete(trace->fifo, "a");
    add_if_not_present(trace);
}

static void what_is_in_flight_and_was_deleted_is_not(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, delete_and_add_if_not_present, 0), "a 2");
}

/* --- no second pop --- */

static void pop_others(struct trace *trace)
{
    struct trace inner = {.fifo = trace->fifo};

    fifo_add(trace->fifo, "a", 3);
    fifo_add(trace->fifo, "c", 4);
    assert_string_equal(drain_fifo(&inner), "b 2, c 4");
    fifo_add(trace->fifo, "d", 5);
}

static void no_second_pop_gets_what_is_in_flight(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    /* Its turn came while it was in flight: it is first now. */
    assert_string_equal(pop_and_drain(trace, pop_others, 0), "a 3, d 5");
}

/* --- requeueing --- */

static void a_requeued_object_goes_to_the_end(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, NULL, KIN_EREQUEUE), "b 2, a 1");
}

static void add_newer(struct trace *trace)
{
    fifo_add(trace->fifo, "a", 9);
}

static void a_newer_object_replaces_a_requeued_one(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, add_newer, KIN_EREQUEUE), "a 9");
}

static void delete_it(struct trace *trace)
{
    assert_code(fifo_delete(trace->fifo, "a"), 0);
    assert_int_equal(version_of(trace->fifo, "a"), 0);
    assert_fifo_keys(trace->fifo, "b");
}

static void what_was_deleted_in_flight_is_not_requeued(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, delete_it, KIN_EREQUEUE), "b 2");
}

static void add_newer_and_delete(struct trace *trace)
{
    add_newer(trace);
    delete_it(trace);
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
}

static void a_deletion_in_flight_takes_the_newer_one_too(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, add_newer_and_delete, KIN_EREQUEUE), "b 2");
    fifo_add(trace->fifo, "a", 3);
    assert_string_equal(drain_fifo(trace), "a 3");
}

static void delete_and_add(struct trace *trace)
{
    add_newer_and_delete(trace);
    fifo_add(trace->fifo, "a", 10);
}

static void what_comes_behind_a_deletion_in_flight_stays(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, delete_and_add, KIN_EREQUEUE), "b 2, a 10");
}

static void replace_without_it(struct trace *trace)
{
    add_newer(trace);
    assert_code(fifo_replace(trace->fifo, "c 3"), 0);
    assert_int_equal(version_of(trace->fifo, "a"), 0);
    assert_fifo_keys(trace->fifo, "c");
}

static void what_was_replaced_in_flight_is_not_requeued(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    fifo_add(trace->fifo, "b", 2);
    assert_string_equal(pop_and_drain(trace, replace_without_it, KIN_EREQUEUE), "c 3");
    fifo_add(trace->fifo, "a", 3);
    assert_string_equal(drain_fifo(trace), "a 3");
}

static void replace_and_add(struct trace *trace)
{
    replace_without_it(trace);
    fifo_add(trace->fifo, "a", 11);
    assert_int_equal(version_of(trace->fifo, "a"), 11);
}

static void what_comes_behind_a_replacement_in_flight_stays(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, replace_and_add, KIN_EREQUEUE), "c 3, a 11");
}

static void replace_with_it(struct trace *trace)
{
    struct trace inner = {.fifo = trace->fifo};

    assert_code(fifo_replace(trace->fifo, "x 7, a 8, y 9"), 0);
    assert_fifo_keys(trace->fifo, "a, x, y");
    /* Drives it out of the line, where a second replacement finds it as well. */
    assert_string_equal(drain_fifo(&inner), "x 7, y 9");
    assert_code(fifo_replace(trace->fifo, "a 12, z 13"), 0);
}

static void a_list_with_what_is_in_flight_has_the_newer_one(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, replace_with_it, KIN_EREQUEUE), "a 12, z 13");
}

/* Its turn comes while it is in flight: it steps out of the line. */
static void block_it(struct trace *trace)
{
    struct trace inner = {.fifo = trace->fifo};

    fifo_add(trace->fifo, "a", 9);
    assert_string_equal(drain_fifo(&inner), "");
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
}

static void block_it_and_replace(struct trace *trace)
{
    block_it(trace);
    assert_code(fifo_replace(trace->fifo, "c 3"), 0);
    assert_fifo_keys(trace->fifo, "c");
    assert_int_equal(kin_fifo_len(trace->fifo), 1);
}

static void block_it_and_replace_it(struct trace *trace)
{
    block_it(trace);
    assert_code(fifo_replace(trace->fifo, "c 3, a 12"), 0);
}

static void a_list_drops_what_is_blocked(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, block_it_and_replace, 0), "c 3");
    fifo_add(trace->fifo, "a", 1);
    assert_string_equal(pop_and_drain(trace, block_it_and_replace_it, 0), "c 3, a 12");
}

/* --- synced --- */

/* The same when it has landed, and nobody has taken it yet. */
static void a_list_drops_what_was_blocked(void **state)
{
    struct trace *trace = *state;

    fifo_add(trace->fifo, "a", 1);
    trace->during = block_it;
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    assert_fifo_keys(trace->fifo, "a");
    assert_code(fifo_replace(trace->fifo, "c 3"), 0);
    assert_fifo_keys(trace->fifo, "c");
    trace->during = NULL;
    assert_string_equal(drain_fifo(trace), "c 3");
}

static void is_not_synced(struct trace *trace)
{
    assert_false(kin_fifo_has_synced(trace->fifo));
    assert_code(kin_fifo_wait_synced(trace->fifo, 0, NULL), KIN_ETIMEOUT);
}

static void it_has_not_synced_while_the_last_is_in_flight(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1"), 0);
    assert_string_equal(pop_and_drain(trace, is_not_synced, 0), "");
    assert_true(kin_fifo_has_synced(trace->fifo));
}

static void replace_by_nothing(struct trace *trace)
{
    assert_code(fifo_replace(trace->fifo, ""), 0);
    is_not_synced(trace);
}

static void a_second_list_does_not_finish_what_is_in_flight(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1, b 2, c 3"), 0);
    assert_string_equal(pop_and_drain(trace, replace_by_nothing, 0), "");
    assert_true(kin_fifo_has_synced(trace->fifo));
}

static void a_requeued_object_of_the_first_list_was_processed(void **state)
{
    struct trace *trace = *state;

    assert_code(fifo_replace(trace->fifo, "a 1"), 0);
    assert_string_equal(pop_and_drain(trace, is_not_synced, KIN_EREQUEUE), "a 1");
    assert_true(kin_fifo_has_synced(trace->fifo));
}

/* --- other threads --- */

struct other {
    kin__thread thread;
    struct trace trace;
    int code;
};

static void pop_there(void *arg)
{
    struct other *other = arg;

    other->code = kin_fifo_pop(other->trace.fifo, note_object, &other->trace, 1000, NULL);
}

static void start_other(struct trace *trace)
{
    struct other *other = trace->arg;

    other->trace.fifo = trace->fifo;
    assert_code(kin__thread_start(&other->thread, "kin-other", pop_there, other, NULL), 0);
    assert_code(kin_clock_await_waiters(the_clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void add_close_and_let_others_wait(struct trace *trace)
{
    fifo_add(trace->fifo, "a", 2);
    kin_fifo_close(trace->fifo);
    start_other(trace);
}

static void a_closed_queue_waits_for_what_is_blocked(void **state)
{
    struct trace *trace = *state;
    struct other other = {.code = 1};

    trace->arg = &other;
    trace->during = add_close_and_let_others_wait;
    fifo_add(trace->fifo, "a", 1);
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    kin__thread_join(&other.thread, NULL);
    assert_code(other.code, 0);
    assert_string_equal(other.trace.text, "a 2");
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), KIN_ECLOSED);
}

static void add_delete_close_and_let_others_wait(struct trace *trace)
{
    fifo_add(trace->fifo, "a", 2);
    fifo_delete(trace->fifo, "a");
    kin_fifo_close(trace->fifo);
    start_other(trace);
}

static void a_closed_queue_skips_what_is_blocked_and_deleted(void **state)
{
    struct trace *trace = *state;
    struct other other = {.code = 1};

    trace->arg = &other;
    trace->during = add_delete_close_and_let_others_wait;
    fifo_add(trace->fifo, "a", 1);
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    kin__thread_join(&other.thread, NULL);
    assert_code(other.code, KIN_ECLOSED);
}

static void let_others_wait_then_add(struct trace *trace)
{
    start_other(trace);
    fifo_add(trace->fifo, "b", 2);
    kin__thread_join(&((struct other *)trace->arg)->thread, NULL);
}

static void others_go_on_while_one_is_in_flight(void **state)
{
    struct trace *trace = *state;
    struct other other = {.code = 1};

    trace->arg = &other;
    trace->during = let_others_wait_then_add;
    fifo_add(trace->fifo, "a", 1);
    assert_code(kin_fifo_pop(trace->fifo, note_object, trace, 0, NULL), 0);
    assert_string_equal(other.trace.text, "b 2");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(who_looks_sees_what_is_in_flight),
        TEST(what_is_in_flight_is_present),
        TEST(what_is_in_flight_and_was_deleted_is_not),
        TEST(no_second_pop_gets_what_is_in_flight),
        TEST(a_requeued_object_goes_to_the_end),
        TEST(a_newer_object_replaces_a_requeued_one),
        TEST(what_was_deleted_in_flight_is_not_requeued),
        TEST(a_deletion_in_flight_takes_the_newer_one_too),
        TEST(what_comes_behind_a_deletion_in_flight_stays),
        TEST(what_was_replaced_in_flight_is_not_requeued),
        TEST(what_comes_behind_a_replacement_in_flight_stays),
        TEST(a_list_with_what_is_in_flight_has_the_newer_one),
        TEST(a_list_drops_what_is_blocked),
        TEST(a_list_drops_what_was_blocked),
        TEST(it_has_not_synced_while_the_last_is_in_flight),
        TEST(a_second_list_does_not_finish_what_is_in_flight),
        TEST(a_requeued_object_of_the_first_list_was_processed),
        TEST(a_closed_queue_waits_for_what_is_blocked),
        TEST(a_closed_queue_skips_what_is_blocked_and_deleted),
        TEST(others_go_on_while_one_is_in_flight),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
