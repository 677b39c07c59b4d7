/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments only; the modes are in modes.c.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "workqueue.h"

#define EXIT_USAGE 2
#define MAX_SECONDS 3600
#define MAX_NUMBER 100000000

static const char help[] =
    "usage: kin-bench-workqueue --mode MODE [OPTION]...\n"
    "\n"
    "  lockstep      one thread adds, gets and is done, one key after the other\n"
    "  burst         one thread adds all keys, then gets all and is done with each\n"
    "  waiting       one thread adds few keys again and again, nobody gets them\n"
    "  add-get-done  one thread adds, consumers get and are done\n"
    "  hot           the same with few keys\n"
    "  ratelimited   each key once through the rate limiter, got after its delay\n"
    "\n"
    "  --keys N       number of keys (default 100000)\n"
    "  --adds N       adds in one pass (default 1000000)\n"
    "  --hot-keys N   keys of modes hot and waiting (default 100)\n"
    "  --consumers N  consuming threads, 1 to 64 (default 1)\n"
    "  --batch N      keys that a consumer gets at a time, 1 to 1024 (default 1)\n"
    "  --next         done and get in one call\n"
    "  --min-time S   repeat until this has been timed, seconds (default 1)\n"
    "  --help         this text\n";

static const struct mode {
    const char *name;
    kin_bench_mode_fn *run;
} modes[] = {
    {"lockstep", kin_bench_lockstep}, {"burst", kin_bench_burst},
    {"waiting", kin_bench_waiting},   {"add-get-done", kin_bench_add_get_done},
    {"hot", kin_bench_hot},           {"ratelimited", kin_bench_rate_limited},
};

_Noreturn void kin_bench_die(const char *format, ...)
{
    va_list args;

    fputs("kin-bench-workqueue: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}

static int usage(const char *message, const char *value)
{
    fprintf(stderr, "kin-bench-workqueue: %s%s%s\ntry: kin-bench-workqueue --help\n", message,
            value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

static const struct mode *mode_named(const char *name)
{
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(name, modes[i].name) == 0)
            return &modes[i];
    }
    return NULL;
}

static int parse_number(size_t *ret, const char *value, unsigned long most)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);

    if (*value < '0' || *value > '9' || *end != '\0' || n < 1 || n > most)
        return usage("a number from 1 to what the help says is wanted, got", value);
    *ret = n;
    return 0;
}

static int parse_seconds(double *ret, const char *value)
{
    char *end;

    *ret = strtod(value, &end);
    if (end == value || *end != '\0' || !(*ret > 0 && *ret <= MAX_SECONDS))
        return usage("--min-time wants a number above 0 and up to 3600, got", value);
    return 0;
}

static int parse_option(struct kin_bench_arguments *args, const struct mode **mode, int letter,
                        const char *value)
{
    switch (letter) {
    case 'm':
        *mode = mode_named(value);
        return *mode ? 0 : usage("unknown --mode", value);
    case 'k':
        return parse_number(&args->keys, value, MAX_NUMBER);
    case 'a':
        return parse_number(&args->adds, value, MAX_NUMBER);
    case 'h':
        return parse_number(&args->hot_keys, value, MAX_NUMBER);
    case 'c':
        return parse_number(&args->consumers, value, KIN_BENCH_MAX_CONSUMERS);
    case 'b':
        return parse_number(&args->batch, value, KIN_BENCH_MAX_BATCH);
    case 't':
        return parse_seconds(&args->min_time, value);
    default:
        args->next = true;
        return 0;
    }
}

static int parse_command(struct kin_bench_arguments *args, const struct mode **mode, int argc,
                         char **argv)
{
    static const struct option longs[] = {
        {"mode", required_argument, NULL, 'm'},
        {"keys", required_argument, NULL, 'k'},
        {"adds", required_argument, NULL, 'a'},
        {"hot-keys", required_argument, NULL, 'h'},
        {"consumers", required_argument, NULL, 'c'},
        {"batch", required_argument, NULL, 'b'},
        {"min-time", required_argument, NULL, 't'},
        {"next", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        int status = EXIT_USAGE;

        if (letter == '?')
            fputs("try: kin-bench-workqueue --help\n", stderr);
        else
            status = parse_option(args, mode, letter, optarg);
        if (status != 0)
            return status;
    }
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    if (!*mode)
        return usage("--mode is wanted", NULL);
    if (args->hot_keys > args->keys)
        return usage("there are no more hot keys than keys", NULL);
    return 0;
}

int main(int argc, char **argv)
{
    struct kin_bench_arguments args = {.keys = 100000,
                                       .adds = 1000000,
                                       .hot_keys = 100,
                                       .consumers = 1,
                                       .batch = 1,
                                       .min_time = 1};
    const struct mode *mode = NULL;
    struct kin_bench_report report;
    int status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    status = parse_command(&args, &mode, argc, argv);
    if (status != 0)
        return status;
    kin_bench_report_init(&report);
    mode->run(&args, &report);
    if (kin_bench_report_write(&report, stdout) < 0)
        kin_bench_die("cannot write the report");
    return EXIT_SUCCESS;
}
