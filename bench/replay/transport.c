/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending and waiting. Sockets are blocking: each has a thread, and a shutdown() by the server's
 * main thread ends any call here. Every call copes with short writes and with signals.
 */
#include "transport.h"

#include "pace.h"
#include "tls.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>

/* The kernel does not take more in one call. */
#define SENDFILE_MAX UINT64_C(0x7ffff000)

#define LINGER_NS UINT64_C(1000000000)
#define LINGER_BYTES ((size_t)1 << 20)

int kin_bench__link_open(struct kin_bench__link *ret, int fd, struct kin_bench_tls *tls)
{
    *ret = (struct kin_bench__link){.fd = fd};
    if (!tls)
        return 0;
    ret->record = malloc(KIN_BENCH_TLS_RECORD);
    if (ret->record)
        ret->tls = kin_bench_tls_accept(tls, fd);
    if (ret->tls)
        return 0;
    free(ret->record);
    return -1;
}

void kin_bench__link_close(struct kin_bench__link *link)
{
    if (link->tls)
        kin_bench_tls_end(link->tls);
    kin_bench_tls_session_free(link->tls);
    free(link->record);
}

ssize_t kin_bench__receive(struct kin_bench__link *link, char *data, size_t size)
{
    ssize_t n;

    if (link->tls)
        return kin_bench_tls_read(link->tls, data, size);
    do
        n = recv(link->fd, data, size, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

int kin_bench__send_all(struct kin_bench__link *link, const char *data, size_t size, bool more)
{
    if (link->tls)
        return kin_bench_tls_write(link->tls, data, size);
    while (size > 0) {
        ssize_t n = send(link->fd, data, size, MSG_NOSIGNAL | (more ? MSG_MORE : 0));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/*
 * Parts are put together into full records: one for each, of a few bytes as a rule, would cost more
 * than this copy of what is about to be encrypted.
 */
static int send_records(struct kin_bench__link *link, const struct iovec *iov, size_t count)
{
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        const char *data = iov[i].iov_base;
        size_t left = iov[i].iov_len;

        while (left > 0) {
            size_t room = KIN_BENCH_TLS_RECORD - len;
            size_t n = left < room ? left : room;

            memcpy(link->record + len, data, n);
            data += n;
            left -= n;
            len += n;
            if (len < KIN_BENCH_TLS_RECORD)
                continue;
            if (kin_bench_tls_write(link->tls, link->record, len) < 0)
                return -1;
            len = 0;
        }
    }
    return kin_bench_tls_write(link->tls, link->record, len);
}

int kin_bench__send_vector(struct kin_bench__link *link, struct iovec *iov, size_t count)
{
    if (link->tls)
        return send_records(link, iov, count);
    while (count > 0) {
        struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};
        ssize_t sent = sendmsg(link->fd, &msg, MSG_NOSIGNAL);
        size_t n;

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        n = (size_t)sent;
        while (count > 0 && n >= iov->iov_len) {
            n -= iov->iov_len;
            iov++;
            count--;
        }
        if (count > 0) {
            iov->iov_base = (char *)iov->iov_base + n;
            iov->iov_len -= n;
        }
    }
    return 0;
}

/* OpenSSL reads the mapping, a record at a time. */
static int send_mapped(struct kin_bench__link *link, int file, uint64_t size)
{
    void *map;
    int rc;

    if (size == 0)
        return 0;
    map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (map == MAP_FAILED)
        return -1;
    rc = kin_bench_tls_write(link->tls, map, (size_t)size);
    (void)munmap(map, (size_t)size);
    return rc;
}

int kin_bench__send_file(struct kin_bench__link *link, int file, uint64_t size)
{
    off_t offset = 0;

    if (link->tls)
        return send_mapped(link, file, size);
    while (size > 0) {
        ssize_t n =
            sendfile(link->fd, file, &offset, (size_t)(size < SENDFILE_MAX ? size : SENDFILE_MAX));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        size -= (uint64_t)n;
    }
    return 0;
}

/* 0 at the deadline, -1 on error, 1 if poll() has events to report. */
static int poll_until(struct pollfd *p, uint64_t deadline)
{
    for (;;) {
        uint64_t now = kin_bench_now();
        uint64_t left = deadline > now ? deadline - now : 0;
        struct timespec ts = {(time_t)(left / UINT64_C(1000000000)),
                              (long)(left % UINT64_C(1000000000))};
        int n;

        if (left == 0)
            return 0;
        n = ppoll(p, 1, deadline == KIN_BENCH__NO_DEADLINE ? NULL : &ts, NULL);
        if (n > 0)
            return 1;
        if (n < 0 && errno != EINTR)
            return -1;
    }
}

int kin_bench__wait_client(const struct kin_bench__link *link, uint64_t deadline, bool *has_input)
{
    for (;;) {
        struct pollfd p = {.fd = link->fd, .events = *has_input ? POLLRDHUP : POLLRDHUP | POLLIN};
        int n = poll_until(&p, deadline);
        char byte;

        if (n <= 0)
            return n;
        if (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))
            return -1;
        if (recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0 && errno != EAGAIN &&
            errno != EINTR)
            return -1;
        *has_input = true;
    }
}

void kin_bench__linger(struct kin_bench__link *link)
{
    uint64_t deadline = kin_bench_now() + LINGER_NS;
    size_t drained = 0;

    /* Closing with unread input would reset the connection and lose the answer. */
    if (link->tls)
        kin_bench_tls_end(link->tls);
    (void)shutdown(link->fd, SHUT_WR);
    while (drained < LINGER_BYTES) {
        struct pollfd p = {.fd = link->fd, .events = POLLIN};
        char buffer[4096];
        ssize_t n;

        if (poll_until(&p, deadline) <= 0)
            return;
        n = recv(link->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return;
        if (n > 0)
            drained += (size_t)n;
    }
}
