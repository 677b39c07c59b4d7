/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that gates wait for, indexed by the two changes that can end the wait. The keeper checks only the writes that
 * such a change concerns. It used to check every gate whenever an informer had applied a batch.
 *
 * - A reflector of the informer reaches the version. Each source has a heap of versions for each lane of its informer: one for
 *   all namespaces, and one for each namespace if the informer watches several. A turn compares the top of each heap with
 *   kin__informer_reach(). The number of lanes is at most the number of reflectors plus one.
 * - The store gets the object. Each source has a map from object keys to writes. The informer passes each batch of changes
 *   to kin__source_note_stored(), also for sources without a handler. The writes found there become due.
 *
 * A *stray* is a write without a place in these indexes. The keeper checks all strays on each turn. There are strays only
 * if memory was short, after the informer's namespaces have changed, and for versions of 2^63 and more. So no index has
 * to be rebuilt, and closing a gate does not fail because of an index.
 *
 * No change is missed. A write is placed, and only then checked, at the latest when the function has returned. The check
 * takes the informer's lock. kin__source_note_stored() and the progress function run with that lock, after the change: either they
 * find the write, or the check finds the change. A lane may let a write go too early, never too late: is_seen() decides,
 * and the write goes back.
 *
 * A bounded number of checks for each turn, in rotation, would need less code. But a gate that can be opened would wait
 * until its turn comes, which takes many turns with 10,000 gates.
 */
#include "base/assert.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "cache/store.h"
#include "kinform/key.h"
#include "kinform/resource_version.h"
#include "runtime/reconciler.h"

enum { KEEP = 64 }; /* entries that an empty index keeps room for */

struct kin__lane {
    kin__map_node node;  /* in the source's lanes, by its name */
    kin__timers waiting; /* writes, by version */
    uint64_t arranged;   /* the informer's `n_arranged` that it is for */
    size_t name_len;
    char name[];
};

static kin_str name_of(const kin__lane *lane)
{
    return kin_str_make(lane->name, lane->name_len);
}

static void free_lane(kin__source *source, kin__lane *lane)
{
    kin__map_remove(&source->lanes, &lane->node);
    kin__timers_done(&lane->waiting);
    kin__free(lane);
}

void kin__source_init_waits(kin__source *source)
{
    uint64_t seed = kin__hash_seed();

    kin__map_init(&source->lanes, seed);
    kin__map_init(&source->by_key, seed);
    kin__list_init(&source->strays);
    kin__list_init(&source->due);
}

void kin__source_done_waits(kin__source *source)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&source->lanes, &iter)))
        free_lane(source, kin__container_of(node, kin__lane, node));
    kin__map_done(&source->lanes);
    kin__map_done(&source->by_key);
}

/* --- by key --- */

static bool add_key(kin__source *source, kin__written *written) KIN_REQUIRES(source->informer->lock)
{
    kin__map_node *existing = NULL;

    if (written->key.len == 0)
        return true;
    if (kin__map_add(&source->by_key, &written->node, written->key, &existing) < 0)
        return false;
    written->is_mapped = !existing;
    if (existing)
        kin__list_push_back(&kin__container_of(existing, kin__written, node)->twins,
                            &written->twins);
    return true;
}

static void remove_key(kin__source *source, kin__written *written)
    KIN_REQUIRES(source->informer->lock)
{
    if (!kin__list_is_empty(&written->due)) {
        kin__list_remove(&written->due);
        source->n_due--;
    }
    if (written->is_mapped) {
        kin__map_remove(&source->by_key, &written->node);
        written->is_mapped = false;
        if (!kin__list_is_empty(&written->twins)) {
            kin__written *heir = kin__list_entry(written->twins.next, kin__written, twins);
            int code = kin__map_add(&source->by_key, &heir->node, heir->key, NULL);

            kin__assert(code == 0); /* in the room that was just made */
            heir->is_mapped = code == 0;
        }
    }
    kin__list_remove(&written->twins);
    kin__map_trim(&source->by_key, KEEP);
}

static void make_due(kin__source *source, kin__written *written)
    KIN_REQUIRES(source->informer->lock)
{
    if (!kin__list_is_empty(&written->due))
        return;
    kin__list_push_back(&source->due, &written->due);
    source->n_due++;
}

