/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An HTTP/1.1 server inside the test's process that does exactly what a script says, right or
 * wrong, and keeps what came. With it every path of an HTTP client is driven without sleeping:
 * the test waits for what the server saw, and the server waits for what the test tells it.
 *
 * It listens on loopback (a port of the kernel's choice) or on a unix socket in a folder of its
 * own. Every connection has a thread. A request goes to the first route that takes it (routes may
 * be added at any time), else to the handler, else it is answered by 404.
 *
 *     kin_test_http *server;
 *     kin_test_http_start(&server, &(kin_test_http_options){.handler = answer, .arg = &data});
 *     ... a client is given kin_test_http_url(server) ...
 *     kin_test_http_await_requests(server, 1);
 *     assert_string_equal(kin_test_http_request_at(server, 0)->target, "/api");
 *     kin_test_http_stop(server);
 *
 * Functions that take a `kin_test_http_conn` are for handlers: they run on the connection's
 * thread, where cmocka's assertions must not be used. They give false once the connection is
 * gone, and do nothing from then on, so a handler need not look. All others are for any thread;
 * the waiting ones fail the test after KIN_TEST_TIMEOUT_MS. What a test cannot go on without (a
 * socket, memory) ends the process with a message.
 *
 * SIGPIPE is never raised. Nothing here uses the library's allocator.
 */
#ifndef KIN_TEST_HTTP_SERVER_H
#define KIN_TEST_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kin_test_http kin_test_http;
typedef struct kin_test_http_conn kin_test_http_conn;

typedef struct kin_test_http_field {
    char *name;
    char *value;
} kin_test_http_field;

/* What came. Kept until the server is stopped, and not changed. */
typedef struct kin_test_http_request {
    unsigned connection; /* which one, from 0 */
    unsigned number;     /* which one on its connection, from 0 */
    char *method;
    char *target;
    char *version; /* "HTTP/1.1" */
    kin_test_http_field *fields;
    size_t n_fields;
    char *body; /* whole, chunks joined, terminated */
    size_t body_len;
} kin_test_http_request;

/* The first of this name in any case, or NULL. */
const char *kin_test_http_field_of(const kin_test_http_request *request, const char *name);
/* How many of this name there are. */
size_t kin_test_http_fields_of(const kin_test_http_request *request, const char *name);

typedef void (*kin_test_http_fn)(kin_test_http_conn *conn, const kin_test_http_request *request,
                                 void *arg);

/* --- TLS. kin_test_pki in certificates.h makes what goes in here. --- */

/* What happens to a handshake when the client's hello has come. */
typedef enum kin_test_tls_fate {
    KIN_TEST_TLS_DONE,    /* it succeeds, if the client agrees */
    KIN_TEST_TLS_REFUSED, /* alert handshake_failure */
    KIN_TEST_TLS_STALLED, /* no answer, until released: it goes on then */
    KIN_TEST_TLS_CLOSED,  /* the connection is closed without a word */
    KIN_TEST_TLS_RESET,   /* ... is reset */
    KIN_TEST_TLS_GARBAGE, /* is answered by something that is not TLS */
} kin_test_tls_fate;

typedef struct kin_test_tls {
    const char *certificate; /* PEM text; a chain if there are several. NULL: plain HTTP */
    const char *key;
    const char *client_ca;           /* PEM: ask for a client certificate of these. NULL: do not */
    bool require_client_certificate; /* no handshake without one */
    int min_version;                 /* TLS1_2_VERSION … of <openssl/tls1.h>; 0: any */
    int max_version;
    /* The one protocol to choose, a literal; NULL: "http/1.1"; "": no answer to ALPN. */
    const char *alpn;
    kin_test_tls_fate fate;
} kin_test_tls;

/* --- life --- */

typedef struct kin_test_http_options {
    kin_test_http_fn handler; /* of requests that no route takes */
    /* Before a request's body is read, also before "100 Continue" is sent. False: that was the
     * answer, the body is not wanted, the connection is closed. */
    bool (*head)(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg);
    /* When a connection has come, before TLS and before anything is read. */
    void (*accepted)(kin_test_http_conn *conn, unsigned number, void *arg);
    void *arg;
    kin_test_tls tls; /* COPIED */
    bool unix_socket; /* on a path instead of a port; TLS as well, if that is wanted */
    bool ipv6;        /* [::1] */
    size_t split;     /* bytes per piece of everything sent, see kin_test_http_split() */
    int send_buffer;  /* bytes of SO_SNDBUF; 0 as the system does. Small: a slow client is felt */
    size_t max_body;  /* bytes of a request's body; 0: 64 MiB. Longer: the connection is closed */
    /* An address that is not loopback, for a peer in a network namespace. */
    const char *address;
} kin_test_http_options;

/* Listening when it returns. *ret is OWNED: kin_test_http_stop(). */
void kin_test_http_start(kin_test_http **ret, const kin_test_http_options *options);
/*
 * Close the listener and all connections, release whoever is stalled, join all threads, free
 * everything. A handler is waited for, so it must not wait for anything but the client or the
 * server.
 */
void kin_test_http_stop(kin_test_http *server);

/* BORROWED until it is stopped: "https://127.0.0.1:4711", "unix:///tmp/…/socket". */
const char *kin_test_http_url(const kin_test_http *server);
unsigned kin_test_http_port(const kin_test_http *server);           /* 0 for a unix socket */
const char *kin_test_http_socket_path(const kin_test_http *server); /* NULL for a port */
/* "127.0.0.1:4711", as a Host field has it; "localhost" for a unix socket. */
const char *kin_test_http_host(const kin_test_http *server);

/* Others from the next connection on: rotation. COPIED. */
void kin_test_http_set_tls(kin_test_http *server, const kin_test_tls *tls);
/* No listener at the port: new connections are refused. Old ones go on. */
void kin_test_http_close_listener(kin_test_http *server);
/* The same port again. */
void kin_test_http_open_listener(kin_test_http *server);
/* A listener that nobody asks for connections: they are made by the kernel, and nothing comes. */
void kin_test_http_accept(kin_test_http *server, bool on);
/* End all connections that are open now, whatever their handlers do. */
void kin_test_http_close_connections(kin_test_http *server);
void kin_test_http_reset_connections(kin_test_http *server);

/* --- what was seen --- */

/* Until this many requests have come, bodies included. */
void kin_test_http_await_requests(kin_test_http *server, unsigned n);
/* Until this many connections were accepted, TLS or not. */
void kin_test_http_await_connections(kin_test_http *server, unsigned n);
/* Until exactly this many connections are open. */
void kin_test_http_await_open(kin_test_http *server, unsigned n);
/* Until this many connections have ended. */
void kin_test_http_await_closed(kin_test_http *server, unsigned n);
/* Until this many connections are stalled at the same time. */
void kin_test_http_await_stalled(kin_test_http *server, unsigned n);

typedef struct kin_test_http_counts {
    unsigned connections; /* accepted */
    unsigned open;        /* of these, still there */
    unsigned requests;
    unsigned stalled;           /* at this moment */
    unsigned handshakes;        /* TLS, done */
    unsigned failed_handshakes; /* TLS, not done: our fault or the client's */
    unsigned sessions_reused;   /* of the handshakes */
} kin_test_http_counts;

kin_test_http_counts kin_test_http_count(kin_test_http *server);

/* The request of this index, in the order of their ends; waits for it. BORROWED until stopped. */
const kin_test_http_request *kin_test_http_request_at(kin_test_http *server, unsigned index);

/* The connections, in the order of their beginnings. */
typedef struct kin_test_http_connection {
    bool open;
    bool left_by_client; /* it ended because the client closed or reset it */
    bool secure;         /* the handshake is done; what follows is told by it */
    bool session_reused;
    char tls_version[16];     /* "TLSv1.3" */
    char alpn[32];            /* as chosen; "" without */
    char alpn_offered[128];   /* as the client listed them, separated by commas */
    char sni[256];            /* "" without */
    char client_subject[256]; /* of the client's certificate, "CN = …"; "" without */
    char tls_error[256];      /* why a handshake failed, from our side */
    unsigned requests;
} kin_test_http_connection;

/* A copy as of now; waits until there is such a connection. */
kin_test_http_connection kin_test_http_connection_at(kin_test_http *server, unsigned index);

/* --- Handlers' means: an answer by its parts --- */

/* The status line. The reason phrase is the usual one. */
bool kin_test_http_status(kin_test_http_conn *conn, int status);
bool kin_test_http_header(kin_test_http_conn *conn, const char *name, const char *value);
/* The end of the head, where nothing below is called that would do it. */
bool kin_test_http_end_head(kin_test_http_conn *conn);
/* Content-Length, the end of the head, and the body. For a HEAD request the body is left out. */
bool kin_test_http_body(kin_test_http_conn *conn, const void *data, size_t len);
/* The same, compressed, with a Content-Encoding. */
bool kin_test_http_gzip_body(kin_test_http_conn *conn, const void *data, size_t len);
/* One chunk, sent at once; the first brings the Transfer-Encoding and ends the head. */
bool kin_test_http_chunk(kin_test_http_conn *conn, const void *data, size_t len);
bool kin_test_http_chunk_text(kin_test_http_conn *conn, const char *text);
bool kin_test_http_end_chunks(kin_test_http_conn *conn);
/* Any bytes, as they are. The answer is what the handler says it is. */
bool kin_test_http_raw(kin_test_http_conn *conn, const void *data, size_t len);
bool kin_test_http_raw_text(kin_test_http_conn *conn, const char *text);
/* A whole answer with a text. */
bool kin_test_http_answer(kin_test_http_conn *conn, int status, const char *content_type,
                          const char *body);

/*
 * What is sent from now on goes in pieces of n bytes; 0: whole. A piece is sent when the client
 * has taken the one before out of its socket (TCP; the kernel is asked), or as a TLS record of
 * its own. A client that does not read is not waited for longer than a moment.
 */
void kin_test_http_split(kin_test_http_conn *conn, size_t n);

/* --- Handlers' means: ends and waits --- */

/* In order: close_notify with TLS, then FIN. No request is read any more. */
void kin_test_http_close(kin_test_http_conn *conn);
/* FIN without close_notify: with TLS a truncation. */
void kin_test_http_abandon(kin_test_http_conn *conn);
/* RST. */
void kin_test_http_reset(kin_test_http_conn *conn);
/*
 * Nothing is sent and nothing is read until the test calls kin_test_http_release().
 * True: it did. False: the client left, or the server is stopped.
 */
bool kin_test_http_stall(kin_test_http_conn *conn);
/* The same until ready() is true, which is asked now and at every kin_test_http_release(). */
bool kin_test_http_stall_until(kin_test_http_conn *conn, bool (*ready)(void *arg), void *arg);
/* Until the client has closed or reset the connection. False: the server is stopped instead. */
bool kin_test_http_wait_for_client_close(kin_test_http_conn *conn);
/* Until the client has taken all that was sent out of its socket (TCP), or a moment has passed. */
void kin_test_http_wait_for_client_read(kin_test_http_conn *conn);

/* Let n of those go on that are stalled now or will be; 0: conditions are looked at again. */
void kin_test_http_release(kin_test_http *server, unsigned n);
/* Let everybody go on, now and later. */
void kin_test_http_release_all(kin_test_http *server);

/* --- Routes: answers ready-made, right and wrong --- */

typedef enum kin_test_http_shape {
    KIN_TEST_HTTP_LENGTH,       /* Content-Length; right */
    KIN_TEST_HTTP_CHUNKED,      /* chunks of `size` bytes (all in one); right */
    KIN_TEST_HTTP_GZIP,         /* Content-Length, compressed; right */
    KIN_TEST_HTTP_UNTIL_CLOSE,  /* neither length nor chunks, ended by closing; right */
    KIN_TEST_HTTP_LAST,         /* Content-Length, Connection: close, closed; right */
    KIN_TEST_HTTP_CONTINUED,    /* `size` answers 100 before the real one; right */
    KIN_TEST_HTTP_HINTED,       /* one answer 103 with fields before the real one; right */
    KIN_TEST_HTTP_SILENT_CLOSE, /* as LENGTH, then closed without having said so: a client that
                                   uses the connection again meets its end */
    /* Cut short. */
    KIN_TEST_HTTP_SHORT,         /* Content-Length is `size` (1) bytes too large; closed */
    KIN_TEST_HTTP_SHORT_CHUNK,   /* the only chunk announces `size` (1) bytes too many; closed */
    KIN_TEST_HTTP_NO_LAST_CHUNK, /* closed where the last chunk should be */
    KIN_TEST_HTTP_SHORT_RESET,   /* as SHORT, but reset when the client has read it */
    KIN_TEST_HTTP_SHORT_ABANDON, /* as SHORT, without close_notify */
    KIN_TEST_HTTP_SHORT_GZIP,    /* compressed; the stream's last `size` (8) bytes are missing */
    KIN_TEST_HTTP_HALF_HEAD,     /* closed in the middle of the head */
    KIN_TEST_HTTP_NO_ANSWER,     /* closed without an answer */
    KIN_TEST_HTTP_RESET_ANSWER,  /* reset without an answer */
    /* Not HTTP. */
    KIN_TEST_HTTP_GARBAGE,         /* `size` (64) bytes of no meaning; closed */
    KIN_TEST_HTTP_VERSION_0_9,     /* the body and nothing else; closed */
    KIN_TEST_HTTP_BAD_STATUS,      /* a status line without a number */
    KIN_TEST_HTTP_BAD_FIELD,       /* a field without a colon */
    KIN_TEST_HTTP_BAD_LENGTH,      /* Content-Length: many */
    KIN_TEST_HTTP_TWO_LENGTHS,     /* two Content-Length fields that differ */
    KIN_TEST_HTTP_BAD_CHUNK_SIZE,  /* a chunk's size is not a number */
    KIN_TEST_HTTP_HUGE_CHUNK_SIZE, /* a chunk's size does not fit into 64 bits */
    KIN_TEST_HTTP_BAD_GZIP,        /* says gzip, and is not */
    KIN_TEST_HTTP_SURPLUS, /* Content-Length, and bytes after the body that nobody asked for */
    /* Too much. */
    KIN_TEST_HTTP_LARGE_FIELD,    /* one field with a value of `size` (1 MiB) bytes */
    KIN_TEST_HTTP_MANY_FIELDS,    /* `size` (20,000) small fields */
    KIN_TEST_HTTP_LONG_STATUS,    /* a reason phrase of `size` (1 MiB) bytes */
    KIN_TEST_HTTP_ENDLESS_HEAD,   /* fields until the client closes */
    KIN_TEST_HTTP_ENDLESS_BODY,   /* chunks of 16 KiB until the client closes */
    KIN_TEST_HTTP_GZIP_BOMB,      /* `size` (64 MiB) zero bytes, compressed */
    KIN_TEST_HTTP_MANY_CONTINUES, /* answers 100 until the client closes */
    /* Too slow: stalled until released, then as LENGTH. */
    KIN_TEST_HTTP_STALL_FIRST,   /* before the status line */
    KIN_TEST_HTTP_STALL_IN_HEAD, /* in the middle of the head */
    KIN_TEST_HTTP_STALL_IN_BODY, /* after `size` (0) bytes of the body */
    KIN_TEST_HTTP_N_SHAPES
} kin_test_http_shape;

const char *kin_test_http_shape_name(kin_test_http_shape shape);

/* All strings are COPIED. */
typedef struct kin_test_http_route {
    const char *method;       /* NULL: any */
    const char *target;       /* with its query; a '*' at the end stands for any rest. NULL: any */
    unsigned times;           /* so often, then the route is gone; 0: for ever */
    int status;               /* 0: 200 */
    const char *content_type; /* NULL: application/json; "": none */
    const char *fields;       /* more of them, "A: b\r\nC: d\r\n"; NULL: none. Redirects and such */
    const char *body;         /* NULL: empty */
    size_t body_len;          /* 0: as strlen() says */
    kin_test_http_shape shape;
    size_t size;  /* see the shape; 0: what stands there in parentheses */
    size_t split; /* bytes per piece, 0: as the server's option says */
    size_t cut;   /* cut once, after so many bytes of the answer; 0: not */
} kin_test_http_route;

void kin_test_http_add_route(kin_test_http *server, const kin_test_http_route *route);
void kin_test_http_clear_routes(kin_test_http *server);

#endif
