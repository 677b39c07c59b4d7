/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/reflector_queue.h"

#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/replace.h"
#include "informer/reflector.h"

/*
 * A server that has forgotten a version agrees to a watch from there as to any other, and says so in the watch,
 * at once. So one that brings nothing stands when it has lasted so long.
 */
#define SETTLE_NS KIN__SECOND

/* One may be due to credentials that were just being replaced. */
#define REFUSALS_MAX 2

/* How often a queue is tried that a replacement of the program's own keeps busy: its end is not reported. */
#define LOOK_AGAIN_NS (100 * KIN__MILLISECOND)

/* --- what the reflector puts in --- */

/*
 * A list or a resync may keep the queue busy. A strand that cannot pop then rests until it is woken. So each list and
 * resync wakes the strand at its end, also after a failure.
 */
static void claim(kin__reflector_queue *in)
{
    atomic_fetch_add_explicit(&in->n_claimed, 1, memory_order_relaxed);
}

static void unclaim(kin__reflector_queue *in)
{
    atomic_fetch_add_explicit(&in->n_unclaimed, 1, memory_order_release);
}

/* What a version that has come says. */
enum meaning {
    MEANS_AS_BEFORE, /* all up to it has come, if that could be said before */
    MEANS_ALL,       /* all up to it has come */
    MEANS_AGREED,    /* a watch from this version was agreed to; nothing has come */
    MEANS_NOTHING,   /* nor do those that follow, until one means all */
};

/* It is in the queue, and with it all up to its version; then the strand may look. */
static void received(kin__reflector_queue *in, kin_str version, enum meaning meaning)
{
    kin__mutex_lock(in->owner.loop->lock);
    if (meaning != MEANS_AS_BEFORE)
        in->counts = meaning != MEANS_NOTHING;
    if (in->counts && version.len > 0 && version.len < sizeof(in->received)) {
        memcpy(in->received, version.data, version.len);
        in->received[version.len] = '\0';
        in->n_received += meaning != MEANS_AGREED;
    }
    kin__mutex_unlock(in->owner.loop->lock);
    kin__process_loop_wake(in->owner.loop);
}

/* A watch that began at any version first reports all existing objects, as additions in any order. */
void kin__reflector_queue_took_event(kin__reflector_queue *in, enum kin_watch_type type,
                                     const kin_object *object)
{
    received(in, kin_object_resource_version(object),
             type == KIN_WATCH_ADDED ? MEANS_AS_BEFORE : MEANS_ALL);
}

static int64_t now_of(const kin__reflector_queue *in)
{
    return kin_clock_now(in->owner.loop->clock);
}

/* The version that the watch began with says only that the server has agreed to the watch. */
static void note_watch(kin__reflector_queue *in, kin_str version)
{
    int64_t now = now_of(in);

    kin__mutex_lock(in->owner.loop->lock);
    if (!kin_str_equal(version, kin_str_of(in->received)))
        in->stands = true;
    else if (in->agreed_at == INT64_MAX)
        in->agreed_at = now;
    kin__mutex_unlock(in->owner.loop->lock);
}

/* Nothing has changed, but waits for a version may end. */
void kin__reflector_queue_took_bookmark(kin__reflector_queue *in, kin_str version,
                                        bool is_agreement)
{
    if (in->is_warm)
        note_watch(in, version);
    received(in, version, is_agreement ? MEANS_AGREED : MEANS_ALL);
}

uint64_t kin__reflector_queue_gaps_locked(const kin__reflector_queue *in)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    kin_reflector_get_status(in->reflector, &status, NULL);
    return status.skipped + in->n_refused;
}

void kin__reflector_queue_begin_list(kin__reflector_queue *in)
{
    in->list_begun = kin_clock_unix_now(in->owner.loop->clock);
    in->list_verifies = in->reflector->verifies;
    kin__mutex_lock(in->owner.loop->lock);
    in->list_gaps = kin__reflector_queue_gaps_locked(in);
    kin__mutex_unlock(in->owner.loop->lock);
}

