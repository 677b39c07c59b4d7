/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work queue: its keys are words, its time is in nanoseconds of a fake clock.
 */
#include <stdlib.h>
#include <string.h>

#include <kinform/work_queue.h>

#include "script.h"

/* Limits of the limiters; work_queue.go has the same. */
#define LIMIT_BASE INT64_C(5000000)
#define LIMIT_MAX INT64_C(1000000000000)
#define LIMIT_SLOW INT64_C(10000000000)
#define LIMIT_FAST 3
#define LIMIT_MAX_WAIT INT64_C(50000000)
#define LIMIT_QPS 10
#define LIMIT_BURST 3

enum { HELD_MAX = 64 };

typedef struct machine {
    kin_clock *clock;
    kin_work_queue *queue;
    kin_work_item *held[HELD_MAX];
    size_t n_held;
    long long adds;
    long long depth;
    long long retries;
    long long waited; /* nanoseconds */
    long long worked;
} machine;

static void must(int code, const char *what)
{
    if (code < 0)
        script_die(what, kin_error_name(code));
}

/* --- metrics --- */

static void on_depth(int change, void *arg)
{
    ((machine *)arg)->depth += change;
}

static void on_add(void *arg)
{
    ((machine *)arg)->adds++;
}

static long long to_ns(double seconds)
{
    return (long long)(seconds * 1e9 + 0.5);
}

static void on_waited(double seconds, void *arg)
{
    ((machine *)arg)->waited += to_ns(seconds);
}

static void on_worked(double seconds, void *arg)
{
    ((machine *)arg)->worked += to_ns(seconds);
}

static void on_retry(void *arg)
{
    ((machine *)arg)->retries++;
}

/* --- life --- */

static kin_rate_limiter *new_limiter(const script_line *options, kin_clock *clock)
{
    kin_rate_limiter *both[2] = {NULL, NULL};
    kin_rate_limiter *ret = NULL;

    must(kin_rate_limiter_new_exponential(&both[0], LIMIT_BASE, LIMIT_MAX, NULL), "exponential");
    must(kin_rate_limiter_new_bucket(&both[1], LIMIT_QPS, LIMIT_BURST, clock, NULL), "bucket");
    if (script_has_option(options, "fast-slow"))
        must(kin_rate_limiter_new_fast_slow(&ret, LIMIT_BASE, LIMIT_SLOW, LIMIT_FAST, NULL),
             "fast-slow");
    else if (script_has_option(options, "bucket"))
        ret = kin_rate_limiter_ref(both[1]);
    else if (script_has_option(options, "max-wait"))
        must(kin_rate_limiter_new_max_wait(&ret, both[0], LIMIT_MAX_WAIT, NULL), "max-wait");
    else if (script_has_option(options, "max-of"))
        must(kin_rate_limiter_new_max_of(&ret, both, 2, NULL), "max-of");
    else
        ret = kin_rate_limiter_ref(both[0]);
    kin_rate_limiter_unref(both[0]);
    kin_rate_limiter_unref(both[1]);
    return ret;
}

static void *start(const script_line *given)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    machine *m = script_alloc(1, sizeof(*m));

    must(kin_clock_new_fake(&m->clock, 0, NULL), "clock");
    metrics.depth = on_depth;
    metrics.adds_total = on_add;
    metrics.queue_duration_seconds = on_waited;
    metrics.work_duration_seconds = on_worked;
    metrics.retries_total = on_retry;
    options.clock = m->clock;
    options.metrics = &metrics;
    options.metrics_arg = m;
    options.limiter = new_limiter(given, m->clock);
    must(kin_work_queue_new(&m->queue, &options, NULL), "queue");
    kin_rate_limiter_unref(options.limiter);
    return m;
}

static void stop(void *arg)
{
    machine *m = arg;

    kin_work_queue_free(m->queue);
    kin_clock_unref(m->clock);
    free(m);
}

/* --- steps --- */

static kin_str key_at(const script_line *line)
{
    return kin_str_of(script_word(line, 1));
}

static int64_t number_at(const script_line *line, size_t i)
{
    return strtoll(script_word(line, i), NULL, 10);
}

