/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl says of Services, Ingresses, endpoints and network policies. */
#include "cli/print/columns_inside.h"
#include "kinform/path.h"

enum { LIST_MAX = 3 };

/* --- services --- */

static void service_external(struct text *out, const kin_object *service, int64_t now)
{
    kin_value type = kin_object_find(service, "spec.type");
    kin_value others = kin_object_find(service, "spec.externalIPs");
    size_t start = out->len;

    (void)now;
    if (cell_equals(type, "ExternalName")) {
        (void)cell_add_text(out, kin_object_find(service, "spec.externalName"));
        return;
    }
    if (cell_equals(type, "LoadBalancer"))
        cell_add_addresses(out, kin_object_find(service, "status.loadBalancer.ingress"));
    if (kin_value_len(others) > 0)
        cell_add_comma(out, start);
    cell_add_items(out, others);
    if (out->len == start && cell_equals(type, "LoadBalancer"))
        text_add_string(out, "<pending>");
}

static void service_ports(struct text *out, const kin_object *service, int64_t now)
{
    size_t start = out->len;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(service, "spec.ports"));
    while (kin_iter_next(&it)) {
        int64_t node_port = 0;

        cell_add_comma(out, start);
        cell_add_value(out, cell_find(it.value, "port"));
        if (kin_value_int64(&node_port, cell_find(it.value, "nodePort")) == 0 && node_port > 0)
            text_format(out, ":%lld", (long long)node_port);
        text_add_char(out, '/');
        cell_add_or(out, cell_find(it.value, "protocol"), "TCP");
    }
}

static void service_selector(struct text *out, const kin_object *service, int64_t now)
{
    (void)now;
    cell_add_pairs(out, kin_object_find(service, "spec.selector"));
}

/* --- ingresses --- */

/* kubectl stops at the first rule behind three hosts, and says how many rules there are more than three. */
static void ingress_hosts(struct text *out, const kin_object *ingress, int64_t now)
{
    kin_value rules = kin_object_find(ingress, "spec.rules");
    size_t start = out->len;
    size_t n = 0;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, rules);
    while (kin_iter_next(&it)) {
        kin_value host = cell_find(it.value, "host");

        if (n == LIST_MAX) {
            text_format(out, " + %zu more...", kin_value_len(rules) - LIST_MAX);
            return;
        }
        if (kin_value_type(host) <= KIN_NULL || cell_equals(host, ""))
            continue;
        cell_add_comma(out, start);
        cell_add_value(out, host);
        n++;
    }
    if (n == 0)
        text_add_char(out, '*');
}

static void ingress_address(struct text *out, const kin_object *ingress, int64_t now)
{
    (void)now;
    cell_add_addresses(out, kin_object_find(ingress, "status.loadBalancer.ingress"));
}

static void ingress_ports(struct text *out, const kin_object *ingress, int64_t now)
{
    (void)now;
    text_add_string(out,
                    kin_value_len(kin_object_find(ingress, "spec.tls")) > 0 ? "80, 443" : "80");
}

static void mark_class(struct text *out, const kin_object *class, int64_t now)
{
    (void)now;
    if (cell_equals(
            kin_object_find(class,
                            "metadata.annotations['ingressclass.kubernetes.io/is-default-class']"),
            "true"))
        text_add_string(out, " (default)");
}

static void class_parameters(struct text *out, const kin_object *class, int64_t now)
{
    kin_value parameters = kin_object_find(class, "spec.parameters");

    (void)now;
    if (kin_value_type(parameters) <= KIN_NULL)
        return;
    cell_add_value(out, cell_find(parameters, "kind"));
    if (kin_value_type(cell_find(parameters, "apiGroup")) > KIN_NULL) {
        text_add_char(out, '.');
        cell_add_value(out, cell_find(parameters, "apiGroup"));
    }
    text_add_char(out, '/');
    cell_add_value(out, cell_find(parameters, "name"));
}

static void policy_selector(struct text *out, const kin_object *policy, int64_t now)
{
    (void)now;
    cell_add_selector(out, kin_object_find(policy, "spec.podSelector"));
}

/* --- endpoints --- */

static bool has_colon(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == ':')
            return true;
    }
    return false;
}

/* "10.0.0.1:80", "[::1]:80" */
static void add_endpoint(struct text *out, kin_value address, kin_value port)
{
    kin_scratch scratch;
    kin_str ip = {NULL, 0};

    (void)kin_value_string(&ip, cell_find(address, "ip"), &scratch);
    bool is_bracketed = has_colon(ip) && kin_value_type(port) > KIN_NULL;
    text_format(out, "%s%" KIN_STR_FMT "%s", is_bracketed ? "[" : "", KIN_STR_ARG(ip),
                is_bracketed ? "]" : "");
    if (kin_value_type(port) > KIN_NULL) {
        text_add_char(out, ':');
        cell_add_value(out, port);
    }
}

static void add_subset(struct cell_list *list, kin_value addresses, kin_value port)
{
    kin_iter it;

    kin_iter_init(&it, addresses);
    while (kin_iter_next(&it)) {
        if (cell_list_next(list))
            add_endpoint(list->out, it.value, port);
    }
}

