/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl says of autoscalers, budgets, quotas, priorities and roles. */
#include <string.h>

#include "cli/print/columns_inside.h"
#include "kinform/path.h"

/* --- autoscalers --- */

static void hpa_reference(struct text *out, const kin_object *hpa, int64_t now)
{
    (void)now;
    cell_add_value(out, kin_object_find(hpa, "spec.scaleTargetRef.kind"));
    text_add_char(out, '/');
    cell_add_value(out, kin_object_find(hpa, "spec.scaleTargetRef.name"));
}

/* What a type of metric is called in a specification and in a status. */
static const struct {
    const char *type;
    const char *member;
    bool has_name; /* of a resource: the name stands before it */
} metric_types[] = {
    {"Resource", "resource", true},  {"ContainerResource", "containerResource", true},
    {"Pods", "pods", false},         {"Object", "object", false},
    {"External", "external", false},
};

/* "<unknown>/100m (avg)", "cpu: 12%/80%" */
static void add_metric(struct text *out, kin_value spec, kin_value status, bool has_name,
                       bool is_average_alone)
{
    kin_value target = cell_find(spec, "target");
    kin_value current = cell_find(status, "current");
    bool is_average = kin_value_type(cell_find(target, "averageValue")) > KIN_NULL;
    bool is_part = has_name && !is_average;
    const char *member = is_average ? "averageValue" : is_part ? "averageUtilization" : "value";
    kin_value now = cell_find(current, member);

    if (has_name) {
        cell_add_value(out, cell_find(spec, "name"));
        text_add_string(out, ": ");
    }
    cell_add_or(out, now, "<unknown>");
    text_add_string(out, is_part && kin_value_type(now) > KIN_NULL ? "%/" : "/");
    cell_add_or(out, cell_find(target, member), "<auto>");
    if (is_part && kin_value_type(cell_find(target, member)) > KIN_NULL)
        text_add_char(out, '%');
    text_add_string(out, is_average && !is_average_alone ? " (avg)" : "");
}

static void add_metric_of(struct text *out, kin_value spec, kin_value status)
{
    for (size_t i = 0; i < sizeof(metric_types) / sizeof(metric_types[0]); i++) {
        const char *member = metric_types[i].member;

        if (cell_equals(cell_find(spec, "type"), metric_types[i].type)) {
            add_metric(out, cell_find(spec, member), cell_find(status, member),
                       metric_types[i].has_name,
                       metric_types[i].has_name || strcmp(member, "pods") == 0);
            return;
        }
    }
    text_add_string(out, "<unknown type>");
}

/* autoscaling/v1 has one metric, as members of its own. */
static void add_cpu(struct text *out, const kin_object *hpa)
{
    kin_value target = kin_object_find(hpa, "spec.targetCPUUtilizationPercentage");
    kin_value current = kin_object_find(hpa, "status.currentCPUUtilizationPercentage");

    if (kin_value_type(target) <= KIN_NULL)
        return;
    text_add_string(out, "cpu: ");
    cell_add_or(out, current, "<unknown>");
    text_add_string(out, kin_value_type(current) > KIN_NULL ? "%/" : "/");
    cell_add_value(out, target);
    text_add_char(out, '%');
}

static void hpa_targets(struct text *out, const kin_object *hpa, int64_t now)
{
    kin_value metrics = kin_object_find(hpa, "spec.metrics");
    size_t n = kin_value_len(metrics);
    kin_iter statuses;
    kin_iter it;

    (void)now;
    if (n == 0)
        add_cpu(out, hpa);
    kin_iter_init(&statuses, kin_object_find(hpa, "status.currentMetrics"));
    kin_iter_init(&it, metrics);
    while (kin_iter_next(&it) && it.index < 2) {
        bool has_status = kin_iter_next(&statuses);

        text_add_string(out, it.index > 0 ? ", " : "");
        add_metric_of(out, it.value, has_status ? statuses.value : (kin_value){NULL, NULL});
    }
    if (n > 2)
        text_format(out, " + %zu more...", n - 2);
}

static void hpa_least(struct text *out, const kin_object *hpa, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(hpa, "spec.minReplicas"), "<unset>");
}

static void hpa_replicas(struct text *out, const kin_object *hpa, int64_t now)
{
    (void)now;
    text_format(out, "%lld", cell_number(hpa, "status.currentReplicas", 0));
}

/* --- budgets, quotas, priorities --- */

static void budget_least(struct text *out, const kin_object *budget, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(budget, "spec.minAvailable"), "N/A");
}

static void budget_most(struct text *out, const kin_object *budget, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(budget, "spec.maxUnavailable"), "N/A");
}

static void budget_allowed(struct text *out, const kin_object *budget, int64_t now)
{
    (void)now;
    text_format(out, "%lld", cell_number(budget, "status.disruptionsAllowed", 0));
}

