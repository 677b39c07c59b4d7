/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Go server of h2server/ as a child process.
 */
#ifndef KIN_TEST_H2_SERVER_H
#define KIN_TEST_H2_SERVER_H

#include "certificates.h"

typedef struct h2_server h2_server;

typedef struct h2_stats {
    unsigned accepted; /* connections */
    unsigned open;
    unsigned streams; /* open now */
    unsigned most_streams;
} h2_stats;

/* Whether it was built: there is Go. */
bool h2_server_exists(void);
/* Listening when it returns. *ret is OWNED: h2_server_stop(). */
void h2_server_start(h2_server **ret, const kin_test_certificate *certificate,
                     unsigned max_streams);
void h2_server_stop(h2_server *server);
const char *h2_server_url(const h2_server *server);

/* A line of h2server/main.go's; it has answered when this returns. */
void h2_server_tell(h2_server *server, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
h2_stats h2_server_stats(h2_server *server);
/* SIGSTOP and SIGCONT. */
void h2_server_freeze(h2_server *server);
void h2_server_thaw(h2_server *server);

#endif
