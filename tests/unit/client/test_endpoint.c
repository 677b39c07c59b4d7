/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers' URLs, taken apart.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "client/config.h"
#include "client/endpoint.h"
#include "oom.h"

static int init(kin__endpoint *endpoint, const char *server, const char *tls_name,
                const char *proxy, kin_error *err)
{
    kin_config config = {.server = kin__unconst(server),
                         .tls_server_name = kin__unconst(tls_name),
                         .proxy_url = kin__unconst(proxy)};

    return kin__endpoint_init(endpoint, &config, err);
}

static void assert_text(const char *text, const char *expected)
{
    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(text);
}

static void takes_servers_apart(void **state)
{
    static const struct {
        const char *server, *tls_name, *proxy_url;
        const char *name, *base, *host, *connect_to, *socket, *proxy;
        bool is_tls;
    } cases[] = {
        {"https://a.example", NULL, NULL, "https://a.example:443", "https://a.example:443", NULL,
         NULL, NULL, NULL, true},
        {"https://a.example:6443/k8s/x/", NULL, "http://p:1", "https://a.example:6443",
         "https://a.example:6443/k8s/x", NULL, NULL, NULL, "http://p:1", true},
        {"http://127.0.0.1:8001/", NULL, NULL, "http://127.0.0.1:8001", "http://127.0.0.1:8001",
         NULL, NULL, NULL, "", false},
        {"http://127.0.0.1:8001", NULL, "http://p:1", "http://127.0.0.1:8001",
         "http://127.0.0.1:8001", NULL, NULL, NULL, "http://p:1", false},
        {"https://localhost:1", NULL, NULL, "https://localhost:1", "https://localhost:1", NULL,
         NULL, NULL, "", true},
        {"https://[::1]:6443", NULL, NULL, "https://[::1]:6443", "https://[::1]:6443", NULL, NULL,
         NULL, "", true},
        {"https://10.0.0.1:6443/p", "kube.example", NULL, "https://10.0.0.1:6443",
         "https://kube.example:6443/p", "Host: 10.0.0.1:6443", "::10.0.0.1:6443", NULL, NULL, true},
        {"https://[2001:db8::1]:6443", "kube.example", NULL, "https://[2001:db8::1]:6443",
         "https://kube.example:6443", "Host: [2001:db8::1]:6443", "::[2001:db8::1]:6443", NULL,
         NULL, true},
        {"https://a.example:6443/p", "2001:db8::1", NULL, "https://a.example:6443",
         "https://[2001:db8::1]:6443/p", "Host: a.example:6443", "::a.example:6443", NULL, NULL,
         true},
        {"http://10.0.0.1:1", "kube.example", NULL, "http://10.0.0.1:1", "http://10.0.0.1:1", NULL,
         NULL, NULL, NULL, false},
        {"unix:///run/x.sock", NULL, NULL, "unix:///run/x.sock", "http://localhost", NULL, NULL,
         "/run/x.sock", "", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__endpoint endpoint;

        assert_code(init(&endpoint, cases[i].server, cases[i].tls_name, cases[i].proxy_url, NULL),
                    0);
        assert_text(endpoint.name, cases[i].name);
        assert_text(endpoint.base, cases[i].base);
        assert_text(endpoint.host, cases[i].host);
        assert_text(endpoint.connect_to, cases[i].connect_to);
        assert_text(endpoint.socket, cases[i].socket);
        assert_text(endpoint.proxy, cases[i].proxy);
        assert_int_equal(endpoint.is_tls, cases[i].is_tls);
        kin__endpoint_done(&endpoint);
    }
}

static void refuses_what_is_no_server(void **state)
{
    static const char *const bad[] = {
        NULL,
        "",
        "ftp://a.example",
        "file:///etc/passwd",
        "https://",
        "https://a b",
        "https://u:hush@a.example",
        "https://a.example/?hush",
        "https://a#h",
        "unix://x",
        "https://a.example:99999",
        "unix:/x",
    };
    char longest[4096];

    (void)state;
    for (size_t i = 0; i < kin__array_len(bad); i++) {
        kin__endpoint endpoint;
        kin_error err = KIN_ERROR_INIT;

        assert_code(init(&endpoint, bad[i], NULL, NULL, &err), KIN_EINVAL);
        assert_null(strstr(err.message, "hush"));
        assert_non_null(strstr(err.message, "the server is not a usable URL"));
    }
    memset(longest, 'a', sizeof(longest));
    memcpy(longest, "http://", 7);
    longest[sizeof(longest) - 1] = '\0';
    kin__endpoint endpoint;
    assert_code(init(&endpoint, longest, NULL, NULL, NULL), KIN_EINVAL);
}

static int make(void *arg, kin_error *err)
{
    kin__endpoint endpoint;
    int code = init(&endpoint, arg, "kube.example", "http://u:hush@p:1", err);

    if (code == 0)
        kin__endpoint_done(&endpoint);
    return code;
}

static void refuses_what_is_no_name_to_verify(void **state)
{
    static const char *const names[] = {"a/b",    "a:b",   "me@b", "a?b",   "a#b", "a b",
                                        "a\r\nb", "[::1]", "*.a",  "a%2fb", "a\\b"};
    kin__endpoint endpoint;

    (void)state;
    for (size_t i = 0; i < kin__array_len(names); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(init(&endpoint, "https://a.example", names[i], NULL, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "tls-server-name"));
    }
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(make, kin__unconst("https://10.0.0.1:6443/p"));
    kin_test_fail_each_allocation(make, kin__unconst("unix:///run/x.sock"));
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_servers_apart),
        cmocka_unit_test(refuses_what_is_no_server),
        cmocka_unit_test(refuses_what_is_no_name_to_verify),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
