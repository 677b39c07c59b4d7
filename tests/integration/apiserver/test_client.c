/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our client and our server, each the other's test: what tests/unit/client has with scripted answers,
 * here with those of an API that knows what it says.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/informer.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/retry_watch.h"
#include "kinform/value.h"

#define MAP(name, value)                                                                           \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name                 \
    "\",\"labels\":{\"app\":\"" name "\"}},\"data\":{\"k\":\"" value "\"}}"

typedef struct fixture {
    kin_apiserver *server;
    kin_client *client;
    kin_resource *maps;
    char folder[64];
    char kubeconfig[128];
} fixture;

static kin_client *client_of(fixture *f, const kin_client_options *options, const char *token)
{
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    if (options)
        all = *options;
    config.kubeconfig = f->kubeconfig;
    config.token = token;
    all.qps = -1;
    assert_code(kin_config_load(&all.config, &config, &err), 0);
    assert_code(kin_client_new(&client, &all, &err), 0);
    kin_config_unref(all.config);
    return client;
}

static void open_with(fixture *f, const kin_apiserver_options *server,
                      const kin_client_options *client)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;

    snprintf(f->folder, sizeof(f->folder), "/tmp/kin-client-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->kubeconfig, sizeof(f->kubeconfig), "%s/kubeconfig", f->folder);
    assert_code(kin_apiserver_new(&f->server, server, &err), 0);
    assert_code(kin_apiserver_start(f->server, &err), 0);
    assert_code(kin_apiserver_write_kubeconfig(f->server, f->kubeconfig, &err), 0);
    f->client = client_of(f, client, NULL);
    spec.version = "v1";
    spec.resource = "configmaps";
    spec.kind = "ConfigMap";
    assert_code(kin_resource_new(&f->maps, &spec, NULL), 0);
}

static void open_server(fixture *f)
{
    open_with(f, NULL, NULL);
}

static void close_server(fixture *f)
{
    kin_client_free(f->client);
    kin_resource_unref(f->maps);
    kin_apiserver_free(f->server);
    assert_int_equal(kin_test_folder_remove(f->folder), 0);
}

/* Create from JSON; the code. */
static int create_in(fixture *f, kin_resource *resource, const char *namespace_, const char *json,
                     const kin_object **ret, const kin_request_options *options)
{
    const kin_object *object = client_object(json);
    kin_error err = KIN_ERROR_INIT;
    int code = kin_client_create(f->client, ret, resource, namespace_, object, options, &err);

    kin_object_unref(object);
    return code;
}

static int create(fixture *f, const char *json)
{
    return create_in(f, f->maps, "default", json, NULL, NULL);
}

static void create_five(fixture *f)
{
    assert_code(create(f, MAP("a", "1")), 0);
    assert_code(create(f, MAP("b", "1")), 0);
    assert_code(create(f, MAP("c", "1")), 0);
    assert_code(create(f, MAP("d", "1")), 0);
    assert_code(create(f, MAP("e", "1")), 0);
}

static int merge(fixture *f, const char *name, const char *patch)
{
    return kin_client_patch(f->client, NULL, f->maps, "default", name, KIN_PATCH_MERGE,
                            kin_str_of(patch), NULL, NULL);
}

static int delete_one(fixture *f, const char *name, const kin_request_options *options)
{
    return kin_client_delete(f->client, NULL, f->maps, "default", name, options, NULL);
}

