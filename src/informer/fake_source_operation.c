/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and watches of a fake source.
 *
 * What an operation has to tell at first is decided when it is begun, in the thread that begins it: its objects, and how
 * a list ends, or why it is refused. So a list shows the state of that moment, and the worker allocates nothing. Then
 * the worker takes steps: `begun`, the objects, for a watch the changes one by one, `done`. A watch that has nothing to
 * tell waits until it is posted again.
 *
 * An operation is in the source's list until its last step, and cannot be posted after it.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"
#include "informer/fake_source.h"
#include "kinform/editor.h"

struct operation {
    kin_operation base;
    kin__ref ref;            /* the caller's, and the source's until it has ended */
    kin_fake_source *source; /* SHARED */
    kin_call_handlers handlers;
    bool is_list;
    bool bookmarks;
    bool is_refused;          /* it ends without having begun */
    kin__list link;           /* (lock) */
    kin__task task;           /* (lock) posted while is_posted */
    bool is_posted;           /* (lock) or it runs */
    bool is_cancelled;        /* (lock) */
    bool has_begun;           /* the worker's */
    kin__fake_objects first;  /* the worker's; a reference to each */
    size_t n_told;            /* the worker's; of these */
    const kin_object *last;   /* SHARED: the list without items, or a bookmark until it is sent */
    kin__fake_change *next;   /* (lock) that it has to look at; NULL: it has seen all */
    uint64_t ends_at;         /* (lock) it ends before this change; UINT64_MAX: not yet */
    kin_error why;            /* (lock) how; code 0: well */
    const kin_object *status; /* SHARED: `why` as a server sends it, or NULL */
};

static struct operation *operation_of(kin_operation *base)
{
    return kin__container_of(base, struct operation, base);
}

static struct operation *linked_operation(kin__list *link)
{
    return kin__list_entry(link, struct operation, link);
}

static void operation_unref(struct operation *operation)
{
    if (!kin__ref_put(&operation->ref))
        return;
    for (size_t i = 0; i < operation->first.len; i++)
        kin_object_unref(operation->first.items[i]);
    kin__free(operation->first.items);
    kin_object_unref(operation->last);
    kin_object_unref(operation->status);
    kin_list_watch_unref(&operation->source->base);
    kin__free(operation);
}

/* --- waking --- */

static void wake_locked(kin_fake_source *source, struct operation *operation)
    KIN_REQUIRES(source->lock);
static void wake_locked(kin_fake_source *source, struct operation *operation)
{
    if (!operation->is_posted && !kin__list_is_empty(&operation->link))
        operation->is_posted = kin__strand_post(&source->strand, &operation->task) == 0;
}

void kin__fake_wake_locked(kin_fake_source *source)
{
    kin__list_for_each(&source->operations, node)
        wake_locked(source, linked_operation(node));
}

void kin__fake_changed_locked(kin_fake_source *source, kin__fake_change *change)
{
    kin__list_for_each(&source->operations, node) {
        struct operation *operation = linked_operation(node);

        if (!operation->is_list && !operation->next)
            operation->next = change;
    }
    kin__fake_wake_locked(source);
}

void kin__fake_break_locked(kin_fake_source *source, const kin_error *why)
{
    kin__list_for_each(&source->operations, node) {
        struct operation *operation = linked_operation(node);

        if (operation->is_list || operation->ends_at != UINT64_MAX)
            continue;
        operation->ends_at = source->next_seq;
        operation->why = *why;
    }
    kin__fake_wake_locked(source);
}

uint64_t kin__fake_oldest_locked(kin_fake_source *source)
{
    uint64_t oldest = UINT64_MAX;

    kin__list_for_each(&source->operations, node) {
        const kin__fake_change *next = linked_operation(node)->next;

        if (next && next->seq < oldest)
            oldest = next->seq;
    }
    return oldest;
}

static void operation_cancel(kin_operation *base)
{
    struct operation *operation = operation_of(base);
    kin_fake_source *source = operation->source;

    kin__mutex_lock(&source->lock);
    operation->is_cancelled = true;
    wake_locked(source, operation);
    kin__mutex_unlock(&source->lock);
}

static void operation_release(kin_operation *base)
{
    operation_unref(operation_of(base));
}

/* --- the worker --- */

enum step {
    STEP_WAIT,
    STEP_BEGIN,
    STEP_ITEM,
    STEP_EVENT,
    STEP_END,
};

