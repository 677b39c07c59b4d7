/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary heap of entries, and a map that finds them by key. Each entry knows its place, so that
 * moving one and taking one out of the middle are O(log n) without a search. Places count from 1:
 * the parent of i is i / 2, and 0 means "not in the heap".
 *
 * An entry's key is in its object's bytes: when another state takes the place of the object, the
 * node is pointed at the same key in the new one, and nothing is allocated.
 *
 * Entries that are equal for the user are ordered by when their keys came in. So there are never
 * two of which neither goes first, and one question to the user decides.
 *
 * Key functions run before the lock is taken, and objects are given back after it was released: both
 * are the user's code. The less function cannot: it runs under the lock.
 */
#include "kinform/heap.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "cache/collect.h"
#include "cache/input.h"

struct entry {
    kin__map_node node; /* the key's bytes are the object's */
    const kin_object *object;
    uint64_t order; /* came in later: larger */
    size_t place;   /* from 1; 0 while it is put in */
};

struct kin_heap {
    kin__fork_guard guard;
    char *name;
    kin_logger *logger;
    kin_clock *clock;
    kin_key_fn *key;
    void *key_arg;
    kin_less_fn *less;
    void *less_arg;

    kin__mutex lock;       /* rank HEAP */
    kin__cond changed;     /* there are more objects, or it was closed */
    kin__map map;          /* (lock) all entries; its seed is const */
    struct entry **places; /* (lock) as many as the map has entries */
    size_t len;            /* (lock) */
    size_t cap;            /* (lock) */
    uint64_t order;        /* (lock) of the next key that comes in */
    bool closed;           /* (lock) */
};

/* An object on its way in. */
struct incoming {
    const kin_object *object; /* BORROWED from the caller */
    kin_str key;
    uint32_t hash;
    struct entry *entry;
    const kin_object *old; /* whose place it took, to be given back */
};

static struct entry *entry_of(kin__map_node *node)
{
    return node ? kin__container_of(node, struct entry, node) : NULL;
}

/* --- life --- */

static int init(kin_heap *heap, const kin_heap_options *options, kin_error *err)
{
    int code = kin__fork_guard_init(&heap->guard, err);

    if (code < 0)
        return code;
    heap->name = kin__memdup_str(kin_str_of(options->name ? options->name : "heap"));
    if (!heap->name)
        return kin__error_no_memory(err);
    heap->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    heap->clock = options->clock ? kin_clock_ref(options->clock) : kin_clock_system();
    heap->key = options->key;
    heap->key_arg = options->key_arg;
    heap->less = options->less;
    heap->less_arg = options->less_arg;
    kin__mutex_init(&heap->lock, KIN__RANK_HEAP);
    kin__cond_init(&heap->changed);
    kin__map_init(&heap->map, kin__hash_seed());
    return 0;
}

int kin_heap_new(kin_heap **ret, const kin_heap_options *options, kin_error *err)
{
    kin_heap_options all = KIN_HEAP_OPTIONS_INIT;
    kin_heap *heap;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_HEAP_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    if (!all.less)
        return kin_error_set(err, KIN_EINVAL, "a heap needs a less function");
    heap = kin__calloc(1, sizeof(*heap));
    if (!heap)
        return kin__error_no_memory(err);
    code = init(heap, &all, err);
    if (code < 0) {
        kin__free(heap);
        return code;
    }
    *ret = heap;
    return 0;
}

void kin_heap_free(kin_heap *heap)
{
    if (!heap)
        return;
    for (size_t i = 0; i < heap->len; i++) {
        kin_object_unref(heap->places[i]->object);
        kin__free(heap->places[i]);
    }
    kin__free(heap->places);
    kin__map_done(&heap->map);
    if (kin__fork_guard_check(&heap->guard, NULL) == 0) {
        kin__cond_done(&heap->changed);
        kin__mutex_done(&heap->lock);
    }
    kin_clock_unref(heap->clock);
    kin_logger_unref(heap->logger);
    kin__free(heap->name);
    kin__free(heap);
}

