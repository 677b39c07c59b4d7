/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body compressed while it is sent.
 */
#ifndef KIN_APISERVER_HTTP_GZIP_SOURCE_H
#define KIN_APISERVER_HTTP_GZIP_SOURCE_H

#include "apiserver/protocol/reply.h"

/* What `inner`, CONSUMED, gives, as gzip. 0, KIN_ENOMEM: `inner` is still the caller's. */
int kin__gzip_source_new(kin__source **ret, kin__source *inner);

/* Whether an Accept-Encoding header takes gzip. */
bool kin__accepts_gzip(kin_str accept_encoding);

#endif
