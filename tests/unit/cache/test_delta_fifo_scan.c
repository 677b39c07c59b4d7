/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DeltaFIFO that looks at known objects: what others do to it meanwhile. No lock is held then, so
 * the known objects do it themselves, at exactly the moment that is to be tested; where it must be
 * another thread, latches say when.
 */
#include "delta_fifo_support.h"

#include <pthread.h>

#include "latch.h"

/* --- known objects that let things happen in the middle --- */

typedef struct hooks {
    queue q;
    void (*in_has)(queue *q);
    void (*before_visits)(queue *q); /* what is known was noted, and is not told yet */
    void (*after_visits)(queue *q);
    unsigned n_has;
} hooks;

static hooks *hooks_of(queue *q)
{
    return (hooks *)q;
}

static int hooked_has(void *arg, kin_str key, kin_error *err)
{
    hooks *h = arg;
    void (*hook)(queue *) = h->in_has;
    int code = kin_store_get(h->q.store, NULL, key, err);

    h->n_has++;
    h->in_has = NULL;
    if (hook)
        hook(&h->q);
    return code;
}

static int hooked_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    hooks *h = arg;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    void (*before)(queue *) = h->before_visits;
    void (*after)(queue *) = h->after_visits;
    int code = kin_store_list(h->q.store, &list, err);

    assert_code(code, 0);
    h->before_visits = h->after_visits = NULL;
    if (before)
        before(&h->q);
    for (size_t i = 0; i < list.len && code == 0; i++)
        code = visit(kin_str_of(kin_object_key(list.items[i])), list.items[i], visit_arg);
    if (after)
        after(&h->q);
    kin_object_list_done(&list);
    return code;
}

static void hooks_init(hooks *h, unsigned flags)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    memset(h, 0, sizeof(*h));
    known.has = hooked_has;
    known.each = hooked_each;
    known.arg = h;
    options.known = &known;
    queue_init_with(&h->q, flags, options);
}

static void hooks_done(hooks *h)
{
    queue_done(&h->q);
}

/* --- what happens meanwhile --- */

static void update_a(queue *q)
{
    queue_update(q, "a:2");
}

static void replace_with_a(queue *q)
{
    queue_replace(q, "a:9");
}

static void pop_one(queue *q)
{
    assert_string_not_equal(queue_pop(q), "KIN_ETIMEOUT");
}

static void pop_one_and_requeue(queue *q)
{
    assert_string_not_equal(queue_pop_with(q, KIN_EREQUEUE), "KIN_ETIMEOUT");
}

static void pop_one_and_fail(queue *q)
{
    assert_string_equal(queue_pop_with(q, KIN_ERANGE), "KIN_ERANGE");
}

/* --- deletions and what is known --- */

static void must_not_be_asked(queue *q)
{
    (void)q;
    fail();
}

static void delete_a_that_is_not_known_yet(queue *q)
{
    hooks_of(q)->in_has = must_not_be_asked;
    queue_delete(q, "a:2");
}

/*
 * Who asked the known objects first, and the line then, could miss a key that lands in between: it is
 * not known yet, and not queued any more.
 */
static void the_line_is_asked_before_what_is_known(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_add(&h.q, "a:1");
    assert_string_equal(queue_pop_during(&h.q, delete_a_that_is_not_known_yet), "a Added=1");
    assert_int_equal(h.n_has, 0);
    assert_string_equal(queue_pop(&h.q), "a Deleted=2");
    hooks_done(&h);
}

static void land_a_new_a(queue *q)
{
    queue_update(q, "a:5");
    assert_string_equal(queue_pop(q), "a Updated=5");
}

/* The key comes, is taken and lands while the deletion asks. */
static void a_deletion_is_queued_if_its_key_lands_meanwhile(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_know(&h.q, "a:1");
    h.in_has = land_a_new_a;
    queue_delete(&h.q, "a:6");
    assert_int_equal(h.n_has, 1);
    assert_string_equal(queue_pop(&h.q), "a Deleted=6");
    assert_int_equal(queue_known(&h.q, "a"), 0);
    hooks_done(&h);
}

