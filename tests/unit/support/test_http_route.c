/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready-made answers: which route takes a request, and that each wrong shape is wrong in the way
 * that its name says, byte for byte or by the error that libcurl makes of it.
 */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http_client.h"

#define BODY "{\"kind\":\"Status\"}"

static kin_test_http *start(void)
{
    kin_test_http *server = NULL;

    kin_test_http_start(&server, &(kin_test_http_options){0});
    return server;
}

/* --- which one --- */

static void expect(const kin_test_http *server, const char *request, const char *part)
{
    char *all = raw_exchange(server, request);

    if (!strstr(all, part))
        fail_msg("no \"%s\" in \"%s\"", part, all);
    free(all);
}

#define REQUEST(what) what " HTTP/1.1\r\nConnection: close\r\n\r\n"

static void the_first_route_that_fits_answers(void **state)
{
    kin_test_http *server = start();

    (void)state;
    kin_test_http_add_route(server, &(kin_test_http_route){.target = "/a", .body = "first"});
    kin_test_http_add_route(
        server, &(kin_test_http_route){.method = "PUT", .target = "/b", .body = "second"});
    kin_test_http_add_route(server, &(kin_test_http_route){.target = "/b*", .body = "third"});
    expect(server, REQUEST("GET /a"), "first");
    expect(server, REQUEST("PUT /b"), "second");
    expect(server, REQUEST("GET /b"), "third");
    expect(server, REQUEST("GET /bc?d=e"), "third");
    expect(server, REQUEST("GET /ab"), "404");
    expect(server, REQUEST("GET /a?b"), "404");
    kin_test_http_add_route(server, &(kin_test_http_route){.body = "any"});
    expect(server, REQUEST("GET /ab"), "any");
    kin_test_http_clear_routes(server);
    expect(server, REQUEST("GET /a"), "404");
    kin_test_http_stop(server);
}

static void a_route_may_be_for_some_times_only(void **state)
{
    kin_test_http *server = start();

    (void)state;
    kin_test_http_add_route(server, &(kin_test_http_route){.status = 503, .times = 2});
    kin_test_http_add_route(server, &(kin_test_http_route){.status = 401, .times = 1});
    kin_test_http_add_route(server, &(kin_test_http_route){.body = "at last"});
    expect(server, REQUEST("GET /"), "503 Service Unavailable");
    expect(server, REQUEST("GET /"), "503 Service Unavailable");
    expect(server, REQUEST("GET /"), "401 Unauthorized");
    expect(server, REQUEST("GET /"), "at last");
    expect(server, REQUEST("GET /"), "at last");
    kin_test_http_stop(server);
}

static void status_type_and_fields_are_sent(void **state)
{
    kin_test_http *server = start();

    (void)state;
    kin_test_http_add_route(
        server, &(kin_test_http_route){.status = 307,
                                       .content_type = "text/html",
                                       .fields = "Location: http://other.example/x\r\nA: b\r\n"});
    char *all = raw_exchange(server, REQUEST("GET /"));

    assert_string_equal(all, "HTTP/1.1 307 Temporary Redirect\r\nContent-Type: text/html\r\n"
                             "Location: http://other.example/x\r\nA: b\r\n"
                             "Content-Length: 0\r\n\r\n");
    free(all);
    kin_test_http_stop(server);
}

