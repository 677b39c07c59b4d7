/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers under threads that post, while tasks post, too, and then stop them. Bounded by
 * operations.
 *
 * A strand's counters have no lock: that it is one task at a time, and sees what the one before
 * wrote, is what ThreadSanitizer looks at. What a thread posts to a strand comes in its order, and
 * whatever was taken is run or dropped, once.
 */
#include "kin_test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "base/workers.h"
#include "rng.h"

enum {
    N_POSTERS = 3,
    N_STRANDS = 8,
    N_TASKS = 20000, /* of each poster */
    N_ROUNDS = 40,   /* of the test that stops */
};

struct strand {
    kin__strand strand;
    bool running;             /* no lock */
    unsigned last[N_POSTERS]; /* no lock */
    unsigned n_run;           /* no lock */
    unsigned n_echoes;        /* no lock */
};

struct job {
    kin__task task;
    struct strand *strand;
    struct world *world;
    unsigned poster;
    unsigned number; /* of the strand's of this poster, from 1 */
    bool echoes;     /* it posts another one, to the same strand */
};

struct poster {
    kin__thread thread;
    struct world *world;
    unsigned id;
    unsigned n_taken;
    struct job *jobs;
};

struct world {
    kin__workers *workers;
    struct strand strands[N_STRANDS];
    struct poster posters[N_POSTERS];
    atomic_uint n_run;
    atomic_uint n_dropped;
    atomic_uint n_wrong;
};

static void must(struct world *world, bool right)
{
    if (!right)
        atomic_fetch_add(&world->n_wrong, 1);
}

static void echo_run(kin__task *task, bool dropped)
{
    struct job *job = kin__container_of(task, struct job, task);

    if (!dropped)
        job->strand->n_echoes++;
    atomic_fetch_add(dropped ? &job->world->n_dropped : &job->world->n_run, 1);
}

static void job_run(kin__task *task, bool dropped)
{
    struct job *job = kin__container_of(task, struct job, task);
    struct strand *strand = job->strand;
    struct world *world = job->world;

    must(world, !strand->running);
    strand->running = true;
    must(world, strand->last[job->poster] < job->number);
    strand->last[job->poster] = job->number;
    strand->n_run++;
    strand->running = false;
    bool echo = job->echoes && !dropped;
    if (echo) {
        job->task.run = echo_run;
        echo = kin__strand_post(&strand->strand, &job->task) == 0;
    }
    if (!echo)
        atomic_fetch_add(dropped ? &world->n_dropped : &world->n_run, 1);
}

static void poster_run(void *arg)
{
    struct poster *poster = arg;
    struct world *world = poster->world;
    kin_test_rng rng = {poster->id + 1};
    unsigned numbers[N_STRANDS] = {0};

    for (unsigned i = 0; i < N_TASKS; i++) {
        struct job *job = &poster->jobs[i];
        unsigned strand = (unsigned)kin_test_below(&rng, N_STRANDS);

        job->task.run = job_run;
        job->world = world;
        job->strand = &world->strands[strand];
        job->poster = poster->id;
        job->number = ++numbers[strand];
        job->echoes = kin_test_below(&rng, 4) == 0;
        int code = kin__strand_post(&job->strand->strand, &job->task);
        if (code == KIN_ECLOSED)
            return;
        must(world, code == 0);
        poster->n_taken++;
    }
}

static struct world *world_new(unsigned max_threads)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_code(
        kin__workers_new(&world->workers, "kin-work", max_threads, kin_clock_system(), NULL), 0);
    assert_code(kin__workers_start(world->workers, NULL), 0);
    for (size_t i = 0; i < N_STRANDS; i++)
        kin__strand_init(&world->strands[i].strand, world->workers);
    for (unsigned i = 0; i < N_POSTERS; i++) {
        world->posters[i].world = world;
        world->posters[i].id = i;
        world->posters[i].jobs = calloc(N_TASKS, sizeof(struct job));
        assert_code(kin__thread_start(&world->posters[i].thread, "poster", poster_run,
                                      &world->posters[i], NULL),
                    0);
    }
    return world;
}

/* How many tasks were taken. */
static unsigned world_join(struct world *world)
{
    unsigned n = 0;

    for (size_t i = 0; i < N_POSTERS; i++) {
        kin__thread_join(&world->posters[i].thread, NULL);
        n += world->posters[i].n_taken;
    }
    return n;
}

static void world_free(struct world *world)
{
    for (size_t i = 0; i < N_POSTERS; i++)
        free(world->posters[i].jobs);
    free(world);
}

static void runs_all_that_was_posted(void **state)
{
    struct world *world = world_new(4);
    unsigned taken = world_join(world);

    (void)state;
    kin__workers_stop(world->workers, KIN__WORKERS_RUN);
    assert_int_equal(taken, N_POSTERS * N_TASKS);
    assert_int_equal(atomic_load(&world->n_run), taken);
    assert_int_equal(atomic_load(&world->n_dropped), 0);
    assert_int_equal(atomic_load(&world->n_wrong), 0);
    kin__workers_free(world->workers);
    world_free(world);
}

/*
 * Stopped at any moment: each that was taken runs or is dropped, and nothing comes after the end.
 */
static void stops_beside_posters(void **state)
{
    kin_test_rng rng = {7};

    (void)state;
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        struct world *world = world_new(1 + round % 4);
        unsigned until = (unsigned)kin_test_below(&rng, 2000);

        while (atomic_load(&world->n_run) < until)
            sched_yield();
        kin__workers_stop(world->workers, round % 2 ? KIN__WORKERS_DROP : KIN__WORKERS_RUN);
        unsigned n = atomic_load(&world->n_run) + atomic_load(&world->n_dropped);
        assert_int_equal(n, world_join(world));
        assert_int_equal(atomic_load(&world->n_wrong), 0);
        kin__workers_free(world->workers);
        world_free(world);
    }
}

