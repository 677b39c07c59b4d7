/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading YAML.
 *
 * Two passes per document, because an alias may need again what came long before it:
 *
 * 1. libyaml's events become a flat array of nodes in document order, like a draft's. Scalars
 *    are resolved and keys are made strings here, so everything that a text can have wrong, but
 *    for depth through aliases and the operand of a merge key, is found where it stands.
 *    Scalars that an alias names are copied; a map or sequence that it names is only referred to.
 * 2. The nodes are walked, aliases followed and merge keys replaced by the members they stand for,
 *    and the draft is filled.
 *
 * An alias can only name what is complete: one inside what it names is refused, so references
 * point backwards and the walk ends. What a document expands to is counted in the first
 * pass, each anchor with the weight of all below it, so that a bomb is refused before anything is
 * expanded. The second pass then does no more work than the first allowed.
 *
 * Nothing recurses. libyaml's parser keeps its own stacks, which cannot grow beyond our depth limit
 * and what it reads ahead (a line of 1,024 characters). The one thing in it that takes quadratic time
 * is %TAG directives; they are counted beforehand.
 *
 * libyaml counts characters, errors tell bytes: the place is converted when one is reported.
 */
#include "kinform/yaml.h"

#include <stdarg.h>
#include <stdio.h>

#include <yaml.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/draft.h"
#include "object/number.h"
#include "object/yaml.h"

#define DEFAULT_SIZE ((size_t)64 * 1024 * 1024)
#define DEFAULT_ALIAS_VALUES 400000u
#define TAG_DIRECTIVES_MAX 64u
/* Maps of more members are searched for duplicates with a hash table. */
#define SMALL_MAP 8u
/* Of a text from the input, in a message. */
#define QUOTE_MAX 80u

enum node_type {
    NODE_NULL,
    NODE_FALSE,
    NODE_TRUE,
    NODE_NUMBER,
    NODE_STRING,
    NODE_INFINITE, /* only while it may be a key yet */
    NODE_ARRAY,
    NODE_MAP,
    NODE_ALIAS, /* of a map or an array */
    NODE_MERGE, /* the key of a member that is merged */
};

/* A place in the text, all from 0; the index counts characters. */
struct mark {
    uint32_t line;
    uint32_t column;
    uint32_t index;
};

/* In a map keys and values alternate. */
struct node {
    uint8_t type;
    bool is_float; /* NUMBER: as a key it is written as a float */
    struct mark mark;
    uint32_t span;   /* MAP, ARRAY: nodes of the subtree, itself included; others 1 */
    uint32_t target; /* ALIAS: the node it names */
    kin_str text;    /* NUMBER, STRING, INFINITE; in the draft's arena */
};

struct anchor {
    kin__map_node entry;
    struct node scalar; /* what it names, if that is no map or array */
    uint32_t target;    /* the map or array */
    bool is_scalar;
    bool is_open;    /* its end was not seen yet */
    uint64_t values; /* in all, aliases expanded */
    uint64_t bytes;
    char name[];
};

/* A map or array that is being read. */
struct frame {
    uint32_t node;
    uint32_t members;
    bool is_map;
    bool want_key;
    uint64_t values; /* of the document, when it began */
    uint64_t bytes;
    struct anchor *anchor; /* or NULL */
};

/* Part of the second pass: elements of a map or array that are still to be written. */
struct step {
    uint32_t next;
    uint32_t end;
    uint32_t depth;
    bool is_map;
    bool is_merged; /* into a map that is open already */
};

struct kin_yaml_reader {
    yaml_parser_t parser;
    kin_str text;   /* without byte order mark */
    size_t skipped; /* bytes of the byte order mark */
    kin_yaml_options options;
    bool is_done;
    bool has_failed;
    kin__draft *draft;
    struct node *nodes;
    size_t len;
    size_t cap;
    kin__map anchors;
    uint64_t values; /* of the document so far, aliases expanded */
    uint64_t bytes;
    uint64_t alias_values; /* those among them that came from aliases */
    uint64_t alias_bytes;
    struct step *steps;
    size_t steps_len;
    size_t steps_cap;
    kin__map_node *keys; /* scratch of the search for duplicates */
    size_t keys_cap;
    size_t depth; /* of open frames */
    struct frame frames[KIN__DEPTH_MAX];
};

