/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of an index and their postings.
 *
 * Postings are an array of places. A record keeps its place for life and leaves it to the record
 * that follows it, so an array only ever grows at its end; places that were freed are used again,
 * first freed last. Readers skip free places. An array is replaced when it is full, which moves
 * nothing: places keep their numbers. One that has become mostly free is replaced by a smaller one, in
 * which they don't, but stand in the same order; see kin__index_cursor.
 *
 * A value exists while a record has it, dead ones and ones that are only staged included. So what
 * a staged record will need is there when it is committed.
 */
#include "cache/index.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"

enum {
    FIRST_PLACES = 2,
    HALF_FROM = 16, /* places; smaller arrays double */
    SPARSE_MIN = 64,
    COMPACT_AT_ONCE = 16, /* values per call at most */
};

int kin__index_new(kin__index **ret, const kin_index *index, kin_error *err)
{
    kin__index *made;

    if (!index->name || !*index->name || !index->fn)
        return kin_error_set(err, KIN_EINVAL, "an index needs a name and a function");
    made = kin__calloc(1, sizeof(*made));
    if (!made)
        return kin__error_no_memory(err);
    made->name = kin__memdup_str(kin_str_of(index->name));
    if (!made->name) {
        kin__free(made);
        return kin__error_no_memory(err);
    }
    made->fn = index->fn;
    made->arg = index->arg;
    made->arg_free = index->arg_free;
    kin__read_map_init(&made->values, kin__hash_seed());
    kin__list_init(&made->sparse);
    made->sparse_min = SPARSE_MIN;
    *ret = made;
    return 0;
}

static kin__index_value *value_of(kin__map_node *node)
{
    return node ? kin__container_of(node, kin__index_value, node) : NULL;
}

static kin__postings *postings_of(const kin__index_value *value)
{
    return atomic_load_explicit(&value->postings, memory_order_relaxed);
}

static void value_free(kin__index_value *value)
{
    kin__free(postings_of(value));
    kin__free(value);
}

void kin__index_free(kin__index *index, bool with_arg)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    if (!index)
        return;
    while ((node = kin__read_table_next(kin__read_map_table(&index->values), &iter)))
        value_free(value_of(node));
    kin__read_map_done(&index->values);
    if (with_arg && index->arg_free)
        index->arg_free(index->arg);
    kin__free(index->name);
    kin__free(index);
}

size_t kin__indexes_find(const kin__indexes *indexes, kin_str name)
{
    size_t i = 0;

    while (i < indexes->n && !kin_str_equal(kin_str_of(indexes->items[i]->name), name))
        i++;
    return i;
}

static kin__postings *postings_new(uint32_t cap, uint32_t epoch)
{
    kin__postings *postings =
        kin__malloc(sizeof(*postings) + (size_t)cap * sizeof(postings->places[0]));

    if (!postings)
        return NULL;
    postings->cap = cap;
    postings->epoch = epoch;
    atomic_init(&postings->len, 0);
    return postings;
}

static kin__index_value *value_new(kin__index *index, kin_str text)
{
    kin__index_value *value = kin__malloc(sizeof(*value) + text.len + 1);
    kin__postings *postings = postings_new(FIRST_PLACES, 0);

    if (!value || !postings) {
        kin__free(value);
        kin__free(postings);
        return NULL;
    }
    value->index = index;
    atomic_init(&value->postings, postings);
    value->n_links = 0;
    value->n_placed = 0;
    value->free_place = 0;
    kin__list_init(&value->sparse);
    if (text.len)
        memcpy(value->text, text.data, text.len);
    value->text[text.len] = '\0';
    return value;
}

int kin__index_value_get(kin__index *index, kin_str text, uint32_t hash, kin__index_value **ret,
                         kin__garbage **garbage)
{
    kin__index_value *value =
        value_of(kin__read_table_get(kin__read_map_table(&index->values), text, hash));
    kin__read_table *old = NULL;

    if (!value) {
        value = value_new(index, text);
        if (!value || kin__read_map_reserve(&index->values, 1, &old) < 0) {
            if (value)
                value_free(value);
            return KIN_ENOMEM;
        }
        if (old)
            kin__garbage_push(garbage, &old->garbage);
        kin__read_map_add(&index->values, &value->node, kin_str_make(value->text, text.len), hash);
    }
    value->n_links++;
    *ret = value;
    return 0;
}

void kin__index_value_put(kin__index_value *value, kin__garbage **garbage)
{
    kin__assert(value->n_links > 0);
    if (--value->n_links > 0)
        return;
    kin__assert(value->n_placed == 0);
    kin__list_remove(&value->sparse);
    kin__read_map_remove(&value->index->values, &value->node);
    kin__garbage_push(garbage, &postings_of(value)->garbage);
    kin__garbage_push(garbage, &value->garbage);
}

