/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past: what logs remember, when they forget, and going back.
 *
 * A collection forgets its oldest change when it has too many; the oldest change of all collections
 * goes when superseded states take too many bytes in sum. To forget a change means that states
 * before it are not known any more; the storage is told so a few at a time.
 */
#include <string.h>

#include "apiserver/state/state_inside.h"
#include "base/error.h"
#include "base/memory.h"

enum { LOG_MIN = 16 };

void kin__log_done(kin__log *log)
{
    kin__free(log->items);
    memset(log, 0, sizeof(*log));
}

int kin__log_reserve(kin__log *log, size_t n)
{
    size_t need = log->len + n;
    size_t cap = log->cap ? log->cap : LOG_MIN;
    kin__record **items;

    if (need <= log->cap)
        return 0;
    while (cap < need)
        cap *= 2;
    items = kin__calloc(cap, sizeof(*items));
    if (!items)
        return KIN_ENOMEM;
    for (size_t i = 0; i < log->len; i++)
        items[i] = kin__log_at(log, log->base + i);
    kin__free(log->items);
    log->items = items;
    log->cap = cap;
    log->head = 0;
    return 0;
}

uint64_t kin__log_behind(const kin__collection *collection, uint64_t version)
{
    uint64_t low = collection->first;
    uint64_t high = kin__log_end(&collection->log);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (kin__log_at(&collection->log, middle)->change.version <= version)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void kin__window_flush_locked(kin__state *state, kin__collection *collection)
{
    kin__mutex_assert_held(&state->lock);
    if (state->storage && (collection->n_dead > 0 || collection->flushed < collection->compacted))
        state->storage->storage_class->compact(state->storage, kin_str_of(collection->name),
                                               collection->compacted, collection->dead,
                                               collection->n_dead);
    collection->flushed = collection->compacted;
    collection->n_dead = 0;
}

void kin__window_forget_locked(kin__state *state, kin__collection *collection)
{
    kin__record *record = kin__log_at(&collection->log, collection->first);
    const kin__revision *older = record->revision->older;

    kin__mutex_assert_held(&state->lock);
    collection->first++;
    if (collection->compacted < record->change.version)
        collection->compacted = record->change.version;
    kin__list_remove(&record->link);
    state->held -= record->held;
    if (older && !older->is_deletion) /* a deletion died with its own record */
        collection->dead[collection->n_dead++] = older->version;
    if (record->change.is_deletion)
        collection->dead[collection->n_dead++] = record->change.version;
    if (collection->n_dead + 2 > kin__array_len(collection->dead))
        kin__window_flush_locked(state, collection);
}

static void unlink_revision(kin__collection *collection, kin__revision *revision,
                            kin__garbage *garbage)
{
    kin__entry *entry = revision->entry;

    kin__assert(!revision->older);
    if (revision->newer) {
        revision->newer->older = NULL;
    } else {
        kin__sorted_remove(&collection->entries, &entry->node);
        kin__free(entry);
    }
    revision->older = garbage->revisions;
    garbage->revisions = revision;
}

static void drop_first(kin__collection *collection, kin__garbage *garbage)
{
    kin__log *log = &collection->log;
    kin__record *record = log->items[log->head];
    kin__revision *revision = record->revision;

    log->head = (log->head + 1) & (log->cap - 1);
    log->len--;
    log->base++;
    if (revision->older)
        unlink_revision(collection, revision->older, garbage);
    if (revision->is_deletion)
        unlink_revision(collection, revision, garbage);
    kin__list_push_back(&garbage->records, &record->link);
}

void kin__window_trim_locked(kin__state *state, kin__collection *collection, kin__garbage *garbage)
{
    uint64_t pinned = UINT64_MAX;

    kin__mutex_assert_held(&state->lock);
    if (collection->log.base == collection->first)
        return;
    kin__list_for_each(&collection->pins, link) {
        const kin__pin *pin = kin__list_entry(link, kin__pin, link);

        if (pin->version < pinned)
            pinned = pin->version;
    }
    while (collection->log.base < collection->first &&
           kin__log_at(&collection->log, collection->log.base)->change.version <= pinned)
        drop_first(collection, garbage);
}

void kin__window_add_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
{
    kin__collection *collection = record->collection;
    kin__log *log = &collection->log;
    uint64_t number = kin__log_end(log);

    kin__mutex_assert_held(&state->lock);
    kin__assert(log->len < log->cap);
    log->items[(log->head + log->len++) & (log->cap - 1)] = record;
    kin__list_push_back(&state->window, &record->link);
    state->held += record->held;

    if (number - collection->first >= KIN__TEXTS_KEPT)
        kin__record_drop_texts_locked(state, kin__log_at(log, number - KIN__TEXTS_KEPT), garbage);
    if (number + 1 - collection->first > state->window_changes)
        kin__window_forget_locked(state, collection);
    kin__window_trim_locked(state, collection, garbage);
    while (state->held > state->window_bytes) {
        kin__collection *oldest = kin__record_of(state->window.next)->collection;

        kin__window_forget_locked(state, oldest);
        kin__window_trim_locked(state, oldest, garbage);
    }
}

static kin__collection *next_collection(const kin__state *state, kin__map_iter *iter)
{
    kin__map_node *node = kin__map_next(&state->collections, iter);

    return node ? kin__container_of(node, kin__collection, node) : NULL;
}

void kin__window_compact_all_locked(kin__state *state)
{
    kin__mutex_assert_held(&state->lock);
    state->compacted = state->published;
    if (state->storage)
        state->storage->storage_class->compact(state->storage, KIN__STORAGE_ALL, state->compacted,
                                               NULL, 0);
}

void kin__state_compact(kin__state *state)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__collection *collection;
    kin__batch batch;

    kin__batch_init(&batch);
    kin__mutex_lock(&state->writer); /* not in the middle of going back */
    kin__mutex_lock(&state->lock);
    state->epoch++;
    kin__window_compact_all_locked(state);
    while ((collection = next_collection(state, &iter))) {
        while (collection->first < kin__log_end(&collection->log))
            kin__window_forget_locked(state, collection);
        collection->compacted = state->published;
        kin__window_flush_locked(state, collection);
        kin__window_trim_locked(state, collection, &batch.garbage);
        kin__batch_take_locked(state, &batch, collection);
    }
    kin__mutex_unlock(&state->lock);
    kin__mutex_unlock(&state->writer);
    kin__batch_run(state, &batch);
}

