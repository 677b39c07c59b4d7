/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replay server from outside: it runs as a child process, and the test is its client. Bytes
 * must arrive as they are in the files, but for the stamps, which must lie between the test's own
 * readings of the clock. Most tests run twice, plain and with TLS. The parser and the arithmetic are tested in test_replay_parts.c.
 */
#include "bench_test.h"
#include "certificates.h"
#include "http_client.h"

#include "data.h"
#include "pace.h"
#include "pods.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PODS = 40, EVENTS = 800 };

#define CONNECTIONS_MAX 1024

static bool secure; /* this time with TLS */
static char *data_dir;
static const char frames_list[] = "k8s\0 not really protobuf, but bytes";

static const char *program(void)
{
    return program_path("KIN_BENCH_REPLAY", "kin-bench-replay");
}

/* ---- data ---- */

static size_t put_frame(char *out, const char *payload, size_t len)
{
    out[0] = (char)(len >> 24);
    out[1] = (char)(len >> 16);
    out[2] = (char)(len >> 8);
    out[3] = (char)len;
    memcpy(out + 4, payload, len);
    return len + 4;
}

static int make_data(void **state)
{
    struct kin_bench_pods_options o = {.pods = PODS,
                                       .events = EVENTS,
                                       .seed = 3,
                                       .variant = KIN_BENCH_TEMPLATED,
                                       .files = KIN_BENCH_FILES_ALL};
    static char frames[64 * 1024];
    size_t len = 0;

    (void)state;
    data_dir = make_temp_dir();
    if (kin_bench_pods_write(&o, data_dir, NULL, NULL, NULL) < 0)
        return -1;
    write_file(data_dir, "pods.pb", frames_list, sizeof(frames_list));
    for (unsigned i = 0; i < 20; i++) {
        char payload[128];
        int n = snprintf(payload, sizeof(payload), "pod %u", i);

        len += put_frame(frames + len, payload, (size_t)n);
    }
    write_file(data_dir, "stream.pbs", frames, len);
    len = 0;
    for (unsigned i = 0; i < 50; i++) {
        char payload[128];
        int n = snprintf(payload, sizeof(payload),
                         "event %u" KIN_BENCH_SENT_KEY "\x12\x13" KIN_BENCH_SENT_ZERO "end", i);

        len += put_frame(frames + len, payload, (size_t)n);
    }
    write_file(data_dir, "events.pbs", frames, len);
    return 0;
}

static int drop_data(void **state)
{
    (void)state;
    remove_dir(data_dir);
    return 0;
}

/* ---- server ---- */

struct server {
    struct child child;
    uint16_t port;
    char ca[1024]; /* "": plain */
};

static bool parse_announcement(struct server *s, const char *line)
{
    unsigned port = 0;
    int end = 0;

    s->ca[0] = '\0';
    if (secure)
        (void)sscanf(line, "listening https://127.0.0.1:%u ca %1023s%n", &port, s->ca, &end);
    else
        (void)sscanf(line, "listening http://127.0.0.1:%u%n", &port, &end);
    s->port = (uint16_t)port;
    return end > 0 && line[end] == '\n' && port >= 1 && port <= 65535;
}

static void server_start(struct server *s, const char *const *args)
{
    const char *all[12] = {NULL};
    char line[1200];
    size_t n = 0;

    while (n < 10 && args[n]) {
        all[n] = args[n];
        n++;
    }
    if (secure)
        all[n] = "--tls";
    child_start(&s->child, program(), all, -1);
    child_read(s->child.out, line, sizeof(line), true);
    if (!parse_announcement(s, line)) {
        char err[1024];

        child_read(s->child.err, err, sizeof(err), false);
        fail_msg("it said: %s%s", line, err);
    }
}

static void server_connect(const struct server *s, struct client *c)
{
    client_connect(c, s->port);
    if (s->ca[0])
        client_secure(c, s->ca);
}

static void server_start_with_data(struct server *s)
{
    const char *const args[] = {"--data", data_dir, NULL};

    server_start(s, args);
}

static void server_stop(struct server *s)
{
    assert_int_equal(child_wait(&s->child), 0);
}

