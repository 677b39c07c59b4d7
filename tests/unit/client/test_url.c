/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets of requests, byte by byte; what is refused before it is sent; bodies of deletes.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "client/url.h"
#include "kinform/json.h"
#include "oom.h"

struct fixture {
    kin_resource *pods;
    kin_resource *nodes;
    kin_resource *deployments;
    kin_request_options options;
    kin__request request;
};

static kin_resource *resource(const char *group, const char *name, bool cluster_wide)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *made = NULL;

    spec.group = group;
    spec.version = "v1";
    spec.resource = name;
    spec.cluster_wide = cluster_wide;
    assert_code(kin_resource_new(&made, &spec, NULL), 0);
    return made;
}

static int set_up(void **state)
{
    static const kin_request_options defaults = KIN_REQUEST_OPTIONS_INIT;
    struct fixture *f = calloc(1, sizeof(*f));

    f->pods = resource(NULL, "pods", false);
    f->nodes = resource(NULL, "nodes", true);
    f->deployments = resource("apps", "deployments", false);
    f->options = defaults;
    f->request = (kin__request){.verb = KIN_VERB_LIST, .resource = f->pods, .options = &f->options};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    kin_resource_unref(f->pods);
    kin_resource_unref(f->nodes);
    kin_resource_unref(f->deployments);
    free(f);
    return 0;
}

static void assert_target(const struct fixture *f, const char *expected)
{
    kin_error err = KIN_ERROR_INIT;
    char *target = NULL;
    int code = kin__request_target(&target, &f->request, &err);

    if (code < 0)
        fail_msg("%s: %s", expected, err.message);
    assert_string_equal(target, expected);
    kin__free(target);
}

static void assert_refused(const struct fixture *f, const char *word)
{
    kin_error err = KIN_ERROR_INIT;
    char *target = NULL;

    assert_code(kin__request_target(&target, &f->request, &err), KIN_EINVAL);
    assert_null(target);
    if (!strstr(err.message, word))
        fail_msg("\"%s\" is not in \"%s\"", word, err.message);
}

static void names_the_place_of_what_is_asked_for(void **state)
{
    struct fixture *f = *state;

    assert_target(f, "/api/v1/pods");
    f->request.namespace_ = "default";
    assert_target(f, "/api/v1/namespaces/default/pods");
    f->request.verb = KIN_VERB_GET;
    f->request.name = "web-0";
    assert_target(f, "/api/v1/namespaces/default/pods/web-0");
    f->options.subresource = "status";
    assert_target(f, "/api/v1/namespaces/default/pods/web-0/status");
    f->request.resource = f->deployments;
    f->options.subresource = "scale";
    assert_target(f, "/apis/apps/v1/namespaces/default/deployments/web-0/scale");
    f->options.subresource = NULL;
    f->request.resource = f->nodes;
    f->request.namespace_ = "";
    assert_target(f, "/api/v1/nodes/web-0");
    f->request.verb = KIN_VERB_CREATE;
    f->request.name = NULL;
    assert_target(f, "/api/v1/nodes");
    f->request.resource = f->pods;
    f->request.namespace_ = "default";
    f->request.name = "web-0";
    f->options.subresource = "eviction";
    assert_target(f, "/api/v1/namespaces/default/pods/web-0/eviction");
}

static void encodes_what_is_not_plain(void **state)
{
    struct fixture *f = *state;

    f->request.resource = f->nodes;
    f->request.verb = KIN_VERB_GET;
    f->request.name = "system:node$&+=@";
    assert_target(f, "/api/v1/nodes/system:node$&+=@");
    f->request.name = "a b?c#d;e,f!g*h'i(j)k\"l<m>n[o]p\\q^r`s{t|u}v";
    assert_target(f, "/api/v1/nodes/"
                     "a%20b%3Fc%23d%3Be%2Cf%21g%2Ah%27i%28j%29k%22l%3Cm%3En%5Bo%5Dp%5Cq%5Er%60s%7Bt"
                     "%7Cu%7Dv");
    f->request.name = "\xc3\xa4-._~...";
    assert_target(f, "/api/v1/nodes/%C3%A4-._~...");

    f->request.verb = KIN_VERB_LIST;
    f->request.name = NULL;
    f->options.label_selector = "a in (b,c),d!=e f";
    f->options.field_selector = "metadata.name=x+y&z";
    assert_target(f, "/api/v1/nodes?fieldSelector=metadata.name%3Dx%2By%26z"
                     "&labelSelector=a%20in%20%28b%2Cc%29%2Cd%21%3De%20f");
    f->options.field_selector = NULL;
    f->options.label_selector = "\x01\x7f\xff%";
    assert_target(f, "/api/v1/nodes?labelSelector=%01%7F%FF%25");
}

