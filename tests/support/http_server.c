/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The listener, what it remembers, and who waits for it.
 *
 * The acceptor's thread owns the listening socket. Others give it orders under the lock and wait
 * until it has followed them, so that after kin_test_http_close_listener() no connection comes
 * any more.
 */
#include "http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "http_inside.h"
#include "kin_test.h"

#define STACK_SIZE ((size_t)512 * 1024) /* there may be thousands of threads */

void kin_test_http_die(const char *what)
{
    fprintf(stderr, "http server of the test: %s: %s\n", what, strerror(errno));
    abort();
}

void *kin_test_http_alloc(size_t size)
{
    void *data = calloc(1, size);

    if (!data)
        kin_test_http_die("memory");
    return data;
}

void kin_test_http_grow(char **data, size_t *size, size_t need)
{
    if (need <= *size)
        return;
    size_t larger = need < 4096 ? 4096 : need + need / 2;
    char *grown = realloc(*data, larger);

    if (!grown)
        kin_test_http_die("memory");
    *data = grown;
    *size = larger;
}

char *kin_test_http_copy(const char *data, size_t len)
{
    char *copy = kin_test_http_alloc(len + 1);

    if (len > 0)
        memcpy(copy, data, len);
    return copy;
}

void kin_test_http_ring(int eventfd)
{
    const uint64_t one = 1;

    if (write(eventfd, &one, sizeof(one)) < 0 && errno != EAGAIN)
        kin_test_http_die("eventfd");
}

/* One more pointer in an array of `n`, which is as long as the next power of two. */
static void *append(void *array, unsigned n, void *item)
{
    void **items = array;

    if ((n & (n - 1)) == 0) {
        items = realloc(items, (n ? 2 * (size_t)n : 1) * sizeof(*items));
        if (!items)
            kin_test_http_die("memory");
    }
    items[n] = item;
    return items;
}

/* --- the listener --- */

union address {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

static socklen_t make_address(const kin_test_http *server, union address *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (server->options.unix_socket) {
        ret->un.sun_family = AF_UNIX;
        if (strlen(server->socket_path) >= sizeof(ret->un.sun_path))
            kin_test_http_die("the path of the socket is too long");
        memcpy(ret->un.sun_path, server->socket_path, strlen(server->socket_path));
        return sizeof(ret->un);
    }
    if (server->options.ipv6) {
        ret->in6.sin6_family = AF_INET6;
        ret->in6.sin6_addr = in6addr_loopback;
        ret->in6.sin6_port = htons((uint16_t)server->port);
        return sizeof(ret->in6);
    }
    ret->in.sin_family = AF_INET;
    ret->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (server->options.address && inet_aton(server->options.address, &ret->in.sin_addr) == 0)
        kin_test_http_die(server->options.address);
    ret->in.sin_port = htons((uint16_t)server->port);
    return sizeof(ret->in);
}

static int bound_socket(const kin_test_http *server)
{
    union address address;
    socklen_t len = make_address(server, &address);
    const int on = 1;
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        kin_test_http_die("socket");
    if (address.any.sa_family != AF_UNIX)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, &address.any, len) < 0)
        kin_test_http_die("bind");
    return fd;
}

static void open_listener(kin_test_http *server)
{
    server->listener = bound_socket(server);
    /* What was accepted has it from here. */
    if (server->options.send_buffer > 0)
        setsockopt(server->listener, SOL_SOCKET, SO_SNDBUF, &server->options.send_buffer,
                   sizeof(server->options.send_buffer));
    if (listen(server->listener, 4096) < 0)
        kin_test_http_die("listen");
}

static void close_listener(kin_test_http *server)
{
    close(server->listener);
    server->listener = -1;
    if (server->options.unix_socket)
        unlink(server->socket_path);
}

static void find_port(kin_test_http *server)
{
    union address address = {0};
    socklen_t len = sizeof(address);

    server->reserve = bound_socket(server);
    if (getsockname(server->reserve, &address.any, &len) < 0)
        kin_test_http_die("getsockname");
    server->port = ntohs(server->options.ipv6 ? address.in6.sin6_port : address.in.sin_port);
}

