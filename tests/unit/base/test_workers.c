/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers and strands: order, turns, threads on demand, and every way to end.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/workers.h"
#include "child.h"
#include "latch.h"
#include "oom.h"

/* A task that notes that it ran, and may do more. */
struct job {
    kin__task task;
    struct scene *scene;
    unsigned id;
    void (*more)(struct job *job);
};

struct scene {
    kin__workers *workers;
    kin__strand strands[3];
    kin_test_latch begun; /* raised by each job and bell that runs */
    kin_test_latch done;  /* raised by each job at its end */
    kin_test_latch gate;  /* what jobs wait for */
    atomic_uint n_run;
    atomic_uint n_dropped;
    unsigned order[64]; /* ids of jobs of strand 0 */
    struct job jobs[64];
    kin_clock *clock;
    struct bell {
        kin__alarm alarm;
        struct scene *scene;
        unsigned id;
        void (*more)(struct bell *bell);
    } bells[6]; /* of strand 0, the last two of strand 1 */
};

static void job_run(kin__task *task, bool dropped)
{
    struct job *job = kin__container_of(task, struct job, task);
    struct scene *scene = job->scene;

    if (dropped) {
        atomic_fetch_add(&scene->n_dropped, 1);
    } else {
        scene->order[atomic_fetch_add(&scene->n_run, 1)] = job->id;
        kin_test_latch_raise(&scene->begun);
        if (job->more)
            job->more(job);
    }
    kin_test_latch_raise(&scene->done);
}

static struct scene *scene_new(unsigned max_threads)
{
    struct scene *scene = calloc(1, sizeof(*scene));

    assert_code(
        kin__workers_new(&scene->workers, "kin-work", max_threads, kin_clock_system(), NULL), 0);
    for (size_t i = 0; i < kin__array_len(scene->strands); i++)
        kin__strand_init(&scene->strands[i], scene->workers);
    kin_test_latch_init(&scene->begun);
    kin_test_latch_init(&scene->done);
    kin_test_latch_init(&scene->gate);
    for (unsigned i = 0; i < kin__array_len(scene->jobs); i++) {
        scene->jobs[i].task.run = job_run;
        scene->jobs[i].scene = scene;
        scene->jobs[i].id = i;
    }
    return scene;
}

static void scene_free(struct scene *scene)
{
    kin__workers_free(scene->workers);
    kin_test_latch_done(&scene->begun);
    kin_test_latch_done(&scene->done);
    kin_test_latch_done(&scene->gate);
    free(scene);
}

static void post(struct scene *scene, unsigned strand, unsigned job)
{
    assert_code(kin__strand_post(&scene->strands[strand], &scene->jobs[job].task), 0);
}

static void wait_until_one_runs(struct scene *scene)
{
    kin_test_latch_wait(&scene->begun, 1);
}

static void wait_for_gate(struct job *job)
{
    kin_test_latch_wait(&job->scene->gate, 1);
}

/* Ends only if another job is at this point at the same time. */
static void meet_another(struct job *job)
{
    kin_test_latch_raise(&job->scene->gate);
    kin_test_latch_wait(&job->scene->gate, 2);
}

static void runs_a_strand_in_order(void **state)
{
    struct scene *scene = scene_new(4);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    for (unsigned i = 0; i < 64; i++)
        post(scene, 0, i);
    kin_test_latch_wait(&scene->done, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(scene->order[i], i);
    scene_free(scene);
}

static void runs_strands_beside_each_other(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = meet_another;
    scene->jobs[1].more = meet_another;
    post(scene, 0, 0);
    post(scene, 1, 1);
    kin_test_latch_wait(&scene->done, 2);
    assert_int_equal(kin__workers_count(scene->workers), 2);
    scene_free(scene);
}

static void goes_on_beside_a_task_that_blocks(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_for_gate;
    post(scene, 0, 0);
    post(scene, 0, 1);
    for (unsigned i = 2; i < 40; i++)
        post(scene, 1 + i % 2, i);
    kin_test_latch_wait(&scene->done, 38);
    assert_int_equal(atomic_load(&scene->n_run), 39);
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 40);
    assert_int_equal(scene->order[39], 1);
    scene_free(scene);
}

