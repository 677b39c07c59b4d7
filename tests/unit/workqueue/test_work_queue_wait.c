/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for a work queue: workers that are woken, who keeps the time, drains. Waits go by a fake
 * clock, which knows who waits. Somebody who is not woken hangs, and the test with him.
 */
#include "kin_test.h"
#include "kinform/work_queue.h"

#include <pthread.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "latch.h"

enum { WAIT_MS = 60000 }; /* fake milliseconds: over only when a test says so */

static kin_clock *fake;
static kin_work_queue *queue;

static int set_up(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;

    (void)state;
    assert_code(kin_clock_new_fake(&fake, 0, NULL), 0);
    options.clock = fake;
    return kin_work_queue_new(&queue, &options, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    kin_work_queue_free(queue);
    kin_clock_unref(fake);
    return 0;
}

static void add(const char *key)
{
    assert_code(kin_work_queue_add(queue, kin_str_of(key), NULL), 0);
}

static void add_after(const char *key, int64_t ms)
{
    assert_code(kin_work_queue_add_after(queue, kin_str_of(key), ms * KIN__MILLISECOND, NULL), 0);
}

static void advance(int64_t ms)
{
    assert_code(kin_clock_advance(fake, ms * KIN__MILLISECOND, NULL), 0);
}

static void await_waiters(size_t n)
{
    assert_code(kin_clock_await_waiters(fake, n, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

/* --- a thread that does one thing --- */

typedef struct worker {
    pthread_t thread;
    int64_t timeout_ms;
    int code;
    char key[32];          /* what it got */
    kin_test_latch *began; /* raised when it has got it; may be NULL */
    kin_test_latch *go_on; /* waited for before it is done */
} worker;

static void *run_get(void *arg)
{
    worker *w = arg;
    kin_work_item *item = NULL;

    w->code = kin_work_queue_get(queue, &item, w->timeout_ms, NULL);
    if (w->code < 0)
        return NULL;
    snprintf(w->key, sizeof(w->key), "%s", kin_work_item_key(item).data);
    if (w->began) {
        kin_test_latch_raise(w->began);
        kin_test_latch_wait(w->go_on, 1);
    }
    kin_work_queue_done(queue, item);
    return NULL;
}

static void *run_drain(void *arg)
{
    worker *w = arg;

    w->code = kin_work_queue_shut_down_with_drain(queue, w->timeout_ms, NULL);
    return NULL;
}

static void start(worker *w, void *(*run)(void *), int64_t timeout_ms)
{
    w->timeout_ms = timeout_ms;
    w->code = 1;
    w->key[0] = '\0';
    assert_int_equal(pthread_create(&w->thread, NULL, run, w), 0);
}

static int finish(worker *w)
{
    assert_int_equal(pthread_join(w->thread, NULL), 0);
    return w->code;
}

/* --- getting --- */

static void a_worker_waits_for_a_key(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    add("a");
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "a");
}

static void a_worker_waits_no_longer_than_it_wants(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    start(&w, run_get, 10);
    await_waiters(1);
    advance(10);
    assert_code(finish(&w), KIN_ETIMEOUT);
    add("a");
    assert_int_equal(kin_work_queue_len(queue), 1);
}

static void a_worker_is_woken_when_the_time_has_come(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    add_after("a", 100);
    start(&w, run_get, -1);
    await_waiters(1);
    advance(99);
    await_waiters(1);
    advance(1);
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "a");
}

static void an_earlier_time_is_noticed(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    add_after("late", 100);
    start(&w, run_get, -1);
    await_waiters(1);
    add_after("early", 50);
    advance(50);
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "early");
}

static void the_first_time_is_noticed(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    add_after("a", 50);
    advance(50);
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "a");
}

