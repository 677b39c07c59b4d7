/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 with as little work as possible, since the client shares the machine with the server: one
 * thread, a few connections, requests that were made before the time began, several on the way at a
 * time. Of an answer only the status and the length are looked at.
 */
#include "apiserver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define RECEIVE_SIZE 262144
#define ANSWER_HEAD_MAX 1024
#define BATCH 16 /* requests in one call */
#define PARTS 3

struct peer {
    int fd;
    size_t *mine;     /* requests on the way, a ring of `depth` */
    size_t n_sent;    /* that were sent whole */
    size_t n_got;     /* that were answered */
    size_t n_taken;   /* that are to be sent */
    size_t sent_part; /* of the one that is being sent */
    char head[ANSWER_HEAD_MAX];
    size_t head_len;
    size_t body_left; /* of the answer that is being received */
    bool in_body;
    bool waits_for_room;
};

struct exchange {
    const struct kin_bench_request *requests;
    size_t n;
    size_t depth;
    size_t next; /* that nobody has taken */
    size_t n_answered;
    int status;
    int epoll;
    char *buf;
};

void kin_bench_request_init(struct kin_bench_request *request, const char *method, const char *path,
                            const char *inside, kin_str first, kin_str second)
{
    size_t body = strlen(inside) + first.len + second.len;
    int len = snprintf(request->head, sizeof(request->head),
                       "%s %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kin-bench\r\n"
                       "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                       method, path, body, inside);

    if (len < 0 || (size_t)len >= sizeof(request->head))
        kin_bench_die("%s is too long", path);
    request->head_len = (size_t)len;
    request->parts[0] = first;
    request->parts[1] = second;
}

int kin_bench_connect(const char *url)
{
    static const char scheme[] = "http://127.0.0.1:";
    struct sockaddr_in address = {.sin_family = AF_INET};
    int on = 1;

    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
        kin_bench_die("%sPORT is wanted, got %s", scheme, url);
    address.sin_port = htons((uint16_t)strtoul(url + sizeof(scheme) - 1, NULL, 10));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        kin_bench_die("no connection to %s: %s", url, strerror(errno));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

/* --- sending --- */

static size_t size_of(const struct kin_bench_request *request)
{
    return request->head_len + request->parts[0].len + request->parts[1].len;
}

static void take(struct exchange *x, struct peer *peer)
{
    while (peer->n_taken - peer->n_got < x->depth && x->next < x->n)
        peer->mine[peer->n_taken++ % x->depth] = x->next++;
}

static const struct kin_bench_request *nth(const struct exchange *x, const struct peer *peer,
                                           size_t i)
{
    return &x->requests[peer->mine[i % x->depth]];
}

/* The pieces of what is to be sent, but for what was sent of the first. */
static size_t gather(const struct exchange *x, const struct peer *peer, struct iovec *pieces)
{
    size_t skip = peer->sent_part;
    size_t n = 0;

    for (size_t i = peer->n_sent; i < peer->n_taken && n < (size_t)BATCH * PARTS; i++) {
        const struct kin_bench_request *r = nth(x, peer, i);
        const kin_str parts[PARTS] = {kin_str_make(r->head, r->head_len), r->parts[0], r->parts[1]};

        for (size_t k = 0; k < PARTS; k++) {
            size_t cut = skip < parts[k].len ? skip : parts[k].len;

            skip -= cut;
            if (cut == parts[k].len)
                continue;
            /* It is only read, which its type cannot say. */
            const char *from = parts[k].data + cut;
            memcpy(&pieces[n].iov_base, &from, sizeof(from));
            pieces[n++].iov_len = parts[k].len - cut;
        }
    }
    return n;
}

static void count_sent(const struct exchange *x, struct peer *peer, size_t len)
{
    peer->sent_part += len;
    while (peer->n_sent < peer->n_taken && peer->sent_part >= size_of(nth(x, peer, peer->n_sent)))
        peer->sent_part -= size_of(nth(x, peer, peer->n_sent++));
}

static void wait_for_room(const struct exchange *x, struct peer *peer, bool wanted)
{
    struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0), .data.ptr = peer};

    if (peer->waits_for_room == wanted)
        return;
    peer->waits_for_room = wanted;
    if (epoll_ctl(x->epoll, EPOLL_CTL_MOD, peer->fd, &event) < 0)
        kin_bench_die("epoll_ctl: %s", strerror(errno));
}

