/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: one state of one key in a store.
 *
 * A record is born in a version and dies in one; a reader of version v sees it if
 * born <= v < died. The newest record of a key is in the store's map, and leads to older ones that
 * somebody may still see. A newer record takes the place of the one before it in the map, and in
 * the postings of all values that both have, so that an update that moves nothing between values
 * touches no index but for those pointers.
 *
 * A record is const once others can reach it, but for `died`, `older` and its slots, which the
 * writer changes, and for what only the writer looks at.
 */
#ifndef KIN_CACHE_RECORD_H
#define KIN_CACHE_RECORD_H

#include <stdatomic.h>

#include "base/compiler.h"
#include "base/map.h"
#include "kinform/object.h"

#define KIN__NEVER UINT64_MAX

struct kin__index_value;

enum {
    KIN__RECORD_IN_MAP = 1,   /* the store's map points at it */
    KIN__RECORD_POSTED = 2,   /* it is dead, and some postings may still point at it */
    KIN__RECORD_REVIVED = 4,  /* dead when a newer record came: readers may go through it */
    KIN__RECORD_RETIRED = 8,  /* it is in the queue of the dead */
    KIN__RECORD_SPLICED = 16, /* and nothing points at it any more */
};

typedef struct kin__record {
    kin__map_node node; /* the key's bytes are those of the object, or of the key object */
    const kin_object *object;
    uint64_t born;
    _Atomic uint64_t died;
    _Atomic(struct kin__record *) older; /* looked at only by readers of versions before `born` */
    struct kin__record *next;            /* in the writer's lists */
    uint8_t flags;                       /* the writer's */
    bool has_key;                        /* the writer gave it a key: there is a key object */
    uint16_t n_links;
    /*
     * Where it stands in the indexes: n_links slots, and as many values behind them. The slot is
     * the record's place in the postings of the value. After them, if has_key, a reference to the key
     * object. Copies of the record share it: a view may show its bytes.
     */
    _Atomic uint32_t slots[];
} kin__record;

static inline size_t kin__record_values_offset(size_t n_links)
{
    size_t end = offsetof(kin__record, slots) + n_links * sizeof(uint32_t);

    return (end + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
}

static inline size_t kin__record_size(size_t n_links, bool has_key)
{
    size_t size = kin__record_values_offset(n_links) + (n_links + has_key) * sizeof(void *);

    return size > sizeof(kin__record) ? size : sizeof(kin__record);
}

static inline struct kin__index_value **kin__record_values(const kin__record *record)
{
    return (struct kin__index_value **)(void *)((char *)kin__unconst(record) +
                                                kin__record_values_offset(record->n_links));
}

/* Where the key object of a record that has_key is. */
static inline const kin_object **kin__record_key_place(const kin__record *record)
{
    return (const kin_object **)(void *)(kin__record_values(record) + record->n_links);
}

/* The key object, BORROWED; NULL: the key's bytes are the object's. */
static inline const kin_object *kin__record_key_object(const kin__record *record)
{
    return record->has_key ? *kin__record_key_place(record) : NULL;
}

static inline kin__record *kin__record_of(kin__map_node *node)
{
    return node ? kin__container_of(node, kin__record, node) : NULL;
}

static inline kin__record *kin__record_older(const kin__record *record)
{
    return atomic_load_explicit(&record->older, memory_order_acquire);
}

static inline uint64_t kin__record_died(const kin__record *record)
{
    return atomic_load_explicit(&record->died, memory_order_relaxed);
}

/* The state that a version has, of a key whose newest is `record`; NULL if it has none. */
static inline kin__record *kin__record_at(kin__record *record, uint64_t version)
{
    while (record && record->born > version)
        record = kin__record_older(record);
    return record && version < kin__record_died(record) ? record : NULL;
}

/* The record's link to a value, or n_links. */
static inline unsigned kin__record_find_link(const kin__record *record,
                                             const struct kin__index_value *value)
{
    struct kin__index_value **values = kin__record_values(record);
    unsigned i = 0;

    while (i < record->n_links && values[i] != value)
        i++;
    return i;
}

#endif
