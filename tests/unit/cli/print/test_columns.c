/* SPDX-License-Identifier: Apache-2.0 */
/* What tables say of the kinds that are known, and of others. What is expected is what kubectl prints. */
#include <string.h>

#include "cli/print/columns.h"
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
        if ((columns->items[i].flags & COLUMN_WIDE) && !wide)
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

#define STATUS(name, members) "{\"name\":\"" name "\"," members "}"
#define LAST(time) "\"lastState\":{\"terminated\":{\"finishedAt\":\"2001-09-09T" time "Z\"}}"
#define RUNS "\"ready\":true,\"started\":true,\"state\":{\"running\":{}}"
#define INITS "\"initContainerStatuses\":["
#define MAINS "],\"containerStatuses\":["
#define SIDECAR                                                                                    \
    TWO ",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"s\",\"restartPolicy\":\"Always\"}]"
#define DONE STATUS("i", "\"restartCount\":7,\"state\":{\"terminated\":{\"exitCode\":0}}")

/* Init containers count while the Pod waits for them, sidecars always. */
static void init_containers_of_pods(void **state)
{
    (void)state;
    expect(
        "", "pods", false,
        POD(TWO ",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"j\"}]",
            "\"phase\":\"Pending\"," INITS STATUS(
                "i",
                "\"restartCount\":5," LAST(
                    "01:55:40") ",\"state\":{\"waiting\":{\"reason\":"
                                "\"CrashLoopBackOff\"}}") "," STATUS("j",
                                                                     "\"restartCount\":90,\"state\":{}") "]"),
        "0/2|Init:CrashLoopBackOff|5 (60s ago)|10m");
    /* Sidecars and containers together; the init container that is through is forgotten. */
    expect("", "pods", false,
           POD(SIDECAR, "\"phase\":\"Running\"," INITS DONE
                        "," STATUS("s", "\"restartCount\":4," LAST("01:55:40") "," RUNS)
                            MAINS STATUS("a", "\"restartCount\":1," LAST("01:50:00") "," RUNS) "]"),
           "2/3|Running|5 (60s ago)|10m");
    /* A sidecar that has not started holds the Pod up, and is not ready. */
    expect("", "pods", false,
           POD(SIDECAR,
               "\"phase\":\"Pending\"," INITS DONE "," STATUS(
                   "s",
                   "\"restartCount\":2,\"ready\":true,\"started\":false,\"state\":{\"running\":{}}")
                   MAINS STATUS("a", RUNS) "]"),
           "0/3|Init:1/2|9|10m");
    /* One that is not ready: it runs, and the Pod goes on. */
    expect("", "pods", false,
           POD(SIDECAR, "\"phase\":\"Running\"," INITS DONE "," STATUS(
                            "s", "\"ready\":false,\"started\":true,\"state\":{\"running\":{}}")
                            MAINS STATUS("a", RUNS) "]"),
           "1/3|Running|0|10m");
    /* Before the kubelet has said anything they are counted, too. */
    expect("", "pods", false, POD(SIDECAR, "\"phase\":\"Pending\""), "0/3|Pending|0|10m");
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
    expect("", "nodes", true, NAMED,
           "Unknown|<none>|10m||<none>|<none>|<unknown>|<unknown>|<unknown>");
    /* Each role once, in their order. */
    expect("", "nodes", false,
           "\"metadata\":{\"name\":\"x\"," CREATED ",\"labels\":{\"kubernetes.io/role\":\"node\","
           "\"node-role.kubernetes.io/node\":\"\",\"node-role.kubernetes.io/a\":\"\","
           "\"node-role.kubernetes.io/\":\"\"}}",
           "Unknown|a,node|10m|");
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
           "Suspended|0/1||10m");
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

#define SPEC(members) NAMED ",\"spec\":{" members "}"
#define BOTH(spec, status) NAMED ",\"spec\":{" spec "},\"status\":{" status "}"

