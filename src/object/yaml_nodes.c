/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass of reading YAML: libyaml's events become nodes.
 *
 * Scalars are resolved and keys are made strings here, so everything that a text can have wrong,
 * but for depth through aliases and the operand of a merge key, is found where it stands.
 * Scalars that an alias names are copied; a map or sequence that it names is only referred to.
 *
 * An alias can only name what is complete: one inside what it names is refused, so references
 * point backwards. What a document expands to is counted, each anchor with the weight of all
 * below it, so that a bomb is refused before anything is expanded.
 *
 * libyaml counts characters, errors tell bytes: the place is converted when one is reported.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/make.h"
#include "object/number.h"
#include "object/yaml.h"
#include "object/yaml_reader.h"

/* Maps of more members are searched for duplicates with a hash table. */
#define SMALL_MAP 8u
/* Limits of kin_yaml_reader.flow_work: any document of the largest depth, and then so much a byte. */
#define FLOW_WORK_MIN UINT64_C(1000000)
#define FLOW_WORK_PER_BYTE 4u
/* Of a text from the input, in a message. */
#define QUOTE_MAX 80u

struct kin__yaml_anchor {
    kin__map_node entry;
    struct kin__yaml_node scalar; /* what it names, if that is no map or array */
    uint32_t target;              /* the map or array */
    bool is_scalar;
    bool is_open;    /* its end was not seen yet */
    uint64_t values; /* in all, aliases expanded */
    uint64_t bytes;
    char name[];
};

/* --- errors --- */

static struct kin__yaml_mark mark_of(yaml_mark_t from)
{
    return (struct kin__yaml_mark){(uint32_t)from.line, (uint32_t)from.column,
                                   (uint32_t)from.index};
}

/* The byte at which a character begins. What libyaml has counted is valid. */
static size_t offset_of(const kin_yaml_reader *r, uint32_t index)
{
    size_t at = 0;

    for (; index > 0 && at < r->source.len; index--) {
        size_t len = kin__utf8_char_len(r->source.data + at, r->source.len - at);

        at += len ? len : 1;
    }
    return r->skipped + at;
}

