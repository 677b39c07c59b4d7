/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/backoff.h"

#include "base/assert.h"

void kin__backoff_init(kin__backoff *backoff, const kin__backoff_settings *settings, uint64_t seed)
{
    kin__assert(settings->initial > 0 && settings->cap >= settings->initial);
    kin__assert(settings->factor >= 1 && settings->jitter >= 0 && settings->reset >= 0);
    backoff->settings = *settings;
    backoff->random.state = seed;
    backoff->next = settings->initial;
    backoff->until = INT64_MIN;
}

/* d * factor, but `cap` where that is less, or more than there is time. */
static int64_t times(int64_t d, double factor, int64_t cap)
{
    double product = (double)d * factor;

    return product >= (double)cap ? cap : (int64_t)product;
}

int64_t kin__backoff_next(kin__backoff *backoff, int64_t now)
{
    const kin__backoff_settings *settings = &backoff->settings;
    int64_t delay;

    if (backoff->until != INT64_MIN && now > backoff->until &&
        now - backoff->until > settings->reset)
        backoff->next = settings->initial;
    delay = times(backoff->next, 1 + settings->jitter * kin__random_unit(&backoff->random),
                  INT64_MAX / 4);
    backoff->next = times(backoff->next, settings->factor, settings->cap);
    if (__builtin_add_overflow(now, delay, &backoff->until))
        backoff->until = INT64_MAX;
    return delay;
}

void kin__backoff_reset(kin__backoff *backoff)
{
    backoff->next = backoff->settings.initial;
}
