/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From informers to the queue: which keys an event concerns; and the wait for caches.
 *
 * No key is lost for want of memory: a handler that has none waits a moment and tries again, in its own
 * thread. What comes meanwhile waits in its queue, which is bounded.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"
#include "cache/input.h"
#include "kinform/metadata.h"
#include "runtime/reconciler.h"

enum {
    NOTED_ROOM = 1024,
    NAME_ROOM = 512 /* bytes for a key that is put together; a longer one is allocated */
};

/* Of one event. */
struct kin_reconcile_keys {
    kin_work_queue *queue;
    kin_work_priority priority;
    bool is_old; /* what follows is of the former state */
    /*
     * Keys of the new state, each behind its length: a key may have any bytes. Those of the former state
     * are mostly the same, and to add them once more would have them worked on twice. What has no room
     * here just is.
     */
    size_t len;
    char noted[NOTED_ROOM];
};

/* --- keys --- */

static bool was_noted(const kin_reconcile_keys *keys, kin_str key)
{
    for (size_t at = 0; at < keys->len;) {
        uint16_t len;

        memcpy(&len, keys->noted + at, sizeof(len));
        at += sizeof(len);
        if (kin__str_compare(kin_str_make(keys->noted + at, len), key) == 0)
            return true;
        at += len;
    }
    return false;
}

static void note(kin_reconcile_keys *keys, kin_str key)
{
    size_t room = sizeof(keys->noted) - keys->len;
    uint16_t len = (uint16_t)key.len;

    if (keys->is_old || room < sizeof(len) || key.len > room - sizeof(len))
        return;
    memcpy(keys->noted + keys->len, &len, sizeof(len));
    keys->len += sizeof(len);
    memcpy(keys->noted + keys->len, key.data, key.len);
    keys->len += key.len;
}

int kin_reconcile_keys_add(kin_reconcile_keys *keys, kin_str key, kin_error *err)
{
    kin_work_add how = KIN_WORK_ADD_INIT;
    kin_error why;
    int code;

    if (!keys)
        return kin__error_null(err, "keys");
    if (keys->is_old && was_noted(keys, key))
        return 0;
    kin__error_begin(&why);
    how.priority = keys->priority;
    code = kin_work_queue_add_with(keys->queue, key, &how, &why);
    if (code == 0)
        note(keys, key);
    return code == 0 || code == KIN_ECLOSED ? 0 : kin__error_pass(err, code, &why);
}

int kin_reconcile_keys_add_name(kin_reconcile_keys *keys, kin_namespaced_name name, kin_error *err)
{
    char room[NAME_ROOM];
    char *key = room;
    int code = 0;

    if (name.name.len == 0)
        return kin_error_set(err, KIN_EINVAL, "an empty name");
    if (kin_key_format(room, sizeof(room), name.namespace_, name.name) >= sizeof(room))
        code = kin_key_new(&key, name.namespace_, name.name, err);
    if (code == 0)
        code = kin_reconcile_keys_add(keys, kin_str_of(key), err);
    if (key != room)
        kin_free(key);
    return code;
}

int kin_keys_of_object(const kin_object *object, kin_reconcile_keys *ret, void *arg, kin_error *err)
{
    (void)arg;
    if (!object)
        return kin__error_null(err, "object");
    return kin_reconcile_keys_add(ret, kin_str_of(kin_object_key(object)), err);
}

/* `wanted`: "Deployment.apps", or "Deployment"; the owner's is "apps/v1" and "Deployment". */
static bool is_of_kind(const kin_owner_reference *owner, const char *wanted)
{
    kin_str kind = kin_str_of(wanted);
    size_t dot = kin__str_find(kind, '.');
    kin_str group = kin_str_make(owner->api_version.data, kin__str_find(owner->api_version, '/'));

    if (kin__str_compare(owner->kind, kin_str_make(kind.data, dot)) != 0)
        return false;
    /* That of the core has no slash. */
    if (group.len == owner->api_version.len)
        group.len = 0;
    return dot == kind.len ||
           kin__str_compare(group, kin_str_make(kind.data + dot + 1, kind.len - dot - 1)) == 0;
}

