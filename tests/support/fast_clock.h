/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake clock that goes by itself, many times as fast as the real one: for tests in which many parts
 * wait, each for itself, and nobody could say whose turn it is.
 *
 * It goes by real time, not whenever somebody waits on it: behind sockets somebody always does, for a
 * silence or a deadline, and what is on its way takes real time. A clock that jumped to the next of these
 * would let every request time out before its answer could come. Where there is no real time, in tests
 * over sources of their own, kin_clock_await_waiters() is the way.
 */
#ifndef KIN_TEST_FAST_CLOCK_H
#define KIN_TEST_FAST_CLOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "kinform/clock.h"

typedef struct kin_test_fast_clock {
    kin_clock *clock;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ends;
    bool is_over;   /* (lock) */
    unsigned speed; /* const */
} kin_test_fast_clock;

void kin_test_fast_clock_start(kin_test_fast_clock *fast, unsigned speed);
/* It stands still from now on. */
void kin_test_fast_clock_stop(kin_test_fast_clock *fast);
void kin_test_fast_clock_done(kin_test_fast_clock *fast);

#endif
