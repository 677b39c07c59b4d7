/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter that threads of a test raise and wait for: how tests wait without sleeping.
 * Waiting longer than KIN_TEST_TIMEOUT_MS fails the test.
 */
#ifndef KIN_TEST_LATCH_H
#define KIN_TEST_LATCH_H

#include <pthread.h>

typedef struct kin_test_latch {
    pthread_mutex_t lock;
    pthread_cond_t raised;
    unsigned count; /* (lock) */
} kin_test_latch;

void kin_test_latch_init(kin_test_latch *latch);
void kin_test_latch_done(kin_test_latch *latch);
void kin_test_latch_raise(kin_test_latch *latch);
/* How often it was raised: look at that, then at what it tells of, then wait for one more. */
unsigned kin_test_latch_count(kin_test_latch *latch);
/* Until it was raised at least `count` times. */
void kin_test_latch_wait(kin_test_latch *latch, unsigned count);

#endif