/* ---- errors ---- */

static struct mark mark_of(yaml_mark_t from)
{
    return (struct mark){(uint32_t)from.line, (uint32_t)from.column, (uint32_t)from.index};
}

/* The byte at which a character begins. What libyaml has counted is valid. */
static size_t offset_of(const kin_yaml_reader *r, uint32_t index)
{
    size_t at = 0;

    for (; index > 0 && at < r->text.len; index--) {
        size_t len = kin__utf8_char_len(r->text.data + at, r->text.len - at);

        at += len ? len : 1;
    }
    return r->skipped + at;
}

static int fail(const kin_yaml_reader *r, int code, struct mark mark, kin_error *err,
                const char *fmt, ...) KIN_PRINTF(5, 6);
static int fail(const kin_yaml_reader *r, int code, struct mark mark, kin_error *err,
                const char *fmt, ...)
{
    char message[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    return kin__error_input(err, code, offset_of(r, mark.index), "line %u, column %u: %s",
                            mark.line + 1, mark.column + 1, message);
}

/* As much of a text as goes into a message. */
static kin_str quoted(kin_str text)
{
    size_t len = text.len > QUOTE_MAX ? kin__utf8_cut(text.data, QUOTE_MAX) : text.len;

    return kin_str_make(text.data, len);
}

/* A text that libyaml could not decode: it tells the byte, and we find the line. */
static int fail_decoding(const kin_yaml_reader *r, kin_error *err)
{
    struct mark mark = {0, 0, 0};
    size_t offset = r->parser.problem_offset;

    for (size_t at = 0; at < offset && at < r->text.len; mark.index++) {
        size_t len = kin__utf8_char_len(r->text.data + at, r->text.len - at);

        if (len == 0) /* the byte may be inside of what is malformed */
            break;
        mark.column++;
        if (r->text.data[at] == '\n') {
            mark.line++;
            mark.column = 0;
        }
        at += len;
    }
    return fail(r, KIN_EPARSE, mark, err, "%s", r->parser.problem);
}

static int fail_parsing(const kin_yaml_reader *r, kin_error *err)
{
    const yaml_parser_t *p = &r->parser;

    if (p->error == YAML_MEMORY_ERROR)
        return kin__error_no_memory(err);
    if (p->error == YAML_READER_ERROR)
        return fail_decoding(r, err);
    return fail(r, KIN_EPARSE, mark_of(p->problem_mark), err, "%s%s%s",
                p->context ? p->context : "", p->context ? ", " : "",
                p->problem ? p->problem : "malformed YAML");
}

/* ---- scalars ---- */

/* What the arena holds is valid until the document is made. */
static int keep_text(kin_yaml_reader *r, kin_str *ret, kin_str text, kin_error *err)
{
    char *copy = kin__draft_alloc(r->draft, text.len);

    if (!copy)
        return kin__error_no_memory(err);
    if (text.len)
        memcpy(copy, text.data, text.len);
    *ret = kin_str_make(copy, text.len);
    return 0;
}

static int keep_decimal(kin_yaml_reader *r, kin_str *ret, kin_str text, kin_error *err)
{
    char *copy = kin__draft_alloc(r->draft, text.len + 1);

    if (!copy)
        return kin__error_no_memory(err);
    *ret = kin_str_make(copy, kin__yaml_decimal(copy, text));
    return 0;
}

static int keep_integer(kin_yaml_reader *r, kin_str *ret, kin__yaml_plain plain, kin_error *err)
{
    char digits[32];
    int len = snprintf(digits, sizeof(digits), "%s%llu", plain.negative ? "-" : "",
                       (unsigned long long)plain.magnitude);

    return keep_text(r, ret, kin_str_make(digits, (size_t)len), err);
}

/* A node of what a scalar was resolved to. */
static int set_scalar(kin_yaml_reader *r, struct node *node, kin_str text, kin__yaml_plain plain,
                      kin_error *err)
{
    switch (plain.kind) {
    case KIN__YAML_NULL:
        node->type = NODE_NULL;
        return 0;
    case KIN__YAML_FALSE:
        node->type = NODE_FALSE;
        return 0;
    case KIN__YAML_TRUE:
        node->type = NODE_TRUE;
        return 0;
    case KIN__YAML_INTEGER:
        node->type = NODE_NUMBER;
        node->is_float = !plain.is_whole;
        return keep_integer(r, &node->text, plain, err);
    case KIN__YAML_DECIMAL:
        node->type = NODE_NUMBER;
        node->is_float = !plain.is_whole;
        return keep_decimal(r, &node->text, text, err);
    case KIN__YAML_INFINITE:
        node->type = NODE_INFINITE;
        return keep_text(r, &node->text, text, err);
    case KIN__YAML_STRING:
        break;
    }
    node->type = NODE_STRING;
    return keep_text(r, &node->text, text, err);
}

static bool is_utf8(kin_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t len = kin__utf8_char_len(text.data + at, text.len - at);

        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

static int set_binary(kin_yaml_reader *r, struct node *node, kin_str text, kin_error *err)
{
    char *data = kin__draft_alloc(r->draft, text.len);

    if (!data)
        return kin__error_no_memory(err);
    size_t len = kin__yaml_base64(data, text);
    if (len == SIZE_MAX)
        return fail(r, KIN_EPARSE, node->mark, err, "!!binary is not base64");
    node->type = NODE_STRING;
    node->text = kin_str_make(data, len);
    if (!is_utf8(node->text))
        return fail(r, KIN_EPARSE, node->mark, err, "!!binary holds what is not UTF-8");
    return 0;
}

/* Whether a scalar that has this tag may be resolved to this. */
static bool tag_allows(kin_str tag, kin_str text, kin__yaml_plain plain)
{
    bool number = plain.kind == KIN__YAML_INTEGER || plain.kind == KIN__YAML_DECIMAL;

    if (kin_str_equal(tag, kin_str_of("int")))
        return number && plain.is_whole;
    if (kin_str_equal(tag, kin_str_of("float")))
        return number || plain.kind == KIN__YAML_INFINITE;
    if (kin_str_equal(tag, kin_str_of("bool")))
        return plain.kind == KIN__YAML_TRUE || plain.kind == KIN__YAML_FALSE;
    if (kin_str_equal(tag, kin_str_of("timestamp")))
        return kin__yaml_is_time(text);
    return plain.kind == KIN__YAML_NULL;
}

/* A tag that decides what a scalar may be. */
static bool is_resolvable(kin_str tag)
{
    static const char *const tags[] = {"int", "float", "bool", "null", "timestamp"};

    for (size_t i = 0; i < kin__array_len(tags); i++) {
        if (kin_str_equal(tag, kin_str_of(tags[i])))
            return true;
    }
    return false;
}

static int set_tagged(kin_yaml_reader *r, struct node *node, kin_str text, kin_str tag,
                      kin_error *err)
{
    static const kin_str standard = KIN__STR("tag:yaml.org,2002:");
    kin__yaml_plain plain = {KIN__YAML_STRING, false, false, 0};

    if (!kin__str_starts_with(tag, standard))
        return set_scalar(r, node, text, plain, err);
    tag.data += standard.len;
    tag.len -= standard.len;
    if (kin_str_equal(tag, kin_str_of("binary")))
        return set_binary(r, node, text, err);
    if (is_resolvable(tag)) {
        plain = kin__yaml_resolve(text);
        if (!tag_allows(tag, text, plain))
            return fail(r, KIN_EPARSE, node->mark, err, "`%" KIN_STR_FMT "` is no !!%" KIN_STR_FMT,
                        KIN_STR_ARG(quoted(text)), KIN_STR_ARG(quoted(tag)));
        plain.is_whole &= !kin_str_equal(tag, kin_str_of("float"));
    }
    return set_scalar(r, node, text, plain, err);
}

/* ---- keys ---- */

static int set_float_key(kin_yaml_reader *r, struct node *node, kin_error *err)
{
    char buf[KIN__YAML_FLOAT_KEY_SIZE];
    bool overflow = false;
    double value = kin__number_to_double(node->text.data, node->text.len, &overflow);

    if (overflow) /* no float, to Kubernetes: the text itself */
        return 0;
    size_t len = kin__yaml_float_key(buf, sizeof(buf), value);
    return keep_text(r, &node->text, kin_str_make(buf, len), err);
}

/* .inf, -.inf and .nan, however they were spelled. */
static kin_str infinite_key(kin_str text)
{
    if (kin__str_starts_with(text, kin_str_of("-")))
        return kin_str_of("-.inf");
    if (kin__str_ends_with(text, kin_str_of("n")) || kin__str_ends_with(text, kin_str_of("N")))
        return kin_str_of(".nan");
    return kin_str_of(".inf");
}

/* Make a resolved scalar a key. */
static int set_key(kin_yaml_reader *r, struct node *node, kin_error *err)
{
    int code = 0;

    switch (node->type) {
    case NODE_STRING:
        return 0;
    case NODE_FALSE:
        node->text = kin_str_of("false");
        break;
    case NODE_TRUE:
        node->text = kin_str_of("true");
        break;
    case NODE_NUMBER:
        if (node->is_float)
            code = set_float_key(r, node, err);
        else if (kin_str_equal(node->text, kin_str_of("-0")))
            node->text = kin_str_of("0");
        break;
    case NODE_INFINITE:
        node->text = infinite_key(node->text);
        break;
    case NODE_NULL:
        return fail(r, KIN_EPARSE, node->mark, err, "a key is null");
    default:
        return fail(r, KIN_EPARSE, node->mark, err, "a key is no scalar");
    }
    node->type = NODE_STRING;
    return code;
}

/* ---- the first pass: nodes ---- */

static struct frame *top_frame(kin_yaml_reader *r)
{
    return r->depth ? &r->frames[r->depth - 1] : NULL;
}

static bool wants_key(kin_yaml_reader *r)
{
    const struct frame *top = top_frame(r);

    return top && top->is_map && top->want_key;
}

/* Count what a node expands to. */
static void count_values(kin_yaml_reader *r, uint64_t values, uint64_t bytes)
{
    r->values += values;
    r->bytes += bytes;
}

/* A key or value of the innermost map, an item of the innermost array, or the root. */
static int push_node(kin_yaml_reader *r, const struct node *node, kin_error *err)
{
    struct frame *top = top_frame(r);

    if (r->len >= UINT32_MAX)
        return fail(r, KIN_ELIMIT, node->mark, err, "too many values");
    struct node *nodes = kin__grow_array(r->nodes, &r->cap, r->len + 1, sizeof(*nodes));
    if (!nodes)
        return kin__error_no_memory(err);
    r->nodes = nodes;
    nodes[r->len++] = *node;
    if (top && top->is_map) {
        top->members += top->want_key;
        top->want_key = !top->want_key;
    }
    return 0;
}

/* A scalar where a key is due becomes one; elsewhere it must be a value that JSON has. */
static int push_scalar(kin_yaml_reader *r, struct node node, kin_error *err)
{
    if (wants_key(r)) {
        int code = set_key(r, &node, err);

        if (code)
            return code;
    }
    if (node.type == NODE_INFINITE)
        return fail(r, KIN_EPARSE, node.mark, err, "JSON has no number %" KIN_STR_FMT,
                    KIN_STR_ARG(node.text));
    return push_node(r, &node, err);
}

/* The anchor of a name, made if there is none; NULL: no memory. */
static struct anchor *find_anchor(kin_yaml_reader *r, const yaml_char_t *name)
{
    kin_str key = kin_str_of((const char *)name);
    kin__map_node *found = kin__map_get(&r->anchors, key);

    if (found)
        return kin__container_of(found, struct anchor, entry);
    struct anchor *anchor = kin__calloc(1, sizeof(*anchor) + key.len);
    if (!anchor)
        return NULL;
    if (key.len)
        memcpy(anchor->name, key.data, key.len);
    /* The limit of the length of a key is beyond that of a text. */
    if (kin__map_add(&r->anchors, &anchor->entry, kin_str_make(anchor->name, key.len), NULL)) {
        kin__free(anchor);
        return NULL;
    }
    return anchor;
}

static int on_scalar(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    kin_str text = kin_str_make((const char *)event->data.scalar.value, event->data.scalar.length);
    kin_str tag = kin_str_of((const char *)event->data.scalar.tag);
    struct node node = {.mark = mark_of(event->start_mark), .span = 1};
    bool implicit = event->data.scalar.plain_implicit;
    bool is_merge = kin_str_equal(text, kin_str_of("<<")) &&
                    (implicit || kin_str_equal(tag, kin_str_of("tag:yaml.org,2002:merge")));
    int code;

    if (tag.len > 0) {
        code = set_tagged(r, &node, text, tag, err);
    } else {
        kin__yaml_plain plain = {KIN__YAML_STRING, false, false, 0};

        if (implicit)
            plain = kin__yaml_resolve(text);
        code = set_scalar(r, &node, text, plain, err);
    }
    if (code)
        return code;
    count_values(r, 1, text.len);
    if (event->data.scalar.anchor) {
        struct anchor *anchor = find_anchor(r, event->data.scalar.anchor);

        if (!anchor)
            return kin__error_no_memory(err);
        anchor->scalar = node;
        anchor->is_scalar = true;
        anchor->values = 1;
        anchor->bytes = text.len;
    }
    if (is_merge && wants_key(r)) {
        node.type = NODE_MERGE;
        return push_node(r, &node, err);
    }
    return push_scalar(r, node, err);
}

static int on_alias(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    kin_str name = kin_str_of((const char *)event->data.alias.anchor);
    kin__map_node *found = kin__map_get(&r->anchors, name);
    struct node node = {.type = NODE_ALIAS, .mark = mark_of(event->start_mark), .span = 1};

    if (!found)
        return fail(r, KIN_EPARSE, node.mark, err, "no anchor `%" KIN_STR_FMT "` before this",
                    KIN_STR_ARG(quoted(name)));
    const struct anchor *anchor = kin__container_of(found, struct anchor, entry);
    if (!anchor->is_scalar && anchor->is_open)
        return fail(r, KIN_EPARSE, node.mark, err, "`%" KIN_STR_FMT "` contains itself",
                    KIN_STR_ARG(quoted(name)));
    count_values(r, anchor->values, anchor->bytes);
    r->alias_values += anchor->values;
    r->alias_bytes += anchor->bytes;
    if (r->alias_values > r->options.max_alias_values || r->alias_bytes > r->options.max_size)
        return fail(r, KIN_ELIMIT, node.mark, err, "aliases expand to too much");
    if (anchor->is_scalar) {
        struct mark mark = node.mark;

        node = anchor->scalar;
        node.mark = mark;
        return push_scalar(r, node, err);
    }
    node.target = anchor->target;
    if (wants_key(r))
        return set_key(r, &node, err);
    return push_node(r, &node, err);
}

static int on_start(kin_yaml_reader *r, yaml_mark_t start, const yaml_char_t *anchor, bool is_map,
                    kin_error *err)
{
    struct node node = {.type = is_map ? NODE_MAP : NODE_ARRAY, .mark = mark_of(start), .span = 1};
    struct frame frame = {.node = (uint32_t)r->len, .is_map = is_map, .want_key = is_map};

    if (wants_key(r))
        return set_key(r, &node, err);
    if (r->depth >= r->options.max_depth)
        return fail(r, KIN_ELIMIT, node.mark, err, "nested deeper than %zu", r->options.max_depth);
    if (anchor) {
        frame.anchor = find_anchor(r, anchor);
        if (!frame.anchor)
            return kin__error_no_memory(err);
        frame.anchor->is_scalar = false;
        frame.anchor->is_open = true;
        frame.anchor->target = frame.node;
    }
    frame.values = r->values;
    frame.bytes = r->bytes;
    count_values(r, 1, 0);
    int code = push_node(r, &node, err);
    if (code)
        return code;
    r->frames[r->depth++] = frame;
    return 0;
}

static uint32_t after_node(const kin_yaml_reader *r, uint32_t at)
{
    return at + r->nodes[at].span;
}

static int fail_duplicate(const kin_yaml_reader *r, uint32_t key, kin_error *err)
{
    return fail(r, KIN_EPARSE, r->nodes[key].mark, err,
                "the key \"%" KIN_STR_FMT "\" is there already",
                KIN_STR_ARG(quoted(r->nodes[key].text)));
}

static int check_small_map(const kin_yaml_reader *r, uint32_t map, kin_error *err)
{
    uint32_t keys[SMALL_MAP];
    size_t len = 0;

    for (uint32_t at = map + 1; at < after_node(r, map); at = after_node(r, at + 1)) {
        if (r->nodes[at].type == NODE_MERGE)
            continue;
        for (size_t i = 0; i < len; i++) {
            if (kin_str_equal(r->nodes[keys[i]].text, r->nodes[at].text))
                return fail_duplicate(r, at, err);
        }
        keys[len++] = at;
    }
    return 0;
}

static int check_large_map(kin_yaml_reader *r, uint32_t map, kin__map *seen, kin_error *err)
{
    size_t len = 0;

    for (uint32_t at = map + 1; at < after_node(r, map); at = after_node(r, at + 1)) {
        kin__map_node *existing = NULL;

        if (r->nodes[at].type == NODE_MERGE)
            continue;
        int code = kin__map_add(seen, &r->keys[len++], r->nodes[at].text, &existing);
        if (code)
            return kin_error_set(err, code, "%s", kin_error_string(code));
        if (existing)
            return fail_duplicate(r, at, err);
    }
    return 0;
}

/* Whether a map that is complete has a key twice. Merge keys may be there more than once. */
static int check_duplicates(kin_yaml_reader *r, const struct frame *frame, kin_error *err)
{
    kin__map seen;

    if (r->options.allow_duplicate_keys)
        return 0;
    if (frame->members <= SMALL_MAP)
        return check_small_map(r, frame->node, err);
    kin__map_node *keys = kin__grow_array(r->keys, &r->keys_cap, frame->members, sizeof(*keys));
    if (!keys)
        return kin__error_no_memory(err);
    r->keys = keys;
    kin__map_init(&seen, kin__hash_seed());
    int code = kin__map_reserve(&seen, frame->members);
    if (code)
        code = kin__error_no_memory(err);
    else
        code = check_large_map(r, frame->node, &seen, err);
    kin__map_done(&seen);
    return code;
}

static int on_end(kin_yaml_reader *r, kin_error *err)
{
    struct frame *frame = &r->frames[--r->depth];
    struct anchor *anchor = frame->anchor;

    r->nodes[frame->node].span = (uint32_t)r->len - frame->node;
    /* An anchor inside may have taken the name over. */
    if (anchor && !anchor->is_scalar && anchor->target == frame->node) {
        anchor->is_open = false;
        anchor->values = r->values - frame->values;
        anchor->bytes = r->bytes - frame->bytes;
    }
    return frame->is_map ? check_duplicates(r, frame, err) : 0;
}

static int on_event(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(r, event, err);
    case YAML_ALIAS_EVENT:
        return on_alias(r, event, err);
    case YAML_MAPPING_START_EVENT:
        return on_start(r, event->start_mark, event->data.mapping_start.anchor, true, err);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(r, event->start_mark, event->data.sequence_start.anchor, false, err);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_end(r, err);
    default: /* beginnings and ends of the stream and of documents */
        return 0;
    }
}

static void free_anchors(kin_yaml_reader *r)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&r->anchors, &iter)) != NULL) {
        kin__map_remove(&r->anchors, node);
        kin__free(kin__container_of(node, struct anchor, entry));
    }
}

