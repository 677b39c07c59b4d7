/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: a held pin, and the table that was there when it was made. For the time of a
 * step, in which it follows pointers, the pin slides; between steps a view has no pointers but to the
 * table, which is kept for it and from which the writer takes out what it frees.
 *
 * A visit is a view that is gone through bucket by bucket, so that the user is called without a pin
 * that would keep everything.
 */
#include "kinform/view.h"

#include "base/error.h"
#include "cache/collect.h"
#include "cache/store.h"

struct kin_view {
    kin_store *store;
    kin__pin *pin; /* held */
    uint64_t version;
    const kin__read_table *table;
    kin__map_iter at;
    size_t len;
    char resource_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
};

/* Hold the current version. 0 or KIN_ENOMEM. */
static int view_init(kin_view *view, kin_store *store)
{
    size_t resource_version_len;

    view->pin = kin__pins_acquire(&store->pins, &view->version);
    if (!view->pin)
        return KIN_ENOMEM;
    /* The stamp may be of a later version than the pin's, which keeps later ones as well. */
    view->version =
        kin__store_read_stamp(store, &view->len, view->resource_version, &resource_version_len);
    view->table = kin__read_map_table(&store->records);
    kin__pin_hold(view->pin, view->version);
    view->store = store;
    view->at = KIN__MAP_ITER_INIT;
    return 0;
}

/* A part of what the view has kept. Whether there may be more. */
static bool reclaim_some(kin_store *store)
{
    kin__freed freed = {NULL, NULL};
    size_t before;
    size_t after;

    /* Whoever writes does it too: no need to wait. */
    if (!kin__mutex_try_lock(&store->lock))
        return false;
    before = store->n_retired;
    store->reclaim_in = 0;
    kin__store_reclaim_locked(store, &freed);
    after = store->n_retired;
    kin__mutex_unlock(&store->lock);
    kin__freed_free(&freed);
    return after > 0 && after < before;
}

static void view_done(kin_view *view)
{
    kin_store *store = view->store;

    kin__pin_release(view->pin);
    if (kin__fork_guard_check(&store->guard, NULL) == 0)
        while (reclaim_some(store))
            ;
}

int kin_view_new(kin_view **ret, kin_store *store, kin_error *err)
{
    kin_view *view;
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin_error_set(err, KIN_EINVAL, "ret is NULL");
    if (code < 0)
        return code;
    view = kin__malloc(sizeof(*view));
    if (!view || view_init(view, store) < 0) {
        kin__free(view);
        return kin__error_no_memory(err);
    }
    kin_store_ref(store);
    *ret = view;
    return 0;
}

void kin_view_free(kin_view *view)
{
    if (!view)
        return;
    view_done(view);
    kin_store_unref(view->store);
    kin__free(view);
}

size_t kin_view_len(const kin_view *view)
{
    return view ? view->len : 0;
}

const char *kin_view_resource_version(const kin_view *view)
{
    return view ? view->resource_version : "";
}

static int check(const kin_view *view, kin_error *err)
{
    return view ? kin__store_check(view->store, err)
                : kin_error_set(err, KIN_EINVAL, "view is NULL");
}

static void enter(kin_view *view)
{
    kin__pin_slide(view->pin, &view->store->pins, view->version);
}

static void leave(kin_view *view)
{
    kin__pin_hold(view->pin, view->version);
}

int kin_view_get(kin_view *view, const kin_object **ret, kin_str key, kin_error *err)
{
    kin__record *record;
    int code = check(view, err);

    if (code < 0)
        return code;
    enter(view);
    record = kin__store_find(view->store, key, kin__read_map_hash(&view->store->records, key),
                             view->version);
    if (record && ret)
        *ret = record->object;
    leave(view);
    return record
               ? 0
               : kin_error_set(err, KIN_ENOTFOUND, "there is no %" KIN_STR_FMT, KIN_STR_ARG(key));
}

/* The next state that the view shows, from where it stands; NULL at the end. */
static const kin__record *next_record(kin_view *view)
{
    kin__record *record = NULL;
    kin__map_node *node;

    while (!record && (node = kin__read_table_next(view->table, &view->at)))
        record = kin__record_at(kin__record_of(node), view->version);
    return record;
}

