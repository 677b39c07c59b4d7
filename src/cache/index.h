/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes of a store: values, and for each the records that have it.
 *
 * All functions but those marked are the writer's, with the store's lock held. Readers hold a pin
 * and go through postings by version (cache/store_read.c).
 */
#ifndef KIN_CACHE_INDEX_H
#define KIN_CACHE_INDEX_H

#include <string.h>

#include "base/list.h"
#include "cache/read_map.h"
#include "cache/record.h"
#include "kinform/index.h"

/*
 * The places of records that have a value. A place holds a record, or an odd number: it is free, and
 * the number leads to the next free one.
 */
typedef struct kin__index_value kin__index_value;

typedef struct kin__postings {
    kin__garbage garbage; /* when it was replaced */
    uint32_t cap;         /* const */
    uint32_t epoch;       /* const; how often places have got other numbers */
    _Atomic uint32_t len; /* places that were ever used */
    _Atomic uintptr_t places[];
} kin__postings;

struct kin__index_value {
    kin__garbage garbage; /* when nobody has the value any more */
    kin__map_node node;
    struct kin__index *index; /* const */
    _Atomic(kin__postings *) postings;
    uint32_t n_links;    /* records that have it: in postings, dead, or not there yet */
    uint32_t n_placed;   /* records in postings */
    uint32_t free_place; /* the first free place, from 1; 0: none */
    kin__list sparse;    /* in the index's list of them */
    char text[];
};

typedef struct kin__index {
    char *name;
    kin_index_fn *fn;
    void *arg;
    void (*arg_free)(void *arg);
    uint64_t born; /* the first version that has the index */
    kin__read_map values;
    kin__list sparse;    /* values that have few records for many places, or had */
    uint32_t sparse_min; /* const but in tests: fewer places are not worth it */
} kin__index;

/* All indexes of a store; a new array replaces it when one is added. Const. */
typedef struct kin__indexes {
    kin__garbage garbage;
    size_t n;
    kin__index *items[];
} kin__indexes;

/* 0, KIN_EINVAL, KIN_ENOMEM. `arg` is the index's only when the caller says so: see kin__index_free(). */
int kin__index_new(kin__index **ret, const kin_index *index, kin_error *err);
/* Nobody reads any more. All its values are freed too; `with_arg` also runs arg_free. */
void kin__index_free(kin__index *index, bool with_arg);

/* Where the index of that name is, or `n`. Readers too. */
size_t kin__indexes_find(const kin__indexes *indexes, kin_str name);

/* --- the values of an object --- */

enum { KIN__VALUES_INLINE = 8 };

struct kin__value_text {
    uint32_t index; /* which of the indexes */
    uint32_t len;
    size_t offset; /* in the bytes */
    uint32_t hash;
};

/*
 * What index functions answered for one object: all values of all indexes, in their order. Small
 * answers need no memory.
 */
struct kin_index_values {
    const kin__indexes *indexes;
    uint32_t index;        /* whose function runs */
    int code;              /* that kin_index_values_add() failed with in its run */
    size_t first_of_index; /* where its values begin */
    size_t n;
    size_t cap;
    struct kin__value_text *texts; /* `few`, or OWNED */
    size_t n_bytes;
    size_t bytes_cap;
    char *bytes;                /* `few_bytes`, or OWNED */
    size_t n_errors;            /* index functions that failed */
    uint32_t first_error_index; /* the first of them */
    kin_error first_error;      /* and what it said; with a message */
    struct kin__value_text few[KIN__VALUES_INLINE];
    char few_bytes[256];
};

void kin__index_values_init(kin_index_values *values);
void kin__index_values_done(kin_index_values *values);

/*
 * Run index functions on an object, all from the `first` on, with no lock held. Those that fail are
 * counted, beside those of objects before, and the object has no values there. 0 or KIN_ENOMEM.
 */
int kin__index_values_compute(kin_index_values *values, const kin__indexes *indexes, size_t first,
                              const kin_object *object, kin_error *err);

/* The same for one index alone, whose failure is the result. */
int kin__index_values_of(kin_index_values *values, const kin__indexes *indexes, uint32_t index,
                         const kin_object *object, kin_error *err);

static inline kin_str kin__index_values_text(const kin_index_values *values, size_t i)
{
    return kin_str_make(values->bytes + values->texts[i].offset, values->texts[i].len);
}

/* --- postings --- */

/*
 * Find a value, or make it, and count one link. Blocks that readers may still have go to `garbage`.
 * 0 or KIN_ENOMEM.
 */
int kin__index_value_get(kin__index *index, kin_str text, uint32_t hash, kin__index_value **ret,
                         kin__garbage **garbage);

/* One link less; the last takes the value out, which then goes to `garbage`. */
void kin__index_value_put(kin__index_value *value, kin__garbage **garbage);

/* Make sure that there is a free place. 0 or KIN_ENOMEM. */
int kin__postings_reserve(kin__index_value *value, kin__garbage **garbage);

/* Put a record into the free place that was reserved. */
uint32_t kin__postings_add(kin__index_value *value, kin__record *record);

/* Another record in the same place. */
void kin__postings_swap(kin__index_value *value, uint32_t place, kin__record *record);

/* Whether the place still is the record's. */
bool kin__postings_has(const kin__index_value *value, uint32_t place, const kin__record *record);

/* Free a place. */
void kin__postings_remove(kin__index_value *value, uint32_t place);

/*
 * Move the records of values that have few left into smaller arrays, a few values at a time, and the
 * values into a smaller table. Only when there are no old states: readers compare places to tell
 * them apart. Without memory nothing happens.
 */
void kin__index_compact(kin__index *index, kin__garbage **garbage);

/* The record in a place, or NULL. Readers too. */
static inline kin__record *kin__postings_at(const kin__postings *postings, uint32_t place)
{
    uintptr_t at = atomic_load_explicit(&postings->places[place], memory_order_acquire);
    kin__record *record;

    if (at & 1)
        return NULL;
    memcpy(&record, &at, sizeof(record));
    return record;
}

#endif
