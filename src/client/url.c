/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths and queries.
 *
 * A name becomes a segment of a path, and never more: what could be read as another segment, by the
 * server or by something before it that decodes twice, is refused, not encoded. No object can have
 * such a name.
 *
 * Parameters stand in the order of their names, as client-go writes them. Which verb has which ones
 * is in one table. A space is %20: a plus sign means one in forms only.
 */
#include "client/url.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/json.h"

const char *kin__request_method(enum kin_verb verb)
{
    switch (verb) {
    case KIN_VERB_GET:
    case KIN_VERB_LIST:
    case KIN_VERB_WATCH:
        return "GET";
    case KIN_VERB_CREATE:
        return "POST";
    case KIN_VERB_UPDATE:
        return "PUT";
    case KIN_VERB_PATCH:
        return "PATCH";
    case KIN_VERB_DELETE:
    case KIN_VERB_DELETE_COLLECTION:
        return "DELETE";
    }
    return NULL;
}

const char *kin__patch_content_type(enum kin_patch_type type)
{
    switch (type) {
    case KIN_PATCH_MERGE:
        return "application/merge-patch+json";
    case KIN_PATCH_JSON:
        return "application/json-patch+json";
    case KIN_PATCH_STRATEGIC:
        return "application/strategic-merge-patch+json";
    case KIN_PATCH_APPLY:
        return "application/apply-patch+yaml";
    }
    return NULL;
}

/* --- encoding --- */

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void append_encoded(kin__buf *buf, kin_str text, const char *also_plain)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (is_unreserved(c) || (c != '\0' && strchr(also_plain, c))) {
            kin__buf_append_char(buf, c);
        } else {
            const char triple[] = {'%', digits[(unsigned char)c >> 4],
                                   digits[(unsigned char)c & 15]};

            kin__buf_append(buf, kin_str_make(triple, sizeof(triple)));
        }
    }
}

void kin__url_append_segment(kin__buf *buf, kin_str text)
{
    append_encoded(buf, text, "$&+:=@");
}

void kin__url_append_query(kin__buf *buf, kin_str text)
{
    append_encoded(buf, text, "");
}

int kin__url_check_segment(kin_str text, const char *what, kin_error *err)
{
    if (text.len == 0)
        return kin_error_set(err, KIN_EINVAL, "the %s is empty", what);
    if (text.data[0] == '.' && (text.len == 1 || (text.len == 2 && text.data[1] == '.')))
        return kin_error_set(err, KIN_EINVAL, "the %s is \"%" KIN_STR_FMT "\"", what,
                             KIN_STR_ARG(text));
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c == '/' || c == '%' || c < 0x20 || c == 0x7f)
            return kin_error_set(err, KIN_EINVAL, "the %s has byte 0x%02x, which no %s can have",
                                 what, c, what);
    }
    if (!kin__utf8_check(text.data, text.len))
        return kin_error_set(err, KIN_EINVAL, "the %s is not UTF-8", what);
    return 0;
}

/* --- what makes a request --- */

static bool is_set(const char *text)
{
    return text && *text;
}

static bool is_read_of_many(enum kin_verb verb)
{
    return verb == KIN_VERB_LIST || verb == KIN_VERB_WATCH;
}

static bool is_of_many(enum kin_verb verb)
{
    return is_read_of_many(verb) || verb == KIN_VERB_DELETE_COLLECTION;
}

static int check_name(const kin__request *request, kin_error *err)
{
    bool needed = !is_of_many(request->verb) &&
                  (request->verb != KIN_VERB_CREATE || is_set(request->options->subresource));

    if (needed)
        return kin__url_check_segment(kin_str_of(request->name), "name", err);
    if (is_set(request->name))
        return kin_error_set(err, KIN_EINVAL, "a name is given, but the request is not for one");
    return 0;
}

static int check_namespace(const kin__request *request, kin_error *err)
{
    bool given = is_set(request->namespace_);
    const char *resource = kin_resource_name(request->resource);

    if (given && !kin_resource_is_namespaced(request->resource))
        return kin_error_set(err, KIN_EINVAL, "%s are in no namespace, but one is given", resource);
    if (given)
        return kin__url_check_segment(kin_str_of(request->namespace_), "namespace", err);
    if (kin_resource_is_namespaced(request->resource) && !is_read_of_many(request->verb))
        return kin_error_set(err, KIN_EINVAL, "%s are in namespaces, but none is given", resource);
    return 0;
}

