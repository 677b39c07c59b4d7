/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of DeltaFIFO: delta_fifo.c (life, in and out), delta_fifo_list.c (replacing and
 * resyncing), delta_fifo_read.c.
 *
 * An entry has the deltas that are queued and those that are in flight. Memory that a later step
 * needs is there before: `queued`, if there is one, has room for what is in flight, so that a
 * requeue cannot fail, and for what is reserved under the lock.
 *
 * A deletion that arrives while a deletion of its key is in flight is kept in `again`. If the one in
 * flight succeeds, `again` is released. If its processing fails, `again` is queued before everything
 * newer; if it is requeued, the two are merged.
 */
#ifndef KIN_CACHE_DELTA_FIFO_H
#define KIN_CACHE_DELTA_FIFO_H

#include "cache/line.h"
#include "cache/pop.h"
#include "kinform/delta_fifo.h"

enum {
    KIN__DELTAS_INLINE = 2,
    KIN__DELETED_SLOTS = 64, /* a power of 2 */
};

typedef struct kin__delta_set {
    kin_delta *items; /* NULL, the entry's `few`, or OWNED; a reference to each object */
    uint32_t len;
    uint32_t cap;
} kin__delta_set;

typedef struct kin__delta_entry {
    kin__line_entry line; /* its key is that of the first object in flight, else of `queued_key` */
    const char *queued_key; /* the key's bytes in the first object that is queued */
    kin__delta_set queued;
    kin__delta_set flight; /* in flight, or of the last flight while it lingers */
    /* SHARED: a deletion that came while one was in flight, before all of `queued`; NULL: none */
    const kin_object *again;
    const char *again_key; /* the key's bytes in it */
    bool failed;           /* the last flight has landed, and its processing failed */
    uint32_t reserved;     /* places in `queued` kept for a replacement */
    uint64_t mark;         /* the last replacement whose list has the key */
    kin_delta few[KIN__DELTAS_INLINE];
} kin__delta_entry;

struct kin_delta_fifo {
    kin__line line; /* its lock is the queue's */
    kin__slow slow;
    kin_key_fn *key;
    void *key_arg;
    kin_transform_fn *transform;
    void *transform_arg;
    atomic_bool *renames; /* the transformer has changed a key; `own_renames`, or an informer's */
    atomic_bool own_renames;
    bool has_known;
    kin_known_objects known;
    kin_delta_type replaced; /* what objects of a list come as */
    uint64_t mark;           /* (lock) counts replacements */
    kin__list spare;         /* (lock) entries to be used again, linked by their line.link */
    size_t n_spare;          /* (lock) */
    size_t max_surplus;      /* const; 0: no limit */
    size_t n_deltas;         /* (lock) that are queued, of all keys */
    /* (lock) how many flights that end with a deletion have landed, by their keys' hashes */
    uint32_t n_deleted[KIN__DELETED_SLOTS];
};

static inline kin__delta_entry *kin__delta_entry_of(kin__line_entry *entry)
{
    return entry ? kin__container_of(entry, kin__delta_entry, line) : NULL;
}

/* Entries that are in no map, linked by their line.aside. The lock is not held. */
void kin__delta_entries_free(kin__list *dead);

/* The line of a queue, which may be NULL. */
static inline kin__line *kin__delta_fifo_line(kin_delta_fifo *fifo)
{
    return fifo ? &fifo->line : NULL;
}

/* kin__input() with the functions of the queue; for a deletion kin__input_deleted(). */
int kin__delta_fifo_input(kin_delta_fifo *fifo, kin_delta_type type, const kin_object *object,
                          const kin_object **ret, kin_str *ret_key, kin_error *err);

/* 0, KIN_EINVAL (NULL), KIN_EFORKED. */
static inline int kin__delta_fifo_check(const kin_delta_fifo *fifo, kin_error *err)
{
    return kin__line_check(fifo ? &fifo->line : NULL, err);
}

/*
 * The entry of a key, made if need be, with one more place reserved. The key's bytes must stay until
 * the place is used or given back. NULL: no memory.
 */
kin__delta_entry *kin__delta_fifo_reserve_locked(kin_delta_fifo *fifo, kin_str key, uint32_t hash)
    KIN_REQUIRES(fifo->line.lock);
/*
 * Make the reserved places of an entry good again. A reservation that outlives the lock loses them
 * when the key is taken, for they go along. 0 or KIN_ENOMEM.
 */
int kin__delta_entry_keep_room(kin__delta_entry *entry);
/*
 * The opposite. An entry that has nothing else leaves the map and goes to `dead`, to be freed with
 * kin__delta_entries_free().
 */
void kin__delta_fifo_unreserve_locked(kin_delta_fifo *fifo, kin__delta_entry *entry,
                                      kin__list *dead) KIN_REQUIRES(fifo->line.lock);

/*
 * Put a delta into a reserved place and the key into the line. CONSUMES the object, whose key's bytes
 * are `key`; returns one that is not needed and shall be released without the lock, or NULL.
 */
const kin_object *kin__delta_fifo_append_locked(kin_delta_fifo *fifo, kin__delta_entry *entry,
                                                kin_delta_type type, const kin_object *object,
                                                const char *key) KIN_REQUIRES(fifo->line.lock);

/* The newest delta of an entry, queued, in flight or lingering; NULL if it has none. */
const kin_delta *kin__delta_entry_newest(const kin__delta_entry *entry);

/* Whether the newest delta of an entry is a deletion that is in flight, and so may still fail. */
bool kin__delta_entry_deletes_now(const kin__delta_entry *entry);

#endif
