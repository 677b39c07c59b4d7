/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What popping has in common in all queues: its result, and the line in the log when a processing
 * was slow.
 */
#ifndef KIN_CACHE_POP_H
#define KIN_CACHE_POP_H

#include "kinform/clock.h"
#include "kinform/log.h"

/* In a batch, unless told otherwise. */
enum { KIN__POP_BATCH = 1000 };

/* Who speaks in the log, and when. */
typedef struct kin__slow {
    const char *component; /* constant */
    char *name;            /* OWNED */
    kin_logger *logger;    /* SHARED */
    int64_t limit_ns;      /* INT64_MAX: never */
} kin__slow;

/*
 * As a queue's options say: a `name` that is NULL is the component's, a `logger` that is NULL the
 * default one; `slow_ms` is 0 for 100, negative for never. 0 or KIN_ENOMEM.
 */
int kin__slow_init(kin__slow *slow, const char *component, const char *name, kin_logger *logger,
                   int64_t slow_ms, kin_error *err);
void kin__slow_done(kin__slow *slow);

/* Before a processing, while `depth` wait behind it: what kin__slow_end() needs. */
int64_t kin__slow_start(const kin__slow *slow, kin_clock *clock, size_t depth);
/* After the processing of `n`, the first of which has the key. No lock is held. */
void kin__slow_end(const kin__slow *slow, kin_clock *clock, int64_t start, kin_str key, size_t n,
                   size_t depth);

/* What a pop returns, by what the process function returned and said. */
int kin__pop_result(int code, const kin_error *said, kin_error *err);

/* Say why nothing was popped: KIN_ECLOSED, KIN_ETIMEOUT or KIN_ENOMEM. Returns the code. */
int kin__pop_nothing(int code, kin_error *err);

#endif
