/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transport to a scripted server, and exchanges that are run to their ends.
 */
#ifndef KIN_TEST_TRANSPORT_SUPPORT_H
#define KIN_TEST_TRANSPORT_SUPPORT_H

#include "certificates.h"
#include "client/transport.h"
#include "http_server.h"
#include "kin_test.h"
#include "latch.h"

/* What the tests start from; all zero is plain HTTP on the system's clock. */
typedef struct transport_setup {
    kin_test_http_options server;
    kin__transport_options options; /* config and clock are filled in */
    const char *url;                /* instead of the server's */
    const char *tls_server_name;
    const char *proxy_url;
    bool fake_clock;
    bool insecure;
    bool no_compression;
} transport_setup;

typedef struct transport_fixture {
    kin_test_http *server;
    kin__transport *transport;
    kin_clock *clock;
    bool fake;
} transport_fixture;

void transport_open(transport_fixture *fixture, const transport_setup *setup);
/* Without a server: the setup has a URL. */
void transport_open_alone(transport_fixture *fixture, const transport_setup *setup);
void transport_close(transport_fixture *fixture);

/* SHARED, one reference; texts may be NULL. */
kin__tls_material *transport_material(uint64_t generation, const char *ca,
                                      const kin_test_certificate *client);

/* A GET without bounds. */
kin__exchange_spec transport_get(const char *target);
kin__exchange *transport_start(transport_fixture *fixture, const kin__exchange_spec *spec);

/* How an exchange ended. */
typedef struct transport_result {
    int code;
    kin_error err;
    int status; /* 0: no headers came */
    bool is_http2;
    char content_type[128];
    size_t len;   /* of the whole body */
    char *body;   /* OWNED, terminated; its first 64 KiB */
    uint64_t sum; /* over all of it */
} transport_result;

#define TRANSPORT_BODY_MAX ((size_t)64 * 1024)

/* Add to a sum over bytes. */
uint64_t transport_sum(uint64_t sum, const char *data, size_t len);

/* Read it to its end, and release it. */
void transport_finish(transport_fixture *fixture, kin__exchange *exchange, transport_result *ret);
/* Wait for the end of it, reading nothing; it stays the caller's. */
int transport_await_end(kin__exchange *exchange, kin_error *err);
/* Until libcurl was told to stop reading for it. */
void transport_await_paused(kin__exchange *exchange);
/* TCP sockets of this process. */
size_t transport_count_sockets(void);
/* Until there are no more than so many. */
void transport_await_sockets(size_t n);
/* Start and finish. */
void transport_run(transport_fixture *fixture, const kin__exchange_spec *spec,
                   transport_result *ret);
void transport_result_done(transport_result *result);

/* Fails the test unless it ended with this code and its message has this text. */
void transport_expect(transport_fixture *fixture, const kin__exchange_spec *spec, int code,
                      const char *text);

#endif
