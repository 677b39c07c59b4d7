/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that are spelled out: what they say of themselves, and what cannot be one.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "client/resource.h"
#include "oom.h"

static kin_resource_spec spec_of(const char *group, const char *version, const char *resource)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;

    spec.group = group;
    spec.version = version;
    spec.resource = resource;
    return spec;
}

static void says_what_it_was_given(void **state)
{
    kin_resource_spec spec = spec_of("apps", "v1", "deployments");
    kin_resource *resource = NULL;

    (void)state;
    spec.kind = "Deployment";
    assert_code(kin_resource_new(&resource, &spec, NULL), 0);
    assert_string_equal(kin_resource_group(resource), "apps");
    assert_string_equal(kin_resource_version(resource), "v1");
    assert_string_equal(kin_resource_name(resource), "deployments");
    assert_string_equal(kin_resource_kind(resource), "Deployment");
    assert_string_equal(kin_resource_api_version(resource), "apps/v1");
    assert_true(kin_resource_is_namespaced(resource));
    assert_ptr_equal(kin_resource_ref(resource), resource);
    kin_resource_unref(resource);
    assert_string_equal(kin_resource_name(resource), "deployments");
    kin_resource_unref(resource);
    kin_resource_unref(NULL);
    assert_null(kin_resource_ref(NULL));
}

static void is_of_the_core_group_without_one(void **state)
{
    kin_resource *resource = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        kin_resource_spec spec = spec_of(i == 0 ? NULL : "", "v1", "nodes");

        spec.cluster_wide = true;
        assert_code(kin_resource_new(&resource, &spec, NULL), 0);
        assert_string_equal(kin_resource_group(resource), "");
        assert_string_equal(kin_resource_kind(resource), "");
        assert_string_equal(kin_resource_api_version(resource), "v1");
        assert_false(kin_resource_is_namespaced(resource));
        kin_resource_unref(resource);
    }
}

static void has_any_verb_unless_somebody_knows(void **state)
{
    kin__resource_parts parts = {.version = kin_str_of("v1"), .name = kin_str_of("bindings")};
    kin_resource *resource = NULL;

    (void)state;
    assert_code(kin__resource_make(&resource, &parts, NULL), 0);
    assert_true(kin_resource_has_verb(resource, "watch"));
    kin_resource_unref(resource);

    parts.verbs = kin_str_make("create\0get\0", 11);
    assert_code(kin__resource_make(&resource, &parts, NULL), 0);
    assert_true(kin_resource_has_verb(resource, "create"));
    assert_true(kin_resource_has_verb(resource, "get"));
    assert_false(kin_resource_has_verb(resource, "ge"));
    assert_false(kin_resource_has_verb(resource, "watch"));
    assert_false(kin_resource_has_verb(resource, ""));
    assert_false(kin_resource_has_verb(resource, NULL));
    assert_string_equal(kin_resource_api_version(resource), "v1");
    kin_resource_unref(resource);

    parts.verbs = kin_str_make("", 0);
    assert_code(kin__resource_make(&resource, &parts, NULL), 0);
    assert_false(kin_resource_has_verb(resource, "get"));
    kin_resource_unref(resource);
}

static void has_parts_that_can_stand_in_a_path(void **state)
{
    const kin_resource_spec wrong[] = {
        spec_of("apps", NULL, "deployments"),
        spec_of("apps", "", "deployments"),
        spec_of("apps", "v1", NULL),
        spec_of("apps", "v1", ""),
        spec_of("apps", "..", "deployments"),
        spec_of("apps/v1", "v1", "deployments"),
        spec_of("apps", "v1", "pods/status"),
        spec_of("apps", "v1\n", "pods"),
        {0},
    };
    kin_resource *resource = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_resource_new(&resource, &wrong[i], &err), KIN_EINVAL);
        assert_int_equal(err.code, KIN_EINVAL);
        assert_null(resource);
    }
    assert_code(kin_resource_new(&resource, NULL, NULL), KIN_EINVAL);
    assert_code(kin_resource_new(NULL, &wrong[0], NULL), KIN_EINVAL);
}

static int make(void *arg, kin_error *err)
{
    kin_resource_spec spec = spec_of("apps", "v1", "deployments");
    kin_resource *resource = NULL;
    int code = kin_resource_new(&resource, &spec, err);

    (void)arg;
    kin_resource_unref(resource);
    return code;
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_was_given),
        cmocka_unit_test(is_of_the_core_group_without_one),
        cmocka_unit_test(has_any_verb_unless_somebody_knows),
        cmocka_unit_test(has_parts_that_can_stand_in_a_path),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
