/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing in buckets of one cache line, as in src/base/map.c, whose design block says why:
 *
 *     bucket (64 bytes): word = tag[7] | passed     node[7]
 *
 * Two things differ. The word and the pointers are atomic, since readers look while the writer
 * writes. And the number of buckets is no power of two but grows by half, since a store's table is
 * what it pays per object: the bucket is chosen by the upper bits of the hash, the tag by the lowest.
 *
 * What a reader may meet:
 * - a tag whose pointer was taken over by another node meanwhile: the pointer is stored before the
 *   tag, and the node's own hash and key decide;
 * - a `passed` count that changes: a node that is there counts itself in all buckets before its own,
 *   so a reader that looks for it never stops too early. Counts are raised before the node is placed;
 * - a table that was replaced: complete for all versions that were published before.
 *
 * A pointer is left in its slot when its node is taken out: only a reader that pinned before can
 * have seen its tag.
 */
#include "cache/read_map.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"

#define SLOTS 7u
#define LINE 64u /* bytes of a cache line, and of a bucket */
/* Smaller tables are not worth shrinking. */
#define SHRINK_MIN 64u
#define PASSED_SHIFT 56
#define PASSED_MAX 255u
#define TAGS UINT64_C(0x00ffffffffffffff)

struct kin__read_bucket {
    _Atomic uint64_t word;
    _Atomic(kin__map_node *) node[SLOTS];
};

/*
 * Of one bucket: the cache lines in which the keys of its nodes begin, without the upper bits, which
 * are taken from the node. Only for asking for the memory, so that a node and its key, which is
 * elsewhere, are waited for at the same time: a line that is wrong costs nothing but that.
 */
struct kin__read_lines {
    _Atomic uint32_t key[SLOTS + 1]; /* the last is padding */
};

/* One bit set per slot, at the bit 8 * slot + 7. */
typedef uint64_t slot_set;

static uint8_t tag_of(uint32_t hash)
{
    uint8_t tag = (uint8_t)hash;

    return tag ? tag : 1;
}

static size_t home_of(const kin__read_table *table, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * table->n_buckets) >> 32);
}

static size_t after(const kin__read_table *table, size_t at)
{
    return at + 1 < table->n_buckets ? at + 1 : 0;
}

/* The slots whose tag equals `tag`. Exact: no slot is reported that does not match. */
static slot_set match(uint64_t word, uint8_t tag)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);

    word ^= tag * UINT64_C(0x0101010101010101);
    return ~(((word & low7) + low7) | word | low7) & TAGS;
}

static unsigned first_slot(slot_set set)
{
    return (unsigned)__builtin_ctzll(set) / 8;
}

static uint64_t load_word(const struct kin__read_bucket *bucket)
{
    return atomic_load_explicit(&bucket->word, memory_order_acquire);
}

static void store_word(struct kin__read_bucket *bucket, uint64_t word)
{
    atomic_store_explicit(&bucket->word, word, memory_order_release);
}

static kin__map_node *load_node(const struct kin__read_bucket *bucket, unsigned slot)
{
    return atomic_load_explicit(&bucket->node[slot], memory_order_acquire);
}

static void store_node(kin__read_table *table, size_t at, unsigned slot, kin__map_node *node)
{
    atomic_store_explicit(&table->lines[at].key[slot], (uint32_t)((uintptr_t)node->key / LINE),
                          memory_order_relaxed);
    atomic_store_explicit(&table->buckets[at].node[slot], node, memory_order_release);
}

static void prefetch_line(uintptr_t address)
{
    const void *line;

    memcpy(&line, &address, sizeof(line));
    __builtin_prefetch(line);
}

/* Ask for a node's key, and for the line before it: the head of what it is in. */
static void prefetch_key(const kin__read_table *table, size_t at, unsigned slot,
                         const kin__map_node *node)
{
    const uint64_t window = (UINT64_C(1) << 32) * LINE - 1;
    uint64_t line = atomic_load_explicit(&table->lines[at].key[slot], memory_order_relaxed);
    uintptr_t key = (uintptr_t)(((uintptr_t)node & ~window) | line * LINE);

    prefetch_line(key);
    prefetch_line(key - LINE);
}

void kin__read_map_init(kin__read_map *map, uint64_t seed)
{
    atomic_init(&map->table, NULL);
    map->len = 0;
    map->seed = seed;
}

void kin__read_map_done(kin__read_map *map)
{
    kin__free(atomic_load_explicit(&map->table, memory_order_relaxed));
}

uint32_t kin__read_map_hash(const kin__read_map *map, kin_str key)
{
    uint64_t hash = kin__hash(map->seed, key.data, key.len);

    return (uint32_t)(hash ^ (hash >> 32));
}

