/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON, for the rest of the library.
 */
#ifndef KIN_OBJECT_JSON_H
#define KIN_OBJECT_JSON_H

#include "base/buf.h"
#include "kinform/json.h"
#include "object/protobuf.h"

/*
 * Read any JSON value, not only an object. The value lives as long as the holder, which is the
 * caller's to unref. Codes as kin_decoder_decode().
 */
int kin__json_read_value(const kin_object **ret_holder, kin_value *ret, kin_str text,
                         kin_error *err);

/* Append a value; a failure sticks in the buffer. */
void kin__json_write(kin__buf *buf, kin_value value, enum kin_json_style style);
/* Append a string with its quotes. */
void kin__json_write_string(kin__buf *buf, kin_str text);

/*
 * Read the object at the beginning of a text, of which more may follow. *ret_len is where it ended.
 * If the text ended too early, KIN_EPARSE and *ret_incomplete true. Offsets in errors count from
 * `origin`.
 */
int kin__decoder_decode_prefix(kin_decoder *decoder, const kin_object **ret, kin_str text,
                               uint64_t origin, size_t *ret_len, bool *ret_incomplete,
                               kin_error *err);
/*
 * Read an object that is a message of protobuf. Codes as kin_decoder_decode(), and KIN_EPROTOCOL if the tables
 * lack one of its fields.
 */
int kin__decoder_decode_message(kin_decoder *decoder, const kin_object **ret,
                                const kin__protobuf_message *message, kin_error *err);
/*
 * The same for an object in an envelope, which is complete. *ret_needs_json: after a failure, whether it may be read in
 * JSON; the code is KIN_EPROTOCOL then.
 */
int kin__decoder_decode_envelope(kin_decoder *decoder, const kin_object **ret, kin_str body,
                                 bool *ret_needs_json, kin_error *err);
/*
 * The same for an item of a list, with the apiVersion and kind of the decoder's options, or its own if JSON has them in
 * each item.
 */
int kin__decoder_decode_item(kin_decoder *decoder, const kin_object **ret, const kin__pb_kind *kind,
                             kin_str bytes, uint64_t origin, kin_error *err);
/* Pass over fields that the tables lack. */
void kin__decoder_skip_unknown(kin_decoder *decoder);
/*
 * Whether the last message failed for a reason that the same object in JSON may not have: a field that the tables lack,
 * bytes that are not as the tables say, or the limit of values for its length.
 */
bool kin__decoder_needs_json(const kin_decoder *decoder);
size_t kin__decoder_max_bytes(const kin_decoder *decoder);
/* A decoder with the options of another. OWNED. Codes as kin_decoder_new(). */
int kin__decoder_like(kin_decoder **ret, const kin_decoder *other, kin_error *err);

#endif
