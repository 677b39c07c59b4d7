/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers ready-made. A route is one answer in one shape; the table at the end has a function for
 * each shape. What is wrong in an answer is wrong in one place, the rest of it is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_inside.h"

struct route {
    struct route *next;
    char *method, *target, *content_type, *fields, *body;
    kin_test_http_route is; /* its strings are those above */
};

/* --- parts --- */

static size_t size_or(const struct route *route, size_t otherwise)
{
    return route->is.size ? route->is.size : otherwise;
}

static void head_of(kin_test_http_conn *conn, const struct route *route)
{
    kin_test_http_status(conn, route->is.status);
    if (route->content_type[0])
        kin_test_http_header(conn, "Content-Type", route->content_type);
    /* One at a time: "A: b\r\n" is what a field looks like when it is sent. */
    for (const char *at = route->fields; *at;) {
        const char *end = strstr(at, "\r\n");
        const char *colon = strstr(at, ": ");

        if (!end || !colon || colon > end)
            kin_test_http_die("a route's fields are not \"name: value\\r\\n\"");
        char *name = kin_test_http_copy(at, (size_t)(colon - at));
        char *value = kin_test_http_copy(colon + 2, (size_t)(end - colon - 2));

        kin_test_http_header(conn, name, value);
        free(name);
        free(value);
        at = end + 2;
    }
}

static void length_field(kin_test_http_conn *conn, size_t len)
{
    char number[32];

    snprintf(number, sizeof(number), "%zu", len);
    kin_test_http_header(conn, "Content-Length", number);
}

/* --- right ones --- */

