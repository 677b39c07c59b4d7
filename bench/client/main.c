/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-client: the client against a server of ready-made bytes. Arguments, and what its parts
 * share.
 */
#include "client.h"

#include <string.h>

#include "options.h"

#define STREAMS_MAX 10000
#define EVENTS_MAX 100000000

static const char help[] =
    "usage: kin-bench-client MODE --url URL|--kubeconfig FILE [OPTION]...\n"
    "\n"
    "  fill       create the Pods of a file, with so many requests at the same time\n"
    "  list       list all Pods with a client; the objects are not kept\n"
    "  fetch      get the same list without a client, and throw the bytes away\n"
    "  watch      watch Pods with one client, on so many streams; the objects are not kept\n"
    "  watch-raw  the same without a client; events are counted, and not decoded\n"
    "\n" KIN_BENCH_SERVER_HELP
    "  --file FILE           list: the file of the server, for its size; fill: a list of Pods\n"
    "  --streams N           watch: watches at the same time; fill: requests (1)\n"
    "  --events N            watch: events of each to wait for (1)\n";

static const struct {
    const char *name;
    void (*run)(const struct kin_bench_run *run);
} modes[] = {
    {"fill", kin_bench_fill},   {"list", kin_bench_list},           {"fetch", kin_bench_fetch},
    {"watch", kin_bench_watch}, {"watch-raw", kin_bench_watch_raw},
};

void kin_bench_raw_open(struct kin_bench_raw *raw, const struct kin_bench_run *run)
{
    kin__transport_options options = {.clock = kin_clock_system()};
    kin_error err = KIN_ERROR_INIT;

    memset(raw, 0, sizeof(*raw));
    raw->config = kin_bench_config_new(&run->server);
    options.config = raw->config;
    if (kin__credentials_new(&raw->credentials, raw->config, options.clock, NULL, &err) < 0 ||
        kin__credentials_get(raw->credentials, &raw->identity, INT64_MAX, NULL, &err) < 0 ||
        kin__transport_new(&raw->transport, &options, &err) < 0)
        kin_bench_die("%s", err.message);
}

kin__exchange *kin_bench_raw_start(struct kin_bench_raw *raw, const struct kin_bench_run *run,
                                   kin__exchange_spec *spec)
{
    const kin__header accept = {
        kin_str_of("Accept"),
        kin_str_of(run->server.json ? "application/json" : "application/vnd.kubernetes.protobuf")};
    kin_error err = KIN_ERROR_INIT;
    kin__exchange *exchange = NULL;

    spec->method = "GET";
    spec->headers = &accept;
    spec->n_headers = 1;
    spec->identity = &raw->identity;
    spec->deadline = INT64_MAX;
    if (kin__transport_start(raw->transport, &exchange, spec, &err) < 0)
        kin_bench_die("%s", err.message);
    spec->headers = NULL; /* they were copied */
    spec->n_headers = 0;
    return exchange;
}

void kin_bench_raw_close(struct kin_bench_raw *raw)
{
    kin__transport_free(raw->transport);
    kin__identity_done(&raw->identity);
    kin__credentials_free(raw->credentials);
    kin_config_unref(raw->config);
}

int main(int argc, char **argv)
{
    struct kin_bench_run run = {.streams = 1, .events = 1};
    const struct kin_bench_option options[] = {
        KIN_BENCH_SERVER_OPTIONS(&run.server),
        {.name = "file", .text = &run.file},
        {.name = "streams", .number = &run.streams, .max = STREAMS_MAX},
        {.name = "events", .number = &run.events, .max = EVENTS_MAX},
    };
    const char *mode = kin_bench_parse(options, KIN_BENCH_LEN(options), argc, argv);

    for (size_t i = 0; mode && kin_bench_server_is_given(&run.server) && i < KIN_BENCH_LEN(modes);
         i++) {
        if (strcmp(mode, modes[i].name) == 0) {
            modes[i].run(&run);
            return 0;
        }
    }
    fputs(help, stderr);
    return KIN_BENCH_USAGE;
}
