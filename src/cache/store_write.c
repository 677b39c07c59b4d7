/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing to a store.
 *
 * First, with no lock held, all that is asked of the user: key, transformer, index functions. Then,
 * under the lock, each record is linked in; whatever can fail comes before the first change of that
 * record, and a write of several takes back what it has done when one fails. Publishing cannot fail.
 * Last, with the lock given back, objects that nobody can see any more are released, and index
 * functions that failed are reported.
 */
#include "base/error.h"
#include "base/log.h"
#include "cache/input.h"
#include "cache/store.h"
#include "object/object.h"

/* An object on its way in: all that is asked of the user was asked. */
struct prepared {
    const kin_object
        *key_object;          /* BORROWED; its key counts, not the object's; NULL: the object's */
    const kin_object *object; /* SHARED, transformed */
    kin_str key;              /* BORROWED from one of these two */
    kin_str version;          /* BORROWED from the object; what the store's becomes */
    uint32_t hash;
    kin__record *record; /* OWNED; its links are not filled in yet */
    kin_index_values values;
};

static int make_record(struct prepared *prepared)
{
    bool has_key = prepared->key_object;
    kin__record *record = kin__malloc(kin__record_size(prepared->values.n, has_key));

    if (!record)
        return KIN_ENOMEM;
    record->node.key = prepared->key.data;
    record->node.key_len = (uint32_t)prepared->key.len;
    record->node.hash = prepared->hash;
    record->object = kin_object_ref(prepared->object);
    record->born = 0;
    atomic_init(&record->died, KIN__NEVER);
    atomic_init(&record->older, NULL);
    record->next = NULL;
    record->flags = 0;
    record->has_key = has_key;
    record->n_links = (uint16_t)prepared->values.n;
    if (has_key)
        *kin__record_key_place(record) = kin_object_ref(prepared->key_object);
    for (unsigned i = 0; i < record->n_links; i++)
        atomic_init(&record->slots[i], 0);
    prepared->record = record;
    return 0;
}

static void prepared_done(struct prepared *prepared)
{
    kin__index_values_done(&prepared->values);
    if (prepared->record)
        kin__record_free(prepared->record);
    kin_object_unref(prepared->object);
}

/* Ask for the key's record and its object: they come while index functions run. */
static void prefetch_followed(kin_store *store, uint32_t hash)
{
    uint64_t version;
    kin__pin *pin = kin__pins_acquire(&store->pins, &version);

    kin__read_table_prefetch_entry(kin__read_map_table(&store->records), hash);
    kin__pin_release(pin);
}

static int given_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    *ret = kin__object_key(arg);
    return 0;
}

/*
 * All that is asked of the user, with no lock held. `key_object` is set. `transform`: whether the
 * transformer has yet to run. `alone`: it is linked in next, not as one of many.
 */
static int prepare(kin_store *store, struct prepared *ret, const kin_object *object, bool transform,
                   bool alone, kin_error *err)
{
    const kin__indexes *indexes = kin__store_indexes(store);
    kin__input_fns fns = {store->key, store->key_arg, transform ? store->transform : NULL,
                          store->transform_arg, &store->renames};
    int code;

    if (ret->key_object) {
        fns.key = given_key;
        fns.key_arg = kin__unconst(ret->key_object);
    }
    code = kin__input(&fns, object, &ret->object, &ret->key, err);
    if (code < 0)
        return code;
    /* A tombstone has a key of its own. */
    if (ret->key_object)
        ret->key = kin__object_key(ret->key_object);
    ret->record = NULL;
    ret->hash = kin__read_map_hash(&store->records, ret->key);
    ret->version = kin__input_version(ret->object);
    if (alone && indexes->n > 0)
        prefetch_followed(store, ret->hash);
    kin__index_values_init(&ret->values);
    code = kin__index_values_compute(&ret->values, indexes, 0, ret->object, err);
    if (code == 0 && make_record(ret) < 0)
        code = kin__error_no_memory(err);
    if (code < 0)
        prepared_done(ret);
    return code;
}

