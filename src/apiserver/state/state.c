/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life of a state: its collections, and how it comes back from a storage.
 *
 * Loading is writing: each record is put on top and published at once. One that its collection has
 * forgotten is forgotten again, and leaves the newest state of its key behind.
 */
#include <string.h>

#include "apiserver/state/state_inside.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

enum { WINDOW_CHANGES = 10000, WINDOW_BYTES = 64 * 1024 * 1024 };

struct loader {
    kin__storage_loader base;
    kin__state *state;
};

static kin__collection *find_or_add_locked(kin__state *state, kin_str name)
    KIN_REQUIRES(state->lock)
{
    kin__map_node *node = kin__map_get(&state->collections, name);
    kin__collection *collection;

    if (node)
        return kin__container_of(node, kin__collection, node);
    collection = kin__calloc(1, sizeof(*collection) + name.len + 1);
    if (!collection)
        return NULL;
    memcpy(collection->name, name.data, name.len);
    kin__sorted_init(&collection->entries);
    kin__list_init(&collection->armed);
    kin__list_init(&collection->pins);
    collection->compacted = state->compacted;
    if (kin__map_add(&state->collections, &collection->node,
                     kin_str_make(collection->name, name.len), NULL) < 0) {
        kin__free(collection);
        return NULL;
    }
    return collection;
}

int kin__state_collection(kin__state *state, kin__collection **ret, kin_str name, kin_error *err)
{
    kin__collection *collection;

    kin__mutex_lock(&state->lock);
    collection = find_or_add_locked(state, name);
    kin__mutex_unlock(&state->lock);
    if (!collection)
        return kin__error_no_memory(err);
    *ret = collection;
    return 0;
}

uint64_t kin__collection_unfit(const kin__collection *collection, bool is_metadata)
{
    return atomic_load(&collection->unfit[is_metadata]);
}

void kin__collection_met_unfit(kin__collection *collection, bool is_metadata, uint64_t version)
{
    uint64_t before = atomic_load(&collection->unfit[is_metadata]);

    while (before < version &&
           !atomic_compare_exchange_weak(&collection->unfit[is_metadata], &before, version))
        continue;
}

uint64_t kin__state_version(kin__state *state)
{
    uint64_t version;

    kin__mutex_lock(&state->lock);
    version = state->published;
    kin__mutex_unlock(&state->lock);
    return version;
}

static int load_compacted(kin__storage_loader *loader, kin_str name, uint64_t version,
                          kin_error *err)
{
    kin__state *state = kin__container_of(loader, struct loader, base)->state;
    kin__collection *collection = NULL;

    if (name.len == 0) {
        state->compacted = version;
        return 0;
    }
    int code = kin__state_collection(state, &collection, name, err);
    if (code == 0)
        collection->compacted = collection->flushed = version;
    return code;
}

static int load_locked(kin__state *state, const kin__storage_record *record, kin__garbage *garbage)
    KIN_REQUIRES(state->lock)
{
    kin__new_state write = {
        .key = record->key,
        .object = record->object,
        .version = record->version,
        .is_deletion = record->is_deletion,
    };
    kin__record *ignored;

    write.collection = find_or_add_locked(state, record->collection);
    if (!write.collection || kin__state_put_locked(state, &write, &ignored) < 0)
        return KIN_ENOMEM;
    kin__state_publish_locked(state, garbage);
    if (record->version <= write.collection->compacted &&
        write.collection->first < kin__log_end(&write.collection->log)) {
        kin__window_forget_locked(state, write.collection);
        kin__window_trim_locked(state, write.collection, garbage);
    }
    return 0;
}

static int load_record(kin__storage_loader *loader, const kin__storage_record *record,
                       kin_error *err)
{
    kin__state *state = kin__container_of(loader, struct loader, base)->state;
    kin__garbage garbage;
    int code;

    if (record->version <= state->published)
        return kin_error_set(err, KIN_EPARSE, "the storage has version %llu behind %llu",
                             (unsigned long long)record->version,
                             (unsigned long long)state->published);
    kin__garbage_init(&garbage);
    kin__mutex_lock(&state->lock);
    code = load_locked(state, record, &garbage);
    kin__mutex_unlock(&state->lock);
    kin__garbage_free(&garbage);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

static int load(kin__state *state, kin__storage *storage, kin_error *err)
{
    struct loader loader = {{load_compacted, load_record}, state};
    uint64_t version = 0;
    int code = storage->storage_class->load(storage, &loader.base, &version, err);

    if (code < 0)
        return code;
    if (state->published < version)
        state->published = version;
    if (state->published < state->compacted)
        state->published = state->compacted;
    return storage->storage_class->start(storage, kin__state_written, state, err);
}

static void collection_free(kin__collection *collection)
{
    kin__sorted_pos pos = {0, 0};
    kin__sorted_node *node;

    for (uint64_t n = collection->log.base; n < kin__log_end(&collection->log); n++)
        kin__change_unref(&kin__log_at(&collection->log, n)->change);
    kin__log_done(&collection->log);
    while ((node = kin__sorted_next(&collection->entries, &pos))) {
        kin__entry *entry = kin__entry_of(node);

        while (entry->newest) {
            kin__revision *revision = entry->newest;

            entry->newest = revision->older;
            kin_object_unref(revision->object);
            kin__free(revision);
        }
        kin__free(entry);
    }
    kin__sorted_done(&collection->entries);
    kin__free(collection);
}

/* All but the storage. */
static void destroy(kin__state *state)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&state->collections, &iter))) {
        kin__map_remove(&state->collections, node);
        collection_free(kin__container_of(node, kin__collection, node));
    }
    kin__map_done(&state->collections);
    kin__cond_done(&state->quiet);
    kin__mutex_done(&state->lock);
    kin__mutex_done(&state->writer);
    kin__free(state);
}

int kin__state_new(kin__state **ret, const kin__state_options *options, kin_error *err)
{
    kin__state *state = kin__calloc(1, sizeof(*state));
    int code = 0;

    if (!state)
        return kin__error_no_memory(err);
    kin__mutex_init(&state->writer, KIN__RANK_API_WRITER);
    kin__mutex_init(&state->lock, KIN__RANK_API_STATE);
    kin__cond_init(&state->quiet);
    kin__map_init(&state->collections, kin__hash_seed());
    kin__list_init(&state->pending);
    kin__list_init(&state->window);
    kin__list_init(&state->batches);
    state->window_changes = options->window_changes ? options->window_changes : WINDOW_CHANGES;
    state->window_bytes = options->window_bytes ? options->window_bytes : WINDOW_BYTES;
    state->published = 1;
    state->storage = options->storage;
    if (state->storage)
        code = load(state, state->storage, err);
    if (code < 0) {
        destroy(state);
        return code;
    }
    /* Nothing was ever written. */
    if (state->published == 1 && options->first_version > 1) {
        state->published = options->first_version;
        kin__mutex_lock(&state->lock);
        kin__window_compact_all_locked(state);
        kin__mutex_unlock(&state->lock);
    }
    state->last = state->published;
    *ret = state;
    return 0;
}

static void flush_all(kin__state *state)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    kin__mutex_lock(&state->lock);
    while ((node = kin__map_next(&state->collections, &iter)))
        kin__window_flush_locked(state, kin__container_of(node, kin__collection, node));
    kin__mutex_unlock(&state->lock);
}

void kin__state_free(kin__state *state)
{
    if (!state)
        return;
    if (state->storage) {
        flush_all(state);
        state->storage->storage_class->free(state->storage);
    }
    destroy(state);
}
