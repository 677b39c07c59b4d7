/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows what: the reaction matrix, row by row.
 *
 * Each row brings a reflector to a place, lets something happen to the operation there, and looks at what
 * is begun next, whether it backed off before, and whether the error function was told.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "informer/reflector.h"
#include "reflector_support.h"

enum place {
    IN_LIST,   /* the first list */
    IN_BEGIN,  /* a watch that the server has not agreed to */
    IN_WATCH,  /* one that had an event, 11 */
    IN_STREAM, /* the first streaming list */
};

enum how {
    FAILS,  /* ends with the failure */
    EVENT,  /* an error event with it */
    LOST,   /* ends with the failure, after the server had agreed */
    CLOSES, /* comes to its end, at once */
    ENDS,   /* the same after two seconds */
};

enum next { LIST, WATCH, STREAM };

struct row {
    const char *name;
    enum place place;
    enum how how;
    kin_test_failure_of failure;
    bool backs_off;
    bool tells;
    enum next next;
    const char *version; /* of the next */
};

#define REFUSED                                                                                    \
    {                                                                                              \
        .code = KIN_ECONNECT, .os_error = ECONNREFUSED                                             \
    }
#define UNKNOWN_NAME                                                                               \
    {                                                                                              \
        .code = KIN_ECONNECT                                                                       \
    }
#define TOO_MANY                                                                                   \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 429, .reason = "TooManyRequests"                       \
    }
#define INTERNAL                                                                                   \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 500, .reason = "InternalError"                         \
    }
#define EXPIRED                                                                                    \
    {                                                                                              \
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"                              \
    }
#define GONE                                                                                       \
    {                                                                                              \
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Gone"                                 \
    }
#define FORBIDDEN                                                                                  \
    {                                                                                              \
        .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden"                             \
    }
#define UNAUTHORIZED                                                                               \
    {                                                                                              \
        .code = KIN_EDENIED, .http_status = 401, .reason = "Unauthorized"                          \
    }
#define NOT_FOUND                                                                                  \
    {                                                                                              \
        .code = KIN_ENOTFOUND, .http_status = 404, .reason = "NotFound"                            \
    }
#define UNAVAILABLE                                                                                \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 503, .reason = "ServiceUnavailable"                    \
    }
#define BUSY(status)                                                                               \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = status, .retry_after_ms = 10                           \
    }
#define BAD_REQUEST                                                                                \
    {                                                                                              \
        .code = KIN_EREFUSED, .http_status = 400, .reason = "BadRequest"                           \
    }
#define NOT_ALLOWED                                                                                \
    {                                                                                              \
        .code = KIN_EREFUSED, .http_status = 405, .reason = "MethodNotAllowed"                     \
    }
#define INVALID                                                                                    \
    {                                                                                              \
        .code = KIN_EREFUSED, .http_status = 422, .reason = "Invalid"                              \
    }
#define GARBAGE                                                                                    \
    {                                                                                              \
        .code = KIN_EPARSE                                                                         \
    }
#define NO_MEMORY                                                                                  \
    {                                                                                              \
        .code = KIN_ENOMEM                                                                         \
    }
#define TIMED_OUT                                                                                  \
    {                                                                                              \
        .code = KIN_ETIMEOUT                                                                       \
    }
/* As servers of today say it, those of 1.17, and those before. */
#define TOO_LARGE                                                                                  \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 504, .reason = "Timeout",                              \
        .cause = "ResourceVersionTooLarge"                                                         \
    }
#define TOO_LARGE_1_17                                                                             \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 504, .reason = "Timeout",                              \
        .cause_message = "Too large resource version"                                              \
    }
#define TOO_LARGE_1_16                                                                             \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 504, .reason = "Timeout",                              \
        .message = "Too large resource version: 5, current: 4"                                     \
    }
#define TIMEOUT                                                                                    \
    {                                                                                              \
        .code = KIN_ESERVER, .http_status = 504, .reason = "Timeout"                               \
    }

