/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/intake.h"

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

static int woken(kin__intake *intake, int code)
{
    if (code == 0)
        intake->owner.wake(intake->owner.arg);
    return code;
}

/*
 * A list, or a resync, may have the queue for itself: the strand, which finds that something waits and can
 * have none of it, rests until it is woken. So who has claimed it wakes the strand, whatever came of it.
 */
static void claim(kin__intake *intake)
{
    atomic_fetch_add_explicit(&intake->n_claimed, 1, memory_order_relaxed);
}

static void unclaim(kin__intake *intake)
{
    atomic_fetch_add_explicit(&intake->n_unclaimed, 1, memory_order_release);
}

/* What a version that has come says. */
enum meaning {
    MEANS_AS_BEFORE, /* all up to it has come, if that could be said before */
    MEANS_ALL,       /* all up to it has come */
    MEANS_AGREED,    /* a watch from this version was agreed to; nothing has come */
    MEANS_NOTHING,   /* nor do those that follow, until one means all */
};

/* It is in the queue, and with it all up to its version; then the strand may look. */
static int received(kin__intake *intake, kin_str version, enum meaning meaning, int code)
{
    if (code < 0)
        return code;
    kin__mutex_lock(intake->owner.lock);
    if (meaning != MEANS_AS_BEFORE)
        intake->counts = meaning != MEANS_NOTHING;
    if (intake->counts && version.len > 0 && version.len < sizeof(intake->received)) {
        memcpy(intake->received, version.data, version.len);
        intake->received[version.len] = '\0';
        intake->n_received += meaning != MEANS_AGREED;
    }
    kin__mutex_unlock(intake->owner.lock);
    return woken(intake, code);
}

/* A watch that began anywhere tells first what there is, as additions, in any order. */
static int add(const kin_object *object, void *arg, kin_error *err)
{
    kin__intake *intake = arg;

    return received(intake, kin_object_resource_version(object), MEANS_AS_BEFORE,
                    intake->into.add(object, intake->into.arg, err));
}

static int update(const kin_object *object, void *arg, kin_error *err)
{
    kin__intake *intake = arg;

    return received(intake, kin_object_resource_version(object), MEANS_ALL,
                    intake->into.update(object, intake->into.arg, err));
}

static int delete_(const kin_object *object, void *arg, kin_error *err)
{
    kin__intake *intake = arg;

    return received(intake, kin_object_resource_version(object), MEANS_ALL,
                    intake->into.delete_(object, intake->into.arg, err));
}

static int resync(void *arg, kin_error *err)
{
    return kin__intake_resync(arg, err);
}

static int64_t now_of(const kin__intake *intake)
{
    return kin_clock_now(intake->owner.clock);
}

/* With the version that it began with, no more is known than that a watch was agreed to. */
static void note_watch(kin__intake *intake, kin_str version)
{
    int64_t now = now_of(intake);

    kin__mutex_lock(intake->owner.lock);
    if (!kin_str_equal(version, kin_str_of(intake->received)))
        intake->stands = true;
    else if (intake->agreed_at == INT64_MAX)
        intake->agreed_at = now;
    kin__mutex_unlock(intake->owner.lock);
}

/* Nothing has changed, but who waits for a version is to be told. */
static int bookmark(kin_str resource_version, void *arg, kin_error *err)
{
    kin__intake *intake = arg;
    int code = 0;

    if (intake->into.bookmark)
        code = intake->into.bookmark(resource_version, intake->into.arg, err);
    if (code == 0 && intake->is_warm)
        note_watch(intake, resource_version);
    return received(intake, resource_version,
                    intake->reflector->is_agreement ? MEANS_AGREED : MEANS_ALL, code);
}

uint64_t kin__intake_gaps_locked(const kin__intake *intake)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    kin_reflector_get_status(intake->reflector, &status, NULL);
    return status.skipped + intake->n_refused;
}

/* A replacement of the queue that wakes the strand when it is committed. */
struct intake_replace {
    kin_replace base;
    kin_replace *inner; /* OWNED */
    kin__intake *intake;
    uint64_t gaps; /* those before it; it brings what is missing of them */
    int64_t begun; /* ns since 1970 */
    bool verifies;
};

