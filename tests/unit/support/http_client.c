/* SPDX-License-Identifier: Apache-2.0 */
#include "http_client.h"

#include "kin_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

int raw_connect(const kin_test_http *server)
{
    const struct timeval limit = {KIN_TEST_TIMEOUT_MS / 1000, 0};
    const char *path = kin_test_http_socket_path(server);
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)kin_test_http_port(server))};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int fd = socket(path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (path) {
        assert_true(strlen(path) < sizeof(un.sun_path));
        memcpy(un.sun_path, path, strlen(path));
        assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
    } else {
        assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    }
    return fd;
}

void raw_send(int fd, const char *text)
{
    size_t len = strlen(text);

    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

static ptrdiff_t read_while(int fd, char **ret, const char *until)
{
    size_t size = 65536;
    size_t len = 0;
    char *data = malloc(size);

    assert_non_null(data);
    for (;;) {
        if (len + 1 == size) {
            char *grown = realloc(data, 2 * size);

            assert_non_null(grown);
            data = grown;
            size *= 2;
        }
        /* A byte at a time where more would be too much. */
        ssize_t n = recv(fd, data + len, until ? 1 : size - len - 1, 0);

        if (n < 0)
            assert_int_equal(errno, ECONNRESET);
        data[len + (n > 0 ? (size_t)n : 0)] = '\0';
        *ret = data;
        if (n <= 0)
            return n < 0 ? -1 : (ptrdiff_t)len;
        len += (size_t)n;
        if (until && len >= strlen(until) && strcmp(data + len - strlen(until), until) == 0)
            return (ptrdiff_t)len;
    }
}

ptrdiff_t raw_read_all(int fd, char **ret)
{
    return read_while(fd, ret, NULL);
}

char *raw_read_until(int fd, const char *text)
{
    char *data = NULL;
    ptrdiff_t len = read_while(fd, &data, text);

    if (len < (ptrdiff_t)strlen(text) || strcmp(data + len - strlen(text), text) != 0)
        fail_msg("no \"%s\" in \"%s\"", text, data);
    return data;
}

char *raw_exchange(const kin_test_http *server, const char *request)
{
    int fd = raw_connect(server);
    char *data = NULL;

    raw_send(fd, request);
    raw_read_all(fd, &data);
    close(fd);
    return data;
}

/* --- libcurl --- */

CURL *easy_new(const kin_test_http *server, const char *target)
{
    char url[1024];
    const char *path = kin_test_http_socket_path(server);
    CURL *easy = curl_easy_init();

    assert_non_null(easy);
    snprintf(url, sizeof(url), "%s%s", path ? "http://localhost" : kin_test_http_url(server),
             target);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    if (path)
        curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, path);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)KIN_TEST_TIMEOUT_MS);
    return easy;
}

static size_t take(char *data, size_t size, size_t n, void *arg)
{
    struct got *got = arg;
    char *grown = realloc(got->body, got->len + size * n + 1);

    if (!grown)
        return 0;
    got->body = grown;
    memcpy(got->body + got->len, data, size * n);
    got->len += size * n;
    got->body[got->len] = '\0';
    got->writes++;
    return size * n;
}

struct got easy_get(CURL *easy)
{
    struct got got = {.body = calloc(1, 1)};
    const char *type = NULL;

    assert_non_null(got.body);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &got);
    got.code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &got.status);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &got.connects);
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    snprintf(got.content_type, sizeof(got.content_type), "%s", type ? type : "");
    return got;
}

void got_done(struct got *got)
{
    free(got->body);
    got->body = NULL;
}

struct got fetch(const kin_test_http *server, const char *target)
{
    CURL *easy = easy_new(server, target);
    struct got got = easy_get(easy);

    curl_easy_cleanup(easy);
    return got;
}
