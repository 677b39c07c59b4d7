/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delays: how they grow, how they differ, and when they begin anew.
 */
#include "kin_test.h"

#include "base/clock.h"
#include "informer/backoff.h"

static const int64_t ms = KIN__MILLISECOND;

static kin__backoff make(double jitter, uint64_t seed)
{
    kin__backoff_settings settings = KIN__BACKOFF_SETTINGS_INIT;
    kin__backoff backoff;

    settings.jitter = jitter;
    kin__backoff_init(&backoff, &settings, seed);
    return backoff;
}

static void delays_double_up_to_the_cap(void **state)
{
    static const int64_t expected[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
    kin__backoff backoff = make(0, 1);
    int64_t now = 5;

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        int64_t delay = kin__backoff_next(&backoff, now);

        assert_int_equal(delay, expected[i] * ms);
        now += delay;
    }
}

/* Each is in [d, 2d), all over it, and the same again with the same seed. */
static void chance_adds_up_to_as_much_again(void **state)
{
    unsigned tenths[10] = {0};
    kin__backoff other = make(1, 1);

    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        kin__backoff backoff = make(1, seed);
        int64_t delay = kin__backoff_next(&backoff, 0);

        assert_true(delay >= 800 * ms && delay < 1600 * ms);
        tenths[(delay - 800 * ms) / (80 * ms)]++;
        if (seed == 1)
            assert_int_equal(delay, kin__backoff_next(&other, 0));
    }
    for (size_t i = 0; i < 10; i++)
        assert_true(tenths[i] > 50 && tenths[i] < 150);
}

/* client-go before 1.36: 85 tries an hour. Its later ones would make 192. */
static void a_steady_outage_does_not_begin_anew(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        kin__backoff backoff = make(1, seed);
        int64_t now = 0;
        unsigned n = 0;

        for (; now < 3600 * KIN__SECOND; n++) {
            int64_t delay = kin__backoff_next(&backoff, now);

            assert_true(n < 6 || delay >= 30 * KIN__SECOND);
            now += delay;
        }
        assert_in_range(n, 70, 100);
    }
}

/* Each try takes longer to fail than what is left of the two minutes. */
static void slow_failures_are_an_outage_too(void **state)
{
    kin__backoff backoff = make(1, 3);
    int64_t now = 0;

    (void)state;
    for (unsigned n = 0; n < 50; n++) {
        int64_t delay = kin__backoff_next(&backoff, now);

        assert_true(n < 6 || delay >= 30 * KIN__SECOND);
        now += delay + 100 * KIN__SECOND;
    }
}

static void two_quiet_minutes_begin_anew(void **state)
{
    kin__backoff backoff = make(0, 1);
    int64_t now = 0;

    (void)state;
    for (unsigned n = 0; n < 10; n++)
        now += kin__backoff_next(&backoff, now);
    now += 120 * KIN__SECOND;
    int64_t delay = kin__backoff_next(&backoff, now);
    assert_int_equal(delay, 30 * KIN__SECOND);
    now += delay + 120 * KIN__SECOND + 1;
    assert_int_equal(kin__backoff_next(&backoff, now), 800 * ms);
}

static void settings_count(void **state)
{
    kin__backoff_settings settings = {10, 1000, 50, 10, 0};
    kin__backoff backoff;

    (void)state;
    kin__backoff_init(&backoff, &settings, 0);
    assert_int_equal(kin__backoff_next(&backoff, 0), 10);
    assert_int_equal(kin__backoff_next(&backoff, 10), 100);
    assert_int_equal(kin__backoff_next(&backoff, 110), 1000);
    assert_int_equal(kin__backoff_next(&backoff, 1110), 1000);
    assert_int_equal(kin__backoff_next(&backoff, 2110 + 51), 10);
}

static void a_reset_begins_anew(void **state)
{
    kin__backoff_settings settings = {100, 1000, INT64_MAX, 2, 0};
    kin__backoff backoff;

    (void)state;
    kin__backoff_init(&backoff, &settings, 9);
    assert_int_equal(kin__backoff_next(&backoff, 0), 100);
    assert_int_equal(kin__backoff_next(&backoff, 100), 200);
    kin__backoff_reset(&backoff);
    assert_int_equal(kin__backoff_next(&backoff, 300), 100);
    assert_int_equal(kin__backoff_next(&backoff, 400), 200);
}

/* Neither the cap nor the end of time is passed. */
static void the_largest_settings_do_not_overflow(void **state)
{
    kin__backoff_settings settings = {INT64_MAX, INT64_MAX, INT64_MAX, 1e300, 1e300};
    kin__backoff backoff;

    (void)state;
    kin__backoff_init(&backoff, &settings, 9);
    for (unsigned i = 0; i < 5; i++) {
        int64_t delay = kin__backoff_next(&backoff, INT64_MAX - 5);

        assert_true(delay > 0 && delay <= INT64_MAX / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_double_up_to_the_cap),
        cmocka_unit_test(chance_adds_up_to_as_much_again),
        cmocka_unit_test(a_steady_outage_does_not_begin_anew),
        cmocka_unit_test(slow_failures_are_an_outage_too),
        cmocka_unit_test(two_quiet_minutes_begin_anew),
        cmocka_unit_test(settings_count),
        cmocka_unit_test(a_reset_begins_anew),
        cmocka_unit_test(the_largest_settings_do_not_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
