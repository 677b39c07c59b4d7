/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer says of itself: objects that could not be read, changes of its status, and objects
 * that somebody has written to.
 */
#include "informer_support.h"
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"

/* --- objects that cannot be read --- */

static uint64_t count_skipped(kin_test_stage *stage)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(stage->informer, &status, NULL), 0);
    return status.skipped;
}

/* The list has an object that cannot be read, so that nobody knows which are gone. */
static void unreadable(kin_test_stage *stage)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_test_pull *pull;

    kin_test_add_handler(stage, NULL);
    pull = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_latch_wait(&stage->handler.calls, 2);
    kin_test_pull_error_event(pull, &expired);
    assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    pull = kin_test_source_await(stage->source, 2);
    assert_true(pull->is_list);
    assert_code(kin_test_pull_item(pull, "a:6"), 0);
    assert_code(kin_test_pull_bad(pull, (enum kin_watch_type)0, ""), 0);
    kin_test_pull_list_done(pull, "9", NULL);
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:6 b:2");
    assert_int_equal(count_skipped(stage), 1);
    assert_true(kin_test_stage_logged(stage, "an object is skipped", "it is no JSON"));
    kin_test_assert_told(&stage->handler, 3, "+a1! +b2! ~a1>6 ");
    /* A list without gaps says what is gone. */
    kin_test_pull_error_event(kin_test_source_await(stage->source, 3), &expired);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    kin_test_pull_list(kin_test_source_await(stage->source, 4), "12", "a:6");
    kin_test_await_version(stage, "12");
    kin_test_stage_has(stage, "a:6");
    assert_int_equal(count_skipped(stage), 1);
    kin_test_latch_wait(&stage->handler.calls, 5);
    assert_non_null(strstr(stage->handler.text, "-b2? "));
}

static void what_cannot_be_read_stays_as_it_was(void **state)
{
    (void)state;
    kin_test_with_each_queue(unreadable);
}

struct hold {
    kin_test_latch entered;
    kin_test_latch may_return;
    bool was_held;
};

static void hold_once(kin_informer *informer, void *arg)
{
    struct hold *hold = arg;

    if (hold->was_held || !kin_informer_has_synced(informer))
        return;
    hold->was_held = true;
    kin_test_latch_raise(&hold->entered);
    kin_test_latch_wait(&hold->may_return, 1);
}

/* A newer state of the skipped object waits in the queue: the list neither replaces nor deletes it. */
static void what_waits_is_newer(void **state)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

    (void)state;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        struct hold hold = {.was_held = false};
        kin_test_pull *pull;

        kin_test_latch_init(&hold.entered);
        kin_test_latch_init(&hold.may_return);
        options.queue = (kin_informer_queue)queue;
        options.changed = hold_once;
        options.changed_arg = &hold;
        stage = kin_test_stage_with(&options);
        pull = kin_test_start(stage, "5", "a:1 b:2 c:3");
        kin_test_latch_wait(&hold.entered, 1);
        kin_test_pull_event(pull, KIN_WATCH_MODIFIED, "b:7");
        kin_test_pull_error_event(pull, &expired);
        assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
        pull = kin_test_source_await(stage->source, 2);
        assert_code(kin_test_pull_item(pull, "a:6"), 0);
        assert_code(kin_test_pull_bad(pull, (enum kin_watch_type)0, "default/b"), 0);
        kin_test_latch_raise(&hold.may_return);
        kin_test_pull_list_done(pull, "9", NULL);
        kin_test_await_version(stage, "9");
        kin_test_stage_has(stage, "a:6 b:7");
        kin_test_stage_free(stage);
        kin_test_latch_done(&hold.entered);
        kin_test_latch_done(&hold.may_return);
    }
}

static void unreadable_event(kin_test_stage *stage)
{
    kin_test_pull *watch = kin_test_start(stage, "5", "a:1");

    assert_code(kin_test_pull_bad(watch, KIN_WATCH_MODIFIED, ""), 0);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_ADDED, "b:7"), 0);
    kin_test_await_version(stage, "7");
    kin_test_stage_has(stage, "a:1 b:7");
    assert_int_equal(count_skipped(stage), 1);
}

