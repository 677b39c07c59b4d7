/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines and stamps. All of it is integer arithmetic that cannot overflow for streams of up to
 * 2^54 events, so that a run of hours is as exact as one of seconds.
 */
#include "pace.h"

#include <time.h>

int kin_bench_rate_parse(uint64_t *ret, const char *text)
{
    uint64_t v = 0;
    int decimals = -1; /* -1: before the point */
    int digits = 0;

    for (; *text; text++) {
        if (*text == '.' && decimals < 0 && digits > 0) {
            decimals = 0;
            continue;
        }
        if (*text < '0' || *text > '9' || decimals >= 3)
            return -1;
        v = v * 10 + (uint64_t)(*text - '0');
        digits++;
        if (decimals >= 0)
            decimals++;
        if (v > KIN_BENCH_RATE_MAX)
            return -1;
    }
    if (digits == 0 || decimals == 0)
        return -1;
    for (int i = decimals < 0 ? 0 : decimals; i < 3; i++)
        v *= 10;
    if (v > KIN_BENCH_RATE_MAX)
        return -1;
    *ret = v;
    return 0;
}

uint64_t kin_bench_due(uint64_t rate, uint64_t i)
{
    uint64_t thousandths = i * 1000;

    /* The remainder is below the rate, hence below 10^9: the product fits. */
    return thousandths / rate * UINT64_C(1000000000) +
           thousandths % rate * UINT64_C(1000000000) / rate;
}

uint64_t kin_bench_now(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

void kin_bench_stamp(char digits[KIN_BENCH_STAMP_LEN], uint64_t now)
{
    for (int i = KIN_BENCH_STAMP_LEN - 1; i >= 0; i--) {
        digits[i] = (char)('0' + now % 10);
        now /= 10;
    }
}
