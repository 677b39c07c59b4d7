/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the compiler can do for us: hints, container_of, and clang's thread-safety
 * annotations. The annotations are checked by `make lint`; gcc ignores them.
 */
#ifndef KIN_BASE_COMPILER_H
#define KIN_BASE_COMPILER_H

#include <stddef.h>

#define kin__likely(x) __builtin_expect(!!(x), 1)
#define kin__unlikely(x) __builtin_expect(!!(x), 0)
/* Rarely run: keep it out of the way of what is. */
#define KIN_COLD __attribute__((cold, noinline))
#define kin__array_len(a) (sizeof(a) / sizeof((a)[0]))

/* The struct that `ptr`, which may not be NULL, is the member of. */
#define kin__container_of(ptr, type, member)                                                       \
    ((type *)(void *)(((char *)(ptr)) - offsetof(type, member)))

/* Without its const: to count references to what is otherwise never changed. */
static inline void *kin__unconst(const void *ptr)
{
    union {
        const void *in;
        void *out;
    } u = {ptr};

    return u.out;
}

#ifdef __clang__
#define KIN__TSA(x) __attribute__((x))
#else
#define KIN__TSA(x)
#endif

/* On the type of a lock. */
#define KIN_CAPABILITY(name) KIN__TSA(capability(name))
/* On functions: takes, releases, needs a lock, asserts that it is held. */
#define KIN_ACQUIRE(...) KIN__TSA(acquire_capability(__VA_ARGS__))
#define KIN_TRY_ACQUIRE(...) KIN__TSA(try_acquire_capability(__VA_ARGS__))
#define KIN_RELEASE(...) KIN__TSA(release_capability(__VA_ARGS__))
#define KIN_REQUIRES(...) KIN__TSA(requires_capability(__VA_ARGS__))
#define KIN_ASSERT_HELD(...) KIN__TSA(assert_capability(__VA_ARGS__))
/* For the bodies of the lock functions themselves, which the analysis can't see through. */
#define KIN_NO_TSA KIN__TSA(no_thread_safety_analysis)

#endif
