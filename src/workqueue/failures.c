/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of counters under a lock. Nothing of the user's runs under it but the allocator.
 */
#include "workqueue/failures.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

enum {
    KEY_BYTES = 96,  /* room for a key in a record that can be used again */
    SPARE_MAX = 1024 /* records kept to be used again */
};

typedef struct record {
    kin__map_node node;
    kin__list link; /* while it is spare */
    uint64_t count;
    size_t room; /* for the key */
    char key[];
} record;

int kin__failures_init(kin__failures *failures, kin_error *err)
{
    int code = kin__fork_guard_init(&failures->guard, err);

    if (code < 0)
        return code;
    kin__quick_lock_init(&failures->lock, KIN__RANK_FAILURES);
    kin__map_init(&failures->records, kin__hash_seed());
    kin__list_init(&failures->spare);
    failures->n_spare = 0;
    return 0;
}

void kin__failures_done(kin__failures *failures)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__list *spare;

    while ((node = kin__map_next(&failures->records, &iter))) {
        kin__map_remove(&failures->records, node);
        kin__free(kin__container_of(node, record, node));
    }
    while ((spare = kin__list_pop_front(&failures->spare)))
        kin__free(kin__list_entry(spare, record, link));
    kin__map_done(&failures->records);
}

static record *find_locked(kin__failures *failures, kin_str key, uint32_t hash)
    KIN_REQUIRES(failures->lock)
{
    kin__map_node *node = kin__map_get_hashed(&failures->records, key, hash);

    return node ? kin__container_of(node, record, node) : NULL;
}

static void give_up_locked(kin__failures *failures, record *r) KIN_REQUIRES(failures->lock)
{
    if (r->room == KEY_BYTES && failures->n_spare < SPARE_MAX) {
        kin__list_push_front(&failures->spare, &r->link);
        failures->n_spare++;
    } else {
        kin__free(r);
    }
}

/* A record with room for a key, in no map. NULL: no memory. */
static record *obtain_locked(kin__failures *failures, size_t len) KIN_REQUIRES(failures->lock)
{
    size_t room = len <= KEY_BYTES ? KEY_BYTES : len;
    record *r;

    if (room == KEY_BYTES && failures->n_spare > 0) {
        failures->n_spare--;
        return kin__list_entry(kin__list_pop_front(&failures->spare), record, link);
    }
    r = kin__malloc(sizeof(*r) + room);
    if (r)
        r->room = room;
    return r;
}

static int add_locked(kin__failures *failures, kin_str key, uint32_t hash)
    KIN_REQUIRES(failures->lock)
{
    record *r = obtain_locked(failures, key.len);

    if (!r)
        return KIN_ENOMEM;
    if (key.len)
        memcpy(r->key, key.data, key.len);
    r->count = 1;
    int code =
        kin__map_add_new_hashed(&failures->records, &r->node, kin_str_make(r->key, key.len), hash);
    if (code < 0)
        give_up_locked(failures, r);
    return code;
}

int kin__failures_count(kin__failures *failures, kin_str key, uint64_t *ret, kin_error *err)
{
    int code = key.len > KIN__MAP_KEY_MAX ? KIN_ELIMIT : 0;
    uint64_t before = 0;

    if (code < 0)
        return kin_error_set(err, code, "a key of %zu bytes", key.len);
    uint32_t hash = kin__map_hash(&failures->records, key);
    kin__quick_lock_take(&failures->lock);
    record *r = find_locked(failures, key, hash);
    if (r)
        before = r->count++;
    else
        code = add_locked(failures, key, hash);
    kin__quick_lock_give(&failures->lock);
    if (code < 0)
        return kin__error_no_memory(err);
    *ret = before;
    return 0;
}

uint64_t kin__failures_of(kin__failures *failures, kin_str key)
{
    uint32_t hash = kin__map_hash(&failures->records, key);

    kin__quick_lock_take(&failures->lock);
    const record *r = find_locked(failures, key, hash);
    uint64_t count = r ? r->count : 0;
    kin__quick_lock_give(&failures->lock);
    return count;
}

void kin__failures_forget(kin__failures *failures, kin_str key)
{
    uint32_t hash = kin__map_hash(&failures->records, key);

    kin__quick_lock_take(&failures->lock);
    record *r = find_locked(failures, key, hash);
    if (r) {
        kin__map_remove(&failures->records, &r->node);
        give_up_locked(failures, r);
    }
    kin__quick_lock_give(&failures->lock);
}
