/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces, CustomResourceDefinitions and Pods: what the server itself does about them.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "state_support.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/k.example/v1/namespaces/default/widgets"
#define PODS "/api/v1/namespaces/default/pods"

static const char crd[] =
    "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\",\"scope\":"
    "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{\"name\":"
    "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}},"
    "\"subresources\":{\"status\":{},\"scale\":{\"specReplicasPath\":\".spec.replicas\","
    "\"statusReplicasPath\":\".status.replicas\"}}},{\"name\":\"v2\",\"served\":true,\"storage\":"
    "false,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";

/* A watch on the object of that name, until a text was read. The version that follows that. */
static unsigned await_event(const char *collection, const char *name, const char *version,
                            const char *event)
{
    char line[512];
    kin_test_call call;

    snprintf(line, sizeof(line),
             "GET %s?watch=1&fieldSelector=metadata.name%%3D%s&resourceVersion=%s", collection,
             name, version);
    kin_test_call_start(&api, &call, &(kin_test_request){.line = line});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    while (!call.text.data || !strstr(call.text.data, event))
        kin_test_call_read_more(&call);
    unsigned at = (unsigned)strtoul(
        kin_test_member(strstr(call.text.data, event), "resourceVersion"), NULL, 10);
    kin_test_call_done(&call);
    return at;
}

static unsigned await_deletion(const char *collection, const char *name, const char *version)
{
    return await_event(collection, name, version, "DELETED");
}

/* --- namespaces --- */

static void namespaces(void **unused)
{
    char version[32];
    const char *text;

    (void)unused;
    text = kin_test_get(&api, 200, "GET /api/v1/namespaces");
    HAS(text, "\"kube-system\"");
    HAS(text, "\"kube-node-lease\"");
    text = kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    HAS(text, "\"labels\":{\"kubernetes.io/metadata.name\":\"n\"}");
    HAS(text, "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}");
    HAS(kin_test_get(&api, 403, "DELETE /api/v1/namespaces/default"),
        "namespaces \\\"default\\\" is forbidden: this namespace may not be deleted");

    kin_test_send(&api, 201, "POST /api/v1/namespaces/n/configmaps",
                  "{\"metadata\":{\"name\":\"a\"}}");
    kin_test_send(&api, 201, "POST /apis/apps/v1/namespaces/n/deployments",
                  "{\"metadata\":{\"name\":\"d\"}}");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/n/configmaps",
                  "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"k.example/f\"]}}");
    text = kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n");
    HAS(text, "\"phase\":\"Terminating\"");
    HAS(text, "\"deletionTimestamp\":");
    snprintf(version, sizeof(version), "%s", kin_test_member(text, "resourceVersion"));
    HAS(kin_test_send(&api, 403, "POST /api/v1/namespaces/n/configmaps",
                      "{\"metadata\":{\"name\":\"late\"}}"),
        "configmaps \\\"late\\\" is forbidden: unable to create new content in namespace n because "
        "it is being terminated");
    await_deletion("/api/v1/namespaces/n/configmaps", "a", version);
    await_deletion("/apis/apps/v1/namespaces/n/deployments", "d", version);
    /* It is held by what is in it. */
    kin_test_get(&api, 200, "GET /api/v1/namespaces/n");
    text = kin_test_patch(&api, 200, "/api/v1/namespaces/n/configmaps/held", "merge-patch+json",
                          "{\"metadata\":{\"finalizers\":null}}");
    unsigned held = (unsigned)strtoul(kin_test_member(text, "resourceVersion"), NULL, 10);
    assert_true(await_deletion("/api/v1/namespaces", "n", version) > held);
    kin_test_get(&api, 404, "GET /api/v1/namespaces/n");
    kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
}

/* All that is in it goes by itself. */
static void full_namespaces(void **unused)
{
    char body[64];
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    for (int i = 0; i < 5; i++) {
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a%d\"}}", i);
        kin_test_send(&api, 201, "POST /api/v1/namespaces/n/configmaps", body);
        kin_test_send(&api, 201, "POST /api/v1/namespaces/n/secrets", body);
    }
    text = kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n");
    unsigned last =
        await_deletion("/api/v1/namespaces", "n", kin_test_member(text, "resourceVersion"));
    assert_int_equal(last, 5 + 1 + 10 + 1 + 10 + 1);
    HAS(kin_test_get(&api, 200, "GET /api/v1/namespaces/n/secrets"), "\"items\":[]");
}

