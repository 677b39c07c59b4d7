/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection, run by a thread of its own.
 *
 * A list is a head and a sendfile(), or with TLS a head and the mapped file. A watch is a chunked response, one chunk per event: the bytes
 * come straight from the mapping, with the frame of the chunk and the digits of the stamp put in
 * between by the I/O vector, so an event is copied only once, by the kernel. In flood mode many
 * chunks share a call; in paced mode a call has the events that are due, as a rule one.
 *
 * The stamp is the time before the call that sends it. Each watch replays the events from the
 * first one, whatever resourceVersion it asks for.
 */
#include "connection.h"

#include "pace.h"
#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* Events of one call: enough to make the call's cost vanish, few enough to keep stamps fresh. */
#define BATCH_EVENTS 64
#define BATCH_BYTES ((size_t)512 * 1024)
#define PARTS_PER_EVENT 4

/* Objects of no kind but Pods exist, and nothing ever changes. */
#define EMPTY_VERSION "1"

struct connection {
    struct kin_bench__link link;
    const struct kin_bench_settings *settings;
    struct kin_bench_request request;
    size_t len; /* bytes in buffer */
    char buffer[KIN_BENCH_HEAD_MAX];
};

struct batch {
    struct iovec iov[BATCH_EVENTS * PARTS_PER_EVENT + 1];
    char heads[BATCH_EVENTS][24]; /* end of the chunk before, length of this one */
    char stamp[KIN_BENCH_STAMP_LEN];
};

static const struct {
    int status;
    const char *text;
    const char *reason;
} failures[] = {
    {400, "Bad Request", "BadRequest"},
    {404, "Not Found", "NotFound"},
    {405, "Method Not Allowed", "MethodNotAllowed"},
    {406, "Not Acceptable", "NotAcceptable"},
    {414, "URI Too Long", "BadRequest"},
    {431, "Request Header Fields Too Large", "BadRequest"},
    {503, "Service Unavailable", "ServiceUnavailable"},
    {505, "HTTP Version Not Supported", "BadRequest"},
};

