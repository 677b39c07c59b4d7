/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operation of the source, and the thread that calls back for it.
 *
 * A callback counts if it is let in: the call is neither closed nor ended. While it is in, the stepper
 * does not touch what is the call's; when it leaves a call that was closed meanwhile, it wakes the
 * stepper. So a source may call back late, or once too often, and nothing happens.
 */
#include "base/error.h"
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "client/list_watch.h"
#include "informer/reflector.h"

kin__reflector_call *kin__reflector_call_new(kin_reflector *reflector,
                                             kin__reflector_call_kind kind)
{
    kin__reflector_call *call = kin__calloc(1, sizeof(*call));

    if (!reflector->repeats)
        reflector->n_counted = 0;
    reflector->n_skipped = 0;
    reflector->repeats = false;
    if (!call)
        return NULL;
    kin__ref_init(&call->ref);
    call->reflector = kin__reflector_ref(reflector);
    call->kind = kind;
    call->begun = kin_clock_now(reflector->clock);
    call->last_initial = call->begun;
    kin__error_begin(&call->err);
    kin__error_begin(&call->own_err);
    return call;
}

void kin__reflector_call_unref(kin__reflector_call *call)
{
    kin_reflector *reflector;

    if (!call || !kin__ref_put(&call->ref))
        return;
    reflector = call->reflector;
    kin__reflector_call_drop_held(call);
    kin__free(call->token);
    kin__free(call);
    kin__reflector_unref(reflector);
}

/* --- the source's thread --- */

static bool enter(kin__reflector_call *call)
{
    kin_reflector *reflector = call->reflector;

    kin__mutex_lock(&reflector->lock);
    bool counts = (!call->closed || KIN_DEFECT(late_event_counts)) && !call->ended && !call->busy;
    if (counts) {
        call->busy = true;
        reflector->n_inside++;
        reflector->inside = pthread_self();
    }
    kin__mutex_unlock(&reflector->lock);
    return counts;
}

/* What an event that was taken changes in what others see. */
static void note_event_locked(kin_reflector *reflector, kin__reflector_call *call, int64_t now)
    KIN_REQUIRES(reflector->lock);
static void note_event_locked(kin_reflector *reflector, kin__reflector_call *call, int64_t now)
{
    kin_reflector_status *status = &reflector->status;

    /* What can be an initial one. Other changes and bookmarks come for ever, also without an end. */
    if (call->took == KIN_WATCH_ADDED && call->n_held == 0)
        call->last_initial = now;
    if (call->took == KIN_WATCH_BOOKMARK) {
        status->bookmarks++;
        status->last_bookmark = now;
        /* The bookmark that ends a streaming list does not promise others. */
        reflector->sees_bookmarks |= call->kind != KIN__CALL_STREAM;
    } else {
        status->events++;
        status->last_event = now;
    }
    if (call->took_version.len > 0 && call->took_version.len < sizeof(reflector->version)) {
        memcpy(reflector->version, call->took_version.data, call->took_version.len);
        reflector->version[call->took_version.len] = '\0';
    }
    if (call->synced && call->kind == KIN__CALL_STREAM) {
        call->kind = KIN__CALL_WATCH;
        status->lists++;
        status->streams++;
        status->last_list = now;
    }
}

static void leave(kin__reflector_call *call)
{
    kin_reflector *reflector = call->reflector;
    bool took = call->took != 0;
    int64_t now = took ? kin_clock_now(reflector->clock) : 0;
    bool wake;

    /* While nobody else can tell anything. */
    if (took)
        kin__reflector_measure_version(reflector, call->took_version);
    kin__mutex_lock(&reflector->lock);
    wake = call->synced && call->kind == KIN__CALL_STREAM;
    bool saw = reflector->sees_bookmarks;
    if (took)
        note_event_locked(reflector, call, now);
    wake |= saw != reflector->sees_bookmarks;
    if (call->gaps_changed)
        kin__reflector_note_gaps_locked(reflector);
    wake |= call->gaps_changed;
    call->gaps_changed = false;
    if (took && call->kind == KIN__CALL_BEGIN && !call->stands) {
        /* A source that leaves out `begun` agrees with its first event. */
        call->stands = true;
        wake = true;
    }
    call->took = (enum kin_watch_type)0;
    call->busy = false;
    reflector->n_inside--;
    wake |= call->closed;
    kin__mutex_unlock(&reflector->lock);
    if (wake)
        kin__reflector_wake(reflector);
}

static int late(kin_error *err)
{
    return kin_error_set(err, KIN_ECANCELED, "nobody waits for it any more");
}

/* A failure of our own: what the source makes of it may say less. */
static int own(kin__reflector_call *call, int code, const kin_error *err)
{
    if (code < 0 && call->own_err.code == 0)
        kin__error_pass(&call->own_err, code, err);
    return code;
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    kin__reflector_call *call = arg;
    int code;

    if (!enter(call))
        return late(err);
    code = object ? kin__reflector_call_take_item(call, object, err)
                  : kin_error_set(err, KIN_EINVAL, "the source listed NULL as an object");
    own(call, code, err);
    leave(call);
    return code;
}

