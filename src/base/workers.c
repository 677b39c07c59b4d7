/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strands that have tasks and no worker stand in one list, `ready`. A worker takes the first, runs
 * one task of it with no lock held, and puts the strand back at the end if it has more. So a strand
 * is in the list or with one worker, never both, and no strand with many tasks holds others up.
 *
 * A worker is started when more strands are ready than there are workers that run no task. Those
 * that are being made, or were woken and do not run yet, are among these: each will take one. The
 * thread is made with no lock held: posting must not wait for the kernel while others post.
 *
 * | state             | lock    | who changes it                                            |
 * |-------------------|---------|-----------------------------------------------------------|
 * | ready, strands    | lock    | posters, workers                                          |
 * | slots             | lock    | whoever reserves one; its thread is the reserver's to start|
 * | current (of slot) | lock    | its worker; kin__strand_done() from within a task         |
 *
 * Stopping makes the workers run, or drop, what is left, and end. Freed from a task, nobody can
 * join: the threads detach themselves, and the last one gives the memory back.
 */
#include "base/workers.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/thread.h"

struct slot {
    kin__thread thread;
    kin__workers *workers;
    kin__strand *current; /* (lock) whose task runs; NULL: none, or it is gone */
    bool reserved;        /* (lock) a thread runs, or is being made */
    bool left;            /* (lock) it has ended, and waits to be joined */
};

struct kin__workers {
    kin__fork_guard guard;
    char name[16];
    unsigned max_threads; /* const */

    kin__mutex lock;     /* rank WORKERS */
    kin__cond work;      /* a strand is ready, or it was stopped */
    kin__cond made;      /* no thread is being made any more */
    kin__list ready;     /* (lock) strands */
    unsigned n_ready;    /* (lock) */
    unsigned n_reserved; /* (lock) slots */
    unsigned n_making;   /* (lock) threads that are being made */
    unsigned
        n_running;   /* (lock) threads that have not left, those that are being made among them */
    unsigned n_busy; /* (lock) threads that run a task */
    bool stopped;    /* (lock) */
    bool dropping;   /* (lock) */
    bool orphaned;   /* (lock) the last worker frees it */
    struct slot slots[];
};

/* --- life --- */

int kin__workers_new(kin__workers **ret, const char *name, unsigned max_threads, kin_error *err)
{
    size_t n = max_threads > 0 ? max_threads : 1;
    kin__workers *workers;
    int code;

    if (n > (SIZE_MAX - sizeof(*workers)) / sizeof(struct slot))
        return kin__error_no_memory(err);
    workers = kin__calloc(1, sizeof(*workers) + n * sizeof(struct slot));
    if (!workers)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&workers->guard, err);
    if (code < 0) {
        kin__free(workers);
        return code;
    }
    snprintf(workers->name, sizeof(workers->name), "%s", name);
    workers->max_threads = (unsigned)n;
    for (size_t i = 0; i < n; i++)
        workers->slots[i].workers = workers;
    kin__mutex_init(&workers->lock, KIN__RANK_WORKERS);
    kin__cond_init(&workers->work);
    kin__cond_init(&workers->made);
    kin__list_init(&workers->ready);
    *ret = workers;
    return 0;
}

static void destroy(kin__workers *workers)
{
    kin__cond_done(&workers->made);
    kin__cond_done(&workers->work);
    kin__mutex_done(&workers->lock);
    kin__free(workers);
}

/* --- workers --- */

static void put_ready_locked(kin__workers *workers, kin__strand *strand)
    KIN_REQUIRES(workers->lock);
static void put_ready_locked(kin__workers *workers, kin__strand *strand)
{
    kin__list_push_back(&workers->ready, &strand->ready);
    workers->n_ready++;
}