/* The text at a path of an object, as one can compare it. */
static void assert_text(const kin_object *object, const char *path, const char *expected)
{
    kin_scratch scratch;
    kin_str text = {NULL, 0};

    kin_value_string(&text, kin_object_find(object, path), &scratch);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void assert_value(fixture *f, const char *name, const char *expected)
{
    const kin_object *object = NULL;

    assert_code(kin_client_get(f->client, &object, f->maps, "default", name, NULL, NULL), 0);
    assert_text(object, "data.k", expected);
    kin_object_unref(object);
}

/* The version of a list; terminated. */
static void list_version(fixture *f, char version[32])
{
    client_seen seen = {.n = 0};
    const kin_object *list = NULL;

    assert_code(
        kin_client_list(f->client, &list, f->maps, "default", client_see_item, &seen, NULL, NULL),
        0);
    snprintf(version, 32, "%" KIN_STR_FMT, KIN_STR_ARG(kin_object_resource_version(list)));
    kin_object_unref(list);
}

static void inject(fixture *f, kin_fault_type type, const char *verb, int status)
{
    kin_fault fault = KIN_FAULT_INIT(type);
    kin_error err = KIN_ERROR_INIT;

    fault.verb = verb;
    fault.status = status;
    assert_code(kin_apiserver_inject(f->server, &fault, NULL, &err), 0);
}

/* --- verbs --- */

static void objects_are_made_changed_and_deleted(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *made = NULL;
    const kin_object *changed = NULL;
    kin_error err = KIN_ERROR_INIT;
    fixture f;

    (void)state;
    open_server(&f);
    options.dry_run = true;
    assert_code(create_in(&f, f.maps, "default", MAP("a", "0"), NULL, &options), 0);
    assert_code(kin_client_get(f.client, &made, f.maps, "default", "a", NULL, &err), KIN_ENOTFOUND);
    assert_int_equal(err.http_status, 404);
    assert_string_equal(err.message, "configmaps \"a\" not found");
    options.dry_run = false;
    assert_code(create_in(&f, f.maps, "default", MAP("a", "1"), &made, &options), 0);
    assert_string_equal(kin_object_key(made), "default/a");
    assert_code(create(&f, MAP("a", "1")), KIN_EEXISTS);
    assert_code(create(&f, MAP("Bad_Name", "1")), KIN_EREFUSED);
    assert_code(create_in(&f, f.maps, "nowhere", MAP("a", "1"), NULL, NULL), KIN_ENOTFOUND);

    assert_code(merge(&f, "a", "{\"data\":{\"k\":\"2\"}}"), 0);
    assert_value(&f, "a", "2");
    assert_code(kin_client_update(f.client, &changed, f.maps, "default", made, NULL, &err),
                KIN_ECONFLICT);
    assert_code(kin_client_patch(f.client, &changed, f.maps, "default", "a", KIN_PATCH_JSON,
                                 kin_str_of("[{\"op\":\"replace\",\"path\":\"/data/k\","
                                            "\"value\":\"3\"}]"),
                                 NULL, &err),
                0);
    assert_text(changed, "data.k", "3");
    kin_object_unref(made);
    made = NULL;
    assert_code(kin_client_update(f.client, &made, f.maps, "default", changed, NULL, &err), 0);
    /* Nothing has changed, and so the version has not. */
    assert_true(
        kin_str_equal(kin_object_resource_version(made), kin_object_resource_version(changed)));
    kin_object_unref(made);
    kin_object_unref(changed);

    options.precondition_uid = "another";
    assert_code(delete_one(&f, "a", &options), KIN_ECONFLICT);
    options.precondition_uid = NULL;
    assert_code(delete_one(&f, "a", &options), 0);
    assert_code(delete_one(&f, "a", &options), KIN_ENOTFOUND);
    close_server(&f);
}

static void collections_are_deleted(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_seen seen = {.n = 0};
    fixture f;

    (void)state;
    open_server(&f);
    create_five(&f);
    options.label_selector = "app in (b,d)";
    assert_code(kin_client_delete_collection(f.client, NULL, f.maps, "default", &options, NULL), 0);
    options.label_selector = NULL;
    options.field_selector = "metadata.name!=e";
    options.metadata_only = true;
    assert_code(
        kin_client_list(f.client, NULL, f.maps, "default", client_see_item, &seen, &options, NULL),
        0);
    assert_string_equal(seen.text, "default/a default/c");
    close_server(&f);
}

static void subresources_are_written_apart(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":"
        "{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":"
        "{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}},\"status\":{\"replicas\":7}}";
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_resource *deployments = NULL;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int64_t n = -1;
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(kin_client_resolve(f.client, &deployments, "deploy", &err), 0);
    assert_code(create_in(&f, deployments, "default", text, NULL, NULL), 0);
    options.subresource = "status";
    assert_code(
        kin_client_patch(f.client, NULL, deployments, "default", "web", KIN_PATCH_MERGE,
                         kin_str_of("{\"status\":{\"replicas\":3},\"spec\":{\"replicas\":9}}"),
                         &options, &err),
        0);
    options.subresource = "scale";
    assert_code(kin_client_get(f.client, &object, deployments, "default", "web", &options, &err),
                0);
    assert_text(object, "kind", "Scale");
    assert_code(kin_value_int64(&n, kin_object_find(object, "spec.replicas")), 0);
    assert_int_equal(n, 1);
    assert_code(kin_value_int64(&n, kin_object_find(object, "status.replicas")), 0);
    assert_int_equal(n, 3);
    kin_object_unref(object);
    kin_resource_unref(deployments);
    close_server(&f);
}

/* --- discovery --- */

#define DEFINITION                                                                                 \
    "{\"metadata\":{\"name\":\"widgets.shop.example\"},\"spec\":{\"group\":\"shop.example\","      \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widget\","          \
    "\"kind\":\"Widget\",\"shortNames\":[\"wd\"]},\"versions\":[{\"name\":\"v1\",\"served\":true," \
    "\"storage\":true,\"deprecated\":true,\"deprecationWarning\":\"v1 is \\\"old\\\"\","           \
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","                                        \
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

static void define_widgets(fixture *f)
{
    /* Spelled out: what the server had before is not asked for, so that the next who asks knows all. */
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *definitions = NULL;

    spec.group = "apiextensions.k8s.io";
    spec.version = "v1";
    spec.resource = "customresourcedefinitions";
    spec.kind = "CustomResourceDefinition";
    spec.cluster_wide = true;
    assert_code(kin_resource_new(&definitions, &spec, NULL), 0);
    assert_code(create_in(f, definitions, NULL, DEFINITION, NULL, NULL), 0);
    kin_resource_unref(definitions);
}

static void names_of_resources_are_resolved(void **state)
{
    static const struct {
        const char *name;
        const char *resource;
        const char *api_version;
        const char *kind;
    } cases[] = {
        {"po", "pods", "v1", "Pod"},
        {"configmap", "configmaps", "v1", "ConfigMap"},
        {"deployments.apps", "deployments", "apps/v1", "Deployment"},
        {"lease", "leases", "coordination.k8s.io/v1", "Lease"},
        {"no", "nodes", "v1", "Node"},
    };
    kin_resource *resource = NULL;
    kin_error err = KIN_ERROR_INIT;
    fixture f;

    (void)state;
    open_server(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_code(kin_client_resolve(f.client, &resource, cases[i].name, &err), 0);
        assert_string_equal(kin_resource_name(resource), cases[i].resource);
        assert_string_equal(kin_resource_api_version(resource), cases[i].api_version);
        assert_string_equal(kin_resource_kind(resource), cases[i].kind);
        assert_true(kin_resource_has_verb(resource, "watch"));
        kin_resource_unref(resource);
    }
    assert_code(kin_client_resolve(f.client, &resource, "widgets", &err), KIN_ENOTFOUND);
    define_widgets(&f);
    kin_client *another = client_of(&f, NULL, NULL);
    assert_code(kin_client_resolve(another, &resource, "wd", &err), 0);
    assert_string_equal(kin_resource_api_version(resource), "shop.example/v1");
    kin_resource_unref(resource);
    kin_client_free(another);
    close_server(&f);
}

struct warnings {
    pthread_mutex_t lock;
    char text[256]; /* (lock) */
};

static void keep_warning(kin_str text, void *arg)
{
    struct warnings *warnings = arg;

    pthread_mutex_lock(&warnings->lock);
    snprintf(warnings->text, sizeof(warnings->text), "%" KIN_STR_FMT, KIN_STR_ARG(text));
    pthread_mutex_unlock(&warnings->lock);
}

static void warnings_arrive(void **state)
{
    struct warnings warnings = {PTHREAD_MUTEX_INITIALIZER, ""};
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_resource *widgets = NULL;
    client_seen seen = {.n = 0};
    fixture f;

    (void)state;
    options.warning = keep_warning;
    options.warning_arg = &warnings;
    open_with(&f, NULL, &options);
    define_widgets(&f);
    assert_code(kin_client_resolve(f.client, &widgets, "widgets", NULL), 0);
    assert_code(kin_client_list(f.client, NULL, widgets, NULL, client_see_item, &seen, NULL, NULL),
                0);
    kin_resource_unref(widgets);
    close_server(&f);
    assert_string_equal(warnings.text, "v1 is \"old\"");
}

/* --- lists --- */

struct pages {
    client_seen seen;
    fixture *f;
    bool compact; /* at the next item */
    unsigned n_restarts;
};

static int see_page(const kin_object *object, void *arg, kin_error *err)
{
    struct pages *pages = arg;

    if (pages->compact) {
        pages->compact = false;
        assert_code(create(pages->f, MAP("f", "1")), 0);
        assert_code(kin_apiserver_compact(pages->f->server, err), 0);
    }
    return client_see_item(object, &pages->seen, err);
}

static int begin_again(void *arg, kin_error *err)
{
    struct pages *pages = arg;

    (void)err;
    pages->n_restarts++;
    pages->seen = (client_seen){.n = 0};
    return 0;
}

static void lists_come_in_pages(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct pages pages = {.compact = false};
    fixture f;

    (void)state;
    open_server(&f);
    pages.f = &f;
    create_five(&f);
    options.limit = 2;
    assert_code(kin_client_list_all(f.client, NULL, f.maps, "default", see_page, NULL, &pages,
                                    &options, &err),
                0);
    assert_string_equal(pages.seen.text, "default/a default/b default/c default/d default/e");
    filter.verb = "list";
    filter.query = "*continue=*";
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 2, KIN_TEST_TIMEOUT_MS, &err), 0);
    /* The version goes while its pages are read. */
    pages.seen = (client_seen){.n = 0};
    pages.compact = true;
    assert_code(kin_client_list_all(f.client, NULL, f.maps, "default", see_page, begin_again,
                                    &pages, &options, &err),
                0);
    assert_int_equal(pages.n_restarts, 1);
    assert_string_equal(pages.seen.text,
                        "default/a default/b default/c default/d default/e default/f");
    close_server(&f);
}

