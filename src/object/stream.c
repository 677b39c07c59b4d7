/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoders of lists and of watches. stream_reader.c finds members and objects in the text;
 * here is what they mean.
 *
 * A list's items go to the callback one by one, as they come. An event goes when its map ends.
 * Usually its type stands before its object and says whether the projection applies. If the type
 * comes last, the object is read without projection and its text is kept until it is known.
 *
 * An object that cannot be read ends the decoding, unless somebody wants to be told of it: then it is
 * skipped by its brackets. That of an event is told of when the event ends, with its type.
 *
 * A decoder that is freed by its own callback is freed when the feed that called back is about to
 * return; stream_reader.c sees to that.
 */
#include "kinform/stream.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/json.h"
#include "object/json_parse.h"
#include "object/stream_reader.h"

/* --- lists --- */

struct kin_list_decoder {
    kin__stream stream; /* first */
};

static kin_list_decoder *list_of(kin__stream *stream)
{
    return kin__container_of(stream, kin_list_decoder, stream);
}

static int list_member(kin__stream *stream, kin_error *err)
{
    const kin_object *object;
    int code = kin__stream_read_member(stream, &object, err);

    /* Checked now, so that its errors come before those behind it; read for good with the rest. */
    if (code == 0)
        kin_object_unref(object);
    return code;
}

static int list_object(kin__stream *stream, const kin_object *object, kin_error *err)
{
    kin__stream_forget_text(stream);

    int code = stream->fn.item(object, stream->arg, kin__stream_callback_error(stream));

    kin_object_unref(object);
    return kin__stream_called(stream, code, err);
}

static int list_bad(kin__stream *stream, kin_error *err)
{
    int code = stream->bad((enum kin_watch_type)0, kin_str_of(stream->bad_key), &stream->bad_why,
                           stream->arg, kin__stream_callback_error(stream));

    return kin__stream_called(stream, code, err);
}

/* Behind an item: a comma and the next one. */
static const char *list_next(const char *p, const char *end, bool is_first,
                             enum kin_watch_type *ret_type)
{
    *ret_type = (enum kin_watch_type)0;
    if (!is_first) {
        p = kin__json_skip_space(p, end);
        if (p == end || *p++ != ',')
            return NULL;
        p = kin__json_skip_space(p, end);
    }
    return p < end && *p == '{' ? p : NULL;
}

static const struct kin__stream_class list_class = {
    .size = sizeof(kin_list_decoder),
    .truncated = "the text ended inside the list",
    .special = KIN__STR("items"),
    .is_list = true,
    .next = list_next,
};

int kin_list_decoder_new(kin_list_decoder **ret, const kin_decode_options *options,
                         kin_list_item_fn *fn, void *arg, void (*arg_free)(void *arg),
                         kin_error *err)
{
    kin__stream *stream;

    if (!ret || !fn)
        return kin__error_null(err, !ret ? "ret" : "fn");

    int code = kin__stream_new(&stream, &list_class, options, err);

    if (code < 0)
        return code;
    stream->fn.item = fn;
    stream->arg = arg;
    stream->arg_free = arg_free;
    *ret = list_of(stream);
    return 0;
}

int kin_list_decoder_on_bad(kin_list_decoder *decoder, kin_bad_object_fn *fn, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_on_bad(&decoder->stream, fn, err);
}

void kin_list_decoder_free(kin_list_decoder *decoder)
{
    kin__stream_free(decoder ? &decoder->stream : NULL);
}

int kin_list_decoder_feed(kin_list_decoder *decoder, kin_str bytes, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_feed(&decoder->stream, bytes, err);
}

int kin_list_decoder_finish(kin_list_decoder *decoder, const kin_object **ret_list, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_finish(&decoder->stream, ret_list, err);
}

int kin_list_decoder_reset(kin_list_decoder *decoder, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_reset(&decoder->stream, err);
}

int kin__list_decoder_read_ahead(kin_list_decoder *decoder, kin__workers *workers, kin_error *err)
{
    return kin__stream_read_ahead(&decoder->stream, workers, err);
}