static const struct row rows[] = {
    /* A list that fails is told, and tried again later; for ever. */
    {"list 401", IN_LIST, FAILS, UNAUTHORIZED, true, true, LIST, "0"},
    {"list 403", IN_LIST, FAILS, FORBIDDEN, true, true, LIST, "0"},
    {"list 404", IN_LIST, FAILS, NOT_FOUND, true, true, LIST, "0"},
    {"list 429", IN_LIST, FAILS, TOO_MANY, true, true, LIST, "0"},
    {"list 500", IN_LIST, FAILS, INTERNAL, true, true, LIST, "0"},
    {"list 503", IN_LIST, FAILS, UNAVAILABLE, true, true, LIST, "0"},
    {"list 504", IN_LIST, FAILS, TIMEOUT, true, true, LIST, "0"},
    {"list refused", IN_LIST, FAILS, REFUSED, true, true, LIST, "0"},
    {"list lost", IN_LIST, FAILS, UNKNOWN_NAME, true, true, LIST, "0"},
    {"list unreadable", IN_LIST, FAILS, GARBAGE, true, true, LIST, "0"},
    {"list without memory", IN_LIST, FAILS, NO_MEMORY, true, true, LIST, "0"},
    {"list bad request", IN_LIST, FAILS, BAD_REQUEST, true, true, LIST, "0"},
    /* A version that the server cannot have is not asked for again. */
    {"list 410 Expired", IN_LIST, FAILS, EXPIRED, false, false, LIST, ""},
    {"list 410 Gone", IN_LIST, FAILS, GONE, false, false, LIST, ""},
    {"list too large", IN_LIST, FAILS, TOO_LARGE, false, false, LIST, ""},
    {"list too large, 1.17", IN_LIST, FAILS, TOO_LARGE_1_17, false, false, LIST, ""},
    {"list too large, 1.16", IN_LIST, FAILS, TOO_LARGE_1_16, false, false, LIST, ""},

    /* Where the server is only away or busy, the watch goes on from where it was. */
    {"begin refused", IN_BEGIN, FAILS, REFUSED, true, false, WATCH, "10"},
    {"begin 429", IN_BEGIN, FAILS, TOO_MANY, true, false, WATCH, "10"},
    {"begin 410", IN_BEGIN, FAILS, EXPIRED, true, true, LIST, "10"},
    {"begin too large", IN_BEGIN, FAILS, TOO_LARGE, true, true, LIST, "10"},
    {"begin 403", IN_BEGIN, FAILS, FORBIDDEN, true, true, LIST, "10"},
    {"begin 404", IN_BEGIN, FAILS, NOT_FOUND, true, true, LIST, "10"},
    {"begin 500", IN_BEGIN, FAILS, INTERNAL, true, true, LIST, "10"},
    {"begin 503", IN_BEGIN, FAILS, UNAVAILABLE, true, true, LIST, "10"},
    {"begin 500, Retry-After", IN_BEGIN, FAILS, BUSY(500), true, false, WATCH, "10"},
    {"begin 503, Retry-After", IN_BEGIN, FAILS, BUSY(503), true, false, WATCH, "10"},
    /* A lost connection says nothing about the version. */
    {"begin unknown name", IN_BEGIN, FAILS, UNKNOWN_NAME, true, true, WATCH, "10"},
    {"begin timed out", IN_BEGIN, FAILS, TIMED_OUT, true, true, WATCH, "10"},
    {"begin without memory", IN_BEGIN, FAILS, NO_MEMORY, true, true, LIST, "10"},
    {"begin bad request", IN_BEGIN, FAILS, BAD_REQUEST, true, true, LIST, "10"},
    {"begin unreadable", IN_BEGIN, FAILS, GARBAGE, true, true, LIST, "10"},
    {"begin and end at once", IN_BEGIN, CLOSES, {0}, true, false, LIST, "10"},
    {"begin, lost at once", IN_BEGIN, LOST, UNKNOWN_NAME, true, false, LIST, "10"},
    {"begin and end later", IN_BEGIN, ENDS, {0}, false, false, WATCH, "10"},

    /* A 410 lists with the last version first. */
    {"event 410", IN_WATCH, EVENT, EXPIRED, true, false, LIST, "11"},
    {"event 410 Gone", IN_WATCH, EVENT, GONE, true, false, LIST, "11"},
    {"event 429", IN_WATCH, EVENT, TOO_MANY, true, false, WATCH, "11"},
    {"event 500", IN_WATCH, EVENT, INTERNAL, true, false, LIST, "11"},
    {"event 403", IN_WATCH, EVENT, FORBIDDEN, true, false, LIST, "11"},
    {"event 503", IN_WATCH, EVENT, UNAVAILABLE, true, false, LIST, "11"},
    {"event 503, Retry-After", IN_WATCH, EVENT, BUSY(503), true, false, LIST, "11"},
    {"event too large", IN_WATCH, EVENT, TOO_LARGE, true, false, LIST, "11"},
    {"first event 410", IN_BEGIN, EVENT, EXPIRED, true, false, LIST, "10"},
    {"first event 429", IN_BEGIN, EVENT, TOO_MANY, true, false, WATCH, "10"},
    {"watch unreadable", IN_WATCH, LOST, GARBAGE, true, false, LIST, "11"},
    {"watch without memory", IN_WATCH, LOST, NO_MEMORY, true, false, LIST, "11"},
    {"watch lost", IN_WATCH, LOST, UNKNOWN_NAME, false, false, WATCH, "11"},
    {"watch timed out", IN_WATCH, LOST, TIMED_OUT, false, false, WATCH, "11"},
    {"watch closes", IN_WATCH, CLOSES, {0}, false, false, WATCH, "11"},
    {"watch ends", IN_WATCH, ENDS, {0}, false, false, WATCH, "11"},

    {"stream refused", IN_STREAM, FAILS, REFUSED, true, false, STREAM, ""},
    {"stream 429", IN_STREAM, FAILS, TOO_MANY, true, false, STREAM, ""},
    {"stream event 429", IN_STREAM, EVENT, TOO_MANY, true, false, STREAM, ""},
    {"stream 503, Retry-After", IN_STREAM, FAILS, BUSY(503), true, false, STREAM, ""},
    {"stream 410", IN_STREAM, FAILS, EXPIRED, false, false, STREAM, ""},
    {"stream event 410", IN_STREAM, EVENT, EXPIRED, false, false, STREAM, ""},
    {"stream too large", IN_STREAM, FAILS, TOO_LARGE, false, false, STREAM, ""},
    {"stream 400", IN_STREAM, FAILS, BAD_REQUEST, false, false, LIST, "0"},
    {"stream 405", IN_STREAM, FAILS, NOT_ALLOWED, false, false, LIST, "0"},
    {"stream 422", IN_STREAM, FAILS, INVALID, false, false, LIST, "0"},
    {"stream 403", IN_STREAM, FAILS, FORBIDDEN, false, false, LIST, "0"},
    {"stream 404", IN_STREAM, FAILS, NOT_FOUND, false, false, LIST, "0"},
    {"stream 500", IN_STREAM, FAILS, INTERNAL, false, false, LIST, "0"},
    {"stream lost", IN_STREAM, FAILS, UNKNOWN_NAME, false, false, LIST, "0"},
    {"stream unreadable", IN_STREAM, LOST, GARBAGE, false, false, LIST, "0"},
    {"stream without memory", IN_STREAM, FAILS, NO_MEMORY, false, false, LIST, "0"},
    {"stream ends at once", IN_STREAM, CLOSES, {0}, false, false, LIST, "0"},
    {"stream ends", IN_STREAM, ENDS, {0}, false, false, STREAM, ""},
};

