/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list is an envelope around a message of which each item is a field; a watch is a sequence of frames, each with its
 * length in four bytes, with an event that has an envelope in it. Lengths are known before the values: a value that is
 * all there is read where it lies, and any other is collected in stream->text.
 *
 * Memory: a value of more than max_bytes is not collected. Its beginning is read to find the key of the object, and the
 * rest is skipped. Nothing is allocated for a length before its bytes have come.
 *
 * Failures: a complete value that cannot be read is never skipped, because JSON of the same object may be readable. The
 * caller asks for JSON once (`needs_json`), and there bad objects are skipped.
 */
#include "object/protobuf_stream.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "kinform/key.h"
#include "object/json.h"
#include "object/protobuf_wire.h"
#include "object/stream_reader.h"

/* Only this much of a value that is too long is read, to find its name. */
#define BEGINNING_BYTES KIN__PROTOBUF_EVENT_BYTES
#define FRAME_LEN 4u
/* Fields of a list. */
enum { LIST_META = 1, LIST_ITEMS = 2 };
/* Fields of an event, and of the extension in it. */
enum { EVENT_TYPE = 1, EVENT_OBJECT = 2, EXTENSION_RAW = 1 };
/* Fields of all objects, and of their metadata. */
enum { OBJECT_METADATA = 1, METADATA_NAME = 1, METADATA_NAMESPACE = 3 };

static kin__protobuf_stream *of(kin__stream *stream)
{
    return &stream->protobuf;
}

static uint64_t offset_of(const kin__stream *stream, const struct kin__stream_input *in)
{
    return stream->offset + (uint64_t)(in->p - in->begin);
}

/* Fail because of something that this reader does not support in protobuf. The caller asks for JSON. */
static int needs_json(kin__stream *stream, kin_error *err, const char *what)
{
    of(stream)->needs_json = true;
    return kin_error_set(err, KIN_EPROTOCOL, "%s", what);
}

/* A value is complete and cannot be read, which `err` describes. The caller asks for JSON. */
static int leave_to_json(kin__stream *stream, kin_error *err)
{
    of(stream)->needs_json = true;
    return kin__protobuf_leave_to_json(err);
}

static int decode_failed(kin__stream *stream, const kin_decoder *decoder, int code, kin_error *err)
{
    return kin__decoder_needs_json(decoder) ? leave_to_json(stream, err) : code;
}

void kin__protobuf_stream_reset(kin__stream *stream)
{
    kin__protobuf_stream *pb = of(stream);
    bool is_list = stream->stream_class->is_list;

    kin_object_unref(pb->object);
    *pb = (kin__protobuf_stream){
        .state = is_list ? KIN__PROTOBUF_PREFIX_STATE : KIN__PROTOBUF_FRAMES, .kind = pb->kind};
}

/* --- heads --- */

/* Bytes of a head, up to `n` in all. Whether they are there. */
static bool take_head_bytes(kin__protobuf_stream *pb, struct kin__stream_input *in, size_t n)
{
    size_t left = (size_t)(in->end - in->p);
    size_t wanted = n - pb->head_len;
    size_t len = left < wanted ? left : wanted;

    memcpy(pb->head + pb->head_len, in->p, len);
    pb->head_len += len;
    in->p += len;
    return pb->head_len == n;
}

/* Reads a tag and the length after it. 1, 0 if it is incomplete, or a code. */
static int parse_head(const unsigned char *p, size_t n, uint64_t *ret_tag, uint64_t *ret_len,
                      size_t *ret_used, kin_error *err)
{
    const unsigned char *begin = p;
    const unsigned char *end = p + n;
    const char *why = NULL;

    *ret_tag = 0;
    *ret_len = 0;
    *ret_used = 0;
    p = kin__pb_varint(p, end, ret_tag, &why);
    if (p && (*ret_tag & 7) == KIN__PB_LEN)
        p = kin__pb_varint(p, end, ret_len, &why);
    if (p) {
        *ret_used = (size_t)(p - begin);
        return 1;
    }
    if (n < KIN__PROTOBUF_HEAD_BYTES && strcmp(why, KIN__PB_EOF) == 0)
        return 0;
    return kin_error_set(err, KIN_EPARSE, "%s", why);
}

