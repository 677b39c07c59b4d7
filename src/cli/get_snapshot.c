/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot is of one kind, and says which. There is no discovery without a server, so short names are
 * those that every cluster has.
 */
#include "cli/get_snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/report.h"
#include "cli/base/text.h"
#include "kinform/path.h"
#include "kinform/selector.h"
#include "kinform/snapshot.h"

struct reading {
    struct objects into;
    const struct snapshot_query *query;
    bool *found;            /* OWNED; for each that is wanted */
    const char *namespace_; /* NULL: all */
    const kin_label_selector *labels;
    const kin_field_selector *fields;
    const kin_object *first; /* says of which kind they are; a reference */
};

static const struct {
    const char *name;
    const char *resource;
} short_names[] = {
    {"cj", "cronjobs"},
    {"cm", "configmaps"},
    {"crd", "customresourcedefinitions"},
    {"crds", "customresourcedefinitions"},
    {"cs", "componentstatuses"},
    {"csr", "certificatesigningrequests"},
    {"deploy", "deployments"},
    {"ds", "daemonsets"},
    {"ep", "endpoints"},
    {"ev", "events"},
    {"hpa", "horizontalpodautoscalers"},
    {"ing", "ingresses"},
    {"ip", "ipaddresses"},
    {"limits", "limitranges"},
    {"netpol", "networkpolicies"},
    {"no", "nodes"},
    {"ns", "namespaces"},
    {"pc", "priorityclasses"},
    {"pdb", "poddisruptionbudgets"},
    {"po", "pods"},
    {"pv", "persistentvolumes"},
    {"pvc", "persistentvolumeclaims"},
    {"quota", "resourcequotas"},
    {"rc", "replicationcontrollers"},
    {"rs", "replicasets"},
    {"sa", "serviceaccounts"},
    {"sc", "storageclasses"},
    {"sts", "statefulsets"},
    {"svc", "services"},
    {"vac", "volumeattributesclasses"},
};

/* The plural that somebody who wrote the snapshot may have shortened: "po", "deployments.v1.apps". */
static void add_plural(struct text *out, const char *name)
{
    size_t len = strcspn(name, ".");

    for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++) {
        if (strlen(short_names[i].name) == len && strncmp(name, short_names[i].name, len) == 0) {
            text_add_string(out, short_names[i].resource);
            return;
        }
    }
    text_add(out, kin_str_make(name, len));
}

static void add_member(struct text *out, const kin_object *object, const char *member)
{
    kin_scratch scratch;
    kin_str s;

    if (object && kin_value_string(&s, kin_object_find(object, member), &scratch) == 0)
        text_add(out, s);
}

/* The resource, of what the snapshot says and of what its objects say themselves. */
static int resource_of(kin_resource **ret, const kin_snapshot_info *info, const kin_object *first,
                       kin_error *err)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    struct text api_version = TEXT_INIT;
    struct text resource = TEXT_INIT;
    struct text group = TEXT_INIT;
    struct text kind = TEXT_INIT;

    add_plural(&resource, info->resource ? info->resource : "objects");
    add_member(&kind, first, "kind");
    add_member(&api_version, first, "apiVersion");
    if (!first && info->kind)
        text_add_string(&kind, info->kind);
    if (!first && info->api_version)
        text_add_string(&api_version, info->api_version);
    const char *slash = strchr(text_string(&api_version), '/');
    if (slash)
        text_add(&group, kin_str_make(api_version.data, (size_t)(slash - api_version.data)));
    spec.group = text_string(&group);
    spec.version = slash ? slash + 1 : text_string(&api_version);
    if (!spec.version[0])
        spec.version = "v1";
    spec.resource = text_string(&resource);
    spec.kind = text_string(&kind);
    spec.cluster_wide = first && kin_object_namespace(first).len == 0;
    int code = kin_resource_new(ret, &spec, err);
    text_done(&api_version);
    text_done(&resource);
    text_done(&group);
    text_done(&kind);
    return code;
}

/* "po", "Pod", "pods", "deployments.apps", "deployments.v1.apps" */
static bool is_meant(const char *asked, const kin_resource *resource)
{
    const char *kind = kin_resource_kind(resource);
    const char *dot = strchr(asked, '.');
    size_t len = dot ? (size_t)(dot - asked) : strlen(asked);
    struct text plural = TEXT_INIT;
    struct text whole = TEXT_INIT;

    add_plural(&plural, asked);
    text_format(&whole, "%s.%s", kin_resource_version(resource), kin_resource_group(resource));
    bool is_kind = strcasecmp(text_string(&plural), kin_resource_name(resource)) == 0 ||
                   (strlen(kind) == len && strncasecmp(asked, kind, len) == 0);
    bool is_group = !dot || strcmp(dot + 1, kin_resource_group(resource)) == 0 ||
                    strcmp(dot + 1, text_string(&whole)) == 0;
    text_done(&plural);
    text_done(&whole);
    return is_kind && is_group;
}

