/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configurations of options alone: what is taken, what makes no sense together, and what is said of
 * it to people.
 */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "client/config.h"
#include "config_support.h"
#include "kinform/memory.h"
#include "oom.h"

static kin_config *made(const kin_config_options *options)
{
    return config_made(kin_config_new, options);
}

static void refused(const kin_config_options *options, int code, const char *message)
{
    config_refused(kin_config_new, options, code, message);
}

static kin_config_options options_for(const char *server)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    options.server = server;
    return options;
}

static void needs_no_more_than_a_server(void **state)
{
    kin_config_options options = options_for("https://a.example:6443/");

    (void)state;
    /* None of this counts. */
    setenv("KUBECONFIG", kin_test_write("config", "current-context: x"), 1);
    setenv("POD_NAMESPACE", "pod", 1);
    kin_config *config = made(&options);
    assert_string_equal(kin_config_server(config), "https://a.example:6443");
    assert_string_equal(kin_config_namespace(config), "default");
    assert_null(kin_config_context(config));
    assert_null(kin_config_cluster(config));
    assert_null(kin_config_user(config));
    assert_ptr_equal(kin_config_ref(config), config);
    kin_config_unref(config);
    kin_config_unref(config);
    kin_config_unref(NULL);
}

static void fill(kin_config_options *options)
{
    static const char *const groups[] = {"g1", "g2"};
    static const char *const values[] = {"v1", "v2"};
    static kin_impersonate_extra extra[2];

    extra[0] = (kin_impersonate_extra){"k", values, 1};
    extra[1] = (kin_impersonate_extra){"k", values, 2};
    options->namespace_ = "team";
    options->tls_server_name = "sni";
    options->proxy_url = "http://me:hush-proxy@proxy:3128/";
    options->ca_data = "hush-ca";
    options->no_compression = true;
    options->plain_credentials = true;
    options->token = "hush-token";
    options->token_file = kin_test_path("later");
    options->certificate_data = "hush-certificate";
    options->key_data = "hush-key";
    options->impersonate_user = "you";
    options->impersonate_uid = "7";
    options->impersonate_groups = groups;
    options->n_impersonate_groups = 2;
    options->impersonate_extra = extra;
    options->n_impersonate_extra = 2;
}

static void all_options_are_copied(void **state)
{
    kin_config_options options = options_for("https://a");

    (void)state;
    fill(&options);
    kin_config *config = made(&options);
    assert_string_equal(config->namespace_, "team");
    assert_string_equal(config->tls_server_name, "sni");
    assert_string_equal(config->proxy_url, "http://me:hush-proxy@proxy:3128/");
    assert_string_equal(config->ca_data.data, "hush-ca");
    assert_true(config->no_compression);
    assert_true(config->plain_credentials);
    assert_false(config->insecure);
    assert_string_equal(config->token.data, "hush-token");
    assert_string_equal(config->token_file, kin_test_path("later"));
    assert_string_equal(config->certificate_data.data, "hush-certificate");
    assert_string_equal(config->key_data.data, "hush-key");
    assert_string_equal(config->impersonate_user, "you");
    assert_string_equal(config->impersonate_uid, "7");
    assert_int_equal(config->n_impersonate_groups, 2);
    assert_string_equal(config->impersonate_groups[1], "g2");
    assert_int_equal(config->n_impersonate_extra, 1);
    assert_int_equal(config->impersonate_extra[0].n_values, 2);
    assert_string_equal(config->impersonate_extra[0].values[1], "v2");
    kin_config_unref(config);

    options = options_for("https://a");
    options.username = "me";
    options.password = "hush";
    options.insecure = true;
    options.certificate_file = kin_test_write("crt", "");
    options.key_file = kin_test_write("key", "");
    config = made(&options);
    assert_string_equal(config->username, "me");
    assert_string_equal(config->password.data, "hush");
    assert_true(config->insecure);
    assert_string_equal(config->certificate_file, options.certificate_file);
    assert_string_equal(config->key_file, options.key_file);
    kin_config_unref(config);
}

static void a_key_alone_is_not_used(void **state)
{
    kin_config_options options = options_for("https://a");

    (void)state;
    options.key_file = "/nowhere";
    kin_config *config = made(&options);
    assert_null(config->key_file);
    kin_config_unref(config);
}

static void options_must_make_sense(void **state)
{
    kin_config_options o = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;

    (void)state;
    assert_code(kin_config_new(NULL, &o, NULL), KIN_EINVAL);
    assert_code(kin_config_new(&config, NULL, NULL), KIN_EINVAL);
    refused(&o, KIN_EINVAL, "option server: there is no server");
    o.size = 0;
    refused(&o, KIN_EINVAL, "KIN_CONFIG_OPTIONS_INIT");
    o = options_for("ftp://me:hush@a");
    refused(&o, KIN_EINVAL, "option server: not a valid URL: its scheme");
    o = options_for("https://a");
    o.context = "dev";
    refused(&o, KIN_EINVAL, "kin_config_load()");
    o = options_for("https://a");
    o.proxy_url = "ftp://me:hush@proxy";
    refused(&o, KIN_EINVAL, "option proxy_url: not a valid URL: its scheme");
    o = options_for("https://a");
    o.ca_file = kin_test_write("ca", "");
    o.ca_data = "hush";
    refused(&o, KIN_EINVAL, "option ca_file: set together with its data");
    o.ca_data = NULL;
    o.insecure = true;
    refused(&o, KIN_EINVAL, "option insecure: set together with a certificate authority");
    o = options_for("https://a");
    o.certificate_data = "hush";
    refused(&o, KIN_EINVAL, "option certificate_data: set without a key");
    o.key_data = "hush";
    o.key_file = "/nowhere";
    refused(&o, KIN_EINVAL, "option key_file: set together with its data");
    o.key_file = NULL;
    o.certificate_file = "/nowhere";
    refused(&o, KIN_EINVAL, "option certificate_file: set together with its data");
    o = options_for("https://a");
    o.token = "hush";
    o.password = "hush";
    refused(&o, KIN_EINVAL, "option password: set together with a token");
    o = options_for("https://a");
    o.impersonate_uid = "7";
    refused(&o, KIN_EINVAL, "option impersonate_uid: set without a user to impersonate");
}

