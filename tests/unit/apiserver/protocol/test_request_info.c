/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths and methods: what they ask for, what leads nowhere, and whether a kind has it.
 */
#include "apiserver_support.h"

#include <stdlib.h>

#include "alloc.h"
#include "apiserver/protocol/request_info.h"
#include "base/compiler.h"
#include "oom.h"

static bool read_request(kin__request_info *ret, const char *method, const char *path,
                         const char *query, kin__failure *failure)
{
    kin__request request = {
        .method = kin_str_of(method), .path = kin_str_of(path), .query = kin_str_of(query)};

    return kin__request_info_read(ret, &request, failure);
}

static void reads_paths_of_resources(void **state)
{
    static const struct {
        const char *method;
        const char *path;
        enum kin__verb verb;
        const char *group;
        const char *version;
        const char *namespace_;
        const char *resource;
        const char *name;
        const char *subresource;
    } cases[] = {
        {"GET", "/api/v1/pods", KIN__VERB_LIST, "", "v1", "", "pods", "", ""},
        {"GET", "/api/v1/pods/", KIN__VERB_LIST, "", "v1", "", "pods", "", ""},
        {"HEAD", "/api/v1/nodes/n", KIN__VERB_OTHER, "", "v1", "", "nodes", "n", ""},
        {"PUT", "/api/v1/nodes/n/status", KIN__VERB_UPDATE, "", "v1", "", "nodes", "n", "status"},
        {"POST", "/api/v1/namespaces/d/pods", KIN__VERB_CREATE, "", "v1", "d", "pods", "", ""},
        {"DELETE", "/api/v1/namespaces/d/pods/p", KIN__VERB_DELETE, "", "v1", "d", "pods", "p", ""},
        {"DELETE", "/api/v1/namespaces/d/pods", KIN__VERB_DELETE_COLLECTION, "", "v1", "d", "pods",
         "", ""},
        {"PATCH", "/api/v1/namespaces/d/pods/p/status", KIN__VERB_PATCH, "", "v1", "d", "pods", "p",
         "status"},
        {"GET", "/api/v1/namespaces", KIN__VERB_LIST, "", "v1", "", "namespaces", "", ""},
        {"GET", "/api/v1/namespaces/d", KIN__VERB_GET, "", "v1", "", "namespaces", "d", ""},
        {"PUT", "/api/v1/namespaces/d/status", KIN__VERB_UPDATE, "", "v1", "", "namespaces", "d",
         "status"},
        {"PUT", "/api/v1/namespaces/d/finalize", KIN__VERB_UPDATE, "", "v1", "", "namespaces", "d",
         "finalize"},
        {"GET", "/apis/apps/v1/deployments", KIN__VERB_LIST, "apps", "v1", "", "deployments", "",
         ""},
        {"GET", "/apis/apps/v1/namespaces/d/deployments/x/scale", KIN__VERB_GET, "apps", "v1", "d",
         "deployments", "x", "scale"},
        {"GET", "/apis/a.b/v1/namespaces/namespaces/namespaces/namespaces", KIN__VERB_GET, "a.b",
         "v1", "namespaces", "namespaces", "namespaces", ""},
        /* An encoded slash is a slash, anything else is itself. */
        {"GET", "/api/v1/namespaces%2fd/pods", KIN__VERB_LIST, "", "v1", "d", "pods", "", ""},
        {"GET", "/apis/rbac/v1/clusterroles/system%3Anode", KIN__VERB_GET, "rbac", "v1", "",
         "clusterroles", "system:node", ""},
        {"GET", "/apis/rbac/v1/clusterroles/a+b%20c", KIN__VERB_GET, "rbac", "v1", "",
         "clusterroles", "a+b c", ""},
        {"OPTIONS", "/api/v1/pods", KIN__VERB_OTHER, "", "v1", "", "pods", "", ""},
        {"get", "/api/v1/pods", KIN__VERB_OTHER, "", "v1", "", "pods", "", ""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;

        if (!read_request(&info, cases[i].method, cases[i].path, "", &failure))
            fail_msg("%s: %s", cases[i].path, failure.message);
        assert_true(info.is_resource);
        assert_int_equal(info.verb, cases[i].verb);
        assert_int_equal(info.is_head, strcmp(cases[i].method, "HEAD") == 0);
        assert_text(info.group, cases[i].group);
        assert_text(info.version, cases[i].version);
        assert_text(info.namespace_, cases[i].namespace_);
        assert_text(info.resource, cases[i].resource);
        assert_text(info.name, cases[i].name);
        assert_text(info.subresource, cases[i].subresource);
        kin__request_info_done(&info);
    }
}

static void reads_other_paths(void **state)
{
    static const struct {
        const char *path;
        const char *decoded;
    } cases[] = {
        {"", ""},
        {"/", ""},
        {"/api", "/api"},
        {"/api/", "/api"},
        {"/api/v1", "/api/v1"},
        {"/apis", "/apis"},
        {"/apis/apps", "/apis/apps"},
        {"/apis/apps/v1//", "/apis/apps/v1"},
        {"/healthz", "/healthz"},
        {"/healthz/%65tcd", "/healthz/etcd"},
        {"/a/b/c/d/e/f/g/h/i/j/k/l/m", "/a/b/c/d/e/f/g/h/i/j/k/l/m"},
        {"/openapi/v3/apis/apps/v1", "/openapi/v3/apis/apps/v1"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;

        if (!read_request(&info, "GET", cases[i].path, "limit=x", &failure))
            fail_msg("%s: %s", cases[i].path, failure.message);
        assert_false(info.is_resource);
        assert_int_equal(info.verb, KIN__VERB_GET);
        assert_text(info.path, cases[i].decoded);
        kin__request_info_done(&info);
    }
}

static void refuses_odd_paths(void **state)
{
    static const char no_path[] = "the server could not find the requested resource";
    static const struct {
        const char *path;
        int status;
        const char *message;
    } cases[] = {
        {"api/v1/pods", 404, no_path},
        {"*", 404, no_path},
        {"http://x/api", 404, no_path},
        {"//api/v1/pods", 404, no_path},
        {"/api//v1/pods", 404, no_path},
        {"/api/v1//pods", 404, no_path},
        {"/api/v1/namespaces//pods", 404, no_path},
        {"/healthz//x", 404, no_path},
        {"/api/v1/pods/a/b/c", 404, no_path},
        {"/api/v1/namespaces/d/pods/p/status/x", 404, no_path},
        {"/api/v1/namespaces/d/status/x", 404, no_path},
        {"/apis/apps/v1/namespaces/d/deployments/x/scale/y/z", 404, no_path},
        {"/api/v1/namespaces/../pods", 404, no_path},
        {"/api/../pods", 404, no_path},
        {"/api/v1/..", 404, no_path},
        {"/apis/./v1/pods", 404, no_path},
        {"/api/v1/pods/a/%2e", 404, no_path},
        {"/api/v1/namespaces/d/pods/..", 400, "Name parameter invalid: \"..\": may not be '..'"},
        {"/api/v1/namespaces/d/pods/%2E", 400, "Name parameter invalid: \".\": may not be '.'"},
        {"/api/v1/namespaces/d/pods/a%25b", 400,
         "Name parameter invalid: \"a%b\": may not contain '%'"},
        {"/api/v1/watch", 404, no_path},
        {"/api/v1/watch/", 404, no_path},
        {"/api/v1/watch/namespaces/d/pods/p/status", 404, no_path},
        {"/apis/apps/v1/watch/namespaces/d/deployments/x/scale", 404, no_path},
        {"/api/v1/pods/%zz", 400, "invalid URL escape \"%zz\""},
        {"/api/v1/pods/%4", 400, "invalid URL escape \"%4\""},
        {"/api/v1/pods/%", 400, "invalid URL escape \"%\""},
        {"/api/v1/pods/a%00b", 400, "the path holds a zero byte"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;

        if (read_request(&info, "GET", cases[i].path, "", &failure))
            fail_msg("%s is taken", cases[i].path);
        if (failure.status != cases[i].status || strcmp(failure.message, cases[i].message) != 0)
            fail_msg("%s: %d %s", cases[i].path, failure.status, failure.message);
        kin__request_info_done(&info);
    }
}

static void reads_paths_of_watches(void **state)
{
    static const struct {
        const char *method;
        const char *path;
        const char *query;
        enum kin__verb verb;
        const char *selected; /* which name is; NULL: it is refused */
    } cases[] = {
        {"GET", "/api/v1/watch/pods", "", KIN__VERB_WATCH, ""},
        {"GET", "/api/v1/watch/pods", "watch=0", KIN__VERB_WATCH, ""},
        {"GET", "/api/v1/watch/namespaces/d/pods", "", KIN__VERB_WATCH, ""},
        {"GET", "/api/v1/watch/namespaces/d", "", KIN__VERB_WATCH, "d"},
        {"GET", "/api/v1/watch/namespaces/d/pods/p", "", KIN__VERB_WATCH, "p"},
        {"GET", "/api/v1/watch/namespaces/d/pods/a,b=c", "", KIN__VERB_WATCH, "a,b=c"},
        {"GET", "/api/v1/watch/namespaces/d/pods/p", "fieldSelector=metadata.name%3Dp",
         KIN__VERB_WATCH, "p"},
        {"GET", "/api/v1/watch/namespaces/d/pods/p", "fieldSelector=metadata.name%3Dq",
         KIN__VERB_WATCH, NULL},
        {"GET", "/api/v1/watch/namespaces/d/pods/p", "fieldSelector=spec.nodeName%3Dn",
         KIN__VERB_WATCH, NULL},
        {"DELETE", "/api/v1/watch/pods", "", KIN__VERB_OTHER, ""},
        {"POST", "/api/v1/watch/namespaces/d/pods", "", KIN__VERB_OTHER, ""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;
        kin_str selected = {"", 0};
        bool ok = read_request(&info, cases[i].method, cases[i].path, cases[i].query, &failure);

        if (ok != (cases[i].selected != NULL) || info.verb != cases[i].verb)
            fail_msg("%s: %d, verb %d", cases[i].path, ok, info.verb);
        if (ok) {
            assert_true(info.is_watch_path);
            assert_int_equal(info.options.watch, info.verb == KIN__VERB_WATCH);
            if (info.options.fields)
                kin_field_selector_requires_exact_match(info.options.fields,
                                                        kin_str_of("metadata.name"), &selected);
            assert_true(kin_str_equal(selected, kin_str_of(cases[i].selected)));
        } else {
            assert_int_equal(failure.status, 400);
            assert_string_equal(failure.message,
                                "fieldSelector metadata.name doesn't match requested name");
        }
        kin__request_info_done(&info);
    }
}

static void bounds_length(void **state)
{
    char *text = malloc(KIN__QUERY_MAX + 2);
    kin__request_info info;
    kin__failure failure;

    (void)state;
    memset(text, 'a', KIN__QUERY_MAX + 1);
    text[KIN__QUERY_MAX + 1] = '\0';
    text[0] = '/';
    assert_false(read_request(&info, "GET", "/", text, &failure));
    assert_int_equal(failure.status, 414);
    kin__request_info_done(&info);
    text[KIN__PATH_MAX + 1] = '\0';
    assert_false(read_request(&info, "GET", text, "", &failure));
    assert_int_equal(failure.status, 414);
    kin__request_info_done(&info);
    text[KIN__PATH_MAX] = '\0';
    assert_true(read_request(&info, "GET", text, "", &failure));
    kin__request_info_done(&info);
    free(text);
}

/* --- kinds --- */

static void asks_the_kind(void **state)
{
    static const struct {
        const char *method;
        const char *path;
        const char *query;
        const char *group;
        const char *resource;
        int status; /* 0: it has it */
    } cases[] = {
        {"GET", "/api/v1/pods", "", "", "pods", 0},
        {"GET", "/api/v1/pods", "watch=1", "", "pods", 0},
        {"GET", "/api/v1/namespaces/d/pods/p", "watch=1", "", "pods", 0},
        {"POST", "/api/v1/namespaces/d/pods", "", "", "pods", 0},
        {"GET", "/api/v2/pods", "", "", "pods", 404},
        {"GET", "/api/v1/pods/p", "", "", "pods", 404},
        {"POST", "/api/v1/pods", "", "", "pods", 405},
        {"DELETE", "/api/v1/pods", "", "", "pods", 405},
        {"GET", "/api/v1/namespaces/d/nodes", "", "", "nodes", 404},
        {"GET", "/api/v1/nodes/n", "", "", "nodes", 0},
        {"DELETE", "/api/v1/nodes", "", "", "nodes", 0},
        {"POST", "/api/v1/nodes", "", "", "nodes", 0},
        {"PUT", "/api/v1/nodes", "", "", "nodes", 405},
        {"PATCH", "/api/v1/nodes", "", "", "nodes", 405},
        {"POST", "/api/v1/nodes/n", "", "", "nodes", 405},
        {"OPTIONS", "/api/v1/nodes/n", "", "", "nodes", 405},
        {"HEAD", "/api/v1/nodes/n", "", "", "nodes", 405},
        {"DELETE", "/api/v1/namespaces/d", "", "", "namespaces", 0},
        {"DELETE", "/api/v1/namespaces", "", "", "namespaces", 405},
        {"GET", "/api/v1/namespaces/d/pods/p/status", "", "", "pods", 0},
        {"DELETE", "/api/v1/namespaces/d/pods/p/status", "", "", "pods", 405},
        {"POST", "/api/v1/namespaces/d/pods/p/binding", "", "", "pods", 0},
        {"GET", "/api/v1/namespaces/d/pods/p/binding", "", "", "pods", 405},
        {"GET", "/api/v1/namespaces/d/pods/p/log", "", "", "pods", 404},
        {"GET", "/api/v1/namespaces/d/configmaps/c/status", "", "", "configmaps", 404},
        {"PUT", "/api/v1/namespaces/d/finalize", "", "", "namespaces", 0},
        {"POST", "/api/v1/namespaces/d/bindings", "", "", "bindings", 0},
        {"GET", "/api/v1/namespaces/d/bindings", "", "", "bindings", 405},
        {"GET", "/apis/apps/v1/namespaces/d/deployments/x/scale", "", "apps", "deployments", 0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin__kind_version *version = NULL;
        const kin__subresource *subresource = NULL;
        kin__request_info info;
        kin__failure failure = {.status = 0};

        assert_true(read_request(&info, cases[i].method, cases[i].path, cases[i].query, &failure));
        bool ok = kin__request_info_check(&info, builtin(cases[i].group, cases[i].resource),
                                          &version, &subresource, &failure);
        if (ok != (cases[i].status == 0) || (!ok && failure.status != cases[i].status))
            fail_msg("%s %s: %d", cases[i].method, cases[i].path, ok ? 0 : failure.status);
        if (ok) {
            assert_text(info.version, version->name);
            assert_text(info.subresource, subresource ? subresource->name : "");
        }
        kin__request_info_done(&info);
    }
}

static int read_scenario(void *arg, kin_error *err)
{
    kin__request_info info;
    kin__failure failure;

    (void)arg;
    bool ok = read_request(&info, "GET", "/api/v1/namespaces/d/pods",
                           "labelSelector=a%3Db&fieldSelector=c%3Dd&watch=1", &failure);
    kin__request_info_done(&info);
    if (ok)
        return 0;
    assert_int_equal(failure.status, 500);
    return kin_error_set(err, KIN_ENOMEM, "no memory");
}

static void survives_want_of_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(read_scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_paths_of_resources),
        cmocka_unit_test(reads_other_paths),
        cmocka_unit_test(refuses_odd_paths),
        cmocka_unit_test(reads_paths_of_watches),
        cmocka_unit_test(bounds_length),
        cmocka_unit_test(asks_the_kind),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
