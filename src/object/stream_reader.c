/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a map of which one member holds objects, in pieces cut anywhere.
 *
 * The map itself is read by a small state machine, a byte or a run of bytes per step. Of its
 * members:
 *
 * - Objects are read by the decoder, which also finds their end, where they lie in the bytes that
 *   were fed: nothing is copied or looked at twice. If an object is longer than these bytes (or
 *   likely to be: it is compared with the object before it), its text is collected in `text`
 *   while a scan looks for its end, and then read. So each byte is scanned once and parsed once,
 *   twice for the first piece of a cut object, however small the pieces are.
 * - Other members are collected in `head`, and each is read as a map of its own once its end is
 *   found.
 *
 * Invariant: where the bytes are cut changes nothing. What the decoder says of a text is final
 * unless it says "incomplete": more text does not change it. So reading an object early, as far
 * as it is there, and reading it late, at the end that the scan found, give the same result. The
 * scan and the parser agree on where an object ends up to its first malformed byte, and the
 * collected text always reaches beyond that: up to the scan's end, to max_bytes, or to the end of
 * the stream. The parser looks up to six bytes ahead before it judges an escape. These bytes may
 * lie behind the end that the scan found, so spaces are put there; which bytes they are does not
 * matter, since a quote or bracket comes before them and settles the matter.
 *
 * Memory: `text` and `head` are bounded by max_bytes, and what one huge object or member made of
 * them is given back behind it. Nothing depends on the length of the stream.
 *
 * Errors: what is done in a feed fills in the stream's own kin_error, from which the caller's is
 * copied. So a callback always finds an empty one, the caller's is written on failure only, and
 * the first failure can be told again.
 *
 * Threads: one at a time; callbacks run in it, inside kin__stream_feed().
 */
#include "object/stream_reader.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "kinform/key.h"
#include "object/json.h"
#include "object/json_parse.h"
#include "object/stream_key.h"

/* As far as the parser looks ahead, and some more. */
#define PAD "        "
#define PAD_LEN (sizeof(PAD) - 1)
/* A buffer of more than this is not kept for the next object or map. */
#define KEPT_MAX ((size_t)256 * 1024)
/* Fewer bytes than this are read sooner than a worker could begin. */
#define AHEAD_MIN ((size_t)24 * 1024)

static uint64_t offset_of(const kin__stream *stream, const struct kin__stream_input *in)
{
    return stream->offset + (uint64_t)(in->p - in->begin);
}

static int unexpected(const kin__stream *stream, const struct kin__stream_input *in,
                      const char *what, kin_error *err)
{
    return kin__error_parse(err, offset_of(stream, in), "%s", what);
}

static int append(kin__buf *buf, const char *data, size_t len, kin_error *err)
{
    kin__buf_append(buf, kin_str_make(data, len));
    /* All that is appended was checked against max_bytes: only memory can be missing. */
    return buf->failed ? kin__error_no_memory(err) : 0;
}

/* --- making and releasing --- */

static int init(kin__stream *stream, const kin_decode_options *options, kin_error *err)
{
    static const kin_decode_options defaults = KIN_DECODE_OPTIONS_INIT;
    static const kin_error no_error = KIN_ERROR_INIT;
    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_DECODE_OPTIONS_INIT", err);

    options = &all;
    if (code == 0)
        code = kin_decoder_new(&stream->decoder, options, err);

    if (code < 0)
        return code;
    stream->error = no_error;
    stream->max_bytes = kin__decoder_max_bytes(stream->decoder);
    stream->is_plain = !options->projection && !options->api_version && !options->kind;
    stream->is_protobuf = options->encoding == KIN_ENCODING_PROTOBUF;
    stream->plain_options = defaults;
    stream->plain_options.max_bytes = options->max_bytes;
    stream->plain_options.max_depth = options->max_depth;
    stream->plain_options.max_string_bytes = options->max_string_bytes;
    /* Parts of bodies, and these may hold secrets. */
    kin__buf_init_secret(&stream->head, stream->max_bytes + 2 * PAD_LEN);
    kin__buf_init_secret(&stream->text, stream->max_bytes + KIN__PROTOBUF_EVENT_BYTES);
    return 0;
}

