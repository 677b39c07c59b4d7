/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing YAML.
 *
 * Not with libyaml's emitter: that one quotes a text of several lines as soon as a line ends in a
 * space or holds a tab, escapes characters beyond U+FFFF, and takes its memory elsewhere.
 * A document needs few forms: block maps and sequences, and four ways to write a string.
 *
 * - Plain, where no reader of YAML 1.1 can take it for something else.
 * - Single quotes, where only its characters are in the way: `'a: b'`.
 * - Double quotes, where it would be another value (`"true"`), and for characters that need an
 *   escape: controls, tabs outside of blocks, the line ends that only YAML knows, byte order marks.
 * - A literal block, for several lines with no character that needs an escape.
 *
 * The forms, and which is chosen where, are kubectl's, but for literal blocks, which are used
 * wherever they can be. Blocks whose first line begins with white space, or is empty, say how far
 * they are indented, for nobody could tell.
 *
 * A key of more than 128 bytes is written as `? key` and `: value`: a reader need not look further
 * than 1,024 characters for the colon of a plain one.
 *
 * The walk keeps a stack of its own. The text is at most as large as JSON's, times the indentation.
 */
#include "kinform/yaml.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/stack.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/limits.h"
#include "object/yaml.h"

#define INDENT 2u
#define SIMPLE_KEY_MAX 128u

/* What stands on the line already, where a value is to be written. */
enum place {
    AT_ROOT,      /* nothing */
    BEHIND_KEY,   /* "key:" */
    BEHIND_ENTRY, /* "-", or the ":" below a "? key" */
};

/* A map or array that is being written. */
struct frame {
    kin_iter iter; /* at an element that is to be written, if `is_first` */
    size_t indent;
    bool is_map;
    bool is_first;
    bool is_inline; /* its first element goes on the line that there is */
};

struct writer {
    kin__buf *buf;
    kin__stack frames;
};

/* --- strings --- */

/* What a string contains that matters to its form. */
struct shape {
    bool lines; /* line feeds */
    bool tabs;
    bool escapes;   /* characters that can only be escaped */
    bool content;   /* something but white space */
    bool indicator; /* characters that mean something in a plain scalar */
};

static bool is_blank_or_end(kin_str text, size_t at)
{
    return at >= text.len || text.data[at] == ' ' || text.data[at] == '\t' || text.data[at] == '\n';
}

/* Whether what begins like this begins something else than a plain scalar. */
static bool begins_with_indicator(kin_str text)
{
    char first = text.data[0];

    if (first != '\0' && strchr("#,[]{}&*!|>'\"%@`", first))
        return true;
    if ((first == '-' || first == '?' || first == ':') && is_blank_or_end(text, 1))
        return true;
    return kin__str_starts_with(text, kin_str_of("---")) ||
           kin__str_starts_with(text, kin_str_of("..."));
}

/* Characters of three bytes that need an escape: U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF. */
static bool is_special_3(const char *c)
{
    return memcmp(c, "\xe2\x80\xa8", 3) == 0 || memcmp(c, "\xe2\x80\xa9", 3) == 0 ||
           memcmp(c, "\xef\xbb\xbf", 3) == 0 || memcmp(c, "\xef\xbf\xbe", 3) == 0 ||
           memcmp(c, "\xef\xbf\xbf", 3) == 0;
}

/* Whether the character at c, `len` bytes, can only be escaped. Line feeds and tabs need not be. */
static bool needs_escape(const char *c, size_t len)
{
    unsigned char first = (unsigned char)c[0];

    if (len == 1)
        return (first < 0x20 && first != '\n' && first != '\t') || first >= 0x7f;
    if (len == 2)
        return first == 0xc2 && (unsigned char)c[1] < 0xa0;
    return len == 3 && is_special_3(c);
}

static void note_ascii(struct shape *shape, kin_str text, size_t at)
{
    switch (text.data[at]) {
    case '\n':
        shape->lines = true;
        return;
    case '\t':
        shape->tabs = true;
        return;
    case ' ':
        return;
    case ':':
        shape->indicator |= is_blank_or_end(text, at + 1);
        break;
    case '#':
        shape->indicator |= at > 0 && is_blank_or_end(text, at - 1);
        break;
    default:
        shape->escapes |= needs_escape(&text.data[at], 1);
        break;
    }
    shape->content = true;
}

static struct shape shape_of(kin_str text)
{
    struct shape shape = {false, false, false, false, false};

    if (text.len == 0)
        return shape;
    shape.indicator =
        begins_with_indicator(text) || text.data[0] == ' ' || text.data[text.len - 1] == ' ';
    for (size_t at = 0; at < text.len;) {
        size_t len = 1;

        if ((unsigned char)text.data[at] < 0x80) {
            note_ascii(&shape, text, at);
        } else {
            len = kin__utf8_char_len(&text.data[at], text.len - at);
            len = len ? len : 1;
            shape.content = true;
            shape.escapes |= needs_escape(&text.data[at], len);
        }
        at += len;
    }
    return shape;
}

