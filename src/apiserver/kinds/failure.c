/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures. Everything is put into the caller's struct, so that a failure for want of memory can be
 * told, too; only writing it takes memory.
 *
 * A failure of 422 has a message that is made of its causes. It is made anew with each cause: there
 * are few, and nobody has to remember to finish it.
 */
#include "apiserver/kinds/failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/locale.h"
#include "base/str.h"
#include "base/utf8.h"
#include "kinform/json.h"
#include "object/json.h"

void kin__failure_init(kin__failure *failure)
{
    failure->status = 0;
    failure->reason = "";
    failure->message[0] = '\0';
    failure->name[0] = '\0';
    failure->group[0] = '\0';
    failure->kind[0] = '\0';
    failure->uid[0] = '\0';
    failure->continue_token[0] = '\0';
    failure->has_details = false;
    failure->retry_after_s = 0;
    failure->n_causes = 0;
}

static void begin(kin__failure *failure, int status, const char *reason)
{
    kin__failure_init(failure);
    failure->status = status;
    failure->reason = reason;
}

static void copy(char *to, size_t size, kin_str from)
{
    kin__cutline line;

    kin__cutline_init(&line, to, size);
    kin__cutline_append(&line, from);
}

static void format(kin__cutline *line, const char *fmt, va_list ap) KIN_PRINTF(2, 0);
static void format(kin__cutline *line, const char *fmt, va_list ap)
{
    char text[4096];
    kin__locale_scope scope;

    kin__c_locale_begin(&scope);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    kin__c_locale_end(&scope);
    if (n <= 0)
        return;
    size_t len = (size_t)n < sizeof(text) ? (size_t)n : kin__utf8_cut(text, sizeof(text) - 1);
    kin__cutline_append(line, kin_str_make(text, len));
}

static kin__cutline message_of(kin__failure *failure)
{
    kin__cutline line;

    kin__cutline_init(&line, failure->message, sizeof(failure->message));
    return line;
}

/* What the failure is about, as details have it: a resource, not a kind. */
static void set_details(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    copy(failure->name, sizeof(failure->name), name);
    copy(failure->group, sizeof(failure->group), kin_str_of(kind->group));
    copy(failure->kind, sizeof(failure->kind), kin_str_of(kind->resource));
    failure->has_details = true;
}

