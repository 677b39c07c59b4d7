/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exchanges over HTTP/1.1: what is sent, what comes back, and every way in which it may not.
 */
#include "transport_support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static void gives_status_headers_and_body(void **state)
{
    transport_fixture f = {0};
    transport_result result;
    kin__exchange_spec spec = transport_get("/api/v1/pods?limit=500");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){
                                          .target = "/api/v1/pods?limit=500",
                                          .status = 201,
                                          .content_type = "Application/JSON; charset=utf-8",
                                          .body = "{\"a\":1}",
                                      });
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.status, 201);
    assert_false(result.is_http2);
    assert_string_equal(result.content_type, "application/json");
    assert_string_equal(result.body, "{\"a\":1}");
    transport_result_done(&result);
    transport_close(&f);
}

static void keeps_retry_after_and_warnings(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    int code;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){
                                          .status = 429,
                                          .fields = "Retry-After: 7\r\nWarning: 299 - \"old\"\r\n"
                                                    "warning: 299 - \"older\"\r\n",
                                      });
    kin__exchange *exchange = transport_start(&f, &spec);
    code = transport_await_end(exchange, NULL);
    assert_code(code, 0);
    const kin__answer *answer = kin__exchange_answer(exchange);
    assert_int_equal(answer->status, 429);
    assert_int_equal(answer->retry_after_ms, 7000);
    assert_int_equal(answer->n_warnings, 2);
    assert_string_equal(answer->warnings[0], "299 - \"old\"");
    assert_string_equal(answer->warnings[1], "299 - \"older\"");
    kin__exchange_unref(exchange);
    transport_close(&f);
}

static void sends_method_headers_body_and_authorization(void **state)
{
    transport_fixture f = {0};
    transport_result result;
    kin__header headers[] = {
        {kin_str_of("Content-Type"), kin_str_of("application/json")},
        {kin_str_of("X-Empty"), kin_str_of("")},
    };
    kin__identity identity = {.generation = 1};
    kin__exchange_spec spec = {
        .method = "PATCH",
        .target = "/x",
        .headers = headers,
        .n_headers = kin__array_len(headers),
        .body = kin_str_of("{\"spec\":{}}"),
        .identity = &identity,
        .deadline = INT64_MAX,
    };

    (void)state;
    assert_code(kin__secret_set(&identity.authorization, kin_str_of("Bearer hush")), 0);
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){0});
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);

    const kin_test_http_request *request = kin_test_http_request_at(f.server, 0);
    assert_string_equal(request->method, "PATCH");
    assert_string_equal(request->target, "/x");
    assert_string_equal(request->body, "{\"spec\":{}}");
    assert_string_equal(kin_test_http_field_of(request, "authorization"), "Bearer hush");
    assert_string_equal(kin_test_http_field_of(request, "content-type"), "application/json");
    assert_string_equal(kin_test_http_field_of(request, "x-empty"), "");
    assert_string_equal(kin_test_http_field_of(request, "accept-encoding"), "gzip");
    assert_string_equal(kin_test_http_field_of(request, "content-length"), "11");
    assert_null(kin_test_http_field_of(request, "expect"));
    kin__secret_done(&identity.authorization);
    transport_close(&f);
}

static void sends_large_and_empty_bodies(void **state)
{
    transport_fixture f = {0};
    size_t size = (size_t)3 * 1024 * 1024;
    char *large = malloc(size);
    kin__exchange_spec spec = transport_get("/x");
    transport_result result;

    (void)state;
    assert_non_null(large);
    memset(large, 'x', size);
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){0});
    spec.method = "POST";
    spec.body = kin_str_make(large, size);
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    assert_int_equal(kin_test_http_request_at(f.server, 0)->body_len, size);
    spec.body = kin_str_make("", 0);
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    const kin_test_http_request *request = kin_test_http_request_at(f.server, 1);
    assert_int_equal(request->body_len, 0);
    assert_string_equal(kin_test_http_field_of(request, "content-length"), "0");
    transport_close(&f);
    free(large);
}

