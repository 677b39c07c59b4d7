/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internal invariants. What a caller of the public API or the other side of a
 * connection can get wrong is an error code, never an assertion.
 *
 * kin__assert() is compiled in where KIN_DEBUG_CHECKS is on (debug, asan, tsan, fuzz
 * builds) and costs nothing in a release build.
 */
#ifndef KIN_BASE_ASSERT_H
#define KIN_BASE_ASSERT_H

#include "base/compiler.h"
#include "kinform/common.h"

/* Say what broke on standard error and abort(). */
_Noreturn void kin__panic(const char *file, int line, const char *fmt, ...) KIN_PRINTF(3, 4);

#if KIN_DEBUG_CHECKS
#define kin__assert(cond)                                                                          \
    (kin__likely(cond) ? (void)0 : kin__panic(__FILE__, __LINE__, "assertion failed: %s", #cond))
#else
/* Keeps the expression compiled, so that it can't rot, and never evaluates it. */
#define kin__assert(cond) ((void)sizeof((cond) ? 1 : 0))
#endif

#endif
