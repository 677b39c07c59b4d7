/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All state below belongs to the thread that has the baton, so it needs no lock. Handing the baton over is the only
 * real synchronization: a futex per thread.
 *
 * A mutex is one word in the memory of the pthread mutex, a condition needs none: the table of
 * threads, which is short, says for which address a thread waits. So static initializers work, and nothing is left to free.
 */
#include "scheduler.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "rng.h"

enum { MAX_THREADS = 1024 };
/* Simulated time that a step takes at most. */
enum { STEP_NS = 2000 };
#define NEVER INT64_MAX
/* New threads have higher priorities, those that lost the baton lower ones. */
#define LOWEST (UINT64_C(1) << 32)

enum state { RUNNABLE, WAITING, ENDED };

struct thread {
    enum state state;
    const void *on;   /* waiting: a mutex, condition, futex, thread; NULL: only for the time */
    const char *what; /* waiting: for the report of a deadlock */
    int64_t deadline;
    bool timed_out;
    uint64_t priority;
    _Atomic uint32_t baton; /* 1: it may run */
    pthread_t id;
    char name[16];
    void *(*fn)(void *);
    void *arg;
};

static struct {
    bool began;
    sim_schedule how;
    kin_test_rng rng;   /* decisions */
    kin_test_rng bytes; /* what getrandom() returns */
    int64_t now;
    uint64_t steps;
    uint64_t max_steps;
    uint64_t switches;
    uint64_t lowest; /* priority so far */
    sim_stopped_fn *stopped;
    struct thread *threads[MAX_THREADS];
    size_t n_threads;
} sim;

static _Thread_local struct thread *self;

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
int __real_pthread_detach(pthread_t);
int __real_pthread_setname_np(pthread_t, const char *);
long __real_syscall(long number, ...);
int __real_clock_gettime(clockid_t id, struct timespec *ret);
long __real_sysconf(int name);

/* --- the baton --- */