int kin__stream_new(kin__stream **ret, const struct kin__stream_class *stream_class,
                    const kin_decode_options *options, kin_error *err)
{
    kin__stream *stream = kin__calloc(1, stream_class->size);

    if (!stream)
        return kin__error_no_memory(err);
    stream->stream_class = stream_class;

    int code = init(stream, options, err);

    if (code < 0) {
        kin__free(stream);
        return code;
    }
    kin__protobuf_stream_reset(stream);
    *ret = stream;
    return 0;
}

void kin__stream_free(kin__stream *stream)
{
    if (!stream)
        return;
    if (stream->running) {
        stream->doomed = true;
        return;
    }
    kin__stream_forget_map(stream);
    kin__protobuf_stream_reset(stream);
    kin__ahead_free(stream->ahead);
    kin__buf_done(&stream->text);
    kin__buf_done(&stream->head);
    if (stream->plain != stream->decoder)
        kin_decoder_free(stream->plain);
    kin_decoder_free(stream->decoder);
    if (stream->arg_free)
        stream->arg_free(stream->arg);
    kin__free(stream);
}

int kin__stream_get_plain(kin__stream *stream, kin_decoder **ret, kin_error *err)
{
    if (!stream->plain && stream->is_plain)
        stream->plain = stream->decoder;
    if (!stream->plain) {
        int code = kin_decoder_new(&stream->plain, &stream->plain_options, err);

        if (code < 0)
            return code;
    }
    *ret = stream->plain;
    return 0;
}

/* --- between calls --- */

static void copy_error(kin_error *err, const kin_error *from)
{
    const size_t begin = sizeof(err->size);

    if (err && err != from && err->size > begin)
        memcpy((char *)err + begin, (const char *)from + begin,
               (err->size < sizeof(*from) ? err->size : sizeof(*from)) - begin);
}

/* A call is over, with this code, which is returned; stream->error says more. */
static int settle(kin__stream *stream, int code, kin_error *err)
{
    if (code < 0) {
        stream->failed = code;
        copy_error(err, &stream->error);
    }
    return code;
}

/* 0 if the stream can be used, or the code that it is stuck with. */
static int check_usable(const kin__stream *stream, kin_error *err)
{
    if (stream->running)
        return kin_error_set(err, KIN_EBUSY, "called from within the decoder's own callback");
    if (stream->failed)
        copy_error(err, &stream->error);
    return stream->failed;
}

int kin__stream_reset(kin__stream *stream, kin_error *err)
{
    if (stream->running)
        return check_usable(stream, err);
    kin__stream_forget_map(stream);
    stream->failed = 0;
    kin_error_clear(&stream->error);
    stream->state = KIN__STREAM_BEGIN;
    stream->offset = 0;
    kin__buf_recycle(&stream->head, KEPT_MAX);
    kin__stream_forget_text(stream);
    kin__protobuf_stream_reset(stream);
    return 0;
}

void kin__stream_set_protobuf(kin__stream *stream, bool is_protobuf)
{
    stream->is_protobuf = is_protobuf;
}

int kin__stream_on_bad(kin__stream *stream, kin_bad_object_fn *fn, kin_error *err)
{
    if (stream->running)
        return check_usable(stream, err);
    stream->bad = fn;
    return 0;
}

kin_error *kin__stream_callback_error(kin__stream *stream)
{
    if (stream->error.code != 0) /* an earlier callback filled it in and went on */
        kin_error_clear(&stream->error);
    return &stream->error;
}

int kin__stream_called(const kin__stream *stream, int code, kin_error *err)
{
    if (stream->doomed)
        return kin_error_set(err, KIN_ECLOSED, "the decoder was freed by its own callback");
    if (code >= 0)
        return 0;
    /* It may have said nothing, and what `err` held before is not about this. */
    if (err && err->code != code)
        kin_error_set(err, code, "the callback failed");
    return code;
}

/* --- members other than the special one --- */

