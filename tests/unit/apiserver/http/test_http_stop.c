/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a server, in every phase of a connection. It is bounded and leaks nothing. */
#include "kin_test.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server_support.h"

static kin_test_server test;

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Generous: what must not happen is a wait for a timeout of minutes. */
static void expect_quick_stop(void)
{
    int64_t begin = now_ms();

    kin__server_stop(test.server);
    assert_true(now_ms() - begin < 15000);
}

static void start_with(int64_t stop_ms)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    options.stop_timeout_ms = stop_ms;
    kin_test_server_start(&test, &options);
}

static void test_phases_without_a_request(void **state)
{
    static const char *const beginnings[] = {
        "",
        "GE",
        "GET /echo HTTP/1.1\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nX: ",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
        start_with(100);
        int fd = kin_test_server_connect(&test);
        char *rest = NULL;

        raw_send(fd, beginnings[i]);
        /* One that comes behind has been served: the first was seen, too. */
        struct got got = kin_test_server_get(&test, "/echo");
        got_done(&got);
        expect_quick_stop();
        raw_read_all(fd, &rest);
        assert_string_equal(rest, "");
        free(rest);
        close(fd);
        kin_test_server_done(&test);
    }
}

static void test_idle_connections(void **state)
{
    (void)state;
    start_with(5000);
    int fd = kin_test_server_connect(&test);
    raw_send(fd, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(fd, "anonymous 0\n"));
    int64_t begin = now_ms();
    kin__server_stop(test.server);
    assert_true(now_ms() - begin < 4000); /* nothing is waited for */
    close(fd);
    kin_test_server_done(&test);
}

static void test_streams_that_wait(void **state)
{
    enum { N = 20 };
    int fds[N];

    (void)state;
    start_with(100);
    for (int i = 0; i < N; i++) {
        fds[i] = kin_test_server_connect(&test);
        raw_send(fds[i], "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        free(raw_read_until(fds[i], "\r\n\r\n"));
    }
    expect_quick_stop();
    kin_test_server_await_closed(&test, N);
    for (int i = 0; i < N; i++)
        close(fds[i]);
    kin_test_server_done(&test);
}

/* A service that ends its streams first: clients see a clean end. */
static void test_streams_that_end(void **state)
{
    char *rest = NULL;

    (void)state;
    start_with(KIN_TEST_TIMEOUT_MS);
    int fd = kin_test_server_connect(&test);
    raw_send(fd, "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(fd, "\r\n\r\n"));
    kin_test_server_push(&test, "last\n");
    kin__server_close_port(test.server);
    kin_test_server_end_streams(&test);
    expect_quick_stop();
    raw_read_all(fd, &rest);
    assert_true(kin_test_contains(rest, "last\n"));
    assert_true(kin_test_contains(rest, "0\r\n\r\n"));
    free(rest);
    close(fd);
    kin_test_server_done(&test);
}

static void test_stream_that_nobody_reads(void **state)
{
    (void)state;
    start_with(100);
    int fd = kin_test_server_connect(&test);
    raw_send(fd, "GET /made/1000000000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kin_test_server_await(&test, "/made/*", KIN_REQUEST_ANSWERED, 1);
    expect_quick_stop();
    kin_test_server_await_closed(&test, 1);
    close(fd);
    kin_test_server_done(&test);
}

static void *stop_server(void *arg)
{
    (void)arg;
    kin__server_stop(test.server);
    return NULL;
}

static void test_held_request_is_waited_for(void **state)
{
    pthread_t thread;
    char *rest = NULL;

    (void)state;
    start_with(KIN_TEST_TIMEOUT_MS);
    int fd = kin_test_server_connect(&test);
    uint16_t port = kin__server_port(test.server);
    raw_send(fd, "GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n");
    kin_test_server_await_held(&test, 1);
    assert_int_equal(pthread_create(&thread, NULL, stop_server, NULL), 0);
    for (int other = 0; other >= 0;) { /* until the port is closed */
        other = kin_test_connect_port(port);
        if (other >= 0)
            close(other);
    }
    /* It is not broken off meanwhile. */
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&readable, 1, 100), 0);
    kin_test_server_answer_held(&test);
    raw_read_all(fd, &rest);
    assert_true(kin_test_contains(rest, "at last"));
    assert_true(kin_test_contains(rest, "Connection: close"));
    free(rest);
    pthread_join(thread, NULL);
    close(fd);
    kin_test_server_done(&test);
}

static void test_answer_after_the_end(void **state)
{
    kin__api_call *call = NULL;
    kin__reply reply = {.status = 200};

    (void)state;
    start_with(50);
    int fd = kin_test_server_connect(&test);
    raw_send(fd, "POST /held HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nok");
    kin_test_server_await_held(&test, 1);
    call = test.held[0];
    test.n_held = 0;
    expect_quick_stop();
    kin_test_server_done(&test);
    /* The request is still there to be looked at, and its answer goes nowhere. */
    assert_true(kin_str_equal(call->request->body, kin_str_of("ok")));
    assert_true(kin_str_equal(call->request->path, kin_str_of("/held")));
    kin__buf_init(&reply.body, 100);
    kin__buf_append(&reply.body, kin_str_of("too late"));
    call->answer(call, &reply);
    close(fd);
}

