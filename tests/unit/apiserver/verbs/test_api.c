/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of an object through the API: created, read, listed, watched, changed, deleted. And the
 * paths that are no resources.
 */
#include "kin_test.h"

#include <string.h>

#include "api_test.h"
#include "base/clock.h"
#include "base/compiler.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"

static void the_way_of_an_object(void **unused)
{
    kin_test_call watch;
    const char *text;

    (void)unused;
    text =
        kin_test_send(&api, 201, "POST " CONFIGMAPS,
                      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
                      "\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"v\"}}");
    HAS(text, "\"kind\":\"ConfigMap\"");
    HAS(text, "\"namespace\":\"default\"");
    HAS(text, "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"");
    HAS(text, "\"resourceVersion\":\"6\"");
    HAS(text, "\"data\":{\"k\":\"v\"}");

    text = kin_test_get(&api, 200, "GET " CONFIGMAPS "/a");
    HAS(text, "\"resourceVersion\":\"6\"");
    text = kin_test_get(&api, 200, "GET " CONFIGMAPS);
    HAS(text, "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
              "\"6\"},\"items\":[{\"metadata\":{");

    kin_test_call_start(&api, &watch,
                        &(kin_test_request){.line = "GET " CONFIGMAPS "?watch=1&"
                                                    "resourceVersion=5"});
    kin_test_call_wait(&watch);
    kin_test_call_read(&watch, 0);
    HAS(watch.text.data, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\"");
    kin__buf_reset(&watch.text);

    text = kin_test_send(&api, 200, "PUT " CONFIGMAPS "/a",
                         "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"6\"},\"data\":{\"k\":"
                         "\"w\"}}");
    HAS(text, "\"resourceVersion\":\"7\"");
    HAS(text, "\"data\":{\"k\":\"w\"}");
    HAS_NOT(text, "labels");
    kin_test_call_read_more(&watch);
    HAS(watch.text.data, "{\"type\":\"MODIFIED\",");
    kin__buf_reset(&watch.text);
    text = kin_test_send(&api, 409, "PUT " CONFIGMAPS "/a",
                         "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"6\"}}");
    HAS(text,
        "Operation cannot be fulfilled on configmaps \\\"a\\\": the object has been modified; "
        "please apply your changes to the latest version and try again");

    text = kin_test_patch(&api, 200, CONFIGMAPS "/a", "merge-patch+json",
                          "{\"data\":{\"k\":null,\"l\":\"1\"}}");
    HAS(text, "\"data\":{\"l\":\"1\"}");
    text = kin_test_get(&api, 200, "DELETE " CONFIGMAPS "/a");
    HAS(text,
        "\"status\":\"Success\",\"details\":{\"name\":\"a\",\"kind\":\"configmaps\",\"uid\":");
    kin_test_get(&api, 404, "GET " CONFIGMAPS "/a");
    kin_test_get(&api, 404, "DELETE " CONFIGMAPS "/a");
    kin_test_call_read_more(&watch);
    HAS(watch.text.data, "{\"type\":\"MODIFIED\",");
    HAS(watch.text.data, "{\"type\":\"DELETED\",");
    HAS(watch.text.data, "\"resourceVersion\":\"9\"");
    kin_test_call_done(&watch);
}

static void paths(void **unused)
{
    const char *text;

    (void)unused;
    assert_string_equal(kin_test_get(&api, 200, "GET /healthz"), "ok");
    assert_string_equal(kin_test_get(&api, 200, "GET /livez/ping"), "ok");
    assert_string_equal(kin_test_get(&api, 200, "GET /livez/ping?verbose"), "ok");
    assert_string_equal(kin_test_get(&api, 200, "POST /healthz"), "ok");
    HAS(kin_test_get(&api, 200, "GET /readyz?verbose"), "[+]ping ok\n");
    HAS(kin_test_get(&api, 200, "GET /readyz?verbose"), "readyz check passed\n");
    kin_test_get(&api, 404, "GET /livez/nothing");
    HAS(kin_test_get(&api, 200, "GET /version"), "\"gitVersion\":\"v1.36");
    kin_test_get(&api, 405, "POST /version");
    static const char *const documents[] = {"/version", "/api", "/apis", "/apis/apps", "/api/v1"};
    for (size_t i = 0; i < kin__array_len(documents); i++) {
        char line[64];

        snprintf(line, sizeof(line), "HEAD %s", documents[i]);
        kin_test_get(&api, 405, line);
        snprintf(line, sizeof(line), "PUT %s", documents[i]);
        kin_test_get(&api, 405, line);
    }
    HAS(kin_test_get(&api, 200, "GET /api"), "\"versions\":[\"v1\"]");
    HAS(kin_test_get(&api, 200, "GET /apis"), "\"name\":\"apps\"");
    HAS(kin_test_get(&api, 200, "GET /apis/apps"), "\"kind\":\"APIGroup\"");
    HAS(kin_test_get(&api, 200, "GET /apis/apps/v1"), "\"deployments/scale\"");
    HAS(kin_test_get(&api, 200, "GET /api/v1/"), "\"configmaps\"");
    HAS(kin_test_get(&api, 200, "GET /"), "\"/apis/apps/v1\"");
    HAS(kin_test_get(&api, 200, "GET /"), "\"/metrics\"");
    assert_string_equal(kin_test_get(&api, 404, "GET /nothing"), "404 page not found\n");
    assert_string_equal(kin_test_get(&api, 404, "GET /apis/none.example/v1"),
                        "404 page not found\n");
    assert_string_equal(kin_test_get(&api, 404, "GET /apis/none.example/v1/things"),
                        "404 page not found\n");
    HAS(kin_test_get(&api, 404, "GET /apis/apps/v9/deployments"),
        "the server could not find the requested resource");
    HAS(kin_test_get(&api, 404, "GET /api/v1/things"),
        "the server could not find the requested resource");
    text = kin_test_get(&api, 405, "PUT " CONFIGMAPS);
    HAS(text, "the server does not allow this method on the requested resource");
    kin_test_get(&api, 405, "HEAD " CONFIGMAPS);
}

/* Browsers do not guess what a text is. */
static void texts(void **unused)
{
    static const char *const lines[] = {"GET /healthz", "GET /nothing"};
    kin_test_call call;

    (void)unused;
    for (size_t i = 0; i < kin__array_len(lines); i++) {
        kin_test_call_start(&api, &call, &(kin_test_request){.line = lines[i]});
        kin_test_call_wait(&call);
        assert_string_equal(call.reply.content_type, "text/plain; charset=utf-8");
        assert_int_equal(call.reply.n_headers, 1);
        assert_string_equal(call.reply.headers[0].name, "X-Content-Type-Options");
        assert_string_equal(call.reply.headers[0].value, "nosniff");
        kin_test_call_done(&call);
    }
}

static void aggregated_discovery(void **unused)
{
    kin_test_request request = {
        .line = "GET /apis",
        .accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"};
    kin_test_call call;
    char etag[256];

    (void)unused;
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    assert_int_equal(call.reply.status, 200);
    assert_string_equal(call.reply.headers[0].name, "ETag");
    HAS(call.text.data, "\"kind\":\"APIGroupDiscoveryList\"");
    snprintf(etag, sizeof(etag), "%s", call.reply.headers[0].value);
    kin_test_call_done(&call);

    request.if_none_match = etag;
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 304);
    assert_int_equal(call.reply.body.len, 0);
    assert_string_equal(call.reply.headers[0].value, etag);
    kin_test_call_done(&call);

    /* With another kind it is another document. */
    kin_test_send(
        &api, 201, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\","
        "\"scope\":\"Cluster\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 200);
    kin_test_call_done(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_way_of_an_object),
        TEST(paths),
        TEST(texts),
        TEST(aggregated_discovery),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
