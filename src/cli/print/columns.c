/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/columns_inside.h"

#include <string.h>

#include "cli/print/age.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

/* --- of many kinds --- */

void column_age(struct text *out, const kin_object *object, int64_t now)
{
    add_age(out, kin_object_find(object, "metadata.creationTimestamp"), now);
}

static void containers(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "spec.template.spec.containers"), "name");
}

static void images(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "spec.template.spec.containers"), "image");
}

static void match_labels(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_selector(out, kin_object_find(object, "spec.selector"));
}

static void node_selector(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_pairs(out, kin_object_find(object, "spec.template.spec.nodeSelector"));
}

/* Of those that are older than selectors of sets. */
static void plain_selector(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_pairs(out, kin_object_find(object, "spec.selector"));
}

static void template_containers(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "template.spec.containers"), "name");
}

static void template_images(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "template.spec.containers"), "image");
}

static void template_labels(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_pairs(out, kin_object_find(object, "template.metadata.labels"));
}

/* "statefulset.apps/web" */
static void revision_owner(struct text *out, const kin_object *revision, int64_t now)
{
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(revision, "metadata.ownerReferences"));
    while (kin_iter_next(&it)) {
        struct text version = TEXT_INIT;
        bool is_controller = false;

        (void)kin_value_bool(&is_controller, cell_find(it.value, "controller"));
        if (!is_controller)
            continue;
        cell_add_lower(out, cell_find(it.value, "kind"));
        cell_add_value(&version, cell_find(it.value, "apiVersion"));
        const char *slash = strchr(text_string(&version), '/');
        if (slash)
            text_format(out, ".%.*s", (int)(slash - version.data), version.data);
        text_add_char(out, '/');
        cell_add_value(out, cell_find(it.value, "name"));
        text_done(&version);
        return;
    }
}

static void cron_containers(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "spec.jobTemplate.spec.template.spec.containers"),
                     "name");
}

static void cron_images(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_members(out, kin_object_find(object, "spec.jobTemplate.spec.template.spec.containers"),
                     "image");
}

static void cron_selector(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_selector(out, kin_object_find(object, "spec.jobTemplate.spec.selector"));
}

static void cron_suspended(struct text *out, const kin_object *object, int64_t now)
{
    bool is_suspended = false;

    (void)now;
    if (kin_value_bool(&is_suspended, kin_object_find(object, "spec.suspend")) < 0)
        text_add_string(out, "<unset>");
    else
        text_add_string(out, is_suspended ? "True" : "False");
}

static void ready_of_replicas(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    text_format(out, "%lld/%lld", cell_number(object, "status.readyReplicas", 0),
                cell_number(object, "spec.replicas", 1));
}

/* A count that is left out if it is 0. */
#define COUNT(name, path, otherwise)                                                               \
    static void name(struct text *out, const kin_object *object, int64_t now)                      \
    {                                                                                              \
        (void)now;                                                                                 \
        text_format(out, "%lld", cell_number(object, path, otherwise));                            \
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

/* --- nodes --- */

static void node_status(struct text *out, const kin_object *node, int64_t now)
{
    kin_value ready = cell_condition(node, "Ready");
    bool closed = false;

    (void)now;
    text_add_string(out, kin_value_type(ready) == KIN_NONE                 ? "Unknown"
                         : cell_equals(cell_find(ready, "status"), "True") ? "Ready"
                                                                           : "NotReady");
    (void)kin_value_bool(&closed, kin_object_find(node, "spec.unschedulable"));
    text_add_string(out, closed ? ",SchedulingDisabled" : "");
}

static void node_roles(struct text *out, const kin_object *node, int64_t now)
{
    static const char prefix[] = "node-role.kubernetes.io/";
    struct cell_set roles = {NULL, 0, false};
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(node, "metadata.labels"));
    while (kin_iter_next(&it)) {
        size_t len = sizeof(prefix) - 1;
        kin_scratch scratch;
        kin_str role;

        if (it.key.len > len && memcmp(it.key.data, prefix, len) == 0)
            cell_set_add(&roles, kin_str_make(it.key.data + len, it.key.len - len));
        else if (kin_str_equal(it.key, kin_str_of("kubernetes.io/role")) &&
                 kin_value_string(&role, it.value, &scratch) == 0 && role.len > 0)
            cell_set_add(&roles, role);
    }
    cell_set_print(&roles, out);
    cell_set_done(&roles);
}

