/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of a YAML document.
 *
 * object/yaml_nodes.c makes nodes of the text, with places, types and limits; here they are walked.
 * An alias is followed where its value is looked at, so that errors tell the place of the alias.
 * Merge keys are walked with a stack: how deep they go is the text's to say. Nodes are not expanded;
 * the walk does no more than the first pass has counted and allowed.
 */
#include "client/yaml_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/yaml.h"
#include "object/yaml_reader.h"

#define BYTES_MAX 8388608u /* 8 MiB */
#define DEPTH_MAX 64u
#define ALIAS_VALUES_MAX 100000u
#define MERGES_MAX 1000u /* maps that are merged into one, and into each other */

/* The rest of a map that is being gone through. */
struct step {
    uint32_t next;
    uint32_t end;
};

/* --- opening and closing --- */

/* The line of a byte, from 1. */
static uint32_t line_of(kin_str text, uint64_t offset)
{
    uint32_t line = 1;

    for (size_t i = 0; i < text.len && i < offset; i++)
        line += text.data[i] == '\n';
    return line;
}

/* What the reader said, with the file in front of the line. */
static int fail_reading(const kin__fields *fields, int code, const kin_error *said, kin_error *err)
{
    const char *message = said->message;

    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (strncmp(message, "line ", 5) == 0 && strstr(message, ": "))
        message = strstr(message, ": ") + 2;
    return kin_error_set(err, code, "%s:%u: %s", fields->file, line_of(fields->text, said->offset),
                         message);
}

int kin__fields_open(kin__fields *fields, const char *file, kin_str text, kin_error *err)
{
    kin_error said = KIN_ERROR_INIT;
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;

    memset(fields, 0, sizeof(*fields));
    fields->file = file;
    fields->text = text;
    kin__stack_init(&fields->steps, sizeof(struct step));
    options.max_bytes = BYTES_MAX;
    options.max_depth = DEPTH_MAX;
    options.max_alias_values = ALIAS_VALUES_MAX;
    options.allow_duplicate_keys = true;
    int code = kin_yaml_reader_new(&fields->reader, text, &options, &said);
    if (!code) {
        fields->reader->is_secret = true;
        code = kin__yaml_read_nodes(fields->reader, &said);
    }
    if (code) {
        fail_reading(fields, code, &said, err);
        kin__fields_close(fields);
        return code;
    }
    fields->is_empty = fields->reader->is_done;
    return 0;
}

void kin__fields_close(kin__fields *fields)
{
    kin_yaml_reader_free(fields->reader);
    fields->reader = NULL;
    kin__stack_done(&fields->steps);
}

/* --- places --- */

size_t kin__fields_enter(kin__fields *fields, const char *fmt, ...)
{
    size_t old = fields->path_len;
    size_t room = sizeof(fields->path) - old;
    va_list ap;

    va_start(ap, fmt);
    int len = vsnprintf(fields->path + old, room, fmt, ap);
    va_end(ap);
    if (len > 0)
        fields->path_len += (size_t)len < room ? (size_t)len : room - 1;
    return old;
}

void kin__fields_leave(kin__fields *fields, size_t path_len)
{
    fields->path_len = path_len;
    fields->path[path_len] = '\0';
}

uint32_t kin__fields_line(const kin__fields *fields, uint32_t at)
{
    return fields->reader->nodes[at].mark.line + 1;
}

int kin__fields_fail(const kin__fields *fields, uint32_t at, int code, kin_error *err,
                     const char *fmt, ...)
{
    char message[256];
    const char *path = fields->path[0] == '.' ? fields->path + 1 : fields->path;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return kin_error_set(err, code, "%s:%u: %s%s%s", fields->file, kin__fields_line(fields, at),
                         path, path[0] ? ": " : "", message);
}

/* --- types --- */

static uint32_t follow(const kin__fields *fields, uint32_t at)
{
    const struct kin__yaml_node *node = &fields->reader->nodes[at];

    return node->type == KIN__YAML_NODE_ALIAS ? node->target : at;
}

static const struct kin__yaml_node *node_of(const kin__fields *fields, uint32_t at)
{
    return &fields->reader->nodes[follow(fields, at)];
}

static const char *type_name(uint8_t type)
{
    switch (type) {
    case KIN__YAML_NODE_FALSE:
    case KIN__YAML_NODE_TRUE:
        return "a boolean";
    case KIN__YAML_NODE_NUMBER:
        return "a number";
    case KIN__YAML_NODE_ARRAY:
        return "a list";
    case KIN__YAML_NODE_MAP:
        return "a map";
    default:
        return "a string";
    }
}

