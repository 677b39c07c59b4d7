/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading answers; see call_answer.h.
 *
 * An answer of success goes into the decoder of its kind: lists and watches are called back from while
 * their bytes come, an object or a text when it is whole. Of any other the beginning is kept, in which a
 * Status may stand.
 */
#include "client/call_answer.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "client/list_watch.h"
#include "client/status.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/status.h"
#include "object/json.h"
#include "object/protobuf.h"
#include "object/stream_reader.h"

int kin__call_cancelled(kin_error *err)
{
    return kin_error_set(err, KIN_ECANCELED, "the request was cancelled");
}

static bool is_cancelled(const kin__call_answer *answer)
{
    return atomic_load(answer->cancelled);
}

/* --- callbacks --- */

/* Whoever has cancelled is told of nothing more, even if it is there already. */
static int deliver_item(const kin_object *object, void *arg, kin_error *err)
{
    kin__call_answer *answer = arg;
    int code = 0;

    answer->delivered = true;
    if (!is_cancelled(answer))
        code = answer->handlers.item(object, answer->handlers.arg, err);
    return code == 0 && is_cancelled(answer) ? kin__call_cancelled(err) : code;
}

/* An error event ends the watch: it says why, not what has happened to an object. */
static int deliver_event(enum kin_watch_type type, const kin_object *object, void *arg,
                         kin_error *err)
{
    kin__call_answer *answer = arg;
    int code;

    answer->delivered = true;
    if (is_cancelled(answer))
        return kin__call_cancelled(err);
    if (type == KIN_WATCH_ERROR) {
        code = kin__status_error(object, err);
        if (code == 0)
            code = kin_error_set(err, KIN_EPROTOCOL, "an error event that tells of no error");
        answer->status = kin_object_ref(object);
    } else {
        if (answer->is_initial && type == KIN_WATCH_BOOKMARK)
            answer->is_initial = !kin__bookmark_ends_list(object);
        code = answer->handlers.event(type, object, answer->handlers.arg, err);
    }
    return code == 0 && is_cancelled(answer) ? kin__call_cancelled(err) : code;
}

static int deliver_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                       kin_error *err)
{
    kin__call_answer *answer = arg;
    int code = 0;

    answer->delivered = true;
    if (!is_cancelled(answer))
        code = answer->handlers.bad(type, key, why, answer->handlers.arg, err);
    return code == 0 && is_cancelled(answer) ? kin__call_cancelled(err) : code;
}

/* --- life --- */

static int make_decoder(kin__call_answer *answer, const kin_decode_options *options, kin_error *err)
{
    switch (answer->kind) {
    case KIN__ANSWER_OBJECT:
        return kin_decoder_new(&answer->decoder, options, err);
    case KIN__ANSWER_LIST:
        return kin_list_decoder_new(&answer->list, options, deliver_item, answer, NULL, err);
    case KIN__ANSWER_WATCH:
        return kin_watch_decoder_new(&answer->watch, options, deliver_event, answer, NULL, err);
    case KIN__ANSWER_TEXT:
        break;
    }
    return 0;
}

static size_t limit_of(const kin_decode_options *options)
{
    return options && options->max_bytes ? options->max_bytes : KIN_DECODE_MAX_BYTES;
}

int kin__call_answer_init(kin__call_answer *answer, const kin__call_spec *spec,
                          const atomic_bool *cancelled, kin_error *err)
{
    int code;

    *answer = (kin__call_answer){
        .verb = spec->verb,
        .kind = spec->kind,
        .limit = limit_of(spec->decode),
        .list_limit = UINT64_MAX,
        .listed = spec->listed,
        .is_streaming_list = spec->is_streaming_list,
        .is_initial = spec->is_streaming_list,
        .handlers = spec->handlers ? *spec->handlers : (kin_call_handlers)KIN_CALL_HANDLERS_INIT,
        .cancelled = cancelled,
    };
    /* Objects may be secrets. */
    kin__buf_init_secret(&answer->bytes, answer->limit);
    code = make_decoder(answer, spec->decode, err);
    if (code == 0 && answer->handlers.bad && answer->list)
        kin_list_decoder_on_bad(answer->list, deliver_bad, NULL);
    if (code == 0 && answer->handlers.bad && answer->watch)
        kin_watch_decoder_on_bad(answer->watch, deliver_bad, NULL);
    return code;
}

