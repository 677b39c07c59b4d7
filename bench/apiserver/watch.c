/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object that changes, and many who watch it. All connections are one thread's, which reads them
 * with epoll and counts the ends of events: "}\n" is nowhere else in the stream, neither in an object
 * nor in the frames of its chunks. The changes are written by a second thread, a few at a time,
 * as fast as the server takes them.
 *
 * A write is answered when watchers may see it, not when they have: the server is ahead of its
 * slowest watcher by all of the changes, if it likes.
 */
#include "apiserver.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATH "/api/v1/namespaces/default/configmaps"
#define NAME "bench"
#define RECEIVE_SIZE 65536
/* What is in the object besides its metadata, so that an event is a line of 512 bytes. */
#define PADDING 247

struct stream {
    int fd;
    size_t events;
    bool has_head;
    char last; /* character that came */
};

struct watching {
    const struct kin_bench_run *run;
    struct stream *streams;
    struct kin_bench_request *changes;
    char *bodies;
    int epoll;
    size_t wanted;     /* events of each stream */
    size_t n_complete; /* streams that have them */
    size_t n_heads;    /* streams whose answer has begun */
    size_t bytes;      /* that came */
    char buf[RECEIVE_SIZE];
};

/* --- the changes --- */

static void make_body(char *body, size_t size, size_t i)
{
    char padding[PADDING + 1];

    memset(padding, 'x', PADDING);
    padding[PADDING] = '\0';
    (void)snprintf(body, size,
                   "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" NAME
                   "\"},\"data\":{\"n\":\"%08zu\",\"padding\":\"%s\"}}",
                   i, padding);
}

static void make_changes(struct watching *w)
{
    const size_t size = PADDING + 160;

    w->changes = kin_bench_alloc(w->run->events, sizeof(*w->changes));
    w->bodies = kin_bench_alloc(w->run->events, size);
    for (size_t i = 0; i < w->run->events; i++) {
        char *body = w->bodies + i * size;

        make_body(body, size, i + 1);
        kin_bench_request_init(&w->changes[i], "PUT", PATH "/" NAME, "", kin_str_of(body),
                               kin_str_of(""));
    }
}

static void create_object(const struct kin_bench_run *one)
{
    struct kin_bench_request request;
    char body[PADDING + 160];

    make_body(body, sizeof(body), 0);
    kin_bench_request_init(&request, "POST", PATH, "", kin_str_of(body), kin_str_of(""));
    kin_bench_exchange(one, &request, 1, 201);
}

static void *write_changes(void *arg)
{
    const struct watching *w = arg;
    struct kin_bench_run one = *w->run;

    one.connections = 1;
    kin_bench_exchange(&one, w->changes, w->run->events, 200);
    return NULL;
}

/* --- the watches --- */

static void open_streams(struct watching *w)
{
    static const char request[] = "GET " PATH "?watch=1&allowWatchBookmarks=false HTTP/1.1\r\n"
                                  "Host: localhost\r\nUser-Agent: kin-bench\r\n\r\n";

    w->streams = kin_bench_alloc(w->run->streams, sizeof(*w->streams));
    for (size_t i = 0; i < w->run->streams; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &w->streams[i]};

        w->streams[i].fd = kin_bench_connect(w->run->url);
        if (send(w->streams[i].fd, request, sizeof(request) - 1, MSG_NOSIGNAL) !=
                (ssize_t)sizeof(request) - 1 ||
            epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->streams[i].fd, &event) < 0)
            kin_bench_die("a watch could not be started: %s", strerror(errno));
    }
}

/* What behind `data` ends an event. */
static void count_events(struct watching *w, struct stream *stream, const char *data, size_t len)
{
    size_t before = stream->events;

    for (const char *at = data; (at = memchr(at, '\n', len - (size_t)(at - data))) != NULL; at++)
        stream->events += (at > data ? at[-1] : stream->last) == '}';
    stream->last = data[len - 1];
    w->n_complete += before < w->wanted && stream->events >= w->wanted;
}

static void receive(struct watching *w, struct stream *stream)
{
    static const char ok[] = "HTTP/1.1 200";
    ssize_t len = recv(stream->fd, w->buf, sizeof(w->buf), MSG_DONTWAIT);

    if (len < 0 && errno == EAGAIN)
        return;
    if (len <= 0)
        kin_bench_die("a watch ended: %s", len < 0 ? strerror(errno) : "too early");
    if (!stream->has_head && ((size_t)len < sizeof(ok) || strncmp(w->buf, ok, sizeof(ok) - 1) != 0))
        kin_bench_die("a watch was refused: %.*s", (int)len, w->buf);
    w->n_heads += !stream->has_head;
    stream->has_head = true;
    w->bytes += (size_t)len;
    count_events(w, stream, w->buf, (size_t)len);
}

/* Read until every stream has had so many events. */
static void receive_all(struct watching *w, size_t wanted)
{
    struct epoll_event events[256];

    w->wanted = wanted;
    w->n_complete = 0;
    for (size_t i = 0; i < w->run->streams; i++)
        w->n_complete += w->streams[i].events >= wanted;
    while (w->n_complete < w->run->streams || w->n_heads < w->run->streams) {
        int n = epoll_wait(w->epoll, events, KIN_BENCH_LEN(events), -1);

        for (int i = 0; i < n; i++)
            receive(w, events[i].data.ptr);
    }
}

static void report(const struct watching *w, const struct kin_bench_usage *usage, double bytes)
{
    double deliveries = (double)w->run->streams * (double)w->run->events;
    struct kin_bench_report report;

    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, usage);
    kin_bench_report_measure(&report, "ops", deliveries * 1e9 / (double)usage->wall, "1/s");
    kin_bench_report_measure(&report, "event_bytes", bytes / deliveries, "B");
    kin_bench_write(&report);
}

static void allow_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void kin_bench_watch(const struct kin_bench_run *run)
{
    struct watching *w = kin_bench_alloc(1, sizeof(*w));
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_run one = *run;
    pthread_t writer;

    allow_descriptors();
    w->run = run;
    one.connections = 1;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (w->epoll < 0)
        kin_bench_die("epoll_create1: %s", strerror(errno));
    make_changes(w);
    create_object(&one);
    open_streams(w);
    receive_all(w, 1); /* the object that is there */
    size_t before = w->bytes;
    kin_bench_section_start(&section);
    if (pthread_create(&writer, NULL, write_changes, w) != 0)
        kin_bench_die("no thread could be made");
    receive_all(w, 1 + run->events);
    kin_bench_section_stop(&section, &usage);
    pthread_join(writer, NULL);
    report(w, &usage, (double)(w->bytes - before));
    for (size_t i = 0; i < run->streams; i++)
        close(w->streams[i].fd);
    close(w->epoll);
    free(w->streams);
    free(w->changes);
    free(w->bodies);
    free(w);
}
