/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing and publishing. The writer's lock orders writes; it is held by whoever has begun one. The
 * state's lock is held for moments only. All that can fail is done when a write is put on top, so
 * that publishing and undoing cannot fail.
 *
 * Without a storage a write is published as it is committed. With one, the storage's thread
 * publishes, a bounded number for each hold of the lock.
 */
#include "apiserver/state/state_inside.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kinform/json.h"

static kin__entry *find(kin__collection *collection, kin_str key)
{
    kin__sorted_node *node = kin__sorted_get(&collection->entries, key);

    return node ? kin__entry_of(node) : NULL;
}

/* The key's entry, made without a revision if there is none. NULL: no memory. */
static kin__entry *find_or_add(kin__collection *collection, kin_str key)
{
    kin__entry *entry = find(collection, key);

    if (entry)
        return entry;
    entry = kin__malloc(sizeof(*entry) + key.len + 1);
    if (!entry)
        return NULL;
    entry->newest = NULL;
    memcpy(entry->key, key.data, key.len);
    entry->key[key.len] = '\0';
    if (kin__sorted_insert(&collection->entries, &entry->node, kin_str_make(entry->key, key.len)) <
        0) {
        kin__free(entry);
        return NULL;
    }
    return entry;
}

static void remove_if_empty(kin__collection *collection, kin__entry *entry)
{
    if (entry->newest)
        return;
    kin__sorted_remove(&collection->entries, &entry->node);
    kin__free(entry);
}

int kin__state_put_locked(kin__state *state, const kin__new_state *write, kin__record **ret)
{
    kin__collection *collection = write->collection;
    kin__revision *revision = kin__malloc(sizeof(*revision));
    kin__entry *entry = find_or_add(collection, write->key);
    const kin_object *old = entry ? kin__entry_at(entry, UINT64_MAX) : NULL;
    kin__record *record = kin__record_new(write, old);

    kin__mutex_assert_held(&state->lock);
    if (!revision || !entry || !record ||
        kin__log_reserve(&collection->log, collection->n_pending + 1) < 0) {
        if (record)
            kin__change_unref(&record->change);
        if (entry)
            remove_if_empty(collection, entry);
        kin__free(revision);
        return KIN_ENOMEM;
    }
    *revision =
        (kin__revision){entry,          entry->newest,     NULL, kin_object_ref(write->object),
                        write->version, write->is_deletion};
    if (revision->older)
        revision->older->newer = revision;
    entry->newest = revision;
    record->revision = revision;
    record->held = old ? kin_object_size(old) : 0;
    if (write->is_deletion)
        record->held += kin_object_size(write->object);
    kin__list_push_back(&state->pending, &record->link);
    collection->n_pending++;
    *ret = record;
    return 0;
}

void kin__state_publish_locked(kin__state *state, kin__garbage *garbage)
{
    kin__record *record = kin__record_of(state->pending.next);
    kin__collection *collection = record->collection;

    kin__mutex_assert_held(&state->lock);
    kin__list_remove(&record->link);
    collection->n_pending--;
    collection->newest = record->change.version;
    state->published = record->change.version;
    kin__sorted_set_counted(&collection->entries, &record->revision->entry->node,
                            !record->change.is_deletion);
    kin__window_add_locked(state, record, garbage);
}

void kin__record_undo_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
{
    kin__revision *revision = record->revision;
    kin__entry *entry = revision->entry;

    kin__mutex_assert_held(&state->lock);
    kin__assert(entry->newest == revision);
    entry->newest = revision->older;
    if (revision->older)
        revision->older->newer = NULL;
    remove_if_empty(record->collection, entry);
    revision->older = garbage->revisions;
    garbage->revisions = revision;
    kin__list_remove(&record->link);
    kin__list_push_back(&garbage->records, &record->link);
}

void kin__state_begin(kin__state *state, kin__write *write, kin__collection *collection,
                      kin_str key) KIN_NO_TSA
{
    const kin__entry *entry;

    kin__mutex_lock(&state->writer);
    kin__mutex_lock(&state->lock);
    entry = find(collection, key);
    /* A reference: the storage may fail meanwhile, and with it the write that made this state. */
    write->current = entry ? kin_object_ref(kin__entry_at(entry, UINT64_MAX)) : NULL;
    write->seen = kin__list_is_empty(&state->pending)
                      ? state->published
                      : kin__record_of(state->pending.prev)->change.version;
    kin__mutex_unlock(&state->lock);
    write->collection = collection;
    write->key = key;
    write->version = state->last + 1;
}

void kin__state_abort(kin__state *state, kin__write *write) KIN_NO_TSA
{
    kin__mutex_unlock(&state->writer);
    kin_object_unref(write->current);
    write->current = NULL;
}

