/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watch compressed while it is sent.
 */
#ifndef KIN_APISERVER_HTTP_GZIP_WATCH_H
#define KIN_APISERVER_HTTP_GZIP_WATCH_H

#include "apiserver/protocol/reply.h"

/*
 * `inner`, CONSUMED, as gzip: one member for all that it has until it waits. 0, KIN_ENOMEM: `inner`
 * is still the caller's.
 */
int kin__gzip_watch_new(kin__source **ret, kin__source *inner);

#endif
