/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watch events into a handler, as fast as they come; and what a handler that counts them needs.
 */
#include "informer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* So long may a stream bring nothing: also what too short a file of events looks like. */
#define STALL_SECONDS 30

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_finished;     /* (lock) */
static atomic_size_t n_seen; /* for who waits */

/* --- counting --- */

size_t kin_bench_counter_next(struct kin_bench_counter *counter)
{
    if (counter->seen == counter->wanted)
        return 0;
    atomic_store_explicit(&n_seen, ++counter->seen, memory_order_relaxed);
    return counter->seen;
}

void kin_bench_counter_finish(void)
{
    pthread_mutex_lock(&lock);
    is_finished = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* For so long at most; whether it has finished. */
static bool wait_a_while_locked(void)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += STALL_SECONDS;
    while (!is_finished && pthread_cond_timedwait(&changed, &lock, &until) == 0)
        continue;
    return is_finished;
}

static void stalled(kin_registration *handler, size_t seen)
{
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    (void)kin_registration_get_status(handler, &status, NULL);
    kin_bench_die("no event for %d s after %zu; %zu wait, %llu were merged", STALL_SECONDS, seen,
                  status.queued, (unsigned long long)status.merged);
}

void kin_bench_counter_wait(kin_registration *handler)
{
    size_t before = 0;

    pthread_mutex_lock(&lock);
    while (!wait_a_while_locked()) {
        size_t now = atomic_load_explicit(&n_seen, memory_order_relaxed);

        if (now == before)
            stalled(handler, now);
        before = now;
    }
    pthread_mutex_unlock(&lock);
}

/* --- as fast as they come --- */

struct flood {
    struct kin_bench_counter counter;
    struct kin_bench_section section;
    struct kin_bench_usage usage;
};

static void on_event(const kin_event *event, void *arg)
{
    struct flood *flood = arg;
    size_t n;

    if (event->type != KIN_EVENT_UPDATE)
        return;
    n = kin_bench_counter_next(&flood->counter);
    if (n == 1) {
        kin_bench_section_start(&flood->section);
    } else if (n == flood->counter.wanted) {
        kin_bench_section_stop(&flood->section, &flood->usage);
        kin_bench_counter_finish();
    }
}

void kin_bench_flood(const struct kin_bench_run *run)
{
    struct flood flood = {.counter = {run->events, 0}};
    struct kin_bench_report report;
    struct kin_bench_pods pods;
    /* The clock starts with the first event, so it times one interval less. */
    double intervals = (double)run->events - 1;

    kin_bench_pods_open(&pods, run, on_event, &flood, KIN_BENCH_NEVER_MERGE);
    kin_bench_start(pods.informer);
    kin_bench_wait_synced(pods.informer, pods.handler);
    kin_bench_counter_wait(pods.handler);
    kin_bench_check_requests(run, pods.informer);
    kin_bench_check_encoding(run, pods.informer);
    struct kin_bench_memory memory = kin_bench_memory_now();
    size_t objects = kin_store_len(kin_informer_store(pods.informer));
    kin_bench_pods_close(&pods);

    kin_bench_report_common(&report, run, &flood.usage);
    kin_bench_report_measure(&report, "ops", intervals * 1e9 / (double)flood.usage.wall, "1/s");
    kin_bench_report_measure(&report, "cpu_per_event", (double)flood.usage.cpu / 1e3 / intervals,
                             "us");
    kin_bench_report_measure(&report, "events", (double)run->events, "count");
    kin_bench_report_measure(&report, "objects", (double)objects, "count");
    kin_bench_report_measure(&report, "peak_rss", (double)memory.peak_rss, "B");
    kin_bench_write(&report);
}
