/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO: turns, and taking out.
 *
 * Whoever pops sleeps on the line's `changed` until the turn is free and the ring has something.
 * Whoever replaces or resyncs comes first: it sleeps on `turn`, and pops wait while there is one, so
 * that a consumer who never rests cannot keep lists out.
 */
#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/ordered_fifo.h"

enum { BATCH_KEPT = 4096 /* room for a larger batch is given back at once */ };

/* --- turns --- */

static void take_turn_locked(kin_ordered_fifo *fifo) KIN_REQUIRES(fifo->line.lock)
{
    fifo->is_taken = true;
    fifo->taker = pthread_self();
}

static bool has_turn_locked(const kin_ordered_fifo *fifo) KIN_REQUIRES(fifo->line.lock)
{
    return fifo->is_taken && pthread_equal(fifo->taker, pthread_self());
}

int kin__ordered_fifo_claim_locked(kin_ordered_fifo *fifo, kin_error *err)
{
    if (has_turn_locked(fifo))
        return kin_error_set(
            err, KIN_EBUSY,
            "a process function or known objects replace or resync their own queue");
    fifo->n_claims++;
    while (fifo->is_taken)
        kin__cond_wait(&fifo->turn, &fifo->line.lock);
    fifo->n_claims--;
    take_turn_locked(fifo);
    return 0;
}

void kin__ordered_fifo_pass_locked(kin_ordered_fifo *fifo)
{
    fifo->is_taken = false;
    if (fifo->n_claims > 0)
        kin__cond_signal(&fifo->turn);
    else if (fifo->line.n_sleeping > 0 && fifo->line.closed)
        kin__cond_broadcast(&fifo->line.changed);
    else if (fifo->line.n_sleeping > 0 && fifo->ring.len > 0)
        kin__cond_signal(&fifo->line.changed);
}

/* Wait for the turn and something to take. 0, KIN_ETIMEOUT, KIN_ECLOSED, KIN_EBUSY. */
static int await_locked(kin_ordered_fifo *fifo, int64_t deadline) KIN_REQUIRES(fifo->line.lock)
{
    bool in_time = true;

    if (has_turn_locked(fifo))
        return KIN_EBUSY;
    while (fifo->is_taken || fifo->n_claims > 0 || fifo->ring.len == 0) {
        /* What is in flight may come back, and a list is on its way: it hands out all it has. */
        if (fifo->line.closed && !fifo->is_taken && fifo->n_claims == 0 && fifo->ring.len == 0)
            return KIN_ECLOSED;
        if (!in_time)
            return KIN_ETIMEOUT;
        fifo->line.n_sleeping++;
        in_time =
            kin__cond_wait_until(&fifo->line.changed, &fifo->line.lock, fifo->line.clock, deadline);
        fifo->line.n_sleeping--;
    }
    take_turn_locked(fifo);
    return 0;
}

static int say_why(int code, kin_error *err)
{
    if (code == KIN_EBUSY)
        return kin_error_set(err, code,
                             "a process function or known objects pop from their own queue");
    return kin__pop_nothing(code, err);
}

/* --- flights --- */

struct flight {
    kin_deltas *deltas;
    size_t n;
    bool initial; /* of the first list, or before any */
    bool counted; /* of the first list */
    size_t depth; /* how many wait behind it */
};

static kin_str key_of(const kin__ring_item *item)
{
    return kin_str_make(item->key, item->key_len);
}

/* The first `n` of the ring are on their way. */
static void depart_locked(kin_ordered_fifo *fifo, struct flight *flight, size_t n)
    KIN_REQUIRES(fifo->line.lock)
{
    fifo->n_flight = n;
    flight->n = n;
    flight->initial = !kin__line_has_synced_locked(&fifo->line);
    flight->counted = fifo->line.initial_left > 0;
    flight->depth = fifo->ring.len - n;
}

