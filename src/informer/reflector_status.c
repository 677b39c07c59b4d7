/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reflector says of itself, and what it says of others.
 */
#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/str.h"
#include "cache/input.h"
#include "client/list_watch.h"
#include "informer/reflector.h"
#include "informer/reflector_queue.h"
#include "kinform/metadata.h"

static const char component[] = "reflector";

static const char *const names[] = {
    [KIN_REFLECTOR_IDLE] = "idle",
    [KIN_REFLECTOR_LISTING] = "listing",
    [KIN_REFLECTOR_STREAMING] = "streaming",
    [KIN_REFLECTOR_WATCHING] = "watching",
    [KIN_REFLECTOR_BACKING_OFF] = "backing off",
    [KIN_REFLECTOR_STOPPED] = "stopped",
    [KIN_REFLECTOR_CONNECTING] = "connecting",
};

const char *kin_reflector_state_name(kin_reflector_state state)
{
    return (size_t)state < kin__array_len(names) ? names[state] : "?";
}

static const char *const operations[] = {
    [KIN_FAILED_LIST] = "list",
    [KIN_FAILED_PAGE] = "page",
    [KIN_FAILED_STREAMING_LIST] = "streaming list",
    [KIN_FAILED_WATCH_BEGIN] = "beginning of a watch",
    [KIN_FAILED_WATCH] = "watch",
    [KIN_FAILED_RESYNC] = "resync",
};

const char *kin_failed_operation_name(kin_failed_operation operation)
{
    size_t i = (size_t)operation;

    return i < kin__array_len(operations) && operations[i] ? operations[i] : "?";
}

/* --- what others ask --- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void kin__reflector_look_locked(const kin_reflector *reflector, kin_reflector_status *status)
{
    kin_encoding encoding = kin__operation_encoding(reflector->listened);

    status->last_heard = later(status->last_heard, kin__operation_last_heard(reflector->listened));
    if (encoding != KIN_ENCODING_DEFAULT)
        status->encoding = encoding;
    status->json_fallbacks += kin__operation_fell_back(reflector->listened);
}

int kin_reflector_get_status(kin_reflector *reflector, kin_reflector_status *ret, kin_error *err)
{
    kin_reflector_status all;
    int code;

    if (!reflector || !ret)
        return kin__error_null(err, reflector ? "ret" : "reflector");
    code = kin__fork_guard_check(&reflector->guard, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&reflector->lock);
    all = reflector->status;
    memcpy(all.resource_version, reflector->version, sizeof(all.resource_version));
    kin__reflector_look_locked(reflector, &all);
    kin__mutex_unlock(&reflector->lock);
    all.last_heard =
        later(all.last_heard, later(all.last_list, later(all.last_event, all.last_bookmark)));
    all.listed = atomic_load_explicit(&reflector->n_listed, memory_order_relaxed);
    return kin__options_give(ret, &all, sizeof(all), "KIN_REFLECTOR_STATUS_INIT", err);
}

size_t kin_reflector_last_version(kin_reflector *reflector, char *buf, size_t size)
{
    kin__version version = "";
    size_t len;

    if (reflector && kin__fork_guard_check(&reflector->guard, NULL) == 0)
        kin__reflector_get_version(reflector, &version);
    len = strlen(version);
    if (size > 0) {
        size_t n = len < size ? len : size - 1;

        memcpy(buf, version, n);
        buf[n] = '\0';
    }
    return len;
}

const char *kin_reflector_name(const kin_reflector *reflector)
{
    return reflector ? reflector->name : "";
}

/* --- what is noted --- */

void kin__reflector_get_version(kin_reflector *reflector, kin__version *ret)
{
    kin__mutex_lock(&reflector->lock);
    memcpy(*ret, reflector->version, sizeof(*ret));
    kin__mutex_unlock(&reflector->lock);
}

void kin__reflector_set_version(kin_reflector *reflector, kin_str version)
{
    kin__assert(version.len < sizeof(reflector->version));
    kin__mutex_lock(&reflector->lock);
    memcpy(reflector->version, version.data, version.len);
    reflector->version[version.len] = '\0';
    kin__mutex_unlock(&reflector->lock);
}

void kin__reflector_note_gaps_locked(kin_reflector *reflector)
{
    reflector->status.gaps = kin__gaps_count(&reflector->gaps);
    reflector->status.keeps_missing = reflector->gaps.keeps_missing;
}

void kin__reflector_count(kin_reflector *reflector, uint64_t *count)
{
    kin__mutex_lock(&reflector->lock);
    ++*count;
    kin__mutex_unlock(&reflector->lock);
}

/* The server was reached, and requests fail until permissions, credentials or certificates change. */
static bool is_refusal(const kin_error *err)
{
    return err->code == KIN_EDENIED || err->code == KIN_ETLS;
}

void kin__reflector_note_error(kin_reflector *reflector, kin_failed_operation operation,
                               const kin_error *err)
{
    int64_t now = kin_clock_now(reflector->clock);

    reflector->failed = operation;
    kin__mutex_lock(&reflector->lock);
    /* A streaming list that fails is followed by a list at once: both are one attempt. */
    if (!is_refusal(err))
        reflector->status.refusals = 0;
    else if (reflector->status.state != KIN_REFLECTOR_STREAMING)
        reflector->status.refusals++;
    reflector->status.last_error = *err;
    reflector->status.last_error_time = now;
    kin__mutex_unlock(&reflector->lock);
}

/* --- what is told --- */

