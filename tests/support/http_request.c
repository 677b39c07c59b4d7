/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a request. Strict where a client could be wrong: what is not HTTP/1.x closes the
 * connection without a record, so a test that waits for the request fails.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http_inside.h"

#define MAX_LINE ((size_t)1024 * 1024)
#define MAX_BODY ((size_t)64 * 1024 * 1024)

/* The next line without its end, terminated. BORROWED until more is read. */
static char *read_line(kin_test_http_conn *conn)
{
    size_t looked = 0;

    for (;;) {
        size_t have = conn->in_len - conn->in_at;
        char *begin = have > looked ? conn->in + conn->in_at : NULL;
        char *end = begin ? memchr(begin + looked, '\n', have - looked) : NULL;

        if (end) {
            conn->in_at += (size_t)(end - begin) + 1;
            if (end == begin || end[-1] != '\r')
                return NULL;
            end[-1] = '\0';
            return begin;
        }
        looked = have;
        if (have > MAX_LINE || !kin_test_http_fill(conn))
            return NULL;
    }
}

/* Three words with one space between. */
static bool parse_request_line(kin_test_http_request *request, const char *line)
{
    const char *first = strchr(line, ' ');
    const char *second = first ? strchr(first + 1, ' ') : NULL;

    if (!second || strchr(second + 1, ' ') || strncmp(second + 1, "HTTP/1.", 7) != 0)
        return false;
    request->method = kin_test_http_copy(line, (size_t)(first - line));
    request->target = kin_test_http_copy(first + 1, (size_t)(second - first - 1));
    request->version = kin_test_http_copy(second + 1, strlen(second + 1));
    return true;
}

static bool parse_field(kin_test_http_request *request, const char *line)
{
    const char *colon = strchr(line, ':');

    if (!colon || colon == line || strcspn(line, " \t") < (size_t)(colon - line))
        return false;
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    size_t len = strlen(value);

    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        len--;
    size_t n = request->n_fields;

    if ((n & (n - 1)) == 0) {
        kin_test_http_field *grown =
            realloc(request->fields, (n ? 2 * n : 1) * sizeof(*request->fields));

        if (!grown)
            kin_test_http_die("memory");
        request->fields = grown;
    }
    request->fields[n].name = kin_test_http_copy(line, (size_t)(colon - line));
    request->fields[n].value = kin_test_http_copy(value, len);
    request->n_fields++;
    return true;
}

static bool read_head(kin_test_http_conn *conn, kin_test_http_request *request)
{
    const char *line = read_line(conn);

    if (!line || !parse_request_line(request, line))
        return false;
    while ((line = read_line(conn)) != NULL && line[0] != '\0') {
        if (!parse_field(request, line))
            return false;
    }
    return line != NULL;
}

static bool read_bytes(kin_test_http_conn *conn, kin_test_http_request *request, size_t *size,
                       size_t n)
{
    size_t max = conn->server->options.max_body ? conn->server->options.max_body : MAX_BODY;

    if (n > max || request->body_len > max - n) {
        conn->unread = true;
        kin_test_http_close(conn);
        return false;
    }
    kin_test_http_grow(&request->body, size, request->body_len + n + 1);
    while (n > 0) {
        if (conn->in_at == conn->in_len && !kin_test_http_fill(conn))
            return false;
        size_t have = conn->in_len - conn->in_at;
        size_t take = have < n ? have : n;

        memcpy(request->body + request->body_len, conn->in + conn->in_at, take);
        request->body_len += take;
        conn->in_at += take;
        n -= take;
    }
    request->body[request->body_len] = '\0';
    return true;
}

static bool read_chunks(kin_test_http_conn *conn, kin_test_http_request *request, size_t *size)
{
    for (;;) {
        const char *line = read_line(conn);
        char *end = NULL;

        if (!line)
            return false;
        unsigned long long n = strtoull(line, &end, 16);

        if (end == line || (*end != '\0' && *end != ';'))
            return false;
        if (n > 0 && !read_bytes(conn, request, size, (size_t)n))
            return false;
        line = read_line(conn);
        if (!line || line[0] != '\0') /* also where trailers begin: nobody sends any */
            return false;
        if (n == 0)
            return true;
    }
}

static bool read_body(kin_test_http_conn *conn, kin_test_http_request *request)
{
    const char *length = kin_test_http_field_of(request, "Content-Length");
    const char *coding = kin_test_http_field_of(request, "Transfer-Encoding");
    size_t size = 0;

    kin_test_http_grow(&request->body, &size, 1);
    request->body[0] = '\0';
    if (coding)
        return strcasecmp(coding, "chunked") == 0 && read_chunks(conn, request, &size);
    if (!length)
        return true;
    return read_bytes(conn, request, &size, (size_t)strtoull(length, NULL, 10));
}

/* What is said before the body comes. False: there is no more to be done with this request. */
static bool agree_to_body(kin_test_http_conn *conn, const kin_test_http_request *request)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const kin_test_http_options *options = &conn->server->options;
    const char *expect = kin_test_http_field_of(request, "Expect");

    if (options->head) {
        conn->request = request;
        conn->chunked = false;
        bool wanted = options->head(conn, request, options->arg);

        kin_test_http_flush_head(conn);
        conn->request = NULL;
        if (!wanted) {
            conn->unread = true;
            kin_test_http_close(conn);
            return false;
        }
    }
    if (expect && strcasecmp(expect, "100-continue") == 0 && conn->in_at == conn->in_len)
        return kin_test_http_send(conn, go_on, sizeof(go_on) - 1);
    return true;
}

kin_test_http_request *kin_test_http_read_request(kin_test_http_conn *conn)
{
    kin_test_http_request *request = kin_test_http_alloc(sizeof(*request));

    request->connection = conn->number;
    request->number = conn->n_requests;
    if (!read_head(conn, request) || !agree_to_body(conn, request) || !read_body(conn, request)) {
        kin_test_http_request_free(request);
        return NULL;
    }
    conn->n_requests++;
    return request;
}

void kin_test_http_request_free(kin_test_http_request *request)
{
    for (size_t i = 0; i < request->n_fields; i++) {
        free(request->fields[i].name);
        free(request->fields[i].value);
    }
    free(request->fields);
    free(request->method);
    free(request->target);
    free(request->version);
    free(request->body);
    free(request);
}
