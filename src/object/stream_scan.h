/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding where a JSON value ends without reading it, in pieces cut anywhere.
 *
 * It counts brackets and knows strings; each byte is looked at once. What it finds is right for
 * valid JSON. For anything else it finds some end, or none, and the parser, which sees all that
 * was found, says what is wrong.
 */
#ifndef KIN_OBJECT_STREAM_SCAN_H
#define KIN_OBJECT_STREAM_SCAN_H

#include "object/json_scan.h"

typedef struct kin__stream_scan {
    size_t depth; /* brackets that are open */
    bool in_string;
    bool escaped; /* the byte before was a backslash */
} kin__stream_scan;

/* In a string: the quote that ends it, or `end`. */
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
        scan->escaped = *p == '\\';
        p++;
    }
    return p;
}

/*
 * What comes first of the bracket that closes the last open one and a comma at this depth (0:
 * none), or `end`.
 */
static inline const char *kin__stream_scan_end(kin__stream_scan *scan, const char *p,
                                               const char *end, size_t comma_depth)
{
    for (; p < end; p++) {
        if (scan->in_string) {
            p = kin__stream_scan_string(scan, p, end);
            if (p == end)
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
            break;
        }
    }
    return p;
}

#endif
