/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripted server says what it is told to, byte for byte, and knows what came.
 */
#include "kin_test.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http_client.h"

#define GET_X "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"
#define GET_X_LAST "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

static kin_test_http *start(kin_test_http_fn handler, void *arg)
{
    kin_test_http *server = NULL;

    kin_test_http_start(&server, &(kin_test_http_options){.handler = handler, .arg = arg});
    return server;
}

/* --- requests --- */

static void say_hello(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_answer(conn, 200, "text/plain", "hello");
}

static void an_answer_is_what_was_said(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    char *all = raw_exchange(server, GET_X_LAST);

    (void)state;
    assert_string_equal(all, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                             "Content-Length: 5\r\n\r\nhello");
    free(all);
    kin_test_http_stop(server);
}

static void what_came_is_kept(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    char *all = raw_exchange(server, "POST /a?b=c HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nx-two:\t2 \r\n"
                                     "Content-Length: 3\r\nConnection: close\r\n\r\nabc");
    const kin_test_http_request *request = kin_test_http_request_at(server, 0);

    (void)state;
    free(all);
    assert_string_equal(request->method, "POST");
    assert_string_equal(request->target, "/a?b=c");
    assert_string_equal(request->version, "HTTP/1.1");
    assert_string_equal(kin_test_http_field_of(request, "HOST"), "h");
    assert_string_equal(kin_test_http_field_of(request, "x-two"), "1");
    assert_int_equal(kin_test_http_fields_of(request, "X-TWO"), 2);
    assert_string_equal(request->fields[2].value, "2");
    assert_null(kin_test_http_field_of(request, "X-Three"));
    assert_string_equal(request->body, "abc");
    assert_int_equal(request->body_len, 3);
    assert_int_equal(request->connection, 0);
    assert_int_equal(request->number, 0);
    kin_test_http_stop(server);
}

static void a_request_may_come_byte_by_byte(void **state)
{
    static const char text[] = "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                               "Connection: close\r\n\r\n"
                               "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    kin_test_http *server = start(say_hello, NULL);
    int fd = raw_connect(server);
    char *all = NULL;

    (void)state;
    for (size_t i = 0; text[i]; i++)
        assert_int_equal(send(fd, text + i, 1, MSG_NOSIGNAL), 1);
    assert_true(raw_read_all(fd, &all) > 0);
    assert_string_equal(kin_test_http_request_at(server, 0)->body, "abcde");
    free(all);
    close(fd);
    kin_test_http_stop(server);
}

static void requests_on_one_connection_are_counted(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    char *all = raw_exchange(server, GET_X GET_X GET_X_LAST);

    (void)state;
    free(all);
    kin_test_http_await_requests(server, 3);
    assert_int_equal(kin_test_http_request_at(server, 2)->number, 2);
    assert_int_equal(kin_test_http_count(server).connections, 1);
    kin_test_http_await_open(server, 0);
    assert_int_equal(kin_test_http_connection_at(server, 0).requests, 3);
    kin_test_http_stop(server);
}

static void what_is_not_a_request_is_not_answered(void **state)
{
    static const char *const wrong[] = {
        "GET /x\r\n\r\n",
        "GET /x HTTP/2.0\r\n\r\n",
        "GET  /x HTTP/1.1\r\n\r\n",
        "GET /x HTTP/1.1\nHost: h\n\n",
        "GET /x HTTP/1.1\r\nno field\r\n\r\n",
        "GET /x HTTP/1.1\r\nspace before : v\r\n\r\n",
        "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    };
    kin_test_http *server = start(say_hello, NULL);

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *all = raw_exchange(server, wrong[i]);

        assert_string_equal(all, "");
        free(all);
    }
    assert_int_equal(kin_test_http_count(server).requests, 0);
    kin_test_http_stop(server);
}

