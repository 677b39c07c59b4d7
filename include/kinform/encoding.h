/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Encodings: how objects are written between a server and a client.
 */
#ifndef KINFORM_ENCODING_H
#define KINFORM_ENCODING_H

#include <kinform/common.h>

KIN_BEGIN_DECLS

/** How objects are written. The resulting documents are the same. */
typedef enum kin_encoding {
    /** As an option: the documented default. As a status: nothing was received yet. */
    KIN_ENCODING_DEFAULT = 0,
    KIN_ENCODING_JSON = 1, /**< for all kinds */
    /** Kubernetes' protobuf, for built-in kinds: less work for the server and the client, fewer bytes */
    KIN_ENCODING_PROTOBUF = 2
} kin_encoding;

/**
 * The name of an encoding: "json", "protobuf".
 *
 * @return BORROWED for ever; "?" for an unknown one and for the default.
 * @thread any
 */
KIN_API const char *kin_encoding_name(kin_encoding encoding);

KIN_END_DECLS

#endif
