/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets: what they hold, and that nothing of it is left in memory that was given back.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "client/secret.h"
#include "kinform/error.h"
#include "kinform/memory.h"
#include "oom.h"

static kin_str str(const char *text)
{
    return kin_str_of(text);
}

static void holds_a_terminated_copy(void **state)
{
    kin__secret secret = KIN__SECRET_INIT;
    char text[] = "hush-1";

    (void)state;
    assert_code(kin__secret_set(&secret, str(text)), 0);
    memset(text, 'x', sizeof(text) - 1);
    assert_string_equal(secret.data, "hush-1");
    assert_int_equal(secret.len, 6);
    kin__secret_done(&secret);
    assert_null(secret.data);
    assert_int_equal(secret.len, 0);
}

static void is_joined_of_parts_its_own_among_them(void **state)
{
    kin__secret secret = KIN__SECRET_INIT;

    (void)state;
    assert_code(kin__secret_set(&secret, str("hush")), 0);
    kin_str parts[] = {str("Bearer "), kin__secret_str(&secret), kin_str_make(NULL, 0)};
    assert_code(kin__secret_join(&secret, parts, 3), 0);
    assert_string_equal(secret.data, "Bearer hush");
    assert_code(kin__secret_set(&secret, kin_str_make(NULL, 0)), 0);
    assert_null(secret.data);
}

static void equals_what_has_the_same_bytes(void **state)
{
    kin__secret a = KIN__SECRET_INIT;
    kin__secret b = KIN__SECRET_INIT;

    (void)state;
    assert_true(kin__secret_equal(&a, &b));
    assert_code(kin__secret_set(&a, str("hush-1")), 0);
    assert_false(kin__secret_equal(&a, &b));
    assert_code(kin__secret_set(&b, str("hush-2")), 0);
    assert_false(kin__secret_equal(&a, &b));
    assert_code(kin__secret_set(&b, str("hush-1")), 0);
    assert_true(kin__secret_equal(&a, &b));
    kin__secret_done(&a);
    kin__secret_done(&b);
}

static int set_twice(void *arg, kin_error *err)
{
    kin__secret secret = KIN__SECRET_INIT;
    int code = kin__secret_set(&secret, str("hush-1"));

    (void)arg;
    if (code == 0) {
        code = kin__secret_set(&secret, str("hush-22"));
        assert_string_equal(secret.data, code == 0 ? "hush-22" : "hush-1");
    }
    kin__secret_done(&secret);
    return code == 0 ? 0 : kin_error_set(err, code, "no memory");
}

static void keeps_its_value_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(set_twice, NULL);
}

static void is_wiped_before_its_memory_is_given_back(void **state)
{
    kin__secret secret = KIN__SECRET_INIT;

    (void)state;
    kin_test_alloc_look_for("hush");
    assert_code(kin__secret_set(&secret, str("hush-1")), 0);
    assert_code(kin__secret_set(&secret, str("my hush-2")), 0);
    kin__secret_done(&secret);
    assert_int_equal(kin_test_alloc_found(), 0);

    /* And it would be found. */
    assert_code(kin__secret_set(&secret, str("hush-3")), 0);
    kin_free(secret.data);
    assert_int_equal(kin_test_alloc_found(), 1);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_a_terminated_copy),
        cmocka_unit_test(is_joined_of_parts_its_own_among_them),
        cmocka_unit_test(equals_what_has_the_same_bytes),
        cmocka_unit_test(keeps_its_value_without_memory),
        cmocka_unit_test(is_wiped_before_its_memory_is_given_back),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
