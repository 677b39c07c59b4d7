/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue between reflector and controller alone, used by one thread, with process functions that
 * only count.
 */
#include "cache.h"

void kin_bench_fifo_begin(struct kin_bench_fifo *b, const struct kin_bench_arguments *args)
{
    *b = (struct kin_bench_fifo){.args = args};
    kin_bench_set_load(&b->set, args);
    b->n_objects = b->set.n;
    b->known = kin_bench_store_new(0);
}

void kin_bench_fifo_end(struct kin_bench_fifo *b)
{
    kin_delta_fifo_free(b->queue);
    kin_store_unref(b->known);
    kin_bench_set_done(&b->set);
}

void kin_bench_fifo_set_up(void *bench)
{
    struct kin_bench_fifo *b = bench;
    kin_known_objects known = kin_store_known_objects(b->known);
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    options.known = &known;
    options.emit_replaced = true;
    kin_delta_fifo_free(b->queue);
    if (kin_delta_fifo_new(&b->queue, &options, &err) < 0)
        kin_bench_die("no queue: %s", err.message);
}

int kin_bench_fifo_count(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    struct kin_bench_fifo *b = arg;

    (void)is_initial_list;
    (void)err;
    b->deltas += deltas->len;
    b->calls++;
    return 0;
}

int kin_bench_fifo_count_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                               kin_error *err)
{
    struct kin_bench_fifo *b = arg;

    (void)is_initial_list;
    (void)err;
    for (size_t i = 0; i < n; i++)
        b->deltas += deltas[i].len;
    b->calls++;
    return 0;
}

static void add(struct kin_bench_fifo *b, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_delta_fifo_add(b->queue, object, &err) < 0)
        kin_bench_die("cannot add: %s", err.message);
}

static void add_all(struct kin_bench_fifo *b)
{
    for (size_t i = 0; i < b->set.n; i++)
        add(b, b->set.older[i]);
}

static void pop(struct kin_bench_fifo *b)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_delta_fifo_pop(b->queue, kin_bench_fifo_count, b, 0, &err) < 0)
        kin_bench_die("cannot pop: %s", err.message);
}

/* Time passes, and see that they left so many keys in the queue. */
static void run(const struct kin_bench_arguments *args, struct kin_bench_report *report,
                void (*set_up)(void *arg), uint64_t (*pass)(void *arg), bool leaves_all)
{
    struct kin_bench_fifo b;
    struct kin_bench_usage used = {0};

    kin_bench_fifo_begin(&b, args);
    uint64_t ops = kin_bench_timed_passes(args->min_time, set_up, pass, &b, &used);

    if (kin_delta_fifo_len(b.queue) != (leaves_all ? b.set.n : 0))
        kin_bench_die("%zu keys are left in the queue", kin_delta_fifo_len(b.queue));
    kin_bench_report_ops(report, ops, &used);
    kin_bench_report_note(report, "%zu keys", b.set.n);
    kin_bench_fifo_end(&b);
}

/* --- add one and pop it, so that the queue never holds more than one --- */

static uint64_t pass_lockstep(void *arg)
{
    struct kin_bench_fifo *b = arg;
    size_t at = 0;

    for (size_t done = 0; done < b->args->adds; done++) {
        add(b, b->set.older[at]);
        pop(b);
        if (++at == b->set.n)
            at = 0;
    }
    return b->args->adds;
}

void kin_bench_fifo_lockstep(const struct kin_bench_arguments *args,
                             struct kin_bench_report *report)
{
    run(args, report, kin_bench_fifo_set_up, pass_lockstep, false);
}

/* --- fill an empty queue that nobody empties --- */

static uint64_t pass_add(void *arg)
{
    struct kin_bench_fifo *b = arg;

    add_all(b);
    return b->set.n;
}

void kin_bench_fifo_add(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    run(args, report, kin_bench_fifo_set_up, pass_add, true);
}

/* --- empty a full queue that nobody fills --- */

static void set_up_full(void *arg)
{
    kin_bench_fifo_set_up(arg);
    add_all(arg);
}

static uint64_t pass_pop(void *arg)
{
    struct kin_bench_fifo *b = arg;

    b->deltas = 0;
    while (b->deltas < b->set.n)
        pop(b);
    return b->deltas;
}

void kin_bench_fifo_pop(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    run(args, report, set_up_full, pass_pop, false);
}

/* --- all keys at once, each time on a new queue --- */

static uint64_t pass_replace(void *arg)
{
    struct kin_bench_fifo *b = arg;
    kin_error err = KIN_ERROR_INIT;

    if (kin_delta_fifo_replace(b->queue, b->set.older, b->set.n, kin_str_of("2"), &err) < 0)
        kin_bench_die("cannot replace: %s", err.message);
    return b->set.n;
}

static uint64_t pass_resync(void *arg)
{
    struct kin_bench_fifo *b = arg;
    kin_error err = KIN_ERROR_INIT;

    if (kin_delta_fifo_resync(b->queue, &err) < 0)
        kin_bench_die("cannot resync: %s", err.message);
    return b->set.n;
}

static void whole_queue(const struct kin_bench_arguments *args, struct kin_bench_report *report,
                        uint64_t (*pass)(void *arg), bool known)
{
    struct kin_bench_fifo b;
    struct kin_bench_usage used = {0};

    kin_bench_fifo_begin(&b, args);
    if (known)
        kin_bench_store_fill(b.known, b.set.older, b.set.n);
    uint64_t ops = kin_bench_timed_passes(args->min_time, kin_bench_fifo_set_up, pass, &b, &used);

    if (kin_delta_fifo_len(b.queue) != b.set.n)
        kin_bench_die("the queue has %zu keys", kin_delta_fifo_len(b.queue));
    kin_bench_report_ops(report, ops, &used);
    kin_bench_report_measure(report, "per_call",
                             (double)used.wall / 1e6 * (double)b.set.n / (double)ops, "ms");
    kin_bench_fifo_end(&b);
}

void kin_bench_fifo_replace(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    whole_queue(args, report, pass_replace, true);
}

void kin_bench_fifo_replace_empty(const struct kin_bench_arguments *args,
                                  struct kin_bench_report *report)
{
    whole_queue(args, report, pass_replace, false);
}

void kin_bench_fifo_resync(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    whole_queue(args, report, pass_resync, true);
}
