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
 * | timers            | lock    | whoever sets alarms; workers, when they are due           |
 * | slots             | lock    | whoever reserves one; its thread is the reserver's to start|
 * | current (of slot) | lock    | its worker; kin__strand_done() from within a task         |
 *
 * Of the workers that have nothing to do, one keeps the time: it waits until the earliest alarm is
 * due. When it gets something else to do, it wakes another to take over. A worker that comes from a
 * task looks for alarms that are due before it looks for strands.
 *
 * A worker whose task waits for other tasks steps aside: it does not count as one of `max_threads` until
 * it comes back, so that another may be made in its place. When it is back there is one too many: whoever
 * looks for work next parks, until somebody steps aside again.
 *
 * Stopping makes the workers run, or drop, what is left, and end. Freed from a task, nobody can
 * join: the threads detach themselves, and the last one gives the memory back.
 */
#include "base/workers.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/thread.h"

/* Until somebody who waits, and without whom nothing is done, tries to make a thread again. */
#define REPLACE_EVERY (10 * KIN__MILLISECOND)

struct slot {
    kin__thread thread;
    kin__workers *workers;
    kin__list link;       /* (lock) */
    unsigned number;      /* const */
    kin__strand *current; /* (lock) whose task runs; NULL: none, or it is gone */
    bool reserved;        /* (lock) a thread runs, or is being made */
    bool left;            /* (lock) it has ended, and waits to be joined */
};

struct kin__workers {
    kin__fork_guard guard;
    char name[16];
    unsigned max_threads; /* const */
    kin_clock *clock;     /* const */

    kin__mutex lock;     /* rank WORKERS */
    kin__cond work;      /* a strand is ready, an alarm comes earlier, or it was stopped */
    kin__cond made;      /* no thread is being made any more, or none is left */
    kin__cond room;      /* one that is parked may work, or it was stopped */
    kin__cond let_go;    /* a worker has returned from a task, and somebody waits for that */
    kin__list ready;     /* (lock) strands */
    unsigned n_ready;    /* (lock) */
    kin__list slots;     /* (lock) const once all threads have left; never less */
    unsigned n_slots;    /* (lock) */
    unsigned n_reserved; /* (lock) slots */
    unsigned n_making;   /* (lock) threads that are being made */
    unsigned
        n_running;     /* (lock) threads that have not left, those that are being made among them */
    unsigned n_busy;   /* (lock) threads that run a task */
    unsigned n_aside;  /* (lock) threads whose task waits for others: these are busy, too */
    unsigned n_parked; /* (lock) threads for which there is no room */
    unsigned n_waiting;  /* (lock) threads that wait for work */
    unsigned n_ending;   /* (lock) threads that wait for let_go */
    kin__timers timers;  /* (lock) alarms that are set */
    size_t n_alarms;     /* (lock) that there are; so many have room in `timers` */
    int64_t kept;        /* (lock) until when the one that keeps the time waits; INT64_MAX: none */
    bool stopped;        /* (lock) */
    bool dropping;       /* (lock) */
    bool orphaned;       /* (lock) the last worker frees it */
    struct slot first[]; /* as many slots as there are threads unless one steps aside */
};

/* Whose worker this thread is; NULL: nobody's. */
static _Thread_local const kin__workers *here;
/* The strand whose task this thread runs; NULL: none. */
static _Thread_local const kin__strand *here_strand;

/* --- life --- */

static struct slot *slot_of(kin__list *node)
{
    return kin__list_entry(node, struct slot, link);
}

/* With the lock, or before anybody else knows of it. */
static void add_slot(kin__workers *workers, struct slot *slot)
{
    slot->workers = workers;
    slot->number = workers->n_slots++;
    kin__list_push_back(&workers->slots, &slot->link);
}

/* Those that were made for workers that stepped aside. */
static void free_slots(kin__workers *workers)
{
    kin__list_for_each(&workers->slots, node) {
        if (slot_of(node)->number >= workers->max_threads)
            kin__free(slot_of(node));
    }
}

int kin__workers_new(kin__workers **ret, const char *name, unsigned max_threads, kin_clock *clock,
                     kin_error *err)
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
    workers->clock = kin_clock_ref(clock);
    workers->kept = INT64_MAX;
    kin__list_init(&workers->slots);
    for (size_t i = 0; i < n; i++)
        add_slot(workers, &workers->first[i]);
    kin__mutex_init(&workers->lock, KIN__RANK_WORKERS);
    kin__cond_init(&workers->work);
    kin__cond_init(&workers->made);
    kin__cond_init(&workers->room);
    kin__cond_init(&workers->let_go);
    kin__list_init(&workers->ready);
    kin__timers_init(&workers->timers);
    *ret = workers;
    return 0;
}

