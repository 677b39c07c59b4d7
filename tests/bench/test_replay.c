/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the replay server serves: it runs as a child process, and the test is its client. Bytes must
 * arrive as they are in the files, but for the stamps, which must lie between the test's own readings
 * of the clock. Most tests run twice, plain and with TLS. What it refuses is in test_replay_refusals.c,
 * its start and its end in test_replay_life.c, the parser and the arithmetic in test_replay_parts.c.
 */
#include "replay_fixture.h"

#include <signal.h>
#include <string.h>

#include "data.h"
#include "pace.h"

/* --- streams --- */

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

    assert_int_equal(kin_bench_data_open(data, replay_data, message, sizeof(message)), 0);
    assert_int_equal(data->events[KIN_BENCH_JSON].count, REPLAY_EVENTS);
    assert_int_equal(data->initial[KIN_BENCH_JSON].count, REPLAY_PODS + 1);
    assert_int_equal(data->events[KIN_BENCH_PROTOBUF].count, REPLAY_FRAMES);
    assert_int_equal(data->initial[KIN_BENCH_PROTOBUF].count, REPLAY_INITIAL_FRAMES);
}

/* --- lists --- */

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
    assert_int_equal(body.len, sizeof(replay_protobuf_list));
    assert_memory_equal(body.data, replay_protobuf_list, sizeof(replay_protobuf_list));
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

/* --- watches --- */

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
        check_events(&c, &data.events[KIN_BENCH_JSON], REPLAY_EVENTS, before);
        client_close(&c);
    }
    before = kin_bench_now();
    server_connect(&s, &c);
    client_watch(&c, "/api/v1/pods?watch=1",
                 "Accept: application/vnd.kubernetes.protobuf;stream=watch,application/json\r\n",
                 "application/vnd.kubernetes.protobuf;stream=watch");
    check_events(&c, &data.events[KIN_BENCH_PROTOBUF], REPLAY_FRAMES, before);
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
    check_events(&c, &data.events[KIN_BENCH_JSON], REPLAY_EVENTS, before);
    client_close(&c);

    server_connect(&s, &c);
    client_watch(&c, target, "Accept: application/vnd.kubernetes.protobuf\r\n",
                 "application/vnd.kubernetes.protobuf;stream=watch");
    check_initial(&c, &data.initial[KIN_BENCH_PROTOBUF]);
    check_events(&c, &data.events[KIN_BENCH_PROTOBUF], REPLAY_FRAMES, before);
    client_close(&c);
    server_stop(&s);
    kin_bench_data_done(&data);
}

static void paced_events_come_at_their_time(void **state)
{
    const char *const args[] = {"--data", replay_data, "--rate", "400", "--max-events", "60", NULL};
    struct kin_bench_data data;
    struct server s;
    struct client c;
    uint64_t before;
    uint64_t last = 0;
    uint64_t last_late = 0;
    bool has_caught_up = false;

    (void)state;
    open_data(&data);
    server_start_as_asked(&s, args);
    server_connect(&s, &c);
    before = kin_bench_now();
    client_watch(&c, "/api/v1/pods?watch=1", "", "application/json");
    /* What a client sends on a watch is no reason to end it. */
    client_send(&c, "x", 1);
    for (size_t i = 0; i < 60; i++) {
        struct span chunk = client_chunk(&c);
        uint64_t stamp = check_event(chunk, kin_bench_stream_at(&data.events[KIN_BENCH_JSON], i));

        /* Never early. How late one may be depends on the machine. */
        assert_true(stamp >= before + kin_bench_due(400000, i));
        uint64_t late = stamp - before - kin_bench_due(400000, i);

        has_caught_up |= late < last_late;
        last_late = late;
        assert_true(stamp >= last && stamp <= kin_bench_now());
        last = stamp;
        free_span(chunk);
    }
    /* Lateness does not add up: behind one that is late comes one that is less so. */
    assert_true(has_caught_up);
    server_stop(&s);
    client_expect_end(&c);
    client_close(&c);
    kin_bench_data_done(&data);
}

static void max_events_ends_the_events(void **state)
{
    static const char *const limits[] = {"0", "7", "100000"};
    static const size_t counts[] = {0, 7, REPLAY_EVENTS};
    struct kin_bench_data data;

    (void)state;
    open_data(&data);
    for (size_t i = 0; i < 3; i++) {
        const char *const args[] = {"--data", replay_data, "--max-events", limits[i], NULL};
        struct server s;
        struct client c;
        uint64_t before = kin_bench_now();

        server_start_as_asked(&s, args);
        server_connect(&s, &c);
        client_watch(&c, "/api/v1/pods?watch=1", "", "application/json");
        check_events(&c, &data.events[KIN_BENCH_JSON], counts[i], before);
        server_stop(&s);
        client_expect_end(&c);
        client_close(&c);
    }
    kin_bench_data_done(&data);
}

/* --- other kinds --- */

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
    server_start_as_asked(&s, args);
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
    };
    static const struct CMUnitTest tls[] = {
        cmocka_unit_test(lists_are_byte_exact),
        cmocka_unit_test(requests_may_come_in_any_pieces),
        cmocka_unit_test(watches_are_byte_exact_but_for_the_stamp),
        cmocka_unit_test(initial_events_come_first),
        cmocka_unit_test(paced_events_come_at_their_time),
        cmocka_unit_test(max_events_ends_the_events),
        cmocka_unit_test(other_watches_are_silent),
    };
    int failed;

    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes as it likes */
    failed = cmocka_run_group_tests(plain, replay_make_data, replay_drop_data);
    return failed + cmocka_run_group_tests(tls, replay_make_data_for_tls, replay_drop_data);
}