void kin__call_answer_done(kin__call_answer *answer)
{
    kin_decoder_free(answer->decoder);
    kin_list_decoder_free(answer->list);
    kin_watch_decoder_free(answer->watch);
    kin__buf_done(&answer->bytes);
    kin_object_unref(answer->object);
    kin_object_unref(answer->status);
}

void kin__call_answer_reset(kin__call_answer *answer)
{
    kin__buf_reset(&answer->bytes);
    if (answer->list)
        kin_list_decoder_reset(answer->list, NULL);
    if (answer->watch)
        kin_watch_decoder_reset(answer->watch, NULL);
    kin_object_unref(answer->status);
    answer->status = NULL;
    answer->is_failure = false;
    answer->encoding = KIN_ENCODING_DEFAULT;
    answer->needs_json = false;
    answer->stood = false;
    answer->taken = 0;
    answer->is_initial = answer->is_streaming_list;
}

void kin__call_answer_read_ahead(kin__call_answer *answer, kin__workers *workers)
{
    if (kin__workers_max(workers) < 2)
        return;
    if (answer->list)
        (void)kin__list_decoder_read_ahead(answer->list, workers, NULL);
    if (answer->watch)
        (void)kin__watch_decoder_read_ahead(answer->watch, workers, NULL);
}

/* --- as it comes --- */

static bool is_success(const kin__answer *head)
{
    return head->status >= 200 && head->status < 300;
}

static int tell_begun(kin__call_answer *answer, kin_error *err)
{
    int code = is_cancelled(answer) ? 0 : answer->handlers.begun(answer->handlers.arg, err);

    return code < 0 ? code : 0;
}

/* A watch of protobuf has a parameter, which the media type here is without. */
static kin_encoding encoding_of(const char *type)
{
    if (strcmp(type, "application/json") == 0)
        return KIN_ENCODING_JSON;
    return strcmp(type, KIN__PROTOBUF) == 0 ? KIN_ENCODING_PROTOBUF : KIN_ENCODING_DEFAULT;
}

static void set_protobuf(kin__call_answer *answer, bool is_protobuf)
{
    if (answer->list)
        kin__list_decoder_set_protobuf(answer->list, is_protobuf);
    if (answer->watch)
        kin__watch_decoder_set_protobuf(answer->watch, is_protobuf);
}

int kin__call_answer_head(kin__call_answer *answer, const kin__answer *head, kin_error *err)
{
    const char *type = head->content_type;

    answer->is_failure = !is_success(head);
    /* The limit of what is asked for says nothing of what is said instead. */
    answer->bytes.limit = answer->is_failure ? KIN__STATUS_MAX_BYTES : answer->limit;
    answer->encoding = encoding_of(type);
    if (answer->is_failure)
        return 0;
    if (answer->kind != KIN__ANSWER_TEXT && answer->encoding == KIN_ENCODING_DEFAULT)
        return kin_error_set(err, KIN_EPROTOCOL, "the server answered with %s instead of JSON",
                             type[0] ? type : "something");
    set_protobuf(answer, answer->encoding == KIN_ENCODING_PROTOBUF);
    answer->stood = true;
    return answer->watch && answer->handlers.begun ? tell_begun(answer, err) : 0;
}

/* How many more bytes a list or streaming list may have. */
static uint64_t room_of(const kin__call_answer *answer)
{
    uint64_t room = answer->list_limit;

    room -= answer->listed < room ? answer->listed : room;
    return room - (answer->taken < room ? answer->taken : room);
}

static int too_long(const kin__call_answer *answer, const char *what, kin_error *err)
{
    return kin_error_set(err, KIN_ELIMIT,
                         "the %s has more than %" PRIu64
                         " bytes; the client's max_list_bytes is the limit",
                         what, answer->list_limit);
}