/* Read the last member, behind which `tail` stands, as a map of its own. */
static int read_member(kin__stream *stream, const kin_object **ret, kin_str tail,
                       bool *ret_incomplete, kin_error *err)
{
    kin__buf *head = &stream->head;
    size_t len = head->len;
    kin_decoder *plain;
    size_t ignored;
    int code = kin__stream_get_plain(stream, &plain, err);

    if (code == 0)
        code = append(head, tail.data, tail.len, err);
    if (code < 0)
        return code;

    /* The byte before it, '{' or ',', stands where the map's '{' has to be. */
    char *text = head->data + stream->member - 1;
    char before = *text;

    *text = '{';
    code =
        kin__decoder_decode_prefix(plain, ret, kin_str_make(text, head->len - (stream->member - 1)),
                                   stream->member_offset - 1, &ignored, ret_incomplete, err);
    *text = before;
    kin__buf_truncate(head, len);
    return code;
}

int kin__stream_read_member(kin__stream *stream, const kin_object **ret, kin_error *err)
{
    bool incomplete;

    return read_member(stream, ret, kin_str_of("}" PAD), &incomplete, err);
}

/* Read all members. SHARED, the caller's. */
static int read_head(kin__stream *stream, const kin_object **ret, kin_error *err)
{
    kin_decoder *plain;
    int code;

    if (stream->is_protobuf)
        return kin__protobuf_stream_read_head(stream, ret, err);
    code = kin__stream_get_plain(stream, &plain, err);
    if (code == 0)
        code = append(&stream->head, "}", 1, err);
    return code < 0 ? code : kin_decoder_decode(plain, ret, kin__buf_str(&stream->head), err);
}

/* Move input up to `stop` to the head. A '}' has to fit behind it. */
static int take_to_head(kin__stream *stream, struct kin__stream_input *in, const char *stop,
                        kin_error *err)
{
    size_t len = (size_t)(stop - in->p);
    size_t most = stream->max_bytes - 1;
    size_t room = stream->head.len < most ? most - stream->head.len : 0;

    if (len > room)
        return kin__error_input(err, KIN_ELIMIT, offset_of(stream, in) + room,
                                "more than %zu bytes beside \"%s\"", stream->max_bytes,
                                stream->stream_class->special.data);

    int code = append(&stream->head, in->p, len, err);

    in->p = stop;
    return code;
}

static int begin_map(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    if (*in->p != '{')
        return unexpected(stream, in, "expected '{'", err);
    in->p++;
    stream->has_special = false;
    stream->state = KIN__STREAM_FIRST_KEY;
    kin__buf_reset(&stream->head);
    return append(&stream->head, "{", 1, err);
}

static int end_map(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    uint64_t offset = offset_of(stream, in);

    in->p++;
    stream->state = stream->stream_class->is_list ? KIN__STREAM_END : KIN__STREAM_BEGIN;
    if (!stream->stream_class->is_list) /* the next one may be long in coming */
        kin__buf_recycle(&stream->head, KEPT_MAX);
    return kin__stream_end_map(stream, offset, err);
}

static int begin_key(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    int code = 0;

    if (*in->p == '}' && stream->state == KIN__STREAM_FIRST_KEY)
        return end_map(stream, in, err);
    if (*in->p != '"')
        return unexpected(stream, in, "expected a key", err);
    if (!stream->stream_class->is_list)
        kin__buf_truncate(&stream->head, 1);
    else if (stream->head.len > 1)
        code = append(&stream->head, ",", 1, err);
    if (code < 0)
        return code;
    stream->member = stream->head.len;
    stream->member_offset = offset_of(stream, in);
    stream->scan = (kin__stream_scan){.in_string = true};
    stream->state = KIN__STREAM_IN_KEY;
    return take_to_head(stream, in, in->p + 1, err);
}

/* Whether the key that stands at the end of the head is the special one, however it is spelled. */
static int is_special_key(kin__stream *stream, bool *ret, kin_error *err)
{
    kin_str special = stream->stream_class->special;
    kin_str key = kin_str_make(stream->head.data + stream->member,
                               stream->head.len - stream->member); /* with its quotes */
    const kin_object *object;
    bool incomplete;
    kin_iter it;

    *ret = key.len == special.len + 2 && memcmp(key.data + 1, special.data, special.len) == 0;
    if (*ret || !memchr(key.data, '\\', key.len))
        return 0;

    int code = read_member(stream, &object, kin_str_of(":0}" PAD), &incomplete, err);

    if (code < 0)
        return code;
    kin_iter_init(&it, kin_object_root(object));
    *ret = kin_iter_next(&it) && kin_str_equal(it.key, special);
    kin_object_unref(object);
    return 0;
}

