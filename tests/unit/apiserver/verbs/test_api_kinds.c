/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In what kinds differ, as a kube-apiserver 1.36 has answered: what their generation counts, and
 * what a delete of one is answered with.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "base/compiler.h"

static long generation_of(const char *text)
{
    const char *found = strstr(text, "\"generation\":");

    return found ? strtol(found + strlen("\"generation\":"), NULL, 10) : 0;
}

/* Of an object that is created with the generation 7, then changed in four steps. */
struct generations {
    const char *path;
    const char *body; /* behind the metadata, with a comma, or "" */
    const char *change;
    long created;
    long labeled;
    long annotated;
    long given; /* the client says that it is 99 */
    long changed;
};

static const struct generations generations[] = {
    {"/api/v1/namespaces/default/configmaps", ",\"data\":{\"a\":\"b\"}", "{\"data\":{\"a\":\"c\"}}",
     7, 7, 7, 7, 7},
    {"/api/v1/nodes", "", "{\"spec\":{\"unschedulable\":true}}", 7, 7, 7, 7, 7},
    {"/api/v1/namespaces/default/pods", ",\"spec\":{\"priority\":1}", "{\"spec\":{\"priority\":2}}",
     1, 1, 1, 1, 2},
    {"/apis/apps/v1/namespaces/default/deployments", ",\"spec\":{\"replicas\":1}",
     "{\"spec\":{\"replicas\":2}}", 1, 1, 2, 2, 3},
    {"/apis/apps/v1/namespaces/default/replicasets", ",\"spec\":{\"replicas\":1}",
     "{\"spec\":{\"replicas\":2}}", 1, 1, 1, 1, 2},
    {"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", ",\"endpoints\":[]",
     "{\"endpoints\":[{\"addresses\":[\"192.0.2.1\"]}]}", 1, 2, 2, 2, 3},
    {"/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
     ",\"spec\":{\"maxReplicas\":1}", "{\"spec\":{\"maxReplicas\":2}}", 7, 7, 7, 7, 7},
    {"/apis/scheduling.k8s.io/v1/priorityclasses", ",\"value\":1", "{\"description\":\"d\"}", 1, 1,
     1, 1, 1},
    {"/apis/storage.k8s.io/v1/csidrivers", ",\"spec\":{}",
     "{\"spec\":{\"requiresRepublish\":true}}", 7, 7, 7, 7, 8},
    {"/apis/resource.k8s.io/v1/deviceclasses", ",\"spec\":{}", "{\"spec\":{\"config\":[]}}", 1, 1,
     1, 1, 2},
};

static void patched(const struct generations *g, const char *what, const char *patch, long expected)
{
    char path[256];
    const char *text;

    snprintf(path, sizeof(path), "%s/x", g->path);
    text = kin_test_patch(&api, 200, path, "merge-patch+json", patch);
    if (generation_of(text) != expected)
        fail_msg("%s, %s: %ld is expected in %s", g->path, what, expected, text);
}

static void the_generation_counts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < kin__array_len(generations); i++) {
        const struct generations *g = &generations[i];
        char line[256];
        char body[512];

        snprintf(line, sizeof(line), "POST %s", g->path);
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"x\",\"generation\":7}%s}", g->body);
        assert_int_equal(generation_of(kin_test_send(&api, 201, line, body)), g->created);
        patched(g, "label", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", g->labeled);
        patched(g, "annotation", "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}", g->annotated);
        patched(g, "generation", "{\"metadata\":{\"generation\":99}}", g->given);
        patched(g, "change", g->change, g->changed);
    }
}

static void a_delete_is_answered_with_the_object_or_a_status(void **unused)
{
    static const struct {
        const char *path;
        bool is_returned;
    } cases[] = {
        {"/api/v1/namespaces/default/configmaps", false},
        {"/api/v1/namespaces/default/services", true},
        {"/api/v1/nodes", false},
        {"/api/v1/persistentvolumes", true},
        {"/apis/apps/v1/namespaces/default/deployments", false},
        {"/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", true},
        {"/apis/storage.k8s.io/v1/storageclasses", true},
        {"/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities", false},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char line[256];

        snprintf(line, sizeof(line), "POST %s", cases[i].path);
        kin_test_send(&api, 201, line, "{\"metadata\":{\"name\":\"x\"}}");
        snprintf(line, sizeof(line), "DELETE %s/x", cases[i].path);
        const char *text = kin_test_get(&api, 200, line);
        if ((strstr(text, "\"resourceVersion\":\"") != NULL) != cases[i].is_returned ||
            (strstr(text, "\"status\":\"Success\"") == NULL) != cases[i].is_returned)
            fail_msg("%s: %s", line, text);
    }
}

/* Names of roles may hold anything that can stand in a path. */
static void a_name_is_written_as_json(void **unused)
{
    (void)unused;
    kin_test_send(&api, 201, "POST /apis/rbac.authorization.k8s.io/v1/clusterroles",
                  "{\"metadata\":{\"name\":\"a\\\"b\\\\\"}}");
    kin_test_assert_has(
        kin_test_get(&api, 200, "DELETE /apis/rbac.authorization.k8s.io/v1/clusterroles/a%22b%5C"),
        "\"details\":{\"name\":\"a\\\"b\\\\\",\"group\":");
}

/* What is empty is not given. */
static void an_empty_uid_is_none(void **unused)
{
    (void)unused;
    kin_test_send(&api, 201, "POST /api/v1/namespaces/default/configmaps",
                  "{\"metadata\":{\"name\":\"x\"}}");
    kin_test_send(&api, 200, "PUT /api/v1/namespaces/default/configmaps/x",
                  "{\"metadata\":{\"name\":\"x\",\"uid\":\"\"}}");
}

static void define(const char *plural, const char *established)
{
    char body[512];

    snprintf(body, sizeof(body),
             "{\"metadata\":{\"name\":\"%s.x.example\"},\"spec\":{\"group\":\"x.example\","
             "\"scope\":\"Cluster\",\"names\":{\"plural\":\"%s\",\"kind\":\"Same\"},"
             "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":"
             "{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}",
             plural, plural);
    kin_test_assert_has(
        kin_test_send(&api, 201, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      body),
        established);
}

/* Who had the names first has them after a restart, whatever the order of the definitions. */
static void names_are_kept_over_a_restart(void **unused)
{
    kin__api_options options = {.state = api.state, .clock = api.clock};

    (void)unused;
    define("zebras", "\"type\":\"Established\",\"status\":\"True\"");
    define("apes", "\"type\":\"Established\",\"status\":\"False\"");
    kin__api_stop(api.api);
    kin__api_free(api.api);
    assert_code(kin__api_new(&api.api, &options, NULL), 0);
    kin_test_get(&api, 200, "GET /apis/x.example/v1/zebras");
    kin_test_get(&api, 404, "GET /apis/x.example/v1/apes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_generation_counts),         TEST(a_delete_is_answered_with_the_object_or_a_status),
        TEST(a_name_is_written_as_json),     TEST(an_empty_uid_is_none),
        TEST(names_are_kept_over_a_restart),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
