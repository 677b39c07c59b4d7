/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeltaFIFO: its life, putting in and taking out. delta_fifo.h has the design.
 */
#include "cache/delta_fifo.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "cache/input.h"
#include "cache/staged.h"

enum {
    SPARE_MAX = 1024, /* entries kept to be used again */
};

/* --- life --- */

static int take_options(kin_delta_fifo *fifo, const kin_delta_fifo_options *options, kin_error *err)
{
    int code = kin__known_take(&fifo->known, options->known, err);

    if (code < 0)
        return code;
    fifo->has_known = options->known != NULL;
    fifo->key = options->key;
    fifo->key_arg = options->key_arg;
    fifo->transform = options->transform;
    fifo->transform_arg = options->transform_arg;
    fifo->renames = &fifo->own_renames;
    fifo->max_surplus = options->max_surplus;
    fifo->replaced = options->emit_replaced ? KIN_DELTA_REPLACED : KIN_DELTA_SYNC;
    return kin__slow_init(&fifo->slow, "delta-fifo", options->name, options->logger,
                          options->slow_ms, err);
}

int kin_delta_fifo_new(kin_delta_fifo **ret, const kin_delta_fifo_options *options, kin_error *err)
{
    kin_delta_fifo_options all = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_delta_fifo *fifo;
    int code;

    if (!ret)
        return kin_error_set(err, KIN_EINVAL, "ret is NULL");
    code = kin__options_take(&all, sizeof(all), options, "KIN_DELTA_FIFO_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    fifo = kin__calloc(1, sizeof(*fifo));
    if (!fifo)
        return kin__error_no_memory(err);
    code = take_options(fifo, &all, err);
    if (code == 0)
        code = kin__line_init(&fifo->line, all.clock, err);
    if (code < 0) {
        kin__slow_done(&fifo->slow);
        kin__free(fifo);
        return code;
    }
    kin__list_init(&fifo->spare);
    *ret = fifo;
    return 0;
}

static void set_done(const kin__delta_entry *entry, kin__delta_set *set)
{
    for (uint32_t i = 0; i < set->len; i++)
        kin_object_unref(set->items[i].object);
    if (set->items != entry->few)
        kin__free(set->items);
}

static void entry_free(kin__delta_entry *entry)
{
    set_done(entry, &entry->queued);
    set_done(entry, &entry->flight);
    kin_object_unref(entry->again);
    kin__free(entry);
}

void kin__delta_entries_free(kin__list *dead)
{
    kin__list *node;

    while ((node = kin__list_pop_front(dead)))
        entry_free(kin__delta_entry_of(kin__list_entry(node, kin__line_entry, aside)));
}

void kin_delta_fifo_free(kin_delta_fifo *fifo)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__list *spare;

    if (!fifo)
        return;
    while ((node = kin__map_next(&fifo->line.entries, &iter))) {
        kin__delta_entry *entry = kin__delta_entry_of(kin__line_entry_of(node));

        kin__map_remove(&fifo->line.entries, node);
        entry_free(entry);
    }
    while ((spare = kin__list_pop_front(&fifo->spare)))
        kin__free(kin__list_entry(spare, kin__delta_entry, line.link));
    kin__line_done(&fifo->line);
    kin__slow_done(&fifo->slow);
    kin__free(fifo);
}

/* --- entries --- */

static kin__delta_entry *entry_new_locked(kin_delta_fifo *fifo) KIN_REQUIRES(fifo->line.lock)
{
    kin__list *spare = kin__list_pop_front(&fifo->spare);
    kin__delta_entry *entry =
        spare ? kin__list_entry(spare, kin__delta_entry, line.link) : kin__malloc(sizeof(*entry));

    if (!entry)
        return NULL;
    fifo->n_spare -= spare != NULL;
    entry->queued = (kin__delta_set){entry->few, 0, KIN__DELTAS_INLINE};
    entry->flight = (kin__delta_set){NULL, 0, 0};
    entry->again = NULL;
    entry->failed = false;
    entry->reserved = 0;
    entry->mark = 0;
    return entry;
}

static void entry_free_locked(kin_delta_fifo *fifo, kin__delta_entry *entry)
    KIN_REQUIRES(fifo->line.lock)
{
    if (fifo->n_spare < SPARE_MAX) {
        kin__list_push_front(&fifo->spare, &entry->line.link);
        fifo->n_spare++;
    } else {
        kin__free(entry);
    }
}

