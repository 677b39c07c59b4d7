/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies in protobuf as JSON, by way of a document.
 */
#ifndef KIN_TEST_PROTOBUF_JSON_H
#define KIN_TEST_PROTOBUF_JSON_H

#include "base/buf.h"
#include "kinform/json.h"
#include "object/protobuf.h"

/*
 * Append the JSON of an enveloped object. `expected` is what it is if it does not say; *ret_type is what it is,
 * BORROWED from both, empty if the envelope cannot be read. An object of a kind that is not in the tables has its
 * apiVersion and kind alone. The decoder decides about fields that are not in the tables.
 */
int kin_test_protobuf_json_by(kin_decoder *decoder, kin__buf *out, kin_str body,
                              kin__protobuf_type expected, kin__protobuf_type *ret_type,
                              kin_error *err);
/* By a decoder of its own, which passes over fields that are not in the tables if `skips_unknown`. */
int kin_test_protobuf_json(kin__buf *out, kin_str body, kin__protobuf_type expected,
                           kin__protobuf_type *ret_type, bool skips_unknown, kin_error *err);

#endif