static void a_body_that_is_expected_is_agreed_to(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    int fd = raw_connect(server);

    (void)state;
    raw_send(fd, "PUT /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    char *agreed = raw_read_until(fd, "\r\n\r\n");

    assert_string_equal(agreed, "HTTP/1.1 100 Continue\r\n\r\n");
    raw_send(fd, "ok");
    char *answer = raw_read_until(fd, "hello");

    assert_string_equal(kin_test_http_request_at(server, 0)->body, "ok");
    free(agreed);
    free(answer);
    close(fd);
    kin_test_http_stop(server);
}

static bool refuse_body(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_answer(conn, 417, NULL, "no");
    return false;
}

static void a_body_may_be_refused(void **state)
{
    kin_test_http *server = NULL;
    char *all = NULL;

    (void)state;
    kin_test_http_start(&server, &(kin_test_http_options){.head = refuse_body});
    int fd = raw_connect(server);

    raw_send(fd, "PUT /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    assert_true(raw_read_all(fd, &all) > 0);
    assert_non_null(strstr(all, "417 Expectation Failed"));
    assert_null(strstr(all, "100 Continue"));
    assert_int_equal(kin_test_http_count(server).requests, 0);
    free(all);
    close(fd);
    kin_test_http_stop(server);
}

static void a_body_that_is_too_large_ends_it(void **state)
{
    kin_test_http *server = NULL;
    char *all = NULL;

    (void)state;
    kin_test_http_start(&server, &(kin_test_http_options){.handler = say_hello, .max_body = 4});
    all = raw_exchange(server, "PUT /x HTTP/1.1\r\nContent-Length: 5\r\n\r\n");
    assert_string_equal(all, "");
    free(all);
    all = raw_exchange(server, "PUT /x HTTP/1.1\r\nConnection: close\r\n"
                               "Content-Length: 4\r\n\r\nabcd");
    assert_non_null(strstr(all, "hello"));
    free(all);
    kin_test_http_stop(server);
}

static void nobody_answers_404(void **state)
{
    kin_test_http *server = start(NULL, NULL);
    char *all = raw_exchange(server, GET_X_LAST);

    (void)state;
    assert_ptr_equal(strstr(all, "HTTP/1.1 404 Not Found\r\n"), all);
    free(all);
    kin_test_http_stop(server);
}

static void a_head_request_has_no_body(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    char *all = raw_exchange(server, "HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n");

    (void)state;
    assert_string_equal(all, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                             "Content-Length: 5\r\n\r\n");
    free(all);
    kin_test_http_stop(server);
}

/* --- waits --- */

static void stream_and_stall(kin_test_http_conn *conn, const kin_test_http_request *request,
                             void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_status(conn, 200);
    kin_test_http_chunk_text(conn, "one\n");
    if (!kin_test_http_stall(conn))
        return;
    kin_test_http_chunk_text(conn, "two\n");
    kin_test_http_end_chunks(conn);
}

static void a_stall_lasts_until_it_is_released(void **state)
{
    kin_test_http *server = start(stream_and_stall, NULL);
    int fd = raw_connect(server);

    (void)state;
    raw_send(fd, GET_X);
    char *first = raw_read_until(fd, "one\n\r\n");
    char more = 0;

    kin_test_http_await_stalled(server, 1);
    assert_int_equal(recv(fd, &more, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    kin_test_http_release(server, 1);
    char *second = raw_read_until(fd, "0\r\n\r\n");

    assert_string_equal(second, "4\r\ntwo\n\r\n0\r\n\r\n");
    assert_int_equal(kin_test_http_count(server).stalled, 0);
    free(first);
    free(second);
    /* One release is for one. */
    raw_send(fd, GET_X);
    kin_test_http_await_stalled(server, 1);
    kin_test_http_release_all(server);
    second = raw_read_until(fd, "0\r\n\r\n");
    free(second);
    close(fd);
    kin_test_http_stop(server);
}

static void a_client_that_leaves_ends_a_stall(void **state)
{
    kin_test_http *server = start(stream_and_stall, NULL);
    int fd = raw_connect(server);

    (void)state;
    raw_send(fd, GET_X);
    kin_test_http_await_stalled(server, 1);
    assert_true(kin_test_http_connection_at(server, 0).open);
    close(fd);
    kin_test_http_await_open(server, 0);
    assert_true(kin_test_http_connection_at(server, 0).left_by_client);
    kin_test_http_stop(server);
}

static void stopping_ends_stalls(void **state)
{
    kin_test_http *server = start(stream_and_stall, NULL);
    int fds[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        fds[i] = raw_connect(server);
        raw_send(fds[i], GET_X);
    }
    kin_test_http_await_stalled(server, 8);
    kin_test_http_stop(server);
    for (int i = 0; i < 8; i++) {
        char *all = NULL;

        assert_true(raw_read_all(fds[i], &all) > 0); /* closed in order */
        assert_null(strstr(all, "two"));
        free(all);
        close(fds[i]);
    }
}

static void wait_for_close(kin_test_http_conn *conn, const kin_test_http_request *request,
                           void *arg)
{
    (void)request;
    *(bool *)arg = kin_test_http_wait_for_client_close(conn);
}

static void the_clients_end_is_waited_for(void **state)
{
    bool closed = false;
    kin_test_http *server = start(wait_for_close, &closed);
    int fd = raw_connect(server);

    (void)state;
    raw_send(fd, GET_X GET_X); /* what follows the request is no end */
    kin_test_http_await_requests(server, 1);
    kin_test_http_release(server, 1); /* and neither is this */
    assert_true(kin_test_http_connection_at(server, 0).open);
    close(fd);
    kin_test_http_await_open(server, 0);
    kin_test_http_stop(server);
    assert_true(closed);
}

static void a_client_that_does_not_read_is_felt(void **state)
{
    kin_test_http *server = NULL;
    char *all = NULL;

    (void)state;
    kin_test_http_start(&server, &(kin_test_http_options){.send_buffer = 4096});
    kin_test_http_add_route(
        server, &(kin_test_http_route){.target = "/x", .shape = KIN_TEST_HTTP_ENDLESS_BODY});
    int fd = raw_connect(server);

    raw_send(fd, GET_X);
    all = raw_read_until(fd, "\r\n\r\n");
    free(all);
    kin_test_http_reset_connections(server); /* heard in the middle of a blocked send */
    kin_test_http_await_open(server, 0);
    assert_int_equal(raw_read_all(fd, &all), -1);
    free(all);
    close(fd);
    kin_test_http_stop(server);
}

/* --- ends --- */

enum how { HOW_CLOSE, HOW_ABANDON, HOW_RESET };

static void end_it(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    kin_test_http_raw_text(conn, "some");
    if (*(enum how *)arg == HOW_CLOSE)
        kin_test_http_close(conn);
    else if (*(enum how *)arg == HOW_ABANDON)
        kin_test_http_abandon(conn);
    else
        kin_test_http_reset(conn);
    kin_test_http_raw_text(conn, "more"); /* too late */
}

static void connections_end_as_they_are_told(void **state)
{
    static const enum how hows[] = {HOW_CLOSE, HOW_ABANDON, HOW_RESET};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        enum how how = hows[i];
        kin_test_http *server = start(end_it, &how);
        int fd = raw_connect(server);
        char *some = NULL;
        char *rest = NULL;

        raw_send(fd, GET_X);
        if (how != HOW_RESET) /* which may take away what was not read yet */
            some = raw_read_until(fd, "some");
        assert_int_equal(raw_read_all(fd, &rest), how == HOW_RESET ? -1 : 0);
        kin_test_http_await_closed(server, 1);
        assert_false(kin_test_http_connection_at(server, 0).left_by_client);
        free(some);
        free(rest);
        close(fd);
        kin_test_http_stop(server);
    }
}

static void all_connections_can_be_ended(void **state)
{
    kin_test_http *server = start(stream_and_stall, NULL);
    int fd = raw_connect(server);
    char *all = NULL;

    (void)state;
    raw_send(fd, GET_X);
    kin_test_http_await_stalled(server, 1);
    kin_test_http_close_connections(server);
    assert_true(raw_read_all(fd, &all) > 0);
    free(all);
    close(fd);
    fd = raw_connect(server); /* idle */
    kin_test_http_await_connections(server, 2);
    kin_test_http_reset_connections(server);
    assert_int_equal(raw_read_all(fd, &all), -1);
    free(all);
    close(fd);
    kin_test_http_stop(server);
}

/* --- the listener --- */

static int try_connect(const kin_test_http *server)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)kin_test_http_port(server))};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int os_error = connect(fd, (struct sockaddr *)&in, sizeof(in)) < 0 ? errno : 0;

    close(fd);
    return os_error;
}