static void old_versions_expire(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_seen seen = {.n = 0};
    char version[32];
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(create(&f, MAP("a", "1")), 0);
    list_version(&f, version);
    assert_code(create(&f, MAP("b", "1")), 0);
    options.resource_version = version;
    options.resource_version_match = "Exact";
    assert_code(
        kin_client_list(f.client, NULL, f.maps, "default", client_see_item, &seen, &options, NULL),
        0);
    assert_string_equal(seen.text, "default/a");
    assert_code(kin_apiserver_compact(f.server, NULL), 0);
    assert_code(
        kin_client_list(f.client, NULL, f.maps, "default", client_see_item, &seen, &options, NULL),
        KIN_EEXPIRED);
    options.resource_version_match = NULL;
    assert_code(
        kin_client_watch(f.client, f.maps, "default", client_see_event, &seen, &options, NULL),
        KIN_EEXPIRED);
    close_server(&f);
}

/* --- watches --- */

static kin_call *start_watch(fixture *f, client_told *told, const kin_request_options *options)
{
    kin_call_handlers handlers = client_told_handlers(told);
    kin_request request = KIN_REQUEST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_call *call = NULL;

    request.verb = KIN_VERB_WATCH;
    request.resource = f->maps;
    request.namespace_ = "default";
    request.options = options;
    assert_code(kin_client_start(f->client, &call, &request, &handlers, &err), 0);
    return call;
}