struct telling {
    enum kin_watch_type type;
    const kin_object *object; /* a reference */
};

/* The next change that the watch receives; NULL: none as yet, or it ends before. */
static kin__fake_change *next_change_locked(const kin_fake_source *source,
                                            struct operation *operation) KIN_REQUIRES(source->lock);
static kin__fake_change *next_change_locked(const kin_fake_source *source,
                                            struct operation *operation)
{
    while (operation->next && operation->next->seq < operation->ends_at) {
        kin__fake_change *change = operation->next;
        bool is_bookmark = change->type == KIN_WATCH_BOOKMARK;

        operation->next =
            change->link.next == &source->changes ? NULL : kin__fake_change_of(change->link.next);
        if (!change->is_lost && (!is_bookmark || operation->bookmarks))
            return change;
    }
    return NULL;
}

static enum step event_step(struct telling *ret, enum kin_watch_type type, const kin_object *object)
{
    *ret = (struct telling){type, kin_object_ref(object)};
    return STEP_EVENT;
}

/* Of an operation that was neither cancelled nor refused. */
static enum step tell_step_locked(const kin_fake_source *source, struct operation *operation,
                                  struct telling *ret) KIN_REQUIRES(source->lock);
static enum step tell_step_locked(const kin_fake_source *source, struct operation *operation,
                                  struct telling *ret)
{
    const kin__fake_change *change;

    if (!operation->has_begun) {
        operation->has_begun = true;
        if (!operation->is_list && operation->handlers.begun)
            return STEP_BEGIN;
    }
    if (operation->n_told < operation->first.len) {
        event_step(ret, KIN_WATCH_ADDED, operation->first.items[operation->n_told++]);
        return operation->is_list ? STEP_ITEM : STEP_EVENT;
    }
    if (operation->is_list)
        return STEP_END;
    if (operation->last) {
        *ret = (struct telling){KIN_WATCH_BOOKMARK, operation->last};
        operation->last = NULL;
        return STEP_EVENT;
    }
    change = next_change_locked(source, operation);
    if (change)
        return event_step(ret, change->type, change->object);
    if (operation->ends_at == UINT64_MAX)
        return STEP_WAIT;
    if (!operation->status)
        return STEP_END;
    /* As servers do it: an error event comes first. */
    *ret = (struct telling){KIN_WATCH_ERROR, operation->status};
    operation->status = NULL;
    return STEP_EVENT;
}

static enum step next_step_locked(kin_fake_source *source, struct operation *operation,
                                  struct telling *ret) KIN_REQUIRES(source->lock);
static enum step next_step_locked(kin_fake_source *source, struct operation *operation,
                                  struct telling *ret)
{
    if (operation->is_cancelled)
        kin_error_set(&operation->why, KIN_ECANCELED, "the operation was cancelled");
    else if (source->is_closed)
        kin_error_set(&operation->why, KIN_ECLOSED, "the fake source was freed");
    else if (source->stalls)
        return STEP_WAIT;
    else if (!operation->is_refused)
        return tell_step_locked(source, operation, ret);
    return STEP_END;
}

/* Its next step. After the last one no other thread looks at it, and after STEP_WAIT it may be posted again. */
static enum step take_step(struct operation *operation, struct telling *ret)
{
    kin_fake_source *source = operation->source;
    enum step step;

    kin__mutex_lock(&source->lock);
    step = next_step_locked(source, operation, ret);
    if (step == STEP_WAIT)
        operation->is_posted = false;
    if (step == STEP_END)
        kin__list_remove(&operation->link);
    kin__mutex_unlock(&source->lock);
    return step;
}

/* A callback has ended it. */
static void end_with(struct operation *operation, int code, const kin_error *err)
{
    kin_fake_source *source = operation->source;

    kin__mutex_lock(&source->lock);
    kin__list_remove(&operation->link);
    kin__error_pass(&operation->why, code, err);
    kin__mutex_unlock(&source->lock);
}

static int call_back(struct operation *operation, enum step step, const struct telling *telling,
                     kin_error *err)
{
    const kin_call_handlers *handlers = &operation->handlers;

    kin__assert_no_locks();
    switch (step) {
    case STEP_BEGIN:
        return handlers->begun(handlers->arg, err);
    case STEP_ITEM:
        return handlers->item(telling->object, handlers->arg, err);
    default:
        return handlers->event(telling->type, telling->object, handlers->arg, err);
    }
}

