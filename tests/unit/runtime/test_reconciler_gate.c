/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read your writes: a key is not reconciled again before the cache has seen what was written for it.
 */
#include "reconciler_support.h"

#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "kinform/metadata.h"
#include "runtime/reconciler.h"

/* Each call for "default/a" has written version 7. */
static int write_seven(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    (void)n;
    if (strcmp(kin_reconcile_key(call).data, "default/a") != 0)
        return 0;
    return kin_reconcile_wrote_version(call, test->stage->informer, kin_str_of("7"), err);
}

static void add(kin_test_reconciler *test, const char *key)
{
    assert_code(kin_work_queue_add(kin_reconciler_queue(test->reconciler), kin_str_of(key), NULL),
                0);
}

/* It has written, and is wanted again: it is parked. */
static kin_test_reconciler *with_parked(kin_test_step_fn *step)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, step, false, "a:1");

    kin_test_latch_wait(&test->calls, 1);
    add(test, "default/a");
    kin_test_until(kin_test_reconciler_status(test).n_parked == 1);
    return test;
}

static void a_key_waits_for_what_was_written_and_no_worker_does(void **state)
{
    kin_test_reconciler *test = with_parked(write_seven);

    (void)state;
    /* The only worker goes on. */
    add(test, "other");
    kin_test_assert_reconciled(test, 2, "default/a other ");
    /* Earlier versions do not let it go. */
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "b:6");
    kin_test_assert_reconciled(test, 3, "default/a other default/b ");
    kin_test_await_version(test->stage, "6");
    add(test, "another");
    kin_test_assert_reconciled(test, 4, "default/a other default/b another ");
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "c:7");
    kin_test_latch_wait(&test->calls, 6);
    pthread_mutex_lock(&test->lock);
    assert_non_null(strstr(test->text + strlen("default/a "), "default/a "));
    pthread_mutex_unlock(&test->lock);
    assert_int_equal(kin_test_reconciler_status(test).n_parked, 0);
    assert_int_equal(kin_test_reconciler_status(test).parked, 1);
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 0);
    kin_test_reconciler_free(test);
}

/* A bookmark tells of a version without an object. */
static void a_bookmark_lets_it_go(void **state)
{
    kin_test_reconciler *test = with_parked(write_seven);

    (void)state;
    kin_test_pull_bookmark(test->watch, "9", false);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

static void what_was_seen_already_parks_nothing(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_seven, false, "b:1");

    (void)state;
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "c:8");
    kin_test_await_version(test->stage, "8");
    kin_test_latch_wait(&test->calls, 2);
    add(test, "default/a");
    kin_test_latch_wait(&test->calls, 3);
    add(test, "default/a");
    kin_test_latch_wait(&test->calls, 4);
    assert_int_equal(kin_test_reconciler_status(test).parked, 0);
    kin_test_reconciler_free(test);
}

/* Lost, or of another world: it comes back all the same. */
static void a_write_that_never_shows_up_is_not_waited_for_for_ever(void **state)
{
    kin_test_reconciler *test = with_parked(write_seven);

    (void)state;
    kin_test_advance(test->stage, 9);
    assert_int_equal(kin_test_reconciler_status(test).n_parked, 1);
    kin_test_advance(test->stage, 1);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 1);
    assert_true(kin_test_stage_logged(test->stage, "key=default/a", "version=7"));
    kin_test_reconciler_free(test);
}

/* A key that nobody wants is not reconciled because its write was seen. */
static void seeing_a_write_is_no_reason_to_reconcile(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_seven, false, "a:1");

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "c:7");
    kin_test_assert_reconciled(test, 2, "default/a default/c ");
    kin_test_await_version(test->stage, "7");
    add(test, "last");
    kin_test_assert_reconciled(test, 3, "default/a default/c last ");
    kin_test_reconciler_free(test);
}

static int write_and_fail(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                          kin_error *err)
{
    const kin_object *pod;

    if (n > 1)
        return 0;
    pod = kin_test_pod("a:7");
    assert_code(kin_reconcile_wrote(call, test->stage->informer, pod, err), 0);
    kin_object_unref(pod);
    return KIN_ECONFLICT;
}

