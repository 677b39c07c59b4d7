/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps web pages of other origins away from the server. Pure.
 *
 * A browser on this machine reaches the loopback address for every page that it shows. A page can send
 * requests to it across origins, or bind its own name to the address (DNS rebinding) so that the
 * browser takes the server for a part of the page. The first kind has an Origin or Sec-Fetch-Site
 * header that says so, the second has the page's name in Host. Other clients send neither header, and
 * the name or address in Host that their kubeconfig has.
 */
#ifndef KIN_APISERVER_HTTP_ORIGIN_H
#define KIN_APISERVER_HTTP_ORIGIN_H

#include "apiserver/http/socket.h"
#include "apiserver/kinds/failure.h"

/* Names of the server that every certificate of its own has; NULL ends the list. */
extern const char *const kin__own_names[];

/* What the server is called. BORROWED. */
typedef struct kin__origin {
    const kin__address *address; /* that it listens on */
    kin_str names;               /* more host names, separated by commas */
    bool is_tls;
} kin__origin;

/* Headers of a request; data NULL: not sent. */
typedef struct kin__origin_headers {
    kin_str host;
    kin_str origin;
    kin_str site; /* Sec-Fetch-Site */
} kin__origin_headers;

/*
 * Whether a Host header can have each of the names, which are separated by commas. Blanks around a name are ignored. 0, KIN_EINVAL.
 */
int kin__origin_check_names(kin_str names, kin_error *err);

/* False: 403. */
bool kin__origin_check(const kin__origin *own, const kin__origin_headers *headers,
                       kin__failure *failure);

#endif