static void delete_a_and_land(queue *q)
{
    queue_delete(q, "a:5");
    assert_string_equal(queue_pop(q), "a Deleted=5");
}

static void delete_a_and_fail(queue *q)
{
    queue_delete(q, "a:5");
    assert_string_equal(queue_pop_with(q, KIN_ERANGE), "KIN_ERANGE");
}

static void delete_a_and_add_it(queue *q)
{
    delete_a_and_land(q);
    queue_add(q, "a:7");
}

/* Two threads delete one object: the first had its answer when the second was done with it. */
static void a_deletion_is_queued_once(void **state)
{
    static const struct {
        void (*meanwhile)(queue *q);
        const char *expected;
        unsigned n_has;
    } cases[] = {
        {delete_a_and_land, "KIN_ETIMEOUT", 3},
        {delete_a_and_fail, "a Deleted=6", 3},
        {delete_a_and_add_it, "a Added=7 Deleted=6", 2}, /* it is queued: nobody is asked */
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned batch = 0; batch < 2; batch++) {
            const kin_object *object = queue_object("a:6");
            const kin_delta delta = {KIN_DELTA_DELETED, object};
            hooks h;

            hooks_init(&h, 0);
            queue_know(&h.q, "a:1");
            h.in_has = cases[i].meanwhile;
            assert_code(batch ? kin_delta_fifo_add_batch(h.q.fifo, &delta, 1, NULL)
                              : kin_delta_fifo_delete(h.q.fifo, object, NULL),
                        0);
            kin_object_unref(object);
            assert_int_equal(h.n_has, cases[i].n_has);
            assert_string_equal(queue_pop(&h.q), cases[i].expected);
            assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
            assert_int_equal(queue_known(&h.q, "a"), 0);
            hooks_done(&h);
        }
    }
}

/* In a batch, what stands behind another change of the key is a deletion of that. */
static void of_a_batch_those_are_dropped_that_are_too_late(void **state)
{
    const kin_object *objects[6];
    size_t n = queue_objects("a:6 a:7 b:3 a:8 a:9 c:1", objects, 6);
    kin_delta deltas[6];
    hooks h;

    (void)state;
    for (size_t i = 0; i < n; i++)
        deltas[i] = (kin_delta){i == 3 ? KIN_DELTA_UPDATED : KIN_DELTA_DELETED, objects[i]};
    hooks_init(&h, 0);
    queue_know(&h.q, "a:1 b:1");
    h.in_has = delete_a_and_land; /* when the first of them is asked about */
    assert_code(kin_delta_fifo_add_batch(h.q.fifo, deltas, n, NULL), 0);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    assert_string_equal(queue_keys(&h.q), "b a");
    assert_string_equal(queue_pop(&h.q), "b Deleted=3");
    assert_string_equal(queue_pop(&h.q), "a Updated=8 Deleted=9");
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    hooks_done(&h);
}

static void queue_a_new_a(queue *q)
{
    queue_add(q, "a:5");
}

static void a_deletion_of_nothing_does_not_meet_what_comes_meanwhile(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    h.in_has = queue_a_new_a;
    queue_delete(&h.q, "a:1"); /* when it asked, there was no a */
    assert_string_equal(queue_pop(&h.q), "a Added=5");
    hooks_done(&h);
}

/* --- scans: a resync --- */

/* What is known was noted as a:1; then the newer state that was queued is processed. */
static void a_resync_sends_nothing_old_behind_a_key_that_lands_meanwhile(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_know(&h.q, "a:1");
    queue_update(&h.q, "a:2");
    h.before_visits = pop_one;
    queue_resync(&h.q);
    assert_int_equal(queue_known(&h.q, "a"), 2);
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    /* Afterwards it is a key as any other. */
    queue_resync(&h.q);
    assert_string_equal(queue_pop(&h.q), "a Sync=2");
    hooks_done(&h);
}

