/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A work queue under random operations, next to plain arrays: which keys want to be worked on, who
 * has them, when their time comes, how often they have failed, and two lines.
 */
#include "kin_test.h"
#include "kinform/work_queue.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model.h"

enum { N_KEYS = 12, LOW_EVERY = 3 };

#define BASE INT64_C(7)
#define MAX_DELAY INT64_C(90)

struct line {
    unsigned keys[N_KEYS];
    unsigned n;
};

struct model {
    kin_clock *clock;
    kin_work_queue *queue;
    int fd; /* -1 in every second run */
    bool shut_down;
    int64_t now;
    unsigned passed_over;
    struct line lines[2];
    struct {
        bool dirty;
        unsigned priority;
        kin_work_item *item; /* if somebody has it */
        bool delayed;
        int64_t at;
        uint64_t order;
        unsigned later;
        unsigned failures;
    } keys[N_KEYS];
    uint64_t order;
    char what[128];
};

static kin_str key_of(unsigned k, char text[16])
{
    int len = snprintf(text, 16, "ns/key-%u", k);

    return kin_str_make(text, (size_t)len);
}

static void *model_new(uint64_t seed)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    struct model *m = calloc(1, sizeof(*m));

    assert_non_null(m);
    assert_code(kin_clock_new_fake(&m->clock, 0, NULL), 0);
    assert_code(kin_rate_limiter_new_exponential(&options.limiter, BASE, MAX_DELAY, NULL), 0);
    options.clock = m->clock;
    options.low_every = LOW_EVERY;
    options.timing = seed % 3 == 0;
    assert_code(kin_work_queue_new(&m->queue, &options, NULL), 0);
    kin_rate_limiter_unref(options.limiter);
    m->fd = -1;
    if (seed % 2)
        assert_code(kin_work_queue_fd(m->queue, &m->fd, NULL), 0);
    return m;
}

static void model_free(void *state)
{
    struct model *m = state;

    kin_work_queue_free(m->queue);
    kin_clock_unref(m->clock);
    free(m);
}

/* --- the model --- */

static void line_push(struct line *line, unsigned k)
{
    line->keys[line->n++] = k;
}

static void line_remove(struct line *line, unsigned at)
{
    line->n--;
    memmove(&line->keys[at], &line->keys[at + 1], (line->n - at) * sizeof(line->keys[0]));
}

static void model_want(struct model *m, unsigned k, unsigned priority)
{
    bool queued = m->keys[k].dirty && !m->keys[k].item;

    if (m->keys[k].dirty && priority >= m->keys[k].priority)
        return;
    for (unsigned i = 0; queued && i < m->lines[KIN_WORK_LOW].n; i++) {
        if (m->lines[KIN_WORK_LOW].keys[i] == k) {
            line_remove(&m->lines[KIN_WORK_LOW], i);
            break;
        }
    }
    m->keys[k].dirty = true;
    m->keys[k].priority = priority;
    if (!m->keys[k].item)
        line_push(&m->lines[priority], k);
}

static void model_delay(struct model *m, unsigned k, unsigned priority, int64_t after)
{
    if (after <= 0) {
        model_want(m, k, priority);
        return;
    }
    if (!m->keys[k].delayed || priority < m->keys[k].later)
        m->keys[k].later = priority;
    if (!m->keys[k].delayed || m->now + after < m->keys[k].at) {
        m->keys[k].at = m->now + after;
        m->keys[k].order = m->order++;
    }
    m->keys[k].delayed = true;
}

static void model_move_due(struct model *m)
{
    for (;;) {
        unsigned first = N_KEYS;

        for (unsigned k = 0; k < N_KEYS && !m->shut_down; k++) {
            if (!m->keys[k].delayed || m->keys[k].at > m->now)
                continue;
            if (first == N_KEYS || m->keys[k].at < m->keys[first].at ||
                (m->keys[k].at == m->keys[first].at && m->keys[k].order < m->keys[first].order))
                first = k;
        }
        if (first == N_KEYS)
            return;
        m->keys[first].delayed = false;
        model_want(m, first, m->keys[first].later);
    }
}

/* The key that comes next, or N_KEYS. */
static unsigned model_get(struct model *m)
{
    struct line *high = &m->lines[KIN_WORK_HIGH];
    struct line *low = &m->lines[KIN_WORK_LOW];
    struct line *line = high;

    model_move_due(m);
    if (high->n + low->n == 0)
        return N_KEYS;
    if (high->n == 0 || (low->n > 0 && m->passed_over + 1 >= LOW_EVERY))
        line = low;
    m->passed_over = line == high && low->n > 0 ? m->passed_over + 1 : 0;
    unsigned k = line->keys[0];
    line_remove(line, 0);
    m->keys[k].dirty = false;
    return k;
}

static void model_done(struct model *m, unsigned k)
{
    m->keys[k].item = NULL;
    if (m->keys[k].dirty)
        line_push(&m->lines[m->keys[k].priority], k);
}

/* --- operations --- */

static const char *op_add(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    kin_work_add how = KIN_WORK_ADD_INIT;
    unsigned k = (unsigned)kin_test_below(rng, N_KEYS);
    char text[16];

    how.priority = kin_test_below(rng, 2) ? KIN_WORK_LOW : KIN_WORK_HIGH;
    switch (kin_test_below(rng, 3)) {
    case 0:
        how.after_ns = (int64_t)kin_test_below(rng, 60) - 5;
        break;
    case 1:
        how.rate_limited = true;
        break;
    default:
        break;
    }
    int code = kin_work_queue_add_with(m->queue, key_of(k, text), &how, NULL);
    if (how.rate_limited) {
        unsigned n = m->keys[k].failures++;

        how.after_ns = n < 4 && BASE << n < MAX_DELAY ? BASE << n : MAX_DELAY;
    }
    if (m->shut_down)
        return code == KIN_ECLOSED ? NULL : "added after the shutdown";
    if (code < 0)
        return "cannot add";
    model_delay(m, k, (unsigned)how.priority, how.after_ns);
    return NULL;
}

