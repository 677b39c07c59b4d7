/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages and names may reach the server. */
#include "kin_test.h"

#include <string.h>

#include "apiserver/http/origin.h"

static bool check(const char *address, const char *names, bool is_tls, const char *host,
                  const char *origin, const char *site)
{
    kin__address own;
    kin__failure failure = {.status = 0};

    assert_code(kin__address_parse(&own, address, 8001, NULL), 0);
    bool ok = kin__origin_check(
        &(kin__origin){&own, kin_str_of(names), is_tls},
        &(kin__origin_headers){kin_str_of(host), kin_str_of(origin), kin_str_of(site)}, &failure);
    assert_int_equal(failure.status, ok ? 0 : 403);
    return ok;
}

static bool check_host(const char *address, const char *names, const char *host)
{
    return check(address, names, false, host, NULL, NULL);
}

static void names_of_a_loopback_server(void **state)
{
    static const char *const own[] = {
        "localhost",  "localhost:8001",        "LOCALHOST:8001", "localhost.:1",
        "127.0.0.1",  "127.0.0.1:8001",        "127.255.0.9:80", "[::1]",
        "[::1]:8001", "kubernetes.default.svc"};
    static const char *const others[] = {"",
                                         "evil.example",
                                         "evil.example:8001",
                                         "localhost.evil.example",
                                         "xlocalhost",
                                         "10.0.0.1",
                                         "0.0.0.0",
                                         "[2001:db8::1]",
                                         "127.1",
                                         "2130706433",
                                         "::1",
                                         "[::1",
                                         "localhost:8001x",
                                         "localhost:80:80",
                                         "127.0.0.1.",
                                         ":8001",
                                         "[]",
                                         "localhost localhost"};

    (void)state;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (!check_host("127.0.0.1", NULL, own[i]))
            fail_msg("%s is refused", own[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (check_host("127.0.0.1", NULL, others[i]))
            fail_msg("%s is served", others[i]);
}

static void names_of_other_servers(void **state)
{
    (void)state;
    assert_true(check_host("10.0.0.1", NULL, "10.0.0.1:8001"));
    assert_true(check_host("10.0.0.1", NULL, "127.0.0.1"));
    assert_false(check_host("10.0.0.1", NULL, "10.0.0.2:8001"));
    assert_true(check_host("2001:db8::1", NULL, "[2001:DB8:0::1]:8001"));
    assert_true(check_host("0.0.0.0", NULL, "192.0.2.7:8001"));
    assert_true(check_host("::", NULL, "[2001:db8::7]"));
    assert_false(check_host("0.0.0.0", NULL, "evil.example"));
    assert_true(check_host("0.0.0.0", "a.example, B.example,", "a.example:8001"));
    assert_true(check_host("0.0.0.0", "a.example, B.example,", "b.EXAMPLE."));
    assert_false(check_host("0.0.0.0", "a.example, B.example,", "c.example"));
    assert_false(check_host("0.0.0.0", "a.example, B.example,", ""));
}

static void origins(void **state)
{
    static const char address[] = "127.0.0.1";

    (void)state;
    assert_true(check(address, NULL, false, "localhost:1", "http://localhost:1", NULL));
    assert_true(check(address, NULL, true, "localhost:1", "https://LOCALHOST:1", "same-origin"));
    assert_true(check(address, NULL, false, NULL, NULL, NULL)); /* HTTP/1.0 */
    assert_true(check(address, NULL, false, "localhost", NULL, "none"));
    assert_false(check(address, NULL, true, "localhost:1", "http://localhost:1", NULL));
    assert_false(check(address, NULL, false, "localhost:1", "http://localhost:2", NULL));
    assert_false(check(address, NULL, false, "localhost:1", "http://localhost:1/", NULL));
    assert_false(check(address, NULL, false, "localhost:1", "http://evil.example", NULL));
    assert_false(check(address, NULL, false, "localhost:1", "null", NULL));
    assert_false(check(address, NULL, false, "localhost:1", "", NULL));
    assert_false(check(address, NULL, false, NULL, "http://localhost", NULL));
    assert_false(check(address, NULL, false, "localhost", NULL, "cross-site"));
    assert_false(check(address, NULL, false, "localhost", NULL, "same-site"));
    assert_false(check(address, NULL, false, "localhost", NULL, ""));
}

static void host_names_that_cannot_work(void **state)
{
    static const char *const good[] = {
        "a", "a.example", "a.example, b.example", "A-1.b_c.d2", "xn--bcher-kva.example", "1a.2b"};
    static const char *const bad[] = {
        "",           " ",
        ",",          "a,",
        "a,,b",       "*",
        "*.example",  "10.0.0.1",
        "127.1",      "2130706433",
        "::1",        "[::1]",
        "a:80",       "http://a",
        "a b",        "a/b",
        "-a",         "a-",
        "a..b",       ".a",
        "a.",         "b\303\274cher",
        "a,10.0.0.1", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

    (void)state;
    assert_code(kin__origin_check_names(kin_str_of(NULL), NULL), 0);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (kin__origin_check_names(kin_str_of(good[i]), NULL) != 0)
            fail_msg("\"%s\" is refused", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kin_error err = KIN_ERROR_INIT;

        if (kin__origin_check_names(kin_str_of(bad[i]), &err) != KIN_EINVAL)
            fail_msg("\"%s\" is accepted", bad[i]);
        assert_string_not_equal(err.message, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_loopback_server),
        cmocka_unit_test(names_of_other_servers),
        cmocka_unit_test(origins),
        cmocka_unit_test(host_names_that_cannot_work),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
