/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "folder.h"
#include "kinform/metadata.h"
#include "truth.h"

/* Refused connections and restarts are soon over. */
enum { TRIES = 200 };

static const struct {
    kin_resource_spec spec;
    const char *name; /* as informers are asked for it */
    const char *path;
} kinds[KIN_TEST_KINDS] = {
#define SPEC(group_, resource_, kind_, cluster_wide_)                                              \
    {                                                                                              \
        .size = sizeof(kin_resource_spec), .group = (group_), .version = "v1",                     \
        .resource = (resource_), .kind = (kind_), .cluster_wide = (cluster_wide_)                  \
    }
    {SPEC("", "configmaps", "ConfigMap", false), "configmaps", "/api/v1/configmaps"},
    {SPEC("", "secrets", "Secret", false), "secrets", "/api/v1/secrets"},
    {SPEC("", "serviceaccounts", "ServiceAccount", false), "sa", "/api/v1/serviceaccounts"},
    {SPEC("coordination.k8s.io", "leases", "Lease", false), "leases.coordination.k8s.io",
     "/apis/coordination.k8s.io/v1/leases"},
    {SPEC("", "nodes", "Node", true), "no", "/api/v1/nodes"},
#undef SPEC
};

const char *kin_test_kind_name(int kind)
{
    return kinds[kind].name;
}

bool kin_test_kind_is_namespaced(int kind)
{
    return !kinds[kind].spec.cluster_wide;
}

/* Where a test cannot fail. */
static void must(bool is_so, const char *what)
{
    if (is_so)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

/* --- life --- */

kin_client *kin_test_cluster_client(const kin_test_cluster *cluster, kin_clock *clock,
                                    int64_t idle_ms)
{
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_client *client = NULL;

    config.kubeconfig = cluster->kubeconfig;
    must(kin_config_load(&options.config, &config, NULL) == 0, "no configuration");
    options.qps = -1;
    options.clock = clock;
    /* Else a version of the future, for which a server waits three seconds, is asked for ten times. */
    options.max_retries = -1;
    options.watch_idle_ms = idle_ms; /* what is stalled is found by it */
    /* A clock that runs faster than the server's must not make a busy server look dead. */
    if (clock)
        options.probe_timeout_ms = 60 * 60 * 1000;
    must(kin_client_new(&client, &options, NULL) == 0, "no client");
    kin_config_unref(options.config);
    return client;
}

static int create(kin_test_cluster *cluster, kin_resource *resource, const char *namespace_,
                  const char *json)
{
    const kin_object *object = NULL, *made = NULL;
    uint64_t version = 0;
    int code;

    must(kin_object_from_json(&object, kin_str_of(json), NULL, NULL) == 0, json);
    code = kin_client_create(cluster->writer, &made, resource, namespace_, object, NULL, NULL);
    if (code == 0 && kin__str_to_u64(&version, kin_object_resource_version(made)) == 0)
        atomic_store(&cluster->version, version);
    kin_object_unref(made);
    kin_object_unref(object);
    return code;
}

static void make_namespaces(kin_test_cluster *cluster)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *namespaces = NULL;
    char json[128];

    spec.version = "v1";
    spec.resource = "namespaces";
    spec.kind = "Namespace";
    spec.cluster_wide = true;
    must(kin_resource_new(&namespaces, &spec, NULL) == 0, "no resource");
    for (int i = 0; i < KIN_TEST_NAMESPACES; i++) {
        (void)snprintf(
            json, sizeof(json),
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%c\"}}",
            'a' + i);
        must(create(cluster, namespaces, NULL, json) == 0, "no namespace");
    }
    kin_resource_unref(namespaces);
}

void kin_test_cluster_open(kin_test_cluster *cluster, kin_apiserver_options *options)
{
    memset(cluster, 0, sizeof(*cluster));
    cluster->n_kinds = KIN_TEST_KINDS;
    (void)snprintf(cluster->folder, sizeof(cluster->folder), "/tmp/kin-cluster-XXXXXX");
    must(mkdtemp(cluster->folder) != NULL, "no folder");
    (void)snprintf(cluster->kubeconfig, sizeof(cluster->kubeconfig), "%s/kubeconfig",
                   cluster->folder);
    must(kin_apiserver_new(&cluster->server, options, NULL) == 0 &&
             kin_apiserver_start(cluster->server, NULL) == 0 &&
             kin_apiserver_write_kubeconfig(cluster->server, cluster->kubeconfig, NULL) == 0,
         "no server");
    for (int i = 0; i < KIN_TEST_KINDS; i++)
        must(kin_resource_new(&cluster->kinds[i], &kinds[i].spec, NULL) == 0, "no resource");
    cluster->writer = kin_test_cluster_client(cluster, NULL, 0);
    make_namespaces(cluster);
}

