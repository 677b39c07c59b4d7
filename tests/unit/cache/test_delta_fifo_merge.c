/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DeltaFIFO with a limit: how deltas of one key merge beyond it, and that memory is bounded then.
 */
#include "delta_fifo_support.h"

#include <stdlib.h>

#include "alloc.h"

static void init_with_limit(queue *q, size_t max_surplus)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;

    options.max_surplus = max_surplus;
    queue_init_with(q, QUEUE_KNOWN | QUEUE_REPLACED, options);
}

/* "+1 ~2 -3 r4 R0": add, update, delete, a list with the key, a list without it. */
static void run_script(queue *q, const char *script)
{
    while (*script) {
        char op = *script;
        char *end;
        unsigned long version = strtoul(script + 1, &end, 10);
        char text[16];

        snprintf(text, sizeof(text), "a:%lu", version);
        if (op == '+')
            queue_add(q, text);
        else if (op == '~')
            queue_update(q, text);
        else if (op == '-')
            queue_delete(q, text);
        else
            queue_replace(q, op == 'r' ? text : "");
        script = end + (*end == ' ');
    }
}

/* With a surplus of 1 each key may have two deltas before they merge. */
static void beyond_the_limit_deltas_of_a_key_merge(void **state)
{
    static const struct {
        const char *script;
        const char *expected;
    } cases[] = {
        {"+1 ~2", "a Added=1 Updated=2"},
        {"+1 ~2 ~3", "a Added=1 Updated=3"},
        {"~1 ~2 ~3 ~4 ~5", "a Updated=1 Updated=5"},
        {"~1 ~2 -3", "a Updated=1 Deleted=3"},
        {"~1 -2 +3", "a Updated=1 Deleted=2 Added=3"},
        {"~1 -2 +3 ~4 ~5", "a Updated=1 Deleted=2 Added=5"},
        {"~1 -2 +3 -4", "a Updated=1 Deleted=2 Deleted=4"},
        {"~1 -2 +3 -4 -5", "a Updated=1 Deleted=2 Deleted=4"},
        {"~1 -2 +3 -4 +5", "a Updated=1 Deleted=2 Added=5"},
        {"~1 -2 +3 -4 +5 -6 +7 -8 +9", "a Updated=1 Deleted=2 Added=9"},
        {"~1 ~2 r3", "a Updated=1 Replaced=3"},
        {"~1 ~2 R0", "a Updated=1 Deleted=~2"},
        {"~1 ~2 R0 R0 r4 r5", "a Updated=1 Deleted=~2 Replaced=5"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        queue q;

        init_with_limit(&q, 1);
        run_script(&q, cases[i].script);
        assert_string_equal(queue_pop(&q), cases[i].expected);
        assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
        queue_done(&q);
    }
}

static void without_a_limit_all_are_kept(void **state)
{
    queue q;

    (void)state;
    init_with_limit(&q, 0);
    run_script(&q, "+1 ~2 ~3 ~4 -5 +6 -7");
    assert_string_equal(queue_pop(&q),
                        "a Added=1 Updated=2 Updated=3 Updated=4 Deleted=5 Added=6 Deleted=7");
    queue_done(&q);
}

static void update_a_often(queue *q)
{
    run_script(q, "~11 ~12 ~13 ~14 ~15");
}

/* What is in flight is not changed, and does not count; it counts and merges when it is requeued. */
static void deltas_in_flight_merge_when_requeued(void **state)
{
    queue q;

    (void)state;
    init_with_limit(&q, 2);
    run_script(&q, "~1 ~2 ~3");
    q.result = KIN_EREQUEUE;
    assert_string_equal(queue_pop_during(&q, update_a_often), "a Updated=1 Updated=2 Updated=3");
    q.result = 0;
    run_script(&q, "~16");
    assert_string_equal(queue_pop(&q), "a Updated=1 Updated=2 Updated=16");
    run_script(&q, "~21 ~22 ~23 ~24");
    assert_string_equal(queue_pop(&q), "a Updated=21 Updated=22 Updated=24");
    queue_done(&q);
}

static void delete_and_add_a(queue *q)
{
    run_script(q, "-21 +22 -23 +24");
}

/* However often processing fails, and whatever comes meanwhile. */
static void repeated_requeues_keep_little(void **state)
{
    enum { ROUNDS = 1000, SURPLUS = 2, MAX = 2 * SURPLUS + 6 };
    queue q;

    (void)state;
    init_with_limit(&q, SURPLUS);
    run_script(&q, "+1");
    q.result = KIN_EREQUEUE;
    for (unsigned i = 0; i < ROUNDS; i++) {
        queue_pop_during(&q, i % 2 ? update_a_often : delete_and_add_a);
        assert_true(kin_test_items_live() <= MAX);
    }
    q.result = 0;
    assert_string_not_equal(queue_pop(&q), "KIN_ETIMEOUT");
    assert_int_equal(queue_known(&q, "a"), 15);
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
}

/* Other keys do not lose theirs: the limit is for what there is beyond one delta per key. */
static void one_delta_per_key_is_always_kept(void **state)
{
    queue q;

    (void)state;
    init_with_limit(&q, 1);
    queue_update(&q, "a:1");
    queue_update(&q, "a:2");
    queue_update(&q, "b:1");
    queue_update(&q, "b:2");
    queue_delete(&q, "b:3");
    queue_add(&q, "c:1");
    assert_string_equal(queue_pop(&q), "a Updated=1 Updated=2");
    assert_string_equal(queue_pop(&q), "b Deleted=3");
    assert_string_equal(queue_pop(&q), "c Added=1");
    queue_done(&q);
}

static void a_long_burst_keeps_little(void **state)
{
    enum { UPDATES = 200000, KEYS = 100, SURPLUS = 1000 };
    size_t bytes;
    queue q;

    (void)state;
    init_with_limit(&q, SURPLUS);
    bytes = kin_test_alloc_bytes();
    for (unsigned i = 0; i < UPDATES; i++) {
        char text[32];

        snprintf(text, sizeof(text), "key-%u:%u", i % KEYS, i);
        /* A key that comes and goes, too. */
        if (i % KEYS == 7 && i / KEYS % 2)
            queue_delete(&q, text);
        else
            queue_update(&q, text);
    }
    assert_true(kin_test_alloc_bytes() - bytes < (SURPLUS + 2 * KEYS) * (size_t)512);
    assert_true(kin_test_items_live() <= SURPLUS + 2 * KEYS);
    for (unsigned i = 0; i < KEYS; i++)
        assert_string_not_equal(queue_pop(&q), "KIN_ETIMEOUT");
    assert_int_equal(queue_known(&q, "key-42"), UPDATES - KEYS + 42);
    assert_int_equal(queue_known(&q, "key-7"), 0);
    queue_done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_the_limit_deltas_of_a_key_merge),
        cmocka_unit_test(without_a_limit_all_are_kept),
        cmocka_unit_test(deltas_in_flight_merge_when_requeued),
        cmocka_unit_test(repeated_requeues_keep_little),
        cmocka_unit_test(one_delta_per_key_is_always_kept),
        cmocka_unit_test(a_long_burst_keeps_little),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
