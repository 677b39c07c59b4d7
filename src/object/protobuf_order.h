/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages in the order in which Go writes them. Protobuf lets fields come in any order, and messages and lists in
 * pieces; the reader (protobuf.h) wants each once, in the order of their numbers.
 */
#ifndef KIN_OBJECT_PROTOBUF_ORDER_H
#define KIN_OBJECT_PROTOBUF_ORDER_H

#include "kinform/error.h"

/* The same message in order. */
typedef struct kin__protobuf_ordered {
    unsigned char *memory; /* OWNED */
    size_t size;           /* of the memory */
    kin_str bytes;         /* in it */
    bool has_unknown;      /* fields that the tables lack were left out */
} kin__protobuf_ordered;

/*
 * Put a message and its nested messages in order. If a field that is not a list occurs twice, the last one counts;
 * messages are merged, but not times. 0, KIN_EPARSE (in the words of the real server), KIN_ENOMEM.
 */
int kin__protobuf_order(kin__protobuf_ordered *ret, unsigned message, kin_str bytes,
                        kin_error *err);
void kin__protobuf_ordered_done(kin__protobuf_ordered *ordered);

#endif