bool kin__fail(kin__failure *failure, int status, const char *reason, const char *fmt, ...)
{
    va_list ap;

    begin(failure, status, reason);
    kin__cutline line = message_of(failure);
    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

bool kin__fail_bad_request(kin__failure *failure, const char *fmt, ...)
{
    va_list ap;

    begin(failure, 400, "BadRequest");
    kin__cutline line = message_of(failure);
    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

bool kin__fail_expired(kin__failure *failure, const char *fmt, ...)
{
    va_list ap;

    begin(failure, 410, "Expired");
    kin__cutline line = message_of(failure);
    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

/* --- about an object --- */

static bool fail_object(kin__failure *failure, int status, const char *reason,
                        const kin__kind *kind, kin_str name, const char *what)
{
    begin(failure, status, reason);
    set_details(failure, kind, name);
    kin__cutline line = message_of(failure);
    kin__cutline_append_resource(&line, kind);
    kin__cutline_append(&line, kin_str_of(" "));
    kin__cutline_append_quoted(&line, name);
    kin__cutline_append(&line, kin_str_of(what));
    return false;
}

bool kin__fail_not_found(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    return fail_object(failure, 404, "NotFound", kind, name, " not found");
}

bool kin__fail_already_exists(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    return fail_object(failure, 409, "AlreadyExists", kind, name, " already exists");
}

bool kin__fail_generated_name_exists(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    fail_object(failure, 409, "AlreadyExists", kind, name,
                " already exists, the server was not able to generate a unique name for the "
                "object");
    failure->retry_after_s = 1;
    return false;
}

/* "deployments.apps", or "Deployment.apps" of a kind. */
static void append_qualified(kin__cutline *line, const char *name, const char *group)
{
    kin__cutline_append(line, kin_str_of(name));
    if (group[0])
        kin__cutline_appendf(line, ".%s", group);
}

static kin__cutline begin_conflict(kin__failure *failure, const char *what, const char *group,
                                   kin_str name)
{
    begin(failure, 409, "Conflict");
    copy(failure->name, sizeof(failure->name), name);
    copy(failure->group, sizeof(failure->group), kin_str_of(group));
    copy(failure->kind, sizeof(failure->kind), kin_str_of(what));
    failure->has_details = true;
    kin__cutline line = message_of(failure);
    kin__cutline_append(&line, kin_str_of("Operation cannot be fulfilled on "));
    append_qualified(&line, what, group);
    kin__cutline_append(&line, kin_str_of(" "));
    kin__cutline_append_quoted(&line, name);
    kin__cutline_append(&line, kin_str_of(": "));
    return line;
}

bool kin__fail_precondition(kin__failure *failure, const kin__kind *kind, kin_str name,
                            const char *fmt, ...)
{
    kin__cutline line = begin_conflict(failure, kind->kind, kind->group, name);
    va_list ap;

    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

bool kin__fail_no_version(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    kin__fail_invalid_kind(failure, kind->group, kind->resource, name);
    kin__fail_add_cause(failure, "FieldValueInvalid", kin_str_of("metadata.resourceVersion"),
                        "Invalid value: 0: must be specified for an update");
    return false;
}

bool kin__fail_conflict(kin__failure *failure, const kin__kind *kind, kin_str name, const char *fmt,
                        ...)
{
    kin__cutline line = begin_conflict(failure, kind->resource, kind->group, name);
    va_list ap;

    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

bool kin__fail_forbidden(kin__failure *failure, const kin__kind *kind, kin_str name,
                         const char *fmt, ...)
{
    va_list ap;

    begin(failure, 403, "Forbidden");
    set_details(failure, kind, name);
    kin__cutline line = message_of(failure);
    kin__cutline_append_resource(&line, kind);
    if (name.len > 0) {
        kin__cutline_append(&line, kin_str_of(" "));
        kin__cutline_append_quoted(&line, name);
    }
    kin__cutline_append(&line, kin_str_of(" is forbidden: "));
    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    return false;
}

/* --- about a request --- */

bool kin__fail_no_path(kin__failure *failure)
{
    kin__fail(failure, 404, "NotFound", "the server could not find the requested resource");
    failure->has_details = true;
    return false;
}

bool kin__fail_no_method(kin__failure *failure)
{
    kin__fail(failure, 405, "MethodNotAllowed",
              "the server does not allow this method on the requested resource");
    failure->has_details = true;
    return false;
}

bool kin__fail_not_supported(kin__failure *failure, const kin__kind *kind, const char *action)
{
    char resource[512];
    kin__cutline line;

    kin__cutline_init(&line, resource, sizeof(resource));
    kin__cutline_append_resource(&line, kind);
    kin__fail(failure, 405, "MethodNotAllowed", "%s is not supported on resources of kind \"%s\"",
              action, resource);
    set_details(failure, kind, kin_str_of(""));
    return false;
}

bool kin__fail_internal(kin__failure *failure, const kin_error *err)
{
    kin__fail(failure, 500, "InternalError", "Internal error occurred: %s", err->message);
    failure->has_details = true;
    failure->n_causes = 1;
    failure->causes[0].reason = NULL;
    failure->causes[0].field[0] = '\0';
    copy(failure->causes[0].message, sizeof(failure->causes[0].message), kin_str_of(err->message));
    return false;
}

bool kin__fail_no_memory(kin__failure *failure)
{
    kin_error err = KIN_ERROR_INIT;

    kin_error_set(&err, KIN_ENOMEM, "%s", kin_error_string(KIN_ENOMEM));
    return kin__fail_internal(failure, &err);
}

/* --- causes --- */

void kin__fail_invalid_kind(kin__failure *failure, const char *group, const char *kind,
                            kin_str name)
{
    begin(failure, 422, "Invalid");
    copy(failure->name, sizeof(failure->name), name);
    copy(failure->group, sizeof(failure->group), kin_str_of(group));
    copy(failure->kind, sizeof(failure->kind), kin_str_of(kind));
    failure->has_details = true;
}

void kin__fail_invalid(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    kin__fail_invalid_kind(failure, kind->group, kind->kind, name);
}

bool kin__fail_if_causes(kin__failure *failure)
{
    if (failure->n_causes > 0)
        return false;
    kin__failure_init(failure);
    return true;
}

static bool is_repeated(const kin__failure *failure, unsigned n)
{
    const kin__cause *cause = &failure->causes[n];

    for (unsigned i = 0; i < n; i++)
        if (strcmp(failure->causes[i].field, cause->field) == 0 &&
            strcmp(failure->causes[i].message, cause->message) == 0)
            return true;
    return false;
}

/* `Pod "x" is invalid: [spec.a: …, spec.b: …]`: each cause once. */
static void make_message(kin__failure *failure)
{
    unsigned n_different = 0;
    unsigned n_written = 0;
    kin__cutline line = message_of(failure);

    for (unsigned i = 0; i < failure->n_causes; i++)
        n_different += !is_repeated(failure, i);
    append_qualified(&line, failure->kind, failure->group);
    kin__cutline_append(&line, kin_str_of(" "));
    kin__cutline_append_quoted(&line, kin_str_of(failure->name));
    kin__cutline_append(&line, kin_str_of(n_different > 1 ? " is invalid: [" : " is invalid: "));
    for (unsigned i = 0; i < failure->n_causes; i++) {
        if (is_repeated(failure, i))
            continue;
        if (n_written++ > 0)
            kin__cutline_append(&line, kin_str_of(", "));
        kin__cutline_append(&line, kin_str_of(failure->causes[i].field));
        kin__cutline_append(&line, kin_str_of(": "));
        kin__cutline_append(&line, kin_str_of(failure->causes[i].message));
    }
    if (n_different > 1)
        kin__cutline_append(&line, kin_str_of("]"));
}

/* The next cause, without a message; NULL if there are enough. */
static kin__cause *next_cause(kin__failure *failure, const char *reason, kin_str field,
                              kin__cutline *ret_message)
{
    if (failure->n_causes == KIN__CAUSES_MAX)
        return NULL;
    kin__cause *cause = &failure->causes[failure->n_causes++];
    cause->reason = reason;
    copy(cause->field, sizeof(cause->field), field);
    kin__cutline_init(ret_message, cause->message, sizeof(cause->message));
    return cause;
}

void kin__fail_add_cause(kin__failure *failure, const char *reason, kin_str field, const char *fmt,
                         ...)
{
    va_list ap;
    kin__cutline line;

    if (!next_cause(failure, reason, field, &line))
        return;
    va_start(ap, fmt);
    format(&line, fmt, ap);
    va_end(ap);
    make_message(failure);
}

/* "Invalid value: "x": detail". A value that would leave no room for the detail is cut. */
static void append_value(kin__cutline *line, const char *what, kin_str value, const char *detail)
{
    size_t reserved = (detail ? strlen(detail) : 0) + 8;
    size_t size = line->size;

    kin__cutline_appendf(line, "%s: ", what);
    if (line->len + reserved < size)
        line->size = size - reserved;
    kin__cutline_append_quoted(line, value);
    line->size = size;
    if (line->data[line->len - 1] != '"')
        kin__cutline_append(line, kin_str_of("\""));
}

static void append_detail(kin__cutline *line, const char *detail)
{
    if (detail && *detail)
        kin__cutline_appendf(line, ": %s", detail);
}

void kin__cause_invalid(kin__failure *failure, kin_str field, kin_str value, const char *detail)
{
    kin__cutline line;

    if (!next_cause(failure, "FieldValueInvalid", field, &line))
        return;
    append_value(&line, "Invalid value", value, detail);
    append_detail(&line, detail);
    make_message(failure);
}

void kin__cause_invalid_value(kin__failure *failure, kin_str field, kin_value value,
                              const char *detail)
{
    kin__cutline line;
    kin__buf text;

    if (!next_cause(failure, "FieldValueInvalid", field, &line))
        return;
    kin__buf_init(&text, 1 << 20);
    if (kin_value_type(value) == KIN_NONE)
        kin__buf_append(&text, kin_str_of("null"));
    else
        kin__json_write(&text, value, KIN_JSON_COMPACT);
    size_t room = sizeof(failure->causes[0].message) - 64 - strlen(detail);
    size_t len = text.len > room ? kin__utf8_cut(text.data, room) : text.len;
    kin__cutline_append(&line, kin_str_of("Invalid value: "));
    kin__cutline_append(&line, kin_str_make(text.data, len));
    kin__buf_done(&text);
    append_detail(&line, detail);
    make_message(failure);
}

static void plain_cause(kin__failure *failure, const char *reason, kin_str field, const char *what,
                        const char *detail)
{
    kin__cutline line;

    if (!next_cause(failure, reason, field, &line))
        return;
    kin__cutline_append(&line, kin_str_of(what));
    append_detail(&line, detail);
    make_message(failure);
}

void kin__cause_required(kin__failure *failure, kin_str field, const char *detail)
{
    plain_cause(failure, "FieldValueRequired", field, "Required value", detail);
}

void kin__cause_forbidden(kin__failure *failure, kin_str field, const char *detail)
{
    plain_cause(failure, "FieldValueForbidden", field, "Forbidden", detail);
}

void kin__cause_duplicate(kin__failure *failure, kin_str field, kin_str value)
{
    kin__cutline line;

    if (!next_cause(failure, "FieldValueDuplicate", field, &line))
        return;
    append_value(&line, "Duplicate value", value, NULL);
    make_message(failure);
}

void kin__cause_too_long(kin__failure *failure, kin_str field, size_t max)
{
    char detail[64];

    snprintf(detail, sizeof(detail), "may not be more than %zu bytes", max);
    plain_cause(failure, "FieldValueTooLong", field, "Too long", detail);
}

void kin__cause_not_supported(kin__failure *failure, kin_str field, kin_str value,
                              const char *const *supported)
{
    char detail[512];
    kin__cutline words;
    kin__cutline line;

    if (!next_cause(failure, "FieldValueNotSupported", field, &line))
        return;
    kin__cutline_init(&words, detail, sizeof(detail));
    kin__cutline_append(&words, kin_str_of("supported values: "));
    for (size_t i = 0; supported[i]; i++) {
        if (i > 0)
            kin__cutline_append(&words, kin_str_of(", "));
        kin__cutline_append_quoted(&words, kin_str_of(supported[i]));
    }
    append_value(&line, "Unsupported value", value, detail);
    append_detail(&line, detail);
    make_message(failure);
}

/* --- writing --- */

/* Bytes that are no UTF-8, as a request may hold them, become U+FFFD. */
static void write_text(kin__buf *out, kin_str text)
{
    char clean[sizeof(((kin__failure *)NULL)->message) * 3];
    size_t len = 0;

    for (size_t i = 0; i < text.len;) {
        size_t n = kin__utf8_char_len(text.data + i, text.len - i);

        memcpy(clean + len, n ? text.data + i : "\xef\xbf\xbd", n ? n : 3);
        len += n ? n : 3;
        i += n ? n : 1;
    }
    kin__json_write_string(out, kin_str_make(clean, len));
}

/* A member, with a comma before it unless it is the first. What is empty is left out. */
static void write_member(kin__buf *out, bool *is_first, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    kin__buf_appendf(out, "%s\"%s\":", *is_first ? "" : ",", name);
    write_text(out, kin_str_of(text));
    *is_first = false;
}

static void write_causes(const kin__failure *failure, kin__buf *out, bool *is_first)
{
    if (failure->n_causes == 0)
        return;
    kin__buf_appendf(out, "%s\"causes\":[", *is_first ? "" : ",");
    for (unsigned i = 0; i < failure->n_causes; i++) {
        const kin__cause *cause = &failure->causes[i];
        bool is_first_member = true;

        kin__buf_append(out, kin_str_of(i > 0 ? ",{" : "{"));
        write_member(out, &is_first_member, "reason", cause->reason);
        write_member(out, &is_first_member, "message", cause->message);
        write_member(out, &is_first_member, "field", cause->field);
        kin__buf_append_char(out, '}');
    }
    kin__buf_append_char(out, ']');
    *is_first = false;
}

static void write_details(const kin__failure *failure, kin__buf *out)
{
    bool is_first = true;

    kin__buf_append(out, kin_str_of(",\"details\":{"));
    write_member(out, &is_first, "name", failure->name);
    write_member(out, &is_first, "group", failure->group);
    write_member(out, &is_first, "kind", failure->kind);
    write_member(out, &is_first, "uid", failure->uid);
    write_causes(failure, out, &is_first);
    if (failure->retry_after_s > 0)
        kin__buf_appendf(out, "%s\"retryAfterSeconds\":%d", is_first ? "" : ",",
                         failure->retry_after_s);
    kin__buf_append_char(out, '}');
}

void kin__failure_write(const kin__failure *failure, kin__buf *out)
{
    bool is_first = false;

    kin__buf_append(out, kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{"));
    if (failure->continue_token[0])
        kin__buf_appendf(out, "\"continue\":\"%s\"", failure->continue_token);
    kin__buf_append(out, kin_str_of("},\"status\":\"Failure\""));
    write_member(out, &is_first, "message", failure->message);
    write_member(out, &is_first, "reason", failure->reason);
    if (failure->has_details || failure->n_causes > 0 || failure->retry_after_s > 0 ||
        failure->uid[0])
        write_details(failure, out);
    kin__buf_appendf(out, ",\"code\":%d}", failure->status);
}
