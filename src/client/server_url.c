/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses. Stricter than client-go's: what curl and Go read differently is refused. User names
 * and passwords in a server's URL would end up in messages, and queries mean nothing there.
 */
#include "client/server_url.h"

#include <strings.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/str.h"

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool all_of(kin_str text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (!is_alnum(c) && (c == '\0' || !strchr(others, c)))
            return false;
    }
    return true;
}

static kin_str behind(kin_str text, size_t n)
{
    return kin_str_make(text.data + n, text.len - n);
}

/* Split off "scheme://". False: there is none. */
static bool cut_scheme(kin_str *text, kin_str *ret_scheme)
{
    const char *sep = text->len ? memmem(text->data, text->len, "://", 3) : NULL;

    if (!sep)
        return false;
    *ret_scheme = kin_str_make(text->data, (size_t)(sep - text->data));
    *text = behind(*text, ret_scheme->len + 3);
    return true;
}

static bool is_scheme(kin_str scheme, const char *name)
{
    return scheme.len == strlen(name) && strncasecmp(scheme.data, name, scheme.len) == 0;
}

/* The part before the first slash, question mark or hash. */
static kin_str cut_authority(kin_str *rest)
{
    size_t len = 0;

    while (len < rest->len && !strchr("/?#", rest->data[len]))
        len++;
    kin_str authority = kin_str_make(rest->data, len);
    *rest = behind(*rest, len);
    return authority;
}

static const char *port_defect(kin_str port)
{
    uint64_t number = 0;

    if (kin__str_to_u64(&number, port) || number == 0 || number > 65535)
        return "its port is no number from 1 to 65535";
    return NULL;
}

/* "host", "host:port", "[address]", "[address]:port". */
static const char *host_defect(kin_str host)
{
    static const char defect[] = "it has no valid host name";

    if (host.len > 0 && host.data[0] == '[') {
        size_t end = kin__str_find(host, ']');

        if (end < 4 - 1 || end == host.len ||
            !all_of(kin_str_make(host.data + 1, end - 1), ":.%-_~"))
            return defect;
        kin_str rest = behind(host, end + 1);
        if (rest.len == 0)
            return NULL;
        return rest.data[0] == ':' ? port_defect(behind(rest, 1)) : defect;
    }
    size_t colon = kin__str_find(host, ':');
    if (colon == 0 || !all_of(kin_str_make(host.data, colon), "-._~"))
        return defect;
    return colon < host.len ? port_defect(behind(host, colon + 1)) : NULL;
}

static const char *path_defect(kin_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.data[i];

        if (c == '?' || c == '#')
            return "it has a query or a fragment";
        if (c == '%' && !(i + 2 < path.len && is_hex(path.data[i + 1]) && is_hex(path.data[i + 2])))
            return "a % in its path is not followed by two digits";
        if (c <= ' ' || c > '~' || strchr("\"<>\\^`{|}", c))
            return "its path has characters that must be escaped";
    }
    return NULL;
}

static int join(char **ret, const char *scheme, kin_str rest)
{
    size_t scheme_len = strlen(scheme);
    char *url = kin__malloc(scheme_len + rest.len + 1);

    if (!url)
        return KIN_ENOMEM;
    memcpy(url, scheme, scheme_len + 1);
    if (rest.len)
        memcpy(url + scheme_len, rest.data, rest.len);
    url[scheme_len + rest.len] = '\0';
    *ret = url;
    return 0;
}

/* What comes behind "https://". */
static const char *address_defect(kin_str text, bool has_scheme)
{
    kin_str path = text;
    kin_str host = cut_authority(&path);

    if (host.len && memchr(host.data, '@', host.len))
        return "it has a user name or a password";
    const char *defect = host_defect(host);
    if (!defect)
        defect = path_defect(path);
    if (!defect && !has_scheme && path.len > 1)
        defect = "it has a path and no scheme";
    return defect;
}

int kin__server_url(char **ret, kin_str text, const char **ret_why)
{
    kin_str scheme = KIN__STR("http");
    bool has_scheme = cut_scheme(&text, &scheme);

    if (is_scheme(scheme, "unix")) {
        if (text.len < 2 || text.data[0] != '/') {
            *ret_why = "a socket is unix:///path";
            return KIN_EINVAL;
        }
        return join(ret, "unix://", text);
    }
    if (!is_scheme(scheme, "http") && !is_scheme(scheme, "https")) {
        *ret_why = "its scheme is not https, http or unix";
        return KIN_EINVAL;
    }
    *ret_why = address_defect(text, has_scheme);
    if (*ret_why)
        return KIN_EINVAL;
    while (text.len > 0 && text.data[text.len - 1] == '/')
        text.len--;
    return join(ret, scheme.len == 5 ? "https://" : "http://", text);
}

const char *kin__proxy_url_defect(kin_str text)
{
    static const char *const schemes[] = {"http", "https", "socks5"};
    kin_str scheme = {NULL, 0};
    bool known = false;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] <= ' ' || text.data[i] > '~')
            return "it has characters that must be escaped";
    }
    if (cut_scheme(&text, &scheme)) {
        for (size_t i = 0; i < kin__array_len(schemes); i++)
            known |= is_scheme(scheme, schemes[i]);
    }
    if (!known)
        return "its scheme is not http, https or socks5";
    kin_str host = cut_authority(&text);
    const char *at = host.len ? memrchr(host.data, '@', host.len) : NULL;
    if (at)
        host = behind(host, (size_t)(at - host.data) + 1);
    return host_defect(host);
}
