/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is sent: URL, header lines and body in one block, as libcurl wants them. It may hold secrets,
 * and is wiped when it is released. No I/O.
 */
#ifndef KIN_CLIENT_REQUEST_H
#define KIN_CLIENT_REQUEST_H

#include <curl/curl.h>

#include "client/endpoint.h"
#include "client/transport.h"

typedef struct kin__http_request {
    char *memory; /* all of the below lies in it */
    size_t size;
    const char *url;
    const char *method;
    struct curl_slist *headers;
    kin_str body;
    size_t sent; /* bytes of the body that were handed over */
} kin__http_request;

/* 0, KIN_EINVAL, KIN_ENOMEM. */
int kin__http_request_init(kin__http_request *request, const kin__endpoint *endpoint, bool gzip,
                           const kin__exchange_spec *spec, kin_error *err);
void kin__http_request_done(kin__http_request *request);

/*
 * Whether it may be sent once more when nobody knows if it arrived. A PUT or DELETE that arrives
 * twice is answered with a conflict or "not found", although it was done.
 */
bool kin__http_request_may_be_repeated(const kin__http_request *request);

#endif
