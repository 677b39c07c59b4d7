/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2: streams on one connection, their limits, their ends, and slow consumers beside live ones.
 * Against Go's own server, and against one that writes frames as it is told.
 */
#include "transport_support.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "h2_server.h"

#define MANY 96
/* What libcurl lets a server send on a stream. */
#define WINDOW ((int64_t)32 * 1024 * 1024)

struct h2 {
    transport_fixture f;
    kin_test_h2 *server;
    kin__identity identity;
};

enum kind { FRAMES, STANDARD };

static void open_h2_at(struct h2 *h, enum kind kind, unsigned streams, bool fake_clock)
{
    kin_test_h2_options options = {.certificate_file = kin_test_group_pki->server.certificate_file,
                                   .key_file = kin_test_group_pki->server.key_file,
                                   .standard = kind == STANDARD,
                                   .streams = streams};
    transport_setup setup = {.fake_clock = fake_clock};

    memset(h, 0, sizeof(*h));
    const char *why = kin_test_h2_start(&h->server, &options);
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    setup.url = kin_test_h2_url(h->server);
    transport_open_alone(&h->f, &setup);
    h->identity.tls = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
}

static void open_h2(struct h2 *h, enum kind kind)
{
    open_h2_at(h, kind, 0, false);
}

static void close_h2(struct h2 *h)
{
    transport_close(&h->f);
    kin_test_h2_stop(h->server);
    kin__tls_material_unref(h->identity.tls);
}

static kin__exchange_spec get(struct h2 *h, const char *target)
{
    kin__exchange_spec spec = transport_get(target);

    spec.identity = &h->identity;
    return spec;
}

static kin__exchange *watch(struct h2 *h, const char *target, int64_t idle_ns)
{
    kin__exchange_spec spec = get(h, target);

    spec.kind = KIN__LANE_WATCH;
    spec.idle_ns = idle_ns;
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

/* An event of four bytes for every watch. */
static void send_event(struct h2 *h)
{
    kin_test_h2_order(h->server, "event one");
}

static void expect_h2(struct h2 *h)
{
    kin__exchange_spec spec = get(h, "/any");
    transport_result result;

    transport_run(&h->f, &spec, &result);
    if (result.code)
        print_error("%s\n", result.err.message);
    assert_code(result.code, 0);
    assert_true(result.is_http2);
    assert_string_equal(result.body, "h2\n");
    transport_result_done(&result);
}

static void speaks_http2(void **state)
{
    struct h2 h;

    (void)state;
    for (enum kind kind = FRAMES; kind <= STANDARD; kind++) {
        open_h2(&h, kind);
        for (int i = 0; i < 10; i++)
            expect_h2(&h);
        assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
        close_h2(&h);
    }
}

static void sends_bodies(void **state)
{
    struct h2 h;
    static char body[300000];
    kin__exchange_spec spec;
    transport_result result;

    (void)state;
    memset(body, 'x', sizeof(body));
    open_h2(&h, STANDARD);
    spec = get(&h, "/echo");
    spec.method = "POST";
    spec.body = kin_str_make(body, sizeof(body));
    transport_run(&h.f, &spec, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, sizeof(body));
    assert_true(result.sum == transport_sum(0, body, sizeof(body)));
    transport_result_done(&result);
    close_h2(&h);
}

static void puts_watches_on_one_connection(void **state)
{
    struct h2 h;
    kin__exchange *streams[MANY];
    size_t seen[MANY] = {0};

    (void)state;
    open_h2(&h, STANDARD);
    for (int i = 0; i < MANY; i++)
        streams[i] = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", MANY);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    for (int i = 0; i < 10; i++)
        send_event(&h);
    for (int i = 0; i < MANY; i++)
        read_bytes(streams[i], &seen[i], 40);
    kin_test_h2_order(h.server, "end");
    for (int i = 0; i < MANY; i++) {
        assert_code(transport_await_end(streams[i], NULL), 0);
        kin__exchange_unref(streams[i]);
    }
    close_h2(&h);
}

/* 96 on a connection, even if the server allows more: a probe finds room. */
static void takes_another_connection_for_more(void **state)
{
    struct h2 h;
    static kin__exchange *streams[350];
    static size_t seen[350];

    (void)state;
    open_h2(&h, STANDARD);
    for (size_t i = 0; i < kin__array_len(streams); i++)
        streams[i] = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", (int64_t)kin__array_len(streams));
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 4);
    send_event(&h);
    for (size_t i = 0; i < kin__array_len(streams); i++) {
        read_bytes(streams[i], &seen[i], 4);
        kin__exchange_unref(streams[i]);
    }
    kin_test_h2_await(h.server, "closed", 4);
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
    open_h2_at(&h, STANDARD, 10, false);
    for (size_t i = 0; i < kin__array_len(streams); i++)
        streams[i] = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", (int64_t)kin__array_len(streams));
    assert_in_range(kin_test_h2_count(h.server, "open"), 3, 25);
    for (size_t i = 0; i < kin__array_len(streams); i++)
        kin__exchange_unref(streams[i]);
    close_h2(&h);
}

