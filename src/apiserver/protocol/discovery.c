/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery, made when it is asked for: it is some 20 KB, and asked for rarely. Members stand in
 * the order in which the real server writes them. All names are ASCII without quotes, checked where
 * kinds are made.
 */
#include "apiserver/protocol/discovery.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/str.h"

/* In the order of their names. */
static const enum kin__verb verb_order[] = {
    KIN__VERB_CREATE, KIN__VERB_DELETE, KIN__VERB_DELETE_COLLECTION,
    KIN__VERB_GET,    KIN__VERB_LIST,   KIN__VERB_PATCH,
    KIN__VERB_UPDATE, KIN__VERB_WATCH};

static void write_verbs(kin__buf *out, unsigned verbs)
{
    bool is_first = true;

    kin__buf_append(out, kin_str_of("\"verbs\":["));
    for (size_t i = 0; i < sizeof(verb_order) / sizeof(verb_order[0]); i++) {
        if (!(verbs & KIN__VERB_BIT(verb_order[i])))
            continue;
        kin__buf_appendf(out, "%s\"%s\"", is_first ? "" : ",", kin__verb_name(verb_order[i]));
        is_first = false;
    }
    kin__buf_append_char(out, ']');
}

/* A list that is left out if it is empty, with a comma before it. */
static void write_names(kin__buf *out, const char *name, const char *const *items)
{
    if (!items || !items[0])
        return;
    kin__buf_appendf(out, ",\"%s\":[", name);
    for (size_t i = 0; items[i]; i++)
        kin__buf_appendf(out, "%s\"%s\"", i > 0 ? "," : "", items[i]);
    kin__buf_append_char(out, ']');
}

static const char *bool_text(bool value)
{
    return value ? "true" : "false";
}

/* --- one document per group version --- */

static void write_subresource(kin__buf *out, const kin__kind *kind,
                              const kin__subresource *subresource)
{
    kin__buf_appendf(out, ",{\"name\":\"%s/%s\",\"singularName\":\"\",\"namespaced\":%s",
                     kind->resource, subresource->name, bool_text(kind->namespaced));
    if (subresource->group[0])
        kin__buf_appendf(out, ",\"group\":\"%s\",\"version\":\"%s\"", subresource->group,
                         subresource->version);
    kin__buf_appendf(out, ",\"kind\":\"%s\",",
                     subresource->kind[0] ? subresource->kind : kind->kind);
    write_verbs(out, subresource->verbs);
    kin__buf_append_char(out, '}');
}

static void write_resource(kin__buf *out, const kin__kind *kind, const kin__kind_version *version)
{
    const kin__subresource *subresource;

    kin__buf_appendf(out,
                     "{\"name\":\"%s\",\"singularName\":\"%s\",\"namespaced\":%s,\"kind\":\"%s\",",
                     kind->resource, kind->singular, bool_text(kind->namespaced), kind->kind);
    write_verbs(out, kind->verbs);
    write_names(out, "shortNames", kind->short_names);
    write_names(out, "categories", kind->categories);
    kin__buf_append_char(out, '}');
    for (size_t i = 0; (subresource = kin__kind_subresource_at(kind, version, i)); i++)
        write_subresource(out, kind, subresource);
}

/* "v1", "apps/v1" */
static void write_group_version(kin__buf *out, const char *group, const char *version)
{
    kin__buf_appendf(out, "\"groupVersion\":\"%s%s%s\"", group, group[0] ? "/" : "", version);
}

static bool group_has(const kin__group *group, kin_str version)
{
    for (size_t i = 0; i < group->n_versions; i++)
        if (kin_str_equal(kin_str_of(group->versions[i]), version))
            return true;
    return false;
}