/* The retry comes due, and waits for the object that was written before. */
static void a_retry_waits_for_it_too(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_and_fail, false, "a:1");

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    kin_test_until(kin_test_reconciler_status(test).n_delayed == 1);
    kin_test_advance(test->stage, 1);
    kin_test_until(kin_test_reconciler_status(test).n_parked == 1);
    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "a:7");
    kin_test_latch_wait(&test->calls, 2);
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 0);
    kin_test_reconciler_free(test);
}

static int write_an_object(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                           kin_error *err)
{
    const kin_object *pod;

    if (n > 1)
        return 0;
    pod = kin_test_pod("a:7");
    assert_code(kin_reconcile_wrote(call, test->stage->informer, pod, err), 0);
    kin_object_unref(pod);
    return 0;
}

/* Somebody else has deleted it: nothing under its key will ever have that version. */
static void an_object_that_is_gone_is_not_waited_for(void **state)
{
    kin_test_reconciler *test = with_parked(write_an_object);

    (void)state;
    kin_test_pull_event(test->watch, KIN_WATCH_DELETED, "a:8");
    kin_test_latch_wait(&test->calls, 2);
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 0);
    kin_test_reconciler_free(test);
}

static int key_of_name(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    *ret = kin_object_name(object);
    return 0;
}

/*
 * The informer has a key function. The key of an object is the informer's, and so is that of a write: the store has the
 * object in the version that was written, which is the last proof before a bookmark.
 */
static void the_informers_keys_count(void **state)
{
    kin_informer_options informer = KIN_INFORMER_OPTIONS_INIT;
    kin_test_reconciler *test;

    (void)state;
    informer.key = key_of_name;
    test = kin_test_reconciler_new_over(&informer);
    test->step = write_an_object;
    kin_test_reconciler_make(test, NULL);
    assert_code(
        kin_reconciler_watch(test->reconciler, test->stage->informer, NULL, NULL, NULL, NULL), 0);
    kin_test_reconciler_start(test, "a:1");
    kin_test_assert_reconciled(test, 1, "a ");
    add(test, "a");
    kin_test_until(kin_test_reconciler_status(test).n_parked == 1);
    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "a:7");
    kin_test_latch_wait(&test->calls, 2);
    pthread_mutex_lock(&test->lock);
    assert_null(strstr(test->text, "default/"));
    pthread_mutex_unlock(&test->lock);
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 0);
    kin_test_reconciler_free(test);
}

static int write_nonsense(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                          kin_error *err)
{
    kin_informer *informer = test->stage->informer;
    const kin_object *bare = kin_test_json("{\"metadata\":{\"name\":\"a\"}}");

    (void)n;
    assert_code(kin_reconcile_wrote(NULL, informer, bare, err), KIN_EINVAL);
    assert_code(kin_reconcile_wrote(call, informer, NULL, err), KIN_EINVAL);
    assert_code(kin_reconcile_wrote(call, informer, bare, err), KIN_EINVAL);
    assert_code(kin_reconcile_wrote_version(call, NULL, kin_str_of("7"), err), KIN_EINVAL);
    assert_code(kin_reconcile_wrote_version(NULL, informer, kin_str_of("7"), err), KIN_EINVAL);
    assert_code(kin_reconcile_wrote_version(call, informer, kin_str_of("x"), err), KIN_EPARSE);
    kin_object_unref(bare);
    return 0;
}

static void writes_that_make_no_sense(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_nonsense, false, "a:1");

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    add(test, "default/a");
    kin_test_latch_wait(&test->calls, 2);
    kin_test_reconciler_free(test);
}

static void the_gate_can_be_left_out(void **state)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_test_reconciler *test;

    (void)state;
    options.write_timeout_ms = -1;
    test = kin_test_reconciler_with(&options, write_seven, false, "a:1");
    kin_test_latch_wait(&test->calls, 1);
    add(test, "default/a");
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

/* More milliseconds than there are nanoseconds: for ever, which is not the same as not at all. */
static void a_time_that_never_ends_leaves_the_gate_closed(void **state)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_test_reconciler *test;

    (void)state;
    options.write_timeout_ms = INT64_MAX / 1000;
    test = kin_test_reconciler_with(&options, write_seven, false, "a:1");
    kin_test_latch_wait(&test->calls, 1);
    add(test, "default/a");
    kin_test_until(
        kin_test_reconciler_status(test).parked + kin_test_reconciler_status(test).done == 2);
    assert_int_equal(kin_test_reconciler_status(test).n_parked, 1);
    kin_test_pull_bookmark(test->watch, "9", false);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

