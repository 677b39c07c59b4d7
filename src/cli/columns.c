/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/columns.h"

#include <string.h>

#include "cli/age.h"
#include "cli/jsonpath.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

/* ---- small parts ---- */

static kin_value find(kin_value value, const char *path)
{
    kin_value found = {NULL, NULL};

    (void)kin_value_find(&found, value, kin_str_of(path), NULL);
    return found;
}

static long long number(const kin_object *object, const char *path, long long otherwise)
{
    int64_t n = otherwise;

    (void)kin_value_int64(&n, kin_object_find(object, path));
    return n;
}

/* false: there is no string, or an empty one. */
static bool add_text(struct text *out, kin_value value)
{
    kin_scratch scratch;
    kin_str s;

    if (kin_value_string(&s, value, &scratch) < 0 || s.len == 0)
        return false;
    text_add(out, s);
    return true;
}

static void add_value(struct text *out, kin_value value)
{
    const struct jsonpath_value v = {JSONPATH_VALUE, value, {NULL, 0}, 0, NULL};

    if (kin_value_type(value) > KIN_NULL)
        jsonpath_value_print(out, &v);
}

static void add_comma(struct text *out, size_t start)
{
    if (out->len > start)
        text_add_char(out, ',');
}

/* "a=b,c=d" */
static void add_pairs(struct text *out, kin_value map)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, map);
    while (kin_iter_next(&it)) {
        add_comma(out, start);
        text_add(out, it.key);
        text_add_char(out, '=');
        add_value(out, it.value);
    }
}

/* A member of each item, with commas between. */
static void add_members(struct text *out, kin_value array, const char *member)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, array);
    while (kin_iter_next(&it)) {
        add_comma(out, start);
        add_value(out, find(it.value, member));
    }
}

static bool is_equal(kin_value value, const char *text)
{
    kin_scratch scratch;
    kin_str s;

    return kin_value_string(&s, value, &scratch) == 0 && kin_str_equal(s, kin_str_of(text));
}

/* The last of that type. */
static kin_value condition_of(const kin_object *object, const char *type)
{
    kin_value found = {NULL, NULL};
    kin_iter it;

    kin_iter_init(&it, kin_object_find(object, "status.conditions"));
    while (kin_iter_next(&it)) {
        if (is_equal(find(it.value, "type"), type))
            found = it.value;
    }
    return found;
}

/* ---- of many kinds ---- */

static void age(struct text *out, const kin_object *object, int64_t now)
{
    add_age(out, kin_object_find(object, "metadata.creationTimestamp"), now);
}

static void containers(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    add_members(out, kin_object_find(object, "spec.template.spec.containers"), "name");
}

static void images(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    add_members(out, kin_object_find(object, "spec.template.spec.containers"), "image");
}

static void match_labels(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    add_pairs(out, kin_object_find(object, "spec.selector.matchLabels"));
}

static void ready_of_replicas(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    text_format(out, "%lld/%lld", number(object, "status.readyReplicas", 0),
                number(object, "spec.replicas", 1));
}

/* A count that is left out if it is 0. */
#define COUNT(name, path, otherwise)                                                               \
    static void name(struct text *out, const kin_object *object, int64_t now)                      \
    {                                                                                              \
        (void)now;                                                                                 \
        text_format(out, "%lld", number(object, path, otherwise));                                 \
    }
COUNT(desired, "spec.replicas", 1)
COUNT(replicas, "status.replicas", 0)
COUNT(ready_replicas, "status.readyReplicas", 0)
COUNT(updated_replicas, "status.updatedReplicas", 0)
COUNT(available_replicas, "status.availableReplicas", 0)
COUNT(desired_scheduled, "status.desiredNumberScheduled", 0)
COUNT(current_scheduled, "status.currentNumberScheduled", 0)
COUNT(number_ready, "status.numberReady", 0)
COUNT(updated_scheduled, "status.updatedNumberScheduled", 0)
COUNT(number_available, "status.numberAvailable", 0)

static void data_len(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    text_format(out, "%zu",
                kin_value_len(kin_object_find(object, "data")) +
                    kin_value_len(kin_object_find(object, "binaryData")));
}

/* ---- nodes ---- */

