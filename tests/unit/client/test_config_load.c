/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading configurations: which files are read, which entries count, and what a pod tells.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "client/config.h"
#include "config_support.h"
#include "kinform/memory.h"
#include "oom.h"

/* A kubeconfig with one of each, whose server tells which file it was. */
static const char *write_kubeconfig(const char *name, const char *server)
{
    char text[512];

    snprintf(text, sizeof(text),
             "current-context: dev\n"
             "contexts: [{name: dev, context: {cluster: one, user: me}}]\n"
             "clusters: [{name: one, cluster: {server: '%s'}}]\n"
             "users: [{name: me, user: {token: hush}}]\n",
             server);
    return kin_test_write(name, text);
}

static kin_config *loaded(const kin_config_options *options)
{
    return config_made(kin_config_load, options);
}

static void gives_server(const kin_config_options *options, const char *server)
{
    kin_config *config = loaded(options);

    assert_string_equal(kin_config_server(config), server);
    kin_config_unref(config);
}

static void gives_namespace(const kin_config_options *options, const char *expected)
{
    kin_config *config = loaded(options);

    assert_string_equal(kin_config_namespace(config), expected);
    kin_config_unref(config);
}

static void refused(const kin_config_options *options, int code, const char *message)
{
    config_refused(kin_config_load, options, code, message);
}

/* --- files --- */

static void the_named_file_is_the_only_one(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    (void)state;
    setenv("KUBECONFIG", write_kubeconfig("env", "https://env"), 1);
    options.kubeconfig = write_kubeconfig("named", "https://named");
    gives_server(&options, "https://named");
    options.kubeconfig = kin_test_path("none");
    refused(&options, KIN_ENOTFOUND, "/none: there is no such file");
    options.kubeconfig = "";
    gives_server(&options, "https://env");
    gives_server(NULL, "https://env");
}

static void the_list_comes_before_the_home(void **state)
{
    char list[4096];

    (void)state;
    write_kubeconfig("home/.kube/config", "https://home");
    setenv("HOME", kin_test_path("home"), 1);
    gives_server(NULL, "https://home");
    setenv("KUBECONFIG", "", 1);
    gives_server(NULL, "https://home");
    snprintf(list, sizeof(list), ":%s:%s:%s", kin_test_path("none"),
             write_kubeconfig("a", "https://a"), write_kubeconfig("b", "https://b"));
    setenv("KUBECONFIG", list, 1);
    gives_server(NULL, "https://a");
}

/* If a file of the list is malformed nobody knows what it would have said. */
static void all_files_of_the_list_must_be_readable(void **state)
{
    char list[4096];

    (void)state;
    snprintf(list, sizeof(list), "%s:%s", write_kubeconfig("a", "https://a"),
             kin_test_write("b", "\n\nclusters: hush"));
    setenv("KUBECONFIG", list, 1);
    refused(NULL, KIN_EPARSE, "/b:3: clusters: must be a list");
    snprintf(list, sizeof(list), "%s:%s", kin_test_path("a"), kin_test_path("."));
    setenv("KUBECONFIG", list, 1);
    refused(NULL, KIN_ESYSTEM, "/.: ");
}

static void files_of_the_list_are_merged(void **state)
{
    char list[4096];

    (void)state;
    snprintf(list, sizeof(list), "%s:%s",
             kin_test_write("d1/a", "clusters: [{name: one, cluster: {server: 'https://a'}}]\n"
                                    "users: [{name: me, user: {tokenFile: t}}]"),
             write_kubeconfig("d2/b", "https://b"));
    kin_test_write("d1/t", "hush");
    setenv("KUBECONFIG", list, 1);
    kin_config *config = loaded(NULL);
    assert_string_equal(kin_config_context(config), "dev");
    assert_string_equal(kin_config_cluster(config), "one");
    assert_string_equal(kin_config_user(config), "me");
    assert_string_equal(kin_config_server(config), "https://a");
    assert_null(config->token.data); /* of the other file's user */
    assert_string_equal(config->token_file, kin_test_path("d1/t"));
    kin_config_unref(config);
}

static void the_list_is_without_repetitions(void **state)
{
    char list[8192];
    char message[8192];
    const char *path = kin_test_path("none");

    (void)state;
    snprintf(list, sizeof(list), "%s:%sx:%s", path, path, path);
    snprintf(message, sizeof(message), "in %s (not there), %sx (not there), and", path, path);
    setenv("KUBECONFIG", list, 1);
    refused(NULL, KIN_ENOTFOUND, message);
}

