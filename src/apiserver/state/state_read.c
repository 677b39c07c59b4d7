/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading. A list holds the lock for some hundred keys at a time, and pins its version meanwhile:
 * what it sees is one version, and neither writers nor other readers wait long for it. `match` is
 * asked in between, with no lock held.
 */
#include "apiserver/state/state_inside.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

enum {
    CHUNK = 256,    /* objects for each hold of the lock */
    VISITED = 2048, /* keys that are looked at for them: some may not be there at the version */
};

struct listing {
    kin__state *state;
    kin__collection *collection;
    const kin__state_query *query;
    kin__pin pin;
    uint64_t rewinds; /* of the state when it began */
    kin__buf after;   /* the last key that was looked at; empty: none was */
    kin_object_list found;
    size_t cap;
    const kin_object *chunk[CHUNK]; /* a reference to each */
    size_t n_chunk;
    bool at_end;
    bool more;
    size_t remaining;
};

int kin__state_get(kin__state *state, kin__collection *collection, kin_str key,
                   const kin_object **ret, kin_error *err)
{
    kin__sorted_node *node;
    const kin_object *object = NULL;

    kin__mutex_lock(&state->lock);
    node = kin__sorted_get(&collection->entries, key);
    if (node)
        object = kin_object_ref(kin__entry_at(kin__entry_of(node), state->published));
    kin__mutex_unlock(&state->lock);
    if (!object)
        return kin__error_no_key(err, key);
    *ret = object;
    return 0;
}

const kin_object *kin__state_newest(kin__state *state, kin__collection *collection, kin_str key)
{
    kin__sorted_node *node;
    const kin_object *object = NULL;

    kin__mutex_lock(&state->lock);
    node = kin__sorted_get(&collection->entries, key);
    if (node)
        object = kin_object_ref(kin__entry_at(kin__entry_of(node), UINT64_MAX));
    kin__mutex_unlock(&state->lock);
    return object;
}

static bool is_full(const struct listing *l)
{
    return l->query->limit > 0 && l->found.len == l->query->limit;
}

static int begin_locked(struct listing *l, kin_error *err) KIN_REQUIRES(l->state->lock)
{
    uint64_t version = l->query->version ? l->query->version : l->state->published;

    if (version > l->state->published)
        return kin_error_set(err, KIN_ERANGE, "version %llu is not there yet, the newest is %llu",
                             (unsigned long long)version, (unsigned long long)l->state->published);
    if (version < l->collection->compacted)
        return kin_error_set(err, KIN_EEXPIRED, "version %llu was compacted, %llu is the oldest",
                             (unsigned long long)version,
                             (unsigned long long)l->collection->compacted);
    l->rewinds = l->state->rewinds;
    l->pin.version = version;
    kin__list_push_back(&l->collection->pins, &l->pin.link);
    return 0;
}

/* Where to go on. */
static kin__sorted_pos place_locked(const struct listing *l) KIN_REQUIRES(l->state->lock)
{
    kin_str after = l->after.len > 0 ? kin__buf_str(&l->after) : l->query->after;

    if (after.len == 0 || kin__str_compare(after, l->query->prefix) < 0)
        return kin__sorted_at(&l->collection->entries, l->query->prefix);
    return kin__sorted_behind(&l->collection->entries, after);
}

/* The next key's entry; NULL: there are no more that begin with the prefix. */
static const kin__entry *next_locked(const struct listing *l, kin__sorted_pos *pos)
    KIN_REQUIRES(l->state->lock)
{
    kin__sorted_node *node = kin__sorted_next(&l->collection->entries, pos);

    return node && kin__str_starts_with(node->key, l->query->prefix) ? kin__entry_of(node) : NULL;
}

