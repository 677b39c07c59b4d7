/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of an exchange, on a fake clock: when it starts, when it must be over, how long its peer may
 * be silent. And peers that are dead.
 */
#include "transport_support.h"

#include <string.h>

#include "base/clock.h"

static void open_fake(transport_fixture *f)
{
    transport_open(f, &(transport_setup){.fake_clock = true});
}

static void advance(transport_fixture *f, int64_t ns)
{
    assert_code(kin_clock_advance(f->clock, ns, NULL), 0);
}

static int64_t in(transport_fixture *f, int64_t ns)
{
    return kin_clock_now(f->clock) + ns;
}

static void await_waiter(transport_fixture *f)
{
    assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void starts_not_before_its_time(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    open_fake(&f);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "x"});
    spec.not_before = in(&f, 10 * KIN__SECOND);
    kin__exchange *exchange = transport_start(&f, &spec);
    await_waiter(&f);
    advance(&f, 10 * KIN__SECOND - 1);
    await_waiter(&f);
    assert_int_equal(kin_test_http_count(f.server).connections, 0);
    assert_false(kin__exchange_was_sent(exchange));
    advance(&f, 1);
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    transport_close(&f);
}

static void is_over_by_its_deadline(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    open_fake(&f);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    spec.deadline = in(&f, KIN__SECOND);
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 1);
    await_waiter(&f);
    advance(&f, KIN__SECOND);
    assert_code(transport_await_end(exchange, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "before the deadline"));
    assert_true(kin__exchange_was_sent(exchange));
    kin__exchange_unref(exchange);
    kin_test_http_await_open(f.server, 0);

    /* While it waits for its time; and one that is over before it starts. */
    spec.not_before = in(&f, 5 * KIN__SECOND);
    spec.deadline = in(&f, 2 * KIN__SECOND);
    exchange = transport_start(&f, &spec);
    await_waiter(&f);
    advance(&f, 2 * KIN__SECOND);
    assert_code(transport_await_end(exchange, NULL), KIN_ETIMEOUT);
    kin__exchange_unref(exchange);
    spec.deadline = in(&f, 0);
    exchange = transport_start(&f, &spec);
    assert_code(transport_await_end(exchange, NULL), KIN_ETIMEOUT);
    kin__exchange_unref(exchange);
    assert_int_equal(kin_test_http_count(f.server).requests, 1);
    transport_close(&f);
}

static void answer_in_two_parts(kin_test_http_conn *conn, const kin_test_http_request *request,
                                void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_status(conn, 200);
    kin_test_http_chunk_text(conn, "one");
    kin_test_http_stall(conn);
    kin_test_http_chunk_text(conn, "two");
    kin_test_http_stall(conn);
}

static void read_text(kin__exchange *exchange, const char *text)
{
    kin_str bytes;

    while (!kin__exchange_read(exchange, &bytes))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    assert_true(kin_str_equal(bytes, kin_str_of(text)));
}

static void notices_silence_after_the_last_byte(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin_error err = KIN_ERROR_INIT;
    int code;

    (void)state;
    transport_open(&f,
                   &(transport_setup){.fake_clock = true, .server.handler = answer_in_two_parts});
    spec.idle_ns = 60 * KIN__SECOND;
    kin__exchange *exchange = transport_start(&f, &spec);
    read_text(exchange, "one");
    await_waiter(&f);
    advance(&f, 59 * KIN__SECOND);
    kin_test_http_release(f.server, 1);
    read_text(exchange, "two");
    await_waiter(&f);
    advance(&f, 59 * KIN__SECOND); /* the timer was for before: it is moved */
    assert_false(kin__exchange_ended(exchange, &code, NULL));
    await_waiter(&f);
    advance(&f, KIN__SECOND);
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "no byte for 60000 ms"));
    kin__exchange_unref(exchange);
    kin_test_http_await_open(f.server, 0);
    transport_close(&f);
}

static void does_not_count_silence_before_it_was_sent(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    open_fake(&f);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "x"});
    spec.idle_ns = KIN__SECOND;
    spec.not_before = in(&f, 10 * KIN__SECOND);
    kin__exchange *exchange = transport_start(&f, &spec);
    await_waiter(&f);
    advance(&f, 10 * KIN__SECOND);
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    transport_close(&f);
}

static void waits_no_longer_than_told(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_IN_HEAD});
    kin__exchange *exchange = transport_start(&f, &spec);
    assert_code(kin__exchange_wait(exchange, in(&f, 1000 * 1000)), KIN_ETIMEOUT);
    kin_test_http_release_all(f.server);
    /* The headers, once, and then the end. */
    assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    assert_code(transport_await_end(exchange, NULL), 0);
    assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    kin__exchange_unref(exchange);
    transport_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_not_before_its_time),
        cmocka_unit_test(is_over_by_its_deadline),
        cmocka_unit_test(notices_silence_after_the_last_byte),
        cmocka_unit_test(does_not_count_silence_before_it_was_sent),
        cmocka_unit_test(waits_no_longer_than_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