/* To reconcile it now would be to look at an old state: the next start does it. */
static void a_stop_drops_what_is_parked(void **state)
{
    kin_test_reconciler *test = with_parked(write_seven);

    (void)state;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_int_equal(test->n, 1);
    assert_int_equal(kin_test_reconciler_status(test).dropped, 1);
    kin_test_reconciler_free(test);
}

/* "default/a" has written, and is parked; the call for "slow" is held. */
static int write_and_be_held(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                             kin_error *err)
{
    if (strcmp(kin_reconcile_key(call).data, "slow") == 0)
        kin_test_latch_wait(&test->may_return, 1);
    return write_seven(test, call, n, err);
}

/* Its key waits at a gate, and once more behind a call that is held: it is one key. */
static kin_test_reconciler *with_parked_and_queued(void)
{
    kin_test_reconciler *test = with_parked(write_and_be_held);

    add(test, "slow");
    kin_test_latch_wait(&test->entered, 2);
    add(test, "default/a");
    assert_int_equal(kin_test_reconciler_status(test).n_queued, 1);
    assert_int_equal(kin_test_reconciler_status(test).n_parked, 1);
    return test;
}

static void a_key_that_is_parked_and_queued_is_dropped_once(void **state)
{
    static const kin_reconciler_end ends[] = {KIN_RECONCILER_DRAIN, KIN_RECONCILER_DROP};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kin_test_reconciler *test = with_parked_and_queued();

        kin_reconciler_stop(test->reconciler, ends[i]);
        kin_test_latch_raise(&test->may_return);
        assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
        assert_int_equal(test->n, 2);
        assert_int_equal(kin_test_reconciler_status(test).dropped, 1);
        kin_test_reconciler_free(test);
    }
}

/* The write was seen after the stop: what is queued is reconciled, and nothing is dropped. */
static void a_key_that_is_drained_is_not_dropped(void **state)
{
    kin_test_reconciler *test = with_parked_and_queued();

    (void)state;
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    kin_test_pull_bookmark(test->watch, "9", false);
    kin_test_await_version(test->stage, "9");
    kin_test_latch_raise(&test->may_return);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_string_equal(test->text, "default/a slow default/a ");
    assert_int_equal(kin_test_reconciler_status(test).dropped, 0);
    kin_test_reconciler_free(test);
}