/* The next tag and length, which may have come in pieces. 1, 0: the input is used up, or a code. */
static int take_tag(kin__stream *stream, struct kin__stream_input *in, uint64_t *ret_tag,
                    uint64_t *ret_len, size_t *ret_used, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    int found;

    if (pb->head_len == 0) {
        found = parse_head((const unsigned char *)in->p, (size_t)(in->end - in->p), ret_tag,
                           ret_len, ret_used, err);
        if (found == 1)
            in->p += *ret_used;
        if (found != 0)
            return found;
    }
    while (in->p < in->end) {
        pb->head[pb->head_len++] = (unsigned char)*in->p++;
        found = parse_head(pb->head, pb->head_len, ret_tag, ret_len, ret_used, err);
        if (found != 0) {
            pb->head_len = 0;
            return found;
        }
    }
    return 0;
}

/* --- values --- */

static void begin_part(kin__stream *stream, const struct kin__stream_input *in,
                       enum kin__protobuf_part part, uint64_t len)
{
    kin__protobuf_stream *pb = of(stream);

    pb->part = part;
    pb->need = len;
    pb->state = KIN__PROTOBUF_PART;
    stream->value_offset = offset_of(stream, in);
    kin__buf_reset(&stream->text);
}

/* The most that is collected of a value. */
static size_t limit_of(const kin__stream *stream, enum kin__protobuf_part part)
{
    return part == KIN__PROTOBUF_PART_FRAME ? stream->max_bytes + KIN__PROTOBUF_EVENT_BYTES
                                            : stream->max_bytes;
}

/* Up to `n` bytes of the value that is being read. Whether they are there: *ret is BORROWED until the next. */
static int collect(kin__stream *stream, struct kin__stream_input *in, size_t n, kin_str *ret,
                   kin_error *err)
{
    size_t left = (size_t)(in->end - in->p);
    size_t missing = n - stream->text.len;
    size_t len = left < missing ? left : missing;

    if (stream->text.len == 0 && left >= n) {
        *ret = kin_str_make(in->p, n);
        in->p += n;
        return 1;
    }
    kin__buf_append(&stream->text, kin_str_make(in->p, len));
    if (stream->text.failed)
        return kin__error_no_memory(err);
    in->p += len;
    *ret = kin__buf_str(&stream->text);
    return stream->text.len == n;
}

static enum kin__protobuf_state state_between(const kin__stream *stream)
{
    const kin__protobuf_stream *pb = &stream->protobuf;

    if (!stream->stream_class->is_list)
        return KIN__PROTOBUF_FRAMES;
    return pb->list_left > 0 ? KIN__PROTOBUF_LIST : KIN__PROTOBUF_ENVELOPE;
}

/* --- objects that cannot be read --- */

/* Whether a part of a key can be relied on. */
static bool is_sure(kin__protobuf_piece part)
{
    return part.is_whole && kin__utf8_check(part.bytes.data, part.bytes.len) &&
           !memchr(part.bytes.data, '\0', part.bytes.len);
}

/* Set the key of an object that cannot be read; "" if the message does not have all of the key. */
static void find_key(kin__stream *stream, kin__protobuf_piece message)
{
    kin__protobuf_piece metadata = kin__protobuf_find_value(message, OBJECT_METADATA);
    kin__protobuf_piece namespace_ = kin__protobuf_find_value(metadata, METADATA_NAMESPACE);
    kin__protobuf_piece name = kin__protobuf_find_value(metadata, METADATA_NAME);

    stream->bad_key[0] = '\0';
    if (name.bytes.len == 0 || !is_sure(name) || !is_sure(namespace_))
        return;
    if (kin_key_format(stream->bad_key, sizeof(stream->bad_key), namespace_.bytes, name.bytes) >=
        sizeof(stream->bad_key))
        stream->bad_key[0] = '\0';
}

