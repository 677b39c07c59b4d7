/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor: distributes what a batch changes to the listeners of all handlers, lets handlers join and
 * says when a resync is due. All of it runs on the strand, but for kin__informer_tell_life_locked().
 *
 * Room for all events of a batch is made in every listener before the store is written. So a lack of
 * memory leaves everything as it was, and the batch waits in its queue again.
 */
#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "informer/informer.h"

/* --- the receivers of a batch --- */

static size_t count_registrations_locked(const kin_informer *informer) KIN_REQUIRES(informer->lock)
{
    size_t n = 0;

    kin__list_for_each(&informer->registrations, node)
        n++;
    return n;
}

static int reserve_receivers(kin_informer *informer, size_t n)
{
    kin_registration **receivers;
    bool *resyncing;

    if (n <= informer->receivers_cap)
        return 0;
    receivers = kin__realloc_array(informer->receivers, n, sizeof(*receivers));
    if (!receivers)
        return KIN_ENOMEM;
    informer->receivers = receivers;
    resyncing = kin__realloc_array(informer->resyncing, n, sizeof(*resyncing));
    if (!resyncing)
        return KIN_ENOMEM;
    informer->resyncing = resyncing;
    informer->receivers_cap = n;
    return 0;
}

/* References to those who are there now; more may come while memory is asked for. 0, KIN_ENOMEM. */
static int take_receivers(kin_informer *informer)
{
    size_t n;

    kin__mutex_lock(&informer->lock);
    while ((n = count_registrations_locked(informer)) > informer->receivers_cap) {
        kin__mutex_unlock(&informer->lock);
        if (reserve_receivers(informer, n) < 0)
            return KIN_ENOMEM;
        kin__mutex_lock(&informer->lock);
    }
    informer->n_receivers = 0;
    kin__list_for_each(&informer->registrations, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        informer->resyncing[informer->n_receivers] = registration->is_syncing;
        informer->receivers[informer->n_receivers++] = kin_registration_ref(registration);
    }
    kin__mutex_unlock(&informer->lock);
    return 0;
}

static void release_receivers(kin_informer *informer)
{
    for (size_t i = 0; i < informer->n_receivers; i++)
        kin_registration_unref(informer->receivers[i]);
    informer->n_receivers = 0;
}

/* --- batches --- */

static int reserve_events(kin_informer *informer, size_t n, kin_error *err)
{
    for (size_t i = 0; i < informer->n_receivers; i++) {
        if (informer->receivers[i]->is_joined &&
            kin__listener_reserve(informer->receivers[i]->listener, n) < 0)
            return kin__error_no_memory(err);
    }
    return 0;
}

static void unreserve_events(kin_informer *informer)
{
    for (size_t i = 0; i < informer->n_receivers; i++) {
        if (informer->receivers[i]->is_joined)
            kin__listener_unreserve(informer->receivers[i]->listener);
    }
}

/* All, or those that change something. */
static void distribute_to(const kin__delta_batch *batch, kin__listener *listener, bool syncs)
{
    const kin__notice *notices = batch->notices;
    size_t begin = 0;

    if (syncs || batch->n_sync == 0) {
        kin__listener_put(listener, notices, batch->n_notices);
        return;
    }
    for (size_t i = 0; i <= batch->n_notices; i++) {
        if (i < batch->n_notices && !notices[i].is_sync)
            continue;
        if (i > begin)
            kin__listener_put(listener, notices + begin, i - begin);
        begin = i + 1;
    }
}

static void distribute(kin_informer *informer)
{
    if (informer->batch.n_notices == 0)
        return;
    for (size_t i = 0; i < informer->n_receivers; i++) {
        if (informer->receivers[i]->is_joined)
            distribute_to(&informer->batch, informer->receivers[i]->listener,
                          informer->resyncing[i]);
    }
}

/* What it watches is a debugging aid: without memory it does without. */
static void detect(kin_informer *informer)
{
    if (!informer->detector)
        return;
    for (size_t i = 0; i < informer->batch.n_notices; i++)
        kin_mutation_detector_add(informer->detector, informer->batch.notices[i].object, NULL);
}

/* Before others see how far the store is: who waits for an object that is gone looks for it. */
static void note_deletions(kin_informer *informer)
{
    const kin__delta_batch *batch = &informer->batch;

    kin__mutex_lock(&informer->lock);
    for (size_t i = 0; i < batch->n_notices; i++) {
        const kin__notice *notice = &batch->notices[i];

        if (notice->type == KIN_EVENT_DELETE)
            kin__deletions_add(&informer->deletions, notice->key,
                               kin_object_resource_version(notice->object));
    }
    kin__mutex_unlock(&informer->lock);
}

/* After each batch, not at the end of a turn: the next batch of the turn may take long. */
static void tell_stored(kin_informer *informer)
{
    const kin__delta_batch *batch = &informer->batch;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->progress, node) {
        kin__progress *progress = kin__list_entry(node, kin__progress, link);

        progress->stored(progress, batch->notices, batch->n_notices);
    }
    kin__cond_broadcast(&informer->changed);
    kin__mutex_unlock(&informer->lock);
}

static void report_refused(kin__namespace_reflector *ns)
{
    kin_informer *informer = ns->informer;
    const kin__delta_batch *batch = &informer->batch;

    if (batch->n_failed == 0)
        return;
    kin__mutex_lock(&informer->lock);
    informer->n_refused += batch->n_failed;
    ns->in.n_refused += batch->n_failed;
    kin__mutex_unlock(&informer->lock);
    kin__log(informer->logger, KIN_LOG_ERROR, "informer", "objects could not be stored",
             KIN__LOG_S("informer", informer->name), KIN__LOG_U("objects", batch->n_failed),
             KIN__LOG_S("error", batch->failed.message));
}