/* An informer that has ended will never see it. */
static void an_informer_that_has_ended_is_not_waited_for(void **state)
{
    kin_test_reconciler *test = with_parked(write_seven);

    (void)state;
    kin_test_stop_at(test->stage, test->watch);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

/* Longer than the queue keeps room for: to add it takes memory. */
#define LONG_KEY                                                                                   \
    "a-key-of-more-than-a-hundred-bytes-a-key-of-more-than-a-hundred-bytes-a-key-of-more-than-a-hundred-bytes"

static int write_for_the_long_one(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                                  kin_error *err)
{
    if (n != 2)
        return 0;
    return kin_reconcile_wrote_version(call, test->stage->informer, kin_str_of("7"), err);
}

static void a_parked_key_is_not_lost_for_want_of_memory(void **state)
{
    kin_test_reconciler *test =
        kin_test_reconciler_with(NULL, write_for_the_long_one, false, "a:1");

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    add(test, LONG_KEY);
    kin_test_latch_wait(&test->calls, 2);
    add(test, LONG_KEY);
    kin_test_until(kin_test_reconciler_status(test).n_parked == 1);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin_test_advance(test->stage, 10);
    kin_test_until(kin_test_alloc_has_failed());
    kin_test_alloc_disarm();
    kin_test_advance_until(test->stage, 10 * KIN__MILLISECOND,
                           kin_test_latch_count(&test->calls) == 3);
    kin_test_assert_reconciled(test, 3, "default/a " LONG_KEY " " LONG_KEY " ");
    kin_test_reconciler_free(test);
}

/* --- many gates --- */

enum { N_GATES = KIN_TEST_SANITIZED ? 1000 : 10000, N_ROUNDS = 20, FIRST_VERSION = 100 };

/*
 * The n-th call for "s" writes version FIRST_VERSION + n. Other keys, which are numbers, write what is never seen: half
 * of them an object, the others a version.
 */
static int write_far(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    const char *key = kin_reconcile_key(call).data;
    kin_informer *informer = test->stage->informer;
    const kin_object *pod;
    char text[64];
    int code;

    if (strcmp(key, "default/a") == 0)
        return 0;
    if (strcmp(key, "s") == 0) {
        snprintf(text, sizeof(text), "%u", FIRST_VERSION + n - N_GATES - 1);
        return kin_reconcile_wrote_version(call, informer, kin_str_of(text), err);
    }
    if (n % 2 == 0)
        return kin_reconcile_wrote_version(call, informer, kin_str_of("9000000"), err);
    snprintf(text, sizeof(text), "p%s:9000000", key);
    pod = kin_test_pod(text);
    code = kin_reconcile_wrote(call, informer, pod, err);
    kin_object_unref(pod);
    return code;
}

static uint64_t n_checks(kin_test_reconciler *test)
{
    uint64_t n;

    kin__mutex_lock(&test->reconciler->lock);
    n = test->reconciler->n_checks;
    kin__mutex_unlock(&test->reconciler->lock);
    return n;
}

/* In each round the keeper lets one key go, so it has had a turn. */
static void a_turn_checks_only_the_gates_that_it_concerns(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_far, false, "a:1");
    char text[32];
    uint64_t before;

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    for (unsigned i = 0; i < N_GATES; i++) {
        snprintf(text, sizeof(text), "%u", i);
        add(test, text);
    }
    kin_test_latch_wait(&test->calls, N_GATES + 1);
    add(test, "s");
    kin_test_latch_wait(&test->calls, N_GATES + 2);
    before = n_checks(test);
    for (unsigned i = 1; i <= N_ROUNDS; i++) {
        add(test, "s");
        kin_test_until(kin_test_reconciler_status(test).n_parked == 1);
        snprintf(text, sizeof(text), "%u", FIRST_VERSION + i);
        kin_test_pull_bookmark(test->watch, text, false);
        kin_test_latch_wait(&test->calls, N_GATES + 2 + i);
    }
    /* For "s": after the call, when a worker gets the key, and by the keeper. */
    assert_in_range(n_checks(test) - before, 2 * N_ROUNDS, 5 * N_ROUNDS);
    /* Each of the others is there yet, and goes when its time is over. */
    kin_test_advance(test->stage, 10);
    kin_test_until(kin_test_reconciler_status(test).write_timeouts == N_GATES + 1);
    kin_test_reconciler_free(test);
}

static void all_gates_open_at_once(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_with(NULL, write_far, false, "a:1");
    size_t n_closed = 1;
    char text[32];

    (void)state;
    kin_test_latch_wait(&test->calls, 1);
    for (unsigned i = 0; i < N_GATES; i++) {
        snprintf(text, sizeof(text), "%u", i);
        add(test, text);
    }
    kin_test_latch_wait(&test->calls, N_GATES + 1);
    kin_test_pull_bookmark(test->watch, "9000000", false);
    kin_test_until((kin__mutex_lock(&test->reconciler->lock),
                    n_closed = kin__map_len(&test->reconciler->gates),
                    kin__mutex_unlock(&test->reconciler->lock), n_closed == 0));
    assert_int_equal(kin_test_reconciler_status(test).write_timeouts, 0);
    kin_test_reconciler_free(test);
}

/* More than 64 bits. */
static int write_a_long_version(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                                kin_error *err)
{
    if (n > 1)
        return 0;
    return kin_reconcile_wrote_version(call, test->stage->informer,
                                       kin_str_of("99999999999999999999"), err);
}

static void versions_may_be_longer_than_a_number(void **state)
{
    kin_test_reconciler *test = with_parked(write_a_long_version);

    (void)state;
    kin_test_pull_bookmark(test->watch, "9223372036854775807", false);
    kin_test_await_version(test->stage, "9223372036854775807");
    kin_test_pull_bookmark(test->watch, "99999999999999999998", false);
    kin_test_await_version(test->stage, "99999999999999999998");
    assert_int_equal(kin_test_reconciler_status(test).n_parked, 1);
    kin_test_pull_bookmark(test->watch, "99999999999999999999", false);
    kin_test_assert_reconciled(test, 2, "default/a default/a ");
    kin_test_reconciler_free(test);
}

/* --- an object is stored before its version counts as seen --- */

