/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a transport: what its files share, and nobody else sees.
 *
 * transport.c  life, commands from other threads, the I/O thread's loop
 * exchange.c   the consumer's side, and what the I/O thread puts there
 * flight.c     an exchange on the I/O thread: waiting, launched, timed, ended
 * liveness.c   probes of a silent server, and its verdict
 * easy.c       one libcurl transfer: its options and its callbacks
 * lane.c       a set of connections: one libcurl multi handle
 *
 * | data                    | whose                                                        |
 * |-------------------------|--------------------------------------------------------------|
 * | lanes, timers, flights  | the I/O thread's alone                                       |
 * | inbox, closing          | the transport's lock                                         |
 * | blocks, state, error    | the exchange's lock                                          |
 * | reading, gunzip         | the consumer's: one thread at a time                         |
 *
 * Nobody holds two of these locks. The memory of a transport lasts until its last exchange is
 * released, so that an exchange can always be cancelled.
 */
#ifndef KIN_CLIENT_TRANSPORT_INSIDE_H
#define KIN_CLIENT_TRANSPORT_INSIDE_H

#include <curl/curl.h>

#include "base/list.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/thread.h"
#include "base/timers.h"
#include "base/wakeup.h"
#include "client/answer.h"
#include "client/gunzip.h"
#include "client/request.h"

/* What a kind of lane means; transport.h says why. */
typedef struct kin__lane_traits {
    bool is_shared;  /* exchanges share connections, where there is TLS and the server has HTTP/2 */
    bool is_bounded; /* max_connections; the rest waits */
    bool lasts;      /* ended when certificates are renewed */
} kin__lane_traits;

/* What is known of the server of a group of exchanges; see liveness.c. The I/O thread's. */
typedef struct kin__liveness {
    kin__exchange *probe; /* under way; SHARED; NULL: none */
    uint64_t connection;  /* the one that the probe is about; 0: any */
    int64_t asked_at;     /* when the round of this probe began */
    int64_t interval;     /* of silence before the next round */
    bool is_proven;       /* the probe was answered */
    bool in_doubt;        /* it was not for a while, and the members were notified */
} kin__liveness;

typedef struct kin__lane {
    kin__list link;    /* in the transport's lanes */
    kin__list line;    /* exchanges that libcurl was not given yet */
    kin__list flights; /* exchanges that are under way in it */
    uint32_t id;       /* tells sockets of a lane that is gone from those of one that came */
    kin__transport *transport;
    CURLM *multi;
    kin__tls_material *material; /* SHARED; NULL without TLS */
    uint64_t generation;
    enum kin__lane_kind kind;
    kin__exchange *unsent; /* libcurl makes a connection for it; others wait in line */
    bool is_paced;         /* one connection at a time is made */
    bool retired;          /* takes no new exchange, and is closed when it is empty */
    bool is_late;     /* there were newer certificates when it was made: closed when empty, too */
    bool broken;      /* libcurl gave it up */
    int dead_socket;  /* of what was kept and the server has closed: closed when empty; -1: none */
    int64_t timer;    /* libcurl's, in the time of the system's clock; INT64_MAX: none */
    size_t n;         /* exchanges in `line` and `flights`, probes included */
    int64_t heard_at; /* when a byte came last; 0: none */
    kin__liveness liveness;
} kin__lane;

enum {
    KIN__COMMAND_START = 1,
    KIN__COMMAND_RESUME = 2,
    KIN__COMMAND_CANCEL = 4,
};

typedef struct kin__block {
    struct kin__block *next;
    size_t len;
    size_t cap;
    size_t used; /* the most bytes that were ever in it: wiped when it is freed */
    char data[];
} kin__block;

struct kin__exchange {
    kin__ref ref;              /* one of all users together, one of the I/O thread */
    kin__ref users;            /* the last one cancels */
    kin__transport *transport; /* SHARED */

    /* Const after start. */
    void (*notify)(kin__exchange *exchange, void *arg);
    void (*arg_free)(void *arg);
    void *arg;
    int64_t not_before;
    int64_t deadline;
    int64_t idle_ns;
    size_t buffer_limit;
    bool is_probed;
    enum kin__lane_kind kind;
    kin__tls_material *material; /* SHARED */

    /* The transport's lock. */
    kin__list inbox;
    unsigned commands;
    bool finished; /* takes no more commands */

