/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address in Host cannot be rebound, but only addresses that the server has are accepted, so that
 * a mistake shows. The port is not compared: behind a forwarded port Host has another one, and the
 * name alone decides whether a page could have chosen it.
 */
#include "apiserver/http/origin.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"

#define NAME_MAX_LEN 253u
#define LABEL_MAX_LEN 63u

const char *const kin__own_names[] = {"localhost",
                                      "kubernetes",
                                      "kubernetes.default",
                                      "kubernetes.default.svc",
                                      "kubernetes.default.svc.cluster.local",
                                      NULL};

static bool equal_ignoring_case(kin_str a, kin_str b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.data, b.data, a.len) == 0);
}

static bool is_digits(kin_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

/* "localhost:80" as "localhost", "[::1]:80" as "[::1]"; a malformed host stays unchanged. */
static kin_str without_port(kin_str host)
{
    size_t colon = host.len;

    while (colon > 0 && host.data[colon - 1] != ':' && host.data[colon - 1] != ']')
        colon--;
    if (colon == 0 || host.data[colon - 1] == ']' ||
        !is_digits(kin_str_make(host.data + colon, host.len - colon)))
        return host;
    return kin_str_make(host.data, colon - 1);
}

/* False: it is not an IP address. IPv6 addresses are in brackets. */
static bool parse_address(kin__address *ret, kin_str host)
{
    char text[64];

    if (host.len == 0 || host.len >= sizeof(text))
        return false;
    memcpy(text, host.data, host.len);
    text[host.len] = '\0';
    return (strchr(text, ':') == NULL || text[0] == '[') &&
           kin__address_parse(ret, text, 0, NULL) == 0;
}

static bool is_own_address(const kin__origin *own, const kin__address *address)
{
    return kin__address_is_loopback(address) || kin__address_is_any(own->address) ||
           kin__address_same_host(address, own->address);
}

static bool is_own_name(const kin__origin *own, kin_str host)
{
    kin_str rest = own->names;
    kin_str name;

    if (host.len > 1 && host.data[host.len - 1] == '.')
        host.len--;
    for (size_t i = 0; kin__own_names[i]; i++)
        if (equal_ignoring_case(host, kin_str_of(kin__own_names[i])))
            return true;
    while (kin__str_cut(&rest, ',', &name)) {
        name = kin__str_trim(name);
        if (name.len > 0 && equal_ignoring_case(host, name))
            return true;
    }
    return false;
}

static bool is_own_host(const kin__origin *own, kin_str host)
{
    kin__address address;
    kin_str name = without_port(host);

    return parse_address(&address, name) ? is_own_address(own, &address) : is_own_name(own, name);
}

/* Letters, digits, '-' and '_', which names of containers have. */
static bool is_label(kin_str label)
{
    for (size_t i = 0; i < label.len; i++) {
        char c = label.data[i];
        char lower = (char)(c | 0x20);

        if ((lower < 'a' || lower > 'z') && (c < '0' || c > '9') && c != '-' && c != '_')
            return false;
    }
    return label.len > 0 && label.len <= LABEL_MAX_LEN && label.data[0] != '-' &&
           label.data[label.len - 1] != '-';
}

static int check_name(kin_str name, kin_error *err)
{
    kin_str rest = name;
    kin_str label = {NULL, 0};
    int shown = (int)(name.len < NAME_MAX_LEN ? name.len : NAME_MAX_LEN);
    bool is_name = name.len <= NAME_MAX_LEN;

    if (name.len == 0)
        return kin_error_set(err, KIN_EINVAL, "a host name is empty");
    while (is_name && kin__str_cut(&rest, '.', &label))
        is_name = is_label(label);
    /* Clients take a name whose last part is a number for an IPv4 address. */
    if ((is_name && is_digits(label)) || kin__str_find(name, ':') < name.len)
        return kin_error_set(err, KIN_EINVAL,
                             "the host name \"%.*s\" is an address or has a port; leave it out: "
                             "requests for the address that the server listens on are accepted, at "
                             "any port",
                             shown, name.data);
    if (!is_name)
        return kin_error_set(err, KIN_EINVAL,
                             "the host name \"%.*s\" is malformed: a name has letters, digits, - "
                             "and _, in parts separated by dots; patterns are not supported",
                             shown, name.data);
    return 0;
}

int kin__origin_check_names(kin_str names, kin_error *err)
{
    kin_str name;
    int code = 0;

    while (code == 0 && kin__str_cut(&names, ',', &name))
        code = check_name(kin__str_trim(name), err);
    return code;
}

/* Whether the page was loaded from this server: its scheme and what is in Host. */
static bool is_own_origin(const kin__origin *own, const kin__origin_headers *headers)
{
    kin_str scheme = kin_str_of(own->is_tls ? "https://" : "http://");
    kin_str origin = headers->origin;

    return headers->host.data && origin.len == scheme.len + headers->host.len &&
           equal_ignoring_case(kin_str_make(origin.data, scheme.len), scheme) &&
           equal_ignoring_case(kin_str_make(origin.data + scheme.len, headers->host.len),
                               headers->host);
}

static bool is_own_site(kin_str site)
{
    return kin_str_equal(site, kin_str_of("same-origin")) ||
           kin_str_equal(site, kin_str_of("none")); /* a user typed the address */
}

bool kin__origin_check(const kin__origin *own, const kin__origin_headers *headers,
                       kin__failure *failure)
{
    if (headers->host.data && !is_own_host(own, headers->host))
        return kin__fail(failure, 403, "Forbidden",
                         "the Host header names \"%.*s\", which is not a name of this server; use "
                         "localhost or the server's address, or configure the host name",
                         (int)(headers->host.len < 200 ? headers->host.len : 200),
                         headers->host.data);
    if (headers->origin.data && !is_own_origin(own, headers))
        return kin__fail(failure, 403, "Forbidden",
                         "requests from web pages of another origin (\"%.*s\") are not served",
                         (int)(headers->origin.len < 200 ? headers->origin.len : 200),
                         headers->origin.data);
    if (headers->site.data && !is_own_site(headers->site))
        return kin__fail(failure, 403, "Forbidden",
                         "requests from web pages of another origin (Sec-Fetch-Site: %.*s) are not "
                         "served",
                         (int)(headers->site.len < 200 ? headers->site.len : 200),
                         headers->site.data);
    return true;
}
