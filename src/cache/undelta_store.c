/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store, and a turn that writers take: for the write, for the list of what the store then has, and
 * for the user's function. The turn is no lock: whoever has it runs the function with no lock held,
 * may write again from within it, and readers do not know of it.
 *
 * Since nobody else writes during a turn, it is known before the write how long the list can
 * become. Its memory is reserved first, and nothing can fail between the write and the call.
 *
 * The array of the list is kept for the next turn. A write from within the function finds it taken,
 * and makes its own.
 */
#include "kinform/undelta_store.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "base/ref.h"
#include "cache/input.h"
#include "cache/replace.h"
#include "cache/store.h"

struct kin_undelta_store {
    kin__ref ref;
    kin__fork_guard guard;
    kin_store *store;
    kin_push_fn *push;
    void *push_arg;
    const kin_object **spare; /* who has the turn: for the list; NULL while it is in use */
    size_t spare_cap;
    bool
        writing; /* who has the turn: the store is being written, the user's function not called yet */

    kin__mutex lock;     /* rank UNDELTA_STORE */
    kin__cond turn_over; /* `depth` has become 0 */
    size_t depth;        /* (lock) writes of `owner` that are under way, one within the other */
    pthread_t owner;     /* (lock) who has the turn, if `depth` is not 0 */
};

/* One write. */
struct turn {
    kin_undelta_store *store;
    const kin_object **objects;
    size_t cap;
};

/* --- life --- */

static int init(kin_undelta_store *store, const kin_undelta_store_options *options, kin_error *err)
{
    kin_store_options inner = KIN_STORE_OPTIONS_INIT;
    int code = kin__fork_guard_init(&store->guard, err);

    inner.name = options->name ? options->name : "undelta store";
    inner.logger = options->logger;
    inner.key = options->key;
    inner.key_arg = options->key_arg;
    if (code == 0)
        code = kin_store_new(&store->store, &inner, err);
    if (code < 0)
        return code;
    kin__ref_init(&store->ref);
    store->push = options->push;
    store->push_arg = options->push_arg;
    kin__mutex_init(&store->lock, KIN__RANK_UNDELTA_STORE);
    kin__cond_init(&store->turn_over);
    return 0;
}

int kin_undelta_store_new(kin_undelta_store **ret, const kin_undelta_store_options *options,
                          kin_error *err)
{
    kin_undelta_store_options all = KIN_UNDELTA_STORE_OPTIONS_INIT;
    kin_undelta_store *store;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_UNDELTA_STORE_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    if (!all.push)
        return kin_error_set(err, KIN_EINVAL, "an undelta store needs a push function");
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

kin_undelta_store *kin_undelta_store_ref(kin_undelta_store *store)
{
    if (store)
        kin__ref_get(&store->ref);
    return store;
}

void kin_undelta_store_unref(kin_undelta_store *store)
{
    if (!store || !kin__ref_put(&store->ref))
        return;
    if (kin__fork_guard_check(&store->guard, NULL) == 0) {
        kin__cond_done(&store->turn_over);
        kin__mutex_done(&store->lock);
    }
    kin__free(store->spare);
    kin_store_unref(store->store);
    kin__free(store);
}

static int check_store(const kin_undelta_store *store, kin_error *err)
{
    return store ? kin__fork_guard_check(&store->guard, err) : kin__error_null(err, "store");
}

/* --- turns --- */

/*
 * Wait for the turn. 0, or KIN_EBUSY: this thread is in a write already, and not in its call; one
 * more would make the list longer than its room.
 */
static int turn_begin(struct turn *turn, kin_undelta_store *store, kin_error *err)
{
    pthread_t self = pthread_self();
    bool mine;

    kin__mutex_lock(&store->lock);
    while (store->depth > 0 && !pthread_equal(store->owner, self))
        kin__cond_wait(&store->turn_over, &store->lock);
    mine = store->depth == 0 || !store->writing;
    store->owner = self;
    store->depth += mine;
    kin__mutex_unlock(&store->lock);
    if (!mine) {
        kin_error_set(err, KIN_EBUSY, "a key function writes to its own store");
        return KIN_EBUSY;
    }
    /* For a function that gives the last reference back. */
    turn->store = kin_undelta_store_ref(store);
    store->writing = true;
    turn->objects = store->spare;
    turn->cap = store->spare_cap;
    store->spare = NULL;
    store->spare_cap = 0;
    return 0;
}

static void turn_end(struct turn *turn)
{
    kin_undelta_store *store = turn->store;

    /* The larger of the two arrays is kept, if a write within this one has left its own. */
    if (turn->cap > store->spare_cap) {
        const kin_object **smaller = store->spare;

        store->spare = turn->objects;
        store->spare_cap = turn->cap;
        turn->objects = smaller;
    }
    kin__free(turn->objects);
    store->writing = false;
    /* The function may have forked, and this be the child. */
    if (check_store(store, NULL) == 0) {
        kin__mutex_lock(&store->lock);
        if (--store->depth == 0)
            kin__cond_signal(&store->turn_over);
        kin__mutex_unlock(&store->lock);
    }
    kin_undelta_store_unref(store);
}

/* Make room for as many objects. 0 or KIN_ENOMEM. */
static int turn_reserve(struct turn *turn, size_t n, kin_error *err)
{
    const kin_object **objects = turn->objects;

    if (n <= turn->cap)
        return 0;
    objects = kin__grow_array(objects, &turn->cap, n, sizeof(*objects));
    if (!objects)
        return kin__error_no_memory(err);
    turn->objects = objects;
    return 0;
}

/*
 * References to all objects. There is room: nobody else writes. Under the store's lock and not with
 * a pin, which might need memory: a list that was written is pushed, whatever happens.
 */
static size_t list_all(kin_store *store, const kin_object **objects)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    size_t n = 0;

    kin__mutex_lock(&store->lock);
    while ((node = kin__read_table_next(kin__read_map_table(&store->records), &iter)))
        if (kin__record_died(kin__record_of(node)) == KIN__NEVER)
            objects[n++] = kin_object_ref(kin__record_of(node)->object);
    kin__mutex_unlock(&store->lock);
    return n;
}