static void add_address(struct text *out, const kin_object *node, const char *wanted)
{
    kin_iter it;

    kin_iter_init(&it, kin_object_find(node, "status.addresses"));
    while (kin_iter_next(&it)) {
        struct text type = TEXT_INIT;
        bool found = cell_add_text(&type, cell_find(it.value, "type")) &&
                     strcmp(text_string(&type), wanted) == 0 &&
                     cell_add_text(out, cell_find(it.value, "address"));

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

static void os_image(struct text *out, const kin_object *node, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(node, "status.nodeInfo.osImage"), "<unknown>");
}

static void kernel_version(struct text *out, const kin_object *node, int64_t now)
{
    kin_value architecture = kin_object_find(node, "status.nodeInfo.architecture");

    (void)now;
    cell_add_or(out, kin_object_find(node, "status.nodeInfo.kernelVersion"), "<unknown>");
    if (kin_value_type(architecture) > KIN_NULL && !cell_equals(architecture, "")) {
        text_add_string(out, " (");
        cell_add_value(out, architecture);
        text_add_char(out, ')');
    }
}

static void container_runtime(struct text *out, const kin_object *node, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(node, "status.nodeInfo.containerRuntimeVersion"), "<unknown>");
}

/* --- jobs, events --- */

static void job_status(struct text *out, const kin_object *job, int64_t now)
{
    static const char *const types[] = {"Complete",  "Failed",        NULL,
                                        "Suspended", "FailureTarget", "SuccessCriteriaMet"};
    bool is_leaving = kin_value_type(kin_object_find(job, "metadata.deletionTimestamp")) > KIN_NULL;

    (void)now;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i] ? cell_equals(cell_find(cell_condition(job, types[i]), "status"), "True")
                     : is_leaving) {
            text_add_string(out, types[i] ? types[i] : "Terminating");
            return;
        }
    }
    text_add_string(out, "Running");
}

