/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From HTTP status and body to a code.
 *
 * A reason that Kubernetes defines decides; without one, the HTTP status. A body that is no Status
 * (of a proxy, of a server that is not Kubernetes) is told to people, up to a length, and a Status
 * is made that says so: callers see one kind of failure.
 */
#include "client/status.h"

#include <inttypes.h>
#include <limits.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "object/json.h"

/* --- reading a Status --- */

static kin_str text_of(kin_value map, const char *key, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};

    kin_value_string(&text, kin_value_get(map, kin_str_of(key)), scratch);
    return text;
}

static kin_value details_of(const kin_object *status)
{
    return kin_value_get(kin_object_root(status), kin_str_of("details"));
}

bool kin_object_is_status(const kin_object *object)
{
    kin_scratch scratch;

    return object && kin_str_equal(kin_object_kind(object, &scratch), kin_str_of("Status")) &&
           kin_str_equal(kin_object_api_version(object, &scratch), kin_str_of("v1"));
}

kin_str kin_status_reason(const kin_object *status, kin_scratch *scratch)
{
    return text_of(kin_object_root(status), "reason", scratch);
}

kin_str kin_status_message(const kin_object *status, kin_scratch *scratch)
{
    return text_of(kin_object_root(status), "message", scratch);
}

int kin_status_code(const kin_object *status)
{
    int64_t code = 0;

    kin_value_int64(&code, kin_value_get(kin_object_root(status), kin_str_of("code")));
    return code >= 0 && code <= INT_MAX ? (int)code : 0;
}

kin_str kin_status_details_kind(const kin_object *status, kin_scratch *scratch)
{
    return text_of(details_of(status), "kind", scratch);
}

kin_str kin_status_details_group(const kin_object *status, kin_scratch *scratch)
{
    return text_of(details_of(status), "group", scratch);
}

kin_str kin_status_details_name(const kin_object *status, kin_scratch *scratch)
{
    return text_of(details_of(status), "name", scratch);
}

int kin_status_cause(kin_cause *ret, const kin_object *status, size_t index)
{
    if (!ret || !status)
        return KIN_EINVAL;

    kin_value cause = kin_value_at(kin_value_get(details_of(status), kin_str_of("causes")), index);
    if (kin_value_type(cause) != KIN_MAP)
        return KIN_ENOTFOUND;
    ret->reason = text_of(cause, "reason", &ret->scratch[0]);
    ret->message = text_of(cause, "message", &ret->scratch[1]);
    ret->field = text_of(cause, "field", &ret->scratch[2]);
    return 0;
}

int64_t kin_status_retry_after_ms(const kin_object *status)
{
    int64_t seconds = 0;

    kin_value_int64(&seconds, kin_value_get(details_of(status), kin_str_of("retryAfterSeconds")));
    /* 0 is what servers write that have nothing to say. */
    if (seconds <= 0)
        return -1;
    return seconds <= INT64_MAX / 1000 ? seconds * 1000 : INT64_MAX;
}

/* --- codes --- */

static const struct {
    const char *reason;
    int code;
} reasons[] = {
    {"AlreadyExists", KIN_EEXISTS},
    {"BadRequest", KIN_EREFUSED},
    {"Conflict", KIN_ECONFLICT},
    {"Expired", KIN_EEXPIRED},
    {"Forbidden", KIN_EDENIED},
    {"Gone", KIN_EEXPIRED},
    {"InternalError", KIN_ESERVER},
    {"Invalid", KIN_EREFUSED},
    {"MethodNotAllowed", KIN_EREFUSED},
    {"NotAcceptable", KIN_EREFUSED},
    {"NotFound", KIN_ENOTFOUND},
    {"RequestEntityTooLarge", KIN_EREFUSED},
    {"ServerTimeout", KIN_ESERVER},
    {"ServiceUnavailable", KIN_ESERVER},
    {"StorageReadError", KIN_ESERVER},
    {"Timeout", KIN_ESERVER},
    {"TooManyRequests", KIN_ESERVER},
    {"Unauthorized", KIN_EDENIED},
    {"UnsupportedMediaType", KIN_EREFUSED},
};

