/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/process_deltas.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/input.h"
#include "kinform/value.h"
#include "object/document.h"

void kin__delta_batch_init(kin__delta_batch *batch, kin_store *store, kin_key_fn *key,
                           void *key_arg)
{
    *batch = (kin__delta_batch){.store = store, .key = key, .key_arg = key_arg};
    kin__error_begin(&batch->failed);
}

enum {
    KEEP = 4096,       /* writes that a batch keeps room for */
    RECORD_COST = 128, /* bytes that a store needs for each object, with indexes; docs/cache.md */
};

int64_t kin__delta_batch_cost(const kin_object *object)
{
    const kin__document *document = kin__document_of(object);

    return RECORD_COST + (document ? (int64_t)kin__document_size(document) : 0);
}

static void free_room(kin__delta_batch *batch)
{
    kin__free(batch->known);
    kin__free(batch->writes);
    kin__free(batch->notices);
    batch->known = NULL;
    batch->writes = NULL;
    batch->notices = NULL;
    batch->cap = 0;
}

void kin__delta_batch_clear(kin__delta_batch *batch)
{
    for (size_t i = 0; i < batch->n_writes; i++)
        kin_object_unref(batch->known[i]);
    batch->n_writes = 0;
    batch->n_notices = 0;
    batch->n_sync = 0;
    /* Room for an unusually long batch is not kept. */
    if (batch->cap > KEEP)
        free_room(batch);
}

void kin__delta_batch_done(kin__delta_batch *batch)
{
    kin__delta_batch_clear(batch);
    free_room(batch);
}

/* --- writes --- */

static int reserve(kin__delta_batch *batch, size_t n)
{
    size_t cap = batch->cap ? batch->cap : 64;
    kin_write *writes;
    kin__notice *notices;
    const kin_object **known;

    if (n <= batch->cap)
        return 0;
    while (cap < n)
        cap *= 2;
    writes = kin__realloc_array(batch->writes, cap, sizeof(*writes));
    if (!writes)
        return KIN_ENOMEM;
    batch->writes = writes;
    notices = kin__realloc_array(batch->notices, cap, sizeof(*notices));
    if (!notices)
        return KIN_ENOMEM;
    batch->notices = notices;
    known = kin__realloc_array(batch->known, cap, sizeof(*known));
    if (!known)
        return KIN_ENOMEM;
    batch->known = known;
    batch->cap = cap;
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
static int stage(kin__delta_batch *batch, const kin_deltas *deltas, kin_error *err)
{
    for (size_t i = 0; i < deltas->len; i++) {
        const kin_delta *delta = &deltas->items[i];
        size_t at = batch->n_writes;
        int code = 0;

        kin__assert(delta->type <= KIN_DELTA_SYNC);
        batch->known[at] = NULL;
        if (i == 0)
            code = kin_store_get(batch->store, &batch->known[at], deltas->key, err);
        if (code < 0 && code != KIN_ENOTFOUND)
            return code;
        batch->writes[at] =
            (kin_write){is_deletion(delta) ? KIN_WRITE_DELETE : KIN_WRITE_PUT, delta->object, 0};
        batch->n_writes++;
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
static void note(kin__delta_batch *batch, kin_str key, const kin_write *write, kin_delta_type type,
                 const kin_object *before, bool is_initial)
{
    kin__notice *notice = &batch->notices[batch->n_notices];

    *notice = (kin__notice){KIN_EVENT_ADD, false, false, key, write->object, NULL};
    if (before)
        batch->grown -= kin__delta_batch_cost(before);
    if (write->type != KIN_WRITE_DELETE)
        batch->grown += kin__delta_batch_cost(write->object);
    if (write->type == KIN_WRITE_DELETE) {
        if (!before)
            return;
        notice->type = KIN_EVENT_DELETE;
    } else if (before) {
        notice->type = KIN_EVENT_UPDATE;
        notice->old_object = before;
        notice->is_sync = is_sync(before, write->object, type);
        if (notice->is_sync && type == KIN_DELTA_REPLACED && batch->skips_same) {
            if (is_same(before, write->object))
                return;
            notice->is_sync = false;
        }
        batch->n_sync += notice->is_sync;
    } else {
        notice->is_initial = is_initial;
    }
    batch->n_notices++;
}

static void note_failure(kin__delta_batch *batch, const kin_deltas *deltas, int code)
{
    if (batch->n_failed++ == 0)
        kin_error_set(&batch->failed, code, "the store does not take \"%.*s\"",
                      (int)deltas->key.len, deltas->key.data);
}

/* `at`: the first write of these deltas. */
static void note_deltas(kin__delta_batch *batch, const kin_deltas *deltas, size_t at,
                        bool is_initial)
{
    const kin_object *before = batch->known[at];

    for (size_t i = 0; i < deltas->len; i++) {
        const kin_write *write = &batch->writes[at + i];
        kin_str key = {NULL, 0};
        int code = write->code;

        /* That of the deltas does not live as long as the object, to which listeners will hold. */
        if (code == 0)
            code = kin__input_key(batch->key, batch->key_arg, write->object, &key, NULL);
        if (code < 0) {
            note_failure(batch, deltas, code);
            continue;
        }
        note(batch, key, write, deltas->items[i].type, before, is_initial);
        before = write->type == KIN_WRITE_DELETE ? NULL : write->object;
    }
}

/* Else only some writes were left out, and each says why. */
static bool is_of_all(int code)
{
    return code == KIN_ENOMEM || code == KIN_EBUSY || code == KIN_EFORKED;
}

int kin__process_deltas(kin__delta_batch *batch, const kin_deltas *deltas, size_t n,
                        bool is_initial, kin_error *err)
{
    size_t at = 0;
    int code = 0;

    kin__delta_batch_clear(batch);
    batch->grown = 0;
    batch->n_failed = 0;
    kin__error_begin(&batch->failed);
    if (reserve(batch, count(deltas, n)) < 0)
        return kin__error_no_memory(err);
    for (size_t i = 0; code == 0 && i < n; i++)
        code = stage(batch, &deltas[i], err);
    if (code == 0) {
        code = kin_store_write(batch->store, batch->writes, batch->n_writes, err);
        code = is_of_all(code) ? code : 0;
    }
    if (code < 0) {
        kin__delta_batch_clear(batch);
        return code;
    }
    for (size_t i = 0; i < n; i++) {
        if (deltas[i].len > 0)
            note_deltas(batch, &deltas[i], at, is_initial);
        at += deltas[i].len;
    }
    return 0;
}