static void finish(struct operation *operation)
{
    const kin_call_handlers *handlers = &operation->handlers;
    kin_result result = {
        .size = sizeof(result), .code = operation->why.code, .err = &operation->why};

    result.stood = operation->has_begun && !operation->is_list;
    result.status = operation->status;
    if (result.code == 0 && operation->is_list)
        result.object = operation->last;
    if (handlers->done)
        handlers->done(&result, handlers->arg);
    if (handlers->arg_free)
        handlers->arg_free(handlers->arg);
    operation_unref(operation);
}

static void run_operation(kin__task *task, bool dropped)
{
    struct operation *operation = kin__container_of(task, struct operation, task);
    struct telling telling = {KIN_WATCH_ERROR, NULL};
    enum step step;

    (void)dropped; /* the source was closed before, so that it ends */
    while ((step = take_step(operation, &telling)) != STEP_WAIT && step != STEP_END) {
        kin_error err;

        kin__error_begin(&err);
        int code = call_back(operation, step, &telling, &err);
        kin_object_unref(telling.object);
        telling.object = NULL;
        if (code < 0) {
            end_with(operation, code, &err);
            step = STEP_END;
            break;
        }
    }
    if (step == STEP_END)
        finish(operation);
}

/* --- what it is to tell --- */

/* It will fail as a server fails it. 0, or why not even that can be said. */
static int refuse(struct operation *operation, int code, int http_status, const char *reason,
                  const char *message)
{
    operation->is_refused = true;
    kin_error_set(&operation->why, code, "%s", message);
    kin__error_http(&operation->why, http_status, kin_str_of(reason));
    return 0;
}

struct field {
    const char *path;
    const char *text;
};

static int make_document(const kin_object **ret, const struct field *fields, size_t n,
                         int64_t status_code, kin_error *err)
{
    kin_editor *editor = NULL;
    int code = kin_editor_new(&editor, NULL, err);

    for (size_t i = 0; i < n && code == 0; i++)
        code = kin_editor_set_string(editor, kin_str_of(fields[i].path), kin_str_of(fields[i].text),
                                     err);
    if (code == 0 && status_code)
        code = kin_editor_set_int64(editor, kin_str_of("code"), status_code, err);
    if (code == 0)
        code = kin_editor_finish(editor, ret, err);
    kin_editor_free(editor);
    return code;
}

static int make_status(const kin_object **ret, int http_status, const char *reason,
                       const char *message, const char *cause, kin_error *err)
{
    const struct field fields[] = {
        {"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Failure"},
        {"reason", reason}, {"message", message}, {"details.causes[0].reason", cause},
    };

    return make_document(ret, fields, cause ? 6 : 5, http_status, err);
}

/* A version that is older than the history. A watch begins, and then receives the error. */
static int refuse_expired_locked(const kin_fake_source *source, struct operation *operation,
                                 uint64_t version, kin_error *err) KIN_REQUIRES(source->lock);
static int refuse_expired_locked(const kin_fake_source *source, struct operation *operation,
                                 uint64_t version, kin_error *err)
{
    char message[96];

    snprintf(message, sizeof(message), "too old resource version: %llu (%llu)",
             (unsigned long long)version, (unsigned long long)source->floor);
    refuse(operation, KIN_EEXPIRED, 410, "Expired", message);
    if (!operation->is_list) {
        operation->is_refused = false;
        operation->ends_at = 0;
    }
    return make_status(&operation->status, 410, "Expired", message, NULL, err);
}

/* Reflectors know this failure by its cause. */
static int refuse_too_large_locked(const kin_fake_source *source, struct operation *operation,
                                   uint64_t version, kin_error *err) KIN_REQUIRES(source->lock);
static int refuse_too_large_locked(const kin_fake_source *source, struct operation *operation,
                                   uint64_t version, kin_error *err)
{
    char message[96];

    snprintf(message, sizeof(message), "Too large resource version: %llu, current: %llu",
             (unsigned long long)version, (unsigned long long)source->version);
    refuse(operation, KIN_ESERVER, 504, "Timeout", message);
    return make_status(&operation->status, 504, "Timeout", message, "ResourceVersionTooLarge", err);
}

/* Copy a page of the objects of a version, those with keys after `after`; references are taken. */
static int take_page_locked(kin_fake_source *source, struct operation *operation, uint64_t version,
                            const char *after, int64_t limit, bool *ret_is_last)
    KIN_REQUIRES(source->lock);
