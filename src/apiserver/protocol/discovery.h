/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of discovery, as JSON: which groups, versions and resources are served. The same
 * registry gives the same bytes. Only memory can be missing: see the buffer.
 */
#ifndef KIN_APISERVER_PROTOCOL_DISCOVERY_H
#define KIN_APISERVER_PROTOCOL_DISCOVERY_H

#include "apiserver/kinds/registry.h"
#include "apiserver/protocol/accept.h"
#include "base/buf.h"

/* /api: of the core group. `server_address`, "127.0.0.1:6443", is in the plain form. */
void kin__discovery_api(kin__registry *registry, enum kin__discovery form, kin_str server_address,
                        kin__buf *out);
/* /apis: of all other groups. */
void kin__discovery_apis(kin__registry *registry, enum kin__discovery form, kin__buf *out);
/* /apis/apps. False: there is no such group, and nothing was written. */
bool kin__discovery_group(kin__registry *registry, kin_str group, kin__buf *out);
/* /api/v1, /apis/apps/v1. False: there is no such version, and nothing was written. */
bool kin__discovery_version(kin__registry *registry, kin_str group, kin_str version, kin__buf *out);

/* Room for an ETag. */
#define KIN__ETAG_SIZE 40
/* The ETag of an aggregated document, in its quotes: other bytes have another one. */
void kin__discovery_etag(kin_str document, char *ret);

#endif