/* They are back, or done with: then their objects are the caller's. */
static void land_locked(kin_ordered_fifo *fifo, const struct flight *flight, bool requeue)
    KIN_REQUIRES(fifo->line.lock)
{
    fifo->n_flight = 0;
    if (requeue) {
        /* The first list came meanwhile and is behind them: they are a part of it now. */
        if (!flight->counted && fifo->line.initial_left > 0)
            kin__line_add_initial_locked(&fifo->line, flight->n);
        return;
    }
    for (size_t i = 0; i < flight->n; i++) {
        kin__ordered_key *entry = kin__ring_at(&fifo->ring, i)->entry;

        if (entry)
            kin__ordered_fifo_release_locked(fifo, entry);
    }
    kin__ring_drop(&fifo->ring, flight->n);
    if (flight->counted)
        kin__line_skip_initial_locked(&fifo->line, flight->n);
}

/* --- one --- */

int kin_ordered_fifo_pop(kin_ordered_fifo *fifo, kin_process_fn *process, void *arg,
                         int64_t timeout_ms, kin_error *err)
{
    kin_delta delta = {KIN_DELTA_ADDED, NULL};
    kin_deltas deltas = {&delta, 1, {"", 0}};
    struct flight flight = {&deltas, 0, false, false, 0};
    kin_error said;
    int64_t start;
    int64_t deadline;
    int code;

    if (!process)
        return kin_error_set(err, KIN_EINVAL, "process is NULL");
    code = kin__ordered_fifo_check(fifo, err);
    if (code < 0)
        return code;
    deadline = kin__line_deadline(&fifo->line, timeout_ms);
    kin__mutex_lock(&fifo->line.lock);
    code = await_locked(fifo, deadline);
    if (code == 0) {
        const kin__ring_item *item = kin__ring_at(&fifo->ring, 0);

        delta = (kin_delta){(kin_delta_type)item->type, item->object};
        deltas.key = key_of(item);
        depart_locked(fifo, &flight, 1);
    }
    kin__mutex_unlock(&fifo->line.lock);
    if (code < 0)
        return say_why(code, err);
    kin__error_begin(&said);
    start = kin__slow_start(&fifo->slow, fifo->line.clock, flight.depth);
    kin__assert_no_locks();
    code = process(&deltas, flight.initial, arg, &said);
    kin__slow_end(&fifo->slow, fifo->line.clock, start, deltas.key, 1, flight.depth);
    kin__mutex_lock(&fifo->line.lock);
    land_locked(fifo, &flight, code == KIN_EREQUEUE);
    kin__ordered_fifo_pass_locked(fifo);
    kin__mutex_unlock(&fifo->line.lock);
    if (code != KIN_EREQUEUE)
        kin_object_unref(delta.object);
    return kin__pop_result(code, &said, err);
}

/* --- many --- */

void kin__ordered_batch_done(kin__ordered_batch *batch)
{
    kin__free(batch->deltas);
    kin__free(batch->items);
    kin__free(batch->places);
    *batch = (kin__ordered_batch){NULL, NULL, NULL, 0};
}

/* Room for `n`. 0 or KIN_ENOMEM. */
static int reserve_batch(kin__ordered_batch *batch, size_t n)
{
    size_t cap = batch->cap ? batch->cap : 16;

    if (n <= batch->cap)
        return 0;
    while (cap < n)
        cap *= 2;
    kin__ordered_batch_done(batch);
    batch->deltas = kin__realloc_array(NULL, cap, sizeof(*batch->deltas));
    batch->items = kin__realloc_array(NULL, cap, sizeof(*batch->items));
    batch->places = kin__realloc_array(NULL, cap, 2 * sizeof(*batch->places));
    if (!batch->deltas || !batch->items || !batch->places) {
        kin__ordered_batch_done(batch);
        return KIN_ENOMEM;
    }
    batch->cap = cap;
    return 0;
}

static bool is_batchable(const kin__ring_item *item)
{
    return item->type <= KIN_DELTA_SYNC;
}

/* Note that the i-th of the ring has its key; false if one before it has the same. */
static bool note_key(const kin__ring *ring, uint32_t *places, size_t mask, size_t i)
{
    const kin__ring_item *item = kin__ring_at(ring, i);
    size_t place = item->hash & mask;

    for (; places[place] != UINT32_MAX; place = (place + 1) & mask) {
        const kin__ring_item *other = kin__ring_at(ring, places[place]);

        if (other->hash == item->hash && kin_str_equal(key_of(other), key_of(item)))
            return KIN_DEFECT(ordered_batch_repeats_key);
    }
    places[place] = (uint32_t)i;
    return true;
}

