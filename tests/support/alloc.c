/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counting and failing allocator. Threads: any; all state is atomic, so that
 * scenarios may have threads of their own.
 */
#include "alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinform/memory.h"

static atomic_size_t live;
static atomic_size_t live_bytes;
static atomic_size_t count;
static atomic_size_t fail_at; /* 0: never */
static atomic_int fail_mode;
static atomic_bool failed;

static const char *_Atomic marker; /* NULL: none is looked for */
static atomic_size_t n_marked;

/* A block is about to be given back. */
static void look_for_marker(void *ptr)
{
    const char *text = atomic_load(&marker);

    if (text && memmem(ptr, malloc_usable_size(ptr), text, strlen(text)))
        atomic_fetch_add(&n_marked, 1);
}

/* While a marker is looked for memory is zeroed: others leave theirs in what malloc() gives. */
static void *fresh(size_t size)
{
    void *ptr = malloc(size);

    if (ptr && atomic_load(&marker))
        memset(ptr, 0, malloc_usable_size(ptr));
    return ptr;
}

/* As realloc(), but what was there before is looked at. */
static void *moving_realloc(void *ptr, size_t size)
{
    size_t old = malloc_usable_size(ptr);
    void *moved = fresh(size);

    if (!moved)
        return NULL;
    memcpy(moved, ptr, old < size ? old : size);
    look_for_marker(ptr);
    free(ptr);
    return moved;
}

/* Whether the allocation asked for now is to fail. */
static bool is_to_fail(void)
{
    size_t n = atomic_fetch_add(&count, 1) + 1;
    size_t at = atomic_load(&fail_at);
    bool fails = at != 0 && (n == at || (n > at && atomic_load(&fail_mode) == KIN_TEST_FAIL_REST));

    if (fails)
        atomic_store(&failed, true);
    return fails;
}

static void *counting_alloc(size_t size, void *arg)
{
    (void)arg;
    void *ptr = is_to_fail() ? NULL : fresh(size);

    if (ptr) {
        atomic_fetch_add(&live, 1);
        atomic_fetch_add(&live_bytes, malloc_usable_size(ptr));
    }
    return ptr;
}

static void *counting_realloc(void *ptr, size_t size, void *arg)
{
    (void)arg;
    bool is_new = ptr == NULL;
    size_t before = malloc_usable_size(ptr);
    void *grown = NULL;

    if (!is_to_fail())
        grown = is_new                  ? fresh(size)
                : !atomic_load(&marker) ? realloc(ptr, size)
                                        : moving_realloc(ptr, size);
    if (grown) {
        atomic_fetch_add(&live, is_new);
        atomic_fetch_add(&live_bytes, malloc_usable_size(grown) - before);
    }
    return grown;
}

static void counting_free(void *ptr, void *arg)
{
    (void)arg;
    atomic_fetch_sub(&live, 1);
    atomic_fetch_sub(&live_bytes, malloc_usable_size(ptr));
    look_for_marker(ptr);
    free(ptr);
}

void kin_test_alloc_install(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;
    kin_error err = KIN_ERROR_INIT;

    allocator.alloc = counting_alloc;
    allocator.realloc = counting_realloc;
    allocator.free = counting_free;
    if (kin_set_allocator(&allocator, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
}

size_t kin_test_alloc_live(void)
{
    return atomic_load(&live);
}

size_t kin_test_alloc_bytes(void)
{
    return atomic_load(&live_bytes);
}

size_t kin_test_alloc_count(void)
{
    return atomic_load(&count);
}

void kin_test_alloc_arm(size_t n, enum kin_test_alloc_mode mode)
{
    atomic_store(&count, 0);
    atomic_store(&failed, false);
    atomic_store(&fail_mode, mode);
    atomic_store(&fail_at, n);
}

bool kin_test_alloc_disarm(void)
{
    atomic_store(&fail_at, 0);
    return atomic_load(&failed);
}

bool kin_test_alloc_has_failed(void)
{
    return atomic_load(&failed);
}

void kin_test_alloc_look_for(const char *text)
{
    atomic_store(&n_marked, 0);
    atomic_store(&marker, text);
}

size_t kin_test_alloc_found(void)
{
    return atomic_load(&n_marked);
}
