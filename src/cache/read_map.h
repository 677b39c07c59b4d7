/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash map from byte strings to nodes, with one writer and any number of readers beside it.
 *
 * As src/base/map: the node is a member of the caller's entry and points at the entry's own key.
 * Readers take no lock. They hold a pin (cache/pins.h), and the writer frees nodes and tables that
 * it took out only when no pin can reach them any more.
 *
 * A reader sees every node that was added before it loaded the table and is still there. Nodes that
 * come or go meanwhile it may see or not: the store decides by version what counts.
 */
#ifndef KIN_CACHE_READ_MAP_H
#define KIN_CACHE_READ_MAP_H

#include <stdatomic.h>

#include "base/map.h"
#include "cache/garbage.h"

/* One block. */
typedef struct kin__read_table {
    kin__garbage garbage;   /* when it was replaced */
    uint64_t replaced_in;   /* the first version that has another; for the store */
    _Atomic size_t n_views; /* that have it; for the store */
    uint32_t n_buckets;     /* const, as all below */
    size_t limit;           /* nodes at most */
    struct kin__read_bucket *buckets;
    struct kin__read_lines *lines; /* as many */
} kin__read_table;

typedef struct kin__read_map {
    _Atomic(kin__read_table *) table; /* NULL while nothing was ever added */
    size_t len;                       /* the writer's */
    uint64_t seed;                    /* const after init */
} kin__read_map;

void kin__read_map_init(kin__read_map *map, uint64_t seed);
/* Free the table. Nobody reads any more. The nodes are the caller's. */
void kin__read_map_done(kin__read_map *map);

uint32_t kin__read_map_hash(const kin__read_map *map, kin_str key);

/* --- reading, for whoever has a pin, and for the writer --- */

static inline const kin__read_table *kin__read_map_table(const kin__read_map *map)
{
    return atomic_load_explicit(&map->table, memory_order_acquire);
}

/* The node with this key, or NULL. `table` may be NULL. */
kin__map_node *kin__read_table_get(const kin__read_table *table, kin_str key, uint32_t hash);

/* Ask for the memory that kin__read_table_get() will look at first. */
void kin__read_table_prefetch(const kin__read_table *table, uint32_t hash);

/* The node that it will look at next, by the look of it: to be asked for too. May be NULL, or another. */
kin__map_node *kin__read_table_guess(const kin__read_table *table, uint32_t hash);

/* Ask for that node, and for its key. */
void kin__read_table_prefetch_entry(const kin__read_table *table, uint32_t hash);

/* Visit all nodes: start with KIN__MAP_ITER_INIT, NULL is the end. `table` may be NULL. */
kin__map_node *kin__read_table_next(const kin__read_table *table, kin__map_iter *iter);

/* --- writing --- */

/*
 * Make room for `more` nodes. *ret_old is the table that was replaced and must be kept until no
 * reader can have it, or NULL. 0 or KIN_ENOMEM: nothing has changed.
 */
int kin__read_map_reserve(kin__read_map *map, size_t more, kin__read_table **ret_old);

/*
 * A smaller table if this one is mostly empty; *ret_old as above. Without memory nothing happens.
 */
void kin__read_map_shrink(kin__read_map *map, kin__read_table **ret_old);

/* Add a node whose key is not there, and for which room was reserved. Sets all of `node`. */
void kin__read_map_add(kin__read_map *map, kin__map_node *node, kin_str key, uint32_t hash);

/* Put `node`, which is all set, in the place of `old`, which has the same key. */
void kin__read_map_swap(kin__read_map *map, const kin__map_node *old, kin__map_node *node);

/* Take out a node that is there. */
void kin__read_map_remove(kin__read_map *map, const kin__map_node *node);

/*
 * Take a node out of a table that was replaced and that readers may still have, or put another with
 * the same key into its place (`instead` is not NULL). It need not be in it.
 */
void kin__read_table_forget(kin__read_table *table, const kin__map_node *node,
                            kin__map_node *instead);

#endif
