/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of a kind differ in their apiVersion only, events in their two groups aside: so an
 * object is written as it is stored, but for what it says it is.
 */
#include "apiserver/protocol/encode.h"

#include "apiserver/protocol/encode_protobuf.h"
#include "apiserver/protocol/event_conversion.h"
#include "apiserver/protocol/indent.h"
#include "base/str.h"
#include "kinform/memory.h"
#include "kinform/metadata.h"
#include "object/json.h"
#include "object/yaml.h"

bool kin__encoding_equal(const kin__encoding *a, const kin__encoding *b)
{
    return a->version == b->version && a->form == b->form && a->form_version == b->form_version &&
           a->is_protobuf == b->is_protobuf;
}

void kin__encode_api_version(kin__buf *out, const kin__kind *kind, const char *version)
{
    if (kind->group[0])
        kin__buf_appendf(out, "%s/", kind->group);
    kin__buf_append(out, kin_str_of(version));
}

/* "kind" and "apiVersion", without the brace. */
static void write_type(kin__buf *out, const kin__encoding *e, const char *suffix)
{
    if (e->form == KIN__FORM_METADATA) {
        kin__buf_appendf(out,
                         "\"kind\":\"PartialObjectMetadata%s\",\"apiVersion\":\"meta.k8s.io/%s\"",
                         suffix, e->form_version == KIN__FORM_V1 ? "v1" : "v1beta1");
        return;
    }
    kin__buf_appendf(out, "\"kind\":\"%s\",\"apiVersion\":\"",
                     suffix[0] ? e->kind->list_kind : e->kind->kind);
    kin__encode_api_version(out, e->kind, e->version->name);
    kin__buf_append_char(out, '"');
}

static bool is_type(kin_str key)
{
    return kin_str_equal(key, kin_str_of("kind")) || kin_str_equal(key, kin_str_of("apiVersion"));
}

static void write_members(kin__buf *out, const kin__encoding *e, const kin_object *object,
                          bool is_first)
{
    kin_iter it;

    for (kin_iter_init(&it, kin_object_root(object)); kin_iter_next(&it);) {
        if (is_type(it.key))
            continue;
        if (e->form == KIN__FORM_METADATA && !kin_str_equal(it.key, kin_str_of("metadata")))
            continue;
        if (!is_first)
            kin__buf_append_char(out, ',');
        is_first = false;
        kin__json_write_string(out, it.key);
        kin__buf_append_char(out, ':');
        kin__json_write(out, it.value, KIN_JSON_COMPACT);
    }
}

void kin__encode_object(kin__buf *out, const kin__encoding *encoding, const kin_object *object,
                        bool is_item)
{
    const kin_object *converted = NULL;
    bool is_typed = !is_item || encoding->kind->custom || encoding->form == KIN__FORM_METADATA;

    if (encoding->kind->conversion == KIN__CONVERSION_EVENTS) {
        int code = kin__event_convert(&converted, object, KIN__EVENT_EVENTS, NULL);

        if (code < 0) {
            out->failed = code;
            return;
        }
        object = converted;
    }
    kin__buf_append_char(out, '{');
    if (is_typed)
        write_type(out, encoding, "");
    write_members(out, encoding, object, !is_typed);
    kin__buf_append_char(out, '}');
    kin_object_unref(converted);
}

void kin__encode_list_head(kin__buf *out, const kin__encoding *encoding, uint64_t version,
                           kin_str continue_token, uint64_t remaining)
{
    kin__buf_append_char(out, '{');
    write_type(out, encoding, "List");
    kin__buf_appendf(out, ",\"metadata\":{\"resourceVersion\":\"%llu\"",
                     (unsigned long long)version);
    if (continue_token.len > 0) {
        kin__buf_append(out, kin_str_of(",\"continue\":\""));
        kin__buf_append(out, continue_token);
        kin__buf_append_char(out, '"');
    }
    if (remaining > 0)
        kin__buf_appendf(out, ",\"remainingItemCount\":%llu", (unsigned long long)remaining);
    kin__buf_append_char(out, '}');
}

const char *kin__encode_no_items(const kin__encoding *encoding)
{
    /* The real server's list of metadata is a Go slice that nobody has made. */
    return encoding->form == KIN__FORM_METADATA ? "null" : "[]";
}

static void write_bookmark(kin__buf *out, const kin__encoding *encoding, uint64_t version,
                           bool is_end_of_initial_events)
{
    kin__buf_append_char(out, '{');
    write_type(out, encoding, "");
    kin__buf_appendf(
        out, ",\"metadata\":{\"resourceVersion\":\"%llu\"%s}}", (unsigned long long)version,
        is_end_of_initial_events ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}"
                                 : "");
}

void kin__encode_bookmark(kin__buf *out, const kin__encoding *encoding, uint64_t version,
                          bool is_end_of_initial_events)
{
    kin__buf json;
    int code;

    if (!encoding->is_protobuf) {
        write_bookmark(out, encoding, version, is_end_of_initial_events);
        return;
    }
    kin__buf_init(&json, KIN__TEXT_MAX);
    write_bookmark(&json, encoding, version, is_end_of_initial_events);
    code = json.failed;
    if (code == 0)
        code = kin__encode_protobuf_json(out, kin__buf_str(&json), NULL);
    if (code < 0)
        out->failed = code;
    kin__buf_done(&json);
}

/* Behind a "- ": what begins a line stands two columns to the right. Empty lines stay empty. */
static void append_item(kin__buf *out, kin_str yaml)
{
    kin_str line;
    bool is_first = true;

    while (yaml.len > 0 && kin__str_cut(&yaml, '\n', &line)) {
        if (line.len > 0)
            kin__buf_append(out, kin_str_of(is_first ? "- " : "  "));
        kin__buf_append(out, line);
        kin__buf_append_char(out, '\n');
        is_first = false;
    }
}

void kin__encode_yaml(kin__buf *out, kin_str json, bool is_item)
{
    const kin_object *object = NULL;
    kin__buf yaml;

    kin__buf_init(&yaml, json.len + kin__indent_max(json.len));
    int code = kin_object_from_json(&object, json, NULL, NULL);
    if (code == 0)
        code = kin__yaml_append(&yaml, kin_object_root(object));
    if (code == KIN_ELIMIT && object) {
        /* Deep and full of tiny values. JSON is YAML, too. */
        kin__buf_reset(&yaml);
        kin__buf_append(&yaml, json);
        kin__buf_append_char(&yaml, '\n');
        code = yaml.failed;
    }
    if (code < 0)
        out->failed = code;
    else if (is_item)
        append_item(out, kin__buf_str(&yaml));
    else
        kin__buf_append(out, kin__buf_str(&yaml));
    kin_object_unref(object);
    kin__buf_done(&yaml);
}