/* What an HTTP status alone says: a code, Kubernetes' reason, and a text for people. */
struct meaning {
    int http_status;
    int code;
    const char *reason;
    const char *text;
};

static const struct meaning meanings[] = {
    {400, KIN_EREFUSED, "BadRequest", "it does not understand the request"},
    {401, KIN_EDENIED, "Unauthorized", "it does not know who we are"},
    {403, KIN_EDENIED, "Forbidden", "we are not allowed to do that"},
    {404, KIN_ENOTFOUND, "NotFound", "there is no such thing"},
    {405, KIN_EREFUSED, "MethodNotAllowed", "that cannot be done with this resource"},
    {406, KIN_EREFUSED, "NotAcceptable", "it cannot answer in the formats asked for"},
    {409, KIN_ECONFLICT, "Conflict", "somebody else has changed it"},
    {410, KIN_EEXPIRED, "Gone", "the version is too old"},
    {413, KIN_EREFUSED, "RequestEntityTooLarge", "the request is too large"},
    {415, KIN_EREFUSED, "UnsupportedMediaType", "it does not take this content type"},
    {422, KIN_EREFUSED, "Invalid", "the object is not valid"},
    {429, KIN_ESERVER, "TooManyRequests", "it has too many requests"},
    {500, KIN_ESERVER, "InternalError", "it failed"},
    {503, KIN_ESERVER, "ServiceUnavailable", "it cannot serve requests now"},
    {504, KIN_ESERVER, "Timeout", "it did not finish in time, and may still be at it"},
};

static struct meaning meaning_of(int http_status, const char *method)
{
    static const struct meaning exists = {409, KIN_EEXISTS, "AlreadyExists", "it exists already"};

    if (http_status == 409 && method && strcmp(method, "POST") == 0)
        return exists;
    for (size_t i = 0; i < kin__array_len(meanings); i++) {
        if (meanings[i].http_status == http_status)
            return meanings[i];
    }
    if (http_status >= 400 && http_status < 500)
        return (struct meaning){http_status, KIN_EREFUSED, "", "it refuses the request"};
    if (http_status >= 500)
        return (struct meaning){http_status, KIN_ESERVER, "InternalError", "it failed"};
    return (struct meaning){http_status, KIN_EPROTOCOL, "", "that is no answer to the request"};
}

static int code_of(kin_str reason, int http_status, const char *method)
{
    for (size_t i = 0; i < kin__array_len(reasons); i++) {
        if (kin_str_equal(reason, kin_str_of(reasons[i].reason)))
            return reasons[i].code;
    }
    return meaning_of(http_status, method).code;
}

/* What kin_error_set() leaves empty. */
static void add_details(kin_error *err, int http_status, kin_str reason, int64_t retry_after_ms)
{
    /* The caller's may be NULL, or not set up; then nothing was written either. */
    if (!err || err->size < offsetof(kin_error, message) + sizeof(err->message))
        return;
    size_t len = reason.len < sizeof(err->reason) ? reason.len : sizeof(err->reason) - 1;

    err->http_status = http_status;
    err->retry_after_ms = retry_after_ms > 0 ? retry_after_ms : 0;
    if (len < reason.len)
        len = kin__utf8_cut(reason.data, len);
    if (len)
        memcpy(err->reason, reason.data, len);
    err->reason[len] = '\0';
}

static int report(const kin_object *status, int http_status, const char *method,
                  int64_t retry_after_ms, kin_error *err)
{
    kin_scratch scratches[2];
    kin_str reason = kin_status_reason(status, &scratches[0]);
    kin_str message = kin_status_message(status, &scratches[1]);
    int64_t own = kin_status_retry_after_ms(status);
    int code = code_of(reason, http_status, method);

    if (message.len > 0)
        kin_error_set(err, code, "%" KIN_STR_FMT, KIN_STR_ARG(message));
    else
        kin_error_set(err, code, "the server answered %d: %s", http_status,
                      meaning_of(http_status, method).text);
    add_details(err, http_status, reason, own > retry_after_ms ? own : retry_after_ms);
    return code;
}

