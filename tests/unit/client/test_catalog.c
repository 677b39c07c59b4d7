/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery documents into a catalog: both formats, what is stale, what is wrong, limits, memory.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "catalog_support.h"
#include "oom.h"

static void assert_resource(kin__catalog *catalog, const char *name, const char *api_version,
                            const char *resource, const char *kind, bool namespaced)
{
    kin_resource *found = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin__catalog_resolve(catalog, &found, name, &err) < 0)
        fail_msg("%s: %s", name, err.message);
    assert_string_equal(kin_resource_api_version(found), api_version);
    assert_string_equal(kin_resource_name(found), resource);
    assert_string_equal(kin_resource_kind(found), kind);
    assert_int_equal(kin_resource_is_namespaced(found), namespaced);
    kin_resource_unref(found);
}

static void assert_missing(const kin__catalog *catalog, const char *name)
{
    kin_resource *found = NULL;

    assert_code(kin__catalog_resolve(catalog, &found, name, NULL), KIN_ENOTFOUND);
    assert_null(found);
}

/* What the files of tests/data/discovery describe, in whichever format. */
static void assert_whole(kin__catalog *catalog)
{
    kin_resource *found = NULL;

    assert_int_equal(kin__catalog_n_versions(catalog), 11);
    assert_int_equal(kin__catalog_n_stale(catalog), 1);
    for (size_t i = 0; i < kin__catalog_n_versions(catalog); i++)
        assert_null(kin__catalog_missing(catalog, i));
    assert_resource(catalog, "po", "v1", "pods", "Pod", true);
    assert_resource(catalog, "nodes", "v1", "nodes", "Node", false);
    assert_resource(catalog, "deploy", "apps/v1", "deployments", "Deployment", true);
    assert_resource(catalog, "hpa", "autoscaling/v2", "horizontalpodautoscalers",
                    "HorizontalPodAutoscaler", true);
    assert_resource(catalog, "crontab", "stable.example.com/v1", "crontabs", "CronTab", true);
    assert_resource(catalog, "cronlogs", "stable.example.com/v1beta1", "cronlogs", "CronLogEntry",
                    true);
    assert_missing(catalog, "pods/status");
    assert_missing(catalog, "status");

    assert_code(kin__catalog_resolve(catalog, &found, "bindings", NULL), 0);
    assert_true(kin_resource_has_verb(found, "create"));
    assert_false(kin_resource_has_verb(found, "list"));
    kin_resource_unref(found);
}

static void reads_documents_of_each_group_version(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_file(catalog, "api.json");
    assert_int_equal(kin__catalog_n_versions(catalog), 1);
    assert_string_equal(kin__catalog_missing(catalog, 0), "/api/v1");
    add_file(catalog, "apis.json");
    assert_int_equal(kin__catalog_n_versions(catalog), 11);
    assert_string_equal(kin__catalog_missing(catalog, 1), "/apis/apps/v1");
    assert_string_equal(kin__catalog_missing(catalog, 10), "/apis/metrics.k8s.io/v1beta1");
    assert_missing(catalog, "pods");
    add_missing(catalog);
    assert_whole(catalog);
    kin__catalog_unref(catalog);
}

static void reads_aggregated_documents(void **state)
{
    static const char *const files[][2] = {
        {"aggregated-api-v2.json", "aggregated-apis-v2.json"},
        {"aggregated-api-v2beta1.json", "aggregated-apis-v2beta1.json"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(files); i++) {
        kin__catalog *catalog = new_catalog(NULL);

        add_file(catalog, files[i][0]);
        add_file(catalog, files[i][1]);
        assert_whole(catalog);
        kin__catalog_unref(catalog);
    }
}

/* Core first, whichever document was read first, and whether the other is of the same format. */
static void reads_documents_in_any_order_and_mix(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_file(catalog, "aggregated-apis-v2.json");
    add_file(catalog, "api.json");
    add_missing(catalog);
    assert_whole(catalog);
    assert_resource(catalog, "events", "v1", "events", "Event", true);
    kin__catalog_unref(catalog);
}

static void goes_on_without_what_is_stale(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);
    kin_error err = KIN_ERROR_INIT;
    kin_resource *found = NULL;

    (void)state;
    add_file(catalog, "aggregated-api-v2.json");
    add_file(catalog, "aggregated-apis-v2.json");
    assert_code(kin__catalog_resolve(catalog, &found, "nodemetrics", &err), KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, "1 of its 11 group versions could not be read"));

    /* Also one that was known. Its other versions take its place. */
    for (size_t i = 0; i < kin__catalog_n_versions(catalog); i++) {
        assert_resource(catalog, "hpa", i <= 3 ? "autoscaling/v2" : "autoscaling/v1",
                        "horizontalpodautoscalers", "HorizontalPodAutoscaler", true);
        if (i == 3)
            kin__catalog_give_up(catalog, i);
    }
    assert_int_equal(kin__catalog_n_stale(catalog), 2);
    kin__catalog_unref(catalog);
}

