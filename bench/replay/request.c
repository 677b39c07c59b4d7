/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of request heads. Strict: lines end in CRLF, headers are not folded, names are tokens,
 * percent signs are followed by two hexadecimal digits. A benchmark's client that deviates is to be
 * found out, not humoured. Nothing is looked at before the head is complete, so a request means the
 * same however its bytes were cut by the network.
 */
#include "request.h"

#include <string.h>
#include <strings.h>

struct slice {
    const char *data;
    size_t len;
};

static enum kin_bench_parse reject(struct kin_bench_request *r, int status, const char *problem)
{
    r->status = status;
    r->problem = problem;
    return KIN_BENCH_PARSE_ERROR;
}

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_token_char(s.data[i]))
            return false;
    return s.len > 0;
}

static bool equals(struct slice s, const char *text)
{
    return s.len == strlen(text) && !memcmp(s.data, text, s.len);
}

static bool equals_nocase(struct slice s, const char *text)
{
    return s.len == strlen(text) && !strncasecmp(s.data, text, s.len);
}

static struct slice trim(struct slice s)
{
    while (s.len > 0 && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* Cuts s at the first c; the rest, without c, is in *rest, whose data is NULL if there was none. */
static struct slice cut(struct slice s, char c, struct slice *rest)
{
    const char *at = s.len > 0 ? memchr(s.data, c, s.len) : NULL;

    if (!at) {
        rest->data = NULL;
        rest->len = 0;
        return s;
    }
    rest->data = at + 1;
    rest->len = s.len - (size_t)(at + 1 - s.data);
    s.len = (size_t)(at - s.data);
    return s;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Percent-decoding. The result is never longer than the input. NUL is refused. */
static int decode(char *out, size_t out_size, struct slice in, bool plus, size_t *ret_len)
{
    size_t n = 0;

    for (size_t i = 0; i < in.len; i++) {
        char c = in.data[i];

        if (c == '%') {
            int high = in.len - i > 2 ? hex_value(in.data[i + 1]) : -1;
            int low = in.len - i > 2 ? hex_value(in.data[i + 2]) : -1;

            if (high < 0 || low < 0)
                return -1;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        if (c == '\0' || n + 1 >= out_size)
            return -1;
        out[n++] = c;
    }
    out[n] = '\0';
    *ret_len = n;
    return 0;
}

static int parse_bool(const char *value, bool *ret)
{
    if (!strcmp(value, "1") || !strcmp(value, "true"))
        *ret = true;
    else if (!strcmp(value, "0") || !strcmp(value, "false"))
        *ret = false;
    else
        return -1;
    return 0;
}

static enum kin_bench_parse parse_query(struct kin_bench_request *r, struct slice query)
{
    bool seen_watch = false;
    bool seen_initial = false;

    while (query.data) {
        struct slice rest;
        struct slice value;
        struct slice name = cut(cut(query, '&', &rest), '=', &value);
        char name_text[32];
        char value_text[KIN_BENCH_TARGET_MAX + 1];
        size_t len;

        query = rest;
        if (name.len == 0 && !value.data)
            continue;
        /* A name that does not fit is none that matters, but it has to be well-formed. */
        if (decode(value_text, sizeof(value_text), name, true, &len) < 0)
            return reject(r, 400, "the query is not properly encoded");
        name_text[0] = '\0';
        if (len < sizeof(name_text))
            memcpy(name_text, value_text, len + 1);
        if (decode(value_text, sizeof(value_text), value, true, &len) < 0)
            return reject(r, 400, "the query is not properly encoded");
        if (!strcmp(name_text, "watch")) {
            if (seen_watch || parse_bool(value_text, &r->watch) < 0)
                return reject(r, 400, "watch must be given once, as 1, 0, true or false");
            seen_watch = true;
        } else if (!strcmp(name_text, "sendInitialEvents")) {
            if (seen_initial || parse_bool(value_text, &r->send_initial_events) < 0)
                return reject(r, 400,
                              "sendInitialEvents must be given once, as 1, 0, true or false");
            seen_initial = true;
        }
    }
    if (r->send_initial_events && !r->watch)
        return reject(r, 400, "sendInitialEvents is forbidden without watch");
    return KIN_BENCH_PARSE_DONE;
}

static enum kin_bench_parse parse_target(struct kin_bench_request *r, struct slice target)
{
    struct slice query;
    struct slice path;
    size_t len;

    if (target.len > KIN_BENCH_TARGET_MAX)
        return reject(r, 414, "the request target is too long");
    if (target.len == 0 || target.data[0] != '/')
        return reject(r, 400, "the request target must be a path");
    for (size_t i = 0; i < target.len; i++)
        if (target.data[i] <= ' ' || target.data[i] > '~' || target.data[i] == '#')
            return reject(r, 400, "the request target has a character that must be encoded");
    path = cut(target, '?', &query);
    if (decode(r->path, sizeof(r->path), path, false, &len) < 0)
        return reject(r, 400, "the path is not properly encoded");
    return parse_query(r, query);
}

static enum kin_bench_parse parse_request_line(struct kin_bench_request *r, struct slice line)
{
    struct slice rest;
    struct slice version;
    struct slice method = cut(line, ' ', &rest);
    struct slice target = cut(rest, ' ', &version);

    if (!is_token(method))
        return reject(r, 400, "the method is malformed");
    if (version.len != 8 || memcmp(version.data, "HTTP/", 5) != 0 || version.data[6] != '.' ||
        version.data[5] < '0' || version.data[5] > '9' || version.data[7] < '0' ||
        version.data[7] > '9')
        return reject(r, 400, "the request line is malformed");
    if (!equals(version, "HTTP/1.1"))
        return reject(r, 505, "only HTTP/1.1 is served");
    r->get = equals(method, "GET");
    return parse_target(r, target);
}

static int append_accept(struct kin_bench_request *r, struct slice value)
{
    size_t len = strlen(r->accept);
    size_t comma = len > 0 ? 1 : 0;

    if (len + comma + value.len > KIN_BENCH_ACCEPT_MAX)
        return -1;
    if (comma)
        r->accept[len++] = ',';
    if (value.len > 0)
        memcpy(r->accept + len, value.data, value.len);
    r->accept[len + value.len] = '\0';
    return 0;
}

static void parse_connection(struct kin_bench_request *r, struct slice value)
{
    while (value.data) {
        struct slice rest;

        if (equals_nocase(trim(cut(value, ',', &rest)), "close"))
            r->close = true;
        value = rest;
    }
}

/* Any length but zero is a body, which no request of ours has. */
static enum kin_bench_parse parse_content_length(struct kin_bench_request *r, struct slice value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return reject(r, 400, "the Content-Length header is malformed");
        if (value.data[i] != '0')
            r->body = true;
    }
    return value.len ? KIN_BENCH_PARSE_DONE
                     : reject(r, 400, "the Content-Length header is malformed");
}

static bool has_control_character(struct slice value)
{
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.data[i] < ' ' && value.data[i] != '\t')
            return true;
    }
    return false;
}

static enum kin_bench_parse parse_header(struct kin_bench_request *r, struct slice line,
                                         bool *has_host)
{
    struct slice value;
    struct slice name = cut(line, ':', &value);

    if (!is_token(name) || !value.data)
        return reject(r, 400, "a header is malformed");
    if (has_control_character(value))
        return reject(r, 400, "a header has a control character");
    value = trim(value);
    if (equals_nocase(name, "host")) {
        if (*has_host)
            return reject(r, 400, "there is more than one Host header");
        *has_host = true;
    } else if (equals_nocase(name, "accept")) {
        if (append_accept(r, value) < 0)
            return reject(r, 431, "the Accept header is too long");
    } else if (equals_nocase(name, "connection")) {
        parse_connection(r, value);
    } else if (equals_nocase(name, "transfer-encoding")) {
        r->body = true;
    } else if (equals_nocase(name, "content-length")) {
        return parse_content_length(r, value);
    }
    return KIN_BENCH_PARSE_DONE;
}

static enum kin_bench_parse parse_head(struct kin_bench_request *r, struct slice head)
{
    enum kin_bench_parse result = KIN_BENCH_PARSE_DONE;
    bool has_host = false;
    bool first = true;