kin__map_node *kin__read_table_get(const kin__read_table *table, kin_str key, uint32_t hash)
{
    if (!table)
        return NULL;

    uint8_t tag = tag_of(hash);
    size_t at = home_of(table, hash);

    for (uint32_t probes = 0; probes < table->n_buckets; probes++) {
        const struct kin__read_bucket *bucket = &table->buckets[at];
        uint64_t word = load_word(bucket);

        for (slot_set set = match(word, tag); set; set &= set - 1) {
            unsigned slot = first_slot(set);
            kin__map_node *node = load_node(bucket, slot);

            prefetch_key(table, at, slot, node);
            if (node->hash == hash && node->key_len == key.len &&
                (key.len == 0 || memcmp(node->key, key.data, key.len) == 0))
                return node;
        }
        if (word >> PASSED_SHIFT == 0)
            return NULL;
        at = after(table, at);
    }
    return NULL;
}

void kin__read_table_prefetch(const kin__read_table *table, uint32_t hash)
{
    size_t at;

    if (!table)
        return;
    at = home_of(table, hash);
    __builtin_prefetch(&table->buckets[at]);
    __builtin_prefetch(&table->lines[at]);
}

kin__map_node *kin__read_table_guess(const kin__read_table *table, uint32_t hash)
{
    const struct kin__read_bucket *bucket;
    slot_set set;

    if (!table)
        return NULL;
    bucket = &table->buckets[home_of(table, hash)];
    set = match(load_word(bucket), tag_of(hash));
    return set ? load_node(bucket, first_slot(set)) : NULL;
}

void kin__read_table_prefetch_entry(const kin__read_table *table, uint32_t hash)
{
    size_t at;
    slot_set set;

    if (!table)
        return;
    at = home_of(table, hash);
    set = match(load_word(&table->buckets[at]), tag_of(hash));
    if (set) {
        unsigned slot = first_slot(set);
        const kin__map_node *node = load_node(&table->buckets[at], slot);

        __builtin_prefetch(node);
        __builtin_prefetch((const char *)node + LINE);
        prefetch_key(table, at, slot, node);
    }
}

kin__map_node *kin__read_table_next(const kin__read_table *table, kin__map_iter *iter)
{
    if (!table)
        return NULL;
    for (; iter->bucket < table->n_buckets; iter->bucket++, iter->slot = 0) {
        const struct kin__read_bucket *bucket = &table->buckets[iter->bucket];
        slot_set set = ~match(load_word(bucket), 0) & UINT64_C(0x0080808080808080);

        set &= iter->slot < SLOTS ? ~UINT64_C(0) << (8 * iter->slot) : 0;
        if (set) {
            unsigned slot = first_slot(set);

            iter->slot = slot + 1;
            return load_node(bucket, slot);
        }
    }
    return NULL;
}

/* Put a node whose hash is set where it belongs; a free slot exists. */
static void place(kin__read_table *table, kin__map_node *node)
{
    size_t at = home_of(table, node->hash);

    for (;;) {
        struct kin__read_bucket *bucket = &table->buckets[at];
        uint64_t word = load_word(bucket);
        slot_set free_slots = match(word, 0);

        if (free_slots) {
            unsigned slot = first_slot(free_slots);

            store_node(table, at, slot, node);
            store_word(bucket, word | (uint64_t)tag_of(node->hash) << (8 * slot));
            return;
        }
        if (word >> PASSED_SHIFT < PASSED_MAX)
            store_word(bucket, word + (UINT64_C(1) << PASSED_SHIFT));
        at = after(table, at);
    }
}

static size_t limit_of(size_t n_buckets)
{
    size_t slots = n_buckets * SLOTS;

    /* 13/16 full at most; one slot at least stays free, so that probing ends. */
    return slots - slots * 3 / 16 - 1;
}

static kin__read_table *table_new(size_t n_buckets)
{
    kin__read_table *table;
    char *first;

    if (n_buckets > UINT32_MAX)
        return NULL;
    /* Zero bytes are free slots. One bucket more, to begin at a cache line, and one for the header. */
    table = kin__calloc(n_buckets + 2, LINE + sizeof(struct kin__read_lines));
    if (!table)
        return NULL;
    first = (char *)(table + 1);
    table->buckets = (struct kin__read_bucket *)(void *)(first + (-(uintptr_t)first & (LINE - 1)));
    table->lines = (struct kin__read_lines *)(void *)(table->buckets + n_buckets);
    table->n_buckets = (uint32_t)n_buckets;
    table->limit = limit_of(n_buckets);
    return table;
}

