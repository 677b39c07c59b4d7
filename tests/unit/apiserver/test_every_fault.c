/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every type of fault, injected in C and by the control endpoint: both are the same rule, and each of
 * those that requests and connections meet does to a real list or watch what it says. What events of
 * watches meet is in test_watch_faults.c.
 */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "fault_support.h"
#include "server_support.h"

#define LIST "GET " MAPS
#define WATCH "GET " MAPS "?watch=true&resourceVersion=5"
#define HEAD "{\"type\":\"ADDED\",\"object\":" /* of an event: 25 bytes */

static fault_fixture f;

/* --- what clients see --- */

static void expect_list(void)
{
    char *answer = fault_ask(&f, LIST);

    assert_true(kin_test_contains(answer, "HTTP/1.1 200 OK"));
    assert_true(kin_test_contains(answer, "\"name\":\"c\""));
    free(answer);
}

static void see_delay(void)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    int64_t begin = kin_clock_now(f.clock);
    int fd = fault_connect(&f);
    char byte = 0;

    fault_send(fd, LIST);
    /* Until then the time for its head runs. */
    filter.verb = "list";
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    while (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0)
        assert_code(kin_clock_advance(f.clock, 500 * KIN__MILLISECOND, NULL), 0);
    free(raw_read_until(fd, "\"name\":\"c\""));
    close(fd);
    assert_true(kin_clock_now(f.clock) - begin >= 5 * KIN__SECOND);
}

static void see_status(void)
{
    char *answer = fault_ask(&f, LIST);

    assert_true(kin_test_contains(answer, "HTTP/1.1 429 Too Many Requests"));
    assert_true(kin_test_contains(answer, "Retry-After: 7\r\n"));
    assert_true(kin_test_contains(answer, "\"reason\":\"TooManyRequests\""));
    assert_true(kin_test_contains(answer, "\"retryAfterSeconds\":7"));
    free(answer);
}

static void see_body(void)
{
    char *answer = fault_ask(&f, LIST);

    assert_true(kin_test_contains(answer, "HTTP/1.1 503 Service Unavailable"));
    assert_true(kin_test_contains(answer, "\r\n\r\n<html>"));
    free(answer);
}

/* The second connection. The reset may come before or behind what is sent. */
static void see_refusal(void)
{
    expect_list();
    int fd = fault_connect(&f);
    char byte = 0;

    while (send(fd, "GET", 3, MSG_NOSIGNAL) > 0)
        ;
    assert_true(recv(fd, &byte, 1, 0) <= 0);
    close(fd);
}

static void see_closed_port(void)
{
    assert_int_equal(kin_test_connect_port(kin_apiserver_port(f.server)), -1);
    assert_int_equal(errno, ECONNREFUSED);
    assert_code(kin_apiserver_clear_faults(f.server, NULL), 0);
}

static void see_reset(void)
{
    int fd = fault_connect(&f);
    char *rest = NULL;

    fault_send(fd, LIST);
    assert_int_equal(raw_read_all(fd, &rest), -1);
    assert_string_equal(rest, "");
    free(rest);
    close(fd);
}

static void see_reset_in_a_line(void)
{
    int fd = fault_connect(&f);
    char *rest = NULL;

    fault_send(fd, WATCH);
    assert_int_equal(raw_read_all(fd, &rest), -1);
    char *body = fault_body(rest);
    assert_string_equal(body, HEAD);
    free(body);
    free(rest);
    close(fd);
}

static void see_stall(void)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    int fd = fault_connect(&f);
    char byte = 0;

    fault_send(fd, WATCH);
    free(raw_read_until(fd, HEAD "\r\n"));
    fault_create(&f, "d");
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    close(fd);
    filter.verb = "watch";
    filter.phase = KIN_REQUEST_ENDED;
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void see_drip(void)
{
    int64_t begin = kin_clock_now(f.clock);
    int fd = fault_connect(&f);
    size_t got = 0;
    char byte = 0;

    fault_send(fd, LIST);
    free(raw_read_until(fd, "\r\n\r\n"));
    while (got < 200) {
        if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)
            got++;
        else
            assert_code(kin_clock_advance(f.clock, 250 * KIN__MILLISECOND, NULL), 0);
    }
    close(fd);
    /* Three intervals lie between four times fifty bytes. */
    assert_true(kin_clock_now(f.clock) - begin >= 3 * KIN__SECOND);
}

