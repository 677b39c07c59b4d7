/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are waited for: what is sent for each verb, and what comes back.
 */
#include "client_support.h"

#include <string.h>

#include "alloc.h"
#include "kinform/status.h"
#include "kinform/version.h"

static void an_object_is_got(void **state)
{
    client_fixture f;
    const kin_object *pod = NULL;
    kin_error err = KIN_ERROR_INIT;
    const kin_test_http_request *request;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, "GET", "/api/v1/namespaces/ns/pods/web*", 200, POD);
    assert_code(kin_client_get(f.client, &pod, f.pods, "ns", "web", NULL, &err), 0);
    assert_string_equal(kin_object_key(pod), "ns/web");
    kin_object_unref(pod);
    request = kin_test_http_request_at(f.server, 0);
    assert_string_equal(kin_test_http_field_of(request, "Accept"),
                        "application/vnd.kubernetes.protobuf,application/json");
    /* Servers take what stands before the slash for the manager of fields. */
    assert_string_equal(kin_test_http_field_of(request, "User-Agent"),
                        "unit.client.client/unknown kinform/" KIN_VERSION_STRING);
    assert_null(kin_test_http_field_of(request, "Authorization"));
    client_close(&f);
}

static void it_knows_the_namespace_of_its_configuration(void **state)
{
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_string_equal(kin_client_namespace(f.client), "default");
    client_close(&f);
    config.namespace_ = "shop";
    client_open_as(&f, NULL, NULL, &config);
    assert_string_equal(kin_client_namespace(f.client), "shop");
    client_close(&f);
    assert_code(kin_client_new(NULL, NULL, NULL), KIN_EINVAL);
}

static void a_list_comes_item_by_item(void **state)
{
    client_fixture f;
    client_seen seen = {.n = 0};
    const kin_object *list = NULL;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;

    (void)state;
    client_open(&f, NULL, &(kin_test_http_options){.split = 7});
    client_route(&f, "GET", "/api/v1/namespaces/ns/pods?*", 200, PODS);
    options.label_selector = "app=web";
    options.limit = 5;
    assert_code(
        kin_client_list(f.client, &list, f.pods, "ns", client_see_item, &seen, &options, NULL), 0);
    assert_string_equal(seen.text, "ns/a ns/b");
    assert_true(kin_str_equal(kin_object_resource_version(list), kin_str_of("9")));
    assert_non_null(
        strstr(kin_test_http_request_at(f.server, 0)->target, "labelSelector=app%3Dweb"));
    assert_non_null(strstr(kin_test_http_request_at(f.server, 0)->target, "limit=5"));
    kin_object_unref(list);
    client_close(&f);
}

static void a_watch_tells_until_the_server_ends_it(void **state)
{
    client_fixture f;
    client_seen seen = {.n = 0};

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, "GET", "/api/v1/pods?*", 200,
                 EVENT("ADDED", "a", "1") EVENT("MODIFIED", "a", "2") EVENT("BOOKMARK", "", "3")
                     EVENT("DELETED", "a", "4"));
    assert_code(kin_client_watch(f.client, f.pods, NULL, client_see_event, &seen, NULL, NULL), 0);
    assert_string_equal(seen.text, "ADDED:a MODIFIED:a BOOKMARK: DELETED:a");
    client_close(&f);
}

static void an_error_event_is_what_a_watch_ends_with(void **state)
{
    client_fixture f;
    client_seen seen = {.n = 0};
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(
        &f, "GET", "/api/v1/pods?*", 200,
        EVENT("ADDED", "a", "1") "{\"type\":\"ERROR\",\"object\":" STATUS(410, "Expired") "}");
    options.ret_status = &status;
    assert_code(kin_client_watch(f.client, f.pods, NULL, client_see_event, &seen, &options, &err),
                KIN_EEXPIRED);
    assert_string_equal(seen.text, "ADDED:a");
    assert_int_equal(err.http_status, 410);
    assert_string_equal(err.reason, "Expired");
    assert_int_equal(kin_status_code(status), 410);
    kin_object_unref(status);
    client_close(&f);
}

static void a_callback_ends_a_request(void **state)
{
    client_fixture f;
    client_seen seen = {.stop_at = 1};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, "GET", "/api/v1/pods*", 200, PODS);
    assert_code(kin_client_list(f.client, NULL, f.pods, NULL, client_see_item, &seen, NULL, &err),
                KIN_ERANGE);
    assert_string_equal(seen.text, "ns/a");
    assert_string_equal(err.message, "enough");
    client_close(&f);
}

