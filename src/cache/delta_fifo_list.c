/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeltaFIFO and lists: replacing everything, and resyncing.
 *
 * Both compare the line with what is known, and may not hold the lock while they ask: the known
 * objects are the user's. So they scan (line.h). While a scan is under way no key leaves the map.
 *
 * 1. The keys of the list get a place each in the map; an entry that is new waits for nothing yet.
 * 2. Each known key that is not in the map is neither in the list nor has anything going on: it was
 *    lost. It gets an entry, and a tombstone for it is made.
 * 3. Each other key in the map that is not of the list is queued, in flight or lingers: it gets a
 *    tombstone too, of its newest state.
 * 4. All of it is appended: the list, then the deletions.
 *
 * A list that keeps what is missing goes without the second and the third. A single key that is kept gets a place and the
 * mark in step 1, and gives its place back in step 4.
 *
 * Up to the last step everything is undone by giving reserved places back. No set of keys is made:
 * the map is one, and the list's keys carry its mark.
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/delta_fifo.h"
#include "cache/input.h"
#include "cache/replace.h"
#include "cache/staged.h"
#include "object/object.h"

/* --- scans --- */

struct scan {
    kin_delta_fifo *fifo;
    uint64_t mark;
    bool is_resync;
    size_t n_keys;           /* different keys in the list */
    kin__staged_list queued; /* tombstones of what is in the line */
    kin__staged_list known;  /* tombstones of what is known, or what a resync sends again */
    kin__list dead;          /* entries that left the map, to be freed */
    kin_error said;          /* by what failed during a visit */
};

/* The end: those that linger and have nothing else leave the map. */
static void end_locked(kin_delta_fifo *fifo, struct scan *scan) KIN_REQUIRES(fifo->line.lock)
{
    kin__list *node;

    kin__line_end_scan_locked(&fifo->line);
    while ((node = kin__list_pop_front(&fifo->line.lingering))) {
        kin__line_entry *entry = kin__list_entry(node, kin__line_entry, aside);

        entry->flags &= ~(unsigned)KIN__LINE_LINGERING;
        if (entry->flags == 0 && kin__delta_entry_of(entry)->reserved == 0) {
            kin__line_remove_locked(&fifo->line, entry);
            kin__list_push_back(&scan->dead, &entry->aside);
        }
    }
}

/* Without the lock: what is left to be released. */
static void scan_done(struct scan *scan)
{
    kin__staged_list_done(&scan->queued);
    kin__staged_list_done(&scan->known);
    kin__delta_entries_free(&scan->dead);
}

/* Give back what was reserved. With the scan over, entries that have nothing else go. */
static void unreserve_locked(kin_delta_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].entry)
            kin__delta_fifo_unreserve_locked(fifo, list->items[i].entry, &scan->dead);
        list->items[i].entry = NULL;
    }
}

/* Each to the line; what is not needed stays in the list, to be released. */
static void append_locked(kin_delta_fifo *fifo, kin__staged_list *list, kin_delta_type type)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < list->n; i++) {
        kin__staged *staged = &list->items[i];

        if (staged->entry)
            staged->object = kin__delta_fifo_append_locked(fifo, staged->entry, type,
                                                           staged->object, staged->key.data);
    }
}

/* --- step 2: what is known --- */

static bool is_in_map(kin_delta_fifo *fifo, kin_str key, uint32_t hash)
{
    bool found;

    kin__mutex_lock(&fifo->line.lock);
    found = kin__line_find_locked(&fifo->line, key, hash) != NULL;
    kin__mutex_unlock(&fifo->line.lock);
    return found;
}

static int visit_known(kin_str key, const kin_object *object, void *arg)
{
    struct scan *scan = arg;
    kin_delta_fifo *fifo = scan->fifo;
    kin__staged staged = {NULL, {NULL, 0}, 0, NULL};
    int code;

    if (is_in_map(fifo, key, kin__map_hash(&fifo->line.entries, key)) ||
        (!scan->is_resync && KIN_DEFECT(replace_drops_tombstone)))
        return 0;
    if (kin__staged_list_reserve(&scan->known) < 0)
        return KIN_ENOMEM;
    code = kin__staged_known(&staged, scan->is_resync, key, object, fifo->key, fifo->key_arg,
                             &scan->said);
    if (code < 0)
        return code;
    staged.hash = kin__map_hash(&fifo->line.entries, staged.key);
    kin__mutex_lock(&fifo->line.lock);
    staged.entry = kin__delta_fifo_reserve_locked(fifo, staged.key, staged.hash);
    kin__mutex_unlock(&fifo->line.lock);
    if (!staged.entry) {
        kin_object_unref(staged.object);
        return KIN_ENOMEM;
    }
    scan->known.items[scan->known.n++] = staged;
    return 0;
}