void kin__source_note_stored(kin__source *source, const kin__notice *notices, size_t n)
{
    kin__mutex_assert_held(&source->informer->lock);
    if (kin__map_len(&source->by_key) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        kin__map_node *node = notices[i].type == KIN_EVENT_DELETE
                                  ? NULL
                                  : kin__map_get(&source->by_key, notices[i].key);

        if (!node)
            continue;
        kin__written *written = kin__container_of(node, kin__written, node);

        make_due(source, written);
        kin__list_for_each(&written->twins, twin)
            make_due(source, kin__list_entry(twin, kin__written, twins));
    }
}

/* --- by version --- */

/* The lane with this name, made if need be. NULL: no memory, or the lane is for another arrangement and will be abandoned. */
static kin__lane *obtain_lane(kin__source *source, kin_str name, uint64_t arranged)
{
    kin__map_node *node = kin__map_get(&source->lanes, name);
    kin__lane *lane = node ? kin__container_of(node, kin__lane, node) : NULL;

    if (lane)
        return lane->arranged == arranged ? lane : NULL;
    lane = kin__malloc(sizeof(*lane) + name.len);
    if (!lane)
        return NULL;
    kin__timers_init(&lane->waiting);
    lane->arranged = arranged;
    lane->name_len = name.len;
    memcpy(lane->name, name.data, name.len);
    if (kin__map_add(&source->lanes, &lane->node, name_of(lane), NULL) < 0) {
        kin__free(lane);
        return NULL;
    }
    return lane;
}

/* False: the version is too large, the informer has no lane for it now, or memory is short. */
static bool enter_lane(kin__source *source, kin__written *written)
    KIN_REQUIRES(source->informer->lock)
{
    bool is_known = written->key.len > 0;
    int64_t version;
    kin_str name;

    if (kin__str_to_i64(&version, written->version) < 0 ||
        !kin__informer_lane_locked(source->informer, is_known ? &written->namespace_ : NULL, &name))
        return false;
    written->lane = obtain_lane(source, name, source->informer->n_arranged);
    if (!written->lane || kin__timers_set(&written->lane->waiting, &written->turn, version) < 0) {
        written->lane = NULL;
        return false;
    }
    return true;
}

/* --- writes --- */

static kin_str append(char **end, kin_str text)
{
    kin_str copy = kin_str_make(*end, text.len);

    if (text.len > 0)
        memcpy(*end, text.data, text.len);
    *end += text.len;
    return copy;
}

kin__written *kin__written_new(kin__source *source, kin_str version, kin_str key,
                               kin_str namespace_)
{
    kin__written *written = kin__malloc(sizeof(*written) + version.len + key.len + namespace_.len);
    char *end;

    if (!written)
        return NULL;
    memset(written, 0, sizeof(*written));
    kin__list_init(&written->link);
    kin__list_init(&written->place);
    kin__list_init(&written->twins);
    kin__list_init(&written->due);
    kin__timer_init(&written->turn);
    written->source = source;
    end = written->text;
    written->version = append(&end, version);
    written->key = append(&end, key);
    written->namespace_ = append(&end, namespace_);
    return written;
}

void kin__written_place_locked(kin_reconciler *reconciler, kin__written *written)
{
    kin__source *source = written->source;
    bool is_placed;

    kin__mutex_assert_held(&reconciler->lock);
    kin__mutex_lock(&source->informer->lock);
    is_placed = add_key(source, written) && enter_lane(source, written);
    kin__mutex_unlock(&source->informer->lock);
    if (!is_placed)
        kin__list_push_back(&source->strays, &written->place);
}

void kin__written_unplace_locked(kin_reconciler *reconciler, kin__written *written)
{
    kin__source *source = written->source;

    kin__mutex_assert_held(&reconciler->lock);
    kin__mutex_lock(&source->informer->lock);
    remove_key(source, written);
    kin__mutex_unlock(&source->informer->lock);
    if (written->lane)
        kin__timers_cancel(&written->lane->waiting, &written->turn);
    written->lane = NULL;
    kin__list_remove(&written->place);
}