static void lists_must_be_there(void **state)
{
    kin_config_options o = options_for("https://a");
    const char *const none[] = {NULL};
    kin_impersonate_extra extra = {"k", NULL, 1};

    (void)state;
    o.n_impersonate_groups = 1;
    refused(&o, KIN_EINVAL, "impersonate_groups is NULL");
    o.impersonate_groups = none;
    refused(&o, KIN_EINVAL, "one of impersonate_groups is NULL");
    o.n_impersonate_groups = 0;
    o.n_impersonate_extra = 1;
    refused(&o, KIN_EINVAL, "impersonate_extra is NULL");
    o.impersonate_extra = &extra;
    refused(&o, KIN_EINVAL, "one of impersonate_extra's values is NULL");
    extra.values = none;
    refused(&o, KIN_EINVAL, "one of impersonate_extra's values is NULL");
    extra.n_values = 0;
    refused(&o, KIN_EINVAL, "set without a user to impersonate");
    extra.name = "";
    refused(&o, KIN_EINVAL, "a name is empty");
}

static void files_must_be_there(void **state)
{
    kin_config_options o = options_for("https://a");
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    (void)state;
    o.ca_file = "/nowhere/ca";
    refused(&o, KIN_ESYSTEM, "option ca_file: /nowhere/ca: ");
    assert_code(kin_config_new(&config, &o, &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, ENOENT);
    o = options_for("https://a");
    o.token_file = "/nowhere/token";
    refused(&o, KIN_ESYSTEM, "option token_file: /nowhere/token: ");
    o = options_for("https://a");
    o.certificate_file = kin_test_write("crt", "");
    o.key_file = "/nowhere/key";
    refused(&o, KIN_ESYSTEM, "option key_file: /nowhere/key: ");
    o.certificate_file = "/nowhere/crt";
    refused(&o, KIN_ESYSTEM, "option certificate_file: /nowhere/crt: ");
}

static void older_options_are_shorter(void **state)
{
    kin_config_options o = options_for("https://a");

    (void)state;
    o.token = "hush";
    o.size = offsetof(kin_config_options, token);
    kin_config *config = made(&o);
    assert_null(config->token.data);
    kin_config_unref(config);
}

static void describes(const kin_config *config, const char *expected)
{
    char *text = NULL;

    assert_code(kin_config_describe(config, &text, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
}

static void are_described_without_secrets(void **state)
{
    kin_config_options options = options_for("https://a");
    char expected[4096];
    char *text = NULL;

    (void)state;
    fill(&options);
    options.impersonate_user = "a\x1b[1mb\nc\xc2\xad";
    kin_config *config = made(&options);
    snprintf(expected, sizeof(expected),
             "server: https://a\n"
             "namespace: team\n"
             "TLS server name: sni\n"
             "certificate authority data: (set)\n"
             "proxy: http://(set)@proxy:3128/\n"
             "compression: no\n"
             "credentials without TLS: yes\n"
             "client certificate data: (set)\n"
             "client key data: (set)\n"
             "token: (set)\n"
             "token file: %s\n"
             "impersonated user: aU+001B[1mb cU+00AD\n"
             "impersonated UID: 7\n"
             "impersonated group: g1\n"
             "impersonated group: g2\n"
             "impersonated extra: k\n",
             kin_test_path("later"));
    describes(config, expected);
    kin_config_unref(config);

    options = options_for("unix:///run/a.sock");
    options.insecure = true;
    options.proxy_url = "http://proxy/?a@b";
    options.username = "me";
    options.password = "hush";
    config = made(&options);
    describes(config, "server: unix:///run/a.sock\n"
                      "namespace: default\n"
                      "server certificate verified: no\n"
                      "proxy: http://proxy/?a@b\n"
                      "user name: me\n"
                      "password: (set)\n");
    assert_code(kin_config_describe(NULL, &text, NULL), KIN_EINVAL);
    assert_code(kin_config_describe(config, NULL, NULL), KIN_EINVAL);
    kin_config_unref(config);
}

static int make_and_describe(void *arg, kin_error *err)
{
    kin_config_options options = options_for("https://a");
    kin_config *config = NULL;
    char *text = NULL;

    (void)arg;
    fill(&options);
    int code = kin_config_new(&config, &options, err);
    if (!code)
        code = kin_config_describe(config, &text, err);
    kin_free(text);
    kin_config_unref(config);
    return code;
}

static void need_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make_and_describe, NULL);
}

static void leave_no_secret_behind(void **state)
{
    (void)state;
    kin_test_alloc_look_for("hush");
    assert_code(make_and_describe(NULL, NULL), 0);
    kin_test_fail_each_allocation(make_and_describe, NULL);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        config_test(needs_no_more_than_a_server),
        config_test(all_options_are_copied),
        config_test(a_key_alone_is_not_used),
        config_test(options_must_make_sense),
        config_test(lists_must_be_there),
        config_test(files_must_be_there),
        config_test(older_options_are_shorter),
        config_test(are_described_without_secrets),
        config_test(need_memory),
        config_test(leave_no_secret_behind),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
