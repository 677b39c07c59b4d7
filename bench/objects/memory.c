/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What objects take: everything that the process holds for them beyond what it held before, with the
 * decoder, the pools and the allocator's own headers, and without the texts and the array of pointers.
 *
 * The heap is what the C library says; the RSS is what the kernel says, after unused pages went back.
 * Their difference is what the allocator holds and nobody uses.
 */
#include "objects.h"

#include <stdlib.h>

static struct kin_bench_resting measure_resting(const struct kin_bench_items *items)
{
    kin_bench_items_forget_pages(items);
    return kin_bench_rest();
}

static void report_resting(struct kin_bench_report *report, const struct kin_bench_resting *before,
                           const struct kin_bench_resting *after, double n)
{
    double heap = kin_bench_above(after->heap, before->heap);

    kin_bench_report_measure(report, "heap", heap, "B");
    kin_bench_report_measure(report, "heap_per_object", heap / n, "B");
    kin_bench_report_measure(report, "rss_per_object",
                             kin_bench_above(after->process.rss, before->process.rss) / n, "B");
    kin_bench_report_measure(report, "rss_anon_per_object",
                             kin_bench_above(after->process.rss_anon, before->process.rss_anon) / n,
                             "B");
}

/* The parts: the objects' own blocks, and what they have in common. */
static void report_parts(struct kin_bench_report *report, const kin_object **objects, size_t n)
{
    kin_pool_stats pool = KIN_POOL_STATS_INIT;
    uint64_t own = 0;

    for (size_t i = 0; i < n; i++)
        own += kin_object_size(objects[i]);
    kin_pool_stats_get(&pool);
    kin_bench_report_measure(report, "own_per_object", (double)own / (double)n, "B");
    kin_bench_report_measure(report, "pool_per_object", (double)pool.bytes / (double)n, "B");
    kin_bench_report_measure(report, "pool_values", (double)pool.values, "count");
    kin_bench_report_measure(report, "pool_keys", (double)pool.keys, "count");
}

void kin_bench_memory(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_items items;
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};

    kin_bench_items_load(&items, args->file);
    const size_t n = items.n;
    const kin_object **objects = kin_bench_alloc(n, sizeof(const kin_object *));
    struct kin_bench_resting before = measure_resting(&items);

    kin_bench_section_start(&section);
    struct kin_bench_list *list = kin_bench_list_new(args, items.encoding);
    kin_bench_list_read(list, &items, objects);
    kin_bench_section_stop(&section, &used);

    struct kin_bench_resting after = measure_resting(&items);
    kin_bench_report_note(report, "no store: the array of pointers is not counted");
    kin_bench_report_rates(report, &used, n, items.bytes);
    kin_bench_report_measure(report, "objects", (double)n, "count");
    kin_bench_report_measure(report, "text_per_object", (double)items.bytes / (double)n, "B");
    report_resting(report, &before, &after, (double)n);
    report_parts(report, objects, n);

    size_t with_decoder = kin_bench_heap_in_use();
    kin_bench_list_free(list);
    kin_bench_report_measure(report, "decoder",
                             kin_bench_above(with_decoder, kin_bench_heap_in_use()), "B");
    kin_bench_unref_all(objects, n);
    struct kin_bench_resting end = measure_resting(&items);
    kin_bench_report_measure(report, "heap_left", kin_bench_above(end.heap, before.heap), "B");
    kin_bench_report_measure(report, "rss_left",
                             kin_bench_above(end.process.rss, before.process.rss), "B");
    kin_bench_report_measure(report, "pool_values_left", (double)kin_bench_pool_values(), "count");
    free((void *)objects);
    kin_bench_items_done(&items);
}
