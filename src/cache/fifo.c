/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFO: its life, putting in and taking out. fifo.h has the design.
 */
#include "cache/fifo.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "cache/input.h"
#include "cache/replace.h"
#include "cache/staged.h"

enum { SPARE_MAX = 1024 /* entries kept to be used again */ };

/* --- life --- */

int kin_fifo_new(kin_fifo **ret, const kin_fifo_options *options, kin_error *err)
{
    kin_fifo_options all = KIN_FIFO_OPTIONS_INIT;
    kin_fifo *fifo;
    int code;

    if (!ret)
        return kin_error_set(err, KIN_EINVAL, "ret is NULL");
    code = kin__options_take(&all, sizeof(all), options, "KIN_FIFO_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    fifo = kin__calloc(1, sizeof(*fifo));
    if (!fifo)
        return kin__error_no_memory(err);
    code = kin__slow_init(&fifo->slow, "fifo", all.name, all.logger, all.slow_ms, err);
    if (code == 0)
        code = kin__line_init(&fifo->line, all.clock, err);
    if (code < 0) {
        kin__slow_done(&fifo->slow);
        kin__free(fifo);
        return code;
    }
    fifo->key = all.key;
    fifo->key_arg = all.key_arg;
    kin__list_init(&fifo->spare);
    *ret = fifo;
    return 0;
}

static void entry_free(kin__fifo_entry *entry)
{
    kin_object_unref(entry->object);
    kin_object_unref(entry->flight);
    kin__free(entry);
}

/* Entries that are in no map, linked by their line.aside. The lock is not held. */
static void free_all(kin__list *dead)
{
    kin__list *node;

    while ((node = kin__list_pop_front(dead)))
        entry_free(kin__fifo_entry_of(kin__list_entry(node, kin__line_entry, aside)));
}

void kin_fifo_free(kin_fifo *fifo)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__list *spare;

    if (!fifo)
        return;
    while ((node = kin__map_next(&fifo->line.entries, &iter))) {
        kin__map_remove(&fifo->line.entries, node);
        entry_free(kin__fifo_entry_of(kin__line_entry_of(node)));
    }
    while ((spare = kin__list_pop_front(&fifo->spare)))
        kin__free(kin__list_entry(spare, kin__fifo_entry, line.link));
    kin__line_done(&fifo->line);
    kin__slow_done(&fifo->slow);
    kin__free(fifo);
}

/* --- entries --- */

static kin__fifo_entry *find_locked(const kin_fifo *fifo, kin_str key, uint32_t hash)
    KIN_REQUIRES(fifo->line.lock)
{
    return kin__fifo_entry_of(kin__line_find_locked(&fifo->line, key, hash));
}

/* Without objects. */
static void recycle_locked(kin_fifo *fifo, kin__fifo_entry *entry) KIN_REQUIRES(fifo->line.lock)
{
    if (fifo->n_spare < SPARE_MAX) {
        kin__list_push_front(&fifo->spare, &entry->line.link);
        fifo->n_spare++;
    } else {
        kin__free(entry);
    }
}

/* The entry of a key, made if need be: then it is in the map only. NULL: no memory. */
static kin__fifo_entry *obtain_locked(kin_fifo *fifo, kin_str key, uint32_t hash)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__fifo_entry *entry = find_locked(fifo, key, hash);
    kin__list *spare;

    if (entry)
        return entry;
    spare = kin__list_pop_front(&fifo->spare);
    entry =
        spare ? kin__list_entry(spare, kin__fifo_entry, line.link) : kin__malloc(sizeof(*entry));
    if (!entry)
        return NULL;
    fifo->n_spare -= spare != NULL;
    entry->object = NULL;
    entry->flight = NULL;
    entry->flight_key = NULL;
    entry->deleted = false;
    entry->recalled = false;
    entry->mark = 0;
    if (kin__line_add_locked(&fifo->line, &entry->line, key, hash) < 0) {
        recycle_locked(fifo, entry);
        return NULL;
    }
    return entry;
}

