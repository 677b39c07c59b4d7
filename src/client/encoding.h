/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which encoding a request asks for: protobuf where the tables have the kind or only metadata is wanted, unless the
 * options say JSON, or the server has shown for this resource that it must be JSON.
 */
#ifndef KIN_CLIENT_ENCODING_H
#define KIN_CLIENT_ENCODING_H

#include "kinform/client.h"

/*
 * Resources that are asked for in JSON from now on, each once. Most have a built-in kind; the others are custom or aggregated
 * resources whose metadata was asked for. A client uses few of them, so the list is searched from its beginning.
 */
typedef struct kin__json_only {
    char **names; /* (client's lock) "apps/v1 deployments" */
    size_t n;     /* (client's lock) */
    size_t cap;   /* (client's lock) */
} kin__json_only;

void kin__json_only_done(kin__json_only *json_only);

/* 0, KIN_EINVAL: an option has a value that is not in the enumeration. */
int kin__check_encoding(kin_encoding encoding, kin_error *err);

/* Whether to ask for protobuf. */
bool kin__client_asks_protobuf(kin_client *client, const kin_resource *resource, enum kin_verb verb,
                               const kin_request_options *options);
/*
 * Ask for JSON from now on; logged the first time, with the reason. False: out of memory, and the next request
 * asks for protobuf again.
 */
bool kin__client_use_json(kin_client *client, const kin_resource *resource, const char *why);

#endif
