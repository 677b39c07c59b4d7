/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket against times that golang.org/x/time/rate v0.15.0 gave for the same calls.
 */
#include "kin_test.h"

#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/rate_limit.h"

#define START (1000 * KIN__SECOND)

/* Go `step` on in time; then give back the n-th reservation that is held, or reserve. */
struct step {
    int64_t step;
    int give_back; /* -1: reserve */
    int64_t at;    /* what a reservation is told, from the start */
};

static const struct {
    double qps;
    int burst;
    struct step steps[24];
} tables[] = {
    /* clang-format off */
    {5, 10, {
        {0, -1, 0}, {0, -1, 0}, {0, -1, 0}, {86980154, -1, 86980154}, {142637647, 3, 0},
        {0, 0, 0}, {0, -1, 229617801}, {-441706, 2, 0}, {268609707, -1, 497785802},
        {284806768, -1, 782592570}, {174354091, 1, 0}, {266238118, -1, 1223184779},
        {233389636, -1, 1456574415}, {0, 1, 0}, {0, -1, 1456574415}, {329068125, -1,
        1785642540}, {46460142, 0, 0}, {182227393, 2, 0}, {0, 2, 0}, {0, -1, 2014330075},
        {0, -1, 2014330075}, {0, 4, 0}, {49767142, -1, 2064097217}, {84812743, -1,
        2148909960}
    }},
    {5, 1, {
        {2153552, -1, 2153552}, {0, -1, 202153552}, {49167321, -1, 402153552}, {383117217,
        2, 0}, {0, -1, 602153551}, {11445516, -1, 802153551}, {0, -1, 1002153551},
        {33353332, -1, 1202153552}, {0, -1, 1402153552}, {0, -1, 1602153552}, {0, 6, 0},
        {0, -1, 1802153552}, {397786624, -1, 2002153552}, {53361740, -1, 2202153551}, {0,
        -1, 2402153551}, {0, -1, 2602153552}, {-134652, -1, 2802018900}, {0, -1,
        3002018899}, {19813106, -1, 3202018899}, {4764713, 10, 0}, {229879826, -1,
        3402018900}, {0, -1, 3602018900}, {-87610, -1, 3801931289}, {259802270, -1,
        4001931289}
    }},
    {0.3, 2, {
        {0, -1, 0}, {0, 0, 0}, {971019115, -1, 971019115}, {0, 0, 0}, {4665143094, -1,
        5636162209}, {0, -1, 5636162209}, {3831664749, -1, 9467826958}, {0, 1, 0},
        {424265218, -1, 12302828875}, {79004511, -1, 15636162209}, {0, -1, 18969495542},
        {0, 4, 0}, {0, -1, 18969495542}, {4007214063, -1, 22302828875}, {244665469, -1,
        25636162209}, {20215381, -1, 28969495542}, {3819506515, -1, 32302828875},
        {756244218, 4, 0}, {5904305616, -1, 35636162209}, {1138339750, 4, 0}, {456115495,
        -1, 38969495542}, {0, -1, 42302828875}, {0, 5, 0}, {581602866, -1, 45636162209}
    }},
    {1000.7, 3, {
        {549785, -1, 549785}, {1231782, -1, 1781567}, {0, 1, 0}, {1588872, -1, 3370439},
        {0, -1, 3370439}, {0, -1, 3370439}, {197082, -1, 4369739}, {0, -1, 5369039}, {0,
        -1, 6368340}, {0, -1, 7367640}, {0, -1, 8366941}, {535872, -1, 9366241}, {0, -1,
        10365542}, {1409392, 0, 0}, {128026, -1, 11364842}, {178877, -1, 12364143},
        {1551833, -1, 13363443}, {0, -1, 14362744}, {0, -1, 15362044}, {297131, -1,
        16361345}, {133014, -1, 17360645}, {0, 2, 0}, {228212, 7, 0}, {0, -1, 18359946}
    }},
    {50, 100, {
        {5165488, -1, 5165488}, {4582555, -1, 9748043}, {1012262, -1, 10760305}, {0, 2,
        0}, {8900028, -1, 19660333}, {0, -1, 19660333}, {0, 1, 0}, {0, -1, 19660333},
        {28745565, -1, 48405898}, {0, -1, 48405898}, {0, 0, 0}, {29772095, -1, 78177993},
        {0, -1, 78177993}, {2305149, -1, 80483142}, {4371695, -1, 84854837}, {3839828, -1,
        88694665}, {28058932, -1, 116753597}, {2693285, -1, 119446882}, {1733656, -1,
        121180538}, {0, -1, 121180538}, {4664439, 6, 0}, {-168256, -1, 125676721},
        {301009, -1, 125977730}, {35926283, -1, 161904013}
    }},
    {0.001, 1, {
        {0, -1, 0}, {1450861500667, 0, 0}, {0, -1, 1450861500667}, {0, -1, 2450861500667},
        {1239991390335, 0, 0}, {0, 0, 0}, {1278243546363, -1, 3969096437365}, {0, 0, 0},
        {0, -1, 3969096437365}, {123740907572, 0, 0}, {0, -1, 4969096437365},
        {287595151190, -1, 5969096437364}, {159415333488, -1, 6969096437365}, {0, -1,
        7969096437365}, {84461735989, -1, 8969096437365}, {33336665634, -1,
        9969096437365}, {59572938901, -1, 10969096437365}, {75916171307, -1,
        11969096437365}, {0, 7, 0}, {279922521822, 5, 0}, {111798938642, 1, 0}, {0, -1,
        11969096437365}, {0, -1, 12969096437365}, {259427655613, -1, 13969096437365}
    }},
    /* clang-format on */
};

