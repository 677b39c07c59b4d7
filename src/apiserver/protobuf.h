/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of requests in Kubernetes' protobuf, as the JSON that says the same. Pure; fuzzed.
 */
#ifndef KIN_APISERVER_PROTOBUF_H
#define KIN_APISERVER_PROTOBUF_H

#include "base/buf.h"
#include "kinform/error.h"

#define KIN__PROTOBUF "application/vnd.kubernetes.protobuf"

/* What an object is. */
typedef struct kin__protobuf_type {
    kin_str api_version;
    kin_str kind; /* "": not known (yet) */
} kin__protobuf_type;

/*
 * Append the JSON of the object in `body` to `out`, whose limit bounds what a small body can become.
 * `expected` is what it is if it does not say; *ret_type is what it is, BORROWED from both, with
 * an empty kind if the body's envelope cannot be read.
 *
 * An object of a kind that is not in the tables has its apiVersion and kind alone: it is for the
 * caller to refuse, who knows where it was sent. Fields that are not in the tables are passed over.
 *
 * 0, KIN_EPARSE (in the words of the real server, where it has some), KIN_ELIMIT (of the buffer, or
 * messages are nested too deep), KIN_ENOMEM.
 */
int kin__protobuf_to_json(kin__buf *out, kin_str body, kin__protobuf_type expected,
                          kin__protobuf_type *ret_type, kin_error *err);

#endif
