/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The age of an event at the entry of the handler: the server has put the time of its write into an
 * annotation.
 */
#include <kinform/metadata.h>

#include "informer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define STAMP "kinform-bench/sent"
/* A client that takes in less than this of what is sent falls behind. */
#define KEPT_UP 0.97

struct latency {
    struct kin_bench_counter counter;
    struct kin_bench_section section;
    struct kin_bench_usage usage;
    size_t warmup;
    int64_t *ages; /* nanoseconds; room for all that count */
};

static int64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t stamp_of(const kin_object *pod)
{
    kin_scratch scratch;
    int64_t stamp = 0;
    kin_str text;

    if (kin_object_annotation(&text, pod, kin_str_of(STAMP), &scratch) < 0 || text.len > 18 + 1)
        kin_bench_die("an event without a stamp");
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || stamp > (INT64_MAX - 9) / 10)
            kin_bench_die("the stamp is \"%.*s\"", (int)text.len, text.data);
        stamp = stamp * 10 + (text.data[i] - '0');
    }
    return stamp;
}

static void on_event(const kin_event *event, void *arg)
{
    struct latency *latency = arg;
    int64_t at = now();
    size_t n;

    if (event->type != KIN_EVENT_UPDATE)
        return;
    n = kin_bench_counter_next(&latency->counter);
    if (n == latency->warmup + 1)
        kin_bench_section_start(&latency->section);
    if (n > latency->warmup) {
        int64_t sent = stamp_of(event->object);

        /* A stamp of zero is one that the server has not filled in. */
        if (sent <= 0 || sent > at)
            kin_bench_die("the stamp %lld does not fit the time %lld", (long long)sent,
                          (long long)at);
        latency->ages[n - latency->warmup - 1] = at - sent;
    }
    if (n == latency->counter.wanted) {
        kin_bench_section_stop(&latency->section, &latency->usage);
        kin_bench_counter_finish();
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The nearest rank, in microseconds. */
static double percentile(const int64_t *sorted, size_t n, double of)
{
    size_t rank = (size_t)ceil(of * (double)n);

    return (double)sorted[rank > 0 ? rank - 1 : 0] / 1e3;
}

static void report_ages(struct kin_bench_report *report, int64_t *ages, size_t n)
{
    static const struct {
        const char *name;
        double of;
    } ranks[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}};

    qsort(ages, n, sizeof(*ages), compare);
    for (size_t i = 0; i < KIN_BENCH_LEN(ranks); i++)
        kin_bench_report_measure(report, ranks[i].name, percentile(ages, n, ranks[i].of), "us");
}

void kin_bench_latency(const struct kin_bench_run *run)
{
    size_t n = run->events - run->warmup;
    struct latency latency = {.counter = {run->events, 0}, .warmup = run->warmup};
    struct kin_bench_report report;
    struct kin_bench_pods pods;

    latency.ages = kin_bench_alloc(n, sizeof(*latency.ages));
    kin_bench_pods_open(&pods, run, on_event, &latency, KIN_BENCH_NEVER_MERGE);
    kin_bench_start(pods.informer);
    kin_bench_wait_synced(pods.informer, pods.handler);
    kin_bench_counter_wait(pods.handler);
    kin_bench_check_requests(run, pods.informer);
    kin_bench_check_encoding(run, pods.informer);
    struct kin_bench_memory memory = kin_bench_memory_now();
    kin_bench_pods_close(&pods);

    double ops = (double)(n - 1) * 1e9 / (double)latency.usage.wall;

    kin_bench_report_common(&report, run, &latency.usage);
    kin_bench_report_measure(&report, "ops", ops, "1/s");
    if (ops < KEPT_UP * (double)run->rate)
        kin_bench_report_note(
            &report,
            "the client did not keep up: %.0f of %zu events/s came; what the others "
            "waited is in no latency",
            ops, run->rate);
    report_ages(&report, latency.ages, n);
    kin_bench_report_measure(&report, "cpu_per_event",
                             (double)latency.usage.cpu / 1e3 / (double)(n - 1), "us");
    kin_bench_report_measure(&report, "events", (double)n, "count");
    kin_bench_report_measure(&report, "peak_rss", (double)memory.peak_rss, "B");
    free(latency.ages);
    kin_bench_write(&report);
}