static int fail_type(const kin__fields *fields, uint32_t at, const char *wanted, kin_error *err)
{
    return kin__fields_fail(fields, at, KIN_EPARSE, err, "%s, not %s", wanted,
                            type_name(node_of(fields, at)->type));
}

/* A value's node, or KIN__FIELD_NONE for a null. */
static uint32_t value_or_none(const kin__fields *fields, uint32_t at)
{
    return fields->reader->nodes[at].type == KIN__YAML_NODE_NULL ? KIN__FIELD_NONE : at;
}

/* --- maps --- */

static int push_map(kin__fields *fields, uint32_t at, kin_error *err)
{
    uint32_t map = follow(fields, at);

    if (fields->reader->nodes[map].type != KIN__YAML_NODE_MAP)
        return kin__fields_fail(fields, at, KIN_EPARSE, err,
                                "only maps and lists of maps can be merged");
    if (fields->steps.len >= MERGES_MAX)
        return kin__fields_fail(fields, at, KIN_ELIMIT, err, "merges more than %u maps",
                                MERGES_MAX);
    struct step *step = kin__stack_push(&fields->steps);
    if (!step)
        return kin__error_no_memory(err);
    *step = (struct step){map + 1, kin__yaml_after(fields->reader, map)};
    return 0;
}

/* Go through what is merged next. Of a list the first map is gone through last: it wins. */
static int push_merged(kin__fields *fields, uint32_t at, kin_error *err)
{
    const kin_yaml_reader *r = fields->reader;
    int code = 0;

    if (r->nodes[at].type != KIN__YAML_NODE_ARRAY)
        return push_map(fields, at, err);
    for (uint32_t item = at + 1; item < kin__yaml_after(r, at) && !code;
         item = kin__yaml_after(r, item))
        code = push_map(fields, item, err);
    return code;
}

int kin__fields_members(kin__fields *fields, uint32_t map, kin__fields_member_fn *fn, void *arg,
                        kin_error *err)
{
    const kin_yaml_reader *r = fields->reader;
    size_t bottom = fields->steps.len; /* fn may go through another map */

    if (node_of(fields, map)->type != KIN__YAML_NODE_MAP)
        return fail_type(fields, map, "must be a map", err);
    int code = push_map(fields, map, err);
    while (!code && fields->steps.len > bottom) {
        struct step *top = kin__stack_top(&fields->steps);
        uint32_t key = top->next;

        if (key == top->end) {
            kin__stack_pop(&fields->steps);
            continue;
        }
        top->next = kin__yaml_after(r, key + 1);
        if (r->nodes[key].type == KIN__YAML_NODE_MERGE)
            code = push_merged(fields, key + 1, err);
        else
            code = fn(fields, r->nodes[key].text, value_or_none(fields, key + 1), arg, err);
    }
    fields->steps.len = bottom;
    return code;
}

struct search {
    const char *const *names;
    size_t n;
    uint32_t *found;
};

static int note_member(kin__fields *fields, kin_str key, uint32_t value, void *arg, kin_error *err)
{
    const struct search *search = arg;

    (void)fields;
    (void)err;
    for (size_t i = 0; i < search->n; i++) {
        if (kin_str_equal(key, kin_str_of(search->names[i])))
            search->found[i] = value;
    }
    return 0;
}

int kin__fields_find(kin__fields *fields, uint32_t map, const char *const *names, size_t n,
                     uint32_t *ret, kin_error *err)
{
    struct search search = {names, n, ret};

    memset(ret, 0, n * sizeof(*ret));
    return kin__fields_members(fields, map, note_member, &search, err);
}

/* --- lists --- */

int kin__fields_items(kin__fields *fields, uint32_t list, uint32_t max, kin__fields_item_fn *fn,
                      void *arg, kin_error *err)
{
    const kin_yaml_reader *r = fields->reader;
    uint32_t from = follow(fields, list);
    uint32_t index = 0;
    int code = 0;

    if (r->nodes[from].type != KIN__YAML_NODE_ARRAY)
        return fail_type(fields, list, "must be a list", err);
    for (uint32_t at = from + 1; at < kin__yaml_after(r, from) && !code;
         at = kin__yaml_after(r, at)) {
        size_t path = kin__fields_enter(fields, "[%u]", index);

        if (index == max)
            return kin__fields_fail(fields, at, KIN_ELIMIT, err, "more than %u of them", max);
        code = fn(fields, value_or_none(fields, at), index, arg, err);
        kin__fields_leave(fields, path);
        index++;
    }
    return code;
}

