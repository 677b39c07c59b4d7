/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server's URL is taken apart and put together again by libcurl, so that it means the same here
 * and where it is used.
 *
 * A name to verify (tls-server-name) that differs from the host is put into the URL in its place:
 * libcurl verifies the host of the URL, and asks for it by SNI. It is told to connect to the real host
 * nevertheless, and the Host header carries the real one, too.
 */
#include "client/endpoint.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/str.h"
#include "client/config.h"

#define SERVER_BYTES_MAX 4096

struct parts {
    char *scheme;
    char *host; /* IPv6 in brackets */
    char *port;
    char *path; /* without a slash at its end */
};

static void parts_done(struct parts *parts)
{
    curl_free(parts->scheme);
    curl_free(parts->host);
    curl_free(parts->port);
    curl_free(parts->path);
}

/* Messages do not repeat the URL: somebody may have put a password into it. */
static int not_a_url(kin_error *err, const char *why)
{
    kin_error_set(err, KIN_EINVAL, "the server is not a usable URL: %s", why);
    return KIN_EINVAL;
}

static int url_code(kin_error *err, CURLUcode code)
{
    if (code == CURLUE_OUT_OF_MEMORY)
        return kin__error_no_memory(err);
    return not_a_url(err, curl_url_strerror(code));
}

/* What an API server's URL cannot have. */
static int refuse_extras(CURLU *url, kin_error *err)
{
    static const struct {
        CURLUPart part;
        const char *why;
    } extras[] = {
        {CURLUPART_USER, "it has a user name"},
        {CURLUPART_PASSWORD, "it has a password"},
        {CURLUPART_QUERY, "it has a query"},
        {CURLUPART_FRAGMENT, "it has a fragment"},
    };

    for (size_t i = 0; i < kin__array_len(extras); i++) {
        char *text = NULL;

        if (curl_url_get(url, extras[i].part, &text, 0) == CURLUE_OK) {
            curl_free(text);
            return not_a_url(err, extras[i].why);
        }
    }
    return 0;
}

static int take_apart(struct parts *parts, CURLU *url, const char *server, kin_error *err)
{
    CURLUcode code = curl_url_set(url, CURLUPART_URL, server, CURLU_NON_SUPPORT_SCHEME);

    if (code == CURLUE_OK)
        code = curl_url_get(url, CURLUPART_SCHEME, &parts->scheme, 0);
    if (code == CURLUE_OK)
        code = curl_url_get(url, CURLUPART_HOST, &parts->host, 0);
    if (code == CURLUE_OK && strcasecmp(parts->scheme, "http") != 0 &&
        strcasecmp(parts->scheme, "https") != 0)
        return not_a_url(err, "neither http nor https");
    if (code == CURLUE_OK)
        code = curl_url_get(url, CURLUPART_PORT, &parts->port, CURLU_DEFAULT_PORT);
    if (code == CURLUE_OK)
        code = curl_url_get(url, CURLUPART_PATH, &parts->path, 0);
    if (code != CURLUE_OK)
        return url_code(err, code);
    for (size_t n = strlen(parts->path); n > 0 && parts->path[n - 1] == '/'; n--)
        parts->path[n - 1] = '\0';
    return refuse_extras(url, err);
}

static int take_text(kin__buf *buf, char **ret, kin_error *err)
{
    if (kin__buf_take(buf, ret, NULL) < 0) {
        kin__buf_done(buf);
        return kin__error_no_memory(err);
    }
    return 0;
}