/* 0, KIN_EINVAL: a source of the caller's own gave an event that does not exist. */
static int check_event(enum kin_watch_type type, const kin_object *object, kin_error *err)
{
    if (type < KIN_WATCH_ADDED || type > KIN_WATCH_ERROR)
        return kin_error_set(err, KIN_EINVAL, "the source gave an event of the unknown type %d",
                             (int)type);
    return object ? 0
                  : kin_error_set(err, KIN_EINVAL, "the source gave an event %s without an object",
                                  kin_watch_type_name(type));
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    kin__reflector_call *call = arg;
    int code;

    if (!enter(call))
        return late(err);
    code = check_event(type, object, err);
    if (code == 0)
        code = kin__reflector_call_take_event(call, type, object, err);
    own(call, code, err);
    leave(call);
    return code;
}

static int on_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                  kin_error *err)
{
    kin__reflector_call *call = arg;
    int code;

    if (!enter(call))
        return late(err);
    code = why ? kin__reflector_call_take_bad(call, type, key, why, err)
               : kin_error_set(err, KIN_EINVAL, "the source does not say why an object is bad");
    own(call, code, err);
    leave(call);
    return code;
}

/* A watch stands: the store is as the source was at the version that it begins with. */
static int on_begun(void *arg, kin_error *err)
{
    kin__reflector_call *call = arg;
    int code;

    if (!enter(call))
        return late(err);
    code = own(call, kin__reflector_call_take_begin(call, err), err);
    leave(call);
    kin__mutex_lock(&call->reflector->lock);
    call->stands = code == 0;
    call->reflector->tells_begin = true;
    kin__mutex_unlock(&call->reflector->lock);
    kin__reflector_wake(call->reflector);
    return code;
}

static void end(kin__reflector_call *call, int code, const kin_error *err, bool stood,
                bool too_large)
{
    kin_reflector *reflector = call->reflector;

    kin__mutex_lock(&reflector->lock);
    call->ended = true;
    call->stood |= stood;
    call->too_large |= too_large;
    call->code = code;
    if (code < 0)
        kin__error_pass(&call->err, code, err);
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_wake(reflector);
}

static void on_doubt(bool in_doubt, void *arg)
{
    kin__reflector_call *call = arg;
    kin_reflector *reflector = call->reflector;

    kin__mutex_lock(&reflector->lock);
    if (!call->closed && !call->ended)
        reflector->status.in_doubt = in_doubt;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_wake(reflector);
}

static void on_done(const kin_result *result, void *arg)
{
    const kin_result none = {sizeof(none), KIN_EINVAL, NULL, NULL, NULL, false, 0};
    kin__reflector_call *call = arg;
    kin_error why;
    int code;

    if (!enter(call))
        return;
    kin__error_begin(&why);
    result = result ? result : &none;
    code = result->code <= 0 ? result->code : KIN_EINVAL;
    /* A source that was built for an older version has a shorter result. */
    if (result->size >= sizeof(*result))
        call->listed_bytes = result->listed_bytes;
    if (code < 0 && !result->err)
        kin_error_set(&why, code, "the source does not say why it failed");
    if (code == 0 && call->kind == KIN__CALL_LIST && !call->resolves)
        code = own(call, kin__reflector_call_read_list(call, result->object, &why), &why);
    else if (code < 0 && result->err)
        why = *result->err;
    leave(call);
    end(call, code, &why, result->stood, code < 0 && kin__status_is_too_large(result->status));
}

static void on_release(void *arg)
{
    kin__reflector_call_unref(arg);
}

/* --- the stepper --- */

void kin__reflector_call_begin(kin__reflector_call *call, const kin_request_options *options)
{
    kin_list_watch *source = call->reflector->source;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    bool is_list = call->kind == KIN__CALL_LIST;
    kin_error why;
    int code;

    kin__error_begin(&why);
    if (is_list)
        handlers.item = on_item;
    else
        handlers.event = on_event;
    if (call->kind == KIN__CALL_BEGIN)
        handlers.begun = on_begun;
    handlers.done = on_done;
    handlers.bad = on_bad;
    handlers.doubt = on_doubt;
    handlers.arg = call;
    handlers.arg_free = on_release;
    kin__ref_get(&call->ref);
    if (call->resolves)
        code = kin__list_watch_resolve(source, &call->operation, &handlers, &why);
    else if (is_list)
        code = kin_list_watch_list(source, &call->operation, options, &handlers, &why);
    else
        code = kin_list_watch_watch(source, &call->operation, options, &handlers, &why);
    if (code < 0) {
        kin__reflector_call_unref(call);
        end(call, code, &why, false, false);
        return;
    }
    kin__mutex_lock(&call->reflector->lock);
    call->reflector->listened = call->operation;
    kin__mutex_unlock(&call->reflector->lock);
}

bool kin__reflector_call_close(kin__reflector_call *call)
{
    kin_reflector *reflector = call->reflector;
    kin_operation *operation = call->operation;

    kin__mutex_lock(&reflector->lock);
    bool ended = call->ended;
    bool idle = !call->busy;
    call->closed = true;
    /* It is about to be released. */
    kin__reflector_look_locked(reflector, &reflector->status);
    reflector->listened = NULL;
    reflector->status.in_doubt = false;
    kin__mutex_unlock(&reflector->lock);
    call->operation = NULL;
    if (!ended)
        kin_operation_cancel(operation);
    kin_operation_release(operation);
    return idle;
}