/* How many of the first `max` go together: at least one. There is room for `max` in the batch. */
static size_t count_together(const kin__ring *ring, kin__ordered_batch *batch, size_t max)
{
    size_t mask = 1;
    size_t n = 0;

    if (!is_batchable(kin__ring_at(ring, 0)))
        return 1;
    while (mask < 2 * max - 1)
        mask = 2 * mask + 1;
    memset(batch->places, 0xff, (mask + 1) * sizeof(*batch->places));
    while (n < max && is_batchable(kin__ring_at(ring, n)) && note_key(ring, batch->places, mask, n))
        n++;
    return n;
}

/* With the turn. 0 or KIN_ENOMEM. */
static int depart_together_locked(kin_ordered_fifo *fifo, struct flight *flight, size_t max)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__ordered_batch *batch = &fifo->batch;
    size_t n;

    if (max > fifo->ring.len)
        max = fifo->ring.len;
    if (fifo->line.initial_left > 0 && max > fifo->line.initial_left)
        max = fifo->line.initial_left;
    if (reserve_batch(batch, max) < 0)
        return KIN_ENOMEM;
    n = count_together(&fifo->ring, batch, max);
    for (size_t i = 0; i < n; i++) {
        const kin__ring_item *item = kin__ring_at(&fifo->ring, i);

        batch->items[i] = (kin_delta){(kin_delta_type)item->type, item->object};
        batch->deltas[i] = (kin_deltas){&batch->items[i], 1, key_of(item)};
    }
    flight->deltas = batch->deltas;
    depart_locked(fifo, flight, n);
    return 0;
}

/* The batch is the turn's: it is not passed on before the last reference in it was given back. */
static void land_together(kin_ordered_fifo *fifo, const struct flight *flight, bool requeue)
{
    kin__mutex_lock(&fifo->line.lock);
    land_locked(fifo, flight, requeue);
    kin__mutex_unlock(&fifo->line.lock);
    for (size_t i = 0; !requeue && i < flight->n; i++)
        kin_object_unref(flight->deltas[i].items[0].object);
    if (fifo->batch.cap > BATCH_KEPT)
        kin__ordered_batch_done(&fifo->batch);
    kin__mutex_lock(&fifo->line.lock);
    kin__ordered_fifo_pass_locked(fifo);
    kin__mutex_unlock(&fifo->line.lock);
}

int kin_ordered_fifo_pop_batch(kin_ordered_fifo *fifo, kin_process_batch_fn *process, void *arg,
                               size_t max, int64_t timeout_ms, kin_error *err)
{
    struct flight flight = {NULL, 0, false, false, 0};
    kin_error said;
    int64_t start;
    int64_t deadline;
    int code;

    if (!process)
        return kin_error_set(err, KIN_EINVAL, "process is NULL");
    code = kin__ordered_fifo_check(fifo, err);
    if (code < 0)
        return code;
    deadline = kin__line_deadline(&fifo->line, timeout_ms);
    kin__mutex_lock(&fifo->line.lock);
    code = await_locked(fifo, deadline);
    if (code == 0) {
        code = depart_together_locked(fifo, &flight, max ? max : KIN__POP_BATCH);
        if (code < 0)
            kin__ordered_fifo_pass_locked(fifo);
    }
    kin__mutex_unlock(&fifo->line.lock);
    if (!flight.deltas)
        return say_why(code, err);
    kin__error_begin(&said);
    start = kin__slow_start(&fifo->slow, fifo->line.clock, flight.depth);
    kin__assert_no_locks();
    code = process(flight.deltas, flight.n, flight.initial, arg, &said);
    kin__slow_end(&fifo->slow, fifo->line.clock, start, flight.deltas[0].key, flight.n,
                  flight.depth);
    land_together(fifo, &flight, code == KIN_EREQUEUE);
    return kin__pop_result(code, &said, err);
}