static void end_watch(client_told *told, kin_call *call, const char *expected)
{
    kin_call_cancel(call);
    client_assert_ended(told, KIN_ECANCELED);
    assert_string_equal(told->seen.text, expected);
    kin_call_unref(call);
    client_told_done(told);
}

static void a_streaming_list_goes_on_as_a_watch(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_told told;
    kin_call *call;
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(create(&f, MAP("a", "1")), 0);
    assert_code(create(&f, MAP("b", "1")), 0);
    client_told_init(&told);
    options.send_initial_events = true;
    options.resource_version_match = "NotOlderThan";
    options.bookmarks = true;
    call = start_watch(&f, &told, &options);
    kin_test_latch_wait(&told.told, 3);
    assert_code(create(&f, MAP("c", "1")), 0);
    assert_code(delete_one(&f, "a", NULL), 0);
    kin_test_latch_wait(&told.told, 5);
    end_watch(&told, call,
              "ADDED:default/a ADDED:default/b BOOKMARK: ADDED:default/c DELETED:default/a");
    close_server(&f);
}

static void a_selection_is_entered_and_left(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_told told;
    char version[32];
    kin_call *call;
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(create(&f, MAP("a", "1")), 0);
    list_version(&f, version);
    client_told_init(&told);
    options.resource_version = version;
    options.label_selector = "app=x";
    call = start_watch(&f, &told, &options);
    assert_code(merge(&f, "a", "{\"data\":{\"k\":\"2\"}}"), 0);
    assert_code(merge(&f, "a", "{\"metadata\":{\"labels\":{\"app\":\"x\"}}}"), 0);
    assert_code(merge(&f, "a", "{\"data\":{\"k\":\"3\"}}"), 0);
    assert_code(merge(&f, "a", "{\"metadata\":{\"labels\":{\"app\":\"y\"}}}"), 0);
    kin_test_latch_wait(&told.told, 3);
    end_watch(&told, call, "ADDED:default/a MODIFIED:default/a DELETED:default/a");
    close_server(&f);
}

