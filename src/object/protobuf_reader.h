/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf to draft: a message, by the tables, as the document that its JSON would be.
 *
 * The reader expects fields in ascending order, as Go writes them. A message that has them in another
 * order, or in pieces, is put in order first (protobuf_order.h) and then read again.
 *
 * A subtree whose bytes were read before is taken from the draft's raw cache. Parts that a projection
 * drops are skipped and not checked.
 */
#ifndef KIN_OBJECT_PROTOBUF_READER_H
#define KIN_OBJECT_PROTOBUF_READER_H

#include "object/json_parse.h"
#include "object/protobuf.h"

struct kin__protobuf_frame;

/* Timestamps that are kept as text: the conditions of one object often have the same. */
#define KIN__PROTOBUF_TIMES 8u
#define KIN__PROTOBUF_TIME_LEN 20u

typedef struct kin__protobuf_reader {
    kin__draft *draft;      /* BORROWED */
    kin__json_parser *json; /* BORROWED; its projection and limits are the reader's, too */
    struct kin__protobuf_frame *frames;
    size_t frames_cap;
    size_t n_frames;
    const unsigned char *begin; /* of the message: offsets count from here */
    uint64_t origin;            /* the offset of `begin` */
    size_t nodes_max;
    unsigned n_texts;
    int64_t times[KIN__PROTOBUF_TIMES]; /* seconds of which there are texts */
    char time_texts[KIN__PROTOBUF_TIMES][KIN__PROTOBUF_TIME_LEN];
    bool skips_unknown; /* fields that the tables lack; else they are a failure */
    bool is_disordered; /* of the last failure: fields are in an unusual order */
    bool needs_json;    /* of the last failure: the same object in JSON does not have it */
    kin_error *err;
} kin__protobuf_reader;

void kin__protobuf_reader_init(kin__protobuf_reader *reader, kin__draft *draft,
                               kin__json_parser *json);
void kin__protobuf_reader_done(kin__protobuf_reader *reader);

/*
 * Read a message into the empty draft.
 *
 * 0, KIN_EPARSE (in the words of the real server, where it has some), KIN_ELIMIT, KIN_ENOMEM, KIN_EPROTOCOL: a field is
 * not in the tables. After a failure the caller resets the draft. If `is_disordered` is set, the failure is not final:
 * the caller puts the fields in order with kin__protobuf_order() and reads the result.
 *
 * Memory: a message has at most one value per byte, or 1024 if that is more. Decoding takes up to 28 times the bytes of
 * the message.
 */
int kin__protobuf_read(kin__protobuf_reader *reader, const kin__protobuf_message *message,
                       kin_error *err);
/* Fail because the tables lack a field, it is not known which. KIN_EPROTOCOL. */
int kin__protobuf_fail_unknown(kin__protobuf_reader *reader, kin_error *err);

#endif
