/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a fake source: objects, history, faults.
 *
 * The history is a list of changes with the objects before and after them. It serves two readers: a watch goes
 * forward from the change after its version, and a list at an older version takes the current objects and goes
 * back, undoing changes. So a list in pages is of one version without being kept between its pages.
 *
 * Expired history that an open watch has yet to receive stays until a later kin_fake_source_expire(): an open watch never
 * expires.
 *
 * References are given back with no lock held: destroying an object can call the user.
 */
#include "informer/fake_source.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"

static const char INITIAL_EVENTS_END[] = "k8s.io/initial-events-end";

/* --- life --- */

static int copy_options(kin_fake_source *source, const kin_fake_source_options *options)
{
    if (kin__copy_text(&source->api_version, options->api_version) < 0)
        return KIN_ENOMEM;
    source->version = options->first_version ? options->first_version : 1;
    source->floor = source->version;
    return kin__copy_text(&source->kind, options->kind);
}

int kin_fake_source_new(kin_fake_source **ret, const kin_fake_source_options *options,
                        kin_error *err)
{
    kin_fake_source_options all = KIN_FAKE_SOURCE_OPTIONS_INIT;
    kin_fake_source *source;
    int code =
        ret ? kin__options_take(&all, sizeof(all), options, "KIN_FAKE_SOURCE_OPTIONS_INIT", err)
            : kin__error_null(err, "ret");

    if (code < 0)
        return code;
    source = kin__calloc(1, sizeof(*source));
    if (!source)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&source->guard, err);
    if (code == 0)
        code = kin__workers_new(&source->workers, "kin-fake", 1, kin_clock_system(), err);
    if (code == 0 && copy_options(source, &all) < 0)
        code = kin__error_no_memory(err);
    if (code < 0) {
        kin__workers_free(source->workers);
        kin__free(source->api_version);
        kin__free(source);
        return code;
    }
    kin_list_watch_init(&source->base, &kin__fake_source_classes[all.streaming_lists], NULL);
    kin__strand_init(&source->strand, source->workers);
    kin__mutex_init(&source->lock, KIN__RANK_FAKE_SOURCE);
    kin__cond_init(&source->begun);
    kin__list_init(&source->changes);
    kin__list_init(&source->operations);
    *ret = source;
    return 0;
}

static void free_changes(kin__list *changes)
{
    kin__list *link;

    while ((link = kin__list_pop_front(changes))) {
        kin__fake_change *change = kin__fake_change_of(link);

        kin_object_unref(change->object);
        kin_object_unref(change->old);
        kin__free(change);
    }
}

void kin__fake_source_destroy(kin_list_watch *base)
{
    kin_fake_source *source = kin__container_of(base, kin_fake_source, base);

    kin__strand_done(&source->strand);
    kin__workers_free(source->workers);
    free_changes(&source->changes);
    for (size_t i = 0; i < source->objects.len; i++)
        kin_object_unref(source->objects.items[i]);
    kin__free(source->objects.items);
    kin__free(source->api_version);
    kin__free(source->kind);
    kin__cond_done(&source->begun);
    kin__mutex_done(&source->lock);
    kin__free(source);
}

void kin_fake_source_free(kin_fake_source *source)
{
    if (!source || !kin__fork_guard_is_right(&source->guard))
        return;
    kin__mutex_lock(&source->lock);
    source->is_closed = true;
    kin__fake_wake_locked(source);
    kin__mutex_unlock(&source->lock);
    kin__workers_stop(source->workers, KIN__WORKERS_RUN);
    kin_list_watch_unref(&source->base);
}

kin_list_watch *kin_fake_source_list_watch(kin_fake_source *source)
{
    return source ? &source->base : NULL;
}

static int check_source(const kin_fake_source *source, kin_error *err)
{
    return source ? kin__fork_guard_check(&source->guard, err) : kin__error_null(err, "source");
}

/* --- sorted objects --- */

