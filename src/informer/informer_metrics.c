/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer tells of itself in numbers: client-go's informer metrics. By the strand, so one at a time.
 */
#include "base/clock.h"
#include "informer/informer.h"
#include "informer/reflector.h"

typedef void tell_fn(const char *name, double value, void *arg);

static void tell(const kin_informer *informer, tell_fn *fn, double value)
{
    kin__assert_no_locks();
    fn(informer->name, value, informer->options.metrics_arg);
}

static void measure_queued(kin_informer *informer)
{
    size_t n = 0;

    kin__list_for_each(&informer->reflectors, node)
        n += kin__reflector_queue_len(&kin__list_entry(node, kin__namespace_reflector, link)->in);
    if (n == informer->told_queued)
        return;
    informer->told_queued = n;
    tell(informer, informer->metrics.queued_items, (double)n);
}

static bool has_parts(const kin_informer *informer)
{
    kin__list_for_each(&informer->reflectors, node) {
        if (kin__list_entry(node, kin__namespace_reflector, link)->namespace_)
            return true;
    }
    return false;
}

static void measure_version(kin_informer *informer)
{
    kin__version_text version;
    double value;

    kin_store_resource_version(informer->store, version, sizeof(version));
    if (strcmp(version, informer->told_version) == 0 || has_parts(informer))
        return;
    memcpy(informer->told_version, version, sizeof(version));
    if (kin__version_number(&value, kin_str_of(version)))
        tell(informer, informer->metrics.store_resource_version, value);
}

void kin__informer_measure(kin_informer *informer)
{
    if (informer->metrics.queued_items)
        measure_queued(informer);
    if (informer->metrics.store_resource_version)
        measure_version(informer);
}

void kin__informer_measure_batch(const kin_informer *informer, int64_t begun)
{
    tell_fn *fn = informer->metrics.processing_latency_seconds;

    if (fn)
        tell(informer, fn, (double)(kin_clock_now(informer->clock) - begun) / (double)KIN__SECOND);
}
