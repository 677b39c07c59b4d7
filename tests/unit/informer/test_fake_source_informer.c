/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers over a fake source: what a program's tests do with it.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "kinform/fake_source.h"
#include "kinform/json.h"
#include "kinform/retry_watch.h"
#include "latch.h"
#include "listener_support.h"
#include "rng.h"

struct stage {
    kin_clock *clock;
    kin_fake_source *source;
    kin_informer_options options;
    kin_informer *informer;
    kin_test_handler handler;
};

static void open_stage(struct stage *s, bool streams)
{
    kin_fake_source_options options = KIN_FAKE_SOURCE_OPTIONS_INIT;

    memset(s, 0, sizeof(*s));
    options.streaming_lists = streams;
    assert_code(kin_clock_new_fake(&s->clock, 0, NULL), 0);
    assert_code(kin_fake_source_new(&s->source, &options, NULL), 0);
    s->options = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    s->options.name = "pods";
    s->options.clock = s->clock;
    s->options.seed = 1;
    kin_test_handler_init(&s->handler);
}

static void start(struct stage *s)
{
    assert_code(kin_informer_new_from(&s->informer, kin_fake_source_list_watch(s->source),
                                      &s->options, NULL),
                0);
    assert_code(
        kin_informer_add_handler(s->informer, NULL, kin_test_handle, &s->handler, NULL, NULL), 0);
    assert_code(kin_informer_start(s->informer, NULL), 0);
}

static void close_stage(struct stage *s)
{
    assert_code(kin_informer_free(s->informer), 0);
    kin_fake_source_free(s->source);
    kin_test_handler_done(&s->handler);
    kin_clock_unref(s->clock);
}

/* Time passes until the handler was called so often. */
static void assert_told(struct stage *s, unsigned n, const char *expected)
{
    int64_t deadline = kin_test_deadline();

    while (kin_test_latch_count(&s->handler.calls) < n) {
        assert_code(kin_clock_advance(s->clock, 50 * KIN__MILLISECOND, NULL), 0);
        assert_true(kin_test_wait_turn(deadline));
    }
    kin_test_assert_told(&s->handler, n, expected);
}

static kin_informer_status status_of(struct stage *s)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(s->informer, &status, NULL), 0);
    return status;
}

static void change(kin_fake_source *source, const char *name, bool is_new, const kin_object **ret)
{
    const kin_object *pod = NULL;
    char json[128];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"}}", name);
    assert_code(kin_object_from_json(&pod, kin_str_of(json), NULL, NULL), 0);
    assert_code(is_new ? kin_fake_source_add(source, ret, pod, NULL)
                       : kin_fake_source_update(source, ret, pod, NULL),
                0);
    kin_object_unref(pod);
}

static void add(struct stage *s, const char *name)
{
    change(s->source, name, true, NULL);
}

static void delete (struct stage *s, const char *name)
{
    assert_code(kin_fake_source_delete(s->source, NULL, name, NULL), 0);
}

/* --- one informer --- */

static void an_informer_follows(void **state)
{
    const kin_object *stored = NULL;
    struct stage s;

    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        open_stage(&s, streams);
        add(&s, "a");
        add(&s, "b");
        start(&s);
        assert_code(kin_informer_wait_synced(s.informer, -1, NULL), 0);
        change(s.source, "a", false, NULL);
        delete (&s, "b");
        change(s.source, "c", true, &stored);
        assert_code(kin_informer_wait_object(s.informer, stored, -1, NULL), 0);
        assert_int_equal(kin_store_len(kin_informer_store(s.informer)), 2);
        assert_told(&s, 5, "+a2! +b3! ~a2>4 -b5 +c6 ");
        assert_code(kin_fake_source_wait_lists(s.source, 1, 0, NULL), streams ? KIN_ETIMEOUT : 0);
        kin_object_unref(stored);
        stored = NULL;
        close_stage(&s);
    }
}

static void lists_come_in_pages(void **state)
{
    struct stage s;

    (void)state;
    open_stage(&s, false);
    s.options.page_size = 2;
    for (char name[2] = "a"; name[0] <= 'e'; name[0]++)
        add(&s, name);
    start(&s);
    assert_told(&s, 5, "+a2! +b3! +c4! +d5! +e6! ");
    assert_code(kin_fake_source_wait_lists(s.source, 3, 0, NULL), 0);
    assert_int_equal(status_of(&s).lists, 1);
    close_stage(&s);
}

static void a_watch_that_ends_is_resumed(void **state)
{
    struct stage s;

    (void)state;
    open_stage(&s, false);
    add(&s, "a");
    start(&s);
    assert_code(kin_fake_source_wait_watches(s.source, 1, -1, NULL), 0);
    add(&s, "b");
    assert_told(&s, 2, "+a2! +b3 ");
    kin_fake_source_break_watches(s.source, NULL);
    add(&s, "c");
    assert_told(&s, 3, "+a2! +b3 +c4 ");
    assert_code(kin_fake_source_wait_watches(s.source, 2, 0, NULL), 0);
    assert_int_equal(status_of(&s).lists, 1);
    close_stage(&s);
}

