/* SPDX-License-Identifier: Apache-2.0 */
#include "object/protobuf.h"

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "object/protobuf_wire.h"

enum {
    TYPE = KIN__PROTOBUF_TYPE,
    RAW = KIN__PROTOBUF_RAW,
    CONTENT_ENCODING = KIN__PROTOBUF_CONTENT_ENCODING
};
/* As much of a kind is put into the error's message. */
#define KIND_SHOWN 64
/* Fields of the type. */
enum { API_VERSION = 1, KIND = 2 };

static int fail(kin_error *err, const char *words)
{
    return kin_error_set(err, KIN_EPARSE, "%s", words);
}

/*
 * Reads the next field of a message whose fields are texts. Returns the position after it, NULL on failure. *ret_number is
 * 0 if the table lacks the field.
 */
static const unsigned char *next_text(const unsigned char *p, const unsigned char *end,
                                      const kin__pb_message *message, unsigned *ret_number,
                                      kin_str *ret, kin_error *err)
{
    const char *why = NULL;
    uint64_t tag = 0;
    size_t len = 0;

    *ret_number = 0;
    p = kin__pb_varint(p, end, &tag, &why);
    if (p && (tag >> 3 == 0 || tag >> 3 > message->n_fields)) {
        p = kin__pb_skip(p, end, tag & 7, &why);
    } else if (p && (tag & 7) != KIN__PB_LEN) {
        kin__pb_fail_wire(kin__pb_fields + message->first_field + (tag >> 3) - 1, tag & 7, err);
        return NULL;
    } else if (p) {
        p = kin__pb_length(p, end, &len, &why);
        *ret_number = (unsigned)(tag >> 3);
    }
    if (!p) {
        fail(err, why);
        return NULL;
    }
    *ret = kin_str_make((const char *)p, len);
    return p + len;
}

int kin__protobuf_read_type(kin__protobuf_type *type, bool *has_unknown, kin_str bytes,
                            kin_error *err)
{
    const kin__pb_message *envelope = &kin__pb_messages[kin__pb_kinds[0].message];
    unsigned message = kin__pb_fields[envelope->first_field + TYPE - 1].message;
    const unsigned char *p = (const unsigned char *)bytes.data;
    const unsigned char *end = p + bytes.len;

    while (p < end) {
        unsigned number;
        kin_str text;

        p = next_text(p, end, &kin__pb_messages[message], &number, &text, err);
        if (!p)
            return KIN_EPARSE;
        if (number == API_VERSION)
            type->api_version = text;
        else if (number == KIND)
            type->kind = text;
        else
            *has_unknown = true;
    }
    return 0;
}

static int read_fields(kin__protobuf_envelope *ret, kin_str bytes, kin_error *err)
{
    const kin__pb_message *envelope = &kin__pb_messages[kin__pb_kinds[0].message];
    const unsigned char *p = (const unsigned char *)bytes.data;
    const unsigned char *end = p + bytes.len;
    int code = 0;

    while (p < end && code == 0) {
        unsigned number;
        kin_str text;

        p = next_text(p, end, envelope, &number, &text, err);
        if (!p)
            return KIN_EPARSE;
        if (number == TYPE)
            code = kin__protobuf_read_type(&ret->type, &ret->has_unknown, text, err);
        else if (number == RAW)
            ret->raw = text;
        else if (number == CONTENT_ENCODING)
            ret->is_encoded = text.len > 0;
        else if (number == 0)
            ret->has_unknown = true;
    }
    return code;
}

static int read_envelope(kin__protobuf_envelope *ret, kin_str body, kin_error *err)
{
    *ret =
        (kin__protobuf_envelope){.type = {kin_str_of(""), kin_str_of("")}, .raw = kin_str_of("")};
    if (body.len == 0)
        return fail(err, "empty data");
    if (body.len < KIN__PROTOBUF_PREFIX_LEN ||
        memcmp(body.data, KIN__PROTOBUF_PREFIX, KIN__PROTOBUF_PREFIX_LEN) != 0)
        return fail(err, "provided data does not appear to be a protobuf message, expected prefix "
                         "[107 56 115 0]");
    if (body.len == KIN__PROTOBUF_PREFIX_LEN)
        return fail(err, "empty body");
    return read_fields(
        ret,
        kin_str_make(body.data + KIN__PROTOBUF_PREFIX_LEN, body.len - KIN__PROTOBUF_PREFIX_LEN),
        err);
}

int kin__protobuf_open(kin__protobuf_type *ret_type, kin_str *ret_raw, kin_str body, kin_error *err)
{
    kin__protobuf_envelope envelope;
    int code = read_envelope(&envelope, body, err);

    if (code < 0)
        return code;
    *ret_type = envelope.type;
    *ret_raw = envelope.raw;
    return 0;
}

bool kin__protobuf_is_status(const kin__protobuf_type *type)
{
    return kin_str_equal(type->kind, kin_str_of("Status")) &&
           kin_str_equal(type->api_version, kin_str_of("v1"));
}

static bool is_kind(const kin__pb_kind *kind, const kin__protobuf_type *type)
{
    return kind && kin_str_equal(type->kind, kin_str_of(kin__pb_name(kind->kind))) &&
           kin_str_equal(type->api_version, kin_str_of(kin__pb_name(kind->api_version)));
}