/* The first who waits keeps the time. */
static void who_keeps_the_time_leaves_it_to_another(void **state)
{
    worker first = {.began = NULL};
    worker second = {.began = NULL};

    (void)state;
    start(&first, run_get, 10);
    await_waiters(1);
    start(&second, run_get, WAIT_MS);
    await_waiters(2);
    add_after("a", 20);
    advance(10);
    assert_code(finish(&first), KIN_ETIMEOUT);
    advance(10);
    assert_code(finish(&second), 0);
    assert_string_equal(second.key, "a");
}

/* Who kept it left when there was no time to keep. */
static void a_time_that_comes_later_is_kept_too(void **state)
{
    worker first = {.began = NULL};
    worker second = {.began = NULL};

    (void)state;
    start(&first, run_get, 10);
    await_waiters(1);
    start(&second, run_get, WAIT_MS);
    await_waiters(2);
    advance(10);
    assert_code(finish(&first), KIN_ETIMEOUT);
    add_after("a", 20);
    advance(20);
    assert_code(finish(&second), 0);
    assert_string_equal(second.key, "a");
}

enum { N_WORKERS = 4 };

/* As many as there are keys work at the same time, though one is woken at a time. */
static void all_work_at_once(bool later)
{
    worker workers[N_WORKERS];
    kin_test_latch began;
    kin_test_latch go_on;

    kin_test_latch_init(&began);
    kin_test_latch_init(&go_on);
    for (size_t i = 0; i < N_WORKERS; i++) {
        workers[i] = (worker){.began = &began, .go_on = &go_on};
        start(&workers[i], run_get, WAIT_MS);
    }
    await_waiters(N_WORKERS);
    for (size_t i = 0; i < N_WORKERS; i++) {
        const char *key = (const char *[]){"a", "b", "c", "d"}[i];

        if (later)
            add_after(key, 10);
        else
            add(key);
    }
    if (later)
        advance(10);
    kin_test_latch_wait(&began, N_WORKERS);
    kin_test_latch_raise(&go_on);
    for (size_t i = 0; i < N_WORKERS; i++)
        assert_code(finish(&workers[i]), 0);
    kin_test_latch_done(&began);
    kin_test_latch_done(&go_on);
}

static void keys_wake_as_many_as_they_are(void **state)
{
    (void)state;
    all_work_at_once(false);
}

static void so_do_keys_whose_time_has_come(void **state)
{
    (void)state;
    all_work_at_once(true);
}

static void looking_wakes_who_has_to_take(void **state)
{
    worker w = {.began = NULL};

    (void)state;
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    add_after("a", 10);
    advance(10);
    (void)kin_work_queue_len(queue);
    assert_code(finish(&w), 0);
}

static void a_key_that_comes_back_wakes_somebody(void **state)
{
    worker w = {.began = NULL};
    kin_work_item *item = NULL;

    (void)state;
    add("a");
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    add("a");
    kin_work_queue_done(queue, item);
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "a");
}

static void on_add(void *arg)
{
    kin_test_latch_raise(arg);
}

/* Who waits has found that the time of a key has come, and has nothing to take for it. */
static void metrics_do_not_wait_for_a_key(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    worker w = {.began = NULL};
    kin_work_item *item = NULL;
    kin_test_latch added;

    (void)state;
    kin_test_latch_init(&added);
    kin_work_queue_free(queue);
    queue = NULL;
    metrics.adds_total = on_add;
    options.clock = fake;
    options.metrics = &metrics;
    options.metrics_arg = &added;
    assert_code(kin_work_queue_new(&queue, &options, NULL), 0);
    add("a");
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    add_after("a", 10);
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    advance(10);
    kin_test_latch_wait(&added, 2);
    await_waiters(1); /* it waits on */
    kin_work_queue_done(queue, item);
    assert_code(finish(&w), 0);
    kin_test_latch_done(&added);
}

struct held {
    pthread_t owner; /* who adds; others wait when they tell */
    kin_test_latch telling;
    kin_test_latch go_on;
};

static void hold_others(void *arg)
{
    struct held *h = arg;

    if (pthread_equal(h->owner, pthread_self()))
        return;
    kin_test_latch_raise(&h->telling);
    kin_test_latch_wait(&h->go_on, 1);
}