static void find_path(kin_test_http *server)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(server->folder, sizeof(server->folder), "%s/kin-http-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(server->folder))
        kin_test_http_die(server->folder);
    snprintf(server->socket_path, sizeof(server->socket_path), "%s/socket", server->folder);
}

static void name_url(kin_test_http *server)
{
    const kin_test_http_options *options = &server->options;
    const char *address = options->address ? options->address : "127.0.0.1";

    if (options->unix_socket) {
        snprintf(server->url, sizeof(server->url), "unix://%s", server->socket_path);
        snprintf(server->host, sizeof(server->host), "localhost");
        return;
    }
    snprintf(server->host, sizeof(server->host), "%s:%u", options->ipv6 ? "[::1]" : address,
             server->port);
    snprintf(server->url, sizeof(server->url), "%s://%s", server->tls ? "https" : "http",
             server->host);
}

/* --- the acceptor --- */

/* In its thread: join those that are at their end, so that their stacks are given back. */
static void join_finished(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    unsigned n = server->to_join >= 64 || server->stopping ? server->counts.connections : 0;

    for (unsigned i = 0; i < n; i++) {
        kin_test_http_conn *conn = server->conns[i];

        if (!conn->finished || conn->joined)
            continue;
        conn->joined = true;
        server->to_join--;
        pthread_mutex_unlock(&server->lock);
        pthread_join(conn->thread, NULL);
        pthread_mutex_lock(&server->lock);
    }
    pthread_mutex_unlock(&server->lock);
}

static void start_thread(pthread_t *ret, void *(*run)(void *), void *arg)
{
    pthread_attr_t attr;
    sigset_t all;
    sigset_t old;

    /* No signal is for these threads; a broken pipe is seen by its error. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    errno = pthread_create(ret, &attr, run, arg);
    if (errno != 0)
        kin_test_http_die("pthread_create");
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void accept_one(kin_test_http *server)
{
    int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            kin_test_http_die("accept");
        return;
    }
    kin_test_http_conn *conn = kin_test_http_alloc(sizeof(*conn));

    conn->server = server;
    conn->fd = fd;
    conn->split = server->options.split;
    conn->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (conn->wake < 0)
        kin_test_http_die("eventfd");
    pthread_mutex_lock(&server->lock);
    conn->number = server->counts.connections;
    conn->seen.open = true;
    server->conns = append(server->conns, server->counts.connections, conn);
    /* Under the lock: whoever sees the connection can join its thread. */
    start_thread(&conn->thread, kin_test_http_conn_run, conn);
    server->counts.connections++;
    server->counts.open++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    join_finished(server);
}

/* Follow the orders; false: there is nothing more to do. */
static bool obey(kin_test_http *server, bool *ret_paused)
{
    uint64_t ignored = 0;

    if (read(server->wake, &ignored, sizeof(ignored)) < 0 && errno != EAGAIN)
        kin_test_http_die("eventfd");
    pthread_mutex_lock(&server->lock);
    bool stopping = server->stopping;
    bool closed = server->closed || stopping;

    *ret_paused = server->paused;
    if (closed && server->listener >= 0)
        close_listener(server);
    if (!closed && server->listener < 0)
        open_listener(server);
    server->obeyed = server->orders;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    return !stopping;
}

static void *acceptor_run(void *arg)
{
    kin_test_http *server = arg;
    bool paused = false;

    while (obey(server, &paused)) {
        struct pollfd fds[2] = {{.fd = server->wake, .events = POLLIN},
                                {.fd = paused ? -1 : server->listener, .events = POLLIN}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            kin_test_http_die("poll");
        if (fds[1].revents & POLLIN)
            accept_one(server);
    }
    return NULL;
}

/* --- life --- */

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attr);
    pthread_condattr_destroy(&attr);
}