static int take_list(kin__call_answer *answer, kin_str bytes, kin_error *err)
{
    if (bytes.len > room_of(answer))
        return too_long(answer, "list", err);
    answer->taken += bytes.len;
    int code = kin_list_decoder_feed(answer->list, bytes, err);

    answer->needs_json = code < 0 && kin__list_decoder_needs_json(answer->list);
    return code;
}

static int feed_watch(kin__call_answer *answer, kin_str bytes, kin_error *err)
{
    answer->taken += bytes.len;
    int code = kin_watch_decoder_feed(answer->watch, bytes, err);

    answer->needs_json = code < 0 && kin__watch_decoder_needs_json(answer->watch);
    return code;
}

/* The end of a streaming list may be within the bytes: the part that still fits decides. */
static int take_watch(kin__call_answer *answer, kin_str bytes, kin_error *err)
{
    uint64_t room = answer->is_initial ? room_of(answer) : UINT64_MAX;
    int code;

    if (bytes.len <= room)
        return feed_watch(answer, bytes, err);
    code = feed_watch(answer, kin_str_make(bytes.data, (size_t)room), err);
    if (code != 0)
        return code;
    if (answer->is_initial)
        return too_long(answer, "streaming list", err);
    return feed_watch(answer, kin_str_make(bytes.data + room, bytes.len - (size_t)room), err);
}

