/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of selectors of both kinds.
 */
#ifndef KIN_TEST_SELECTOR_SUPPORT_H
#define KIN_TEST_SELECTOR_SUPPORT_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "kinform/memory.h"
#include "kinform/selector.h"

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

#endif