static void says_the_times_that_go_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(tables); i++) {
        kin__reservation held[24];
        size_t n_held = 0;
        int64_t now = START;
        kin__rate_limit limit;

        kin__rate_limit_init(&limit, tables[i].qps, tables[i].burst);
        for (size_t j = 0; j < kin__array_len(tables[i].steps); j++) {
            const struct step *step = &tables[i].steps[j];

            now += step->step;
            if (step->give_back >= 0) {
                kin__rate_limit_cancel(&limit, held[step->give_back], now);
                n_held--;
                for (size_t k = (size_t)step->give_back; k < n_held; k++)
                    held[k] = held[k + 1];
                continue;
            }
            held[n_held] = kin__rate_limit_reserve(&limit, now);
            int64_t off = held[n_held++].at - START - step->at;
            /* Machines that fuse multiplication and addition round once less. */
            if (off < -2 || off > 2)
                fail_msg("table %zu, step %zu: off by %lld ns", i, j, (long long)off);
        }
        kin__rate_limit_done(&limit);
    }
}

static void lets_a_burst_go_at_once_and_then_waits(void **state)
{
    kin__rate_limit limit;

    (void)state;
    kin__rate_limit_init(&limit, 0, 0);
    for (int i = 0; i < KIN__RATE_LIMIT_BURST; i++)
        assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START);
    assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START + KIN__SECOND / 50);
    assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START + 2 * KIN__SECOND / 50);
    kin__rate_limit_done(&limit);
    /* A rate of one's own is not undone by the default burst. */
    kin__rate_limit_init(&limit, 5, 0);
    for (int i = 0; i < KIN__RATE_LIMIT_OWN_BURST; i++)
        assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START);
    assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START + KIN__SECOND / 5);
    kin__rate_limit_done(&limit);
}

static void lets_all_go_without_a_limit(void **state)
{
    kin__rate_limit limit;

    (void)state;
    kin__rate_limit_init(&limit, -1, 1);
    for (int i = 0; i < 1000; i++) {
        kin__reservation reservation = kin__rate_limit_reserve(&limit, START);

        assert_int_equal(reservation.at, START);
        kin__rate_limit_cancel(&limit, reservation, START);
    }
    kin__rate_limit_done(&limit);
}

