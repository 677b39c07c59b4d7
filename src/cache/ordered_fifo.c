/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO: its life and state, and putting in. ordered_fifo.h has the design.
 */
#include "cache/ordered_fifo.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "cache/collect.h"
#include "cache/delta.h"
#include "cache/input.h"

enum { SPARE_MAX = 1024 /* entries kept to be used again */ };

/* --- life --- */

static int take_options(kin_ordered_fifo *fifo, const kin_ordered_fifo_options *options,
                        kin_error *err)
{
    int code = kin__known_take(&fifo->known, options->known, err);

    if (code < 0)
        return code;
    if (options->known && options->emit_bookmarks)
        return kin_error_set(err, KIN_EINVAL,
                             "bookmarks would overtake lists that are spelled out");
    fifo->has_known = options->known != NULL;
    fifo->emit_bookmarks = options->emit_bookmarks;
    fifo->key = options->key;
    fifo->key_arg = options->key_arg;
    fifo->transform = options->transform;
    fifo->transform_arg = options->transform_arg;
    fifo->renames = &fifo->own_renames;
    return kin__slow_init(&fifo->slow, "ordered-fifo", options->name, options->logger,
                          options->slow_ms, err);
}

int kin_ordered_fifo_new(kin_ordered_fifo **ret, const kin_ordered_fifo_options *options,
                         kin_error *err)
{
    kin_ordered_fifo_options all = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_ordered_fifo *fifo;
    int code;

    if (!ret)
        return kin_error_set(err, KIN_EINVAL, "ret is NULL");
    code = kin__options_take(&all, sizeof(all), options, "KIN_ORDERED_FIFO_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    fifo = kin__calloc(1, sizeof(*fifo));
    if (!fifo)
        return kin__error_no_memory(err);
    code = take_options(fifo, &all, err);
    if (code == 0)
        code = kin__delta_sync_all_new(&fifo->sync_all, err);
    if (code == 0)
        code = kin__line_init(&fifo->line, all.clock, err);
    if (code < 0) {
        kin_object_unref(fifo->sync_all);
        kin__slow_done(&fifo->slow);
        kin__free(fifo);
        return code;
    }
    kin__cond_init(&fifo->turn);
    kin__map_init(&fifo->keys, kin__hash_seed());
    kin__list_init(&fifo->spare);
    *ret = fifo;
    return 0;
}

void kin_ordered_fifo_free(kin_ordered_fifo *fifo)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__list *spare;

    if (!fifo)
        return;
    while ((node = kin__map_next(&fifo->keys, &iter))) {
        kin__map_remove(&fifo->keys, node);
        kin__free(kin__ordered_key_of(node));
    }
    kin__map_done(&fifo->keys);
    while ((spare = kin__list_pop_front(&fifo->spare)))
        kin__free(kin__list_entry(spare, kin__ordered_key, link));
    for (size_t i = 0; i < fifo->ring.len; i++)
        kin_object_unref(kin__ring_at(&fifo->ring, i)->object);
    kin__ring_done(&fifo->ring);
    kin__ordered_batch_done(&fifo->batch);
    kin_object_unref(fifo->sync_all);
    if (kin__ordered_fifo_check(fifo, NULL) == 0)
        kin__cond_done(&fifo->turn);
    kin__line_done(&fifo->line);
    kin__slow_done(&fifo->slow);
    kin__free(fifo);
}

/* --- keys --- */

static void recycle_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
    KIN_REQUIRES(fifo->line.lock)
{
    if (fifo->n_spare < SPARE_MAX) {
        kin__list_push_front(&fifo->spare, &entry->link);
        fifo->n_spare++;
    } else {
        kin__free(entry);
    }
}

kin__ordered_key *kin__ordered_fifo_reserve_locked(kin_ordered_fifo *fifo, kin_str key,
                                                   uint32_t hash)
{
    kin__ordered_key *entry = kin__ordered_key_of(kin__map_get_hashed(&fifo->keys, key, hash));
    kin__list *spare;

    if (entry) {
        entry->reserved++;
        return entry;
    }
    spare = kin__list_pop_front(&fifo->spare);
    entry = spare ? kin__list_entry(spare, kin__ordered_key, link) : kin__malloc(sizeof(*entry));
    if (!entry)
        return NULL;
    fifo->n_spare -= spare != NULL;
    entry->n = 0;
    entry->reserved = 1;
    entry->type = KIN_DELTA_ADDED;
    entry->last = NULL;
    entry->listed = 0;
    entry->seen = 0;
    kin__list_init(&entry->link);
    if (kin__map_add_hashed(&fifo->keys, &entry->node, key, hash, NULL) < 0) {
        recycle_locked(fifo, entry);
        return NULL;
    }
    return entry;
}

static void leave_if_unused_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
    KIN_REQUIRES(fifo->line.lock)
{
    if (entry->n > 0 || entry->reserved > 0)
        return;
    kin__map_remove(&fifo->keys, &entry->node);
    kin__map_trim(&fifo->keys, KIN__LINE_KEEP);
    recycle_locked(fifo, entry);
}