int kin__protobuf_leave_to_json(kin_error *err)
{
    return kin_error_set(err, KIN_EPROTOCOL, "%s", err ? err->message : "");
}

/* Whether a character can be shown; of malformed ones `len` is 0. */
static bool is_shown(const char *p, size_t len)
{
    unsigned char first = (unsigned char)*p;

    if (len == 1)
        return first >= 0x20 && first != 0x7f;
    if (len == 2 && first == 0xc2 && (unsigned char)p[1] < 0xa0)
        return false;
    return len > 0 && !kin__utf8_is_hidden(p, len);
}

int kin__protobuf_fail_kind(kin_str kind, kin_error *err)
{
    char text[KIND_SHOWN];
    size_t n = 0;

    for (size_t at = 0; at < kind.len;) {
        const char *p = kind.data + at;
        size_t len = kin__utf8_char_len(p, kind.len - at);
        bool shown = is_shown(p, len);
        size_t size = shown ? len : 1;

        if (n + size > sizeof(text))
            break;
        memcpy(text + n, shown ? p : "?", size);
        n += size;
        at += len > 0 ? len : 1;
    }
    return kin_error_set(err, KIN_EPROTOCOL, "no protobuf is known of the kind %.*s", (int)n, text);
}

int kin__protobuf_open_message(kin__protobuf_message *ret, const kin__pb_kind **kind, kin_str body,
                               uint64_t origin, kin_error *err)
{
    kin__protobuf_envelope envelope;
    int code = read_envelope(&envelope, body, err);

    if (code < 0)
        return code;
    if (!is_kind(*kind, &envelope.type))
        *kind = kin__protobuf_find_kind(&envelope.type);
    if (!*kind)
        return kin__protobuf_fail_kind(envelope.type.kind, err);
    if (envelope.is_encoded)
        return kin_error_set(err, KIN_EPROTOCOL, "an envelope whose content is encoded");
    *ret = (kin__protobuf_message){.number = (*kind)->message,
                                   .bytes = envelope.raw,
                                   .origin = origin,
                                   .type = envelope.type,
                                   .skips_unknown = kin__protobuf_is_status(&envelope.type)};
    if (envelope.raw.len > 0)
        ret->origin += (uint64_t)(envelope.raw.data - body.data);
    if (envelope.has_unknown && !ret->skips_unknown)
        return kin_error_set(err, KIN_EPROTOCOL,
                             "an envelope has a protobuf field that is newer than this library");
    return 0;
}

bool kin__protobuf_is_cut_off(kin_str body)
{
    size_t prefix_len =
        body.len < KIN__PROTOBUF_PREFIX_LEN ? body.len : (size_t)KIN__PROTOBUF_PREFIX_LEN;
    const unsigned char *p = (const unsigned char *)body.data + prefix_len;
    const unsigned char *end = (const unsigned char *)body.data + body.len;
    const char *why = NULL;
    bool has_message = false;

    if (memcmp(body.data, KIN__PROTOBUF_PREFIX, prefix_len) != 0)
        return false;
    while (p && p < end) {
        kin__pb_part part;

        p = kin__pb_next_field(p, end, &part, &why);
        has_message |= p && part.number == RAW;
    }
    return p ? !has_message : strcmp(why, KIN__PB_EOF) == 0;
}

const kin__pb_kind *kin__protobuf_find_kind(const kin__protobuf_type *type)
{
    size_t low = 1;
    size_t high = kin__pb_n_kinds;

    /* They are in the order of their kinds, and few have the same. */
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (kin__str_compare(kin_str_of(kin__pb_name(kin__pb_kinds[middle].kind)), type->kind) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < kin__pb_n_kinds &&
           kin_str_equal(kin_str_of(kin__pb_name(kin__pb_kinds[low].kind)), type->kind);
         low++) {
        kin_str version = kin_str_of(kin__pb_name(kin__pb_kinds[low].api_version));

        if (version.len == 0 || kin_str_equal(type->api_version, version))
            return &kin__pb_kinds[low];
    }
    return NULL;
}

kin__protobuf_piece kin__protobuf_find_value(kin__protobuf_piece message, unsigned number)
{
    const unsigned char *p = (const unsigned char *)message.bytes.data;
    const unsigned char *end = p + message.bytes.len;
    kin__protobuf_piece found = {kin_str_of(""), true};
    bool is_passed = false;
    const char *why;

    while (p && p < end) {
        uint64_t tag = 0;
        uint64_t len = 0;

        p = kin__pb_varint(p, end, &tag, &why);
        is_passed |= p && tag >> 3 > number;
        if (p && (tag & 7) != KIN__PB_LEN) {
            p = kin__pb_skip(p, end, tag & 7, &why);
        } else if (p) {
            p = kin__pb_varint(p, end, &len, &why);
            if (p && tag >> 3 == number) {
                found.is_whole = len <= (uint64_t)(end - p);
                found.bytes =
                    kin_str_make((const char *)p, found.is_whole ? (size_t)len : (size_t)(end - p));
            }
            p = p && len <= (uint64_t)(end - p) ? p + len : NULL;
        }
    }
    found.is_whole &= is_passed || (p && message.is_whole);
    return found;
}