static void write_version_document(kin__buf *out, const kin__group *group, kin_str version)
{
    bool is_first = true;

    kin__buf_append(out, kin_str_of("{\"kind\":\"APIResourceList\","));
    if (group->name[0]) /* the core group's document has none */
        kin__buf_append(out, kin_str_of("\"apiVersion\":\"v1\","));
    kin__buf_appendf(out, "\"groupVersion\":\"%s%s%" KIN_STR_FMT "\",\"resources\":[", group->name,
                     group->name[0] ? "/" : "", KIN_STR_ARG(version));
    for (size_t i = 0; i < group->n_kinds; i++) {
        const kin__kind_version *v = kin__kind_find_version(group->kinds[i], version);

        if (!v)
            continue;
        if (!is_first)
            kin__buf_append_char(out, ',');
        is_first = false;
        write_resource(out, group->kinds[i], v);
    }
    kin__buf_append(out, kin_str_of("]}\n"));
}

bool kin__discovery_version(kin__registry *registry, kin_str group, kin_str version, kin__buf *out)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);
    const kin__group *found = kin__snapshot_find_group(snapshot, group);
    bool is_found = found && group_has(found, version);

    if (is_found)
        write_version_document(out, found, version);
    kin__snapshot_unref(snapshot);
    return is_found;
}

/* --- groups --- */

static void write_group_members(kin__buf *out, const kin__group *group)
{
    kin__buf_appendf(out, "\"name\":\"%s\",\"versions\":[", group->name);
    for (size_t i = 0; i < group->n_versions; i++) {
        kin__buf_append(out, kin_str_of(i > 0 ? ",{" : "{"));
        write_group_version(out, group->name, group->versions[i]);
        kin__buf_appendf(out, ",\"version\":\"%s\"}", group->versions[i]);
    }
    kin__buf_append(out, kin_str_of("],\"preferredVersion\":{"));
    write_group_version(out, group->name, group->versions[0]);
    kin__buf_appendf(out, ",\"version\":\"%s\"}", group->versions[0]);
}

bool kin__discovery_group(kin__registry *registry, kin_str group, kin__buf *out)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);
    const kin__group *found =
        group.len > 0 ? kin__snapshot_find_group(snapshot, group) : NULL; /* core: /api */

    if (found) {
        kin__buf_append(out, kin_str_of("{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\","));
        write_group_members(out, found);
        kin__buf_append(out, kin_str_of("}\n"));
    }
    kin__snapshot_unref(snapshot);
    return found != NULL;
}

