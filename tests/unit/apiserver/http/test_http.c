/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in, answers out, over real sockets. */
#include "kin_test.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "server_support.h"

#define CLOSE "Host: localhost\r\nConnection: close\r\n\r\n"

static kin_test_server test;

static int start(void **state)
{
    (void)state;
    kin_test_server_start(&test, NULL);
    return 0;
}

static int start_impatient(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    options.header_timeout_ms = 3000;
    kin_test_server_start(&test, &options);
    return 0;
}

static int start_tls(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    options.tls = true;
    kin_test_server_start(&test, &options);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin_test_server_done(&test);
    return 0;
}

static void expect_exchange(const char *request, const char *expected)
{
    char *answer = kin_test_server_exchange(&test, request);

    if (!strstr(answer, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, answer);
    free(answer);
}

static void test_request_arrives_as_sent(void **state)
{
    (void)state;
    expect_exchange("GET /echo?a=%2F&b=c%20d HTTP/1.1\r\n" CLOSE,
                    "GET /echo a=%2F&b=c%20d system:anonymous 0\n");
    expect_exchange("GET /ec%68o HTTP/1.1\r\n" CLOSE, "404 Not Found");
    expect_exchange("GET /echo? HTTP/1.1\r\n" CLOSE, "GET /echo  system:anonymous 0\n");
    expect_exchange("GET http://x:80/echo?a HTTP/1.1\r\n" CLOSE,
                    "GET /echo a system:anonymous 0\n");
    expect_exchange("GET HTTPS://x HTTP/1.1\r\n" CLOSE, "404 Not Found");
    /* A slash in the query does not begin the path. */
    expect_exchange("GET http://x?a=/echo HTTP/1.1\r\n" CLOSE, "404 Not Found");
    expect_exchange("GET http://x/echo?a=/b?c HTTP/1.1\r\n" CLOSE,
                    "GET /echo a=/b?c system:anonymous 0\n");
}

static void test_bodies(void **state)
{
    (void)state;
    expect_exchange("POST /echo HTTP/1.1\r\nContent-Length: 5\r\n" CLOSE "hello",
                    "POST /echo  system:anonymous 5\nhello");
    expect_exchange("PUT /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE
                    "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
                    "PUT /echo  system:anonymous 5\nabcde");
    expect_exchange("DELETE /echo HTTP/1.1\r\nContent-Length: 2\r\n" CLOSE "{}",
                    "DELETE /echo  system:anonymous 2\n{}");
}

static void test_continue(void **state)
{
    int fd = kin_test_server_connect(&test);
    char *answer = NULL;

    (void)state;
    raw_send(fd, "POST /echo HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n" CLOSE);
    answer = raw_read_until(fd, "\r\n\r\n");
    assert_true(kin_test_contains(answer, "100 Continue"));
    free(answer);
    raw_send(fd, "ok");
    raw_read_all(fd, &answer);
    assert_true(kin_test_contains(answer, "\nok"));
    free(answer);
    close(fd);
}

static void test_keep_alive_and_pipelining(void **state)
{
    int fd = kin_test_server_connect(&test);
    char *answer = NULL;

    (void)state;
    raw_send(fd, "GET /echo?1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                 "POST /echo?2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
                 "GET /echo?3 HTTP/1.1\r\n" CLOSE);
    raw_read_all(fd, &answer);
    const char *first = strstr(answer, "GET /echo 1 ");
    const char *second = first ? strstr(first, "POST /echo 2 system:anonymous 3\nabc") : NULL;
    const char *third = second ? strstr(second, "GET /echo 3 ") : NULL;
    assert_non_null(third);
    free(answer);
    close(fd);
}

static void test_head(void **state)
{
    (void)state;
    char *whole = kin_test_server_exchange(&test, "HEAD /size/1000 HTTP/1.1\r\n" CLOSE);
    char *made = kin_test_server_exchange(&test, "HEAD /made/1000 HTTP/1.1\r\n" CLOSE);

    assert_true(kin_test_contains(whole, "Content-Length: 1000\r\n"));
    assert_false(kin_test_contains(whole, "ww"));
    assert_true(kin_test_contains(made, "200 OK"));
    assert_false(kin_test_contains(made, "mm"));
    free(whole);
    free(made);
    kin_test_server_await_closed(&test, 1);
}

static void test_large_answers(void **state)
{
    struct got whole = kin_test_server_get(&test, "/size/2000000");
    struct got made = kin_test_server_get(&test, "/made/2000000");

    (void)state;
    assert_int_equal(whole.len, 2000000);
    assert_int_equal(made.len, 2000000);
    assert_string_equal(whole.content_type, "application/json");
    got_done(&whole);
    got_done(&made);
}

static void test_old_http(void **state)
{
    (void)state;
    expect_exchange("GET /echo HTTP/1.0\r\n\r\n", "GET /echo  system:anonymous 0");
    expect_exchange("GET /made/10 HTTP/1.0\r\n\r\n", "\r\n\r\nmmmmmmmmmm");
}

static void test_answer_from_another_thread(void **state)
{
    int fd = kin_test_server_connect(&test);
    char *answer = NULL;

    (void)state;
    raw_send(fd, "GET /held HTTP/1.1\r\n" CLOSE);
    kin_test_server_await_held(&test, 1);
    kin_test_server_answer_held(&test);
    raw_read_all(fd, &answer);
    assert_true(kin_test_contains(answer, "201 Created"));
    assert_true(kin_test_contains(answer, "at last"));
    free(answer);
    close(fd);
}

static void test_body_that_is_too_large(void **state)
{
    CURL *easy = kin_test_server_easy(&test, "/echo");
    size_t size = (3u << 20) + 1;
    char *body = calloc(1, size);

    (void)state;
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)size);
    /* Asking first, and not asking: both learn why. */
    for (int i = 0; i < 2; i++) {
        struct curl_slist *headers = curl_slist_append(NULL, i ? "Expect:" : "X: y");

        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        struct got got = easy_get(easy);
        assert_int_equal(got.status, 413);
        assert_true(kin_test_contains(got.body, "Request entity too large: limit is 3145728"));
        assert_true(kin_test_contains(got.body, "\"kind\":\"Status\""));
        got_done(&got);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
        curl_slist_free_all(headers);
    }
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)size - 1);
    struct got got = easy_get(easy);
    assert_int_equal(got.status, 200);
    got_done(&got);
    curl_easy_cleanup(easy);
    free(body);
}

