/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: how many, from where, and for how long. Time is a fake clock's. */
#include "kin_test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_support.h"

static kin_test_server test;
static kin_clock *timepiece;

static void start_with(kin_apiserver_options options)
{
    assert_code(kin_clock_new_fake(&timepiece, 1700000000 * KIN__SECOND, NULL), 0);
    options.clock = timepiece;
    kin_test_server_start(&test, &options);
}

static int stop(void **state)
{
    (void)state;
    kin_test_server_done(&test);
    kin_clock_unref(timepiece);
    timepiece = NULL;
    return 0;
}

static void pass_ms(int64_t ms)
{
    assert_code(kin_clock_advance(timepiece, ms * KIN__MILLISECOND, NULL), 0);
}

static int connect_and_say(const char *text)
{
    int fd = kin_test_server_connect(&test);

    raw_send(fd, text);
    return fd;
}

/* The socket has been closed, without a word. */
static void expect_closed(int fd)
{
    char *rest = NULL;

    raw_read_all(fd, &rest);
    assert_string_equal(rest, "");
    free(rest);
    close(fd);
}

/* Time goes on until the server hangs up; how long that took, in seconds. */
static int64_t seconds_until_closed(int fd, const char *bytes)
{
    int64_t begin = kin_clock_now(timepiece);
    struct pollfd end = {.fd = fd, .events = POLLIN};

    /* A moment of real time for the server's threads, of which nothing is asked. */
    while (poll(&end, 1, 1) == 0) {
        pass_ms(1000);
        (void)!send(fd, bytes, strlen(bytes), MSG_NOSIGNAL);
    }
    close(fd);
    return (kin_clock_now(timepiece) - begin) / KIN__SECOND;
}

static void expect_served(int fd)
{
    raw_send(fd, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(fd, "system:anonymous 0\n"));
}