/* A wake-up of one who is telling metrics must not count as one that is still to come. */
static void who_tells_metrics_can_be_woken_again(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    struct held h = {.owner = pthread_self()};
    worker w = {.began = NULL};
    kin_work_item *item = NULL;

    (void)state;
    kin_test_latch_init(&h.telling);
    kin_test_latch_init(&h.go_on);
    kin_work_queue_free(queue);
    queue = NULL;
    metrics.adds_total = hold_others;
    options.clock = fake;
    options.metrics = &metrics;
    options.metrics_arg = &h;
    assert_code(kin_work_queue_new(&queue, &options, NULL), 0);
    add("a");
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    add_after("a", 10);
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    advance(10);
    kin_test_latch_wait(&h.telling, 1);
    add_after("b", 5); /* for who keeps the time, and is telling */
    kin_test_latch_raise(&h.go_on);
    await_waiters(1);
    add("c");
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "c");
    kin_work_queue_done(queue, item);
    kin_test_latch_done(&h.telling);
    kin_test_latch_done(&h.go_on);
}

static void the_shutdown_wakes_all(void **state)
{
    worker workers[N_WORKERS];

    (void)state;
    for (size_t i = 0; i < N_WORKERS; i++) {
        workers[i] = (worker){.began = NULL};
        start(&workers[i], run_get, WAIT_MS);
    }
    await_waiters(N_WORKERS);
    kin_work_queue_shut_down(queue);
    for (size_t i = 0; i < N_WORKERS; i++)
        assert_code(finish(&workers[i]), KIN_ECLOSED);
}

/* --- draining --- */

static void a_drain_waits_for_the_last_one(void **state)
{
    kin_work_item *a = NULL;
    kin_work_item *b = NULL;
    worker drainer = {.began = NULL};

    (void)state;
    add("a");
    add("b");
    assert_code(kin_work_queue_get(queue, &a, 0, NULL), 0);
    start(&drainer, run_drain, WAIT_MS);
    await_waiters(1);
    kin_work_queue_done(queue, a);
    assert_int_equal(drainer.code, 1); /* b is queued */
    assert_code(kin_work_queue_get(queue, &b, 0, NULL), 0);
    assert_int_equal(drainer.code, 1);
    kin_work_queue_done(queue, b);
    assert_code(finish(&drainer), 0);
}

static void a_drain_waits_for_what_comes_back(void **state)
{
    kin_work_item *item = NULL;
    worker drainer = {.began = NULL};

    (void)state;
    add("a");
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    add("a");
    start(&drainer, run_drain, WAIT_MS);
    await_waiters(1);
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), 0);
    assert_string_equal(kin_work_item_key(item).data, "a");
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), KIN_ECLOSED);
    assert_code(finish(&drainer), 0);
}

static void a_shutdown_releases_a_drain(void **state)
{
    worker drainers[2] = {{.began = NULL}, {.began = NULL}};
    kin_work_item *item = NULL;

    (void)state;
    add("a");
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    start(&drainers[0], run_drain, WAIT_MS);
    start(&drainers[1], run_drain, WAIT_MS);
    await_waiters(2);
    kin_work_queue_shut_down(queue); /* does not wait itself */
    assert_code(finish(&drainers[0]), KIN_ECANCELED);
    assert_code(finish(&drainers[1]), KIN_ECANCELED);
    start(&drainers[0], run_drain, WAIT_MS); /* and one that comes later waits again */
    await_waiters(1);
    kin_work_queue_done(queue, item);
    assert_code(finish(&drainers[0]), 0);
}

static void a_drain_waits_no_longer_than_it_is_to(void **state)
{
    worker drainer = {.began = NULL};

    (void)state;
    add("a");
    start(&drainer, run_drain, 10);
    await_waiters(1);
    advance(10);
    assert_code(finish(&drainer), KIN_ETIMEOUT);
}

