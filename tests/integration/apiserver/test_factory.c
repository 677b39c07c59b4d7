/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories over a client and the embedded server: which names share an informer, kinds that are
 * not there or not allowed, owners across informers, and an end in the midst of everything.
 */
#include "client_support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/factory.h"
#include "kinform/owner.h"
#include "kinform/path.h"
#include "kinform/value.h"

typedef struct fixture {
    kin_apiserver *server;
    kin_client *client;
    kin_factory *factory;
    char folder[64];
} fixture;

static void open_client(fixture *f)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    char kubeconfig[128];

    snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", f->folder);
    assert_code(kin_apiserver_write_kubeconfig(f->server, kubeconfig, &err), 0);
    config.kubeconfig = kubeconfig;
    options.qps = -1;
    assert_code(kin_config_load(&options.config, &config, &err), 0);
    assert_code(kin_client_new(&f->client, &options, &err), 0);
    kin_config_unref(options.config);
}

static void open_factory(fixture *f, const kin_factory_options *options)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_factory_new(&f->factory, f->client, options, &err), 0);
}

static void open_server(fixture *f)
{
    kin_error err = KIN_ERROR_INIT;

    memset(f, 0, sizeof(*f));
    snprintf(f->folder, sizeof(f->folder), "/tmp/kin-factory-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    assert_code(kin_apiserver_new(&f->server, NULL, &err), 0);
    assert_code(kin_apiserver_start(f->server, &err), 0);
    open_client(f);
}

static void close_server(fixture *f)
{
    kin_factory_free(f->factory);
    kin_client_free(f->client);
    kin_apiserver_free(f->server);
    assert_int_equal(kin_test_folder_remove(f->folder), 0);
}

static void simulate(fixture *f, unsigned churn)
{
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    options.nodes = 3;
    options.deployments = 8;
    options.pods = 24;
    options.churn = churn;
    assert_code(kin_apiserver_simulate(f->server, &options, &err), 0);
    assert_code(kin_apiserver_wait_for_simulation(f->server, KIN_TEST_TIMEOUT_MS, &err), 0);
}

static kin_informer *ask(fixture *f, const char *resource)
{
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_factory_informer(f->factory, &informer, resource, &err), 0);
    return informer;
}

static void start_and_sync(fixture *f)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_factory_start(f->factory, &err), 0);
    if (kin_factory_wait_for_sync(f->factory, KIN_TEST_TIMEOUT_MS, &err) < 0)
        fail_msg("%s", err.message);
}

static void create_in(fixture *f, const char *name, const char *namespace_, const char *json,
                      const kin_object **ret)
{
    const kin_object *object = client_object(json);
    kin_resource *resource = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_client_resolve(f->client, &resource, name, &err), 0);
    if (kin_client_create(f->client, ret, resource, namespace_, object, NULL, &err) < 0)
        fail_msg("%s", err.message);
    kin_object_unref(object);
    kin_resource_unref(resource);
}

static void create(fixture *f, const char *name, const char *json, const kin_object **ret)
{
    create_in(f, name, "default", json, ret);
}

/* --- names --- */

static int see_resync(const char *resource, kin_informer_options *options, void *arg,
                      kin_error *err)
{
    (void)resource;
    (void)err;
    *(int64_t *)arg = options->resync_ms;
    return 0;
}

