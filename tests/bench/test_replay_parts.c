/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the replay server that do no I/O: requests, routes, formats, the index of a stream,
 * and the arithmetic of deadlines and stamps.
 */
#include "bench_test.h"

#include "data.h"
#include "pace.h"
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST "Host: x\r\n"

static struct kin_bench_request request;

/* All at once, from a buffer of the exact size, so that a sanitizer sees any look beyond it. */
static enum kin_bench_parse parse(const char *text, size_t *ret_used)
{
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);
    size_t scanned = 0;
    size_t used = 0;
    enum kin_bench_parse result;

    assert_non_null(copy);
    memcpy(copy, text, len);
    result = kin_bench_request_parse(&request, copy, len, &scanned, &used);
    free(copy);
    if (ret_used)
        *ret_used = used;
    return result;
}

static void parse_good(const char *text)
{
    size_t used = 0;

    if (parse(text, &used) != KIN_BENCH_PARSE_DONE)
        fail_msg("%s: %d %s", text, request.status, request.problem ? request.problem : "more");
    assert_int_equal(used, strlen(text));
}

static void parse_bad(const char *text, int status)
{
    if (parse(text, NULL) != KIN_BENCH_PARSE_ERROR)
        fail_msg("taken for good: %s", text);
    if (request.status != status)
        fail_msg("%s: %d %s", text, request.status, request.problem);
    assert_non_null(request.problem);
    /* It goes into a JSON string as it is. */
    assert_null(strpbrk(request.problem, "\"\\\r\n"));
}

static void good_requests(void **state)
{
    (void)state;
    parse_good("GET /api/v1/pods HTTP/1.1\r\n" HOST "\r\n");
    assert_true(request.get && !request.close && !request.watch && !request.body);
    assert_string_equal(request.path, "/api/v1/pods");
    assert_string_equal(request.accept, "");

    parse_good("GET /api/v1/pods?watch=1&sendInitialEvents=true&x HTTP/1.1\r\n" HOST
               "accept:  application/json \r\nACCEPT:\ttext/plain\r\nConnection: Close\r\n\r\n");
    assert_true(request.watch && request.send_initial_events && request.close);
    assert_string_equal(request.accept, "application/json,text/plain");

    parse_good("GET /a%2Fb%c3%bc+c?wat%63h=t%72ue HTTP/1.1\r\n" HOST "\r\n");
    assert_string_equal(request.path, "/a/b\xc3\xbc+c");
    assert_true(request.watch);

    parse_good("GET /p?watch=0&sendInitialEvents=false&labelSelector=a%3Db&&=v& HTTP/1.1\r\n" HOST
               "Content-Length: 0\r\nX-Empty:\r\nConnection: keep-alive, upgrade\r\n\r\n");
    assert_false(request.watch || request.send_initial_events || request.close || request.body);

    parse_good("DELETE /p HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\n");
    assert_true(!request.get && request.body);
    parse_good("PUT /p HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n");
    assert_true(!request.get && request.body);
    parse_good("get /p HTTP/1.1\r\n" HOST "\r\n");
    assert_false(request.get);
    parse_good("\r\n\r\nGET /p HTTP/1.1\r\n" HOST "\r\n");
    assert_true(request.get);
}

