/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of requests, as objects in the form in which they are stored.
 */
#include <string.h>

#include "apiserver/kinds/validate.h"
#include "apiserver/protocol/event_conversion.h"
#include "apiserver/verbs/api_inside.h"
#include "base/memory.h"
#include "base/str.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/yaml.h"
#include "object/json.h"

/* Of a body whose decoder is kept. */
#define DECODER_KEPT_MAX ((size_t)64 * 1024)

/* How much of a body that is refused the answer tells. */
#define BODY_START 30
/* The type without its parameters. */
static kin_str media_type(kin_str content_type)
{
    return kin__str_trim(kin_str_make(content_type.data, kin__str_find(content_type, ';')));
}

static bool fail_decode(kin__failure *failure, const char *type, kin_str body, int code,
                        const kin_error *err)
{
    char start[BODY_START + 8];
    kin__cutline line;

    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code == KIN_ELIMIT)
        return kin__fail(failure, 413, "RequestEntityTooLarge", "%s", err->message);
    kin__cutline_init(&line, start, sizeof(start));
    kin__cutline_append(&line,
                        kin_str_make(body.data, body.len < BODY_START ? body.len : BODY_START));
    if (body.len > BODY_START)
        kin__cutline_append(&line, kin_str_of(" ..."));
    return kin__fail_bad_request(failure,
                                 "the object provided is unrecognized (must be of type %s): "
                                 "couldn't get version/kind; json parse error: %s (%s)",
                                 type, err->message, body.len > 0 ? start : "<empty>");
}

/*
 * A decoder that has read bodies before is much quicker: most objects of a kind have much in
 * common. One that has read a large body keeps much memory and is not kept.
 */
static int take_decoder(kin__api *api, kin_decoder **ret, kin_error *err)
{
    kin_decoder *decoder = NULL;

    kin__mutex_lock(&api->lock);
    if (api->n_decoders > 0)
        decoder = api->decoders[--api->n_decoders];
    kin__mutex_unlock(&api->lock);
    if (!decoder)
        return kin_decoder_new(ret, NULL, err);
    *ret = decoder;
    return 0;
}

static void give_decoder_back(kin__api *api, kin_decoder *decoder, size_t body_len)
{
    kin__mutex_lock(&api->lock);
    if (body_len <= DECODER_KEPT_MAX && api->n_decoders < kin__array_len(api->decoders)) {
        api->decoders[api->n_decoders++] = decoder;
        decoder = NULL;
    }
    kin__mutex_unlock(&api->lock);
    kin_decoder_free(decoder);
}

static int decode_json(kin__api *api, const kin_object **ret, kin_str body, kin_error *err)
{
    kin_decoder *decoder = NULL;
    int code = take_decoder(api, &decoder, err);

    if (code < 0)
        return code;
    code = kin_decoder_decode(decoder, ret, body, err);
    give_decoder_back(api, decoder, body.len);
    return code;
}

/* --- protobuf --- */

/* DeleteOptions and Scales are the server's own, also where custom resources have them. */
static bool takes_protobuf(const kin__op *op, const char *type)
{
    return !op->kind->custom || strcmp(type, "DeleteOptions") == 0 || strcmp(type, "Scale") == 0;
}

static bool fail_unknown_format(const kin__op *op, const char *type, kin__failure *failure)
{
    return kin__fail(failure, 415, "UnsupportedMediaType",
                     "the body of the request was in an unknown format - accepted media types "
                     "include: application/json, application/yaml%s",
                     takes_protobuf(op, type) ? ", " KIN__PROTOBUF : "");
}

/* Without what it says it is, its beginning is told, in hexadecimal digits. */
static bool fail_protobuf(kin__failure *failure, const char *type, kin_str body,
                          const kin__protobuf_type *found, int code, const kin_error *err)
{
    char start[2 * BODY_START + 8];
    kin__cutline line;
    size_t slash = kin__str_find(found->api_version, '/');
    size_t skipped = slash < found->api_version.len ? slash + 1 : 0;
    kin_str version =
        kin_str_make(found->api_version.data + skipped, found->api_version.len - skipped);

    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code == KIN_ELIMIT)
        return kin__fail(failure, 413, "RequestEntityTooLarge", "%s", err->message);
    if (found->kind.len > 0)
        return kin__fail_bad_request(
            failure,
            "%" KIN_STR_FMT " in version \"%" KIN_STR_FMT "\" cannot be handled as a %s: %s",
            KIN_STR_ARG(found->kind), KIN_STR_ARG(version), type, err->message);
    kin__cutline_init(&line, start, sizeof(start));
    for (size_t i = 0; i < body.len && i < BODY_START; i++)
        kin__cutline_appendf(&line, "%02x", (unsigned char)body.data[i]);
    if (body.len > BODY_START)
        kin__cutline_append(&line, kin_str_of(" ..."));
    return kin__fail_bad_request(
        failure, "the object provided is unrecognized (must be of type %s): %s (%s)", type,
        err->message, body.len > 0 ? start : "<empty>");
}