static bool is_loopback(const char *host)
{
    struct in_addr v4;

    if (strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
        return true;
    return inet_pton(AF_INET, host, &v4) == 1 && (ntohl(v4.s_addr) >> 24) == 127;
}

static int copy_text(char **ret, const char *text, kin_error *err)
{
    return kin__copy_text(ret, text) < 0 ? kin__error_no_memory(err) : 0;
}

static int set_verified_name(kin__endpoint *endpoint, const struct parts *parts, kin_error *err)
{
    kin__buf buf;

    kin__buf_init(&buf, SERVER_BYTES_MAX);
    kin__buf_appendf(&buf, "Host: %s:%s", parts->host, parts->port);
    int code = take_text(&buf, &endpoint->host, err);
    if (code < 0)
        return code;
    kin__buf_appendf(&buf, "::%s:%s", parts->host, parts->port);
    return take_text(&buf, &endpoint->connect_to, err);
}

static bool is_ipv6(const char *name)
{
    struct in6_addr v6;

    return inet_pton(AF_INET6, name, &v6) == 1;
}

/* A name that becomes the host of a URL must not become more of it. */
static bool is_host(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789.-_")] == '\0' ||
           is_ipv6(name);
}

static int put_together(kin__endpoint *endpoint, const struct parts *parts,
                        const kin_config *config, kin_error *err)
{
    const char *verified = config->tls_server_name;
    kin__buf buf;
    int code;

    endpoint->is_tls = strcasecmp(parts->scheme, "https") == 0;
    if (!endpoint->is_tls || !verified || !*verified || strcasecmp(verified, parts->host) == 0)
        verified = NULL;
    if (verified && !is_host(verified))
        return kin_error_set(err, KIN_EINVAL, "tls-server-name is neither a host name nor an IP");
    bool in_brackets = verified && is_ipv6(verified);

    kin__buf_init(&buf, SERVER_BYTES_MAX);
    kin__buf_appendf(&buf, "%s://%s:%s", parts->scheme, parts->host, parts->port);
    if ((code = take_text(&buf, &endpoint->name, err)) < 0)
        return code;
    kin__buf_appendf(&buf, "%s://%s%s%s:%s%s", parts->scheme, in_brackets ? "[" : "",
                     verified ? verified : parts->host, in_brackets ? "]" : "", parts->port,
                     parts->path);
    if ((code = take_text(&buf, &endpoint->base, err)) < 0)
        return code;
    if (verified && (code = set_verified_name(endpoint, parts, err)) < 0)
        return code;
    /* As Go does: a proxy in the environment is not for servers on this machine. */
    if (!config->proxy_url && (is_loopback(parts->host) || kin__process_is_privileged()))
        return copy_text(&endpoint->proxy, "", err);
    return 0;
}

static int init_socket(kin__endpoint *endpoint, const char *path, const char *server,
                       kin_error *err)
{
    int code;

    if (*path != '/')
        return not_a_url(err, "the path of a unix socket is absolute: unix:///path");
    if ((code = copy_text(&endpoint->name, server, err)) < 0 ||
        (code = copy_text(&endpoint->socket, path, err)) < 0 ||
        (code = copy_text(&endpoint->base, "http://localhost", err)) < 0 ||
        (code = copy_text(&endpoint->proxy, "", err)) < 0)
        return code;
    return 0;
}

static int init_url(kin__endpoint *endpoint, const kin_config *config, kin_error *err)
{
    struct parts parts = {NULL, NULL, NULL, NULL};
    CURLU *url = curl_url();

    if (!url)
        return kin__error_no_memory(err);
    int code = take_apart(&parts, url, config->server, err);
    curl_url_cleanup(url);
    if (code == 0)
        code = put_together(endpoint, &parts, config, err);
    parts_done(&parts);
    if (code == 0 && config->proxy_url)
        code = copy_text(&endpoint->proxy, config->proxy_url, err);
    return code;
}

int kin__endpoint_init(kin__endpoint *endpoint, const kin_config *config, kin_error *err)
{
    const char *server = config->server ? config->server : "";
    int code;

    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->insecure = config->insecure;
    if (strlen(server) > SERVER_BYTES_MAX / 2)
        code = not_a_url(err, "it is too long");
    else if (kin__str_starts_with(kin_str_of(server), kin_str_of("unix://")))
        code = init_socket(endpoint, server + strlen("unix://"), server, err);
    else
        code = init_url(endpoint, config, err);
    if (code < 0)
        kin__endpoint_done(endpoint);
    return code;
}

void kin__endpoint_done(kin__endpoint *endpoint)
{
    kin__free(endpoint->name);
    kin__free(endpoint->base);
    kin__free(endpoint->host);
    kin__free(endpoint->connect_to);
    kin__free(endpoint->socket);
    if (endpoint->proxy)
        kin__secret_wipe(endpoint->proxy, strlen(endpoint->proxy));
    kin__free(endpoint->proxy);
    memset(endpoint, 0, sizeof(*endpoint));
}
