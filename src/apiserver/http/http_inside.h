/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of HTTP share: the server, its connections, and its requests.
 */
#ifndef KIN_APISERVER_HTTP_HTTP_INSIDE_H
#define KIN_APISERVER_HTTP_HTTP_INSIDE_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "apiserver/http/http.h"
#include "apiserver/http/http_worker.h"
#include "apiserver/http/port.h"
#include "apiserver/http/pulse.h"
#include "base/list.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"

struct kin__http {
    kin__http_options options; /* const after start */
    kin__fork_guard guard;
    kin__pulse *pulse;
    kin__port *port;
    kin__http_worker *workers;   /* const after start */
    size_t n_workers;            /* const after start */
    size_t next_worker;          /* the pulse's thread: who got a connection last */
    atomic_bool stopping;        /* nothing is suspended any more */
    atomic_bool draining;        /* connections are not kept */
    _Atomic uint64_t body_bytes; /* that are kept of the bodies of all requests */
    kin__mutex lock;
    kin__cond emptied; /* (lock) nobody waits for an answer, or at the end: a connection has gone */
    kin__list connections; /* (lock) */
    size_t n_connections;  /* (lock) of these */
    kin__list unused;      /* (lock) connections without a request so far, the oldest first */
    size_t n_displaced;    /* (lock) connections that are shut down to make room, not closed yet */
    size_t n_admitted;     /* (lock) given to libmicrohttpd and not closed yet, as far as it says */
    kin__list calls;       /* (lock) */
    size_t n_serving;      /* (lock) of these, those that the API has or had */
};

/* One that was let in could not be served. */
void kin__http_not_taken(kin__http *http);

/* One connection, from when libmicrohttpd took it until it closed it. */
typedef struct kin__connection {
    kin__list link;      /* (http lock) */
    kin__list unused;    /* (http lock) unlinked: a request has begun, or it is displaced */
    kin__list handshake; /* unlinked: no TLS, or the handshake is over; the worker's thread */
    bool is_polled;      /* in the epoll set of the handshakes; the worker's thread */
    bool is_secured;     /* the handshake is over; the worker's thread */
    bool is_displaced;   /* (http lock) */
    kin__http *http;
    struct MHD_Connection *mhd;
    int fd;
    int64_t since; /* when it began, by the server's clock */
    kin__address peer;
    kin__pulse_timer deadline; /* fires: the socket is shut down */
    bool has_served;           /* a request has ended */
    bool is_beyond_limit;      /* its first request is answered with 429 */
} kin__connection;

/* libmicrohttpd's MHD_NotifyConnectionCallback. */
void kin__connection_notify(void *arg, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode what);
/* Where the server is full: close the connection that has waited for its first request the longest. */
void kin__connection_displace_locked(kin__http *http) KIN_REQUIRES(http->lock);
/* The connection ends in `ms`, unless it is told otherwise. */
void kin__connection_expect(kin__connection *connection, int64_t ms);
/* It may take its time. */
void kin__connection_relax(kin__connection *connection);

/* How far a request has come. Only libmicrohttpd's thread looks at it. */
enum kin__call_step {
    KIN__CALL_HEAD,    /* the request line was received */
    KIN__CALL_BODY,    /* the head was */
    KIN__CALL_DELAYED, /* all was; waits because of a fault */
    KIN__CALL_SERVED,  /* the API has it */
    KIN__CALL_STALLED, /* will never be answered */
    KIN__CALL_REPLIED, /* libmicrohttpd has the response */
};

/*
 * One request. Two hold it: libmicrohttpd, until the request is over, and the API, from the moment it
 * gets it until it answers. The response holds it too, for its source.
 */
typedef struct kin__http_call {
    kin__api_call api;
    kin__request request;
    kin__ref ref;
    kin__list link;              /* (http lock) */
    kin__http *http;             /* not to be used once libmicrohttpd has let go */
    kin__http_worker *worker;    /* likewise */
    kin__connection *connection; /* BORROWED while libmicrohttpd holds it; NULL: no memory */
    enum kin__call_step step;
    char *uri;      /* path and query, terminated each */
    size_t uri_len; /* of the request line's URI, as a string */
    char *texts;    /* copies of headers: the request may outlive its connection */
    kin__target target;
    kin__buf body;
    uint64_t received;     /* of the body, kept or not */
    uint64_t kept;         /* of the body, as counted in body_bytes */
    kin__failure *failure; /* what it is refused with; NULL: nothing */
    kin__met_fault fault;
    kin__pulse_timer timer; /* of a delay */
    kin__hangup hangup;     /* watched while suspended */
    uint64_t log_id;        /* 0: not logged yet */
    uint64_t sent;          /* bytes of the body that were given to libmicrohttpd */
    bool is_serving;        /* (http lock) counted in n_serving */
    bool is_watch;          /* counted as one */
    bool is_chunked;        /* the response is */
    bool accepts_gzip;
    kin__source *source; /* of the response */

    kin__mutex lock;
    struct MHD_Connection *mhd; /* (lock) NULL: the request is over */
    bool suspended;             /* (lock) */
    bool woken;                 /* (lock) since it was suspended last */
    bool answered;              /* (lock) */
    bool gone;                  /* (lock) the client has hung up */
    kin__reply reply;           /* (lock) until answered, then libmicrohttpd's thread */
} kin__http_call;

/* libmicrohttpd's callbacks: the request line is there; head, body and all of it; it is over. */
void *kin__http_call_begin(void *arg, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result kin__http_call_run(void *arg, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *size, void **context);
void kin__http_call_over(void *arg, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode why);

void kin__http_call_unref(kin__http_call *call);
/* Go on if it is suspended, or do not suspend it next time. Any thread; locks up to API_HTTP held. */
void kin__http_call_wake(kin__http_call *call);
/*
 * Suspend the connection until somebody wakes it. False: somebody has already, or the server stops;
 * look again. Only in libmicrohttpd's thread, whose callback returns then.
 */
bool kin__http_call_park(kin__http_call *call);
/* Be woken when the client hangs up, which libmicrohttpd does not see while it is suspended. */
void kin__http_call_watch_hangup(kin__http_call *call);
/* Whether it is of no use to wait: the client has gone, or the server stops. */
bool kin__http_call_is_lost(kin__http_call *call);

/* Give libmicrohttpd what call->reply says; releases it. MHD_NO: break the connection off. */
enum MHD_Result kin__http_reply(kin__http_call *call, struct MHD_Connection *mhd);
void kin__reply_done(kin__reply *reply);

#endif