/* The owner's namespace is the object's, unless it has none. */
static int add_controller(const kin_object *object, kin_reconcile_keys *ret, const char *kind,
                          bool is_cluster_wide, kin_error *err)
{
    kin_namespaced_name key = {{NULL, 0}, {NULL, 0}};
    kin_owner_reference owner;

    if (!object)
        return kin__error_null(err, "object");
    if (kin_object_controller(&owner, object) < 0 || (kind && !is_of_kind(&owner, kind)))
        return 0;
    if (!is_cluster_wide)
        key.namespace_ = kin_object_namespace(object);
    key.name = owner.name;
    return kin_reconcile_keys_add_name(ret, key, err);
}

int kin_keys_of_controller(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                           kin_error *err)
{
    return add_controller(object, ret, arg, false, err);
}

int kin_keys_of_cluster_controller(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                                   kin_error *err)
{
    return add_controller(object, ret, arg, true, err);
}

/* --- the handler --- */

/* Memory may come back. False: nobody wants it any more. */
static bool wait_a_moment(kin_reconciler *reconciler)
{
    int64_t deadline = kin__clock_deadline(reconciler->clock, KIN__RECONCILER_RETRY);
    bool in_time = true;

    while (in_time) {
        uint64_t seen = kin__pulse_now(&reconciler->pulse);

        if (kin__reconciler_is_stopping(reconciler))
            return false;
        in_time = kin__pulse_wait(&reconciler->pulse, seen, reconciler->clock, deadline);
    }
    return true;
}

static void report_unmapped(kin_reconciler *reconciler, const kin_object *object,
                            const kin_error *why)
{
    kin__mutex_lock(&reconciler->lock);
    reconciler->unmapped++;
    kin__mutex_unlock(&reconciler->lock);
    kin__log(reconciler->logger, KIN_LOG_ERROR, "reconciler",
             "nobody knows which keys an object concerns",
             KIN__LOG_S("reconciler", reconciler->name),
             KIN__LOG_S("object", kin_object_key(object)), KIN__LOG_S("error", why->message));
}

static void add_keys(kin__source *source, const kin_object *object, kin_reconcile_keys *keys)
{
    kin_reconciler *reconciler = source->reconciler;
    kin_error said;
    kin_error why;
    int code;

    do {
        kin__error_begin(&said);
        code = source->keys(object, keys, source->arg, &said);
    } while (code == KIN_ENOMEM && wait_a_moment(reconciler));
    if (code == 0 || code == KIN_ENOMEM)
        return;
    kin__error_begin(&why);
    kin__error_pass(&why, code, &said);
    report_unmapped(reconciler, object, &why);
}

static void take_event(const kin_event *event, void *arg)
{
    kin__source *source = arg;
    kin_reconcile_keys keys;

    keys.queue = source->reconciler->queue;
    keys.priority = event->is_initial || event->is_sync ? KIN_WORK_LOW : KIN_WORK_HIGH;
    keys.is_old = false;
    keys.len = 0;
    add_keys(source, event->object, &keys);
    if (!event->old_object || event->is_sync)
        return;
    keys.is_old = true;
    add_keys(source, event->old_object, &keys);
}

/* --- sources --- */

/* Under an informer's lock. */
static void note_progress(kin__progress *progress)
{
    kin_reconciler *reconciler = kin__container_of(progress, kin__source, progress)->reconciler;

    if (atomic_load_explicit(&reconciler->is_expectant, memory_order_acquire))
        kin__pulse_raise(&reconciler->pulse);
}

/* The same, before that. */
static void note_stored(kin__progress *progress, const kin__notice *notices, size_t n)
{
    kin__source_note_stored(kin__container_of(progress, kin__source, progress), notices, n);
}

static void free_source(kin__source *source)
{
    if (source->registration)
        kin_informer_remove_handler_wait(source->informer, source->registration, NULL);
    kin__informer_remove_progress(source->informer, &source->progress);
    kin__source_done_waits(source);
    kin_registration_unref(source->registration);
    kin__free(source->kind);
    kin__free(source);
}

/* CONSUMES the source if it fails. */
static int keep_source(kin_reconciler *reconciler, kin__source *source, kin_error *err)
{
    bool is_new;

    kin__mutex_lock(&reconciler->lock);
    is_new = reconciler->state == KIN_RECONCILER_NEW;
    if (is_new)
        kin__list_push_back(&reconciler->sources, &source->link);
    kin__mutex_unlock(&reconciler->lock);
    if (is_new)
        return 0;
    free_source(source);
    return kin_error_set(err, KIN_EBUSY, "\"%s\" was started already", reconciler->name);
}