static void queue_and_land_a(queue *q)
{
    queue_update(q, "a:2");
    assert_string_equal(queue_pop(q), "a Updated=2");
}

/* The same, but the newer state comes only after the old one was visited. */
static void a_resync_drops_what_was_overtaken(void **state)
{
    static void (*const meanwhile[])(queue *) = {queue_and_land_a, update_a};
    static const char *const expected[] = {"KIN_ETIMEOUT", "a Updated=2"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned after = 0; after < 2; after++) {
            hooks h;

            hooks_init(&h, 0);
            queue_know(&h.q, "a:1");
            if (after)
                h.after_visits = meanwhile[i];
            else
                h.before_visits = meanwhile[i];
            queue_resync(&h.q);
            assert_string_equal(queue_pop(&h.q), expected[i]);
            assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
            assert_int_equal(queue_known(&h.q, "a"), 2);
            hooks_done(&h);
        }
    }
}

static void land_and_queue_a(queue *q)
{
    queue_update(q, "a:2");
    assert_string_equal(queue_pop(q), "a Updated=2");
    queue_update(q, "a:3");
    assert_string_equal(queue_pop_with(q, KIN_EREQUEUE), "a Updated=3");
    queue_update(q, "a:4");
}

static void a_key_may_be_taken_several_times_meanwhile(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_know(&h.q, "a:1");
    h.after_visits = land_and_queue_a;
    queue_resync(&h.q);
    assert_string_equal(queue_pop(&h.q), "a Updated=3 Updated=4");
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    queue_resync(&h.q);
    assert_string_equal(queue_pop(&h.q), "a Sync=4");
    hooks_done(&h);
}

/* It is in flight from before the scan to after it. */
static void resync_with_a_in_flight(queue *q)
{
    hooks_of(q)->before_visits = update_a;
    queue_resync(q);
}

static void a_key_in_flight_is_left_alone_by_a_scan(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_know(&h.q, "a:1");
    queue_update(&h.q, "a:1");
    assert_string_equal(queue_pop_during(&h.q, resync_with_a_in_flight), "a Updated=1");
    assert_string_equal(queue_pop(&h.q), "a Updated=2");
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    hooks_done(&h);
}

/* --- scans: a list --- */

static void add_x(queue *q)
{
    queue_add(q, "x:5");
}

static void what_is_added_during_a_list_is_deleted_by_it(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 2; after++) {
        hooks h;

        hooks_init(&h, QUEUE_REPLACED);
        *(after ? &h.after_visits : &h.before_visits) = add_x;
        queue_replace(&h.q, "a:1");
        assert_string_equal(queue_keys(&h.q), "x a");
        assert_string_equal(queue_pop(&h.q), "x Added=5 Deleted=~5");
        assert_string_equal(queue_pop(&h.q), "a Replaced=1");
        hooks_done(&h);
    }
}

static void what_is_added_during_a_list_that_has_it_comes_before(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, QUEUE_REPLACED);
    queue_know(&h.q, "x:4");
    h.before_visits = add_x;
    queue_replace(&h.q, "a:1 x:6");
    assert_string_equal(queue_pop(&h.q), "x Added=5 Replaced=6");
    assert_string_equal(queue_pop(&h.q), "a Replaced=1");
    hooks_done(&h);
}

/* The places that the list has reserved must not be gone with what is taken. */
static void keys_of_the_list_may_be_taken_meanwhile(void **state)
{
    static void (*const pops[])(queue *) = {pop_one, pop_one_and_fail, pop_one_and_requeue};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned n = 1; n <= 4; n++) {
            char expected[128] = "a";
            char text[32];
            hooks h;

            hooks_init(&h, QUEUE_REPLACED);
            for (unsigned version = 1; version <= n; version++) {
                snprintf(text, sizeof(text), "a:%u", version);
                queue_update(&h.q, text);
                snprintf(text, sizeof(text), "Updated=%u", version);
                if (i == 2)
                    queue_text_add(expected, sizeof(expected), text);
            }
            queue_text_add(expected, sizeof(expected), "Replaced=7 Replaced=8 Replaced=9");
            h.before_visits = pops[i];
            queue_replace(&h.q, "a:7 a:8 a:9");
            assert_string_equal(queue_pop(&h.q), expected);
            assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
            hooks_done(&h);
        }
    }
}

