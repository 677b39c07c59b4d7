/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/ring.h"

#include "base/memory.h"

enum {
    CAP_MIN = 16,
    MUCH = 8,    /* room for so many times what was needed is too much */
    LONG = 1024, /* after so many items without a need for it */
    SLACK = 4,   /* then so many times what was needed is kept */
};

void kin__ring_done(kin__ring *ring)
{
    kin__free(ring->items);
    *ring = (kin__ring){NULL, 0, 0, 0, 0, 0};
}

/* To another room, which is large enough. */
static int move(kin__ring *ring, size_t cap)
{
    kin__ring_item *items = kin__realloc_array(NULL, cap, sizeof(*items));

    if (!items)
        return KIN_ENOMEM;
    for (size_t i = 0; i < ring->len; i++)
        items[i] = *kin__ring_at(ring, i);
    kin__free(ring->items);
    ring->items = items;
    ring->cap = cap;
    ring->head = 0;
    return 0;
}

static size_t cap_for(size_t need)
{
    size_t cap = CAP_MIN;

    while (cap < need)
        cap *= 2;
    return cap;
}

static void begin_counting(kin__ring *ring)
{
    ring->peak = ring->len;
    ring->dropped = 0;
}

int kin__ring_reserve(kin__ring *ring, size_t n)
{
    if (n > SIZE_MAX / 4 - ring->len)
        return KIN_ENOMEM;
    if (ring->len + n <= ring->cap)
        return 0;
    if (move(ring, cap_for(ring->len + n)) < 0)
        return KIN_ENOMEM;
    begin_counting(ring);
    return 0;
}

void kin__ring_drop(kin__ring *ring, size_t n)
{
    kin__assert(n <= ring->len);
    if (ring->len > ring->peak)
        ring->peak = ring->len;
    ring->head = (ring->head + n) & (ring->cap - 1);
    ring->len -= n;
    if (ring->peak >= ring->cap / MUCH) {
        begin_counting(ring);
        return;
    }
    ring->dropped += n;
    if (ring->dropped < LONG)
        return;
    /* No room is as good as the same room. */
    if (cap_for(ring->peak * SLACK) < ring->cap)
        (void)move(ring, cap_for(ring->peak * SLACK));
    begin_counting(ring);
}