/* --- alarms --- */

enum { N_ALARMS = 24, N_SETS = 20000, RUNS_MIN = 100 };

/* An alarm, and a task of its strand that sets and cancels it. */
struct bell {
    kin__alarm alarm;
    kin__task task;
    struct belfry *belfry;
    bool silent;        /* no lock: the strand has cancelled it */
    bool running;       /* no lock */
    atomic_bool posted; /* the task */
    uint64_t n_run;     /* no lock */
    kin_test_rng rng;   /* the strand's */
};

struct belfry {
    kin__workers *workers;
    kin_clock *clock;
    kin__strand strands[N_STRANDS];
    struct bell bells[N_ALARMS];
    atomic_uint n_wrong;
    atomic_uint n_dropped;
    atomic_uint n_run;
};

static void bell_run(kin__alarm *alarm, bool dropped)
{
    struct bell *bell = kin__container_of(alarm, struct bell, alarm);

    if (bell->silent || bell->running)
        atomic_fetch_add(&bell->belfry->n_wrong, 1);
    bell->running = true;
    bell->n_run++;
    bell->running = false;
    atomic_fetch_add(dropped ? &bell->belfry->n_dropped : &bell->belfry->n_run, 1);
}

/* Silence lasts until the strand itself sets it again. */
static void bell_task(kin__task *task, bool dropped)
{
    struct bell *bell = kin__container_of(task, struct bell, task);
    struct belfry *belfry = bell->belfry;

    if (!dropped && kin_test_below(&bell->rng, 2) == 0) {
        kin__alarm_cancel(&bell->alarm);
        bell->silent = true;
    } else if (!dropped) {
        bell->silent = false;
        kin__alarm_set(&bell->alarm,
                       kin_clock_now(belfry->clock) + (int64_t)kin_test_below(&bell->rng, 100));
    }
    atomic_store(&bell->posted, false);
}

static void ringer_run(void *arg)
{
    struct belfry *belfry = arg;
    kin_test_rng rng = {(uint64_t)(uintptr_t)&rng};

    /* Longer, if it takes longer until the workers get to run. */
    for (unsigned i = 0; i < N_SETS || atomic_load(&belfry->n_run) < RUNS_MIN; i++) {
        struct bell *bell = &belfry->bells[kin_test_below(&rng, N_ALARMS)];

        if (!atomic_exchange(&bell->posted, true) &&
            kin__strand_post(bell->alarm.strand, &bell->task) < 0)
            break;
        if (kin_test_below(&rng, 4) == 0)
            sched_yield(); /* who posts is quicker than who works */
        if (kin_test_below(&rng, 8) == 0)
            kin__alarm_cancel(&belfry->bells[kin_test_below(&rng, N_ALARMS)].alarm);
        if (kin__clock_is_fake(belfry->clock) && kin_test_below(&rng, 4) == 0)
            kin_clock_advance(belfry->clock, (int64_t)kin_test_below(&rng, 60), NULL);
    }
}

static void ring_round(kin_clock *clock, unsigned max_threads, bool drop)
{
    struct belfry *belfry = calloc(1, sizeof(*belfry));
    kin__thread ringers[N_POSTERS];

    belfry->clock = clock;
    assert_code(kin__workers_new(&belfry->workers, "kin-work", max_threads, clock, NULL), 0);
    assert_code(kin__workers_start(belfry->workers, NULL), 0);
    for (size_t i = 0; i < N_STRANDS; i++)
        kin__strand_init(&belfry->strands[i], belfry->workers);
    for (size_t i = 0; i < N_ALARMS; i++) {
        struct bell *bell = &belfry->bells[i];

        bell->belfry = belfry;
        bell->task.run = bell_task;
        bell->rng.state = i;
        assert_code(kin__alarm_init(&bell->alarm, &belfry->strands[i % N_STRANDS], bell_run, NULL),
                    0);
    }
    for (size_t i = 0; i < N_POSTERS; i++) {
        ringers[i] = KIN__THREAD_INIT;
        assert_code(kin__thread_start(&ringers[i], "ringer", ringer_run, belfry, NULL), 0);
    }
    while (drop && atomic_load(&belfry->n_run) < RUNS_MIN)
        sched_yield();
    if (drop)
        kin__workers_stop(belfry->workers, KIN__WORKERS_DROP);
    for (size_t i = 0; i < N_POSTERS; i++)
        kin__thread_join(&ringers[i], NULL);
    kin__workers_stop(belfry->workers, KIN__WORKERS_RUN);
    assert_int_equal(atomic_load(&belfry->n_wrong), 0);
    assert_true(atomic_load(&belfry->n_run) >= RUNS_MIN);
    for (size_t i = 0; i < N_ALARMS; i++)
        kin__alarm_done(&belfry->bells[i].alarm);
    kin__workers_free(belfry->workers);
    free(belfry);
}

static void alarms_are_set_and_cancelled_by_all(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        kin_clock *fake = NULL;

        ring_round(kin_clock_system(), 1 + round % 4, round >= 4);
        assert_code(kin_clock_new_fake(&fake, 0, NULL), 0);
        ring_round(fake, 1 + round % 4, round >= 4);
        kin_clock_unref(fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_all_that_was_posted),
        cmocka_unit_test(stops_beside_posters),
        cmocka_unit_test(alarms_are_set_and_cancelled_by_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
