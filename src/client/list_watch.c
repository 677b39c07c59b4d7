/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of objects: the part that all have, and the one that asks an API server.
 */
#include "kinform/list_watch.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/ref.h"
#include "client/call.h"
#include "client/client.h"
#include "client/encoding.h"
#include "client/list_watch.h"
#include "kinform/metadata.h"

_Static_assert(sizeof(kin__ref) <= sizeof(uint64_t), "the public struct has room for a count");

static kin__ref *ref_of(kin_list_watch *source)
{
    return (kin__ref *)(void *)&source->private_count;
}

int kin_list_watch_init(kin_list_watch *source, const kin_list_watch_class *source_class,
                        kin_error *err)
{
    if (!source || !source_class)
        return kin__error_null(err, source ? "source_class" : "source");
    if (source_class->size < sizeof(*source_class) || !source_class->list || !source_class->watch ||
        !source_class->destroy)
        return kin_error_set(err, KIN_EINVAL, "a class that lacks a function or its size");
    source->source_class = source_class;
    kin__ref_init(ref_of(source));
    return 0;
}

kin_list_watch *kin_list_watch_ref(kin_list_watch *source)
{
    if (source)
        kin__ref_get(ref_of(source));
    return source;
}

void kin_list_watch_unref(kin_list_watch *source)
{
    if (source && kin__ref_put(ref_of(source)))
        source->source_class->destroy(source);
}

bool kin__bookmark_ends_list(const kin_object *bookmark)
{
    kin_scratch scratch;
    kin_str value;

    return kin_object_annotation(&value, bookmark, kin_str_of("k8s.io/initial-events-end"),
                                 &scratch) == 0 &&
           kin_str_equal(value, kin_str_of("true"));
}

static int check_arguments(const kin_list_watch *source, kin_operation **ret,
                           const kin_call_handlers *handlers, kin_error *err)
{
    if (!source)
        return kin__error_null(err, "source");
    return ret && handlers ? 0 : kin__error_null(err, ret ? "handlers" : "ret");
}

int kin_list_watch_list(kin_list_watch *source, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    int code = check_arguments(source, ret, handlers, err);

    return code < 0 ? code : source->source_class->list(source, ret, options, handlers, err);
}

int kin_list_watch_watch(kin_list_watch *source, kin_operation **ret,
                         const kin_request_options *options, const kin_call_handlers *handlers,
                         kin_error *err)
{
    int code = check_arguments(source, ret, handlers, err);

    return code < 0 ? code : source->source_class->watch(source, ret, options, handlers, err);
}

void kin_operation_cancel(kin_operation *operation)
{
    if (operation)
        operation->cancel(operation);
}

void kin_operation_release(kin_operation *operation)
{
    if (operation)
        operation->release(operation);
}

/* --- over a client --- */

struct source {
    kin_list_watch base;
    kin_client *client;
    char *name;                       /* const: of a resource that has to be asked for, or NULL */
    _Atomic(kin_resource *) resource; /* NULL until it is known what the name means */
    char *namespace_;
    char *label_selector;
    char *field_selector;
    bool metadata_only;
    kin_encoding encoding;
    atomic_bool tries_json; /* by the next list or watch: protobuf was refused */
    bool has_decode;
    kin_decode_options decode; /* its texts are OWNED, its projection SHARED */
};

struct operation {
    kin_operation base;
    kin_call *call;
};

static struct operation *operation_of(kin_operation *operation)
{
    return kin__container_of(operation, struct operation, base);
}

static void operation_cancel(kin_operation *operation)
{
    kin_call_cancel(operation_of(operation)->call);
}

static void operation_release(kin_operation *operation)
{
    kin_call_unref(operation_of(operation)->call);
    kin__free(operation_of(operation));
}

static struct source *source_of(kin_list_watch *source)
{
    return kin__container_of(source, struct source, base);
}

