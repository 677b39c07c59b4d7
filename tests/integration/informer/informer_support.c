/* SPDX-License-Identifier: Apache-2.0 */
#include "informer_support.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "folder.h"
#include "kinform/json.h"

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

/* --- the server and its client --- */

kin_client *informer_client(informer_fixture *f, const kin_config_options *config,
                            const kin_client_options *options)
{
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    if (options)
        all = *options;
    if (config)
        where = *config;
    if (!where.server)
        where.kubeconfig = f->kubeconfig;
    all.qps = -1;
    all.logger = f->logger;
    assert_code(where.server ? kin_config_new(&all.config, &where, &err)
                             : kin_config_load(&all.config, &where, &err),
                0);
    assert_code(kin_client_new(&client, &all, &err), 0);
    kin_config_unref(all.config);
    return client;
}

void informer_open(informer_fixture *f, const kin_apiserver_options *server,
                   const kin_client_options *client)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (server)
        options = *server;
    assert_code(kin_logger_new(&f->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    options.logger = f->logger;
    snprintf(f->folder, sizeof(f->folder), "/tmp/kin-informer-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->kubeconfig, sizeof(f->kubeconfig), "%s/kubeconfig", f->folder);
    assert_code(kin_apiserver_new(&f->server, &options, &err), 0);
    assert_code(kin_apiserver_start(f->server, &err), 0);
    assert_code(kin_apiserver_write_kubeconfig(f->server, f->kubeconfig, &err), 0);
    f->client = informer_client(f, NULL, client);
    spec.version = "v1";
    spec.resource = "configmaps";
    spec.kind = "ConfigMap";
    assert_code(kin_resource_new(&f->maps, &spec, NULL), 0);
}

void informer_close(informer_fixture *f)
{
    kin_client_free(f->client);
    kin_resource_unref(f->maps);
    kin_apiserver_free(f->server);
    kin_logger_unref(f->logger);
    assert_int_equal(kin_test_folder_remove(f->folder), 0);
}

kin_informer_options informer_options(const informer_fixture *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    options.logger = f->logger;
    return options;
}

/* --- objects --- */

static const kin_object *parse(const char *json)
{
    const kin_object *object = NULL;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    return object;
}

static void create(informer_fixture *f, kin_resource *resource, const char *namespace_,
                   const char *json)
{
    const kin_object *object = parse(json);
    kin_error err = KIN_ERROR_INIT;

    if (kin_client_create(f->client, NULL, resource, namespace_, object, NULL, &err) < 0)
        fail_msg("%s", err.message);
    kin_object_unref(object);
}

static kin_resource *cluster_wide(const char *group, const char *name, const char *kind)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *resource = NULL;

    spec.group = group;
    spec.version = "v1";
    spec.resource = name;
    spec.kind = kind;
    spec.cluster_wide = true;
    assert_code(kin_resource_new(&resource, &spec, NULL), 0);
    return resource;
}

void informer_make_namespace(informer_fixture *f, const char *name)
{
    kin_resource *namespaces = cluster_wide(NULL, "namespaces", "Namespace");
    char json[128];

    snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\"}}", name);
    create(f, namespaces, NULL, json);
    kin_resource_unref(namespaces);
}

void informer_put(informer_fixture *f, const char *namespace_, const char *name, const char *tier,
                  char version[32])
{
    const kin_object *made = NULL;
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;
    char json[256];
    int code;

    snprintf(json, sizeof(json), "{\"metadata\":{\"labels\":{\"tier\":\"%s\"}}}", tier);
    code = kin_client_patch(f->client, &made, f->maps, namespace_, name, KIN_PATCH_MERGE,
                            kin_str_of(json), NULL, &err);
    if (code == KIN_ENOTFOUND) {
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"%s\",\"tier\":\"%s\"}},"
                 "\"data\":{\"k\":\"v\"}}",
                 name, name, tier);
        object = parse(json);
        code = kin_client_create(f->client, &made, f->maps, namespace_, object, NULL, &err);
        kin_object_unref(object);
    }
    if (code < 0)
        fail_msg("%s", err.message);
    if (version)
        snprintf(version, 32, "%" KIN_STR_FMT, KIN_STR_ARG(kin_object_resource_version(made)));
    kin_object_unref(made);
}

void informer_delete(informer_fixture *f, const char *namespace_, const char *name)
{
    assert_code(kin_client_delete(f->client, NULL, f->maps, namespace_, name, NULL, NULL), 0);
}

void informer_define_widgets(informer_fixture *f)
{
    static const char definition[] =
        "{\"metadata\":{\"name\":\"widgets.shop.example\"},\"spec\":{\"group\":\"shop.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","
        "\"kind\":\"Widget\",\"shortNames\":[\"wd\"]},\"versions\":[{\"name\":\"v1\",\"served\":true,"
        "\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
        "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";
    kin_resource *definitions = cluster_wide("apiextensions.k8s.io", "customresourcedefinitions",
                                             "CustomResourceDefinition");

    create(f, definitions, NULL, definition);
    kin_resource_unref(definitions);
}

/* --- what is told --- */

void informer_told_init(informer_told *told)
{
    memset(told, 0, sizeof(*told));
    pthread_mutex_init(&told->lock, NULL);
    pthread_cond_init(&told->changed, NULL);
}

void informer_told_done(informer_told *told)
{
    pthread_cond_destroy(&told->changed);
    pthread_mutex_destroy(&told->lock);
}

void informer_tell(const kin_event *event, void *arg)
{
    informer_told *told = arg;

    if (event->is_sync)
        return;
    pthread_mutex_lock(&told->lock);
    if (told->n < sizeof(told->words) / sizeof(told->words[0]))
        snprintf(told->words[told->n++], sizeof(told->words[0]), "%c%s%s", " +~-"[event->type],
                 kin_object_key(event->object),
                 kin_object_is_tombstone(event->object, NULL) ? "?" : "");
    pthread_cond_broadcast(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void join_sorted(char text[4096], char words[][64], unsigned n)
{
    size_t len = 0;

    text[0] = '\0';
    qsort(words, n, sizeof(words[0]), compare);
    for (unsigned i = 0; i < n && len < 4096 - 64; i++)
        len += (size_t)snprintf(text + len, 4096 - len, "%s ", words[i]);
}

void informer_assert_told(informer_told *told, const char *expected)
{
    char words[256][64] = {""};
    char actual[4096];
    char sorted[4096];
    char copy[4096];
    char *rest = NULL;
    struct timespec at;
    unsigned n = 0;
    int os_error = 0;

    snprintf(copy, sizeof(copy), "%s", expected);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        snprintf(words[n++], sizeof(words[0]), "%s", word);
    join_sorted(sorted, words, n);
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += KIN_TEST_TIMEOUT_MS / 1000;
    pthread_mutex_lock(&told->lock);
    while (told->n < n && os_error == 0)
        os_error = pthread_cond_timedwait(&told->changed, &told->lock, &at);
    join_sorted(actual, told->words, told->n);
    told->n = 0;
    pthread_mutex_unlock(&told->lock);
    assert_string_equal(actual, sorted);
}

/* --- informers --- */

void informer_start(kin_informer *informer)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_informer_start(informer, &err), 0);
    if (kin_informer_wait_synced(informer, KIN_TEST_TIMEOUT_MS, &err) < 0)
        fail_msg("%s", err.message);
}

void informer_await(kin_informer *informer, const char *version)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_wait_version(informer, version, KIN_TEST_TIMEOUT_MS, &err) < 0)
        fail_msg("%s", err.message);
}