/* Before anything else: 0, KIN_EINVAL (NULL), KIN_EFORKED. */
static int check_heap(const kin_heap *heap, kin_error *err)
{
    return heap ? kin__fork_guard_check(&heap->guard, err) : kin__error_null(err, "heap");
}

/* --- order --- */

static bool before(const kin_heap *heap, const struct entry *a, const struct entry *b)
{
    if (a->order < b->order)
        return !heap->less(b->object, a->object, heap->less_arg);
    return heap->less(a->object, b->object, heap->less_arg);
}

static void place_entry(kin_heap *heap, struct entry *entry, size_t place)
{
    heap->places[place - 1] = entry;
    entry->place = place;
}

/* Move an entry from `place` to where it belongs between there and the root or the leaves. */
static void sift_locked(kin_heap *heap, struct entry *entry, size_t place) KIN_REQUIRES(heap->lock)
{
    while (place > 1 && before(heap, entry, heap->places[place / 2 - 1])) {
        place_entry(heap, heap->places[place / 2 - 1], place);
        place /= 2;
    }
    for (;;) {
        size_t child = place * 2;

        if (child > heap->len)
            break;
        if (child < heap->len && before(heap, heap->places[child], heap->places[child - 1]))
            child++;
        if (!before(heap, heap->places[child - 1], entry))
            break;
        place_entry(heap, heap->places[child - 1], place);
        place = child;
    }
    place_entry(heap, entry, place);
}

/* Take an entry out. The object's reference is the caller's. */
static const kin_object *remove_locked(kin_heap *heap, struct entry *entry) KIN_REQUIRES(heap->lock)
{
    const kin_object *object = entry->object;
    struct entry *last = heap->places[--heap->len];

    if (last != entry)
        sift_locked(heap, last, entry->place);
    kin__map_remove(&heap->map, &entry->node);
    kin__free(entry);
    return object;
}

/* --- putting in --- */

static int prepare(const kin_heap *heap, struct incoming *ret, const kin_object *object,
                   kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = kin__input_key(heap->key, heap->key_arg, object, &key, err);

    if (code == 0)
        *ret = (struct incoming){object, key, kin__map_hash(&heap->map, key), NULL, NULL};
    return code;
}

/* An entry for a key that may be new. 0 or KIN_ENOMEM. */
static int find_or_make_locked(kin_heap *heap, struct incoming *in) KIN_REQUIRES(heap->lock)
{
    in->entry = entry_of(kin__map_get_hashed(&heap->map, in->key, in->hash));
    if (in->entry)
        return 0;
    in->entry = kin__calloc(1, sizeof(*in->entry));
    if (!in->entry || kin__map_add_hashed(&heap->map, &in->entry->node, in->key, in->hash, NULL)) {
        kin__free(in->entry);
        in->entry = NULL;
        return KIN_ENOMEM;
    }
    return 0;
}

/* Give up the entries that were made. Of several with the same new key, the first has made it. */
static void unmake_locked(kin_heap *heap, const struct incoming *in, size_t n)
    KIN_REQUIRES(heap->lock)
{
    for (size_t i = 0; i < n; i++) {
        struct entry *entry = entry_of(kin__map_get_hashed(&heap->map, in[i].key, in[i].hash));

        if (!entry || entry->place)
            continue;
        kin__map_remove(&heap->map, &entry->node);
        kin__free(entry);
    }
}

/* Entries and places for all. 0 or KIN_ENOMEM, and then all is as it was. */
static int reserve_locked(kin_heap *heap, struct incoming *in, size_t n) KIN_REQUIRES(heap->lock)
{
    struct entry **places;
    size_t made = 0;

    while (made < n && find_or_make_locked(heap, &in[made]) == 0)
        made++;
    if (made == n && kin__map_len(&heap->map) > heap->cap) {
        places = kin__grow_array(heap->places, &heap->cap, kin__map_len(&heap->map),
                                 sizeof(struct entry *));
        if (places)
            heap->places = places;
    }
    if (made == n && kin__map_len(&heap->map) <= heap->cap)
        return 0;
    unmake_locked(heap, in, made);
    return KIN_ENOMEM;
}

