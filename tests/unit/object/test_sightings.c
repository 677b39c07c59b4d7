/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting sightings: a count may be lost where another content needs the place, but is never too
 * high, nor beyond its maximum. High counts take many objects.
 */
#include "kin_test.h"

#include "object/sightings.h"
#include "rng.h"

static void sightings_are_counted_up_to_the_maximum(void **state)
{
    const uint32_t hash = 0x12345678u;

    (void)state;
    assert_int_equal(kin__sightings_get(hash), 0);
    for (unsigned i = 1; i < 3 * KIN__SIGHTINGS_MAX; i++) {
        unsigned expected = i < KIN__SIGHTINGS_EXACT ? i : KIN__SIGHTINGS_EXACT;

        assert_int_equal(kin__sightings_add(hash, KIN__ANY_ORIGIN), expected);
        assert_int_equal(kin__sightings_get(hash), expected);
    }
}

static void hashes_at_the_ends_are_counted(void **state)
{
    static const uint32_t hashes[] = {0, 1, 0xffff, 0x10000, 0xffff0000u, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
        unsigned first = kin__sightings_add(hashes[i], KIN__ANY_ORIGIN);

        /* Others of the list may have its place. */
        assert_true(first >= 1);
        assert_true(kin__sightings_add(hashes[i], KIN__ANY_ORIGIN) >= first);
    }
}

/* What one object shows again and again is one sighting; what two show in turn is many. */
static void the_same_origin_counts_once(void **state)
{
    const uint32_t hash = 0x0badcafeu;

    (void)state;
    assert_int_equal(kin__sightings_add(hash, 7), 1);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(kin__sightings_add(hash, 7), 1);
    assert_int_equal(kin__sightings_add(hash, 9), 2);
    assert_int_equal(kin__sightings_add(hash, 9), 2);
    assert_int_equal(kin__sightings_add(hash, 7), 3);
    assert_int_equal(kin__sightings_add(hash, KIN__ANY_ORIGIN), 4);
    assert_int_equal(kin__sightings_add(hash, KIN__ANY_ORIGIN), 5);
    assert_int_equal(kin__sightings_get(hash), 5);
}

/* However often two objects take turns, they are not taken for many. */
static void two_objects_do_not_count_as_many(void **state)
{
    const uint32_t hash = 0x00c0ffeeu;

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        kin__sightings_add(hash, i % 2 ? 0x12345671u : 0x7654321bu);
    assert_int_equal(kin__sightings_get(hash), KIN__SIGHTINGS_EXACT);
}

/* Of 20 objects, 150, and 20,000: the estimate is wrong now and then, but not often. */
static void many_objects_have_a_high_count(void **state)
{
    enum { CONTENTS = 200 };
    static const struct {
        unsigned objects;
        unsigned min, max; /* of the mean, in tenths */
    } cases[] = {{20, 120, 129}, {150, 130, 145}, {20000, 150, 150}};
    kin_test_rng rng = {3};

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        unsigned sum = 0;

        for (unsigned i = 0; i < CONTENTS; i++) {
            uint32_t hash = (uint32_t)kin_test_random(&rng);
            unsigned count = 0;

            for (unsigned k = 0; k < cases[c].objects; k++)
                count = kin__sightings_add(hash, (uint32_t)kin_test_random(&rng) | 1u);
            sum += count;
        }
        assert_in_range(sum * 10 / CONTENTS, cases[c].min, cases[c].max);
    }
}

/* A flood of contents that are seen once, while one is seen all the time. */
static void what_is_frequent_survives_a_flood(void **state)
{
    const uint32_t hash = 0x77777777u;
    kin_test_rng rng = {1};
    unsigned lost = 0;

    (void)state;
    for (unsigned i = 0; i < KIN__SIGHTINGS_MAX; i++)
        kin__sightings_add(hash, KIN__ANY_ORIGIN);
    for (unsigned i = 0; i < 2000000; i++) {
        kin__sightings_add((uint32_t)kin_test_random(&rng), KIN__ANY_ORIGIN);
        if (i % 1000 == 0)
            lost += kin__sightings_add(hash, KIN__ANY_ORIGIN) < 2;
    }
    /* The table grows meanwhile and forgets then; that happens a few times only. */
    assert_in_range(lost, 0, 8);
    assert_in_range(kin__sightings_get(hash), 2, KIN__SIGHTINGS_MAX);
}

/* The guess is mostly right: of many random contents hardly one is taken for another. */
static void few_contents_are_taken_for_others(void **state)
{
    kin_test_rng rng = {2};
    unsigned wrong = 0;

    (void)state;
    for (unsigned i = 0; i < 100000; i++)
        wrong += kin__sightings_get((uint32_t)kin_test_random(&rng)) > 1;
    assert_in_range(wrong, 0, 100);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sightings_are_counted_up_to_the_maximum),
        cmocka_unit_test(hashes_at_the_ends_are_counted),
        cmocka_unit_test(the_same_origin_counts_once),
        cmocka_unit_test(two_objects_do_not_count_as_many),
        cmocka_unit_test(many_objects_have_a_high_count),
        cmocka_unit_test(what_is_frequent_survives_a_flood),
        cmocka_unit_test(few_contents_are_taken_for_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
