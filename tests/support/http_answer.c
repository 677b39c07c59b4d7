/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers by their parts. The head is collected and sent with what follows it, or when the handler
 * waits or returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "http_inside.h"

const char *kin_test_http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {100, "Continue"},
        {103, "Early Hints"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {409, "Conflict"},
        {410, "Gone"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].status == status)
            return reasons[i].reason;
    }
    return "Something";
}

/* --- the head --- */

static void add(kin_test_http_conn *conn, const char *text)
{
    size_t len = strlen(text);

    kin_test_http_grow(&conn->head, &conn->head_size, conn->head_len + len + 1);
    memcpy(conn->head + conn->head_len, text, len);
    conn->head_len += len;
}

bool kin_test_http_flush_head(kin_test_http_conn *conn)
{
    size_t len = conn->head_len;

    conn->head_len = 0;
    return kin_test_http_send(conn, conn->head, len);
}

bool kin_test_http_status(kin_test_http_conn *conn, int status)
{
    char line[64];

    snprintf(line, sizeof(line), "HTTP/1.1 %d %s\r\n", status, kin_test_http_reason(status));
    add(conn, line);
    return conn->end == KIN_TEST_END_NOT;
}

bool kin_test_http_header(kin_test_http_conn *conn, const char *name, const char *value)
{
    add(conn, name);
    add(conn, ": ");
    add(conn, value);
    add(conn, "\r\n");
    return conn->end == KIN_TEST_END_NOT;
}

bool kin_test_http_end_head(kin_test_http_conn *conn)
{
    add(conn, "\r\n");
    return kin_test_http_flush_head(conn);
}

/* --- bodies --- */

static bool is_head(const kin_test_http_conn *conn)
{
    return conn->request && strcmp(conn->request->method, "HEAD") == 0;
}

bool kin_test_http_body(kin_test_http_conn *conn, const void *data, size_t len)
{
    char number[32];

    snprintf(number, sizeof(number), "%zu", len);
    kin_test_http_header(conn, "Content-Length", number);
    add(conn, "\r\n");
    /* With the head in one piece, unless that is asked for. */
    if (!is_head(conn) && len > 0) {
        kin_test_http_grow(&conn->head, &conn->head_size, conn->head_len + len + 1);
        memcpy(conn->head + conn->head_len, data, len);
        conn->head_len += len;
    }
    return kin_test_http_flush_head(conn);
}

char *kin_test_http_gzip(const void *data, size_t len, size_t *ret_len)
{
    z_stream stream = {0};
    uLong bound = compressBound((uLong)len) + 64;
    char *out = kin_test_http_alloc(bound);

    /* 15 bits of window, and 16 for gzip's own head and tail. */
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        kin_test_http_die("deflateInit2");
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)len;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)bound;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        kin_test_http_die("deflate");
    *ret_len = stream.total_out;
    deflateEnd(&stream);
    return out;
}

bool kin_test_http_gzip_body(kin_test_http_conn *conn, const void *data, size_t len)
{
    size_t small_len = 0;
    char *small = kin_test_http_gzip(data, len, &small_len);

    kin_test_http_header(conn, "Content-Encoding", "gzip");
    bool sent = kin_test_http_body(conn, small, small_len);

    free(small);
    return sent;
}

/* --- chunks --- */

static void begin_chunks(kin_test_http_conn *conn)
{
    if (conn->chunked)
        return;
    conn->chunked = true;
    kin_test_http_header(conn, "Transfer-Encoding", "chunked");
    add(conn, "\r\n");
}

bool kin_test_http_chunk(kin_test_http_conn *conn, const void *data, size_t len)
{
    char size[32];

    begin_chunks(conn);
    if (len == 0)
        return kin_test_http_flush_head(conn); /* an empty chunk would be the last */
    snprintf(size, sizeof(size), "%zx\r\n", len);
    add(conn, size);
    kin_test_http_grow(&conn->head, &conn->head_size, conn->head_len + len + 3);
    memcpy(conn->head + conn->head_len, data, len);
    conn->head_len += len;
    add(conn, "\r\n");
    return kin_test_http_flush_head(conn);
}

bool kin_test_http_chunk_text(kin_test_http_conn *conn, const char *text)
{
    return kin_test_http_chunk(conn, text, strlen(text));
}

bool kin_test_http_end_chunks(kin_test_http_conn *conn)
{
    begin_chunks(conn);
    conn->chunked = false;
    add(conn, "0\r\n\r\n");
    return kin_test_http_flush_head(conn);
}

/* --- others --- */

bool kin_test_http_raw(kin_test_http_conn *conn, const void *data, size_t len)
{
    return kin_test_http_flush_head(conn) && kin_test_http_send(conn, data, len);
}

bool kin_test_http_raw_text(kin_test_http_conn *conn, const char *text)
{
    return kin_test_http_raw(conn, text, strlen(text));
}

bool kin_test_http_answer(kin_test_http_conn *conn, int status, const char *content_type,
                          const char *body)
{
    kin_test_http_status(conn, status);
    if (content_type)
        kin_test_http_header(conn, "Content-Type", content_type);
    return kin_test_http_body(conn, body ? body : "", body ? strlen(body) : 0);
}