/* The operation that something happens to. */
static kin_test_pull *go_to(kin_test_scene *scene, enum place place)
{
    kin_test_pull *op = kin_test_await(scene, 0);

    if (place == IN_LIST || place == IN_STREAM)
        return op;
    kin_test_pull_list(op, "10", "a:1");
    op = kin_test_await_watch(scene, 1, "10");
    if (place == IN_WATCH)
        assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:11"), 0);
    return op;
}

static void let_it_happen(kin_test_scene *scene, kin_test_pull *op, const struct row *row)
{
    switch (row->how) {
    case FAILS:
        kin_test_pull_fail(op, &row->failure, false);
        break;
    case EVENT:
        kin_test_pull_error_event(op, &row->failure);
        break;
    case LOST:
        kin_test_pull_fail(op, &row->failure, true);
        break;
    case CLOSES:
        kin_test_pull_close(op);
        break;
    case ENDS:
        kin_test_advance_ms(scene, 2000);
        kin_test_pull_close(op);
        break;
    }
}

/* The error function was called once if `last_error` is set, and with the operation that failed. */
static void expect_failure(kin_test_scene *scene, const struct row *row)
{
    kin_failed_operation expected = KIN_FAILED_WATCH;
    kin_failed_operation last;
    bool has_failed = kin_test_status(scene).last_error.code < 0;
    size_t n = kin_test_failures(scene, &last);

    if (row->place == IN_LIST)
        expected = KIN_FAILED_LIST;
    else if (row->place == IN_STREAM)
        expected = KIN_FAILED_STREAMING_LIST;
    else if (row->place == IN_BEGIN && row->how == FAILS)
        expected = KIN_FAILED_WATCH_BEGIN;
    assert_int_equal(n, has_failed ? 1 : 0);
    if (has_failed)
        assert_int_equal(last, expected);
}

