/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-snapshot: a store of the Pods that kin-bench-pods makes, written to a file and read back.
 *
 * A write is measured from the call to its return, flushed to the disk. What is read goes into a store by
 * a replacement, commit included; freeing the store before is not measured. The file that was just written is
 * in the page cache.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kinform/snapshot.h>

#include "load.h"
#include "measure.h"

#define EXIT_USAGE 2
#define MAX_SECONDS 3600

static const char help[] =
    "usage: kin-bench-snapshot write|read --file pods.json --out FILE [OPTION]...\n"
    "\n"
    "  --file FILE     a list as JSON; its items are Pods\n"
    "  --out FILE      the snapshot; removed at the end\n"
    "  --level N       of compression (default: the library's)\n"
    "  --block N       bytes of JSON that are compressed at once (default: the library's)\n"
    "  --seconds S     measure for at least S seconds (default 3)\n"
    "  --help          this text\n";

struct arguments {
    bool reads;
    const char *file;
    const char *out;
    int level;
    size_t block;
    double seconds;
};

struct result {
    struct kin_bench_usage used;
    uint64_t objects;
    uint64_t bytes;
    uint64_t file_bytes;
    uint64_t json_bytes; /* of one pass */
};

static int usage(const char *message, const char *value)
{
    fprintf(stderr, "kin-bench-snapshot: %s%s%s\ntry: kin-bench-snapshot --help\n", message,
            value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

static kin_store *make_store(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin_store *store;

    if (kin_store_new(&store, NULL, &err) < 0)
        kin_bench_die("no store: %s", err.message);
    return store;
}

static kin_store *load_store(const char *file)
{
    kin_decoder *decoder = kin_bench_decoder_new(NULL);
    struct kin_bench_items items;
    kin_error err = KIN_ERROR_INIT;
    kin_store *store = make_store();

    kin_bench_items_load(&items, file);
    const kin_object **objects = kin_bench_decode_all(decoder, &items, items.n);

    if (kin_store_replace(store, objects, items.n, kin_str_of("1"), &err) < 0)
        kin_bench_die("no store: %s", err.message);
    kin_bench_unref_all(objects, items.n);
    free((void *)objects);
    kin_bench_items_done(&items);
    kin_decoder_free(decoder);
    return store;
}

static void write_once(const struct arguments *args, kin_store *store)
{
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_error err = KIN_ERROR_INIT;

    info.api_version = "v1";
    info.kind = "Pod";
    options.level = args->level;
    options.block_bytes = args->block;
    if (kin_snapshot_write(args->out, store, &info, &options, &err) < 0)
        kin_bench_die("not written: %s", err.message);
}

static int stage(const kin_object *object, void *arg, kin_error *err)
{
    return kin_replace_add(arg, object, err);
}

static void read_into(const struct arguments *args, kin_store *store, struct result *result)
{
    kin_error err = KIN_ERROR_INIT;
    kin_snapshot *snapshot;
    kin_replace *replace;

    if (kin_snapshot_open(&snapshot, args->out, &err) < 0 ||
        kin_store_replace_begin(store, &replace, &err) < 0 ||
        kin_snapshot_read(snapshot, NULL, stage, replace, &err) < 0 ||
        kin_replace_commit(replace, kin_str_of("1"), &err) < 0)
        kin_bench_die("not read: %s", err.message);
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);

    result->json_bytes = info->json_bytes;
    result->file_bytes = info->file_bytes;
    result->objects += info->objects;
    result->bytes += info->json_bytes;
    kin_snapshot_free(snapshot);
}

/* What is quick and wrong is no figure: what was written must read as the same objects. */
static void check(const struct arguments *args, kin_store *store, struct result *result)
{
    kin_store *again = make_store();
    kin_view *view;
    const kin_object *object;
    kin_str key;

    read_into(args, again, result);
    *result = (struct result){.json_bytes = result->json_bytes, .file_bytes = result->file_bytes};
    if (kin_store_len(again) != kin_store_len(store))
        kin_bench_die("%zu objects became %zu", kin_store_len(store), kin_store_len(again));
    if (kin_view_new(&view, store, NULL) < 0)
        kin_bench_die("no view");
    while (kin_view_next(view, &key, &object)) {
        const kin_object *other = NULL;

        if (kin_store_get(again, &other, key, NULL) < 0 || !kin_object_equal(object, other))
            kin_bench_die("what was read is another object");
        kin_object_unref(other);
    }
    kin_view_free(view);
    kin_store_unref(again);
}

static void measure_write(const struct arguments *args, kin_store *store, struct result *result)
{
    struct kin_bench_section section;

    while ((double)result->used.wall < args->seconds * 1e9) {
        kin_bench_section_start(&section);
        write_once(args, store);
        kin_bench_section_stop(&section, &result->used);
        result->objects += kin_store_len(store);
        result->bytes += result->json_bytes;
    }
}

static void measure_read(const struct arguments *args, struct result *result)
{
    struct kin_bench_section section;

    while ((double)result->used.wall < args->seconds * 1e9) {
        kin_store *store = make_store();

        kin_bench_section_start(&section);
        read_into(args, store, result);
        kin_bench_section_stop(&section, &result->used);
        kin_store_unref(store);
    }
}

static void report(const struct result *result)
{
    const double wall = (double)result->used.wall / 1e9;
    const double cpu = (double)result->used.cpu / 1e9;
    struct kin_bench_report out;

    kin_bench_report_init(&out);
    kin_bench_report_usage(&out, &result->used);
    kin_bench_report_measure(&out, "ops", (double)result->objects / wall, "1/s");
    kin_bench_report_measure(&out, "bytes", (double)result->bytes / wall, "B/s");
    kin_bench_report_measure(&out, "bytes_per_core", (double)result->bytes / cpu, "B/s");
    kin_bench_report_measure(&out, "file", (double)result->file_bytes, "B");
    kin_bench_report_measure(&out, "json", (double)result->json_bytes, "B");
    kin_bench_write(&out);
}

static void run(const struct arguments *args)
{
    kin_store *store = load_store(args->file);
    struct result result = {.objects = 0};

    write_once(args, store);
    check(args, store, &result); /* this is the warm-up, too */
    if (args->reads) {
        /* As at a start: what is read finds nothing that it could share. */
        kin_store_unref(store);
        store = NULL;
        measure_read(args, &result);
    } else {
        measure_write(args, store, &result);
    }
    kin_store_unref(store);
    unlink(args->out);
    if (kin_bench_pool_values() != 0)
        kin_bench_die("shared values were left behind");
    report(&result);
}

static bool to_number(const char *text, double max, double *ret)
{
    char *end;

    *ret = strtod(text, &end);
    return end != text && *end == '\0' && *ret > 0 && *ret <= max;
}

static int parse_option(struct arguments *args, int opt, const char *value)
{
    double number = 0;

    switch (opt) {
    case 'f':
        args->file = value;
        return 0;
    case 'o':
        args->out = value;
        return 0;
    case 'l':
        if (!to_number(value, 19, &number))
            return usage("--level wants a number from 1 to 19, got", value);
        args->level = (int)number;
        return 0;
    case 'b':
        if (!to_number(value, KIN_SNAPSHOT_BLOCK_BYTES_MAX, &number))
            return usage("--block wants a number of bytes, got", value);
        args->block = (size_t)number;
        return 0;
    case 's':
        if (!to_number(value, MAX_SECONDS, &args->seconds))
            return usage("--seconds wants a number above 0 and up to 3600, got", value);
        return 0;
    default:
        fputs("try: kin-bench-snapshot --help\n", stderr);
        return EXIT_USAGE;
    }
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"file", required_argument, NULL, 'f'},    {"out", required_argument, NULL, 'o'},
        {"level", required_argument, NULL, 'l'},   {"block", required_argument, NULL, 'b'},
        {"seconds", required_argument, NULL, 's'}, {NULL, 0, NULL, 0},
    };
    struct arguments args = {.seconds = 3};
    int status = 0;
    int opt;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    if (argc < 2 || (strcmp(argv[1], "write") != 0 && strcmp(argv[1], "read") != 0))
        return usage("the first argument is a mode", argc > 1 ? argv[1] : NULL);
    args.reads = strcmp(argv[1], "read") == 0;
    while (status == 0 && (opt = getopt_long(argc - 1, argv + 1, "", longs, NULL)) != -1)
        status = parse_option(&args, opt, optarg);
    if (status != 0)
        return status;
    if (optind < argc - 1)
        return usage("unexpected argument", argv[1 + optind]);
    if (!args.file || !args.out)
        return usage(args.file ? "--out is missing" : "--file is missing", NULL);
    run(&args);
    return EXIT_SUCCESS;
}
