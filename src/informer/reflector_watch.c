/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches, and lists that are the beginning of a watch.
 *
 * A version counts once what belongs to it was put into the store: what the store has refused is listed
 * again from before it. A watch that begins anywhere tells first what there is, in any order; versions of
 * these objects do not count before something else has come.
 *
 * A streaming list tells what there is as additions, and ends that with a bookmark that has an annotation.
 * They are staged as the items of a list are. What comes before the bookmark and is no addition cannot be
 * staged; from there on events are held, and follow the list.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/list_watch.h"
#include "client/status.h"
#include "informer/reflector.h"
#include "informer/reflector_queue.h"
#include "kinform/metadata.h"

/* More events than this before the end of a streaming list, and there is something wrong with it. */
#define HELD_MAX 100000

/* How long after its last addition a streaming list may still get its end. */
#define END_NS (30 * KIN__SECOND)

/* --- the stepper --- */

/* How long the server is asked to let a watch last: those of many programs must not end together. */
static int64_t timeout_of(kin_reflector *reflector)
{
    double extra = kin__random_unit(&reflector->random) * (double)reflector->min_watch_ms;

    return reflector->min_watch_ms + (int64_t)extra;
}

static void begin(kin_reflector *reflector, kin__reflector_call_kind kind, const char *version)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    bool streams = kind == KIN__CALL_STREAM;
    kin__reflector_call *call;
    kin_error why;
    int code;

    reflector->phase = KIN__PHASE_ROUND;
    if (kin__reflector_ends(reflector))
        return;
    call = kin__reflector_call_new(reflector, kind);
    code = call ? 0 : KIN_ENOMEM;
    kin__error_begin(&why);
    if (!call)
        kin__error_no_memory(&why);
    else if (streams)
        code = kin__reflector_begin_replace(reflector, &why);
    if (code < 0) {
        kin__reflector_call_unref(call);
        kin__reflector_failed(reflector, kind, false, &why);
        return;
    }
    reflector->call = call;
    reflector->phase = KIN__PHASE_CALL;
    call->propagates = version[0] != '\0' && strcmp(version, "0") != 0 && !streams;
    options.resource_version = version[0] ? version : NULL;
    options.resource_version_match = streams ? "NotOlderThan" : NULL;
    options.send_initial_events = streams;
    options.bookmarks = true;
    options.watch_timeout_ms = timeout_of(reflector);
    kin__reflector_count(reflector, &reflector->status.watches);
    kin__reflector_measure_watch(reflector);
    kin__reflector_call_begin(call, &options);
}

/*
 * After a failure the state stays BACKING_OFF until the source has agreed. Otherwise each attempt of an outage would
 * look like its end. A source that does not report its agreement is taken to agree at once.
 */
static void report_attempt(kin_reflector *reflector)
{
    kin_reflector_state state = KIN_REFLECTOR_WATCHING;

    kin__mutex_lock(&reflector->lock);
    if (reflector->tells_begin && !KIN_DEFECT(watching_too_early))
        state = reflector->status.state == KIN_REFLECTOR_BACKING_OFF ? KIN_REFLECTOR_BACKING_OFF
                                                                     : KIN_REFLECTOR_CONNECTING;
    reflector->status.backoff_until = 0;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_set_state(reflector, state);
}

void kin__reflector_begin_watch(kin_reflector *reflector)
{
    kin__version version;

    kin__reflector_get_version(reflector, &version);
    report_attempt(reflector);
    if (KIN_DEFECT(resume_skips_one))
        (void)snprintf(version, sizeof(version), "%llu", strtoull(version, NULL, 10) + 1);
    begin(reflector, KIN__CALL_BEGIN, version);
}

void kin__reflector_begin_stream(kin_reflector *reflector)
{
    kin__version version = "";

    if (!reflector->unavailable)
        kin__reflector_get_version(reflector, &version);
    kin__reflector_set_state(reflector, KIN_REFLECTOR_STREAMING);
    kin__reflector_measure_list(reflector);
    reflector->watchdog_at = kin__clock_deadline(reflector->clock, END_NS);
    kin__reflector_set_alarm(reflector, &reflector->watchdog, reflector->watchdog_at);
    begin(reflector, KIN__CALL_STREAM, version);
}

