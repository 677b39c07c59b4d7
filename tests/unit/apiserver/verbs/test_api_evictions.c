/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evictions, with and without budgets, as a kube-apiserver 1.36 has answered them.
 */
#include "kin_test.h"

#include <string.h>

#include "api_test.h"
#include "base/compiler.h"

#define PODS "/api/v1/namespaces/default/pods"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define MERGE "merge-patch+json"

static void make_pod(const char *name, const char *status)
{
    char body[256];
    char path[128];

    snprintf(body, sizeof(body),
             "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"web\"}},\"spec\":{\"nodeName\":"
             "\"n\",\"terminationGracePeriodSeconds\":5}}",
             name);
    kin_test_send(&api, 201, "POST " PODS, body);
    snprintf(body, sizeof(body), "{\"status\":%s}", status);
    snprintf(path, sizeof(path), PODS "/%s/status", name);
    kin_test_patch(&api, 200, path, MERGE, body);
}

#define READY "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}"
#define UNREADY "{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}]}"

static void make_budget(const char *name, const char *spec, const char *status)
{
    char body[256];
    char path[128];

    snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"},\"spec\":%s}", name, spec);
    kin_test_send(&api, 201, "POST " BUDGETS, body);
    if (!status)
        return;
    snprintf(body, sizeof(body), "{\"status\":%s}", status);
    snprintf(path, sizeof(path), BUDGETS "/%s/status", name);
    kin_test_patch(&api, 200, path, MERGE, body);
}

#define OF_WEB "{\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}"

static const char *evict(int status, const char *name)
{
    char line[128];
    char body[128];

    snprintf(line, sizeof(line), "POST " PODS "/%s/eviction", name);
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"%s\"}}",
             name);
    return kin_test_send(&api, status, line, body);
}

static const char *pod(const char *name)
{
    char line[128];

    snprintf(line, sizeof(line), "GET " PODS "/%s", name);
    return kin_test_get(&api, 200, line);
}

static void without_a_budget(void **unused)
{
    (void)unused;
    make_pod("a", READY);
    HAS(evict(201, "a"), "\"status\":\"Success\",\"code\":201}");
    HAS(pod("a"), "\"deletionGracePeriodSeconds\":5");
    HAS(pod("a"), "{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":"
                  "\"EvictionByEvictionAPI\",\"message\":\"Eviction API: evicting\","
                  "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}");
    evict(201, "a");
    HAS(evict(404, "none"), "pods \\\"none\\\" not found");
}

static void bodies(void **unused)
{
    static const struct {
        const char *body;
        int status;
        const char *words;
    } cases[] = {
        {"{}", 400, "name in URL does not match name in Eviction object"},
        {"{\"metadata\":{\"name\":\"b\"}}", 400, "name in URL does not match"},
        {"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}", 400,
         "cannot be handled as a Eviction"},
        {"{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"}}", 400,
         "does not match the namespace"},
        {"{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":1}", 400,
         "number into Go struct field Eviction.deleteOptions of type v1.DeleteOptions"},
        {"{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"propagationPolicy\":\"x\"}}", 422,
         "propagationPolicy"},
        {"{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"preconditions\":{\"uid\":\"x\"}}}",
         409, "the UID in the precondition (x) does not match"},
        {"{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"dryRun\":[\"All\"]}}", 201,
         "Success"},
        {"{\"apiVersion\":\"policy/v1beta1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"a\"},"
         "\"deleteOptions\":{\"dryRun\":[\"All\"]}}",
         201, "Success"},
    };

    (void)unused;
    make_pod("a", READY);
    for (size_t i = 0; i < kin__array_len(cases); i++)
        HAS(kin_test_send(&api, cases[i].status, "POST " PODS "/a/eviction", cases[i].body),
            cases[i].words);
    kin_test_assert_has_not(pod("a"), "deletionTimestamp");
    kin_test_assert_has_not(pod("a"), "DisruptionTarget");
    kin_test_send(&api, 201, "POST " PODS "/a/eviction",
                  "{\"metadata\":{\"name\":\"a\"},\"deleteOptions\":{\"gracePeriodSeconds\":0}}");
    kin_test_get(&api, 404, "GET " PODS "/a");
    kin_test_get(&api, 405, "GET " PODS "/a/eviction");
}