static void source_destroy(kin_list_watch *base)
{
    struct source *source = source_of(base);

    kin_projection_unref(source->decode.projection);
    kin__free(kin__unconst(source->decode.api_version));
    kin__free(kin__unconst(source->decode.kind));
    kin__free(source->namespace_);
    kin__free(source->label_selector);
    kin__free(source->field_selector);
    kin__free(source->name);
    kin_resource_unref(atomic_load(&source->resource));
    kin__client_unref(source->client);
    kin__free(source);
}

/* In JSON a plain list is better than a streaming list: which one follows is for the caller to say. */
static enum kin__json_use use_of_json(struct source *source, const kin_request_options *options)
{
    if (atomic_exchange(&source->tries_json, false))
        return KIN__JSON_FIRST;
    return options->send_initial_events ? KIN__JSON_LEFT : KIN__JSON_NEXT;
}

/* Of a resource that is known. */
static int start_call(struct source *source, enum kin_verb verb, kin_operation **ret,
                      const kin_request_options *options, const kin_call_handlers *handlers,
                      kin_error *err)
{
    kin_request_options all = KIN_REQUEST_OPTIONS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    struct operation *operation;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_REQUEST_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    operation = kin__malloc(sizeof(*operation));
    if (!operation)
        return kin__error_no_memory(err);
    operation->base.cancel = operation_cancel;
    operation->base.release = operation_release;
    all.label_selector = source->label_selector;
    all.field_selector = source->field_selector;
    all.metadata_only = source->metadata_only;
    all.encoding = source->encoding;
    all.decode = source->has_decode ? &source->decode : NULL;
    all.max_retries = -1; /* the caller decides when to try again, and reports the failure */
    request.verb = verb;
    request.resource = atomic_load(&source->resource);
    request.namespace_ = source->namespace_;
    request.options = &all;
    code = kin__client_start(source->client, &operation->call, &request, handlers,
                             use_of_json(source, &all), err);
    if (code < 0)
        kin__free(operation);
    else
        *ret = &operation->base;
    return code;
}

/* --- what a name means --- */

/* A list or a watch that begins when it is known what is meant. */
struct resolving {
    kin_operation base;
    kin__ref ref;                /* the caller's, and the task's */
    struct source *source;       /* SHARED */
    unsigned verb;               /* of the call that follows; 0: none does */
    kin_request_options options; /* its texts are OWNED */
    kin_call_handlers handlers;
    kin__strand strand;
    kin__task task;

    kin__list parked;  /* (client's lock) here, or in the list of the one who unparks it */
    bool was_parked;   /* the task's */
    uint64_t n_before; /* the task's; how often discovery had ended when it was parked */

    atomic_bool is_cancelled;
    kin__mutex lock;      /* rank RESOLVING */
    kin_operation *inner; /* (lock) NULL until it is known, or if that failed */
};

static struct resolving *resolving_of(kin_operation *operation)
{
    return kin__container_of(operation, struct resolving, base);
}

static void resolving_unref(struct resolving *resolving)
{
    if (!kin__ref_put(&resolving->ref))
        return;
    kin_operation_release(resolving->inner);
    kin__strand_done(&resolving->strand);
    kin__mutex_done(&resolving->lock);
    kin__free(kin__unconst(resolving->options.resource_version));
    kin__free(kin__unconst(resolving->options.resource_version_match));
    kin__free(kin__unconst(resolving->options.continue_token));
    kin_list_watch_unref(&resolving->source->base);
    kin__free(resolving);
}

static void resolving_release(kin_operation *operation)
{
    resolving_unref(resolving_of(operation));
}

/*
 * It does not wait for another any more, who may wait for long. If the client has no workers any more,
 * that other one is about to drop it.
 */
static void leave_parked(struct resolving *resolving)
{
    kin_client *client = resolving->source->client;

    if (kin__client_check(client, NULL) < 0)
        return;
    kin__mutex_lock(&client->lock);
    if (!kin__list_is_empty(&resolving->parked) &&
        kin__strand_post(&resolving->strand, &resolving->task) == 0)
        kin__list_remove(&resolving->parked);
    kin__mutex_unlock(&client->lock);
}

