/* SPDX-License-Identifier: Apache-2.0 */
/* The words of templates: names, numbers, texts. */
#include "cli/jsonpath/jsonpath_scan.h"

#include <stdlib.h>
#include <string.h>

int scan_bad(const struct scan *s, const char *what)
{
    int code =
        kin_error_set(s->err, KIN_EPARSE, "%s, at byte %zu of the template", what, s->base + s->at);

    if (s->err)
        s->err->offset = s->base + s->at;
    return code;
}

/* --- memory --- */

void *scan_block(struct jsonpath *path, size_t size)
{
    struct jsonpath_block *b = memory_zeroed(1, sizeof(*b) + size);

    b->next = path->blocks;
    path->blocks = b;
    return b->bytes;
}

kin_str scan_keep(struct jsonpath *path, kin_str s)
{
    char *bytes = scan_block(path, s.len + 1);

    if (s.len > 0)
        memcpy(bytes, s.data, s.len);
    return kin_str_make(bytes, s.len);
}

struct step *scan_add_step(struct scan *s, struct step_list *list, enum step_type type)
{
    struct step *step = scan_block(s->path, sizeof(*step));

    step->type = type;
    if (list->last)
        list->last->next = step;
    else
        list->first = step;
    list->last = step;
    return step;
}

/* --- characters --- */

int scan_peek(const struct scan *s)
{
    return s->at < s->text.len ? (unsigned char)s->text.data[s->at] : -1;
}

bool scan_begins_with(const struct scan *s, const char *prefix)
{
    size_t len = strlen(prefix);

    return s->text.len - s->at >= len && memcmp(s->text.data + s->at, prefix, len) == 0;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

bool scan_is_word(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

/* Ends names. */
bool scan_is_terminator(int c)
{
    return c <= 0 || strchr(" \r\n.,[]$@{}", c) != NULL;
}

/* --- names, numbers, texts --- */

/* A name without its backslashes. */
static kin_str unescaped(struct scan *s, kin_str spelled)
{
    char *bytes = scan_block(s->path, spelled.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < spelled.len; i++) {
        if (spelled.data[i] != '\\')
            bytes[len++] = spelled.data[i];
    }
    return kin_str_make(bytes, len);
}

/* Behind the dot. Without a name it is the value itself. */
void scan_field(struct scan *s, struct step_list *list)
{
    size_t start = s->at;

    while (!scan_is_terminator(scan_peek(s)))
        s->at += scan_peek(s) == '\\' && s->at + 1 < s->text.len ? 2 : 1;
    kin_str spelled = kin_str_make(s->text.data + start, s->at - start);
    if (kin_str_equal(spelled, kin_str_of("*")))
        scan_add_step(s, list, STEP_WILDCARD);
    else if (spelled.len > 0)
        scan_add_step(s, list, STEP_FIELD)->text = unescaped(s, spelled);
}

/* What stands in quotes in brackets: names with dots between them. */
void scan_quoted_fields(struct scan *s, struct step_list *list, kin_str text)
{
    struct scan inner = {s->path, text, 0, s->base, s->err};

    for (;;) {
        size_t start = inner.at;

        while (inner.at < text.len && text.data[inner.at] != '.')
            inner.at += text.data[inner.at] == '\\' && inner.at + 1 < text.len ? 2 : 1;
        kin_str spelled = kin_str_make(text.data + start, inner.at - start);
        scan_add_step(s, list, STEP_FIELD)->text = unescaped(s, spelled);
        if (inner.at >= text.len)
            return;
        inner.at++;
    }
}

int scan_number(struct scan *s, struct step_list *list)
{
    size_t start = s->at;

    s->at += !is_digit(scan_peek(s));
    while (is_digit(scan_peek(s)) || scan_peek(s) == '.')
        s->at++;
    kin_str text = scan_keep(s->path, kin_str_make(s->text.data + start, s->at - start));
    char *end;
    double number = strtod(text.data, &end);
    if (text.len > 64 || *end || end == text.data)
        return scan_bad(s, "this is no number");
    struct step *step = scan_add_step(s, list, STEP_NUMBER);
    step->number = number;
    step->text = text;
    return 0;
}

/* A character as UTF-8. */
static void add_character(struct text *out, unsigned long c)
{
    if (c < 0x80) {
        text_add_char(out, (char)c);
        return;
    }
    if (c >= 0x10000) {
        text_add_char(out, (char)(0xf0 | c >> 18));
        text_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
    } else if (c >= 0x800) {
        text_add_char(out, (char)(0xe0 | c >> 12));
    }
    if (c >= 0x800)
        text_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
    else
        text_add_char(out, (char)(0xc0 | c >> 6));
    text_add_char(out, (char)(0x80 | (c & 0x3f)));
}

/* What stands behind a backslash as a number, as Go has it: bytes as \x41 and \101, characters as \u0041 and \U00000041. */
static int take_number(struct scan *s, struct text *out)
{
    static const struct {
        char letter;
        int base;
        size_t len;
        const char *wants;
    } forms[] = {
        {'x', 16, 2, "\\x wants two hexadecimal digits"},
        {'u', 16, 4, "\\u wants four hexadecimal digits"},
        {'U', 16, 8, "\\U wants eight hexadecimal digits"},
        {'0', 8, 3, "a backslash and digits: three of them, from 000 to 377"},
    };
    size_t form = 0;
    char digits[9] = "";

    while (form < 3 && forms[form].letter != scan_peek(s))
        form++;
    s->at += form < 3;
    for (size_t i = 0; i < forms[form].len; i++) {
        int c = s->at + i < s->text.len ? s->text.data[s->at + i] : 0;

        if (!c || !strchr(form < 3 ? "0123456789abcdefABCDEF" : "01234567", c))
            return scan_bad(s, forms[form].wants);
        digits[i] = (char)c;
    }
    unsigned long c = strtoul(digits, NULL, forms[form].base);
    bool is_byte = forms[form].len < 4;
    if (is_byte && c > 0xff)
        return scan_bad(s, forms[form].wants);
    if (!is_byte && ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff))
        return scan_bad(s, "this is half a character, or none");
    s->at += forms[form].len;
    if (is_byte)
        text_add_char(out, (char)c);
    else
        add_character(out, c);
    return 0;
}

static int take_escape(struct scan *s, struct text *out)
{
    static const char names[] = "abfnrtv\\'\"";
    static const char meanings[] = "\a\b\f\n\r\t\v\\'\"";
    int c = scan_peek(s);
    const char *found = c > 0 ? strchr(names, c) : NULL;

    if (!found && c > 0 && strchr("xuU01234567", c))
        return take_number(s, out);
    if (!found)
        return scan_bad(s, "a backslash with something strange behind it");
    s->at++;
    text_add_char(out, meanings[found - names]);
    return 0;
}

int scan_string(struct scan *s, struct step_list *list)
{
    int quote = scan_peek(s);
    struct text out = TEXT_INIT;
    int code = 0;

    s->at++;
    while (code == 0 && scan_peek(s) != quote) {
        int c = scan_peek(s);

        if (c < 0 || c == '\n') {
            code = scan_bad(s, "a quote is missing");
            break;
        }
        s->at++;
        if (c == '\\')
            code = take_escape(s, &out);
        else
            text_add_char(&out, (char)c);
    }
    s->at++;
    if (code == 0)
        scan_add_step(s, list, STEP_TEXT)->text = scan_keep(s->path, text_view(&out));
    text_done(&out);
    return code;
}