static void bad_request_lines(void **state)
{
    static const char *const lines[] = {
        "GET",
        "GET ",
        "GET /p",
        "GET /p ",
        "GET  /p HTTP/1.1",
        "GET /p  HTTP/1.1",
        "GET /p HTTP/1.1 ",
        "GET /p http/1.1",
        "GET /p HTTP/11",
        "GET /p HTTP/a.1",
        "GET /p q HTTP/1.1",
        " GET /p HTTP/1.1",
        "G(T /p HTTP/1.1",
        "G\xc3\x84T /p HTTP/1.1",
        "GET p HTTP/1.1",
        "GET http://x/p HTTP/1.1",
        "GET * HTTP/1.1",
        "GET /p#f HTTP/1.1",
        "GET /\xc3\xbc HTTP/1.1",
        "GET /\x01 HTTP/1.1",
        "GET /% HTTP/1.1",
        "GET /%4 HTTP/1.1",
        "GET /%4g HTTP/1.1",
        "GET /%00 HTTP/1.1",
        "GET /p?% HTTP/1.1",
        "GET /p?a=%f HTTP/1.1",
        "GET /p?a%xx=1 HTTP/1.1",
        "GET /p?watch HTTP/1.1",
        "GET /p?watch= HTTP/1.1",
        "GET /p?watch=2 HTTP/1.1",
        "GET /p?watch=True HTTP/1.1",
        "GET /p?watch=1&watch=1 HTTP/1.1",
        "GET /p?watch=1&sendInitialEvents=yes HTTP/1.1",
        "GET /p?watch=1&sendInitialEvents=1&sendInitialEvents=1 HTTP/1.1",
        "GET /p?sendInitialEvents=1 HTTP/1.1",
        "GET /p?watch=0&sendInitialEvents=1 HTTP/1.1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char text[256];

        (void)snprintf(text, sizeof(text), "%s\r\n" HOST "\r\n", lines[i]);
        parse_bad(text, 400);
    }
    parse_bad("GET /p HTTP/1.0\r\n" HOST "\r\n", 505);
    parse_bad("GET /p HTTP/2.0\r\n" HOST "\r\n", 505);
}

static void bad_headers(void **state)
{
    static const char *const headers[] = {
        "Host: y\r\n",
        "NoColon\r\n",
        ": v\r\n",
        "Na me: v\r\n",
        "Name : v\r\n",
        " folded\r\n",
        "X: a\r\n\tfolded\r\n",
        "X: a\x01\r\n",
        "X: a\nY: b\r\n",
        "X: a\rY: b\r\n",
        "Content-Length:\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 1x\r\n",
        "Content-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        char text[256];

        (void)snprintf(text, sizeof(text), "GET /p HTTP/1.1\r\n" HOST "%s\r\n", headers[i]);
        parse_bad(text, 400);
    }
    parse_bad("GET /p HTTP/1.1\r\n\r\n", 400);
    parse_bad("GET /p HTTP/1.1\nHost: x\r\n\r\n", 400);
}

static void nul_bytes_are_refused(void **state)
{
    static const char text[] = "GET /p HTTP/1.1\r\nHost: a\0b\r\n\r\n";
    static const char line[] = "GET /p\0 HTTP/1.1\r\nHost: a\r\n\r\n";
    size_t scanned = 0;
    size_t used = 0;

    (void)state;
    assert_int_equal(kin_bench_request_parse(&request, text, sizeof(text) - 1, &scanned, &used),
                     KIN_BENCH_PARSE_ERROR);
    scanned = 0;
    assert_int_equal(kin_bench_request_parse(&request, line, sizeof(line) - 1, &scanned, &used),
                     KIN_BENCH_PARSE_ERROR);
}

static void any_split_gives_the_same(void **state)
{
    static const char text[] = "\r\nGET /api/v1/pods?watch=1 HTTP/1.1\r\n" HOST
                               "Accept: application/json\r\n\r\nGET /next";
    size_t head = strlen(text) - strlen("GET /next");

    (void)state;
    for (size_t step = 1; step <= sizeof(text); step++) {
        enum kin_bench_parse result = KIN_BENCH_PARSE_MORE;
        size_t scanned = 0;
        size_t used = 0;
        size_t len = 0;

        while (result == KIN_BENCH_PARSE_MORE && len < sizeof(text) - 1) {
            char *copy;

            len = len + step < sizeof(text) - 1 ? len + step : sizeof(text) - 1;
            copy = malloc(len);
            assert_non_null(copy);
            memcpy(copy, text, len);
            result = kin_bench_request_parse(&request, copy, len, &scanned, &used);
            free(copy);
            assert_true(result == KIN_BENCH_PARSE_MORE ? len < head : len >= head);
        }
        assert_int_equal(result, KIN_BENCH_PARSE_DONE);
        assert_int_equal(used, head);
        assert_true(request.watch);
        assert_string_equal(request.path, "/api/v1/pods");
        assert_string_equal(request.accept, "application/json");
    }
}