static int visit_all_known(struct scan *scan, kin_error *err)
{
    kin_delta_fifo *fifo = scan->fifo;

    return fifo->has_known ? kin__known_each(&fifo->known, visit_known, scan, &scan->said, err) : 0;
}

/* What came for a key since makes its known state old: that is not queued behind it. */
static void drop_overtaken_locked(kin_delta_fifo *fifo, struct scan *scan)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < scan->known.n; i++) {
        kin__staged *staged = &scan->known.items[i];

        if (kin__delta_entry_newest(staged->entry) && !KIN_DEFECT(resync_overtakes)) {
            kin__delta_fifo_unreserve_locked(fifo, staged->entry, &scan->dead);
            staged->entry = NULL;
        }
    }
}

/* --- step 3: what is in the line --- */

static int stage_tombstone_locked(kin_delta_fifo *fifo, struct scan *scan, kin__delta_entry *entry)
    KIN_REQUIRES(fifo->line.lock)
{
    kin_str key = kin_str_make(entry->line.node.key, entry->line.node.key_len);
    const kin_object *tombstone = NULL;

    if (kin__staged_list_reserve(&scan->queued) < 0 ||
        kin_tombstone_new(&tombstone, key, kin__delta_entry_newest(entry)->object, NULL) < 0)
        return KIN_ENOMEM;
    if (!kin__delta_fifo_reserve_locked(fifo, key, entry->line.node.hash)) {
        kin_object_unref(tombstone);
        return KIN_ENOMEM;
    }
    scan->queued.items[scan->queued.n++] =
        (kin__staged){tombstone, kin__object_key(tombstone), entry->line.node.hash, entry};
    return 0;
}

/*
 * A deletion that is queued, or has succeeded during the scan, is enough. One in flight may fail, and one that
 * has failed leaves the object as it is known.
 */
static bool is_deleted(const kin__delta_entry *entry)
{
    return kin__delta_entry_newest(entry)->type == KIN_DELTA_DELETED &&
           (entry->queued.len || !(entry->failed || kin__delta_entry_deletes_now(entry)));
}

static int stage_line_locked(kin_delta_fifo *fifo, struct scan *scan) KIN_REQUIRES(fifo->line.lock)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    int code = 0;

    while (code == 0 && (node = kin__map_next(&fifo->line.entries, &iter))) {
        kin__delta_entry *entry = kin__delta_entry_of(kin__line_entry_of(node));

        if (entry->mark != scan->mark && kin__delta_entry_newest(entry) && !is_deleted(entry) &&
            !KIN_DEFECT(replace_forgets_queued))
            code = stage_tombstone_locked(fifo, scan, entry);
    }
    return code;
}

/* --- replacing --- */

static int take_in(void *queue, const kin_object *object, kin__staged *ret, kin_error *err)
{
    kin_delta_fifo *fifo = queue;
    int code = kin__delta_fifo_input(fifo, fifo->replaced, object, &ret->object, &ret->key, err);

    if (code == 0)
        ret->hash = kin__map_hash(&fifo->line.entries, ret->key);
    return code;
}

/* Step 1, for the items of the list or the keys to keep. Returns the number of different keys, or KIN_ENOMEM. */
static int64_t reserve_keys_locked(kin_delta_fifo *fifo, uint64_t mark, kin__staged_list *list,
                                   bool kept) KIN_REQUIRES(fifo->line.lock)
{
    int64_t n_keys = 0;

    for (size_t i = 0; i < list->n; i++) {
        kin__staged *staged = &list->items[i];
        kin__delta_entry *entry;

        if (kin__staged_is_kept(staged) != kept)
            continue;
        entry = kin__delta_fifo_reserve_locked(fifo, staged->key, staged->hash);
        if (!entry)
            return KIN_ENOMEM;
        n_keys += entry->mark != mark;
        entry->mark = mark;
        staged->entry = entry;
    }
    return n_keys;
}

static int reserve_list_locked(kin_delta_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    int64_t n_keys = reserve_keys_locked(fifo, scan->mark, list, false);

    if (n_keys < 0)
        return KIN_ENOMEM;
    scan->n_keys = (size_t)n_keys;
    return list->n_kept > 0 && reserve_keys_locked(fifo, scan->mark, list, true) < 0 ? KIN_ENOMEM
                                                                                     : 0;
}

static void unreserve_kept_locked(kin_delta_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    for (size_t i = 0; i < list->n; i++) {
        kin__staged *staged = &list->items[i];

        if (!kin__staged_is_kept(staged))
            continue;
        kin__delta_fifo_unreserve_locked(fifo, staged->entry, &scan->dead);
        staged->entry = NULL;
    }
}