static void append_spaces(kin__buf *buf, size_t n)
{
    static const char spaces[] = "                                                                ";

    while (n > 0) {
        size_t part = n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1;

        kin__buf_append(buf, kin_str_make(spaces, part));
        n -= part;
    }
}

static void append_single_quoted(kin__buf *buf, kin_str text)
{
    kin_str part;

    kin__buf_append_char(buf, '\'');
    for (bool first = true; kin__str_cut(&text, '\'', &part); first = false) {
        if (!first)
            kin__buf_append(buf, kin_str_of("''"));
        kin__buf_append(buf, part);
    }
    kin__buf_append_char(buf, '\'');
}

/* The letter of an escape of one, or 0. */
static char escape_letter(unsigned code)
{
    static const char codes[] = "\a\b\t\n\v\f\r\x1b\"\\";
    static const char letters[] = "abtnvfre\"\\";

    if (code == 0)
        return '0';
    for (size_t i = 0; i < sizeof(codes) - 1; i++) {
        if ((unsigned char)codes[i] == code)
            return letters[i];
    }
    return '\0';
}

/* Characters that need an escape have at most three bytes. */
static unsigned code_of(const char *c, size_t len)
{
    unsigned first = (unsigned char)c[0];

    if (len == 1)
        return first;
    if (len == 2)
        return (first & 0x1fu) << 6 | ((unsigned char)c[1] & 0x3fu);
    return (first & 0x0fu) << 12 | ((unsigned char)c[1] & 0x3fu) << 6 |
           ((unsigned char)c[2] & 0x3fu);
}

static void append_escape(kin__buf *buf, const char *c, size_t len)
{
    unsigned code = code_of(c, len);
    char letter = escape_letter(code);

    if (letter) {
        kin__buf_append_char(buf, '\\');
        kin__buf_append_char(buf, letter);
    } else if (code < 0x100) {
        kin__buf_appendf(buf, "\\x%02X", code);
    } else {
        kin__buf_appendf(buf, "\\u%04X", code);
    }
}

static void append_double_quoted(kin__buf *buf, kin_str text)
{
    size_t kept = 0; /* up to here all is written */

    kin__buf_append_char(buf, '"');
    for (size_t at = 0; at < text.len;) {
        const char *c = &text.data[at];
        size_t len = kin__utf8_char_len(c, text.len - at);

        len = len ? len : 1;
        if (*c == '"' || *c == '\\' || *c == '\n' || *c == '\t' || needs_escape(c, len)) {
            kin__buf_append(buf, kin_str_make(text.data + kept, at - kept));
            append_escape(buf, c, len);
            kept = at + len;
        }
        at += len;
    }
    kin__buf_append(buf, kin_str_make(text.data + kept, text.len - kept));
    kin__buf_append_char(buf, '"');
}

/* How a block ends: "-" without line feed, "+" with more than one. */
static const char *chomping(kin_str text)
{
    if (text.data[text.len - 1] != '\n')
        return "-";
    return text.len > 1 && text.data[text.len - 2] == '\n' ? "+" : "";
}

/* Ends without line feed, as all values do. */
static void append_literal(kin__buf *buf, kin_str text, size_t indent)
{
    bool ends = text.data[text.len - 1] == '\n';
    kin_str line;

    kin__buf_append_char(buf, '|');
    if (text.data[0] == ' ' || text.data[0] == '\t' || text.data[0] == '\n')
        kin__buf_appendf(buf, "%u", INDENT);
    kin__buf_append(buf, kin_str_of(chomping(text)));
    if (ends)
        text.len--;
    while (kin__str_cut(&text, '\n', &line)) {
        kin__buf_append_char(buf, '\n');
        if (line.len == 0)
            continue;
        append_spaces(buf, indent);
        kin__buf_append(buf, line);
    }
}

/* A string that fits one line, or is written so that it does. */
static void append_flow_string(kin__buf *buf, kin_str text, struct shape shape)
{
    bool stays = kin__yaml_stays_string(text);

    if (shape.lines || shape.tabs || shape.escapes || !stays)
        append_double_quoted(buf, text);
    else if (shape.indicator)
        append_single_quoted(buf, text);
    else
        kin__buf_append(buf, text);
}

static void append_string(kin__buf *buf, kin_str text, size_t indent)
{
    struct shape shape = shape_of(text);

    if (shape.lines && shape.content && !shape.escapes)
        append_literal(buf, text, indent);
    else
        append_flow_string(buf, text, shape);
}

/* --- values --- */

