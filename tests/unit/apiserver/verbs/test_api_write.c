/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Create, update, patch, delete, and the subresources.
 */
#include "kin_test.h"

#include <string.h>

#include "api_test.h"
#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "base/compiler.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define LEASES "/apis/coordination.k8s.io/v1/namespaces/default/leases"
#define PODS "/api/v1/namespaces/default/pods"

struct step {
    const char *line;
    const char *type; /* of a patch: "merge-patch+json" */
    const char *body;
    int status;
    const char *has;
    const char *has_not;
};

static void run(const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char type[128];
        kin_test_request request = {.line = steps[i].line, .body = steps[i].body};
        const char *text;
        int status;

        snprintf(type, sizeof(type), "application/%s", steps[i].type ? steps[i].type : "json");
        request.content_type = type;
        text = kin_test_ask(&api, &request, &status);
        if (status != steps[i].status || (steps[i].has && !strstr(text, steps[i].has)) ||
            (steps[i].has_not && strstr(text, steps[i].has_not)))
            fail_msg("step %zu: %s %s\n%d (expected %d, with %s): %s", i, steps[i].line,
                     steps[i].body ? steps[i].body : "", status, steps[i].status,
                     steps[i].has ? steps[i].has : "anything", text);
    }
}

#define RUN(steps) run(steps, kin__array_len(steps))

/* One decoder reads all of these. */
static void a_bad_body_leaves_nothing_behind(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v1\"}}", 201,
         "\"v1\"", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"b\"},\"data\":{\"k\":[{\"v2\":", 400,
         "json parse error", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"c\"}} x", 400, "json parse error",
         NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"d\"},\"data\":{\"k\":\"v3\"}}", 201,
         "\"data\":{\"k\":\"v3\"}", "v2"},
    };

    (void)unused;
    RUN(steps);
}

static void creating(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}", 201,
         "\"resourceVersion\":\"6\"", "generation"},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}", 409,
         "configmaps \\\"a\\\" already exists", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"B\"}}", 422, "a lowercase RFC 1123",
         NULL},
        {"POST " CONFIGMAPS, NULL, "{}", 422, "name or generateName is required", NULL},
        {"POST " CONFIGMAPS, NULL, "null", 422, "name or generateName is required", NULL},
        {"POST " CONFIGMAPS, NULL, "{", 400, "couldn't get version/kind; json parse error", NULL},
        {"POST " CONFIGMAPS, NULL, "[]", 400, "couldn't get version/kind; json parse error", NULL},
        {"POST " CONFIGMAPS, NULL, NULL, 400, "(<empty>)", NULL},
        {"POST " CONFIGMAPS, "x", "{}", 415, "accepted media types include: application/json",
         NULL},
        {"POST " CONFIGMAPS, "json; charset=utf-8", "{\"metadata\":{\"name\":\"charset\"}}", 201,
         NULL, NULL},
        {"POST " CONFIGMAPS, "yaml", "metadata:\n  name: yaml\ndata:\n  a: b\n", 201,
         "\"data\":{\"a\":\"b\"}", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"x\"}}", 400,
         "cannot be handled as a ConfigMap", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"x\",\"namespace\":\"y\"}}", 400,
         "the namespace of the provided object does not match", NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"5\"}}", 500,
         "resourceVersion should not be set on objects to be created", NULL},
        {"POST /api/v1/namespaces/none/configmaps", NULL, "{\"metadata\":{\"name\":\"a\"}}", 404,
         "namespaces \\\"none\\\" not found", NULL},
        {"POST /api/v1/namespaces/none/configmaps", NULL, "{\"metadata\":{\"name\":\"B\"}}", 404,
         "namespaces \\\"none\\\" not found", NULL},
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"going\",\"finalizers\":[\"k.io/f\"]}}", 201, NULL, NULL},
        {"DELETE " CONFIGMAPS "/going", NULL, NULL, 200, NULL, NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"going\"}}", 409,
         "\"message\":\"object is being deleted: configmaps \\\"going\\\" already exists\"", NULL},
        {"PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l", NULL,
         "{\"metadata\":{\"name\":\"l\",\"uid\":\"u\"}}", 409,
         "UID in precondition: u, UID in object meta: ", NULL},
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"fields\",\"uid\":\"11111111-1111-1111-1111-111111111111\","
         "\"creationTimestamp\":\"2001-01-01T00:00:00Z\",\"generation\":7,\"selfLink\":\"/x\","
         "\"deletionTimestamp\":\"2001-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":5}}",
         201, "\"generation\":7", "2001"},
        {"GET " CONFIGMAPS "/fields", NULL, NULL, 200, "\"uid\":\"", "11111111"},
        {"GET " CONFIGMAPS "/fields", NULL, NULL, 200, NULL, "selfLink"},
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"empty\",\"labels\":{},\"annotations\":null,"
         "\"finalizers\":[],\"ownerReferences\":[],\"managedFields\":[]}}",
         201, "\"uid\":\"", "s\":"},
        {"PATCH " CONFIGMAPS "/empty", "merge-patch+json",
         "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", 200, "\"labels\":{\"a\":\"b\"}", NULL},
        {"PATCH " CONFIGMAPS "/empty", "merge-patch+json",
         "{\"metadata\":{\"labels\":{\"a\":null}}}", 200, NULL, "labels"},
        {"POST " CONFIGMAPS "?dryRun=All", NULL, "{\"metadata\":{\"name\":\"dry\"}}", 201,
         "\"uid\":\"", "resourceVersion"},
        {"GET " CONFIGMAPS "/dry", NULL, NULL, 404, NULL, NULL},
        {"POST /api/v1/namespaces/none/configmaps?dryRun=All", NULL,
         "{\"metadata\":{\"name\":\"a\"}}", 404, NULL, NULL},
        {"POST " DEPLOYMENTS, NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1},\"status\":{\"replicas\":9}}",
         201, "\"generation\":1", "status"},
        {"POST " PODS, NULL, "{\"metadata\":{\"name\":\"p\"},\"status\":{\"phase\":\"Running\"}}",
         201, "\"status\":{\"phase\":\"Pending\"}", NULL},
        {"POST /api/v1/nodes", NULL,
         "{\"metadata\":{\"name\":\"n\",\"namespace\":\"\"},\"status\":{\"phase\":\"x\"}}", 201,
         "\"phase\":\"x\"", "namespace"},
        {"POST /apis/events.k8s.io/v1/namespaces/default/events", NULL,
         "{\"metadata\":{\"name\":\"e\"},\"regarding\":{\"kind\":\"Pod\"},\"note\":\"hello\"}", 201,
         "\"note\":\"hello\"", "message"},
        {"GET /api/v1/namespaces/default/events/e", NULL, NULL, 200, "\"message\":\"hello\"",
         "note"},
        {"GET /apis/events.k8s.io/v1/events", NULL, NULL, 200, "\"note\":\"hello\"", "message"},
    };

    (void)unused;
    RUN(steps);
}