static void refuses_names_that_leave_their_place(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"",    ".",   "..",   "a/b",  "/",        "a%2fb",
                                        "a%b", "a\n", "\x7f", "\x01", "a\xc3\x28"};

    for (size_t i = 0; i < kin__array_len(names); i++) {
        f->request.verb = KIN_VERB_GET;
        f->request.namespace_ = "default";
        f->request.name = names[i];
        assert_refused(f, "the name");
        f->request.name = "web-0";
        if (i > 0) {
            f->request.namespace_ = names[i];
            assert_refused(f, "the namespace");
            f->request.namespace_ = "default";
            f->options.subresource = names[i];
            assert_refused(f, "the subresource");
            f->options.subresource = NULL;
        }
    }
    f->request.name = NULL;
    assert_refused(f, "the name is empty");
    f->request.name = "...";
    assert_target(f, "/api/v1/namespaces/default/pods/...");
}

static void refuses_what_makes_no_request(void **state)
{
    struct fixture *f = *state;

    f->request.name = "web-0";
    assert_refused(f, "a name is given");
    f->request.verb = KIN_VERB_GET;
    assert_refused(f, "pods are in namespaces");
    f->request.resource = f->nodes;
    f->request.namespace_ = "default";
    assert_refused(f, "nodes are in no namespace");

    f->request.resource = f->pods;
    f->request.verb = KIN_VERB_CREATE;
    assert_refused(f, "a name is given");
    f->request.name = NULL;
    f->options.subresource = "binding";
    assert_refused(f, "the name is empty");
    f->request.verb = KIN_VERB_LIST;
    assert_refused(f, "a subresource is of one object");
    f->options.subresource = NULL;
    f->request.verb = KIN_VERB_DELETE_COLLECTION;
    f->request.namespace_ = NULL;
    assert_refused(f, "pods are in namespaces");

    f->request.namespace_ = "default";
    f->options.limit = -1;
    assert_refused(f, "limit of -1");
    f->options.limit = 0;
    f->request.verb = 0;
    assert_refused(f, "no verb 0");
    f->request.verb = KIN_VERB_DELETE_COLLECTION + 1;
    assert_refused(f, "no verb 9");

    f->request.verb = KIN_VERB_WATCH;
    f->options.watch_timeout_ms = -1;
    assert_refused(f, "watch timeout of -1");
    f->options.watch_timeout_ms = 0;
    f->options.resource_version_match = "Exact";
    assert_refused(f, "initial events only");
}

/* Every option at once: each verb takes its own. */
static void fill_all(struct fixture *f)
{
    f->request.namespace_ = "ns";
    f->request.timeout_ms = 1500;
    f->options.label_selector = "l";
    f->options.field_selector = "f";
    f->options.resource_version = "7";
    f->options.resource_version_match = "NotOlderThan";
    f->options.limit = 500;
    f->options.continue_token = "next";
    f->options.watch_timeout_ms = 1001;
    f->options.bookmarks = true;
    f->options.send_initial_events = true;
    f->options.dry_run = true;
    f->options.field_manager = "me";
    f->options.field_validation = "Strict";
}