/* Room for `more` places beside those reserved, and for all that may come back from the flight. */
static int make_room(kin__delta_entry *entry, uint32_t more)
{
    kin__delta_set *set = &entry->queued;
    size_t need = (size_t)set->len + entry->reserved + more + entry->flight.len;
    size_t cap = set->cap;
    kin_delta *items;

    /* A set that stays too small stays empty: what is in flight may come back. */
    if (!set->items && need <= KIN__DELTAS_INLINE && entry->flight.items != entry->few)
        *set = (kin__delta_set){entry->few, 0, KIN__DELTAS_INLINE};
    if (need <= set->cap)
        return 0;
    if (need > UINT32_MAX / 2)
        return KIN_ENOMEM;
    items =
        kin__grow_array(set->items == entry->few ? NULL : set->items, &cap, need, sizeof(*items));
    if (!items)
        return KIN_ENOMEM;
    if (set->items == entry->few)
        memcpy(items, entry->few, set->len * sizeof(*items));
    set->items = items;
    set->cap = (uint32_t)cap;
    return 0;
}

int kin__delta_entry_keep_room(kin__delta_entry *entry)
{
    return make_room(entry, 0);
}

kin__delta_entry *kin__delta_fifo_reserve_locked(kin_delta_fifo *fifo, kin_str key, uint32_t hash)
{
    kin__delta_entry *entry = kin__delta_entry_of(kin__line_find_locked(&fifo->line, key, hash));

    if (!entry) {
        entry = entry_new_locked(fifo);
        if (!entry)
            return NULL;
        if (kin__line_add_locked(&fifo->line, &entry->line, key, hash) < 0) {
            entry_free_locked(fifo, entry);
            return NULL;
        }
    }
    if (make_room(entry, 1) < 0)
        return NULL;
    entry->reserved++;
    return entry;
}

/* It can go, also during a scan: whoever had something since that began would linger. */
static bool has_nothing(const kin__delta_entry *entry)
{
    return entry->line.flags == 0 && entry->reserved == 0;
}

void kin__delta_fifo_unreserve_locked(kin_delta_fifo *fifo, kin__delta_entry *entry,
                                      kin__list *dead)
{
    entry->reserved--;
    if (!has_nothing(entry))
        return;
    kin__line_remove_locked(&fifo->line, &entry->line);
    kin__list_push_back(dead, &entry->line.aside);
}

const kin_delta *kin__delta_entry_newest(const kin__delta_entry *entry)
{
    if (entry->queued.len)
        return &entry->queued.items[entry->queued.len - 1];
    return entry->flight.len ? &entry->flight.items[entry->flight.len - 1] : NULL;
}

/* The first that is queued keeps the key's bytes, unless something is in flight. */
static void use_key(kin__delta_entry *entry, const char *key)
{
    entry->queued_key = key;
    if (entry->flight.len == 0)
        entry->line.node.key = key;
}

/*
 * Of two deletions in a row one is enough: the earlier, unless it is a tombstone. Puts that one into *kept,
 * which has the earlier, and returns the other.
 */
static const kin_object *merge_deletions(const kin_object **kept, const kin_object *later)
{
    const kin_object *earlier = *kept;

    if (!kin_object_is_tombstone(earlier, NULL))
        return later;
    *kept = later;
    return earlier;
}

/* Keep a deletion until the one in flight has landed. Returns an object that is not needed, or NULL. */
static const kin_object *delete_again(kin__delta_entry *entry, const kin_object *object,
                                      const char *key)
{
    const kin_object *unneeded = entry->again;

    if (!unneeded)
        entry->again = object;
    else
        unneeded = merge_deletions(&entry->again, object);
    if (entry->again == object)
        entry->again_key = key;
    return unneeded;
}

static bool ends_with_deletion(const kin__delta_set *set)
{
    return set->len && set->items[set->len - 1].type == KIN_DELTA_DELETED;
}

bool kin__delta_entry_deletes_now(const kin__delta_entry *entry)
{
    return !entry->queued.len && entry->line.flags & KIN__LINE_IN_FLIGHT &&
           ends_with_deletion(&entry->flight);
}

/* Whether deltas of one key are to be merged. */
static bool is_crowded_locked(const kin_delta_fifo *fifo) KIN_REQUIRES(fifo->line.lock)
{
    return fifo->max_surplus && fifo->n_deltas >= fifo->line.n_waiting + fifo->max_surplus;
}

/* Whether another delta can take the place of this one, so that only a state in between is lost. */
static bool can_be_merged(const kin_delta *delta, bool is_first)
{
    return delta->type != KIN_DELTA_DELETED || (!is_first && delta[-1].type == KIN_DELTA_DELETED);
}

