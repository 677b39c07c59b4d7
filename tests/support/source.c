/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/compiler.h"
#include "kin_test.h"
#include "kinform/json.h"

enum { MAX_OPS = 1 << 16 };

struct kin_test_source {
    kin_list_watch base;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    kin_test_pull **ops; /* (lock) */
    size_t n_ops;        /* (lock) */
    size_t n_begin;      /* (lock) that are being begun */
    kin_test_begin_fn *begin;
    void *arg;
};

/* --- objects --- */

const kin_object *kin_test_json(const char *json)
{
    const kin_object *object = NULL;

    return kin_object_from_json(&object, kin_str_of(json), NULL, NULL) < 0 ? NULL : object;
}

const kin_object *kin_test_pod(const char *pod)
{
    char json[512];
    const char *colon = strchr(pod, ':');
    int len = colon ? (int)(colon - pod) : (int)strlen(pod);

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%.*s\","
             "\"namespace\":\"default\",\"resourceVersion\":\"%s\"}}",
             len, pod, colon ? colon + 1 : "");
    return kin_test_json(json);
}

static const kin_object *make_status(const kin_test_failure_of *failure)
{
    char causes[256] = "";
    char json[1024];

    if (failure->cause || failure->cause_message)
        snprintf(causes, sizeof(causes),
                 ",\"details\":{\"causes\":[{\"reason\":\"%s\",\"message\":\"%s\"}]}",
                 failure->cause ? failure->cause : "",
                 failure->cause_message ? failure->cause_message : "");
    snprintf(json, sizeof(json),
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"%s\","
             "\"reason\":\"%s\",\"code\":%d%s}",
             failure->message ? failure->message : "it failed",
             failure->reason ? failure->reason : "", failure->http_status, causes);
    return kin_test_json(json);
}

static void fill_error(kin_error *err, const kin_test_failure_of *failure)
{
    kin_error_set(err, failure->code, "%s", failure->message ? failure->message : "it failed");
    err->http_status = failure->http_status;
    err->os_error = failure->os_error;
    err->retry_after_ms = failure->retry_after_ms;
    snprintf(err->reason, sizeof(err->reason), "%s", failure->reason ? failure->reason : "");
}

/* --- operations --- */

static kin_test_pull *op_of(kin_operation *operation)
{
    return kin__container_of(operation, kin_test_pull, base);
}

static void op_cancel(kin_operation *operation)
{
    kin_test_pull *op = op_of(operation);

    pthread_mutex_lock(&op->source->lock);
    op->cancelled = true;
    pthread_cond_broadcast(&op->source->changed);
    pthread_mutex_unlock(&op->source->lock);
}

static void op_release(kin_operation *operation)
{
    kin_test_pull *op = op_of(operation);

    pthread_mutex_lock(&op->source->lock);
    op->released = true;
    pthread_mutex_unlock(&op->source->lock);
}

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static kin_test_pull *op_new(kin_test_source *source, const kin_request_options *options,
                             const kin_call_handlers *handlers, bool is_list)
{
    kin_test_pull *op = calloc(1, sizeof(*op));

    op->base.cancel = op_cancel;
    op->base.release = op_release;
    op->source = source;
    op->is_list = is_list;
    copy_text(op->version, sizeof(op->version), options->resource_version);
    copy_text(op->match, sizeof(op->match), options->resource_version_match);
    copy_text(op->token, sizeof(op->token), options->continue_token);
    op->limit = options->limit;
    op->timeout_ms = options->timeout_ms;
    op->progress_timeout_ms = options->progress_timeout_ms;
    op->watch_timeout_ms = options->watch_timeout_ms;
    op->bookmarks = options->bookmarks;
    op->streams = options->send_initial_events;
    op->handlers = *handlers;
    return op;
}

static int begin(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                 const kin_call_handlers *handlers, bool is_list, kin_error *err)
{
    kin_test_source *source = kin__container_of(base, kin_test_source, base);
    kin_test_pull *op = op_new(source, options, handlers, is_list);
    int code = 0;

    pthread_mutex_lock(&source->lock);
    op->index = source->n_ops;
    source->ops[source->n_ops++] = op;
    source->n_begin++;
    pthread_mutex_unlock(&source->lock);
    if (source->begin)
        code = source->begin(op, source->arg, err);
    pthread_mutex_lock(&source->lock);
    if (code < 0)
        op->ended = true;
    if (code == 0)
        *ret = &op->base;
    source->n_begin--;
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->lock);
    return code;
}