/* ---- expectations ---- */

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

/* ---- streams ---- */

/* Compares an event with the file's, but for its stamp, which is returned. */
static uint64_t check_event(struct span got, struct kin_bench_event want)
{
    uint64_t stamp = 0;

    assert_int_equal(got.len, want.size);
    assert_true(want.stamp > 0);
    assert_memory_equal(got.data, want.data, want.stamp);
    assert_memory_equal(got.data + want.stamp + KIN_BENCH_STAMP_LEN,
                        want.data + want.stamp + KIN_BENCH_STAMP_LEN,
                        want.size - want.stamp - KIN_BENCH_STAMP_LEN);
    for (size_t i = 0; i < KIN_BENCH_STAMP_LEN; i++) {
        char digit = got.data[want.stamp + i];

        assert_in_range(digit, '0', '9');
        stamp = stamp * 10 + (uint64_t)(digit - '0');
    }
    return stamp;
}

/* The first count events, one chunk each, with stamps that ascend from before until now. */
static void check_events(struct client *c, const struct kin_bench_stream *events, size_t count,
                         uint64_t before)
{
    uint64_t last = before;

    for (size_t i = 0; i < count; i++) {
        struct span chunk = client_chunk(c);
        uint64_t stamp = check_event(chunk, kin_bench_stream_at(events, i));

        assert_true(stamp >= last);
        assert_true(stamp <= kin_bench_now());
        last = stamp;
        free_span(chunk);
    }
}

/* The initial events: byte-exact, one chunk each. */
static void check_initial(struct client *c, const struct kin_bench_stream *initial)
{
    for (size_t i = 0; i < initial->count; i++) {
        struct kin_bench_event want = kin_bench_stream_at(initial, i);
        struct span chunk = client_chunk(c);

        assert_int_equal(chunk.len, want.size);
        assert_memory_equal(chunk.data, want.data, want.size);
        free_span(chunk);
    }
}

static void open_data(struct kin_bench_data *data)
{
    char message[512];

    assert_int_equal(kin_bench_data_open(data, data_dir, message, sizeof(message)), 0);
    assert_int_equal(data->events[KIN_BENCH_JSON].count, EVENTS);
    assert_int_equal(data->initial[KIN_BENCH_JSON].count, PODS + 1);
    assert_int_equal(data->events[KIN_BENCH_PROTOBUF].count, 50);
    assert_int_equal(data->initial[KIN_BENCH_PROTOBUF].count, 20);
}

/* ---- lists ---- */

static void check_list(struct client *c, const char *target, const char *headers, const char *type,
                       const char *file)
{
    struct span want = read_file(data_dir, file);
    struct response r;
    struct span body;

    client_get(c, target, headers);
    body = client_response(c, &r);
    assert_int_equal(r.status, 200);
    assert_string_equal(r.type, type);
    assert_int_equal(body.len, want.len);
    assert_memory_equal(body.data, want.data, want.len);
    free_span(body);
    free_span(want);
}

static void lists_are_byte_exact(void **state)
{
    static const char metadata[] =
        "Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;"
        "v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
        "application/json\r\n";
    static const char protobuf[] = "application/vnd.kubernetes.protobuf";
    static const char json[] = "application/json";
    struct server s;
    struct client c;

    (void)state;
    server_start_with_data(&s);
    server_connect(&s, &c);
    /* All on one connection. */
    check_list(&c, "/api/v1/pods", "", json, "pods.json");
    check_list(&c, "/api/v1/pods?limit=500&resourceVersion=0", "Accept: */*\r\n", json,
               "pods.json");
    check_list(&c, "/api/v1/namespaces/payments-prod/pods", "Accept: application/json\r\n", json,
               "pods.json");
    check_list(&c, "/api/v1/pods?watch=false", "Accept: application/yaml, application/json\r\n",
               json, "pods.json");
    check_list(&c, "/api/v1/pods", metadata, json, "pods.meta.json");
    check_list(&c, "/api/v1/pods", "Accept: application/vnd.kubernetes.protobuf, */*\r\n", protobuf,
               "pods.pb");
    check_list(&c, "/api/v1/pods", "Accept: application/json;as=Table,application/json;q=0.1\r\n",
               json, "pods.json");
    check_list(&c, "/api/v1/pods",
               "Accept: text/plain\r\nAccept: application/vnd.kubernetes.protobuf\r\n", protobuf,
               "pods.pb");
    client_close(&c);
    server_stop(&s);
}