static int hand_to_storage_locked(kin__state *state, const kin__record *record, kin_error *err)
{
    const kin__storage_record taken = {
        .collection = kin_str_of(record->collection->name),
        .key = record->revision->entry->node.key,
        .version = record->change.version,
        .is_deletion = record->change.is_deletion,
        .object = record->change.object,
    };

    return state->storage->storage_class->append(state->storage, &taken, err);
}

static int commit_locked(kin__state *state, const kin__new_state *write, kin__write_done *done,
                         kin__batch *batch, kin_error *err) KIN_REQUIRES(state->lock)
{
    kin__record *record;
    int code;

    if (state->failed)
        return kin_error_set(err, KIN_ESYSTEM, "the storage has failed: %s", state->failed_text);
    if (kin__state_put_locked(state, write, &record) < 0)
        return kin__error_no_memory(err);
    record->done = done;
    if (!state->storage) {
        if (done)
            batch->done[batch->n_done++] = done;
        kin__state_publish_locked(state, &batch->garbage);
        kin__batch_take_locked(state, batch, write->collection);
        return 0;
    }
    /* Under the lock: a storage that fails finds among the pending ones what it has taken. */
    code = hand_to_storage_locked(state, record, err);
    if (code < 0) {
        write->collection->n_pending--;
        kin__record_undo_locked(state, record, &batch->garbage);
    }
    return code;
}

int kin__state_commit(kin__state *state, kin__write *write, const kin_object *object,
                      bool is_deletion, kin__write_done *done, kin_error *err) KIN_NO_TSA
{
    const kin__new_state new_state = {write->collection, write->key, object, write->version,
                                      is_deletion};
    kin__batch batch;
    int code;

    kin__assert(!is_deletion || write->current);
    kin__batch_init(&batch);
    kin__mutex_lock(&state->lock);
    code = commit_locked(state, &new_state, done, &batch, err);
    kin__mutex_unlock(&state->lock);
    if (code == 0)
        state->last = write->version;
    kin__state_abort(state, write); /* the rest is the same */
    kin__batch_run(state, &batch);
    return code;
}

/* Behind the newest write that is not published. False: there is none. */
static bool wait_locked(kin__state *state, uint64_t seen, kin__write_done *done)
    KIN_REQUIRES(state->lock)
{
    kin__record *record = kin__record_of(state->pending.prev);

    if (seen <= state->published || kin__list_is_empty(&state->pending))
        return false;
    done->next = record->judged;
    record->judged = done;
    return true;
}

void kin__state_settle(kin__state *state, uint64_t seen, kin__write_done *done)
{
    bool waits;
    int code;

    kin__mutex_lock(&state->lock);
    waits = wait_locked(state, seen, done);
    code = seen > state->published ? state->failed : 0;
    kin__mutex_unlock(&state->lock);
    if (!waits)
        done->fn(done, code);
}

/* Who is to be told of a record. */
static void take_waiters(kin__record *record, kin__batch *batch)
{
    if (record->done)
        batch->done[batch->n_done++] = record->done;
    while (record->judged) {
        kin__write_done *judged = record->judged;

        record->judged = judged->next;
        judged->next = batch->judged;
        batch->judged = judged;
    }
}

/* Up to a batch of what the storage has. Whether there may be more. */
static bool publish_some_locked(kin__state *state, uint64_t version, kin__batch *batch)
    KIN_REQUIRES(state->lock)
{
    for (size_t i = 0; i < kin__array_len(batch->done); i++) {
        kin__record *record = kin__record_of(state->pending.next);

        if (kin__list_is_empty(&state->pending) || record->change.version > version)
            return false;
        take_waiters(record, batch);
        kin__batch_take_locked(state, batch, record->collection);
        kin__state_publish_locked(state, &batch->garbage);
    }
    return true;
}

/* Undo up to a batch of what the storage never got, the newest first. Whether there may be more. */
static bool undo_some_locked(kin__state *state, kin__batch *batch) KIN_REQUIRES(state->lock)
{
    for (size_t i = 0; i < kin__array_len(batch->done); i++) {
        kin__record *record = kin__record_of(state->pending.prev);

        if (kin__list_is_empty(&state->pending))
            return false;
        take_waiters(record, batch);
        record->collection->n_pending--;
        kin__record_undo_locked(state, record, &batch->garbage);
    }
    return true;
}

void kin__state_written(void *arg, uint64_t version, int code, const char *text)
{
    kin__state *state = arg;
    bool more = true;

    while (more) {
        kin__batch batch;

        kin__batch_init(&batch);
        batch.code = code;
        kin__mutex_lock(&state->lock);
        if (code < 0 && !state->failed) {
            state->failed = code;
            snprintf(state->failed_text, sizeof(state->failed_text), "%s", text);
        }
        more = code < 0 ? undo_some_locked(state, &batch)
                        : publish_some_locked(state, version, &batch);
        if (kin__list_is_empty(&state->pending))
            kin__cond_broadcast(&state->quiet);
        kin__mutex_unlock(&state->lock);
        kin__batch_run(state, &batch);
    }
}
