/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back-pressure over HTTP/1.1: what waits for a slow consumer is bounded, the server feels it, and
 * nothing is lost.
 */
#include "transport_support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"

#define PIECE ((size_t)16 * 1024)

struct stream {
    size_t size; /* to be sent */
    _Atomic size_t sent;
    uint64_t sum; /* of what was sent; read after the end */
};

static void fill(char *piece, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++)
        piece[i] = (char)((at + i) * 2654435761u >> 24);
}

static void send_stream(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct stream *stream = arg;
    char piece[PIECE];

    if (strcmp(request->target, "/other") == 0) {
        kin_test_http_answer(conn, 200, "text/plain", "other");
        return;
    }
    kin_test_http_status(conn, 200);
    while (stream->sent < stream->size) {
        size_t left = stream->size - stream->sent;
        size_t n = left < PIECE ? left : PIECE;

        fill(piece, n, stream->sent);
        if (!kin_test_http_chunk(conn, piece, n))
            return;
        stream->sum = transport_sum(stream->sum, piece, n);
        stream->sent += n;
    }
    if (strcmp(request->target, "/lasting") == 0)
        kin_test_http_wait_for_client_close(conn);
    kin_test_http_end_chunks(conn);
}

static void stands_still_and_goes_on(bool tls, enum kin__lane_kind kind)
{
    struct stream stream = {.size = (size_t)(KIN_TEST_SANITIZED ? 24 : 64) * 1024 * 1024};
    transport_fixture f = {0};
    transport_setup setup = {
        .server = {.handler = send_stream, .arg = &stream, .send_buffer = 64 * 1024}};
    kin__exchange_spec spec = transport_get("/stream");
    kin__exchange_spec other = transport_get("/other");
    transport_result result;
    kin_test_pki *pki = NULL;
    kin__identity identity = {.tls = NULL};

    if (tls) {
        kin_test_pki_new(&pki);
        setup.server.tls =
            (kin_test_tls){.certificate = pki->server.certificate, .key = pki->server.key};
        identity.tls = transport_material(1, pki->ca.certificate, NULL);
    }
    transport_open(&f, &setup);
    spec.identity = &identity;
    spec.kind = kind;
    spec.buffer_limit = 256 * 1024;
    other.identity = &identity;

    size_t live = kin_test_alloc_live();
    kin__exchange *exchange = transport_start(&f, &spec);
    transport_await_paused(exchange);
    assert_true(kin_test_alloc_live() - live < 200);
    /* Others go on beside it. */
    transport_run(&f, &other, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "other");
    transport_result_done(&result);
    assert_true(stream.sent < stream.size / 2);

    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, stream.size);
    assert_true(result.sum == stream.sum);
    transport_result_done(&result);
    transport_close(&f);
    kin__tls_material_unref(identity.tls);
    if (pki)
        kin_test_pki_free(pki);
}

static void pauses_plain(void **state)
{
    (void)state;
    for (enum kin__lane_kind kind = KIN__LANE_SHORT; kind <= KIN__LANE_WATCH_LIST; kind++)
        stands_still_and_goes_on(false, kind);
}

static void pauses_tls(void **state)
{
    (void)state;
    for (enum kin__lane_kind kind = KIN__LANE_SHORT; kind <= KIN__LANE_WATCH_LIST; kind++)
        stands_still_and_goes_on(true, kind);
}

/* The memory of a large body is used again: a thousand blocks, of which some are made. */
static void uses_blocks_again(void **state)
{
    struct stream stream = {.size = (size_t)64 * 1024 * 1024};
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/stream");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.server = {.handler = send_stream, .arg = &stream}});
    spec.kind = KIN__LANE_LIST;
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    transport_run(&f, &spec, &result);
    assert_in_range(kin_test_alloc_count(), 1, 500);
    kin_test_alloc_disarm();
    assert_code(result.code, 0);
    assert_true(result.sum == stream.sum);
    transport_result_done(&result);
    transport_close(&f);
}

/* A streaming list that has become a watch holds no more than one. */
static void gives_blocks_back_when_it_is_idle(void **state)
{
    struct stream stream = {.size = (size_t)8 * 1024 * 1024};
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/lasting");
    size_t seen = 0;
    kin_str bytes;

    (void)state;
    transport_open(&f, &(transport_setup){.server = {.handler = send_stream, .arg = &stream}});
    spec.kind = KIN__LANE_WATCH_LIST;
    size_t live = kin_test_alloc_live();
    kin__exchange *exchange = transport_start(&f, &spec);
    transport_await_paused(exchange); /* many are there at once */
    while (seen < stream.size) {
        if (kin__exchange_read(exchange, &bytes))
            seen += bytes.len;
        else
            assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    }
    assert_false(kin__exchange_read(exchange, &bytes));
    assert_in_range(kin_test_alloc_live() - live, 1, 10);
    kin__exchange_unref(exchange);
    transport_close(&f);
}

/* One byte of room: it is paused after each piece, a thousand times. */
static void is_paused_over_and_over(void **state)
{
    struct stream stream = {.size = (size_t)16 * 1024 * 1024 + 17};
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/stream");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.server = {.handler = send_stream, .arg = &stream}});
    spec.buffer_limit = 1;
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, stream.size);
    assert_true(result.sum == stream.sum);
    transport_result_done(&result);
    transport_close(&f);
}

/* While it is paused the peer's silence is our own doing. */
static void does_not_blame_the_peer_for_a_pause(void **state)
{
    struct stream stream = {.size = (size_t)16 * 1024 * 1024};
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/stream");
    transport_result result;
    int code;

    (void)state;
    transport_open(
        &f, &(transport_setup){
                .fake_clock = true,
                .server = {.handler = send_stream, .arg = &stream, .send_buffer = 64 * 1024}});
    spec.idle_ns = KIN__SECOND;
    spec.deadline = kin_clock_now(f.clock) + 3600 * KIN__SECOND;
    kin__exchange *exchange = transport_start(&f, &spec);
    transport_await_paused(exchange);
    for (int i = 0; i < 10; i++) {
        assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(f.clock, KIN__SECOND, NULL), 0);
    }
    assert_false(kin__exchange_ended(exchange, &code, NULL));
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, stream.size);
    transport_result_done(&result);
    transport_close(&f);
}

/* Compressed bytes are counted as they came; what they unfold into is held 64 KiB at a time. */
static void holds_little_of_a_bomb(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.options.max_gzip_ratio = UINT_MAX});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_GZIP_BOMB});
    spec.buffer_limit = 1024;
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, 64 * 1024 * 1024);
    transport_result_done(&result);
    transport_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_plain),
        cmocka_unit_test(pauses_tls),
        cmocka_unit_test(uses_blocks_again),
        cmocka_unit_test(gives_blocks_back_when_it_is_idle),
        cmocka_unit_test(is_paused_over_and_over),
        cmocka_unit_test(does_not_blame_the_peer_for_a_pause),
        cmocka_unit_test(holds_little_of_a_bomb),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
