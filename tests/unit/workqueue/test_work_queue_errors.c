/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: wrong arguments, memory, forks.
 */
#include "work_queue_support.h"

#include "alloc.h"
#include "child.h"
#include "oom.h"

static bool ignore_dropped(kin_str key, int64_t left_ns, void *arg)
{
    (void)key;
    (void)left_ns;
    (void)arg;
    return true;
}

static void wrong_arguments_are_refused(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    kin_work_queue_stats numbers = KIN_WORK_QUEUE_STATS_INIT;
    const kin_namespaced_name name = {kin_str_of("a"), kin_str_of("b")};
    const kin_str key = kin_str_of("a");
    kin_work_add how = KIN_WORK_ADD_INIT;
    kin_work_queue *queue = new_queue();
    kin_work_queue *ret = NULL;
    kin_work_item *item = NULL;
    static char huge[KIN_WORK_KEY_BYTES_MAX + 1];
    size_t n;
    int fd;

    (void)state;
    memset(huge, 'k', sizeof(huge));
    assert_code(kin_work_queue_new(NULL, NULL, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_work_queue_new(&ret, &options, NULL), KIN_EINVAL);
    options.size = sizeof(options);
    metrics.size = 0;
    options.metrics = &metrics;
    assert_code(kin_work_queue_new(&ret, &options, NULL), KIN_EINVAL);
    assert_null(ret);
    assert_code(kin_work_queue_add(NULL, key, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_add(queue, kin_str_of(""), NULL), KIN_EINVAL);
    assert_code(kin_work_queue_add(queue, kin_str_make(huge, sizeof(huge)), NULL), KIN_ELIMIT);
    assert_code(kin_work_queue_add_after(queue, kin_str_of(NULL), 1, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_add_rate_limited(NULL, key, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of(""), NULL), KIN_EINVAL);
    assert_code(kin_work_queue_add_name(NULL, name, NULL, NULL), KIN_EINVAL);
    assert_code(
        kin_work_queue_add_name(
            queue, (kin_namespaced_name){key, kin_str_make(huge, sizeof(huge) - 2)}, NULL, NULL),
        KIN_ELIMIT);
    how.size = 0;
    assert_code(kin_work_queue_add_with(queue, key, &how, NULL), KIN_EINVAL);
    how = (kin_work_add)KIN_WORK_ADD_INIT;
    how.priority = (kin_work_priority)2;
    assert_code(kin_work_queue_add_with(queue, key, &how, NULL), KIN_EINVAL);
    how.priority = KIN_WORK_LOW;
    how.rate_limited = true;
    how.after_ns = 5;
    assert_code(kin_work_queue_add_with(queue, key, &how, NULL), KIN_EINVAL);
    kin_work_queue_forget(NULL, key);
    assert_int_equal(kin_work_queue_n_requeues(NULL, key), 0);
    assert_code(kin_work_queue_get(NULL, &item, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get(queue, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_next(NULL, &item, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_next(queue, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_batch(queue, &item, &n, 0, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_batch(queue, NULL, &n, 1, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_batch(queue, &item, NULL, 1, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_batch(NULL, &item, &n, 1, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_fd(NULL, &fd, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_fd(queue, NULL, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_shut_down_with_drain(NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_visit_dropped(NULL, ignore_dropped, NULL, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_visit_dropped(queue, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_stats(queue, NULL, NULL), KIN_EINVAL);
    assert_code(kin_work_queue_get_stats(NULL, &numbers, NULL), KIN_EINVAL);
    numbers.size = 0;
    assert_code(kin_work_queue_get_stats(queue, &numbers, NULL), KIN_EINVAL);
    assert_int_equal(kin_work_queue_len(NULL), 0);
    assert_true(kin_work_queue_is_shutting_down(NULL));
    kin_work_queue_update_metrics(NULL);
    kin_work_queue_update_metrics(queue);
    kin_work_queue_shut_down(NULL);
    kin_work_queue_free(NULL);
    assert_int_equal(kin_work_queue_len(queue), 0);
    assert_code(kin_work_queue_add(queue, kin_str_make(huge, sizeof(huge) - 1), NULL), 0);
    assert_int_equal(kin_work_queue_len(queue), 1);
    kin_work_queue_free(queue);
}

static void a_steady_state_allocates_nothing(void **state)
{
    kin_work_queue *queue = new_queue();
    char key[32];

    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        if (round == 1)
            kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
        for (unsigned i = 0; i < 500; i++) {
            snprintf(key, sizeof(key), "ns-%u/%u", round, i);
            if (i % 2)
                add_after(queue, key, 1 + i);
            else
                assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of(key), NULL), 0);
            add(queue, key);
        }
        advance(3600 * KIN__SECOND);
        for (unsigned i = 0; i < 1000; i++) {
            kin_work_item *item = NULL;

            if (kin_work_queue_get(queue, &item, 0, NULL) < 0)
                break;
            kin_work_queue_forget(queue, kin_work_item_key(item));
            kin_work_queue_done(queue, item);
        }
        assert_int_equal(kin_work_queue_len(queue), 0);
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_work_queue_free(queue);
}

enum {
    FLOOD = 5000,
    ITEM_BYTES = 160,         /* at least */
    BYTES_KEPT = 1100 * 200,  /* at most: for so many items */
    TABLE_BYTES_KEPT = 20000, /* at most: less than a flood's map, or its timers */
    ROUNDS = 10               /* that give back all there is, some at a time */
};
#define TRIM_AFTER (10 * KIN__SECOND)

static void flood(kin_work_queue *queue)
{
    char key[32];

    for (unsigned i = 0; i < FLOOD; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add(queue, key);
    }
}

static void work_off(kin_work_queue *queue)
{
    kin_work_item *item = NULL;

    while (kin_work_queue_get(queue, &item, 0, NULL) == 0)
        kin_work_queue_done(queue, item);
}

/* A flood that comes again finds its memory; what was not needed for a while is given back. */
static void memory_does_not_stay_after_a_flood(void **state)
{
    kin_work_queue *queue = new_queue();
    size_t before = kin_test_alloc_bytes();

    (void)state;
    flood(queue);
    assert_true(kin_test_alloc_bytes() > before + FLOOD * ITEM_BYTES);
    work_off(queue);
    advance(TRIM_AFTER - 1);
    work_off(queue);
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    flood(queue);
    work_off(queue);
    assert_int_equal(kin_test_alloc_count(), 0);
    assert_true(kin_test_alloc_bytes() > before + FLOOD * ITEM_BYTES);
    advance(1); /* it was needed since the first time */
    work_off(queue);
    assert_true(kin_test_alloc_bytes() > before + FLOOD * ITEM_BYTES);
    advance(TRIM_AFTER);
    for (unsigned i = 0; i < ROUNDS; i++)
        work_off(queue);
    assert_true(kin_test_alloc_bytes() < before + BYTES_KEPT + TABLE_BYTES_KEPT);
    kin_work_queue_free(queue);
}

/* Also where the queue is never empty, and where what was delayed was the flood. */
static void memory_does_not_stay_beside_a_delayed_key(void **state)
{
    kin_work_queue *queue = new_queue();
    size_t before = kin_test_alloc_bytes();
    char key[32];

    (void)state;
    add_after(queue, "stays", 3600 * KIN__SECOND);
    flood(queue);
    work_off(queue);
    advance(TRIM_AFTER);
    for (unsigned i = 0; i < ROUNDS; i++)
        work_off(queue);
    assert_true(kin_test_alloc_bytes() < before + FLOOD * ITEM_BYTES / 2);
    assert_int_equal(stats(queue).n_delayed, 1);
    for (unsigned i = 0; i < FLOOD; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add_after(queue, key, 1);
    }
    advance(3600 * KIN__SECOND);
    work_off(queue);
    for (unsigned i = 0; i < ROUNDS; i++) {
        advance(TRIM_AFTER);
        work_off(queue);
    }
    assert_true(kin_test_alloc_bytes() < before + BYTES_KEPT + TABLE_BYTES_KEPT);
    kin_work_queue_free(queue);
}

static void a_key_that_is_worked_on_can_be_added_without_memory(void **state)
{
    kin_work_queue *queue = new_queue();
    char long_key[200];
    kin_work_item *item;

    (void)state;
    memset(long_key, 'b', sizeof(long_key));
    add(queue, "a");
    item = expect(queue, "a");
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_work_queue_add_after(queue, kin_str_of("a"), 5, NULL), KIN_ENOMEM);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("a"), NULL), KIN_ENOMEM);
    assert_code(kin_work_queue_add(queue, kin_str_make(long_key, sizeof(long_key)), NULL),
                KIN_ENOMEM);
    assert_code(kin_work_queue_add(queue, kin_str_of("a"), NULL), 0);
    assert_true(kin_test_alloc_disarm());
    kin_work_queue_done(queue, item);
    expect_and_done(queue, "a");
    assert_int_equal(stats(queue).n_delayed, 0);
    assert_int_equal(stats(queue).retries, 0);
    kin_work_queue_free(queue);
}

static int use_everything(void *arg, kin_error *err)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    const kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    kin_work_queue *queue = NULL;
    kin_work_item *item = NULL;
    char key[700];
    int fd;

    (void)arg;
    options.clock = fake;
    options.name = "oom";
    options.metrics = &metrics;
    int code = kin_work_queue_new(&queue, &options, err);
    if (code == 0)
        code = kin_work_queue_fd(queue, &fd, err);
    for (unsigned i = 0; i < 100 && code == 0; i++) { /* more than come with one allocation */
        snprintf(key, sizeof(key), "key-%u", i);
        code = kin_work_queue_add(queue, kin_str_of(key), err);
    }
    memset(key, 'k', sizeof(key));
    for (size_t len = 20; len < sizeof(key) && code == 0; len += 97) {
        kin_namespaced_name name = {kin_str_of("ns"), kin_str_make(key, len)};

        code = kin_work_queue_add(queue, kin_str_make(key, len), err);
        if (code == 0)
            code = kin_work_queue_add_name(queue, name, NULL, err);
        if (code == 0)
            code = kin_work_queue_add_after(queue, kin_str_make(key, len + 1), 10, err);
        if (code == 0)
            code = kin_work_queue_add_rate_limited(queue, kin_str_make(key, len), err);
    }
    (void)kin_clock_advance(fake, KIN__SECOND, NULL);
    while (queue && kin_work_queue_get(queue, &item, 0, NULL) == 0) {
        kin_work_queue_forget(queue, kin_work_item_key(item));
        kin_work_queue_done(queue, item);
    }
    kin_work_queue_shut_down(queue);
    kin_work_queue_free(queue);
    return code;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use_everything, NULL);
}

static int use_in_child(void *arg)
{
    kin_work_queue *queue = arg;
    kin_work_item *item = NULL;
    int fd;
    bool told = kin_work_queue_add(queue, kin_str_of("a"), NULL) == KIN_EFORKED &&
                kin_work_queue_add_rate_limited(queue, kin_str_of("a"), NULL) == KIN_EFORKED &&
                kin_work_queue_get(queue, &item, -1, NULL) == KIN_EFORKED &&
                kin_work_queue_next(queue, &item, -1, NULL) == KIN_EFORKED &&
                kin_work_queue_fd(queue, &fd, NULL) == KIN_EFORKED &&
                kin_work_queue_shut_down_with_drain(queue, -1, NULL) == KIN_EFORKED &&
                kin_work_queue_len(queue) == 0 && kin_work_queue_is_shutting_down(queue);

    kin_work_queue_shut_down(queue);
    kin_work_queue_free(queue);
    return told ? 0 : 1;
}

static void a_forked_child_is_told(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_test_child child;
    int fd;

    (void)state;
    assert_code(kin_work_queue_fd(queue, &fd, NULL), 0);
    add(queue, "a");
    add_after(queue, "b", 10);
    kin_work_queue_done(queue, expect(queue, "a"));
    kin_test_run_child(&child, use_in_child, queue);
    assert_int_equal(child.exit_code, 0);
    advance(10);
    assert_true(readable(fd));
    kin_work_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(wrong_arguments_are_refused),
        test(a_steady_state_allocates_nothing),
        test(memory_does_not_stay_after_a_flood),
        test(memory_does_not_stay_beside_a_delayed_key),
        test(a_key_that_is_worked_on_can_be_added_without_memory),
        test(each_allocation_may_fail),
        test(a_forked_child_is_told),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
