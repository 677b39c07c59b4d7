/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf_json.h"

#include "base/error.h"
#include "object/json.h"

int kin_test_protobuf_json_by(kin_decoder *decoder, kin__buf *out, kin_str body,
                              kin__protobuf_type expected, kin__protobuf_type *ret_type,
                              kin_error *err)
{
    kin__protobuf_message message = {.bytes = kin_str_of("")};
    const kin_object *object = NULL;
    const kin__pb_kind *kind;
    kin_str raw;
    int code;

    *ret_type = (kin__protobuf_type){kin_str_of(""), kin_str_of("")};
    code = kin__protobuf_open(&message.type, &raw, body, err);
    if (code < 0)
        return code;
    *ret_type = message.type;
    if (ret_type->api_version.len == 0)
        ret_type->api_version = expected.api_version;
    if (ret_type->kind.len == 0)
        ret_type->kind = expected.kind;
    kind = kin__protobuf_find_kind(ret_type);
    if (kind) {
        message.number = kind->message;
        message.bytes = raw;
    }
    code = kin__decoder_decode_message(decoder, &object, &message, err);
    if (code < 0)
        return code;
    kin__json_write(out, kin_object_root(object), KIN_JSON_COMPACT);
    kin_object_unref(object);
    return out->failed == KIN_ENOMEM ? kin__error_no_memory(err) : out->failed;
}

int kin_test_protobuf_json(kin__buf *out, kin_str body, kin__protobuf_type expected,
                           kin__protobuf_type *ret_type, bool skips_unknown, kin_error *err)
{
    kin_decoder *decoder = NULL;
    int code;

    *ret_type = (kin__protobuf_type){kin_str_of(""), kin_str_of("")};
    code = kin_decoder_new(&decoder, NULL, err);
    if (code < 0)
        return code;
    if (skips_unknown)
        kin__decoder_skip_unknown(decoder);
    code = kin_test_protobuf_json_by(decoder, out, body, expected, ret_type, err);
    kin_decoder_free(decoder);
    return code;
}
