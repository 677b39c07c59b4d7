/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects in protobuf, as clients ask for them; encode.h has the JSON.
 */
#ifndef KIN_APISERVER_PROTOCOL_ENCODE_PROTOBUF_H
#define KIN_APISERVER_PROTOCOL_ENCODE_PROTOBUF_H

#include "apiserver/protocol/encode.h"
#include "object/protobuf_write.h"

/* Room for the head of a watch's frame. */
#define KIN__FRAME_HEAD_SIZE 64u

/*
 * Have an encoding give protobuf, in the form that it has. False: the tables lack its message, and
 * nothing has changed.
 */
bool kin__encoding_set_protobuf(kin__encoding *encoding);

/*
 * Append an object in its envelope. 0, KIN_ETYPE, KIN_EINVAL (the object has a value that its
 * message cannot have, or a member that its message lacks: built-in kinds are not validated), KIN_ELIMIT, KIN_ENOMEM,
 * KIN_ESYSTEM. Members beside the metadata do not count where only the metadata is wanted.
 */
int kin__encode_protobuf(kin__buf *out, kin__pb_writer *writer, const kin__encoding *encoding,
                         const kin_object *object, kin_error *err);
/*
 * The message of an object, without envelope, as an item of a list has it; BORROWED from the writer.
 * The same codes.
 */
int kin__encode_protobuf_item(kin_str *ret, kin__pb_writer *writer, const kin__encoding *encoding,
                              const kin_object *object, kin_error *err);
/* How long that message is. The same codes. */
int kin__measure_protobuf_item(size_t *ret, kin__pb_writer *writer, const kin__encoding *encoding,
                               const kin_object *object, kin_error *err);

/*
 * What JSON says, by its own apiVersion and kind: a Status, for one. KIN_ENOTFOUND: it is not in the
 * tables; else as kin__encode_protobuf().
 */
int kin__encode_protobuf_json(kin__buf *out, kin_str json, kin_error *err);

/* The metadata of a list; `remaining` 0: not told. */
void kin__encode_protobuf_list_meta(kin__buf *out, uint64_t version, kin_str continue_token,
                                    uint64_t remaining);
/* The beginning of a list, up to its metadata, where the metadata and all items have `len` bytes. */
void kin__encode_protobuf_list_head(kin__buf *out, const kin__encoding *encoding, size_t len);

/*
 * What comes before an object of `len` bytes in a watch: the length of the frame, and the event.
 * `type` has no more than 16 characters. How many bytes of `head` it is.
 */
size_t kin__protobuf_frame_head(char head[KIN__FRAME_HEAD_SIZE], const char *type, size_t len);

/*
 * The tag and length of a field that no envelope has, for faults: clients step over it. How many
 * bytes of `head` it is.
 */
size_t kin__protobuf_padding_head(char head[KIN__PB_HEAD_MAX], uint64_t len);

#endif
