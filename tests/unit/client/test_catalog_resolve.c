/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resource a name means. The same questions go to client-go in tests/oracle/discovery.
 */
#include "kin_test.h"

#include <string.h>

#include "base/compiler.h"
#include "catalog_support.h"

static void assert_means(const kin__catalog *catalog, const char *name, const char *expected)
{
    kin_resource *found = NULL;
    kin_error err = KIN_ERROR_INIT;
    char text[512] = "nothing";

    if (kin__catalog_resolve(catalog, &found, name, &err) == 0)
        snprintf(text, sizeof(text), "%s %s", kin_resource_api_version(found),
                 kin_resource_name(found));
    kin_resource_unref(found);
    if (strcmp(text, expected) != 0)
        fail_msg("\"%s\" means %s, not %s", name, text, expected);
}

static kin__catalog *whole(void)
{
    kin__catalog *catalog = new_catalog(NULL);

    add_file(catalog, "aggregated-api-v2.json");
    add_file(catalog, "aggregated-apis-v2.json");
    return catalog;
}

static void finds_what_kubectl_finds(void **state)
{
    static const struct {
        const char *name;
        const char *means;
    } rows[] = {
        {"pods", "v1 pods"},
        {"pod", "v1 pods"},
        {"po", "v1 pods"},
        {"Pod", "v1 pods"},
        {"PODS", "v1 pods"},
        {"PO", "nothing"},
        {"pods.v1.", "v1 pods"},
        {"pods.", "v1 pods"},
        {"pods.v2.", "nothing"},
        {"deployments", "apps/v1 deployments"},
        {"Deployment", "apps/v1 deployments"},
        {"deploy", "apps/v1 deployments"},
        {"deployments.apps", "apps/v1 deployments"},
        {"deployment.apps", "apps/v1 deployments"},
        {"deploy.apps", "apps/v1 deployments"},
        {"Deployment.apps", "apps/v1 deployments"},
        {"deployments.v1.apps", "apps/v1 deployments"},
        {"Deployment.v1.apps", "apps/v1 deployments"},
        {"deploy.v1.apps", "apps/v1 deployments"},
        {"deployments.v2.apps", "nothing"},
        {"deployments.v1.", "apps/v1 deployments"},
        {"deployments.app", "apps/v1 deployments"},
        {"deployments.extensions", "nothing"},
        /* The core group comes first, and is outvoted by a group. */
        {"events", "v1 events"},
        {"ev", "v1 events"},
        {"events.events.k8s.io", "events.k8s.io/v1 events"},
        {"events.v1.events.k8s.io", "events.k8s.io/v1 events"},
        {"ev.events", "events.k8s.io/v1 events"},
        {"events.events", "events.k8s.io/v1 events"},
        /* The preferred version, unless another is named. */
        {"hpa", "autoscaling/v2 horizontalpodautoscalers"},
        {"hpa.autoscal", "autoscaling/v2 horizontalpodautoscalers"},
        {"horizontalpodautoscalers.v1.autoscaling", "autoscaling/v1 horizontalpodautoscalers"},
        {"hpa.v1.autoscaling", "autoscaling/v1 horizontalpodautoscalers"},
        {"hpa.v1.autoscal", "autoscaling/v1 horizontalpodautoscalers"},
        /* Custom ones, in a version that is not preferred where the preferred one has none. */
        {"ct", "stable.example.com/v1 crontabs"},
        {"crontabs.stable.example.com", "stable.example.com/v1 crontabs"},
        {"crontabs.v1beta1.stable.example.com", "stable.example.com/v1beta1 crontabs"},
        {"cronlogs", "stable.example.com/v1beta1 cronlogs"},
        {"cronlogs.v1.stable.example.com", "nothing"},
        {"crontabs.stable", "stable.example.com/v1 crontabs"},
        /* A kind that is not the singular is found in its own group only. */
        {"CronLogEntry", "nothing"},
        {"CronLogEntry.stable.example.com", "stable.example.com/v1beta1 cronlogs"},
        {"cronlogentry.stable.example.com", "stable.example.com/v1beta1 cronlogs"},
        {"Cronlogentry.stable.example.com", "nothing"},
        {"CronLogEntry.v1beta1.stable.example.com", "stable.example.com/v1beta1 cronlogs"},
        {"CronLogEntry.v1.stable.example.com", "nothing"},
        /* Of two with the same short name, the one whose group comes first. */
        {"sc", "storage.k8s.io/v1 storageclasses"},
        {"sc.charts.example.com", "charts.example.com/v1beta1 storagecharts"},
        {"sc.charts", "charts.example.com/v1beta1 storagecharts"},
        {"endpoints", "v1 endpoints"},
        {"PodList", "nothing"},
        {"nope", "nothing"},
    };
    kin__catalog *catalog = whole();

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        assert_means(catalog, rows[i].name, rows[i].means);
    kin__catalog_unref(catalog);
}

