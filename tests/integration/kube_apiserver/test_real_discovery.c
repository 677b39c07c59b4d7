/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a real server has, and what names mean there.
 */
#include "real_support.h"

#include <string.h>

#include "base/compiler.h"
#include "client/catalog.h"

static const struct {
    const char *name;
    const char *api_version;
    const char *resource;
    const char *kind;
    bool namespaced;
} known[] = {
    {"po", "v1", "pods", "Pod", true},
    {"pods", "v1", "pods", "Pod", true},
    {"Pod", "v1", "pods", "Pod", true},
    {"pods.v1.", "v1", "pods", "Pod", true},
    {"ns", "v1", "namespaces", "Namespace", false},
    {"cm", "v1", "configmaps", "ConfigMap", true},
    {"ev", "v1", "events", "Event", true},
    {"events.events.k8s.io", "events.k8s.io/v1", "events", "Event", true},
    {"deploy", "apps/v1", "deployments", "Deployment", true},
    {"Deployment.apps", "apps/v1", "deployments", "Deployment", true},
    {"deployments.v1.apps", "apps/v1", "deployments", "Deployment", true},
    {"rs", "apps/v1", "replicasets", "ReplicaSet", true},
    {"hpa", "autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true},
    {"hpa.v1.autoscaling", "autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler",
     true},
    {"crd", "apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition",
     false},
    {"cj", "batch/v1", "cronjobs", "CronJob", true},
    {"sc", "storage.k8s.io/v1", "storageclasses", "StorageClass", false},
    {"netpol", "networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", true},
    {"pdb", "policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", true},
    {"endpointslice", "discovery.k8s.io/v1", "endpointslices", "EndpointSlice", true},
    {"lease", "coordination.k8s.io/v1", "leases", "Lease", true},
    {"apiservices", "apiregistration.k8s.io/v1", "apiservices", "APIService", false},
};

static void expect(const kin_resource *resource, size_t i)
{
    assert_string_equal(kin_resource_api_version(resource), known[i].api_version);
    assert_string_equal(kin_resource_name(resource), known[i].resource);
    assert_string_equal(kin_resource_kind(resource), known[i].kind);
    assert_int_equal(kin_resource_is_namespaced(resource), known[i].namespaced);
    assert_true(kin_resource_has_verb(resource, "watch"));
    assert_false(kin_resource_has_verb(resource, "burn"));
}

static void names_mean_what_kubectl_takes_them_for(void **state)
{
    kin_client *client = real_client("admin", NULL);
    kin_error err = KIN_ERROR_INIT;
    kin_resource *resource = NULL;

    (void)state;
    for (size_t i = 0; i < kin__array_len(known); i++) {
        resource = real_resource(client, known[i].name);
        expect(resource, i);
        kin_resource_unref(resource);
    }
    assert_code(kin_client_resolve(client, &resource, "deploymints", &err), KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, "deployments"));
    kin_client_free(client);
}

static void add(kin__catalog *catalog, kin_client *client, const char *path, size_t index)
{
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;
    size_t len = 0;

    assert_good(kin_client_get_text(client, &text, &len, path, &err), &err);
    if (index == SIZE_MAX)
        assert_good(kin__catalog_add(catalog, kin_str_make(text, len), &err), &err);
    else
        assert_good(kin__catalog_add_resources(catalog, index, kin_str_make(text, len), &err),
                    &err);
    kin_free(text);
}

/* Whoever does not ask for aggregated documents gets the others: a hundred small ones. */
static void documents_that_are_not_aggregated_say_the_same(void **state)
{
    kin_client *client = real_client("admin", NULL);
    kin_error err = KIN_ERROR_INIT;
    kin__catalog *catalog = NULL;
    size_t n_asked = 0;

    (void)state;
    assert_good(kin__catalog_new(&catalog, NULL, &err), &err);
    add(catalog, client, "/api", SIZE_MAX);
    add(catalog, client, "/apis", SIZE_MAX);
    for (size_t i = 0; i < kin__catalog_n_versions(catalog); i++) {
        const char *path = kin__catalog_missing(catalog, i);

        n_asked += path != NULL;
        if (path)
            add(catalog, client, path, i);
    }
    assert_int_equal(n_asked, kin__catalog_n_versions(catalog));
    assert_true(n_asked > 15);
    assert_int_equal(kin__catalog_n_stale(catalog), 0);
    for (size_t i = 0; i < kin__array_len(known); i++) {
        kin_resource *resource = NULL;

        assert_good(kin__catalog_resolve(catalog, &resource, known[i].name, &err), &err);
        expect(resource, i);
        kin_resource_unref(resource);
    }
    kin__catalog_unref(catalog);
    kin_client_free(client);
}

