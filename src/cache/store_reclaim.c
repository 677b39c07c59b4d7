/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting rid of old states.
 *
 * A record that died waits in a queue until nobody can see it: until all pins are of the version in
 * which it died, or later. If it was followed by a newer one that took all its places, nothing
 * points at it any more that such a reader would follow, and it is freed at once. Otherwise it is
 * taken out of the map and the postings first, and a reader that found it there just before may
 * still look at it: it goes to limbo until all pins are of a later version than the one in which it
 * was taken out. Limbo has two generations, so that a stream of new ones does not keep the old.
 *
 * A view holds one version only. When the queue is long and a view is at its head,
 * states further back that were born after the view and died before any other reader are taken out
 * as well, from between their neighbours. So what a view costs is bounded by what it shows.
 *
 * The work of one call is bounded; what is left waits for the next write.
 */
#include "base/assert.h"
#include "cache/store.h"

enum {
    AT_ONCE = 256, /* records per call at most */
    HELD_FEW = 16, /* views whose versions are noted without allocating */
};

void kin__record_free(kin__record *record)
{
    kin_object_unref(kin__record_key_object(record));
    kin_object_unref(record->object);
    kin__free(record);
}

void kin__freed_free(kin__freed *freed)
{
    while (freed->records) {
        kin__record *next = freed->records->next;

        kin__record_free(freed->records);
        freed->records = next;
    }
    kin__garbage_free(freed->blocks);
    freed->blocks = NULL;
}

void kin__store_retire_locked(kin_store *store, kin__record *record)
{
    record->flags |= KIN__RECORD_RETIRED;
    record->next = NULL;
    *store->retired_end = record;
    store->retired_end = &record->next;
    store->n_retired++;
}

/* The youngest generation; what is put there now may be freed when all pins are of the next version. */
static kin__limbo *young_limbo(kin_store *store)
{
    store->limbo[0].version = kin__pins_version(&store->pins) + 1;
    return &store->limbo[0];
}

void kin__store_keep_table_locked(kin_store *store, kin__read_table *table)
{
    if (!table)
        return;
    table->replaced_in = kin__pins_version(&store->pins) + 1;
    table->garbage.next = store->old_tables ? &store->old_tables->garbage : NULL;
    store->old_tables = table;
}

const kin__read_table *kin__store_take_table(kin_store *store)
{
    kin__read_table *table = atomic_load_explicit(&store->records.table, memory_order_acquire);

    /* The pin keeps the table, and is looked at before the count. */
    if (table)
        atomic_fetch_add_explicit(&table->n_views, 1, memory_order_relaxed);
    return table;
}

void kin__store_give_table(const kin__read_table *table)
{
    if (table)
        atomic_fetch_sub_explicit(&((kin__read_table *)kin__unconst(table))->n_views, 1,
                                  memory_order_release);
}

void kin__store_defer_locked(kin_store *store, kin__record *record)
{
    kin__limbo *limbo = young_limbo(store);

    record->next = limbo->records;
    limbo->records = record;
}

void kin__store_bury_locked(kin_store *store, kin__record *record)
{
    kin__store_unresolve_locked(store, record);
    kin__store_defer_locked(store, record);
}

static void leave_map(kin_store *store, kin__record *record, kin__record *older)
{
    if (record->flags & KIN__RECORD_IN_MAP && older) {
        kin__read_map_swap(&store->records, &record->node, &older->node);
        older->flags = (uint8_t)((older->flags | KIN__RECORD_IN_MAP) & ~KIN__RECORD_REVIVED);
    } else if (record->flags & KIN__RECORD_IN_MAP) {
        kin__read_map_remove(&store->records, &record->node);
    }
    for (kin__read_table *table = store->old_tables; table;
         table = (kin__read_table *)table->garbage.next)
        kin__read_table_forget(table, &record->node, older ? &older->node : NULL);
}

static void leave_postings(kin__record *record, kin__record *older)
{
    kin__index_value **values = kin__record_values(record);

    for (unsigned i = 0; i < record->n_links; i++) {
        uint32_t place = atomic_load_explicit(&record->slots[i], memory_order_relaxed);
        unsigned link = older ? kin__record_find_link(older, values[i]) : 0;

        if (!kin__postings_has(values[i], place, record))
            continue;
        if (older && link < older->n_links &&
            atomic_load_explicit(&older->slots[link], memory_order_relaxed) == place) {
            kin__postings_swap(values[i], place, older);
            older->flags |= KIN__RECORD_POSTED;
        } else {
            kin__postings_remove(values[i], place);
        }
    }
}

