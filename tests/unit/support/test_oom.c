/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocation-failure frame must pass what is right and find each kind of defect.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "base/error.h"
#include "base/memory.h"
#include "oom.h"

enum defect { NONE, LEAK, WRONG_CODE, EMPTY_ERROR, NOTHING_ALLOCATED, FAILS_ANYWAY };

static void *leaked;

static int report(enum defect defect, kin_error *err)
{
    if (defect == WRONG_CODE)
        return kin_error_set(err, KIN_EINVAL, "wrong");
    return defect == EMPTY_ERROR ? KIN_ENOMEM : kin__error_no_memory(err);
}

/* Three allocations, cleaned up in the usual way; `arg` says what is wrong with it. */
static int scenario(void *arg, kin_error *err)
{
    enum defect defect = *(enum defect *)arg;
    void *blocks[3] = {NULL, NULL, NULL};
    int code = 0;

    if (defect == NOTHING_ALLOCATED)
        return 0;
    for (int i = 0; i < 3 && code == 0; i++) {
        blocks[i] = i == 1 ? kin__realloc_array(NULL, 1, 8) : kin__malloc(8);
        if (!blocks[i])
            code = report(defect, err);
    }
    if (defect == LEAK && code < 0 && blocks[0]) {
        leaked = blocks[0];
        blocks[0] = NULL;
    }
    for (int i = 0; i < 3; i++)
        kin__free(blocks[i]);
    return defect == FAILS_ANYWAY ? kin_error_set(err, KIN_EBUSY, "always") : code;
}

static const char *find(enum defect defect, char *text, size_t size)
{
    return kin_test_find_oom_defect(scenario, &defect, text, size);
}

static void a_correct_scenario_passes(void **state)
{
    char text[256];

    (void)state;
    assert_null(find(NONE, text, sizeof(text)));
}

static void each_defect_is_found(void **state)
{
    static const struct {
        enum defect defect;
        const char *said;
    } cases[] = {
        {LEAK, "allocation 2 failed: 0 allocations before, 1 after"},
        {WRONG_CODE, "allocation 1 failed: it gave KIN_EINVAL: wrong"},
        {EMPTY_ERROR, "KIN_ENOMEM, but the error says KIN_OK"},
        {NOTHING_ALLOCATED, "allocates nothing"},
        {FAILS_ANYWAY, "no allocation failed, and it gave KIN_EBUSY: always"},
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found = find(cases[i].defect, text, sizeof(text));

        assert_non_null(found);
        if (!strstr(found, cases[i].said))
            fail_msg("case %zu: %s", i, found);
        kin__free(leaked);
        leaked = NULL;
    }
}

static void each_allocation_is_failed_in_turn(void **state)
{
    (void)state;
    kin_test_alloc_arm(2, KIN_TEST_FAIL_ONE);
    void *first = kin__malloc(1);
    void *second = kin__malloc(1);
    void *third = kin__malloc(1);
    assert_int_equal(kin_test_alloc_count(), 3);
    assert_true(kin_test_alloc_disarm());
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    kin__free(first);
    kin__free(third);

    kin_test_alloc_arm(2, KIN_TEST_FAIL_REST);
    first = kin__malloc(1);
    second = kin__malloc(1);
    third = kin__malloc(1);
    assert_true(kin_test_alloc_disarm());
    assert_null(second);
    assert_null(third);
    kin__free(first);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correct_scenario_passes),
        cmocka_unit_test(each_defect_is_found),
        cmocka_unit_test(each_allocation_is_failed_in_turn),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