static int take_page_locked(kin_fake_source *source, struct operation *operation, uint64_t version,
                            const char *after, int64_t limit, bool *ret_is_last)
{
    kin__fake_objects *page = &operation->first;
    kin__fake_objects all;
    size_t begin = 0;

    if (kin__fake_objects_at_locked(source, version, &all) < 0)
        return KIN_ENOMEM;
    if (after) {
        bool is_there;

        begin = kin__fake_objects_find(&all, after, &is_there);
        begin += is_there;
    }
    *page = all;
    page->len = all.len - begin;
    *ret_is_last = limit <= 0 || page->len <= (uint64_t)limit;
    if (!*ret_is_last)
        page->len = (size_t)limit;
    memmove(page->items, all.items + begin, page->len * sizeof(const kin_object *));
    for (size_t i = 0; i < page->len; i++)
        kin_object_ref(page->items[i]);
    return 0;
}

static int make_list(struct operation *operation, uint64_t version, bool is_last, kin_error *err)
{
    char version_text[24];
    const char *key = "";
    char *token = NULL;
    int code;

    snprintf(version_text, sizeof(version_text), "%llu", (unsigned long long)version);
    if (!is_last) {
        size_t size;

        key = kin_object_key(operation->first.items[operation->first.len - 1]);
        size = strlen(version_text) + 1 + strlen(key) + 1;
        token = kin__malloc(size);
        if (!token)
            return kin__error_no_memory(err);
        snprintf(token, size, "%s/%s", version_text, key);
    }

    const struct field fields[] = {
        {"kind", "List"},
        {"apiVersion", "v1"},
        {"metadata.resourceVersion", version_text},
        {"metadata.continue", token},
    };

    code = make_document(&operation->last, fields, token ? 4 : 3, 0, err);
    kin__free(token);
    return code;
}

/* --- beginning --- */

/* Whether it is one of those that are to fail. */
static bool take_failure(struct operation *operation, kin__fake_failures *failures)
{
    if (failures->n == 0)
        return false;
    if (failures->n != SIZE_MAX)
        failures->n--;
    operation->is_refused = true;
    operation->why = failures->why;
    return true;
}

/* "", NULL and "0" are any version, which is 0. */
static bool read_version(uint64_t *ret, kin_str text)
{
    *ret = 0;
    return text.len == 0 || kin__str_to_u64(ret, text) == 0;
}

static int begin_list_locked(kin_fake_source *source, struct operation *operation,
                             const kin_request_options *options, kin_error *err)
    KIN_REQUIRES(source->lock);
static int begin_list_locked(kin_fake_source *source, struct operation *operation,
                             const kin_request_options *options, kin_error *err)
{
    const char *match = options->resource_version_match;
    kin_str token = kin_str_of(options->continue_token);
    kin_str head = kin_str_of(options->resource_version);
    const char *after = NULL;
    uint64_t version;
    bool is_last;

    if (take_failure(operation, &source->lists))
        return 0;
    if (token.len > 0) {
        kin__str_cut(&token, '/', &head);
        after = token.data ? token.data : "";
    }
    if (!read_version(&version, head))
        return refuse(operation, KIN_EREFUSED, 400, "BadRequest",
                      "not a version of the fake source");
    if (version > source->version)
        return refuse_too_large_locked(source, operation, version, err);
    if (!after && !(match && strcmp(match, "Exact") == 0))
        version = source->version;
    if (version < source->floor)
        return refuse_expired_locked(source, operation, version, err);
    if (take_page_locked(source, operation, version, after, options->limit, &is_last) < 0)
        return kin__error_no_memory(err);
    return make_list(operation, version, is_last, err);
}

/* The first change after a version. */
static kin__fake_change *change_after_locked(const kin_fake_source *source, uint64_t version)
    KIN_REQUIRES(source->lock);
static kin__fake_change *change_after_locked(const kin_fake_source *source, uint64_t version)
{
    kin__fake_change *after = NULL;

    for (kin__list *node = source->changes.prev; node != &source->changes; node = node->prev) {
        if (kin__fake_change_of(node)->version <= version)
            break;
        after = kin__fake_change_of(node);
    }
    return after;
}

static int begin_watch_locked(kin_fake_source *source, struct operation *operation,
                              const kin_request_options *options, kin_error *err)
    KIN_REQUIRES(source->lock);