static void a_body_may_hold_any_byte(void **state)
{
    kin_test_http *server = start();

    (void)state;
    kin_test_http_add_route(server, &(kin_test_http_route){.body = "a\0b", .body_len = 3});
    struct got got = fetch(server, "/");

    assert_int_equal(got.len, 3);
    assert_memory_equal(got.body, "a\0b", 3);
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- byte for byte --- */

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

static const struct bytes {
    kin_test_http_shape shape;
    size_t size;
    const char *all;
    bool reset;
} byte_cases[] = {
    {KIN_TEST_HTTP_LENGTH, 0, HEAD "Content-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_CHUNKED, 0, HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
     false},
    {KIN_TEST_HTTP_CHUNKED, 2,
     HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n", false},
    {KIN_TEST_HTTP_UNTIL_CLOSE, 0, HEAD "Connection: close\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_LAST, 0, HEAD "Connection: close\r\nContent-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_CONTINUED, 2,
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" HEAD
     "Content-Length: 5\r\n\r\nabcde",
     false},
    {KIN_TEST_HTTP_HINTED, 0,
     "HTTP/1.1 103 Early Hints\r\nLink: </style>\r\nContent-Type: text/x-hint\r\n\r\n" HEAD
     "Content-Length: 5\r\n\r\nabcde",
     false},
    {KIN_TEST_HTTP_SILENT_CLOSE, 0, HEAD "Content-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_SHORT, 0, HEAD "Content-Length: 6\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_SHORT, 10, HEAD "Content-Length: 15\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_SHORT_ABANDON, 0, HEAD "Content-Length: 6\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_SHORT_CHUNK, 0, HEAD "Transfer-Encoding: chunked\r\n\r\n6\r\nabcde", false},
    {KIN_TEST_HTTP_NO_LAST_CHUNK, 0, HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
     false},
    {KIN_TEST_HTTP_SHORT_RESET, 0, HEAD "Content-Length: 6\r\n\r\nabcde", true},
    {KIN_TEST_HTTP_HALF_HEAD, 0, HEAD "Content-Le", false},
    {KIN_TEST_HTTP_NO_ANSWER, 0, "", false},
    {KIN_TEST_HTTP_RESET_ANSWER, 0, NULL, true},
    {KIN_TEST_HTTP_VERSION_0_9, 0, "abcde", false},
    {KIN_TEST_HTTP_BAD_STATUS, 0, "HTTP/1.1 fine OK\r\nContent-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_BAD_FIELD, 0, HEAD "this is no field\r\nContent-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_BAD_LENGTH, 0, HEAD "Content-Length: many\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_TWO_LENGTHS, 0, HEAD "Content-Length: 6\r\nContent-Length: 5\r\n\r\nabcde",
     false},
    {KIN_TEST_HTTP_BAD_CHUNK_SIZE, 0,
     HEAD "Transfer-Encoding: chunked\r\n\r\nxyz\r\nabcde\r\n0\r\n\r\n", false},
    {KIN_TEST_HTTP_HUGE_CHUNK_SIZE, 0,
     HEAD "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nabcde\r\n0\r\n\r\n", false},
    {KIN_TEST_HTTP_BAD_GZIP, 0, HEAD "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde",
     false},
    {KIN_TEST_HTTP_SURPLUS, 0,
     HEAD "Content-Length: 5\r\n\r\nabcdeand something that nobody asked for", false},
    {KIN_TEST_HTTP_LARGE_FIELD, 3, HEAD "X-Large: vvv\r\nContent-Length: 5\r\n\r\nabcde", false},
    {KIN_TEST_HTTP_MANY_FIELDS, 2, HEAD "X-0: v\r\nX-1: v\r\nContent-Length: 5\r\n\r\nabcde",
     false},
    {KIN_TEST_HTTP_LONG_STATUS, 3, "HTTP/1.1 200 rrr\r\nContent-Length: 5\r\n\r\nabcde", false},
};

static void shapes_are_right_to_the_byte(void **state)
{
    kin_test_http *server = start();

    (void)state;
    for (size_t i = 0; i < sizeof(byte_cases) / sizeof(byte_cases[0]); i++) {
        const struct bytes *c = &byte_cases[i];
        int fd = raw_connect(server);
        char *all = NULL;

        kin_test_http_add_route(
            server, &(kin_test_http_route){
                        .times = 1, .body = "abcde", .shape = c->shape, .size = c->size});
        raw_send(fd, REQUEST("GET /"));
        ptrdiff_t len = raw_read_all(fd, &all);

        if ((len < 0) != c->reset || (c->all && strcmp(all, c->all) != 0))
            fail_msg("%s: %zd bytes, \"%s\"", kin_test_http_shape_name(c->shape), len, all);
        free(all);
        close(fd);
    }
    kin_test_http_stop(server);
}

/* --- what libcurl makes of them --- */

static const struct verdict {
    kin_test_http_shape shape;
    CURLcode code;
    bool whole; /* the body is there */
} verdicts[] = {
    {KIN_TEST_HTTP_LENGTH, CURLE_OK, true},
    {KIN_TEST_HTTP_CHUNKED, CURLE_OK, true},
    {KIN_TEST_HTTP_GZIP, CURLE_OK, true},
    {KIN_TEST_HTTP_UNTIL_CLOSE, CURLE_OK, true},
    {KIN_TEST_HTTP_LAST, CURLE_OK, true},
    {KIN_TEST_HTTP_CONTINUED, CURLE_OK, true},
    {KIN_TEST_HTTP_HINTED, CURLE_OK, true},
    {KIN_TEST_HTTP_SILENT_CLOSE, CURLE_OK, true},
    {KIN_TEST_HTTP_SURPLUS, CURLE_OK, true},
    {KIN_TEST_HTTP_SHORT, CURLE_PARTIAL_FILE, true},
    {KIN_TEST_HTTP_SHORT_ABANDON, CURLE_PARTIAL_FILE, true},
    {KIN_TEST_HTTP_SHORT_CHUNK, CURLE_PARTIAL_FILE, true},
    {KIN_TEST_HTTP_NO_LAST_CHUNK, CURLE_PARTIAL_FILE, true},
    {KIN_TEST_HTTP_SHORT_RESET, CURLE_RECV_ERROR, true},
    {KIN_TEST_HTTP_NO_ANSWER, CURLE_GOT_NOTHING, false},
    {KIN_TEST_HTTP_RESET_ANSWER, CURLE_RECV_ERROR, false},
    {KIN_TEST_HTTP_GARBAGE, CURLE_UNSUPPORTED_PROTOCOL, false},
    {KIN_TEST_HTTP_VERSION_0_9, CURLE_UNSUPPORTED_PROTOCOL, false},
    {KIN_TEST_HTTP_BAD_LENGTH, CURLE_WEIRD_SERVER_REPLY, false},
    {KIN_TEST_HTTP_BAD_CHUNK_SIZE, CURLE_RECV_ERROR, false},
    {KIN_TEST_HTTP_HUGE_CHUNK_SIZE, CURLE_RECV_ERROR, false},
    {KIN_TEST_HTTP_BAD_GZIP, CURLE_BAD_CONTENT_ENCODING, false},
    {KIN_TEST_HTTP_ENDLESS_HEAD, CURLE_RECV_ERROR, false},
};

static void libcurl_sees_what_is_wrong(void **state)
{
    kin_test_http *server = start();

    (void)state;
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        CURL *easy = easy_new(server, "/");

        kin_test_http_add_route(
            server, &(kin_test_http_route){.times = 1, .body = BODY, .shape = verdicts[i].shape});
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
        struct got got = easy_get(easy);

        curl_easy_cleanup(easy);
        if (got.code != verdicts[i].code || (strcmp(got.body, BODY) == 0) != verdicts[i].whole)
            fail_msg("%s: %s, body \"%s\"", kin_test_http_shape_name(verdicts[i].shape),
                     curl_easy_strerror(got.code), got.body);
        got_done(&got);
    }
    kin_test_http_await_open(server, 0);
    kin_test_http_stop(server);
}

/* A client that takes so many bytes and then goes. */
static size_t take_some(const char *data, size_t size, size_t n, void *arg)
{
    size_t *left = arg;

    (void)data;
    if (size * n > *left)
        return 0;
    *left -= size * n;
    return size * n;
}

static void what_is_endless_ends_with_the_client(void **state)
{
    static const kin_test_http_shape shapes[] = {KIN_TEST_HTTP_ENDLESS_BODY,
                                                 KIN_TEST_HTTP_MANY_CONTINUES};
    kin_test_http *server = start();

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        CURL *easy = easy_new(server, "/");
        size_t left = (size_t)4 * 1024 * 1024;

        kin_test_http_add_route(server, &(kin_test_http_route){.times = 1, .shape = shapes[i]});
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_some);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_some);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &left);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, &left);
        CURLcode code = curl_easy_perform(easy);

        curl_easy_cleanup(easy);
        assert_true(code == CURLE_WRITE_ERROR || code == CURLE_RECV_ERROR);
        kin_test_http_await_closed(server, i + 1);
        assert_true(kin_test_http_connection_at(server, i).left_by_client);
    }
    kin_test_http_stop(server);
}