static bool says(const kin_object *status, const char *outcome)
{
    kin_scratch scratch;

    return kin_str_equal(text_of(kin_object_root(status), "status", &scratch), kin_str_of(outcome));
}

int kin__status_error(const kin_object *status, kin_error *err)
{
    if (says(status, "Success"))
        return 0;
    return report(status, kin_status_code(status), NULL, -1, err);
}

int kin_status_to_error(const kin_object *status, kin_error *err)
{
    if (!kin_object_is_status(status))
        return status ? kin_error_set(err, KIN_EINVAL, "the object is not a Status")
                      : kin__error_null(err, "status");
    return kin__status_error(status, err);
}

/* --- bodies that are no Status --- */

/* The beginning of a body as one line for people: no control characters, and UTF-8. */
static void append_text(kin__buf *buf, kin_str body)
{
    size_t at = 0;

    body = kin__str_trim(body);
    while (at < body.len) {
        size_t len = kin__utf8_char_len(body.data + at, body.len - at);
        unsigned char c = (unsigned char)body.data[at];
        bool plain = len > 0 && c >= 0x20 && c != 0x7f;

        if (buf->len + (plain ? len : 1) > KIN__STATUS_MAX_TEXT)
            return;
        if (plain)
            kin__buf_append(buf, kin_str_make(body.data + at, len));
        else
            kin__buf_append_char(buf, len > 0 ? ' ' : '?');
        at += len > 0 ? len : 1;
    }
}

static void append_status(kin__buf *buf, const kin__failure *failure, const kin__buf *message,
                          const kin__buf *text)
{
    struct meaning meaning = meaning_of(failure->http_status, failure->method);
    const char *separator = "";

    kin__buf_append(buf, kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                    "\"status\":\"Failure\",\"message\":"));
    kin__json_write_string(buf, kin__buf_str(message));
    if (meaning.reason[0])
        kin__buf_appendf(buf, ",\"reason\":\"%s\"", meaning.reason);
    kin__buf_append(buf, kin_str_of(",\"details\":{"));
    if (text->len > 0) {
        kin__buf_append(
            buf, kin_str_of("\"causes\":[{\"reason\":\"UnexpectedServerResponse\",\"message\":"));
        kin__json_write_string(buf, kin__buf_str(text));
        kin__buf_append(buf, kin_str_of("}]"));
        separator = ",";
    }
    if (failure->retry_after_ms > 0)
        kin__buf_appendf(buf, "%s\"retryAfterSeconds\":%" PRId64, separator,
                         (failure->retry_after_ms - 1) / 1000 + 1);
    kin__buf_appendf(buf, "},\"code\":%d}", failure->http_status);
}

/* A Status of what is known. */
static int make_status(const kin_object **ret, const kin__failure *failure, kin_error *err)
{
    kin__buf text;
    kin__buf message;
    kin__buf json;
    int code;

    kin__buf_init(&text, KIN__STATUS_MAX_TEXT);
    kin__buf_init(&message, SIZE_MAX - 1);
    kin__buf_init(&json, SIZE_MAX - 1);
    append_text(&text, failure->is_protobuf ? kin_str_of("") : failure->body);
    kin__buf_appendf(&message, "the server answered %d: %s", failure->http_status,
                     meaning_of(failure->http_status, failure->method).text);
    if (text.len > 0) {
        kin__buf_append(&message, kin_str_of(": "));
        kin__buf_append(&message, kin__buf_str(&text));
    }
    append_status(&json, failure, &message, &text);
    if (text.failed || message.failed || json.failed)
        code = kin__error_no_memory(err);
    else
        code = kin_object_from_json(ret, kin__buf_str(&json), NULL, err);
    kin__buf_done(&text);
    kin__buf_done(&message);
    kin__buf_done(&json);
    return code;
}

static int read_envelope(const kin_object **ret, kin_str body, kin_error *err)
{
    kin_decoder *decoder = NULL;
    bool ignored;
    int code = kin_decoder_new(&decoder, NULL, err);

    if (code < 0)
        return code;
    /* A failure that says more than we know is still one. */
    kin__decoder_skip_unknown(decoder);
    code = kin__decoder_decode_envelope(decoder, ret, body, &ignored, err);
    kin_decoder_free(decoder);
    return code;
}

