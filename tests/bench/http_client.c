/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See http_client.h. Everything received goes through one buffer, from which lines, bodies and
 * chunks are taken; every wait for more has a deadline.
 */
#include "http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void client_connect(struct client *c, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memset(c, 0, sizeof(*c));
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(c->fd >= 0);
    assert_int_equal(
        connect(c->fd, (const struct sockaddr *)(const void *)&address, sizeof(address)), 0);
}

void client_secure(struct client *c, const char *ca)
{
    static const unsigned char protocols[] = "\x02h2\x08http/1.1";
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    const unsigned char *chosen = NULL;
    unsigned len = 0;

    assert_non_null(context);
    assert_int_equal(SSL_CTX_load_verify_file(context, ca), 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    c->tls = SSL_new(context);
    SSL_CTX_free(context);
    assert_non_null(c->tls);
    assert_int_equal(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(c->tls), "127.0.0.1"), 1);
    assert_int_equal(SSL_set_alpn_protos(c->tls, protocols, sizeof(protocols) - 1), 0);
    assert_int_equal(SSL_set_fd(c->tls, c->fd), 1);
    assert_int_equal(SSL_connect(c->tls), 1);
    SSL_get0_alpn_selected(c->tls, &chosen, &len);
    assert_int_equal(len, 8);
    assert_memory_equal(chosen, "http/1.1", 8);
}

void client_close(struct client *c)
{
    SSL_free(c->tls);
    (void)close(c->fd);
    free(c->data);
}

void client_send(struct client *c, const char *text, size_t len)
{
    if (c->tls) {
        assert_int_equal(SSL_write(c->tls, text, (int)len), (int)len);
        return;
    }
    while (len > 0) {
        ssize_t n = send(c->fd, text, len, MSG_NOSIGNAL);

        assert_true(n > 0);
        text += n;
        len -= (size_t)n;
    }
}

void client_get(struct client *c, const char *target, const char *headers)
{
    char request[1024];
    int n = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
                     target, headers);

    client_send(c, request, (size_t)n);
}

/* Receives something more; false at the end. A reset counts as the end. */
static bool client_fill(struct client *c)
{
    ssize_t n;

    if (c->cap - c->len < 65536) {
        c->cap = c->cap * 2 + 131072;
        c->data = realloc(c->data, c->cap);
        assert_non_null(c->data);
    }
    if (!c->tls || SSL_pending(c->tls) == 0)
        wait_readable(c->fd);
    if (c->tls) {
        n = SSL_read(c->tls, c->data + c->len, (int)(c->cap - c->len));
    } else {
        n = recv(c->fd, c->data + c->len, c->cap - c->len, 0);
        if (n < 0)
            assert_int_equal(errno, ECONNRESET);
    }
    if (n <= 0)
        return false;
    c->len += (size_t)n;
    return true;
}

static void client_need(struct client *c, size_t len)
{
    while (c->len < len)
        assert_true(client_fill(c));
}

static void client_take(struct client *c, void *out, size_t len)
{
    client_need(c, len);
    if (out)
        memcpy(out, c->data, len);
    c->len -= len;
    memmove(c->data, c->data + len, c->len);
}

/* A line without its CRLF. */
static void client_line(struct client *c, char *out, size_t size)
{
    char *end;

    while (c->len == 0 || !(end = memmem(c->data, c->len, "\r\n", 2)))
        assert_true(client_fill(c));
    assert_true((size_t)(end - c->data) < size);
    memcpy(out, c->data, (size_t)(end - c->data));
    out[end - c->data] = '\0';
    client_take(c, NULL, (size_t)(end - c->data) + 2);
}

void client_head(struct client *c, struct response *r)
{
    char line[1024];

    memset(r, 0, sizeof(*r));
    client_line(c, line, sizeof(line));
    assert_int_equal(sscanf(line, "HTTP/1.1 %3d ", &r->status), 1);
    for (;;) {
        client_line(c, line, sizeof(line));
        if (!line[0])
            break;
        if (!strncasecmp(line, "Content-Length: ", 16))
            r->length = (size_t)strtoull(line + 16, NULL, 10);
        else if (!strncasecmp(line, "Content-Type: ", 14))
            (void)snprintf(r->type, sizeof(r->type), "%.100s", line + 14);
        else if (!strncasecmp(line, "Allow: ", 7))
            (void)snprintf(r->allow, sizeof(r->allow), "%.20s", line + 7);
        else if (!strcasecmp(line, "Transfer-Encoding: chunked"))
            r->chunked = true;
        else if (!strcasecmp(line, "Connection: close"))
            r->close = true;
    }
}

/* A whole response with a length; the body has to be freed. */
struct span client_response(struct client *c, struct response *r)
{
    char *body;

    client_head(c, r);
    assert_false(r->chunked);
    body = malloc(r->length + 1);
    assert_non_null(body);
    client_take(c, body, r->length);
    body[r->length] = '\0';
    return (struct span){body, r->length};
}

/* One chunk of a watch; the bytes have to be freed. */
struct span client_chunk(struct client *c)
{
    char line[64];
    char *end = NULL;
    char *body;
    size_t n;

    client_line(c, line, sizeof(line));
    n = (size_t)strtoull(line, &end, 16);
    assert_true(end != line && *end == '\0' && n > 0);
    body = malloc(n + 1);
    assert_non_null(body);
    client_take(c, body, n);
    body[n] = '\0';
    client_take(c, line, 2);
    assert_memory_equal(line, "\r\n", 2);
    return (struct span){body, n};
}

void client_watch(struct client *c, const char *target, const char *headers, const char *type)
{
    struct response r;

    client_get(c, target, headers);
    client_head(c, &r);
    assert_int_equal(r.status, 200);
    assert_true(r.chunked);
    assert_string_equal(r.type, type);
}

/* Nothing more comes but the end. */
void client_expect_end(struct client *c)
{
    while (client_fill(c))
        continue;
    assert_int_equal(c->len, 0);
}