/* Report an object that is skipped; `err` says why. */
static int tell_bad(kin__stream *stream, enum kin_watch_type type, kin__protobuf_piece message,
                    kin_error *err)
{
    stream->bad_why = *err;
    find_key(stream, message);
    kin_error_clear(err);

    int code = stream->bad(type, kin_str_of(stream->bad_key), &stream->bad_why, stream->arg,
                           kin__stream_callback_error(stream));

    return kin__stream_called(stream, code, err);
}

/* An object could not be read. The callback decides whether it is skipped, unless JSON is to be tried first. */
static int object_failed(kin__stream *stream, const kin_decoder *decoder, int code,
                         enum kin_watch_type type, kin_str message, kin_error *err)
{
    code = decode_failed(stream, decoder, code, err);
    if (!stream->bad || code != KIN_ELIMIT)
        return code;
    return tell_bad(stream, type, (kin__protobuf_piece){message, true}, err);
}

/* --- events --- */

struct event {
    enum kin_watch_type type; /* 0: absent */
    kin_str raw;              /* the envelope; BORROWED */
};

static int read_watch_type(enum kin_watch_type *ret, kin_str name, kin_error *err)
{
    for (int type = KIN_WATCH_ADDED; type <= KIN_WATCH_ERROR; type++) {
        if (kin_str_equal(name, kin_str_of(kin_watch_type_name((enum kin_watch_type)type)))) {
            *ret = (enum kin_watch_type)type;
            return 0;
        }
    }
    return kin_error_set(err, KIN_EPARSE, "an event of unknown type");
}

/* The type and the message of an event that is cut off; empty if it is cut off before them. */
static kin__protobuf_piece find_message(enum kin_watch_type *ret_type, kin__protobuf_piece frame)
{
    kin__protobuf_piece extension = kin__protobuf_find_value(frame, EVENT_OBJECT);
    kin__protobuf_piece raw = kin__protobuf_find_value(extension, EXTENSION_RAW);

    (void)read_watch_type(ret_type, kin__protobuf_find_value(frame, EVENT_TYPE).bytes, NULL);
    if (raw.bytes.len < KIN__PROTOBUF_PREFIX_LEN)
        return (kin__protobuf_piece){kin_str_of(""), false};
    raw.bytes.data += KIN__PROTOBUF_PREFIX_LEN;
    raw.bytes.len -= KIN__PROTOBUF_PREFIX_LEN;
    return kin__protobuf_find_value(raw, KIN__PROTOBUF_RAW);
}

/*
 * Reads the next field of an event or of the extension in it: all have a length, and their numbers go up to `n`. Returns
 * the position after it, NULL on failure.
 */
static const unsigned char *next_field(const unsigned char *p, const unsigned char *end, unsigned n,
                                       kin__pb_part *ret, kin_error *err)
{
    const char *why = NULL;

    p = kin__pb_next_field(p, end, ret, &why);
    if (p && ret->number > 0 && ret->number <= n && ret->wire == KIN__PB_LEN)
        return p;
    if (!p)
        kin_error_set(err, KIN_EPARSE, "an event: %s", why);
    else if (ret->number == 0 || ret->number > n)
        kin_error_set(err, KIN_EPARSE,
                      "an event has a protobuf field, number %u, that is newer than this library",
                      (unsigned)ret->number);
    else
        kin_error_set(err, KIN_EPARSE, "an event: wrong wireType = %u for field number %u",
                      ret->wire, (unsigned)ret->number);
    return NULL;
}