static void run_row(const struct row *row)
{
    kin_test_scene scene;
    kin_test_pull *op;
    size_t next;
    bool fails = row->how != CLOSES && row->how != ENDS;
    bool falls_back = row->place == IN_STREAM && row->next == LIST;

    kin_test_scene_begin(&scene, row->place == IN_STREAM);
    op = go_to(&scene, row->place);
    next = op->index + 1;
    let_it_happen(&scene, op, row);
    if (row->backs_off)
        kin_test_pass_delay(&scene, 800);
    if (row->next == LIST)
        kin_test_await_list(&scene, next, row->version);
    else if (row->next == WATCH)
        kin_test_await_watch(&scene, next, row->version);
    else
        kin_test_await_stream(&scene, next, row->version);
    assert_int_equal(kin_test_status(&scene).retries, row->backs_off ? 1 : 0);
    assert_int_equal(kin_test_errors(&scene), row->tells ? 1 : 0);
    if (row->tells)
        assert_int_equal(scene.last_error.code, row->failure.code);
    assert_int_equal(kin_test_status(&scene).fallbacks, falls_back ? 1 : 0);
    /* That the server wants to be asked for a list instead is no failure. */
    if (falls_back && row->failure.http_status / 100 == 4)
        assert_int_equal(kin_test_status(&scene).last_error.code, 0);
    else if (fails)
        assert_int_equal(kin_test_status(&scene).last_error.code, row->failure.code);
    expect_failure(&scene, row);
    kin_test_scene_done(&scene);
}

static void each_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("    %s\n", rows[i].name);
        run_row(&rows[i]);
    }
}

/* No cell of the table was left out. */
static void every_cell_has_a_reaction(void **state)
{
    (void)state;
    for (int kind = KIN__CALL_LIST; kind <= KIN__CALL_WATCH; kind++) {
        for (int outcome = 0; outcome < KIN__N_OUTCOMES; outcome++) {
            kin__reaction reaction =
                kin__reaction_to((kin__reflector_call_kind)kind, (kin__outcome)outcome);

            assert_in_range(reaction, KIN__GO_ON, KIN__FAIL_STREAM);
        }
    }
}

static const kin_test_failure_of expired = EXPIRED;
static const kin_test_failure_of too_many = TOO_MANY;
static const kin_test_failure_of internal = INTERNAL;
static const kin_test_failure_of refused = REFUSED;

