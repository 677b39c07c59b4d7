/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command: phases of chaos and quiet until there were enough events and faults, then what there was.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "chaos.h"
#include "truth.h"

/* One event in so many meets a fault with a scale of 1. */
#define EVENTS_PER_FAULT 18

static const char usage[] =
    "usage: chaos [options]\n"
    "\n"
    "Informers follow an embedded API server that misbehaves; now and then there is quiet, and all of\n"
    "them must have what the server has, and have told it.\n"
    "\n"
    "  --seed N       decides what happens; 0: another one each time (1)\n"
    "  --events N     that informers receive, at least (1000000)\n"
    "  --faults N     that the server makes, at least (10000)\n"
    "  --informers N  with four handlers each, 5 to 1000 (20)\n"
    "  --seconds N    not longer than that, and what is missing then is no failure (no limit)\n"
    "  --verbose      a line per phase\n"
    "  --help         this\n";

enum { OPT_SEED = 1, OPT_EVENTS, OPT_FAULTS, OPT_INFORMERS, OPT_SECONDS, OPT_VERBOSE, OPT_HELP };

static bool read_number(uint64_t *ret, const char *text)
{
    char *end = NULL;

    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

/* 0, or an exit code; -1: go on. */
static int take_option(chaos_options *ret, int option)
{
    uint64_t n = 0;

    if (option == OPT_VERBOSE) {
        ret->is_verbose = true;
        return -1;
    }
    if (option == OPT_HELP) {
        (void)fputs(usage, stdout);
        return 0;
    }
    if (option == '?' || !optarg || !read_number(&n, optarg)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    if (option == OPT_SEED)
        ret->seed = n;
    else if (option == OPT_EVENTS)
        ret->events = n;
    else if (option == OPT_FAULTS)
        ret->faults = n;
    else if (option == OPT_INFORMERS)
        ret->informers = n <= CHAOS_INFORMERS_MAX ? (unsigned)n : 0;
    else
        ret->seconds = n <= UINT32_MAX ? (unsigned)n : UINT32_MAX;
    return -1;
}

static int read_options(chaos_options *ret, int argc, char **argv)
{
    static const struct option longs[] = {{"seed", required_argument, NULL, OPT_SEED},
                                          {"events", required_argument, NULL, OPT_EVENTS},
                                          {"faults", required_argument, NULL, OPT_FAULTS},
                                          {"informers", required_argument, NULL, OPT_INFORMERS},
                                          {"seconds", required_argument, NULL, OPT_SECONDS},
                                          {"verbose", no_argument, NULL, OPT_VERBOSE},
                                          {"help", no_argument, NULL, OPT_HELP},
                                          {NULL, 0, NULL, 0}};
    int status = -1, option;

    *ret = (chaos_options){.seed = 1, .events = 1000000, .faults = 10000, .informers = 20};
    while (status < 0 && (option = getopt_long(argc, argv, "", longs, NULL)) != -1)
        status = take_option(ret, option);
    if (status < 0 && (ret->informers < KIN_TEST_KINDS || ret->events == 0 || optind < argc)) {
        (void)fputs(usage, stderr);
        status = 2;
    }
    return status;
}

/* --- the run --- */

static int64_t seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void plan(chaos *c)
{
    uint64_t writes = c->options.events / 400;

    if (c->options.seed == 0)
        c->options.seed = (uint64_t)time(NULL);
    c->writes = (unsigned)(writes < 300 ? 300 : writes > 4000 ? 4000 : writes);
    c->scale = (double)c->options.faults / (double)c->options.events * EVENTS_PER_FAULT;
    if (c->scale > 1)
        c->scale = 1;
    if (c->scale < 0.05)
        c->scale = 0.05;
}

static bool is_enough(chaos *c, int64_t began)
{
    chaos_sums sums;

    chaos_sum(c, &sums);
    if (c->options.is_verbose)
        printf("phase %u, %lld s: %llu events, %llu faults, %llu lists\n", c->phase,
               (long long)(seconds_now() - began), (unsigned long long)sums.events,
               (unsigned long long)chaos_count_faults(c), (unsigned long long)sums.lists);
    if (c->options.seconds && seconds_now() - began >= c->options.seconds)
        return true;
    return sums.events >= c->options.events && chaos_count_faults(c) >= c->options.faults;
}

static bool run_phase(chaos *c)
{
    kin_test_rng rng = {c->options.seed * 7919 + c->phase};

    /* One in three; not the first, which shows that all can be well, but the second of short runs. */
    c->lies = c->phase == 1 || (c->phase > 1 && kin_test_below(&rng, 3) == 0);
    c->n_phases[c->lies]++;
    for (unsigned i = 0; i < c->options.informers; i++)
        kin_test_follower_may_go_back(&c->followers[i], c->lies);
    kin_test_faults_inject(&c->faults, c->lies, c->scale);
    chaos_write(c);
    kin_test_faults_remove(&c->faults);
    return chaos_quieten(c);
}

static void print_row(const char *what, uint64_t n)
{
    printf("  %-30s %10llu\n", what, (unsigned long long)n);
}

static void print_table(chaos *c, int64_t began)
{
    static const char *const deeds[CHAOS_DEEDS] = {"compactions",
                                                   "restarts",
                                                   "restarts that forget",
                                                   "rewinds",
                                                   "informers stopped and started",
                                                   "handlers replaced",
                                                   "other namespaces or selectors"};
    chaos_sums sums;

    chaos_sum(c, &sums);
    printf("\nchaos: seed %llu, %lld s, %u informers with %d handlers each\n",
           (unsigned long long)c->options.seed, (long long)(seconds_now() - began),
           c->options.informers, KIN_TEST_HANDLERS);
    print_row("phases without lies", c->n_phases[0]);
    print_row("phases with lies", c->n_phases[1]);
    print_row("writes", atomic_load(&c->n_writes));
    print_row("writes that failed", atomic_load(&c->n_failed_writes));
    print_row("events received by informers", sums.events);
    print_row("bookmarks", sums.bookmarks);
    print_row("lists", sums.lists);
    print_row("watches", sums.watches);
    print_row("objects skipped", sums.skipped);
    print_row("events told to handlers", sums.told);
    print_row("  merged into others", sums.merged);
    print_row("  additions that vanished", sums.vanished);
    print_row("  resyncs", sums.syncs);
    print_row("  tombstones", sums.tombstones);
    print_row("  untold: a version used twice", sums.untold);
    for (int i = 0; i < CHAOS_DEEDS; i++)
        print_row(deeds[i], c->deeds[i]);
    print_row("faults", chaos_count_faults(c));
    kin_test_faults_print(&c->faults);
    printf("  allocations %zu, at most %zu; descriptors %zu, %zu; threads %zu, %zu\n",
           c->first.allocations, c->most.allocations, c->first.fds, c->most.fds, c->first.threads,
           c->most.threads);
}

static int fail(const chaos *c, const char *words)
{
    printf("chaos: FAILED: seed %llu, phase %u%s: %s\n", (unsigned long long)c->options.seed,
           c->phase, c->lies ? " with lies" : "", words);
    return 1;
}

static int run(chaos *c)
{
    int64_t began = seconds_now();
    kin_test_holdings before;
    bool ok;

    plan(c);
    kin_test_hold(&before);
    printf("chaos: seed %llu\n", (unsigned long long)c->options.seed);
    chaos_open(c);
    do {
        ok = run_phase(c);
        if (!ok)
            break;
        c->phase++;
    } while (!is_enough(c, began));
    print_table(c, began);
    /* Threads and all are left as they are, so that a debugger finds them. */
    if (!ok)
        return fail(c, c->words);
    chaos_close(c);
    return kin_test_holds_same(&before, c->words, sizeof(c->words)) ? 0 : fail(c, c->words);
}

int main(int argc, char **argv)
{
    static chaos c;
    int status = read_options(&c.options, argc, argv);

    if (status >= 0)
        return status;
    kin_test_alloc_install();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    status = run(&c);
    (void)fflush(stdout);
    /* Not exit(): of a run that has failed threads still run. */
    if (status != 0)
        _Exit(status);
    return 0;
}
