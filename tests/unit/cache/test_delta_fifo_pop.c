/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking out of a DeltaFIFO: waiting, results, batches, closing, being synced, slow processing.
 * Waits go by a fake clock, which knows who waits.
 */
#include "delta_fifo_support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "kinform/memory.h"
#include "latch.h"

enum { WAIT_MS = 60000 }; /* fake milliseconds: over only when a test says so */

static kin_clock *fake;

static int set_up(void **state)
{
    (void)state;
    return kin_clock_new_fake(&fake, 0, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    kin_clock_unref(fake);
    return 0;
}

static void init_with_clock(queue *q, unsigned flags)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;

    options.clock = fake;
    queue_init_with(q, flags, options);
}

static void await_waiters(size_t n)
{
    assert_code(kin_clock_await_waiters(fake, n, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

/* --- a thread that pops or waits once --- */

typedef struct consumer {
    queue *q;
    pthread_t thread;
    int code;
    char text[256]; /* what came */
    kin_test_latch began;
    kin_test_latch go_on; /* the processing waits for it, if it holds */
    bool holds;
} consumer;

static int consume(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    consumer *c = arg;

    (void)is_initial_list;
    (void)err;
    queue_describe(deltas->items, deltas->len, c->text, sizeof(c->text));
    kin_test_latch_raise(&c->began);
    if (c->holds)
        kin_test_latch_wait(&c->go_on, 1);
    return 0;
}

static void *run_pop(void *arg)
{
    consumer *c = arg;

    c->code = kin_delta_fifo_pop(c->q->fifo, consume, c, WAIT_MS, NULL);
    return NULL;
}

static void *run_wait_synced(void *arg)
{
    consumer *c = arg;

    c->code = kin_delta_fifo_wait_synced(c->q->fifo, WAIT_MS, NULL);
    return NULL;
}

static void start(consumer *c, queue *q, void *(*run)(void *), bool holds)
{
    memset(c, 0, sizeof(*c));
    c->q = q;
    c->holds = holds;
    c->code = 1;
    kin_test_latch_init(&c->began);
    kin_test_latch_init(&c->go_on);
    assert_int_equal(pthread_create(&c->thread, NULL, run, c), 0);
}

static int finish(consumer *c)
{
    assert_int_equal(pthread_join(c->thread, NULL), 0);
    kin_test_latch_done(&c->began);
    kin_test_latch_done(&c->go_on);
    return c->code;
}

/* --- waiting --- */

static void a_pop_waits_for_a_key(void **state)
{
    consumer c;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    start(&c, &q, run_pop, false);
    await_waiters(1);
    queue_add(&q, "a:1");
    assert_code(finish(&c), 0);
    assert_string_equal(c.text, "Added=1");
    queue_done(&q);
}

static void a_pop_waits_no_longer_than_it_was_told(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    consumer c;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    start(&c, &q, run_pop, false);
    await_waiters(1);
    assert_code(kin_clock_advance(fake, (int64_t)(WAIT_MS - 1) * 1000000, NULL), 0);
    await_waiters(1);
    assert_code(kin_clock_advance(fake, 1000000, NULL), 0);
    assert_code(finish(&c), KIN_ETIMEOUT);
    assert_code(kin_delta_fifo_pop(q.fifo, queue_process, &q, 0, &err), KIN_ETIMEOUT);
    assert_code(err.code, KIN_ETIMEOUT);
    assert_true(err.message[0] != '\0');
    queue_done(&q);
}

/* Beyond what the clock can count, a timeout is for ever. */
static void a_very_long_timeout_does_not_overflow(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_add(&q, "a:1");
    assert_code(kin_delta_fifo_pop(q.fifo, queue_process, &q, INT64_MAX, NULL), 0);
    assert_code(kin_delta_fifo_wait_synced(q.fifo, INT64_MAX, NULL), 0);
    queue_done(&q);
}

static void each_key_wakes_somebody(void **state)
{
    consumer consumers[3];
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    for (unsigned i = 0; i < 3; i++)
        start(&consumers[i], &q, run_pop, false);
    await_waiters(3);
    queue_replace(&q, "a:1 b:1 c:1");
    for (unsigned i = 0; i < 3; i++) {
        assert_code(finish(&consumers[i]), 0);
        assert_string_equal(consumers[i].text, "Sync=1");
    }
    queue_done(&q);
}

/* Who sleeps because the only key is in flight is woken when it lands. */
static void a_key_that_lands_wakes_who_waits_for_it(void **state)
{
    consumer first;
    consumer second;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_add(&q, "a:1");
    start(&first, &q, run_pop, true);
    kin_test_latch_wait(&first.began, 1);
    queue_update(&q, "a:2");
    start(&second, &q, run_pop, false);
    await_waiters(1);
    kin_test_latch_raise(&first.go_on);
    assert_code(finish(&first), 0);
    assert_code(finish(&second), 0);
    assert_string_equal(first.text, "Added=1");
    assert_string_equal(second.text, "Updated=2");
    queue_done(&q);
}

/* --- results --- */

typedef struct answer {
    int code;
    int said; /* what it puts into the error; 0: nothing */
} answer;

static int give_answer(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    const answer *a = arg;

    (void)deltas;
    (void)is_initial_list;
    if (a->said)
        kin_error_set(err, a->said, "the processing said so");
    return a->code;
}

static void what_the_processing_returns_is_what_the_pop_returns(void **state)
{
    static const struct {
        answer answer;
        int expected;
        bool requeued;
        const char *message; /* NULL: there is some */
    } cases[] = {
        {{0, 0}, 0, false, ""},
        {{0, KIN_ERANGE}, 0, false, ""}, /* it has changed its mind */
        {{KIN_ERANGE, KIN_ERANGE}, KIN_ERANGE, false, "the processing said so"},
        {{KIN_ERANGE, 0}, KIN_ERANGE, false, NULL},
        {{KIN_EREQUEUE, 0}, 0, true, ""},
        {{KIN_EREQUEUE, KIN_EREQUEUE}, 0, true, ""},
        {{KIN_EREQUEUE, KIN_ETYPE}, KIN_ETYPE, true, "the processing said so"},
        {{7, 0}, KIN_EINVAL, false, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        answer a = cases[i].answer;
        kin_error err = KIN_ERROR_INIT;
        queue q;

        init_with_clock(&q, 0);
        queue_add(&q, "a:1");
        assert_code(kin_delta_fifo_pop(q.fifo, give_answer, &a, 0, &err), cases[i].expected);
        assert_code(err.code, cases[i].expected);
        if (cases[i].message)
            assert_string_equal(err.message, cases[i].message);
        else
            assert_true(err.message[0] != '\0');
        assert_string_equal(queue_pop(&q), cases[i].requeued ? "a Added=1" : "KIN_ETIMEOUT");
        /* The error may be NULL. */
        queue_add(&q, "b:1");
        assert_code(kin_delta_fifo_pop(q.fifo, give_answer, &a, 0, NULL), cases[i].expected);
        queue_done(&q);
    }
}

/* --- batches --- */

static void a_batch_takes_what_is_there(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    queue_add(&q, "b:1");
    queue_add(&q, "c:1");
    assert_string_equal(queue_pop_batch(&q, 2), "a Added=1 Updated=2 b Added=1");
    assert_string_equal(queue_pop_batch(&q, 2), "c Added=1");
    assert_int_equal(q.n_processed, 2);
    assert_string_equal(queue_pop_batch(&q, 2), "KIN_ETIMEOUT");
    kin_delta_fifo_close(q.fifo);
    assert_string_equal(queue_pop_batch(&q, 2), "KIN_ECLOSED");
    queue_done(&q);
}

static size_t n_in_batch;

static int count_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                       kin_error *err)
{
    (void)deltas;
    (void)is_initial_list;
    (void)arg;
    (void)err;
    n_in_batch = n;
    return 0;
}

static void a_batch_has_a_size_of_its_own(void **state)
{
    char text[32];
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    for (unsigned i = 0; i < 1001; i++) {
        snprintf(text, sizeof(text), "k%u:1", i);
        queue_add(&q, text);
    }
    assert_code(kin_delta_fifo_pop_batch(q.fifo, count_batch, NULL, 0, 0, NULL), 0);
    assert_int_equal(n_in_batch, 1000);
    assert_code(kin_delta_fifo_pop_batch(q.fifo, count_batch, NULL, 0, 0, NULL), 0);
    assert_int_equal(n_in_batch, 1);
    queue_done(&q);
}

static void the_first_list_and_others_do_not_come_together(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_replace(&q, "a:1 b:1 c:1");
    queue_add(&q, "d:1");
    queue_add(&q, "e:1");
    assert_string_equal(queue_pop_batch(&q, 2), "a Sync=1 b Sync=1");
    assert_true(q.initial);
    assert_false(queue_has_synced(&q));
    assert_string_equal(queue_pop_batch(&q, 10), "c Sync=1");
    assert_true(q.initial);
    assert_true(queue_has_synced(&q));
    assert_string_equal(queue_pop_batch(&q, 10), "d Added=1 e Added=1");
    assert_false(q.initial);
    queue_done(&q);
}

static void a_batch_before_any_list_is_part_of_the_first(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_resync(&q);
    assert_string_equal(queue_pop_batch(&q, 10), "a Sync=1");
    assert_true(q.initial);
    assert_false(queue_has_synced(&q));
    queue_done(&q);
}

static void update_a_and_b(queue *q)
{
    assert_false(queue_has_synced(q));
    assert_string_equal(queue_keys(q), "a b c");
    q->result = 0;
    assert_string_equal(queue_pop_batch(q, 1), "c Added=1");
    q->result = KIN_EREQUEUE;
    queue_update(q, "b:2");
    queue_update(q, "a:2");
    assert_string_equal(queue_pop_batch(q, 10), "KIN_ETIMEOUT");
}

static void a_batch_is_requeued_as_a_whole(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_replace(&q, "a:1 b:1");
    queue_add(&q, "c:1");
    q.during = update_a_and_b;
    q.result = KIN_EREQUEUE;
    assert_string_equal(queue_pop_batch(&q, 10), "a Sync=1 b Sync=1");
    q.result = 0;
    assert_true(queue_has_synced(&q));
    assert_string_equal(queue_get(&q, "a"), "Sync=1 Updated=2");
    assert_string_equal(queue_get(&q, "b"), "Sync=1 Updated=2");
    assert_string_equal(queue_get(&q, "c"), "none");
    queue_done(&q);
}

static void a_requeued_batch_keeps_its_order(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_replace(&q, "a:1 b:1 c:1 d:1");
    q.result = KIN_EREQUEUE;
    assert_string_equal(queue_pop_batch(&q, 3), "a Sync=1 b Sync=1 c Sync=1");
    assert_string_equal(queue_keys(&q), "d a b c");
    queue_done(&q);
}

static void a_batch_that_fails_is_gone(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_replace(&q, "a:1 b:1");
    q.result = KIN_ERANGE;
    assert_string_equal(queue_pop_batch(&q, 3), "KIN_ERANGE");
    assert_string_equal(queue_keys(&q), "");
    assert_true(queue_has_synced(&q));
    queue_done(&q);
}

/* Who says no limit means what is there. */
static void a_batch_may_be_of_any_size(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    assert_string_equal(queue_pop_batch(&q, SIZE_MAX), "KIN_ETIMEOUT");
    queue_add(&q, "a:1");
    queue_add(&q, "b:1");
    assert_string_equal(queue_pop_batch(&q, SIZE_MAX), "a Added=1 b Added=1");
    assert_string_equal(queue_keys(&q), "");
    queue_done(&q);
}

/* An allocation that takes until it is let go on. The allocator itself must not use the library. */
static struct {
    atomic_bool armed;
    kin_test_latch asked;
    kin_test_latch go_on;
} slow_allocation;

static void *alloc_slowly(size_t size, void *arg)
{
    (void)arg;
    if (atomic_exchange(&slow_allocation.armed, false)) {
        kin_test_latch_raise(&slow_allocation.asked);
        kin_test_latch_wait(&slow_allocation.go_on, 1);
    }
    return malloc(size);
}

static void *realloc_slowly(void *ptr, size_t size, void *arg)
{
    return ptr ? realloc(ptr, size) : alloc_slowly(size, arg);
}

static void free_it(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

static void install_allocator(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;

    allocator.alloc = alloc_slowly;
    allocator.realloc = realloc_slowly;
    allocator.free = free_it;
    if (kin_set_allocator(&allocator, NULL) < 0)
        abort();
}

static int consume_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    assert_int_equal(n, 1);
    return consume(deltas, is_initial_list, arg, err);
}

static void *run_pop_batch(void *arg)
{
    consumer *c = arg;

    c->code = kin_delta_fifo_pop_batch(c->q->fifo, consume_batch, c, 0, WAIT_MS, NULL);
    return NULL;
}

/* Somebody else is faster while it makes room: it waits again. */
static void a_batch_takes_what_is_left(void **state)
{
    consumer c;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    kin_test_latch_init(&slow_allocation.asked);
    kin_test_latch_init(&slow_allocation.go_on);
    queue_add(&q, "a:1");
    atomic_store(&slow_allocation.armed, true);
    start(&c, &q, run_pop_batch, false);
    kin_test_latch_wait(&slow_allocation.asked, 1);
    assert_string_equal(queue_pop(&q), "a Added=1");
    kin_test_latch_raise(&slow_allocation.go_on);
    await_waiters(1);
    queue_add(&q, "b:2");
    assert_code(finish(&c), 0);
    assert_string_equal(c.text, "Added=2");
    kin_test_latch_done(&slow_allocation.asked);
    kin_test_latch_done(&slow_allocation.go_on);
    queue_done(&q);
}

/* --- closing --- */

static void closing_wakes_everybody(void **state)
{
    consumer consumers[4];
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    for (unsigned i = 0; i < 4; i++)
        start(&consumers[i], &q, i < 3 ? run_pop : run_wait_synced, false);
    await_waiters(4);
    assert_false(kin_delta_fifo_is_closed(q.fifo));
    kin_delta_fifo_close(q.fifo);
    assert_true(kin_delta_fifo_is_closed(q.fifo));
    for (unsigned i = 0; i < 4; i++)
        assert_code(finish(&consumers[i]), KIN_ECLOSED);
    kin_delta_fifo_close(q.fifo); /* again */
    queue_done(&q);
}

static void a_closed_queue_hands_out_what_it_has_and_takes_more(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    queue q;

    (void)state;
    init_with_clock(&q, QUEUE_KNOWN);
    queue_replace(&q, "a:1 b:1");
    kin_delta_fifo_close(q.fifo);
    assert_string_equal(queue_pop(&q), "a Sync=1");
    queue_delete(&q, "a:2");
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "b Sync=1");
    assert_string_equal(queue_pop(&q), "a Deleted=2");
    assert_string_equal(queue_pop(&q), "b Sync=1");
    assert_string_equal(queue_pop(&q), "KIN_ECLOSED");
    assert_code(kin_delta_fifo_pop(q.fifo, queue_process, &q, -1, &err), KIN_ECLOSED);
    assert_code(err.code, KIN_ECLOSED);
    queue_resync(&q);
    assert_string_equal(queue_pop(&q), "b Sync=1");
    queue_done(&q);
}

/* What is blocked is in line again soon: nobody is told that it was the end before. */
static void hand_out_what_is_blocked(bool close_first)
{
    consumer holder;
    consumer others[2];
    unsigned closed = 0;
    queue q;

    init_with_clock(&q, 0);
    queue_add(&q, "a:1");
    start(&holder, &q, run_pop, true);
    kin_test_latch_wait(&holder.began, 1);
    queue_update(&q, "a:2");
    if (close_first)
        kin_delta_fifo_close(q.fifo);
    for (unsigned i = 0; i < 2; i++)
        start(&others[i], &q, run_pop, false);
    await_waiters(2);
    if (!close_first)
        kin_delta_fifo_close(q.fifo);
    kin_test_latch_raise(&holder.go_on);
    assert_code(finish(&holder), 0);
    /* One of them gets it; the other one learns that nothing is left. */
    for (unsigned i = 0; i < 2; i++) {
        int code = finish(&others[i]);

        closed += code == KIN_ECLOSED;
        assert_string_equal(others[i].text, code == 0 ? "Updated=2" : "");
    }
    assert_int_equal(closed, 1);
    queue_done(&q);
}

static void a_closed_queue_hands_out_what_is_blocked(void **state)
{
    (void)state;
    hand_out_what_is_blocked(true);
    hand_out_what_is_blocked(false);
}

static void close_it(queue *q)
{
    kin_delta_fifo_close(q->fifo);
    assert_string_equal(queue_pop(q), "KIN_ECLOSED");
}

static void a_processing_may_close_its_queue(void **state)
{
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_add(&q, "a:1");
    assert_string_equal(queue_pop_during(&q, close_it), "a Added=1");
    assert_string_equal(queue_pop(&q), "KIN_ECLOSED");
    queue_done(&q);
}

static int close_in_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    queue *q = arg;

    kin_delta_fifo_close(q->fifo);
    return kin_store_each(q->store, visit, visit_arg, err);
}

static int never_has(void *arg, kin_str key, kin_error *err)
{
    (void)arg;
    (void)key;
    (void)err;
    return KIN_ENOTFOUND;
}

static void closing_during_a_list_loses_nothing(void **state)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    queue q;

    (void)state;
    known.has = never_has;
    known.each = close_in_each;
    known.arg = &q;
    options.known = &known;
    queue_init_with(&q, QUEUE_REPLACED, options);
    queue_know(&q, "b:1");
    queue_replace(&q, "a:1");
    assert_true(kin_delta_fifo_is_closed(q.fifo));
    assert_code(kin_delta_fifo_wait_synced(q.fifo, -1, NULL), KIN_ECLOSED);
    assert_string_equal(queue_pop(&q), "a Replaced=1");
    assert_string_equal(queue_pop(&q), "b Deleted=~1");
    assert_code(kin_delta_fifo_wait_synced(q.fifo, -1, NULL), 0);
    assert_string_equal(queue_pop(&q), "KIN_ECLOSED");
    queue_done(&q);
}