void kin__store_detach_locked(kin_store *store, kin__record *record, kin__record *older)
{
    leave_map(store, record, older);
    leave_postings(record, older);
}

/* The newest record of the key. */
static kin__record *newest_of(const kin_store *store, const kin__record *record)
{
    return kin__record_of(kin__read_table_get(kin__read_map_table(&store->records),
                                              kin_str_make(record->node.key, record->node.key_len),
                                              record->node.hash));
}

/*
 * The head of the queue is the oldest record of its key. Nobody of a version before `oldest` reads
 * any more, so of all records of the key those that were followed before that are not gone through.
 * All at once: a key that was deleted and made again a thousand times is gone over once.
 */
static void settle_revived(const kin_store *store, const kin__record *head, uint64_t oldest)
{
    kin__record *newer = newest_of(store, head);

    while (newer != head) {
        kin__record *older = kin__record_older(newer);

        if (newer->born <= oldest)
            older->flags &= (uint8_t)~KIN__RECORD_REVIVED;
        newer = older;
    }
}

/* Whether no reader of `oldest` or later sees the head of the queue, or goes through it. */
static bool is_past(const kin_store *store, const kin__record *head, uint64_t oldest)
{
    if (kin__record_died(head) > oldest)
        return false;
    if (head->flags & KIN__RECORD_REVIVED)
        settle_revived(store, head, oldest);
    return !(head->flags & KIN__RECORD_REVIVED);
}

/* A record that nobody can see. */
static void bury_or_free_locked(kin_store *store, kin__record *record, kin__freed *ret)
    KIN_REQUIRES(store->lock)
{
    const unsigned found = KIN__RECORD_IN_MAP | KIN__RECORD_POSTED | KIN__RECORD_SPLICED;

    if (record->flags & found || store->old_tables) {
        kin__store_detach_locked(store, record, NULL);
        kin__store_bury_locked(store, record);
    } else {
        kin__store_unresolve_locked(store, record);
        record->next = ret->records;
        ret->records = record;
    }
    store->n_retired--;
}

/* From the head of the queue. Returns how many. */
static size_t reclaim_head_locked(kin_store *store, uint64_t oldest, kin__freed *ret)
    KIN_REQUIRES(store->lock)
{
    size_t n = 0;

    for (; n < AT_ONCE && store->retired && is_past(store, store->retired, oldest); n++) {
        kin__record *record = store->retired;

        store->retired = record->next;
        if (!store->retired)
            store->retired_end = &store->retired;
        bury_or_free_locked(store, record, ret);
    }
    return n;
}

/* --- behind the head --- */

struct behind {
    kin__pins_look look;
    size_t n_held;
    uint64_t *held; /* in rising order: `few`, or OWNED */
    uint64_t few[3 * HELD_FEW];
};

/* Note what readers and views keep. False: it cannot be had now. */
static bool look_behind(struct behind *b, kin_store *store)
{
    size_t max;

    kin__pins_look_at(&store->pins, &b->look);
    /* Some may come until they are noted. */
    max = 2 * b->look.n_held + HELD_FEW;
    b->held =
        max <= kin__array_len(b->few) ? b->few : kin__realloc_array(NULL, max, sizeof(*b->held));
    return b->held && kin__pins_held(&store->pins, b->held, max, &b->n_held);
}

static void behind_done(struct behind *b)
{
    if (b->held != b->few)
        kin__free(b->held);
}