static void a_gzip_bomb_is_small_on_the_way(void **state)
{
    kin_test_http *server = start();
    CURL *easy = easy_new(server, "/");
    curl_off_t received = 0;

    (void)state;
    kin_test_http_add_route(server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_GZIP_BOMB,
                                                           .size = (size_t)8 * 1024 * 1024});
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    struct got got = easy_get(easy);

    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    curl_easy_cleanup(easy);
    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.len, 8 * 1024 * 1024);
    got_done(&got);
    kin_test_http_clear_routes(server);
    char *all = NULL;
    kin_test_http_add_route(server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_GZIP_BOMB,
                                                           .size = (size_t)8 * 1024 * 1024});
    int fd = raw_connect(server);
    raw_send(fd, REQUEST("GET /"));
    ptrdiff_t len = raw_read_all(fd, &all);

    assert_true(len > 0 && len < 64 * 1024);
    free(all);
    close(fd);
    kin_test_http_stop(server);
}

static void a_short_gzip_stream_lacks_its_end(void **state)
{
    kin_test_http *server = start();
    ptrdiff_t lens[2] = {0, 0};

    (void)state;
    kin_test_http_add_route(
        server, &(kin_test_http_route){.times = 1, .body = BODY, .shape = KIN_TEST_HTTP_GZIP});
    kin_test_http_add_route(
        server,
        &(kin_test_http_route){.times = 1, .body = BODY, .shape = KIN_TEST_HTTP_SHORT_GZIP});
    for (int i = 0; i < 2; i++) {
        int fd = raw_connect(server);
        char *all = NULL;

        raw_send(fd, REQUEST("GET /"));
        lens[i] = raw_read_all(fd, &all);
        free(all);
        close(fd);
    }
    assert_int_equal(lens[0] - lens[1], 8);
    kin_test_http_stop(server);
}

