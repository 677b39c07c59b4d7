/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, rates, and how numbers are written. */
#include "kin_test.h"

#include "demo_sample.h"

static const int64_t second = 1000000000;

static void sums_and_averages(void **state)
{
    struct demo_figures f = sample_figures();
    struct demo_kind all = demo_total(&f);

    (void)state;
    assert_string_equal(all.name, "all");
    assert_int_equal(all.objects, 1234);
    assert_int_equal(all.events, 120);
    assert_int_equal(all.queued, 3);
    assert_true(all.rate > 15.03 && all.rate < 15.05);
    assert_int_equal(all.lag_ns, 240000);
    assert_int_equal(all.max_lag_ns, 3400000);
    assert_int_equal(all.bytes, (1200 * 520 + 10 * 280 + 12 * 204 + 12 * 213) / 1234);
    assert_int_equal(all.json, (1200 * 8400 + 10 * 3232 + 12 * 3763 + 12 * 3486) / 1234);
}

static void nothing_has_no_average(void **state)
{
    struct demo_figures f = {.url = ""};
    struct demo_kind all = demo_total(&f);

    (void)state;
    assert_int_equal(all.objects, 0);
    assert_int_equal(all.bytes, 0);
}

static void a_rate_is_of_the_last_samples(void **state)
{
    struct rate r = {{0}, {0}, 0};

    (void)state;
    assert_true(rate_per_second(&r) == 0);
    rate_sample(&r, 5 * second, 1000);
    assert_true(rate_per_second(&r) == 0);
    rate_sample(&r, 5 * second, 1001); /* the clock stood still */
    assert_true(rate_per_second(&r) == 0);
    rate_sample(&r, 7 * second, 1020);
    assert_true(rate_per_second(&r) == 10);
    /* Sixteen are kept: those before do not count any more. */
    for (uint64_t i = 0; i < RATE_SAMPLES; i++)
        rate_sample(&r, (100 + (int64_t)i) * second, 5000 + i * i);
    assert_true(rate_per_second(&r) == 15);
}

typedef void add_fn(struct text *out, int64_t n);

static void count(struct text *out, int64_t n)
{
    add_count(out, (uint64_t)n);
}

static void bytes(struct text *out, int64_t n)
{
    add_bytes(out, (uint64_t)n);
}

static void tenths(struct text *out, int64_t n)
{
    add_rate(out, (double)n / 10);
}

static void numbers_are_written_for_people(void **state)
{
    static const struct {
        add_fn *add;
        int64_t n;
        const char *text;
    } rows[] = {
        {count, 0, "0"},
        {count, 999, "999"},
        {count, 1000, "1,000"},
        {count, 1234567, "1,234,567"},
        {tenths, 0, "0.0"},
        {tenths, 124, "12.4"},
        {tenths, 9999, "999.9"},
        {tenths, 12346, "1,235"},
        {bytes, 0, "0 B"},
        {bytes, 1023, "1023 B"},
        {bytes, 1536, "1.5 KiB"},
        {bytes, 86016, "84 KiB"},
        {bytes, INT64_C(31) << 20, "31 MiB"},
        {bytes, INT64_C(3) << 30, "3.0 GiB"},
        {bytes, INT64_C(5000) << 40, "5000 TiB"},
        {add_lag, 0, "-"},
        {add_lag, -1, "-"},
        {add_lag, 99999, "<0.1 ms"},
        {add_lag, 100000, "0.1 ms"},
        {add_lag, 9900000, "9.9 ms"},
        {add_lag, 12300000, "12 ms"},
        {add_lag, 999000000, "999 ms"},
        {add_lag, 1500000000, "1.5 s"},
        {add_seconds, 8999999999, "8s"},
        {add_seconds, 150 * INT64_C(1000000000), "2m30s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct text out = TEXT_INIT;

        rows[i].add(&out, rows[i].n);
        assert_string_equal(text_string(&out), rows[i].text);
        text_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_averages),
        cmocka_unit_test(nothing_has_no_average),
        cmocka_unit_test(a_rate_is_of_the_last_samples),
        cmocka_unit_test(numbers_are_written_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