static int source_list(kin_list_watch *base, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    return begin(base, ret, options, handlers, true, err);
}

static int source_watch(kin_list_watch *base, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    return begin(base, ret, options, handlers, false, err);
}

static void source_destroy(kin_list_watch *base)
{
    kin_test_source *source = kin__container_of(base, kin_test_source, base);

    for (size_t i = 0; i < source->n_ops; i++)
        free(source->ops[i]);
    free(source->ops);
    pthread_cond_destroy(&source->changed);
    pthread_mutex_destroy(&source->lock);
    free(source);
}

static const kin_list_watch_class plain_class = {sizeof(kin_list_watch_class), source_list,
                                                 source_watch, source_destroy, false};
static const kin_list_watch_class streaming_class = {sizeof(kin_list_watch_class), source_list,
                                                     source_watch, source_destroy, true};

kin_test_source *kin_test_source_new(bool streams)
{
    kin_test_source *source = calloc(1, sizeof(*source));

    pthread_mutex_init(&source->lock, NULL);
    pthread_cond_init(&source->changed, NULL);
    source->ops = calloc(MAX_OPS, sizeof(kin_test_pull *));
    assert_code(kin_list_watch_init(&source->base, streams ? &streaming_class : &plain_class, NULL),
                0);
    return source;
}

/* Whether it is for the caller to end it. */
static bool take_end(kin_test_pull *op)
{
    pthread_mutex_lock(&op->source->lock);
    bool mine = !op->ended;
    op->ended = true;
    pthread_mutex_unlock(&op->source->lock);
    return mine;
}

kin_list_watch *kin_test_source_list_watch(kin_test_source *source)
{
    return &source->base;
}

void kin_test_source_on_begin(kin_test_source *source, kin_test_begin_fn *fn, void *arg)
{
    source->begin = fn;
    source->arg = arg;
}

/* --- waiting --- */

static void wait_changed(kin_test_source *source, const char *what)
{
    struct timespec deadline;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += KIN_TEST_TIMEOUT_MS / 1000;
    if (pthread_cond_timedwait(&source->changed, &source->lock, &deadline) != 0) {
        pthread_mutex_unlock(&source->lock);
        fail_msg("%s", what);
    }
}

void kin_test_source_free(kin_test_source *source)
{
    size_t n;

    /* Whoever answers within the beginning is to be done with it. */
    pthread_mutex_lock(&source->lock);
    while (source->n_begin > 0)
        wait_changed(source, "an operation is begun for ever");
    n = source->n_ops;
    pthread_mutex_unlock(&source->lock);
    for (size_t i = 0; i < n; i++) {
        kin_error err = KIN_ERROR_INIT;

        kin_error_set(&err, KIN_ECANCELED, "cancelled");
        kin_test_pull_end(source->ops[i], KIN_ECANCELED, &err, NULL, true);
    }
    kin_list_watch_unref(&source->base);
}

size_t kin_test_source_count(kin_test_source *source)
{
    pthread_mutex_lock(&source->lock);
    size_t n = source->n_ops;
    pthread_mutex_unlock(&source->lock);
    return n;
}

kin_test_pull *kin_test_source_await(kin_test_source *source, size_t index)
{
    pthread_mutex_lock(&source->lock);
    while (source->n_ops <= index)
        wait_changed(source, "an operation was not begun in time");
    kin_test_pull *op = source->ops[index];
    pthread_mutex_unlock(&source->lock);
    return op;
}

bool kin_test_pull_is_open(kin_test_pull *op)
{
    pthread_mutex_lock(&op->source->lock);
    bool open = !op->ended && !op->cancelled;
    pthread_mutex_unlock(&op->source->lock);
    return open;
}

void kin_test_pull_await_cancel(kin_test_pull *op)
{
    pthread_mutex_lock(&op->source->lock);
    while (!op->cancelled)
        wait_changed(op->source, "an operation was not cancelled in time");
    pthread_mutex_unlock(&op->source->lock);
}

/* --- calling back --- */

int kin_test_pull_item_object(kin_test_pull *op, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;

    return op->handlers.item(object, op->handlers.arg, &err);
}

int kin_test_pull_item(kin_test_pull *op, const char *pod)
{
    const kin_object *object = kin_test_pod(pod);
    int code = object ? kin_test_pull_item_object(op, object) : KIN_ENOMEM;

    kin_object_unref(object);
    return code;
}

int kin_test_pull_event_object(kin_test_pull *op, enum kin_watch_type type,
                               const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;

    return op->handlers.event(type, object, op->handlers.arg, &err);
}

