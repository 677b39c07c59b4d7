/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of objects: the part that all have, and the one that asks an API server.
 */
#include "kinform/list_watch.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/ref.h"
#include "client/client.h"

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

static int check(const kin_list_watch *source, kin_operation **ret,
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
    int code = check(source, ret, handlers, err);

    return code < 0 ? code : source->source_class->list(source, ret, options, handlers, err);
}

int kin_list_watch_watch(kin_list_watch *source, kin_operation **ret,
                         const kin_request_options *options, const kin_call_handlers *handlers,
                         kin_error *err)
{
    int code = check(source, ret, handlers, err);

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
    kin_resource *resource;
    char *namespace_;
    char *label_selector;
    char *field_selector;
    bool metadata_only;
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
    kin_resource_unref(source->resource);
    kin__client_unref(source->client);
    kin__free(source);
}

static int start(struct source *source, enum kin_verb verb, kin_operation **ret,
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
    all.decode = source->has_decode ? &source->decode : NULL;
    request.verb = verb;
    request.resource = source->resource;
    request.namespace_ = source->namespace_;
    request.options = &all;
    code = kin_client_start(source->client, &operation->call, &request, handlers, err);
    if (code < 0)
        kin__free(operation);
    else
        *ret = &operation->base;
    return code;
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
                                                  source_watch, source_destroy};

/* 0 or KIN_ENOMEM. */
static int copy(char **ret, const char *text)
{
    if (text)
        *ret = kin__memdup_str(kin_str_of(text));
    return !text || *ret ? 0 : KIN_ENOMEM;
}

static int copy_decode(struct source *source, const kin_decode_options *given, kin_error *err)
{
    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    char *api_version = NULL;
    char *kind = NULL;
    int code = kin__options_take(&all, sizeof(all), given, "KIN_DECODE_OPTIONS_INIT", err);

    if (code < 0 || !given)
        return code;
    if (copy(&api_version, all.api_version) < 0 || copy(&kind, all.kind) < 0)
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
    if (copy(&source->namespace_, options->namespace_) < 0 ||
        copy(&source->label_selector, options->label_selector) < 0 ||
        copy(&source->field_selector, options->field_selector) < 0)
        return kin__error_no_memory(err);
    source->metadata_only = options->metadata_only;
    return copy_decode(source, options->decode, err);
}

int kin_client_list_watch(kin_client *client, kin_list_watch **ret, kin_resource *resource,
                          const kin_list_watch_options *options, kin_error *err)
{
    kin_list_watch_options all = KIN_LIST_WATCH_OPTIONS_INIT;
    struct source *source;
    int code = kin__client_check(client, err);

    if (code == 0 && (!ret || !resource))
        code = kin__error_null(err, ret ? "resource" : "ret");
    if (code == 0)
        code = kin__options_take(&all, sizeof(all), options, "KIN_LIST_WATCH_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    source = kin__calloc(1, sizeof(*source));
    if (!source)
        return kin__error_no_memory(err);
    kin_list_watch_init(&source->base, &client_class, NULL);
    source->client = kin__client_ref(client);
    source->resource = kin_resource_ref(resource);
    code = copy_options(source, &all, err);
    if (code < 0)
        kin_list_watch_unref(&source->base);
    else
        *ret = &source->base;
    return code;
}
