/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-client: the client against a server of ready-made bytes. Arguments, and what its parts
 * share.
 */
#include "client.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

#define EXIT_USAGE 2
#define STREAMS_MAX 10000
#define EVENTS_MAX 100000000

static const char help[] =
    "usage: kin-bench-client MODE --url URL [--ca FILE] [--file FILE] [--streams N] [--events N]\n"
    "\n"
    "  list       list all Pods with a client; the objects are not kept\n"
    "  fetch      get the same list without a client, and throw the bytes away\n"
    "  watch      watch Pods with one client, on so many streams; the objects are not kept\n"
    "  watch-raw  the same without a client; lines are counted, and not decoded\n"
    "\n"
    "  --ca FILE    what to trust, of an https URL\n"
    "  --file FILE  list: what the server answers with, for its size\n"
    "  --streams N  watch: watches at the same time (1)\n"
    "  --events N   watch: events of each to wait for (1)\n";

static const struct {
    const char *name;
    void (*run)(const struct kin_bench_run *run);
} modes[] = {
    {"list", kin_bench_list},
    {"fetch", kin_bench_fetch},
    {"watch", kin_bench_watch},
    {"watch-raw", kin_bench_watch_raw},
};

kin_config *kin_bench_config_new(const struct kin_bench_run *run)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    options.server = run->url;
    options.ca_file = run->ca;
    options.no_compression = true; /* the server has nothing compressed */
    if (kin_config_new(&config, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    return config;
}

kin_client *kin_bench_client_new(const struct kin_bench_run *run)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    options.config = kin_bench_config_new(run);
    options.qps = -1;
    options.timeout_ms = -1;
    if (kin_client_new(&client, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    kin_config_unref(options.config);
    return client;
}

kin_resource *kin_bench_pods_resource(void)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *pods = NULL;

    spec.version = "v1";
    spec.resource = "pods";
    spec.kind = "Pod";
    if (kin_resource_new(&pods, &spec, &err) < 0)
        kin_bench_die("%s", err.message);
    return pods;
}

void kin_bench_raw_open(struct kin_bench_raw *raw, const struct kin_bench_run *run)
{
    kin__transport_options options = {.clock = kin_clock_system()};
    kin_error err = KIN_ERROR_INIT;

    memset(raw, 0, sizeof(*raw));
    raw->config = kin_bench_config_new(run);
    options.config = raw->config;
    if (kin__credentials_new(&raw->credentials, raw->config, options.clock, NULL, &err) < 0 ||
        kin__credentials_get(raw->credentials, &raw->identity, INT64_MAX, NULL, &err) < 0 ||
        kin__transport_new(&raw->transport, &options, &err) < 0)
        kin_bench_die("%s", err.message);
}

kin__exchange *kin_bench_raw_start(struct kin_bench_raw *raw, kin__exchange_spec *spec)
{
    kin_error err = KIN_ERROR_INIT;
    kin__exchange *exchange = NULL;

    spec->method = "GET";
    spec->identity = &raw->identity;
    spec->deadline = INT64_MAX;
    if (kin__transport_start(raw->transport, &exchange, spec, &err) < 0)
        kin_bench_die("%s", err.message);
    return exchange;
}

void kin_bench_raw_close(struct kin_bench_raw *raw)
{
    kin__transport_free(raw->transport);
    kin__identity_done(&raw->identity);
    kin__credentials_free(raw->credentials);
    kin_config_unref(raw->config);
}

void kin_bench_write(const struct kin_bench_report *report)
{
    if (kin_bench_report_write(report, stdout) < 0)
        kin_bench_die("the report cannot be written");
}

static bool parse_options(struct kin_bench_run *run, int argc, char **argv)
{
    static const struct option longs[] = {
        {"url", required_argument, NULL, 'u'},    {"ca", required_argument, NULL, 'c'},
        {"file", required_argument, NULL, 'f'},   {"streams", required_argument, NULL, 's'},
        {"events", required_argument, NULL, 'e'}, {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (opt) {
        case 'u':
            run->url = optarg;
            break;
        case 'c':
            run->ca = optarg;
            break;
        case 'f':
            run->file = optarg;
            break;
        case 's':
            run->streams = kin_bench_number(optarg, STREAMS_MAX);
            break;
        case 'e':
            run->events = kin_bench_number(optarg, EVENTS_MAX);
            break;
        default:
            return false;
        }
    }
    return optind + 1 == argc && run->url;
}

int main(int argc, char **argv)
{
    struct kin_bench_run run = {.streams = 1, .events = 1};

    if (parse_options(&run, argc, argv)) {
        for (size_t i = 0; i < KIN_BENCH_LEN(modes); i++) {
            if (strcmp(argv[optind], modes[i].name) == 0) {
                modes[i].run(&run);
                return 0;
            }
        }
    }
    fputs(help, stderr);
    return EXIT_USAGE;
}