/* One worker: strands take turns, task by task. */
static void takes_turns(void **state)
{
    static const unsigned expected[] = {0, 10, 20, 1, 11, 21, 2, 3};
    struct scene *scene = scene_new(0);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_for_gate;
    post(scene, 0, 0);
    wait_until_one_runs(scene);
    for (unsigned i = 1; i <= 3; i++)
        post(scene, 0, i);
    for (unsigned i = 0; i < 2; i++) {
        post(scene, 1, 10 + i);
        post(scene, 2, 20 + i);
    }
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 8);
    for (size_t i = 0; i < kin__array_len(expected); i++)
        assert_int_equal(scene->order[i], expected[i]);
    assert_int_equal(kin__workers_count(scene->workers), 1);
    scene_free(scene);
}

static void starts_threads_when_they_are_needed(void **state)
{
    struct scene *scene = scene_new(3);

    (void)state;
    assert_int_equal(kin__workers_count(scene->workers), 0);
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    assert_int_equal(kin__workers_count(scene->workers), 1);
    for (unsigned i = 0; i < 64; i++)
        post(scene, 0, i);
    kin_test_latch_wait(&scene->done, 64);
    assert_int_equal(kin__workers_count(scene->workers), 1);
    scene_free(scene);
}

static void note_name(struct job *job)
{
    char name[32] = "";

    pthread_getname_np(pthread_self(), name, sizeof(name));
    if (strcmp(name, "kin-work-0") == 0)
        kin_test_latch_raise(&job->scene->gate);
}

static void names_its_threads(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = note_name;
    post(scene, 0, 0);
    kin_test_latch_wait(&scene->gate, 1);
    scene_free(scene);
}

static void post_again(struct job *job)
{
    if (atomic_load(&job->scene->n_run) < 50)
        assert_code(kin__strand_post(&job->scene->strands[0], &job->task), 0);
}

static void lets_a_task_post_itself(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = post_again;
    post(scene, 0, 0);
    kin_test_latch_wait(&scene->done, 50);
    scene_free(scene);
}

/* A strand in memory of its own, that its last task gives back. */
struct short_lived {
    kin__strand strand;
    kin__task task;
    kin_test_latch *done;
};

static void end_strand(kin__task *task, bool dropped)
{
    struct short_lived *own = kin__container_of(task, struct short_lived, task);
    kin_test_latch *done = own->done;

    (void)dropped;
    kin__strand_done(&own->strand);
    free(own);
    kin_test_latch_raise(done);
}

static void lets_a_task_end_its_strand(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    for (unsigned i = 0; i < 100; i++) {
        struct short_lived *own = calloc(1, sizeof(*own));

        kin__strand_init(&own->strand, scene->workers);
        own->task.run = end_strand;
        own->done = &scene->done;
        assert_code(kin__strand_post(&own->strand, &own->task), 0);
    }
    kin_test_latch_wait(&scene->done, 100);
    kin__strand_done(&scene->strands[0]);
    scene_free(scene);
}

/* --- from outside --- */

static void note_where(struct job *job)
{
    if (kin__workers_runs_here(job->scene->workers))
        kin_test_latch_raise(&job->scene->gate);
}

static void knows_its_own_threads(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = note_where;
    post(scene, 0, 0);
    kin_test_latch_wait(&scene->gate, 1);
    assert_false(kin__workers_runs_here(scene->workers));
    scene_free(scene);
}

/* The task says that it has ended; its worker has not let go of the strand yet. */
struct told {
    kin__strand strand;
    kin__task task;
    atomic_bool ended;
};

static void tell_end(kin__task *task, bool dropped)
{
    struct told *told = kin__container_of(task, struct told, task);

    (void)dropped;
    atomic_store(&told->ended, true);
}

static void a_strand_is_ended_by_another_thread(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    for (unsigned i = 0; i < 500; i++) {
        struct told *told = calloc(1, sizeof(*told));

        kin__strand_init(&told->strand, scene->workers);
        told->task.run = tell_end;
        assert_code(kin__strand_post(&told->strand, &told->task), 0);
        while (!atomic_load(&told->ended))
            sched_yield();
        kin__strand_done(&told->strand);
        free(told);
    }
    scene_free(scene);
}

