/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO and lists: replacing everything, and resyncing.
 *
 * An atomic queue puts a list into one object and that into the ring. It looks at nothing, and needs
 * no turn.
 *
 * A queue with known objects has to compare, and may not hold the lock while it asks. It takes the turn,
 * so that nothing leaves the ring and its consumer learns nothing new; more may come in.
 *
 * 1. The keys of the list get an entry each, and its mark.
 * 2. Each known key that has no entry is neither in the list nor in the ring: it was lost. It gets an
 *    entry, and a tombstone for it is made.
 * 3. Each key in the ring that has no mark and was not deleted last gets a tombstone of its last state.
 *    What came in since step 2 is among them: then the tombstone of that step is not needed.
 * 4. All of it goes into the ring: deletions, then the list.
 *
 * A list that keeps what is missing goes without the second and the third. A single key that is kept gets an entry and the
 * mark in step 1, and gives its entry back in step 4.
 *
 * Up to the last step everything is undone by giving entries back. No set of keys is made: the map of
 * keys is one.
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/delta.h"
#include "cache/input.h"
#include "cache/ordered_fifo.h"
#include "cache/replace.h"
#include "object/object.h"

/* --- atomic queues --- */

struct atomic_replace {
    kin_replace base;
    kin_ordered_fifo *fifo;
    const kin_object **items; /* OWNED, and a reference to each */
    size_t n;
    size_t cap;
};

static struct atomic_replace *atomic_of(kin_replace *replace)
{
    return kin__container_of(replace, struct atomic_replace, base);
}

static int atomic_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    struct atomic_replace *r = atomic_of(replace);
    kin_ordered_fifo *fifo = r->fifo;
    const kin_object **items = r->items;
    kin__staged staged = {NULL, {NULL, 0}, 0, NULL};
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0 && r->n == r->cap) {
        items = kin__grow_array(r->items, &r->cap, r->n + 1, sizeof(const kin_object *));
        if (!items)
            return kin__error_no_memory(err);
        r->items = items;
    }
    if (code == 0)
        code = kin__ordered_fifo_take_in(fifo, KIN_DELTA_REPLACED, object, &staged, err);
    if (code == 0)
        items[r->n++] = staged.object;
    return code;
}

static void atomic_abort(kin_replace *replace)
{
    struct atomic_replace *r = atomic_of(replace);

    for (size_t i = 0; i < r->n; i++)
        kin_object_unref(r->items[i]);
    kin__free(r->items);
    kin__free(r);
}

/* The list has the items once it is made: there must be room in the ring before that. */
static int queue_list_locked(kin_ordered_fifo *fifo, const struct atomic_replace *r,
                             kin_str resource_version, kin_error *err) KIN_REQUIRES(fifo->line.lock)
{
    kin__staged staged = {NULL, {"", 0}, 0, NULL};
    int code;

    if (kin__ring_reserve(&fifo->ring, 1) < 0)
        return kin__error_no_memory(err);
    code =
        kin__delta_list_new(&staged.object, r->items, r->n, resource_version, r->base.keeps, err);
    if (code < 0)
        return code;
    kin__ordered_fifo_push_locked(fifo, KIN_DELTA_REPLACED_ALL, &staged);
    kin__line_populate_list_locked(&fifo->line, fifo->ring.len - fifo->n_flight);
    return 0;
}

static int atomic_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct atomic_replace *r = atomic_of(replace);
    kin_ordered_fifo *fifo = r->fifo;
    int code = kin__ordered_fifo_check(fifo, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&fifo->line.lock);
    code = queue_list_locked(fifo, r, resource_version, err);
    kin__mutex_unlock(&fifo->line.lock);
    if (code == 0)
        kin__free(r);
    return code;
}

static int atomic_begin(kin_ordered_fifo *fifo, kin_replace **ret, kin_error *err)
{
    static const kin__replace_class atomic_class = {atomic_add, atomic_commit, atomic_abort, NULL};
    struct atomic_replace *r;
    int code = kin__ordered_fifo_check(fifo, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    r = kin__calloc(1, sizeof(*r));
    if (!r)
        return kin__error_no_memory(err);
    r->base.replace_class = &atomic_class;
    r->fifo = fifo;
    *ret = &r->base;
    return 0;
}

/* --- queues with known objects: what is to be queued --- */

struct scan {
    kin_ordered_fifo *fifo;
    bool is_resync;
    kin__staged_list known;  /* tombstones of what is known, or what a resync sends again */
    kin__staged_list queued; /* tombstones of what is in the ring */
    kin_error said;          /* by what failed during a visit */
};

/* Give back the entries that were reserved. */
static void unreserve_locked(kin_ordered_fifo *fifo, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].entry)
            kin__ordered_fifo_unreserve_locked(fifo, list->items[i].entry);
        list->items[i].entry = NULL;
    }
}

