/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of entries, each with the time of its last write, and a list of them in the order of their
 * writes: with a time to live, those that have expired are at its head.
 *
 * The user's function that decides about expiry runs without the lock, on objects that were looked
 * up before. What it says counts only for the write that it was asked about: an entry is taken out
 * if it still has the same object of the same time. An object that was written anew meanwhile stays.
 *
 * Entries keep the key in their object's bytes; a new state of a known key needs no memory. Objects are
 * given back after the lock was released.
 */
#include "kinform/expiring_store.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "base/ref.h"
#include "cache/collect.h"
#include "cache/input.h"
#include "cache/replace.h"

struct entry {
    kin__map_node node; /* the key's bytes are the object's */
    kin__list link;     /* in the order of writes; or among those to be freed */
    const kin_object *object;
    int64_t stored_at;
};

/* What a store holds, and what a replacement has put aside. */
struct contents {
    kin__map map;
    kin__list order; /* the oldest first */
};

struct kin_expiring_store {
    kin__ref ref;
    kin__fork_guard guard;
    kin_clock *clock;
    kin_key_fn *key;
    void *key_arg;
    int64_t ttl; /* nanoseconds; 0: nothing expires by its age */
    kin_expired_fn *expired;
    void *expired_arg;

    kin__mutex lock;                                           /* rank EXPIRING_STORE */
    struct contents contents;                                  /* (lock) */
    size_t resource_version_len;                               /* (lock) */
    char resource_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1]; /* (lock) not terminated */
};

/* An entry as it was when somebody looked. */
struct seen {
    const kin_object *object; /* SHARED: a reference */
    int64_t stored_at;
    kin_str key; /* in the object's bytes */
    bool expired;
};

static struct entry *entry_of(kin__map_node *node)
{
    return node ? kin__container_of(node, struct entry, node) : NULL;
}

/* --- contents --- */

static void contents_init(struct contents *contents)
{
    kin__map_init(&contents->map, kin__hash_seed());
    kin__list_init(&contents->order);
}

static void free_entries(kin__list *entries)
{
    kin__list *link;

    while ((link = kin__list_pop_front(entries))) {
        struct entry *entry = kin__list_entry(link, struct entry, link);

        kin_object_unref(entry->object);
        kin__free(entry);
    }
}

static void contents_done(struct contents *contents)
{
    kin__map_done(&contents->map);
    free_entries(&contents->order);
}

static void contents_swap(struct contents *a, struct contents *b)
{
    kin__map map = a->map;
    kin__list order;

    a->map = b->map;
    b->map = map;
    kin__list_init(&order);
    kin__list_splice_back(&order, &a->order);
    kin__list_splice_back(&a->order, &b->order);
    kin__list_splice_back(&b->order, &order);
}

/* The entry of a key, which may be new, with another object. NULL: no memory, nothing has changed. */
static struct entry *contents_put(struct contents *contents, const kin_object *object, kin_str key,
                                  uint32_t hash, const kin_object **ret_old)
{
    struct entry *entry = entry_of(kin__map_get_hashed(&contents->map, key, hash));

    *ret_old = NULL;
    if (entry) {
        *ret_old = entry->object;
        entry->node.key = key.data;
        kin__list_remove(&entry->link);
    } else {
        entry = kin__malloc(sizeof(*entry));
        if (!entry || kin__map_add_hashed(&contents->map, &entry->node, key, hash, NULL) < 0) {
            kin__free(entry);
            return NULL;
        }
    }
    entry->object = kin_object_ref(object);
    kin__list_push_back(&contents->order, &entry->link);
    return entry;
}

/* Take an entry out, to be freed later. */
static void contents_remove(struct contents *contents, struct entry *entry, kin__list *removed)
{
    kin__map_remove(&contents->map, &entry->node);
    kin__list_remove(&entry->link);
    kin__list_push_back(removed, &entry->link);
}

/* --- life --- */

static int64_t ttl_of(int64_t ms)
{
    if (ms <= 0)
        return 0;
    return ms > INT64_MAX / KIN__MILLISECOND ? INT64_MAX : ms * KIN__MILLISECOND;
}