/* --- ending --- */

static void runs_what_was_posted_before_it_stops(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    for (unsigned i = 0; i < 60; i++)
        post(scene, i % 3, i);
    kin__workers_stop(scene->workers, KIN__WORKERS_RUN);
    assert_int_equal(atomic_load(&scene->n_run), 60);
    assert_int_equal(atomic_load(&scene->n_dropped), 0);
    assert_int_equal(kin__workers_count(scene->workers), 0);

    kin_error err = KIN_ERROR_INIT;
    assert_code(kin__strand_post(&scene->strands[0], &scene->jobs[60].task), KIN_ECLOSED);
    assert_code(kin__workers_start(scene->workers, &err), KIN_ECLOSED);
    assert_int_equal(err.code, KIN_ECLOSED);
    kin__workers_stop(scene->workers, KIN__WORKERS_DROP);
    scene_free(scene);
}

static void stop_dropping(struct job *job)
{
    kin__workers_stop(job->scene->workers, KIN__WORKERS_DROP);
}

/* The first task stops the workers from within; all others had not begun. */
static void drops_what_has_not_begun(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_for_gate;
    scene->jobs[1].more = stop_dropping;
    for (unsigned i = 0; i < 10; i++)
        post(scene, 0, i);
    for (unsigned i = 10; i < 20; i++)
        post(scene, 1, i);
    kin_test_latch_raise(&scene->gate);
    kin__workers_stop(scene->workers, KIN__WORKERS_RUN);
    assert_true(atomic_load(&scene->n_dropped) >= 8 + 9);
    assert_int_equal(atomic_load(&scene->n_run) + atomic_load(&scene->n_dropped), 20);
    scene_free(scene);
}

static void wait_and_stop(struct job *job)
{
    wait_for_gate(job);
    stop_dropping(job);
}

static void drops_what_is_left_when_it_is_freed(void **state)
{
    struct scene *scene = scene_new(1);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_and_stop;
    for (unsigned i = 0; i < 10; i++)
        post(scene, i % 3, i);
    wait_until_one_runs(scene);
    kin_test_latch_raise(&scene->gate);
    kin__workers_free(scene->workers);
    assert_int_equal(atomic_load(&scene->n_run), 1);
    assert_int_equal(atomic_load(&scene->n_dropped), 9);
    scene->workers = NULL;
    scene_free(scene);
}

static void free_workers(struct job *job)
{
    kin__workers_free(job->scene->workers);
}

/* Nobody joins the last worker; its memory goes a moment after its last task. */
static void lets_a_task_free_the_workers(void **state)
{
    size_t live = kin_test_alloc_live();

    (void)state;
    for (int round = 0; round < 20; round++) {
        struct scene *scene = scene_new(3);

        assert_code(kin__workers_start(scene->workers, NULL), 0);
        scene->jobs[0].more = meet_another;
        scene->jobs[1].more = meet_another;
        scene->jobs[2].more = free_workers;
        post(scene, 1, 0);
        post(scene, 2, 1);
        kin_test_latch_wait(&scene->gate, 2);
        post(scene, 0, 2);
        kin_test_latch_wait(&scene->done, 3);
        while (kin_test_alloc_live() != live)
            sched_yield();
        scene->workers = NULL;
        scene_free(scene);
    }
}

static void ends_without_ever_having_begun(void **state)
{
    struct scene *scene = scene_new(2);

    (void)state;
    kin__workers_stop(scene->workers, KIN__WORKERS_RUN);
    scene_free(scene);
    kin__workers_free(NULL);
}

static int use_in_child(void *arg)
{
    struct scene *scene = arg;
    kin_error err = KIN_ERROR_INIT;

    if (kin__strand_post(&scene->strands[0], &scene->jobs[1].task) != KIN_EFORKED)
        return 1;
    if (kin__workers_start(scene->workers, &err) != KIN_EFORKED || err.code != KIN_EFORKED)
        return 2;
    kin__strand_done(&scene->strands[0]);
    kin__workers_stop(scene->workers, KIN__WORKERS_RUN);
    kin__workers_free(scene->workers);
    return 0;
}

