/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Where the library gets its memory.
 *
 * By default from malloc(). A program with an allocator of its own, or a test that
 * wants allocations to fail, replaces the three functions once, before it uses
 * anything else of the library.
 */
#ifndef KINFORM_MEMORY_H
#define KINFORM_MEMORY_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/**
 * A replacement for malloc(). All three functions are needed, are called from any
 * thread, some with a lock of the library held, and must not call the library.
 */
typedef struct kin_allocator {
    size_t size; /**< sizeof(kin_allocator); set by KIN_ALLOCATOR_INIT */
    /** As malloc(); never called with 0. NULL means out of memory. */
    void *(*alloc)(size_t size, void *arg);
    /** As realloc(); `ptr` may be NULL, `size` is never 0. NULL leaves `ptr` as it was. */
    void *(*realloc)(void *ptr, size_t size, void *arg);
    /** As free(); never called with NULL. */
    void (*free)(void *ptr, void *arg);
    void *arg; /**< handed to all three; BORROWED until the process ends */
} kin_allocator;

/* clang-format off */
/** An empty kin_allocator. */
#define KIN_ALLOCATOR_INIT {sizeof(kin_allocator), NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Replace the allocator, for the rest of the process.
 *
 * Possible only before the library's first allocation: memory must go back to where
 * it came from. Must not run at the same time as any other call of the library.
 *
 * @param allocator  COPIED.
 * @return 0, KIN_EINVAL (NULL, or a function is missing), KIN_EBUSY (too late).
 * @thread one, alone
 */
KIN_API int kin_set_allocator(const kin_allocator *allocator, kin_error *err);

/**
 * Return free memory to the kernel after the cache of an informer has shrunk. Off by default.
 *
 * glibc's malloc() keeps the pages of freed blocks. A cache that shrinks from 50,000 objects to 100 thus
 * leaves the process at its peak size. If this is on, an informer whose objects take less than half of
 * their peak, and at least 4 MiB less, calls malloc_trim(). It does so on one of its workers, with no lock
 * of the library held, 5 seconds after the drop and at most once a minute in the process.
 *
 * malloc_trim() works on the whole process: it locks each arena in turn, and a thread of the program
 * that allocates from that arena waits. Measured: about 10 ms in all for 50 MB. Reads of a cache by key
 * do not allocate and do not wait. docs/cache.md has the figures.
 *
 * Without effect where the C library is not glibc, and after kin_set_allocator().
 *
 * @param on  whether informers may call malloc_trim(). May be changed at any time; calls that are under
 *            way go on.
 * @thread any
 */
KIN_API void kin_set_memory_trim(bool on);

/**
 * Give back memory that a function handed out as "OWNED, release with kin_free()".
 *
 * @param ptr  may be NULL.
 * @thread any
 */
KIN_API void kin_free(void *ptr);

KIN_END_DECLS

#endif