static struct intake_replace *replace_of(kin_replace *replace)
{
    return kin__container_of(replace, struct intake_replace, base);
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
    struct intake_replace *r = replace_of(replace);
    bool before;
    int code;

    if (replace->keeps)
        kin_replace_keep_missing(r->inner);
    /* The strand may take it out before the commit returns. */
    kin__mutex_lock(r->intake->owner.lock);
    before = r->intake->verifies;
    r->intake->verifies = r->verifies;
    kin__mutex_unlock(r->intake->owner.lock);
    claim(r->intake);
    code = kin_replace_commit(r->inner, resource_version, err);
    unclaim(r->intake);
    kin__mutex_lock(r->intake->owner.lock);
    if (code < 0) {
        r->intake->verifies = before;
    } else {
        r->intake->gaps_received = r->gaps;
        r->intake->list_received = r->begun;
    }
    kin__mutex_unlock(r->intake->owner.lock);
    if (code < 0)
        r->intake->owner.wake(r->intake->owner.arg);
    code = received(r->intake, resource_version, meaning_of_list(resource_version), code);
    if (code == 0)
        kin__free(r);
    return code;
}

static void replace_abort(kin_replace *replace)
{
    struct intake_replace *r = replace_of(replace);

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
    kin__intake *intake = arg;
    struct intake_replace *r = kin__calloc(1, sizeof(*r));
    int code;

    if (!r)
        return kin__error_no_memory(err);
    r->base.replace_class = &replace_class;
    r->intake = intake;
    r->begun = kin_clock_unix_now(intake->owner.clock);
    r->verifies = intake->reflector->verifies; /* this is the stepper */
    kin__mutex_lock(intake->owner.lock);
    r->gaps = kin__intake_gaps_locked(intake);
    kin__mutex_unlock(intake->owner.lock);
    code = intake->into.replace_begin(&r->inner, intake->into.arg, err);
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
    kin__intake *intake = arg;
    bool is_end = status->state == KIN_REFLECTOR_STOPPED && intake->owner.end;

    if (status->state != KIN_REFLECTOR_WATCHING) {
        kin__mutex_lock(intake->owner.lock);
        intake->agreed_at = INT64_MAX;
        kin__mutex_unlock(intake->owner.lock);
    }
    if (intake->options.status)
        intake->options.status(reflector, status, intake->options.arg);
    (is_end ? intake->owner.end : intake->owner.wake)(intake->owner.arg);
}

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    const kin__intake *intake = arg;

    intake->options.error(reflector, failure, intake->options.arg);
}

static bool should_resync(void *arg)
{
    const kin__intake *intake = arg;

    return intake->options.should_resync(intake->options.arg);
}

/* --- life --- */

static int make_reflector(kin__intake *intake, kin_list_watch *source,
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
    store.arg = intake;
    options.status = on_status;
    options.error = given->error ? on_error : NULL;
    options.should_resync = given->should_resync ? should_resync : NULL;
    options.arg = intake;
    options.arg_free = NULL;
    return kin__reflector_new_on(&intake->reflector, intake->owner.shared_workers, source, &store,
                                 &options, err);
}

/* All up to a version was there before. It is not too long: the reflector has taken it. */
static void begin_with(kin__intake *intake, const char *version)
{
    intake->is_warm = true;
    intake->counts = true;
    memcpy(intake->received, version, strlen(version) + 1);
    memcpy(intake->applied, version, strlen(version) + 1);
}

int kin__intake_init(kin__intake *intake, const kin__intake_owner *owner, const kin_queue *queue,
                     kin_list_watch *source, const kin_reflector_options *options, kin_error *err)
{
    int code;

    *intake = (kin__intake){.owner = *owner, .agreed_at = INT64_MAX};
    intake->options = *options;
    code = kin__queue_take(&intake->queue, &intake->into, queue, err);
    if (code == 0)
        code = make_reflector(intake, source, options, err);
    intake->is_made = code == 0;
    if (code == 0 && options->resource_version && options->resource_version[0])
        begin_with(intake, options->resource_version);
    return code;
}