/* Those that have an entry go into the ring; the others stay in the list, to be released. */
static void push_all_locked(kin_ordered_fifo *fifo, kin__staged_list *list, kin_delta_type type)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!list->items[i].entry)
            continue;
        kin__ordered_fifo_push_locked(fifo, type, &list->items[i]);
        list->items[i].object = NULL;
    }
}

/* --- step 2: what is known --- */

static bool has_entry(kin_ordered_fifo *fifo, kin_str key, uint32_t hash)
{
    bool found;

    kin__mutex_lock(&fifo->line.lock);
    found = kin__map_get_hashed(&fifo->keys, key, hash) != NULL;
    kin__mutex_unlock(&fifo->line.lock);
    return found;
}

static int visit_known(kin_str key, const kin_object *object, void *arg)
{
    struct scan *scan = arg;
    kin_ordered_fifo *fifo = scan->fifo;
    kin__staged staged = {NULL, {NULL, 0}, 0, NULL};
    int code;

    if (has_entry(fifo, key, kin__map_hash(&fifo->keys, key)))
        return 0;
    if (kin__staged_list_reserve(&scan->known) < 0)
        return KIN_ENOMEM;
    code = kin__staged_known(&staged, scan->is_resync, key, object, fifo->key, fifo->key_arg,
                             &scan->said);
    if (code < 0)
        return code;
    staged.hash = kin__map_hash(&fifo->keys, staged.key);
    kin__mutex_lock(&fifo->line.lock);
    staged.entry = kin__ordered_fifo_reserve_locked(fifo, staged.key, staged.hash);
    kin__mutex_unlock(&fifo->line.lock);
    if (!staged.entry) {
        kin_object_unref(staged.object);
        return KIN_ENOMEM;
    }
    scan->known.items[scan->known.n++] = staged;
    return 0;
}

/* What came in for a key since makes its known state old. */
static void drop_overtaken_locked(kin_ordered_fifo *fifo, struct scan *scan)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < scan->known.n; i++) {
        kin__staged *staged = &scan->known.items[i];
        kin__ordered_key *entry = staged->entry;

        if (entry->n > 0) {
            kin__ordered_fifo_unreserve_locked(fifo, entry);
            staged->entry = NULL;
        }
    }
}

/* --- step 3: what is in the ring --- */

static int stage_tombstone_locked(kin_ordered_fifo *fifo, struct scan *scan,
                                  const kin__ordered_key *entry) KIN_REQUIRES(fifo->line.lock)
{
    kin_str key = kin_str_make(entry->node.key, entry->node.key_len);
    kin__staged staged = {NULL, {NULL, 0}, entry->node.hash, NULL};

    if (kin__staged_list_reserve(&scan->queued) < 0 ||
        kin_tombstone_new(&staged.object, key, entry->last, NULL) < 0)
        return KIN_ENOMEM;
    staged.key = kin__object_key(staged.object);
    /* It is there: this cannot fail. */
    staged.entry = kin__ordered_fifo_reserve_locked(fifo, key, staged.hash);
    scan->queued.items[scan->queued.n++] = staged;
    return 0;
}

/* In the order in which the keys are in the ring. */
static int stage_ring_locked(kin_ordered_fifo *fifo, struct scan *scan)
    KIN_REQUIRES(fifo->line.lock)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < fifo->ring.len; i++) {
        kin__ordered_key *entry = kin__ring_at(&fifo->ring, i)->entry;

        if (entry->seen == fifo->mark)
            continue;
        entry->seen = fifo->mark;
        if (entry->listed != fifo->mark && entry->type != KIN_DELTA_DELETED &&
            !KIN_DEFECT(ordered_replace_forgets_queued))
            code = stage_tombstone_locked(fifo, scan, entry);
    }
    return code;
}

/* --- replacing --- */

static int take_in(void *queue, const kin_object *object, kin__staged *ret, kin_error *err)
{
    return kin__ordered_fifo_take_in(queue, KIN_DELTA_REPLACED, object, ret, err);
}

/* Step 1. */
static int reserve_list_locked(kin_ordered_fifo *fifo, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    fifo->mark++;
    for (size_t i = 0; i < list->n; i++) {
        kin__staged *staged = &list->items[i];
        kin__ordered_key *entry = kin__ordered_fifo_reserve_locked(fifo, staged->key, staged->hash);

        if (!entry)
            return KIN_ENOMEM;
        entry->listed = fifo->mark;
        staged->entry = entry;
    }
    return 0;
}

