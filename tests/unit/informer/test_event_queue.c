/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for a handler: order, merging beyond the limit by the table of event_queue.h, the bound, and
 * memory that is given back.
 */
#include "informer/event_queue.h"
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "item.h"
#include "rng.h"

/* --- putting in --- */

/* References to all states that a test makes; released at its end. */
static const kin_object *states[4096];
static size_t n_states;

static const kin_object *state(const char *key, unsigned version)
{
    assert_true(n_states < sizeof(states) / sizeof(states[0]));
    states[n_states] = kin_test_item(key, version, NULL);
    return states[n_states++];
}

static int release_states(void **context)
{
    (void)context;
    for (size_t i = 0; i < n_states; i++)
        kin_object_unref(states[i]);
    n_states = 0;
    return kin_test_items_live() == 0 ? 0 : -1;
}

static kin__notice notice(kin_event_type type, const char *key, unsigned old_version,
                          unsigned version)
{
    kin__notice notice = {type, false, false, {NULL, 0}, state(key, version), NULL};

    notice.key = kin_str_of(kin_object_key(notice.object));
    if (type == KIN_EVENT_UPDATE)
        notice.old_object = state(key, old_version);
    return notice;
}

static int put_all(kin__event_queue *queue, const kin__notice *notices, size_t n, int64_t now)
{
    const kin_object **garbage = malloc((2 * n + 1) * sizeof(*garbage));
    size_t n_garbage = 0;
    int code = kin__event_queue_reserve(queue, n);

    if (code == 0) {
        n_garbage = kin__event_queue_put(queue, notices, n, now, garbage);
        kin__event_queue_unreserve(queue);
    }
    assert_true(n_garbage <= 2 * n);
    for (size_t i = 0; i < n_garbage; i++)
        kin_object_unref(garbage[i]);
    free(garbage);
    return code;
}

static void put(kin__event_queue *queue, kin__notice notice)
{
    assert_code(put_all(queue, &notice, 1, 0), 0);
}

/* --- taking out --- */

/* As text: "+a1 ~a1>2 -a2", with "!" behind initial ones and "=" behind those that sync. */
static void take_as_text(kin__event_queue *queue, size_t max, char *ret)
{
    kin__list taken;
    size_t n;

    kin__list_init(&taken);
    n = kin__event_queue_take(queue, max, &taken);
    *ret = '\0';
    kin__list_for_each(&taken, node) {
        const kin__queued_event *event = kin__list_entry(node, kin__queued_event, link);

        ret += sprintf(ret, "%c%s", " +~-"[event->type], kin_object_key(event->object));
        if (event->old_object)
            ret += sprintf(ret, "%u>", kin_test_item_version(event->old_object));
        ret += sprintf(ret, "%u%s%s ", kin_test_item_version(event->object),
                       event->is_initial ? "!" : "", event->is_sync ? "=" : "");
        kin_object_unref(event->object);
        kin_object_unref(event->old_object);
    }
    kin__event_queue_give_back(queue, &taken, n);
}

static void assert_takes(kin__event_queue *queue, const char *expected)
{
    char text[4096];

    take_as_text(queue, SIZE_MAX, text);
    assert_string_equal(text, expected);
}

/* --- tests --- */

static void below_the_limit_nothing_is_merged(void **context)
{
    kin__event_queue queue;

    (void)context;
    kin__event_queue_init(&queue, 4);
    put(&queue, notice(KIN_EVENT_ADD, "a", 0, 1));
    put(&queue, notice(KIN_EVENT_UPDATE, "a", 1, 2));
    put(&queue, notice(KIN_EVENT_UPDATE, "a", 2, 3));
    put(&queue, notice(KIN_EVENT_DELETE, "a", 0, 3));
    assert_takes(&queue, "+a1 ~a1>2 ~a2>3 -a3 ");
    assert_int_equal(queue.n_merged + queue.n_vanished, 0);
    kin__event_queue_done(&queue);
}

static const struct {
    kin_event_type first, second;
    const char *expected;
    unsigned merged, vanished;
} rules[] = {
    {KIN_EVENT_ADD, KIN_EVENT_UPDATE, "+x0 +a2 +y0 ", 1, 0},
    {KIN_EVENT_ADD, KIN_EVENT_DELETE, "+x0 +y0 ", 0, 1},
    {KIN_EVENT_ADD, KIN_EVENT_ADD, "+x0 +a2 +y0 ", 1, 0},
    {KIN_EVENT_UPDATE, KIN_EVENT_UPDATE, "+x0 ~a0>2 +y0 ", 1, 0},
    {KIN_EVENT_UPDATE, KIN_EVENT_DELETE, "+x0 -a2 +y0 ", 1, 0},
    {KIN_EVENT_DELETE, KIN_EVENT_ADD, "+x0 -a1 +y0 +a2 ", 0, 0},
    {KIN_EVENT_DELETE, KIN_EVENT_UPDATE, "+x0 -a1 +y0 ~a1>2 ", 0, 0},
    {KIN_EVENT_DELETE, KIN_EVENT_DELETE, "+x0 -a2 +y0 ", 1, 0},
};