/* Returns the object that was there. */
static const kin_object *merge_into(kin_delta *delta, kin_delta_type type, const kin_object *object)
{
    const kin_object *unneeded = delta->object;

    /* An object that was added and updated has still been added. */
    if (delta->type != KIN_DELTA_ADDED || type == KIN_DELTA_DELETED)
        delta->type = type;
    delta->object = object;
    return unneeded;
}

/* Merge a delta into the last one of its key. Returns an object that is not needed, or NULL: it needs a place of its own. */
static const kin_object *replace_last(kin__delta_entry *entry, kin_delta_type type,
                                      const kin_object *object, const char *key)
{
    kin__delta_set *set = &entry->queued;
    kin_delta *last = set->len ? &set->items[set->len - 1] : NULL;

    if (!last || !can_be_merged(last, set->len == 1))
        return NULL;
    if (set->len == 1)
        use_key(entry, key);
    return merge_into(last, type, object);
}

const kin_object *kin__delta_fifo_append_locked(kin_delta_fifo *fifo, kin__delta_entry *entry,
                                                kin_delta_type type, const kin_object *object,
                                                const char *key)
{
    kin__delta_set *set = &entry->queued;

    kin__assert(entry->reserved > 0);
    entry->reserved--;
    if (type == KIN_DELTA_DELETED && entry->line.flags & KIN__LINE_IN_FLIGHT &&
        KIN_DEFECT(delete_lost_in_flight))
        return object;
    if (type == KIN_DELTA_DELETED && kin__delta_entry_deletes_now(entry))
        return KIN_DEFECT(second_delete_dropped) ? object : delete_again(entry, object, key);
    if (type == KIN_DELTA_DELETED && ends_with_deletion(set)) {
        const kin_object *unneeded = merge_deletions(&set->items[set->len - 1].object, object);

        if (unneeded != object && set->len == 1)
            use_key(entry, key);
        return unneeded;
    }
    if (is_crowded_locked(fifo)) {
        const kin_object *unneeded = replace_last(entry, type, object, key);

        if (unneeded)
            return unneeded;
    }
    kin__assert(set->len < set->cap);
    if (set->len == 0)
        use_key(entry, key);
    set->items[set->len++] = (kin_delta){type, object};
    fifo->n_deltas++;
    kin__line_enter_locked(&fifo->line, &entry->line);
    return NULL;
}

/* --- putting in --- */

int kin__delta_fifo_input(kin_delta_fifo *fifo, kin_delta_type type, const kin_object *object,
                          const kin_object **ret, kin_str *ret_key, kin_error *err)
{
    const kin__input_fns fns = {fifo->key, fifo->key_arg, fifo->transform, fifo->transform_arg,
                                fifo->renames};

    return type == KIN_DELTA_DELETED ? kin__input_deleted(&fns, object, ret, ret_key, err)
                                     : kin__input(&fns, object, ret, ret_key, err);
}

/* Queue a delta. CONSUMES the object, also on failure. */
static int queue(kin_delta_fifo *fifo, kin_delta_type type, const kin_object *object, kin_str key,
                 kin_error *err)
{
    uint32_t hash = kin__map_hash(&fifo->line.entries, key);
    const kin_object *unneeded = object;
    kin__delta_entry *entry;

    kin__mutex_lock(&fifo->line.lock);
    entry = kin__delta_fifo_reserve_locked(fifo, key, hash);
    if (entry) {
        kin__line_populate_locked(&fifo->line);
        unneeded = kin__delta_fifo_append_locked(fifo, entry, type, object, key.data);
    }
    kin__mutex_unlock(&fifo->line.lock);
    kin_object_unref(unneeded);
    return entry ? 0 : kin__error_no_memory(err);
}

static int delta_fifo_put(kin_delta_fifo *fifo, kin_delta_type type, const kin_object *object,
                          kin_error *err)
{
    const kin_object *made = NULL;
    kin_str key = {NULL, 0};
    int code = kin__delta_fifo_check(fifo, err);

    if (code == 0)
        code = kin__delta_fifo_input(fifo, type, object, &made, &key, err);
    return code < 0 ? code : queue(fifo, type, made, key, err);
}

int kin_delta_fifo_add(kin_delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    return delta_fifo_put(fifo, KIN_DELTA_ADDED, object, err);
}

int kin_delta_fifo_update(kin_delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    return delta_fifo_put(fifo, KIN_DELTA_UPDATED, object, err);
}

/* --- deletions, and putting in many --- */

struct incoming {
    kin_delta_type type;
    bool wanted;              /* no deletion, or one that concerns somebody */
    bool asked;               /* a deletion; whether it is wanted can be asked again */
    uint32_t n_deleted;       /* then: see n_deleted_locked() */
    const kin_object *object; /* SHARED; NULL if it was not wanted */
    kin_str key;
    uint32_t hash;
    kin__delta_entry *entry; /* with a place reserved, if it is wanted */
    kin__map_node node;      /* in the batch's keys */
};

