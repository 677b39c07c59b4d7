/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the replay server refuses: requests that are wrong, too long, or of one client too many. It says
 * why, and goes on.
 */
#include "replay_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define CONNECTIONS_MAX 1024

static void expect_failure(struct client *c, int status, const char *reason)
{
    struct response r;
    struct span body = client_response(c, &r);

    assert_int_equal(r.status, status);
    assert_string_equal(r.type, "application/json");
    assert_true(body.len > 0 && body.data[body.len - 1] == '\n');
    body.len--;
    assert_true(json_valid(body));
    assert_true(json_is(body, "kind", "Status") && json_is(body, "apiVersion", "v1"));
    assert_true(json_is(body, "status", "Failure") && json_is(body, "reason", reason));
    assert_int_equal(json_number(body, "code"), (uint64_t)status);
    free_span(body);
}

static void bad_requests_are_answered(void **state)
{
    static const struct {
        const char *request;
        int status;
        const char *reason;
        bool close;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 404, "NotFound", false},
        {"GET /api/v1 HTTP/1.1\r\nHost: x\r\n\r\n", 404, "NotFound", false},
        {"GET /api/v1/namespaces/a/pods/b HTTP/1.1\r\nHost: x\r\n\r\n", 404, "NotFound", false},
        {"GET /nope HTTP/1.1\r\nHost: x\r\n\r\n", 404, "NotFound", false},
        {"GET /api/v1/pods HTTP/1.1\r\nHost: x\r\nAccept: application/yaml\r\n\r\n", 406,
         "NotAcceptable", false},
        {"GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: x\r\n"
         "Accept: application/json;as=PartialObjectMetadata\r\n\r\n",
         406, "NotAcceptable", false},
        {"GET /api/v1/services HTTP/1.1\r\nHost: x\r\n"
         "Accept: application/vnd.kubernetes.protobuf\r\n\r\n",
         406, "NotAcceptable", false},
        {"POST /api/v1/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 405,
         "MethodNotAllowed", true},
        {"FROBNICATE /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n", 405, "MethodNotAllowed", true},
        {"G@T /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n", 400, "BadRequest", true},
        {"GET /api/v1/pods?watch=maybe HTTP/1.1\r\nHost: x\r\n\r\n", 400, "BadRequest", true},
        {"GET /api/v1/pods?sendInitialEvents=true HTTP/1.1\r\nHost: x\r\n\r\n", 400, "BadRequest",
         true},
        {"GET /api/v1/pods?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "BadRequest", true},
        {"GET /api/v1/pods HTTP/1.1\r\n\r\n", 400, "BadRequest", true},
        {"GET /api/v1/pods HTTP/1.0\r\nHost: x\r\n\r\n", 505, "BadRequest", true},
        {"hello\r\n\r\n", 400, "BadRequest", true},
    };
    struct server s;

    (void)state;
    server_start_with_data(&s);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct client c;

        server_connect(&s, &c);
        client_send(&c, cases[i].request, strlen(cases[i].request));
        expect_failure(&c, cases[i].status, cases[i].reason);
        if (cases[i].close) {
            client_expect_end(&c);
        } else {
            client_get(&c, "/nope", "");
            expect_failure(&c, 404, "NotFound");
        }
        client_close(&c);
    }
    server_stop(&s);
}

static void long_requests_are_refused(void **state)
{
    struct server s;
    struct client c;
    size_t len = 200 * 1024;
    char *big = malloc(len);

    (void)state;
    assert_non_null(big);
    server_start_with_data(&s);
    memset(big, 'a', len);
    memcpy(big, "GET /", 5);
    server_connect(&s, &c);
    client_send(&c, big, len); /* no line end at all */
    expect_failure(&c, 431, "BadRequest");
    client_expect_end(&c);
    client_close(&c);

    server_connect(&s, &c);
    client_send(&c, big, 9000);
    client_send(&c, " HTTP/1.1\r\nHost: x\r\n\r\n", 23);
    expect_failure(&c, 414, "BadRequest");
    client_expect_end(&c);
    client_close(&c);
    free(big);
    server_stop(&s);
}

static void too_many_connections_are_refused(void **state)
{
    struct rlimit old;
    struct rlimit limit;
    struct server s;
    struct client extra;
    struct client *c;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    limit = old;
    limit.rlim_cur = CONNECTIONS_MAX + 128;
    if (old.rlim_cur < limit.rlim_cur) {
        if (old.rlim_max < limit.rlim_cur)
            skip();
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    }
    c = calloc(CONNECTIONS_MAX, sizeof(*c));
    assert_non_null(c);
    server_start_with_data(&s);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        client_connect(&c[i], s.port);
    /* The last one being served, all before it are too: they are accepted in order. */
    client_get(&c[CONNECTIONS_MAX - 1], "/nope", "");
    expect_failure(&c[CONNECTIONS_MAX - 1], 404, "NotFound");
    client_connect(&extra, s.port);
    expect_failure(&extra, 503, "ServiceUnavailable");
    client_expect_end(&extra);
    client_close(&extra);

    /* One leaves, and there is room for another, once the server has noticed. */
    client_get(&c[0], "/nope", "Connection: close\r\n");
    expect_failure(&c[0], 404, "NotFound");
    client_expect_end(&c[0]);
    client_close(&c[0]);
    for (bool served = false; !served;) {
        struct response r;
        struct span body;

        client_connect(&extra, s.port);
        /* Sending may meet the refusal's end; the answer tells. */
        (void)send(extra.fd, "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n", 32, MSG_NOSIGNAL);
        body = client_response(&extra, &r);
        served = r.status == 404;
        assert_true(served || r.status == 503);
        free_span(body);
        client_close(&extra);
    }
    server_stop(&s);
    for (size_t i = 1; i < CONNECTIONS_MAX; i++)
        client_close(&c[i]);
    free(c);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(bad_requests_are_answered),
        cmocka_unit_test(long_requests_are_refused),
        cmocka_unit_test(too_many_connections_are_refused),
    };
    static const struct CMUnitTest tls[] = {
        cmocka_unit_test(bad_requests_are_answered),
    };
    int failed;

    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes as it likes */
    failed = cmocka_run_group_tests(plain, replay_make_data, replay_drop_data);
    return failed + cmocka_run_group_tests(tls, replay_make_data_for_tls, replay_drop_data);
}