void kin__list_decoder_set_protobuf(kin_list_decoder *decoder, bool is_protobuf)
{
    kin__stream_set_protobuf(&decoder->stream, is_protobuf);
}

bool kin__list_decoder_needs_json(const kin_list_decoder *decoder)
{
    return decoder->stream.protobuf.needs_json;
}

/* --- watches --- */

/* As much of an unknown type is put into the error's message. */
#define TYPE_SHOWN 64

struct kin_watch_decoder {
    kin__stream stream; /* first */
    /* Of the event that is being read. */
    enum kin_watch_type type; /* 0: not known yet */
    const kin_object *object; /* SHARED; NULL: not there yet */
    bool is_bad;              /* it could not be read */
    bool is_whole;            /* it was read without the projection, and stream.text is its text */
};

static const struct {
    kin_str name;
    kin_str member; /* as servers write it */
} types[] = {
    [KIN_WATCH_ADDED] = {KIN__STR("ADDED"), KIN__STR("{\"type\":\"ADDED\"")},
    [KIN_WATCH_MODIFIED] = {KIN__STR("MODIFIED"), KIN__STR("{\"type\":\"MODIFIED\"")},
    [KIN_WATCH_DELETED] = {KIN__STR("DELETED"), KIN__STR("{\"type\":\"DELETED\"")},
    [KIN_WATCH_BOOKMARK] = {KIN__STR("BOOKMARK"), KIN__STR("{\"type\":\"BOOKMARK\"")},
    [KIN_WATCH_ERROR] = {KIN__STR("ERROR"), KIN__STR("{\"type\":\"ERROR\"")},
};

const char *kin_watch_type_name(enum kin_watch_type type)
{
    size_t index = (size_t)type;

    return index >= KIN_WATCH_ADDED && index < kin__array_len(types) ? types[index].name.data : "?";
}

static kin_watch_decoder *watch_of(kin__stream *stream)
{
    return kin__container_of(stream, kin_watch_decoder, stream);
}

/* Whether the projection applies. */
static bool is_projected(const kin_watch_decoder *decoder)
{
    return decoder->type != KIN_WATCH_BOOKMARK && decoder->type != KIN_WATCH_ERROR;
}

static int set_type(kin_watch_decoder *decoder, size_t type, kin_error *err)
{
    if (decoder->type)
        return kin__error_parse(err, decoder->stream.member_offset, "\"type\" twice");
    decoder->type = (enum kin_watch_type)type;
    return 0;
}

/* The value of a member "type". */
static int read_type(kin_watch_decoder *decoder, kin_value value, kin_error *err)
{
    kin_scratch scratch;
    kin_str name;

    if (kin_value_string(&name, value, &scratch) < 0)
        return kin__error_parse(err, decoder->stream.member_offset, "a type that is no string");
    for (size_t i = KIN_WATCH_ADDED; i < kin__array_len(types); i++) {
        if (kin_str_equal(name, types[i].name))
            return set_type(decoder, i, err);
    }
    if (name.len > TYPE_SHOWN)
        name.len = kin__utf8_cut(name.data, TYPE_SHOWN);
    return kin__error_parse(err, decoder->stream.member_offset,
                            "an event of unknown type \"%" KIN_STR_FMT "\"", KIN_STR_ARG(name));
}

static int watch_member(kin__stream *stream, kin_error *err)
{
    kin_watch_decoder *decoder = watch_of(stream);
    kin_str text = kin__buf_str(&stream->head);
    const kin_object *object;

    for (size_t i = KIN_WATCH_ADDED; i < kin__array_len(types); i++) {
        if (kin_str_equal(text, types[i].member))
            return set_type(decoder, i, err);
    }

    int code = kin__stream_read_member(stream, &object, err);

    if (code < 0)
        return code;

    kin_value type = kin_value_get(kin_object_root(object), kin_str_of("type"));

    if (kin_value_type(type) != KIN_NONE)
        code = read_type(decoder, type, err);
    kin_object_unref(object);
    return code;
}