static void is_dead_in_a_forked_child(void **state)
{
    struct scene *scene = scene_new(1);
    kin_test_child child;

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_for_gate;
    post(scene, 0, 0);
    kin_test_run_child(&child, use_in_child, scene);
    assert_int_equal(child.exit_code, 0);
    kin_test_latch_raise(&scene->gate);
    scene_free(scene);
}

/* --- alarms --- */

static void bell_run(kin__alarm *alarm, bool dropped)
{
    struct bell *bell = kin__container_of(alarm, struct bell, alarm);
    struct scene *scene = bell->scene;

    if (dropped) {
        atomic_fetch_add(&scene->n_dropped, 1);
    } else {
        scene->order[atomic_fetch_add(&scene->n_run, 1)] = 100 + bell->id;
        kin_test_latch_raise(&scene->begun);
        if (bell->more)
            bell->more(bell);
    }
    kin_test_latch_raise(&scene->done);
}

/* With a clock that stands, and a thread that waits. */
static struct scene *timed_scene_new(unsigned max_threads)
{
    struct scene *scene = scene_new(max_threads);

    kin__workers_free(scene->workers);
    assert_code(kin_clock_new_fake(&scene->clock, 0, NULL), 0);
    assert_code(kin__workers_new(&scene->workers, "kin-work", max_threads, scene->clock, NULL), 0);
    for (size_t i = 0; i < kin__array_len(scene->strands); i++)
        kin__strand_init(&scene->strands[i], scene->workers);
    for (unsigned i = 0; i < kin__array_len(scene->bells); i++) {
        assert_code(
            kin__alarm_init(&scene->bells[i].alarm, &scene->strands[i < 4 ? 0 : 1], bell_run, NULL),
            0);
        scene->bells[i].scene = scene;
        scene->bells[i].id = i;
    }
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    return scene;
}

static void timed_scene_free(struct scene *scene)
{
    kin_clock *clock = scene->clock;

    for (unsigned i = 0; scene->workers && i < kin__array_len(scene->bells); i++)
        kin__alarm_done(&scene->bells[i].alarm);
    scene_free(scene);
    kin_clock_unref(clock);
}

static void set(struct scene *scene, unsigned bell, int64_t ns)
{
    assert_code(kin__alarm_set(&scene->bells[bell].alarm, kin_clock_now(scene->clock) + ns), 0);
}

/* A worker waits, and the time goes on. */
static void advance(struct scene *scene, int64_t ns)
{
    assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(scene->clock, ns, NULL), 0);
}

static void rings_at_its_time(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    set(scene, 0, 100);
    advance(scene, 99);
    assert_int_equal(atomic_load(&scene->n_run), 0);
    advance(scene, 1);
    kin_test_latch_wait(&scene->done, 1);
    set(scene, 0, 0);
    kin_test_latch_wait(&scene->done, 2);
    set(scene, 0, -5);
    kin_test_latch_wait(&scene->done, 3);
    timed_scene_free(scene);
}

static void rings_in_the_order_of_time(void **state)
{
    static const unsigned expected[] = {103, 101, 102, 100};
    struct scene *scene = timed_scene_new(3);

    (void)state;
    set(scene, 0, 40);
    set(scene, 1, 20);
    set(scene, 2, 20);
    set(scene, 3, 10);
    advance(scene, 50);
    kin_test_latch_wait(&scene->done, 4);
    for (size_t i = 0; i < kin__array_len(expected); i++)
        assert_int_equal(scene->order[i], expected[i]);
    timed_scene_free(scene);
}

/* The one that keeps the time is told of an earlier one. */
static void an_earlier_alarm_is_not_missed(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    set(scene, 0, 1000);
    assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    set(scene, 1, 10);
    advance(scene, 10);
    kin_test_latch_wait(&scene->done, 1);
    assert_int_equal(scene->order[0], 101);
    advance(scene, 990);
    kin_test_latch_wait(&scene->done, 2);
    timed_scene_free(scene);
}

