/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-apiserver: the embedded API server, and clients that cost next to nothing. Arguments.
 */
#include "apiserver.h"

#include <string.h>

#include "options.h"

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

int main(int argc, char **argv)
{
    struct kin_bench_run run = {.connections = 4, .depth = 8, .streams = 1, .events = 1};
    const struct kin_bench_option options[] = {
        {.name = "url", .text = &run.url},
        {.name = "pods", .text = &run.pods},
        {.name = "sqlite", .flag = &run.sqlite},
        {.name = "connections", .number = &run.connections, .max = NUMBER_MAX},
        {.name = "depth", .number = &run.depth, .max = NUMBER_MAX},
        {.name = "streams", .number = &run.streams, .max = NUMBER_MAX},
        {.name = "events", .number = &run.events, .max = NUMBER_MAX},
    };
    const char *mode = kin_bench_parse(options, KIN_BENCH_LEN(options), argc, argv);

    for (size_t i = 0; mode && i < KIN_BENCH_LEN(modes); i++) {
        if (strcmp(mode, modes[i].name) == 0 && modes[i].wants_url == (run.url != NULL) &&
            (!modes[i].wants_pods || run.pods)) {
            modes[i].run(&run);
            return 0;
        }
    }
    fputs(help, stderr);
    return KIN_BENCH_USAGE;
}