static void generated_names(void **unused)
{
    const char *text;
    char name[64];

    (void)unused;
    text =
        kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"generateName\":\"gen-\"}}");
    HAS(text, "\"generateName\":\"gen-\"");
    snprintf(name, sizeof(name), "%s", kin_test_member(text, "name"));
    assert_int_equal(strlen(name), 9);
    assert_int_equal(strspn(name + 4, "bcdfghjklmnpqrstvwxz2456789"), 5);
    text =
        kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"generateName\":\"gen-\"}}");
    assert_string_not_equal(kin_test_member(text, "name"), name);
    text = kin_test_send(&api, 201, "POST " CONFIGMAPS,
                         "{\"metadata\":{\"name\":\"own\",\"generateName\":\"gen-\"}}");
    assert_string_equal(kin_test_member(text, "name"), "own");
}

/* The same seed gives the same names: the first that is tried is taken. */
static void generated_names_collide(void **unused)
{
    static const char body[] = "{\"metadata\":{\"generateName\":\"gen-\"}}";
    char name[64];

    (void)unused;
    kin__random_init(&api.api->random, 9);
    snprintf(name, sizeof(name), "%s",
             kin_test_member(kin_test_send(&api, 201, "POST " CONFIGMAPS, body), "name"));
    kin_test_send(&api, 200, "DELETE " CONFIGMAPS, NULL);
    kin__random_init(&api.api->random, 9);
    assert_string_equal(kin_test_member(kin_test_send(&api, 201, "POST " CONFIGMAPS, body), "name"),
                        name);
    kin__random_init(&api.api->random, 9);
    assert_string_not_equal(
        kin_test_member(kin_test_send(&api, 201, "POST " CONFIGMAPS, body), "name"), name);
}

