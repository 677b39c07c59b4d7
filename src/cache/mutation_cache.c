/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of entries over a store, and a list of them in the order of their last use. An entry is a
 * state that was written, or the knowledge that an object was deleted.
 *
 * The store is read under the cache's lock. Otherwise an entry could be dropped because the store
 * has caught up, between a reader's look at the store as it was before and its look at the
 * entries: it would see an older state than before. Reading a store takes no lock.
 *
 * Index functions, key functions and the destruction of objects are the user's: they run without
 * the lock. What leaves the map under the lock is freed behind it.
 */
#include "kinform/mutation_cache.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "cache/collect.h"
#include "cache/input.h"
#include "cache/store.h"
#include "kinform/metadata.h"
#include "kinform/resource_version.h"

/* client-go's. */
enum { DEFAULT_MAX_ENTRIES = 100, DEFAULT_TTL_MS = 5 * 60 * 1000 };

struct entry {
    kin__map_node node; /* the key's bytes are the object's */
    kin__list link;     /* by their last use, the latest last; or among those to be freed */
    const kin_object *object;
    kin_str version; /* the object's */
    bool deleted;    /* the object, or a tombstone of it, is known to be deleted */
    int64_t expires_at;
    uint64_t round; /* the last look by an index that met its key in the store */
};

struct kin_mutation_cache {
    kin__fork_guard guard;
    char *name;
    kin_logger *logger;
    kin_clock *clock;
    kin_store *store;
    int64_t ttl; /* nanoseconds */
    size_t max_entries;
    bool include_adds;

    kin__mutex lock; /* rank MUTATION_CACHE */
    kin__map map;    /* (lock); its seed is const */
    kin__list used;  /* (lock) */
    uint64_t round;  /* (lock) */
};

static struct entry *entry_of_link(kin__list *link)
{
    return kin__list_entry(link, struct entry, link);
}

static void free_entries(kin__list *entries)
{
    kin__list *link;

    while ((link = kin__list_pop_front(entries))) {
        kin_object_unref(entry_of_link(link)->object);
        kin__free(entry_of_link(link));
    }
}

/* --- life --- */

static int init(kin_mutation_cache *cache, kin_store *store,
                const kin_mutation_cache_options *options, kin_error *err)
{
    int64_t ttl_ms = options->ttl_ms ? options->ttl_ms : DEFAULT_TTL_MS;
    int code = kin__fork_guard_init(&cache->guard, err);

    if (code < 0)
        return code;
    cache->name = kin__memdup_str(kin_str_of(options->name ? options->name : "mutation cache"));
    if (!cache->name)
        return kin__error_no_memory(err);
    cache->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    cache->clock = options->clock ? kin_clock_ref(options->clock) : kin_clock_system();
    cache->store = kin_store_ref(store);
    cache->ttl = ttl_ms > INT64_MAX / KIN__MILLISECOND ? INT64_MAX : ttl_ms * KIN__MILLISECOND;
    cache->max_entries = options->max_entries ? options->max_entries : DEFAULT_MAX_ENTRIES;
    cache->include_adds = options->include_adds;
    kin__mutex_init(&cache->lock, KIN__RANK_MUTATION_CACHE);
    kin__map_init(&cache->map, kin__hash_seed());
    kin__list_init(&cache->used);
    return 0;
}