static void the_list_and_files_have_limits(void **state)
{
    char list[1002 * 3 * 2];
    size_t len = 0;

    (void)state;
    for (unsigned i = 0; i < 1001; i++)
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%u:", i);
    setenv("KUBECONFIG", list, 1);
    refused(NULL, KIN_ELIMIT, "KUBECONFIG: more than 1000 files");
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    options.kubeconfig = kin_test_write("big", "");
    assert_int_equal(truncate(options.kubeconfig, 8388609), 0);
    refused(&options, KIN_ELIMIT, "/big: longer than 8388608 bytes");
}

/* The folder of the tests is in the working one. */
static void relative_names_work(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    char here[2048];

    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    kin_test_write("ca", "");
    options.kubeconfig = kin_test_write("config", "clusters: [{cluster: {server: 'https://a', "
                                                  "certificate-authority: ca}}]") +
                         strlen(here) + 1;
    kin_config *config = loaded(&options);
    assert_string_equal(config->ca_file, kin_test_path("ca"));
    kin_config_unref(config);
}

/* --- entries --- */

static void names_must_be_there(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    (void)state;
    options.kubeconfig = write_kubeconfig("config", "https://a");
    options.context = "prod";
    refused(&options, KIN_ENOTFOUND, "there is no context \"prod\" in /");
    options.context = NULL;
    options.cluster = "two";
    refused(&options, KIN_ENOTFOUND, "there is no cluster \"two\" in /");
    options.cluster = NULL;
    options.user = "you";
    refused(&options, KIN_ENOTFOUND, "there is no user \"you\" in /");
    options.user = NULL;

    options.kubeconfig = kin_test_write("c1", "current-context: dev");
    refused(&options, KIN_ENOTFOUND, "there is no context \"dev\" in /");
    options.server = "https://a";
    refused(&options, KIN_ENOTFOUND, "there is no context \"dev\" in /");
    options.server = NULL;
    options.kubeconfig =
        kin_test_write("c2", "current-context: dev\ncontexts:\n- name: x\n- name: dev\n"
                             "  context: {cluster: gone}");
    refused(&options, KIN_ENOTFOUND,
            "/c2:4: contexts[1].context.cluster: there is no cluster \"gone\"");
    options.kubeconfig = kin_test_write("c3", "current-context: dev\ncontexts:\n- name: dev\n"
                                              "  context: {user: gone}");
    refused(&options, KIN_ENOTFOUND, "/c3:3: contexts[0].context.user: there is no user \"gone\"");
}

static void other_entries_can_be_chosen(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    (void)state;
    options.kubeconfig =
        kin_test_write("config", "current-context: a\n"
                                 "contexts:\n"
                                 "- {name: a, context: {cluster: a, user: a, namespace: a}}\n"
                                 "- {name: b, context: {cluster: b, user: b, namespace: b}}\n"
                                 "clusters:\n"
                                 "- {name: a, cluster: {server: 'https://a'}}\n"
                                 "- {name: b, cluster: {server: 'https://b'}}\n"
                                 "users:\n"
                                 "- {name: a, user: {token: hush-a}}\n"
                                 "- {name: b, user: {token: hush-b}}\n");
    options.context = "b";
    kin_config *config = loaded(&options);
    assert_string_equal(config->server, "https://b");
    assert_string_equal(config->token.data, "hush-b");
    assert_string_equal(config->namespace_, "b");
    assert_string_equal(config->context, "b");
    kin_config_unref(config);
    options.cluster = "a";
    config = loaded(&options);
    assert_string_equal(config->server, "https://a");
    assert_string_equal(config->cluster, "a");
    assert_string_equal(config->token.data, "hush-b");
    kin_config_unref(config);
    options.user = "a";
    options.namespace_ = "c";
    config = loaded(&options);
    assert_string_equal(config->token.data, "hush-a");
    assert_string_equal(config->user, "a");
    assert_string_equal(config->namespace_, "c");
    kin_config_unref(config);
}

