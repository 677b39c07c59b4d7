/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources: a struct and its strings in one block, which nobody changes.
 *
 * Whatever makes one checks that its parts can stand in a path, so that nobody has to later.
 */
#include "client/resource.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/url.h"

static int check_parts(const kin__resource_parts *parts, kin_error *err)
{
    int code = 0;

    if (parts->group.len > 0)
        code = kin__url_check_segment(parts->group, "group", err);
    if (code == 0)
        code = kin__url_check_segment(parts->version, "version", err);
    if (code == 0)
        code = kin__url_check_segment(parts->name, "resource", err);
    return code;
}

/* Put a terminated copy at *at, which moves behind it. */
static const char *put_text(char **at, kin_str text)
{
    char *copy = *at;

    if (text.len)
        memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    *at += text.len + 1;
    return copy;
}

int kin__resource_make(kin_resource **ret, const kin__resource_parts *parts, kin_error *err)
{
    int code = check_parts(parts, err);

    if (code < 0)
        return code;
    /* Group and version twice, for apiVersion; six terminators and a slash. */
    size_t len = 2 * (parts->group.len + parts->version.len) + parts->name.len + parts->kind.len +
                 parts->verbs.len + 7;
    kin_resource *resource = kin__malloc(sizeof(*resource) + len);
    if (!resource)
        return kin__error_no_memory(err);

    char *at = (char *)(resource + 1);
    kin__ref_init(&resource->ref);
    resource->group = put_text(&at, parts->group);
    resource->version = put_text(&at, parts->version);
    resource->name = put_text(&at, parts->name);
    resource->kind = put_text(&at, parts->kind);
    resource->verbs = parts->verbs.data ? put_text(&at, parts->verbs) : NULL;
    resource->api_version = at;
    if (parts->group.len > 0) {
        put_text(&at, parts->group);
        at[-1] = '/';
    }
    put_text(&at, parts->version);
    resource->namespaced = parts->namespaced;
    *ret = resource;
    return 0;
}

int kin_resource_new(kin_resource **ret, const kin_resource_spec *spec, kin_error *err)
{
    kin_resource_spec all = KIN_RESOURCE_SPEC_INIT;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!spec)
        return kin__error_null(err, "spec");
    code = kin__options_take(&all, sizeof(all), spec, "KIN_RESOURCE_SPEC_INIT", err);
    if (code < 0)
        return code;
    return kin__resource_make(ret,
                              &(kin__resource_parts){.group = kin_str_of(all.group),
                                                     .version = kin_str_of(all.version),
                                                     .name = kin_str_of(all.resource),
                                                     .kind = kin_str_of(all.kind),
                                                     .namespaced = !all.cluster_wide},
                              err);
}

kin_resource *kin_resource_ref(kin_resource *resource)
{
    if (resource)
        kin__ref_get(&resource->ref);
    return resource;
}

void kin_resource_unref(kin_resource *resource)
{
    if (resource && kin__ref_put(&resource->ref))
        kin__free(resource);
}

const char *kin_resource_group(const kin_resource *resource)
{
    return resource ? resource->group : NULL;
}

const char *kin_resource_version(const kin_resource *resource)
{
    return resource ? resource->version : NULL;
}

const char *kin_resource_name(const kin_resource *resource)
{
    return resource ? resource->name : NULL;
}

const char *kin_resource_kind(const kin_resource *resource)
{
    return resource ? resource->kind : NULL;
}

const char *kin_resource_api_version(const kin_resource *resource)
{
    return resource ? resource->api_version : NULL;
}

bool kin_resource_is_namespaced(const kin_resource *resource)
{
    return resource && resource->namespaced;
}

bool kin_resource_has_verb(const kin_resource *resource, const char *verb)
{
    if (!resource || !resource->verbs)
        return resource != NULL;
    for (const char *at = resource->verbs; *at; at += strlen(at) + 1) {
        if (verb && strcmp(at, verb) == 0)
            return true;
    }
    return false;
}