void kin_test_cluster_close(kin_test_cluster *cluster)
{
    kin_client_free(cluster->writer);
    for (int i = 0; i < KIN_TEST_KINDS; i++)
        kin_resource_unref(cluster->kinds[i]);
    kin_apiserver_free(cluster->server);
    must(kin_test_folder_remove(cluster->folder) == 0, "the folder stays");
}

/* --- writes --- */

/* "a", or NULL of a kind that has none. */
static const char *namespace_of(int kind, int slot)
{
    static const char *const names[KIN_TEST_NAMESPACES] = {"a", "b", "c"};

    return kinds[kind].spec.cluster_wide ? NULL : names[kin_test_slot_namespace(slot)];
}

static int write_with(kin_test_cluster *cluster, int kind, int slot, bool is_odd, uint64_t n)
{
    kin_resource *resource = cluster->kinds[kind];
    const char *namespace_ = namespace_of(kind, slot);
    const kin_object *made = NULL;
    uint64_t version = 0;
    char metadata[160], json[320], name[16];
    int code;

    kin_test_slot_key(name, slot, false);
    (void)snprintf(metadata, sizeof(metadata),
                   "\"name\":\"%s\",\"labels\":{\"odd\":\"%d\"},\"annotations\":{\"n\":\"%llu\"}",
                   name, is_odd, (unsigned long long)n);
    if (!atomic_load(&cluster->is_there[kind][slot])) {
        (void)snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{%s}}",
                       kin_resource_api_version(resource), kin_resource_kind(resource), metadata);
        code = create(cluster, resource, namespace_, json);
        if (code == 0 || code == KIN_EEXISTS)
            atomic_store(&cluster->is_there[kind][slot], true);
        return code;
    }
    (void)snprintf(json, sizeof(json), "{\"metadata\":{%s}}", metadata);
    code = kin_client_patch(cluster->writer, &made, resource, namespace_, name, KIN_PATCH_MERGE,
                            kin_str_of(json), NULL, NULL);
    if (code == 0 && kin__str_to_u64(&version, kin_object_resource_version(made)) == 0)
        atomic_store(&cluster->version, version);
    if (code == KIN_ENOTFOUND)
        atomic_store(&cluster->is_there[kind][slot], false);
    kin_object_unref(made);
    return code;
}

int kin_test_cluster_put(kin_test_cluster *cluster, int kind, int slot, bool is_odd)
{
    return write_with(cluster, kind, slot, is_odd, atomic_fetch_add(&cluster->n, 1) + 1);
}

int kin_test_cluster_delete(kin_test_cluster *cluster, int kind, int slot)
{
    char name[16];
    int code;

    kin_test_slot_key(name, slot, false);
    code = kin_client_delete(cluster->writer, NULL, cluster->kinds[kind], namespace_of(kind, slot),
                             name, NULL, NULL);
    if (code == 0 || code == KIN_ENOTFOUND)
        atomic_store(&cluster->is_there[kind][slot], false);
    return code;
}

/* The one before the last goes, so that each is new when it comes. */
static bool mark_at(kin_test_cluster *cluster, int kind, int namespace_)
{
    int old = kin_test_slot_of_mark(namespace_, cluster->mark + 1);
    int slot = kin_test_slot_of_mark(namespace_, cluster->mark);
    int code = KIN_EBUSY;

    for (int i = 0; i < TRIES && code < 0 && code != KIN_ENOTFOUND; i++)
        code = kin_test_cluster_delete(cluster, kind, old);
    if (code < 0 && code != KIN_ENOTFOUND)
        return false;
    for (int i = 0; i < TRIES; i++) {
        if (write_with(cluster, kind, slot, true, cluster->mark) < 0)
            continue;
        cluster->mark_versions[kind][namespace_] = atomic_load(&cluster->version);
        return true;
    }
    return false;
}

bool kin_test_cluster_mark(kin_test_cluster *cluster)
{
    cluster->mark++;
    for (int kind = 0; kind < cluster->n_kinds; kind++) {
        int n = kinds[kind].spec.cluster_wide ? 1 : KIN_TEST_NAMESPACES;

        for (int i = 0; i < n; i++) {
            if (!mark_at(cluster, kind, i))
                return false;
        }
    }
    return true;
}

bool kin_test_cluster_truth(const kin_test_cluster *cluster, kin_test_world ret[KIN_TEST_KINDS],
                            char words[KIN_TEST_WORDS])
{
    const char *paths[KIN_TEST_KINDS];

    for (int i = 0; i < cluster->n_kinds; i++)
        paths[i] = kinds[i].path;
    return kin_test_truth(ret, kin_apiserver_url(cluster->server), paths, (size_t)cluster->n_kinds,
                          words, KIN_TEST_WORDS);
}
