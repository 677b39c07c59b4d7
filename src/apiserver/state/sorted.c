/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block that is full is cut in two. Keys that come in order are common (a load, names with a
 * number), so a key behind all others begins a new block instead: blocks stay full then. A block
 * that gets empty goes; blocks that are merely small stay, which bounds what a removal moves.
 */
#include "apiserver/state/sorted.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/str.h"

struct kin__sorted_block {
    kin__sorted_node **nodes; /* room for KIN__SORTED_BLOCK; OWNED */
    unsigned len;
    unsigned counted;
};

/* How a node's key must compare with what is searched for, to lie before the place. */
typedef bool is_before_fn(kin_str key, kin_str bound);

static bool is_smaller(kin_str key, kin_str bound)
{
    return kin__str_compare(key, bound) < 0;
}

static bool is_smaller_or_same(kin_str key, kin_str bound)
{
    return kin__str_compare(key, bound) <= 0;
}

static bool is_smaller_or_begins_so(kin_str key, kin_str bound)
{
    return is_smaller(key, bound) || kin__str_starts_with(key, bound);
}

void kin__sorted_init(kin__sorted *sorted)
{
    memset(sorted, 0, sizeof(*sorted));
}

void kin__sorted_done(kin__sorted *sorted)
{
    for (size_t i = 0; i < sorted->n_blocks; i++)
        kin__free(sorted->blocks[i].nodes);
    kin__free(sorted->blocks);
    kin__sorted_init(sorted);
}

/* The place behind all keys that are before the bound. At the end of a block it is the next block's
 * begin, so that each place has one name. */
static kin__sorted_pos search(const kin__sorted *sorted, kin_str bound, is_before_fn *is_before)
{
    size_t low = 0;
    size_t high = sorted->n_blocks; /* the first block whose last key is not before */
    kin__sorted_pos pos;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct kin__sorted_block *block = &sorted->blocks[middle];

        if (is_before(block->nodes[block->len - 1]->key, bound))
            low = middle + 1;
        else
            high = middle;
    }
    pos = (kin__sorted_pos){low, 0};
    if (low == sorted->n_blocks)
        return pos;
    high = sorted->blocks[low].len;
    while (pos.index < high) {
        size_t middle = pos.index + (high - pos.index) / 2;

        if (is_before(sorted->blocks[low].nodes[middle]->key, bound))
            pos.index = middle + 1;
        else
            high = middle;
    }
    return pos;
}

kin__sorted_pos kin__sorted_at(const kin__sorted *sorted, kin_str key)
{
    return search(sorted, key, is_smaller);
}

kin__sorted_pos kin__sorted_behind(const kin__sorted *sorted, kin_str key)
{
    return search(sorted, key, is_smaller_or_same);
}

kin__sorted_pos kin__sorted_behind_prefix(const kin__sorted *sorted, kin_str prefix)
{
    return search(sorted, prefix, is_smaller_or_begins_so);
}

kin__sorted_node *kin__sorted_next(const kin__sorted *sorted, kin__sorted_pos *pos)
{
    kin__sorted_node *node;

    if (pos->block == sorted->n_blocks)
        return NULL;
    node = sorted->blocks[pos->block].nodes[pos->index];
    if (++pos->index == sorted->blocks[pos->block].len)
        *pos = (kin__sorted_pos){pos->block + 1, 0};
    return node;
}

kin__sorted_node *kin__sorted_get(const kin__sorted *sorted, kin_str key)
{
    kin__sorted_pos pos = kin__sorted_at(sorted, key);
    kin__sorted_node *node = kin__sorted_next(sorted, &pos);

    return node && kin_str_equal(node->key, key) ? node : NULL;
}

static unsigned count_nodes(const struct kin__sorted_block *block, size_t from, size_t to)
{
    unsigned n = 0;

    for (size_t i = from; i < to; i++)
        n += block->nodes[i]->counted;
    return n;
}

size_t kin__sorted_count(const kin__sorted *sorted, kin__sorted_pos from, kin__sorted_pos to)
{
    size_t n = 0;

    if (from.block == to.block)
        return to.index > from.index
                   ? count_nodes(&sorted->blocks[from.block], from.index, to.index)
                   : 0;
    for (size_t i = from.block; i < to.block; i++)
        n += sorted->blocks[i].counted;
    n -= count_nodes(&sorted->blocks[from.block], 0, from.index);
    if (to.index > 0)
        n += count_nodes(&sorted->blocks[to.block], 0, to.index);
    return n;
}

