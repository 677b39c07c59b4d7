/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As in JSON, an object is written as it is stored, but for its type. Lists, events and their
 * metadata have few fields, the same for all kinds, and are written here; the tables have the rest.
 */
#include "apiserver/protocol/encode_protobuf.h"

#include <stdio.h>
#include <string.h>

#include "apiserver/protocol/event_conversion.h"
#include "base/error.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "object/object.h"

/* Of no message of Kubernetes. */
#define PADDING_FIELD 2000u

/* "apps/v1" and "Deployment"; `suffix` as in "List". */
static void append_type(kin__buf *api_version, kin__buf *kind, const kin__encoding *e,
                        const char *suffix)
{
    if (e->form == KIN__FORM_METADATA) {
        kin__buf_appendf(api_version, "meta.k8s.io/%s",
                         e->form_version == KIN__FORM_V1 ? "v1" : "v1beta1");
        kin__buf_appendf(kind, "PartialObjectMetadata%s", suffix);
        return;
    }
    kin__encode_api_version(api_version, e->kind, e->version->name);
    kin__buf_append(kind, kin_str_of(suffix[0] ? e->kind->list_kind : e->kind->kind));
}

static void type_init(kin__buf *api_version, kin__buf *kind, const kin__encoding *e,
                      const char *suffix)
{
    kin__buf_init(api_version, KIN__TEXT_MAX);
    kin__buf_init(kind, KIN__TEXT_MAX);
    append_type(api_version, kind, e, suffix);
}

bool kin__encoding_set_protobuf(kin__encoding *encoding)
{
    kin__buf api_version;
    kin__buf kind;
    bool is_found;

    type_init(&api_version, &kind, encoding, "");
    is_found =
        kin__pb_message_of(kin__buf_str(&api_version), kin__buf_str(&kind), &encoding->message);
    encoding->is_protobuf |= is_found;
    kin__buf_done(&api_version);
    kin__buf_done(&kind);
    return is_found;
}

/* --- objects --- */

/* The object in the form of its kind: another reference, or a new one. */
static int convert(const kin_object **ret, const kin__encoding *encoding, const kin_object *object,
                   kin_error *err)
{
    if (encoding->kind->conversion == KIN__CONVERSION_EVENTS)
        return kin__event_convert(ret, object, KIN__EVENT_EVENTS, err);
    *ret = kin_object_ref(object);
    return 0;
}

/* Say which object it is. */
static int pass_error(int code, const kin_object *object, kin_error *err)
{
    kin_error said;

    if ((code != KIN_ETYPE && code != KIN_EINVAL) || !err)
        return code;
    said = *err;
    return kin_error_set(err, code, "%" KIN_STR_FMT " cannot be written in protobuf: %s",
                         KIN_STR_ARG(kin__object_key(object)), said.message);
}

/* Of an object whose members are all there, or it must be sent in another encoding. */
static void refuse_lacking(kin__pb_writer *writer, const kin__encoding *encoding)
{
    writer->lacking = encoding->form == KIN__FORM_METADATA ? KIN__PB_REFUSE_INSIDE : KIN__PB_REFUSE;
}

int kin__encode_protobuf_item(kin_str *ret, kin__pb_writer *writer, const kin__encoding *encoding,
                              const kin_object *object, kin_error *err)
{
    const kin_object *converted = NULL;
    int code = convert(&converted, encoding, object, err);

    refuse_lacking(writer, encoding);
    if (code == 0)
        code = kin__pb_write(writer, ret, encoding->message, kin_object_root(converted), err);
    kin_object_unref(converted);
    return pass_error(code, object, err);
}

int kin__measure_protobuf_item(size_t *ret, kin__pb_writer *writer, const kin__encoding *encoding,
                               const kin_object *object, kin_error *err)
{
    const kin_object *converted = NULL;
    int code = convert(&converted, encoding, object, err);

    refuse_lacking(writer, encoding);
    if (code == 0)
        code = kin__pb_measure(writer, ret, encoding->message, kin_object_root(converted), err);
    kin_object_unref(converted);
    return pass_error(code, object, err);
}