/* Forget the document that was read. */
static void clear_document(kin_yaml_reader *r)
{
    free_anchors(r);
    kin__draft_reset(r->draft);
    r->len = 0;
    r->steps_len = 0;
    r->depth = 0;
    r->values = 0;
    r->bytes = 0;
    r->alias_values = 0;
    r->alias_bytes = 0;
}

/* The nodes of the next document; none, and is_done, at the end. */
static int read_nodes(kin_yaml_reader *r, kin_error *err)
{
    yaml_event_type_t type;

    clear_document(r);
    do {
        yaml_event_t event;

        if (!yaml_parser_parse(&r->parser, &event))
            return fail_parsing(r, err);
        type = event.type;
        int code = on_event(r, &event, err);
        yaml_event_delete(&event);
        if (code)
            return code;
    } while (type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT);
    r->is_done = type == YAML_STREAM_END_EVENT;
    return 0;
}

/* The nodes of the next document that has content; it is a map. */
static int read_content(kin_yaml_reader *r, kin_error *err)
{
    do {
        int code = read_nodes(r, err);

        if (code || r->is_done)
            return code;
    } while (r->nodes[0].type == NODE_NULL);
    if (r->nodes[0].type != NODE_MAP)
        return fail(r, KIN_EPARSE, r->nodes[0].mark, err, "the document is no map");
    return 0;
}

