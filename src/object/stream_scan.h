/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding where a JSON value ends without reading it, in pieces cut anywhere.
 *
 * It counts brackets and knows strings; each byte is looked at once. What it finds is right for
 * valid JSON. For anything else it finds some end, or none, and the parser, which sees all that
 * was found, says what is wrong.
 *
 * Bytes that stand nowhere in JSON are an end, too: a stream that has turned into something else is
 * found out where it does, and not when a bracket happens to come, or the limit. What follows them
 * cannot be told apart any more.
 */
#ifndef KIN_OBJECT_STREAM_SCAN_H
#define KIN_OBJECT_STREAM_SCAN_H

#include "object/json_scan.h"

typedef struct kin__stream_scan {
    size_t depth; /* brackets that are open */
    bool in_string;
    bool escaped; /* the byte before was a backslash */
    bool is_lost; /* what was found last is such a byte */
} kin__stream_scan;

static inline bool kin__stream_scan_is_control(char c)
{
    return (unsigned char)c < 0x20;
}

/* Outside of strings: words, numbers, spaces. Brackets, commas and quotes are looked at before. */
static inline bool kin__stream_scan_may_stand(char c)
{
    return c == ' ' || c == ':' || c == '\n' || c == '\t' || c == '\r' || (c >= '0' && c <= '9') ||
           (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

/* In a string: the quote that ends it, a control character, which cannot be in one, or `end`. */
static inline const char *kin__stream_scan_string(kin__stream_scan *scan, const char *p,
                                                  const char *end)
{
    while (p < end) {
        if (scan->escaped) {
            scan->escaped = false;
            p++;
            continue;
        }
        p = kin__json_scan_plain(p, end);
        if (p == end)
            break;
        if (*p == '"') {
            scan->in_string = false;
            return p;
        }
        if (kin__stream_scan_is_control(*p)) {
            scan->is_lost = true;
            return p;
        }
        scan->escaped = *p == '\\';
        p++;
    }
    return p;
}

/*
 * What comes first of the bracket that closes the last open one, a comma at this depth (0: none), and
 * a byte that cannot stand where it does; or `end`.
 */
static inline const char *kin__stream_scan_end(kin__stream_scan *scan, const char *p,
                                               const char *end, size_t comma_depth)
{
    for (; p < end; p++) {
        if (scan->in_string) {
            p = kin__stream_scan_string(scan, p, end);
            if (p == end || scan->is_lost)
                break;
            continue;
        }
        switch (*p) {
        case '"':
            scan->in_string = true;
            break;
        case '{':
        case '[':
            scan->depth++;
            break;
        case '}':
        case ']':
            if (--scan->depth == 0)
                return p;
            break;
        case ',':
            if (scan->depth == comma_depth)
                return p;
            break;
        default:
            if (!kin__stream_scan_may_stand(*p)) {
                scan->is_lost = true;
                return p;
            }
            break;
        }
    }
    return p;
}

#endif
