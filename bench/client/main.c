/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-client: the transport against a server of ready-made bytes. A list is received by the
 * I/O thread and decoded by this one; watches are received by the I/O thread, and this one reads what
 * it is notified of and counts the events.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kinform/stream.h>

#include "base/compiler.h"
#include "client/config.h"
#include "client/transport.h"
#include "load.h"
#include "measure.h"

#define EXIT_USAGE 2
#define MAX_STREAMS 10000

static const char help[] = "usage: kin-bench-client list URL TARGET\n"
                           "       kin-bench-client fetch URL TARGET\n"
                           "       kin-bench-client watch URL TARGET STREAMS EVENTS\n"
                           "\n"
                           "  list   get a list and decode it; the objects are not kept\n"
                           "  fetch  get it and throw the bytes away\n"
                           "  watch  read this many EVENTS (lines) on each of so many STREAMS\n";

static kin__transport *open_transport(const char *url)
{
    kin_config config = {.server = kin__unconst(url), .no_compression = true};
    kin__transport_options options = {.config = &config, .clock = kin_clock_system()};
    kin_error err = KIN_ERROR_INIT;
    kin__transport *transport;

    if (kin__transport_new(&transport, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    return transport;
}

static kin__exchange *start(kin__transport *transport, const kin__exchange_spec *spec)
{
    kin_error err = KIN_ERROR_INIT;
    kin__exchange *exchange;

    if (kin__transport_start(transport, &exchange, spec, &err) < 0)
        kin_bench_die("%s", err.message);
    return exchange;
}

static void write_report(const struct kin_bench_report *report)
{
    if (kin_bench_report_write(report, stdout) < 0)
        kin_bench_die("the report cannot be written");
}

/* --- a list --- */

static int count_item(const kin_object *object, void *arg, kin_error *err)
{
    size_t *n = arg;

    (void)object;
    (void)err;
    (*n)++;
    return 0;
}

/* The bytes of its body, decoded if there is a decoder. */
static size_t receive(kin__exchange *exchange, kin_list_decoder *decoder)
{
    kin_error err = KIN_ERROR_INIT;
    size_t bytes = 0;
    kin_str piece;
    int code;

    for (;;) {
        while (kin__exchange_read(exchange, &piece)) {
            bytes += piece.len;
            if (decoder && kin_list_decoder_feed(decoder, piece, &err) < 0)
                kin_bench_die("%s", err.message);
        }
        if (kin__exchange_ended(exchange, &code, &err))
            break;
        kin__exchange_wait(exchange, INT64_MAX);
    }
    if (code < 0 || kin__exchange_answer(exchange)->status != 200)
        kin_bench_die("no list: %s", err.message);
    if (decoder && kin_list_decoder_finish(decoder, NULL, &err) < 0)
        kin_bench_die("%s", err.message);
    return bytes;
}

static void run_list(const char *url, const char *target, bool decode)
{
    kin__transport *transport = open_transport(url);
    kin__exchange_spec spec = {
        .method = "GET", .target = target, .deadline = INT64_MAX, .is_bulk = true};
    kin_decode_options options = kin_bench_decode_options(NULL);
    kin_list_decoder *decoder = NULL;
    struct kin_bench_section section;
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_report report;
    struct kin_bench_memory memory;
    size_t n = 0;

    if (decode && kin_list_decoder_new(&decoder, &options, count_item, &n, NULL, NULL) < 0)
        kin_bench_die("no decoder");
    kin_bench_section_start(&section);
    kin__exchange *exchange = start(transport, &spec);
    size_t bytes = receive(exchange, decoder);
    kin_bench_section_stop(&section, &usage);
    kin__exchange_unref(exchange);
    kin__transport_free(transport);
    kin_list_decoder_free(decoder);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    if (kin_bench_memory_read(&memory) == 0)
        kin_bench_report_memory(&report, &memory);
    kin_bench_report_measure(&report, "bytes", (double)bytes * 1e9 / (double)usage.wall, "B/s");
    kin_bench_report_measure(&report, "items", (double)n, "count");
    write_report(&report);
}

/* --- watches --- */

struct stream {
    kin__exchange *exchange;
    struct stream *next; /* (lock) */
    size_t events;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static struct stream *first; /* (lock) streams with something to read */
static struct stream *last;  /* (lock) */

static void on_notify(kin__exchange *exchange, void *arg)
{
    struct stream *stream = arg;

    (void)exchange;
    pthread_mutex_lock(&lock);
    stream->next = NULL;
    if (first)
        last->next = stream;
    else
        first = stream;
    last = stream;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
}

static struct stream *next_ready(void)
{
    pthread_mutex_lock(&lock);
    while (!first)
        pthread_cond_wait(&ready, &lock);
    struct stream *stream = first;
    first = stream->next;
    pthread_mutex_unlock(&lock);
    return stream;
}

static void count_events(struct stream *stream)
{
    kin_str piece;
    int code;

    while (kin__exchange_read(stream->exchange, &piece)) {
        const char *end = piece.data + piece.len;

        for (const char *at = piece.data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
            stream->events++;
    }
    if (kin__exchange_ended(stream->exchange, &code, NULL))
        kin_bench_die("a watch ended: %s", kin_error_name(code));
}

static unsigned count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned n = 0;

    if (!folder)
        return 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void run_watch(const char *url, const char *target, size_t n, size_t events)
{
    kin__transport *transport = open_transport(url);
    struct stream *streams = kin_bench_alloc(n, sizeof(*streams));
    struct kin_bench_section section;
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_report report;
    struct kin_bench_memory before = {0, 0, 0};
    struct kin_bench_memory after = {0, 0, 0};
    size_t complete = 0;

    kin_bench_memory_read(&before);
    kin_bench_section_start(&section);
    for (size_t i = 0; i < n; i++) {
        kin__exchange_spec spec = {.method = "GET",
                                   .target = target,
                                   .deadline = INT64_MAX,
                                   .is_watch = true,
                                   .buffer_limit = (size_t)64 * 1024,
                                   .notify = on_notify,
                                   .arg = &streams[i]};

        /* The first notify may come before the pointer is stored: it is stored under its lock. */
        pthread_mutex_lock(&lock);
        streams[i].exchange = start(transport, &spec);
        pthread_mutex_unlock(&lock);
    }
    while (complete < n) {
        struct stream *stream = next_ready();
        bool was_complete = stream->events >= events;

        count_events(stream);
        complete += !was_complete && stream->events >= events;
    }
    kin_bench_section_stop(&section, &usage);
    kin_bench_memory_read(&after);
    size_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += streams[i].events;
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_memory(&report, &after);
    kin_bench_report_measure(&report, "ops", (double)all * 1e9 / (double)usage.wall, "1/s");
    kin_bench_report_measure(&report, "rss_anon_per_stream",
                             ((double)after.rss_anon - (double)before.rss_anon) / (double)n, "B");
    kin_bench_report_measure(&report, "threads", count_threads(), "count");
    write_report(&report);
    kin__transport_free(transport);
    for (size_t i = 0; i < n; i++)
        kin__exchange_unref(streams[i].exchange);
    free(streams);
}

static size_t parse_number(const char *text, size_t max)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || n < 1 || n > max)
        kin_bench_die("a number from 1 to %zu is wanted, got %s", max, text);
    return n;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "list") == 0) {
        run_list(argv[2], argv[3], true);
    } else if (argc == 4 && strcmp(argv[1], "fetch") == 0) {
        run_list(argv[2], argv[3], false);
    } else if (argc == 6 && strcmp(argv[1], "watch") == 0) {
        run_watch(argv[2], argv[3], parse_number(argv[4], MAX_STREAMS),
                  parse_number(argv[5], 100000000));
    } else {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    return 0;
}
