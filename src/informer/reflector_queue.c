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

/* Nobody tells when a queue can be had again that somebody else replaces. */
#define LOOK_AGAIN_NS (100 * KIN__MILLISECOND)

/* --- what the reflector puts in --- */

static int woken(kin__reflector_queue *in, int code)
{
    if (code == 0)
        in->owner.wake(in->owner.arg);
    return code;
}

/*
 * A list, or a resync, may have the queue for itself: the strand, which finds that something waits and can
 * have none of it, rests until it is woken. So who has claimed it wakes the strand, whatever came of it.
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
static int received(kin__reflector_queue *in, kin_str version, enum meaning meaning, int code)
{
    if (code < 0)
        return code;
    kin__mutex_lock(in->owner.lock);
    if (meaning != MEANS_AS_BEFORE)
        in->counts = meaning != MEANS_NOTHING;
    if (in->counts && version.len > 0 && version.len < sizeof(in->received)) {
        memcpy(in->received, version.data, version.len);
        in->received[version.len] = '\0';
        in->n_received += meaning != MEANS_AGREED;
    }
    kin__mutex_unlock(in->owner.lock);
    return woken(in, code);
}

/* A watch that began anywhere tells first what there is, as additions, in any order. */
static int add(const kin_object *object, void *arg, kin_error *err)
{
    kin__reflector_queue *in = arg;

    return received(in, kin_object_resource_version(object), MEANS_AS_BEFORE,
                    in->into.add(object, in->into.arg, err));
}

static int update(const kin_object *object, void *arg, kin_error *err)
{
    kin__reflector_queue *in = arg;

    return received(in, kin_object_resource_version(object), MEANS_ALL,
                    in->into.update(object, in->into.arg, err));
}

static int delete_(const kin_object *object, void *arg, kin_error *err)
{
    kin__reflector_queue *in = arg;

    return received(in, kin_object_resource_version(object), MEANS_ALL,
                    in->into.delete_(object, in->into.arg, err));
}

static int resync(void *arg, kin_error *err)
{
    return kin__reflector_queue_resync(arg, err);
}

static int64_t now_of(const kin__reflector_queue *in)
{
    return kin_clock_now(in->owner.clock);
}

/* With the version that it began with, no more is known than that a watch was agreed to. */
static void note_watch(kin__reflector_queue *in, kin_str version)
{
    int64_t now = now_of(in);

    kin__mutex_lock(in->owner.lock);
    if (!kin_str_equal(version, kin_str_of(in->received)))
        in->stands = true;
    else if (in->agreed_at == INT64_MAX)
        in->agreed_at = now;
    kin__mutex_unlock(in->owner.lock);
}

/* Nothing has changed, but who waits for a version is to be told. */
static int bookmark(kin_str resource_version, void *arg, kin_error *err)
{
    kin__reflector_queue *in = arg;
    int code = 0;

    if (in->into.bookmark)
        code = in->into.bookmark(resource_version, in->into.arg, err);
    if (code == 0 && in->is_warm)
        note_watch(in, resource_version);
    return received(in, resource_version, in->reflector->is_agreement ? MEANS_AGREED : MEANS_ALL,
                    code);
}

uint64_t kin__reflector_queue_gaps_locked(const kin__reflector_queue *in)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    kin_reflector_get_status(in->reflector, &status, NULL);
    return status.skipped + in->n_refused;
}

/* A replacement of the queue that wakes the strand when it is committed. */
struct queue_replace {
    kin_replace base;
    kin_replace *inner; /* OWNED */
    kin__reflector_queue *in;
    uint64_t gaps; /* those before it; it brings what is missing of them */
    int64_t begun; /* ns since 1970 */
    bool verifies;
};

static struct queue_replace *replace_of(kin_replace *replace)
{
    return kin__container_of(replace, struct queue_replace, base);
}

static int replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    return kin_replace_add(replace_of(replace)->inner, object, err);
}

/* A list without a version, or with any, is followed by a watch that begins anywhere. */
static enum meaning meaning_of_list(kin_str version)
{
    return version.len == 0 || kin_str_equal(version, kin_str_of("0")) ? MEANS_NOTHING : MEANS_ALL;
}

static int replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct queue_replace *r = replace_of(replace);
    bool before;
    int code;

    if (replace->keeps)
        kin_replace_keep_missing(r->inner);
    /* The strand may take it out before the commit returns. */
    kin__mutex_lock(r->in->owner.lock);
    before = r->in->verifies;
    r->in->verifies = r->verifies;
    kin__mutex_unlock(r->in->owner.lock);
    claim(r->in);
    code = kin_replace_commit(r->inner, resource_version, err);
    unclaim(r->in);
    kin__mutex_lock(r->in->owner.lock);
    if (code < 0) {
        r->in->verifies = before;
    } else {
        r->in->gaps_received = r->gaps;
        r->in->list_received = r->begun;
    }
    kin__mutex_unlock(r->in->owner.lock);
    if (code < 0)
        r->in->owner.wake(r->in->owner.arg);
    code = received(r->in, resource_version, meaning_of_list(resource_version), code);
    if (code == 0)
        kin__free(r);
    return code;
}