/* What other entries have wrong is their business. */
static void only_chosen_entries_must_make_sense(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    (void)state;
    options.kubeconfig =
        kin_test_write("config", "contexts:\n"
                                 "- {name: a, context: {cluster: a, user: a}}\n"
                                 "- {name: b, context: {cluster: b, user: b}}\n"
                                 "clusters:\n"
                                 "- {name: a, cluster: {server: 'https://a'}}\n"
                                 "- {name: b, cluster: {server: 'b://b'}}\n"
                                 "users:\n"
                                 "- {name: a}\n"
                                 "- {name: b, user: {token: hush, username: me}}\n");
    options.context = "a";
    gives_server(&options, "https://a");
    options.context = "b";
    refused(&options, KIN_EINVAL, "/config:6: clusters[1].cluster.server: not a valid URL: ");
    options.cluster = "a";
    refused(&options, KIN_EINVAL, "/config:9: users[1].user.username: set together with a token");
    options.cluster = NULL;
    options.context = NULL;
    refused(&options, KIN_ENOTFOUND, "no configuration: no cluster is chosen in /");
    refused(&options, KIN_ENOTFOUND,
            "/config (there is no current-context, but \"a\", \"b\"), and we");
    options.server = "https://c";
    gives_server(&options, "https://c");
}

static void many_contexts_are_counted(void **state)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    (void)state;
    options.kubeconfig =
        kin_test_write("config", "contexts: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e},"
                                 "{name: f}]\n");
    refused(&options, KIN_ENOTFOUND,
            "/config (there is no current-context, but 6 contexts), and we");
    options.context = "a"; /* which has no cluster */
    refused(&options, KIN_ENOTFOUND, "/config, and we are not in a pod");
}

/* --- in the cluster --- */

static kin_config_options in_a_pod(void)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    kin_test_write("pod/token", "hush");
    kin_test_write("pod/ca.crt", "");
    options.in_cluster_root = kin_test_path("pod");
    return options;
}

static void a_pod_has_a_service_account(void **state)
{
    kin_config_options options = in_a_pod();

    (void)state;
    kin_config *config = loaded(&options);
    assert_string_equal(config->server, "https://10.0.0.1:443");
    assert_string_equal(config->ca_file, kin_test_path("pod/ca.crt"));
    assert_string_equal(config->token_file, kin_test_path("pod/token"));
    assert_string_equal(config->namespace_, "default");
    assert_null(config->context);
    assert_null(config->cluster);
    assert_null(config->user);
    kin_config_unref(config);
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    gives_server(&options, "https://[fd00::1]:443");
    setenv("KUBERNETES_SERVICE_HOST", "no host", 1);
    refused(&options, KIN_EINVAL, "/pod: server: not a valid URL");
    setenv("KUBERNETES_SERVICE_HOST", "a", 1);
    assert_int_equal(unlink(kin_test_path("pod/ca.crt")), 0);
    config = loaded(&options);
    assert_null(config->ca_file);
    kin_config_unref(config);
}

static void without_anything_the_places_are_told(void **state)
{
    kin_config_options options = in_a_pod();

    (void)state;
    assert_int_equal(unlink(kin_test_path("pod/token")), 0);
    refused(&options, KIN_ENOTFOUND,
            "no configuration: no cluster is chosen in ~/.kube/config (HOME is not set), and we "
            "are not in a pod: there is no token of a service account");
    assert_int_equal(mkdir(kin_test_path("pod/token"), 0700), 0);
    refused(&options, KIN_ENOTFOUND, "there is no token of a service account");
    setenv("KUBERNETES_SERVICE_PORT", "", 1);
    refused(&options, KIN_ENOTFOUND, "KUBERNETES_SERVICE_PORT is not set");
    setenv("HOME", kin_test_path("home"), 1);
    unsetenv("KUBERNETES_SERVICE_HOST");
    refused(
        &options, KIN_ENOTFOUND,
        "/home/.kube/config (not there), and we are not in a pod: KUBERNETES_SERVICE_HOST is not set");
}

static void a_kubeconfig_comes_before_the_pod(void **state)
{
    kin_config_options options = in_a_pod();

    (void)state;
    setenv("KUBECONFIG", write_kubeconfig("config", "https://a"), 1);
    gives_server(&options, "https://a");
    setenv("KUBECONFIG", kin_test_write("empty", ""), 1);
    gives_server(&options, "https://10.0.0.1:443");
    options.server = "https://b";
    gives_server(&options, "https://b");
    options.server = NULL;
    /* A cluster without a server is an error, not a pod. */
    setenv("KUBECONFIG",
           kin_test_write("bad", "current-context: a\n"
                                 "contexts: [{name: a, context: {cluster: a}}]\n"
                                 "clusters: [{name: a}]"),
           1);
    refused(&options, KIN_EINVAL, "/bad:3: clusters[0].cluster.server: there is no server");
    options.proxy_url = "http://p";
    setenv("KUBECONFIG", kin_test_path("none"), 1);
    refused(&options, KIN_EINVAL, "option server: there is no server");
}