static int collect_locked(struct listing *l) KIN_REQUIRES(l->state->lock)
{
    kin__sorted_pos pos = place_locked(l);
    kin_str last = kin_str_of("");
    size_t max = CHUNK;

    if (l->query->limit > 0 && !l->query->match && l->query->limit - l->found.len < max)
        max = l->query->limit - l->found.len;
    for (size_t visited = 0; l->n_chunk < max && visited < VISITED; visited++) {
        const kin__entry *entry = next_locked(l, &pos);
        const kin_object *object;

        if (!entry) {
            l->at_end = true;
            return 0;
        }
        last = entry->node.key;
        object = kin__entry_at(entry, l->pin.version);
        if (object)
            l->chunk[l->n_chunk++] = kin_object_ref(object);
    }
    kin__buf_reset(&l->after);
    kin__buf_append(&l->after, last);
    return l->after.failed;
}

/* The list is full: is there more? */
static void look_ahead_locked(struct listing *l) KIN_REQUIRES(l->state->lock)
{
    kin__sorted_pos pos = place_locked(l);
    const kin__entry *entry;

    if (l->collection->newest <= l->pin.version) {
        size_t n =
            kin__sorted_count(&l->collection->entries, pos,
                              kin__sorted_behind_prefix(&l->collection->entries, l->query->prefix));

        l->more = n > 0;
        l->remaining = l->query->match ? 0 : n;
        return;
    }
    while (!l->more && (entry = next_locked(l, &pos)))
        l->more = kin__entry_at(entry, l->pin.version) != NULL;
}

static int keep(struct listing *l, const kin_object *object)
{
    const kin_object **items =
        kin__grow_array(l->found.items, &l->cap, l->found.len + 1, sizeof(*items));

    if (!items)
        return KIN_ENOMEM;
    l->found.items = items;
    l->found.items[l->found.len++] = object;
    return 0;
}

/* Ask for each of the chunk, and keep or release it. */
static int sift(struct listing *l)
{
    int code = 0;

    for (size_t i = 0; i < l->n_chunk; i++) {
        const kin_object *object = l->chunk[i];

        if (code == 0 && is_full(l)) {
            l->more = true; /* a key follows, whatever match would say to it */
        } else if (code == 0 &&
                   (!l->query->match || l->query->match(object, l->query->match_arg))) {
            code = keep(l, object);
            if (code == 0)
                continue;
        }
        kin_object_unref(object);
    }
    l->n_chunk = 0;
    return code;
}

static int list_all(struct listing *l, kin_error *err)
{
    int code = 0;

    while (code == 0 && !l->at_end && !l->more) {
        bool was_full = is_full(l);

        kin__mutex_lock(&l->state->lock);
        if (l->state->rewinds != l->rewinds)
            code = KIN_EEXPIRED;
        else if (was_full)
            look_ahead_locked(l);
        else
            code = collect_locked(l);
        kin__mutex_unlock(&l->state->lock);
        if (sift(l) < 0)
            code = KIN_ENOMEM;
        if (was_full)
            break;
    }
    if (code == KIN_EEXPIRED)
        return kin_error_set(err, code, "the version has gone, the server went back in time");
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin__state_list(kin__state *state, kin__collection *collection, const kin__state_query *query,
                    kin__state_page *ret, kin_error *err)
{
    struct listing l = {.state = state, .collection = collection, .query = query};
    kin__garbage garbage;
    int code;

    kin__buf_init(&l.after, SIZE_MAX - 1);
    kin__mutex_lock(&l.state->lock);
    code = begin_locked(&l, err);
    kin__mutex_unlock(&l.state->lock);
    if (code < 0)
        return code;
    code = list_all(&l, err);

    kin__garbage_init(&garbage);
    kin__mutex_lock(&state->lock);
    kin__list_remove(&l.pin.link);
    kin__window_trim_locked(state, collection, &garbage);
    kin__mutex_unlock(&state->lock);
    kin__garbage_free(&garbage);
    kin__buf_done(&l.after);
    if (code < 0) {
        kin_object_list_done(&l.found);
        return code;
    }
    *ret = (kin__state_page){l.found, l.pin.version, l.more, l.remaining};
    return 0;
}