/* Steps 3 and 4. */
static int commit_locked(kin_ordered_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    drop_overtaken_locked(fifo, scan);
    if ((!list->keeps && stage_ring_locked(fifo, scan) < 0) ||
        kin__ring_reserve(&fifo->ring, scan->queued.n + scan->known.n + list->n) < 0)
        return KIN_ENOMEM;
    push_all_locked(fifo, &scan->queued, KIN_DELTA_DELETED);
    push_all_locked(fifo, &scan->known, KIN_DELTA_DELETED);
    for (size_t i = 0; i < list->n && list->n_kept > 0; i++) {
        if (kin__staged_is_kept(&list->items[i])) {
            kin__ordered_fifo_unreserve_locked(fifo, list->items[i].entry);
            list->items[i].entry = NULL;
        }
    }
    push_all_locked(fifo, list, KIN_DELTA_REPLACED);
    kin__line_populate_list_locked(&fifo->line, fifo->ring.len);
    return 0;
}

/* With the turn. */
static int replace(kin_ordered_fifo *fifo, struct scan *scan, kin__staged_list *list,
                   kin_error *err)
{
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = reserve_list_locked(fifo, list);
    kin__mutex_unlock(&fifo->line.lock);
    if (code < 0)
        kin__error_no_memory(err);
    else if (!list->keeps)
        code = kin__known_each(&fifo->known, visit_known, scan, &scan->said, err);
    kin__mutex_lock(&fifo->line.lock);
    if (code == 0 && commit_locked(fifo, scan, list) < 0)
        code = kin__error_no_memory(err);
    if (code < 0) {
        unreserve_locked(fifo, list);
        unreserve_locked(fifo, &scan->known);
        unreserve_locked(fifo, &scan->queued);
    }
    kin__ordered_fifo_pass_locked(fifo);
    kin__mutex_unlock(&fifo->line.lock);
    return code;
}

/* Take the turn. 0, KIN_EBUSY. */
static int begin_scan(struct scan *scan, kin_ordered_fifo *fifo, bool is_resync, kin_error *err)
{
    int code;

    *scan = (struct scan){.fifo = fifo, .is_resync = is_resync};
    kin__error_begin(&scan->said);
    kin__mutex_lock(&fifo->line.lock);
    code = kin__ordered_fifo_claim_locked(fifo, err);
    kin__mutex_unlock(&fifo->line.lock);
    return code;
}

static void scan_done(struct scan *scan)
{
    kin__staged_list_done(&scan->known);
    kin__staged_list_done(&scan->queued);
}

static int commit(void *queue, kin__staged_list *list, kin_error *err)
{
    struct scan scan;
    int code = begin_scan(&scan, queue, false, err);

    if (code < 0)
        return code;
    code = replace(queue, &scan, list, err);
    scan_done(&scan);
    return code;
}

static bool renames(const void *queue)
{
    const kin_ordered_fifo *fifo = queue;

    return atomic_load_explicit(fifo->renames, memory_order_relaxed);
}

int kin_ordered_fifo_replace_begin(kin_ordered_fifo *fifo, kin_replace **ret, kin_error *err)
{
    static const kin__staged_class spelled_class = {take_in, commit, renames};

    if (fifo && !fifo->has_known)
        return atomic_begin(fifo, ret, err);
    return kin__staged_replace_begin(ret, &spelled_class, fifo, kin__ordered_fifo_line(fifo), err);
}

int kin_ordered_fifo_replace(kin_ordered_fifo *fifo, const kin_object *const *objects, size_t n,
                             kin_str resource_version, kin_error *err)
{
    kin_replace *begun = NULL;
    int code = kin_ordered_fifo_replace_begin(fifo, &begun, err);

    return code < 0 ? code : kin__replace_all(begun, objects, n, resource_version, err);
}

/* --- resyncing --- */

/* With the turn. */
static int resync_locked(kin_ordered_fifo *fifo, struct scan *scan) KIN_REQUIRES(fifo->line.lock)
{
    drop_overtaken_locked(fifo, scan);
    if (kin__ring_reserve(&fifo->ring, scan->known.n) < 0)
        return KIN_ENOMEM;
    push_all_locked(fifo, &scan->known, KIN_DELTA_SYNC);
    return 0;
}

static int resync_known(kin_ordered_fifo *fifo, kin_error *err)
{
    struct scan scan;
    int code = begin_scan(&scan, fifo, true, err);

    if (code < 0)
        return code;
    code = kin__known_each(&fifo->known, visit_known, &scan, &scan.said, err);
    kin__mutex_lock(&fifo->line.lock);
    if (code == 0 && resync_locked(fifo, &scan) < 0)
        code = kin__error_no_memory(err);
    if (code < 0)
        unreserve_locked(fifo, &scan.known);
    kin__ordered_fifo_pass_locked(fifo);
    kin__mutex_unlock(&fifo->line.lock);
    scan_done(&scan);
    return code;
}

int kin_ordered_fifo_resync(kin_ordered_fifo *fifo, kin_error *err)
{
    int code = kin__ordered_fifo_check(fifo, err);

    if (code < 0)
        return code;
    return fifo->has_known ? resync_known(fifo, err)
                           : kin__ordered_fifo_queue_whole(fifo, KIN_DELTA_SYNC_ALL,
                                                           kin_object_ref(fifo->sync_all), err);
}
