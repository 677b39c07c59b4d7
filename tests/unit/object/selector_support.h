/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of selectors of both kinds.
 */
#ifndef KIN_TEST_SELECTOR_SUPPORT_H
#define KIN_TEST_SELECTOR_SUPPORT_H

#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kinform/memory.h"
#include "kinform/selector.h"

/* Threads that use one selector. */
#define SHARERS 4

/* Texts of these lengths, around what labels may have. */
#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10
#define X63 X60 "xxx"
#define X64 X60 "xxxx"
#define X250 X60 X60 X60 X60 X10
#define X253 X250 "xxx"
#define X254 X250 "xxxx"

/* A copy in exactly as much memory as it needs, so that ASan sees reads behind it. */
static inline kin_str bare(const char *data, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, data, len);
    return kin_str_make(copy, len);
}

static inline void drop(kin_str v)
{
    free((void *)(uintptr_t)v.data);
}

static inline void assert_view(kin_str v, const char *expected)
{
    assert_int_equal(v.len, strlen(expected));
    if (v.len)
        assert_memory_equal(v.data, expected, v.len);
}

/* `count` times an item between two texts; '#' in it becomes its number. OWNED. */
static inline char *repeat(const char *before, const char *item, size_t count, const char *behind)
{
    size_t size = strlen(before) + strlen(behind) + count * (strlen(item) + 24) + 1;
    char *text = malloc(size);
    char *at = text;

    assert_non_null(text);
    at += snprintf(at, size, "%s", before);
    for (size_t i = 0; i < count; i++) {
        if (i)
            *at++ = ',';
        for (const char *p = item; *p; p++) {
            if (*p == '#')
                at += snprintf(at, 24, "%zu", i);
            else
                *at++ = *p;
        }
    }
    snprintf(at, size - (size_t)(at - text), "%s", behind);
    return text;
}

/* As many threads as there are references, one for each; use() returns NULL if all was well. */
static inline void share_among_threads(void *(*use)(void *sel), const void *const *refs)
{
    pthread_t threads[SHARERS];

    for (size_t i = 0; i < SHARERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, (void *)(uintptr_t)refs[i]), 0);
    for (size_t i = 0; i < SHARERS; i++) {
        void *failed = NULL;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

#endif
