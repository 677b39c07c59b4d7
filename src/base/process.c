/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fork detection: a counter that a pthread_atfork() handler moves in the child.
 *
 * The handler is registered when the first guard is made, so that merely loading the
 * library leaves no trace. Two threads that race may register it twice; moving the
 * counter by two tells the child apart just as well. A child made by a bare clone()
 * or vfork() runs no handlers; the former is outside of what the C library supports,
 * the latter may only exec.
 */
#include "base/process.h"

#include <pthread.h>
#include <sys/auxv.h>

#include "base/error.h"

atomic_uint kin__fork_generation;
static atomic_bool registered;

static void in_child(void)
{
    atomic_fetch_add_explicit(&kin__fork_generation, 1, memory_order_relaxed);
}

int kin__fork_guard_init(kin__fork_guard *guard, kin_error *err)
{
    if (!atomic_load_explicit(&registered, memory_order_relaxed)) {
        int os_error = pthread_atfork(NULL, NULL, in_child);

        if (os_error != 0)
            return kin__error_system(err, os_error, "pthread_atfork");
        atomic_store_explicit(&registered, true, memory_order_relaxed);
    }
    guard->generation = atomic_load_explicit(&kin__fork_generation, memory_order_relaxed);
    return 0;
}

int kin__fork_guard_refuse(kin_error *err)
{
    return kin_error_set(err, KIN_EFORKED, "%s", kin_error_string(KIN_EFORKED));
}

bool kin__process_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}