/* Say what index functions failed; no lock is held. */
static void report(kin_store *store, const struct prepared *prepared)
{
    const kin_index_values *values = &prepared->values;
    uint64_t hidden = 0;

    if (values->n_errors == 0)
        return;
    atomic_fetch_add_explicit(&store->index_errors, values->n_errors, memory_order_relaxed);
    if (!kin__log_limit_allows(&store->index_log, kin_clock_now(kin_clock_system()), &hidden))
        return;
    kin__log(store->logger, KIN_LOG_WARN, "store", "an index function failed",
             KIN__LOG_S("store", store->name),
             KIN__LOG_S("index", values->indexes->items[values->first_error_index]->name),
             KIN__LOG_V("key", prepared->key), KIN__LOG_S("error", values->first_error.message),
             KIN__LOG_U("more", hidden));
}

bool kin__store_is_indexed_here(kin_store *store)
{
    bool is_here;

    kin__mutex_lock(&store->lock);
    is_here = store->indexing && pthread_equal(store->indexer, pthread_self());
    kin__mutex_unlock(&store->lock);
    return is_here;
}

int kin__store_wait_turn_locked(kin_store *store, kin_error *err)
{
    while (store->indexing) {
        if (pthread_equal(store->indexer, pthread_self()))
            return kin_error_set(err, KIN_EBUSY, "an index function writes to its own store");
        kin__cond_wait(&store->indexed, &store->lock);
    }
    return 0;
}

/* --- links --- */

/* The value, if an older record of the key has it: the usual case, and it costs no lookup. */
static kin__index_value *value_of_older(const kin__record *older, const kin__index *index,
                                        kin_str text, uint32_t hash)
{
    kin__index_value **values;

    if (!older)
        return NULL;
    values = kin__record_values(older);
    for (unsigned i = 0; i < older->n_links; i++)
        if (values[i]->index == index && values[i]->node.hash == hash &&
            kin_str_equal(kin_str_make(values[i]->text, values[i]->node.key_len), text))
            return values[i];
    return NULL;
}

/* The values of a prepared object, found or made, into its record. 0 or KIN_ENOMEM. */
static int resolve_locked(kin_store *store, const struct prepared *prepared,
                          const kin__record *older) KIN_REQUIRES(store->lock)
{
    const kin_index_values *texts = &prepared->values;
    kin__index_value **values = kin__record_values(prepared->record);

    for (unsigned i = 0; i < prepared->record->n_links; i++) {
        kin__index *index = texts->indexes->items[texts->texts[i].index];
        kin_str text = kin__index_values_text(texts, i);
        uint32_t hash = texts->texts[i].hash;

        values[i] = value_of_older(older, index, text, hash);
        if (values[i]) {
            values[i]->n_links++;
        } else if (kin__index_value_get(index, text, hash, &values[i], &store->garbage) < 0) {
            while (i-- > 0)
                kin__index_value_put(values[i], &store->garbage);
            return KIN_ENOMEM;
        }
    }
    return 0;
}

void kin__store_unresolve_locked(kin_store *store, kin__record *record)
{
    kin__index_value **values = kin__record_values(record);

    for (unsigned i = 0; i < record->n_links; i++)
        kin__index_value_put(values[i], &store->garbage);
}

static uint32_t load_slot(const kin__record *record, unsigned link)
{
    return atomic_load_explicit(&record->slots[link], memory_order_relaxed);
}

static void store_slot(kin__record *record, unsigned link, uint32_t slot)
{
    atomic_store_explicit(&record->slots[link], slot, memory_order_relaxed);
}

/* Room in the map for a new key. */
static int reserve_key_locked(kin_store *store) KIN_REQUIRES(store->lock)
{
    kin__read_table *old = NULL;

    if (kin__read_map_reserve(&store->records, 1, &old) < 0)
        return KIN_ENOMEM;
    kin__store_keep_table_locked(store, old);
    return 0;
}

/* Room in the postings of values that the older record does not have. */
static int reserve_places_locked(kin_store *store, const kin__record *record,
                                 const kin__record *older) KIN_REQUIRES(store->lock)
{
    kin__index_value **values = kin__record_values(record);

    for (unsigned i = 0; i < record->n_links; i++) {
        if (older && kin__record_find_link(older, values[i]) < older->n_links)
            continue;
        if (kin__postings_reserve(values[i], &store->garbage) < 0)
            return KIN_ENOMEM;
    }
    return 0;
}