enum { N_PODS = 1500 }; /* more than one batch, and less than two */

struct hold {
    kin_test_latch inside;
    kin_test_latch go;
};

/* The store waits with the batches of these two. */
static int hold_up(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    struct hold *hold = arg;

    (void)values;
    (void)err;
    if (strcmp(kin_object_key(object), "default/x") == 0 &&
        kin_str_equal(kin_object_resource_version(object), kin_str_of("6"))) {
        kin_test_latch_raise(&hold->inside);
        kin_test_latch_wait(&hold->go, 1);
    } else if (strcmp(kin_object_key(object), "default/p1400") == 0) {
        kin_test_latch_raise(&hold->inside);
        kin_test_latch_wait(&hold->go, 2);
    }
    return 0;
}

static int no_keys(const kin_object *object, kin_reconcile_keys *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    (void)err;
    return 0;
}

/* The first calls write pod "a" twice over: two keys wait for the same object. */
static int write_twice(kin_test_reconciler *test, kin_reconcile *call, unsigned n, kin_error *err)
{
    return n > 2 ? 0 : write_an_object(test, call, 1, err);
}

static void a_stored_object_lets_its_keys_go_while_others_wait(void **state)
{
    kin_test_reconciler *test = kin_test_reconciler_new();
    kin_index index = KIN_INDEX_INIT("slow", hold_up);
    struct hold hold;
    char text[32];

    (void)state;
    kin_test_latch_init(&hold.inside);
    kin_test_latch_init(&hold.go);
    index.arg = &hold;
    assert_code(kin_informer_add_index(test->stage->informer, &index, NULL), 0);
    test->step = write_twice;
    kin_test_reconciler_make(test, no_keys);
    kin_test_reconciler_start(test, "x:1");
    add(test, "one");
    add(test, "two");
    kin_test_latch_wait(&test->calls, 2);
    add(test, "one");
    add(test, "two");
    kin_test_until(kin_test_reconciler_status(test).n_parked == 2);

    kin_test_pull_event(test->watch, KIN_WATCH_MODIFIED, "x:6");
    kin_test_latch_wait(&hold.inside, 1);
    kin_test_pull_event(test->watch, KIN_WATCH_ADDED, "a:7");
    for (unsigned i = 0; i < N_PODS; i++) {
        snprintf(text, sizeof(text), "p%u:%u", i, 8 + i);
        kin_test_pull_event(test->watch, KIN_WATCH_ADDED, text);
    }
    kin_test_latch_raise(&hold.go);
    kin_test_latch_wait(&hold.inside, 2);
    kin_test_latch_wait(&test->calls, 4);
    kin_test_latch_raise(&hold.go);
    kin_test_stop_at(test->stage, test->watch);
    kin_test_reconciler_free(test);
    kin_test_latch_done(&hold.inside);
    kin_test_latch_done(&hold.go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_waits_for_what_was_written_and_no_worker_does),
        cmocka_unit_test(a_bookmark_lets_it_go),
        cmocka_unit_test(what_was_seen_already_parks_nothing),
        cmocka_unit_test(a_write_that_never_shows_up_is_not_waited_for_for_ever),
        cmocka_unit_test(seeing_a_write_is_no_reason_to_reconcile),
        cmocka_unit_test(a_retry_waits_for_it_too),
        cmocka_unit_test(an_object_that_is_gone_is_not_waited_for),
        cmocka_unit_test(the_informers_keys_count),
        cmocka_unit_test(writes_that_make_no_sense),
        cmocka_unit_test(the_gate_can_be_left_out),
        cmocka_unit_test(a_time_that_never_ends_leaves_the_gate_closed),
        cmocka_unit_test(a_stop_drops_what_is_parked),
        cmocka_unit_test(a_key_that_is_parked_and_queued_is_dropped_once),
        cmocka_unit_test(a_key_that_is_drained_is_not_dropped),
        cmocka_unit_test(an_informer_that_has_ended_is_not_waited_for),
        cmocka_unit_test(a_parked_key_is_not_lost_for_want_of_memory),
        cmocka_unit_test(a_turn_checks_only_the_gates_that_it_concerns),
        cmocka_unit_test(all_gates_open_at_once),
        cmocka_unit_test(versions_may_be_longer_than_a_number),
        cmocka_unit_test(a_stored_object_lets_its_keys_go_while_others_wait),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
