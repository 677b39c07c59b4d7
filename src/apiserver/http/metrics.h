/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server has done so far, in numbers, for /metrics. Counters are atomic: no lock.
 */
#ifndef KIN_APISERVER_HTTP_METRICS_H
#define KIN_APISERVER_HTTP_METRICS_H

#include <stdatomic.h>

#include "base/buf.h"

#define KIN__METRICS_VERBS 10
#define KIN__METRICS_CODES 500 /* 100 to 599 */

typedef struct kin__metrics {
    _Atomic uint64_t requests[KIN__METRICS_VERBS][KIN__METRICS_CODES];
    _Atomic uint64_t aborted; /* ended without an answer */
    _Atomic uint64_t request_bytes;
    _Atomic uint64_t response_bytes;
    _Atomic uint64_t faults;
    _Atomic uint64_t connections_total;
    _Atomic uint64_t connections_refused;
    _Atomic uint64_t rounds; /* of the threads that serve; only tests read it */
    _Atomic int64_t connections;
    _Atomic int64_t in_flight;
    _Atomic int64_t watches;
} kin__metrics;

/* `verb` as kin__target has it. */
void kin__metrics_answered(kin__metrics *metrics, const char *verb, int status);

/* In the text format of Prometheus. Only memory can be missing: see the buffer. */
void kin__metrics_write(const kin__metrics *metrics, kin__buf *out);

static inline void kin__metrics_add(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void kin__metrics_move(_Atomic int64_t *gauge, int64_t n)
{
    atomic_fetch_add_explicit(gauge, n, memory_order_relaxed);
}

#endif
