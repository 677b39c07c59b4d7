/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What deltas do to a store, and what handlers are to be told of it: client-go's processDeltas, many
 * keys at a time.
 *
 * The store's content decides, not the type of a delta: what it has is updated, what it has not is
 * added, and the deletion of what it has not is told to nobody. All of a batch is one transaction.
 */
#ifndef KIN_INFORMER_PROCESS_DELTAS_H
#define KIN_INFORMER_PROCESS_DELTAS_H

#include "informer/event_queue.h"
#include "kinform/delta.h"
#include "kinform/store.h"

/* Reused from batch to batch. One thread at a time. */
typedef struct kin__delta_batch {
    kin_store *store; /* BORROWED */
    kin_key_fn *key;  /* the store's */
    void *key_arg;
    kin__notice *notices;
    size_t n_notices; /* to be told, in their order, until the next batch */
    size_t n_sync;    /* of these: those that are `is_sync` */
    size_t n_failed;  /* writes that the store refused, and nobody is told of */
    kin_error failed; /* why the first of these was */
    kin_write *writes;
    const kin_object **known; /* by write: what the store had, SHARED, or NULL */
    size_t n_writes;
    size_t cap;    /* of all three */
    int64_t grown; /* bytes that the cache has more since the batch, or fewer; an estimate */
    /*
     * Set by the owner: a list was to find differences only. Objects of it that the store has in the same state make no
     * notice. The same version alone does not say so: a server that was restored from a backup uses versions again.
     */
    bool skips_same;
} kin__delta_batch;

void kin__delta_batch_init(kin__delta_batch *batch, kin_store *store, kin_key_fn *key,
                           void *key_arg);
void kin__delta_batch_done(kin__delta_batch *batch);

/*
 * Apply a batch, one kin_deltas per key, of changes of single objects. The notices point to objects of
 * the deltas and of `known`: they are valid while the deltas are, and until the next call. 0, KIN_ENOMEM or
 * another failure of the whole transaction: nothing has changed.
 */
int kin__process_deltas(kin__delta_batch *batch, const kin_deltas *deltas, size_t n,
                        bool is_initial, kin_error *err);
/* What a cached object takes, with its record; an estimate. */
int64_t kin__delta_batch_cost(const kin_object *object);
/* The notices were told: let go of what they need. */
void kin__delta_batch_clear(kin__delta_batch *batch);

#endif