static void resolving_cancel(kin_operation *operation)
{
    struct resolving *resolving = resolving_of(operation);
    kin_operation *inner;

    atomic_store(&resolving->is_cancelled, true);
    kin__mutex_lock(&resolving->lock);
    inner = resolving->inner;
    kin__mutex_unlock(&resolving->lock);
    kin_operation_cancel(inner);
    leave_parked(resolving);
}

static void end(struct resolving *resolving, int code, const kin_error *err)
{
    const kin_result result = {.size = sizeof(result), .code = code, .err = err};

    if (resolving->handlers.done)
        resolving->handlers.done(&result, resolving->handlers.arg);
    if (resolving->handlers.arg_free)
        resolving->handlers.arg_free(resolving->handlers.arg);
}

/* Another may have been quicker. */
static void set_resource(struct source *source, kin_resource *resource)
{
    kin_resource *none = NULL;

    if (!atomic_compare_exchange_strong(&source->resource, &none, resource))
        kin_resource_unref(resource);
}

static int resolve(struct source *source, kin_error *err)
{
    kin_resource *resource = NULL;
    int code = kin_client_resolve(source->client, &resource, source->name, err);

    if (code == 0)
        set_resource(source, resource);
    return code;
}

/* Whether nobody has to be asked. */
static bool is_known(struct source *source)
{
    kin_resource *resource = NULL;

    if (atomic_load(&source->resource))
        return true;
    if (kin__client_resolve_known(source->client, &resource, source->name) < 0)
        return false;
    set_resource(source, resource);
    return true;
}

static bool is_cancelled(struct resolving *resolving)
{
    return atomic_load(&resolving->is_cancelled);
}

static int cancelled(kin_error *err)
{
    kin__error_begin(err);
    return kin_error_set(err, KIN_ECANCELED, "the operation was cancelled");
}

/* It goes on as a call. 0, or why not. */
static int go_on(struct resolving *resolving, kin_error *err)
{
    kin_operation *inner = NULL;
    int code = start_call(resolving->source, (enum kin_verb)resolving->verb, &inner,
                          &resolving->options, &resolving->handlers, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&resolving->lock);
    resolving->inner = inner;
    kin__mutex_unlock(&resolving->lock);
    if (is_cancelled(resolving))
        kin_operation_cancel(inner);
    return 0;
}

enum turn { ASKS, WAITS, CANCELLED };

/* Whether it is the one that asks, or has to wait for another. */
static enum turn take_turn(struct resolving *resolving)
{
    kin_client *client = resolving->source->client;
    enum turn turn = ASKS;

    kin__mutex_lock(&client->lock);
    /* Looked at here: who cancels it later finds it parked. */
    if (is_cancelled(resolving)) {
        turn = CANCELLED;
    } else if (client->has_resolver) {
        resolving->was_parked = true;
        resolving->n_before = client->discovery.n_ended;
        kin__list_push_back(&client->parked, &resolving->parked);
        turn = WAITS;
    } else {
        client->has_resolver = true;
    }
    kin__mutex_unlock(&client->lock);
    return turn;
}

/* The client has no workers any more. */
static void drop(struct resolving *resolving)
{
    kin_error err;
    int code;

    kin__error_begin(&err);
    code = is_cancelled(resolving) ? cancelled(&err)
                                   : kin_error_set(&err, KIN_ECLOSED, "the client was closed");
    end(resolving, code, &err);
    resolving_unref(resolving);
}

/* The first of a list of those that were parked; NULL: there are no more. */
static struct resolving *take_parked(kin_client *client, kin__list *parked)
{
    kin__mutex_lock(&client->lock);
    kin__list *node = kin__list_pop_front(parked);

    kin__mutex_unlock(&client->lock);
    return node ? kin__list_entry(node, struct resolving, parked) : NULL;
}

