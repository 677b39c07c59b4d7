/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-workqueue: work queues, next to what bench/peers/client-go/workqueue.go does with the
 * same keys in the same orders. A change here wants one there.
 */
#ifndef KIN_BENCH_WORKQUEUE_H
#define KIN_BENCH_WORKQUEUE_H

#include <kinform/work_queue.h>

#include "measure.h"

#define KIN_BENCH_MAX_CONSUMERS 64
#define KIN_BENCH_MAX_BATCH 1024

/* What the command line asks for. */
struct kin_bench_arguments {
    size_t keys;
    size_t adds; /* in one pass */
    size_t hot_keys;
    size_t consumers;
    size_t batch; /* keys that a consumer gets at a time */
    double min_time;
    bool next; /* consumers use kin_work_queue_next() */
};

typedef void kin_bench_mode_fn(const struct kin_bench_arguments *args,
                               struct kin_bench_report *report);
kin_bench_mode_fn kin_bench_lockstep;
kin_bench_mode_fn kin_bench_burst;
kin_bench_mode_fn kin_bench_waiting;
kin_bench_mode_fn kin_bench_add_get_done;
kin_bench_mode_fn kin_bench_hot;
kin_bench_mode_fn kin_bench_rate_limited;

/* Say why on standard error, and end the program. */
_Noreturn void kin_bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