/* The preferred version comes first, wherever it is listed; one that is not listed is none. */
static void puts_the_preferred_version_first(void **state)
{
    static const char *const preferred[] = {"v2", "v3", "v9"};
    static const char *const paths[][3] = {
        {"/apis/g/v2", "/apis/g/v1", "/apis/g/v3"},
        {"/apis/g/v3", "/apis/g/v1", "/apis/g/v2"},
        {"/apis/g/v1", "/apis/g/v2", "/apis/g/v3"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(preferred); i++) {
        kin__catalog *catalog = new_catalog(NULL);
        char text[512];

        snprintf(
            text, sizeof(text),
            "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"g\",\"versions\":[{\"version\":"
            "\"v1\"},{\"version\":\"v2\"},{\"version\":\"v3\"}],\"preferredVersion\":"
            "{\"version\":\"%s\"}}]}",
            preferred[i]);
        add_text(catalog, text);
        assert_int_equal(kin__catalog_n_versions(catalog), 3);
        for (size_t j = 0; j < 3; j++)
            assert_string_equal(kin__catalog_missing(catalog, j), paths[i][j]);
        kin__catalog_unref(catalog);
    }
}

static void leaves_out_what_cannot_be_asked_for(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_text(catalog, "{\"kind\":\"APIVersions\",\"versions\":[\"..\",7,\"\",\"v1\",\"v1\"]}");
    assert_int_equal(kin__catalog_n_versions(catalog), 1);
    add_text(catalog,
             "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"\",\"versions\":[{\"version\":"
             "\"v1\"}]},{\"name\":\"a/b\",\"versions\":[{\"version\":\"v1\"}]},{\"name\":\"ok\","
             "\"versions\":[{\"version\":\"v1\"},{\"version\":\"a/b\"},{},null,7]},7,null,{}]}");
    assert_int_equal(kin__catalog_n_versions(catalog), 2);
    assert_string_equal(kin__catalog_missing(catalog, 1), "/apis/ok/v1");
    assert_code(kin__catalog_add_resources(
                    catalog, 1,
                    kin_str_of("{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"..\"},"
                               "{\"name\":\"a/b\",\"kind\":\"A\"},{},7,null,{\"name\":\"\"},"
                               "{\"name\":\"things\",\"shortNames\":[7,\"\",\"th\"],"
                               "\"verbs\":{\"a\":\"get\"}}]}"),
                    NULL),
                0);
    assert_resource(catalog, "th", "ok/v1", "things", "", false);
    assert_missing(catalog, "a");

    /* An aggregated resource without a kind is there for its subresources only. */
    add_text(catalog, "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
                      "\"agg\"},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":"
                      "\"bare\"},{\"resource\":\"full\",\"responseKind\":{\"kind\":\"Full\"}}]},"
                      "{\"version\":\"v1\",\"freshness\":\"Stale\"}]}]}");
    assert_missing(catalog, "bare");
    assert_resource(catalog, "full", "agg/v1", "full", "Full", false);
    kin__catalog_unref(catalog);
}

static void guesses_singulars_that_nobody_told(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_text(catalog, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    assert_code(kin__catalog_add_resources(
                    catalog, 0,
                    kin_str_of("{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"pods\","
                               "\"singularName\":\"\",\"kind\":\"Pod\",\"namespaced\":true}]}"),
                    NULL),
                0);
    assert_resource(catalog, "pod", "v1", "pods", "Pod", true);
    kin__catalog_unref(catalog);
}

static void refuses_other_documents(void **state)
{
    static const struct {
        const char *text;
        const char *word;
    } rows[] = {
        {"{\"kind\":\"Status\"}", "Status"},
        {"{}", "\"\""},
        {"[]", "at byte"},
        {"<html>", "at byte"},
        {"", "at byte"},
        {"{\"kind\":\"APIVersions\"", "at byte"},
    };
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_file(catalog, "api.json");
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin__catalog_add(catalog, kin_str_of(rows[i].text), &err), KIN_EPROTOCOL);
        assert_non_null(strstr(err.message, rows[i].word));
        kin_error_clear(&err);
        assert_code(kin__catalog_add_resources(catalog, 0, kin_str_of(rows[i].text), &err),
                    KIN_EPROTOCOL);
        assert_int_equal(err.code, KIN_EPROTOCOL);
    }
    /* And each where the other is expected. */
    assert_code(kin__catalog_add_resources(
                    catalog, 0, kin_str_of("{\"kind\":\"APIVersions\",\"versions\":[]}"), NULL),
                KIN_EPROTOCOL);
    assert_code(kin__catalog_add(catalog, kin_str_of("{\"kind\":\"APIResourceList\"}"), NULL),
                KIN_EPROTOCOL);
    assert_int_equal(kin__catalog_n_versions(catalog), 1);
    assert_string_equal(kin__catalog_missing(catalog, 0), "/api/v1");
    kin__catalog_unref(catalog);
}

