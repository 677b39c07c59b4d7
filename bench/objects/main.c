/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-objects: decode, memory, reads and encode of the Pods that kin-bench-pods makes, next to
 * what bench/peers/client-go does with the same bytes. Arguments only; each mode has a file of its own.
 */
#include "objects.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define MAX_SECONDS 3600

static const char help[] =
    "usage: kin-bench-objects MODE --file pods.json|pods.pb [OPTION]...\n"
    "\n"
    "  decode    decode and free, the whole list or --per-object\n"
    "  replace   decode and free the old one, all others in memory\n"
    "  memory    decode all, and see what they take\n"
    "  read      read four fields of each, in list order and in random order\n"
    "  encode    write each as JSON\n"
    "\n"
    "  --file FILE     a list of Pods, as JSON; decode, replace, memory: also as protobuf\n"
    "  --seconds S     measure for at least S seconds (default 3); not with memory\n"
    "  --drop PATHS    do not keep these, as metadata.managedFields\n"
    "  --per-object    with decode: item by item, as a watch does\n"
    "  --threads N     with decode: as many at a time, 1 to 64\n"
    "  --help          this text\n";

/* What a mode has besides --file and --drop. */
enum { TAKES_SECONDS = 1, TAKES_PER_OBJECT = 2, TAKES_THREADS = 4 };

static const struct mode {
    const char *name;
    void (*run)(const struct kin_bench_arguments *args, struct kin_bench_report *report);
    unsigned takes;
} modes[] = {
    {"decode", kin_bench_decode, TAKES_SECONDS | TAKES_PER_OBJECT | TAKES_THREADS},
    {"replace", kin_bench_replace, TAKES_SECONDS},
    {"memory", kin_bench_memory, 0},
    {"read", kin_bench_read, TAKES_SECONDS},
    {"encode", kin_bench_encode, TAKES_SECONDS},
};

static int usage(const char *message, const char *value)
{
    fprintf(stderr, "kin-bench-objects: %s%s%s\ntry: kin-bench-objects --help\n", message,
            value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

static const struct mode *mode_named(const char *name)
{
    for (size_t m = 0; m < KIN_BENCH_LEN(modes); m++) {
        if (strcmp(name, modes[m].name) == 0)
            return &modes[m];
    }
    return NULL;
}

static int parse_seconds(struct kin_bench_arguments *args, const char *value)
{
    char *end;

    args->seconds = strtod(value, &end);
    if (end == value || *end != '\0' || !(args->seconds > 0 && args->seconds <= MAX_SECONDS))
        return usage("--seconds wants a number above 0 and up to 3600, got", value);
    return 0;
}

static int parse_threads(struct kin_bench_arguments *args, const char *value)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);

    if (end == value || *end != '\0' || n < 1 || n > KIN_BENCH_MAX_THREADS)
        return usage("--threads wants a number from 1 to 64, got", value);
    args->threads = (unsigned)n;
    return 0;
}

static int parse_drop(struct kin_bench_arguments *args, const char *value)
{
    kin_error err = KIN_ERROR_INIT;

    if (args->projection)
        return usage("--drop is there twice", NULL);
    if (kin_projection_drop(&args->projection, kin_str_of(value), &err) < 0)
        return usage("--drop wants paths", err.message);
    return 0;
}

/* 0, or the exit status after the error was printed. */
static int parse_option(struct kin_bench_arguments *args, const struct mode *mode, int opt,
                        const char *value)
{
    static const struct {
        int opt;
        unsigned needs;
        const char *name;
    } limited[] = {{'s', TAKES_SECONDS, "--seconds"},
                   {'p', TAKES_PER_OBJECT, "--per-object"},
                   {'t', TAKES_THREADS, "--threads"}};

    for (size_t i = 0; i < KIN_BENCH_LEN(limited); i++) {
        if (opt == limited[i].opt && !(mode->takes & limited[i].needs))
            return usage("this mode has no option", limited[i].name);
    }
    switch (opt) {
    case 'f':
        args->file = value;
        return 0;
    case 'd':
        return parse_drop(args, value);
    case 'p':
        args->per_object = true;
        return 0;
    case 's':
        return parse_seconds(args, value);
    case 't':
        return parse_threads(args, value);
    default:
        fputs("try: kin-bench-objects --help\n", stderr);
        return EXIT_USAGE;
    }
}

static int parse_command(struct kin_bench_arguments *args, const struct mode *mode, int argc,
                         char **argv)
{
    static const struct option longs[] = {
        {"file", required_argument, NULL, 'f'},    {"seconds", required_argument, NULL, 's'},
        {"drop", required_argument, NULL, 'd'},    {"per-object", no_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 't'}, {NULL, 0, NULL, 0},
    };
    int status = 0;
    int opt;

    while (status == 0 && (opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
        status = parse_option(args, mode, opt, optarg);
    if (status != 0)
        return status;
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    return args->file ? 0 : usage("--file is missing", NULL);
}

void kin_bench_report_rates(struct kin_bench_report *report, const struct kin_bench_usage *used,
                            uint64_t objects, uint64_t bytes)
{
    double wall = (double)used->wall / 1e9;
    double cpu = (double)used->cpu / 1e9;

    kin_bench_report_usage(report, used);
    kin_bench_report_measure(report, "ops", (double)objects / wall, "1/s");
    kin_bench_report_measure(report, "bytes", (double)bytes / wall, "B/s");
    kin_bench_report_measure(report, "bytes_per_core", (double)bytes / cpu, "B/s");
}

int main(int argc, char **argv)
{
    struct kin_bench_arguments args = {.seconds = 3, .threads = 1};
    struct kin_bench_report report;
    const struct mode *mode;
    int status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    mode = argc > 1 ? mode_named(argv[1]) : NULL;
    if (!mode)
        return usage("the first argument is a mode", argc > 1 ? argv[1] : NULL);
    status = parse_command(&args, mode, argc - 1, argv + 1);
    if (status != 0) {
        kin_projection_unref(args.projection);
        return status;
    }
    kin_bench_report_init(&report);
    mode->run(&args, &report);
    kin_projection_unref(args.projection);
    /* A promise of the library, and what makes the figures of memory true. */
    if (kin_bench_pool_values() != 0)
        kin_bench_die("%llu shared values were left behind",
                      (unsigned long long)kin_bench_pool_values());
    kin_bench_write(&report);
    return EXIT_SUCCESS;
}
