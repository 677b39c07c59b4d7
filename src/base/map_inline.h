/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short operations of a map (map.h, and map.c for the layout), inline: for the few callers to
 * whom a call costs as much as what it does. All others use map.h, whose functions are these.
 */
#ifndef KIN_BASE_MAP_INLINE_H
#define KIN_BASE_MAP_INLINE_H

#include "base/assert.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "base/map.h"

#define KIN__MAP_SLOTS 7u
#define KIN__MAP_PASSED_MAX 255u

struct kin__map_bucket {
    uint8_t tag[KIN__MAP_SLOTS];
    uint8_t passed;
    kin__map_node *node[KIN__MAP_SLOTS];
};

_Static_assert(sizeof(struct kin__map_bucket) == KIN__MAP_BUCKET_BYTES || sizeof(void *) != 8,
               "a bucket is one cache line");

/* One bit set per slot, at the bit 8 * slot + 7. */
typedef uint64_t kin__map_slots;

static inline uint8_t kin__map_tag(uint32_t hash)
{
    uint8_t tag = (uint8_t)(hash >> 24);

    return tag ? tag : 1;
}

/* The slots whose tag equals `tag`. Exact: no slot is reported that does not match. */
static inline kin__map_slots kin__map_match(const struct kin__map_bucket *bucket, uint8_t tag)
{
    const uint64_t low7 = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t without_passed = UINT64_C(0x00ffffffffffffff);
    uint64_t word;

    memcpy(&word, bucket, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    word ^= tag * UINT64_C(0x0101010101010101);
    /* A byte is zero if neither its high bit nor a carry out of its low bits is set. */
    return ~(((word & low7) + low7) | word | low7) & without_passed;
}

static inline unsigned kin__map_first_slot(kin__map_slots set)
{
    return (unsigned)__builtin_ctzll(set) / 8;
}

static inline uint64_t kin__map_word(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* Keys are short and nearly always equal where this is asked: no call, no search for the place. */
static inline bool kin__map_same_bytes(const char *a, const char *b, size_t len)
{
    const size_t step = sizeof(uint64_t);
    uint64_t differ = 0;

    if (kin__unlikely(len < step))
        return len == 0 || memcmp(a, b, len) == 0;
    for (size_t i = 0; i + step < len; i += step)
        differ |= kin__map_word(a + i) ^ kin__map_word(b + i);
    /* The last words overlap those before them, unless the length is a multiple. */
    differ |= kin__map_word(a + len - step) ^ kin__map_word(b + len - step);
    return differ == 0;
}

static inline uint32_t kin__map_hash_inline(const kin__map *map, kin_str key)
{
    uint64_t hash = kin__hash(map->seed, key.data, key.len);

    return (uint32_t)(hash ^ (hash >> 32));
}

/* kin__map_get_hashed() */
static inline kin__map_node *kin__map_find_inline(const kin__map *map, kin_str key, uint32_t hash)
{
    if (map->len == 0)
        return NULL;

    uint8_t tag = kin__map_tag(hash);
    size_t at = hash & map->mask;

    for (size_t probes = 0; probes <= map->mask; probes++) {
        const struct kin__map_bucket *bucket = &map->buckets[at];

        for (kin__map_slots set = kin__map_match(bucket, tag); set; set &= set - 1) {
            kin__map_node *node = bucket->node[kin__map_first_slot(set)];

            if (node->hash == hash && node->key_len == key.len &&
                kin__likely(kin__map_same_bytes(node->key, key.data, key.len)))
                return node;
        }
        if (bucket->passed == 0)
            return NULL;
        at = (at + 1) & map->mask;
    }
    return NULL;
}

/* Put a node whose hash is set where it belongs; a free slot exists. */
static inline void kin__map_place_inline(struct kin__map_bucket *buckets, size_t mask,
                                         kin__map_node *node)
{
    size_t at = node->hash & mask;

    for (;;) {
        struct kin__map_bucket *bucket = &buckets[at];
        kin__map_slots free_slots = kin__map_match(bucket, 0);

        if (kin__likely(free_slots)) {
            unsigned slot = kin__map_first_slot(free_slots);

            bucket->tag[slot] = kin__map_tag(node->hash);
            bucket->node[slot] = node;
            return;
        }
        if (bucket->passed < KIN__MAP_PASSED_MAX)
            bucket->passed++;
        at = (at + 1) & mask;
    }
}

/* kin__map_add_new_hashed() of a key that is not too long, with room: len < limit. */
static inline void kin__map_put_inline(kin__map *map, kin__map_node *node, kin_str key,
                                       uint32_t hash)
{
    node->key = key.data;
    node->key_len = (uint32_t)key.len;
    node->hash = hash;
    kin__map_place_inline(map->buckets, map->mask, node);
    map->len++;
}

static inline bool kin__map_clear_slot(struct kin__map_bucket *bucket, const kin__map_node *node)
{
    for (kin__map_slots set = kin__map_match(bucket, kin__map_tag(node->hash)); set;
         set &= set - 1) {
        unsigned slot = kin__map_first_slot(set);

        if (kin__likely(bucket->node[slot] == node)) {
            bucket->tag[slot] = 0;
            bucket->node[slot] = NULL;
            return true;
        }
    }
    return false;
}

/* kin__map_remove() */
static inline void kin__map_remove_inline(kin__map *map, kin__map_node *node)
{
    size_t at = node->hash & map->mask;
    size_t probes = 0;

    while (probes <= map->mask && kin__unlikely(!kin__map_clear_slot(&map->buckets[at], node))) {
        if (map->buckets[at].passed < KIN__MAP_PASSED_MAX)
            map->buckets[at].passed--;
        at = (at + 1) & map->mask;
        probes++;
    }
    kin__assert(probes <= map->mask); /* it was in the map */
    map->len--;
}

#endif