static int check_patch(const kin__request *request, kin_error *err)
{
    const kin_request_options *options = request->options;

    if (request->verb != KIN_VERB_PATCH)
        return 0;
    if (!kin__patch_content_type(request->patch_type))
        return kin_error_set(err, KIN_EINVAL, "no patch type %d", (int)request->patch_type);
    if (request->patch_type != KIN_PATCH_APPLY) {
        if (options->force)
            return kin_error_set(err, KIN_EINVAL, "force is for apply only");
        return 0;
    }
    if (!is_set(options->field_manager))
        return kin_error_set(err, KIN_EINVAL, "apply needs a field manager");
    return 0;
}

static int check_watch(const kin__request *request, kin_error *err)
{
    const kin_request_options *options = request->options;

    if (request->verb != KIN_VERB_WATCH)
        return 0;
    if (options->watch_timeout_ms < 0)
        return kin_error_set(err, KIN_EINVAL, "a watch timeout of %" PRId64 " ms",
                             options->watch_timeout_ms);
    if (is_set(options->resource_version_match) && !options->send_initial_events)
        return kin_error_set(err, KIN_EINVAL,
                             "a watch has a resource version match with initial events only");
    return 0;
}

static int check_request(const kin__request *request, kin_error *err)
{
    const kin_request_options *options = request->options;
    int code;

    if (!kin__request_method(request->verb))
        return kin_error_set(err, KIN_EINVAL, "no verb %d", (int)request->verb);
    if (options->limit < 0)
        return kin_error_set(err, KIN_EINVAL, "a limit of %" PRId64, options->limit);
    code = check_namespace(request, err);
    if (code == 0)
        code = check_name(request, err);
    if (code == 0)
        code = check_patch(request, err);
    if (code == 0)
        code = check_watch(request, err);
    if (code == 0 && is_set(options->subresource)) {
        if (is_of_many(request->verb))
            return kin_error_set(err, KIN_EINVAL, "a subresource is of one object");
        code = kin__url_check_segment(kin_str_of(options->subresource), "subresource", err);
    }
    return code;
}

/* --- the target --- */

static void append_part(kin__buf *buf, const char *part)
{
    kin__buf_append_char(buf, '/');
    kin__url_append_segment(buf, kin_str_of(part));
}

static void append_path(kin__buf *buf, const kin__request *request)
{
    const kin_resource *resource = request->resource;

    if (is_set(kin_resource_group(resource))) {
        append_part(buf, "apis");
        append_part(buf, kin_resource_group(resource));
    } else {
        append_part(buf, "api");
    }
    append_part(buf, kin_resource_version(resource));
    if (is_set(request->namespace_)) {
        append_part(buf, "namespaces");
        append_part(buf, request->namespace_);
    }
    append_part(buf, kin_resource_name(resource));
    if (is_set(request->name))
        append_part(buf, request->name);
    if (is_set(request->options->subresource))
        append_part(buf, request->options->subresource);
}

/* A parameter and its value for this request; NULL or "": not sent. */
struct parameter {
    const char *name;
    unsigned verbs; /* bits: whose it is */
    const char *value;
};

#define BIT(verb) (1U << (verb))
#define READS_OF_MANY (BIT(KIN_VERB_LIST) | BIT(KIN_VERB_WATCH))
#define SELECTS (READS_OF_MANY | BIT(KIN_VERB_DELETE_COLLECTION))
#define WRITES (BIT(KIN_VERB_CREATE) | BIT(KIN_VERB_UPDATE) | BIT(KIN_VERB_PATCH))
#define ALL_BUT_WATCH (~BIT(KIN_VERB_WATCH))

/* Values that have to be written first. */
struct numbers {
    char limit[24];
    char timeout[32];
    char timeout_seconds[24];
};

static void write_numbers(struct numbers *ret, const kin__request *request)
{
    const kin_request_options *options = request->options;

    memset(ret, 0, sizeof(*ret));
    if (options->limit > 0)
        snprintf(ret->limit, sizeof(ret->limit), "%" PRId64, options->limit);
    if (request->timeout_ms > 0 && request->timeout_ms % 1000 == 0)
        snprintf(ret->timeout, sizeof(ret->timeout), "%" PRId64 "s", request->timeout_ms / 1000);
    else if (request->timeout_ms > 0)
        snprintf(ret->timeout, sizeof(ret->timeout), "%" PRId64 "ms", request->timeout_ms);
    if (options->watch_timeout_ms > 0)
        snprintf(ret->timeout_seconds, sizeof(ret->timeout_seconds), "%" PRId64,
                 (options->watch_timeout_ms - 1) / 1000 + 1);
}

static const char *flag(bool on)
{
    return on ? "true" : NULL;
}

static const char *match_of(const kin_request_options *options)
{
    if (options->send_initial_events && !is_set(options->resource_version_match))
        return "NotOlderThan";
    return options->resource_version_match;
}

