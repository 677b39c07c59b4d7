/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that wait for other tasks of the same workers: they step aside, and others take their place.
 */
#include "kin_test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/workers.h"
#include "latch.h"

enum { N_JOBS = 3 };

/* Each job has a strand of its own. */
struct job {
    kin__task task;
    kin__strand strand;
    struct scene *scene;
    void (*more)(struct job *job);
    struct job *next;   /* whom it waits for; NULL: nobody */
    kin_test_latch ran; /* it has */
};

struct scene {
    kin__workers *workers;
    struct job jobs[N_JOBS];
    atomic_bool is_first_over;
    atomic_bool was_second_early;
    kin_test_latch stopping;
};

static void job_run(kin__task *task, bool dropped)
{
    struct job *job = kin__container_of(task, struct job, task);

    (void)dropped;
    if (job->more)
        job->more(job);
    kin_test_latch_raise(&job->ran);
}

static struct scene *scene_new(unsigned max_threads)
{
    struct scene *scene = calloc(1, sizeof(*scene));

    assert_code(
        kin__workers_new(&scene->workers, "kin-work", max_threads, kin_clock_system(), NULL), 0);
    kin_test_latch_init(&scene->stopping);
    for (size_t i = 0; i < N_JOBS; i++) {
        struct job *job = &scene->jobs[i];

        kin__strand_init(&job->strand, scene->workers);
        job->task.run = job_run;
        job->scene = scene;
        kin_test_latch_init(&job->ran);
    }
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    return scene;
}

static void scene_free(struct scene *scene)
{
    kin__workers_free(scene->workers);
    for (size_t i = 0; i < N_JOBS; i++)
        kin_test_latch_done(&scene->jobs[i].ran);
    kin_test_latch_done(&scene->stopping);
    free(scene);
}

static void post(struct job *job)
{
    assert_code(kin__strand_post(&job->strand, &job->task), 0);
}

static void wait_for_next(struct job *job)
{
    post(job->next);
    kin__workers_step_aside(job->scene->workers);
    kin_test_latch_wait(&job->next->ran, 1);
    kin__workers_come_back(job->scene->workers);
}

/* One worker, and each job waits for the next. */
static void a_task_waits_for_others(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    for (size_t i = 0; i + 1 < N_JOBS; i++) {
        scene->jobs[i].more = wait_for_next;
        scene->jobs[i].next = &scene->jobs[i + 1];
    }
    post(&scene->jobs[0]);
    kin_test_latch_wait(&scene->jobs[0].ran, 1);
    assert_int_equal(kin__workers_count(scene->workers), N_JOBS);
    scene_free(scene);
}

/* What was posted before is not forgotten. */
static void step_aside_late(struct job *job)
{
    post(job->next);
    post(&job->scene->jobs[2]);
    kin__workers_step_aside(job->scene->workers);
    kin_test_latch_wait(&job->next->ran, 1);
    kin_test_latch_wait(&job->scene->jobs[2].ran, 1);
    kin__workers_come_back(job->scene->workers);
}

static void the_same_threads_step_in_again(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    scene->jobs[0].more = step_aside_late;
    scene->jobs[0].next = &scene->jobs[1];
    for (unsigned i = 0; i < 100; i++) {
        post(&scene->jobs[0]);
        kin_test_latch_wait(&scene->jobs[0].ran, i + 1);
        kin_test_latch_wait(&scene->jobs[2].ran, i + 1);
    }
    assert_int_equal(kin__workers_count(scene->workers), 2);
    scene_free(scene);
}

static void go_first(struct job *job)
{
    post(job->next);
    for (unsigned i = 0; i < 1000; i++)
        sched_yield();
    atomic_store(&job->scene->is_first_over, true);
}

static void go_second(struct job *job)
{
    if (!atomic_load(&job->scene->is_first_over))
        atomic_store(&job->scene->was_second_early, true);
}

/* Whoever stepped in steps back: one worker is one at a time. */
static void there_are_no_more_than_before(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    scene->jobs[0].more = wait_for_next;
    scene->jobs[0].next = &scene->jobs[1];
    post(&scene->jobs[0]);
    kin_test_latch_wait(&scene->jobs[0].ran, 1);
    assert_int_equal(kin__workers_count(scene->workers), 2);
    scene->jobs[0].more = go_first;
    scene->jobs[1].more = go_second;
    for (unsigned i = 0; i < 50; i++) {
        atomic_store(&scene->is_first_over, false);
        post(&scene->jobs[0]);
        kin_test_latch_wait(&scene->jobs[1].ran, i + 2);
        kin_test_latch_wait(&scene->jobs[0].ran, i + 2);
    }
    assert_false(atomic_load(&scene->was_second_early));
    scene_free(scene);
}

/* There is no memory for a thread at first. */
static void wait_without_memory(struct job *job)
{
    post(job->next);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    kin__workers_step_aside(job->scene->workers);
    kin_test_latch_wait(&job->next->ran, 1);
    kin__workers_come_back(job->scene->workers);
}

static void a_thread_is_made_in_the_end(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    scene->jobs[0].more = wait_without_memory;
    scene->jobs[0].next = &scene->jobs[1];
    post(&scene->jobs[0]);
    kin_test_latch_wait(&scene->jobs[0].ran, 1);
    assert_true(kin_test_alloc_disarm());
    scene_free(scene);
}

static void wait_until_stopped(struct job *job)
{
    struct job *probe = &job->scene->jobs[2];

    post(job->next);
    kin_test_latch_raise(&job->scene->stopping);
    while (kin__strand_post(&probe->strand, &probe->task) == 0) {
        kin__workers_step_aside(job->scene->workers);
        kin_test_latch_wait(&probe->ran, 1);
        kin__workers_come_back(job->scene->workers);
        kin_test_latch_done(&probe->ran);
        kin_test_latch_init(&probe->ran);
        sched_yield();
    }
    kin__workers_step_aside(job->scene->workers);
    kin_test_latch_wait(&job->next->ran, 1);
    kin__workers_come_back(job->scene->workers);
}

/* The workers are stopped while one has stepped aside, and before that. */
static void who_waits_is_not_forgotten_at_the_end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        struct scene *scene = scene_new(1);

        scene->jobs[0].more = wait_until_stopped;
        scene->jobs[0].next = &scene->jobs[1];
        post(&scene->jobs[0]);
        kin_test_latch_wait(&scene->stopping, 1);
        kin__workers_stop(scene->workers, i % 2 ? KIN__WORKERS_RUN : KIN__WORKERS_DROP);
        kin_test_latch_wait(&scene->jobs[0].ran, 1);
        scene_free(scene);
    }
}

/* Whoever is no worker has no place that another could take. */
static void others_do_not_step_aside(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    kin__workers_step_aside(scene->workers);
    post(&scene->jobs[0]);
    kin_test_latch_wait(&scene->jobs[0].ran, 1);
    kin__workers_come_back(scene->workers);
    assert_int_equal(kin__workers_count(scene->workers), 1);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_waits_for_others),
        cmocka_unit_test(the_same_threads_step_in_again),
        cmocka_unit_test(there_are_no_more_than_before),
        cmocka_unit_test(a_thread_is_made_in_the_end),
        cmocka_unit_test(who_waits_is_not_forgotten_at_the_end),
        cmocka_unit_test(others_do_not_step_aside),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
