/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "apiserver/http/tokens.h"
#include "oom.h"

static const kin_apiserver_token two[] = {{"full-secret", NULL, false},
                                          {"half-secret", "jane", true}};

static bool check(const kin__tokens *tokens, const char *header, kin__caller *ret)
{
    kin__failure failure;

    if (kin__tokens_check(tokens, kin_str_of(header), ret, &failure))
        return true;
    assert_int_equal(failure.status, 401);
    assert_string_equal(failure.reason, "Unauthorized");
    assert_string_equal(failure.message, "Unauthorized");
    return false;
}

static void test_check(void **state)
{
    static const char *const wrong[] = {"",
                                        "Bearer",
                                        "Bearer ",
                                        "Bearer full-secre",
                                        "Bearer full-secretx",
                                        "Bearer full-secretfull-secret",
                                        "Basic full-secret",
                                        "full-secret",
                                        "Bearer FULL-SECRET"};
    kin__tokens *tokens = NULL;
    kin__caller caller;

    (void)state;
    assert_code(kin__tokens_new(&tokens, two, 2, NULL), 0);
    assert_true(check(tokens, "Bearer full-secret", &caller));
    assert_string_equal(caller.name, "admin");
    assert_false(caller.read_only);
    assert_true(check(tokens, "bEARER   half-secret ", &caller));
    assert_string_equal(caller.name, "jane");
    assert_true(caller.read_only);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(check(tokens, wrong[i], &caller));
    assert_int_equal(kin__tokens_count(tokens), 2);
    assert_true(kin_str_equal(kin__tokens_first(tokens), kin_str_of("full-secret")));
    kin__tokens_free(tokens);
}

static void test_none(void **state)
{
    kin__tokens *tokens = NULL;
    kin__caller caller;

    (void)state;
    assert_code(kin__tokens_new(&tokens, NULL, 0, NULL), 0);
    assert_true(check(tokens, "", &caller));
    assert_true(check(tokens, "Bearer whatever", &caller));
    assert_string_equal(caller.name, "system:anonymous");
    assert_int_equal(kin__tokens_first(tokens).len, 0);
    kin__tokens_free(tokens);
}

static void test_refused(void **state)
{
    static const kin_apiserver_token bad[] = {
        {"", NULL, false}, {NULL, NULL, false}, {"a b", NULL, false}, {"a\n", NULL, false}};
    kin__tokens *tokens = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_code(kin__tokens_new(&tokens, &bad[i], 1, NULL), KIN_EINVAL);
    assert_code(kin__tokens_new(&tokens, NULL, 1, NULL), KIN_EINVAL);
    static const kin_apiserver_token twice[] = {
        {"a", "jane", true}, {"b", "joe", false}, {"a", "admin", false}};
    assert_code(kin__tokens_new(&tokens, twice, 3, NULL), KIN_EINVAL);
    assert_null(tokens);
}

static void expect_refusal(const char *method, const char *path, const char *message)
{
    const kin__caller jane = {"jane", true};
    const kin__caller admin = {"admin", false};
    kin__failure failure;
    kin__target target;

    kin__target_read(&target, kin_str_of(method), kin_str_of(path), kin_str_of(""));
    assert_true(kin__caller_may(&admin, &target, kin_str_of(path), &failure));
    bool may = kin__caller_may(&jane, &target, kin_str_of(path), &failure);
    assert_int_equal(may, message == NULL);
    if (message) {
        assert_int_equal(failure.status, 403);
        assert_string_equal(failure.reason, "Forbidden");
        assert_string_equal(failure.message, message);
    }
}

static void test_rights(void **state)
{
    (void)state;
    expect_refusal("GET", "/api/v1/pods", NULL);
    expect_refusal("HEAD", "/api/v1/pods", NULL);
    expect_refusal("GET", "/version", NULL);
    expect_refusal("POST", "/api/v1/namespaces/a/pods",
                   "pods is forbidden: User \"jane\" cannot create resource \"pods\" in API group "
                   "\"\" in the namespace \"a\"");
    expect_refusal("DELETE", "/apis/apps/v1/namespaces/a/deployments/b",
                   "deployments.apps \"b\" is forbidden: User \"jane\" cannot delete resource "
                   "\"deployments\" in API group \"apps\" in the namespace \"a\"");
    expect_refusal("PUT", "/api/v1/nodes/n/status",
                   "nodes \"n\" is forbidden: User \"jane\" cannot update resource "
                   "\"nodes/status\" in API group \"\" at the cluster scope");
    expect_refusal("POST", "/x", "forbidden: User \"jane\" cannot post path \"/x\"");
}

static void test_wiped(void **state)
{
    kin__tokens *tokens = NULL;

    (void)state;
    kin_test_alloc_look_for("full-secret");
    assert_code(kin__tokens_new(&tokens, two, 2, NULL), 0);
    kin__tokens_free(tokens);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static int make(void *arg, kin_error *err)
{
    kin__tokens *tokens = NULL;
    int code = kin__tokens_new(&tokens, two, 2, err);

    (void)arg;
    kin__tokens_free(tokens);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),   cmocka_unit_test(test_none),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_rights),
        cmocka_unit_test(test_wiped),   cmocka_unit_test(test_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
