/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/dispatcher.h"

enum { PER_TURN = 64 /* events of one before the next has its turn */ };

int kin__dispatcher_init(kin__dispatcher *dispatcher, kin_error *err)
{
    int code = kin__wakeup_init(&dispatcher->wakeup, err);

    if (code < 0)
        return code;
    kin__mutex_init(&dispatcher->lock, KIN__RANK_DISPATCHER);
    kin__list_init(&dispatcher->ready);
    return 0;
}

void kin__dispatcher_done(kin__dispatcher *dispatcher)
{
    kin__mutex_done(&dispatcher->lock);
    kin__wakeup_done(&dispatcher->wakeup);
}

void kin__dispatcher_add(kin__dispatcher *dispatcher, kin__dispatched *dispatched)
{
    kin__mutex_lock(&dispatcher->lock);
    kin__list_push_back(&dispatcher->ready, &dispatched->link);
    kin__mutex_unlock(&dispatcher->lock);
    kin__wakeup_signal(&dispatcher->wakeup);
}

void kin__dispatcher_wake(kin__dispatcher *dispatcher)
{
    kin__wakeup_signal(&dispatcher->wakeup);
}

bool kin__dispatcher_remove(kin__dispatcher *dispatcher, kin__dispatched *dispatched)
{
    bool was_in;

    kin__mutex_lock(&dispatcher->lock);
    was_in = !kin__list_is_empty(&dispatched->link);
    kin__list_remove(&dispatched->link);
    kin__mutex_unlock(&dispatcher->lock);
    return was_in;
}

static kin__dispatched *take(kin__dispatcher *dispatcher)
{
    kin__mutex_lock(&dispatcher->lock);
    kin__list *node = kin__list_pop_front(&dispatcher->ready);

    kin__mutex_unlock(&dispatcher->lock);
    return node ? kin__list_entry(node, kin__dispatched, link) : NULL;
}

static size_t count(kin__dispatcher *dispatcher)
{
    size_t n = 0;

    kin__mutex_lock(&dispatcher->lock);
    kin__list_for_each(&dispatcher->ready, node)
        n++;
    kin__mutex_unlock(&dispatcher->lock);
    return n;
}

size_t kin__dispatcher_run(kin__dispatcher *dispatcher, size_t max)
{
    size_t n = 0;
    size_t turns;

    if (max == 0)
        max = SIZE_MAX;
    kin__wakeup_clear(&dispatcher->wakeup);
    for (turns = count(dispatcher); turns > 0 && n < max; turns--) {
        kin__dispatched *next = take(dispatcher);

        if (!next)
            break;
        /* It may be gone then. */
        next->run(next, max - n < PER_TURN ? max - n : PER_TURN, &n);
    }
    if (count(dispatcher) > 0)
        kin__wakeup_signal(&dispatcher->wakeup);
    return n;
}