static int make_source(kin__source **ret, kin_reconciler *reconciler, kin_informer *informer,
                       kin_error *err)
{
    kin__source *source;
    int code = kin__reconciler_check(reconciler, err);

    if (code == 0 && !informer)
        code = kin__error_null(err, "informer");
    if (code < 0)
        return code;
    source = kin__calloc(1, sizeof(*source));
    if (!source)
        return kin__error_no_memory(err);
    kin__list_init(&source->link);
    kin__list_init(&source->progress.link);
    source->reconciler = reconciler;
    source->informer = informer;
    source->progress.run = note_progress;
    source->progress.stored = note_stored;
    kin__source_init_waits(source);
    kin__informer_add_progress(informer, &source->progress);
    *ret = source;
    return 0;
}

/* `kind` may be NULL. */
static int watch(kin_reconciler *reconciler, kin_informer *informer, kin_reconcile_keys_fn *keys,
                 void *arg, const char *kind, const kin_handler_options *options, kin_error *err)
{
    kin_handler_options all = KIN_HANDLER_OPTIONS_INIT;
    kin__source *source = NULL;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_HANDLER_OPTIONS_INIT", err);

    if (code == 0 && (all.delivery != KIN_DELIVER_THREAD || all.arg_free))
        code = kin_error_set(err, KIN_EINVAL, "the handler is the reconciler's own");
    if (code == 0)
        code = make_source(&source, reconciler, informer, err);
    if (code != 0)
        return code;
    if (kin__copy_text(&source->kind, kind) < 0)
        code = kin__error_no_memory(err);
    source->keys = keys;
    source->arg = source->kind ? source->kind : arg;
    all.size = sizeof(all);
    if (!all.name)
        all.name = reconciler->name;
    if (code == 0)
        code = kin_informer_add_handler(informer, &source->registration, take_event, source, &all,
                                        err);
    if (code < 0) {
        free_source(source);
        return code;
    }
    return keep_source(reconciler, source, err);
}

/* The key that the object has in the store of an informer, which may have a key function. */
static int keys_of_informer(const kin_object *object, kin_reconcile_keys *ret, void *arg,
                            kin_error *err)
{
    const kin_informer *informer = arg;
    kin_str key = {NULL, 0};
    int code = kin__input_key(informer->options.key, informer->options.key_arg, object, &key, err);

    return code < 0 ? code : kin_reconcile_keys_add(ret, key, err);
}

int kin_reconciler_watch(kin_reconciler *reconciler, kin_informer *informer,
                         kin_reconcile_keys_fn *keys, void *arg, const kin_handler_options *options,
                         kin_error *err)
{
    if (!keys)
        return watch(reconciler, informer, keys_of_informer, informer, NULL, options, err);
    return watch(reconciler, informer, keys, arg, NULL, options, err);
}

int kin_reconciler_watch_owned(kin_reconciler *reconciler, kin_informer *informer, const char *kind,
                               const kin_handler_options *options, kin_error *err)
{
    return watch(reconciler, informer, kin_keys_of_controller, NULL, kind, options, err);
}

int kin_reconciler_watch_owned_by_cluster(kin_reconciler *reconciler, kin_informer *informer,
                                          const char *kind, const kin_handler_options *options,
                                          kin_error *err)
{
    return watch(reconciler, informer, kin_keys_of_cluster_controller, NULL, kind, options, err);
}

int kin_reconciler_read(kin_reconciler *reconciler, kin_informer *informer, kin_error *err)
{
    kin__source *source = NULL;
    int code = make_source(&source, reconciler, informer, err);

    return code < 0 ? code : keep_source(reconciler, source, err);
}

kin__source *kin__reconciler_source_of(kin_reconciler *reconciler, const kin_informer *informer)
{
    kin__list_for_each(&reconciler->sources, node) {
        kin__source *source = kin__list_entry(node, kin__source, link);

        if (source->informer == informer)
            return source;
    }
    return NULL;
}