static void a_key_that_lands_during_a_list_is_deleted_in_its_newest_state(void **state)
{
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        hooks h;

        hooks_init(&h, QUEUE_REPLACED);
        if (known)
            queue_know(&h.q, "x:1");
        queue_update(&h.q, "x:2");
        h.before_visits = pop_one;
        queue_replace(&h.q, "a:1");
        assert_int_equal(queue_known(&h.q, "x"), 2);
        assert_string_equal(queue_pop(&h.q), "a Replaced=1");
        assert_string_equal(queue_pop(&h.q), "x Deleted=~2");
        assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
        hooks_done(&h);
    }
}

static void a_deletion_that_lands_during_a_list_is_enough(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, QUEUE_REPLACED);
    queue_know(&h.q, "x:1");
    queue_delete(&h.q, "x:2");
    h.before_visits = pop_one;
    queue_replace(&h.q, "a:1");
    assert_string_equal(queue_pop(&h.q), "a Replaced=1");
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    hooks_done(&h);
}

/* The list finds that the key is known, and that its deletion has failed. */
static void a_deletion_that_fails_during_a_list_is_made_by_the_list(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 2; after++) {
        hooks h;

        hooks_init(&h, QUEUE_REPLACED);
        queue_know(&h.q, "x:1");
        queue_delete(&h.q, "x:2");
        *(after ? &h.after_visits : &h.before_visits) = pop_one_and_fail;
        queue_replace(&h.q, "");
        assert_string_equal(queue_pop(&h.q), "x Deleted=~2");
        assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
        assert_int_equal(queue_known(&h.q, "x"), 0);
        hooks_done(&h);
    }
}

static void fail_and_delete_again(queue *q)
{
    pop_one_and_fail(q);
    queue_delete(q, "x:3");
}

/* The first deletion is over, whatever the scan still remembers of it. */
static void a_deletion_after_one_that_failed_during_a_scan_is_queued(void **state)
{
    (void)state;
    for (unsigned is_list = 0; is_list < 2; is_list++) {
        hooks h;

        hooks_init(&h, QUEUE_REPLACED);
        queue_know(&h.q, "x:1");
        queue_delete(&h.q, "x:2");
        h.before_visits = fail_and_delete_again;
        if (is_list)
            queue_replace(&h.q, "");
        else
            queue_resync(&h.q);
        assert_string_equal(queue_pop(&h.q), "x Deleted=3");
        assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
        hooks_done(&h);
    }
}

static void delete_unknown_z_in_a_batch(queue *q)
{
    const kin_object *object = queue_object("z:1");
    const kin_delta deltas[] = {{KIN_DELTA_DELETED, object}, {KIN_DELTA_DELETED, object}};

    assert_code(kin_delta_fifo_add_batch(q->fifo, deltas, 2, NULL), 0);
    kin_object_unref(object);
}

/* An entry that was made and not needed would be taken for a queued key by every later scan. */
static void a_deletion_of_nothing_during_a_scan_leaves_nothing(void **state)
{
    (void)state;
    for (unsigned is_list = 0; is_list < 2; is_list++) {
        hooks h;

        hooks_init(&h, QUEUE_REPLACED);
        h.before_visits = delete_unknown_z_in_a_batch;
        if (is_list)
            queue_replace(&h.q, "");
        else
            queue_resync(&h.q);
        queue_know(&h.q, "z:2");
        queue_resync(&h.q);
        assert_string_equal(queue_pop(&h.q), "z Sync=2");
        hooks_done(&h);
    }
}