/* A name of one resource is not taken for the short name of another that is preferred. */
static void takes_names_before_short_names(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);

    (void)state;
    add_text(catalog,
             "{\"kind\":\"APIGroupDiscoveryList\",\"items\":["
             "{\"metadata\":{\"name\":\"first\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
             "{\"resource\":\"alphas\",\"singularResource\":\"alpha\",\"responseKind\":{\"kind\":"
             "\"Alpha\"},\"shortNames\":[\"betas\",\"gamma\",\"delta\"]}]}]},"
             "{\"metadata\":{\"name\":\"second\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
             "{\"resource\":\"betas\",\"singularResource\":\"beta\",\"responseKind\":{\"kind\":"
             "\"Beta\"}},"
             "{\"resource\":\"gammas\",\"singularResource\":\"gamma\",\"responseKind\":{\"kind\":"
             "\"Gamma\"}},"
             "{\"resource\":\"deltas\",\"responseKind\":{\"kind\":\"Delta\"}}]}]}]}");
    assert_means(catalog, "betas", "second/v1 betas");
    assert_means(catalog, "gamma", "second/v1 gammas");
    /* But a singular that is guessed is no name that was told. */
    assert_means(catalog, "delta", "first/v1 alphas");
    assert_means(catalog, "Delta", "second/v1 deltas");
    assert_means(catalog, "betas.first", "first/v1 alphas");
    kin__catalog_unref(catalog);
}

static void see(kin_resource *resource, void *arg)
{
    char *text = arg;
    size_t len = strlen(text);

    snprintf(text + len, 1024 - len, "%s%s/%s", len ? " " : "", kin_resource_api_version(resource),
             kin_resource_name(resource));
}

#define IN(name, verb, categories)                                                                 \
    "{\"resource\":\"" name "\",\"responseKind\":{\"kind\":\"K\"},\"shortNames\":[\"x\"],"         \
    "\"verbs\":[\"" verb "\"],\"categories\":[" categories "]}"
#define VERSION(name, resources) "{\"version\":\"" name "\",\"resources\":[" resources "]}"
#define GROUP(name, versions) "{\"metadata\":{\"name\":\"" name "\"},\"versions\":[" versions "]}"

static void tells_categories(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);
    char seen[1024] = "";

    (void)state;
    add_text(
        catalog,
        "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" GROUP(
            "b",
            VERSION(
                "v2",
                IN("twos", "list", "\"all\",7,\"\",\"b\"") "," IN(
                    "late", "list",
                    "")) "," VERSION("v1",
                                     IN("twos", "list", "\"all\"") "," IN(
                                         "late", "list",
                                         "\"all\""))) "," GROUP("a",
                                                                VERSION(
                                                                    "v1",
                                                                    IN("twos", "list", "\"all\"") "," IN(
                                                                        "writeonly", "create",
                                                                        "\"all\""))) "]}");
    /* Each once, in the version that is preferred and has it there; another group's is another one. */
    assert_code(kin__catalog_category(catalog, "all", see, seen, NULL), 0);
    assert_string_equal(seen, "b/v2/twos b/v1/late a/v1/twos");
    seen[0] = '\0';
    assert_code(kin__catalog_category(catalog, "b", see, seen, NULL), 0);
    assert_string_equal(seen, "b/v2/twos");
    seen[0] = '\0';
    /* Short names are none, nor is nothing. */
    assert_code(kin__catalog_category(catalog, "x", see, seen, NULL), KIN_ENOTFOUND);
    assert_code(kin__catalog_category(catalog, "", see, seen, NULL), KIN_ENOTFOUND);
    assert_string_equal(seen, "");
    kin__catalog_unref(catalog);
    /* Of documents of both formats. */
    for (int aggregated = 0; aggregated <= 1; aggregated++) {
        catalog = new_catalog(NULL);
        add_file(catalog, aggregated ? "aggregated-api-v2.json" : "api.json");
        add_file(catalog, aggregated ? "aggregated-apis-v2.json" : "apis.json");
        add_missing(catalog);
        seen[0] = '\0';
        assert_code(kin__catalog_category(catalog, "all", see, seen, NULL), 0);
        assert_non_null(strstr(seen, "v1/pods"));
        assert_non_null(strstr(seen, "apps/v1/deployments"));
        assert_null(strstr(seen, "configmaps"));
        kin__catalog_unref(catalog);
    }
}

