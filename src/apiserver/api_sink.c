/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's writes as requests to the API, with objects in place of bodies: whatever a client's
 * write meets (validation, uids, versions, namespaces that end, the storage) these meet, too. Reads
 * need none of that and go to the state.
 *
 * With a storage the answer comes from its thread, and the simulator's waits: its next write depends
 * on it. Watchers of the state only wake the simulator's thread, which then reads them itself,
 * between its steps. They show its own writes, too; it knows those by their versions.
 */
#include "apiserver/api_sink.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

#define PATH_MAX_LEN 2048
#define READ_AT_ONCE 64

/* What others may change, and it is worth to know of. */
static const enum kin__simulated watched[] = {KIN__SIMULATED_NODE, KIN__SIMULATED_DEPLOYMENT,
                                              KIN__SIMULATED_REPLICA_SET, KIN__SIMULATED_POD};
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

struct watch {
    kin__watcher watcher;
    kin__api_sink *sink;
    enum kin__simulated kind;
    bool is_open;
};

struct kin__api_sink {
    kin__simulator_sink base;
    kin__api *api;                                      /* const */
    kin__state *state;                                  /* const */
    kin__collection *collections[KIN__SIMULATED_KINDS]; /* const */
    kin__buf path, body;                                /* of the request that is being made */
    void (*wake)(void *arg);                            /* const while watches are open */
    void *wake_arg;
    struct watch watches[WATCHED];
    kin__mutex lock; /* rank KIN__RANK_API_SINK */
    kin__cond answered;
};

struct call {
    kin__api_call call;
    kin__request request;
    kin__api_sink *sink;
    kin__reply reply;  /* (lock) */
    bool has_answered; /* (lock) */
};

static kin__api_sink *sink_of(kin__simulator_sink *base)
{
    return kin__container_of(base, kin__api_sink, base);
}

/* --- requests --- */

static void answer(kin__api_call *base, kin__reply *reply)
{
    struct call *call = kin__container_of(base, struct call, call);
    kin__api_sink *sink = call->sink;

    kin__mutex_lock(&sink->lock);
    call->reply = *reply;
    call->has_answered = true;
    kin__cond_broadcast(&sink->answered);
    kin__mutex_unlock(&sink->lock);
}

/* /apis/apps/v1/namespaces/shop/deployments/web/status; "" name: of the collection. */
static void put_path(kin__api_sink *sink, enum kin__simulated kind, kin_str namespace_,
                     kin_str name, const char *subresource)
{
    const kin__simulated_kind *k = &kin__simulated_kinds[kind];
    kin__buf *path = &sink->path;

    kin__buf_reset(path);
    kin__buf_append(path, kin_str_of(k->group[0] ? "/apis/" : "/api/"));
    kin__buf_append(path, kin_str_of(k->group));
    kin__buf_append(path, kin_str_of(k->group[0] ? "/" : ""));
    kin__buf_append(path, kin_str_of(k->version));
    if (k->namespaced) {
        kin__buf_append(path, kin_str_of("/namespaces/"));
        kin__buf_append(path, namespace_);
    }
    kin__buf_append_char(path, '/');
    kin__buf_append(path, kin_str_of(k->resource));
    if (name.len > 0) {
        kin__buf_append_char(path, '/');
        kin__buf_append(path, name);
    }
    kin__buf_append(path, kin_str_of(subresource));
}

/* What a Status says. */
static int take_failure(const struct call *call, kin_error *err)
{
    int status = call->reply.status;
    bool is_create = kin_str_equal(call->request.method, kin_str_of("POST"));
    const kin_object *object = NULL;
    kin_scratch scratch;
    kin_str message = kin_str_of("the API has refused a write");
    int code = status == 404   ? KIN_ENOTFOUND
               : status == 409 ? (is_create ? KIN_EEXISTS : KIN_ECONFLICT)
               : status == 403 ? KIN_EDENIED
               : status < 500  ? KIN_EREFUSED
                               : KIN_ESERVER;

    /* These are what happens all the time, and nobody reads the words. */
    if (code == KIN_EEXISTS || code == KIN_ECONFLICT || code == KIN_ENOTFOUND)
        return kin_error_set(err, code, "%s", kin_error_string(code));
    if (kin_object_from_json(&object, kin__buf_str(&call->reply.body), NULL, NULL) == 0)
        (void)kin_value_string(&message, kin_object_find(object, "message"), &scratch);
    kin_error_set(err, code, "%" KIN_STR_FMT, KIN_STR_ARG(message));
    kin_object_unref(object);
    return code;
}

