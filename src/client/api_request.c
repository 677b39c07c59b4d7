/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: checked, and made into method, target, headers and body. What the parts of a target are
 * is client/url.c's.
 */
#include "client/api_request.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/url.h"
#include "kinform/metadata.h"
#include "object/protobuf.h"

#define JSON "application/json"
#define PROTOBUF KIN__PROTOBUF
#define AS_METADATA ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define AS_METADATA_LIST ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

/* A watch without a byte for so much longer than it was to last is dead. */
#define WATCH_GRACE_MS 90000

static const char *accept_of(const kin_request *request, const kin_request_options *options,
                             bool is_protobuf)
{
    if (!options->metadata_only)
        return is_protobuf ? PROTOBUF "," JSON : JSON;
    /* What a collection was is told as a list; asked for as an object, it is gone all the same. */
    if (request->verb == KIN_VERB_LIST || request->verb == KIN_VERB_DELETE_COLLECTION)
        return is_protobuf ? PROTOBUF AS_METADATA_LIST "," JSON AS_METADATA_LIST
                           : JSON AS_METADATA_LIST;
    return is_protobuf ? PROTOBUF AS_METADATA "," JSON AS_METADATA : JSON AS_METADATA;
}

static enum kin__answer_kind kind_of(enum kin_verb verb)
{
    if (verb == KIN_VERB_LIST)
        return KIN__ANSWER_LIST;
    return verb == KIN_VERB_WATCH ? KIN__ANSWER_WATCH : KIN__ANSWER_OBJECT;
}

/* A streaming list is as much as a list, and a watch from then on. */
static enum kin__lane_kind lane_of(enum kin_verb verb, const kin_request_options *options)
{
    if (verb == KIN_VERB_LIST)
        return KIN__LANE_LIST;
    if (verb != KIN_VERB_WATCH)
        return KIN__LANE_SHORT;
    return options->send_initial_events ? KIN__LANE_WATCH_LIST : KIN__LANE_WATCH;
}

static bool has_object(enum kin_verb verb)
{
    return verb == KIN_VERB_CREATE || verb == KIN_VERB_UPDATE;
}

static int check_request(const kin_request *request, const kin_call_handlers *handlers,
                         kin_error *err)
{
    if (!request->resource)
        return kin__error_null(err, "resource");
    if (has_object(request->verb) && !request->object)
        return kin__error_null(err, "object");
    if (request->verb == KIN_VERB_PATCH && !request->patch.data)
        return kin__error_null(err, "patch");
    if (request->verb == KIN_VERB_LIST && !handlers->item)
        return kin__error_null(err, "item");
    if (request->verb == KIN_VERB_WATCH && !handlers->event)
        return kin__error_null(err, "event");
    return 0;
}

/* --- names --- */

/* What the parts of a target are called: given, or the object's. OWNED. */
struct names {
    char *namespace_;
    char *name;
};

static void names_done(struct names *names)
{
    kin__free(names->namespace_);
    kin__free(names->name);
}

/* `given`, or else what the object says. NULL if neither does. 0 or KIN_ENOMEM. */
static int take_name(char **ret, const char *given, kin_str own)
{
    kin_str text = given ? kin_str_of(given) : own;

    if (text.len == 0)
        return 0;
    *ret = kin__memdup_str(text);
    return *ret ? 0 : KIN_ENOMEM;
}