static int check_kinds(const struct wanted_list *wanted, const kin_resource *resource,
                       kin_error *err)
{
    for (size_t i = 0; i < wanted->len; i++) {
        if (!is_meant(wanted->items[i].kind, resource))
            return kin_error_set(err, KIN_EINVAL, "the snapshot is of %s, not of %s",
                                 kin_resource_name(resource), wanted->items[i].kind);
    }
    return 0;
}

/* Whether it is asked for; notes that those who asked for it by its name have found it. */
static bool is_named(struct reading *r, kin_str name)
{
    bool any = r->query->wanted->len == 0;

    for (size_t i = 0; i < r->query->wanted->len; i++) {
        const char *wanted = r->query->wanted->items[i].name;

        if (wanted && !kin_str_equal(kin_str_of(wanted), name))
            continue;
        r->found[i] = true;
        any = true;
    }
    return any;
}

static int take_item(const kin_object *object, void *arg, kin_error *err)
{
    struct reading *r = arg;

    (void)err;
    if (!r->first)
        r->first = kin_object_ref(object);
    if ((r->namespace_ && kin_object_namespace(object).len > 0 &&
         !kin_str_equal(kin_object_namespace(object), kin_str_of(r->namespace_))) ||
        !is_named(r, kin_object_name(object)) ||
        (r->labels && !kin_label_selector_matches(r->labels, object)) ||
        (r->fields && !kin_field_selector_matches(r->fields, object)) ||
        !conditions_hold(r->query->conditions, object))
        return 0;
    objects_add(&r->into, object);
    return 0;
}

static int parse_selectors(struct reading *r, const struct selection_settings *selection,
                           kin_error *err)
{
    int code = 0;

    if (selection->label_selector)
        code = kin_label_selector_parse(&r->labels, kin_str_of(selection->label_selector), err);
    if (code == 0 && selection->field_selector)
        code = kin_field_selector_parse(&r->fields, kin_str_of(selection->field_selector), err);
    return code;
}

/* Each name that was asked for should be there: what is not is told, and the rest is shown all the same. */
static int report_missing(const struct reading *r)
{
    int status = EXIT_OK;

    for (size_t i = 0; i < r->query->wanted->len && !r->query->ignore_not_found; i++) {
        const char *name = r->query->wanted->items[i].name;

        if (name && !r->found[i])
            status = report(EXIT_NOT_FOUND, "the snapshot has no %s", name);
    }
    return status;
}

static int read_snapshot(struct groups *ret, int *ret_status, kin_snapshot *snapshot,
                         struct reading *r, kin_error *err)
{
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);
    kin_resource *resource = NULL;
    int code = kin_snapshot_read(snapshot, r->query->decode, take_item, r, err);

    if (code == 0)
        code = resource_of(&resource, info, r->first, err);
    /* Without objects it is of what it says; an old one may say nothing. */
    if (code == 0 && (r->first || info->resource))
        code = check_kinds(r->query->wanted, resource, err);
    if (code == 0) {
        *ret_status = report_missing(r);
        struct objects *into = &groups_add(ret, resource)->objects;

        *into = r->into;
        r->into = (struct objects){NULL, 0, 0};
        objects_sort_by_key(into);
    }
    kin_resource_unref(resource);
    return code;
}

int get_from_snapshot(struct groups *ret, int *ret_status, const struct snapshot_query *query,
                      kin_error *err)
{
    const struct selection_settings *selection = query->selection;
    struct reading r = {.query = query,
                        .found = memory_zeroed(query->wanted->len, sizeof(*r.found)),
                        .namespace_ = selection->all_namespaces ? NULL : selection->namespace_};
    kin_snapshot *snapshot = NULL;
    int code = parse_selectors(&r, selection, err);

    if (code == 0)
        code = kin_snapshot_open(&snapshot, query->path, err);
    if (code == 0)
        code = read_snapshot(ret, ret_status, snapshot, &r, err);
    objects_clear(&r.into);
    free(r.into.items);
    free(r.found);
    kin_object_unref(r.first);
    kin_snapshot_free(snapshot);
    kin_label_selector_unref(r.labels);
    kin_field_selector_unref(r.fields);
    return code;
}
