/* SPDX-License-Identifier: Apache-2.0 */
#include "latch.h"

#include <time.h>

#include "kin_test.h"

void kin_test_latch_init(kin_test_latch *latch)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&latch->lock, NULL);
    pthread_cond_init(&latch->raised, &attr);
    pthread_condattr_destroy(&attr);
    latch->count = 0;
}

void kin_test_latch_done(kin_test_latch *latch)
{
    pthread_cond_destroy(&latch->raised);
    pthread_mutex_destroy(&latch->lock);
}

void kin_test_latch_raise(kin_test_latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    latch->count++;
    pthread_cond_broadcast(&latch->raised);
    pthread_mutex_unlock(&latch->lock);
}

unsigned kin_test_latch_count(kin_test_latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    unsigned count = latch->count;
    pthread_mutex_unlock(&latch->lock);
    return count;
}

void kin_test_latch_wait(kin_test_latch *latch, unsigned count)
{
    struct timespec at;
    int os_error = 0;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += KIN_TEST_TIMEOUT_MS / 1000;
    pthread_mutex_lock(&latch->lock);
    while (latch->count < count && os_error == 0)
        os_error = pthread_cond_timedwait(&latch->raised, &latch->lock, &at);
    unsigned reached = latch->count;
    pthread_mutex_unlock(&latch->lock);
    if (reached < count)
        fail_msg("waited for %u, got %u", count, reached);
}
