/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading YAML.
 *
 * Two passes per document, because an alias may need again what came long before it:
 *
 * 1. libyaml's events become a flat array of nodes in document order, like a draft's
 *    (yaml_nodes.c).
 * 2. The nodes are walked, aliases followed and merge keys replaced by the members they stand for,
 *    and the draft is filled. References point backwards, so the walk ends, and it does no more
 *    work than the first pass has counted and allowed.
 *
 * Nothing recurses. libyaml's parser keeps its own stacks, which cannot grow beyond our depth
 * limit and what it reads ahead (a line of 1,024 characters). Two things in it take more than
 * linear time. %TAG directives are counted beforehand, and deep flow collections as they are read.
 */
#include "kinform/yaml.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/limits.h"
#include "object/make.h"
#include "object/yaml_reader.h"

#define DEFAULT_ALIAS_VALUES 400000u
#define TAG_DIRECTIVES_MAX 64u
/* --- the second pass: the draft --- */

/* Go through a map or array, behind what is being gone through. */
static int push_step(kin_yaml_reader *r, uint32_t at, uint32_t depth, bool is_merged,
                     kin_error *err)
{
    struct kin__yaml_step *step = kin__stack_push(&r->steps);
    const struct kin__yaml_node *node = &r->nodes[at];

    if (!step)
        return kin__error_no_memory(err);
    *step = (struct kin__yaml_step){at + 1, kin__yaml_after(r, at), depth,
                                    node->type == KIN__YAML_NODE_MAP, is_merged};
    return 0;
}

static int fail_depth(const kin_yaml_reader *r, uint32_t at, kin_error *err)
{
    return kin__yaml_fail(r, KIN_ELIMIT, r->nodes[at].mark, err,
                          "nested deeper than %u, aliases and merge keys included",
                          r->options.max_depth);
}

static int put_number(kin_yaml_reader *r, kin_str text, kin_error *err)
{
    int64_t value;

    if (kin__str_to_i64(&value, text) == 0 && (value != 0 || text.len == 1))
        return kin__draft_integer(r->draft, value, err);
    return kin__draft_number(r->draft, text, err);
}

static int put_value(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    const struct kin__yaml_node *node = &r->nodes[at];
    int code;

    switch (node->type) {
    case KIN__YAML_NODE_NULL:
        return kin__draft_null(r->draft, err);
    case KIN__YAML_NODE_FALSE:
    case KIN__YAML_NODE_TRUE:
        return kin__draft_bool(r->draft, node->type == KIN__YAML_NODE_TRUE, err);
    case KIN__YAML_NODE_NUMBER:
        return put_number(r, node->text, err);
    case KIN__YAML_NODE_STRING:
        return kin__draft_string(r->draft, node->text, err);
    case KIN__YAML_NODE_VALUE:
        return kin__draft_value(r->draft, r->make->arguments[node->target].value, err);
    default:
        break;
    }
    if (depth > r->options.max_depth)
        return fail_depth(r, at, err);
    uint32_t from = node->type == KIN__YAML_NODE_ALIAS ? node->target : at;
    if (r->nodes[from].type == KIN__YAML_NODE_MAP)
        code = kin__draft_begin_map(r->draft, err);
    else
        code = kin__draft_begin_array(r->draft, err);
    return code ? code : push_step(r, from, depth, false, err);
}

/* Go through the members of one map that is merged into the innermost open one. */
static int put_merged_map(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    uint32_t from = r->nodes[at].type == KIN__YAML_NODE_ALIAS ? r->nodes[at].target : at;

    if (r->nodes[from].type != KIN__YAML_NODE_MAP)
        return kin__yaml_fail(r, KIN_EPARSE, r->nodes[at].mark, err,
                              "only maps and sequences of maps can be merged");
    if (depth > r->options.max_depth)
        return fail_depth(r, at, err);
    return push_step(r, from, depth, true, err);
}

static int put_merge(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    int code = 0;

    if (r->nodes[at].type != KIN__YAML_NODE_ARRAY)
        return put_merged_map(r, at, depth, err);
    /* What is pushed last is gone through first: the first map of a sequence has the last word. */
    uint32_t end = kin__yaml_after(r, at);
    for (uint32_t item = at + 1; item < end && !code; item = kin__yaml_after(r, item))
        code = put_merged_map(r, item, depth, err);
    return code;
}

/* Whether a member or item is left out: its value is KIN_NONE, from an argument of a template. */
static bool is_absent(const kin_yaml_reader *r, uint32_t at)
{
    const struct kin__yaml_node *node = &r->nodes[at];

    return node->type == KIN__YAML_NODE_VALUE &&
           kin_value_type(r->make->arguments[node->target].value) == KIN_NONE;
}

