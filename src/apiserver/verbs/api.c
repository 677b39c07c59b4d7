/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life of the API, and the way of a request to its verb.
 */
#include "apiserver/verbs/api.h"

#include <stdio.h>
#include <string.h>

#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

/* Of what is deleted at once: others wait for the schedule's thread, too. */
enum { CLEAR_STEP = 256 };

enum { BOOKMARK_MS = 60000, WATCH_TIMEOUT_MS = 1800000, MAX_BODY = 3145728 };

/* --- requests --- */

static bool is_write(enum kin__verb verb)
{
    return verb != KIN__VERB_GET && verb != KIN__VERB_LIST && verb != KIN__VERB_WATCH;
}

static bool fail_read_only(const kin__op *op, kin__failure *failure)
{
    char user[256];
    char where[320] = " at the cluster scope";
    kin__cutline line;

    kin__cutline_init(&line, user, sizeof(user));
    kin__cutline_append_quoted(&line, kin_str_of(op->call->request->caller.name));
    if (op->info.namespace_.len > 0) {
        kin__cutline_init(&line, where, sizeof(where));
        kin__cutline_append(&line, kin_str_of(" in the namespace "));
        kin__cutline_append_quoted(&line, op->info.namespace_);
    }
    return kin__fail_forbidden(
        failure, op->kind, op->info.name, "User %s cannot %s resource \"%s\" in API group \"%s\"%s",
        user, kin__verb_name(op->info.verb), op->kind->resource, op->kind->group, where);
}

/* The kind that the request is about. */
static bool find_kind(kin__op *op, kin__failure *failure)
{
    const kin__request_info *info = &op->info;
    kin__api *api = op->api;
    kin_error err = KIN_ERROR_INIT;

    op->kind = kin__registry_find(api->registry, info->group, info->version, info->resource);
    if (!op->kind)
        return kin__fail_no_path(failure);
    if (!kin__request_info_check(info, op->kind, &op->version, &op->subresource, failure))
        return false;
    op->encoding.kind = op->kind;
    op->encoding.version = op->version;
    if (op->subresource && kin_str_equal(info->subresource, kin_str_of("scale"))) {
        op->encoding.kind = &kin__scale_kind;
        op->encoding.version = &kin__scale_kind.versions[0];
    }
    if (kin__state_collection(api->state, &op->collection, kin_str_of(op->kind->collection), &err) <
        0)
        return kin__fail_no_memory(failure);
    if (info->namespace_.len > 0) {
        kin__buf_append(&op->key, info->namespace_);
        kin__buf_append_char(&op->key, '/');
    }
    kin__buf_append(&op->key, info->name);
    return op->key.failed ? kin__fail_no_memory(failure) : true;
}

static bool serve_verb(kin__op *op, kin__failure *failure)
{
    switch (op->info.verb) {
    case KIN__VERB_GET:
        return kin__serve_get(op, failure);
    case KIN__VERB_LIST:
        return kin__serve_list(op, failure);
    case KIN__VERB_WATCH:
        return kin__serve_watch(op, failure);
    case KIN__VERB_CREATE:
        if (op->subresource && kin_str_equal(op->info.subresource, kin_str_of("eviction")))
            return kin__serve_eviction(op, failure);
        if (op->subresource || strcmp(op->kind->resource, "bindings") == 0)
            return kin__serve_binding(op, failure);
        return kin__serve_create(op, failure);
    case KIN__VERB_UPDATE:
        return kin__serve_update(op, failure);
    case KIN__VERB_PATCH:
        return kin__serve_patch(op, failure);
    case KIN__VERB_DELETE:
        return kin__serve_delete(op, failure);
    case KIN__VERB_DELETE_COLLECTION:
        return kin__serve_delete_collection(op, failure);
    case KIN__VERB_OTHER:
        break;
    }
    return kin__fail_no_method(failure);
}

static bool has_group(kin__api *api, kin_str group)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(api->registry);
    bool has = kin__snapshot_find_group(snapshot, group) != NULL;

    kin__snapshot_unref(snapshot);
    return has;
}