    /* The I/O thread's, once it was started. */
    kin__http_request request;
    kin__answer_reader reader; /* const once `answered` */
    CURL *easy;
    kin__lane *lane;   /* NULL while it waits for its time */
    kin__list flight;  /* in the transport's waiting ones, a lane's line or flights, or the ended */
    kin__list telling; /* in the list of those to tell */
    kin__timer timer;
    unsigned times_sent; /* libcurl began to send it */
    uint32_t stream;     /* of HTTP/2, what was sent last; 0: not known */
    bool is_disowned;    /* the server has not seen it, for sure */
    bool in_multi;       /* libcurl has it */
    bool is_paused;
    bool is_resuming;     /* libcurl hands over what it has held */
    bool is_discarded;    /* what comes is not wanted any more */
    uint64_t connection;  /* those on the same one have the same number; 0: on none yet */
    int64_t last_byte;    /* in either direction, or since when some may be expected */
    int64_t last_heard;   /* a byte of the server came; 0: none */
    int64_t proven_at;    /* a probe was answered; 0: none */
    int64_t postponed_at; /* a probe brought no verdict; 0: none */
    bool is_probe;        /* of a group; const once it is launched */
    uint32_t probes_lane; /* the lane that it is to use; 0: any of its kind */
    kin_error failure;    /* code 0: libcurl's verdict counts */
    char detail[CURL_ERROR_SIZE];

    /* The exchange's lock. */
    kin__mutex lock;   /* rank KIN__RANK_EXCHANGE */
    kin__cond changed; /* for who waits */
    kin__block *first;
    kin__block *last;
    size_t queued;      /* bytes of all blocks */
    kin__block *spare;  /* empty ones */
    size_t spare_bytes; /* bytes of them */
    size_t unheard;     /* bytes that came since the consumer was woken */
    bool answered;      /* all headers are there */
    bool answer_seen;
    bool wants_resume; /* paused, and nobody has asked for more yet */
    bool notified;     /* and nobody has looked since */
    bool ended;
    bool in_doubt;         /* a probe of the server is not answered */
    atomic_bool was_sent;  /* needs no lock */
    _Atomic int64_t heard; /* needs no lock; when the server was known to be alive; 0: never */
    kin_error error;       /* const once ended; code 0: a complete answer */

    /* The consumer's. */
    kin__block *reading;
    kin__gunzip *gunzip;
    char *unfolded;   /* what came out of gunzip */
    kin_error broken; /* what the consumer's side found wrong with the body */
    bool may_unfold;  /* more may come out of gunzip without more bytes */
};

struct kin__transport {
    kin__ref ref; /* the owner, the I/O thread, each exchange */
    kin__fork_guard guard;
    kin__endpoint endpoint;        /* const after new */
    struct curl_slist connect_to;  /* const after new */
    kin__transport_options limits; /* const after new; without the config */
    kin_clock *clock;              /* SHARED */
    kin_logger *logger;            /* SHARED */
    bool gzip;                     /* const after new */
    int epoll;                     /* const after new */
    kin__wakeup wakeup;

    kin__mutex lock;    /* rank KIN__RANK_TRANSPORT */
    kin__list inbox;    /* (lock) exchanges with commands */
    bool closing;       /* (lock) */
    kin__thread thread; /* (lock) until started */

    /* The I/O thread's. */
    kin__list lanes;
    kin__list waiting; /* exchanges whose time has not come */
    kin__list told;    /* exchanges whose consumers are to be told */
    kin__list ended;   /* exchanges to let go of */
    kin__timers timers;
    kin__liveness liveness; /* of exchanges with connections of their own */
    int64_t heard_at;       /* when a byte came last; 0: none */
    bool probe_news;        /* a probe has something for kin__liveness_run() */
    kin__random random;
    uint32_t next_lane;
    uint32_t turn;     /* how often it has waited for events */
    uint32_t *lane_of; /* by socket: the lane that waits for its events; 0: it is not in the set */
    size_t n_lane_of;
};

/* --- transport.c --- */

void kin__transport_unref(kin__transport *transport);
/* Ask the I/O thread to do something for an exchange; nothing happens if that has ended. */
void kin__transport_post(kin__exchange *exchange, unsigned commands);

/* --- lane.c --- */

const kin__lane_traits *kin__lane_traits_of(enum kin__lane_kind kind);
/* By its number; NULL: it is gone. */
kin__lane *kin__lane_find(const kin__transport *transport, uint32_t id);
/* Whether exchanges of this kind can share a connection with this server. */
bool kin__lane_may_share(const kin__transport *transport, enum kin__lane_kind kind);
/* Room for a socket that libcurl will tell of. 0 or KIN_ENOMEM. */
int kin__lane_expect_socket(kin__transport *transport, int fd);
/* libcurl is about to close a socket: it is out of the epoll set then, and its number another's. */
void kin__lane_forget_socket(kin__transport *transport, int fd);
/*
 * The lane that waits for the events of a socket that has some; NULL: none. If none has since the
 * turn before, the socket is of a connection that is kept, and only its end is waited for.
 */
