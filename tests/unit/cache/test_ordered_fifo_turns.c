/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO: who waits for whom, what is in flight, and what comes while known objects are
 * asked. Process functions and known objects do what another thread might do, or wait for one.
 */
#include "kin_test.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/thread.h"
#include "cache/ordered_fifo.h"
#include "fifo_support.h"
#include "item.h"

/* A thread that does one thing to the queue. */
struct other {
    kin__thread thread;
    struct trace trace;
    enum { POP, POP_BATCH, WAIT_SYNCED, REPLACE, RESYNC } what;
    int code;
};

struct fixture {
    struct trace trace;
    struct known known;
    kin_clock *clock;
    struct other others[3];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    f->trace.arg = f;
    f->known.arg = f;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    kin_ordered_fifo_free(f->trace.ordered);
    kin_clock_unref(f->clock);
    free(f);
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

/* A queue that knows what the text says; NULL: an atomic one. */
static struct fixture *use(void **state, const char *known)
{
    struct fixture *f = *state;
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects objects = known_objects_of(&f->known);

    kin_ordered_fifo_free(f->trace.ordered);
    f->known.text = known;
    options.clock = f->clock;
    options.known = known ? &objects : NULL;
    options.emit_bookmarks = !known;
    assert_code(kin_ordered_fifo_new(&f->trace.ordered, &options, NULL), 0);
    return f;
}

static struct fixture *fixture_of(struct trace *trace)
{
    return trace->arg;
}

static void add(struct fixture *f, const char *key, unsigned version)
{
    assert_code(ordered_put(f->trace.ordered, KIN_DELTA_ADDED, key, version), 0);
}

static void do_it(void *arg)
{
    struct other *o = arg;
    kin_ordered_fifo *fifo = o->trace.ordered;

    switch (o->what) {
    case POP:
        o->code = kin_ordered_fifo_pop(fifo, note_deltas, &o->trace, 1000, NULL);
        break;
    case POP_BATCH:
        o->code = kin_ordered_fifo_pop_batch(fifo, note_batch, &o->trace, 0, 1000, NULL);
        break;
    case WAIT_SYNCED:
        o->code = kin_ordered_fifo_wait_synced(fifo, 1000, NULL);
        break;
    case REPLACE:
        o->code = ordered_replace(fifo, "listed 1", "1");
        break;
    case RESYNC:
        o->code = kin_ordered_fifo_resync(fifo, NULL);
        break;
    }
}

static void await_claims(kin_ordered_fifo *fifo, size_t n)
{
    size_t claims;

    do {
        sched_yield();
        kin__mutex_lock(&fifo->line.lock);
        claims = fifo->n_claims;
        kin__mutex_unlock(&fifo->line.lock);
    } while (claims < n);
}

/* Start the i-th and wait until it waits: `n` others do then. */
static struct other *start(struct fixture *f, unsigned i, int what, unsigned n)
{
    struct other *o = &f->others[i];

    o->trace.ordered = f->trace.ordered;
    o->what = what;
    o->code = 1;
    assert_code(kin__thread_start(&o->thread, "kin-other", do_it, o, NULL), 0);
    if (what == REPLACE || what == RESYNC)
        await_claims(f->trace.ordered, n);
    else
        assert_code(kin_clock_await_waiters(f->clock, n, KIN_TEST_TIMEOUT_MS, NULL), 0);
    return o;
}

static void finish(struct fixture *f, unsigned i, int code, const char *text)
{
    struct other *o = &f->others[i];

    kin__thread_join(&o->thread, NULL);
    assert_code(o->code, code);
    assert_string_equal(o->trace.text, text);
    memset(&o->trace, 0, sizeof(o->trace));
}

/* Pop once; the process function does `during` and returns `result`. */
static void pop(struct fixture *f, void (*during)(struct trace *trace), int result)
{
    trace_reset(&f->trace);
    f->trace.during = during;
    f->trace.result = result;
    assert_code(kin_ordered_fifo_pop(f->trace.ordered, note_deltas, &f->trace, 0, NULL), 0);
    f->trace.during = NULL;
    f->trace.result = 0;
}

static void pop_batch(struct fixture *f, void (*during)(struct trace *trace), int result)
{
    trace_reset(&f->trace);
    f->trace.during = during;
    f->trace.result = result;
    assert_code(kin_ordered_fifo_pop_batch(f->trace.ordered, note_batch, &f->trace, 0, 0, NULL), 0);
    f->trace.during = NULL;
    f->trace.result = 0;
}

/* --- pops take turns --- */

static void let_others_pop(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    start(f, 0, POP, 1);
    assert_int_equal(f->others[0].trace.n, 0);
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 1);
}

