/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder: parser, draft and options together.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/utf8.h"
#include "object/document.h"
#include "object/draft.h"
#include "object/json.h"
#include "object/json_parse.h"
#include "object/protobuf_order.h"
#include "object/protobuf_reader.h"
#include "object/raw_cache.h"
#include "object/shared.h"

const char *kin_encoding_name(kin_encoding encoding)
{
    if (encoding == KIN_ENCODING_JSON)
        return "json";
    return encoding == KIN_ENCODING_PROTOBUF ? "protobuf" : "?";
}

struct kin_decoder {
    bool is_protobuf;                 /* const after new */
    size_t max_bytes;                 /* const after new */
    const kin_projection *projection; /* const after new; SHARED or NULL */
    char *api_version;                /* const after new; OWNED or NULL */
    char *kind;                       /* const after new; OWNED or NULL */
    kin__draft draft;
    kin__json_parser parser;
    kin__raw_cache raw_cache;
    kin__protobuf_reader protobuf;
    bool skips_unknown;
    bool needs_json; /* of the last failure */
};

static int copy_options(kin_decoder *decoder, const kin_decode_options *options, kin_error *err)
{
    if (options->api_version) {
        decoder->api_version = kin__memdup_str(kin_str_of(options->api_version));
        if (!decoder->api_version)
            return kin__error_no_memory(err);
    }
    if (options->kind) {
        decoder->kind = kin__memdup_str(kin_str_of(options->kind));
        if (!decoder->kind)
            return kin__error_no_memory(err);
    }
    decoder->projection = kin_projection_ref(options->projection);
    return 0;
}

static bool is_utf8(const char *text)
{
    return !text || kin__utf8_check(text, strlen(text));
}

static int check_options(const kin_decode_options *options, kin_error *err)
{
    if (options->max_bytes > KIN_DECODE_MAX_BYTES_LIMIT)
        return kin_error_set(err, KIN_EINVAL, "max_bytes beyond %d", KIN_DECODE_MAX_BYTES_LIMIT);
    if (options->max_depth > KIN_DEPTH_MAX)
        return kin_error_set(err, KIN_EINVAL, "max_depth beyond %d", KIN_DEPTH_MAX);
    if ((unsigned)options->encoding > KIN_ENCODING_PROTOBUF)
        return kin_error_set(err, KIN_EINVAL, "an unknown encoding: %d", (int)options->encoding);
    /* They go into documents, which hold nothing but UTF-8. */
    if (!is_utf8(options->api_version))
        return kin_error_set(err, KIN_EINVAL, "api_version is not UTF-8");
    if (!is_utf8(options->kind))
        return kin_error_set(err, KIN_EINVAL, "kind is not UTF-8");
    return 0;
}

int kin_decoder_new(kin_decoder **ret, const kin_decode_options *options, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_DECODE_OPTIONS_INIT", err);

    if (code == 0)
        code = check_options(&all, err);
    if (code < 0)
        return code;
    options = &all;

    kin_decoder *decoder = kin__malloc(sizeof(*decoder));

    if (!decoder)
        return kin__error_no_memory(err);
    memset(decoder, 0, offsetof(kin_decoder, draft));
    decoder->is_protobuf = options->encoding == KIN_ENCODING_PROTOBUF;
    decoder->max_bytes = options->max_bytes ? options->max_bytes : KIN_DECODE_MAX_BYTES;
    code = kin__draft_init(&decoder->draft, options->max_depth, err);
    if (code < 0) {
        kin__free(decoder);
        return code;
    }
    kin__json_parser_init(&decoder->parser, &decoder->draft);
    kin__raw_cache_init(&decoder->raw_cache);
    decoder->skips_unknown = false;
    decoder->needs_json = false;
    kin__protobuf_reader_init(&decoder->protobuf, &decoder->draft, &decoder->parser);
    decoder->draft.raw_cache = &decoder->raw_cache;
    decoder->parser.string_max =
        options->max_string_bytes ? options->max_string_bytes : KIN__TEXT_MAX;
    code = copy_options(decoder, options, err);
    if (code < 0) {
        kin_decoder_free(decoder);
        return code;
    }
    decoder->parser.projected = kin__projection_root(decoder->projection);
    *ret = decoder;
    return 0;
}

void kin_decoder_free(kin_decoder *decoder)
{
    if (!decoder)
        return;
    kin__draft_done(&decoder->draft);
    kin__raw_cache_done(&decoder->raw_cache);
    kin__protobuf_reader_done(&decoder->protobuf);
    kin_projection_unref(decoder->projection);
    kin__free(decoder->api_version);
    kin__free(decoder->kind);
    kin__free(decoder);
}