/* Whether the store has the object in this version or a later one: before all others were seen. */
static bool is_stored(const kin__written *written)
{
    return written->key.len > 0 &&
           kin__store_compare_version(kin_informer_store(written->source->informer), written->key,
                                      written->version) == KIN__STORE_HAS;
}

/*
 * Of an object only what is seen of its namespace counts: a deletion leaves nothing in the store, and
 * other namespaces may not get to see its version for long. An informer that has stopped, does not look
 * there, or whose versions mean nothing, is not waited for.
 */
bool kin__written_is_seen_locked(kin_reconciler *reconciler, const kin__written *written)
{
    bool is_known = written->key.len > 0;

    reconciler->n_checks++;
    return kin__informer_has_version(written->source->informer, written->version,
                                     is_known ? &written->namespace_ : NULL) != 0 ||
           is_stored(written);
}

/* --- a turn of the keeper --- */

static bool take_if_seen(kin_reconciler *reconciler, kin__written *written, kin__list *ret)
    KIN_REQUIRES(reconciler->lock)
{
    if (!kin__written_is_seen_locked(reconciler, written))
        return false;
    kin__written_unplace_locked(reconciler, written);
    kin__list_push_back(ret, &written->place);
    return true;
}

/* The informer watches other namespaces now. */
static void abandon_lane(kin__source *source, kin__lane *lane)
{
    kin__timer *timer;

    while ((timer = kin__timers_pop(&lane->waiting, INT64_MAX))) {
        kin__written *written = kin__container_of(timer, kin__written, turn);

        written->lane = NULL;
        kin__list_push_back(&source->strays, &written->place);
    }
    free_lane(source, lane);
}

static void check_lane(kin_reconciler *reconciler, kin__lane *lane, int64_t reach, kin__list *ret)
    KIN_REQUIRES(reconciler->lock)
{
    kin__list reached;
    kin__timer *timer;

    kin__list_init(&reached);
    while ((timer = kin__timers_pop(&lane->waiting, reach)))
        kin__list_push_back(&reached, &kin__container_of(timer, kin__written, turn)->place);
    kin__list_for_each(&reached, node) {
        kin__written *written = kin__list_entry(node, kin__written, place);

        if (take_if_seen(reconciler, written, ret))
            continue;
        /* Back to its place: the heap has room. */
        kin__list_remove(&written->place);
        kin__timers_set(&lane->waiting, &written->turn, written->turn.deadline);
    }
    kin__timers_trim(&lane->waiting, KEEP);
}

static void check_lanes(kin_reconciler *reconciler, kin__source *source, kin__list *ret)
    KIN_REQUIRES(reconciler->lock)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&source->lanes, &iter))) {
        kin__lane *lane = kin__container_of(node, kin__lane, node);
        uint64_t arranged;
        int64_t reach;

        if (lane->waiting.len == 0) {
            free_lane(source, lane);
            continue;
        }
        reach = kin__informer_reach(source->informer, name_of(lane), &arranged);
        if (arranged != lane->arranged)
            abandon_lane(source, lane);
        else
            check_lane(reconciler, lane, reach, ret);
    }
}

/* As many as there are now: those that come meanwhile wake the keeper again. */
static size_t count_due(kin__source *source)
{
    size_t n;

    kin__mutex_lock(&source->informer->lock);
    n = source->n_due;
    kin__mutex_unlock(&source->informer->lock);
    return n;
}

static kin__written *pop_due(kin__source *source)
{
    kin__list *node;

    kin__mutex_lock(&source->informer->lock);
    node = kin__list_pop_front(&source->due);
    if (node)
        source->n_due--;
    kin__mutex_unlock(&source->informer->lock);
    return node ? kin__list_entry(node, kin__written, due) : NULL;
}

void kin__reconciler_find_seen_locked(kin_reconciler *reconciler, kin__list *ret)
{
    kin__list_for_each(&reconciler->sources, link) {
        kin__source *source = kin__list_entry(link, kin__source, link);
        kin__written *written;

        check_lanes(reconciler, source, ret);
        kin__list_for_each(&source->strays, stray)
            take_if_seen(reconciler, kin__list_entry(stray, kin__written, place), ret);
        for (size_t n = count_due(source); n > 0 && (written = pop_due(source)); n--)
            take_if_seen(reconciler, written, ret);
    }
}
