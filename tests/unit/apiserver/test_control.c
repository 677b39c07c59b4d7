/* SPDX-License-Identifier: Apache-2.0 */
/* The control endpoint: faults, requests, commands, and who may use it. */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "server_support.h"

static kin_test_server test;

static void start_with(bool control, bool tokens)
{
    static const kin_apiserver_token both[] = {{"rw", NULL, false}, {"ro", "jane", true}};
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    options.control = control;
    options.tokens = both;
    options.n_tokens = tokens ? 2 : 0;
    kin_test_server_start(&test, &options);
}

static int start(void **state)
{
    (void)state;
    start_with(true, false);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin_test_server_done(&test);
    return 0;
}

static struct got ask_with(const char *type, const char *method, const char *path, const char *body,
                           const char *token)
{
    CURL *easy = kin_test_server_easy(&test, path);
    struct curl_slist *headers = NULL;
    char header[128];

    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
    if (body)
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    headers = curl_slist_append(headers, type);
    if (token) {
        snprintf(header, sizeof(header), "Authorization: Bearer %s", token);
        headers = curl_slist_append(headers, header);
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    struct got got = easy_get(easy);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    return got;
}

static struct got ask(const char *method, const char *path, const char *body, const char *token)
{
    return ask_with("Content-Type: application/json", method, path, body, token);
}

static void expect(const char *method, const char *path, const char *body, long status,
                   const char *part)
{
    struct got got = ask(method, path, body, NULL);

    if (got.status != status || !strstr(got.body, part))
        fail_msg("%s %s: %ld %s", method, path, got.status, got.body);
    got_done(&got);
}

static void test_faults(void **state)
{
    (void)state;
    expect("GET", "/_kinform/faults", NULL, 200, "{\"faults\":[]}");
    expect("POST", "/_kinform/faults", "{\"type\":\"Status\",\"status\":503}", 200,
           "{\"ids\":[1]}");
    /* No fault meets the control endpoint itself. */
    expect("GET", "/_kinform/faults", NULL, 200, "\"hits\":0");
    expect("GET", "/echo", NULL, 503, "ServiceUnavailable");
    expect("GET", "/_kinform/faults", NULL, 200, "\"hits\":1");
    expect("POST", "/_kinform/faults",
           "{\"faults\":[{\"type\":\"Stall\"},{\"type\":\"Reset\",\"path\":\"/x\"}]}", 200,
           "{\"ids\":[2,3]}");
    expect("DELETE", "/_kinform/faults/1", NULL, 200, "{\"id\":1,\"hits\":1}");
    expect("DELETE", "/_kinform/faults/1", NULL, 404, "there is no fault 1");
    expect("DELETE", "/_kinform/faults/x", NULL, 404, "NotFound");
    expect("GET", "/_kinform/faults/2", NULL, 405, "MethodNotAllowed");
    expect("PUT", "/_kinform/faults", "{}", 405, "MethodNotAllowed");
    expect("POST", "/_kinform/faults", "{\"type\":\"X\"}", 400, "there is no fault X");
    expect("POST", "/_kinform/faults", "nonsense", 400, "BadRequest");
    expect("POST", "/_kinform/faults", "{\"faults\":[5]}", 400, "a fault is an object");
    expect("DELETE", "/_kinform/faults", NULL, 200, "{}");
    expect("GET", "/_kinform/faults", NULL, 200, "{\"faults\":[]}");
    expect("GET", "/echo", NULL, 200, "GET /echo");
}

static void test_requests(void **state)
{
    (void)state;
    expect("GET", "/echo?x=y", NULL, 200, "GET /echo");
    kin_test_server_await(&test, "/echo", KIN_REQUEST_ENDED, 1);
    expect("GET", "/_kinform/requests", NULL, 200, "\"path\":\"/echo\",\"query\":\"x=y\"");
    expect("POST", "/_kinform/requests", "{}", 405, "MethodNotAllowed");
}

static void test_commands(void **state)
{
    (void)state;
    expect("POST", "/_kinform/compact", "", 200, "{}");
    assert_int_equal(test.commands, 1);
    expect("GET", "/_kinform/compact", NULL, 405, "MethodNotAllowed");
    expect("POST", "/_kinform/nonsense", "", 404, "no such command");
    expect("POST", "/_kinform/", "", 404, "no such command");
    assert_int_equal(test.commands, 1);
}

static void test_off(void **state)
{
    (void)state;
    start_with(false, false);
    expect("GET", "/_kinform/faults", NULL, 404, "NotFound");
    expect("POST", "/_kinform/faults", "{\"type\":\"Stall\"}", 404, "NotFound");
    expect("GET", "/echo", NULL, 200, "GET");
}

static void test_rights(void **state)
{
    static const struct {
        const char *method;
        const char *path;
        const char *token;
        long status;
    } cases[] = {
        {"GET", "/_kinform/faults", NULL, 401},
        {"GET", "/_kinform/faults", "no", 401},
        {"GET", "/_kinform/faults", "ro", 403},
        {"POST", "/_kinform/faults", "ro", 403},
        {"GET", "/_kinform/requests", "ro", 403},
        {"GET", "/_kinform/faults", "rw", 200},
        {"POST", "/_kinform/compact", "rw", 200},
        {"GET", "/echo", NULL, 401},
        {"GET", "/echo", "ro", 200},
        {"GET", "/metrics", NULL, 401},
        {"GET", "/metrics", "ro", 200},
        {"POST", "/api/v1/pods", "ro", 403},
        {"POST", "/api/v1/pods", "rw", 404},
    };

    (void)state;
    start_with(true, true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct got got = ask(cases[i].method, cases[i].path,
                             strcmp(cases[i].method, "POST") == 0 ? "{}" : NULL, cases[i].token);

        if (got.status != cases[i].status)
            fail_msg("%s %s: %ld %s", cases[i].method, cases[i].path, got.status, got.body);
        got_done(&got);
    }
}

/* What a web page could send to another origin without asking first. */
static void test_other_types(void **state)
{
    static const char *const types[] = {"Content-Type:", "Content-Type: text/plain",
                                        "Content-Type: application/x-www-form-urlencoded",
                                        "Content-Type: application/jsonp"};
    static const char *const paths[] = {"/_kinform/faults", "/_kinform/compact",
                                        "/_kinform/restart"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(types); i++) {
        for (size_t k = 0; k < kin__array_len(paths); k++) {
            struct got got = ask_with(types[i], "POST", paths[k], "{\"type\":\"Stall\"}", NULL);

            assert_int_equal(got.status, 415);
            got_done(&got);
        }
    }
    expect("GET", "/_kinform/faults", NULL, 200, "{\"faults\":[]}");
    struct got got = ask_with("Content-Type: application/json; charset=utf-8", "POST",
                              "/_kinform/faults", "{\"faults\":[]}", NULL);
    assert_int_equal(got.status, 200);
    got_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_faults, start, stop),
        cmocka_unit_test_setup_teardown(test_other_types, start, stop),
        cmocka_unit_test_setup_teardown(test_requests, start, stop),
        cmocka_unit_test_setup_teardown(test_commands, start, stop),
        cmocka_unit_test_teardown(test_off, stop),
        cmocka_unit_test_teardown(test_rights, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
