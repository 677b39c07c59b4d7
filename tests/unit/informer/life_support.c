/* SPDX-License-Identifier: Apache-2.0 */
#include "life_support.h"

#include <string.h>

static void do_nothing(kin__clock_waiter *waiter)
{
    (void)waiter;
}

void kin_test_life_init(kin_test_life *life, void (*end)(void *arg, bool frees), void *arg)
{
    memset(life, 0, sizeof(*life));
    life->end = end;
    life->arg = arg;
    life->keeper = (kin__clock_waiter){.deadline = INT64_MAX, .notify = do_nothing};
    pthread_mutex_init(&life->lock, NULL);
    pthread_cond_init(&life->was_called, NULL);
    kin_test_latch_init(&life->gone);
}

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

int kin_test_life_make(kin_test_life *life, kin_error *err)
{
    int code = kin_clock_new_fake(&life->clock, 0, err);

    return code < 0 ? code : kin_logger_new(&life->logger, KIN_LOG_ERROR, no_log, NULL, NULL, err);
}

void kin_test_life_done(kin_test_life *life, unsigned n_gone)
{
    kin_test_latch_wait(&life->gone, n_gone);
    if (life->has_keeper)
        kin__clock_wait_end(life->clock, &life->keeper);
    kin_logger_unref(life->logger);
    kin_clock_unref(life->clock);
    kin_test_latch_done(&life->gone);
    pthread_cond_destroy(&life->was_called);
    pthread_mutex_destroy(&life->lock);
}

void kin_test_life_called(kin_test_life *life)
{
    bool is_it;

    pthread_mutex_lock(&life->lock);
    is_it = ++life->n_calls == life->at;
    life->n_after += life->ended;
    if (is_it) {
        life->is_ending = true;
        life->freed = life->frees;
        /* Perhaps nobody else waits any more: whoever lets time pass must not wait for that. */
        life->has_keeper = kin__clock_wait_begin(life->clock, &life->keeper);
    }
    pthread_cond_broadcast(&life->was_called);
    pthread_mutex_unlock(&life->lock);
    if (is_it)
        life->end(life->arg, life->frees);
}

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    (void)reflector;
    (void)failure;
    kin_test_life_called(arg);
}

static void on_status(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    (void)reflector;
    (void)status;
    kin_test_life_called(arg);
}

static bool should_resync(void *arg)
{
    kin_test_life_called(arg);
    return true;
}

void kin_test_life_on_gone(void *arg)
{
    kin_test_life *life = arg;

    kin_test_latch_raise(&life->gone);
}

void kin_test_life_options(kin_test_life *life, kin_reflector_options *options)
{
    options->clock = life->clock;
    options->logger = life->logger;
    options->resync_ms = 500;
    options->should_resync = should_resync;
    options->error = on_error;
    options->status = on_status;
    options->arg = life;
    options->arg_free = kin_test_life_on_gone;
}

size_t kin_test_life_calls(kin_test_life *life)
{
    pthread_mutex_lock(&life->lock);
    size_t n = life->n_calls;
    pthread_mutex_unlock(&life->lock);
    return n;
}

void kin_test_life_await_call(kin_test_life *life, size_t seen)
{
    pthread_mutex_lock(&life->lock);
    while (life->n_calls <= seen && !life->is_ending)
        pthread_cond_wait(&life->was_called, &life->lock);
    pthread_mutex_unlock(&life->lock);
}

static bool is_set(kin_test_life *life, const bool *flag)
{
    pthread_mutex_lock(&life->lock);
    bool value = *flag;
    pthread_mutex_unlock(&life->lock);
    return value;
}

bool kin_test_life_is_ending(kin_test_life *life)
{
    return is_set(life, &life->is_ending);
}

bool kin_test_life_was_freed(kin_test_life *life)
{
    return is_set(life, &life->freed);
}

void kin_test_life_pass(kin_test_life *life, int64_t ns)
{
    assert_code(kin_clock_await_waiters(life->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(life->clock, ns, NULL), 0);
}

size_t kin_test_life_close(kin_test_life *life)
{
    pthread_mutex_lock(&life->lock);
    size_t n = life->n_calls;
    life->ended = true;
    pthread_mutex_unlock(&life->lock);
    return n;
}