static int watch_choose(kin__stream *stream, kin_decoder **ret, kin_error *err)
{
    const kin_watch_decoder *decoder = watch_of(stream);

    if (!decoder->type || !is_projected(decoder))
        return kin__stream_get_plain(stream, ret, err);
    *ret = stream->decoder;
    return 0;
}

static int watch_object(kin__stream *stream, const kin_object *object, kin_str text, kin_error *err)
{
    kin_watch_decoder *decoder = watch_of(stream);

    decoder->object = object;
    decoder->is_whole = !decoder->type && !stream->is_plain;
    if (decoder->is_whole)
        return kin__stream_keep_text(stream, text, err);
    kin__stream_forget_text(stream);
    return 0;
}

/* The object was read before its type was known; now read what is to be kept of it. */
static int project(kin_watch_decoder *decoder, kin_error *err)
{
    kin__stream *stream = &decoder->stream;
    const kin_object *object;
    bool incomplete;
    size_t len;
    int code = kin__decoder_decode_prefix(stream->decoder, &object, kin__buf_str(&stream->text),
                                          stream->value_offset, &len, &incomplete, err);

    if (code < 0)
        return code;
    kin_object_unref(decoder->object);
    decoder->object = object;
    return 0;
}

static void forget_event(kin_watch_decoder *decoder)
{
    kin_object_unref(decoder->object);
    decoder->object = NULL;
    decoder->type = (enum kin_watch_type)0;
    decoder->is_whole = false;
    decoder->is_bad = false;
}

static int tell_bad(kin_watch_decoder *decoder, kin_error *err)
{
    kin__stream *stream = &decoder->stream;
    int code = stream->bad(decoder->type, kin_str_of(stream->bad_key), &stream->bad_why,
                           stream->arg, kin__stream_callback_error(stream));

    forget_event(decoder);
    return kin__stream_called(stream, code, err);
}

static int watch_end(kin__stream *stream, uint64_t offset, kin_error *err)
{
    kin_watch_decoder *decoder = watch_of(stream);
    int code = 0;

    if (!decoder->type)
        return kin__error_parse(err, offset, "an event without a type");
    if (decoder->is_bad)
        return tell_bad(decoder, err);
    if (!decoder->object)
        return kin__error_parse(err, offset, "an event without an object");
    if (decoder->is_whole && is_projected(decoder))
        code = project(decoder, err);
    kin__stream_forget_text(stream);
    if (code < 0)
        return code;
    code = stream->fn.event(decoder->type, decoder->object, stream->arg,
                            kin__stream_callback_error(stream));
    forget_event(decoder);
    return kin__stream_called(stream, code, err);
}

static int watch_take(kin__stream *stream, const kin_object *object, enum kin_watch_type type,
                      kin_error *err)
{
    int code = stream->fn.event(type, object, stream->arg, kin__stream_callback_error(stream));

    kin_object_unref(object);
    return kin__stream_called(stream, code, err);
}

/* An event as servers write it. Others are read by the one who does not read ahead. */
static const char *watch_next(const char *p, const char *end, bool is_first,
                              enum kin_watch_type *ret_type)
{
    static const kin_str object = KIN__STR(",\"object\":");

    (void)is_first;
    p = kin__json_skip_space(p, end);
    for (size_t i = KIN_WATCH_ADDED; i <= KIN_WATCH_DELETED; i++) {
        size_t len = types[i].member.len;

        if ((size_t)(end - p) <= len + object.len || memcmp(p, types[i].member.data, len) != 0 ||
            memcmp(p + len, object.data, object.len) != 0)
            continue;
        *ret_type = (enum kin_watch_type)i;
        p += len + object.len;
        return *p == '{' ? p : NULL;
    }
    return NULL;
}