static void endpoint_addresses(struct text *out, const kin_object *endpoints, int64_t now)
{
    struct cell_list list = cell_list_begin(out, LIST_MAX);
    kin_iter subsets;

    (void)now;
    kin_iter_init(&subsets, kin_object_find(endpoints, "subsets"));
    if (kin_value_len(kin_object_find(endpoints, "subsets")) == 0)
        text_add_string(out, "<none>");
    while (kin_iter_next(&subsets)) {
        kin_value addresses = cell_find(subsets.value, "addresses");
        kin_value ports = cell_find(subsets.value, "ports");
        kin_iter it;

        if (kin_value_len(ports) == 0)
            add_subset(&list, addresses, (kin_value){NULL, NULL});
        kin_iter_init(&it, ports);
        while (kin_iter_next(&it))
            add_subset(&list, addresses, cell_find(it.value, "port"));
    }
    cell_list_end(&list);
}

static void slice_ports(struct text *out, const kin_object *slice, int64_t now)
{
    struct cell_list list = cell_list_begin(out, LIST_MAX);
    kin_iter it;

    (void)now;
    kin_iter_init(&it, kin_object_find(slice, "ports"));
    while (kin_iter_next(&it)) {
        kin_value port = cell_find(it.value, "port");

        if (!cell_list_next(&list))
            continue;
        if (kin_value_type(port) > KIN_NULL)
            cell_add_value(out, port);
        else
            cell_add_or(out, cell_find(it.value, "name"), "*");
    }
    cell_list_end(&list);
    if (list.n == 0)
        text_add_string(out, "<unset>");
}

static void slice_endpoints(struct text *out, const kin_object *slice, int64_t now)
{
    struct cell_list list = cell_list_begin(out, LIST_MAX);
    kin_iter endpoints;

    (void)now;
    kin_iter_init(&endpoints, kin_object_find(slice, "endpoints"));
    while (kin_iter_next(&endpoints)) {
        kin_iter it;

        kin_iter_init(&it, cell_find(endpoints.value, "addresses"));
        while (kin_iter_next(&it)) {
            if (cell_list_next(&list))
                cell_add_value(out, it.value);
        }
    }
    cell_list_end(&list);
    if (list.n == 0)
        text_add_string(out, "<unset>");
}

/* --- addresses of services --- */

static void service_ranges(struct text *out, const kin_object *range, int64_t now)
{
    (void)now;
    cell_add_items(out, kin_object_find(range, "spec.cidrs"));
}

/* "services/default/kubernetes", "gateways.example.com/g" */
static void address_parent(struct text *out, const kin_object *address, int64_t now)
{
    kin_value parent = kin_object_find(address, "spec.parentRef");

    (void)now;
    if (kin_value_type(parent) <= KIN_NULL)
        return;
    cell_add_lower(out, cell_find(parent, "resource"));
    if (!cell_equals(cell_find(parent, "group"), "") &&
        kin_value_type(cell_find(parent, "group")) > KIN_NULL) {
        text_add_char(out, '.');
        cell_add_lower(out, cell_find(parent, "group"));
    }
    text_add_char(out, '/');
    if (kin_value_type(cell_find(parent, "namespace")) > KIN_NULL &&
        !cell_equals(cell_find(parent, "namespace"), "")) {
        cell_add_value(out, cell_find(parent, "namespace"));
        text_add_char(out, '/');
    }
    cell_add_value(out, cell_find(parent, "name"));
}

/* --- the tables --- */

static const struct column services[] = {
    {"TYPE", 0, "spec.type", NULL},
    {"CLUSTER-IP", 0, "spec.clusterIP", NULL},
    {"EXTERNAL-IP", 0, NULL, service_external},
    {"PORT(S)", 0, NULL, service_ports},
    AGE,
    {"SELECTOR", COLUMN_WIDE, NULL, service_selector},
};
static const struct column ingresses[] = {
    {"CLASS", 0, "spec.ingressClassName", NULL},
    {"HOSTS", 0, NULL, ingress_hosts},
    {"ADDRESS", COLUMN_BLANK, NULL, ingress_address},
    {"PORTS", 0, NULL, ingress_ports},
    AGE,
};
static const struct column ingress_classes[] = {
    {"CONTROLLER", 0, "spec.controller", NULL},
    {"PARAMETERS", 0, NULL, class_parameters},
    AGE,
};
static const struct column policies[] = {{"POD-SELECTOR", 0, NULL, policy_selector}, AGE};
static const struct column endpoints[] = {{"ENDPOINTS", COLUMN_BLANK, NULL, endpoint_addresses},
                                          AGE};
static const struct column slices[] = {
    {"ADDRESSTYPE", 0, "addressType", NULL},
    {"PORTS", 0, NULL, slice_ports},
    {"ENDPOINTS", 0, NULL, slice_endpoints},
    AGE,
};

static const struct column ranges[] = {{"CIDRS", 0, NULL, service_ranges}, AGE};
static const struct column addresses[] = {{"PARENTREF", 0, NULL, address_parent}};

const struct columns columns_network[] = {
    COLUMNS("", "services", services),
    COLUMNS("networking.k8s.io", "ingresses", ingresses),
    COLUMNS("extensions", "ingresses", ingresses),
    {"networking.k8s.io", "ingressclasses", false, mark_class, ingress_classes,
     sizeof(ingress_classes) / sizeof(ingress_classes[0])},
    COLUMNS("networking.k8s.io", "networkpolicies", policies),
    COLUMNS("", "endpoints", endpoints),
    COLUMNS("discovery.k8s.io", "endpointslices", slices),
    COLUMNS("networking.k8s.io", "servicecidrs", ranges),
    COLUMNS("networking.k8s.io", "ipaddresses", addresses),
};
const size_t n_columns_network = sizeof(columns_network) / sizeof(columns_network[0]);
