/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 over libmicrohttpd: connections, limits, TLS, requests in and replies out. Knows no
 * Kubernetes but how to say what went wrong.
 *
 * A few threads run libmicrohttpd and in it requests (http_worker.h), one accepts connections and keeps
 * time (pulse.h). No request may block: one whose answer comes later is suspended until then.
 */
#ifndef KIN_APISERVER_HTTP_HTTP_H
#define KIN_APISERVER_HTTP_HTTP_H

#include "apiserver/faults/faults.h"
#include "apiserver/http/metrics.h"
#include "apiserver/http/request_log.h"
#include "apiserver/http/socket.h"
#include "apiserver/http/tokens.h"
#include "apiserver/protocol/reply.h"
#include "kinform/log.h"

typedef struct kin__http kin__http;

/* All pointers are BORROWED until it is freed. No field has a default, but where it says so. */
typedef struct kin__http_options {
    kin__address address;   /* port 0: a free one */
    const char *host_names; /* more names of the server, separated by commas; NULL: none */
    const char *cert;       /* PEM; NULL: no TLS */
    const char *key;        /* PEM */
    unsigned threads;
    unsigned max_connections;
    unsigned max_connections_per_address; /* 0: no limit */
    size_t max_header_bytes;
    size_t max_body_bytes;
    int64_t header_timeout_ms;
    int64_t body_timeout_ms;
    int64_t idle_timeout_ms;
    int64_t send_timeout_ms;
    bool gzip_watches; /* for clients that accept gzip */
    kin_clock *clock;
    kin_logger *logger;
    const kin__tokens *tokens;
    kin__request_log *log;
    kin__metrics *metrics;
    kin__faults *faults;
    /* Paths that no fault meets: by them faults are removed. */
    bool (*is_exempt)(void *arg, kin_str path);
    /* Answers a request: call->answer() now or later, from any thread. Does not block. */
    void (*serve)(void *arg, kin__api_call *call);
    void *serve_arg;
} kin__http_options;

/* Listens and serves. 0, KIN_ENOMEM, KIN_ESYSTEM, KIN_ETLS. */
int kin__http_start(kin__http **ret, const kin__http_options *options, kin_error *err);

/* Where it listens, with the port that it has. BORROWED. */
const kin__address *kin__http_address(const kin__http *http);

/* Close the listening socket: nobody new gets in, and those who wait to get in are reset. */
void kin__http_close_port(kin__http *http);
/* Do what the rules for refusing say, after they have changed. 0, KIN_ESYSTEM. */
int kin__http_follow_faults(kin__http *http, kin_error *err);

/*
 * Stop and release it. Answers that are under way get `drain_ms` of real time to end by themselves,
 * the others are broken off; sources are closed. Requests that were never answered may be answered
 * later still, into the void. May be NULL. In a forked child it only gives memory back.
 */
void kin__http_free(kin__http *http, int64_t drain_ms);

#endif
