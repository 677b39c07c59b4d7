/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of logs, as changes that watchers share. The log has one reference to each, and hands out
 * others only under the state's lock: a count of one that is seen there is the log's own, and
 * nobody can be looking at the change.
 */
#include "apiserver/state/state_inside.h"

#include "base/memory.h"

kin__record *kin__record_new(const kin__new_state *write, const kin_object *old)
{
    kin__record *record = kin__calloc(1, sizeof(*record));

    if (!record)
        return NULL;
    kin__ref_init(&record->change.ref);
    record->change.version = write->version;
    record->change.is_deletion = write->is_deletion;
    record->change.object = kin_object_ref(write->object);
    record->change.old = kin_object_ref(old);
    atomic_init(&record->change.encoded, NULL);
    record->collection = write->collection;
    kin__list_init(&record->link);
    return record;
}

kin__change *kin__change_ref(kin__change *change)
{
    kin__ref_get(&change->ref);
    return change;
}

void kin__change_unref(kin__change *change)
{
    kin__encoded *encoded;

    if (!change || !kin__ref_put(&change->ref))
        return;
    encoded = atomic_load_explicit(&change->encoded, memory_order_acquire);
    if (encoded)
        encoded->free(encoded);
    kin_object_unref(change->object);
    kin_object_unref(change->old);
    kin__free(kin__container_of(change, kin__record, change));
}

void kin__record_drop_texts_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
{
    kin__encoded *encoded;

    kin__mutex_assert_held(&state->lock);
    if (atomic_load_explicit(&record->change.ref.count, memory_order_acquire) != 1)
        return;
    encoded = atomic_exchange_explicit(&record->change.encoded, NULL, memory_order_acq_rel);
    if (!encoded)
        return;
    encoded->next = garbage->texts;
    garbage->texts = encoded;
}

void kin__garbage_init(kin__garbage *garbage)
{
    kin__list_init(&garbage->records);
    garbage->revisions = NULL;
    garbage->texts = NULL;
}

void kin__garbage_free(kin__garbage *garbage)
{
    kin__list *link;

    while ((link = kin__list_pop_front(&garbage->records)))
        kin__change_unref(&kin__record_of(link)->change);
    while (garbage->revisions) {
        kin__revision *revision = garbage->revisions;

        garbage->revisions = revision->older;
        kin_object_unref(revision->object);
        kin__free(revision);
    }
    while (garbage->texts) {
        kin__encoded *encoded = garbage->texts;

        garbage->texts = encoded->next;
        encoded->free(encoded);
    }
}