void kin__reflector_set_state(kin_reflector *reflector, kin_reflector_state state)
{
    int64_t now = kin_clock_now(reflector->clock);
    bool changed;

    kin__mutex_lock(&reflector->lock);
    changed = reflector->status.state != state;
    if (changed) {
        reflector->status.state = state;
        reflector->status.since = now;
    }
    if (state != KIN_REFLECTOR_BACKING_OFF)
        reflector->status.backoff_until = 0;
    if (state == KIN_REFLECTOR_WATCHING)
        reflector->status.refusals = 0;
    kin__mutex_unlock(&reflector->lock);
    if (changed)
        kin__reflector_report(reflector);
}

void kin__reflector_report(kin_reflector *reflector)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    if ((!reflector->options.status && !reflector->queue) || kin__reflector_is_freed(reflector))
        return;
    kin_reflector_get_status(reflector, &status, NULL);
    kin__assert_no_locks();
    if (reflector->queue)
        kin__reflector_queue_note_state(reflector->queue, status.state);
    if (reflector->options.status)
        reflector->options.status(reflector, &status, reflector->options.arg);
    /* The last: the reflector's owner may go. */
    if (reflector->queue)
        kin__reflector_queue_has_state(reflector->queue, status.state);
}

bool kin__reflector_is_freed(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool freed = reflector->freed;
    kin__mutex_unlock(&reflector->lock);
    return freed;
}

void kin__reflector_tell_error(kin_reflector *reflector, const kin_error *err, bool is_watch_error)
{
    /* An expired version needs no attention. */
    kin_log_level level = err->code == KIN_EEXPIRED ? KIN_LOG_DEBUG : KIN_LOG_ERROR;
    const kin_failure failure = {sizeof(failure), reflector->failed, err, NULL, is_watch_error};

    if (!reflector->failed)
        return;
    reflector->failed = (kin_failed_operation)0;
    if (kin__reflector_is_freed(reflector))
        return;
    if (reflector->options.error) {
        kin__assert_no_locks();
        reflector->options.error(reflector, &failure, reflector->options.arg);
        return;
    }
    if (!is_watch_error)
        return;
    kin__log(reflector->logger, level, component, "failed to list or watch",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_S("error", err->message),
             KIN__LOG_I("status", err->http_status));
}

kin_str kin__reflector_key(const kin_reflector *reflector, const kin_object *object)
{
    kin_str key = {NULL, 0};

    kin__assert_no_locks();
    return kin__input_key(reflector->key, reflector->key_arg, object, &key, NULL) == 0
               ? key
               : (kin_str){NULL, 0};
}

static void skip(kin_reflector *reflector, kin_str key, kin_str kind, const char *why)
{
    uint64_t hidden = 0;

    /* It was reported when the request was tried before. */
    if (++reflector->n_skipped <= reflector->n_counted)
        return;
    reflector->n_counted = reflector->n_skipped;
    kin__reflector_count(reflector, &reflector->status.skipped);
    if (!kin__log_limit_allows(&reflector->skip_log, kin_clock_now(reflector->clock), &hidden))
        return;
    kin__log(reflector->logger, KIN_LOG_WARN, component, "an object is skipped",
             KIN__LOG_S("reflector", reflector->name),
             KIN__LOG_V("object", key.len > 0 ? key : kin_str_of("?")), KIN__LOG_V("kind", kind),
             KIN__LOG_S("error", why), KIN__LOG_U("more", hidden));
}

void kin__reflector_skip(kin_reflector *reflector, const kin_object *object, const char *why)
{
    kin_scratch scratch;

    skip(reflector, kin__reflector_key(reflector, object), kin_object_kind(object, &scratch), why);
}

void kin__reflector_skip_bad(kin_reflector *reflector, kin_str key, const char *why)
{
    skip(reflector, key, kin_str_of(""), why);
}

/* --- what is expected --- */

static bool differs(kin_str actual, const char *expected)
{
    return expected && !kin_str_equal(actual, kin_str_of(expected));
}

static bool is_partial(kin_str api_version, kin_str kind)
{
    return kin_str_equal(kind, kin_str_of("PartialObjectMetadata")) &&
           kin__str_starts_with(api_version, kin_str_of("meta.k8s.io/"));
}

/*
 * Whether it is of the resource that the source asks for. An object that does not say what it is may be: a
 * projection leaves out what nobody wants.
 */
static bool is_of_resource(const kin_reflector *reflector, kin_str api_version, kin_str kind)
{
    const kin_resource *resource = kin__list_watch_resource(reflector->source);

    if (!resource || kind.len == 0)
        return true;
    if (is_partial(api_version, kind))
        return kin__list_watch_is_partial(reflector->source);
    return !differs(kind, kin_resource_kind(resource)) &&
           (api_version.len == 0 || !differs(api_version, kin_resource_api_version(resource)));
}

bool kin__reflector_expects(const kin_reflector *reflector, const kin_object *object)
{
    const kin_reflector_options *options = &reflector->options;
    kin_scratch scratch[2];
    kin_str api_version;
    kin_str kind;

    if (!options->api_version && !options->kind && !reflector->expects_resource)
        return true;
    api_version = kin_object_api_version(object, &scratch[0]);
    kind = kin_object_kind(object, &scratch[1]);
    if (reflector->expects_resource && !is_of_resource(reflector, api_version, kind))
        return false;
    return !differs(api_version, options->api_version) && !differs(kind, options->kind);
}