/* Relist with one that cannot be read, of which the key is known; others are gone. */
static void relist(kin_test_stage *stage, const char *key)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_test_pull *pull = kin_test_start(stage, "5", "a:1 b:2 c:3");

    kin_test_await_version(stage, "5");
    kin_test_pull_error_event(pull, &expired);
    assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    pull = kin_test_source_await(stage->source, 2);
    assert_code(kin_test_pull_item(pull, "a:6"), 0);
    assert_code(kin_test_pull_bad(pull, (enum kin_watch_type)0, key), 0);
    kin_test_pull_list_done(pull, "9", NULL);
    kin_test_await_version(stage, "9");
    assert_int_equal(count_skipped(stage), 1);
    assert_true(kin_test_stage_logged(stage, "an object is skipped", key));
}

static void known(kin_test_stage *stage)
{
    kin_test_add_handler(stage, NULL);
    relist(stage, "default/b");
    kin_test_stage_has(stage, "a:6 b:2");
    kin_test_latch_wait(&stage->handler.calls, 5);
    assert_non_null(strstr(stage->handler.text, "-c3? "));
    assert_null(strstr(stage->handler.text, "-b"));
}

static void unheard_of(kin_test_stage *stage)
{
    relist(stage, "default/new");
    kin_test_stage_has(stage, "a:6");
}

/* It is known whose it is: that one stays, and what is gone goes. */
static void only_what_cannot_be_read_stays(void **state)
{
    (void)state;
    kin_test_with_each_queue(known);
    kin_test_with_each_queue(unheard_of);
}

/* Until so many gaps are counted, and a list is due for them. The store comes before: no version tells it. */
static kin_informer_status await_gaps(kin_test_stage *stage, uint64_t gaps)
{
    int64_t deadline = kin_test_deadline();
    kin_informer_status status = kin_test_informer_status(stage);

    while (status.gaps != gaps || (status.next_relist_unix_ns > 0) != (gaps > 0)) {
        assert_true(kin_test_wait_turn(deadline));
        status = kin_test_informer_status(stage);
    }
    return status;
}

/* An event that can be read heals what a list had skipped; no list is due then. */
static void heals(kin_test_stage *stage)
{
    kin_informer_status status;
    kin_test_pull *watch;
    size_t n;

    relist(stage, "default/b");
    watch = kin_test_source_await(stage->source, 3);
    status = await_gaps(stage, 1);
    assert_false(status.keeps_missing);
    assert_in_range(status.next_relist_unix_ns - kin_clock_unix_now(stage->clock), 60 * KIN__SECOND,
                    120 * KIN__SECOND);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:12"), 0);
    kin_test_await_version(stage, "12");
    kin_test_stage_has(stage, "a:6 b:12");
    await_gaps(stage, 0);
    n = kin_test_source_count(stage->source);
    kin_test_advance(stage, 3600);
    assert_true(kin_test_pull_is_open(watch));
    assert_int_equal(kin_test_source_count(stage->source), n);
}

/* Else it is listed for, and handlers are told what it has become. */
static void is_listed(kin_test_stage *stage)
{
    kin_test_pull *pull;

    kin_test_add_handler(stage, NULL);
    pull = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_latch_wait(&stage->handler.calls, 2);
    assert_code(kin_test_pull_bad(pull, KIN_WATCH_MODIFIED, ""), 0);
    await_gaps(stage, 1);
    assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_advance(stage, 120);
    pull = kin_test_source_await(stage->source, 2);
    assert_true(pull->is_list);
    assert_string_equal(pull->version, "5");
    kin_test_pull_list(pull, "9", "a:1 b:8");
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:1 b:8");
    kin_test_latch_wait(&stage->handler.calls, 4);
    assert_non_null(strstr(stage->handler.text, "~b2>8 "));
    assert_int_equal(await_gaps(stage, 0).skipped, 1);
}

static void gaps_heal(void **state)
{
    (void)state;
    kin_test_with_each_queue(heals);
    kin_test_with_each_queue(is_listed);
}

