/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a request that failed is sent again, and when: client-go's rules, as a function of what
 * happened. No I/O, no clock.
 */
#ifndef KIN_CLIENT_RETRY_H
#define KIN_CLIENT_RETRY_H

#include "kinform/client.h"

/* What max_retries 0 stands for. */
#define KIN__RETRY_MAX 10

/* One attempt that did not succeed. */
typedef struct kin__attempt {
    enum kin_verb verb;
    int retries;            /* how many there were before it; 0: it was the first */
    int max_retries;        /* kin__retry_max() of the option */
    int code;               /* 0: there was an answer; or the failure: KIN_ECONNECT, … */
    int http_status;        /* of the answer */
    int64_t retry_after_ms; /* of the answer; -1: none */
    bool was_sent;          /* the request may have reached the server */
} kin__attempt;

/* The number that an option stands for: 0 is the default, a negative one none. */
int kin__retry_max(int option);

/* Nanoseconds until it is sent again; -1: never, the attempt is the result. */
int64_t kin__retry_delay_ns(const kin__attempt *attempt);

#endif