/* --- too slow --- */

static void stalls_are_where_they_should_be(void **state)
{
    static const struct {
        kin_test_http_shape shape;
        size_t size;
        const char *before;
        const char *after;
    } cases[] = {
        {KIN_TEST_HTTP_STALL_FIRST, 0, "", HEAD "Content-Length: 5\r\n\r\nabcde"},
        {KIN_TEST_HTTP_STALL_IN_HEAD, 0, HEAD "X-Sl", "ow: yes\r\nContent-Length: 5\r\n\r\nabcde"},
        {KIN_TEST_HTTP_STALL_IN_BODY, 0, HEAD "Content-Length: 5\r\n\r\n", "abcde"},
        {KIN_TEST_HTTP_STALL_IN_BODY, 2, HEAD "Content-Length: 5\r\n\r\nab", "cde"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_http *server = start();
        int fd = raw_connect(server);
        char before[512] = "";
        char *after = NULL;

        kin_test_http_add_route(server, &(kin_test_http_route){.body = "abcde",
                                                               .shape = cases[i].shape,
                                                               .size = cases[i].size});
        raw_send(fd, REQUEST("GET /"));
        kin_test_http_await_stalled(server, 1);
        /* All that was sent before is there: loopback delivers in the call that sends. */
        ssize_t n = recv(fd, before, sizeof(before) - 1, MSG_DONTWAIT);

        assert_true(n >= 0 || errno == EAGAIN);
        assert_string_equal(before, cases[i].before);
        kin_test_http_release(server, 1);
        raw_read_all(fd, &after);
        assert_string_equal(after, cases[i].after);
        free(after);
        close(fd);
        kin_test_http_stop(server);
    }
}

static void every_shape_has_a_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KIN_TEST_HTTP_N_SHAPES; i++)
        assert_non_null(kin_test_http_shape_name((kin_test_http_shape)i));
    assert_string_equal(kin_test_http_shape_name(KIN_TEST_HTTP_N_SHAPES), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_route_that_fits_answers),
        cmocka_unit_test(a_route_may_be_for_some_times_only),
        cmocka_unit_test(status_type_and_fields_are_sent),
        cmocka_unit_test(a_body_may_hold_any_byte),
        cmocka_unit_test(shapes_are_right_to_the_byte),
        cmocka_unit_test(libcurl_sees_what_is_wrong),
        cmocka_unit_test(what_is_endless_ends_with_the_client),
        cmocka_unit_test(a_gzip_bomb_is_small_on_the_way),
        cmocka_unit_test(a_short_gzip_stream_lacks_its_end),
        cmocka_unit_test(stalls_are_where_they_should_be),
        cmocka_unit_test(every_shape_has_a_name),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    curl_global_cleanup();
    return failed;
}
