/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A work queue under threads: producers that add now, later and through a limiter, workers that get
 * in all the ways there are, add again what they work on, and readers. Bounded by operations, not
 * by time.
 *
 * No key is worked on by two at once. What a producer wants is counted before it adds the key, and
 * a worker notes what it has seen when it begins: after the drain every key was seen as it was last
 * wanted. A wake-up that is lost shows as a hang.
 */
#include "kin_test.h"
#include "kinform/work_queue.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "rng.h"

enum {
    N_PRODUCERS = 3,
    N_WORKERS = 4,
    N_KEYS = 40,
    N_OPS = KIN_TEST_SANITIZED ? 20000 : 100000,
    BATCH = 5,
};

static atomic_uint n_wrong;

#define must(expression)                                                                           \
    do {                                                                                           \
        if (!(expression))                                                                         \
            atomic_fetch_add(&n_wrong, 1);                                                         \
    } while (0)

struct world {
    kin_work_queue *queue;
    atomic_uint wanted[N_KEYS];
    atomic_uint seen[N_KEYS];
    atomic_bool working[N_KEYS];
    atomic_ullong worked;
    atomic_int depth; /* by metrics */
    atomic_ullong adds;
    atomic_bool over;
};

struct worker {
    kin__thread thread;
    struct world *world;
    unsigned id;
    kin_test_rng rng;
};

static void on_depth(int change, void *arg)
{
    atomic_fetch_add(&((struct world *)arg)->depth, change);
}

static void on_add(void *arg)
{
    atomic_fetch_add(&((struct world *)arg)->adds, 1);
}

static void want(struct worker *w, unsigned k)
{
    kin_work_add how = KIN_WORK_ADD_INIT;
    char key[16];

    snprintf(key, sizeof(key), "key-%u", k);
    how.priority = kin_test_below(&w->rng, 2) ? KIN_WORK_LOW : KIN_WORK_HIGH;
    switch (kin_test_below(&w->rng, 6)) {
    case 0:
        how.after_ns = (int64_t)kin_test_below(&w->rng, KIN__MILLISECOND / 2);
        break;
    case 1:
        how.rate_limited = true;
        break;
    default:
        break;
    }
    atomic_fetch_add(&w->world->wanted[k], 1);
    must(kin_work_queue_add_with(w->world->queue, kin_str_of(key), &how, NULL) == 0);
}

static void produce(void *arg)
{
    struct worker *w = arg;

    for (unsigned i = 0; i < N_OPS; i++)
        want(w, (unsigned)kin_test_below(&w->rng, N_KEYS));
}

static void work(struct worker *w, const kin_work_item *item)
{
    struct world *world = w->world;
    kin_str key = kin_work_item_key(item);
    unsigned k = 0;

    must(sscanf(key.data, "key-%u", &k) == 1);
    must(!atomic_exchange(&world->working[k], true));
    atomic_store(&world->seen[k], atomic_load(&world->wanted[k]));
    atomic_fetch_add(&world->worked, 1);
    kin_work_queue_forget(world->queue, key);
    if (kin_test_below(&w->rng, 16) == 0 && !kin_work_queue_is_shutting_down(world->queue) &&
        !atomic_load(&world->over))
        want(w, k);
    atomic_store(&world->working[k], false);
}

static void work_one(struct worker *w, int64_t timeout_ms, int *code)
{
    kin_work_item *item = NULL;

    *code = kin_work_queue_get(w->world->queue, &item, timeout_ms, NULL);
    if (*code == 0)
        work(w, item);
    kin_work_queue_done(w->world->queue, item);
}

static void work_some(struct worker *w, int64_t timeout_ms, int *code)
{
    kin_work_item *item = NULL;
    unsigned n = (unsigned)kin_test_below(&w->rng, 10);

    while ((*code = kin_work_queue_next(w->world->queue, &item, timeout_ms, NULL)) == 0) {
        work(w, item);
        if (n-- == 0)
            break;
    }
    kin_work_queue_done(w->world->queue, item);
}

static void work_batch(struct worker *w, int64_t timeout_ms, int *code)
{
    kin_work_item *items[BATCH];
    size_t n = 0;

    *code = kin_work_queue_get_batch(w->world->queue, items, &n, BATCH, timeout_ms, NULL);
    for (size_t i = 0; i < n; i++)
        work(w, items[i]);
    kin_work_queue_done_batch(w->world->queue, items, n);
}