/* ---- the second pass: the draft ---- */

/* Go through a map or array, behind what is being gone through. */
static int push_step(kin_yaml_reader *r, uint32_t at, uint32_t depth, bool is_merged,
                     kin_error *err)
{
    struct step *steps = kin__grow_array(r->steps, &r->steps_cap, r->steps_len + 1, sizeof(*steps));
    const struct node *node = &r->nodes[at];

    if (!steps)
        return kin__error_no_memory(err);
    r->steps = steps;
    steps[r->steps_len++] =
        (struct step){at + 1, after_node(r, at), depth, node->type == NODE_MAP, is_merged};
    return 0;
}

static int fail_depth(const kin_yaml_reader *r, uint32_t at, kin_error *err)
{
    return fail(r, KIN_ELIMIT, r->nodes[at].mark, err,
                "nested deeper than %zu, aliases and merge keys included", r->options.max_depth);
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
    const struct node *node = &r->nodes[at];
    int code;

    switch (node->type) {
    case NODE_NULL:
        return kin__draft_null(r->draft, err);
    case NODE_FALSE:
    case NODE_TRUE:
        return kin__draft_bool(r->draft, node->type == NODE_TRUE, err);
    case NODE_NUMBER:
        return put_number(r, node->text, err);
    case NODE_STRING:
        return kin__draft_string(r->draft, node->text, err);
    default:
        break;
    }
    if (depth > r->options.max_depth)
        return fail_depth(r, at, err);
    uint32_t from = node->type == NODE_ALIAS ? node->target : at;
    if (r->nodes[from].type == NODE_MAP)
        code = kin__draft_begin_map(r->draft, err);
    else
        code = kin__draft_begin_array(r->draft, err);
    return code ? code : push_step(r, from, depth, false, err);
}