/* A server that comes back, with the same seed or without any, goes on with other uids. */
static void uids_after_a_restart(void **unused)
{
    static const char body[] = "{\"metadata\":{\"name\":\"a\"}}";
    static const uint64_t seeds[] = {9, 9, 0, 0};
    char uid[KIN__UID_SIZE] = "";

    (void)unused;
    for (size_t i = 0; i < kin__array_len(seeds); i++) {
        const kin__api_options options = {.state = api.state, .clock = api.clock, .seed = seeds[i]};
        const char *text;

        kin__api_stop(api.api);
        kin__api_free(api.api);
        assert_code(kin__api_new(&api.api, &options, NULL), 0);
        text = kin_test_send(&api, 201, "POST " CONFIGMAPS, body);
        assert_string_not_equal(kin_test_member(text, "uid"), uid);
        snprintf(uid, sizeof(uid), "%s", kin_test_member(text, "uid"));
        kin_test_get(&api, 200, "DELETE " CONFIGMAPS "/a");
    }
}

static void updating(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"1\"}}", 201,
         "\"resourceVersion\":\"6\"", NULL},
        /* Nothing changes: no write. */
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"1\"}}", 200,
         "\"resourceVersion\":\"6\"", NULL},
        {"PUT " CONFIGMAPS "/a", NULL, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"2\"}}",
         200, "\"resourceVersion\":\"7\"", "labels"},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"6\"},\"data\":{\"k\":\"3\"}}", 409,
         "the object has been modified", NULL},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x\"},\"data\":{\"k\":\"3\"}}", 500,
         "strconv.ParseUint: parsing \\\"x\\\": invalid syntax", NULL},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"0\"},\"data\":{\"k\":\"3\"}}", 200,
         "\"resourceVersion\":\"8\"", NULL},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"uid\":\"11111111-1111-1111-1111-111111111111\"}}", 409,
         "Precondition failed: UID in precondition: 11111111-1111-1111-1111-111111111111", NULL},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2001-01-01T00:00:00Z\","
         "\"generation\":99}}",
         200, "\"creationTimestamp\":\"2026", "generation"},
        {"PUT " CONFIGMAPS "/a", NULL,
         "{\"metadata\":{\"name\":\"a\",\"deletionTimestamp\":\"2001-01-01T00:00:00Z\"}}", 422,
         "metadata.deletionTimestamp: Invalid value", NULL},
        {"PUT " CONFIGMAPS "/a?dryRun=All", NULL,
         "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"dry\"}}", 200,
         "\"resourceVersion\":\"9\"", NULL},
        {"GET " CONFIGMAPS "/a", NULL, NULL, 200, "\"resourceVersion\":\"9\"", "dry"},
        {"PUT " CONFIGMAPS "/a", NULL, "{\"metadata\":{\"name\":\"b\"}}", 400,
         "the name of the object (b) does not match the name on the URL (a)", NULL},
        {"PUT " CONFIGMAPS "/a", NULL, "{\"metadata\":{}}", 400, "was undeterminable", NULL},
        {"PUT " CONFIGMAPS "/none", NULL, "{\"metadata\":{\"name\":\"none\"}}", 404, NULL, NULL},
        {"PUT " LEASES "/made", NULL, "{\"metadata\":{\"name\":\"made\"}}", 201,
         "\"creationTimestamp\":\"2026", NULL},
        {"PUT " LEASES "/made", NULL, "{\"metadata\":{\"name\":\"made\"},\"spec\":{}}", 422,
         "must be specified for an update", NULL},
        {"PUT /apis/coordination.k8s.io/v1/namespaces/none/leases/a", NULL,
         "{\"metadata\":{\"name\":\"a\"}}", 404, "namespaces \\\"none\\\" not found", NULL},
    };

    (void)unused;
    RUN(steps);
}

static void immutable_data(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"a\"},\"immutable\":true,\"data\":{\"k\":\"1\"}}", 201, NULL,
         NULL},
        {"PATCH " CONFIGMAPS "/a", "merge-patch+json", "{\"data\":{\"k\":\"2\"}}", 422,
         "data: Forbidden: field is immutable when `immutable` is set", NULL},
        {"PATCH " CONFIGMAPS "/a", "merge-patch+json", "{\"immutable\":false}", 422,
         "immutable: Forbidden", NULL},
        {"PATCH " CONFIGMAPS "/a", "merge-patch+json", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
         200, NULL, NULL},
    };

    (void)unused;
    RUN(steps);
}

