/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few threads that run short tasks, in strands.
 *
 * Tasks of one strand run one at a time, in the order in which they were posted, on whichever
 * worker is free: what belongs to a strand needs no lock. Strands run beside each other, as many as
 * there are workers, and take turns task by task. A task that blocks holds its strand and one
 * worker.
 *
 * Tasks are members of the caller's structs: posting allocates nothing and never waits for a task.
 */
#ifndef KIN_BASE_WORKERS_H
#define KIN_BASE_WORKERS_H

#include "base/list.h"
#include "kinform/error.h"

typedef struct kin__workers kin__workers;

typedef struct kin__task kin__task;
/*
 * Runs on a worker with no lock held. The task may be posted again, or its memory given back.
 * `dropped`: the workers were stopped before its turn, so that it only lets go of what it holds.
 */
typedef void kin__task_fn(kin__task *task, bool dropped);

struct kin__task {
    kin__list link; /* the strand's while it is posted */
    kin__task_fn *run;
};

typedef struct kin__strand {
    kin__workers *workers; /* const after init */
    kin__list tasks;       /* (workers' lock) */
    kin__list ready;       /* (workers' lock) in the list of those that wait for a worker */
    bool busy;             /* (workers' lock) waits for a worker, or has one */
} kin__strand;

/*
 * No thread is started yet; there will be up to `max_threads`, at least 1, with the names NAME-0,
 * NAME-1, … 0, KIN_ENOMEM.
 */
int kin__workers_new(kin__workers **ret, const char *name, unsigned max_threads, kin_error *err);

/*
 * There is a thread: what is posted from now on will run. Whoever posts has called it before, where
 * a failure can be told. 0, KIN_ECLOSED (stopped), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM. Any
 * thread.
 */
int kin__workers_start(kin__workers *workers, kin_error *err);

enum kin__workers_end {
    KIN__WORKERS_RUN,  /* what was posted runs, then the threads end */
    KIN__WORKERS_DROP, /* what was posted and has not begun is dropped, on the workers too */
};

/*
 * Take no more tasks, and wait until the threads have ended. From a task of its own it does not
 * wait. To run first and drop later is possible. Not by several threads at once.
 */
void kin__workers_stop(kin__workers *workers, enum kin__workers_end end);

/*
 * Stop it, dropping what is posted, and release it. From a task of its own it returns at once, and
 * the last worker releases it. Strands must not be used any more, but by tasks that are dropped.
 * May be NULL.
 */
void kin__workers_free(kin__workers *workers);

/* How many threads there are. For tests. */
unsigned kin__workers_count(kin__workers *workers);

void kin__strand_init(kin__strand *strand, kin__workers *workers);
/* Nothing is posted and no task runs, but maybe the one that calls it. The memory may go then. */
void kin__strand_done(kin__strand *strand);

/*
 * Let a task run, behind all that were posted before; it must not be posted already. 0, KIN_ECLOSED
 * (the workers were stopped: it is still the caller's), KIN_EFORKED. Any thread, any lock of a
 * lower rank held.
 */
int kin__strand_post(kin__strand *strand, kin__task *task);

#endif
