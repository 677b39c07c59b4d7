/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory in each verb: there is an answer in any case, what was written is whole or not
 * there, and nothing is left behind.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "base/compiler.h"
#include "base/error.h"
#include "oom.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"

struct verb {
    const char *name; /* "…-yaml", "…-protobuf": that is what is accepted */
    const char *line;
    const char *type;
    const char *body;
    int status;
};

/* A ConfigMap of the name "pb". */
static const char protobuf[] = "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
                               "ConfigMap\x12\x06\x0a\x04\x0a\x02pb";

static const struct verb verbs[] = {
    {"get", "GET " CONFIGMAPS "/a", NULL, NULL, 200},
    {"get-missing", "GET " CONFIGMAPS "/none", NULL, NULL, 404},
    {"list", "GET " CONFIGMAPS "?limit=1&labelSelector=x%3D1", NULL, NULL, 200},
    {"list-pretty", "GET " CONFIGMAPS "?pretty=true", NULL, NULL, 200},
    {"list-yaml", "GET " CONFIGMAPS, NULL, NULL, 200},
    {"get-missing-yaml", "GET " CONFIGMAPS "/none", NULL, NULL, 404},
    {"watch", "GET " CONFIGMAPS "?watch=1&timeoutSeconds=-1", NULL, NULL, 200},
    {"watch-from", "GET " CONFIGMAPS "?watch=1&resourceVersion=5&timeoutSeconds=9", NULL, NULL,
     200},
    {"create", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"generateName\":\"g-\"}}", 201},
    {"create-pretty", "POST " CONFIGMAPS "?pretty=true", "json",
     "{\"metadata\":{\"generateName\":\"g-\"}}", 201},
    {"create-yaml", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"generateName\":\"g-\"}}", 201},
    {"get-protobuf", "GET " CONFIGMAPS "/a", NULL, NULL, 200},
    {"get-missing-protobuf", "GET " CONFIGMAPS "/none", NULL, NULL, 404},
    {"list-protobuf", "GET " CONFIGMAPS, NULL, NULL, 200},
    {"watch-protobuf",
     "GET " CONFIGMAPS "?watch=1&timeoutSeconds=-1&sendInitialEvents=true&allowWatchBookmarks=true"
     "&resourceVersionMatch=NotOlderThan",
     NULL, NULL, 200},
    {"create-protobuf", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"generateName\":\"g-\"}}",
     201},
    {"create-invalid", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"name\":\"A\"}}", 422},
    {"create-dry", "POST " CONFIGMAPS "?dryRun=All", "json", "{\"metadata\":{\"name\":\"n\"}}",
     201},
    {"update", "PUT " CONFIGMAPS "/a", "json", "{\"metadata\":{\"name\":\"a\"},\"data\":{}}", 200},
    {"merge-patch", "PATCH " CONFIGMAPS "/a", "merge-patch+json", "{\"data\":{\"k\":\"2\"}}", 200},
    {"json-patch", "PATCH " CONFIGMAPS "/a", "json-patch+json",
     "[{\"op\":\"add\",\"path\":\"/data\",\"value\":{}}]", 200},
    {"status", "PUT " DEPLOYMENTS "/d/status", "json",
     "{\"metadata\":{\"name\":\"d\"},\"status\":{\"replicas\":1}}", 200},
    {"scale", "PATCH " DEPLOYMENTS "/d/scale", "merge-patch+json", "{\"spec\":{\"replicas\":4}}",
     200},
    {"delete", "DELETE " CONFIGMAPS "/a", "json", "{\"propagationPolicy\":\"Background\"}", 200},
    {"delete-finalizer", "DELETE " CONFIGMAPS "/f", NULL, NULL, 200},
    {"delete-collection", "DELETE " CONFIGMAPS "?labelSelector=x%3D1", NULL, NULL, 200},
    {"delete-collection-refused", "DELETE " CONFIGMAPS, "json",
     "{\"preconditions\":{\"uid\":\"u\"}}", 409},
    {"delete-namespace", "DELETE /api/v1/namespaces/n", NULL, NULL, 200},
    {"create-existing", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"name\":\"a\"}}", 409},
    {"event", "POST /apis/events.k8s.io/v1/namespaces/default/events", "json",
     "{\"metadata\":{\"name\":\"e\"},\"note\":\"n\"}", 201},
    {"definition", "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", "json",
     "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\",\"scope\":"
     "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{"
     "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
     "\"object\"}}}]}}",
     201},
    {"definition-refused", "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", "json",
     "{\"metadata\":{\"name\":\"leases.coordination.k8s.io\",\"annotations\":{"
     "\"api-approved.kubernetes.io\":\"https://k.example/1\"}},\"spec\":{\"group\":"
     "\"coordination.k8s.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"leases\",\"kind\":"
     "\"Lease\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
     "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}",
     201},
    {"delete-definition",
     "DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.k.example", NULL, NULL,
     200},
    {"binding", "POST /api/v1/namespaces/default/pods/p/binding", "json",
     "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},\"target\":{\"name\":\"n\"}}", 201},
    {"eviction", "POST /api/v1/namespaces/default/pods/r/eviction", "json",
     "{\"metadata\":{\"name\":\"r\"},\"deleteOptions\":{\"gracePeriodSeconds\":5}}", 201},
    {"eviction-refused", "POST /api/v1/namespaces/default/pods/s/eviction", "json",
     "{\"metadata\":{\"name\":\"s\"}}", 429},
    {"protobuf", "POST " CONFIGMAPS, "vnd.kubernetes.protobuf", protobuf, 201},
    {"discovery", "GET /apis", NULL, NULL, 200},
};