size_t kin__fake_objects_find(const kin__fake_objects *objects, const char *key, bool *ret_is_there)
{
    size_t low = 0;
    size_t high = objects->len;

    *ret_is_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(kin_object_key(objects->items[middle]), key);

        if (order == 0)
            *ret_is_there = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What has the key of `like` becomes `object`, or goes if that is NULL. There is room for one more. */
static void put_object(kin__fake_objects *objects, const kin_object *like, const kin_object *object)
{
    bool is_there;
    size_t at = kin__fake_objects_find(objects, kin_object_key(like), &is_there);
    const kin_object **place = objects->items + at;
    size_t behind = objects->len - at - is_there;

    if (is_there != (object != NULL)) {
        memmove(place + (object != NULL), place + is_there, behind * sizeof(const kin_object *));
        objects->len = at + (object != NULL) + behind;
    }
    if (object)
        *place = object;
}

static int reserve_objects(kin__fake_objects *objects, size_t n)
{
    const kin_object **items;

    if (objects->items && n <= objects->cap)
        return 0;
    items = kin__grow_array(objects->items, &objects->cap, n, sizeof(const kin_object *));
    if (!items)
        return KIN_ENOMEM;
    objects->items = items;
    return 0;
}

int kin__fake_objects_at_locked(kin_fake_source *source, uint64_t version, kin__fake_objects *ret)
{
    kin__fake_objects all = {NULL, 0, 0};
    size_t n_newer = 0;
    kin__list *node;

    for (node = source->changes.prev;
         node != &source->changes && kin__fake_change_of(node)->version > version;
         node = node->prev)
        n_newer++;
    if (reserve_objects(&all, source->objects.len + n_newer + 1) < 0)
        return KIN_ENOMEM;
    all.len = source->objects.len;
    if (all.len)
        memcpy(all.items, source->objects.items, all.len * sizeof(const kin_object *));
    for (node = source->changes.prev; n_newer > 0; node = node->prev, n_newer--) {
        const kin__fake_change *change = kin__fake_change_of(node);

        if (change->type != KIN_WATCH_BOOKMARK)
            put_object(&all, change->object, change->old);
    }
    *ret = all;
    return 0;
}

/* --- changes --- */

static int with_version(const kin_object **ret, const kin_object *object, uint64_t version,
                        kin_error *err)
{
    kin_editor *editor = NULL;
    char text[24];
    int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)version);
    int code = kin_editor_new(&editor, object, err);

    if (code == 0)
        code = kin_editor_set_string(editor, kin_str_of("metadata.resourceVersion"),
                                     kin_str_make(text, (size_t)n), err);
    if (code == 0)
        code = kin_editor_finish(editor, ret, err);
    kin_editor_free(editor);
    return code;
}

/* Bookmarks are of the kind of the first object. 0 or KIN_ENOMEM. */
static int learn_kind_locked(kin_fake_source *source, const kin_object *object)
    KIN_REQUIRES(source->lock);
static int learn_kind_locked(kin_fake_source *source, const kin_object *object)
{
    kin_scratch scratch;

    if (!source->api_version)
        source->api_version = kin__memdup_str(kin_object_api_version(object, &scratch));
    if (!source->kind)
        source->kind = kin__memdup_str(kin_object_kind(object, &scratch));
    return source->api_version && source->kind ? 0 : KIN_ENOMEM;
}

static void append_locked(kin_fake_source *source, kin__fake_change *change)
    KIN_REQUIRES(source->lock);
static void append_locked(kin_fake_source *source, kin__fake_change *change)
{
    change->seq = source->next_seq++;
    change->version = source->version;
    kin__list_push_back(&source->changes, &change->link);
    kin__fake_changed_locked(source, change);
}

/* The object, with its version already, becomes the state of its key. Its reference is CONSUMED. 0 or KIN_ENOMEM. */
static int change_locked(kin_fake_source *source, enum kin_watch_type type,
                         const kin_object *object) KIN_REQUIRES(source->lock);
static int change_locked(kin_fake_source *source, enum kin_watch_type type,
                         const kin_object *object)
{
    kin__fake_change *change = kin__calloc(1, sizeof(*change));
    bool is_there;
    size_t at;

    if (!change || reserve_objects(&source->objects, source->objects.len + 1) < 0 ||
        learn_kind_locked(source, object) < 0) {
        kin__free(change);
        return KIN_ENOMEM;
    }
    at = kin__fake_objects_find(&source->objects, kin_object_key(object), &is_there);
    change->type = type;
    change->object = object;
    change->old = is_there ? source->objects.items[at] : NULL;
    change->is_lost = source->n_to_lose > 0;
    source->n_to_lose -= change->is_lost;
    put_object(&source->objects, object, type == KIN_WATCH_DELETED ? NULL : kin_object_ref(object));
    source->version++;
    append_locked(source, change);
    return 0;
}