/* A list without a version, or with any, is followed by a watch that begins anywhere. */
static enum meaning meaning_of_list(kin_str version)
{
    return version.len == 0 || kin_str_equal(version, kin_str_of("0")) ? MEANS_NOTHING : MEANS_ALL;
}

int kin__reflector_queue_commit_list(kin__reflector_queue *in, kin_replace *list, kin_str version,
                                     kin_error *err)
{
    bool before;
    int code;

    /* The strand may take it out before the commit returns. */
    kin__mutex_lock(in->owner.loop->lock);
    before = in->verifies;
    in->verifies = in->list_verifies;
    kin__mutex_unlock(in->owner.loop->lock);
    claim(in);
    code = kin_replace_commit(list, version, err);
    unclaim(in);
    kin__mutex_lock(in->owner.loop->lock);
    if (code < 0) {
        in->verifies = before;
    } else {
        in->gaps_received = in->list_gaps;
        in->list_received = in->list_begun;
    }
    kin__mutex_unlock(in->owner.loop->lock);
    if (code < 0)
        kin__process_loop_wake(in->owner.loop);
    else
        received(in, version, meaning_of_list(version));
    return code;
}

void kin__reflector_queue_note_state(kin__reflector_queue *in, kin_reflector_state state)
{
    if (state == KIN_REFLECTOR_WATCHING)
        return;
    kin__mutex_lock(in->owner.loop->lock);
    in->agreed_at = INT64_MAX;
    kin__mutex_unlock(in->owner.loop->lock);
}

/* The strand may have waited for its end. */
void kin__reflector_queue_has_state(kin__reflector_queue *in, kin_reflector_state state)
{
    if (state == KIN_REFLECTOR_STOPPED && in->owner.ends_loop)
        kin__process_loop_source_ended(in->owner.loop);
    else
        kin__process_loop_wake(in->owner.loop);
}

/* --- life --- */

/* All up to a version was in the store before. It is not too long: the reflector has taken it. */
static void begin_with(kin__reflector_queue *in, const char *version)
{
    in->is_warm = true;
    in->counts = true;
    memcpy(in->received, version, strlen(version) + 1);
    memcpy(in->applied, version, strlen(version) + 1);
}

int kin__reflector_queue_init(kin__reflector_queue *in, const kin__reflector_queue_owner *owner,
                              const kin_queue *queue, kin_list_watch *source,
                              const kin_reflector_options *options, kin_error *err)
{
    kin_reflector_store store = KIN_REFLECTOR_STORE_INIT;
    kin_reflector_options own = *options;
    int code;

    own.arg_free = NULL;
    *in = (kin__reflector_queue){.owner = *owner, .agreed_at = INT64_MAX};
    code = kin__queue_take(&in->queue, &store, queue, err);
    if (code == 0)
        code = kin__reflector_new_on(&in->reflector, owner->loop->shared_workers, source, &store,
                                     &own, err);
    in->is_made = code == 0;
    if (code < 0)
        return code;
    in->reflector->queue = in;
    in->arg = options->arg;
    in->arg_free = options->arg_free;
    if (options->resource_version && options->resource_version[0])
        begin_with(in, options->resource_version);
    return 0;
}

void kin__reflector_queue_done(kin__reflector_queue *in)
{
    kin_reflector_free(in->reflector);
    if (!in->is_made)
        return;
    if (in->arg_free)
        in->arg_free(in->arg);
    if (in->queue.arg_free)
        in->queue.arg_free(in->queue.arg);
}

static bool has_ended(kin__reflector_queue *in)
{
    if (!kin__reflector_has_ended(in->reflector))
        return false;
    in->is_started = false;
    in->is_stopping = false;
    return true;
}

