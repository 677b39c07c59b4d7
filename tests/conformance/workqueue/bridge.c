/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge.h"

#include "_cgo_export.h"

static void depth(int change, void *arg)
{
    goDepth((uintptr_t)arg, change);
}

static void adds_total(void *arg)
{
    goAdded((uintptr_t)arg);
}

static void queue_duration_seconds(double seconds, void *arg)
{
    goGotten((uintptr_t)arg, seconds);
}

static void work_duration_seconds(double seconds, void *arg)
{
    goDone((uintptr_t)arg, seconds);
}

static void unfinished_work_seconds(double seconds, void *arg)
{
    goUnfinished((uintptr_t)arg, seconds);
}

static void longest_running_processor_seconds(double seconds, void *arg)
{
    goLongest((uintptr_t)arg, seconds);
}

static void retries_total(void *arg)
{
    goRetried((uintptr_t)arg);
}

static void release(void *arg)
{
    goRelease((uintptr_t)arg);
}

int bridge_work_queue_new(kin_work_queue **ret, kin_clock *clock, kin_rate_limiter *limiter,
                          uintptr_t handle)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;

    metrics.depth = depth;
    metrics.adds_total = adds_total;
    metrics.queue_duration_seconds = queue_duration_seconds;
    metrics.work_duration_seconds = work_duration_seconds;
    metrics.unfinished_work_seconds = unfinished_work_seconds;
    metrics.longest_running_processor_seconds = longest_running_processor_seconds;
    metrics.retries_total = retries_total;
    options.clock = clock;
    options.limiter = limiter;
    if (handle) {
        options.metrics = &metrics;
        options.metrics_arg = (void *)handle;
        options.metrics_arg_free = release;
    }
    return kin_work_queue_new(ret, &options, NULL);
}

static int when(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    (void)err;
    *ret = goWhen((uintptr_t)arg, (char *)key.data, key.len);
    return 0;
}

static void forget(kin_str key, void *arg)
{
    goForget((uintptr_t)arg, (char *)key.data, key.len);
}

static uint64_t n_requeues(kin_str key, void *arg)
{
    return goNumRequeues((uintptr_t)arg, (char *)key.data, key.len);
}

int bridge_rate_limiter_new(kin_rate_limiter **ret, uintptr_t handle)
{
    kin_rate_limiter_functions functions = KIN_RATE_LIMITER_FUNCTIONS_INIT;

    functions.when = when;
    functions.forget = forget;
    functions.n_requeues = n_requeues;
    return kin_rate_limiter_new(ret, &functions, (void *)handle, release, NULL);
}