/* The newest object of an entry. CONSUMES it; returns the one before, to be released without the lock. */
static const kin_object *put_locked(kin_fifo *fifo, kin__fifo_entry *entry,
                                    const kin_object *object, kin_str key)
    KIN_REQUIRES(fifo->line.lock)
{
    const kin_object *before = entry->object;

    entry->object = object;
    entry->line.node.key = key.data;
    if (entry->deleted) {
        entry->deleted = false;
        fifo->n_deleted--;
    }
    kin__line_enter_locked(&fifo->line, &entry->line);
    return before;
}

/* --- putting in --- */

static int fifo_put(kin_fifo *fifo, const kin_object *object, bool if_absent, kin_error *err)
{
    const kin_object *unneeded = NULL;
    kin__fifo_entry *entry;
    uint32_t hash;
    kin_str key = {NULL, 0};
    int code = kin__fifo_check(fifo, err);

    if (code == 0)
        code = kin__input_key(fifo->key, fifo->key_arg, object, &key, err);
    if (code < 0)
        return code;
    hash = kin__map_hash(&fifo->line.entries, key);
    kin__mutex_lock(&fifo->line.lock);
    entry = obtain_locked(fifo, key, hash);
    if (entry) {
        kin__line_populate_locked(&fifo->line);
        if (!if_absent || !kin__fifo_entry_newest(entry))
            unneeded = put_locked(fifo, entry, kin_object_ref(object), key);
    }
    kin__mutex_unlock(&fifo->line.lock);
    kin_object_unref(unneeded);
    return entry ? 0 : kin__error_no_memory(err);
}

int kin_fifo_add(kin_fifo *fifo, const kin_object *object, kin_error *err)
{
    return fifo_put(fifo, object, false, err);
}

int kin_fifo_update(kin_fifo *fifo, const kin_object *object, kin_error *err)
{
    return fifo_put(fifo, object, false, err);
}

int kin_fifo_add_if_not_present(kin_fifo *fifo, const kin_object *object, kin_error *err)
{
    return fifo_put(fifo, object, true, err);
}

int kin_fifo_delete(kin_fifo *fifo, const kin_object *object, kin_error *err)
{
    kin__fifo_entry *entry;
    uint32_t hash;
    kin_str key = {NULL, 0};
    int code = kin__fifo_check(fifo, err);

    if (code == 0)
        code = kin__input_key(fifo->key, fifo->key_arg, object, &key, err);
    if (code < 0)
        return code;
    hash = kin__map_hash(&fifo->line.entries, key);
    kin__mutex_lock(&fifo->line.lock);
    kin__line_populate_locked(&fifo->line);
    entry = find_locked(fifo, key, hash);
    if (entry) {
        entry->recalled = true;
        if (entry->line.flags & KIN__LINE_WAITING && !entry->deleted) {
            entry->deleted = true;
            fifo->n_deleted++;
        }
    }
    kin__mutex_unlock(&fifo->line.lock);
    return 0;
}

int kin_fifo_resync(kin_fifo *fifo, kin_error *err)
{
    return kin__fifo_check(fifo, err);
}

/* --- replacing --- */

static int take_in(void *queue, const kin_object *object, kin__staged *ret, kin_error *err)
{
    kin_fifo *fifo = queue;
    int code = kin__input_key(fifo->key, fifo->key_arg, object, &ret->key, err);

    if (code < 0)
        return code;
    ret->object = kin_object_ref(object);
    ret->hash = kin__map_hash(&fifo->line.entries, ret->key);
    return 0;
}

/* Those that were made for nothing leave the map again. */
static void forget_locked(kin_fifo *fifo, kin__staged_list *list, size_t n)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__list dead;
    kin__list *node;

    kin__list_init(&dead);
    for (size_t i = 0; i < n; i++) {
        kin__fifo_entry *entry = list->items[i].entry;

        /* A key that is in the list twice is forgotten once. */
        if (entry->mark != fifo->mark)
            continue;
        entry->mark = 0;
        if (entry->line.flags == 0) {
            kin__line_remove_locked(&fifo->line, &entry->line);
            kin__list_push_back(&dead, &entry->line.aside);
        }
    }
    while ((node = kin__list_pop_front(&dead)))
        recycle_locked(fifo, kin__fifo_entry_of(kin__list_entry(node, kin__line_entry, aside)));
}

