/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-apiserver: the embedded API server, and clients that cost next to nothing. Arguments.
 */
#include "apiserver.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define NUMBER_MAX 1000000

static const char help[] =
    "usage: kin-bench-apiserver MODE [--url URL] [--pods FILE] [--sqlite] [--connections N]\n"
    "                           [--depth N] [--streams N] [--events N]\n"
    "\n"
    "  serve   a server on a port of its own, until standard input ends\n"
    "  start   start a server, until it answers\n"
    "  create  create Pods on the server of --url\n"
    "  memory  start a server, create Pods, and look at its memory\n"
    "  watch   one object of the server of --url changes, and many watch it\n"
    "\n"
    "  --pods FILE      a list of kin-bench-pods; serve: that are there from the beginning\n"
    "  --sqlite         serve, start, memory: everything is stored, in a folder that goes at the end\n"
    "  --connections N  that requests are sent on (4)\n"
    "  --depth N        requests that are on the way on each (8)\n"
    "  --streams N      watches at the same time (1)\n"
    "  --events N       changes (1)\n";

static const struct {
    const char *name;
    void (*run)(const struct kin_bench_run *run);
    bool wants_url;
    bool wants_pods;
} modes[] = {
    {"serve", kin_bench_serve, false, false}, {"start", kin_bench_start, false, false},
    {"create", kin_bench_create, true, true}, {"memory", kin_bench_memory, false, true},
    {"watch", kin_bench_watch, true, false},
};

void kin_bench_write(const struct kin_bench_report *report)
{
    if (kin_bench_report_write(report, stdout) < 0)
        kin_bench_die("the report cannot be written");
}

static bool parse_options(struct kin_bench_run *run, int argc, char **argv)
{
    static const struct option longs[] = {
        {"url", required_argument, NULL, 'u'},    {"pods", required_argument, NULL, 'p'},
        {"sqlite", no_argument, NULL, 'q'},       {"connections", required_argument, NULL, 'c'},
        {"depth", required_argument, NULL, 'd'},  {"streams", required_argument, NULL, 's'},
        {"events", required_argument, NULL, 'e'}, {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (opt) {
        case 'u':
            run->url = optarg;
            break;
        case 'p':
            run->pods = optarg;
            break;
        case 'q':
            run->sqlite = true;
            break;
        case 'c':
            run->connections = kin_bench_number(optarg, NUMBER_MAX);
            break;
        case 'd':
            run->depth = kin_bench_number(optarg, NUMBER_MAX);
            break;
        case 's':
            run->streams = kin_bench_number(optarg, NUMBER_MAX);
            break;
        case 'e':
            run->events = kin_bench_number(optarg, NUMBER_MAX);
            break;
        default:
            return false;
        }
    }
    return optind + 1 == argc;
}

int main(int argc, char **argv)
{
    struct kin_bench_run run = {.connections = 4, .depth = 8, .streams = 1, .events = 1};

    if (parse_options(&run, argc, argv)) {
        for (size_t i = 0; i < KIN_BENCH_LEN(modes); i++) {
            if (strcmp(argv[optind], modes[i].name) == 0 &&
                modes[i].wants_url == (run.url != NULL) && (!modes[i].wants_pods || run.pods)) {
                modes[i].run(&run);
                return 0;
            }
        }
    }
    fputs(help, stderr);
    return EXIT_USAGE;
}
