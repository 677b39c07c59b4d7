/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON from values: a walk over the tape with an explicit stack.
 */
#include "base/buf.h"
#include "base/error.h"
#include "object/json.h"
#include "object/json_scan.h"
#include "object/limits.h"
#include "object/tape.h"

#define INDENT 4u

static inline void put_char(kin__buf *buf, char c)
{
    char *room = kin__buf_reserve(buf, 1);

    if (room) {
        *room = c;
        kin__buf_added(buf, 1);
    }
}

/* A text that needs no escapes, between quotes, and one character behind them, if it is not 0. */
static inline void put_plain(kin__buf *buf, kin_str text, char behind)
{
    size_t len = text.len + (behind ? 3 : 2);
    char *room = kin__buf_reserve(buf, len);

    if (!room)
        return;
    room[0] = '"';
    if (text.len > 0)
        memcpy(room + 1, text.data, text.len);
    room[text.len + 1] = '"';
    if (behind)
        room[text.len + 2] = behind;
    kin__buf_added(buf, len);
}

static void write_escape(kin__buf *buf, char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = "\b\f\n\r\t";
    char text[6] = {'\\', 'u', '0', '0', hex[(unsigned char)c >> 4], hex[c & 15]};

    if (c == '"' || c == '\\') {
        put_char(buf, '\\');
        put_char(buf, c);
        return;
    }
    const char *letter = strchr(letters, c);
    if (c != '\0' && letter) {
        text[1] = "bfnrt"[letter - letters];
        kin__buf_append(buf, kin_str_make(text, 2));
    } else {
        kin__buf_append(buf, kin_str_make(text, 6));
    }
}

/* To the first character that needs an escape. Characters beyond ASCII stand for themselves. */
static inline const char *skip_plain(const char *p, const char *end)
{
    do {
        p = kin__json_scan_plain(p, end);
        while (p < end && (signed char)*p < 0)
            p++;
    } while (p < end && kin__json_is_plain(*p));
    return p;
}

void kin__json_write_string(kin__buf *buf, kin_str text)
{
    const char *end = text.data + text.len;
    const char *plain = text.data;
    const char *p = text.len > 0 ? skip_plain(plain, end) : end;

    if (p == end) {
        put_plain(buf, text, '\0');
        return;
    }
    put_char(buf, '"');
    for (;;) {
        kin__buf_append(buf, kin_str_make(plain, (size_t)(p - plain)));
        if (p == end)
            break;
        write_escape(buf, *p++);
        plain = p;
        p = p < end ? skip_plain(p, end) : end;
    }
    put_char(buf, '"');
}

static void write_scalar(kin__buf *buf, kin__at at)
{
    kin_scratch scratch;
    int64_t integer;
    kin_str text;

    switch (kin__tape_type(at)) {
    case KIN_STRING:
        kin__json_write_string(buf, kin__tape_string(at, &scratch));
        return;
    case KIN_INTEGER:
    case KIN_NUMBER:
        if (kin__tape_integer(at, &integer, &text))
            text = kin__integer_text(integer, scratch.bytes + sizeof(scratch.bytes));
        break;
    case KIN_BOOL:
        text = *at.at == KIN__TAG_TRUE ? kin_str_of("true") : kin_str_of("false");
        break;
    default:
        text = kin_str_of("null");
        break;
    }
    kin__buf_append(buf, text);
}

static void write_line(kin__buf *buf, enum kin_json_style style, unsigned depth)
{
    static const char spaces[] = "                                                                ";
    size_t indent = (size_t)depth * INDENT;

    if (style != KIN_JSON_PRETTY)
        return;
    put_char(buf, '\n');
    while (indent > 0) {
        size_t n = indent < sizeof(spaces) - 1 ? indent : sizeof(spaces) - 1;

        kin__buf_append(buf, kin_str_make(spaces, n));
        indent -= n;
    }
}

static void write_key(kin__buf *buf, enum kin_json_style style, uint16_t id, kin_str key)
{
    if (id < KIN__KEYS_MAX) {
        /* The dictionary holds nothing that needs an escape. */
        put_plain(buf, key, ':');
    } else {
        kin__json_write_string(buf, key);
        put_char(buf, ':');
    }
    if (style == KIN_JSON_PRETTY)
        put_char(buf, ' ');
}

/* A scalar, or the beginning of a map or array. */
static bool open_value(kin__buf *buf, kin__at at, kin__walk *walk)
{
    if (kin__tape_is_shared(at.at))
        at = kin__tape_follow(at);
    if (!kin__walk_init(walk, at)) {
        write_scalar(buf, at);
        return false;
    }
    if (walk->next == walk->end) {
        kin__buf_append(buf, walk->is_map ? kin_str_of("{}") : kin_str_of("[]"));
        return false;
    }
    put_char(buf, walk->is_map ? '{' : '[');
    return true;
}

void kin__json_write(kin__buf *buf, kin_value value, enum kin_json_style style)
{
    kin__walk stack[KIN__DEPTH_MAX + 1];
    kin__at at = {(const kin__tape *)value.owner, value.at};
    unsigned depth = open_value(buf, at, &stack[0]);
    bool first = true;

    while (depth > 0) {
        kin__walk *walk = &stack[depth - 1];
        uint16_t id;
        kin_str key;

        if (!kin__walk_next(walk, &id, &key, &at)) {
            depth--;
            write_line(buf, style, depth);
            put_char(buf, walk->is_map ? '}' : ']');
            first = false;
            continue;
        }
        if (!first)
            put_char(buf, ',');
        write_line(buf, style, depth);
        if (walk->is_map)
            write_key(buf, style, id, key);
        first = open_value(buf, at, &stack[depth]);
        depth += first;
    }
}

int kin_value_to_json(char **ret, size_t *ret_len, kin_value value, enum kin_json_style style,
                      kin_error *err)
{
    kin__buf buf;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!value.at)
        return kin_error_set(err, KIN_EINVAL, "there is no value to write");
    if (style != KIN_JSON_COMPACT && style != KIN_JSON_PRETTY)
        return kin_error_set(err, KIN_EINVAL, "unknown JSON style %d", (int)style);
    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__json_write(&buf, value, style);
    if (kin__buf_take(&buf, ret, ret_len) < 0) {
        kin__buf_done(&buf);
        return kin__error_no_memory(err);
    }
    return 0;
}

int kin_object_to_json(char **ret, size_t *ret_len, const kin_object *object,
                       enum kin_json_style style, kin_error *err)
{
    if (!ret || !object)
        return kin__error_null(err, !ret ? "ret" : "object");

    kin_value root = kin_object_root(object);

    if (!root.at)
        return kin_error_set(err, KIN_ETYPE, "not a document");
    return kin_value_to_json(ret, ret_len, root, style, err);
}
