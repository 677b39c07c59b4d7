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

    assert_code(kin__workers_new(&world->workers, "kin-work", max_threads, NULL), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_all_that_was_posted),
        cmocka_unit_test(stops_beside_posters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