static const char *op_forget(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned k = (unsigned)kin_test_below(rng, N_KEYS);
    char text[16];

    if (kin_work_queue_n_requeues(m->queue, key_of(k, text)) != m->keys[k].failures)
        return "another number of requeues";
    kin_work_queue_forget(m->queue, key_of(k, text));
    m->keys[k].failures = 0;
    return NULL;
}

/* What was got against what the model says; the code if nothing was. */
static const char *compare(struct model *m, int code, kin_work_item *item)
{
    unsigned k = model_get(m);
    char text[16];

    if (k == N_KEYS)
        return code == (m->shut_down ? KIN_ECLOSED : KIN_ETIMEOUT) ? NULL : "got out of nothing";
    if (code < 0)
        return "got nothing";
    m->keys[k].item = item;
    if (kin_str_equal(kin_work_item_key(item), key_of(k, text)))
        return NULL;
    snprintf(m->what, sizeof(m->what), "got %s instead of %s", kin_work_item_key(item).data, text);
    return m->what;
}

static const char *op_get(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    kin_work_item *item = NULL;
    int code = kin_work_queue_get(m->queue, &item, 0, NULL);

    (void)rng;
    return compare(m, code, item);
}

static const char *op_get_batch(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    kin_work_item *items[4];
    size_t max = 1 + kin_test_below(rng, 4);
    size_t n = 0;
    int code = kin_work_queue_get_batch(m->queue, items, &n, max, 0, NULL);
    const char *wrong = NULL;

    if (code < 0)
        return compare(m, code, NULL);
    for (size_t i = 0; i < n && !wrong; i++)
        wrong = compare(m, 0, items[i]);
    if (!wrong && n < max && m->lines[0].n + m->lines[1].n > 0)
        wrong = "got fewer than there were";
    return wrong;
}

/* A random one that somebody has, or N_KEYS. */
static unsigned random_working(const struct model *m, kin_test_rng *rng)
{
    unsigned from = (unsigned)kin_test_below(rng, N_KEYS);

    for (unsigned i = 0; i < N_KEYS; i++) {
        unsigned k = (from + i) % N_KEYS;

        if (m->keys[k].item)
            return k;
    }
    return N_KEYS;
}

static const char *op_done(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned k = random_working(m, rng);

    if (k == N_KEYS)
        return NULL;
    kin_work_queue_done(m->queue, m->keys[k].item);
    model_done(m, k);
    return NULL;
}

static const char *op_next(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned k = random_working(m, rng);
    kin_work_item *item = k < N_KEYS ? m->keys[k].item : NULL;
    int code = kin_work_queue_next(m->queue, &item, 0, NULL);

    if (k < N_KEYS)
        model_done(m, k);
    return compare(m, code, item);
}

static const char *op_advance(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    int64_t ns = (int64_t)kin_test_below(rng, 20);

    assert_code(kin_clock_advance(m->clock, ns, NULL), 0);
    m->now += ns;
    return NULL;
}

static const char *op_shut_down(void *state, kin_test_rng *rng)
{
    struct model *m = state;

    if (kin_test_below(rng, 40) > 0)
        return NULL;
    kin_work_queue_shut_down(m->queue);
    model_move_due(m);
    m->shut_down = true;
    return NULL;
}

static const char *check(void *state)
{
    struct model *m = state;
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;
    struct pollfd p = {.fd = m->fd, .events = POLLIN};
    size_t n_working = 0;
    size_t n_delayed = 0;
    size_t n_again = 0;
    bool due = false;

    for (unsigned k = 0; k < N_KEYS; k++)
        due = due || (m->keys[k].delayed && m->keys[k].at <= m->now);
    if (m->fd >= 0 &&
        (poll(&p, 1, 0) == 1) != (due || m->shut_down || m->lines[0].n + m->lines[1].n > 0))
        return "the descriptor says something else";
    /* Looking moves those whose time has come: not each time, so that others have to. */
    if (due && m->now % 2)
        return NULL;
    model_move_due(m);
    for (unsigned k = 0; k < N_KEYS; k++) {
        n_working += m->keys[k].item != NULL;
        n_again += m->keys[k].item && m->keys[k].dirty;
        n_delayed += m->keys[k].delayed;
    }
    assert_code(kin_work_queue_get_stats(m->queue, &stats, NULL), 0);
    if (stats.n_queued != m->lines[0].n + m->lines[1].n || stats.n_low != m->lines[1].n)
        return "another number is queued";
    if (stats.n_working != n_working || stats.n_again != n_again || stats.n_delayed != n_delayed)
        return "another number is worked on, or delayed";
    return NULL;
}

static void a_work_queue_does_what_the_model_does(void **state)
{
    static const kin_test_op ops[] = {
        {"add", 30, op_add},         {"forget", 3, op_forget},
        {"get", 10, op_get},         {"get_batch", 4, op_get_batch},
        {"done", 12, op_done},       {"next", 8, op_next},
        {"advance", 10, op_advance}, {"shut_down", 1, op_shut_down},
    };
    static const kin_test_model model = {ops, sizeof(ops) / sizeof(ops[0]), model_new, model_free,
                                         check};

    (void)state;
    kin_test_run_model(&model, 400, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_work_queue_does_what_the_model_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