/* An entry for each key of the list. 0, or KIN_ENOMEM and nothing has changed. */
static int reserve_locked(kin_fifo *fifo, kin__staged_list *list, size_t *ret_n_keys)
    KIN_REQUIRES(fifo->line.lock)
{
    *ret_n_keys = 0;
    fifo->mark++;
    for (size_t i = 0; i < list->n; i++) {
        kin__fifo_entry *entry = obtain_locked(fifo, list->items[i].key, list->items[i].hash);

        if (!entry) {
            forget_locked(fifo, list, i);
            return KIN_ENOMEM;
        }
        *ret_n_keys += entry->mark != fifo->mark;
        entry->mark = fifo->mark;
        list->items[i].entry = entry;
    }
    return 0;
}

/* One place in line is given up. What is not of the list and not in flight goes to `dead`. */
static void drop_locked(kin_fifo *fifo, kin__fifo_entry *entry, kin__list *dead)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__line_leave_locked(&fifo->line, &entry->line);
    entry->deleted = false;
    if (entry->mark == fifo->mark || entry->line.flags & KIN__LINE_IN_FLIGHT)
        return;
    kin__line_remove_locked(&fifo->line, &entry->line);
    kin__list_push_back(dead, &entry->line.aside);
}

static void drop_all_locked(kin_fifo *fifo, kin__list *dead) KIN_REQUIRES(fifo->line.lock)
{
    kin__list *lines[] = {&fifo->line.waiting, &fifo->line.blocked};

    for (size_t i = 0; i < kin__array_len(lines); i++)
        kin__list_for_each(lines[i], node)
            drop_locked(fifo, kin__fifo_entry_of(kin__list_entry(node, kin__line_entry, link)),
                        dead);
    kin__list_for_each(&fifo->line.in_flight, node)
        kin__fifo_entry_of(kin__list_entry(node, kin__line_entry, aside))->recalled = true;
    fifo->n_deleted = 0;
}

/* All or nothing. Afterwards the list has what is to be released. */
static int replace_locked(kin_fifo *fifo, kin__staged_list *list, kin__list *dead)
    KIN_REQUIRES(fifo->line.lock)
{
    size_t n_keys;

    if (reserve_locked(fifo, list, &n_keys) < 0)
        return KIN_ENOMEM;
    if (!list->keeps)
        drop_all_locked(fifo, dead);
    kin__line_populate_list_locked(&fifo->line, n_keys);
    /* Nobody will take what is not in line any more. */
    if (!list->keeps && fifo->line.initial_waiting > n_keys)
        kin__line_skip_initial_locked(&fifo->line, fifo->line.initial_waiting - n_keys);
    for (size_t i = 0; i < list->n; i++) {
        kin__staged *staged = &list->items[i];

        staged->object = put_locked(fifo, staged->entry, staged->object, staged->key);
    }
    return 0;
}