static void limits_are_kept(void **state)
{
    size_t size = KIN_BENCH_HEAD_MAX + 16;
    char *text = malloc(size + 1);
    size_t scanned;
    size_t used;
    int n;

    (void)state;
    assert_non_null(text);
    /* No end of the line in sight. */
    memset(text, 'a', size);
    scanned = 0;
    assert_int_equal(
        kin_bench_request_parse(&request, text, KIN_BENCH_HEAD_MAX - 1, &scanned, &used),
        KIN_BENCH_PARSE_MORE);
    assert_int_equal(kin_bench_request_parse(&request, text, KIN_BENCH_HEAD_MAX, &scanned, &used),
                     KIN_BENCH_PARSE_ERROR);
    assert_int_equal(request.status, 431);

    /* A head of just the largest size, and of one byte more. */
    for (size_t over = 0; over < 2; over++) {
        memset(text, 'a', size);
        n = snprintf(text, size, "GET /p HTTP/1.1\r\n" HOST "X: ");
        text[n] = 'a';
        memcpy(text + KIN_BENCH_HEAD_MAX - 4 + over, "\r\n\r\n", 4);
        scanned = 0;
        assert_int_equal(
            kin_bench_request_parse(&request, text, KIN_BENCH_HEAD_MAX + over, &scanned, &used),
            over ? KIN_BENCH_PARSE_ERROR : KIN_BENCH_PARSE_DONE);
        if (over)
            assert_int_equal(request.status, 431);
        else
            assert_int_equal(used, KIN_BENCH_HEAD_MAX);
    }

    /* The target likewise. */
    for (size_t over = 0; over < 2; over++) {
        memset(text, 'a', size);
        memcpy(text, "GET /", 5);
        memcpy(text + 4 + KIN_BENCH_TARGET_MAX + over, " HTTP/1.1\r\n" HOST "\r\n", 23);
        text[4 + KIN_BENCH_TARGET_MAX + over + 22] = '\0';
        if (over)
            parse_bad(text, 414);
        else
            parse_good(text);
        if (!over)
            assert_int_equal(strlen(request.path), KIN_BENCH_TARGET_MAX);
    }

    /* And Accept, also when it comes in pieces. */
    for (size_t over = 0; over < 2; over++) {
        n = snprintf(text, size, "GET /p HTTP/1.1\r\n" HOST "Accept: a\r\nAccept: ");
        memset(text + n, 'b', KIN_BENCH_ACCEPT_MAX - 2 + over);
        (void)snprintf(text + (size_t)n + KIN_BENCH_ACCEPT_MAX - 2 + over, 16, "\r\n\r\n");
        if (over)
            parse_bad(text, 431);
        else
            parse_good(text);
        if (!over)
            assert_int_equal(strlen(request.accept), KIN_BENCH_ACCEPT_MAX);
    }
    free(text);
}