int64_t kin__reflector_call_end_due(kin__reflector_call *call)
{
    kin__mutex_lock(&call->reflector->lock);
    int64_t last = call->last_initial;
    kin__mutex_unlock(&call->reflector->lock);
    return last > INT64_MAX - END_NS ? INT64_MAX : last + END_NS;
}

/* --- what comes --- */

static int put(const kin_reflector *reflector, enum kin_watch_type type, const kin_object *object,
               kin_error *err)
{
    const kin_reflector_store *store = &reflector->store;
    int code;

    if (type == KIN_WATCH_ADDED)
        code = store->add(object, store->arg, err);
    else if (type == KIN_WATCH_MODIFIED)
        code = store->update(object, store->arg, err);
    else
        code = store->delete_(object, store->arg, err);
    if (code >= 0 && reflector->queue)
        kin__reflector_queue_took_event(reflector->queue, type, object);
    return code;
}

/*
 * The store does not take an object, because of the object: a gap, as one that could not be decoded. That something is
 * gone must not be missed, unless it has no key, so that it cannot be in the store.
 */
static bool skips(kin__reflector_call *call, enum kin_watch_type type, const kin_object *object,
                  int code, const char *why)
{
    kin_reflector *reflector = call->reflector;
    kin_str key = kin__reflector_key(reflector, object);

    if (!kin__is_about_object(code) || (type == KIN_WATCH_DELETED && key.len > 0))
        return false;
    kin__reflector_skip(reflector, object, why);
    if (KIN_DEFECT(rejection_deletes))
        (void)put(reflector, KIN_WATCH_DELETED, object, NULL);
    kin__gaps_add(&reflector->gaps, key);
    call->gaps_changed = true;
    return true;
}

/* 0, 1: it was skipped, or why the watch cannot go on. */
static int put_event(kin__reflector_call *call, enum kin_watch_type type, const kin_object *object,
                     kin_error *err)
{
    kin_reflector *reflector = call->reflector;
    int code;

    kin__assert_no_locks();
    code = put(reflector, type, object, err);
    if (code < 0) {
        kin__said(err, code);
        kin__reflector_count(reflector, &reflector->status.store_errors);
        if (skips(call, type, object, code, err->message))
            return 1;
        call->store_failed = true;
        return code;
    }
    if (kin__map_len(&reflector->gaps.known) > 0)
        call->gaps_changed |=
            kin__gaps_heal(&reflector->gaps, kin__reflector_key(reflector, object));
    return 0;
}

void kin__reflector_call_drop_held(kin__reflector_call *call)
{
    for (size_t i = 0; i < call->n_held; i++)
        kin_object_unref(call->held[i].object);
    kin__free(call->held);
    call->held = NULL;
    call->n_held = 0;
    call->held_cap = 0;
}