/* The failure of a buffer, if it has one. */
static int check_buf(const kin__buf *buf, kin_error *err)
{
    if (buf->failed == KIN_ELIMIT)
        return kin_error_set(err, KIN_ELIMIT, "the answer is larger than %zu bytes", buf->limit);
    return buf->failed ? kin__error_no_memory(err) : 0;
}

static int append_head(kin__buf *out, const kin__encoding *encoding, const char *suffix, size_t len)
{
    kin__buf api_version;
    kin__buf kind;
    int code;

    type_init(&api_version, &kind, encoding, suffix);
    code = api_version.failed ? api_version.failed : kind.failed;
    if (code == 0)
        kin__pb_envelope_head(out, kin__buf_str(&api_version), kin__buf_str(&kind), len);
    else if (!out->failed)
        out->failed = code;
    kin__buf_done(&api_version);
    kin__buf_done(&kind);
    return code;
}

int kin__encode_protobuf(kin__buf *out, kin__pb_writer *writer, const kin__encoding *encoding,
                         const kin_object *object, kin_error *err)
{
    kin_str message = kin_str_of("");
    int code = kin__encode_protobuf_item(&message, writer, encoding, object, err);

    if (code < 0)
        return code;
    (void)append_head(out, encoding, "", message.len);
    kin__buf_append(out, message);
    kin__buf_append(out, kin__pb_envelope_tail());
    return check_buf(out, err);
}

int kin__encode_protobuf_json(kin__buf *out, kin_str json, kin_error *err)
{
    const kin_object *object = NULL;
    kin_scratch scratch[2];
    kin_str api_version;
    kin_str kind;
    kin__pb_writer writer;
    unsigned message;
    int code = kin_object_from_json(&object, json, NULL, err);

    if (code < 0)
        return code;
    api_version = kin_object_api_version(object, &scratch[0]);
    kind = kin_object_kind(object, &scratch[1]);
    kin__pb_writer_init(&writer, KIN__TEXT_MAX);
    if (kin__pb_message_of(api_version, kind, &message))
        code = kin__pb_write_object(&writer, out, message, api_version, kind,
                                    kin_object_root(object), err);
    else
        code = kin_error_set(err, KIN_ENOTFOUND, "%" KIN_STR_FMT " is not in protobuf",
                             KIN_STR_ARG(kind));
    kin__pb_writer_done(&writer);
    kin_object_unref(object);
    return code;
}

/* --- lists --- */

void kin__encode_protobuf_list_meta(kin__buf *out, uint64_t version, kin_str continue_token,
                                    uint64_t remaining)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)version);
    kin__pb_append_text(out, 1, kin_str_of(""));
    kin__pb_append_text(out, 2, kin_str_of(text));
    kin__pb_append_text(out, 3, continue_token);
    if (remaining > 0)
        kin__pb_append_number(out, 4, remaining);
}

void kin__encode_protobuf_list_head(kin__buf *out, const kin__encoding *encoding, size_t len)
{
    (void)append_head(out, encoding, "List", len);
}

/* --- watches --- */

size_t kin__protobuf_frame_head(char head[KIN__FRAME_HEAD_SIZE], const char *type, size_t len)
{
    char raw[KIN__PB_HEAD_MAX];
    kin_str name = kin_str_of(type);
    size_t raw_len = kin__pb_head(raw, 1, len);
    size_t n = 4;
    uint32_t frame;

    n += kin__pb_head(head + n, 1, name.len);
    memcpy(head + n, name.data, name.len);
    n += name.len;
    n += kin__pb_head(head + n, 2, raw_len + len);
    memcpy(head + n, raw, raw_len);
    n += raw_len;
    frame = (uint32_t)(n - 4 + len);
    for (unsigned i = 0; i < 4; i++)
        head[i] = (char)(frame >> (24 - 8 * i));
    return n;
}

size_t kin__protobuf_padding_head(char head[KIN__PB_HEAD_MAX], uint64_t len)
{
    return kin__pb_head(head, PADDING_FIELD, len);
}
