/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of Pods, for the tests of the generator and of those who are measured with them.
 */
#ifndef KIN_BENCH_TEST_PODS_FIXTURE_H
#define KIN_BENCH_TEST_PODS_FIXTURE_H

#include "bench_test.h"

#include "pods.h"

static const enum kin_bench_variant variants[] = {KIN_BENCH_TEMPLATED, KIN_BENCH_SINGLETON};

static inline struct kin_bench_pods_options make_options(uint64_t pods, uint64_t events,
                                                         uint64_t seed,
                                                         enum kin_bench_variant variant)
{
    struct kin_bench_pods_options o = {.pods = pods,
                                       .events = events,
                                       .seed = seed,
                                       .variant = variant,
                                       .files = KIN_BENCH_FILES_ALL};

    return o;
}

/* A fresh directory with templated Pods; for remove_dir(). */
static inline char *make_pods_dir(uint64_t pods, uint64_t events, unsigned files)
{
    struct kin_bench_pods_options o = make_options(pods, events, 3, KIN_BENCH_TEMPLATED);
    struct kin_bench_pods_error err = {0};
    char *dir = make_temp_dir();

    o.files = files;
    if (kin_bench_pods_write(&o, dir, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    return dir;
}

static inline struct kin_bench_pods *make_generator(uint64_t pods, uint64_t seed,
                                                    enum kin_bench_variant variant)
{
    struct kin_bench_pods_options o = make_options(pods, 0, seed, variant);
    struct kin_bench_pods *gen = NULL;

    assert_int_equal(kin_bench_pods_new(&gen, &o), 0);
    assert_non_null(gen);
    return gen;
}

#endif