static void bookmarks_tell_of_versions(void **state)
{
    kin_apiserver_options server = KIN_APISERVER_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_told told;
    kin_call *call;
    fixture f;

    (void)state;
    server.bookmark_ms = 20;
    open_with(&f, &server, NULL);
    assert_code(create(&f, MAP("a", "1")), 0);
    client_told_init(&told);
    options.bookmarks = true;
    call = start_watch(&f, &told, &options);
    kin_test_latch_wait(&told.told, 3);
    kin_call_cancel(call);
    client_assert_ended(&told, KIN_ECANCELED);
    assert_memory_equal(told.seen.text, "ADDED:default/a BOOKMARK: BOOKMARK:", 35);
    kin_call_unref(call);
    client_told_done(&told);
    close_server(&f);
}

static void the_server_ends_a_watch(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_seen seen = {.n = 0};
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(create(&f, MAP("a", "1")), 0);
    options.watch_timeout_ms = 1000;
    assert_code(
        kin_client_watch(f.client, f.maps, "default", client_see_event, &seen, &options, NULL), 0);
    assert_string_equal(seen.text, "ADDED:default/a");
    close_server(&f);
}

/* A retry watch in a thread of its own. */
struct retrying {
    kin_retry_watch *watch;
    client_seen seen;
    kin_test_latch told;
    pthread_t thread;
    int code;
};

static int tell(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    struct retrying *r = arg;
    int code = client_see_event(type, object, &r->seen, err);

    kin_test_latch_raise(&r->told);
    return code;
}

static void *run_retrying(void *arg)
{
    struct retrying *r = arg;

    r->code = kin_retry_watch_run(r->watch, tell, r, NULL);
    return NULL;
}

static void retry_from(fixture *f, struct retrying *r, const char *version)
{
    kin_list_watch_options source_options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;
    kin_list_watch *source = NULL;

    memset(r, 0, sizeof(*r));
    source_options.namespace_ = "default";
    options.min_delay_ms = 1;
    assert_code(kin_client_list_watch(f->client, &source, f->maps, &source_options, NULL), 0);
    assert_code(kin_retry_watch_new(&r->watch, source, version, &options, NULL), 0);
    kin_list_watch_unref(source);
    kin_test_latch_init(&r->told);
    assert_int_equal(pthread_create(&r->thread, NULL, run_retrying, r), 0);
}

static void retry_end(struct retrying *r, int code)
{
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    assert_code(r->code, code);
    kin_retry_watch_free(r->watch);
    kin_test_latch_done(&r->told);
}