/* The envelope in an extension; of several, the last one counts. */
static int read_extension(kin_str *raw, kin_str extension, kin_error *err)
{
    const unsigned char *p = (const unsigned char *)extension.data;
    const unsigned char *end = p + extension.len;
    kin__pb_part part;

    while (p < end) {
        p = next_field(p, end, EXTENSION_RAW, &part, err);
        if (!p)
            return KIN_EPARSE;
        *raw = kin_str_make((const char *)part.data, part.len);
    }
    return 0;
}

static int read_event(struct event *ret, kin_str frame, kin_error *err)
{
    const unsigned char *p = (const unsigned char *)frame.data;
    const unsigned char *end = p + frame.len;
    kin__pb_part part;
    int code = 0;

    *ret = (struct event){.raw = kin_str_of("")};
    while (p < end && code == 0) {
        kin_str value;

        p = next_field(p, end, EVENT_OBJECT, &part, err);
        if (!p)
            return KIN_EPARSE;
        value = kin_str_make((const char *)part.data, part.len);
        code = part.number == EVENT_TYPE ? read_watch_type(&ret->type, value, err)
                                         : read_extension(&ret->raw, value, err);
    }
    if (code == 0 && ret->type == 0)
        return kin_error_set(err, KIN_EPARSE, "an event without a type");
    if (code == 0 && ret->raw.len == 0)
        return kin_error_set(err, KIN_EPARSE, "an event without an object");
    return code;
}

/* The object of an event, as a message. 0, or a code: JSON is to be tried. */
static int open_event(kin__protobuf_message *ret, enum kin_watch_type *ret_type, kin_str frame,
                      uint64_t origin, const kin__pb_kind **kind, kin_error *err)
{
    struct event event;
    int code = read_event(&event, frame, err);

    if (code < 0)
        return code;
    *ret_type = event.type;
    return kin__protobuf_open_message(ret, kind, event.raw,
                                      origin + (uint64_t)(event.raw.data - frame.data), err);
}

/* Whether the projection applies. */
static bool is_projected(enum kin_watch_type type)
{
    return type != KIN_WATCH_BOOKMARK && type != KIN_WATCH_ERROR;
}

static int end_frame(kin__stream *stream, kin_str frame, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    kin_decoder *decoder = stream->decoder;
    kin__protobuf_message message;
    const kin_object *object;
    enum kin_watch_type type;
    int code = open_event(&message, &type, frame, stream->value_offset, &pb->kind, err);

    if (code < 0)
        return leave_to_json(stream, err);
    if (!is_projected(type))
        code = kin__stream_get_plain(stream, &decoder, err);
    if (code < 0)
        return code;
    code = kin__decoder_decode_message(decoder, &object, &message, err);
    if (code < 0)
        return object_failed(stream, decoder, code, type, message.bytes, err);
    stream->expected = frame.len;
    return kin__stream_take_whole(stream, object, type, err);
}

static size_t frame_len(const unsigned char *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

static int begin_frame(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);

    (void)err;
    if (!take_head_bytes(pb, in, FRAME_LEN))
        return 0;
    pb->head_len = 0;
    begin_part(stream, in, KIN__PROTOBUF_PART_FRAME, frame_len(pb->head));
    return 0;
}

/* --- lists --- */

static int end_item(kin__stream *stream, kin_str bytes, kin_error *err)
{
    const kin_object *object;
    int code = kin__decoder_decode_item(stream->decoder, &object, of(stream)->item, bytes,
                                        stream->value_offset, err);

    if (code < 0)
        return object_failed(stream, stream->decoder, code, (enum kin_watch_type)0, bytes, err);
    stream->expected = bytes.len;
    return kin__stream_take_object(stream, object, bytes, err);
}

/* The list's type, as it was collected. */
static int list_type(kin__stream *stream, kin__protobuf_type *ret, kin_error *err)
{
    const kin_str bytes = kin_str_make(stream->head.data, of(stream)->type_len);
    bool has_unknown = false;

    *ret = (kin__protobuf_type){kin_str_of(""), kin_str_of("")};
    if (kin__protobuf_read_type(ret, &has_unknown, bytes, err) < 0)
        return leave_to_json(stream, err);
    if (has_unknown && !kin__protobuf_is_status(ret))
        return needs_json(stream, err,
                          "the list's type has a protobuf field that is newer than this library");
    return 0;
}