static bool serve(kin__op *op, kin__failure *failure)
{
    const kin__request *request = op->call->request;

    if (!kin__request_info_read(&op->info, request, failure))
        return false;
    if (!op->info.is_resource)
        return kin__serve_path(op, failure);
    if (!has_group(op->api, op->info.group)) {
        kin__op_answer_no_page(op);
        return true;
    }
    if (op->info.is_head)
        return kin__fail_no_method(failure);
    if (!find_kind(op, failure))
        return false;
    if (request->caller.read_only && is_write(op->info.verb))
        return fail_read_only(op, failure);
    bool is_list = op->info.verb == KIN__VERB_DELETE_COLLECTION;
    if (!kin__accept_read(request->accept, op->kind, is_list ? KIN__VERB_LIST : op->info.verb,
                          &op->accepted, failure))
        return false;
    op->encoding.form = op->accepted.form;
    op->encoding.form_version = op->accepted.version;
    if (op->accepted.is_protobuf)
        op->accepted.is_protobuf = kin__encoding_set_protobuf(&op->encoding);
    if (request->body.len > op->api->max_body)
        return kin__fail(failure, 413, "RequestEntityTooLarge",
                         "Request entity too large: limit is %zu", op->api->max_body);
    return serve_verb(op, failure);
}

/* Without memory for a request. */
static void refuse(kin__api_call *call)
{
    kin__failure failure;
    kin__reply reply;

    kin__fail_no_memory(&failure);
    kin__failure_reply(&failure, &reply);
    if (reply.body.failed)
        kin__buf_reset(&reply.body);
    call->answer(call, &reply);
}

void kin__api_serve(kin__api *api, kin__api_call *call)
{
    kin__op *op = kin__calloc(1, sizeof(*op));

    if (!op) {
        refuse(call);
        return;
    }
    op->api = api;
    op->call = call;
    kin__buf_init(&op->key, (size_t)KIN__PATH_MAX * 2);
    kin__list_init(&op->link);
    kin__mutex_lock(&api->lock);
    api->n_ops++;
    kin__mutex_unlock(&api->lock);
    kin__op_run(op, serve);
}

/* --- life --- */

void kin__api_clear_later(kin__api *api)
{
    /* If there is no memory for that either, the next deletion will do. */
    (void)kin__schedule_at(&api->schedule, &api->clear,
                           kin__clock_deadline(api->clock, KIN__SECOND));
}

static int find_collections(kin__api *api, kin_error *err)
{
    int code = kin__state_collection(api->state, &api->namespaces, kin_str_of("namespaces"), err);

    if (code == 0)
        code = kin__state_collection(api->state, &api->crds,
                                     kin_str_of("customresourcedefinitions.apiextensions.k8s.io"),
                                     err);
    if (code == 0)
        code = kin__state_collection(api->state, &api->pods, kin_str_of("pods"), err);
    return code;
}

/*
 * A server that comes back to what it had stored must not give the uids once more that it gave
 * before, whatever its seed is.
 */
static uint64_t seed_of(const kin__api_options *o)
{
    uint64_t version = kin__state_version(o->state);

    return o->seed == 0 || version <= 1 ? o->seed : kin__hash(o->seed, &version, sizeof(version));
}

static void take_options(kin__api *api, const kin__api_options *o)
{
    int64_t bookmark = o->bookmark_ms > 0 ? o->bookmark_ms : BOOKMARK_MS;
    int64_t timeout = o->watch_timeout_ms > 0 ? o->watch_timeout_ms : WATCH_TIMEOUT_MS;

    api->state = o->state;
    api->clock = o->clock;
    api->logger = kin_logger_ref(o->logger);
    api->bookmark_ns = bookmark * KIN__MILLISECOND;
    api->watch_timeout_ns = timeout * KIN__MILLISECOND;
    api->max_body = o->max_body_bytes ? o->max_body_bytes : MAX_BODY;
    api->no_kubelet = o->no_kubelet;
    api->faults = o->faults;
    snprintf(api->server_address, sizeof(api->server_address), "%s",
             o->server_address ? o->server_address : "");
    kin__random_init(&api->random, seed_of(o));
}

