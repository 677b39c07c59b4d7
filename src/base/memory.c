/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator hook.
 *
 * The functions in force are one static struct that is set before the first
 * allocation and never again, so the hot path reads it without synchronization.
 * `used` makes a late kin_set_allocator() an error instead of memory that goes back
 * to the wrong place. It is written once: threads that allocate only read it.
 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"

static void *default_alloc(size_t size, void *arg)
{
    (void)arg;
    return malloc(size);
}

static void *default_realloc(void *ptr, size_t size, void *arg)
{
    (void)arg;
    return realloc(ptr, size);
}

static void default_free(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

static kin_allocator allocator = {
    sizeof(kin_allocator), default_alloc, default_realloc, default_free, NULL,
};
static atomic_bool used;

static void mark_used(void)
{
    if (kin__unlikely(!atomic_load_explicit(&used, memory_order_relaxed)))
        atomic_store_explicit(&used, true, memory_order_relaxed);
}

int kin_set_allocator(const kin_allocator *replacement, kin_error *err)
{
    /*
     * A program compiled against a newer header may have more fields; none has fewer than the
     * first release.
     */
    if (!replacement || replacement->size < offsetof(kin_allocator, arg) + sizeof(void *) ||
        !replacement->alloc || !replacement->realloc || !replacement->free)
        return kin_error_set(err, KIN_EINVAL, "an allocator needs alloc, realloc and free");
    if (atomic_load_explicit(&used, memory_order_relaxed))
        return kin_error_set(err, KIN_EBUSY, "the library has allocated memory already");
    memcpy(&allocator, replacement,
           replacement->size < sizeof(allocator) ? replacement->size : sizeof(allocator));
    return 0;
}

bool kin__memory_is_system(void)
{
    return allocator.alloc == default_alloc;
}

void kin_free(void *ptr)
{
    kin__free(ptr);
}

void *kin__malloc(size_t size)
{
    mark_used();
    return allocator.alloc(size ? size : 1, allocator.arg);
}

void *kin__calloc(size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    void *ptr = kin__malloc(bytes);
    return ptr ? memset(ptr, 0, bytes) : NULL;
}

void *kin__realloc_array(void *ptr, size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    mark_used();
    return allocator.realloc(ptr, bytes ? bytes : 1, allocator.arg);
}

void kin__free(void *ptr)
{
    if (ptr)
        allocator.free(ptr, allocator.arg);
}

void kin__free_wiped(void *ptr, size_t size)
{
    if (ptr)
        explicit_bzero(ptr, size);
    kin__free(ptr);
}

char *kin__memdup_str(kin_str s)
{
    if (s.len == SIZE_MAX)
        return NULL;
    char *copy = kin__malloc(s.len + 1);

    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.data, s.len);
    copy[s.len] = '\0';
    return copy;
}

int kin__copy_text(char **ret, const char *text)
{
    if (text)
        *ret = kin__memdup_str(kin_str_of(text));
    return !text || *ret ? 0 : KIN_ENOMEM;
}

void *kin__grow_array(void *array, size_t *cap, size_t need, size_t elem_size)
{
    size_t want = *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;

    if (array && need <= *cap)
        return array;
    if (want < need)
        want = need;
    if (want < 8)
        want = 8;
    void *grown = kin__realloc_array(array, want, elem_size);
    if (grown)
        *cap = want;
    return grown;
}