static void sends_what_belongs_to_the_verb(void **state)
{
    struct fixture *f = *state;

    fill_all(f);
    f->request.verb = KIN_VERB_LIST;
    assert_target(f, "/api/v1/namespaces/ns/pods?continue=next&fieldSelector=f&labelSelector=l"
                     "&limit=500&resourceVersion=7&resourceVersionMatch=NotOlderThan"
                     "&timeout=1500ms");
    f->request.verb = KIN_VERB_WATCH;
    assert_target(f, "/api/v1/namespaces/ns/pods?allowWatchBookmarks=true&fieldSelector=f"
                     "&labelSelector=l&resourceVersion=7&resourceVersionMatch=NotOlderThan"
                     "&sendInitialEvents=true&timeoutSeconds=2&watch=true");
    f->request.verb = KIN_VERB_DELETE_COLLECTION;
    assert_target(f, "/api/v1/namespaces/ns/pods?fieldSelector=f&labelSelector=l&timeout=1500ms");
    f->request.verb = KIN_VERB_CREATE;
    assert_target(f, "/api/v1/namespaces/ns/pods?dryRun=All&fieldManager=me"
                     "&fieldValidation=Strict&timeout=1500ms");
    f->request.name = "n";
    f->request.verb = KIN_VERB_UPDATE;
    assert_target(f, "/api/v1/namespaces/ns/pods/n?dryRun=All&fieldManager=me"
                     "&fieldValidation=Strict&timeout=1500ms");
    f->request.verb = KIN_VERB_GET;
    assert_target(f, "/api/v1/namespaces/ns/pods/n?resourceVersion=7&timeout=1500ms");
    f->request.verb = KIN_VERB_DELETE;
    assert_target(f, "/api/v1/namespaces/ns/pods/n?timeout=1500ms");
    f->request.verb = KIN_VERB_PATCH;
    f->request.patch_type = KIN_PATCH_APPLY;
    f->options.force = true;
    assert_target(f, "/api/v1/namespaces/ns/pods/n?dryRun=All&fieldManager=me"
                     "&fieldValidation=Strict&force=true&timeout=1500ms");
}

static void fills_in_what_a_server_needs(void **state)
{
    struct fixture *f = *state;

    f->request.verb = KIN_VERB_WATCH;
    assert_target(f, "/api/v1/pods?watch=true");
    f->options.send_initial_events = true;
    assert_target(f, "/api/v1/pods?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
                     "&sendInitialEvents=true&watch=true");
    f->options.send_initial_events = false;
    f->options.watch_timeout_ms = 300000;
    assert_target(f, "/api/v1/pods?timeoutSeconds=300&watch=true");

    f->request.verb = KIN_VERB_CREATE;
    f->request.namespace_ = "ns";
    f->request.timeout_ms = 30000;
    assert_target(f, "/api/v1/namespaces/ns/pods?timeout=30s");
    f->request.timeout_ms = -1;
    f->options.field_manager = "agent/1.0";
    assert_target(f, "/api/v1/namespaces/ns/pods?fieldManager=agent%2F1.0");
}

static void knows_patches(void **state)
{
    struct fixture *f = *state;

    f->request.verb = KIN_VERB_PATCH;
    f->request.namespace_ = "ns";
    f->request.name = "n";
    assert_refused(f, "no patch type 0");
    f->request.patch_type = KIN_PATCH_APPLY + 1;
    assert_refused(f, "no patch type 5");
    f->request.patch_type = KIN_PATCH_APPLY;
    assert_refused(f, "field manager");
    f->options.field_manager = "agent";
    assert_target(f, "/api/v1/namespaces/ns/pods/n?fieldManager=agent");
    f->request.patch_type = KIN_PATCH_MERGE;
    f->options.force = true;
    assert_refused(f, "force");

    assert_string_equal(kin__patch_content_type(KIN_PATCH_MERGE), "application/merge-patch+json");
    assert_string_equal(kin__patch_content_type(KIN_PATCH_JSON), "application/json-patch+json");
    assert_string_equal(kin__patch_content_type(KIN_PATCH_STRATEGIC),
                        "application/strategic-merge-patch+json");
    assert_string_equal(kin__patch_content_type(KIN_PATCH_APPLY), "application/apply-patch+yaml");
}

