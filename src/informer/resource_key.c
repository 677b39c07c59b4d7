/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core group comes first wherever a name is looked for (client/catalog_resolve.c), so its names
 * mean the same on every server that has it. Other groups may be hidden by ones that a server has
 * besides.
 */
#include "informer/resource_key.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "client/client.h"

/* Longer names are those of nothing. */
#define KEY_BYTES_MAX 4096

/* Of the core group's resources that can be watched. */
struct core_names {
    const char *plural;
    const char *singular; /* the kind in lower case, too */
    const char *abbreviation;
};

static const struct core_names core[] = {
    {"configmaps", "configmap", "cm"},
    {"endpoints", "endpoints", "ep"},
    {"events", "event", "ev"},
    {"limitranges", "limitrange", "limits"},
    {"namespaces", "namespace", "ns"},
    {"nodes", "node", "no"},
    {"persistentvolumeclaims", "persistentvolumeclaim", "pvc"},
    {"persistentvolumes", "persistentvolume", "pv"},
    {"pods", "pod", "po"},
    {"podtemplates", "podtemplate", NULL},
    {"replicationcontrollers", "replicationcontroller", "rc"},
    {"resourcequotas", "resourcequota", "quota"},
    {"secrets", "secret", NULL},
    {"serviceaccounts", "serviceaccount", "sa"},
    {"services", "service", "svc"},
};

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether `name` is `text`, which has no capitals, whatever the locale. */
static bool is_in_any_case(const char *name, const char *text)
{
    while (*name && lower(*name) == *text) {
        name++;
        text++;
    }
    return *name == *text;
}

/* The plural, or NULL. Plurals and singulars go in any case, as kubectl takes them. */
static const char *find_in_core(const char *name)
{
    for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++) {
        if (is_in_any_case(name, core[i].plural) || is_in_any_case(name, core[i].singular) ||
            (core[i].abbreviation && strcmp(name, core[i].abbreviation) == 0))
            return core[i].plural;
    }
    return NULL;
}

static int give(char **ret, kin__buf *text, kin_error *err)
{
    int code = kin__buf_take(text, ret, NULL);

    kin__buf_done(text);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code < 0 ? kin_error_set(err, KIN_EINVAL, "a resource with too long a name") : 0;
}

static bool is_known(kin_client *client, kin_resource **ret, const char *name)
{
    return client && kin__client_resolve_known(client, ret, name) == 0;
}

int kin__resource_key(char **ret, bool *ret_is_known, kin_client *client, const char *name,
                      kin_error *err)
{
    kin_resource *resource = NULL;
    const char *plural = find_in_core(name);
    kin__buf text;

    kin__buf_init(&text, KEY_BYTES_MAX);
    *ret_is_known = true;
    if (is_known(client, &resource, name)) {
        kin__buf_appendf(&text, "%s.%s.%s", kin_resource_name(resource),
                         kin_resource_version(resource), kin_resource_group(resource));
        kin_resource_unref(resource);
    } else if (client && plural) {
        kin__buf_appendf(&text, "%s.v1.", plural);
    } else {
        *ret_is_known = false;
        kin__buf_append(&text, kin_str_of(name));
    }
    return give(ret, &text, err);
}

int kin__resource_title(char **ret, kin_client *client, const char *name, kin_error *err)
{
    kin_resource *resource = NULL;
    const char *plural = find_in_core(name);
    kin__buf text;

    kin__buf_init(&text, KEY_BYTES_MAX);
    if (is_known(client, &resource, name)) {
        const char *group = kin_resource_group(resource);

        kin__buf_appendf(&text, "%s%s%s", kin_resource_name(resource), *group ? "." : "", group);
        kin_resource_unref(resource);
    } else {
        kin__buf_append(&text, kin_str_of(client && plural ? plural : name));
    }
    return give(ret, &text, err);
}