static void requests_may_come_in_any_pieces(void **state)
{
    static const char request[] = "\r\nGET /api/v1/%70ods HTTP/1.1\r\nHost: x\r\n"
                                  "Accept: application/vnd.kubernetes.protobuf\r\n\r\n";
    struct server s;
    struct client c;
    struct response r;
    struct span body;

    (void)state;
    server_start_with_data(&s);
    server_connect(&s, &c);
    for (size_t i = 0; i < sizeof(request) - 1; i++)
        client_send(&c, request + i, 1);
    body = client_response(&c, &r);
    assert_int_equal(body.len, sizeof(frames_list));
    assert_memory_equal(body.data, frames_list, sizeof(frames_list));
    free_span(body);

    /* Three at once, the last of which ends the connection. */
    client_send(&c, request, sizeof(request) - 1);
    client_get(&c, "/version", "");
    client_get(&c, "/version", "Connection: keep-alive, close\r\n");
    for (int i = 0; i < 3; i++) {
        body = client_response(&c, &r);
        assert_int_equal(r.status, 200);
        assert_true(r.close == (i == 2));
        free_span(body);
    }
    client_expect_end(&c);
    client_close(&c);
    server_stop(&s);
}

static void version_answers(void **state)
{
    struct server s;
    struct client c;
    struct response r;
    struct span body;

    (void)state;
    server_start_with_data(&s);
    server_connect(&s, &c);
    client_get(&c, "/version?timeout=32s", "");
    body = client_response(&c, &r);
    assert_int_equal(r.status, 200);
    body.len--;
    assert_true(json_valid(body));
    assert_true(json_is(body, "major", "1"));
    free_span(body);
    client_close(&c);
    server_stop(&s);
}

/* ---- watches ---- */

static void watches_are_byte_exact_but_for_the_stamp(void **state)
{
    struct kin_bench_data data;
    struct server s;
    struct client c;
    uint64_t before;

    (void)state;
    open_data(&data);
    server_start_with_data(&s);
    /* Twice: each watch starts anew. */
    for (int i = 0; i < 2; i++) {
        before = kin_bench_now();
        server_connect(&s, &c);
        client_watch(&c, i ? "/api/v1/pods?watch=1&resourceVersion=5" : "/api/v1/pods?watch=true",
                     "Accept: application/json\r\n", "application/json");
        check_events(&c, &data.events[KIN_BENCH_JSON], EVENTS, before);
        client_close(&c);
    }
    before = kin_bench_now();
    server_connect(&s, &c);
    client_watch(&c, "/api/v1/pods?watch=1",
                 "Accept: application/vnd.kubernetes.protobuf;stream=watch,application/json\r\n",
                 "application/vnd.kubernetes.protobuf;stream=watch");
    check_events(&c, &data.events[KIN_BENCH_PROTOBUF], 50, before);
    /* The stream stays open: it ends when the server does, and brings nothing more. */
    server_stop(&s);
    client_expect_end(&c);
    client_close(&c);
    kin_bench_data_done(&data);
}

static void initial_events_come_first(void **state)
{
    static const char target[] = "/api/v1/pods?watch=1&sendInitialEvents=true&"
                                 "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    struct kin_bench_data data;
    struct server s;
    struct client c;
    uint64_t before = kin_bench_now();

    (void)state;
    open_data(&data);
    server_start_with_data(&s);
    server_connect(&s, &c);
    client_watch(&c, target, "", "application/json");
    check_initial(&c, &data.initial[KIN_BENCH_JSON]);
    check_events(&c, &data.events[KIN_BENCH_JSON], EVENTS, before);
    client_close(&c);

    server_connect(&s, &c);
    client_watch(&c, target, "Accept: application/vnd.kubernetes.protobuf\r\n",
                 "application/vnd.kubernetes.protobuf;stream=watch");
    check_initial(&c, &data.initial[KIN_BENCH_PROTOBUF]);
    check_events(&c, &data.events[KIN_BENCH_PROTOBUF], 50, before);
    client_close(&c);
    server_stop(&s);
    kin_bench_data_done(&data);
}

