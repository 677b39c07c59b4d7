/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of servers and proxies: what is accepted, in which form, and what is refused.
 */
#include "kin_test.h"

#include <string.h>

#include "client/server_url.h"
#include "kinform/memory.h"

static void servers_are_brought_into_one_form(void **state)
{
    static const char *const cases[][2] = {
        {"https://a.example:6443", "https://a.example:6443"},
        {"https://a.example:6443/", "https://a.example:6443"},
        {"https://a.example/k8s/clusters/c-1//", "https://a.example/k8s/clusters/c-1"},
        {"HTTPS://A.example/x%2Fy", "https://A.example/x%2Fy"},
        {"http://127.0.0.1", "http://127.0.0.1"},
        {"https://[fd00::1]:6443/a", "https://[fd00::1]:6443/a"},
        {"https://[::]", "https://[::]"},
        {"https://[fe80::1%25eth0]", "https://[fe80::1%25eth0]"},
        {"localhost:8080", "http://localhost:8080"},
        {"10.0.0.1:6443/", "http://10.0.0.1:6443"},
        {"a_b.example", "http://a_b.example"},
        {"unix:///run/a b.sock", "unix:///run/a b.sock"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *url = NULL;
        const char *why = NULL;

        assert_code(kin__server_url(&url, kin_str_of(cases[i][0]), &why), 0);
        assert_string_equal(url, cases[i][1]);
        kin_free(url);
    }
}

static void other_servers_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"", "host name"},
        {"https://", "host name"},
        {"https:///path", "host name"},
        {"https://:6443", "host name"},
        {"https://a b", "host name"},
        {"https://a\nb", "host name"},
        {"https://[::1", "host name"},
        {"https://[]", "host name"},
        {"https://[::1]x", "host name"},
        {"https://a:0", "port"},
        {"https://a:65536", "port"},
        {"https://a:", "port"},
        {"https://a:-1", "port"},
        {"https://[::1]:x", "port"},
        {"https://me:hush@a", "user name"},
        {"https://a/p?q=1", "query"},
        {"https://a#f", "query"},
        {"https://a/p q", "escaped"},
        {"https://a/%2", "%"},
        {"https://a/%zz", "%"},
        {"ftp://a", "scheme"},
        {"://a", "scheme"},
        {"a.example/prefix", "no scheme"},
        {"unix://relative", "socket"},
        {"unix:///", "socket"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *url = NULL;
        const char *why = NULL;

        assert_code(kin__server_url(&url, kin_str_of(cases[i][0]), &why), KIN_EINVAL);
        assert_null(url);
        assert_non_null(why);
        if (!strstr(why, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], why);
        assert_null(strstr(why, "hush"));
    }
}

static void proxies(void **state)
{
    static const char *const good[] = {"http://proxy:3128", "https://me:hush@proxy/",
                                       "SOCKS5://[::1]:1080", "socks5://a@b@proxy:1"};
    static const char *const bad[] = {
        "",           "proxy:3128",         "socks4://proxy", "http://",
        "http://me@", "http://proxy:99999", "http://pro xy",  "http://pr\xc3\xb6xy"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_null(kin__proxy_url_defect(kin_str_of(good[i])));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_non_null(kin__proxy_url_defect(kin_str_of(bad[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_are_brought_into_one_form),
        cmocka_unit_test(other_servers_are_refused),
        cmocka_unit_test(proxies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
