/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list: received by the I/O thread, decoded by this one. Measured is what comes behind the making of
 * the client: connecting, asking, receiving, decoding.
 */
#include "client.h"

#include <string.h>
#include <sys/stat.h>

static void report(const struct kin_bench_usage *usage, double bytes, size_t items)
{
    struct kin_bench_report report;
    struct kin_bench_memory memory = kin_bench_memory_now();

    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, usage);
    kin_bench_report_memory(&report, &memory);
    if (bytes > 0)
        kin_bench_report_measure(&report, "bytes", bytes * 1e9 / (double)usage->wall, "B/s");
    if (items > 0)
        kin_bench_report_measure(&report, "ops", (double)items * 1e9 / (double)usage->wall, "1/s");
    kin_bench_write(&report);
}

static double size_of(const char *file)
{
    struct stat st;

    if (!file)
        return 0;
    if (stat(file, &st) < 0)
        kin_bench_die("cannot look at %s", file);
    return (double)st.st_size;
}

static int count_item(const kin_object *object, void *arg, kin_error *err)
{
    size_t *n = arg;

    (void)object;
    (void)err;
    (*n)++;
    return 0;
}

void kin_bench_list(const struct kin_bench_run *run)
{
    kin_client *client = kin_bench_client_new(&run->server);
    kin_resource *pods = kin_bench_resource_new("", "pods", "Pod");
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    kin_error err = KIN_ERROR_INIT;
    double bytes = size_of(run->file);
    size_t n = 0;

    kin_bench_section_start(&section);
    if (kin_client_list(client, NULL, pods, NULL, count_item, &n, NULL, &err) < 0)
        kin_bench_die("no list: %s", err.message);
    kin_bench_section_stop(&section, &usage);
    kin_resource_unref(pods);
    kin_client_free(client);
    report(&usage, bytes, n);
}

static size_t receive(kin__exchange *exchange)
{
    kin_error err = KIN_ERROR_INIT;
    size_t bytes = 0;
    kin_str piece;
    int code;

    for (;;) {
        while (kin__exchange_read(exchange, &piece))
            bytes += piece.len;
        if (kin__exchange_ended(exchange, &code, &err))
            break;
        kin__exchange_wait(exchange, INT64_MAX);
    }
    if (code < 0 || kin__exchange_answer(exchange)->status != 200)
        kin_bench_die("no list: %s", err.message);
    return bytes;
}

void kin_bench_fetch(const struct kin_bench_run *run)
{
    kin__exchange_spec spec = {.target = KIN_BENCH_PODS, .kind = KIN__LANE_LIST};
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_raw raw;

    kin_bench_raw_open(&raw, run);
    kin_bench_section_start(&section);
    kin__exchange *exchange = kin_bench_raw_start(&raw, run, &spec);
    size_t bytes = receive(exchange);
    kin_bench_section_stop(&section, &usage);
    kin__exchange_unref(exchange);
    kin_bench_raw_close(&raw);
    report(&usage, (double)bytes, 0);
}