/* What a value that is no map or array looks like; `indent` is that of what it is in. */
static void append_scalar(kin__buf *buf, kin_value value, size_t indent)
{
    kin_scratch scratch;
    kin_str text;
    bool is_true = false;

    switch (kin_value_type(value)) {
    case KIN_BOOL:
        (void)kin_value_bool(&is_true, value);
        kin__buf_append(buf, kin_str_of(is_true ? "true" : "false"));
        break;
    case KIN_INTEGER:
    case KIN_NUMBER:
        if (kin_value_number(&text, value, &scratch) == 0)
            kin__buf_append(buf, text);
        break;
    case KIN_STRING:
        if (kin_value_string(&text, value, &scratch) == 0)
            append_string(buf, text, indent + INDENT);
        break;
    default:
        kin__buf_append(buf, kin_str_of("null"));
        break;
    }
}

/* Begin a map or array that has elements. 0 or KIN_ENOMEM. */
static int push_frame(struct writer *w, const kin_iter *iter, bool is_map, enum place place,
                      size_t indent)
{
    struct frame *frame = kin__stack_push(&w->frames);

    if (!frame)
        return KIN_ENOMEM;
    /* A sequence behind a key stands in the key's column. */
    if (place == BEHIND_ENTRY || (place == BEHIND_KEY && is_map))
        indent += INDENT;
    if (place != AT_ROOT)
        kin__buf_append_char(w->buf, place == BEHIND_KEY ? '\n' : ' ');
    *frame = (struct frame){*iter, indent, is_map, true, place == BEHIND_ENTRY};
    return 0;
}

/* Write a value, or begin to; `indent` is that of what it is in. 0 or KIN_ENOMEM. */
static int write_value(struct writer *w, kin_value value, enum place place, size_t indent)
{
    enum kin_type type = kin_value_type(value);
    bool is_map = type == KIN_MAP;
    kin_iter iter;

    if (is_map || type == KIN_ARRAY) {
        kin_iter_init(&iter, value);
        if (kin_iter_next(&iter))
            return push_frame(w, &iter, is_map, place, indent);
    }
    if (place != AT_ROOT)
        kin__buf_append_char(w->buf, ' ');
    if (is_map || type == KIN_ARRAY)
        kin__buf_append(w->buf, kin_str_of(is_map ? "{}" : "[]"));
    else
        append_scalar(w->buf, value, indent);
    kin__buf_append_char(w->buf, '\n');
    return 0;
}

/* The key of a member, and where that leaves us. */
static enum place write_key(kin__buf *buf, kin_str key, size_t indent)
{
    bool is_simple = key.len <= SIMPLE_KEY_MAX;

    if (!is_simple)
        kin__buf_append(buf, kin_str_of("? "));
    append_flow_string(buf, key, shape_of(key));
    if (!is_simple) {
        kin__buf_append_char(buf, '\n');
        append_spaces(buf, indent);
    }
    kin__buf_append_char(buf, ':');
    return is_simple ? BEHIND_KEY : BEHIND_ENTRY;
}

/* One element of the innermost map or array, or its end. 0 or KIN_ENOMEM. */
static int write_on(struct writer *w)
{
    struct frame *top = kin__stack_top(&w->frames);
    enum place place = BEHIND_ENTRY;

    if (!top->is_first && !kin_iter_next(&top->iter)) {
        kin__stack_pop(&w->frames);
        return 0;
    }
    if (!top->is_first || !top->is_inline)
        append_spaces(w->buf, top->indent);
    top->is_first = false;
    if (top->is_map)
        place = write_key(w->buf, top->iter.key, top->indent);
    else
        kin__buf_append_char(w->buf, '-');
    return write_value(w, top->iter.value, place, top->indent);
}

int kin__yaml_append(kin__buf *out, kin_value value)
{
    struct writer w = {.buf = out};

    kin__stack_init(&w.frames, sizeof(struct frame));
    int code = write_value(&w, value, AT_ROOT, 0);
    while (!code && !out->failed && w.frames.len > 0)
        code = write_on(&w);
    kin__stack_done(&w.frames);
    return code ? code : out->failed;
}

int kin_value_to_yaml(char **ret, size_t *ret_len, kin_value value, kin_error *err)
{
    kin__buf buf;

    if (!ret)
        return kin__error_null(err, "ret");
    if (kin_value_type(value) == KIN_NONE)
        return kin_error_set(err, KIN_EINVAL, "there is no value");
    kin__buf_init(&buf, (size_t)KIN__TEXT_MAX);
    int code = kin__yaml_append(&buf, value);
    if (!code)
        code = kin__buf_take(&buf, ret, ret_len);
    kin__buf_done(&buf);
    if (code == KIN_ELIMIT)
        return kin_error_set(err, code, "more than %u bytes of YAML", KIN__TEXT_MAX);
    return code ? kin__error_no_memory(err) : 0;
}

int kin_object_to_yaml(char **ret, size_t *ret_len, const kin_object *object, kin_error *err)
{
    if (!ret || !object)
        return kin__error_null(err, !ret ? "ret" : "object");

    kin_value root = kin_object_root(object);

    if (kin_value_type(root) == KIN_NONE)
        return kin_error_set(err, KIN_ETYPE, "the object is no document");
    return kin_value_to_yaml(ret, ret_len, root, err);
}