static void status_and_generation(void **unused)
{
    static const struct step steps[] = {
        {"POST " DEPLOYMENTS, NULL, "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1}}",
         201, "\"generation\":1", NULL},
        {"PUT " DEPLOYMENTS "/d", NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":2},\"status\":{\"replicas\":7}}",
         200, "\"generation\":2", "status"},
        {"PUT " DEPLOYMENTS "/d", NULL,
         "{\"metadata\":{\"name\":\"d\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"replicas\":2}}", 200,
         "\"generation\":2", NULL},
        {"PUT " DEPLOYMENTS "/d/status", NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":5},\"status\":{\"replicas\":7}}",
         200, "\"status\":{\"replicas\":7}", "\"replicas\":5"},
        {"GET " DEPLOYMENTS "/d/status", NULL, NULL, 200, "\"generation\":2", NULL},
        {"PATCH " DEPLOYMENTS "/d/status", "merge-patch+json",
         "{\"spec\":{\"replicas\":5},\"status\":{\"ready\":1}}", 200,
         "\"status\":{\"replicas\":7,\"ready\":1}", "\"replicas\":5"},
        {"PATCH " DEPLOYMENTS "/d", "merge-patch+json",
         "{\"spec\":{\"replicas\":6},\"status\":{\"ready\":9}}", 200, "\"generation\":3",
         "\"ready\":9"},
        {"GET " CONFIGMAPS "/x/status", NULL, NULL, 404, NULL, NULL},
        {"PUT " DEPLOYMENTS "/none/status", NULL, "{\"metadata\":{\"name\":\"none\"}}", 404,
         "deployments.apps \\\"none\\\" not found", NULL},
    };

    (void)unused;
    RUN(steps);
}

/* What else raises a generation, and what of the metadata is written with the status. */
static void rules_of_kinds(void **unused)
{
    static const char slices[] = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    static const char classes[] = "/apis/scheduling.k8s.io/v1/priorityclasses";
    char line[256];
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST " DEPLOYMENTS,
                  "{\"metadata\":{\"name\":\"d\",\"labels\":{\"l\":\"1\"}},\"spec\":{}}");
    HAS(kin_test_patch(&api, 200, DEPLOYMENTS "/d", "merge-patch+json",
                       "{\"metadata\":{\"labels\":{\"l\":\"2\"},\"annotations\":{}}}"),
        "\"generation\":1");
    HAS(kin_test_patch(&api, 200, DEPLOYMENTS "/d", "merge-patch+json",
                       "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}"),
        "\"generation\":2");
    text = kin_test_patch(&api, 200, DEPLOYMENTS "/d/status", "merge-patch+json",
                          "{\"metadata\":{\"annotations\":{\"a\":\"2\"},\"labels\":{\"l\":"
                          "\"3\"}},\"status\":{\"replicas\":1}}");
    HAS(text, "\"generation\":2");
    HAS(text, "\"annotations\":{\"a\":\"2\"}");
    HAS(text, "\"labels\":{\"l\":\"2\"}");

    snprintf(line, sizeof(line), "POST %s", slices);
    kin_test_send(&api, 201, line, "{\"metadata\":{\"name\":\"e\"},\"addressType\":\"IPv4\"}");
    snprintf(line, sizeof(line), "%s/e", slices);
    HAS(kin_test_patch(&api, 200, line, "merge-patch+json",
                       "{\"metadata\":{\"labels\":{\"l\":\"1\"}}}"),
        "\"generation\":2");
    snprintf(line, sizeof(line), "POST %s", classes);
    kin_test_send(&api, 201, line, "{\"metadata\":{\"name\":\"c\"},\"value\":1}");
    snprintf(line, sizeof(line), "%s/c", classes);
    HAS(kin_test_patch(&api, 200, line, "merge-patch+json", "{\"description\":\"x\"}"),
        "\"generation\":1");

    kin_test_send(&api, 201, "POST /api/v1/nodes", "{\"metadata\":{\"name\":\"n\"},\"spec\":{}}");
    text = kin_test_patch(&api, 200, "/api/v1/nodes/n/status", "merge-patch+json",
                          "{\"metadata\":{\"labels\":{\"l\":\"1\"}},\"spec\":{\"x\":1}}");
    HAS(text, "\"labels\":{\"l\":\"1\"}");
    HAS(text, "\"spec\":{}");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/default/pods",
                  "{\"metadata\":{\"name\":\"p\"},\"spec\":{}}");
    HAS_NOT(kin_test_patch(&api, 200, "/api/v1/namespaces/default/pods/p/status",
                           "merge-patch+json",
                           "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":"
                           "\"Node\",\"name\":\"n\",\"uid\":\"u\"}]}}"),
            "ownerReferences");
}