static void replace_abort(kin_replace *replace)
{
    struct queue_replace *r = replace_of(replace);

    kin_replace_abort(r->inner);
    kin__free(r);
}

static int replace_keep(kin_replace *replace, kin_str key, kin_error *err)
{
    kin_replace *inner = replace_of(replace)->inner;

    return inner->replace_class->keep ? inner->replace_class->keep(inner, key, err) : 1;
}

static int replace_begin(kin_replace **ret, void *arg, kin_error *err)
{
    static const kin__replace_class replace_class = {replace_add, replace_commit, replace_abort,
                                                     replace_keep};
    kin__reflector_queue *in = arg;
    struct queue_replace *r = kin__calloc(1, sizeof(*r));
    int code;

    if (!r)
        return kin__error_no_memory(err);
    r->base.replace_class = &replace_class;
    r->in = in;
    r->begun = kin_clock_unix_now(in->owner.clock);
    r->verifies = in->reflector->verifies; /* this is the stepper */
    kin__mutex_lock(in->owner.lock);
    r->gaps = kin__reflector_queue_gaps_locked(in);
    kin__mutex_unlock(in->owner.lock);
    code = in->into.replace_begin(&r->inner, in->into.arg, err);
    if (code < 0) {
        kin__free(r);
        return code;
    }
    *ret = &r->base;
    return 0;
}

/* --- what the reflector tells --- */

/* The strand may have waited for its end. */
static void on_status(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    kin__reflector_queue *in = arg;
    bool is_end = status->state == KIN_REFLECTOR_STOPPED && in->owner.end;

    if (status->state != KIN_REFLECTOR_WATCHING) {
        kin__mutex_lock(in->owner.lock);
        in->agreed_at = INT64_MAX;
        kin__mutex_unlock(in->owner.lock);
    }
    if (in->options.status)
        in->options.status(reflector, status, in->options.arg);
    (is_end ? in->owner.end : in->owner.wake)(in->owner.arg);
}

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    const kin__reflector_queue *in = arg;

    in->options.error(reflector, failure, in->options.arg);
}

static bool should_resync(void *arg)
{
    const kin__reflector_queue *in = arg;

    return in->options.should_resync(in->options.arg);
}

/* --- life --- */

static int make_reflector(kin__reflector_queue *in, kin_list_watch *source,
                          const kin_reflector_options *given, kin_error *err)
{
    kin_reflector_options options = *given;
    kin_reflector_store store = KIN_REFLECTOR_STORE_INIT;

    store.add = add;
    store.update = update;
    store.delete_ = delete_;
    store.replace_begin = replace_begin;
    store.resync = resync;
    store.bookmark = bookmark;
    store.arg = in;
    options.status = on_status;
    options.error = given->error ? on_error : NULL;
    options.should_resync = given->should_resync ? should_resync : NULL;
    options.arg = in;
    options.arg_free = NULL;
    return kin__reflector_new_on(&in->reflector, in->owner.shared_workers, source, &store, &options,
                                 err);
}

/* All up to a version was there before. It is not too long: the reflector has taken it. */
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
    int code;

    *in = (kin__reflector_queue){.owner = *owner, .agreed_at = INT64_MAX};
    in->options = *options;
    code = kin__queue_take(&in->queue, &in->into, queue, err);
    if (code == 0)
        code = make_reflector(in, source, options, err);
    in->is_made = code == 0;
    if (code == 0 && options->resource_version && options->resource_version[0])
        begin_with(in, options->resource_version);
    return code;
}

void kin__reflector_queue_done(kin__reflector_queue *in)
{
    kin_reflector_free(in->reflector);
    if (!in->is_made)
        return;
    if (in->options.arg_free)
        in->options.arg_free(in->options.arg);
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

    kin__mutex_lock(in->owner.lock);
    is_synced = in->is_synced;
    kin__mutex_unlock(in->owner.lock);
    return is_synced;
}

int kin__reflector_queue_delete(kin__reflector_queue *in, const kin_object *object, kin_error *err)
{
    return woken(in, in->into.delete_(object, in->into.arg, err));
}