/* The next strand; NULL when it was stopped and nothing is left. */
static kin__strand *take_ready_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static kin__strand *take_ready_locked(kin__workers *workers)
{
    while (kin__list_is_empty(&workers->ready) && !workers->stopped)
        kin__cond_wait(&workers->work, &workers->lock);
    kin__list *node = kin__list_pop_front(&workers->ready);
    if (!node)
        return NULL;
    workers->n_ready--;
    return kin__list_entry(node, kin__strand, ready);
}

/* Run the first task of a strand, which has one, without the lock. */
static void run_one_locked(kin__workers *workers, struct slot *slot, kin__strand *strand)
    KIN_REQUIRES(workers->lock);
static void run_one_locked(kin__workers *workers, struct slot *slot, kin__strand *strand)
{
    kin__task *task = kin__list_entry(strand->tasks.next, kin__task, link);
    bool dropped = workers->dropping;

    kin__list_remove(&task->link);
    slot->current = strand;
    workers->n_busy++;
    kin__mutex_unlock(&workers->lock);
    kin__assert_no_locks();
    task->run(task, dropped);
    kin__mutex_lock(&workers->lock);
    workers->n_busy--;

    bool gone = slot->current == NULL; /* the task may have ended its strand */
    slot->current = NULL;
    if (gone)
        return;
    if (kin__list_is_empty(&strand->tasks))
        strand->busy = false;
    else
        put_ready_locked(workers, strand);
}

/* The thread ends. True if it is the last and nobody waits for it. */
static bool leave_locked(kin__workers *workers, struct slot *slot) KIN_REQUIRES(workers->lock);
static bool leave_locked(kin__workers *workers, struct slot *slot)
{
    workers->n_running--;
    if (!workers->orphaned) {
        slot->left = true;
        return false;
    }
    pthread_detach(pthread_self());
    return workers->n_running == 0;
}

static void worker_run(void *arg)
{
    struct slot *slot = arg;
    kin__workers *workers = slot->workers;
    kin__strand *strand;

    kin__mutex_lock(&workers->lock);
    while ((strand = take_ready_locked(workers)))
        run_one_locked(workers, slot, strand);
    bool last = leave_locked(workers, slot);
    kin__mutex_unlock(&workers->lock);
    if (last)
        destroy(workers);
}

/* --- starting --- */

/* A slot for one more worker, if one is needed; NULL if not. */
static struct slot *reserve_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static struct slot *reserve_locked(kin__workers *workers)
{
    struct slot *slot = workers->slots;

    if (workers->stopped || workers->n_reserved >= workers->max_threads)
        return NULL;
    while (slot->reserved)
        slot++;
    slot->reserved = true;
    workers->n_reserved++;
    workers->n_making++;
    workers->n_running++;
    return slot;
}

static int make_thread(kin__workers *workers, struct slot *slot, kin_error *err)
{
    char name[32];
    int code;

    snprintf(name, sizeof(name), "%s-%u", workers->name, (unsigned)(slot - workers->slots));
    code = kin__thread_start(&slot->thread, name, worker_run, slot, err);
    kin__mutex_lock(&workers->lock);
    if (code < 0) {
        slot->reserved = false;
        workers->n_reserved--;
        workers->n_running--;
    }
    if (--workers->n_making == 0)
        kin__cond_broadcast(&workers->made);
    kin__mutex_unlock(&workers->lock);
    return code;
}

int kin__workers_start(kin__workers *workers, kin_error *err)
{
    struct slot *slot = NULL;
    bool stopped;
    int code = kin__fork_guard_check(&workers->guard, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&workers->lock);
    /* Another that makes the first may fail: then it is for us to try. */
    while (workers->n_making > 0 && workers->n_making == workers->n_reserved)
        kin__cond_wait(&workers->made, &workers->lock);
    stopped = workers->stopped;
    if (workers->n_reserved == 0)
        slot = reserve_locked(workers);
    kin__mutex_unlock(&workers->lock);
    if (stopped)
        return kin_error_set(err, KIN_ECLOSED, "the workers were stopped");
    return slot ? make_thread(workers, slot, err) : 0;
}

