/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash map from byte strings to intrusive nodes. Not thread-safe: the owner locks.
 *
 * The node is a member of the caller's entry and points at the entry's own key, so the
 * map allocates only its table, never per entry. A lookup touches one cache line of
 * the table and then the entry. See map.c for the layout and why.
 *
 *     struct entry { kin__map_node node; ... char key[]; };
 *     kin__map_node *n = kin__map_get(&map, key);
 *     struct entry *e = n ? kin__container_of(n, struct entry, node) : NULL;
 *
 * Guarantees: removing never allocates, never moves other entries and never fails;
 * adding after a sufficient kin__map_reserve() neither allocates nor fails; a failed
 * add leaves the map as it was.
 */
#ifndef KIN_BASE_MAP_H
#define KIN_BASE_MAP_H

#include "kinform/error.h"

typedef struct kin__map_node {
    const char *key; /* BORROWED from the entry while it is in the map; must not change */
    uint32_t key_len;
    uint32_t hash;
} kin__map_node;

typedef struct kin__map {
    struct kin__map_bucket *buckets; /* NULL while nothing was ever added */
    void *memory;                    /* what the buckets were allocated as */
    size_t mask;                     /* number of buckets - 1 */
    size_t len;
    size_t limit; /* grow beyond this many entries */
    uint64_t seed;
} kin__map;

/* Position of an iteration. */
typedef struct kin__map_iter {
    size_t bucket;
    unsigned slot;
} kin__map_iter;

#define KIN__MAP_ITER_INIT ((kin__map_iter){0, 0})
#define KIN__MAP_BUCKET_BYTES 64
/* Longer keys are refused with KIN_ELIMIT. */
#define KIN__MAP_KEY_MAX UINT32_MAX

/* An empty map; allocates nothing. `seed` is kin__hash_seed(), or a constant in tests. */
void kin__map_init(kin__map *map, uint64_t seed);
/* Free the table. The entries are the caller's; they may be gone already. */
void kin__map_done(kin__map *map);

static inline size_t kin__map_len(const kin__map *map)
{
    return map->len;
}

/* A key's hash in this map: may be computed before the owner's lock is taken. */
uint32_t kin__map_hash(const kin__map *map, kin_str key);

/* The node with this key, or NULL. */
kin__map_node *kin__map_get_hashed(const kin__map *map, kin_str key, uint32_t hash);

/*
 * Add a node under a key, which must stay unchanged in memory while it is in the map.
 * If the key is there already nothing changes and *ret_existing, if given, tells the
 * node that has it.
 * 0 (also when it existed), KIN_ENOMEM, KIN_ELIMIT.
 */
int kin__map_add_hashed(kin__map *map, kin__map_node *node, kin_str key, uint32_t hash,
                        kin__map_node **ret_existing);

/*
 * Add a node under a key that is not there, as the caller knows: nothing is looked up.
 * 0, KIN_ENOMEM, KIN_ELIMIT.
 */
int kin__map_add_new_hashed(kin__map *map, kin__map_node *node, kin_str key, uint32_t hash);

static inline kin__map_node *kin__map_get(const kin__map *map, kin_str key)
{
    return kin__map_get_hashed(map, key, kin__map_hash(map, key));
}

static inline int kin__map_add(kin__map *map, kin__map_node *node, kin_str key,
                               kin__map_node **ret_existing)
{
    return kin__map_add_hashed(map, node, key, kin__map_hash(map, key), ret_existing);
}

/* A node will be taken out soon: have what that needs come near. */
static inline void kin__map_prefetch(const kin__map *map, const kin__map_node *node)
{
    const char *buckets = (const char *)map->buckets;

    __builtin_prefetch(buckets + (node->hash & map->mask) * KIN__MAP_BUCKET_BYTES, 1);
}

/* Take a node out that is in the map. */
void kin__map_remove(kin__map *map, kin__map_node *node);

/* Give its memory back if nothing is in it, and there is room for more than `keep`. Not while it is gone through. */
void kin__map_trim(kin__map *map, size_t keep);

/* Make room for `len` entries in all. 0 or KIN_ENOMEM. */
int kin__map_reserve(kin__map *map, size_t len);

/*
 * Visit all nodes in no particular order: start with KIN__MAP_ITER_INIT, NULL is the end.
 * The node returned last may be removed in between; nothing may be added.
 */
kin__map_node *kin__map_next(const kin__map *map, kin__map_iter *iter);

#endif
