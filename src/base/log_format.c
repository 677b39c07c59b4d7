/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as lines of text:
 *
 *     2026-11-15T20:50:00.123456Z warn reflector: watch ended early kind=pods events=0
 *
 * A value is quoted if it is empty or holds anything but harmless characters. Control
 * characters, hidden characters (zero-width, bidirectional overrides) and bytes that are not UTF-8
 * are escaped byte by byte, so that nothing another side sent can forge a line, move a terminal's
 * cursor or look like something else. Nothing allocates: a log line must be
 * possible when memory is out.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/locale.h"
#include "base/log.h"
#include "base/utf8.h"

/* Longer lines are cut; a pipe takes as much as this in one atomic write. */
#define LINE_MAX_BYTES 4096

/* Output that counts what it can't store, like snprintf(). */
struct out {
    char *buf;
    size_t size;
    size_t len; /* of the whole text */
};

static void append(struct out *out, const char *data, size_t len)
{
    if (out->len < out->size) {
        size_t room = out->size - out->len;

        memcpy(out->buf + out->len, data, len < room ? len : room);
    }
    out->len += len;
}

static void put_text(struct out *out, const char *text)
{
    append(out, text, strlen(text));
}

static void put_escaped_byte(struct out *out, unsigned char c)
{
    char text[5];

    if (c == '"' || c == '\\')
        snprintf(text, sizeof(text), "\\%c", c);
    else if (c == '\n')
        snprintf(text, sizeof(text), "\\n");
    else if (c == '\t')
        snprintf(text, sizeof(text), "\\t");
    else
        snprintf(text, sizeof(text), "\\x%02x", c);
    put_text(out, text);
}

/* Length of the character at p if it may stay as it is, else 0: C0, DEL, C1, hidden, bad UTF-8. */
static size_t printable_len(const char *p, size_t n)
{
    size_t len = kin__utf8_char_len(p, n);
    unsigned char c = (unsigned char)p[0];

    if (len == 1 && (c < 0x20 || c == 0x7f))
        return 0;
    if (len == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0)
        return 0;
    if (len > 1 && kin__utf8_is_hidden(p, len))
        return 0;
    return len;
}

static void put_escaped(struct out *out, kin_str s)
{
    for (size_t i = 0; i < s.len;) {
        size_t len = printable_len(s.data + i, s.len - i);

        if (len == 0 || s.data[i] == '"' || s.data[i] == '\\') {
            put_escaped_byte(out, (unsigned char)s.data[i]);
            i++;
        } else {
            append(out, s.data + i, len);
            i += len;
        }
    }
}

static bool is_plain(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];

        if (c <= ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '=')
            return false;
    }
    return s.len > 0;
}

static void put_str(struct out *out, kin_str s)
{
    if (is_plain(s)) {
        append(out, s.data, s.len);
    } else {
        put_text(out, "\"");
        put_escaped(out, s);
        put_text(out, "\"");
    }
}

static void put_value(struct out *out, const kin_log_field *field)
{
    char text[32];

    switch (field->type) {
    case KIN_LOG_STR:
        put_str(out, field->value.str);
        return;
    case KIN_LOG_INT:
        snprintf(text, sizeof(text), "%lld", (long long)field->value.i64);
        break;
    case KIN_LOG_UINT:
        snprintf(text, sizeof(text), "%llu", (unsigned long long)field->value.u64);
        break;
    case KIN_LOG_DOUBLE:
        snprintf(text, sizeof(text), "%.9g", field->value.dbl);
        break;
    case KIN_LOG_BOOL:
        snprintf(text, sizeof(text), "%s", field->value.boolean ? "true" : "false");
        break;
    default:
        snprintf(text, sizeof(text), "?");
        break;
    }
    put_text(out, text);
}

static void put_time(struct out *out, int64_t unix_ns)
{
    int64_t below = unix_ns % KIN__SECOND;
    time_t t = (time_t)(unix_ns / KIN__SECOND - (below < 0)); /* before 1970: round down */
    int64_t micros = (below < 0 ? below + KIN__SECOND : below) / KIN__MICROSECOND;
    struct tm tm;
    char text[64];

    if (!gmtime_r(&t, &tm))
        memset(&tm, 0, sizeof(tm));
    snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)micros);
    put_text(out, text);
}

static void put_record(struct out *out, const kin_log_record *record)
{
    put_time(out, record->unix_ns);
    put_text(out, " ");
    put_text(out, kin_log_level_name(record->level));
    put_text(out, " ");
    put_escaped(out, kin_str_of(record->component));
    put_text(out, ": ");
    put_escaped(out, kin_str_of(record->message));
    for (size_t i = 0; i < record->n_fields; i++) {
        put_text(out, " ");
        put_escaped(out, kin_str_of(record->fields[i].key));
        put_text(out, "=");
        put_value(out, &record->fields[i]);
    }
}

size_t kin_log_format(const kin_log_record *record, char *buf, size_t size)
{
    struct out out = {.buf = buf, .size = size ? size - 1 : 0, .len = 0};
    kin__locale_scope scope;

    if (record) {
        kin__c_locale_begin(&scope);
        put_record(&out, record);
        kin__c_locale_end(&scope);
    }
    if (size)
        buf[out.len < size ? out.len : kin__utf8_cut(buf, size - 1)] = '\0';
    return out.len;
}

void kin_log_to_stderr(const kin_log_record *record, void *arg)
{
    char line[LINE_MAX_BYTES];
    int saved = errno;

    (void)arg;
    if (!record)
        return;
    kin_log_format(record, line, sizeof(line) - 1); /* one byte less: the line's end */
    size_t len = strlen(line);
    line[len++] = '\n';
    /* A log line that can't be written has nowhere to be reported. */
    while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
        ;
    errno = saved;
}