int kin_expiring_store_new(kin_expiring_store **ret, const kin_expiring_store_options *options,
                           kin_error *err)
{
    kin_expiring_store_options all = KIN_EXPIRING_STORE_OPTIONS_INIT;
    kin_expiring_store *store;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_EXPIRING_STORE_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    if (all.expired && all.ttl_ms != 0)
        return kin_error_set(err, KIN_EINVAL, "objects expire by their age or by a function");
    store = kin__calloc(1, sizeof(*store));
    if (!store)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&store->guard, err);
    if (code < 0) {
        kin__free(store);
        return code;
    }
    kin__ref_init(&store->ref);
    store->clock = all.clock ? kin_clock_ref(all.clock) : kin_clock_system();
    store->key = all.key;
    store->key_arg = all.key_arg;
    store->ttl = ttl_of(all.ttl_ms);
    store->expired = all.expired;
    store->expired_arg = all.expired_arg;
    kin__mutex_init(&store->lock, KIN__RANK_EXPIRING_STORE);
    contents_init(&store->contents);
    *ret = store;
    return 0;
}

kin_expiring_store *kin_expiring_store_ref(kin_expiring_store *store)
{
    if (store)
        kin__ref_get(&store->ref);
    return store;
}

void kin_expiring_store_unref(kin_expiring_store *store)
{
    if (!store || !kin__ref_put(&store->ref))
        return;
    contents_done(&store->contents);
    if (kin__fork_guard_check(&store->guard, NULL) == 0)
        kin__mutex_done(&store->lock);
    kin_clock_unref(store->clock);
    kin__free(store);
}

static int check_store(const kin_expiring_store *store, kin_error *err)
{
    return store ? kin__fork_guard_check(&store->guard, err) : kin__error_null(err, "store");
}

/* --- writing --- */

/* As a store does: what is empty or too long is not noted. */
static void note_version_locked(kin_expiring_store *store, kin_str resource_version)
    KIN_REQUIRES(store->lock)
{
    if (resource_version.len == 0 || resource_version.len > KIN_RESOURCE_VERSION_BYTES_MAX)
        return;
    memcpy(store->resource_version, resource_version.data, resource_version.len);
    store->resource_version_len = resource_version.len;
}

static int expiring_store_put(kin_expiring_store *store, const kin_object *object, kin_error *err)
{
    const kin_object *old = NULL;
    struct entry *entry;
    kin_str version;
    kin_str key = {NULL, 0};
    int code = check_store(store, err);

    if (code == 0)
        code = kin__input_key(store->key, store->key_arg, object, &key, err);
    if (code < 0)
        return code;
    version = kin__input_version(object);
    kin__mutex_lock(&store->lock);
    entry =
        contents_put(&store->contents, object, key, kin__map_hash(&store->contents.map, key), &old);
    if (entry) {
        /* Under the lock, so that the order of writes is that of their times. */
        entry->stored_at = kin_clock_now(store->clock);
        note_version_locked(store, version);
    }
    kin__mutex_unlock(&store->lock);
    kin_object_unref(old);
    return entry ? 0 : kin__error_no_memory(err);
}

int kin_expiring_store_add(kin_expiring_store *store, const kin_object *object, kin_error *err)
{
    return expiring_store_put(store, object, err);
}

int kin_expiring_store_update(kin_expiring_store *store, const kin_object *object, kin_error *err)
{
    return expiring_store_put(store, object, err);
}

int kin_expiring_store_delete(kin_expiring_store *store, const kin_object *object, kin_error *err)
{
    kin__list removed;
    struct entry *entry;
    kin_str version;
    kin_str key = {NULL, 0};
    int code = check_store(store, err);

    if (code == 0)
        code = kin__input_key(store->key, store->key_arg, object, &key, err);
    if (code < 0)
        return code;
    kin__list_init(&removed);
    version = kin__input_version(object);
    kin__mutex_lock(&store->lock);
    entry = entry_of(kin__map_get(&store->contents.map, key));
    if (entry)
        contents_remove(&store->contents, entry, &removed);
    note_version_locked(store, version);
    kin__mutex_unlock(&store->lock);
    free_entries(&removed);
    return 0;
}