static void paced_events_come_at_their_time(void **state)
{
    const char *const args[] = {"--data", data_dir, "--rate", "400", "--max-events", "60", NULL};
    struct kin_bench_data data;
    struct server s;
    struct client c;
    uint64_t before;
    uint64_t last = 0;
    uint64_t least_late = UINT64_MAX;

    (void)state;
    open_data(&data);
    server_start(&s, args);
    server_connect(&s, &c);
    before = kin_bench_now();
    client_watch(&c, "/api/v1/pods?watch=1", "", "application/json");
    /* What a client sends on a watch is no reason to end it. */
    client_send(&c, "x", 1);
    for (size_t i = 0; i < 60; i++) {
        struct span chunk = client_chunk(&c);
        uint64_t stamp = check_event(chunk, kin_bench_stream_at(&data.events[KIN_BENCH_JSON], i));

        /* Never early. How late a single one may be depends on the machine; see below. */
        assert_true(stamp >= before + kin_bench_due(400000, i));
        if (i >= 50 && stamp - before - kin_bench_due(400000, i) < least_late)
            least_late = stamp - before - kin_bench_due(400000, i);
        assert_true(stamp >= last && stamp <= kin_bench_now());
        last = stamp;
        free_span(chunk);
    }
    /* Lateness does not add up: at the end at least one of ten is written about when it is due. */
    assert_true(least_late < 50 * UINT64_C(1000000));
    server_stop(&s);
    client_expect_end(&c);
    client_close(&c);
    kin_bench_data_done(&data);
}

static void max_events_ends_the_events(void **state)
{
    static const char *const limits[] = {"0", "7", "100000"};
    static const size_t counts[] = {0, 7, EVENTS};
    struct kin_bench_data data;

    (void)state;
    open_data(&data);
    for (size_t i = 0; i < 3; i++) {
        const char *const args[] = {"--data", data_dir, "--max-events", limits[i], NULL};
        struct server s;
        struct client c;
        uint64_t before = kin_bench_now();

        server_start(&s, args);
        server_connect(&s, &c);
        client_watch(&c, "/api/v1/pods?watch=1", "", "application/json");
        check_events(&c, &data.events[KIN_BENCH_JSON], counts[i], before);
        server_stop(&s);
        client_expect_end(&c);
        client_close(&c);
    }
    kin_bench_data_done(&data);
}

/* ---- other kinds ---- */

static void other_kinds_are_empty(void **state)
{
    static const struct {
        const char *path;
        const char *headers;
        const char *kind;
        const char *api_version;
    } cases[] = {
        {"/api/v1/services", "", "ServiceList", "v1"},
        {"/api/v1/namespaces", "", "NamespaceList", "v1"},
        {"/api/v1/namespaces/a/configmaps", "", "ConfigMapList", "v1"},
        {"/apis/apps/v1/deployments", "", "DeploymentList", "apps/v1"},
        {"/apis/example.com/v1alpha1/namespaces/1a/policies", "", "PolicyList",
         "example.com/v1alpha1"},
        {"/apis/apps/v1/replicasets",
         "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n",
         "PartialObjectMetadataList", "meta.k8s.io/v1"},
    };
    struct server s;
    struct client c;

    (void)state;
    server_start_with_data(&s);
    server_connect(&s, &c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct response r;
        struct span body;

        client_get(&c, cases[i].path, cases[i].headers);
        body = client_response(&c, &r);
        assert_int_equal(r.status, 200);
        assert_string_equal(r.type, "application/json");
        body.len--;
        assert_true(json_valid(body));
        assert_true(json_is(body, "kind", cases[i].kind));
        assert_true(json_is(body, "apiVersion", cases[i].api_version));
        assert_true(json_number(body, "metadata.resourceVersion") > 0);
        assert_int_equal(json_count(json_get(body, "items")), 0);
        assert_int_equal(json_get(body, "items").len, 2);
        free_span(body);
    }
    client_close(&c);
    server_stop(&s);
}

