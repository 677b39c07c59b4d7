/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events are members of blocks and go from the spare list to the line and back. Blocks are given
 * back when nothing waits any more: a handler that was slow once does not keep its memory.
 *
 * The index by key is made when the limit is reached, and thrown away when half of it has drained: a
 * handler that keeps up pays nothing for it.
 */
#include "informer/event_queue.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/hash.h"
#include "base/memory.h"
#include "object/object.h"

enum {
    PER_BLOCK = 128,
    BLOCKS_KEPT = 2, /* for a handler that keeps up, so that it does not ask for memory each time */
};

struct kin__event_block {
    struct kin__event_block *next;
    kin__queued_event events[PER_BLOCK];
};

void kin__event_queue_init(kin__event_queue *queue, size_t limit)
{
    *queue = (kin__event_queue){.limit = limit};
    kin__list_init(&queue->events);
    kin__list_init(&queue->spare);
    kin__map_init(&queue->newest, kin__hash_seed());
}

static void free_blocks(kin__event_queue *queue)
{
    while (queue->blocks) {
        struct kin__event_block *next = queue->blocks->next;

        kin__free(queue->blocks);
        queue->blocks = next;
    }
    queue->n_blocks = 0;
    queue->n_spare = 0;
    kin__list_init(&queue->spare);
}

void kin__event_queue_done(kin__event_queue *queue)
{
    kin__list_for_each(&queue->events, node) {
        kin__queued_event *event = kin__list_entry(node, kin__queued_event, link);

        kin_object_unref(event->object);
        kin_object_unref(event->old_object);
    }
    kin__map_done(&queue->newest);
    free_blocks(queue);
    kin__list_init(&queue->events);
    queue->len = 0;
}

/* --- the index by key --- */

static kin__queued_event *event_of(kin__map_node *node)
{
    return kin__container_of(node, kin__queued_event, node);
}

static void unindex(kin__event_queue *queue, kin__queued_event *event)
{
    if (!event->is_indexed)
        return;
    kin__map_remove(&queue->newest, &event->node);
    event->is_indexed = false;
}

/* There is room. An older event of the key makes place. */
static void index_newest(kin__event_queue *queue, kin__queued_event *event)
{
    kin_str key = kin_str_make(event->node.key, event->node.key_len);
    uint32_t hash = kin__map_hash(&queue->newest, key);
    kin__map_node *existing = kin__map_get_hashed(&queue->newest, key, hash);
    int code;

    if (existing)
        unindex(queue, event_of(existing));
    code = kin__map_add_hashed(&queue->newest, &event->node, key, hash, NULL);
    kin__assert(code == 0);
    (void)code;
    event->is_indexed = true;
}

static int start_merging(kin__event_queue *queue, size_t n_more)
{
    if (kin__map_reserve(&queue->newest, queue->len + n_more) < 0)
        return KIN_ENOMEM;
    if (queue->is_merging)
        return 0;
    kin__list_for_each(&queue->events, node)
        index_newest(queue, kin__list_entry(node, kin__queued_event, link));
    queue->is_merging = true;
    return 0;
}

static void stop_merging(kin__event_queue *queue)
{
    if (!queue->is_merging)
        return;
    kin__list_for_each(&queue->events, node)
        kin__list_entry(node, kin__queued_event, link)->is_indexed = false;
    kin__map_done(&queue->newest);
    kin__map_init(&queue->newest, kin__hash_seed());
    queue->is_merging = false;
}

/* --- putting in --- */

static int reserve_spare(kin__event_queue *queue, size_t n)
{
    while (queue->n_spare < n) {
        struct kin__event_block *block = kin__malloc(sizeof(*block));

        if (!block)
            return KIN_ENOMEM;
        block->next = queue->blocks;
        queue->blocks = block;
        queue->n_blocks++;
        for (size_t i = 0; i < PER_BLOCK; i++)
            kin__list_push_back(&queue->spare, &block->events[i].link);
        queue->n_spare += PER_BLOCK;
    }
    return 0;
}

static void append(kin__event_queue *queue, const kin__notice *notice, int64_t now)
{
    kin__queued_event *event = kin__list_entry(queue->spare.next, kin__queued_event, link);

    kin__assert(queue->n_spare > 0);
    kin__list_remove(&event->link);
    queue->n_spare--;
    event->object = kin_object_ref(notice->object);
    event->old_object = kin_object_ref(notice->old_object);
    event->node.key = notice->key.data;
    event->node.key_len = (uint32_t)notice->key.len;
    event->since = now;
    event->type = (uint8_t)notice->type;
    event->is_initial = notice->is_initial;
    event->is_sync = notice->is_sync;
    event->is_indexed = false;
    kin__list_push_back(&queue->events, &event->link);
    queue->len++;
    if (queue->is_merging)
        index_newest(queue, event);
}