int kin_expiring_store_bookmark(kin_expiring_store *store, kin_str resource_version, kin_error *err)
{
    int code = check_store(store, err);

    if (code == 0)
        code = kin__resource_version_check(resource_version, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&store->lock);
    note_version_locked(store, resource_version);
    kin__mutex_unlock(&store->lock);
    return 0;
}

int kin_expiring_store_resync(kin_expiring_store *store, kin_error *err)
{
    return store ? 0 : kin__error_null(err, "store");
}

/* --- replacing --- */

struct expiring_replace {
    kin_replace base;
    kin_expiring_store *store;
    struct contents contents;
};

static struct expiring_replace *of(kin_replace *replace)
{
    return kin__container_of(replace, struct expiring_replace, base);
}

static void replace_abort(kin_replace *replace)
{
    struct expiring_replace *r = of(replace);

    contents_done(&r->contents);
    kin__free(r);
}

static int replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    struct expiring_replace *r = of(replace);
    const kin_object *old = NULL;
    kin_str key = {NULL, 0};
    int code = check_store(r->store, err);

    if (code == 0)
        code = kin__input_key(r->store->key, r->store->key_arg, object, &key, err);
    if (code < 0)
        return code;
    if (!contents_put(&r->contents, object, key, kin__map_hash(&r->contents.map, key), &old))
        return kin__error_no_memory(err);
    kin_object_unref(old);
    return 0;
}

/* Put what was put aside to what the store has. All or nothing; what was there before is `removed`. */
static int merge_locked(kin_expiring_store *store, struct contents *from, kin__list *removed)
    KIN_REQUIRES(store->lock)
{
    struct contents *to = &store->contents;

    if (kin__map_reserve(&to->map, to->map.len + from->map.len) < 0)
        return KIN_ENOMEM;
    kin__list_for_each(&from->order, link) {
        struct entry *entry = kin__list_entry(link, struct entry, link);
        kin_str key = kin_str_make(entry->node.key, entry->node.key_len);
        struct entry *old = entry_of(kin__map_get_hashed(&to->map, key, entry->node.hash));
        int code;

        if (old)
            contents_remove(to, old, removed);
        kin__map_remove(&from->map, &entry->node);
        code = kin__map_add_hashed(&to->map, &entry->node, key, entry->node.hash, NULL);
        kin__assert(code == 0);
        (void)code;
        kin__list_remove(&entry->link);
        kin__list_push_back(&to->order, &entry->link);
    }
    return 0;
}

static int replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct expiring_replace *r = of(replace);
    kin_expiring_store *store = r->store;
    int code = check_store(store, err);
    kin__list removed;
    int64_t now;

    if (code < 0)
        return code;
    kin__list_init(&removed);
    now = kin_clock_now(store->clock);
    kin__list_for_each(&r->contents.order, link)
        kin__list_entry(link, struct entry, link)->stored_at = now;
    kin__mutex_lock(&store->lock);
    if (r->base.keeps)
        code = merge_locked(store, &r->contents, &removed);
    else
        contents_swap(&store->contents, &r->contents);
    if (code == 0)
        note_version_locked(store, resource_version);
    kin__mutex_unlock(&store->lock);
    if (code < 0)
        return kin__error_no_memory(err);
    free_entries(&removed);
    replace_abort(replace); /* with what the store had before */
    return 0;
}