static void writes_say_what_they_write(void **state)
{
    client_fixture f;
    const kin_object *pod = client_object(POD);
    const kin_object *made = NULL;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_test_http_request *request;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, NULL, NULL, 200, POD);
    assert_code(kin_client_create(f.client, &made, f.pods, NULL, pod, NULL, NULL), 0);
    assert_true(kin_str_equal(kin_object_resource_version(made), kin_str_of("7")));
    kin_object_unref(made);
    request = kin_test_http_request_at(f.server, 0);
    assert_string_equal(request->method, "POST");
    assert_memory_equal(request->target, "/api/v1/namespaces/ns/pods", 26);
    assert_string_equal(request->body, POD);
    assert_string_equal(kin_test_http_field_of(request, "Content-Type"), "application/json");

    options.subresource = "status";
    options.dry_run = true;
    assert_code(kin_client_update(f.client, NULL, f.pods, NULL, pod, &options, NULL), 0);
    request = kin_test_http_request_at(f.server, 1);
    assert_string_equal(request->method, "PUT");
    assert_non_null(strstr(request->target, "/namespaces/ns/pods/web/status?"));
    assert_non_null(strstr(request->target, "dryRun=All"));

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.field_manager = "me";
    options.force = true;
    assert_code(kin_client_patch(f.client, NULL, f.pods, "ns", "web", KIN_PATCH_APPLY,
                                 kin_str_of("{}"), &options, NULL),
                0);
    request = kin_test_http_request_at(f.server, 2);
    assert_string_equal(request->method, "PATCH");
    assert_string_equal(kin_test_http_field_of(request, "Content-Type"),
                        "application/apply-patch+yaml");
    assert_non_null(strstr(request->target, "fieldManager=me"));
    assert_non_null(strstr(request->target, "force=true"));

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.precondition_uid = "u";
    assert_code(kin_client_delete(f.client, NULL, f.pods, "ns", "web", &options, NULL), 0);
    request = kin_test_http_request_at(f.server, 3);
    assert_string_equal(request->method, "DELETE");
    assert_non_null(strstr(request->body, "\"uid\":\"u\""));

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.subresource = "binding";
    assert_code(kin_client_create(f.client, NULL, f.pods, NULL, pod, &options, NULL), 0);
    request = kin_test_http_request_at(f.server, 4);
    assert_string_equal(request->method, "POST");
    assert_memory_equal(request->target, "/api/v1/namespaces/ns/pods/web/binding", 38);
    kin_object_unref(pod);
    client_close(&f);
}

static void what_the_server_says_of_a_failure_is_told(void **state)
{
    static const struct {
        int status;
        const char *body;
        int code;
        const char *reason;
    } cases[] = {
        {404, STATUS(404, "NotFound"), KIN_ENOTFOUND, "NotFound"},
        {403, STATUS(403, "Forbidden"), KIN_EDENIED, "Forbidden"},
        {401, STATUS(401, "Unauthorized"), KIN_EDENIED, "Unauthorized"},
        {409, STATUS(409, "Conflict"), KIN_ECONFLICT, "Conflict"},
        {409, STATUS(409, "AlreadyExists"), KIN_EEXISTS, "AlreadyExists"},
        {410, STATUS(410, "Gone"), KIN_EEXPIRED, "Gone"},
        {422, STATUS(422, "Invalid"), KIN_EREFUSED, "Invalid"},
        {500, STATUS(500, "InternalError"), KIN_ESERVER, "InternalError"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        client_fixture f;
        kin_error err = KIN_ERROR_INIT;

        client_open(&f, NULL, NULL);
        client_route(&f, NULL, NULL, cases[i].status, cases[i].body);
        assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, &err), cases[i].code);
        assert_int_equal(err.http_status, cases[i].status);
        assert_string_equal(err.reason, cases[i].reason);
        assert_non_null(strstr(err.message, "it says"));
        client_close(&f);
    }
}

static void what_is_no_json_is_refused(void **state)
{
    client_fixture f;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    client_open(&f, NULL, NULL);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.content_type = "text/html",
                                                             .body = "<html>log in</html>"});
    assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, &err), KIN_EPROTOCOL);
    assert_non_null(strstr(err.message, "text/html"));
    client_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(an_object_is_got),
        client_test(it_knows_the_namespace_of_its_configuration),
        client_test(a_list_comes_item_by_item),
        client_test(a_watch_tells_until_the_server_ends_it),
        client_test(an_error_event_is_what_a_watch_ends_with),
        client_test(a_callback_ends_a_request),
        client_test(writes_say_what_they_write),
        client_test(what_the_server_says_of_a_failure_is_told),
        client_test(what_is_no_json_is_refused),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
