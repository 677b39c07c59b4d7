/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is refused before anything is read, run or sent.
 */
#include "kin_test.h"

#include <string.h>

#include "client/credentials_check.h"
#include "credentials_support.h"

static void assert_refused(const kin_config *config, const char *message)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin__credentials_check(config, &err), KIN_EINVAL);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" instead of \"%s\"", err.message, message);
    assert_null(strstr(err.message, "hush"));
}

static void assert_taken(const kin_config *config)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin__credentials_check(config, &err) < 0)
        fail_msg("%s: %s", config->server, err.message);
}

static void sends_credentials_over_secure_connections_only(void **state)
{
    static const char *const secure[] = {
        "https://host",     "https://host:6443/prefix", "unix:///run/x",
        "http://127.0.0.1", "http://127.0.0.1:8001",    "http://127.255.255.254/prefix",
        "http://localhost", "http://LocalHost:80/x",    "http://[::1]:80",
        "http://[::1]",     "http://u@localhost:80",    "http://u@v@localhost:80",
    };
    static const char *const open[] = {
        "http://host",
        "http://10.0.0.1",
        "http://127.evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://u@localhost@evil.example",
        "http://localhost:80@evil.example",
        "http://evil.example/@localhost",
        "http://evil.example?@localhost",
        "http://evil.example#@localhost",
        "http://[::2]",
        "http://[::1.evil",
        "http://[",
        "http://",
        "http://128.0.0.1",
        "http://0.0.0.0",
        "http://xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(secure) / sizeof(secure[0]); i++) {
        kin_config config = config_for(secure[i]);

        set_secret(&config.token, "hush");
        assert_taken(&config);
        config_done(&config);
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        kin_config config = config_for(open[i]);

        assert_taken(&config); /* nothing to send */
        set_secret(&config.token, "hush");
        assert_refused(&config, "sent in the clear");
        config.plain_credentials = true;
        assert_taken(&config);
        config_done(&config);
    }
}

static void all_kinds_of_credentials_count(void **state)
{
    kin_config config = config_for("http://host");
    shell_plugin plugin;

    (void)state;
    config.cluster = text("mine");
    config.username = text("me");
    assert_refused(&config, "of cluster mine");
    config.username = NULL;
    config.token_file = text("/x");
    assert_refused(&config, "plain_credentials");
    config.token_file = NULL;
    shell_plugin_init(&plugin, "");
    config.exec = &plugin.exec;
    assert_refused(&config, "sent in the clear");
    config.exec = NULL;
    /* A certificate is not sent where there is no TLS. */
    config.certificate_file = text("/x");
    config.key_file = text("/y");
    assert_taken(&config);
    /* A proxy sees what goes to the loopback. */
    config.server = text("http://localhost");
    config.token_file = text("/x");
    assert_taken(&config);
    config.proxy_url = text("http://proxy");
    assert_refused(&config, "sent in the clear");
}

static void refuses_servers_that_are_none(void **state)
{
    kin_config config = config_for("ftp://host");

    (void)state;
    assert_refused(&config, "https://");
    config.server = text("host:6443");
    assert_refused(&config, "https://");
    config.server = NULL;
    assert_refused(&config, "no server");
}

static void refuses_what_does_not_go_together(void **state)
{
    kin_config config = config_for("https://host");

    (void)state;
    config.key_file = text("/x");
    assert_refused(&config, "the certificate is missing");
    config.key_file = NULL;
    config.certificate_file = text("/x");
    assert_refused(&config, "the key is missing");
    set_secret(&config.key_data, "hush");
    assert_refused(&config, "client key: the configuration holds no private key");
    set_secret(&config.key_data, KEY("hush"));
    assert_taken(&config);
    set_secret(&config.certificate_data, "hush");
    assert_refused(&config, "client certificate: ");
    set_secret(&config.certificate_data, CERTIFICATE("AAAA"));
    set_secret(&config.ca_data, "hush");
    assert_refused(&config, "certificate authority: ");
    set_secret(&config.ca_data, CERTIFICATE("AAAA"));
    assert_taken(&config);
    config.insecure = true;
    assert_refused(&config, "not to be verified");
    config.insecure = false;
    config.username = text("me");
    assert_taken(&config);
    set_secret(&config.token, "hush");
    assert_refused(&config, "a token and a user name");
    config.username = NULL;
    set_secret(&config.token, "hush\nX-Evil: 1");
    assert_refused(&config, "control characters");
    set_secret(&config.token, "hush ");
    assert_refused(&config, "spaces");
    kin__secret_done(&config.token);
    config.username = text("a:b");
    assert_refused(&config, "colon");
    config_done(&config);
}

static void refuses_plugins_that_cannot_be_run(void **state)
{
    kin_config config = config_for("https://host");
    kin__exec_env env = {text("A=B"), KIN__SECRET_INIT};
    shell_plugin plugin;

    (void)state;
    shell_plugin_init(&plugin, "");
    config.exec = &plugin.exec;
    assert_taken(&config);
    plugin.exec.api_version = text("client.authentication.k8s.io/v1beta1");
    assert_taken(&config);
    plugin.exec.api_version = text("client.authentication.k8s.io/v1alpha1");
    assert_refused(&config, "apiVersion");
    plugin.exec.api_version = NULL;
    assert_refused(&config, "apiVersion");
    plugin.exec.api_version = text(V1);
    plugin.exec.env = &env;
    plugin.exec.n_env = 1;
    assert_refused(&config, "variable 0");
    env.name = text("");
    assert_refused(&config, "variable 0");
    env.name = text("A");
    assert_taken(&config);
    plugin.exec.command = text("");
    assert_refused(&config, "no command");
    /* Nobody would run it. */
    set_secret(&config.token, "hush");
    assert_taken(&config);
    config_done(&config);
}

static void a_plugin_is_for_those_who_have_nothing_else(void **state)
{
    kin_config config = config_for("https://host");
    shell_plugin plugin;

    (void)state;
    assert_false(kin__uses_plugin(&config));
    shell_plugin_init(&plugin, "");
    config.exec = &plugin.exec;
    assert_true(kin__uses_plugin(&config));
    set_secret(&config.token, "hush");
    assert_false(kin__uses_plugin(&config));
    kin__secret_done(&config.token);
    config.token_file = text("/x");
    assert_false(kin__uses_plugin(&config));
    config.token_file = NULL;
    config.username = text("me");
    assert_false(kin__uses_plugin(&config));
    config.username = NULL;
    config.certificate_file = text("/x");
    assert_false(kin__uses_plugin(&config));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_credentials_over_secure_connections_only),
        cmocka_unit_test(all_kinds_of_credentials_count),
        cmocka_unit_test(refuses_servers_that_are_none),
        cmocka_unit_test(refuses_what_does_not_go_together),
        cmocka_unit_test(refuses_plugins_that_cannot_be_run),
        cmocka_unit_test(a_plugin_is_for_those_who_have_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
