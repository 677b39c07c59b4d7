/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a store, and what it is told at birth. store.h has the design.
 */
#include "cache/store.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"

/* While readers hold up the queue of the dead; see store_reclaim.c. */
enum { PATIENCE = 64, SPLICE_MIN = 256 };

static kin__indexes *no_indexes(void)
{
    kin__indexes *indexes = kin__malloc(sizeof(*indexes));

    if (indexes)
        indexes->n = 0;
    return indexes;
}

static void init_stamps(kin_store *store)
{
    for (size_t i = 0; i < kin__array_len(store->stamps); i++) {
        atomic_init(&store->stamps[i].version, 0);
        atomic_init(&store->stamps[i].len, 0);
        atomic_init(&store->stamps[i].resource_version_len, 0);
        for (size_t word = 0; word < KIN__STAMP_WORDS; word++)
            atomic_init(&store->stamps[i].resource_version[word], 0);
    }
    /* The first version is empty. */
    atomic_init(&store->stamps[1].version, 1);
}

static int init(kin_store *store, const kin_store_options *options, kin_error *err)
{
    kin__indexes *indexes = no_indexes();
    int code = kin__fork_guard_init(&store->guard, err);

    store->name = kin__memdup_str(kin_str_of(options->name ? options->name : "store"));
    if (code < 0 || !store->name || !indexes) {
        kin__free(indexes);
        kin__free(store->name);
        return code < 0 ? code : kin__error_no_memory(err);
    }
    kin__ref_init(&store->ref);
    store->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    store->key = options->key;
    store->key_arg = options->key_arg;
    store->transform = options->transform;
    store->transform_arg = options->transform_arg;
    kin__pins_init(&store->pins);
    kin__read_map_init(&store->records, kin__hash_seed());
    atomic_init(&store->indexes, indexes);
    init_stamps(store);
    atomic_init(&store->index_errors, 0);
    atomic_init(&store->scan_warned, false);
    atomic_init(&store->owner_scan_warned, false);
    kin__mutex_init(&store->lock, KIN__RANK_STORE);
    kin__cond_init(&store->indexed);
    store->resource_version = kin_str_make(store->resource_version_bytes, 0);
    store->retired_end = &store->retired;
    store->patience = PATIENCE;
    store->splice_min = SPLICE_MIN;
    store->splice_at = SPLICE_MIN;
    return 0;
}

int kin_store_new(kin_store **ret, const kin_store_options *options, kin_error *err)
{
    kin_store_options all = KIN_STORE_OPTIONS_INIT;
    kin_store *store;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_STORE_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    store = kin__calloc(1, sizeof(*store));
    if (!store)
        return kin__error_no_memory(err);
    code = init(store, &all, err);
    if (code < 0) {
        kin__free(store);
        return code;
    }
    *ret = store;
    return 0;
}

kin_store *kin_store_ref(kin_store *store)
{
    if (store)
        kin__ref_get(&store->ref);
    return store;
}

static void free_records(kin_store *store)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__freed all = {store->retired, store->garbage};

    /* Of the dead, those that are still in the map are in the queue too. */
    while ((node = kin__read_table_next(kin__read_map_table(&store->records), &iter)))
        if (!(kin__record_of(node)->flags & KIN__RECORD_RETIRED))
            kin__record_free(kin__record_of(node));
    kin__freed_free(&all);
    for (size_t i = 0; i < kin__array_len(store->limbo); i++) {
        kin__freed limbo = {store->limbo[i].records, store->limbo[i].blocks};

        kin__freed_free(&limbo);
    }
}

static void store_free(kin_store *store)
{
    kin__indexes *indexes = kin__store_indexes(store);
    bool forked = kin__fork_guard_check(&store->guard, NULL) < 0;

    free_records(store);
    for (size_t i = 0; i < indexes->n; i++)
        kin__index_free(indexes->items[i], true);
    kin__free(indexes);
    kin__garbage_free(store->old_indexes);
    while (store->old_tables) {
        kin__read_table *next = (kin__read_table *)store->old_tables->garbage.next;

        kin__free(store->old_tables);
        store->old_tables = next;
    }
    kin__read_map_done(&store->records);
    kin__pins_done(&store->pins, forked);
    if (!forked) {
        kin__cond_done(&store->indexed);
        kin__mutex_done(&store->lock);
    }
    kin_logger_unref(store->logger);
    kin__free(store->name);
    kin__free(store);
}

void kin_store_unref(kin_store *store)
{
    if (store && kin__ref_put(&store->ref))
        store_free(store);
}

int kin_store_resync(kin_store *store, kin_error *err)
{
    return store ? 0 : kin__error_null(err, "store");
}

int kin_store_get_stats(kin_store *store, kin_store_stats *ret, kin_error *err)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    kin__pins_look look;
    int code;

    if (!store || !ret)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL", store ? "ret" : "store");
    code = kin__fork_guard_check(&store->guard, err);
    if (code < 0)
        return code;
    kin__pins_look_at(&store->pins, &look);
    stats.views = look.n_held;
    kin__mutex_lock(&store->lock);
    stats.version = kin__pins_version(&store->pins);
    stats.objects = store->len;
    stats.old_states = store->n_retired;
    kin__mutex_unlock(&store->lock);
    stats.index_errors = atomic_load_explicit(&store->index_errors, memory_order_relaxed);
    return kin__options_give(ret, &stats, sizeof(stats), "KIN_STORE_STATS_INIT", err);
}