kin__lane *kin__lane_expecting(kin__transport *transport, uint32_t id, int fd, uint32_t events);

/* --- exchange.c: the consumer's side --- */

/* 0, KIN_EINVAL, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__exchange_new(kin__exchange **ret, kin__transport *transport,
                      const kin__exchange_spec *spec, kin_error *err);
/* Drop a reference to the memory; users drop theirs with kin__exchange_unref(). */
void kin__exchange_put(kin__exchange *exchange);

/* What the I/O thread puts there. */
void kin__exchange_set_answered(kin__exchange *exchange);
enum kin__feed { KIN__FEED_TAKEN, KIN__FEED_PAUSE, KIN__FEED_NO_MEMORY };
/* `all`: take them, however much is there. */
enum kin__feed kin__exchange_feed(kin__exchange *exchange, kin_str bytes, bool all);
/* When the server was last known to be alive; an earlier time than before is ignored. */
void kin__exchange_set_heard(kin__exchange *exchange, int64_t when);
/* Whether a probe of the server goes unanswered; a change notifies the consumer. */
void kin__exchange_set_doubt(kin__exchange *exchange, bool in_doubt);
/* The end, with `failure`. */
void kin__exchange_set_ended(kin__exchange *exchange);
/* Notify the consumer and wake it, when libcurl has returned. */
void kin__exchange_tell(kin__exchange *exchange);

/* --- flight.c: on the I/O thread --- */

void kin__flight_obey(kin__exchange *exchange, unsigned commands);
/* Its timer has run out. */
void kin__flight_wake(kin__exchange *exchange);
/* libcurl has done with it. */
void kin__flight_done(kin__exchange *exchange, CURLcode curl_code);
/* End it before libcurl has done with it; `failure` says why. */
void kin__flight_end(kin__exchange *exchange);
/* Inside of libcurl: the request begins to be sent, more of it is, bytes have come. */
void kin__flight_sends(kin__exchange *exchange, uint64_t connection);
void kin__flight_sent_some(kin__exchange *exchange);
void kin__flight_heard(kin__exchange *exchange);
/* Inside of libcurl: of the exchange's connection streams above this one were not seen. */
void kin__flight_disown(kin__exchange *exchange, uint32_t last_stream);
/* Set the timer to the next due time. Takes no memory. */
void kin__flight_set_timer(kin__exchange *exchange);
/* It is in no lane any more, and finds one. */
void kin__flight_relaunch(kin__exchange *exchange);
/* Every exchange of the lane has failed. */
void kin__flight_lane_failed(kin__lane *lane, const char *why);

/* --- liveness.c: on the I/O thread --- */

/* A group without a probe; draws its interval. */
void kin__liveness_init(kin__liveness *group, kin__transport *transport);
void kin__liveness_done(kin__liveness *group);
/* When to call kin__liveness_wake() for an exchange in a lane; INT64_MAX: never. */
int64_t kin__liveness_next(const kin__exchange *exchange);
void kin__liveness_wake(kin__exchange *exchange);
/* Look at probes that have news, and act on it. May end exchanges. */
void kin__liveness_run(kin__transport *transport);

/* --- easy.c --- */

/* Make the transfer. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__easy_new(kin__exchange *exchange, kin_error *err);
/* libcurl 7.80 and newer is needed; 0 or KIN_ESYSTEM. */
int kin__easy_global_init(kin_error *err);

/* --- lane.c --- */

/* The lane for an exchange; made if there is none. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__lane_for(kin__lane **ret, kin__exchange *exchange, kin_error *err);
/* Put an exchange into a lane's line, and take it out; `complete`: libcurl has done with it. */
void kin__lane_add(kin__lane *lane, kin__exchange *exchange);
void kin__lane_remove(kin__exchange *exchange, bool complete);
/* Take it back from libcurl, which has done with it and is to get it again. */
void kin__lane_take_back(kin__exchange *exchange);
/* A socket is ready; `events` as epoll has them. */
void kin__lane_socket(kin__lane *lane, int fd, uint32_t events);
/* libcurl's timer, if it is due. */
void kin__lane_time(kin__lane *lane, int64_t system_now);
/* Hand what has ended to kin__flight_done(). */
void kin__lane_collect(kin__lane *lane);
/* Give libcurl what waits in line and may go; whether there was any. */
bool kin__lane_advance(kin__lane *lane);
/* It takes no new exchange; those in line go elsewhere. */
void kin__lane_retire(kin__lane *lane);
void kin__lane_free(kin__lane *lane);

#endif