/* --- synced --- */

static void synced_is_when_the_last_of_the_first_list_was_processed(void **state)
{
    consumer consumers[2];
    consumer waiter;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    queue_replace(&q, "a:1 b:1");
    start(&waiter, &q, run_wait_synced, false);
    await_waiters(1);
    for (unsigned i = 0; i < 2; i++) {
        start(&consumers[i], &q, run_pop, true);
        kin_test_latch_wait(&consumers[i].began, 1);
    }
    /* Both are taken, none is processed: it still waits. */
    await_waiters(1);
    assert_false(queue_has_synced(&q));
    kin_test_latch_raise(&consumers[1].go_on);
    assert_code(finish(&consumers[1]), 0);
    await_waiters(1);
    assert_false(queue_has_synced(&q));
    assert_int_equal(waiter.code, 1);
    kin_test_latch_raise(&consumers[0].go_on);
    assert_code(finish(&consumers[0]), 0);
    assert_code(finish(&waiter), 0);
    assert_true(queue_has_synced(&q));
    queue_done(&q);
}

static void what_is_put_in_first_ends_the_wait(void **state)
{
    static void (*const puts[])(queue *, const char *) = {queue_add, queue_update, queue_delete,
                                                          queue_replace};
    static const char *const texts[] = {"a:1", "a:1", "a:1", ""};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        consumer waiter;
        queue q;

        init_with_clock(&q, 0);
        start(&waiter, &q, run_wait_synced, false);
        await_waiters(1);
        puts[i](&q, texts[i]);
        assert_code(finish(&waiter), 0);
        queue_done(&q);
    }
}

