/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2 against Go's server: streams on one connection, their limits, their ends, and slow
 * consumers beside live ones.
 */
#include "transport_support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "h2_server.h"

#define SKIPPED 77
#define MANY 100

static kin_test_pki *pki;

struct h2 {
    transport_fixture f;
    h2_server *server;
    kin__identity identity;
};

static void open_h2(struct h2 *h, unsigned max_streams, bool fake_clock)
{
    memset(h, 0, sizeof(*h));
    h2_server_start(&h->server, &pki->server, max_streams);
    transport_open_alone(
        &h->f, &(transport_setup){.url = h2_server_url(h->server), .fake_clock = fake_clock});
    h->identity.tls = transport_material(1, pki->ca.certificate, NULL);
}

static void close_h2(struct h2 *h)
{
    transport_close(&h->f);
    h2_server_stop(h->server);
    kin__tls_material_unref(h->identity.tls);
}

static kin__exchange_spec get(struct h2 *h, const char *target)
{
    kin__exchange_spec spec = transport_get(target);

    spec.identity = &h->identity;
    return spec;
}

static kin__exchange *watch(struct h2 *h, unsigned id)
{
    char target[32];

    snprintf(target, sizeof(target), "/stream/%u", id);
    kin__exchange_spec spec = get(h, target);
    spec.is_watch = true;
    return transport_start(&h->f, &spec);
}

/* Read until so many bytes came in all. */
static void read_bytes(kin__exchange *exchange, size_t *seen, size_t n)
{
    kin_str bytes;

    while (*seen < n) {
        int code;

        if (kin__exchange_read(exchange, &bytes))
            *seen += bytes.len;
        else if (kin__exchange_ended(exchange, &code, NULL))
            fail_msg("ended with %s", kin_error_name(code));
        else
            assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    }
    assert_int_equal(*seen, n);
}

static void expect_hello(struct h2 *h)
{
    kin__exchange_spec spec = get(h, "/hello");
    transport_result result;

    transport_run(&h->f, &spec, &result);
    if (result.code)
        print_error("%s\n", result.err.message);
    assert_code(result.code, 0);
    assert_true(result.is_http2);
    assert_string_equal(result.body, "hello over HTTP/2.0");
    transport_result_done(&result);
}

static void speaks_http2(void **state)
{
    struct h2 h;

    (void)state;
    open_h2(&h, 250, false);
    for (int i = 0; i < 10; i++)
        expect_hello(&h);
    assert_int_equal(h2_server_stats(h.server).accepted, 1);
    close_h2(&h);
}

static void puts_watches_on_one_connection(void **state)
{
    struct h2 h;
    kin__exchange *streams[MANY];
    size_t seen[MANY] = {0};

    (void)state;
    open_h2(&h, 250, false);
    for (unsigned i = 0; i < MANY; i++)
        streams[i] = watch(&h, i);
    h2_server_tell(h.server, "await %d", MANY);
    assert_int_equal(h2_server_stats(h.server).accepted, 1);
    for (unsigned i = 0; i < MANY; i++)
        h2_server_tell(h.server, "send %u 10 100", i);
    for (unsigned i = 0; i < MANY; i++)
        read_bytes(streams[i], &seen[i], 1000);
    for (unsigned i = 0; i < MANY; i++)
        h2_server_tell(h.server, "end %u", i);
    for (unsigned i = 0; i < MANY; i++) {
        assert_code(transport_await_end(streams[i], NULL), 0);
        kin__exchange_unref(streams[i]);
    }
    close_h2(&h);
}

/*
 * A server that allows few streams: more connections, and everybody is served. How many connections
 * depends on who is faster, the requests or the server's word of its limit.
 */
static void keeps_to_the_streams_a_server_allows(void **state)
{
    struct h2 h;
    kin__exchange *streams[30];

    (void)state;
    open_h2(&h, 10, false);
    for (unsigned i = 0; i < kin__array_len(streams); i++)
        streams[i] = watch(&h, i);
    h2_server_tell(h.server, "await %zu", kin__array_len(streams));
    h2_stats stats = h2_server_stats(h.server);
    assert_in_range(stats.open, 3, 25);
    for (unsigned i = 0; i < kin__array_len(streams); i++)
        kin__exchange_unref(streams[i]);
    h2_server_tell(h.server, "await 0");
    close_h2(&h);
}

