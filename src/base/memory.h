/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All memory of the library comes from here, so that the allocator hook sees it and
 * tests can fail any of it. Sizes of arrays are checked for overflow here and nowhere
 * else. Every function returns NULL when there is no memory.
 */
#ifndef KIN_BASE_MEMORY_H
#define KIN_BASE_MEMORY_H

#include "kinform/memory.h"

/* At least one byte is allocated, so that NULL always means failure. Not zeroed. */
void *kin__malloc(size_t size);
/* Zeroed array of n elements. */
void *kin__calloc(size_t n, size_t size);
/* Resize an array to n elements; on failure the old one stays. */
void *kin__realloc_array(void *ptr, size_t n, size_t size);
void kin__free(void *ptr);
/* The same for memory that held secrets: its first `size` bytes are overwritten first. */
void kin__free_wiped(void *ptr, size_t size);
/* An owned, terminated copy. */
char *kin__memdup_str(kin_str s);
/* The same of a text that may be NULL: *ret is then untouched. 0, KIN_ENOMEM. */
int kin__copy_text(char **ret, const char *text);
/* Whether it comes from the C library: kin_set_allocator() was not called. Any thread. */
bool kin__memory_is_system(void);

/*
 * Make room for `need` elements in a growing array of *cap, at least doubling, so that
 * appending is amortized constant. Returns where the array is now, and sets *cap; on
 * failure NULL, and the old one stays.
 */
void *kin__grow_array(void *array, size_t *cap, size_t need, size_t elem_size);

#endif