static void names_of_a_resource_share_an_informer(void **state)
{
    static const char *const deployments[] = {"deployments", "Deployment", "deployments.apps",
                                              "deployments.v1.apps"};
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_resource *resource = NULL;
    kin_informer *deploy;
    kin_informer *guessed;
    int64_t resync_ms = -1;
    fixture f;

    (void)state;
    open_server(&f);
    options.tweak = see_resync;
    options.tweak_arg = &resync_ms;
    open_factory(&f, &options);
    /* The core group is known without a server. */
    assert_code(kin_factory_set_resync(f.factory, "Pod", 5000, NULL), 0);
    assert_code(kin_factory_set_resync(f.factory, "rs", 6000, NULL), 0);
    assert_ptr_equal(ask(&f, "po"), ask(&f, "pods"));
    assert_int_equal(resync_ms, 5000);
    assert_ptr_equal(ask(&f, "Pod"), ask(&f, "PODS"));
    assert_ptr_equal(ask(&f, "Pod"), ask(&f, "po"));
    assert_ptr_not_equal(ask(&f, "services"), ask(&f, "sa"));
    /* Others are not, and what was made stays. */
    deploy = ask(&f, "deploy");
    guessed = ask(&f, "Deployment");
    assert_ptr_not_equal(deploy, guessed);
    assert_code(kin_client_resolve(f.client, &resource, "nodes", NULL), 0);
    kin_resource_unref(resource);
    for (size_t i = 0; i < sizeof(deployments) / sizeof(deployments[0]); i++)
        assert_ptr_equal(ask(&f, deployments[i]), i == 1 ? guessed : deploy);
    ask(&f, "replicasets");
    assert_int_equal(resync_ms, 6000);
    assert_ptr_equal(ask(&f, "rs"), ask(&f, "replicasets"));
    assert_ptr_equal(ask(&f, "pods.v1."), ask(&f, "po"));
    assert_ptr_not_equal(ask(&f, "events"), ask(&f, "events.events.k8s.io"));
    close_server(&f);
}

/* --- kinds that fail --- */

static void raise_latch(kin_informer *informer, void *arg)
{
    (void)informer;
    kin_test_latch_raise(arg);
}

static void await_failure(kin_informer *informer, kin_test_latch *changed)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    for (unsigned seen = 1;; seen++) {
        assert_code(kin_informer_get_status(informer, &status, NULL), 0);
        if (status.last_error.code != 0)
            return;
        kin_test_latch_wait(changed, seen);
    }
}

static void forbid_secrets(fixture *f)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);

    fault.path = "*/secrets";
    fault.status = 403;
    fault.times = KIN_FAULT_ALWAYS;
    assert_code(kin_apiserver_inject(f->server, &fault, NULL, NULL), 0);
}

static void check_results(fixture *f)
{
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;

    assert_code(kin_factory_sync_results(f->factory, &results, NULL), 0);
    assert_int_equal(results.len, 5);
    for (size_t i = 0; i < 5; i++) {
        const kin_sync_result *result = results.items[i];

        assert_true(result->is_started);
        if (strcmp(result->resource, "widgets") == 0) {
            assert_int_equal(result->error.code, KIN_ENOTFOUND);
            assert_non_null(strstr(result->error.message, "no resource \"widgets\""));
        } else if (strcmp(result->resource, "secrets") == 0) {
            assert_int_equal(result->error.code, KIN_EDENIED);
            assert_int_equal(result->error.http_status, 403);
        } else {
            assert_true(result->is_synced);
            assert_int_equal(result->error.code, 0);
            continue;
        }
        assert_false(result->is_synced);
    }
    kin_sync_results_done(&results);
}

static void kinds_that_fail_are_told_with_why(void **state)
{
    static const char *const good[] = {"pods", "nodes", "deployments"};
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_test_latch changed;
    fixture f;

    (void)state;
    kin_test_latch_init(&changed);
    open_server(&f);
    forbid_secrets(&f);
    informers.changed = raise_latch;
    informers.changed_arg = &changed;
    options.informers = &informers;
    open_factory(&f, &options);
    for (size_t i = 0; i < 3; i++)
        ask(&f, good[i]);
    ask(&f, "widgets");
    ask(&f, "secrets");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        assert_code(kin_informer_wait_synced(ask(&f, good[i]), KIN_TEST_TIMEOUT_MS, &err), 0);
    await_failure(ask(&f, "widgets"), &changed);
    await_failure(ask(&f, "secrets"), &changed);
    assert_code(kin_factory_wait_for_sync(f.factory, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "2 of 5 have not synced: widgets ("));
    assert_non_null(strstr(err.message, "no resource \"widgets\""));
    assert_non_null(strstr(err.message, ", secrets ("));
    check_results(&f);

    /* What was not allowed may be allowed later. */
    assert_code(kin_apiserver_clear_faults(f.server, NULL), 0);
    assert_code(kin_informer_wait_synced(ask(&f, "secrets"), KIN_TEST_TIMEOUT_MS, &err), 0);
    assert_code(kin_factory_wait_for_sync(f.factory, 0, &err), KIN_ETIMEOUT);
    assert_non_null(strstr(err.message, "1 of 5 have not synced: widgets ("));
    assert_code(kin_factory_shutdown(f.factory, KIN_TEST_TIMEOUT_MS, &err), 0);
    assert_code(kin_factory_start(f.factory, &err), KIN_ECLOSED);
    close_server(&f);
    kin_test_latch_done(&changed);
}

