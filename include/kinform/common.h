/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What all other headers stand on: linkage, attributes and the string view.
 */
#ifndef KINFORM_COMMON_H
#define KINFORM_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
/** Around all declarations: gives them C linkage in C++. */
#define KIN_BEGIN_DECLS extern "C" {
/** Ends what KIN_BEGIN_DECLS began. */
#define KIN_END_DECLS }
#else
#define KIN_BEGIN_DECLS
#define KIN_END_DECLS
#endif

#if defined(__GNUC__) || defined(__clang__)
/** Marks what the shared library exports; everything else is hidden. */
#define KIN_API __attribute__((visibility("default")))
/** Lets the compiler check a printf-like format against its arguments. */
#define KIN_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
#else
#define KIN_API
#define KIN_PRINTF(fmt_index, first_arg)
#endif

KIN_BEGIN_DECLS

/**
 * A view of bytes that somebody else owns: not terminated, may hold any byte.
 *
 * Passed by value; its layout never changes. The empty string has `len` 0 and any `data`, NULL included.
 * Where a function returns one, its doc says until when the bytes are BORROWED.
 */
typedef struct kin_str {
    const char *data;
    size_t len;
} kin_str;

/**
 * View a terminated string.
 *
 * @param s  BORROWED for as long as the view is used. NULL gives the empty view.
 * @thread any
 */
static inline kin_str kin_str_of(const char *s)
{
    kin_str v;

    v.data = s;
    v.len = s ? strlen(s) : 0;
    return v;
}

/**
 * View `len` bytes.
 *
 * @param data  BORROWED for as long as the view is used.
 * @thread any
 */
static inline kin_str kin_str_make(const char *data, size_t len)
{
    kin_str v;

    v.data = data;
    v.len = len;
    return v;
}

/**
 * Whether two views hold the same bytes.
 *
 * @thread any
 */
static inline bool kin_str_equal(kin_str a, kin_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/** Print a view with printf: `printf("%" KIN_STR_FMT "\n", KIN_STR_ARG(view))`. */
#define KIN_STR_FMT ".*s"
/** The two arguments that KIN_STR_FMT takes; evaluates `v` more than once. Cut at 2 GiB. */
#define KIN_STR_ARG(v) (int)((v).len > 0x7fffffff ? 0x7fffffff : (v).len), ((v).len ? (v).data : "")

KIN_END_DECLS

#endif
