/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-pods: writes a deterministic set of Pods and watch events. Arguments only; all work is
 * done by the library. SIGINT, SIGTERM and SIGHUP end it with the temporary files removed.
 */
#include "pods.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
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

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"pods", required_argument, NULL, 'p'},  {"variant", required_argument, NULL, 'v'},
        {"seed", required_argument, NULL, 's'},  {"events", required_argument, NULL, 'e'},
        {"files", required_argument, NULL, 'f'}, {"out", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    struct kin_bench_pods_options options = {
        .seed = 1, .variant = KIN_BENCH_TEMPLATED, .files = KIN_BENCH_FILES_ALL};
    struct kin_bench_pods_result result;
    struct kin_bench_pods_error err;
    const char *dir = NULL;
    int opt;

    while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (opt) {
        case 'p':
            if (parse_number(optarg, KIN_BENCH_PODS_MAX, &options.pods) < 0 || !options.pods)
                return usage("--pods wants a number from 1 to 10000000, got", optarg);
            break;
        case 'v':
            if (!strcmp(optarg, "templated"))
                options.variant = KIN_BENCH_TEMPLATED;
            else if (!strcmp(optarg, "singleton"))
                options.variant = KIN_BENCH_SINGLETON;
            else
                return usage("--variant wants templated or singleton, got", optarg);
            break;
        case 's':
            if (parse_number(optarg, UINT64_MAX, &options.seed) < 0)
                return usage("--seed wants a number from 0 to 18446744073709551615, got", optarg);
            break;
        case 'e':
            if (parse_number(optarg, KIN_BENCH_EVENTS_MAX, &options.events) < 0)
                return usage("--events wants a number from 0 to 1000000000, got", optarg);
            break;
        case 'f':
            if (parse_files(optarg, &options.files) < 0)
                return usage("--files wants names out of pods.json,pods.meta.json,stream.jsonl,"
                             "events.jsonl, got",
                             optarg);
            break;
        case 'o':
            if (!*optarg)
                return usage("--out wants a directory", NULL);
            dir = optarg;
            break;
        case 'h':
            return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
        default:
            (void)fputs("try: kin-bench-pods --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    if (!options.pods)
        return usage("--pods is missing", NULL);
    if (!dir)
        return usage("--out is missing", NULL);

    catch_signals();
    if (kin_bench_pods_write(&options, dir, &stop, &result, &err) < 0) {
        (void)fprintf(stderr, "kin-bench-pods: %s\n", err.message);
        return EXIT_FAILURE;
    }
    if (printf("wrote %s: %llu pods (%llu bytes mean), %llu events, %llu bytes\n", dir,
               (unsigned long long)options.pods, (unsigned long long)result.pod_mean,
               (unsigned long long)options.events, (unsigned long long)result.total) < 0 ||
        fflush(stdout) != 0) {
        (void)fprintf(stderr, "kin-bench-pods: cannot write to stdout: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
