/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending and waiting. Sockets are blocking: each has a thread, and a shutdown() by the server's
 * main thread ends any call here. Every call copes with short writes and with signals.
 */
#include "transport.h"

#include "pace.h"

#include <errno.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>

/* The kernel does not take more in one call. */
#define SENDFILE_MAX UINT64_C(0x7ffff000)

#define LINGER_NS UINT64_C(1000000000)
#define LINGER_BYTES ((size_t)1 << 20)

int kin_bench__send_all(int fd, const char *data, size_t size, bool more)
{
    while (size > 0) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL | (more ? MSG_MORE : 0));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

int kin_bench__send_vector(int fd, struct iovec *iov, size_t count)
{
    while (count > 0) {
        struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};
        ssize_t sent = sendmsg(fd, &msg, MSG_NOSIGNAL);
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

int kin_bench__send_file(int fd, int file, uint64_t size)
{
    off_t offset = 0;

    while (size > 0) {
        ssize_t n =
            sendfile(fd, file, &offset, (size_t)(size < SENDFILE_MAX ? size : SENDFILE_MAX));

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

int kin_bench__wait_client(int fd, uint64_t deadline, bool *has_input)
{
    for (;;) {
        struct pollfd p = {.fd = fd, .events = *has_input ? POLLRDHUP : POLLRDHUP | POLLIN};
        int n = poll_until(&p, deadline);
        char byte;

        if (n <= 0)
            return n;
        if (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))
            return -1;
        if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0 && errno != EAGAIN && errno != EINTR)
            return -1;
        *has_input = true;
    }
}

void kin_bench__linger(int fd)
{
    uint64_t deadline = kin_bench_now() + LINGER_NS;
    size_t drained = 0;

    /* Closing with unread input would reset the connection and lose the answer. */
    (void)shutdown(fd, SHUT_WR);
    while (drained < LINGER_BYTES) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        char buffer[4096];
        ssize_t n;

        if (poll_until(&p, deadline) <= 0)
            return;
        n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
            return;
        if (n > 0)
            drained += (size_t)n;
    }
}
