/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/1.1 client for tests of servers: it sends what it is told, well-formed or not, and
 * asserts that what comes back is well-formed.
 */
#ifndef KIN_BENCH_TEST_HTTP_CLIENT_H
#define KIN_BENCH_TEST_HTTP_CLIENT_H

#include "bench_test.h"

struct client {
    int fd;
    struct ssl_st *tls; /* NULL: plain */
    char *data;         /* received and not yet taken */
    size_t len;
    size_t cap;
};

struct response {
    int status;
    bool chunked;
    bool close;
    size_t length;
    char type[128];
    char allow[32];
};

/* To 127.0.0.1. */
void client_connect(struct client *c, uint16_t port);
/* Shake hands, before anything was sent; the server is verified by the CAs of the file. */
void client_secure(struct client *c, const char *ca);
void client_close(struct client *c);
void client_send(struct client *c, const char *text, size_t len);
/* headers: whole lines with their CRLF, or "". */
void client_get(struct client *c, const char *target, const char *headers);

void client_head(struct client *c, struct response *r);
/* A whole response with a length; the body is for free_span(). */
struct span client_response(struct client *c, struct response *r);
/* A GET that is answered with 200, this type, and chunks. */
void client_watch(struct client *c, const char *target, const char *headers, const char *type);
/* One chunk of a watch, for free_span(). */
struct span client_chunk(struct client *c);
/* Nothing more comes but the end. A reset counts as the end. */
void client_expect_end(struct client *c);

#endif