static void node_status(struct text *out, const kin_object *node, int64_t now)
{
    kin_value ready = condition_of(node, "Ready");
    bool closed = false;

    (void)now;
    text_add_string(out, kin_value_type(ready) == KIN_NONE         ? "Unknown"
                         : is_equal(find(ready, "status"), "True") ? "Ready"
                                                                   : "NotReady");
    (void)kin_value_bool(&closed, kin_object_find(node, "spec.unschedulable"));
    text_add_string(out, closed ? ",SchedulingDisabled" : "");
}

static void node_roles(struct text *out, const kin_object *node, int64_t now)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    size_t start = out->len;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(node, "metadata.labels"));
    while (kin_iter_next(&it)) {
        size_t len = sizeof(prefix) - 1;

        if (it.key.len <= len || memcmp(it.key.data, prefix, len) != 0)
            continue;
        add_comma(out, start);
        text_add(out, kin_str_make(it.key.data + len, it.key.len - len));
    }
}

static void add_address(struct text *out, const kin_object *node, const char *wanted)
{
    kin_iter it;

    kin_iter_init(&it, kin_object_find(node, "status.addresses"));
    while (kin_iter_next(&it)) {
        struct text type = TEXT_INIT;
        bool found = add_text(&type, find(it.value, "type")) &&
                     strcmp(text_string(&type), wanted) == 0 &&
                     add_text(out, find(it.value, "address"));

        text_done(&type);
        if (found)
            return;
    }
}

static void internal_ip(struct text *out, const kin_object *node, int64_t now)
{
    (void)now;
    add_address(out, node, "InternalIP");
}

static void external_ip(struct text *out, const kin_object *node, int64_t now)
{
    (void)now;
    add_address(out, node, "ExternalIP");
}

/* ---- services, jobs, events ---- */

static void service_external(struct text *out, const kin_object *service, int64_t now)
{
    kin_value ingress = kin_object_find(service, "status.loadBalancer.ingress");
    size_t start = out->len;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(service, "spec.externalIPs"));
    while (kin_iter_next(&it)) {
        add_comma(out, start);
        add_value(out, it.value);
    }
    kin_iter_init(&it, ingress);
    while (kin_iter_next(&it)) {
        add_comma(out, start);
        if (!add_text(out, find(it.value, "ip")))
            (void)add_text(out, find(it.value, "hostname"));
    }
    if (out->len == start)
        (void)add_text(out, kin_object_find(service, "spec.externalName"));
}

static void service_ports(struct text *out, const kin_object *service, int64_t now)
{
    size_t start = out->len;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(service, "spec.ports"));
    while (kin_iter_next(&it)) {
        kin_value node_port = find(it.value, "nodePort");

        add_comma(out, start);
        add_value(out, find(it.value, "port"));
        if (kin_value_type(node_port) > KIN_NULL) {
            text_add_char(out, ':');
            add_value(out, node_port);
        }
        text_add_char(out, '/');
        add_value(out, find(it.value, "protocol"));
    }
}

static void service_selector(struct text *out, const kin_object *service, int64_t now)
{
    (void)now;
    add_pairs(out, kin_object_find(service, "spec.selector"));
}

static void job_status(struct text *out, const kin_object *job, int64_t now)
{
    static const char *const types[] = {"Complete",  "Failed",        NULL,
                                        "Suspended", "FailureTarget", "SuccessCriteriaMet"};
    bool is_leaving = kin_value_type(kin_object_find(job, "metadata.deletionTimestamp")) > KIN_NULL;

    (void)now;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i] ? is_equal(find(condition_of(job, types[i]), "status"), "True") : is_leaving) {
            text_add_string(out, types[i] ? types[i] : "Terminating");
            return;
        }
    }
    text_add_string(out, "Running");
}

static void job_completions(struct text *out, const kin_object *job, int64_t now)
{
    (void)now;
    text_format(out, "%lld/%lld", number(job, "status.succeeded", 0),
                number(job, "spec.completions", 1));
}

static void job_duration(struct text *out, const kin_object *job, int64_t now)
{
    kin_time start;
    kin_time end = {now, 0};

    if (kin_value_time(&start, kin_object_find(job, "status.startTime")) < 0)
        return;
    (void)kin_value_time(&end, kin_object_find(job, "status.completionTime"));
    add_duration(out, end.seconds - start.seconds);
}