static void waiting_for_it_has_an_end(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    consumer waiter;
    queue q;

    (void)state;
    init_with_clock(&q, 0);
    start(&waiter, &q, run_wait_synced, false);
    await_waiters(1);
    assert_code(kin_clock_advance(fake, (int64_t)WAIT_MS * 1000000, NULL), 0);
    assert_code(finish(&waiter), KIN_ETIMEOUT);
    assert_code(kin_delta_fifo_wait_synced(q.fifo, 0, &err), KIN_ETIMEOUT);
    assert_code(err.code, KIN_ETIMEOUT);
    kin_delta_fifo_close(q.fifo);
    assert_code(kin_delta_fifo_wait_synced(q.fifo, 0, &err), KIN_ECLOSED);
    assert_code(err.code, KIN_ECLOSED);
    queue_add(&q, "a:1");
    assert_code(kin_delta_fifo_wait_synced(q.fifo, 0, NULL), 0); /* closed, but it has */
    queue_done(&q);
}

/* --- slow processing --- */

typedef struct log_seen {
    unsigned n;
    char text[512];
} log_seen;

static void note_record(const kin_log_record *record, void *arg)
{
    log_seen *seen = arg;

    seen->n++;
    kin_log_format(record, seen->text, sizeof(seen->text));
}