/* Go through the members of one map that is merged into the innermost open one. */
static int put_merged_map(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    uint32_t from = r->nodes[at].type == NODE_ALIAS ? r->nodes[at].target : at;

    if (r->nodes[from].type != NODE_MAP)
        return fail(r, KIN_EPARSE, r->nodes[at].mark, err,
                    "only maps and sequences of maps can be merged");
    if (depth > r->options.max_depth)
        return fail_depth(r, at, err);
    return push_step(r, from, depth, true, err);
}

static int put_merge(kin_yaml_reader *r, uint32_t at, uint32_t depth, kin_error *err)
{
    int code = 0;

    if (r->nodes[at].type != NODE_ARRAY)
        return put_merged_map(r, at, depth, err);
    /* What is pushed last is gone through first, so the first map of a sequence has the last word. */
    uint32_t end = after_node(r, at);
    for (uint32_t item = at + 1; item < end && !code; item = after_node(r, item))
        code = put_merged_map(r, item, depth, err);
    return code;
}

/* One member, item or end. */
static int walk_on(kin_yaml_reader *r, kin_error *err)
{
    struct step *top = &r->steps[r->steps_len - 1];
    uint32_t at = top->next;
    uint32_t depth = top->depth + 1;

    if (at == top->end) {
        r->steps_len--;
        return top->is_merged ? 0 : kin__draft_end(r->draft, err);
    }
    if (!top->is_map) {
        top->next = after_node(r, at);
        return put_value(r, at, depth, err);
    }
    top->next = after_node(r, at + 1);
    if (r->nodes[at].type == NODE_MERGE)
        return put_merge(r, at + 1, depth, err);
    int code = kin__draft_key(r->draft, r->nodes[at].text, err);
    return code ? code : put_value(r, at + 1, depth, err);
}

