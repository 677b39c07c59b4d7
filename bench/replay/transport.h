/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending on a blocking socket: whole buffers, vectors and files, and waiting for the client.
 * All return 0 or -1; after -1 the connection is of no use any more. None raises SIGPIPE but
 * kin_bench__send_file(), for which the process has to ignore it.
 */
#ifndef KIN_BENCH_REPLAY_TRANSPORT_H
#define KIN_BENCH_REPLAY_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* more: something follows at once, so that it may share a segment. */
int kin_bench__send_all(int fd, const char *data, size_t size, bool more);
/* Changes the vector. */
int kin_bench__send_vector(int fd, struct iovec *iov, size_t count);
/* size bytes from the beginning of a file; fails if it has become shorter. */
int kin_bench__send_file(int fd, int file, uint64_t size);

#define KIN_BENCH__NO_DEADLINE UINT64_MAX

/*
 * Wait until a time of CLOCK_MONOTONIC in nanoseconds. 0 when it has come, -1 when the client has
 * closed its end or the socket was shut down. Bytes that the client sends meanwhile stay unread;
 * *has_input (in and out, false at first) remembers that there are some.
 */
int kin_bench__wait_client(int fd, uint64_t deadline, bool *has_input);

/* Close the sending side and let the client read what was sent, but not for long. */
void kin_bench__linger(int fd);

#endif