/* Whether a view shows a dead record, or a reader that came before the view may be at it. */
static bool is_seen(const struct behind *b, const kin__record *record)
{
    uint64_t died = kin__record_died(record);
    size_t low = 0;
    size_t high = b->n_held;

    if (died > b->look.pinned)
        return true;
    /* The newest view of a version before `died` has the number low - 1. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->held[middle] < died)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && b->held[low - 1] >= record->born;
}

static bool can_go(const struct behind *b, const kin__record *record)
{
    const unsigned both = KIN__RECORD_RETIRED | KIN__RECORD_SPLICED;

    return (record->flags & both) == KIN__RECORD_RETIRED && record->born > b->look.held &&
           !is_seen(b, record);
}

/* From between its neighbours; `newer` is NULL if it is the newest. */
static void splice_out_locked(kin_store *store, kin__record *record, kin__record *newer,
                              kin__record *older) KIN_REQUIRES(store->lock)
{
    if (newer)
        atomic_store_explicit(&newer->older, older, memory_order_release);
    kin__store_detach_locked(store, record, older);
    /* Whoever went through it, since it was dead for a while, now comes to the older one. */
    if (older)
        older->flags |= record->flags & KIN__RECORD_REVIVED;
    record->flags = KIN__RECORD_RETIRED | KIN__RECORD_SPLICED;
}

/*
 * All records of a key that can go. A record that was born after the oldest view has its older one:
 * that ended when this one was born or later, and what ended behind a view was never freed from the
 * head of the queue.
 */
static void splice_key_locked(kin_store *store, const struct behind *b, const kin__record *of_key)
    KIN_REQUIRES(store->lock)
{
    kin__record *record = newest_of(store, of_key);
    kin__record *newer = NULL;

    while (record && record->born > b->look.held) {
        kin__record *older = kin__record_older(record);

        if (can_go(b, record))
            splice_out_locked(store, record, newer, older);
        else
            newer = record;
        record = older;
    }
}

/* Each key is gone over once. */
static void splice_all_locked(kin_store *store, const struct behind *b) KIN_REQUIRES(store->lock)
{
    kin__record **link = &store->retired;

    while (*link) {
        kin__record *record = *link;

        /* Those of its key that come later in the queue are spliced with the first. */
        if (can_go(b, record))
            splice_key_locked(store, b, record);
        if (record->flags & KIN__RECORD_SPLICED) {
            *link = record->next;
            kin__store_bury_locked(store, record);
            store->n_retired--;
        } else {
            link = &record->next;
        }
    }
    store->retired_end = link;
}

/* How long the queue may become before it is gone through: constant work per record and per view. */
static size_t splice_limit(const kin_store *store, const kin__pins_look *look)
{
    return 2 * store->n_retired + look->n_held + store->splice_min;
}

/* The rest of the queue, when a view holds up its head. */
static void reclaim_behind_locked(kin_store *store) KIN_REQUIRES(store->lock)
{
    struct behind b;

    if (store->n_retired < store->splice_at)
        return;
    /* States born after the views did not die before a reader that came before the views. */
    if (look_behind(&b, store) && b.look.held < b.look.pinned) {
        splice_all_locked(store, &b);
        store->splice_at = splice_limit(store, &b.look);
    }
    behind_done(&b);
}

static void free_limbo(kin__limbo *limbo, kin__freed *ret)
{
    while (limbo->records) {
        kin__record *record = limbo->records;

        limbo->records = record->next;
        record->next = ret->records;
        ret->records = record;
    }
    while (limbo->blocks) {
        kin__garbage *block = limbo->blocks;

        limbo->blocks = block->next;
        kin__garbage_push(&ret->blocks, block);
    }
}

static bool is_empty(const kin__limbo *limbo)
{
    return !limbo->records && !limbo->blocks;
}

/* The blocks that this write has taken out. */
static void collect_blocks(kin_store *store)
{
    while (store->garbage) {
        kin__garbage *block = store->garbage;

        store->garbage = block->next;
        kin__garbage_push(&young_limbo(store)->blocks, block);
    }
}

/*
 * The tables that no reader can have: none that came before they were replaced, and no view. So a view
 * keeps one table, however often it is replaced.
 */
static void free_tables(kin_store *store, uint64_t pinned, kin__freed *ret)
{
    kin__read_table **link = &store->old_tables;

    while (*link) {
        kin__read_table *table = *link;

        if (table->replaced_in <= pinned &&
            atomic_load_explicit(&table->n_views, memory_order_acquire) == 0) {
            *link = (kin__read_table *)table->garbage.next;
            kin__garbage_push(&ret->blocks, &table->garbage);
        } else {
            link = (kin__read_table **)&table->garbage.next;
        }
    }
}

/* Free what is in limbo and cannot be seen; the young become the old when there is room. */
static void free_generations(kin_store *store, uint64_t pinned, kin__freed *ret)
{
    for (int pass = 0; pass < 2; pass++) {
        if (!is_empty(&store->limbo[1]) && store->limbo[1].version <= pinned)
            free_limbo(&store->limbo[1], ret);
        if (is_empty(&store->limbo[1])) {
            store->limbo[1] = store->limbo[0];
            store->limbo[0].records = NULL;
            store->limbo[0].blocks = NULL;
        }
    }
}

static void reclaim_limbo_locked(kin_store *store, kin__freed *ret) KIN_REQUIRES(store->lock)
{
    bool in_limbo = !is_empty(&store->limbo[0]) || !is_empty(&store->limbo[1]);
    kin__pins_look look;

    if (!in_limbo && !store->old_tables)
        return;
    /*
     * Readers that come from here on are of a version in which all of it was taken out: they
     * cannot find it, so whoever is not found now has nothing of it. That holds for a look that
     * comes after the publication, not for an earlier one. Views have no pointers to anything that
     * they do not show, but for their table.
     */
    if (in_limbo || store->old_tables->replaced_in > kin__pins_version(&store->pins))
        kin__store_publish_locked(store, NULL, 0);
    kin__pins_look_at(&store->pins, &look);
    free_tables(store, look.pinned, ret);
    free_generations(store, look.pinned, ret);
}

/* What was large once and is mostly empty now, when there are no old states in it. */
static void compact_locked(kin_store *store) KIN_REQUIRES(store->lock)
{
    const kin__indexes *indexes = kin__store_indexes(store);
    kin__read_table *old;

    kin__read_map_shrink(&store->records, &old);
    kin__store_keep_table_locked(store, old);

    for (size_t i = 0; i < indexes->n; i++)
        kin__index_compact(indexes->items[i], &store->garbage);
}

/* Whether this is not the write to look after what is old. */
static bool is_early(kin_store *store)
{
    if (store->reclaim_in > 0 && store->n_retired < store->splice_at && !store->garbage) {
        store->reclaim_in--;
        return true;
    }
    return !store->garbage && !store->old_tables && store->n_retired == 0 &&
           is_empty(&store->limbo[0]) && is_empty(&store->limbo[1]);
}

void kin__store_reclaim_locked(kin_store *store, kin__freed *ret)
{
    kin__pins_look look;

    if (is_early(store))
        return;
    kin__pins_look_at(&store->pins, &look);
    if (reclaim_head_locked(store, kin__pins_oldest(&look), ret) > 0 || store->n_retired == 0) {
        /* An old table, which a view has, is looked at less often. */
        store->reclaim_in = store->old_tables && store->n_retired == 0 ? store->patience : 0;
        if (store->splice_at > splice_limit(store, &look))
            store->splice_at = splice_limit(store, &look);
    } else {
        /* Somebody looks: look less often ourselves. */
        store->reclaim_in = store->patience;
        reclaim_behind_locked(store);
    }
    atomic_store_explicit(&store->is_crowded, store->n_retired > AT_ONCE, memory_order_relaxed);
    /* Copies that an index is being added to have the numbers of places. */
    if (store->n_retired == 0 && !store->indexing)
        compact_locked(store);
    collect_blocks(store);
    reclaim_limbo_locked(store, ret);
}

/*
 * Whoever has the lock may have looked at the pins already, so it is told to look again. If it gave
 * the lock back before it could be told, the second try succeeds.
 */
static bool lock_or_tell(kin_store *store) KIN_TRY_ACQUIRE(true, store->lock)
{
    bool locked = kin__mutex_try_lock(&store->lock);

    if (!locked) {
        atomic_store_explicit(&store->reclaim_wanted, true, memory_order_seq_cst);
        locked = kin__mutex_try_lock(&store->lock);
    }
    return locked;
}

/* Whether there may be more. */
static bool reclaim_some(kin_store *store)
{
    kin__freed freed = {NULL, NULL};
    size_t before;
    size_t after;

    if (!lock_or_tell(store))
        return false;
    atomic_store_explicit(&store->reclaim_wanted, false, memory_order_seq_cst);
    before = store->n_retired;
    store->reclaim_in = 0;
    kin__store_reclaim_locked(store, &freed);
    after = store->n_retired;
    kin__mutex_unlock(&store->lock);
    kin__freed_free(&freed);
    return after > 0 && after < before;
}

void kin__store_reclaim_all(kin_store *store)
{
    while (reclaim_some(store))
        ;
}

void kin__store_reclaim_crowd(kin_store *store)
{
    if (atomic_load_explicit(&store->is_crowded, memory_order_relaxed))
        kin__store_reclaim_all(store);
}