int kin__reflector_queue_start(kin__reflector_queue *in, kin_error *err)
{
    int code;

    if (in->is_stopping)
        (void)has_ended(in);
    if (in->is_started)
        return 0;
    code = kin_reflector_start(in->reflector, err);
    in->is_started = code == 0;
    return code;
}

bool kin__reflector_queue_stop(kin__reflector_queue *in)
{
    if (in->is_started && !in->is_stopping)
        kin_reflector_stop(in->reflector);
    in->is_stopping = in->is_started;
    return has_ended(in);
}

/* --- in and out --- */

size_t kin__reflector_queue_len(const kin__reflector_queue *in)
{
    return in->queue.len(in->queue.arg);
}

int kin__reflector_queue_refusal_locked(const kin__reflector_queue *in, kin_error *ret)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    if (in->is_synced)
        return 0;
    kin_reflector_get_status(in->reflector, &status, NULL);
    if (status.refusals < REFUSALS_MAX)
        return 0;
    if (ret)
        *ret = status.last_error;
    return status.last_error.code;
}

bool kin__reflector_queue_has_synced(kin__reflector_queue *in)
{
    bool is_synced;

    kin__mutex_lock(in->owner.loop->lock);
    is_synced = in->is_synced;
    kin__mutex_unlock(in->owner.loop->lock);
    return is_synced;
}

int kin__reflector_queue_delete(kin__reflector_queue *in, const kin_object *object, kin_error *err)
{
    const kin_reflector_store *store = &in->reflector->store;
    int code = store->delete_(object, store->arg, err);

    if (code == 0)
        kin__process_loop_wake(in->owner.loop);
    return code;
}

int kin__reflector_queue_resync(kin__reflector_queue *in, kin_error *err)
{
    const kin_reflector_store *store = &in->reflector->store;
    int code;

    claim(in);
    code = store->resync(store->arg, err);
    unclaim(in);
    kin__process_loop_wake(in->owner.loop);
    return code;
}

/*
 * The versions of objects are not all: lists and bookmarks have some, too. And objects that come again have
 * older ones, with which they are written.
 */
static void tell_store(const kin__reflector_queue *in, const char *version)
{
    if (in->owner.store && version[0])
        kin_store_bookmark(in->owner.store, kin_str_of(version), NULL);
}

/*
 * Whether what a warm one began with still counts. It is looked at again when it may. A watch that has
 * failed is not agreed to any more, also if the reflector has not told so yet.
 */
static bool look_whether_stands(kin__reflector_queue *in)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    int64_t agreed_at;
    bool stands;

    if (!in->is_warm || in->is_synced)
        return false;
    if (KIN_DEFECT(warm_synced_early))
        return true;
    kin__mutex_lock(in->owner.loop->lock);
    agreed_at = in->agreed_at;
    stands = in->stands;
    kin__mutex_unlock(in->owner.loop->lock);
    if (stands || agreed_at == INT64_MAX)
        return stands;
    kin_reflector_get_status(in->reflector, &status, NULL);
    if (status.state != KIN_REFLECTOR_WATCHING)
        return false;
    stands = now_of(in) - agreed_at >= SETTLE_NS;
    if (!stands)
        kin__process_loop_wake_at(in->owner.loop, agreed_at + SETTLE_NS);
    return stands;
}

/* Subtract the popped keys from those of the mark. After a requeue the mark is lost: keys may be anywhere. */
static void advance_mark(kin__reflector_queue *in)
{
    const kin__reflector_queue_call *call = &in->call;
    kin__reflector_queue_mark *mark = &in->mark;

    if (!call->was_made)
        return;
    if (call->result == KIN_EREQUEUE)
        mark->is_set = false;
    else
        mark->n_left -= call->n_keys < mark->n_left ? call->n_keys : mark->n_left;
}

/* All that a mark has was applied. */
static void note_applied_locked(kin__reflector_queue *in, const kin__reflector_queue_mark *mark)
    KIN_REQUIRES(*in->owner.loop->lock)
{
    memcpy(in->applied, mark->version, sizeof(in->applied));
    in->n_applied = mark->n_received;
    in->gaps_applied = mark->gaps;
    in->list_applied = mark->list_unix_ns;
}

