/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS of the server: one certificate, and sessions on blocking sockets. A shutdown() of the socket
 * by another thread ends any call here, as it does without TLS.
 */
#ifndef KIN_BENCH_REPLAY_TLS_H
#define KIN_BENCH_REPLAY_TLS_H

#include <stddef.h>
#include <sys/types.h>

/* Bytes of a full record. */
#define KIN_BENCH_TLS_RECORD ((size_t)16 * 1024)

struct kin_bench_tls;
struct kin_bench_tls_session;

/*
 * With a certificate and its key, both PEM files, or with NULL for both: one is made, which is its own
 * authority and good for 127.0.0.1, ::1 and localhost. NULL with a message on failure.
 */
struct kin_bench_tls *kin_bench_tls_new(const char *certificate, const char *key, char *message,
                                        size_t message_size);
/* The file that a client has to trust; of one that was made, there until it is freed. */
const char *kin_bench_tls_ca(const struct kin_bench_tls *tls);
/* No session is left. May be NULL. */
void kin_bench_tls_free(struct kin_bench_tls *tls);

/* Shake hands on a socket, which stays the caller's; NULL if that failed. */
struct kin_bench_tls_session *kin_bench_tls_accept(struct kin_bench_tls *tls, int fd);
/* As recv() and no flags. */
ssize_t kin_bench_tls_read(struct kin_bench_tls_session *session, char *data, size_t size);
/* All of it; 0 or -1. */
int kin_bench_tls_write(struct kin_bench_tls_session *session, const char *data, size_t size);
/* Say that no more will come. */
void kin_bench_tls_end(struct kin_bench_tls_session *session);
/* May be NULL. */
void kin_bench_tls_session_free(struct kin_bench_tls_session *session);

#endif
