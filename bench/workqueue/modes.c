/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured. Consumers do nothing with a key: the queue alone is timed, from the first add
 * until the last key is done; starting the threads is part of it, as on the other side.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "workqueue.h"

/* client-go's defaults per item: its overall limit would be all that is measured. */
#define RATE_LIMIT_BASE INT64_C(5000000)
#define RATE_LIMIT_MAX INT64_C(1000000000000)

enum { KEY_BYTES = 64, NAMESPACES = 50, WORKLOADS = 9973 };

struct bench {
    const struct kin_bench_arguments *args;
    size_t n_keys; /* those that are used */
    kin_str *keys;
    char (*texts)[KEY_BYTES];
    kin_work_queue *queue;
    kin_rate_limiter *limiter;
    atomic_uint_least64_t gets;
    atomic_size_t left; /* of a rate-limited pass */
    struct kin_bench_usage adding;
};

/* The same step as in the peer's random.go. */
static uint64_t splitmix64(uint64_t i)
{
    uint64_t z = i + UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The keys that the peer has, in slimpods.go. */
static void make_keys(struct bench *b, size_t n)
{
    b->keys = calloc(n, sizeof(*b->keys));
    b->texts = calloc(n, sizeof(*b->texts));
    if (!b->keys || !b->texts)
        kin_bench_die("no memory");
    for (size_t i = 0; i < n; i++) {
        uint64_t h = splitmix64(i);
        int len =
            snprintf(b->texts[i], KEY_BYTES, "namespace-%02zu/workload-%06zu-%08x-%05x",
                     i % NAMESPACES, i % WORKLOADS, (unsigned)(h >> 32), (unsigned)(h & 0xfffff));

        b->keys[i] = kin_str_make(b->texts[i], (size_t)len);
    }
    b->n_keys = n;
}

static void new_queue(void *arg)
{
    struct bench *b = arg;
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    kin_work_queue_free(b->queue);
    b->queue = NULL;
    kin_rate_limiter_unref(b->limiter);
    b->limiter = NULL;
    if (kin_rate_limiter_new_exponential(&b->limiter, RATE_LIMIT_BASE, RATE_LIMIT_MAX, &err) < 0)
        kin_bench_die("cannot make a limiter: %s", err.message);
    options.limiter = b->limiter;
    if (kin_work_queue_new(&b->queue, &options, &err) < 0)
        kin_bench_die("cannot make a queue: %s", err.message);
}

/* Repeat until enough was timed, after a pass for warming up. */
static uint64_t timed_passes(struct bench *b, bool anew, uint64_t (*pass)(struct bench *b),
                             struct kin_bench_usage *used)
{
    struct kin_bench_section section;
    uint64_t ops = 0;

    new_queue(b);
    (void)pass(b);
    atomic_store(&b->gets, 0);
    b->adding = (struct kin_bench_usage){0, 0};
    do {
        if (anew)
            new_queue(b);
        kin_bench_section_start(&section);
        ops += pass(b);
        kin_bench_section_stop(&section, used);
    } while ((double)used->wall < b->args->min_time * 1e9);
    return ops;
}

static void begin(struct bench *b, const struct kin_bench_arguments *args)
{
    *b = (struct bench){.args = args};
    make_keys(b, args->keys);
}

static void end(struct bench *b, struct kin_bench_report *report, uint64_t ops,
                const struct kin_bench_usage *used)
{
    if (kin_work_queue_len(b->queue) != 0)
        kin_bench_die("%zu keys are left in the queue", kin_work_queue_len(b->queue));
    kin_bench_report_usage(report, used);
    kin_bench_report_measure(report, "ops", (double)ops * 1e9 / (double)used->wall, "1/s");
    kin_bench_report_note(report, "%zu keys, %zu consumers, %zu at a time", b->n_keys,
                          b->args->consumers, b->args->batch);
    kin_work_queue_free(b->queue);
    kin_rate_limiter_unref(b->limiter);
    free(b->keys);
    free(b->texts);
}

/* Without an error to be filled in: setting one up takes as long as a quarter of the add. */
static void add(struct bench *b, kin_str key)
{
    int code = kin_work_queue_add(b->queue, key, NULL);

    if (code < 0)
        kin_bench_die("cannot add: %s", kin_error_string(code));
}

/* --- one thread --- */

static uint64_t pass_lockstep(struct bench *b)
{
    kin_work_item *item = NULL;
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds; done++) {
        if (kin_work_queue_add(b->queue, b->keys[at], NULL) < 0 ||
            kin_work_queue_get(b->queue, &item, -1, NULL) < 0)
            kin_bench_die("cannot add and get");
        kin_work_queue_done(b->queue, item);
        if (++at == b->n_keys)
            at = 0;
    }
    return b->args->adds;
}