void kin__ordered_fifo_unreserve_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
{
    entry->reserved--;
    leave_if_unused_locked(fifo, entry);
}

void kin__ordered_fifo_release_locked(kin_ordered_fifo *fifo, kin__ordered_key *entry)
{
    entry->n--;
    leave_if_unused_locked(fifo, entry);
}

/* --- putting in --- */

void kin__ordered_fifo_push_locked(kin_ordered_fifo *fifo, kin_delta_type type,
                                   const kin__staged *staged)
{
    kin__ordered_key *entry = staged->entry;

    kin__ring_push(&fifo->ring,
                   (kin__ring_item){staged->object, staged->key.data, entry, staged->hash,
                                    (uint16_t)staged->key.len, (uint16_t)type});
    if (entry) {
        entry->reserved--;
        entry->n++;
        entry->type = type;
        entry->last = staged->object;
        entry->node.key = staged->key.data;
    }
    /* One is enough: when it has had its turn it wakes the next. Nobody can take it before that. */
    if (fifo->line.n_sleeping > 0 && !fifo->is_taken)
        kin__cond_signal(&fifo->line.changed);
    kin__line_tell_locked(&fifo->line);
}

int kin__ordered_fifo_take_in(kin_ordered_fifo *fifo, kin_delta_type type, const kin_object *object,
                              kin__staged *ret, kin_error *err)
{
    const kin__input_fns fns = {fifo->key, fifo->key_arg, fifo->transform, fifo->transform_arg,
                                fifo->renames};
    int code = type == KIN_DELTA_DELETED
                   ? kin__input_deleted(&fns, object, &ret->object, &ret->key, err)
                   : kin__input(&fns, object, &ret->object, &ret->key, err);

    if (code < 0)
        return code;
    ret->hash = kin__map_hash(&fifo->keys, ret->key);
    ret->entry = NULL;
    return 0;
}

/* Room for all of them, and the entries of their keys. 0, or KIN_ENOMEM and nothing has changed. */
static int reserve_all_locked(kin_ordered_fifo *fifo, kin__staged *all, size_t n)
    KIN_REQUIRES(fifo->line.lock)
{
    if (kin__ring_reserve(&fifo->ring, n) < 0)
        return KIN_ENOMEM;
    for (size_t i = 0; fifo->has_known && i < n; i++) {
        all[i].entry = kin__ordered_fifo_reserve_locked(fifo, all[i].key, all[i].hash);
        if (!all[i].entry) {
            while (i-- > 0)
                kin__ordered_fifo_unreserve_locked(fifo, all[i].entry);
            return KIN_ENOMEM;
        }
    }
    return 0;
}

/* One change. CONSUMES the object, also on failure. */
static int queue(kin_ordered_fifo *fifo, kin_delta_type type, kin__staged *staged, kin_error *err)
{
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = reserve_all_locked(fifo, staged, 1);
    if (code == 0) {
        kin__line_populate_locked(&fifo->line);
        kin__ordered_fifo_push_locked(fifo, type, staged);
    }
    kin__mutex_unlock(&fifo->line.lock);
    if (code == 0)
        return 0;
    kin_object_unref(staged->object);
    return kin__error_no_memory(err);
}

static int ordered_fifo_put(kin_ordered_fifo *fifo, kin_delta_type type, const kin_object *object,
                            kin_error *err)
{
    kin__staged staged = {NULL, {NULL, 0}, 0, NULL};
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0)
        code = kin__ordered_fifo_take_in(fifo, type, object, &staged, err);
    return code < 0 ? code : queue(fifo, type, &staged, err);
}

int kin_ordered_fifo_add(kin_ordered_fifo *fifo, const kin_object *object, kin_error *err)
{
    return ordered_fifo_put(fifo, KIN_DELTA_ADDED, object, err);
}

int kin_ordered_fifo_update(kin_ordered_fifo *fifo, const kin_object *object, kin_error *err)
{
    return ordered_fifo_put(fifo, KIN_DELTA_UPDATED, object, err);
}

int kin_ordered_fifo_delete(kin_ordered_fifo *fifo, const kin_object *object, kin_error *err)
{
    return ordered_fifo_put(fifo, KIN_DELTA_DELETED, object, err);
}

static int stage_all(kin_ordered_fifo *fifo, const kin_delta *deltas, size_t n,
                     kin__staged_list *list, kin_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int code;

        if (deltas[i].type < KIN_DELTA_ADDED || deltas[i].type > KIN_DELTA_DELETED)
            return kin_error_set(err, KIN_EINVAL, "deltas of the type %s are not put in",
                                 kin_delta_type_name(deltas[i].type));
        code =
            kin__ordered_fifo_take_in(fifo, deltas[i].type, deltas[i].object, &list->items[i], err);
        if (code < 0)
            return code;
        list->n++;
    }
    return 0;
}