/* --- options --- */

/* Nodes are in no namespace, and of ReplicaSets the metadata will do. */
static int tweak(const char *resource, kin_informer_options *options, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    if (strcmp(resource, "nodes") == 0) {
        options->namespaces = NULL;
        options->n_namespaces = 0;
    }
    if (strcmp(resource, "replicasets") == 0)
        options->content = KIN_CONTENT_METADATA;
    return 0;
}

static void assert_in_namespaces(kin_informer *informer)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_list(kin_informer_store(informer), &list, NULL), 0);
    assert_true(list.len > 0);
    for (size_t i = 0; i < list.len; i++) {
        kin_str namespace_ = kin_object_namespace(list.items[i]);

        assert_true(kin_str_equal(namespace_, kin_str_of("default")) ||
                    kin_str_equal(namespace_, kin_str_of("shop")));
    }
    kin_object_list_done(&list);
}

static void assert_is_metadata_only(kin_informer *informer)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_list(kin_informer_store(informer), &list, NULL), 0);
    assert_true(list.len > 0);
    assert_int_equal(kin_value_type(kin_object_find(list.items[0], "spec")), KIN_NONE);
    kin_object_list_done(&list);
}

static void options_are_for_all_and_tweaks_for_one(void **state)
{
    static const char *const namespaces[] = {"default", "shop"};
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    fixture f;

    (void)state;
    open_server(&f);
    simulate(&f, 0);
    informers.namespaces = namespaces;
    informers.n_namespaces = 2;
    options.informers = &informers;
    options.tweak = tweak;
    open_factory(&f, &options);
    ask(&f, "pods");
    ask(&f, "replicasets");
    ask(&f, "nodes");
    start_and_sync(&f);
    assert_in_namespaces(ask(&f, "pods"));
    assert_in_namespaces(ask(&f, "replicasets"));
    assert_is_metadata_only(ask(&f, "replicasets"));
    assert_int_equal(kin_store_len(kin_informer_store(ask(&f, "nodes"))), 3);
    close_server(&f);
}

/* --- what handlers are told --- */

#define LABELLED(name, app)                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name                 \
    "\",\"labels\":{\"app\":\"" app "\"}}}"

/* What was told, as "add default/a ". */
struct told {
    kin_test_latch n;
    char text[256];
};

static void tell(const kin_event *event, void *arg)
{
    struct told *told = arg;
    size_t len = strlen(told->text);

    snprintf(told->text + len, sizeof(told->text) - len, "%s %s ", kin_event_type_name(event->type),
             kin_object_key(event->object));
    kin_test_latch_raise(&told->n);
}

static int select_web(const char *resource, kin_informer_options *options, void *arg,
                      kin_error *err)
{
    (void)resource;
    (void)err;
    options->content = *(const kin_informer_content *)arg;
    options->label_selector = "app=web";
    options->field_selector = "metadata.name!=hidden";
    return 0;
}

