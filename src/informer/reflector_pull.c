/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operation of the source, and the thread that calls back for it.
 *
 * A callback counts if it is let in: the pull is neither closed nor ended. While it is in, the stepper
 * does not touch what is the pull's; when it leaves a pull that was closed meanwhile, it wakes the
 * stepper. So a source may call back late, or once too often, and nothing happens.
 */
#include "base/error.h"
#include <string.h>

#include "base/defect.h"
#include "base/memory.h"
#include "client/list_watch.h"
#include "informer/reflector.h"

kin__pull *kin__pull_new(kin_reflector *reflector, kin__pull_kind kind)
{
    kin__pull *pull = kin__calloc(1, sizeof(*pull));

    if (!reflector->repeats)
        reflector->n_counted = 0;
    reflector->n_skipped = 0;
    reflector->repeats = false;
    if (!pull)
        return NULL;
    kin__ref_init(&pull->ref);
    pull->reflector = kin__reflector_ref(reflector);
    pull->kind = kind;
    pull->begun = kin_clock_now(reflector->clock);
    pull->last_initial = pull->begun;
    kin__error_begin(&pull->err);
    kin__error_begin(&pull->own_err);
    return pull;
}

void kin__pull_unref(kin__pull *pull)
{
    kin_reflector *reflector;

    if (!pull || !kin__ref_put(&pull->ref))
        return;
    reflector = pull->reflector;
    kin__pull_drop_held(pull);
    kin__free(pull->token);
    kin__free(pull);
    kin__reflector_unref(reflector);
}

/* --- the source's thread --- */

static bool enter(kin__pull *pull)
{
    kin_reflector *reflector = pull->reflector;

    kin__mutex_lock(&reflector->lock);
    bool counts = (!pull->closed || KIN_DEFECT(late_event_counts)) && !pull->ended && !pull->busy;
    if (counts) {
        pull->busy = true;
        reflector->n_inside++;
        reflector->inside = pthread_self();
    }
    kin__mutex_unlock(&reflector->lock);
    return counts;
}

/* What an event that was taken changes in what others see. */
static void note_event_locked(kin_reflector *reflector, kin__pull *pull, int64_t now)
    KIN_REQUIRES(reflector->lock);
static void note_event_locked(kin_reflector *reflector, kin__pull *pull, int64_t now)
{
    kin_reflector_status *status = &reflector->status;

    /* What can be an initial one. Other changes and bookmarks come for ever, also without an end. */
    if (pull->took == KIN_WATCH_ADDED && pull->n_held == 0)
        pull->last_initial = now;
    if (pull->took == KIN_WATCH_BOOKMARK) {
        status->bookmarks++;
        status->last_bookmark = now;
        /* The bookmark that ends a streaming list does not promise others. */
        reflector->sees_bookmarks |= pull->kind != KIN__PULL_STREAM;
    } else {
        status->events++;
        status->last_event = now;
    }
    if (pull->took_version.len > 0 && pull->took_version.len < sizeof(reflector->version)) {
        memcpy(reflector->version, pull->took_version.data, pull->took_version.len);
        reflector->version[pull->took_version.len] = '\0';
    }
    if (pull->synced && pull->kind == KIN__PULL_STREAM) {
        pull->kind = KIN__PULL_WATCH;
        status->lists++;
        status->streams++;
        status->last_list = now;
    }
}

static void leave(kin__pull *pull)
{
    kin_reflector *reflector = pull->reflector;
    bool took = pull->took != 0;
    int64_t now = took ? kin_clock_now(reflector->clock) : 0;
    bool wake;

    /* While nobody else can tell anything. */
    if (took)
        kin__reflector_measure_version(reflector, pull->took_version);
    kin__mutex_lock(&reflector->lock);
    wake = pull->synced && pull->kind == KIN__PULL_STREAM;
    bool saw = reflector->sees_bookmarks;
    if (took)
        note_event_locked(reflector, pull, now);
    wake |= saw != reflector->sees_bookmarks;
    if (pull->gaps_changed)
        kin__reflector_note_gaps_locked(reflector);
    wake |= pull->gaps_changed;
    pull->gaps_changed = false;
    if (took && pull->kind == KIN__PULL_BEGIN && !pull->stands) {
        /* A source that leaves out `begun` agrees with its first event. */
        pull->stands = true;
        wake = true;
    }
    pull->took = (enum kin_watch_type)0;
    pull->busy = false;
    reflector->n_inside--;
    wake |= pull->closed;
    kin__mutex_unlock(&reflector->lock);
    if (wake)
        kin__reflector_wake(reflector);
}

static int late(kin_error *err)
{
    return kin_error_set(err, KIN_ECANCELED, "nobody waits for it any more");
}