/* What is left when there is no thread. */
static void destroy(kin__api *api)
{
    while (api->n_decoders > 0)
        kin_decoder_free(api->decoders[--api->n_decoders]);
    kin__registry_free(api->registry);
    kin__cond_done(&api->idle);
    kin__mutex_done(&api->lock);
    kin_logger_unref(api->logger);
    kin__free(api);
}

/*
 * The state went back: what is served and what is waited for follow from another one now. If there
 * is no memory for that, the schedule's thread tries again.
 */
static void rewound(void *arg)
{
    kin__api *api = arg;
    int code = kin__crds_sync(api);

    if (code == 0 && !api->no_kubelet)
        code = kin__pods_start(api, NULL);
    atomic_store(&api->must_sync, code < 0);
    if (code < 0)
        kin__api_clear_later(api);
    else
        kin__schedule_now(&api->schedule, &api->clear);
}

static void sync_again(kin__api *api)
{
    kin__write write;

    /* With the writer's lock, so that no definition is written meanwhile. */
    kin__state_begin(api->state, &write, api->crds, kin_str_of(""));
    rewound(api);
    kin__state_abort(api->state, &write);
}

static void clear(kin__due *due)
{
    kin__api *api = kin__container_of(due, kin__api, clear);
    size_t budget = CLEAR_STEP;

    if (atomic_load(&api->must_sync))
        sync_again(api);
    kin__crds_clear(api, &budget);
    kin__namespaces_clear(api, &budget);
}

static int start(kin__api *api, kin_error *err)
{
    int code = kin__crds_start(api, err);

    if (code == 0)
        code = kin__namespaces_start(api, err);
    if (code == 0 && !api->no_kubelet)
        code = kin__pods_start(api, err);
    if (code == 0)
        kin__schedule_now(&api->schedule, &api->clear);
    kin__state_on_rewind(api->state, rewound, api);
    return code;
}

int kin__api_new(kin__api **ret, const kin__api_options *options, kin_error *err)
{
    kin__api *api = kin__calloc(1, sizeof(*api));
    int code;

    if (!api)
        return kin__error_no_memory(err);
    take_options(api, options);
    kin__mutex_init(&api->lock, KIN__RANK_API_REQUESTS);
    kin__cond_init(&api->idle);
    kin__list_init(&api->watches);
    kin__list_init(&api->waiting);
    kin__list_init(&api->graces);
    kin__list_init(&api->sweeps);
    kin__list_init(&api->lists);
    kin__due_init(&api->clear, clear);
    kin__due_init(&api->check, kin__api_check_waiting);
    code = kin__registry_new(&api->registry, err);
    if (code == 0)
        code = find_collections(api, err);
    if (code == 0)
        code = kin__schedule_start(&api->schedule, api->clock, err);
    if (code < 0) {
        destroy(api);
        return code;
    }
    code = start(api, err);
    if (code < 0) {
        kin__api_stop(api);
        kin__api_free(api);
        return code;
    }
    *ret = api;
    return 0;
}

void kin__api_stop(kin__api *api)
{
    kin__mutex_lock(&api->lock);
    bool was_stopped = api->is_stopped;
    api->is_stopped = true;
    kin__mutex_unlock(&api->lock);
    if (was_stopped)
        return;
    kin__state_on_rewind(api->state, NULL, NULL);
    kin__schedule_stop(&api->schedule);
    kin__watches_end(api);
    kin__api_end_waiting(api);
    kin__sweeps_end(api);
    kin__lists_end(api);
}

void kin__api_free(kin__api *api)
{
    if (!api)
        return;
    kin__mutex_lock(&api->lock);
    while (api->n_ops > 0)
        kin__cond_wait(&api->idle, &api->lock);
    kin__mutex_unlock(&api->lock);
    kin__pods_stop(api);
    kin__schedule_done(&api->schedule);
    destroy(api);
}