static void beyond_the_limit_events_of_a_key_are_merged(void **context)
{
    (void)context;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        kin__event_queue queue;

        kin__event_queue_init(&queue, 2);
        put(&queue, notice(KIN_EVENT_ADD, "x", 0, 0));
        put(&queue, notice(rules[i].first, "a", 0, 1));
        put(&queue, notice(KIN_EVENT_ADD, "y", 0, 0));
        put(&queue, notice(rules[i].second, "a", 1, 2));
        assert_takes(&queue, rules[i].expected);
        assert_int_equal(queue.n_merged, rules[i].merged);
        assert_int_equal(queue.n_vanished, rules[i].vanished);
        kin__event_queue_done(&queue);
    }
}

static void a_key_that_comes_and_goes_has_two_events_at_most(void **context)
{
    kin__event_queue queue;

    (void)context;
    kin__event_queue_init(&queue, 1);
    put(&queue, notice(KIN_EVENT_UPDATE, "a", 0, 1));
    for (unsigned i = 0; i < 100; i++) {
        put(&queue, notice(KIN_EVENT_DELETE, "a", 0, 3 * i + 1));
        put(&queue, notice(KIN_EVENT_ADD, "a", 0, 3 * i + 2));
        put(&queue, notice(KIN_EVENT_UPDATE, "a", 3 * i + 2, 3 * i + 3));
        assert_true(queue.len <= 2);
    }
    assert_takes(&queue, "-a1 +a300 ");
    assert_int_equal(queue.n_vanished, 99);
    kin__event_queue_done(&queue);
}

static void flags_survive_merging(void **context)
{
    kin__event_queue queue;
    kin__notice initial = notice(KIN_EVENT_ADD, "a", 0, 1);
    kin__notice sync = notice(KIN_EVENT_UPDATE, "b", 1, 1);

    (void)context;
    initial.is_initial = true;
    sync.is_sync = true;
    kin__event_queue_init(&queue, 1);
    put(&queue, initial);
    put(&queue, sync);
    put(&queue, notice(KIN_EVENT_UPDATE, "a", 1, 2));
    put(&queue, sync);
    assert_takes(&queue, "+a2! ~b1>1= ");
    put(&queue, notice(KIN_EVENT_ADD, "x", 0, 0));
    put(&queue, sync);
    put(&queue, notice(KIN_EVENT_UPDATE, "b", 1, 2));
    put(&queue, sync);
    assert_takes(&queue, "+x0 ~b1>1 ");
    put(&queue, notice(KIN_EVENT_ADD, "x", 0, 0));
    put(&queue, initial);
    put(&queue, notice(KIN_EVENT_DELETE, "a", 0, 1));
    assert_int_equal(queue.n_initial_vanished, 1);
    put(&queue, notice(KIN_EVENT_ADD, "a", 0, 1));
    assert_int_equal(queue.n_initial_vanished, 0);
    kin__event_queue_done(&queue);
}

static void the_oldest_tells_when_it_came(void **context)
{
    kin__event_queue queue;
    kin__notice first = notice(KIN_EVENT_ADD, "a", 0, 1);
    kin__notice again = notice(KIN_EVENT_UPDATE, "a", 1, 2);
    char text[64];

    (void)context;
    kin__event_queue_init(&queue, 1);
    assert_true(kin__event_queue_oldest(&queue) == INT64_MAX);
    assert_code(put_all(&queue, &first, 1, 100), 0);
    assert_code(put_all(&queue, &again, 1, 200), 0);
    assert_true(kin__event_queue_oldest(&queue) == 100);
    take_as_text(&queue, 1, text);
    assert_true(kin__event_queue_oldest(&queue) == INT64_MAX);
    kin__event_queue_done(&queue);
}

static void memory_is_given_back_when_it_has_drained(void **context)
{
    kin__event_queue queue;
    kin__notice events[1000];
    char text[16 * 1000];
    size_t before = kin_test_alloc_live();

    (void)context;
    for (size_t i = 0; i < 1000; i++)
        events[i] = notice(KIN_EVENT_ADD, "a", 0, 1);
    kin__event_queue_init(&queue, 10000);
    assert_code(put_all(&queue, events, 1000, 0), 0);
    assert_true(kin_test_alloc_live() - before >= 1000 / 128);
    take_as_text(&queue, 999, text);
    take_as_text(&queue, 1, text);
    assert_int_equal(kin_test_alloc_live(), before);
    kin__event_queue_done(&queue);
}

