/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first sync: from kin_informer_start() until the store has all objects and the handler was
 * told of each. With --rest the memory that the cache then holds, when the informer has stopped, as
 * the peer's.
 */
#include "informer.h"

#include <stdatomic.h>

struct told {
    atomic_size_t adds;
    atomic_size_t others;
};

static void count(const kin_event *event, void *arg)
{
    struct told *told = arg;

    atomic_fetch_add_explicit(event->type == KIN_EVENT_ADD ? &told->adds : &told->others, 1,
                              memory_order_relaxed);
}

static void report_resting(struct kin_bench_report *report, const struct kin_bench_resting *before,
                           double n)
{
    struct kin_bench_resting after = kin_bench_rest();

    kin_bench_report_measure(report, "heap", (double)after.heap, "B");
    kin_bench_report_measure(report, "heap_per_object",
                             kin_bench_above(after.heap, before->heap) / n, "B");
    kin_bench_report_measure(report, "rss", (double)after.process.rss, "B");
    kin_bench_report_measure(report, "rss_per_object",
                             kin_bench_above(after.process.rss, before->process.rss) / n, "B");
    kin_bench_report_measure(report, "rss_anon", (double)after.process.rss_anon, "B");
    kin_bench_report_measure(report, "rss_anon_per_object",
                             kin_bench_above(after.process.rss_anon, before->process.rss_anon) / n,
                             "B");
    kin_bench_report_measure(report, "base_heap", (double)before->heap, "B");
    kin_bench_report_measure(report, "base_rss", (double)before->process.rss, "B");
}

/* How many objects there are; all were told of. */
static size_t check_told(struct kin_bench_pods *pods, struct told *told)
{
    size_t n = kin_store_len(kin_informer_store(pods->informer));
    size_t adds = atomic_load(&told->adds);

    if (n == 0 || adds != n)
        kin_bench_die("the store has %zu objects, the handler was told of %zu", n, adds);
    return n;
}

void kin_bench_sync(const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct kin_bench_pods pods;
    struct told told = {0, 0};

    kin_bench_pods_open(&pods, run, count, &told, 0);
    struct kin_bench_resting before = kin_bench_rest();

    kin_bench_section_start(&section);
    kin_bench_start(pods.informer);
    kin_bench_wait_synced(pods.informer, pods.handler);
    kin_bench_section_stop(&section, &usage);
    size_t others = atomic_load(&told.others);
    struct kin_bench_memory memory = kin_bench_memory_now();
    uint64_t received = 0;

    if (kin_bench_received_read(&received) < 0)
        kin_bench_die("cannot look at the connections");

    kin_bench_check_requests(run, pods.informer);
    kin_bench_check_encoding(run, pods.informer);
    size_t n = check_told(&pods, &told);
    kin_bench_report_common(&report, run, &usage);
    kin_bench_report_measure(&report, "ops", (double)n * 1e9 / (double)usage.wall, "1/s");
    kin_bench_report_measure(&report, "objects", (double)n, "count");
    kin_bench_report_measure(&report, "peak_rss", (double)memory.peak_rss, "B");
    kin_bench_report_measure(&report, "received", (double)received, "B");
    if (others > 0)
        kin_bench_report_note(
            &report,
            "%zu watch events came during the sync and are part of it; serve data "
            "without events",
            others);
    if (run->rest) {
        kin_bench_stop(pods.informer);
        report_resting(&report, &before, (double)n);
    }
    kin_bench_pods_close(&pods);
    kin_bench_write(&report);
}
