/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address in Host cannot be rebound, but only addresses that the server has are accepted, so that
 * a mistake shows. The port is not compared: behind a forwarded port Host has another one, and the
 * name alone decides whether a page could have chosen it.
 */
#include "apiserver/origin.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

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
