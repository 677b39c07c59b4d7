/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding indexes to a store, filled or not.
 *
 * Writers wait while the index functions run over what is there, which happens with no lock held;
 * readers go on. Each live record is then replaced by a copy that has the new links too: the same
 * state, born in the same version. The new index is seen from the next version on.
 */
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "cache/store.h"

struct adding {
    kin_store *store;
    kin__indexes *indexes; /* the old ones and the new ones */
    size_t n_new;
    struct copy {
        kin__record *record; /* what is there */
        kin__record *copy;   /* what shall be */
    } * copies;
    size_t n;
    size_t cap;
    kin_index_values values; /* of the object that is looked at, and the first error of all */
};

/* --- before: the new array --- */

/* The i-th of the caller's array, whose elements are as large as the caller's header says. */
static int take_index(kin_index *ret, const kin_index *indexes, size_t i, kin_error *err)
{
    *ret = (kin_index)KIN_INDEX_INIT(NULL, NULL);
    return kin__options_take(ret, sizeof(*ret), (const char *)indexes + i * indexes->size,
                             "KIN_INDEX_INIT", err);
}

static int make_index(struct adding *a, const kin_index *index, kin_error *err)
{
    int code;

    if (index->name && kin__indexes_find(a->indexes, kin_str_of(index->name)) < a->indexes->n)
        return kin_error_set(err, KIN_EINVAL, "there is an index %s already", index->name);
    code = kin__index_new(&a->indexes->items[a->indexes->n], index, err);
    if (code == 0)
        a->indexes->n++;
    return code;
}

static int make_indexes(struct adding *a, const kin_index *indexes, kin_error *err)
{
    const kin__indexes *old = kin__store_indexes(a->store);
    kin__indexes *all = kin__calloc(1, sizeof(*all) + (old->n + a->n_new) * sizeof(all->items[0]));
    int code = 0;

    if (!all)
        return kin__error_no_memory(err);
    a->indexes = all;
    memcpy(all->items, old->items, old->n * sizeof(all->items[0]));
    all->n = old->n;
    for (size_t i = 0; i < a->n_new && code == 0; i++) {
        kin_index index;

        code = take_index(&index, indexes, i, err);
        if (code == 0)
            code = make_index(a, &index, err);
    }
    return code;
}

/* --- meanwhile: the copies. Writers are kept out, so what is there stays --- */

static size_t n_old(const struct adding *a)
{
    return a->indexes->n - a->n_new;
}

/* The new links of a copy. Nobody knows the new indexes yet: what they replace can be freed. */
static int link_copy(struct adding *a, kin__record *copy, unsigned first)
{
    kin__index_value **values = kin__record_values(copy);
    kin__garbage *garbage = NULL;
    int code = 0;

    for (size_t i = 0; i < a->values.n && code == 0; i++) {
        kin__index *index = a->indexes->items[a->values.texts[i].index];
        kin__index_value *value;

        code = kin__index_value_get(index, kin__index_values_text(&a->values, i),
                                    a->values.texts[i].hash, &value, &garbage);
        if (code == 0)
            code = kin__postings_reserve(value, &garbage);
        if (code == 0) {
            values[first + i] = value;
            atomic_init(&copy->slots[first + i], kin__postings_add(value, copy));
        }
    }
    kin__garbage_free(garbage);
    return code;
}

static kin__record *copy_of(const kin__record *record, size_t n_links)
{
    kin__record *copy = kin__malloc(kin__record_size(n_links, record->has_key));

    if (!copy)
        return NULL;
    copy->node = record->node;
    copy->object = kin_object_ref(record->object);
    copy->born = record->born;
    atomic_init(&copy->died, KIN__NEVER);
    atomic_init(&copy->older, kin__record_older(record));
    copy->next = NULL;
    copy->flags = record->flags;
    copy->has_key = record->has_key;
    copy->n_links = (uint16_t)n_links;
    if (copy->has_key)
        *kin__record_key_place(copy) = kin_object_ref(kin__record_key_object(record));
    for (unsigned i = 0; i < record->n_links; i++)
        atomic_init(&copy->slots[i], atomic_load_explicit(&record->slots[i], memory_order_relaxed));
    memcpy(kin__record_values(copy), kin__record_values(record),
           record->n_links * sizeof(kin__index_value *));
    return copy;
}

static int copy_record(struct adding *a, kin__record *record, kin_error *err)
{
    kin__record *copy;
    int code = kin__index_values_compute(&a->values, a->indexes, n_old(a), record->object, err);

    if (code < 0)
        return code;
    if (a->values.n > (size_t)UINT16_MAX - record->n_links)
        return kin_error_set(err, KIN_ELIMIT, "an object has more than %d index values",
                             UINT16_MAX);
    if (a->n == a->cap) {
        struct copy *copies = kin__grow_array(a->copies, &a->cap, a->n + 1, sizeof(*copies));

        if (!copies)
            return kin__error_no_memory(err);
        a->copies = copies;
    }
    copy = copy_of(record, record->n_links + a->values.n);
    if (!copy)
        return kin__error_no_memory(err);
    a->copies[a->n++] = (struct copy){record, copy};
    return link_copy(a, copy, record->n_links) < 0 ? kin__error_no_memory(err) : 0;
}

