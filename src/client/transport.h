/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP exchanges with one server, over libcurl. Knows nothing of Kubernetes.
 *
 * One I/O thread per transport, started with the first exchange, drives all of them. It moves bytes
 * and keeps time; what they mean is looked at elsewhere. An exchange is started by any thread. Its
 * answer is taken by one consumer at a time, as it comes: what the consumer has not taken is bounded,
 * beyond that the stream is paused and the other side waits.
 *
 * A *lane* is a set of connections. Exchanges of the same TLS material share a lane. Other material
 * opens another, and so does the verdict that a connection is dead; a lane whose time is over takes
 * no new exchange and is closed when its last has ended. So nobody is put on a connection of an old
 * certificate, or on one that nobody answers on. Exchanges of different kinds have lanes of their own,
 * so that they do not stand in each other's way.
 */
#ifndef KIN_CLIENT_TRANSPORT_H
#define KIN_CLIENT_TRANSPORT_H

#include "client/credentials.h"

typedef struct kin__transport kin__transport;
typedef struct kin__exchange kin__exchange;

typedef struct kin__transport_options {
    const kin_config *config;   /* COPIED: server, proxy, name to verify, insecure, compression */
    kin_clock *clock;           /* SHARED */
    kin_logger *logger;         /* SHARED; may be NULL */
    int64_t connect_timeout_ns; /* 0: 30 s; TLS handshake included */
    int64_t keepalive_idle_ns;  /* 0: 15 s without a byte, then probes */
    int64_t keepalive_interval_ns; /* 0: 9 s between probes, and a peer is dead after three */
    int64_t probe_after_ns;        /* 0: 20 to 25 s of silence, then a probe; negative: no probes */
    int64_t probe_timeout_ns;      /* 0: 15 s without an answer, and the server is dead */
    const char *probe_target;      /* path; BORROWED while the transport lives; NULL: "/" */
    size_t max_header_bytes;       /* 0: 64 KiB, all headers of one answer */
    unsigned max_connections;      /* of a lane whose exchanges are short; 0: 25 */
    unsigned max_gzip_ratio;       /* as in kin_client_options; 0: 250, UINT_MAX: no limit */
} kin__transport_options;

/* 0, KIN_EINVAL (a server that is no URL), KIN_ENOMEM, KIN_ESYSTEM. */
int kin__transport_new(kin__transport **ret, const kin__transport_options *options, kin_error *err);
/*
 * Every exchange ends with KIN_ECANCELED, and the thread is joined. Where the thread itself is the
 * caller, in a notify function, both happen when that function has returned. Exchanges that somebody
 * still holds stay readable. In a forked child nothing is sent or closed, and what runs in the parent
 * keeps its memory. May be NULL.
 */
void kin__transport_free(kin__transport *transport);

typedef struct kin__header {
    kin_str name;
    kin_str value;
} kin__header;

/*
 * What an exchange is like. Much that is read slowly is paused all the time: over HTTP/1.1 it stops
 * to the byte and stops nobody else. What lasts for days takes no connection from the rest, and is
 * ended, not waited for, when certificates are renewed.
 */
enum kin__lane_kind {
    KIN__LANE_SHORT,      /* HTTP/2, shared; max_connections */
    KIN__LANE_LIST,       /* much: HTTP/1.1, a connection to itself; max_connections */
    KIN__LANE_WATCH,      /* lasts: HTTP/2, shared; as many as it takes */
    KIN__LANE_WATCH_LIST, /* much, and lasts: HTTP/1.1, a connection to itself; as many as it takes */
    KIN__LANE_PROBE,      /* the transport's own: HTTP/1.1, a connection to itself */
};

