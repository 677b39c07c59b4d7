/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the last deletions.
 */
#include "informer/deletions.h"
#include "kin_test.h"

#include <stdio.h>

#include "alloc.h"

static kin_str str(const char *text)
{
    return kin_str_of(text);
}

static void deletions_have_versions(void **context)
{
    kin__deletions deletions = {NULL, 0};

    (void)context;
    assert_false(kin__deletions_has(&deletions, str("a/b"), str("1")));
    kin__deletions_add(&deletions, str("a/b"), str("7"));
    assert_true(kin__deletions_has(&deletions, str("a/b"), str("6")));
    assert_true(kin__deletions_has(&deletions, str("a/b"), str("7")));
    assert_false(kin__deletions_has(&deletions, str("a/b"), str("10")));
    assert_false(kin__deletions_has(&deletions, str("a/c"), str("6")));
    /* Deleted again. */
    kin__deletions_add(&deletions, str("a/b"), str("12"));
    assert_true(kin__deletions_has(&deletions, str("a/b"), str("10")));
    /* Versions that cannot be compared are never found. */
    kin__deletions_add(&deletions, str("a/x"), str(""));
    kin__deletions_add(&deletions, str("a/x"), str("not a number"));
    kin__deletions_add(&deletions, str("a/x"), str("1234567890123456789012345"));
    assert_false(kin__deletions_has(&deletions, str("a/x"), str("1")));
    kin__deletions_done(&deletions);
}

static void the_oldest_is_forgotten(void **context)
{
    kin__deletions deletions = {NULL, 0};
    char key[32];

    (void)context;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "a/%u", i);
        kin__deletions_add(&deletions, str(key), str("5"));
    }
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "a/%u", i);
        assert_int_equal(kin__deletions_has(&deletions, str(key), str("5")), i >= 1000 - 128);
    }
    kin__deletions_done(&deletions);
}

static void without_memory_nothing_is_remembered(void **context)
{
    kin__deletions deletions = {NULL, 0};

    (void)context;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    kin__deletions_add(&deletions, str("a/b"), str("7"));
    assert_true(kin_test_alloc_disarm());
    assert_false(kin__deletions_has(&deletions, str("a/b"), str("7")));
    kin__deletions_done(&deletions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deletions_have_versions),
        cmocka_unit_test(the_oldest_is_forgotten),
        cmocka_unit_test(without_memory_nothing_is_remembered),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
