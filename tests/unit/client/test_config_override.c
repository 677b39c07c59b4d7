/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options on top of a kubeconfig, and what a kubeconfig's entries have to be to make sense.
 */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "client/config.h"
#include "config_support.h"
#include "kinform/memory.h"
#include "oom.h"

/* Options for a kubeconfig whose cluster and user have these fields. */
static kin_config_options with(const char *cluster, const char *user)
{
    static char text[4096];
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    snprintf(text, sizeof(text), "clusters:\n- cluster: {%s}\nusers:\n- user: {%s}\n", cluster,
             user);
    options.kubeconfig = kin_test_write("config", text);
    return options;
}

static kin_config *loaded(const kin_config_options *options)
{
    return config_made(kin_config_load, options);
}

static void refused(const kin_config_options *options, int code, const char *message)
{
    config_refused(kin_config_load, options, code, message);
}

static void is(const char *text, const char *expected)
{
    if (expected) {
        assert_non_null(text);
        assert_string_equal(text, expected);
    } else {
        assert_null(text);
    }
}

/* --- exec policies --- */

/* A kubeconfig with a plugin, and a policy for it. */
static kin_config_options with_plugin(const char *command, const char *more,
                                      enum kin_exec_policy policy, const char *const *list,
                                      size_t n)
{
    char user[512];
    kin_config_options options;

    snprintf(user, sizeof(user),
             "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
             "command: %s}%s",
             command, more);
    options = with("server: \"https://host\"", user);
    options.exec_policy = policy;
    options.exec_allowlist = list;
    options.n_exec_allowlist = n;
    return options;
}

/* With this list, `command` is run as `expected`; NULL: not at all. */
static void allows(const char *entry, const char *command, const char *expected)
{
    const char *const list[] = {"/no/such/thing", entry};
    kin_config_options options = with_plugin(command, "", KIN_EXEC_ALLOW_LIST, list, 2);

    if (!expected) {
        refused(&options, KIN_EDENIED, "config:4: users[0].user.exec.command: option exec_policy");
        return;
    }
    kin_config *config = loaded(&options);
    is(config->exec->command, expected);
    kin_config_unref(config);
}

static void plugins_are_run_that_are_allowed(void **state)
{
    char one[128];
    char two[128];
    char path[512];
    kin_config_options options;

    (void)state;
    snprintf(one, sizeof(one), "%s", kin_test_write("one/tool", "#!/bin/sh\n"));
    snprintf(two, sizeof(two), "%s", kin_test_write("two/tool", "#!/bin/sh\n"));
    kin_test_write("one/data", "");
    assert_int_equal(chmod(one, 0700), 0);
    assert_int_equal(chmod(two, 0700), 0);
    snprintf(path, sizeof(path), "relative:%s::%s", kin_test_path("one"), kin_test_path("two"));
    assert_int_equal(setenv("PATH", path, 1), 0);

    options = with_plugin("tool", "", KIN_EXEC_ALLOW_ALL, NULL, 0);
    kin_config *config = loaded(&options);
    is(config->exec->command, "tool");
    kin_config_unref(config);
    options = with_plugin("tool", "", KIN_EXEC_DENY_ALL, NULL, 0);
    refused(&options, KIN_EDENIED, "does not allow tool");
    /* One that is not run needs no leave. */
    options = with_plugin("tool", ", token: hush", KIN_EXEC_DENY_ALL, NULL, 0);
    kin_config_unref(loaded(&options));

    /* By name, by path, by either for the other; what was looked at is what is run. */
    allows("tool", "tool", one);
    allows(one, "tool", one);
    allows("tool", one, one);
    allows(one, one, one);
    allows("tool", "one/tool", one); /* relative to the kubeconfig */
    /* Not another one of that name, nor what cannot be run. */
    allows(two, "tool", NULL);
    allows("tool", two, NULL);
    allows(one, two, NULL);
    allows("other", "tool", NULL);
    allows("tool", "other", NULL);
    allows(kin_test_path("one/data"), "data", NULL);
    /* What is not there and is named so may come. */
    allows("later", "later", "later");
    assert_int_equal(unsetenv("PATH"), 0);
    allows("tool", "tool", "tool");
    allows(one, "tool", NULL);
}