#define WIDGETS                                                                                    \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"widgets.kin.example\"},\"spec\":{\"group\":\"kin.example\","         \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","          \
    "\"kind\":\"Widget\",\"shortNames\":[\"wdg\"]},\"versions\":[{\"name\":\"v1\","                \
    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","       \
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

/* Its own clock: what a catalog's age is, the test says. */
static void a_kind_that_was_just_installed_is_found(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_resource *widgets = NULL;
    kin_resource *crds;
    kin_client *client;
    kin_error err = KIN_ERROR_INIT;
    kin_clock *clock = NULL;
    real r;

    (void)state;
    real_open(&r, "installed");
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    options.clock = clock;
    client = real_client("admin", &options);
    assert_code(kin_client_resolve(client, &widgets, "wdg", &err), KIN_ENOTFOUND);
    crds = real_resource(r.client, "crd");
    kin_object_unref(real_create(&r, crds, WIDGETS));
    /* The server needs a moment; as long as it has nothing new to say, it is asked again. */
    for (int i = 0; i < 1000 && !widgets; i++) {
        assert_code(kin_clock_advance(clock, INT64_C(6000000000), NULL), 0);
        if (kin_client_resolve(client, &widgets, "wdg", &err) < 0)
            assert_code(err.code, KIN_ENOTFOUND);
    }
    assert_non_null(widgets);
    assert_string_equal(kin_resource_api_version(widgets), "kin.example/v1");
    kin_object_unref(real_create(&r, widgets,
                                 "{\"apiVersion\":\"kin.example/v1\",\"kind\":\"Widget\","
                                 "\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1}}"));
    kin_resource_unref(widgets);
    kin_resource_unref(crds);
    kin_client_free(client);
    kin_clock_unref(clock);
    real_close(&r);
}

#define DOWN                                                                                       \
    "{\"apiVersion\":\"apiregistration.k8s.io/v1\",\"kind\":\"APIService\",\"metadata\":{"         \
    "\"name\":\"v1.down.example\"},\"spec\":{\"group\":\"down.example\",\"version\":\"v1\","       \
    "\"groupPriorityMinimum\":2000,\"versionPriority\":15,\"insecureSkipTLSVerify\":true,"         \
    "\"service\":{\"name\":\"none\",\"namespace\":\"default\"}}}"

/* A group of which the server only knows that it should be there. */
static void an_api_that_is_down_takes_no_others_with_it(void **state)
{
    kin_resource *resource = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *services;
    kin_client *client;
    real r;

    (void)state;
    real_open(&r, "down");
    services = real_resource(r.client, "apiservices");
    kin_object_unref(real_create(&r, services, DOWN));
    client = real_client("admin", NULL);
    for (size_t i = 0; i < kin__array_len(known); i++) {
        resource = real_resource(client, known[i].name);
        expect(resource, i);
        kin_resource_unref(resource);
    }
    assert_code(kin_client_resolve(client, &resource, "things.down.example", &err), KIN_ENOTFOUND);
    assert_good(kin_client_delete(r.client, NULL, services, NULL, "v1.down.example", NULL, &err),
                &err);
    kin_resource_unref(services);
    kin_client_free(client);
    real_close(&r);
}

static void what_is_no_object_is_got_as_text(void **state)
{
    static const char *const texts[][2] = {{"/version", "\"gitVersion\": \"v1."},
                                           {"/healthz", "ok"},
                                           {"/readyz?verbose", "readyz check passed"},
                                           {"/metrics", "apiserver_request_total"},
                                           {"/openapi/v3", "\"paths\""}};
    kin_client *client = real_client("admin", NULL);
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        assert_good(kin_client_get_text(client, &text, NULL, texts[i][0], &err), &err);
        assert_non_null(strstr(text, texts[i][1]));
        kin_free(text);
    }
    assert_fails(kin_client_get_text(client, &text, NULL, "/nothing", &err), KIN_ENOTFOUND, 404,
                 "NotFound", &err);
    kin_client_free(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_mean_what_kubectl_takes_them_for),
        cmocka_unit_test(documents_that_are_not_aggregated_say_the_same),
        cmocka_unit_test(a_kind_that_was_just_installed_is_found),
        cmocka_unit_test(an_api_that_is_down_takes_no_others_with_it),
        cmocka_unit_test(what_is_no_object_is_got_as_text),
    };

    return run_real_tests(tests);
}