static void append_query(kin__buf *buf, const kin__request *request)
{
    const kin_request_options *options = request->options;
    struct numbers numbers;

    write_numbers(&numbers, request);
    const struct parameter parameters[] = {
        {"allowWatchBookmarks", BIT(KIN_VERB_WATCH),
         flag(options->bookmarks || options->send_initial_events)},
        {"continue", BIT(KIN_VERB_LIST), options->continue_token},
        {"dryRun", WRITES, options->dry_run ? "All" : NULL},
        {"fieldManager", WRITES, options->field_manager},
        {"fieldSelector", SELECTS, options->field_selector},
        {"fieldValidation", WRITES, options->field_validation},
        {"force", BIT(KIN_VERB_PATCH), flag(options->force)},
        {"labelSelector", SELECTS, options->label_selector},
        {"limit", BIT(KIN_VERB_LIST), numbers.limit},
        {"resourceVersion", READS_OF_MANY | BIT(KIN_VERB_GET), options->resource_version},
        {"resourceVersionMatch", READS_OF_MANY, match_of(options)},
        {"sendInitialEvents", BIT(KIN_VERB_WATCH), flag(options->send_initial_events)},
        {"timeout", ALL_BUT_WATCH, numbers.timeout},
        {"timeoutSeconds", BIT(KIN_VERB_WATCH), numbers.timeout_seconds},
        {"watch", BIT(KIN_VERB_WATCH), "true"},
    };
    char separator = '?';

    for (size_t i = 0; i < kin__array_len(parameters); i++) {
        if (!(parameters[i].verbs & BIT(request->verb)) || !is_set(parameters[i].value))
            continue;
        kin__buf_append_char(buf, separator);
        kin__buf_append(buf, kin_str_of(parameters[i].name));
        kin__buf_append_char(buf, '=');
        kin__url_append_query(buf, kin_str_of(parameters[i].value));
        separator = '&';
    }
}

int kin__request_target(char **ret, const kin__request *request, kin_error *err)
{
    kin__buf buf;
    int code = check_request(request, err);

    if (code < 0)
        return code;
    kin__buf_init(&buf, KIN__TARGET_MAX);
    append_path(&buf, request);
    append_query(&buf, request);
    code = kin__buf_take(&buf, ret, NULL);
    kin__buf_done(&buf);
    if (code == KIN_ELIMIT)
        return kin_error_set(err, KIN_ELIMIT, "a request of more than %d bytes", KIN__TARGET_MAX);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* --- deletes --- */

static int check_texts(const kin_request_options *options, kin_error *err)
{
    const char *const texts[] = {options->precondition_uid, options->precondition_version,
                                 options->propagation};

    for (size_t i = 0; i < kin__array_len(texts); i++) {
        if (texts[i] && !kin__utf8_check(texts[i], strlen(texts[i])))
            return kin_error_set(err, KIN_EINVAL, "an option of a delete is not UTF-8");
    }
    if (options->grace_seconds < -1)
        return kin_error_set(err, KIN_EINVAL, "a grace period of %" PRId64 " s",
                             options->grace_seconds);
    return 0;
}

static void append_member(kin__buf *buf, const char *name, const char *text)
{
    if (!is_set(text))
        return;
    if (buf->len > 0 && buf->data[buf->len - 1] != '{')
        kin__buf_append_char(buf, ',');
    kin__buf_appendf(buf, "\"%s\":", name);
    kin__json_write_string(buf, kin_str_of(text));
}

int kin__request_delete_options(char **ret, const kin__request *request, kin_error *err)
{
    const kin_request_options *options = request->options;
    bool conditional = is_set(options->precondition_uid) || is_set(options->precondition_version);
    int code = check_texts(options, err);
    kin__buf buf;

    if (code < 0)
        return code;
    if (!conditional && options->grace_seconds < 0 && !is_set(options->propagation) &&
        !options->dry_run) {
        *ret = NULL;
        return 0;
    }
    /* The texts are the caller's own, and their length the caller's matter. */
    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__buf_append(&buf, kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\""));
    if (options->dry_run)
        kin__buf_append(&buf, kin_str_of(",\"dryRun\":[\"All\"]"));
    if (options->grace_seconds >= 0)
        kin__buf_appendf(&buf, ",\"gracePeriodSeconds\":%" PRId64, options->grace_seconds);
    if (conditional) {
        kin__buf_append(&buf, kin_str_of(",\"preconditions\":{"));
        append_member(&buf, "resourceVersion", options->precondition_version);
        append_member(&buf, "uid", options->precondition_uid);
        kin__buf_append_char(&buf, '}');
    }
    append_member(&buf, "propagationPolicy", options->propagation);
    kin__buf_append_char(&buf, '}');
    code = kin__buf_take(&buf, ret, NULL);
    kin__buf_done(&buf);
    return code < 0 ? kin__error_no_memory(err) : 0;
}
