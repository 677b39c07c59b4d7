/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: the memory of items.
 *
 * An item is three cache lines, which begin at one: what every call touches is in the first, a
 * short key in the next. They come in blocks, so that keys that were added one after the other lie
 * one after the other. The one that was freed last is kept apart, to be had at once. A longer key
 * has memory of its own.
 *
 * What a flood needed is kept for a while, since floods come again, and page after page had to be
 * had from the system anew, which takes longer than all else. When a get finds nothing, it looks
 * whether there is much more than is in use; ten seconds later, what was not used since goes, some
 * blocks at a time with the lock released in between. Who waits sees to it (work_queue_get.c), so
 * an idle queue does not keep it. Blocks with used items are used first: the others stay free.
 */
#include "workqueue/work_queue.h"

#include "base/memory.h"

enum {
    LINE = 64,
    BLOCK_ITEMS = 32,
    BLOCKS_KEPT = 32,  /* besides those in use */
    BLOCKS_FREED = 64, /* at a time, at most */
    ROOM_KEPT = 2048,  /* keys, in the map and among the timers */
};
#define TRIM_AFTER (10 * KIN__SECOND)

struct block {
    kin__list link;      /* in `blocks`, while an item of it is free; at the end, if all are */
    void *memory;        /* what it was allocated as */
    kin_work_item *free; /* linked by link.next */
    unsigned n_free;
};

_Static_assert(sizeof(struct block) <= LINE, "the header of a block is one line");
_Static_assert(sizeof(kin_work_item) % LINE == 0 || sizeof(void *) != 8, "items begin at lines");
_Static_assert(offsetof(kin_work_item, room) <= LINE, "what is always needed is one line");

static struct block *block_of(kin_work_item *item)
{
    return (struct block *)(void *)((char *)(item - item->place) - LINE);
}

static void push_free(struct block *block, kin_work_item *item)
{
    item->link.next = block->free ? &block->free->link : NULL;
    block->free = item;
    block->n_free++;
}

static kin_work_item *pop_free(struct block *block)
{
    kin_work_item *item = block->free;
    kin__list *next = item->link.next;

    block->free = next ? kin__list_entry(next, kin_work_item, link) : NULL;
    block->n_free--;
    return item;
}

KIN_COLD static struct block *add_block_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    char *memory = kin__malloc((size_t)2 * LINE + BLOCK_ITEMS * sizeof(kin_work_item));

    if (!memory)
        return NULL;
    struct block *block = (void *)(memory + (LINE - (uintptr_t)memory % LINE) % LINE);
    kin_work_item *items = (void *)((char *)block + LINE);
    block->memory = memory;
    block->free = NULL;
    block->n_free = 0;
    for (unsigned i = BLOCK_ITEMS; i-- > 0;) { /* the first is taken first */
        items[i].place = (uint8_t)i;
        push_free(block, &items[i]);
    }
    kin__list_push_front(&queue->blocks, &block->link);
    queue->n_blocks++;
    queue->n_free_blocks++;
    return block;
}

static void free_block(kin_work_queue *queue, struct block *block)
{
    kin__list_remove(&block->link);
    kin__free(block->memory);
    queue->n_blocks--;
    queue->n_free_blocks--;
}

static kin_work_item *take_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    struct block *block;

    if (kin__unlikely(kin__list_is_empty(&queue->blocks)))
        block = add_block_locked(queue);
    else
        block = kin__list_entry(queue->blocks.next, struct block, link);
    if (!block)
        return NULL;
    if (block->n_free == BLOCK_ITEMS) {
        size_t n_used = queue->n_blocks - --queue->n_free_blocks;

        if (n_used > queue->most_blocks)
            queue->most_blocks = n_used;
    }
    kin_work_item *item = pop_free(block);
    if (block->n_free == 0)
        kin__list_remove(&block->link);
    return item;
}

/* Under the lock, or when the queue is freed. */
static void give(kin_work_queue *queue, kin_work_item *item)
{
    struct block *block = block_of(item);

    if (block->n_free == 0)
        kin__list_push_front(&queue->blocks, &block->link);
    push_free(block, item);
    if (block->n_free < BLOCK_ITEMS)
        return;
    queue->n_free_blocks++;
    kin__list_remove(&block->link);
    kin__list_push_back(&queue->blocks, &block->link);
}

static void give_spare(kin_work_queue *queue)
{
    if (queue->spare)
        give(queue, queue->spare);
    queue->spare = NULL;
}

kin_work_item *kin__work_item_make_locked(kin_work_queue *queue, kin_str key)
{
    kin_work_item *item = queue->spare ? queue->spare : take_locked(queue);
    char *text;

    if (!item)
        return NULL;
    queue->spare = NULL;
    text = key.len < sizeof(item->room) ? item->room : kin__malloc(key.len + 1);
    if (!text) {
        give(queue, item);
        return NULL;
    }
    memcpy(text, key.data, key.len);
    text[key.len] = '\0';
    item->node.key = text;
    item->flags = 0;
    kin__timer_init(&item->timer);
    return item;
}

static void free_item(kin_work_queue *queue, kin_work_item *item)
{
    if (kin__unlikely(item->node.key != item->room))
        kin__free(kin__unconst(item->node.key));
    if (queue->spare)
        give(queue, item);
    else
        queue->spare = item;
}

void kin__work_item_give_locked(kin_work_queue *queue, kin_work_item *item)
{
    free_item(queue, item);
}

/* Much more than is in use. */
static bool has_surplus_locked(const kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    size_t n_used = queue->n_blocks - queue->n_free_blocks;

    return queue->n_free_blocks > BLOCKS_KEPT + n_used ||
           (queue->items.len == 0 && queue->items.limit > ROOM_KEPT) ||
           (queue->timers.len == 0 && queue->timers.cap > ROOM_KEPT);
}

/* Whether all is gone that can. */
static bool free_some_locked(kin_work_queue *queue) KIN_REQUIRES(queue->lock)
{
    size_t kept = BLOCKS_KEPT + queue->most_blocks;

    for (size_t i = 0; queue->n_free_blocks > 0 && queue->n_blocks > kept; i++) {
        if (i == BLOCKS_FREED)
            return false;
        free_block(queue, kin__list_entry(queue->blocks.prev, struct block, link));
    }
    if (queue->most_blocks <= BLOCKS_KEPT) {
        kin__map_trim(&queue->items, ROOM_KEPT);
        kin__timers_trim(&queue->timers, ROOM_KEPT);
    }
    return true;
}

bool kin__work_trim_locked(kin_work_queue *queue)
{
    if (kin__likely(queue->trim_at == INT64_MAX && !has_surplus_locked(queue)))
        return false;
    int64_t now = kin_clock_now(queue->clock);
    if (now < queue->trim_at && queue->trim_at != INT64_MAX)
        return false;
    if (queue->trim_at != INT64_MAX && !free_some_locked(queue))
        return false; /* it is still time for it */
    queue->most_blocks = queue->n_blocks - queue->n_free_blocks;
    queue->trim_at = has_surplus_locked(queue) ? now + TRIM_AFTER : INT64_MAX;
    return queue->trim_at != INT64_MAX;
}

void kin__work_items_done(kin_work_queue *queue)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&queue->items, &iter))) {
        kin__map_remove(&queue->items, node);
        free_item(queue, kin__container_of(node, kin_work_item, node));
    }
    kin__map_done(&queue->items);
    give_spare(queue);
    while (!kin__list_is_empty(&queue->blocks))
        free_block(queue, kin__list_entry(queue->blocks.next, struct block, link));
}
