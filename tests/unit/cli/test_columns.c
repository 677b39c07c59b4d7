/* SPDX-License-Identifier: Apache-2.0 */
/* What tables say of the kinds that are known, and of others. What is expected is what kubectl prints. */
#include <string.h>

#include "cli/columns.h"
#include "kin_test.h"
#include "kinform/json.h"

static const int64_t now = 1000000600; /* ten minutes after 2001-09-09T01:46:40Z */
#define CREATED "\"creationTimestamp\":\"2001-09-09T01:46:40Z\""

/* The cells of an object, with a bar between. */
static void expect(const char *group, const char *resource, bool wide, const char *members,
                   const char *expected)
{
    const struct columns *columns = columns_of(group, resource);
    struct text json = TEXT_INIT;
    struct text cells = TEXT_INIT;
    const kin_object *object = NULL;

    text_format(&json, "{\"apiVersion\":\"v1\",\"kind\":\"K\",%s}", members);
    assert_code(kin_object_from_json(&object, text_view(&json), NULL, NULL), 0);
    for (size_t i = 0; i < columns->len; i++) {
        if (columns->items[i].wide && !wide)
            continue;
        text_add_string(&cells, cells.len > 0 ? "|" : "");
        column_print(&columns->items[i], &cells, object, now);
    }
    if (strcmp(text_string(&cells), expected) != 0)
        fail_msg("%s: %s instead of %s", resource, text_string(&cells), expected);
    kin_object_unref(object);
    text_done(&cells);
    text_done(&json);
}

#define NAMED "\"metadata\":{\"name\":\"x\"," CREATED "}"
#define POD(spec, status) NAMED ",\"spec\":{" spec "},\"status\":{" status "}"
#define TWO "\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]"

static void pods(void **state)
{
    (void)state;
    expect("", "pods", false, POD(TWO, "\"phase\":\"Pending\""), "0/2|Pending|0|10m");
    expect("", "pods", false, NAMED, "0/0|<none>|0|10m");
    expect("", "pods", false,
           POD(TWO,
               "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"ready\":true,"
               "\"state\":{\"running\":{}},\"restartCount\":2,\"lastState\":{\"terminated\":"
               "{\"finishedAt\":\"2001-09-09T01:55:40Z\"}}},{\"name\":\"b\",\"ready\":false,"
               "\"restartCount\":3,\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}}]"),
           "1/2|CrashLoopBackOff|5 (60s ago)|10m");
    expect("", "pods", false,
           POD(TWO, "\"phase\":\"Succeeded\",\"containerStatuses\":[{\"state\":{\"terminated\":"
                    "{\"reason\":\"Completed\",\"exitCode\":0}}}]"),
           "0/2|Completed|0|10m");
    expect("", "pods", false,
           POD(TWO, "\"phase\":\"Failed\",\"containerStatuses\":[{\"state\":{\"terminated\":"
                    "{\"exitCode\":0,\"signal\":9}}}]"),
           "0/2|Signal:9|0|10m");
    expect(
        "", "pods", false,
        POD(TWO ",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"j\"}]",
            "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"terminated\":"
            "{\"exitCode\":0}}},{\"name\":\"j\",\"state\":{\"waiting\":{\"reason\":\"PodInitializing\"}}}]"),
        "0/2|Init:1/2|0|10m");
    expect("", "pods", false, POD(TWO, "\"phase\":\"Failed\",\"reason\":\"Evicted\""),
           "0/2|Evicted|0|10m");
    expect("", "pods", true,
           "\"metadata\":{\"name\":\"x\",\"deletionTimestamp\":\"2001-09-09T01:46:40Z\"," CREATED
           "},\"spec\":{\"nodeName\":\"n1\"," TWO
           "},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\"}",
           "0/2|Terminating|0|10m|10.0.0.1|n1|<none>|<none>");
}

static void nodes(void **state)
{
    (void)state;
    expect(
        "", "nodes", false,
        "\"metadata\":{\"name\":\"n\"," CREATED
        ",\"labels\":{\"node-role.kubernetes.io/control-plane\":\"\",\"x\":\"y\"}},"
        "\"spec\":{\"unschedulable\":true},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
        "\"nodeInfo\":{\"kubeletVersion\":\"v1.30.1\"}}",
        "Ready,SchedulingDisabled|control-plane|10m|v1.30.1");
    expect("", "nodes", false, NAMED, "Unknown|<none>|10m|<none>");
}

static void workloads(void **state)
{
    (void)state;
    expect(
        "apps", "deployments", true,
        NAMED
        ",\"spec\":{\"replicas\":3,\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"spec\":"
        "{\"containers\":[{\"name\":\"a\",\"image\":\"i:1\"},{\"name\":\"b\",\"image\":\"i:2\"}]}}},"
        "\"status\":{\"readyReplicas\":2,\"updatedReplicas\":3,\"availableReplicas\":1}",
        "2/3|3|1|10m|a,b|i:1,i:2|app=web");
    expect("apps", "replicasets", false, NAMED ",\"spec\":{\"replicas\":0}", "0|0|0|10m");
    expect("batch", "jobs", false,
           NAMED ",\"spec\":{\"completions\":2},\"status\":{\"succeeded\":1,"
                 "\"startTime\":\"2001-09-09T01:46:40Z\"}",
           "Running|1/2|10m|10m");
    expect("batch", "jobs", false,
           NAMED ",\"status\":{\"conditions\":[{\"type\":\"Failed\",\"status\":\"False\"},"
                 "{\"type\":\"Suspended\",\"status\":\"True\"}]}",
           "Suspended|0/1|<none>|10m");
}

static void services(void **state)
{
    (void)state;
    expect("", "services", false,
           NAMED
           ",\"spec\":{\"type\":\"NodePort\",\"clusterIP\":\"10.0.0.1\",\"ports\":[{\"port\":80,"
           "\"nodePort\":30080,\"protocol\":\"TCP\"},{\"port\":53,\"protocol\":\"UDP\"}]}",
           "NodePort|10.0.0.1|<none>|80:30080/TCP,53/UDP|10m");
}

static void others_have_their_age(void **state)
{
    (void)state;
    expect("example.com", "widgets", false, NAMED, "10m");
    expect("example.com", "pods", true, NAMED, "10m"); /* another group's pods are others */
    expect("", "configmaps", false, NAMED ",\"data\":{\"a\":\"1\"},\"binaryData\":{\"b\":\"2\"}",
           "2|10m");
    expect("coordination.k8s.io", "leases", false, NAMED ",\"spec\":{\"holderIdentity\":\"me\"}",
           "me|10m");
    expect("", "widgets", false, "\"metadata\":{\"name\":\"x\"}", "<unknown>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods),
        cmocka_unit_test(nodes),
        cmocka_unit_test(workloads),
        cmocka_unit_test(services),
        cmocka_unit_test(others_have_their_age),
    };

    return cmocka_run_group_tests_name("cli columns", tests, NULL, NULL);
}