static void send_length(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_chunked(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = route->is.body_len;
    size_t piece = size_or(route, len ? len : 1);

    head_of(conn, route);
    for (size_t at = 0; at < len; at += piece)
        kin_test_http_chunk(conn, route->body + at, len - at < piece ? len - at : piece);
    kin_test_http_end_chunks(conn);
}

static void send_gzip(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_gzip_body(conn, route->body, route->is.body_len);
}

static void send_until_close(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_header(conn, "Connection", "close");
    kin_test_http_end_head(conn);
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_last(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_header(conn, "Connection", "close");
    kin_test_http_body(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_silent_close(kin_test_http_conn *conn, const struct route *route)
{
    send_length(conn, route);
    kin_test_http_close(conn);
}

static void send_continued(kin_test_http_conn *conn, const struct route *route)
{
    for (size_t i = 0; i < size_or(route, 1); i++)
        kin_test_http_raw_text(conn, "HTTP/1.1 100 Continue\r\n\r\n");
    send_length(conn, route);
}

static void send_hinted(kin_test_http_conn *conn, const struct route *route)
{
    kin_test_http_raw_text(conn, "HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n"
                                 "Content-Type: text/x-hint\r\n\r\n");
    send_length(conn, route);
}

/* --- cut short --- */

/* All of it, under a length that is too large. */
static void send_too_little(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    length_field(conn, route->is.body_len + size_or(route, 1));
    kin_test_http_end_head(conn);
    kin_test_http_raw(conn, route->body, route->is.body_len);
}

static void send_short(kin_test_http_conn *conn, const struct route *route)
{
    send_too_little(conn, route);
    kin_test_http_close(conn);
}

static void send_short_reset(kin_test_http_conn *conn, const struct route *route)
{
    send_too_little(conn, route);
    kin_test_http_wait_for_client_read(conn); /* a reset takes away what was not read */
    kin_test_http_reset(conn);
}

static void send_short_abandon(kin_test_http_conn *conn, const struct route *route)
{
    send_too_little(conn, route);
    kin_test_http_abandon(conn);
}

static void send_short_chunk(kin_test_http_conn *conn, const struct route *route)
{
    char size[32];

    snprintf(size, sizeof(size), "%zx\r\n", route->is.body_len + size_or(route, 1));
    head_of(conn, route);
    kin_test_http_header(conn, "Transfer-Encoding", "chunked");
    kin_test_http_end_head(conn);
    kin_test_http_raw_text(conn, size);
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_no_last_chunk(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_chunk(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

/* Its length is right: the compressed stream itself is cut. */
static void send_short_gzip(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = 0;
    char *small = kin_test_http_gzip(route->body, route->is.body_len, &len);
    size_t missing = size_or(route, 8);

    head_of(conn, route);
    kin_test_http_header(conn, "Content-Encoding", "gzip");
    kin_test_http_body(conn, small, len > missing ? len - missing : 0);
    free(small);
}

static void send_half_head(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_flush_head(conn);
    kin_test_http_raw_text(conn, "Content-Le");
    kin_test_http_close(conn);
}

static void send_no_answer(kin_test_http_conn *conn, const struct route *route)
{
    (void)route;
    kin_test_http_close(conn);
}

static void send_reset(kin_test_http_conn *conn, const struct route *route)
{
    (void)route;
    kin_test_http_reset(conn);
}

/* --- not HTTP --- */

static void send_garbage(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = size_or(route, 64);
    char *bytes = kin_test_http_alloc(len);

    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)(0x80 | (i * 37)); /* nothing that could be a line */
    kin_test_http_raw(conn, bytes, len);
    free(bytes);
    kin_test_http_close(conn);
}

static void send_0_9(kin_test_http_conn *conn, const struct route *route)
{
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_bad_status(kin_test_http_conn *conn, const struct route *route)
{
    kin_test_http_raw_text(conn, "HTTP/1.1 fine OK\r\n");
    length_field(conn, route->is.body_len);
    kin_test_http_end_head(conn);
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_bad_field(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_raw_text(conn, "this is no field\r\n");
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_bad_length(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_header(conn, "Content-Length", "many");
    kin_test_http_end_head(conn);
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_two_lengths(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    length_field(conn, route->is.body_len + 1);
    kin_test_http_body(conn, route->body, route->is.body_len);
    kin_test_http_close(conn);
}

static void send_chunk_size(kin_test_http_conn *conn, const struct route *route, const char *size)
{
    head_of(conn, route);
    kin_test_http_header(conn, "Transfer-Encoding", "chunked");
    kin_test_http_end_head(conn);
    kin_test_http_raw_text(conn, size);
    kin_test_http_raw(conn, route->body, route->is.body_len);
    kin_test_http_raw_text(conn, "\r\n0\r\n\r\n");
    kin_test_http_close(conn);
}

static void send_bad_chunk_size(kin_test_http_conn *conn, const struct route *route)
{
    send_chunk_size(conn, route, "xyz\r\n");
}

static void send_huge_chunk_size(kin_test_http_conn *conn, const struct route *route)
{
    send_chunk_size(conn, route, "fffffffffffffffffff\r\n");
}

static void send_bad_gzip(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_header(conn, "Content-Encoding", "gzip");
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_surplus(kin_test_http_conn *conn, const struct route *route)
{
    send_length(conn, route);
    kin_test_http_raw_text(conn, "and something that nobody asked for");
}

/* --- too much --- */

static void send_large_field(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = size_or(route, (size_t)1024 * 1024);
    char *value = kin_test_http_alloc(len + 1);

    memset(value, 'v', len);
    head_of(conn, route);
    kin_test_http_header(conn, "X-Large", value);
    free(value);
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_many_fields(kin_test_http_conn *conn, const struct route *route)
{
    size_t n = size_or(route, 20000);
    char name[32];

    head_of(conn, route);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "X-%zu", i);
        kin_test_http_header(conn, name, "v");
    }
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_long_status(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = size_or(route, (size_t)1024 * 1024);
    char *line = kin_test_http_alloc(len + 1);

    memset(line, 'r', len);
    kin_test_http_raw_text(conn, "HTTP/1.1 200 ");
    kin_test_http_raw(conn, line, len);
    kin_test_http_raw_text(conn, "\r\n");
    free(line);
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_endless_head(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    while (kin_test_http_raw_text(conn, "X-More: and more\r\n"))
        continue;
}

static void send_endless_body(kin_test_http_conn *conn, const struct route *route)
{
    char bytes[16384];

    memset(bytes, 'b', sizeof(bytes));
    head_of(conn, route);
    while (kin_test_http_chunk(conn, bytes, sizeof(bytes)))
        continue;
}

static void send_gzip_bomb(kin_test_http_conn *conn, const struct route *route)
{
    size_t len = size_or(route, (size_t)64 * 1024 * 1024);
    char *zeros = kin_test_http_alloc(len);

    head_of(conn, route);
    kin_test_http_gzip_body(conn, zeros, len);
    free(zeros);
}

static void send_many_continues(kin_test_http_conn *conn, const struct route *route)
{
    (void)route;
    while (kin_test_http_raw_text(conn, "HTTP/1.1 100 Continue\r\n\r\n"))
        continue;
}

/* --- too slow --- */

static void send_after_stall(kin_test_http_conn *conn, const struct route *route)
{
    if (kin_test_http_stall(conn))
        send_length(conn, route);
}

static void send_stall_in_head(kin_test_http_conn *conn, const struct route *route)
{
    head_of(conn, route);
    kin_test_http_flush_head(conn);
    kin_test_http_raw_text(conn, "X-Sl");
    if (!kin_test_http_stall(conn))
        return;
    kin_test_http_raw_text(conn, "ow: yes\r\n");
    kin_test_http_body(conn, route->body, route->is.body_len);
}

static void send_stall_in_body(kin_test_http_conn *conn, const struct route *route)
{
    size_t first = route->is.size < route->is.body_len ? route->is.size : route->is.body_len;

    head_of(conn, route);
    length_field(conn, route->is.body_len);
    kin_test_http_end_head(conn);
    kin_test_http_raw(conn, route->body, first);
    if (kin_test_http_stall(conn))
        kin_test_http_raw(conn, route->body + first, route->is.body_len - first);
}

/* --- the table --- */

typedef void (*shape_fn)(kin_test_http_conn *conn, const struct route *route);

static const struct {
    const char *name;
    shape_fn send;
} shapes[KIN_TEST_HTTP_N_SHAPES] = {
    [KIN_TEST_HTTP_LENGTH] = {"length", send_length},
    [KIN_TEST_HTTP_CHUNKED] = {"chunked", send_chunked},
    [KIN_TEST_HTTP_GZIP] = {"gzip", send_gzip},
    [KIN_TEST_HTTP_UNTIL_CLOSE] = {"until close", send_until_close},
    [KIN_TEST_HTTP_LAST] = {"last", send_last},
    [KIN_TEST_HTTP_CONTINUED] = {"continued", send_continued},
    [KIN_TEST_HTTP_HINTED] = {"hinted", send_hinted},
    [KIN_TEST_HTTP_SILENT_CLOSE] = {"silent close", send_silent_close},
    [KIN_TEST_HTTP_SHORT] = {"short", send_short},
    [KIN_TEST_HTTP_SHORT_CHUNK] = {"short chunk", send_short_chunk},
    [KIN_TEST_HTTP_NO_LAST_CHUNK] = {"no last chunk", send_no_last_chunk},
    [KIN_TEST_HTTP_SHORT_RESET] = {"short, reset", send_short_reset},
    [KIN_TEST_HTTP_SHORT_ABANDON] = {"short, abandoned", send_short_abandon},
    [KIN_TEST_HTTP_SHORT_GZIP] = {"short gzip", send_short_gzip},
    [KIN_TEST_HTTP_HALF_HEAD] = {"half a head", send_half_head},
    [KIN_TEST_HTTP_NO_ANSWER] = {"no answer", send_no_answer},
    [KIN_TEST_HTTP_RESET_ANSWER] = {"reset", send_reset},
    [KIN_TEST_HTTP_GARBAGE] = {"garbage", send_garbage},
    [KIN_TEST_HTTP_VERSION_0_9] = {"HTTP/0.9", send_0_9},
    [KIN_TEST_HTTP_BAD_STATUS] = {"bad status", send_bad_status},
    [KIN_TEST_HTTP_BAD_FIELD] = {"bad field", send_bad_field},
    [KIN_TEST_HTTP_BAD_LENGTH] = {"bad length", send_bad_length},
    [KIN_TEST_HTTP_TWO_LENGTHS] = {"two lengths", send_two_lengths},
    [KIN_TEST_HTTP_BAD_CHUNK_SIZE] = {"bad chunk size", send_bad_chunk_size},
    [KIN_TEST_HTTP_HUGE_CHUNK_SIZE] = {"huge chunk size", send_huge_chunk_size},
    [KIN_TEST_HTTP_BAD_GZIP] = {"bad gzip", send_bad_gzip},
    [KIN_TEST_HTTP_SURPLUS] = {"surplus", send_surplus},
    [KIN_TEST_HTTP_LARGE_FIELD] = {"large field", send_large_field},
    [KIN_TEST_HTTP_MANY_FIELDS] = {"many fields", send_many_fields},
    [KIN_TEST_HTTP_LONG_STATUS] = {"long status", send_long_status},
    [KIN_TEST_HTTP_ENDLESS_HEAD] = {"endless head", send_endless_head},
    [KIN_TEST_HTTP_ENDLESS_BODY] = {"endless body", send_endless_body},
    [KIN_TEST_HTTP_GZIP_BOMB] = {"gzip bomb", send_gzip_bomb},
    [KIN_TEST_HTTP_MANY_CONTINUES] = {"many continues", send_many_continues},
    [KIN_TEST_HTTP_STALL_FIRST] = {"stall first", send_after_stall},
    [KIN_TEST_HTTP_STALL_IN_HEAD] = {"stall in the head", send_stall_in_head},
    [KIN_TEST_HTTP_STALL_IN_BODY] = {"stall in the body", send_stall_in_body},
};

const char *kin_test_http_shape_name(kin_test_http_shape shape)
{
    return shape < KIN_TEST_HTTP_N_SHAPES ? shapes[shape].name : "unknown";
}

/* --- the list --- */

static char *copy_or(const char *text, const char *otherwise)
{
    const char *from = text ? text : otherwise;

    return kin_test_http_copy(from, strlen(from));
}

static struct route *route_new(const kin_test_http_route *from)
{
    struct route *route = kin_test_http_alloc(sizeof(*route));
    const char *body = from->body ? from->body : "";

    route->is = *from;
    if (from->body_len == 0)
        route->is.body_len = strlen(body);
    if (from->status == 0)
        route->is.status = 200;
    route->method = copy_or(from->method, "");
    route->target = copy_or(from->target, "*");
    route->content_type = copy_or(from->content_type, "application/json");
    route->fields = copy_or(from->fields, "");
    route->body = kin_test_http_copy(body, route->is.body_len);
    return route;
}

static void route_free(struct route *route)
{
    if (!route)
        return;
    free(route->method);
    free(route->target);
    free(route->content_type);
    free(route->fields);
    free(route->body);
    free(route);
}

void kin_test_http_add_route(kin_test_http *server, const kin_test_http_route *route)
{
    struct route *added = route_new(route);

    pthread_mutex_lock(&server->lock);
    struct route **end = &server->routes;

    while (*end)
        end = &(*end)->next;
    *end = added;
    pthread_mutex_unlock(&server->lock);
}

void kin_test_http_clear_routes(kin_test_http *server)
{
    pthread_mutex_lock(&server->lock);
    struct route *route = server->routes;

    server->routes = NULL;
    pthread_mutex_unlock(&server->lock);
    while (route) {
        struct route *next = route->next;

        route_free(route);
        route = next;
    }
}

static bool matches(const struct route *route, const kin_test_http_request *request)
{
    size_t len = strlen(route->target);

    if (route->method[0] && strcmp(route->method, request->method) != 0)
        return false;
    if (len > 0 && route->target[len - 1] == '*')
        return strncmp(route->target, request->target, len - 1) == 0;
    return strcmp(route->target, request->target) == 0;
}

/* A copy for this request: the list may change while it is being answered. */
static struct route *take(kin_test_http *server, const kin_test_http_request *request)
{
    pthread_mutex_lock(&server->lock);
    struct route **at = &server->routes;

    while (*at && !matches(*at, request))
        at = &(*at)->next;
    struct route *found = *at;
    struct route *copy = NULL;

    if (found && found->is.times == 1) {
        *at = found->next;
        copy = found;
    } else if (found) {
        kin_test_http_route like = found->is;

        if (found->is.times > 1)
            found->is.times--;
        like.method = found->method;
        like.target = found->target;
        like.content_type = found->content_type;
        like.fields = found->fields;
        like.body = found->body;
        copy = route_new(&like);
    }
    pthread_mutex_unlock(&server->lock);
    return copy;
}

bool kin_test_http_take_route(kin_test_http_conn *conn, const kin_test_http_request *request)
{
    struct route *route = take(conn->server, request);

    if (!route)
        return false;
    size_t old_split = conn->split;

    if (route->is.split > 0)
        conn->split = route->is.split;
    conn->cut = route->is.cut;
    shapes[route->is.shape].send(conn, route);
    kin_test_http_flush_head(conn);
    conn->split = old_split;
    conn->cut = 0;
    route_free(route);
    return true;
}
