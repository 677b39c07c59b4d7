/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When free memory is returned: after which drop, how often, and for whom not at all.
 */
#include "kin_test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/trim.h"
#include "child.h"

#define MIB (INT64_C(1) << 20)

static unsigned n_trims;

static int count_trim(size_t pad)
{
    assert_int_equal(pad, 0);
    n_trims++;
    return 1;
}

static int set_up(void **state)
{
    (void)state;
    n_trims = 0;
    kin__trim_replace(count_trim);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kin_set_memory_trim(false);
    kin__trim_replace(NULL);
    return 0;
}

static kin__footprint footprint_of(int64_t peak, int64_t live)
{
    kin__footprint footprint = {0, 0};

    kin__footprint_add(&footprint, peak);
    kin__footprint_add(&footprint, live - peak);
    return footprint;
}

static void a_drop_counts_below_half_and_from_4_mib_on(void **state)
{
    const struct {
        int64_t peak;
        int64_t live;
        bool has_dropped;
    } cases[] = {
        {0, 0, false},
        {100 * MIB, 100 * MIB, false},
        {100 * MIB, 50 * MIB, false},
        {100 * MIB, 50 * MIB - 1, true},
        {100 * MIB, 0, true},
        {4 * MIB, 0, true},
        {4 * MIB - 1, 0, false},
        {5 * MIB, MIB + 1, false},
        {5 * MIB, MIB, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin__footprint footprint = footprint_of(cases[i].peak, cases[i].live);

        assert_int_equal(kin__footprint_has_dropped(&footprint), cases[i].has_dropped);
    }
}

static void a_drop_is_over_after_a_trim_and_when_the_cache_has_grown_again(void **state)
{
    kin__footprint footprint = footprint_of(100 * MIB, 20 * MIB);

    (void)state;
    kin__footprint_add(&footprint, 40 * MIB);
    assert_false(kin__footprint_has_dropped(&footprint));
    kin__footprint_add(&footprint, -40 * MIB);
    assert_true(kin__footprint_has_dropped(&footprint));
    kin__footprint_settle(&footprint);
    assert_false(kin__footprint_has_dropped(&footprint));
    /* The next one begins where the last one ended. */
    kin__footprint_add(&footprint, -10 * MIB - 1);
    assert_true(kin__footprint_has_dropped(&footprint));
}

static void the_process_is_trimmed_once_a_minute(void **state)
{
    const int64_t begin = 1000 * KIN__SECOND;

    (void)state;
    assert_int_equal(kin__trim(begin), 0);
    assert_int_equal(n_trims, 1);
    assert_int_equal(kin__trim(begin), begin + 60 * KIN__SECOND);
    assert_int_equal(kin__trim(begin + 60 * KIN__SECOND - 1), begin + 60 * KIN__SECOND);
    assert_int_equal(n_trims, 1);
    assert_int_equal(kin__trim(begin + 60 * KIN__SECOND), 0);
    assert_int_equal(n_trims, 2);
}

static void the_first_trim_is_possible_at_any_time(void **state)
{
    (void)state;
    assert_int_equal(kin__trim(0), 0);
    kin__trim_replace(count_trim);
    assert_int_equal(kin__trim(-5), 0);
    /* Of another clock, which is ahead: it does not hold up this one. */
    kin__trim_replace(count_trim);
    assert_int_equal(kin__trim(INT64_MAX - 1), 0);
    assert_int_equal(kin__trim(0), 0);
    assert_int_equal(n_trims, 4);
}

static void it_is_off_until_the_program_asks_for_it(void **state)
{
    (void)state;
    assert_false(kin__trim_is_on());
    kin_set_memory_trim(true);
    assert_true(kin__trim_is_on());
    kin_set_memory_trim(false);
    assert_false(kin__trim_is_on());
}

static void *own_alloc(size_t size, void *arg)
{
    (void)arg;
    return malloc(size);
}

static void *own_realloc(void *ptr, size_t size, void *arg)
{
    (void)arg;
    return realloc(ptr, size);
}

static void own_free(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

/* In a child: an allocator is set before the first allocation, and for good. */
static int replace_allocator(void *arg)
{
    const kin_allocator own = {sizeof(own), own_alloc, own_realloc, own_free, NULL};

    (void)arg;
    kin_set_memory_trim(true);
    if (!kin__trim_is_on() || kin_set_allocator(&own, NULL) < 0)
        return 1;
    return kin__trim_is_on() ? 2 : 0;
}

static void an_allocator_of_the_program_is_never_trimmed(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, replace_allocator, NULL);
    assert_int_equal(child.exit_code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_allocator_of_the_program_is_never_trimmed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_drop_counts_below_half_and_from_4_mib_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_drop_is_over_after_a_trim_and_when_the_cache_has_grown_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_process_is_trimmed_once_a_minute, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_trim_is_possible_at_any_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_off_until_the_program_asks_for_it, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