/* An object, or the state of a key. */
static int apply(kin_fake_source *source, const kin_object **ret, enum kin_watch_type type,
                 const kin_object *object, const char *key, kin_error *err)
{
    const kin_object *made = NULL;
    bool is_there = true;
    int code;

    kin__mutex_lock(&source->lock);
    if (key) {
        size_t at = kin__fake_objects_find(&source->objects, key, &is_there);

        object = is_there ? source->objects.items[at] : NULL;
    }
    code = is_there ? with_version(&made, object, source->version + 1, err)
                    : kin__error_no_key(err, kin_str_of(key));
    if (code == 0 && change_locked(source, type, made) < 0)
        code = kin__error_no_memory(err);
    if (code == 0 && ret)
        *ret = kin_object_ref(made);
    kin__mutex_unlock(&source->lock);
    if (code < 0)
        kin_object_unref(made);
    return code;
}

static int put(kin_fake_source *source, const kin_object **ret, enum kin_watch_type type,
               const kin_object *object, kin_error *err)
{
    int code = check_source(source, err);

    if (code == 0 && !object)
        code = kin__error_null(err, "object");
    if (code == 0 && kin_object_name(object).len == 0)
        code = kin_error_set(err, KIN_EINVAL, "an object without a name");
    return code < 0 ? code : apply(source, ret, type, object, NULL, err);
}

int kin_fake_source_add(kin_fake_source *source, const kin_object **ret, const kin_object *object,
                        kin_error *err)
{
    return put(source, ret, KIN_WATCH_ADDED, object, err);
}

int kin_fake_source_update(kin_fake_source *source, const kin_object **ret,
                           const kin_object *object, kin_error *err)
{
    return put(source, ret, KIN_WATCH_MODIFIED, object, err);
}

int kin_fake_source_delete(kin_fake_source *source, const kin_object **ret, const char *key,
                           kin_error *err)
{
    int code = check_source(source, err);

    if (code == 0 && !key)
        code = kin__error_null(err, "key");
    return code < 0 ? code : apply(source, ret, KIN_WATCH_DELETED, NULL, key, err);
}

int kin__fake_bookmark_locked(kin_fake_source *source, const kin_object **ret, bool ends_list,
                              kin_error *err)
{
    const kin_object *made = NULL;
    kin_editor *editor = NULL;
    int code = kin_editor_new(&editor, NULL, err);

    if (code == 0 && source->api_version)
        code = kin_editor_set_string(editor, kin_str_of("apiVersion"),
                                     kin_str_of(source->api_version), err);
    if (code == 0 && source->kind)
        code = kin_editor_set_string(editor, kin_str_of("kind"), kin_str_of(source->kind), err);
    if (code == 0 && ends_list)
        code = kin_editor_set_annotation(editor, kin_str_of(INITIAL_EVENTS_END), kin_str_of("true"),
                                         err);
    if (code == 0)
        code = kin_editor_finish(editor, &made, err);
    if (code == 0)
        code = with_version(ret, made, source->version, err);
    kin_object_unref(made);
    kin_editor_free(editor);
    return code;
}

int kin_fake_source_bookmark(kin_fake_source *source, kin_error *err)
{
    kin__fake_change *change;
    int code = check_source(source, err);

    if (code < 0)
        return code;
    change = kin__calloc(1, sizeof(*change));
    if (!change)
        return kin__error_no_memory(err);
    change->type = KIN_WATCH_BOOKMARK;
    kin__mutex_lock(&source->lock);
    code = kin__fake_bookmark_locked(source, &change->object, false, err);
    if (code == 0)
        append_locked(source, change);
    kin__mutex_unlock(&source->lock);
    if (code < 0)
        kin__free(change);
    return code;
}

size_t kin_fake_source_len(kin_fake_source *source)
{
    size_t len;

    if (check_source(source, NULL) < 0)
        return 0;
    kin__mutex_lock(&source->lock);
    len = source->objects.len;
    kin__mutex_unlock(&source->lock);
    return len;
}