static void routes(void **state)
{
    static const struct {
        const char *path;
        enum kin_bench_route route;
        const char *kind;
        const char *api_version;
    } cases[] = {
        {"/version", KIN_BENCH_ROUTE_VERSION, NULL, NULL},
        {"/api/v1/pods", KIN_BENCH_ROUTE_PODS, "Pod", "v1"},
        {"/api/v1/namespaces/a/pods", KIN_BENCH_ROUTE_PODS, "Pod", "v1"},
        {"/pods", KIN_BENCH_ROUTE_PODS, "Pod", "v1"},
        {"/api/v1/services", KIN_BENCH_ROUTE_OTHER, "Service", "v1"},
        {"/api/v1/endpoints", KIN_BENCH_ROUTE_OTHER, "Endpoints", "v1"},
        {"/api/v1/nodes", KIN_BENCH_ROUTE_OTHER, "Node", "v1"},
        {"/api/v1/namespaces", KIN_BENCH_ROUTE_OTHER, "Namespace", "v1"},
        {"/api/v1/namespaces/9/secrets", KIN_BENCH_ROUTE_OTHER, "Secret", "v1"},
        {"/apis/networking.k8s.io/v1/ingresses", KIN_BENCH_ROUTE_OTHER, "Ingress",
         "networking.k8s.io/v1"},
        {"/apis/networking.k8s.io/v1/ingressclasses", KIN_BENCH_ROUTE_OTHER, "IngressClass",
         "networking.k8s.io/v1"},
        {"/apis/networking.k8s.io/v1/namespaces/a/networkpolicies", KIN_BENCH_ROUTE_OTHER,
         "NetworkPolicy", "networking.k8s.io/v1"},
        {"/apis/discovery.k8s.io/v1/endpointslices", KIN_BENCH_ROUTE_OTHER, "EndpointSlice",
         "discovery.k8s.io/v1"},
        {"/apis/e.io/v1/batteries", KIN_BENCH_ROUTE_OTHER, "Battery", "e.io/v1"},
        {"/apis/e.io/v1/s", KIN_BENCH_ROUTE_OTHER, "S", "e.io/v1"},
        {"", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/services/", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api//services", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"//api/v1/services", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/Services", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/ser\"vices", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/../services", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/services/a", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/namespaces/a", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/namespaces/A/services", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/api/v1/namespaces/a/services/b", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/apis/apps/v1", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/apis/apps/deployments", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/a/b/c/d/e/f/g/h/i/j", KIN_BENCH_ROUTE_NONE, NULL, NULL},
        {"/versions", KIN_BENCH_ROUTE_NONE, NULL, NULL},
    };
    char path[4096];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct kin_bench_kind kind;

        if (kin_bench_route(cases[i].path, &kind) != cases[i].route)
            fail_msg("wrong route: %s", cases[i].path);
        if (cases[i].kind) {
            assert_string_equal(kind.kind, cases[i].kind);
            assert_string_equal(kind.api_version, cases[i].api_version);
        }
    }
    /* Long names are not cut into others. */
    for (size_t n = 50; n < sizeof(path) - 1; n += 13) {
        struct kin_bench_kind kind;

        memset(path, 'a', n);
        path[n] = '\0';
        memcpy(path, "/api/v1/", 8);
        assert_int_equal(kin_bench_route(path, &kind),
                         n - 8 <= 63 ? KIN_BENCH_ROUTE_OTHER : KIN_BENCH_ROUTE_NONE);
    }
}

static void formats(void **state)
{
    enum {
        J = 1u << KIN_BENCH_JSON,
        P = 1u << KIN_BENCH_PROTOBUF,
        M = 1u << KIN_BENCH_METADATA,
    };
#define PB "application/vnd.kubernetes.protobuf"
#define AS ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    static const struct {
        const char *accept;
        bool watch;
        unsigned available;
        int format; /* -1: none */
    } cases[] = {
        {"", false, J | P | M, KIN_BENCH_JSON},
        {" , ", false, J | P | M, KIN_BENCH_JSON},
        {"", false, P, KIN_BENCH_PROTOBUF},
        {"", false, M, -1},
        {"", false, 0, -1},
        {"*/*", false, J | P, KIN_BENCH_JSON},
        {"application/*", false, P, KIN_BENCH_PROTOBUF},
        {"application/json", false, P, -1},
        {"APPLICATION/JSON; charset=utf-8", false, J, KIN_BENCH_JSON},
        {PB, false, J | P, KIN_BENCH_PROTOBUF},
        {PB, false, J, -1},
        {PB ",application/json", false, J | P, KIN_BENCH_PROTOBUF},
        {PB " , application/json", false, J, KIN_BENCH_JSON},
        {"application/json," PB, false, J | P, KIN_BENCH_JSON},
        {PB ";q=0.1,application/json;q=0.9", false, J | P, KIN_BENCH_PROTOBUF},
        {PB ";q=0,application/json", false, J | P, KIN_BENCH_JSON},
        {PB ";q=0.0", false, J | P, -1},
        {PB ";stream=watch", true, J | P, KIN_BENCH_PROTOBUF},
        {"application/json;stream=watch", true, J | P, KIN_BENCH_JSON},
        {"application/json" AS, false, J | M, KIN_BENCH_METADATA},
        {"application/json" AS, false, J, -1},
        {PB AS, false, J | P | M, -1},
        {PB AS ",application/json" AS ",application/json", false, J | P | M, KIN_BENCH_METADATA},
        {"application/json" AS, true, J | M, -1},
        {"application/json;as=PartialObjectMetadata", true, J | M, KIN_BENCH_METADATA},
        {"application/json;as=PartialObjectMetadata,application/json", true, J, KIN_BENCH_JSON},
        {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", false, J | P | M,
         KIN_BENCH_JSON},
        {"text/html,application/yaml", false, J | P | M, -1},
        {"application/jsonx,json,;,/", false, J | P | M, -1},
    };
    char accept[1024];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum kin_bench_format format = KIN_BENCH_FORMAT_COUNT;
        int rc = kin_bench_negotiate(&format, cases[i].accept, cases[i].watch, cases[i].available);

        if (rc != (cases[i].format < 0 ? -1 : 0) || (rc == 0 && (int)format != cases[i].format))
            fail_msg("case %zu: %s", i, cases[i].accept);
    }
    /* An entry of any length does no harm. */
    memset(accept, 'a', sizeof(accept));
    (void)snprintf(accept + 900, sizeof(accept) - 900, ",application/json");
    for (size_t from = 0; from < 900; from++) {
        enum kin_bench_format format = KIN_BENCH_FORMAT_COUNT;

        assert_int_equal(kin_bench_negotiate(&format, accept + from, false, J), 0);
        assert_int_equal(format, KIN_BENCH_JSON);
    }