int kin_expiring_store_replace_begin(kin_expiring_store *store, kin_replace **ret, kin_error *err)
{
    static const kin__replace_class replace_class = {replace_add, replace_commit, replace_abort,
                                                     NULL};
    struct expiring_replace *r;
    int code = check_store(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    r = kin__malloc(sizeof(*r));
    if (!r)
        return kin__error_no_memory(err);
    r->base = (kin_replace){&replace_class, false};
    r->store = store;
    contents_init(&r->contents);
    *ret = &r->base;
    return 0;
}

int kin_expiring_store_replace(kin_expiring_store *store, const kin_object *const *objects,
                               size_t n, kin_str resource_version, kin_error *err)
{
    kin_replace *replace = NULL;
    int code = kin_expiring_store_replace_begin(store, &replace, err);

    return code < 0 ? code : kin__replace_all(replace, objects, n, resource_version, err);
}

/* --- expiry --- */

static bool is_too_old(const kin_expiring_store *store, int64_t stored_at, int64_t now)
{
    return store->ttl > 0 && now - stored_at > store->ttl;
}

static bool has_expired(const kin_expiring_store *store, const struct seen *seen)
{
    if (!store->expired)
        return is_too_old(store, seen->stored_at, kin_clock_now(store->clock));
    kin__assert_no_locks();
    return store->expired(seen->object, seen->stored_at, store->expired_arg);
}

static void see_locked(const struct entry *entry, struct seen *ret)
{
    ret->object = kin_object_ref(entry->object);
    ret->stored_at = entry->stored_at;
    ret->key = kin_str_make(entry->node.key, entry->node.key_len);
    ret->expired = false;
}

/* Take an entry out if nobody has written to it since it was seen. */
static void remove_seen_locked(kin_expiring_store *store, const struct seen *seen,
                               kin__list *removed) KIN_REQUIRES(store->lock)
{
    struct entry *entry = entry_of(kin__map_get(&store->contents.map, seen->key));

    if (entry && entry->object == seen->object && entry->stored_at == seen->stored_at)
        contents_remove(&store->contents, entry, removed);
}

/* Take out what is too old. */
static size_t remove_old_locked(kin_expiring_store *store, int64_t now, kin__list *removed)
    KIN_REQUIRES(store->lock)
{
    size_t n = 0;

    kin__list_for_each(&store->contents.order, link) {
        struct entry *entry = kin__list_entry(link, struct entry, link);

        if (!is_too_old(store, entry->stored_at, now))
            break;
        contents_remove(&store->contents, entry, removed);
        n++;
    }
    return n;
}

/* All entries, for the user's function. 0 or KIN_ENOMEM. */
static int see_all(kin_expiring_store *store, struct seen **ret, size_t *ret_n)
{
    struct seen *all;
    size_t n = 0;

    kin__mutex_lock(&store->lock);
    all = kin__calloc(kin__map_len(&store->contents.map), sizeof(*all));
    if (all) {
        kin__list_for_each(&store->contents.order, link)
            see_locked(kin__list_entry(link, struct entry, link), &all[n++]);
    }
    kin__mutex_unlock(&store->lock);
    *ret = all;
    *ret_n = n;
    return all ? 0 : KIN_ENOMEM;
}

/* Take out those that have expired and were not written since. */
static size_t remove_expired(kin_expiring_store *store, const struct seen *all, size_t n)
{
    kin__list removed;
    size_t before;
    size_t after;

    kin__list_init(&removed);
    kin__mutex_lock(&store->lock);
    before = kin__map_len(&store->contents.map);
    for (size_t i = 0; i < n; i++)
        if (all[i].expired)
            remove_seen_locked(store, &all[i], &removed);
    after = kin__map_len(&store->contents.map);
    kin__mutex_unlock(&store->lock);
    free_entries(&removed);
    return before - after;
}

static void unsee(struct seen *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin_object_unref(all[i].object);
    kin__free(all);
}

/* Ask the function about all; those that stay go to `to`, which may be NULL. 0 or KIN_ENOMEM. */
static int sweep_by_function(kin_expiring_store *store, kin__collector *to, size_t *ret_removed)
{
    struct seen *all = NULL;
    size_t n = 0;
    int code = see_all(store, &all, &n);

    if (code == 0 && to)
        code = kin__collector_reserve_objects(to, n);
    for (size_t i = 0; i < n && code == 0; i++) {
        all[i].expired = has_expired(store, &all[i]);
        if (to && !all[i].expired)
            code = kin__collect_object(to, all[i].object);
    }
    if (code == 0)
        *ret_removed = remove_expired(store, all, n);
    unsee(all, n);
    return code;
}

/* The same by age, under the lock. */
static int sweep_by_age(kin_expiring_store *store, kin__collector *to, size_t *ret_removed)
{
    kin__list removed;
    int code = 0;

    kin__list_init(&removed);
    kin__mutex_lock(&store->lock);
    if (to)
        code = kin__collector_reserve_objects(to, kin__map_len(&store->contents.map));
    if (code == 0)
        *ret_removed = remove_old_locked(store, kin_clock_now(store->clock), &removed);
    if (code == 0 && to) {
        kin__list_for_each(&store->contents.order, link)
            kin__collect_object(to, kin__list_entry(link, struct entry, link)->object);
    }
    kin__mutex_unlock(&store->lock);
    free_entries(&removed);
    return code;
}

static int sweep(kin_expiring_store *store, kin__collector *to, size_t *ret_removed, kin_error *err)
{
    int code = store->expired ? sweep_by_function(store, to, ret_removed)
                              : sweep_by_age(store, to, ret_removed);

    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_expiring_store_purge(kin_expiring_store *store, size_t *ret_removed, kin_error *err)
{
    size_t removed = 0;
    int code = check_store(store, err);

    if (code == 0)
        code = sweep(store, NULL, &removed, err);
    if (code == 0 && ret_removed)
        *ret_removed = removed;
    return code;
}

/* --- reading --- */

int kin_expiring_store_get(kin_expiring_store *store, const kin_object **ret, kin_str key,
                           kin_error *err)
{
    struct seen seen = {.object = NULL};
    struct entry *entry;
    int code = check_store(store, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&store->lock);
    entry = entry_of(kin__map_get(&store->contents.map, key));
    if (entry)
        see_locked(entry, &seen);
    kin__mutex_unlock(&store->lock);
    if (seen.object) {
        seen.expired = has_expired(store, &seen);
        if (seen.expired)
            remove_expired(store, &seen, 1);
    }
    if (seen.object && !seen.expired && ret)
        *ret = seen.object;
    else
        kin_object_unref(seen.object);
    if (seen.object && !seen.expired)
        return 0;
    return kin__error_no_key(err, key);
}

int kin_expiring_store_get_object(kin_expiring_store *store, const kin_object **ret,
                                  const kin_object *object, kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = check_store(store, err);

    if (code == 0)
        code = kin__input_key(store->key, store->key_arg, object, &key, err);
    return code < 0 ? code : kin_expiring_store_get(store, ret, key, err);
}

size_t kin_expiring_store_len(kin_expiring_store *store)
{
    size_t len;

    if (check_store(store, NULL) < 0)
        return 0;
    kin__mutex_lock(&store->lock);
    len = kin__map_len(&store->contents.map);
    kin__mutex_unlock(&store->lock);
    return len;
}

int kin_expiring_store_list(kin_expiring_store *store, kin_object_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    size_t removed;
    int code = check_store(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    code = sweep(store, &to, &removed, err);
    return kin__collector_give_objects(&to, code, ret);
}

int kin_expiring_store_list_keys(kin_expiring_store *store, kin_string_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = check_store(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&store->lock);
    kin__list_for_each(&store->contents.order, link) {
        const kin__map_node *node = &kin__list_entry(link, struct entry, link)->node;

        if (code == 0)
            code = kin__collect_string(&to, kin_str_make(node->key, node->key_len));
    }
    kin__mutex_unlock(&store->lock);
    if (code < 0)
        kin__error_no_memory(err);
    return kin__collector_give_strings(&to, code, false, ret, err);
}

size_t kin_expiring_store_resource_version(kin_expiring_store *store, char *buf, size_t size)
{
    size_t len = 0;
    size_t n = 0;

    if (check_store(store, NULL) == 0) {
        kin__mutex_lock(&store->lock);
        len = store->resource_version_len;
        if (size > 0) {
            n = len < size ? len : size - 1;
            memcpy(buf, store->resource_version, n);
        }
        kin__mutex_unlock(&store->lock);
    }
    if (size > 0)
        buf[n] = '\0';
    return len;
}
