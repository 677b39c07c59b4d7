/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intrusive doubly linked lists: the node is a member of the element, so linking
 * allocates nothing and an element knows how to leave. A list is a node that is
 * linked with itself when empty. An unlinked node is too, so that removing twice
 * and asking "is it in a list" are defined.
 */
#ifndef KIN_BASE_LIST_H
#define KIN_BASE_LIST_H

#include <stdbool.h>

#include "base/compiler.h"

typedef struct kin__list {
    struct kin__list *next;
    struct kin__list *prev;
} kin__list;

static inline void kin__list_init(kin__list *list)
{
    list->next = list;
    list->prev = list;
}

/* For a head: no elements. For a node: in no list. */
static inline bool kin__list_is_empty(const kin__list *list)
{
    return list->next == list;
}

static inline void kin__list_insert_between(kin__list *node, kin__list *prev, kin__list *next)
{
    node->prev = prev;
    node->next = next;
    prev->next = node;
    next->prev = node;
}

static inline void kin__list_push_back(kin__list *head, kin__list *node)
{
    kin__list_insert_between(node, head->prev, head);
}

static inline void kin__list_push_front(kin__list *head, kin__list *node)
{
    kin__list_insert_between(node, head, head->next);
}

static inline void kin__list_remove(kin__list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    kin__list_init(node);
}

/* The first node, unlinked, or NULL. */
static inline kin__list *kin__list_pop_front(kin__list *head)
{
    kin__list *node = head->next;

    if (node == head)
        return NULL;
    kin__list_remove(node);
    return node;
}

/* Append all of `from` to `to`; `from` is empty afterwards. Constant time. */
static inline void kin__list_splice_back(kin__list *to, kin__list *from)
{
    if (kin__list_is_empty(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    kin__list_init(from);
}

/* Visit all nodes; the body may remove the current one. */
#define kin__list_for_each(head, node)                                                             \
    for (kin__list *node = (head)->next, *node##_next = node->next; node != (head);                \
         node = node##_next, node##_next = node->next)

#define kin__list_entry(node, type, member) kin__container_of(node, type, member)

#endif