/* As many as a server can name: all of them in two versions. */
static void a_category_may_have_tens_of_thousands(void **state)
{
    enum { N = 30000 };
    static char text[2][N * 100];
    kin__catalog *catalog = new_catalog(NULL);
    kin_error err = KIN_ERROR_INIT;
    size_t told = 0;

    (void)state;
    add_text(catalog, "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"g\",\"versions\":["
                      "{\"version\":\"v2\"},{\"version\":\"v1\"},{\"version\":\"gone\"}]}]}");
    for (size_t v = 0; v < 2; v++) {
        char *at = text[v];

        at += sprintf(at, "{\"kind\":\"APIResourceList\",\"resources\":[");
        for (int i = 0; i < N; i++)
            at += sprintf(at,
                          "%s{\"name\":\"r%d\",\"kind\":\"R%d\",\"verbs\":[\"list\"],"
                          "\"categories\":[\"c\"]}",
                          i ? "," : "", i, i);
        sprintf(at, "]}");
        assert_code(kin__catalog_add_resources(catalog, v, kin_str_of(text[v]), NULL), 0);
    }
    kin__catalog_give_up(catalog, 2);
    assert_code(kin__catalog_category(catalog, "c", count_one, &told, NULL), 0);
    assert_int_equal(told, N);
    assert_code(kin__catalog_category(catalog, "d", count_one, &told, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "the server has no category \"d\"; 1 of its 3 group versions "
                                     "could not be read");
    kin__catalog_unref(catalog);
}

static void names_what_is_near(void **state)
{
    static const struct {
        const char *name;
        const char *words;
    } rows[] = {
        {"deploymnet", "no resource \"deploymnet\"; near are deployments.apps"},
        {"deploymnets.apps", "; near are deployments.apps"},
        {"nod", "; near are nodes"},
        {"crontbs", "; near are crontabs.stable.example.com"},
        {"servise", "; near are services"},
        {"zzzzzz", "no resource \"zzzzzz\"; 1 of its 11 group"},
    };
    kin__catalog *catalog = whole();

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_resource *found = NULL;

        assert_code(kin__catalog_resolve(catalog, &found, rows[i].name, &err), KIN_ENOTFOUND);
        if (!strstr(err.message, rows[i].words))
            fail_msg("\"%s\" is not in \"%s\"", rows[i].words, err.message);
    }
    kin__catalog_unref(catalog);
}

static void names_three_at_most_the_nearest_first(void **state)
{
    kin__catalog *catalog = new_catalog(NULL);
    kin_error err = KIN_ERROR_INIT;
    kin_resource *found = NULL;

    (void)state;
    add_text(catalog, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    assert_code(
        kin__catalog_add_resources(
            catalog, 0,
            kin_str_of("{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"widgetxx\"},"
                       "{\"name\":\"widgetx\"},{\"name\":\"widgets\"},{\"name\":\"widgetyy\"},"
                       "{\"name\":\"widgety\"}]}"),
            NULL),
        0);
    assert_code(kin__catalog_resolve(catalog, &found, "widget", &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "the server has no resource \"widget\"; near are widgetx, "
                                     "widgets, widgety");
    kin__catalog_unref(catalog);
}

static void answers_odd_names(void **state)
{
    kin__catalog *catalog = whole();
    kin_resource *found = NULL;
    char longest[5000];

    (void)state;
    assert_code(kin__catalog_resolve(catalog, &found, "", NULL), KIN_EINVAL);
    assert_code(kin__catalog_resolve(catalog, &found, NULL, NULL), KIN_EINVAL);
    assert_code(kin__catalog_resolve(catalog, &found, ".apps", NULL), KIN_EINVAL);
    assert_code(kin__catalog_resolve(catalog, &found, "..", NULL), KIN_EINVAL);
    assert_means(catalog, "pods..", "v1 pods");
    assert_means(catalog, "a/b", "nothing");
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_means(catalog, longest, "nothing");
    kin__catalog_unref(catalog);

    catalog = new_catalog(NULL);
    assert_means(catalog, "pods", "nothing");
    kin__catalog_unref(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_kubectl_finds),
        cmocka_unit_test(takes_names_before_short_names),
        cmocka_unit_test(tells_categories),
        cmocka_unit_test(a_category_may_have_tens_of_thousands),
        cmocka_unit_test(names_what_is_near),
        cmocka_unit_test(names_three_at_most_the_nearest_first),
        cmocka_unit_test(answers_odd_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
