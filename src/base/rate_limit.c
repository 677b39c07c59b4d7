/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket may hold less than nothing: that many requests have been told to wait. Whoever comes
 * next waits until all of them have gone. So a place in line is a time, and no list of waiters is
 * needed.
 *
 * Giving one back cannot move those behind it, who know their times already. It frees what is left
 * of its token when the waits behind it are paid for, which is nothing unless it is among the
 * latest.
 */
#include "base/rate_limit.h"

#include "base/clock.h"

void kin__rate_limit_init(kin__rate_limit *limit, double qps, int burst)
{
    /* Also what is no number, or too little to ever come to a token. */
    bool usable = qps < 0 || qps > 1e-9;
    int default_burst = usable ? KIN__RATE_LIMIT_OWN_BURST : KIN__RATE_LIMIT_BURST;

    kin__mutex_init(&limit->lock, KIN__RANK_RATE_LIMIT);
    limit->qps = usable ? qps : KIN__RATE_LIMIT_QPS;
    limit->burst = burst > 0 ? burst : default_burst;
    limit->tokens = limit->burst;
    limit->last = 0;
    limit->latest = 0;
    limit->used = false;
}

void kin__rate_limit_done(kin__rate_limit *limit)
{
    kin__mutex_done(&limit->lock);
}

/* Whole seconds and the rest apart, so that long times keep their nanoseconds. */
static double tokens_of(const kin__rate_limit *limit, int64_t ns)
{
    int64_t whole = ns / KIN__SECOND;
    int64_t rest = ns % KIN__SECOND;
    double seconds = (double)whole + (double)rest / (double)KIN__SECOND;

    return seconds * limit->qps;
}

static int64_t time_of(const kin__rate_limit *limit, double tokens)
{
    double ns = tokens / limit->qps * (double)KIN__SECOND;

    return ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static int64_t later(int64_t time, int64_t ns)
{
    return ns < INT64_MAX - time ? time + ns : INT64_MAX;
}

/* How many there are at `now`. */
static double tokens_at_locked(kin__rate_limit *limit, int64_t now) KIN_REQUIRES(limit->lock);
static double tokens_at_locked(kin__rate_limit *limit, int64_t now)
{
    double tokens = limit->tokens;

    if (limit->used && now > limit->last)
        tokens += tokens_of(limit, now - limit->last);
    return tokens < limit->burst ? tokens : limit->burst;
}

kin__reservation kin__rate_limit_reserve(kin__rate_limit *limit, int64_t now)
{
    if (limit->qps < 0)
        return (kin__reservation){now, false};

    kin__mutex_lock(&limit->lock);
    double tokens = tokens_at_locked(limit, now) - 1;
    int64_t at = tokens < 0 ? later(now, time_of(limit, -tokens)) : now;
    limit->tokens = tokens;
    limit->last = now;
    limit->latest = at;
    limit->used = true;
    kin__mutex_unlock(&limit->lock);
    return (kin__reservation){at, true};
}

void kin__rate_limit_cancel(kin__rate_limit *limit, kin__reservation reservation, int64_t now)
{
    if (!reservation.counted || reservation.at < now)
        return;

    kin__mutex_lock(&limit->lock);
    double left = 1 - tokens_of(limit, limit->latest - reservation.at);
    if (left > 0) {
        double tokens = tokens_at_locked(limit, now) + left;

        limit->tokens = tokens < limit->burst ? tokens : limit->burst;
        limit->last = now;
        if (reservation.at == limit->latest) {
            int64_t before = reservation.at - time_of(limit, 1);

            if (before >= now)
                limit->latest = before;
        }
    }
    kin__mutex_unlock(&limit->lock);
}