static int check_rewind_locked(kin__state *state, uint64_t version, kin_error *err)
    KIN_REQUIRES(state->lock)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    const kin__collection *collection;

    if (state->failed)
        return kin_error_set(err, KIN_ESYSTEM, "the storage has failed: %s", state->failed_text);
    if (version > state->published)
        return kin_error_set(err, KIN_ERANGE, "version %llu is not there yet, the newest is %llu",
                             (unsigned long long)version, (unsigned long long)state->published);
    while ((collection = next_collection(state, &iter)))
        if (version < collection->compacted)
            return kin_error_set(err, KIN_EEXPIRED,
                                 "version %llu was compacted: %s is known from %llu",
                                 (unsigned long long)version, collection->name,
                                 (unsigned long long)collection->compacted);
    if (version < 1 || version < state->compacted)
        return kin_error_set(err, KIN_EEXPIRED, "version %llu was compacted",
                             (unsigned long long)version);
    return 0;
}

/* Undo the changes of a collection behind a version, the newest first. */
static void rewind_locked(kin__state *state, kin__collection *collection, uint64_t version,
                          kin__garbage *garbage) KIN_REQUIRES(state->lock)
{
    kin__log *log = &collection->log;

    collection->newest = collection->compacted;
    while (kin__log_end(log) > collection->first) {
        kin__record *record = kin__log_at(log, kin__log_end(log) - 1);
        kin__revision *older = record->revision->older;

        if (record->change.version <= version) {
            collection->newest = record->change.version;
            break;
        }
        state->held -= record->held;
        log->len--;
        if (older)
            kin__sorted_set_counted(&collection->entries, &older->entry->node, !older->is_deletion);
        kin__record_undo_locked(state, record, garbage);
    }
}

int kin__state_rewind(kin__state *state, uint64_t version, kin_error *err)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__collection *collection;
    kin__batch batch;
    int code;

    kin__batch_init(&batch);
    kin__mutex_lock(&state->writer);
    kin__mutex_lock(&state->lock);
    while (!kin__list_is_empty(&state->pending))
        kin__cond_wait(&state->quiet, &state->lock);
    code = check_rewind_locked(state, version, err);
    /* The storage's thread may be notifying watchers still, for which it needs the lock. */
    kin__mutex_unlock(&state->lock);
    if (code == 0 && state->storage)
        code = state->storage->storage_class->rewind(state->storage, version, err);
    if (code == 0) {
        kin__mutex_lock(&state->lock);
        state->epoch++;
        state->rewinds++;
        state->published = version;
        state->last = version;
        while ((collection = next_collection(state, &iter))) {
            rewind_locked(state, collection, version, &batch.garbage);
            kin__batch_take_locked(state, &batch, collection);
        }
        kin__mutex_unlock(&state->lock);
        if (state->rewound)
            state->rewound(state->rewound_arg);
    }
    kin__mutex_unlock(&state->writer);
    kin__batch_run(state, &batch);
    return code;
}

void kin__state_on_rewind(kin__state *state, void (*fn)(void *arg), void *arg)
{
    kin__mutex_lock(&state->writer);
    state->rewound = fn;
    state->rewound_arg = arg;
    kin__mutex_unlock(&state->writer);
}
