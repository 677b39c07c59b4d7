/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests without memory: every allocation fails once, on whichever thread it is made.
 */
#include "client_support.h"

#include "alloc.h"
#include "certificates.h"
#include "kinform/memory.h"
#include "kinform/retry_watch.h"
#include "oom.h"

static kin_test_http *server;
static kin_test_http *tls_server; /* lets nobody in without a certificate */
static kin_test_pki *pki;

static void start_server(kin_test_http **ret, const kin_test_http_options *options)
{
    static const struct {
        const char *target;
        int status;
        const char *body;
    } routes[] = {
        {"/api/v1/namespaces/ns/pods/web?*", 200, POD},
        {"/api/v1/namespaces/ns/pods/none?*", 404, STATUS(404, "NotFound")},
        {"/api/v1/namespaces/ns/pods?*", 200, PODS},
        {"/api/v1/namespaces/paged/pods?continue=*", 200, LIST("", ITEM("b"))},
        {"/api/v1/namespaces/paged/pods?*", 200, LIST("\"continue\":\"t\"", ITEM("a"))},
        {"/api/v1/pods?*", 200, EVENT("ADDED", "a", "1")},
        {"/api", 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"},
        {"/apis", 200, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}"},
        {"/api/v1", 200,
         "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\","
         "\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":[\"get\","
         "\"list\",\"watch\"]}]}"},
    };

    kin_test_http_start(ret, options);
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        kin_test_http_add_route(*ret, &(kin_test_http_route){.target = routes[i].target,
                                                             .status = routes[i].status,
                                                             .body = routes[i].body});
}

/* --- scenarios: a client is made, used, and freed --- */

typedef int use_fn(kin_client *client, kin_resource *pods, kin_error *err);

struct use {
    use_fn *fn;
    bool is_tls;
};

static void set_tls(kin_config_options *config)
{
    config->server = kin_test_http_url(tls_server);
    config->ca_data = pki->ca.certificate;
    config->certificate_data = pki->client.certificate;
    config->key_data = pki->client.key;
}

static int make_and_use(kin_client **ret, const struct use *use, kin_error *err)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *pods = NULL;
    int code;

    config.server = kin_test_http_url(server);
    if (use->is_tls)
        set_tls(&config);
    else
        config.token = "secret";
    config.impersonate_user = "jane";
    options.qps = -1;
    spec.version = "v1";
    spec.resource = "pods";
    spec.kind = "Pod";
    code = kin_config_new(&options.config, &config, err);
    if (code == 0)
        code = kin_client_new(ret, &options, err);
    if (code == 0)
        code = kin_resource_new(&pods, &spec, err);
    if (code == 0)
        code = use->fn(*ret, pods, err);
    kin_resource_unref(pods);
    kin_config_unref(options.config);
    return code;
}

static int scenario(void *arg, kin_error *err)
{
    size_t before = kin_test_alloc_live();
    kin_client *client = NULL;
    int code = make_and_use(&client, arg, err);

    kin_client_free(client);
    /* Threads may still be on their way out; what is left is for the sweep to tell. */
    client_await_allocations(before);
    return code;
}

static int get(kin_client *client, kin_resource *pods, kin_error *err)
{
    const kin_object *pod = NULL;
    int code = kin_client_get(client, &pod, pods, "ns", "web", NULL, err);

    kin_object_unref(pod);
    return code;
}

static int get_none(kin_client *client, kin_resource *pods, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *status = NULL;
    int code;

    options.ret_status = &status;
    code = kin_client_get(client, NULL, pods, "ns", "none", &options, err);
    kin_object_unref(status);
    return code == KIN_ENOTFOUND ? 0 : code;
}

static int watch(kin_client *client, kin_resource *pods, kin_error *err)
{
    client_seen seen = {.n = 0};

    return kin_client_watch(client, pods, NULL, client_see_event, &seen, NULL, err);
}

static int get_async(kin_client *client, kin_resource *pods, kin_error *err)
{
    client_told told;
    kin_request request = KIN_REQUEST_INIT;
    kin_call *call = NULL;
    int code;

    client_told_init(&told);
    kin_call_handlers handlers = client_told_handlers(&told);
    request.resource = pods;
    request.namespace_ = "ns";
    request.name = "web";
    code = kin_client_start(client, &call, &request, &handlers, err);
    if (code == 0) {
        kin_test_latch_wait(&told.ended, 1);
        code = told.code;
        if (code < 0)
            *err = told.err;
    } else if (told.n_done + told.n_freed > 0) {
        code = KIN_ERANGE;
    }
    kin_call_unref(call);
    client_told_done(&told);
    return code;
}

static int resolve(kin_client *client, kin_resource *pods, kin_error *err)
{
    kin_resource *resource = NULL;
    int code = kin_client_resolve(client, &resource, "po", err);

    (void)pods;
    /* A short name that no document has told of. */
    if (code == KIN_ENOTFOUND)
        code = kin_client_resolve(client, &resource, "pods", err);
    kin_resource_unref(resource);
    return code;
}

static void see_resource(kin_resource *resource, void *arg)
{
    (void)resource;
    (void)arg;
}

static int category(kin_client *client, kin_resource *pods, kin_error *err)
{
    int code = kin_client_category(client, "all", see_resource, NULL, err);

    (void)pods;
    return code == KIN_ENOTFOUND ? 0 : code; /* the documents have no categories */
}

static int list(kin_client *client, kin_resource *pods, kin_error *err)
{
    client_seen seen = {.n = 0};
    const kin_object *head = NULL;
    int code = kin_client_list(client, &head, pods, "ns", client_see_item, &seen, NULL, err);

    kin_object_unref(head);
    return code == 0 && seen.n != 2 ? KIN_ERANGE : code;
}

static int list_pages(kin_client *client, kin_resource *pods, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_seen seen = {.n = 0};
    int code;

    options.limit = 1;
    code = kin_client_list_all(client, NULL, pods, "paged", client_see_item, NULL, &seen, &options,
                               err);
    return code == 0 && seen.n != 2 ? KIN_ERANGE : code;
}

static void note_done(const kin_result *result, void *arg)
{
    (void)result;
    kin_test_latch_raise(arg);
}

static int see_nothing(enum kin_watch_type type, const kin_object *object, void *arg,
                       kin_error *err)
{
    (void)type;
    (void)object;
    (void)arg;
    (void)err;
    return 0;
}

static int watch_source(kin_client *client, kin_resource *pods, kin_error *err)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_operation *operation = NULL;
    kin_list_watch *source = NULL;
    kin_retry_watch *retry = NULL;
    kin_test_latch ended;
    int code;

    kin_test_latch_init(&ended);
    options.label_selector = "a=b";
    handlers.event = see_nothing;
    handlers.done = note_done;
    handlers.arg = &ended;
    code = kin_client_list_watch(client, &source, pods, &options, err);
    if (code == 0)
        code = kin_retry_watch_new(&retry, source, "1", NULL, err);
    if (code == 0)
        code = kin_list_watch_watch(source, &operation, NULL, &handlers, err);
    if (code == 0)
        kin_test_latch_wait(&ended, 1);
    kin_operation_release(operation);
    kin_retry_watch_free(retry);
    kin_list_watch_unref(source);
    kin_test_latch_done(&ended);
    return code;
}