/* Those that have waited go on: each finds the answer, or shares the failure. */
static void unpark(kin_client *client)
{
    struct resolving *resolving;
    kin__list parked;

    kin__list_init(&parked);
    kin__mutex_lock(&client->lock);
    client->has_resolver = false;
    kin__list_splice_back(&parked, &client->parked);
    kin__mutex_unlock(&client->lock);
    while ((resolving = take_parked(client, &parked))) {
        if (kin__strand_post(&resolving->strand, &resolving->task) < 0)
            drop(resolving);
    }
}

/* What the one that was waited for has failed with. */
static int share_failure(struct resolving *resolving, kin_error *err)
{
    kin_client *client = resolving->source->client;
    int code = 0;

    if (!resolving->was_parked)
        return 0;
    kin__mutex_lock(&client->lock);
    if (client->discovery.n_ended != resolving->n_before && client->discovery.code < 0)
        code = kin__error_pass(err, client->discovery.code, &client->discovery.err);
    kin__mutex_unlock(&client->lock);
    resolving->was_parked = false;
    return code;
}

/*
 * Asks in a worker, which waits: the answer is kept. One at a time, so that the other workers go on:
 * an informer must be able to stop while the server says nothing. 0, 1: it was parked, and is not the
 * caller's any more; or why the name means nothing.
 */
static int ask(struct resolving *resolving, kin_error *err)
{
    int code = share_failure(resolving, err);
    enum turn turn = code < 0 ? CANCELLED : take_turn(resolving);

    if (turn != ASKS)
        return turn == WAITS ? 1 : code;
    code = resolve(resolving->source, err);
    unpark(resolving->source->client);
    return code;
}

static void run_resolving(kin__task *task, bool dropped)
{
    struct resolving *resolving = kin__container_of(task, struct resolving, task);
    kin_error err;
    int code = 0;

    if (dropped) {
        drop(resolving);
        return;
    }
    kin__error_begin(&err);
    if (!is_cancelled(resolving) && !is_known(resolving->source))
        code = ask(resolving, &err);
    if (code > 0)
        return;
    /* Whatever came in the meantime. */
    if (is_cancelled(resolving))
        code = cancelled(&err);
    if (code == 0 && resolving->verb)
        code = go_on(resolving, &err);
    if (code < 0 || !resolving->verb)
        end(resolving, code, &err);
    resolving_unref(resolving);
}

/* Of the options, those that count for sources. 0, KIN_ENOMEM. */
static int copy_request(kin_request_options *ret, const kin_request_options *given)
{
    char *version = NULL;
    char *match = NULL;
    char *token = NULL;
    int code = kin__copy_text(&version, given->resource_version);

    if (code == 0)
        code = kin__copy_text(&match, given->resource_version_match);
    if (code == 0)
        code = kin__copy_text(&token, given->continue_token);
    *ret = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    ret->resource_version = version;
    ret->resource_version_match = match;
    ret->continue_token = token;
    ret->timeout_ms = given->timeout_ms;
    ret->limit = given->limit;
    ret->watch_timeout_ms = given->watch_timeout_ms;
    ret->progress_timeout_ms = given->progress_timeout_ms;
    ret->listed_bytes = given->listed_bytes;
    ret->bookmarks = given->bookmarks;
    ret->send_initial_events = given->send_initial_events;
    return code;
}