/* The server is told, though nothing else is sent; the connection goes with its last stream. */
static void cancel_one_of_two(enum kind kind)
{
    struct h2 h;
    size_t seen = 0;

    open_h2(&h, kind);
    kin__exchange *one = watch(&h, "/watch/1", 0);
    kin__exchange *two = watch(&h, "/watch/2", 0);
    kin_test_h2_await(h.server, "watches", 2);
    kin__exchange_cancel(one);
    assert_code(transport_await_end(one, NULL), KIN_ECANCELED);
    kin_test_h2_await(h.server, "ended", 1);
    send_event(&h);
    read_bytes(two, &seen, 4);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    kin__exchange_cancel(two);
    kin_test_h2_await(h.server, "closed", 1);
    kin__exchange_unref(one);
    kin__exchange_unref(two);
    expect_h2(&h);
    close_h2(&h);
}

static void cancels_one_stream_and_keeps_the_others(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        cancel_one_of_two(FRAMES);
        cancel_one_of_two(STANDARD);
    }
}

static void tells_a_reset_stream(void **state)
{
    struct h2 h;
    kin_error err = KIN_ERROR_INIT;
    size_t one_seen = 0;
    size_t two_seen = 0;

    (void)state;
    open_h2(&h, FRAMES);
    kin__exchange *one = watch(&h, "/watch/1", 0);
    kin__exchange *two = watch(&h, "/watch/2", 0);
    kin_test_h2_await(h.server, "watches", 2);
    send_event(&h);
    read_bytes(one, &one_seen, 4);
    kin_test_h2_order(h.server, "reset INTERNAL_ERROR /watch/1");
    assert_code(transport_await_end(one, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "reset the HTTP/2 stream"));
    send_event(&h);
    read_bytes(two, &two_seen, 8);
    kin__exchange_unref(one);
    kin__exchange_unref(two);
    close_h2(&h);
}

static void tells_what_is_wrong_with_a_stream(void **state)
{
    static const struct {
        const char *target;
        int code;
        const char *text;
    } cases[] = {
        {"/reset/INTERNAL_ERROR/0", KIN_ECONNECT, "https://127.0.0.1:"},
        {"/reset/CANCEL/100", KIN_ECONNECT, "reset the HTTP/2 stream"},
        {"/reset/ENHANCE_YOUR_CALM/0", KIN_ECONNECT, "https://127.0.0.1:"},
        {"/reset/REFUSED_STREAM/0", KIN_ECONNECT, "https://127.0.0.1:"},
        {"/short/100", KIN_ECONNECT, "https://127.0.0.1:"},
        {"/headers/70000", KIN_ELIMIT, "headers are too long"},
    };
    struct h2 h;

    (void)state;
    open_h2(&h, FRAMES);
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__exchange_spec spec = get(&h, cases[i].target);

        print_message("%s\n", cases[i].target);
        transport_expect(&h.f, &spec, cases[i].code, cases[i].text);
    }
    expect_h2(&h);
    close_h2(&h);
}