static void a_budget_that_refuses(void **unused)
{
    (void)unused;
    make_pod("a", READY);
    make_pod("done", "{\"phase\":\"Succeeded\"}");
    make_pod("waiting", "{\"phase\":\"Pending\"}");
    make_budget("other", "{\"selector\":{\"matchLabels\":{\"app\":\"db\"}}}", NULL);
    make_budget("none", "{}", NULL);
    make_budget("web", OF_WEB, NULL);
    HAS(evict(429, "a"),
        "\"message\":\"Cannot evict pod as it would violate the pod's disruption budget.\","
        "\"reason\":\"TooManyRequests\",\"details\":{\"causes\":[{\"reason\":\"DisruptionBudget\","
        "\"message\":\"The disruption budget web is still being processed by the server.\"}],"
        "\"retryAfterSeconds\":10},\"code\":429}");
    kin_test_patch(&api, 200, BUDGETS "/web/status", MERGE,
                   "{\"status\":{\"observedGeneration\":1,\"currentHealthy\":1,"
                   "\"desiredHealthy\":1}}");
    HAS(evict(429, "a"), "\"details\":{\"causes\":[{\"reason\":\"DisruptionBudget\",\"message\":"
                         "\"The disruption budget web needs 1 healthy pods and has 1 "
                         "currently\"}]},\"code\":429}");
    kin_test_patch(&api, 200, BUDGETS "/web/status", MERGE, "{\"status\":{\"currentHealthy\":5}}");
    HAS(evict(429, "a"), "The disruption budget web does not allow evicting pods currently\"");
    kin_test_patch(&api, 200, BUDGETS "/web/status", MERGE,
                   "{\"status\":{\"disruptionsAllowed\":-1}}");
    HAS(evict(403, "a"), "pdb disruptions allowed is negative");
    kin_test_assert_has_not(pod("a"), "deletionTimestamp");
    /* Those do not run, so that nobody misses them. */
    evict(201, "done");
    evict(201, "waiting");
}

static void a_budget_is_charged(void **unused)
{
    (void)unused;
    make_pod("a", READY);
    make_pod("b", READY);
    make_budget("web", OF_WEB,
                "{\"observedGeneration\":1,\"disruptionsAllowed\":1,\"currentHealthy\":2,"
                "\"desiredHealthy\":1}");
    kin_test_send(&api, 201, "POST " PODS "/a/eviction?dryRun=All",
                  "{\"metadata\":{\"name\":\"a\"}}");
    HAS(kin_test_get(&api, 200, "GET " BUDGETS "/web"), "\"disruptionsAllowed\":1");
    evict(201, "a");
    HAS(pod("a"), "deletionTimestamp");
    const char *text = kin_test_get(&api, 200, "GET " BUDGETS "/web");
    HAS(text, "\"disruptionsAllowed\":0");
    HAS(text, "\"disruptedPods\":{\"a\":\"2026-01-01T00:00:00Z\"}");
    HAS(text,
        "\"type\":\"DisruptionAllowed\",\"status\":\"False\",\"reason\":\"InsufficientPods\"");
    HAS(text, "\"generation\":1");
    evict(429, "b");
    /* Who is on its way costs nothing more. */
    evict(201, "a");
}

static void pods_that_are_not_ready(void **unused)
{
    (void)unused;
    make_pod("a", UNREADY);
    make_pod("b", UNREADY);
    make_budget("web", OF_WEB,
                "{\"observedGeneration\":1,\"currentHealthy\":0,\"desiredHealthy\":1}");
    evict(429, "a");
    kin_test_patch(&api, 200, BUDGETS "/web/status", MERGE, "{\"status\":{\"currentHealthy\":1}}");
    evict(201, "a");
    kin_test_patch(&api, 200, BUDGETS "/web/status", MERGE, "{\"status\":{\"currentHealthy\":0}}");
    evict(429, "b");
    kin_test_patch(&api, 200, BUDGETS "/web", MERGE,
                   "{\"spec\":{\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"}}");
    evict(201, "b");
}

static void two_budgets(void **unused)
{
    (void)unused;
    make_pod("a", READY);
    make_budget("one", OF_WEB, NULL);
    make_budget("two", "{\"selector\":{}}", NULL);
    HAS(evict(500, "a"), "This pod has more than one PodDisruptionBudget");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_budget),        TEST(bodies),
        TEST(a_budget_that_refuses),   TEST(a_budget_is_charged),
        TEST(pods_that_are_not_ready), TEST(two_budgets),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