static void scaling(void **unused)
{
    static const struct step steps[] = {
        {"POST " DEPLOYMENTS, NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":{"
         "\"app\":\"d\"},\"matchExpressions\":[{\"key\":\"x\",\"operator\":\"Exists\"}]}}}",
         201, NULL, NULL},
        {"GET " DEPLOYMENTS "/d/scale", NULL, NULL, 200,
         "\"spec\":{\"replicas\":3},\"status\":{\"replicas\":0,\"selector\":\"app=d,x\"}}", NULL},
        {"GET " DEPLOYMENTS "/d/scale", NULL, NULL, 200,
         "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",", "Deployment"},
        {"PUT " DEPLOYMENTS "/d/scale", NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":4}}", 200,
         "\"spec\":{\"replicas\":4}", NULL},
        {"GET " DEPLOYMENTS "/d", NULL, NULL, 200, "\"generation\":2", NULL},
        {"PATCH " DEPLOYMENTS "/d/scale", "merge-patch+json", "{\"spec\":{\"replicas\":5}}", 200,
         "\"spec\":{\"replicas\":5}", NULL},
        {"PUT " DEPLOYMENTS "/d/scale", NULL,
         "{\"metadata\":{\"name\":\"d\",\"resourceVersion\":\"6\"},\"spec\":{\"replicas\":9}}", 409,
         "Operation cannot be fulfilled on deployments.apps \\\"d\\\"", NULL},
        {"PUT " DEPLOYMENTS "/d/scale", NULL,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":-1}}", 422,
         "Scale.autoscaling \\\"d\\\" is invalid: spec.replicas: Invalid value: -1: must be greater "
         "than or equal to 0",
         NULL},
        {"PUT " DEPLOYMENTS "/d/scale", NULL,
         "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"}}", 400,
         "cannot be handled as a Scale", NULL},
        {"GET " DEPLOYMENTS "/none/scale", NULL, NULL, 404, NULL, NULL},
        {"POST /api/v1/namespaces/default/replicationcontrollers", NULL,
         "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"b\":\"c\",\"a\":\"b\"}}}", 201,
         NULL, NULL},
        {"GET /api/v1/namespaces/default/replicationcontrollers/r/scale", NULL, NULL, 200,
         "\"selector\":\"a=b,b=c\"", NULL},
    };

    (void)unused;
    RUN(steps);
}

static void patching(void **unused)
{
    static const char rejected[] = "the server rejected our request due to an error in our request";
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"p\"},\"data\":{\"a\":\"1\"}}", 201,
         NULL, NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"data\":{\"a\":\"1\"}}", 200,
         "\"resourceVersion\":\"6\"", NULL},
        {"PATCH " CONFIGMAPS "/p", "json-patch+json",
         "[{\"op\":\"test\",\"path\":\"/data/a\",\"value\":\"1\"},{\"op\":\"add\",\"path\":"
         "\"/data/b\",\"value\":\"2\"}]",
         200, "\"data\":{\"a\":\"1\",\"b\":\"2\"}", NULL},
        {"PATCH " CONFIGMAPS "/p", "json-patch+json",
         "[{\"op\":\"test\",\"path\":\"/data/a\",\"value\":\"2\"}]", 422, rejected, NULL},
        {"PATCH " CONFIGMAPS "/p", "json-patch+json", "[{\"op\":\"remove\",\"path\":\"/x\"}]", 422,
         rejected, NULL},
        {"PATCH " CONFIGMAPS "/p", "json-patch+json", "[{\"op\":\"x\",\"path\":\"/x\"}]", 422,
         rejected, NULL},
        {"PATCH " CONFIGMAPS "/p", "json-patch+json", "{}", 400,
         "cannot unmarshal object into Go value of type []handlers.jsonPatchOp", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "[]", 400,
         "cannot unmarshal array into Go value of type map[string]interface {}", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{", 400,
         "error decoding patch: unexpected end of JSON input", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", NULL, 400,
         "error decoding patch: unexpected end of JSON input", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{]", 400,
         "error decoding patch: ", "unexpected end"},
        {"PATCH " CONFIGMAPS "/none", "merge-patch+json", "[]", 404,
         "configmaps \\\"none\\\" not found", NULL},
        {"PATCH " CONFIGMAPS "/p", "strategic-merge-patch+json", "{}", 415,
         "application/json-patch+json, application/merge-patch+json", NULL},
        {"PATCH " CONFIGMAPS "/p", "apply-patch+yaml", "{}", 422,
         "fieldManager: Required value: is required for apply patch", NULL},
        {"PATCH " CONFIGMAPS "/p?fieldManager=m&force=true", "apply-patch+yaml", "{}", 415,
         "application/json-patch+json, application/merge-patch+json", NULL},
        {"PATCH " CONFIGMAPS "/p", "json", "{}", 415, "415: Unsupported Media Type", NULL},
        {"PATCH " CONFIGMAPS "/p?force=true", "merge-patch+json", "{}", 422,
         "may not be specified for non-apply patch", NULL},
        {"PATCH " CONFIGMAPS "/none", "merge-patch+json", "{}", 404, NULL, NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json",
         "{\"metadata\":{\"resourceVersion\":\"6\"},\"data\":{\"c\":\"1\"}}", 409,
         "the object has been modified", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json",
         "{\"metadata\":{\"resourceVersion\":\"7\"},\"data\":{\"c\":\"1\"}}", 200,
         "\"resourceVersion\":\"8\"", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json",
         "{\"metadata\":{\"resourceVersion\":null},\"data\":{\"d\":\"1\"}}", 200,
         "\"resourceVersion\":\"9\"", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"kind\":\"Secret\"}", 422,
         "\" \\\"\\\" is invalid: patch: Invalid value: \\\"{", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"kind\":\"Secret\"}", 422,
         "cannot be handled as a ConfigMap", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"metadata\":{\"labels\":7}}", 422,
         "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"metadata\":{\"name\":\"q\"}}", 400,
         "does not match the name on the URL", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json",
         "{\"metadata\":{\"uid\":\"11111111-1111-1111-1111-111111111111\"}}", 422,
         "metadata.uid: Invalid value", NULL},
        {"PATCH " CONFIGMAPS "/p", "merge-patch+json", "{\"metadata\":{\"labels\":{\"a b\":\"\"}}}",
         422, "metadata.labels: Invalid value", NULL},
        {"PATCH " CONFIGMAPS "/p?dryRun=All", "merge-patch+json", "{\"data\":{\"dry\":\"1\"}}", 200,
         "\"dry\":\"1\"", NULL},
        {"GET " CONFIGMAPS "/p", NULL, NULL, 200, "\"resourceVersion\":\"9\"", "dry"},
    };

    (void)unused;
    RUN(steps);
}

