/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON parser. One loop over the text with a cursor; the draft's frames are the stack. Each
 * step either moves the cursor or records a failure, with the offset and a reason.
 */
#include "object/json_parse.h"

#include <string.h>

#include "base/utf8.h"
#include "object/json_scan.h"
#include "object/number.h"
#include "object/raw_cache.h"
#include "object/sightings.h"

struct cursor {
    const char *p;
    const char *end;
    const char *begin;
    unsigned base; /* the draft's depth when the value began */
};

enum step {
    FAILED,
    COMPLETE, /* a value is complete */
    OPENED,   /* a map or array begins */
};

void kin__json_parser_init(kin__json_parser *parser, kin__draft *draft)
{
    memset(parser, 0, offsetof(kin__json_parser, next_key));
    memset(parser->next_key, 0xff, sizeof(parser->next_key));
    parser->draft = draft;
    parser->string_max = KIN__TEXT_MAX;
}

const char *kin__json_skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

static inline void skip_space(struct cursor *c)
{
    if (kin__unlikely(c->p < c->end && (unsigned char)*c->p <= ' '))
        c->p = kin__json_skip_space(c->p, c->end);
}

static bool fail_at(kin__json_parser *parser, const struct cursor *c, const char *at, int code,
                    const char *reason)
{
    parser->code = code;
    parser->offset = (size_t)(at - c->begin);
    parser->reason = reason;
    return false;
}

/* The text is wrong where the cursor is, or it ended too early. */
static bool fail(kin__json_parser *parser, const struct cursor *c, const char *reason)
{
    if (c->p == c->end) {
        parser->incomplete = true;
        reason = "unexpected end";
    }
    return fail_at(parser, c, c->p, KIN_EPARSE, reason);
}

static bool no_memory(kin__json_parser *parser, const struct cursor *c, int code)
{
    return fail_at(parser, c, c->p, code, code == KIN_ENOMEM ? "out of memory" : "too many values");
}

/* There was no room for a node. */
static bool push_failed(kin__json_parser *parser, const struct cursor *c)
{
    return no_memory(parser, c, kin__draft_push_code(parser->draft));
}

/* --- strings --- */