static void last_schedule(struct text *out, const kin_object *job, int64_t now)
{
    kin_value last = kin_object_find(job, "status.lastScheduleTime");

    if (kin_value_type(last) > KIN_NULL)
        add_age(out, last, now);
}

static void active_jobs(struct text *out, const kin_object *job, int64_t now)
{
    (void)now;
    text_format(out, "%zu", kin_value_len(kin_object_find(job, "status.active")));
}

static void event_seen(struct text *out, const kin_object *event, int64_t now)
{
    static const char *const paths[] = {"series.lastObservedTime", "lastTimestamp",
                                        "deprecatedLastTimestamp", "eventTime",
                                        "metadata.creationTimestamp"};
    kin_time t;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (kin_value_time(&t, kin_object_find(event, paths[i])) == 0) {
            add_duration(out, now - t.seconds);
            return;
        }
    }
}

static void event_object(struct text *out, const kin_object *event, int64_t now)
{
    kin_value about = kin_object_find(event, "involvedObject");
    size_t start = out->len;

    (void)now;
    if (kin_value_type(about) == KIN_NONE)
        about = kin_object_find(event, "regarding");
    (void)add_text(out, find(about, "kind"));
    for (size_t i = start; i < out->len; i++) {
        if (out->data[i] >= 'A' && out->data[i] <= 'Z')
            out->data[i] = (char)(out->data[i] - 'A' + 'a');
    }
    text_add_char(out, '/');
    (void)add_text(out, find(about, "name"));
}

static void event_message(struct text *out, const kin_object *event, int64_t now)
{
    (void)now;
    if (!add_text(out, kin_object_find(event, "message")))
        (void)add_text(out, kin_object_find(event, "note"));
}

/* ---- the table ---- */

#define AGE                                                                                        \
    {                                                                                              \
        "AGE", false, NULL, age                                                                    \
    }
#define TEMPLATE                                                                                   \
    {"CONTAINERS", true, NULL, containers},                                                        \
    {                                                                                              \
        "IMAGES", true, NULL, images                                                               \
    }
#define SELECTOR                                                                                   \
    {                                                                                              \
        "SELECTOR", true, NULL, match_labels                                                       \
    }