static void is_moved_if_it_is_set_again(void **state)
{
    struct scene *scene = timed_scene_new(1);

    (void)state;
    set(scene, 0, 10);
    set(scene, 0, 30);
    set(scene, 1, 20);
    advance(scene, 20);
    kin_test_latch_wait(&scene->done, 1);
    assert_int_equal(scene->order[0], 101);
    advance(scene, 10);
    kin_test_latch_wait(&scene->done, 2);
    assert_int_equal(scene->order[1], 100);
    timed_scene_free(scene);
}

/*
 * Due, and waiting for its turn behind a task: it is moved all the same, and so is it cancelled. That it
 * is due is known from the alarm of another strand that rings after it.
 */
static void is_moved_and_cancelled_while_it_waits_for_its_turn(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    scene->jobs[0].more = meet_another;
    scene->jobs[1].more = meet_another;
    post(scene, 0, 0);
    post(scene, 1, 1);
    kin_test_latch_wait(&scene->done, 2);
    kin_test_latch_done(&scene->gate);
    kin_test_latch_init(&scene->gate);
    scene->jobs[2].more = wait_for_gate;
    post(scene, 0, 2);
    kin_test_latch_wait(&scene->begun, 3);
    set(scene, 0, 1);
    set(scene, 1, 1);
    set(scene, 4, 2);
    advance(scene, 2);
    kin_test_latch_wait(&scene->done, 3);
    assert_int_equal(scene->order[3], 104);
    assert_true(kin__alarm_cancel(&scene->bells[0].alarm));
    assert_false(kin__alarm_cancel(&scene->bells[0].alarm));
    set(scene, 1, 5);
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 4);
    post(scene, 0, 3);
    kin_test_latch_wait(&scene->done, 5);
    assert_int_equal(scene->order[4], 3);
    advance(scene, 5);
    kin_test_latch_wait(&scene->done, 6);
    assert_int_equal(scene->order[5], 101);
    timed_scene_free(scene);
}

static void cancel_the_other_strands(struct bell *bell)
{
    if (kin__alarm_cancel(&bell->scene->bells[4].alarm))
        kin_test_latch_raise(&bell->scene->gate);
}

/* Its strand is ready, and waits for the only worker, who takes it back. */
static void is_cancelled_while_its_strand_waits_for_a_worker(void **state)
{
    struct scene *scene = timed_scene_new(1);

    (void)state;
    scene->bells[0].more = cancel_the_other_strands;
    set(scene, 0, 10);
    set(scene, 4, 11);
    advance(scene, 20);
    kin_test_latch_wait(&scene->gate, 1);
    post(scene, 1, 1);
    kin_test_latch_wait(&scene->done, 2);
    assert_int_equal(atomic_load(&scene->n_run), 2);
    assert_int_equal(scene->order[1], 1);
    timed_scene_free(scene);
}

/* The strand has nothing else to do then, and no worker comes for nothing. */
static void a_strand_whose_only_task_was_cancelled_goes_on(void **state)
{
    struct scene *scene = timed_scene_new(1);

    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        set(scene, 0, 10);
        set(scene, 4, 10);
        assert_code(kin_clock_advance(scene->clock, 10, NULL), 0);
        kin__alarm_cancel(&scene->bells[0].alarm);
        kin__alarm_cancel(&scene->bells[4].alarm);
    }
    unsigned before = kin_test_latch_count(&scene->begun);
    post(scene, 0, 0);
    post(scene, 1, 1);
    kin_test_latch_wait(&scene->begun, before + 2);
    timed_scene_free(scene);
}

/* Both are due at once; the first to run takes the other back. */
static void cancel_others(struct bell *bell)
{
    for (unsigned i = 0; i < 4; i++) {
        if (i != bell->id)
            assert_true(kin__alarm_cancel(&bell->scene->bells[i].alarm));
    }
}

static void does_not_run_once_its_strand_has_cancelled_it(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        struct scene *scene = timed_scene_new(3);

        scene->bells[2].more = cancel_others;
        for (unsigned i = 0; i < 4; i++)
            set(scene, i, i == 2 ? 9 : 10);
        advance(scene, 10);
        kin_test_latch_wait(&scene->done, 1);
        post(scene, 0, 0);
        kin_test_latch_wait(&scene->done, 2);
        assert_int_equal(atomic_load(&scene->n_run), 2);
        timed_scene_free(scene);
    }
}