int kin_mutation_cache_new(kin_mutation_cache **ret, kin_store *store,
                           const kin_mutation_cache_options *options, kin_error *err)
{
    kin_mutation_cache_options all = KIN_MUTATION_CACHE_OPTIONS_INIT;
    kin_mutation_cache *cache;
    int code;

    if (!ret || !store)
        return kin__error_null(err, ret ? "store" : "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_MUTATION_CACHE_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    if (all.ttl_ms < 0)
        return kin_error_set(err, KIN_EINVAL, "ttl_ms is negative");
    cache = kin__calloc(1, sizeof(*cache));
    if (!cache)
        return kin__error_no_memory(err);
    code = init(cache, store, &all, err);
    if (code < 0) {
        kin__free(cache);
        return code;
    }
    *ret = cache;
    return 0;
}

void kin_mutation_cache_free(kin_mutation_cache *cache)
{
    if (!cache)
        return;
    free_entries(&cache->used);
    kin__map_done(&cache->map);
    if (kin__fork_guard_check(&cache->guard, NULL) == 0)
        kin__mutex_done(&cache->lock);
    kin_store_unref(cache->store);
    kin_clock_unref(cache->clock);
    kin_logger_unref(cache->logger);
    kin__free(cache->name);
    kin__free(cache);
}

static int check_cache(const kin_mutation_cache *cache, kin_error *err)
{
    return cache ? kin__fork_guard_check(&cache->guard, err) : kin__error_null(err, "cache");
}

/* --- versions --- */

/* The resource version, which may be empty. 0, KIN_EINVAL: it is no number. */
static int version_of(const kin_object *object, kin_str *ret, kin_error *err)
{
    kin_str version = kin_object_resource_version(object);

    if (version.len > 0 && kin_resource_version_validate(version, NULL) < 0)
        return kin_error_set(err, KIN_EINVAL,
                             "the resource version \"%" KIN_STR_FMT "\" of %s is no number",
                             KIN_STR_ARG(version), kin_object_key(object));
    *ret = version;
    return 0;
}

/* Of two that version_of() gave. What has none is older than all that have one. */
static int compare_versions(kin_str a, kin_str b)
{
    int order = (a.len > 0) - (b.len > 0);

    if (a.len > 0 && b.len > 0)
        kin_resource_version_compare(&order, a, b, NULL);
    return order;
}

static bool have_same_uid(const kin_object *a, const kin_object *b)
{
    kin_scratch a_scratch;
    kin_scratch b_scratch;
    kin_str uid = kin_object_uid(a, &a_scratch);

    return uid.len > 0 && kin_str_equal(uid, kin_object_uid(b, &b_scratch));
}

/* --- entries --- */

static void drop_locked(kin_mutation_cache *cache, struct entry *entry, kin__list *dropped)
    KIN_REQUIRES(cache->lock)
{
    kin__map_remove(&cache->map, &entry->node);
    kin__list_remove(&entry->link);
    kin__list_push_back(dropped, &entry->link);
}

/* The entry of a key, unless its time is over. It is used. */
static struct entry *find_locked(kin_mutation_cache *cache, kin_str key, kin__list *dropped)
    KIN_REQUIRES(cache->lock)
{
    kin__map_node *node = kin__map_get(&cache->map, key);
    struct entry *entry = node ? kin__container_of(node, struct entry, node) : NULL;

    if (entry && kin_clock_now(cache->clock) > entry->expires_at) {
        drop_locked(cache, entry, dropped);
        return NULL;
    }
    if (entry) {
        kin__list_remove(&entry->link);
        kin__list_push_back(&cache->used, &entry->link);
    }
    return entry;
}

/* Put a new entry in, in the place of `old` if that is not NULL. 0 or KIN_ENOMEM. */
static int put_locked(kin_mutation_cache *cache, struct entry *entry, kin_str key,
                      struct entry *old, kin__list *dropped) KIN_REQUIRES(cache->lock)
{
    if (!old && kin__map_reserve(&cache->map, kin__map_len(&cache->map) + 1) < 0)
        return KIN_ENOMEM;
    if (old)
        drop_locked(cache, old, dropped);
    kin__map_add(&cache->map, &entry->node, key, NULL);
    entry->expires_at = kin__clock_deadline(cache->clock, cache->ttl);
    kin__list_push_back(&cache->used, &entry->link);
    while (kin__map_len(&cache->map) > cache->max_entries)
        drop_locked(cache, entry_of_link(cache->used.next), dropped);
    return 0;
}

/* What is asked of an object before the lock is taken. */
static int prepare(kin_mutation_cache *cache, const kin_object *object, kin_str *ret_key,
                   kin_str *ret_version, kin_error *err)
{
    int code = check_cache(cache, err);

    if (code == 0)
        code = kin__input_key(cache->store->key, cache->store->key_arg, object, ret_key, err);
    return code < 0 ? code : version_of(object, ret_version, err);
}

static int refuse_tombstone(const kin_object *object, kin_error *err)
{
    if (object && kin_object_is_tombstone(object, NULL))
        return kin_error_set(err, KIN_EINVAL, "a tombstone of %s, which was deleted",
                             kin_object_key(object));
    return 0;
}

/* Whether what is known of a key speaks against remembering an object. */
static bool is_outdated(const struct entry *known, const struct entry *entry)
{
    int order = compare_versions(entry->version, known->version);

    if (!known->deleted)
        return order < 0;
    return order <= 0 || have_same_uid(entry->object, known->object);
}

/* Whether what is known of a key stays although an object was deleted. */
static bool outlives(const struct entry *known, const struct entry *deleted)
{
    return compare_versions(deleted->version, known->version) < 0 &&
           !have_same_uid(deleted->object, known->object);
}

static int remember(kin_mutation_cache *cache, const kin_object *object, bool deleted,
                    kin_error *err)
{
    struct entry *entry;
    struct entry *known;
    kin_str version = {NULL, 0};
    kin_str key = {NULL, 0};
    kin__list dropped;
    int code = prepare(cache, object, &key, &version, err);

    if (code < 0)
        return code;
    entry = kin__calloc(1, sizeof(*entry));
    if (!entry)
        return kin__error_no_memory(err);
    entry->object = kin_object_ref(object);
    entry->version = version;
    entry->deleted = deleted;
    kin__list_init(&entry->link);
    kin__list_init(&dropped);
    kin__mutex_lock(&cache->lock);
    known = find_locked(cache, key, &dropped);
    if (known && (deleted ? outlives(known, entry) : is_outdated(known, entry)))
        kin__list_push_back(&dropped, &entry->link);
    else
        code = put_locked(cache, entry, key, known, &dropped);
    if (code < 0)
        kin__list_push_back(&dropped, &entry->link);
    kin__mutex_unlock(&cache->lock);
    free_entries(&dropped);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_mutation_cache_mutation(kin_mutation_cache *cache, const kin_object *object, kin_error *err)
{
    int code = refuse_tombstone(object, err);

    return code < 0 ? code : remember(cache, object, false, err);
}

int kin_mutation_cache_on_delete(kin_mutation_cache *cache, const kin_object *object,
                                 kin_error *err)
{
    return remember(cache, object, true, err);
}

int kin_mutation_cache_on_add_or_update(kin_mutation_cache *cache, const kin_object *object,
                                        kin_error *err)
{
    struct entry *known;
    kin_str version = {NULL, 0};
    kin_str key = {NULL, 0};
    kin__list dropped;
    int code = refuse_tombstone(object, err);

    if (code == 0)
        code = prepare(cache, object, &key, &version, err);
    if (code < 0)
        return code;
    kin__list_init(&dropped);
    kin__mutex_lock(&cache->lock);
    known = find_locked(cache, key, &dropped);
    if (known && compare_versions(version, known->version) >= 0)
        drop_locked(cache, known, &dropped);
    kin__mutex_unlock(&cache->lock);
    free_entries(&dropped);
    return 0;
}

/* --- looking --- */

/*
 * What is newer than an object of the store, or NULL; an entry that is not is dropped. 0, or
 * KIN_EINVAL: the object's resource version is no number.
 */
static int find_newer_locked(kin_mutation_cache *cache, const kin_object *backing, kin_str key,
                             struct entry **ret, kin__list *dropped, kin_error *err)
    KIN_REQUIRES(cache->lock)
{
    struct entry *entry = find_locked(cache, key, dropped);
    kin_str version = {NULL, 0};

    if (entry) {
        int code = version_of(backing, &version, err);

        if (code < 0)
            return code;
        if (compare_versions(version, entry->version) >= 0) {
            drop_locked(cache, entry, dropped);
            entry = NULL;
        }
    }
    *ret = entry;
    return 0;
}

/* *ret is a reference to what the cache shows; *ret_backing one to what the store has, or NULL. */
static int get_locked(kin_mutation_cache *cache, const kin_object **ret,
                      const kin_object **ret_backing, kin_str key, kin__list *dropped,
                      kin_error *err) KIN_REQUIRES(cache->lock)
{
    struct entry *entry = NULL;
    int code = kin_store_get(cache->store, ret_backing, key, NULL);

    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (code == 0)
        code = find_newer_locked(cache, *ret_backing, key, &entry, dropped, err);
    else if (cache->include_adds)
        entry = find_locked(cache, key, dropped);
    if (code < 0 && code != KIN_ENOTFOUND)
        return code;
    if (entry ? entry->deleted : !*ret_backing)
        return kin__error_no_key(err, key);
    *ret = kin_object_ref(entry ? entry->object : *ret_backing);
    return 0;
}

int kin_mutation_cache_get(kin_mutation_cache *cache, const kin_object **ret, kin_str key,
                           kin_error *err)
{
    const kin_object *backing = NULL;
    const kin_object *found = NULL;
    kin__list dropped;
    int code = check_cache(cache, err);

    if (code < 0)
        return code;
    kin__list_init(&dropped);
    kin__mutex_lock(&cache->lock);
    code = get_locked(cache, &found, &backing, key, &dropped, err);
    kin__mutex_unlock(&cache->lock);
    free_entries(&dropped);
    kin_object_unref(backing);
    if (code == 0 && ret)
        *ret = found;
    else
        kin_object_unref(found);
    return code;
}

size_t kin_mutation_cache_len(kin_mutation_cache *cache)
{
    size_t len;

    if (check_cache(cache, NULL) < 0)
        return 0;
    kin__mutex_lock(&cache->lock);
    len = kin__map_len(&cache->map);
    kin__mutex_unlock(&cache->lock);
    return len;
}

/* --- by index --- */

/* An object that is found by an index, on its way to the list. */
struct found {
    const kin_object *object;     /* a reference; NULL: nothing is shown */
    const kin_object *backing;    /* a reference to what the store has, or NULL */
    const kin_object *key_object; /* a reference, or NULL: the key that the backing was put under */
    kin_str key;                  /* in the bytes of one of them */
};

struct look {
    kin_mutation_cache *cache;
    kin_str index;
    kin_str value;
    kin__list dropped;
    struct found *items;
    size_t n;
    size_t cap;
    size_t n_indexed; /* the first ones are those that the store's index has */
};

/* Make room for `more` objects. 0 or KIN_ENOMEM. */
static int look_reserve(struct look *look, size_t more)
{
    struct found *items = look->items;

    if (more <= look->cap - look->n)
        return 0;
    items = kin__grow_array(items, &look->cap, look->n + more, sizeof(*items));
    if (!items)
        return KIN_ENOMEM;
    look->items = items;
    return 0;
}

static void look_done(struct look *look)
{
    for (size_t i = 0; i < look->n; i++) {
        kin_object_unref(look->items[i].object);
        kin_object_unref(look->items[i].backing);
        kin_object_unref(look->items[i].key_object);
    }
    kin__free(look->items);
    free_entries(&look->dropped);
}

/* One that the store's index has. */
static int note_indexed(const kin__record *record, void *arg)
{
    struct look *look = arg;

    if (look_reserve(look, 1) < 0)
        return KIN_ENOMEM;
    look->items[look->n++] = (struct found){NULL, kin_object_ref(record->object),
                                            kin_object_ref(kin__record_key_object(record)),
                                            kin_str_make(record->node.key, record->node.key_len)};
    look->n_indexed = look->n;
    return 0;
}

/* The newer state of each. */
static int overlay_locked(kin_mutation_cache *cache, struct look *look, kin_error *err)
    KIN_REQUIRES(cache->lock)
{
    cache->round++;
    for (size_t i = 0; i < look->n_indexed; i++) {
        struct found *found = &look->items[i];
        struct entry *entry = NULL;
        int code =
            find_newer_locked(cache, found->backing, found->key, &entry, &look->dropped, err);

        if (code < 0)
            return code;
        if (entry)
            entry->round = cache->round;
        if (!entry || !entry->deleted)
            found->object = kin_object_ref(entry ? entry->object : found->backing);
    }
    return 0;
}

/* What was written under a key that the store's index does not have under the value. */
static int look_at_written_locked(kin_mutation_cache *cache, struct look *look,
                                  const struct entry *entry, kin_error *err)
    KIN_REQUIRES(cache->lock)
{
    struct found *found = &look->items[look->n++];
    struct entry *newer = NULL;
    int code;

    *found = (struct found){NULL, NULL, NULL, kin_str_make(entry->node.key, entry->node.key_len)};
    code = kin_store_get(cache->store, &found->backing, found->key, NULL);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (found->backing)
        code = find_newer_locked(cache, found->backing, found->key, &newer, &look->dropped, err);
    else
        newer = find_locked(cache, found->key, &look->dropped);
    /*
     * What is not newer has come into the store, maybe since its index was looked at: the store's own
     * state is then what may have the value.
     */
    if (newer || found->backing)
        found->object = kin_object_ref(newer ? newer->object : found->backing);
    return code == KIN_EINVAL ? code : 0;
}

static int add_written_locked(kin_mutation_cache *cache, struct look *look, kin_error *err)
    KIN_REQUIRES(cache->lock)
{
    size_t left = kin__map_len(&cache->map);
    int code = 0;

    /* What is given back under the lock could be the last reference: all are kept for later. */
    if (look_reserve(look, left) < 0)
        return kin__error_no_memory(err);
    /* Each goes to the end, or out: the order of use is the same afterwards. */
    for (; left > 0 && code == 0; left--) {
        struct entry *entry = entry_of_link(cache->used.next);

        kin__list_remove(&entry->link);
        kin__list_push_back(&cache->used, &entry->link);
        if (!entry->deleted && entry->round != cache->round)
            code = look_at_written_locked(cache, look, entry, err);
    }
    return code;
}

/* Whether an object has the value. 0 or KIN_ENOMEM; another failure is that of its index function. */
static int has_value(struct look *look, const kin__indexes *indexes, uint32_t index,
                     const kin_object *object, bool *ret, kin_error *err)
{
    kin_error failure = KIN_ERROR_INIT;
    kin_index_values values;
    int code;

    kin__index_values_init(&values);
    code = kin__index_values_of(&values, indexes, index, object, &failure);
    *ret = false;
    for (size_t i = 0; i < values.n && code == 0 && !*ret; i++)
        *ret = kin_str_equal(kin__index_values_text(&values, i), look->value);
    kin__index_values_done(&values);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (code < 0)
        kin__log(look->cache->logger, KIN_LOG_DEBUG, "mutation cache", "an index function failed",
                 KIN__LOG_S("cache", look->cache->name), KIN__LOG_V("index", look->index),
                 KIN__LOG_S("key", kin_object_key(object)), KIN__LOG_S("error", failure.message));
    return 0;
}

/* Of those that were written, keep the ones that have the value. No lock is held. */
static int filter_written(struct look *look, kin_error *err)
{
    const kin__indexes *indexes = kin__store_indexes(look->cache->store);
    uint32_t index = (uint32_t)kin__indexes_find(indexes, look->index);

    for (size_t i = look->n_indexed; i < look->n; i++) {
        struct found *found = &look->items[i];
        bool has = false;
        int code;

        if (!found->object)
            continue;
        code = has_value(look, indexes, index, found->object, &has, err);
        if (code < 0)
            return code;
        if (!has) {
            kin_object_unref(found->object);
            found->object = NULL;
        }
    }
    return 0;
}

static int look_by_index(struct look *look, kin_error *err)
{
    kin_mutation_cache *cache = look->cache;

    kin__mutex_lock(&cache->lock);
    int code =
        kin__store_read_value(cache->store, look->index, look->value, note_indexed, look, err);

    if (code == 0)
        code = overlay_locked(cache, look, err);
    if (code == 0 && cache->include_adds)
        code = add_written_locked(cache, look, err);
    kin__mutex_unlock(&cache->lock);
    return code < 0 ? code : filter_written(look, err);
}

int kin_mutation_cache_by_index(kin_mutation_cache *cache, kin_object_list *ret, kin_str index,
                                kin_str value, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    struct look look = {.cache = cache, .index = index, .value = value};
    int code = check_cache(cache, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__list_init(&look.dropped);
    code = look_by_index(&look, err);
    for (size_t i = 0; i < look.n && code == 0; i++)
        if (look.items[i].object && kin__collect_object(&to, look.items[i].object) < 0)
            code = kin__error_no_memory(err);
    look_done(&look);
    return kin__collector_give_objects(&to, code, ret);
}