/* The newest there is, and that has expired, too: told, and later the newest again. */
static void a_list_that_is_always_too_old(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1");
    kin_test_pull_error_event(kin_test_await_watch(&scene, 1, "10"), &expired);
    kin_test_pass_delay(&scene, 800);
    kin_test_pull_fail(kin_test_await_list(&scene, 2, "10"), &expired, false);
    kin_test_pull_fail(kin_test_await_list(&scene, 3, ""), &expired, false);
    kin_test_pass_delay(&scene, 1600);
    assert_int_equal(kin_test_errors(&scene), 1);
    kin_test_pull_list(kin_test_await_list(&scene, 4, ""), "20", "b:2");
    kin_test_expect_store(&scene, "b:2");
    /* Once it has worked, the last version counts again. */
    kin_test_pull_error_event(kin_test_await_watch(&scene, 5, "20"), &expired);
    kin_test_pass_delay(&scene, 3200);
    kin_test_await_list(&scene, 6, "20");
    assert_int_equal(kin_test_status(&scene).relists, 3);
    kin_test_scene_done(&scene);
}

/* Connection refused, over and over: longer each time, and no list. */
static void waits_longer_and_longer(void **state)
{
    static const int64_t delays[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
    kin_test_scene scene;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "");
    for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
        kin_test_pull_fail(kin_test_await_watch(&scene, 1 + i, "10"), i % 2 ? &too_many : &refused,
                           false);
        kin_test_pass_delay(&scene, delays[i]);
    }
    /* A quiet time, and it begins anew. */
    kin_test_await_watch(&scene, 9, "10");
    kin_test_advance_ms(&scene, 120001);
    kin_test_pull_fail(kin_test_await_watch(&scene, 9, "10"), &refused, false);
    kin_test_pass_delay(&scene, 800);
    assert_int_equal(kin_test_status(&scene).lists, 1);
    assert_int_equal(kin_test_status(&scene).retries, 9);
    kin_test_scene_done(&scene);
}

/* A watch that does not get through is tried again for a while; then a list follows, as in client-go. */
static void a_watch_that_is_never_agreed_to_leads_to_a_list(void **state)
{
    static const kin_test_failure_of lost = {.code = KIN_ECONNECT};
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.backoff_max_ms = 800;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    for (size_t i = 1; i <= 10; i++) {
        kin_test_pull_fail(kin_test_await_watch(&scene, i, "10"), &lost, false);
        kin_test_pass_delay(&scene, 800);
        assert_int_equal(kin_test_errors(&scene), i);
    }
    kin_test_pull_list(kin_test_await_list(&scene, 11, "10"), "20", "a:1");
    /* An agreement resets the count. */
    for (size_t i = 12; i < 30; i += 2) {
        kin_test_pull_fail(kin_test_await_watch(&scene, i, "20"), &lost, false);
        kin_test_pass_delay(&scene, 800);
        assert_code(kin_test_pull_begun(kin_test_await_watch(&scene, i + 1, "20")), 0);
        kin_test_await_state(&scene, KIN_REFLECTOR_WATCHING);
        kin_test_advance_ms(&scene, 2000);
        kin_test_pull_close(kin_test_await(&scene, i + 1));
    }
    kin_test_await_watch(&scene, 30, "20");
    kin_test_scene_done(&scene);
}

/* A source that reports its agreement watches from then on, and not before. */
static void a_watch_counts_when_the_source_agrees(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    /* The reflector does not know yet that this source reports its agreement. */
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_WATCHING);
    assert_code(kin_test_pull_begun(op), 0);
    kin_test_advance_ms(&scene, 2000);
    kin_test_pull_close(op);
    op = kin_test_await_watch(&scene, 2, "10");
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_CONNECTING);
    assert_code(kin_test_pull_begun(op), 0);
    kin_test_await_state(&scene, KIN_REFLECTOR_WATCHING);
    kin_test_pull_fail(op, &refused, false);
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_watch(&scene, 3, "10");
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_BACKING_OFF);
    /* An event is an agreement, too. */
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:11"), 0);
    kin_test_await_state(&scene, KIN_REFLECTOR_WATCHING);
    kin_test_scene_done(&scene);
}

static void other_delays_can_be_set(void **state)
{
    static const int64_t delays[] = {10, 30, 50, 50};
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.backoff_initial_ms = 10;
    scene.options.backoff_max_ms = 50;
    scene.options.backoff_factor = 3;
    scene.options.backoff_reset_ms = 100;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
        kin_test_pull_fail(kin_test_await_list(&scene, i, "0"), &internal, false);
        kin_test_pass_delay(&scene, delays[i]);
    }
    kin_test_await_list(&scene, 4, "0");
    kin_test_advance_ms(&scene, 101);
    kin_test_pull_fail(kin_test_await_list(&scene, 4, "0"), &internal, false);
    kin_test_pass_delay(&scene, 10);
    kin_test_scene_done(&scene);
}