bool kin_view_next(kin_view *view, kin_str *ret_key, const kin_object **ret)
{
    const kin__record *record;

    if (check(view, NULL) < 0)
        return false;
    enter(view);
    record = next_record(view);
    if (record && ret_key)
        *ret_key = kin_str_make(record->node.key, record->node.key_len);
    if (record && ret)
        *ret = record->object;
    leave(view);
    if (!record)
        kin_view_rewind(view);
    return record != NULL;
}

void kin_view_rewind(kin_view *view)
{
    if (view)
        view->at = KIN__MAP_ITER_INIT;
}

int kin_view_by_index(kin_view *view, kin_object_list *ret, kin_str index, kin_str value,
                      kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    kin__index_value *found = NULL;
    kin__index_cursor cursor = {0, 0, 0};
    kin__record *record;
    int code = check(view, err);

    if (code == 0 && !ret)
        code = kin_error_set(err, KIN_EINVAL, "ret is NULL");
    if (code < 0)
        return code;
    enter(view);
    code = kin__store_find_value(view->store, index, value, view->version, &found, err);
    while (code == 0 && found && (record = kin__index_value_next(found, view->version, &cursor)))
        if (kin__collect_object(&to, record->object) < 0)
            code = kin__error_no_memory(err);
    leave(view);
    return kin__collector_give_objects(&to, code, ret);
}

/* --- visits --- */

/*
 * States that the view shows: their objects stay while it is held. Their records need not: one that
 * lives is replaced by a copy when an index is added.
 */
enum { BATCH = 64 };

struct batch {
    struct state {
        kin_str key;
        const kin_object *object;
    } states[BATCH];
    size_t n;
};

static void take(struct batch *batch, const kin__record *record)
{
    batch->states[batch->n++] =
        (struct state){kin_str_make(record->node.key, record->node.key_len), record->object};
}

static int visit_batch(const struct batch *batch, kin_visit_fn *visit, void *arg)
{
    int result = 0;

    kin__assert_no_locks();
    for (size_t i = 0; i < batch->n && result == 0; i++)
        result = visit(batch->states[i].key, batch->states[i].object, arg);
    return result;
}

static int visit_all(kin_view *view, kin_visit_fn *visit, void *arg)
{
    struct batch batch;
    int result;

    do {
        const kin__record *record;

        batch.n = 0;
        enter(view);
        while (batch.n < BATCH && (record = next_record(view)))
            take(&batch, record);
        leave(view);
        result = visit_batch(&batch, visit, arg);
    } while (result == 0 && batch.n == BATCH);
    return result;
}

static int check_visit(const kin_store *store, kin_visit_fn *visit, kin_error *err)
{
    int code = kin__store_check(store, err);

    return code < 0 || visit ? code : kin_error_set(err, KIN_EINVAL, "visit is NULL");
}

int kin_store_each(kin_store *store, kin_visit_fn *visit, void *arg, kin_error *err)
{
    kin_view view;
    int code = check_visit(store, visit, err);

    if (code < 0)
        return code;
    if (view_init(&view, store) < 0)
        return kin__error_no_memory(err);
    code = visit_all(&view, visit, arg);
    view_done(&view);
    return code;
}

/* A batch of a value's records. The value is looked up anew: between batches it may have gone. */
static int next_of_value(kin_view *view, kin_str index, kin_str value, kin__index_cursor *cursor,
                         struct batch *batch, kin_error *err)
{
    kin__index_value *found = NULL;
    kin__record *record;
    int code;

    batch->n = 0;
    enter(view);
    code = kin__store_find_value(view->store, index, value, view->version, &found, err);
    while (code == 0 && found && batch->n < BATCH &&
           (record = kin__index_value_next(found, view->version, cursor)))
        take(batch, record);
    leave(view);
    return code;
}

int kin_store_each_by_index(kin_store *store, kin_str index, kin_str value, kin_visit_fn *visit,
                            void *arg, kin_error *err)
{
    kin_view view;
    struct batch batch;
    kin__index_cursor cursor = {0, 0, 0};
    int code = check_visit(store, visit, err);

    if (code < 0)
        return code;
    if (view_init(&view, store) < 0)
        return kin__error_no_memory(err);
    do {
        code = next_of_value(&view, index, value, &cursor, &batch, err);
        if (code == 0)
            code = visit_batch(&batch, visit, arg);
    } while (code == 0 && batch.n == BATCH);
    view_done(&view);
    return code;
}