/* Into the postings: in the places of the older record where it has the value. */
static void post(kin__record *record, kin__record *older)
{
    kin__index_value **values = kin__record_values(record);
    unsigned taken = 0;

    for (unsigned i = 0; i < record->n_links; i++) {
        unsigned link = older ? kin__record_find_link(older, values[i]) : 0;

        if (older && link < older->n_links) {
            store_slot(record, i, load_slot(older, link));
            kin__postings_swap(values[i], load_slot(older, link), record);
            taken++;
        } else {
            store_slot(record, i, kin__postings_add(values[i], record));
        }
    }
    if (older && taken < older->n_links)
        older->flags |= KIN__RECORD_POSTED;
    else if (older)
        older->flags &= (uint8_t)~KIN__RECORD_POSTED;
}

int kin__store_link_locked(kin_store *store, kin__record *record)
{
    kin_str key = kin_str_make(record->node.key, record->node.key_len);
    uint64_t next = kin__pins_version(&store->pins) + 1;
    kin__record *older = kin__record_of(
        kin__read_table_get(kin__read_map_table(&store->records), key, record->node.hash));
    bool was_there = older && kin__record_died(older) == KIN__NEVER;

    if ((!older && reserve_key_locked(store) < 0) ||
        reserve_places_locked(store, record, older) < 0)
        return KIN_ENOMEM;
    record->born = next;
    record->flags = KIN__RECORD_IN_MAP;
    atomic_store_explicit(&record->older, older, memory_order_relaxed);
    if (!older) {
        kin__read_map_add(&store->records, &record->node, key, record->node.hash);
    } else {
        kin__read_map_swap(&store->records, &older->node, &record->node);
        older->flags &= (uint8_t)~KIN__RECORD_IN_MAP;
        if (was_there)
            atomic_store_explicit(&older->died, next, memory_order_relaxed);
        else
            older->flags |= KIN__RECORD_REVIVED;
    }
    post(record, older);
    if (!was_there)
        store->len++;
    return 0;
}

void kin__store_kill_record_locked(kin_store *store, kin__record *record)
{
    atomic_store_explicit(&record->died, kin__pins_version(&store->pins) + 1, memory_order_relaxed);
    if (record->n_links)
        record->flags |= KIN__RECORD_POSTED;
    store->len--;
}

kin__record *kin__store_kill_locked(kin_store *store, kin_str key, uint32_t hash)
{
    kin__record *record =
        kin__record_of(kin__read_table_get(kin__read_map_table(&store->records), key, hash));

    if (!record || kin__record_died(record) != KIN__NEVER)
        return NULL;
    kin__store_kill_record_locked(store, record);
    return record;
}

/* --- taking back --- */

static void unlink_record_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock)
{
    uint64_t next = kin__pins_version(&store->pins) + 1;
    kin__record *older = atomic_load_explicit(&record->older, memory_order_relaxed);

    kin__store_detach_locked(store, record, older);
    if (!older || kin__record_died(older) != next || older->flags & KIN__RECORD_RETIRED)
        return;
    atomic_store_explicit(&older->died, KIN__NEVER, memory_order_relaxed);
    older->flags = KIN__RECORD_IN_MAP;
}

void kin__store_undo_locked(kin_store *store, kin__change *changes, size_t n)
{
    while (n-- > 0) {
        kin__record *record = changes[n].record;

        if (!record)
            continue;
        if (changes[n].deleted) {
            atomic_store_explicit(&record->died, KIN__NEVER, memory_order_relaxed);
            record->flags &= (uint8_t)~KIN__RECORD_POSTED;
        } else {
            unlink_record_locked(store, record);
            kin__store_bury_locked(store, record);
        }
        changes[n].record = NULL;
    }
}

/* --- publication --- */

void kin__store_note_version_locked(kin_store *store, kin_str resource_version)
{
    if (resource_version.len == 0)
        return;
    memcpy(store->resource_version_bytes, resource_version.data, resource_version.len);
    store->resource_version.len = resource_version.len;
}

/*
 * The stamp of the version before stays readable meanwhile: there are two. Readers check the
 * version before and after; each store is a release and each load an acquire, so that one of the
 * checks finds out if they read while it was written.
 */
static void write_stamp(kin_store *store, uint64_t version)
{
    kin__stamp *stamp = &store->stamps[version & 1];
    size_t len = store->resource_version.len;

    atomic_store_explicit(&stamp->version, 0, memory_order_relaxed);
    atomic_store_explicit(&stamp->len, store->len, memory_order_release);
    atomic_store_explicit(&stamp->resource_version_len, len, memory_order_release);
    for (size_t i = 0; i * sizeof(uint64_t) < len; i++) {
        uint64_t word;

        memcpy(&word, store->resource_version_bytes + i * sizeof(word), sizeof(word));
        atomic_store_explicit(&stamp->resource_version[i], word, memory_order_release);
    }
    atomic_store_explicit(&stamp->version, version, memory_order_release);
}