void kin_test_http_start(kin_test_http **ret, const kin_test_http_options *options)
{
    kin_test_http *server = kin_test_http_alloc(sizeof(*server));

    server->options = *options;
    server->reserve = -1;
    server->fate = options->tls.fate;
    server->tls = kin_test_http_tls_new(&options->tls);
    pthread_mutex_init(&server->lock, NULL);
    init_condition(&server->changed);
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->wake < 0)
        kin_test_http_die("eventfd");
    if (options->unix_socket)
        find_path(server);
    else
        find_port(server);
    open_listener(server);
    name_url(server);
    /* The texts of the options are the caller's. */
    memset(&server->options.tls, 0, sizeof(server->options.tls));
    start_thread(&server->acceptor, acceptor_run, server);
    *ret = server;
}

/* Tell the acceptor, and wait until it has done so. */
static void order_locked(kin_test_http *server)
{
    unsigned mine = ++server->orders;

    kin_test_http_ring(server->wake);
    while ((int)(server->obeyed - mine) < 0)
        pthread_cond_wait(&server->changed, &server->lock);
}

void kin_test_http_close_listener(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    server->closed = true;
    order_locked(server);
    pthread_mutex_unlock(&server->lock);
}

void kin_test_http_open_listener(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    server->closed = false;
    order_locked(server);
    pthread_mutex_unlock(&server->lock);
}

void kin_test_http_accept(kin_test_http *server, bool on)
{
    pthread_mutex_lock(&server->lock);
    server->paused = !on;
    order_locked(server);
    pthread_mutex_unlock(&server->lock);
}

static void end_connections_locked(kin_test_http *server, enum kin_test_http_end end)
{
    for (unsigned i = 0; i < server->counts.connections; i++) {
        kin_test_http_conn *conn = server->conns[i];

        if (conn->finished)
            continue;
        conn->order = end;
        kin_test_http_ring(conn->wake);
    }
}

void kin_test_http_close_connections(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    end_connections_locked(server, KIN_TEST_END_CLOSE);
    pthread_mutex_unlock(&server->lock);
}

void kin_test_http_reset_connections(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    end_connections_locked(server, KIN_TEST_END_RESET);
    pthread_mutex_unlock(&server->lock);
}

static void free_connections(kin_test_http *server)
{
    for (unsigned i = 0; i < server->counts.connections; i++) {
        kin_test_http_conn *conn = server->conns[i];

        if (!conn->joined)
            pthread_join(conn->thread, NULL);
        close(conn->wake);
        free(conn->in);
        free(conn->head);
        free(conn);
    }
    free(server->conns);
}