static void enter_locked(kin_heap *heap, struct incoming *in) KIN_REQUIRES(heap->lock)
{
    struct entry *entry = in->entry;

    in->old = entry->object;
    entry->object = kin_object_ref(in->object);
    entry->node.key = in->key.data;
    if (!entry->place) {
        entry->order = heap->order++;
        entry->place = ++heap->len;
    }
    sift_locked(heap, entry, entry->place);
}

static int enter_all_locked(kin_heap *heap, struct incoming *in, size_t n, kin_error *err)
    KIN_REQUIRES(heap->lock)
{
    size_t len = heap->len;

    if (heap->closed)
        return kin_error_set(err, KIN_ECLOSED, "the heap %s is closed", heap->name);
    if (reserve_locked(heap, in, n) < 0)
        return kin__error_no_memory(err);
    for (size_t i = 0; i < n; i++)
        enter_locked(heap, &in[i]);
    /* Whoever waits for one does not need to know of more. */
    if (heap->len == len + 1)
        kin__cond_signal(&heap->changed);
    else if (heap->len > len)
        kin__cond_broadcast(&heap->changed);
    return 0;
}

static int add(kin_heap *heap, const kin_object *object, bool if_not_present, kin_error *err)
{
    struct incoming in = {NULL, {NULL, 0}, 0, NULL, NULL};
    int code = check_heap(heap, err);

    if (code == 0)
        code = prepare(heap, &in, object, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&heap->lock);
    if (!if_not_present || heap->closed || !kin__map_get_hashed(&heap->map, in.key, in.hash))
        code = enter_all_locked(heap, &in, 1, err);
    kin__mutex_unlock(&heap->lock);
    kin_object_unref(in.old);
    return code;
}

int kin_heap_add(kin_heap *heap, const kin_object *object, kin_error *err)
{
    return add(heap, object, false, err);
}

int kin_heap_update(kin_heap *heap, const kin_object *object, kin_error *err)
{
    return add(heap, object, false, err);
}

int kin_heap_add_if_not_present(kin_heap *heap, const kin_object *object, kin_error *err)
{
    return add(heap, object, true, err);
}

static int add_all(kin_heap *heap, struct incoming *in, const kin_object *const *objects, size_t n,
                   kin_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int code = prepare(heap, &in[i], objects[i], err);

        if (code < 0)
            return code;
    }
    kin__mutex_lock(&heap->lock);
    int code = enter_all_locked(heap, in, n, err);
    kin__mutex_unlock(&heap->lock);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(in[i].old);
    return code;
}

int kin_heap_bulk_add(kin_heap *heap, const kin_object *const *objects, size_t n, kin_error *err)
{
    struct incoming *in;
    int code = check_heap(heap, err);

    if (code == 0 && n && !objects)
        code = kin__error_null(err, "objects");
    if (code < 0)
        return code;
    in = kin__calloc(n, sizeof(*in));
    if (!in)
        return kin__error_no_memory(err);
    code = add_all(heap, in, objects, n, err);
    kin__free(in);
    return code;
}

/* --- taking out --- */

static int not_found(kin_str key, kin_error *err)
{
    return kin__error_no_key(err, key);
}

int kin_heap_delete_key(kin_heap *heap, kin_str key, kin_error *err)
{
    const kin_object *object = NULL;
    struct entry *entry;
    int code = check_heap(heap, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&heap->lock);
    entry = entry_of(kin__map_get(&heap->map, key));
    if (entry)
        object = remove_locked(heap, entry);
    kin__mutex_unlock(&heap->lock);
    if (!object)
        return not_found(key, err);
    kin_object_unref(object);
    return 0;
}

int kin_heap_delete(kin_heap *heap, const kin_object *object, kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = check_heap(heap, err);

    if (code == 0)
        code = kin__input_key(heap->key, heap->key_arg, object, &key, err);
    return code < 0 ? code : kin_heap_delete_key(heap, key, err);
}