/* `found` is what the object says that it is, or else what is expected; a kind that is not known has nothing in it. */
static int decode_message(kin__api *api, const kin_object **ret, kin_str body,
                          kin__protobuf_type expected, kin__protobuf_type *found, kin_error *err)
{
    kin__protobuf_message message = {.bytes = kin_str_of("")};
    kin_decoder *decoder = NULL;
    const kin__pb_kind *kind;
    kin_str raw;
    int code = kin__protobuf_open(&message.type, &raw, body, err);

    if (code < 0)
        return code;
    *found = message.type;
    if (found->api_version.len == 0)
        found->api_version = expected.api_version;
    if (found->kind.len == 0)
        found->kind = expected.kind;
    kind = kin__protobuf_find_kind(found);
    if (kind) {
        message.number = kind->message;
        message.bytes = raw;
    }
    code = take_decoder(api, &decoder, err);
    if (code < 0)
        return code;
    kin__decoder_skip_unknown(decoder);
    code = kin__decoder_decode_message(decoder, ret, &message, err);
    give_decoder_back(api, decoder, body.len);
    return code;
}

static bool decode_protobuf(kin__op *op, const char *type, const kin_object **ret,
                            kin__failure *failure)
{
    kin_str body = op->call->request->body;
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type found = {kin_str_of(""), kin_str_of("")};
    kin__buf version;
    int code;

    kin__buf_init(&version, 1024);
    if (strcmp(type, "Scale") == 0)
        kin__buf_append(&version, kin_str_of("autoscaling/v1"));
    else
        kin__encode_api_version(&version, op->kind, op->version->name);
    code = version.failed;
    if (code == 0)
        code = decode_message(op->api, ret, body,
                              (kin__protobuf_type){kin__buf_str(&version), kin_str_of(type)},
                              &found, &err);
    if (code < 0)
        fail_protobuf(failure, type, body, &found, code, &err);
    kin__buf_done(&version);
    return code == 0;
}

bool kin__op_decode(kin__op *op, const char *type, const kin_object **ret, kin__failure *failure)
{
    kin_str body = op->call->request->body;
    kin_str media = media_type(op->call->request->content_type);
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (op->call->request->object) {
        *ret = kin_object_ref(op->call->request->object);
        return true;
    }
    if (kin_str_equal(media, kin_str_of("application/yaml"))) {
        code = kin_object_from_yaml(ret, body, NULL, &err);
    } else if (media.len == 0 || kin_str_equal(media, kin_str_of("application/json"))) {
        if (kin_str_equal(kin__str_trim(body), kin_str_of("null")))
            body = kin_str_of("{}");
        code = decode_json(op->api, ret, body, &err);
    } else if (kin_str_equal(media, kin_str_of(KIN__PROTOBUF)) && takes_protobuf(op, type)) {
        return decode_protobuf(op, type, ret, failure);
    } else {
        return fail_unknown_format(op, type, failure);
    }
    return code == 0 || fail_decode(failure, type, body, code, &err);
}

static int set_type(const kin_object **ret, const kin_object *object, kin_str api_version,
                    const char *kind, kin_error *err)
{
    kin_editor *ed = NULL;
    kin_scratch scratch;
    kin_scratch kind_scratch;
    int code;

    if (kin_str_equal(kin_object_api_version(object, &scratch), api_version) &&
        kin_str_equal(kin_object_kind(object, &kind_scratch), kin_str_of(kind))) {
        *ret = kin_object_ref(object);
        return 0;
    }
    code = kin_editor_new(&ed, object, err);
    if (code == 0)
        code = kin_editor_set_string(ed, kin_str_of("apiVersion"), api_version, err);
    if (code == 0)
        code = kin_editor_set_string(ed, kin_str_of("kind"), kin_str_of(kind), err);
    if (code == 0)
        code = kin_editor_finish(ed, ret, err);
    kin_editor_free(ed);
    return code;
}

int kin__to_version(const kin_object **ret, const kin_object *object, const kin__kind *kind,
                    const char *version, kin_error *err)
{
    kin__buf api_version;
    int code;

    kin__buf_init(&api_version, 1024);
    kin__encode_api_version(&api_version, kind, version);
    code = api_version.failed;
    if (code < 0)
        kin_error_set(err, code, "%s", kin_error_string(code));
    else
        code = set_type(ret, object, kin__buf_str(&api_version), kind->kind, err);
    kin__buf_done(&api_version);
    return code;
}

int kin__to_stored(const kin_object **ret, const kin_object *object, const kin__kind *kind,
                   kin_error *err)
{
    const kin_object *typed = NULL;
    int code = kin__to_version(&typed, object, kind, kind->storage_version, err);

    if (code < 0 || kind->conversion != KIN__CONVERSION_EVENTS) {
        if (code == 0)
            *ret = typed;
        return code;
    }
    code = kin__event_convert(ret, typed, KIN__EVENT_CORE, err);
    kin_object_unref(typed);
    return code;
}

bool kin__op_take_body(kin__op *op, const kin_object *object, const kin_object **ret,
                       kin__failure *failure)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!kin__validate_body(op->kind, kin_str_of(op->version->name), op->subresource,
                            op->info.namespace_, op->info.name, object, failure))
        return false;
    code = kin__to_stored(ret, object, op->kind, &err);
    return code == 0 || kin__op_fail_code(failure, code, &err);
}

bool kin__op_read_body(kin__op *op, kin__failure *failure)
{
    const kin_object *object = NULL;
    bool ok;

    if (!kin__op_decode(op, op->kind->kind, &object, failure))
        return false;
    ok = kin__op_take_body(op, object, &op->body, failure);
    kin_object_unref(object);
    return ok;
}
