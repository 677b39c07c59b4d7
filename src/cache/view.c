/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: a held version, and the table that was there when the view was made. For the time of a step, in
 * which it follows pointers, a view has a pin. Between steps it has no pointers but to the table, which
 * is kept for it and from which the writer takes out what it frees.
 *
 * A visit is a view that is gone through bucket by bucket, so that the user is called without a pin
 * that would keep everything.
 */
#include "kinform/view.h"

#include "base/error.h"
#include "cache/collect.h"
#include "cache/store.h"

/*
 * States that the view shows: their objects stay while it is held. Their records need not: one that
 * lives is replaced by a copy when an index is added.
 */
struct batch {
    struct state {
        kin_str key;
        const kin_object *object;
    } states[KIN__RECORDS_BATCH];
    size_t n;
};

struct kin_view {
    kin_store *store;
    kin__hold hold; /* of `version` */
    kin__pin *pin;  /* during a step */
    uint64_t version;
    const kin__read_table *table; /* kept */
    kin__map_iter iter;           /* after the states in `batch` */
    struct batch batch;
    size_t at; /* in `batch` */
    size_t len;
    char resource_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
};

/* Hold the current version. `briefly`: until the caller's call returns. */
static void view_init(kin_view *view, kin_store *store, bool briefly)
{
    kin__pin *pin = kin__pins_acquire(&store->pins, &view->version);
    size_t resource_version_len;

    /* The stamp may be of a later version than the pin's, which keeps later ones as well. */
    view->version =
        kin__store_read_stamp(store, &view->len, view->resource_version, &resource_version_len);
    kin__pins_hold(&store->pins, &view->hold, view->version, briefly);
    /* After the version was read: an older table would lack what was added since. */
    view->table = kin__store_take_table(store);
    kin__pin_release(pin);
    view->store = store;
    kin_view_rewind(view);
}

static void view_done(kin_view *view)
{
    /* A forked child does not write, and does not touch locks. */
    if (kin__fork_guard_check(&view->store->guard, NULL) < 0)
        return;
    kin__store_give_table(view->table);
    kin__pins_give_up(&view->store->pins, &view->hold);
    kin__store_reclaim_all(view->store);
}

int kin_view_new(kin_view **ret, kin_store *store, kin_error *err)
{
    kin_view *view;
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    view = kin__malloc(sizeof(*view));
    if (!view)
        return kin__error_no_memory(err);
    view_init(view, store, false);
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

static int check_view(const kin_view *view, kin_error *err)
{
    return view ? kin__store_check(view->store, err) : kin__error_null(err, "view");
}

static void enter(kin_view *view)
{
    view->pin = kin__pins_acquire_held(&view->store->pins, view->version);
}

static void leave(kin_view *view)
{
    kin__pin_release(view->pin);
}

int kin_view_get(kin_view *view, const kin_object **ret, kin_str key, kin_error *err)
{
    kin__record *record;
    int code = check_view(view, err);

    if (code < 0)
        return code;
    enter(view);
    record = kin__store_find(view->store, key, kin__read_map_hash(&view->store->records, key),
                             view->version);
    if (record && ret)
        *ret = record->object;
    leave(view);
    return record ? 0 : kin__error_no_key(err, key);
}

static void take(struct batch *batch, const kin__record *record)
{
    batch->states[batch->n++] =
        (struct state){kin_str_make(record->node.key, record->node.key_len), record->object};
}

/* The next states that the view shows. Whether there are any. */
static bool next_batch(kin_view *view)
{
    kin__record *records[KIN__RECORDS_BATCH];
    size_t n;

    view->batch.n = 0;
    view->at = 0;
    enter(view);
    n = kin__store_next_records(view->table, &view->iter, view->version, records);
    for (size_t i = 0; i < n; i++)
        take(&view->batch, records[i]);
    leave(view);
    return n > 0;
}

bool kin_view_next(kin_view *view, kin_str *ret_key, const kin_object **ret)
{
    if (check_view(view, NULL) < 0)
        return false;
    if (view->at == view->batch.n && !next_batch(view)) {
        kin_view_rewind(view);
        return false;
    }
    if (ret_key)
        *ret_key = view->batch.states[view->at].key;
    if (ret)
        *ret = view->batch.states[view->at].object;
    view->at++;
    return true;
}

void kin_view_rewind(kin_view *view)
{
    if (!view)
        return;
    view->iter = KIN__MAP_ITER_INIT;
    view->batch.n = 0;
    view->at = 0;
}

int kin_view_by_index(kin_view *view, kin_object_list *ret, kin_str index, kin_str value,
                      kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    kin__index_value *found = NULL;
    kin__index_cursor cursor = {0, 0, 0};
    kin__record *record;
    int code = check_view(view, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
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
    int result = 0;

    while (result == 0 && next_batch(view))
        result = visit_batch(&view->batch, visit, arg);
    return result;
}

static int check_visit(const kin_store *store, kin_visit_fn *visit, kin_error *err)
{
    int code = kin__store_check(store, err);

    return code < 0 || visit ? code : kin__error_null(err, "visit");
}

int kin_store_each(kin_store *store, kin_visit_fn *visit, void *arg, kin_error *err)
{
    kin_view view;
    int code = check_visit(store, visit, err);

    if (code < 0)
        return code;
    view_init(&view, store, true);
    code = visit_all(&view, visit, arg);
    view_done(&view);
    return code;
}

/* A batch of a value's records. The value is looked up anew: between batches it may have gone. */
static int next_of_value(kin_view *view, kin_str index, kin_str value, kin__index_cursor *cursor,
                         kin_error *err)
{
    struct batch *batch = &view->batch;
    kin__index_value *found = NULL;
    kin__record *record;
    int code;

    batch->n = 0;
    enter(view);
    code = kin__store_find_value(view->store, index, value, view->version, &found, err);
    while (code == 0 && found && batch->n < KIN__RECORDS_BATCH &&
           (record = kin__index_value_next(found, view->version, cursor)))
        take(batch, record);
    leave(view);
    return code;
}

int kin_store_each_by_index(kin_store *store, kin_str index, kin_str value, kin_visit_fn *visit,
                            void *arg, kin_error *err)
{
    kin_view view;
    kin__index_cursor cursor = {0, 0, 0};
    int code = check_visit(store, visit, err);

    if (code < 0)
        return code;
    view_init(&view, store, true);
    do {
        code = next_of_value(&view, index, value, &cursor, err);
        if (code == 0)
            code = visit_batch(&view.batch, visit, arg);
    } while (code == 0 && view.batch.n == KIN__RECORDS_BATCH);
    view_done(&view);
    return code;
}
