/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/gaps.h"

#include <stdio.h>

#include "alloc.h"
#include "kin_test.h"

static void a_key_is_one_gap_until_it_heals(void **state)
{
    kin__gaps gaps;

    (void)state;
    kin__gaps_init(&gaps);
    assert_false(kin__gaps_heal(&gaps, kin_str_of("a/b")));
    kin__gaps_add(&gaps, kin_str_of("a/b"));
    kin__gaps_add(&gaps, kin_str_of("a/b"));
    kin__gaps_add(&gaps, kin_str_of("a/c"));
    assert_int_equal(kin__gaps_count(&gaps), 2);
    assert_true(kin__gaps_heal(&gaps, kin_str_of("a/b")));
    assert_false(kin__gaps_heal(&gaps, kin_str_of("a/b")));
    assert_int_equal(kin__gaps_count(&gaps), 1);
    kin__gaps_clear(&gaps);
    assert_int_equal(kin__gaps_count(&gaps), 0);
    kin__gaps_clear(&gaps);
}

static void without_a_key_each_counts(void **state)
{
    kin__gaps gaps;

    (void)state;
    kin__gaps_init(&gaps);
    kin__gaps_add(&gaps, kin_str_of(""));
    kin__gaps_add(&gaps, kin_str_of(""));
    assert_int_equal(kin__gaps_count(&gaps), 2);
    assert_false(kin__gaps_heal(&gaps, kin_str_of("")));
    assert_int_equal(kin__gaps_count(&gaps), 2);
    kin__gaps_clear(&gaps);
    assert_int_equal(kin__gaps_count(&gaps), 0);
}

/* However many there are: memory has an end. */
static void so_many_keys_are_remembered(void **state)
{
    kin__gaps gaps;
    char key[32];

    (void)state;
    kin__gaps_init(&gaps);
    for (int i = 0; i < KIN__GAPS_MAX + 5; i++) {
        snprintf(key, sizeof(key), "default/%d", i);
        kin__gaps_add(&gaps, kin_str_of(key));
    }
    assert_int_equal(kin__gaps_count(&gaps), KIN__GAPS_MAX + 5);
    assert_int_equal(gaps.n_unknown, 5);
    assert_true(kin__gaps_heal(&gaps, kin_str_of("default/0")));
    assert_false(kin__gaps_heal(&gaps, kin_str_of(key)));
    kin__gaps_clear(&gaps);
}

static void those_of_a_list_take_the_place_of_others(void **state)
{
    kin__gaps gaps;
    kin__gaps list;

    (void)state;
    kin__gaps_init(&gaps);
    kin__gaps_init(&list);
    kin__gaps_add(&gaps, kin_str_of("a/b"));
    kin__gaps_add(&gaps, kin_str_of(""));
    kin__gaps_add(&list, kin_str_of("a/c"));
    kin__gaps_replace(&gaps, &list);
    assert_int_equal(kin__gaps_count(&gaps), 1);
    assert_int_equal(kin__gaps_count(&list), 0);
    assert_true(kin__gaps_heal(&gaps, kin_str_of("a/c")));
    kin__gaps_clear(&gaps);
    kin__gaps_clear(&list);
}

static void those_of_a_page_are_added_to_the_list(void **state)
{
    kin__gaps list;
    kin__gaps page;

    (void)state;
    kin__gaps_init(&list);
    kin__gaps_init(&page);
    kin__gaps_add(&list, kin_str_of("a/b"));
    kin__gaps_add(&list, kin_str_of(""));
    kin__gaps_add(&page, kin_str_of("a/b"));
    kin__gaps_add(&page, kin_str_of("a/c"));
    kin__gaps_add(&page, kin_str_of(""));
    kin__gaps_move(&list, &page);
    assert_int_equal(kin__gaps_count(&page), 0);
    assert_int_equal(kin__gaps_count(&list), 4);
    assert_int_equal(list.n_unknown, 2);
    assert_true(kin__gaps_heal(&list, kin_str_of("a/c")));
    kin__gaps_clear(&list);
    kin__gaps_clear(&page);
}

/* What cannot be remembered is a gap all the same. */
static void a_lack_of_memory_loses_none(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= 2; nth++) {
        kin__gaps gaps;

        kin__gaps_init(&gaps);
        kin_test_alloc_arm(nth, KIN_TEST_FAIL_ONE);
        kin__gaps_add(&gaps, kin_str_of("a/b"));
        assert_true(kin_test_alloc_disarm());
        assert_int_equal(kin__gaps_count(&gaps), 1);
        assert_int_equal(gaps.n_unknown, 1);
        kin__gaps_clear(&gaps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_one_gap_until_it_heals),
        cmocka_unit_test(without_a_key_each_counts),
        cmocka_unit_test(so_many_keys_are_remembered),
        cmocka_unit_test(those_of_a_list_take_the_place_of_others),
        cmocka_unit_test(those_of_a_page_are_added_to_the_list),
        cmocka_unit_test(a_lack_of_memory_loses_none),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