/* Something instead of a list: a Status. */
static int end_object(kin__stream *stream, kin_str bytes, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    kin__protobuf_message message = {
        .number = pb->item->message, .bytes = bytes, .origin = stream->value_offset};
    kin_decoder *plain = NULL;
    int code = list_type(stream, &message.type, err);

    message.skips_unknown = kin__protobuf_is_status(&message.type);
    if (code == 0)
        code = kin__stream_get_plain(stream, &plain, err);
    if (code < 0)
        return code;
    code = kin__decoder_decode_message(plain, &pb->object, &message, err);
    return code < 0 ? decode_failed(stream, plain, code, err) : 0;
}

/* The message of an envelope begins: it is a list, or something else. */
static int begin_message(kin__stream *stream, struct kin__stream_input *in, uint64_t len,
                         kin_error *err)
{
    static const kin_str list = KIN__STR("List");
    kin__protobuf_stream *pb = of(stream);
    const kin__pb_kind *kind = NULL;
    kin__protobuf_type type;
    int code = list_type(stream, &type, err);

    if (code < 0)
        return code;
    if (pb->has_message)
        return needs_json(stream, err, "an envelope in pieces");
    pb->has_message = true;
    if (kin__str_ends_with(type.kind, list)) {
        const kin__protobuf_type item = {type.api_version,
                                         kin_str_make(type.kind.data, type.kind.len - list.len)};

        kind = kin__protobuf_find_kind(&item);
        pb->list_left = len;
        pb->state = state_between(stream);
    } else {
        kind = kin__protobuf_find_kind(&type);
        if (len > stream->max_bytes)
            return kin__error_input(err, KIN_ELIMIT, offset_of(stream, in),
                                    "an object of more than %zu bytes", stream->max_bytes);
        begin_part(stream, in, KIN__PROTOBUF_PART_OBJECT, len);
    }
    if (!kind) {
        pb->needs_json = true;
        return kin__protobuf_fail_kind(type.kind, err);
    }
    pb->item = kind;
    return 0;
}

/* To the head, which has a limit. */
static int keep_part(kin__stream *stream, kin_str bytes, kin_error *err)
{
    kin__buf_append(&stream->head, bytes);
    if (stream->head.failed == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return stream->head.failed < 0
               ? kin__error_input(err, KIN_ELIMIT, stream->value_offset,
                                  "more than %zu bytes beside the items", stream->max_bytes)
               : 0;
}

static int end_type(kin__stream *stream, kin_str bytes, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);

    if (pb->has_message)
        return needs_json(stream, err, "an envelope whose type comes last");
    pb->type_len += bytes.len;
    return keep_part(stream, bytes, err);
}

static int begin_prefix(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);

    if (!take_head_bytes(pb, in, KIN__PROTOBUF_PREFIX_LEN))
        return 0;
    if (memcmp(pb->head, KIN__PROTOBUF_PREFIX, KIN__PROTOBUF_PREFIX_LEN) != 0)
        return needs_json(stream, err, "the answer is not an object in protobuf");
    pb->head_len = 0;
    pb->state = KIN__PROTOBUF_ENVELOPE;
    kin__buf_reset(&stream->head);
    return 0;
}