static void network(void **state)
{
    (void)state;
    expect("", "services", false, SPEC("\"type\":\"LoadBalancer\",\"clusterIP\":\"10.0.0.1\""),
           "LoadBalancer|10.0.0.1|<pending>|<none>|10m");
    expect(
        "", "services", true,
        BOTH("\"type\":\"LoadBalancer\",\"externalIPs\":[\"2.2.2.2\"],\"selector\":{\"a\":\"b\"}",
             "\"loadBalancer\":{\"ingress\":[{\"ip\":\"1.1.1.1\"},{\"hostname\":\"h\"}]}"),
        "LoadBalancer|<none>|1.1.1.1,h,2.2.2.2|<none>|10m|a=b");
    expect("", "services", false, SPEC("\"type\":\"ExternalName\",\"externalName\":\"e.org\""),
           "ExternalName|<none>|e.org|<none>|10m");
    expect(
        "networking.k8s.io", "ingresses", false,
        BOTH(
            "\"ingressClassName\":\"nginx\",\"tls\":[{}],\"rules\":[{\"host\":\"a\"},{\"host\":\"b\"},"
            "{\"host\":\"c\"},{\"host\":\"d\"},{}]",
            "\"loadBalancer\":{\"ingress\":[{\"ip\":\"1.1.1.1\"}]}"),
        "nginx|a,b,c + 2 more...|1.1.1.1|80, 443|10m");
    expect("networking.k8s.io", "ingresses", false, SPEC("\"rules\":[{}]"), "<none>|*||80|10m");
    expect(
        "networking.k8s.io", "ingressclasses", false,
        SPEC(
            "\"controller\":\"c\",\"parameters\":{\"apiGroup\":\"g\",\"kind\":\"K\",\"name\":\"n\"}"),
        "c|K.g/n|10m");
    expect(
        "networking.k8s.io", "networkpolicies", false,
        SPEC(
            "\"podSelector\":{\"matchLabels\":{\"app\":\"web\"},\"matchExpressions\":["
            "{\"key\":\"t\",\"operator\":\"In\",\"values\":[\"a\",\"b\"]},"
            "{\"key\":\"c\",\"operator\":\"DoesNotExist\"},{\"key\":\"e\",\"operator\":\"Exists\"}]}"),
        "app=web,!c,e,t in (a,b)|10m");
    expect("networking.k8s.io", "networkpolicies", false, SPEC("\"podSelector\":{}"), "<none>|10m");
    expect("", "endpoints", false,
           NAMED ",\"subsets\":[{\"addresses\":[{\"ip\":\"1.1.1.1\"},{\"ip\":\"::1\"}],"
                 "\"ports\":[{\"port\":80},{\"port\":443}]}]",
           "1.1.1.1:80,[::1]:80,1.1.1.1:443 + 1 more...|10m");
    expect("", "endpoints", false, NAMED ",\"subsets\":[{\"addresses\":[{\"ip\":\"1.1.1.1\"}]}]",
           "1.1.1.1|10m");
    expect("", "endpoints", false, NAMED, "<none>|10m");
    expect("discovery.k8s.io", "endpointslices", false,
           NAMED ",\"addressType\":\"IPv4\",\"ports\":[{\"port\":80},{\"name\":\"x\"},{}],"
                 "\"endpoints\":[{\"addresses\":[\"1.1.1.1\"]},{\"addresses\":[\"2.2.2.2\"]}]",
           "IPv4|80,x,*|1.1.1.1,2.2.2.2|10m");
    expect("discovery.k8s.io", "endpointslices", false, NAMED, "<none>|<unset>|<unset>|10m");
}

static void storage(void **state)
{
    (void)state;
    expect(
        "", "persistentvolumes", true,
        BOTH(
            "\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteMany\",\"ReadWriteOnce\"],"
            "\"persistentVolumeReclaimPolicy\":\"Delete\",\"storageClassName\":\"fast\","
            "\"claimRef\":{\"namespace\":\"n\",\"name\":\"c\"},\"volumeMode\":\"Block\"",
            "\"phase\":\"Bound\""),
        "1Gi|RWO,RWX|Delete|Bound|n/c|fast|<unset>||10m|Block");
    expect(
        "", "persistentvolumeclaims", true,
        BOTH(
            "\"volumeName\":\"v\",\"storageClassName\":\"fast\"",
            "\"phase\":\"Bound\",\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOncePod\"]"),
        "Bound|v|1Gi|RWOP|fast|<unset>|10m|<unset>");
    expect("", "persistentvolumeclaims", false, BOTH("", "\"phase\":\"Pending\""),
           "Pending|||||<unset>|10m");
    expect("storage.k8s.io", "storageclasses", false, NAMED ",\"provisioner\":\"p\"",
           "p|Delete|Immediate|false|10m");
    expect("storage.k8s.io", "volumeattachments", false,
           BOTH("\"attacher\":\"a\",\"nodeName\":\"n\",\"source\":{\"persistentVolumeName\":\"v\"}",
                "\"attached\":true"),
           "a|v|n|true|10m");
}

#define METRIC(type, member, name, target)                                                         \
    "{\"type\":\"" type "\",\"" member "\":{\"name\":\"" name "\",\"target\":{" target "}}}"
#define CURRENT(member, value) "{\"" member "\":{\"current\":{" value "}}}"