static void sweep(use_fn *const *fns, size_t n, bool is_tls)
{
    for (size_t i = 0; i < n; i++) {
        struct use use = {fns[i], is_tls};

        print_message("scenario %zu\n", i);
        kin_test_fail_each_allocation(scenario, &use);
    }
}

static void requests_without_memory_say_so(void **state)
{
    static use_fn *const fns[] = {get,     get_none, list,       watch,       get_async,
                                  resolve, category, list_pages, watch_source};

    (void)state;
    sweep(fns, sizeof(fns) / sizeof(fns[0]), false);
}

/* What TLS itself lacks is in other hands; what we keep for it, and hand to it, is in ours. */
static void requests_over_tls_without_memory_say_so(void **state)
{
    static use_fn *const fns[] = {get, list, watch};

    (void)state;
    sweep(fns, sizeof(fns) / sizeof(fns[0]), true);
    assert_true(kin_test_http_count(tls_server).handshakes >= sizeof(fns) / sizeof(fns[0]));
}

static int setup(void **state)
{
    kin_test_http_options options = {0};

    (void)state;
    kin_test_pki_new(&pki);
    start_server(&server, &options);
    options.tls.certificate = pki->server.certificate;
    options.tls.key = pki->server.key;
    options.tls.client_ca = pki->ca.certificate;
    options.tls.require_client_certificate = true;
    start_server(&tls_server, &options);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kin_test_http_stop(server);
    kin_test_http_stop(tls_server);
    kin_test_pki_free(pki);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_without_memory_say_so),
        cmocka_unit_test(requests_over_tls_without_memory_say_so),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, setup, teardown);
}
