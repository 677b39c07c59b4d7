/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary heap of timers. Each timer knows its place, so that cancelling and moving
 * are O(log n) without a search. The heap counts from 1: the parent of i is i / 2,
 * and place 0 means "not in the heap".
 */
#include "base/timers.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

void kin__timers_init(kin__timers *timers)
{
    memset(timers, 0, sizeof(*timers));
}

void kin__timers_done(kin__timers *timers)
{
    kin__free(timers->heap);
    kin__timers_init(timers);
}

static bool before(const kin__timer *a, const kin__timer *b)
{
    return a->deadline < b->deadline || (a->deadline == b->deadline && a->order < b->order);
}

static void place_timer(kin__timers *timers, kin__timer *timer, size_t place)
{
    timers->heap[place - 1] = timer;
    timer->place = place;
}

/* Move a timer from `place` to where it belongs between there and the root or the leaves. */
static void sift(kin__timers *timers, kin__timer *timer, size_t place)
{
    while (place > 1 && before(timer, timers->heap[place / 2 - 1])) {
        place_timer(timers, timers->heap[place / 2 - 1], place);
        place /= 2;
    }
    for (;;) {
        size_t child = place * 2;

        if (child > timers->len)
            break;
        if (child < timers->len && before(timers->heap[child], timers->heap[child - 1]))
            child++;
        if (!before(timers->heap[child - 1], timer))
            break;
        place_timer(timers, timers->heap[child - 1], place);
        place = child;
    }
    place_timer(timers, timer, place);
}

int kin__timers_reserve(kin__timers *timers, size_t n)
{
    kin__timer **heap = kin__grow_array(timers->heap, &timers->cap, n, sizeof(*heap));

    if (!heap)
        return KIN_ENOMEM;
    timers->heap = heap;
    return 0;
}

void kin__timers_trim(kin__timers *timers, size_t keep)
{
    if (timers->len > 0 || timers->cap <= keep)
        return;
    kin__free(timers->heap);
    timers->heap = NULL;
    timers->cap = 0;
}

int kin__timers_set(kin__timers *timers, kin__timer *timer, int64_t deadline)
{
    size_t place = timer->place;

    if (place == 0) {
        if (kin__timers_reserve(timers, timers->len + 1) < 0)
            return KIN_ENOMEM;
        place = ++timers->len;
    }
    timer->deadline = deadline;
    timer->order = timers->order++;
    sift(timers, timer, place);
    return 0;
}

void kin__timers_cancel(kin__timers *timers, kin__timer *timer)
{
    size_t place = timer->place;

    if (place == 0)
        return;
    kin__assert(timers->heap[place - 1] == timer);
    timer->place = 0;
    kin__timer *last = timers->heap[--timers->len];
    if (last != timer)
        sift(timers, last, place);
}

int64_t kin__timers_next(const kin__timers *timers)
{
    return timers->len ? timers->heap[0]->deadline : INT64_MAX;
}

kin__timer *kin__timers_pop(kin__timers *timers, int64_t now)
{
    if (timers->len == 0 || timers->heap[0]->deadline > now)
        return NULL;

    kin__timer *timer = timers->heap[0];
    kin__timers_cancel(timers, timer);
    return timer;
}