static int end_key(kin__stream *stream, kin_error *err)
{
    bool is_special;
    int code = is_special_key(stream, &is_special, err);

    if (code < 0)
        return code;
    if (!is_special) {
        stream->scan = (kin__stream_scan){.depth = 1};
        stream->state = KIN__STREAM_IN_MEMBER;
        return 0;
    }
    if (stream->has_special)
        return kin__error_parse(err, stream->member_offset, "\"%s\" twice",
                                stream->stream_class->special.data);
    /* Without the comma before it, unless it was the first. */
    kin__buf_truncate(&stream->head, stream->member > 1 ? stream->member - 1 : 1);
    stream->has_special = true;
    stream->state = KIN__STREAM_COLON;
    return 0;
}

/* Malformed at this byte behind what was collected, if not before; the parser says which. */
static int refuse_member(kin__stream *stream, char byte, kin_error *err)
{
    const char tail[] = {byte, ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '};
    const kin_object *object = NULL;
    bool incomplete;
    int code = read_member(stream, &object, kin_str_make(tail, sizeof(tail)), &incomplete, err);

    _Static_assert(sizeof(tail) == 1 + PAD_LEN, "as far as the parser looks ahead");
    kin__assert(code < 0);
    kin_object_unref(object);
    return code;
}

static int step_in_key(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    const char *quote = kin__stream_scan_string(&stream->scan, in->p, in->end);
    bool found = quote < in->end;
    bool is_end = found && !stream->scan.is_lost;
    int code = take_to_head(stream, in, is_end ? quote + 1 : quote, err);

    if (code < 0 || !found)
        return code;
    return is_end ? end_key(stream, err) : refuse_member(stream, *quote, err);
}

static int step_in_member(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    const char *stop = kin__stream_scan_end(&stream->scan, in->p, in->end, 1);
    bool found = stop < in->end;
    int code = take_to_head(stream, in, stop, err);

    if (code < 0 || !found)
        return code;
    stream->state = KIN__STREAM_BEHIND_VALUE;
    return stream->scan.is_lost || *stop == ']' ? refuse_member(stream, *stop, err)
                                                : kin__stream_take_member(stream, err);
}

/* --- the special member and its objects --- */

static int begin_special(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    if (*in->p != ':')
        return unexpected(stream, in, "expected ':'", err);
    in->p++;
    stream->state = KIN__STREAM_VALUE;
    return 0;
}

int kin__stream_keep_text(kin__stream *stream, kin_str text, kin_error *err)
{
    if (stream->text.len > 0)
        return 0;
    return append(&stream->text, text.data, text.len, err);
}

void kin__stream_forget_text(kin__stream *stream)
{
    kin__buf_recycle(&stream->text, KEPT_MAX);
}

/* Items of one list begin alike: with the key that a server writes first. */
static void learn_mark(kin__stream *stream, kin_str text)
{
    const char *colon = memchr(text.data, ':', text.len);
    size_t len = colon ? (size_t)(colon - text.data) + 1 : 0;

    if (len == 0 || len > sizeof(stream->mark) - 2)
        return;
    memcpy(stream->mark, "},", 2);
    memcpy(stream->mark + 2, text.data, len);
    stream->mark_len = len + 2;
}

static int end_object(kin__stream *stream, const kin_object *object, kin_str text, kin_error *err)
{
    const struct kin__stream_class *stream_class = stream->stream_class;

    stream->expected = text.len;
    if (stream->ahead && stream->mark_len == 0)
        learn_mark(stream, text);
    stream->state = stream_class->is_list ? KIN__STREAM_BEHIND_ITEM : KIN__STREAM_BEHIND_VALUE;
    return kin__stream_take_object(stream, object, text, err);
}

/*
 * Read the object at the beginning of a text, which is all there is of it so far. If the text is
 * too short, 0 and *ret NULL; `err` is then as it was.
 */
static int try_object(kin__stream *stream, const kin_object **ret, kin_str text, size_t *ret_len,
                      kin_error *err)
{
    kin_error found = KIN_ERROR_INIT;
    kin_decoder *decoder;
    bool incomplete;
    int code = kin__stream_choose_decoder(stream, &decoder, err);

    if (code < 0)
        return code;
    code = kin__decoder_decode_prefix(decoder, ret, text, stream->value_offset, ret_len,
                                      &incomplete, &found);
    if (code < 0 && incomplete) {
        *ret = NULL;
        return 0;
    }
    if (code < 0)
        copy_error(err, &found);
    return code;
}

/* --- objects that cannot be read --- */

static int end_bad(kin__stream *stream, kin_error *err)
{
    const struct kin__stream_class *stream_class = stream->stream_class;

    kin__stream_forget_text(stream);
    stream->state = stream_class->is_list ? KIN__STREAM_BEHIND_ITEM : KIN__STREAM_BEHIND_VALUE;
    return kin__stream_take_bad(stream, err);
}

/* The key in some metadata. */
static void format_key(kin__stream *stream, const kin_object *metadata)
{
    kin_value root = kin_object_root(metadata);
    kin_scratch scratch[2];
    kin_str namespace_ = {NULL, 0};
    kin_str name;

    if (kin_value_string(&name, kin_value_get(root, kin_str_of("name")), &scratch[0]) < 0 ||
        name.len == 0)
        return;
    kin_value_string(&namespace_, kin_value_get(root, kin_str_of("namespace")), &scratch[1]);
    if (kin_key_format(stream->bad_key, sizeof(stream->bad_key), namespace_, name) >=
        sizeof(stream->bad_key))
        stream->bad_key[0] = '\0';
}

/*
 * Whose the text is, of which the first bytes could be read: where it was cut does not matter. What fails
 * here leaves it unknown.
 */
static void find_key(kin__stream *stream, kin_str text, uint64_t good)
{
    const kin_object *metadata;
    kin_decoder *plain;

    stream->bad_key[0] = '\0';
    if (good < text.len)
        text.len = (size_t)good;
    if (!kin__stream_find_metadata(text, &text) ||
        kin__stream_get_plain(stream, &plain, NULL) < 0 ||
        kin_decoder_decode(plain, &metadata, text, NULL) < 0)
        return;
    format_key(stream, metadata);
    kin_object_unref(metadata);
}

/*
 * An object cannot be read, for what `err` says: skip it, if that is wanted and would help. `text` is what
 * there is of it. `scan` is where the input stands: before the object, or within it.
 */
static int begin_bad(kin__stream *stream, int code, kin_str text, kin__stream_scan scan,
                     kin_error *err)
{
    if (!stream->bad || (code != KIN_EPARSE && code != KIN_ELIMIT))
        return code;
    stream->bad_why = *err;
    find_key(stream, text,
             err->offset > stream->value_offset ? err->offset - stream->value_offset : 0);
    kin_error_clear(err);
    stream->scan = scan;
    stream->state = KIN__STREAM_IN_BAD;
    kin__stream_forget_text(stream);
    return 0;
}

static int step_in_bad(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    const char *stop = kin__stream_scan_end(&stream->scan, in->p, in->end, 0);
    bool found = stop < in->end;

    if (stream->scan.is_lost) {
        copy_error(err, &stream->bad_why);
        return stream->bad_why.code;
    }
    in->p = found ? stop + 1 : stop;
    return found ? end_bad(stream, err) : 0;
}

/* Read the object at the input, if it is all there, and move behind it. */
static int read_in_place(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    kin_str text = kin_str_make(in->p, (size_t)(in->end - in->p));
    const kin_object *object = NULL;
    int code = try_object(stream, &object, text, &text.len, err);

    if (code < 0)
        return begin_bad(stream, code, kin_str_make(in->p, (size_t)(in->end - in->p)),
                         (kin__stream_scan){.depth = 0}, err);
    if (!object)
        return 0;
    in->p += text.len;
    return end_object(stream, object, text, err);
}

/* Read the collected text, which is an object or malformed, or too long: then it is not `ended`. */
static int read_collected(kin__stream *stream, bool ended, kin_error *err)
{
    size_t len = stream->text.len;
    const kin_object *object = NULL;
    size_t object_len = 0;
    int code = append(&stream->text, PAD, PAD_LEN, err);

    if (code == 0)
        code = try_object(stream, &object, kin__buf_str(&stream->text), &object_len, err);
    if (code < 0 && stream->scan.is_lost)
        return code;
    if (code < 0) {
        code = begin_bad(stream, code, kin_str_make(stream->text.data, len), stream->scan, err);
        return code == 0 && ended ? end_bad(stream, err) : code;
    }
    kin__buf_truncate(&stream->text, len);
    /* The scan and the parser agree on what is well-formed. */
    kin__assert(object && object_len == len);
    if (!object || object_len != len) {
        kin_object_unref(object);
        return kin__error_parse(err, stream->value_offset, "not an object");
    }
    return end_object(stream, object, kin__buf_str(&stream->text), err);
}

static int begin_object(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    stream->value_offset = offset_of(stream, in);
    stream->scan = (kin__stream_scan){.depth = 0};
    stream->state = KIN__STREAM_IN_OBJECT;
    kin__buf_reset(&stream->text);
    if ((size_t)(in->end - in->p) < stream->expected)
        return 0;
    return read_in_place(stream, in, err);
}

static int step_in_object(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    size_t room = stream->max_bytes - stream->text.len;
    size_t left = (size_t)(in->end - in->p);
    const char *end = in->p + (left < room ? left : room);
    const char *stop = kin__stream_scan_end(&stream->scan, in->p, end, 0);
    bool found = stop < end;
    int code;

    if (found && stream->text.len == 0) {
        code = read_in_place(stream, in, err);
        if (code < 0 || stream->state != KIN__STREAM_IN_OBJECT)
            return code;
        /* The parser wants to look further ahead than there is. */
    }
    stop += found;
    code = append(&stream->text, in->p, (size_t)(stop - in->p), err);
    if (code < 0)
        return code;
    in->p = stop;
    /* Not found, and there is more: it is longer than max_bytes, if nothing else is wrong. */
    return found || in->p < in->end ? read_collected(stream, found, err) : 0;
}

static int begin_value(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    bool is_list = stream->stream_class->is_list;

    stream->value_offset = offset_of(stream, in);
    if (*in->p == '{' && !is_list)
        return begin_object(stream, in, err);
    if (*in->p == '[' && is_list) {
        in->p++;
        stream->state = KIN__STREAM_FIRST_ITEM;
        return 0;
    }
    if (*in->p == 'n' && is_list) {
        stream->matched = 0;
        stream->state = KIN__STREAM_IN_NULL;
        return 0;
    }
    return unexpected(stream, in, is_list ? "expected an array of objects" : "expected an object",
                      err);
}

static int step_in_null(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    static const char word[] = "null";

    while (in->p < in->end && word[stream->matched]) {
        if (*in->p != word[stream->matched])
            return kin__error_parse(err, stream->value_offset, "not a value");
        stream->matched++;
        in->p++;
    }
    if (!word[stream->matched])
        stream->state = KIN__STREAM_BEHIND_VALUE;
    return 0;
}

static int begin_item(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    if (*in->p == '{')
        return begin_object(stream, in, err);
    if (*in->p != ']' || stream->state != KIN__STREAM_FIRST_ITEM)
        return unexpected(stream, in, "expected an object", err);
    in->p++;
    stream->state = KIN__STREAM_BEHIND_VALUE;
    return 0;
}

static int step_behind_item(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    if (*in->p != ',' && *in->p != ']')
        return unexpected(stream, in, "expected ',' or ']'", err);
    stream->state = *in->p == ',' ? KIN__STREAM_ITEM : KIN__STREAM_BEHIND_VALUE;
    in->p++;
    return 0;
}

static int step_behind_value(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    if (*in->p == '}')
        return end_map(stream, in, err);
    if (*in->p != ',')
        return unexpected(stream, in, "expected ',' or '}'", err);
    in->p++;
    stream->state = KIN__STREAM_KEY;
    return 0;
}

/* --- the machine --- */

/* Whether space may stand at this point. */
static bool skips_space(enum kin__stream_state state)
{
    switch (state) {
    case KIN__STREAM_IN_KEY:
    case KIN__STREAM_IN_MEMBER:
    case KIN__STREAM_IN_NULL:
    case KIN__STREAM_IN_OBJECT:
    case KIN__STREAM_IN_BAD:
        return false;
    default:
        return true;
    }
}

/* Called with at least one byte; takes some, changes the state, or fails. */
static int step(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    switch (stream->state) {
    case KIN__STREAM_BEGIN:
        return begin_map(stream, in, err);
    case KIN__STREAM_FIRST_KEY:
    case KIN__STREAM_KEY:
        return begin_key(stream, in, err);
    case KIN__STREAM_IN_KEY:
        return step_in_key(stream, in, err);
    case KIN__STREAM_IN_MEMBER:
        return step_in_member(stream, in, err);
    case KIN__STREAM_COLON:
        return begin_special(stream, in, err);
    case KIN__STREAM_VALUE:
        return begin_value(stream, in, err);
    case KIN__STREAM_IN_NULL:
        return step_in_null(stream, in, err);
    case KIN__STREAM_FIRST_ITEM:
    case KIN__STREAM_ITEM:
        return begin_item(stream, in, err);
    case KIN__STREAM_IN_OBJECT:
        return step_in_object(stream, in, err);
    case KIN__STREAM_IN_BAD:
        return step_in_bad(stream, in, err);
    case KIN__STREAM_BEHIND_ITEM:
        return step_behind_item(stream, in, err);
    case KIN__STREAM_BEHIND_VALUE:
        return step_behind_value(stream, in, err);
    case KIN__STREAM_END:
        return unexpected(stream, in, "text behind the list", err);
    }
    return 0;
}

/* Up to `stop`, or behind the step that goes beyond it. */
static int read_values(kin__stream *stream, struct kin__stream_input *in, const char *stop,
                       kin_error *err)
{
    int code = 0;

    if (stream->is_protobuf)
        return kin__protobuf_stream_run(stream, in, stop, err);

    while (code == 0 && in->p < stop) {
        if (skips_space(stream->state)) {
            in->p = kin__json_skip_space(in->p, in->end);
            if (in->p >= stop)
                break;
        }
        code = step(stream, in, err);
    }
    return code;
}

/* --- reading ahead --- */

int kin__stream_read_ahead(kin__stream *stream, kin__workers *workers, kin_error *err)
{
    const struct kin__stream_class *stream_class = stream->stream_class;

    if (stream->ahead)
        return 0;
    /* Who reads ahead knows the limit of objects alone: a usual member must not be beyond it. */
    if (!stream_class->is_list && stream->max_bytes < KIN__STREAM_MARK_BYTES)
        return 0;
    stream->ahead_min = AHEAD_MIN;
    if (!stream_class->is_list) {
        static const char mark[] = "}\n{\"type\":";

        stream->mark_len = sizeof(mark) - 1;
        memcpy(stream->mark, mark, stream->mark_len);
    }
    return kin__ahead_new(&stream->ahead, workers, stream->decoder, stream_class->next, err);
}

void kin__stream_rest(kin__stream *stream)
{
    if (!stream->has_read_ahead)
        return;
    stream->has_read_ahead = false;
    kin__ahead_rest(stream->ahead);
}

/* Where a worker begins to read; NULL: nowhere. */
static const char *begin_ahead(kin__stream *stream, const struct kin__stream_input *in)
{
    size_t half = (size_t)(in->end - in->p) / 2;
    const char *found;

    if (stream->is_protobuf)
        return kin__protobuf_stream_begin_ahead(stream, in);
    if (!stream->ahead || half < stream->ahead_min || stream->mark_len == 0)
        return NULL;
    found = memmem(in->p + half, half, stream->mark, stream->mark_len);
    if (!found)
        return NULL;
    found += 2; /* behind '}' and what stands between two */
    if (!kin__ahead_begin(stream->ahead, kin_str_make(found, (size_t)(in->end - found))))
        return NULL;
    return found;
}

/* Whether what was read ahead follows here: the guess was right. */
static bool is_at(const kin__stream *stream, const struct kin__stream_input *in, const char *split)
{
    enum kin__stream_state between =
        stream->stream_class->is_list ? KIN__STREAM_ITEM : KIN__STREAM_BEGIN;

    if (stream->is_protobuf)
        return in->p == split && kin__protobuf_stream_is_between(stream);
    return in->p == split && stream->state == between;
}

static int take_ahead(kin__stream *stream, struct kin__stream_input *in,
                      const kin__ahead_result *result, kin_error *err)
{
    const struct kin__stream_class *stream_class = stream->stream_class;
    int code = 0;
    size_t i = 0;

    in->p += result->len;
    stream->expected = result->last;
    stream->n_ahead += result->n;
    stream->state = stream_class->is_list ? KIN__STREAM_BEHIND_ITEM : KIN__STREAM_BEGIN;
    if (stream->is_protobuf)
        kin__protobuf_stream_took(stream, result->len);
    for (; i < result->n && code == 0; i++)
        code =
            kin__stream_take_whole(stream, result->objects[i].object, result->objects[i].type, err);
    for (; i < result->n; i++)
        kin_object_unref(result->objects[i].object);
    return code;
}

static void drop_ahead(const kin__ahead_result *result)
{
    for (size_t i = 0; i < result->n; i++)
        kin_object_unref(result->objects[i].object);
}

static int run_all(kin__stream *stream, struct kin__stream_input *in, kin_error *err)
{
    const char *split = begin_ahead(stream, in);
    kin__ahead_result result;
    int code;

    if (!split)
        return read_values(stream, in, in->end, err);
    stream->has_read_ahead = true;
    code = read_values(stream, in, split, err);
    /* In any case: the text is not ours for longer. */
    kin__ahead_end(stream->ahead, &result);
    if (code == 0 && result.n > 0 && is_at(stream, in, split))
        code = take_ahead(stream, in, &result, err);
    else
        drop_ahead(&result);
    return code == 0 ? read_values(stream, in, in->end, err) : code;
}

int kin__stream_feed(kin__stream *stream, kin_str bytes, kin_error *err)
{
    int code = check_usable(stream, err);

    if (code < 0 || bytes.len == 0)
        return code;

    struct kin__stream_input in = {bytes.data, bytes.data + bytes.len, bytes.data};

    stream->running = true;
    code = run_all(stream, &in, &stream->error);
    stream->running = false;
    stream->offset += bytes.len;
    settle(stream, code, err);
    if (stream->doomed)
        kin__stream_free(stream);
    return code;
}

/* The stream ended inside an object or member: is what came malformed, or just too short? */
static int check_rest(kin__stream *stream, kin_error *err)
{
    const kin_object *object = NULL;
    size_t ignored;
    int code = 0;

    if (stream->state == KIN__STREAM_IN_BAD) {
        code = stream->bad_why.code;
        copy_error(err, &stream->bad_why);
    } else if (stream->state == KIN__STREAM_IN_OBJECT) {
        code = try_object(stream, &object, kin__buf_str(&stream->text), &ignored, err);
    } else if (stream->state == KIN__STREAM_IN_KEY || stream->state == KIN__STREAM_IN_MEMBER) {
        kin_error found = KIN_ERROR_INIT;
        bool incomplete = false;

        code = read_member(stream, &object, kin_str_make(NULL, 0), &incomplete, &found);
        if (code < 0 && incomplete)
            code = 0;
        else if (code < 0)
            copy_error(err, &found);
    }
    kin_object_unref(code < 0 ? NULL : object);
    return code;
}

static int check_end(kin__stream *stream, kin_error *err)
{
    bool is_list = stream->stream_class->is_list;

    if (stream->is_protobuf)
        return kin__protobuf_stream_check_end(stream, err);
    if (stream->state == (is_list ? KIN__STREAM_END : KIN__STREAM_BEGIN))
        return 0;

    int code = check_rest(stream, err);

    if (code < 0)
        return code;
    return kin__error_parse(err, stream->offset, "%s", stream->stream_class->truncated);
}

int kin__stream_finish(kin__stream *stream, const kin_object **ret_head, kin_error *err)
{
    const kin_object *head = NULL;
    int code = check_usable(stream, err);

    if (code < 0)
        return code;
    code = check_end(stream, &stream->error);
    if (code == 0 && ret_head)
        code = read_head(stream, &head, &stream->error);
    kin__buf_recycle(&stream->head, KEPT_MAX);
    if (code < 0)
        return settle(stream, code, err);
    if (ret_head)
        *ret_head = head;
    settle(stream, kin_error_set(&stream->error, KIN_ECLOSED, "finished, and not reset"), NULL);
    return 0;
}