void kin__intake_done(kin__intake *intake)
{
    kin_reflector_free(intake->reflector);
    if (!intake->is_made)
        return;
    if (intake->options.arg_free)
        intake->options.arg_free(intake->options.arg);
    if (intake->queue.arg_free)
        intake->queue.arg_free(intake->queue.arg);
}

static bool has_ended(kin__intake *intake)
{
    if (!kin__reflector_has_ended(intake->reflector))
        return false;
    intake->is_started = false;
    intake->is_stopping = false;
    return true;
}

int kin__intake_start(kin__intake *intake, kin_error *err)
{
    int code;

    if (intake->is_stopping)
        (void)has_ended(intake);
    if (intake->is_started)
        return 0;
    code = kin_reflector_start(intake->reflector, err);
    intake->is_started = code == 0;
    return code;
}

bool kin__intake_stop(kin__intake *intake)
{
    if (intake->is_started && !intake->is_stopping)
        kin_reflector_stop(intake->reflector);
    intake->is_stopping = intake->is_started;
    return has_ended(intake);
}

/* --- in and out --- */

size_t kin__intake_len(const kin__intake *intake)
{
    return intake->queue.len(intake->queue.arg);
}

int kin__intake_refusal_locked(const kin__intake *intake, kin_error *ret)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    if (intake->is_synced)
        return 0;
    kin_reflector_get_status(intake->reflector, &status, NULL);
    if (status.refusals < REFUSALS_MAX)
        return 0;
    if (ret)
        *ret = status.last_error;
    return status.last_error.code;
}

bool kin__intake_has_synced(kin__intake *intake)
{
    bool is_synced;

    kin__mutex_lock(intake->owner.lock);
    is_synced = intake->is_synced;
    kin__mutex_unlock(intake->owner.lock);
    return is_synced;
}

int kin__intake_delete(kin__intake *intake, const kin_object *object, kin_error *err)
{
    return woken(intake, intake->into.delete_(object, intake->into.arg, err));
}

int kin__intake_resync(kin__intake *intake, kin_error *err)
{
    int code;

    claim(intake);
    code = intake->into.resync(intake->into.arg, err);
    unclaim(intake);
    intake->owner.wake(intake->owner.arg);
    return code;
}

/*
 * The versions of objects are not all: lists and bookmarks have some, too. And objects that come again have
 * older ones, with which they are written.
 */
static void tell_store(const kin__intake *intake, const char *version)
{
    if (intake->owner.store && version[0])
        kin_store_bookmark(intake->owner.store, kin_str_of(version), NULL);
}

/*
 * Whether what a warm one began with still counts. It is looked at again when it may. A watch that has
 * failed is not agreed to any more, also if the reflector has not told so yet.
 */
static bool look_whether_stands(kin__intake *intake)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    int64_t agreed_at;
    bool stands;

    if (!intake->is_warm || intake->is_synced)
        return false;
    if (KIN_DEFECT(warm_synced_early))
        return true;
    kin__mutex_lock(intake->owner.lock);
    agreed_at = intake->agreed_at;
    stands = intake->stands;
    kin__mutex_unlock(intake->owner.lock);
    if (stands || agreed_at == INT64_MAX)
        return stands;
    kin_reflector_get_status(intake->reflector, &status, NULL);
    if (status.state != KIN_REFLECTOR_WATCHING)
        return false;
    stands = now_of(intake) - agreed_at >= SETTLE_NS;
    if (!stands)
        intake->owner.wake_at(intake->owner.arg, agreed_at + SETTLE_NS);
    return stands;
}

/* So many keys fewer are left of what is marked. What went back into the queue may be anywhere in it. */
static void advance_mark(kin__intake *intake)
{
    const kin__intake_call *call = &intake->call;
    kin__intake_mark *mark = &intake->mark;

    if (!call->was_made)
        return;
    if (call->result == KIN_EREQUEUE)
        mark->is_set = false;
    else
        mark->n_left -= call->n_keys < mark->n_left ? call->n_keys : mark->n_left;
}