int kin_test_pull_event(kin_test_pull *op, enum kin_watch_type type, const char *pod)
{
    const kin_object *object = kin_test_pod(pod);
    int code = object ? kin_test_pull_event_object(op, type, object) : KIN_ENOMEM;

    kin_object_unref(object);
    return code;
}

int kin_test_pull_begun(kin_test_pull *op)
{
    kin_error err = KIN_ERROR_INIT;

    return op->handlers.begun ? op->handlers.begun(op->handlers.arg, &err) : 0;
}

void kin_test_pull_doubt(kin_test_pull *op, bool in_doubt)
{
    op->handlers.doubt(in_doubt, op->handlers.arg);
}

int kin_test_pull_bookmark(kin_test_pull *op, const char *version, bool end)
{
    char json[512];
    const kin_object *object;
    int code;

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"%s\"%s}}",
             version, end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
    object = kin_test_json(json);
    code = object ? kin_test_pull_event_object(op, KIN_WATCH_BOOKMARK, object) : KIN_ENOMEM;
    kin_object_unref(object);
    return code;
}

int kin_test_pull_bad(kin_test_pull *pull, enum kin_watch_type type, const char *key)
{
    kin_error why = KIN_ERROR_INIT;
    kin_error err = KIN_ERROR_INIT;

    kin_error_set(&why, KIN_EPARSE, "it is no JSON");
    return pull->handlers.bad(type, kin_str_of(key), &why, pull->handlers.arg, &err);
}

void kin_test_pull_end(kin_test_pull *op, int code, const kin_error *err, const kin_object *status,
                       bool stood)
{
    kin_error none = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), code, err ? err : &none, NULL, status, stood, 0};

    if (!take_end(op))
        return;
    op->handlers.done(&result, op->handlers.arg);
    op->handlers.arg_free(op->handlers.arg);
}

void kin_test_pull_done_again(kin_test_pull *op)
{
    kin_error none = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), 0, &none, NULL, NULL, true, 0};

    op->handlers.done(&result, op->handlers.arg);
}

void kin_test_pull_fail(kin_test_pull *op, const kin_test_failure_of *failure, bool stood)
{
    const kin_object *status = failure->http_status ? make_status(failure) : NULL;
    kin_error err = KIN_ERROR_INIT;

    fill_error(&err, failure);
    kin_test_pull_end(op, failure->code, &err, status, stood);
    kin_object_unref(status);
}

void kin_test_pull_error_event(kin_test_pull *op, const kin_test_failure_of *failure)
{
    const kin_object *status = make_status(failure);
    kin_error err = KIN_ERROR_INIT;
    int code = KIN_ENOMEM;

    if (status)
        code = op->handlers.event(KIN_WATCH_ERROR, status, op->handlers.arg, &err);
    else
        kin_error_set(&err, code, "out of memory");
    kin_test_pull_end(op, code, &err, NULL, false);
    kin_object_unref(status);
}

void kin_test_pull_close(kin_test_pull *op)
{
    kin_test_pull_end(op, 0, NULL, NULL, true);
}

void kin_test_pull_list_done_object(kin_test_pull *op, const kin_object *list)
{
    kin_error err = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), 0, &err, list, NULL, true, 0};

    if (!list)
        result.code = kin_error_set(&err, KIN_ENOMEM, "out of memory");
    if (take_end(op)) {
        op->handlers.done(&result, op->handlers.arg);
        op->handlers.arg_free(op->handlers.arg);
    }
}

void kin_test_pull_list_done(kin_test_pull *op, const char *version, const char *token)
{
    const kin_object *list;
    char json[512];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"%s\","
             "\"continue\":\"%s\"}}",
             version, token ? token : "");
    list = kin_test_json(json);
    kin_test_pull_list_done_object(op, list);
    kin_object_unref(list);
}

void kin_test_pull_list(kin_test_pull *op, const char *version, const char *pods)
{
    char copy[4096];
    char *rest = NULL;
    int code = 0;

    copy_text(copy, sizeof(copy), pods);
    for (char *pod = strtok_r(copy, " ", &rest); pod && code == 0; pod = strtok_r(NULL, " ", &rest))
        code = kin_test_pull_item(op, pod);
    if (code == 0) {
        kin_test_pull_list_done(op, version, NULL);
    } else {
        kin_error err = KIN_ERROR_INIT;

        kin_error_set(&err, code, "a callback said so");
        kin_test_pull_end(op, code, &err, NULL, false);
    }
}