static int start_resolving(struct source *source, unsigned verb, kin_operation **ret,
                           const kin_request_options *options, const kin_call_handlers *handlers,
                           kin_error *err)
{
    kin_request_options all = KIN_REQUEST_OPTIONS_INIT;
    kin_call_handlers told = KIN_CALL_HANDLERS_INIT;
    struct resolving *resolving;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_REQUEST_OPTIONS_INIT", err);

    if (code == 0)
        code = kin__options_take(&told, sizeof(told), handlers, "KIN_CALL_HANDLERS_INIT", err);
    if (code == 0)
        code = kin__workers_start(source->client->workers, err);
    if (code < 0)
        return code;
    resolving = kin__calloc(1, sizeof(*resolving));
    if (!resolving)
        return kin__error_no_memory(err);
    kin__ref_init(&resolving->ref);
    resolving->base.cancel = resolving_cancel;
    resolving->base.release = resolving_release;
    resolving->source = source_of(kin_list_watch_ref(&source->base));
    resolving->verb = verb;
    resolving->handlers = told;
    kin__mutex_init(&resolving->lock, KIN__RANK_RESOLVING);
    kin__strand_init(&resolving->strand, source->client->workers);
    kin__list_init(&resolving->parked);
    kin__list_init(&resolving->task.link);
    resolving->task.run = run_resolving;
    code = copy_request(&resolving->options, &all) < 0 ? kin__error_no_memory(err) : 0;
    if (code == 0) {
        kin_operation *old = *ret;

        *ret = &resolving->base; /* before the first callback, which may cancel it */
        kin__ref_get(&resolving->ref);
        code = kin__strand_post(&resolving->strand, &resolving->task);
        if (code < 0) {
            kin_error_set(err, code, "the client was closed");
            kin__ref_put(&resolving->ref);
            *ret = old;
        }
    }
    if (code < 0)
        resolving_unref(resolving);
    return code;
}

static int start(struct source *source, enum kin_verb verb, kin_operation **ret,
                 const kin_request_options *options, const kin_call_handlers *handlers,
                 kin_error *err)
{
    return atomic_load(&source->resource)
               ? start_call(source, verb, ret, options, handlers, err)
               : start_resolving(source, verb, ret, options, handlers, err);
}

static int source_list(kin_list_watch *base, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    return start(source_of(base), KIN_VERB_LIST, ret, options, handlers, err);
}

static int source_watch(kin_list_watch *base, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    return start(source_of(base), KIN_VERB_WATCH, ret, options, handlers, err);
}

static const kin_list_watch_class client_class = {sizeof(kin_list_watch_class), source_list,
                                                  source_watch, source_destroy, true};

/* The call that an operation has come to; NULL: none yet, or it is not a client's. BORROWED from the operation. */
static kin_call *call_of(kin_operation *operation)
{
    kin_call *call;

    if (operation && operation->cancel == operation_cancel)
        return operation_of(operation)->call;
    if (!operation || operation->cancel != resolving_cancel)
        return NULL;

    struct resolving *resolving = resolving_of(operation);

    kin__mutex_lock(&resolving->lock);
    call = resolving->inner ? operation_of(resolving->inner)->call : NULL;
    kin__mutex_unlock(&resolving->lock);
    return call;
}

int64_t kin__operation_last_heard(kin_operation *operation)
{
    kin_call *call = call_of(operation);

    return call ? kin__call_last_heard(call) : 0;
}

kin_encoding kin__operation_encoding(kin_operation *operation)
{
    kin_call *call = call_of(operation);

    return call ? kin__call_encoding(call) : KIN_ENCODING_DEFAULT;
}

bool kin__operation_fell_back(kin_operation *operation)
{
    const kin_call *call = call_of(operation);

    return call && kin__call_fell_back(call);
}

bool kin__operation_needs_json(kin_operation *operation)
{
    const kin_call *call = call_of(operation);

    return call && kin__call_needs_json(call);
}

kin_client *kin__list_watch_client(kin_list_watch *source)
{
    return source->source_class == &client_class
               ? kin__container_of(source, struct source, base)->client
               : NULL;
}

const kin_resource *kin__list_watch_resource(kin_list_watch *source)
{
    return kin__list_watch_client(source) ? atomic_load(&source_of(source)->resource) : NULL;
}

bool kin__list_watch_is_unresolved(kin_list_watch *source)
{
    return kin__list_watch_client(source) && !atomic_load(&source_of(source)->resource);
}