static void namespaces_with_finalizers(void **unused)
{
    char version[32];
    const char *text;

    (void)unused;
    text = kin_test_send(&api, 201, "POST /api/v1/namespaces",
                         "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"finalizers\":[\"k.io/x\"]}}");
    snprintf(version, sizeof(version), "%s", kin_test_member(text, "resourceVersion"));
    kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n");
    HAS(kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n"), "Terminating");
    text = kin_test_send(&api, 200, "PUT /api/v1/namespaces/n/finalize",
                         "{\"metadata\":{\"name\":\"n\"},\"spec\":{}}");
    HAS_NOT(text, "k.io/x");
    await_deletion("/api/v1/namespaces", "n", version);
}

/* One that has finalizers in its metadata goes with the last of them, once it is empty. */
static void namespaces_that_others_hold(void **unused)
{
    char version[32];
    const char *text;

    (void)unused;
    text = kin_test_send(&api, 201, "POST /api/v1/namespaces",
                         "{\"metadata\":{\"name\":\"n\",\"finalizers\":[\"k.io/x\"]},\"spec\":{"
                         "\"finalizers\":[\"k.io/y\"]}}");
    HAS(text, "\"spec\":{\"finalizers\":[\"k.io/y\",\"kubernetes\"]}");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/n/configmaps",
                  "{\"metadata\":{\"name\":\"a\"}}");
    text = kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n");
    snprintf(version, sizeof(version), "%s", kin_test_member(text, "resourceVersion"));
    await_deletion("/api/v1/namespaces/n/configmaps", "a", version);
    await_event("/api/v1/namespaces", "n", version, "\"spec\":{\"finalizers\":[\"k.io/y\"]}");
    kin_test_send(&api, 200, "PUT /api/v1/namespaces/n/finalize",
                  "{\"metadata\":{\"name\":\"n\"},\"spec\":{}}");
    kin_test_get(&api, 200, "GET /api/v1/namespaces/n");
    kin_test_patch(&api, 200, "/api/v1/namespaces/n", "merge-patch+json",
                   "{\"metadata\":{\"finalizers\":null}}");
    kin_test_get(&api, 404, "GET /api/v1/namespaces/n");
}

/* What was begun before the server went is ended after it has come back. */
static void endings_survive(void **unused)
{
    const char *path = kin_test_database("ends");
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    kin_test_api_stop(&api);
    for (int i = 0; i < 2; i++) {
        kin__state_options options = {.storage = NULL};

        assert_code(kin__storage_sqlite_open(&options.storage, path, false, &err), 0);
        assert_code(kin_test_api_try_start(&api, &(kin__api_options){.seed = 7}, &options, &err),
                    0);
        if (i == 1)
            break;
        kin_test_send(&api, 201, "POST " CRDS, crd);
        kin_test_send(&api, 201, "POST " WIDGETS,
                      "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                      "\"w\"}}");
        kin_test_send(&api, 201, "POST " PODS,
                      "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\"}}");
        kin_test_get(&api, 200, "DELETE " PODS "/p");
        kin_test_api_stop(&api);
    }
    kin_test_get(&api, 200, "GET " WIDGETS "/w");
    kin_test_get(&api, 200, "GET " PODS "/p");
    HAS(kin_test_get(&api, 200, "GET /apis/k.example/v2/widgets"),
        "\"apiVersion\":\"k.example/v2\"");
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 30 * KIN__SECOND, NULL), 0);
    await_deletion(PODS, "p", "9");
    kin_test_api_stop(&api);
    kin_test_remove_database(path);
    kin_test_api_start(&api, NULL);
}

/* --- definitions --- */