static void set_again(struct bell *bell)
{
    if (atomic_load(&bell->scene->n_run) < 20)
        set(bell->scene, bell->id, 10);
}

static void an_alarm_sets_itself(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    scene->bells[0].more = set_again;
    set(scene, 0, 10);
    for (unsigned i = 1; i <= 20; i++) {
        advance(scene, 10);
        kin_test_latch_wait(&scene->done, i);
    }
    assert_int_equal(atomic_load(&scene->n_run), 20);
    timed_scene_free(scene);
}

/* All workers are busy when it comes due. */
static void is_taken_by_the_next_that_is_free(void **state)
{
    struct scene *scene = timed_scene_new(1);

    (void)state;
    scene->jobs[0].more = wait_for_gate;
    post(scene, 2, 0);
    wait_until_one_runs(scene);
    set(scene, 0, 10);
    assert_code(kin_clock_advance(scene->clock, 10, NULL), 0);
    post(scene, 1, 1);
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 3);
    assert_int_equal(atomic_load(&scene->n_run), 3);
    timed_scene_free(scene);
}

/* The worker that keeps the time gets a task that does not end: another takes over. */
static void the_time_is_kept_by_another(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    scene->jobs[0].more = meet_another;
    scene->jobs[1].more = meet_another;
    post(scene, 1, 0);
    post(scene, 2, 1);
    kin_test_latch_wait(&scene->done, 2);
    set(scene, 0, 10);
    assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_latch_done(&scene->gate);
    kin_test_latch_init(&scene->gate);
    scene->jobs[2].more = wait_for_gate;
    post(scene, 2, 2);
    kin_test_latch_wait(&scene->begun, 3);
    advance(scene, 10);
    kin_test_latch_wait(&scene->done, 3);
    assert_int_equal(scene->order[3], 100);
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 4);
    timed_scene_free(scene);
}

static void bell_meets_another(struct bell *bell)
{
    kin_test_latch_raise(&bell->scene->gate);
    kin_test_latch_wait(&bell->scene->gate, 2);
}

/* Two strands by one ring: there is a thread for each. */
static void alarms_get_as_many_threads_as_tasks(void **state)
{
    struct scene *scene = timed_scene_new(2);

    (void)state;
    scene->bells[0].more = bell_meets_another;
    scene->bells[4].more = bell_meets_another;
    set(scene, 0, 10);
    set(scene, 4, 10);
    advance(scene, 10);
    kin_test_latch_wait(&scene->done, 2);
    assert_int_equal(kin__workers_count(scene->workers), 2);
    timed_scene_free(scene);
}

/* Whether what was posted runs or not: nobody waits for a time. */
static void alarms_are_dropped_at_the_end(void **state)
{
    static const enum kin__workers_end ends[] = {KIN__WORKERS_RUN, KIN__WORKERS_DROP};

    (void)state;
    for (size_t i = 0; i < kin__array_len(ends); i++) {
        struct scene *scene = timed_scene_new(2);

        set(scene, 0, 10);
        set(scene, 1, INT64_MAX - kin_clock_now(scene->clock));
        set(scene, 4, 10);
        assert_true(kin__alarm_cancel(&scene->bells[4].alarm));
        kin__workers_stop(scene->workers, ends[i]);
        assert_int_equal(atomic_load(&scene->n_dropped), 2);
        assert_int_equal(atomic_load(&scene->n_run), 0);
        assert_code(kin__alarm_set(&scene->bells[0].alarm, 0), KIN_ECLOSED);
        assert_false(kin__alarm_cancel(&scene->bells[0].alarm));
        timed_scene_free(scene);
    }
}

static int ring_in_child(void *arg)
{
    struct scene *scene = arg;

    if (kin__alarm_set(&scene->bells[0].alarm, 0) != KIN_EFORKED ||
        kin__alarm_cancel(&scene->bells[0].alarm))
        return 1;
    if (kin__alarm_init(&scene->bells[1].alarm, &scene->strands[0], bell_run, NULL) != KIN_EFORKED)
        return 2;
    kin__alarm_done(&scene->bells[0].alarm);
    kin__workers_free(scene->workers);
    return 0;
}