static void options_go_on_top_of_the_pod(void **state)
{
    kin_config_options options = in_a_pod();

    (void)state;
    options.token = "hush-option";
    options.impersonate_user = "you";
    kin_config *config = loaded(&options);
    assert_string_equal(config->server, "https://10.0.0.1:443");
    assert_string_equal(config->token.data, "hush-option");
    assert_null(config->token_file);
    assert_string_equal(config->impersonate_user, "you");
    kin_config_unref(config);
}

static void namespaces(void **state)
{
    kin_config_options options = in_a_pod();

    (void)state;
    kin_test_write("pod/namespace", " \n");
    gives_namespace(&options, "default");
    kin_test_write("pod/namespace", "file\n");
    gives_namespace(&options, "file");
    setenv("POD_NAMESPACE", "env", 1);
    gives_namespace(&options, "env");
    /* With a kubeconfig, too, unless its context names one. */
    setenv("KUBECONFIG", write_kubeconfig("config", "https://a"), 1);
    gives_namespace(&options, "env");
    setenv("KUBECONFIG",
           kin_test_write("named", "current-context: a\n"
                                   "contexts: [{name: a, context: {namespace: default}}]"),
           1);
    gives_namespace(&options, "default");
    options.namespace_ = "option";
    gives_namespace(&options, "option");
    /* Not in a pod, nothing of a pod counts. */
    options.namespace_ = NULL;
    unsetenv("KUBERNETES_SERVICE_HOST");
    setenv("KUBECONFIG", kin_test_path("config"), 1);
    gives_namespace(&options, "default");
}

/* --- memory --- */

static int load_twice(void *arg, kin_error *err)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    int code = kin_config_load(&config, NULL, err);

    kin_config_unref(config);
    config = NULL;
    if (code)
        return code;
    options.kubeconfig = arg;
    options.in_cluster_root = kin_test_path("pod");
    code = kin_config_load(&config, &options, err);
    kin_config_unref(config);
    return code;
}

static void prepare(char *empty, size_t size)
{
    char list[4096];

    in_a_pod();
    kin_test_write("pod/namespace", "file");
    snprintf(empty, size, "%s", kin_test_write("empty", "{}"));
    snprintf(list, sizeof(list), "%s:%s", kin_test_path("none"),
             write_kubeconfig("config", "https://a"));
    setenv("KUBECONFIG", list, 1);
}

static void loading_needs_memory(void **state)
{
    char empty[4096];

    (void)state;
    prepare(empty, sizeof(empty));
    kin_test_fail_each_allocation(load_twice, empty);
    setenv("HOME", kin_test_path("home"), 1);
    write_kubeconfig("home/.kube/config", "https://home");
    unsetenv("KUBECONFIG");
    kin_test_fail_each_allocation(load_twice, empty);
}

static void no_secret_stays_behind(void **state)
{
    char empty[4096];

    (void)state;
    prepare(empty, sizeof(empty));
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(load_twice, empty);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void wrong_arguments(void **state)
{
    kin_config_options options = {0};
    kin_config *config = NULL;

    (void)state;
    assert_code(kin_config_load(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_config_load(&config, &options, NULL), KIN_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        config_test(the_named_file_is_the_only_one),
        config_test(the_list_comes_before_the_home),
        config_test(all_files_of_the_list_must_be_readable),
        config_test(files_of_the_list_are_merged),
        config_test(the_list_is_without_repetitions),
        config_test(the_list_and_files_have_limits),
        config_test(relative_names_work),
        config_test(names_must_be_there),
        config_test(other_entries_can_be_chosen),
        config_test(only_chosen_entries_must_make_sense),
        config_test(many_contexts_are_counted),
        config_test(a_pod_has_a_service_account),
        config_test(without_anything_the_places_are_told),
        config_test(a_kubeconfig_comes_before_the_pod),
        config_test(options_go_on_top_of_the_pod),
        config_test(namespaces),
        config_test(loading_needs_memory),
        config_test(no_secret_stays_behind),
        config_test(wrong_arguments),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