static int64_t takes_ms;

static void take_time(queue *q)
{
    (void)q;
    assert_code(kin_clock_advance(fake, takes_ms * 1000000, NULL), 0);
}

/* Records of a pop that takes so long while so many others wait. */
static unsigned slow_records(int64_t slow_ms, unsigned n_waiting, int64_t ms, bool batch,
                             log_seen *seen)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    char text[32];
    queue q;

    memset(seen, 0, sizeof(*seen));
    options.clock = fake;
    options.name = "the-queue";
    options.slow_ms = slow_ms;
    assert_code(kin_logger_new(&options.logger, KIN_LOG_INFO, note_record, seen, NULL, NULL), 0);
    queue_init_with(&q, 0, options);
    kin_logger_unref(options.logger);
    for (unsigned i = 0; i <= n_waiting + batch; i++) {
        snprintf(text, sizeof(text), "k%u:1", i);
        queue_add(&q, text);
    }
    takes_ms = ms;
    q.during = take_time;
    assert_string_not_equal(batch ? queue_pop_batch(&q, 2) : queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
    return seen->n;
}

static void slow_processing_is_told(void **state)
{
    log_seen seen;

    (void)state;
    assert_int_equal(slow_records(0, 11, 100, false, &seen), 1);
    assert_non_null(strstr(seen.text, "queue=the-queue"));
    assert_non_null(strstr(seen.text, "key=k0"));
    assert_non_null(strstr(seen.text, "keys=1"));
    assert_non_null(strstr(seen.text, "waiting=11"));
    assert_non_null(strstr(seen.text, "ms=100"));
    assert_int_equal(slow_records(0, 11, 99, false, &seen), 0);
    assert_int_equal(slow_records(0, 10, 1000, false, &seen), 0); /* few are held up */
    assert_int_equal(slow_records(5, 11, 5, false, &seen), 1);
    assert_int_equal(slow_records(5, 11, 4, false, &seen), 0);
    assert_int_equal(slow_records(-1, 11, 1000000, false, &seen), 0);
    assert_int_equal(slow_records(INT64_MAX, 11, 1000000, false, &seen), 0);
    assert_int_equal(slow_records(0, 11, 100, true, &seen), 1);
    assert_non_null(strstr(seen.text, "keys=2"));
    assert_int_equal(slow_records(0, 10, 100, true, &seen), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pop_waits_for_a_key),
        cmocka_unit_test(a_pop_waits_no_longer_than_it_was_told),
        cmocka_unit_test(a_very_long_timeout_does_not_overflow),
        cmocka_unit_test(each_key_wakes_somebody),
        cmocka_unit_test(a_key_that_lands_wakes_who_waits_for_it),
        cmocka_unit_test(what_the_processing_returns_is_what_the_pop_returns),
        cmocka_unit_test(a_batch_takes_what_is_there),
        cmocka_unit_test(a_batch_has_a_size_of_its_own),
        cmocka_unit_test(the_first_list_and_others_do_not_come_together),
        cmocka_unit_test(a_batch_before_any_list_is_part_of_the_first),
        cmocka_unit_test(a_batch_is_requeued_as_a_whole),
        cmocka_unit_test(a_requeued_batch_keeps_its_order),
        cmocka_unit_test(a_batch_that_fails_is_gone),
        cmocka_unit_test(a_batch_may_be_of_any_size),
        cmocka_unit_test(a_batch_takes_what_is_left),
        cmocka_unit_test(closing_wakes_everybody),
        cmocka_unit_test(a_closed_queue_hands_out_what_it_has_and_takes_more),
        cmocka_unit_test(a_closed_queue_hands_out_what_is_blocked),
        cmocka_unit_test(a_processing_may_close_its_queue),
        cmocka_unit_test(closing_during_a_list_loses_nothing),
        cmocka_unit_test(synced_is_when_the_last_of_the_first_list_was_processed),
        cmocka_unit_test(what_is_put_in_first_ends_the_wait),
        cmocka_unit_test(waiting_for_it_has_an_end),
        cmocka_unit_test(slow_processing_is_told),
    };

    install_allocator();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