static const struct kin__stream_class watch_class = {
    .size = sizeof(kin_watch_decoder),
    .truncated = "the stream ended inside an event",
    .special = KIN__STR("object"),
    .is_list = false,
    .next = watch_next,
};

int kin_watch_decoder_new(kin_watch_decoder **ret, const kin_decode_options *options,
                          kin_watch_event_fn *fn, void *arg, void (*arg_free)(void *arg),
                          kin_error *err)
{
    kin_decode_options own = KIN_DECODE_OPTIONS_INIT;

    if (!ret || !fn)
        return kin__error_null(err, !ret ? "ret" : "fn");

    kin__stream *stream;
    int code = kin__options_take(&own, sizeof(own), options, "KIN_DECODE_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    own.api_version = NULL;
    own.kind = NULL;
    code = kin__stream_new(&stream, &watch_class, &own, err);
    if (code < 0)
        return code;
    stream->fn.event = fn;
    stream->arg = arg;
    stream->arg_free = arg_free;
    *ret = watch_of(stream);
    return 0;
}

int kin_watch_decoder_on_bad(kin_watch_decoder *decoder, kin_bad_object_fn *fn, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_on_bad(&decoder->stream, fn, err);
}

void kin_watch_decoder_free(kin_watch_decoder *decoder)
{
    kin__stream_free(decoder ? &decoder->stream : NULL);
}

int kin_watch_decoder_feed(kin_watch_decoder *decoder, kin_str bytes, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_feed(&decoder->stream, bytes, err);
}

int kin_watch_decoder_finish(kin_watch_decoder *decoder, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_finish(&decoder->stream, NULL, err);
}

int kin_watch_decoder_reset(kin_watch_decoder *decoder, kin_error *err)
{
    if (!decoder)
        return kin__error_null(err, "decoder");
    return kin__stream_reset(&decoder->stream, err);
}

int kin__watch_decoder_read_ahead(kin_watch_decoder *decoder, kin__workers *workers, kin_error *err)
{
    return kin__stream_read_ahead(&decoder->stream, workers, err);
}

void kin__watch_decoder_rest(kin_watch_decoder *decoder)
{
    kin__stream_rest(&decoder->stream);
}

void kin__watch_decoder_set_protobuf(kin_watch_decoder *decoder, bool is_protobuf)
{
    kin__stream_set_protobuf(&decoder->stream, is_protobuf);
}

bool kin__watch_decoder_needs_json(const kin_watch_decoder *decoder)
{
    return decoder->stream.protobuf.needs_json;
}

/* --- what the reader calls --- */

static bool is_list(const kin__stream *stream)
{
    return stream->stream_class->is_list;
}

int kin__stream_take_member(kin__stream *stream, kin_error *err)
{
    return is_list(stream) ? list_member(stream, err) : watch_member(stream, err);
}

int kin__stream_choose_decoder(kin__stream *stream, kin_decoder **ret, kin_error *err)
{
    if (!is_list(stream))
        return watch_choose(stream, ret, err);
    *ret = stream->decoder;
    return 0;
}

int kin__stream_take_object(kin__stream *stream, const kin_object *object, kin_str text,
                            kin_error *err)
{
    return is_list(stream) ? list_object(stream, object, err)
                           : watch_object(stream, object, text, err);
}

int kin__stream_take_bad(kin__stream *stream, kin_error *err)
{
    if (is_list(stream))
        return list_bad(stream, err);
    /* Its type may still come. */
    watch_of(stream)->is_bad = true;
    return 0;
}

int kin__stream_end_map(kin__stream *stream, uint64_t offset, kin_error *err)
{
    return is_list(stream) ? 0 : watch_end(stream, offset, err);
}

void kin__stream_forget_map(kin__stream *stream)
{
    if (!is_list(stream))
        forget_event(watch_of(stream));
}

int kin__stream_take_whole(kin__stream *stream, const kin_object *object, enum kin_watch_type type,
                           kin_error *err)
{
    return is_list(stream) ? list_object(stream, object, err)
                           : watch_take(stream, object, type, err);
}