static void test_chunked_body_that_is_too_large(void **state)
{
    int fd = kin_test_server_connect(&test);
    char *chunk = malloc((1u << 20) + 1);
    char *answer = NULL;

    (void)state;
    memset(chunk, 'x', 1u << 20);
    chunk[1u << 20] = '\0';
    raw_send(fd, "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE);
    for (int i = 0; i < 4; i++) {
        raw_send(fd, "100000\r\n");
        raw_send(fd, chunk);
        raw_send(fd, "\r\n");
    }
    raw_send(fd, "0\r\n\r\n");
    raw_read_all(fd, &answer);
    assert_true(kin_test_contains(answer, " 413 "));
    free(answer);
    free(chunk);
    close(fd);
}

static void test_encoded_body(void **state)
{
    (void)state;
    expect_exchange("POST /echo HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n" CLOSE
                    "xx",
                    " 415 Unsupported Media Type");
    expect_exchange("POST /echo HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n" CLOSE
                    "xx",
                    "\"reason\":\"UnsupportedMediaType\"");
}

static void test_head_that_is_too_large(void **state)
{
    char *request = malloc(1 << 20);

    (void)state;
    /* Beyond our limit: a Status. Beyond what can be read at all: at least the code. */
    int len =
        sprintf(request, "GET /echo HTTP/1.1\r\nHost: localhost\r\nX: %0*d\r\n\r\n", 40000, 0);
    assert_true(len > 40000);
    int fd = kin_test_server_connect(&test);
    char *answer = NULL;
    raw_send(fd, request);
    answer = raw_read_until(fd, "431}");
    assert_true(kin_test_contains(answer, " 431 "));
    free(answer);
    close(fd);

    sprintf(request, "GET /echo HTTP/1.1\r\nHost: localhost\r\nX: %0*d\r\n\r\n", 300000, 0);
    fd = kin_test_server_connect(&test);
    (void)!send(fd, request, strlen(request), MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    if (raw_read_all(fd, &answer) > 0)
        assert_true(kin_test_contains(answer, " 431 ") || kin_test_contains(answer, " 414 "));
    free(answer);
    close(fd);
    free(request);
}

/* One Status, and nothing behind it: the connection has ended. */
static void expect_refused(const char *request, const char *message)
{
    char *answer = kin_test_server_exchange(&test, request);

    if (!strstr(answer, " 400 Bad Request") || !strstr(answer, message))
        fail_msg("\"%s\" has been answered with \"%s\"", request, answer);
    assert_null(strstr(answer + 1, "HTTP/1.1 "));
    free(answer);
}

static void test_unclear_length(void **state)
{
    static const char *const requests[] = {
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        /* Encodings that are not taken off, in front of chunks or instead of them. */
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\nab",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        "0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        "Transfer-Encoding: identity\r\n\r\n0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        expect_refused(requests[i], "the length of the body is not clear");
}

static void test_unclear_head(void **state)
{
    (void)state;
    expect_refused("GET /echo HTTP/1.1\r\n\r\n", "missing required Host header");
    expect_refused("GET /echo HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                   "too many Host headers");
    expect_refused("GET /echo a HTTP/1.1\r\nHost: localhost\r\n\r\n",
                   "the path holds bytes that no URL has");
    expect_refused("GET /echo\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                   "the path holds bytes that no URL has");
    expect_refused("GET /echo?\x7f HTTP/1.1\r\nHost: localhost\r\n\r\n",
                   "the path holds bytes that no URL has");
    expect_exchange("GET /echo HTTP/1.0\r\n\r\n", "200 OK");
    expect_exchange("GET /echo?\xc3\xa4 HTTP/1.1\r\n" CLOSE, "200 OK");
}

/* The status and message of the only answer to bytes that may include NUL. */
static void expect_bytes_refused(const char *request, size_t len, const char *message)
{
    int fd = kin_test_server_connect(&test);
    char *answer = NULL;

    assert_int_equal(send(fd, request, len, MSG_NOSIGNAL), len);
    shutdown(fd, SHUT_WR);
    raw_read_all(fd, &answer);
    if (strncmp(answer, "HTTP/1.1 400 ", 13) != 0 || !strstr(answer, message))
        fail_msg("\"%s\" has been answered with \"%s\"", request, answer);
    assert_null(strstr(answer + 1, "HTTP/1.1 "));
    free(answer);
    close(fd);
}

static void test_blanks_in_header_names(void **state)
{
    static const char *const requests[] = {
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length : 35\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length\t: 35\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nContent Length: 3\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\n: nameless\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nAccept: a\x01\r\n\r\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nAccept: a\rb\r\n\r\n",
        /* Of a folded header libmicrohttpd appends the second line to the name. */
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent: 3\r\n -Length\r\n\r\nabc",
        "GET /echo HTTP/1.1\r\nHost: localhost\r\nAccept: a,\r\n b\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        expect_refused(requests[i], "a header is malformed");
}

static void test_nul_bytes(void **state)
{
    static const struct {
        const char *request; /* '~' stands for NUL */
        const char *message;
    } cases[] = {
        {"GET /echo~ HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GET /echo~/b HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GET /ec~ho?a=b&c HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GET /echo?a~b HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GET /echo?~ HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GET ~/echo HTTP/1.1\r\nHost: localhost\r\n\r\n", "the path holds bytes"},
        {"GE~T /echo HTTP/1.1\r\nHost: localhost\r\n\r\n", "the method is malformed"},
        {"GET /echo HTTP/1.1~\r\nHost: localhost\r\n\r\n", ""},
        {"GET /echo HTTP/1.1\r\nHost: localhost~\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nHost: ~localhost\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nHost:~localhost\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nHost: localhost\r\nAccept: a~b\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nAccept: a~b\r\nHost: localhost\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nAccept: a~\r\nHost: localhost\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nHost: localhost\r\nAcc~ept: a\r\n\r\n", ""},
        {"GET /echo HTTP/1.1\r\nHost: localhost\r\nAccept~: a\r\n\r\n", ""},
        /* At the beginning of a line it ends libmicrohttpd's head: the rest would be another request. */
        {"GET /echo HTTP/1.1\r\nHost: localhost\r\n~Accept: a\r\n\r\n", "a header is malformed"},
        {"GET /echo HTTP/1.1\r\nHost: localhost\r\n~\r\nGET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n",
         "a header is malformed"},
        {"GET /echo HTTP/1.0\r\n~Accept: a\r\n\r\n", "a header is malformed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char request[256];
        size_t len = strlen(cases[i].request);

        memcpy(request, cases[i].request, len + 1);
        for (size_t at = 0; at < len; at++) {
            if (request[at] == '~')
                request[at] = '\0';
        }
        expect_bytes_refused(request, len, cases[i].message);
    }
}

/* The checks of the head accept every form that is valid, or that libmicrohttpd understands. */
static void test_unusual_heads(void **state)
{
    static const char *const requests[] = {
        "\r\n\r\nGET /echo HTTP/1.1\r\n" CLOSE,
        "GET   /echo HTTP/1.1\r\n" CLOSE,
        "GET /echo?a=b&c=d%20e&f HTTP/1.1\r\n" CLOSE,
        "GET /echo HTTP/1.1\nHost: localhost\nConnection: close\n\n",
        "GET /echo HTTP/1.1\r\nHost: localhost\nConnection: close\n\r\n",
        "GET /echo HTTP/1.1\r\nHost:localhost\r\nConnection: \t close\r\n\r\n",
        "GET /echo HTTP/1.1\r\nAccept: \r\nCookie: a=b; c=d\r\nX-Empty:\r\n" CLOSE,
        "GET /echo HTTP/1.1\r\nX!#$%&'*+-.^_`|~9: \xc3\xa4 \t \r\n" CLOSE,
        "GET /echo HTTP/1.0\n\n",
        "GET /echo HTTP/1.0\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        expect_exchange(requests[i], "200 OK");
}

/* Fields of trailers change neither the caller, nor the Host check, nor the length of the body. */
static void test_trailers(void **state)
{
    char *answer = kin_test_server_exchange(
        &test, "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
               "2\r\n{}\r\n0\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
               "Authorization: Bearer other\r\nContent-Length: 10\r\n\r\n"
               "GET /echo?second HTTP/1.1\r\n" CLOSE);

    (void)state;
    assert_non_null(strstr(answer, "POST /echo  system:anonymous 2\n{}"));
    assert_non_null(strstr(answer, "GET /echo second system:anonymous 0\n"));
    free(answer);
}

/* The buffer grows while the head comes in. */
static void test_long_head_in_pieces(void **state)
{
    int fd = kin_test_server_connect(&test);
    char line[128];
    char *answer = NULL;

    (void)state;
    raw_send(fd, "GET /echo?");
    for (int i = 0; i < 100; i++)
        raw_send(fd, "some=query&");
    raw_send(fd, " HTTP/1.1\r\n");
    for (int i = 0; i < 200; i++) {
        snprintf(line, sizeof(line), "X-%d: %0100d\r\n", i, i);
        raw_send(fd, line);
    }
    raw_send(fd, CLOSE);
    raw_read_all(fd, &answer);
    assert_non_null(strstr(answer, "200 OK"));
    free(answer);
    close(fd);
}

/* What comes back by TLS for bytes that may include NUL; OWNED. */
static char *exchange_by_tls(const char *request, size_t len)
{
    CURL *easy = kin_test_server_easy(&test, "");
    char *answer = calloc(1, 65536);
    size_t have = 0;
    size_t n = 0;
    CURLcode code = CURLE_AGAIN;

    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    assert_int_equal(curl_easy_perform(easy), CURLE_OK);
    assert_int_equal(curl_easy_send(easy, request, len, &n), CURLE_OK);
    assert_int_equal(n, len);
    while ((code == CURLE_OK && n > 0) || code == CURLE_AGAIN) {
        struct pollfd fd = {.events = POLLIN};
        curl_socket_t socket = CURL_SOCKET_BAD;

        assert_int_equal(curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket), CURLE_OK);
        fd.fd = socket;
        if (code == CURLE_AGAIN)
            assert_int_equal(poll(&fd, 1, KIN_TEST_TIMEOUT_MS), 1);
        code = curl_easy_recv(easy, answer + have, 65535 - have, &n);
        have += code == CURLE_OK ? n : 0;
    }
    curl_easy_cleanup(easy);
    return answer;
}

static void test_malformed_heads_by_tls(void **state)
{
    static const char nul_in_path[] = "GET /echo\0b HTTP/1.1\r\n" CLOSE;
    static const char nul_in_header[] = "GET /echo HTTP/1.1\r\nAccept: a\0b\r\n" CLOSE;
    static const char blank[] = "POST /echo HTTP/1.1\r\nContent-Length : 35\r\n" CLOSE;
    static const char good[] = "GET /echo HTTP/1.1\r\nAccept: a\r\n" CLOSE;
    const struct {
        const char *request;
        size_t len;
        const char *status;
    } cases[] = {
        {nul_in_path, sizeof(nul_in_path) - 1, "HTTP/1.1 400 "},
        {nul_in_header, sizeof(nul_in_header) - 1, "HTTP/1.1 400 "},
        {blank, sizeof(blank) - 1, "HTTP/1.1 400 "},
        {good, sizeof(good) - 1, "HTTP/1.1 200 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *answer = exchange_by_tls(cases[i].request, cases[i].len);

        if (strncmp(answer, cases[i].status, strlen(cases[i].status)) != 0)
            fail_msg("\"%s\" has been answered with \"%s\"", cases[i].request, answer);
        free(answer);
    }
}

/* A web page on this machine: by another origin, or under a name of its own for our address. */
static void test_other_origins(void **state)
{
    static const char *const refused[] = {
        "Host: evil.example\r\n",
        "Host: evil.example:80\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: 10.0.0.1\r\n",
        "Host: \r\n",
        "Host: \t \r\n",
        "Host: evil.example \r\n",
        "Host: local host\r\n",
        "Host: localhost\r\nOrigin: http://evil.example\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
        "Host: localhost\r\nOrigin: https://localhost\r\n",
        "Host: localhost:80\r\nOrigin: http://localhost:81\r\n",
        "Host: localhost\r\nOrigin: http://127.0.0.1\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-site\r\n",
        "Host: localhost\r\nOrigin: http://localhost\r\nSec-Fetch-Site: cross-site\r\n",
    };
    static const char *const served[] = {
        "Host: localhost\r\n",
        "Host: LocalHost:1234\r\n",
        "Host: 127.0.0.1:1234\r\n",
        "Host: 127.0.0.2\r\n",
        "Host: [::1]:1234\r\n",
        "Host: localhost:80\r\nOrigin: http://localhost:80\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-origin\r\n",
        "Host: localhost\r\nSec-Fetch-Site: none\r\n",
        /* Blanks around a value are not part of it. */
        "Host: localhost \r\n",
        "Host:\t127.0.0.1:1234 \t\r\n",
        "Host: localhost:80 \r\nOrigin: http://localhost:80\t\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-origin \r\n",
        "Host: localhost\r\nContent-Encoding: identity \r\n",
    };
    char request[512];

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        snprintf(request, sizeof(request),
                 "POST /echo HTTP/1.1\r\n%sContent-Length: 2\r\nConnection: close\r\n\r\nab",
                 refused[i]);
        expect_exchange(request, "403 Forbidden");
        expect_exchange(request, "\"reason\":\"Forbidden\"");
    }
    for (size_t i = 0; i < sizeof(served) / sizeof(served[0]); i++) {
        snprintf(request, sizeof(request), "GET /echo HTTP/1.1\r\n%sConnection: close\r\n\r\n",
                 served[i]);
        expect_exchange(request, "200 OK");
    }
    expect_refused("GET /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                   "Origin: http://evil.example\r\n\r\n",
                   "too many Origin");
}

static void test_nonsense(void **state)
{
    static const char *const requests[] = {
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET /echo\r\n\r\n",
        "GET /echo HTTP/9.9\r\n" CLOSE,
        "GET /echo HTTP/1.1\r\n\r\n",
        "GET /echo HTTP/1.1\r\nNo colon\r\n" CLOSE,
        "POST /echo HTTP/1.1\r\nContent-Length: -1\r\n" CLOSE,
        "POST /echo HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n" CLOSE,
        "POST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n" CLOSE "ab",
        "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "zz\r\n\r\n",
        "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "ffffffffffffffffff\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        int fd = kin_test_server_connect(&test);
        char *answer = NULL;

        raw_send(fd, requests[i]);
        shutdown(fd, SHUT_WR);
        raw_read_all(fd, &answer);
        free(answer);
        close(fd);
    }
    expect_exchange("GET /echo HTTP/1.1\r\n" CLOSE, "200 OK");
}

/* What `gzip -d` would say; OWNED. */
static char *gunzip(const struct got *got, size_t *ret_len)
{
    z_stream zlib = {.next_in = (unsigned char *)got->body, .avail_in = (unsigned)got->len};
    size_t size = 1 << 24;
    char *text = malloc(size);

    assert_int_equal(inflateInit2(&zlib, 15 + 16), Z_OK);
    zlib.next_out = (unsigned char *)text;
    zlib.avail_out = (unsigned)size;
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    *ret_len = size - zlib.avail_out;
    inflateEnd(&zlib);
    return text;
}

static struct got get_gzip(const char *path, const char *accept)
{
    CURL *easy = kin_test_server_easy(&test, path);
    struct curl_slist *headers = curl_slist_append(NULL, accept);

    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    struct got got = easy_get(easy);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    return got;
}

static void test_gzip(void **state)
{
    static const struct {
        const char *path;
        const char *accept;
        size_t len;
        bool is_gzip;
    } cases[] = {
        {"/size/1000000", "Accept-Encoding: gzip", 1000000, true},
        {"/made/1000000", "Accept-Encoding: deflate, gzip;q=0.5", 1000000, true},
        {"/size/131072", "Accept-Encoding: gzip", 131072, false},
        {"/made/131072", "Accept-Encoding: gzip", 131072, false},
        {"/made/131073", "Accept-Encoding: gzip", 131073, true},
        {"/size/1000000", "Accept-Encoding: gzip;q=0", 1000000, false},
        {"/made/1000000", "Accept-Encoding: identity", 1000000, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct got got = get_gzip(cases[i].path, cases[i].accept);
        size_t len = got.len;

        assert_int_equal(got.code, CURLE_OK);
        if (cases[i].is_gzip) {
            assert_true(got.len < 20000);
            free(gunzip(&got, &len));
        }
        assert_int_equal(len, cases[i].len);
        got_done(&got);
    }
}

/* A request ends after its client has the answer: the one before may still be in flight. */
static void test_metrics(void **state)
{
    struct got got = kin_test_server_get(&test, "/echo");
    char total[80];
    bool is_alone = false;

    (void)state;
    for (unsigned n = 1; !is_alone; n++) {
        got_done(&got);
        got = kin_test_server_get(&test, "/metrics");
        is_alone = kin_test_contains(got.body, "apiserver_current_inflight_requests 1\n");
        snprintf(total, sizeof(total), "apiserver_request_total{verb=\"GET\",code=\"200\"} %u\n",
                 n);
    }
    assert_true(kin_test_contains(got.content_type, "text/plain; version=0.0.4"));
    assert_true(kin_test_contains(got.body, total));
    got_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_request_arrives_as_sent, start, stop),
        cmocka_unit_test_setup_teardown(test_bodies, start, stop),
        cmocka_unit_test_setup_teardown(test_continue, start, stop),
        cmocka_unit_test_setup_teardown(test_keep_alive_and_pipelining, start, stop),
        cmocka_unit_test_setup_teardown(test_head, start, stop),
        cmocka_unit_test_setup_teardown(test_large_answers, start, stop),
        cmocka_unit_test_setup_teardown(test_old_http, start, stop),
        cmocka_unit_test_setup_teardown(test_answer_from_another_thread, start, stop),
        cmocka_unit_test_setup_teardown(test_body_that_is_too_large, start, stop),
        cmocka_unit_test_setup_teardown(test_chunked_body_that_is_too_large, start, stop),
        cmocka_unit_test_setup_teardown(test_encoded_body, start, stop),
        cmocka_unit_test_setup_teardown(test_head_that_is_too_large, start, stop),
        cmocka_unit_test_setup_teardown(test_unclear_length, start, stop),
        cmocka_unit_test_setup_teardown(test_unclear_head, start, stop),
        cmocka_unit_test_setup_teardown(test_blanks_in_header_names, start, stop),
        cmocka_unit_test_setup_teardown(test_nul_bytes, start, stop),
        cmocka_unit_test_setup_teardown(test_unusual_heads, start, stop),
        cmocka_unit_test_setup_teardown(test_trailers, start, stop),
        cmocka_unit_test_setup_teardown(test_long_head_in_pieces, start, stop),
        cmocka_unit_test_setup_teardown(test_malformed_heads_by_tls, start_tls, stop),
        cmocka_unit_test_setup_teardown(test_other_origins, start, stop),
        cmocka_unit_test_setup_teardown(test_nonsense, start_impatient, stop),
        cmocka_unit_test_setup_teardown(test_gzip, start, stop),
        cmocka_unit_test_setup_teardown(test_metrics, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
