/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions: several writes that become visible in one version.
 *
 * Records are staged one by one: made, and their index values resolved, so that the write itself
 * calls no index function. Then they are linked in under one lock and published in one version.
 *
 * An index that is added between staging and writing makes the staged records incomplete; they are
 * staged again.
 */
#include "base/error.h"
#include "base/memory.h"
#include "cache/input.h"
#include "cache/store.h"

/* How many writes ahead memory is asked for, per step. */
#define AHEAD ((size_t)8)

struct transaction {
    kin_store *store;
    kin_write *writes;
    size_t n;
    kin__change *changes;
    struct deletion {
        kin_str key;
        uint32_t hash;
    } * deletions; /* where a change is one */
    kin__staged staged;
};

static int stage_write(struct transaction *t, size_t i, kin_error *err)
{
    kin_write *write = &t->writes[i];
    const kin__indexes *indexes = NULL;
    int code;

    switch (write->type) {
    case KIN_WRITE_PUT:
        code =
            kin__store_stage(t->store, write->object, true, &t->changes[i].record, &indexes, err);
        if (code == 0)
            kin__staged_note(&t->staged, indexes);
        return code;
    case KIN_WRITE_DELETE:
        t->changes[i].deleted = true;
        code = kin__input_key(t->store->key, t->store->key_arg, write->object, &t->deletions[i].key,
                              err);
        if (code == 0)
            t->deletions[i].hash = kin__read_map_hash(&t->store->records, t->deletions[i].key);
        return code;
    default:
        return kin_error_set(err, KIN_EINVAL, "a write of the unknown type %d", (int)write->type);
    }
}

/* Its head and its key, and some of what index functions look at. */
static void prefetch_object(const kin_object *object)
{
    if (!object)
        return;
    for (size_t line = 0; line < 4; line++)
        __builtin_prefetch((const char *)object + 64 * line);
}

/* All that can be staged; *ret is the first code of those that cannot. KIN_ENOMEM ends it. */
static int stage_writes(struct transaction *t, int *ret, kin_error *err)
{
    for (size_t i = 0; i < t->n; i++) {
        kin_error failure;
        bool ends_it;
        int code;

        kin__error_begin(&failure);
        code = stage_write(t, i, &failure);
        t->writes[i].code = code;
        if (i + 2 * AHEAD < t->n)
            prefetch_object(t->writes[i + 2 * AHEAD].object);
        if (code == 0)
            continue;
        ends_it = code == KIN_ENOMEM || code == KIN_EBUSY;
        if (*ret == 0 || ends_it)
            kin__error_pass(err, code, &failure);
        if (ends_it)
            return code;
        if (*ret == 0)
            *ret = code;
    }
    return 0;
}

static uint32_t hash_of(const struct transaction *t, size_t i)
{
    return t->changes[i].deleted ? t->deletions[i].hash : t->changes[i].record->node.hash;
}

/* Ask for what following a record needs: its object, and its places in the postings. */
static void prefetch_record(const kin__record *record)
{
    kin__index_value **values = kin__record_values(record);

    __builtin_prefetch(record->object);
    __builtin_prefetch((const char *)record->object + 64);
    for (unsigned i = 0; i < record->n_links; i++) {
        const kin__postings *postings =
            atomic_load_explicit(&values[i]->postings, memory_order_relaxed);

        __builtin_prefetch(
            &postings->places[atomic_load_explicit(&record->slots[i], memory_order_relaxed)], 1);
    }
}

/*
 * Memory is slow, and what a write looks at is scattered: ask for what the writes further on will
 * need, bucket, then record, then its object, so that many of these wait at the same time.
 */
static void prefetch_ahead(const struct transaction *t, size_t i)
{
    const kin__read_table *table = kin__read_map_table(&t->store->records);
    kin__map_node *node;

    if (i + 3 * AHEAD < t->n && t->writes[i + 3 * AHEAD].code == 0)
        kin__read_table_prefetch(table, hash_of(t, i + 3 * AHEAD));
    if (i + 2 * AHEAD < t->n && t->writes[i + 2 * AHEAD].code == 0) {
        kin__read_table_prefetch_entry(table, hash_of(t, i + 2 * AHEAD));
    }
    if (i + AHEAD < t->n && t->writes[i + AHEAD].code == 0) {
        node = kin__read_table_guess(table, hash_of(t, i + AHEAD));
        if (node)
            prefetch_record(kin__container_of(node, kin__record, node));
    }
}

/* The resource version that the store gets: the last that a write brings. */
static kin_str last_version(const struct transaction *t)
{
    kin_str version = {NULL, 0};

    for (size_t i = t->n; i-- > 0 && version.len == 0;)
        if (t->writes[i].code == 0)
            version = kin__input_version(t->changes[i].deleted ? t->writes[i].object
                                                               : t->changes[i].record->object);
    return version;
}

static int apply_locked(kin_store *store, struct transaction *t, kin_str version)
    KIN_REQUIRES(store->lock)
{
    size_t len = store->len;

    for (size_t i = 0; i < t->n; i++) {
        kin__change *change = &t->changes[i];

        prefetch_ahead(t, i);
        if (t->writes[i].code < 0)
            continue;
        if (change->deleted)
            change->record =
                kin__store_kill_locked(store, t->deletions[i].key, t->deletions[i].hash);
        else if (kin__store_link_locked(store, change->record) < 0) {
            kin__store_undo_locked(store, t->changes, i);
            store->len = len;
            return KIN_ENOMEM;
        }
    }
    kin__store_note_version_locked(store, version);
    kin__store_publish_locked(store, t->changes, t->n);
    return 0;
}

/* One try; *ret_again: an index was added since they were staged. */
static int apply(struct transaction *t, bool *ret_again, kin_error *err)
{
    kin_store *store = t->store;
    kin_str version = last_version(t);

    kin__mutex_lock(&store->lock);
    int code = kin__store_wait_turn_locked(store, err);

    *ret_again = code == 0 && kin__staged_is_outdated(&t->staged, store);
    if (code == 0 && !*ret_again && apply_locked(store, t, version) < 0)
        code = kin__error_no_memory(err);
    kin__store_finish(store);
    return code;
}

/* Nothing was done, all for one reason. */
static int none_done(const struct transaction *t, int code)
{
    for (size_t i = 0; i < t->n; i++)
        t->writes[i].code = code;
    return code;
}

static int run_transaction(struct transaction *t, kin_error *err)
{
    int left_out = 0;
    bool again = true;
    int code = stage_writes(t, &left_out, err);

    while (code == 0 && again) {
        code = apply(t, &again, err);
        if (code == 0 && again)
            code = kin__store_stage_again(t->store, t->changes, t->n, &t->staged, err);
    }
    if (code < 0) {
        kin__store_unstage(t->store, t->changes, t->n);
        return none_done(t, code);
    }
    kin__store_reclaim_crowd(t->store);
    return left_out;
}

int kin_store_write(kin_store *store, kin_write *writes, size_t n, kin_error *err)
{
    struct transaction t = {store, writes, n, NULL, NULL, {NULL, false}};
    int code = kin__store_check(store, err);

    if (n && !writes)
        return kin__error_null(err, "writes");
    if (code < 0)
        return none_done(&t, code);
    if (n == 0)
        return 0;
    t.changes = kin__calloc(n, sizeof(*t.changes));
    t.deletions = kin__calloc(n, sizeof(*t.deletions));
    code = t.changes && t.deletions ? run_transaction(&t, err)
                                    : none_done(&t, kin__error_no_memory(err));
    kin__free(t.changes);
    kin__free(t.deletions);
    return code;
}