static void the_next_pop_begins_when_the_last_has_returned(void **state)
{
    static const char *const known[] = {"", NULL};

    for (unsigned i = 0; i < 2; i++) {
        struct fixture *f = use(state, known[i]);

        add(f, "a", 1);
        add(f, "b", 2);
        pop(f, let_others_pop, 0);
        finish(f, 0, 0, "Added b 2");
    }
}

static void let_others_pop_a_batch(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    start(f, 0, POP_BATCH, 1);
    add(f, "a", 3);
    add(f, "b", 4);
}

static void batches_take_turns_too(void **state)
{
    struct fixture *f = use(state, "");

    add(f, "a", 1);
    add(f, "b", 2);
    pop_batch(f, let_others_pop_a_batch, 0);
    assert_string_equal(f->trace.text, "{Added a 1, Added b 2}");
    finish(f, 0, 0, "{Added a 3, Added b 4}");
}

static void all_who_wait_are_woken_in_turn(void **state)
{
    struct fixture *f = use(state, NULL);

    for (unsigned i = 0; i < 3; i++)
        start(f, i, i == 1 ? POP_BATCH : POP, i + 1);
    /* Whoever is woken first wakes the next. */
    add(f, "a", 1);
    add(f, "a", 2);
    add(f, "a", 3);
    for (unsigned i = 0; i < 3; i++) {
        kin__thread_join(&f->others[i].thread, NULL);
        assert_code(f->others[i].code, 0);
    }
    assert_int_equal(kin_ordered_fifo_len(f->trace.ordered), 0);
}

static void pop_again(struct trace *trace)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, -1, &err), KIN_EBUSY);
    assert_true(err.message[0] != '\0');
    assert_code(kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, 0, -1, NULL),
                KIN_EBUSY);
}

static void a_process_function_does_not_pop(void **state)
{
    struct fixture *f = use(state, NULL);

    add(f, "a", 1);
    add(f, "b", 2);
    pop(f, pop_again, 0);
    assert_string_equal(drain_ordered(&f->trace), "Added b 2");
    add(f, "c", 3);
    pop_batch(f, pop_again, 0);
    assert_string_equal(f->trace.text, "{Added c 3}");
}

static void put_everything_in(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    add(f, "b", 2);
    assert_code(ordered_replace(trace->ordered, "c 3", "9"), 0);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("10"), NULL), 0);
}

static void a_process_function_may_put_in(void **state)
{
    struct fixture *f = use(state, NULL);

    add(f, "a", 1);
    pop(f, put_everything_in, 0);
    assert_string_equal(drain_ordered(&f->trace),
                        "Added b 2, ReplacedAll 9 [c 3], SyncAll, Bookmark 10");
}

static void replace_and_resync(struct trace *trace)
{
    struct items items = items_of("x 1");
    kin_replace *replacement = NULL;

    assert_code(ordered_replace(trace->ordered, "c 3", "9"), KIN_EBUSY);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), KIN_EBUSY);
    assert_code(kin_ordered_fifo_replace_begin(trace->ordered, &replacement, NULL), 0);
    assert_code(kin_replace_add(replacement, items.items[0], NULL), 0);
    assert_code(kin_replace_commit(replacement, kin_str_of("9"), NULL), KIN_EBUSY);
    items_done(&items);
    trace->arg = replacement;
}

static void a_process_function_does_not_ask_known_objects(void **state)
{
    struct fixture *f = use(state, "k 1");

    add(f, "a", 1);
    pop(f, replace_and_resync, 0);
    assert_int_equal(f->known.asked, 0);
    /* It can be tried again. */
    assert_code(kin_replace_commit(f->trace.arg, kin_str_of("9"), NULL), 0);
    assert_string_equal(drain_ordered(&f->trace), "Deleted k (1), Replaced x 1");
}

/* --- replacements and resyncs take turns --- */

static void let_others_replace_and_pop(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    start(f, 0, POP, 1);
    start(f, 1, REPLACE, 1);
    start(f, 2, RESYNC, 2);
    assert_int_equal(f->known.asked, 0);
}