static void times_that_make_no_sense_are_refused(void **state)
{
    static const int64_t times[][2] = {{-2, 0}, {INT64_MAX, 0}, {0, -1}, {0, INT64_MAX}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(times); i++) {
        kin_test_stage *stage = kin_test_stage_new();
        kin_error err = KIN_ERROR_INIT;

        stage->options.gap_relist_ms = times[i][0];
        stage->options.gap_relist_max_ms = times[i][1];
        assert_code(kin_informer_new_from(&stage->informer,
                                          kin_test_source_list_watch(stage->source),
                                          &stage->options, &err),
                    KIN_EINVAL);
        assert_non_null(strstr(err.message, "gap_relist"));
        kin_test_stage_free(stage);
    }
}

/* Rejects each state of "b" after the second. */
static int reject_later_b(const kin_object *object, const kin_object **ret, void *arg,
                          kin_error *err)
{
    (void)arg;
    if (strcmp(kin_object_key(object), "default/b") == 0 &&
        !kin_str_equal(kin_object_resource_version(object), kin_str_of("2")))
        return kin_error_set(err, KIN_ETYPE, "rejected");
    *ret = kin_object_ref(object);
    return 0;
}

/* Likewise, and "a" gets another name. */
static int reject_and_rename(const kin_object *object, const kin_object **ret, void *arg,
                             kin_error *err)
{
    if (strcmp(kin_object_key(object), "default/a") != 0)
        return reject_later_b(object, ret, arg, err);
    *ret = kin_test_pod("renamed:1");
    return 0;
}

/* The second list has another state of b, and no c. */
static void relist_rejected(kin_test_stage *stage)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_test_pull *pull = kin_test_start(stage, "5", "a:1 b:2 c:3");

    kin_test_await_version(stage, "5");
    kin_test_pull_error_event(pull, &expired);
    assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(stage->clock, 10 * KIN__SECOND, NULL), 0);
    kin_test_pull_list(kin_test_source_await(stage->source, 2), "9", "a:1 b:8");
    kin_test_await_version(stage, "9");
    assert_int_equal(count_skipped(stage), 1);
}

static void only_the_rejected_one_stays(kin_test_stage *stage)
{
    relist_rejected(stage);
    kin_test_stage_has(stage, "a:1 b:2");
    assert_false(await_gaps(stage, 1).keeps_missing);
}

static void all_stay(kin_test_stage *stage)
{
    relist_rejected(stage);
    kin_test_stage_has(stage, "b:2 c:3 renamed:1");
    assert_true(await_gaps(stage, 1).keeps_missing);
}

/* A list deletes what it lacks, however often the transformer rejects one of its objects. */
static void a_rejected_object_hides_no_deletion(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    options.transform = reject_later_b;
    kin_test_with_each_queue_and(&options, only_the_rejected_one_stays);
    /* The cache may have the rejected object under another name. */
    options.transform = reject_and_rename;
    kin_test_with_each_queue_and(&options, all_stay);
}

static void an_event_that_cannot_be_read_is_skipped(void **state)
{
    (void)state;
    kin_test_with_each_queue(unreadable_event);
}

/* --- who waits for a handler --- */

struct waiter {
    kin_registration *registration;
    kin_test_latch begins;
    kin_error err;
    int code;
};

static void *wait_for_sync(void *arg)
{
    struct waiter *waiter = arg;

    kin_test_latch_raise(&waiter->begins);
    waiter->code = kin_registration_wait_synced(waiter->registration, -1, &waiter->err);
    return NULL;
}

/* What is waited for will not come: who waits is told so, and can wait again after another start. */
static void a_stop_ends_the_wait(kin_test_stage *stage)
{
    struct waiter waiter = {.err = KIN_ERROR_INIT};
    kin_registration *late = NULL;
    kin_test_pull *list;
    pthread_t thread;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_registration_wait_synced(stage->registration, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    list = kin_test_source_await(stage->source, 0);
    kin_test_latch_init(&waiter.begins);
    waiter.registration = stage->registration;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_sync, &waiter), 0);
    kin_test_latch_wait(&waiter.begins, 1);
    kin_test_stop_at(stage, list);
    pthread_join(thread, NULL);
    assert_code(waiter.code, KIN_ECLOSED);
    assert_non_null(strstr(waiter.err.message, "stopped"));
    assert_false(kin_registration_has_synced(stage->registration));
    /* One that comes now waits for the same. */
    assert_code(kin_informer_add_handler(stage->informer, &late, kin_test_handle, &stage->handler,
                                         NULL, NULL),
                0);
    assert_code(kin_registration_wait_synced(late, -1, NULL), KIN_ECLOSED);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    assert_code(kin_registration_wait_synced(late, 0, NULL), KIN_ETIMEOUT);
    kin_test_pull_list(kin_test_source_await(stage->source, 1), "5", "a:1");
    assert_code(kin_registration_wait_synced(late, -1, NULL), 0);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_registration_unref(late);
    kin_test_latch_done(&waiter.begins);
}