static void give_up(kin__event_queue *queue, kin__queued_event *event)
{
    unindex(queue, event);
    kin__list_remove(&event->link);
    kin__list_push_front(&queue->spare, &event->link);
    queue->n_spare++;
    queue->len--;
}

/* What the event tells becomes the notice's state. The key's bytes go with the object. */
static void take_state(kin__queued_event *event, const kin__notice *notice,
                       const kin_object **garbage, size_t *n_garbage)
{
    garbage[(*n_garbage)++] = event->object;
    event->object = kin_object_ref(notice->object);
    event->node.key = notice->key.data;
}

static void vanish(kin__event_queue *queue, kin__queued_event *event, const kin_object **garbage,
                   size_t *n_garbage)
{
    garbage[(*n_garbage)++] = event->object;
    queue->n_vanished++;
    queue->n_initial_vanished += event->is_initial;
    give_up(queue, event);
}

static void become_deletion(kin__queued_event *event, const kin__notice *notice,
                            const kin_object **garbage, size_t *n_garbage)
{
    take_state(event, notice, garbage, n_garbage);
    if (event->old_object)
        garbage[(*n_garbage)++] = event->old_object;
    event->old_object = NULL;
    event->type = KIN_EVENT_DELETE;
    event->is_sync = false;
}

/* The table above. Whether the notice is done with. */
static bool merge(kin__event_queue *queue, const kin__notice *notice, const kin_object **garbage,
                  size_t *n_garbage)
{
    kin__map_node *node = kin__map_get(&queue->newest, notice->key);
    kin__queued_event *event = node ? event_of(node) : NULL;

    if (!event)
        return false;
    if (event->type == KIN_EVENT_DELETE && notice->type != KIN_EVENT_DELETE)
        return false;
    if (notice->type != KIN_EVENT_DELETE) {
        if (!KIN_DEFECT(merge_loses_state))
            take_state(event, notice, garbage, n_garbage);
        event->is_sync = event->is_sync && notice->is_sync;
    } else if (event->type == KIN_EVENT_ADD) {
        if (!KIN_DEFECT(merge_keeps_deleted))
            vanish(queue, event, garbage, n_garbage);
        return true;
    } else {
        become_deletion(event, notice, garbage, n_garbage);
    }
    queue->n_merged++;
    return true;
}

int kin__event_queue_reserve(kin__event_queue *queue, size_t n)
{
    if (reserve_spare(queue, n) < 0)
        return KIN_ENOMEM;
    if (queue->len + n > queue->limit && start_merging(queue, n) < 0)
        return KIN_ENOMEM;
    queue->is_reserved = true;
    return 0;
}

size_t kin__event_queue_put(kin__event_queue *queue, const kin__notice *notices, size_t n,
                            int64_t now, const kin_object **garbage)
{
    size_t n_garbage = 0;

    queue->n_initial_vanished = 0;
    for (size_t i = 0; i < n; i++) {
        if (queue->len < queue->limit || !merge(queue, &notices[i], garbage, &n_garbage))
            append(queue, &notices[i], now);
    }
    return n_garbage;
}

/* What is not needed any more, unless somebody counts on it. */
static void trim(kin__event_queue *queue)
{
    if (queue->is_reserved)
        return;
    if (queue->len <= queue->limit / 2)
        stop_merging(queue);
    /* Nothing waits and nothing is out. */
    if (queue->n_blocks > BLOCKS_KEPT && queue->n_spare == queue->n_blocks * PER_BLOCK)
        free_blocks(queue);
}

void kin__event_queue_unreserve(kin__event_queue *queue)
{
    queue->is_reserved = false;
    trim(queue);
}

/* --- taking out --- */

size_t kin__event_queue_take(kin__event_queue *queue, size_t max, kin__list *ret)
{
    size_t n = 0;

    while (n < max && !kin__list_is_empty(&queue->events)) {
        kin__queued_event *event = kin__list_entry(queue->events.next, kin__queued_event, link);

        unindex(queue, event);
        kin__list_remove(&event->link);
        kin__list_push_back(ret, &event->link);
        n++;
    }
    queue->len -= n;
    trim(queue);
    return n;
}

void kin__event_queue_give_back(kin__event_queue *queue, kin__list *taken, size_t n)
{
    kin__list_splice_back(&queue->spare, taken);
    queue->n_spare += n;
    trim(queue);
}

int64_t kin__event_queue_oldest(const kin__event_queue *queue)
{
    if (kin__list_is_empty(&queue->events))
        return INT64_MAX;
    return kin__list_entry(queue->events.next, kin__queued_event, link)->since;
}