static void gives_the_last_place_to_the_next(void **state)
{
    kin__rate_limit limit;

    (void)state;
    kin__rate_limit_init(&limit, 1, 1);
    kin__rate_limit_reserve(&limit, START);
    kin__reservation second = kin__rate_limit_reserve(&limit, START);
    assert_int_equal(second.at, START + KIN__SECOND);
    kin__rate_limit_cancel(&limit, second, START);
    assert_int_equal(kin__rate_limit_reserve(&limit, START).at, START + KIN__SECOND);
    kin__rate_limit_done(&limit);
}

/* From the last on, each is the last then; in any other order a place behind it is lost. */
static void gives_back_several_from_the_last_on(void **state)
{
    kin__reservation held[4];
    kin__rate_limit limit;

    (void)state;
    for (int backwards = 0; backwards <= 1; backwards++) {
        kin__rate_limit_init(&limit, 1, 1);
        for (size_t i = 0; i < 4; i++)
            held[i] = kin__rate_limit_reserve(&limit, START);
        kin__rate_limit_cancel(&limit, held[backwards ? 3 : 2], START);
        kin__rate_limit_cancel(&limit, held[backwards ? 2 : 3], START);
        assert_int_equal(kin__rate_limit_reserve(&limit, START).at,
                         START + (backwards ? 2 : 3) * KIN__SECOND);
        kin__rate_limit_done(&limit);
    }
}

static void survives_odd_rates_and_times(void **state)
{
    const double rates[] = {0, -0.0, NAN, INFINITY, 1e-300, 1e300, -INFINITY};

    (void)state;
    for (size_t i = 0; i < kin__array_len(rates); i++) {
        kin__rate_limit limit;

        kin__rate_limit_init(&limit, rates[i], -3);
        for (int j = 0; j < 20; j++) {
            kin__reservation reservation =
                kin__rate_limit_reserve(&limit, INT64_MAX - 10 * KIN__SECOND);

            assert_true(reservation.at >= INT64_MAX - 10 * KIN__SECOND);
            kin__rate_limit_cancel(&limit, reservation, INT64_MAX - 10 * KIN__SECOND);
        }
        kin__rate_limit_done(&limit);
    }
    kin__rate_limit limit;
    kin__rate_limit_init(&limit, 1e-8, 1);
    kin__rate_limit_reserve(&limit, 0);
    for (int j = 0; j < 100; j++)
        assert_true(kin__rate_limit_reserve(&limit, 0).at > 0);
    assert_int_equal(kin__rate_limit_reserve(&limit, 0).at, INT64_MAX);
    kin__rate_limit_done(&limit);
}

/* Threads that reserve at the same time get different places. */
struct racer {
    kin__rate_limit *limit;
    int64_t sum;
};

static void *reserve_many(void *arg)
{
    struct racer *racer = arg;

    for (int i = 0; i < 1000; i++)
        racer->sum += kin__rate_limit_reserve(racer->limit, START).at - START;
    return NULL;
}

static void gives_a_place_to_each_of_many_threads(void **state)
{
    struct racer racers[4] = {{NULL, 0}};
    pthread_t threads[4];
    kin__rate_limit limit;
    int64_t sum = 0;

    (void)state;
    kin__rate_limit_init(&limit, 1, 1);
    for (size_t i = 0; i < 4; i++) {
        racers[i].limit = &limit;
        assert_int_equal(pthread_create(&threads[i], NULL, reserve_many, &racers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += racers[i].sum;
    }
    assert_int_equal(sum, 3999 * INT64_C(4000) / 2 * KIN__SECOND);
    kin__rate_limit_done(&limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_the_times_that_go_says),
        cmocka_unit_test(lets_a_burst_go_at_once_and_then_waits),
        cmocka_unit_test(lets_all_go_without_a_limit),
        cmocka_unit_test(gives_the_last_place_to_the_next),
        cmocka_unit_test(gives_back_several_from_the_last_on),
        cmocka_unit_test(survives_odd_rates_and_times),
        cmocka_unit_test(gives_a_place_to_each_of_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
