/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watch that is begun again and again. The thread that runs it sleeps, while the source calls back
 * from its own; both meet under the lock. Every wait ends when it is stopped.
 *
 * client-go's goes on for ever when a server answers 410 to the beginning of a watch (#122207). Here
 * it ends there too: the version will not come back.
 */
#include "kinform/retry_watch.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/lock_rank.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "kinform/store.h"

enum {
    MIN_DELAY_MS = 1000,
    MAX_RETRY_AFTER_MS = 30 * 1000, /* as the longest delay of a reflector */
    WATCH_MS = 5 * 60 * 1000,       /* of a single watch, and up to as much again */
};

struct kin_retry_watch {
    kin_list_watch *source;
    kin_clock *clock;
    kin_logger *logger;
    int64_t min_delay;
    int64_t watch_timeout_ms;  /* 0: any; -1: the server's */
    uint64_t n_watches;        /* the runner's */
    kin_watch_event_fn *event; /* of the run that is under way */
    void *arg;

    kin__mutex lock;   /* rank RETRY_WATCH */
    kin__cond changed; /* one of those below */
    bool running;      /* (lock) kin_retry_watch_run() is under way */
    bool stopped;      /* (lock) */
    bool ended;        /* (lock) the single watch has */
    bool by_callback;  /* (lock) the event function, or what it was given, has ended it */
    int code;          /* (lock) what it ended with */
    kin_error err;     /* (lock) */
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1]; /* (lock) */
};

/* --- life --- */

static int check_version(const char *version, kin_error *err)
{
    if (!version)
        return kin__error_null(err, "resource_version");
    if (version[0] == '\0' || strcmp(version, "0") == 0)
        return kin_error_set(err, KIN_EINVAL, "a watch cannot be resumed from the version \"%s\"",
                             version);
    if (strlen(version) > KIN_RESOURCE_VERSION_BYTES_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a resource version of more than %d bytes",
                             KIN_RESOURCE_VERSION_BYTES_MAX);
    return 0;
}

int kin_retry_watch_new(kin_retry_watch **ret, kin_list_watch *source, const char *resource_version,
                        const kin_retry_watch_options *options, kin_error *err)
{
    kin_retry_watch_options all = KIN_RETRY_WATCH_OPTIONS_INIT;
    kin_retry_watch *watch;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_RETRY_WATCH_OPTIONS_INIT", err);

    if (code == 0 && (!ret || !source))
        code = kin__error_null(err, ret ? "source" : "ret");
    if (code == 0)
        code = check_version(resource_version, err);
    if (code == 0 && (all.min_delay_ms < 0 || all.min_delay_ms > INT64_MAX / KIN__MILLISECOND))
        code = kin_error_set(err, KIN_EINVAL, "a delay of %lld ms", (long long)all.min_delay_ms);
    if (code < 0)
        return code;
    watch = kin__calloc(1, sizeof(*watch));
    if (!watch)
        return kin__error_no_memory(err);
    watch->source = kin_list_watch_ref(source);
    watch->clock = kin_clock_ref(all.clock ? all.clock : kin_clock_system());
    watch->logger = all.logger ? kin_logger_ref(all.logger) : kin_default_logger();
    watch->min_delay = (all.min_delay_ms ? all.min_delay_ms : MIN_DELAY_MS) * KIN__MILLISECOND;
    watch->watch_timeout_ms = all.watch_timeout_ms;
    kin__mutex_init(&watch->lock, KIN__RANK_RETRY_WATCH);
    kin__cond_init(&watch->changed);
    memcpy(watch->version, resource_version, strlen(resource_version) + 1);
    *ret = watch;
    return 0;
}

void kin_retry_watch_free(kin_retry_watch *watch)
{
    if (!watch)
        return;
    kin__cond_done(&watch->changed);
    kin__mutex_done(&watch->lock);
    kin_logger_unref(watch->logger);
    kin_clock_unref(watch->clock);
    kin_list_watch_unref(watch->source);
    kin__free(watch);
}

/* --- the source's thread --- */