static void the_listener_closes_and_opens_again(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    int old = raw_connect(server);
    unsigned port = kin_test_http_port(server);

    (void)state;
    kin_test_http_await_connections(server, 1);
    for (int i = 0; i < 3; i++) {
        kin_test_http_close_listener(server);
        assert_int_equal(try_connect(server), ECONNREFUSED);
        kin_test_http_open_listener(server);
        assert_int_equal(try_connect(server), 0);
    }
    assert_int_equal(kin_test_http_port(server), port);
    raw_send(old, GET_X); /* the old one did not notice */
    char *all = raw_read_until(old, "hello");

    free(all);
    close(old);
    kin_test_http_stop(server);
}

static void connections_may_wait_to_be_accepted(void **state)
{
    kin_test_http *server = start(say_hello, NULL);

    (void)state;
    kin_test_http_accept(server, false);
    int fd = raw_connect(server);

    raw_send(fd, GET_X);
    for (int i = 0; i < 3; i++) /* the acceptor goes round, and would take it */
        kin_test_http_accept(server, false);
    assert_int_equal(kin_test_http_count(server).connections, 0);
    kin_test_http_accept(server, true);
    char *all = raw_read_until(fd, "hello");

    free(all);
    close(fd);
    kin_test_http_stop(server);
}

