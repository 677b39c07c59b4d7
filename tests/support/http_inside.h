/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the scripted server know of each other.
 *
 *   http_server.c   listener, records, waits
 *   http_conn.c     the bytes of one connection, its stalls and its end
 *   http_tls.c      handshakes
 *   http_request.c  reading a request
 *   http_answer.c   answers by parts
 *   http_route.c    answers ready-made
 *
 * One lock for all that is shared. A connection's descriptor belongs to its thread; who wants the
 * connection to end sets `end` and wakes that thread, which looks whenever it waits.
 */
#ifndef KIN_TEST_HTTP_INSIDE_H
#define KIN_TEST_HTTP_INSIDE_H

#include <openssl/ssl.h>
#include <pthread.h>

#include "http_server.h"

struct route;

struct kin_test_http {
    kin_test_http_options options; /* const after start */
    char url[512];
    char host[64];
    char folder[128]; /* of the unix socket; "" without */
    char socket_path[160];
    unsigned port;
    int reserve; /* bound and never listening: the port stays ours while the listener is closed */
    int wake;    /* eventfd: the acceptor looks at what it is told */
    pthread_t acceptor;
    int listener; /* the acceptor's; -1 while closed */

    pthread_mutex_t lock;
    pthread_cond_t changed;           /* anything below */
    unsigned orders;                  /* (lock) how often the acceptor was told something */
    unsigned obeyed;                  /* (lock) of these, how many it has followed */
    bool stopping;                    /* (lock) an order */
    bool paused;                      /* (lock) an order: accept nothing */
    bool closed;                      /* (lock) an order: no listener */
    SSL_CTX *tls;                     /* (lock) NULL: plain; counted */
    kin_test_tls_fate fate;           /* (lock) */
    kin_test_http_conn **conns;       /* (lock) all there ever were: counts.connections */
    unsigned to_join;                 /* (lock) threads that are at their end */
    kin_test_http_request **requests; /* (lock) counts.requests */
    kin_test_http_counts counts;      /* (lock) */
    unsigned permits;                 /* (lock) for those that are stalled */
    bool permit_all;                  /* (lock) */
    struct route *routes;             /* (lock) in the order of adding */
};

/* How a connection is to end. */
enum kin_test_http_end {
    KIN_TEST_END_NOT,
    KIN_TEST_END_CLOSE,   /* in order */
    KIN_TEST_END_ABANDON, /* without close_notify */
    KIN_TEST_END_RESET,
};

struct kin_test_http_conn {
    kin_test_http *server;
    unsigned number;
    pthread_t thread;
    int wake;                      /* eventfd */
    kin_test_http_connection seen; /* (lock) */
    enum kin_test_http_end order;  /* (lock) from another thread */
    bool finished;                 /* (lock) */
    bool joined;                   /* the acceptor's, then the stopper's */

    /* Its own thread's. */
    int fd;
    SSL *ssl;
    kin_test_tls_fate fate;
    enum kin_test_http_end end; /* nothing is sent and no request is read once it is set */
    bool unread;                /* of the request there is more than was read */
    bool client_left;
    bool hasty;      /* the client did not take a piece in time: it is not waited for any more */
    uint64_t n_sent; /* bytes, without TLS */
    size_t split;    /* bytes per piece; 0: whole */
    size_t cut;      /* bytes until the cut; 0: none */
    char *in;        /* read, not yet used: in_at to in_len */
    size_t in_len, in_at, in_size;
    unsigned n_requests;
    const kin_test_http_request *request; /* that is being answered */
    bool chunked;
    char *head; /* collected until it ends */
    size_t head_len, head_size;
};

/* End the process: a test cannot go on. */
void kin_test_http_die(const char *what) __attribute__((noreturn));
void *kin_test_http_alloc(size_t size);
/* Room for `need` bytes in *data. */
void kin_test_http_grow(char **data, size_t *size, size_t need);
char *kin_test_http_copy(const char *data, size_t len);
void kin_test_http_ring(int eventfd);

/* --- http_server.c --- */
void kin_test_http_record(kin_test_http_conn *conn, kin_test_http_request *request);

/* --- http_conn.c --- */
void *kin_test_http_conn_run(void *arg);
/* Until the socket is ready for `events` (0: nothing but its end); false: it ends. */
bool kin_test_http_ready(kin_test_http_conn *conn, short events);
/* More bytes into `in`; false at the end. */
bool kin_test_http_fill(kin_test_http_conn *conn);
/* Split as was asked for. False: it is gone. */
bool kin_test_http_send(kin_test_http_conn *conn, const char *data, size_t len);
/* Past TLS, if there is any. */
bool kin_test_http_send_plain(kin_test_http_conn *conn, const char *data, size_t len);
void kin_test_http_client_left(kin_test_http_conn *conn);

/* --- http_tls.c --- */
SSL_CTX *kin_test_http_tls_new(const kin_test_tls *tls);
/* The handshake; false: the connection is of no use. */
bool kin_test_http_secure(kin_test_http_conn *conn, SSL_CTX *tls);
/* As read() and write() do on a socket that does not block, but that they wait; <= 0: the end. */
int kin_test_http_tls_read(kin_test_http_conn *conn, char *data, size_t size);
int kin_test_http_tls_write(kin_test_http_conn *conn, const char *data, size_t len);

/* --- http_request.c --- */
/* NULL: the connection's end, or not a request. OWNED by the caller. */
kin_test_http_request *kin_test_http_read_request(kin_test_http_conn *conn);
void kin_test_http_request_free(kin_test_http_request *request);

/* --- http_answer.c --- */
/* Send what there is of the head, as it is. */
bool kin_test_http_flush_head(kin_test_http_conn *conn);
/* OWNED: free(). */
char *kin_test_http_gzip(const void *data, size_t len, size_t *ret_len);
const char *kin_test_http_reason(int status);

/* --- http_route.c --- */
/* True: a route took it and has answered. */
bool kin_test_http_take_route(kin_test_http_conn *conn, const kin_test_http_request *request);

#endif