static void test_faults_that_wait(void **state)
{
    static const kin_fault_type types[] = {KIN_FAULT_DELAY, KIN_FAULT_STALL, KIN_FAULT_DRIP};

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        kin_fault fault = KIN_FAULT_INIT(types[i]);

        start_with(100);
        fault.delay_ms = types[i] == KIN_FAULT_DELAY ? 3600000 : 0;
        fault.interval_ms = 3600000;
        fault.bytes = types[i] == KIN_FAULT_DRIP ? 1 : 0;
        kin_test_server_inject(&test, fault);
        int fd = kin_test_server_connect(&test);
        raw_send(fd, "GET /size/1000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        kin_test_server_await(&test, "/size/*", KIN_REQUEST_RECEIVED, 1);
        expect_quick_stop();
        close(fd);
        kin_test_server_done(&test);
    }
}

static void test_start_again_on_the_same_port(void **state)
{
    (void)state;
    start_with(100);
    uint16_t port = kin__server_port(test.server);
    for (int i = 0; i < 5; i++) {
        struct got got = kin_test_server_get(&test, "/echo");

        assert_int_equal(got.status, 200);
        got_done(&got);
        kin__server_stop(test.server);
        kin__server_stop(test.server); /* and nothing happens */
        assert_int_equal(kin_test_connect_port(port), -1);
        assert_code(kin__server_start(test.server, NULL), 0);
        assert_code(kin__server_start(test.server, NULL), KIN_EBUSY);
        assert_int_equal(kin__server_port(test.server), port);
    }
    kin_test_server_done(&test);
}

struct talkers {
    int fds[64];
    pthread_barrier_t barrier;
};

/* Each completes a head that makes no sense. */
static void *talk_nonsense(void *arg)
{
    struct talkers *talkers = arg;

    pthread_barrier_wait(&talkers->barrier);
    for (size_t i = 0; i < sizeof(talkers->fds) / sizeof(talkers->fds[0]); i++)
        (void)!send(talkers->fds[i], "no colon\r\n\r\n", 12, MSG_NOSIGNAL);
    return NULL;
}

/* libmicrohttpd 0.9.75 does not survive having to say so while it is being stopped. */
static void test_nonsense_at_the_end(void **state)
{
    enum { ROUNDS = 50 };
    struct talkers talkers;
    pthread_t thread;

    (void)state;
    start_with(100);
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = sizeof(talkers.fds) / sizeof(talkers.fds[0]);

        for (size_t i = 0; i < n; i++) {
            talkers.fds[i] = kin_test_server_connect(&test);
            raw_send(talkers.fds[i], "GET /echo HTTP/1.1\r\nHost: localhost\r\n");
        }
        assert_int_equal(pthread_barrier_init(&talkers.barrier, NULL, 2), 0);
        assert_int_equal(pthread_create(&thread, NULL, talk_nonsense, &talkers), 0);
        pthread_barrier_wait(&talkers.barrier);
        kin__server_stop(test.server);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&talkers.barrier);
        for (size_t i = 0; i < n; i++)
            close(talkers.fds[i]);
        assert_code(kin__server_start(test.server, NULL), 0);
    }
    kin_test_server_done(&test);
}

/* As between fork() and exec(), in a program that starts others. */
static void test_start_again_while_a_child_lives(void **state)
{
    int ends[2];

    (void)state;
    start_with(100);
    uint16_t port = kin__server_port(test.server);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char byte;

        close(ends[1]);
        (void)!read(ends[0], &byte, 1);
        _exit(0);
    }
    close(ends[0]);
    kin__server_stop(test.server);
    assert_int_equal(kin_test_connect_port(port), -1);
    assert_code(kin__server_start(test.server, NULL), 0);
    assert_int_equal(kin__server_port(test.server), port);
    struct got got = kin_test_server_get(&test, "/echo");
    assert_int_equal(got.status, 200);
    got_done(&got);
    close(ends[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    kin_test_server_done(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_without_a_request),
        cmocka_unit_test(test_idle_connections),
        cmocka_unit_test(test_streams_that_wait),
        cmocka_unit_test(test_streams_that_end),
        cmocka_unit_test(test_stream_that_nobody_reads),
        cmocka_unit_test(test_held_request_is_waited_for),
        cmocka_unit_test(test_answer_after_the_end),
        cmocka_unit_test(test_faults_that_wait),
        cmocka_unit_test(test_nonsense_at_the_end),
        cmocka_unit_test(test_start_again_on_the_same_port),
        cmocka_unit_test(test_start_again_while_a_child_lives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
