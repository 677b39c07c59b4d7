/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying again.
 *
 * A server that says when to come back has not done anything yet: any request is sent again then. A
 * connection that was lost says nothing: what was asked may be done or not, so only reads are sent
 * again. Where no connection could be made, nobody is tried again here: whoever asked decides how
 * long to wait, and an error that is there at once is worth more than one after ten seconds.
 */
#include "client/retry.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/options.h"
#include "kinform/retry.h"

/* Between attempts whose connection was lost. */
#define LOST_DELAY KIN__SECOND

int kin__retry_max(int option)
{
    if (option < 0)
        return 0;
    return option > 0 ? option : KIN__RETRY_MAX;
}

static int64_t answered(const kin__attempt *attempt)
{
    bool may_pass = attempt->http_status == 429 || attempt->http_status >= 500;

    if (!may_pass || attempt->retry_after_ms < 0)
        return -1;
    if (attempt->retry_after_ms > INT64_MAX / KIN__MILLISECOND)
        return INT64_MAX;
    return attempt->retry_after_ms * KIN__MILLISECOND;
}

static bool is_worth_it(const kin__attempt *attempt)
{
    switch (attempt->verb) {
    case KIN_VERB_GET:
    case KIN_VERB_LIST:
        return attempt->code == KIN_ECONNECT && attempt->was_sent;
    case KIN_VERB_WATCH:
        /* Of a watch the answer's beginning is waited for; nothing is lost with it. */
        return attempt->was_sent &&
               (attempt->code == KIN_ECONNECT || attempt->code == KIN_ETIMEOUT);
    default:
        return false;
    }
}

int64_t kin__retry_delay_ns(const kin__attempt *attempt)
{
    if (attempt->retries >= attempt->max_retries)
        return -1;
    if (attempt->code == 0)
        return answered(attempt);
    return is_worth_it(attempt) ? LOST_DELAY : -1;
}

/* --- conflicts --- */

/* A number from 0 to 1, another one each time. Programs that collide must not do so in step. */
static double spread(uint64_t seed, unsigned step)
{
    uint64_t bits = kin__hash(seed, &step, sizeof(step));

    return (double)(bits >> 11) / (double)(UINT64_C(1) << 53);
}

static void sleep_on(kin_clock *clock, int64_t ns)
{
    int64_t deadline = kin__clock_deadline(clock, ns);
    kin__mutex lock;
    kin__cond never;

    kin__mutex_init(&lock, KIN__RANK_RETRY);
    kin__cond_init(&never);
    kin__mutex_lock(&lock);
    while (kin__cond_wait_until(&never, &lock, clock, deadline))
        ;
    kin__mutex_unlock(&lock);
    kin__cond_done(&never);
    kin__mutex_done(&lock);
}

static int check_options(kin_retry_options *options, kin_error *err)
{
    if (options->attempts < 0 || options->delay_ms < 0 || options->max_delay_ms < 0)
        return kin_error_set(err, KIN_EINVAL, "a negative number of attempts or time");
    /* Written so that what is no number is refused, too. */
    if (!(options->factor >= 0) || !(options->jitter <= 1000))
        return kin_error_set(err, KIN_EINVAL, "a factor or jitter out of range");
    if (options->attempts == 0)
        options->attempts = 5;
    if (options->delay_ms == 0)
        options->delay_ms = 10;
    if (options->factor == 0)
        options->factor = 1;
    if (options->jitter == 0)
        options->jitter = 0.1;
    if (!options->clock)
        options->clock = kin_clock_system();
    return 0;
}

/* An hour: whoever retries a conflict does not want to wait longer. */
#define DELAY_MAX (3600.0 * 1000)

static double limit_delay(double ms, const kin_retry_options *options)
{
    double most = options->max_delay_ms > 0 ? (double)options->max_delay_ms : DELAY_MAX;

    return ms < most ? ms : most;
}

int kin_retry_on_conflict(kin_retry_fn *fn, void *arg, const kin_retry_options *options,
                          kin_error *err)
{
    kin_retry_options all = KIN_RETRY_OPTIONS_INIT;
    int code;

    if (!fn)
        return kin__error_null(err, "fn");
    code = kin__options_take(&all, sizeof(all), options, "KIN_RETRY_OPTIONS_INIT", err);
    if (code == 0)
        code = check_options(&all, err);
    if (code < 0)
        return code;

    double delay = (double)all.delay_ms;
    uint64_t seed = kin__hash_seed() ^ (uint64_t)kin_clock_now(all.clock);
    kin_error said;
    for (int attempt = 1;; attempt++) {
        kin__assert_no_locks();
        kin__error_begin(&said);
        code = fn(arg, &said);
        if (code != KIN_ECONFLICT || attempt >= all.attempts)
            break;
        double jitter = all.jitter > 0 ? spread(seed, (unsigned)attempt) * all.jitter : 0;
        sleep_on(all.clock,
                 (int64_t)(limit_delay(delay, &all) * (1 + jitter) * (double)KIN__MILLISECOND));
        delay = limit_delay(delay * all.factor, &all);
    }
    return code < 0 ? kin__error_pass(err, code, &said) : code;
}