static void queue_z_again(queue *q)
{
    const kin_object *object = queue_object("z:3");
    const kin_delta item = {KIN_DELTA_UPDATED, object};
    const kin_deltas deltas = {&item, 1, {NULL, 0}};

    pop_one(q); /* z lingers */
    assert_code(kin_delta_fifo_add_if_not_present(q->fifo, &deltas, NULL), 0);
    kin_object_unref(object);
}

static void a_key_that_has_landed_during_a_scan_can_be_queued_again(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_know(&h.q, "z:1");
    queue_update(&h.q, "z:2");
    h.before_visits = queue_z_again;
    queue_resync(&h.q);
    assert_string_equal(queue_get(&h.q, "z"), "Updated=3");
    assert_string_equal(queue_list(&h.q), "z:3");
    assert_string_equal(queue_pop(&h.q), "z Updated=3");
    hooks_done(&h);
}

static void look_at_what_lingers(queue *q)
{
    pop_one(q);
    assert_string_equal(queue_get(q, "a"), "none");
    assert_string_equal(queue_keys(q), "");
    assert_string_equal(queue_list(q), "");
    queue_delete(q, "b:1"); /* neither queued nor known */
    assert_int_equal(kin_delta_fifo_len(q->fifo), 0);
}

static void a_key_that_has_landed_during_a_scan_is_not_seen_as_queued(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, 0);
    queue_add(&h.q, "a:1");
    h.before_visits = look_at_what_lingers;
    queue_resync(&h.q);
    hooks_done(&h);
}

/* The first list and what happens while it is put in. */
static void the_first_list_counts_what_comes_meanwhile(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, QUEUE_REPLACED);
    queue_know(&h.q, "a:1 b:1 c:1");
    queue_resync(&h.q);
    h.before_visits = pop_one;
    queue_replace(&h.q, "a:2 b:2");
    for (unsigned i = 0; i < 3; i++) {
        assert_false(queue_has_synced(&h.q));
        pop_one(&h.q);
        assert_true(h.q.initial);
    }
    assert_true(queue_has_synced(&h.q));
    assert_string_equal(queue_pop(&h.q), "KIN_ETIMEOUT");
    assert_int_equal(queue_known(&h.q, "a"), 2);
    assert_int_equal(queue_known(&h.q, "c"), 0);
    hooks_done(&h);
}

/* --- scans that meet --- */

static void try_to_scan(queue *q)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(queue_try_replace(q, "a:7", &err), KIN_EBUSY);
    assert_code(err.code, KIN_EBUSY);
    assert_code(kin_delta_fifo_resync(q->fifo, NULL), KIN_EBUSY);
}

static void known_objects_may_not_scan_their_own_queue(void **state)
{
    hooks h;

    (void)state;
    hooks_init(&h, QUEUE_REPLACED);
    h.before_visits = try_to_scan;
    queue_resync(&h.q);
    h.after_visits = try_to_scan;
    queue_replace(&h.q, "a:1");
    assert_string_equal(queue_pop(&h.q), "a Replaced=1");
    /* A deletion asks too, but does not scan. */
    h.in_has = replace_with_a;
    queue_delete(&h.q, "z:1");
    assert_string_equal(queue_pop(&h.q), "a Replaced=9");
    hooks_done(&h);
}

/* A replacement that was refused can be tried again. */
static kin_replace *refused;

static void commit_refused(queue *q)
{
    (void)q;
    assert_code(kin_replace_commit(refused, kin_str_of(""), NULL), KIN_EBUSY);
}

static void a_refused_list_is_still_the_callers(void **state)
{
    const kin_object *object = queue_object("a:1");
    hooks h;

    (void)state;
    hooks_init(&h, QUEUE_REPLACED);
    assert_code(kin_delta_fifo_replace_begin(h.q.fifo, &refused, NULL), 0);
    assert_code(kin_replace_add(refused, object, NULL), 0);
    kin_object_unref(object);
    h.before_visits = commit_refused;
    queue_resync(&h.q);
    assert_code(kin_replace_commit(refused, kin_str_of(""), NULL), 0);
    assert_string_equal(queue_pop(&h.q), "a Replaced=1");
    hooks_done(&h);
}

