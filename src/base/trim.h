/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returning free memory to the kernel after a cache has shrunk, if the program has asked for it with
 * kin_set_memory_trim().
 *
 * Each cache has a footprint: an estimate of its bytes, kept by its only writer. When that has dropped
 * far enough below its peak, a worker calls kin__trim() with no lock held.
 */
#ifndef KIN_BASE_TRIM_H
#define KIN_BASE_TRIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller drops are not worth a trim, in bytes. */
#define KIN__TRIM_MIN (INT64_C(4) << 20)

/* One thread at a time. All zero at the beginning. */
typedef struct kin__footprint {
    int64_t live; /* bytes in use */
    int64_t peak; /* the most since the last kin__footprint_settle() */
} kin__footprint;

/* The cache has grown by `bytes`, which may be negative. */
void kin__footprint_add(kin__footprint *footprint, int64_t bytes);
/* Whether less than half of the peak is in use, and the difference is worth a trim. */
bool kin__footprint_has_dropped(const kin__footprint *footprint);
/* The free memory was returned: the next drop begins here. */
void kin__footprint_settle(kin__footprint *footprint);

/* Whether the program has opted in, and the memory comes from an allocator that can be trimmed. Any thread. */
bool kin__trim_is_on(void);
/*
 * Return the free memory of the process, at most once a minute. 0: done; else the time of the clock
 * from which it is possible again. Any thread, no lock held: others wait in malloc() meanwhile.
 */
int64_t kin__trim(int64_t now);

/* As malloc_trim(). */
typedef int kin__trim_fn(size_t pad);
/* Call this one from now on, and forget when the last trim was. NULL: the C library's. For tests. */
void kin__trim_replace(kin__trim_fn *fn);

#endif