/* The connection takes no more streams: those it has go on, new ones are on another. */
static void leaves_a_connection_that_goes_away(void **state)
{
    struct h2 h;
    size_t seen = 0;
    transport_result result;

    (void)state;
    open_h2(&h, STANDARD);
    kin__exchange_spec slow = get(&h, "/watch");
    kin__exchange *stream = transport_start(&h.f, &slow);
    kin_test_h2_await(h.server, "watches", 1);
    kin__exchange_spec goaway = get(&h, "/goaway");
    transport_run(&h.f, &goaway, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    for (int i = 0; i < 5; i++)
        expect_h2(&h);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
    send_event(&h);
    read_bytes(stream, &seen, 4);
    kin_test_h2_order(h.server, "end");
    assert_code(transport_await_end(stream, NULL), 0);
    kin__exchange_unref(stream);
    close_h2(&h);
}

/* Nobody uses it any more when the server says that it will go, or goes: it does not stay. */
static void lets_go_of_a_kept_connection(void **state)
{
    static const char *const orders[] = {"goaway graceful", "close", "abort"};
    struct h2 h;

    (void)state;
    for (size_t i = 0; i < kin__array_len(orders); i++) {
        open_h2(&h, FRAMES);
        size_t sockets = transport_count_sockets();

        expect_h2(&h);
        assert_int_equal(transport_count_sockets(), sockets + 1);
        kin_test_h2_order(h.server, "%s", orders[i]);
        transport_await_sockets(sockets);
        expect_h2(&h);
        assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
        /* What is merely said is no end, and the end behind it is seen all the same. */
        kin_test_h2_order(h.server, "goaway notice");
        kin_test_h2_order(h.server, "close");
        transport_await_sockets(sockets);
        close_h2(&h);
    }
}

/* Beside a stream that goes on elsewhere, such a connection waits for its end. */
static void keeps_what_others_use(void **state)
{
    struct h2 h;
    size_t seen = 0;

    (void)state;
    open_h2_at(&h, FRAMES, 1, false);
    size_t sockets = transport_count_sockets();
    kin__exchange_spec slow = get(&h, "/watch");
    kin__exchange *stream = transport_start(&h.f, &slow);

    kin_test_h2_await(h.server, "watches", 1);
    expect_h2(&h);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
    kin_test_h2_order(h.server, "goaway graceful");
    kin_test_h2_await(h.server, "closed", 1);
    send_event(&h);
    read_bytes(stream, &seen, 4);
    kin_test_h2_order(h.server, "end");
    assert_code(transport_await_end(stream, NULL), 0);
    kin__exchange_unref(stream);
    transport_await_sockets(sockets);
    expect_h2(&h);
    close_h2(&h);
}

/*
 * What a server has not seen, as it says itself, is sent again, whatever it is: over a new connection
 * the first request, over one that was used before the second.
 */
static void sends_again_what_a_server_has_not_seen(void **state)
{
    static const char *const targets[] = {"/disown", "/disown/early"};
    static const size_t sizes[] = {0, 2, 1000000};
    static char body[1000000];
    struct h2 h;

    (void)state;
    memset(body, 'x', sizeof(body));
    for (size_t i = 0; i < kin__array_len(targets) * kin__array_len(sizes) * 2; i++) {
        const char *target = targets[i % kin__array_len(targets)];
        size_t size = sizes[i / kin__array_len(targets) % kin__array_len(sizes)];
        bool is_used = i >= kin__array_len(targets) * kin__array_len(sizes);
        kin__exchange_spec spec;
        transport_result result;

        print_message("%s, %zu bytes%s\n", target, size, is_used ? ", not the first" : "");
        open_h2(&h, FRAMES);
        if (is_used)
            expect_h2(&h);
        spec = get(&h, target);
        spec.method = size ? "POST" : "DELETE";
        spec.body = kin_str_make(size ? body : NULL, size);
        transport_run(&h.f, &spec, &result);
        if (result.code)
            print_error("%s\n", result.err.message);
        assert_code(result.code, 0);
        assert_int_equal(result.status, 200);
        assert_int_equal(result.len, size);
        transport_result_done(&result);
        assert_int_equal(kin_test_h2_count(h.server, "disowned"), 2);
        assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
        close_h2(&h);
    }
}

/* libcurl does that by itself, if it is let; the other stream goes on where it is. */
static void sends_again_beside_a_stream_that_was_seen(void **state)
{
    kin__exchange_spec spec;
    kin__exchange *stream;
    transport_result result;
    size_t seen = 0;
    struct h2 h;

    (void)state;
    open_h2(&h, FRAMES);
    spec = get(&h, "/watch");
    stream = transport_start(&h.f, &spec);
    kin_test_h2_await(h.server, "watches", 1);
    spec = get(&h, "/disown");
    spec.method = "POST";
    spec.body = kin_str_of("{}");
    transport_run(&h.f, &spec, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "{}");
    transport_result_done(&result);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
    send_event(&h);
    read_bytes(stream, &seen, 4);
    kin_test_h2_order(h.server, "end");
    assert_code(transport_await_end(stream, NULL), 0);
    kin__exchange_unref(stream);
    close_h2(&h);
}

/* One that it may have seen is not. */
static void does_not_send_twice_what_a_server_may_have_seen(void **state)
{
    static const char *const orders[] = {"close", "abort", "goaway ENHANCE_YOUR_CALM"};
    struct h2 h;

    (void)state;
    for (size_t i = 0; i < kin__array_len(orders); i++) {
        kin__exchange_spec spec;
        kin__exchange *exchange;

        print_message("%s\n", orders[i]);
        open_h2(&h, FRAMES);
        expect_h2(&h);
        spec = get(&h, "/stall");
        spec.method = "POST";
        spec.body = kin_str_of("{}");
        exchange = transport_start(&h.f, &spec);
        kin_test_h2_await(h.server, "received", 2);
        kin_test_h2_order(h.server, "%s", orders[i]);
        assert_code(transport_await_end(exchange, NULL), KIN_ECONNECT);
        kin__exchange_unref(exchange);
        expect_h2(&h);
        assert_int_equal(kin_test_h2_count(h.server, "streams"), 3);
        close_h2(&h);
    }
}

static void loses_a_connection_with_many_streams(void **state)
{
    /* Not "goaway drop": libcurl 7.88 takes disowned streams for complete (docs/design.md). */
    static const char *const orders[] = {"close", "abort", "goaway ENHANCE_YOUR_CALM"};
    struct h2 h;

    (void)state;
    for (size_t o = 0; o < kin__array_len(orders); o++) {
        kin__exchange *streams[MANY];
        size_t seen[MANY] = {0};

        print_message("%s\n", orders[o]);
        open_h2(&h, FRAMES);
        for (int i = 0; i < MANY; i++)
            streams[i] = watch(&h, "/watch", 0);
        kin_test_h2_await(h.server, "watches", MANY);
        send_event(&h);
        for (int i = 0; i < MANY; i++)
            read_bytes(streams[i], &seen[i], 4);
        kin_test_h2_order(h.server, "%s", orders[o]);
        for (int i = 0; i < MANY; i++) {
            kin_error err = KIN_ERROR_INIT;

            assert_code(transport_await_end(streams[i], &err), KIN_ECONNECT);
            assert_true(err.flags & KIN_ERROR_RETRIABLE);
            kin__exchange_unref(streams[i]);
        }
        expect_h2(&h);
        close_h2(&h);
    }
}

/* Nobody reads one stream, though much comes: the other streams do not stand still for it. */
static void keeps_live_streams_going_beside_a_slow_one(void **state)
{
    struct h2 h;
    const size_t size = 16000000; /* the limit is 1 MiB */
    size_t slow_seen = 0;
    size_t seen = 0;

    (void)state;
    open_h2(&h, STANDARD);
    kin__exchange *live = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", 1);
    kin__exchange *slow = watch(&h, "/size/16000000", 0);
    transport_await_paused(slow);
    for (size_t i = 1; i <= 200; i++) {
        send_event(&h);
        read_bytes(live, &seen, 4 * i);
    }
    read_bytes(slow, &slow_seen, size);
    assert_code(transport_await_end(slow, NULL), 0);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    kin__exchange_unref(slow);
    kin__exchange_unref(live);
    close_h2(&h);
}

/* Until the server has sent no more for a while, in which others were served. */
static int64_t await_standstill(struct h2 *h, kin__exchange *live, size_t *seen)
{
    int64_t before = -1;
    int64_t sent = 0;

    for (int same = 0; same < 50;) {
        send_event(h);
        read_bytes(live, seen, *seen + 4);
        sent = kin_test_h2_count(h->server, "sent");
        same = sent == before ? same + 1 : 0;
        before = sent;
    }
    return sent;
}

/* A server that has no end: it is made to wait, the others are served, and nothing breaks later. */
static void holds_a_flood_back(void **state)
{
    struct h2 h;
    const size_t all = (size_t)300 * 1000 * 1000;
    size_t live_seen = 0;
    size_t seen = 0;
    kin_str bytes;
    int code;

    (void)state;
    open_h2(&h, STANDARD);
    kin__exchange *live = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", 1);
    kin__exchange *slow = watch(&h, "/flood", 0);
    transport_await_paused(slow);
    int64_t sent = await_standstill(&h, live, &live_seen);
    print_message("the server stopped after %lld bytes\n", (long long)sent);
    assert_true(sent < (int64_t)40 * 1024 * 1024);
    while (seen < all) {
        size_t before = seen;

        if (kin__exchange_read(slow, &bytes))
            seen += bytes.len;
        else if (kin__exchange_ended(slow, &code, NULL))
            fail_msg("ended with %s after %zu bytes", kin_error_name(code), seen);
        else
            assert_code(kin__exchange_wait(slow, INT64_MAX), 0);
        /* At first a little at a time, and the server sends all it may in between. */
        if (seen < (size_t)10 * 1000 * 1000 && seen / 2000000 != before / 2000000)
            await_standstill(&h, live, &live_seen);
    }
    await_standstill(&h, live, &live_seen);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    kin__exchange_unref(slow);
    kin__exchange_unref(live);
    close_h2(&h);
}

/* What becomes of streams that nobody reads when their connection is lost. */
enum fate { READ_ON, CANCELLED, FREED };

/* To the end, which may look like one ("goaway drop": docs/design.md). */
static void read_on(kin__exchange *exchange)
{
    kin_str bytes;
    int code;

    while (!kin__exchange_ended(exchange, &code, NULL)) {
        if (!kin__exchange_read(exchange, &bytes))
            assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    }
}

/* An event, or the end. */
static void await_news(kin__exchange *exchange)
{
    kin_str bytes;
    int code;

    while (!kin__exchange_read(exchange, &bytes) && !kin__exchange_ended(exchange, &code, NULL))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
}

static void lose_paused_streams(const char *order, enum fate fate, size_t n_slow)
{
    struct h2 h;
    kin__exchange *live[3];
    kin__exchange *slow[3];

    assert_true(n_slow <= kin__array_len(slow));
    print_message("%s, %d, %zu\n", order, fate, n_slow);
    open_h2(&h, FRAMES);
    for (size_t i = 0; i < kin__array_len(live); i++)
        live[i] = watch(&h, "/watch", 0);
    kin_test_h2_await(h.server, "watches", (int64_t)kin__array_len(live));
    for (size_t i = 0; i < n_slow; i++) {
        slow[i] = watch(&h, "/flood", 0);
        transport_await_paused(slow[i]);
    }
    kin_test_h2_await(h.server, "sent", (int64_t)n_slow * WINDOW);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    kin_test_h2_order(h.server, "%s", order);
    send_event(&h); /* behind the order, where there are streams left */
    for (size_t i = 0; i < kin__array_len(live); i++)
        await_news(live[i]);
    if (fate == FREED) {
        kin__transport_free(h.f.transport);
        h.f.transport = NULL;
    }
    for (size_t i = 0; i < n_slow; i++) {
        if (fate == READ_ON)
            read_on(slow[i]);
        kin__exchange_unref(slow[i]);
    }
    for (size_t i = 0; i < kin__array_len(live); i++)
        kin__exchange_unref(live[i]);
    close_h2(&h);
}

/*
 * libcurl holds 32 MiB for each of them; LeakSanitizer tells if it forgets them. Several at once are looked at
 * where the connection goes: that is a second of computing for each three of them.
 */
static void leaves_nothing_behind_of_paused_streams(void **state)
{
    static const char *const orders[] = {"close", "abort", "goaway ENHANCE_YOUR_CALM",
                                         "goaway drop", "reset INTERNAL_ERROR /flood"};

    (void)state;
    for (size_t o = 0; o < kin__array_len(orders); o++) {
        for (enum fate fate = READ_ON; fate <= FREED; fate++)
            lose_paused_streams(orders[o], fate, o == 0 ? 3 : 1);
    }
}

/* Lists have connections of their own, over HTTP/1.1, and are paused for as long as one likes. */
static void pauses_lists_beside_others(void **state)
{
    struct h2 h;
    kin__exchange_spec spec;
    transport_result result;

    (void)state;
    open_h2(&h, STANDARD);
    spec = get(&h, "/size/100000000");
    spec.kind = KIN__LANE_LIST;
    kin__exchange *bulk = transport_start(&h.f, &spec);
    transport_await_paused(bulk);
    for (int i = 0; i < 20; i++)
        expect_h2(&h);
    transport_finish(&h.f, bulk, &result);
    assert_code(result.code, 0);
    assert_false(result.is_http2);
    assert_int_equal(result.len, 100000000);
    transport_result_done(&result);
    close_h2(&h);
}

static void move_clock(struct h2 *h, int64_t ns)
{
    assert_code(kin_clock_await_waiters(h->f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(h->f.clock, ns, NULL), 0);
}

/* The server stops in the middle of its streams: all are over by the first one's bound. */
static void leaves_a_server_that_is_frozen(void **state)
{
    struct h2 h;
    kin__exchange *streams[10];
    size_t seen[10] = {0};
    size_t next_seen = 0;

    (void)state;
    open_h2_at(&h, FRAMES, 0, true);
    for (size_t i = 0; i < kin__array_len(streams); i++)
        streams[i] = watch(&h, "/watch", (int64_t)(i + 1) * 60 * KIN__SECOND);
    kin_test_h2_await(h.server, "watches", (int64_t)kin__array_len(streams));
    send_event(&h);
    for (size_t i = 0; i < kin__array_len(streams); i++)
        read_bytes(streams[i], &seen[i], 4);
    kin_test_h2_order(h.server, "freeze");
    move_clock(&h, 60 * KIN__SECOND);
    for (size_t i = 0; i < kin__array_len(streams); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(transport_await_end(streams[i], &err), KIN_ECONNECT);
        assert_non_null(strstr(err.message, "no byte for 60000 ms"));
        kin__exchange_unref(streams[i]);
    }
    /* Whoever comes now is on a connection of their own. */
    kin__exchange *next = watch(&h, "/watch/next", 0);
    kin_test_h2_order(h.server, "thaw");
    kin_test_h2_await(h.server, "connections", 2);
    while (!kin__exchange_answer(next))
        assert_code(kin__exchange_wait(next, INT64_MAX), 0);
    send_event(&h);
    read_bytes(next, &next_seen, 4);
    kin__exchange_unref(next);
    close_h2(&h);
}

static kin__exchange *probed_watch(struct h2 *h, size_t *seen)
{
    kin__exchange_spec spec = get(h, "/watch");

    spec.kind = KIN__LANE_WATCH;
    spec.is_probed = true;
    int64_t before = kin_test_h2_count(h->server, "watches");
    kin__exchange *exchange = transport_start(&h->f, &spec);
    kin_test_h2_await(h->server, "watches", before + 1);
    send_event(h);
    read_bytes(exchange, seen, 4);
    return exchange;
}

/*
 * Two requests, one after the other. The I/O thread has handled the end of an earlier stream when the second one ends. A
 * probe that the clock overtakes before its end would count as late, and its stream would be reset.
 */
static void settle(struct h2 *h)
{
    for (int i = 0; i < 2; i++) {
        kin__exchange_spec spec = get(h, "/");
        transport_result result;

        spec.kind = KIN__LANE_WATCH;
        transport_run(&h->f, &spec, &result);
        assert_code(result.code, 0);
        transport_result_done(&result);
    }
}

/* The probe is a stream of the connection that the watches share, and its answer counts for all of them. */
static void probes_on_the_same_connection(void **state)
{
    struct h2 h;
    kin__exchange *streams[2];
    size_t seen[2] = {0};

    (void)state;
    open_h2_at(&h, FRAMES, 0, true);
    streams[0] = probed_watch(&h, &seen[0]);
    streams[1] = probed_watch(&h, &seen[1]);
    for (int64_t n = 1; n <= 2; n++) {
        int64_t ended = kin_test_h2_count(h.server, "ended");

        move_clock(&h, 25 * KIN__SECOND);
        kin_test_h2_await(h.server, "ended", ended + 1);
        for (int i = 0; i < 2; i++) {
            while (kin__exchange_heard(streams[i]) != kin_clock_now(h.f.clock))
                sched_yield();
        }
        /* Two watches, n probes, and two requests of each settle(). */
        assert_int_equal(kin_test_h2_count(h.server, "streams"), 2 + n + 2 * (n - 1));
        settle(&h);
    }
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    for (int i = 0; i < 2; i++)
        kin__exchange_unref(streams[i]);
    close_h2(&h);
}

static void ends_watches_whose_probe_is_not_answered(void **state)
{
    struct h2 h;
    kin_error err = KIN_ERROR_INIT;
    size_t seen = 0;

    (void)state;
    open_h2_at(&h, FRAMES, 0, true);
    kin__exchange *stream = probed_watch(&h, &seen);
    kin_test_h2_order(h.server, "freeze");
    move_clock(&h, 25 * KIN__SECOND);
    move_clock(&h, 15 * KIN__SECOND);
    assert_code(transport_await_end(stream, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "no answer to a probe"));
    kin__exchange_unref(stream);
    kin_test_h2_order(h.server, "thaw");
    close_h2(&h);
}

/*
 * After a GOAWAY libcurl opens another connection for the probe. Its answer is neither a proof of life for the connection
 * that the watch is on, nor held against it.
 */
static void does_not_count_a_probe_on_another_connection(void **state)
{
    struct h2 h;
    size_t seen = 0;
    int64_t heard;

    (void)state;
    open_h2_at(&h, FRAMES, 0, true);
    kin__exchange *stream = probed_watch(&h, &seen);
    kin_test_h2_order(h.server, "goaway graceful");
    send_event(&h);
    read_bytes(stream, &seen, 8);
    heard = kin__exchange_heard(stream);
    move_clock(&h, 25 * KIN__SECOND);
    kin_test_h2_await(h.server, "ended", 1);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
    settle(&h);
    assert_true(kin__exchange_heard(stream) == heard);
    send_event(&h);
    read_bytes(stream, &seen, 12);
    kin__exchange_unref(stream);
    close_h2(&h);
}

/* The connection has all the streams that the server allows, so probes go elsewhere. The watches stay. */
static void probes_beside_a_full_connection(void **state)
{
    struct h2 h;
    kin__exchange *streams[2];
    size_t seen[2] = {0};

    (void)state;
    open_h2_at(&h, FRAMES, 2, true);
    streams[0] = probed_watch(&h, &seen[0]);
    streams[1] = probed_watch(&h, &seen[1]);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    move_clock(&h, 25 * KIN__SECOND);
    kin_test_h2_await(h.server, "ended", 1);
    settle(&h);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 2);
    send_event(&h);
    /* The first one has received the event that the second began with, too. */
    read_bytes(streams[0], &seen[0], 12);
    read_bytes(streams[1], &seen[1], 8);
    for (int i = 0; i < 2; i++)
        kin__exchange_unref(streams[i]);
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
    open_h2_at(&h, FRAMES, 0, true);
    kin__exchange *live = watch(&h, "/watch", 60 * KIN__SECOND);
    kin__exchange *silent = watch(&h, "/stall", 60 * KIN__SECOND);
    kin_test_h2_await(h.server, "active", 2);
    kin_test_h2_await(h.server, "watches", 1);
    send_event(&h);
    read_bytes(live, &seen, 4);
    move_clock(&h, 30 * KIN__SECOND);
    send_event(&h);
    read_bytes(live, &seen, 8);
    move_clock(&h, 30 * KIN__SECOND);
    assert_code(transport_await_end(silent, &err), KIN_ECONNECT);
    assert_false(kin__exchange_ended(live, &code, NULL));
    send_event(&h);
    read_bytes(live, &seen, 12);
    assert_int_equal(kin_test_h2_count(h.server, "connections"), 1);
    kin__exchange_unref(silent);
    kin__exchange_unref(live);
    close_h2(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speaks_http2),
        cmocka_unit_test(sends_bodies),
        cmocka_unit_test(puts_watches_on_one_connection),
        cmocka_unit_test(takes_another_connection_for_more),
        cmocka_unit_test(keeps_to_the_streams_a_server_allows),
        cmocka_unit_test(cancels_one_stream_and_keeps_the_others),
        cmocka_unit_test(tells_a_reset_stream),
        cmocka_unit_test(tells_what_is_wrong_with_a_stream),
        cmocka_unit_test(leaves_a_connection_that_goes_away),
        cmocka_unit_test(lets_go_of_a_kept_connection),
        cmocka_unit_test(keeps_what_others_use),
        cmocka_unit_test(sends_again_what_a_server_has_not_seen),
        cmocka_unit_test(sends_again_beside_a_stream_that_was_seen),
        cmocka_unit_test(does_not_send_twice_what_a_server_may_have_seen),
        cmocka_unit_test(loses_a_connection_with_many_streams),
        cmocka_unit_test(keeps_live_streams_going_beside_a_slow_one),
        cmocka_unit_test(holds_a_flood_back),
        cmocka_unit_test(leaves_nothing_behind_of_paused_streams),
        cmocka_unit_test(pauses_lists_beside_others),
        cmocka_unit_test(leaves_a_server_that_is_frozen),
        cmocka_unit_test(probes_on_the_same_connection),
        cmocka_unit_test(ends_watches_whose_probe_is_not_answered),
        cmocka_unit_test(does_not_count_a_probe_on_another_connection),
        cmocka_unit_test(probes_beside_a_full_connection),
        cmocka_unit_test(blames_a_silent_stream_alone),
    };

    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