/* By half, as the table of records: what is free in it is paid for by each record. */
static uint32_t larger(uint32_t cap)
{
    return cap < HALF_FROM ? cap * 2 : cap + cap / 2;
}

int kin__postings_reserve(kin__index_value *value, kin__garbage **garbage)
{
    kin__postings *old = postings_of(value);
    uint32_t len = atomic_load_explicit(&old->len, memory_order_relaxed);
    kin__postings *postings;

    if (value->free_place || len < old->cap)
        return 0;
    postings = old->cap > UINT32_MAX / 2 ? NULL : postings_new(larger(old->cap), old->epoch);
    if (!postings)
        return KIN_ENOMEM;
    for (uint32_t i = 0; i < len; i++)
        atomic_init(&postings->places[i],
                    atomic_load_explicit(&old->places[i], memory_order_relaxed));
    atomic_init(&postings->len, len);
    atomic_store_explicit(&value->postings, postings, memory_order_release);
    kin__garbage_push(garbage, &old->garbage);
    return 0;
}

static void store_place(kin__postings *postings, uint32_t place, uintptr_t what)
{
    atomic_store_explicit(&postings->places[place], what, memory_order_release);
}

uint32_t kin__postings_add(kin__index_value *value, kin__record *record)
{
    kin__postings *postings = postings_of(value);
    uint32_t len = atomic_load_explicit(&postings->len, memory_order_relaxed);
    uint32_t place;

    if (value->free_place) {
        place = value->free_place - 1;
        value->free_place =
            (uint32_t)(atomic_load_explicit(&postings->places[place], memory_order_relaxed) >> 1);
        store_place(postings, place, (uintptr_t)record);
    } else {
        kin__assert(len < postings->cap);
        place = len;
        store_place(postings, place, (uintptr_t)record);
        atomic_store_explicit(&postings->len, len + 1, memory_order_release);
    }
    value->n_placed++;
    return place;
}

void kin__postings_swap(kin__index_value *value, uint32_t place, kin__record *record)
{
    store_place(postings_of(value), place, (uintptr_t)record);
}

bool kin__postings_has(const kin__index_value *value, uint32_t place, const kin__record *record)
{
    return atomic_load_explicit(&postings_of(value)->places[place], memory_order_relaxed) ==
           (uintptr_t)record;
}

static bool is_sparse(const kin__index_value *value)
{
    uint32_t cap = postings_of(value)->cap;

    return cap > value->index->sparse_min && value->n_placed < cap / 8;
}

void kin__postings_remove(kin__index_value *value, uint32_t place)
{
    store_place(postings_of(value), place, (uintptr_t)value->free_place << 1 | 1);
    value->free_place = place + 1;
    value->n_placed--;
    if (is_sparse(value) && kin__list_is_empty(&value->sparse))
        kin__list_push_back(&value->index->sparse, &value->sparse);
}

static void move_all(const kin__index_value *value, kin__postings *to)
{
    const kin__postings *from = postings_of(value);
    uint32_t len = atomic_load_explicit(&from->len, memory_order_relaxed);
    uint32_t place = 0;

    for (uint32_t i = 0; i < len; i++) {
        kin__record *record = kin__postings_at(from, i);

        if (!record)
            continue;
        atomic_init(&to->places[place], (uintptr_t)record);
        atomic_store_explicit(&record->slots[kin__record_find_link(record, value)], place,
                              memory_order_relaxed);
        place++;
    }
    atomic_init(&to->len, place);
}

static void compact(kin__index_value *value, kin__garbage **garbage)
{
    kin__postings *old = postings_of(value);
    kin__postings *postings = postings_new(value->n_placed * 2 + FIRST_PLACES, old->epoch + 1);

    if (!postings)
        return;
    move_all(value, postings);
    value->free_place = 0;
    atomic_store_explicit(&value->postings, postings, memory_order_release);
    kin__garbage_push(garbage, &old->garbage);
}

void kin__index_compact(kin__index *index, kin__garbage **garbage)
{
    kin__read_table *old = NULL;

    for (unsigned i = 0; i < COMPACT_AT_ONCE && !kin__list_is_empty(&index->sparse); i++) {
        kin__index_value *value = kin__list_entry(index->sparse.next, kin__index_value, sparse);

        kin__list_remove(&value->sparse);
        if (is_sparse(value))
            compact(value, garbage);
    }
    kin__read_map_shrink(&index->values, &old);
    if (old)
        kin__garbage_push(garbage, &old->garbage);
}