/* The server can ask for a longer delay, up to the longest delay of the reflector. */
static void the_server_may_ask_for_more_time(void **state)
{
    kin_test_failure_of busy = TOO_MANY;
    kin_test_scene scene;

    (void)state;
    kin_test_scene_begin(&scene, false);
    busy.retry_after_ms = 7000;
    kin_test_pull_fail(kin_test_await(&scene, 0), &busy, false);
    kin_test_pass_delay(&scene, 7000);
    busy.retry_after_ms = 10;
    kin_test_pull_fail(kin_test_await(&scene, 1), &busy, false);
    kin_test_pass_delay(&scene, 1600);
    busy.retry_after_ms = INT64_MAX;
    kin_test_pull_fail(kin_test_await(&scene, 2), &busy, false);
    kin_test_pass_delay(&scene, 30000);
    kin_test_scene_done(&scene);
}

/* An internal error in a watch is met with another watch at once, for as long as is allowed. */
static void internal_errors_are_retried_for_a_while(void **state)
{
    kin_test_scene scene;
    size_t n = 1;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.internal_error_retry_ms = 10000;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "");
    for (; n <= 3; n++) {
        kin_test_pull_error_event(kin_test_await_watch(&scene, n, "10"), &internal);
        kin_test_await_watch(&scene, n + 1, "10");
        kin_test_advance_ms(&scene, 5000);
    }
    /* 15 s after the first. */
    kin_test_pull_error_event(kin_test_await_watch(&scene, n, "10"), &internal);
    kin_test_pass_delay(&scene, 800);
    kin_test_pull_list(kin_test_await_list(&scene, n + 1, "10"), "12", "");
    /* Another round, another series; and so does a minute without one begin a new one. */
    kin_test_pull_error_event(kin_test_await_watch(&scene, n + 2, "12"), &internal);
    kin_test_await_watch(&scene, n + 3, "12");
    kin_test_advance_ms(&scene, 60000);
    kin_test_pull_error_event(kin_test_await_watch(&scene, n + 3, "12"), &internal);
    kin_test_await_watch(&scene, n + 4, "12");
    assert_int_equal(kin_test_status(&scene).lists, 2);
    kin_test_scene_done(&scene);
}

/* --- the store --- */

static void an_event_that_the_store_refuses_is_not_lost(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:11"), 0);
    scene.put_code = KIN_ENOMEM;
    assert_code(kin_test_pull_event(op, KIN_WATCH_MODIFIED, "b:12"), KIN_ENOMEM);
    scene.put_code = 0;
    kin_test_expect_version(&scene, "11");
    /* Whatever the source makes of it. */
    kin_test_pull_close(op);
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 2, "11");
    assert_int_equal(kin_test_status(&scene).store_errors, 1);
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_ENOMEM);
    kin_test_pull_list(op, "12", "a:1 b:12");
    kin_test_expect_store(&scene, "a:1 b:12");
    kin_test_scene_done(&scene);
}

static void a_bookmark_that_the_store_refuses_does_not_count(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    scene.bookmark_code = KIN_ESYSTEM;
    assert_code(kin_test_pull_bookmark(op, "12", false), KIN_ESYSTEM);
    kin_test_pull_close(op);
    kin_test_pass_delay(&scene, 800);
    kin_test_await_list(&scene, 2, "10");
    assert_int_equal(kin_test_status(&scene).store_errors, 1);
    kin_test_scene_done(&scene);
}

/* An error event with something else than a Status still ends the watch. */
static void an_error_event_without_an_error_ends_the_watch(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event(op, KIN_WATCH_ERROR, "x:1"), KIN_EPROTOCOL);
    kin_test_pull_close(op);
    kin_test_pass_delay(&scene, 800);
    kin_test_await_list(&scene, 2, "10");
    kin_test_scene_done(&scene);
}