/* One member, item or end. */
static int walk_on(kin_yaml_reader *r, kin_error *err)
{
    struct kin__yaml_step *top = kin__stack_top(&r->steps);
    uint32_t at = top->next;
    uint32_t depth = top->depth + 1;

    if (at == top->end) {
        kin__stack_pop(&r->steps);
        return top->is_merged ? 0 : kin__draft_end(r->draft, err);
    }
    if (!top->is_map) {
        top->next = kin__yaml_after(r, at);
        return is_absent(r, at) ? 0 : put_value(r, at, depth, err);
    }
    top->next = kin__yaml_after(r, at + 1);
    if (r->nodes[at].type == KIN__YAML_NODE_MERGE)
        return put_merge(r, at + 1, depth, err);
    if (is_absent(r, at + 1))
        return 0;
    int code = kin__draft_key(r->draft, r->nodes[at].text, err);
    return code ? code : put_value(r, at + 1, depth, err);
}

/* A value and all below it. `depth` counts the maps and arrays around it, and itself. */
static int walk_all(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    int code = put_value(r, at, depth, err);

    while (!code && r->steps.len > 0)
        code = walk_on(r, err);
    r->steps.len = 0;
    return code;
}

static int make_object(kin_yaml_reader *r, const kin_object **ret, kin_error *err)
{
    int code = walk_all(r, 0, 1, err);

    return code ? code : kin__draft_finish(r->draft, ret, err);
}

int kin__yaml_put_value(kin_yaml_reader *r, kin__draft *into, uint32_t at, kin_error *err)
{
    kin__draft *own = r->draft; /* whose arena has the texts */

    r->draft = into;
    int code = walk_all(r, at, into->depth + 1, err);
    r->draft = own;
    return code;
}

/* --- the public face --- */

/* libyaml compares each %TAG directive with all before it: a text full of them takes hours. */
static bool has_too_many_tags(kin_str text)
{
    static const char directive[] = "%TAG";
    const char *end = text.data + text.len;
    unsigned count = 0;

    for (const char *at = text.data; at < end && count <= TAG_DIRECTIVES_MAX; at++) {
        at = memchr(at, '%', (size_t)(end - at));
        if (!at || (size_t)(end - at) < sizeof(directive) - 1)
            break;
        /* At the beginning of a line; the last bytes of YAML's line ends, in UTF-8. */
        bool begins = at == text.data || (at[-1] != '\0' && strchr("\n\r\x85\xa8\xa9", at[-1]));
        count += begins && memcmp(at, directive, sizeof(directive) - 1) == 0;
    }
    return count > TAG_DIRECTIVES_MAX;
}

static int take_options(kin_yaml_options *ret, const kin_yaml_options *options, kin_error *err)
{
    kin_yaml_options taken = KIN_YAML_OPTIONS_INIT;

    if (options && options->size < sizeof(options->size))
        return kin_error_set(err, KIN_EINVAL, "the size of the options is not set");
    if (options)
        memcpy(&taken, options, options->size < sizeof(taken) ? options->size : sizeof(taken));
    if (taken.max_bytes > KIN_DECODE_MAX_BYTES_LIMIT)
        return kin_error_set(err, KIN_EINVAL, "max_bytes beyond %d", KIN_DECODE_MAX_BYTES_LIMIT);
    if (taken.max_depth > KIN_DEPTH_MAX)
        return kin_error_set(err, KIN_EINVAL, "max_depth beyond %d", KIN_DEPTH_MAX);
    if (taken.max_bytes == 0)
        taken.max_bytes = KIN_DECODE_MAX_BYTES;
    if (taken.max_depth == 0)
        taken.max_depth = KIN_DEPTH_MAX;
    if (taken.max_alias_values == 0)
        taken.max_alias_values = DEFAULT_ALIAS_VALUES;
    *ret = taken;
    return 0;
}

static int check_text(kin_str text, const kin_yaml_options *options, kin_error *err)
{
    if (text.len > options->max_bytes)
        return kin__error_input(err, KIN_ELIMIT, options->max_bytes,
                                "YAML of %zu bytes, more than %zu", text.len, options->max_bytes);
    if (text.len > 0 && has_too_many_tags(text))
        return kin_error_set(err, KIN_ELIMIT, "more than %u %%TAG directives", TAG_DIRECTIVES_MAX);
    return 0;
}

static void set_text(kin_yaml_reader *r, kin_str text)
{
    if (kin__str_starts_with(text, kin_str_of("\xef\xbb\xbf"))) {
        r->skipped = 3;
        text.data += 3;
        text.len -= 3;
    }
    r->text = text.len ? text : kin_str_of("");
    r->source = r->text;
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.data, r->text.len);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
}

static int init_draft(kin_yaml_reader *r, kin_error *err)
{
    kin__draft *draft = kin__malloc(sizeof(*draft));

    if (!draft)
        return kin__error_no_memory(err);
    int code = kin__draft_init(draft, r->options.max_depth, err);
    if (code) {
        kin__free(draft);
        return code;
    }
    r->draft = draft;
    return 0;
}