static void refuses_what_would_break_the_request(void **state)
{
    transport_fixture f = {0};
    kin__header bad[] = {
        {kin_str_of("X"), kin_str_of("a\r\nB: c")}, {kin_str_of("X:"), kin_str_of("a")},
        {kin_str_of(""), kin_str_of("a")},          {kin_str_of("X"), kin_str_make("a\0b", 3)},
        {kin_str_of("X\n"), kin_str_of("a")},
    };
    static const char *const targets[] = {"", "x", "/ x", "/x\r\n", "/#x", "/\xc3\xa4", NULL};
    static const char *const methods[] = {"", "GE T", "GET\r\n", NULL};
    kin__exchange *exchange = NULL;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(bad); i++) {
        kin__exchange_spec spec = transport_get("/");

        spec.headers = &bad[i];
        spec.n_headers = 1;
        assert_code(kin__transport_start(f.transport, &exchange, &spec, NULL), KIN_EINVAL);
    }
    for (size_t i = 0; i < kin__array_len(targets); i++) {
        kin__exchange_spec spec = transport_get(targets[i]);

        assert_code(kin__transport_start(f.transport, &exchange, &spec, NULL), KIN_EINVAL);
    }
    for (size_t i = 0; i < kin__array_len(methods); i++) {
        kin__exchange_spec spec = transport_get("/");

        spec.method = methods[i];
        assert_code(kin__transport_start(f.transport, &exchange, &spec, NULL), KIN_EINVAL);
    }
    assert_null(exchange);
    assert_int_equal(kin_test_http_count(f.server).connections, 0);
    transport_close(&f);
}

static void takes_answers_of_all_right_shapes(void **state)
{
    static const kin_test_http_shape shapes[] = {
        KIN_TEST_HTTP_LENGTH,      KIN_TEST_HTTP_CHUNKED, KIN_TEST_HTTP_GZIP,
        KIN_TEST_HTTP_UNTIL_CLOSE, KIN_TEST_HTTP_LAST,    KIN_TEST_HTTP_CONTINUED,
        KIN_TEST_HTTP_HINTED,
    };
    transport_fixture f = {0};
    transport_result result;
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(shapes); i++) {
        for (size_t split = 0; split <= 3; split += 3) {
            kin_test_http_clear_routes(f.server);
            kin_test_http_add_route(f.server, &(kin_test_http_route){
                                                  .shape = shapes[i],
                                                  .body = "a body of some bytes",
                                                  .split = split,
                                              });
            transport_run(&f, &spec, &result);
            if (result.code)
                print_error("%s: %s\n", kin_test_http_shape_name(shapes[i]), result.err.message);
            assert_code(result.code, 0);
            assert_int_equal(result.status, 200);
            assert_string_equal(result.body, "a body of some bytes");
            transport_result_done(&result);
        }
    }
    transport_close(&f);
}

/* Every way to cut an answer in two gives the same. */
static void takes_every_split(void **state)
{
    transport_fixture f = {0};
    transport_result result;
    kin__exchange_spec spec = transport_get("/");
    static const kin_test_http_shape shapes[] = {KIN_TEST_HTTP_CHUNKED, KIN_TEST_HTTP_GZIP};

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(shapes); i++) {
        for (size_t cut = 1; cut < 200; cut++) {
            kin_test_http_clear_routes(f.server);
            kin_test_http_add_route(f.server,
                                    &(kin_test_http_route){
                                        .shape = shapes[i],
                                        .body = "0123456789abcdef",
                                        .size = shapes[i] == KIN_TEST_HTTP_CHUNKED ? 5 : 0,
                                        .cut = cut,
                                    });
            transport_run(&f, &spec, &result);
            assert_code(result.code, 0);
            assert_string_equal(result.body, "0123456789abcdef");
            transport_result_done(&result);
        }
    }
    transport_close(&f);
}