static void policies(void **state)
{
    (void)state;
    expect(
        "autoscaling", "horizontalpodautoscalers", false,
        BOTH(
            "\"scaleTargetRef\":{\"kind\":\"Deployment\",\"name\":\"web\"},\"minReplicas\":2,\"maxReplicas\":5,"
            "\"metrics\":[" METRIC("Resource", "resource", "cpu", "\"averageUtilization\":80") "," METRIC(
                "Pods", "pods", "x", "\"averageValue\":\"100m\"") "," METRIC("External", "external",
                                                                             "y",
                                                                             "\"value\":\"3\"") "]",
            "\"currentReplicas\":3,\"currentMetrics\":[" CURRENT("resource",
                                                                 "\"averageUtilization\":12") "]"),
        "Deployment/web|cpu: 12%/80%, <unknown>/100m + 1 more...|2|5|3|10m");
    expect(
        "autoscaling", "horizontalpodautoscalers", false,
        SPEC(
            "\"scaleTargetRef\":{\"kind\":\"D\",\"name\":\"w\"},\"maxReplicas\":5,\"metrics\":[" METRIC(
                "External", "external", "y", "\"averageValue\":\"3\"") "]"),
        "D/w|<unknown>/3 (avg)|<unset>|5|0|10m");
    expect(
        "autoscaling", "horizontalpodautoscalers", false,
        BOTH(
            "\"scaleTargetRef\":{\"kind\":\"D\",\"name\":\"w\"},\"maxReplicas\":5,\"targetCPUUtilizationPercentage\":50",
            "\"currentCPUUtilizationPercentage\":7"),
        "D/w|cpu: 7%/50%|<unset>|5|0|10m");
    expect("policy", "poddisruptionbudgets", false,
           BOTH("\"minAvailable\":\"50%\"", "\"disruptionsAllowed\":1"), "50%|N/A|1|10m");
    expect(
        "", "resourcequotas", false,
        NAMED
        ",\"status\":{\"hard\":{\"limits.cpu\":\"4\",\"pods\":\"10\"},\"used\":{\"pods\":\"3\"}}",
        "pods: 3/10|limits.cpu: 0/4|10m");
    expect("", "limitranges", false, NAMED, "2001-09-09T01:46:40Z");
    expect("scheduling.k8s.io", "priorityclasses", false,
           NAMED ",\"value\":1000,\"preemptionPolicy\":\"Never\"", "1000|false|10m|Never");
    expect("", "serviceaccounts", false, NAMED ",\"secrets\":[{}]", "10m");
    expect(
        "rbac.authorization.k8s.io", "rolebindings", true,
        NAMED
        ",\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"u\"},"
        "{\"kind\":\"ServiceAccount\",\"namespace\":\"n\",\"name\":\"s\"},{\"kind\":\"User\",\"name\":\"v\"}]",
        "Role/r|10m|u, v||n/s");
}

static void what_guards_the_api(void **state)
{
    (void)state;
    expect(
        "certificates.k8s.io", "certificatesigningrequests", false,
        BOTH(
            "\"signerName\":\"s\",\"username\":\"u\",\"expirationSeconds\":3600",
            "\"conditions\":[{\"type\":\"Approved\"},{\"type\":\"Failed\"}],\"certificate\":\"eA==\""),
        "10m|s|u|60m|Approved,Failed,Issued");
    expect("certificates.k8s.io", "certificatesigningrequests", false,
           BOTH("", "\"conditions\":[{\"type\":\"Approved\"},{\"type\":\"Denied\"}]"),
           "10m|<none>||<none>|Denied");
    expect("admissionregistration.k8s.io", "validatingadmissionpolicybindings", false,
           SPEC("\"policyName\":\"p\",\"paramRef\":{\"selector\":{\"matchLabels\":{\"b\":\"2\","
                "\"a\":\"1\"}}}"),
           "p|a=1,b=2|10m");
    expect("admissionregistration.k8s.io", "validatingadmissionpolicybindings", false,
           SPEC("\"policyName\":\"p\",\"paramRef\":{\"name\":\"n\"}"), "p|*/n|10m");
    expect("apiregistration.k8s.io", "apiservices", false,
           BOTH("\"service\":{\"namespace\":\"n\",\"name\":\"s\"}",
                "\"conditions\":[{\"type\":\"Available\",\"status\":\"False\",\"reason\":\"R\"}]"),
           "n/s|False (R)|10m");
    expect("flowcontrol.apiserver.k8s.io", "flowschemas", false, SPEC("\"matchingPrecedence\":7"),
           "<none>|7|<none>|10m|?");
    expect("", "componentstatuses", false,
           NAMED ",\"conditions\":[{\"type\":\"Healthy\",\"status\":\"True\",\"message\":\"ok\"}]",
           "Healthy|ok|");
    expect("", "componentstatuses", false, NAMED, "Unknown||");
    expect("networking.k8s.io", "ipaddresses", false,
           SPEC("\"parentRef\":{\"resource\":\"services\",\"namespace\":\"n\",\"name\":\"s\"}"),
           "services/n/s");
    expect("storage.k8s.io", "csidrivers", false, NAMED,
           "true|false|false|<unset>|false|<none>|10m");
    expect("resource.k8s.io", "resourceclaims", false,
           NAMED ",\"status\":{\"allocation\":{},\"reservedFor\":[{}]}", "allocated,reserved|10m");
}