uint64_t kin_fake_source_version(kin_fake_source *source)
{
    uint64_t version;

    if (check_source(source, NULL) < 0)
        return 0;
    kin__mutex_lock(&source->lock);
    version = source->version;
    kin__mutex_unlock(&source->lock);
    return version;
}

/* --- faults --- */

void kin_fake_source_lose_events(kin_fake_source *source, size_t n)
{
    if (check_source(source, NULL) < 0)
        return;
    kin__mutex_lock(&source->lock);
    source->n_to_lose = n;
    kin__mutex_unlock(&source->lock);
}

void kin_fake_source_expire(kin_fake_source *source)
{
    kin__list forgotten;
    uint64_t oldest;

    if (check_source(source, NULL) < 0)
        return;
    kin__list_init(&forgotten);
    kin__mutex_lock(&source->lock);
    source->floor = source->version;
    oldest = kin__fake_oldest_locked(source);
    while (!kin__list_is_empty(&source->changes) &&
           kin__fake_change_of(source->changes.next)->seq < oldest)
        kin__list_push_back(&forgotten, kin__list_pop_front(&source->changes));
    kin__mutex_unlock(&source->lock);
    free_changes(&forgotten);
}

/* What a test says of a failure; `code` if it does not say which. */
static void take_error(kin_error *ret, const kin_error *why, int code)
{
    kin__error_begin(ret);
    if (why && why->code < 0)
        kin__error_pass(ret, why->code, why);
    else if (code < 0)
        kin_error_set(ret, code, "a failure that was set at the fake source");
}

void kin_fake_source_break_watches(kin_fake_source *source, const kin_error *why)
{
    kin_error error;

    if (check_source(source, NULL) < 0)
        return;
    take_error(&error, why, 0);
    kin__mutex_lock(&source->lock);
    kin__fake_break_locked(source, &error);
    kin__mutex_unlock(&source->lock);
}

static void set_failures(kin_fake_source *source, kin__fake_failures *failures, size_t n,
                         const kin_error *why)
{
    kin_error error;

    take_error(&error, why, KIN_ECONNECT);
    kin__mutex_lock(&source->lock);
    *failures = (kin__fake_failures){n, error};
    kin__mutex_unlock(&source->lock);
}

void kin_fake_source_fail_lists(kin_fake_source *source, size_t n, const kin_error *why)
{
    if (check_source(source, NULL) == 0)
        set_failures(source, &source->lists, n, why);
}

void kin_fake_source_fail_watches(kin_fake_source *source, size_t n, const kin_error *why)
{
    if (check_source(source, NULL) == 0)
        set_failures(source, &source->watches, n, why);
}

void kin_fake_source_stall(kin_fake_source *source, bool stalls)
{
    if (check_source(source, NULL) < 0)
        return;
    kin__mutex_lock(&source->lock);
    source->stalls = stalls;
    kin__fake_wake_locked(source);
    kin__mutex_unlock(&source->lock);
}

/* --- waiting --- */

static int wait_count(kin_fake_source *source, const size_t *count, size_t n, const char *what,
                      int64_t timeout_ms, kin_error *err)
{
    /* Real time: the caller may have stopped a fake clock. */
    int64_t deadline = kin__clock_deadline_ms(kin_clock_system(), timeout_ms);
    bool in_time = true;
    size_t begun;

    if (kin__workers_runs_here(source->workers))
        return kin_error_set(err, KIN_EBUSY, "a callback of the source would wait for itself");
    kin__mutex_lock(&source->lock);
    while (*count < n && in_time)
        in_time = kin__cond_wait_until(&source->begun, &source->lock, kin_clock_system(), deadline);
    begun = *count;
    kin__mutex_unlock(&source->lock);
    return begun >= n
               ? 0
               : kin_error_set(err, KIN_ETIMEOUT, "%zu of %zu %s were begun", begun, n, what);
}

int kin_fake_source_wait_lists(kin_fake_source *source, size_t n, int64_t timeout_ms,
                               kin_error *err)
{
    int code = check_source(source, err);

    return code < 0 ? code : wait_count(source, &source->n_lists, n, "lists", timeout_ms, err);
}

int kin_fake_source_wait_watches(kin_fake_source *source, size_t n, int64_t timeout_ms,
                                 kin_error *err)
{
    int code = check_source(source, err);

    return code < 0 ? code : wait_count(source, &source->n_watches, n, "watches", timeout_ms, err);
}
