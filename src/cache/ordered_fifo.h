/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the ordered FIFO: ordered_fifo.c (life, state, putting in), ordered_fifo_pop.c (turns
 * and taking out), ordered_fifo_list.c (replacing and resyncing).
 *
 * All changes are in one ring. Those in flight are still its first ones: to requeue them is to do
 * nothing, and whoever has the *turn* drops them when their processing has returned. The turn belongs
 * to one thread, which pops, replaces or resyncs. Putting in needs no turn.
 *
 * Where there are known objects, each key in the ring has an entry in a map, which says what its last
 * change is: that is what a replacement or resync has to know. The key's bytes are those of the last
 * change, which leaves the ring last.
 *
 * Of the line (line.h) this queue uses the lock, the conditions, closing and syncing. It has no line of
 * keys.
 */
#ifndef KIN_CACHE_ORDERED_FIFO_H
#define KIN_CACHE_ORDERED_FIFO_H

#include "cache/line.h"
#include "cache/pop.h"
#include "cache/ring.h"
#include "cache/staged.h"
#include "kinform/ordered_fifo.h"

/* A key that is in the ring, or is about to be. */
typedef struct kin__ordered_key {
    kin__map_node node;
    kin__list link;         /* while it is spare */
    size_t n;               /* changes in the ring */
    size_t reserved;        /* changes that are about to come */
    kin_delta_type type;    /* of the last change */
    const kin_object *last; /* BORROWED from the ring: the last change's, if there is any */
    uint64_t listed;        /* the last replacement whose list has the key */
    uint64_t seen;          /* the last replacement that came across it in the ring */
} kin__ordered_key;

/* What a batch is handed over in. It belongs to whoever has the turn. */
typedef struct kin__ordered_batch {
    kin_deltas *deltas;
    kin_delta *items;
    uint32_t *places; /* a hash table of the keys: the place in the batch, or beyond it */
    size_t cap;       /* of deltas and items; twice as many places, which are a power of 2 */
} kin__ordered_batch;

struct kin_ordered_fifo {
    kin__line line; /* its lock is the queue's */
    kin__slow slow;
    kin_key_fn *key;
    void *key_arg;
    kin_transform_fn *transform;
    void *transform_arg;
    atomic_bool *renames; /* the transformer has changed a key; `own_renames`, or an informer's */
    atomic_bool own_renames;
    bool has_known;
    bool emit_bookmarks;
    kin_known_objects known;
    const kin_object *sync_all; /* SHARED: the object of every SYNC_ALL */
    kin__ring ring;             /* (lock) */
    size_t n_flight;            /* (lock) how many of its first are in flight */
    bool is_taken;              /* (lock) the turn is */
    pthread_t taker;            /* (lock) by whom */
    size_t n_claims;            /* (lock) how many wait for it to replace or resync */
    kin__cond turn;             /* the turn is free for one of them */
    kin__ordered_batch batch;   /* (turn) */
    kin__map keys;              /* (lock) of the ring, where there are known objects */
    uint64_t mark;              /* (lock) counts replacements */
    kin__list spare;            /* (lock) entries to be used again */
    size_t n_spare;             /* (lock) */
};

static inline kin__ordered_key *kin__ordered_key_of(kin__map_node *node)
{
    return node ? kin__container_of(node, kin__ordered_key, node) : NULL;
}

/* The line of a queue, which may be NULL. */
static inline kin__line *kin__ordered_fifo_line(kin_ordered_fifo *fifo)
{
    return fifo ? &fifo->line : NULL;
}

/* 0, KIN_EINVAL (NULL), KIN_EFORKED. */
static inline int kin__ordered_fifo_check(const kin_ordered_fifo *fifo, kin_error *err)
{
    return kin__line_check(fifo ? &fifo->line : NULL, err);
}

/* --- ordered_fifo.c --- */

/* The entry of a key, made if need be, for one change more. NULL: no memory. */
kin__ordered_key *kin__ordered_fifo_reserve_locked(kin_ordered_fifo *fifo, kin_str key,
                                                   uint32_t hash) KIN_REQUIRES(fifo->line.lock);
/* The opposite. */
void kin__ordered_fifo_unreserve_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
    KIN_REQUIRES(fifo->line.lock);
/* A change of the key has left the ring. */
void kin__ordered_fifo_release_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
    KIN_REQUIRES(fifo->line.lock);

/* What comes in: the object to queue, its key and all. CONSUMED by the caller. */
int kin__ordered_fifo_take_in(kin_ordered_fifo *fifo, kin_delta_type type, const kin_object *object,
                              kin__staged *ret, kin_error *err);

/* Put a change into the ring, where there is room, and wake somebody. CONSUMES the object. */
void kin__ordered_fifo_push_locked(kin_ordered_fifo *fifo, kin_delta_type type,
                                   const kin__staged *staged) KIN_REQUIRES(fifo->line.lock);

/*
 * Queue a change that concerns all or none, which does not make the queue populated. CONSUMES the
 * object, also on failure. 0 or KIN_ENOMEM.
 */
int kin__ordered_fifo_queue_whole(kin_ordered_fifo *fifo, kin_delta_type type,
                                  const kin_object *object, kin_error *err);

/* --- ordered_fifo_pop.c --- */

/* Wait for the turn, to replace or resync. 0, KIN_EBUSY: it is this thread's already. */
int kin__ordered_fifo_claim_locked(kin_ordered_fifo *fifo, kin_error *err)
    KIN_REQUIRES(fifo->line.lock);
/* It is the next one's turn. */
void kin__ordered_fifo_pass_locked(kin_ordered_fifo *fifo) KIN_REQUIRES(fifo->line.lock);
void kin__ordered_batch_done(kin__ordered_batch *batch);

#endif
