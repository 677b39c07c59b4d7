/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/applier.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/input.h"
#include "kinform/value.h"
#include "object/document.h"

void kin__applier_init(kin__applier *applier, kin_store *store, kin_key_fn *key, void *key_arg)
{
    *applier = (kin__applier){.store = store, .key = key, .key_arg = key_arg};
    kin__error_begin(&applier->failed);
}

enum {
    KEEP = 4096,       /* writes that an applier keeps room for */
    RECORD_COST = 128, /* bytes that a store needs for each object, with indexes; docs/cache.md */
};

int64_t kin__applier_cost(const kin_object *object)
{
    const kin__document *document = kin__document_of(object);

    return RECORD_COST + (document ? (int64_t)kin__document_size(document) : 0);
}

static void free_room(kin__applier *applier)
{
    kin__free(applier->known);
    kin__free(applier->writes);
    kin__free(applier->notices);
    applier->known = NULL;
    applier->writes = NULL;
    applier->notices = NULL;
    applier->cap = 0;
}

void kin__applier_clear(kin__applier *applier)
{
    for (size_t i = 0; i < applier->n_writes; i++)
        kin_object_unref(applier->known[i]);
    applier->n_writes = 0;
    applier->n_notices = 0;
    applier->n_sync = 0;
    /* Room for an unusually long batch is not kept. */
    if (applier->cap > KEEP)
        free_room(applier);
}

void kin__applier_done(kin__applier *applier)
{
    kin__applier_clear(applier);
    free_room(applier);
}

/* --- writes --- */

static int reserve(kin__applier *applier, size_t n)
{
    size_t cap = applier->cap ? applier->cap : 64;
    kin_write *writes;
    kin__notice *notices;
    const kin_object **known;

    if (n <= applier->cap)
        return 0;
    while (cap < n)
        cap *= 2;
    writes = kin__realloc_array(applier->writes, cap, sizeof(*writes));
    if (!writes)
        return KIN_ENOMEM;
    applier->writes = writes;
    notices = kin__realloc_array(applier->notices, cap, sizeof(*notices));
    if (!notices)
        return KIN_ENOMEM;
    applier->notices = notices;
    known = kin__realloc_array(applier->known, cap, sizeof(*known));
    if (!known)
        return KIN_ENOMEM;
    applier->known = known;
    applier->cap = cap;
    return 0;
}

static size_t count(const kin_deltas *deltas, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += deltas[i].len;
    return sum;
}

static bool is_deletion(const kin_delta *delta)
{
    return delta->type == KIN_DELTA_DELETED;
}

/* What the store has under the key of some deltas, for the first of them. */
static int stage(kin__applier *applier, const kin_deltas *deltas, kin_error *err)
{
    for (size_t i = 0; i < deltas->len; i++) {
        const kin_delta *delta = &deltas->items[i];
        size_t at = applier->n_writes;
        int code = 0;

        kin__assert(delta->type <= KIN_DELTA_SYNC);
        applier->known[at] = NULL;
        if (i == 0)
            code = kin_store_get(applier->store, &applier->known[at], deltas->key, err);
        if (code < 0 && code != KIN_ENOTFOUND)
            return code;
        applier->writes[at] =
            (kin_write){is_deletion(delta) ? KIN_WRITE_DELETE : KIN_WRITE_PUT, delta->object, 0};
        applier->n_writes++;
    }
    return 0;
}

/* --- notices --- */

/*
 * client-go's rule: the same resource version is the same state. Objects without versions say nothing about that: only
 * a resync brings them unchanged for certain.
 */
static bool is_sync(const kin_object *before, const kin_object *now, kin_delta_type type)
{
    kin_str version = kin_object_resource_version(now);

    if (KIN_DEFECT(resync_is_change))
        return false;
    if (type == KIN_DELTA_REPLACED && KIN_DEFECT(relist_is_resync))
        return true;
    return kin_str_equal(version, kin_object_resource_version(before)) &&
           (version.len > 0 || type == KIN_DELTA_SYNC || KIN_DEFECT(unversioned_is_resync));
}

static bool is_same(const kin_object *before, const kin_object *now)
{
    return before == now || kin_value_equal(kin_object_root(before), kin_object_root(now));
}

/* The effect of a delta of this type on what was there before. */
static void note(kin__applier *applier, kin_str key, const kin_write *write, kin_delta_type type,
                 const kin_object *before, bool is_initial)
{
    kin__notice *notice = &applier->notices[applier->n_notices];

    *notice = (kin__notice){KIN_EVENT_ADD, false, false, key, write->object, NULL};
    if (before)
        applier->grown -= kin__applier_cost(before);
    if (write->type != KIN_WRITE_DELETE)
        applier->grown += kin__applier_cost(write->object);
    if (write->type == KIN_WRITE_DELETE) {
        if (!before)
            return;
        notice->type = KIN_EVENT_DELETE;
    } else if (before) {
        notice->type = KIN_EVENT_UPDATE;
        notice->old_object = before;
        notice->is_sync = is_sync(before, write->object, type);
        if (notice->is_sync && type == KIN_DELTA_REPLACED && applier->skips_same) {
            if (is_same(before, write->object))
                return;
            notice->is_sync = false;
        }
        applier->n_sync += notice->is_sync;
    } else {
        notice->is_initial = is_initial;
    }
    applier->n_notices++;
}

static void note_failure(kin__applier *applier, const kin_deltas *deltas, int code)
{
    if (applier->n_failed++ == 0)
        kin_error_set(&applier->failed, code, "the store does not take \"%.*s\"",
                      (int)deltas->key.len, deltas->key.data);
}

/* `at`: the first write of these deltas. */
static void note_deltas(kin__applier *applier, const kin_deltas *deltas, size_t at, bool is_initial)
{
    const kin_object *before = applier->known[at];

    for (size_t i = 0; i < deltas->len; i++) {
        const kin_write *write = &applier->writes[at + i];
        kin_str key = {NULL, 0};
        int code = write->code;

        /* That of the deltas does not live as long as the object, to which listeners will hold. */
        if (code == 0)
            code = kin__input_key(applier->key, applier->key_arg, write->object, &key, NULL);
        if (code < 0) {
            note_failure(applier, deltas, code);
            continue;
        }
        note(applier, key, write, deltas->items[i].type, before, is_initial);
        before = write->type == KIN_WRITE_DELETE ? NULL : write->object;
    }
}

/* Else only some writes were left out, and each says why. */
static bool is_of_all(int code)
{
    return code == KIN_ENOMEM || code == KIN_EBUSY || code == KIN_EFORKED;
}

int kin__applier_apply(kin__applier *applier, const kin_deltas *deltas, size_t n, bool is_initial,
                       kin_error *err)
{
    size_t at = 0;
    int code = 0;

    kin__applier_clear(applier);
    applier->grown = 0;
    applier->n_failed = 0;
    kin__error_begin(&applier->failed);
    if (reserve(applier, count(deltas, n)) < 0)
        return kin__error_no_memory(err);
    for (size_t i = 0; code == 0 && i < n; i++)
        code = stage(applier, &deltas[i], err);
    if (code == 0) {
        code = kin_store_write(applier->store, applier->writes, applier->n_writes, err);
        code = is_of_all(code) ? code : 0;
    }
    if (code < 0) {
        kin__applier_clear(applier);
        return code;
    }
    for (size_t i = 0; i < n; i++) {
        if (deltas[i].len > 0)
            note_deltas(applier, &deltas[i], at, is_initial);
        at += deltas[i].len;
    }
    return 0;
}
