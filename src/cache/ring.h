/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of changes of an ordered FIFO. It grows when it is full, and shrinks when it has been much
 * too large for long: a first list of a million objects does not cost its room for ever. Not
 * thread-safe: the owner locks.
 */
#ifndef KIN_CACHE_RING_H
#define KIN_CACHE_RING_H

#include "base/assert.h"
#include "kinform/delta.h"

/* A change, and what was found out about it when it came in. */
typedef struct kin__ring_item {
    const kin_object *object; /* SHARED, the owner's matter */
    const char *key;          /* BORROWED from the object */
    void *entry;              /* what the owner keeps for the key, or NULL */
    uint32_t hash;
    uint16_t key_len;
    uint16_t type; /* kin_delta_type */
} kin__ring_item;

typedef struct kin__ring {
    kin__ring_item *items;
    size_t cap; /* a power of 2, or 0 */
    size_t head;
    size_t len;
    size_t peak;    /* the largest length since the counting below began */
    size_t dropped; /* how many items were since then */
} kin__ring;

/* All zero is an empty ring. The items are the caller's. */
void kin__ring_done(kin__ring *ring);

/* Room for `n` more. 0, or KIN_ENOMEM and nothing has changed. */
int kin__ring_reserve(kin__ring *ring, size_t n);

/* The i-th from the front. */
static inline kin__ring_item *kin__ring_at(const kin__ring *ring, size_t i)
{
    kin__assert(i < ring->len);
    return &ring->items[(ring->head + i) & (ring->cap - 1)];
}

/* To the end, into the room that was made. */
static inline void kin__ring_push(kin__ring *ring, kin__ring_item item)
{
    kin__assert(ring->len < ring->cap);
    ring->items[(ring->head + ring->len++) & (ring->cap - 1)] = item;
}

/* Forget the first `n`. May shrink, for which no memory is no failure. */
void kin__ring_drop(kin__ring *ring, size_t n);

#endif