static size_t count_deltas(const kin_deltas *deltas, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += deltas[i].len;
    return sum;
}

static int apply(kin__namespace_reflector *ns, const kin_deltas *deltas, size_t n, bool is_initial,
                 kin_error *err)
{
    kin_informer *informer = ns->informer;
    int code = take_receivers(informer) < 0 ? kin__error_no_memory(err) : 0;

    if (code == 0)
        code = reserve_events(informer, count_deltas(deltas, n), err);
    if (code == 0)
        code = kin__process_deltas(&informer->batch, deltas, n, is_initial, err);
    if (code == 0) {
        kin__footprint_add(&informer->footprint, informer->batch.grown);
        distribute(informer);
        detect(informer);
        note_deletions(informer);
        tell_stored(informer);
        report_refused(ns);
        kin__delta_batch_clear(&informer->batch);
    }
    unreserve_events(informer);
    release_receivers(informer);
    return code < 0 && !KIN_DEFECT(batch_lost_without_memory) ? KIN_EREQUEUE : 0;
}

/* The queue's process function. */
static int process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    kin__namespace_reflector *ns = arg;
    kin_informer *informer = ns->informer;
    /*
     * Objects that are listed after handlers have synced are not initial. A batch of the first list that was requeued is
     * still part of it, although the queue no longer counts it.
     */
    bool is_initial = (is_initial_list || ns->in.must_empty) && !informer->is_synced;
    int64_t begun = kin_clock_now(informer->clock);
    int code;

    kin__mutex_lock(&informer->lock);
    informer->batch.skips_same = ns->in.verifies;
    kin__mutex_unlock(&informer->lock);
    code = apply(ns, deltas, n, is_initial, err);
    kin__informer_measure_batch(informer, begun);
    return kin__reflector_queue_processed(&ns->in, n, code);
}

int kin__informer_pop(kin__namespace_reflector *ns, kin_error *err)
{
    int code = kin__reflector_queue_pop(&ns->in, process_batch, ns, KIN__INFORMER_BATCH, err);

    return kin__reflector_queue_popped(&ns->in, code);
}

/* --- joining --- */

static int join(kin_informer *informer, kin_registration *registration, bool is_synced,
                kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    const kin_object **objects = NULL;
    int code = kin_store_list(informer->store, &list, err);

    if (code == 0 && list.len > 0) {
        objects = kin__realloc_array(NULL, list.len, sizeof(*objects));
        code = objects ? 0 : kin__error_no_memory(err);
    }
    if (code == 0) {
        for (size_t i = 0; i < list.len; i++)
            objects[i] = kin_object_ref(list.items[i]);
        kin__listener_begin_with(registration->listener, objects,
                                 KIN_DEFECT(join_skips_last) && list.len > 0 ? list.len - 1
                                                                             : list.len);
        registration->is_joined = true;
        if (is_synced)
            kin__listener_upstream_synced(registration->listener);
    }
    kin_object_list_done(&list);
    return code;
}

/* A thread that cannot be started now may be later. */
static int start(kin_registration *registration, kin_error *err)
{
    int code = kin__listener_start(registration->listener, err);

    registration->is_started = code == 0;
    return code;
}

int kin__informer_join(kin_informer *informer, kin_error *err)
{
    int code = take_receivers(informer) < 0 ? kin__error_no_memory(err) : 0;
    bool is_synced;

    kin__mutex_lock(&informer->lock);
    is_synced = informer->is_synced;
    kin__mutex_unlock(&informer->lock);
    for (size_t i = 0; code == 0 && i < informer->n_receivers; i++) {
        if (!informer->receivers[i]->is_joined)
            code = join(informer, informer->receivers[i], is_synced, err);
        if (code == 0 && !informer->receivers[i]->is_started)
            code = start(informer->receivers[i], err);
    }
    release_receivers(informer);
    return code;
}

void kin__informer_tell_synced(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->registrations, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        if (registration->is_joined)
            kin__listener_upstream_synced(registration->listener);
    }
    kin__mutex_unlock(&informer->lock);
}

void kin__informer_tell_life_locked(kin_informer *informer, kin_registration *registration)
{
    kin__upstream upstream = KIN__UPSTREAM_RUNS;
    kin_error why;

    kin__error_begin(&why);
    if (informer->loop.is_closed)
        upstream = KIN__UPSTREAM_GONE;
    else if (informer->loop.life == KIN__LIFE_STOPPED && !informer->is_synced)
        upstream = KIN__UPSTREAM_STOPPED;
    else if (!informer->is_synced && kin__informer_refusal_locked(informer, &why) < 0)
        upstream = KIN__UPSTREAM_REFUSED;
    kin__listener_set_upstream(registration->listener, upstream, &why);
}

/* --- resyncs --- */

bool kin__informer_begin_resync(kin_informer *informer, int64_t now)
{
    bool is_due = false;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->registrations, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        registration->is_syncing = registration->resync > 0 && now >= registration->next_resync;
        if (!registration->is_syncing)
            continue;
        registration->next_resync = now + registration->resync;
        is_due = true;
    }
    kin__mutex_unlock(&informer->lock);
    return is_due;
}
