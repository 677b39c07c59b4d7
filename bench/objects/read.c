/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading four fields of an object, with all objects in memory: those that every object is known by,
 * and four by compiled path. In the order of the list the objects lie one behind the other in memory, and the
 * processor sees that; in random order each is a surprise, as it is to a handler.
 *
 * The last byte of each text is read: a view alone could be had without going there.
 */
#include "objects.h"

#include <stdlib.h>

#include <kinform/metadata.h>
#include <kinform/path.h>

#define FIELDS 4

static const char *const path_texts[FIELDS] = {
    "spec.nodeName",
    "status.phase",
    "status.podIP",
    "metadata.labels['app.kubernetes.io/name']",
};

struct reader {
    kin_path *paths[FIELDS];
    uint64_t found; /* fields that were there */
    uint64_t sum;   /* of what was read, so that reading is no dead code */
};

static void look(struct reader *r, kin_str text)
{
    if (text.len == 0)
        return;
    r->found++;
    r->sum += text.len + (unsigned char)text.data[text.len - 1];
}

static void look_at_path(struct reader *r, const kin_object *object, const kin_path *path)
{
    kin_scratch scratch;
    kin_str text;

    if (kin_value_string(&text, kin_object_get(object, path), &scratch) == 0)
        look(r, text);
}

static void read_metadata(struct reader *r, const kin_object *object)
{
    kin_scratch scratch;

    look(r, kin_object_name(object));
    look(r, kin_object_namespace(object));
    look(r, kin_object_uid(object, &scratch));
    look(r, kin_object_resource_version(object));
}

static void read_paths(struct reader *r, const kin_object *object)
{
    for (size_t i = 0; i < FIELDS; i++)
        look_at_path(r, object, r->paths[i]);
}

struct kind {
    const char *name; /* of the measure */
    void (*read)(struct reader *r, const kin_object *object);
    bool random;
};

static const struct kind kinds[] = {
    {"metadata_random", read_metadata, true},
    {"metadata_ordered", read_metadata, false},
    {"paths_random", read_paths, true},
    {"paths_ordered", read_paths, false},
};

/* One kind of reading, added to the report; returns what it took. */
static struct kin_bench_usage measure(const struct kind *kind, struct reader *r,
                                      const kin_object **objects, size_t n, double seconds,
                                      struct kin_bench_report *report)
{
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};
    uint64_t passes = 0;
    uint64_t expected = 0;
    double reads;
    char cpu_name[64];

    r->found = 0;
    for (bool warm = false; (double)used.wall < seconds * 1e9; warm = true) {
        kin_bench_section_start(&section);
        for (size_t i = 0; i < n; i++)
            kind->read(r, objects[i]);
        if (!warm) {
            expected = r->found;
            r->found = 0;
            continue;
        }
        kin_bench_section_stop(&section, &used);
        passes++;
    }
    /* Some Pods have no address yet; everything else is always there. */
    if (r->found != expected * passes || expected > n * FIELDS || expected <= n * (FIELDS - 1))
        kin_bench_die("%s: %llu of %zu fields were there", kind->name, (unsigned long long)expected,
                      n * FIELDS);
    reads = (double)passes * (double)n;
    kin_bench_report_measure(report, kind->name, (double)used.wall / reads, "ns");
    snprintf(cpu_name, sizeof(cpu_name), "%s.cpu", kind->name);
    kin_bench_report_measure(report, cpu_name, (double)used.cpu / reads, "ns");
    return used;
}

static kin_path *compile(const char *text)
{
    kin_error err = KIN_ERROR_INIT;
    kin_path *path;

    if (kin_path_parse(&path, kin_str_of(text), &err) < 0)
        kin_bench_die("%s: %s", text, err.message);
    return path;
}

void kin_bench_read(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_items items;
    struct kin_bench_usage used = {0};
    struct reader reader = {.found = 0};
    kin_decoder *decoder = kin_bench_decoder_new(args->projection);

    for (size_t i = 0; i < FIELDS; i++)
        reader.paths[i] = compile(path_texts[i]);
    kin_bench_items_load(&items, args->file);
    const size_t n = items.n;
    const kin_object **objects = kin_bench_decode_all(decoder, &items, items.n);
    const kin_object **shuffled = kin_bench_alloc(n, sizeof(const kin_object *));
    size_t *order = kin_bench_shuffled(n, KIN_BENCH_ORDER_SEED);

    for (size_t i = 0; i < n; i++)
        shuffled[i] = objects[order[i]];
    for (size_t k = 0; k < KIN_BENCH_LEN(kinds); k++) {
        struct kin_bench_usage one = measure(
            &kinds[k], &reader, kinds[k].random ? shuffled : objects, n, args->seconds, report);

        used.wall += one.wall;
        used.cpu += one.cpu;
    }
    kin_bench_report_usage(report, &used);
    kin_bench_report_note(report, "times are of %d fields; the sum was %llx", FIELDS,
                          (unsigned long long)reader.sum);

    kin_bench_unref_all(objects, n);
    free((void *)objects);
    free((void *)shuffled);
    free(order);
    for (size_t i = 0; i < FIELDS; i++)
        kin_path_free(reader.paths[i]);
    kin_decoder_free(decoder);
    kin_bench_items_done(&items);
}
