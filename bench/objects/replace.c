/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a watch event: decode a new state and free the old one, with all others in memory.
 *
 * Events come one behind the other in memory, as they do from a connection, and hit objects at random,
 * as they do in a cluster.
 */
#include "objects.h"

#include <stdlib.h>

void kin_bench_replace(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_items items;
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};
    uint64_t passes = 0;

    kin_bench_items_load(&items, args->file);
    kin_decoder *decoder = kin_bench_decoder_for(&items, args->projection);
    const kin_object **objects = kin_bench_alloc(items.n, sizeof(const kin_object *));
    size_t *order = kin_bench_shuffled(items.n, KIN_BENCH_ORDER_SEED);

    kin_bench_items_type(&items, order);
    for (size_t i = 0; i < items.n; i++)
        objects[order[i]] = kin_bench_decode_one(decoder, items.texts[i]);
    for (bool warm = false; (double)used.wall < args->seconds * 1e9; warm = true) {
        kin_bench_section_start(&section);
        for (size_t i = 0; i < items.n; i++) {
            const kin_object *old = objects[order[i]];

            objects[order[i]] = kin_bench_decode_one(decoder, items.texts[i]);
            kin_object_unref(old);
        }
        if (!warm)
            continue;
        kin_bench_section_stop(&section, &used);
        passes++;
    }
    kin_bench_report_note(report, "%s, %zu objects in memory, replaced %llu times",
                          kin_encoding_name(items.encoding), items.n, (unsigned long long)passes);
    kin_bench_report_rates(report, &used, passes * items.n, passes * items.bytes);

    kin_bench_unref_all(objects, items.n);
    free((void *)objects);
    free(order);
    kin_decoder_free(decoder);
    kin_bench_items_done(&items);
}
