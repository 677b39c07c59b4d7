/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait before the next try: longer each time, never the same for two programs, and short
 * again once it was not needed for a while. Pure: it is told what time it is.
 *
 * Since its 1.36, client-go's begins anew every two minutes, also during an outage. Here, as before,
 * only time in which nobody had to wait counts, so that a steady outage is met with the longest delays
 * to its end.
 */
#ifndef KIN_INFORMER_BACKOFF_H
#define KIN_INFORMER_BACKOFF_H

#include "base/random.h"

typedef struct kin__backoff_settings {
    int64_t initial; /* nanoseconds, > 0 */
    int64_t cap;     /* of what is multiplied, before the jitter; >= initial */
    int64_t reset;   /* so long without use, and it begins anew */
    double factor;   /* >= 1 */
    double jitter;   /* >= 0: up to so much of the delay is added */
} kin__backoff_settings;

/* client-go's reflector: 800 ms, doubling up to 30 s, and up to as much again by chance. */
#define KIN__BACKOFF_SETTINGS_INIT                                                                 \
    ((kin__backoff_settings){INT64_C(800000000), INT64_C(30000000000), INT64_C(120000000000), 2, 1})

typedef struct kin__backoff {
    kin__backoff_settings settings; /* const after init */
    kin__random random;
    int64_t next;  /* without jitter */
    int64_t until; /* when the last delay was over; INT64_MIN: there was none */
} kin__backoff;

void kin__backoff_init(kin__backoff *backoff, const kin__backoff_settings *settings, uint64_t seed);

/* The delay that begins `now`, in nanoseconds. */
int64_t kin__backoff_next(kin__backoff *backoff, int64_t now);

/* The next delay is the first again. */
void kin__backoff_reset(kin__backoff *backoff);

#endif