static int copy_all(struct adding *a, kin_error *err)
{
    const kin__read_table *table;
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    uint64_t version;
    int code = 0;
    /* The dead may be taken out of the map meanwhile, when a view is freed. */
    kin__pin *pin = kin__pins_acquire(&a->store->pins, &version);

    table = kin__read_map_table(&a->store->records);
    while (code == 0 && (node = kin__read_table_next(table, &iter)))
        if (kin__record_died(kin__record_of(node)) == KIN__NEVER)
            code = copy_record(a, kin__record_of(node), err);
    kin__pin_release(pin);
    return code;
}

/* --- after --- */

static void put_copy_locked(kin_store *store, const struct copy *c) KIN_REQUIRES(store->lock)
{
    kin__index_value **values = kin__record_values(c->record);

    /* Older ones may have been taken out since it was copied, when a view was freed. */
    atomic_store_explicit(&c->copy->older, kin__record_older(c->record), memory_order_relaxed);
    kin__read_map_swap(&store->records, &c->record->node, &c->copy->node);
    for (kin__read_table *table = store->old_tables; table;
         table = (kin__read_table *)table->garbage.next)
        kin__read_table_forget(table, &c->record->node, &c->copy->node);
    for (unsigned i = 0; i < c->record->n_links; i++)
        kin__postings_swap(
            values[i], atomic_load_explicit(&c->record->slots[i], memory_order_relaxed), c->copy);
    /* Its links are the copy's now. */
    kin__store_defer_locked(store, c->record);
}

static void publish_locked(kin_store *store, struct adding *a) KIN_REQUIRES(store->lock)
{
    kin__indexes *old = kin__store_indexes(store);

    for (size_t i = 0; i < a->n; i++)
        put_copy_locked(store, &a->copies[i]);
    for (size_t i = n_old(a); i < a->indexes->n; i++)
        a->indexes->items[i]->born = kin__pins_version(&store->pins) + 1;
    atomic_store_explicit(&store->indexes, a->indexes, memory_order_release);
    /* Whoever prepares a write may have it, without a pin; there are few. */
    kin__garbage_push(&store->old_indexes, &old->garbage);
    kin__store_publish_locked(store, NULL, 0);
}

static void give_up(struct adding *a)
{
    for (size_t i = 0; i < a->n; i++)
        kin__record_free(a->copies[i].copy);
    if (!a->indexes)
        return;
    /* The arguments are still the caller's. */
    for (size_t i = kin__store_indexes(a->store)->n; i < a->indexes->n; i++)
        kin__index_free(a->indexes->items[i], false);
    kin__free(a->indexes);
}

static void report(const struct adding *a)
{
    const kin_index_values *values = &a->values;

    if (values->n_errors == 0)
        return;
    atomic_fetch_add_explicit(&a->store->index_errors, values->n_errors, memory_order_relaxed);
    kin__log(a->store->logger, KIN_LOG_WARN, "store", "a new index function failed",
             KIN__LOG_S("store", a->store->name),
             KIN__LOG_S("index", a->indexes->items[values->first_error_index]->name),
             KIN__LOG_U("objects", values->n_errors),
             KIN__LOG_S("error", values->first_error.message));
}

/* With all writers kept out, by this thread. */
static int add_indexes(struct adding *a, const kin_index *indexes, kin_error *err)
{
    int code = make_indexes(a, indexes, err);

    if (code == 0)
        code = copy_all(a, err);
    return code;
}

int kin_store_add_indexes(kin_store *store, const kin_index *indexes, size_t n, kin_error *err)
{
    struct adding a = {store, NULL, n, NULL, 0, 0, {0}};
    int code = kin__store_check(store, err);

    if (code == 0 && n && !indexes)
        code = kin__error_null(err, "indexes");
    if (code < 0 || n == 0)
        return code;
    kin__mutex_lock(&store->lock);
    code = kin__store_wait_turn_locked(store, err);
    if (code == 0) {
        store->indexing = true;
        store->indexer = pthread_self();
    }
    kin__mutex_unlock(&store->lock);
    if (code < 0)
        return code;
    kin__index_values_init(&a.values);
    code = add_indexes(&a, indexes, err);
    if (code < 0)
        give_up(&a);
    kin__mutex_lock(&store->lock);
    if (code == 0)
        publish_locked(store, &a);
    store->indexing = false;
    kin__cond_broadcast(&store->indexed);
    kin__store_finish(store);
    if (code == 0)
        report(&a);
    kin__index_values_done(&a.values);
    kin__free(a.copies);
    return code;
}

int kin_store_add_index(kin_store *store, const kin_index *index, kin_error *err)
{
    return kin_store_add_indexes(store, index, 1, err);
}