/* In another namespace, with another label, with another name, and then as it was asked for. */
static void change_maps(fixture *f)
{
    kin_resource *maps = NULL;

    create_in(f, "namespaces", NULL,
              "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"far\"}}",
              NULL);
    create_in(f, "configmaps", "far", LABELLED("a", "web"), NULL);
    create(f, "configmaps", LABELLED("b", "db"), NULL);
    create(f, "configmaps", LABELLED("hidden", "web"), NULL);
    create(f, "configmaps", LABELLED("a", "web"), NULL);
    assert_code(kin_client_resolve(f->client, &maps, "configmaps", NULL), 0);
    assert_code(kin_client_patch(f->client, NULL, maps, "default", "a", KIN_PATCH_MERGE,
                                 kin_str_of("{\"data\":{\"k\":\"v\"}}"), NULL, NULL),
                0);
    assert_code(kin_client_delete(f->client, NULL, maps, "default", "a", NULL, NULL), 0);
    kin_resource_unref(maps);
}

static void handlers_are_told_of_what_was_selected(void **state)
{
    static const char *const namespaces[] = {"default"};

    (void)state;
    for (int content = KIN_CONTENT_WHOLE; content <= KIN_CONTENT_KEYS; content++) {
        kin_informer_content wanted = (kin_informer_content)content;
        kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
        kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
        struct told told = {.text = ""};
        fixture f;

        kin_test_latch_init(&told.n);
        open_server(&f);
        informers.namespaces = namespaces;
        informers.n_namespaces = 1;
        options.informers = &informers;
        options.tweak = select_web;
        options.tweak_arg = &wanted;
        open_factory(&f, &options);
        assert_code(kin_informer_add_handler(ask(&f, "cm"), NULL, tell, &told, NULL, NULL), 0);
        start_and_sync(&f);
        change_maps(&f);
        kin_test_latch_wait(&told.n, 3);
        close_server(&f);
        assert_string_equal(told.text, "add default/a update default/a delete default/a ");
        kin_test_latch_done(&told.n);
    }
}

/* --- listers --- */

static void listers_find_what_is_there(void **state)
{
    const kin_label_selector *selector = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_lister *deployments = NULL;
    kin_lister *pods = NULL;
    fixture f;

    (void)state;
    open_server(&f);
    simulate(&f, 0);
    open_factory(&f, NULL);
    assert_code(kin_factory_lister(f.factory, &pods, "po", &err), 0);
    ask(&f, "deploy");
    start_and_sync(&f);
    assert_code(kin_factory_lister(f.factory, &deployments, "deployments", &err), 0);
    assert_code(kin_lister_list(pods, &list, kin_str_make(NULL, 0), NULL, &err), 0);
    assert_int_equal(list.len, 24);
    kin_object_list_done(&list);
    assert_code(kin_lister_by_index(pods, &list, kin_str_of(KIN_NAMESPACE_INDEX),
                                    kin_str_of("default"), &err),
                0);
    assert_true(list.len > 0 && list.len < 24);
    kin_object_list_done(&list);
    assert_code(kin_label_selector_parse(&selector, kin_str_of("app=nobody"), &err), 0);
    assert_code(kin_lister_list(pods, &list, kin_str_of("default"), selector, &err), 0);
    assert_int_equal(list.len, 0);
    kin_label_selector_unref(selector);
    assert_code(kin_lister_get(pods, NULL, kin_str_of("default"), kin_str_of("no"), &err),
                KIN_ENOTFOUND);
    assert_string_equal(err.message, "pods \"no\" not found");
    assert_code(kin_lister_get(deployments, NULL, kin_str_of("default"), kin_str_of("no"), &err),
                KIN_ENOTFOUND);
    assert_string_equal(err.message, "deployments.apps \"no\" not found");
    assert_int_equal(err.http_status, 404);
    kin_lister_free(pods);
    kin_lister_free(deployments);
    close_server(&f);
}

/* --- owners --- */