static void has_limits(void **state)
{
    static const char two[] =
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"g\"},"
        "\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":\"a\",\"responseKind\":"
        "{\"kind\":\"A\"}}]},{\"version\":\"v2\",\"resources\":[{\"resource\":\"a\","
        "\"responseKind\":{\"kind\":\"A\"}}]}]}]}";
    const kin__catalog_limits limits[] = {
        {strlen(two) - 1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {strlen(two), 2, 2}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(limits); i++) {
        kin__catalog *catalog = new_catalog(&limits[i]);
        kin_error err = KIN_ERROR_INIT;
        int expected = i == 3 ? 0 : KIN_ELIMIT;

        assert_code(kin__catalog_add(catalog, kin_str_of(two), &err), expected);
        assert_int_equal(err.code, expected);
        kin__catalog_unref(catalog);
    }
}

/* Resources that are told again take the place of those before: they are counted once. */
static void counts_resources_that_are_there(void **state)
{
    static const char one[] = "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"pods\","
                              "\"kind\":\"Pod\"}]}";
    kin__catalog *catalog = new_catalog(&(kin__catalog_limits){0, 0, 1});

    (void)state;
    add_file(catalog, "api.json");
    for (int i = 0; i < 3; i++)
        assert_code(kin__catalog_add_resources(catalog, 0, kin_str_of(one), NULL), 0);
    kin__catalog_give_up(catalog, 0);
    assert_missing(catalog, "pods");
    assert_code(kin__catalog_add_resources(catalog, 0, kin_str_of(one), NULL), 0);
    assert_resource(catalog, "pods", "v1", "pods", "Pod", false);
    assert_ptr_equal(kin__catalog_ref(catalog), catalog);
    kin__catalog_unref(catalog);
    assert_resource(catalog, "pods", "v1", "pods", "Pod", false);
    kin__catalog_unref(catalog);
    kin__catalog_unref(NULL);
}

static int read_all(void *arg, kin_error *err)
{
    static const char groups[] =
        "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":[{\"version\":"
        "\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}}]}";
    static const char resources[] =
        "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"deployments\",\"kind\":"
        "\"Deployment\",\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"deploy\"],"
        "\"categories\":[\"all\"]}]}";
    static const char aggregated[] =
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"g\"},"
        "\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":\"a\",\"responseKind\":"
        "{\"kind\":\"A\"}}]}]}]}";
    kin__catalog *catalog = NULL;
    kin_resource *found = NULL;
    size_t told = 0;
    int code = kin__catalog_new(&catalog, NULL, err);

    (void)arg;
    if (code == 0)
        code = kin__catalog_add(catalog, kin_str_of(groups), err);
    if (code == 0)
        code = kin__catalog_add_resources(catalog, 0, kin_str_of(resources), err);
    if (code == 0)
        code = kin__catalog_add(catalog, kin_str_of(aggregated), err);
    if (code == 0)
        code = kin__catalog_resolve(catalog, &found, "deploy", err);
    if (code == 0) {
        code = kin__catalog_category(catalog, "all", count_one, &told, err);
        assert_int_equal(told, code == 0 ? 1 : 0);
    }
    /* Without memory for the names that are near it is still not found. */
    if (code == 0)
        assert_code(kin__catalog_resolve(catalog, NULL, "deploymints", NULL), KIN_ENOTFOUND);
    kin_resource_unref(found);
    kin__catalog_unref(catalog);
    return code;
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(read_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_documents_of_each_group_version),
        cmocka_unit_test(reads_aggregated_documents),
        cmocka_unit_test(reads_documents_in_any_order_and_mix),
        cmocka_unit_test(goes_on_without_what_is_stale),
        cmocka_unit_test(puts_the_preferred_version_first),
        cmocka_unit_test(leaves_out_what_cannot_be_asked_for),
        cmocka_unit_test(guesses_singulars_that_nobody_told),
        cmocka_unit_test(refuses_other_documents),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(counts_resources_that_are_there),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