static void alarms_are_dead_in_a_forked_child(void **state)
{
    struct scene *scene = timed_scene_new(1);
    kin_test_child child;

    (void)state;
    set(scene, 0, 10);
    kin_test_run_child(&child, ring_in_child, scene);
    assert_int_equal(child.exit_code, 0);
    timed_scene_free(scene);
}

/* What was reserved is enough: no memory, and all can be set. */
static void setting_needs_no_memory(void **state)
{
    struct scene *scene = timed_scene_new(1);

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (unsigned i = 0; i < kin__array_len(scene->bells); i++)
        set(scene, i, 10);
    assert_false(kin_test_alloc_disarm());
    advance(scene, 10);
    kin_test_latch_wait(&scene->done, 6);
    timed_scene_free(scene);
}

/* --- memory --- */

static int use_all(void *arg, kin_error *err)
{
    kin__workers *workers = NULL;
    int code = kin__workers_new(&workers, "kin-work", 2, kin_clock_system(), err);

    (void)arg;
    if (code == 0)
        code = kin__workers_start(workers, err);
    if (code == 0) {
        kin__strand strand;
        kin__alarm alarm;

        kin__strand_init(&strand, workers);
        code = kin__alarm_init(&alarm, &strand, bell_run, err);
        if (code == 0)
            kin__alarm_done(&alarm);
        kin__strand_done(&strand);
    }
    kin__workers_free(workers);
    return code;
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use_all, NULL);
}

/* A thread more is a help, not a need. */
static void goes_on_with_the_threads_that_there_are(void **state)
{
    struct scene *scene = scene_new(3);

    (void)state;
    assert_code(kin__workers_start(scene->workers, NULL), 0);
    scene->jobs[0].more = wait_for_gate;
    post(scene, 0, 0);
    wait_until_one_runs(scene);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    post(scene, 1, 1);
    post(scene, 2, 2);
    assert_true(kin_test_alloc_disarm());
    kin_test_latch_raise(&scene->gate);
    kin_test_latch_wait(&scene->done, 3);
    assert_int_equal(kin__workers_count(scene->workers), 1);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_a_strand_in_order),
        cmocka_unit_test(runs_strands_beside_each_other),
        cmocka_unit_test(goes_on_beside_a_task_that_blocks),
        cmocka_unit_test(takes_turns),
        cmocka_unit_test(starts_threads_when_they_are_needed),
        cmocka_unit_test(names_its_threads),
        cmocka_unit_test(lets_a_task_post_itself),
        cmocka_unit_test(lets_a_task_end_its_strand),
        cmocka_unit_test(knows_its_own_threads),
        cmocka_unit_test(a_strand_is_ended_by_another_thread),
        cmocka_unit_test(runs_what_was_posted_before_it_stops),
        cmocka_unit_test(drops_what_has_not_begun),
        cmocka_unit_test(drops_what_is_left_when_it_is_freed),
        cmocka_unit_test(lets_a_task_free_the_workers),
        cmocka_unit_test(ends_without_ever_having_begun),
        cmocka_unit_test(is_dead_in_a_forked_child),
        cmocka_unit_test(rings_at_its_time),
        cmocka_unit_test(rings_in_the_order_of_time),
        cmocka_unit_test(an_earlier_alarm_is_not_missed),
        cmocka_unit_test(is_moved_if_it_is_set_again),
        cmocka_unit_test(is_moved_and_cancelled_while_it_waits_for_its_turn),
        cmocka_unit_test(is_cancelled_while_its_strand_waits_for_a_worker),
        cmocka_unit_test(a_strand_whose_only_task_was_cancelled_goes_on),
        cmocka_unit_test(does_not_run_once_its_strand_has_cancelled_it),
        cmocka_unit_test(an_alarm_sets_itself),
        cmocka_unit_test(is_taken_by_the_next_that_is_free),
        cmocka_unit_test(the_time_is_kept_by_another),
        cmocka_unit_test(alarms_get_as_many_threads_as_tasks),
        cmocka_unit_test(alarms_are_dropped_at_the_end),
        cmocka_unit_test(alarms_are_dead_in_a_forked_child),
        cmocka_unit_test(setting_needs_no_memory),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(goes_on_with_the_threads_that_there_are),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