static const struct wrong {
    kin_test_http_shape shape;
    int code;
    const char *text;
} wrongs[] = {
    {KIN_TEST_HTTP_SHORT, KIN_ECONNECT, "lost within the answer"},
    {KIN_TEST_HTTP_SHORT_CHUNK, KIN_ECONNECT, "lost within the answer"},
    {KIN_TEST_HTTP_NO_LAST_CHUNK, KIN_ECONNECT, "lost within the answer"},
    {KIN_TEST_HTTP_SHORT_RESET, KIN_ECONNECT, "the connection was lost"},
    {KIN_TEST_HTTP_SHORT_ABANDON, KIN_ECONNECT, "lost"},
    {KIN_TEST_HTTP_SHORT_GZIP, KIN_EPROTOCOL, "compression is cut off"},
    {KIN_TEST_HTTP_HALF_HEAD, KIN_ECONNECT, "lost within the answer's headers"},
    {KIN_TEST_HTTP_NO_ANSWER, KIN_ECONNECT, "closed without an answer"},
    {KIN_TEST_HTTP_RESET_ANSWER, KIN_ECONNECT, "the connection was lost"},
    {KIN_TEST_HTTP_GARBAGE, KIN_EPROTOCOL, "not HTTP"},
    {KIN_TEST_HTTP_VERSION_0_9, KIN_EPROTOCOL, "not HTTP"},
    {KIN_TEST_HTTP_BAD_STATUS, KIN_EPROTOCOL, "not HTTP"},
    {KIN_TEST_HTTP_BAD_LENGTH, KIN_EPROTOCOL, "not HTTP"},
    {KIN_TEST_HTTP_TWO_LENGTHS, KIN_EPROTOCOL, "not HTTP"},
    {KIN_TEST_HTTP_BAD_CHUNK_SIZE, KIN_EPROTOCOL, "chunks are broken"},
    {KIN_TEST_HTTP_HUGE_CHUNK_SIZE, KIN_EPROTOCOL, "chunks are broken"},
    {KIN_TEST_HTTP_BAD_GZIP, KIN_EPROTOCOL, "compression is damaged"},
    {KIN_TEST_HTTP_LARGE_FIELD, KIN_ELIMIT, "headers are too long"},
    {KIN_TEST_HTTP_MANY_FIELDS, KIN_ELIMIT, "headers are too long"},
    {KIN_TEST_HTTP_LONG_STATUS, KIN_ELIMIT, "headers are too long"},
    {KIN_TEST_HTTP_ENDLESS_HEAD, KIN_ELIMIT, "headers are too long"},
    {KIN_TEST_HTTP_MANY_CONTINUES, KIN_ELIMIT, "headers are too long"},
};

static void tells_what_is_wrong_with_an_answer(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(wrongs); i++) {
        kin_test_http_clear_routes(f.server);
        kin_test_http_add_route(f.server, &(kin_test_http_route){
                                              .shape = wrongs[i].shape,
                                              .body = "something of a body",
                                          });
        print_message("%s\n", kin_test_http_shape_name(wrongs[i].shape));
        transport_expect(&f, &spec, wrongs[i].code, wrongs[i].text);
        transport_expect(&f, &spec, wrongs[i].code, kin_test_http_url(f.server));
    }
    transport_close(&f);
}

static void refuses_redirects(void **state)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(statuses); i++) {
        transport_result result;

        kin_test_http_clear_routes(f.server);
        kin_test_http_add_route(
            f.server, &(kin_test_http_route){
                          .status = statuses[i],
                          .fields = "Location: https://me:hush@other.example/hush?hush\r\n",
                      });
        transport_run(&f, &spec, &result);
        assert_code(result.code, KIN_EPROTOCOL);
        assert_int_equal(result.err.http_status, statuses[i]);
        assert_non_null(strstr(result.err.message, " to other.example with"));
        assert_null(strstr(result.err.message, "hush"));
        transport_result_done(&result);
    }
    assert_int_equal(kin_test_http_count(f.server).requests, kin__array_len(statuses));
    transport_close(&f);
}