int kin__decoder_like(kin_decoder **ret, const kin_decoder *other, kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    options.max_bytes = other->max_bytes;
    options.max_depth = other->draft.depth_max;
    options.max_string_bytes = other->parser.string_max;
    options.projection = other->projection;
    options.api_version = other->api_version;
    options.kind = other->kind;
    options.encoding = other->is_protobuf ? KIN_ENCODING_PROTOBUF : KIN_ENCODING_JSON;
    return kin_decoder_new(ret, &options, err);
}

size_t kin__decoder_max_bytes(const kin_decoder *decoder)
{
    return decoder->max_bytes;
}

static int parse_failed(kin_decoder *decoder, uint64_t origin, kin_error *err)
{
    const kin__json_parser *parser = &decoder->parser;

    kin__draft_reset(&decoder->draft);
    if (parser->code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return kin__error_input(err, parser->code, origin + parser->offset, "%s", parser->reason);
}

int kin__decoder_decode_prefix(kin_decoder *decoder, const kin_object **ret, kin_str text,
                               uint64_t origin, size_t *ret_len, bool *ret_incomplete,
                               kin_error *err)
{
    kin_str allowed = text;
    size_t len;

    *ret_incomplete = false;
    if (allowed.len > decoder->max_bytes)
        allowed.len = decoder->max_bytes;
    if (kin__json_parse(&decoder->parser, allowed, &len) < 0) {
        if (decoder->parser.incomplete && allowed.len < text.len) {
            kin__draft_reset(&decoder->draft);
            return kin__error_input(err, KIN_ELIMIT, origin + allowed.len,
                                    "an object of more than %zu bytes", decoder->max_bytes);
        }
        *ret_incomplete = decoder->parser.incomplete;
        return parse_failed(decoder, origin, err);
    }
    if (decoder->draft.nodes[0].type != KIN__NODE_MAP) {
        const char *value = kin__json_skip_space(text.data, text.data + text.len);

        kin__draft_reset(&decoder->draft);
        return kin__error_parse(err, origin + (uint64_t)(value - text.data), "not an object");
    }
    int code = kin__draft_add_type(&decoder->draft, kin_str_of(decoder->api_version),
                                   kin_str_of(decoder->kind), err);

    if (code < 0) {
        kin__draft_reset(&decoder->draft);
        return code;
    }
    code = kin__draft_finish(&decoder->draft, ret, err);
    if (code == 0)
        *ret_len = len;
    return code;
}

/* --- protobuf --- */

/* Read into the draft. The caller releases `ordered` after it has finished the draft. */
static int read_message(kin_decoder *decoder, const kin__protobuf_message *message,
                        kin__protobuf_ordered *ordered, kin_error *err)
{
    kin__protobuf_reader *reader = &decoder->protobuf;
    int code = kin__protobuf_read(reader, message, err);

    if (code == 0 || !reader->is_disordered)
        return code;
    kin__draft_reset(&decoder->draft);
    kin_error_clear(err);
    code = kin__protobuf_order(ordered, message->number, message->bytes, err);
    if (code < 0)
        return code;
    if (ordered->has_unknown && !reader->skips_unknown)
        return kin__protobuf_fail_unknown(reader, err);

    kin__protobuf_message in_order = *message;

    in_order.bytes = ordered->bytes;
    return kin__protobuf_read(reader, &in_order, err);
}

int kin__decoder_decode_message(kin_decoder *decoder, const kin_object **ret,
                                const kin__protobuf_message *message, kin_error *err)
{
    kin__protobuf_ordered ordered = {.memory = NULL};
    int code;

    decoder->needs_json = false;
    if (message->bytes.len > decoder->max_bytes)
        return kin__error_input(err, KIN_ELIMIT, message->origin + decoder->max_bytes,
                                "an object of more than %zu bytes", decoder->max_bytes);
    decoder->protobuf.skips_unknown = decoder->skips_unknown || message->skips_unknown;
    code = read_message(decoder, message, &ordered, err);
    if (code == 0) {
        code = kin__draft_finish(&decoder->draft, ret, err);
    } else {
        decoder->needs_json = code == KIN_EPARSE || decoder->protobuf.needs_json;
        kin__draft_reset(&decoder->draft);
    }
    kin__protobuf_ordered_done(&ordered);
    return code;
}

static int decode_envelope(kin_decoder *decoder, const kin_object **ret, kin_str body,
                           bool *ret_needs_json, kin_error *err)
{
    kin__protobuf_message message;
    const kin__pb_kind *kind = NULL;
    int code = kin__protobuf_open_message(&message, &kind, body, 0, err);

    *ret_needs_json = code < 0;
    if (code < 0)
        return code;
    code = kin__decoder_decode_message(decoder, ret, &message, err);
    *ret_needs_json = kin__decoder_needs_json(decoder);
    return code;
}

int kin__decoder_decode_envelope(kin_decoder *decoder, const kin_object **ret, kin_str body,
                                 bool *ret_needs_json, kin_error *err)
{
    int code = decode_envelope(decoder, ret, body, ret_needs_json, err);

    return *ret_needs_json ? kin__protobuf_leave_to_json(err) : code;
}

int kin__decoder_decode_item(kin_decoder *decoder, const kin_object **ret, const kin__pb_kind *kind,
                             kin_str bytes, uint64_t origin, kin_error *err)
{
    const char *name = kin__pb_name(kind->kind);
    kin__protobuf_message item = {
        .number = kind->message,
        .bytes = bytes,
        .origin = origin,
        .type = {kin_str_of(decoder->api_version), kin_str_of(decoder->kind)}};

    /* In JSON, each item of this list says what it is. */
    if (strcmp(name, "PartialObjectMetadata") == 0)
        item.type =
            (kin__protobuf_type){kin_str_of(kin__pb_name(kind->api_version)), kin_str_of(name)};
    return kin__decoder_decode_message(decoder, ret, &item, err);
}

void kin__decoder_skip_unknown(kin_decoder *decoder)
{
    decoder->skips_unknown = true;
}

bool kin__decoder_needs_json(const kin_decoder *decoder)
{
    return decoder->needs_json;
}

int kin_decoder_decode(kin_decoder *decoder, const kin_object **ret, kin_str text, kin_error *err)
{
    if (!decoder || !ret)
        return kin__error_null(err, !decoder ? "decoder" : "ret");

    const kin_object *object = NULL;
    bool ignored;
    bool incomplete;
    size_t len = 0;

    if (decoder->is_protobuf)
        return decode_envelope(decoder, ret, text, &ignored, err);

    int code = kin__decoder_decode_prefix(decoder, &object, text, 0, &len, &incomplete, err);

    if (code < 0)
        return code;

    const char *end = text.data + text.len;
    const char *rest = kin__json_skip_space(text.data + len, end);

    if (rest < end) {
        kin_object_unref(object);
        return kin__error_parse(err, (uint64_t)(rest - text.data), "text behind the object");
    }
    *ret = object;
    return 0;
}

int kin_object_from_json(const kin_object **ret, kin_str text, const kin_decode_options *options,
                         kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_decoder *decoder = NULL;
    int code = kin_decoder_new(&decoder, options, err);

    if (code < 0)
        return code;
    decoder->draft.raw_cache = NULL; /* there is no second time */
    code = kin_decoder_decode(decoder, ret, text, err);
    kin_decoder_free(decoder);
    return code;
}

int kin__json_read_value(const kin_object **ret_holder, kin_value *ret, kin_str text,
                         kin_error *err)
{
    kin_decoder *decoder = NULL;
    size_t len = 0;
    int code;

    if (text.len > KIN_DECODE_MAX_BYTES)
        return kin__error_input(err, KIN_ELIMIT, KIN_DECODE_MAX_BYTES,
                                "a text of more than %d bytes", KIN_DECODE_MAX_BYTES);
    code = kin_decoder_new(&decoder, NULL, err);
    if (code < 0)
        return code;
    decoder->draft.raw_cache = NULL;

    kin__draft *draft = &decoder->draft;

    /* The value becomes the only member of a document, which has one level more. */
    draft->depth_max = KIN__FRAMES_MAX;
    code = kin__draft_begin_map(draft, err);
    if (code == 0)
        code = kin__draft_key(draft, kin_str_of("value"), err);
    if (code == 0 && kin__json_parse(&decoder->parser, text, &len) < 0)
        code = parse_failed(decoder, 0, err);
    if (code == 0) {
        const char *end = text.data + text.len;
        const char *rest = kin__json_skip_space(text.data + len, end);

        if (rest < end)
            code = kin__error_parse(err, (uint64_t)(rest - text.data), "text after the value");
    }
    if (code == 0)
        code = kin__draft_end(draft, err);
    if (code == 0)
        code = kin__draft_finish(draft, ret_holder, err);
    if (code == 0)
        *ret = kin_value_get(kin_object_root(*ret_holder), kin_str_of("value"));
    kin_decoder_free(decoder);
    return code;
}

void kin_pool_stats_get(kin_pool_stats *stats)
{
    struct kin__shared_stats shared;

    kin_pool_stats all = KIN_POOL_STATS_INIT;

    if (!stats)
        return;
    kin__shared_stats(&shared);
    all.size = stats->size;
    all.values = shared.values;
    all.bytes = shared.bytes;
    all.keys = kin__keys_learnt();
    memcpy(stats, &all, stats->size < sizeof(all) ? stats->size : sizeof(all));
}

size_t kin_object_size(const kin_object *object)
{
    const kin__document *document = kin__document_of(object);

    if (!document)
        return 0;
    return sizeof(*document) + kin__tape_size(document->tape.len, document->tape.refs_len);
}
