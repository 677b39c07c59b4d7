/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes over the same list of texts: one adds up, one writes.
 *
 * Nothing that the caller gives can begin another header or another request: bytes that HTTP gives a
 * meaning to are refused.
 */
#include "client/request.h"

#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

struct writer {
    char *at;    /* NULL while adding up */
    size_t size; /* of all texts so far */
    struct curl_slist *nodes;
    size_t n_nodes;
};

static void write_text(struct writer *writer, kin_str text)
{
    writer->size += text.len;
    if (writer->at && text.len) {
        memcpy(writer->at, text.data, text.len);
        writer->at += text.len;
    }
}

/* The texts become one terminated string; where it begins. */
static char *write_string(struct writer *writer, const kin_str *parts, size_t n)
{
    char *begin = writer->at;

    for (size_t i = 0; i < n; i++)
        write_text(writer, parts[i]);
    write_text(writer, kin_str_make("", 1));
    return begin;
}

static void write_line(struct writer *writer, const kin_str *parts, size_t n)
{
    char *line = write_string(writer, parts, n);

    if (writer->nodes) {
        struct curl_slist *node = &writer->nodes[writer->n_nodes];

        node->data = line;
        node->next = NULL;
        if (writer->n_nodes > 0)
            node[-1].next = node;
    }
    writer->n_nodes++;
}

/* libcurl takes "Name: value", and "Name;" for a header without a value. */
static void write_header(struct writer *writer, kin_str name, kin_str value)
{
    kin_str parts[] = {name, kin_str_of(value.len ? ": " : ";"), value};

    write_line(writer, parts, kin__array_len(parts));
}

static void write_ready(struct writer *writer, const char *line)
{
    kin_str text = kin_str_of(line);

    write_line(writer, &text, 1);
}

static void write_all(kin__http_request *request, struct writer *writer,
                      const kin__endpoint *endpoint, bool gzip, const kin__exchange_spec *spec)
{
    kin_str url[] = {kin_str_of(endpoint->base), kin_str_of(spec->target)};
    kin_str method = kin_str_of(spec->method);

    request->url = write_string(writer, url, kin__array_len(url));
    request->method = write_string(writer, &method, 1);
    if (endpoint->host)
        write_ready(writer, endpoint->host);
    if (gzip)
        write_ready(writer, "Accept-Encoding: gzip");
    if (spec->body.data)
        write_ready(writer, "Expect:"); /* which asks libcurl not to ask before it sends a body */
    for (size_t i = 0; i < spec->n_headers; i++)
        write_header(writer, spec->headers[i].name, spec->headers[i].value);
    if (spec->identity && spec->identity->authorization.len)
        write_header(writer, kin_str_of("Authorization"),
                     kin__secret_str(&spec->identity->authorization));
    if (spec->body.data) {
        request->body = kin_str_make(writer->at ? writer->at : "", spec->body.len);
        write_text(writer, spec->body);
    }
}

static bool is_token(kin_str s)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!is_plain && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return s.len > 0;
}

static bool is_value(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool is_target(const char *target)
{
    if (target[0] != '/')
        return false;
    for (; *target; target++) {
        if (*target <= ' ' || *target >= 0x7f || *target == '#')
            return false;
    }
    return true;
}

static int check_spec(const kin__exchange_spec *spec, kin_error *err)
{
    if (!spec->method || !is_token(kin_str_of(spec->method)))
        return kin_error_set(err, KIN_EINVAL, "not a method");
    if (!spec->target || !is_target(spec->target))
        return kin_error_set(err, KIN_EINVAL, "not a path with a query, encoded");
    for (size_t i = 0; i < spec->n_headers; i++) {
        if (!is_token(spec->headers[i].name) || !is_value(spec->headers[i].value))
            return kin_error_set(err, KIN_EINVAL, "header %zu cannot be sent", i);
    }
    if (spec->identity && !is_value(kin__secret_str(&spec->identity->authorization)))
        return kin_error_set(err, KIN_EINVAL, "a token or password that cannot be sent");
    return 0;
}

int kin__http_request_init(kin__http_request *request, const kin__endpoint *endpoint, bool gzip,
                           const kin__exchange_spec *spec, kin_error *err)
{
    struct writer writer = {.at = NULL};
    int code = check_spec(spec, err);

    memset(request, 0, sizeof(*request));
    if (code < 0)
        return code;
    write_all(request, &writer, endpoint, gzip, spec);

    size_t nodes_size = writer.n_nodes * sizeof(struct curl_slist);
    request->size = nodes_size + writer.size;
    request->memory = kin__malloc(request->size);
    if (!request->memory) {
        memset(request, 0, sizeof(*request));
        return kin__error_no_memory(err);
    }
    writer = (struct writer){.at = request->memory + nodes_size,
                             .nodes = (struct curl_slist *)(void *)request->memory};
    write_all(request, &writer, endpoint, gzip, spec);
    request->headers = writer.n_nodes ? writer.nodes : NULL;
    return 0;
}

void kin__http_request_done(kin__http_request *request)
{
    if (request->memory)
        kin__secret_wipe(request->memory, request->size);
    kin__free(request->memory);
    memset(request, 0, sizeof(*request));
}

bool kin__http_request_may_be_repeated(const kin__http_request *request)
{
    static const char *const methods[] = {"GET", "HEAD", "OPTIONS"};

    for (size_t i = 0; i < kin__array_len(methods); i++) {
        if (strcmp(request->method, methods[i]) == 0)
            return true;
    }
    return false;
}