static size_t format_failure(char *out, size_t size, int status, const char *message, bool close)
{
    char body[512];
    unsigned i = 0;
    int n;

    while (i + 1 < sizeof(failures) / sizeof(failures[0]) && failures[i].status != status)
        i++;
    n = snprintf(
        body, sizeof(body),
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
        "\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}\n",
        message, failures[i].reason, status);
    n = snprintf(out, size,
                 "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
                 "%s%s\r\n%s",
                 status, failures[i].text, n, status == 405 ? "Allow: GET\r\n" : "",
                 close ? "Connection: close\r\n" : "", body);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static int answer_failure(struct connection *c, int status, const char *message, bool close)
{
    char out[1024];
    size_t n = format_failure(out, sizeof(out), status, message, close);

    return kin_bench__send_all(&c->link, out, n, false);
}

static int answer_head(struct connection *c, const char *type, uint64_t size, bool more)
{
    char head[256];
    int n = snprintf(head, sizeof(head),
                     "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %llu\r\n%s\r\n", type,
                     (unsigned long long)size, c->request.close ? "Connection: close\r\n" : "");

    return kin_bench__send_all(&c->link, head, (size_t)n, more);
}

static int answer_text(struct connection *c, const char *text)
{
    size_t len = strlen(text);

    if (answer_head(c, "application/json", len, true) < 0)
        return -1;
    return kin_bench__send_all(&c->link, text, len, false);
}

static int answer_version(struct connection *c)
{
    return answer_text(c, "{\"major\":\"1\",\"minor\":\"37\",\"gitVersion\":\"v1.37.2+replay\","
                          "\"gitCommit\":\"\",\"gitTreeState\":\"clean\",\"buildDate\":"
                          "\"2026-01-15T00:00:00Z\",\"goVersion\":\"\",\"compiler\":\"\","
                          "\"platform\":\"linux\"}\n");
}

static int answer_list(struct connection *c, enum kin_bench_format format)
{
    const struct kin_bench_list *list = &c->settings->data->lists[format];

    if (answer_head(c,
                    format == KIN_BENCH_PROTOBUF ? "application/vnd.kubernetes.protobuf"
                                                 : "application/json",
                    list->size, list->size > 0) < 0)
        return -1;
    return kin_bench__send_file(&c->link, list->fd, list->size);
}

/* An I/O vector cannot hold a pointer to const, though sending does not change anything. */
static struct iovec part(const char *data, size_t len)
{
    union {
        const char *in;
        void *out;
    } p = {data};
    struct iovec iov = {p.out, len};

    return iov;
}

/*
 * Send events first … last - 1 as chunks, as many as fit into one call. Those with a stamp get it
 * if now is not 0. Returns how many were sent, 0 on failure.
 */
static size_t send_batch(struct connection *c, struct batch *b, const struct kin_bench_stream *s,
                         size_t first, size_t last, uint64_t now)
{
    size_t events = 0;
    size_t parts = 0;
    size_t bytes = 0;

    if (now)
        kin_bench_stamp(b->stamp, now);
    while (first + events < last && events < BATCH_EVENTS && bytes < BATCH_BYTES) {
        struct kin_bench_event e = kin_bench_stream_at(s, first + events);
        char *head = b->heads[events];
        int n = snprintf(head, sizeof(b->heads[0]), "%s%zx\r\n", events ? "\r\n" : "", e.size);

        b->iov[parts++] = part(head, (size_t)n);
        if (now && e.stamp) {
            size_t after = e.stamp + KIN_BENCH_STAMP_LEN;

            b->iov[parts++] = part(e.data, e.stamp);
            b->iov[parts++] = part(b->stamp, KIN_BENCH_STAMP_LEN);
            b->iov[parts++] = part(e.data + after, e.size - after);
        } else {
            b->iov[parts++] = part(e.data, e.size);
        }
        bytes += e.size;
        events++;
    }
    b->iov[parts++] = part("\r\n", 2);
    return kin_bench__send_vector(&c->link, b->iov, parts) < 0 ? 0 : events;
}

/* As fast as the client reads. */
static int send_flood(struct connection *c, struct batch *b, const struct kin_bench_stream *s,
                      size_t count, bool stamped)
{
    for (size_t i = 0; i < count;) {
        size_t n = send_batch(c, b, s, i, count, stamped ? kin_bench_now() : 0);

        if (n == 0)
            return -1;
        i += n;
    }
    return 0;
}

/* Each event at its time, or, when the client or the machine was slow, at once. */
static int send_paced(struct connection *c, struct batch *b, const struct kin_bench_stream *s,
                      size_t count, bool *has_input)
{
    uint64_t rate = c->settings->rate;
    uint64_t start = kin_bench_now();

    for (size_t i = 0; i < count;) {
        uint64_t now;
        size_t due = i + 1;
        size_t n;

        if (kin_bench__wait_client(&c->link, start + kin_bench_due(rate, i), has_input) < 0)
            return -1;
        now = kin_bench_now();
        while (due < count && due - i < BATCH_EVENTS && start + kin_bench_due(rate, due) <= now)
            due++;
        n = send_batch(c, b, s, i, due, now);
        if (n == 0)
            return -1;
        i += n;
    }
    return 0;
}

static int answer_watch_head(struct connection *c, enum kin_bench_format format, bool more)
{
    const char *head = format == KIN_BENCH_PROTOBUF
                           ? "HTTP/1.1 200 OK\r\nContent-Type: "
                             "application/vnd.kubernetes.protobuf;stream=watch\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"
                           : "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n";

    return kin_bench__send_all(&c->link, head, strlen(head), more);
}

static int watch_pods(struct connection *c, enum kin_bench_format format)
{
    const struct kin_bench_data *data = c->settings->data;
    const struct kin_bench_stream *events = &data->events[format];
    struct batch *b = malloc(sizeof(*b));
    uint64_t limit = c->settings->max_events;
    size_t count = events->count < limit ? events->count : (size_t)limit;
    bool has_input = false;
    int rc;

    if (!b)
        return -1;
    rc = answer_watch_head(c, format, false);
    if (rc == 0 && c->request.send_initial_events)
        rc = send_flood(c, b, &data->initial[format], data->initial[format].count, false);
    if (rc == 0 && c->settings->rate)
        rc = send_paced(c, b, events, count, &has_input);
    else if (rc == 0)
        rc = send_flood(c, b, events, count, true);
    free(b);
    if (rc == 0)
        (void)kin_bench__wait_client(&c->link, KIN_BENCH__NO_DEADLINE, &has_input);
    return -1;
}

/* The formats in which a request for Pods can be answered. */
static unsigned pods_available(const struct connection *c)
{
    const struct kin_bench_data *data = c->settings->data;
    unsigned available = 0;

    for (unsigned f = 0; f < KIN_BENCH_FORMAT_COUNT; f++) {
        bool there = !c->request.watch                ? data->lists[f].fd >= 0
                     : c->request.send_initial_events ? data->initial[f].present
                                                      : data->events[f].present;

        if (there)
            available |= 1u << f;
    }
    return available;
}

static int answer_pods(struct connection *c)
{
    enum kin_bench_format format;

    if (kin_bench_negotiate(&format, c->request.accept, c->request.watch, pods_available(c)) < 0)
        return answer_failure(c, 406, "there is no data in a format that Accept allows",
                              c->request.close);
    return c->request.watch ? watch_pods(c, format) : answer_list(c, format);
}

static int watch_nothing(struct connection *c, const struct kin_bench_kind *kind)
{
    char event[512];
    char chunk[640];
    bool has_input = false;
    bool initial = c->request.send_initial_events;
    int n;

    if (answer_watch_head(c, KIN_BENCH_JSON, initial) < 0)
        return -1;
    if (initial) {
        n = snprintf(event, sizeof(event),
                     "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\","
                     "\"metadata\":{\"resourceVersion\":\"" EMPTY_VERSION "\",\"annotations\":"
                     "{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
                     kind->kind, kind->api_version);
        n = snprintf(chunk, sizeof(chunk), "%x\r\n%s\r\n", (unsigned)n, event);
        if (kin_bench__send_all(&c->link, chunk, (size_t)n, false) < 0)
            return -1;
    }
    (void)kin_bench__wait_client(&c->link, KIN_BENCH__NO_DEADLINE, &has_input);
    return -1;
}

static int answer_other(struct connection *c, struct kin_bench_kind *kind)
{
    enum kin_bench_format format;
    char list[512];

    if (kin_bench_negotiate(&format, c->request.accept, c->request.watch,
                            1u << KIN_BENCH_JSON | 1u << KIN_BENCH_METADATA) < 0)
        return answer_failure(c, 406, "this kind is served as JSON only", c->request.close);
    if (format == KIN_BENCH_METADATA)
        *kind = (struct kin_bench_kind){"PartialObjectMetadata", "meta.k8s.io/v1"};
    if (c->request.watch)
        return watch_nothing(c, kind);
    (void)snprintf(list, sizeof(list),
                   "{\"kind\":\"%sList\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":"
                   "\"" EMPTY_VERSION "\"},\"items\":[]}\n",
                   kind->kind, kind->api_version);
    return answer_text(c, list);
}

/* 0: the connection can be used again. */
static int answer(struct connection *c)
{
    struct kin_bench_kind kind;
    int rc = -1;

    if (!c->request.get) {
        /* There may be a body, which nobody wants to read. */
        (void)answer_failure(c, 405, "only GET is served", true);
        kin_bench__linger(&c->link);
        return -1;
    }
    switch (kin_bench_route(c->request.path, &kind)) {
    case KIN_BENCH_ROUTE_NONE:
        rc = answer_failure(c, 404, "there is no such resource", c->request.close);
        break;
    case KIN_BENCH_ROUTE_VERSION:
        rc = answer_version(c);
        break;
    case KIN_BENCH_ROUTE_PODS:
        rc = c->settings->has_data ? answer_pods(c) : answer_other(c, &kind);
        break;
    case KIN_BENCH_ROUTE_OTHER:
        rc = answer_other(c, &kind);
        break;
    }
    return rc == 0 && !c->request.close ? 0 : -1;
}

/* 0 with the next request in c->request and its bytes gone from the buffer. */
static int next_request(struct connection *c)
{
    size_t scanned = 0;

    for (;;) {
        size_t used = 0;
        ssize_t n;

        switch (c->len > 0
                    ? kin_bench_request_parse(&c->request, c->buffer, c->len, &scanned, &used)
                    : KIN_BENCH_PARSE_MORE) {
        case KIN_BENCH_PARSE_DONE:
            c->len -= used;
            memmove(c->buffer, c->buffer + used, c->len);
            return 0;
        case KIN_BENCH_PARSE_ERROR:
            (void)answer_failure(c, c->request.status, c->request.problem, true);
            kin_bench__linger(&c->link);
            return -1;
        case KIN_BENCH_PARSE_MORE:
            break;
        }
        /* There is room: a full buffer without a whole head is an error of its own. */
        n = kin_bench__receive(&c->link, c->buffer + c->len, sizeof(c->buffer) - c->len);
        if (n <= 0)
            return -1;
        c->len += (size_t)n;
    }
}

void kin_bench__connection_serve(int fd, const struct kin_bench_settings *settings)
{
    struct connection *c = malloc(sizeof(*c));

    if (!c) {
        kin_bench__connection_refuse(fd, settings);
        return;
    }
    c->settings = settings;
    c->len = 0;
    /* Deadlines are to be met, not rounded up to the default 50 µs. */
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (kin_bench__link_open(&c->link, fd, settings->tls) == 0) {
        while (next_request(c) == 0 && answer(c) == 0)
            continue;
        kin_bench__link_close(&c->link);
    }
    free(c);
}

void kin_bench__connection_refuse(int fd, const struct kin_bench_settings *settings)
{
    char out[1024];
    size_t n = format_failure(out, sizeof(out), 503, "too many connections", true);

    /* With TLS nothing can be said without waiting. */
    if (!settings->tls)
        (void)send(fd, out, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
}