static const struct column pods[] = {
    {"READY", false, NULL, pod_ready},
    {"STATUS", false, NULL, pod_status},
    {"RESTARTS", false, NULL, pod_restarts},
    AGE,
    {"IP", true, "status.podIP", NULL},
    {"NODE", true, "spec.nodeName", NULL},
    {"NOMINATED NODE", true, "status.nominatedNodeName", NULL},
    {"READINESS GATES", true, NULL, pod_gates},
};
static const struct column nodes[] = {
    {"STATUS", false, NULL, node_status},
    {"ROLES", false, NULL, node_roles},
    AGE,
    {"VERSION", false, "status.nodeInfo.kubeletVersion", NULL},
    {"INTERNAL-IP", true, NULL, internal_ip},
    {"EXTERNAL-IP", true, NULL, external_ip},
    {"OS-IMAGE", true, "status.nodeInfo.osImage", NULL},
    {"KERNEL-VERSION", true, "status.nodeInfo.kernelVersion", NULL},
    {"CONTAINER-RUNTIME", true, "status.nodeInfo.containerRuntimeVersion", NULL},
};
static const struct column deployments[] = {
    {"READY", false, NULL, ready_of_replicas},
    {"UP-TO-DATE", false, NULL, updated_replicas},
    {"AVAILABLE", false, NULL, available_replicas},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column replica_sets[] = {
    {"DESIRED", false, NULL, desired},
    {"CURRENT", false, NULL, replicas},
    {"READY", false, NULL, ready_replicas},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column stateful_sets[] = {
    {"READY", false, NULL, ready_of_replicas},
    AGE,
    TEMPLATE,
};
static const struct column daemon_sets[] = {
    {"DESIRED", false, NULL, desired_scheduled},
    {"CURRENT", false, NULL, current_scheduled},
    {"READY", false, NULL, number_ready},
    {"UP-TO-DATE", false, NULL, updated_scheduled},
    {"AVAILABLE", false, NULL, number_available},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column services[] = {
    {"TYPE", false, "spec.type", NULL},
    {"CLUSTER-IP", false, "spec.clusterIP", NULL},
    {"EXTERNAL-IP", false, NULL, service_external},
    {"PORT(S)", false, NULL, service_ports},
    AGE,
    {"SELECTOR", true, NULL, service_selector},
};
static const struct column namespaces[] = {{"STATUS", false, "status.phase", NULL}, AGE};
static const struct column config_maps[] = {{"DATA", false, NULL, data_len}, AGE};
static const struct column secrets[] = {
    {"TYPE", false, "type", NULL},
    {"DATA", false, NULL, data_len},
    AGE,
};
static const struct column leases[] = {{"HOLDER", false, "spec.holderIdentity", NULL}, AGE};
static const struct column jobs[] = {
    {"STATUS", false, NULL, job_status},
    {"COMPLETIONS", false, NULL, job_completions},
    {"DURATION", false, NULL, job_duration},
    AGE,
    TEMPLATE,
};
static const struct column cron_jobs[] = {
    {"SCHEDULE", false, "spec.schedule", NULL},    {"TIMEZONE", false, "spec.timeZone", NULL},
    {"SUSPEND", false, "spec.suspend", NULL},      {"ACTIVE", false, NULL, active_jobs},
    {"LAST SCHEDULE", false, NULL, last_schedule}, AGE,
};
static const struct column volume_claims[] = {
    {"STATUS", false, "status.phase", NULL},
    {"VOLUME", false, "spec.volumeName", NULL},
    {"CAPACITY", false, "status.capacity.storage", NULL},
    {"STORAGECLASS", false, "spec.storageClassName", NULL},
    AGE,
    {"VOLUMEMODE", true, "spec.volumeMode", NULL},
};
static const struct column definitions[] = {
    {"CREATED AT", false, "metadata.creationTimestamp", NULL}};
static const struct column events[] = {
    {"LAST SEEN", false, NULL, event_seen},  {"TYPE", false, "type", NULL},
    {"REASON", false, "reason", NULL},       {"OBJECT", false, NULL, event_object},
    {"MESSAGE", false, NULL, event_message}, {"NAME", true, "metadata.name", NULL},
};
static const struct column others[] = {AGE};

#define COLUMNS(resource, no_name, items)                                                          \
    {                                                                                              \
        resource, no_name, items, sizeof(items) / sizeof((items)[0])                               \
    }
static const struct columns known[] = {
    COLUMNS("pods", false, pods),
    COLUMNS("nodes", false, nodes),
    COLUMNS("deployments", false, deployments),
    COLUMNS("replicasets", false, replica_sets),
    COLUMNS("statefulsets", false, stateful_sets),
    COLUMNS("daemonsets", false, daemon_sets),
    COLUMNS("services", false, services),
    COLUMNS("namespaces", false, namespaces),
    COLUMNS("configmaps", false, config_maps),
    COLUMNS("secrets", false, secrets),
    COLUMNS("leases", false, leases),
    COLUMNS("jobs", false, jobs),
    COLUMNS("cronjobs", false, cron_jobs),
    COLUMNS("persistentvolumeclaims", false, volume_claims),
    COLUMNS("customresourcedefinitions", false, definitions),
    COLUMNS("events", true, events),
};
static const struct columns unknown = COLUMNS(NULL, false, others);

const struct columns *columns_of(const char *group, const char *resource)
{
    bool is_built_in = !strchr(group, '.') ||
                       (strlen(group) > 7 && strcmp(group + strlen(group) - 7, ".k8s.io") == 0);

    for (size_t i = 0; is_built_in && i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].resource, resource) == 0)
            return &known[i];
    }
    return &unknown;
}

void column_print(const struct column *column, struct text *out, const kin_object *object,
                  int64_t now)
{
    size_t start = out->len;

    if (column->path)
        add_value(out, kin_object_find(object, column->path));
    else
        column->fn(out, object, now);
    if (out->len == start)
        text_add_string(out, "<none>");
}