size_t kin__fields_count(const kin__fields *fields, uint32_t list)
{
    const kin_yaml_reader *r = fields->reader;
    uint32_t from = follow(fields, list);
    size_t n = 0;

    if (r->nodes[from].type != KIN__YAML_NODE_ARRAY)
        return 0;
    for (uint32_t at = from + 1; at < kin__yaml_after(r, from); at = kin__yaml_after(r, at))
        n++;
    return n;
}

/* --- values --- */

/* The view of a string; empty for KIN__FIELD_NONE. */
static int view_text(const kin__fields *fields, uint32_t at, kin_str *ret, kin_error *err)
{
    const struct kin__yaml_node *node = node_of(fields, at);

    *ret = kin_str_make("", 0);
    if (at == KIN__FIELD_NONE)
        return 0;
    if (node->type != KIN__YAML_NODE_STRING)
        return fail_type(fields, at, "must be a string", err);
    if (node->text.len && memchr(node->text.data, '\0', node->text.len))
        return kin__fields_fail(fields, at, KIN_EPARSE, err, "holds a zero byte");
    *ret = node->text;
    return 0;
}

int kin__fields_text(kin__fields *fields, uint32_t at, kin__secret *ret, kin_error *err)
{
    kin_str text = {NULL, 0};
    int code = view_text(fields, at, &text, err);

    if (code)
        return code;
    return kin__secret_set(ret, text) ? kin__error_no_memory(err) : 0;
}

int kin__fields_string(kin__fields *fields, uint32_t at, char **ret, kin_error *err)
{
    kin_str text = {NULL, 0};
    int code = view_text(fields, at, &text, err);

    if (code)
        return code;
    char *copy = kin__memdup_str(text);
    if (!copy)
        return kin__error_no_memory(err);
    *ret = copy;
    return 0;
}

int kin__fields_bool(kin__fields *fields, uint32_t at, bool *ret, kin_error *err)
{
    uint8_t type = node_of(fields, at)->type;

    if (at == KIN__FIELD_NONE) {
        *ret = false;
        return 0;
    }
    if (type != KIN__YAML_NODE_TRUE && type != KIN__YAML_NODE_FALSE)
        return fail_type(fields, at, "must be true or false", err);
    *ret = type == KIN__YAML_NODE_TRUE;
    return 0;
}

int kin__fields_data(kin__fields *fields, uint32_t at, kin__secret *ret, kin_error *err)
{
    kin_str text = {NULL, 0};
    kin__secret data = KIN__SECRET_INIT;
    int code = view_text(fields, at, &text, err);

    if (code)
        return code;
    char *bytes = kin__malloc(text.len + 1);
    if (!bytes)
        return kin__error_no_memory(err);
    size_t len = kin__yaml_base64(bytes, text);
    if (len == SIZE_MAX)
        code = kin__fields_fail(fields, at, KIN_EPARSE, err, "is not base64");
    else if (kin__secret_set(&data, kin_str_make(bytes, len)))
        code = kin__error_no_memory(err);
    kin__secret_wipe(bytes, text.len);
    kin__free(bytes);
    if (code)
        return code;
    kin__secret_done(ret);
    *ret = data;
    return 0;
}

/* As the only member of a map, since documents are maps. */
static int put_json(kin__fields *fields, uint32_t at, kin__draft *draft, char **ret, kin_error *err)
{
    const kin_object *object = NULL;
    size_t len = 0;
    int code = kin__draft_begin_map(draft, err);

    if (!code)
        code = kin__draft_key(draft, kin_str_of("value"), err);
    if (!code)
        code = kin__yaml_put_value(fields->reader, draft, at, err);
    if (!code)
        code = kin__draft_end(draft, err);
    if (!code)
        code = kin__draft_finish(draft, &object, err);
    if (code)
        return code;
    kin_value value = kin_value_get(kin_object_root(object), kin_str_of("value"));
    code = kin_value_to_json(ret, &len, value, KIN_JSON_COMPACT, err);
    kin_object_unref(object);
    return code;
}

int kin__fields_json(kin__fields *fields, uint32_t at, char **ret, kin_error *err)
{
    kin_error said = KIN_ERROR_INIT;
    kin__draft *draft = kin__malloc(sizeof(*draft));

    if (!draft)
        return kin__error_no_memory(err);
    int code = kin__draft_init(draft, KIN__DEPTH_MAX, &said);
    if (!code) {
        code = put_json(fields, at, draft, ret, &said);
        kin__draft_done(draft);
    }
    kin__free(draft);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code ? kin__fields_fail(fields, at, code, err, "%s", said.message) : 0;
}