/* As a worker's loop has it: the last one is done with the next get. */
static uint64_t pass_lockstep_next(struct bench *b)
{
    kin_work_item *item = NULL;
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds; done++) {
        if (kin_work_queue_add(b->queue, b->keys[at], NULL) < 0 ||
            kin_work_queue_next(b->queue, &item, -1, NULL) < 0)
            kin_bench_die("cannot add and get");
        if (++at == b->n_keys)
            at = 0;
    }
    kin_work_queue_done(b->queue, item);
    return b->args->adds;
}

void kin_bench_lockstep(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_usage used = {0};
    struct bench b;

    begin(&b, args);
    uint64_t ops = timed_passes(&b, false, args->next ? pass_lockstep_next : pass_lockstep, &used);
    end(&b, report, ops, &used);
}

/* As after an initial list: all keys wait, then all are worked off. */
static uint64_t pass_burst(struct bench *b)
{
    kin_work_item *item = NULL;

    for (size_t i = 0; i < b->n_keys; i++)
        add(b, b->keys[i]);
    for (size_t i = 0; i < b->n_keys; i++) {
        if (b->args->next) {
            if (kin_work_queue_next(b->queue, &item, -1, NULL) < 0)
                kin_bench_die("cannot get");
            continue;
        }
        if (kin_work_queue_get(b->queue, &item, -1, NULL) < 0)
            kin_bench_die("cannot get");
        kin_work_queue_done(b->queue, item);
    }
    if (b->args->next)
        kin_work_queue_done(b->queue, item);
    return b->n_keys;
}

void kin_bench_burst(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_usage used = {0};
    struct bench b;

    begin(&b, args);
    uint64_t ops = timed_passes(&b, false, pass_burst, &used);
    end(&b, report, ops, &used);
}

/* What a handler pays while workers are busy: the keys wait already, but for the first round. */
static uint64_t pass_waiting(struct bench *b)
{
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds; done++) {
        add(b, b->keys[at]);
        if (++at == b->n_keys)
            at = 0;
    }
    return b->args->adds;
}

void kin_bench_waiting(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_usage used = {0};
    kin_work_item *item;
    struct bench b;

    begin(&b, args);
    b.n_keys = args->hot_keys;
    uint64_t ops = timed_passes(&b, false, pass_waiting, &used);
    while (kin_work_queue_get(b.queue, &item, 0, NULL) == 0)
        kin_work_queue_done(b.queue, item);
    end(&b, report, ops, &used);
}

/* --- consumers --- */

static void *consume(void *arg)
{
    struct bench *b = arg;
    kin_work_item *item;
    uint64_t n = 0;

    while (kin_work_queue_get(b->queue, &item, -1, NULL) == 0) {
        kin_work_queue_done(b->queue, item);
        n++;
    }
    atomic_fetch_add(&b->gets, n);
    return NULL;
}

static void *consume_next(void *arg)
{
    struct bench *b = arg;
    kin_work_item *item = NULL;
    uint64_t n = 0;

    while (kin_work_queue_next(b->queue, &item, -1, NULL) == 0)
        n++;
    atomic_fetch_add(&b->gets, n);
    return NULL;
}