int kin__call_answer_take(kin__call_answer *answer, kin_str bytes, kin_error *err)
{
    if (!answer->is_failure && answer->list)
        return take_list(answer, bytes, err);
    if (!answer->is_failure && answer->watch)
        return take_watch(answer, bytes, err);
    answer->taken += bytes.len;
    if (answer->is_failure) {
        size_t room = KIN__STATUS_MAX_BYTES - answer->bytes.len;

        kin__buf_append(&answer->bytes, bytes.len > room ? kin_str_make(bytes.data, room) : bytes);
        return answer->bytes.failed == KIN_ENOMEM ? kin__error_no_memory(err) : 0;
    }
    kin__buf_append(&answer->bytes, bytes);
    if (answer->bytes.failed == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (answer->bytes.failed < 0)
        return kin_error_set(err, KIN_ELIMIT, "the answer has more than %zu bytes",
                             answer->bytes.limit);
    return 0;
}

void kin__call_answer_rest(kin__call_answer *answer)
{
    if (answer->watch)
        kin__watch_decoder_rest(answer->watch);
}

bool kin__call_answer_has_enough(const kin__call_answer *answer)
{
    return answer->is_failure && answer->bytes.len == KIN__STATUS_MAX_BYTES;
}

/* --- when it is whole --- */

/* A Status that tells of a failure, whatever the HTTP status was, is what the call fails with. */
static int look_at_status(kin__call_answer *answer, kin_error *why)
{
    int code = kin__status_error(answer->object, why);

    if (code < 0) {
        answer->status = answer->object;
        answer->object = NULL;
    }
    return code;
}

static bool is_kind_of_list(kin_str kind)
{
    return kind.len >= 4 && memcmp(kind.data + kind.len - 4, "List", 4) == 0;
}

static bool has_items(const kin_object *object)
{
    return kin_value_type(kin_object_find(object, "items")) == KIN_ARRAY;
}

/*
 * An empty list means that there is nothing. So what is no list must not pass for one: a proxy's
 * greeting, or an object, which has a name where a list has none.
 */
static int finish_list(kin__call_answer *answer, kin_error *why)
{
    kin_scratch scratch;
    kin_str kind;
    int code = kin_list_decoder_finish(answer->list, &answer->object, why);

    answer->needs_json = code < 0 && kin__list_decoder_needs_json(answer->list);
    if (code < 0)
        return code;
    if (kin_object_is_status(answer->object)) {
        code = look_at_status(answer, why);
        return code < 0 ? code
                        : kin_error_set(why, KIN_EPROTOCOL, "a Status came instead of a list");
    }
    kind = kin_object_kind(answer->object, &scratch);
    if (kind.len == 0)
        return kin_error_set(why, KIN_EPROTOCOL, "what came instead of a list has no kind");
    if (!is_kind_of_list(kind) && kin_object_name(answer->object).len > 0)
        return kin_error_set(why, KIN_EPROTOCOL, "a %" KIN_STR_FMT " came instead of a list",
                             KIN_STR_ARG(kind));
    return 0;
}

/* A body that is cut off must not pass for an object without fields, nor for a kind that is not known. */
static int finish_protobuf(kin__call_answer *answer, kin_error *why)
{
    kin_str body = kin__buf_str(&answer->bytes);

    if (kin__protobuf_is_cut_off(body))
        return kin__error_parse(why, answer->taken, "the answer ended inside the object");
    return kin__decoder_decode_envelope(answer->decoder, &answer->object, body, &answer->needs_json,
                                        why);
}

static int finish_object(kin__call_answer *answer, kin_error *why)
{
    bool may_be_list = answer->verb == KIN_VERB_DELETE_COLLECTION;
    kin_scratch scratch;
    int code;

    if (answer->bytes.len == 0)
        return kin_error_set(why, KIN_EPROTOCOL, "the server answered with nothing");
    code = answer->encoding == KIN_ENCODING_PROTOBUF
               ? finish_protobuf(answer, why)
               : kin_decoder_decode(answer->decoder, &answer->object, kin__buf_str(&answer->bytes),
                                    why);
    if (code == 0 && kin_object_is_status(answer->object))
        code = look_at_status(answer, why);
    else if (code == 0 && !may_be_list && has_items(answer->object) &&
             is_kind_of_list(kin_object_kind(answer->object, &scratch)))
        code = kin_error_set(why, KIN_EPROTOCOL, "a list came instead of an object");
    return code;
}

/* All bytes of a success are there. */
static int finish(kin__call_answer *answer, kin_error *why)
{
    if (answer->decoder)
        return finish_object(answer, why);
    if (answer->list)
        return finish_list(answer, why);
    return answer->watch ? kin_watch_decoder_finish(answer->watch, why) : 0;
}

/* Whether it begins with a character of which the rest is missing. */
static bool is_half_a_character(kin_str text)
{
    unsigned char first = text.len ? (unsigned char)text.data[0] : 0;
    size_t len = 1;

    if (first >= 0xc0)
        len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    return text.len < len;
}

/*
 * Whether nothing is wrong with what came but that more should have come. What is wrong before the end
 * may be found only here, too, if an object of a list that was cut into pieces seems to go on there.
 */
static bool is_cut_off(const kin__call_answer *answer, int code, const kin_error *why)
{
    if (answer->decoder && answer->bytes.len == 0)
        return true;
    if (code != KIN_EPARSE)
        return false;
    return why->offset == answer->taken ||
           (answer->decoder && why->offset < answer->bytes.len &&
            is_half_a_character(kin_str_make(answer->bytes.data + why->offset,
                                             answer->bytes.len - (size_t)why->offset)));
}

static int ended_early(const kin__call_answer *answer, bool is_delimited, int code, bool *ret_lost,
                       kin_error *why)
{
    if (!is_delimited) {
        *ret_lost = true;
        return kin_error_set(why, KIN_ECONNECT, "the connection was lost within the answer");
    }
    /* The server says that this is all. */
    return answer->decoder ? code : kin_error_set(why, KIN_EPROTOCOL, "the answer ended too early");
}

int kin__call_answer_finish(kin__call_answer *answer, bool *ret_lost, const kin__answer *head,
                            const char *method, kin_error *err)
{
    int code;

    *ret_lost = false;
    if (answer->is_failure) {
        kin__failure failure = {head->status, method, head->retry_after_ms,
                                kin__buf_str(&answer->bytes),
                                answer->encoding == KIN_ENCODING_PROTOBUF};

        return kin__failure_read(&answer->status, &failure, err);
    }
    code = finish(answer, err);
    if (code < 0 && is_cut_off(answer, code, err))
        code = ended_early(answer, head->is_delimited, code, ret_lost, err);
    return code;
}