void kin__store_publish_locked(kin_store *store, const kin__change *changes, size_t n)
{
    uint64_t version = kin__pins_version(&store->pins) + 1;

    write_stamp(store, version);
    kin__pins_publish(&store->pins, version);
    for (size_t i = 0; i < n; i++) {
        kin__record *record = changes[i].record;
        kin__record *dead = record;

        if (record && !changes[i].deleted)
            dead = atomic_load_explicit(&record->older, memory_order_relaxed);
        if (dead && !(dead->flags & KIN__RECORD_RETIRED))
            kin__store_retire_locked(store, dead);
    }
}

/* --- one write --- */

static int put_locked(kin_store *store, struct prepared *prepared, kin__change *ret)
    KIN_REQUIRES(store->lock)
{
    const kin__record *older = kin__record_of(
        kin__read_table_get(kin__read_map_table(&store->records), prepared->key, prepared->hash));

    if (resolve_locked(store, prepared, older) < 0)
        return KIN_ENOMEM;
    if (kin__store_link_locked(store, prepared->record) < 0) {
        kin__store_unresolve_locked(store, prepared->record);
        return KIN_ENOMEM;
    }
    ret->record = prepared->record;
    ret->deleted = false;
    prepared->record = NULL;
    kin__store_note_version_locked(store, prepared->version);
    return 0;
}

int kin__store_check(const kin_store *store, kin_error *err)
{
    return store ? kin__fork_guard_check(&store->guard, err) : kin__error_null(err, "store");
}

void kin__store_finish(kin_store *store)
{
    kin__freed freed = {NULL, NULL};

    kin__store_reclaim_locked(store, &freed);
    kin__mutex_unlock(&store->lock);
    kin__freed_free(&freed);
    if (atomic_load_explicit(&store->reclaim_wanted, memory_order_seq_cst))
        kin__store_reclaim_all(store);
}

/* One try; *ret_again: an index was added since the object was prepared. */
static int put_prepared(kin_store *store, struct prepared *prepared, bool *ret_again,
                        kin_error *err)
{
    kin__change change = {NULL, false};

    kin__mutex_lock(&store->lock);
    int code = kin__store_wait_turn_locked(store, err);

    *ret_again = code == 0 && prepared->values.indexes != kin__store_indexes(store);
    if (code == 0 && !*ret_again) {
        code = put_locked(store, prepared, &change);
        if (code == 0)
            kin__store_publish_locked(store, &change, 1);
        else
            kin__error_no_memory(err);
    }
    kin__store_finish(store);
    return code;
}

/* `key_object`: whose key counts; NULL: the object's. */
static int store_put(kin_store *store, const kin_object *key_object, const kin_object *object,
                     kin_error *err)
{
    int code = kin__store_check(store, err);
    bool again = true;

    while (code == 0 && again) {
        struct prepared prepared;

        prepared.key_object = key_object;
        code = prepare(store, &prepared, object, true, true, err);
        if (code < 0)
            break;
        code = put_prepared(store, &prepared, &again, err);
        if (code == 0 && !again)
            report(store, &prepared);
        prepared_done(&prepared);
    }
    return code;
}

int kin_store_add(kin_store *store, const kin_object *object, kin_error *err)
{
    return store_put(store, NULL, object, err);
}

int kin_store_update(kin_store *store, const kin_object *object, kin_error *err)
{
    return store_put(store, NULL, object, err);
}

int kin_store_put(kin_store *store, kin_str key, const kin_object *object, kin_error *err)
{
    const kin_object *key_object = NULL;
    int code = kin__store_check(store, err);

    if (code == 0 && !object)
        code = kin__error_null(err, "object");
    if (code == 0)
        code = kin__key_check(key, err);
    if (code == 0)
        code = kin_explicit_key_new(&key_object, key, err);
    if (code == 0)
        code = store_put(store, key_object, object, err);
    kin_object_unref(key_object);
    return code;
}

/* Take out a key, and note a version. */
static int delete_key(kin_store *store, kin_str key, kin_str resource_version, kin_error *err)
{
    uint32_t hash = kin__read_map_hash(&store->records, key);

    kin__mutex_lock(&store->lock);
    int code = kin__store_wait_turn_locked(store, err);

    if (code == 0) {
        kin__change change = {kin__store_kill_locked(store, key, hash), true};

        kin__store_note_version_locked(store, resource_version);
        kin__store_publish_locked(store, &change, 1);
    }
    kin__store_finish(store);
    return code;
}