static void send_some(struct exchange *x, struct peer *peer)
{
    struct iovec pieces[BATCH * PARTS];

    take(x, peer);
    while (peer->n_sent < peer->n_taken) {
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = gather(x, peer, pieces)};
        ssize_t len = sendmsg(peer->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (len < 0 && errno == EAGAIN) {
            wait_for_room(x, peer, true);
            return;
        }
        if (len < 0)
            kin_bench_die("the server does not take requests: %s", strerror(errno));
        count_sent(x, peer, (size_t)len);
    }
    wait_for_room(x, peer, false);
}

/* --- receiving --- */

static void read_head(struct exchange *x, struct peer *peer)
{
    static const char name[] = "\r\nContent-Length: ";

    peer->head[peer->head_len] = '\0';
    const char *length = strcasestr(peer->head, name);
    if (peer->head_len < 12 || strtol(peer->head + 9, NULL, 10) != x->status || !length)
        kin_bench_die("%d was expected, got: %.160s", x->status, peer->head);
    peer->body_left = strtoul(length + sizeof(name) - 1, NULL, 10);
    peer->in_body = true;
    peer->head_len = 0;
}

/* Up to the end of the head; how much of the piece that was. */
static size_t take_head(struct exchange *x, struct peer *peer, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (peer->head_len + 1 >= sizeof(peer->head))
            kin_bench_die("the head of an answer is too long");
        peer->head[peer->head_len++] = data[i];
        if (data[i] == '\n' && peer->head_len >= 4 &&
            memcmp(peer->head + peer->head_len - 4, "\r\n\r\n", 4) == 0) {
            read_head(x, peer);
            return i + 1;
        }
    }
    return len;
}

static void take_answers(struct exchange *x, struct peer *peer, const char *data, size_t len)
{
    while (len > 0) {
        size_t used = peer->body_left < len ? peer->body_left : len;

        if (peer->in_body)
            peer->body_left -= used;
        else
            used = take_head(x, peer, data, len);
        if (peer->in_body && peer->body_left == 0) {
            peer->in_body = false;
            peer->n_got++;
            x->n_answered++;
        }
        data += used;
        len -= used;
    }
}

static void receive(struct exchange *x, struct peer *peer)
{
    ssize_t len = recv(peer->fd, x->buf, RECEIVE_SIZE, MSG_DONTWAIT);

    if (len < 0 && errno == EAGAIN)
        return;
    if (len <= 0)
        kin_bench_die("the server ended a connection: %s", len < 0 ? strerror(errno) : "end");
    take_answers(x, peer, x->buf, (size_t)len);
}

/* --- all of it --- */

static struct peer *open_peers(struct exchange *x, const struct kin_bench_run *run)
{
    struct peer *peers = kin_bench_alloc(run->connections, sizeof(*peers));

    for (size_t i = 0; i < run->connections; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[i]};

        peers[i].fd = kin_bench_connect(run->url);
        peers[i].mine = kin_bench_alloc(x->depth, sizeof(*peers[i].mine));
        if (epoll_ctl(x->epoll, EPOLL_CTL_ADD, peers[i].fd, &event) < 0)
            kin_bench_die("epoll_ctl: %s", strerror(errno));
    }
    return peers;
}

void kin_bench_exchange(const struct kin_bench_run *run, const struct kin_bench_request *requests,
                        size_t n, int status)
{
    struct exchange x = {.requests = requests, .n = n, .depth = run->depth, .status = status};
    struct epoll_event events[64];

    x.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (x.epoll < 0)
        kin_bench_die("epoll_create1: %s", strerror(errno));
    x.buf = kin_bench_alloc(RECEIVE_SIZE, 1);
    struct peer *peers = open_peers(&x, run);
    for (size_t i = 0; i < run->connections; i++)
        send_some(&x, &peers[i]);
    while (x.n_answered < n) {
        int n_events = epoll_wait(x.epoll, events, KIN_BENCH_LEN(events), -1);

        for (int i = 0; i < n_events; i++) {
            struct peer *peer = events[i].data.ptr;

            if (events[i].events & ~(uint32_t)EPOLLOUT)
                receive(&x, peer);
            send_some(&x, peer);
        }
    }
    for (size_t i = 0; i < run->connections; i++) {
        close(peers[i].fd);
        free(peers[i].mine);
    }
    free(peers);
    free(x.buf);
    close(x.epoll);
}