/* The deletion is found by the list that follows 410, and is a tombstone. */
static void lost_events_are_found_by_the_next_list(void **state)
{
    struct stage s;

    (void)state;
    open_stage(&s, false);
    add(&s, "a");
    start(&s);
    assert_told(&s, 1, "+a2! ");
    assert_code(kin_fake_source_wait_watches(s.source, 1, -1, NULL), 0);
    kin_fake_source_lose_events(s.source, 1);
    delete (&s, "a");
    kin_fake_source_expire(s.source);
    kin_fake_source_break_watches(s.source, NULL);
    assert_told(&s, 2, "+a2! -a2? ");
    assert_int_equal(status_of(&s).lists, 2);
    close_stage(&s);
}

static void failures_are_got_over(void **state)
{
    kin_error denied = KIN_ERROR_INIT;
    struct stage s;

    (void)state;
    open_stage(&s, false);
    add(&s, "a");
    kin_error_set(&denied, KIN_EDENIED, "pods is forbidden");
    kin_fake_source_fail_lists(s.source, 3, &denied);
    start(&s);
    assert_told(&s, 1, "+a2! ");
    assert_int_equal(status_of(&s).last_error.code, KIN_EDENIED);
    assert_code(kin_fake_source_wait_lists(s.source, 4, 0, NULL), 0);
    assert_code(kin_fake_source_wait_watches(s.source, 1, -1, NULL), 0);
    add(&s, "b");
    assert_told(&s, 2, "+a2! +b3 ");
    kin_fake_source_fail_watches(s.source, 1, NULL);
    kin_fake_source_break_watches(s.source, NULL);
    add(&s, "c");
    assert_told(&s, 3, "+a2! +b3 +c4 ");
    assert_int_equal(status_of(&s).last_error.code, KIN_ECONNECT);
    close_stage(&s);
}

/* The version of a change whose event was lost can come from the bookmark only. */
static void bookmarks_reach_the_informer(void **state)
{
    struct stage s;

    (void)state;
    open_stage(&s, false);
    start(&s);
    assert_code(kin_fake_source_wait_watches(s.source, 1, -1, NULL), 0);
    add(&s, "a");
    assert_told(&s, 1, "+a2 ");
    kin_fake_source_lose_events(s.source, 1);
    add(&s, "b");
    assert_code(kin_fake_source_bookmark(s.source, NULL), 0);
    assert_code(kin_informer_wait_version(s.informer, "3", -1, NULL), 0);
    close_stage(&s);
}

/* --- a retry watch --- */

static int count_two(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    int *n = arg;

    (void)type;
    (void)object;
    return ++*n == 2 ? kin_error_set(err, KIN_ECANCELED, "that is enough") : 0;
}

static void a_retry_watch_follows(void **state)
{
    kin_retry_watch *watch = NULL;
    struct stage s;
    int n = 0;

    (void)state;
    open_stage(&s, false);
    add(&s, "a");
    add(&s, "b");
    assert_code(kin_retry_watch_new(&watch, kin_fake_source_list_watch(s.source), "1", NULL, NULL),
                0);
    assert_code(kin_retry_watch_run(watch, count_two, &n, NULL), KIN_ECANCELED);
    assert_int_equal(n, 2);
    kin_retry_watch_free(watch);
    close_stage(&s);
}

/* --- a storm --- */

enum { MUTATORS = 3, MUTATIONS = 400, PODS = 20, INFORMERS = 2 };

struct mutator {
    kin__thread thread;
    kin_fake_source *source;
    kin_test_rng rng;
    atomic_uint *n_ended;
};

static void misbehave(struct mutator *m)
{
    kin_error why = KIN_ERROR_INIT;

    kin_error_set(&why, KIN_ECONNECT, "the connection is lost");
    switch (kin_test_below(&m->rng, 7)) {
    case 0:
        kin_fake_source_break_watches(m->source, NULL);
        break;
    case 1:
        kin_fake_source_break_watches(m->source, &why);
        break;
    case 2:
        kin_fake_source_expire(m->source);
        break;
    case 3:
        kin_fake_source_fail_lists(m->source, 1, &why);
        break;
    case 4:
        kin_fake_source_fail_watches(m->source, 1, &why);
        break;
    case 5:
        assert_code(kin_fake_source_bookmark(m->source, NULL), 0);
        break;
    default:
        kin_fake_source_stall(m->source, kin_test_below(&m->rng, 3) == 0);
        break;
    }
}

