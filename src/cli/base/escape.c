/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base/escape.h"

#include <string.h>

long text_char(kin_str s, size_t *ret_len)
{
    static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char c = (unsigned char)s.data[0];
    size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    long value = len == 1 ? c : c & (0x7f >> len);

    *ret_len = 1;
    if (len == 1)
        return c;
    if (c < 0xc2 || c > 0xf4 || len > s.len)
        return -1;
    for (size_t i = 1; i < len; i++) {
        unsigned char next = (unsigned char)s.data[i];

        if ((next & 0xc0) != 0x80)
            return -1;
        value = value << 6 | (next & 0x3f);
    }
    if (value < least[len] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return -1;
    *ret_len = len;
    return value;
}

/*
 * Unicode's Default_Ignorable_Code_Point, the line and paragraph separators, and the marks of annotations: characters
 * that take no room, reorder what surrounds them or end a line. The library escapes the same ones in its log
 * (src/base/utf8.c); tests/unit/cli/base/test_escape.c compares the two.
 */
static const struct {
    long first, last;
} hidden[] = {
    {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool char_is_hidden(long c)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]) && c >= hidden[i].first; i++) {
        if (c <= hidden[i].last)
            return true;
    }
    return false;
}

static bool char_is_control(long c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static void add_escape(struct text *out, long c)
{
    if (c == '\n')
        text_add_string(out, "\\n");
    else if (c == '\t')
        text_add_string(out, "\\t");
    else if (c < 0xa0)
        text_format(out, "\\x%02lx", c);
    else
        text_format(out, c > 0xffff ? "\\U%08lx" : "\\u%04lx", c);
}

static void add_with_escapes(struct text *out, kin_str s, const char *stays)
{
    while (s.len > 0) {
        size_t len = 1;
        long c = text_char(s, &len);

        if (c < 0)
            text_add_char(out, '?');
        else if (char_is_hidden(c) || (char_is_control(c) && !(c > 0 && strchr(stays, (int)c))))
            add_escape(out, c);
        else
            text_add(out, kin_str_make(s.data, len));
        s = kin_str_make(s.data + len, s.len - len);
    }
}

void add_escaped(struct text *out, kin_str s)
{
    add_with_escapes(out, s, "");
}

void add_escaped_lines(struct text *out, kin_str s)
{
    add_with_escapes(out, s, "\n\t");
}

static void add_json_escape(struct text *out, long c)
{
    if (c > 0xffff)
        text_format(out, "\\u%04lx\\u%04lx", 0xd800 + ((c - 0x10000) >> 10),
                    0xdc00 + ((c - 0x10000) & 0x3ff));
    else
        text_format(out, "\\u%04lx", c);
}

/* Such characters are in strings only, so the position in the document does not matter. */
void add_json_escaped(struct text *out, kin_str json, bool with_hidden)
{
    size_t start = 0;

    for (size_t i = 0; i < json.len;) {
        size_t len = 1;
        long c = text_char(kin_str_make(json.data + i, json.len - i), &len);

        if ((c >= 0x7f && c < 0xa0) || (with_hidden && char_is_hidden(c))) {
            text_add(out, kin_str_make(json.data + start, i - start));
            add_json_escape(out, c);
            start = i + len;
        }
        i += len;
    }
    text_add(out, kin_str_make(json.data + start, json.len - start));
}
