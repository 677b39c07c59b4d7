/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <string.h>

#include "apiserver/protocol/target.h"

static void expect(const char *method, const char *path, const char *query, const char *expected)
{
    kin__target target;
    char text[256];

    kin__target_read(&target, kin_str_of(method), kin_str_of(path), kin_str_of(query));
    snprintf(
        text, sizeof(text),
        "%s|%d|%" KIN_STR_FMT "|%" KIN_STR_FMT "|%" KIN_STR_FMT "|%" KIN_STR_FMT "|%" KIN_STR_FMT,
        target.verb, target.is_resource, KIN_STR_ARG(target.group), KIN_STR_ARG(target.namespace_),
        KIN_STR_ARG(target.resource), KIN_STR_ARG(target.name), KIN_STR_ARG(target.subresource));
    assert_string_equal(text, expected);
}

static void test_read(void **state)
{
    (void)state;
    expect("GET", "/healthz", "", "get|0|||||");
    expect("POST", "/x/y", "", "post|0|||||");
    expect("GET", "", "", "get|0|||||");
    expect("GET", "/", "", "get|0|||||");
    expect("GET", "/api", "", "get|0|||||");
    expect("GET", "/api/v1", "", "get|0|||||");
    expect("GET", "/apis/apps/v1", "", "get|0|apps||||");
    expect("GET", "/api/v1/pods", "", "list|1|||pods||");
    expect("GET", "//api//v1/pods/", "", "list|1|||pods||");
    expect("GET", "/api/v1/pods", "watch=true", "watch|1|||pods||");
    expect("GET", "/api/v1/pods", "limit=5&watch", "watch|1|||pods||");
    expect("GET", "/api/v1/pods", "watch=maybe", "watch|1|||pods||");
    expect("GET", "/api/v1/pods", "watch=0", "list|1|||pods||");
    expect("GET", "/api/v1/pods", "watch=False", "list|1|||pods||");
    expect("GET", "/api/v1/watch/pods", "", "watch|1|||pods||");
    expect("GET", "/apis/apps/v1/watch/namespaces/a/deployments/b", "watch=0",
           "watch|1|apps|a|deployments|b|");
    expect("DELETE", "/api/v1/watch/pods", "", "deletecollection|1|||pods||");
    expect("GET", "/api/v1/pods", "xwatch=1", "list|1|||pods||");
    expect("GET", "/api/v1/namespaces/a/pods/b", "watch=1", "get|1||a|pods|b|");
    expect("PUT", "/api/v1/namespaces/a/pods/b/status", "", "update|1||a|pods|b|status");
    expect("GET", "/api/v1/namespaces", "", "list|1|||namespaces||");
    expect("GET", "/api/v1/namespaces/a", "", "get|1||a|namespaces|a|");
    expect("PUT", "/api/v1/namespaces/a/finalize", "", "update|1||a|namespaces|a|finalize");
    expect("DELETE", "/apis/apps/v1/namespaces/a/deployments", "",
           "deletecollection|1|apps|a|deployments||");
    expect("DELETE", "/apis/apps/v1/namespaces/a/deployments/b", "",
           "delete|1|apps|a|deployments|b|");
    expect("PATCH", "/api/v1/nodes/n", "", "patch|1|||nodes|n|");
    expect("POST", "/api/v1/nodes", "", "create|1|||nodes||");
    expect("HEAD", "/api/v1/nodes", "", "list|1|||nodes||");
    expect("OPTIONS", "/api/v1/nodes", "", "options|1|||nodes||");
    expect("BREW", "/api/v1/nodes", "", "other|1|||nodes||");
}

static void test_query(void **state)
{
    kin_str value = {NULL, 0};

    (void)state;
    assert_true(kin__query_find(kin_str_of("a=1&b=2&b=3&c"), kin_str_of("b"), &value));
    assert_true(kin_str_equal(value, kin_str_of("2")));
    assert_true(kin__query_find(kin_str_of("a=1&b=2&b=3&c"), kin_str_of("c"), &value));
    assert_int_equal(value.len, 0);
    assert_false(kin__query_find(kin_str_of("a=1"), kin_str_of("d"), &value));
    assert_false(kin__query_find(kin_str_make(NULL, 0), kin_str_of("d"), &value));
}

static void test_glob(void **state)
{
    static const struct {
        const char *pattern;
        const char *text;
        bool matches;
    } cases[] = {
        {"", "", true},         {"", "a", false},         {"*", "", true},
        {"*", "/a/b", true},    {"/a/*", "/a/b/c", true}, {"/a/*", "/b/a/", false},
        {"?", "a", true},       {"?", "", false},         {"a?c", "abc", true},
        {"*b*d", "abcd", true}, {"*b*d", "abcde", false}, {"a*a*a", "aaa", true},
        {"a*a*a", "aa", false}, {"**x", "aax", true},     {"abc", "ab", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (kin__glob_match(kin_str_of(cases[i].pattern), kin_str_of(cases[i].text)) !=
            cases[i].matches)
            fail_msg("%s and %s", cases[i].pattern, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_glob),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
