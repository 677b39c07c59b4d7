/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's main thread: accepts, starts a thread per connection, and stops all of them.
 *
 * A slot owns its socket: the thread never closes it, it only marks the slot as done. The main
 * thread joins and closes, so a descriptor can never be shut down after its number was reused.
 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)512 * 1024)
#define BACKLOG 512
/* How long to leave the listener alone when accepting fails for want of descriptors or memory. */
#define RETRY_MS 50

struct slot {
    pthread_t thread;
    int fd;
    bool used;        /* main thread only */
    atomic_bool done; /* set by the thread as the last thing it does */
    const struct kin_bench_settings *settings;
};

struct server {
    const struct kin_bench_settings *settings;
    int listener;
    int control;
    pthread_attr_t attr;
    struct slot slots[KIN_BENCH_CONNECTIONS_MAX];
};

/* "ADDRESS:PORT" or "[ADDRESS]:PORT", loopback addresses only. */
static int parse_address(const char *text, struct sockaddr_storage *ret, socklen_t *ret_len)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)ret;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)ret;
    const char *colon = strrchr(text, ':');
    char host[64];
    size_t len;
    unsigned port = 0;

    if (!colon || !colon[1] || strlen(colon + 1) > 5)
        return -1;
    for (const char *p = colon + 1; *p; p++) {
        if (*p < '0' || *p > '9')
            return -1;
        port = port * 10 + (unsigned)(*p - '0');
    }
    len = (size_t)(colon - text);
    if (port > 65535 || len >= sizeof(host))
        return -1;
    memset(ret, 0, sizeof(*ret));
    if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
        memcpy(host, text + 1, len - 2);
        host[len - 2] = '\0';
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        *ret_len = sizeof(*v6);
        return inet_pton(AF_INET6, host, &v6->sin6_addr) == 1 &&
                       IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)
                   ? 0
                   : -1;
    }
    memcpy(host, text, len);
    host[len] = '\0';
    v4->sin_family = AF_INET;
    v4->sin_port = htons((uint16_t)port);
    *ret_len = sizeof(*v4);
    return inet_pton(AF_INET, host, &v4->sin_addr) == 1 && ntohl(v4->sin_addr.s_addr) >> 24 == 127
               ? 0
               : -1;
}

static void format_url(char *ret, size_t size, const char *scheme,
                       const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
    char host[INET6_ADDRSTRLEN] = "";

    if (address->ss_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
        (void)snprintf(ret, size, "%s://[%s]:%u", scheme, host, (unsigned)ntohs(v6->sin6_port));
    } else {
        (void)inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
        (void)snprintf(ret, size, "%s://%s:%u", scheme, host, (unsigned)ntohs(v4->sin_port));
    }
}

int kin_bench__server_listen(const char *address, const char *scheme, char *ret_url,
                             size_t url_size, char *message, size_t message_size)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr *sa = (struct sockaddr *)&storage;
    socklen_t len;
    int one = 1;
    int fd;

    if (parse_address(address, &storage, &len) < 0) {
        (void)snprintf(message, message_size,
                       "%s is not a loopback address with a port, such as 127.0.0.1:0", address);
        return -1;
    }
    fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
        bind(fd, sa, len) < 0 || listen(fd, BACKLOG) < 0 || getsockname(fd, sa, &len) < 0) {
        (void)snprintf(message, message_size, "cannot listen on %s: %s", address, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    format_url(ret_url, url_size, scheme, &storage);
    return fd;
}

static void *run_slot(void *arg)
{
    struct slot *slot = arg;

    kin_bench__connection_serve(slot->fd, slot->settings);
    /* The client learns at once that it is over; the descriptor is closed when it is joined. */
    (void)shutdown(slot->fd, SHUT_RDWR);
    atomic_store_explicit(&slot->done, true, memory_order_release);
    return NULL;
}

static void join_slot(struct slot *slot)
{
    (void)pthread_join(slot->thread, NULL);
    (void)close(slot->fd);
    slot->used = false;
}

/* A free slot, after joining all threads that have ended; NULL if all are in use. */
static struct slot *find_slot(struct server *s)
{
    struct slot *found = NULL;

    for (size_t i = 0; i < KIN_BENCH_CONNECTIONS_MAX; i++) {
        struct slot *slot = &s->slots[i];

        if (slot->used && atomic_load_explicit(&slot->done, memory_order_acquire))
            join_slot(slot);
        if (!slot->used && !found)
            found = slot;
    }
    return found;
}

static void start_connection(struct server *s, int fd)
{
    struct slot *slot = find_slot(s);
    sigset_t all;
    sigset_t old;
    int one = 1;
    int rc;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (!slot) {
        kin_bench__connection_refuse(fd, s->settings);
        (void)close(fd);
        return;
    }
    slot->fd = fd;
    slot->settings = s->settings;
    atomic_store_explicit(&slot->done, false, memory_order_relaxed);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&slot->thread, &s->attr, run_slot, slot);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0) {
        kin_bench__connection_refuse(fd, s->settings);
        (void)close(fd);
        return;
    }
    slot->used = true;
}

/* Accepts what is waiting. False if it is no use trying again at once. */
static bool accept_all(struct server *s)
{
    for (;;) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd >= 0) {
            start_connection(s, fd);
            continue;
        }
        switch (errno) {
        case EINTR:
        case ECONNABORTED:
            continue;
        case EAGAIN:
            return true;
        default:
            /* Descriptors of ended connections may be what is missing. */
            (void)find_slot(s);
            return false;
        }
    }
}

/* True once control has reached its end. What is written to it does not matter. */
static bool control_ended(int control)
{
    char ignored[512];
    ssize_t n = read(control, ignored, sizeof(ignored));

    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static int run(struct server *s, char *message, size_t message_size)
{
    bool rest = false;

    for (;;) {
        struct pollfd p[2] = {
            {.fd = s->control, .events = POLLIN},
            {.fd = rest ? -1 : s->listener, .events = POLLIN},
        };
        int n = poll(p, 2, rest ? RETRY_MS : -1);

        rest = false;
        if (n < 0 && errno != EINTR) {
            (void)snprintf(message, message_size, "cannot poll: %s", strerror(errno));
            return -1;
        }
        if (n <= 0)
            continue;
        if (p[0].revents && control_ended(s->control))
            return 0;
        if (p[1].revents)
            rest = !accept_all(s);
    }
}

static void stop_all(struct server *s)
{
    for (size_t i = 0; i < KIN_BENCH_CONNECTIONS_MAX; i++)
        if (s->slots[i].used)
            (void)shutdown(s->slots[i].fd, SHUT_RDWR);
    for (size_t i = 0; i < KIN_BENCH_CONNECTIONS_MAX; i++)
        if (s->slots[i].used)
            join_slot(&s->slots[i]);
}

int kin_bench__server_run(int listener, int control, const struct kin_bench_settings *settings,
                          char *message, size_t message_size)
{
    struct server *s = calloc(1, sizeof(*s));
    int rc;

    if (!s || pthread_attr_init(&s->attr) != 0) {
        (void)snprintf(message, message_size, "out of memory");
        free(s);
        return -1;
    }
    (void)pthread_attr_setstacksize(&s->attr, STACK_SIZE);
    s->settings = settings;
    s->listener = listener;
    s->control = control;
    rc = run(s, message, message_size);
    stop_all(s);
    (void)pthread_attr_destroy(&s->attr);
    free(s);
    return rc;
}