/* A hundred on a connection, whatever the server allows beyond that. */
static void takes_another_connection_for_more(void **state)
{
    struct h2 h;
    static kin__exchange *streams[350];
    static size_t seen[350];

    (void)state;
    open_h2(&h, 250, false);
    for (unsigned i = 0; i < kin__array_len(streams); i++)
        streams[i] = watch(&h, i);
    h2_server_tell(h.server, "await %zu", kin__array_len(streams));
    h2_stats stats = h2_server_stats(h.server);
    assert_int_equal(stats.open, 4);
    for (unsigned i = 0; i < kin__array_len(streams); i++) {
        h2_server_tell(h.server, "send %u 1 10", i);
        read_bytes(streams[i], &seen[i], 10);
        kin__exchange_unref(streams[i]);
    }
    h2_server_tell(h.server, "await 0");
    close_h2(&h);
}

static void cancels_one_stream_and_keeps_the_others(void **state)
{
    struct h2 h;

    (void)state;
    open_h2(&h, 250, false);
    kin__exchange *one = watch(&h, 1);
    kin__exchange *two = watch(&h, 2);
    size_t seen = 0;
    h2_server_tell(h.server, "await 2");
    kin__exchange_cancel(one);
    assert_code(transport_await_end(one, NULL), KIN_ECANCELED);
    h2_server_tell(h.server, "await 1");
    h2_server_tell(h.server, "send 2 5 50");
    read_bytes(two, &seen, 250);
    assert_int_equal(h2_server_stats(h.server).accepted, 1);
    kin__exchange_unref(one);
    kin__exchange_unref(two);
    close_h2(&h);
}

static void tells_a_reset_stream(void **state)
{
    struct h2 h;
    kin_error err = KIN_ERROR_INIT;
    size_t seen = 0;

    (void)state;
    open_h2(&h, 250, false);
    kin__exchange *one = watch(&h, 1);
    kin__exchange *two = watch(&h, 2);
    h2_server_tell(h.server, "await 2");
    h2_server_tell(h.server, "send 1 1 10");
    read_bytes(one, &seen, 10);
    h2_server_tell(h.server, "reset 1");
    assert_code(transport_await_end(one, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "reset the HTTP/2 stream"));
    seen = 0;
    h2_server_tell(h.server, "send 2 5 50");
    read_bytes(two, &seen, 250);
    kin__exchange_unref(one);
    kin__exchange_unref(two);

    kin__exchange_spec spec = get(&h, "/abort");
    transport_expect(&h.f, &spec, KIN_ECONNECT, h2_server_url(h.server));
    expect_hello(&h);
    close_h2(&h);
}

/* The connection takes no more streams: those it has go on, new ones are on another. */
static void leaves_a_connection_that_goes_away(void **state)
{
    struct h2 h;
    size_t seen = 0;
    transport_result result;

    (void)state;
    open_h2(&h, 250, false);
    kin__exchange_spec slow = get(&h, "/stream/1");
    kin__exchange *stream = transport_start(&h.f, &slow);
    h2_server_tell(h.server, "await 1");
    kin__exchange_spec goaway = get(&h, "/goaway");
    transport_run(&h.f, &goaway, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "bye");
    transport_result_done(&result);
    for (int i = 0; i < 5; i++)
        expect_hello(&h);
    assert_int_equal(h2_server_stats(h.server).accepted, 2);
    h2_server_tell(h.server, "send 1 5 50");
    read_bytes(stream, &seen, 250);
    h2_server_tell(h.server, "end 1");
    assert_code(transport_await_end(stream, NULL), 0);
    kin__exchange_unref(stream);
    close_h2(&h);
}