static void nothing_was_processed(struct known *known)
{
    struct fixture *f = known->arg;

    assert_int_equal(f->others[0].trace.n, 0);
}

static void lists_come_before_those_who_pop(void **state)
{
    struct fixture *f = use(state, "k 1");

    f->known.before = nothing_was_processed;
    f->known.after = nothing_was_processed;
    add(f, "a", 1);
    add(f, "b", 2);
    pop(f, let_others_replace_and_pop, 0);
    finish(f, 0, 0, "Added b 2");
    finish(f, 1, 0, "");
    finish(f, 2, 0, "");
    assert_int_equal(f->known.asked, 2);
    drain_ordered(&f->trace);
    /* Which of the two came first is open: with SYNC queued, the list deletes it from there. */
    if (strcmp(f->trace.text, "Deleted b (2), Deleted k (1), Replaced listed 1") != 0)
        assert_string_equal(f->trace.text,
                            "Sync k 1, Deleted b (2), Deleted k (1), Replaced listed 1");
}

static void let_others_replace(struct trace *trace)
{
    start(fixture_of(trace), 1, REPLACE, 1);
}

static void lists_were_asked_for(struct trace *trace)
{
    assert_int_equal(fixture_of(trace)->known.asked, 1);
}

static void who_pops_again_at_once_does_not_keep_lists_out(void **state)
{
    struct fixture *f = use(state, "k 1");

    add(f, "a", 1);
    add(f, "b", 2);
    pop(f, let_others_replace, 0);
    f->trace.during = lists_were_asked_for;
    assert_code(kin_ordered_fifo_pop(f->trace.ordered, note_deltas, &f->trace, -1, NULL), 0);
    f->trace.during = NULL;
    finish(f, 1, 0, "");
    assert_string_equal(drain_ordered(&f->trace),
                        "Deleted b (2), Deleted k (1), Replaced listed 1");
}

static void start_a_pop(struct known *known)
{
    struct fixture *f = known->arg;

    start(f, 0, POP, 1);
    add(f, "late", 3);
}

static void nothing_is_processed_while_known_objects_are_asked(void **state)
{
    struct fixture *f = use(state, "k 1");

    f->known.before = start_a_pop;
    f->known.after = nothing_was_processed;
    add(f, "a", 1);
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), 0);
    finish(f, 0, 0, "Added a 1");
    assert_string_equal(drain_ordered(&f->trace), "Added late 3, Sync k 1");
}

static void come_late(struct known *known)
{
    struct fixture *f = known->arg;

    add(f, "k", 9);
    add(f, "listed", 8);
    add(f, "new", 7);
    assert_code(ordered_put(f->trace.ordered, KIN_DELTA_DELETED, "gone", 6), 0);
}

static void what_comes_during_a_replacement_is_before_it(void **state)
{
    static const char *const expected =
        "Added k 9, Added listed 8, Added new 7, Deleted gone 6, Deleted k (9), Deleted new (7), "
        "Deleted other (2), Replaced listed 1, Replaced fresh 2";

    for (unsigned i = 0; i < 2; i++) {
        struct fixture *f = use(state, "k 1, other 2, gone 3, listed 4");

        /* Before the known state is looked at, or after it. */
        f->known.before = i ? NULL : come_late;
        f->known.after = i ? come_late : NULL;
        assert_code(ordered_replace(f->trace.ordered, "listed 1, fresh 2", "1"), 0);
        assert_string_equal(drain_ordered(&f->trace), expected);
        assert_int_equal(kin__map_len(&f->trace.ordered->keys), 0);
    }
}

static void what_comes_during_a_resync_is_not_followed_by_an_old_state(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct fixture *f = use(state, "k 1, other 2, gone 3");

        f->known.before = i ? NULL : come_late;
        f->known.after = i ? come_late : NULL;
        assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), 0);
        assert_string_equal(drain_ordered(&f->trace),
                            "Added k 9, Added listed 8, Added new 7, Deleted gone 6, Sync other 2");
        assert_int_equal(kin__map_len(&f->trace.ordered->keys), 0);
    }
}

static void use_the_queue(struct known *known)
{
    struct fixture *f = known->arg;
    struct trace inner = {.ordered = f->trace.ordered};

    assert_code(kin_ordered_fifo_pop(inner.ordered, note_deltas, &inner, -1, NULL), KIN_EBUSY);
    assert_code(kin_ordered_fifo_resync(inner.ordered, NULL), KIN_EBUSY);
    assert_code(ordered_replace(inner.ordered, "", "1"), KIN_EBUSY);
}