int kin__reflector_queue_resync(kin__reflector_queue *in, kin_error *err)
{
    int code;

    claim(in);
    code = in->into.resync(in->into.arg, err);
    unclaim(in);
    in->owner.wake(in->owner.arg);
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
    kin__mutex_lock(in->owner.lock);
    agreed_at = in->agreed_at;
    stands = in->stands;
    kin__mutex_unlock(in->owner.lock);
    if (stands || agreed_at == INT64_MAX)
        return stands;
    kin_reflector_get_status(in->reflector, &status, NULL);
    if (status.state != KIN_REFLECTOR_WATCHING)
        return false;
    stands = now_of(in) - agreed_at >= SETTLE_NS;
    if (!stands)
        in->owner.wake_at(in->owner.arg, agreed_at + SETTLE_NS);
    return stands;
}

/* So many keys fewer are left of what is marked. What went back into the queue may be anywhere in it. */
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
    KIN_REQUIRES(*in->owner.lock)
{
    memcpy(in->applied, mark->version, sizeof(in->applied));
    in->n_applied = mark->n_received;
    in->gaps_applied = mark->gaps;
    in->list_applied = mark->list_unix_ns;
}

/* What was received before nothing waited has been applied, or before nothing of that was left. */
static bool note_progress(kin__reflector_queue *in)
{
    bool has_synced = in->queue.has_synced(in->queue.arg);
    bool stands = look_whether_stands(in);
    kin__reflector_queue_mark now = {.is_set = in->owner.is_in_order};
    bool is_passed;
    bool is_empty;
    bool is_news;

    advance_mark(in);
    kin__mutex_lock(in->owner.lock);
    memcpy(now.version, in->received, sizeof(now.version));
    now.n_received = in->n_received;
    now.gaps = in->gaps_received;
    now.list_unix_ns = in->list_received;
    is_news = strcmp(now.version, in->applied) != 0;
    kin__mutex_unlock(in->owner.lock);
    /* After the version is read: events that arrive in between only add to it. */
    now.n_left = kin__reflector_queue_len(in);
    is_empty = now.n_left == 0;
    is_passed = in->mark.is_set && in->mark.n_left == 0;
    if (is_empty && (is_news || in->call.was_made))
        tell_store(in, now.version);
    kin__mutex_lock(in->owner.lock);
    if (is_empty || KIN_DEFECT(applied_too_early))
        note_applied_locked(in, &now);
    else if (is_passed && !KIN_DEFECT(wait_needs_quiet))
        note_applied_locked(in, &in->mark);
    in->must_empty = in->must_empty && !is_empty;
    /* Of a warm one all was there before; a list that came instead may be in the queue yet. */
    in->is_synced = in->is_synced || (has_synced && !in->must_empty) || (stands && is_empty) ||
                    KIN_DEFECT(informer_synced_early);
    kin__mutex_unlock(in->owner.lock);
    if (is_empty || is_passed || !in->mark.is_set)
        in->mark = now;
    return is_empty;
}

static int process(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                   kin_error *err)
{
    kin__reflector_queue_call *call = arg;

    call->was_made = true;
    call->n_keys = n;
    call->result = call->process(deltas, n, is_initial_list, call->arg, err);
    return call->result;
}

/* The queue could not be had. If one of ours had it, we are woken, or were; else it is looked at later. */
static void await_claim(const kin__reflector_queue *in, unsigned n_unclaimed)
{
    unsigned now = atomic_load_explicit(&in->n_unclaimed, memory_order_acquire);
    unsigned n_claimed = atomic_load_explicit(&in->n_claimed, memory_order_relaxed);

    if (now == n_unclaimed && n_claimed == now)
        in->owner.wake_at(in->owner.arg, kin__clock_deadline(in->owner.clock, LOOK_AGAIN_NS));
}

int kin__reflector_queue_pop(kin__reflector_queue *in, kin_process_batch_fn *fn, void *arg,
                             size_t max, kin_error *err)
{
    unsigned n_unclaimed = atomic_load_explicit(&in->n_unclaimed, memory_order_acquire);
    int code;
    bool is_empty;

    in->call = (kin__reflector_queue_call){fn, arg, false, 0, 0};
    code = in->queue.pop_batch(process, &in->call, max, 0, in->queue.arg, err);
    if (in->call.result == KIN_EREQUEUE)
        in->must_empty = true;
    if (in->call.was_made && in->owner.popped)
        in->owner.popped(in->owner.arg, err);
    /* Also after a failure: what was given up is not waited for. */
    is_empty = note_progress(in);
    /* Something waits and could not be had. */
    if (code == KIN_ETIMEOUT && !is_empty) {
        await_claim(in, n_unclaimed);
        return 0;
    }
    if (code == KIN_ETIMEOUT || code == KIN_ECLOSED)
        code = 0;
    return code < 0 ? code : !is_empty;
}