/* *ret: a reference; *ret_gone: it is the last state. */
static int serve(kin__api_sink *sink, const char *method, const kin_object *object,
                 const kin_object **ret, bool *ret_gone, kin_error *err)
{
    struct call call = {.call = {&call.request, answer},
                        .request = {.method = kin_str_of(method),
                                    .path = kin__buf_str(&sink->path),
                                    .body = kin__buf_str(&sink->body),
                                    .caller = {"system:simulator", false},
                                    .is_inside = true,
                                    .object = object},
                        .sink = sink};

    if (sink->path.failed || sink->body.failed)
        return kin__error_no_memory(err);
    kin__api_serve(sink->api, &call.call);
    kin__mutex_lock(&sink->lock);
    while (!call.has_answered)
        kin__cond_wait(&sink->answered, &sink->lock);
    kin__mutex_unlock(&sink->lock);

    int code = 0;
    if (call.reply.status >= 300) {
        code = take_failure(&call, err);
    } else {
        *ret = call.reply.object;
        *ret_gone = call.reply.is_gone;
    }
    kin__buf_done(&call.reply.body);
    return code;
}

static int write_object(kin__simulator_sink *base, enum kin__simulated kind, const char *method,
                        const char *subresource, const kin_object *object, const kin_object **ret,
                        kin_error *err)
{
    kin__api_sink *sink = sink_of(base);
    bool is_create = subresource == NULL;
    bool is_gone = false;
    const kin_object *stored = NULL;

    put_path(sink, kind, kin_object_namespace(object),
             is_create ? kin_str_of("") : kin_object_name(object), is_create ? "" : subresource);
    kin__buf_reset(&sink->body);
    int code = serve(sink, method, object, &stored, &is_gone, err);
    if (code < 0)
        return code;
    if (is_gone) {
        /* It was to be deleted, and this write took away what kept it. */
        kin_object_unref(stored);
        return kin_error_set(err, KIN_ENOTFOUND, "it has gone");
    }
    *ret = stored;
    return 0;
}

static int create(kin__simulator_sink *base, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err)
{
    return write_object(base, kind, "POST", NULL, object, ret, err);
}

static int update(kin__simulator_sink *base, enum kin__simulated kind, const kin_object *object,
                  const kin_object **ret, kin_error *err)
{
    return write_object(base, kind, "PUT", "", object, ret, err);
}

static int update_status(kin__simulator_sink *base, enum kin__simulated kind,
                         const kin_object *object, const kin_object **ret, kin_error *err)
{
    return write_object(base, kind, "PUT", "/status", object, ret, err);
}

static int remove_object(kin__simulator_sink *base, enum kin__simulated kind,
                         const kin_object *object, int64_t grace_s, const kin_object **ret,
                         kin_error *err)
{
    kin__api_sink *sink = sink_of(base);
    const kin_object *left = NULL;
    bool is_gone = false;
    kin_scratch scratch;

    put_path(sink, kind, kin_object_namespace(object), kin_object_name(object), "");
    kin__buf_reset(&sink->body);
    /* Nothing in a uid has to be escaped. */
    kin__buf_appendf(&sink->body,
                     "{\"gracePeriodSeconds\":%lld,\"preconditions\":{\"uid\":\"%" KIN_STR_FMT
                     "\"}}",
                     (long long)grace_s, KIN_STR_ARG(kin_object_uid(object, &scratch)));
    int code = serve(sink, "DELETE", NULL, &left, &is_gone, err);
    if (code < 0)
        return code;
    if (is_gone) {
        kin_object_unref(left);
        left = NULL;
    }
    *ret = left;
    return 0;
}

/* --- reads --- */

static int get(kin__simulator_sink *base, enum kin__simulated kind, kin_str namespace_,
               kin_str name, const kin_object **ret, kin_error *err)
{
    kin__api_sink *sink = sink_of(base);
    kin__buf *key = &sink->path;

    kin__buf_reset(key);
    kin__buf_append(key, namespace_);
    kin__buf_append(key, kin_str_of(namespace_.len > 0 ? "/" : ""));
    kin__buf_append(key, name);
    if (key->failed)
        return kin__error_no_memory(err);
    return kin__state_get(sink->state, sink->collections[kind], kin__buf_str(key), ret, err);
}

static int list(kin__simulator_sink *base, enum kin__simulated kind, kin_object_list *ret,
                kin_error *err)
{
    kin__api_sink *sink = sink_of(base);
    const kin__state_query query = {.limit = 0};
    kin__state_page page;
    int code = kin__state_list(sink->state, sink->collections[kind], &query, &page, err);

    if (code == 0)
        *ret = page.objects;
    return code;
}