static void *consume_batches(void *arg)
{
    struct bench *b = arg;
    kin_work_item *items[KIN_BENCH_MAX_BATCH];
    uint64_t n = 0;
    size_t got;

    while (kin_work_queue_get_batch(b->queue, items, &got, b->args->batch, -1, NULL) == 0) {
        kin_work_queue_done_batch(b->queue, items, got);
        n += got;
    }
    atomic_fetch_add(&b->gets, n);
    return NULL;
}

static void start(struct bench *b, pthread_t *threads, void *(*fn)(void *arg))
{
    for (size_t i = 0; i < b->args->consumers; i++) {
        if (pthread_create(&threads[i], NULL, fn, b) != 0)
            kin_bench_die("cannot start a thread");
    }
}

static void join(const struct bench *b, const pthread_t *threads)
{
    for (size_t i = 0; i < b->args->consumers; i++)
        (void)pthread_join(threads[i], NULL);
}

static uint64_t pass_add_get_done(struct bench *b)
{
    pthread_t threads[KIN_BENCH_MAX_CONSUMERS] = {0};
    size_t at = 0;

    start(b, threads,
          b->args->batch > 1 ? consume_batches
          : b->args->next    ? consume_next
                             : consume);
    for (size_t done = 0; done < b->args->adds; done++) {
        add(b, b->keys[at]);
        if (++at == b->n_keys)
            at = 0;
    }
    kin_work_queue_shut_down(b->queue); /* the consumers still take what is in it */
    join(b, threads);
    return b->args->adds;
}

static void run_threads(const struct kin_bench_arguments *args, struct kin_bench_report *report,
                        size_t n_keys)
{
    struct kin_bench_usage used = {0};
    struct bench b;

    begin(&b, args);
    b.n_keys = n_keys;
    uint64_t ops = timed_passes(&b, true, pass_add_get_done, &used);
    uint64_t gets = atomic_load(&b.gets);
    if (gets == 0)
        kin_bench_die("the consumers got nothing");
    kin_bench_report_measure(report, "adds_per_get", (double)ops / (double)gets, "count");
    end(&b, report, ops, &used);
}

void kin_bench_add_get_done(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    run_threads(args, report, args->keys);
}

void kin_bench_hot(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    run_threads(args, report, args->hot_keys);
}

/* --- through the rate limiter --- */

static void *consume_limited(void *arg)
{
    struct bench *b = arg;
    kin_work_item *item;

    while (kin_work_queue_get(b->queue, &item, -1, NULL) == 0) {
        kin_work_queue_forget(b->queue, kin_work_item_key(item));
        kin_work_queue_done(b->queue, item);
        if (atomic_fetch_sub(&b->left, 1) == 1)
            kin_work_queue_shut_down(b->queue);
    }
    return NULL;
}

static uint64_t pass_rate_limited(struct bench *b)
{
    pthread_t threads[KIN_BENCH_MAX_CONSUMERS] = {0};
    struct kin_bench_section adding;
    kin_error err = KIN_ERROR_INIT;

    atomic_store(&b->left, b->n_keys);
    start(b, threads, consume_limited);
    kin_bench_section_start(&adding);
    for (size_t i = 0; i < b->n_keys; i++) {
        if (kin_work_queue_add_rate_limited(b->queue, b->keys[i], &err) < 0)
            kin_bench_die("cannot add: %s", err.message);
    }
    kin_bench_section_stop(&adding, &b->adding);
    join(b, threads);
    return b->n_keys;
}

void kin_bench_rate_limited(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_usage used = {0};
    struct bench b;

    begin(&b, args);
    uint64_t ops = timed_passes(&b, true, pass_rate_limited, &used);
    kin_bench_report_measure(report, "add_ops", (double)ops * 1e9 / (double)b.adding.wall, "1/s");
    end(&b, report, ops, &used);
}
