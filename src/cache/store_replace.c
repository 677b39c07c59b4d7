/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacing everything: staged as a transaction is (store_transaction.c), and published in one version. What a
 * replacement does not name is what was born before: its records tell, and no set of keys is made.
 */
#include "base/error.h"
#include "base/memory.h"
#include "cache/input.h"
#include "cache/replace.h"
#include "cache/store.h"

struct store_replace {
    kin_replace base;
    kin_store *store;
    kin__change *changes;
    const kin_object **objects; /* of changes that were taken back; NULL of the others */
    size_t n;
    size_t cap; /* of both */
    kin__staged staged;
};

static struct store_replace *of(kin_replace *replace)
{
    return kin__container_of(replace, struct store_replace, base);
}

static int grow(struct store_replace *r)
{
    size_t changes_cap = r->cap;
    size_t objects_cap = r->cap;
    kin__change *changes =
        kin__grow_array(r->changes, &changes_cap, r->n + 1, sizeof(r->changes[0]));
    const kin_object **objects;

    if (!changes)
        return KIN_ENOMEM;
    r->changes = changes;
    objects = kin__grow_array(r->objects, &objects_cap, r->n + 1, sizeof(r->objects[0]));
    if (!objects)
        return KIN_ENOMEM;
    r->objects = objects;
    r->cap = changes_cap < objects_cap ? changes_cap : objects_cap;
    return 0;
}

static int replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    struct store_replace *r = of(replace);
    const kin__indexes *indexes = NULL;
    int code = kin__store_check(r->store, err);

    if (code < 0)
        return code;
    if (r->n == r->cap && grow(r) < 0)
        return kin__error_no_memory(err);
    r->changes[r->n] = (kin__change){NULL, false};
    r->objects[r->n] = NULL;
    code = kin__store_stage(r->store, object, true, &r->changes[r->n].record, &indexes, err);
    if (code < 0)
        return code;
    kin__staged_note(&r->staged, indexes);
    r->n++;
    return 0;
}

/* What the list does not have. */
static void sweep_locked(kin_store *store) KIN_REQUIRES(store->lock)
{
    uint64_t next = kin__pins_version(&store->pins) + 1;
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__read_table_next(kin__read_map_table(&store->records), &iter))) {
        kin__record *record = kin__record_of(node);

        if (record->born == next || kin__record_died(record) != KIN__NEVER)
            continue;
        kin__store_kill_record_locked(store, record);
        kin__store_retire_locked(store, record);
    }
}

/*
 * A commit that fails can be tried again, but records that readers may have met cannot be linked in
 * again: their objects are kept.
 */
static void take_back_locked(kin_store *store, struct store_replace *r, size_t n, size_t len)
    KIN_REQUIRES(store->lock)
{
    for (size_t i = 0; i < n; i++)
        r->objects[i] = kin_object_ref(r->changes[i].record->object);
    kin__store_undo_locked(store, r->changes, n);
    store->len = len;
}

static int replace_locked(kin_store *store, struct store_replace *r, kin_str resource_version)
    KIN_REQUIRES(store->lock)
{
    size_t len = store->len;

    for (size_t i = 0; i < r->n; i++) {
        if (kin__store_link_locked(store, r->changes[i].record) < 0) {
            take_back_locked(store, r, i, len);
            return KIN_ENOMEM;
        }
    }
    if (!r->base.keeps)
        sweep_locked(store);
    kin__store_note_version_locked(store, resource_version);
    kin__store_publish_locked(store, r->changes, r->n);
    return 0;
}

/* Records for the objects of those that were taken back. */
static int stage_again(struct store_replace *r, kin_error *err)
{
    for (size_t i = 0; i < r->n; i++) {
        const kin__indexes *indexes = NULL;
        int code;

        if (r->changes[i].record)
            continue;
        code =
            kin__store_stage(r->store, r->objects[i], false, &r->changes[i].record, &indexes, err);
        if (code < 0)
            return code;
        kin__staged_note(&r->staged, indexes);
        kin_object_unref(r->objects[i]);
        r->objects[i] = NULL;
    }
    return 0;
}

static void replace_free(struct store_replace *r)
{
    for (size_t i = 0; i < r->n; i++)
        kin_object_unref(r->objects[i]);
    kin__free(r->objects);
    kin__free(r->changes);
    kin__free(r);
}

/* One try; *ret_again: an index was added since the records were staged. */
static int try_commit(struct store_replace *r, kin_str resource_version, bool *ret_again,
                      kin_error *err)
{
    kin_store *store = r->store;

    kin__mutex_lock(&store->lock);
    int code = kin__store_wait_turn_locked(store, err);

    *ret_again = code == 0 && kin__staged_is_outdated(&r->staged, store);
    if (code == 0 && !*ret_again && replace_locked(store, r, resource_version) < 0)
        code = kin__error_no_memory(err);
    kin__store_finish(store);
    return code;
}

static int replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct store_replace *r = of(replace);
    bool again = true;
    int code = kin__store_check(r->store, err);

    if (code == 0)
        code = stage_again(r, err);
    while (code == 0 && again) {
        code = try_commit(r, resource_version, &again, err);
        if (code == 0 && again)
            code = kin__store_stage_again(r->store, r->changes, r->n, &r->staged, err);
    }
    if (code < 0)
        return code;
    /* All that was there before is old now: too much for the writes that follow. */
    kin__store_reclaim_all(r->store);
    replace_free(r);
    return 0;
}

static void replace_abort(kin_replace *replace)
{
    struct store_replace *r = of(replace);

    kin__store_unstage(r->store, r->changes, r->n);
    replace_free(r);
}

int kin_store_replace_begin(kin_store *store, kin_replace **ret, kin_error *err)
{
    static const kin__replace_class replace_class = {replace_add, replace_commit, replace_abort,
                                                     NULL};
    struct store_replace *r;
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    r = kin__calloc(1, sizeof(*r));
    if (!r)
        return kin__error_no_memory(err);
    r->base.replace_class = &replace_class;
    r->store = store;
    *ret = &r->base;
    return 0;
}

int kin_store_replace(kin_store *store, const kin_object *const *objects, size_t n,
                      kin_str resource_version, kin_error *err)
{
    kin_replace *replace = NULL;
    int code = kin_store_replace_begin(store, &replace, err);

    return code < 0 ? code : kin__replace_all(replace, objects, n, resource_version, err);
}