/* 0 when there is something. A thread that was woken for an object takes it, even if it is late. */
static int wait_locked(kin_heap *heap, int64_t deadline, kin_error *err) KIN_REQUIRES(heap->lock)
{
    bool in_time = true;

    while (heap->len == 0) {
        if (heap->closed)
            return kin_error_set(err, KIN_ECLOSED, "the heap %s is closed", heap->name);
        if (!in_time)
            return kin_error_set(err, KIN_ETIMEOUT, "nothing came into the heap %s", heap->name);
        in_time = kin__cond_wait_until(&heap->changed, &heap->lock, heap->clock, deadline);
    }
    return 0;
}

int kin_heap_pop(kin_heap *heap, const kin_object **ret, int64_t timeout_ms, kin_error *err)
{
    int64_t deadline;
    int code = check_heap(heap, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    deadline = kin__clock_deadline_ms(heap->clock, timeout_ms);
    kin__mutex_lock(&heap->lock);
    code = wait_locked(heap, deadline, err);
    if (code == 0)
        *ret = remove_locked(heap, heap->places[0]);
    kin__mutex_unlock(&heap->lock);
    return code;
}

void kin_heap_close(kin_heap *heap)
{
    bool was_closed;
    size_t len;

    if (check_heap(heap, NULL) < 0)
        return;
    kin__mutex_lock(&heap->lock);
    was_closed = heap->closed;
    len = heap->len;
    heap->closed = true;
    kin__cond_broadcast(&heap->changed);
    kin__mutex_unlock(&heap->lock);
    if (!was_closed)
        kin__log(heap->logger, KIN_LOG_DEBUG, "heap", "closed", KIN__LOG_S("heap", heap->name),
                 KIN__LOG_U("left", len));
}

/* --- looking --- */

bool kin_heap_is_closed(kin_heap *heap)
{
    bool closed;

    if (check_heap(heap, NULL) < 0)
        return true;
    kin__mutex_lock(&heap->lock);
    closed = heap->closed;
    kin__mutex_unlock(&heap->lock);
    return closed;
}

size_t kin_heap_len(kin_heap *heap)
{
    size_t len;

    if (check_heap(heap, NULL) < 0)
        return 0;
    kin__mutex_lock(&heap->lock);
    len = heap->len;
    kin__mutex_unlock(&heap->lock);
    return len;
}

int kin_heap_get_by_key(kin_heap *heap, const kin_object **ret, kin_str key, kin_error *err)
{
    struct entry *entry;
    int code = check_heap(heap, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&heap->lock);
    entry = entry_of(kin__map_get(&heap->map, key));
    if (entry && ret)
        *ret = kin_object_ref(entry->object);
    kin__mutex_unlock(&heap->lock);
    return entry ? 0 : not_found(key, err);
}

int kin_heap_get(kin_heap *heap, const kin_object **ret, const kin_object *object, kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = check_heap(heap, err);

    if (code == 0)
        code = kin__input_key(heap->key, heap->key_arg, object, &key, err);
    return code < 0 ? code : kin_heap_get_by_key(heap, ret, key, err);
}

int kin_heap_list(kin_heap *heap, kin_object_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = check_heap(heap, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&heap->lock);
    code = kin__collector_reserve_objects(&to, heap->len);
    for (size_t i = 0; i < heap->len && code == 0; i++)
        code = kin__collect_object(&to, heap->places[i]->object);
    kin__mutex_unlock(&heap->lock);
    if (code < 0)
        kin__error_no_memory(err);
    return kin__collector_give_objects(&to, code, ret);
}

int kin_heap_list_keys(kin_heap *heap, kin_string_list *ret, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = check_heap(heap, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&heap->lock);
    for (size_t i = 0; i < heap->len && code == 0; i++) {
        const kin__map_node *node = &heap->places[i]->node;

        code = kin__collect_string(&to, kin_str_make(node->key, node->key_len));
    }
    kin__mutex_unlock(&heap->lock);
    if (code < 0)
        kin__error_no_memory(err);
    return kin__collector_give_strings(&to, code, false, ret, err);
}