static void give_baton(struct thread *to)
{
    atomic_store(&to->baton, 1);
    __real_syscall(SYS_futex, &to->baton, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

static void await_baton(struct thread *thread)
{
    const struct timespec *for_ever = NULL;

    while (atomic_load(&thread->baton) == 0)
        __real_syscall(SYS_futex, &thread->baton, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, for_ever);
}

static void switch_to(struct thread *to)
{
    struct thread *from = self;

    if (to == from)
        return;
    atomic_store(&from->baton, 0);
    give_baton(to);
    if (from->state != ENDED)
        await_baton(from);
}

/* --- decisions --- */

static void stop(sim_stop why)
{
    static char text[16384];
    size_t len = 0;

    for (size_t i = 0; i < sim.n_threads && len < sizeof(text) - 128; i++) {
        const struct thread *t = sim.threads[i];

        if (t->state != ENDED)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "  %-15s %s%s\n", t->name,
                                    t->state == RUNNABLE ? "runs" : "waits for ",
                                    t->state == RUNNABLE ? "" : t->what);
    }
    sim.stopped(why, text);
    abort();
}

static void wake_due(void)
{
    for (size_t i = 0; i < sim.n_threads; i++) {
        struct thread *t = sim.threads[i];

        if (t->state == WAITING && t->deadline <= sim.now) {
            t->state = RUNNABLE;
            t->timed_out = true;
        }
    }
}

static void jump_to_next_deadline(void)
{
    int64_t next = NEVER;

    for (size_t i = 0; i < sim.n_threads; i++) {
        if (sim.threads[i]->state == WAITING && sim.threads[i]->deadline < next)
            next = sim.threads[i]->deadline;
    }
    if (next == NEVER)
        stop(SIM_DEADLOCK);
    if (next > sim.now)
        sim.now = next;
    wake_due();
}

static struct thread *pick(void)
{
    struct thread *best = NULL;
    size_t n = 0;

    for (size_t i = 0; i < sim.n_threads; i++) {
        struct thread *t = sim.threads[i];

        if (t->state != RUNNABLE)
            continue;
        n++;
        if (sim.how.by_priority ? !best || t->priority > best->priority
                                : kin_test_below(&sim.rng, n) == 0)
            best = t;
    }
    return best;
}

static void count_step(void)
{
    if (++sim.steps > sim.max_steps)
        stop(SIM_LIVELOCK);
    if (sim.steps == sim.how.die_at)
        stop(SIM_DEATH);
    sim.now += (int64_t)kin_test_below(&sim.rng, STEP_NS);
    wake_due();
}

/* The thread cannot go on: another one does, until this one is runnable and picked. */
static void give_way(void)
{
    struct thread *next;

    count_step();
    while (!(next = pick()))
        jump_to_next_deadline();
    switch_to(next);
}

void sim_yield(void)
{
    bool loses;

    if (!sim.began)
        return;
    count_step();
    loses = kin_test_below(&sim.rng, 1024) < sim.how.switch_of_1024 &&
            sim.switches < sim.how.max_switches;
    sim.switches += loses;
    if (loses)
        self->priority = --sim.lowest;
    if (loses || sim.how.by_priority)
        switch_to(pick());
}

bool sim_wait(const void *on, const char *what, int64_t deadline)
{
    self->on = on;
    self->what = what;
    self->deadline = deadline;
    self->timed_out = false;
    self->state = WAITING;
    give_way();
    self->on = NULL;
    self->deadline = NEVER;
    return !self->timed_out;
}

void sim_wake(const void *on)
{
    for (size_t i = 0; i < sim.n_threads; i++) {
        struct thread *t = sim.threads[i];

        if (t->state == WAITING && t->on == on)
            t->state = RUNNABLE;
    }
}

static void wake_one(const void *on)
{
    struct thread *chosen = NULL;
    size_t n = 0;

    for (size_t i = 0; i < sim.n_threads; i++) {
        struct thread *t = sim.threads[i];

        if (t->state == WAITING && t->on == on && kin_test_below(&sim.rng, ++n) == 0)
            chosen = t;
    }
    if (chosen)
        chosen->state = RUNNABLE;
}

/* --- the module's own functions --- */

static struct thread *add_thread(const char *name)
{
    struct thread *t = calloc(1, sizeof(*t));

    if (!t || sim.n_threads == MAX_THREADS) {
        fputs("simulation: too many threads\n", stderr);
        abort();
    }
    t->deadline = NEVER;
    t->priority = LOWEST + kin_test_below(&sim.rng, LOWEST);
    snprintf(t->name, sizeof(t->name), "%s", name);
    sim.threads[sim.n_threads++] = t;
    return t;
}

void sim_begin(const sim_schedule *schedule, uint64_t max_steps, sim_stopped_fn *stopped)
{
    sim.how = *schedule;
    sim.rng.state = schedule->seed;
    sim.bytes.state = schedule->seed ^ UINT64_C(0x5eed);
    sim.now = schedule->start_ns;
    sim.max_steps = max_steps;
    sim.stopped = stopped;
    sim.lowest = LOWEST;
    self = add_thread("main");
    self->id = pthread_self();
    atomic_store(&self->baton, 1);
    sim.began = true;
}

void sim_survive(void)
{
    sim.how.die_at = 0;
}

void sim_sleep(int64_t ns)
{
    sim_wait(NULL, "a time", sim.now + ns);
}

int64_t sim_now(void)
{
    return sim.now;
}

uint64_t sim_steps(void)
{
    return sim.steps;
}

uint64_t sim_switches(void)
{
    return sim.switches;
}

const char *sim_thread_name(void)
{
    return self ? self->name : "main";
}

void sim_set_thread_name(const char *name)
{
    snprintf(self->name, sizeof(self->name), "%s", name);
}

/* --- mutexes: their first word is 1 while one is held --- */

static int *word_of(void *object)
{
    return object;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    memset(mutex, 0, sizeof(pthread_mutex_t));
    return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    return *word_of(mutex) ? EBUSY : 0;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    sim_yield();
    while (*word_of(mutex))
        sim_wait(mutex, "a mutex", NEVER);
    *word_of(mutex) = 1;
    return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    sim_yield();
    if (*word_of(mutex))
        return EBUSY;
    *word_of(mutex) = 1;
    return 0;
}

static void unlock(pthread_mutex_t *mutex)
{
    *word_of(mutex) = 0;
    sim_wake(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    unlock(mutex);
    sim_yield();
    return 0;
}

/* --- conditions --- */

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    (void)attributes;
    memset(cond, 0, sizeof(pthread_cond_t));
    return 0;
}

int __wrap_pthread_cond_destroy(pthread_cond_t *cond)
{
    (void)cond;
    return 0;
}

static int cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline)
{
    bool woken = true;

    unlock(mutex);
    /* Waking for no reason is allowed, and rare. */
    if (kin_test_below(&sim.rng, 512) == 0)
        sim_yield();
    else
        woken = sim_wait(cond, "a condition", deadline);
    while (*word_of(mutex))
        sim_wait(mutex, "a mutex", NEVER);
    *word_of(mutex) = 1;
    return woken ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    return cond_wait(cond, mutex, NEVER);
}

