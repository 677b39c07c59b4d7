/* SPDX-License-Identifier: Apache-2.0 */
/* Each fault of a request or a connection, as a client meets it. */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_support.h"

#define CLOSE "Host: localhost\r\nConnection: close\r\n\r\n"

static kin_test_server test;
static kin_clock *timepiece;

static void start_with(bool tls)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(&timepiece, 1700000000 * KIN__SECOND, NULL), 0);
    options.clock = timepiece;
    options.tls = tls;
    kin_test_server_start(&test, &options);
}

static int start(void **state)
{
    (void)state;
    start_with(false);
    return 0;
}

static int start_tls(void **state)
{
    (void)state;
    start_with(true);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin_test_server_done(&test);
    kin_clock_unref(timepiece);
    return 0;
}

static void inject(kin_fault_type type, const char *path, uint64_t bytes)
{
    kin_fault fault = KIN_FAULT_INIT(type);

    fault.path = path;
    fault.bytes = bytes;
    kin_test_server_inject(&test, fault);
}

static struct got get(const char *path)
{
    CURL *easy = kin_test_server_easy(&test, path);

    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    struct got got = easy_get(easy);
    curl_easy_cleanup(easy);
    return got;
}

static void expect(const char *path, CURLcode code, long status, size_t len)
{
    struct got got = get(path);

    if (got.code != code || got.status != status || got.len != len)
        fail_msg("%s: %d (%s), status %ld, %zu bytes: %.200s", path, (int)got.code,
                 curl_easy_strerror(got.code), got.status, got.len, got.body);
    got_done(&got);
}

static void test_status(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);

    (void)state;
    fault.path = "/echo";
    fault.status = 429;
    fault.retry_after_s = 7;
    fault.times = 2;
    kin_test_server_inject(&test, fault);
    fault.status = 503;
    fault.times = 1;
    fault.body = "<html>no</html>";
    kin_test_server_inject(&test, fault);
    expect("/size/3", CURLE_OK, 200, 3);
    for (int i = 0; i < 2; i++) {
        char *answer = kin_test_server_exchange(&test, "GET /echo HTTP/1.1\r\n" CLOSE);

        assert_true(kin_test_contains(answer, "429 Too Many Requests"));
        assert_true(kin_test_contains(answer, "Retry-After: 7\r\n"));
        assert_true(kin_test_contains(answer, "\"kind\":\"Status\""));
        free(answer);
    }
    struct got got = get("/echo");
    assert_int_equal(got.status, 503);
    assert_string_equal(got.body, "<html>no</html>");
    got_done(&got);
    got = get("/echo");
    assert_int_equal(got.status, 200);
    got_done(&got);
}

