/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers, and telling them.
 *
 * A watcher that has read all waits in its collection's list. Whoever publishes a change takes the
 * whole list over, into a batch of its own, and notifies one by one with no lock held. The batch is
 * known to the state meanwhile: a watcher that is closed leaves it, or waits for its notify to
 * return. A watcher costs nothing while it does not wait.
 */
#include "apiserver/state/state_inside.h"

#include "base/error.h"

void kin__batch_init(kin__batch *batch)
{
    kin__list_init(&batch->link);
    kin__list_init(&batch->watchers);
    batch->is_known = false;
    batch->current = NULL;
    batch->thread = pthread_self();
    batch->n_done = 0;
    batch->judged = NULL;
    batch->code = 0;
    kin__garbage_init(&batch->garbage);
}

void kin__batch_take_locked(kin__state *state, kin__batch *batch, kin__collection *collection)
{
    kin__mutex_assert_held(&state->lock);
    if (kin__list_is_empty(&collection->armed))
        return;
    kin__list_splice_back(&batch->watchers, &collection->armed);
    if (!batch->is_known)
        kin__list_push_back(&state->batches, &batch->link);
    batch->is_known = true;
}

static void notify_all(kin__state *state, kin__batch *batch)
{
    kin__list *link;

    kin__mutex_lock(&state->lock);
    while ((link = kin__list_pop_front(&batch->watchers))) {
        kin__watcher *watcher = kin__list_entry(link, kin__watcher, link);

        batch->current = watcher;
        kin__mutex_unlock(&state->lock);
        watcher->notify(watcher);
        kin__mutex_lock(&state->lock);
        batch->current = NULL; /* the watcher itself may be gone */
        if (state->n_closing > 0)
            kin__cond_broadcast(&state->quiet);
    }
    kin__list_remove(&batch->link);
    kin__mutex_unlock(&state->lock);
}

static void call_chain(kin__write_done *done, int code)
{
    while (done) {
        kin__write_done *next = done->next; /* its function may free it */

        done->fn(done, code);
        done = next;
    }
}

void kin__batch_run(kin__state *state, kin__batch *batch)
{
    kin__assert_no_locks();
    for (size_t i = 0; i < batch->n_done; i++)
        batch->done[i]->fn(batch->done[i], batch->code);
    call_chain(batch->judged, batch->code);
    if (batch->is_known)
        notify_all(state, batch);
    kin__garbage_free(&batch->garbage);
}

int kin__watcher_open(kin__watcher *watcher, kin__state *state, kin__collection *collection,
                      uint64_t version, kin_error *err)
{
    uint64_t compacted;
    uint64_t published;

    watcher->state = state;
    watcher->collection = collection;
    kin__list_init(&watcher->link);
    kin__mutex_lock(&state->lock);
    compacted = collection->compacted;
    published = state->published;
    watcher->epoch = state->epoch;
    watcher->next = kin__log_behind(collection, version);
    watcher->read = watcher->next;
    kin__mutex_unlock(&state->lock);
    if (version > published)
        return kin_error_set(err, KIN_ERANGE, "version %llu is not there yet, the newest is %llu",
                             (unsigned long long)version, (unsigned long long)published);
    if (version < compacted)
        return kin_error_set(err, KIN_EEXPIRED,
                             "version %llu is too old, changes are known from %llu",
                             (unsigned long long)version, (unsigned long long)compacted);
    return 0;
}

/* Texts of the changes that it has read last, if they are old ones: nobody else may come by. */
static void drop_texts_locked(kin__watcher *watcher, kin__garbage *garbage)
    KIN_REQUIRES(watcher->state->lock)
{
    const kin__collection *collection = watcher->collection;
    uint64_t end = kin__log_end(&collection->log);
    uint64_t number = watcher->read;

    if (number < collection->first)
        number = collection->first;
    for (; number < watcher->next && end - number > KIN__TEXTS_KEPT; number++)
        kin__record_drop_texts_locked(watcher->state, kin__log_at(&collection->log, number),
                                      garbage);
}

/* Whether its place in the log still means something. */
static bool is_current_locked(const kin__watcher *watcher) KIN_REQUIRES(watcher->state->lock)
{
    return watcher->epoch == watcher->state->epoch && watcher->next >= watcher->collection->first;
}

static size_t read_locked(kin__watcher *watcher, kin__change **ret, size_t max,
                          uint64_t *ret_version) KIN_REQUIRES(watcher->state->lock)
{
    const kin__log *log = &watcher->collection->log;
    size_t n = 0;

    watcher->read = watcher->next;
    while (n < max && watcher->next < kin__log_end(log))
        ret[n++] = kin__change_ref(&kin__log_at(log, watcher->next++)->change);
    *ret_version = watcher->next < kin__log_end(log) && n > 0 ? ret[n - 1]->version
                                                              : watcher->state->published;
    if (n == 0 && kin__list_is_empty(&watcher->link))
        kin__list_push_back(&watcher->collection->armed, &watcher->link);
    return n;
}

int kin__watcher_read(kin__watcher *watcher, kin__change **ret, size_t max, size_t *ret_n,
                      uint64_t *ret_version)
{
    kin__garbage garbage;
    bool is_current;

    kin__assert(max > 0);
    kin__garbage_init(&garbage);
    kin__mutex_lock(&watcher->state->lock);
    is_current = is_current_locked(watcher);
    if (is_current) {
        drop_texts_locked(watcher, &garbage);
        *ret_n = read_locked(watcher, ret, max, ret_version);
    }
    kin__mutex_unlock(&watcher->state->lock);
    kin__garbage_free(&garbage);
    return is_current ? 0 : KIN_EEXPIRED;
}

static bool is_notified_elsewhere_locked(const kin__watcher *watcher)
    KIN_REQUIRES(watcher->state->lock)
{
    kin__list_for_each(&watcher->state->batches, link) {
        const kin__batch *batch = kin__list_entry(link, kin__batch, link);

        if (batch->current == watcher && !pthread_equal(batch->thread, pthread_self()))
            return true;
    }
    return false;
}

void kin__watcher_close(kin__watcher *watcher)
{
    kin__garbage garbage;

    kin__garbage_init(&garbage);
    kin__mutex_lock(&watcher->state->lock);
    kin__list_remove(&watcher->link);
    while (is_notified_elsewhere_locked(watcher)) {
        watcher->state->n_closing++;
        kin__cond_wait(&watcher->state->quiet, &watcher->state->lock);
        watcher->state->n_closing--;
    }
    if (is_current_locked(watcher))
        drop_texts_locked(watcher, &garbage);
    kin__mutex_unlock(&watcher->state->lock);
    kin__garbage_free(&garbage);
}