static void definitions(void **unused)
{
    char version[32];
    const char *text;
    char body[512];

    (void)unused;
    kin_test_get(&api, 404, "GET " WIDGETS);
    text = kin_test_send(&api, 201, "POST " CRDS, crd);
    snprintf(version, sizeof(version), "%s", kin_test_member(text, "resourceVersion"));
    HAS(text, "\"type\":\"Established\",\"status\":\"True\"");
    HAS(text, "\"storedVersions\":[\"v1\"]");
    HAS(text, "\"listKind\":\"WidgetList\"");
    HAS(kin_test_get(&api, 200, "GET /apis/k.example/v1"), "\"name\":\"widgets/scale\"");
    HAS(kin_test_send(&api, 400, "POST " WIDGETS, "{\"metadata\":{\"name\":\"w\"}}"),
        "Object 'Kind' is missing");
    text = kin_test_send(&api, 201, "POST " WIDGETS,
                         "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{"
                         "\"name\":\"w\"},\"spec\":{\"replicas\":1},\"status\":{\"x\":1}}");
    HAS(text, "\"generation\":1");
    HAS_NOT(text, "status");
    /* The same in another version. */
    text = kin_test_get(&api, 200, "GET /apis/k.example/v2/namespaces/default/widgets/w");
    HAS(text, "\"apiVersion\":\"k.example/v2\"");
    text = kin_test_patch(&api, 200, "/apis/k.example/v2/namespaces/default/widgets/w",
                          "merge-patch+json", "{\"spec\":{\"a\":1}}");
    HAS(text, "\"apiVersion\":\"k.example/v2\"");
    HAS(text, "\"generation\":2");
    HAS(kin_test_get(&api, 200, "GET " WIDGETS), "[{\"kind\":\"Widget\",\"apiVersion\":"
                                                 "\"k.example/v1\"");
    kin_test_patch(&api, 200, WIDGETS "/w/scale", "merge-patch+json",
                   "{\"spec\":{\"replicas\":4}}");
    HAS(kin_test_get(&api, 200, "GET " WIDGETS "/w"), "\"replicas\":4");
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"}}");
    HAS(kin_test_send(&api, 422, "PUT " WIDGETS "/w", body),
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update");

    /* Changed: another version is served no more. */
    kin_test_patch(&api, 200, CRDS "/widgets.k.example", "json-patch+json",
                   "[{\"op\":\"remove\",\"path\":\"/spec/versions/1\"}]");
    kin_test_get(&api, 404, "GET /apis/k.example/v2/widgets");
    kin_test_get(&api, 200, "GET " WIDGETS "/w");
    kin_test_patch(&api, 422, CRDS "/widgets.k.example", "merge-patch+json",
                   "{\"spec\":{\"scope\":\"Cluster\"}}");

    kin_test_patch(&api, 200, WIDGETS "/w", "merge-patch+json",
                   "{\"metadata\":{\"finalizers\":[\"k.example/f\"]}}");
    text = kin_test_get(&api, 200, "DELETE " CRDS "/widgets.k.example");
    HAS(text, "customresourcecleanup.apiextensions.k8s.io");
    HAS(text, "\"type\":\"Terminating\"");
    HAS(kin_test_send(&api, 405, "POST " WIDGETS,
                      "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                      "\"late\"}}"),
        "create not allowed while custom resource definition is terminating");
    kin_test_patch(&api, 200, WIDGETS "/w", "merge-patch+json",
                   "{\"metadata\":{\"finalizers\":null}}");
    await_deletion(CRDS, "widgets.k.example", version);
    assert_string_equal(kin_test_get(&api, 404, "GET " WIDGETS), "404 page not found\n");
}

