/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-informer: informers against a server of ready-made bytes. Arguments, and what all modes
 * share.
 */
#include "informer.h"

#include <string.h>

#include "options.h"

#define EVENTS_MAX 100000000
#define RATE_MAX 1000000
#define KINDS_MAX 12
#define WINDOW_MAX 3600000

static const char help[] =
    "usage: kin-bench-informer MODE --url URL|--kubeconfig FILE [OPTION]...\n"
    "\n"
    "  sync     start an informer of Pods, until it and its handler have all of them\n"
    "  flood    take watch events as fast as they come\n"
    "  latency  the age of watch events at the entry of the handler\n"
    "  idle     watch kinds on which nothing happens\n"
    "\n" KIN_BENCH_SERVER_HELP
    "  --list-mode M         list (the default), or watchlist: the first objects come by a watch\n"
    "  --queue Q             delta (the default), or ordered\n"
    "  --delivery D          handlers run in a thread (the default), or in the workers: pool\n"
    "  --rest                sync: report the memory at rest, too\n"
    "  --events N            flood, latency: how many to take, those of the warm-up included (10000)\n"
    "  --warmup N            latency: so many at the beginning do not count (500)\n"
    "  --rate N              latency: what the server sends per second; a note says if fewer came\n"
    "  --kinds N             idle: how many kinds (10)\n"
    "  --window MS           idle: how long the CPU time is measured (5000)\n";

static const struct {
    const char *name;
    void (*run)(const struct kin_bench_run *run);
} modes[] = {
    {"sync", kin_bench_sync},
    {"flood", kin_bench_flood},
    {"latency", kin_bench_latency},
    {"idle", kin_bench_idle},
};

void kin_bench_report_common(struct kin_bench_report *report, const struct kin_bench_run *run,
                             const struct kin_bench_usage *usage)
{
    kin_bench_report_init(report);
    kin_bench_report_note(report, "%s, list-mode %s, queue %s, handlers in %s",
                          kin_encoding_name(kin_bench_server_encoding(&run->server)),
                          run->streams ? "watchlist" : "list",
                          run->is_ordered ? "ordered" : "delta",
                          run->delivery == KIN_DELIVER_POOL ? "the workers" : "threads");
    kin_bench_report_usage(report, usage);
}

/* What is measured begins with one event and ends with another. */
static bool has_enough_events(const struct kin_bench_run *run, const char *mode)
{
    return run->events >= 2 + (strcmp(mode, "latency") == 0 ? run->warmup : 0);
}

int main(int argc, char **argv)
{
    struct kin_bench_run run = {.events = 10000, .warmup = 500, .kinds = 10, .window_ms = 5000};
    bool in_pool = false;
    const struct kin_bench_option options[] = {
        KIN_BENCH_SERVER_OPTIONS(&run.server),
        {.name = "list-mode", .flag = &run.streams, .no = "list", .yes = "watchlist"},
        {.name = "queue", .flag = &run.is_ordered, .no = "delta", .yes = "ordered"},
        {.name = "delivery", .flag = &in_pool, .no = "thread", .yes = "pool"},
        {.name = "rest", .flag = &run.rest},
        {.name = "events", .number = &run.events, .max = EVENTS_MAX},
        {.name = "warmup", .number = &run.warmup, .max = EVENTS_MAX},
        {.name = "rate", .number = &run.rate, .max = RATE_MAX},
        {.name = "kinds", .number = &run.kinds, .max = KINDS_MAX},
        {.name = "window", .number = &run.window_ms, .max = WINDOW_MAX},
    };
    const char *mode = kin_bench_parse(options, KIN_BENCH_LEN(options), argc, argv);

    run.delivery = in_pool ? KIN_DELIVER_POOL : KIN_DELIVER_THREAD;
    if (mode && kin_bench_server_is_given(&run.server) && has_enough_events(&run, mode)) {
        for (size_t i = 0; i < KIN_BENCH_LEN(modes); i++) {
            if (strcmp(mode, modes[i].name) == 0) {
                modes[i].run(&run);
                return 0;
            }
        }
    }
    (void)fputs(help, stderr);
    return KIN_BENCH_USAGE;
}