/* Whether the object has a version to go on from; then that is the watch's. */
static bool note_version(kin_retry_watch *watch, const kin_object *object)
{
    kin_str version = kin_object_resource_version(object);

    if (version.len == 0 || version.len > KIN_RESOURCE_VERSION_BYTES_MAX)
        return false;
    kin__mutex_lock(&watch->lock);
    memcpy(watch->version, version.data, version.len);
    watch->version[version.len] = '\0';
    kin__mutex_unlock(&watch->lock);
    return true;
}

static bool is_stopped(kin_retry_watch *watch)
{
    bool is_stopped;

    kin__mutex_lock(&watch->lock);
    is_stopped = watch->stopped;
    kin__mutex_unlock(&watch->lock);
    return is_stopped;
}

static int stopped(kin_error *err)
{
    return kin_error_set(err, KIN_ECANCELED, "the watch was stopped");
}

static void note_end_by_callback(kin_retry_watch *watch)
{
    kin__mutex_lock(&watch->lock);
    watch->by_callback = true;
    kin__mutex_unlock(&watch->lock);
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    kin_retry_watch *watch = arg;
    int code = 0;

    /* More may have come already than whoever has stopped it wants to know. */
    if (is_stopped(watch))
        return stopped(err);
    if (type < KIN_WATCH_ADDED || type > KIN_WATCH_ERROR || !object)
        code = kin_error_set(err, KIN_EINVAL, "the source gave an event of type %d %s", (int)type,
                             object ? "" : "without an object");
    else if (kin_object_resource_version(object).len == 0)
        code = kin_error_set(err, KIN_EPROTOCOL, "%s of an object without a resource version",
                             kin_watch_type_name(type));
    else if (type != KIN_WATCH_BOOKMARK)
        code = watch->event(type, object, watch->arg, err);
    /* What was refused is told again by the next run. */
    if (code == 0 && !note_version(watch, object))
        code = kin_error_set(err, KIN_EPROTOCOL, "a resource version that is too long");
    if (code != 0)
        note_end_by_callback(watch);
    return code;
}

static void on_done(const kin_result *result, void *arg)
{
    kin_retry_watch *watch = arg;

    kin__mutex_lock(&watch->lock);
    watch->ended = true;
    watch->code = result && result->code <= 0 ? result->code : KIN_EINVAL;
    kin__error_begin(&watch->err);
    if (watch->code < 0)
        kin__error_pass(&watch->err, watch->code, result ? result->err : NULL);
    kin__cond_broadcast(&watch->changed);
    kin__mutex_unlock(&watch->lock);
}

/* --- the runner's thread --- */

/*
 * How long the server is asked to let a single watch last; 0: it decides. A watch that lasts longer is
 * dead, so there is always a bound; and those of many programs must not end together.
 */
static int64_t timeout_of(kin_retry_watch *watch)
{
    uint64_t n = watch->n_watches++;
    uint64_t seed = kin__hash_seed() ^ (uint64_t)kin_clock_now(watch->clock);

    if (watch->watch_timeout_ms != 0)
        return watch->watch_timeout_ms > 0 ? watch->watch_timeout_ms : 0;
    return WATCH_MS + (int64_t)(kin__hash(seed, &n, sizeof(n)) % WATCH_MS);
}

static int begin(kin_retry_watch *watch, kin_operation **ret, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    kin__mutex_lock(&watch->lock);
    memcpy(version, watch->version, sizeof(version));
    watch->ended = false;
    watch->by_callback = false;
    watch->code = 0;
    kin__mutex_unlock(&watch->lock);
    options.resource_version = version;
    options.bookmarks = true;
    options.watch_timeout_ms = timeout_of(watch);
    handlers.event = on_event;
    handlers.done = on_done;
    handlers.arg = watch;
    return kin_list_watch_watch(watch->source, ret, &options, &handlers, err);
}