/* All is COPIED. Times are of the transport's clock. */
typedef struct kin__exchange_spec {
    const char *method;
    const char *target; /* path and query, encoded: "/api/v1/pods?limit=500" */
    const kin__header *headers;
    size_t n_headers;
    kin_str body; /* sent as it is; NULL data: none */
    const kin__identity *identity;
    int64_t not_before; /* not sent earlier; 0: at once */
    int64_t deadline;   /* all of it is over by then; INT64_MAX: never */
    int64_t idle_ns;    /* no byte for so long once it was sent: the peer is dead; 0: no bound */
    /* The server is probed while nothing comes; an unanswered probe ends it with KIN_ECONNECT. */
    bool is_probed;
    /*
     * Bytes that wait for the consumer before the stream is paused; 0: 1 MiB. With HTTP/2 a server
     * may send 32 MiB more before it has to wait, and these are held, too.
     */
    size_t buffer_limit;
    enum kin__lane_kind kind;
    /*
     * There is something for the consumer: headers, bytes, or the end. Runs on the I/O thread with
     * no lock held and must not block. Not called again before the consumer has looked: has called
     * one of its functions below. May be NULL: somebody waits.
     */
    void (*notify)(kin__exchange *exchange, void *arg);
    void *arg;
    /* Runs once, on the I/O thread, after the last notify; not if starting failed. May be NULL. */
    void (*arg_free)(void *arg);
} kin__exchange_spec;

/*
 * *ret is SHARED; release with kin__exchange_unref(). 0, KIN_EINVAL (a method, target or header that
 * would break the request), KIN_ECLOSED, KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__transport_start(kin__transport *transport, kin__exchange **ret,
                         const kin__exchange_spec *spec, kin_error *err);
/* It ends with KIN_ECANCELED within a millisecond. Any thread, at any time; returns at once. */
void kin__exchange_cancel(kin__exchange *exchange);
kin__exchange *kin__exchange_ref(kin__exchange *exchange);
void kin__exchange_unref(kin__exchange *exchange); /* the last one cancels; may be NULL */

/* --- the consumer's side: one thread at a time --- */

/* What stood before the body. */
typedef struct kin__answer {
    int status;
    bool is_http2;
    /*
     * A length or chunks say where the body ends, and an end before that is noticed. Without, it may
     * pass for complete: over HTTP/1 since closing is the end, over HTTP/2 since libcurl 7.88 takes
     * some streams for complete that the server has given up.
     */
    bool is_delimited;
    char content_type[128]; /* lower case, without parameters; "" if there was none */
    int64_t retry_after_ms; /* -1: none */
    char **warnings;        /* the values of Warning headers, bounded */
    size_t n_warnings;
} kin__answer;

/*
 * Wait until there is something: bytes, the end, or, once, the headers. 0, KIN_ETIMEOUT, KIN_EFORKED.
 */
int kin__exchange_wait(kin__exchange *exchange, int64_t deadline);
/* NULL until all headers are there. BORROWED until the exchange is released. */
const kin__answer *kin__exchange_answer(kin__exchange *exchange);
/*
 * The next bytes of the body; BORROWED until the next call on the exchange. False if there are none
 * now. Taking them makes room, and a stream that was paused goes on.
 */
bool kin__exchange_read(kin__exchange *exchange, kin_str *ret);
/*
 * Whether it is over, and all of its body was read. *ret_code: 0 (a complete answer, whatever its
 * status), KIN_ECANCELED, KIN_ETIMEOUT (the deadline), KIN_ECONNECT (no connection, lost, or the peer
 * is dead), KIN_ETLS, KIN_EPROTOCOL (not HTTP, damaged, a redirect), KIN_ELIMIT (headers, compression),
 * KIN_ENOMEM, KIN_ESYSTEM, KIN_EFORKED; `err` says more. What came before a cancellation is dropped.
 */
bool kin__exchange_ended(kin__exchange *exchange, int *ret_code, kin_error *err);
/*
 * When the server was last known to be alive: bytes came, or another sign of life was looked at; 0: never.
 * Any thread.
 */
int64_t kin__exchange_heard(const kin__exchange *exchange);
/* Whether a probe of the server goes unanswered. A change notifies the consumer. */
bool kin__exchange_in_doubt(kin__exchange *exchange);
/* Whether the request may have reached the server: after a failure, if another try is not idempotent. */
bool kin__exchange_was_sent(kin__exchange *exchange);

#endif
