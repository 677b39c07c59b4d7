/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of a request's head that libmicrohttpd does not make, or answers without a Status.
 */
#ifndef KIN_APISERVER_HTTP_HTTP_HEAD_H
#define KIN_APISERVER_HTTP_HTTP_HEAD_H

#include <microhttpd.h>

#include "apiserver/http/origin.h"

/* The request line. BORROWED. */
typedef struct kin__http_head {
    const char *method;  /* as libmicrohttpd passes it to the handler's first call */
    const char *url;     /* of the same call */
    const char *version; /* of the same call */
    size_t uri_len;      /* of the URI with its query, up to its end or a NUL byte */
    kin_str path;
    kin_str query;
} kin__http_head;

/* The value of a header without blanks around it; data NULL: none. BORROWED until the request is over. */
kin_str kin__http_header(struct MHD_Connection *mhd, const char *name);

/* False: 400, or 403 for another origin. To be called before the body is received. */
bool kin__http_head_check(const kin__http_head *head, struct MHD_Connection *mhd,
                          const kin__origin *own, kin__failure *failure);

#endif