static void a_policy_must_make_sense(void **state)
{
    static const char *const bad[] = {"",      ".",      "..",      "a/b",  "./a", "/a/",
                                      "/a//b", "/a/./b", "/a/../b", "/a/.", "/"};
    const char *const good[] = {"tool"};
    kin_config_options options;

    (void)state;
    options = with_plugin("tool", "", KIN_EXEC_ALLOW_ALL, good, 1);
    refused(&options, KIN_EINVAL, "exec_allowlist");
    options = with_plugin("tool", "", KIN_EXEC_DENY_ALL, good, 1);
    refused(&options, KIN_EINVAL, "exec_allowlist");
    options = with_plugin("tool", "", KIN_EXEC_ALLOW_LIST, good, 0);
    refused(&options, KIN_EINVAL, "exec_allowlist");
    options = with_plugin("tool", "", KIN_EXEC_ALLOW_LIST, NULL, 1);
    refused(&options, KIN_EINVAL, "exec_allowlist");
    options = with_plugin("tool", "", (enum kin_exec_policy)3, NULL, 0);
    refused(&options, KIN_EINVAL, "exec_policy");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        options = with_plugin("tool", "", KIN_EXEC_ALLOW_LIST, &bad[i], 1);
        refused(&options, KIN_EINVAL, "exec_allowlist: entry 0");
    }
}

/* --- the server --- */

static void a_server_of_ones_own_has_its_own_name(void **state)
{
    kin_config_options o =
        with("server: 'https://a', tls-server-name: sni, proxy-url: 'http://p'", "");
    kin_config *config;

    (void)state;
    config = loaded(&o);
    is(config->tls_server_name, "sni");
    is(config->proxy_url, "http://p");
    kin_config_unref(config);
    o.server = "https://b";
    config = loaded(&o);
    is(config->server, "https://b");
    is(config->tls_server_name, NULL);
    is(config->proxy_url, "http://p");
    kin_config_unref(config);
    o.tls_server_name = "own";
    o.proxy_url = "socks5://q";
    config = loaded(&o);
    is(config->tls_server_name, "own");
    is(config->proxy_url, "socks5://q");
    kin_config_unref(config);
    o.server = NULL;
    config = loaded(&o);
    is(config->server, "https://a");
    is(config->tls_server_name, "own");
    kin_config_unref(config);
}

static void trust_is_replaced_as_a_whole(void **state)
{
    kin_config_options o = with("server: 'https://a', certificate-authority: ca", "");
    kin_config *config;

    (void)state;
    kin_test_write("ca", "");
    config = loaded(&o);
    is(config->ca_file, kin_test_path("ca"));
    kin_config_unref(config);
    o.insecure = true;
    config = loaded(&o);
    assert_true(config->insecure);
    is(config->ca_file, NULL);
    kin_config_unref(config);
    o.insecure = false;
    o.ca_data = "own";
    config = loaded(&o);
    is(config->ca_data.data, "own");
    is(config->ca_file, NULL);
    kin_config_unref(config);

    o = with("server: 'https://a', certificate-authority-data: b3du", "");
    o.ca_file = kin_test_path("ca");
    config = loaded(&o);
    is(config->ca_file, kin_test_path("ca"));
    is(config->ca_data.data, NULL);
    kin_config_unref(config);
    o = with("server: 'https://a', insecure-skip-tls-verify: true", "");
    config = loaded(&o);
    assert_true(config->insecure);
    kin_config_unref(config);
    o.ca_file = kin_test_path("ca");
    config = loaded(&o);
    assert_false(config->insecure);
    kin_config_unref(config);
}

static void compression_is_off_if_anybody_says_so(void **state)
{
    kin_config_options o = with("server: 'https://a', disable-compression: true", "");
    kin_config *config = loaded(&o);

    (void)state;
    assert_true(config->no_compression);
    kin_config_unref(config);
    o = with("server: 'https://a', disable-compression: false", "");
    config = loaded(&o);
    assert_false(config->no_compression);
    kin_config_unref(config);
    o.no_compression = true;
    config = loaded(&o);
    assert_true(config->no_compression);
    kin_config_unref(config);
}