/* --- memory --- */

enum {
    FLOOD = 5000,
    FLOOD_BYTES = FLOOD * 160, /* at least */
    TRIM_AFTER_MS = 10000,
};

static kin_work_item *items[FLOOD];

static void take_flood(void)
{
    char key[32];
    size_t n = 0;

    for (unsigned i = 0; i < FLOOD; i++) {
        snprintf(key, sizeof(key), "key-%u", i);
        add(key);
    }
    assert_code(kin_work_queue_get_batch(queue, items, &n, FLOOD, 0, NULL), 0);
    assert_int_equal(n, FLOOD);
}

static void await_little_memory(size_t before)
{
    int64_t deadline = kin_test_deadline();

    while (kin_test_alloc_bytes() > before + FLOOD_BYTES / 2)
        assert_true(kin_test_wait_turn(deadline));
}

static void who_waits_gives_memory_back(void **state)
{
    size_t before = kin_test_alloc_bytes();
    worker w = {.began = NULL};

    (void)state;
    take_flood();
    kin_work_queue_done_batch(queue, items, FLOOD);
    assert_true(kin_test_alloc_bytes() > before + FLOOD_BYTES);
    start(&w, run_get, -1);
    await_waiters(1);
    advance(TRIM_AFTER_MS);
    await_little_memory(before);
    add("a");
    assert_code(finish(&w), 0);
    assert_string_equal(w.key, "a");
}

/* He went to sleep when all of it was in use. */
static void who_waits_already_is_told_to_give_memory_back(void **state)
{
    size_t before = kin_test_alloc_bytes();
    kin_work_item *item = NULL;
    worker w = {.began = NULL};

    (void)state;
    take_flood();
    start(&w, run_get, WAIT_MS);
    await_waiters(1);
    kin_work_queue_done_batch(queue, items, FLOOD);
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), KIN_ETIMEOUT);
    advance(TRIM_AFTER_MS);
    await_little_memory(before);
    add("a");
    assert_code(finish(&w), 0);
}

/* Who was to do it left before. */
static void giving_memory_back_is_left_to_another(void **state)
{
    size_t before = kin_test_alloc_bytes();
    worker first = {.began = NULL};
    worker second = {.began = NULL};

    (void)state;
    take_flood();
    start(&first, run_get, TRIM_AFTER_MS / 2);
    await_waiters(1);
    start(&second, run_get, WAIT_MS);
    await_waiters(2);
    kin_work_queue_done_batch(queue, items, FLOOD);
    kin_work_item *item = NULL;
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), KIN_ETIMEOUT);
    advance(TRIM_AFTER_MS / 2);
    assert_code(finish(&first), KIN_ETIMEOUT);
    advance(TRIM_AFTER_MS / 2);
    await_little_memory(before);
    add("a");
    assert_code(finish(&second), 0);
}

#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_worker_waits_for_a_key),
        test(a_worker_waits_no_longer_than_it_wants),
        test(a_worker_is_woken_when_the_time_has_come),
        test(an_earlier_time_is_noticed),
        test(the_first_time_is_noticed),
        test(who_keeps_the_time_leaves_it_to_another),
        test(a_time_that_comes_later_is_kept_too),
        test(keys_wake_as_many_as_they_are),
        test(so_do_keys_whose_time_has_come),
        test(looking_wakes_who_has_to_take),
        test(a_key_that_comes_back_wakes_somebody),
        test(metrics_do_not_wait_for_a_key),
        test(who_tells_metrics_can_be_woken_again),
        test(the_shutdown_wakes_all),
        test(a_drain_waits_for_the_last_one),
        test(a_drain_waits_for_what_comes_back),
        test(a_shutdown_releases_a_drain),
        test(a_drain_waits_no_longer_than_it_is_to),
        test(who_waits_gives_memory_back),
        test(who_waits_already_is_told_to_give_memory_back),
        test(giving_memory_back_is_left_to_another),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