static int queue_all(kin_ordered_fifo *fifo, const kin_delta *deltas, kin__staged_list *list,
                     kin_error *err)
{
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = reserve_all_locked(fifo, list->items, list->n);
    if (code == 0) {
        kin__line_populate_locked(&fifo->line);
        for (size_t i = 0; i < list->n; i++)
            kin__ordered_fifo_push_locked(fifo, deltas[i].type, &list->items[i]);
        list->n = 0;
    }
    kin__mutex_unlock(&fifo->line.lock);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_ordered_fifo_add_batch(kin_ordered_fifo *fifo, const kin_delta *deltas, size_t n,
                               kin_error *err)
{
    kin__staged_list list = KIN__STAGED_LIST_INIT;
    int code = kin__ordered_fifo_check(fifo, err);

    if (code < 0 || n == 0)
        return code;
    if (!deltas)
        return kin_error_set(err, KIN_EINVAL, "deltas is NULL");
    list.items = kin__calloc(n, sizeof(*list.items));
    if (!list.items)
        return kin__error_no_memory(err);
    code = stage_all(fifo, deltas, n, &list, err);
    if (code == 0)
        code = queue_all(fifo, deltas, &list, err);
    kin__staged_list_done(&list);
    return code;
}

int kin__ordered_fifo_queue_whole(kin_ordered_fifo *fifo, kin_delta_type type,
                                  const kin_object *object, kin_error *err)
{
    const kin__staged staged = {object, {"", 0}, 0, NULL};
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = kin__ring_reserve(&fifo->ring, 1);
    if (code == 0)
        kin__ordered_fifo_push_locked(fifo, type, &staged);
    kin__mutex_unlock(&fifo->line.lock);
    if (code == 0)
        return 0;
    kin_object_unref(object);
    return kin__error_no_memory(err);
}

int kin_ordered_fifo_bookmark(kin_ordered_fifo *fifo, kin_str resource_version, kin_error *err)
{
    const kin_object *bookmark = NULL;
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0)
        code = kin__resource_version_check(resource_version, err);
    if (code < 0 || !fifo->emit_bookmarks)
        return code;
    code = kin__delta_bookmark_new(&bookmark, resource_version, err);
    return code < 0 ? code : kin__ordered_fifo_queue_whole(fifo, KIN_DELTA_BOOKMARK, bookmark, err);
}

/* --- looking --- */

int kin_ordered_fifo_key_of(kin_ordered_fifo *fifo, kin_str *ret, const kin_object *object,
                            kin_error *err)
{
    if (!fifo || !ret)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL", fifo ? "ret" : "fifo");
    return kin__input_key(fifo->key, fifo->key_arg, object, ret, err);
}

static int copy_ring_locked(const kin_ordered_fifo *fifo, kin_delta_copy *ret)
    KIN_REQUIRES(fifo->line.lock)
{
    size_t n = fifo->ring.len;
    kin_delta *items = kin__calloc(n, sizeof(*items));

    if (!items)
        return KIN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const kin__ring_item *item = kin__ring_at(&fifo->ring, i);

        items[i] = (kin_delta){(kin_delta_type)item->type, kin_object_ref(item->object)};
    }
    *ret = (kin_delta_copy){items, n};
    return 0;
}

int kin_ordered_fifo_list(kin_ordered_fifo *fifo, kin_delta_copy *ret, kin_error *err)
{
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&fifo->line.lock);
    code = copy_ring_locked(fifo, ret);
    kin__mutex_unlock(&fifo->line.lock);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_ordered_fifo_list_keys(kin_ordered_fifo *fifo, kin_string_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&fifo->line.lock);
    for (size_t i = 0; i < fifo->ring.len && code == 0; i++) {
        const kin__ring_item *item = kin__ring_at(&fifo->ring, i);

        if (item->key_len > 0)
            code = kin__collect_string(&to, kin_str_make(item->key, item->key_len));
    }
    kin__mutex_unlock(&fifo->line.lock);
    if (code < 0)
        kin__error_no_memory(err);
    return kin__collector_give_strings(&to, code, false, ret, err);
}

size_t kin_ordered_fifo_len(kin_ordered_fifo *fifo)
{
    size_t len;

    if (kin__ordered_fifo_check(fifo, NULL) < 0)
        return 0;
    kin__mutex_lock(&fifo->line.lock);
    len = fifo->ring.len - fifo->n_flight;
    kin__mutex_unlock(&fifo->line.lock);
    return len;
}

bool kin_ordered_fifo_has_synced(kin_ordered_fifo *fifo)
{
    return kin__line_has_synced(kin__ordered_fifo_line(fifo));
}

int kin_ordered_fifo_wait_synced(kin_ordered_fifo *fifo, int64_t timeout_ms, kin_error *err)
{
    return kin__line_wait_synced(kin__ordered_fifo_line(fifo), timeout_ms, err);
}

void kin_ordered_fifo_close(kin_ordered_fifo *fifo)
{
    kin__line_close(kin__ordered_fifo_line(fifo));
}

bool kin_ordered_fifo_is_closed(kin_ordered_fifo *fifo)
{
    return kin__line_is_closed(kin__ordered_fifo_line(fifo));
}