static int begin_envelope_field(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    enum kin__protobuf_part part;
    uint64_t tag = 0;
    uint64_t len = 0;
    size_t used = 0;
    int code = take_tag(stream, in, &tag, &len, &used, err);

    if (code <= 0)
        return code;
    if ((tag & 7) != KIN__PB_LEN || tag >> 3 < KIN__PROTOBUF_TYPE ||
        tag >> 3 > KIN__PROTOBUF_CONTENT_TYPE)
        return needs_json(
            stream, err,
            "the list's envelope has a protobuf field that is newer than this library");
    if (tag >> 3 == KIN__PROTOBUF_CONTENT_ENCODING && len > 0)
        return needs_json(stream, err, "an envelope whose content is encoded");
    if (tag >> 3 == KIN__PROTOBUF_RAW)
        return begin_message(stream, in, len, err);
    part = tag >> 3 == KIN__PROTOBUF_TYPE ? KIN__PROTOBUF_PART_TYPE : KIN__PROTOBUF_PART_OTHER;
    if (len > stream->max_bytes)
        return kin__error_input(err, KIN_ELIMIT, offset_of(stream, in),
                                "more than %zu bytes beside the items", stream->max_bytes);
    begin_part(stream, in, part, len);
    return 0;
}

static int begin_list_field(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    uint64_t tag = 0;
    uint64_t len = 0;
    size_t used = 0;
    int code = take_tag(stream, in, &tag, &len, &used, err);

    if (code <= 0)
        return code;
    if ((tag & 7) != KIN__PB_LEN || (tag >> 3 != LIST_META && tag >> 3 != LIST_ITEMS))
        return needs_json(stream, err,
                          "a list has a protobuf field that is newer than this library");
    if (used > pb->list_left || len > pb->list_left - used)
        return kin__error_parse(err, offset_of(stream, in), "a value goes beyond the list");
    pb->list_left -= used + len;
    if (tag >> 3 == LIST_META && len > stream->max_bytes)
        return kin__error_input(err, KIN_ELIMIT, offset_of(stream, in),
                                "more than %zu bytes beside the items", stream->max_bytes);
    begin_part(stream, in,
               tag >> 3 == LIST_META ? KIN__PROTOBUF_PART_META : KIN__PROTOBUF_PART_ITEM, len);
    return 0;
}

/* --- the machine --- */

static int end_part(kin__stream *stream, kin_str bytes, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    int code = 0;

    pb->state = state_between(stream);
    switch (pb->part) {
    case KIN__PROTOBUF_PART_TYPE:
        code = end_type(stream, bytes, err);
        break;
    case KIN__PROTOBUF_PART_META:
        code = keep_part(stream, bytes, err);
        break;
    case KIN__PROTOBUF_PART_ITEM:
        code = end_item(stream, bytes, err);
        break;
    case KIN__PROTOBUF_PART_OBJECT:
        code = end_object(stream, bytes, err);
        break;
    case KIN__PROTOBUF_PART_FRAME:
        code = end_frame(stream, bytes, err);
        break;
    case KIN__PROTOBUF_PART_OTHER:
        break;
    }
    return code;
}

/* A value that is too long: its beginning is there. */
static int begin_skip(kin__stream *stream, kin_str beginning, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    kin__protobuf_piece message = {beginning, beginning.len == pb->need};
    enum kin_watch_type type = (enum kin_watch_type)0;
    int code = kin__error_input(err, KIN_ELIMIT, stream->value_offset + stream->max_bytes,
                                "an object of more than %zu bytes", stream->max_bytes);

    if (!stream->bad)
        return code;
    if (pb->part == KIN__PROTOBUF_PART_FRAME)
        message = find_message(&type, message);
    pb->need -= beginning.len;
    pb->state = pb->need > 0 ? KIN__PROTOBUF_SKIP : state_between(stream);
    return tell_bad(stream, type, message, err);
}

static int step_part(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    kin__protobuf_stream *pb = of(stream);
    bool is_too_long = pb->need > limit_of(stream, pb->part);
    size_t n = is_too_long && pb->need > BEGINNING_BYTES ? BEGINNING_BYTES : (size_t)pb->need;
    kin_str bytes;
    int code = collect(stream, in, n, &bytes, err);

    if (code <= 0)
        return code;
    code = is_too_long ? begin_skip(stream, bytes, err) : end_part(stream, bytes, err);
    if (!stream->doomed)
        kin__stream_forget_text(stream);
    return code;
}

