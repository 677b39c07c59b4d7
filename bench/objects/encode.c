/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects to JSON: one compact text each, made and given back.
 */
#include "objects.h"

#include <stdlib.h>

#include <kinform/memory.h>

/* The length of the JSON of an object. */
static size_t encode_one(const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    char *text;
    size_t len;

    if (kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, &err) < 0)
        kin_bench_die("cannot encode: %s", err.message);
    kin_free(text);
    return len;
}

/* What is quick and wrong is no figure: what was written must read as the same object. */
static void check(kin_decoder *decoder, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *again;
    char *text;
    size_t len;

    if (kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, &err) < 0)
        kin_bench_die("cannot encode: %s", err.message);
    again = kin_bench_decode_one(decoder, kin_str_make(text, len));
    if (!kin_object_equal(object, again))
        kin_bench_die("what was encoded is another object");
    kin_object_unref(again);
    kin_free(text);
}

void kin_bench_encode(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_items items;
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};
    kin_decoder *decoder = kin_bench_decoder_new(args->projection);
    uint64_t written = 0;
    uint64_t bytes = 0;

    kin_bench_items_load(&items, args->file);
    const kin_object **objects = kin_bench_decode_all(decoder, &items, items.n);

    for (size_t i = 0; i < items.n; i++) /* this is the warm-up, too */
        check(decoder, objects[i]);
    kin_bench_section_start(&section);
    while ((double)used.wall < args->seconds * 1e9) {
        for (size_t i = 0; i < items.n; i++)
            bytes += encode_one(objects[i]);
        written += items.n;
        used = (struct kin_bench_usage){0};
        kin_bench_section_stop(&section, &used);
    }
    kin_bench_report_note(report, "%llu objects encoded", (unsigned long long)written);
    kin_bench_report_rates(report, &used, written, bytes);

    kin_bench_unref_all(objects, items.n);
    free((void *)objects);
    kin_decoder_free(decoder);
    kin_bench_items_done(&items);
}