static void known_objects_only_put_in(void **state)
{
    struct fixture *f = use(state, "k 1");

    f->known.before = use_the_queue;
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), 0);
    assert_code(ordered_replace(f->trace.ordered, "k 2", "1"), 0);
    f->known.before = NULL;
    assert_string_equal(drain_ordered(&f->trace), "Sync k 1*, Replaced k 2*");
}

static void known_objects_that_fail_change_nothing(void **state)
{
    struct fixture *f = use(state, "a 1, b 2, c 3");
    kin_error err = KIN_ERROR_INIT;

    add(f, "q", 1);
    f->known.result = KIN_ETYPE;
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, &err), KIN_ETYPE);
    assert_string_equal(err.message, "as the test said");
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), KIN_ETYPE);
    f->known.result = 5;
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), KIN_EINVAL);
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), KIN_EINVAL);
    assert_int_equal(kin__map_len(&f->trace.ordered->keys), 1);
    f->known.result = 0;
    assert_string_equal(drain_ordered(&f->trace), "Added q 1");
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), 0);
    assert_string_equal(drain_ordered(&f->trace), "Sync a 1, Sync b 2, Sync c 3");
}

/* --- requeueing --- */

static void add_more(struct trace *trace)
{
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 1);
    for (unsigned i = 0; i < 100; i++)
        add(fixture_of(trace), "more", i);
}

static void what_is_requeued_is_next(void **state)
{
    static const char *const known[] = {"", NULL};

    for (unsigned i = 0; i < 2; i++) {
        struct fixture *f = use(state, known[i]);

        add(f, "a", 1);
        add(f, "b", 2);
        /* The ring moves meanwhile. */
        pop(f, add_more, KIN_EREQUEUE);
        assert_int_equal(kin_ordered_fifo_len(f->trace.ordered), 102);
        pop(f, NULL, 0);
        assert_string_equal(f->trace.text, "Added a 1");
        pop(f, NULL, 0);
        assert_string_equal(f->trace.text, "Added b 2");
        drain_ordered(&f->trace);
        assert_int_equal(f->trace.n, 100);
    }
}

static void a_requeued_batch_is_next_in_its_order(void **state)
{
    struct fixture *f = use(state, "");

    add(f, "a", 1);
    add(f, "b", 2);
    add(f, "a", 3);
    pop_batch(f, add_more, KIN_EREQUEUE);
    assert_string_equal(f->trace.text, "{Added a 1, Added b 2}");
    pop_batch(f, NULL, 0);
    assert_string_equal(f->trace.text, "{Added a 1, Added b 2}");
    pop_batch(f, NULL, 0);
    assert_string_equal(f->trace.text, "{Added a 3, Added more 0}");
}

static void what_is_requeued_was_not_processed(void **state)
{
    struct fixture *f = use(state, "");

    assert_code(ordered_replace(f->trace.ordered, "a 1, b 2", "1"), 0);
    for (unsigned i = 0; i < 5; i++)
        pop(f, NULL, KIN_EREQUEUE);
    assert_string_equal(f->trace.text, "Replaced a 1*");
    pop_batch(f, NULL, KIN_EREQUEUE);
    assert_false(kin_ordered_fifo_has_synced(f->trace.ordered));
    pop_batch(f, NULL, 0);
    assert_string_equal(f->trace.text, "{Replaced a 1*, Replaced b 2*}");
    assert_true(kin_ordered_fifo_has_synced(f->trace.ordered));
}

static void bring_the_first_list(struct trace *trace)
{
    assert_code(ordered_replace(trace->ordered, "a 1", "5"), 0);
}

static void a_first_list_behind_something_in_flight(void **state)
{
    struct fixture *f = use(state, NULL);

    /* It is not part of the list, ... */
    assert_code(kin_ordered_fifo_bookmark(f->trace.ordered, kin_str_of("1"), NULL), 0);
    pop(f, bring_the_first_list, 0);
    assert_false(kin_ordered_fifo_has_synced(f->trace.ordered));
    pop(f, NULL, 0);
    assert_true(kin_ordered_fifo_has_synced(f->trace.ordered));

    /* ... unless it comes back and is before it. */
    f = use(state, NULL);
    assert_code(kin_ordered_fifo_bookmark(f->trace.ordered, kin_str_of("1"), NULL), 0);
    pop(f, bring_the_first_list, KIN_EREQUEUE);
    pop(f, NULL, 0);
    assert_string_equal(f->trace.text, "Bookmark 1*");
    assert_false(kin_ordered_fifo_has_synced(f->trace.ordered));
    pop(f, NULL, 0);
    assert_true(kin_ordered_fifo_has_synced(f->trace.ordered));
}