static void mutate(void *arg)
{
    struct mutator *m = arg;

    for (int i = 0; i < MUTATIONS; i++) {
        char name[16];

        snprintf(name, sizeof(name), "pod-%u", (unsigned)kin_test_below(&m->rng, PODS));
        if (kin_test_below(&m->rng, 10) == 0)
            misbehave(m);
        if (kin_test_below(&m->rng, 3) == 0)
            kin_fake_source_delete(m->source, NULL, name, NULL);
        else
            change(m->source, name, kin_test_below(&m->rng, 2), NULL);
    }
    atomic_fetch_add(m->n_ended, 1);
}

struct comparison {
    kin_store *store;
    size_t n;
    size_t n_wrong;
    kin_test_latch ended;
};

static int compare_item(const kin_object *object, void *arg, kin_error *err)
{
    struct comparison *c = arg;
    const kin_object *cached = NULL;

    (void)err;
    c->n++;
    if (kin_store_get(c->store, &cached, kin_str_of(kin_object_key(object)), NULL) < 0 ||
        !kin_object_equal(cached, object))
        c->n_wrong++;
    kin_object_unref(cached);
    return 0;
}

static void end_comparison(const kin_result *result, void *arg)
{
    struct comparison *c = arg;

    c->n_wrong += result->code < 0;
    kin_test_latch_raise(&c->ended);
}

static void assert_same(kin_fake_source *source, kin_informer *informer)
{
    struct comparison c = {.store = kin_informer_store(informer)};
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_operation *operation = NULL;

    kin_test_latch_init(&c.ended);
    handlers.item = compare_item;
    handlers.done = end_comparison;
    handlers.arg = &c;
    assert_code(
        kin_list_watch_list(kin_fake_source_list_watch(source), &operation, NULL, &handlers, NULL),
        0);
    kin_test_latch_wait(&c.ended, 1);
    kin_operation_release(operation);
    assert_int_equal(c.n_wrong, 0);
    assert_int_equal(c.n, kin_fake_source_len(source));
    assert_int_equal(c.n, kin_store_len(c.store));
    kin_test_latch_done(&c.ended);
}

/* Time passes until all informers have the last version. */
static void settle(struct stage *s, kin_informer **informers)
{
    int64_t deadline = kin_test_deadline();
    char version[24];
    int n = 0;

    kin_fake_source_stall(s->source, false);
    kin_fake_source_fail_lists(s->source, 0, NULL);
    kin_fake_source_fail_watches(s->source, 0, NULL);
    change(s->source, "last", true, NULL);
    snprintf(version, sizeof(version), "%llu",
             (unsigned long long)kin_fake_source_version(s->source));
    while (n < INFORMERS) {
        if (kin_informer_wait_version(informers[n], version, 0, NULL) == 0) {
            n++;
            continue;
        }
        assert_code(kin_clock_advance(s->clock, 50 * KIN__MILLISECOND, NULL), 0);
        assert_true(kin_test_wait_turn(deadline));
    }
}

static void storm(bool streams)
{
    kin_informer *informers[INFORMERS] = {NULL};
    struct mutator mutators[MUTATORS];
    int64_t deadline = kin_test_deadline();
    atomic_uint n_ended = 0;
    struct stage s;

    open_stage(&s, streams);
    for (int i = 0; i < INFORMERS; i++) {
        s.options.page_size = i ? 3 : 0;
        assert_code(kin_informer_new_from(&informers[i], kin_fake_source_list_watch(s.source),
                                          &s.options, NULL),
                    0);
        assert_code(kin_informer_start(informers[i], NULL), 0);
    }
    for (unsigned i = 0; i < MUTATORS; i++) {
        mutators[i] = (struct mutator){KIN__THREAD_INIT, s.source, {i}, &n_ended};
        assert_code(kin__thread_start(&mutators[i].thread, "mutator", mutate, &mutators[i], NULL),
                    0);
    }
    while (atomic_load(&n_ended) < MUTATORS) {
        assert_code(kin_clock_advance(s.clock, 50 * KIN__MILLISECOND, NULL), 0);
        assert_true(kin_test_wait_turn(deadline));
    }
    for (unsigned i = 0; i < MUTATORS; i++)
        assert_code(kin__thread_join(&mutators[i].thread, NULL), 0);
    settle(&s, informers);
    for (int i = 0; i < INFORMERS; i++) {
        assert_same(s.source, informers[i]);
        assert_code(kin_informer_free(informers[i]), 0);
    }
    close_stage(&s);
}

static void informers_get_over_a_storm(void **state)
{
    (void)state;
    storm(false);
    storm(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_informer_follows),
        cmocka_unit_test(lists_come_in_pages),
        cmocka_unit_test(a_watch_that_ends_is_resumed),
        cmocka_unit_test(lost_events_are_found_by_the_next_list),
        cmocka_unit_test(failures_are_got_over),
        cmocka_unit_test(bookmarks_reach_the_informer),
        cmocka_unit_test(a_retry_watch_follows),
        cmocka_unit_test(informers_get_over_a_storm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