/* "pods: 3/10, …": those of limits, or the others. */
static void add_quota(struct text *out, const kin_object *quota, bool of_limits)
{
    static const char prefix[] = "limits.";
    kin_value used = kin_object_find(quota, "status.used");
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, kin_object_find(quota, "status.hard"));
    while (kin_iter_next(&it)) {
        bool is_limit = it.key.len >= sizeof(prefix) - 1 &&
                        memcmp(it.key.data, prefix, sizeof(prefix) - 1) == 0;

        if (is_limit != of_limits)
            continue;
        text_add_string(out, out->len > start ? ", " : "");
        text_add(out, it.key);
        text_add_string(out, ": ");
        cell_add_or(out, kin_value_get(used, it.key), "0");
        text_add_char(out, '/');
        cell_add_value(out, it.value);
    }
}

static void quota_requests(struct text *out, const kin_object *quota, int64_t now)
{
    (void)now;
    add_quota(out, quota, false);
}

static void quota_limits(struct text *out, const kin_object *quota, int64_t now)
{
    (void)now;
    add_quota(out, quota, true);
}

static void priority_default(struct text *out, const kin_object *priority, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(priority, "globalDefault"), "false");
}

/* --- roles --- */

static void binding_role(struct text *out, const kin_object *binding, int64_t now)
{
    (void)now;
    cell_add_value(out, kin_object_find(binding, "roleRef.kind"));
    text_add_char(out, '/');
    cell_add_value(out, kin_object_find(binding, "roleRef.name"));
}

static void add_subjects(struct text *out, const kin_object *binding, const char *kind)
{
    size_t start = out->len;
    kin_iter it;

    kin_iter_init(&it, kin_object_find(binding, "subjects"));
    while (kin_iter_next(&it)) {
        if (!cell_equals(cell_find(it.value, "kind"), kind))
            continue;
        text_add_string(out, out->len > start ? ", " : "");
        if (strcmp(kind, "ServiceAccount") == 0) {
            cell_add_value(out, cell_find(it.value, "namespace"));
            text_add_char(out, '/');
        }
        cell_add_value(out, cell_find(it.value, "name"));
    }
}

static void binding_users(struct text *out, const kin_object *binding, int64_t now)
{
    (void)now;
    add_subjects(out, binding, "User");
}

static void binding_groups(struct text *out, const kin_object *binding, int64_t now)
{
    (void)now;
    add_subjects(out, binding, "Group");
}

static void binding_accounts(struct text *out, const kin_object *binding, int64_t now)
{
    (void)now;
    add_subjects(out, binding, "ServiceAccount");
}

/* --- the tables --- */

static const struct column autoscalers[] = {
    {"REFERENCE", 0, NULL, hpa_reference}, {"TARGETS", 0, NULL, hpa_targets},
    {"MINPODS", 0, NULL, hpa_least},       {"MAXPODS", 0, "spec.maxReplicas", NULL},
    {"REPLICAS", 0, NULL, hpa_replicas},   AGE,
};
static const struct column budgets[] = {
    {"MIN AVAILABLE", 0, NULL, budget_least},
    {"MAX UNAVAILABLE", 0, NULL, budget_most},
    {"ALLOWED DISRUPTIONS", 0, NULL, budget_allowed},
    AGE,
};
static const struct column quotas[] = {
    {"REQUEST", COLUMN_BLANK, NULL, quota_requests},
    {"LIMIT", COLUMN_BLANK, NULL, quota_limits},
    AGE,
};
static const struct column priorities[] = {
    {"VALUE", 0, "value", NULL},
    {"GLOBAL-DEFAULT", 0, NULL, priority_default},
    AGE,
    {"PREEMPTIONPOLICY", 0, "preemptionPolicy", NULL},
};
static const struct column created[] = {CREATED};
static const struct column accounts[] = {AGE};
static const struct column bindings[] = {
    {"ROLE", 0, NULL, binding_role},
    AGE,
    {"USERS", COLUMN_WIDE | COLUMN_BLANK, NULL, binding_users},
    {"GROUPS", COLUMN_WIDE | COLUMN_BLANK, NULL, binding_groups},
    {"SERVICEACCOUNTS", COLUMN_WIDE | COLUMN_BLANK, NULL, binding_accounts},
};
static const struct column runtimes[] = {{"HANDLER", 0, "handler", NULL}, AGE};

#define RBAC "rbac.authorization.k8s.io"
const struct columns columns_policy[] = {
    COLUMNS("autoscaling", "horizontalpodautoscalers", autoscalers),
    COLUMNS("policy", "poddisruptionbudgets", budgets),
    COLUMNS("", "resourcequotas", quotas),
    COLUMNS("", "limitranges", created),
    COLUMNS("scheduling.k8s.io", "priorityclasses", priorities),
    COLUMNS("", "serviceaccounts", accounts),
    COLUMNS(RBAC, "roles", created),
    COLUMNS(RBAC, "clusterroles", created),
    COLUMNS(RBAC, "rolebindings", bindings),
    COLUMNS(RBAC, "clusterrolebindings", bindings),
    COLUMNS("node.k8s.io", "runtimeclasses", runtimes),
};
const size_t n_columns_policy = sizeof(columns_policy) / sizeof(columns_policy[0]);