static void a_retry_watch_goes_on_until_its_version_is_gone(void **state)
{
    struct retrying r;
    char version[32];
    fixture f;

    (void)state;
    open_server(&f);
    list_version(&f, version);
    inject(&f, KIN_FAULT_STATUS, "watch", 500);
    inject(&f, KIN_FAULT_RESET, "watch", 0);
    retry_from(&f, &r, version);
    assert_code(create(&f, MAP("a", "1")), 0);
    kin_test_latch_wait(&r.told, 1);
    /* The next event ends the watch instead of being told, and is told by the one behind. */
    inject(&f, KIN_FAULT_WATCH_END, "watch", 0);
    assert_code(create(&f, MAP("b", "1")), 0);
    kin_test_latch_wait(&r.told, 2);
    assert_code(delete_one(&f, "a", NULL), 0);
    kin_test_latch_wait(&r.told, 3);
    assert_string_equal(r.seen.text, "ADDED:default/a ADDED:default/b DELETED:default/a");
    assert_code(kin_apiserver_compact(f.server, NULL), 0);
    retry_end(&r, KIN_EEXPIRED);
    close_server(&f);
}

static void a_retry_watch_survives_a_restart(void **state)
{
    struct retrying r;
    char version[32];
    fixture f;

    (void)state;
    open_server(&f);
    list_version(&f, version);
    retry_from(&f, &r, version);
    assert_code(create(&f, MAP("a", "1")), 0);
    kin_test_latch_wait(&r.told, 1);
    kin_apiserver_stop(f.server);
    assert_code(kin_apiserver_start(f.server, NULL), 0);
    assert_code(create(&f, MAP("b", "1")), 0);
    kin_test_latch_wait(&r.told, 2);
    /* One that breaks everything off. */
    assert_code(kin_apiserver_restart(f.server, false, NULL), 0);
    assert_code(create(&f, MAP("c", "1")), 0);
    kin_test_latch_wait(&r.told, 3);
    assert_string_equal(r.seen.text, "ADDED:default/a ADDED:default/b ADDED:default/c");
    kin_retry_watch_stop(r.watch);
    retry_end(&r, KIN_ECANCELED);
    close_server(&f);
}

/* --- who may, and servers that are not well --- */

static void tokens_and_tls(void **state)
{
    static const kin_apiserver_token tokens[] = {{"write", "alice", false}, {"read", "bob", true}};
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    fixture f;

    (void)state;
    options.tls = true;
    options.tokens = tokens;
    options.n_tokens = 2;
    open_with(&f, &options, NULL);
    assert_memory_equal(kin_apiserver_url(f.server), "https://", 8);
    assert_code(create(&f, MAP("a", "1")), 0);
    kin_client *reader = client_of(&f, NULL, "read");
    kin_client *stranger = client_of(&f, NULL, "wrong");
    const kin_object *object = NULL;
    assert_code(kin_client_get(reader, &object, f.maps, "default", "a", NULL, &err), 0);
    kin_object_unref(object);
    assert_code(kin_client_delete(reader, NULL, f.maps, "default", "a", NULL, &err), KIN_EDENIED);
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.message, "configmaps \"a\" is forbidden: User \"bob\" cannot delete "
                                     "resource \"configmaps\" in API group \"\" in the namespace "
                                     "\"default\"");
    assert_code(kin_client_delete(stranger, NULL, f.maps, "default", "a", NULL, &err), KIN_EDENIED);
    assert_int_equal(err.http_status, 401);
    kin_client_free(reader);
    kin_client_free(stranger);
    assert_value(&f, "a", "1");
    close_server(&f);
}

static void requests_are_tried_again(void **state)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_fault busy = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(create(&f, MAP("a", "1")), 0);
    busy.verb = "get";
    busy.status = 429;
    busy.retry_after_s = 1;
    assert_code(kin_apiserver_inject(f.server, &busy, NULL, NULL), 0);
    inject(&f, KIN_FAULT_RESET, "get", 0);
    assert_value(&f, "a", "1");
    filter.verb = "get";
    filter.path = "*/configmaps/a";
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 3, KIN_TEST_TIMEOUT_MS, NULL), 0);
    close_server(&f);
}