void kin_test_http_stop(kin_test_http *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    order_locked(server);
    end_connections_locked(server, KIN_TEST_END_CLOSE);
    pthread_mutex_unlock(&server->lock);
    pthread_join(server->acceptor, NULL);
    free_connections(server);
    for (unsigned i = 0; i < server->counts.requests; i++)
        kin_test_http_request_free(server->requests[i]);
    free(server->requests);
    kin_test_http_clear_routes(server);
    SSL_CTX_free(server->tls);
    if (server->folder[0])
        rmdir(server->folder);
    if (server->reserve >= 0)
        close(server->reserve);
    close(server->wake);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

void kin_test_http_set_tls(kin_test_http *server, const kin_test_tls *tls)
{
    SSL_CTX *made = kin_test_http_tls_new(tls);

    pthread_mutex_lock(&server->lock);
    SSL_CTX *old = server->tls;

    server->tls = made;
    server->fate = tls->fate;
    pthread_mutex_unlock(&server->lock);
    SSL_CTX_free(old);
}

const char *kin_test_http_url(const kin_test_http *server)
{
    return server->url;
}

const char *kin_test_http_host(const kin_test_http *server)
{
    return server->host;
}

unsigned kin_test_http_port(const kin_test_http *server)
{
    return server->port;
}

const char *kin_test_http_socket_path(const kin_test_http *server)
{
    return server->options.unix_socket ? server->socket_path : NULL;
}

/* --- what was seen --- */

void kin_test_http_record(kin_test_http_conn *conn, kin_test_http_request *request)
{
    kin_test_http *server = conn->server;

    pthread_mutex_lock(&server->lock);
    server->requests = append(server->requests, server->counts.requests, request);
    server->counts.requests++;
    conn->seen.requests++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

enum wait_for { WAIT_REQUESTS, WAIT_CONNECTIONS, WAIT_OPEN, WAIT_CLOSED, WAIT_STALLED };

static const char *const wait_names[] = {"requests", "connections", "open connections",
                                         "closed connections", "stalled connections"};

static unsigned counted_locked(const kin_test_http *server, enum wait_for what)
{
    const kin_test_http_counts *counts = &server->counts;

    switch (what) {
    case WAIT_REQUESTS:
        return counts->requests;
    case WAIT_CONNECTIONS:
        return counts->connections;
    case WAIT_OPEN:
        return counts->open;
    case WAIT_CLOSED:
        return counts->connections - counts->open;
    default:
        return counts->stalled;
    }
}

static bool reached_locked(const kin_test_http *server, enum wait_for what, unsigned n)
{
    unsigned count = counted_locked(server, what);

    return what == WAIT_OPEN ? count == n : count >= n;
}

static void await(kin_test_http *server, enum wait_for what, unsigned n)
{
    struct timespec at;
    int os_error = 0;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += KIN_TEST_TIMEOUT_MS / 1000;
    pthread_mutex_lock(&server->lock);
    while (!reached_locked(server, what, n) && os_error == 0)
        os_error = pthread_cond_timedwait(&server->changed, &server->lock, &at);
    bool reached = reached_locked(server, what, n);
    unsigned count = counted_locked(server, what);
    pthread_mutex_unlock(&server->lock);
    if (!reached)
        fail_msg("waited for %u %s, got %u", n, wait_names[what], count);
}

void kin_test_http_await_requests(kin_test_http *server, unsigned n)
{
    await(server, WAIT_REQUESTS, n);
}

void kin_test_http_await_connections(kin_test_http *server, unsigned n)
{
    await(server, WAIT_CONNECTIONS, n);
}

void kin_test_http_await_open(kin_test_http *server, unsigned n)
{
    await(server, WAIT_OPEN, n);
}

void kin_test_http_await_closed(kin_test_http *server, unsigned n)
{
    await(server, WAIT_CLOSED, n);
}

void kin_test_http_await_stalled(kin_test_http *server, unsigned n)
{
    await(server, WAIT_STALLED, n);
}

kin_test_http_counts kin_test_http_count(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    kin_test_http_counts counts = server->counts;
    pthread_mutex_unlock(&server->lock);
    return counts;
}

const kin_test_http_request *kin_test_http_request_at(kin_test_http *server, unsigned index)
{
    await(server, WAIT_REQUESTS, index + 1);
    pthread_mutex_lock(&server->lock);
    const kin_test_http_request *request = server->requests[index];
    pthread_mutex_unlock(&server->lock);
    return request;
}

kin_test_http_connection kin_test_http_connection_at(kin_test_http *server, unsigned index)
{
    await(server, WAIT_CONNECTIONS, index + 1);
    pthread_mutex_lock(&server->lock);
    kin_test_http_connection seen = server->conns[index]->seen;
    pthread_mutex_unlock(&server->lock);
    return seen;
}

void kin_test_http_release(kin_test_http *server, unsigned n)
{
    pthread_mutex_lock(&server->lock);
    server->permits += n;
    for (unsigned i = 0; i < server->counts.connections; i++)
        kin_test_http_ring(server->conns[i]->wake);
    pthread_mutex_unlock(&server->lock);
}

void kin_test_http_release_all(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    server->permit_all = true;
    pthread_mutex_unlock(&server->lock);
    kin_test_http_release(server, 0);
}

const char *kin_test_http_field_of(const kin_test_http_request *request, const char *name)
{
    for (size_t i = 0; i < request->n_fields; i++) {
        if (strcasecmp(request->fields[i].name, name) == 0)
            return request->fields[i].value;
    }
    return NULL;
}

size_t kin_test_http_fields_of(const kin_test_http_request *request, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < request->n_fields; i++)
        n += strcasecmp(request->fields[i].name, name) == 0;
    return n;
}