static void test_connections(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[4];

    (void)state;
    options.max_connections = 3;
    start_with(options);
    for (int i = 0; i < 3; i++) {
        fds[i] = kin_test_server_connect(&test);
        expect_served(fds[i]);
    }
    char *answer = kin_test_server_exchange(&test, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(kin_test_contains(answer, " 429 Too Many Requests"));
    assert_true(kin_test_contains(answer, "Retry-After: 1\r\n"));
    assert_true(kin_test_contains(answer, "\"reason\":\"TooManyRequests\""));
    free(answer);
    close(fds[0]);
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    filter.status = 429;
    assert_code(kin__request_log_wait(kin__server_log(test.server), &filter, 1, 1000, NULL), 0);
    /* There is room again, once the server has seen the end of the first. */
    for (;;) {
        answer = kin_test_server_exchange(
            &test, "GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        bool is_served = kin_test_contains(answer, " 200 ");
        free(answer);
        if (is_served)
            break;
    }
    expect_served(fds[1]);
    close(fds[1]);
    close(fds[2]);
}

/* Those who are not even told so. */
static void test_connections_far_beyond(void **state)
{
    enum { N = 200 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[N];
    char byte = 0;

    (void)state;
    options.max_connections = 1;
    options.threads = 1;
    start_with(options);
    for (int i = 0; i < N; i++) {
        fds[i] = kin_test_connect_port(kin__server_port(test.server));
        /* The reset can arrive before connect() returns. */
        assert_true(fds[i] >= 0 || (i > 0 && errno == ECONNRESET));
    }
    assert_true(fds[N - 1] < 0 || recv(fds[N - 1], &byte, 1, 0) <= 0);
    assert_true(atomic_load(&kin__server_metrics(test.server)->connections) <= 65);
    expect_served(fds[0]);
    for (int i = 0; i < N; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

static void test_connections_of_an_address(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    options.max_connections_per_address = 1;
    start_with(options);
    int first = kin_test_server_connect(&test);
    expect_served(first);
    char *answer = kin_test_server_exchange(&test, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_true(kin_test_contains(answer, " 429 "));
    free(answer);
    close(first);
}

/* Bodies that are being sent, slowly, by clients that are not too many. */
static void test_bodies_of_all(void **state)
{
    enum { N = 120, ROOM = 100, LEN = 1000 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[N];
    char half[LEN + 128];
    char whole[LEN];
    char *answer = NULL;
    int served = 0;

    (void)state;
    options.max_body_bytes = LEN;
    options.threads = 1; /* two could get into each other's way, and both be refused */
    start_with(options);
    snprintf(half, sizeof(half),
             "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%0*d", LEN,
             LEN - 1, 0);
    snprintf(whole, sizeof(whole),
             "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
             "Content-Length: %d\r\n\r\n%0*d",
             LEN / 5, LEN / 5, 0);
    for (int i = 0; i < N; i++)
        fds[i] = connect_and_say(half);
    /* Sooner or later all of these have arrived. */
    do {
        free(answer);
        answer = kin_test_server_exchange(&test, whole);
    } while (!kin_test_contains(answer, " 429 Too Many Requests"));
    assert_true(kin_test_contains(answer, "Retry-After: 1\r\n"));
    free(answer);
    for (int i = 0; i < N; i++) {
        raw_send(fds[i], "0");
        answer = raw_read_until(fds[i], "\r\n\r\n");
        served += kin_test_contains(answer, " 200 OK");
        assert_true(kin_test_contains(answer, " 200 OK") || kin_test_contains(answer, " 429 "));
        free(answer);
        close(fds[i]);
    }
    assert_int_equal(served, ROOM);
    /* What they took is given back, and nothing more. */
    answer = kin_test_server_exchange(&test, whole);
    assert_true(kin_test_contains(answer, " 200 OK"));
    free(answer);
}

static void test_silent_client(void **state)
{
    const kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    start_with(options);
    int fd = kin_test_server_connect(&test);
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pass_ms(32000);
    expect_closed(fd);
}

/* A byte now and then does not help. */
static void test_slow_head(void **state)
{
    const kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    start_with(options);
    int fd = connect_and_say("GET /echo HTTP/1.1\r\nHost: localhost\r\n");
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_in_range(seconds_until_closed(fd, "X: y\r\n"), 32, 100000);
}

static void test_slow_body(void **state)
{
    const kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    start_with(options);
    int fd = connect_and_say(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\na");
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_in_range(seconds_until_closed(fd, "b"), 60, 100000);
}

static void test_idle_connection_and_watch(void **state)
{
    const kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    start_with(options);
    int watch = connect_and_say("GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(watch, "\r\n\r\n"));
    int held = connect_and_say("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kin_test_server_await_held(&test, 1);
    int idle = kin_test_server_connect(&test);
    expect_served(idle);
    kin_test_server_await(&test, "/echo", KIN_REQUEST_ENDED, 1);
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pass_ms(60000);
    expect_served(idle); /* which begins anew */
    kin_test_server_await(&test, "/echo", KIN_REQUEST_ENDED, 2);
    pass_ms(60000);
    expect_served(idle);
    kin_test_server_await(&test, "/echo", KIN_REQUEST_ENDED, 3);
    assert_in_range(seconds_until_closed(idle, ""), 90, 100000);
    /* Those who wait for us are not in a hurry. */
    kin_test_server_push(&test, "event\n");
    free(raw_read_until(watch, "event\n"));
    kin_test_server_answer_held(&test);
    free(raw_read_until(held, "at last"));
    close(watch);
    close(held);
}

/* --- TLS handshakes --- */

/* The beginning of a ClientHello. */
static const char hello_part[] = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00};

static int connect_and_stall(void)
{
    int fd = kin_test_server_connect(&test);

    assert_int_equal(send(fd, hello_part, sizeof(hello_part), MSG_NOSIGNAL), sizeof(hello_part));
    return fd;
}

/* OWNED; has its connection open. */
static CURL *get_by_tls(const char *path)
{
    CURL *easy = kin_test_server_easy(&test, path);

    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    struct got got = easy_get(easy);
    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.status / 100, 2);
    got_done(&got);
    return easy;
}

static uint64_t rounds(void)
{
    return atomic_load(&kin__server_metrics(test.server)->rounds);
}

/* Clients that stop within their TLS handshake do not keep a thread busy until the server hangs up. */
static void test_stalled_handshakes(void **state)
{
    enum { N = 50, ROUNDS_EACH = 20 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[N];

    (void)state;
    options.tls = true;
    options.header_timeout_ms = 2000;
    kin_test_server_start(&test, &options); /* in real time, in which threads could be busy */
    uint64_t before = rounds();
    for (int i = 0; i < N; i++)
        fds[i] = connect_and_stall();
    for (int i = 0; i < N; i++)
        expect_closed(fds[i]);
    assert_in_range(rounds() - before, 1, N * ROUNDS_EACH);
}

static void test_answers_beside_a_stalled_handshake(void **state)
{
    enum { N = 20 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[N];

    (void)state;
    options.tls = true;
    options.threads = 1;
    start_with(options);
    for (int i = 0; i < N; i++)
        fds[i] = connect_and_stall();
    for (int i = 0; i < N; i++)
        curl_easy_cleanup(get_by_tls("/echo"));
    /* The clock is the test's: they end when it says so, and not before. */
    pass_ms(32000);
    for (int i = 0; i < N; i++)
        expect_closed(fds[i]);
}

static void *get_held(void *arg)
{
    (void)arg;
    return get_by_tls("/held");
}

/* A connection whose handshake is over is suspended for its request only. */
static void test_suspended_beside_a_handshake(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    pthread_t thread;
    void *easy = NULL;

    (void)state;
    options.tls = true;
    options.threads = 1;
    start_with(options);
    int stalled = connect_and_stall();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, get_held, NULL), 0);
        kin_test_server_await_held(&test, 1);
        uint64_t before = rounds();
        curl_easy_cleanup(get_by_tls("/echo"));
        kin_test_server_answer_held(&test);
        assert_int_equal(pthread_join(thread, &easy), 0);
        assert_in_range(rounds() - before, 1, 100);
        curl_easy_cleanup(easy);
    }
    close(stalled);
}

/* One byte at a time, each of them in a round of its own. */
static void test_slow_handshake(void **state)
{
    static const char alert[] = {0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28}; /* handshake_failure */
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    options.tls = true;
    options.threads = 1;
    start_with(options);
    int fd = kin_test_server_connect(&test);
    for (size_t i = 0; i < sizeof(alert); i++) {
        assert_int_equal(send(fd, &alert[i], 1, MSG_NOSIGNAL), 1);
        curl_easy_cleanup(get_by_tls("/echo"));
    }
    expect_closed(fd);
}

/* Clients that have sent nothing for a while give way to others where the server is full. */
static void test_silent_clients_give_way(void **state)
{
    enum { N = 3 };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    int fds[N];
    CURL *easies[N];

    (void)state;
    options.tls = true;
    options.threads = 1; /* in the order in which they come */
    options.max_connections = N;
    start_with(options);
    for (int i = 0; i < N; i++)
        fds[i] = connect_and_stall();
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    while (atomic_load(&kin__server_metrics(test.server)->connections) < N)
        sched_yield();
    pass_ms(1000);
    for (int i = 0; i < N; i++) {
        easies[i] = get_by_tls("/echo");
        expect_closed(fds[i]);
    }
    for (int i = 0; i < N; i++)
        curl_easy_cleanup(easies[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_connections, stop),
        cmocka_unit_test_teardown(test_connections_far_beyond, stop),
        cmocka_unit_test_teardown(test_connections_of_an_address, stop),
        cmocka_unit_test_teardown(test_bodies_of_all, stop),
        cmocka_unit_test_teardown(test_silent_client, stop),
        cmocka_unit_test_teardown(test_stalled_handshakes, stop),
        cmocka_unit_test_teardown(test_answers_beside_a_stalled_handshake, stop),
        cmocka_unit_test_teardown(test_suspended_beside_a_handshake, stop),
        cmocka_unit_test_teardown(test_slow_handshake, stop),
        cmocka_unit_test_teardown(test_silent_clients_give_way, stop),
        cmocka_unit_test_teardown(test_slow_head, stop),
        cmocka_unit_test_teardown(test_slow_body, stop),
        cmocka_unit_test_teardown(test_idle_connection_and_watch, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