static void greet(kin_test_http_conn *conn, unsigned number, void *arg)
{
    (void)arg;
    kin_test_http_raw_text(conn, number == 0 ? "welcome\n" : "go away\n");
    if (number > 0)
        kin_test_http_close(conn);
}

static void a_connection_may_be_greeted(void **state)
{
    kin_test_http *server = NULL;

    (void)state;
    kin_test_http_start(&server, &(kin_test_http_options){.accepted = greet, .handler = say_hello});
    char *first = raw_exchange(server, GET_X_LAST);
    int fd = raw_connect(server);
    char *second = NULL;

    assert_ptr_equal(strstr(first, "welcome\nHTTP/1.1 200"), first);
    raw_read_all(fd, &second);
    assert_string_equal(second, "go away\n");
    free(first);
    free(second);
    close(fd);
    kin_test_http_stop(server);
}

static void a_unix_socket_does_as_well(void **state)
{
    kin_test_http *server = NULL;
    char path[256];

    (void)state;
    kin_test_http_start(&server,
                        &(kin_test_http_options){.unix_socket = true, .handler = say_hello});
    snprintf(path, sizeof(path), "%s", kin_test_http_socket_path(server));
    assert_string_equal(kin_test_http_url(server) + strlen("unix://"), path);
    char *all = raw_exchange(server, GET_X_LAST);

    assert_non_null(strstr(all, "hello"));
    free(all);
    struct got got = fetch(server, "/x");

    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(got.body, "hello");
    got_done(&got);
    kin_test_http_close_listener(server);
    kin_test_http_open_listener(server);
    all = raw_exchange(server, GET_X_LAST);
    free(all);
    kin_test_http_stop(server);
    assert_int_equal(access(path, F_OK), -1);
    *strrchr(path, '/') = '\0';
    assert_int_equal(access(path, F_OK), -1);
}