static void bounds_headers_exactly(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;
    /* The same answer fits into its own length, and not into one byte less. */
    const char *raw = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    (void)state;
    for (size_t less = 0; less < 2; less++) {
        transport_setup setup = {.options.max_header_bytes = strlen(raw) - less};

        transport_open(&f, &setup);
        kin_test_http_add_route(f.server, &(kin_test_http_route){.content_type = ""});
        transport_run(&f, &spec, &result);
        assert_code(result.code, less ? KIN_ELIMIT : 0);
        transport_result_done(&result);
        transport_close(&f);
    }
}

static void uses_a_connection_again(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "x"});
    for (int i = 0; i < 20; i++) {
        transport_run(&f, &spec, &result);
        assert_code(result.code, 0);
        transport_result_done(&result);
    }
    assert_int_equal(kin_test_http_count(f.server).connections, 1);
    transport_close(&f);
}

/* What is short waits for a connection; what lasts does not, and takes none from the others. */
static void bounds_the_connections_of_what_is_short(void **state)
{
    static const unsigned expected[] = {[KIN__LANE_SHORT] = 2,
                                        [KIN__LANE_LIST] = 2,
                                        [KIN__LANE_WATCH] = 5,
                                        [KIN__LANE_WATCH_LIST] = 5};
    transport_fixture f = {0};
    kin__exchange *exchanges[4][5];
    unsigned stalled = 0;

    (void)state;
    transport_open(&f, &(transport_setup){.options.max_connections = 2});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    for (size_t kind = kin__array_len(expected); kind-- > 0;) {
        kin__exchange_spec spec = transport_get("/");

        spec.kind = (enum kin__lane_kind)kind;
        for (int i = 0; i < 5; i++)
            exchanges[kind][i] = transport_start(&f, &spec);
        stalled += expected[kind];
        kin_test_http_await_stalled(f.server, stalled);
    }
    kin_test_http_release_all(f.server);
    for (size_t kind = 0; kind < kin__array_len(expected); kind++) {
        for (int i = 0; i < 5; i++) {
            transport_result result;

            transport_finish(&f, exchanges[kind][i], &result);
            assert_code(result.code, 0);
            transport_result_done(&result);
        }
    }
    assert_int_equal(kin_test_http_count(f.server).connections, stalled);
    transport_close(&f);
}

/* A connection that ended while nobody used it: a GET does not notice, a POST is not sent twice. */
static void sends_again_only_what_may_be_sent_twice(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec get = transport_get("/");
    kin__exchange_spec post = {
        .method = "POST", .target = "/twice", .body = kin_str_of("{}"), .deadline = INT64_MAX};
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.target = "/", .times = 1});
    transport_run(&f, &get, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    /* On the connection that is there: the request comes, and the connection is closed. */
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.target = "/twice", .shape = KIN_TEST_HTTP_NO_ANSWER});
    kin__exchange *exchange = transport_start(&f, &post);
    kin_error err = KIN_ERROR_INIT;
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "may not be sent twice"));
    assert_true(kin__exchange_was_sent(exchange));
    kin__exchange_unref(exchange);
    assert_int_equal(kin_test_http_count(f.server).requests, 2);

    kin_test_http_add_route(f.server, &(kin_test_http_route){.target = "/", .times = 1});
    transport_run(&f, &get, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    kin_test_http_add_route(
        f.server,
        &(kin_test_http_route){.target = "/", .times = 1, .shape = KIN_TEST_HTTP_NO_ANSWER});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.target = "/", .times = 1});
    transport_run(&f, &get, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    assert_int_equal(kin_test_http_count(f.server).requests, 5);
    transport_close(&f);
}