/* Pods that run, one with a budget that lets it go. */
static void prepare_evictions(kin_test_api *t)
{
    static const char *const names[] = {"r", "s"};

    for (size_t i = 0; i < kin__array_len(names); i++) {
        char path[128];
        char body[256];

        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"a\":\"%s\"}}}",
                 names[i], names[i]);
        kin_test_send(t, 201, "POST /api/v1/namespaces/default/pods", body);
        snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/status", names[i]);
        kin_test_patch(t, 200, path, "merge-patch+json", "{\"status\":{\"phase\":\"Running\"}}");
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
                 "\"%s\"}}}}",
                 names[i], names[i]);
        kin_test_send(t, 201, "POST /apis/policy/v1/namespaces/default/poddisruptionbudgets", body);
    }
    kin_test_patch(t, 200, "/apis/policy/v1/namespaces/default/poddisruptionbudgets/r/status",
                   "merge-patch+json",
                   "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":1}}");
}

/* Made with all the memory there is. */
static kin_test_api *prepare(kin_test_api *t, const struct verb *verb)
{
    kin_test_api_start(t, NULL);
    kin_test_send(
        t, 201, "POST " CONFIGMAPS,
        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"1\"}}");
    kin_test_send(t, 201, "POST " CONFIGMAPS,
                  "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"k.example/f\"]}}");
    kin_test_send(t, 201, "POST " DEPLOYMENTS,
                  "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1,\"selector\":{"
                  "\"matchLabels\":{\"a\":\"b\"}}}}");
    kin_test_send(t, 201, "POST /api/v1/namespaces/default/pods",
                  "{\"metadata\":{\"name\":\"p\"}}");
    if (strstr(verb->line, "namespaces/n")) {
        kin_test_send(t, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
        kin_test_send(t, 201, "POST /api/v1/namespaces/n/configmaps",
                      "{\"metadata\":{\"name\":\"a\"}}");
    }
    if (strstr(verb->line, "gadgets"))
        kin_test_send(
            t, 201, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            "{\"metadata\":{\"name\":\"gadgets.k.example\"},\"spec\":{\"group\":"
            "\"k.example\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\","
            "\"kind\":\"Gadget\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
            "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    if (strstr(verb->line, "eviction"))
        prepare_evictions(t);
    return t;
}

/* Read all that there is without a need for memory. Whether the source broke off. */
static bool drain(kin__source *source, size_t *ret_len)
{
    char buf[4096];
    size_t len;
    enum kin__source_result result = source ? KIN__SOURCE_DATA : KIN__SOURCE_END;

    *ret_len = 0;
    while (result == KIN__SOURCE_DATA) {
        result = source->read(source, buf, sizeof(buf), &len);
        if (result == KIN__SOURCE_DATA)
            *ret_len += len;
    }
    return result == KIN__SOURCE_ABORT;
}

static void no_wake(void *arg)
{
    (void)arg;
}

/*
 * One run, in which the n-th allocation fails. Whether it came to that. *whole_len is how much the
 * source sends if none does: n is 0 in the first run.
 */
static bool run(const struct verb *verb, size_t n, enum kin_test_alloc_mode mode, size_t *whole_len)
{
    kin_test_api api;
    kin_test_call call;
    char type[64];
    kin_test_request request = {.line = verb->line,
                                .body = verb->body,
                                .body_len = verb->body == protobuf ? sizeof(protobuf) - 1 : 0};
    bool has_failed;
    bool was_aborted;
    size_t len;

    snprintf(type, sizeof(type), "application/%s", verb->type ? verb->type : "");
    if (verb->type)
        request.content_type = type;
    if (strstr(verb->name, "-yaml"))
        request.accept = "application/yaml";
    if (strstr(verb->name, "-protobuf"))
        request.accept = "application/vnd.kubernetes.protobuf";
    prepare(&api, verb);
    kin_test_alloc_arm(n, mode);
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    if (call.reply.source)
        call.reply.source->wake = no_wake;
    was_aborted = drain(call.reply.source, &len);
    has_failed = kin_test_alloc_disarm();
    if (call.reply.status != verb->status && (!has_failed || call.reply.status != 500))
        fail_msg("%s, allocation %zu: %d: %s", verb->name, n, call.reply.status,
                 call.reply.body.data ? call.reply.body.data : "");
    assert_true(has_failed || !was_aborted);
    if (n == 0)
        *whole_len = len;
    /* Nothing is left out in silence. */
    if (!was_aborted && call.reply.source)
        assert_int_equal(len, *whole_len);
    /* Whatever has happened, it serves on. Only a create that was not stored has failed. */
    bool is_stored = strstr(kin_test_get(&api, 200, "GET " CONFIGMAPS), "\"generateName\":\"g-\"");
    if (verb->body && strstr(verb->body, "generateName"))
        assert_int_equal(is_stored, call.reply.status == 201);
    kin_test_call_done(&call);
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
    return has_failed;
}

static void each_verb(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < kin__array_len(verbs); i++) {
        size_t whole_len;

        run(&verbs[i], 0, KIN_TEST_FAIL_ONE, &whole_len);
        for (size_t n = 1; run(&verbs[i], n, KIN_TEST_FAIL_ONE, &whole_len); n++)
            continue;
        for (size_t n = 1; run(&verbs[i], n, KIN_TEST_FAIL_REST, &whole_len); n++)
            continue;
    }
}

static int start_and_stop(void *arg, kin_error *err)
{
    kin_test_api api;
    int code = kin_test_api_try_start(&api, NULL, NULL, err);

    (void)arg;
    if (code == 0)
        kin_test_api_stop(&api);
    return code;
}

static void starting(void **unused)
{
    (void)unused;
    kin_test_fail_each_allocation(start_and_stop, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting),
        cmocka_unit_test(each_verb),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