static void other_watches_are_silent(void **state)
{
    static const char end[] = "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
    struct server s;
    struct client silent;
    struct client initial;
    struct span chunk;

    (void)state;
    server_start_with_data(&s);
    server_connect(&s, &silent);
    client_watch(&silent, "/api/v1/services?watch=1", "", "application/json");
    server_connect(&s, &initial);
    client_watch(&initial, "/apis/apps/v1/deployments?watch=1&sendInitialEvents=true", "",
                 "application/json");
    chunk = client_chunk(&initial);
    chunk.len--;
    assert_true(json_valid(chunk));
    assert_true(json_is(chunk, "type", "BOOKMARK"));
    assert_true(json_is(chunk, "object.kind", "Deployment"));
    assert_true(json_is(chunk, "object.apiVersion", "apps/v1"));
    assert_non_null(memmem(chunk.data, chunk.len, end, strlen(end)));
    free_span(chunk);
    server_stop(&s);
    client_expect_end(&silent);
    client_expect_end(&initial);
    client_close(&silent);
    client_close(&initial);
}

static void without_data_pods_are_empty(void **state)
{
    static const char *const args[] = {NULL};
    struct server s;
    struct client c;
    struct response r;
    struct span body;

    (void)state;
    server_start(&s, args);
    server_connect(&s, &c);
    client_get(&c, "/api/v1/pods", "");
    body = client_response(&c, &r);
    assert_int_equal(r.status, 200);
    body.len--;
    assert_true(json_is(body, "kind", "PodList"));
    assert_int_equal(json_count(json_get(body, "items")), 0);
    free_span(body);
    client_watch(&c, "/api/v1/pods?watch=1&sendInitialEvents=true", "", "application/json");
    body = client_chunk(&c);
    assert_true(json_is(body, "object.kind", "Pod"));
    free_span(body);
    client_close(&c);
    server_stop(&s);
}

/* ---- refusals ---- */

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

/* ---- leaving and stopping ---- */

static void clients_may_leave_mid_stream(void **state)
{
    static const char *const targets[] = {"/api/v1/pods", "/api/v1/pods?watch=1",
                                          "/api/v1/pods?watch=1&sendInitialEvents=true",
                                          "/api/v1/services?watch=1"};
    struct server s;
    struct client c;
    struct response r;

    (void)state;
    server_start_with_data(&s);
    for (unsigned i = 0; i < 64; i++) {
        struct linger reset = {.l_onoff = 1, .l_linger = 0};

        server_connect(&s, &c);
        client_get(&c, targets[i % 4], "");
        if (i % 8 < 4)
            client_head(&c, &r);
        /* Some reset the connection, some close it, some before they have read a byte. */
        if (i % 16 < 8)
            (void)setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        client_close(&c);
    }
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
}