/* Lists, watches and single objects with one object in them that is larger than the client takes. */
static void objects_may_be_too_large(void **state)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_OVERSIZE_OBJECT);
    const kin_object *object = NULL;
    client_seen seen = {.n = 0};
    fixture f;

    (void)state;
    open_server(&f);
    create_five(&f);
    decode.max_bytes = 4096;
    options.decode = &decode;
    fault.bytes = 5000;
    fault.times = 3; /* the list in protobuf, and again in JSON, which the get asks for */
    assert_code(kin_apiserver_inject(f.server, &fault, NULL, NULL), 0);
    assert_code(
        kin_client_list(f.client, NULL, f.maps, "default", client_see_item, &seen, &options, NULL),
        KIN_ELIMIT);
    assert_code(kin_client_get(f.client, &object, f.maps, "default", "a", &options, NULL),
                KIN_ELIMIT);
    /* Without the fault, and below the limit, all is well. */
    fault.times = 1;
    fault.bytes = 2000;
    assert_code(kin_apiserver_inject(f.server, &fault, NULL, NULL), 0);
    assert_code(
        kin_client_list(f.client, NULL, f.maps, "default", client_see_item, &seen, &options, NULL),
        0);
    assert_int_equal(seen.n, 5);

    /* The third event of a watch. */
    memset(&seen, 0, sizeof(seen));
    fault.type = KIN_FAULT_WATCH_OVERSIZE;
    fault.bytes = 5000;
    fault.skip = 2;
    assert_code(kin_apiserver_inject(f.server, &fault, NULL, NULL), 0);
    assert_code(
        kin_client_watch(f.client, f.maps, "default", client_see_event, &seen, &options, NULL),
        KIN_ELIMIT);
    assert_string_equal(seen.text, "ADDED:default/a ADDED:default/b");
    close_server(&f);
}

/* --- objects that protobuf cannot hold --- */

#define UNFIT(name, member)                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}," member "}"

static void assert_unfit(kin_informer *informer, const char *key, const char *path)
{
    const kin_object *object = NULL;

    assert_code(kin_store_get(kin_informer_store(informer), &object, kin_str_of(key), NULL), 0);
    assert_int_equal(kin_value_type(kin_object_find(object, path)), KIN_INTEGER);
    kin_object_unref(object);
}

static void await_newest(fixture *f, kin_informer *informer)
{
    kin_error err = KIN_ERROR_INIT;
    char version[32];

    list_version(f, version);
    assert_code(kin_informer_wait_version(informer, version, KIN_TEST_TIMEOUT_MS, &err), 0);
}

/* What default informers have is what JSON says, whether the objects are in the list or come later. */
static void informers_get_objects_that_protobuf_cannot_hold(void **state)
{
    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_informer *informers[2] = {NULL};
        kin_error err = KIN_ERROR_INIT;
        fixture f;

        open_server(&f);
        options.no_streaming_list = !streams;
        assert_code(create(&f, MAP("fit", "1")), 0);
        assert_code(kin_informer_new(&informers[0], f.client, "configmaps", &options, &err), 0);
        assert_code(kin_informer_start(informers[0], &err), 0);
        await_newest(&f, informers[0]);
        assert_code(kin_informer_get_status(informers[0], &status, NULL), 0);
        assert_int_equal(status.encoding, KIN_ENCODING_PROTOBUF);

        assert_code(create(&f, UNFIT("a", "\"data\":{\"k\":1}")), 0);
        assert_code(create(&f, UNFIT("b", "\"zz\":1")), 0);
        await_newest(&f, informers[0]);
        assert_code(kin_informer_new(&informers[1], f.client, "configmaps", &options, &err), 0);
        assert_code(kin_informer_start(informers[1], &err), 0);
        await_newest(&f, informers[1]);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(kin_store_len(kin_informer_store(informers[i])), 3);
            assert_unfit(informers[i], "default/a", "data.k");
            assert_unfit(informers[i], "default/b", "zz");
        }
        assert_code(delete_one(&f, "a", NULL), 0);
        assert_code(delete_one(&f, "b", NULL), 0);
        for (size_t i = 0; i < 2; i++) {
            await_newest(&f, informers[i]);
            assert_int_equal(kin_store_len(kin_informer_store(informers[i])), 1);
            assert_code(kin_informer_get_status(informers[i], &status, NULL), 0);
            assert_int_equal(status.skipped, 0);
            assert_int_equal(status.json_fallbacks, 0);
            kin_informer_free(informers[i]);
        }
        close_server(&f);
    }
}

