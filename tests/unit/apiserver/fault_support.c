/* SPDX-License-Identifier: Apache-2.0 */
#include "fault_support.h"

#include "kin_test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_support.h"

void fault_open(fault_fixture *f, bool by_http)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    f->by_http = by_http;
    assert_code(kin_clock_new_fake(&f->clock, 1700000000 * KIN__SECOND, NULL), 0);
    options.control = true;
    options.clock = f->clock;
    options.bookmark_ms = 1000;
    options.seed = 1;
    if (kin_apiserver_new(&f->server, &options, &err) < 0 ||
        kin_apiserver_start(f->server, &err) < 0)
        fail_msg("%s", err.message);
    fault_create(f, "a");
    fault_create(f, "b");
    fault_create(f, "c");
}

void fault_close(fault_fixture *f)
{
    kin_apiserver_free(f->server);
    kin_clock_unref(f->clock);
}

int fault_connect(const fault_fixture *f)
{
    int fd = kin_test_connect_port(kin_apiserver_port(f->server));

    assert_true(fd >= 0);
    return fd;
}

void fault_send(int fd, const char *line)
{
    char head[1024];

    snprintf(head, sizeof(head),
             "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             "Connection: close\r\n\r\n",
             line);
    raw_send(fd, head);
}

char *fault_ask(const fault_fixture *f, const char *line)
{
    int fd = fault_connect(f);
    char *data = NULL;

    fault_send(fd, line);
    raw_read_all(fd, &data);
    close(fd);
    return data;
}

static char *post(const fault_fixture *f, const char *path, const char *body)
{
    char text[2048];
    int fd = fault_connect(f);
    char *data = NULL;

    snprintf(
        text, sizeof(text),
        "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        path, strlen(body), body);
    raw_send(fd, text);
    raw_read_all(fd, &data);
    close(fd);
    if (!strstr(data, "HTTP/1.1 20"))
        fail_msg("POST %s %s: %s", path, body, data);
    return data;
}

void fault_post(const fault_fixture *f, const char *path, const char *body)
{
    free(post(f, path, body));
}

void fault_create(const fault_fixture *f, const char *name)
{
    char body[128];

    snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
    fault_post(f, MAPS, body);
}

uint64_t fault_inject(fault_fixture *f, const fault_pair *pair)
{
    uint64_t id = 0;

    if (!f->by_http) {
        assert_code(kin_apiserver_inject(f->server, &pair->fault, &id, NULL), 0);
        return id;
    }
    char *answer = post(f, "/_kinform/faults", pair->json);
    const char *ids = strstr(answer, "{\"ids\":[");
    assert_non_null(ids);
    id = strtoull(ids + strlen("{\"ids\":["), NULL, 10);
    free(answer);
    return id;
}

char *fault_show(fault_fixture *f)
{
    char *answer = fault_ask(f, "GET /_kinform/faults");
    char *body = fault_body(answer);

    for (char *at = body; (at = strstr(at, "\"id\":")); at++)
        memset(at + 5, '0', strspn(at + 5, "0123456789"));
    free(answer);
    return body;
}

uint64_t fault_hits(fault_fixture *f, uint64_t id)
{
    uint64_t hits = 0;

    assert_code(kin_apiserver_remove_fault(f->server, id, &hits, NULL), 0);
    return hits;
}

/* --- responses --- */

char *fault_body(const char *response)
{
    const char *head = strstr(response, "\r\n\r\n");
    char *body = calloc(1, strlen(response) + 1);
    size_t len = 0;

    if (!head)
        return body;
    const char *at = head + 4;
    const char *chunked = strstr(response, "Transfer-Encoding: chunked");
    if (!chunked || chunked > head) {
        memcpy(body, at, strlen(at) + 1);
        return body;
    }
    while (*at) {
        char *line = NULL;
        size_t size = strtoull(at, &line, 16);

        if (size == 0 || strncmp(line, "\r\n", 2) != 0)
            break;
        size_t n = strnlen(line + 2, size);
        memcpy(body + len, line + 2, n);
        len += n;
        at = line + 2 + n;
        at += strncmp(at, "\r\n", 2) == 0 ? 2 : strlen(at);
    }
    return body;
}

bool fault_is_whole(const char *response)
{
    size_t len = strlen(response);

    return len >= 7 && strcmp(response + len - 7, "\r\n0\r\n\r\n") == 0;
}

/* What stands behind a name; its length, 0 if it is not there. */
static int member(const char *line, const char *name, const char **ret)
{
    char key[64];

    snprintf(key, sizeof(key), "\"%s\":\"", name);
    const char *at = strstr(line, key);
    *ret = at ? at + strlen(key) : "";
    return (int)strcspn(*ret, "\"");
}

const char *fault_events(const char *response)
{
    static char text[4096];
    char *body = fault_body(response);
    size_t len = 0;
    char *rest = NULL;

    text[0] = '\0';
    for (char *line = strtok_r(body, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *type = NULL;
        const char *name = NULL;
        const char *version = NULL;
        int type_len = member(line, "type", &type);
        int name_len = member(line, "name", &name);
        int version_len = member(line, "resourceVersion", &version);

        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s%s%.*s@%.*s", len ? " " : "",
                                type_len, type, name_len ? " " : "", name_len, name, version_len,
                                version);
    }
    free(body);
    return text;
}
