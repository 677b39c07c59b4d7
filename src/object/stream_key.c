/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text was read by the parser up to its end, so that nothing is checked here: brackets fit, and
 * strings end. What is cut off has no end, and is not found.
 */
#include "object/stream_key.h"

#include <string.h>

struct scan {
    const char *p;
    const char *end;
};

static void skip_blanks(struct scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

/* From a quote to behind the other one. */
static bool skip_string(struct scan *s)
{
    for (s->p++; s->p < s->end; s->p++) {
        if (*s->p == '\\')
            s->p++;
        else if (*s->p == '"')
            break;
    }
    if (s->p >= s->end)
        return false;
    s->p++;
    return true;
}

/* From a bracket to behind the one that closes it. */
static bool skip_nested(struct scan *s)
{
    size_t depth = 0;

    while (s->p < s->end) {
        if (*s->p == '"') {
            if (!skip_string(s))
                return false;
            continue;
        }
        depth += *s->p == '{' || *s->p == '[';
        depth -= *s->p == '}' || *s->p == ']';
        s->p++;
        if (depth == 0)
            return true;
    }
    return false;
}

static bool skip_value(struct scan *s)
{
    if (s->p >= s->end)
        return false;
    if (*s->p == '"')
        return skip_string(s);
    if (*s->p == '{' || *s->p == '[')
        return skip_nested(s);
    while (s->p < s->end && *s->p != ',' && *s->p != '}')
        s->p++;
    return s->p < s->end;
}

/* Up to the value of the next member; `ret` is its key with the quotes. */
static bool next_key(struct scan *s, kin_str *ret)
{
    const char *begin;

    skip_blanks(s);
    begin = s->p;
    if (s->p >= s->end || *s->p != '"' || !skip_string(s))
        return false;
    *ret = kin_str_make(begin, (size_t)(s->p - begin));
    skip_blanks(s);
    if (s->p >= s->end || *s->p != ':')
        return false;
    s->p++;
    skip_blanks(s);
    return s->p < s->end;
}

bool kin__stream_find_metadata(kin_str text, kin_str *ret)
{
    struct scan s = {text.data, text.data + text.len};
    kin_str key;

    if (text.len == 0 || *s.p != '{')
        return false;
    do {
        const char *begin;

        s.p++; /* '{' or ',' */
        if (!next_key(&s, &key))
            return false;
        begin = s.p;
        if (!skip_value(&s))
            return false;
        if (kin_str_equal(key, kin_str_of("\"metadata\""))) {
            *ret = kin_str_make(begin, (size_t)(s.p - begin));
            return *begin == '{';
        }
        skip_blanks(&s);
    } while (s.p < s.end && *s.p == ',');
    return false;
}