/* --- watches in gzip --- */

#define FILL "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define MAP_TEXT                                                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"                \
    "\"data\":{\"k\":\"" FILL FILL FILL FILL "\"}}"

static bool see_bytes(const kin_request_record *record, void *arg)
{
    *(uint64_t *)arg += record->body_bytes;
    return true;
}

static void create_filled(fixture *f, const char *prefix, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char name[32];
        char text[sizeof(MAP_TEXT) + sizeof(name)];

        snprintf(name, sizeof(name), "%s%u", prefix, i);
        snprintf(text, sizeof(text), MAP_TEXT, name);
        assert_code(create(f, text), 0);
    }
}

/* Follow by a streaming list that turns into a watch. Returns the bytes that the server has sent for it. */
static uint64_t follow(bool gzip, kin_encoding encoding)
{
    enum { LISTED = 200, LATER = 20 };
    kin_apiserver_options server = KIN_APISERVER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;
    uint64_t bytes = 0;
    fixture f;

    server.gzip_watches = gzip;
    open_with(&f, &server, NULL);
    create_filled(&f, "listed", LISTED);
    reflector.streaming_lists = KIN_STREAMING_LISTS_ALWAYS;
    options.reflector = &reflector;
    options.encoding = encoding;
    assert_code(kin_informer_new(&informer, f.client, "configmaps", &options, &err), 0);
    assert_code(kin_informer_start(informer, &err), 0);
    await_newest(&f, informer);
    assert_int_equal(kin_store_len(kin_informer_store(informer)), LISTED);
    /* Each event is a flush of its own, or shares one with others. */
    create_filled(&f, "later", LATER);
    assert_code(delete_one(&f, "listed0", NULL), 0);
    await_newest(&f, informer);
    assert_int_equal(kin_store_len(kin_informer_store(informer)), LISTED + LATER - 1);
    assert_code(kin_informer_get_status(informer, &status, NULL), 0);
    assert_int_equal(status.encoding, encoding);
    assert_int_equal(status.json_fallbacks, 0);
    assert_int_equal(status.fallbacks, 0);
    assert_int_equal(status.last_error.code, 0);
    kin_informer_free(informer);
    /* The bytes of a watch are known when it has ended. */
    filter.query = "*sendInitialEvents=true*";
    filter.phase = KIN_REQUEST_ENDED;
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 1, KIN_TEST_TIMEOUT_MS, &err), 0);
    assert_code(kin_apiserver_requests(f.server, &filter, see_bytes, &bytes, &err), 0);
    close_server(&f);
    return bytes;
}

static void informers_follow_watches_in_gzip(void **state)
{
    static const kin_encoding encodings[] = {KIN_ENCODING_PROTOBUF, KIN_ENCODING_JSON};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        uint64_t plain = follow(false, encodings[i]);
        uint64_t compressed = follow(true, encodings[i]);

        assert_true(plain > 0 && compressed > 0);
        assert_true(compressed < plain / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(objects_are_made_changed_and_deleted),
        client_test(collections_are_deleted),
        client_test(subresources_are_written_apart),
        client_test(names_of_resources_are_resolved),
        client_test(warnings_arrive),
        client_test(lists_come_in_pages),
        client_test(old_versions_expire),
        client_test(a_streaming_list_goes_on_as_a_watch),
        client_test(a_selection_is_entered_and_left),
        client_test(bookmarks_tell_of_versions),
        client_test(the_server_ends_a_watch),
        client_test(a_retry_watch_goes_on_until_its_version_is_gone),
        client_test(a_retry_watch_survives_a_restart),
        client_test(tokens_and_tls),
        client_test(requests_are_tried_again),
        client_test(objects_may_be_too_large),
        client_test(informers_get_objects_that_protobuf_cannot_hold),
        client_test(informers_follow_watches_in_gzip),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