static void end_of_stdin_stops_everything(void **state)
{
    const char *const slow[] = {"--data", data_dir, "--rate", "0.001", NULL};
    struct server s;
    struct client idle;
    struct client half;
    struct client stuck;
    struct client paced;
    struct span chunk;
    int small = 4096;

    (void)state;
    server_start_with_data(&s);
    assert_true(write(s.child.in, "ignored\n", 8) == 8);
    server_connect(&s, &idle);
    server_connect(&s, &half);
    client_send(&half, "GET /api", 8);
    server_connect(&s, &stuck);
    (void)setsockopt(stuck.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    /* More than the buffers hold is on its way, and nobody reads it. */
    client_get(&stuck, "/api/v1/pods?watch=1&sendInitialEvents=true", "");
    wait_readable(stuck.fd);
    server_stop(&s);
    client_expect_end(&idle);
    client_expect_end(&half);
    client_close(&idle);
    client_close(&half);
    client_close(&stuck);

    /* And while it waits for the time of the second event, in 1000 s. */
    server_start(&s, slow);
    server_connect(&s, &paced);
    client_watch(&paced, "/api/v1/pods?watch=1", "", "application/json");
    chunk = client_chunk(&paced);
    free_span(chunk);
    server_stop(&s);
    client_expect_end(&paced);
    client_close(&paced);
}

/* ---- the program ---- */

static void bad_starts_are_reported(void **state)
{
    char *empty = make_temp_dir();
    char *cut = make_temp_dir();
    const struct {
        const char *args[5];
        int code;
        const char *says;
    } cases[] = {
        {{"--rate", "-1", NULL}, 2, "--rate wants"},
        {{"--rate", "1.2345", NULL}, 2, "--rate wants"},
        {{"--rate", "1000001", NULL}, 2, "--rate wants"},
        {{"--max-events", "x", NULL}, 2, "--max-events wants"},
        {{"--max-events", "", NULL}, 2, "--max-events wants"},
        {{"--bogus", NULL}, 2, "--help"},
        {{"stray", NULL}, 2, "unexpected argument"},
        {{"--listen", "0.0.0.0:0", NULL}, 1, "not a loopback address"},
        {{"--listen", "127.0.0.1", NULL}, 1, "not a loopback address"},
        {{"--listen", "127.0.0.1:99999", NULL}, 1, "not a loopback address"},
        {{"--listen", "[::2]:0", NULL}, 1, "not a loopback address"},
        {{"--data", "/nonexistent", NULL}, 1, "cannot open directory /nonexistent"},
        {{"--tls", "--certificate", "x", NULL}, 2, "go together"},
        {{"--certificate", "x", "--key", "x", NULL}, 2, "go together"},
        {{"--tls", "--certificate", "/nonexistent", "--key=/nonexistent", NULL},
         1,
         "cannot set up TLS with /nonexistent"},
        {{"--data", empty, NULL}, 1, "there are no data files"},
        {{"--data", cut, NULL}, 1, "events.jsonl: event 1 "},
    };

    (void)state;
    write_file(cut, "events.jsonl", "{}\n{}", 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct child c;
        char err[1024];
        int code;

        child_start(&c, program(), cases[i].args, -1);
        child_read(c.err, err, sizeof(err), false);
        code = child_wait(&c);
        if (code != cases[i].code || !strstr(err, cases[i].says))
            fail_msg("case %zu ended with %d and said: %s", i, code, err);
    }
    remove_dir(empty);
    remove_dir(cut);
}

static void a_taken_port_is_reported(void **state)
{
    struct server s;
    struct child c;
    char address[64];
    const char *const args[] = {"--listen", address, NULL};
    char err[1024];

    (void)state;
    server_start_with_data(&s);
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", (unsigned)s.port);
    child_start(&c, program(), args, -1);
    child_read(c.err, err, sizeof(err), false);
    assert_int_equal(child_wait(&c), 1);
    assert_non_null(strstr(err, "cannot listen on"));
    server_stop(&s);
}

static void help_and_announcement(void **state)
{
    static const char *const help[] = {"--help", NULL};
    static const char *const none[] = {NULL};
    struct child c;
    char text[4096];
    int full;

    (void)state;
    child_start(&c, program(), help, -1);
    child_read(c.out, text, sizeof(text), false);
    assert_int_equal(child_wait(&c), 0);
    assert_non_null(strstr(text, "usage: kin-bench-replay"));

    /* Nobody could know the port: better not to run. */
    full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    child_start(&c, program(), none, full);
    child_read(c.err, text, sizeof(text), false);
    assert_non_null(strstr(text, "cannot write to stdout"));
    assert_int_equal(child_wait(&c), 1);
    (void)close(full);
}

static void ipv6_is_served(void **state)
{
    static const char *const args[] = {"--listen", "[::1]:0", NULL};
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct child c;
    char line[128];
    bool there;

    (void)state;
    there = probe >= 0 &&
            bind(probe, (const struct sockaddr *)(const void *)&address, sizeof(address)) == 0;
    if (probe >= 0)
        (void)close(probe);
    if (!there)
        skip();
    child_start(&c, program(), args, -1);
    child_read(c.out, line, sizeof(line), true);
    assert_memory_equal(line, "listening http://[::1]:", 23);
    assert_int_equal(child_wait(&c), 0);
}

/* ---- TLS alone ---- */

static void a_given_certificate_is_used(void **state)
{
    kin_test_pki *pki = NULL;
    struct server s;
    struct client c;

    (void)state;
    kin_test_pki_new(&pki);
    {
        const kin_test_certificate *own = &pki->self_signed;
        const char *const args[] = {
            "--data",      data_dir, "--certificate", own->certificate_file, "--key",
            own->key_file, NULL};

        server_start(&s, args);
        assert_string_equal(s.ca, own->certificate_file);
    }
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
    kin_test_pki_free(pki);
}

/* Whoever does not shake hands is told nothing, and others are served meanwhile and after. */
static void only_tls_is_spoken(void **state)
{
    struct server s;
    struct client silent;
    struct client plain;
    struct client c;

    (void)state;
    server_start_with_data(&s);
    client_connect(&silent, s.port);
    client_connect(&plain, s.port);
    client_get(&plain, "/version", "");
    while (plain.len == 0) {
        char alert[64];
        ssize_t n;

        wait_readable(plain.fd);
        n = recv(plain.fd, alert, sizeof(alert), 0);
        if (n <= 0)
            break;
        assert_int_not_equal(alert[0], 'H');
    }
    client_close(&plain);
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
    client_expect_end(&silent);
    client_close(&silent);
}

static void the_made_certificate_goes_with_the_server(void **state)
{
    static const char *const args[] = {NULL};
    struct server s;

    (void)state;
    server_start(&s, args);
    assert_true(file_exists("/", s.ca + 1));
    server_stop(&s);
    assert_false(file_exists("/", s.ca + 1));
}

static int make_data_for_tls(void **state)
{
    secure = true;
    return make_data(state);
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(lists_are_byte_exact),
        cmocka_unit_test(requests_may_come_in_any_pieces),
        cmocka_unit_test(version_answers),
        cmocka_unit_test(watches_are_byte_exact_but_for_the_stamp),
        cmocka_unit_test(initial_events_come_first),
        cmocka_unit_test(paced_events_come_at_their_time),
        cmocka_unit_test(max_events_ends_the_events),
        cmocka_unit_test(other_kinds_are_empty),
        cmocka_unit_test(other_watches_are_silent),
        cmocka_unit_test(without_data_pods_are_empty),
        cmocka_unit_test(bad_requests_are_answered),
        cmocka_unit_test(long_requests_are_refused),
        cmocka_unit_test(too_many_connections_are_refused),
        cmocka_unit_test(clients_may_leave_mid_stream),
        cmocka_unit_test(end_of_stdin_stops_everything),
        cmocka_unit_test(bad_starts_are_reported),
        cmocka_unit_test(a_taken_port_is_reported),
        cmocka_unit_test(help_and_announcement),
        cmocka_unit_test(ipv6_is_served),
    };
    static const struct CMUnitTest tls[] = {
        cmocka_unit_test(lists_are_byte_exact),
        cmocka_unit_test(requests_may_come_in_any_pieces),
        cmocka_unit_test(watches_are_byte_exact_but_for_the_stamp),
        cmocka_unit_test(initial_events_come_first),
        cmocka_unit_test(paced_events_come_at_their_time),
        cmocka_unit_test(max_events_ends_the_events),
        cmocka_unit_test(other_watches_are_silent),
        cmocka_unit_test(bad_requests_are_answered),
        cmocka_unit_test(clients_may_leave_mid_stream),
        cmocka_unit_test(end_of_stdin_stops_everything),
        cmocka_unit_test(a_given_certificate_is_used),
        cmocka_unit_test(only_tls_is_spoken),
        cmocka_unit_test(the_made_certificate_goes_with_the_server),
    };
    int failed;

    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes as it likes */
    failed = cmocka_run_group_tests(plain, make_data, drop_data);

    return failed + cmocka_run_group_tests(tls, make_data_for_tls, drop_data);
}
