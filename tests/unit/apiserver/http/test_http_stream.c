/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are made while they are sent: waiting, waking, ending, breaking off. */
#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server_support.h"

#define WATCH "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

static kin_test_server test;

static int start(void **state)
{
    (void)state;
    kin_test_server_start(&test, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin_test_server_done(&test);
    return 0;
}

static int open_watch(void)
{
    int fd = kin_test_server_connect(&test);

    raw_send(fd, WATCH);
    free(raw_read_until(fd, "\r\n\r\n"));
    return fd;
}

/* The next chunk is this event, and nothing else. */
static void expect_chunk(int fd, const char *event)
{
    char chunk[128];

    snprintf(chunk, sizeof(chunk), "%zX\r\n%s\r\n", strlen(event), event);
    char *got = raw_read_until(fd, "\n\r\n");
    assert_string_equal(got, chunk);
    free(got);
}

static int64_t gauge(const _Atomic int64_t *value)
{
    return atomic_load(value);
}

static void test_head_comes_before_the_first_event(void **state)
{
    int fd = open_watch();

    (void)state;
    kin_test_server_push(&test, "first\n");
    expect_chunk(fd, "first\n");
    kin_test_server_push(&test, "second\n");
    expect_chunk(fd, "second\n");
    close(fd);
    kin_test_server_await_closed(&test, 1);
}

static void test_end(void **state)
{
    int fd = open_watch();
    char *rest = NULL;

    (void)state;
    kin_test_server_push(&test, "only\n");
    kin_test_server_end_streams(&test);
    rest = raw_read_until(fd, "0\r\n\r\n");
    assert_true(kin_test_contains(rest, "only\n"));
    free(rest);
    /* The connection is kept. */
    raw_send(fd, "GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    raw_read_all(fd, &rest);
    assert_true(kin_test_contains(rest, "GET /echo"));
    free(rest);
    close(fd);
}

static void test_abort(void **state)
{
    int fd = open_watch();
    char *rest = NULL;

    (void)state;
    kin_test_server_push(&test, "only\n");
    expect_chunk(fd, "only\n");
    kin_test_server_abort_streams(&test);
    raw_read_all(fd, &rest);
    assert_false(kin_test_contains(rest, "0\r\n\r\n"));
    free(rest);
    close(fd);
    kin_test_server_await_closed(&test, 1);
}

static void test_clients_that_hang_up_are_noticed(void **state)
{
    kin__metrics *metrics = kin__server_metrics(test.server);
    int gone = open_watch();
    int half = open_watch();
    int stays = open_watch();

    (void)state;
    kin_test_server_await_streams(&test, 3);
    assert_int_equal(gauge(&metrics->watches), 3);
    /* Nothing is sent, and still it is noticed. */
    close(gone);
    kin_test_server_await_closed(&test, 1);
    /* As Go's server, which ends a request whose client has shut down its side. */
    shutdown(half, SHUT_WR);
    kin_test_server_await_closed(&test, 2);
    kin_test_server_await(&test, "/api/v1/pods", KIN_REQUEST_ENDED, 2);
    assert_int_equal(gauge(&metrics->watches), 1);
    kin_test_server_push(&test, "still here\n");
    expect_chunk(stays, "still here\n");
    close(half);
    close(stays);
}

static void test_waking_before_waiting(void **state)
{
    struct got got = kin_test_server_get(&test, "/eager/100");

    (void)state;
    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.len, 100);
    got_done(&got);
}

static void test_waking_races_with_waiting(void **state)
{
    enum { EVENTS = 20000 };
    int fd = open_watch();
    char *text = NULL;
    size_t events = 0;

    (void)state;
    kin_test_server_await_streams(&test, 1);
    /* Pushed while the stream goes to sleep and wakes up again, all the time. */
    for (int i = 0; i < EVENTS; i++)
        kin_test_server_push(&test, "e\n");
    kin_test_server_end_streams(&test);
    text = raw_read_until(fd, "0\r\n\r\n");
    for (const char *at = strchr(text, 'e'); at; at = strchr(at + 1, 'e'))
        events += at[1] == '\n';
    assert_int_equal(events, EVENTS);
    free(text);
    close(fd);
}

static void *watch_by_tls(void *arg)
{
    struct got *got = arg;
    CURL *easy = kin_test_server_easy(&test, "/api/v1/pods?watch=1");

    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    *got = easy_get(easy);
    curl_easy_cleanup(easy);
    return NULL;
}

static void test_tls(void **state)
{
    enum { EVENTS = 2000, WATCHES = 3 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    pthread_t threads[WATCHES];
    struct got got[WATCHES];

    (void)state;
    options.tls = true;
    kin_test_server_start(&test, &options);
    for (int i = 0; i < WATCHES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, watch_by_tls, &got[i]), 0);
    kin_test_server_await_streams(&test, WATCHES);
    for (int i = 0; i < EVENTS; i++)
        kin_test_server_push(&test, "event\n");
    kin_test_server_end_streams(&test);
    for (int i = 0; i < WATCHES; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(got[i].code, CURLE_OK);
        assert_int_equal(got[i].len, EVENTS * strlen("event\n"));
        got_done(&got[i]);
    }
}

static void test_slow_reader_bounds_what_is_made(void **state)
{
    int fd = kin_test_server_connect(&test);
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    int small = 4096;

    (void)state;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    raw_send(fd, "GET /made/1000000000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kin_test_server_await(&test, "/made/*", KIN_REQUEST_ANSWERED, 1);
    free(raw_read_until(fd, "mmmm"));
    close(fd);
    filter.path = "/made/*";
    filter.phase = KIN_REQUEST_ENDED;
    assert_code(
        kin__request_log_wait(kin__server_log(test.server), &filter, 1, KIN_TEST_TIMEOUT_MS, NULL),
        0);
    /* Buffers of the kernel and ours, not the body. */
    assert_true(atomic_load(&kin__server_metrics(test.server)->response_bytes) < (64u << 20));
    kin_test_server_await_closed(&test, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_head_comes_before_the_first_event, start, stop),
        cmocka_unit_test_setup_teardown(test_end, start, stop),
        cmocka_unit_test_setup_teardown(test_abort, start, stop),
        cmocka_unit_test_setup_teardown(test_clients_that_hang_up_are_noticed, start, stop),
        cmocka_unit_test_setup_teardown(test_waking_before_waiting, start, stop),
        cmocka_unit_test_setup_teardown(test_waking_races_with_waiting, start, stop),
        cmocka_unit_test_teardown(test_tls, stop),
        cmocka_unit_test_setup_teardown(test_slow_reader_bounds_what_is_made, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
