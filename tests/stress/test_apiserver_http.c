/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients against the API server's HTTP: many at once, and threads that connect, watch, hang up and
 * meet faults while events are pushed, answers come late and the server is stopped under them.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rng.h"
#include "server_support.h"

#define CLIENTS 4
#define MANY 1000

static kin_test_server test;
static atomic_bool stop_all;
static uint16_t port;

static void test_a_thousand_connections(void **state)
{
    static int fds[MANY];
    struct rlimit limit;

    (void)state;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    kin_test_server_start(&test, NULL);
    for (int i = 0; i < MANY; i++) {
        fds[i] = kin_test_server_connect(&test);
        raw_send(fds[i], "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    kin_test_server_await_streams(&test, MANY);
    for (int i = 0; i < MANY; i++)
        free(raw_read_until(fds[i], "\r\n\r\n"));
    for (int round = 0; round < 3; round++) {
        kin_test_server_push(&test, "event\n");
        for (int i = 0; i < MANY; i++)
            free(raw_read_until(fds[i], "event\n\r\n"));
    }
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
    kin_test_server_await_closed(&test, MANY);
    kin_test_server_done(&test);
}

/* As far as it gets: the server may go at any moment. */
static void say_and_listen(int fd, const char *request, int reads)
{
    char buf[4096];

    (void)!send(fd, request, strlen(request), MSG_NOSIGNAL);
    while (reads-- > 0 && recv(fd, buf, sizeof(buf), 0) > 0) {
    }
}

static void *be_a_client(void *arg)
{
    static const char *const requests[] = {
        "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /made/1000000 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /made/300000 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n",
        "GET /size/100000 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc",
        "GET /ech",
        "GET /faulty HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n",
    };
    kin_test_rng rng = {(uint64_t)(uintptr_t)arg};

    while (!stop_all) {
        int fd = kin_test_connect_port(port);

        if (fd < 0)
            break;
        const struct timeval brief = {0, 20000};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &brief, sizeof(brief));
        say_and_listen(fd, requests[kin_test_below(&rng, 9)], (int)kin_test_below(&rng, 4));
        if (kin_test_below(&rng, 2))
            shutdown(fd, SHUT_WR);
        close(fd);
    }
    return NULL;
}

static void *push_and_answer(void *arg)
{
    (void)arg;
    while (!stop_all) {
        kin_test_server_push(&test, "event\n");
        kin_test_server_answer_held(&test);
        sched_yield();
    }
    return NULL;
}

static void inject_all(void)
{
    static const kin_fault_type types[] = {KIN_FAULT_DELAY, KIN_FAULT_STALL,    KIN_FAULT_RESET,
                                           KIN_FAULT_DRIP,  KIN_FAULT_TRUNCATE, KIN_FAULT_GARBAGE};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        kin_fault fault = KIN_FAULT_INIT(types[i]);

        fault.path = "/*a*";
        fault.times = KIN_FAULT_ALWAYS;
        fault.probability = 0.1;
        fault.delay_ms = types[i] == KIN_FAULT_DELAY ? 1 : 0;
        fault.bytes = 50;
        fault.interval_ms = 1;
        kin_test_server_inject(&test, fault);
    }
}

static void one_round(uint64_t seed)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    pthread_t clients[CLIENTS];
    pthread_t pusher;

    options.stop_timeout_ms = 1 + (int64_t)(seed % 3) * 20;
    options.threads = 1 + (unsigned)(seed % 3);
    options.seed = seed;
    stop_all = false;
    kin_test_server_start(&test, &options);
    port = kin__server_port(test.server);
    inject_all();
    assert_int_equal(pthread_create(&pusher, NULL, push_and_answer, NULL), 0);
    for (uintptr_t i = 0; i < CLIENTS; i++)
        assert_int_equal(
            pthread_create(&clients[i], NULL, be_a_client, (void *)(seed * CLIENTS + i + 1)), 0);
    filter.after_id = 60 + seed % 7;
    assert_code(
        kin__request_log_wait(kin__server_log(test.server), &filter, 1, KIN_TEST_TIMEOUT_MS, NULL),
        0);
    kin__server_stop(test.server); /* under all of them */
    stop_all = true;
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(pusher, NULL);
    kin_test_server_done(&test);
}

static void test_all_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        one_round(seed);
}

/* Requests with a few bytes that are wrong. Nobody looks at the answers but to see that all ends. */
static void test_damaged_requests(void **state)
{
    static const char *const requests[] = {
        "POST /echo?a=b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
        "PUT /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "GET http://localhost/size/10 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n",
        "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0.5\r\n\r\n",
    };
    kin_test_rng rng = {42};

    (void)state;
    kin_test_server_start(&test, NULL);
    for (int i = 0; i < 2000; i++) {
        char text[512];
        size_t len = strlen(requests[i % 4]);
        int fd = kin_test_server_connect(&test);

        memcpy(text, requests[i % 4], len);
        for (uint64_t n = 1 + kin_test_below(&rng, 4); n > 0; n--)
            text[kin_test_below(&rng, len)] = (char)kin_test_below(&rng, 256);
        (void)!send(fd, text, kin_test_below(&rng, 4) ? len : kin_test_below(&rng, len),
                    MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
    struct got got = kin_test_server_get(&test, "/echo");
    assert_int_equal(got.status, 200);
    got_done(&got);
    kin_test_server_done(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thousand_connections),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_damaged_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
