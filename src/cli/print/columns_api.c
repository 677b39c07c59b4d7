/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl says of what guards and extends the API: certificates, admission, flow control, API services. */
#include <string.h>

#include "cli/print/age.h"
#include "cli/print/columns_inside.h"
#include "kinform/path.h"

/* --- certificates --- */

static void certificate_duration(struct text *out, const kin_object *request, int64_t now)
{
    int64_t seconds = 0;

    (void)now;
    if (kin_value_int64(&seconds, kin_object_find(request, "spec.expirationSeconds")) == 0)
        add_duration(out, seconds);
}

static bool has_condition(const kin_object *object, const char *type)
{
    return kin_value_type(cell_condition(object, type)) != KIN_NONE;
}

static void certificate_condition(struct text *out, const kin_object *request, int64_t now)
{
    (void)now;
    text_add_string(out, has_condition(request, "Denied")     ? "Denied"
                         : has_condition(request, "Approved") ? "Approved"
                                                              : "Pending");
    text_add_string(out, has_condition(request, "Failed") ? ",Failed" : "");
    if (kin_value_type(kin_object_find(request, "status.certificate")) == KIN_STRING &&
        !cell_equals(kin_object_find(request, "status.certificate"), ""))
        text_add_string(out, ",Issued");
}

/* --- admission --- */

static void webhooks(struct text *out, const kin_object *configuration, int64_t now)
{
    (void)now;
    text_format(out, "%zu", kin_value_len(kin_object_find(configuration, "webhooks")));
}

static void validations(struct text *out, const kin_object *policy, int64_t now)
{
    (void)now;
    text_format(out, "%zu", kin_value_len(kin_object_find(policy, "spec.validations")));
}

static void mutations(struct text *out, const kin_object *policy, int64_t now)
{
    (void)now;
    text_format(out, "%zu", kin_value_len(kin_object_find(policy, "spec.mutations")));
}

static void parameter_kind(struct text *out, const kin_object *policy, int64_t now)
{
    kin_value kind = kin_object_find(policy, "spec.paramKind");

    (void)now;
    if (kin_value_type(kind) <= KIN_NULL) {
        text_add_string(out, "<unset>");
        return;
    }
    cell_add_value(out, cell_find(kind, "apiVersion"));
    text_add_char(out, '/');
    cell_add_value(out, cell_find(kind, "kind"));
}

/* By their name in a namespace, or in each; or those that a selector takes. */
static void parameters(struct text *out, const kin_object *binding, int64_t now)
{
    kin_value reference = kin_object_find(binding, "spec.paramRef");
    kin_value name = cell_find(reference, "name");
    kin_value selector = cell_find(reference, "selector");

    (void)now;
    if (kin_value_type(name) > KIN_NULL && !cell_equals(name, "")) {
        cell_add_or(out, cell_find(reference, "namespace"), "*");
        text_add_char(out, '/');
        cell_add_value(out, name);
    } else if (kin_value_type(selector) > KIN_NULL) {
        cell_add_selector(out, selector);
    } else {
        text_add_string(out, "<unset>");
    }
}

/* --- flow control --- */

/* Whether its priority level is missing. */
static void missing_level(struct text *out, const kin_object *schema, int64_t now)
{
    (void)now;
    cell_add_or(out, cell_find(cell_condition(schema, "Dangling"), "status"), "?");
}

/* --- API services --- */

static void api_service(struct text *out, const kin_object *service, int64_t now)
{
    kin_value where = kin_object_find(service, "spec.service");

    (void)now;
    if (kin_value_type(where) <= KIN_NULL) {
        text_add_string(out, "Local");
        return;
    }
    cell_add_value(out, cell_find(where, "namespace"));
    text_add_char(out, '/');
    cell_add_value(out, cell_find(where, "name"));
}

/* "True", "False (ServiceNotFound)" */
static void api_available(struct text *out, const kin_object *service, int64_t now)
{
    kin_value condition = cell_condition(service, "Available");

    (void)now;
    cell_add_or(out, cell_find(condition, "status"), "Unknown");
    if (kin_value_type(condition) != KIN_NONE &&
        !cell_equals(cell_find(condition, "status"), "True")) {
        text_add_string(out, " (");
        cell_add_value(out, cell_find(condition, "reason"));
        text_add_char(out, ')');
    }
}

/* --- components --- */

