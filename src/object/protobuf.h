/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubernetes' protobuf: kinds, and the envelope around an object.
 */
#ifndef KIN_OBJECT_PROTOBUF_H
#define KIN_OBJECT_PROTOBUF_H

#include "kinform/error.h"
#include "object/protobuf_tables.h"

/* The media type, without parameters. */
#define KIN__PROTOBUF "application/vnd.kubernetes.protobuf"
/* What an enveloped object begins with. */
#define KIN__PROTOBUF_PREFIX "k8s\0"
#define KIN__PROTOBUF_PREFIX_LEN 4

/* Fields of the envelope. */
enum {
    KIN__PROTOBUF_TYPE = 1,
    KIN__PROTOBUF_RAW = 2,
    KIN__PROTOBUF_CONTENT_ENCODING = 3,
    KIN__PROTOBUF_CONTENT_TYPE = 4
};

/* The apiVersion and kind in an envelope. */
typedef struct kin__protobuf_type {
    kin_str api_version;
    kin_str kind; /* "": not known (yet) */
} kin__protobuf_type;

/* An envelope; the texts are BORROWED from its bytes. */
typedef struct kin__protobuf_envelope {
    kin__protobuf_type type;
    kin_str raw;      /* the object's message */
    bool is_encoded;  /* it is the message after some encoding */
    bool has_unknown; /* fields that the tables lack, in it or in the type */
} kin__protobuf_envelope;

/* An object without its envelope. */
typedef struct kin__protobuf_message {
    unsigned number; /* its place in kin__pb_messages */
    kin_str bytes;
    uint64_t origin;         /* where the bytes are in the input, for the offsets of errors */
    kin__protobuf_type type; /* of the document; empty parts are left out */
    kin_str member;     /* of the document, whose value the message is; empty: it is the document */
    bool skips_unknown; /* fields that the tables lack; else the decoder decides */
} kin__protobuf_message;

/*
 * Open an envelope: the type of the object, and the bytes of its message. Both are BORROWED from `body`. 0, KIN_EPARSE (in the words of the real server, where it has some).
 */
int kin__protobuf_open(kin__protobuf_type *ret_type, kin_str *ret_raw, kin_str body,
                       kin_error *err);

/*
 * Open an envelope whose object is to be read. *kind is the entry of the last such object or NULL; it becomes that of
 * this one. `origin` is the offset of the body. Unknown fields of a Status do not matter: it reports a failure. 0,
 * KIN_EPARSE, KIN_EPROTOCOL: only JSON says what the object is (its kind is not in the tables, it is encoded, or the
 * envelope has an unknown field).
 */
int kin__protobuf_open_message(kin__protobuf_message *ret, const kin__pb_kind **kind, kin_str body,
                               uint64_t origin, kin_error *err);
/*
 * Report a failure, which `err` describes, as one that reading the same object in JSON may avoid. Returns KIN_EPROTOCOL.
 */
int kin__protobuf_leave_to_json(kin_error *err);
/* Report that a kind, which may be any bytes, is not in the tables. KIN_EPROTOCOL. */
int kin__protobuf_fail_kind(kin_str kind, kin_error *err);
bool kin__protobuf_is_status(const kin__protobuf_type *type);

/*
 * Whether the end of an envelope is missing: servers send the message of every object, also of an empty one. A body that is
 * malformed before its end is not cut off.
 */
bool kin__protobuf_is_cut_off(kin_str body);

/*
 * Read the type in an envelope, or a piece of it; absent fields keep their value. *has_unknown is set if there is a field
 * that the tables lack. 0, KIN_EPARSE.
 */
int kin__protobuf_read_type(kin__protobuf_type *type, bool *has_unknown, kin_str bytes,
                            kin_error *err);

/* Bytes of a message that may be malformed, or of a value in it; BORROWED. */
typedef struct kin__protobuf_piece {
    kin_str bytes;
    bool is_whole; /* nothing of it is missing */
} kin__protobuf_piece;

/*
 * The last value of a field that has a length; "": not found. The result is whole if the bytes end neither in the value
 * nor before it may come: servers write fields in the order of their numbers.
 */
kin__protobuf_piece kin__protobuf_find_value(kin__protobuf_piece message, unsigned number);

/* The table's entry of a kind; NULL if the table lacks it. */
const kin__pb_kind *kin__protobuf_find_kind(const kin__protobuf_type *type);

#endif