/* --- what others change --- */

static void notify(kin__watcher *watcher)
{
    const struct watch *watch = kin__container_of(watcher, struct watch, watcher);

    watch->sink->wake(watch->sink->wake_arg);
}

static void close_watches(kin__api_sink *sink)
{
    for (size_t i = 0; i < WATCHED; i++) {
        if (sink->watches[i].is_open)
            kin__watcher_close(&sink->watches[i].watcher);
        sink->watches[i].is_open = false;
    }
}

static int open_watches(kin__api_sink *sink, kin_error *err)
{
    int code = 0;

    for (size_t i = 0; i < WATCHED && code == 0; i++) {
        struct watch *watch = &sink->watches[i];

        do { /* until nobody goes back in time between the two */
            code = kin__watcher_open(&watch->watcher, sink->state, sink->collections[watch->kind],
                                     kin__state_version(sink->state), err);
        } while (code == KIN_ERANGE || code == KIN_EEXPIRED);
        watch->is_open = code == 0;
    }
    if (code < 0)
        close_watches(sink);
    return code;
}

static int listen(kin__simulator_sink *base, void (*wake)(void *arg), void *arg, kin_error *err)
{
    kin__api_sink *sink = sink_of(base);

    close_watches(sink);
    sink->wake = wake;
    sink->wake_arg = arg;
    return wake ? open_watches(sink, err) : 0;
}

static int poll_one(struct watch *watch, kin__simulator_change_fn *fn, void *arg)
{
    kin__change *changes[READ_AT_ONCE];
    size_t n = 0;
    uint64_t version = 0;

    for (;;) {
        int code = kin__watcher_read(&watch->watcher, changes, READ_AT_ONCE, &n, &version);

        if (code < 0 || n == 0)
            return code;
        for (size_t i = 0; i < n; i++) {
            fn(arg, watch->kind, changes[i]->object, changes[i]->version);
            kin__change_unref(changes[i]);
        }
    }
}

static int poll_changes(kin__simulator_sink *base, kin__simulator_change_fn *fn, void *arg,
                        kin_error *err)
{
    kin__api_sink *sink = sink_of(base);
    int code = 0;

    for (size_t i = 0; i < WATCHED && code == 0; i++)
        if (sink->watches[i].is_open)
            code = poll_one(&sink->watches[i], fn, arg);
    if (code == 0)
        return 0;
    close_watches(sink);
    int opened = open_watches(sink, err);
    return opened < 0 ? opened : kin_error_set(err, code, "some changes were missed");
}

static const kin__simulator_sink_class sink_class = {create, update, update_status, remove_object,
                                                     get,    list,   listen,        poll_changes};

/* --- life --- */

static int find_collections(kin__api_sink *sink, kin_error *err)
{
    char name[128];
    int code = 0;

    for (int i = 0; i < KIN__SIMULATED_KINDS && code == 0; i++) {
        const kin__simulated_kind *k = &kin__simulated_kinds[i];

        (void)snprintf(name, sizeof(name), "%s%s%s", k->resource, k->group[0] ? "." : "", k->group);
        code = kin__state_collection(sink->state, &sink->collections[i], kin_str_of(name), err);
    }
    return code;
}

int kin__api_sink_new(kin__api_sink **ret, kin__api *api, kin__state *state, kin_error *err)
{
    kin__api_sink *sink = kin__calloc(1, sizeof(*sink));

    if (!sink)
        return kin__error_no_memory(err);
    sink->base.sink_class = &sink_class;
    sink->api = api;
    sink->state = state;
    kin__buf_init(&sink->path, PATH_MAX_LEN);
    kin__buf_init(&sink->body, PATH_MAX_LEN);
    kin__mutex_init(&sink->lock, KIN__RANK_API_SINK);
    kin__cond_init(&sink->answered);
    for (size_t i = 0; i < WATCHED; i++) {
        sink->watches[i].watcher.notify = notify;
        sink->watches[i].sink = sink;
        sink->watches[i].kind = watched[i];
    }
    int code = find_collections(sink, err);
    if (code < 0) {
        kin__api_sink_free(sink);
        return code;
    }
    *ret = sink;
    return 0;
}

void kin__api_sink_free(kin__api_sink *sink)
{
    if (!sink)
        return;
    close_watches(sink);
    kin__buf_done(&sink->path);
    kin__buf_done(&sink->body);
    kin__cond_done(&sink->answered);
    kin__mutex_done(&sink->lock);
    kin__free(sink);
}

kin__simulator_sink *kin__api_sink_base(kin__api_sink *sink)
{
    return &sink->base;
}
