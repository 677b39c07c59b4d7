/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents as Kubernetes' protobuf, by the tables. Pure.
 *
 * A message is written from its last byte to its first, so that the length of each part is known
 * when its head is written. The fields of a message come in ascending order of number, and the
 * entries of a map in the order of their keys, as Go writes them.
 */
#ifndef KIN_OBJECT_PROTOBUF_WRITE_H
#define KIN_OBJECT_PROTOBUF_WRITE_H

#include "base/buf.h"
#include "base/stack.h"
#include "kinform/value.h"
#include "object/protobuf.h"

/* The longest varint; the longest tag and length. */
#define KIN__PB_VARINT_MAX 10u
#define KIN__PB_HEAD_MAX (2 * KIN__PB_VARINT_MAX)

/* What happens to a member that its message lacks and that is not null. */
enum kin__pb_lacking {
    KIN__PB_LEAVE_OUT,
    KIN__PB_REFUSE_INSIDE, /* KIN_EINVAL, except for members of the outermost map, which are left out */
    KIN__PB_REFUSE         /* KIN_EINVAL */
};

/* Writes one message after the other, and keeps its memory. One thread at a time. */
typedef struct kin__pb_writer {
    kin__stack frames; /* the messages, lists and maps that are being written */
    kin__stack slots;  /* their values that are still to be written, the last one on top */
    char *data;        /* the message is at its end */
    size_t cap;
    size_t len;
    size_t limit;
    kin__buf scratch; /* a text that has to be made first */
    kin_error *err;   /* of the call */
    int failed;
    bool counts;                  /* only the length is wanted */
    enum kin__pb_lacking lacking; /* the caller's; KIN__PB_LEAVE_OUT at first */
} kin__pb_writer;

/* `limit` bounds the length of a message; at most KIN__TEXT_MAX. */
void kin__pb_writer_init(kin__pb_writer *writer, size_t limit);
void kin__pb_writer_done(kin__pb_writer *writer);

/*
 * Which message objects of a type are: its place in kin__pb_messages. False: it is not in the
 * tables.
 */
bool kin__pb_message_of(kin_str api_version, kin_str kind, unsigned *ret);

/*
 * The message of a map. Members that the message lacks are treated as `lacking` of the writer says; apiVersion and kind of an
 * object are in its envelope, and are left out. A null member is left out; a null item of a list or map is written as the zero value.
 *
 * *ret is BORROWED until the next call. 0, KIN_ETYPE (a value of another type than the field),
 * KIN_EINVAL (a value that the field cannot have: a number out of its range, malformed base64 or
 * timestamps; a member that is refused), both with the path; KIN_ELIMIT, KIN_ENOMEM.
 */
int kin__pb_write(kin__pb_writer *writer, kin_str *ret, unsigned message, kin_value map,
                  kin_error *err);
/* How long that message is. The same codes. */
int kin__pb_measure(kin__pb_writer *writer, size_t *ret, unsigned message, kin_value map,
                    kin_error *err);

/*
 * The envelope of an object: the bytes before a message of `len` bytes, and those after it, which are
 * static.
 */
void kin__pb_envelope_head(kin__buf *out, kin_str api_version, kin_str kind, size_t len);
kin_str kin__pb_envelope_tail(void);

/* Append an object in its envelope. As kin__pb_write(); KIN_ELIMIT is of the buffer, too. */
int kin__pb_write_object(kin__pb_writer *writer, kin__buf *out, unsigned message,
                         kin_str api_version, kin_str kind, kin_value map, kin_error *err);

/* The tag and the length of a field with `len` bytes; returns how many bytes of `out` they are. */
size_t kin__pb_head(char out[KIN__PB_HEAD_MAX], unsigned number, uint64_t len);
/* Append them. */
void kin__pb_append_head(kin__buf *out, unsigned number, size_t len);
/* Append a field with a text. */
void kin__pb_append_text(kin__buf *out, unsigned number, kin_str text);
/* Append a field with a number that is not negative. */
void kin__pb_append_number(kin__buf *out, unsigned number, uint64_t value);

#endif