void kin__reconciler_remove_handlers(kin_reconciler *reconciler)
{
    kin__list_for_each(&reconciler->sources, node) {
        kin__source *source = kin__list_entry(node, kin__source, link);

        if (source->registration)
            kin_informer_remove_handler(source->informer, source->registration);
    }
}

bool kin__reconciler_is_told_here(kin_reconciler *reconciler)
{
    bool is_here = false;

    kin__mutex_lock(&reconciler->lock);
    kin__list_for_each(&reconciler->sources, node) {
        const kin_registration *registration =
            kin__list_entry(node, kin__source, link)->registration;

        is_here = is_here || (registration && kin__listener_calls_here(registration->listener));
    }
    kin__mutex_unlock(&reconciler->lock);
    return is_here;
}

void kin__reconciler_free_sources(kin_reconciler *reconciler)
{
    kin__list *node;

    while ((node = kin__list_pop_front(&reconciler->sources)))
        free_source(kin__list_entry(node, kin__source, link));
}

/* --- waiting for caches --- */

static int was_stopped(kin_reconciler *reconciler, kin_error *err)
{
    return kin_error_set(err, KIN_ECLOSED, "\"%s\" was stopped", reconciler->name);
}

/* A source that was refused ends the wait, whichever is waited for. The result of its wait, or 0. */
static int find_refusal(kin_reconciler *reconciler, kin_error *err)
{
    kin__list_for_each(&reconciler->sources, node) {
        kin_informer *informer = kin__list_entry(node, kin__source, link)->informer;
        int code = kin_informer_wait_synced(informer, 0, NULL);

        if (code == KIN_EDENIED || code == KIN_ETLS)
            return kin_informer_wait_synced(informer, 0, err);
    }
    return 0;
}

/* The store: informers tell of their progress, and whoever stops raises the pulse. */
static int await_store(kin_reconciler *reconciler, kin__source *source, int64_t deadline,
                       kin_error *err)
{
    bool in_time = true;

    for (;;) {
        uint64_t seen = kin__pulse_now(&reconciler->pulse);
        int code;

        if (kin_informer_wait_synced(source->informer, 0, NULL) != KIN_ETIMEOUT || !in_time)
            return kin_informer_wait_synced(source->informer, 0, err);
        code = find_refusal(reconciler, err);
        if (code < 0)
            return code;
        if (kin__reconciler_is_stopping(reconciler))
            return was_stopped(reconciler, err);
        in_time = kin__pulse_wait(&reconciler->pulse, seen, reconciler->clock, deadline);
    }
}

/* Rounded up: 0 would not wait at all. */
static int64_t left_ms(kin_reconciler *reconciler, int64_t deadline)
{
    int64_t now = kin_clock_now(reconciler->clock);

    if (deadline == INT64_MAX)
        return -1;
    return deadline <= now ? 0 : (deadline - now + KIN__MILLISECOND - 1) / KIN__MILLISECOND;
}

/* The handler: all of it is queued. Who stops removes the handler, which ends this. */
static int await_handler(kin_reconciler *reconciler, kin__source *source, int64_t deadline,
                         kin_error *err)
{
    int code;

    if (!source->registration)
        return 0;
    code = kin_registration_wait_synced(source->registration, left_ms(reconciler, deadline), err);
    return code == KIN_ECLOSED ? was_stopped(reconciler, err) : code;
}

static int await_all(kin_reconciler *reconciler, kin_error *err)
{
    int64_t deadline = kin__clock_deadline_ms(reconciler->clock, reconciler->sync_timeout_ms);
    int code = 0;

    kin__list_for_each(&reconciler->sources, node) {
        kin__source *source = kin__list_entry(node, kin__source, link);

        if (code == 0 && kin__informer_runs_here(source->informer))
            code = kin_error_set(err, KIN_EBUSY, "a callback of \"%s\" would wait for itself",
                                 source->informer->name);
        if (code == 0)
            code = await_store(reconciler, source, deadline, err);
        if (code == 0)
            code = await_handler(reconciler, source, deadline, err);
    }
    return code;
}

int kin__reconciler_await_caches(kin_reconciler *reconciler, kin_error *err)
{
    int code;

    atomic_store_explicit(&reconciler->is_expectant, true, memory_order_release);
    code = await_all(reconciler, err);
    atomic_store_explicit(&reconciler->is_expectant, false, memory_order_release);
    return code;
}