/* A failure of our own: what the source makes of it may say less. */
static int own(kin__pull *pull, int code, const kin_error *err)
{
    if (code < 0 && pull->own_err.code == 0)
        kin__error_pass(&pull->own_err, code, err);
    return code;
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    kin__pull *pull = arg;
    int code;

    if (!enter(pull))
        return late(err);
    code = object ? kin__pull_take_item(pull, object, err)
                  : kin_error_set(err, KIN_EINVAL, "the source listed NULL as an object");
    own(pull, code, err);
    leave(pull);
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
    kin__pull *pull = arg;
    int code;

    if (!enter(pull))
        return late(err);
    code = check_event(type, object, err);
    if (code == 0)
        code = kin__pull_take_event(pull, type, object, err);
    own(pull, code, err);
    leave(pull);
    return code;
}

static int on_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                  kin_error *err)
{
    kin__pull *pull = arg;
    int code;

    if (!enter(pull))
        return late(err);
    code = why ? kin__pull_take_bad(pull, type, key, why, err)
               : kin_error_set(err, KIN_EINVAL, "the source does not say why an object is bad");
    own(pull, code, err);
    leave(pull);
    return code;
}

/* A watch stands: the store is as the source was at the version that it begins with. */
static int on_begun(void *arg, kin_error *err)
{
    kin__pull *pull = arg;
    int code;

    if (!enter(pull))
        return late(err);
    code = own(pull, kin__pull_take_begin(pull, err), err);
    leave(pull);
    kin__mutex_lock(&pull->reflector->lock);
    pull->stands = code == 0;
    pull->reflector->tells_begin = true;
    kin__mutex_unlock(&pull->reflector->lock);
    kin__reflector_wake(pull->reflector);
    return code;
}

static void end(kin__pull *pull, int code, const kin_error *err, bool stood, bool too_large)
{
    kin_reflector *reflector = pull->reflector;

    kin__mutex_lock(&reflector->lock);
    pull->ended = true;
    pull->stood |= stood;
    pull->too_large |= too_large;
    pull->code = code;
    if (code < 0)
        kin__error_pass(&pull->err, code, err);
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_wake(reflector);
}

static void on_doubt(bool in_doubt, void *arg)
{
    kin__pull *pull = arg;
    kin_reflector *reflector = pull->reflector;

    kin__mutex_lock(&reflector->lock);
    if (!pull->closed && !pull->ended)
        reflector->status.in_doubt = in_doubt;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_wake(reflector);
}

static void on_done(const kin_result *result, void *arg)
{
    const kin_result none = {sizeof(none), KIN_EINVAL, NULL, NULL, NULL, false, 0};
    kin__pull *pull = arg;
    kin_error why;
    int code;

    if (!enter(pull))
        return;
    kin__error_begin(&why);
    result = result ? result : &none;
    code = result->code <= 0 ? result->code : KIN_EINVAL;
    /* A source that was built for an older version has a shorter result. */
    if (result->size >= sizeof(*result))
        pull->listed_bytes = result->listed_bytes;
    if (code < 0 && !result->err)
        kin_error_set(&why, code, "the source does not say why it failed");
    if (code == 0 && pull->kind == KIN__PULL_LIST && !pull->resolves)
        code = own(pull, kin__pull_read_list(pull, result->object, &why), &why);
    else if (code < 0 && result->err)
        why = *result->err;
    leave(pull);
    end(pull, code, &why, result->stood, code < 0 && kin__status_is_too_large(result->status));
}

static void on_release(void *arg)
{
    kin__pull_unref(arg);
}

/* --- the stepper --- */

void kin__pull_begin(kin__pull *pull, const kin_request_options *options)
{
    kin_list_watch *source = pull->reflector->source;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    bool is_list = pull->kind == KIN__PULL_LIST;
    kin_error why;
    int code;

    kin__error_begin(&why);
    if (is_list)
        handlers.item = on_item;
    else
        handlers.event = on_event;
    if (pull->kind == KIN__PULL_BEGIN)
        handlers.begun = on_begun;
    handlers.done = on_done;
    handlers.bad = on_bad;
    handlers.doubt = on_doubt;
    handlers.arg = pull;
    handlers.arg_free = on_release;
    kin__ref_get(&pull->ref);
    if (pull->resolves)
        code = kin__list_watch_resolve(source, &pull->operation, &handlers, &why);
    else if (is_list)
        code = kin_list_watch_list(source, &pull->operation, options, &handlers, &why);
    else
        code = kin_list_watch_watch(source, &pull->operation, options, &handlers, &why);
    if (code < 0) {
        kin__pull_unref(pull);
        end(pull, code, &why, false, false);
        return;
    }
    kin__mutex_lock(&pull->reflector->lock);
    pull->reflector->listened = pull->operation;
    kin__mutex_unlock(&pull->reflector->lock);
}

bool kin__pull_close(kin__pull *pull)
{
    kin_reflector *reflector = pull->reflector;
    kin_operation *operation = pull->operation;

    kin__mutex_lock(&reflector->lock);
    bool ended = pull->ended;
    bool idle = !pull->busy;
    pull->closed = true;
    /* It is about to be released. */
    kin__reflector_look_locked(reflector, &reflector->status);
    reflector->listened = NULL;
    reflector->status.in_doubt = false;
    kin__mutex_unlock(&reflector->lock);
    pull->operation = NULL;
    if (!ended)
        kin_operation_cancel(operation);
    kin_operation_release(operation);
    return idle;
}
