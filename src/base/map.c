/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing in buckets of one cache line. What is done to a single bucket is in
 * map_inline.h.
 *
 *     bucket (64 bytes): tag[7] | passed | node[7]
 *
 * A tag is eight bits of the hash (0: the slot is free), compared seven at once in a
 * 64-bit word. Bits of the hash that choose the bucket and bits in the tag are
 * disjoint, so a tag that matches by chance is rare (1/36 per bucket), and a lookup
 * costs two cache misses on a large map: the bucket and the entry. `passed` counts the
 * entries that wanted this bucket or an earlier one but found it full and live behind
 * it. A lookup stops at the first bucket that nobody passed. Removing decrements the
 * counts on the way, so there are no tombstones, nothing ever needs cleaning up, and
 * other entries stay where they are (an iteration may remove).
 *
 * Invariants:
 * - an entry lives in the first bucket at or behind hash & mask that had a free slot
 *   when it came; each bucket in between has it counted in `passed`;
 * - `passed` saturates at 255 and then stays until the next growth: it may be too
 *   high, never too low, which costs probes and is never wrong;
 * - len <= limit < number of slots, so that a free slot exists.
 *
 * The hash is kept in the node, so that growing reads no keys. 32 bits are enough:
 * with more than 2^24 buckets the tag only begins to overlap the index.
 *
 * Left out on purpose: shrinking while something is in it (a map that was large once is
 * likely to be again; kin__map_trim() is for those who know better) and
 * concurrent readers (src/cache has a structure of its own for that).
 */
#include "base/map.h"

#include "base/assert.h"
#include "base/map_inline.h"
#include "base/memory.h"

static size_t limit_of(size_t n_buckets)
{
    size_t slots = n_buckets * KIN__MAP_SLOTS;

    /*
     * 13/16 full at most. Fuller buckets are passed over so often that a steady state of
     * inserts and removals costs half as much again (docs/design.md).
     */
    return slots - slots * 3 / 16 - 1;
}

void kin__map_init(kin__map *map, uint64_t seed)
{
    memset(map, 0, sizeof(*map));
    map->seed = seed;
}

void kin__map_done(kin__map *map)
{
    kin__free(map->memory);
    kin__map_init(map, map->seed);
}

uint32_t kin__map_hash(const kin__map *map, kin_str key)
{
    return kin__map_hash_inline(map, key);
}

kin__map_node *kin__map_get_hashed(const kin__map *map, kin_str key, uint32_t hash)
{
    return kin__map_find_inline(map, key, hash);
}

/* Move all nodes of a bucket into a new table. */
static void move_bucket(const struct kin__map_bucket *bucket, struct kin__map_bucket *to,
                        size_t mask)
{
    for (unsigned slot = 0; slot < KIN__MAP_SLOTS; slot++) {
        if (bucket->tag[slot])
            kin__map_place_inline(to, mask, bucket->node[slot]);
    }
}

static void prefetch_nodes(const struct kin__map_bucket *bucket)
{
    for (unsigned slot = 0; slot < KIN__MAP_SLOTS; slot++)
        __builtin_prefetch(bucket->node[slot]);
}

static void *align_to_line(char *memory)
{
    size_t beyond = (uintptr_t)memory % sizeof(struct kin__map_bucket);

    return beyond ? memory + (sizeof(struct kin__map_bucket) - beyond) : memory;
}

static int resize(kin__map *map, size_t n_buckets)
{
    /* Moving reads each node's hash, a cache miss that is known well in advance. */
    const size_t ahead = 4;
    /* One bucket more than needed leaves room to begin at a cache line. */
    char *memory = kin__calloc(n_buckets + 1, sizeof(struct kin__map_bucket));

    if (!memory)
        return KIN_ENOMEM;
    struct kin__map_bucket *grown = align_to_line(memory);
    for (size_t i = 0; map->buckets && i <= map->mask; i++) {
        if (i + ahead <= map->mask)
            prefetch_nodes(&map->buckets[i + ahead]);
        move_bucket(&map->buckets[i], grown, n_buckets - 1);
    }
    kin__free(map->memory);
    map->memory = memory;
    map->buckets = grown;
    map->mask = n_buckets - 1;
    map->limit = limit_of(n_buckets);
    return 0;
}

int kin__map_reserve(kin__map *map, size_t len)
{
    size_t n_buckets = map->buckets ? map->mask + 1 : 1;

    if (len <= map->limit)
        return 0;
    if (len > SIZE_MAX / (2 * sizeof(struct kin__map_bucket)))
        return KIN_ENOMEM;
    while (limit_of(n_buckets) < len)
        n_buckets *= 2;
    return resize(map, n_buckets);
}

int kin__map_add_new_hashed(kin__map *map, kin__map_node *node, kin_str key, uint32_t hash)
{
    if (key.len > KIN__MAP_KEY_MAX)
        return KIN_ELIMIT;
    if (map->len >= map->limit && kin__map_reserve(map, map->len + 1) < 0)
        return KIN_ENOMEM;
    kin__map_put_inline(map, node, key, hash);
    return 0;
}

int kin__map_add_hashed(kin__map *map, kin__map_node *node, kin_str key, uint32_t hash,
                        kin__map_node **ret_existing)
{
    kin__map_node *existing = kin__map_get_hashed(map, key, hash);
    int code = existing ? 0 : kin__map_add_new_hashed(map, node, key, hash);

    if (code == 0 && ret_existing)
        *ret_existing = existing;
    return code;
}

void kin__map_remove(kin__map *map, kin__map_node *node)
{
    kin__map_remove_inline(map, node);
}

void kin__map_trim(kin__map *map, size_t keep)
{
    if (map->len > 0 || map->limit <= keep)
        return;
    kin__free(map->memory);
    map->memory = NULL;
    map->buckets = NULL;
    map->mask = 0;
    map->limit = 0; /* the seed is not touched: hashes are computed without the owner's lock */
}

kin__map_node *kin__map_next(const kin__map *map, kin__map_iter *iter)
{
    if (!map->buckets)
        return NULL;
    for (; iter->bucket <= map->mask; iter->bucket++, iter->slot = 0) {
        const struct kin__map_bucket *bucket = &map->buckets[iter->bucket];

        while (iter->slot < KIN__MAP_SLOTS) {
            unsigned slot = iter->slot++;

            if (bucket->tag[slot])
                return bucket->node[slot];
        }
    }
    return NULL;
}