static int take_names(struct names *names, const kin_request *request,
                      const kin_request_options *options, kin_error *err)
{
    const kin_str none = {NULL, 0};
    const kin_object *object = has_object(request->verb) ? request->object : NULL;
    bool is_of_one =
        request->verb == KIN_VERB_UPDATE || (options->subresource && *options->subresource);
    int code = take_name(&names->namespace_, request->namespace_,
                         object ? kin_object_namespace(object) : none);

    /* What is created has no name in its path, but for a subresource of what is there. */
    if (code == 0)
        code = take_name(&names->name, request->name,
                         object && is_of_one ? kin_object_name(object) : none);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* --- bodies --- */

static int make_body(kin__call_spec *spec, char **ret_owned, const kin_request *request,
                     const kin__request *asked, kin_error *err)
{
    size_t len = 0;
    int code = 0;

    switch (request->verb) {
    case KIN_VERB_CREATE:
    case KIN_VERB_UPDATE:
        code = kin_object_to_json(ret_owned, &len, request->object, KIN_JSON_COMPACT, err);
        break;
    case KIN_VERB_PATCH:
        spec->body = request->patch;
        spec->content_type = kin__patch_content_type(request->patch_type);
        return 0;
    case KIN_VERB_DELETE:
    case KIN_VERB_DELETE_COLLECTION:
        code = kin__request_delete_options(ret_owned, asked, err);
        len = *ret_owned ? strlen(*ret_owned) : 0;
        break;
    default:
        return 0;
    }
    if (code == 0 && *ret_owned) {
        spec->body = kin_str_make(*ret_owned, len);
        spec->content_type = JSON;
    }
    return code;
}

/* --- times --- */

static int64_t timeout_of(const kin_client *client, const kin_request *request,
                          const kin_request_options *options)
{
    if (options->timeout_ms)
        return options->timeout_ms;
    return request->verb == KIN_VERB_WATCH ? -1 : client->timeout_ms;
}

/* How long no byte may come. */
static int64_t idle_of(const kin_client *client, enum kin_verb verb,
                       const kin_request_options *options)
{
    if (verb != KIN_VERB_WATCH && verb != KIN_VERB_LIST)
        return 0;
    if (options->progress_timeout_ms > 0)
        return options->progress_timeout_ms > INT64_MAX / KIN__MILLISECOND
                   ? 0
                   : options->progress_timeout_ms * KIN__MILLISECOND;
    if (options->progress_timeout_ms < 0 || verb == KIN_VERB_LIST)
        return 0;
    if (client->watch_idle_ns)
        return client->watch_idle_ns > 0 ? client->watch_idle_ns : 0;
    if (options->watch_timeout_ms <= 0 ||
        options->watch_timeout_ms > INT64_MAX / KIN__MILLISECOND - WATCH_GRACE_MS)
        return 0;
    return (options->watch_timeout_ms + WATCH_GRACE_MS) * KIN__MILLISECOND;
}

/* Items of a list do not say what they are; the resource does. In JSON, items that are metadata do. */
static int decode_of(kin_decode_options *decode, const kin_request *request,
                     const kin_request_options *options, kin_error *err)
{
    int code =
        kin__options_take(decode, sizeof(*decode), options->decode, "KIN_DECODE_OPTIONS_INIT", err);

    /* The answer says it. */
    decode->encoding = KIN_ENCODING_DEFAULT;
    if (code < 0 || request->verb != KIN_VERB_LIST)
        return code;
    if (!decode->api_version)
        decode->api_version =
            options->metadata_only ? "meta.k8s.io/v1" : kin_resource_api_version(request->resource);
    if (!decode->kind && options->metadata_only)
        decode->kind = "PartialObjectMetadata";
    else if (!decode->kind && kin_resource_kind(request->resource)[0])
        decode->kind = kin_resource_kind(request->resource);
    return 0;
}

/* --- all --- */

static int make_call(kin_call **ret, kin_client *client, const kin_request *request,
                     const kin_request_options *options, kin__call_spec spec, kin_error *err)
{
    struct names names = {NULL, NULL};
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    char *target = NULL;
    char *body = NULL;
    bool is_protobuf = kin__client_asks_protobuf(client, request->resource, request->verb, options);
    int code = kin__check_encoding(options->encoding, err);

    if (code == 0)
        code = decode_of(&decode, request, options, err);
    if (code == 0)
        code = take_names(&names, request, options, err);
    kin__request asked = {
        .verb = request->verb,
        .patch_type = request->patch_type,
        .resource = request->resource,
        .namespace_ = names.namespace_,
        .name = names.name,
        .options = options,
        .timeout_ms = timeout_of(client, request, options),
    };
    if (code == 0)
        code = kin__request_target(&target, &asked, err);
    if (code == 0)
        code = make_body(&spec, &body, request, &asked, err);
    if (code == 0) {
        spec.verb = request->verb;
        spec.method = kin__request_method(request->verb);
        spec.target = target;
        spec.accept = accept_of(request, options, is_protobuf);
        spec.json_accept = is_protobuf ? accept_of(request, options, false) : NULL;
        spec.resource = request->resource;
        spec.kind = kind_of(request->verb);
        spec.lane = lane_of(request->verb, options);
        spec.decode = &decode;
        spec.timeout_ms = asked.timeout_ms;
        spec.max_retries = options->max_retries;
        spec.idle_ns = idle_of(client, request->verb, options);
        spec.listed = request->verb == KIN_VERB_LIST ? options->listed_bytes : 0;
        spec.is_streaming_list = request->verb == KIN_VERB_WATCH && options->send_initial_events;
        code = kin__call_new(ret, client, &spec, err);
    }
    if (body)
        kin__secret_wipe(body, strlen(body));
    kin__free(body);
    kin__free(target);
    names_done(&names);
    return code;
}

int kin__request_call(kin_call **ret, kin_client *client, const kin_request *request,
                      const kin_call_handlers *handlers, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin__call_spec spec = {.handlers = handlers};
    kin_request all = KIN_REQUEST_INIT;
    int code = kin__client_check(client, err);

    if (code == 0 && !request)
        code = kin__error_null(err, "request");
    if (code == 0)
        code = kin__options_take(&all, sizeof(all), request, "KIN_REQUEST_INIT", err);
    if (code == 0)
        code = kin__options_take(&options, sizeof(options), all.options, "KIN_REQUEST_OPTIONS_INIT",
                                 err);
    if (code == 0)
        code = check_request(&all, handlers, err);
    return code < 0 ? code : make_call(ret, client, &all, &options, spec, err);
}