/* From a Deployment down to its Pods, and back from each; how many there are. */
static size_t walk(fixture *f, const kin_object *deployment)
{
    kin_object_list sets = KIN_OBJECT_LIST_INIT;
    size_t n = 0;

    assert_code(kin_list_children(kin_informer_store(ask(f, "rs")), &sets, deployment, true, NULL),
                0);
    assert_true(sets.len > 0);
    for (size_t i = 0; i < sets.len; i++) {
        kin_object_list pods = KIN_OBJECT_LIST_INIT;

        assert_code(
            kin_list_children(kin_informer_store(ask(f, "pods")), &pods, sets.items[i], true, NULL),
            0);
        n += pods.len;
        for (size_t j = 0; j < pods.len; j++) {
            const kin_object *set = NULL;
            const kin_object *top = NULL;

            assert_code(kin_factory_owner(f->factory, &set, pods.items[j], NULL, NULL), 0);
            assert_string_equal(kin_object_key(set), kin_object_key(sets.items[i]));
            assert_code(kin_factory_owner(f->factory, &top, set, NULL, NULL), 0);
            assert_string_equal(kin_object_key(top), kin_object_key(deployment));
            kin_object_unref(set);
            kin_object_unref(top);
        }
        kin_object_list_done(&pods);
    }
    kin_object_list_done(&sets);
    return n;
}

static void owners_are_found_across_informers(void **state)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_object_list deployments = KIN_OBJECT_LIST_INIT;
    size_t n = 0;
    fixture f;

    (void)state;
    open_server(&f);
    simulate(&f, 0);
    options.index_owners = true;
    open_factory(&f, &options);
    ask(&f, "deploy");
    ask(&f, "rs");
    ask(&f, "pods");
    start_and_sync(&f);
    assert_code(kin_store_list(kin_informer_store(ask(&f, "deploy")), &deployments, NULL), 0);
    assert_int_equal(deployments.len, 8);
    for (size_t i = 0; i < deployments.len; i++)
        n += walk(&f, deployments.items[i]);
    assert_int_equal(n, 24);
    kin_object_list_done(&deployments);
    close_server(&f);
}

#define MAP(name, owners)                                                                          \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name                 \
    "\",\"ownerReferences\":[" owners "]}}"
#define OWNER(api_version, kind, name, controller)                                                 \
    "{\"apiVersion\":\"" api_version "\",\"kind\":\"" kind "\",\"name\":\"" name                   \
    "\",\"uid\":\"%" KIN_STR_FMT "\",\"controller\":" controller "}"

#define OWN_MAP OWNER("v1", "ConfigMap", "owner", "false")

static void assert_no_owner(fixture *f, const kin_object *object,
                            const kin_owner_reference *reference, const char *message)
{
    const kin_object *owner = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_factory_owner(f->factory, &owner, object, reference, &err), KIN_ENOTFOUND);
    assert_null(owner);
    assert_string_equal(err.message, message);
}

static void make_owned(fixture *f, const kin_object *node, const kin_object *map,
                       const kin_object **ret)
{
    char json[2048];
    kin_scratch a;
    kin_scratch b;
    kin_str node_uid = kin_object_uid(node, &a);
    kin_str map_uid = kin_object_uid(map, &b);
    kin_str old_uid = kin_str_of("0123");

    snprintf(json, sizeof(json),
             MAP("owned", OWNER("v1", "Node", "n1", "true") "," OWN_MAP "," OWN_MAP "," OWNER(
                              "apps/v1", "Deployment", "owner", "false")),
             KIN_STR_ARG(node_uid), KIN_STR_ARG(map_uid), KIN_STR_ARG(old_uid),
             KIN_STR_ARG(old_uid));
    create(f, "configmaps", json, ret);
}

/* The second, third and fourth owner. */
static void check_others(fixture *f, const kin_object *owned)
{
    static const char *const messages[] = {NULL, NULL, "the ConfigMap \"owner\" is not there",
                                           "the factory has no informer of Deployment of apps/v1"};
    kin_owner_reference reference;
    kin_iter it;
    size_t i = 0;

    for (kin_iter_init(&it, kin_object_owner_references(owned)); kin_iter_next(&it); i++) {
        const kin_object *owner = NULL;

        assert_int_equal(kin_owner_reference_get(&reference, it.value), 0);
        if (messages[i]) {
            assert_no_owner(f, owned, &reference, messages[i]);
            continue;
        }
        assert_code(kin_factory_owner(f->factory, &owner, owned, &reference, NULL), 0);
        assert_string_equal(kin_object_key(owner), i == 0 ? "n1" : "default/owner");
        kin_object_unref(owner);
        assert_code(kin_factory_owner(f->factory, NULL, owned, &reference, NULL), 0);
    }
    assert_int_equal(i, 4);
}