static void works_over_unix_sockets_and_ipv6(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/x");
    transport_result result;

    (void)state;
    for (int i = 0; i < 2; i++) {
        transport_setup setup = {.server = {.unix_socket = i == 0, .ipv6 = i == 1}};

        transport_open(&f, &setup);
        kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "hello"});
        transport_run(&f, &spec, &result);
        assert_code(result.code, 0);
        assert_string_equal(result.body, "hello");
        transport_result_done(&result);
        transport_close(&f);
    }
}

static void names_who_does_not_answer(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_close_listener(f.server);
    kin__exchange *exchange = transport_start(&f, &spec);
    assert_code(transport_await_end(exchange, NULL), KIN_ECONNECT);
    assert_false(kin__exchange_was_sent(exchange));
    kin__exchange_unref(exchange);
    transport_expect(&f, &spec, KIN_ECONNECT, "no connection");
    transport_close(&f);

    transport_open_alone(&f, &(transport_setup){.url = "http://nobody.invalid:81"});
    transport_expect(&f, &spec, KIN_ECONNECT, "http://nobody.invalid:81: the name is unknown");
    transport_close(&f);
    transport_open_alone(&f, &(transport_setup){.url = "unix:///nowhere/at/all"});
    transport_expect(&f, &spec, KIN_ECONNECT, "unix:///nowhere/at/all: no connection");
    transport_close(&f);
    transport_open_alone(&f, &(transport_setup){.url = "http://10.0.0.1:81",
                                                .proxy_url = "http://u:hush@nobody.invalid:3128"});
    transport_expect(&f, &spec, KIN_ECONNECT, "http://10.0.0.1:81: the proxy's name is unknown");
    transport_close(&f);
}

static void does_not_wait_for_ever_for_a_connection(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin_test_pki *pki;

    (void)state;
    kin_test_pki_new(&pki);
    transport_open(&f, &(transport_setup){
                           .server.tls = {.certificate = pki->server.certificate,
                                          .key = pki->server.key,
                                          .fate = KIN_TEST_TLS_STALLED},
                           .options.connect_timeout_ns = 50 * 1000 * 1000,
                       });
    transport_expect(&f, &spec, KIN_ECONNECT, "no connection in time");
    transport_close(&f);
    kin_test_pki_free(pki);
}

static void sends_through_a_proxy_and_keeps_its_password(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/x");
    transport_result result;
    kin_test_http *proxy;
    char url[128];

    (void)state;
    kin_test_http_start(&proxy, &(kin_test_http_options){0});
    kin_test_http_add_route(proxy, &(kin_test_http_route){.body = "by proxy"});
    snprintf(url, sizeof(url), "http://u:hush@%s", kin_test_http_host(proxy));
    transport_open_alone(&f,
                         &(transport_setup){.url = "http://10.255.255.1:81/k", .proxy_url = url});
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "by proxy");
    assert_string_equal(kin_test_http_request_at(proxy, 0)->target, "http://10.255.255.1:81/k/x");
    transport_result_done(&result);
    transport_close(&f);

    /* A tunnel that it refuses. */
    kin_test_http_clear_routes(proxy);
    kin_test_http_add_route(proxy, &(kin_test_http_route){.status = 403});
    transport_open_alone(&f,
                         &(transport_setup){.url = "https://10.255.255.1:81", .proxy_url = url});
    transport_run(&f, &spec, &result);
    assert_code(result.code, KIN_ECONNECT);
    assert_non_null(
        strstr(result.err.message, "https://10.255.255.1:81: the proxy gave no tunnel"));
    assert_null(strstr(result.err.message, "hush"));
    transport_result_done(&result);
    transport_close(&f);
    kin_test_http_stop(proxy);
}

