/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of a call: what it accepts, what its body is, who asks, and as whom. The authorization
 * is not among them: that is the identity's, and the transport adds it.
 */
#ifndef KIN_CLIENT_HEADERS_H
#define KIN_CLIENT_HEADERS_H

#include "client/client.h"

typedef struct kin__headers {
    kin__header *items; /* names and values are BORROWED */
    size_t n;
    size_t cap;
} kin__headers;

void kin__headers_init(kin__headers *headers);
void kin__headers_done(kin__headers *headers);

/* The name of the header for an attribute of whom we act as; OWNED. 0 or KIN_ENOMEM. */
int kin__headers_extra_name(char **ret, const char *key);

/* All that a call of the client has. `content_type` may be NULL. 0 or KIN_ENOMEM. */
int kin__headers_of_call(kin__headers *headers, const kin_client *client, const char *accept,
                         const char *content_type, kin_error *err);

#endif