/* client-go says nothing of what it does not take any more. */
static void print_added(int code)
{
    fputs(code == KIN_ECLOSED ? "ok" : script_outcome(code), stdout);
}

static void step_add(machine *m, const script_line *line)
{
    print_added(kin_work_queue_add(m->queue, key_at(line), NULL));
}

static void step_add_after(machine *m, const script_line *line)
{
    print_added(kin_work_queue_add_after(m->queue, key_at(line), number_at(line, 2), NULL));
}

static void step_add_limited(machine *m, const script_line *line)
{
    print_added(kin_work_queue_add_rate_limited(m->queue, key_at(line), NULL));
}

static void step_forget(machine *m, const script_line *line)
{
    kin_work_queue_forget(m->queue, key_at(line));
    fputs("ok", stdout);
}

static void step_requeues(machine *m, const script_line *line)
{
    printf("%llu", (unsigned long long)kin_work_queue_n_requeues(m->queue, key_at(line)));
}

/* Those whose time has come count in the metrics once somebody looks; there, at once. */
static void step_advance(machine *m, const script_line *line)
{
    must(kin_clock_advance(m->clock, number_at(line, 1), NULL), "advance");
    (void)kin_work_queue_len(m->queue);
    fputs("ok", stdout);
}

static void step_get(machine *m, const script_line *line)
{
    kin_work_item *item = NULL;
    int code = kin_work_queue_get(m->queue, &item, 0, NULL);

    (void)line;
    if (code < 0) {
        fputs(code == KIN_ECLOSED ? "closed" : "empty", stdout);
        return;
    }
    if (m->n_held == HELD_MAX)
        script_die("too many items", "get");
    m->held[m->n_held++] = item;
    printf("ok %s", kin_work_item_key(item).data);
}

static void step_done(machine *m, const script_line *line)
{
    if (m->n_held == 0) {
        fputs("none", stdout);
        return;
    }
    size_t at = (size_t)number_at(line, 1) % m->n_held;
    kin_work_item *item = m->held[at];
    m->n_held--;
    memmove(&m->held[at], &m->held[at + 1], (m->n_held - at) * sizeof(item));
    printf("ok %s", kin_work_item_key(item).data);
    kin_work_queue_done(m->queue, item);
}

static void step_done_all(machine *m, const script_line *line)
{
    (void)line;
    kin_work_queue_done_batch(m->queue, m->held, m->n_held);
    m->n_held = 0;
    fputs("ok", stdout);
}

static void step_len(machine *m, const script_line *line)
{
    (void)line;
    printf("%zu", kin_work_queue_len(m->queue));
}

static void step_shut_down(machine *m, const script_line *line)
{
    (void)line;
    kin_work_queue_shut_down(m->queue);
    fputs("ok", stdout);
}

static void step_drain(machine *m, const script_line *line)
{
    (void)line;
    fputs(kin_work_queue_shut_down_with_drain(m->queue, 0, NULL) == 0 ? "ok" : "waits", stdout);
}

static void step_shutting_down(machine *m, const script_line *line)
{
    (void)line;
    fputs(kin_work_queue_is_shutting_down(m->queue) ? "true" : "false", stdout);
}

static void step_metrics(machine *m, const script_line *line)
{
    (void)line;
    printf("adds %lld depth %lld retries %lld waited %lld worked %lld", m->adds, m->depth,
           m->retries, m->waited, m->worked);
}

static void step(void *arg, const script_line *line)
{
    static const struct {
        const char *name;
        void (*run)(machine *m, const script_line *line);
    } steps[] = {{"add", step_add},
                 {"add-after", step_add_after},
                 {"add-limited", step_add_limited},
                 {"forget", step_forget},
                 {"requeues", step_requeues},
                 {"advance", step_advance},
                 {"get", step_get},
                 {"done", step_done},
                 {"done-all", step_done_all},
                 {"len", step_len},
                 {"shut-down", step_shut_down},
                 {"drain", step_drain},
                 {"shutting-down", step_shutting_down},
                 {"metrics", step_metrics}};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (strcmp(steps[i].name, line->words[0]) == 0) {
            steps[i].run(arg, line);
            return;
        }
    }
    script_die("no such operation", line->words[0]);
}

const script_kind script_work_queue = {"work-queue", start, step, stop};