#undef PB
#undef AS
}

static void rates(void **state)
{
    static const struct {
        const char *text;
        uint64_t rate;
    } good[] = {
        {"0", 0},        {"1", 1000},  {"1000", 1000000},       {"0.5", 500},
        {"2.125", 2125}, {"0.001", 1}, {"1000000", 1000000000}, {"1.50", 1500},
        {"0001", 1000},  {"0.000", 0},
    };
    static const char *const bad[] = {
        "",          ".",       "1.", ".5", "1.2345", "1e3",  "-1",   "+1",
        "1000000.1", "1000001", " 1", "1 ", "1,5",    "0x10", "1..2", "99999999999999999999999",
        "nan"};
    uint64_t rate = 77;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(kin_bench_rate_parse(&rate, good[i].text), 0);
        assert_int_equal(rate, good[i].rate);
    }
    rate = 77;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (kin_bench_rate_parse(&rate, bad[i]) == 0)
            fail_msg("taken for a rate: %s", bad[i]);
    assert_int_equal(rate, 77);
}

static void deadlines_do_not_drift(void **state)
{
    uint64_t last = 0;

    (void)state;
    assert_int_equal(kin_bench_due(1000000, 0), 0);
    assert_int_equal(kin_bench_due(1000000, 1), 1000000);
    assert_int_equal(kin_bench_due(1000000, 1000), 1000000000);
    assert_int_equal(kin_bench_due(1, 1), UINT64_C(1000000000000));
    /* Three per second: thirds are cut off, but every third event is on the second. */
    assert_int_equal(kin_bench_due(3000, 1), 333333333);
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(i == 0 || kin_bench_due(7777, i) > last);
        last = kin_bench_due(7777, i);
        assert_int_equal(kin_bench_due(3000, 3 * i), i * UINT64_C(1000000000));
    }
    /* A year at the highest rate. */
    assert_int_equal(kin_bench_due(KIN_BENCH_RATE_MAX, UINT64_C(31536000000000)),
                     UINT64_C(31536000000000000));
    assert_int_equal(kin_bench_due(KIN_BENCH_RATE_MAX, UINT64_C(31536000000001)),
                     UINT64_C(31536000000001000));
}

static void stamps(void **state)
{
    char digits[KIN_BENCH_STAMP_LEN + 1] = "";

    (void)state;
    kin_bench_stamp(digits, 0);
    assert_string_equal(digits, "0000000000000000000");
    kin_bench_stamp(digits, UINT64_C(1234567890123));
    assert_string_equal(digits, "0000001234567890123");
    kin_bench_stamp(digits, (uint64_t)INT64_MAX);
    assert_string_equal(digits, "9223372036854775807");
    assert_true(kin_bench_now() <= kin_bench_now());
}

static int index_text(struct kin_bench_stream *s, const char *bytes, size_t len,
                      enum kin_bench_format format)
{
    char message[128] = "";
    int rc = kin_bench_stream_index(s, bytes, len, format, message, sizeof(message));

    assert_true((rc < 0) == (message[0] != '\0'));
    return rc;
}