static void destroy(kin__workers *workers)
{
    free_slots(workers);
    kin__cond_done(&workers->let_go);
    kin__cond_done(&workers->room);
    kin__cond_done(&workers->made);
    kin__cond_done(&workers->work);
    kin__mutex_done(&workers->lock);
    kin__timers_done(&workers->timers);
    kin_clock_unref(workers->clock);
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

/* Whether one more strand waits for a worker. */
static bool push_locked(kin__workers *workers, kin__strand *strand, kin__task *task)
    KIN_REQUIRES(workers->lock);
static bool push_locked(kin__workers *workers, kin__strand *strand, kin__task *task)
{
    kin__list_push_back(&strand->tasks, &task->link);
    if (strand->busy)
        return false;
    strand->busy = true;
    put_ready_locked(workers, strand);
    kin__cond_signal(&workers->work);
    return true;
}

/* Alarms that are due become tasks of their strands. Whether more strands are ready now. */
static bool ring_locked(kin__workers *workers, int64_t now, bool dropped)
    KIN_REQUIRES(workers->lock);
static bool ring_locked(kin__workers *workers, int64_t now, bool dropped)
{
    kin__timer *timer;
    bool any = false;

    while ((timer = kin__timers_pop(&workers->timers, now))) {
        kin__alarm *alarm = kin__container_of(timer, kin__alarm, timer);

        alarm->dropped = dropped;
        any |= push_locked(workers, alarm->strand, &alarm->task);
    }
    return any;
}

/* Until there may be something to do. */
static void wait_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static void wait_locked(kin__workers *workers)
{
    int64_t next = kin__timers_next(&workers->timers);

    workers->n_waiting++;
    if (workers->kept == INT64_MAX && next != INT64_MAX) {
        workers->kept = next;
        kin__cond_wait_until(&workers->work, &workers->lock, workers->clock, next);
        workers->kept = INT64_MAX;
    } else {
        kin__cond_wait(&workers->work, &workers->lock);
    }
    workers->n_waiting--;
}

static bool ring_due_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static bool ring_due_locked(kin__workers *workers)
{
    return kin__timers_next(&workers->timers) != INT64_MAX &&
           ring_locked(workers, kin_clock_now(workers->clock), false);
}

static void alarm_run(kin__task *task, bool dropped)
{
    kin__alarm *alarm = kin__container_of(task, kin__alarm, task);

    alarm->run(alarm, dropped);
}

/* Whether it is an alarm whose time will not come. */
static bool is_late_locked(kin__workers *workers, kin__task *task) KIN_REQUIRES(workers->lock);
static bool is_late_locked(kin__workers *workers, kin__task *task)
{
    (void)workers;
    return task->run == alarm_run && kin__container_of(task, kin__alarm, task)->dropped;
}

/* Run the first task of a strand, which has one, without the lock. */
static void run_one_locked(kin__workers *workers, struct slot *slot, kin__strand *strand)
    KIN_REQUIRES(workers->lock);
static void run_one_locked(kin__workers *workers, struct slot *slot, kin__strand *strand)
{
    kin__task *task = kin__list_entry(strand->tasks.next, kin__task, link);
    bool dropped = workers->dropping || is_late_locked(workers, task);

    kin__list_remove(&task->link);
    slot->current = strand;
    workers->n_busy++;
    kin__mutex_unlock(&workers->lock);
    kin__assert_no_locks();
    here_strand = strand;
    task->run(task, dropped);
    here_strand = NULL;
    kin__mutex_lock(&workers->lock);
    workers->n_busy--;

    bool gone = slot->current == NULL; /* the task may have ended its strand */
    slot->current = NULL;
    if (gone)
        return;
    if (workers->n_ending > 0)
        kin__cond_broadcast(&workers->let_go);
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
    if (workers->n_running == 0)
        kin__cond_broadcast(&workers->made);
    if (!workers->orphaned) {
        slot->left = true;
        return false;
    }
    pthread_detach(pthread_self());
    return workers->n_running == 0;
}

static void worker_run(void *arg);

/* --- starting --- */

/* So many work, or will as soon as they can, beside those that stepped aside. */
static unsigned n_active_locked(const kin__workers *workers) KIN_REQUIRES(workers->lock);
static unsigned n_active_locked(const kin__workers *workers)
{
    return workers->n_running - workers->n_aside - workers->n_parked;
}

/* A slot that has no thread; NULL: there is no memory. */
static struct slot *find_slot_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static struct slot *find_slot_locked(kin__workers *workers)
{
    struct slot *slot;

    kin__list_for_each(&workers->slots, node) {
        if (!slot_of(node)->reserved)
            return slot_of(node);
    }
    slot = kin__calloc(1, sizeof(*slot));
    if (slot)
        add_slot(workers, slot);
    return slot;
}

/* A slot for one more worker, for which there is room; NULL: there is no memory. */
static struct slot *reserve_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static struct slot *reserve_locked(kin__workers *workers)
{
    struct slot *slot = find_slot_locked(workers);

    if (!slot)
        return NULL;
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

    snprintf(name, sizeof(name), "%s-%u", workers->name, slot->number);
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

/* A slot for one more, if more strands are ready than there are workers for them; NULL if not. */
static struct slot *reserve_help_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static struct slot *reserve_help_locked(kin__workers *workers)
{
    unsigned n_free = workers->n_running - workers->n_busy - workers->n_parked;

    if (workers->stopped || workers->n_ready <= n_free ||
        workers->n_reserved - workers->n_aside >= workers->max_threads)
        return NULL;
    return reserve_locked(workers);
}

/*
 * Until a strand is ready, or it was stopped. Alarms may make more ready than there are workers that
 * wait; another thread for these is made before one of them is taken, since the lock is dropped for it.
 */
static void wait_ready_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static void wait_ready_locked(kin__workers *workers)
{
    for (;;) {
        bool more = ring_due_locked(workers);
        struct slot *help = more ? reserve_help_locked(workers) : NULL;

        if (help) {
            kin__mutex_unlock(&workers->lock);
            make_thread(workers, help, NULL);
            kin__mutex_lock(&workers->lock);
        } else if (kin__list_is_empty(&workers->ready) && !workers->stopped) {
            wait_locked(workers);
        } else {
            return;
        }
    }
}

/* There was a thread in the place of another, which is back. Others see to what is ready, and the time. */
static void park_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static void park_locked(kin__workers *workers)
{
    kin__cond_signal(&workers->work);
    workers->n_parked++;
    while (!workers->stopped && n_active_locked(workers) >= workers->max_threads)
        kin__cond_wait(&workers->room, &workers->lock);
    workers->n_parked--;
}

/* The next strand; NULL when it was stopped and nothing is left. */
static kin__strand *take_ready_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static kin__strand *take_ready_locked(kin__workers *workers)
{
    wait_ready_locked(workers);
    while (!workers->stopped && n_active_locked(workers) > workers->max_threads) {
        park_locked(workers);
        wait_ready_locked(workers);
    }
    /* Who goes to work cannot keep the time. */
    if (workers->kept == INT64_MAX && workers->n_waiting > 0 &&
        kin__timers_next(&workers->timers) != INT64_MAX)
        kin__cond_signal(&workers->work);
    kin__list *node = kin__list_pop_front(&workers->ready);
    if (!node)
        return NULL;
    workers->n_ready--;
    return kin__list_entry(node, kin__strand, ready);
}

static void worker_run(void *arg)
{
    struct slot *slot = arg;
    kin__workers *workers = slot->workers;
    kin__strand *strand;

    here = workers;
    kin__mutex_lock(&workers->lock);
    while ((strand = take_ready_locked(workers)))
        run_one_locked(workers, slot, strand);
    bool last = leave_locked(workers, slot);
    kin__mutex_unlock(&workers->lock);
    if (last)
        destroy(workers);
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
    if (workers->n_reserved == 0 && !stopped)
        slot = reserve_locked(workers);
    kin__mutex_unlock(&workers->lock);
    if (stopped)
        return kin_error_set(err, KIN_ECLOSED, "the workers were stopped");
    return slot ? make_thread(workers, slot, err) : 0;
}

unsigned kin__workers_max(const kin__workers *workers)
{
    return workers->max_threads;
}

unsigned kin__workers_count(kin__workers *workers)
{
    kin__mutex_lock(&workers->lock);
    unsigned n = workers->n_running - workers->n_making;
    kin__mutex_unlock(&workers->lock);
    return n;
}

/* --- stepping aside --- */

/*
 * Somebody is there who is not aside: parked ones come back, since there is room. Also when it was stopped:
 * what is ready would wait for ever. Without a thread it is tried again and again, since nothing else can be
 * done; whoever is made otherwise will do, too.
 */
static void replace_locked(kin__workers *workers) KIN_REQUIRES(workers->lock);
static void replace_locked(kin__workers *workers)
{
    while (workers->n_running - workers->n_making <= workers->n_aside) {
        struct slot *slot = workers->n_making == 0 ? reserve_locked(workers) : NULL;
        int code = KIN_ENOMEM;

        if (slot) {
            kin__mutex_unlock(&workers->lock);
            code = make_thread(workers, slot, NULL);
            kin__mutex_lock(&workers->lock);
        }
        if (code < 0)
            kin__cond_wait_until(&workers->made, &workers->lock, kin_clock_system(),
                                 kin__clock_deadline(kin_clock_system(), REPLACE_EVERY));
    }
}

void kin__workers_step_aside(kin__workers *workers)
{
    struct slot *help;

    if (!kin__workers_runs_here(workers))
        return;
    kin__mutex_lock(&workers->lock);
    workers->n_aside++;
    kin__cond_signal(&workers->room);
    replace_locked(workers);
    help = workers->n_parked == 0 ? reserve_help_locked(workers) : NULL;
    kin__mutex_unlock(&workers->lock);
    if (help)
        make_thread(workers, help, NULL);
}

void kin__workers_come_back(kin__workers *workers)
{
    if (!kin__workers_runs_here(workers))
        return;
    kin__mutex_lock(&workers->lock);
    workers->n_aside--;
    kin__mutex_unlock(&workers->lock);
}

/* --- strands --- */

void kin__strand_init(kin__strand *strand, kin__workers *workers)
{
    strand->workers = workers;
    kin__list_init(&strand->tasks);
    kin__list_init(&strand->ready);
    strand->busy = false;
}

/* The worker that runs its last task, or has not returned from it; NULL if there is none. */
static struct slot *runner_of_locked(kin__workers *workers, const kin__strand *strand)
    KIN_REQUIRES(workers->lock);
static struct slot *runner_of_locked(kin__workers *workers, const kin__strand *strand)
{
    if (!strand->busy)
        return NULL;
    kin__list_for_each(&workers->slots, node) {
        if (slot_of(node)->current == strand)
            return slot_of(node);
    }
    return NULL;
}

void kin__strand_done(kin__strand *strand)
{
    kin__workers *workers = strand->workers;
    struct slot *slot;

    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return;
    kin__mutex_lock(&workers->lock);
    kin__assert(kin__list_is_empty(&strand->tasks));
    while ((slot = runner_of_locked(workers, strand)) && !kin__thread_is_current(&slot->thread)) {
        workers->n_ending++;
        kin__cond_wait(&workers->let_go, &workers->lock);
        workers->n_ending--;
    }
    if (slot)
        slot->current = NULL;
    kin__mutex_unlock(&workers->lock);
}

bool kin__strand_runs_here(const kin__strand *strand)
{
    return here_strand == strand;
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
    if (push_locked(workers, strand, task))
        slot = reserve_help_locked(workers);
    kin__mutex_unlock(&workers->lock);
    /* If there can be no more threads, those that are there will do. */
    if (slot)
        make_thread(workers, slot, NULL);
    return 0;
}

/* --- alarms --- */

int kin__alarm_init(kin__alarm *alarm, kin__strand *strand, kin__alarm_fn *run, kin_error *err)
{
    kin__workers *workers = strand->workers;
    int code = kin__fork_guard_check(&workers->guard, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&workers->lock);
    code = kin__timers_reserve(&workers->timers, workers->n_alarms + 1);
    if (code == 0)
        workers->n_alarms++;
    kin__mutex_unlock(&workers->lock);
    if (code < 0)
        return kin__error_no_memory(err);
    alarm->task.run = alarm_run;
    kin__list_init(&alarm->task.link);
    kin__timer_init(&alarm->timer);
    alarm->strand = strand;
    alarm->run = run;
    alarm->dropped = false;
    return 0;
}

/* Whether it was due and had not begun; its strand may have nothing to do any more. */
static bool unpost_locked(kin__workers *workers, kin__alarm *alarm) KIN_REQUIRES(workers->lock);
static bool unpost_locked(kin__workers *workers, kin__alarm *alarm)
{
    kin__strand *strand = alarm->strand;

    if (kin__list_is_empty(&alarm->task.link))
        return false;
    kin__list_remove(&alarm->task.link);
    if (kin__list_is_empty(&strand->tasks) && !kin__list_is_empty(&strand->ready)) {
        kin__list_remove(&strand->ready);
        workers->n_ready--;
        strand->busy = false;
    }
    return true;
}

static bool cancel_locked(kin__workers *workers, kin__alarm *alarm) KIN_REQUIRES(workers->lock);
static bool cancel_locked(kin__workers *workers, kin__alarm *alarm)
{
    bool set = kin__timer_is_set(&alarm->timer);

    kin__timers_cancel(&workers->timers, &alarm->timer);
    return unpost_locked(workers, alarm) || set;
}

void kin__alarm_done(kin__alarm *alarm)
{
    kin__workers *workers = alarm->strand->workers;

    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return;
    kin__mutex_lock(&workers->lock);
    cancel_locked(workers, alarm);
    workers->n_alarms--;
    kin__mutex_unlock(&workers->lock);
}

int kin__alarm_set(kin__alarm *alarm, int64_t deadline)
{
    kin__workers *workers = alarm->strand->workers;
    int code = kin__fork_guard_check(&workers->guard, NULL);

    if (code < 0)
        return code;
    kin__mutex_lock(&workers->lock);
    if (workers->stopped) {
        kin__mutex_unlock(&workers->lock);
        return KIN_ECLOSED;
    }
    kin__assert(workers->n_reserved > 0);
    unpost_locked(workers, alarm);
    code = kin__timers_set(&workers->timers, &alarm->timer, deadline);
    kin__assert(code == 0);
    (void)code;
    /* Nobody waits for it if all wait for work alone, or the one that keeps the time for too long. */
    if (deadline < workers->kept && workers->n_waiting > 0)
        kin__cond_broadcast(&workers->work);
    kin__mutex_unlock(&workers->lock);
    return 0;
}

bool kin__alarm_cancel(kin__alarm *alarm)
{
    kin__workers *workers = alarm->strand->workers;

    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return false;
    kin__mutex_lock(&workers->lock);
    bool was_set = cancel_locked(workers, alarm);
    kin__mutex_unlock(&workers->lock);
    return was_set;
}

/* --- stopping --- */

bool kin__workers_runs_here(const kin__workers *workers)
{
    return here == workers;
}

static void stop(kin__workers *workers, enum kin__workers_end end)
{
    kin__mutex_lock(&workers->lock);
    workers->stopped = true;
    ring_locked(workers, INT64_MAX, true);
    workers->dropping = workers->dropping || end == KIN__WORKERS_DROP;
    kin__cond_broadcast(&workers->work);
    kin__cond_broadcast(&workers->room);
    while (workers->n_making > 0)
        kin__cond_wait(&workers->made, &workers->lock);
    kin__mutex_unlock(&workers->lock);
}

/* One that steps aside meanwhile may be replaced; when all have left there are no more. */
static void join_all(kin__workers *workers)
{
    kin__mutex_lock(&workers->lock);
    while (workers->n_running > 0 || workers->n_making > 0)
        kin__cond_wait(&workers->made, &workers->lock);
    kin__mutex_unlock(&workers->lock);
    kin__list_for_each(&workers->slots, node)
        kin__thread_join(&slot_of(node)->thread, NULL);
}

void kin__workers_stop(kin__workers *workers, enum kin__workers_end end)
{
    if (kin__fork_guard_check(&workers->guard, NULL) < 0)
        return;
    stop(workers, end);
    if (!kin__workers_runs_here(workers))
        join_all(workers);
}

/* The caller is a task. Those that have ended can be joined without waiting; others leave alone. */
static void orphan(kin__workers *workers)
{
    kin__mutex_lock(&workers->lock);
    workers->orphaned = true;
    /* Slots come at the end, and none goes. */
    for (kin__list *node = workers->slots.next; node != &workers->slots; node = node->next) {
        bool left = slot_of(node)->left;

        kin__mutex_unlock(&workers->lock);
        if (left)
            kin__thread_join(&slot_of(node)->thread, NULL);
        kin__mutex_lock(&workers->lock);
    }
    kin__mutex_unlock(&workers->lock);
}

void kin__workers_free(kin__workers *workers)
{
    if (!workers)
        return;
    if (kin__fork_guard_check(&workers->guard, NULL) < 0) {
        free_slots(workers);
        kin__timers_done(&workers->timers);
        kin_clock_unref(workers->clock);
        kin__free(workers);
        return;
    }
    stop(workers, KIN__WORKERS_DROP);
    if (kin__workers_runs_here(workers)) {
        orphan(workers);
        return;
    }
    join_all(workers);
    destroy(workers);
}