/*
 * The key to delete: the object's own, or, if the store lacks that and the transformer changes keys, that of the
 * transformed object. *ret_made keeps its bytes, or is NULL.
 */
static int deletion_key(kin_store *store, const kin_object *object, kin_str *ret_key,
                        const kin_object **ret_made, kin_error *err)
{
    const kin__input_fns fns = {store->key, store->key_arg, store->transform, store->transform_arg,
                                NULL};
    int code = kin__input_key(store->key, store->key_arg, object, ret_key, err);

    *ret_made = NULL;
    if (code < 0 || !atomic_load_explicit(&store->renames, memory_order_relaxed) ||
        kin_store_get(store, NULL, *ret_key, NULL) != KIN_ENOTFOUND)
        return code;
    return kin__input(&fns, object, ret_made, ret_key, err);
}

int kin_store_delete(kin_store *store, const kin_object *object, kin_error *err)
{
    const kin_object *made = NULL;
    kin_str key = {NULL, 0};
    int code = kin__store_check(store, err);

    if (code == 0)
        code = deletion_key(store, object, &key, &made, err);
    if (code == 0)
        code = delete_key(store, key, kin__input_version(object), err);
    kin_object_unref(made);
    return code;
}

int kin_store_delete_key(kin_store *store, kin_str key, kin_error *err)
{
    int code = kin__store_check(store, err);

    if (code == 0)
        code = kin__key_check(key, err);
    return code != 0 ? code : delete_key(store, key, kin_str_make(NULL, 0), err);
}

int kin_store_bookmark(kin_store *store, kin_str resource_version, kin_error *err)
{
    int code = kin__store_check(store, err);

    if (code == 0)
        code = kin__resource_version_check(resource_version, err);
    if (code != 0)
        return code;
    kin__mutex_lock(&store->lock);
    code = kin__store_wait_turn_locked(store, err);
    if (code == 0) {
        kin__store_note_version_locked(store, resource_version);
        kin__store_publish_locked(store, NULL, 0);
    }
    kin__store_finish(store);
    return code;
}

/* --- writes of several --- */

int kin__store_stage(kin_store *store, const kin_object *object, bool transform, kin__record **ret,
                     const kin__indexes **ret_indexes, kin_error *err)
{
    struct prepared prepared;
    int code;

    prepared.key_object = NULL;
    code = prepare(store, &prepared, object, transform, false, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&store->lock);
    code = kin__store_wait_turn_locked(store, err);
    if (code == 0 && resolve_locked(store, &prepared, NULL) < 0)
        code = kin__error_no_memory(err);
    kin__store_finish(store);
    if (code == 0) {
        /* What is staged again was reported the first time. */
        if (transform)
            report(store, &prepared);
        *ret = prepared.record;
        *ret_indexes = prepared.values.indexes;
        prepared.record = NULL;
    }
    prepared_done(&prepared);
    return code;
}

void kin__store_unstage(kin_store *store, kin__change *changes, size_t n)
{
    /* In a forked child nobody can be asked for the lock, and nobody else is there. */
    if (kin__fork_guard_check(&store->guard, NULL) == 0) {
        kin__mutex_lock(&store->lock);
        for (size_t i = 0; i < n; i++)
            if (changes[i].record && !changes[i].deleted)
                kin__store_unresolve_locked(store, changes[i].record);
        kin__store_finish(store);
    }
    for (size_t i = 0; i < n; i++)
        if (changes[i].record && !changes[i].deleted)
            kin__record_free(changes[i].record);
}

int kin__store_stage_again(kin_store *store, kin__change *changes, size_t n, kin__staged *staged,
                           kin_error *err)
{
    kin__staged anew = {NULL, false};

    staged->mixed = true;
    for (size_t i = 0; i < n; i++) {
        kin__change old = changes[i];
        const kin__indexes *indexes = NULL;
        int code;

        if (!old.record || old.deleted)
            continue;
        code =
            kin__store_stage(store, old.record->object, false, &changes[i].record, &indexes, err);
        if (code < 0)
            return code;
        kin__staged_note(&anew, indexes);
        kin__store_unstage(store, &old, 1);
    }
    *staged = anew;
    return 0;
}