static void knows_methods(void **state)
{
    static const char *const methods[] = {NULL,  "GET",   "GET",    "GET",    "POST",
                                          "PUT", "PATCH", "DELETE", "DELETE", NULL};

    (void)state;
    for (size_t i = 0; i < kin__array_len(methods); i++) {
        const char *method = kin__request_method((enum kin_verb)i);

        if (methods[i])
            assert_string_equal(method, methods[i]);
        else
            assert_null(method);
    }
}

static void has_a_longest_target(void **state)
{
    struct fixture *f = *state;
    const char before[] = "/api/v1/pods?labelSelector=";
    size_t room = KIN__TARGET_MAX - strlen(before);
    char *selector = malloc(room + 2);
    kin_error err = KIN_ERROR_INIT;
    char *target = NULL;

    memset(selector, 'a', room + 1);
    selector[room + 1] = '\0';
    f->options.label_selector = selector;
    assert_code(kin__request_target(&target, &f->request, &err), KIN_ELIMIT);
    assert_int_equal(err.code, KIN_ELIMIT);
    assert_null(target);
    selector[room] = '\0';
    assert_code(kin__request_target(&target, &f->request, &err), 0);
    assert_int_equal(strlen(target), KIN__TARGET_MAX);
    kin__free(target);
    free(selector);
}

static void assert_body(const struct fixture *f, const char *expected)
{
    const kin_object *object = NULL;
    char *body = NULL;

    assert_code(kin__request_delete_options(&body, &f->request, NULL), 0);
    assert_string_equal(body, expected);
    assert_code(kin_object_from_json(&object, kin_str_of(body), NULL, NULL), 0);
    kin_object_unref(object);
    kin__free(body);
}

static void tells_how_to_delete(void **state)
{
    struct fixture *f = *state;
    char some[] = "?";
    char *body = some;

    f->request.verb = KIN_VERB_DELETE;
    assert_code(kin__request_delete_options(&body, &f->request, NULL), 0);
    assert_null(body);

    f->options.grace_seconds = 0;
    assert_body(f, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"gracePeriodSeconds\":0}");
    f->options.grace_seconds = -1;
    f->options.precondition_uid = "u\"1";
    assert_body(f, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\","
                   "\"preconditions\":{\"uid\":\"u\\\"1\"}}");
    f->options.precondition_version = "7";
    f->options.propagation = "Foreground";
    f->options.grace_seconds = 30;
    f->options.dry_run = true;
    assert_body(f, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"dryRun\":[\"All\"],"
                   "\"gracePeriodSeconds\":30,\"preconditions\":{\"resourceVersion\":\"7\","
                   "\"uid\":\"u\\\"1\"},\"propagationPolicy\":\"Foreground\"}");

    body = NULL;
    f->options.grace_seconds = -2;
    assert_code(kin__request_delete_options(&body, &f->request, NULL), KIN_EINVAL);
    f->options.grace_seconds = -1;
    f->options.propagation = "\xff";
    assert_code(kin__request_delete_options(&body, &f->request, NULL), KIN_EINVAL);
    assert_null(body);
}

static int make_both(void *arg, kin_error *err)
{
    struct fixture *f = arg;
    char *target = NULL;
    char *body = NULL;
    int code = kin__request_target(&target, &f->request, err);

    if (code == 0)
        code = kin__request_delete_options(&body, &f->request, err);
    kin__free(target);
    kin__free(body);
    return code;
}

static void survives_without_memory(void **state)
{
    struct fixture *f = *state;

    fill_all(f);
    f->request.verb = KIN_VERB_DELETE_COLLECTION;
    kin_test_fail_each_allocation(make_both, f);
}

#define url_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        url_test(names_the_place_of_what_is_asked_for),
        url_test(encodes_what_is_not_plain),
        url_test(refuses_names_that_leave_their_place),
        url_test(refuses_what_makes_no_request),
        url_test(sends_what_belongs_to_the_verb),
        url_test(fills_in_what_a_server_needs),
        url_test(knows_patches),
        cmocka_unit_test(knows_methods),
        url_test(has_a_longest_target),
        url_test(tells_how_to_delete),
        url_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