/* As many operations as the real server takes, and one more. */
static void long_patches(void **unused)
{
    static const char operation[] = "{\"op\":\"test\",\"path\":\"/kind\",\"value\":\"ConfigMap\"}";
    kin__buf patch;

    (void)unused;
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"p\"}}");
    kin__buf_init(&patch, 1 << 24);
    for (int i = 0; i < 10000; i++)
        kin__buf_appendf(&patch, "%c%s", i ? ',' : '[', operation);
    kin__buf_append_char(&patch, ']');
    kin_test_patch(&api, 200, CONFIGMAPS "/p", "json-patch+json", patch.data);
    kin__buf_truncate(&patch, patch.len - 1);
    kin__buf_appendf(&patch, ",%s]", operation);
    HAS(kin_test_patch(&api, 413, CONFIGMAPS "/p", "json-patch+json", patch.data),
        "The allowed maximum operations in a JSON patch is 10000, got 10001");
    kin__buf_done(&patch);
}

/* An object does not grow beyond what could be sent at once. */
static void patches_that_add_up(void **unused)
{
    kin__buf patch;
    int status = 200;
    unsigned n = 0;

    (void)unused;
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"p\"}}");
    kin__buf_init(&patch, 1 << 24);
    while (status == 200 && n < 10) {
        kin_test_request request = {
            .line = "PATCH " CONFIGMAPS "/p",
            .content_type = "application/merge-patch+json",
            .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        };
        const char *text;

        kin__buf_reset(&patch);
        kin__buf_appendf(&patch, "{\"x%u\":\"", n);
        for (int i = 0; i < 1000000; i++)
            kin__buf_append_char(&patch, 'x');
        kin__buf_append(&patch, kin_str_of("\"}"));
        request.body = patch.data;
        text = kin_test_ask(&api, &request, &status);
        if (status != 200)
            HAS(text, "etcdserver: request is too large");
        n++;
    }
    assert_int_equal(status, 500);
    assert_int_equal(n, 4);
    kin__buf_done(&patch);
}