struct meeting {
    hooks h;
    kin_test_latch scanning;
    kin_test_latch go_on;
};

static struct meeting meeting;

static void wait_in_the_scan(queue *q)
{
    (void)q;
    kin_test_latch_raise(&meeting.scanning);
    kin_test_latch_wait(&meeting.go_on, 1);
}

static void *scan_first(void *arg)
{
    (void)arg;
    meeting.h.before_visits = wait_in_the_scan;
    queue_replace(&meeting.h.q, "a:1 b:1");
    return NULL;
}

static void *scan_second(void *arg)
{
    (void)arg;
    queue_replace(&meeting.h.q, "a:2");
    return NULL;
}

/* The second list waits for the first, and is compared with what that has queued. */
static void lists_of_several_threads_take_turns(void **state)
{
    pthread_t threads[2];

    (void)state;
    hooks_init(&meeting.h, QUEUE_REPLACED);
    kin_test_latch_init(&meeting.scanning);
    kin_test_latch_init(&meeting.go_on);
    assert_int_equal(pthread_create(&threads[0], NULL, scan_first, NULL), 0);
    kin_test_latch_wait(&meeting.scanning, 1);
    assert_int_equal(pthread_create(&threads[1], NULL, scan_second, NULL), 0);
    /* Others are not kept waiting. */
    queue_add(&meeting.h.q, "x:1");
    assert_string_equal(queue_pop(&meeting.h.q), "x Added=1");
    kin_test_latch_raise(&meeting.go_on);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_string_equal(queue_pop(&meeting.h.q), "a Replaced=1 Replaced=2");
    assert_string_equal(queue_pop(&meeting.h.q), "b Replaced=1 Deleted=~1");
    assert_string_equal(queue_pop(&meeting.h.q), "x Deleted=~1");
    assert_string_equal(queue_pop(&meeting.h.q), "KIN_ETIMEOUT");
    kin_test_latch_done(&meeting.scanning);
    kin_test_latch_done(&meeting.go_on);
    hooks_done(&meeting.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_asked_before_what_is_known),
        cmocka_unit_test(a_deletion_is_queued_if_its_key_lands_meanwhile),
        cmocka_unit_test(a_deletion_is_queued_once),
        cmocka_unit_test(of_a_batch_those_are_dropped_that_are_too_late),
        cmocka_unit_test(a_deletion_of_nothing_does_not_meet_what_comes_meanwhile),
        cmocka_unit_test(a_resync_sends_nothing_old_behind_a_key_that_lands_meanwhile),
        cmocka_unit_test(a_resync_drops_what_was_overtaken),
        cmocka_unit_test(a_key_may_be_taken_several_times_meanwhile),
        cmocka_unit_test(a_key_in_flight_is_left_alone_by_a_scan),
        cmocka_unit_test(what_is_added_during_a_list_is_deleted_by_it),
        cmocka_unit_test(what_is_added_during_a_list_that_has_it_comes_before),
        cmocka_unit_test(keys_of_the_list_may_be_taken_meanwhile),
        cmocka_unit_test(a_key_that_lands_during_a_list_is_deleted_in_its_newest_state),
        cmocka_unit_test(a_deletion_that_lands_during_a_list_is_enough),
        cmocka_unit_test(a_deletion_that_fails_during_a_list_is_made_by_the_list),
        cmocka_unit_test(a_deletion_after_one_that_failed_during_a_scan_is_queued),
        cmocka_unit_test(a_deletion_of_nothing_during_a_scan_leaves_nothing),
        cmocka_unit_test(a_key_that_has_landed_during_a_scan_can_be_queued_again),
        cmocka_unit_test(a_key_that_has_landed_during_a_scan_is_not_seen_as_queued),
        cmocka_unit_test(the_first_list_counts_what_comes_meanwhile),
        cmocka_unit_test(known_objects_may_not_scan_their_own_queue),
        cmocka_unit_test(a_refused_list_is_still_the_callers),
        cmocka_unit_test(lists_of_several_threads_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