/* All that a mark has was applied. */
static void note_applied_locked(kin__intake *intake, const kin__intake_mark *mark)
    KIN_REQUIRES(*intake->owner.lock)
{
    memcpy(intake->applied, mark->version, sizeof(intake->applied));
    intake->n_applied = mark->n_received;
    intake->gaps_applied = mark->gaps;
    intake->list_applied = mark->list_unix_ns;
}

/* What was received before nothing waited has been applied, or before nothing of that was left. */
static bool note_progress(kin__intake *intake)
{
    bool has_synced = intake->queue.has_synced(intake->queue.arg);
    bool stands = look_whether_stands(intake);
    kin__intake_mark now = {.is_set = intake->owner.is_in_order};
    bool is_passed;
    bool is_empty;
    bool is_news;

    advance_mark(intake);
    kin__mutex_lock(intake->owner.lock);
    memcpy(now.version, intake->received, sizeof(now.version));
    now.n_received = intake->n_received;
    now.gaps = intake->gaps_received;
    now.list_unix_ns = intake->list_received;
    is_news = strcmp(now.version, intake->applied) != 0;
    kin__mutex_unlock(intake->owner.lock);
    /* After the version is read: events that arrive in between only add to it. */
    now.n_left = kin__intake_len(intake);
    is_empty = now.n_left == 0;
    is_passed = intake->mark.is_set && intake->mark.n_left == 0;
    if (is_empty && (is_news || intake->call.was_made))
        tell_store(intake, now.version);
    kin__mutex_lock(intake->owner.lock);
    if (is_empty || KIN_DEFECT(applied_too_early))
        note_applied_locked(intake, &now);
    else if (is_passed && !KIN_DEFECT(wait_needs_quiet))
        note_applied_locked(intake, &intake->mark);
    intake->must_empty = intake->must_empty && !is_empty;
    /* Of a warm one all was there before; a list that came instead may be in the queue yet. */
    intake->is_synced = intake->is_synced || (has_synced && !intake->must_empty) ||
                        (stands && is_empty) || KIN_DEFECT(informer_synced_early);
    kin__mutex_unlock(intake->owner.lock);
    if (is_empty || is_passed || !intake->mark.is_set)
        intake->mark = now;
    return is_empty;
}

static int process(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                   kin_error *err)
{
    kin__intake_call *call = arg;

    call->was_made = true;
    call->n_keys = n;
    call->result = call->process(deltas, n, is_initial_list, call->arg, err);
    return call->result;
}

/* The queue could not be had. If one of ours had it, we are woken, or were; else it is looked at later. */
static void await_claim(const kin__intake *intake, unsigned n_unclaimed)
{
    unsigned now = atomic_load_explicit(&intake->n_unclaimed, memory_order_acquire);
    unsigned n_claimed = atomic_load_explicit(&intake->n_claimed, memory_order_relaxed);

    if (now == n_unclaimed && n_claimed == now)
        intake->owner.wake_at(intake->owner.arg,
                              kin__clock_deadline(intake->owner.clock, LOOK_AGAIN_NS));
}

int kin__intake_pop(kin__intake *intake, kin_process_batch_fn *fn, void *arg, size_t max,
                    kin_error *err)
{
    unsigned n_unclaimed = atomic_load_explicit(&intake->n_unclaimed, memory_order_acquire);
    int code;
    bool is_empty;

    intake->call = (kin__intake_call){fn, arg, false, 0, 0};
    code = intake->queue.pop_batch(process, &intake->call, max, 0, intake->queue.arg, err);
    if (intake->call.result == KIN_EREQUEUE)
        intake->must_empty = true;
    if (intake->call.was_made && intake->owner.popped)
        intake->owner.popped(intake->owner.arg, err);
    /* Also after a failure: what was given up is not waited for. */
    is_empty = note_progress(intake);
    /* Something waits and could not be had. */
    if (code == KIN_ETIMEOUT && !is_empty) {
        await_claim(intake, n_unclaimed);
        return 0;
    }
    if (code == KIN_ETIMEOUT || code == KIN_ECLOSED)
        code = 0;
    return code < 0 ? code : !is_empty;
}