int kin_yaml_reader_new(kin_yaml_reader **ret, kin_str text, const kin_yaml_options *options,
                        kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_yaml_options taken = KIN_YAML_OPTIONS_INIT;
    int code = take_options(&taken, options, err);

    if (!code)
        code = check_text(text, &taken, err);
    if (code)
        return code;
    kin_yaml_reader *r = kin__calloc(1, sizeof(*r));
    if (!r) {
        kin__error_no_memory(err);
        return KIN_ENOMEM;
    }
    r->options = taken;
    kin__map_init(&r->anchors, kin__hash_seed());
    kin__stack_init(&r->steps, sizeof(struct kin__yaml_step));
    code = init_draft(r, err);
    if (!code && !yaml_parser_initialize(&r->parser))
        code = kin__error_no_memory(err);
    if (code) {
        kin_yaml_reader_free(r);
        return code;
    }
    set_text(r, text);
    *ret = r;
    return 0;
}

/* What libyaml holds of the text: its buffers, and tokens that nobody asked for any more. */
static void wipe(kin_yaml_reader *r)
{
    yaml_parser_t *p = &r->parser;

    explicit_bzero(p->raw_buffer.start, (size_t)(p->raw_buffer.end - p->raw_buffer.start));
    explicit_bzero(p->buffer.start, (size_t)(p->buffer.end - p->buffer.start));
    for (yaml_token_t *token = p->tokens.head; token != p->tokens.tail; token++) {
        if (token->type == YAML_SCALAR_TOKEN)
            explicit_bzero(token->data.scalar.value, token->data.scalar.length);
    }
    kin__draft_wipe(r->draft);
}

void kin_yaml_reader_free(kin_yaml_reader *reader)
{
    if (!reader)
        return;
    if (reader->is_secret)
        wipe(reader);
    kin__yaml_free_anchors(reader);
    kin__map_done(&reader->anchors);
    yaml_parser_delete(&reader->parser); /* one that is all zeros is nothing to it */
    if (reader->draft)
        kin__draft_done(reader->draft);
    kin__free(reader->draft);
    kin__free(reader->nodes);
    kin__stack_done(&reader->steps);
    kin__free(reader->keys);
    kin__free(reader);
}

int kin_yaml_reader_next(kin_yaml_reader *reader, const kin_object **ret, kin_error *err)
{
    const kin_object *object = NULL;

    if (!reader || !ret)
        return kin__error_null(err, !reader ? "reader" : "ret");
    if (reader->has_failed)
        return kin_error_set(err, KIN_ECLOSED, "the text could not be read up to here");
    int code = reader->is_done ? 0 : kin__yaml_read_nodes(reader, err);
    if (!code && !reader->is_done)
        code = make_object(reader, &object, err);
    reader->has_failed = code != 0;
    if (!code)
        *ret = object;
    return code;
}

/* Nothing but empty documents may follow. */
static int check_end(kin_yaml_reader *r, kin_error *err)
{
    int code = kin__yaml_read_nodes(r, err);

    if (!code && !r->is_done)
        code = kin__yaml_fail(r, KIN_EPARSE, r->nodes[0].mark, err, "a second document");
    return code;
}

static int fail_empty(kin_error *err)
{
    return kin__error_parse(err, 0, "line 1, column 1: no document");
}

int kin__yaml_read_object(kin_yaml_reader *r, const kin_object **ret, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin_yaml_reader_next(r, &object, err);

    if (code)
        return code;
    if (!object)
        return fail_empty(err);
    code = check_end(r, err);
    if (code)
        kin_object_unref(object);
    else
        *ret = object;
    return code;
}

/* A document whose only member is the one that was read: it need not be a map. */
static int make_holder(kin_yaml_reader *r, const kin_object **ret, kin_error *err)
{
    r->draft->depth_max = KIN__FRAMES_MAX;
    int code = kin__draft_begin_map(r->draft, err);
    if (!code)
        code = kin__draft_key(r->draft, kin_str_of("value"), err);
    if (!code)
        code = walk_all(r, 0, 1, err);
    if (!code)
        code = kin__draft_end(r->draft, err);
    return code ? code : kin__draft_finish(r->draft, ret, err);
}

int kin__yaml_read_value(kin_yaml_reader *r, const kin_object **ret_holder, kin_value *ret,
                         kin_error *err)
{
    const kin_object *holder = NULL;
    int code = kin__yaml_read_document(r, err);

    if (!code && r->is_done)
        code = fail_empty(err);
    if (!code && is_absent(r, 0))
        code = kin_error_set(err, KIN_EINVAL, "nothing to set: the value is KIN_NONE");
    if (!code)
        code = make_holder(r, &holder, err);
    if (!code)
        code = check_end(r, err);
    if (code) {
        kin_object_unref(holder);
        return code;
    }
    *ret_holder = holder;
    *ret = kin_value_get(kin_object_root(holder), kin_str_of("value"));
    return 0;
}

int kin_object_from_yaml(const kin_object **ret, kin_str text, const kin_yaml_options *options,
                         kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    kin_yaml_reader *reader = NULL;
    int code = kin_yaml_reader_new(&reader, text, options, err);

    if (code)
        return code;
    code = kin__yaml_read_object(reader, ret, err);
    kin_yaml_reader_free(reader);
    return code;
}