static int step_skip(kin__stream *stream, struct kin__stream_input *in)
{
    kin__protobuf_stream *pb = of(stream);
    size_t left = (size_t)(in->end - in->p);
    size_t len = left < pb->need ? left : (size_t)pb->need;

    in->p += len;
    pb->need -= len;
    if (pb->need == 0)
        pb->state = state_between(stream);
    return 0;
}

static int step(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    switch (of(stream)->state) {
    case KIN__PROTOBUF_PREFIX_STATE:
        return begin_prefix(stream, in, err);
    case KIN__PROTOBUF_ENVELOPE:
        return begin_envelope_field(stream, in, err);
    case KIN__PROTOBUF_LIST:
        return begin_list_field(stream, in, err);
    case KIN__PROTOBUF_FRAMES:
        return begin_frame(stream, in, err);
    case KIN__PROTOBUF_PART:
        return step_part(stream, in, err);
    case KIN__PROTOBUF_SKIP:
        return step_skip(stream, in);
    }
    return 0;
}

int kin__protobuf_stream_run(kin__stream *stream, struct kin__stream_input *in, const char *stop,
                             kin_error *err)
{
    const kin__protobuf_stream *pb = of(stream);
    int code = 0;

    /* A value of no bytes needs none. */
    while (code == 0 && (in->p < stop || (pb->state == KIN__PROTOBUF_PART && pb->need == 0)))
        code = step(stream, in, err);
    return code;
}

/* --- reading ahead --- */

static bool read_item(kin_decoder *decoder, const void *arg, const char **p, const char *end,
                      kin__ahead_object *ret, size_t *ret_len)
{
    const kin__pb_kind *const *item = arg;
    uint64_t tag = 0;
    uint64_t len = 0;
    size_t used = 0;

    if (parse_head((const unsigned char *)*p, (size_t)(end - *p), &tag, &len, &used, NULL) != 1 ||
        tag != (LIST_ITEMS << 3 | KIN__PB_LEN) || len > (uint64_t)(end - *p) - used ||
        kin__decoder_decode_item(decoder, &ret->object, *item, kin_str_make(*p + used, (size_t)len),
                                 0, NULL) < 0)
        return false;
    ret->type = (enum kin_watch_type)0;
    *p += used + len;
    *ret_len = (size_t)len;
    return true;
}

static bool read_frame(kin_decoder *decoder, const void *arg, const char **p, const char *end,
                       kin__ahead_object *ret, size_t *ret_len)
{
    const kin__pb_kind *kind = NULL;
    kin__protobuf_message message;
    enum kin_watch_type type;
    kin_str frame;

    (void)arg;
    if (end - *p < (ptrdiff_t)FRAME_LEN ||
        frame_len((const unsigned char *)*p) > (size_t)(end - *p) - FRAME_LEN)
        return false;
    frame = kin_str_make(*p + FRAME_LEN, frame_len((const unsigned char *)*p));
    if (open_event(&message, &type, frame, 0, &kind, NULL) < 0 || !is_projected(type) ||
        kin__decoder_decode_message(decoder, &ret->object, &message, NULL) < 0)
        return false;
    ret->type = type;
    *p = frame.data + frame.len;
    *ret_len = frame.len;
    return true;
}

/* The end of the value that is being read, where an item or frame may begin; NULL: not within the input. */
static const char *next_boundary(const kin__stream *stream, const struct kin__stream_input *in)
{
    const kin__protobuf_stream *pb = &stream->protobuf;
    uint64_t rest = 0;

    if (pb->head_len > 0 || (stream->stream_class->is_list && pb->list_left == 0))
        return NULL;
    if (pb->state == KIN__PROTOBUF_PART)
        rest = pb->need - stream->text.len;
    else if (pb->state != KIN__PROTOBUF_LIST && pb->state != KIN__PROTOBUF_FRAMES)
        return NULL;
    return rest < (size_t)(in->end - in->p) ? in->p + rest : NULL;
}