static int hex4(const char *p)
{
    int value = 0;

    for (unsigned i = 0; i < 4; i++) {
        char c = p[i];
        int digit;

        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (c | 0x20) - 'a' + 10;
        else
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static char *put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

/* The four digits of a \u escape at p, as far as the text goes: the value, -1 wrong, -2 cut. */
static int read_hex4(const char *p, const char *end)
{
    size_t left = (size_t)(end - p);
    char padded[4] = {'0', '0', '0', '0'};

    if (left >= 4)
        return hex4(p);
    memcpy(padded, p, left);
    return hex4(padded) < 0 ? -1 : -2;
}

/* The second half of a surrogate pair, with its "\u", at p: the value, -1 none, -2 cut. */
static int read_low_half(const char *p, const char *end)
{
    static const char prefix[] = "\\u";
    size_t left = (size_t)(end - p);
    int low;

    if (memcmp(p, prefix, left < 2 ? left : 2) != 0)
        return -1;
    if (left < 2)
        return -2;
    low = read_hex4(p + 2, end);
    return low == -2 || (low >= 0xdc00 && low <= 0xdfff) ? low : -1;
}

/* The cursor is behind "\u". Moves it behind the digits, of both halves of a surrogate pair. */
static bool read_unicode_escape(kin__json_parser *parser, struct cursor *c, uint32_t *ret)
{
    const char *escape = c->p - 2;
    int high = read_hex4(c->p, c->end);
    int low = 0;

    if (high == -1)
        return fail_at(parser, c, escape, KIN_EPARSE, "\\u without four hex digits");
    if (high >= 0xdc00 && high <= 0xdfff)
        return fail_at(parser, c, escape, KIN_EPARSE, "second half of a surrogate pair alone");
    if (high >= 0xd800 && high <= 0xdbff)
        low = read_low_half(c->p + 4, c->end);
    if (low == -1)
        return fail_at(parser, c, escape, KIN_EPARSE, "first half of a surrogate pair alone");
    if (high == -2 || low == -2) {
        c->p = c->end;
        return fail(parser, c, "");
    }
    *ret = (uint32_t)high;
    c->p += 4;
    if (low > 0) {
        *ret = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
        c->p += 6;
    }
    return true;
}

/* The cursor is at a backslash; the character that the escape stands for is written. */
static bool read_escape(kin__json_parser *parser, struct cursor *c, char **out)
{
    uint32_t character = 0;

    c->p++;
    if (c->p == c->end)
        return fail(parser, c, "");
    switch (*c->p++) {
    case '"':
    case '\\':
    case '/':
        *(*out)++ = c->p[-1];
        return true;
    case 'b':
        *(*out)++ = '\b';
        return true;
    case 'f':
        *(*out)++ = '\f';
        return true;
    case 'n':
        *(*out)++ = '\n';
        return true;
    case 'r':
        *(*out)++ = '\r';
        return true;
    case 't':
        *(*out)++ = '\t';
        return true;
    case 'u':
        if (!read_unicode_escape(parser, c, &character))
            return false;
        *out = put_utf8(*out, character);
        return true;
    default:
        return fail_at(parser, c, c->p - 2, KIN_EPARSE, "unknown escape");
    }
}

/* The cursor is at a byte that is not plain and no quote; steps over characters beyond ASCII. */
static bool check_characters(kin__json_parser *parser, struct cursor *c)
{
    while (c->p < c->end && (signed char)*c->p < 0) {
        size_t n = kin__utf8_char_len(c->p, (size_t)(c->end - c->p));

        if (n == 0) {
            /* A character may have been cut where the text ends. */
            parser->incomplete = c->end - c->p < 4;
            return fail_at(parser, c, c->p, KIN_EPARSE, "not UTF-8");
        }
        c->p += n;
    }
    return true;
}

/* Where the string that begins at the cursor ends, as far as the text goes. */
static const char *raw_end(const char *p, const char *end)
{
    while (p < end && *p != '"')
        p += *p == '\\' && end - p > 1 ? 2 : 1;
    return p;
}

/* A string with escapes, of which `plain` up to the cursor is done: written out anew. */
static bool read_escaped(kin__json_parser *parser, struct cursor *c, const char *plain,
                         kin_str *ret)
{
    size_t size = (size_t)(raw_end(c->p, c->end) - plain);
    /* No escape is shorter than what it stands for. */
    char *text = kin__draft_alloc(parser->draft, size);
    char *out = text;

    if (!text)
        return no_memory(parser, c, KIN_ENOMEM);
    for (;;) {
        memcpy(out, plain, (size_t)(c->p - plain));
        out += c->p - plain;
        if (c->p == c->end)
            return fail(parser, c, "");
        if (*c->p == '"')
            break;
        if (*c->p == '\\') {
            if (!read_escape(parser, c, &out))
                return false;
            plain = c->p;
        } else if ((signed char)*c->p < 0) {
            plain = c->p;
            if (!check_characters(parser, c))
                return false;
        } else {
            return fail(parser, c, "control character in a string");
        }
        c->p = kin__json_scan_plain(c->p, c->end);
    }
    *ret = kin_str_make(text, (size_t)(out - text));
    c->p++;
    return true;
}

/* A string that is not plain ASCII; the cursor is where that shows, `begin` behind the quote. */
static bool read_string_slow(kin__json_parser *parser, struct cursor *c, const char *begin,
                             kin_str *ret)
{
    while (c->p < c->end && (signed char)*c->p < 0) {
        if (!check_characters(parser, c))
            return false;
        c->p = kin__json_scan_plain(c->p, c->end);
    }
    if (c->p == c->end)
        return fail(parser, c, "");
    if (*c->p == '\\')
        return read_escaped(parser, c, begin, ret);
    if (*c->p != '"')
        return fail(parser, c, "control character in a string");
    *ret = kin_str_make(begin, (size_t)(c->p - begin));
    c->p++;
    return true;
}

/* The cursor is at the opening quote; moves behind the closing one. */
static inline bool read_string(kin__json_parser *parser, struct cursor *c, kin_str *ret)
{
    const char *begin = c->p + 1;

    c->p = kin__json_scan_plain(begin, c->end);
    if (kin__likely(c->p < c->end && *c->p == '"')) {
        *ret = kin_str_make(begin, (size_t)(c->p - begin));
        c->p++;
    } else if (!read_string_slow(parser, c, begin, ret)) {
        return false;
    }
    if (kin__unlikely(ret->len > parser->string_max))
        return fail_at(parser, c, begin - 1, KIN_ELIMIT, "string too long");
    return true;
}

static inline bool add_string(kin__json_parser *parser, struct cursor *c)
{
    kin_str text = {NULL, 0};

    if (!read_string(parser, c, &text))
        return false;

    kin__node *node = kin__draft_push(parser->draft, KIN__NODE_STRING);

    if (kin__unlikely(!node))
        return push_failed(parser, c);
    kin__draft_text(parser->draft, node, text.data, text.len);
    return true;
}

/* --- numbers and literals --- */

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || (c | 0x20) == 'e';
}

/* A number that is not a plain integer of a few digits. */
static bool add_number_slow(kin__json_parser *parser, struct cursor *c)
{
    const char *begin = c->p;
    size_t bad;

    while (c->p < c->end && is_number_byte(*c->p))
        c->p++;

    kin_str text = kin_str_make(begin, (size_t)(c->p - begin));

    if (!kin__number_scan(text.data, text.len, &bad, NULL)) {
        parser->incomplete = c->p == c->end && bad == text.len;
        return fail_at(parser, c, begin + bad, KIN_EPARSE,
                       parser->incomplete ? "unexpected end" : "not a number");
    }
    /* Inside a map or array the text is a piece: the number may go on, as one that fits or as none at all. */
    if (text.len > parser->string_max && (c->p < c->end || parser->draft->depth == c->base))
        return fail_at(parser, c, begin, KIN_ELIMIT, "number too long");

    int code = kin__draft_number(parser->draft, text, NULL);

    return code == 0 || no_memory(parser, c, code);
}

static inline bool add_number(kin__json_parser *parser, struct cursor *c)
{
    const char *p = c->p;
    bool negative = *p == '-';
    uint64_t value = 0;
    unsigned n = 0;

    p += negative;
    /* Eighteen digits fit without a check. */
    while (p < c->end && n < 18 && (unsigned char)(*p - '0') <= 9) {
        value = value * 10 + (uint64_t)(*p - '0');
        p++;
        n++;
    }
    bool plain = n > 0 && p < c->end && !is_number_byte(*p) &&
                 (value > 0 ? p[-(int)n] != '0' : n == 1 && !negative);

    if (kin__unlikely(!plain))
        return add_number_slow(parser, c);

    kin__node *node = kin__draft_push(parser->draft, KIN__NODE_INTEGER);

    if (kin__unlikely(!node))
        return push_failed(parser, c);
    kin__draft_small(parser->draft, node, negative ? 0 - value : value);
    c->p = p;
    return true;
}

static bool add_literal(kin__json_parser *parser, struct cursor *c, const char *word, size_t len,
                        enum kin__node_type type)
{
    size_t left = (size_t)(c->end - c->p);

    if (left < len && memcmp(c->p, word, left) == 0) {
        c->p = c->end;
        return fail(parser, c, "");
    }
    if (left < len || memcmp(c->p, word, len) != 0)
        return fail(parser, c, "not a value");
    c->p += len;

    kin__node *node = kin__draft_push(parser->draft, type);

    if (!node)
        return push_failed(parser, c);
    kin__draft_small(parser->draft, node, 0);
    return true;
}

/* --- maps and arrays --- */

static uint16_t *prediction(kin__json_parser *parser, const struct kin__json_frame *frame)
{
    return &parser->next_key[(frame->context * 61u + frame->last_key) % KIN__PREDICTIONS];
}

static struct kin__json_frame *top(kin__json_parser *parser)
{
    return &parser->frames[parser->draft->depth - 1];
}

static const struct kin__json_frame *top_const(const kin__json_parser *parser)
{
    return &parser->frames[parser->draft->depth - 1];
}

/* Whether the subtree at the cursor may be taken from what was read before. */
static inline bool may_be_known(const kin__json_parser *parser, const struct cursor *c)
{
    const kin__draft *draft = parser->draft;

    /* compact.c has to see the metadata of the document itself. */
    return draft->raw_cache && draft->depth > c->base && c->end - c->p > 16 && c->p[1] != '}' &&
           c->p[1] != ']' && !top_const(parser)->below &&
           !(draft->depth == 1 && draft->key == KIN__KEY_METADATA);
}

/* Takes the subtree at the cursor if its text is known. *ret_known says so; false on failure. */
static bool take_known(kin__json_parser *parser, struct cursor *c, bool *ret_known)
{
    kin__draft *draft = parser->draft;
    unsigned place = top_const(parser)->context * 31u + draft->key + draft->depth;
    struct kin__raw_known known;
    int code;

    *ret_known = kin__raw_cache_find(draft->raw_cache, place, c->p, c->end, &known) &&
                 draft->depth + known.height <= draft->depth_max;
    if (!*ret_known)
        return true;
    if (parser->drop_depth > 0) {
        c->p += known.len;
        code = kin__draft_null(draft, NULL); /* something, to be dropped */
        if (code < 0)
            return no_memory(parser, c, code);
        draft->nodes[draft->len - 1].len = known.height;
        return true;
    }
    /* What was valid and not kept has no value; labels must be readable in place. */
    *ret_known = known.shared &&
                 !(draft->depth == 2 && draft->key == KIN__KEY_LABELS && known.shared->packed);
    if (!*ret_known)
        return true;
    kin__shared_ref(known.shared);
    c->p += known.len;
    code = kin__draft_add_shared(draft, known.shared);
    return code == 0 || no_memory(parser, c, code);
}

static inline enum step open_container(kin__json_parser *parser, struct cursor *c, bool is_map)
{
    kin__draft *draft = parser->draft;
    const kin__projected *below = parser->projected;
    uint16_t context = draft->key;

    if (draft->depth >= draft->depth_max) {
        fail_at(parser, c, c->p, KIN_ELIMIT, "nested too deep");
        return FAILED;
    }
    if (draft->depth > c->base) {
        below = top(parser)->dropping ? NULL : top(parser)->below;
        if (!top(parser)->is_map)
            context = top(parser)->context;
    }
    if (may_be_known(parser, c)) {
        bool known;

        if (!take_known(parser, c, &known))
            return FAILED;
        if (known)
            return COMPLETE;
    }
    if (kin__unlikely(!kin__draft_open(draft, is_map ? KIN__NODE_MAP : KIN__NODE_ARRAY))) {
        push_failed(parser, c);
        return FAILED;
    }

    struct kin__json_frame *frame = top(parser);

    draft->nodes[draft->len - 1].u.container.raw = (uint32_t)(c->p - c->begin);
    draft->nodes[draft->len - 1].u.container.form = KIN__RAW_JSON;

    frame->projected = below;
    frame->below = NULL;
    frame->context = context;
    frame->last_key = KIN__KEY_NONE;
    frame->is_map = is_map;
    frame->dropping = false;
    c->p++;
    return OPENED;
}

/*
 * The text of a map or array that was seen before: it is valid, and that is all that has to be
 * known.
 */
static void remember_valid(kin__draft *draft, const kin__node *node)
{
    if ((node->type == KIN__NODE_MAP || node->type == KIN__NODE_ARRAY) && node->len > 0 &&
        kin__sightings_get(node->hash) > 1)
        kin__raw_cache_add(draft->raw_cache, KIN__RAW_JSON, draft->raw_text + node->u.container.raw,
                           node->len, NULL,
                           kin__draft_height(draft, (size_t)(node - draft->nodes)));
}

static void remember_elements(kin__draft *draft, const kin__node *node)
{
    const kin__node *end = node + node->span - 1;

    for (node++; node < end; node += node->span)
        remember_valid(draft, node);
}

/*
 * What is not kept never comes to compact.c, which remembers the rest. As there: what was seen
 * before is remembered as a whole, so a new map or array looks at its elements.
 */
static void remember_dropped(kin__draft *draft, const kin__node *node)
{
    if (kin__sightings_add(node->hash, KIN__ANY_ORIGIN) == 1)
        remember_elements(draft, node);
}

static bool close_container(kin__json_parser *parser, struct cursor *c)
{
    kin__draft *draft = parser->draft;
    uint32_t index = draft->frames[draft->depth - 1].node;
    bool whole = !top(parser)->projected;
    int code = kin__draft_close(draft);

    c->p++;
    if (code < 0)
        return no_memory(parser, c, code);

    kin__node *node = &draft->nodes[index];

    /* Where a part was left out, the text is not that of the value. */
    if (whole)
        node->len = (uint32_t)(c->p - c->begin) - node->u.container.raw;
    if (kin__unlikely(parser->drop_depth > 0) && draft->raw_cache)
        remember_dropped(draft, node);
    return true;
}

/* Begin to forget: the value that comes is read and checked, and then the draft is what it was. */
static void begin_drop(kin__json_parser *parser, struct kin__json_frame *frame, size_t len)
{
    const struct kin__draft_frame *draft_frame = &parser->draft->frames[parser->draft->depth - 1];

    frame->dropping = true;
    if (parser->drop_depth == 0)
        parser->drop_depth = parser->draft->depth;
    frame->len = len;
    frame->hash = draft_frame->hash;
    frame->size = draft_frame->size;
}

static void remember_value(kin__draft *draft, size_t first)
{
    const kin__node *node = &draft->nodes[first];

    remember_valid(draft, node + (node->type == KIN__NODE_KEY));
}

/*
 * A member that is not kept may stand for an earlier one that was: the last one counts, also
 * when it is dropped. What it leaves is found with the duplicates. Its nodes are still there.
 */
static void leave_trace(kin__draft *draft)
{
    kin__node *node = &draft->nodes[draft->len];

    draft->len += node->type == KIN__NODE_KEY ? 2 : 1;
    node = &draft->nodes[draft->len - 1];
    node->type = KIN__NODE_NULL;
    node->flags = KIN__NODE_DROPPED;
    node->span = 1;
    node->len = 0;
}

static void end_drop(kin__json_parser *parser, struct kin__json_frame *frame)
{
    struct kin__draft_frame *draft_frame = &parser->draft->frames[parser->draft->depth - 1];

    /* The value itself is an element of what is open. */
    if (parser->draft->raw_cache && parser->drop_depth == parser->draft->depth)
        remember_value(parser->draft, frame->len);
    frame->dropping = false;
    if (parser->drop_depth == parser->draft->depth)
        parser->drop_depth = 0;
    parser->draft->len = frame->len;
    if (frame->is_map && draft_frame->duplicate)
        leave_trace(parser->draft);
    draft_frame->hash = frame->hash;
    draft_frame->size = frame->size;
}

/* The cursor is at the value of an element: what does the projection say of it? */
static void project(kin__json_parser *parser, const struct cursor *c, struct kin__json_frame *frame,
                    kin_str key, size_t len)
{
    enum kin__projection_verdict verdict =
        frame->is_map ? kin__projection_member(frame->projected, key, &frame->below)
                      : kin__projection_item(frame->projected, &frame->below);
    bool is_container = c->p < c->end && (*c->p == '{' || *c->p == '[');

    if (verdict == KIN__PROJECTION_KEEP || verdict == KIN__PROJECTION_DROP)
        frame->below = NULL;
    if (verdict == KIN__PROJECTION_DROP ||
        (verdict == KIN__PROJECTION_DESCEND_ONLY && !is_container))
        begin_drop(parser, frame, len);
}

/* A key that was not predicted. */
static bool read_key_slow(kin__json_parser *parser, struct cursor *c, struct kin__json_frame *frame,
                          kin_str *ret)
{
    kin__draft *draft = parser->draft;
    uint16_t *predicted = prediction(parser, frame);

    if (c->p == c->end || *c->p != '"')
        return fail(parser, c, "expected a key");
    if (!read_string(parser, c, ret))
        return false;

    uint32_t hash = kin__keys_hash(*ret);
    uint16_t id = kin__keys_find_hashed(*ret, hash);

    frame->last_key = id;
    if (id != KIN__KEY_TEXT) {
        *predicted = id;
        kin__draft_set_key(draft, id);
        return true;
    }
    draft->key = KIN__KEY_NONE;

    kin__node *node = kin__draft_push(draft, KIN__NODE_KEY);

    if (!node)
        return push_failed(parser, c);
    kin__draft_set_text_key(draft, node, *ret, hash);
    return true;
}

/* The cursor is where a key has to be; moves to where its value begins. */
static inline bool read_key(kin__json_parser *parser, struct cursor *c)
{
    struct kin__json_frame *frame = top(parser);
    uint16_t id = *prediction(parser, frame);
    size_t len = parser->draft->len;
    kin_str key = {NULL, 0};
    bool predicted = false;

    if (kin__likely(id < KIN__KEYS_MAX)) {
        key = kin__keys_text(id);
        predicted = (size_t)(c->end - c->p) > key.len + 2 && c->p[0] == '"' &&
                    c->p[1 + key.len] == '"' && kin__same_bytes(c->p + 1, key.data, key.len);
    }
    if (kin__likely(predicted)) {
        c->p += key.len + 2;
        frame->last_key = id;
        kin__draft_set_key(parser->draft, id);
    } else if (!read_key_slow(parser, c, frame, &key)) {
        return false;
    }
    skip_space(c);
    if (kin__unlikely(c->p == c->end || *c->p != ':'))
        return fail(parser, c, "expected ':'");
    c->p++;
    skip_space(c);
    if (kin__unlikely(frame->projected != NULL))
        project(parser, c, frame, key, len);
    return true;
}

/* The cursor is where an item has to be. */
static inline void begin_item(kin__json_parser *parser, const struct cursor *c)
{
    struct kin__json_frame *frame = top(parser);

    if (kin__unlikely(frame->projected != NULL))
        project(parser, c, frame, kin_str_make(NULL, 0), parser->draft->len);
}

/* --- the loop --- */

static inline enum step read_value(kin__json_parser *parser, struct cursor *c)
{
    bool ok;

    if (kin__unlikely(c->p == c->end))
        return fail(parser, c, "") ? COMPLETE : FAILED;
    switch (*c->p) {
    case '"':
        ok = add_string(parser, c);
        break;
    case '{':
        return open_container(parser, c, true);
    case '[':
        return open_container(parser, c, false);
    case 't':
        ok = add_literal(parser, c, "true", 4, KIN__NODE_TRUE);
        break;
    case 'f':
        ok = add_literal(parser, c, "false", 5, KIN__NODE_FALSE);
        break;
    case 'n':
        ok = add_literal(parser, c, "null", 4, KIN__NODE_NULL);
        break;
    default:
        if (*c->p != '-' && (unsigned char)(*c->p - '0') > 9)
            ok = fail(parser, c, "not a value");
        else
            ok = add_number(parser, c);
        break;
    }
    return ok ? COMPLETE : FAILED;
}

/* Behind '{' or '[': the first element, or the end. */
static inline enum step begin_elements(kin__json_parser *parser, struct cursor *c)
{
    bool is_map = top(parser)->is_map;

    skip_space(c);
    if (c->p < c->end && *c->p == (is_map ? '}' : ']'))
        return close_container(parser, c) ? COMPLETE : FAILED;
    if (!is_map) {
        begin_item(parser, c);
        return OPENED;
    }
    return read_key(parser, c) ? OPENED : FAILED;
}

/* Behind an element: the next one (OPENED), or the end. */
static inline enum step next_element(kin__json_parser *parser, struct cursor *c)
{
    struct kin__json_frame *frame = top(parser);

    if (kin__unlikely(frame->dropping))
        end_drop(parser, frame);
    skip_space(c);
    if (kin__unlikely(c->p == c->end))
        return fail(parser, c, "") ? COMPLETE : FAILED;
    if (*c->p == ',') {
        c->p++;
        skip_space(c);
        if (frame->is_map)
            return read_key(parser, c) ? OPENED : FAILED;
        begin_item(parser, c);
        return OPENED;
    }
    if (*c->p == (frame->is_map ? '}' : ']'))
        return close_container(parser, c) ? COMPLETE : FAILED;
    fail(parser, c, frame->is_map ? "expected ',' or '}'" : "expected ',' or ']'");
    return FAILED;
}

int kin__json_parse(kin__json_parser *parser, kin_str text, size_t *ret_len)
{
    /* An empty text may have no address, to which nothing can be added. */
    const char *begin = text.data ? text.data : "";

    return kin__json_parse_within(parser, begin, kin_str_make(begin, text.len), ret_len);
}

int kin__json_parse_within(kin__json_parser *parser, const char *input, kin_str text,
                           size_t *ret_len)
{
    struct cursor c = {text.data, text.data + text.len, input, parser->draft->depth};
    enum step step;

    parser->incomplete = false;
    parser->code = 0;
    parser->drop_depth = 0;
    parser->draft->raw_text = input;
    skip_space(&c);
    step = read_value(parser, &c);
    while (step != FAILED) {
        if (step == OPENED) {
            step = begin_elements(parser, &c);
        } else if (parser->draft->depth > c.base) {
            step = next_element(parser, &c);
        } else {
            *ret_len = (size_t)(c.p - text.data);
            return 0;
        }
        /* Both lead to a value, unless the map or array has ended. */
        if (step == OPENED)
            step = read_value(parser, &c);
    }
    return parser->code;
}