/* What was received is told, also when the informer has stopped. */
static void a_stop_after_the_list_does_not(kin_test_stage *stage)
{
    kin_registration *late = NULL;
    kin_test_pull *watch;

    watch = kin_test_start(stage, "5", "a:1 b:2");
    kin_test_await_version(stage, "5");
    kin_test_stop_at(stage, watch);
    assert_code(kin_informer_add_handler(stage->informer, &late, kin_test_handle, &stage->handler,
                                         NULL, NULL),
                0);
    assert_code(kin_registration_wait_synced(late, -1, NULL), 0);
    kin_registration_unref(late);
}

static void nobody_waits_for_a_handler_for_ever(void **state)
{
    (void)state;
    kin_test_with_each_queue(a_stop_ends_the_wait);
    kin_test_with_each_queue(a_stop_after_the_list_does_not);
}

/* --- times --- */

/* The clock runs: what is asked for twice is the same all the same, so that one can tell an error from the next. */
static void a_time_of_day_stays(void **state)
{
    static const kin_test_failure_of denied = {.code = KIN_EDENIED, .http_status = 403};
    kin_test_stage *stage = kin_test_stage_new();
    kin_informer_status first;

    (void)state;
    stage->options.clock = kin_clock_system();
    kin_test_stage_make(stage);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(stage->source, 0), &denied, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    first = kin_test_informer_status(stage);
    assert_true(first.last_error_unix_ns > 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(kin_test_informer_status(stage).last_error_unix_ns,
                         first.last_error_unix_ns);
    kin_test_stage_free(stage);
}

/* --- the status callback --- */

struct watcher {
    kin_test_latch entered;
    kin_test_latch may_return;
    kin_test_latch left;
    bool is_held;
    int wait_code;
    int look_code;
    pthread_mutex_t lock;
    unsigned n_inside;     /* (lock) */
    unsigned max_inside;   /* (lock) */
    kin_informer_state at; /* (lock) the last that was seen */
    bool is_synced;        /* (lock) */
    unsigned n_calls;
};

static void watcher_init(struct watcher *w)
{
    memset(w, 0, sizeof(*w));
    pthread_mutex_init(&w->lock, NULL);
    kin_test_latch_init(&w->entered);
    kin_test_latch_init(&w->may_return);
    kin_test_latch_init(&w->left);
}

static void watcher_done(struct watcher *w)
{
    kin_test_latch_done(&w->left);
    kin_test_latch_done(&w->may_return);
    kin_test_latch_done(&w->entered);
    pthread_mutex_destroy(&w->lock);
}

static void on_changed(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct watcher *w = arg;

    pthread_mutex_lock(&w->lock);
    w->n_inside++;
    if (w->n_inside > w->max_inside)
        w->max_inside = w->n_inside;
    w->n_calls++;
    unsigned n = w->n_calls;
    pthread_mutex_unlock(&w->lock);
    kin_test_latch_raise(&w->entered);
    if (w->is_held)
        kin_test_latch_wait(&w->may_return, n);
    w->wait_code = kin_informer_wait_synced(informer, -1, NULL);
    w->look_code = kin_informer_wait_stopped(informer, 0, NULL);
    kin_informer_get_status(informer, &status, NULL);
    pthread_mutex_lock(&w->lock);
    w->at = status.state;
    w->is_synced = status.is_synced;
    w->n_inside--;
    pthread_mutex_unlock(&w->lock);
    kin_test_latch_raise(&w->left);
}

/* Held up in its first call: all that happens meanwhile is one more call, or two. */
static void changes_are_told_as_one(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;
    kin_test_pull *watch;
    struct watcher w;

    (void)state;
    watcher_init(&w);
    w.is_held = true;
    options.changed = on_changed;
    options.changed_arg = &w;
    stage = kin_test_stage_with(&options);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    kin_test_latch_wait(&w.entered, 1);
    /* The reflector goes on: it lists, and watch after watch is begun, none of which lasts. */
    kin_test_pull_list(kin_test_source_await(stage->source, 0), "5", "a:1");
    for (size_t i = 1; i < 6; i++) {
        kin_test_pull_event(kin_test_source_await(stage->source, i), KIN_WATCH_MODIFIED, "a:6");
        kin_test_pull_close(kin_test_source_await(stage->source, i));
    }
    watch = kin_test_source_await(stage->source, 6);
    for (unsigned i = 0; i < 8; i++)
        kin_test_latch_raise(&w.may_return);
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    kin_informer_stop(stage->informer);
    kin_test_pull_await_cancel(watch);
    kin_test_pull_close(watch);
    assert_code(kin_informer_wait_stopped(stage->informer, -1, NULL), 0);
    kin_informer_free(stage->informer);
    stage->informer = NULL;
    /* Started; listed, watching and synced; stopping; stopped. */
    assert_in_range(w.n_calls, 3, 5);
    assert_int_equal(w.max_inside, 1);
    assert_int_equal(w.at, KIN_INFORMER_STOPPED);
    assert_true(w.is_synced);
    /* To wait within it would never end. */
    assert_code(w.wait_code, KIN_EBUSY);
    assert_code(w.look_code, 0);
    kin_test_stage_free(stage);
    watcher_done(&w);
}

/* --- writers --- */

static void write_to(kin_test_stage *stage, const char *key)
{
    const kin_object *pod = NULL;

    assert_code(kin_store_get(kin_informer_store(stage->informer), &pod, kin_str_of(key), NULL), 0);
    char *version = kin__unconst(kin_object_resource_version(pod).data);

    version[0] = '9';
    kin_object_unref(pod);
}

static void find_writer(const kin_informer_options *given, bool is_found)
{
    kin_informer_options options = *given;
    kin_test_stage *stage;
    struct watcher w;

    watcher_init(&w);
    options.changed = on_changed;
    options.changed_arg = &w;
    stage = kin_test_stage_with(&options);
    kin_test_start(stage, "5", "a:1 b:2");
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    if (is_found) {
        unsigned n_calls;

        assert_code(kin_clock_await_waiters(stage->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        write_to(stage, "default/a");
        pthread_mutex_lock(&w.lock);
        n_calls = w.n_calls;
        pthread_mutex_unlock(&w.lock);
        assert_code(kin_clock_advance(stage->clock, KIN__SECOND, NULL), 0);
        kin_test_latch_wait(&w.left, n_calls + 1);
        while (kin_test_informer_status(stage).altered == 0)
            kin_test_latch_wait(&w.left, ++n_calls + 1);
        assert_int_equal(kin_test_informer_status(stage).altered, 1);
        assert_true(kin_test_stage_logged(stage, "default/a", "pods"));
    } else {
        /* Nothing waits for the clock. */
        assert_code(kin_clock_advance(stage->clock, 60 * KIN__SECOND, NULL), 0);
        assert_int_equal(kin_test_informer_status(stage).altered, 0);
    }
    kin_test_stage_free(stage);
    watcher_done(&w);
}

static void who_writes_to_objects_is_found(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)state;
    unsetenv("KIN_CACHE_MUTATION_DETECTOR");
    unsetenv("KUBE_CACHE_MUTATION_DETECTOR");
    find_writer(&options, false);
    options.detect_mutations = true;
    find_writer(&options, true);
    options.detect_mutations = false;
    setenv("KUBE_CACHE_MUTATION_DETECTOR", "true", 1);
    find_writer(&options, true);
    unsetenv("KUBE_CACHE_MUTATION_DETECTOR");
}

/* --- objects without versions --- */

/* A handler that wants no resyncs receives each update; one that wants them can tell the two apart. */
static void without_versions(kin_test_stage *stage)
{
    kin_handler_options never = KIN_HANDLER_OPTIONS_INIT;
    static kin_test_handler other;
    kin_test_pull *watch;

    kin_test_handler_init(&other);
    kin_test_add_handler(stage, NULL);
    never.resync_ms = -1;
    assert_code(
        kin_informer_add_handler(stage->informer, NULL, kin_test_handle, &other, &never, NULL), 0);
    watch = kin_test_start(stage, "", "a");
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a");
    kin_test_assert_told(&other, 2, "+a! ~a> ");
    kin_test_assert_told(&stage->handler, 2, "+a! ~a> ");
    kin_test_advance(stage, 10);
    kin_test_assert_told(&stage->handler, 3, "+a! ~a> ~a>= ");
    /* An update behind the resync, so that a resync for the other handler would have come before it. */
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a");
    kin_test_assert_told(&other, 3, "+a! ~a> ~a> ");
    kin_test_stop_at(stage, watch);
    kin_informer_free(stage->informer);
    stage->informer = NULL;
    kin_test_handler_done(&other);
}

static void updates_without_versions_are_not_resyncs(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    (void)context;
    options.resync_ms = 10000;
    kin_test_with_each_queue_and(&options, without_versions);
}

/* --- a strand that is held up --- */

struct index_gate {
    kin_test_latch inside;
    kin_test_latch go;
    atomic_bool is_closed;
};

static int wait_in_index(const kin_object *object, kin_index_values *values, void *arg,
                         kin_error *err)
{
    struct index_gate *gate = arg;

    (void)object;
    (void)values;
    (void)err;
    if (!atomic_exchange(&gate->is_closed, false))
        return 0;
    kin_test_latch_raise(&gate->inside);
    kin_test_latch_wait(&gate->go, 1);
    return 0;
}

/* Many changes of few objects, while an index function does not return. */
static void changes_behind_a_blocked_index_function_are_merged(void **state)
{
    enum { CHANGES = 60000, PODS = 10, MAX = 10000 + 2 * PODS };
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_index index = KIN_INDEX_INIT("slow", wait_in_index);
    struct index_gate gate;
    kin_test_pull *watch;
    size_t live;
    char text[32];

    (void)state;
    kin_test_latch_init(&gate.inside);
    kin_test_latch_init(&gate.go);
    atomic_init(&gate.is_closed, false);
    index.arg = &gate;
    assert_code(kin_informer_add_index(stage->informer, &index, NULL), 0);
    watch = kin_test_start(stage, "1", "pod-0:1");
    atomic_store(&gate.is_closed, true);
    assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "pod-0:2"), 0);
    kin_test_latch_wait(&gate.inside, 1);
    live = kin_test_alloc_live();
    for (unsigned i = 3; i < CHANGES + 3; i++) {
        snprintf(text, sizeof(text), "pod-%u:%u", i % PODS, i);
        assert_code(kin_test_pull_event(watch, KIN_WATCH_MODIFIED, text), 0);
    }
    /* An object is a block or two. */
    assert_true(kin_test_alloc_live() - live < (size_t)2 * MAX + 1000);
    kin_test_latch_raise(&gate.go);
    snprintf(text, sizeof(text), "%d", CHANGES + 2);
    kin_test_await_version(stage, text);
    kin_test_stop_at(stage, watch);
    kin_test_stage_free(stage);
    kin_test_latch_done(&gate.inside);
    kin_test_latch_done(&gate.go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_stays_as_it_was),
        cmocka_unit_test(only_what_cannot_be_read_stays),
        cmocka_unit_test(a_rejected_object_hides_no_deletion),
        cmocka_unit_test(what_waits_is_newer),
        cmocka_unit_test(an_event_that_cannot_be_read_is_skipped),
        cmocka_unit_test(gaps_heal),
        cmocka_unit_test(nobody_waits_for_a_handler_for_ever),
        cmocka_unit_test(times_that_make_no_sense_are_refused),
        cmocka_unit_test(a_time_of_day_stays),
        cmocka_unit_test(changes_are_told_as_one),
        cmocka_unit_test(who_writes_to_objects_is_found),
        cmocka_unit_test(updates_without_versions_are_not_resyncs),
        cmocka_unit_test(changes_behind_a_blocked_index_function_are_merged),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
