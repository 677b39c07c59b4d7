/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pace.h
 * When the events of a watch are due, and the stamps they carry. Arithmetic only.
 */
#ifndef KIN_BENCH_REPLAY_PACE_H
#define KIN_BENCH_REPLAY_PACE_H

#include "data.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rates are kept in thousandths of events per second. */
#define KIN_BENCH_RATE_MAX ((uint64_t)1000000 * 1000)

/**
 * Parse "1000", "0.5" or "2.125"; 0 means as fast as possible.
 * @return 0, -1 (not a number, more than three decimals, above KIN_BENCH_RATE_MAX).
 */
int kin_bench_rate_parse(uint64_t *ret, const char *text);

/**
 * Nanoseconds from the start of the stream to event number i. Computed from the start each time, so
 * that errors of rounding do not add up.
 * @param rate  1 … KIN_BENCH_RATE_MAX
 */
uint64_t kin_bench_due(uint64_t rate, uint64_t i);

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t kin_bench_now(void);

/** Write a time as KIN_BENCH_STAMP_LEN digits, not terminated. */
void kin_bench_stamp(char digits[KIN_BENCH_STAMP_LEN], uint64_t now);

#ifdef __cplusplus
}
#endif

#endif