/* The places of those that were taken since step 1. */
static int keep_room_locked(kin__staged_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (kin__delta_entry_keep_room(list->items[i].entry) < 0)
            return KIN_ENOMEM;
    return 0;
}

/* Steps 3 and 4. */
static int commit_locked(kin_delta_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    size_t n = scan->n_keys;

    drop_overtaken_locked(fifo, scan);
    if (keep_room_locked(list) < 0 || (!list->keeps && stage_line_locked(fifo, scan) < 0))
        return KIN_ENOMEM;
    n += scan->queued.n;
    for (size_t i = 0; i < scan->known.n; i++)
        n += scan->known.items[i].entry != NULL;
    kin__line_populate_list_locked(&fifo->line, n);
    if (list->n_kept > 0)
        unreserve_kept_locked(fifo, scan, list);
    append_locked(fifo, list, fifo->replaced);
    append_locked(fifo, &scan->queued, KIN_DELTA_DELETED);
    append_locked(fifo, &scan->known, KIN_DELTA_DELETED);
    end_locked(fifo, scan);
    return 0;
}

static void undo_locked(kin_delta_fifo *fifo, struct scan *scan, kin__staged_list *list)
    KIN_REQUIRES(fifo->line.lock)
{
    end_locked(fifo, scan);
    if (list)
        unreserve_locked(fifo, scan, list);
    unreserve_locked(fifo, scan, &scan->queued);
    unreserve_locked(fifo, scan, &scan->known);
}

/* With the scan begun. */
static int replace(struct scan *scan, kin__staged_list *list, kin_error *err)
{
    kin_delta_fifo *fifo = scan->fifo;
    int code;

    kin__mutex_lock(&fifo->line.lock);
    code = reserve_list_locked(fifo, scan, list);
    kin__mutex_unlock(&fifo->line.lock);
    if (code < 0)
        kin__error_no_memory(err);
    else if (!list->keeps)
        code = visit_all_known(scan, err);
    kin__mutex_lock(&fifo->line.lock);
    if (code == 0 && commit_locked(fifo, scan, list) < 0)
        code = kin__error_no_memory(err);
    if (code < 0)
        undo_locked(fifo, scan, list);
    kin__mutex_unlock(&fifo->line.lock);
    return code;
}

/* 0, KIN_EBUSY. */
static int begin_scan(struct scan *scan, kin_delta_fifo *fifo, bool is_resync, kin_error *err)
{
    *scan = (struct scan){.fifo = fifo, .is_resync = is_resync};
    kin__list_init(&scan->dead);
    kin__error_begin(&scan->said);
    kin__mutex_lock(&fifo->line.lock);
    int code = kin__line_begin_scan_locked(&fifo->line, err);

    scan->mark = ++fifo->mark;
    kin__mutex_unlock(&fifo->line.lock);
    return code;
}

static int commit(void *queue, kin__staged_list *list, kin_error *err)
{
    struct scan scan;
    int code = begin_scan(&scan, queue, false, err);

    if (code < 0)
        return code;
    code = replace(&scan, list, err);
    scan_done(&scan);
    return code;
}

static bool renames(const void *queue)
{
    const kin_delta_fifo *fifo = queue;

    return atomic_load_explicit(fifo->renames, memory_order_relaxed);
}

int kin_delta_fifo_replace_begin(kin_delta_fifo *fifo, kin_replace **ret, kin_error *err)
{
    static const kin__staged_class staged_class = {take_in, commit, renames};

    return kin__staged_replace_begin(ret, &staged_class, fifo, kin__delta_fifo_line(fifo), err);
}

int kin_delta_fifo_replace(kin_delta_fifo *fifo, const kin_object *const *objects, size_t n,
                           kin_str resource_version, kin_error *err)
{
    kin_replace *begun = NULL;
    int code = kin_delta_fifo_replace_begin(fifo, &begun, err);

    return code < 0 ? code : kin__replace_all(begun, objects, n, resource_version, err);
}

/* --- resyncing --- */

int kin_delta_fifo_resync(kin_delta_fifo *fifo, kin_error *err)
{
    struct scan scan;
    int code = kin__delta_fifo_check(fifo, err);

    if (code < 0 || !fifo->has_known)
        return code;
    code = begin_scan(&scan, fifo, true, err);
    if (code < 0)
        return code;
    code = visit_all_known(&scan, err);
    kin__mutex_lock(&fifo->line.lock);
    if (code == 0) {
        drop_overtaken_locked(fifo, &scan);
        append_locked(fifo, &scan.known, KIN_DELTA_SYNC);
        end_locked(fifo, &scan);
    } else {
        undo_locked(fifo, &scan, NULL);
    }
    kin__mutex_unlock(&fifo->line.lock);
    scan_done(&scan);
    return code;
}