static void job_completions(struct text *out, const kin_object *job, int64_t now)
{
    bool is_counted = kin_value_type(kin_object_find(job, "spec.completions")) > KIN_NULL;
    long long parallel = cell_number(job, "spec.parallelism", 0);

    (void)now;
    text_format(out, "%lld/%lld", cell_number(job, "status.succeeded", 0),
                cell_number(job, "spec.completions", 1));
    if (!is_counted && parallel > 1)
        text_format(out, " of %lld", parallel);
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

/* The first of these times that is there. */
static void add_since(struct text *out, const kin_object *event, const char *const *paths, size_t n,
                      int64_t now)
{
    kin_time t;

    for (size_t i = 0; i < n; i++) {
        if (kin_value_time(&t, kin_object_find(event, paths[i])) == 0) {
            add_duration(out, now - t.seconds);
            return;
        }
    }
    text_add_string(out, "<unknown>");
}

static void event_seen(struct text *out, const kin_object *event, int64_t now)
{
    static const char *const paths[] = {"series.lastObservedTime",  "lastTimestamp",
                                        "deprecatedLastTimestamp",  "firstTimestamp",
                                        "deprecatedFirstTimestamp", "eventTime"};

    add_since(out, event, paths, sizeof(paths) / sizeof(paths[0]), now);
}

static void event_first_seen(struct text *out, const kin_object *event, int64_t now)
{
    static const char *const paths[] = {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime"};

    add_since(out, event, paths, sizeof(paths) / sizeof(paths[0]), now);
}

static void event_count(struct text *out, const kin_object *event, int64_t now)
{
    long long n = cell_number(event, "series.count", 0);

    (void)now;
    if (n == 0)
        n = cell_number(event, "count", 0);
    if (n == 0)
        n = cell_number(event, "deprecatedCount", 0);
    text_format(out, "%lld", n == 0 ? 1 : n); /* one that has not come again */
}

static void event_part(struct text *out, const kin_object *event, int64_t now)
{
    (void)now;
    if (!cell_add_text(out, kin_object_find(event, "involvedObject.fieldPath")))
        (void)cell_add_text(out, kin_object_find(event, "regarding.fieldPath"));
}

/* The first of them that is not empty. */
static bool add_first(struct text *out, const kin_object *event, const char *const paths[3])
{
    bool found = false;

    for (size_t i = 0; i < 3 && !found; i++)
        found = cell_add_text(out, kin_object_find(event, paths[i]));
    return found;
}

static void event_source(struct text *out, const kin_object *event, int64_t now)
{
    static const char *const components[3] = {"source.component", "deprecatedSource.component",
                                              "reportingComponent"};
    static const char *const hosts[3] = {"source.host", "deprecatedSource.host",
                                         "reportingInstance"};
    struct text host = TEXT_INIT;

    (void)now;
    if (!add_first(out, event, components))
        (void)cell_add_text(out, kin_object_find(event, "reportingController"));
    if (add_first(&host, event, hosts))
        text_format(out, ", %s", text_string(&host));
    text_done(&host);
}

static void event_object(struct text *out, const kin_object *event, int64_t now)
{
    kin_value about = kin_object_find(event, "involvedObject");

    (void)now;
    if (kin_value_type(about) == KIN_NONE)
        about = kin_object_find(event, "regarding");
    cell_add_lower(out, cell_find(about, "kind"));
    if (kin_value_type(cell_find(about, "name")) > KIN_NULL &&
        !cell_equals(cell_find(about, "name"), "")) {
        text_add_char(out, '/');
        (void)cell_add_text(out, cell_find(about, "name"));
    }
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void event_message(struct text *out, const kin_object *event, int64_t now)
{
    kin_value message = kin_object_find(event, "message");
    kin_scratch scratch;
    kin_str s = {NULL, 0};

    (void)now;
    if (kin_value_string(&s, message, &scratch) < 0 || s.len == 0)
        (void)kin_value_string(&s, kin_object_find(event, "note"), &scratch);
    while (s.len > 0 && is_space(s.data[0]))
        s = kin_str_make(s.data + 1, s.len - 1);
    while (s.len > 0 && is_space(s.data[s.len - 1]))
        s.len--;
    text_add(out, s);
}

/* --- the table --- */

#define TEMPLATE                                                                                   \
    {"CONTAINERS", COLUMN_WIDE, NULL, containers},                                                 \
    {                                                                                              \
        "IMAGES", COLUMN_WIDE, NULL, images                                                        \
    }
#define SELECTOR                                                                                   \
    {                                                                                              \
        "SELECTOR", COLUMN_WIDE, NULL, match_labels                                                \
    }

static const struct column pods[] = {
    {"READY", 0, NULL, pod_ready},
    {"STATUS", 0, NULL, pod_status},
    {"RESTARTS", 0, NULL, pod_restarts},
    AGE,
    {"IP", COLUMN_WIDE, "status.podIP", NULL},
    {"NODE", COLUMN_WIDE, "spec.nodeName", NULL},
    {"NOMINATED NODE", COLUMN_WIDE, "status.nominatedNodeName", NULL},
    {"READINESS GATES", COLUMN_WIDE, NULL, pod_gates},
};
static const struct column nodes[] = {
    {"STATUS", 0, NULL, node_status},
    {"ROLES", 0, NULL, node_roles},
    AGE,
    {"VERSION", COLUMN_BLANK, "status.nodeInfo.kubeletVersion", NULL},
    {"INTERNAL-IP", COLUMN_WIDE, NULL, internal_ip},
    {"EXTERNAL-IP", COLUMN_WIDE, NULL, external_ip},
    {"OS-IMAGE", COLUMN_WIDE, NULL, os_image},
    {"KERNEL-VERSION", COLUMN_WIDE, NULL, kernel_version},
    {"CONTAINER-RUNTIME", COLUMN_WIDE, NULL, container_runtime},
};
static const struct column deployments[] = {
    {"READY", 0, NULL, ready_of_replicas},
    {"UP-TO-DATE", 0, NULL, updated_replicas},
    {"AVAILABLE", 0, NULL, available_replicas},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column replica_sets[] = {
    {"DESIRED", 0, NULL, desired},
    {"CURRENT", 0, NULL, replicas},
    {"READY", 0, NULL, ready_replicas},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column stateful_sets[] = {
    {"READY", 0, NULL, ready_of_replicas},
    AGE,
    TEMPLATE,
};
static const struct column daemon_sets[] = {
    {"DESIRED", 0, NULL, desired_scheduled},
    {"CURRENT", 0, NULL, current_scheduled},
    {"READY", 0, NULL, number_ready},
    {"UP-TO-DATE", 0, NULL, updated_scheduled},
    {"AVAILABLE", 0, NULL, number_available},
    {"NODE SELECTOR", 0, NULL, node_selector},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column controllers[] = {
    {"DESIRED", 0, NULL, desired},
    {"CURRENT", 0, NULL, replicas},
    {"READY", 0, NULL, ready_replicas},
    AGE,
    TEMPLATE,
    {"SELECTOR", COLUMN_WIDE, NULL, plain_selector},
};
static const struct column revisions[] = {
    {"CONTROLLER", 0, NULL, revision_owner},
    {"REVISION", 0, "revision", NULL},
    AGE,
};
static const struct column templates[] = {
    {"CONTAINERS", 0, NULL, template_containers},
    {"IMAGES", 0, NULL, template_images},
    {"POD LABELS", 0, NULL, template_labels},
};
static const struct column namespaces[] = {{"STATUS", 0, "status.phase", NULL}, AGE};
static const struct column config_maps[] = {{"DATA", 0, NULL, data_len}, AGE};
static const struct column secrets[] = {
    {"TYPE", 0, "type", NULL},
    {"DATA", 0, NULL, data_len},
    AGE,
};
static const struct column leases[] = {{"HOLDER", COLUMN_BLANK, "spec.holderIdentity", NULL}, AGE};
static const struct column jobs[] = {
    {"STATUS", 0, NULL, job_status},
    {"COMPLETIONS", 0, NULL, job_completions},
    {"DURATION", COLUMN_BLANK, NULL, job_duration},
    AGE,
    TEMPLATE,
    SELECTOR,
};
static const struct column cron_jobs[] = {
    {"SCHEDULE", 0, "spec.schedule", NULL},
    {"TIMEZONE", 0, "spec.timeZone", NULL},
    {"SUSPEND", 0, NULL, cron_suspended},
    {"ACTIVE", 0, NULL, active_jobs},
    {"LAST SCHEDULE", 0, NULL, last_schedule},
    AGE,
    {"CONTAINERS", COLUMN_WIDE, NULL, cron_containers},
    {"IMAGES", COLUMN_WIDE, NULL, cron_images},
    {"SELECTOR", COLUMN_WIDE, NULL, cron_selector},
};
static const struct column events[] = {
    {"LAST SEEN", 0, NULL, event_seen},
    {"TYPE", COLUMN_BLANK, "type", NULL},
    {"REASON", COLUMN_BLANK, "reason", NULL},
    {"OBJECT", COLUMN_BLANK, NULL, event_object},
    {"SUBOBJECT", COLUMN_WIDE | COLUMN_BLANK, NULL, event_part},
    {"SOURCE", COLUMN_WIDE | COLUMN_BLANK, NULL, event_source},
    {"MESSAGE", COLUMN_BLANK, NULL, event_message},
    {"FIRST SEEN", COLUMN_WIDE, NULL, event_first_seen},
    {"COUNT", COLUMN_WIDE, NULL, event_count},
    {"NAME", COLUMN_WIDE, "metadata.name", NULL},
};
static const struct column others[] = {AGE};

static const struct columns known[] = {
    COLUMNS("", "pods", pods),
    COLUMNS("", "nodes", nodes),
    COLUMNS("", "replicationcontrollers", controllers),
    COLUMNS("apps", "deployments", deployments),
    COLUMNS("apps", "replicasets", replica_sets),
    COLUMNS("apps", "statefulsets", stateful_sets),
    COLUMNS("apps", "daemonsets", daemon_sets),
    COLUMNS("apps", "controllerrevisions", revisions),
    COLUMNS("", "namespaces", namespaces),
    COLUMNS("", "configmaps", config_maps),
    COLUMNS("", "secrets", secrets),
    COLUMNS("", "podtemplates", templates),
    COLUMNS("coordination.k8s.io", "leases", leases),
    COLUMNS("batch", "jobs", jobs),
    COLUMNS("batch", "cronjobs", cron_jobs),
    {"", "events", true, NULL, events, sizeof(events) / sizeof(events[0])},
    {"events.k8s.io", "events", true, NULL, events, sizeof(events) / sizeof(events[0])},
};
static const struct columns unknown = COLUMNS(NULL, NULL, others);

static const struct columns *find_columns(const struct columns *table, size_t n, const char *group,
                                          const char *resource)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(table[i].group, group) == 0 && strcmp(table[i].resource, resource) == 0)
            return &table[i];
    }
    return NULL;
}

const struct columns *columns_of(const char *group, const char *resource)
{
    const struct {
        const struct columns *table;
        size_t n;
    } tables[] = {
        {known, sizeof(known) / sizeof(known[0])}, {columns_api, n_columns_api},
        {columns_network, n_columns_network},      {columns_storage, n_columns_storage},
        {columns_policy, n_columns_policy},
    };
    const struct columns *found = NULL;

    for (size_t i = 0; !found && i < sizeof(tables) / sizeof(tables[0]); i++)
        found = find_columns(tables[i].table, tables[i].n, group, resource);
    return found ? found : &unknown;
}

bool columns_are_known(const struct columns *columns)
{
    return columns != &unknown;
}

void cell_end(struct text *out, size_t start)
{
    for (size_t i = start; i < out->len; i++) {
        if (out->data[i] && strchr("\f\n\r", out->data[i])) {
            out->len = i;
            text_add_string(out, "...");
            return;
        }
    }
}

void column_print(const struct column *column, struct text *out, const kin_object *object,
                  int64_t now)
{
    size_t start = out->len;

    if (column->path)
        cell_add_value(out, kin_object_find(object, column->path));
    else
        column->fn(out, object, now);
    cell_end(out, start);
    if (out->len == start && !(column->flags & COLUMN_BLANK))
        text_add_string(out, "<none>");
}