static void a_list_that_the_store_refuses_is_tried_again(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.begin_code = KIN_ESYSTEM;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(kin_test_source_count(scene.source), 0);
    assert_int_equal(kin_test_errors(&scene), 1);
    assert_int_equal(kin_test_status(&scene).store_errors, 1);
    scene.begin_code = 0;
    kin_test_pass_delay(&scene, 800);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1");
    kin_test_expect_store(&scene, "a:1");
    kin_test_scene_done(&scene);
}

/* --- resync --- */

static size_t resyncs(kin_test_scene *scene)
{
    pthread_mutex_lock(&scene->lock);
    size_t n = scene->n_resyncs;
    pthread_mutex_unlock(&scene->lock);
    return n;
}

static void await_resyncs(kin_test_scene *scene, uint64_t n)
{
    int64_t begun = kin_clock_now(kin_clock_system());

    while (kin_test_status(scene).resyncs < n || resyncs(scene) < n)
        assert_true(kin_clock_now(kin_clock_system()) - begun < 20 * KIN__SECOND);
    assert_int_equal(resyncs(scene), n);
}

static void resyncs_while_it_watches(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.resync_ms = 10000;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_await(&scene, 0);
    kin_test_advance_ms(&scene, 60000);
    assert_int_equal(resyncs(&scene), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    for (uint64_t n = 1; n <= 3; n++) {
        assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        kin_test_advance_ms(&scene, 9999);
        assert_int_equal(resyncs(&scene), n - 1);
        kin_test_advance_ms(&scene, 1);
        await_resyncs(&scene, n);
    }
    /* Backing off within the watch, too. */
    kin_test_pull_fail(
        kin_test_await(&scene, 1),
        &(kin_test_failure_of){.code = KIN_ESERVER, .http_status = 429, .retry_after_ms = 60000},
        false);
    kin_test_await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    kin_test_advance_ms(&scene, 10000);
    await_resyncs(&scene, 4);
    assert_int_equal(kin_test_status(&scene).state, KIN_REFLECTOR_BACKING_OFF);
    kin_test_scene_done(&scene);
}

static void is_asked_whether_to_resync(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.resync_ms = 10000;
    scene.refuses_resync = true;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    for (int i = 0; i < 5; i++) {
        assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        kin_test_advance_ms(&scene, 10000);
    }
    assert_int_equal(resyncs(&scene), 0);
    kin_test_scene_done(&scene);
}

static void a_resync_that_fails_ends_the_watch(void **state)
{
    kin_test_scene scene;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.resync_ms = 10000;
    scene.resync_code = KIN_EINVAL;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1");
    kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_advance_ms(&scene, 10000);
    kin_test_pull_await_cancel(kin_test_await(&scene, 1));
    kin_test_pass_delay(&scene, 800);
    kin_test_await_list(&scene, 2, "10");
    assert_code(kin_test_pull_event(kin_test_await(&scene, 1), KIN_WATCH_ADDED, "z:9"),
                KIN_ECANCELED);
    assert_int_equal(kin_test_errors(&scene), 0);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row),
        cmocka_unit_test(every_cell_has_a_reaction),
        cmocka_unit_test(a_list_that_is_always_too_old),
        cmocka_unit_test(waits_longer_and_longer),
        cmocka_unit_test(a_watch_that_is_never_agreed_to_leads_to_a_list),
        cmocka_unit_test(a_watch_counts_when_the_source_agrees),
        cmocka_unit_test(other_delays_can_be_set),
        cmocka_unit_test(the_server_may_ask_for_more_time),
        cmocka_unit_test(internal_errors_are_retried_for_a_while),
        cmocka_unit_test(an_event_that_the_store_refuses_is_not_lost),
        cmocka_unit_test(a_bookmark_that_the_store_refuses_does_not_count),
        cmocka_unit_test(an_error_event_without_an_error_ends_the_watch),
        cmocka_unit_test(a_list_that_the_store_refuses_is_tried_again),
        cmocka_unit_test(resyncs_while_it_watches),
        cmocka_unit_test(is_asked_whether_to_resync),
        cmocka_unit_test(a_resync_that_fails_ends_the_watch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