/* An empty block at this place among the blocks; NULL: no memory. */
static struct kin__sorted_block *add_block(kin__sorted *sorted, size_t at)
{
    struct kin__sorted_block *blocks =
        kin__grow_array(sorted->blocks, &sorted->cap, sorted->n_blocks + 1, sizeof(*blocks));
    kin__sorted_node **nodes;

    if (!blocks)
        return NULL;
    sorted->blocks = blocks;
    nodes = kin__calloc(KIN__SORTED_BLOCK, sizeof(*nodes));
    if (!nodes)
        return NULL;
    memmove(&blocks[at + 1], &blocks[at], (sorted->n_blocks - at) * sizeof(*blocks));
    sorted->n_blocks++;
    blocks[at] = (struct kin__sorted_block){nodes, 0, 0};
    return &blocks[at];
}

/* Cut the full block of a place in two, and say where in them the place is now. */
static int split(kin__sorted *sorted, kin__sorted_pos *pos)
{
    const unsigned half = KIN__SORTED_BLOCK / 2;
    struct kin__sorted_block *right = add_block(sorted, pos->block + 1);
    struct kin__sorted_block *left = &sorted->blocks[pos->block];

    if (!right)
        return KIN_ENOMEM;
    right->len = left->len - half;
    memcpy(right->nodes, &left->nodes[half], right->len * sizeof(*right->nodes));
    right->counted = count_nodes(right, 0, right->len);
    left->len = half;
    left->counted -= right->counted;
    if (pos->index > half)
        *pos = (kin__sorted_pos){pos->block + 1, pos->index - half};
    return 0;
}

/* Room for one more node at a place, which may get another name. */
static int make_room(kin__sorted *sorted, kin__sorted_pos *pos)
{
    if (pos->block == sorted->n_blocks) {
        if (pos->block == 0 || sorted->blocks[pos->block - 1].len == KIN__SORTED_BLOCK)
            return add_block(sorted, pos->block) ? 0 : KIN_ENOMEM;
        pos->block--;
        pos->index = sorted->blocks[pos->block].len;
    }
    return sorted->blocks[pos->block].len < KIN__SORTED_BLOCK ? 0 : split(sorted, pos);
}

int kin__sorted_insert(kin__sorted *sorted, kin__sorted_node *node, kin_str key)
{
    kin__sorted_pos pos = kin__sorted_at(sorted, key);
    struct kin__sorted_block *block;

    if (make_room(sorted, &pos) < 0)
        return KIN_ENOMEM;
    block = &sorted->blocks[pos.block];
    memmove(&block->nodes[pos.index + 1], &block->nodes[pos.index],
            (block->len - pos.index) * sizeof(*block->nodes));
    block->nodes[pos.index] = node;
    block->len++;
    sorted->len++;
    *node = (kin__sorted_node){key, false};
    return 0;
}

void kin__sorted_remove(kin__sorted *sorted, kin__sorted_node *node)
{
    kin__sorted_pos pos = kin__sorted_at(sorted, node->key);
    struct kin__sorted_block *block = &sorted->blocks[pos.block];

    kin__assert(pos.block < sorted->n_blocks && block->nodes[pos.index] == node);
    block->counted -= node->counted;
    block->len--;
    sorted->len--;
    memmove(&block->nodes[pos.index], &block->nodes[pos.index + 1],
            (block->len - pos.index) * sizeof(*block->nodes));
    if (block->len > 0)
        return;
    kin__free(block->nodes);
    sorted->n_blocks--;
    memmove(block, block + 1, (sorted->n_blocks - pos.block) * sizeof(*block));
}

void kin__sorted_set_counted(kin__sorted *sorted, kin__sorted_node *node, bool counted)
{
    kin__sorted_pos pos;

    if (node->counted == counted)
        return;
    pos = kin__sorted_at(sorted, node->key);
    kin__assert(pos.block < sorted->n_blocks && sorted->blocks[pos.block].nodes[pos.index] == node);
    node->counted = counted;
    if (counted)
        sorted->blocks[pos.block].counted++;
    else
        sorted->blocks[pos.block].counted--;
}
