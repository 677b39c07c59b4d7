/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Noticing a fork. Whatever owns threads, locks or descriptors keeps a guard, made with
 * it, and checks the guard first thing in its public functions: in a forked child the
 * threads are gone and the locks are as some other thread left them. Descriptors are shared
 * with the parent: clearing a wake-up there would make the parent deaf.
 *
 * Freeing in the child gives memory back and nothing else: it destroys no lock and no
 * condition (that can block or fail, whoever held them is not there), joins nothing and
 * closes descriptors without using them.
 */
#ifndef KIN_BASE_PROCESS_H
#define KIN_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "kinform/process.h"

typedef struct kin__fork_guard {
    unsigned generation; /* const after init */
} kin__fork_guard;

/* Remember which process this is. 0 or KIN_ENOMEM. */
int kin__fork_guard_init(kin__fork_guard *guard, kin_error *err);

/* How many forks lie between the first process that had a guard and this one. */
extern atomic_uint kin__fork_generation;
/* Says so, and returns KIN_EFORKED. */
int kin__fork_guard_refuse(kin_error *err);

/* Whether this is the process that made the guard. */
static inline bool kin__fork_guard_is_right(const kin__fork_guard *guard)
{
    return kin__likely(guard->generation ==
                       atomic_load_explicit(&kin__fork_generation, memory_order_relaxed));
}

/* 0 in the process that made the guard, KIN_EFORKED in its children. */
static inline int kin__fork_guard_check(const kin__fork_guard *guard, kin_error *err)
{
    return kin__fork_guard_is_right(guard) ? 0 : kin__fork_guard_refuse(err);
}

/*
 * Whether the process has more rights than the user who started it, as a set-user-ID program: the
 * environment is that user's, and must not decide anything.
 */
bool kin__process_is_privileged(void);

#endif