/* --- synced and closed --- */

static void let_others_wait_for_it(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    assert_false(kin_ordered_fifo_has_synced(trace->ordered));
    if (f->others[0].code == 0)
        start(f, 0, WAIT_SYNCED, 1);
}

static void it_has_synced_when_the_last_was_processed(void **state)
{
    static const char *const known[] = {"", NULL};

    for (unsigned i = 0; i < 2; i++) {
        struct fixture *f = use(state, known[i]);

        f->others[0].code = 0;
        assert_code(ordered_replace(f->trace.ordered, "a 1", "5"), 0);
        pop(f, let_others_wait_for_it, 0);
        finish(f, 0, 0, "");
        assert_true(kin_ordered_fifo_has_synced(f->trace.ordered));
    }
}

/* TestRealFIFO_PopShouldUnblockWhenClosed */
static void closing_wakes_all_who_wait(void **state)
{
    struct fixture *f = use(state, "foo 5");

    assert_false(kin_ordered_fifo_is_closed(f->trace.ordered));
    start(f, 0, POP, 1);
    start(f, 1, POP_BATCH, 2);
    start(f, 2, WAIT_SYNCED, 3);
    kin_ordered_fifo_close(f->trace.ordered);
    kin_ordered_fifo_close(f->trace.ordered);
    assert_true(kin_ordered_fifo_is_closed(f->trace.ordered));
    for (unsigned i = 0; i < 3; i++)
        finish(f, i, KIN_ECLOSED, "");
}

static void waiting_ends_in_time(void **state)
{
    struct fixture *f = use(state, NULL);

    start(f, 0, POP, 1);
    start(f, 1, POP_BATCH, 2);
    start(f, 2, WAIT_SYNCED, 3);
    assert_code(kin_clock_advance(f->clock, INT64_C(1000000000), NULL), 0);
    for (unsigned i = 0; i < 3; i++)
        finish(f, i, KIN_ETIMEOUT, "");
}

static void wait_too_long(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    start(f, 0, POP, 1);
    assert_code(kin_clock_advance(f->clock, INT64_C(1000000000), NULL), 0);
    finish(f, 0, KIN_ETIMEOUT, "");
}

static void waiting_for_the_turn_ends_in_time(void **state)
{
    struct fixture *f = use(state, NULL);

    add(f, "a", 1);
    add(f, "b", 2);
    pop(f, wait_too_long, 0);
    assert_string_equal(drain_ordered(&f->trace), "Added b 2");
}

static void a_closed_queue_hands_out_what_it_has(void **state)
{
    struct fixture *f = use(state, "k 1");

    kin_ordered_fifo_close(f->trace.ordered);
    add(f, "a", 1);
    assert_code(kin_ordered_fifo_resync(f->trace.ordered, NULL), 0);
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), 0);
    assert_string_equal(drain_ordered(&f->trace), "Added a 1, Sync k 1, Deleted a (1), "
                                                  "Deleted k (1), Replaced x 1");
    assert_code(kin_ordered_fifo_pop(f->trace.ordered, note_deltas, &f->trace, -1, NULL),
                KIN_ECLOSED);
    assert_code(kin_ordered_fifo_pop_batch(f->trace.ordered, note_batch, &f->trace, 0, -1, NULL),
                KIN_ECLOSED);
}

static void close_and_let_others_wait(struct trace *trace)
{
    struct fixture *f = fixture_of(trace);

    kin_ordered_fifo_close(trace->ordered);
    start(f, 0, POP, 1);
    start(f, 1, POP, 2);
}

