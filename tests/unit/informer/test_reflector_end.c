/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors that are stopped anywhere, and that run out of memory anywhere.
 *
 * One life goes through all that a reflector does: a streaming list that the server does not have, pages,
 * changes, a watch that ends, one that is told to wait, one that has expired, a list that is refused, a
 * resync. The source answers at once, from the thread that asks; the test moves the clock. It is stopped
 * at each place where the reflector calls somebody, by whom it calls; then each allocation fails.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "life_support.h"
#include "oom.h"
#include "source.h"

enum { MAX_RETRIES = 12 };

struct life {
    kin_test_life base;
    kin_store *store;
    kin_test_source *source;
    kin_reflector *reflector;
    bool streams; /* streaming lists come to their end */
};

static void called(struct life *life)
{
    kin_test_life_called(&life->base);
}

static void end(void *arg, bool frees)
{
    struct life *life = arg;

    if (frees)
        kin_reflector_free(life->reflector);
    else
        kin_reflector_stop(life->reflector);
}

/* --- the source --- */

static void close_with(kin_test_pull *op, int code, int http_status, const char *reason)
{
    kin_test_pull_error_event(
        op, &(kin_test_failure_of){.code = code, .http_status = http_status, .reason = reason});
}

static void answer_watch(kin_test_pull *op)
{
    int64_t version = atoll(op->version);
    int code = 0;

    if (version >= 20)
        return; /* the last: it waits */
    if (version <= 10)
        code = kin_test_pull_event(op, KIN_WATCH_ADDED, "c:11");
    if (code == 0 && version <= 11)
        code = kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12");
    else if (code == 0 && version == 12)
        code = kin_test_pull_event(op, KIN_WATCH_DELETED, "c:13");
    else if (code == 0)
        code = kin_test_pull_bookmark(op, "15", false);
    if (code < 0)
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_ENOMEM}, true);
    else if (version <= 11)
        kin_test_pull_close(op);
    else if (version == 12)
        close_with(op, KIN_ESERVER, 429, "TooManyRequests");
    else
        close_with(op, KIN_EEXPIRED, 410, "Expired");
}

static void answer_list(kin_test_pull *op)
{
    if (strcmp(op->version, "0") == 0) {
        if (kin_test_pull_item(op, "a:1") == 0)
            kin_test_pull_list_done(op, "10", "next");
    } else if (op->token[0]) {
        if (kin_test_pull_item(op, "b:2") == 0)
            kin_test_pull_list_done(op, "10", NULL);
    } else if (op->version[0]) {
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_EEXPIRED, .http_status = 410},
                           false);
    } else {
        kin_test_pull_list(op, "20", "a:12 d:20");
    }
    /* A callback has refused. */
    if (!op->ended)
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_ENOMEM}, false);
}

/* With changes before its end, which are held until then. */
static void answer_stream(kin_test_pull *op)
{
    int code = kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");

    if (code == 0)
        code = kin_test_pull_event(op, KIN_WATCH_ADDED, "d:20");
    if (code == 0)
        code = kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
    if (code == 0)
        code = kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12");
    if (code == 0)
        code = kin_test_pull_event(op, KIN_WATCH_DELETED, "b:13");
    if (code == 0)
        code = kin_test_pull_bookmark(op, "20", true);
    if (code < 0)
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_ENOMEM}, true);
}

static int on_begin(kin_test_pull *op, void *arg, kin_error *err)
{
    (void)err;
    called(arg);
    if (op->is_list)
        answer_list(op);
    else if (op->streams && ((struct life *)arg)->streams)
        answer_stream(op);
    else if (op->streams)
        kin_test_pull_fail(op, &(kin_test_failure_of){.code = KIN_EREFUSED, .http_status = 400},
                           false);
    else
        answer_watch(op);
    return 0;
}

/* --- the store --- */

#define PUT_FN(name)                                                                               \
    static int name(const kin_object *object, void *arg, kin_error *err)                           \
    {                                                                                              \
        struct life *life = arg;                                                                   \
                                                                                                   \
        called(life);                                                                              \
        return kin_store_##name(life->store, object, err);                                         \
    }
PUT_FN(add)
PUT_FN(update)
PUT_FN(delete)

static int begin_replace(kin_replace **ret, void *arg, kin_error *err)
{
    struct life *life = arg;

    called(life);
    return kin_store_replace_begin(life->store, ret, err);
}

static int resync(void *arg, kin_error *err)
{
    (void)err;
    called(arg);
    return 0;
}

static int bookmark(kin_str version, void *arg, kin_error *err)
{
    (void)version;
    (void)err;
    called(arg);
    return 0;
}

/* --- a life --- */

static void on_gone(void *arg)
{
    struct life *life = arg;

    kin_test_life_on_gone(&life->base);
}

static int life_make(struct life *life, kin_error *err)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_store store = KIN_REFLECTOR_STORE_INIT;
    int code = kin_test_life_make(&life->base, err);

    if (code == 0)
        code = kin_store_new(&life->store, NULL, err);
    if (code < 0)
        return code;
    store.add = add;
    store.update = update;
    store.delete_ = delete;
    store.replace_begin = begin_replace;
    store.resync = resync;
    store.bookmark = bookmark;
    store.arg = life;
    store.arg_free = on_gone;
    kin_test_life_options(&life->base, &options);
    options.api_version = "v1";
    options.kind = "Pod";
    return kin_reflector_new(&life->reflector, kin_test_source_list_watch(life->source), &store,
                             &options, err);
}

static void life_init(struct life *life)
{
    memset(life, 0, sizeof(*life));
    kin_test_life_init(&life->base, end, life);
    life->source = kin_test_source_new(true);
    kin_test_source_on_begin(life->source, on_begin, life);
}

