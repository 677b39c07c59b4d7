/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The library as a guest in your process: threads and forks.
 *
 * - Threads are made only when something runs. They are named, block signals,
 *   and are joined when that something stops. (Signals that report a fault of the thread
 *   itself, SIGSEGV and its kin, stay unblocked, so that crash handlers work.)
 * - fork(): what was made before it answers KIN_EFORKED in the child instead of
 *   hanging on a thread that is not there. The child may make everything anew.
 * - dlopen(): fine. The library stays in memory after dlclose().
 * - Every descriptor is close-on-exec. The locale is never changed and never matters.
 */
#ifndef KINFORM_PROCESS_H
#define KINFORM_PROCESS_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/**
 * Set the stack size of the threads that the library makes from now on.
 *
 * The default is the system's, usually 8 MiB of address space of which only the touched
 * pages cost memory. The library's own code runs in 64 KiB; the rest is for your handlers.
 *
 * @param bytes  0 for the system's default; rounded up to whole pages.
 * @return 0, KIN_EINVAL (below 64 KiB or beyond what the system takes), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_set_thread_stack_size(size_t bytes, kin_error *err);

KIN_END_DECLS

#endif