static int begin_watch_locked(kin_fake_source *source, struct operation *operation,
                              const kin_request_options *options, kin_error *err)
{
    bool streams = options->send_initial_events;
    uint64_t version;
    bool is_last;

    operation->bookmarks = options->bookmarks;
    if (take_failure(operation, &source->watches))
        return 0;
    if (!read_version(&version, kin_str_of(options->resource_version)))
        return refuse(operation, KIN_EREFUSED, 400, "BadRequest",
                      "not a version of the fake source");
    if (version > source->version)
        return refuse_too_large_locked(source, operation, version, err);
    if (version > 0 && !streams) {
        operation->next = change_after_locked(source, version);
        return version < source->floor ? refuse_expired_locked(source, operation, version, err) : 0;
    }
    if (take_page_locked(source, operation, source->version, NULL, 0, &is_last) < 0)
        return kin__error_no_memory(err);
    return streams ? kin__fake_bookmark_locked(source, &operation->last, true, err) : 0;
}

static struct operation *operation_new(kin_fake_source *source, bool is_list,
                                       const kin_call_handlers *handlers)
{
    struct operation *operation = kin__calloc(1, sizeof(*operation));

    if (!operation)
        return NULL;
    operation->base.cancel = operation_cancel;
    operation->base.release = operation_release;
    kin__ref_init(&operation->ref);
    kin_list_watch_ref(&source->base);
    operation->source = source;
    operation->handlers = *handlers;
    operation->is_list = is_list;
    operation->ends_at = UINT64_MAX;
    operation->task.run = run_operation;
    kin__list_init(&operation->link);
    kin__list_init(&operation->task.link);
    kin__error_begin(&operation->why);
    return operation;
}

static int start_locked(kin_fake_source *source, struct operation *operation, kin_operation **ret,
                        const kin_request_options *options, kin_error *err)
    KIN_REQUIRES(source->lock);
static int start_locked(kin_fake_source *source, struct operation *operation, kin_operation **ret,
                        const kin_request_options *options, kin_error *err)
{
    int code;

    if (source->is_closed)
        return kin_error_set(err, KIN_ECLOSED, "the fake source was freed");
    ++*(operation->is_list ? &source->n_lists : &source->n_watches);
    kin__cond_broadcast(&source->begun);
    code = operation->is_list ? begin_list_locked(source, operation, options, err)
                              : begin_watch_locked(source, operation, options, err);
    if (code < 0)
        return code;
    kin__ref_get(&operation->ref);
    *ret = &operation->base; /* before the first callback, which may cancel it */
    kin__list_push_back(&source->operations, &operation->link);
    wake_locked(source, operation);
    return 0;
}

static int start(kin_list_watch *base, bool is_list, kin_operation **ret,
                 const kin_request_options *options, const kin_call_handlers *handlers,
                 kin_error *err)
{
    kin_fake_source *source = kin__container_of(base, kin_fake_source, base);
    kin_request_options all = KIN_REQUEST_OPTIONS_INIT;
    kin_call_handlers told = KIN_CALL_HANDLERS_INIT;
    struct operation *operation;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_REQUEST_OPTIONS_INIT", err);

    if (code == 0)
        code = kin__options_take(&told, sizeof(told), handlers, "KIN_CALL_HANDLERS_INIT", err);
    if (code == 0 && !(is_list ? told.item != NULL : told.event != NULL))
        code = kin__error_null(err, is_list ? "handlers->item" : "handlers->event");
    if (code == 0)
        code = kin__workers_start(source->workers, err);
    if (code < 0)
        return code;
    operation = operation_new(source, is_list, &told);
    if (!operation)
        return kin__error_no_memory(err);
    kin__mutex_lock(&source->lock);
    code = start_locked(source, operation, ret, &all, err);
    kin__mutex_unlock(&source->lock);
    if (code < 0)
        operation_unref(operation);
    return code;
}

static int source_list(kin_list_watch *base, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    return start(base, true, ret, options, handlers, err);
}

static int source_watch(kin_list_watch *base, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    return start(base, false, ret, options, handlers, err);
}

const kin_list_watch_class kin__fake_source_classes[2] = {
    {sizeof(kin_list_watch_class), source_list, source_watch, kin__fake_source_destroy, false},
    {sizeof(kin_list_watch_class), source_list, source_watch, kin__fake_source_destroy, true},
};