/* The body as a Status that tells of a failure; *ret NULL if it is none. */
static int read_status(const kin_object **ret, const kin__failure *failure, kin_error *err)
{
    kin_error ignored = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    kin_str body = failure->body;
    kin_str trimmed = kin__str_trim(body);
    int code;

    *ret = NULL;
    if (body.len > KIN__STATUS_MAX_BYTES)
        return 0;
    if (failure->is_protobuf)
        code = read_envelope(&object, body, &ignored);
    else if (trimmed.len > 0 && trimmed.data[0] == '{')
        code = kin_object_from_json(&object, body, NULL, &ignored);
    else
        return 0;
    if (code == KIN_ENOMEM || code == KIN_ESYSTEM)
        return kin__error_pass(err, code, &ignored);
    if (code == 0 && kin_object_is_status(object) && !says(object, "Success"))
        *ret = object;
    else
        kin_object_unref(object);
    return 0;
}

int kin__failure_read(const kin_object **ret_status, const kin__failure *failure, kin_error *err)
{
    const kin_object *status = NULL;
    int code = read_status(&status, failure, err);

    if (code == 0 && !status)
        code = make_status(&status, failure, err);
    if (code < 0)
        return code;
    code = report(status, failure->http_status, failure->method, failure->retry_after_ms, err);
    if (ret_status)
        *ret_status = status;
    else
        kin_object_unref(status);
    return code;
}

/* --- warnings --- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* A quoted string at the beginning of *rest, without its quotes and backslashes. */
static bool take_quoted(kin_str *rest, kin__buf *text)
{
    size_t at = 1;

    if (rest->len == 0 || rest->data[0] != '"')
        return false;
    while (at < rest->len && rest->data[at] != '"') {
        if (rest->data[at] == '\\')
            at++;
        if (at >= rest->len || is_control(rest->data[at]))
            return false;
        kin__buf_append_char(text, rest->data[at++]);
    }
    if (at >= rest->len)
        return false;
    *rest = kin__str_trim(kin_str_make(rest->data + at + 1, rest->len - at - 1));
    return true;
}

/* The optional date, and the comma before what follows. */
static bool take_rest(kin_str *rest)
{
    if (rest->len > 0 && rest->data[0] == '"') {
        size_t end = kin__str_find(kin_str_make(rest->data + 1, rest->len - 1), '"');

        if (end == rest->len - 1)
            return false;
        *rest = kin__str_trim(kin_str_make(rest->data + end + 2, rest->len - end - 2));
    }
    if (rest->len == 0)
        return true;
    if (rest->data[0] != ',')
        return false;
    *rest = kin__str_trim(kin_str_make(rest->data + 1, rest->len - 1));
    return true;
}

static bool take_word(kin_str *rest, kin_str *ret)
{
    size_t end = kin__str_find(*rest, ' ');

    if (end == 0 || end == rest->len)
        return false;
    *ret = kin_str_make(rest->data, end);
    *rest = kin_str_make(rest->data + end + 1, rest->len - end - 1);
    return true;
}

static bool take_warning(kin_str *rest, int *ret_code, kin__buf *text)
{
    uint64_t number = 0;
    kin_str code;
    kin_str agent;

    *rest = kin__str_trim(*rest);
    if (!take_word(rest, &code) || code.len != 3 || kin__str_to_u64(&number, code) < 0)
        return false;
    if (!take_word(rest, &agent) || !take_quoted(rest, text) || !take_rest(rest))
        return false;
    if (!text->failed && !kin__utf8_check(text->data, text->len))
        return false;
    *ret_code = (int)number;
    return true;
}

bool kin__warning_next(kin_str *rest, int *ret_code, kin__buf *text)
{
    kin__buf_reset(text);
    if (take_warning(rest, ret_code, text))
        return true;
    *rest = kin_str_make(NULL, 0);
    return false;
}
