/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the library: named, deaf to signals, with a settable stack, joined.
 * The struct stays where it is while the thread runs.
 */
#ifndef KIN_BASE_THREAD_H
#define KIN_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "base/process.h"

typedef struct kin__thread {
    pthread_t id;          /* const while started */
    kin__fork_guard guard; /* const while started */
    bool started;          /* the owner's */
} kin__thread;

typedef void kin__thread_fn(void *arg);

#define KIN__THREAD_INIT ((kin__thread){.started = false})

/*
 * Run fn(arg) in a new thread. The name is COPIED and cut to the 15 bytes the system
 * shows; ours begin with "kin-". 0, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__thread_start(kin__thread *thread, const char *name, kin__thread_fn *fn, void *arg,
                      kin_error *err);

/*
 * Wait for the thread to end; nothing to do if it was never started. 0, or KIN_EFORKED
 * where the thread stayed in the parent process. Not from the thread itself.
 */
int kin__thread_join(kin__thread *thread, kin_error *err);

/*
 * From the thread itself, instead of a join: nobody waits for its end, and the struct may go before
 * it.
 */
void kin__thread_detach(kin__thread *thread);

/* Whether the caller is this thread: a stop from its own callback must not join. */
bool kin__thread_is_current(const kin__thread *thread);

#endif