static void more_workloads(void **state)
{
    (void)state;
    expect(
        "", "replicationcontrollers", true,
        BOTH(
            "\"replicas\":2,\"selector\":{\"a\":\"b\"},\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
            "\"replicas\":1"),
        "2|1|0|10m|c|i|a=b");
    expect("apps", "daemonsets", false,
           SPEC("\"template\":{\"spec\":{\"nodeSelector\":{\"os\":\"linux\"}}}"),
           "0|0|0|0|0|os=linux|10m");
    expect(
        "batch", "cronjobs", true,
        SPEC(
            "\"schedule\":\"* * * * *\",\"suspend\":false,\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":"
            "{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"),
        "* * * * *|<none>|False|0|<none>|10m|c|i|<none>");
    expect(
        "batch", "jobs", true,
        SPEC(
            "\"parallelism\":3,\"selector\":{\"matchLabels\":{\"j\":\"1\"}},\"template\":{\"spec\":{\"containers\":"
            "[{\"name\":\"c\",\"image\":\"i\"}]}}"),
        "Running|0/1 of 3||10m|c|i|j=1");
    expect(
        "", "events", true,
        NAMED
        ",\"type\":\"Normal\",\"reason\":\"Started\",\"message\":\"m\",\"count\":4,"
        "\"firstTimestamp\":\"2001-09-09T01:46:40Z\",\"lastTimestamp\":\"2001-09-09T01:55:40Z\","
        "\"source\":{\"component\":\"kubelet\",\"host\":\"n1\"},"
        "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\",\"fieldPath\":\"spec.containers{c}\"}",
        "60s|Normal|Started|pod/p|spec.containers{c}|kubelet, n1|m|10m|4|x");
    /* A line per event; times that are there. */
    expect("", "events", false,
           NAMED ",\"message\":\" \\n one \\r\\n two\\n\",\"involvedObject\":{\"kind\":\"Pod\"},"
                 "\"firstTimestamp\":\"2001-09-09T01:55:40Z\"",
           "60s|||pod|one ...");
    expect("", "events", false, NAMED, "<unknown>||||");
    expect("apps", "controllerrevisions", false,
           "\"metadata\":{\"name\":\"x\"," CREATED
           ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":"
           "\"StatefulSet\",\"name\":\"w\",\"controller\":true}]},\"revision\":3",
           "statefulset.apps/w|3|10m");
}

/* The default one is marked behind its name. */
static void names_are_marked(void **state)
{
    const struct columns *columns = columns_of("storage.k8s.io", "storageclasses");
    const kin_object *object = NULL;
    struct text name = TEXT_INIT;

    (void)state;
    assert_null(columns_of("", "pods")->mark);
    assert_code(kin_object_from_json(
                    &object,
                    kin_str_of("{\"metadata\":{\"name\":\"s\",\"annotations\":{"
                               "\"storageclass.kubernetes.io/is-default-class\":\"true\"}}}"),
                    NULL, NULL),
                0);
    columns->mark(&name, object, now);
    assert_string_equal(text_string(&name), " (default)");
    text_done(&name);
    kin_object_unref(object);
}

static void others_have_their_age(void **state)
{
    (void)state;
    expect("example.com", "widgets", false, NAMED, "10m");
    expect("example.com", "pods", true, NAMED, "10m"); /* another group's pods are others */
    expect("metrics.k8s.io", "pods", true, NAMED, "10m");
    expect("metrics.k8s.io", "nodes", true, NAMED, "10m");
    assert_true(columns_are_known(columns_of("", "pods")));
    assert_false(columns_are_known(columns_of("metrics.k8s.io", "pods")));
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
        cmocka_unit_test(init_containers_of_pods),
        cmocka_unit_test(nodes),
        cmocka_unit_test(workloads),
        cmocka_unit_test(services),
        cmocka_unit_test(network),
        cmocka_unit_test(storage),
        cmocka_unit_test(policies),
        cmocka_unit_test(what_guards_the_api),
        cmocka_unit_test(more_workloads),
        cmocka_unit_test(names_are_marked),
        cmocka_unit_test(others_have_their_age),
    };

    return cmocka_run_group_tests_name("cli columns", tests, NULL, NULL);
}