/* What is put in with one turn of the lock. */
struct batch {
    struct incoming *all;
    size_t n;
    bool has_keys; /* whether somebody may ask for them */
    kin__map keys; /* of what is to be queued */
};

/* Has changed if a deletion of the key has landed, and now and then if another has. */
static uint32_t *n_deleted_locked(kin_delta_fifo *fifo, uint32_t hash) KIN_REQUIRES(fifo->line.lock)
{
    return &fifo->n_deleted[hash & (KIN__DELETED_SLOTS - 1)];
}

/*
 * Whether a deletion concerns anybody. The line first, then what is known: whatever leaves the line
 * in between has been processed, and is known if it is to be.
 */
static bool is_wanted(kin_delta_fifo *fifo, struct incoming *in)
{
    bool queued;

    /* Without known objects the line is all there is to ask, and has changed since. */
    in->asked = fifo->has_known;
    kin__mutex_lock(&fifo->line.lock);
    queued = kin__line_entry_is_queued(kin__line_find_locked(&fifo->line, in->key, in->hash));
    in->n_deleted = *n_deleted_locked(fifo, in->hash);
    kin__mutex_unlock(&fifo->line.lock);
    if ((queued && !KIN_DEFECT(queued_delete_dropped)) || !fifo->has_known)
        return queued;
    kin__assert_no_locks();
    return fifo->known.has(fifo->known.arg, in->key, NULL) != KIN_ENOTFOUND;
}

/*
 * A deletion after something of its key is always queued. Others are queued if the key is known, which is that of the
 * transformed object.
 */
static void look_up(kin_delta_fifo *fifo, const struct batch *batch, struct incoming *in)
{
    in->wanted =
        kin__map_get_hashed(&batch->keys, in->key, in->hash) != NULL || is_wanted(fifo, in);
    if (in->wanted)
        return;
    kin_object_unref(in->object);
    in->object = NULL;
    in->key = (kin_str){NULL, 0};
}

static int take_in(kin_delta_fifo *fifo, struct batch *batch, const kin_delta *delta,
                   kin_error *err)
{
    struct incoming *in = &batch->all[batch->n];
    int code;

    if (delta->type < KIN_DELTA_ADDED || delta->type > KIN_DELTA_DELETED)
        return kin_error_set(err, KIN_EINVAL, "deltas of the type %s are not put in",
                             kin_delta_type_name(delta->type));
    in->type = delta->type;
    in->wanted = true;
    in->asked = false;
    in->object = NULL;
    code = kin__delta_fifo_input(fifo, delta->type, delta->object, &in->object, &in->key, err);
    if (code < 0)
        return code;
    in->hash = kin__map_hash(&fifo->line.entries, in->key);
    if (delta->type == KIN_DELTA_DELETED)
        look_up(fifo, batch, in);
    batch->n++;
    if (!in->wanted)
        return 0;
    if (batch->has_keys)
        code = kin__map_add_hashed(&batch->keys, &in->node, in->key, in->hash, NULL);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

static int reserve_all_locked(kin_delta_fifo *fifo, struct batch *batch, kin__list *dead)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < batch->n; i++) {
        struct incoming *in = &batch->all[i];

        in->entry = in->wanted ? kin__delta_fifo_reserve_locked(fifo, in->key, in->hash) : NULL;
        if (in->wanted && !in->entry) {
            while (i-- > 0)
                if (batch->all[i].entry)
                    kin__delta_fifo_unreserve_locked(fifo, batch->all[i].entry, dead);
            return KIN_ENOMEM;
        }
    }
    return 0;
}

/* Afterwards `object` is what has to be released. */
static void append_all_locked(kin_delta_fifo *fifo, struct batch *batch)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__line_populate_locked(&fifo->line);
    for (size_t i = 0; i < batch->n; i++) {
        struct incoming *in = &batch->all[i];

        if (in->entry)
            in->object =
                kin__delta_fifo_append_locked(fifo, in->entry, in->type, in->object, in->key.data);
    }
}

/*
 * The first deletion that was wanted when that was asked, and may not be any more: one has landed
 * since. Queued, it would be the second of one object. NULL: none.
 */
static struct incoming *find_outdated_locked(kin_delta_fifo *fifo, const struct batch *batch)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < batch->n; i++) {
        struct incoming *in = &batch->all[i];

        if (in->asked && in->wanted && in->n_deleted != *n_deleted_locked(fifo, in->hash))
            return in;
    }
    return NULL;
}

