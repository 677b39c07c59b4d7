/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue between two threads: one adds, one pops. Timed from the first add until the last delta
 * was processed; starting the thread is part of it, as on the other side.
 */
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>

#define POP_MAX 1000
#define ADD_BATCH 64

struct pipe {
    struct kin_bench_fifo fifo;
    void (*produce)(struct pipe *p);
    void (*consume)(struct pipe *p);
    kin_delta *batch; /* of the producer, NULL if it adds one by one */
    size_t batch_size;
};

static void produce_one_by_one(struct pipe *p)
{
    struct kin_bench_fifo *b = &p->fifo;
    kin_error err = KIN_ERROR_INIT;
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds; done++) {
        if (kin_delta_fifo_add(b->queue, b->set.older[at], &err) < 0)
            kin_bench_die("cannot add: %s", err.message);
        if (++at == b->n_objects)
            at = 0;
    }
}

/* Filling in the batch is part of it: nobody has it ready. */
static void produce_batches(struct pipe *p)
{
    struct kin_bench_fifo *b = &p->fifo;
    kin_error err = KIN_ERROR_INIT;
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds;) {
        size_t n = 0;

        for (; n < p->batch_size && done < b->args->adds; n++, done++) {
            p->batch[n] = (kin_delta){KIN_DELTA_ADDED, b->set.older[at]};
            if (++at == b->n_objects)
                at = 0;
        }
        if (kin_delta_fifo_add_batch(b->queue, p->batch, n, &err) < 0)
            kin_bench_die("cannot add: %s", err.message);
    }
}

static void *produce(void *arg)
{
    struct pipe *p = arg;

    p->produce(p);
    return NULL;
}

static void consume_one_by_one(struct pipe *p)
{
    struct kin_bench_fifo *b = &p->fifo;
    kin_error err = KIN_ERROR_INIT;
    uint64_t until = b->deltas + b->args->adds;

    while (b->deltas < until) {
        if (kin_delta_fifo_pop(b->queue, kin_bench_fifo_count, b, -1, &err) < 0)
            kin_bench_die("cannot pop: %s", err.message);
    }
}

static void consume_batches(struct pipe *p)
{
    struct kin_bench_fifo *b = &p->fifo;
    kin_error err = KIN_ERROR_INIT;
    uint64_t until = b->deltas + b->args->adds;

    while (b->deltas < until) {
        if (kin_delta_fifo_pop_batch(b->queue, kin_bench_fifo_count_batch, b, POP_MAX, -1, &err) <
            0)
            kin_bench_die("cannot pop: %s", err.message);
    }
}

static void set_up(void *arg)
{
    struct pipe *p = arg;

    kin_bench_fifo_set_up(&p->fifo);
}

static uint64_t pass(void *arg)
{
    struct pipe *p = arg;
    pthread_t producer;

    if (pthread_create(&producer, NULL, produce, p) != 0)
        kin_bench_die("cannot start a thread");
    p->consume(p);
    (void)pthread_join(producer, NULL);
    return p->fifo.args->adds;
}

static void run(struct pipe *p, const struct kin_bench_arguments *args,
                struct kin_bench_report *report, bool hot)
{
    struct kin_bench_fifo *b = &p->fifo;
    struct kin_bench_usage used = {0};

    kin_bench_fifo_begin(b, args);
    if (hot && args->hot_keys > b->set.n)
        kin_bench_die("there are %zu keys only", b->set.n);
    if (hot)
        b->n_objects = args->hot_keys;
    uint64_t ops = kin_bench_timed_passes(args->min_time, set_up, pass, p, &used);

    if (kin_delta_fifo_len(b->queue) != 0)
        kin_bench_die("%zu keys are left in the queue", kin_delta_fifo_len(b->queue));
    kin_bench_report_ops(report, ops, &used);
    kin_bench_report_measure(report, "adds_per_pop", (double)b->deltas / (double)b->calls, "count");
    kin_bench_report_note(report, "%zu keys", b->n_objects);
    kin_bench_fifo_end(b);
}

void kin_bench_fifo_add_pop(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct pipe p = {.produce = produce_one_by_one, .consume = consume_one_by_one};

    run(&p, args, report, false);
}

void kin_bench_fifo_hot(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct pipe p = {.produce = produce_one_by_one, .consume = consume_one_by_one};

    run(&p, args, report, true);
}

void kin_bench_fifo_add_popbatch(const struct kin_bench_arguments *args,
                                 struct kin_bench_report *report)
{
    struct pipe p = {.produce = produce_one_by_one, .consume = consume_batches};

    run(&p, args, report, false);
}

void kin_bench_fifo_batch_batch(const struct kin_bench_arguments *args,
                                struct kin_bench_report *report)
{
    struct pipe p = {.produce = produce_batches, .consume = consume_batches};

    p.batch_size = args->batch > 0 ? args->batch : ADD_BATCH;
    p.batch = kin_bench_alloc(p.batch_size, sizeof(*p.batch));
    run(&p, args, report, false);
    kin_bench_report_note(report, "%zu added at a time", p.batch_size);
    free(p.batch);
}