static void see_truncation(void)
{
    static const char end[] = "\r\n1000\r\n{\"type\":\"ADD";
    char *answer = fault_ask(&f, WATCH);
    size_t len = strlen(answer);

    assert_true(len > sizeof(end));
    assert_string_equal(answer + len - strlen(end), end);
    assert_true(kin_test_contains(answer, "\r\n" HEAD "\r\n"));
    free(answer);
}

static void see_garbage(void)
{
    char *answer = fault_ask(&f, LIST);
    char *body = fault_body(answer);

    assert_memory_equal(body, "{\"kind\":\"C\xff\xfe}\x01{\"", 16);
    assert_true(kin_test_contains(body, "\"name\":\"c\""));
    free(body);
    free(answer);
}

static void see_oversize(void)
{
    char *answer = fault_ask(&f, LIST);
    char *body = fault_body(answer);

    assert_int_equal(strspn(body, " "), 1000);
    assert_memory_equal(body + 1000, "{\"kind\":\"ConfigMapList\"", 23);
    free(body);
    free(answer);
}

/* Exactly one member of 20 bytes, there. */
static void expect_padding(const char *body, const char *before, const char *behind)
{
    char text[256];

    snprintf(text, sizeof(text), "%s\"kinformPadding\":\"xxxxxxxxxxxxxxxxxxxx\",%s", before,
             behind);
    const char *at = strstr(body, text);
    if (!at)
        fail_msg("%s: no %s", body, text);
    else
        assert_null(strstr(at + strlen(text), "kinformPadding"));
}

static void see_oversize_object(void)
{
    static const struct {
        const char *line;
        const char *end; /* where one has seen enough */
        const char *before;
        const char *behind;
    } answers[] = {
        {LIST, "\"name\":\"c\"", "\"items\":[{", "\"metadata\":{\"name\":\"a\""},
        {LIST "?pretty=true", "\"name\": \"c\"", "\"items\": [\n    {", "\n      \"metadata\": {"},
        {LIST "/b", "\r\n0\r\n\r\n", "{", "\"kind\":\"ConfigMap\""},
        {WATCH, "\"name\":\"c\"", HEAD "{", "\"kind\":\"ConfigMap\""},
    };

    for (size_t i = 0; i < kin__array_len(answers); i++) {
        int fd = fault_connect(&f);

        fault_send(fd, answers[i].line);
        char *answer = raw_read_until(fd, answers[i].end);
        char *body = fault_body(answer);
        expect_padding(body, answers[i].before, answers[i].behind);
        free(body);
        free(answer);
        close(fd);
    }
}

/* Those are looked at elsewhere. */
static void see_nothing(void)
{
}

/* --- both languages --- */