static void names_that_are_taken(void **unused)
{
    char other[sizeof(crd) + 64];
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST " CRDS, crd);
    kin_test_send(&api, 422, "POST " CRDS, "{\"metadata\":{\"name\":\"wrong\"}}");
    /* Another resource with the same kind. */
    snprintf(other, sizeof(other), "%s", crd);
    memcpy(strstr(other, "widgets.k"), "gadgets", 7);
    memcpy(strstr(other, "\"widgets\""), "\"gadgets\"", 9);
    text = kin_test_send(&api, 201, "POST " CRDS, other);
    HAS(text, "\"type\":\"Established\",\"status\":\"False\"");
    HAS(text, "\"reason\":\"ListKindConflict\"");
    kin_test_get(&api, 404, "GET /apis/k.example/v1/gadgets");
    /* One that is served stays so if its names change to what is taken. */
    kin_test_patch(&api, 200, CRDS "/gadgets.k.example", "merge-patch+json",
                   "{\"spec\":{\"names\":{\"kind\":\"G\",\"listKind\":\"GList\",\"singular\":"
                   "\"g\"}}}");
    text = kin_test_get(&api, 200, "GET " CRDS "/gadgets.k.example");
    HAS(text, "\"type\":\"Established\",\"status\":\"True\"");
    HAS(text, "\"acceptedNames\":{\"plural\":\"gadgets\",\"kind\":\"G\"");
    kin_test_get(&api, 200, "GET /apis/k.example/v1/gadgets");
    text = kin_test_patch(&api, 200, CRDS "/gadgets.k.example", "merge-patch+json",
                          "{\"spec\":{\"names\":{\"singular\":\"widget\"}}}");
    HAS(text, "\"type\":\"NamesAccepted\",\"status\":\"False\"");
    HAS(text, "\"type\":\"Established\",\"status\":\"True\"");
    HAS(text, "\"singular\":\"g\"");
    kin_test_get(&api, 200, "GET /apis/k.example/v1/gadgets");
}

/* Who had a name first keeps it when the server comes back; the other gets it when it is free. */
static void names_that_get_free(void **unused)
{
    const char *path = kin_test_database("names");
    kin_error err = KIN_ERROR_INIT;
    char other[sizeof(crd) + 64];
    const char *text;

    (void)unused;
    kin_test_api_stop(&api);
    snprintf(other, sizeof(other), "%s", crd);
    memcpy(strstr(other, "widgets.k"), "gadgets", 7);
    memcpy(strstr(other, "\"widgets\""), "\"gadgets\"", 9);
    for (int i = 0; i < 2; i++) {
        kin__state_options options = {.storage = NULL};

        assert_code(kin__storage_sqlite_open(&options.storage, path, false, &err), 0);
        assert_code(kin_test_api_try_start(&api, NULL, &options, &err), 0);
        if (i == 1)
            break;
        kin_test_send(&api, 201, "POST " CRDS, crd);
        kin_test_send(&api, 201, "POST " CRDS, other);
        kin_test_api_stop(&api);
    }
    kin_test_get(&api, 200, "GET /apis/k.example/v1/widgets");
    kin_test_get(&api, 404, "GET /apis/k.example/v1/gadgets");
    text = kin_test_get(&api, 200, "DELETE " CRDS "/widgets.k.example");
    await_event(CRDS, "gadgets.k.example", kin_test_member(text, "resourceVersion"), "MODIFIED");
    HAS(kin_test_get(&api, 200, "GET " CRDS "/gadgets.k.example"),
        "\"type\":\"Established\",\"status\":\"True\"");
    kin_test_get(&api, 200, "GET /apis/k.example/v1/gadgets");
    kin_test_api_stop(&api);
    kin_test_remove_database(path);
    kin_test_api_start(&api, NULL);
}

/* A definition with the names of a built-in kind is refused, and has nothing to take along. */
static void names_of_built_in_kinds(void **unused)
{
    static const char leases[] =
        "{\"metadata\":{\"name\":\"leases.coordination.k8s.io\",\"annotations\":{"
        "\"api-approved.kubernetes.io\":\"https://k.example/1\"}},\"spec\":{\"group\":"
        "\"coordination.k8s.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":\"leases\","
        "\"kind\":\"Lease\"},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
        "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST /apis/coordination.k8s.io/v1/namespaces/default/leases",
                  "{\"metadata\":{\"name\":\"d\"}}");
    text = kin_test_send(&api, 201, "POST " CRDS, leases);
    HAS(text, "\"type\":\"Established\",\"status\":\"False\"");
    text = kin_test_get(&api, 200, "DELETE " CRDS "/leases.coordination.k8s.io");
    await_deletion(CRDS, "leases.coordination.k8s.io", kin_test_member(text, "resourceVersion"));
    kin_test_get(&api, 200, "GET /apis/coordination.k8s.io/v1/namespaces/default/leases/d");
}

