/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending on a blocking socket, plain or TLS: whole buffers, vectors and files, and waiting for the
 * client. All return 0 or -1; after -1 the connection is of no use any more. The process has to
 * ignore SIGPIPE.
 */
#ifndef KIN_BENCH_REPLAY_TRANSPORT_H
#define KIN_BENCH_REPLAY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct kin_bench_tls;
struct kin_bench_tls_session;

struct kin_bench__link {
    int fd;
    struct kin_bench_tls_session *tls; /* NULL: plain */
    char *record;                      /* with TLS: where a record is put together */
};

/* Shake hands, if tls is not NULL. The socket stays the caller's. */
int kin_bench__link_open(struct kin_bench__link *ret, int fd, struct kin_bench_tls *tls);
void kin_bench__link_close(struct kin_bench__link *link);
/* What has come, at least a byte of it. 0 at the end, or -1. */
ssize_t kin_bench__receive(struct kin_bench__link *link, char *data, size_t size);

/* more: something follows at once, so that it may share a segment. */
int kin_bench__send_all(struct kin_bench__link *link, const char *data, size_t size, bool more);
/* Changes the vector. */
int kin_bench__send_vector(struct kin_bench__link *link, struct iovec *iov, size_t count);
/* size bytes from the beginning of a file; fails if it has become shorter. */
int kin_bench__send_file(struct kin_bench__link *link, int file, uint64_t size);

#define KIN_BENCH__NO_DEADLINE UINT64_MAX

/*
 * Wait until a time of CLOCK_MONOTONIC in nanoseconds. 0 when it has come, -1 when the client has
 * closed its end or the socket was shut down. Bytes that the client sends meanwhile stay unread;
 * *has_input (in and out, false at first) remembers that there are some.
 */
int kin_bench__wait_client(const struct kin_bench__link *link, uint64_t deadline, bool *has_input);

/* Close the sending side and let the client read what was sent, but not for long. */
void kin_bench__linger(struct kin_bench__link *link);

#endif
