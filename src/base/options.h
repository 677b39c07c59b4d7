/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public structs whose first member is their size. A program that was compiled against an older
 * header has fewer fields, one against a newer header more: the common ones count.
 */
#ifndef KIN_BASE_OPTIONS_H
#define KIN_BASE_OPTIONS_H

#include <string.h>

#include "kinform/error.h"

/*
 * Take what the caller gave: `all` holds the defaults and is of `all_size`. `given` may be NULL.
 * 0, KIN_EINVAL: it has no size; `macro` names what would have set it.
 */
static inline int kin__options_take(void *all, size_t all_size, const void *given,
                                    const char *macro, kin_error *err)
{
    size_t size = all_size;

    if (!given)
        return 0;
    memcpy(&size, given, sizeof(size));
    if (size < sizeof(size))
        return kin_error_set(err, KIN_EINVAL, "a struct that was not begun with %s", macro);
    memcpy(all, given, size < all_size ? size : all_size);
    return 0;
}

/* The opposite: fill in as many fields as the caller's struct has. */
static inline int kin__options_give(void *ret, const void *all, size_t all_size, const char *macro,
                                    kin_error *err)
{
    size_t size = 0;

    memcpy(&size, ret, sizeof(size));
    if (size < sizeof(size))
        return kin_error_set(err, KIN_EINVAL, "a struct that was not begun with %s", macro);
    if (size > all_size)
        size = all_size;
    memcpy((char *)ret + sizeof(size), (const char *)all + sizeof(size), size - sizeof(size));
    return 0;
}

#endif