static void turn_push(struct turn *turn)
{
    kin_object_list list = {turn->objects, list_all(turn->store->store, turn->objects)};

    turn->store->writing = false;
    kin__assert_no_locks();
    turn->store->push(&list, turn->store->push_arg);
    for (size_t i = 0; i < list.len; i++)
        kin_object_unref(turn->objects[i]);
}

/* --- writing --- */

typedef int write_fn(kin_store *store, const kin_object *object, kin_error *err);

static int write_one(kin_undelta_store *store, write_fn *write, const kin_object *object,
                     kin_error *err)
{
    struct turn turn = {NULL, NULL, 0};
    int code = check_store(store, err);

    if (code == 0)
        code = turn_begin(&turn, store, err);
    if (code != 0)
        return code;
    code = turn_reserve(&turn, kin_store_len(store->store) + 1, err);
    if (code == 0)
        code = write(store->store, object, err);
    if (code == 0)
        turn_push(&turn);
    turn_end(&turn);
    return code;
}

int kin_undelta_store_add(kin_undelta_store *store, const kin_object *object, kin_error *err)
{
    return write_one(store, kin_store_add, object, err);
}

int kin_undelta_store_update(kin_undelta_store *store, const kin_object *object, kin_error *err)
{
    return write_one(store, kin_store_update, object, err);
}

int kin_undelta_store_delete(kin_undelta_store *store, const kin_object *object, kin_error *err)
{
    return write_one(store, kin_store_delete, object, err);
}

/* --- replacing --- */

struct undelta_replace {
    kin_replace base;
    kin_undelta_store *store;
    kin_replace *inner;
    size_t n; /* objects that were put aside */
};

static struct undelta_replace *of(kin_replace *replace)
{
    return kin__container_of(replace, struct undelta_replace, base);
}

static int replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    struct undelta_replace *r = of(replace);
    int code = kin_replace_add(r->inner, object, err);

    if (code == 0)
        r->n++;
    return code;
}

static int replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct undelta_replace *r = of(replace);
    struct turn turn = {NULL, NULL, 0};
    int code = check_store(r->store, err);

    if (code == 0)
        code = turn_begin(&turn, r->store, err);
    if (code != 0)
        return code;
    if (replace->keeps)
        kin_replace_keep_missing(r->inner);
    code = turn_reserve(&turn, r->n + (replace->keeps ? kin_store_len(r->store->store) : 0), err);
    if (code == 0)
        code = kin_replace_commit(r->inner, resource_version, err);
    if (code == 0) {
        kin__free(r);
        turn_push(&turn);
    }
    turn_end(&turn);
    return code;
}

static void replace_abort(kin_replace *replace)
{
    struct undelta_replace *r = of(replace);

    kin_replace_abort(r->inner);
    kin__free(r);
}

int kin_undelta_store_replace_begin(kin_undelta_store *store, kin_replace **ret, kin_error *err)
{
    static const kin__replace_class replace_class = {replace_add, replace_commit, replace_abort,
                                                     NULL};
    struct undelta_replace *r;
    int code = check_store(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    r = kin__calloc(1, sizeof(*r));
    if (!r)
        return kin__error_no_memory(err);
    code = kin_store_replace_begin(store->store, &r->inner, err);
    if (code < 0) {
        kin__free(r);
        return code;
    }
    r->base.replace_class = &replace_class;
    r->store = store;
    *ret = &r->base;
    return 0;
}

int kin_undelta_store_replace(kin_undelta_store *store, const kin_object *const *objects, size_t n,
                              kin_str resource_version, kin_error *err)
{
    kin_replace *replace = NULL;
    int code = kin_undelta_store_replace_begin(store, &replace, err);

    return code < 0 ? code : kin__replace_all(replace, objects, n, resource_version, err);
}

/* --- what the store does alone --- */

static kin_store *inner_of(kin_undelta_store *store)
{
    return store ? store->store : NULL;
}

int kin_undelta_store_bookmark(kin_undelta_store *store, kin_str resource_version, kin_error *err)
{
    return kin_store_bookmark(inner_of(store), resource_version, err);
}

int kin_undelta_store_resync(kin_undelta_store *store, kin_error *err)
{
    return kin_store_resync(inner_of(store), err);
}

int kin_undelta_store_get(kin_undelta_store *store, const kin_object **ret, kin_str key,
                          kin_error *err)
{
    return kin_store_get(inner_of(store), ret, key, err);
}

int kin_undelta_store_get_object(kin_undelta_store *store, const kin_object **ret,
                                 const kin_object *object, kin_error *err)
{
    return kin_store_get_object(inner_of(store), ret, object, err);
}

size_t kin_undelta_store_len(kin_undelta_store *store)
{
    return kin_store_len(inner_of(store));
}

int kin_undelta_store_list(kin_undelta_store *store, kin_object_list *ret, kin_error *err)
{
    return kin_store_list(inner_of(store), ret, err);
}

int kin_undelta_store_list_keys(kin_undelta_store *store, kin_string_list *ret, kin_error *err)
{
    return kin_store_list_keys(inner_of(store), ret, err);
}

size_t kin_undelta_store_resource_version(kin_undelta_store *store, char *buf, size_t size)
{
    return kin_store_resource_version(inner_of(store), buf, size);
}
