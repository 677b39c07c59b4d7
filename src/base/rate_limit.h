/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much may happen in a time: a bucket of tokens, full at first, that is filled at
 * a steady rate. One request takes one token, and waits until there is one. Clients and the
 * limiters of work queues use it.
 *
 * Who wants to send reserves, and is told when. Nobody waits here. The results are those of
 * golang.org/x/time/rate, with which client-go limits itself.
 */
#ifndef KIN_BASE_RATE_LIMIT_H
#define KIN_BASE_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mutex.h"

/* What 0 stands for: as in kubectl, and with a rate of the caller's own a burst as in client-go. */
#define KIN__RATE_LIMIT_QPS 50.0
#define KIN__RATE_LIMIT_BURST 300
#define KIN__RATE_LIMIT_OWN_BURST 10

typedef struct kin__rate_limit {
    kin__mutex lock; /* rank RATE_LIMIT */
    double qps;      /* const after init; negative: no limit */
    double burst;    /* const after init */
    double tokens;   /* (lock) at `last`; negative while reservations wait */
    int64_t last;    /* (lock) */
    int64_t latest;  /* (lock) the latest time that was given out */
    bool used;       /* (lock) `last` and `latest` are set */
} kin__rate_limit;

/* When a request may go. */
typedef struct kin__reservation {
    int64_t at;   /* time of the clock */
    bool counted; /* it holds a token */
} kin__reservation;

/* `qps` and `burst` as in the options of a client: 0 is the default, a negative rate none. */
void kin__rate_limit_init(kin__rate_limit *limit, double qps, int burst);
void kin__rate_limit_done(kin__rate_limit *limit);

/* Take a token; `now` is the time of the clock that all callers use. Any thread. */
kin__reservation kin__rate_limit_reserve(kin__rate_limit *limit, int64_t now);
/*
 * Give back what will not be used, as far as nobody who came later counts on it. Nothing happens
 * once its time has passed. Any thread, once per reservation.
 */
void kin__rate_limit_cancel(kin__rate_limit *limit, kin__reservation reservation, int64_t now);

#endif