unsigned kin__workers_count(kin__workers *workers)
{
    kin__mutex_lock(&workers->lock);
    unsigned n = workers->n_running - workers->n_making;
    kin__mutex_unlock(&workers->lock);
    return n;
}

/* --- strands --- */

void kin__strand_init(kin__strand *strand, kin__workers *workers)
{
    strand->workers = workers;
    kin__list_init(&strand->tasks);
    kin__list_init(&strand->ready);
    strand->busy = false;
}

void kin__strand_done(kin__strand *strand)
{
    kin__workers *workers = strand->workers;

    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return;
    kin__mutex_lock(&workers->lock);
    kin__assert(kin__list_is_empty(&strand->tasks));
    for (unsigned i = 0; strand->busy && i < workers->max_threads; i++) {
        if (workers->slots[i].current == strand) {
            kin__assert(kin__thread_is_current(&workers->slots[i].thread));
            workers->slots[i].current = NULL;
        }
    }
    kin__mutex_unlock(&workers->lock);
}

int kin__strand_post(kin__strand *strand, kin__task *task)
{
    kin__workers *workers = strand->workers;
    struct slot *slot = NULL;
    int code = kin__fork_guard_check(&workers->guard, NULL);

    if (code < 0)
        return code;
    kin__mutex_lock(&workers->lock);
    if (workers->stopped) {
        kin__mutex_unlock(&workers->lock);
        return KIN_ECLOSED;
    }
    kin__assert(workers->n_reserved > 0);
    kin__list_push_back(&strand->tasks, &task->link);
    if (!strand->busy) {
        strand->busy = true;
        put_ready_locked(workers, strand);
        kin__cond_signal(&workers->work);
        if (workers->n_ready > workers->n_running - workers->n_busy)
            slot = reserve_locked(workers);
    }
    kin__mutex_unlock(&workers->lock);
    /* If there can be no more threads, those that are there will do. */
    if (slot)
        make_thread(workers, slot, NULL);
    return 0;
}

/* --- stopping --- */

static bool is_own_task(const kin__workers *workers)
{
    for (unsigned i = 0; i < workers->max_threads; i++) {
        if (kin__thread_is_current(&workers->slots[i].thread))
            return true;
    }
    return false;
}

static void stop(kin__workers *workers, enum kin__workers_end end)
{
    kin__mutex_lock(&workers->lock);
    workers->stopped = true;
    workers->dropping = workers->dropping || end == KIN__WORKERS_DROP;
    kin__cond_broadcast(&workers->work);
    while (workers->n_making > 0)
        kin__cond_wait(&workers->made, &workers->lock);
    kin__mutex_unlock(&workers->lock);
}

static void join_all(kin__workers *workers)
{
    for (unsigned i = 0; i < workers->max_threads; i++)
        kin__thread_join(&workers->slots[i].thread, NULL);
}

void kin__workers_stop(kin__workers *workers, enum kin__workers_end end)
{
    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return;
    stop(workers, end);
    if (!is_own_task(workers))
        join_all(workers);
}

/* The caller is a task. Those that have ended can be joined without waiting; others leave alone. */
static void orphan(kin__workers *workers)
{
    for (unsigned i = 0; i < workers->max_threads; i++) {
        kin__mutex_lock(&workers->lock);
        bool left = workers->slots[i].left;
        workers->orphaned = true;
        kin__mutex_unlock(&workers->lock);
        if (left)
            kin__thread_join(&workers->slots[i].thread, NULL);
    }
}

void kin__workers_free(kin__workers *workers)
{
    if (!workers)
        return;
    if (kin__fork_guard_check(&workers->guard, NULL) < 0) {
        kin__free(workers);
        return;
    }
    stop(workers, KIN__WORKERS_DROP);
    if (is_own_task(workers)) {
        orphan(workers);
        return;
    }
    join_all(workers);
    destroy(workers);
}