/* The server goes back in time: definitions come and go with the state. */
static void definitions_of_the_past(void **unused)
{
    char before[32];
    char with[32];
    const char *text;

    (void)unused;
    text = kin_test_send(&api, 201, "POST /api/v1/namespaces/default/configmaps",
                         "{\"metadata\":{\"name\":\"a\"}}");
    snprintf(before, sizeof(before), "%s", kin_test_member(text, "resourceVersion"));
    text = kin_test_send(&api, 201, "POST " CRDS, crd);
    snprintf(with, sizeof(with), "%s", kin_test_member(text, "resourceVersion"));
    text = kin_test_get(&api, 200, "DELETE " CRDS "/widgets.k.example");
    await_deletion(CRDS, "widgets.k.example", kin_test_member(text, "resourceVersion"));
    kin_test_get(&api, 404, "GET " WIDGETS);
    assert_code(kin__state_rewind(api.state, strtoull(with, NULL, 10), NULL), 0);
    HAS(kin_test_get(&api, 200, "GET " WIDGETS), "\"items\":[]");
    assert_code(kin__state_rewind(api.state, strtoull(before, NULL, 10), NULL), 0);
    kin_test_get(&api, 404, "GET " WIDGETS);
    kin_test_send(&api, 201, "POST " CRDS, crd);
}

/* --- Pods --- */

static void grace_periods(void **unused)
{
    static const char running[] = "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"nodeName\":\"n\","
                                  "\"terminationGracePeriodSeconds\":20}}";
    const char *text;

    (void)unused;
    /* Not on a node: at once. */
    kin_test_send(&api, 201, "POST " PODS, "{\"metadata\":{\"name\":\"p\"}}");
    text = kin_test_send(&api, 200, "DELETE " PODS "/p", "{\"gracePeriodSeconds\":30}");
    HAS(text, "\"kind\":\"Pod\"");
    HAS(text, "\"deletionGracePeriodSeconds\":0");
    kin_test_get(&api, 404, "GET " PODS "/p");

    kin_test_send(&api, 201, "POST " PODS, running);
    text = kin_test_get(&api, 200, "DELETE " PODS "/r");
    HAS(text, "\"deletionTimestamp\":\"2026-01-01T00:00:20Z\"");
    HAS(text, "\"deletionGracePeriodSeconds\":20");
    HAS(text, "\"generation\":2");
    /* It gets shorter, but not longer. */
    text = kin_test_send(&api, 200, "DELETE " PODS "/r", "{\"gracePeriodSeconds\":60}");
    HAS(text, "\"deletionGracePeriodSeconds\":20");
    assert_code(kin_clock_advance(api.clock, 4 * KIN__SECOND, NULL), 0);
    text = kin_test_send(&api, 200, "DELETE " PODS "/r", "{\"gracePeriodSeconds\":10}");
    HAS(text, "\"deletionGracePeriodSeconds\":10");
    HAS(text, "\"deletionTimestamp\":\"2026-01-01T00:00:10Z\"");
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 6 * KIN__SECOND, NULL), 0);
    await_deletion(PODS, "r", kin_test_member(text, "resourceVersion"));
    kin_test_get(&api, 404, "GET " PODS "/r");

    kin_test_send(&api, 201, "POST " PODS, running);
    kin_test_get(&api, 200, "DELETE " PODS "/r");
    text = kin_test_send(&api, 200, "DELETE " PODS "/r", "{\"gracePeriodSeconds\":0}");
    HAS(text, "\"deletionGracePeriodSeconds\":0");
    kin_test_get(&api, 404, "GET " PODS "/r");
}

