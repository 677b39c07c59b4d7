/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few threads that run short tasks, in strands.
 *
 * Tasks of one strand run one at a time, in the order in which they were posted, on whichever
 * worker is free: what belongs to a strand needs no lock. Strands run beside each other, as many as
 * there are workers, and take turns task by task. A task that blocks holds its strand and one
 * worker; one that waits for other tasks says so, and another worker takes its place.
 *
 * Tasks are members of the caller's structs: posting allocates nothing and never waits for a task.
 *
 * An alarm is a task with a time. A worker that has nothing to do waits for the earliest one; if all
 * are busy, the next that is free looks for alarms that have come due. There is no thread for time.
 */
#ifndef KIN_BASE_WORKERS_H
#define KIN_BASE_WORKERS_H

#include "base/list.h"
#include "base/timers.h"
#include "kinform/clock.h"

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

typedef struct kin__alarm kin__alarm;
/*
 * As kin__task_fn. `dropped`: the workers were stopped before its time had come, or before its turn.
 */
typedef void kin__alarm_fn(kin__alarm *alarm, bool dropped);

struct kin__alarm {
    kin__task task;      /* (workers' lock) the strand's once it is due */
    kin__timer timer;    /* (workers' lock) the workers' before */
    kin__strand *strand; /* const after init */
    kin__alarm_fn *run;  /* const after init */
    bool dropped;        /* (workers' lock) its time will not come */
};

/*
 * No thread is started yet; there will be up to `max_threads`, at least 1, with the names NAME-0,
 * NAME-1, … Alarms go by `clock`, SHARED. 0, KIN_ENOMEM.
 */
int kin__workers_new(kin__workers **ret, const char *name, unsigned max_threads, kin_clock *clock,
                     kin_error *err);

/*
 * There is a thread: what is posted from now on will run. Whoever posts has called it before, where
 * a failure can be told. 0, KIN_ECLOSED (stopped), KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM. Any
 * thread.
 */
int kin__workers_start(kin__workers *workers, kin_error *err);

enum kin__workers_end {
    KIN__WORKERS_RUN,  /* what was posted runs, then the threads end */
    KIN__WORKERS_DROP, /* what was posted and has not begun is dropped, on the workers too */
    /* Alarms whose time has not come are dropped in any case. */
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

/* Whether the caller is one of the workers: what waits for tasks to end would wait for itself. */
bool kin__workers_runs_here(const kin__workers *workers);

/*
 * A task of theirs that calls this waits for others of their tasks until kin__workers_come_back(): another
 * thread may take its place, so that none of these waits for it in turn. There is at least one, or it is
 * made; that is waited for. Nothing happens in other threads. Once in a task at a time, no lock held.
 */
void kin__workers_step_aside(kin__workers *workers);
void kin__workers_come_back(kin__workers *workers);

/* How many threads there may be, beside those that step aside. */
unsigned kin__workers_max(const kin__workers *workers);
/* How many threads there are. For tests. */
unsigned kin__workers_count(kin__workers *workers);

void kin__strand_init(kin__strand *strand, kin__workers *workers);
/*
 * Nothing is posted, it has no alarms, and no task runs, but maybe the one that calls it. The memory may
 * go then. If the worker of its last task has not let go of it yet, it waits for that moment.
 */
void kin__strand_done(kin__strand *strand);

/* Whether the caller is a task or an alarm of this strand. Any thread. */
bool kin__strand_runs_here(const kin__strand *strand);

/*
 * Let a task run, behind all that were posted before; it must not be posted already. 0, KIN_ECLOSED
 * (the workers were stopped: it is still the caller's), KIN_EFORKED. Any thread, any lock of a
 * lower rank held.
 */
int kin__strand_post(kin__strand *strand, kin__task *task);

/*
 * Make an alarm of a strand. Its memory is reserved here, so that setting it cannot fail. 0,
 * KIN_ENOMEM, KIN_EFORKED. Any thread.
 */
int kin__alarm_init(kin__alarm *alarm, kin__strand *strand, kin__alarm_fn *run, kin_error *err);
/* It is not set any more, and the memory may go. From its own strand, or when that is idle. */
void kin__alarm_done(kin__alarm *alarm);

/*
 * Let an alarm run at `deadline` of the workers' clock, or soon if that has passed: behind what was
 * posted to its strand by then. One that is set already, or due and waiting for its turn, is moved.
 * 0, KIN_ECLOSED (the workers were stopped: it will not run, unless it is being dropped), KIN_EFORKED.
 * Any thread, any lock of a lower rank held; workers were started.
 */
int kin__alarm_set(kin__alarm *alarm, int64_t deadline);

/*
 * It is not to run. Whether it was set: then it will not run. If not, it has run, or was never set, or,
 * seen from another thread than its strand's, it may be running. Any thread, as kin__alarm_set().
 */
bool kin__alarm_cancel(kin__alarm *alarm);

#endif
