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
    const char *name;
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
    {"watch", "GET " CONFIGMAPS "?watch=1&timeoutSeconds=-1", NULL, NULL, 200},
    {"watch-from", "GET " CONFIGMAPS "?watch=1&resourceVersion=5&timeoutSeconds=9", NULL, NULL,
     200},
    {"create", "POST " CONFIGMAPS, "json", "{\"metadata\":{\"generateName\":\"g-\"}}", 201},
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
    {"event", "POST /apis/events.k8s.io/v1/namespaces/default/events", "json",
     "{\"metadata\":{\"name\":\"e\"},\"note\":\"n\"}", 201},
    {"definition", "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", "json",
     "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\",\"scope\":"
     "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{"
     "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
     "\"object\"}}}]}}",
     201},
    {"binding", "POST /api/v1/namespaces/default/pods/p/binding", "json",
     "{\"target\":{\"name\":\"n\"}}", 201},
    {"protobuf", "POST " CONFIGMAPS, "vnd.kubernetes.protobuf", protobuf, 201},
    {"discovery", "GET /apis", NULL, NULL, 200},
};

/* Made with all the memory there is. */
static kin_test_api *prepare(kin_test_api *t)
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
    return t;
}

/* Read all that there is without a need for memory. Whether the source broke off. */
static bool drain(kin__source *source)
{
    char buf[4096];
    size_t len;
    enum kin__source_result result = source ? KIN__SOURCE_DATA : KIN__SOURCE_END;

    while (result == KIN__SOURCE_DATA)
        result = source->read(source, buf, sizeof(buf), &len);
    return result == KIN__SOURCE_ABORT;
}

static void no_wake(void *arg)
{
    (void)arg;
}

/* One run, in which the n-th allocation fails. Whether it came to that. */
static bool run(const struct verb *verb, size_t n, enum kin_test_alloc_mode mode)
{
    kin_test_api api;
    kin_test_call call;
    char type[64];
    kin_test_request request = {.line = verb->line,
                                .body = verb->body,
                                .body_len = verb->body == protobuf ? sizeof(protobuf) - 1 : 0};
    bool has_failed;
    bool was_aborted;

    snprintf(type, sizeof(type), "application/%s", verb->type ? verb->type : "");
    if (verb->type)
        request.content_type = type;
    prepare(&api);
    kin_test_alloc_arm(n, mode);
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    if (call.reply.source)
        call.reply.source->wake = no_wake;
    was_aborted = drain(call.reply.source);
    has_failed = kin_test_alloc_disarm();
    if (call.reply.status != verb->status && (!has_failed || call.reply.status != 500))
        fail_msg("%s, allocation %zu: %d: %s", verb->name, n, call.reply.status,
                 call.reply.body.data ? call.reply.body.data : "");
    assert_true(has_failed || !was_aborted);
    kin_test_call_done(&call);
    /* Whatever has happened, it serves on. */
    kin_test_get(&api, 200, "GET " CONFIGMAPS);
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
    return has_failed;
}

static void each_verb(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < kin__array_len(verbs); i++) {
        run(&verbs[i], 0, KIN_TEST_FAIL_ONE);
        for (size_t n = 1; run(&verbs[i], n, KIN_TEST_FAIL_ONE); n++)
            continue;
        for (size_t n = 1; run(&verbs[i], n, KIN_TEST_FAIL_REST); n++)
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