static int commit(void *queue, kin__staged_list *list, kin_error *err)
{
    kin_fifo *fifo = queue;
    kin__list dead;
    int code;

    kin__list_init(&dead);
    kin__mutex_lock(&fifo->line.lock);
    code = replace_locked(fifo, list, &dead);
    kin__mutex_unlock(&fifo->line.lock);
    free_all(&dead);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin_fifo_replace_begin(kin_fifo *fifo, kin_replace **ret, kin_error *err)
{
    static const kin__staged_class staged_class = {take_in, commit, NULL};

    return kin__staged_replace_begin(ret, &staged_class, fifo, kin__fifo_line(fifo), err);
}

int kin_fifo_replace(kin_fifo *fifo, const kin_object *const *objects, size_t n,
                     kin_str resource_version, kin_error *err)
{
    kin_replace *begun = NULL;
    int code = kin_fifo_replace_begin(fifo, &begun, err);

    return code < 0 ? code : kin__replace_all(begun, objects, n, resource_version, err);
}

/* --- taking out --- */

/* One that was taken and has nothing: it is done with at once. */
static void skip_locked(kin_fifo *fifo, kin__fifo_entry *entry, kin__list *dead)
    KIN_REQUIRES(fifo->line.lock)
{
    kin__line_finish_locked(&fifo->line, &entry->line);
    kin__line_remove_locked(&fifo->line, &entry->line);
    kin__list_push_back(dead, &entry->line.aside);
    fifo->n_deleted--;
}

struct departure {
    kin__fifo_entry *entry;
    kin_str key;
    bool initial;
    size_t depth; /* how many wait then */
};

/* 0, or KIN_ETIMEOUT, KIN_ECLOSED and no entry. */
static int depart(kin_fifo *fifo, struct departure *d, int64_t deadline)
{
    kin__list dead;
    int code = 0;

    kin__list_init(&dead);
    kin__mutex_lock(&fifo->line.lock);
    while (!d->entry && (code = kin__line_wait_locked(&fifo->line, deadline)) == 0) {
        kin__fifo_entry *entry = kin__fifo_entry_of(kin__line_take_locked(&fifo->line));

        if (entry->deleted) {
            skip_locked(fifo, entry, &dead);
            continue;
        }
        entry->flight = entry->object;
        entry->flight_key = entry->line.node.key;
        entry->object = NULL;
        entry->recalled = false;
        d->entry = entry;
        d->key = kin_str_make(entry->flight_key, entry->line.node.key_len);
        d->initial = entry->line.flags & KIN__LINE_INITIAL;
        d->depth = fifo->line.n_waiting - fifo->n_deleted;
    }
    kin__mutex_unlock(&fifo->line.lock);
    free_all(&dead);
    return code;
}

static void land(kin_fifo *fifo, kin__fifo_entry *entry, bool requeue)
{
    const kin_object *object = NULL;
    const kin_object *flight;

    kin__mutex_lock(&fifo->line.lock);
    kin__line_finish_locked(&fifo->line, &entry->line);
    flight = entry->flight;
    entry->flight = NULL;
    if (entry->line.flags & KIN__LINE_WAITING) {
        /* A newer one is there, or was: the key's bytes are in it. */
    } else if (requeue && !entry->recalled) {
        object = put_locked(fifo, entry, flight, (kin_str){entry->flight_key, 0});
        flight = NULL;
    } else {
        object = entry->object;
        kin__line_remove_locked(&fifo->line, &entry->line);
        recycle_locked(fifo, entry);
    }
    kin__mutex_unlock(&fifo->line.lock);
    kin_object_unref(object);
    kin_object_unref(flight);
}

int kin_fifo_pop(kin_fifo *fifo, kin_process_object_fn *process, void *arg, int64_t timeout_ms,
                 kin_error *err)
{
    struct departure d = {NULL, {NULL, 0}, false, 0};
    kin_error said;
    int64_t start;
    int code;

    if (!process)
        return kin_error_set(err, KIN_EINVAL, "process is NULL");
    code = kin__fifo_check(fifo, err);
    if (code < 0)
        return code;
    code = depart(fifo, &d, kin__line_deadline(&fifo->line, timeout_ms));
    if (!d.entry)
        return kin__pop_nothing(code, err);
    kin__error_begin(&said);
    start = kin__slow_start(&fifo->slow, fifo->line.clock, d.depth);
    kin__assert_no_locks();
    code = process(d.entry->flight, d.initial, arg, &said);
    kin__slow_end(&fifo->slow, fifo->line.clock, start, d.key, 1, d.depth);
    land(fifo, d.entry, code == KIN_EREQUEUE);
    return kin__pop_result(code, &said, err);
}