static void clusters_must_make_sense(void **state)
{
    static const char *const cases[][2] = {
        {"proxy-url: 'http://p'", "/config:2: clusters[0].cluster.server: there is no server"},
        {"server: 'https://me:hush@a'",
         "/config:2: clusters[0].cluster.server: not a valid URL: it has a user"},
        {"server: 'https://a', proxy-url: 'p:hush@b'",
         "/config:2: clusters[0].cluster.proxy-url: not a valid URL: its scheme"},
        {"server: 'https://a', certificate-authority: ca, certificate-authority-data: aHVzaA==",
         "/config:2: clusters[0].cluster.certificate-authority: set together with its data"},
        {"server: 'https://a', insecure-skip-tls-verify: true, certificate-authority: ca",
         "/config:2: clusters[0].cluster.insecure-skip-tls-verify: set together with"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_config_options o = with(cases[i][0], "");

        refused(&o, KIN_EINVAL, cases[i][1]);
    }
    kin_config_options o = with("server: 'https://a', certificate-authority: gone", "");
    refused(&o, KIN_ESYSTEM, "/gone: ");
    refused(&o, KIN_ESYSTEM, "/config:2: clusters[0].cluster.certificate-authority: /");
}

/* --- the user --- */

static void certificates_and_keys_are_replaced_as_a_whole(void **state)
{
    kin_config_options o =
        with("server: 'https://a'", "client-certificate: crt, client-key-data: b2xk");
    kin_config *config;

    (void)state;
    kin_test_write("crt", "");
    config = loaded(&o);
    is(config->certificate_file, kin_test_path("crt"));
    is(config->key_data.data, "old");
    kin_config_unref(config);
    o.key_file = kin_test_path("crt");
    config = loaded(&o);
    is(config->certificate_file, kin_test_path("crt"));
    is(config->key_file, kin_test_path("crt"));
    is(config->key_data.data, NULL);
    kin_config_unref(config);
    o.certificate_data = "own";
    config = loaded(&o);
    is(config->certificate_file, NULL);
    is(config->certificate_data.data, "own");
    kin_config_unref(config);
}

static void tokens_are_replaced_as_a_whole(void **state)
{
    kin_config_options o = with("server: 'https://a'", "token: old, tokenFile: gone");
    kin_config *config;

    (void)state;
    config = loaded(&o); /* the file need not be there yet */
    is(config->token.data, "old");
    is(config->token_file, kin_test_path("gone"));
    kin_config_unref(config);
    o.token = "own";
    config = loaded(&o);
    is(config->token.data, "own");
    is(config->token_file, NULL);
    kin_config_unref(config);
    o.token = NULL;
    o.token_file = kin_test_write("token", "hush");
    config = loaded(&o);
    is(config->token.data, NULL);
    is(config->token_file, kin_test_path("token"));
    kin_config_unref(config);
}

static void names_and_passwords_are_replaced_one_by_one(void **state)
{
    kin_config_options o = with("server: 'https://a'", "username: me, password: old");
    kin_config *config;

    (void)state;
    o.password = "own";
    config = loaded(&o);
    is(config->username, "me");
    is(config->password.data, "own");
    kin_config_unref(config);
    o.token = "hush";
    refused(&o, KIN_EINVAL, "/config:4: users[0].user.username: set together with a token");
}

static void impersonation(void **state)
{
    static const char *const groups[] = {"g3"};
    static const char *const values[] = {"v3"};
    const kin_impersonate_extra extra[] = {{"k2", values, 1}, {"k3", values, 1}};
    kin_config_options o = with("server: 'https://a'", "as: you, as-uid: '7', as-groups: [g1, g2], "
                                                       "as-user-extra: {k1: [v1], k2: [v2, v2]}");
    kin_config *config;

    (void)state;
    config = loaded(&o);
    is(config->impersonate_user, "you");
    is(config->impersonate_uid, "7");
    assert_int_equal(config->n_impersonate_groups, 2);
    is(config->impersonate_groups[0], "g1");
    assert_int_equal(config->n_impersonate_extra, 2);
    kin_config_unref(config);
    o.impersonate_user = "him";
    o.impersonate_groups = groups;
    o.n_impersonate_groups = 1;
    o.impersonate_extra = extra;
    o.n_impersonate_extra = 2;
    config = loaded(&o);
    is(config->impersonate_user, "him");
    is(config->impersonate_uid, "7");
    assert_int_equal(config->n_impersonate_groups, 1);
    is(config->impersonate_groups[0], "g3");
    assert_int_equal(config->n_impersonate_extra, 3);
    is(config->impersonate_extra[0].values[0], "v1");
    assert_int_equal(config->impersonate_extra[1].n_values, 1);
    is(config->impersonate_extra[1].values[0], "v3");
    is(config->impersonate_extra[2].name, "k3");
    kin_config_unref(config);
}

static void users_must_make_sense(void **state)
{
    static const char *const cases[][2] = {
        {"token: hush, username: me", "users[0].user.username: set together with a token"},
        {"client-certificate-data: aHVzaA==",
         "users[0].user.client-certificate-data: set without a key"},
        {"client-certificate: crt, client-key: key, client-key-data: aHVzaA==",
         "users[0].user.client-key: set together with its data"},
        {"client-certificate: crt, client-certificate-data: aHVzaA==, client-key: key",
         "users[0].user.client-certificate: set together with its data"},
        {"as-uid: '7'", "users[0].user.as-uid: set without a user to impersonate"},
        {"as-groups: [a]", "users[0].user.as-groups: set without a user to impersonate"},
        {"as-user-extra: {a: [b]}",
         "users[0].user.as-user-extra: set without a user to impersonate"},
        {"auth-provider: {name: gcp, config: {token: hush}}",
         "users[0].user.auth-provider: \"gcp\" is not supported; use an exec plugin"},
        {"auth-provider: {}", "users[0].user.auth-provider: \"\" is not supported"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_config_options o = with("server: 'https://a'", cases[i][0]);

        refused(&o, KIN_EINVAL, "/config:4: ");
        refused(&o, KIN_EINVAL, cases[i][1]);
    }
    kin_config_options o = with("server: 'https://a'", "tokenFile: gone");
    refused(&o, KIN_ESYSTEM, "/config:4: users[0].user.tokenFile: /");
}

/* --- exec plugins --- */

#define V1 "apiVersion: client.authentication.k8s.io/v1"
#define V1BETA1 "apiVersion: client.authentication.k8s.io/v1beta1"

static void exec_plugins(void **state)
{
    kin_config_options o =
        with("server: 'https://a', extensions: [{name: client.authentication.k8s.io/exec, "
             "extension: {audience: x}}]",
             "exec: {" V1 ", command: ./bin/get, args: [a, b], env: [{name: A, value: hush}, "
             "{name: B}], installHint: \"get\\e[1m it\\n\", provideClusterInfo: true, "
             "interactiveMode: Always}");
    kin_config *config = loaded(&o);
    char *text = NULL;

    (void)state;
    assert_non_null(config->exec);
    is(config->exec->api_version, "client.authentication.k8s.io/v1");
    is(config->exec->command, kin_test_path("bin/get"));
    assert_int_equal(config->exec->n_args, 2);
    is(config->exec->args[1], "b");
    assert_int_equal(config->exec->n_env, 2);
    is(config->exec->env[0].name, "A");
    is(config->exec->env[0].value.data, "hush");
    is(config->exec->env[1].name, "B");
    is(config->exec->env[1].value.data, NULL);
    is(config->exec->install_hint, "getU+001B[1m it\n");
    is(config->exec->cluster_config, "{\"audience\":\"x\"}");
    assert_true(config->exec->provide_cluster_info);
    assert_int_equal(config->exec->interactive, KIN__INTERACTIVE_ALWAYS);
    assert_code(kin_config_describe(config, &text, NULL), 0);
    assert_null(strstr(text, "hush"));
    assert_non_null(strstr(text, "/bin/get\n"));
    assert_non_null(strstr(text, "exec plugin variables: 2\n"));
    assert_non_null(strstr(text, "exec plugin asks people: always\n"));
    kin_free(text);
    kin_config_unref(config);

    o = with("server: 'https://a'", "exec: {" V1BETA1 ", command: get}");
    config = loaded(&o);
    is(config->exec->command, "get");
    is(config->exec->cluster_config, NULL);
    is(config->exec->install_hint, NULL);
    assert_int_equal(config->exec->interactive, KIN__INTERACTIVE_IF_AVAILABLE);
    assert_false(config->exec->provide_cluster_info);
    kin_config_unref(config);
    o = with("server: 'https://a'", "exec: {" V1 ", command: /get, interactiveMode: Never}");
    config = loaded(&o);
    is(config->exec->command, "/get");
    assert_int_equal(config->exec->interactive, KIN__INTERACTIVE_NEVER);
    kin_config_unref(config);
}

static void exec_plugins_must_make_sense(void **state)
{
    static const char *const cases[][2] = {
        {"", "users[0].user.exec.command: there is none"},
        {"command: get", "users[0].user.exec.apiVersion: there is none"},
        {"command: get, apiVersion: client.authentication.k8s.io/v1alpha1",
         "users[0].user.exec.apiVersion: is not client.authentication.k8s.io/v1 or /v1beta1"},
        {"command: get, " V1, "users[0].user.exec.interactiveMode: must be set"},
        {"command: get, " V1 ", interactiveMode: never",
         "users[0].user.exec.interactiveMode: is not Never, IfAvailable or Always"},
        {"command: get, " V1BETA1 ", env: [{value: hush}]",
         "users[0].user.exec.env: a name is empty or has a '='"},
        {"command: get, " V1BETA1 ", env: [{name: A=hush}]",
         "users[0].user.exec.env: a name is empty or has a '='"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char user[512];

        snprintf(user, sizeof(user), "exec: {%s}", cases[i][0]);
        kin_config_options o = with("server: 'https://a'", user);
        refused(&o, KIN_EINVAL, "/config:4: ");
        refused(&o, KIN_EINVAL, cases[i][1]);
    }
}

/* --- memory --- */

static int load_all(void *arg, kin_error *err)
{
    kin_config *config = NULL;
    int code = kin_config_load(&config, arg, err);

    kin_config_unref(config);
    return code;
}

static void loading_needs_memory_and_leaves_no_secret(void **state)
{
    kin_config_options o =
        with("server: 'https://a', certificate-authority: ca, proxy-url: 'http://me:hush@p', "
             "extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]",
             "client-certificate: ca, client-key-data: aHVzaA==, token: hush, as: you, "
             "as-groups: [a], as-user-extra: {a: [b], c: []}, exec: {" V1BETA1
             ", command: ./get, args: [hush-arg], env: [{name: A, value: hush}], installHint: a}");

    (void)state;
    kin_test_write("ca", "");
    kin_test_fail_each_allocation(load_all, &o);
    kin_test_alloc_look_for("hush");
    assert_code(load_all(&o, NULL), 0);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_fail_each_allocation(load_all, &o);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void a_policy_needs_memory(void **state)
{
    const char *const list[] = {"/no/such/thing", "other", "sh"};
    kin_config_options o;

    (void)state;
    assert_int_equal(setenv("PATH", "/no/such/folder:/bin:/usr/bin", 1), 0);
    o = with_plugin("/bin/sh", "", KIN_EXEC_ALLOW_LIST, list, 3);
    kin_test_fail_each_allocation(load_all, &o);
    o = with_plugin("sh", "", KIN_EXEC_ALLOW_LIST, list, 3);
    kin_test_fail_each_allocation(load_all, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        config_test(a_server_of_ones_own_has_its_own_name),
        config_test(trust_is_replaced_as_a_whole),
        config_test(compression_is_off_if_anybody_says_so),
        config_test(clusters_must_make_sense),
        config_test(certificates_and_keys_are_replaced_as_a_whole),
        config_test(tokens_are_replaced_as_a_whole),
        config_test(names_and_passwords_are_replaced_one_by_one),
        config_test(impersonation),
        config_test(users_must_make_sense),
        config_test(exec_plugins),
        config_test(exec_plugins_must_make_sense),
        config_test(plugins_are_run_that_are_allowed),
        config_test(a_policy_must_make_sense),
        config_test(a_policy_needs_memory),
        config_test(loading_needs_memory_and_leaves_no_secret),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