static const struct {
    fault_pair pair;
    void (*see)(void);
    uint64_t hits; /* 0: not asked, or not one of these */
} cases[] = {
    {{FAULT(KIN_FAULT_DELAY, .path = MAPS, .delay_ms = 5000),
      "{\"type\":\"Delay\",\"path\":\"" MAPS "\",\"delayMilliseconds\":5000}"},
     see_delay,
     1},
    {{FAULT(KIN_FAULT_STATUS, .verb = "list", .status = 429, .retry_after_s = 7),
      "{\"type\":\"Status\",\"verb\":\"list\",\"status\":429,\"retryAfterSeconds\":7}"},
     see_status,
     1},
    {{FAULT(KIN_FAULT_STATUS, .verb = "list", .status = 503, .body = "<html>"),
      "{\"type\":\"Status\",\"verb\":\"list\",\"status\":503,\"body\":\"<html>\"}"},
     see_body,
     1},
    {{FAULT(KIN_FAULT_REFUSE, .skip = 1), "{\"type\":\"Refuse\",\"skip\":1}"}, see_refusal, 1},
    {{FAULT(KIN_FAULT_REFUSE, .times = KIN_FAULT_ALWAYS), "{\"type\":\"Refuse\",\"always\":true}"},
     see_closed_port,
     0},
    {{FAULT(KIN_FAULT_RESET, .verb = "list"), "{\"type\":\"Reset\",\"verb\":\"list\"}"},
     see_reset,
     1},
    {{FAULT(KIN_FAULT_RESET, .verb = "watch", .bytes = 25),
      "{\"type\":\"Reset\",\"verb\":\"watch\",\"bytes\":25}"},
     see_reset_in_a_line,
     1},
    {{FAULT(KIN_FAULT_STALL, .verb = "watch", .bytes = 25),
      "{\"type\":\"Stall\",\"verb\":\"watch\",\"bytes\":25}"},
     see_stall,
     1},
    {{FAULT(KIN_FAULT_DRIP, .bytes = 50, .interval_ms = 1000),
      "{\"type\":\"Drip\",\"bytes\":50,\"intervalMilliseconds\":1000}"},
     see_drip,
     1},
    {{FAULT(KIN_FAULT_TRUNCATE, .verb = "watch", .bytes = 25),
      "{\"type\":\"Truncate\",\"verb\":\"watch\",\"bytes\":25}"},
     see_truncation,
     1},
    {{FAULT(KIN_FAULT_GARBAGE, .bytes = 10), "{\"type\":\"Garbage\",\"bytes\":10}"},
     see_garbage,
     1},
    {{FAULT(KIN_FAULT_OVERSIZE, .bytes = 1000), "{\"type\":\"Oversize\",\"bytes\":1000}"},
     see_oversize,
     1},
    {{FAULT(KIN_FAULT_OVERSIZE_OBJECT, .times = 4, .bytes = 20),
      "{\"type\":\"OversizeObject\",\"times\":4,\"bytes\":20}"},
     see_oversize_object,
     4},
    {{FAULT(KIN_FAULT_WATCH_ERROR, .status = 504, .skip = 2),
      "{\"type\":\"WatchError\",\"status\":504,\"skip\":2}"},
     see_nothing,
     0},
    {{FAULT(KIN_FAULT_WATCH_DROP, .probability = 0.25),
      "{\"type\":\"WatchDrop\",\"probability\":0.25}"},
     see_nothing,
     0},
    {{FAULT(KIN_FAULT_WATCH_DUPLICATE, .times = 3), "{\"type\":\"WatchDuplicate\",\"times\":3}"},
     see_nothing,
     0},
    {{FAULT(KIN_FAULT_WATCH_REORDER, .times = 1), "{\"type\":\"WatchReorder\"}"}, see_nothing, 0},
    {{FAULT(KIN_FAULT_WATCH_NO_BOOKMARKS, .times = KIN_FAULT_ALWAYS),
      "{\"type\":\"WatchNoBookmarks\",\"always\":true}"},
     see_nothing,
     0},
    {{FAULT(KIN_FAULT_WATCH_NO_INITIAL_END, .times = 1), "{\"type\":\"WatchNoInitialEnd\"}"},
     see_nothing,
     0},
    {{FAULT(KIN_FAULT_WATCH_END, .times = 1), "{\"type\":\"WatchEnd\"}"}, see_nothing, 0},
    {{FAULT(KIN_FAULT_WATCH_OVERSIZE, .bytes = 5), "{\"type\":\"WatchOversize\",\"bytes\":5}"},
     see_nothing,
     0},
};

static void both_are_the_same_rule(void **state)
{
    bool is_there[KIN_FAULT_WATCH_OVERSIZE + 1] = {false};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char *shown[2];

        if (cases[i].see == see_closed_port)
            continue; /* nobody could ask */
        for (int by_http = 0; by_http < 2; by_http++) {
            fault_open(&f, by_http == 1);
            fault_inject(&f, &cases[i].pair);
            shown[by_http] = fault_show(&f);
            fault_close(&f);
        }
        assert_true(kin_test_contains(shown[0], "\"type\""));
        assert_string_equal(shown[0], shown[1]);
        free(shown[0]);
        free(shown[1]);
        is_there[cases[i].pair.fault.type] = true;
    }
    for (size_t type = 1; type < kin__array_len(is_there); type++)
        assert_true(is_there[type]);
}

static void requests_meet_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * kin__array_len(cases); i++) {
        fault_open(&f, i % 2);
        uint64_t id = fault_inject(&f, &cases[i / 2].pair);

        cases[i / 2].see();
        if (cases[i / 2].hits > 0)
            assert_int_equal(fault_hits(&f, id), cases[i / 2].hits);
        expect_list();
        fault_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_the_same_rule),
        cmocka_unit_test(requests_meet_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
