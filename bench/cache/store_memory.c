/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a store takes: everything that the process holds for it beyond what it held before, with the
 * allocator's own headers, and without the objects, which are all there before.
 *
 * Keys are the objects' own and hence no part of it; client-go's store makes its own. The heap is
 * what the C library says; the RSS is what the kernel says, after unused pages went back.
 */
#include "cache.h"

#define INDEXES 2

static void report_heap(struct kin_bench_report *report, const char *name, size_t before, size_t n)
{
    double heap = (double)kin_bench_heap_in_use() - (double)before;

    kin_bench_report_measure(report, name, heap / (double)n, "B");
}

/* Stores with fewer indexes. */
static void measure_fewer(const struct kin_bench_set *set, struct kin_bench_report *report)
{
    static const char *const names[INDEXES] = {"heap_per_object.no_index",
                                               "heap_per_object.one_index"};

    for (unsigned indexes = 0; indexes < INDEXES; indexes++) {
        size_t before = kin_bench_heap_in_use();
        kin_store *store = kin_bench_store_new(indexes);

        kin_bench_store_fill(store, set->older, set->n);
        report_heap(report, names[indexes], before, set->n);
        kin_store_unref(store);
    }
}

/* What is left of the states that were replaced. */
static void measure_later(kin_store *store, struct kin_bench_set *set, size_t before,
                          struct kin_bench_report *report)
{
    const kin_object **objects = kin_bench_set_next_updates(set);
    kin_error err = KIN_ERROR_INIT;

    for (size_t i = 0; i < set->n; i++) {
        if (kin_store_update(store, objects[i], &err) < 0)
            kin_bench_die("cannot update: %s", err.message);
    }
    report_heap(report, "updated.heap_per_object", before, set->n);
    objects = kin_bench_set_next_updates(set);
    if (kin_store_replace(store, objects, set->n, kin_str_of("2"), &err) < 0)
        kin_bench_die("cannot replace: %s", err.message);
    report_heap(report, "replaced.heap_per_object", before, set->n);
    kin_bench_store_check(store, objects, set->n);
}

void kin_bench_store_memory(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};
    struct kin_bench_set set;

    kin_bench_set_load_all(&set, args);
    /* The one with all indexes comes first: what it takes is not in holes that others left. */
    struct kin_bench_resting before = kin_bench_rest();

    kin_bench_section_start(&section);
    kin_store *store = kin_bench_store_new(INDEXES);
    kin_bench_store_fill(store, set.older, set.n);
    kin_bench_section_stop(&section, &used);
    struct kin_bench_resting after = kin_bench_rest();
    double n = (double)set.n;

    kin_bench_report_ops(report, set.n, &used);
    kin_bench_report_note(report, "%zu objects, which are not counted", set.n);
    kin_bench_report_measure(report, "heap", kin_bench_above(after.heap, before.heap), "B");
    kin_bench_report_measure(report, "heap_per_object",
                             kin_bench_above(after.heap, before.heap) / n, "B");
    kin_bench_report_measure(report, "rss_per_object",
                             kin_bench_above(after.process.rss, before.process.rss) / n, "B");
    measure_later(store, &set, before.heap, report);
    struct kin_bench_resting later = kin_bench_rest();

    kin_bench_report_measure(report, "replaced.rss_per_object",
                             kin_bench_above(later.process.rss, before.process.rss) / n, "B");
    kin_store_unref(store);
    kin_bench_report_measure(report, "heap_left",
                             (double)kin_bench_heap_in_use() - (double)before.heap, "B");
    measure_fewer(&set, report);
    kin_bench_set_done(&set);
}
