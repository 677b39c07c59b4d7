/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How work is repeated and timed.
 */
#include "cache.h"

#include <pthread.h>

uint64_t kin_bench_timed_passes(double min_time, void (*set_up)(void *arg),
                                uint64_t (*pass)(void *arg), void *arg,
                                struct kin_bench_usage *used)
{
    struct kin_bench_section section;
    uint64_t ops = 0;

    set_up(arg);
    (void)pass(arg); /* warm-up */
    do {
        set_up(arg);
        kin_bench_section_start(&section);
        ops += pass(arg);
        kin_bench_section_stop(&section, used);
    } while ((double)used->wall < min_time * 1e9);
    return ops;
}

/* --- workers --- */

struct crew {
    pthread_barrier_t ready;
    pthread_barrier_t begin;
    atomic_bool stop;
};

struct hand {
    struct kin_bench_worker *worker;
    struct crew *crew;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct hand *hand = arg;

    (void)pthread_barrier_wait(&hand->crew->ready);
    (void)pthread_barrier_wait(&hand->crew->begin);
    hand->worker->work(hand->worker, &hand->crew->stop);
    return NULL;
}

void kin_bench_timed_workers(double seconds, struct kin_bench_worker *workers, size_t n,
                             struct kin_bench_usage *used)
{
    struct hand hands[KIN_BENCH_MAX_READERS + 1];
    struct crew crew;
    struct kin_bench_section section;

    atomic_init(&crew.stop, false);
    if (pthread_barrier_init(&crew.ready, NULL, (unsigned)n + 1) != 0 ||
        pthread_barrier_init(&crew.begin, NULL, (unsigned)n + 1) != 0)
        kin_bench_die("cannot make a barrier");
    for (size_t i = 0; i < n; i++) {
        hands[i] = (struct hand){.worker = &workers[i], .crew = &crew};
        if (pthread_create(&hands[i].thread, NULL, work, &hands[i]) != 0)
            kin_bench_die("cannot start a thread");
    }
    (void)pthread_barrier_wait(&crew.ready);
    kin_bench_section_start(&section);
    (void)pthread_barrier_wait(&crew.begin);
    kin_bench_sleep(seconds);
    atomic_store_explicit(&crew.stop, true, memory_order_relaxed);
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(hands[i].thread, NULL);
    kin_bench_section_stop(&section, used);
    (void)pthread_barrier_destroy(&crew.ready);
    (void)pthread_barrier_destroy(&crew.begin);
}

/* --- reports --- */

void kin_bench_report_rate(struct kin_bench_report *report, const char *name, uint64_t n,
                           const struct kin_bench_usage *used)
{
    kin_bench_report_measure(report, name, (double)n * 1e9 / (double)used->wall, "1/s");
}

void kin_bench_report_ops(struct kin_bench_report *report, uint64_t ops,
                          const struct kin_bench_usage *used)
{
    kin_bench_report_usage(report, used);
    kin_bench_report_rate(report, "ops", ops, used);
}