static void ipv6_does_as_well(void **state)
{
    kin_test_http *server = NULL;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    bool there = fd >= 0 && bind(fd, (struct sockaddr *)&loopback, sizeof(loopback)) == 0;

    (void)state;
    close(fd);
    if (!there) {
        print_message("no IPv6 on this machine\n");
        skip();
    }
    kin_test_http_start(&server, &(kin_test_http_options){.ipv6 = true, .handler = say_hello});
    struct got got = fetch(server, "/x");

    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(got.body, "hello");
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- pieces --- */

/* How many reads it takes to get all of an answer, each as large as it likes. */
static size_t count_reads(int fd, size_t len)
{
    char bytes[4096];
    size_t n = 0;

    for (size_t have = 0; have < len; n++) {
        ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

        assert_true(got > 0);
        have += (size_t)got;
    }
    return n;
}

static void pieces_come_one_by_one(void **state)
{
    static const char expected[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                   "Content-Length: 5\r\n\r\nhello";
    const size_t len = sizeof(expected) - 1;
    kin_test_http *server = start(say_hello, NULL);
    int fd = raw_connect(server);

    (void)state;
    for (size_t split = 1; split <= 3; split++) {
        kin_test_http_add_route(
            server, &(kin_test_http_route){
                        .times = 1, .content_type = "text/plain", .body = "hello", .split = split});
        raw_send(fd, GET_X);
        assert_int_equal(count_reads(fd, len), (len + split - 1) / split);
    }
    for (size_t cut = 1; cut < len; cut++) {
        kin_test_http_add_route(
            server, &(kin_test_http_route){
                        .times = 1, .content_type = "text/plain", .body = "hello", .cut = cut});
        raw_send(fd, GET_X);
        assert_int_equal(count_reads(fd, len), 2);
    }
    close(fd);
    kin_test_http_stop(server);
}

/* --- libcurl --- */

static void connections_are_used_again(void **state)
{
    kin_test_http *server = start(say_hello, NULL);
    CURL *easy = easy_new(server, "/again");

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct got got = easy_get(easy);

        assert_int_equal(got.code, CURLE_OK);
        assert_int_equal(got.status, 200);
        assert_int_equal(got.connects, i == 0 ? 1 : 0);
        assert_string_equal(got.body, "hello");
        assert_string_equal(got.content_type, "text/plain");
        got_done(&got);
    }
    assert_int_equal(kin_test_http_count(server).connections, 1);
    assert_int_equal(kin_test_http_count(server).open, 1);
    curl_easy_cleanup(easy);
    kin_test_http_await_open(server, 0);
    assert_true(kin_test_http_connection_at(server, 0).left_by_client);
    kin_test_http_stop(server);
}

static void many_connections_come_and_go(void **state)
{
    kin_test_http *server = start(say_hello, NULL);

    (void)state;
    for (int i = 0; i < 300; i++) {
        char *all = raw_exchange(server, GET_X_LAST);

        assert_non_null(strstr(all, "hello"));
        free(all);
    }
    assert_int_equal(kin_test_http_count(server).connections, 300);
    kin_test_http_await_closed(server, 300);
    kin_test_http_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_what_was_said),
        cmocka_unit_test(what_came_is_kept),
        cmocka_unit_test(a_request_may_come_byte_by_byte),
        cmocka_unit_test(requests_on_one_connection_are_counted),
        cmocka_unit_test(what_is_not_a_request_is_not_answered),
        cmocka_unit_test(a_body_that_is_expected_is_agreed_to),
        cmocka_unit_test(a_body_may_be_refused),
        cmocka_unit_test(a_body_that_is_too_large_ends_it),
        cmocka_unit_test(nobody_answers_404),
        cmocka_unit_test(a_head_request_has_no_body),
        cmocka_unit_test(a_stall_lasts_until_it_is_released),
        cmocka_unit_test(a_client_that_leaves_ends_a_stall),
        cmocka_unit_test(stopping_ends_stalls),
        cmocka_unit_test(the_clients_end_is_waited_for),
        cmocka_unit_test(a_client_that_does_not_read_is_felt),
        cmocka_unit_test(connections_end_as_they_are_told),
        cmocka_unit_test(all_connections_can_be_ended),
        cmocka_unit_test(the_listener_closes_and_opens_again),
        cmocka_unit_test(connections_may_wait_to_be_accepted),
        cmocka_unit_test(a_connection_may_be_greeted),
        cmocka_unit_test(a_unix_socket_does_as_well),
        cmocka_unit_test(ipv6_does_as_well),
        cmocka_unit_test(pieces_come_one_by_one),
        cmocka_unit_test(connections_are_used_again),
        cmocka_unit_test(many_connections_come_and_go),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    curl_global_cleanup();
    return failed;
}