static void lines_are_indexed(void **state)
{
    static const char text[] = "{\"a\":{\"kinform-bench/sent\":\"0000000000000000000\"}}\n"
                               "{}\n"
                               "{\"kinform-bench/sent\":\"00000000000000x0000\"}\n"
                               "{\"kinform-bench/sent\":\"0000\"}\n";
    static const char *const bad[] = {"{}", "{}\n{}", "\n", "{}\n\n"};
    struct kin_bench_stream s;
    struct kin_bench_event e;

    (void)state;
    assert_int_equal(index_text(&s, text, sizeof(text) - 1, KIN_BENCH_JSON), 0);
    assert_int_equal(s.count, 4);
    e = kin_bench_stream_at(&s, 0);
    assert_ptr_equal(e.data, text);
    assert_int_equal(e.data[e.size - 1], '\n');
    assert_memory_equal(e.data + e.stamp, "0000000000000000000\"", 20);
    e = kin_bench_stream_at(&s, 1);
    assert_int_equal(e.size, 3);
    assert_int_equal(e.stamp, 0);
    /* What does not look like a stamp is not overwritten. */
    assert_int_equal(kin_bench_stream_at(&s, 2).stamp, 0);
    assert_int_equal(kin_bench_stream_at(&s, 3).stamp, 0);
    kin_bench_stream_done(&s);

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(index_text(&s, bad[i], strlen(bad[i]), KIN_BENCH_JSON), -1);
    assert_int_equal(index_text(&s, NULL, 0, KIN_BENCH_JSON), 0);
    assert_true(s.present);
    assert_int_equal(s.count, 0);
    kin_bench_stream_done(&s);
}

static void frames_are_indexed(void **state)
{
    static const char frames[] = "\0\0\0\x03"
                                 "abc"
                                 "\0\0\0\x2a"
                                 "kinform-bench/sent\x12\x13"
                                 "0000000000000000000"
                                 "xyz"
                                 "\0\0\0\x01"
                                 "\n";
    static const char big[] = "\x7f\0\0\x01z";
    struct kin_bench_stream s;
    struct kin_bench_event e;

    (void)state;
    assert_int_equal(index_text(&s, frames, sizeof(frames) - 1, KIN_BENCH_PROTOBUF), 0);
    assert_int_equal(s.count, 3);
    e = kin_bench_stream_at(&s, 0);
    assert_int_equal(e.size, 7);
    assert_int_equal(e.stamp, 0);
    e = kin_bench_stream_at(&s, 1);
    assert_int_equal(e.size, 4 + 42);
    assert_int_equal(e.stamp, 4 + 20);
    assert_int_equal(kin_bench_stream_at(&s, 2).size, 5);
    kin_bench_stream_done(&s);

    /* Cut off anywhere but between frames. */
    for (size_t n = 1; n < sizeof(frames) - 1; n++) {
        int want = n == 7 || n == 7 + 46 ? 0 : -1;

        assert_int_equal(index_text(&s, frames, n, KIN_BENCH_PROTOBUF), want);
        if (want == 0)
            kin_bench_stream_done(&s);
    }
    assert_int_equal(index_text(&s, "\0\0\0\0", 4, KIN_BENCH_PROTOBUF), -1);
    assert_int_equal(index_text(&s, big, sizeof(big) - 1, KIN_BENCH_PROTOBUF), -1);
}

static void long_streams_are_indexed(void **state)
{
    enum { LINES = 5000 };
    char *text = malloc(LINES * 8);
    struct kin_bench_stream s;
    size_t len = 0;

    (void)state;
    assert_non_null(text);
    for (unsigned i = 0; i < LINES; i++)
        len += (size_t)snprintf(text + len, 8, "%u\n", i);
    assert_int_equal(index_text(&s, text, len, KIN_BENCH_JSON), 0);
    assert_int_equal(s.count, LINES);
    for (unsigned i = 0; i < LINES; i++)
        assert_int_equal(strtoul(kin_bench_stream_at(&s, i).data, NULL, 10), i);
    kin_bench_stream_done(&s);
    free(text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_requests),
        cmocka_unit_test(bad_request_lines),
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(any_split_gives_the_same),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(routes),
        cmocka_unit_test(formats),
        cmocka_unit_test(rates),
        cmocka_unit_test(deadlines_do_not_drift),
        cmocka_unit_test(stamps),
        cmocka_unit_test(lines_are_indexed),
        cmocka_unit_test(frames_are_indexed),
        cmocka_unit_test(long_streams_are_indexed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