static void loses_a_connection_with_many_streams(void **state)
{
    struct h2 h;
    kin__exchange *streams[MANY];
    size_t seen[MANY] = {0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    open_h2(&h, 250, false);
    for (unsigned i = 0; i < MANY; i++) {
        streams[i] = watch(&h, i);
        h2_server_tell(h.server, "send %u 1 10", i);
    }
    for (unsigned i = 0; i < MANY; i++)
        read_bytes(streams[i], &seen[i], 10);
    h2_server_tell(h.server, "drop");
    for (unsigned i = 0; i < MANY; i++) {
        assert_code(transport_await_end(streams[i], &err), KIN_ECONNECT);
        assert_true(err.flags & KIN_ERROR_RETRIABLE);
        kin__exchange_unref(streams[i]);
    }
    expect_hello(&h);
    close_h2(&h);
}

/* Nobody reads one stream, though much comes: the other streams do not stand still for it. */
static void keeps_live_streams_going_beside_a_slow_one(void **state)
{
    struct h2 h;
    const size_t lines = 2000;
    size_t slow_seen = 0;
    size_t seen = 0;

    (void)state;
    open_h2(&h, 250, false);
    kin__exchange *slow = watch(&h, 1);
    kin__exchange *live = watch(&h, 2);
    h2_server_tell(h.server, "await 2");
    h2_server_tell(h.server, "send 1 %zu 8000", lines); /* 16 MB, the limit is 1 MiB */
    for (int i = 0; i < 100; i++) {
        h2_server_tell(h.server, "send 2 1 100");
        read_bytes(live, &seen, (size_t)(i + 1) * 100);
    }
    read_bytes(slow, &slow_seen, lines * 8000);
    assert_int_equal(h2_server_stats(h.server).accepted, 1);
    kin__exchange_unref(slow);
    kin__exchange_unref(live);
    close_h2(&h);
}

/* What a consumer may leave unread is bounded: beyond that its stream is ended, and no other. */
static void ends_a_stream_that_nobody_reads(void **state)
{
    struct h2 h;
    kin_error err = KIN_ERROR_INIT;
    kin_str bytes;
    size_t seen = 0;
    size_t kept = 0;
    int code = 0;

    (void)state;
    open_h2(&h, 250, false);
    kin__exchange *slow = watch(&h, 1);
    kin__exchange *live = watch(&h, 2);
    h2_server_tell(h.server, "await 2");
    h2_server_tell(h.server, "send 1 10000 8000"); /* 80 MB */
    h2_server_tell(h.server, "await 1");           /* the slow one is gone */
    h2_server_tell(h.server, "send 2 1 100");
    read_bytes(live, &seen, 100);
    while (!kin__exchange_ended(slow, &code, &err)) {
        if (kin__exchange_read(slow, &bytes))
            kept += bytes.len;
        else
            assert_code(kin__exchange_wait(slow, INT64_MAX), 0);
    }
    assert_code(code, KIN_ECONNECT);
    assert_non_null(strstr(err.message, "too far behind"));
    assert_in_range(kept, KIN__EXCHANGE_EXCESS_MAX, KIN__EXCHANGE_EXCESS_MAX + 2 * 1024 * 1024);
    kin__exchange_unref(slow);
    kin__exchange_unref(live);
    close_h2(&h);
}

/* Bulk has connections of its own, over HTTP/1.1, and is paused for as long as one likes. */
static void pauses_bulk_beside_others(void **state)
{
    struct h2 h;
    kin__exchange_spec spec;
    transport_result result;

    (void)state;
    open_h2(&h, 250, false);
    spec = get(&h, "/bytes/100000000");
    spec.is_bulk = true;
    kin__exchange *bulk = transport_start(&h.f, &spec);
    transport_await_paused(bulk);
    for (int i = 0; i < 20; i++)
        expect_hello(&h);
    transport_finish(&h.f, bulk, &result);
    assert_code(result.code, 0);
    assert_false(result.is_http2);
    assert_int_equal(result.len, 100000000);
    transport_result_done(&result);
    close_h2(&h);
}

/* The server is stopped in the middle of its streams: all are over by the bound, none stays. */
static void leaves_a_server_that_is_frozen(void **state)
{
    struct h2 h;
    kin__exchange *streams[10];
    size_t seen[10] = {0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    open_h2(&h, 250, true);
    for (unsigned i = 0; i < kin__array_len(streams); i++) {
        char target[32];

        snprintf(target, sizeof(target), "/stream/%u", i);
        kin__exchange_spec spec = get(&h, target);
        spec.is_watch = true;
        spec.idle_ns = (i + 1) * 60 * KIN__SECOND; /* the first one speaks for all */
        streams[i] = transport_start(&h.f, &spec);
        h2_server_tell(h.server, "send %u 1 10", i);
        read_bytes(streams[i], &seen[i], 10);
    }
    h2_server_freeze(h.server);
    assert_code(kin_clock_await_waiters(h.f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(h.f.clock, 60 * KIN__SECOND, NULL), 0);
    for (unsigned i = 0; i < kin__array_len(streams); i++) {
        assert_code(transport_await_end(streams[i], &err), KIN_ECONNECT);
        assert_non_null(strstr(err.message, "no byte for 60000 ms"));
        kin__exchange_unref(streams[i]);
    }
    /* Whoever comes now is on a connection of their own, and is served when it is thawed. */
    kin__exchange *next = watch(&h, 100);
    h2_server_thaw(h.server);
    h2_server_tell(h.server, "send 100 1 10");
    size_t next_seen = 0;
    read_bytes(next, &next_seen, 10);
    assert_int_equal(h2_server_stats(h.server).accepted, 2);
    kin__exchange_unref(next);
    close_h2(&h);
}

/* One stream is silent, the connection is not: it alone is ended. */
static void blames_a_silent_stream_alone(void **state)
{
    struct h2 h;
    kin_error err = KIN_ERROR_INIT;
    size_t seen = 0;
    int code;

    (void)state;
    open_h2(&h, 250, true);
    kin__exchange_spec spec = get(&h, "/stream/1");
    spec.is_watch = true;
    spec.idle_ns = 60 * KIN__SECOND;
    kin__exchange *silent = transport_start(&h.f, &spec);
    spec.target = "/stream/2";
    kin__exchange *live = transport_start(&h.f, &spec);
    h2_server_tell(h.server, "await 2");
    /* Both have their headers, at the same time of the fake clock. */
    while (!kin__exchange_answer(silent))
        assert_code(kin__exchange_wait(silent, INT64_MAX), 0);
    while (!kin__exchange_answer(live))
        assert_code(kin__exchange_wait(live, INT64_MAX), 0);
    assert_code(kin_clock_await_waiters(h.f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(h.f.clock, 30 * KIN__SECOND, NULL), 0);
    h2_server_tell(h.server, "send 2 1 10");
    read_bytes(live, &seen, 10);
    assert_code(kin_clock_await_waiters(h.f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(h.f.clock, 30 * KIN__SECOND, NULL), 0);
    assert_code(transport_await_end(silent, &err), KIN_ECONNECT);
    assert_false(kin__exchange_ended(live, &code, NULL));
    h2_server_tell(h.server, "send 2 1 10");
    read_bytes(live, &seen, 20);
    assert_int_equal(h2_server_stats(h.server).accepted, 1);
    kin__exchange_unref(silent);
    kin__exchange_unref(live);
    close_h2(&h);
}

static int make_pki(void **state)
{
    (void)state;
    kin_test_pki_new(&pki);
    return 0;
}

static int free_pki(void **state)
{
    (void)state;
    kin_test_pki_free(pki);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speaks_http2),
        cmocka_unit_test(puts_watches_on_one_connection),
        cmocka_unit_test(keeps_to_the_streams_a_server_allows),
        cmocka_unit_test(takes_another_connection_for_more),
        cmocka_unit_test(cancels_one_stream_and_keeps_the_others),
        cmocka_unit_test(tells_a_reset_stream),
        cmocka_unit_test(leaves_a_connection_that_goes_away),
        cmocka_unit_test(loses_a_connection_with_many_streams),
        cmocka_unit_test(keeps_live_streams_going_beside_a_slow_one),
        cmocka_unit_test(ends_a_stream_that_nobody_reads),
        cmocka_unit_test(pauses_bulk_beside_others),
        cmocka_unit_test(leaves_a_server_that_is_frozen),
        cmocka_unit_test(blames_a_silent_stream_alone),
    };

    if (!h2_server_exists()) {
        fprintf(stderr, "skipped: no HTTP/2 server was built, since there is no Go\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, make_pki, free_pki);
}
