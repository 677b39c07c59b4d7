/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that runs libmicrohttpd: its connections and their requests, from first to last.
 *
 * It waits itself instead of letting libmicrohttpd do so: 0.9.75, when it gets exactly as many events as
 * it can take at a time, waits for more before it looks at any of them, for ever if none comes.
 */
#ifndef KIN_APISERVER_HTTP_HTTP_WORKER_H
#define KIN_APISERVER_HTTP_HTTP_WORKER_H

#include <microhttpd.h>

#include "apiserver/http/handshakes.h"
#include "apiserver/http/http.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/wakeup.h"

/* A connection on its way to the thread. */
typedef struct kin__arrival {
    int fd; /* OWNED */
    kin__address peer;
} kin__arrival;

typedef struct kin__http_worker {
    struct MHD_Daemon *daemon; /* const; OWNED; polled from outside, by epoll */
    int epoll;                 /* const; the daemon's */
    kin__http *http;           /* const */
    kin__handshakes handshakes;
    kin__wakeup wakeup;
    kin__thread thread;
    kin__mutex lock;
    bool stopping;          /* (lock) */
    kin__arrival *arrivals; /* (lock) */
    size_t n_arrivals;      /* (lock) */
    size_t cap_arrivals;    /* (lock) */
} kin__http_worker;

/* The daemon is CONSUMED in any case. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__http_worker_start(kin__http_worker *worker, struct MHD_Daemon *daemon, kin__http *http,
                           kin_error *err);
/* The descriptor is CONSUMED where it does not fail. Any thread. 0, KIN_ENOMEM. */
int kin__http_worker_give(kin__http_worker *worker, int fd, const kin__address *peer);
/*
 * A connection of it was resumed: libmicrohttpd is run once more. 0.9.75 forgets one that is resumed
 * while it looks for events, until the next.
 */
void kin__http_worker_wake(kin__http_worker *worker);
/* Connections that it still has are closed. No request of it may be suspended. */
void kin__http_worker_stop(kin__http_worker *worker);

#endif