static void a_closed_queue_waits_for_what_may_come_back(void **state)
{
    struct fixture *f = use(state, NULL);

    add(f, "a", 1);
    pop(f, close_and_let_others_wait, KIN_EREQUEUE);
    for (unsigned i = 0; i < 2; i++)
        kin__thread_join(&f->others[i].thread, NULL);
    /* One of them got it, the other nothing. */
    assert_int_equal(f->others[0].trace.n + f->others[1].trace.n, 1);
    assert_int_equal(f->others[0].code + f->others[1].code, KIN_ECLOSED);

    f = use(state, NULL);
    add(f, "a", 1);
    pop(f, close_and_let_others_wait, 0);
    for (unsigned i = 0; i < 2; i++) {
        kin__thread_join(&f->others[i].thread, NULL);
        assert_code(f->others[i].code, KIN_ECLOSED);
    }
}

static void close_it(struct known *known)
{
    struct fixture *f = known->arg;

    kin_ordered_fifo_close(f->trace.ordered);
}

static void closing_during_a_replacement(void **state)
{
    struct fixture *f = use(state, "k 1");

    f->known.before = close_it;
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), 0);
    assert_code(kin_ordered_fifo_wait_synced(f->trace.ordered, -1, NULL), KIN_ECLOSED);
    assert_string_equal(drain_ordered(&f->trace), "Deleted k (1)*, Replaced x 1*");
    assert_code(kin_ordered_fifo_wait_synced(f->trace.ordered, -1, NULL), 0);
}

static void close_and_pop(struct known *known)
{
    struct fixture *f = known->arg;

    kin_ordered_fifo_close(f->trace.ordered);
    start(f, 0, POP, 1);
}

static void a_closed_queue_waits_for_a_list_on_its_way(void **state)
{
    struct fixture *f = use(state, "k 1");

    f->known.before = close_and_pop;
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), 0);
    finish(f, 0, 0, "Deleted k (1)*");
    assert_string_equal(drain_ordered(&f->trace), "Replaced x 1*");
}

static void count_claims(kin_ordered_fifo *fifo, int n)
{
    kin__mutex_lock(&fifo->line.lock);
    fifo->n_claims += (size_t)n;
    kin__mutex_unlock(&fifo->line.lock);
}

/* The turn was passed to one that has not woken yet: nobody can say how long that takes. */
static void a_closed_queue_waits_for_a_list_whose_turn_is_next(void **state)
{
    struct fixture *f = use(state, "");

    kin_ordered_fifo_close(f->trace.ordered);
    count_claims(f->trace.ordered, 1);
    assert_code(kin_ordered_fifo_pop(f->trace.ordered, note_deltas, &f->trace, 0, NULL),
                KIN_ETIMEOUT);
    start(f, 0, POP, 1);
    count_claims(f->trace.ordered, -1);
    /* This one has woken, and what it does to the queue wakes who waits. */
    assert_code(ordered_replace(f->trace.ordered, "x 1", "1"), 0);
    finish(f, 0, 0, "Replaced x 1*");
    assert_code(kin_ordered_fifo_pop(f->trace.ordered, note_deltas, &f->trace, -1, NULL),
                KIN_ECLOSED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_next_pop_begins_when_the_last_has_returned),
        TEST(batches_take_turns_too),
        TEST(all_who_wait_are_woken_in_turn),
        TEST(a_process_function_does_not_pop),
        TEST(a_process_function_may_put_in),
        TEST(a_process_function_does_not_ask_known_objects),
        TEST(lists_come_before_those_who_pop),
        TEST(who_pops_again_at_once_does_not_keep_lists_out),
        TEST(nothing_is_processed_while_known_objects_are_asked),
        TEST(what_comes_during_a_replacement_is_before_it),
        TEST(what_comes_during_a_resync_is_not_followed_by_an_old_state),
        TEST(known_objects_only_put_in),
        TEST(known_objects_that_fail_change_nothing),
        TEST(what_is_requeued_is_next),
        TEST(a_requeued_batch_is_next_in_its_order),
        TEST(what_is_requeued_was_not_processed),
        TEST(a_first_list_behind_something_in_flight),
        TEST(it_has_synced_when_the_last_was_processed),
        TEST(closing_wakes_all_who_wait),
        TEST(waiting_ends_in_time),
        TEST(waiting_for_the_turn_ends_in_time),
        TEST(a_closed_queue_hands_out_what_it_has),
        TEST(a_closed_queue_waits_for_what_may_come_back),
        TEST(closing_during_a_replacement),
        TEST(a_closed_queue_waits_for_a_list_on_its_way),
        TEST(a_closed_queue_waits_for_a_list_whose_turn_is_next),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