int kin__list_watch_resolve(kin_list_watch *source, kin_operation **ret,
                            const kin_call_handlers *handlers, kin_error *err)
{
    return start_resolving(source_of(source), 0, ret, NULL, handlers, err);
}

bool kin__list_watch_streams(kin_list_watch *source)
{
    kin_client *client = kin__list_watch_client(source);
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_resource *resource = kin__list_watch_resource(source);

    if (!client || !resource)
        return source->source_class->streaming_lists;
    if (atomic_load(&source_of(source)->tries_json))
        return false;
    options.metadata_only = source_of(source)->metadata_only;
    options.encoding = source_of(source)->encoding;
    return kin__client_asks_protobuf(client, resource, KIN_VERB_WATCH, &options);
}

void kin__list_watch_try_json(kin_list_watch *source)
{
    if (kin__list_watch_client(source))
        atomic_store(&source_of(source)->tries_json, true);
}

bool kin__list_watch_is_partial(kin_list_watch *source)
{
    return kin__list_watch_client(source) && source_of(source)->metadata_only;
}

static int copy_decode(struct source *source, const kin_decode_options *given, kin_error *err)
{
    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    char *api_version = NULL;
    char *kind = NULL;
    int code = kin__options_take(&all, sizeof(all), given, "KIN_DECODE_OPTIONS_INIT", err);

    if (code < 0 || !given)
        return code;
    if (kin__copy_text(&api_version, all.api_version) < 0 || kin__copy_text(&kind, all.kind) < 0)
        code = kin__error_no_memory(err);
    all.api_version = api_version;
    all.kind = kind;
    all.projection = kin_projection_ref(all.projection);
    source->decode = all;
    source->has_decode = true;
    return code;
}

static int copy_options(struct source *source, const kin_list_watch_options *options,
                        kin_error *err)
{
    if (kin__copy_text(&source->namespace_, options->namespace_) < 0 ||
        kin__copy_text(&source->label_selector, options->label_selector) < 0 ||
        kin__copy_text(&source->field_selector, options->field_selector) < 0)
        return kin__error_no_memory(err);
    source->metadata_only = options->metadata_only;
    source->encoding = options->encoding;
    return copy_decode(source, options->decode, err);
}

/* Of a resource, or of what a name will turn out to mean. */
static int make(kin_client *client, kin_list_watch **ret, kin_resource *resource, const char *name,
                const kin_list_watch_options *options, kin_error *err)
{
    kin_list_watch_options all = KIN_LIST_WATCH_OPTIONS_INIT;
    struct source *source;
    int code = kin__client_check(client, err);

    if (code == 0 && (!ret || (!resource && !name)))
        code = kin__error_null(err, ret ? "resource" : "ret");
    if (code == 0)
        code = kin__options_take(&all, sizeof(all), options, "KIN_LIST_WATCH_OPTIONS_INIT", err);
    if (code == 0)
        code = kin__check_encoding(all.encoding, err);
    if (code < 0)
        return code;
    source = kin__calloc(1, sizeof(*source));
    if (!source)
        return kin__error_no_memory(err);
    kin_list_watch_init(&source->base, &client_class, NULL);
    source->client = kin__client_ref(client);
    atomic_init(&source->resource, kin_resource_ref(resource));
    code = kin__copy_text(&source->name, name) < 0 ? kin__error_no_memory(err)
                                                   : copy_options(source, &all, err);
    if (code < 0)
        kin_list_watch_unref(&source->base);
    else
        *ret = &source->base;
    return code;
}

int kin_client_list_watch(kin_client *client, kin_list_watch **ret, kin_resource *resource,
                          const kin_list_watch_options *options, kin_error *err)
{
    return make(client, ret, resource, NULL, options, err);
}

int kin_client_list_watch_by_name(kin_client *client, kin_list_watch **ret, const char *resource,
                                  const kin_list_watch_options *options, kin_error *err)
{
    return make(client, ret, NULL, resource, options, err);
}