/* A single watch, to its end. Whether a callback has ended it. */
static int watch_once(kin_retry_watch *watch, bool *ret_by_callback, kin_error *err)
{
    kin_operation *operation = NULL;
    int code = begin(watch, &operation, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&watch->lock);
    while (!watch->ended && !watch->stopped)
        kin__cond_wait(&watch->changed, &watch->lock);
    if (!watch->ended) {
        kin__mutex_unlock(&watch->lock);
        kin_operation_cancel(operation);
        kin__mutex_lock(&watch->lock);
    }
    while (!watch->ended)
        kin__cond_wait(&watch->changed, &watch->lock);
    code = watch->code;
    *ret_by_callback = watch->by_callback;
    if (code < 0)
        kin__error_pass(err, code, &watch->err);
    kin__mutex_unlock(&watch->lock);
    kin_operation_release(operation);
    return code;
}

/* Whether it can go on from the same version. */
static bool can_go_on(int code, bool by_callback, const kin_error *why)
{
    if (code == 0)
        return true;
    return !by_callback && why->flags & KIN_ERROR_RETRIABLE;
}

/* 0 when the time has come, KIN_ECANCELED. */
static int wait_until(kin_retry_watch *watch, int64_t deadline)
{
    int code;

    kin__mutex_lock(&watch->lock);
    while (!watch->stopped &&
           kin__cond_wait_until(&watch->changed, &watch->lock, watch->clock, deadline))
        ;
    code = watch->stopped ? KIN_ECANCELED : 0;
    kin__mutex_unlock(&watch->lock);
    return code;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The server may ask for an hour: a watch must not be deaf for so long. */
static int64_t asked_delay(const kin_error *why)
{
    return why->retry_after_ms < MAX_RETRY_AFTER_MS ? why->retry_after_ms : MAX_RETRY_AFTER_MS;
}

static int retry_watch_run(kin_retry_watch *watch, kin_error *err)
{
    for (;;) {
        int64_t next = kin__clock_deadline(watch->clock, watch->min_delay);
        bool by_callback = false;
        kin_error why;
        int code;

        kin__error_begin(&why);
        code = watch_once(watch, &by_callback, &why);
        if (!can_go_on(code, by_callback, &why))
            return is_stopped(watch) && code == KIN_ECANCELED ? stopped(err)
                                                              : kin__error_pass(err, code, &why);
        if (code < 0)
            kin__log(watch->logger, KIN_LOG_INFO, "retry watch",
                     "a watch has failed, and is resumed", KIN__LOG_S("error", why.message));
        if (why.retry_after_ms > 0)
            next = later(next, kin__clock_deadline_ms(watch->clock, asked_delay(&why)));
        if (wait_until(watch, next) < 0)
            return stopped(err);
    }
}

int kin_retry_watch_run(kin_retry_watch *watch, kin_watch_event_fn *event, void *arg,
                        kin_error *err)
{
    bool busy;
    bool too_late;
    int code;

    if (!watch || !event)
        return kin__error_null(err, watch ? "event" : "watch");
    kin__mutex_lock(&watch->lock);
    busy = watch->running;
    too_late = watch->stopped;
    watch->running |= !too_late;
    kin__mutex_unlock(&watch->lock);
    if (busy)
        return kin_error_set(err, KIN_EBUSY, "the watch runs already");
    if (too_late)
        return stopped(err);
    watch->event = event;
    watch->arg = arg;
    code = retry_watch_run(watch, err);
    kin__mutex_lock(&watch->lock);
    watch->running = false;
    kin__mutex_unlock(&watch->lock);
    return code;
}

void kin_retry_watch_stop(kin_retry_watch *watch)
{
    if (!watch)
        return;
    kin__mutex_lock(&watch->lock);
    watch->stopped = true;
    kin__cond_broadcast(&watch->changed);
    kin__mutex_unlock(&watch->lock);
}

size_t kin_retry_watch_resource_version(kin_retry_watch *watch, char *buf, size_t size)
{
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1] = "";
    size_t len;

    if (watch) {
        kin__mutex_lock(&watch->lock);
        memcpy(version, watch->version, sizeof(version));
        kin__mutex_unlock(&watch->lock);
    }
    len = strlen(version);
    if (size > 0) {
        size_t n = len < size ? len : size - 1;

        memcpy(buf, version, n);
        buf[n] = '\0';
    }
    return len;
}