    while (result == KIN_BENCH_PARSE_DONE && head.len > 0) {
        const char *end = memmem(head.data, head.len, "\r\n", 2);
        struct slice line = {head.data, end ? (size_t)(end - head.data) : head.len};

        if (!end || memchr(line.data, '\n', line.len) || memchr(line.data, '\r', line.len))
            return reject(r, 400, "a line does not end in CRLF");
        head.data = end + 2;
        head.len -= line.len + 2;
        result = first ? parse_request_line(r, line) : parse_header(r, line, &has_host);
        first = false;
    }
    if (result == KIN_BENCH_PARSE_DONE && !has_host)
        return reject(r, 400, "the Host header is missing");
    if (result == KIN_BENCH_PARSE_DONE && r->get && r->body)
        return reject(r, 400, "GET must not have a body here");
    return result;
}

enum kin_bench_parse kin_bench_request_parse(struct kin_bench_request *ret, const char *data,
                                             size_t size, size_t *scanned, size_t *ret_used)
{
    size_t window = size < KIN_BENCH_HEAD_MAX ? size : KIN_BENCH_HEAD_MAX;
    size_t from = *scanned;
    size_t start = 0;
    const char *end;
    enum kin_bench_parse result;

    ret->get = ret->close = ret->watch = ret->send_initial_events = ret->body = false;
    ret->path[0] = '\0';
    ret->accept[0] = '\0';
    ret->status = 0;
    ret->problem = NULL;

    /* Empty lines before a request are allowed: some clients end a request with one too many. */
    while (start + 2 <= window && data[start] == '\r' && data[start + 1] == '\n')
        start += 2;
    if (from < start)
        from = start;
    end = from < window ? memmem(data + from, window - from, "\r\n\r\n", 4) : NULL;
    if (!end) {
        if (size >= KIN_BENCH_HEAD_MAX)
            return reject(ret, 431, "the head of the request is too long");
        *scanned = window > start + 3 ? window - 3 : start;
        return KIN_BENCH_PARSE_MORE;
    }
    result = parse_head(ret, (struct slice){data + start, (size_t)(end + 2 - (data + start))});
    if (result == KIN_BENCH_PARSE_DONE)
        *ret_used = (size_t)(end + 4 - data);
    return result;
}
