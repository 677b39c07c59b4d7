/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches, all at the same time. With a client, its workers decode and count. Without one, this thread
 * reads what the I/O thread notifies it of, and counts lines of JSON or frames of protobuf.
 *
 * Memory of a watch is what the process has more when all events have come, and all watches are
 * still open, than when none was started; divided by their number. The I/O thread and all else that is
 * there once is in it.
 */
#include <kinform/call.h>

#include "client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a frame's length. */
#define FRAME_HEAD 4

struct stream {
    kin__exchange *exchange; /* NULL with a client */
    struct stream *next;     /* (lock) */
    size_t wanted;
    size_t events; /* its consumer's */
    size_t left;   /* bytes of a frame that are still to come */
    uint32_t head; /* the bytes of a frame's length that have come */
    unsigned n_head;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t complete;      /* (lock) streams whose events have come */
static struct stream *first; /* (lock) streams with something to read */
static struct stream *last;  /* (lock) */

/* --- what is measured --- */

struct measuring {
    struct kin_bench_memory memory;
    size_t heap;
    struct kin_bench_section section;
};

static struct stream *make_streams(const struct kin_bench_run *run)
{
    struct stream *streams = kin_bench_alloc(run->streams, sizeof(*streams));

    for (size_t i = 0; i < run->streams; i++)
        streams[i].wanted = run->events;
    return streams;
}

static void begin(struct measuring *m)
{
    m->memory = kin_bench_memory_now();
    m->heap = kin_bench_heap_in_use();
    kin_bench_section_start(&m->section);
}

static void end(const struct measuring *m, const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_report report;
    double n = (double)run->streams;

    kin_bench_section_stop(&m->section, &usage);
    size_t heap = kin_bench_heap_in_use();
    struct kin_bench_memory memory = kin_bench_memory_now();

    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_memory(&report, &memory);
    kin_bench_report_measure(&report, "ops",
                             (double)n * (double)run->events * 1e9 / (double)usage.wall, "1/s");
    kin_bench_report_measure(&report, "rss_anon_per_watch",
                             kin_bench_above(memory.rss_anon, m->memory.rss_anon) / n, "B");
    kin_bench_report_measure(&report, "heap_per_watch", kin_bench_above(heap, m->heap) / n, "B");
    kin_bench_report_measure(&report, "threads", kin_bench_threads(), "count");
    kin_bench_write(&report);
}

/* --- with a client --- */

static int count_event(enum kin_watch_type type, const kin_object *object, void *arg,
                       kin_error *err)
{
    struct stream *stream = arg;

    (void)type;
    (void)object;
    (void)err;
    if (++stream->events != stream->wanted)
        return 0;
    pthread_mutex_lock(&lock);
    complete++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void on_done(const kin_result *result, void *arg)
{
    (void)arg;
    if (result->code != KIN_ECANCELED)
        kin_bench_die("a watch ended: %s", result->code < 0 ? result->err->message : "too early");
}

static void start_watch(kin_client *client, kin_resource *pods, struct stream *stream)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_error err = KIN_ERROR_INIT;

    request.verb = KIN_VERB_WATCH;
    request.resource = pods;
    handlers.event = count_event;
    handlers.done = on_done;
    handlers.arg = stream;
    if (kin_client_start(client, NULL, &request, &handlers, &err) < 0)
        kin_bench_die("%s", err.message);
}

void kin_bench_watch(const struct kin_bench_run *run)
{
    struct stream *streams = make_streams(run);
    kin_client *client = kin_bench_client_new(&run->server);
    kin_resource *pods = kin_bench_resource_new("", "pods", "Pod");
    struct measuring m;

    begin(&m);
    for (size_t i = 0; i < run->streams; i++)
        start_watch(client, pods, &streams[i]);
    pthread_mutex_lock(&lock);
    while (complete < run->streams)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    end(&m, run);
    kin_client_free(client);
    kin_resource_unref(pods);
    free(streams);
}

/* --- without one --- */

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
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static struct stream *next_ready(void)
{
    pthread_mutex_lock(&lock);
    while (!first)
        pthread_cond_wait(&changed, &lock);
    struct stream *stream = first;
    first = stream->next;
    pthread_mutex_unlock(&lock);
    return stream;
}

static void count_lines(struct stream *stream, kin_str piece)
{
    const char *end = piece.data + piece.len;

    for (const char *at = piece.data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        stream->events++;
}

/* A frame is its length, four bytes with the highest first, and so many bytes. */
static void count_frames(struct stream *stream, kin_str piece)
{
    for (size_t at = 0; at < piece.len;) {
        if (stream->left > 0) {
            size_t n = piece.len - at < stream->left ? piece.len - at : stream->left;

            at += n;
            stream->left -= n;
            stream->events += stream->left == 0;
            continue;
        }
        stream->head = stream->head << 8 | (unsigned char)piece.data[at++];
        if (++stream->n_head == FRAME_HEAD) {
            stream->left = stream->head;
            stream->n_head = 0;
        }
    }
}

static void count_events(struct stream *stream, bool json)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str piece;
    int code;

    while (kin__exchange_read(stream->exchange, &piece))
        (json ? count_lines : count_frames)(stream, piece);
    if (kin__exchange_ended(stream->exchange, &code, &err))
        kin_bench_die("a watch ended: %s", code < 0 ? err.message : "too early");
}

void kin_bench_watch_raw(const struct kin_bench_run *run)
{
    struct stream *streams = make_streams(run);
    struct kin_bench_raw raw;
    struct measuring m;

    kin_bench_raw_open(&raw, run);
    begin(&m);
    for (size_t i = 0; i < run->streams; i++) {
        kin__exchange_spec spec = {.target = KIN_BENCH_PODS "?watch=1",
                                   .kind = KIN__LANE_WATCH,
                                   .notify = on_notify,
                                   .arg = &streams[i]};

        /* Who is notified before the pointer is stored has to wait for it. */
        pthread_mutex_lock(&lock);
        streams[i].exchange = kin_bench_raw_start(&raw, run, &spec);
        pthread_mutex_unlock(&lock);
    }
    for (size_t n = 0; n < run->streams;) {
        struct stream *stream = next_ready();
        bool was_complete = stream->events >= stream->wanted;

        count_events(stream, run->server.json);
        n += !was_complete && stream->events >= stream->wanted;
    }
    end(&m, run);
    for (size_t i = 0; i < run->streams; i++)
        kin__exchange_unref(streams[i].exchange);
    kin_bench_raw_close(&raw);
    free(streams);
}