/* The end of the item or frame at `p`; NULL if it is incomplete. */
static const char *behind(const kin__stream *stream, const char *p, const char *end)
{
    uint64_t tag;
    uint64_t len = 0;
    size_t used = FRAME_LEN;

    if (!stream->stream_class->is_list) {
        if (end - p < (ptrdiff_t)FRAME_LEN)
            return NULL;
        len = frame_len((const unsigned char *)p);
    } else if (parse_head((const unsigned char *)p, (size_t)(end - p), &tag, &len, &used, NULL) !=
               1) {
        return NULL;
    }
    return len <= (uint64_t)(end - p) - used ? p + used + len : NULL;
}

const char *kin__protobuf_stream_begin_ahead(kin__stream *stream,
                                             const struct kin__stream_input *in)
{
    const kin__protobuf_stream *pb = of(stream);
    bool is_list = stream->stream_class->is_list;
    size_t half = (size_t)(in->end - in->p) / 2;
    const char *end = in->end;
    const char *p = next_boundary(stream, in);

    if (!stream->ahead || half < stream->ahead_min || !p)
        return NULL;
    if (is_list && pb->list_left < (uint64_t)(end - p))
        end = p + pb->list_left;
    while (p && p < end && (size_t)(p - in->p) < half)
        p = behind(stream, p, end);
    if (!p || (size_t)(end - p) < stream->ahead_min)
        return NULL;
    return kin__ahead_begin_with(stream->ahead, kin_str_make(p, (size_t)(end - p)),
                                 is_list ? read_item : read_frame, &pb->item)
               ? p
               : NULL;
}

bool kin__protobuf_stream_is_between(const kin__stream *stream)
{
    const kin__protobuf_stream *pb = &stream->protobuf;

    return pb->head_len == 0 &&
           pb->state == (stream->stream_class->is_list ? KIN__PROTOBUF_LIST : KIN__PROTOBUF_FRAMES);
}

void kin__protobuf_stream_took(kin__stream *stream, size_t len)
{
    kin__protobuf_stream *pb = of(stream);

    if (!stream->stream_class->is_list)
        return;
    pb->list_left -= len;
    pb->state = state_between(stream);
}

/* --- the end --- */

int kin__protobuf_stream_check_end(kin__stream *stream, kin_error *err)
{
    const kin__protobuf_stream *pb = of(stream);
    bool is_list = stream->stream_class->is_list;

    if (pb->head_len == 0 && (is_list ? pb->state == KIN__PROTOBUF_ENVELOPE && pb->has_message
                                      : pb->state == KIN__PROTOBUF_FRAMES))
        return 0;
    return kin__error_parse(err, stream->offset, "%s", stream->stream_class->truncated);
}

int kin__protobuf_stream_read_head(kin__stream *stream, const kin_object **ret, kin_error *err)
{
    static const kin__protobuf_type meta = {KIN__STR(""), KIN__STR("ListMeta")};
    kin__protobuf_stream *pb = of(stream);
    kin__protobuf_message message = {
        .bytes = kin_str_make(stream->head.data + pb->type_len, stream->head.len - pb->type_len),
        .member = KIN__STR("metadata")};
    kin_decoder *plain = NULL;
    int code;

    if (pb->object) {
        *ret = kin_object_ref(pb->object);
        return 0;
    }
    message.number = kin__protobuf_find_kind(&meta)->message;
    code = list_type(stream, &message.type, err);
    if (code == 0)
        code = kin__stream_get_plain(stream, &plain, err);
    if (code < 0)
        return code;
    code = kin__decoder_decode_message(plain, ret, &message, err);
    return code < 0 ? decode_failed(stream, plain, code, err) : 0;
}
