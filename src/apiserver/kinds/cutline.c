/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts in fixed buffers. What was cut ends at a character boundary if it was UTF-8, and takes
 * no more: a short piece behind a long one that did not fit would read as if nothing were missing.
 */
#include <stdarg.h>
#include <stdio.h>

#include "apiserver/kinds/failure.h"
#include "base/compiler.h"
#include "base/locale.h"
#include "base/str.h"
#include "base/utf8.h"

void kin__cutline_init(kin__cutline *line, char *data, size_t size)
{
    line->data = data;
    line->size = size;
    line->len = 0;
    data[0] = '\0';
}

/* Nothing fits any more. */
static void close_line(kin__cutline *line)
{
    line->size = line->len + 1;
}

void kin__cutline_append(kin__cutline *line, kin_str s)
{
    size_t room = line->size - 1 - line->len;
    size_t n = s.len;

    if (n > room)
        n = kin__utf8_cut(s.data, room);
    if (n > 0)
        memcpy(line->data + line->len, s.data, n);
    line->len += n;
    line->data[line->len] = '\0';
    if (n < s.len)
        close_line(line);
}

/* Formats into what room there is; the length the text needs, negative if unformattable. */
static int format_at_end(kin__cutline *line, const char *fmt, va_list ap) KIN_PRINTF(2, 0);
static int format_at_end(kin__cutline *line, const char *fmt, va_list ap)
{
    kin__locale_scope scope;

    kin__c_locale_begin(&scope);
    int n = vsnprintf(line->data + line->len, line->size - line->len, fmt, ap);
    kin__c_locale_end(&scope);
    return n;
}

void kin__cutline_appendf(kin__cutline *line, const char *fmt, ...)
{
    size_t room = line->size - line->len;
    va_list ap;

    va_start(ap, fmt);
    int n = format_at_end(line, fmt, ap);
    va_end(ap);
    if (n < 0) {
        line->data[line->len] = '\0';
    } else if ((size_t)n >= room) {
        line->len += kin__utf8_cut(line->data + line->len, room - 1);
        line->data[line->len] = '\0';
        close_line(line);
    } else {
        line->len += (size_t)n;
    }
}

/* An escape of one letter, or 0. */
static char short_escape(unsigned char c)
{
    static const char codes[] = "\a\b\f\n\r\t\v\"\\";
    static const char letters[] = "abfnrtv\"\\";
    const char *at = c ? strchr(codes, c) : NULL;

    if (!at)
        return '\0';
    return letters[at - codes];
}

bool kin__is_printable(const char *p, size_t len)
{
    unsigned char c = (unsigned char)*p;
    unsigned char next = len == 2 ? (unsigned char)p[1] : 0;

    if (len == 2 &&
        c == 0xc2) /* U+0080 to U+00BF: neither controls nor a blank nor a soft hyphen */
        return next > 0xa0 && next != 0xad;
    return len > 1 || (len == 1 && c >= 0x20 && c != 0x7f);
}

/* One character, which is `len` bytes; 0: a byte that is none. */
static void append_quoted_char(kin__cutline *line, const char *p, size_t len)
{
    char letter = short_escape((unsigned char)*p);

    if (letter)
        kin__cutline_appendf(line, "\\%c", letter);
    else if (kin__is_printable(p, len))
        kin__cutline_append(line, kin_str_make(p, len));
    else if (len == 2)
        kin__cutline_appendf(line, "\\u00%02x", (unsigned char)p[1]);
    else
        kin__cutline_appendf(line, "\\x%02x", (unsigned char)*p);
}

void kin__cutline_append_quoted(kin__cutline *line, kin_str s)
{
    size_t i = 0;

    kin__cutline_append(line, kin_str_of("\""));
    while (i < s.len && line->len + 1 < line->size) {
        size_t len = kin__utf8_char_len(s.data + i, s.len - i);

        append_quoted_char(line, s.data + i, len);
        i += len ? len : 1;
    }
    kin__cutline_append(line, kin_str_of("\""));
}

kin_str kin__go_package(const char *group)
{
    kin_str name = kin_str_of(group);

    /* Events of both groups are the same type. */
    if (name.len == 0 || strcmp(group, "events.k8s.io") == 0)
        return kin_str_of("core");
    return kin_str_make(group, kin__str_find(name, '.'));
}

void kin__cutline_append_resource(kin__cutline *line, const kin__kind *kind)
{
    kin__cutline_append(line, kin_str_of(kind->resource));
    if (kind->group[0])
        kin__cutline_appendf(line, ".%s", kind->group);
}
