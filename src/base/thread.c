/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and joining threads.
 *
 * Signals are blocked in the creating thread around pthread_create(), so that the new
 * one is born with them blocked: there is no moment at which it could take one. Those
 * that report a fault of the thread itself stay open, as blocking them makes the kernel
 * kill the process without running a crash handler.
 */
#include "base/thread.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"

/* The library's own frames are small; this leaves room for a handler that is too. */
#define STACK_MIN ((size_t)64 * 1024)
#define NAME_SIZE 16

static atomic_size_t stack_size; /* 0: the system's default */

/* Which thread this is, for those of ours; set before anything else runs in it. */
static _Thread_local const kin__thread *current;

struct start {
    const kin__thread *thread;
    kin__thread_fn *fn;
    void *arg;
    char name[NAME_SIZE];
};

static int set_stack(pthread_attr_t *attr, size_t bytes)
{
    return bytes ? pthread_attr_setstacksize(attr, bytes) : 0;
}

int kin_set_thread_stack_size(size_t bytes, kin_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t rounded = bytes;
    pthread_attr_t attr;

    if (bytes > SIZE_MAX - page)
        return kin_error_set(err, KIN_EINVAL, "a stack of %zu bytes is too large", bytes);
    rounded = (bytes + page - 1) / page * page;
    if (bytes != 0 && rounded < STACK_MIN)
        return kin_error_set(err, KIN_EINVAL, "a stack of %zu bytes is too small, %zu is the least",
                             bytes, STACK_MIN);
    int os_error = pthread_attr_init(&attr);
    if (os_error != 0)
        return kin__error_system(err, os_error, "pthread_attr_init");
    os_error = set_stack(&attr, rounded);
    pthread_attr_destroy(&attr);
    if (os_error != 0)
        return kin_error_set(err, KIN_EINVAL, "the system refuses a stack of %zu bytes", bytes);
    atomic_store_explicit(&stack_size, rounded, memory_order_relaxed);
    return 0;
}

static void *thread_run(void *arg)
{
    struct start start = *(struct start *)arg;

    kin__free(arg);
    current = start.thread;
    pthread_setname_np(pthread_self(), start.name); /* only for people; may fail */
    start.fn(start.arg);
    return NULL;
}

static void asynchronous_signals(sigset_t *set)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

    sigfillset(set);
    for (size_t i = 0; i < kin__array_len(faults); i++)
        sigdelset(set, faults[i]);
}

/* pthread_create() with signals blocked; errno value. */
static int create_blocked(pthread_t *id, struct start *start)
{
    pthread_attr_t attr;
    sigset_t blocked;
    sigset_t before;
    int os_error = pthread_attr_init(&attr);

    if (os_error != 0)
        return os_error;
    os_error = set_stack(&attr, atomic_load_explicit(&stack_size, memory_order_relaxed));
    if (os_error == 0) {
        asynchronous_signals(&blocked);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        os_error = pthread_create(id, &attr, thread_run, start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attr);
    return os_error;
}

int kin__thread_start(kin__thread *thread, const char *name, kin__thread_fn *fn, void *arg,
                      kin_error *err)
{
    int code = kin__fork_guard_init(&thread->guard, err);

    if (code < 0)
        return code;
    struct start *start = kin__malloc(sizeof(*start));
    if (!start)
        return kin__error_no_memory(err);
    start->thread = thread;
    start->fn = fn;
    start->arg = arg;
    snprintf(start->name, sizeof(start->name), "%s", name);
    int os_error = create_blocked(&thread->id, start);
    if (os_error != 0) {
        kin__free(start);
        return kin__error_system(err, os_error, "starting a thread");
    }
    thread->started = true;
    return 0;
}

int kin__thread_join(kin__thread *thread, kin_error *err)
{
    if (!thread->started)
        return 0;
    int code = kin__fork_guard_check(&thread->guard, err);
    if (code == 0) {
        kin__assert(!kin__thread_is_current(thread));
        int os_error = pthread_join(thread->id, NULL);
        if (os_error != 0)
            kin__panic(__FILE__, __LINE__, "pthread_join failed with %d", os_error);
    }
    thread->started = false;
    return code;
}

void kin__thread_detach(kin__thread *thread)
{
    kin__assert(thread->started && kin__thread_is_current(thread));
    pthread_detach(thread->id);
    thread->started = false;
}

bool kin__thread_is_current(const kin__thread *thread)
{
    return current == thread;
}