static void without_memory_nothing_is_put(void **context)
{
    kin__event_queue queue;
    kin__notice events[300];
    unsigned failures = 0;

    (void)context;
    for (size_t i = 0; i < 300; i++) {
        char key[16];

        snprintf(key, sizeof(key), "k%zu", i);
        events[i] = notice(KIN_EVENT_ADD, key, 0, 1);
    }
    kin__event_queue_init(&queue, 100);
    for (unsigned n = 1;; n++) {
        int code;

        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        code = put_all(&queue, events, 300, 0);
        kin_test_alloc_disarm();
        if (code == 0)
            break;
        assert_int_equal(code, KIN_ENOMEM);
        assert_int_equal(queue.len, 0);
        failures++;
    }
    assert_true(failures >= 1);
    assert_int_equal(queue.len, 300);
    kin__event_queue_done(&queue);
}

static void what_was_reserved_stays_while_others_take(void **context)
{
    kin__event_queue queue;
    kin__notice events[2] = {notice(KIN_EVENT_UPDATE, "a", 1, 2), notice(KIN_EVENT_ADD, "b", 0, 1)};
    const kin_object *garbage[4];
    char text[64];

    (void)context;
    kin__event_queue_init(&queue, 1);
    put(&queue, notice(KIN_EVENT_ADD, "x", 0, 1));
    put(&queue, notice(KIN_EVENT_ADD, "y", 0, 1));
    assert_code(kin__event_queue_reserve(&queue, 2), 0);
    take_as_text(&queue, 2, text);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_int_equal(kin__event_queue_put(&queue, events, 2, 0, garbage), 0);
    kin_test_alloc_disarm();
    kin__event_queue_unreserve(&queue);
    assert_takes(&queue, "~a1>2 +b1 ");
    kin__event_queue_done(&queue);
}

/* --- random ones --- */

enum { KEYS = 10, LIMIT = 8 };

struct play {
    kin__event_queue queue;
    unsigned source[KEYS];  /* the version that is there; 0: none */
    unsigned handler[KEYS]; /* the version that the handler was told of; 0: none */
    unsigned version;
};

static const char *key_name(unsigned key)
{
    static const char *const names[KEYS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    return names[key];
}

static void change_one(struct play *play, kin_test_rng *rng)
{
    unsigned key = (unsigned)kin_test_below(rng, KEYS);
    unsigned *now = &play->source[key];
    bool deletes = *now != 0 && kin_test_below(rng, 3) == 0;
    kin_event_type type = deletes ? KIN_EVENT_DELETE : *now ? KIN_EVENT_UPDATE : KIN_EVENT_ADD;
    unsigned next = ++play->version;

    put(&play->queue, notice(type, key_name(key), *now, next));
    *now = deletes ? 0 : next;
    assert_true(play->queue.len <= LIMIT + 2 * KEYS);
}

/* The handler's view is right at each event: an update begins where it was. */
static void tell_some(struct play *play, size_t max)
{
    kin__list taken;
    size_t n;

    kin__list_init(&taken);
    n = kin__event_queue_take(&play->queue, max, &taken);
    kin__list_for_each(&taken, node) {
        const kin__queued_event *event = kin__list_entry(node, kin__queued_event, link);
        unsigned *known = &play->handler[kin_object_key(event->object)[0] - 'a'];

        if (event->type == KIN_EVENT_ADD)
            assert_int_equal(*known, 0);
        else
            assert_true(*known != 0);
        if (event->type == KIN_EVENT_UPDATE)
            assert_int_equal(*known, kin_test_item_version(event->old_object));
        *known = event->type == KIN_EVENT_DELETE ? 0 : kin_test_item_version(event->object);
        kin_object_unref(event->object);
        kin_object_unref(event->old_object);
    }
    kin__event_queue_give_back(&play->queue, &taken, n);
}

static void what_was_told_leads_to_what_is_there(void **context)
{
    (void)context;
    for (uint64_t seed = 0; seed < 300; seed++) {
        kin_test_rng rng = {seed};
        struct play play = {.version = 0};

        kin__event_queue_init(&play.queue, LIMIT);
        for (unsigned i = 0; i < 200; i++) {
            change_one(&play, &rng);
            if (kin_test_below(&rng, 20) == 0)
                tell_some(&play, kin_test_below(&rng, 30));
        }
        tell_some(&play, SIZE_MAX);
        assert_memory_equal(play.source, play.handler, sizeof(play.source));
        kin__event_queue_done(&play.queue);
        release_states(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(below_the_limit_nothing_is_merged, release_states),
        cmocka_unit_test_teardown(beyond_the_limit_events_of_a_key_are_merged, release_states),
        cmocka_unit_test_teardown(a_key_that_comes_and_goes_has_two_events_at_most, release_states),
        cmocka_unit_test_teardown(flags_survive_merging, release_states),
        cmocka_unit_test_teardown(the_oldest_tells_when_it_came, release_states),
        cmocka_unit_test_teardown(memory_is_given_back_when_it_has_drained, release_states),
        cmocka_unit_test_teardown(without_memory_nothing_is_put, release_states),
        cmocka_unit_test_teardown(what_was_reserved_stays_while_others_take, release_states),
        cmocka_unit_test_teardown(what_was_told_leads_to_what_is_there, release_states),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
