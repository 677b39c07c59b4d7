/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes in the order of their keys, by bytes. Not thread-safe: the owner locks.
 *
 * Blocks of up to KIN__SORTED_BLOCK pointers, and an array of the blocks: finding a key is two
 * binary searches, putting one in moves half a block. A node can be counted or not; how many
 * counted ones lie in a range is known by blocks, without looking at each.
 *
 * The node is a member of the caller's entry and points at the entry's own key, as in a kin__map.
 */
#ifndef KIN_APISERVER_STATE_SORTED_H
#define KIN_APISERVER_STATE_SORTED_H

#include "kinform/error.h"

#define KIN__SORTED_BLOCK 256

typedef struct kin__sorted_node {
    kin_str key;  /* BORROWED from the entry while it is in; must not change */
    bool counted; /* kin__sorted_set_counted() */
} kin__sorted_node;

typedef struct kin__sorted {
    struct kin__sorted_block *blocks; /* none is empty */
    size_t n_blocks;
    size_t cap;
    size_t len;
} kin__sorted;

/* A place between nodes: before the one at `index` of `block`. Good until the next change. */
typedef struct kin__sorted_pos {
    size_t block;
    size_t index;
} kin__sorted_pos;

/* An empty one; allocates nothing. */
void kin__sorted_init(kin__sorted *sorted);
/* Gives the blocks back. The nodes are the caller's; they may be gone already. */
void kin__sorted_done(kin__sorted *sorted);

/* The node with this key, or NULL. */
kin__sorted_node *kin__sorted_get(const kin__sorted *sorted, kin_str key);
/*
 * Put in a node whose key is not there; it is not counted. 0, or KIN_ENOMEM: nothing has changed.
 */
int kin__sorted_insert(kin__sorted *sorted, kin__sorted_node *node, kin_str key);
/* Take a node out that is in. Never fails, never allocates. */
void kin__sorted_remove(kin__sorted *sorted, kin__sorted_node *node);
/* Say whether a node that is in counts. */
void kin__sorted_set_counted(kin__sorted *sorted, kin__sorted_node *node, bool counted);

/* Before the first key that is not smaller. */
kin__sorted_pos kin__sorted_at(const kin__sorted *sorted, kin_str key);
/* Before the first key that is larger. */
kin__sorted_pos kin__sorted_behind(const kin__sorted *sorted, kin_str key);
/* Behind the last key that begins so, or where such keys would be; all keys begin with "". */
kin__sorted_pos kin__sorted_behind_prefix(const kin__sorted *sorted, kin_str prefix);
/* The node behind the place, which moves on; NULL at the end. */
kin__sorted_node *kin__sorted_next(const kin__sorted *sorted, kin__sorted_pos *pos);
/* How many counted nodes lie between two places, the first not behind the second. */
size_t kin__sorted_count(const kin__sorted *sorted, kin__sorted_pos from, kin__sorted_pos to);

#endif