static void deleting(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}", 201, NULL, NULL},
        {"DELETE " CONFIGMAPS "/a?dryRun=All", NULL, NULL, 200, "\"status\":\"Success\"", NULL},
        {"DELETE " CONFIGMAPS "/a", NULL, "{\"preconditions\":{\"uid\":\"other\"}}", 409,
         "the UID in the precondition (other) does not match the UID in record", NULL},
        {"DELETE " CONFIGMAPS "/a", NULL, "{\"preconditions\":{\"resourceVersion\":\"1\"}}", 409,
         "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record "
         "(6)",
         NULL},
        {"DELETE " CONFIGMAPS "/a", NULL, "{\"kind\":\"Thing\",\"apiVersion\":\"v1\"}", 400,
         "no kind", NULL},
        {"DELETE " CONFIGMAPS "/a?propagationPolicy=x", NULL, NULL, 422, "propagationPolicy", NULL},
        {"DELETE " CONFIGMAPS "/a", NULL, "{\"preconditions\":{\"resourceVersion\":\"6\"}}", 200,
         "\"status\":\"Success\",\"details\":{\"name\":\"a\",\"kind\":\"configmaps\",\"uid\":",
         NULL},
        {"DELETE " CONFIGMAPS "/a", NULL, NULL, 404, NULL, NULL},
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"k.example/f\"]}}", 201, NULL, NULL},
        {"DELETE " CONFIGMAPS "/f", NULL, NULL, 200,
         "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":0", NULL},
        {"DELETE " CONFIGMAPS "/f", NULL, NULL, 200, "\"resourceVersion\":\"9\"", NULL},
        {"PATCH " CONFIGMAPS "/f", "merge-patch+json",
         "{\"metadata\":{\"finalizers\":[\"k.example/f\",\"k.example/g\"]}}", 422,
         "no new finalizers can be added if the object is being deleted", NULL},
        {"PATCH " CONFIGMAPS "/f", "merge-patch+json", "{\"data\":{\"z\":\"1\"}}", 200,
         "\"resourceVersion\":\"10\"", NULL},
        {"PATCH " CONFIGMAPS "/f", "merge-patch+json", "{\"metadata\":{\"finalizers\":null}}", 200,
         "\"resourceVersion\":\"11\"", NULL},
        {"GET " CONFIGMAPS "/f", NULL, NULL, 404, NULL, NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"fg\"}}", 201, NULL, NULL},
        /* Without a garbage collector the policies are the same. */
        {"DELETE " CONFIGMAPS "/fg?propagationPolicy=Foreground", NULL, NULL, 200, NULL, NULL},
        {"GET " CONFIGMAPS "/fg", NULL, NULL, 404, NULL, NULL},
    };

    (void)unused;
    RUN(steps);
}

static void deleting_collections(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\",\"labels\":{\"c\":\"y\"}}}", 201,
         NULL, NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"b\",\"labels\":{\"c\":\"y\"}}}", 201,
         NULL, NULL},
        {"POST " CONFIGMAPS, NULL,
         "{\"metadata\":{\"name\":\"f\",\"labels\":{\"c\":\"y\"},\"finalizers\":[\"k.io/f\"]}}",
         201, NULL, NULL},
        {"POST " CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"z\"}}", 201, NULL, NULL},
        {"DELETE " CONFIGMAPS "?labelSelector=c%3Dy&dryRun=All", NULL, NULL, 200,
         "\"kind\":\"ConfigMapList\"", NULL},
        {"GET " CONFIGMAPS "/a", NULL, NULL, 200, NULL, NULL},
        {"DELETE " CONFIGMAPS "?labelSelector=c%3Dy", NULL, NULL, 200,
         "\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[{\"metadata\":{\"name\":\"a\"",
         "\"z\""},
        {"GET " CONFIGMAPS "/a", NULL, NULL, 404, NULL, NULL},
        {"GET " CONFIGMAPS "/b", NULL, NULL, 404, NULL, NULL},
        {"GET " CONFIGMAPS "/f", NULL, NULL, 200, "deletionTimestamp", NULL},
        {"GET " CONFIGMAPS "/z", NULL, NULL, 200, NULL, NULL},
        {"DELETE " CONFIGMAPS, NULL, "{\"preconditions\":{\"uid\":\"u\"}}", 409,
         "the UID in the precondition (u) does not match", NULL},
        {"GET " CONFIGMAPS "/z", NULL, NULL, 200, NULL, NULL},
        {"DELETE " CONFIGMAPS, NULL, NULL, 200, "\"z\"", NULL},
        {"GET " CONFIGMAPS "/z", NULL, NULL, 404, NULL, NULL},
        {"DELETE /api/v1/configmaps", NULL, NULL, 405, NULL, NULL},
    };

    (void)unused;
    RUN(steps);
}

static void read_only_callers(void **unused)
{
    kin_test_request request = {.line = "POST " CONFIGMAPS, .body = "{}", .read_only = true};
    int status;

    (void)unused;
    HAS(kin_test_ask(&api, &request, &status),
        "User \\\"admin\\\" cannot create resource \\\"configmaps\\\" in API group \\\"\\\" in the "
        "namespace \\\"default\\\"");
    assert_int_equal(status, 403);
    request.line = "GET " CONFIGMAPS;
    kin_test_ask(&api, &request, &status);
    assert_int_equal(status, 200);
}