static void test_delay(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_DELAY);
    int fd = kin_test_server_connect(&test);
    char byte = 0;

    (void)state;
    fault.delay_ms = 5000;
    kin_test_server_inject(&test, fault);
    raw_send(fd, "GET /echo HTTP/1.1\r\n" CLOSE);
    kin_test_server_await(&test, "/echo", KIN_REQUEST_RECEIVED, 1);
    assert_code(kin_clock_await_waiters(timepiece, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    /* The timer is set behind the log's entry: time goes on until it was. */
    while (recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN)
        assert_code(kin_clock_advance(timepiece, 1000 * KIN__MILLISECOND, NULL), 0);
    free(raw_read_until(fd, "anonymous 0\n"));
    close(fd);
    assert_true(kin_clock_now(timepiece) >= (3600 + 5) * KIN__SECOND);
}

static void test_reset_before_the_answer(void **state)
{
    int fd = kin_test_server_connect(&test);
    char *rest = NULL;

    (void)state;
    inject(KIN_FAULT_RESET, "/echo", 0);
    raw_send(fd, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_int_equal(raw_read_all(fd, &rest), -1);
    assert_string_equal(rest, "");
    free(rest);
    close(fd);
    expect("/size/5", CURLE_OK, 200, 5);
}

static void test_reset_in_the_body(void **state)
{
    (void)state;
    inject(KIN_FAULT_RESET, "/size/*", 100);
    inject(KIN_FAULT_RESET, "/made/*", 100);
    expect("/size/1000", CURLE_RECV_ERROR, 200, 100);
    expect("/made/1000", CURLE_RECV_ERROR, 200, 100);
    /* A body that is shorter does not save anybody. */
    inject(KIN_FAULT_RESET, "/made/*", 5000);
    expect("/made/1000", CURLE_RECV_ERROR, 200, 1000);
    expect("/made/1000", CURLE_OK, 200, 1000);
}

static void test_truncate(void **state)
{
    (void)state;
    inject(KIN_FAULT_TRUNCATE, "/size/*", 100);
    inject(KIN_FAULT_TRUNCATE, "/made/*", 100);
    expect("/size/1000", CURLE_PARTIAL_FILE, 200, 100);
    char *answer = kin_test_server_exchange(&test, "GET /made/1000 HTTP/1.1\r\n" CLOSE);
    const char *chunk = strstr(answer, "1000\r\n{\"type\":\"ADD");
    assert_non_null(chunk);
    assert_string_equal(chunk, "1000\r\n{\"type\":\"ADD"); /* and no more */
    free(answer);
    kin_test_server_await_closed(&test, 1);
}

static void test_truncate_tls(void **state)
{
    (void)state;
    inject(KIN_FAULT_TRUNCATE, "/made/*", 100);
    struct got got = get("/made/1000");
    assert_int_not_equal(got.code, CURLE_OK);
    assert_int_equal(got.len, 100 + strlen("{\"type\":\"ADD"));
    got_done(&got);
    inject(KIN_FAULT_RESET, "/made/*", 100);
    got = get("/made/1000");
    assert_int_not_equal(got.code, CURLE_OK);
    got_done(&got);
    expect("/made/1000", CURLE_OK, 200, 1000);
}

static void test_stall(void **state)
{
    (void)state;
    inject(KIN_FAULT_STALL, "/size/*", 4);
    inject(KIN_FAULT_STALL, "/echo", 0);
    int body = kin_test_server_connect(&test);
    int head = kin_test_server_connect(&test);
    char byte = 0;

    raw_send(body, "GET /size/10 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    raw_send(head, "GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(body, "wwww"));
    kin_test_server_await(&test, "/echo", KIN_REQUEST_RECEIVED, 1);
    expect("/size/10", CURLE_OK, 200, 10);
    assert_int_equal(recv(body, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(recv(head, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    close(body);
    close(head);
    /* Those who give up are let go. */
    kin_test_server_await(&test, "/echo", KIN_REQUEST_ENDED, 1);
    kin_test_server_await(&test, "/size/*", KIN_REQUEST_ENDED, 2);
}

static void test_drip(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_DRIP);
    int fd = kin_test_server_connect(&test);
    char byte = 0;
    int steps = 0;

    (void)state;
    fault.bytes = 2;
    fault.interval_ms = 1000;
    kin_test_server_inject(&test, fault);
    raw_send(fd, "GET /size/6 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(fd, "\r\n\r\nww"));
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    for (int got = 2; got < 6;) {
        if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1) {
            got++;
            continue;
        }
        assert_code(kin_clock_advance(timepiece, 250 * KIN__MILLISECOND, NULL), 0);
        steps++;
    }
    assert_true(steps >= 8);
    close(fd);
}

static void test_garbage(void **state)
{
    (void)state;
    inject(KIN_FAULT_GARBAGE, "/size/*", 10);
    inject(KIN_FAULT_GARBAGE, "/made/*", 10);
    for (int i = 0; i < 2; i++) {
        struct got got = get(i ? "/made/100" : "/size/100");

        assert_int_equal(got.code, CURLE_OK);
        assert_int_equal(got.len, 100);
        for (size_t at = 0; at < 100; at++)
            assert_int_equal(got.body[at] == (i ? 'm' : 'w'), at < 10 || at >= 26);
        got_done(&got);
    }
}

static void test_oversize(void **state)
{
    (void)state;
    inject(KIN_FAULT_OVERSIZE, "/size/*", 1000);
    inject(KIN_FAULT_OVERSIZE, "/made/*", 1u << 20);
    struct got got = get("/size/5");
    assert_int_equal(got.len, 1005);
    assert_string_equal(got.body + 999, " wwwww");
    got_done(&got);
    expect("/made/5", CURLE_OK, 200, (1u << 20) + 5);
}

static void test_refuse_some(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_REFUSE);

    (void)state;
    fault.times = 2;
    kin_test_server_inject(&test, fault);
    for (int i = 0; i < 2; i++) {
        struct got got = get("/echo");

        assert_int_not_equal(got.code, CURLE_OK);
        got_done(&got);
    }
    expect("/size/1", CURLE_OK, 200, 1);
}

static void test_refuse_all(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_REFUSE);
    uint64_t id = 0;
    int kept = kin_test_server_connect(&test);

    (void)state;
    raw_send(kept, "GET /size/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    free(raw_read_until(kept, "\r\n\r\nw"));
    fault.times = KIN_FAULT_ALWAYS;
    for (int i = 0; i < 3; i++) {
        assert_code(kin__server_inject(test.server, &fault, &id, NULL), 0);
        expect("/size/1", CURLE_COULDNT_CONNECT, 0, 0);
        /* Those who are in stay in. */
        raw_send(kept, "GET /size/1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        free(raw_read_until(kept, "\r\n\r\nw"));
        if (i == 1)
            assert_code(kin__server_clear_faults(test.server, NULL), 0);
        else
            assert_code(kin__server_remove_fault(test.server, id, NULL, NULL), 0);
        expect("/size/1", CURLE_OK, 200, 1);
    }
    close(kept);
}

static void test_the_log_names_the_rule(void **state)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    uint64_t id = 0;
    uint64_t hits = 0;

    (void)state;
    fault.status = 504;
    assert_code(kin__server_inject(test.server, &fault, &id, NULL), 0);
    struct got got = get("/echo");
    assert_int_equal(got.status, 504);
    got_done(&got);
    filter.status = 504;
    assert_code(kin__request_log_wait(kin__server_log(test.server), &filter, 1, 1000, NULL), 0);
    assert_code(kin__server_remove_fault(test.server, id, &hits, NULL), 0);
    assert_int_equal(hits, 1);
    assert_code(kin__server_remove_fault(test.server, id, &hits, NULL), KIN_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_status, start, stop),
        cmocka_unit_test_setup_teardown(test_delay, start, stop),
        cmocka_unit_test_setup_teardown(test_reset_before_the_answer, start, stop),
        cmocka_unit_test_setup_teardown(test_reset_in_the_body, start, stop),
        cmocka_unit_test_setup_teardown(test_truncate, start, stop),
        cmocka_unit_test_setup_teardown(test_truncate_tls, start_tls, stop),
        cmocka_unit_test_setup_teardown(test_stall, start, stop),
        cmocka_unit_test_setup_teardown(test_drip, start, stop),
        cmocka_unit_test_setup_teardown(test_garbage, start, stop),
        cmocka_unit_test_setup_teardown(test_oversize, start, stop),
        cmocka_unit_test_setup_teardown(test_refuse_some, start, stop),
        cmocka_unit_test_setup_teardown(test_refuse_all, start, stop),
        cmocka_unit_test_setup_teardown(test_the_log_names_the_rule, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