static void consume(void *arg)
{
    struct worker *w = arg;
    int code = 0;

    while (code != KIN_ECLOSED) {
        int64_t timeout_ms = (int64_t)kin_test_below(&w->rng, 4) - 1;

        switch (kin_test_below(&w->rng, 3)) {
        case 0:
            work_one(w, timeout_ms, &code);
            break;
        case 1:
            work_some(w, timeout_ms, &code);
            break;
        default:
            work_batch(w, timeout_ms, &code);
            break;
        }
        must(code == 0 || code == KIN_ECLOSED || code == KIN_ETIMEOUT);
    }
}

static void look(void *arg)
{
    struct worker *w = arg;
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;

    while (!atomic_load(&w->world->over)) {
        must(kin_work_queue_get_stats(w->world->queue, &stats, NULL) == 0);
        must(stats.n_working <= (size_t)N_WORKERS * BATCH && stats.n_queued <= N_KEYS);
        kin_work_queue_update_metrics(w->world->queue);
        sched_yield();
    }
}

static void start(struct worker *workers, unsigned n, struct world *world, kin__thread_fn *fn)
{
    for (unsigned i = 0; i < n; i++) {
        workers[i] = (struct worker){KIN__THREAD_INIT, world, i, {i * 7919 + 1}};
        assert_code(kin__thread_start(&workers[i].thread, "kin-stress", fn, &workers[i], NULL), 0);
    }
}

static void join(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kin__thread_join(&workers[i].thread, NULL);
}

static void await_no_delays(kin_work_queue *queue)
{
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;

    do {
        sched_yield();
        assert_code(kin_work_queue_get_stats(queue, &stats, NULL), 0);
    } while (stats.n_delayed > 0);
}

static void run(bool with_metrics, bool with_fd)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue_metrics metrics = KIN_WORK_QUEUE_METRICS_INIT;
    static struct world world;
    struct worker producers[N_PRODUCERS];
    struct worker workers[N_WORKERS];
    struct worker reader;
    kin_work_queue_stats stats = KIN_WORK_QUEUE_STATS_INIT;
    int fd;

    memset(&world, 0, sizeof(world));
    metrics.depth = on_depth;
    metrics.adds_total = on_add;
    if (with_metrics)
        options.metrics = &metrics;
    options.metrics_arg = &world;
    assert_code(kin_rate_limiter_new_exponential(&options.limiter, 1000, KIN__MILLISECOND, NULL),
                0);
    assert_code(kin_work_queue_new(&world.queue, &options, NULL), 0);
    kin_rate_limiter_unref(options.limiter);
    if (with_fd)
        assert_code(kin_work_queue_fd(world.queue, &fd, NULL), 0);
    start(workers, N_WORKERS, &world, consume);
    start(&reader, 1, &world, look);
    start(producers, N_PRODUCERS, &world, produce);
    join(producers, N_PRODUCERS);
    atomic_store(&world.over, true);
    join(&reader, 1);
    /* Who saw that it is not over yet may still add: he is working. */
    do {
        await_no_delays(world.queue);
        assert_code(kin_work_queue_get_stats(world.queue, &stats, NULL), 0);
    } while (stats.n_working + stats.n_queued + stats.n_delayed > 0);
    assert_code(kin_work_queue_shut_down_with_drain(world.queue, KIN_TEST_TIMEOUT_MS, NULL), 0);
    join(workers, N_WORKERS);
    assert_int_equal(atomic_load(&n_wrong), 0);
    for (unsigned k = 0; k < N_KEYS; k++)
        assert_int_equal(atomic_load(&world.seen[k]), atomic_load(&world.wanted[k]));
    assert_true(atomic_load(&world.worked) > 0);
    if (with_metrics) {
        assert_code(kin_work_queue_get_stats(world.queue, &stats, NULL), 0);
        assert_int_equal(atomic_load(&world.depth), 0);
        assert_int_equal(atomic_load(&world.adds), stats.adds);
        assert_int_equal(atomic_load(&world.worked), stats.adds);
    }
    kin_work_queue_free(world.queue);
}

static void every_wish_is_seen(void **state)
{
    (void)state;
    run(false, false);
}

static void with_metrics_too(void **state)
{
    (void)state;
    run(true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wish_is_seen),
        cmocka_unit_test(with_metrics_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