static void life_done(struct life *life)
{
    if (!kin_test_life_was_freed(&life->base))
        kin_reflector_free(life->reflector);
    kin_test_source_free(life->source);
    kin_test_life_done(&life->base, life->reflector ? 2 : 0);
    kin_store_unref(life->store);
}

/*
 * Move the clock until the last watch waits, 20 is there and a resync was; or a call ends it, or it has
 * failed too often. False in the last case.
 */
static bool live(struct life *life)
{
    for (;;) {
        kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
        size_t seen = kin_test_life_calls(&life->base);

        if (kin_test_life_is_ending(&life->base))
            return true;
        kin_reflector_get_status(life->reflector, &status, NULL);
        if (status.retries > MAX_RETRIES)
            return false;
        if (strcmp(status.resource_version, "20") == 0 && status.resyncs > 0 &&
            status.state == KIN_REFLECTOR_WATCHING)
            return true;
        if (status.state == KIN_REFLECTOR_WATCHING)
            kin_test_life_pass(&life->base, 100 * KIN__MILLISECOND);
        else if (status.backoff_until > kin_clock_now(life->base.clock))
            kin_test_life_pass(&life->base, status.backoff_until - kin_clock_now(life->base.clock));
        else
            kin_test_life_await_call(&life->base, seen);
    }
}

static void start(struct life *life)
{
    assert_code(life_make(life, NULL), 0);
    assert_code(kin_reflector_start(life->reflector, NULL), 0);
}

/* Nothing comes behind the end. How many calls there were. */
static size_t stop(struct life *life)
{
    size_t n;

    kin_reflector_stop(life->reflector);
    assert_code(kin_reflector_wait(life->reflector, -1, NULL), 0);
    n = kin_test_life_close(&life->base);
    life_done(life);
    assert_int_equal(life->base.n_after, 0);
    return n;
}

static size_t live_and_stop(size_t stop_at)
{
    struct life life;

    life_init(&life);
    life.base.at = stop_at;
    start(&life);
    assert_true(live(&life));
    return stop(&life);
}

static void goes_through_all(void **state)
{
    struct life life;
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    (void)state;
    life_init(&life);
    start(&life);
    assert_true(live(&life));
    assert_code(kin_reflector_get_status(life.reflector, &status, NULL), 0);
    assert_int_equal(status.lists, 2);
    assert_int_equal(status.events, 3);
    assert_int_equal(status.bookmarks, 1);
    assert_int_equal(kin_store_len(life.store), 2);
    life_done(&life);
}

/* Each call in its turn stops it: nothing hangs, nothing comes behind the end, all is given back. */
static void stops_at_each_call(void **state)
{
    size_t n = live_and_stop(0);

    (void)state;
    assert_true(n > 20);
    for (size_t i = 1; i <= n + 2; i++)
        live_and_stop(i);
}

static void is_freed_at_each_call(void **state)
{
    size_t n = live_and_stop(0);

    (void)state;
    for (size_t i = 1; i <= n; i++) {
        struct life life;

        life_init(&life);
        life.base.at = i;
        life.base.frees = true;
        start(&life);
        /* It is not looked at any more: resyncs see to it that there are always more calls. */
        while (!kin_test_life_was_freed(&life.base))
            kin_test_life_pass(&life.base, 50 * KIN__MILLISECOND);
        life_done(&life);
    }
}

/* From another thread, at any moment. */
static void stops_at_any_moment(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct life life;

        life_init(&life);
        start(&life);
        for (unsigned i = 0; i < round; i++) {
            kin_clock_advance(life.base.clock, 20 * KIN__MILLISECOND, NULL);
            sched_yield(); /* any moment will do: nothing is waited for */
        }
        stop(&life);
    }
}

/* --- memory --- */

/* Whatever has failed on the way, "20" is "a:12 d:20". */
static bool is_right(struct life *life)
{
    const kin_object *pod = NULL;
    bool is_right = kin_store_len(life->store) == 2 &&
                    kin_store_get(life->store, NULL, kin_str_of("default/d"), NULL) == 0 &&
                    kin_store_get(life->store, &pod, kin_str_of("default/a"), NULL) == 0 &&
                    kin_str_equal(kin_object_resource_version(pod), kin_str_of("12"));

    kin_object_unref(pod);
    return is_right;
}

static int whole_life(void *arg, kin_error *err)
{
    struct life life;
    int code;

    life_init(&life);
    life.streams = *(const bool *)arg;
    code = life_make(&life, err);
    if (code == 0)
        code = kin_reflector_start(life.reflector, err);
    if (code == 0 && !live(&life))
        code = kin_error_set(err, KIN_ENOMEM, "it fails over and over");
    if (code == 0 && !is_right(&life))
        code = kin_error_set(err, KIN_EINVAL, "the store is not as it should be");
    life_done(&life);
    return code;
}

static void survives_without_memory(void **state)
{
    bool streams = false;

    (void)state;
    kin_test_fail_each_allocation(whole_life, &streams);
}

static void streams_without_memory(void **state)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    bool streams = true;
    struct life life;

    (void)state;
    life_init(&life);
    life.streams = true;
    start(&life);
    assert_true(live(&life));
    assert_code(kin_reflector_get_status(life.reflector, &status, NULL), 0);
    assert_int_equal(status.streams, 1);
    assert_int_equal(status.lists, 1);
    life_done(&life);
    kin_test_fail_each_allocation(whole_life, &streams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_through_all),        cmocka_unit_test(stops_at_each_call),
        cmocka_unit_test(is_freed_at_each_call),   cmocka_unit_test(stops_at_any_moment),
        cmocka_unit_test(survives_without_memory), cmocka_unit_test(streams_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