/* What the configuration names is used, whatever the environment excepts. */
static void keeps_to_the_proxy_that_it_was_given(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/x");
    transport_result result;
    kin_test_http *proxy;

    (void)state;
    kin_test_http_start(&proxy, &(kin_test_http_options){0});
    kin_test_http_add_route(proxy, &(kin_test_http_route){.body = "by proxy"});
    assert_int_equal(setenv("NO_PROXY", "*", 1), 0);
    transport_open_alone(&f, &(transport_setup){.url = "http://server.invalid:81",
                                                .proxy_url = kin_test_http_url(proxy)});
    transport_run(&f, &spec, &result);
    assert_int_equal(unsetenv("NO_PROXY"), 0);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "by proxy");
    transport_result_done(&result);
    transport_close(&f);
    kin_test_http_stop(proxy);
}

/* One of the environment is used for those whom the environment does not except. */
static void asks_the_environment_for_a_proxy(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/x");
    transport_result result;
    kin_test_http *proxy;

    (void)state;
    kin_test_http_start(&proxy, &(kin_test_http_options){0});
    kin_test_http_add_route(proxy, &(kin_test_http_route){.body = "by proxy"});
    assert_int_equal(setenv("http_proxy", kin_test_http_url(proxy), 1), 0);
    assert_int_equal(setenv("NO_PROXY", "other.invalid", 1), 0);
    transport_open_alone(&f, &(transport_setup){.url = "http://server.invalid:81"});
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "by proxy");
    transport_result_done(&result);
    transport_close(&f);
    transport_open_alone(&f, &(transport_setup){.url = "http://other.invalid:81"});
    transport_expect(&f, &spec, KIN_ECONNECT, "the name is unknown");
    transport_close(&f);
    assert_int_equal(unsetenv("NO_PROXY"), 0);
    assert_int_equal(unsetenv("http_proxy"), 0);
    kin_test_http_stop(proxy);
}

static void unfolds_a_bomb_piece_by_piece(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.options.max_gzip_ratio = UINT_MAX});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_GZIP_BOMB});
    transport_run(&f, &spec, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.len, 64 * 1024 * 1024);
    transport_result_done(&result);
    transport_close(&f);
}

static void refuses_an_encoding_nobody_asked_for(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){.no_compression = true});
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.fields = "Content-Encoding: br\r\n", .body = "x"});
    transport_expect(&f, &spec, KIN_EPROTOCOL, "an encoding that was not asked for");
    assert_null(kin_test_http_field_of(kin_test_http_request_at(f.server, 0), "accept-encoding"));
    transport_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_status_headers_and_body),
        cmocka_unit_test(keeps_retry_after_and_warnings),
        cmocka_unit_test(sends_method_headers_body_and_authorization),
        cmocka_unit_test(sends_large_and_empty_bodies),
        cmocka_unit_test(refuses_what_would_break_the_request),
        cmocka_unit_test(takes_answers_of_all_right_shapes),
        cmocka_unit_test(takes_every_split),
        cmocka_unit_test(tells_what_is_wrong_with_an_answer),
        cmocka_unit_test(refuses_redirects),
        cmocka_unit_test(bounds_headers_exactly),
        cmocka_unit_test(uses_a_connection_again),
        cmocka_unit_test(bounds_the_connections_of_what_is_short),
        cmocka_unit_test(sends_again_only_what_may_be_sent_twice),
        cmocka_unit_test(works_over_unix_sockets_and_ipv6),
        cmocka_unit_test(names_who_does_not_answer),
        cmocka_unit_test(does_not_wait_for_ever_for_a_connection),
        cmocka_unit_test(sends_through_a_proxy_and_keeps_its_password),
        cmocka_unit_test(keeps_to_the_proxy_that_it_was_given),
        cmocka_unit_test(asks_the_environment_for_a_proxy),
        cmocka_unit_test(unfolds_a_bomb_piece_by_piece),
        cmocka_unit_test(refuses_an_encoding_nobody_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