static void owners_may_be_anything(void **state)
{
    const kin_object *node = NULL;
    const kin_object *map = NULL;
    const kin_object *owned = NULL;
    const kin_object *owner = NULL;
    kin_resource *nodes = NULL;
    const kin_object *n1 =
        client_object("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}");
    fixture f;

    (void)state;
    open_server(&f);
    assert_code(kin_client_resolve(f.client, &nodes, "nodes", NULL), 0);
    assert_code(kin_client_create(f.client, &node, nodes, NULL, n1, NULL, NULL), 0);
    create(&f, "configmaps", MAP("owner", ""), &map);
    make_owned(&f, node, map, &owned);
    open_factory(&f, NULL);
    ask(&f, "configmaps");
    assert_no_owner(&f, owned, NULL, "the factory has no informer of Node of v1");
    assert_no_owner(&f, map, NULL, "\"default/owner\" has no controller");
    ask(&f, "nodes");
    assert_no_owner(&f, owned, NULL, "the Node \"n1\" is not there");
    start_and_sync(&f);
    /* One that is in no namespace. */
    assert_code(kin_factory_owner(f.factory, &owner, owned, NULL, NULL), 0);
    assert_string_equal(kin_object_key(owner), "n1");
    kin_object_unref(owner);
    check_others(&f, owned);
    /* One that was removed is not asked any more, by whatever name. */
    assert_code(kin_factory_remove(f.factory, NULL, "no", NULL), 0);
    assert_no_owner(&f, owned, NULL, "the factory has no informer of Node of v1");
    ask(&f, "nodes");
    assert_no_owner(&f, owned, NULL, "the Node \"n1\" is not there");
    start_and_sync(&f);
    assert_code(kin_factory_owner(f.factory, NULL, owned, NULL, NULL), 0);
    kin_object_unref(n1);
    kin_object_unref(node);
    kin_object_unref(map);
    kin_object_unref(owned);
    kin_resource_unref(nodes);
    close_server(&f);
}

/* --- the end --- */

static void count_event(const kin_event *event, void *arg)
{
    (void)event;
    kin_test_latch_raise(arg);
}

/* In the midst of changes: after so many events, or at once. */
static void live_and_end(fixture *f, unsigned n_events)
{
    static const char *const kinds[] = {"pods", "rs", "deploy", "events", "leases", "nodes"};
    kin_error err = KIN_ERROR_INIT;
    kin_test_latch told;

    kin_test_latch_init(&told);
    open_factory(f, NULL);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        assert_code(
            kin_informer_add_handler(ask(f, kinds[i]), NULL, count_event, &told, NULL, &err), 0);
    assert_code(kin_factory_start(f->factory, &err), 0);
    kin_test_latch_wait(&told, n_events);
    if (n_events % 2 == 0)
        assert_code(kin_factory_shutdown(f->factory, KIN_TEST_TIMEOUT_MS, &err), 0);
    kin_factory_free(f->factory);
    f->factory = NULL;
    kin_test_latch_done(&told);
}

static void it_ends_under_load(void **state)
{
    static const unsigned events[] = {0, 1, 10, 37, 50, 101, 150, 201};
    fixture f;

    (void)state;
    open_server(&f);
    simulate(&f, 300);
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        live_and_end(&f, events[i]);
    close_server(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(names_of_a_resource_share_an_informer),
        client_test(kinds_that_fail_are_told_with_why),
        client_test(options_are_for_all_and_tweaks_for_one),
        client_test(handlers_are_told_of_what_was_selected),
        client_test(listers_find_what_is_there),
        client_test(owners_are_found_across_informers),
        client_test(owners_may_be_anything),
        client_test(it_ends_under_load),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
