/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reflector tells of itself in numbers: client-go's reflector metrics.
 *
 * Whoever is told is the user, so no lock is held. The stepper tells of what it does itself, and the source's
 * thread of what it brings while it is in the call: so it is one at a time, and never behind the end.
 */
#include "base/clock.h"
#include "informer/reflector.h"

/* A double holds as many digits. */
enum { DIGITS_MAX = 15 };

static void tell_count(kin_reflector *reflector, void (*tell)(const char *name, void *arg))
{
    if (!tell || kin__reflector_is_freed(reflector))
        return;
    kin__assert_no_locks();
    tell(reflector->name, reflector->options.metrics_arg);
}

static void tell_value(kin_reflector *reflector,
                       void (*tell)(const char *name, double value, void *arg), double value)
{
    if (!tell || kin__reflector_is_freed(reflector))
        return;
    kin__assert_no_locks();
    tell(reflector->name, value, reflector->options.metrics_arg);
}

static double seconds_since(const kin_reflector *reflector, int64_t begun)
{
    return (double)(kin_clock_now(reflector->clock) - begun) / (double)KIN__SECOND;
}

void kin__reflector_measure_list(kin_reflector *reflector)
{
    reflector->list_begun = kin_clock_now(reflector->clock);
    tell_count(reflector, reflector->metrics.lists_total);
}

void kin__reflector_measure_list_end(kin_reflector *reflector)
{
    tell_value(reflector, reflector->metrics.list_duration_seconds,
               seconds_since(reflector, reflector->list_begun));
    tell_value(reflector, reflector->metrics.items_per_list, (double)reflector->list_items);
}

void kin__reflector_measure_doubt(kin_reflector *reflector, bool in_doubt)
{
    tell_value(reflector, reflector->metrics.in_doubt, in_doubt ? 1 : 0);
}

void kin__reflector_measure_watch(kin_reflector *reflector)
{
    tell_count(reflector, reflector->metrics.watches_total);
}

void kin__reflector_measure_short_watch(kin_reflector *reflector)
{
    tell_count(reflector, reflector->metrics.short_watches_total);
}

/* Whether the source had agreed to it. One that does not tell has, unless it has said otherwise. */
static bool stood(kin_reflector *reflector, const kin__reflector_call *call)
{
    kin__mutex_lock(&reflector->lock);
    bool stood = call->stands || call->stood || call->n_events > 0 ||
                 (call->ended ? call->code == 0 : !reflector->tells_begin);
    kin__mutex_unlock(&reflector->lock);
    return stood;
}

void kin__reflector_measure_call_end(kin_reflector *reflector, kin__reflector_call *call)
{
    kin__mutex_lock(&reflector->lock);
    bool is_watch = call->kind != KIN__CALL_LIST;
    kin__mutex_unlock(&reflector->lock);
    if (!is_watch || !stood(reflector, call))
        return;
    tell_value(reflector, reflector->metrics.watch_duration_seconds,
               seconds_since(reflector, call->begun));
    tell_value(reflector, reflector->metrics.items_per_watch, (double)call->n_events);
}

bool kin__version_number(double *ret, kin_str version)
{
    double value = 0;

    for (size_t i = 0; i < version.len; i++) {
        if (version.data[i] < '0' || version.data[i] > '9')
            return false;
    }
    for (size_t i = version.len > DIGITS_MAX ? version.len - DIGITS_MAX : 0; i < version.len; i++)
        value = value * 10 + (version.data[i] - '0');
    *ret = value;
    return version.len > 0;
}

void kin__reflector_measure_version(kin_reflector *reflector, kin_str version)
{
    double value;

    if (reflector->metrics.last_resource_version && kin__version_number(&value, version))
        tell_value(reflector, reflector->metrics.last_resource_version, value);
}