int kin__yaml_fail(const kin_yaml_reader *r, int code, struct kin__yaml_mark mark, kin_error *err,
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

/* As much of a text as goes into a message. A password that begins with '*' reads as an alias. */
static kin_str quoted(const kin_yaml_reader *r, kin_str text)
{
    if (r->is_secret)
        return kin_str_of("...");
    size_t len = text.len > QUOTE_MAX ? kin__utf8_cut(text.data, QUOTE_MAX) : text.len;

    return kin_str_make(text.data, len);
}

/* A text that libyaml could not decode: it tells the byte, and we find the line. */
static int fail_decoding(const kin_yaml_reader *r, kin_error *err)
{
    struct kin__yaml_mark mark = {0, 0, 0};
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
    return kin__yaml_fail(r, KIN_EPARSE, mark, err, "%s", r->parser.problem);
}

static int fail_parsing(const kin_yaml_reader *r, kin_error *err)
{
    const yaml_parser_t *p = &r->parser;

    if (p->error == YAML_MEMORY_ERROR)
        return kin__error_no_memory(err);
    if (p->error == YAML_READER_ERROR)
        return fail_decoding(r, err);
    return kin__yaml_fail(r, KIN_EPARSE, mark_of(p->problem_mark), err, "%s%s%s",
                          p->context ? p->context : "", p->context ? ", " : "",
                          p->problem ? p->problem : "malformed YAML");
}

/* --- scalars --- */

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
static int set_scalar(kin_yaml_reader *r, struct kin__yaml_node *node, kin_str text,
                      kin__yaml_plain plain, kin_error *err)
{
    switch (plain.kind) {
    case KIN__YAML_NULL:
        node->type = KIN__YAML_NODE_NULL;
        return 0;
    case KIN__YAML_FALSE:
        node->type = KIN__YAML_NODE_FALSE;
        return 0;
    case KIN__YAML_TRUE:
        node->type = KIN__YAML_NODE_TRUE;
        return 0;
    case KIN__YAML_INTEGER:
        node->type = KIN__YAML_NODE_NUMBER;
        node->is_float = !plain.is_whole;
        return keep_integer(r, &node->text, plain, err);
    case KIN__YAML_DECIMAL:
        node->type = KIN__YAML_NODE_NUMBER;
        node->is_float = !plain.is_whole;
        return keep_decimal(r, &node->text, text, err);
    case KIN__YAML_INFINITE:
        node->type = KIN__YAML_NODE_INFINITE;
        return keep_text(r, &node->text, text, err);
    case KIN__YAML_STRING:
        break;
    }
    node->type = KIN__YAML_NODE_STRING;
    return keep_text(r, &node->text, text, err);
}

static int set_binary(kin_yaml_reader *r, struct kin__yaml_node *node, kin_str text, kin_error *err)
{
    char *data = kin__draft_alloc(r->draft, text.len);

    if (!data)
        return kin__error_no_memory(err);
    size_t len = kin__yaml_base64(data, text);
    if (len == SIZE_MAX)
        return kin__yaml_fail(r, KIN_EPARSE, node->mark, err, "!!binary is not base64");
    node->type = KIN__YAML_NODE_STRING;
    node->text = kin_str_make(data, len);
    if (!kin__utf8_check(node->text.data, node->text.len))
        return kin__yaml_fail(r, KIN_EPARSE, node->mark, err, "!!binary holds what is not UTF-8");
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

static int set_tagged(kin_yaml_reader *r, struct kin__yaml_node *node, kin_str text, kin_str tag,
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
            return kin__yaml_fail(r, KIN_EPARSE, node->mark, err,
                                  "`%" KIN_STR_FMT "` is no !!%" KIN_STR_FMT,
                                  KIN_STR_ARG(quoted(r, text)), KIN_STR_ARG(quoted(r, tag)));
        plain.is_whole &= !kin_str_equal(tag, kin_str_of("float"));
    }
    return set_scalar(r, node, text, plain, err);
}

/* --- keys --- */

static int set_float_key(kin_yaml_reader *r, struct kin__yaml_node *node, kin_error *err)
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
static int set_key(kin_yaml_reader *r, struct kin__yaml_node *node, kin_error *err)
{
    int code = 0;

    switch (node->type) {
    case KIN__YAML_NODE_STRING:
        return 0;
    case KIN__YAML_NODE_FALSE:
        node->text = kin_str_of("false");
        break;
    case KIN__YAML_NODE_TRUE:
        node->text = kin_str_of("true");
        break;
    case KIN__YAML_NODE_NUMBER:
        if (node->is_float)
            code = set_float_key(r, node, err);
        else if (kin_str_equal(node->text, kin_str_of("-0")))
            node->text = kin_str_of("0");
        break;
    case KIN__YAML_NODE_INFINITE:
        node->text = infinite_key(node->text);
        break;
    case KIN__YAML_NODE_NULL:
        return kin__yaml_fail(r, KIN_EPARSE, node->mark, err, "a key is null");
    default:
        return kin__yaml_fail(r, KIN_EPARSE, node->mark, err, "a key is no scalar");
    }
    node->type = KIN__YAML_NODE_STRING;
    return code;
}

/* --- the first pass: nodes --- */

static struct kin__yaml_frame *top_frame(kin_yaml_reader *r)
{
    return r->depth ? &r->frames[r->depth - 1] : NULL;
}

static bool wants_key(kin_yaml_reader *r)
{
    const struct kin__yaml_frame *top = top_frame(r);

    return top && top->is_map && top->want_key;
}

/* Count what a node expands to. */
static void count_values(kin_yaml_reader *r, uint64_t values, uint64_t bytes)
{
    r->values += values;
    r->bytes += bytes;
}

/* A key or value of the innermost map, an item of the innermost array, or the root. */
static int push_node(kin_yaml_reader *r, const struct kin__yaml_node *node, kin_error *err)
{
    struct kin__yaml_frame *top = top_frame(r);

    if (r->len >= UINT32_MAX)
        return kin__yaml_fail(r, KIN_ELIMIT, node->mark, err, "too many values");
    struct kin__yaml_node *nodes = kin__grow_array(r->nodes, &r->cap, r->len + 1, sizeof(*nodes));
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
static int push_scalar(kin_yaml_reader *r, struct kin__yaml_node node, kin_error *err)
{
    if (wants_key(r)) {
        int code = set_key(r, &node, err);

        if (code)
            return code;
    }
    if (node.type == KIN__YAML_NODE_INFINITE)
        return kin__yaml_fail(r, KIN_EPARSE, node.mark, err, "JSON has no number %" KIN_STR_FMT,
                              KIN_STR_ARG(node.text));
    return push_node(r, &node, err);
}

/* The anchor of a name, made if there is none; NULL: no memory. */
static struct kin__yaml_anchor *find_anchor(kin_yaml_reader *r, const yaml_char_t *name)
{
    kin_str key = kin_str_of((const char *)name);
    kin__map_node *found = kin__map_get(&r->anchors, key);

    if (found)
        return kin__container_of(found, struct kin__yaml_anchor, entry);
    struct kin__yaml_anchor *anchor = kin__calloc(1, sizeof(*anchor) + key.len);
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

/* A node of the only argument that a plain scalar consists of. *ret_done: it was one. */
static int set_argument(kin_yaml_reader *r, struct kin__yaml_node *node, kin_str text,
                        bool *ret_done, kin_error *err)
{
    kin__make_argument *argument = NULL;
    int code = kin__make_alone(r->make, &argument, text, err);

    if (code || !argument)
        return code;
    node->type = argument->type;
    node->text = argument->text;
    node->target = (uint32_t)(argument - r->make->arguments);
    *ret_done = true;
    return 0;
}

/* Set a node's type and text; the key of a merge is set like others. */
static int resolve_scalar(kin_yaml_reader *r, struct kin__yaml_node *node,
                          const yaml_event_t *event, kin_error *err)
{
    kin_str text = kin_str_make((const char *)event->data.scalar.value, event->data.scalar.length);
    kin_str tag = kin_str_of((const char *)event->data.scalar.tag);
    kin__yaml_plain plain = {KIN__YAML_STRING, false, false, 0};
    bool is_implicit = event->data.scalar.plain_implicit;
    bool has_arguments = false;
    bool is_done = false;
    int code = 0;

    if (r->make && is_implicit && !wants_key(r))
        code = set_argument(r, node, text, &is_done, err);
    if (r->make && !code && !is_done)
        code = kin__make_expand(r->make, &text, &has_arguments, err);
    if (code || is_done)
        return code;
    if (tag.len > 0)
        return set_tagged(r, node, text, tag, err);
    if (is_implicit && !has_arguments)
        plain = kin__yaml_resolve(text);
    return set_scalar(r, node, text, plain, err);
}

static bool is_merge_key(const yaml_event_t *event)
{
    kin_str text = kin_str_make((const char *)event->data.scalar.value, event->data.scalar.length);
    kin_str tag = kin_str_of((const char *)event->data.scalar.tag);

    return kin_str_equal(text, kin_str_of("<<")) &&
           (event->data.scalar.plain_implicit ||
            kin_str_equal(tag, kin_str_of("tag:yaml.org,2002:merge")));
}

static int on_scalar(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    struct kin__yaml_node node = {.mark = mark_of(event->start_mark), .span = 1};
    int code = resolve_scalar(r, &node, event, err);

    if (code)
        return code;
    size_t len = event->data.scalar.length;
    if (node.text.len > len) /* by the arguments of a template */
        len = node.text.len;
    count_values(r, 1, len);
    if (event->data.scalar.anchor) {
        struct kin__yaml_anchor *anchor = find_anchor(r, event->data.scalar.anchor);

        if (!anchor)
            return kin__error_no_memory(err);
        anchor->scalar = node;
        anchor->is_scalar = true;
        anchor->values = 1;
        anchor->bytes = len;
    }
    if (is_merge_key(event) && wants_key(r)) {
        node.type = KIN__YAML_NODE_MERGE;
        return push_node(r, &node, err);
    }
    return push_scalar(r, node, err);
}

static int on_alias(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    kin_str name = kin_str_of((const char *)event->data.alias.anchor);
    kin__map_node *found = kin__map_get(&r->anchors, name);
    struct kin__yaml_node node = {
        .type = KIN__YAML_NODE_ALIAS, .mark = mark_of(event->start_mark), .span = 1};

    if (!found)
        return kin__yaml_fail(r, KIN_EPARSE, node.mark, err,
                              "no anchor `%" KIN_STR_FMT "` before this",
                              KIN_STR_ARG(quoted(r, name)));
    const struct kin__yaml_anchor *anchor =
        kin__container_of(found, struct kin__yaml_anchor, entry);
    if (!anchor->is_scalar && anchor->is_open)
        return kin__yaml_fail(r, KIN_EPARSE, node.mark, err, "`%" KIN_STR_FMT "` contains itself",
                              KIN_STR_ARG(quoted(r, name)));
    count_values(r, anchor->values, anchor->bytes);
    r->alias_values += anchor->values;
    r->alias_bytes += anchor->bytes;
    if (r->alias_values > r->options.max_alias_values || r->alias_bytes > r->options.max_bytes)
        return kin__yaml_fail(r, KIN_ELIMIT, node.mark, err, "aliases expand to too much");
    if (anchor->is_scalar) {
        struct kin__yaml_mark mark = node.mark;

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
    struct kin__yaml_node node = {.type = is_map ? KIN__YAML_NODE_MAP : KIN__YAML_NODE_ARRAY,
                                  .mark = mark_of(start),
                                  .span = 1};
    struct kin__yaml_frame frame = {.node = (uint32_t)r->len, .is_map = is_map, .want_key = is_map};

    if (wants_key(r))
        return set_key(r, &node, err);
    if (r->depth >= r->options.max_depth)
        return kin__yaml_fail(r, KIN_ELIMIT, node.mark, err, "nested deeper than %u",
                              r->options.max_depth);
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

static int fail_duplicate(const kin_yaml_reader *r, uint32_t key, kin_error *err)
{
    return kin__yaml_fail(r, KIN_EPARSE, r->nodes[key].mark, err,
                          "the key \"%" KIN_STR_FMT "\" is there already",
                          KIN_STR_ARG(quoted(r, r->nodes[key].text)));
}

static int check_small_map(const kin_yaml_reader *r, uint32_t map, kin_error *err)
{
    uint32_t keys[SMALL_MAP];
    size_t len = 0;

    for (uint32_t at = map + 1; at < kin__yaml_after(r, map); at = kin__yaml_after(r, at + 1)) {
        if (r->nodes[at].type == KIN__YAML_NODE_MERGE)
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

    for (uint32_t at = map + 1; at < kin__yaml_after(r, map); at = kin__yaml_after(r, at + 1)) {
        kin__map_node *existing = NULL;

        if (r->nodes[at].type == KIN__YAML_NODE_MERGE)
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
static int check_duplicates(kin_yaml_reader *r, const struct kin__yaml_frame *frame, kin_error *err)
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
    struct kin__yaml_frame *frame = &r->frames[--r->depth];
    struct kin__yaml_anchor *anchor = frame->anchor;

    r->flow_depth -= r->flow_depth > 0; /* all that is inside a flow collection is one itself */
    r->nodes[frame->node].span = (uint32_t)r->len - frame->node;
    /* An anchor inside may have taken the name over. */
    if (anchor && !anchor->is_scalar && anchor->target == frame->node) {
        anchor->is_open = false;
        anchor->values = r->values - frame->values;
        anchor->bytes = r->bytes - frame->bytes;
    }
    return frame->is_map ? check_duplicates(r, frame, err) : 0;
}

/* libyaml frees without wiping; what it has copied while it scanned is out of reach. */
static void wipe_event(yaml_event_t *event)
{
    if (event->type == YAML_SCALAR_EVENT)
        explicit_bzero(event->data.scalar.value, event->data.scalar.length);
}

/*
 * libyaml looks at every open flow collection for each token, because each may turn out to be a key.
 * That makes the time of parsing the product of length and depth, which is limited here.
 */
static int count_flow_work(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    r->flow_work += r->flow_depth;
    if (r->flow_work <= FLOW_WORK_MIN + (uint64_t)r->text.len * FLOW_WORK_PER_BYTE)
        return 0;
    return kin__yaml_fail(r, KIN_ELIMIT, mark_of(event->start_mark), err,
                          "too many values in deeply nested flow collections ([] and {}); parse it "
                          "as JSON or use block style");
}

static int on_event(kin_yaml_reader *r, const yaml_event_t *event, kin_error *err)
{
    int code = count_flow_work(r, event, err);

    if (code)
        return code;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(r, event, err);
    case YAML_ALIAS_EVENT:
        return on_alias(r, event, err);
    case YAML_MAPPING_START_EVENT:
        r->flow_depth += event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        return on_start(r, event->start_mark, event->data.mapping_start.anchor, true, err);
    case YAML_SEQUENCE_START_EVENT:
        r->flow_depth += event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        return on_start(r, event->start_mark, event->data.sequence_start.anchor, false, err);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_end(r, err);
    default: /* beginnings and ends of the stream and of documents */
        return 0;
    }
}

void kin__yaml_free_anchors(kin_yaml_reader *r)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&r->anchors, &iter)) != NULL) {
        kin__map_remove(&r->anchors, node);
        kin__free(kin__container_of(node, struct kin__yaml_anchor, entry));
    }
}

/* Forget the document that was read. */
static void clear_document(kin_yaml_reader *r)
{
    kin__yaml_free_anchors(r);
    if (r->is_secret)
        kin__draft_wipe(r->draft);
    kin__draft_reset(r->draft);
    r->len = 0;
    r->steps.len = 0;
    r->depth = 0;
    r->flow_depth = 0;
    r->values = 0;
    r->bytes = 0;
    r->alias_values = 0;
    r->alias_bytes = 0;
}

int kin__yaml_read_document(kin_yaml_reader *r, kin_error *err)
{
    yaml_event_type_t type;

    clear_document(r);
    do {
        yaml_event_t event;

        if (!yaml_parser_parse(&r->parser, &event))
            return fail_parsing(r, err);
        type = event.type;
        int code = on_event(r, &event, err);
        if (r->is_secret)
            wipe_event(&event);
        yaml_event_delete(&event);
        if (code)
            return code;
    } while (type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT);
    r->is_done = type == YAML_STREAM_END_EVENT;
    return 0;
}

int kin__yaml_read_nodes(kin_yaml_reader *r, kin_error *err)
{
    do {
        int code = kin__yaml_read_document(r, err);

        if (code || r->is_done)
            return code;
    } while (r->nodes[0].type == KIN__YAML_NODE_NULL);
    if (r->nodes[0].type != KIN__YAML_NODE_MAP)
        return kin__yaml_fail(r, KIN_EPARSE, r->nodes[0].mark, err, "the document is no map");
    return 0;
}