static int make_object(kin_yaml_reader *r, const kin_object **ret, kin_error *err)
{
    int code = put_value(r, 0, 1, err);

    while (!code && r->steps_len > 0)
        code = walk_on(r, err);
    return code ? code : kin__draft_finish(r->draft, ret, err);
}

/* ---- the public face ---- */

/* libyaml compares every %TAG directive with all before it: a text full of them would take hours. */
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
    if (taken.max_size == 0)
        taken.max_size = DEFAULT_SIZE;
    if (taken.max_size > (size_t)KIN__TEXT_MAX)
        taken.max_size = (size_t)KIN__TEXT_MAX;
    if (taken.max_depth == 0 || taken.max_depth > KIN__DEPTH_MAX)
        taken.max_depth = KIN__DEPTH_MAX;
    if (taken.max_alias_values == 0)
        taken.max_alias_values = DEFAULT_ALIAS_VALUES;
    *ret = taken;
    return 0;
}

static int check_text(kin_str text, const kin_yaml_options *options, kin_error *err)
{
    if (text.len > options->max_size)
        return kin__error_input(err, KIN_ELIMIT, options->max_size,
                                "YAML of %zu bytes, more than %zu", text.len, options->max_size);
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
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.data, r->text.len);
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
}

static int init_draft(kin_yaml_reader *r, kin_error *err)
{
    kin__draft *draft = kin__malloc(sizeof(*draft));

    if (!draft)
        return kin__error_no_memory(err);
    int code = kin__draft_init(draft, (unsigned)r->options.max_depth, err);
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

void kin_yaml_reader_free(kin_yaml_reader *reader)
{
    if (!reader)
        return;
    free_anchors(reader);
    kin__map_done(&reader->anchors);
    yaml_parser_delete(&reader->parser); /* one that is all zeros is nothing to it */
    if (reader->draft)
        kin__draft_done(reader->draft);
    kin__free(reader->draft);
    kin__free(reader->nodes);
    kin__free(reader->steps);
    kin__free(reader->keys);
    kin__free(reader);
}

int kin_yaml_reader_next(kin_yaml_reader *reader, const kin_object **ret, kin_error *err)
{
    const kin_object *object = NULL;

    if (reader->has_failed)
        return kin_error_set(err, KIN_ECLOSED, "the text could not be read up to here");
    int code = reader->is_done ? 0 : read_content(reader, err);
    if (!code && !reader->is_done)
        code = make_object(reader, &object, err);
    reader->has_failed = code != 0;
    if (!code)
        *ret = object;
    return code;
}

/* The only document of a text. */
static int read_only(kin_yaml_reader *r, const kin_object **ret, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin_yaml_reader_next(r, &object, err);

    if (code)
        return code;
    if (!object)
        return kin__error_parse(err, 0, "line 1, column 1: there is no document");
    code = read_content(r, err);
    if (!code && !r->is_done)
        code = fail(r, KIN_EPARSE, r->nodes[0].mark, err, "a second document");
    if (code)
        kin_object_unref(object);
    else
        *ret = object;
    return code;
}

int kin_object_from_yaml(const kin_object **ret, kin_str text, const kin_yaml_options *options,
                         kin_error *err)
{
    kin_yaml_reader *reader = NULL;
    int code = kin_yaml_reader_new(&reader, text, options, err);

    if (code)
        return code;
    code = read_only(reader, ret, err);
    kin_yaml_reader_free(reader);
    return code;
}
