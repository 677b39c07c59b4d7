/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-pods: writes a deterministic set of Pods and watch events. Arguments only; all work is
 * done by the library. SIGINT, SIGTERM and SIGHUP end it with the temporary files removed.
 */
#include "pods.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static volatile int stop;

static void on_signal(int sig)
{
    stop = sig;
}

static const char help[] =
    "usage: kin-bench-pods --pods N [--variant templated|singleton] [--seed S] [--events M]\n"
    "                      [--files LIST] --out DIR\n"
    "\n"
    "Write a set of Kubernetes Pods (about 8 KB of JSON each) and of watch events for the\n"
    "benchmarks. The same arguments give the same bytes on any machine.\n"
    "\n"
    "  --pods N      number of Pods, 1 to 10000000\n"
    "  --variant V   templated: 250 workloads whose Pods share the template (the default)\n"
    "                singleton: every Pod has a workload of its own, nothing repeats\n"
    "  --seed S      seed of all random choices, 0 to 18446744073709551615 (default 1)\n"
    "  --events M    number of MODIFIED events, 0 to 1000000000 (default 0)\n"
    "  --files LIST  write only these, comma separated: pods.json, pods.meta.json,\n"
    "                stream.jsonl, events.jsonl (default: all); others are left as they are\n"
    "  --out DIR     where to write; made when missing. manifest.json comes last: where it is,\n"
    "                the files are whole\n"
    "  --help        this text\n";

static int usage(const char *message, const char *value)
{
    (void)fprintf(stderr, "kin-bench-pods: %s%s%s\ntry: kin-bench-pods --help\n", message,
                  value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

/* Digits only, unlike strtoull(), which takes signs and blanks. */
static int parse_number(const char *text, uint64_t max, uint64_t *ret)
{
    uint64_t v = 0;

    if (!*text)
        return -1;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(*text - '0');

        if (*text < '0' || *text > '9' || v > (max - digit) / 10)
            return -1;
        v = v * 10 + digit;
    }
    *ret = v;
    return 0;
}

static int parse_files(const char *list, unsigned *ret)
{
    unsigned files = 0;

    for (;;) {
        size_t len = strcspn(list, ",");
        unsigned f = 0;

        while (f < KIN_BENCH_FILE_COUNT) {
            const char *name = kin_bench_file_name((enum kin_bench_file)f);

            if (strlen(name) == len && !memcmp(name, list, len))
                break;
            f++;
        }
        if (f == KIN_BENCH_FILE_COUNT)
            return -1;
        files |= 1u << f;
        if (!list[len])
            break;
        list += len + 1;
    }
    *ret = files;
    return 0;
}

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &action, NULL);
    /* Over the file size limit is an error like a full disk, not a reason to die half-way. */
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGXFSZ, &action, NULL);
    (void)sigaction(SIGPIPE, &action, NULL);
}

/* What the command line asks for. */
struct command {
    struct kin_bench_pods_options options;
    const char *dir;
    bool help;
};

static int parse_variant(const char *text, enum kin_bench_variant *ret)
{
    if (!strcmp(text, "templated"))
        *ret = KIN_BENCH_TEMPLATED;
    else if (!strcmp(text, "singleton"))
        *ret = KIN_BENCH_SINGLETON;
    else
        return -1;
    return 0;
}

/* 0, or the exit status after the error was printed. */
static int parse_option(struct command *c, int opt, const char *value)
{
    switch (opt) {
    case 'p':
        if (parse_number(value, KIN_BENCH_PODS_MAX, &c->options.pods) < 0 || !c->options.pods)
            return usage("--pods wants a number from 1 to 10000000, got", value);
        return 0;
    case 'v':
        if (parse_variant(value, &c->options.variant) < 0)
            return usage("--variant wants templated or singleton, got", value);
        return 0;
    case 's':
        if (parse_number(value, UINT64_MAX, &c->options.seed) < 0)
            return usage("--seed wants a number from 0 to 18446744073709551615, got", value);
        return 0;
    case 'e':
        if (parse_number(value, KIN_BENCH_EVENTS_MAX, &c->options.events) < 0)
            return usage("--events wants a number from 0 to 1000000000, got", value);
        return 0;
    case 'f':
        if (parse_files(value, &c->options.files) < 0)
            return usage("--files wants names out of pods.json,pods.meta.json,stream.jsonl,"
                         "events.jsonl, got",
                         value);
        return 0;
    case 'o':
        c->dir = value;
        return *value ? 0 : usage("--out wants a directory", NULL);
    case 'h':
        c->help = true;
        return 0;
    default:
        (void)fputs("try: kin-bench-pods --help\n", stderr);
        return EXIT_USAGE;
    }
}

static int parse_command(struct command *c, int argc, char **argv)
{
    static const struct option longs[] = {
        {"pods", required_argument, NULL, 'p'},  {"variant", required_argument, NULL, 'v'},
        {"seed", required_argument, NULL, 's'},  {"events", required_argument, NULL, 'e'},
        {"files", required_argument, NULL, 'f'}, {"out", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    int status = 0;
    int opt;

    while (status == 0 && !c->help && (opt = getopt_long(argc, argv, "", longs, NULL)) != -1)
        status = parse_option(c, opt, optarg);
    if (status != 0 || c->help)
        return status;
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    if (!c->options.pods)
        return usage("--pods is missing", NULL);
    return c->dir ? 0 : usage("--out is missing", NULL);
}

int main(int argc, char **argv)
{
    struct command c = {
        .options = {.seed = 1, .variant = KIN_BENCH_TEMPLATED, .files = KIN_BENCH_FILES_ALL}};
    struct kin_bench_pods_result result;
    struct kin_bench_pods_error err;
    int status = parse_command(&c, argc, argv);

    if (status != 0)
        return status;
    if (c.help)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    catch_signals();
    if (kin_bench_pods_write(&c.options, c.dir, &stop, &result, &err) < 0) {
        (void)fprintf(stderr, "kin-bench-pods: %s\n", err.message);
        return EXIT_FAILURE;
    }
    if (printf("wrote %s: %llu pods (%llu bytes mean), %llu events, %llu bytes\n", c.dir,
               (unsigned long long)c.options.pods, (unsigned long long)result.pod_mean,
               (unsigned long long)c.options.events, (unsigned long long)result.total) < 0 ||
        fflush(stdout) != 0) {
        (void)fprintf(stderr, "kin-bench-pods: cannot write to stdout: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