/* Ask again. If it is not wanted, nor are those of its key behind it, up to another change. */
static void reconsider(kin_delta_fifo *fifo, struct batch *batch, struct incoming *outdated)
{
    if (is_wanted(fifo, outdated))
        return;
    for (struct incoming *in = outdated; in < batch->all + batch->n; in++) {
        if (in->hash != outdated->hash || !kin_str_equal(in->key, outdated->key))
            continue;
        if (in->type != KIN_DELTA_DELETED)
            return;
        in->wanted = false;
    }
}

static int queue_all(kin_delta_fifo *fifo, struct batch *batch, kin_error *err)
{
    struct incoming *outdated;
    kin__list dead;
    int code;

    kin__list_init(&dead);
    kin__mutex_lock(&fifo->line.lock);
    while ((outdated = find_outdated_locked(fifo, batch))) {
        kin__mutex_unlock(&fifo->line.lock);
        reconsider(fifo, batch, outdated);
        kin__mutex_lock(&fifo->line.lock);
    }
    code = reserve_all_locked(fifo, batch, &dead);
    if (code == 0)
        append_all_locked(fifo, batch);
    kin__mutex_unlock(&fifo->line.lock);
    kin__delta_entries_free(&dead);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* Whether one of them may be a deletion behind something of its key. */
static bool has_later_deletion(const kin_delta *deltas, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (deltas[i].type == KIN_DELTA_DELETED)
            return true;
    return false;
}

/* `all` has room for `n`. */
static int add_batch(kin_delta_fifo *fifo, const kin_delta *deltas, size_t n, struct incoming *all,
                     kin_error *err)
{
    struct batch batch = {.all = all, .has_keys = has_later_deletion(deltas, n)};
    int code = 0;

    kin__map_init(&batch.keys, fifo->line.entries.seed);
    for (size_t i = 0; i < n && code == 0; i++)
        code = take_in(fifo, &batch, &deltas[i], err);
    if (code == 0)
        code = queue_all(fifo, &batch, err);
    kin__map_done(&batch.keys);
    for (size_t i = 0; i < batch.n; i++)
        kin_object_unref(all[i].object);
    return code;
}

int kin_delta_fifo_delete(kin_delta_fifo *fifo, const kin_object *object, kin_error *err)
{
    const kin_delta delta = {KIN_DELTA_DELETED, object};
    struct incoming one;
    int code = kin__delta_fifo_check(fifo, err);

    return code < 0 ? code : add_batch(fifo, &delta, 1, &one, err);
}

int kin_delta_fifo_add_batch(kin_delta_fifo *fifo, const kin_delta *deltas, size_t n,
                             kin_error *err)
{
    struct incoming *all;
    int code = kin__delta_fifo_check(fifo, err);

    if (code < 0 || n == 0)
        return code;
    if (!deltas)
        return kin_error_set(err, KIN_EINVAL, "deltas is NULL");
    all = kin__calloc(n, sizeof(*all));
    if (!all)
        return kin__error_no_memory(err);
    code = add_batch(fifo, deltas, n, all, err);
    kin__free(all);
    return code;
}

/* All of them, or KIN_ENOMEM; the key has nothing yet. */
static int append_deltas_locked(kin_delta_fifo *fifo, const kin_deltas *deltas, kin_str key,
                                uint32_t hash, kin__list *dead) KIN_REQUIRES(fifo->line.lock)
{
    kin__delta_entry *entry = kin__delta_fifo_reserve_locked(fifo, key, hash);

    if (!entry)
        return KIN_ENOMEM;
    if (deltas->len > UINT32_MAX / 4 || make_room(entry, (uint32_t)deltas->len - 1) < 0) {
        kin__delta_fifo_unreserve_locked(fifo, entry, dead);
        return KIN_ENOMEM;
    }
    /* As they are: what was together is not merged again. */
    entry->reserved--;
    use_key(entry, key.data);
    for (size_t i = 0; i < deltas->len; i++) {
        kin_object_ref(deltas->items[i].object);
        entry->queued.items[entry->queued.len++] = deltas->items[i];
    }
    fifo->n_deltas += deltas->len;
    kin__line_enter_locked(&fifo->line, &entry->line);
    return 0;
}

/* The key that all of the deltas have, in the bytes of the first object. */
static int common_key(kin_delta_fifo *fifo, const kin_deltas *deltas, kin_str *ret, kin_error *err)
{
    int code = kin_delta_fifo_key_of_deltas(fifo, ret, deltas, err);

    for (size_t i = deltas ? deltas->len : 0; code == 0 && i-- > 0;) {
        kin_str newest = *ret;

        code = kin__input_key(fifo->key, fifo->key_arg, deltas->items[i].object, ret, err);
        if (code == 0 && !kin_str_equal(newest, *ret))
            code = kin_error_set(err, KIN_EINVAL, "deltas of different keys");
    }
    return code;
}

int kin_delta_fifo_add_if_not_present(kin_delta_fifo *fifo, const kin_deltas *deltas,
                                      kin_error *err)
{
    kin__list dead;
    uint32_t hash;
    kin_str key = {NULL, 0};
    int code = kin__delta_fifo_check(fifo, err);

    kin__list_init(&dead);
    if (code == 0)
        code = common_key(fifo, deltas, &key, err);
    if (code < 0)
        return code;
    hash = kin__map_hash(&fifo->line.entries, key);
    kin__mutex_lock(&fifo->line.lock);
    if (!kin__line_entry_is_queued(kin__line_find_locked(&fifo->line, key, hash)))
        code = append_deltas_locked(fifo, deltas, key, hash, &dead);
    if (code == 0)
        kin__line_populate_locked(&fifo->line);
    kin__mutex_unlock(&fifo->line.lock);
    kin__delta_entries_free(&dead);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* --- taking out --- */

/* Objects to be released when the lock is given back. */
struct release {
    kin_delta *items; /* `few`, or OWNED */
    uint32_t len;
    kin_delta few[KIN__DELTAS_INLINE];
    const kin_object *deletion; /* one too many, or NULL */
};

/* An entry's flight, to be released. */
static void take_flight(kin__delta_entry *entry, struct release *ret)
{
    ret->len = entry->flight.len;
    ret->items = entry->flight.items;
    if (ret->items == entry->few) {
        memcpy(ret->few, entry->few, sizeof(ret->few));
        ret->items = ret->few;
    }
    entry->flight = (kin__delta_set){NULL, 0, 0};
}

static void release_do(struct release *release)
{
    kin_object_unref(release->deletion);
    for (uint32_t i = 0; i < release->len; i++)
        kin_object_unref(release->items[i].object);
    if (release->items != release->few)
        kin__free(release->items);
}

/* Take an entry's flight, which has ended, and the entry out of the map if nothing is left. */
static void drop_flight_locked(kin_delta_fifo *fifo, kin__delta_entry *entry, struct release *ret)
    KIN_REQUIRES(fifo->line.lock)
{
    take_flight(entry, ret);
    /* Else the key's bytes would be gone with the flight: only a scan reserves for longer. */
    kin__assert(entry->queued.len || !entry->reserved);
    if (!has_nothing(entry)) {
        if (entry->queued.len)
            entry->line.node.key = entry->queued_key;
        return;
    }
    kin__line_remove_locked(&fifo->line, &entry->line);
    if (entry->queued.items != entry->few)
        kin__free(entry->queued.items);
    entry_free_locked(fifo, entry);
}

/* What is queued is in flight now. */
static void take_off_locked(kin_delta_fifo *fifo, kin__delta_entry *entry, struct release *ret)
    KIN_REQUIRES(fifo->line.lock)
{
    ret->deletion = NULL;
    /* It may have lingered: what that was kept for is over when there is something newer. */
    take_flight(entry, ret);
    entry->line.node.key = entry->queued_key;
    fifo->n_deltas -= entry->queued.len;
    entry->flight = entry->queued;
    entry->queued = (kin__delta_set){NULL, 0, 0};
}

/*
 * Merge deltas of a key beyond the limit, the latest first. The first delta stays: its object has the key's bytes. There
 * is room for so many objects that are not needed.
 */
static void merge_requeued_locked(kin_delta_fifo *fifo, kin__delta_set *set, uint32_t room,
                                  struct release *ret) KIN_REQUIRES(fifo->line.lock)
{
    for (uint32_t i = set->len - 1; i > 1 && ret->len < room; i--) {
        kin_delta *delta = &set->items[i - 1];

        if (fifo->n_deltas <= fifo->line.n_waiting + fifo->max_surplus)
            return;
        if (!can_be_merged(delta, false))
            continue;
        ret->items[ret->len++].object = merge_into(delta, delta[1].type, delta[1].object);
        memmove(delta + 1, delta + 2, (set->len - i - 1) * sizeof(kin_delta));
        set->len--;
        fifo->n_deltas--;
    }
}

/* Back into the queue, before what came meanwhile, for which there is room. */
static void requeue_locked(kin_delta_fifo *fifo, kin__delta_entry *entry, struct release *ret)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__delta_set *flight = &entry->flight;
    kin__delta_set *queued = &entry->queued;
    uint32_t room = 0;

    fifo->n_deltas += flight->len;
    if (!queued->items) {
        *queued = *flight;
    } else {
        kin__assert(queued->cap >= queued->len + flight->len);
        memmove(queued->items + flight->len, queued->items, queued->len * sizeof(kin_delta));
        memcpy(queued->items, flight->items, flight->len * sizeof(kin_delta));
        queued->len += flight->len;
        ret->items = flight->items == entry->few ? ret->few : flight->items;
        room = flight->cap;
    }
    *flight = (kin__delta_set){NULL, 0, 0};
    entry->queued_key = entry->line.node.key;
    kin__line_populate_locked(&fifo->line);
    kin__line_enter_locked(&fifo->line, &entry->line);
    if (fifo->max_surplus)
        merge_requeued_locked(fifo, queued, room, ret);
}

/*
 * The flight of an entry has ended, and a deletion came again while its own was in flight. Returns an object
 * that is not needed, or NULL.
 */
static const kin_object *settle_again_locked(kin_delta_fifo *fifo, kin__delta_entry *entry,
                                             int code) KIN_REQUIRES(fifo->line.lock)
{
    kin__delta_set *queued = &entry->queued;
    kin__delta_set *flight = &entry->flight;
    const kin_object *again = entry->again;

    entry->again = NULL;
    if (code == 0)
        return again;
    if (code == KIN_EREQUEUE) {
        const kin_object *unneeded = merge_deletions(&flight->items[flight->len - 1].object, again);

        if (unneeded != again && flight->len == 1)
            entry->line.node.key = entry->again_key;
        return unneeded;
    }
    /* There is room for the flight, which does not come back. */
    kin__assert(queued->cap > queued->len);
    memmove(queued->items + 1, queued->items, queued->len * sizeof(kin_delta));
    queued->items[0] = (kin_delta){KIN_DELTA_DELETED, again};
    queued->len++;
    fifo->n_deltas++;
    entry->queued_key = entry->again_key;
    kin__line_enter_locked(&fifo->line, &entry->line);
    return NULL;
}

static void land_locked(kin_delta_fifo *fifo, kin__delta_entry *entry, int code,
                        struct release *ret) KIN_REQUIRES(fifo->line.lock)
{
    kin__line_finish_locked(&fifo->line, &entry->line);
    *ret = (struct release){NULL, 0, {{0, NULL}}, NULL};
    entry->failed = code != 0;
    if (entry->again)
        ret->deletion = settle_again_locked(fifo, entry, code);
    if (code == KIN_EREQUEUE) {
        requeue_locked(fifo, entry, ret);
        return;
    }
    if (ends_with_deletion(&entry->flight))
        ++*n_deleted_locked(fifo, entry->line.node.hash);
    if (!(entry->line.flags & KIN__LINE_LINGERING))
        drop_flight_locked(fifo, entry, ret);
}

static kin_deltas deltas_of(const kin__delta_entry *entry)
{
    return (kin_deltas){entry->flight.items, entry->flight.len,
                        kin_str_make(entry->line.node.key, entry->line.node.key_len)};
}

/* Entries, of the first list or not. */
struct departure {
    kin__delta_entry **entries;
    kin_deltas *deltas;
    struct release *releases;
    size_t cap;
    size_t n;
    bool initial;
    size_t depth; /* how many wait then */
};

/* As many as there is room for, if there is anybody; those of the first list and others apart. */
static void take_all_locked(kin_delta_fifo *fifo, struct departure *d) KIN_REQUIRES(fifo->line.lock)
{
    while (d->n < d->cap && (d->n == 0 || kin__line_is_initial_locked(&fifo->line) == d->initial)) {
        kin__delta_entry *entry = kin__delta_entry_of(kin__line_take_locked(&fifo->line));

        if (!entry)
            break;
        d->initial = !fifo->line.populated || entry->line.flags & KIN__LINE_INITIAL;
        take_off_locked(fifo, entry, &d->releases[d->n]);
        d->entries[d->n] = entry;
        d->deltas[d->n] = deltas_of(entry);
        d->n++;
    }
    d->depth = fifo->line.n_waiting;
}

static void release_all(struct departure *d)
{
    for (size_t i = 0; i < d->n; i++)
        release_do(&d->releases[i]);
}

/* 0, KIN_ETIMEOUT, KIN_ECLOSED. */
static int depart(kin_delta_fifo *fifo, struct departure *d, int64_t deadline)
{
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = kin__line_wait_locked(&fifo->line, deadline);
    if (code == 0)
        take_all_locked(fifo, d);
    kin__mutex_unlock(&fifo->line.lock);
    release_all(d);
    return code;
}

/* `code`: what the process function returned. */
static void land(kin_delta_fifo *fifo, struct departure *d, int code)
{
    kin__mutex_lock(&fifo->line.lock);
    for (size_t i = 0; i < d->n; i++)
        land_locked(fifo, d->entries[i], code, &d->releases[i]);
    kin__mutex_unlock(&fifo->line.lock);
    release_all(d);
}

int kin_delta_fifo_pop(kin_delta_fifo *fifo, kin_process_fn *process, void *arg, int64_t timeout_ms,
                       kin_error *err)
{
    kin__delta_entry *entry;
    kin_deltas deltas;
    struct release release;
    struct departure d = {&entry, &deltas, &release, 1, 0, false, 0};
    kin_error said;
    int64_t start;
    int code = kin__delta_fifo_check(fifo, err);

    if (code < 0)
        return code;
    if (!process)
        return kin_error_set(err, KIN_EINVAL, "process is NULL");
    code = depart(fifo, &d, kin__line_deadline(&fifo->line, timeout_ms));
    if (code < 0)
        return kin__pop_nothing(code, err);
    kin__error_begin(&said);
    start = kin__slow_start(&fifo->slow, fifo->line.clock, d.depth);
    kin__assert_no_locks();
    code = process(&deltas, d.initial, arg, &said);
    kin__slow_end(&fifo->slow, fifo->line.clock, start, deltas.key, 1, d.depth);
    land(fifo, &d, code);
    return kin__pop_result(code, &said, err);
}

/* --- taking many out --- */

static void departure_done(struct departure *d)
{
    kin__free(d->entries);
    kin__free(d->deltas);
    kin__free(d->releases);
    *d = (struct departure){NULL, NULL, NULL, 0, 0, false, 0};
}

/* Room for `n`. 0 or KIN_ENOMEM. */
static int departure_reserve(struct departure *d, size_t n)
{
    if (n <= d->cap)
        return 0;
    departure_done(d);
    d->entries = kin__realloc_array(NULL, n, sizeof(*d->entries));
    d->deltas = kin__realloc_array(NULL, n, sizeof(*d->deltas));
    d->releases = kin__realloc_array(NULL, n, sizeof(*d->releases));
    if (!d->entries || !d->deltas || !d->releases)
        return KIN_ENOMEM;
    d->cap = n;
    return 0;
}

/*
 * Wait, make room for what is there, and take what is still there then. 0, KIN_ETIMEOUT,
 * KIN_ECLOSED, KIN_ENOMEM.
 */
static int depart_together(kin_delta_fifo *fifo, struct departure *d, size_t max, int64_t deadline)
{
    int code;

    do {
        size_t n;

        kin__mutex_lock(&fifo->line.lock);
        code = kin__line_wait_locked(&fifo->line, deadline);
        n = fifo->line.n_waiting < max ? fifo->line.n_waiting : max;
        kin__mutex_unlock(&fifo->line.lock);
        if (code < 0)
            return code;
        code = departure_reserve(d, n);
        kin__mutex_lock(&fifo->line.lock);
        if (code == 0)
            take_all_locked(fifo, d);
        else
            kin__line_wake_locked(&fifo->line); /* somebody who has memory, or needs none */
        kin__mutex_unlock(&fifo->line.lock);
    } while (code == 0 && d->n == 0);
    release_all(d);
    return code;
}

static int pop_batch(kin_delta_fifo *fifo, struct departure *d, kin_process_batch_fn *process,
                     void *arg, size_t max, int64_t timeout_ms, kin_error *err)
{
    kin_error said;
    int64_t start;
    int code = depart_together(fifo, d, max, kin__line_deadline(&fifo->line, timeout_ms));

    if (code < 0)
        return kin__pop_nothing(code, err);
    kin__error_begin(&said);
    start = kin__slow_start(&fifo->slow, fifo->line.clock, d->depth);
    kin__assert_no_locks();
    code = process(d->deltas, d->n, d->initial, arg, &said);
    kin__slow_end(&fifo->slow, fifo->line.clock, start, d->deltas[0].key, d->n, d->depth);
    land(fifo, d, code);
    return kin__pop_result(code, &said, err);
}

int kin_delta_fifo_pop_batch(kin_delta_fifo *fifo, kin_process_batch_fn *process, void *arg,
                             size_t max, int64_t timeout_ms, kin_error *err)
{
    struct departure d = {NULL, NULL, NULL, 0, 0, false, 0};
    int code = kin__delta_fifo_check(fifo, err);

    if (code < 0)
        return code;
    if (!process)
        return kin_error_set(err, KIN_EINVAL, "process is NULL");
    code = pop_batch(fifo, &d, process, arg, max ? max : KIN__POP_BATCH, timeout_ms, err);
    departure_done(&d);
    return code;
}
