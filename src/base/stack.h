/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack that grows, for walks that must not recurse. Its items may move with every push.
 */
#ifndef KIN_BASE_STACK_H
#define KIN_BASE_STACK_H

#include "base/memory.h"

typedef struct kin__stack {
    void *items;
    size_t len;
    size_t cap;
    size_t item_size;
} kin__stack;

static inline void kin__stack_init(kin__stack *stack, size_t item_size)
{
    *stack = (kin__stack){NULL, 0, 0, item_size};
}

static inline void kin__stack_done(kin__stack *stack)
{
    kin__free(stack->items);
    kin__stack_init(stack, stack->item_size);
}

/* The last item, which is there. BORROWED until the next push or pop. */
static inline void *kin__stack_top(const kin__stack *stack)
{
    return (char *)stack->items + (stack->len - 1) * stack->item_size;
}

/* Room for one more item, which is not set; NULL: no memory, and nothing has changed. */
static inline void *kin__stack_push(kin__stack *stack)
{
    void *items = kin__grow_array(stack->items, &stack->cap, stack->len + 1, stack->item_size);

    if (!items)
        return NULL;
    stack->items = items;
    stack->len++;
    return kin__stack_top(stack);
}

/* Take the last item off, which is there. BORROWED until the next push. */
static inline void *kin__stack_pop(kin__stack *stack)
{
    void *top = kin__stack_top(stack);

    stack->len--;
    return top;
}

#endif
