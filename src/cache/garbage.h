/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block that was taken out of a structure and that readers may still look at: freed later, with
 * kin__free(). The link is the block's first member.
 */
#ifndef KIN_CACHE_GARBAGE_H
#define KIN_CACHE_GARBAGE_H

#include "base/memory.h"

typedef struct kin__garbage {
    struct kin__garbage *next;
} kin__garbage;

static inline void kin__garbage_push(kin__garbage **list, kin__garbage *block)
{
    block->next = *list;
    *list = block;
}

static inline void kin__garbage_free(kin__garbage *list)
{
    while (list) {
        kin__garbage *next = list->next;

        kin__free(list);
        list = next;
    }
}

#endif