static int64_t ns_of(const struct timespec *at)
{
    return at ? (int64_t)at->tv_sec * 1000000000 + at->tv_nsec : NEVER;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                  const struct timespec *at)
{
    return cond_wait(cond, mutex, ns_of(at));
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
    wake_one(cond);
    return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond)
{
    sim_wake(cond);
    return 0;
}

int __wrap_pthread_once(pthread_once_t *once, void (*fn)(void))
{
    enum { RUNS = 1, DONE = 2 };

    while (*once == RUNS)
        sim_wait(once, "an initialization", NEVER);
    if (*once == DONE)
        return 0;
    *once = RUNS;
    fn();
    *once = DONE;
    sim_wake(once);
    return 0;
}

/* --- threads --- */

static void *run(void *arg)
{
    struct thread *t = arg;

    self = t;
    await_baton(t);
    void *result = t->fn(t->arg);
    t->state = ENDED;
    sim_wake(t);
    give_way();
    return result;
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*fn)(void *),
                          void *arg)
{
    struct thread *t = add_thread("thread");

    t->fn = fn;
    t->arg = arg;
    int os_error = __real_pthread_create(&t->id, attributes, run, t);
    if (os_error != 0) {
        t->state = ENDED;
        return os_error;
    }
    *id = t->id;
    sim_yield();
    return 0;
}

static struct thread *find(pthread_t id)
{
    for (size_t i = sim.n_threads; i > 0; i--) {
        if (pthread_equal(sim.threads[i - 1]->id, id))
            return sim.threads[i - 1];
    }
    return NULL;
}

int __wrap_pthread_join(pthread_t id, void **result)
{
    struct thread *t = find(id);

    if (!t)
        return ESRCH;
    while (t->state != ENDED)
        sim_wait(t, t->name, NEVER);
    int os_error = __real_pthread_join(id, result);
    /* The system may use the id again. */
    memset(&t->id, 0, sizeof(t->id));
    return os_error;
}

int __wrap_pthread_detach(pthread_t id)
{
    return __real_pthread_detach(id);
}

int __wrap_pthread_setname_np(pthread_t id, const char *name)
{
    struct thread *t = find(id);

    if (t)
        snprintf(t->name, sizeof(t->name), "%s", name);
    return __real_pthread_setname_np(id, name);
}

/* --- the kernel: futexes, clocks, random bytes --- */

long __wrap_syscall(long number, ...)
{
    va_list args;

    va_start(args, number);
    uint32_t *word = va_arg(args, uint32_t *);
    int op = va_arg(args, int) & ~FUTEX_PRIVATE_FLAG;
    uint32_t value = va_arg(args, uint32_t);
    const struct timespec *at = va_arg(args, const struct timespec *);
    va_end(args);
    if (number != SYS_futex || (op != FUTEX_WAKE && op != FUTEX_WAIT_BITSET)) {
        fprintf(stderr, "simulation: system call %ld is not simulated\n", number);
        abort();
    }
    if (op == FUTEX_WAKE) {
        wake_one(word);
        sim_yield();
        return 1;
    }
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        sim_wait(word, "a futex", ns_of(at));
    return 0;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
    int64_t ns =
        id == CLOCK_REALTIME ? sim.now - sim.how.start_ns + sim.how.start_unix_ns : sim.now;

    if (!sim.began)
        return __real_clock_gettime(id, ret);
    ret->tv_sec = (time_t)(ns / 1000000000);
    ret->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags)
{
    unsigned char *bytes = to;

    (void)flags;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)kin_test_random(&sim.bytes);
    return (ssize_t)len;
}

/* The number of cores decides how many workers there are. */
long __wrap_sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN ? 4 : __real_sysconf(name);
}

/* --- the library's own check before it takes a lock: also quick locks, whose fast path is inline --- */

void __real_kin__lock_check(const void *lock, int rank);

void __wrap_kin__lock_check(const void *lock, int rank)
{
    sim_yield();
    __real_kin__lock_check(lock, rank);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