static void write_groups(kin__buf *out, const kin__snapshot *snapshot)
{
    bool is_first = true;

    kin__buf_append(out,
                    kin_str_of("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":["));
    for (size_t i = 0; i < snapshot->n_groups; i++) {
        if (!snapshot->groups[i].name[0])
            continue;
        kin__buf_append(out, kin_str_of(is_first ? "{" : ",{"));
        is_first = false;
        write_group_members(out, &snapshot->groups[i]);
        kin__buf_append_char(out, '}');
    }
    kin__buf_append(out, kin_str_of("]}\n"));
}

/* --- aggregated --- */

/* Built-in kinds leave the group and version out, which are those around them. */
static void write_response_kind(kin__buf *out, const char *group, const char *version,
                                const char *kind)
{
    kin__buf_appendf(out, "\"responseKind\":{\"group\":\"%s\",\"version\":\"%s\",\"kind\":\"%s\"}",
                     group, version, kind);
}

static void write_aggregated_subresources(kin__buf *out, const kin__kind *kind,
                                          const kin__kind_version *version)
{
    const kin__subresource *s;

    for (size_t i = 0; (s = kin__kind_subresource_at(kind, version, i)); i++) {
        bool is_own = !s->group[0] && kind->custom;

        kin__buf_appendf(out, "%s{\"subresource\":\"%s\",", i > 0 ? "," : ",\"subresources\":[",
                         s->name);
        write_response_kind(out, is_own ? kind->group : s->group,
                            is_own ? version->name : s->version, s->kind[0] ? s->kind : kind->kind);
        kin__buf_append_char(out, ',');
        write_verbs(out, s->verbs);
        kin__buf_append_char(out, '}');
        if (!kin__kind_subresource_at(kind, version, i + 1))
            kin__buf_append_char(out, ']');
    }
}

static void write_aggregated_resource(kin__buf *out, const kin__kind *kind,
                                      const kin__kind_version *version)
{
    kin__buf_appendf(out, "{\"resource\":\"%s\",", kind->resource);
    write_response_kind(out, kind->custom ? kind->group : "", kind->custom ? version->name : "",
                        kind->kind);
    kin__buf_appendf(out, ",\"scope\":\"%s\",\"singularResource\":\"%s\",",
                     kind->namespaced ? "Namespaced" : "Cluster", kind->singular);
    write_verbs(out, kind->verbs);
    write_names(out, "shortNames", kind->short_names);
    write_names(out, "categories", kind->categories);
    write_aggregated_subresources(out, kind, version);
    kin__buf_append_char(out, '}');
}

static void write_aggregated_version(kin__buf *out, const kin__group *group, const char *name)
{
    bool is_first = true;

    kin__buf_appendf(out, "{\"version\":\"%s\",\"resources\":[", name);
    for (size_t i = 0; i < group->n_kinds; i++) {
        const kin__kind_version *v = kin__kind_find_version(group->kinds[i], kin_str_of(name));

        if (!v)
            continue;
        if (!is_first)
            kin__buf_append_char(out, ',');
        is_first = false;
        write_aggregated_resource(out, group->kinds[i], v);
    }
    kin__buf_append(out, kin_str_of("],\"freshness\":\"Current\"}"));
}

static void write_aggregated_group(kin__buf *out, const kin__group *group)
{
    kin__buf_append(out, kin_str_of("{\"metadata\":{"));
    if (group->name[0])
        kin__buf_appendf(out, "\"name\":\"%s\"", group->name);
    kin__buf_append(out, kin_str_of("},\"versions\":["));
    for (size_t i = 0; i < group->n_versions; i++) {
        if (i > 0)
            kin__buf_append_char(out, ',');
        write_aggregated_version(out, group, group->versions[i]);
    }
    kin__buf_append(out, kin_str_of("]}"));
}

static void write_aggregated(kin__buf *out, const kin__snapshot *snapshot, enum kin__discovery form,
                             bool of_core)
{
    bool is_first = true;

    kin__buf_appendf(
        out,
        "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/%s\","
        "\"metadata\":{},\"items\":[",
        form == KIN__DISCOVERY_V2 ? "v2" : "v2beta1");
    for (size_t i = 0; i < snapshot->n_groups; i++) {
        if ((snapshot->groups[i].name[0] == '\0') != of_core)
            continue;
        if (!is_first)
            kin__buf_append_char(out, ',');
        is_first = false;
        write_aggregated_group(out, &snapshot->groups[i]);
    }
    kin__buf_append(out, kin_str_of("]}\n"));
}

/* --- /api and /apis --- */

void kin__discovery_api(kin__registry *registry, enum kin__discovery form, kin_str server_address,
                        kin__buf *out)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);

    if (form == KIN__DISCOVERY_PLAIN)
        kin__buf_appendf(out,
                         "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                         "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                         "\"serverAddress\":\"%" KIN_STR_FMT "\"}]}\n",
                         KIN_STR_ARG(server_address));
    else
        write_aggregated(out, snapshot, form, true);
    kin__snapshot_unref(snapshot);
}

void kin__discovery_apis(kin__registry *registry, enum kin__discovery form, kin__buf *out)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);

    if (form == KIN__DISCOVERY_PLAIN)
        write_groups(out, snapshot);
    else
        write_aggregated(out, snapshot, form, false);
    kin__snapshot_unref(snapshot);
}

void kin__discovery_etag(kin_str document, char *ret)
{
    XXH128_hash_t hash = XXH3_128bits(document.data, document.len);

    snprintf(ret, KIN__ETAG_SIZE, "\"%016llX%016llX\"", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
