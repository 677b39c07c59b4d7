/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfigs that are wrong: the error names file, line and field, and never a secret.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "client/kubeconfig.h"

static void refused(const char *text, int code, const char *message)
{
    kin__kubeconfig k;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin__kubeconfig_parse(&k, "/k", kin_str_of(text), &err), code);
    assert_int_equal(err.code, code);
    if (strncmp(err.message, message, strlen(message)) != 0)
        fail_msg("\"%s\", not \"%s\"", err.message, message);
    assert_null(strstr(err.message, "hush"));
    assert_int_equal(k.lists[0].n + k.lists[1].n + k.lists[2].n, 0);
    assert_code(kin__kubeconfig_parse(&k, "/k", kin_str_of(text), NULL), code);
}

static void wrong_types(void **state)
{
    static const char *const cases[][2] = {
        {"clusters: 7", "/k:1: clusters: must be a list, not a number"},
        {"\nclusters: {}", "/k:2: clusters: must be a list, not a map"},
        {"clusters:\n- hush", "/k:2: clusters[0]: must be a map, not a string"},
        {"clusters:\n- name: 7", "/k:2: clusters[0].name: must be a string, not a number"},
        {"clusters:\n- {}\n- name: a\n  cluster: []",
         "/k:4: clusters[1].cluster: must be a map, not a list"},
        {"clusters:\n- cluster:\n    server: true",
         "/k:3: clusters[0].cluster.server: must be a string, not a boolean"},
        {"clusters:\n- cluster:\n    server: {}",
         "/k:3: clusters[0].cluster.server: must be a string, not a map"},
        {"clusters:\n- cluster:\n    insecure-skip-tls-verify: hush",
         "/k:3: clusters[0].cluster.insecure-skip-tls-verify: must be true or false, not a string"},
        {"clusters:\n- cluster: {extensions: 1}",
         "/k:2: clusters[0].cluster.extensions: must be a list, not a number"},
        {"users:\n- user:\n    token: 7",
         "/k:3: users[0].user.token: must be a string, not a number"},
        {"users:\n- user:\n    as-groups: hush",
         "/k:3: users[0].user.as-groups: must be a list, not a string"},
        {"users:\n- user:\n    as-groups: [a, [hush]]",
         "/k:3: users[0].user.as-groups[1]: must be a string, not a list"},
        {"users:\n- user:\n    as-user-extra: {k: hush}",
         "/k:3: users[0].user.as-user-extra.k: must be a list, not a string"},
        {"users:\n- user:\n    exec: hush",
         "/k:3: users[0].user.exec: must be a map, not a string"},
        {"users:\n- user:\n    exec:\n      args: [1]",
         "/k:4: users[0].user.exec.args[0]: must be a string, not a number"},
        {"users:\n- user:\n    exec:\n      env: [{name: A, value: 1}]",
         "/k:4: users[0].user.exec.env[0].value: must be a string, not a number"},
        {"users:\n- user:\n    auth-provider: {config: {a: 1}}",
         "/k:3: users[0].user.auth-provider.config.a: must be a string, not a number"},
        {"contexts:\n- context: {namespace: 1}",
         "/k:2: contexts[0].context.namespace: must be a string, not a number"},
        {"current-context: 1", "/k:1: current-context: must be a string, not a number"},
        {"preferences: {colors: hush}",
         "/k:1: preferences.colors: must be true or false, not a string"},
        {"kind: [hush]", "/k:1: kind: must be a string, not a list"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(cases[i][0], KIN_EPARSE, cases[i][1]);
}

static void wrong_values(void **state)
{
    static const char *const cases[][2] = {
        {"kind: Pod", "/k:1: kind: is not \"Config\": this is no kubeconfig"},
        {"apiVersion: v2", "/k:1: apiVersion: is not \"v1\""},
        {"users:\n- user: {client-key-data: hush!}",
         "/k:2: users[0].user.client-key-data: is not base64"},
        {"users:\n- user: {client-key-data: aHVzaA}",
         "/k:2: users[0].user.client-key-data: is not base64"},
        {"users:\n- user: {token: \"hush\\0hush\"}",
         "/k:2: users[0].user.token: holds a zero byte"},
        {"clusters:\n- name: a\n- name: b\n- name: a",
         "/k:4: clusters[2].name: the name is there already"},
        {"users: [{}, {}]", "/k:1: users[1].name: the name is there already"},
        {"clusters:\n- cluster:\n    extensions: [{name: a, extension: 1}, {name: a}]",
         "/k:3: clusters[0].cluster.extensions[1].name: the name is there already"},
        {"extensions: [{name: a, extension: 1}, {name: a}]",
         "/k:1: extensions[1].name: the name is there"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(cases[i][0], KIN_EPARSE, cases[i][1]);
}

/* What libyaml or our reader of it refuses; the place in front, and nothing of the text. */
static void malformed_yaml(void **state)
{
    static const char *const cases[][2] = {
        {"a: b\n  hush: [", "/k:2: "},
        {"- hush", "/k:1: the document is no map"},
        {"hush", "/k:1: the document is no map"},
        {"a: 1\nb: \x80hush", "/k:2: "},
        {"users:\n- user:\n    token: *hush", "/k:3: "},
        {"users:\n- user: &hush {token: *hush}", "/k:2: "},
        {"users:\n- user:\n    token: !!int hush", "/k:3: "},
        {"users:\n- user:\n    token: !!binary hush!", "/k:3: "},
        {"users:\n- user:\n    password: @hush", "/k:3: "},
        {"users:\n- user:\n    password: hush: hush", "/k:3: "},
        {"users:\n- user: {<<: hush}", "/k:2: users[0].user: only maps"},
        {"users:\n- user: {<<: [{}, hush]}", "/k:2: users[0].user: only maps"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(cases[i][0], KIN_EPARSE, cases[i][1]);
}

/* `begin`, n times `item`, `end`; to be freed. */
static char *repeat(const char *begin, size_t n, const char *item, const char *end)
{
    size_t len = strlen(item);
    char *text = malloc(strlen(begin) + n * len + strlen(end) + 1);

    assert_non_null(text);
    char *at = stpcpy(text, begin);
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, item);
    stpcpy(at, end);
    return text;
}

static void over_a_limit(const char *begin, size_t n, const char *item, const char *end,
                         const char *message)
{
    char *text = repeat(begin, n, item, end);

    refused(text, KIN_ELIMIT, message);
    free(text);
}

static void within_a_limit(const char *begin, size_t n, const char *item, const char *end)
{
    char *text = repeat(begin, n, item, end);
    kin__kubeconfig k;

    assert_code(kin__kubeconfig_parse(&k, "/k", kin_str_of(text), NULL), 0);
    kin__kubeconfig_done(&k);
    free(text);
}

static void limits(void **state)
{
    (void)state;
    over_a_limit("x: ", 64, "[", "", "/k:1: nested deeper than 64");
    over_a_limit("#", 8388608, "x", "", "/k:");
    within_a_limit("#", 8388607, "x", "");
    within_a_limit("users: [{user: {as-groups: [", 1000, "a,", "]}}]");
    over_a_limit("users: [{user: {as-groups: [", 1001, "a,", "]}}]",
                 "/k:1: users[0].user.as-groups[1000]: more than 1000");
    over_a_limit("users: [{user: {exec: {env: [", 1001, "{name: a},", "]}}}]",
                 "/k:1: users[0].user.exec.env[1000]: more than 1000");
}

static void entries_have_a_limit(void **state)
{
    const size_t n = 10001;
    char *text = malloc(n * 24 + 64);
    size_t len = 0;
    kin__kubeconfig k;

    (void)state;
    assert_non_null(text);
    len += (size_t)sprintf(text, "contexts:\n");
    for (size_t i = 0; i < n; i++) {
        if (i == n - 1)
            assert_code(kin__kubeconfig_parse(&k, "/k", kin_str_make(text, len), NULL), 0);
        len += (size_t)sprintf(text + len, "- name: c%zu\n", i);
    }
    refused(text, KIN_ELIMIT, "/k:10002: contexts[10000]: more than 10000 of them");

    /* All files together, too. */
    kin__kubeconfig more;
    kin_error err = KIN_ERROR_INIT;
    assert_code(kin__kubeconfig_parse(&more, "/2", kin_str_of("contexts: [{name: new}]"), NULL), 0);
    assert_code(kin__kubeconfig_merge(&k, &more, &err), KIN_ELIMIT);
    assert_string_equal(err.message, "/2:1: more than 10000 contexts in all files");
    kin__kubeconfig_done(&more);
    kin__kubeconfig_done(&k);
    free(text);
}

static void aliases_are_bounded(void **state)
{
    (void)state;
    refused("a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
            "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
            "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
            KIN_ELIMIT, "/k:5: aliases expand to too much");
    over_a_limit("a: &a {}\nusers: [{user: {<<: [", 1001, "*a,", "]}}]",
                 "/k:2: users[0].user: merges more than 1000 maps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_types),          cmocka_unit_test(wrong_values),
        cmocka_unit_test(malformed_yaml),       cmocka_unit_test(limits),
        cmocka_unit_test(entries_have_a_limit), cmocka_unit_test(aliases_are_bounded),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