static kin_value health(const kin_object *component)
{
    kin_iter it;

    kin_iter_init(&it, kin_object_find(component, "conditions"));
    while (kin_iter_next(&it)) {
        if (cell_equals(cell_find(it.value, "type"), "Healthy"))
            return it.value;
    }
    return (kin_value){NULL, NULL};
}

static void component_status(struct text *out, const kin_object *component, int64_t now)
{
    kin_value condition = health(component);

    (void)now;
    text_add_string(out, kin_value_type(condition) == KIN_NONE                 ? "Unknown"
                         : cell_equals(cell_find(condition, "status"), "True") ? "Healthy"
                                                                               : "Unhealthy");
}

static void component_message(struct text *out, const kin_object *component, int64_t now)
{
    (void)now;
    cell_add_value(out, cell_find(health(component), "message"));
}

static void component_error(struct text *out, const kin_object *component, int64_t now)
{
    (void)now;
    cell_add_value(out, cell_find(health(component), "error"));
}

/* --- the tables --- */

static const struct column requests[] = {
    AGE,
    {"SIGNERNAME", 0, "spec.signerName", NULL},
    {"REQUESTOR", COLUMN_BLANK, "spec.username", NULL},
    {"REQUESTEDDURATION", 0, NULL, certificate_duration},
    {"CONDITION", 0, NULL, certificate_condition},
};
static const struct column hooks[] = {{"WEBHOOKS", 0, NULL, webhooks}, AGE};
static const struct column validating[] = {
    {"VALIDATIONS", 0, NULL, validations}, {"PARAMKIND", 0, NULL, parameter_kind}, AGE};
static const struct column mutating[] = {
    {"MUTATIONS", 0, NULL, mutations}, {"PARAMKIND", 0, NULL, parameter_kind}, AGE};
static const struct column bound[] = {
    {"POLICYNAME", COLUMN_BLANK, "spec.policyName", NULL}, {"PARAMREF", 0, NULL, parameters}, AGE};
static const struct column schemas[] = {
    {"PRIORITYLEVEL", 0, "spec.priorityLevelConfiguration.name", NULL},
    {"MATCHINGPRECEDENCE", 0, "spec.matchingPrecedence", NULL},
    {"DISTINGUISHERMETHOD", 0, "spec.distinguisherMethod.type", NULL},
    AGE,
    {"MISSINGPL", 0, NULL, missing_level},
};
static const struct column levels[] = {
    {"TYPE", 0, "spec.type", NULL},
    {"NOMINALCONCURRENCYSHARES", 0, "spec.limited.nominalConcurrencyShares", NULL},
    {"QUEUES", 0, "spec.limited.limitResponse.queuing.queues", NULL},
    {"HANDSIZE", 0, "spec.limited.limitResponse.queuing.handSize", NULL},
    {"QUEUELENGTHLIMIT", 0, "spec.limited.limitResponse.queuing.queueLengthLimit", NULL},
    AGE,
};
static const struct column services[] = {
    {"SERVICE", 0, NULL, api_service}, {"AVAILABLE", 0, NULL, api_available}, AGE};
static const struct column components[] = {
    {"STATUS", 0, NULL, component_status},
    {"MESSAGE", COLUMN_BLANK, NULL, component_message},
    {"ERROR", COLUMN_BLANK, NULL, component_error},
};
static const struct column definitions[] = {CREATED};

#define ADMISSION "admissionregistration.k8s.io"
#define FLOW "flowcontrol.apiserver.k8s.io"
const struct columns columns_api[] = {
    COLUMNS("certificates.k8s.io", "certificatesigningrequests", requests),
    COLUMNS(ADMISSION, "validatingwebhookconfigurations", hooks),
    COLUMNS(ADMISSION, "mutatingwebhookconfigurations", hooks),
    COLUMNS(ADMISSION, "validatingadmissionpolicies", validating),
    COLUMNS(ADMISSION, "mutatingadmissionpolicies", mutating),
    COLUMNS(ADMISSION, "validatingadmissionpolicybindings", bound),
    COLUMNS(ADMISSION, "mutatingadmissionpolicybindings", bound),
    COLUMNS(FLOW, "flowschemas", schemas),
    COLUMNS(FLOW, "prioritylevelconfigurations", levels),
    COLUMNS("apiregistration.k8s.io", "apiservices", services),
    COLUMNS("apiextensions.k8s.io", "customresourcedefinitions", definitions),
    COLUMNS("", "componentstatuses", components),
};
const size_t n_columns_api = sizeof(columns_api) / sizeof(columns_api[0]);