/* However often one is written while it goes, its end is waited for once; and not for ever. */
static void grace_periods_are_few(void **unused)
{
    char body[128];
    size_t n = 0;

    (void)unused;
    kin_test_send(&api, 201, "POST " PODS,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"nodeName\":\"n\"}}");
    HAS(kin_test_send(&api, 200, "DELETE " PODS "/r",
                      "{\"gracePeriodSeconds\":9223372036854775807}"),
        "\"deletionTimestamp\":\"2126-01-02T");
    for (int i = 0; i < 5; i++) {
        snprintf(body, sizeof(body), "{\"status\":{\"n\":%d}}", i);
        kin_test_patch(&api, 200, PODS "/r/status", "merge-patch+json", body);
    }
    kin__mutex_lock(&api.api->lock);
    kin__list_for_each(&api.api->graces, link)
        n++;
    kin__mutex_unlock(&api.api->lock);
    assert_int_equal(n, 1);
}

/* A Pod that has gone is back in the midst of its grace period. */
static void a_pod_of_the_past(void **unused)
{
    char version[32];
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST " PODS,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"nodeName\":\"n\"}}");
    text = kin_test_send(&api, 200, "DELETE " PODS "/r", "{\"gracePeriodSeconds\":10}");
    snprintf(version, sizeof(version), "%s", kin_test_member(text, "resourceVersion"));
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 10 * KIN__SECOND, NULL), 0);
    await_deletion(PODS, "r", version);
    /* Its time has passed already. */
    assert_code(kin__state_rewind(api.state, strtoull(version, NULL, 10), NULL), 0);
    await_deletion(PODS, "r", version);
    kin_test_get(&api, 404, "GET " PODS "/r");
}

/* Of some kinds a name may hold nearly anything. */
static void odd_names(void **unused)
{
    static const char roles[] = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    char line[128];

    (void)unused;
    snprintf(line, sizeof(line), "POST %s", roles);
    kin_test_send(&api, 201, line, "{\"metadata\":{\"name\":\"a\\\"b\"}}");
    snprintf(line, sizeof(line), "DELETE %s/a%%22b", roles);
    HAS(kin_test_get(&api, 200, line), "\"details\":{\"name\":\"a\\\"b\",\"group\"");
}

/* The time of one that has gone is not that of another with its name. */
static void a_name_that_comes_back(void **unused)
{
    static const char r[] = "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"nodeName\":\"n\"}}";
    static const char m[] = "{\"metadata\":{\"name\":\"m\"},\"spec\":{\"nodeName\":\"n\"}}";

    (void)unused;
    kin_test_send(&api, 201, "POST " PODS, r);
    kin_test_get(&api, 200, "DELETE " PODS "/r");
    kin_test_send(&api, 200, "DELETE " PODS "/r", "{\"gracePeriodSeconds\":0}");
    kin_test_send(&api, 201, "POST " PODS, r);
    kin_test_send(&api, 201, "POST " PODS, m);
    kin_test_get(&api, 200, "DELETE " PODS "/m");
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 30 * KIN__SECOND, NULL), 0);
    await_deletion(PODS, "m", "9");
    HAS_NOT(kin_test_get(&api, 200, "GET " PODS "/r"), "deletionTimestamp");
}

static void without_a_kubelet(void **unused)
{
    (void)unused;
    kin_test_api_stop(&api);
    kin_test_api_start(&api, &(kin__api_options){.no_kubelet = true});
    kin_test_send(&api, 201, "POST " PODS,
                  "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"nodeName\":\"n\"}}");
    kin_test_get(&api, 200, "DELETE " PODS "/r");
    assert_code(kin_clock_advance(api.clock, 100 * KIN__SECOND, NULL), 0);
    kin_test_get(&api, 200, "GET " PODS "/r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(namespaces),
        TEST(full_namespaces),
        TEST(namespaces_with_finalizers),
        TEST(namespaces_that_others_hold),
        TEST(endings_survive),
        TEST(definitions),
        TEST(names_that_are_taken),
        TEST(names_that_get_free),
        TEST(names_of_built_in_kinds),
        TEST(definitions_of_the_past),
        TEST(grace_periods),
        TEST(grace_periods_are_few),
        TEST(a_pod_of_the_past),
        TEST(odd_names),
        TEST(a_name_that_comes_back),
        TEST(without_a_kubelet),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