static void bodies_have_a_limit(void **unused)
{
    static char body[5000];

    (void)unused;
    kin_test_api_stop(&api);
    kin_test_api_start(&api, &(kin__api_options){.max_body_bytes = 4096});
    snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a\"},\"x\":\"%04500d\"}", 0);
    HAS(kin_test_send(&api, 413, "POST " CONFIGMAPS, body),
        "Request entity too large: limit is 4096");
}

static void binding(void **unused)
{
    static const char body[] =
        "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"it's\":\"so\"},\"labels\":{\"a\":\"b\"}},"
        "\"target\":{\"name\":\"n1\"}}";
    static const struct step steps[] = {
        {"POST " PODS, NULL, "{\"metadata\":{\"name\":\"p\"}}", 201, NULL, NULL},
        {"POST " PODS "/p/binding", NULL, "{\"metadata\":{\"name\":\"p\"}}", 500,
         "\"message\":\"target.name: Required value\",\"code\":500", NULL},
        {"POST " PODS "/p/binding", NULL,
         "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":\"Pod\"}}", 500,
         "\"message\":\"[target.kind: Unsupported value: \\\"Pod\\\": supported values: "
         "\\\"Node\\\", \\\"<empty>\\\", target.name: Required value]\"",
         NULL},
        {"POST " PODS "/p/binding", NULL, "{\"target\":{\"name\":\"n1\"}}", 400,
         "name in URL does not match name in Binding object", NULL},
        {"POST " PODS "/p/binding", NULL,
         "{\"metadata\":{\"name\":\"p\",\"uid\":\"x\"},\"target\":{\"name\":\"n1\"}}", 409,
         "Operation cannot be fulfilled on pods \\\"p\\\": StorageError: invalid object, Code: 4, "
         "Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
         "failed: UID in precondition: x, UID in object meta: ",
         NULL},
        {"POST " PODS "/p/binding", NULL,
         "{\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"1\"},\"target\":{\"name\":\"n1\"}}",
         409, "ResourceVersion in precondition: 1,", NULL},
        {"POST " PODS "/p/binding", NULL, body, 201, "\"status\":\"Success\",\"code\":201", NULL},
        {"GET " PODS "/p", NULL, NULL, 200, "\"annotations\":{\"it's\":\"so\"}", NULL},
        {"GET " PODS "/p", NULL, NULL, 200, "\"labels\":{\"a\":\"b\"}", NULL},
        {"GET " PODS "/p", NULL, NULL, 200, "\"generation\":1", NULL},
        {"GET " PODS "/p", NULL, NULL, 200, "\"nodeName\":\"n1\"", NULL},
        {"GET " PODS "/p", NULL, NULL, 200, "\"type\":\"PodScheduled\"", NULL},
        {"POST " PODS "/p/binding", NULL, body, 409,
         "pods/binding \\\"p\\\": pod p is already assigned to node \\\"n1\\\"", NULL},
        {"POST " PODS "/none/binding", NULL,
         "{\"metadata\":{\"name\":\"none\"},\"target\":{\"name\":\"n1\"}}", 404, NULL, NULL},
        {"POST " PODS, NULL,
         "{\"metadata\":{\"name\":\"gated\"},\"spec\":{\"schedulingGates\":[{\"name\":\"g\"}]}}",
         201, NULL, NULL},
        {"POST " PODS "/gated/binding", NULL,
         "{\"metadata\":{\"name\":\"gated\"},\"target\":{\"name\":\"n1\"}}", 409,
         "has non-empty .spec.schedulingGates", NULL},
        {"POST /api/v1/namespaces/default/bindings", NULL, "{\"target\":{\"name\":\"n1\"}}", 400,
         "Name parameter required.", NULL},
        {"POST " PODS, NULL, "{\"metadata\":{\"name\":\"q\"}}", 201, NULL, NULL},
        {"POST /api/v1/namespaces/default/bindings", NULL,
         "{\"metadata\":{\"name\":\"q\"},\"target\":{\"name\":\"n2\"}}", 201, NULL, NULL},
        {"GET " PODS "?fieldSelector=spec.nodeName%3Dn2", NULL, NULL, 200, "\"q\"", "\"p\""},
    };

    (void)unused;
    RUN(steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bad_body_leaves_nothing_behind),
        TEST(creating),
        TEST(generated_names),
        TEST(generated_names_collide),
        TEST(uids_after_a_restart),
        TEST(updating),
        TEST(immutable_data),
        TEST(status_and_generation),
        TEST(rules_of_kinds),
        TEST(scaling),
        TEST(patching),
        TEST(long_patches),
        TEST(patches_that_add_up),
        TEST(deleting),
        TEST(deleting_collections),
        TEST(read_only_callers),
        TEST(bodies_have_a_limit),
        TEST(binding),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