/* An empty queue means that all received versions are applied; an exhausted mark means it for those of the mark. */
static bool note_progress(kin__reflector_queue *in)
{
    bool has_synced = in->queue.has_synced(in->queue.arg);
    bool stands = look_whether_stands(in);
    kin__reflector_queue_mark now = {.is_set = in->owner.is_in_order};
    bool is_passed;
    bool is_empty;
    bool is_news;

    advance_mark(in);
    kin__mutex_lock(in->owner.loop->lock);
    memcpy(now.version, in->received, sizeof(now.version));
    now.n_received = in->n_received;
    now.gaps = in->gaps_received;
    now.list_unix_ns = in->list_received;
    is_news = strcmp(now.version, in->applied) != 0;
    kin__mutex_unlock(in->owner.loop->lock);
    /* After the version is read: events that arrive in between only add to it. */
    now.n_left = kin__reflector_queue_len(in);
    is_empty = now.n_left == 0;
    is_passed = in->mark.is_set && in->mark.n_left == 0;
    if (is_empty && (is_news || in->call.was_made))
        tell_store(in, now.version);
    kin__mutex_lock(in->owner.loop->lock);
    if (is_empty || KIN_DEFECT(applied_too_early))
        note_applied_locked(in, &now);
    else if (is_passed && !KIN_DEFECT(wait_needs_quiet))
        note_applied_locked(in, &in->mark);
    in->must_empty = in->must_empty && !is_empty;
    /* Of a warm one all was there before; a list that came instead may be in the queue yet. */
    in->is_synced = in->is_synced || (has_synced && !in->must_empty) || (stands && is_empty) ||
                    KIN_DEFECT(informer_synced_early);
    kin__mutex_unlock(in->owner.loop->lock);
    if (is_empty || is_passed || !in->mark.is_set)
        in->mark = now;
    return is_empty;
}

int kin__reflector_queue_processed(kin__reflector_queue *in, size_t n, int code)
{
    in->call.was_made = true;
    in->call.n_keys = n;
    in->call.result = code;
    return code;
}

/* The queue was busy. A list or resync of the reflector wakes the strand at its end; else try again later. */
static void await_claim(const kin__reflector_queue *in, unsigned n_unclaimed)
{
    unsigned now = atomic_load_explicit(&in->n_unclaimed, memory_order_acquire);
    unsigned n_claimed = atomic_load_explicit(&in->n_claimed, memory_order_relaxed);

    if (now == n_unclaimed && n_claimed == now)
        kin__process_loop_wake_at(in->owner.loop,
                                  kin__clock_deadline(in->owner.loop->clock, LOOK_AGAIN_NS));
}

int kin__reflector_queue_pop(kin__reflector_queue *in, kin_process_batch_fn *fn, void *arg,
                             size_t max, kin_error *err)
{
    int code;

    in->call = (kin__reflector_queue_call){.was_made = false};
    in->call.n_unclaimed = atomic_load_explicit(&in->n_unclaimed, memory_order_acquire);
    code = in->queue.pop_batch(fn, arg, max, 0, in->queue.arg, err);
    if (in->call.result == KIN_EREQUEUE)
        in->must_empty = true;
    return code;
}

int kin__reflector_queue_popped(kin__reflector_queue *in, int code)
{
    /* Also after a failure: keys that were given up are not waited for. */
    bool is_empty = note_progress(in);

    /* Keys wait, but the queue was busy. */
    if (code == KIN_ETIMEOUT && !is_empty) {
        await_claim(in, in->call.n_unclaimed);
        return 0;
    }
    if (code == KIN_ETIMEOUT || code == KIN_ECLOSED)
        code = 0;
    return code < 0 ? code : !is_empty;
}