static int hold(kin__reflector_call *call, enum kin_watch_type type, const kin_object *object,
                kin_error *err)
{
    kin__held_event *held;

    if (call->n_held >= HELD_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a streaming list that does not come to its end");
    held = kin__grow_array(call->held, &call->held_cap, call->n_held + 1, sizeof(*held));
    if (!held)
        return kin__error_no_memory(err);
    call->held = held;
    call->held[call->n_held++] = (kin__held_event){type, kin_object_ref(object)};
    return 0;
}

/* The store has all up to a version; `is_agreement`: with which a watch begins. */
static int put_bookmark(kin__reflector_call *call, kin_str version, bool is_agreement,
                        kin_error *err)
{
    kin_reflector *reflector = call->reflector;
    const kin_reflector_store *store = &reflector->store;
    int code = 0;

    kin__assert_no_locks();
    if (store->bookmark && version.len > 0)
        code = store->bookmark(version, store->arg, err);
    if (code < 0) {
        call->store_failed = true;
        kin__reflector_count(reflector, &reflector->status.store_errors);
        return kin__said(err, code);
    }
    if (reflector->queue && version.len > 0)
        kin__reflector_queue_took_bookmark(reflector->queue, version, is_agreement);
    return 0;
}

/* The list is complete; what was held follows. */
static int finish_list(kin__reflector_call *call, const kin_object *bookmark, kin_error *err)
{
    kin_str version = kin_object_resource_version(bookmark);
    int code;

    if (version.len >= sizeof(kin__version))
        return kin_error_set(err, KIN_EPROTOCOL, "a bookmark with a resource version of %zu bytes",
                             version.len);
    code = kin__reflector_commit(call->reflector, version, err);
    if (code < 0)
        call->store_failed = true;
    for (size_t i = 0; i < call->n_held && code >= 0; i++)
        code = put_event(call, call->held[i].type, call->held[i].object, err);
    /* What was held is of versions before that one. */
    if (code >= 0 && call->n_held > 0)
        code = put_bookmark(call, version, false, err);
    if (code < 0)
        return code;
    kin__reflector_call_drop_held(call);
    kin__reflector_measure_list_end(call->reflector);
    call->synced = true;
    call->propagates = true;
    return 0;
}

/* Before the end of a streaming list. Versions do not count. */
static int take_initial(kin__reflector_call *call, enum kin_watch_type type,
                        const kin_object *object, kin_error *err)
{
    if (type == KIN_WATCH_BOOKMARK)
        return kin__bookmark_ends_list(object) ? finish_list(call, object, err) : 0;
    if (type == KIN_WATCH_ADDED && call->n_held == 0)
        return kin__reflector_call_stage(call, object, err);
    return hold(call, type, object, err);
}

/*
 * Without a list before it, this is how the store gets to know that what it began with still counts. A
 * version that is any says nothing.
 */
int kin__reflector_call_take_begin(kin__reflector_call *call, kin_error *err)
{
    kin_reflector *reflector = call->reflector;
    kin__version version;

    if (!call->propagates)
        return 0;
    kin__reflector_get_version(reflector, &version);
    return put_bookmark(call, kin_str_of(version), true, err);
}

static int take_error(kin__reflector_call *call, const kin_object *status, kin_error *err)
{
    kin_reflector *reflector = call->reflector;
    int code = kin_object_is_status(status) ? kin__status_error(status, err) : 0;
    bool too_large = kin__status_is_too_large(status);

    if (code == 0)
        code = kin_error_set(err, KIN_EPROTOCOL, "an error event that tells of no error");
    kin__mutex_lock(&reflector->lock);
    call->stood = true;
    call->too_large = too_large;
    kin__mutex_unlock(&reflector->lock);
    return code;
}

/* NULL, or why it cannot be used. */
static const char *find_fault(const kin__reflector_call *call, enum kin_watch_type type,
                              const kin_object *object)
{
    kin_scratch scratch;

    if (!kin__reflector_expects(call->reflector, object))
        return "it is of another kind";
    if (type == KIN_WATCH_BOOKMARK)
        return NULL;
    if (kin_str_equal(kin_object_kind(object, &scratch), kin_str_of("Table")) &&
        kin__str_starts_with(kin_object_api_version(object, &scratch), kin_str_of("meta.k8s.io/")))
        return "it is a Table";
    return NULL;
}

int kin__reflector_call_take_event(kin__reflector_call *call, enum kin_watch_type type,
                                   const kin_object *object, kin_error *err)
{
    const char *fault;
    int code;

    if (type == KIN_WATCH_ERROR)
        return take_error(call, object, err);
    if (call->kind == KIN__CALL_STREAM && type == KIN_WATCH_ADDED && call->n_held == 0)
        call->reflector->list_items++;
    fault = find_fault(call, type, object);
    if (fault && call->kind == KIN__CALL_STREAM && type != KIN_WATCH_BOOKMARK) {
        kin__reflector_call_skip_item(call, object, fault);
        return 0;
    }
    if (fault) {
        /* Of no object that the store could have: not a gap. */
        kin__reflector_skip(call->reflector, object, fault);
        return 0;
    }
    if (KIN_DEFECT(nameless_event_dropped) && type != KIN_WATCH_BOOKMARK &&
        kin_object_name(object).len == 0)
        return 0;
    if (type != KIN_WATCH_ADDED)
        call->propagates |= call->kind != KIN__CALL_STREAM;
    if (call->kind == KIN__CALL_STREAM)
        code = take_initial(call, type, object, err);
    else if (type == KIN_WATCH_BOOKMARK)
        code = put_bookmark(call, kin_object_resource_version(object), false, err);
    else
        code = put_event(call, type, object, err);
    if (code < 0)
        return code;
    call->n_events++;
    /* The version stays: a watch that is resumed from here brings the object again. */
    if (code > 0)
        return 0;
    call->took = type;
    call->took_version =
        call->propagates ? kin_object_resource_version(object) : (kin_str){NULL, 0};
    return 0;
}
