/* SPDX-License-Identifier: Apache-2.0 */
/* Our own client finds its way in by the kubeconfig, and meets what the server was told to do. */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinform/apiserver.h"
#include "kinform/client.h"
#include "kinform/memory.h"

static const kin_apiserver_token tokens[] = {{"s3cret", "root", false}};

static kin_apiserver *start(bool tls, bool with_tokens)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver *server = NULL;
    kin_error err = KIN_ERROR_INIT;

    options.tls = tls;
    options.tokens = tokens;
    options.n_tokens = with_tokens ? 1 : 0;
    if (kin_apiserver_new(&server, &options, &err) < 0 || kin_apiserver_start(server, &err) < 0)
        fail_msg("%s", err.message);
    return server;
}

static kin_client *client_of(const kin_apiserver *server)
{
    char path[] = "/tmp/kin-apiserver-client-XXXXXX";
    kin_config_options config_options = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;
    kin_error err = KIN_ERROR_INIT;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    assert_code(kin_apiserver_write_kubeconfig(server, path, NULL), 0);
    config_options.kubeconfig = path;
    if (kin_config_load(&config, &config_options, &err) < 0)
        fail_msg("%s", err.message);
    options.config = config;
    options.qps = -1;
    assert_code(kin_client_new(&client, &options, NULL), 0);
    kin_config_unref(config);
    unlink(path);
    return client;
}

static void expect_version(kin_client *client)
{
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    if (kin_client_get_text(client, &text, NULL, "/version", &err) < 0)
        fail_msg("%s", err.message);
    assert_non_null(strstr(text, "\"major\""));
    kin_free(text);
}

static void test_all_ways_in(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        kin_apiserver *server = start(i & 1, i & 2);
        kin_client *client = client_of(server);
        kin_request_filter filter = KIN_REQUEST_FILTER_INIT;

        expect_version(client);
        filter.path = "/version";
        filter.status = 200;
        assert_code(kin_apiserver_wait_for_request(server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL),
                    0);
        kin_client_free(client);
        kin_apiserver_free(server);
    }
}

static void test_faults(void **state)
{
    kin_apiserver *server = start(true, true);
    kin_client *client = client_of(server);
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    (void)state;
    fault.path = "/version";
    fault.status = 403;
    assert_code(kin_apiserver_inject(server, &fault, NULL, NULL), 0);
    assert_code(kin_client_get_text(client, &text, NULL, "/version", &err), KIN_EDENIED);
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.reason, "Forbidden");
    expect_version(client);
    /* What a client is to try again: it does. */
    fault.status = 429;
    fault.retry_after_s = 1;
    assert_code(kin_apiserver_inject(server, &fault, NULL, NULL), 0);
    expect_version(client);
    kin_client_free(client);
    kin_apiserver_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_ways_in),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