/* Put all nodes into another table, and let readers have that. 0 or KIN_ENOMEM. */
static int rebuild(kin__read_map *map, size_t n_buckets, kin__read_table **ret_old)
{
    kin__read_table *old = atomic_load_explicit(&map->table, memory_order_relaxed);
    kin__read_table *table = table_new(n_buckets);
    kin__map_iter iter = KIN__MAP_ITER_INIT;

    if (!table)
        return KIN_ENOMEM;
    for (kin__map_node *node; (node = kin__read_table_next(old, &iter));)
        place(table, node);
    atomic_store_explicit(&map->table, table, memory_order_release);
    *ret_old = old;
    return 0;
}

int kin__read_map_reserve(kin__read_map *map, size_t more, kin__read_table **ret_old)
{
    kin__read_table *old = atomic_load_explicit(&map->table, memory_order_relaxed);
    size_t n_buckets = old ? old->n_buckets : 1;

    *ret_old = NULL;
    if (old && more <= old->limit - map->len)
        return 0;
    if (more > SIZE_MAX / 2 - map->len)
        return KIN_ENOMEM;
    while (limit_of(n_buckets) < map->len + more)
        n_buckets += n_buckets / 2 + 1;
    return rebuild(map, n_buckets, ret_old);
}

void kin__read_map_shrink(kin__read_map *map, kin__read_table **ret_old)
{
    kin__read_table *old = atomic_load_explicit(&map->table, memory_order_relaxed);
    size_t n_buckets = SHRINK_MIN / 4;

    *ret_old = NULL;
    if (!old || old->n_buckets <= SHRINK_MIN || map->len >= old->limit / 8)
        return;
    /*
     * Twice what is needed, at once: there may be no further write for hours. A table is left only
     * after a fifth of its slots was freed, which pays for the rebuild.
     */
    while (limit_of(n_buckets) < map->len * 2)
        n_buckets += n_buckets / 2 + 1;
    rebuild(map, n_buckets, ret_old);
}

void kin__read_map_add(kin__read_map *map, kin__map_node *node, kin_str key, uint32_t hash)
{
    kin__read_table *table = atomic_load_explicit(&map->table, memory_order_relaxed);

    kin__assert(table && map->len < table->limit && key.len <= KIN__MAP_KEY_MAX);
    node->key = key.data;
    node->key_len = (uint32_t)key.len;
    node->hash = hash;
    place(table, node);
    map->len++;
}

/* Where a node is; false if it is not in the table. */
static bool locate(const kin__read_table *table, const kin__map_node *node, size_t *ret_at,
                   unsigned *ret_slot)
{
    uint8_t tag = tag_of(node->hash);
    size_t at = home_of(table, node->hash);

    for (uint32_t probes = 0; probes < table->n_buckets; probes++) {
        const struct kin__read_bucket *bucket = &table->buckets[at];
        uint64_t word = load_word(bucket);

        for (slot_set set = match(word, tag); set; set &= set - 1) {
            unsigned slot = first_slot(set);

            if (load_node(bucket, slot) == node) {
                *ret_at = at;
                *ret_slot = slot;
                return true;
            }
        }
        if (word >> PASSED_SHIFT == 0)
            return false;
        at = after(table, at);
    }
    return false;
}

static bool put_instead(kin__read_table *table, const kin__map_node *old, kin__map_node *node)
{
    size_t at = 0;
    unsigned slot = 0;

    if (!locate(table, old, &at, &slot))
        return false;
    store_node(table, at, slot, node);
    return true;
}

void kin__read_map_swap(kin__read_map *map, const kin__map_node *old, kin__map_node *node)
{
    bool found = put_instead(atomic_load_explicit(&map->table, memory_order_relaxed), old, node);

    kin__assert(found && node->hash == old->hash);
    (void)found;
}

static bool take_out(kin__read_table *table, const kin__map_node *node)
{
    size_t home = home_of(table, node->hash);
    size_t at = 0;
    unsigned slot = 0;

    if (!locate(table, node, &at, &slot))
        return false;
    store_word(&table->buckets[at],
               load_word(&table->buckets[at]) & ~(UINT64_C(0xff) << (8 * slot)));
    for (size_t before = home; before != at; before = after(table, before)) {
        struct kin__read_bucket *bucket = &table->buckets[before];
        uint64_t word = load_word(bucket);

        /* One that saturated has lost count and stays. */
        if (word >> PASSED_SHIFT < PASSED_MAX)
            store_word(bucket, word - (UINT64_C(1) << PASSED_SHIFT));
    }
    return true;
}

void kin__read_map_remove(kin__read_map *map, const kin__map_node *node)
{
    bool found = take_out(atomic_load_explicit(&map->table, memory_order_relaxed), node);

    kin__assert(found);
    (void)found;
    map->len--;
}

void kin__read_table_forget(kin__read_table *table, const kin__map_node *node,
                            kin__map_node *instead)
{
    if (instead)
        put_instead(table, node, instead);
    else
        take_out(table, node);
}
